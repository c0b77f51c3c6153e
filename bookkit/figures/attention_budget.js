// Spend one unit of attention over words; the weighted average moves.
((attnkit) => {
  "use strict";
  const { h, fixed } = attnkit;

  /** @typedef {{ weights: number[] }} State */
  /**
   * @typedef {{ points: Point[], words: string[], features: string[], reader_names: string[], reader_weights: Matrix }} Given
   * @typedef {{ name: string, weights: number[] }} Reader
   * @typedef {[left: number, top: number, right: number, bottom: number]} Box
   */

  // The arithmetic, compared with AttentionBudget.spend by tests/figures/. What one word gains, the others lose
  // in proportion to what they have; where they have nothing, they share alike.
  /** @param {number[]} weights @param {number} k @param {number} share */
  function spend(weights, k, share) {
    const rest = 1 - weights[k];
    /** @param {number} w */
    const left = (w) => (rest > 1e-9 ? (w * (1 - share)) / rest : (1 - share) / (weights.length - 1));
    return weights.map((w, i) => (i === k ? share : left(w)));
  }

  /** @param {{ weights: number[], points: Point[], word: number, share: number }} state */
  function compute({ weights, points, word, share }) {
    const spent = spend(weights, word, share);
    return { weights: spent, average: attnkit.blend(spent, points) };
  }

  // The weights whose average comes nearest to a place: those there are, shifted step by step towards the words that lie there.
  // None becomes 0, so that z can be pulled back.
  /** @param {number[]} weights @param {Matrix} points @param {Point} target */
  function pulled(weights, points, target) {
    let now = weights.map((w) => Math.max(w, 0.001));
    for (let step = 0; step < 400; step++) {
      const miss = attnkit.blend(now, points).map((v, axis) => target[axis] - v);
      now = attnkit.softmax(now.map((w, k) => Math.log(w) + 1.5 * attnkit.dot(miss, points[k])));
    }
    return now;
  }

  // Which words weigh most, and whose weights these are, if they are a reader's.
  /** @param {number[]} a @param {number[]} b */
  const same = (a, b) => a.every((w, k) => Math.abs(w - b[k]) < 1e-6);
  /** @param {string[]} names */
  const listed = (names) => [names.slice(0, -1).join(", "), names[names.length - 1]].filter(Boolean).join(" and ");
  /** @param {number[]} weights @param {string[]} words @param {Reader[]} readers */
  function weighed(weights, words, readers) {
    const most = fixed(Math.max(...weights));
    const first = words.filter((_, k) => fixed(weights[k]) === most).map(attnkit.quoted);
    const whose = readers.find((reader) => same(reader.weights, weights));
    const these = whose ? `These are ${whose.name}'s weights: ` : "";
    if (first.length === words.length) return `${these}${these ? "all" : "All"} words weigh the same, ${most}.`;
    if (first.length > 1) return `${these}${listed(first)} weigh most, ${most} each.`;
    return `${these}${first[0]} weighs most, ${most}.`;
  }

  // A button for each reader, pressed while the weights are theirs.
  /** @param {Figure<State, Given>} figure @param {Reader[]} readers */
  function readerButtons(figure, readers) {
    const buttons = readers.map(({ name, weights }) => {
      const element = figure.button(`${name}'s weights`, () => ({ weights }));
      /** @param {number[]} now */
      const show = (now) => attnkit.attr(element, "aria-pressed", String(same(weights, now)));
      return figure.follow({ element, show }, { trait: "weights" }).element;
    });
    if (buttons.length) attnkit.walk(buttons);
    return buttons;
  }

  /**
   * @param {Figure<State, Given>} figure
   * @param {string[]} words
   * @param {Reader[]} readers
   * @param {{ atOnce(): void }} motion
   */
  function controls(figure, words, readers, motion) {
    const even = words.map(() => 1 / words.length);
    const sliders = words.map((name, k) =>
      figure.slider({
        name,
        min: 0,
        max: 1,
        step: 0.01,
        format: (w) => fixed(w, 2),
        word: (w) => fixed(w, 2),
        read: ({ weights }) => weights[k],
        write: (share, { weights }) => {
          motion.atOnce();
          return { weights: spend(weights, k, share) };
        },
      }),
    );
    const evenly = figure.button("Spread evenly", () => ({ weights: even }));
    const buttons = h("div", { class: "ak-buttons" }, ...readerButtons(figure, readers), evenly, figure.reset());
    return h("div", { class: "ak-controls" }, ...sliders.map((s) => s.element), buttons);
  }

  const LIMIT = 1.15; // of the plane, in the units of the points

  // What shows the weights on their way from those that were shown to new ones: a slider and a reader who asked for less
  // motion get there at once.
  /** @param {(weights: number[]) => void} draw @param {boolean} glides */
  function gliding(draw, glides) {
    let [shown, direct] = [/** @type {number[] | null} */ (null), false];
    let [from, goal, start] = [/** @type {number[]} */ ([]), /** @type {number[]} */ ([]), 0];
    const frames = attnkit.clock((now) => {
      start ||= now;
      const t = Math.min(1, (now - start) / 600);
      const way = t * t * (3 - 2 * t);
      jump(t < 1 ? from.map((w, k) => w + way * (goal[k] - w)) : goal);
      if (t === 1) frames.halt();
    });
    /** @param {number[]} weights */
    function jump(weights) {
      shown = weights;
      draw(shown);
    }
    /** @param {number[]} weights */
    function to(weights) {
      frames.halt();
      if (!glides || !shown || direct || attnkit.calm() || same(shown, weights)) jump(weights);
      else {
        [from, goal, start] = [shown, weights, 0];
        frames.start();
      }
      direct = false;
    }
    return {
      to,
      stop: frames.halt,
      atOnce() {
        direct = true;
      },
    };
  }

  // Where names stand: boxes of text, [left, top, right, bottom], and whether two come nearer than a gap.
  /** @param {Box} a @param {Box} b @param {number} gap */
  const meet = (a, b, gap) => a[0] - gap < b[2] && b[0] - gap < a[2] && a[1] - gap < b[3] && b[1] - gap < a[3];
  /** @param {string} text */
  const width = (text) => 8 * text.length;
  /** @type {Record<string, (p: Point, wide: number) => { at: [x: number, y: number, anchor: string], box: Box }>} */
  const SPOTS = {
    above: ([x, y], w) => ({ at: [x, y - 15, "middle"], box: [x - w / 2, y - 28, x + w / 2, y - 11] }),
    below: ([x, y], w) => ({ at: [x, y + 26, "middle"], box: [x - w / 2, y + 13, x + w / 2, y + 30] }),
    right: ([x, y], w) => ({ at: [x + 17, y + 5, "start"], box: [x + 17, y - 8, x + 17 + w, y + 9] }),
    left: ([x, y], w) => ({ at: [x - 17, y + 5, "end"], box: [x - 17 - w, y - 8, x - 17, y + 9] }),
  };

  // The axes' names, which stand at the ends of the axes, and the words': above their points, or below, or beside them
  // where they would come near an axis's name, another word's or its point.
  /**
   * @param {Plane} plane
   * @param {Point[]} places
   * @param {string[]} words
   * @param {Point[]} points
   * @param {string[]} features
   */
  function spots({ at }, places, words, points, features) {
    const [[x, y], [up, top]] = [at(LIMIT, 0), at(0, LIMIT)];
    /** @type {Box[]} */
    const taken = [
      [x - width(features[0]), y - 20, x, y - 4],
      [up - 6 - width(features[1]), top - 6, up - 6, top + 8],
    ];
    /** @param {Box} box @param {number} k */
    const near = (box, k) =>
      taken.some((other, i) => meet(box, other, i < 2 ? 14 : 6)) ||
      places.some(([px, py], i) => i !== k && meet(box, [px - 8, py - 8, px + 8, py + 8], 0));
    const names = words.map((word, k) => {
      const order = points[k][1] < 0 ? ["below", "right", "left", "above"] : ["above", "right", "left", "below"];
      const tried = order.map((way) => SPOTS[way](places[k], width(word)));
      const spot = tried.find(({ box }) => !near(box, k)) ?? tried[0];
      taken.push(spot.box);
      return spot.at;
    });
    return { names, taken };
  }

  // The words at their points, their hull, a line from each, and the average z, which moves.
  /** @param {Plane} plane @param {string[]} words @param {Point[]} points @param {string[]} features */
  function drawing(plane, words, points, features) {
    const places = points.map((p) => plane.at(...p));
    const corners = attnkit.hull(points).map((p) => plane.at(...p));
    const hull = attnkit.svg("path", { d: `${attnkit.path(corners)}Z`, class: "ak-hull" });
    const lines = places.map(([x, y]) => attnkit.svg("line", { x1: x, y1: y, x2: x, y2: y, class: "ak-pull" }));
    const dots = places.map(([cx, cy]) => attnkit.svg("circle", { cx, cy, r: 5, class: "ak-dot ak-of-value" }));
    const where = spots(plane, places, words, points, features);
    const names = where.names.map(([x, y, anchor], i) => attnkit.label(x, y, words[i], "ak-text", anchor));
    const average = attnkit.svg("circle", { r: 8, class: "ak-dot ak-of-output" });
    const name = attnkit.label(0, 0, "z", "ak-text ak-strong");
    const hit = attnkit.svg("circle", { r: 24, class: "ak-hit" });
    plane.element.append(hull, ...lines, ...dots.flatMap((dot, i) => [dot, names[i]]), average, name, hit);
    return { lines, dots, average, name, hit, taken: where.taken };
  }

  /** @param {Figure<State, Given>} figure */
  function build(figure) {
    const { words, points, features } = figure.given("words", "points", "features");
    const given = figure.get("reader_weights");
    const readers = figure.get("reader_names").map((name, k) => ({ name, weights: given[k] }));
    const told = readers.length > 0;
    const plane = attnkit.plane({ limit: LIMIT, axes: features });
    const { lines, dots, average, name, hit, taken } = drawing(plane, words, points, features);

    /** @param {number[]} weights */
    function draw(weights) {
      const [x, y] = plane.at(...attnkit.blend(weights, points));
      weights.forEach((w, k) => {
        attnkit.attr(dots[k], "r", fixed(4 + 9 * Math.sqrt(w), 1));
        attnkit.attr(lines[k], "stroke-width", fixed(9 * w, 1));
        attnkit.attr(lines[k], "x2", fixed(x, 1));
        attnkit.attr(lines[k], "y2", fixed(y, 1));
      });
      for (const node of [average, hit]) attnkit.move(node, [x, y]);
      // Its name stands to the right, or to the left where another is.
      const crowded = taken.some((box) => meet(box, [x + 15, y - 4, x + 23, y + 6], 5));
      attnkit.move(name, [crowded ? x - 19 : x + 19, y + 5]);
    }
    const motion = gliding(draw, told);
    attnkit.drag(hit, (event) => {
      motion.atOnce();
      figure.put({ weights: pulled(figure.get("weights"), points, plane.from(event)) });
    });

    /** @param {State} state */
    function update({ weights }) {
      motion.to(weights);
      const sum = fixed(weights.reduce((total, w) => total + w, 0));
      const z = `The average z is (${attnkit
        .blend(weights, points)
        .map((v) => fixed(v))
        .join(", ")}).`;
      figure.say(told ? `The weights sum to ${sum}. ${z} ${weighed(weights, words, readers)}` : `Spent: ${sum}. ${z}`);
    }
    if (told) figure.element.classList.add("ak-told");
    const side = h("div", { class: "ak-side" }, plane.element, controls(figure, words, readers, motion));
    return { parts: [side], update, stop: motion.stop };
  }

  attnkit.register("attention_budget", { label: "A budget of attention", compute, build });
})(globalThis.attnkit);
