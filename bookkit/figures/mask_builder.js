// Press a square to hide a key from a query; the weights of its row are a softmax over the keys that are left.
((attnkit) => {
  "use strict";
  const { h, fixed } = attnkit;

  /** @typedef {{ mask: boolean[][], row: number }} State */
  /** @typedef {{ words: string[], scores: Matrix, padding: number }} Given */

  // The masks to choose from, by their names: may this query attend to this key?
  /** @type {Record<string, (query: number, key: number, real: number) => boolean>} */
  const MASKS = {
    all: () => true,
    causal: (query, key) => key <= query,
    window: (query, key) => Math.abs(query - key) <= 1,
    padding: (_, key, real) => key < real,
    "causal and padding": (query, key, real) => key <= query && key < real,
  };

  /** @param {boolean[][]} a @param {boolean[][]} b */
  const same = (a, b) => a.every((row, i) => row.every((may, j) => may === b[i][j]));

  // A softmax over the allowed keys only: the others get exp(−∞) = 0. Where no key is allowed, the sum would be 0.
  /** @param {number[]} scores @param {boolean[]} allowed */
  function weigh(scores, allowed) {
    if (!allowed.includes(true)) return scores.map(() => 0);
    return attnkit.softmax(scores.map((score, j) => (allowed[j] ? score : -Infinity)));
  }

  // The arithmetic, compared with attnkit by tests/figures/; `preset` is -1 for a mask made by hand.
  /** @param {{ scores: Matrix, mask: boolean[][], padding: number }} state */
  function compute({ scores, mask, padding }) {
    const real = mask.length - padding;
    const names = Object.keys(MASKS).filter((name) => padding || !name.includes("padding"));
    const presets = names.map((name) => mask.map((row, i) => row.map((_, j) => MASKS[name](i, j, real))));
    const weights = scores.map((row, i) => weigh(row, mask[i]));
    return {
      weights,
      sums: weights.map(attnkit.sum),
      names,
      presets,
      preset: presets.findIndex((preset) => same(preset, mask)),
    };
  }

  /** @param {boolean[][]} mask @param {number} row @param {number} column @param {boolean} to */
  const changed = (mask, row, column, to) =>
    mask.map((line, i) => line.map((may, j) => (i === row && j === column ? to : may)));

  // Queries down the side, keys along the top, a square for each pair, and the sum of each row.
  /** @param {string[]} words @param {(row: number, column: number) => Props} actions */
  function grid(words, actions) {
    /** @param {number} i @param {number} j */
    const square = (i, j) => h("button", { type: "button", class: "ak-cell", ...actions(i, j) });
    const squares = words.map((_, i) => words.map((_, j) => square(i, j)));
    const sums = words.map(() => h("td", { class: "ak-total" }));
    const headings = words.map((word) => h("th", { scope: "col" }, h("span", {}, word)));
    const corner = h("td", { class: "ak-corner" }, h("span", {}, "key →"), h("span", {}, "query ↓"));
    const top = h("tr", {}, corner, headings, h("th", { scope: "col", class: "ak-total" }, "sum"));
    const lines = words.map((word, i) => attnkit.tr(word, ...squares[i], sums[i]));
    const look = { class: "ak-grid ak-mask", role: "grid", "aria-label": "the mask and the weights" };
    const element = h("table", look, h("thead", {}, top), h("tbody", {}, lines));
    const longest = Math.max(...words.map((word) => word.length));
    element.style.cssText = `--count:${words.length};--longest:${longest}`;
    return { squares, sums, lines, element };
  }

  /** @param {HTMLElement} button @param {[query: string, key: string]} words @param {boolean} may @param {number} weight */
  function showSquare(button, words, may, weight) {
    const told = may ? `allowed, weight ${fixed(weight)}` : "hidden";
    attnkit.write(button, may ? fixed(weight) : "×");
    attnkit.attr(button, "aria-pressed", String(may));
    attnkit.attr(button, "aria-label", `from ${words[0]} to ${words[1]}: ${told}`);
    attnkit.paint(button, weight, 1, "weight");
  }

  // What is said of the row that the reader stands in.
  /** @param {string} word @param {boolean[]} allowed @param {boolean[][]} mask */
  function sentence(word, allowed, mask) {
    /** @param {boolean[]} row */
    const count = (row) => row.filter(Boolean).length;
    const [seen, n] = [count(allowed), allowed.length];
    if (!seen) {
      return (
        `From ${attnkit.quoted(word)}: nothing may be seen. Its weights are all 0, and so is its output. ` +
        "Plain code would give NaN: the exponentials sum to 0, and 0/0 is not a number."
      );
    }
    const sum = seen === 1 ? "its weight is 1" : "their weights sum to 1";
    return `From ${attnkit.quoted(word)}: ${seen} of ${n} may be seen; ${sum}. In all, ${count(mask.flat())} of ${n * n} squares are allowed.`;
  }

  /** @param {Figure<State, Given>} figure */
  function build(figure) {
    const { words, scores, padding } = figure.given("words", "scores", "padding");
    /** @param {number} row @param {number} column @param {boolean} to */
    const change = (row, column, to) => figure.put({ row, mask: changed(figure.get("mask"), row, column, to) });
    const table = grid(words, (i, j) => ({
      onfocus: () => figure.get("row") !== i && figure.put({ row: i }), // the sentence is about the row that the reader stands in
      onclick: () => change(i, j, !figure.get("mask")[i][j]),
    }));
    attnkit.walk(table.squares.flat(), { columns: words.length, start: words.length * figure.get("row") });
    /** @param {State} state */
    const now = (state) => compute({ scores, padding, ...state });
    const { names, presets } = now(figure.state());
    const choice = figure.choice({
      label: "mask",
      words: names,
      read: (state) => now(state).preset,
      write: (k) => ({ mask: presets[k] }),
    });

    /** @param {State} state */
    function update(state) {
      const { weights, sums } = now(state);
      weights.forEach((line, i) => {
        line.forEach((w, j) => {
          showSquare(table.squares[i][j], [words[i], words[j]], state.mask[i][j], w);
        });
        attnkit.write(table.sums[i], fixed(sums[i]));
        attnkit.attr(table.lines[i], "data-row", i === state.row ? "told" : "");
      });
      figure.say(sentence(words[state.row], state.mask[state.row], state.mask));
    }
    const sample = h("span", { class: "ak-sample" }, "×");
    const note = h("p", { class: "ak-small" }, sample, " hidden: weight 0. Press a square to change it.");
    choice.element.append(figure.reset());
    return { parts: [table, note, attnkit.controls(choice)], update };
  }

  attnkit.register("mask_builder", { label: "A mask to build", compute, build });
})(globalThis.attnkit);
