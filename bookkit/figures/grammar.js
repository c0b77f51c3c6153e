// Little stories about a woman, a man and a dog: the twin of bookkit/lessons/stories.py, which says more of them. It writes
// them, from the same random numbers word for word the same, and it finds every mistake in one. What a page trains with.
((attnkit) => {
  "use strict";

  const list = (text) => text.split(" ");
  const [WOMEN, MEN, DOGS] = [list("Ann Eva Mia Zoe"), list("Ben Max Sam Tom"), list("Bruno Rex Toby")];
  const NAMES = [...WOMEN, ...MEN, ...DOGS];
  const PLACES = list("castle forest garden kitchen market park school tower");
  const THINGS = list("ball bell boat book hat key kite ring");
  const NUMBERS = list("one two three four five six seven eight nine");
  const MOST = 4; // coins given at once

  // Every sentence there is. Words in capitals are slots; an ACTOR is a name, or "then" and the one who acted last.
  const SENTENCES = {
    meeting: "ONE and OTHER met DOG in the PLACE .",
    finding: "ACTOR found a THING .",
    gift: "ACTOR gave the THING to RECEIVER .",
    return: "ACTOR gave the THING back to RECEIVER .",
    thanks: "NAME thanked GIVER .",
    move: "ACTOR MOVED to the PLACE .",
    walk: "NAME and COMPANY MOVED to the PLACE .",
    sight: "ACTOR saw a SEEN .",
    dream: "ACTOR dreamed of the PLACE .",
    holding: "so the THING was with HOLDER .",
    standing: "so NAME was in the PLACE .",
    ending: "now the THING is with HOLDER in the PLACE .",
    purse: "KEEPER had NUMBER coins .",
    payment: "ACTOR gave NUMBER COIN to RECEIVER .",
    rest: "so KEEPER had LEFT COIN left .",
    count: "now KEEPER has LEFT COIN and PAID has GOT .",
  };
  // The words that may stand in a slot, whatever was said before.
  const SLOTS = {
    ...{ ACTOR: NAMES, NAME: NAMES, COMPANY: NAMES, GIVER: NAMES, HOLDER: NAMES, PAID: NAMES, DOG: DOGS },
    ...{ ONE: [...WOMEN, ...MEN], OTHER: [...WOMEN, ...MEN], KEEPER: [...WOMEN, ...MEN], THING: THINGS, SEEN: THINGS },
    ...{ NUMBER: NUMBERS, LEFT: NUMBERS, GOT: NUMBERS, PLACE: PLACES, COIN: ["coin", "coins"] },
    ...{ MOVED: ["ran", "walked", "went"], SAME: ["he", "she", ...DOGS], RECEIVER: ["him", "her", ...DOGS] },
  };
  const PATTERNS = Object.entries(SENTENCES).flatMap(([form, text]) => {
    const patterns = [text, text.replace("ACTOR", "then SAME")].slice(0, text.includes("ACTOR") ? 2 : 1);
    return patterns.map((pattern) => ({ form, pattern: list(pattern) }));
  });

  // The pronoun for a name, the first of two for men; dogs have none.
  const pronoun = (name, his, her) => (WOMEN.includes(name) ? her : MEN.includes(name) ? his : name);

  // What is known after some sentences: who is where, who holds what, and who acted last. A method that is called as a slot
  // gives the words that fit into it, after those in the slots before it, without contradicting what was said.
  class Scene {
    constructor() {
      this.cast = [];
      this.place = {};
      this.paid = {}; // the amounts that each was paid
      this.left = 0; // coins
      this.ended = false;
      this.thing = this.holder = this.source = null; // the source gave it to the holder
      this.keeper = this.subject = this.gift = this.named = null;
    }
    beside(name) {
      return this.cast.filter((other) => other !== name && this.place[other] === this.place[name]);
    }
    // Who is beside somebody, and may get the thing: the one who gave it gets it back.
    receivers(name, form) {
      return this.beside(name).filter((one) => form === "payment" || (one === this.source) === (form === "return"));
    }
    // Who may do what a sentence says.
    actors(form) {
      if (this.ended) return [];
      if (form === "gift" || form === "return")
        return this.holder && this.receivers(this.holder, form).length ? [this.holder] : [];
      if (form === "payment") return this.left > 1 && this.beside(this.keeper).length ? [this.keeper] : [];
      return form === "finding" && (this.thing || this.keeper) ? [] : this.cast;
    }
    // The name that a pronoun or a name stands for, and that of who acts.
    who(word) {
      if (!["he", "him", "she", "her"].includes(word)) return word;
      return this.cast.find((name) => (word[0] === "s" || word === "her" ? WOMEN : MEN).includes(name));
    }
    actor({ SAME, ACTOR }) {
      return SAME ? this.who(SAME) : ACTOR;
    }

    ACTOR = (form) => this.actors(form);
    SAME = (form) => (this.actors(form).includes(this.subject) ? [pronoun(this.subject, "he", "she")] : []);
    ONE = () => (this.cast.length ? [] : [...WOMEN, ...MEN]);
    OTHER = (_, { ONE }) => (WOMEN.includes(ONE) ? MEN : WOMEN);
    DOG = () => DOGS;
    MOVED = () => SLOTS.MOVED;
    COMPANY = (_, { NAME }) => this.beside(NAME);
    GIVER = () => (this.gift ? [this.gift[0]] : []);
    SEEN = () => THINGS.filter((thing) => thing !== this.thing);
    HOLDER = () => [this.holder];
    COIN = (_, { NUMBER, LEFT }) => [NUMBER === "one" || LEFT === "one" ? "coin" : "coins"];
    LEFT = () => (this.left > 0 ? [NUMBERS[this.left - 1]] : []);
    PAID = () => Object.keys(this.paid);
    GOT = (_, { PAID }) => {
      const sum = this.paid[PAID]?.reduce((all, amount) => all + amount) ?? 0;
      return [NUMBERS[Math.min(sum, NUMBERS.length) - 1]];
    };
    NAME(form) {
      if (this.ended) return [];
      if (form === "thanks") return this.gift ? [this.gift[1]] : [];
      return this.cast.filter((name) => form !== "walk" || this.beside(name).length);
    }
    PLACE(form, bound) {
      if (form === "meeting") return PLACES;
      const where = this.place[this.actor(bound) ?? bound.NAME ?? bound.HOLDER];
      if (form === "standing" || form === "ending") return where ? [where] : [];
      return PLACES.filter((place) => place !== where);
    }
    THING(form) {
      if (form === "finding") return THINGS;
      return this.thing && !this.ended ? [this.thing] : [];
    }
    RECEIVER(form, bound) {
      return this.receivers(this.actor(bound), form).map((name) => pronoun(name, "him", "her"));
    }
    KEEPER(form) {
      if (form === "purse") return this.thing || this.keeper || this.ended ? [] : this.cast.slice(0, 2);
      return Object.keys(this.paid).length && !this.ended ? [this.keeper] : [];
    }
    NUMBER(form) {
      return form === "purse" ? NUMBERS.slice(4) : NUMBERS.slice(0, Math.min(Math.max(this.left - 1, 0), MOST));
    }

    // Let a whole sentence have been said.
    say(form, bound) {
      const [actor, receiver] = [this.actor(bound), this.who(bound.RECEIVER)];
      const number = NUMBERS.indexOf(bound.NUMBER) + 1;
      const still = ["holding", "standing", "rest", "walk"].includes(form);
      this.subject = still ? null : (actor ?? (form === "thanks" ? bound.NAME : bound.KEEPER));
      this.gift = ["gift", "return", "payment"].includes(form) ? [actor, receiver] : null;
      this.named = bound.PLACE ?? this.named;
      if (form === "meeting") [this.cast, this.place] = [[bound.ONE, bound.OTHER, bound.DOG], {}];
      const moved = { meeting: this.cast, move: [actor], walk: [bound.NAME, bound.COMPANY] }[form] ?? [];
      for (const name of moved) this.place[name] = bound.PLACE;
      if (form === "finding") [this.thing, this.holder] = [bound.THING, actor];
      if (form === "gift" || form === "return") [this.holder, this.source] = [receiver, actor];
      if (form === "purse") [this.keeper, this.left] = [bound.KEEPER, number];
      if (form === "payment") {
        this.left -= number;
        this.paid[receiver] = [...(this.paid[receiver] ?? []), number];
      }
      this.ended = form === "ending" || form === "count";
    }
  }

  // ---- writing

  // One story as it is written; `random` gives numbers between 0 and 1.
  class Writer {
    constructor(random) {
      this.scene = new Scene();
      this.words = [];
      this.random = random;
    }
    one(items) {
      return items[Math.floor(this.random() * items.length)];
    }
    // Write a sentence, free slots at random; whether it could be said.
    add(form, wanted = {}) {
      const said = [];
      const bound = {};
      for (const slot of list(SENTENCES[form])) {
        if (!SLOTS[slot]) {
          said.push(slot);
          continue;
        }
        const fit = this.scene[slot](form, bound).filter((word) => word === (wanted[slot] ?? word));
        if (!fit.length) return false;
        bound[slot] = this.one(fit);
        const then = slot === "ACTOR" && bound.ACTOR === this.scene.subject && this.random() < 0.75;
        said.push(...(then ? ["then", pronoun(bound.ACTOR, "he", "she")] : [bound[slot]]));
      }
      this.words.push(...said);
      this.scene.say(form, bound);
      return true;
    }
    // A sentence of one of these forms, with those who fit.
    some(forms) {
      const { subject } = this.scene;
      const wanted = subject && this.random() < 0.4 ? { ACTOR: subject } : {};
      const form = this.one(forms);
      return this.add(form, wanted) || this.add(form);
    }
    // Let the owner of something give it, having brought somebody to the place if nobody is there.
    give(owner, forms) {
      const { scene } = this;
      const may = () => forms.filter((form) => scene.actors(form).length);
      if (!may().length) {
        const other = this.one(scene.cast.filter((name) => name !== owner));
        const [who, to] = this.random() < 0.4 ? [owner, other] : [other, owner];
        const [from, place] = [scene.place[who], scene.place[to]];
        if (from === place || !this.add("move", { ACTOR: who, PLACE: place })) return;
      }
      this.some(may().length ? may() : forms);
      if (scene.gift && this.random() < 0.3) this.add("thanks");
    }
    gifts() {
      const asides = ["move", "move", "move", "walk", "sight", "dream"];
      if (this.random() < 0.3) this.some(asides);
      this.add("finding");
      asides.push("holding", "standing");
      for (let left = this.random() < 0.4 ? 3 : 2; left > 0; left--) {
        if (this.random() < 0.25) this.some(asides);
        this.give(this.scene.holder, ["gift", "return"]);
      }
      for (let left = Math.floor(this.random() * 4); left > 0; left--) this.some(asides);
      this.add("ending");
    }
    coins() {
      this.add("purse");
      for (let gift = 0; gift < 2; gift++) {
        if (this.random() < 0.4) this.some(["sight", "dream"]);
        this.give(this.scene.keeper, ["payment"]);
        if (this.random() < 0.5) this.add("rest");
      }
      this.add("count");
    }
  }

  // One story, a list of 32 to 60 words.
  function story(random) {
    const kind = random() < 0.2 ? "coins" : "gifts";
    for (;;) {
      const writer = new Writer(random);
      writer.add("meeting");
      writer[kind]();
      if (writer.words.length >= 32 && writer.words.length <= 60) return writer.words;
    }
  }

  // ---- reading

  // What the word in a slot tells, and what is wrong about one that tells nothing; "order" if it is in neither.
  const KINDS = {
    ...{ SAME: "he or she", THING: "thing", RECEIVER: "receiver", GIVER: "thanked", COMPANY: "company" },
    ...{ KEEPER: "keeper", PAID: "paid", LEFT: "coins left", back: "back" },
  };
  const MISTAKES = { gave: "giver", thanked: "thanked", COIN: "grammar", NUMBER: "amount", PLACE: "already there" };

  function kindOf(scene, form, slot, word, bound) {
    if (slot === "PLACE" && (form === "standing" || form === "ending"))
      return `place, ${word === scene.named ? "" : "not "}last named`;
    if (slot === "HOLDER") return form === "ending" ? "holder at the end" : "holder so far";
    if (slot === "GOT") return `coins of ${scene.paid[bound.PAID]?.length > 1 ? "two gifts" : "one gift"}`;
    return slot === "to" && bound.THING ? "back" : KINDS[slot];
  }

  // Goes through a story word by word, with all sentences that the words so far may become.
  class Reader {
    constructor() {
      this.scene = new Scene();
      this.errors = [];
      this.count = this.place = 0; // of the next word, in the story and in its sentence
      this.right = true;
      this.alive = [];
      this.begin();
    }
    // Expect a sentence: the patterns that go on, what their slots hold, whether they contradict nothing.
    begin() {
      this.place = 0;
      this.right = true;
      this.alive = PATTERNS.map((one) => ({ ...one, bound: {}, fits: true }));
    }
    // The words that may come next in a pattern by all that was said; none if its next slot has no choice.
    fit({ form, pattern, bound }, place = this.place) {
      const slot = pattern[place];
      if (SLOTS[slot]) return this.scene[slot](form, bound);
      return slot === "." || this.fit({ form, pattern, bound }, place + 1).length ? [slot] : [];
    }
    read(word) {
      const slotOf = ({ pattern }) => pattern[this.place];
      const open = this.alive.map((one) => ({ ...one, slot: slotOf(one), may: one.fits ? this.fit(one) : [] }));
      const known = open.filter(({ slot }) => (SLOTS[slot] ?? [slot]).includes(word));
      const right = open.some(({ may }) => may.includes(word));
      if (!right && (this.right || open.some(({ may }) => may.length))) this.mistake(word, known[0]);
      const alive = known.map(({ form, pattern, bound, may, slot }) => {
        const now = SLOTS[slot] ? { ...bound, [slot]: word } : bound;
        return { form, pattern, bound: now, fits: may.includes(word) };
      });
      this.alive = alive.some(({ fits }) => fits) ? alive : alive.map((one) => ({ ...one, fits: true }));
      this.count++;
      this.place++;
      if (word === ".") this.end();
    }
    // Write down what is wrong about a word.
    mistake(word, known) {
      const { form, slot, may, bound } = known ?? {};
      this.right = false;
      let kind = known ? kindOf(this.scene, form, slot, may[0] ?? word, bound) : "grammar";
      if (SLOTS[slot]?.every((one) => NAMES.includes(one)) && !this.scene.cast.includes(word)) kind = "stranger";
      this.errors.push([kind ?? MISTAKES[slot] ?? "order", this.count]);
    }
    // Past a full stop: what was said is so, if those of whom it was said are there.
    end() {
      const said = this.alive.find(({ fits }) => fits);
      if (said) {
        const slots = Object.keys(said.bound).filter((slot) => SLOTS[slot].some((one) => NAMES.includes(one)));
        const there = slots.every((slot) => this.scene.cast.includes(this.scene.who(said.bound[slot])));
        if (said.form === "meeting" || there) this.scene.say(said.form, said.bound);
      }
      this.begin();
    }
  }

  // The mistakes in a story, pairs of kind and place, in order; what no ending follows is unfinished.
  function errors(words) {
    const reader = new Reader();
    for (const word of words) reader.read(word);
    if (!reader.scene.ended || reader.place) reader.errors.push(["unfinished", words.length]);
    return reader.errors;
  }

  // What a worker gets: see `inWorker` in loading.js.
  attnkit.grammar = {
    ...{ list, WOMEN, MEN, DOGS, NAMES, PLACES, THINGS, NUMBERS, MOST, SENTENCES, SLOTS, PATTERNS, KINDS, MISTAKES },
    ...{ pronoun, kindOf, Scene, Writer, Reader, story, errors },
  };
})(globalThis.attnkit);
