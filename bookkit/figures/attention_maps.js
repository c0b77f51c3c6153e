// Trained attention: choose a sentence, a step and a word; its weights light the other side's words and the matrix.
((attnkit) => {
  "use strict";
  const { h, fixed } = attnkit;

  /** @typedef {"row" | "column"} Side */
  /** @typedef {[side: Side, place: number]} Word */
  /** @typedef {{ example: number, step: number, word: Word }} State */
  /** @typedef {{ rows: string[], columns: string[], weights: Matrix[], said?: string[], gold?: number[][] }} Example */
  /** @typedef {{ examples: Example[], steps: string[], rows: string, columns: string }} Shown */
  /** @typedef {{ step_name: string, rows_language: string | null, columns_language: string | null }} Named */
  /** @typedef {Shown & Named} Given */
  /** @typedef {Record<Side, string | null>} Languages */
  /** @typedef {(side: Side, place: number) => void} Select */

  // What a chosen word shows, compared with numpy by tests/figures/: its row of weights, or its column.
  /** @param {{ weights: Matrix[], step: number, word: Word }} state */
  function compute({ weights, step, word: [side, k] }) {
    const numbers = side === "row" ? weights[step][k] : weights[step].map((row) => row[k]);
    return { numbers, strongest: attnkit.argmax(numbers), sum: numbers.reduce((sum, v) => sum + v, 0) };
  }

  const TOLD = 3; // so many weights are told one by one, the rest together
  // In rem: the least height of a word with its frame, the largest square, and how wide and high a picture of few
  // squares may be.
  const [LINE, SQUARE, MAP] = [2.1, 5, 15];
  const WIDE = 21; // the most that a map of many columns takes
  const TILE = 1.8; // a square in a narrow window
  // A phone's cell has room for three characters: .88, 1.0.
  /** @param {number} weight */
  const short = (weight) => fixed(weight).replace(/^0|0$/, "");
  /** @template T @param {number} count @param {(place: number) => T} make */
  const room = (count, make) => Array.from({ length: count }, (_, k) => make(k));
  /** @param {string[]} texts */
  const longest = (texts) => texts.reduce((a, b) => (b.length > a.length ? b : a), "");

  // The sentences to choose from: the title of the picture.
  /** @param {Figure<State, Given>} figure @param {Example[]} examples @param {string|null} lang */
  function sentences(figure, examples, lang) {
    /** @param {number} k */
    const write = (k) => ({ word: /** @type {Word} */ (["row", 0]), example: k }); // a word that every sentence has
    const onchange = () => figure.put(write(list.selectedIndex));
    const options = examples.map(({ columns }) => h("option", {}, columns.join(" ")));
    const list = h("select", { lang, onchange }, ...options);
    /** @param {number} k */
    const show = (k) => {
      if (list.selectedIndex !== k) list.selectedIndex = k;
    };
    figure.follow({ show }, { trait: "example" });
    return h("label", { class: "ak-pick" }, "sentence", list);
  }

  /** @param {Figure<State, Given>} figure @param {string[]} steps */
  function stepSlider(figure, steps) {
    /** @param {number} k */
    const text = (k) => steps[k];
    const range = { min: 0, max: steps.length - 1, step: 1 };
    const slider = figure.slider({ name: figure.get("step_name"), trait: "step", ...range, format: text, word: text });
    const value = `${Math.min(longest(steps).length + 1, 12)}ch`;
    slider.element.style.gridTemplateColumns = `max-content minmax(3rem, 1fr) ${value}`;
    return slider.element;
  }

  // What the model says at the step shown; it has room for the longest.
  /** @param {string|null} lang @param {string} most */
  function speech(lang, most) {
    const words = h("strong", { lang });
    const look = { class: "ak-said", "data-longest": `says: ${attnkit.quoted(most)}` };
    return { words, element: h("p", look, h("span", {}, "says: “", words, "”")) };
  }

  // The words of one side, chosen by pointing at them, too.
  /** @param {Side} side @param {number} count @param {Languages} lang @param {Select} select */
  function chips(side, count, lang, select) {
    return room(count, (k) => {
      const pick = () => select(side, k);
      const look = { class: `ak-chip ak-chip-${side}`, "aria-pressed": "false", lang: lang[side] };
      return attnkit.button(null, pick, { ...look, onmouseenter: pick, onfocus: pick });
    });
  }

  // The words looked at, a curve from each of the words that look to each of them, and the matrix.
  /** @param {HTMLButtonElement[]} looked @param {HTMLElement[]} lookers @param {WeightTable} map @param {string} title */
  function stage(looked, lookers, map, title) {
    const svg = attnkit.svg("svg", { "aria-hidden": "true" });
    const curves = lookers.map(() => looked.map(() => attnkit.svg("path", {})));
    svg.append(...curves.flat());
    const heading = h("p", { class: "ak-small", "aria-hidden": "true" }, title);
    const list = h("div", { class: "ak-list", role: "group", "aria-label": title }, heading, ...looked);
    const stop = attnkit.walk(looked);
    return { svg, curves, stop, element: h("div", { class: "ak-looks" }, svg, list, map.element) };
  }

  // Curves lead from word to word, where they stand side by side.
  /** @param {ReturnType<typeof stage>} stage @param {HTMLElement[]} looked @param {HTMLElement[]} lookers */
  function drawCurves({ element, svg, curves }, looked, lookers) {
    if (!svg.getClientRects().length) return;
    /** @param {HTMLElement} part */
    const box = (part) => attnkit.box(part, element);
    /** @param {HTMLElement[]} list */
    const boxes = (list) => list.map(box);
    const [from, to] = [boxes(looked), boxes(lookers)];
    /** @param {ReturnType<typeof box>} place */
    const height = ({ top, bottom }) => (top + bottom) / 2;
    to.forEach((b, i) =>
      from.forEach((a, j) => {
        const [x, y, u, v] = [a.right, height(a), b.left, height(b)];
        const middle = (x + u) / 2;
        attnkit.attr(curves[i][j], "d", `M${x} ${y}C${middle} ${y} ${middle} ${v} ${u} ${v}`);
      }),
    );
  }

  // How large the squares of a sentence are, how high its rows and how high the list of its words, in rem.
  /** @param {Example} example */
  function sizes({ rows, columns }) {
    const wanted = Math.min(SQUARE, MAP / Math.max(rows.length, columns.length));
    const size = Math.min(Math.max(LINE, wanted), WIDE / columns.length);
    const body = rows.length * Math.max(size, LINE);
    return { size, body, list: Math.max(body, columns.length * LINE) };
  }

  // The height of the columns' words, of the middle of all rows, and of it all, the same for every sentence: another one
  // moves nothing. And the rows of the longest.
  /** @param {Example[]} examples */
  function heights(examples) {
    const head = 0.8 + 0.42 * longest(examples.flatMap((e) => e.columns)).length;
    const all = examples.map(sizes);
    const middle = Math.max(...all.map(({ body, list }) => Math.max(head + body / 2, 1.5 + list / 2)));
    const most = Math.max(...examples.map((e) => e.rows.length));
    return { head, middle, whole: middle + Math.max(...all.map(({ list }) => list / 2)), most };
  }

  // The ends of the rows and the columns, for the ring around the chosen one, and the right words.
  /** @param {WeightTable} map @param {Example} example */
  function layMatrix({ cells }, { rows, columns, gold }) {
    cells.forEach((row, i) =>
      row.forEach((cell, j) => {
        const ends = [j === 0 && "left", j === columns.length - 1 && "right", i === rows.length - 1 && "bottom"];
        attnkit.attr(cell.element, "data-end", ends.filter(Boolean).join(" "));
        cell.square.classList.toggle("ak-right", Boolean(gold?.[i]?.includes(j)));
      }),
    );
  }

  // Both sides have their middle at one height.
  /** @param {Part} part @param {WeightTable} map @param {Example} e @param {ReturnType<typeof heights>} heights */
  function layStage({ element }, map, e, { head, middle, whole, most }) {
    const { size, body, list } = sizes(e);
    const tops = { "list-top": middle - list / 2, "map-top": middle - body / 2 - head };
    const names = 1.1 + 0.44 * longest(e.rows).length;
    const small = { tile: Math.min((TILE * most) / e.rows.length, 1.8 * TILE), narrow: 5.6 + head + TILE * most };
    for (const [name, rem] of Object.entries({ size, head, whole, list, names, ...tops, ...small }))
      element.style.setProperty(`--${name}`, `${rem.toFixed(3)}rem`);
    element.style.setProperty("--columns", String(e.columns.length));
    map.element.classList.toggle("ak-level", longest(e.columns).length <= Math.min(2 * size, 6));
  }

  // The words of one side: one of them is pressed, or all show what the pressed word of the other side gives them.
  /** @param {HTMLElement[]} list @param {Walk} stop @param {number|null} pressed @param {number[]} numbers */
  function showWords(list, stop, pressed, numbers) {
    if (pressed !== null) stop.at(pressed);
    list.forEach((word, i) => {
      attnkit.attr(word, "aria-pressed", String(i === pressed));
      if (pressed === null) attnkit.paint(word, numbers[i] ?? 0, 1, "weight");
      else attnkit.style(word, "backgroundColor", "");
    });
  }

  // The whole matrix and the curves; what belongs to the chosen word is lit.
  /** @param {WeightTable} map @param {SVGElement[][]} curves @param {Matrix} weights @param {Word} word */
  function showWeights({ cells, tops, show }, curves, weights, [side, k]) {
    show(weights, short);
    tops.forEach((heading, j) => attnkit.attr(heading, "data-lit", side === "column" && j === k ? side : ""));
    cells.forEach((row, i) =>
      row.forEach((cell, j) => {
        const there = i < weights.length && j < weights[0].length;
        const weight = there ? weights[i][j] : 0;
        const lit = (side === "row" ? i : j) === k;
        attnkit.attr(cell.element, "data-lit", lit ? side : "");
        attnkit.style(curves[i][j], "strokeWidth", String(Math.round(1 + 9 * weight)));
        const glow = lit ? 0.12 + 0.6 * weight : 0.2 * weight;
        attnkit.style(curves[i][j], "strokeOpacity", there ? glow.toFixed(2) : "0");
      }),
    );
  }

  // The weights of a word, the largest first, in words: “aime” with 0.95, ...
  /**
   * @param {string[]} others
   * @param {number[]} numbers
   * @param {string} by
   * @param {(words: string[], place: number) => string} name
   */
  function listed(others, numbers, by, name) {
    const order = numbers.map((_, i) => i).sort((a, b) => numbers[b] - numbers[a] || a - b);
    const told = order.length > TOLD + 1 ? order.slice(0, TOLD) : order;
    const parts = told.map((i) => `${by} ${name(others, i)} with ${fixed(numbers[i])}`);
    const rest = order.slice(told.length);
    const left = rest.reduce((total, i) => total + numbers[i], 0);
    if (rest.length) parts.push(`${by} the other ${rest.length} words with ${fixed(left)} together`);
    return parts.join(", ");
  }

  // The line below the figure: where a word looks, or who looks at it.
  /** @param {Example} example @param {Word} word @param {ReturnType<typeof compute>} found */
  function answer({ rows, columns, gold }, [side, k], { numbers, sum }) {
    // Words that stand twice in a sentence are told apart by their place.
    /** @param {string[]} words @param {string} word */
    const once = (words, word) => words.indexOf(word) === words.lastIndexOf(word);
    /** @param {string[]} words @param {number} i */
    const name = (words, i) => `${attnkit.quoted(words[i])}${once(words, words[i]) ? "" : ` (word ${i + 1})`}`;
    if (side === "column") {
      const looks = listed(rows, numbers, "by", name);
      return `${name(columns, k)} is looked at ${looks}. The column sums to ${fixed(sum)}.`;
    }
    const right = gold?.[k] ?? [];
    const marked = right.length ? ` Right: ${right.map((j) => name(columns, j)).join(", ")}.` : "";
    return `${name(rows, k)} looks ${listed(columns, numbers, "at", name)}.${marked}`;
  }

  /** @param {Figure<State, Given>} figure */
  function build(figure) {
    const { examples, steps, rows, columns } = figure.given("examples", "steps", "rows", "columns");
    const lang = { row: figure.get("rows_language"), column: figure.get("columns_language") };
    // Room for the longest sentence on each side; a shorter one hides what is left over.
    const most = Math.max(...examples.map((e) => e.rows.length));
    const widest = Math.max(...examples.map((e) => e.columns.length));
    const select = (/** @type {Word} */ ...word) => figure.put({ word });
    const said = speech(lang.row, longest(examples.flatMap((e) => e.said ?? [])));
    const [lookers, looked] = [chips("row", most, lang, select), chips("column", widest, lang, select)];
    const look = { corner: `${rows}: looks`, lang: lang.column, label: "weights" };
    const map = attnkit.weightTable(lookers, widest, select, look);
    const scene = stage(looked, lookers, map, `${columns}: looked at`);
    const legend = h("p", { class: "ak-small" });
    const reserved = heights(examples);
    let laid = /** @type {Example | null} */ (null); // the sentence that stands there
    const place = () =>
      laid && drawCurves(scene, looked.slice(0, laid.columns.length), lookers.slice(0, laid.rows.length));

    // Another sentence: other words, other squares.
    /** @param {Example} e */
    function lay(e) {
      laid = e;
      said.element.hidden = !e.said;
      map.lay(e.rows, e.columns);
      scene.stop.within(e.columns.length);
      attnkit.fill(looked, e.columns);
      layMatrix(map, e);
      layStage(scene, map, e, reserved);
      const dashed = e.gold ? " Dashed: the right words." : "";
      attnkit.write(legend, `Rows: ${rows}; each sums to one. Columns: ${columns}.${dashed}`);
      place();
    }

    /** @param {State} state */
    function update({ example, step, word: [side, chosen] }) {
      const e = examples[example];
      const k = Math.min(chosen, e[`${side}s`].length - 1); // the kernel may change the sentence first, then the word
      const shown = compute({ weights: e.weights, step, word: [side, k] });
      if (e !== laid) lay(e);
      if (e.said) attnkit.write(said.words, e.said[step]);
      showWords(lookers, map.stop, side === "row" ? k : null, shown.numbers);
      showWords(looked, scene.stop, side === "column" ? k : null, shown.numbers);
      showWeights(map, scene.curves, e.weights[step], [side, k]);
      figure.say(answer(e, [side, k], shown));
    }
    figure.element.classList.toggle("ak-long", Math.max(most, widest) > TOLD + 1);
    const watch = new ResizeObserver(place);
    watch.observe(scene.element);
    const pick = examples.length > 1 ? sentences(figure, examples, lang.column) : null;
    const slider = steps.length > 1 ? stepSlider(figure, steps) : null;
    const controls = h("div", { class: "ak-controls ak-last-row" }, slider, figure.reset());
    const parts = [pick, said.element, scene.element, legend, controls];
    return { parts, update, stop: () => watch.disconnect() };
  }

  attnkit.register("attention_maps", { label: "Attention maps", compute, build });
})(globalThis.attnkit);
