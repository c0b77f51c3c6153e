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

  const titles = (words) => words.map((word) => h("th", { scope: "col" }, word));
  const table = (kind, heads, rows) =>
    h("table", { class: `ak-grid ${kind}` }, h("thead", {}, ...heads), h("tbody", {}, ...rows));

  // In each row a name, the slider of its score, and the weight that comes of it.
  function weightTable(figure, names) {
    const rows = names.map((name, k) => {
      const slider = figure.slider({
        name,
        min: -4,
        max: 4,
        step: 0.1,
        format: (v) => fixed(v, 1, true),
        word: (v) => fixed(v, 1, true),
        read: ({ scores }) => scores[k],
        write: (value, { scores }) => ({ scores: scores.map((s, j) => (j === k ? value : s)) }),
      });
      const [weight, bar] = [h("td", { class: "ak-weight" }), h("span", { class: "ak-fill" })];
      const cells = [h("td", {}, slider.element), weight, h("td", { class: "ak-bar" }, bar)];
      return { bar, weight, element: h("tr", {}, h("th", { scope: "row" }, name), ...cells) };
    });
    const head = h("tr", {}, h("td", {}), ...titles(["score", "weight"]), h("td", { class: "ak-bar" }));
    const element = table(
      "ak-weights",
      [head],
      rows.map((row) => row.element),
    );
    return { rows, element };
  }

  // Row by row the change of a weight with each score.
  function changeTable(names) {
    const cells = names.map(() => names.map(() => h("td", { class: "ak-cell" })));
    const title = h("th", { scope: "colgroup", colspan: names.length }, "change of weight per unit of score");
    const heads = [h("tr", {}, h("td", {}), title), h("tr", {}, h("td", {}), ...titles(names))];
    const rows = names.map((name, i) => h("tr", {}, h("th", { scope: "row" }, name), ...cells[i]));
    return { cells, element: table("ak-changes", heads, rows) };
  }

  function controls(figure) {
    const temperature = figure.logSlider({ name: "temperature", trait: "temperature", most: 10 });
    const shiftAll = figure.button("Shift all scores by 0.5", ({ scores }) => shift(figure, scores));
    const buttons = h("div", { class: "ak-buttons" }, shiftAll, figure.reset());
    return h("div", { class: "ak-controls" }, temperature.element, buttons);
  }

  function build(figure) {
    const names = figure.get("names");
    const [weighed, change] = [weightTable(figure, names), changeTable(names)];

    function update(state) {
      const { weights, entropy, derivative, size } = compute(state);
      weighed.rows.forEach((row, i) => {
        attnkit.write(row.weight, fixed(weights[i], 2));
        attnkit.style(row.bar, "transform", `scaleX(${weights[i].toFixed(3)})`);
        change.cells[i].forEach((cell, j) => {
          attnkit.write(cell, fixed(derivative[i][j], 2, true));
          attnkit.paint(cell, derivative[i][j], 0.5);
        });
      });
      figure.say(
        `Entropy ${fixed(entropy)} bits, as undecided as among ${fixed(2 ** entropy, 1)} equal choices. ` +
          `Size of the derivative: ${fixed(size)}.`,
      );
    }
    return { parts: [h("div", { class: "ak-tables" }, weighed.element, controls(figure), change.element)], update };
  }

  attnkit.register("softmax_explorer", { label: "Scores become weights", compute, build });
})(globalThis.attnkit);
