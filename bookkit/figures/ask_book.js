// A question to the book: the real model makes a vector of it, and the passages whose vectors match have the weight.
((attnkit) => {
  "use strict";
  const { h, fixed } = attnkit;

  /** @typedef {{ page: string, title: string, heading: string, anchor: string, text: string, key: number[] }} Told */
  /** @typedef {{ question: string, query: number[], top: Told[], scores: number[] }} Found scores of all, those of the top first */
  /** @typedef {{ question: string, found: Found | {}, temperature: number }} State */
  /** @typedef {{ questions: string[] }} Given */
  /** @typedef {Figure<State, Given>} Owner */
  /** @typedef {{ passages: Omit<Told, "key">[], keys: string, steps: number[], width: number }} Book */

  const SIZE = 26; // megabytes of the model and the passages
  const SHOWN = 6;
  const FINE = 100; // a number of a vector is drawn in hundredths
  const [LOW, STEPS] = [0.01, 40]; // of the temperature: from 0.01 to 1, a hundredth to the whole
  const WORDS = 45; // of a passage that is not the first

  // The weights of all passages, those that are shown first; compared with Python.
  function compute({ found, temperature }) {
    return { weights: "scores" in found ? attnkit.softmax(found.scores.map((score) => score / temperature)) : [] };
  }

  // ---- the book's passages, as website/book_model.py writes them: four bits a number, two to a byte

  /** @type {Promise<{ passages: Book["passages"], keys: Float32Array[] }> | null} */
  let library = null;
  function unpack({ passages, keys, steps, width }) {
    const bytes = atob(keys);
    const unpacked = passages.map((_, k) =>
      Float32Array.from({ length: width }, (_, j) => {
        const byte = bytes.charCodeAt((k * width + j) >> 1);
        return ((j % 2 ? byte & 15 : byte >> 4) - 8) * steps[k];
      }),
    );
    return { passages, keys: unpacked };
  }
  const drawn = (vector) => Array.from(vector, (v) => Math.round(FINE * v));
  // As bookkit/figures/ask_book.py does it in `answered`.
  async function ask(question) {
    library ??= attnkit.fetched("minilm/passages").then(unpack);
    library.catch(() => (library = null));
    const [{ passages, keys }, { vector }] = await Promise.all([library, attnkit.minilm.read(question)]);
    const scores = keys.map((key) => key.reduce((sum, v, j) => sum + v * vector[j], 0));
    const order = scores.map((_, k) => k).sort((a, b) => scores[b] - scores[a]);
    const section = (k) => (passages[k].page ? `${passages[k].page}#${passages[k].anchor}` : k);
    const found = new Map([...order].reverse().map((k) => [section(k), k])); // of each section its best passage
    const shown = order.filter((k) => found.get(section(k)) === k).slice(0, SHOWN);
    const rest = order.filter((k) => !shown.includes(k));
    const top = shown.map((k) => ({ ...passages[k], key: drawn(keys[k]) }));
    return { question, query: drawn(vector), top, scores: [...shown, ...rest].map((k) => scores[k]) };
  }

  // ---- the parts

  // Where a passage stands, in words.
  const place = ({ title, heading }) => (heading === title ? title : `${title.split(":")[0]}: ${heading}`);

  // All numbers of a vector, a thin stripe for each.
  function stripe(label) {
    const place = h("div", { class: "ak-stripe", role: "img", "aria-label": label });
    function show(numbers) {
      const raster = attnkit.raster(1, numbers.length);
      raster.show(numbers, 0.15 * FINE);
      place.replaceChildren(raster.element);
    }
    return { element: place, show };
  }

  // One passage: its weight as a bar, where it stands, its key, its words.
  function passageBox(first, live) {
    const [bar, link, words] = [attnkit.gauge(), h("a"), h("p", { class: "ak-small" })];
    const key = stripe("Its key: 384 numbers");
    const element = h("li", {}, h("div", { class: "ak-head" }, bar, link), key, words);
    function show(passage, weight) {
      const { page, anchor, text } = passage;
      bar.show(weight, fixed(weight));
      link.hidden = !page;
      attnkit.write(link, place(passage));
      attnkit.attr(link, "href", live ? `../${page}.ipynb` : `../${page}.html#${anchor}`);
      const all = text.split(" ");
      attnkit.write(words, first || all.length <= WORDS ? text : `${all.slice(0, WORDS).join(" ")} ...`);
      key.show(passage.key);
    }
    return { element, show };
  }

  function answers(figure) {
    const query = stripe("The query: 384 numbers");
    const boxes = Array.from({ length: SHOWN }, (_, k) => passageBox(k === 0, "send" in figure.model));
    const rest = h("p", { class: "ak-small" });
    const asked = h("p", { class: "ak-asked" });
    const list = h("ol", { class: "ak-passages" }, boxes);
    const element = h("div", { class: "ak-answers" }, asked, query, list, rest);
    function show(state) {
      const { found } = state;
      element.hidden = !("top" in found);
      if (!("top" in found)) return "";
      const { weights } = compute(state);
      query.show(found.query);
      attnkit.write(asked, `${found.question} The query, and the keys that match it best:`);
      boxes.forEach((box, k) => {
        box.element.hidden = k >= found.top.length;
        if (k < found.top.length) box.show(found.top[k], weights[k]);
      });
      const others = weights.slice(found.top.length);
      rest.hidden = !others.length;
      attnkit.write(rest, `The other ${others.length} passages share ${fixed(attnkit.sum(others))}.`);
      return `Most weight, ${fixed(weights[0])}: ${place(found.top[0]) || found.top[0].text}`;
    }
    return { element, show };
  }

  // The question: a line to type it, and some to begin with.
  function asking(figure) {
    const { questions } = figure.given("questions");
    const first = figure.get("defaults").question; // an example, and no text that one would have to delete
    const hint = { placeholder: first || "Type a question", "aria-label": "Your question" };
    const input = h("input", { type: "text", maxlength: 300, ...hint });
    const note = h("p", { class: "ak-small", "aria-live": "polite" });
    async function put(question) {
      if (!question) return attnkit.write(note, "Type a question first.");
      if (question === figure.get("question")) return;
      const slow = loader.live ? "; the first time all passages are read, too, half a minute" : "";
      attnkit.write(note, `Reading${slow} ...`);
      figure.put({ question, found: {} });
      if (loader.live) return;
      try {
        const found = await ask(question);
        if (figure.get("question") === question) figure.put({ found });
      } catch (error) {
        figure.put({ question: "" });
        attnkit.write(note, error instanceof Error ? error.message : String(error));
      }
    }
    const onsubmit = (event) => {
      event.preventDefault();
      put(input.value.trim());
    };
    const form = h("form", { class: "ak-buttons", onsubmit }, input, h("button", { type: "submit" }, "Ask"));
    const some = attnkit.choice("For example", questions, (k) => {
      input.value = questions[k];
      put(questions[k]);
    });
    const loader = attnkit.loader(figure, attnkit.minilm, SIZE, h("div", {}, form, some));
    const element = h("div", {}, loader, note);
    function show({ question, found }) {
      if (question !== first && document.activeElement !== input) input.value = question;
      some.show(questions.indexOf(question));
      if ("top" in found) attnkit.write(note, "");
    }
    const clear = () => (input.value = "");
    return { element, show, clear, stop: loader.stop };
  }

  function build(figure) {
    const question = asking(figure);
    const passages = answers(figure);
    const heat = figure.slider({
      name: "temperature",
      min: 0,
      max: STEPS,
      step: 1,
      format: (place) => fixed(LOW ** (1 - place / STEPS), 3),
      read: ({ temperature }) => Math.round(STEPS * (1 - Math.log(temperature) / Math.log(LOW))),
      write: (place) => ({ temperature: LOW ** (1 - place / STEPS) }),
    });
    const controls = attnkit.row(heat, figure.reset(question.clear));
    function update(state) {
      question.show(state);
      const told = passages.show(state);
      figure.say(`Temperature ${fixed(state.temperature, 3)}. ${told || "No question has been asked yet."}`);
    }
    return { parts: [question, controls, passages], update, stop: question.stop };
  }

  attnkit.register("ask_book", { label: "Ask the book", compute, build });
})(globalThis.attnkit);
