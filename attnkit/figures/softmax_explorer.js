// Scores and a temperature; weights, entropy and the derivative answer.
((attnkit) => {
  "use strict";
  const { h, fixed } = attnkit;

  // The arithmetic, compared with attnkit.softmax and with differences of it by tests/test_figures.py.
  function compute({ scores, temperature }) {
    const weights = attnkit.softmax(scores.map((s) => s / temperature));
    const entropy = -weights.reduce((sum, p) => sum + (p > 0 ? p * Math.log2(p) : 0), 0);
    const derivative = weights.map((p, i) => weights.map((q, j) => (p * ((i === j ? 1 : 0) - q)) / temperature));
    const size = Math.sqrt(derivative.flat().reduce((sum, v) => sum + v * v, 0));
    return { weights, entropy, derivative, size };
  }

  // All scores by 0.5: up while the largest has room, else down.
  function shift(figure, scores) {
    const by = Math.max(...scores) <= 3.5 ? 0.5 : Math.min(...scores) >= -3.5 ? -0.5 : 0;
    if (by) return { scores: scores.map((s) => Math.round(10 * (s + by)) / 10) };
    figure.say("No room: the scores reach from one end to the other.");
    return {};
  }

  function controls(figure, names) {
    const sliders = names.map((name, k) =>
      figure.slider({
        name,
        min: -4,
        max: 4,
        step: 0.1,
        format: (v) => fixed(v, 1, true),
        word: (v) => fixed(v, 1, true),
        read: ({ scores }) => scores[k],
        write: (value, { scores }) => ({ scores: scores.map((s, j) => (j === k ? value : s)) }),
      }),
    );
    const temperature = figure.logSlider({ name: "temperature", trait: "temperature", most: 10 });
    const shiftAll = figure.button("Shift all scores by 0.5", ({ scores }) => shift(figure, scores));
    const buttons = h("div", { class: "ak-buttons" }, shiftAll, figure.reset());
    return h("div", { class: "ak-controls" }, ...sliders.map((s) => s.element), temperature.element, buttons);
  }

  // A row for each weight: the number, a bar, its change with each score.
  function table(names) {
    const rows = names.map((name) => {
      const bar = h("span", { class: "ak-fill" });
      const weight = h("td", {});
      const cells = names.map(() => h("td", { class: "ak-cell" }));
      const wide = h("td", { class: "ak-wide", "aria-hidden": "true" }, bar);
      return { bar, weight, cells, element: h("tr", {}, h("th", { scope: "row" }, name), weight, wide, ...cells) };
    });
    const empty = (kind = null) => h("td", { class: kind });
    const change = h("th", { scope: "colgroup", colspan: names.length }, "change per unit of score");
    const head = h(
      "thead",
      {},
      h("tr", {}, empty(), h("th", { scope: "col" }, "weight"), empty("ak-wide"), change),
      h("tr", {}, empty(), empty(), empty("ak-wide"), ...names.map((name) => h("th", { scope: "col" }, name))),
    );
    const body = h("tbody", {}, ...rows.map((row) => row.element));
    return { rows, element: h("table", { class: "ak-grid" }, head, body) };
  }

  function build(figure) {
    const names = figure.get("names");
    const { rows, element } = table(names);

    function update(state) {
      const { weights, entropy, derivative, size } = compute(state);
      rows.forEach((row, i) => {
        attnkit.write(row.weight, fixed(weights[i], 2));
        attnkit.style(row.bar, "transform", `scaleX(${weights[i].toFixed(3)})`);
        row.cells.forEach((cell, j) => {
          attnkit.write(cell, fixed(derivative[i][j], 2, true));
          attnkit.paint(cell, derivative[i][j], 0.5);
        });
      });
      figure.say(
        `Entropy ${fixed(entropy)} bits, as undecided as among ${fixed(2 ** entropy, 1)} equal choices. ` +
          `Size of the derivative: ${fixed(size)}.`,
      );
    }
    return { parts: [controls(figure, names), element], update };
  }

  attnkit.register("softmax_explorer", { label: "Scores become weights", compute, build });
})(globalThis.attnkit);
