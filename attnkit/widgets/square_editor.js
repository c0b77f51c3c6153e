// Edit a vector or a matrix; its squares, its shape and its code answer.
(function (attnkit) {
  "use strict";
  const { h, fixed } = attnkit;

  // The arithmetic, compared with numpy and attnkit.draw by tests/test_widgets.py.
  function compute({ numbers }) {
    const [n, d] = [numbers.length, numbers[0].length];
    const largest = Math.max(1, ...numbers.flat().map(Math.abs));
    const code = (v) => fixed(v, 1).replace("−", "-");
    return {
      shape: [n, d],
      opacities: numbers.map((row) => row.map((v) => attnkit.opacity(v, largest))),
      texts: numbers.map((row) => row.map((v) => fixed(v, 1))),
      transposed: numbers[0].map((_, j) => numbers.map((row) => row[j])),
      code: `np.array([${numbers.map((row) => `[${row.map(code).join(", ")}]`).join(", ")}])`,
    };
  }

  const count = (k, thing) => `${k} ${thing}${k === 1 ? "" : "s"}`;

  function render({ model, el }) {
    const LIMIT = model.get("limit");
    const table = h("table", { class: "ak-squares" });
    const shape = h("span", { class: "ak-shape" });
    const code = h("code", {});
    const slider = attnkit.slider({
      name: "chosen square", min: -1, max: 1, step: 0.1, format: (v) => fixed(v, 1, true),
      word: (v) => `${fixed(v, 1, true)}, row ${chosen[0] + 1}, column ${chosen[1] + 1}`,
      onInput: (value) => write(chosen[0], chosen[1], value),
    });
    let chosen = [0, 0];
    let inputs = [];

    function write(i, j, value) {
      attnkit.put(model, { numbers: model.get("numbers").map((row, r) => row.map((v, c) => (r === i && c === j ? value : v))) });
    }
    function resize(dn, dd) {
      const numbers = model.get("numbers");
      const [n, d] = [numbers.length + dn, numbers[0].length + dd];
      if (n < 1 || d < 1 || n > LIMIT || d > LIMIT) return;
      // A new square starts at a value of its own, so that it is seen.
      const fresh = (i, j) => (((i * 7 + j * 3) % 9) - 4) / 5;
      attnkit.put(model, { numbers: Array.from({ length: n }, (_, i) =>
        Array.from({ length: d }, (_, j) => numbers[i]?.[j] ?? fresh(i, j))) });
    }
    const button = (text, label, onclick) => h("button", { type: "button", "aria-label": label, onclick }, text);
    const fewerRows = button("−", "one row fewer", () => resize(-1, 0));
    const moreRows = button("+", "one row more", () => resize(1, 0));
    const fewerColumns = button("−", "one column fewer", () => resize(0, -1));
    const moreColumns = button("+", "one column more", () => resize(0, 1));
    const frame = attnkit.frame(model, "Squares to edit",
      h("div", { class: "ak-controls" },
        h("div", { class: "ak-buttons" },
          h("span", { class: "ak-pair" }, fewerRows, "rows", moreRows),
          h("span", { class: "ak-pair" }, fewerColumns, "columns", moreColumns),
          button("Transpose", "transpose: rows become columns", () =>
            attnkit.put(model, { numbers: compute({ numbers: model.get("numbers") }).transposed })),
          h("button", { type: "button", onclick: () => { chosen = [0, 0]; attnkit.put(model, { numbers: model.get("start") }); update(); } }, "Reset")),
        slider.element),
      h("div", { class: "ak-editor" }, table, shape), h("p", { class: "ak-code" }, code));
    el.replaceChildren(frame.element);

    function choose(i, j) {
      chosen = [i, j];
      inputs.flat().forEach((input) => input.classList.remove("ak-chosen"));
      inputs[i][j].classList.add("ak-chosen");
      slider.show(model.get("numbers")[i][j]);
    }
    const tenths = (value) => (Math.sign(value) * Math.floor(Math.abs(value) * 10 + 0.5)) / 10;
    function type(i, j, input) {
      const text = input.value.trim();
      const value = Number(text.replace("−", "-"));
      if (text !== "" && value >= -1 && value <= 1) write(i, j, tenths(value));
      else frame.say(`“${text}” is not a number from −1 to 1; the square keeps ${fixed(model.get("numbers")[i][j], 1)}.`);
      input.value = fixed(model.get("numbers")[i][j], 1);     // also where rounding led back to the number that was there
    }
    // The up and down arrows change the number by a tenth, starting from what is typed.
    function key(event, i, j, input) {
      const way = { ArrowUp: 0.1, ArrowDown: -0.1 }[event.key];
      if (way) {
        type(i, j, input);
        const value = tenths(model.get("numbers")[i][j] + way);
        if (Math.abs(value) <= 1) write(i, j, value);
        event.preventDefault();
      } else if (event.key === "Enter") type(i, j, input);
    }
    function build(n, d) {
      inputs = Array.from({ length: n }, (_, i) => Array.from({ length: d }, (_, j) => {
        const input = h("input", {
          type: "text", inputmode: "text", autocomplete: "off", spellcheck: "false",
          onfocus: () => choose(i, j), onchange: () => type(i, j, input),
          onkeydown: (event) => key(event, i, j, input),
        });
        return input;
      }));
      table.replaceChildren(h("tbody", {}, ...inputs.map((row) => h("tr", {}, ...row.map((input) => h("td", {}, input))))));
    }
    function update() {
      const numbers = model.get("numbers");
      const now = compute({ numbers });
      const [n, d] = now.shape;
      if (inputs.length !== n || inputs[0].length !== d) build(n, d);
      const largest = Math.max(1, ...numbers.flat().map(Math.abs));
      inputs.forEach((row, i) => row.forEach((input, j) => {
        input.value = now.texts[i][j];
        input.setAttribute("aria-label", `row ${i + 1}, column ${j + 1}`);
        attnkit.paint(input.parentNode, numbers[i][j], largest);
      }));
      fewerRows.disabled = n === 1;
      moreRows.disabled = n === LIMIT;
      fewerColumns.disabled = d === 1;
      moreColumns.disabled = d === LIMIT;
      choose(Math.min(chosen[0], n - 1), Math.min(chosen[1], d - 1));
      shape.textContent = `shape (${n}, ${d})`;
      code.textContent = `X = ${now.code}`;
      frame.say(`${count(n, "row")}, ${count(d, "column")}: ${count(n, "item")} with ${count(d, "number")} each, ` +
        `${count(n * d, "square")} in all. ` +
        `Row ${chosen[0] + 1}, column ${chosen[1] + 1} holds ${now.texts[chosen[0]][chosen[1]]}.`);
    }
    const leave = attnkit.follow(model, ["numbers"], update);
    return () => { frame.stop(); leave(); };
  }

  attnkit.figures.square_editor = { compute, render };
})(globalThis.attnkit);
