// Scores and a temperature; a power of e comes of each score, and of each power its share of their sum.
((attnkit) => {
  "use strict";
  const { h, fixed } = attnkit;

  /** @typedef {{ scores: number[], temperature: number }} State */
  /** @typedef {{ names: string[], details: boolean }} Given */
  /** @typedef {ReturnType<typeof compute>} Found */

  // The arithmetic, compared with attnkit.softmax and with differences of it by tests/figures/.
  /** @param {State} state */
  function compute({ scores, temperature }) {
    const powers = scores.map((s) => Math.exp(s / temperature)); // at most e to the 40: there is no overflow
    const weights = attnkit.softmax(scores.map((s) => s / temperature));
    const entropy = -attnkit.sum(weights.map((p) => (p > 0 ? p * Math.log2(p) : 0)));
    const derivative = weights.map((p, i) => weights.map((q, j) => (p * ((i === j ? 1 : 0) - q)) / temperature));
    const size = Math.hypot(...derivative.flat());
    return { powers, written: powers.map(written), weights, entropy, derivative, size };
  }

  // A power as a reader takes it in: two decimals, or where those say nothing a power of ten, 2.4 × 10^17.
  /** @param {number} power */
  function written(power) {
    if (power >= 0.005 && power < 1000) return fixed(power);
    const [digits, exponent] = power.toExponential(1).split("e");
    return `${digits} × 10^${fixed(Number(exponent), 0)}`;
  }

  // ---- in words

  const COUNTS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight"];

  // Who has the largest weight. Equal scores tie, whatever the last bit of a weight says.
  /** @param {string[]} names @param {number[]} scores @param {number[]} weights */
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

  /** @param {Found} found */
  const detail = ({ entropy, size }) =>
    ` Entropy ${fixed(entropy)} bits, as undecided as among ${fixed(2 ** entropy, 1)} equal choices. ` +
    `Size of the derivative: ${fixed(size)}.`;

  // ---- the parts

  // A number and its bar. Where the number is a power of ten, its exponent stands above, and in words for the ear.
  /** @param {string} kind */
  function measured(kind) {
    const [number, words] = [h("span", {}), h("span", { class: "ak-unseen" })];
    const [above, bar] = [h("sup", {}), attnkit.bar()];
    const value = h("span", { class: "ak-value" }, number, words, above);
    const track = h("span", { class: "ak-track" }, bar);
    /** @param {string} text @param {number} [share] */
    function show(text, share) {
      const [base, exponent = ""] = text.split("^");
      attnkit.write(number, base);
      attnkit.write(words, exponent && " to the power of ");
      attnkit.write(above, exponent);
      if (share !== undefined) bar.show(share);
    }
    const element = h("td", { class: kind }, h("div", { class: "ak-measured" }, value, track));
    return { show, track, fill: bar.element, element };
  }

  // The last row: what the powers are divided by, and the weights end to end, which fill their bar.
  function sumRow() {
    const [power, weight] = [measured("ak-power"), measured("ak-weight")];
    power.track.remove();
    /** @param {Found} found */
    function show({ powers, weights }) {
      const ends = weights.slice(0, -1).map((_, i) => 100 * attnkit.sum(weights.slice(0, i + 1)));
      const lines = ends
        .filter((end) => end > 1 && end < 99) // elsewhere a line would nibble at an end of the bar
        .map((end) => `linear-gradient(var(--ak-page), var(--ak-page)) ${end.toFixed(1)}% 0 / 2px 100% no-repeat`);
      power.show(written(attnkit.sum(powers)));
      weight.show("1.00", 1);
      attnkit.style(weight.fill, "background", [...lines, "var(--ak-fill-weight)"].join(", "));
    }
    const name = h("th", { scope: "row", colspan: 2 }, "sum");
    return { show, element: h("tr", { class: "ak-sum" }, name, power, weight) };
  }

  // In each row a name, the slider of its score, the power and the weight that come of it.
  /** @param {Figure<State, Given>} figure @param {string[]} names */
  function powerTable(figure, names) {
    const scores = figure.sliders({ names, trait: "scores", min: -4, max: 4, step: 0.1, plus: true });
    const rows = scores.map((slider, k) => {
      const [power, weight] = [measured("ak-power"), measured("ak-weight")];
      return { power, weight, element: attnkit.tr(names[k], slider, power, weight) };
    });
    const sum = sumRow();
    const power = h("span", { "aria-hidden": "true" }, "e", h("sup", {}, "score / T"));
    const heard = h("span", { class: "ak-unseen" }, "e to the power of score over T");
    const lines = [...rows, sum].map((row) => row.element);
    return { rows, sum, element: attnkit.table("ak-powers", ["", "score", [power, heard], "weight"], lines) };
  }

  // Row by row the change of a weight with each score.
  /** @param {string[]} names */
  function changeTable(names) {
    const cells = names.map(() => names.map(() => h("td", { class: "ak-cell" })));
    const title = h("th", { scope: "colgroup", colspan: names.length }, "change of weight per unit of score");
    const titles = names.map((name) => h("th", { scope: "col" }, name));
    const heads = h("thead", {}, h("tr", {}, h("td", {}), title), h("tr", {}, h("td", {}), titles));
    const rows = names.map((name, i) => attnkit.tr(name, ...cells[i]));
    /** @param {Matrix} derivative */
    function show(derivative) {
      cells.flat().forEach((cell, k) => {
        const value = derivative.flat()[k];
        attnkit.write(cell, fixed(value, 2, true));
        attnkit.paint(cell, value, 0.5);
      });
    }
    return { show, element: attnkit.table("ak-changes", heads, rows) };
  }

  // All scores by 0.5, up or down. Where a score has come to its end, the line below says why nothing moves.
  /** @param {Figure<State, Given>} figure @param {string} words @param {number} by */
  function shifter(figure, words, by) {
    /** @param {State} state */
    const moved = ({ scores }) => ({ scores: scores.map((s) => Math.round(10 * (s + by)) / 10) });
    const full = `No room: the ${by > 0 ? "largest score would pass 4" : "smallest score would pass −4"}.`;
    return figure.button(words, moved, (state) => (moved(state).scores.every((s) => Math.abs(s) <= 4) ? "" : full));
  }

  /** @param {Figure<State, Given>} figure */
  function build(figure) {
    const { names, details } = figure.given("names", "details");
    const made = powerTable(figure, names);
    const up = shifter(figure, "Add 0.5 to all scores", 0.5);
    const down = shifter(figure, "Take 0.5 from all scores", -0.5);
    const change = details ? changeTable(names) : null;
    const temperature = figure.logSlider({ name: "temperature T", trait: "temperature", most: 10 });

    /** @param {State} state */
    function update(state) {
      const found = compute(state);
      const largest = Math.max(...found.powers);
      made.rows.forEach(({ power, weight }, i) => {
        power.show(found.written[i], found.powers[i] / largest);
        weight.show(fixed(found.weights[i]), found.weights[i]);
      });
      made.sum.show(found);
      change?.show(found.derivative);
      figure.say(leaders(names, state.scores, found.weights) + (change ? detail(found) : ""));
    }
    const controls = attnkit.controls(temperature, attnkit.row(up, down, figure.reset()));
    return { parts: [h("div", { class: details ? "ak-details" : "" }, made, controls, change)], update };
  }

  attnkit.register("softmax_explorer", { label: "Scores become weights", compute, build });
})(globalThis.attnkit);
