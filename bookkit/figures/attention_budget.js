// Spend one unit of attention over words; the weighted average moves.
((attnkit) => {
  "use strict";
  const { h, fixed } = attnkit;

  /** @typedef {{ weights: number[] }} State */
  /** @typedef {{ points: Point[], words: string[], features: string[], reader_names: string[], reader_weights: Matrix }} Given */

  // The arithmetic, compared with numpy by tests/figures/. What one word gains, the others lose in proportion to what
  // they have; where they have nothing, they share alike.
  function spend(weights, k, share) {
    const rest = 1 - weights[k];
    const left = (w) => (rest > 1e-9 ? (w * (1 - share)) / rest : (1 - share) / (weights.length - 1));
    return weights.map((w, i) => (i === k ? share : left(w)));
  }

  function compute({ weights, points, word, share }) {
    const spent = spend(weights, word, share);
    return { weights: spent, average: attnkit.blend(spent, points) };
  }

  // The weights whose average comes nearest to a place: those there are, shifted step by step towards the words that lie there.
  // None becomes 0, so that z can be pulled back.
  function pulled(weights, points, target) {
    let now = weights.map((w) => Math.max(w, 0.001));
    for (let step = 0; step < 400; step++) {
      const miss = attnkit.blend(now, points).map((v, axis) => target[axis] - v);
      now = attnkit.softmax(now.map((w, k) => Math.log(w) + 1.5 * attnkit.dot(miss, points[k])));
    }
    return now;
  }

  // Which words weigh most, and whose weights these are, if they are a reader's.
  function sentence(weights, { points, words, reader_names, reader_weights }) {
    const most = fixed(Math.max(...weights));
    const first = words.filter((_, k) => fixed(weights[k]) === most).map(attnkit.quoted);
    const whose = reader_names[reader_weights.findIndex((of_one) => attnkit.alike(of_one, weights))];
    const these = whose ? `These are ${whose}'s weights: ` : "";
    const all = `${these ? "all" : "All"} words weigh the same, ${most}.`;
    const some = `${attnkit.listed(first)} ${first.length > 1 ? `weigh most, ${most} each` : `weighs most, ${most}`}.`;
    const z = `The average z is ${attnkit.pair(attnkit.blend(weights, points))}.`;
    return `The weights sum to ${fixed(attnkit.sum(weights))}. ${z} ${these}${first.length === words.length ? all : some}`;
  }

  function controls(figure, { words, reader_names, reader_weights }, atOnce) {
    const sliders = figure.sliders({
      names: words,
      trait: "weights",
      min: 0,
      max: 1,
      step: 0.01,
      write(share, { weights }, k) {
        atOnce();
        return { weights: spend(weights, k, share) };
      },
    });
    const buttons = reader_names.map((name) => `${name}'s weights`);
    const whose = figure.choice({ label: "weights", words: buttons, values: reader_weights, trait: "weights" });
    const evenly = figure.button("Spread evenly", () => ({ weights: words.map(() => 1 / words.length) }));
    return attnkit.controls(sliders, attnkit.row(whose.buttons, evenly, figure.reset()));
  }

  /** @param {Figure<State, Given>} figure */
  function build(figure) {
    const given = figure.given("words", "points", "features", "reader_names", "reader_weights");
    const { words, points, features } = given;
    const plane = attnkit.plane({ limit: 1.15, axes: features });
    const average = attnkit.average(plane, words.length);
    const dots = points.map(() => attnkit.svg("circle", { class: "ak-dot ak-of-value" }));
    const names = points.map((point, k) => {
      const [x, y] = plane.at(...point);
      attnkit.move(dots[k], [x, y]);
      return attnkit.label(x, point[1] < 0 ? y + 26 : y - 15, words[k], "ak-text");
    });
    const z = attnkit.label(0, 26, "z", "ak-text ak-strong");
    const hit = attnkit.grip(plane, (point) => {
      motion.atOnce();
      figure.put({ weights: pulled(figure.get("weights"), points, point) });
    });
    plane.element.append(...average.behind, ...dots, ...names, average.dot, z, hit);

    const motion = attnkit.glide((weights) => {
      const place = average.show(points, weights);
      weights.forEach((w, k) => attnkit.attr(dots[k], "r", fixed(4 + 9 * Math.sqrt(w), 1)));
      for (const node of [z, hit]) attnkit.move(node, place);
    });
    return {
      parts: [h("div", { class: "ak-side" }, plane, controls(figure, given, motion.atOnce))],
      update({ weights }) {
        motion.to(weights);
        figure.say(sentence(weights, given));
      },
      stop: motion.stop,
    };
  }

  attnkit.register("attention_budget", { label: "A budget of attention", compute, build });
})(globalThis.attnkit);
