// One query through attention, step by step: queries and keys, scores, weights, weighted values, their sum.
((attnkit) => {
  "use strict";
  const { h, fixed, quoted } = attnkit;

  /** @typedef {{ selected: number, step: number, scale: number }} State */
  /** @typedef {{ queries: Matrix, key_rows: Matrix, values: Matrix }} Data */
  /** @typedef {Data & { words: string[] }} Given */
  /** @typedef {State & ReturnType<typeof compute> & { word: string, query: number[] }} Now */

  // The arithmetic, compared with attnkit.attention by tests/figures/.
  /** @param {Data & { selected: number, scale: number }} data */
  function compute({ queries, key_rows, values, selected, scale }) {
    const products = key_rows.map((key) => attnkit.dot(queries[selected], key));
    const scores = products.map((p) => scale * p);
    const weights = attnkit.softmax(scores);
    const weighted = values.map((v, i) => v.map((x) => weights[i] * x));
    return { products, scores, weights, weighted, output: attnkit.blend(weights, values) };
  }

  /** @param {number[]} numbers @param {number} digits */
  const vector = (numbers, digits) => `(${numbers.map((v) => fixed(v, digits)).join(", ")})`;

  // Each step: its name, its line of Python, what it does, what comes out of it.
  /** @type {{ name: string, code(now: Now): string, says(now: Now): string, result(now: Now & { best: number }, each: (text: (i: number) => string) => string): string }[]} */
  const STEPS = [
    {
      name: "query, keys",
      code: ({ selected }) => `q = Q[${selected}]`,
      says: ({ word }) => `${quoted(word)} asks with its query; every word holds out its key.`,
      result: ({ word, query }) => `The query of ${quoted(word)} is ${vector(query, 1)}.`,
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
      result: ({ weighted, best }) => `Its weighted value: ${vector(weighted[best], 1)}.`,
    },
    {
      name: "add up",
      code: () => "output = weighted.sum(axis=0)",
      says: ({ word }) => `Added up, they are the output of ${quoted(word)}: a blend of the values.`,
      result: ({ output }) => `Output: ${vector(output, 2)}.`,
    },
  ];

  /** @param {Figure<State, Given>} figure */
  function controls(figure) {
    const steps = figure.choice({
      label: "step",
      words: STEPS.map(({ name }, i) => `${i + 1} ${name}`),
      trait: "step",
    });
    const next = figure.button("Next step", ({ step }) => ({ step: (step + 1) % STEPS.length }));
    steps.element.append(next);
    const scale = figure.logSlider({ name: "scale", trait: "scale", most: 10 });
    const last = h("div", { class: "ak-last-row" }, scale.element, figure.reset());
    return h("div", { class: "ak-controls" }, steps.element, last);
  }

  // A vector as squares in a frame.
  /** @param {number} count @param {string} role @param {string} [place] */
  function squares(count, role, place = "") {
    const cells = Array.from({ length: count }, () => h("span", { class: "ak-sq" }));
    return { cells, element: h("span", { class: `ak-frame ak-frame-${role}${place}` }, ...cells) };
  }

  /** @param {{ cells: HTMLElement[] }} vector @param {number[]} numbers @param {number} vmax */
  function fill({ cells }, numbers, vmax) {
    numbers.forEach((v, k) => {
      attnkit.write(cells[k], fixed(v, 1));
      attnkit.paint(cells[k], v, vmax);
    });
  }

  // One word's way: key, score, weight, value, weighted value. The classes ak-c1 to ak-c5 say in which step each appears.
  /** @param {number[]} key @param {number[]} value */
  function lane(key, value) {
    const parts = {
      key: squares(key.length, "key", " ak-c1"),
      score: h("span", { class: "ak-sq" }),
      bar: h("span", { class: "ak-fill", "aria-hidden": "true" }),
      weight: h("span", { class: "ak-number" }),
      value: squares(value.length, "value", " ak-c4 ak-v"),
      weighted: squares(value.length, "value", " ak-c4"),
    };
    const cells = [
      parts.key.element,
      h("span", { class: "ak-place ak-c2" }, parts.score),
      h("span", { class: "ak-place ak-c3" }, h("span", { class: "ak-sq ak-bar" }, parts.bar, parts.weight)),
      parts.value.element,
      parts.weighted.element,
    ];
    return { ...parts, cells };
  }

  function headings() {
    const columns = [
      [null],
      ["ak-c1", "key"],
      ["ak-c2", "score"],
      ["ak-c3", "weight"],
      ["ak-c4 ak-v", "value"],
      ["ak-c4", "weight × value"],
    ];
    const names = columns.map(([place, ...name]) =>
      h("span", { class: place && `ak-head ak-small ${place}` }, ...name),
    );
    return h("div", { class: "ak-lane" }, ...names);
  }

  // The query, a lane for each word, whose name is the button that lets it ask, and the output. What later steps fill
  // is an empty place until then.
  /** @param {Figure<State, Given>} figure @param {string[]} words @param {Data} data */
  function drawing(figure, words, { queries, key_rows, values }) {
    const asks = figure.choice({ label: "asks", words, trait: "selected" });
    const [whose, query] = [h("span", { class: "ak-small" }), squares(queries[0].length, "query")];
    const output = squares(values[0].length, "output", " ak-c5");
    const lanes = words.map((_, i) => lane(key_rows[i], values[i]));
    const rows = lanes.map(({ cells }, i) => h("div", { class: "ak-lane" }, asks.buttons[i], ...cells));
    asks.element.replaceChildren(
      h("p", { class: "ak-query-line" }, query.element, whose),
      headings(),
      ...rows,
      h("p", { class: "ak-output-line" }, h("span", { class: "ak-small" }, "added up: the output"), output.element),
    );
    attnkit.attr(asks.element, "class", "ak-stage");
    return { whose, query, lanes, output, element: asks.element };
  }

  // What comes out of the step, once there are weights after the word that is looked at most.
  /** @param {number} step @param {string[]} words @param {Now} now */
  function told(step, words, now) {
    const { word, weights } = now;
    const best = attnkit.argmax(weights);
    const most =
      step < 2 ? "" : `${quoted(word)} looks most at ${quoted(words[best])}, weight ${fixed(weights[best])}. `;
    /** @param {(i: number) => string} text */
    const each = (text) => words.map((w, i) => `${w} ${text(i)}`).join(", ");
    return most + STEPS[step].result({ ...now, best }, each);
  }

  /** @param {Figure<State, Given>} figure */
  function build(figure) {
    const words = figure.get("words");
    const data = figure.given("queries", "key_rows", "values");
    const { queries, key_rows, values } = data;
    const vmax = Math.max(1, ...[...queries, ...key_rows].flat().map(Math.abs));
    const vmaxOfValues = Math.max(1, ...values.flat().map(Math.abs));
    const sentence = h("p", { class: "ak-say" });
    const code = h("code", {});
    const { whose, query, lanes, output, element } = drawing(figure, words, data);

    /** @param {State} state */
    function update(state) {
      const { step, selected } = state;
      const now = { ...state, ...compute({ ...data, ...state }), word: words[selected], query: queries[selected] };
      const vmaxOfScores = Math.max(1, ...now.scores.map(Math.abs));
      attnkit.write(whose, `query of ${quoted(now.word)}`);
      fill(query, now.query, vmax);
      fill(output, now.output, vmaxOfValues);
      lanes.forEach(({ key, score, weight, bar, value, weighted }, i) => {
        fill(key, key_rows[i], vmax);
        attnkit.write(score, fixed(now.scores[i], 2));
        attnkit.paint(score, now.scores[i], vmaxOfScores);
        attnkit.write(weight, fixed(now.weights[i], 2));
        attnkit.style(bar, "transform", `scaleX(${now.weights[i].toFixed(3)})`);
        fill(value, values[i], vmaxOfValues);
        fill(weighted, now.weighted[i], vmaxOfValues);
      });
      attnkit.attr(element, "data-step", String(step + 1));
      attnkit.write(code, STEPS[step].code(now));
      attnkit.write(sentence, STEPS[step].says(now));
      figure.say(told(step, words, now));
    }
    return { parts: [element, sentence, h("p", { class: "ak-code" }, code), controls(figure)], update };
  }

  attnkit.register("attention_steps", { label: "Attention, step by step", compute, build });
})(globalThis.attnkit);
