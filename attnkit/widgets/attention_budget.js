// Spend one unit of attention over words; the weighted average moves.
(function (attnkit) {
  "use strict";
  const { h, fixed } = attnkit;

  // The arithmetic, compared with AttentionBudget.spend by tests/test_widgets.py. What one word gains, the others lose
  // in proportion to what they have; where they have nothing, they share alike.
  function spend(weights, k, share) {
    const rest = 1 - weights[k];
    return weights.map((w, i) => (i === k ? share : rest > 1e-9 ? (w * (1 - share)) / rest : (1 - share) / (weights.length - 1)));
  }
  function compute({ weights, points, word, share }) {
    const spent = spend(weights, word, share);
    return { weights: spent, average: attnkit.blend(spent, points) };
  }

  function render({ model, el }) {
    const words = model.get("words");
    const points = model.get("points");
    const even = words.map(() => 1 / words.length);
    const sliders = words.map((name, k) => attnkit.slider({
      name, min: 0, max: 1, step: 0.01, format: (w) => fixed(w, 2), word: (w) => fixed(w, 2),
      onInput: (share) => attnkit.put(model, { weights: spend(model.get("weights"), k, share) }),
    }));
    const buttons = h("div", { class: "ak-buttons" },
      h("button", { type: "button", onclick: () => attnkit.put(model, { weights: even }) }, "Spread evenly"),
      h("button", { type: "button", onclick: () => attnkit.put(model, { weights: model.get("start") }) }, "Reset"));

    const plane = attnkit.plane({ reach: 1.15, axes: model.get("features") });
    const outline = attnkit.hull(points).map((p) => plane.at(...p).join(" "));
    plane.element.append(attnkit.svg("path", { d: `M${outline.join("L")}Z`, class: "ak-hull" }));
    const lines = points.map((p) => {
      const [x1, y1] = plane.at(...p);
      const line = attnkit.svg("line", { x1, y1, x2: x1, y2: y1, class: "ak-pull" });
      plane.element.append(line);
      return line;
    });
    const dots = points.map((p, i) => {
      const [cx, cy] = plane.at(...p);
      const dot = attnkit.svg("circle", { cx, cy, r: 5, class: "ak-dot ak-of-value" });
      plane.element.append(dot, attnkit.label(cx, cy + (p[1] < 0 ? 26 : -15), words[i], "ak-text"));
      return dot;
    });
    const star = attnkit.svg("circle", { r: 8, class: "ak-dot ak-of-output" });
    const name = attnkit.label(0, 0, "z", "ak-text ak-strong");
    plane.element.append(star, name);
    const frame = attnkit.frame(model, "A budget of attention",
      h("div", { class: "ak-controls" }, ...sliders.map((s) => s.element), buttons), plane.element);
    el.replaceChildren(frame.element);

    function update() {
      const weights = model.get("weights");
      const average = attnkit.blend(weights, points);
      const [x, y] = plane.at(...average);
      sliders.forEach((s, k) => s.show(weights[k]));
      weights.forEach((w, k) => {
        attnkit.attr(dots[k], "r", fixed(4 + 9 * Math.sqrt(w), 1));
        attnkit.attr(lines[k], "stroke-width", fixed(9 * w, 1));
        attnkit.attr(lines[k], "x2", fixed(x, 1));
        attnkit.attr(lines[k], "y2", fixed(y, 1));
      });
      attnkit.attr(star, "transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
      attnkit.attr(name, "transform", `translate(${(x + 13).toFixed(1)} ${(y + 5).toFixed(1)})`);
      frame.say(`Spent: ${fixed(weights.reduce((s, w) => s + w, 0))}. The average z is (${average.map((v) => fixed(v)).join(", ")}).`);
    }
    const leave = attnkit.follow(model, ["weights"], update);
    return () => { frame.stop(); leave(); };
  }

  attnkit.figures.attention_budget = { compute, render };
})(globalThis.attnkit);
