// Scores and a temperature; weights, entropy and the derivative answer.
(function (attnkit) {
  "use strict";
  const { h, fixed } = attnkit;

  // The arithmetic, compared with attnkit.softmax and with differences of it by tests/test_widgets.py.
  function compute({ scores, temperature }) {
    const weights = attnkit.softmax(scores.map((s) => s / temperature));
    const entropy = -weights.reduce((sum, p) => sum + (p > 0 ? p * Math.log2(p) : 0), 0);
    const derivative = weights.map((p, i) => weights.map((q, j) => (p * ((i === j ? 1 : 0) - q)) / temperature));
    const size = Math.sqrt(derivative.flat().reduce((sum, v) => sum + v * v, 0));
    return { weights, entropy, derivative, size };
  }

  function render({ model, el }) {
    const names = model.get("names");
    const sliders = names.map((name, k) => attnkit.slider({
      name, min: -4, max: 4, step: 0.1, format: (v) => fixed(v, 1, true), word: (v) => fixed(v, 1, true),
      onInput: (value) => attnkit.put(model, { scores: model.get("scores").map((s, j) => (j === k ? value : s)) }),
    }));
    const heat = attnkit.logSlider({ name: "temperature", most: 10, onInput: (value) => attnkit.put(model, { temperature: value }) });
    const shift = (by) => attnkit.put(model, { scores: model.get("scores").map((s) => Math.round(10 * (s + by)) / 10) });
    const buttons = h("div", { class: "ak-buttons" },
      h("button", { type: "button", onclick: () => {
        if (Math.max(...model.get("scores")) <= 3.5) shift(0.5);
        else if (Math.min(...model.get("scores")) >= -3.5) shift(-0.5);
        else frame.say("No room: the scores reach from one end to the other.");
      } }, "Shift all scores by 0.5"),
      h("button", { type: "button", onclick: () => attnkit.put(model, { scores: model.get("start"), temperature: 1 }) }, "Reset"));

    const rows = names.map((name) => {
      const bar = h("span", { class: "ak-fill" });
      const weight = h("td", {});
      const cells = names.map(() => h("td", { class: "ak-cell" }));
      return { bar, weight, cells, tr: h("tr", {}, h("th", { scope: "row" }, name), weight,
        h("td", { class: "ak-wide", "aria-hidden": "true" }, bar), ...cells) };
    });
    const table = h("table", { class: "ak-grid" },
      h("thead", {}, h("tr", {}, h("td", {}), h("th", { scope: "col" }, "weight"), h("td", { class: "ak-wide" }),
        h("th", { scope: "colgroup", colspan: names.length }, "change per unit of score")),
        h("tr", {}, h("td", {}), h("td", {}), h("td", { class: "ak-wide" }), ...names.map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, ...rows.map((r) => r.tr)));
    const frame = attnkit.frame(model, "Scores become weights",
      h("div", { class: "ak-controls" }, ...sliders.map((s) => s.element), heat.element, buttons), table);
    el.replaceChildren(frame.element);

    function update() {
      const scores = model.get("scores");
      const temperature = model.get("temperature");
      const { weights, entropy, derivative, size } = compute({ scores, temperature });
      sliders.forEach((s, k) => s.show(scores[k]));
      heat.show(temperature);
      rows.forEach((row, i) => {
        attnkit.write(row.weight, fixed(weights[i], 2));
        attnkit.style(row.bar, "transform", `scaleX(${weights[i].toFixed(3)})`);
        row.cells.forEach((cell, j) => {
          attnkit.write(cell, fixed(derivative[i][j], 2, true));
          attnkit.paint(cell, derivative[i][j], 0.5);
        });
      });
      frame.say(`Entropy ${fixed(entropy)} bits, as undecided as among ${fixed(2 ** entropy, 1)} equal choices. ` +
        `Size of the derivative: ${fixed(size)}.`);
    }
    const leave = attnkit.follow(model, ["scores", "temperature"], update);
    return () => { frame.stop(); leave(); };
  }

  attnkit.figures.softmax_explorer = { compute, render };
})(globalThis.attnkit);
