// Points in the plane attend to each other; drag them, and weights and outputs follow.
((attnkit) => {
  "use strict";
  const { h, fixed } = attnkit;

  /** @typedef {{ points: Point[], selected: number, moved: number, scale: number }} State */
  /** @typedef {{ limit: number, names: string[], features: string[] }} Given */
  /** @typedef {ReturnType<typeof compute>} Found */
  /** @typedef {(points: Point[], k: number, point: Point) => Partial<State>} Move */

  // The arithmetic, compared with attnkit.attention by tests/figures/.
  /** @param {{ points: Point[], scale: number }} state */
  function compute({ points, scale }) {
    const weights = points.map((q) => attnkit.softmax(points.map((k) => scale * attnkit.dot(q, k))));
    return { weights, outputs: weights.map((row) => attnkit.blend(row, points)), hull: attnkit.hull(points) };
  }

  // What moves a point to another place, rounded and kept inside the plane.
  /** @param {number} limit @returns {Move} */
  function mover(limit) {
    /** @param {number} v */
    const inside = (v) => Math.max(-limit, Math.min(limit, Math.round(20 * v) / 20));
    return (points, k, point) => ({ points: points.map((p, i) => (i === k ? point.map(inside) : p)) });
  }

  // What moves the points without a pointer: which one, and where to.
  /** @param {Figure<State, Given>} figure @param {string[]} names @param {number} limit @param {Move} move */
  function controls(figure, names, limit, move) {
    const options = names.map((name, i) => h("option", { value: i }, name));
    const choose = () => figure.put({ moved: Number(select.value) });
    const select = h("select", { "aria-label": "moves", onchange: choose }, ...options);
    figure.follow({ show: (moved) => (select.value = moved) }, { trait: "moved" });
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
    const row = h("div", { class: "ak-buttons" }, h("label", { class: "ak-moves" }, "moves", select), figure.reset());
    return h("div", { class: "ak-controls" }, row, ...[...sliders, scale].map((slider) => slider.element));
  }

  /** @type {Point} */
  const none = [0, 0];

  // A point is pulled by its circle or by its name; one of them pressed and not pulled makes it ask. Its distance from
  // the pointer stays, which may have taken it at the edge.
  /**
   * @param {Grip} node
   * @param {number} i
   * @param {Figure<State, Given>} figure
   * @param {Plane} plane
   * @param {Move} move
   */
  function hold(node, i, figure, plane, move) {
    let [before, from] = [none, none];
    node.addEventListener("pointerdown", (event) => {
      before = figure.get("points")[i];
      from = plane.from(event);
    });
    /** @param {PointerEvent} event */
    const to = (event) => plane.from(event).map((v, axis) => before[axis] + v - from[axis]);
    attnkit.drag(node, (event) => figure.put(move(figure.get("points"), i, to(event))), {
      grab: () => figure.put({ moved: i }),
    });
    node.addEventListener("click", (event) => {
      const key = event.detail === 0; // pulls nothing, whatever the pointer did before
      if (key || String(figure.get("points")[i]) === String(before)) figure.put({ selected: i, moved: i });
    });
  }

  // The points with their lines to the output; over them the names, which are buttons.
  /** @param {Figure<State, Given>} figure @param {Plane} plane @param {string[]} names @param {Move} move */
  function drawing(figure, plane, names, move) {
    const hull = attnkit.svg("path", { class: "ak-hull" });
    const lines = names.map(() => attnkit.svg("line", { class: "ak-pull" }));
    const outputs = names.map(() => attnkit.svg("circle", { r: 4, class: "ak-dot ak-of-output ak-faint" }));
    const output = attnkit.svg("circle", { r: 8, class: "ak-dot ak-of-output" });
    const dots = names.map((_, i) => {
      const [ring, hit] = [attnkit.svg("circle", { r: 8 }), attnkit.svg("circle", { r: 22, class: "ak-hit" })];
      const group = attnkit.svg("g");
      group.append(ring, hit);
      const button = h("button", { type: "button" });
      for (const node of [hit, button]) hold(node, i, figure, plane, move);
      return { group, ring, button };
    });
    plane.element.append(hull, ...lines, ...dots.map((d) => d.group), ...outputs, output);
    const stop = attnkit.walk(dots.map((d) => d.button));
    const asks = h("div", { class: "ak-names", role: "group", "aria-label": "asks" }, ...dots.map((d) => d.button));
    return { hull, lines, outputs, output, dots, stop, element: h("div", { class: "ak-over" }, plane.element, asks) };
  }

  // A name stands on the outer side of its point, away from the lines and the other points; near the frame above or
  // below it, and inwards.
  /**
   * @param {HTMLElement} button
   * @param {Point} p
   * @param {Point} point
   * @param {number[]} middle
   * @param {number} limit
   */
  function placeName(button, p, [x, y], middle, limit) {
    const way = [p[0] - middle[0], p[1] - middle[1]];
    const away = way.map((v) => v / (Math.hypot(...way) || 1));
    const edge = Math.abs(p[0]) > 0.55 * limit;
    const right = edge ? p[0] < 0 : away[0] > 0.3;
    const left = edge ? p[0] > 0 : away[0] < -0.3;
    const [across, down] = edge ? [0, away[1] < 0 ? 25 : -25] : [14 * away[0], -25 * away[1]];
    // In hundredths of the drawing, which is as wide as there is room.
    attnkit.style(button, "left", `${((x + across) / 3.2).toFixed(2)}%`);
    attnkit.style(button, "top", `${((y + down) / 3.2).toFixed(2)}%`);
    attnkit.style(button, "transform", `translate(${right ? 0 : left ? -100 : -50}%, -50%)`);
  }

  /** @param {SVGElement} line @param {Point} from @param {Point} to @param {number} weight */
  function link(line, from, to, weight) {
    const ends = { x1: from[0], y1: from[1], x2: to[0], y2: to[1] };
    for (const [name, value] of Object.entries(ends)) attnkit.attr(line, name, value.toFixed(1));
    attnkit.attr(line, "stroke-width", fixed(10 * weight, 1));
  }

  /** @param {string[]} names @param {State} state @param {Found} now */
  function sentence(names, { points, selected, moved }, now) {
    const weights = now.weights[selected];
    const best = attnkit.argmax(weights);
    const alike = weights[best] - Math.min(...weights) < 1e-9;
    /** @param {number[]} numbers */
    const pair = (numbers) => `(${numbers.map((v) => fixed(v)).join(", ")})`;
    return (
      `${names[selected]} asks and looks ${alike ? "at all alike" : `most at ${names[best]} (${fixed(weights[best])})`}; ` +
      `output ${pair(now.outputs[selected])}. ${names[moved]} stands at ${pair(points[moved])}.`
    );
  }

  /** @param {Figure<State, Given>} figure */
  function build(figure) {
    const [names, limit] = [figure.get("names"), figure.get("limit")];
    const move = mover(limit);
    const plane = attnkit.plane({ limit: limit * 1.1, axes: figure.get("features") });
    const { hull, lines, outputs, output, dots, stop, element } = drawing(figure, plane, names, move);

    /** @param {State} state */
    function update(state) {
      const { points, selected } = state;
      const now = compute(state);
      const where = now.outputs.map((p) => plane.at(...p));
      const corners = now.hull.map((p) => plane.at(...p));
      attnkit.attr(hull, "d", `${attnkit.path(corners)}Z`);
      const middle = [0, 1].map((k) => points.reduce((sum, p) => sum + p[k], 0) / points.length);
      points.forEach((p, i) => {
        const weight = now.weights[selected][i];
        const { group, ring, button } = dots[i];
        if (i === selected) stop.at(i);
        attnkit.move(group, plane.at(...p));
        attnkit.attr(ring, "class", `ak-dot ak-of-${i === selected ? "query" : "value"}`);
        attnkit.attr(button, "aria-pressed", String(i === selected));
        attnkit.write(button, `${names[i]} ${fixed(weight)}`);
        placeName(button, p, plane.at(...p), middle, limit);
        link(lines[i], plane.at(...p), where[selected], weight);
        attnkit.move(outputs[i], where[i]);
      });
      attnkit.move(output, where[selected]);
      figure.say(sentence(names, state, now));
    }
    const side = h("div", { class: "ak-side" }, element, controls(figure, names, limit, move));
    return { parts: [side], update };
  }

  attnkit.register("attention_plane", { label: "Points that attend to each other", compute, build });
})(globalThis.attnkit);
