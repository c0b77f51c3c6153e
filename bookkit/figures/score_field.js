// The same query and keys under each score function: the plane is coloured by what a key there would score.
((attnkit) => {
  "use strict";
  const { h, fixed, dot } = attnkit;

  /** @typedef {"dot" | "scaled dot" | "distance" | "cosine" | "general" | "additive"} Score */
  /** @typedef {{ query: Point, score: Score }} State */
  /** @typedef {{ weight: Point[], w_query: Matrix, w_key: Matrix, bias: number[], v: number[] }} Learned */
  /** @typedef {Learned & { limit: number, key_rows: Point[], words: string[] }} Given */
  /** @typedef {[x: number, y: number, reach: number]} Taken a place, and how far it reaches to the sides */

  // The arithmetic, compared with attnkit.scores by tests/figures/. What hangs on the query alone is done once.
  const direction = (a) => {
    const length = Math.hypot(...a) || 1;
    return a.map((x) => x / length);
  };
  /** @type {Record<Score, (state: Learned & { query: Point }) => (key: Point) => number>} */
  const SCORES = {
    dot({ query }) {
      return (key) => dot(query, key);
    },
    "scaled dot"({ query }) {
      return (key) => dot(query, key) / Math.sqrt(query.length);
    },
    distance({ query }) {
      return (key) => -((query[0] - key[0]) ** 2 + (query[1] - key[1]) ** 2) / 2;
    },
    cosine({ query }) {
      const to = direction(query);
      return (key) => dot(to, direction(key));
    },
    general({ query, weight }) {
      const turned = attnkit.blend(query, weight);
      return (key) => dot(turned, key);
    },
    additive({ query, w_query, w_key, bias, v }) {
      const from = attnkit.blend(query, w_query).map((x, k) => x + bias[k]);
      const columns = v.map((_, k) => w_key.map((row) => row[k]));
      return (key) => columns.reduce((sum, column, k) => sum + v[k] * Math.tanh(from[k] + dot(key, column)), 0);
    },
  };
  function compute(state) {
    const scores = state.key_rows.map(SCORES[state.score](state));
    return { scores, weights: attnkit.softmax(scores) };
  }

  const NAMES = /** @type {Score[]} */ (Object.keys(SCORES));
  const SIDE = 31; // cells along each side of the field; odd, so that one stands in the middle

  // What is written about each score: what its field looks like, its code, the shapes in it, how much of it is learned.
  /** @param {Learned} learned @returns {Record<Score, [look: string, code: string, shapes: string, learned: number]>} */
  function explanations({ v }) {
    const hidden = v.length;
    const bound = fixed(attnkit.sum(v.map(Math.abs)));
    const look = {
      dot: "Stripes across the query: the further along it a key lies, the higher its score.",
      "scaled dot": `The same stripes, each score divided by √2 = ${fixed(Math.SQRT2)}: the weights are more even.`,
      distance: "Rings around the query: the nearer to it a key lies, the higher its score, and none is above 0.",
      cosine: "Rays from the middle: only the direction of a key counts, not how far out it lies.",
      general: "Stripes across the dashed arrow: query @ weight, the query turned and stretched.",
      additive: `The query shifts a landscape that tanh has bent; no score is beyond ±${bound}.`,
    };
    const layers = `tanh((2,) @ (2, ${hidden}) + (2,) @ (2, ${hidden}) + (${hidden},)) @ (${hidden},)`;
    return {
      dot: [look.dot, "query @ key", "(2,) @ (2,)", 0],
      "scaled dot": [look["scaled dot"], "query @ key / sqrt(2)", "(2,) @ (2,)", 0],
      distance: [look.distance, "-sum((query - key) ** 2) / 2", "(2,) − (2,)", 0],
      cosine: [look.cosine, "unit(query) @ unit(key)", "(2,) @ (2,)", 0],
      general: [look.general, "query @ weight @ key", "(2,) @ (2, 2) @ (2,)", 4],
      additive: [look.additive, "tanh(query @ w_query + key @ w_key + bias) @ v", layers, 6 * hidden],
    };
  }

  // The middle of each cell of the field, row by row from the top left.
  /** @param {number} limit */
  function fieldPoints(limit) {
    return Array.from({ length: SIDE ** 2 }, (_, k) => {
      /** @type {Point} */
      const steps = [2 * (k % SIDE) + 1 - SIDE, SIDE - 1 - 2 * Math.floor(k / SIDE)];
      return steps.map((s) => (limit * s) / SIDE);
    });
  }

  const STEP = 2; // from one line of equal score to the next, whatever the score function, so that their numbers compare
  const LAST = 20; // lines on either side of 0; beyond, a field has its colours alone

  // The lines of equal score, each a list of segments from place to place: where a line crosses the triangles between
  // neighbouring points of the field. A field that only touches its highest value has no line there.
  /** @param {Point[]} places @param {number[]} values */
  function contours(places, values) {
    /** @type {Map<number, [from: Point, to: Point][]>} */
    const lines = new Map();
    /** @param {number} i @param {number} j @param {number} level */
    const between = (i, j, level) => {
      const share = (level - values[i]) / (values[j] - values[i]);
      return places[i].map((x, axis) => x + share * (places[j][axis] - x));
    };
    /** @param {number[]} triangle */
    function cross(...triangle) {
      const [low, middle, high] = triangle.sort((i, j) => values[i] - values[j]);
      const first = Math.max(-LAST, Math.ceil(values[low] / STEP));
      for (let n = first, level = STEP * n; level < values[high] && n <= LAST; level = STEP * ++n) {
        const [i, j] = level < values[middle] ? [low, middle] : [middle, high];
        const known = lines.get(n) ?? [];
        known.push([between(low, high, level), between(i, j, level)]);
        lines.set(n, known);
      }
    }
    for (let k = 0; k < places.length - SIDE; k++) {
      if ((k + 1) % SIDE === 0) continue; // the last of its row has no neighbour
      cross(k, k + 1, k + SIDE);
      cross(k + 1, k + SIDE, k + SIDE + 1);
    }
    return lines;
  }

  // The lines in the drawing, each with its number as far to the lower right on it as there is room.
  /** @param {Plane} plane @param {number} limit */
  function levels(plane, limit) {
    const path = attnkit.svg("path", { class: "ak-contour" });
    const texts = Array.from({ length: 2 * LAST + 1 }, (_, k) =>
      attnkit.label(0, 4, fixed(STEP * (k - LAST), 0), "ak-text ak-level"),
    );
    const places = fieldPoints(limit).map((point) => plane.at(...point));
    const [[left, top], [right, bottom]] = [plane.at(-limit, limit), plane.at(limit, -limit)];
    const [[x, y], wide] = [plane.at(0, 0), 22];
    /** @type {Taken[]} */
    const ticks = [
      [right, y - 8, wide],
      [x - 8, top + 6, wide],
    ];
    /** @param {Point} point */
    const inside = ([u, v]) => u > left + 12 && u < right - 12 && v > top + 8 && v < bottom - 8;

    /** @param {number[]} values @param {Taken[]} names */
    function show(values, names) {
      const lines = contours(places, values);
      const taken = [...ticks, ...names];
      /** @param {Point} point */
      const free = ([u, v]) => taken.every(([a, b, reach]) => Math.abs(u - a) > reach || Math.abs(v - b) > 12);
      attnkit.attr(path, "d", [...lines.values()].flat().map(attnkit.path).join(""));
      texts.forEach((text, k) => {
        const spot = (lines.get(k - LAST) ?? []).reduce(
          (best, [p]) => (inside(p) && (!best || p[0] + p[1] > best[0] + best[1]) && free(p) ? p : best),
          /** @type {Point | null} */ (null),
        );
        attnkit.style(text, "display", spot ? "" : "none");
        if (!spot) return;
        taken.push([...spot, wide]);
        attnkit.move(text, spot);
      });
    }
    return { path, texts, show };
  }

  // The keys, each with its name, and the places that they take. A name stands above its point, inwards and below where
  // the edge of the field is near.
  /** @param {Plane} plane @param {Point[]} keys @param {number} limit */
  function keyDots(plane, keys, limit) {
    return keys.map((key) => {
      const [x, y] = plane.at(...key);
      const line = key[1] > 0.8 * limit ? y + 24 : y - 12;
      const anchor = Math.abs(key[0]) < 0.55 * limit ? "middle" : key[0] < 0 ? "start" : "end";
      const lean = { start: 28, middle: 0, end: -28 }[anchor];
      return {
        taken: /** @type {Taken[]} */ ([
          [x, y, 16],
          [x + lean, line, 46],
        ]),
        text: attnkit.label(x, line, "", "ak-text", anchor),
        ring: attnkit.svg("circle", { cx: x, cy: y, r: 7, class: "ak-dot ak-of-key" }),
      };
    });
  }

  // The path of a line from the middle; what would leave the field ends at its edge, and `barbed` in an arrow's head.
  /** @param {Plane} plane @param {Point} p @param {number} limit @param {boolean} barbed */
  function arrow(plane, p, limit, barbed) {
    const short = Math.min(1, limit / Math.max(...p.map(Math.abs), 1e-9));
    const ends = /** @type {const} */ ([plane.at(0, 0), plane.at(...p.map((v) => v * short))]);
    return barbed && Math.hypot(...p) >= 0.3 ? attnkit.arrow(...ends, 12) : attnkit.path([...ends]);
  }

  // The coloured plane with the keys and the query in it, and how to show another query in it.
  /** @param {Figure<State, Given>} figure @param {Point[]} keys @param {number} limit */
  function drawing(figure, keys, limit) {
    const plane = attnkit.plane({ limit, axes: [fixed(limit, 0), fixed(limit, 0)] });
    const raster = attnkit.raster(SIDE, SIDE);
    const dots = keyDots(plane, keys, limit);
    const lines = levels(plane, limit);
    const [shaft, turned] = ["ak-needle", "ak-needle ak-turned"].map((kind) => attnkit.svg("path", { class: kind }));
    const tip = attnkit.svg("circle", { r: 7, class: "ak-dot ak-of-query" });
    const name = attnkit.label(0, 0, "query", "ak-text ak-strong");
    /** @param {number} v */
    const inside = (v) => Math.max(-limit, Math.min(limit, Math.round(10 * v) / 10));
    const hit = attnkit.grip(plane, (point) => figure.put({ query: point.map(inside) }));
    const [texts, rings] = [dots.map((d) => d.text), dots.map((d) => d.ring)];
    plane.element.prepend(lines.path);
    plane.element.append(...lines.texts, turned, shaft, tip, ...rings, ...texts, name, hit);

    /** @param {number[]} values @param {Point} query @param {Point | null} turnedQuery */
    function show(values, query, turnedQuery) {
      attnkit.attr(shaft, "d", arrow(plane, query, limit, false));
      attnkit.style(turned, "display", turnedQuery ? "" : "none");
      if (turnedQuery) attnkit.attr(turned, "d", arrow(plane, turnedQuery, limit, true));
      const at = plane.at(...query);
      for (const node of [tip, hit]) attnkit.move(node, at);
      // Beyond its tip, within the field.
      const long = Math.hypot(...query) || 1;
      /** @type {Point} */
      const side = [
        Math.max(40, Math.min(280, at[0] + (40 * query[0]) / long)),
        Math.max(30, Math.min(299, at[1] + 5 - (20 * query[1]) / long)),
      ];
      attnkit.move(name, side);
      lines.show(values, [...dots.flatMap((d) => d.taken), [...at, 16], [...side, 36]]);
    }
    return { element: h("div", { class: "ak-over" }, raster, plane), raster, texts, show };
  }

  // The line below the figure: where the query stands and which key it finds.
  /** @param {string[]} words @param {State} state @param {{ scores: number[], weights: number[] }} found */
  function answer(words, { query, score }, { scores, weights }) {
    const best = attnkit.argmax(weights);
    const alike = weights[best] - Math.min(...weights) < 1e-9;
    const finding = `finds ${attnkit.quoted(words[best])} best: score ${fixed(scores[best])}, weight ${fixed(weights[best])}.`;
    return `Score: ${score}. The query at ${attnkit.pair(query, 1)} ${alike ? "finds all keys alike." : finding}`;
  }

  // The query's place without a pointer, and the score functions.
  /** @param {Figure<State, Given>} figure @param {number} limit */
  function controls(figure, limit) {
    const choice = figure.choice({ label: "score", values: NAMES, trait: "score" });
    choice.element.append(figure.reset());
    const range = { names: ["left, right", "down, up"], min: -limit, max: limit, step: 0.1 };
    const places = figure.sliders({ trait: "query", ...range });
    return attnkit.controls(choice, h("div", { class: "ak-side ak-stacked" }, places));
  }

  /** @param {Figure<State, Given>} figure */
  function build(figure) {
    const { words, key_rows: keys, limit } = figure.given("words", "key_rows", "limit");
    const parameters = figure.given("weight", "w_query", "w_key", "bias", "v");
    const about = explanations(parameters);
    const field = fieldPoints(limit);
    const { element, raster, texts, show } = drawing(figure, keys, limit);
    const rows = words.map((word) => {
      const [score, weight, bar] = [h("td"), h("td"), attnkit.bar()];
      return { score, weight, bar, element: attnkit.tr(word, score, weight, h("td", { class: "ak-wide" }, bar)) };
    });
    const heads = ["key", "score", "weight", h("td", { class: "ak-wide" })];
    const table = attnkit.table("", heads, rows);
    const [look, shapes, extent] = ["say", "small", "small"].map((kind) => h("p", { class: `ak-${kind}` }));
    const code = h("code");

    /** @param {State} state */
    function update({ query, score }) {
      const state = { ...parameters, query, score };
      const { scores, weights } = compute({ ...state, key_rows: keys });
      const fieldScores = compute({ ...state, key_rows: field }).scores;
      const [low, high] = [Math.min(...fieldScores), Math.max(...fieldScores)];
      const vmax = Math.max(-low, high) || 1;
      raster.show(fieldScores, vmax);
      show(fieldScores, query, score === "general" ? attnkit.blend(query, parameters.weight) : null);
      rows.forEach((row, i) => {
        attnkit.write(texts[i], `${words[i]} ${fixed(weights[i])}`);
        attnkit.write(row.score, fixed(scores[i]));
        attnkit.paint(row.score, scores[i], vmax);
        attnkit.write(row.weight, fixed(weights[i]));
        row.bar.show(weights[i]);
      });
      const [looks, written, its, learned] = about[score];
      attnkit.write(look, looks);
      attnkit.write(code, `score = ${written}`);
      attnkit.write(shapes, `Shapes: ${its} → one number. Learned: ${learned ? `${learned} numbers` : "nothing"}.`);
      const range = `Scores on the field: ${fixed(low)} to ${fixed(high)}, a line every ${STEP}`;
      attnkit.write(extent, `${range}; blue is positive, orange negative.`);
      figure.say(answer(words, state, { scores, weights }));
    }
    const found = h("div", { class: "ak-found" }, table, extent);
    const notes = h("div", { class: "ak-about" }, look, h("p", { class: "ak-code" }, code), shapes);
    return { parts: [h("div", { class: "ak-field" }, element, found, controls(figure, limit), notes)], update };
  }

  attnkit.register("score_field", { label: "A field of scores", compute, build });
})(globalThis.attnkit);
