// Scores and a temperature; a power of e comes of each score, and of each power its share of their sum.
((attnkit) => {
  "use strict";
  const { h, fixed } = attnkit;

  /** @typedef {{ scores: number[], temperature: number }} State */
  /** @typedef {{ names: string[] }} Given */
  /** @typedef {ReturnType<typeof compute>} Found */

  // The arithmetic, compared with attnkit.softmax by tests/figures/.
  function compute({ scores, temperature }) {
    const powers = scores.map((s) => Math.exp(s / temperature)); // at most e to the 40: there is no overflow
    const weights = attnkit.softmax(scores.map((s) => s / temperature));
    return { powers, written: powers.map(written), weights };
  }

  // A power as a reader takes it in: two decimals, or where those say nothing a power of ten, 2.4 × 10^17.
  function written(power) {
    if (power >= 0.005 && power < 1000) return fixed(power);
    const [digits, exponent] = power.toExponential(1).split("e");
    return `${digits} × 10^${fixed(Number(exponent), 0)}`;
  }

  // ---- in words

  const COUNTS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight"];

  // Who has the largest weight. Equal scores tie, whatever the last bit of a weight says.
  function leaders(names, scores, weights) {
    const best = Math.max(...scores);
    const first = names.filter((_, i) => best - scores[i] < 1e-9);
    const weight = fixed(Math.max(...weights));
    const count = COUNTS[names.length] ?? String(names.length);
    const sum = `the ${count} weights sum to 1.`;
    if (names.length === 1) return `${names[0]} is alone and has all the weight, ${weight}.`;
    if (first.length === names.length) return `All ${count} weights are the same, ${weight}; they sum to 1.`;
    if (first.length > 1) return `${attnkit.listed(first)} share the largest weight, ${weight} each; ${sum}`;
    return `${first[0]} gets the largest weight, ${weight}; ${sum}`;
  }

  // ---- the parts

  // A number and its bar; of a power of ten the exponent stands above, and in words for the ear.
  function powerGauge() {
    const { element, show } = attnkit.gauge();
    const [number, words, above] = [h("span", {}), h("span", { class: "ak-unseen" }), h("sup", {})];
    show(0, ""); // its own text stays empty, and what follows stands in its place
    element.lastElementChild?.append(number, words, above);
    return {
      element,
      show(/** @type {number} */ share, /** @type {string} */ text) {
        const [base, exponent = ""] = text.split("^");
        show(share, "");
        attnkit.write(number, base);
        attnkit.write(words, exponent && " to the power of ");
        attnkit.write(above, exponent);
      },
    };
  }

  // The last row: what the powers are divided by, and the weights end to end, which fill their bar.
  function sumRow() {
    const [power, weight] = [powerGauge(), attnkit.gauge()];
    const fill = /** @type {HTMLElement} */ (weight.element.querySelector(".ak-fill"));
    function show({ powers, weights }) {
      const ends = weights.slice(0, -1).map((_, i) => 100 * attnkit.sum(weights.slice(0, i + 1)));
      const lines = ends
        .filter((end) => end > 1 && end < 99) // elsewhere a line would nibble at an end of the bar
        .map((end) => `linear-gradient(var(--ak-page), var(--ak-page)) ${end.toFixed(1)}% 0 / 2px 100% no-repeat`);
      power.show(0, written(attnkit.sum(powers)));
      weight.show(1, "1.00");
      attnkit.style(fill, "background", [...lines, "var(--ak-fill-weight)"].join(", "));
    }
    const name = h("th", { scope: "row", colspan: 2 }, "sum");
    return { show, element: h("tr", { class: "ak-sum" }, name, h("td", {}, power), h("td", {}, weight)) };
  }

  // In each row a name, the slider of its score, the power and the weight that come of it.
  function powerTable(figure, names) {
    const scores = figure.sliders({ names, trait: "scores", min: -4, max: 4, step: 0.1, plus: true });
    const rows = scores.map((slider, k) => {
      const [power, weight] = [powerGauge(), attnkit.gauge()];
      return { power, weight, element: attnkit.tr(names[k], slider, power, weight) };
    });
    const sum = sumRow();
    const power = h("span", { "aria-hidden": "true" }, "e", h("sup", {}, "score / T"));
    const heard = h("span", { class: "ak-unseen" }, "e to the power of score over T");
    const heads = ["", "score", [power, heard], "weight"];
    return { rows, sum, element: attnkit.table("ak-powers", heads, [...rows, sum]) };
  }

  // All scores by 0.5, up or down. Where a score has come to its end, the line below says why nothing moves.
  function shifter(figure, words, by) {
    const moved = ({ scores }) => ({ scores: scores.map((s) => Math.round(10 * (s + by)) / 10) });
    const full = `No room: the ${by > 0 ? "largest score would pass 4" : "smallest score would pass −4"}.`;
    return figure.button(words, moved, (state) => (moved(state).scores.every((s) => Math.abs(s) <= 4) ? "" : full));
  }

  function build(figure) {
    const { names } = figure.given("names");
    const made = powerTable(figure, names);
    const up = shifter(figure, "Add 0.5 to all scores", 0.5);
    const down = shifter(figure, "Take 0.5 from all scores", -0.5);
    const temperature = figure.logSlider({ name: "temperature T", trait: "temperature", most: 10 });

    function update(state) {
      const found = compute(state);
      const largest = Math.max(...found.powers);
      made.rows.forEach(({ power, weight }, i) => {
        power.show(found.powers[i] / largest, found.written[i]);
        weight.show(found.weights[i], fixed(found.weights[i]));
      });
      made.sum.show(found);
      figure.say(leaders(names, state.scores, found.weights));
    }
    const controls = attnkit.controls(temperature, attnkit.row(up, down, figure.reset()));
    return { parts: [made, controls], update };
  }

  attnkit.register("softmax_explorer", { label: "Scores become weights", compute, build });
})(globalThis.attnkit);
