// Trained attention: choose a sentence, a step and a word; its weights light the other side's words and the matrix.
(function (attnkit) {
  "use strict";
  const { h, fixed } = attnkit;

  // What a chosen word shows, compared with numpy by tests/test_widgets.py: its row of weights, or its column.
  function compute({ weights, step, word: [side, k] }) {
    const numbers = side === "row" ? weights[step][k] : weights[step].map((row) => row[k]);
    return { numbers, strongest: numbers.indexOf(Math.max(...numbers)), sum: numbers.reduce((sum, v) => sum + v, 0) };
  }

  const BUTTONS = 4;       // so many sentences are buttons, more are a list
  const TOLD = 4;          // so many weights are told one by one, the rest together
  // Up to this depth the ink of either page reads on the weights' colour at 4.5 : 1.
  const DEPTH = 58;
  const shade = (node, weight) => attnkit.style(node, "backgroundColor",
    `color-mix(in srgb, var(--ak-weight) ${Math.round(DEPTH * weight)}%, transparent)`);
  // A phone's cell has room for three characters: .88, 1.0.
  const short = (weight) => fixed(weight).replace(/^0|0$/, "");

  function render({ model, el }) {
    const [examples, steps, rows, columns] = ["examples", "steps", "rows", "columns"].map(model.get.bind(model));
    const lang = { row: model.get("rows_language"), column: model.get("columns_language") };
    // Room for the longest sentence on each side; a shorter one hides what is left over.
    const [most, widest] = ["rows", "columns"].map((side) => Math.max(...examples.map((e) => e[side].length)));
    const room = (count, make) => Array.from({ length: count }, (_, k) => make(k));
    const select = (side, k) => attnkit.put(model, { word: [side, k] });
    const choose = (k) => attnkit.put(model, { word: ["row", 0], example: k });       // a word that every sentence has

    const titles = examples.map((e) => e.columns.join(" "));
    function sentences() {
      if (examples.length <= BUTTONS) {
        const choice = attnkit.choice("sentence", titles, choose);
        if (lang.column) choice.buttons.forEach((b) => b.setAttribute("lang", lang.column));
        return choice;
      }
      const list = h("select", { lang: lang.column, "data-lm-suppress-shortcuts": "true",
        onchange: () => choose(list.selectedIndex) }, ...titles.map((t) => h("option", {}, t)));
      return { element: h("label", { class: "ak-pick" }, "sentence", list), show: (k) => (list.selectedIndex = k) };
    }
    const sentence = sentences();
    const slider = attnkit.slider({ name: model.get("step_name"), min: 0, max: steps.length - 1, step: 1,
      format: (k) => steps[k], word: (k) => steps[k], onInput: (k) => attnkit.put(model, { step: k }) });
    const longest = (texts) => texts.reduce((a, b) => (b.length > a.length ? b : a), "");
    slider.element.style.gridTemplateColumns = `max-content 1fr ${Math.min(longest(steps).length + 1, 12)}ch`;
    const reset = h("button", { type: "button", onclick: () => attnkit.put(model, {
      word: ["row", 0], example: 0, step: model.get("start_step") }) }, "Reset");
    const words = h("span", { lang: lang.row });
    const said = h("p", { class: "ak-say ak-said" }, h("span", {}, "says: “", words, "”"));

    const chips = (side, count) => room(count, (k) => {
      const word = h("span", { class: `ak-chip ak-chip-${side}`, lang: lang[side] });
      const number = h("span", { class: "ak-out", "aria-hidden": "true" });
      const pick = () => select(side, k);
      const button = h("button", { type: "button", class: "ak-look", "aria-pressed": "false",
        onmouseenter: pick, onfocus: pick, onclick: pick }, ...(side === "row" ? [number, word] : [word, number]));
      return { button, word, number };
    });
    const lookers = chips("row", most);
    const looked = chips("column", widest);
    const names = [`${columns}: looked at`, `${rows}: looks`];
    const line = (name, list) => h("div", { class: "ak-sentence", role: "group", "aria-label": name },
      ...list.map((c) => c.button));
    const svg = attnkit.svg("svg", { "aria-hidden": "true" });
    const curves = room(most, () => room(widest, () => attnkit.svg("path", {})));
    svg.append(...curves.flat());
    const note = (text) => h("p", { class: "ak-small" }, text);
    const stage = h("div", { class: "ak-looks" }, svg, note(names[0]), line(names[0], looked), line(names[1], lookers),
      note(names[1]));

    // The words above choose by keyboard; a click on the matrix is the short way for a pointer.
    const cells = room(most, (i) => room(widest, (j) => {
      const number = h("span", {});
      const square = h("span", { class: "ak-heat" }, number);
      return { number, square, element: h("td", { onclick: () => select("row", i) }, square) };
    }));
    const head = (side, scope) => (k) =>
      h("th", { scope, lang: lang[side], onclick: () => select(side, k) }, h("span", {}));
    const tops = room(widest, head("column", "col"));
    const sides = room(most, head("row", "row"));
    const corner = h("td", {});
    const lines = cells.map((row, i) => h("tr", {}, sides[i], ...row.map((c) => c.element)));
    const table = h("table", { class: "ak-map-table", "aria-label": "weights" },
      h("thead", {}, h("tr", {}, corner, ...tops)), h("tbody", {}, ...lines));
    const legend = note("");

    const controls = h("div", { class: "ak-controls" }, examples.length > 1 ? sentence.element : null,
      steps.length > 1 ? slider.element : null, h("div", { class: "ak-buttons" }, reset));
    const frame = attnkit.frame(model, "Attention maps", controls, said, stage, table, legend);
    frame.element.classList.toggle("ak-long", Math.max(most, widest) > TOLD + 1);
    el.replaceChildren(frame.element);

    const display = (node, on) => attnkit.style(node, "display", on ? "" : "none");
    let now = null;         // the sentence that stands there

    // Another sentence: other words, other room.
    function lay(e) {
      now = e;
      attnkit.attr(said, "data-longest", e.said ? `says: “${longest(e.said)}”` : "");
      display(said, e.said);
      [[lookers, sides, e.rows], [looked, tops, e.columns]].forEach(([list, heads, own]) => list.forEach((chip, k) => {
        display(chip.button, k < own.length);
        attnkit.write(chip.word, own[k] ?? "");
        display(heads[k], k < own.length);
        attnkit.write(heads[k].firstChild, own[k] ?? "");
      }));
      lines.forEach((row, i) => display(row, i < e.rows.length));
      cells.forEach((row, i) => row.forEach((cell, j) => {
        display(cell.element, j < e.columns.length);
        const ends = [j === e.columns.length - 1 && "right", i === e.rows.length - 1 && "bottom"];
        attnkit.attr(cell.element, "data-end", ends.filter(Boolean).join(" "));
        cell.square.classList.toggle("ak-right", Boolean(e.gold?.[i]?.includes(j)));
      }));
      const label = `${longest(e.rows).length}ch`;
      attnkit.style(corner, "width", label);
      attnkit.style(table, "width", `calc(${label} + ${e.columns.length} * ${e.columns.length > 6 ? 2.4 : 3}rem)`);
      table.classList.toggle("ak-upright", longest(e.columns).length <= 4 && e.columns.length <= 6);
      attnkit.write(legend, `Rows: ${rows}; each sums to one. Columns: ${columns}.` +
        (e.gold ? " Dashed: the right words." : ""));
      place();
    }

    // Curves lead from chip to chip, where each side stands in one line.
    function place() {
      const sides = [looked.slice(0, now.columns.length), lookers.slice(0, now.rows.length)];
      const wrapped = sides.some((list) => list.some((c) => c.button.offsetTop !== list[0].button.offsetTop));
      stage.classList.toggle("ak-wrapped", wrapped);
      if (wrapped || !stage.offsetWidth) return;
      const [from, to] = sides.map((list) => list.map(({ word }) =>
        [word.offsetLeft + word.offsetWidth / 2, word.offsetTop, word.offsetHeight]));
      to.forEach(([x, y], i) => from.forEach(([u, top, height], j) => {
        const v = top + height;
        attnkit.attr(curves[i][j], "d", `M${u} ${v}C${u} ${(v + y) / 2} ${x} ${(v + y) / 2} ${x} ${y}`);
      }));
    }

    function tell(e, side, k, { numbers, sum }) {
      // Words that stand twice in a sentence are told apart by their place.
      const once = (list, word) => list.indexOf(word) === list.lastIndexOf(word);
      const name = (list, i) => `“${list[i]}”${once(list, list[i]) ? "" : ` (word ${i + 1})`}`;
      const [mine, others] = side === "row" ? [e.rows, e.columns] : [e.columns, e.rows];
      const order = numbers.map((_, i) => i).sort((a, b) => numbers[b] - numbers[a] || a - b);
      const told = order.length > TOLD + 1 ? order.slice(0, TOLD) : order;
      const by = side === "row" ? "at" : "by";
      const parts = told.map((i) => `${by} ${name(others, i)} with ${fixed(numbers[i])}`);
      const rest = order.slice(told.length);
      const left = rest.reduce((total, i) => total + numbers[i], 0);
      if (rest.length) parts.push(`${by} the other ${rest.length} words with ${fixed(left)} together`);
      const right = side === "row" && e.gold ? e.gold[k] : [];
      return `${name(mine, k)} ${side === "row" ? "looks" : "is looked at"} ${parts.join(", ")}.` +
        (side === "row" ? "" : ` Its column sums to ${fixed(sum)}: only rows must sum to one.`) +
        (right.length ? ` Right: ${right.map((j) => name(e.columns, j)).join(", ")}.` : "");
    }

    function update() {
      const [example, step] = [model.get("example"), model.get("step")];
      const e = examples[example];
      const side = model.get("word")[0];
      const k = Math.min(model.get("word")[1], e[`${side}s`].length - 1);
      const shown = compute({ weights: e.weights, step, word: [side, k] });
      sentence.show(example);
      slider.show(step);
      if (e !== now) lay(e);
      if (e.said) attnkit.write(words, e.said[step]);
      [["row", lookers], ["column", looked]].forEach(([own, list]) => list.forEach((chip, i) => {
        const weight = own === side ? undefined : shown.numbers[i];
        attnkit.attr(chip.button, "aria-pressed", String(own === side && i === k));
        attnkit.write(chip.number, weight === undefined ? "" : fixed(weight));
        shade(chip.word, weight ?? 0);
      }));
      sides.forEach((th, i) => attnkit.attr(th, "data-lit", side === "row" && i === k ? side : ""));
      tops.forEach((th, j) => attnkit.attr(th, "data-lit", side === "column" && j === k ? side : ""));
      cells.forEach((row, i) => row.forEach((cell, j) => {
        const there = i < e.rows.length && j < e.columns.length;
        const weight = there ? e.weights[step][i][j] : 0;
        const lit = (side === "row" ? i : j) === k;
        attnkit.write(cell.number, short(weight));
        shade(cell.square, weight);
        attnkit.attr(cell.element, "data-lit", lit ? side : "");
        attnkit.style(curves[i][j], "strokeWidth", String(Math.round(1 + 9 * weight)));
        const glow = lit ? 0.12 + 0.6 * weight : 0.2 * weight;
        attnkit.style(curves[i][j], "strokeOpacity", there ? glow.toFixed(2) : "0");
      }));
      frame.say(tell(e, side, k, shown));
    }
    const leave = attnkit.follow(model, ["example", "step", "word"], update);
    const watch = new ResizeObserver(place);
    watch.observe(stage);
    return () => { frame.stop(); watch.disconnect(); leave(); };
  }

  attnkit.figures.attention_maps = { compute, render };
})(globalThis.attnkit);
