// A chat with a real model: its text in pieces, what may come after the one in hand, and where each of its heads looks.
((attnkit) => {
  "use strict";
  const { h, fixed, write, attr } = attnkit;
  const { isMark, visible, said, named } = attnkit.chat;

  /** @typedef {[number: number, word: string, chance: number]} Next */
  /** @typedef {{ question: string, numbers: number[], words: string[], first: number, likeliest: Next[][], weights: Record<string, string> }} Recorded */
  /** @typedef {{ numbers: number[], words: string[], first: number, place: number, found: ChatFound | null }} Own a text of the reader's, and what is known of one of its places */
  /** @typedef {{ asked: number, hand: number, head: number, shade: number, temperature: number, seed: number, template: boolean }} State */
  /** @typedef {ChatHeads & { recorded: Recorded[], frame: string[], ends: string[], kept: number }} Given */
  /** @typedef {Figure<State, Given>} Owner */
  /** @typedef {Session} Run */

  const STEPS = 255; // a recorded weight travels as a whole number of these
  const SHOWN = 10; // next pieces
  const TOLD = 3; // so many weights are told
  const SEEDS = 10_000;
  const MOST = 400; // pieces that are written without a pause
  const PACE = 250; // milliseconds between two recorded pieces
  const EYE = 80; // milliseconds between two pictures while it writes
  const SIZE = 98; // megabytes of the model
  const UNREAD = "The text has not been read to its end: Write, Step or a press of a piece reads on.";

  // ---- the arithmetic, compared with Chat by tests/figures/

  // Which of the likeliest pieces is drawn: as attnkit.sampling.choose does it, in the order of their numbers.
  /** @param {Next[]} likeliest @param {number} temperature @param {number} seed @param {number} place */
  function drawn(likeliest, temperature, seed, place) {
    if (temperature === 0 || !likeliest.length) return 0;
    const shares = likeliest.map(([, , chance]) => (chance / likeliest[0][2]) ** (1 / temperature));
    const random = attnkit.xorshift(seed);
    for (let k = 0; k < place; k++) random();
    const wanted = random() * shares.reduce((sum, share) => sum + share, 0);
    const order = likeliest.map((_, k) => k).sort((a, b) => likeliest[a][0] - likeliest[b][0]);
    let sum = 0;
    for (const k of order) {
      sum += shares[k];
      if (sum > wanted) return k;
    }
    return order[order.length - 1];
  }
  // A row of recorded weights, if the head is among those that are recorded.
  /** @param {Recorded} told @param {number} head @param {number} heads @param {number} hand */
  function recordedRow({ first, weights }, head, heads, hand) {
    const rows = weights[`${Math.floor(head / heads)}.${head % heads}`];
    if (!rows) return null;
    const bytes = atob(rows);
    let start = 0;
    for (let k = first; k <= hand; k++) start += k;
    return Array.from({ length: hand + 1 }, (_, k) => bytes.charCodeAt(start + k) / STEPS);
  }
  /** @param {Pick<Given, "recorded" | "heads"> & State} state */
  function compute({ recorded, heads, asked, hand, head, temperature, seed }) {
    const told = recorded[asked];
    const place = hand - told.first + 1;
    const likeliest = told.likeliest[place];
    return {
      weights: recordedRow(told, head, heads, hand),
      next: likeliest[drawn(likeliest, temperature, seed, place)][1],
    };
  }

  // ---- what goes on

  // The text that is shown, a recorded one or the reader's own, and all that changes it. Whatever begins ends what went on.
  class Session {
    /** @param {Owner} figure @param {Given} given @param {(text: string) => void} note */
    constructor(figure, given, note) {
      this.figure = figure;
      this.given = given;
      this.note = note;
      this.model = attnkit.chat.of(figure);
      /** @type {Own | null} */
      this.own = null;
      this.turn = 0;
      this.busy = false;
      this.left = 0; // pieces that are still to be written
      this.wrote = ""; // since something began
    }
    get recorded() {
      return this.given.recorded[this.figure.get("asked")];
    }
    get text() {
      return this.own ?? this.recorded;
    }
    // The first place that can be in hand: before a recorded answer nothing is known.
    get first() {
      return this.own ? 0 : this.recorded.first - 1;
    }
    get hand() {
      return Math.min(Math.max(this.figure.get("hand"), this.first), this.text.words.length - 1);
    }
    // What may come after the piece in hand, and the row of a head there; nothing where it has not been read yet.
    now() {
      const [{ own, hand, recorded }, { heads }] = [this, this.given];
      if (!own)
        return {
          likeliest: recorded.likeliest[hand - recorded.first + 1],
          row: (/** @type {number} */ head) => recordedRow(recorded, head, heads, hand),
        };
      const found = own.place === hand ? own.found : null;
      /** @param {number} head */
      const row = (head) =>
        found ? Array.from(found.weights.subarray(head * (hand + 1), (head + 1) * (hand + 1))) : null;
      return { likeliest: found?.likeliest ?? [], row };
    }
    // The piece that comes next: as it was recorded, or as it is drawn.
    /** @returns {Next | undefined} */
    next() {
      const [{ own, hand, text }, { likeliest }] = [this, this.now()];
      const { temperature, seed } = this.figure.state();
      if (own) return likeliest[drawn(likeliest, temperature, seed, Math.max(0, hand + 1 - own.first))];
      const number = text.numbers[hand + 1];
      if (number === undefined) return undefined;
      return likeliest.find(([one]) => one === number) ?? [number, text.words[hand + 1], 0];
    }

    start() {
      this.halt();
      this.busy = true;
      this.wrote = "";
      return this.turn;
    }
    // The piece that is being written is the last one; what is being read for it is given up.
    stop() {
      this.left = 0;
      if (!this.own || this.own.found) return;
      this.halt();
      this.note(UNREAD);
      this.show(this.hand);
    }
    halt() {
      this.turn++;
      if (this.busy) this.model.halt();
      this.busy = false;
    }
    // Show what there is, unless something else has begun.
    /** @param {number} mine */
    end(mine) {
      if (mine !== this.turn) return;
      this.busy = false;
      this.show(this.hand);
    }
    /** @param {number} hand */
    show(hand) {
      this.figure.stale = true;
      this.figure.put({ hand });
    }
    // Read up to the piece in hand; false if that was given up.
    /** @param {number} mine */
    async look(mine) {
      const { own, hand, model } = this;
      if (!own || (own.found && own.place === hand)) return mine === this.turn;
      if (!model.ready()) {
        this.note("Load the model again: what stands here is still here.");
        return false;
      }
      const found = await model.read({ numbers: own.numbers.slice(0, hand + 1) }, (share) => {
        if (mine === this.turn) this.note(`Reading ... ${Math.round(100 * share)} %`);
      });
      if (mine === this.turn && !found) this.note(UNREAD);
      if (mine !== this.turn || !found) return false;
      [own.place, own.found] = [hand, found];
      this.note("");
      return true;
    }
    // A piece after the one in hand; what stood there is gone, if it is another.
    /** @param {Next} next */
    async put([number, word]) {
      const [{ own }, after] = [this, this.hand + 1];
      if (own && own.numbers[after] !== number) {
        own.numbers = [...own.numbers.slice(0, after), number];
        own.words = [...own.words.slice(0, after), word];
        if (/\uFFFD/.test(word)) own.words = await this.model.words(own.numbers); // a letter in several pieces
      }
      this.figure.model.set("hand", after);
    }
    // So many pieces more, or as many as there are before an end.
    /** @param {number} most */
    async on(most) {
      const mine = this.start();
      this.left = most;
      this.show(this.hand);
      const from = this.hand + 1;
      let painted = performance.now();
      for (; (await this.look(mine)) && this.left > 0; this.left--) {
        const next = this.next();
        if (!next || this.full(this.hand + 2)) break;
        await this.put(next);
        if (!this.own && this.left > 1) await new Promise((resolve) => setTimeout(resolve, attnkit.calm() ? 0 : PACE));
        if (this.given.ends.includes(next[1])) this.left = 1;
        if (!(await this.look(mine)) || performance.now() - painted < EYE) continue;
        this.show(this.hand);
        painted = performance.now();
      }
      if (mine === this.turn) this.wrote = this.text.words.slice(from, this.hand + 1).join("");
      this.end(mine);
    }
    /** @param {number} count */
    full(count) {
      const most = attnkit.chat.context;
      if (count > most) this.note(`${count} pieces are too many: at most ${most} are read.`);
      return count > most;
    }
    /** @param {number} place */
    async go(place) {
      const mine = this.start();
      this.show(Math.min(Math.max(place, this.first), this.text.words.length - 1));
      await this.look(mine);
      this.end(mine);
    }
    /** @param {Next} next */
    async take(next) {
      const { own, model, text, hand } = this;
      if (!own && text.numbers[hand + 1] !== next[0])
        return this.note(
          model.ready() ? "This answer is recorded: ask something." : "Load the model to take another piece.",
        );
      const mine = this.start();
      await this.put(next);
      await this.look(mine);
      this.end(mine);
    }
    // A text of the reader's own, in parts, each with its marks or without; false, and nothing is changed, if it is too long.
    /** @param {[text: string, marks: boolean][]} parts @param {Own | null} before */
    async begin(parts, before) {
      const mine = this.start();
      /** @type {ChatPieces[]} */
      const cut = before ? [before] : [];
      for (const [text, marks] of parts) cut.push(await this.model.cut(text, marks));
      const [numbers, words] = [cut.flatMap((one) => one.numbers), cut.flatMap((one) => one.words)];
      if (mine !== this.turn || this.full(numbers.length + 1)) {
        this.end(mine);
        return false;
      }
      this.own = { numbers, words, first: numbers.length, place: -1, found: null };
      this.show(numbers.length - 1);
      return true;
    }
    forget() {
      this.halt();
      this.own = null;
      this.note("");
    }
  }

  // ---- the parts

  // The text: each piece shaded by the weight that it gets from the one in hand, which is framed. Arrow keys lead from piece
  // to piece; the box is one stop of the tab key.
  /** @param {Run} run */
  function textBox(run) {
    const label = "The text in pieces: a pressed one is in hand";
    const box = h("div", { class: "ak-box", role: "group", "aria-label": label, translate: "no" });
    /** @type {{ word: string, button: HTMLButtonElement, nodes: Node[] }[]} */
    const made = [];
    /** @param {string} word */
    function piece(word) {
      const kind = isMark(word) ? "ak-piece ak-mark" : "ak-piece";
      const button = attnkit.button(visible(word), () => run.go(made.findIndex((one) => one.button === button)), {
        class: kind,
      });
      return { word, button, nodes: /\n/.test(word) ? [button, h("br")] : [button] };
    }
    /** @param {number} place */
    async function walk(place) {
      await run.go(place);
      made[run.hand].button.focus({ preventScroll: true });
    }
    attnkit.keys(box, {
      ArrowLeft: () => walk(run.hand - 1),
      ArrowRight: () => walk(run.hand + 1),
      Home: () => walk(run.first),
      End: () => walk(run.text.words.length - 1),
    });
    // The piece in hand in sight, and the page where it is.
    /** @param {HTMLElement} button */
    function inSight(button) {
      const [inner, outer] = [button.getBoundingClientRect(), box.getBoundingClientRect()];
      if (inner.bottom > outer.bottom - 4) box.scrollTop += inner.bottom - outer.bottom + 12;
      if (inner.top < outer.top) box.scrollTop += inner.top - outer.top - 12;
    }
    /** @param {string[]} words @param {number} hand @param {number[] | null} row */
    function show(words, hand, row) {
      let same = 0;
      while (same < words.length && made[same]?.word === words[same]) same++;
      for (const node of made.splice(same).flatMap(({ nodes }) => nodes)) box.removeChild(node);
      for (const word of words.slice(same)) {
        made.push(piece(word));
        box.append(...made[made.length - 1].nodes);
      }
      made.forEach(({ button }, k) => {
        attnkit.paint(button, k <= hand ? Math.round(100 * (row?.[k] ?? 0)) / 100 : 0, 1, "weight");
        attr(button, "aria-pressed", String(k === hand));
        attr(button, "tabindex", k === hand ? 0 : -1);
        attr(button, "data-later", String(k > hand));
      });
      requestAnimationFrame(() => inSight(made[run.hand].button)); // at first it stands in no page yet
    }
    return { element: box, show };
  }

  // The likeliest next pieces, to be taken.
  /** @param {Run} run */
  function nextPieces(run) {
    /** @type {Next[]} */
    let likeliest = [];
    const bars = Array.from({ length: SHOWN }, (_, k) => {
      const [fill, word, chance] = ["ak-share", "ak-word", "ak-num"].map((kind) => h("span", { class: kind }));
      const button = attnkit.button([fill, word, chance], () => likeliest[k] && run.take(likeliest[k]), {
        class: "ak-bar",
      });
      word.after(" "); // for who hears the two
      return { button, fill, word, chance };
    });
    const stop = attnkit.walk(bars.map(({ button }) => button));
    const label = "Pieces to take, with their chances";
    const element = h(
      "div",
      { class: "ak-bars", role: "group", "aria-label": label },
      ...bars.map((bar) => bar.button),
    );
    /** @param {Next[]} found @param {Next | undefined} next */
    function show(found, next) {
      likeliest = found;
      attnkit.style(element, "opacity", found.length ? "" : "0.4"); // being read
      if (!found.length) return;
      bars.forEach(({ button, fill, word, chance }, k) => {
        button.hidden = k >= found.length;
        if (button.hidden) return;
        write(word, visible(found[k][1]));
        write(chance, fixed(found[k][2], 3));
        attnkit.style(fill, "transform", `scaleX(${found[k][2].toFixed(3)})`);
        attr(word, "class", isMark(found[k][1]) ? "ak-word ak-mark" : "ak-word");
        attr(button, "data-next", String(found[k] === next));
      });
      stop.within(Math.min(SHOWN, found.length));
    }
    return { element, show };
  }

  // ---- the controls

  // What a reader types, and the whole text, which can be edited with its marks.
  /** @param {Owner} figure @param {Given} given @param {Run} run @param {(text: string) => void} note */
  function typing(figure, given, run, note) {
    const [opening, before, after, between] = given.frame;
    const input = h("input", {
      type: "text",
      placeholder: "Ask something",
      "aria-label": "Your question",
      autocomplete: "off",
    });
    /** @param {Event} event */
    async function ask(event) {
      event.preventDefault();
      const [text, own] = [input.value.trim(), run.own];
      if (!text) return note("Type something first.");
      const last = own?.words[own.words.length - 1] ?? "";
      const closing = between.startsWith(last) ? between.slice(last.length) : between;
      /** @type {[string, boolean][]} */
      const framed = [
        [own ? closing + before : opening + before, true],
        [text, false],
        [after, true],
      ];
      if (!(await run.begin(figure.get("template") ? framed : [[text, false]], figure.get("template") ? own : null)))
        return;
      input.value = "";
      run.on(MOST);
    }
    const send = h("button", { type: "submit", class: "ak-primary" }, "Ask");
    const anew = attnkit.button("New chat", () => {
      run.forget();
      figure.put({ hand: given.recorded[figure.get("asked")].words.length - 1 });
      input.focus();
    });
    const element = h("form", { class: "ak-buttons", onsubmit: ask }, input, send, anew);
    return { element, clear: () => (input.value = "") };
  }

  /** @param {Run} run @param {(text: string) => void} note */
  function editing(run, note) {
    const area = h("textarea", { spellcheck: "false", "aria-label": "The whole text, marks and all" });
    const done = attnkit.button("Read it", async () => {
      if (!area.value) return note("Type something first.");
      if (!(await run.begin([[area.value, true]], null))) return;
      element.hidden = true;
      open.focus();
      run.go(run.hand);
    });
    const cancel = attnkit.button("Leave it", () => {
      element.hidden = true;
      open.focus();
    });
    const element = h("div", { class: "ak-edit", hidden: true }, area, h("div", { class: "ak-buttons" }, done, cancel));
    const open = attnkit.button("Edit the text", () => {
      run.halt();
      area.value = run.text.words.join("");
      element.hidden = false;
      area.focus();
    });
    return { element, open, close: () => (element.hidden = true) };
  }

  /** @param {Owner} figure */
  function seedField(figure) {
    const input = h("input", {
      type: "text",
      inputmode: "numeric",
      class: "ak-seed",
      "aria-label": "seed",
      autocomplete: "off",
    });
    /** @param {number} seed */
    const show = (seed) => {
      if (document.activeElement !== input) input.value = String(seed);
    };
    input.addEventListener("change", () => {
      const seed = input.value.trim() === "" ? Number.NaN : Number(input.value);
      if (Number.isInteger(seed) && seed >= 0 && seed < SEEDS) return figure.put({ seed });
      input.value = String(figure.get("seed"));
      figure.say(`A seed is a whole number from 0 to ${SEEDS - 1}.`);
    });
    figure.follow({ show }, { trait: "seed" });
    return h("label", { class: "ak-buttons" }, h("span", {}, "seed"), input);
  }

  /** @param {Owner} figure */
  function settings(figure) {
    const heat = figure.slider({
      name: "temperature",
      min: 0,
      max: 2,
      step: 0.05,
      format: (v) => fixed(v),
      word: (v) => (v === 0 ? "0, always the likeliest piece" : fixed(v)),
      trait: "temperature",
    });
    const frame = figure.choice({
      label: "template",
      words: ["on", "off"],
      read: ({ template }) => (template ? 0 : 1),
      write: (k) => ({ template: k === 0 }),
    });
    return h("div", { class: "ak-settings" }, heat.element, seedField(figure), frame.element);
  }

  /** @param {Owner} figure @param {Given} given @param {Run} run @param {ReturnType<typeof own>} typed */
  function buttons(figure, given, run, typed) {
    const writing = attnkit.button("Write", () => {
      if (run.busy) run.stop();
      else run.on(MOST);
    });
    const step = attnkit.button("Step", () => run.on(1));
    const back = attnkit.button("Back", () => run.go(run.hand - 1));
    const reset = figure.reset(() => {
      run.forget();
      typed.clear();
    });
    const examples = figure.follow(
      attnkit.choice(
        "recorded",
        given.recorded.map(({ question }) => question),
        (asked) => {
          run.forget();
          figure.put({ asked, hand: given.recorded[asked].words.length - 1 });
        },
      ),
      { read: ({ asked }) => (run.own ? -1 : asked) },
    );
    const element = h("div", { class: "ak-buttons ak-moves" }, writing, step, back, typed.edit.open, reset);
    function show() {
      write(writing, run.busy ? "Stop" : "Write");
      attr(back, "aria-disabled", String(run.hand <= run.first));
    }
    return { element, examples: examples.element, show };
  }

  // What is taken next, and what is kept.
  /** @param {State} state @param {Given} given @param {Run} run */
  function nextLine({ temperature, seed }, { kept }, run) {
    const [next, n] = [run.next(), run.hand + 1];
    const memory = `${n} pieces are kept: ${fixed((n * kept) / 1e6, 1)} MB of keys and values.`;
    if (!run.own) return next ? `It went on with ${said(next[1])}. ${memory}` : `The answer ends here. ${memory}`;
    if (!next) return memory;
    const how = temperature === 0 ? "The likeliest is taken" : `With seed ${seed} it takes`;
    return `${how}: ${said(next[1])}. ${memory}`;
  }
  /** @param {State} state @param {Given} given @param {Run} run @param {number[] | null} row */
  function sentence({ head }, { heads }, { own, text: { words }, hand }, row) {
    const name = named(head, heads);
    if (!row) return own ? "" : `Where ${name} looks is not recorded: load the model to see it.`;
    const best = row.map((_, k) => k).sort((a, b) => row[b] - row[a]);
    const seen = best.slice(0, TOLD).filter((k) => row[k] >= 0.005);
    const told = seen.map((k) => `${said(words[k])} ${fixed(row[k])}`);
    return `In ${name}, ${said(words[hand])} looks at ${told.join(", ")}.`;
  }

  // What needs the model: its button first, then what a reader types and sets.
  /** @param {Owner} figure @param {Given} given @param {Run} run @param {(text: string) => void} note */
  function own(figure, given, run, note) {
    const [field, edit] = [typing(figure, given, run, note), editing(run, note)];
    const loader = attnkit.loader(figure, attnkit.chat, SIZE, field.element);
    const more = settings(figure);
    loader.element.hidden = run.model.live && !given.asks;
    const follow = () => {
      if (attnkit.chat.status.state === "failed") run.halt();
      edit.open.hidden = more.hidden = !run.model.ready();
      if (run.model.ready()) note("");
    };
    const unwatch = attnkit.chat.watch(follow);
    follow();
    function clear() {
      field.clear();
      edit.close();
    }
    function stop() {
      loader.stop();
      unwatch();
    }
    return { element: loader.element, edit, more, clear, stop };
  }

  /** @param {Owner} figure */
  function build(figure) {
    const given = figure.given("recorded", "layers", "heads", "kinds", "frame", "ends", "kept", "asks");
    const words = h("p", { class: "ak-small ak-note", "aria-live": "polite" });
    /** @param {string} text */
    const note = (text) => write(words, text);
    const run = new Session(figure, given, note);
    const typed = own(figure, given, run, note);
    const [text, next, grid] = [
      textBox(run),
      nextPieces(run),
      attnkit.chat.grid(figure, (head) => figure.put({ head })),
    ];
    const moves = buttons(figure, given, run, typed);
    const line = h("p", { class: "ak-small ak-line" });
    const aloud = h("p", { class: "ak-aloud", "aria-live": "polite" });
    const asked = h("p", { class: "ak-title" }, "What comes next: press a piece to take it");
    /** @param {State} state */
    function update(state) {
      const [told, hand, { likeliest, row }] = [run.text, run.hand, run.now()];
      const weights = row(state.head);
      text.show(told.words, hand, weights);
      next.show(likeliest, run.next());
      grid.show(state, [state.head]);
      moves.show();
      write(line, nextLine(state, given, run));
      write(aloud, run.wrote && `It wrote: ${run.wrote}`);
      if (!run.busy) figure.say(sentence(state, given, run, weights));
    }
    const talk = [moves.examples, text.element, typed.edit.element, typed.element, words, moves.element];
    const left = h("div", {}, ...talk, asked, next.element, line, aloud);
    function stop() {
      run.halt();
      typed.stop();
    }
    return { parts: [h("div", { class: "ak-both" }, left, grid.element), typed.more], update, stop };
  }

  attnkit.register("chat", { label: "A chat with a model", compute, build });
})(globalThis.attnkit);
