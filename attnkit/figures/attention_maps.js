// Trained attention: choose a sentence, a step and a word; its weights light the other side's words and the matrix.
((attnkit) => {
  "use strict";
  const { h, fixed } = attnkit;

  // What a chosen word shows, compared with numpy by tests/test_figures.py: its row of weights, or its column.
  function compute({ weights, step, word: [side, k] }) {
    const numbers = side === "row" ? weights[step][k] : weights[step].map((row) => row[k]);
    return { numbers, strongest: numbers.indexOf(Math.max(...numbers)), sum: numbers.reduce((sum, v) => sum + v, 0) };
  }

  const TOLD = 3; // so many weights are told one by one, the rest together
  // In rem: the least height of a word with its frame, the largest square, and how wide and high a picture of few
  // squares may be.
  const [LINE, SQUARE, MAP] = [2.1, 5, 15];
  const WIDE = 21; // the most that a map of many columns takes
  const TILE = 1.8; // a square in a narrow window
  // A phone's cell has room for three characters: .88, 1.0.
  const short = (weight) => fixed(weight).replace(/^0|0$/, "");
  const room = (count, make) => Array.from({ length: count }, (_, k) => make(k));
  const longest = (texts) => texts.reduce((a, b) => (b.length > a.length ? b : a), "");
  const display = (node, on) => node.classList.toggle("ak-none", !on);
  const note = (text) => h("p", { class: "ak-small" }, text);

  // The sentences to choose from: the title of the picture.
  function sentences(figure, titles, lang) {
    const write = (k) => ({ word: ["row", 0], example: k }); // a word that every sentence has
    const onchange = () => figure.put(write(list.selectedIndex));
    const options = titles.map((title) => h("option", {}, title));
    const list = h("select", { lang, "data-lm-suppress-shortcuts": "true", onchange }, ...options);
    const show = (k) => {
      if (list.selectedIndex !== k) list.selectedIndex = k;
    };
    figure.follow({ show }, { trait: "example" });
    return h("label", { class: "ak-pick" }, "sentence", list);
  }

  function stepSlider(figure, steps) {
    const text = (k) => steps[k];
    const range = { min: 0, max: steps.length - 1, step: 1 };
    const slider = figure.slider({ name: figure.get("step_name"), trait: "step", ...range, format: text, word: text });
    const value = `${Math.min(longest(steps).length + 1, 12)}ch`;
    slider.element.style.gridTemplateColumns = `max-content minmax(3rem, 1fr) ${value}`;
    return slider.element;
  }

  // What the model says at the step shown.
  function speech(lang) {
    const words = h("strong", { lang });
    return { words, element: h("p", { class: "ak-said" }, h("span", {}, "says: “", words, "”")) };
  }

  // The words of one side, chosen by pointing at them, too.
  function chips(side, count, lang, select) {
    return room(count, (k) => {
      const pick = () => select(side, k);
      const actions = { onmouseenter: pick, onfocus: pick, onclick: pick };
      const look = { type: "button", class: `ak-chip ak-chip-${side}`, "aria-pressed": "false", lang: lang[side] };
      return h("button", { ...look, ...actions });
    });
  }

  // The matrix: the words that look are buttons at its rows. A click on a square is the short way for a pointer.
  function matrix(lookers, widest, lang, select, title) {
    const cell = (i) => {
      const number = h("span", {});
      const square = h("span", { class: "ak-heat" }, number);
      return { number, square, element: h("td", { onclick: () => select("row", i) }, square) };
    };
    const heading = (k) =>
      h("th", { scope: "col", lang: lang.column, onclick: () => select("column", k) }, h("span", {}));
    const cells = lookers.map((_, i) => room(widest, () => cell(i)));
    const tops = room(widest, heading);
    const lines = cells.map((row, i) =>
      h("tr", {}, h("th", { scope: "row" }, lookers[i]), ...row.map((c) => c.element)),
    );
    const head = h("thead", {}, h("tr", {}, h("td", { class: "ak-small" }, title), ...tops));
    const element = h("table", { class: "ak-map-table", "aria-label": "weights" }, head, h("tbody", {}, ...lines));
    return { element, cells, tops, lines };
  }

  // The words looked at, a curve from each of the words that look to each of them, and the matrix.
  function stage(looked, lookers, map, title) {
    const svg = attnkit.svg("svg", { "aria-hidden": "true" });
    const curves = lookers.map(() => looked.map(() => attnkit.svg("path", {})));
    svg.append(...curves.flat());
    const heading = h("p", { class: "ak-small", "aria-hidden": "true" }, title);
    const list = h("div", { class: "ak-list", role: "group", "aria-label": title }, heading, ...looked);
    return { svg, curves, element: h("div", { class: "ak-looks" }, svg, list, map.element) };
  }

  // Curves lead from word to word, where they stand side by side.
  function drawCurves({ element, svg, curves }, looked, lookers) {
    if (!svg.getClientRects().length) return;
    const { left, top } = element.getBoundingClientRect();
    const boxes = (list) => list.map((word) => word.getBoundingClientRect());
    const [from, to] = [boxes(looked), boxes(lookers)];
    const height = (box) => box.top + box.height / 2 - top;
    to.forEach((b, i) =>
      from.forEach((a, j) => {
        const [x, y, u, v] = [a.right - left, height(a), b.left - left, height(b)];
        const middle = (x + u) / 2;
        attnkit.attr(curves[i][j], "d", `M${x} ${y}C${middle} ${y} ${middle} ${v} ${u} ${v}`);
      }),
    );
  }

  // How large the squares of a sentence are, how high its rows and how high the list of its words, in rem.
  function sizes({ rows, columns }) {
    const wanted = Math.min(SQUARE, MAP / Math.max(rows.length, columns.length));
    const size = Math.min(Math.max(LINE, wanted), WIDE / columns.length);
    const body = rows.length * Math.max(size, LINE);
    return { size, body, list: Math.max(body, columns.length * LINE) };
  }

  // The height of the columns' words, of the middle of all rows, and of it all, the same for every sentence: another one
  // moves nothing. And the rows of the longest.
  function heights(examples) {
    const head = 0.8 + 0.42 * longest(examples.flatMap((e) => e.columns)).length;
    const all = examples.map(sizes);
    const middle = Math.max(...all.map(({ body, list }) => Math.max(head + body / 2, 1.5 + list / 2)));
    const most = Math.max(...examples.map((e) => e.rows.length));
    return { head, middle, whole: middle + Math.max(...all.map(({ list }) => list / 2)), most };
  }

  // Another sentence's words on one side; room for longer sentences is hidden.
  function layWords(list, words) {
    list.forEach((node, k) => {
      display(node, k < words.length);
      attnkit.write(node.tagName === "TH" ? node.firstChild : node, words[k] ?? "");
    });
  }

  function layMatrix({ cells, lines }, { rows, columns, gold }) {
    lines.forEach((row, i) => display(row, i < rows.length));
    cells.forEach((row, i) =>
      row.forEach((cell, j) => {
        display(cell.element, j < columns.length);
        const ends = [j === 0 && "left", j === columns.length - 1 && "right", i === rows.length - 1 && "bottom"];
        attnkit.attr(cell.element, "data-end", ends.filter(Boolean).join(" "));
        cell.square.classList.toggle("ak-right", Boolean(gold?.[i]?.includes(j)));
      }),
    );
  }

  // Both sides have their middle at one height.
  function layStage({ element }, map, e, { head, middle, whole, most }) {
    const { size, body, list } = sizes(e);
    const tops = { "list-top": middle - list / 2, "map-top": middle - body / 2 - head };
    const names = 1.1 + 0.44 * longest(e.rows).length;
    const small = { tile: Math.min((TILE * most) / e.rows.length, 1.8 * TILE), narrow: 5.6 + head + TILE * most };
    for (const [name, rem] of Object.entries({ size, head, whole, list, names, ...tops, ...small }))
      element.style.setProperty(`--${name}`, `${rem.toFixed(3)}rem`);
    element.style.setProperty("--columns", e.columns.length);
    map.element.classList.toggle("ak-upright", longest(e.columns).length <= Math.min(2 * size, 6));
  }

  // The words of one side: one of them is pressed, or all show what the pressed word of the other side gives them.
  function showWords(list, pressed, numbers) {
    list.forEach((word, i) => {
      attnkit.attr(word, "aria-pressed", String(i === pressed));
      if (numbers) attnkit.paint(word, numbers[i] ?? 0, 1, "weight");
      else attnkit.style(word, "backgroundColor", "");
    });
  }

  // The whole matrix and the curves; what belongs to the chosen word is lit.
  function showWeights({ cells, tops }, curves, weights, [side, k]) {
    tops.forEach((heading, j) => attnkit.attr(heading, "data-lit", side === "column" && j === k ? side : ""));
    cells.forEach((row, i) =>
      row.forEach((cell, j) => {
        const there = i < weights.length && j < weights[0].length;
        const weight = there ? weights[i][j] : 0;
        const lit = (side === "row" ? i : j) === k;
        attnkit.write(cell.number, short(weight));
        attnkit.paint(cell.square, weight, 1, "weight");
        attnkit.attr(cell.element, "data-lit", lit ? side : "");
        attnkit.style(curves[i][j], "strokeWidth", String(Math.round(1 + 9 * weight)));
        const glow = lit ? 0.12 + 0.6 * weight : 0.2 * weight;
        attnkit.style(curves[i][j], "strokeOpacity", there ? glow.toFixed(2) : "0");
      }),
    );
  }

  // The weights of a word, the largest first, in words: “aime” with 0.95, ...
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
  function answer({ rows, columns, gold }, [side, k], { numbers, sum }) {
    // Words that stand twice in a sentence are told apart by their place.
    const once = (words, word) => words.indexOf(word) === words.lastIndexOf(word);
    const name = (words, i) => `“${words[i]}”${once(words, words[i]) ? "" : ` (word ${i + 1})`}`;
    if (side === "column") {
      const looks = listed(rows, numbers, "by", name);
      return `${name(columns, k)} is looked at ${looks}. The column sums to ${fixed(sum)}.`;
    }
    const right = gold?.[k] ?? [];
    const marked = right.length ? ` Right: ${right.map((j) => name(columns, j)).join(", ")}.` : "";
    return `${name(rows, k)} looks ${listed(columns, numbers, "at", name)}.${marked}`;
  }

  function build(figure) {
    const [examples, steps, rows, columns] = ["examples", "steps", "rows", "columns"].map((name) => figure.get(name));
    const lang = { row: figure.get("rows_language"), column: figure.get("columns_language") };
    // Room for the longest sentence on each side; a shorter one hides what is left over.
    const [most, widest] = ["rows", "columns"].map((side) => Math.max(...examples.map((e) => e[side].length)));
    const select = (side, k) => figure.put({ word: [side, k] });
    const said = speech(lang.row);
    const [lookers, looked] = [chips("row", most, lang, select), chips("column", widest, lang, select)];
    const map = matrix(lookers, widest, lang, select, `${rows}: looks`);
    const scene = stage(looked, lookers, map, `${columns}: looked at`);
    const legend = note("");
    const reserved = heights(examples);
    let laid = null; // the sentence that stands there
    const place = () => drawCurves(scene, looked.slice(0, laid.columns.length), lookers.slice(0, laid.rows.length));

    // Another sentence: other words, other squares.
    function lay(e) {
      laid = e;
      display(said.element, e.said);
      layWords(lookers, e.rows);
      layWords(looked, e.columns);
      layWords(map.tops, e.columns);
      layMatrix(map, e);
      layStage(scene, map, e, reserved);
      const dashed = e.gold ? " Dashed: the right words." : "";
      attnkit.write(legend, `Rows: ${rows}; each sums to one. Columns: ${columns}.${dashed}`);
      place();
    }

    function update({ example, step, word: [side, chosen] }) {
      const e = examples[example];
      const k = Math.min(chosen, e[`${side}s`].length - 1); // the kernel may change the sentence first, then the word
      const shown = compute({ weights: e.weights, step, word: [side, k] });
      if (e !== laid) lay(e);
      if (e.said) attnkit.write(said.words, e.said[step]);
      showWords(lookers, ...(side === "row" ? [k] : [null, shown.numbers]));
      showWords(looked, ...(side === "column" ? [k] : [null, shown.numbers]));
      showWeights(map, scene.curves, e.weights[step], [side, k]);
      figure.say(answer(e, [side, k], shown));
    }
    figure.element.classList.toggle("ak-long", Math.max(most, widest) > TOLD + 1);
    const watch = new ResizeObserver(place);
    watch.observe(scene.element);
    attnkit.attr(said.element, "data-longest", `says: “${longest(examples.flatMap((e) => e.said ?? []))}”`);
    const titles = examples.map((e) => e.columns.join(" "));
    const pick = titles.length > 1 ? sentences(figure, titles, lang.column) : null;
    const slider = steps.length > 1 ? stepSlider(figure, steps) : null;
    const controls = h("div", { class: "ak-controls ak-one-line" }, slider, figure.reset());
    const parts = [pick, said.element, scene.element, legend, controls];
    return { parts, update, stop: () => watch.disconnect() };
  }

  attnkit.register("attention_maps", { label: "Attention maps", compute, build });
})(globalThis.attnkit);
