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
    cast = [];
    place = {}; // of each
    paid = {}; // the amounts that each was paid
    left = 0; // coins
    ended = false;
    thing; // that was found,
    holder; // who has it now,
    source; // and who gave it to them
    keeper; // of the coins
    subject; // who acted last
    gift; // who gave in the last sentence, and to whom
    named; // the place named last
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
      this.subject = still ? undefined : (actor ?? (form === "thanks" ? bound.NAME : bound.KEEPER));
      this.gift = ["gift", "return", "payment"].includes(form) ? [actor, receiver] : undefined;
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
    scene = new Scene();
    words = [];
    constructor(random) {
      this.one = (items) => items[Math.floor(random() * items.length)];
      this.maybe = (chance) => random() < chance;
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
        const then = slot === "ACTOR" && bound.ACTOR === this.scene.subject && this.maybe(0.75);
        said.push(...(then ? ["then", pronoun(bound.ACTOR, "he", "she")] : [bound[slot]]));
      }
      this.words.push(...said);
      this.scene.say(form, bound);
      return true;
    }
    // A sentence of one of these forms, with those who fit.
    some(forms) {
      const { subject } = this.scene;
      const wanted = subject && this.maybe(0.4) ? { ACTOR: subject } : {};
      const form = this.one(forms);
      return this.add(form, wanted) || this.add(form);
    }
    // Let the owner of something give it, having brought somebody to the place if nobody is there.
    give(owner, forms) {
      const { scene } = this;
      const may = () => forms.filter((form) => scene.actors(form).length);
      if (!may().length) {
        const other = this.one(scene.cast.filter((name) => name !== owner));
        const [who, to] = this.maybe(0.4) ? [owner, other] : [other, owner];
        const place = scene.place[to];
        if (scene.place[who] === place || !this.add("move", { ACTOR: who, PLACE: place })) return;
      }
      this.some(may().length ? may() : forms);
      if (scene.gift && this.maybe(0.3)) this.add("thanks");
    }
    gifts() {
      const asides = ["move", "move", "move", "walk", "sight", "dream"];
      if (this.maybe(0.3)) this.some(asides);
      this.add("finding");
      asides.push("holding", "standing");
      for (let left = this.maybe(0.4) ? 3 : 2; left > 0; left--) {
        if (this.maybe(0.25)) this.some(asides);
        this.give(this.scene.holder, ["gift", "return"]);
      }
      for (let left = this.one([0, 1, 2, 3]); left > 0; left--) this.some(asides);
      this.add("ending");
    }
    coins() {
      this.add("purse");
      for (let gift = 0; gift < 2; gift++) {
        if (this.maybe(0.4)) this.some(["sight", "dream"]);
        this.give(this.scene.keeper, ["payment"]);
        if (this.maybe(0.5)) this.add("rest");
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

  // What is wrong about the word in a slot; what is not listed is out of order.
  const KINDS = {
    ...{ SAME: "he or she", THING: "thing", RECEIVER: "receiver", GIVER: "thanked", COMPANY: "company" },
    ...{ KEEPER: "keeper", PAID: "paid", LEFT: "coins left", back: "back", gave: "giver", thanked: "thanked" },
    ...{ COIN: "grammar", NUMBER: "amount", PLACE: "already there" },
  };

  function kindOf(scene, { form, slot, bound }, word) {
    if (slot === "PLACE" && (form === "standing" || form === "ending"))
      return `place, ${word === scene.named ? "" : "not "}last named`;
    if (slot === "HOLDER") return form === "ending" ? "holder at the end" : "holder so far";
    if (slot === "GOT") return `coins of ${scene.paid[bound.PAID]?.length > 1 ? "two gifts" : "one gift"}`;
    return slot === "to" && bound.THING ? "back" : (KINDS[slot] ?? "order");
  }

  // The words that may come next in a sentence by all that was said; none if its next slot has no choice.
  function fit(scene, { form, pattern, bound }, place) {
    const slot = pattern[place];
    if (SLOTS[slot]) return scene[slot](form, bound);
    return slot === "." || fit(scene, { form, pattern, bound }, place + 1).length ? [slot] : [];
  }

  const isName = (word) => NAMES.includes(word);

  // The mistakes in a story, pairs of kind and place, in order; what no ending follows is unfinished. All sentences that the
  // words so far may become are alive: how far they go, what their slots hold, whether they contradict nothing.
  function errors(words) {
    const scene = new Scene();
    const found = [];
    const all = () => PATTERNS.map((one) => ({ ...one, bound: {}, fits: true }));
    let [alive, begin, right] = [all(), 0, true];
    words.forEach((word, k) => {
      const place = k - begin;
      const next = (one) => ({ slot: one.pattern[place], may: one.fits ? fit(scene, one, place) : [] });
      const open = alive.map((one) => ({ ...one, ...next(one) }));
      const known = open.filter(({ slot }) => (SLOTS[slot] ?? [slot]).includes(word));
      if (open.every(({ may }) => !may.includes(word)) && (right || open.some(({ may }) => may.length))) {
        const [one] = known;
        const stranger = SLOTS[one?.slot]?.every(isName) && !scene.cast.includes(word);
        found.push([stranger ? "stranger" : one ? kindOf(scene, one, one.may[0] ?? word) : "grammar", k]);
        right = false;
      }
      const still = known.some(({ may }) => may.includes(word));
      alive = known.map(({ form, pattern, bound, slot, may }) => ({
        ...{ form, pattern, fits: !still || may.includes(word) },
        bound: SLOTS[slot] ? { ...bound, [slot]: word } : bound,
      }));
      if (word !== ".") return;
      // What was said is so, if those of whom it was said are there.
      const said = alive.find(({ fits }) => fits);
      const there = ([slot, word]) => !SLOTS[slot].some(isName) || scene.cast.includes(scene.who(word));
      if (said && (said.form === "meeting" || Object.entries(said.bound).every(there)))
        scene.say(said.form, said.bound);
      [alive, begin, right] = [all(), k + 1, true];
    });
    if (!scene.ended || begin < words.length) found.push(["unfinished", words.length]);
    return found;
  }

  // What a worker gets: see `inWorker` in loading.js.
  attnkit.grammar = {
    ...{ list, WOMEN, MEN, DOGS, NAMES, PLACES, THINGS, NUMBERS, MOST, SENTENCES, SLOTS, PATTERNS, KINDS },
    ...{ pronoun, Scene, Writer, story, kindOf, fit, isName, errors },
  };
})(globalThis.attnkit);
