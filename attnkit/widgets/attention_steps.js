// One query through attention, step by step: queries and keys, scores, weights, weighted values, their sum.
(function (attnkit) {
  "use strict";
  const { h, fixed } = attnkit;

  // The arithmetic, compared with attnkit.attention by tests/test_widgets.py.
  function compute({ queries, key_rows, values, selected, scale }) {
    const products = key_rows.map((key) => attnkit.dot(queries[selected], key));
    const scores = products.map((p) => scale * p);
    const weights = attnkit.softmax(scores);
    const weighted = values.map((v, i) => v.map((x) => weights[i] * x));
    return { products, scores, weights, weighted, output: attnkit.blend(weights, values) };
  }

  const STEPS = ["query, keys", "scores", "weights", "weigh values", "add up"];
  const CODE = ["q = Q[{j}]", "scores = scale * K @ q", "weights = softmax(scores)", "weighted = weights[:, None] * V", "output = weighted.sum(axis=0)"];

  function render({ model, el }) {
    const words = model.get("words");
    const queries = model.get("queries");
    const keys = model.get("key_rows");
    const values = model.get("values");
    const role = (name) => `ak-frame ak-frame-${name}`;
    const reach = Math.max(1, ...[...queries, ...keys].flat().map(Math.abs));
    const reachV = Math.max(1, ...values.flat().map(Math.abs));

    const asks = attnkit.choice("asks", words, (i) => attnkit.put(model, { selected: i }));
    const map = attnkit.choice("step", STEPS.map((s, i) => `${i + 1} ${s}`), (i) => attnkit.put(model, { step: i }));
    map.element.classList.add("ak-map");
    const scale = attnkit.logSlider({ name: "scale of scores", most: 10, onInput: (value) => attnkit.put(model, { scale: value }) });
    const buttons = h("div", { class: "ak-buttons" },
      h("button", { type: "button", onclick: () => attnkit.put(model, { step: (model.get("step") + 1) % STEPS.length }) }, "Next step"),
      h("button", { type: "button", onclick: () => attnkit.put(model, {
        selected: model.get("start_selected"), step: model.get("start_step"), scale: model.get("start_scale") }) }, "Reset"));

    const sentence = h("p", { class: "ak-say" });
    const code = h("code", {});
    const squares = (count, kind) => {
      const cells = Array.from({ length: count }, () => h("span", { class: "ak-sq" }));
      return { cells, element: h("span", { class: role(kind) }, ...cells) };
    };
    const fill = (row, numbers, largest) => numbers.forEach((v, k) => {
      attnkit.write(row.cells[k], fixed(v, 1));
      attnkit.paint(row.cells[k], v, largest);
    });
    const query = squares(queries[0].length, "query");
    const asking = h("span", {});
    const output = squares(values[0].length, "output");
    const lanes = words.map((word) => {
      const key = squares(keys[0].length, "key");
      const value = squares(values[0].length, "value");
      const weighted = squares(values[0].length, "value");
      const score = h("span", { class: "ak-num ak-c2" });
      const weight = h("span", { class: "ak-num ak-c3 ak-w" });
      const bar = h("span", { class: "ak-fill" });
      key.element.classList.add("ak-c1");
      value.element.classList.add("ak-c4");
      weighted.element.classList.add("ak-c4", "ak-last");
      const element = h("div", { class: "ak-lane" }, h("span", {}, word), key.element, score,
        h("span", { class: "ak-wide ak-c3", "aria-hidden": "true" }, bar), weight, value.element, weighted.element);
      return { key, value, weighted, score, weight, bar, element };
    });
    const heads = h("div", { class: "ak-lane ak-small" }, h("span", {}), h("span", { class: "ak-c1" }, "key"),
      h("span", { class: "ak-num ak-c2" }, "score"), h("span", { class: "ak-wide ak-c3 ak-blank" }), h("span", { class: "ak-num ak-c3 ak-w" }, "weight"),
      h("span", { class: "ak-c4" }, "value"), h("span", { class: "ak-c4 ak-last" }, "weight × value"));
    const stage = h("div", { class: "ak-steps" }, h("p", { class: "ak-line" }, asking, query.element),
      h("div", { class: "ak-stage" }, heads, ...lanes.map((l) => l.element)), h("p", { class: "ak-line ak-c5" }, h("span", {}, "output"), output.element));
    const frame = attnkit.frame(model, "Attention, step by step",
      h("div", { class: "ak-controls" }, asks.element, map.element, scale.element, buttons), sentence, h("p", { class: "ak-code" }, code), stage);
    el.replaceChildren(frame.element);
    keys.forEach((k, i) => fill(lanes[i].key, k, reach));
    values.forEach((v, i) => fill(lanes[i].value, v, reachV));

    function update() {
      const state = { queries, key_rows: keys, values, selected: model.get("selected"), scale: model.get("scale") };
      const step = model.get("step");
      const now = compute(state);
      const word = words[state.selected];
      const best = now.weights.indexOf(Math.max(...now.weights));
      asks.show(state.selected);
      map.show(step);
      scale.show(state.scale);
      attnkit.write(asking, `query of “${word}”`);
      fill(query, queries[state.selected], reach);
      fill(output, now.output, reachV);
      lanes.forEach((lane, i) => {
        attnkit.write(lane.score, fixed(now.scores[i], 2));
        attnkit.write(lane.weight, fixed(now.weights[i], 2));
        attnkit.style(lane.bar, "transform", `scaleX(${now.weights[i].toFixed(3)})`);
        fill(lane.weighted, now.weighted[i], reachV);
      });
      // Each step shows its own columns.
      attnkit.attr(stage, "data-step", String(step + 1));
      attnkit.write(code, CODE[step].replace("{j}", state.selected));
      attnkit.write(sentence, [
        `“${word}” asks with its query; every word holds out its key.`,
        `Each key meets the query: multiply, add up, times ${fixed(state.scale, 2)}. One score a word.`,
        "Softmax turns the scores into weights: none negative, sum 1.00.",
        "Each value is multiplied by its weight.",
        `Added up, they are the output of “${word}”: a blend of the values.`][step]);
      const most = step < 2 ? "" : `“${word}” looks most at “${words[best]}”, weight ${fixed(now.weights[best])}. `;
      frame.say(most + [`The query of “${word}” is (${queries[state.selected].map((v) => fixed(v, 1)).join(", ")}).`,
          `Scores: ${words.map((w, i) => `${w} ${fixed(now.scores[i])}`).join(", ")}.`,
          `Weights: ${words.map((w, i) => `${w} ${fixed(now.weights[i])}`).join(", ")}.`,
          `Weighted values: ${words.map((w, i) => `${w} (${now.weighted[i].map((v) => fixed(v, 1)).join(", ")})`).join(", ")}.`,
          `Output: (${now.output.map((v) => fixed(v, 2)).join(", ")}).`][step]);
    }
    const leave = attnkit.follow(model, ["selected", "step", "scale"], update);
    return () => { frame.stop(); leave(); };
  }

  attnkit.figures.attention_steps = { compute, render };
})(globalThis.attnkit);
