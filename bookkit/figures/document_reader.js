// A trained classifier reads a document: the weight of each word, and the answer that comes of it.
((attnkit) => {
  "use strict";
  const { h, fixed, write, attr, quoted } = attnkit;

  /** @typedef {{ document: number, way: string, removed: number[] }} State */
  /** @typedef {{ w1: Matrix, b1: number[], w2: number[], b2: number }} Network */
  /** @typedef {Network & { words: string[], scores: number[], vectors: Matrix }} Reader what has been trained */
  /** @typedef {{ model: Reader, documents: Matrix, labels: string[], answers: number[] }} Given */
  /** @typedef {ReturnType<typeof compute>} Found */

  const WAYS = ["as they are", "equal", "shuffled"];
  const MOST = 5; // words whose weight is written
  const TINTS = [
    "The stronger the shade, the more weight.",
    "Every word has the same weight.",
    "Each word has the weight of another.",
  ];

  // ---- the arithmetic, compared with DocumentReader by tests/figures/

  // A softmax over the words that are left; those that are taken out have no weight.
  /** @param {number[]} scores @param {string} way @param {number[]} removed */
  function weigh(scores, way, removed) {
    const half = Math.floor(scores.length / 2);
    /** @type {Record<string, (score: number, place: number) => number>} */
    const given = {
      "as they are": (score) => score,
      equal: () => 0,
      shuffled: (_, i) => scores[(i + half) % scores.length],
    };
    const kept = scores.map(given[way]);
    for (const place of removed) kept[place] = -Infinity;
    return removed.length < kept.length ? attnkit.softmax(kept) : kept.map(() => 0);
  }

  // The network on the pooled vector.
  /** @param {Network} network @param {number[]} pooled */
  function read({ w1, b1, w2, b2 }, pooled) {
    const hidden = b1.map((b, k) => Math.max(b + pooled.reduce((sum, x, i) => sum + x * w1[i][k], 0), 0));
    return 1 / (1 + Math.exp(-attnkit.dot(hidden, w2) - b2));
  }

  // `most` are the places of the largest weights, the largest first.
  /** @param {State & Pick<Given, "model"|"documents">} state */
  function compute({ model, documents, document, way, removed }) {
    const words = documents[document];
    const [scores, vectors] = [words.map((word) => model.scores[word]), words.map((word) => model.vectors[word])];
    const weights = weigh(scores, way, removed);
    const left = weights.map((_, i) => i).filter((i) => !removed.includes(i));
    const most = left.sort((a, b) => weights[b] - weights[a]).slice(0, MOST);
    return { weights, probability: read(model, attnkit.blend(weights, vectors)), most };
  }

  // ---- in words

  /** @param {number} probability */
  const chosen = (probability) => Number(probability >= 0.5);
  /** @param {string[]} labels @param {number} p */
  const answer = (labels, p) => `${labels[chosen(p)]}, ${fixed(Math.max(p, 1 - p))}`;
  /** @param {State} state */
  const touched = ({ way, removed }) => way !== WAYS[0] || removed.length > 0;

  /** @param {string[]} words @param {{ weights: number[], most: number[] }} found */
  function heaviest(words, { weights, most }) {
    if (!most.length) return "No word is left: the model reads a vector of zeros.";
    const largest = fixed(weights[most[0]]);
    const alike = weights.every((w) => w === 0 || w === weights[most[0]]);
    if (most.length > 1 && alike) return `All words weigh the same, ${largest}.`;
    return `Most weight: ${words[most[0]]} ${largest}.`;
  }

  // The line below the figure: what is read, the answer, what it was, the word with most weight.
  /** @param {string[]} words @param {Found} found @param {number} was @param {Given} given @param {State} state */
  function told(words, found, was, { answers, labels }, state) {
    const { document, way, removed } = state;
    const right = answers[document];
    const ways = way === WAYS[0] ? "" : `, weights ${way}`;
    const gone = removed.length === 1 ? quoted(words[removed[0]]) : `${removed.length} words`;
    const title = `Document ${document + 1}${ways}${removed.length ? `, without ${gone}` : ""}`;
    const before = touched(state) ? `, was ${answer(labels, was)}` : "";
    const wrong = chosen(found.probability) === right ? "" : ` The right answer is ${labels[right]}.`;
    return `${title}: ${answer(labels, found.probability)}${before}.${wrong} ${heaviest(words, found)}`;
  }

  // ---- the parts

  // Arrow keys lead from word to word, and to the word of the line above, or below, that stands nearest.
  /** @param {HTMLButtonElement[]} words */
  function walk(words) {
    const shown = () => words.filter((word) => word.style.display !== "none");
    /** @param {HTMLElement} word */
    const middle = ({ offsetLeft, offsetWidth }) => offsetLeft + offsetWidth / 2;
    /** @param {HTMLElement} from @param {number} step */
    function across(from, step) {
      const beyond = shown().filter((word) => step * (word.offsetTop - from.offsetTop) > 0);
      const line = Math.min(...beyond.map((word) => step * word.offsetTop));
      const near = beyond.filter((word) => step * word.offsetTop === line);
      return near.sort((a, b) => Math.abs(middle(a) - middle(from)) - Math.abs(middle(b) - middle(from)))[0];
    }
    return attnkit.walk(words, { across });
  }

  // The document as running text: each word is a button that takes it out, and brings it back.
  /** @param {Matrix} documents @param {string[]} words @param {(place: number) => void} press */
  function documentBox(documents, words, press) {
    const spots = Array.from({ length: Math.max(...documents.map(({ length }) => length)) }, (_, k) => {
      const [word, number] = [document.createTextNode(""), h("span", { class: "ak-number" })];
      const button = attnkit.button([word, " ", number], () => press(k), { class: "ak-out-word" });
      return { word, number, button };
    });
    const name = "The words of the document; a pressed one is taken out; arrow keys lead from one to the next";
    const look = { class: "ak-document", role: "group", "aria-label": name };
    const element = h(
      "div",
      look,
      spots.map(({ button }) => [button, " "]),
    );
    const way = walk(spots.map(({ button }) => button));
    // Tinted in proportion to the largest weight; where none has five equal shares, less, as then none stands out.
    /** @param {Found} found @param {State} state */
    function show({ weights, most }, { document: chosen, removed }) {
      const shares = weights.length - removed.length;
      const largest = Math.max(weights[most[0]] ?? 0, MOST / shares);
      spots.forEach(({ button }, k) => attnkit.style(button, "display", k < weights.length ? "" : "none"));
      documents[chosen].forEach((number, k) => {
        const spot = spots[k];
        write(spot.word, words[number]);
        write(spot.number, most.includes(k) && weights[k] * shares > 1 + 1e-9 ? fixed(weights[k]) : "");
        attr(spot.button, "aria-pressed", String(removed.includes(k)));
        attnkit.paint(spot.button, weights[k], largest, "weight");
      });
      way.within(weights.length);
    }
    return { element, show };
  }

  // The answer, what it was, and between the two labels a bar as long as the chance of the second.
  /** @param {string[]} labels */
  function answerBox(labels) {
    const [now, before, right, verdict] = [h("strong"), h("span", { class: "ak-small" }), h("span"), h("span")];
    const bar = attnkit.gauge();
    const scale = h("div", { class: "ak-scale", "aria-hidden": "true" }, h("span", {}, labels[0]), bar);
    const says = h("p", {}, "The model says ", now, " ", before);
    const element = h("div", { class: "ak-answer" }, says, scale, h("p", {}, right, " ", verdict));
    /** @param {number} p @param {number} was @param {number} label @param {State} state */
    function show(p, was, label, state) {
      write(now, answer(labels, p));
      write(before, touched(state) ? `(was ${answer(labels, was)})` : "");
      write(right, `The right answer is ${labels[label]}; the model is`);
      write(verdict, chosen(p) === label ? "right" : "wrong");
      attr(verdict, "class", `ak-verdict${chosen(p) === label ? " ak-right" : ""}`);
      bar.show(p, labels[1]);
    }
    return { element, show };
  }

  /** @param {Figure<State, Given>} figure @param {number} count */
  function controls(figure, count) {
    const documents = figure.choice({
      label: "document",
      words: Array.from({ length: count }, (_, k) => String(k + 1)),
      trait: "document",
      write: (document) => ({ document, removed: [] }), // each begins whole
    });
    const ways = figure.choice({
      label: "weights",
      words: WAYS,
      read: ({ way }) => WAYS.indexOf(way),
      write: (k) => ({ way: WAYS[k] }),
    });
    ways.element.append(figure.reset());
    return attnkit.controls(documents, ways);
  }

  /** @param {Figure<State, Given>} figure */
  function build(figure) {
    const given = figure.given("model", "documents", "labels", "answers");
    const { model, documents, labels, answers } = given;
    /** @param {number} place */
    const press = (place) => figure.put({ removed: attnkit.toggled(figure.get("removed"), place) });
    const text = documentBox(documents, model.words, press);
    const result = answerBox(labels);
    const tint = h("span");
    const hint = h("span", {}, "Press a word to take it out, again to bring it back.");
    const note = h("p", { class: "ak-small ak-note" }, hint, " ", tint);

    /** @param {State} state */
    function update(state) {
      const found = compute({ model, documents, ...state });
      const was = compute({ model, documents, ...state, way: WAYS[0], removed: [] }).probability;
      const words = documents[state.document].map((number) => model.words[number]);
      text.show(found, state);
      result.show(found.probability, was, answers[state.document], state);
      write(tint, TINTS[WAYS.indexOf(state.way)]);
      figure.say(told(words, found, was, given, state));
    }
    return { parts: [text, note, result, controls(figure, documents.length)], update };
  }

  attnkit.register("document_reader", { label: "A classifier reads a document", compute, build });
})(globalThis.attnkit);
