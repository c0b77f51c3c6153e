// Edit a vector or a matrix; its squares, its shape and its code answer.
((attnkit) => {
  "use strict";
  const { h, fixed } = attnkit;

  // The scale of the colours.
  const scaleOf = (numbers) => Math.max(1, ...numbers.flat().map(Math.abs));

  // The arithmetic, compared with numpy and attnkit.pictures.draw by tests/test_figures.py.
  function compute({ numbers }) {
    const vmax = scaleOf(numbers);
    const code = (v) => fixed(v, 1).replace("−", "-");
    return {
      shape: [numbers.length, numbers[0].length],
      opacities: numbers.map((row) => row.map((v) => attnkit.opacity(v, vmax))),
      texts: numbers.map((row) => row.map((v) => fixed(v, 1))),
      transposed: numbers[0].map((_, j) => numbers.map((row) => row[j])),
      code: `np.array([${numbers.map((row) => `[${row.map(code).join(", ")}]`).join(", ")}])`,
    };
  }

  const count = (k, thing) => `${k} ${thing}${k === 1 ? "" : "s"}`;
  const tenths = (value) => (Math.sign(value) * Math.floor(Math.abs(value) * 10 + 0.5)) / 10;

  const replaced = (numbers, i, j, value) =>
    numbers.map((row, r) => row.map((v, c) => (r === i && c === j ? value : v)));

  // A new square starts at a value of its own, so that it is seen.
  function resized(numbers, n, d) {
    const fresh = (i, j) => (((i * 7 + j * 3) % 9) - 4) / 5;
    return Array.from({ length: n }, (_, i) => Array.from({ length: d }, (_, j) => numbers[i]?.[j] ?? fresh(i, j)));
  }

  const FITS = 5; // letters of a name that fit above a column

  // A row's or a column's name, or its number where it has none.
  const nameOf = (names, k) => names[k] || String(k + 1);
  const where = ({ row_names, column_names }, [i, j]) =>
    `row ${nameOf(row_names, i)}, column ${nameOf(column_names, j)}`;

  // Names for as many rows or columns: what is added has none.
  const fitted = (names, count) => (names.length ? Array.from({ length: count }, (_, k) => names[k] ?? "") : names);

  const button = (text, label, onclick) => h("button", { type: "button", "aria-label": label, onclick }, text);

  // Two buttons for one row or column fewer or more, at the edge that stays where it is, so that a second press is easy.
  function sizeButtons(figure, axis) {
    const [thing, limit] = [["row", "column"][axis], figure.get("limit")];
    const sizes = ({ numbers }) => [numbers.length, numbers[0].length];
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
    const show = (size) => {
      fewer.disabled = size === 1;
      more.disabled = size === limit;
      attnkit.write(told, count(size, thing));
    };
    const element = h("div", { class: `ak-pair ak-${thing}s` }, fewer, told, more);
    return figure.follow({ element, show }, { read: (state) => sizes(state)[axis] });
  }

  function controls(figure, slider, reset) {
    const transpose = button("Transpose", "transpose: rows become columns", () => {
      const state = figure.state();
      const names = { row_names: state.column_names, column_names: state.row_names };
      figure.put({ numbers: compute(state).transposed, ...names });
    });
    return h("div", { class: "ak-controls ak-last-row" }, slider.element, transpose, reset);
  }

  // Take over what is typed, if it is a number that fits.
  function take(figure, i, j, input) {
    const held = () => figure.get("numbers")[i][j];
    const text = input.value.trim();
    const value = Number(text.replace("−", "-"));
    if (text !== "" && value >= -1 && value <= 1)
      figure.put({ numbers: replaced(figure.get("numbers"), i, j, tenths(value)) });
    else figure.say(`“${text}” is not a number from −1 to 1; the square keeps ${fixed(held(), 1)}.`);
    input.value = fixed(held(), 1); // also where rounding led back to the number that was there
  }

  // The up and down arrows change the number by a tenth, starting from what is typed.
  function press(figure, event, i, j, input) {
    const way = { ArrowUp: 0.1, ArrowDown: -0.1 }[event.key];
    if (way) {
      take(figure, i, j, input);
      const numbers = figure.get("numbers");
      const value = tenths(numbers[i][j] + way);
      if (Math.abs(value) <= 1) figure.put({ numbers: replaced(numbers, i, j, value) });
      event.preventDefault();
    } else if (event.key === "Enter") take(figure, i, j, input);
  }

  function field(figure, i, j, choose) {
    const input = h("input", {
      type: "text",
      inputmode: "text",
      autocomplete: "off",
      spellcheck: "false",
      onfocus: () => choose(i, j),
      onchange: () => take(figure, i, j, input),
      onkeydown: (event) => press(figure, event, i, j, input),
    });
    return input;
  }

  // The matrix as a table of text fields, made anew when its shape changes.
  function matrix(figure, choose) {
    const element = h("table", { class: "ak-squares" });
    let inputs = [];
    const each = (act) => inputs.forEach((row, i) => row.forEach((input, j) => act(input, i, j)));
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
        attnkit.paint(input.parentNode, numbers[i][j], vmax);
      });
    }
    function mark([row, column]) {
      each((input, i, j) => attnkit.attr(input, "class", i === row && j === column ? "ak-chosen" : ""));
    }
    return { element, show, mark };
  }

  // The names beside the rows and above the columns, for the eye: each square says its own. Where some are wider than a
  // column, they stand on two lines by turns. The room for them is that of the longest, on either side.
  function nameStrips(figure) {
    const first = figure.get("defaults");
    const longest = Math.max(0, ...[...first.row_names, ...first.column_names].map((name) => name.length));
    const strips = ["row_names", "column_names"].map((trait, axis) => {
      const element = h("div", { class: `ak-names ${["ak-beside", "ak-above"][axis]}`, "aria-hidden": "true" });
      let written = "";
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

  function sentence({ shape: [n, d], texts }, names, [row, column]) {
    const place = where(names, [row, column]).replace("row", "Row");
    return (
      `${count(n, "row")}, ${count(d, "column")}: ${count(n, "item")} of ${count(d, "number")}, ` +
      `${count(n * d, "square")} in all. ${place} holds ${texts[row][column]}.`
    );
  }

  function build(figure) {
    const [shape, code] = [h("span", { class: "ak-shape" }), h("code", {})];
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
    editor.style.setProperty("--limit", figure.get("limit"));
    editor.style.setProperty("--longest", longest);
    return { parts: [editor, controls(figure, slider, reset)], update };
  }

  attnkit.register("square_editor", { label: "Squares to edit", compute, build });
})(globalThis.attnkit);
