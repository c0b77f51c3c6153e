// The costs of one layer of attention against its length: a chart with both axes logarithmic, and a bill.
((attnkit) => {
  "use strict";
  const { h, svg, fixed } = attnkit;

  /** @typedef {"whole" | "blocks" | "window" | "linear"} Method */
  /** @typedef {"multi-head" | "grouped-query" | "multi-query"} Sharing */
  /** @typedef {{ length: number, width: number, heads: number }} Sizes */
  /** @typedef {{ method: Method, sharing: Sharing, shown: "operations" | "memory" | "time" }} Choices */
  /** @typedef {Sizes & Choices} State */
  /** @typedef {{ lengths: number[], ms: Record<string, (number | null)[]> }} Measured times, by method */
  /** @typedef {Measured | { lengths?: undefined, ms?: undefined }} Times measured, or none */
  /** @typedef {{ window: number, measured: Times }} Given */
  /** @typedef {State & Given} All */
  /** @typedef {ReturnType<typeof compute>} Found */
  /** @typedef {(length: number, value: number) => Point} Place where the value of a length stands in the chart */

  // The arithmetic, compared with attention_bill.py, and through it with attnkit, by tests/figures/.
  /** @type {Method[]} */
  const METHODS = ["whole", "blocks", "window", "linear"];
  const KERNEL = "torch kernel";
  const [HEAD, BLOCK, ROWS] = [64, 512, 64];
  /** @type {Record<Sharing, (heads: number) => number>} */
  const KV_HEADS = {
    "multi-head": (heads) => heads,
    "grouped-query": (heads) => Math.max(1, heads / 4),
    "multi-query": () => 1,
  };
  /** @param {Pick<Sizes, "length"|"width">} sizes */
  const projections = ({ length, width }) => 4 * length * width ** 2;

  /** @param {Sizes & { method: Method, window?: number }} sizes */
  function attention({ method, length, width, heads, window = 0 }) {
    if (method === "linear") return (2 * length * width * width) / heads;
    return 2 * length * (method === "window" ? Math.min(length, 2 * window + 1) : length) * width;
  }

  /** @type {Record<Method, (sizes: Sizes & { window: number }) => number>} */
  const HELD = {
    whole: ({ length, heads }) => heads * length ** 2,
    blocks: ({ length }) => Math.min(length, BLOCK) ** 2,
    window: ({ length, heads, window }) => heads * Math.min(length, ROWS) * Math.min(length, ROWS + 2 * window),
    linear: ({ width, heads }) => heads * (width / heads) ** 2,
  };
  /** @param {Sizes & { method: Method, window: number }} state */
  const weights = (state) => 4 * HELD[state.method](state);

  /** @param {Sizes & { method: Method, sharing: Sharing, window: number }} sizes */
  function cache({ method, length, width, heads, sharing, window }) {
    const head = width / heads;
    const kept = method === "window" ? Math.min(length, window + 1) : length;
    return 2 * KV_HEADS[sharing](heads) * (method === "linear" ? head ** 2 : 2 * kept * head);
  }

  /** @template T @param {T} state */
  const one = (state) => ({ ...state, width: HEAD, heads: 1 }); // the head that is measured

  /** @param {{ measured: Times, length: number }} state @param {string} name */
  function measuredTime({ measured, length }, name) {
    return measured.lengths ? (measured.ms[name]?.[measured.lengths.indexOf(length)] ?? null) : null;
  }

  // Operations a millisecond of "whole": the median over the lengths that it was measured at.
  /** @param {Measured} measured */
  function speed({ lengths, ms }) {
    const found = lengths.flatMap((length, k) =>
      ms.whole[k] ? [attention(one({ method: "whole", length })) / ms.whole[k]] : [],
    );
    found.sort((a, b) => a - b);
    const half = found.length >> 1;
    return found.length % 2 ? found[half] : (found[half - 1] + found[half]) / 2;
  }

  /** @param {Given & { method: Method, length: number }} state */
  const estimate = (state) => (state.measured.lengths ? attention(one(state)) / speed(state.measured) : null);

  /** @param {All} state */
  function compute(state) {
    const found = { projections: projections(state), attention: attention(state) };
    const bill = { ...found, operations: found.projections + found.attention, weights: weights(state) };
    const times = { measured: measuredTime(state, state.method), estimate: estimate(state) };
    return { ...bill, cache: cache(state), ...times, written: written({ ...bill, cache: cache(state), ...times }) };
  }

  // ---- in words: the twins of in_words, in_bytes and in_time in bookkit/pictures/formats.py

  /** @param {number} count @param {string[]} units */
  function scaled(count, units) {
    let power = 0;
    for (; count >= 999.5 && power + 1 < units.length; power++) count /= 1000;
    return fixed(count, power && count < 99.95 ? 1 : 0) + units[power];
  }
  /** @param {number} n */
  const inWords = (n) => scaled(n, ["", " thousand", " million", " billion", " trillion", " quadrillion"]);
  /** @param {number} n */
  const inBytes = (n) => scaled(n, [" bytes", " kB", " MB", " GB", " TB", " PB"]);
  const TIMES = Object.entries({ h: 3_600_000, min: 60_000, s: 1000, ms: 0 });
  /** @param {number|null} ms */
  function inTime(ms) {
    if (ms === null) return "not measured";
    const [unit, size] = TIMES.find(([, least]) => ms >= 0.9995 * least) ?? ["ms", 0];
    const value = size ? ms / size : ms;
    return `${fixed(value, value < 0.995 ? 2 : value < 99.95 ? 1 : 0)} ${unit}`;
  }
  /** @type {Record<string, (amount: any) => string>} a time may be null, the others may not */
  const WRITE = {
    projections: inWords,
    attention: inWords,
    operations: inWords,
    weights: inBytes,
    cache: inBytes,
    measured: inTime,
    estimate: inTime,
  };
  /** @param {Record<string, number|null>} bill */
  const written = (bill) => Object.fromEntries(Object.entries(bill).map(([name, value]) => [name, WRITE[name](value)]));
  /** @param {number} n */
  const grouped = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, ",");

  // What each amount is the product of.
  /** @type {Record<string, (state: All) => string>} */
  const FORMULAS = {
    projections: () => "4 n d²",
    attention: ({ method, length, window }) => {
      /** @type {Partial<Record<Method, string>>} */
      const seen = { linear: "2 n d × d/h", window: `2 n × ${grouped(2 * window + 1)} × d` };
      return method === "window" && length <= 2 * window ? "2 n² d" : (seen[method] ?? "2 n² d");
    },
    operations: () => "",
    weights: ({ method, length, window }) => {
      const block = grouped(Math.min(length, BLOCK));
      const [rows, columns] = [ROWS, ROWS + 2 * window].map((size) => grouped(Math.min(length, size)));
      /** @type {Partial<Record<Method, string>>} */
      const all = { whole: "h n²", window: `h × ${rows} × ${columns}`, linear: "h (d/h)²" };
      return method === "blocks" ? `4 bytes × ${block}², head by head` : `4 bytes × ${all[method]}`;
    },
    cache: ({ method, length, window }) => {
      const kept = method === "window" && length > window ? grouped(window + 1) : "n";
      return method === "linear" ? "2 bytes × k (d/h)²" : `2 bytes × 2 × ${kept} × k d/h`;
    },
    measured: () => `width ${HEAD}, one machine`,
    estimate: ({ measured }) => (measured.lengths ? `at ${inWords(speed(measured))} a ms` : ""),
  };

  // ---- the chart

  const [WIDE, HIGH, LEFT, RIGHT, TOP, FOOT] = [400, 304, 64, 318, 34, 280];
  const [FIRST, LAST] = [7, 20]; // the shortest and the longest text, as powers of two
  const LENGTHS = Array.from({ length: LAST - FIRST + 1 }, (_, k) => 2 ** (FIRST + k));

  /**
   * @typedef {{ title: string, scale: Point, ticks: Record<string, number>, line: (all: All) => number, dashed?: [name: string, line: (all: All) => number] }} Chart
   */
  // What can be shown: its title, its scale in powers of ten, what is drawn for each method, and the dashed line.
  /** @param {Figure<State, Given>} figure @returns {Record<State["shown"], Chart>} */
  function charts(figure) {
    const own = { window: figure.get("window"), measured: figure.get("measured") };
    const ranges = timeRange(own);
    return {
      operations: {
        title: "operations of scores and blend",
        scale: [4.5, 17],
        ticks: { million: 6, billion: 9, trillion: 12, quadrillion: 15 },
        line: attention,
        dashed: ["projections", projections],
      },
      memory: {
        title: "weights held at one time, in bytes",
        scale: [2.5, 15],
        ticks: { "1 kB": 3, "1 MB": 6, "1 GB": 9, "1 TB": 12 },
        line: weights,
        dashed: ["cache", cache],
      },
      time: {
        title: "one head of width 64: measured (dots), estimated (lines)",
        scale: ranges,
        ticks: { "0.001 ms": -3, "1 ms": 0, "1 s": 3, "1 min": Math.log10(60_000), "1 h": Math.log10(3_600_000) },
        line: (all) => estimate(all) ?? Number.NaN,
      },
    };
  }

  // From below the least time to above the greatest, measured or estimated.
  /** @param {Given} own @returns {Point} */
  function timeRange(own) {
    const { lengths, ms } = own.measured;
    if (!lengths) return [0, 1]; // of a chart that is not to be had
    const estimates = METHODS.flatMap((method) => LENGTHS.map((length) => estimate({ ...own, method, length })));
    const all = [...estimates, ...Object.values(ms).flat()].filter((time) => time !== null);
    return [Math.log10(Math.min(...all)) - 0.4, Math.log10(Math.max(...all)) + 0.4];
  }

  // Labels on top of one another move apart, in their order, and stay above the foot.
  /** @param {number[]} places @param {number} gap */
  function apart(places, gap) {
    const order = places.map((_, k) => k).sort((a, b) => places[a] - places[b]);
    const moved = [...places];
    order.slice(1).forEach((k, i) => {
      moved[k] = Math.max(moved[k], moved[order[i]] + gap);
    });
    let limit = FOOT + 5;
    for (const k of order.reverse()) {
      moved[k] = Math.min(moved[k], limit);
      limit = moved[k] - gap;
    }
    return moved;
  }

  /** @param {Place} at */
  function axes(at) {
    const marks = [2 ** 7, 2 ** 10, 2 ** 13, 2 ** 16, 2 ** 20];
    const names = marks.map((n) => attnkit.label(at(n, 1)[0], FOOT + 18, grouped(n), "ak-tick"));
    const name = attnkit.label(LEFT - 20, FOOT + 18, "words", "ak-tick", "end");
    const line = svg("path", { d: `M${LEFT} ${FOOT}H${RIGHT}`, class: "ak-axis" });
    return [line, ...names, name];
  }

  // Up to five marks of the scale: a line across, and what it means.
  function scaleMarks() {
    const marks = Array.from({ length: 5 }, () => ({
      line: svg("path", { class: "ak-rule" }),
      text: attnkit.label(LEFT - 6, 0, "", "ak-tick", "end"),
    }));
    /** @param {Record<string, number>} ticks @param {Place} at */
    function show(ticks, at) {
      const places = Object.entries(ticks).map(([name, power]) => ({ name, y: at(1, 10 ** power)[1] }));
      const kept = places.filter(({ y }) => y > TOP && y < FOOT - 6);
      marks.forEach(({ line, text }, k) => {
        for (const node of [line, text]) attnkit.style(node, "display", kept[k] ? "" : "none");
        if (!kept[k]) return;
        const { name, y } = kept[k];
        attnkit.attr(line, "d", `M${LEFT} ${y.toFixed(1)}H${RIGHT}`);
        attnkit.attr(text, "y", (y + 5).toFixed(1));
        attnkit.write(text, name);
      });
    }
    return { nodes: marks.flatMap(({ line, text }) => [line, text]), show };
  }

  // A line for each method, the chosen one strong, and one that is dashed, each with its name at its end.
  function lines() {
    const names = [...METHODS, "dashed"];
    const paths = names.map((name) => svg("path", { class: name === "dashed" ? "ak-line ak-dashed" : "ak-line" }));
    const strong = svg("path", { class: "ak-line ak-chosen" });
    const labels = METHODS.map((name) => attnkit.label(RIGHT + 7, 0, name, "ak-name"));
    labels.push(attnkit.label(RIGHT + 7, 0, "", "ak-name"));
    for (const label of labels) label.setAttribute("text-anchor", "start");

    /** @param {Chart} chart @param {All} state @param {Place} at */
    function show(chart, state, at) {
      const values = METHODS.map((method) => LENGTHS.map((length) => chart.line({ ...state, method, length })));
      const { dashed } = chart;
      if (dashed) values.push(LENGTHS.map((length) => dashed[1]({ ...state, length })));
      const drawn = values.map((line) => line.map((v, k) => at(LENGTHS[k], v)));
      drawn.forEach((points, k) => attnkit.attr(paths[k], "d", attnkit.path(points)));
      attnkit.attr(strong, "d", attnkit.path(drawn[METHODS.indexOf(state.method)]));
      const ends = drawn.map((points) => points[points.length - 1][1] + 5);
      const places = apart(ends, 17);
      for (const node of [paths[4], labels[4]]) attnkit.style(node, "display", chart.dashed ? "" : "none");
      labels.forEach((label, k) => {
        if (k < places.length) attnkit.attr(label, "y", places[k].toFixed(1));
        attnkit.attr(label, "class", METHODS[k] === state.method ? "ak-name ak-chosen" : "ak-name");
      });
      if (chart.dashed) attnkit.write(labels[4], chart.dashed[0]);
    }
    return { nodes: [...paths, strong, ...labels], show };
  }

  // Where scores and blend cost as much as the projections.
  function crossing() {
    const ring = svg("circle", { r: 7, class: "ak-ring" });
    const text = attnkit.label(0, 0, "", "ak-text", "end");
    /** @param {All} all @param {Place} at */
    function show({ width, heads, shown }, at) {
      for (const node of [ring, text]) attnkit.style(node, "display", shown === "operations" ? "" : "none");
      if (shown !== "operations") return;
      const length = 2 * width;
      const [x, y] = at(length, attention({ method: "whole", length, width, heads }));
      attnkit.move(ring, [x, y]);
      attnkit.write(text, `n = 2d = ${grouped(length)}`);
      // It ends above the ring, or further right and higher where the chart begins.
      const end = Math.max(x, LEFT + 122);
      attnkit.move(text, [end, y - 14 - 0.62 * (end - x)]);
    }
    return { nodes: [ring, text], show };
  }

  // The measured times as dots; those of torch's kernel, which is exact, beside the exact methods.
  /** @param {Times} measured */
  function dots({ lengths = [], ms = {} }) {
    const all = Object.entries(ms).flatMap(([name, times]) =>
      lengths.map((length, k) => ({ name, length, time: times[k], node: svg("circle", { r: 3.5 }) })),
    );
    const known = all.flatMap(({ time, ...rest }) => (time === null ? [] : [{ ...rest, time }]));
    const last = known.findLast(({ name }) => name === KERNEL);
    const label = attnkit.label(0, 0, "PyTorch", "ak-name", "start");
    /** @param {All} all @param {Place} at */
    function show({ shown, method }, at) {
      const exact = method === "whole" || method === "blocks";
      for (const { name, length, time, node } of known) {
        const seen = shown === "time" && (name !== KERNEL || exact);
        attnkit.style(node, "display", seen ? "" : "none");
        if (seen) attnkit.move(node, at(length, time));
        const kind = name === method ? "ak-mark ak-chosen" : name === KERNEL ? "ak-mark ak-kernel" : "ak-mark";
        attnkit.attr(node, "class", kind);
      }
      attnkit.style(label, "display", last && shown === "time" && exact ? "" : "none");
      if (!last || shown !== "time") return;
      const [x, y] = at(last.length, last.time);
      attnkit.move(label, [x + 8, y + 9]);
    }
    return { nodes: [...known.map(({ node }) => node), label], show };
  }

  // The chart; where it is pressed or dragged is the length.
  /** @param {Figure<State, Given>} figure */
  function drawing(figure) {
    const { element, from, scale, ...field } = attnkit.field("ak-chart", [WIDE, HIGH], [LEFT, TOP, RIGHT, FOOT]);
    /** @type {Place} */
    const at = (length, value) => field.at(Math.log2(length), Math.log10(value));
    const kinds = charts(figure);
    scale([FIRST, LAST], [0, 1]); // what stands along the foot is there for all
    const [title, rules, made, ring] = [
      attnkit.label(6, 16, "", "ak-title", "start"),
      scaleMarks(),
      lines(),
      crossing(),
    ];
    const points = dots(figure.get("measured"));
    const here = svg("path", { class: "ak-here" });
    const dot = svg("circle", { r: 6, class: "ak-dot" });
    const hit = svg("rect", { x: LEFT, y: TOP, width: RIGHT - LEFT, height: FOOT - TOP, class: "ak-hit" });
    /** @param {MouseEvent} event */
    const to = (event) => {
      figure.put({ length: 2 ** Math.round(Math.max(FIRST, Math.min(LAST, from(event)[0]))) });
    };
    attnkit.drag(hit, to, { sideways: true });
    hit.addEventListener("click", to);
    const parts = [...rules.nodes, ...axes(at), here, ...made.nodes, ...points.nodes, ...ring.nodes, dot];
    element.append(title, ...parts, hit);

    /** @param {All} state */
    function show(state) {
      const chart = kinds[state.shown];
      scale([FIRST, LAST], chart.scale);
      attnkit.write(title, chart.title);
      rules.show(chart.ticks, at);
      for (const part of [ring, points]) part.show(state, at);
      made.show(chart, state, at);
      const point = at(state.length, chart.line(state));
      attnkit.attr(here, "d", `M${point[0].toFixed(1)} ${TOP}V${FOOT}`);
      attnkit.move(dot, point);
    }
    return { element, show };
  }

  // ---- the bill

  // How many heads have keys and values of their own: a button for each number there is.
  /** @param {Figure<State, Given>} figure */
  function sharers(figure) {
    const buttons = /** @type {Sharing[]} */ (Object.keys(KV_HEADS)).map((sharing) => {
      const button = figure.button("", () => ({ sharing }));
      return { sharing, button };
    });
    const name = h("span", { class: "ak-small" }, "key-value heads k:");
    const rest = buttons.map(({ button }) => button);
    const element = h("div", { class: "ak-sharing", role: "group", "aria-label": "key-value heads" }, name, ...rest);
    const stop = attnkit.walk(rest);
    /** @param {State} state */
    function show({ sharing, heads }) {
      const numbers = buttons.map((b) => KV_HEADS[b.sharing](heads));
      stop.at(numbers.indexOf(KV_HEADS[sharing](heads)));
      buttons.forEach(({ button }, k) => {
        attnkit.write(button, String(numbers[k]));
        attnkit.attr(button, "aria-pressed", String(numbers[k] === KV_HEADS[sharing](heads)));
        attnkit.style(button, "display", k && numbers[k] === numbers[k - 1] ? "none" : "");
      });
    }
    return { element, show };
  }

  /** @type {Record<string, string>} */
  const ROW_NAMES = {
    projections: "projections",
    attention: "scores and blend",
    operations: "operations",
    weights: "weights held",
    cache: "key-value cache",
    measured: "one head: measured",
    estimate: "estimated",
    kernel: "by PyTorch",
  };

  /** @param {Figure<State, Given>} figure */
  function billTable(figure) {
    const sharing = sharers(figure);
    const { lengths, ms } = figure.get("measured");
    /** @type {Record<string, unknown>} */
    const known = { measured: lengths, estimate: lengths, kernel: ms?.[KERNEL] };
    const names = Object.keys(ROW_NAMES).filter((name) => !(name in known) || known[name]);
    const rows = names.map((name) => {
      const [formula, value] = [h("span", { class: "ak-small" }), h("td", {})];
      const head = h("th", { scope: "row" }, h("span", {}, ROW_NAMES[name]), formula);
      return { name, formula, value, element: h("tr", { class: `ak-${name}` }, head, value) };
    });
    /** @param {All} state */
    function show(state) {
      const found = compute(state);
      /** @type {Record<string, string>} */
      const texts = { ...found.written, kernel: inTime(measuredTime(state, KERNEL)) };
      for (const { name, formula, value } of rows) {
        attnkit.write(value, texts[name]);
        attnkit.write(formula, FORMULAS[name]?.(state) ?? "");
      }
      sharing.show(state);
    }
    const all = rows.map((row) => row.element);
    all.splice(names.indexOf("cache") + 1, 0, h("tr", {}, h("td", { colspan: 2 }, sharing.element)));
    return { element: h("table", { class: "ak-grid ak-bill" }, h("tbody", {}, ...all)), show };
  }

  // ---- controls and words

  /**
   * @param {Figure<State, Given>} figure
   * @param {string} name
   * @param {"length"|"width"|"heads"} trait
   * @param {Pair} most
   * @param {string} word
   */
  function powerSlider(figure, name, trait, most, word) {
    const [low, high] = most;
    return figure.slider({
      name,
      min: low,
      max: high,
      step: 1,
      read: (state) => Math.log2(state[trait]),
      write: (power) => ({ [trait]: 2 ** power }),
      format: (power) => grouped(2 ** power),
      word: (power) => `${grouped(2 ** power)}${word}`,
    }).element;
  }

  /**
   * @template {"shown" | "method"} T
   * @param {Figure<State, Given>} figure
   * @param {string} label
   * @param {T} trait
   * @param {State[T][]} words
   */
  function chooser(figure, label, trait, words) {
    return figure.choice({
      label,
      words,
      read: (state) => words.indexOf(state[trait]),
      write: (k) => ({ [trait]: words[k] }),
    }).element;
  }

  // The switch of the chart, the method, the sizes.
  /** @param {Figure<State, Given>} figure @param {boolean} timed */
  function controls(figure, timed) {
    /** @type {State["shown"][]} */
    const charts = timed ? ["operations", "memory", "time"] : ["operations", "memory"];
    const shown = chooser(figure, "chart", "shown", charts);
    shown.append(figure.reset());
    const sliders = [
      powerSlider(figure, "length n", "length", [FIRST, LAST], " words"),
      powerSlider(figure, "width d", "width", [7, 14], " numbers a word"),
      powerSlider(figure, "heads h", "heads", [0, 7], " heads"),
    ];
    return h("div", { class: "ak-controls" }, shown, chooser(figure, "method", "method", METHODS), ...sliders);
  }

  /** @param {All} state @param {Found} found */
  function sentence(state, { attention, operations, measured, written }) {
    const { method, length, width, heads } = state;
    const sizes = `${grouped(length)} words, ${heads === 1 ? "one head" : `${heads} heads`} of width ${grouped(width / heads)}`;
    const percent = (100 * attention) / operations;
    const part = `${percent < 1 ? "under 1" : fixed(percent, 0)}% for scores and blend`;
    const memory = `weights ${written.weights}, cache ${written.cache}.`;
    const known = measured === null ? written.measured : `${written.measured} measured`;
    const time = state.measured.lengths ? ` One head of ${HEAD}: ${known}, ${written.estimate} estimated.` : "";
    return `${method}, ${sizes}: ${written.operations} operations, ${part}; ${memory}${time}`;
  }

  /** @param {Figure<State, Given>} figure */
  function build(figure) {
    const own = { window: figure.get("window"), measured: figure.get("measured") };
    const [chart, table] = [drawing(figure), billTable(figure)];
    const note =
      "One layer without its MLP, with a key and a value of each head; an operation is a multiply-add. The window reaches ";
    const small = h("p", { class: "ak-small" }, `${note}${grouped(own.window)} words to either side.`);

    /** @param {State} changing */
    function update(changing) {
      const state = { ...changing, ...own };
      chart.show(state);
      table.show(state);
      const said = sentence(state, compute(state));
      figure.say(said[0].toUpperCase() + said.slice(1));
    }
    const picture = h("div", {}, chart.element, controls(figure, Boolean(own.measured.lengths)));
    const whole = h("div", { class: "ak-both" }, picture, h("div", {}, table.element, small));
    return { parts: [whole], update };
  }

  attnkit.register("attention_bill", { label: "The bill of attention", compute, build });
})(globalThis.attnkit);
