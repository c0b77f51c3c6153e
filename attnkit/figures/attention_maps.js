// Trained attention: choose a sentence, a step and a word; its weights light the other side's words and the matrix.
((attnkit) => {
  "use strict";
  const { h, fixed } = attnkit;

  // What a chosen word shows, compared with numpy by tests/test_figures.py: its row of weights, or its column.
  function compute({ weights, step, word: [side, k] }) {
    const numbers = side === "row" ? weights[step][k] : weights[step].map((row) => row[k]);
    return { numbers, strongest: numbers.indexOf(Math.max(...numbers)), sum: numbers.reduce((sum, v) => sum + v, 0) };
  }

  const BUTTONS = 4; // so many sentences are buttons, more are a list
  const TOLD = 4; // so many weights are told one by one, the rest together
  // Up to this depth the ink of either page reads on the weights' colour at 4.5 : 1.
  const DEPTH = 58;
  function shade(node, weight) {
    const share = Math.round(DEPTH * weight);
    attnkit.style(node, "backgroundColor", `color-mix(in srgb, var(--ak-weight) ${share}%, transparent)`);
  }
  // A phone's cell has room for three characters: .88, 1.0.
  const short = (weight) => fixed(weight).replace(/^0|0$/, "");
  const room = (count, make) => Array.from({ length: count }, (_, k) => make(k));
  const longest = (texts) => texts.reduce((a, b) => (b.length > a.length ? b : a), "");
  const display = (node, on) => attnkit.style(node, "display", on ? "" : "none");
  const note = (text) => h("p", { class: "ak-small" }, text);

  // The sentences to choose from: a few are buttons, more are a list.
  function sentences(figure, titles, lang) {
    const write = (k) => ({ word: ["row", 0], example: k }); // a word that every sentence has
    if (titles.length <= BUTTONS) {
      const choice = figure.choice({ label: "sentence", words: titles, trait: "example", write });
      if (lang) for (const button of choice.buttons) button.setAttribute("lang", lang);
      return choice.element;
    }
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
    slider.element.style.gridTemplateColumns = `max-content 1fr ${Math.min(longest(steps).length + 1, 12)}ch`;
    return slider.element;
  }

  function controls(figure, examples, steps, lang) {
    const titles = examples.map((e) => e.columns.join(" "));
    return h(
      "div",
      { class: "ak-controls" },
      titles.length > 1 ? sentences(figure, titles, lang.column) : null,
      steps.length > 1 ? stepSlider(figure, steps) : null,
      h("div", { class: "ak-buttons" }, figure.reset()),
    );
  }

  // What the model says at the step shown.
  function speech(lang) {
    const words = h("span", { lang });
    return { words, element: h("p", { class: "ak-say ak-said" }, h("span", {}, "says: “", words, "”")) };
  }

  // The words of one side, chosen by pointing at them, too; where the other side's curves end, each has its number.
  function chips(side, count, lang, select) {
    return room(count, (k) => {
      const word = h("span", { class: `ak-chip ak-chip-${side}`, lang: lang[side] });
      const number = h("span", { class: "ak-out", "aria-hidden": "true" });
      const pick = () => select(side, k);
      const actions = { onmouseenter: pick, onfocus: pick, onclick: pick };
      const inside = side === "row" ? [number, word] : [word, number];
      const look = { type: "button", class: "ak-look", "aria-pressed": "false" };
      return { button: h("button", { ...look, ...actions }, ...inside), word, number };
    });
  }

  // The two sides, one above the other, and a curve from each word to each.
  function stage(figure, lookers, looked) {
    const [rows, columns] = [figure.get("rows"), figure.get("columns")];
    const names = [`${columns}: looked at`, `${rows}: looks`];
    const line = (name, list) =>
      h("div", { class: "ak-sentence", role: "group", "aria-label": name }, ...list.map((chip) => chip.button));
    const svg = attnkit.svg("svg", { "aria-hidden": "true" });
    const curves = lookers.map(() => looked.map(() => attnkit.svg("path", {})));
    svg.append(...curves.flat());
    const sides = [line(names[0], looked), line(names[1], lookers)];
    const element = h("div", { class: "ak-looks" }, svg, note(names[0]), ...sides, note(names[1]));
    return { element, curves };
  }

  // Curves lead from chip to chip, where each side stands in one line.
  function drawCurves({ element, curves }, looked, lookers) {
    const sides = [looked, lookers];
    const wrapped = sides.some((list) => list.some((c) => c.button.offsetTop !== list[0].button.offsetTop));
    element.classList.toggle("ak-wrapped", wrapped);
    if (wrapped || !element.offsetWidth) return;
    const box = ({ word }) => [word.offsetLeft + word.offsetWidth / 2, word.offsetTop, word.offsetHeight];
    const [from, to] = sides.map((list) => list.map(box));
    to.forEach(([x, y], i) =>
      from.forEach(([u, top, height], j) => {
        const v = top + height;
        attnkit.attr(curves[i][j], "d", `M${u} ${v}C${u} ${(v + y) / 2} ${x} ${(v + y) / 2} ${x} ${y}`);
      }),
    );
  }

  // The words above choose by keyboard; a click on the matrix is the short way for a pointer.
  function matrix(most, widest, lang, select) {
    const cell = (i) => {
      const number = h("span", {});
      const square = h("span", { class: "ak-heat" }, number);
      return { number, square, element: h("td", { onclick: () => select("row", i) }, square) };
    };
    const heading = (side, scope) => (k) =>
      h("th", { scope, lang: lang[side], onclick: () => select(side, k) }, h("span", {}));
    const cells = room(most, (i) => room(widest, () => cell(i)));
    const tops = room(widest, heading("column", "col"));
    const sides = room(most, heading("row", "row"));
    const corner = h("td", {});
    const lines = cells.map((row, i) => h("tr", {}, sides[i], ...row.map((c) => c.element)));
    const head = h("thead", {}, h("tr", {}, corner, ...tops));
    const element = h("table", { class: "ak-map-table", "aria-label": "weights" }, head, h("tbody", {}, ...lines));
    return { element, cells, tops, sides, corner, lines };
  }

  // Another sentence's words on one side; room for longer sentences is hidden.
  function layWords(list, headings, words) {
    list.forEach((chip, k) => {
      display(chip.button, k < words.length);
      attnkit.write(chip.word, words[k] ?? "");
      display(headings[k], k < words.length);
      attnkit.write(headings[k].firstChild, words[k] ?? "");
    });
  }

  function layMatrix({ element, cells, corner, lines }, { rows, columns, gold }) {
    lines.forEach((row, i) => display(row, i < rows.length));
    cells.forEach((row, i) =>
      row.forEach((cell, j) => {
        display(cell.element, j < columns.length);
        const ends = [j === columns.length - 1 && "right", i === rows.length - 1 && "bottom"];
        attnkit.attr(cell.element, "data-end", ends.filter(Boolean).join(" "));
        cell.square.classList.toggle("ak-right", Boolean(gold?.[i]?.includes(j)));
      }),
    );
    const label = `${longest(rows).length}ch`;
    attnkit.style(corner, "width", label);
    attnkit.style(element, "width", `calc(${label} + ${columns.length} * ${columns.length > 6 ? 2.4 : 3}rem)`);
    element.classList.toggle("ak-upright", longest(columns).length <= 4 && columns.length <= 6);
  }

  // The words of one side: one of them is pressed, or all show what the pressed word of the other side gives them.
  function showWords(list, pressed, numbers) {
    list.forEach((chip, i) => {
      const weight = numbers?.[i];
      attnkit.attr(chip.button, "aria-pressed", String(i === pressed));
      attnkit.write(chip.number, weight === undefined ? "" : fixed(weight));
      shade(chip.word, weight ?? 0);
    });
  }

  // The whole matrix and the curves; what belongs to the chosen word is lit.
  function showWeights({ cells, sides, tops }, curves, weights, [side, k]) {
    sides.forEach((heading, i) => attnkit.attr(heading, "data-lit", side === "row" && i === k ? side : ""));
    tops.forEach((heading, j) => attnkit.attr(heading, "data-lit", side === "column" && j === k ? side : ""));
    cells.forEach((row, i) =>
      row.forEach((cell, j) => {
        const there = i < weights.length && j < weights[0].length;
        const weight = there ? weights[i][j] : 0;
        const lit = (side === "row" ? i : j) === k;
        attnkit.write(cell.number, short(weight));
        shade(cell.square, weight);
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
      return `${name(columns, k)} is looked at ${looks}. Its column sums to ${fixed(sum)}: only rows must sum to one.`;
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
    const scene = stage(figure, lookers, looked);
    const map = matrix(most, widest, lang, select);
    const legend = note("");
    let laid = null; // the sentence that stands there
    const place = () => drawCurves(scene, looked.slice(0, laid.columns.length), lookers.slice(0, laid.rows.length));

    // Another sentence: other words, other room.
    function lay(e) {
      laid = e;
      attnkit.attr(said.element, "data-longest", e.said ? `says: “${longest(e.said)}”` : "");
      display(said.element, e.said);
      layWords(lookers, map.sides, e.rows);
      layWords(looked, map.tops, e.columns);
      layMatrix(map, e);
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
    const parts = [controls(figure, examples, steps, lang), said.element, scene.element, map.element, legend];
    return { parts, update, stop: () => watch.disconnect() };
  }

  attnkit.register("attention_maps", { label: "Attention maps", compute, build });
})(globalThis.attnkit);
