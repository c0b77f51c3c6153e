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
  function read({ w1, b1, w2, b2 }, pooled) {
    const hidden = b1.map((b, k) => Math.max(b + pooled.reduce((sum, x, i) => sum + x * w1[i][k], 0), 0));
    return 1 / (1 + Math.exp(-attnkit.dot(hidden, w2) - b2));
  }

  // `most` are the places of the largest weights, the largest first.
  function compute({ model, documents, document, way, removed }) {
    const words = documents[document];
    const [scores, vectors] = [words.map((word) => model.scores[word]), words.map((word) => model.vectors[word])];
    const weights = weigh(scores, way, removed);
    const most = attnkit.ranked(weights, removed).slice(0, MOST);
    return { weights, probability: read(model, attnkit.blend(weights, vectors)), most };
  }

  // ---- in words

  const chosen = (probability) => Number(probability >= 0.5);
  const answer = (labels, p) => `${labels[chosen(p)]}, ${fixed(Math.max(p, 1 - p))}`;
  const touched = ({ way, removed }) => way !== WAYS[0] || removed.length > 0;

  function heaviest(words, { weights, most }) {
    if (!most.length) return "No word is left: the model reads a vector of zeros.";
    const largest = fixed(weights[most[0]]);
    const alike = weights.every((w) => w === 0 || w === weights[most[0]]);
    if (most.length > 1 && alike) return `All words weigh the same, ${largest}.`;
    return `Most weight: ${words[most[0]]} ${largest}.`;
  }

  // The line below the figure: what is read, the answer, what it was, the word with most weight.
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
  function walk(words) {
    const shown = () => words.filter((word) => word.style.display !== "none");
    const middle = ({ offsetLeft, offsetWidth }) => offsetLeft + offsetWidth / 2;
    function across(from, step) {
      const beyond = shown().filter((word) => step * (word.offsetTop - from.offsetTop) > 0);
      const line = Math.min(...beyond.map((word) => step * word.offsetTop));
      const near = beyond.filter((word) => step * word.offsetTop === line);
      return near.sort((a, b) => Math.abs(middle(a) - middle(from)) - Math.abs(middle(b) - middle(from)))[0];
    }
    return attnkit.walk(words, { across });
  }

  // The document as running text: each word is a button that takes it out, and brings it back.
  function documentBox(documents, words, press) {
    const spots = Array.from({ length: Math.max(...documents.map(({ length }) => length)) }, (_, k) => {
      const [word, number] = [document.createTextNode(""), h("span", { class: "ak-number" })];
      const element = attnkit.button([word, " ", number], () => press(k), { class: "ak-out-word" });
      return { word, number, element };
    });
    const buttons = spots.map(({ element }) => element);
    const name = "The words of the document; a pressed one is taken out; arrow keys lead from one to the next";
    const group = { class: "ak-document", role: "group", "aria-label": name };
    const spaced = buttons.map((button) => [button, " "]);
    const way = walk(buttons);
    // Tinted in proportion to the largest weight; where none has five equal shares, less, as then none stands out.
    function show({ weights, most }, { document: chosen, removed }) {
      const shares = weights.length - removed.length;
      const largest = Math.max(weights[most[0]] ?? 0, MOST / shares);
      buttons.forEach((button, k) => attnkit.style(button, "display", k < weights.length ? "" : "none"));
      documents[chosen].forEach((number, k) => {
        const spot = spots[k];
        write(spot.word, words[number]);
        write(spot.number, most.includes(k) && weights[k] * shares > 1 + 1e-9 ? fixed(weights[k]) : "");
        attr(spot.element, "aria-pressed", String(removed.includes(k)));
        attnkit.paint(spot.element, weights[k], largest, "weight");
      });
      way.within(weights.length);
    }
    return { element: h("div", group, spaced), show };
  }

  // The answer, what it was, and between the two labels a bar as long as the chance of the second.
  function answerBox(labels) {
    const [now, before, right, verdict] = [h("strong"), h("span", { class: "ak-small" }), h("span"), h("span")];
    const bar = attnkit.gauge();
    const scale = h("div", { class: "ak-scale", "aria-hidden": "true" }, h("span", {}, labels[0]), bar);
    const says = h("p", {}, "The model says ", now, " ", before);
    const element = h("div", { class: "ak-answer" }, says, scale, h("p", {}, right, " ", verdict));
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

  function controls(figure, count) {
    const documents = figure.choice({
      label: "document",
      words: Array.from({ length: count }, (_, k) => String(k + 1)),
      trait: "document",
      write: (document) => ({ document, removed: [] }), // each begins whole
    });
    const ways = figure.choice({ label: "weights", values: WAYS, trait: "way" });
    ways.element.append(figure.reset());
    return attnkit.controls(documents, ways);
  }

  function build(figure) {
    const given = figure.given("model", "documents", "labels", "answers");
    const { model, documents, labels, answers } = given;
    const press = (place) => figure.put({ removed: attnkit.toggled(figure.get("removed"), place) });
    const text = documentBox(documents, model.words, press);
    const result = answerBox(labels);
    const tint = h("span");
    const hint = h("span", {}, "Press a word to take it out, again to bring it back.");
    const note = h("p", { class: "ak-small ak-note" }, hint, " ", tint);

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
