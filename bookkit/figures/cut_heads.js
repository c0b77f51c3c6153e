// Heads of a chat model taken out: what each piece of a text costs then, and how likely two names are.
((attnkit) => {
  "use strict";
  const { h, fixed, write, attr } = attnkit;

  /** @typedef {{ losses: number[], chances: number[] }} Found */
  /** @typedef {{ name: string, numbers: number[], words: string[], runs: Found[], names: [number, string][], parts: { name: string, start: number, end: number }[] }} Text */
  /** @typedef {{ text: number, without: number[], shade: number }} State */
  /** @typedef {ChatHeads & { texts: Text[], cuts: { name: string, heads: number[] }[] }} Given */
  /** @typedef {Figure<State, Given>} Owner */
  /** @typedef {Reading} Run */

  const SIZE = 98; // megabytes of the model
  const LARGEST = 15; // a loss that is drawn as dark as can be
  const DARK = 32; // percent of ink
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

  // The text, under each piece what it costs; the first costs nothing, as nothing stands before it.
  function pieces() {
    const element = h("div", { class: "ak-pieces" });
    let shown = "";
    /** @type {[box: HTMLElement, loss: HTMLElement][]} */
    let made = [];
    function piece(word) {
      const [seen, loss] = [attnkit.chat.visible(word), h("span", { class: "ak-loss" })];
      const part = seen ? {} : { title: "part of a letter", role: "group", "aria-label": "part of a letter" };
      return [h("span", { class: "ak-cost", ...part }, h("span", { class: "ak-word" }, seen), loss), loss];
    }
    function show(words, whole, found) {
      if (shown !== words.join("\n")) {
        shown = words.join("\n");
        made = words.map(piece);
        element.replaceChildren(...made.map(([box]) => box));
      }
      attr(element, "data-waits", String(!found));
      made.forEach(([box, loss], k) => {
        const cost = found?.losses[k - 1] ?? 0;
        const more = cost - (whole?.losses[k - 1] ?? 0);
        const share = Math.round(DARK * Math.min(1, cost / LARGEST));
        attnkit.style(box, "backgroundColor", `color-mix(in srgb, var(--ak-ink) ${share}%, transparent)`);
        attr(box, "data-more", String(more > 1));
        write(loss, k && found ? fixed(cost, 1) : "–");
      });
    }
    return { element, show };
  }

  // Means of the parts and chances of the names: with all heads, and without those that are out.
  function results() {
    const without = h("th", { scope: "col" });
    const element = attnkit.table("ak-results", ["", "all heads", without], []);
    function show(text, whole, found, out) {
      write(without, out ? `without ${attnkit.many(out, "head")}` : "");
      const cell = (v, digits) => (v === undefined ? "–" : fixed(v, digits));
      const [one, two] = [whole && means(text, whole), found && means(text, found)];
      const costs = text.parts.map(({ name }, k) =>
        attnkit.tr(`mean loss, ${name}`, cell(one?.[k], 2), out ? cell(two?.[k], 2) : ""),
      );
      const chances = text.names.map(([, word], k) => {
        const name = `chance of ${attnkit.quoted(word.trim())}`;
        return attnkit.tr(name, cell(whole?.chances[k], 3), out ? cell(found?.chances[k], 3) : "");
      });
      element.tBodies[0].replaceChildren(...costs, ...chances);
    }
    return { element, show };
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

  function sentence({ without }, { text, model }, whole, found) {
    if (!found || !whole)
      return model.ready() ? "" : "Nobody has measured it without just these heads: load the model, and it does.";
    const [one, two] = [means(text, whole), means(text, found)];
    const last = text.parts.length - 1;
    const names = text.names.map(([, word], k) => `${attnkit.quoted(word.trim())} ${fixed(found.chances[k], 3)}`);
    const next = names.length ? ` Next: ${names.join(", ")}.` : "";
    const piece = `a piece of “${text.parts[last].name}” costs`;
    if (!without.length) return `All heads are there: ${piece} ${fixed(one[last])}.${next}`;
    return `Without ${without.length} of the heads ${piece} ${fixed(two[last])}, with all ${fixed(one[last])}.${next}`;
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
    const [text, table] = [pieces(), results()];
    const grid = attnkit.chat.grid(figure, (head) =>
      figure.put({ without: attnkit.toggled(figure.get("without"), head) }),
    );
    const typed = typing(figure, run, note);
    const reset = figure.reset(() => {
      run.own = null;
      typed.clear();
      note("");
    });
    function update(state) {
      const [whole, found] = [run.found([]), run.found(state.without)];
      text.show(run.text.words, whole, found);
      table.show(run.text, whole, found, state.without.length);
      grid.show(state, state.without);
      figure.say(sentence(state, run, whole, found));
      run.read();
    }
    const legend = h("p", { class: "ak-small" }, "Thick line: its loss has grown by more than 1.");
    const talk = [named, text, legend, cuts, table, figure.live, typed, attnkit.row(words, reset)];
    return { parts: [h("div", { class: "ak-both" }, h("div", {}, talk), grid)], update, stop: typed.stop };
  }

  attnkit.register("cut_heads", { label: "Heads of a chat model, taken out", wide: true, compute, build });
})(globalThis.attnkit);
