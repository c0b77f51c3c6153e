// Grow a sequence and watch the path from an item to the last output, in networks of five kinds.
((attnkit) => {
  "use strict";
  const { h, svg } = attnkit;

  /** @typedef {"recurrent" | "convolution" | "dilated" | "attention" | "window"} Network */
  /** @typedef {{ length: number, network: Network, source: number }} State */
  /** @typedef {[from: number, to: number]} Edge */
  /** @typedef {{ edges: Edge[], layers: number, last: number }} Net */
  /** @typedef {ReturnType<typeof compute>} Found */

  const [LEAST, MOST] = [4, 32]; // items
  const FEW_LINES = 200; // more are paler
  /** @type {Record<Network, string>} */
  const READS = {
    recurrent: "Each state reads its word and the state before it.",
    convolution: "Each node reads itself and the two before it, one layer below.",
    dilated: "Each node reads itself and one before it: 1, 2, 4, ... places back, layer by layer.",
    attention: "Each output attends to its word and all words before it.",
    window: "Each node attends to itself and the three before it, one layer below.",
  };
  const KINDS = /** @type {Network[]} */ (Object.keys(READS));
  const upTo = (count) => Array.from({ length: count }, (_, k) => k);

  // ---- the arithmetic, compared with Python by tests/figures/

  // The places that a node reads one level below: the first, the last, and how far apart they are.
  /** @type {Record<Network, (place: number, level: number) => [first: number, last: number, apart: number]>} */
  const PLACES = {
    recurrent: (place) => [place, place, 1],
    convolution: (place) => [Math.max(place - 2, 0), place, 1],
    dilated: (place, level) => [place < 2 ** (level - 1) ? place : place - 2 ** (level - 1), place, 2 ** (level - 1)],
    attention: (place) => [0, place, 1],
    window: (place) => [Math.max(place - 3, 0), place, 1],
  };

  // The connections [from, to], with as many layers as the last output needs to hear the first item. Node k stands at
  // place k % n of level floor(k / n), the items at level 0.
  function network(kind, n) {
    /** @type {Edge[]} */
    const edges = [];
    const hear = [true];
    let layers = 0;
    const connect = (from, to) => {
      edges.push([from, to]);
      hear[to] = hear[to] || hear[from];
    };
    while (!hear[layers * n + n - 1]) {
      const below = layers * n;
      layers++;
      for (let place = 0; place < n; place++) {
        const to = below + n + place;
        const [first, last, apart] = PLACES[kind](place, layers);
        for (let k = first; k <= last; k += apart) connect(below + k, to);
        if (kind === "recurrent" && place) connect(to - 1, to);
      }
    }
    return { edges, layers, last: layers * n + n - 1 };
  }

  // How many connections lead from an item to each node at least, -1 where none do. One pass is enough, as all that a
  // node reads stands before it.
  function distances({ edges, last }, item) {
    const far = Array(last + 1).fill(Infinity);
    far[item] = 0;
    for (const [from, to] of edges) far[to] = Math.min(far[to], far[from] + 1);
    return far.map((d) => (d < Infinity ? d : -1));
  }

  // The nodes on a shortest path, walked back from its end: all that leads to a node stands before it.
  function shortest({ edges, last }, far) {
    const path = [last];
    for (const [from, to] of edges.toReversed())
      if (to === path[0] && far[from] >= 0 && far[from] === far[to] - 1) path.unshift(from);
    return path;
  }

  function compute({ length, network: chosen, source }) {
    const all = KINDS.map((kind) => {
      const one = network(kind, length);
      const far = distances(one, source - 1);
      const waits = kind === "recurrent" ? length : one.layers;
      return { one, far, counted: { steps: far[one.last], waits, connections: one.edges.length } };
    });
    const compared = Object.fromEntries(all.map(({ counted }, k) => [KINDS[k], counted]));
    const { one, far } = all[KINDS.indexOf(chosen)];
    const level = (/** @type {number} */ k) => far.slice((k + 1) * length, (k + 2) * length);
    const heard = upTo(one.layers).map((k) => level(k).filter((d) => d >= 0).length);
    return { compared, ...one, far, path: shortest(one, far), heard };
  }

  // ---- the parts

  // Lines and dots; a dot is a line almost without a length, so that hundreds of them are one element.
  function picture(choose) {
    const paths = ["pale", "quiet", "hears", "strong", "on"].map((name) => svg("path", { class: `ak-${name}` }));
    const drawing = svg("svg", { preserveAspectRatio: "none", "aria-hidden": "true" }, paths);
    const numbers = upTo(MOST).map(() => h("span", {}));
    const below = h("div", { class: "ak-items", "aria-hidden": "true" }, numbers);
    const element = h("div", { class: "ak-net" }, drawing, below);
    const pick = (event) => {
      const { left, width } = element.getBoundingClientRect();
      choose((event.clientX - left) / width);
    };
    attnkit.drag(element, pick, { sideways: true });
    element.addEventListener("click", pick);
    return { element, drawing, numbers, paths };
  }

  function draw(made, { length: n, source }, { layers, path, far, edges }) {
    const at = (node) => `${node % n} ${layers - Math.floor(node / n)}`;
    const join = (edges) => edges.map(([from, to]) => `M${at(from)}L${at(to)}`).join("");
    const dots = (nodes) => nodes.map((node) => `M${at(node)}h0.01`).join("");
    const [deaf, hear] = [true, false].map((not) => [...far.keys()].filter((node) => far[node] < 0 === not));
    attnkit.attr(made.drawing, "viewBox", `-0.5 0 ${n} ${layers}`);
    attnkit.attr(made.element, "style", `--count:${n}`);
    attnkit.attr(made.paths[0], "stroke-opacity", edges.length > FEW_LINES ? 0.2 : 0.4);
    const drawn = [join(edges), dots(deaf), dots(hear), `M${path.map(at).join("L")}`, dots(path)];
    drawn.forEach((d, k) => attnkit.attr(made.paths[k], "d", d));
    showNumbers(made.numbers, n, source);
  }

  // The numbers of the items: all where there is room, else the chosen one and the last.
  function showNumbers(numbers, n, source) {
    numbers.forEach((number, k) => {
      const chosen = k + 1 === source;
      const last = k + 1 === n && (chosen || n <= ROOM || n - source > 2);
      attnkit.write(number, k < n && (chosen || last || n <= ROOM) ? String(k + 1) : "");
      attnkit.attr(number, "class", chosen || k + 1 === n ? "ak-strong" : "");
      attnkit.style(number, "display", k < n ? "" : "none");
    });
  }
  const ROOM = 16;

  const COLUMNS = ["steps on the path", "steps that wait", "connections"];
  const COUNTED =
    "Steps on the path: from the chosen word to the last output. Steps that wait: each needs the result of the one before.";

  // A row for each kind: the button that chooses it, and what is counted.
  function comparison(choose) {
    const rows = KINDS.map((kind) => {
      const button = attnkit.button(kind, () => choose(kind), { "aria-pressed": "false" });
      const [cells, bar] = [COLUMNS.map(() => h("span", {})), attnkit.bar()];
      const tds = cells.map((cell, k) => h("td", {}, cell, k === 0 ? bar : null));
      return { kind, button, cells, bar, element: attnkit.tr(button, ...tds) };
    });
    const stop = attnkit.walk(rows.map((row) => row.button));
    const element = attnkit.table("ak-kinds", ["", ...COLUMNS], rows);
    function show(compared, chosen) {
      stop.at(KINDS.indexOf(chosen));
      for (const { kind, button, cells, bar } of rows) {
        const { steps, waits, connections } = compared[kind];
        const numbers = [steps, waits, connections];
        attnkit.attr(button, "aria-pressed", String(kind === chosen));
        cells.forEach((cell, k) => attnkit.write(cell, attnkit.grouped(numbers[k])));
        bar.show(numbers[0] / MOST);
      }
    }
    return { element, show };
  }

  function sentence({ length, network: kind, source }, { compared, heard, layers }) {
    const { steps, connections } = compared[kind];
    const after = layers === 1 ? "" : `, after layers 1 to ${layers}`;
    const counts = `Steps from word ${source} to the last output: ${steps}; connections: ${attnkit.grouped(connections)}.`;
    const where = `Word ${source} is heard at ${heard.join(", ")} of ${length} places${after}.`;
    return `${kind[0].toUpperCase()}${kind.slice(1)}, ${length} words. ${counts} ${where}`;
  }

  function controls(figure) {
    const length = figure.slider({
      ...{ name: "words", min: LEAST, max: MOST, step: 1, word: (v) => `${v} words` },
      trait: "length",
      write: (v, state) => ({ length: v, source: Math.min(v, state.source) }),
    });
    // What is allowed changes before the value, which may be larger than what was allowed.
    const most = (/** @type {number} */ n) => attnkit.attr(source.input, "max", n);
    figure.follow({ show: most }, { trait: "length" });
    const source = figure.slider({
      ...{ name: "from word", trait: "source", min: 1, max: MOST, step: 1 },
      word: (v, state) => `word ${v} of ${state.length}`,
    });
    return attnkit.controls(length, h("div", { class: "ak-last-row" }, source, figure.reset()));
  }

  function build(figure) {
    const made = picture((share) => {
      const n = figure.get("length");
      figure.put({ source: Math.min(n, Math.max(1, Math.ceil(share * n))) });
    });
    const table = comparison((kind) => figure.put({ network: kind }));
    const how = h("p", { class: "ak-how" });
    const output = h("p", { class: "ak-small ak-top", "aria-hidden": "true" });
    const note = h("p", { class: "ak-small" }, COUNTED);

    function update(state) {
      const found = compute(state);
      attnkit.write(how, READS[state.network]);
      attnkit.write(output, `output ${state.length}`);
      draw(made, state, found);
      table.show(found.compared, state.network);
      figure.say(sentence(state, found));
    }
    return { parts: [how, output, made, controls(figure), table, note], update };
  }

  attnkit.register("sequence_paths", { label: "Paths through a sequence", compute, build });
})(globalThis.attnkit);
