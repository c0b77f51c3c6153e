// Q times K transposed, softmax row by row, times V: click a cell, see its row, its column and its sum.
(function (attnkit) {
  "use strict";
  const { h, fixed } = attnkit;

  // The arithmetic, compared with numpy and attnkit.attention by tests/test_widgets.py.
  function compute({ queries, key_rows, values, scale }) {
    const scores = queries.map((q) => key_rows.map((k) => scale * attnkit.dot(q, k)));
    const weights = scores.map(attnkit.softmax);
    return { scores, weights, outputs: weights.map((row) => attnkit.blend(row, values)) };
  }

  const STEPS = ["scores", "weights", "outputs"];
  const NAMES = [["Q", "Kᵀ", "S = scale · Q Kᵀ"], ["S", "", "A = softmax(S)"], ["A", "V", "Y = A V"]];
  const ROLES = [["query", "key", "quiet"], ["quiet", "", "weight"], ["weight", "value", "output"]];

  function render({ model, el }) {
    const rowNames = model.get("row_names");
    const columnNames = model.get("column_names");
    const queries = model.get("queries");
    const keys = model.get("key_rows");
    const values = model.get("values");
    const [n, m, d, dv] = [queries.length, keys.length, keys[0].length, values[0].length];
    const turned = keys[0].map((_, k) => keys.map((row) => row[k]));

    const steps = attnkit.choice("step", STEPS.map((s, i) => `${i + 1} ${s}`), (i) => attnkit.put(model, {
      step: i, cell: [model.get("cell")[0], Math.min(model.get("cell")[1], (i === 2 ? dv : m) - 1)] }));
    const scale = attnkit.logSlider({ name: "scale", most: 10, onInput: (value) => attnkit.put(model, { scale: value }) });
    const buttons = h("div", { class: "ak-buttons" }, h("button", { type: "button", onclick: () => attnkit.put(model, {
      step: model.get("start_step"), cell: model.get("start_cell"), scale: model.get("start_scale") }) }, "Reset"));

    const block = (rows, columns, role, asButtons) => {
      const cells = Array.from({ length: rows }, (_, i) => Array.from({ length: columns }, (_, j) => asButtons
        ? h("button", { type: "button", class: "ak-sq", "aria-pressed": "false", onclick: () => attnkit.put(model, { cell: [i, j] }) })
        : h("span", { class: "ak-sq" })));
      const element = h("span", { class: `ak-block ak-frame ak-frame-${role}`, style: `grid-template-columns:repeat(${columns},auto)` }, ...cells.flat());
      return { cells, element };
    };
    const sizes = [[[n, d], [d, m], [n, m]], [[n, m], null, [n, m]], [[n, m], [m, dv], [n, dv]]];
    const panels = STEPS.map((_, s) => {
      const [left, right, result] = [0, 1, 2].map((k) => sizes[s][k] && block(...sizes[s][k], ROLES[s][k], k === 2));
      const named = (name, shape, part) => h("span", { class: "ak-part" },
        h("span", { class: "ak-small" }, shape ? `${name} (${shape.join(", ")})` : name), part.element);
      // The right factor stands above the product, so that a row and a column meet where they cross; softmax has one factor.
      const element = h("div", { class: "ak-product" }, h("span", { class: "ak-part ak-rows" },
        ...rowNames.map((w) => h("span", { class: "ak-row-name" }, w))), named(NAMES[s][0], sizes[s][0], left),
        right ? named(NAMES[s][1], sizes[s][1], right) : h("span", { class: "ak-part ak-arrow" }, "softmax each row →"), named(NAMES[s][2], sizes[s][2], result));
      element.classList.toggle("ak-two", !right);
      return { left, right, result, element };
    });
    const frame = attnkit.frame(model, "Attention as matrices", h("div", { class: "ak-controls" }, steps.element, scale.element, buttons),
      ...panels.map((p) => p.element));
    el.replaceChildren(frame.element);

    const fill = (part, numbers, row, column) => {
      if (!part) return;
      const largest = Math.max(1, ...numbers.flat().map(Math.abs));
      numbers.forEach((line, i) => line.forEach((v, j) => {
        const cell = part.cells[i][j];
        attnkit.write(cell, fixed(v, 2));
        attnkit.paint(cell, v, largest);
        attnkit.style(cell, "boxShadow", (row === null || i === row) && (column === null || j === column) ? "inset 0 0 0 2.5px var(--ak-ink)" : "");
      }));
    };
    const chain = (a, b) => a.map((v, k) => `${fixed(v)}·${fixed(b[k])}`).join(" + ");

    function update() {
      const now = compute({ queries, key_rows: keys, values, scale: model.get("scale") });
      const step = model.get("step");
      const i = model.get("cell")[0];
      const j = Math.min(model.get("cell")[1], (step === 2 ? dv : m) - 1);
      const factors = [[queries, turned, now.scores], [now.scores, null, now.weights], [now.weights, values, now.outputs]];
      steps.show(step);
      scale.show(model.get("scale"));
      panels.forEach((panel, s) => attnkit.style(panel.element, "display", s === step ? "" : "none"));
      // The panels that are not shown are kept up to date, too, without a mark.
      panels.forEach((panel, s) => {
        const [left, right, result] = factors[s];
        const [row, column] = s === step ? [i, j] : [-1, -1];
        fill(panel.left, left, row, null);
        fill(panel.right, right, null, column);
        fill(panel.result, result, row, column);
        panel.result.cells.forEach((line, r) => line.forEach((cell, c) => {
          attnkit.attr(cell, "aria-pressed", String(r === row && c === column));
          attnkit.attr(cell, "aria-label", `row ${rowNames[r]}, column ${s === 2 ? c + 1 : columnNames[c]}: ${fixed(result[r][c])}`);
        }));
      });
      const [left, , result] = factors[step];
      const shown = [
        () => `“${rowNames[i]}” meets “${columnNames[j]}”: ${fixed(model.get("scale"))} · (${chain(queries[i], keys[j])}) = ${fixed(result[i][j])}`,
        () => `“${rowNames[i]}”, weight of “${columnNames[j]}”: exp(${fixed(left[i][j])}) = ${fixed(Math.exp(left[i][j]))}, divided by ` +
          `${fixed(left[i].reduce((t, v) => t + Math.exp(v), 0))}, the sum of the row's exponentials: ${fixed(result[i][j])}`,
        () => `“${rowNames[i]}”, number ${j + 1} of its output: ${chain(now.weights[i], values.map((v) => v[j]))} = ${fixed(result[i][j])}`][step]();
      frame.say(`${shown}.`);
    }
    const leave = attnkit.follow(model, ["step", "cell", "scale"], update);
    return () => { frame.stop(); leave(); };
  }

  attnkit.figures.matrix_stepper = { compute, render };
})(globalThis.attnkit);
