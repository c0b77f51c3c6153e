// Spend one unit of attention over words; the weighted average moves.
((attnkit) => {
  "use strict";
  const { h, fixed } = attnkit;

  // The arithmetic, compared with AttentionBudget.spend by tests/test_figures.py. What one word gains, the others lose
  // in proportion to what they have; where they have nothing, they share alike.
  function spend(weights, k, share) {
    const rest = 1 - weights[k];
    const left = (w) => (rest > 1e-9 ? (w * (1 - share)) / rest : (1 - share) / (weights.length - 1));
    return weights.map((w, i) => (i === k ? share : left(w)));
  }

  function compute({ weights, points, word, share }) {
    const spent = spend(weights, word, share);
    return { weights: spent, average: attnkit.blend(spent, points) };
  }

  function controls(figure, words) {
    const even = words.map(() => 1 / words.length);
    const sliders = words.map((name, k) =>
      figure.slider({
        name,
        min: 0,
        max: 1,
        step: 0.01,
        format: (w) => fixed(w, 2),
        word: (w) => fixed(w, 2),
        read: ({ weights }) => weights[k],
        write: (share, { weights }) => ({ weights: spend(weights, k, share) }),
      }),
    );
    const evenly = figure.button("Spread evenly", () => ({ weights: even }));
    const buttons = h("div", { class: "ak-buttons" }, evenly, figure.reset());
    return h("div", { class: "ak-controls" }, ...sliders.map((s) => s.element), buttons);
  }

  // The words at their points, their hull, a line from each, and the average z, which moves.
  function drawing(plane, words, points) {
    const places = points.map((p) => plane.at(...p));
    const corners = attnkit.hull(points).map((p) => plane.at(...p).join(" "));
    const hull = attnkit.svg("path", { d: `M${corners.join("L")}Z`, class: "ak-hull" });
    const lines = places.map(([x, y]) => attnkit.svg("line", { x1: x, y1: y, x2: x, y2: y, class: "ak-pull" }));
    const dots = places.map(([cx, cy]) => attnkit.svg("circle", { cx, cy, r: 5, class: "ak-dot ak-of-value" }));
    const names = places.map(([x, y], i) => attnkit.label(x, y + (points[i][1] < 0 ? 26 : -15), words[i], "ak-text"));
    const average = attnkit.svg("circle", { r: 8, class: "ak-dot ak-of-output" });
    const name = attnkit.label(0, 0, "z", "ak-text ak-strong");
    plane.element.append(hull, ...lines, ...dots.flatMap((dot, i) => [dot, names[i]]), average, name);
    return { lines, dots, average, name };
  }

  const place = (node, x, y) => attnkit.attr(node, "transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);

  function build(figure) {
    const [words, points] = [figure.get("words"), figure.get("points")];
    const plane = attnkit.plane({ limit: 1.15, axes: figure.get("features") });
    const { lines, dots, average, name } = drawing(plane, words, points);

    function update({ weights }) {
      const z = attnkit.blend(weights, points);
      const [x, y] = plane.at(...z);
      weights.forEach((w, k) => {
        attnkit.attr(dots[k], "r", fixed(4 + 9 * Math.sqrt(w), 1));
        attnkit.attr(lines[k], "stroke-width", fixed(9 * w, 1));
        attnkit.attr(lines[k], "x2", fixed(x, 1));
        attnkit.attr(lines[k], "y2", fixed(y, 1));
      });
      place(average, x, y);
      place(name, x + 13, y + 5);
      const spent = fixed(weights.reduce((sum, w) => sum + w, 0));
      figure.say(`Spent: ${spent}. The average z is (${z.map((v) => fixed(v)).join(", ")}).`);
    }
    const side = h("div", { class: "ak-side" }, plane.element, controls(figure, words));
    return { parts: [side], update };
  }

  attnkit.register("attention_budget", { label: "A budget of attention", compute, build });
})(globalThis.attnkit);
