// A trained translator, word by word: a sentence that the reader composes, and where the model looks for each word.
((attnkit) => {
  "use strict";
  const { h, fixed, write, attr, quoted } = attnkit;

  /** @typedef {{ sentence: string, step: number, row: number | null, put: Put }} State */
  /** @typedef {[row: number, word: string][]} Put words that the reader has put in the place of others */
  /** @typedef {{ next: Record<string, number>[], final: number[] }} Grammar for each state the words that can follow */
  /** @typedef {{ next: [word: string, state: number][][], final: number[] }} Pairs the same, as it travels */
  /** @typedef {{ packed: PackedTranslator, grammar: Pairs, instead: string[] }} Given */
  /** @typedef {{ packed: PackedTranslator, grammar: Grammar, instead: string[] }} Data */
  /** @typedef {ReturnType<typeof look>} Found */
  /** @typedef {ReturnType<typeof session>} Run */

  const MOST = 15; // words that the model writes
  const BEST = 4; // words that are shown with their chances, and those that are always offered
  const MARKS = ["<pad>", "<start>", "<end>"]; // no words
  const PACE = 900; // milliseconds between two words
  const END = "<end>";
  const split = (sentence) => sentence.split(" ").filter(Boolean);
  /** @template T @param {number} count @param {(place: number) => T} make */
  const room = (count, make) => Array.from({ length: count }, (_, k) => make(k));

  // ---- the arithmetic, compared with SentenceTranslator by tests/figures/

  // What follows from the state, with a model that keeps what it has read; `shown` is the row whose lines are drawn.
  function look(model, { packed, grammar }, { sentence, step, row, put }) {
    const english = split(sentence);
    const state = english.reduce((at, word) => grammar.next[at][word], 0);
    const complete = grammar.final.includes(state);
    const numbers = english.map((word) => packed.source_words.indexOf(word));
    /** @type {Pick<Translated, "words" | "weights" | "chances">} */
    const none = { words: [], weights: [], chances: [] };
    const stand = Object.fromEntries(put.map(([at, word]) => [at, packed.target_words.indexOf(word)]));
    const { words, weights, chances } = complete ? model.trace(numbers, Math.min(step + 1, MOST), stand) : none;
    const all = words.map((number) => packed.target_words[number]);
    const translation = all.slice(0, step).filter((word) => word !== END);
    const count = translation.length;
    const full = complete && count === words.length ? "full" : null;
    return {
      english,
      complete,
      following: Object.keys(grammar.next[state]),
      translation,
      weights: weights.slice(0, count),
      chances: chances.slice(0, count),
      chosen: chances.slice(0, count).map((at, i) => at[words[i]]),
      own: put.map(([at]) => at).filter((at) => at < count),
      shown: row !== null && row < count ? row : count - 1,
      ended: all[count] === END ? "end" : full,
    };
  }

  // A grammar with the words of each state as an object; it travels as pairs, which keep their order.
  const opened = ({ next, final }) => ({ next: next.map((pairs) => Object.fromEntries(pairs)), final });

  /** @param {Pick<Given, "packed" | "grammar"> & State} state */
  const compute = ({ packed, grammar, ...state }) =>
    look(attnkit.translator(packed), { packed, grammar: opened(grammar) }, state);

  // The number of words of the longest sentence that begins in a state, and of the words that can follow at most.
  function longest({ next }) {
    /** @type {Record<number, number>} */
    const known = {};
    const ahead = (state) => {
      known[state] ??= Math.max(0, ...Object.values(next[state]).map((after) => 1 + ahead(after)));
      return known[state];
    };
    return { words: ahead(0), following: Math.max(...next.map((words) => Object.keys(words).length)) };
  }

  // ---- in words

  // What is said of a state that rests.
  function standing({ english, complete, following, translation, weights, chosen, shown, ended }) {
    const sentence = quoted(english.join(" "));
    if (!english.length) return "Choose the first word.";
    if (!complete) return `${sentence} is no sentence yet: choose the next word.`;
    if (!translation.length && ended) return "The model ends before the first word.";
    if (!translation.length) {
      const more = following.length ? ", and it can go on" : "";
      return `${sentence} is a sentence${more}. It can be translated.`;
    }
    const most = attnkit.argmax(weights[shown]);
    const told = `${quoted(translation[shown])}, word ${shown + 1}, has chance ${fixed(chosen[shown])}; the model looks most at ${quoted(english[most])}, weight ${fixed(weights[shown][most])}.`;
    if (!ended) return told;
    const done = ended === "end" ? "The translation is complete" : `The model writes at most ${MOST} words`;
    return `${done}: ${quoted(translation.join(" "))}. ${told}`;
  }

  // ---- the picture: French words as they are written, lines to the English words below

  function line(kind, label, words) {
    const row = h("p", { class: kind, role: "group", "aria-label": label }, ...words);
    for (const word of words) word.after(" "); // for who hears them
    return row;
  }

  function scene(most, choose) {
    const note = h("span", { class: "ak-small" });
    const french = room(MOST, (i) => h("span", { class: "ak-word", lang: "fr", onclick: () => choose(i) }));
    const english = room(most, () => h("span", { class: "ak-word", lang: "en" })); // lines pass behind
    const curves = room(most, () => attnkit.svg("path"));
    const svg = attnkit.svg("svg", { "aria-hidden": "true" }, curves);
    const lines = [line("ak-french", "French", [note, ...french]), line("ak-english", "English", english)];
    const element = h("div", { class: "ak-scene" }, svg, lines);
    let drawn = /** @type {Found | null} */ (null);

    // Lines from the word shown to each English word, where they stand.
    function draw() {
      if (!drawn || !svg.getClientRects().length) return;
      const { english: words, weights, shown } = drawn;
      const box = (node) => attnkit.box(node, element);
      const from = shown < 0 ? null : box(french[shown]);
      const ends = words.map((_, j) => box(english[j]));
      curves.forEach((curve, j) => {
        const there = from && j < words.length;
        attnkit.style(curve, "strokeOpacity", there ? (0.12 + 0.7 * weights[shown][j]).toFixed(2) : "0");
        attnkit.style(curve, "strokeWidth", there ? `${(1 + 9 * weights[shown][j]).toFixed(1)}px` : "");
        if (!there) return;
        const [x, y] = [(from.left + from.right) / 2, from.bottom];
        const [u, v] = [(ends[j].left + ends[j].right) / 2, ends[j].top];
        const middle = (y + v) / 2;
        const path = [x, y, x, middle, u, middle, u, v].map((at) => at.toFixed(1));
        attr(curve, "d", `M${path.slice(0, 2)}C${path.slice(2)}`);
      });
    }
    function show(found) {
      const { translation, shown, complete } = found;
      note.hidden = translation.length > 0;
      write(note, complete ? "nothing is written yet" : "the sentence is not complete yet");
      attnkit.fill(french, translation);
      attnkit.fill(english, found.english);
      french.forEach((word, i) => {
        const kinds = ["ak-word", i === shown && "ak-shown", found.own.includes(i) && "ak-own"];
        attr(word, "class", kinds.filter(Boolean).join(" "));
      });
      drawn = found;
      draw();
    }
    const watch = new ResizeObserver(draw); // words grow when their letters arrive
    for (const node of [element, ...french, ...english]) watch.observe(node);
    return { element, show, stop: () => watch.disconnect() };
  }

  // ---- the likeliest words where the word shown was written, each to be put there

  // So many words: the likeliest, those that are always offered, and the next likeliest in the place of who is both.
  function offered(at, instead) {
    const order = at.map((_, word) => word).sort((a, b) => at[b] - at[a]);
    const others = instead.filter((word) => !order.slice(0, BEST).includes(word));
    const kept = BEST + instead.length - others.length;
    return [...order.filter((word) => !others.includes(word)).slice(0, kept), ...others];
  }

  function candidates({ packed, instead }, { swap }) {
    const title = h("p", { class: "ak-small" });
    const always = instead.map((word) => packed.target_words.indexOf(word));
    let words = /** @type {number[]} */ ([]);
    const count = Math.min(BEST + always.length, packed.target_words.length);
    const list = attnkit.wordBars(count, (k) => swap(packed.target_words[words[k]]), "fr");
    const element = h("div", { class: "ak-best" }, title, list);
    function show({ chances, shown, complete, translation }) {
      attr(element, "class", complete ? "ak-best" : "ak-best ak-away");
      attnkit.style(list.element, "visibility", shown < 0 ? "hidden" : "");
      if (shown < 0)
        return write(title, "Below stand the chances of each French word, and where the model looks for it.");
      words = offered(chances[shown], always);
      write(title, `Word ${shown + 1}, and what else could stand there, with its chance. Press one to put it there.`);
      attr(list.element, "aria-label", `What could be word ${shown + 1}, with its chance`);
      list.show(words.map((word) => [packed.target_words[word], chances[shown][word]]));
      words.forEach((word, k) => {
        const said = packed.target_words[word];
        attr(list.bars[k], "aria-pressed", String(said === translation[shown]));
        attr(list.bars[k], "aria-disabled", String(MARKS.includes(said)));
      });
    }
    return { element, show };
  }

  // ---- the weights: a row for each French word, which shows its lines again

  function matrix(most, choose) {
    const rows = room(MOST, (i) => {
      const pick = () => choose(i);
      return attnkit.button(null, pick, { class: "ak-pick", lang: "fr", "aria-pressed": "false", onfocus: pick });
    });
    const look = { corner: "looks ↓ at →", lang: "en", label: "Weights" };
    const table = attnkit.weightTable(rows, most, (side, i) => side === "row" && choose(i), look);
    const element = h("div", { class: "ak-room" }, table.element);
    function show({ translation, weights, shown, english, complete }) {
      attr(element, "class", complete ? "ak-room" : "ak-room ak-away");
      attr(element, "style", `--columns: ${english.length}; --rows: ${most + 1}`); // of the longest sentence
      table.lay(translation, english);
      table.show(weights.slice(0, translation.length), (weight) => fixed(weight));
      rows.forEach((row, i) => attr(row, "aria-pressed", String(i === shown)));
      table.stop.at(shown);
    }
    return { element, show };
  }

  // ---- what goes on

  // The translation as it goes on: each way to change it sets the state, tells what was done, and halts what writes.
  function session(figure, data) {
    const model = attnkit.translator(data.packed);
    let preface = "";
    const at = (changes = {}) => look(model, data, { ...figure.state(), ...changes });
    const frames = attnkit.clock(() => more());
    function act(said, changes) {
      frames.halt();
      [preface, figure.stale] = [said && `${said} `, true];
      figure.put(changes);
    }
    // One word more while the writing goes on.
    function more() {
      const { translation, ended } = at();
      if (!ended) figure.put({ step: translation.length + 1, row: null });
      if (at().ended) act("", {});
    }
    function start() {
      const { complete, ended } = at();
      if (!complete) return act("", {});
      if (attnkit.calm()) {
        const step = at({ step: MOST }).translation.length;
        return act("Written at once, because your device asks for less motion.", { step, row: null });
      }
      frames.halt();
      if (ended) figure.put({ step: 0, row: null, put: [] }); // once more
      frames.start(PACE);
      figure.say("The model translates.");
      more();
    }
    function step() {
      const { translation, complete, ended } = at();
      act("", complete && !ended ? { step: translation.length + 1, row: null } : {});
    }
    const anew = (said, words) => act(said, { row: null, step: 0, put: [], sentence: words.join(" ") });
    // Another word in the place of the one that is shown; the model goes on from there.
    function swap(word) {
      const { translation, shown, ended } = at();
      if (MARKS.includes(word) || translation[shown] === word) return act("", {});
      const changes = { row: shown, step: ended ? MOST : figure.state().step };
      const before = figure.get("put").filter(([row]) => row < shown);
      const own = at({ ...changes, put: before }).translation[shown] !== word; // not what the model would write there
      const put = own ? /** @type {Put} */ ([...before, [shown, word]]) : before;
      act(`Put: ${quoted(word)} for ${quoted(translation[shown])}.`, { ...changes, put });
    }
    function tell(found) {
      if (!frames.runs()) figure.say(`${preface}${standing(found)}`);
      preface = "";
    }
    return { at, act, start, step, anew, swap, tell, frames };
  }

  // ---- the controls

  function buttons(figure, { at, act, start, step, anew, frames }) {
    const toggle = () => (frames.runs() ? act("The writing has stopped.", {}) : start());
    function back() {
      const { english } = at();
      if (!english.length) return act("There is no word to take back.", {});
      anew(`Taken back: ${quoted(english[english.length - 1])}.`, english.slice(0, -1));
    }
    const translate = attnkit.button("Translate", toggle);
    const next = attnkit.button("Next word", step);
    const last = attnkit.button("Take back a word", back);
    function show({ complete, ended, translation, english }) {
      write(translate, frames.runs() ? "Stop" : "Translate");
      attr(translate, "class", `ak-translate${complete && !translation.length ? " ak-primary" : ""}`);
      attr(translate, "aria-disabled", String(!complete));
      attr(next, "aria-disabled", String(!complete || Boolean(ended)));
      attr(last, "aria-disabled", String(!english.length));
    }
    const element = attnkit.row(translate, next, last, figure.reset(frames.halt));
    return { element, show, focus: () => translate.focus() };
  }

  // The words that can follow; a key that takes one goes on to the first of the next.
  function followers({ at, anew }, most, leave) {
    const words = room(most, (k) => attnkit.button(null, () => add(k), { lang: "en" }));
    const note = h("span", { class: "ak-small" });
    const look = { class: "ak-buttons", role: "group", "aria-label": "Words that can follow" };
    const element = h("div", look, note, words);
    function add(k) {
      const { english, following } = at();
      anew(`Added: ${quoted(following[k])}.`, [...english, following[k]]);
      if (at().following.length) words[0].focus();
      else leave();
    }
    function show({ following }) {
      write(note, following.length ? "can follow:" : "No word can follow: the sentence is complete.");
      attnkit.fill(words, following);
    }
    return { element, show };
  }

  function build(figure) {
    const { packed, grammar, instead } = figure.given("packed", "grammar", "instead");
    const data = { packed, grammar: opened(grammar), instead };
    const run = session(figure, data);
    const most = longest(data.grammar);
    const choose = (row) => figure.put({ row });
    const picture = scene(most.words, choose);
    const controls = buttons(figure, run);
    const follow = followers(run, most.following, controls.focus);
    const parts = [picture, controls, follow, candidates(data, run), matrix(most.words, choose)];
    function update() {
      const found = run.at();
      for (const part of parts) part.show(found);
      run.tell(found);
    }
    function stop() {
      run.frames.halt();
      picture.stop();
    }
    const sides = [parts.slice(0, 3), parts.slice(3)].map((some) => h("div", {}, some));
    return { parts: [h("div", { class: "ak-sides" }, sides)], update, stop };
  }

  attnkit.register("sentence_translator", { label: "A model that translates a sentence", wide: true, compute, build });
})(globalThis.attnkit);
