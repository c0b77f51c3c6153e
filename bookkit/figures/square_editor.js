// Edit a vector or a matrix; its squares, its shape and its code answer.
((attnkit) => {
  "use strict";
  const { h, fixed } = attnkit;

  /** @typedef {{ numbers: Matrix, row_names: string[], column_names: string[] }} State */
  /** @typedef {{ limit: number }} Given */
  /** @typedef {ReturnType<typeof compute>} Found */
  /** @typedef {Pick<State, "row_names" | "column_names">} Names */

  // The arithmetic, compared with numpy and bookkit.pictures.draw by tests/figures/.
  function compute({ numbers }) {
    const code = (v) => fixed(v, 1).replace("−", "-");
    return {
      shape: [numbers.length, numbers[0].length],
      texts: numbers.map((row) => row.map((v) => fixed(v, 1))),
      transposed: numbers[0].map((_, j) => numbers.map((row) => row[j])),
      code: `np.array([${numbers.map((row) => `[${row.map(code).join(", ")}]`).join(", ")}])`,
    };
  }

  const tenths = (value) => (Math.sign(value) * Math.floor(Math.abs(value) * 10 + 0.5)) / 10;

  const replaced = (numbers, i, j, value) => numbers.with(i, numbers[i].with(j, value));

  // A new square starts at a value of its own, so that it is seen.
  function resized(numbers, n, d) {
    const fresh = (i, j) => (((i * 7 + j * 3) % 9) - 4) / 5;
    return Array.from({ length: n }, (_, i) => Array.from({ length: d }, (_, j) => numbers[i]?.[j] ?? fresh(i, j)));
  }

  // A row's or a column's name, or its number where it has none.
  const nameOf = (names, k) => names[k] || String(k + 1);
  const where = ({ row_names, column_names }, [i, j]) =>
    `row ${nameOf(row_names, i)}, column ${nameOf(column_names, j)}`;

  // Names for as many rows or columns: what is added has none.
  const fitted = (names, count) => (names.length ? Array.from({ length: count }, (_, k) => names[k] ?? "") : names);

  // Two buttons for one row or column fewer or more, at the edge that stays where it is, so that a second press is easy.
  function sizeButtons(figure, axis) {
    const [thing, limit] = [["row", "column"][axis], figure.get("limit")];
    const sizes = ({ numbers }) => [numbers.length, numbers[0].length];
    function resize(step) {
      const { numbers, row_names, column_names } = figure.state();
      const [n, d] = sizes({ numbers }).map((size, k) => (k === axis ? size + step : size));
      const names = { row_names: fitted(row_names, n), column_names: fitted(column_names, d) };
      figure.put({ numbers: resized(numbers, n, d), ...names });
    }
    const fewer = attnkit.button("−", () => resize(-1), { "aria-label": `one ${thing} fewer` });
    const more = attnkit.button("+", () => resize(1), { "aria-label": `one ${thing} more` });
    const told = h("span", { class: "ak-small" });
    const show = (size) => {
      fewer.disabled = size === 1;
      more.disabled = size === limit;
      attnkit.write(told, attnkit.many(size, thing));
    };
    figure.follow({ show }, { read: (state) => sizes(state)[axis] });
    return h("div", { class: "ak-pair" }, fewer, told, more);
  }

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
  function take(figure, i, j, input) {
    const held = () => figure.get("numbers")[i][j];
    const text = input.value.trim();
    const value = attnkit.meanings(text).find((v) => v >= -1 && v <= 1);
    if (value !== undefined) figure.put({ numbers: replaced(figure.get("numbers"), i, j, tenths(value)) });
    else figure.say(`${attnkit.quoted(text)} is not a number from −1 to 1; the square keeps ${fixed(held(), 1)}.`);
    input.value = fixed(held(), 1); // also where rounding led back to the number that was there
  }

  // The up and down arrows change the number by a tenth, starting from what is typed.
  function listen(figure, i, j, input) {
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

  function field(figure, i, j, choose) {
    const on = { onfocus: () => choose([i, j]), onchange: () => take(figure, i, j, input) };
    const input = h("input", { type: "text", autocomplete: "off", spellcheck: "false", ...on });
    listen(figure, i, j, input);
    return input;
  }

  // The matrix as a table of text fields with its names, made anew when its shape changes, or these. The names are for the
  // eye: each square says its own.
  function matrix(figure, choose) {
    const element = h("table", { class: "ak-grid ak-squares" });
    /** @type {HTMLInputElement[][]} */
    let inputs = [];
    let made = "";
    const title = (name) => (name === undefined ? null : h("th", { "aria-hidden": "true" }, name));
    function make({ numbers, row_names, column_names }) {
      const shape = JSON.stringify([numbers.length, numbers[0].length, row_names, column_names]);
      if (made === shape) return;
      made = shape;
      inputs = numbers.map((row, i) => row.map((_, j) => field(figure, i, j, choose)));
      const top = column_names.length ? h("tr", {}, row_names.length ? h("td") : null, column_names.map(title)) : null;
      const cells = inputs.map((row) => row.map((input) => h("td", {}, input)));
      const rows = cells.map((row, i) => h("tr", {}, title(row_names[i]), row));
      element.replaceChildren(h("tbody", {}, top, rows));
    }
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
    const { many } = attnkit;
    const shape = `${many(n, "row")}, ${many(d, "column")}: ${many(n, "item")} of ${many(d, "number")}`;
    return `${shape}, ${many(n * d, "square")} in all. ${place} holds ${texts[row][column]}.`;
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
