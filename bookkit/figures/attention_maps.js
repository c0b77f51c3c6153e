// Trained attention: choose a sentence, a step and a word; its weights light the other side's words and the matrix.
((attnkit) => {
  "use strict";
  const { h, fixed, attr, quoted } = attnkit;

  /** @typedef {"row" | "column"} Side */
  /** @typedef {[side: Side, place: number]} Word */
  /** @typedef {{ example: number, step: number, word: Word }} State */
  /** @typedef {{ rows: string[], columns: string[], weights: Matrix[], said?: string[], gold?: number[][] }} Example */
  /** @typedef {{ examples: Example[], steps: string[], rows: string, columns: string }} Shown */
  /** @typedef {Shown & { step_name: string, rows_language: string | null }} Given */
  /** @typedef {(side: Side, place: number) => void} Select */

  // What a chosen word shows, compared with numpy by tests/figures/: its row of weights, or its column.
  function compute({ weights, step, word: [side, k] }) {
    const numbers = side === "row" ? weights[step][k] : weights[step].map((row) => row[k]);
    return { numbers, sum: attnkit.sum(numbers) };
  }

  const TOLD = 3; // so many weights are told one by one, the rest together
  // A phone's cell has room for three characters: .88, 1.0.
  const short = (weight) => fixed(weight).replace(/^0|0$/, "");
  const longest = (texts) => texts.reduce((a, b) => (b.length > a.length ? b : a), "");

  // What the longest sentence on each side needs: words, and letters of one; a shorter one hides what is left over.
  function roomOf(examples) {
    const sides = [examples.map((e) => e.rows), examples.map((e) => e.columns)];
    const [rows, columns] = sides.map((words) => Math.max(...words.map((of_one) => of_one.length)));
    const [length, height] = sides.map((words) => longest(words.flat()).length);
    return { rows, columns, length, height };
  }

  // Numbers that the style sheet counts with.
  function tellStyle(element, numbers) {
    for (const [name, value] of Object.entries(numbers)) element.style.setProperty(`--${name}`, String(value));
  }

  // The sentences above the words, and below them the steps.
  function controls(figure, examples, steps) {
    const pick = figure.menu({
      label: "sentence",
      words: examples.map((e) => e.columns.join(" ")),
      trait: "example",
      write: (example) => ({ word: ["row", 0], example }), // a word that every sentence has
    });
    const range = { min: 0, max: steps.length - 1, step: 1, format: (/** @type {number} */ k) => steps[k] };
    const slider = figure.slider({ name: figure.get("step_name"), trait: "step", ...range });
    slider.element.style.gridTemplateColumns = `max-content minmax(3rem, 1fr) ${longest(steps).length + 1}ch`;
    return { pick, below: h("div", { class: "ak-controls ak-last-row" }, slider, figure.reset()) };
  }

  // The words of one side, chosen by pointing at them, too.
  function chips(side, count, lang, select) {
    return Array.from({ length: count }, (_, k) => {
      const pick = () => select(side, k);
      const look = { class: "ak-chip", "aria-pressed": "false", lang };
      return attnkit.button(null, pick, { ...look, onmouseenter: pick, onfocus: pick });
    });
  }

  // The words looked at, a curve from each of the words that look to each of them, and the matrix.
  function stage(looked, lookers, map, title) {
    const curves = lookers.map(() => looked.map(() => attnkit.svg("path")));
    const svg = attnkit.svg("svg", { "aria-hidden": "true" }, curves);
    const heading = h("p", { class: "ak-small", "aria-hidden": "true" }, title);
    const list = h("div", { class: "ak-list", role: "group", "aria-label": title }, heading, looked);
    const element = h("div", { class: "ak-looks" }, svg, list, map);
    // Curves lead from word to word, where they stand side by side.
    function draw({ rows, columns }) {
      if (!svg.getClientRects().length) return;
      const ends = (word) => {
        const { left, right, top, bottom } = attnkit.box(word, element);
        return { left, right, y: (top + bottom) / 2 };
      };
      const [from, to] = [looked.slice(0, columns.length).map(ends), lookers.slice(0, rows.length).map(ends)];
      to.forEach(({ left, y: v }, i) =>
        from.forEach(({ right, y }, j) => {
          const middle = (right + left) / 2;
          attr(curves[i][j], "d", `M${right} ${y}C${middle} ${y} ${middle} ${v} ${left} ${v}`);
        }),
      );
    }
    return { element, curves, draw, stop: attnkit.walk(looked) };
  }

  // The words of one side: one of them is pressed, or all show what the pressed word of the other side gives them.
  function showWords(list, stop, pressed, numbers) {
    if (pressed !== null) stop.at(pressed);
    list.forEach((word, i) => {
      attr(word, "aria-pressed", String(i === pressed));
      if (pressed === null) attnkit.paint(word, numbers[i] ?? 0, 1, "weight");
      else attnkit.style(word, "backgroundColor", "");
    });
  }

  // The whole matrix and the curves; what belongs to the chosen word is lit.
  function showWeights({ cells, show }, curves, weights, [side, k]) {
    show(weights, short);
    cells.forEach((row, i) =>
      row.forEach((cell, j) => {
        const weight = weights[i]?.[j];
        const lit = (side === "row" ? i : j) === k;
        attr(cell.element, "data-lit", lit ? side : "");
        attnkit.style(curves[i][j], "strokeWidth", String(Math.round(1 + 9 * (weight ?? 0))));
        const glow = lit ? 0.12 + 0.6 * weight : 0.2 * weight;
        attnkit.style(curves[i][j], "strokeOpacity", weight === undefined ? "0" : glow.toFixed(2));
      }),
    );
  }

  // Words that stand twice in a sentence are told apart by their place.
  const nameOf = (words, i) =>
    quoted(words[i]) + (words.indexOf(words[i]) === words.lastIndexOf(words[i]) ? "" : ` (word ${i + 1})`);

  // The weights of a word, the largest first, in words: “aime” with 0.95, ...
  function listed(others, numbers, by) {
    const order = attnkit.ranked(numbers);
    const told = order.length > TOLD + 1 ? order.slice(0, TOLD) : order;
    const parts = told.map((i) => `${by} ${nameOf(others, i)} with ${fixed(numbers[i])}`);
    const rest = order.slice(told.length);
    const left = attnkit.sum(rest.map((i) => numbers[i]));
    if (rest.length) parts.push(`${by} the other ${rest.length} words with ${fixed(left)} together`);
    return parts.join(", ");
  }

  // The line below the figure: where a word looks, or who looks at it.
  function answer({ rows, columns, gold }, [side, k], { numbers, sum }) {
    if (side === "column")
      return `${nameOf(columns, k)} is looked at ${listed(rows, numbers, "by")}. The column sums to ${fixed(sum)}.`;
    const right = gold?.[k] ?? [];
    const marked = right.length ? ` Right: ${right.map((j) => nameOf(columns, j)).join(", ")}.` : "";
    return `${nameOf(rows, k)} looks ${listed(columns, numbers, "at")}.${marked}`;
  }

  function build(figure) {
    const { examples, steps, rows, columns } = figure.given("examples", "steps", "rows", "columns");
    const lang = figure.get("rows_language");
    const room = roomOf(examples);
    const select = (/** @type {Word} */ ...word) => figure.put({ word });
    // What the model says at the step shown has room for the longest.
    const most = `says: ${quoted(longest(examples.flatMap((e) => e.said ?? [])))}`;
    const words = h("strong", { lang });
    const said = h("p", { class: "ak-said", "data-longest": most }, h("span", {}, "says: “", words, "”"));
    const [lookers, looked] = [chips("row", room.rows, lang, select), chips("column", room.columns, null, select)];
    const map = attnkit.weightTable(lookers, room.columns, select, { corner: rows, label: "weights" });
    const scene = stage(looked, lookers, map, `${columns}: looked at`);
    tellStyle(scene.element, room);
    const legend = h("p", { class: "ak-small" });
    let laid = /** @type {Example | null} */ (null); // the sentence that stands there
    const place = () => laid && scene.draw(laid);

    // Another sentence: other words, other squares.
    function lay(e) {
      laid = e;
      said.hidden = !e.said;
      map.lay(e.rows, e.columns);
      scene.stop.within(e.columns.length);
      attnkit.fill(looked, e.columns);
      map.cells.forEach((row, i) =>
        row.forEach(({ square }, j) => square.classList.toggle("ak-right", Boolean(e.gold?.[i]?.includes(j)))),
      );
      const [n, m] = [e.rows.length, e.columns.length];
      tellStyle(scene.element, { n, m });
      map.element.classList.toggle("ak-level", 0.6 * longest(e.columns).length < 12 / Math.max(n, m));
      const dashed = e.gold ? " Dashed: the right words." : "";
      attnkit.write(legend, `Rows: ${rows}; each sums to one. Columns: ${columns}.${dashed}`);
      place();
    }

    function update({ example, step, word: [side, chosen] }) {
      const e = examples[example];
      const k = Math.min(chosen, e[`${side}s`].length - 1); // the kernel may change the sentence first, then the word
      const shown = compute({ weights: e.weights, step, word: [side, k] });
      if (e !== laid) lay(e);
      if (e.said) attnkit.write(words, e.said[step]);
      showWords(lookers, map.stop, side === "row" ? k : null, shown.numbers);
      showWords(looked, scene.stop, side === "column" ? k : null, shown.numbers);
      showWeights(map, scene.curves, e.weights[step], [side, k]);
      figure.say(answer(e, [side, k], shown));
    }
    const watch = new ResizeObserver(place);
    for (const node of [scene.element, looked[0], lookers[0]]) watch.observe(node); // words grow when their letters arrive
    const { pick, below } = controls(figure, examples, steps);
    return { parts: [pick, said, scene, legend, below], update, stop: () => watch.disconnect() };
  }

  attnkit.register("attention_maps", { label: "Attention maps", compute, build });
})(globalThis.attnkit);
