// One query through attention, step by step: queries and keys, scores, weights, weighted values, their sum.
((attnkit) => {
  "use strict";
  const { h, fixed } = attnkit;

  // The arithmetic, compared with attnkit.attention by tests/test_figures.py.
  function compute({ queries, key_rows, values, selected, scale }) {
    const products = key_rows.map((key) => attnkit.dot(queries[selected], key));
    const scores = products.map((p) => scale * p);
    const weights = attnkit.softmax(scores);
    const weighted = values.map((v, i) => v.map((x) => weights[i] * x));
    return { products, scores, weights, weighted, output: attnkit.blend(weights, values) };
  }

  const vector = (numbers, digits) => `(${numbers.map((v) => fixed(v, digits)).join(", ")})`;

  // Each step: its name, its line of Python, what it does, what comes out of it.
  const STEPS = [
    {
      name: "query, keys",
      code: ({ selected }) => `q = Q[${selected}]`,
      says: ({ word }) => `“${word}” asks with its query; every word holds out its key.`,
      result: ({ word, query }) => `The query of “${word}” is ${vector(query, 1)}.`,
    },
    {
      name: "scores",
      code: () => "scores = scale * K @ q",
      says: ({ scale }) => `Each key meets the query: multiply, add up, times ${fixed(scale, 2)}. One score a word.`,
      result: ({ scores }, each) => `Scores: ${each((i) => fixed(scores[i]))}.`,
    },
    {
      name: "weights",
      code: () => "weights = softmax(scores)",
      says: () => "Softmax turns the scores into weights: none negative, sum 1.00.",
      result: ({ weights }, each) => `Weights: ${each((i) => fixed(weights[i]))}.`,
    },
    {
      name: "weigh values",
      code: () => "weighted = weights[:, None] * V",
      says: () => "Each value is multiplied by its weight.",
      result: ({ weighted }, each) => `Weighted values: ${each((i) => vector(weighted[i], 1))}.`,
    },
    {
      name: "add up",
      code: () => "output = weighted.sum(axis=0)",
      says: ({ word }) => `Added up, they are the output of “${word}”: a blend of the values.`,
      result: ({ output }) => `Output: ${vector(output, 2)}.`,
    },
  ];

  function controls(figure, words) {
    const asks = figure.choice({ label: "asks", words, trait: "selected" });
    const map = figure.choice({ label: "step", words: STEPS.map(({ name }, i) => `${i + 1} ${name}`), trait: "step" });
    map.element.classList.add("ak-map");
    const scale = figure.logSlider({ name: "scale of scores", trait: "scale", most: 10 });
    const next = figure.button("Next step", ({ step }) => ({ step: (step + 1) % STEPS.length }));
    const buttons = h("div", { class: "ak-buttons" }, next, figure.reset());
    return h("div", { class: "ak-controls" }, asks.element, map.element, scale.element, buttons);
  }

  // A vector as squares in a frame.
  function squares(count, role, place = "") {
    const cells = Array.from({ length: count }, () => h("span", { class: "ak-sq" }));
    return { cells, element: h("span", { class: `ak-frame ak-frame-${role}${place}` }, ...cells) };
  }

  function fill({ cells }, numbers, vmax) {
    numbers.forEach((v, k) => {
      attnkit.write(cells[k], fixed(v, 1));
      attnkit.paint(cells[k], v, vmax);
    });
  }

  // One word's way: key, score, weight, value, weighted value. The classes ak-c1 to ak-c5 say in which step each appears.
  function lane(word, key, value) {
    const parts = {
      key: squares(key.length, "key", " ak-c1"),
      score: h("span", { class: "ak-num ak-c2" }),
      bar: h("span", { class: "ak-fill" }),
      weight: h("span", { class: "ak-num ak-c3 ak-w" }),
      value: squares(value.length, "value", " ak-c4"),
      weighted: squares(value.length, "value", " ak-c4 ak-last"),
    };
    const element = h(
      "div",
      { class: "ak-lane" },
      h("span", {}, word),
      parts.key.element,
      parts.score,
      h("span", { class: "ak-wide ak-c3", "aria-hidden": "true" }, parts.bar),
      parts.weight,
      parts.value.element,
      parts.weighted.element,
    );
    return { ...parts, element };
  }

  function headings() {
    const columns = [
      [null],
      ["ak-c1", "key"],
      ["ak-num ak-c2", "score"],
      ["ak-wide ak-c3 ak-blank"],
      ["ak-num ak-c3 ak-w", "weight"],
      ["ak-c4", "value"],
      ["ak-c4 ak-last", "weight × value"],
    ];
    const names = columns.map(([place, ...name]) => h("span", { class: place }, ...name));
    return h("div", { class: "ak-lane ak-small" }, ...names);
  }

  // The query, a lane for each word, the output.
  function drawing(words, { queries, key_rows, values }) {
    const asking = h("span", {});
    const query = squares(queries[0].length, "query");
    const output = squares(values[0].length, "output");
    const lanes = words.map((word, i) => lane(word, key_rows[i], values[i]));
    const element = h(
      "div",
      { class: "ak-steps" },
      h("p", { class: "ak-line" }, asking, query.element),
      h("div", { class: "ak-stage" }, headings(), ...lanes.map((l) => l.element)),
      h("p", { class: "ak-line ak-c5" }, h("span", {}, "output"), output.element),
    );
    return { asking, query, lanes, output, element };
  }

  // What comes out of the step, once there are weights after the word that is looked at most.
  function told(step, words, now) {
    const { word, weights } = now;
    const best = weights.indexOf(Math.max(...weights));
    const most = step < 2 ? "" : `“${word}” looks most at “${words[best]}”, weight ${fixed(weights[best])}. `;
    const each = (text) => words.map((w, i) => `${w} ${text(i)}`).join(", ");
    return most + STEPS[step].result(now, each);
  }

  function build(figure) {
    const words = figure.get("words");
    const data = Object.fromEntries(["queries", "key_rows", "values"].map((name) => [name, figure.get(name)]));
    const { queries, key_rows, values } = data;
    const vmax = Math.max(1, ...[...queries, ...key_rows].flat().map(Math.abs));
    const vmaxOfValues = Math.max(1, ...values.flat().map(Math.abs));
    const sentence = h("p", { class: "ak-say" });
    const code = h("code", {});
    const { asking, query, lanes, output, element } = drawing(words, data);
    lanes.forEach(({ key, value }, i) => {
      fill(key, key_rows[i], vmax);
      fill(value, values[i], vmaxOfValues);
    });

    function update(state) {
      const { step, selected } = state;
      const now = { ...state, ...compute({ ...data, ...state }), word: words[selected], query: queries[selected] };
      attnkit.write(asking, `query of “${now.word}”`);
      fill(query, now.query, vmax);
      fill(output, now.output, vmaxOfValues);
      lanes.forEach(({ score, weight, bar, weighted }, i) => {
        attnkit.write(score, fixed(now.scores[i], 2));
        attnkit.write(weight, fixed(now.weights[i], 2));
        attnkit.style(bar, "transform", `scaleX(${now.weights[i].toFixed(3)})`);
        fill(weighted, now.weighted[i], vmaxOfValues);
      });
      // Each step shows its own columns.
      attnkit.attr(element, "data-step", String(step + 1));
      attnkit.write(code, STEPS[step].code(now));
      attnkit.write(sentence, STEPS[step].says(now));
      figure.say(told(step, words, now));
    }
    return { parts: [controls(figure, words), sentence, h("p", { class: "ak-code" }, code), element], update };
  }

  attnkit.register("attention_steps", { label: "Attention, step by step", compute, build });
})(globalThis.attnkit);
