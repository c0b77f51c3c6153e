// A query turns between the keys of a dictionary; the returned value blends.
(function (attnkit) {
  "use strict";
  const { h, fixed } = attnkit;
  const arrow = (degrees) => [Math.sin((Math.PI * degrees) / 180), Math.cos((Math.PI * degrees) / 180)];     // 0 up, clockwise

  // The arithmetic, compared with attnkit.attention by tests/test_widgets.py.
  function look({ angles, values, query, sharpness }) {
    const q = arrow(query);
    const weights = attnkit.softmax(angles.map((a) => sharpness * attnkit.dot(q, arrow(a))));
    return { weights, answer: attnkit.dot(weights, values) };
  }
  const compute = look;

  function render({ model, el }) {
    const words = model.get("words");
    const angles = model.get("angles");
    const values = model.get("values");
    const unit = model.get("unit");
    const given = (changes) => ({ angles, values, query: model.get("query"), sharpness: model.get("sharpness"), ...changes });

    const turn = attnkit.slider({
      name: "query, in °", min: 0, max: 360, step: 2.5, format: (v) => fixed(v, v % 1 ? 1 : 0), word: (v) => `${fixed(v, 1)} degrees`,
      onInput: (value) => attnkit.put(model, { query: value }),
    });
    const sharp = attnkit.logSlider({ name: "sharpness", most: 100, onInput: (value) => attnkit.put(model, { sharpness: value }) });
    const exact = attnkit.choice("ask for", words, (i) => attnkit.put(model, { query: angles[i] }));
    exact.element.append(h("button", { type: "button", onclick: () => attnkit.put(model, {
      query: model.get("start_query"), sharpness: model.get("start_sharpness") }) }, "Reset"));

    const plane = attnkit.plane({ reach: 1.5 });
    const [cx, cy] = plane.at(0, 0);
    const lines = angles.map((a, i) => {
      const [x, y] = plane.at(...arrow(a));
      const line = attnkit.svg("line", { x1: cx, y1: cy, x2: x, y2: y, class: "ak-pull" });
      const [dx, dy] = arrow(a);
      const [tx, ty] = [x + 14 * dx, y - 28 * dy];          // two lines of text, outwards from the point
      const anchor = dx > 0.3 ? "start" : dx < -0.3 ? "end" : "middle";
      plane.element.append(line, attnkit.svg("circle", { cx: x, cy: y, r: 7, class: "ak-dot ak-of-key" }));
      const name = attnkit.label(tx, ty - 2, words[i], "ak-text", anchor);
      const weight = attnkit.label(tx, ty + 13, "", "ak-small", anchor);
      plane.element.append(name, weight);
      return { line, weight };
    });
    const [qx, qy] = plane.at(0, 0.95);
    const needle = attnkit.svg("path", { d: `M${cx} ${cy}L${qx} ${qy}m-6 12l6 -12l6 12`, class: "ak-needle" });
    const hit = attnkit.svg("circle", { cx: qx, cy: qy, r: 24, class: "ak-hit" });
    let held = false;
    hit.addEventListener("pointerdown", (event) => { held = true; hit.setPointerCapture(event.pointerId); event.preventDefault(); });
    hit.addEventListener("pointermove", (event) => {
      if (!held) return;
      const [x, y] = plane.from(event);
      attnkit.put(model, { query: Math.round(((180 / Math.PI) * Math.atan2(x, y) + 360) % 360 / 2.5) * 2.5 });
    });
    for (const end of ["pointerup", "pointercancel"]) hit.addEventListener(end, () => (held = false));
    plane.element.append(needle, hit);

    // The answer for every direction: a smooth curve that turns into steps as the sharpness grows.
    const low = Math.min(...values), high = Math.max(...values), W = 320, H = 190;
    const px = (degrees) => 34 + (degrees / 360) * (W - 44);
    const py = (v) => H - 26 - ((v - low) / (high - low || 1)) * (H - 66);
    const curve = attnkit.svg("path", { class: "ak-curve" });
    const mark = attnkit.svg("circle", { r: 6, class: "ak-dot ak-of-output" });
    const chart = attnkit.svg("svg", { viewBox: `0 0 ${W} ${H}`, class: "ak-chart", "aria-hidden": "true" });
    chart.append(attnkit.svg("path", { d: `M34 30V${H - 26}H${W - 10}`, class: "ak-axis" }),
      attnkit.label(30, py(low) + 4, fixed(low, 0), "ak-small", "end"), attnkit.label(30, py(high) + 4, fixed(high, 0), "ak-small", "end"),
      attnkit.label(6, 16, `answer, ${unit}, for each query`, "ak-small", "start"),
      ...[0, 90, 180, 270, 360].map((d) => attnkit.label(px(d), H - 8, `${d}°`, "ak-small")),
      ...angles.map((a, i) => attnkit.svg("circle", { cx: px(a), cy: py(values[i]), r: 4, class: "ak-dot ak-of-value" })), curve, mark);
    const frame = attnkit.frame(model, "A soft dictionary", h("div", { class: "ak-side" }, plane.element, chart),
      h("div", { class: "ak-controls" }, turn.element, sharp.element, exact.element));
    el.replaceChildren(frame.element);

    function update() {
      const now = look(given({}));
      const { query, sharpness } = given({});
      turn.show(query);
      sharp.show(sharpness);
      exact.show(angles.indexOf(query));
      for (const part of [needle, hit]) attnkit.attr(part, "transform", `rotate(${query} ${cx} ${cy})`);
      lines.forEach(({ line, weight }, i) => {
        attnkit.attr(line, "stroke-width", fixed(12 * now.weights[i], 1));
        attnkit.write(weight, fixed(now.weights[i]));
      });
      const path = Array.from({ length: 145 }, (_, k) => `${px(2.5 * k).toFixed(1)} ${py(look(given({ query: 2.5 * k })).answer).toFixed(1)}`);
      attnkit.attr(curve, "d", `M${path.join("L")}`);
      attnkit.attr(mark, "transform", `translate(${px(query).toFixed(1)} ${py(now.answer).toFixed(1)})`);
      const best = now.weights.indexOf(Math.max(...now.weights));
      frame.say(`The dictionary answers ${fixed(now.answer, 1)} ${unit}. Best key: ${words[best]}, weight ${fixed(now.weights[best])}, ` +
        `value ${fixed(values[best], 0)}.`);
    }
    const leave = attnkit.follow(model, ["query", "sharpness"], update);
    return () => { frame.stop(); leave(); };
  }

  attnkit.figures.soft_dictionary = { compute, render };
})(globalThis.attnkit);
