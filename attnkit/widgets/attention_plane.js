// Points in the plane attend to each other; drag them, and weights and outputs follow.
(function (attnkit) {
  "use strict";
  const { h, fixed } = attnkit;

  // The arithmetic, compared with attnkit.attention by tests/test_widgets.py.
  function compute({ points, scale }) {
    const weights = points.map((q) => attnkit.softmax(points.map((k) => scale * attnkit.dot(q, k))));
    return { weights, outputs: weights.map((row) => attnkit.blend(row, points)), hull: attnkit.hull(points) };
  }

  function render({ model, el }) {
    const names = model.get("names");
    const reach = model.get("reach");
    const limit = (v) => Math.max(-reach, Math.min(reach, Math.round(20 * v) / 20));
    const move = (k, point) => attnkit.put(model, { points: model.get("points").map((p, i) => (i === k ? point.map(limit) : p)) });

    const asks = attnkit.choice("asks", names, (i) => attnkit.put(model, { selected: i }));
    const moves = attnkit.choice("moves", names, (i) => attnkit.put(model, { moved: i }));
    const sliders = ["left, right", "down, up"].map((name, axis) => attnkit.slider({
      name, min: -reach, max: reach, step: 0.05, format: (v) => fixed(v, 2), word: (v) => `${names[model.get("moved")]} ${fixed(v, 2)}`,
      onInput: (value) => move(model.get("moved"), model.get("points")[model.get("moved")].map((v, a) => (a === axis ? value : v))),
    }));
    const scale = attnkit.logSlider({ name: "scale of scores", most: 10, onInput: (value) => attnkit.put(model, { scale: value }) });
    const reset = h("button", { type: "button", onclick: () => attnkit.put(model, {
      points: model.get("start"), scale: model.get("start_scale"), selected: model.get("start_selected"), moved: model.get("start_selected") }) }, "Reset");

    const plane = attnkit.plane({ reach: reach * 1.1, axes: model.get("features") });
    const hull = attnkit.svg("path", { class: "ak-hull" });
    plane.element.append(hull);
    const lines = names.map(() => attnkit.svg("line", { class: "ak-pull" }));
    const outputs = names.map(() => attnkit.svg("circle", { r: 4, class: "ak-dot ak-of-output ak-faint" }));
    const star = attnkit.svg("circle", { r: 8, class: "ak-dot ak-of-output" });
    const dots = names.map((name, i) => {
      const hit = attnkit.svg("circle", { r: 22, class: "ak-hit" });
      const ring = attnkit.svg("circle", { r: 8, class: "ak-dot ak-of-value" });
      const text = attnkit.label(0, 0, name, "ak-text");
      const group = attnkit.svg("g", { class: "ak-drag" });
      group.append(ring, text, hit);
      let held = false;
      hit.addEventListener("pointerdown", (event) => {
        held = true;
        hit.setPointerCapture(event.pointerId);
        attnkit.put(model, { moved: i });
        event.preventDefault();
      });
      hit.addEventListener("pointermove", (event) => { if (held) move(i, plane.from(event)); });
      for (const end of ["pointerup", "pointercancel"]) hit.addEventListener(end, () => (held = false));
      return { group, ring, text };
    });
    plane.element.append(...lines, ...dots.map((d) => d.group), ...outputs, star);
    const frame = attnkit.frame(model, "Points that attend to each other",
      plane.element, h("div", { class: "ak-controls" }, asks.element, moves.element, ...sliders.map((s) => s.element), scale.element,
        h("div", { class: "ak-buttons" }, reset)));
    el.replaceChildren(frame.element);

    const place = (node, [x, y]) => attnkit.attr(node, "transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
    function update() {
      const points = model.get("points");
      const selected = model.get("selected");
      const moved = model.get("moved");
      const now = compute({ points, scale: model.get("scale") });
      const weights = now.weights[selected];
      const where = now.outputs.map((p) => plane.at(...p));
      const middle = [0, 1].map((k) => points.reduce((sum, p) => sum + p[k], 0) / points.length);
      asks.show(selected);
      moves.show(moved);
      sliders.forEach((s, axis) => s.show(points[moved][axis]));
      scale.show(model.get("scale"));
      attnkit.attr(hull, "d", `M${now.hull.map((p) => plane.at(...p).map((v) => v.toFixed(1)).join(" ")).join("L")}Z`);
      points.forEach((p, i) => {
        const [x, y] = plane.at(...p);
        place(dots[i].group, [x, y]);
        attnkit.attr(dots[i].ring, "class", `ak-dot ak-of-${i === selected ? "query" : "value"}`);
        attnkit.write(dots[i].text, `${names[i]} ${fixed(weights[i])}`);
        // Each name stands on the outer side of its point, away from the lines and the other points.
        const away = [p[0] - middle[0], p[1] - middle[1]].map((v) => v / (Math.hypot(p[0] - middle[0], p[1] - middle[1]) || 1));
        const edge = Math.abs(p[0]) > 0.55 * reach;      // near the frame: above or below the point, and inwards
        attnkit.attr(dots[i].text, "x", (edge ? 0 : 13 * away[0]).toFixed(1));
        attnkit.attr(dots[i].text, "y", (edge ? (away[1] < 0 ? 26 : -15) : 5 - 17 * away[1]).toFixed(1));
        attnkit.attr(dots[i].text, "text-anchor", (edge ? p[0] < 0 : away[0] > 0.3) ? "start" : (edge || away[0] < -0.3) ? "end" : "middle");
        attnkit.attr(lines[i], "x1", x.toFixed(1));
        attnkit.attr(lines[i], "y1", y.toFixed(1));
        attnkit.attr(lines[i], "x2", where[selected][0].toFixed(1));
        attnkit.attr(lines[i], "y2", where[selected][1].toFixed(1));
        attnkit.attr(lines[i], "stroke-width", fixed(10 * weights[i], 1));
        place(outputs[i], where[i]);
      });
      place(star, where[selected]);
      const best = weights.indexOf(Math.max(...weights));
      const alike = weights[best] - Math.min(...weights) < 1e-9;
      frame.say(`${names[selected]} asks and looks ${alike ? "at all alike" : `most at ${names[best]} (${fixed(weights[best])})`}; its output is ` +
        `(${now.outputs[selected].map((v) => fixed(v)).join(", ")}). ${names[moved]} stands at (${points[moved].map((v) => fixed(v)).join(", ")}).`);
    }
    const leave = attnkit.follow(model, ["points", "scale", "selected", "moved"], update);
    return () => { frame.stop(); leave(); };
  }

  attnkit.figures.attention_plane = { compute, render };
})(globalThis.attnkit);
