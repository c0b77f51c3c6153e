// A chat with a real model: its text in pieces, what may come after the one in hand, and where each of its heads looks.
((attnkit) => {
  "use strict";
  const { h, fixed, write, attr } = attnkit;
  const { isMark, visible, spelled, said, named } = attnkit.chat;

  /** @typedef {[number: number, word: string, chance: number]} Next */
  /** @typedef {{ question: string, numbers: number[], words: string[], first: number, likeliest: Next[][], weights: Record<string, string> }} Recorded */
  /** @typedef {{ question: string, framed: boolean, asked: number, taught: number }} About of a text: what was asked last, if that is known; whether within the template's marks; which recorded answer it is, -1 if none; with how much of what the model was taught, 0 as it was */
  /** @typedef {ChatPieces & About & { first: number, place: number, found: ChatFound | null }} Own a text that the model reads, and what is known of one of its places */
  /** @typedef {{ asked: number, hand: number, head: number, shade: number, temperature: number, seed: number, template: boolean, taught: number }} State */
  /** @typedef {ChatHeads & { recorded: Recorded[], told: Recorded[], frame: string[], ends: string[], kept: number }} Given */
  /** @typedef {Figure<State, Given>} Owner */
  /** @typedef {Session} Run */

  const STEPS = 255; // a recorded weight travels as a whole number of these
  const SHOWN = 10; // next pieces
  const TOLD = 3; // so many weights are told
  const SEEDS = 10_000;
  const MOST = 400; // pieces that are written without a pause
  const JOINED = 4; // nodes that stand on one line at most
  const PACE = 250; // milliseconds between two recorded pieces
  const EYE = 80; // milliseconds between two pictures while it writes
  const SIZE = 98; // megabytes of the model
  const [AGAIN, TIMES] = [12, 3]; // so many pieces, said so often before, are a loop
  const UNREAD = "The text has not been read to its end: Write, Step or a press of a piece reads on.";
  const EDITED = "Read the text first, or leave it.";

  // ---- the arithmetic, compared with Chat by tests/figures/

  // How likely each of them is drawn, before all are divided by their sum.
  const sharesAt = (likeliest, temperature) =>
    likeliest.map(([, , chance]) => (chance / likeliest[0][2]) ** (1 / temperature));
  // The chances with which they are drawn; those that the model gives them where none is drawn.
  function chancesAt(likeliest, temperature) {
    if (temperature === 0) return likeliest.map(([, , chance]) => chance);
    const shares = sharesAt(likeliest, temperature);
    const total = attnkit.sum(shares);
    return shares.map((share) => share / total);
  }
  // Which of the likeliest pieces is drawn: as attnkit.sampling.choose does it, in the order of their numbers.
  function drawn(likeliest, temperature, seed, place) {
    if (temperature === 0 || !likeliest.length) return 0;
    const shares = sharesAt(likeliest, temperature);
    const random = attnkit.xorshift(seed);
    for (let k = 0; k < place; k++) random();
    const wanted = random() * attnkit.sum(shares);
    const order = likeliest.map((_, k) => k).sort((a, b) => likeliest[a][0] - likeliest[b][0]);
    let passed = 0;
    for (const k of order) {
      passed += shares[k];
      if (passed > wanted) return k;
    }
    return order[order.length - 1];
  }
  // A row of recorded weights, if the head is among those that are recorded.
  function recordedRow({ first, weights }, head, heads, hand) {
    const rows = weights[`${Math.floor(head / heads)}.${head % heads}`];
    if (!rows) return null;
    const bytes = atob(rows);
    let start = 0;
    for (let k = first; k <= hand; k++) start += k;
    return Array.from({ length: hand + 1 }, (_, k) => bytes.charCodeAt(start + k) / STEPS);
  }
  function compute({ recorded, told: taughtToSay, heads, asked, hand, head, temperature, seed, taught }) {
    const told = (taught ? taughtToSay : recorded)[asked];
    const place = hand - told.first + 1;
    const likeliest = told.likeliest[place];
    return {
      weights: recordedRow(told, head, heads, hand),
      next: likeliest[drawn(likeliest, temperature, seed, place)][1],
    };
  }

  // Whether the end of a text has stood in it again and again.
  function repeats(numbers) {
    const end = String(numbers.slice(-AGAIN));
    const before = numbers.slice(AGAIN).filter((_, k) => String(numbers.slice(k, k + AGAIN)) === end);
    return before.length >= TIMES;
  }

  // ---- what goes on

  // A chat of the reader's own outlasts the page in its tab, and nowhere else.
  const TAB = `attention-step-by-step${globalThis.location?.pathname}`;
  function leave(own) {
    try {
      if (own && own.asked < 0) sessionStorage.setItem(TAB, JSON.stringify({ ...own, place: -1, found: null }));
      else sessionStorage.removeItem(TAB);
    } catch {} // none may be kept here
  }
  /** @returns {Own | null} */
  function left() {
    try {
      return JSON.parse(sessionStorage.getItem(TAB) ?? "null");
    } catch {
      return null;
    }
  }

  // The text that is shown, a recorded one or the reader's own, and all that changes it. Whatever begins ends what went on.
  class Session {
    constructor(figure, given, note) {
      this.figure = figure;
      this.given = given;
      this.note = note;
      this.model = attnkit.chat.of(figure);
      /** @type {Own | null} */
      this.own = this.model.live ? null : left();
      if (this.own) note("Your chat is as you left it. It goes on as soon as the model is loaded.");
      this.turn = 0;
      this.cutting = -1; // the turn in which a text is cut, which nothing else then takes the place of
      this.busy = false;
      this.left = 0; // pieces that are still to be written
      this.wrote = ""; // since something began
      this.editing = false;
      this.fetching = false; // what it was taught,
      this.much = 1; // and how much of it is added
      /** @type {Map<string, Next[]>} */
      this.firsts = new Map(); // what may begin an answer, by the model and the text
    }
    get recorded() {
      const { asked, taught } = this.figure.state();
      return (taught ? this.given.told : this.given.recorded)[asked];
    }
    get share() {
      return this.figure.get("taught") * this.much;
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
    // What may come after the piece in hand, and the row of a head there: as the model reads it or as it was recorded;
    // nothing where it has not been read yet.
    now() {
      const [{ own, hand, recorded }, { heads }] = [this, this.given];
      const found = own?.place === hand ? own.found : null;
      const known = (!own || own.asked >= 0) && hand >= recorded.first - 1;
      function row(head) {
        if (found) return Array.from(found.weights.subarray(head * (hand + 1), (head + 1) * (hand + 1)));
        return known ? recordedRow(recorded, head, heads, hand) : null;
      }
      return { likeliest: found?.likeliest ?? (known ? recorded.likeliest[hand - recorded.first + 1] : []), row };
    }
    // What is in the way of going on, in a sentence; nothing if nothing is.
    barred() {
      if (this.editing) return EDITED;
      return this.own || this.hand + 1 < this.text.words.length ? "" : "Going on needs the model: load it first.";
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
      this.note("");
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
    end(mine) {
      if (mine !== this.turn) return;
      this.busy = false;
      this.show(this.hand);
    }
    show(hand) {
      leave(this.own);
      this.figure.stale = true;
      this.figure.put({ hand });
    }
    // Read up to the piece in hand; false if that was given up.
    async look(mine) {
      const { own, hand, model } = this;
      if (!own || (own.found && own.place === hand)) return mine === this.turn;
      if (!model.ready()) {
        this.note("Load the model again: what stands here is still here.");
        return false;
      }
      const { taught } = own;
      const numbers = own.numbers.slice(0, hand + 1);
      const tell = (share) => mine === this.turn && this.note(`Reading ... ${Math.round(100 * share)} %`);
      const found = await model.read({ numbers, taught }, tell).catch(() => null); // what it was taught did not come
      if (mine === this.turn && !found) this.note(UNREAD);
      if (mine !== this.turn || !found) return false;
      [own.place, own.found] = [hand, found];
      if (hand === own.first - 1) this.firsts.set(`${taught} ${numbers}`, found.likeliest);
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
        own.asked = -1;
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
        if (this.complete()) this.left = 1;
        if (!(await this.look(mine)) || performance.now() - painted < EYE) continue;
        this.show(this.hand);
        painted = performance.now();
      }
      if (mine === this.turn) {
        this.wrote = this.text.words.slice(from, this.hand + 1).join("");
        this.explain(this.hand + 1 - from, most);
      }
      this.end(mine);
    }
    // Whether the piece in hand ends an answer: within the template it does.
    complete() {
      return this.figure.get("template") && this.given.ends.includes(this.text.words[this.hand]);
    }
    // Why it stopped, when so many pieces have been written of so many.
    explain(written, most) {
      const { words, numbers } = this.text;
      const stopped = most > 1 && written === most ? `Stopped after ${most} pieces: Write goes on.` : "";
      const end = `The model wrote ${visible(words[this.hand])}: the answer is complete.`;
      const why = written && this.complete() ? end : stopped;
      const again = why && repeats(numbers.slice(0, this.hand + 1));
      if (why) this.note(again ? `${why} It repeats itself: try a higher temperature.` : why);
    }
    full(count) {
      const most = attnkit.chat.context;
      if (count > most) this.note(`${count} pieces are too many: at most ${most} are read.`);
      return count > most;
    }
    async go(place) {
      const mine = this.start();
      this.show(Math.min(Math.max(place, this.first), this.text.words.length - 1));
      await this.look(mine);
      this.end(mine);
    }
    // The same when a piece is pressed: what stands before a recorded answer is not recorded.
    press(place) {
      if (this.editing) this.note(EDITED);
      else if (place < this.first) this.note("What stands before the answer needs the model: load it first.");
      else this.go(place);
    }
    async take(next) {
      if (this.editing) return this.note(EDITED);
      if (!this.own && this.text.numbers[this.hand + 1] !== next[0])
        return this.note("Another piece needs the model: load it first.");
      const mine = this.start();
      await this.put(next);
      await this.look(mine);
      this.end(mine);
    }
    // What the model reads now, if there is one: a recording comes alive, and a question stands within the marks of the
    // template or without them, as that is set.
    wake() {
      const [{ own, recorded, share: taught }, { asked, template }] = [this, this.figure.state()];
      const framed = own && (own.asked < 0 || own.asked === asked) && (!own.question || own.framed === template);
      if ((framed && own.taught === taught) || this.editing || this.cutting === this.turn) return;
      if (!this.model.ready()) return;
      if (taught && !this.model.taught()) return void this.fetch();
      if (framed && own.asked < 0) return void this.anew(own, taught);
      const { question, numbers, words, first } =
        own?.asked === -1 ? { ...recorded, question: own.question } : recorded;
      if (!template || question !== recorded.question) return void this.reframe(question);
      const hand = own?.asked === -1 ? words.length - 1 : this.figure.get("hand");
      this.own = { numbers, words, first, question, framed: true, asked, taught, place: -1, found: null };
      if (taught % 1) return void this.anew(this.own, taught); // of a part of it nothing is recorded
      if (own || !this.busy) this.go(hand);
    }
    // The reader's own question, answered by the other model: as it was, or as it was taught.
    anew(own, taught) {
      const [numbers, words] = [own.numbers.slice(0, own.first), own.words.slice(0, own.first)];
      this.own = { ...own, numbers, words, asked: -1, taught, place: -1, found: null };
      this.figure.model.set("hand", own.first - 1);
      this.on(MOST);
    }
    // What it was taught comes first; where that fails, it stays as it was, and so does the text.
    async fetch() {
      if (this.fetching) return;
      this.fetching = true;
      this.note("What it was taught is being fetched ...");
      const why = await this.model.teach().then(
        () => "",
        (error) => error.message,
      );
      this.fetching = false;
      this.note(why);
      if (why) this.figure.put({ taught: 0 });
      else this.figure.redraw();
    }
    // What the other model gives the first piece of the same answer, as far as that is known.
    get others() {
      const [{ own, hand, given }, { asked, taught }] = [this, this.figure.state()];
      if (own && own.asked < 0) return this.firsts.get(`${taught ? 0 : 1} ${own.numbers.slice(0, hand + 1)}`) ?? null;
      const other = (taught ? given.recorded : given.told)[asked];
      return other?.first === hand + 1 ? other.likeliest[0] : null;
    }
    async reframe(question) {
      if (await this.ask(question, null)) this.go(this.hand);
    }
    // A question, within the template's marks or alone.
    ask(question, before) {
      const [opening, intro, after, between] = this.given.frame;
      if (!this.figure.get("template"))
        return this.begin([[question, false]], null, { question, framed: false, asked: -1 });
      const text = before?.words.join("") ?? "";
      if (text === intro) return this.ask(question, null); // a new chat, where nothing stands before it
      let k = between.length; // so much of what closes an answer stands there already
      while (!text.endsWith(between.slice(0, k))) k--;
      /** @type {[string, boolean][]} */
      const parts = [
        [before ? between.slice(k) + intro : opening + intro, true],
        [question, false],
        [after, true],
      ];
      return this.begin(parts, before, { question, framed: true, asked: -1 });
    }
    // A text of the reader's own, in parts, each with its marks or without; false, and nothing is changed, if it is too long.
    async begin(parts, before, about) {
      const mine = this.start();
      /** @type {ChatPieces[]} */
      const cut = before ? [before] : [];
      this.cutting = mine;
      for (const [text, marks] of parts) cut.push(await this.model.cut(text, marks));
      const [numbers, words] = [cut.flatMap((one) => one.numbers), cut.flatMap((one) => one.words)];
      if (mine !== this.turn) return false;
      this.cutting = -1;
      if (this.full(numbers.length + 1)) {
        if (this.own) this.own.framed = about.framed; // as far as that goes
        this.end(mine);
        return false;
      }
      this.own = { numbers, words, ...about, taught: this.share, first: numbers.length, place: -1, found: null };
      this.editing = false;
      this.show(numbers.length - 1);
      return true;
    }
    forget() {
      this.halt();
      this.own = null;
      leave(null);
      this.editing = false;
      this.note("");
    }
  }

  // ---- the parts

  // The text: each piece shaded by the weight that it gets from the one in hand, which is framed. Arrow keys lead from piece
  // to piece; the box is one stop of the tab key.
  function textBox(run) {
    const label = "The text in pieces: a pressed one is in hand";
    const box = h("div", { class: "ak-box", role: "group", "aria-label": label, translate: "no" });
    /** @type {{ word: string, button: HTMLButtonElement, line: HTMLElement, nodes: Element[] }[]} */
    const made = [];
    // What goes on with a word, or ends it, stays on its line.
    function piece(word) {
      const button = attnkit.button(visible(word), () => run.press(made.findIndex((one) => one.button === button)), {
        class: isMark(word) ? "ak-piece ak-mark" : "ak-piece",
        "aria-label": visible(word) ? null : spelled(word),
      });
      const before = made[made.length - 1]?.line;
      const marked = isMark(word) || isMark(made[made.length - 1]?.word ?? "");
      const joined = before && before.childElementCount < JOINED && !marked && /^\S/.test(word);
      const line = joined ? before : h("span", { class: "ak-together" });
      const nodes = /\n/.test(word) ? [button, h("br")] : [button];
      line.append(...nodes);
      made.push({ word, button, line, nodes });
    }
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
    function inSight(button) {
      const [inner, outer] = [button.getBoundingClientRect(), box.getBoundingClientRect()];
      if (inner.bottom > outer.bottom - 4) box.scrollTop += inner.bottom - outer.bottom + 12;
      if (inner.top < outer.top) box.scrollTop += inner.top - outer.top - 12;
    }
    function show(words, hand, row) {
      let same = 0;
      while (same < words.length && made[same]?.word === words[same]) same++;
      const gone = made.splice(same);
      for (const { line, nodes } of gone)
        for (const node of line === made[same - 1]?.line ? nodes : [line]) node.remove();
      words.slice(same).forEach(piece);
      made.forEach(({ button }, k) => {
        attnkit.paint(button, k <= hand ? Math.round(100 * (row?.[k] ?? 0)) / 100 : 0, 1, "weight");
        attr(button, "aria-pressed", String(k === hand));
        attr(button, "tabindex", k === hand ? 0 : -1);
        attr(button, "data-later", String(k > hand));
        attr(button, "aria-disabled", String(k < run.first));
      });
      box.append(...new Set(made.slice(same).flatMap(({ line }) => (line.parentNode ? [] : [line])))); // at once
      requestAnimationFrame(() => inSight(made[run.hand].button)); // at first it stands in no page yet
    }
    return { element: box, show };
  }

  // The likeliest next pieces, to be taken; a blank is seen here: with it a piece is another one.
  function nextPieces(run) {
    /** @type {Next[]} */
    let likeliest = [];
    const list = attnkit.wordBars(SHOWN, (k) => likeliest[k] && run.take(likeliest[k]));
    attr(list.element, "aria-label", "Pieces to take, with their chances");
    // Beside each chance stands the one that the other model gives the same piece, as far as that is known.
    function show(found, next, { temperature, taught }, others) {
      const chances = chancesAt(found, temperature);
      attnkit.style(list.element, "opacity", found.length ? "" : "0.4"); // being read
      likeliest = found.slice(0, SHOWN);
      if (!found.length) return;
      /** @type {[string, number][]} */
      const words = likeliest.map(([, word], k) => [spelled(word.replace(/ /g, "␣")), chances[k]]);
      list.show(words, { drawn: next ? likeliest.indexOf(next) : -1, digits: 3 });
      if (others && temperature === 0)
        likeliest.forEach(([number], k) => {
          const other = others.find(([one]) => one === number)?.[2] ?? 0;
          write(list.numbers[k], `${fixed(chances[k], 3)}, ${taught ? "it was" : "taught"} ${fixed(other, 3)}`);
        });
      likeliest.forEach((one, k) => {
        attr(list.bars[k], "aria-disabled", String(run.editing || (!run.own && one !== next)));
        list.bars[k].classList.toggle("ak-of-mark", isMark(one[1]));
      });
    }
    return { element: list.element, show };
  }

  // ---- the controls

  // What a reader types, and the whole text, which can be edited with its marks.
  function typing(given, run, note) {
    const hint = { placeholder: "Ask something", "aria-label": "Your question" };
    const input = h("input", { type: "text", autocomplete: "off", ...hint });
    async function ask(event) {
      event.preventDefault();
      const [text, { own }] = [input.value.trim(), run];
      if (run.editing || !text) return note(run.editing ? EDITED : "Type something first.");
      if (!(await run.ask(text, own && own.asked < 0 ? own : null))) return;
      input.value = "";
      run.on(MOST);
    }
    const send = h("button", { type: "submit", class: "ak-primary" }, "Ask");
    const anew = attnkit.button("New chat", async () => {
      input.focus();
      const about = { question: "", framed: true, asked: -1 };
      if (await run.begin([[given.frame[0] || given.frame[1], true]], null, about)) run.go(run.hand);
    });
    const element = h("form", { class: "ak-buttons", onsubmit: ask }, input, send, anew);
    return { element, clear: () => (input.value = ""), show: () => attr(send, "aria-disabled", String(run.editing)) };
  }

  function editing(figure, run, note) {
    const area = h("textarea", { spellcheck: "false", "aria-label": "The whole text, marks and all" });
    const done = attnkit.button("Read it", async () => {
      if (!area.value) return note("Type something first.");
      if (!(await run.begin([[area.value, true]], null, { question: "", framed: true, asked: -1 }))) return;
      open.focus();
      run.go(run.hand);
    });
    const cancel = attnkit.button("Leave it", () => {
      run.editing = false;
      note("");
      figure.redraw();
      open.focus();
    });
    const element = h("div", { class: "ak-edit" }, area, attnkit.row(done, cancel));
    const open = attnkit.button("Edit the text", () => {
      run.halt();
      if (!run.editing) area.value = run.text.words.join("");
      run.editing = true;
      figure.redraw();
      area.focus();
    });
    return { element, open, show: () => (element.hidden = !run.editing) };
  }

  function settings(figure) {
    const heat = figure.temperature("piece");
    const frame = figure.choice({ label: "template", values: [true, false], words: ["on", "off"], trait: "template" });
    const field = figure.seedField(SEEDS, (number) => figure.put({ seed: number }));
    const seed = h("label", { class: "ak-buttons" }, "seed", field);
    return h("div", { class: "ak-settings" }, heat, seed, frame);
  }

  function buttons(figure, given, run, typed) {
    const on = (most) => (run.barred() ? run.note(run.barred()) : run.on(most));
    const writing = attnkit.button("Write", () => (run.busy ? run.stop() : on(MOST)));
    const step = attnkit.button("Step", () => on(1));
    const back = attnkit.button("Back", () => run.press(run.hand - 1));
    const reset = figure.reset(() => {
      run.much = 1;
      run.forget();
      typed.clear();
    });
    const questions = given.recorded.map(({ question }) => question);
    const choice = attnkit.choice("recorded", questions, (asked) => {
      run.forget();
      figure.stale = true;
      const { taught } = figure.state();
      figure.put({ asked, hand: (taught ? given.told : given.recorded)[asked].words.length - 1 });
    });
    const which = figure.choice({
      label: "model",
      values: [0, 1],
      words: ["as it was", "taught"],
      trait: "taught",
      write(taught, { asked }) {
        if (run.own?.asked !== -1) figure.stale = true;
        return { taught, hand: (taught ? given.told : given.recorded)[asked].words.length - 1 };
      },
    });
    which.element.hidden = !given.told.length;
    const much = attnkit.slider({
      ...{ name: "how much of it", min: 0.25, max: 1.5, step: 0.25, digits: 2 },
      onInput(value) {
        run.much = value;
        figure.stale = true;
        figure.put({ taught: 1 });
      },
    });
    const examples = figure.follow(choice, { read: ({ asked }) => (run.own ? run.own.asked : asked) });
    const element = h("div", { class: "ak-buttons ak-moves" }, writing, step, back, typed.edit.open, reset);
    function show() {
      much.element.hidden = !run.share || run.model.live || !run.model.ready();
      much.show(run.much, figure.state());
      write(writing, run.busy ? "Stop" : "Write");
      for (const button of [writing, step]) attr(button, "aria-disabled", String(!run.busy && run.barred() !== ""));
      attr(back, "aria-disabled", String(run.editing || run.hand <= run.first));
    }
    return { element, examples, which, much, show };
  }

  // What is taken next, and what is kept.
  function nextLine({ temperature, seed }, { kept, ends }, run) {
    const [next, n] = [run.next(), run.hand + 1];
    const memory = `${n} pieces are kept: ${fixed((n * kept) / 1e6, 1)} MB of keys and values.`;
    if (!run.own) {
      const whole = ends.includes(run.now().likeliest[0][1]); // which is not recorded
      const end = whole ? "The answer ends here." : "The recording stops here; the model goes on.";
      return `${next ? `It went on with ${said(next[1])}.` : end} ${memory}`;
    }
    if (!next) return memory;
    return `${temperature === 0 ? "" : `With seed ${seed}, `}${said(next[1])} would be taken next. ${memory}`;
  }
  function sentence({ head }, { heads }, { model, text: { words }, hand }, row) {
    const name = named(head, heads);
    if (!row) return model.ready() ? "" : `Where ${name} looks is not recorded: load the model to see it.`;
    const best = row.map((_, k) => k).sort((a, b) => row[b] - row[a]);
    const seen = best.slice(0, TOLD).filter((k) => row[k] >= 0.005);
    const told = seen.map((k) => `${said(words[k])} ${fixed(row[k])}`);
    return `In ${name}, ${said(words[hand])} looks at ${told.join(", ")}.`;
  }

  // What needs the model: its button first, then what a reader types and sets.
  function own(figure, given, run, note) {
    const [field, edit] = [typing(given, run, note), editing(figure, run, note)];
    const loader = attnkit.loader(figure, attnkit.chat, SIZE, field.element);
    const more = settings(figure);
    loader.element.hidden = run.model.live && !given.asks;
    const unwatch = attnkit.chat.watch(() => {
      if (attnkit.chat.status.state === "failed") run.halt();
      if (run.own && run.model.ready() && !run.busy) run.go(run.hand);
      else figure.redraw();
    });
    function show() {
      edit.open.hidden = more.hidden = !run.model.ready();
      field.show();
      edit.show();
    }
    function stop() {
      loader.stop();
      unwatch();
    }
    return { element: loader.element, edit, more, clear: field.clear, show, stop };
  }

  function build(figure) {
    const given = figure.given("recorded", "layers", "heads", "kinds", "frame", "ends", "kept", "asks", "told");
    const words = h("p", { class: "ak-small ak-note", "aria-live": "polite" });
    const note = (text) => write(words, text);
    const run = new Session(figure, given, note);
    const typed = own(figure, given, run, note);
    const [text, next] = [textBox(run), nextPieces(run)];
    const grid = given.kinds.length ? attnkit.chat.grid(figure, choose) : null; // a page that does not ask where it looks
    function choose(head) {
      figure.put({ head });
      if (run.model.ready()) return;
      note(run.now().row(head) ? "" : `Where ${named(head, given.heads)} looks needs the model: load it first.`);
    }
    const moves = buttons(figure, given, run, typed);
    const line = h("p", { class: "ak-small ak-line" });
    const aloud = h("p", { class: "ak-unseen", "aria-live": "polite" });
    const title = h("p", { class: "ak-title" });
    function update(state) {
      run.wake();
      const [told, hand, { likeliest, row }] = [run.text, run.hand, run.now()];
      const weights = row(state.head);
      text.show(told.words, hand, weights);
      next.show(likeliest, run.next(), state, run.others);
      grid?.show(state, [state.head], run.model.ready() ? null : (head) => row(head) !== null);
      moves.show();
      typed.show();
      const heat = state.temperature === 0 ? "" : ` at temperature ${fixed(state.temperature)}`;
      write(title, heat ? `What comes next${heat}: press one` : "What comes next: press a piece to take it");
      write(line, nextLine(state, given, run));
      write(aloud, run.wrote && `It wrote: ${run.wrote}`);
      const quiet = !grid || (run.busy && run.left > 0); // of the last text nothing is said
      figure.say(quiet ? "" : sentence(state, given, run, weights));
    }
    const talk = [moves.examples, attnkit.row(moves.which, moves.much), text, typed.edit, typed, words, moves];
    const left = h("div", {}, talk, title, next, line, aloud, figure.live);
    function stop() {
      run.halt();
      typed.stop();
    }
    return { parts: [h("div", { class: grid ? "ak-both" : "" }, left, grid), typed.more], update, stop };
  }

  attnkit.register("chat", { label: "A chat with a model", wide: true, compute, build });
})(globalThis.attnkit);
