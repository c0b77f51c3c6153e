// Points in the plane attend to each other; drag them, and weights and outputs follow.
((attnkit) => {
  "use strict";
  const { h, fixed } = attnkit;

  // The arithmetic, compared with attnkit.attention by tests/test_figures.py.
  function compute({ points, scale }) {
    const weights = points.map((q) => attnkit.softmax(points.map((k) => scale * attnkit.dot(q, k))));
    return { weights, outputs: weights.map((row) => attnkit.blend(row, points)), hull: attnkit.hull(points) };
  }

  const place = (node, [x, y]) => attnkit.attr(node, "transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);

  // What moves a point to another place, rounded and kept inside the plane.
  function mover(limit) {
    const inside = (v) => Math.max(-limit, Math.min(limit, Math.round(20 * v) / 20));
    return (points, k, point) => ({ points: points.map((p, i) => (i === k ? point.map(inside) : p)) });
  }

  function controls(figure, names, limit, move) {
    const asks = figure.choice({ label: "asks", words: names, trait: "selected" });
    const moves = figure.choice({ label: "moves", words: names, trait: "moved" });
    const sliders = ["left, right", "down, up"].map((name, axis) =>
      figure.slider({
        name,
        min: -limit,
        max: limit,
        step: 0.05,
        format: (v) => fixed(v, 2),
        word: (v, { moved }) => `${names[moved]} ${fixed(v, 2)}`,
        read: ({ points, moved }) => points[moved][axis],
        write: (v, { points, moved }) =>
          move(
            points,
            moved,
            points[moved].map((old, a) => (a === axis ? v : old)),
          ),
      }),
    );
    const scale = figure.logSlider({ name: "scale of scores", trait: "scale", most: 10 });
    const rows = [asks, moves, ...sliders, scale].map((control) => control.element);
    return h("div", { class: "ak-controls" }, ...rows, h("div", { class: "ak-buttons" }, figure.reset()));
  }

  // The points, to be dragged, each with its name and weight; the lines from them; the outputs.
  function drawing(figure, plane, names, move) {
    const hull = attnkit.svg("path", { class: "ak-hull" });
    const lines = names.map(() => attnkit.svg("line", { class: "ak-pull" }));
    const outputs = names.map(() => attnkit.svg("circle", { r: 4, class: "ak-dot ak-of-output ak-faint" }));
    const output = attnkit.svg("circle", { r: 8, class: "ak-dot ak-of-output" });
    const dots = names.map((name, i) => {
      const hit = attnkit.svg("circle", { r: 22, class: "ak-hit" });
      const ring = attnkit.svg("circle", { r: 8, class: "ak-dot ak-of-value" });
      const text = attnkit.label(0, 0, name, "ak-text");
      const group = attnkit.svg("g", { class: "ak-drag" });
      group.append(ring, text, hit);
      attnkit.drag(
        hit,
        (event) => figure.put(move(figure.get("points"), i, plane.from(event))),
        () => figure.put({ moved: i }),
      );
      return { group, ring, text };
    });
    plane.element.append(hull, ...lines, ...dots.map((d) => d.group), ...outputs, output);
    return { hull, lines, outputs, output, dots };
  }

  // A name stands on the outer side of its point, away from the lines and the other points; near the frame above or
  // below it, and inwards.
  function placeName(text, p, middle, limit) {
    const way = [p[0] - middle[0], p[1] - middle[1]];
    const away = way.map((v) => v / (Math.hypot(...way) || 1));
    const edge = Math.abs(p[0]) > 0.55 * limit;
    const start = edge ? p[0] < 0 : away[0] > 0.3;
    const anchor = start ? "start" : edge || away[0] < -0.3 ? "end" : "middle";
    attnkit.attr(text, "x", (edge ? 0 : 13 * away[0]).toFixed(1));
    attnkit.attr(text, "y", (edge ? (away[1] < 0 ? 26 : -15) : 5 - 17 * away[1]).toFixed(1));
    attnkit.attr(text, "text-anchor", anchor);
  }

  function link(line, from, to, weight) {
    const ends = { x1: from[0], y1: from[1], x2: to[0], y2: to[1] };
    for (const [name, value] of Object.entries(ends)) attnkit.attr(line, name, value.toFixed(1));
    attnkit.attr(line, "stroke-width", fixed(10 * weight, 1));
  }

  function sentence(names, { points, selected, moved }, now) {
    const weights = now.weights[selected];
    const best = weights.indexOf(Math.max(...weights));
    const alike = weights[best] - Math.min(...weights) < 1e-9;
    const pair = (numbers) => `(${numbers.map((v) => fixed(v)).join(", ")})`;
    return (
      `${names[selected]} asks and looks ${alike ? "at all alike" : `most at ${names[best]} (${fixed(weights[best])})`}; ` +
      `its output is ${pair(now.outputs[selected])}. ${names[moved]} stands at ${pair(points[moved])}.`
    );
  }

  function build(figure) {
    const [names, limit] = [figure.get("names"), figure.get("limit")];
    const move = mover(limit);
    const plane = attnkit.plane({ limit: limit * 1.1, axes: figure.get("features") });
    const { hull, lines, outputs, output, dots } = drawing(figure, plane, names, move);

    function update(state) {
      const { points, selected } = state;
      const now = compute(state);
      const where = now.outputs.map((p) => plane.at(...p));
      const corners = now.hull.map((p) =>
        plane
          .at(...p)
          .map((v) => v.toFixed(1))
          .join(" "),
      );
      attnkit.attr(hull, "d", `M${corners.join("L")}Z`);
      const middle = [0, 1].map((k) => points.reduce((sum, p) => sum + p[k], 0) / points.length);
      points.forEach((p, i) => {
        const weight = now.weights[selected][i];
        place(dots[i].group, plane.at(...p));
        attnkit.attr(dots[i].ring, "class", `ak-dot ak-of-${i === selected ? "query" : "value"}`);
        attnkit.write(dots[i].text, `${names[i]} ${fixed(weight)}`);
        placeName(dots[i].text, p, middle, limit);
        link(lines[i], plane.at(...p), where[selected], weight);
        place(outputs[i], where[i]);
      });
      place(output, where[selected]);
      figure.say(sentence(names, state, now));
    }
    return { parts: [plane.element, controls(figure, names, limit, move)], update };
  }

  attnkit.register("attention_plane", { label: "Points that attend to each other", compute, build });
})(globalThis.attnkit);
