// The same query and keys under each score function: the plane is coloured by what a key there would score.
((attnkit) => {
  "use strict";
  const { h, fixed, dot } = attnkit;

  /** @typedef {"dot" | "scaled dot" | "distance" | "cosine" | "general" | "additive"} Score */
  /** @typedef {{ query: Point, score: Score }} State */
  /** @typedef {{ weight: Point[], w_query: Matrix, w_key: Matrix, bias: number[], v: number[] }} Learned */
  /** @typedef {Learned & { limit: number, key_rows: Point[], words: string[] }} Given */
  /** @typedef {(point: Point) => Partial<State>} Move */
  /** @typedef {[x: number, y: number, reach: number]} Taken a place, and how far it reaches to the sides */
  /** @typedef {ReturnType<typeof edgesOf>} Edges */

  // The arithmetic, compared with attnkit.scores by tests/figures/. What hangs on the query alone is done once.
  /** @param {Point} a */
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
  /** @param {Learned & State & { key_rows: Point[] }} state */
  function compute(state) {
    const scores = state.key_rows.map(SCORES[state.score](state));
    return { scores, weights: attnkit.softmax(scores) };
  }

  const NAMES = /** @type {Score[]} */ (Object.keys(SCORES));
  const SIDE = 31; // cells along each side of the field; odd, so that one stands in the middle

  // What is written about each score: what its field looks like, its code, the shapes in it, how much of it is learned.
  /**
   * @param {Learned} learned
   * @returns {Record<Score, { look: string, code: string, shapes: string, learned: number }>}
   */
  function explanations({ v }) {
    const hidden = v.length;
    const bound = v.reduce((sum, x) => sum + Math.abs(x), 0);
    return {
      dot: {
        look: "Stripes across the query: the further along it a key lies, the higher its score.",
        code: "query @ key",
        shapes: "(2,) @ (2,)",
        learned: 0,
      },
      "scaled dot": {
        look: `The same stripes, each score divided by √2 = ${fixed(Math.SQRT2)}: the weights are more even.`,
        code: "query @ key / sqrt(2)",
        shapes: "(2,) @ (2,)",
        learned: 0,
      },
      distance: {
        look: "Rings around the query: the nearer to it a key lies, the higher its score, and none is above 0.",
        code: "-sum((query - key) ** 2) / 2",
        shapes: "(2,) − (2,)",
        learned: 0,
      },
      cosine: {
        look: "Rays from the middle: only the direction of a key counts, not how far out it lies.",
        code: "unit(query) @ unit(key)",
        shapes: "(2,) @ (2,)",
        learned: 0,
      },
      general: {
        look: "Stripes across the dashed arrow: query @ weight, the query turned and stretched.",
        code: "query @ weight @ key",
        shapes: "(2,) @ (2, 2) @ (2,)",
        learned: 4,
      },
      additive: {
        look: `The query shifts a landscape that tanh has bent; no score is beyond ±${fixed(bound)}.`,
        code: "tanh(query @ w_query + key @ w_key + bias) @ v",
        shapes: `tanh((2,) @ (2, ${hidden}) + (2,) @ (2, ${hidden}) + (${hidden},)) @ (${hidden},)`,
        learned: 6 * hidden,
      },
    };
  }

  /** @param {Figure<State, Given>} figure @param {number} limit @param {Move} move */
  function controls(figure, limit, move) {
    const choice = figure.choice({
      label: "score",
      words: NAMES,
      read: ({ score }) => NAMES.indexOf(score),
      write: (i) => ({ score: NAMES[i] }),
    });
    choice.element.append(figure.reset());
    const sliders = ["left, right", "down, up"].map((name, axis) =>
      figure.slider({
        name,
        min: -limit,
        max: limit,
        step: 0.1,
        format: (v) => fixed(v, 1),
        word: (v) => fixed(v, 1),
        read: ({ query }) => query[axis],
        write: (value, { query }) => move(query.map((v, a) => (a === axis ? value : v))),
      }),
    );
    const places = h("div", { class: "ak-places" }, ...sliders.map((s) => s.element));
    return h("div", { class: "ak-controls" }, choice.element, places);
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
  /** @param {Plane} plane @param {Edges} edges @param {number} limit */
  function levels(plane, edges, limit) {
    const path = attnkit.svg("path", { class: "ak-contour" });
    const texts = Array.from({ length: 2 * LAST + 1 }, (_, k) =>
      attnkit.label(0, 0, fixed(STEP * (k - LAST), 0), "ak-text ak-level"),
    );
    const places = fieldPoints(limit).map((point) => plane.at(...point));
    const { cx, cy, left, top, right, bottom } = edges;
    /** @type {Taken[]} */
    const ticks = [
      [left + 10, cy - 8, 22],
      [right - 8, cy - 8, 22],
      [cx + 12, bottom - 8, 22],
      [cx + 9, top + 10, 22],
    ];
    /** @param {Point} point */
    const inside = ([x, y]) => x > left + 12 && x < right - 12 && y > top + 8 && y < bottom - 8;

    /** @param {number[]} values @param {Taken[]} names */
    function show(values, names) {
      const lines = contours(places, values);
      const taken = [...ticks, ...names];
      /** @param {Point} point */
      const free = ([x, y]) => taken.every(([u, v, wide]) => Math.abs(x - u) > wide || Math.abs(y - v) > 12);
      const segments = [...lines.values()].flat();
      attnkit.attr(path, "d", segments.map(attnkit.path).join(""));
      texts.forEach((text, k) => {
        const spots = (lines.get(k - LAST) || []).map(([a]) => a).filter(inside);
        const spot = spots.reduceRight(
          (best, p) => ((!best || p[0] + p[1] > best[0] + best[1]) && free(p) ? p : best),
          /** @type {Point | null} */ (null),
        );
        attnkit.style(text, "display", spot ? "" : "none");
        if (!spot) return;
        taken.push([...spot, 22]);
        attnkit.move(text, [spot[0], spot[1] + 4]);
      });
    }
    return { path, texts, show };
  }

  // Where the field lies in the drawing: its middle and its edges.
  /** @param {Plane} plane @param {number} limit */
  function edgesOf(plane, limit) {
    const [cx, cy] = plane.at(0, 0);
    const [left, top] = plane.at(-limit, limit);
    const [right, bottom] = plane.at(limit, -limit);
    return { cx, cy, left, top, right, bottom };
  }

  // The axes, and at their ends how far they go.
  /** @param {Edges} edges @param {number} limit */
  function axes({ cx, cy, left, top, right, bottom }, limit) {
    /** @param {number} x @param {number} y @param {number} v @param {string} anchor */
    const tick = (x, y, v, anchor) => attnkit.label(x, y, fixed(v, 0), "ak-text ak-tick", anchor);
    return [
      attnkit.svg("path", { d: `M${left} ${cy}H${right}M${cx} ${top}V${bottom}`, class: "ak-axis" }),
      tick(left + 3, cy - 4, -limit, "start"),
      tick(right - 3, cy - 4, limit, "end"),
      tick(cx + 4, bottom - 4, -limit, "start"),
      tick(cx + 4, top + 14, limit, "start"),
    ];
  }

  // The keys, each with its name, and the places that they take: the middle of each and how far it reaches to the sides.
  /** @param {Plane} plane @param {Point[]} keys @param {number} limit */
  function keyDots(plane, keys, limit) {
    return keys.map((key) => {
      const [x, y] = plane.at(...key);
      // A name stands above its point, inwards and below where the edge of the field is near.
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

  // The query, to be dragged: its arrow, the one that the general score turns it into, its name.
  /** @param {Figure<State, Given>} figure @param {Plane} plane @param {Move} move */
  function queryMarks(figure, plane, move) {
    const [shaft, turned] = ["ak-needle", "ak-needle ak-turned"].map((kind) => attnkit.svg("path", { class: kind }));
    const tip = attnkit.svg("circle", { r: 7, class: "ak-dot ak-of-query" });
    const name = attnkit.label(0, 0, "query", "ak-text ak-strong");
    const hit = attnkit.svg("circle", { r: 24, class: "ak-hit" });
    attnkit.drag(hit, (event) => figure.put(move(plane.from(event))));
    return { shaft, turned, tip, name, hit };
  }

  // The path of a line from the middle; what would leave the field ends at its edge, and `barbed` in an arrow's head.
  /** @param {Plane} plane @param {Point} p @param {number} limit @param {boolean} barbed */
  function arrow(plane, p, limit, barbed) {
    const short = Math.min(1, limit / Math.max(...p.map(Math.abs), 1e-9));
    const ends = /** @type {const} */ ([plane.at(0, 0), plane.at(...p.map((v) => v * short))]);
    return barbed && Math.hypot(...p) >= 0.3 ? attnkit.arrow(...ends, 12) : attnkit.path([...ends]);
  }

  // The query's name stands on the side where the keys and their names leave most room.
  /** @param {Point} point @param {Taken[]} taken @param {Edges} edges */
  function freeSide([x, y], taken, { cx, cy, left, top, right, bottom }) {
    const others = [...taken, [x, y], [(x + cx) / 2, (y + cy) / 2]];
    /** @param {Point} point */
    const room = ([a, b]) => Math.min(...others.map(([u, v]) => Math.hypot((a - u) / 3, b - v)));
    /** @type {Point[]} */
    const sides = [
      [x, y - 14],
      [x, y + 24],
      [x + 38, y + 5],
      [x - 38, y + 5],
    ].map(([a, b]) => [Math.max(left + 24, Math.min(right - 24, a)), Math.max(top + 14, Math.min(bottom - 5, b))]);
    return sides.reduce((a, b) => (room(b) > room(a) ? b : a));
  }

  // The coloured plane with the keys and the query in it, and how to show another query in it.
  /** @param {Figure<State, Given>} figure @param {Point[]} keys @param {number} limit @param {Move} move */
  function drawing(figure, keys, limit, move) {
    const plane = attnkit.plane({ limit });
    const raster = attnkit.raster(SIDE, SIDE);
    const edges = edgesOf(plane, limit);
    const dots = keyDots(plane, keys, limit);
    const taken = dots.flatMap((d) => d.taken);
    const texts = dots.map((d) => d.text);
    const { shaft, turned, tip, name, hit } = queryMarks(figure, plane, move);
    const lines = levels(plane, edges, limit);
    const rings = dots.map((d) => d.ring);
    plane.element.append(
      lines.path,
      ...axes(edges, limit),
      ...lines.texts,
      turned,
      shaft,
      tip,
      ...rings,
      ...texts,
      name,
      hit,
    );

    /** @param {number[]} values @param {Point} query @param {Point|null} turnedQuery */
    function show(values, query, turnedQuery) {
      attnkit.attr(shaft, "d", arrow(plane, query, limit, false));
      attnkit.style(turned, "display", turnedQuery ? "" : "none");
      if (turnedQuery) attnkit.attr(turned, "d", arrow(plane, turnedQuery, limit, true));
      const at = plane.at(...query);
      for (const node of [tip, hit]) attnkit.move(node, at);
      const side = freeSide(at, taken, edges);
      attnkit.move(name, side);
      lines.show(values, [...taken, [...at, 16], [...side, 36]]);
    }
    return { element: h("div", { class: "ak-over" }, raster.element, plane.element), raster, texts, show };
  }

  /** @param {string[]} words */
  function scoreTable(words) {
    const rows = words.map((word) => {
      const [score, weight, bar] = [h("td", {}), h("td", {}), h("span", { class: "ak-fill" })];
      const element = h("tr", {}, h("th", { scope: "row" }, word), score, weight, h("td", { class: "ak-wide" }, bar));
      return { score, weight, bar, element };
    });
    const titles = ["key", "score", "weight"].map((title) => h("th", { scope: "col" }, title));
    const head = h("thead", {}, h("tr", {}, ...titles, h("td", { class: "ak-wide" })));
    const element = h("table", { class: "ak-grid" }, head, h("tbody", {}, ...rows.map((r) => r.element)));
    return { element, rows };
  }

  // The line below the figure: where the query stands and which key it finds.
  /** @param {string[]} words @param {State} state @param {{ scores: number[], weights: number[] }} found */
  function answer(words, { query, score }, { scores, weights }) {
    const best = attnkit.argmax(weights);
    const alike = weights[best] - Math.min(...weights) < 1e-9;
    const finding = `finds ${attnkit.quoted(words[best])} best: score ${fixed(scores[best])}, weight ${fixed(weights[best])}.`;
    const where = `(${query.map((v) => fixed(v, 1)).join(", ")})`;
    return `Score: ${score}. The query at ${where} ${alike ? "finds all keys alike." : finding}`;
  }

  // The words around the field: what it shows, the score as code, its shapes, its range.
  /** @param {Learned} parameters */
  function notes(parameters) {
    const about = explanations(parameters);
    const [look, code] = [h("p", { class: "ak-say" }), h("code", {})];
    const [shapes, extent] = [h("p", { class: "ak-small" }), h("p", { class: "ak-small" })];
    /** @param {Score} score @param {number} low @param {number} high */
    function show(score, low, high) {
      const { learned, ...texts } = about[score];
      attnkit.write(look, texts.look);
      attnkit.write(code, `score = ${texts.code}`);
      const much = learned ? `${learned} numbers` : "nothing";
      attnkit.write(shapes, `Shapes: ${texts.shapes} → one number. Learned: ${much}.`);
      attnkit.write(
        extent,
        `Scores on the field: ${fixed(low)} to ${fixed(high)}, a line every ${STEP}; blue is positive, orange negative.`,
      );
    }
    return { look, code, shapes, extent, show };
  }

  /** @param {Figure<State, Given>} figure */
  function build(figure) {
    const { words, key_rows: keys, limit } = figure.given("words", "key_rows", "limit");
    const parameters = figure.given("weight", "w_query", "w_key", "bias", "v");
    /** @param {number} v */
    const inside = (v) => Math.max(-limit, Math.min(limit, Math.round(10 * v) / 10));
    /** @param {Point} point */
    const move = (point) => ({ query: point.map(inside) });
    const field = fieldPoints(limit);
    const { element, raster, texts, show } = drawing(figure, keys, limit, move);
    const note = notes(parameters);
    const table = scoreTable(words);

    /** @param {State} state */
    function update({ query, score }) {
      const state = { ...parameters, query, score };
      const { scores, weights } = compute({ ...state, key_rows: keys });
      const fieldScores = compute({ ...state, key_rows: field }).scores;
      const [low, high] = [Math.min(...fieldScores), Math.max(...fieldScores)];
      const vmax = Math.max(-low, high) || 1;
      raster.show(fieldScores, vmax);
      show(fieldScores, query, score === "general" ? attnkit.blend(query, parameters.weight) : null);
      table.rows.forEach((row, i) => {
        attnkit.write(texts[i], `${words[i]} ${fixed(weights[i])}`);
        attnkit.write(row.score, fixed(scores[i], 2));
        attnkit.paint(row.score, scores[i], vmax);
        attnkit.write(row.weight, fixed(weights[i], 2));
        attnkit.style(row.bar, "transform", `scaleX(${weights[i].toFixed(3)})`);
      });
      note.show(score, low, high);
      figure.say(answer(words, state, { scores, weights }));
    }
    const found = h("div", { class: "ak-found" }, table.element, note.extent);
    const about = h("div", { class: "ak-about" }, note.look, h("p", { class: "ak-code" }, note.code), note.shapes);
    const parts = [h("div", { class: "ak-field" }, element, found, controls(figure, limit, move), about)];
    return { parts, update };
  }

  attnkit.register("score_field", { label: "A field of scores", compute, build });
})(globalThis.attnkit);
