// Heads of a chat model taken out: what each piece of a text costs then, and how likely two names are.
((attnkit) => {
  "use strict";
  const { h, fixed, write } = attnkit;

  /** @typedef {{ losses: number[], chances: number[] }} Found */
  /** @typedef {{ name: string, numbers: number[], words: string[], runs: Found[], names: [number, string][], parts: { name: string, start: number, end: number }[] }} Text */
  /** @typedef {{ text: number, without: number[], shade: number }} State */
  /** @typedef {ChatHeads & { texts: Text[], cuts: { name: string, heads: number[] }[] }} Given */
  /** @typedef {Figure<State, Given>} Owner */
  /** @typedef {Reading} Run */

  const SIZE = 98; // megabytes of the model
  const LARGEST = 15; // a loss that is drawn as high as can be
  const LONGEST = 120; // pieces of a line that is typed

  // ---- the arithmetic, compared with CutHeads by tests/figures/

  const means = ({ parts }, { losses }) =>
    parts.map(({ start, end }) => attnkit.sum(losses.slice(start - 1, end - 1)) / (end - start));
  // What was measured without some heads, if it was.
  function measured({ runs }, cuts, without) {
    const known = [[], ...cuts.map(({ heads }) => heads)];
    return runs[known.findIndex((heads) => String(heads) === String(without))];
  }
  function compute({ texts, cuts, text, without }) {
    const found = measured(texts[text], cuts, without);
    const runs = [texts[text].runs[0], ...(found ? [found] : [])];
    const each = runs.map((run) => means(texts[text], run));
    return { means: each[0].map((_, part) => each.map((run) => run[part])) };
  }

  // ---- what is read

  // A text, with some heads out, as the model reads it: once, or with each of two names behind it for their chances.
  class Reading {
    constructor(figure, given, note) {
      this.figure = figure;
      this.given = given;
      this.note = note;
      this.model = attnkit.chat.of(figure);
      /** @type {Text | null} */
      this.own = null;
      /** @type {Map<string, Found>} */
      this.known = new Map();
      this.busy = false;
    }
    get text() {
      return this.own ?? this.given.texts[this.figure.get("text")];
    }
    found(without) {
      return measured(this.text, this.given.cuts, without) ?? this.known.get(`${this.text.numbers}|${without}`);
    }
    // Read what is shown, until what is shown has been read.
    async read() {
      if (this.busy || !this.model.ready()) return;
      this.busy = true;
      for (;;) {
        const [{ text }, without] = [this, this.figure.get("without")];
        const missing = [[], without].find((heads) => !this.found(heads));
        if (!missing) break;
        this.note("Reading ...");
        const found = await this.losses(text, missing);
        if (!found) break; // given up
        this.known.set(`${text.numbers}|${missing}`, found);
        this.note("");
        this.figure.redraw();
      }
      this.busy = false;
    }
    async losses({ numbers, names }, without) {
      const chances = [];
      let losses = /** @type {number[]} */ ([]);
      for (const [name] of names.length ? names : [[0]]) {
        const found = await this.model.read({ numbers: [...numbers, name], without, losses: true });
        if (!found) return null;
        losses = found.losses;
        chances.push(Math.exp(-losses[losses.length - 1]));
      }
      return { losses: losses.slice(0, -1), chances: names.length ? chances : [] };
    }
    // A line of the reader's own.
    async begin(line, twice) {
      const cut = await this.model.cut(twice ? ` ${line}` : line, false); // a first word like any other can be the same again
      const n = cut.numbers.length;
      /** @template T @param {T[]} list */
      const all = (list) => (twice ? [...list, ...list] : list);
      const [numbers, words] = [all(cut.numbers), all(cut.words)];
      if (n < 2) return this.note("Type at least two words.");
      if (numbers.length > LONGEST)
        return this.note(`${numbers.length} pieces are too many: at most ${LONGEST} are read.`);
      const again = { name: "second time", start: n + 1, end: 2 * n };
      const parts = [{ name: twice ? "first time" : "all of it", start: 1, end: n }, ...(twice ? [again] : [])];
      this.own = { name: line, numbers, words, runs: [], names: [], parts };
      this.figure.redraw();
    }
  }

  // ---- the parts

  // The text, a row for each of its parts; each piece stands under a column as high as its loss, with a line where it was with
  // all heads. The first costs nothing, as nothing stands before it.
  function pieces() {
    const element = h("div", { class: "ak-pieces" });
    let shown = "";
    /** @type {Record<"column" | "line" | "loss" | "box", HTMLElement>[]} */
    let made = [];
    function piece(word) {
      const seen = attnkit.chat.visible(word);
      const [column, line, loss] = ["ak-column", "ak-was", "ak-loss"].map((kind) => h("span", { class: kind }));
      const part = seen ? {} : { title: "part of a letter", role: "group", "aria-label": "part of a letter" };
      const high = h("span", { class: "ak-high" }, column, line);
      return { column, line, loss, box: h("span", { class: "ak-cost", ...part }, loss, high, h("span", {}, seen)) };
    }
    function lay({ words, parts }) {
      shown = words.join("\n");
      made = words.map(piece);
      const boxes = made.map(({ box }) => box);
      const rows = parts.flatMap(({ name, start }, k) => [
        h("p", { class: "ak-small" }, name),
        h("div", {}, boxes.slice(k && start - 1, parts[k + 1] && parts[k + 1].start - 1)),
      ]);
      element.replaceChildren(...rows);
    }
    function show(text, whole, found) {
      if (shown !== text.words.join("\n")) lay(text);
      made.forEach(({ column, line, loss }, k) => {
        const [cost, was] = [found, whole].map((run) => run?.losses[k - 1] ?? 0);
        attnkit.style(column, "transform", `scaleY(${Math.min(1, cost / LARGEST).toFixed(3)})`);
        attnkit.style(line, "bottom", `${(100 * Math.min(1, was / LARGEST)).toFixed(1)}%`);
        write(loss, k && found ? fixed(cost, 1) : "–");
      });
    }
    return { element, show };
  }

  // Heads are brushed out, or in again, as the first of them; a press is a short brush, and a key presses one.
  function brush(figure, heads) {
    const buttons = [...heads.querySelectorAll("button")];
    let [out, open] = [true, false];
    function over({ clientX, clientY }) {
      const k = buttons.indexOf(/** @type {any} */ (document.elementFromPoint(clientX, clientY)));
      const without = figure.get("without");
      open = false;
      if (k >= 0 && without.includes(k) !== out) figure.put({ without: attnkit.toggled(without, k) });
    }
    heads.addEventListener("pointerdown", (event) => {
      out = event.target.getAttribute("aria-pressed") !== "true";
      open = true;
      if (event.pointerType !== "touch") over(event); // a finger may mean to scroll
    });
    attnkit.drag(heads, over, { sideways: true });
    heads.addEventListener("pointerup", (event) => open && over(event));
    heads.addEventListener("click", (event) => event.detail && event.stopPropagation(), { capture: true });
  }

  function typing(figure, run, note) {
    const label = "A line of your own";
    const input = h("input", { type: "text", placeholder: "Type a line", "aria-label": label, autocomplete: "off" });
    const again = () => run.own && run.begin(run.own.name, twice.checked);
    const twice = h("input", { type: "checkbox", checked: true, onchange: again });
    function onsubmit(event) {
      event.preventDefault();
      if (!input.value.trim()) return note("Type a line first.");
      run.begin(input.value.trim(), twice.checked);
    }
    const tick = h("label", {}, twice, " twice");
    const form = h("form", { class: "ak-buttons", onsubmit }, input, tick, h("button", { type: "submit" }, "Read it"));
    const loader = attnkit.loader(figure, attnkit.chat, SIZE, form);
    loader.element.hidden = run.model.live && !figure.get("asks");
    const unwatch = attnkit.chat.watch(() => {
      if (attnkit.chat.status.state === "failed") run.busy = false;
      else run.read();
    });
    function stop() {
      loader.stop();
      unwatch();
    }
    function clear() {
      input.value = "";
      twice.checked = true;
    }
    return { element: loader.element, clear, stop };
  }

  // What a piece of each part costs, and how likely the names are: with all heads, and without those that are out.
  function sentence({ without }, { text, model }, whole, found) {
    if (!found || !whole)
      return model.ready() ? "" : "Nobody has measured it without just these heads: load the model, and it does.";
    const out = without.length > 0;
    const both = (now, was, digits) => fixed(now, digits) + (out ? ` (with all ${fixed(was, digits)})` : "");
    const [now, was] = [means(text, found), means(text, whole)];
    const costs = text.parts.map(({ name }, k) => `${name} ${both(now[k], was[k], 2)}`);
    const next = text.names.map(
      ([, word], k) => `${attnkit.quoted(word.trim())} ${both(found.chances[k], whole.chances[k], 3)}`,
    );
    const told = next.length ? ` Chance to come next: ${next.join(", ")}.` : "";
    const heads = out ? `without ${attnkit.many(without.length, "head")}` : "with all heads";
    return `Mean loss of a piece ${heads}: ${costs.join(", ")}.${told}`;
  }

  function build(figure) {
    const given = figure.given("texts", "cuts", "layers", "heads", "kinds", "asks");
    const words = h("p", { class: "ak-small ak-note", "aria-live": "polite" });
    const note = (/** @type {string} */ text) => write(words, text);
    const run = new Reading(figure, given, note);
    const named = figure.choice({
      label: "text",
      words: given.texts.map(({ name }) => name),
      read: ({ text }) => (run.own ? -1 : text),
      write(text) {
        run.own = null;
        figure.stale = true;
        return { text };
      },
    });
    const cuts = figure.choice({
      label: "take out",
      words: ["nothing", ...given.cuts.map(({ name }) => name)],
      values: [[], ...given.cuts.map(({ heads }) => heads)],
      trait: "without",
    });
    const text = pieces();
    const grid = attnkit.chat.grid(figure, (head) =>
      figure.put({ without: attnkit.toggled(figure.get("without"), head) }),
    );
    brush(figure, /** @type {HTMLElement} */ (grid.element.querySelector(".ak-heads")));
    const typed = typing(figure, run, note);
    const reset = figure.reset(() => {
      run.own = null;
      typed.clear();
      note("");
    });
    function update(state) {
      const [whole, found] = [run.found([]), run.found(state.without)];
      text.show(run.text, whole, found);
      grid.show(state, state.without);
      figure.say(sentence(state, run, whole, found));
      run.read();
    }
    const legend = h("p", { class: "ak-small" }, "A line across a column: its height with all heads.");
    const talk = h("div", {}, named, text, legend, figure.live, cuts, attnkit.row(words, reset), typed);
    return { parts: [h("div", { class: "ak-both" }, grid, talk)], update, stop: typed.stop };
  }

  attnkit.register("cut_heads", { label: "Heads of a chat model, taken out", wide: true, compute, build });
})(globalThis.attnkit);
