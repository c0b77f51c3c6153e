// Edit a vector or a matrix; its squares, its shape and its code answer.
((attnkit) => {
  "use strict";
  const { h, fixed } = attnkit;

  /** @typedef {{ numbers: Matrix, row_names: string[], column_names: string[] }} State */
  /** @typedef {{ limit: number }} Given */
  /** @typedef {ReturnType<typeof compute>} Found */
  /** @typedef {Pick<State, "row_names" | "column_names">} Names */

  // The arithmetic, compared with numpy and bookkit.pictures.draw by tests/figures/.
  /** @param {{ numbers: Matrix }} state */
  function compute({ numbers }) {
    /** @param {number} v */
    const code = (v) => fixed(v, 1).replace("−", "-");
    return {
      shape: [numbers.length, numbers[0].length],
      texts: numbers.map((row) => row.map((v) => fixed(v, 1))),
      transposed: numbers[0].map((_, j) => numbers.map((row) => row[j])),
      code: `np.array([${numbers.map((row) => `[${row.map(code).join(", ")}]`).join(", ")}])`,
    };
  }

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

  // A row's or a column's name, or its number where it has none.
  /** @param {string[]} names @param {number} k */
  const nameOf = (names, k) => names[k] || String(k + 1);
  /** @param {Names} names @param {Pair} pair */
  const where = ({ row_names, column_names }, [i, j]) =>
    `row ${nameOf(row_names, i)}, column ${nameOf(column_names, j)}`;

  // Names for as many rows or columns: what is added has none.
  /** @param {string[]} names @param {number} count */
  const fitted = (names, count) => (names.length ? Array.from({ length: count }, (_, k) => names[k] ?? "") : names);

  // Two buttons for one row or column fewer or more, at the edge that stays where it is, so that a second press is easy.
  /** @param {Figure<State, Given>} figure @param {number} axis */
  function sizeButtons(figure, axis) {
    const [thing, limit] = [["row", "column"][axis], figure.get("limit")];
    /** @param {{ numbers: Matrix }} state @returns {Pair} */
    const sizes = ({ numbers }) => [numbers.length, numbers[0].length];
    /** @param {string} text @param {string} label @param {number} step */
    const resizing = (text, label, step) =>
      attnkit.button(
        text,
        () => {
          const { numbers, row_names, column_names } = figure.state();
          const [n, d] = sizes({ numbers }).map((size, k) => (k === axis ? size + step : size));
          const names = { row_names: fitted(row_names, n), column_names: fitted(column_names, d) };
          figure.put({ numbers: resized(numbers, n, d), ...names });
        },
        { "aria-label": `one ${thing} ${label}` },
      );
    const [fewer, told, more] = [
      resizing("−", "fewer", -1),
      h("span", { class: "ak-small" }),
      resizing("+", "more", 1),
    ];
    /** @param {number} size */
    const show = (size) => {
      fewer.disabled = size === 1;
      more.disabled = size === limit;
      attnkit.write(told, attnkit.many(size, thing));
    };
    return figure.follow(
      { element: h("div", { class: "ak-pair" }, fewer, told, more), show },
      { read: (state) => sizes(state)[axis] },
    );
  }

  /** @param {Figure<State, Given>} figure @param {Part} slider @param {HTMLElement} reset */
  function controls(figure, slider, reset) {
    const turn = () => {
      const state = figure.state();
      const names = { row_names: state.column_names, column_names: state.row_names };
      figure.put({ numbers: compute(state).transposed, ...names });
    };
    const transpose = attnkit.button("Transpose", turn, { "aria-label": "transpose: rows become columns" });
    const sizes = [0, 1].map((axis) => sizeButtons(figure, axis));
    return attnkit.controls(slider, attnkit.row(sizes, transpose, reset));
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

  /** @param {Figure<State, Given>} figure @param {number} i @param {number} j @param {(pair: Pair) => void} choose */
  function field(figure, i, j, choose) {
    const input = h("input", {
      type: "text",
      inputmode: "text",
      autocomplete: "off",
      spellcheck: "false",
      onfocus: () => choose([i, j]),
      onchange: () => take(figure, i, j, input),
    });
    listen(figure, i, j, input);
    return input;
  }

  // The matrix as a table of text fields with its names, made anew when its shape changes, or these. The names are for the
  // eye: each square says its own.
  /** @param {Figure<State, Given>} figure @param {(pair: Pair) => void} choose */
  function matrix(figure, choose) {
    const element = h("table", { class: "ak-squares" });
    /** @type {HTMLInputElement[][]} */
    let inputs = [];
    let made = "";
    /** @param {string} [name] */
    const title = (name) => (name === undefined ? null : h("th", { "aria-hidden": "true" }, name));
    /** @param {State} state */
    function make({ numbers, row_names, column_names }) {
      const shape = JSON.stringify([numbers.length, numbers[0].length, row_names, column_names]);
      if (made === shape) return;
      made = shape;
      inputs = numbers.map((row, i) => row.map((_, j) => field(figure, i, j, choose)));
      const top = column_names.length ? h("tr", {}, row_names.length ? h("td") : null, column_names.map(title)) : null;
      const rows = inputs.map((row, i) =>
        h(
          "tr",
          {},
          title(row_names[i]),
          row.map((input) => h("td", {}, input)),
        ),
      );
      element.replaceChildren(h("tbody", {}, top, rows));
    }
    /** @param {State} state @param {Found} found @param {Pair} chosen */
    function show(state, { texts }, [row, column]) {
      make(state);
      inputs.forEach((line, i) => {
        line.forEach((input, j) => {
          input.value = texts[i][j];
          attnkit.attr(input, "aria-label", where(state, [i, j]));
          attnkit.attr(input, "class", i === row && j === column ? "ak-chosen" : "");
          attnkit.paint(input, state.numbers[i][j], 1);
        });
      });
    }
    return { element, show };
  }

  /** @param {Found} found @param {Names} names @param {Pair} pair */
  function sentence({ shape: [n, d], texts }, names, [row, column]) {
    const place = where(names, [row, column]).replace("row", "Row");
    return (
      `${attnkit.many(n, "row")}, ${attnkit.many(d, "column")}: ${attnkit.many(n, "item")} of ${attnkit.many(d, "number")}, ` +
      `${attnkit.many(n * d, "square")} in all. ${place} holds ${texts[row][column]}.`
    );
  }

  /** @param {Figure<State, Given>} figure */
  function build(figure) {
    const [shape, code] = [h("span", { class: "ak-shape" }), h("code")];
    /** @type {Pair} */
    let chosen = [0, 0]; // row and column of the square that the slider sets
    const slider = figure.slider({
      name: "chosen square",
      min: -1,
      max: 1,
      step: 0.1,
      plus: true,
      word: (v, state) => `${fixed(v, 1, true)}, ${where(state, chosen)}`,
      read({ numbers }) {
        // Where the matrix has become too small for the choice, it moves to the edge.
        chosen = [Math.min(chosen[0], numbers.length - 1), Math.min(chosen[1], numbers[0].length - 1)];
        return numbers[chosen[0]][chosen[1]];
      },
      write: (value, { numbers }) => ({ numbers: replaced(numbers, ...chosen, value) }),
    });
    const reset = figure.reset(() => (chosen = [0, 0]));
    const squares = matrix(figure, (pair) => {
      chosen = pair;
      squares.show(figure.state(), compute(figure.state()), chosen);
      slider.show(figure.get("numbers")[chosen[0]][chosen[1]], figure.state());
    });

    /** @param {State} state */
    function update(state) {
      const now = compute(state);
      squares.show(state, now, chosen);
      attnkit.write(shape, `shape (${now.shape.join(", ")})`);
      const lines = now.code.replace("[[", "[\n  [").replaceAll("], [", "],\n  [").replace("]]", "],\n]");
      attnkit.write(code, `X = ${lines}`);
      figure.say(sentence(now, state, chosen));
    }
    // The matrix stands in the room that it may grow into, beside it its shape and its code, a line for each row.
    const said = h("div", { class: "ak-said" }, shape, h("p", { class: "ak-code" }, code));
    const editor = h("div", { class: "ak-editor" }, h("div", { class: "ak-room" }, squares), said);
    editor.style.setProperty("--limit", String(figure.get("limit")));
    return { parts: [editor, controls(figure, slider, reset)], update };
  }

  attnkit.register("square_editor", { label: "Squares to edit", compute, build });
})(globalThis.attnkit);
