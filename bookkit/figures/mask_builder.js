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

  // The arithmetic, compared with attnkit by tests/figures/: a softmax over the allowed keys, as the others get exp(−∞) = 0.
  function compute({ scores, mask, padding }) {
    const real = mask.length - padding;
    const names = Object.keys(MASKS).filter((name) => padding || !name.includes("padding"));
    const presets = names.map((name) => mask.map((row, i) => row.map((_, j) => MASKS[name](i, j, real))));
    const weights = scores.map((row, i) => attnkit.softmax(row.map((v, j) => (mask[i][j] ? v : -Infinity))));
    return { weights, sums: weights.map(attnkit.sum), names, presets };
  }

  // Queries down the side, keys along the top, a square for each pair, and the sum of each row.
  function grid(words, actions) {
    const square = (i, j) => h("button", { type: "button", class: "ak-cell ak-framed", ...actions(i, j) });
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

  function showSquare(button, words, may, weight) {
    const told = may ? `allowed, weight ${fixed(weight)}` : "hidden";
    attnkit.write(button, may ? fixed(weight) : "×");
    attnkit.attr(button, "aria-pressed", String(may));
    attnkit.attr(button, "aria-label", `from ${words[0]} to ${words[1]}: ${told}`);
    attnkit.paint(button, weight, 1, "weight");
  }

  // What is said of the row that the reader stands in.
  function sentence(word, allowed, mask) {
    const count = (row) => row.filter(Boolean).length;
    const [seen, n] = [count(allowed), allowed.length];
    const sum = seen === 1 ? "its weight is 1" : "their weights sum to 1";
    const nothing =
      "nothing may be seen. Its weights are all 0, and so is its output. " +
      "Plain code would give NaN: the exponentials sum to 0, and 0/0 is not a number.";
    const some = `${seen} of ${n} may be seen; ${sum}. In all, ${count(mask.flat())} of ${n * n} squares are allowed.`;
    return `From ${attnkit.quoted(word)}: ${seen ? some : nothing}`;
  }

  function build(figure) {
    const { words, scores, padding } = figure.given("words", "scores", "padding");
    const table = grid(words, (i, j) => ({
      onfocus: () => figure.get("row") !== i && figure.put({ row: i }), // the sentence is about the row that the reader stands in
      onclick() {
        const mask = figure.get("mask");
        figure.put({ row: i, mask: mask.with(i, mask[i].with(j, !mask[i][j])) });
      },
    }));
    attnkit.walk(table.squares.flat(), { columns: words.length, start: words.length * figure.get("row") });
    const now = (state) => compute({ scores, padding, ...state });
    const { names, presets } = now(figure.state());
    const choice = figure.choice({ label: "mask", words: names, values: presets, trait: "mask" });

    function update(state) {
      const { weights, sums } = now(state);
      weights.forEach((line, i) => {
        line.forEach((w, j) => showSquare(table.squares[i][j], [words[i], words[j]], state.mask[i][j], w));
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
