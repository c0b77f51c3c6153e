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
    return { weights, outputs: weights.map((row) => attnkit.blend(row, points)) };
  }

  // What moves the points without a pointer: which one, and where to.
  /** @param {Figure<State, Given>} figure @param {string[]} names @param {number} limit @param {Move} move */
  function controls(figure, names, limit, move) {
    const which = figure.menu({ label: "moves", words: names, trait: "moved" });
    const sliders = ["left, right", "down, up"].map((name, axis) =>
      figure.slider({
        name,
        min: -limit,
        max: limit,
        step: 0.05,
        word: (v, { moved }) => `${names[moved]} ${fixed(v)}`,
        read: ({ points, moved }) => points[moved][axis],
        write(v, { points, moved }) {
          const to = points[moved].map((old, a) => (a === axis ? v : old));
          return move(points, moved, to);
        },
      }),
    );
    const scale = figure.logSlider({ name: "scale of scores", trait: "scale", most: 10 });
    return attnkit.controls(attnkit.row(which, figure.reset()), sliders, scale);
  }

  // A point is pulled by its circle or by its name; one of them pressed and not pulled makes it ask. Its distance from
  // the pointer stays, which may have taken it at the edge.
  /** @param {Figure<State, Given>} figure @param {Plane} plane @param {Move} move @param {number} i @param {Grip} node */
  function hold(figure, plane, move, i, node) {
    let [before, from] = [figure.get("points")[i], figure.get("points")[i]];
    node.addEventListener("pointerdown", (event) => {
      [before, from] = [figure.get("points")[i], plane.from(event)];
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

  // A name stands on the outer side of its point, away from the lines and the other points; near the frame above or
  // below it, and inwards. Where it stands is told in hundredths of the drawing, which is as wide as there is room.
  /** @param {HTMLElement} button @param {Point} p @param {Point} place @param {Point} middle @param {number} limit */
  function placeName(button, p, [x, y], middle, limit) {
    const way = [p[0] - middle[0], p[1] - middle[1]];
    const away = way.map((v) => v / (Math.hypot(...way) || 1));
    const edge = Math.abs(p[0]) > 0.55 * limit;
    const right = edge ? p[0] < 0 : away[0] > 0.3;
    const left = edge ? p[0] > 0 : away[0] < -0.3;
    const [across, down] = edge ? [0, away[1] < 0 ? 25 : -25] : [14 * away[0], -25 * away[1]];
    attnkit.style(button, "left", `${((x + across) / 3.2).toFixed(2)}%`);
    attnkit.style(button, "top", `${((y + down) / 3.2).toFixed(2)}%`);
    attnkit.style(button, "transform", `translate(${right ? 0 : left ? -100 : -50}%, -50%)`);
  }

  /** @param {string[]} names @param {State} state @param {Found} now */
  function sentence(names, { points, selected, moved }, now) {
    const weights = now.weights[selected];
    const best = attnkit.argmax(weights);
    const alike = weights[best] - Math.min(...weights) < 1e-9;
    const looks = alike ? "at all alike" : `most at ${names[best]} (${fixed(weights[best])})`;
    const [output, place] = [now.outputs[selected], points[moved]].map((point) => attnkit.pair(point));
    return `${names[selected]} asks and looks ${looks}; output ${output}. ${names[moved]} stands at ${place}.`;
  }

  /** @param {Figure<State, Given>} figure */
  function build(figure) {
    const { names, limit, features } = figure.given("names", "limit", "features");
    /** @param {number} v */
    const inside = (v) => Math.max(-limit, Math.min(limit, Math.round(20 * v) / 20));
    /** @type {Move} */
    const move = (points, k, point) => ({ points: points.with(k, point.map(inside)) });
    const plane = attnkit.plane({ limit: limit * 1.1, axes: features });
    const average = attnkit.average(plane, names.length);
    const outputs = names.map(() => attnkit.svg("circle", { r: 4, class: "ak-dot ak-of-output ak-faint" }));
    const dots = names.map((_, i) => {
      const [ring, hit] = [attnkit.svg("circle", { r: 8 }), attnkit.svg("circle", { r: 22, class: "ak-hit" })];
      const button = h("button", { type: "button" });
      for (const node of [hit, button]) hold(figure, plane, move, i, node);
      return { ring, button, element: attnkit.svg("g", {}, ring, hit) };
    });
    plane.element.append(...average.behind, ...dots.map((dot) => dot.element), ...outputs, average.dot);
    const buttons = dots.map((dot) => dot.button);
    const stop = attnkit.walk(buttons);
    const asks = h("div", { class: "ak-names", role: "group", "aria-label": "asks" }, buttons);
    // Where another one asks, its lines come out of those of the one before.
    const lines = attnkit.glide((weights) => average.show(figure.get("points"), weights));
    let asked = -1;

    /** @param {State} state */
    function update(state) {
      const { points, selected } = state;
      const now = compute(state);
      const middle = attnkit.blend(Array(points.length).fill(1 / points.length), points);
      if (selected === asked) lines.atOnce();
      asked = selected;
      lines.to(now.weights[selected]);
      stop.at(selected);
      dots.forEach(({ element, ring, button }, i) => {
        const place = plane.at(...points[i]);
        attnkit.move(element, place);
        attnkit.attr(ring, "class", `ak-dot ak-of-${i === selected ? "query" : "value"}`);
        attnkit.attr(button, "aria-pressed", String(i === selected));
        attnkit.write(button, `${names[i]} ${fixed(now.weights[selected][i])}`);
        placeName(button, points[i], place, middle, limit);
        attnkit.move(outputs[i], plane.at(...now.outputs[i]));
      });
      figure.say(sentence(names, state, now));
    }
    const picture = h("div", { class: "ak-over" }, plane, asks);
    const side = h("div", { class: "ak-side ak-stacked" }, picture, controls(figure, names, limit, move));
    return { parts: [side], update, stop: lines.stop };
  }

  attnkit.register("attention_plane", { label: "Points that attend to each other", compute, build });
})(globalThis.attnkit);
