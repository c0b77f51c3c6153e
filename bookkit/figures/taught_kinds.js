// A pretrained model taught a task of the reader's own: a few examples of each kind, one matrix, a sentence to be judged.
((attnkit) => {
  "use strict";
  const { h, fixed, quoted, attr } = attnkit;

  /** @typedef {{ examples: string[], name: string }} OneKind */
  /** @typedef {{ kinds: OneKind[], sentence: string }} State */
  /** @typedef {{ sentences: string[], known: Record<string, number[]>, reads: boolean }} Given */
  /** @typedef {Figure<State, Given>} Owner */
  /** @typedef {Map<string, number[]>} Known vectors of texts, in thousandths */
  /** @typedef {ReturnType<typeof learn>} Learned */

  const SIZE = 26; // megabytes of the model, as tests/test_real_model_on_the_page.py finds them
  const [FEW, MANY, EXAMPLES] = [2, 8, 4]; // kinds, from and to; examples of one, at most
  const [LETTERS, TOLD] = [120, 40]; // of a text, and of one that is told
  const [STEPS, RATE, SHARP, FINE] = [100, 10, 3, 1000]; // as in Python
  const REST = 300; // milliseconds after which what is typed is taken over
  const KEY = "attention-step-by-step/taught-kinds"; // what a reader has made is kept under it

  // ---- the arithmetic, compared with TaughtKinds by tests/figures/

  // Four numbers at a time, for the hundred steps are walked while a reader types.
  function dot(a, b) {
    let [sum, k] = [0, 0];
    for (; k + 3 < a.length; k += 4)
      sum += a[k] * b[k] + a[k + 1] * b[k + 1] + a[k + 2] * b[k + 2] + a[k + 3] * b[k + 3];
    for (; k < a.length; k++) sum += a[k] * b[k];
    return sum;
  }

  // The twin of `taught`. Each step adds to a column of the matrix the vectors of the examples, each so many times: it is
  // enough to count how many times, and to know the products of the vectors with one another.
  function taught(products, places, count) {
    const times = Array.from({ length: count }, () => places.map(() => 0));
    for (let step = 0; step < STEPS; step++) {
      const weights = products.map((row) => attnkit.softmax(times.map((column) => dot(column, row))));
      for (let i = 0; i < places.length; i++)
        for (let k = 0; k < count; k++)
          times[k][i] += (RATE * (Number(places[i] === k) - weights[i][k])) / places.length;
    }
    return times;
  }

  // The products of one vector with some others.
  const productsOf = (a, vectors) => vectors.map((b) => dot(a, b) / FINE ** 2);

  // The examples of the kinds that have some.
  const examplesOf = (kinds) => kinds.map(({ examples }) => examples.filter(Boolean)).filter(({ length }) => length);
  function learn(examples, known) {
    const vectors = examples.flat().map((text) => known.get(text) ?? []);
    const products = vectors.map((a) => productsOf(a, vectors));
    const places = examples.flatMap((texts, place) => texts.map(() => place));
    return { vectors, times: taught(products, places, examples.length) };
  }
  // The weight of each kind for a sentence.
  /** @param {Learned} learned @param {State} state @param {Known} known */
  function weigh({ vectors, times }, { kinds, sentence }, known) {
    const products = productsOf(known.get(sentence) ?? [], vectors);
    const found = attnkit.softmax(times.map((column) => SHARP * dot(column, products)));
    let place = 0;
    return kinds.map(({ examples }) => (examples.some(Boolean) ? found[place++] : 0));
  }

  // The texts whose vectors are not known, the sentence first.
  /** @param {State} state @param {Known} known */
  const unknown = ({ kinds, sentence }, known) =>
    [...new Set([sentence, ...kinds.flatMap(({ examples }) => examples)])].filter((text) => text && !known.has(text));

  /** @param {State & Pick<Given, "known">} state */
  function compute({ known: given, ...state }) {
    const known = new Map(Object.entries(given));
    const missing = unknown(state, known);
    const judged = state.sentence && !missing.length;
    const weights = judged ? weigh(learn(examplesOf(state.kinds), known), state, known) : null;
    return { weights, told: told(state, missing, weights) };
  }

  // ---- in words, as in Python

  function short(text) {
    const letters = [...text];
    const start = letters.slice(0, TOLD - 1).join("");
    return letters.length <= TOLD ? text : `${start.trimEnd()}…`;
  }
  function told({ kinds }, missing, weights) {
    const more = missing.length > 1 ? ` and ${missing.length - 1} more` : "";
    if (missing.length) return `The model must be loaded to read: ${quoted(short(missing[0]))}${more}.`;
    if (!weights) return "There is no sentence to judge: type one.";
    const empty = kinds.flatMap(({ examples }, k) => (examples.some(Boolean) ? [] : [k]));
    const best = attnkit.ranked(weights, empty).map((k) => [short(kinds[k].name), fixed(weights[k])]);
    if (!best.length) return "No kind has an example: there is nothing to learn from.";
    const [[first, most], [second, next] = ["", "0.00"]] = best;
    return `${first} gets the most weight, ${most}${next === "0.00" ? "" : `; then ${second}, ${next}`}.`;
  }

  // ---- what is kept in the browser, where it lets a page keep something

  /** @returns {State | null} */
  function recall() {
    try {
      return JSON.parse(localStorage.getItem(KEY) ?? "null");
    } catch {
      return null;
    }
  }
  function keep(state, first) {
    const text = JSON.stringify(state);
    try {
      if (text === JSON.stringify(first)) localStorage.removeItem(KEY);
      else localStorage.setItem(KEY, text);
    } catch {}
  }

  // ---- the parts

  // A line to type in.
  function field(label, props) {
    const look = { rows: 1, maxlength: LETTERS, spellcheck: "false", autocomplete: "off", "aria-label": label || null };
    const area = h("textarea", { ...look, ...props });
    return {
      element: area,
      typed: () => area.value.replace(/\s+/g, " ").trim(),
      show(text) {
        if (document.activeElement !== area && area.value !== text) area.value = text;
      },
    };
  }

  // One kind: its name, its weight, its examples.
  function card(k, remove) {
    const name = field(`Name of kind ${k + 1}`, { class: "ak-title" });
    const cross = attnkit.button("×", remove, { class: "ak-cross" });
    const examples = Array.from({ length: EXAMPLES }, () => field("", { placeholder: "Type an example" }));
    const bar = attnkit.gauge();
    const none = h("span", { class: "ak-none" }, "no example, no weight");
    bar.element.append(none);
    const element = h("div", { role: "group" }, h("div", { class: "ak-head" }, name, cross), bar, examples);
    function show(kind, weight, top) {
      const { name: title, examples: texts } = kind ?? { name: "", examples: [] };
      element.toggleAttribute("hidden", !kind);
      attr(element, "class", top ? "ak-kind ak-top" : "ak-kind");
      attr(element, "aria-label", title);
      attr(cross, "aria-label", `Remove ${title}`);
      name.show(title);
      examples.forEach((example, j) => {
        example.element.toggleAttribute("hidden", j >= texts.length);
        attr(example.element, "aria-label", `Example ${j + 1} of ${title}`);
        example.show(texts[j] ?? "");
      });
      none.toggleAttribute("hidden", texts.some(Boolean));
      bar.show(weight ?? 0, weight === undefined ? "–" : fixed(weight));
    }
    return { element, name, cross, show, typed: () => examples.map((example) => example.typed()) };
  }

  // The vectors of texts: those that came along, and those that the page has read, or a kernel.
  function library(figure, live) {
    const { minilm } = attnkit;
    let [busy, problem] = [false, ""];
    const known = new Map(Object.entries(figure.get("known")));
    function hear() {
      for (const [text, vector] of Object.entries(figure.get("known"))) known.set(text, vector);
      figure.redraw();
    }
    async function read(texts) {
      busy = true;
      try {
        for (const text of texts) {
          const { vector } = await minilm.read(text);
          const rounded = Array.from(vector, (v) => Math.round(FINE * v));
          known.set(text, rounded);
        }
      } catch (error) {
        problem = `The model could not read it: ${error instanceof Error ? error.message : error}`;
      }
      busy = false;
      figure.redraw();
    }
    // Whether what is missing is on its way; it is asked for, if it can be.
    function wait(missing) {
      const ready = minilm.status.state === "ready";
      busy &&= ready; // a model that has ended does not answer
      if (!live && ready && !busy && !problem && missing.length) read(missing);
      return missing.length > 0 && (live ? figure.get("reads") : busy);
    }
    return { known, hear, wait, problem: () => problem, forgive: () => (problem = "") };
  }

  // What is typed is taken over when the hand rests, presses Enter or leaves.
  function typing(figure, typed) {
    let timer = 0;
    function forget() {
      clearTimeout(timer);
      timer = 0;
    }
    function take() {
      if (timer) figure.put(typed());
      forget();
      figure.redraw(); // in a field that is left stands what was taken over
    }
    function oninput() {
      forget();
      timer = setTimeout(take, REST);
    }
    return { forget, take, props: { oninput, onfocusout: take } };
  }

  // The kinds, and what changes them.
  function kindSheet(figure, sentence, forgive) {
    let clash = "";
    function leave() {
      const held = document.activeElement;
      if (held instanceof HTMLTextAreaElement && figure.element.contains(held)) held.blur(); // and is taken over
      clash = "";
      forgive();
    }
    const cards = Array.from({ length: MANY }, (_, k) => {
      const made = card(k, () => {
        leave();
        figure.put({ kinds: figure.get("kinds").toSpliced(k, 1) });
        if (!made.cross.getClientRects().length) add.focus();
      });
      return made;
    });
    const add = attnkit.button("Add a kind", () => {
      leave();
      const kinds = figure.get("kinds");
      figure.put({ kinds: [...kinds, { examples: ["", ""], name: fresh(kinds) }] });
      const { element } = cards[kinds.length].name;
      element.focus();
      element.select();
    });
    // What stands in the fields; a name that is empty, or that of another kind, is not taken over.
    /** @returns {State} */
    function typed() {
      const { kinds } = figure.state();
      const names = kinds.map((_, k) => cards[k].name.typed());
      const free = names.map((name) => name && names.indexOf(name) === names.lastIndexOf(name));
      clash = free.every(Boolean) ? "" : "Each kind needs a name of its own.";
      forgive();
      const own = kinds.map(({ examples, name }, k) => ({
        examples: cards[k].typed().slice(0, examples.length),
        name: free[k] ? names[k] : name,
      }));
      return { kinds: own, sentence: sentence.typed() };
    }
    function show(state, weights) {
      const { kinds } = state;
      const top = weights && Math.max(...weights) > 0 ? attnkit.argmax(weights) : -1;
      sentence.show(state.sentence);
      cards.forEach((one, k) => {
        one.cross.toggleAttribute("hidden", kinds.length <= FEW);
        one.show(kinds[k], weights?.[k], k === top);
      });
      add.toggleAttribute("hidden", kinds.length >= MANY);
    }
    const element = h("div", { class: "ak-kinds" }, cards);
    return { element, add, leave, typed, show, clash: () => clash };
  }
  // A name that no kind has.
  function fresh(kinds) {
    let k = kinds.length + 1;
    while (kinds.some(({ name }) => name === `kind ${k}`)) k++;
    return `kind ${k}`;
  }

  // The weights of the kinds for a sentence; what is learned is kept until another example is given.
  function judging(known) {
    let of = "";
    /** @type {Learned} */
    let learned;
    return (state) => {
      const examples = examplesOf(state.kinds);
      const now = JSON.stringify(examples);
      if (now !== of) [of, learned] = [now, learn(examples, known)];
      return weigh(learned, state, known);
    };
  }

  // The loader of the model; once it is there, whoever waited for it can type.
  function loading(figure, input) {
    // Told before the loader is, which hides what holds the focus.
    const unwatch = attnkit.minilm.watch(() => {
      if (attnkit.minilm.status.state === "ready" && element.contains(document.activeElement)) input.focus();
      figure.redraw();
    });
    const ready = h("p", { class: "ak-small" }, "What you type is read at once.");
    const { element, live, stop } = attnkit.loader(figure, attnkit.minilm, SIZE, ready);
    const end = () => {
      unwatch();
      stop();
    };
    return { element, live, stop: end };
  }

  function build(figure) {
    const [sentences, first] = [figure.get("sentences"), figure.get("defaults")];
    const sentence = field("", { placeholder: "Type a sentence" });
    const loader = loading(figure, sentence.element);
    const texts = library(figure, loader.live);
    const judge = judging(texts.known);
    const sheet = kindSheet(figure, sentence, texts.forgive);
    const { props, take, forget } = typing(figure, sheet.typed);
    const some = attnkit.choice("For example", sentences, (k) => {
      sheet.leave();
      figure.put({ sentence: sentences[k] });
    });
    const back = figure.reset(() => {
      sheet.leave();
      forget();
    });
    const kept = loader.live ? null : recall();
    if (kept) figure.put(kept);
    figure.model.on("change:known", texts.hear);

    /** @type {number[] | null} */
    let last = null; // which are shown until what is typed has been read
    function update(state) {
      const missing = unknown(state, texts.known);
      const waits = texts.wait(missing);
      const weights = state.sentence && !missing.length ? judge(state) : null;
      if (!waits || last?.length !== state.kinds.length) last = weights;
      sheet.show(state, last);
      some.show(sentences.indexOf(state.sentence));
      const reading = waits ? `Reading ${quoted(short(missing[0]))} ...` : "";
      figure.say(sheet.clash() || texts.problem() || reading || told(state, missing, weights));
      if (!loader.live) keep(state, first);
    }
    function stop() {
      forget();
      loader.stop();
      figure.model.off("change:known", texts.hear);
    }
    const label = h("label", { class: "ak-part" }, h("span", { class: "ak-name" }, "Your sentence"), sentence);
    const page = h("div", props, label, some, loader, sheet, attnkit.row(sheet.add, back));
    for (const area of page.querySelectorAll("textarea")) attnkit.keys(area, { Enter: take });
    return { parts: [page], update, stop };
  }

  attnkit.register("taught_kinds", { label: "A model that is taught kinds of sentences", wide: true, compute, build });
})(globalThis.attnkit);
