// The same query and keys under each score function: the plane is coloured by what a key there would score.
(function (attnkit) {
  "use strict";
  const { h, fixed, dot } = attnkit;

  // The arithmetic, compared with attnkit.scores by tests/test_widgets.py. What hangs on the query alone is done once.
  const direction = (a) => {
    const length = Math.hypot(...a) || 1;
    return a.map((x) => x / length);
  };
  const SCORES = {
    dot: ({ query }) => (key) => dot(query, key),
    "scaled dot": ({ query }) => (key) => dot(query, key) / Math.sqrt(query.length),
    cosine({ query }) {
      const to = direction(query);
      return (key) => dot(to, direction(key));
    },
    general({ query, weight }) {
      const turned = attnkit.blend(query, weight);
      return (key) => dot(turned, key);
    },
    additive({ query, w_query, w_key, v }) {
      const from = attnkit.blend(query, w_query);
      const columns = v.map((_, k) => w_key.map((row) => row[k]));
      return (key) => columns.reduce((sum, column, k) => sum + v[k] * Math.tanh(from[k] + dot(key, column)), 0);
    },
  };
  function compute(state) {
    const scores = state.key_rows.map(SCORES[state.score](state));
    return { scores, weights: attnkit.softmax(scores) };
  }

  const NAMES = Object.keys(SCORES);
  const CODE = ["query @ key", "query @ key / sqrt(2)", "unit(query) @ unit(key)", "query @ weight @ key",
    "tanh(query @ w_query + key @ w_key) @ v"];
  const SHAPES = ["(2,) @ (2,)", "(2,) @ (2,)", "(2,) @ (2,)", "(2,) @ (2, 2) @ (2,)",
    "tanh((2,) @ (2, {d}) + (2,) @ (2, {d})) @ ({d},)"];
  const SIDE = 31;      // cells along each side of the field; odd, so that one stands in the middle

  function render({ model, el }) {
    const words = model.get("words");
    const keys = model.get("key_rows");
    const reach = model.get("reach");
    const parameters = Object.fromEntries(["weight", "w_query", "w_key", "v"].map((name) => [name, model.get(name)]));
    const hidden = parameters.v.length;
    const bound = parameters.v.reduce((sum, v) => sum + Math.abs(v), 0);
    const learned = [0, 0, 0, 4, 5 * hidden];
    const limit = (v) => Math.max(-reach, Math.min(reach, Math.round(10 * v) / 10));
    const move = (point) => attnkit.put(model, { query: point.map(limit) });
    const pair = (p) => `(${p.map((v) => fixed(v, 1)).join(", ")})`;

    const choice = attnkit.choice("score", NAMES, (i) => attnkit.put(model, { score: NAMES[i] }));
    choice.element.append(h("button", { type: "button", onclick: () => attnkit.put(model, {
      query: model.get("start_query"), score: model.get("start_score") }) }, "Reset"));
    const sliders = ["left, right", "down, up"].map((name, axis) => attnkit.slider({
      name, min: -reach, max: reach, step: 0.1, format: (v) => fixed(v, 1), word: (v) => fixed(v, 1),
      onInput: (value) => move(model.get("query").map((v, a) => (a === axis ? value : v))),
    }));

    const plane = attnkit.plane({ reach });
    const [cx, cy] = plane.at(0, 0);
    const [left, top] = plane.at(-reach, reach);
    const [right, bottom] = plane.at(reach, -reach);
    const there = Array.from({ length: SIDE ** 2 }, (_, k) => [2 * (k % SIDE) + 1 - SIDE, SIDE - 1 - 2 * Math.floor(k / SIDE)]
      .map((steps) => (reach * steps) / SIDE));
    const raster = attnkit.raster(SIDE, SIDE);
    const tick = (x, y, v, anchor) => attnkit.label(x, y, fixed(v, 0), "ak-text ak-tick", anchor);
    const dots = keys.map((key, i) => {
      const [x, y] = plane.at(...key);
      // A name stands above its point, inwards and below where the edge of the field is near.
      const line = key[1] > 0.8 * reach ? y + 24 : y - 12;
      const anchor = Math.abs(key[0]) < 0.55 * reach ? "middle" : key[0] < 0 ? "start" : "end";
      const lean = { start: 28, middle: 0, end: -28 }[anchor];
      return { taken: [[x, y], [x + lean, line]], text: attnkit.label(x, line, "", "ak-text", anchor),
        ring: attnkit.svg("circle", { cx: x, cy: y, r: 7, class: "ak-dot ak-of-key" }) };
    });
    const taken = dots.flatMap((d) => d.taken);
    const [shaft, turned] = ["ak-needle", "ak-needle ak-turned"].map((kind) => attnkit.svg("path", { class: kind }));
    const tip = attnkit.svg("circle", { r: 7, class: "ak-dot ak-of-query" });
    const name = attnkit.label(0, 0, "query", "ak-text ak-strong");
    const hit = attnkit.svg("circle", { r: 24, class: "ak-hit" });
    let held = false;
    hit.addEventListener("pointerdown", (event) => {
      held = true;
      hit.setPointerCapture(event.pointerId);
      event.preventDefault();
    });
    hit.addEventListener("pointermove", (event) => { if (held) move(plane.from(event)); });
    for (const over of ["pointerup", "pointercancel"]) hit.addEventListener(over, () => (held = false));
    plane.element.append(attnkit.svg("path", { d: `M${left} ${cy}H${right}M${cx} ${top}V${bottom}`, class: "ak-axis" }),
      tick(left + 3, cy - 4, -reach, "start"), tick(right - 3, cy - 4, reach, "end"),
      tick(cx + 4, bottom - 4, -reach, "start"), tick(cx + 4, top + 14, reach, "start"),
      turned, shaft, tip, ...dots.map((d) => d.ring), ...dots.map((d) => d.text), name, hit);

    const sentence = h("p", { class: "ak-say" });
    const [code, shapes, extent] = [h("code", {}), h("p", { class: "ak-small" }), h("p", { class: "ak-small" })];
    const rows = words.map((word) => {
      const [score, weight, bar] = [h("td", {}), h("td", {}), h("span", { class: "ak-fill" })];
      const element = h("tr", {}, h("th", { scope: "row" }, word), score, weight, h("td", { class: "ak-wide" }, bar));
      return { score, weight, bar, element };
    });
    const table = h("table", { class: "ak-grid" },
      h("thead", {}, h("tr", {}, ...["key", "score", "weight"].map((t) => h("th", { scope: "col" }, t)),
        h("td", { class: "ak-wide" }))),
      h("tbody", {}, ...rows.map((r) => r.element)));
    const frame = attnkit.frame(model, "A field of scores",
      h("div", { class: "ak-controls" }, choice.element, ...sliders.map((s) => s.element)), sentence,
      h("div", { class: "ak-side ak-field" }, h("div", { class: "ak-over" }, raster.element, plane.element),
        h("div", {}, h("p", { class: "ak-code" }, code), shapes, table, extent)));
    el.replaceChildren(frame.element);

    // A line from the middle; what would leave the field ends at its edge, and `barbed` in an arrow's head.
    function point(node, p, barbed) {
      const short = Math.min(1, reach / Math.max(...p.map(Math.abs), 1e-9));
      const [x, y] = plane.at(...p.map((v) => v * short));
      const angle = Math.atan2(y - cy, x - cx);
      const place = (u, v) => `${u.toFixed(1)} ${v.toFixed(1)}`;
      const barb = (turn) => place(x - 12 * Math.cos(angle + turn), y - 12 * Math.sin(angle + turn));
      const head = !barbed || Math.hypot(...p) < 0.3 ? "" : `M${barb(0.5)}L${place(x, y)}L${barb(-0.5)}`;
      attnkit.attr(node, "d", `M${cx} ${cy}L${place(x, y)}${head}`);
    }
    function update() {
      const state = { ...parameters, query: model.get("query"), score: model.get("score") };
      const { query, score } = state;
      const now = compute({ ...state, key_rows: keys });
      const field = compute({ ...state, key_rows: there }).scores;
      const [low, high] = [Math.min(...field), Math.max(...field)];
      const largest = Math.max(-low, high) || 1;
      const chosen = NAMES.indexOf(score);
      choice.show(chosen);
      sliders.forEach((s, axis) => s.show(query[axis]));
      raster.show(field, largest);
      point(shaft, query, false);
      point(turned, attnkit.blend(query, parameters.weight), true);
      attnkit.style(turned, "display", score === "general" ? "" : "none");
      const [x, y] = plane.at(...query);
      for (const node of [tip, hit]) attnkit.attr(node, "transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
      // Its name stands on the side where the keys and their names leave most room.
      const others = [...taken, [x, y], [(x + cx) / 2, (y + cy) / 2]];
      const room = ([a, b]) => Math.min(...others.map(([u, v]) => Math.hypot((a - u) / 3, b - v)));
      const sides = [[x, y - 14], [x, y + 24], [x + 38, y + 5], [x - 38, y + 5]].map(([a, b]) =>
        [Math.max(left + 24, Math.min(right - 24, a)), Math.max(top + 14, Math.min(bottom - 5, b))]);
      const free = sides.reduce((a, b) => (room(b) > room(a) ? b : a));
      attnkit.attr(name, "transform", `translate(${free.map((v) => v.toFixed(1)).join(" ")})`);
      rows.forEach((row, i) => {
        attnkit.write(dots[i].text, `${words[i]} ${fixed(now.weights[i])}`);
        attnkit.write(row.score, fixed(now.scores[i], 2));
        attnkit.paint(row.score, now.scores[i], largest);
        attnkit.write(row.weight, fixed(now.weights[i], 2));
        attnkit.style(row.bar, "transform", `scaleX(${now.weights[i].toFixed(3)})`);
      });
      attnkit.write(sentence, [
        "Stripes across the query: the further along its direction a key lies, the higher its score.",
        `The same stripes, each score divided by √2 = ${fixed(Math.SQRT2)}: the weights are more even.`,
        "Rays from the middle: only the direction of a key counts, not how far out it lies.",
        "Stripes again, across the dashed arrow: query @ weight, the query turned and stretched.",
        `The query shifts a landscape that tanh has bent; no score is beyond ±${fixed(bound)}.`][chosen]);
      attnkit.write(code, `score = ${CODE[chosen]}`);
      attnkit.write(shapes, `Shapes: ${SHAPES[chosen].replaceAll("{d}", hidden)} → one number. ` +
        `Learned: ${learned[chosen] ? `${learned[chosen]} numbers` : "nothing"}.`);
      attnkit.write(extent, `Scores on the field: ${fixed(low)} to ${fixed(high)}; blue is positive, orange negative.`);
      const best = now.weights.indexOf(Math.max(...now.weights));
      const alike = now.weights[best] - Math.min(...now.weights) < 1e-9;
      frame.say(`Score: ${score}. The query at ${pair(query)} ` + (alike ? "finds all keys alike." :
        `finds “${words[best]}” best: score ${fixed(now.scores[best])}, weight ${fixed(now.weights[best])}.`));
    }
    const leave = attnkit.follow(model, ["query", "score"], update);
    return () => { frame.stop(); leave(); };
  }

  attnkit.figures.score_field = { compute, render };
})(globalThis.attnkit);
