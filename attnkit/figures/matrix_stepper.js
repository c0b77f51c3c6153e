// Q times K transposed, softmax row by row, times V: click a cell, see its row, its column and its sum.
((attnkit) => {
  "use strict";
  const { h, fixed } = attnkit;

  // The arithmetic, compared with numpy and attnkit.attention by tests/test_figures.py.
  function compute({ queries, key_rows, values, scale }) {
    const scores = queries.map((q) => key_rows.map((k) => scale * attnkit.dot(q, k)));
    const weights = scores.map(attnkit.softmax);
    return { scores, weights, outputs: weights.map((row) => attnkit.blend(row, values)) };
  }

  // Each step with the names and roles of its left factor, its right factor and its result; softmax has one factor.
  const STEPS = [
    { name: "scores", parts: ["Q", "Kᵀ", "S = scale · Q Kᵀ"], roles: ["query", "key", "quiet"] },
    { name: "weights", parts: ["S", "", "A = softmax(S)"], roles: ["quiet", "", "weight"] },
    { name: "outputs", parts: ["A", "V", "Y = A V"], roles: ["weight", "value", "output"] },
  ];

  // The three matrices of each step, in the same order.
  function matrices({ queries, key_rows, values }, now) {
    const turned = key_rows[0].map((_, k) => key_rows.map((row) => row[k]));
    return [
      [queries, turned, now.scores],
      [now.scores, null, now.weights],
      [now.weights, values, now.outputs],
    ];
  }

  function controls(figure, columns) {
    const steps = figure.choice({
      label: "step",
      words: STEPS.map(({ name }, i) => `${i + 1} ${name}`),
      trait: "step",
      // The outputs may have fewer columns: the cell stays inside.
      write: (step, { cell: [row, column] }) => ({ step, cell: [row, Math.min(column, columns[step] - 1)] }),
    });
    const scale = figure.logSlider({ name: "scale", trait: "scale", most: 10 });
    const buttons = h("div", { class: "ak-buttons" }, figure.reset());
    return h("div", { class: "ak-controls" }, steps.element, scale.element, buttons);
  }

  // A matrix as squares in a frame; they are buttons where `choose` takes the row and column of a press.
  function block([rows, columns], role, choose) {
    const square = (i, j) => {
      if (!choose) return h("span", { class: "ak-sq" });
      const look = { type: "button", class: "ak-sq", "aria-pressed": "false" };
      return h("button", { ...look, onclick: () => choose(i, j) });
    };
    const cells = Array.from({ length: rows }, (_, i) => Array.from({ length: columns }, (_, j) => square(i, j)));
    const look = {
      class: `ak-block ak-frame ak-frame-${role}`,
      style: `grid-template-columns:repeat(${columns},auto)`,
    };
    return { cells, element: h("span", look, ...cells.flat()) };
  }

  // The factors of a step and its result. The right factor stands above the product, so that a row and a column meet
  // where they cross.
  function panel({ parts, roles }, shapes, rowNames, choose) {
    const [left, right, result] = shapes.map((shape, k) => shape && block(shape, roles[k], k === 2 ? choose : null));
    const named = (matrix, k) => {
      const name = h("span", { class: "ak-small" }, `${parts[k]} (${shapes[k].join(", ")})`);
      return h("span", { class: "ak-part" }, name, matrix.element);
    };
    const words = rowNames.map((word) => h("span", { class: "ak-row-name" }, word));
    const element = h(
      "div",
      { class: right ? "ak-product" : "ak-product ak-two" },
      h("span", { class: "ak-part ak-rows" }, ...words),
      named(left, 0),
      right ? named(right, 1) : h("span", { class: "ak-part ak-arrow" }, "softmax each row →"),
      named(result, 2),
    );
    return { left, right, result, element };
  }

  // Write a matrix into its squares and mark one row, one column or, where both are named, one cell.
  function fill({ cells }, numbers, row, column) {
    const vmax = Math.max(1, ...numbers.flat().map(Math.abs));
    numbers.forEach((line, i) =>
      line.forEach((v, j) => {
        const marked = (row === null || i === row) && (column === null || j === column);
        attnkit.write(cells[i][j], fixed(v, 2));
        attnkit.paint(cells[i][j], v, vmax);
        attnkit.style(cells[i][j], "boxShadow", marked ? "inset 0 0 0 2.5px var(--ak-ink)" : "");
      }),
    );
  }

  function fillPanel({ left, right, result }, numbers, [row, column], rowNames, columnNames) {
    fill(left, numbers[0], row, null);
    if (right) fill(right, numbers[1], null, column);
    fill(result, numbers[2], row, column);
    result.cells.forEach((line, i) =>
      line.forEach((cell, j) => {
        attnkit.attr(cell, "aria-pressed", String(i === row && j === column));
        const name = `row ${rowNames[i]}, column ${columnNames[j]}: ${fixed(numbers[2][i][j])}`;
        attnkit.attr(cell, "aria-label", name);
      }),
    );
  }

  // The sum behind the cell.
  function sentence({ step, scale }, [i, j], { queries, key_rows, values }, now, rowNames, columnNames) {
    const chain = (a, b) => a.map((v, k) => `${fixed(v)}·${fixed(b[k])}`).join(" + ");
    const result = fixed(now[STEPS[step].name][i][j]);
    if (step === 0) {
      const product = `${fixed(scale)} · (${chain(queries[i], key_rows[j])})`;
      return `“${rowNames[i]}” meets “${columnNames[j]}”: ${product} = ${result}.`;
    }
    if (step === 1) {
      const powers = now.scores[i].map(Math.exp);
      const total = powers.reduce((sum, v) => sum + v, 0);
      return (
        `“${rowNames[i]}”, weight of “${columnNames[j]}”: exp(${fixed(now.scores[i][j])}) = ${fixed(powers[j])}, ` +
        `divided by ${fixed(total)}, the sum of the row's exponentials: ${result}.`
      );
    }
    const column = values.map((row) => row[j]);
    return `“${rowNames[i]}”, number ${j + 1} of its output: ${chain(now.weights[i], column)} = ${result}.`;
  }

  function build(figure) {
    const [rowNames, columnNames] = ["row_names", "column_names"].map((name) => figure.get(name));
    const data = Object.fromEntries(["queries", "key_rows", "values"].map((name) => [name, figure.get(name)]));
    const numbered = data.values[0].map((_, k) => k + 1);
    const columns = [columnNames, columnNames, numbered]; // of each step's result
    const counts = columns.map((names) => names.length);
    const choose = (i, j) => figure.put({ cell: [i, j] });
    const shapes = matrices(data, compute({ ...data, scale: 1 })).map((step) =>
      step.map((matrix) => matrix && [matrix.length, matrix[0].length]),
    );
    const panels = STEPS.map((step, s) => panel(step, shapes[s], rowNames, choose));

    function update(state) {
      const now = compute({ ...data, scale: state.scale });
      const cell = [state.cell[0], Math.min(state.cell[1], counts[state.step] - 1)];
      const numbers = matrices(data, now);
      panels.forEach(({ element }, s) => attnkit.style(element, "display", s === state.step ? "" : "none"));
      // The panels that are not shown are kept up to date, too, without a mark.
      panels.forEach((p, s) => fillPanel(p, numbers[s], s === state.step ? cell : [-1, -1], rowNames, columns[s]));
      figure.say(sentence(state, cell, data, now, rowNames, columnNames));
    }
    return { parts: [controls(figure, counts), ...panels.map((p) => p.element)], update };
  }

  attnkit.register("matrix_stepper", { label: "Attention as matrices", compute, build });
})(globalThis.attnkit);
