// Edit a vector or a matrix; its squares, its shape and its code answer.
((attnkit) => {
  "use strict";
  const { h, fixed } = attnkit;

  /** @typedef {{ numbers: Matrix, row_names: string[], column_names: string[] }} State */
  /** @typedef {{ limit: number }} Given */
  /** @typedef {ReturnType<typeof compute>} Found */
  /** @typedef {Pick<State, "row_names" | "column_names">} Names */

  // The scale of the colours.
  /** @param {Matrix} numbers */
  const scaleOf = (numbers) => Math.max(1, ...numbers.flat().map(Math.abs));

  // The arithmetic, compared with numpy and bookkit.pictures.draw by tests/figures/.
  /** @param {{ numbers: Matrix }} state */
  function compute({ numbers }) {
    const vmax = scaleOf(numbers);
    /** @param {number} v */
    const code = (v) => fixed(v, 1).replace("−", "-");
    return {
      shape: [numbers.length, numbers[0].length],
      opacities: numbers.map((row) => row.map((v) => attnkit.opacity(v, vmax))),
      texts: numbers.map((row) => row.map((v) => fixed(v, 1))),
      transposed: numbers[0].map((_, j) => numbers.map((row) => row[j])),
      code: `np.array([${numbers.map((row) => `[${row.map(code).join(", ")}]`).join(", ")}])`,
    };
  }

  /** @param {number} k @param {string} thing */
  const count = (k, thing) => `${k} ${thing}${k === 1 ? "" : "s"}`;
  /** @param {number} value */
  const tenths = (value) => (Math.sign(value) * Math.floor(Math.abs(value) * 10 + 0.5)) / 10;

  /** @param {Matrix} numbers @param {number} i @param {number} j @param {number} value */
  const replaced = (numbers, i, j, value) =>
    numbers.map((row, r) => row.map((v, c) => (r === i && c === j ? value : v)));

  // A new square starts at a value of its own, so that it is seen.
  /** @param {Matrix} numbers @param {number} n @param {number} d */
  function resized(numbers, n, d) {
    /** @param {number} i @param {number} j */
    const fresh = (i, j) => (((i * 7 + j * 3) % 9) - 4) / 5;
    return Array.from({ length: n }, (_, i) => Array.from({ length: d }, (_, j) => numbers[i]?.[j] ?? fresh(i, j)));
  }

  const FITS = 5; // letters of a name that fit above a column

  // A row's or a column's name, or its number where it has none.
  /** @param {string[]} names @param {number} k */
  const nameOf = (names, k) => names[k] || String(k + 1);
  /** @param {Names} names @param {Pair} pair */
  const where = ({ row_names, column_names }, [i, j]) =>
    `row ${nameOf(row_names, i)}, column ${nameOf(column_names, j)}`;

  // Names for as many rows or columns: what is added has none.
  /** @param {string[]} names @param {number} count */
  const fitted = (names, count) => (names.length ? Array.from({ length: count }, (_, k) => names[k] ?? "") : names);

  /** @param {string} text @param {string} label @param {() => void} onclick */
  const button = (text, label, onclick) => attnkit.button(text, onclick, { "aria-label": label });

  // Two buttons for one row or column fewer or more, at the edge that stays where it is, so that a second press is easy.
  /** @param {Figure<State, Given>} figure @param {number} axis */
  function sizeButtons(figure, axis) {
    const [thing, limit] = [["row", "column"][axis], figure.get("limit")];
    /** @param {{ numbers: Matrix }} state @returns {Pair} */
    const sizes = ({ numbers }) => [numbers.length, numbers[0].length];
    /** @param {number} step */
    const resize = (step) => {
      const { numbers, row_names, column_names } = figure.state();
      const [n, d] = sizes({ numbers }).map((size, k) => (k === axis ? size + step : size));
      figure.put({
        numbers: resized(numbers, n, d),
        row_names: fitted(row_names, n),
        column_names: fitted(column_names, d),
      });
    };
    const fewer = button("−", `one ${thing} fewer`, () => resize(-1));
    const more = button("+", `one ${thing} more`, () => resize(1));
    const told = h("span", { class: "ak-small" });
    /** @param {number} size */
    const show = (size) => {
      fewer.disabled = size === 1;
      more.disabled = size === limit;
      attnkit.write(told, count(size, thing));
    };
    const element = h("div", { class: `ak-pair ak-${thing}s` }, fewer, told, more);
    return figure.follow({ element, show }, { read: (state) => sizes(state)[axis] });
  }

  /** @param {Figure<State, Given>} figure @param {Part} slider @param {HTMLElement} reset */
  function controls(figure, slider, reset) {
    const transpose = button("Transpose", "transpose: rows become columns", () => {
      const state = figure.state();
      const names = { row_names: state.column_names, column_names: state.row_names };
      figure.put({ numbers: compute(state).transposed, ...names });
    });
    return h("div", { class: "ak-controls ak-last-row" }, slider.element, transpose, reset);
  }

  // Take over what is typed, if it is a number that fits.
  /** @param {Figure<State, Given>} figure @param {number} i @param {number} j @param {HTMLInputElement} input */
  function take(figure, i, j, input) {
    const held = () => figure.get("numbers")[i][j];
    const text = input.value.trim();
    const value = attnkit.meanings(text).find((v) => v >= -1 && v <= 1);
    if (value !== undefined) figure.put({ numbers: replaced(figure.get("numbers"), i, j, tenths(value)) });
    else figure.say(`${attnkit.quoted(text)} is not a number from −1 to 1; the square keeps ${fixed(held(), 1)}.`);
    input.value = fixed(held(), 1); // also where rounding led back to the number that was there
  }

  // The up and down arrows change the number by a tenth, starting from what is typed.
  /** @param {Figure<State, Given>} figure @param {number} i @param {number} j @param {HTMLInputElement} input */
  function listen(figure, i, j, input) {
    /** @param {number} by */
    function step(by) {
      take(figure, i, j, input);
      const numbers = figure.get("numbers");
      const value = tenths(numbers[i][j] + by);
      if (Math.abs(value) <= 1) figure.put({ numbers: replaced(numbers, i, j, value) });
    }
    attnkit.keys(input, {
      ArrowUp: () => step(0.1),
      ArrowDown: () => step(-0.1),
      Enter: () => take(figure, i, j, input),
    });
  }

  /**
   * @param {Figure<State, Given>} figure
   * @param {number} i
   * @param {number} j
   * @param {(i: number, j: number) => void} choose
   */
  function field(figure, i, j, choose) {
    const input = h("input", {
      type: "text",
      inputmode: "text",
      autocomplete: "off",
      spellcheck: "false",
      onfocus: () => choose(i, j),
      onchange: () => take(figure, i, j, input),
    });
    listen(figure, i, j, input);
    return input;
  }

  // The matrix as a table of text fields, made anew when its shape changes.
  /** @param {Figure<State, Given>} figure @param {(i: number, j: number) => void} choose */
  function matrix(figure, choose) {
    const element = h("table", { class: "ak-squares" });
    /** @type {HTMLInputElement[][]} */
    let inputs = [];
    /** @param {(input: HTMLInputElement, i: number, j: number) => void} act */
    const each = (act) => inputs.forEach((row, i) => row.forEach((input, j) => act(input, i, j)));
    /** @param {State} state @param {string[][]} texts */
    function show({ numbers, ...names }, texts) {
      if (inputs.length !== numbers.length || inputs[0].length !== numbers[0].length) {
        inputs = numbers.map((row, i) => row.map((_, j) => field(figure, i, j, choose)));
        const rows = inputs.map((row) => h("tr", {}, ...row.map((input) => h("td", {}, input))));
        element.replaceChildren(h("tbody", {}, ...rows));
      }
      const vmax = scaleOf(numbers);
      each((input, i, j) => {
        input.value = texts[i][j];
        attnkit.attr(input, "aria-label", where(names, [i, j]));
        attnkit.paint(/** @type {HTMLElement} */ (input.parentNode), numbers[i][j], vmax);
      });
    }
    /** @param {Pair} pair */
    function mark([row, column]) {
      each((input, i, j) => attnkit.attr(input, "class", i === row && j === column ? "ak-chosen" : ""));
    }
    return { element, show, mark };
  }

  // The names beside the rows and above the columns, for the eye: each square says its own. Where some are wider than a
  // column, they stand on two lines by turns. The room for them is that of the longest, on either side.
  /** @param {Figure<State, Given>} figure */
  function nameStrips(figure) {
    const first = figure.get("defaults");
    const longest = Math.max(0, ...[...first.row_names, ...first.column_names].map((name) => name.length));
    const strips = /** @type {const} */ (["row_names", "column_names"]).map((trait, axis) => {
      const element = h("div", { class: `ak-names ${["ak-beside", "ak-above"][axis]}`, "aria-hidden": "true" });
      let written = "";
      /** @param {string[]} names */
      function show(names) {
        if (written === names.join("\n")) return;
        written = names.join("\n");
        element.replaceChildren(...names.map((name) => h("span", {}, name)));
        attnkit.attr(element, "data-ak-turns", String(names.some((name) => name.length > FITS)));
      }
      figure.follow({ show }, { read: (state) => fitted(state[trait], compute(state).shape[axis]) });
      return element;
    });
    return { strips: longest ? strips : [], longest };
  }

  /** @param {Found} found @param {Names} names @param {Pair} pair */
  function sentence({ shape: [n, d], texts }, names, [row, column]) {
    const place = where(names, [row, column]).replace("row", "Row");
    return (
      `${count(n, "row")}, ${count(d, "column")}: ${count(n, "item")} of ${count(d, "number")}, ` +
      `${count(n * d, "square")} in all. ${place} holds ${texts[row][column]}.`
    );
  }

  /** @param {Figure<State, Given>} figure */
  function build(figure) {
    const [shape, code] = [h("span", { class: "ak-shape" }), h("code", {})];
    /** @type {Pair} */
    let chosen = [0, 0]; // row and column of the square that the slider sets
    const slider = figure.slider({
      name: "chosen square",
      min: -1,
      max: 1,
      step: 0.1,
      format: (v) => fixed(v, 1, true),
      word: (v, state) => `${fixed(v, 1, true)}, ${where(state, chosen)}`,
      read({ numbers }) {
        // Where the matrix has become too small for the choice, it moves to the edge.
        chosen = [Math.min(chosen[0], numbers.length - 1), Math.min(chosen[1], numbers[0].length - 1)];
        return numbers[chosen[0]][chosen[1]];
      },
      write: (value, { numbers }) => ({ numbers: replaced(numbers, ...chosen, value) }),
    });
    const reset = figure.reset(() => {
      chosen = [0, 0];
    });
    const squares = matrix(figure, (i, j) => {
      chosen = [i, j];
      squares.mark(chosen);
      slider.show(figure.get("numbers")[i][j], figure.state());
    });

    /** @param {State} state */
    function update(state) {
      const now = compute(state);
      squares.show(state, now.texts);
      squares.mark(chosen);
      attnkit.write(shape, `shape (${now.shape.join(", ")})`);
      attnkit.write(
        code,
        `X = ${now.code}`.replace("[[", "[\n  [").replaceAll("], [", "],\n  [").replace("]]", "],\n]"),
      );
      figure.say(sentence(now, state, chosen));
    }
    // The matrix stands in the room that it may grow into, beside it its shape and its code, a line for each row.
    const { strips, longest } = nameStrips(figure);
    const room = h("div", { class: "ak-room" }, squares.element);
    const pairs = [1, 0].map((axis) => sizeButtons(figure, axis).element);
    const board = h("div", { class: "ak-field" }, ...pairs, ...strips, room);
    if (longest) board.classList.add("ak-named", longest > FITS ? "ak-long" : "ak-short");
    const said = h("div", { class: "ak-said" }, shape, h("p", { class: "ak-code" }, code));
    const editor = h("div", { class: "ak-editor" }, board, said);
    editor.style.setProperty("--limit", String(figure.get("limit")));
    editor.style.setProperty("--longest", String(longest));
    return { parts: [editor, controls(figure, slider, reset)], update };
  }

  attnkit.register("square_editor", { label: "Squares to edit", compute, build });
})(globalThis.attnkit);
