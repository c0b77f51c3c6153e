// A query turns between the keys of a dictionary; the returned value blends.
((attnkit) => {
  "use strict";
  const { h, fixed } = attnkit;

  /** @typedef {{ query: number, temperature: number }} State */
  /** @typedef {{ words: string[], angles: number[], values: number[], unit: string }} Given */

  // The direction of an angle: 0 is up, then clockwise.
  const arrow = (degrees) => [Math.sin((Math.PI * degrees) / 180), Math.cos((Math.PI * degrees) / 180)];
  const STEP = 2.5; // degrees

  // The arithmetic, compared with attnkit.attention by tests/figures/.
  function compute({ angles, values, query, temperature }) {
    const q = arrow(query);
    const weights = attnkit.softmax(angles.map((a) => attnkit.dot(q, arrow(a)) / temperature));
    return { weights, answer: attnkit.dot(weights, values) };
  }

  // The keys around a circle, each with a line to it; over them the names with their weights, buttons that ask for a key.
  function keys(figure, plane, words, angles) {
    const [x1, y1] = plane.at(0, 0);
    const exact = figure.choice({ label: "ask for", words, values: angles, trait: "query" });
    exact.element.classList.add("ak-around");
    const lines = angles.map((a, i) => {
      const [dx, dy] = arrow(a);
      const [x, y] = plane.at(dx, dy);
      const line = attnkit.svg("line", { x1, y1, x2: x, y2: y, class: "ak-pull" });
      const weight = h("span", { class: "ak-small" });
      plane.element.append(line, attnkit.svg("circle", { cx: x, cy: y, r: 7, class: "ak-dot ak-of-key" }));
      const button = exact.buttons[i];
      button.append(" ", weight);
      // Outwards from its point, in hundredths of the drawing, which is as wide as there is room.
      const shift = dx > 0.3 ? 0 : dx < -0.3 ? -100 : -50;
      const place = `left:${(x + 12 * dx) / 3.2}%;top:${(y - 34 * dy) / 3.2}%`;
      button.setAttribute("style", `${place};transform:translate(${shift}%,-50%)`);
      return { line, weight };
    });
    return { lines, element: exact.element };
  }

  // The query, an arrow to be turned by its head.
  function needle(figure, plane) {
    const [cx, cy] = plane.at(0, 0);
    const [x, y] = plane.at(0, 0.95);
    const shaft = attnkit.svg("path", { d: `M${cx} ${cy}L${x} ${y}m-6 12l6 -12l6 12`, class: "ak-needle" });
    const hit = attnkit.grip(plane, (point) => {
      const angle = ((180 / Math.PI) * Math.atan2(...point) + 360) % 360;
      figure.put({ query: Math.round(angle / STEP) * STEP });
    });
    plane.element.append(shaft, hit);
    return (/** @type {number} */ query) => {
      attnkit.attr(shaft, "transform", `rotate(${query} ${cx} ${cy})`);
      attnkit.attr(hit, "transform", `rotate(${query} ${cx} ${cy}) translate(${x} ${y})`);
    };
  }

  // The answer for every direction: a smooth curve that turns into steps as the temperature falls.
  function chart({ angles, values, unit }) {
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const { element, scale, at, beside, below } = attnkit.chart([320, 190], [34, 36, 310, 164]);
    scale([0, 360], [low, high > low ? high : low + 1]);
    beside(fixed(low, 0), fixed(high, 0));
    below(...[0, 90, 180, 270, 360].map((degrees) => `${degrees}°`));
    const curve = attnkit.svg("path", { class: "ak-curve" });
    const mark = attnkit.svg("circle", { r: 6, class: "ak-dot ak-of-output" });
    const dots = angles.map((angle, k) => {
      const [cx, cy] = at(angle, values[k]);
      return attnkit.svg("circle", { cx, cy, r: 4, class: "ak-dot ak-of-value" });
    });
    element.append(attnkit.label(6, 16, `answer, ${unit}, for each query`, "ak-small", "start"), ...dots, curve, mark);
    return { element, curve, mark, at };
  }

  function build(figure) {
    const given = figure.given("words", "angles", "values", "unit");
    const { words, angles, values, unit } = given;
    const plane = attnkit.plane({ limit: 1.5 });
    const names = keys(figure, plane, words, angles);
    const turn = needle(figure, plane);
    const answers = chart(given);
    const query = figure.slider({
      ...{ name: "query, in °", trait: "query", min: 0, max: 360, step: STEP },
      format: (v) => fixed(v, v % 1 ? 1 : 0),
      word: (v) => `${fixed(v, 1)} degrees`,
    });
    const temperature = figure.logSlider({ name: "temperature", trait: "temperature", most: 100 });

    function update(state) {
      const { weights, answer } = compute({ ...given, ...state });
      turn(state.query);
      names.lines.forEach(({ line, weight }, i) => {
        attnkit.attr(line, "stroke-width", fixed(12 * weights[i], 1));
        attnkit.write(weight, fixed(weights[i]));
      });
      const path = Array.from({ length: 360 / STEP + 1 }, (_, k) =>
        answers.at(STEP * k, compute({ ...given, ...state, query: STEP * k }).answer),
      );
      attnkit.attr(answers.curve, "d", attnkit.path(path));
      attnkit.move(answers.mark, answers.at(state.query, answer));
      const best = attnkit.argmax(weights);
      const key = `${words[best]}, weight ${fixed(weights[best])}, value ${fixed(values[best], 0)}`;
      figure.say(`The dictionary answers ${fixed(answer, 1)} ${unit}. Best key: ${key}.`);
    }
    // The slider of the query stands under the chart, whose places are queries.
    const controls = attnkit.controls(query, temperature, figure.reset());
    const beside = h("div", { class: "ak-stacked" }, answers, controls);
    return { parts: [h("div", { class: "ak-side" }, h("div", { class: "ak-over" }, plane, names), beside)], update };
  }

  attnkit.register("soft_dictionary", { label: "A soft dictionary", compute, build });
})(globalThis.attnkit);
