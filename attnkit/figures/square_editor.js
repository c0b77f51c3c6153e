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

  const button = (text, label, onclick) => h("button", { type: "button", "aria-label": label, onclick }, text);

  // Two buttons for one row or column fewer or more, at the edge that stays where it is, so that a second press is easy.
  function sizeButtons(figure, axis) {
    const [thing, limit] = [["row", "column"][axis], figure.get("limit")];
    const sizes = ({ numbers }) => [numbers.length, numbers[0].length];
    const resize = (step) => {
      const { numbers } = figure.state();
      const [n, d] = sizes({ numbers }).map((size, k) => (k === axis ? size + step : size));
      figure.put({ numbers: resized(numbers, n, d) });
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
    const transpose = button("Transpose", "transpose: rows become columns", () =>
      figure.put({ numbers: compute(figure.state()).transposed }),
    );
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
      "aria-label": `row ${i + 1}, column ${j + 1}`,
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
    function show(numbers, texts) {
      if (inputs.length !== numbers.length || inputs[0].length !== numbers[0].length) {
        inputs = numbers.map((row, i) => row.map((_, j) => field(figure, i, j, choose)));
        const rows = inputs.map((row) => h("tr", {}, ...row.map((input) => h("td", {}, input))));
        element.replaceChildren(h("tbody", {}, ...rows));
      }
      const vmax = scaleOf(numbers);
      each((input, i, j) => {
        input.value = texts[i][j];
        attnkit.paint(input.parentNode, numbers[i][j], vmax);
      });
    }
    function mark([row, column]) {
      each((input, i, j) => attnkit.attr(input, "class", i === row && j === column ? "ak-chosen" : ""));
    }
    return { element, show, mark };
  }

  function sentence({ shape: [n, d], texts }, [row, column]) {
    return (
      `${count(n, "row")}, ${count(d, "column")}: ${count(n, "item")} of ${count(d, "number")}, ` +
      `${count(n * d, "square")} in all. Row ${row + 1}, column ${column + 1} holds ${texts[row][column]}.`
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
      word: (v) => `${fixed(v, 1, true)}, row ${chosen[0] + 1}, column ${chosen[1] + 1}`,
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

    function update({ numbers }) {
      const now = compute({ numbers });
      squares.show(numbers, now.texts);
      squares.mark(chosen);
      attnkit.write(shape, `shape (${now.shape.join(", ")})`);
      attnkit.write(
        code,
        `X = ${now.code}`.replace("[[", "[\n  [").replaceAll("], [", "],\n  [").replace("]]", "],\n]"),
      );
      figure.say(sentence(now, chosen));
    }
    // The matrix stands in the room that it may grow into, beside it its shape and its code, a line for each row.
    const room = h("div", { class: "ak-room" }, squares.element);
    const pairs = [1, 0].map((axis) => sizeButtons(figure, axis).element);
    const said = h("div", { class: "ak-said" }, shape, h("p", { class: "ak-code" }, code));
    const editor = h("div", { class: "ak-editor" }, h("div", { class: "ak-field" }, ...pairs, room), said);
    editor.style.setProperty("--limit", figure.get("limit"));
    return { parts: [editor, controls(figure, slider, reset)], update };
  }

  attnkit.register("square_editor", { label: "Squares to edit", compute, build });
})(globalThis.attnkit);
