// A word that moves through a sentence, read by a dense layer and by attention.
((attnkit) => {
  "use strict";
  const { h, fixed } = attnkit;

  /** @typedef {{ place: number, answer: number }} State */
  /**
   * @typedef {{ chatter: string[], answers: string[], vocabulary: string[] }} Sentence
   * @typedef {{ dense_pieces: Matrix[], dense_bias: number[], word_scores: number[], readings: Matrix, read_bias: number[] }} Models
   * @typedef {Sentence & Models & { seen: number }} Given
   */

  // The arithmetic, compared with MovingWord in Python and with the models themselves by tests/figures/.
  /** @param {State & Sentence & Models} state */
  function compute(state) {
    const { chatter, answers, vocabulary, place, answer } = state;
    const { dense_pieces, dense_bias, word_scores, readings, read_bias } = state;
    const sentence = [...chatter.slice(0, place), answers[answer], ...chatter.slice(place)];
    const words = sentence.map((word) => vocabulary.indexOf(word));
    const weights = attnkit.softmax(words.map((word) => word_scores[word]));
    /** @param {number[]} a @param {number[]} b */
    const plus = (a, b) => a.map((v, k) => v + b[k]);
    const read = words.map((word) => readings[word]);
    return {
      sentence,
      weights,
      dense: attnkit.softmax(words.reduce((sum, word, p) => plus(sum, dense_pieces[p][word]), dense_bias)),
      attention: attnkit.softmax(plus(attnkit.blend(weights, read), read_bias)),
    };
  }

  const SENTENCE = /** @type {const} */ (["chatter", "answers", "vocabulary"]);
  const MODELS = /** @type {const} */ (["dense_pieces", "dense_bias", "word_scores", "readings", "read_bias"]);

  // The word is moved in the sentence itself; the slider is the way for the keyboard.
  /** @param {Figure<State, Given>} figure @param {number} count */
  function controls(figure, count) {
    const slider = figure.slider({
      name: "its place",
      min: 1,
      max: count,
      step: 1,
      format: (v) => fixed(v, 0),
      word: (v) => `${v} of ${count}`,
      read: ({ place }) => place + 1,
      write: (v) => ({ place: v - 1 }),
    });
    return h("div", { class: "ak-controls ak-last-row" }, slider.element, figure.reset());
  }

  // The places of the sentence, each with its word and attention's weight below. The word goes where it is dragged, or
  // where the sentence is pressed.
  /** @param {number} count @param {number} seen @param {(place: number) => void} move */
  function slots(count, seen, move) {
    const places = Array.from({ length: count }, (_, p) => {
      const [word, share, weight] = [{}, { class: "ak-column" }, { class: "ak-num" }].map((props) => h("span", props));
      const element = h(
        "div",
        { class: p < seen ? "ak-slot" : "ak-slot ak-new" },
        h("span", { class: "ak-small" }, `${p + 1}`),
        word,
        h("span", { class: "ak-well" }, share),
        weight,
      );
      return { word, share, weight, element };
    });
    const style = `--in-line:${Math.max(4, Math.min(seen, 8))}`;
    const elements = places.map((slot) => slot.element);
    const element = h("div", { class: "ak-slots", style, "aria-hidden": "true" }, ...elements);
    /** @param {MouseEvent} mouseEvent */
    const to = ({ clientX: x, clientY: y }) => {
      /** @param {DOMRect} box */
      const within = (box) => x >= box.left && x <= box.right && y >= box.top && y <= box.bottom;
      const p = elements.findIndex((slot) => within(slot.getBoundingClientRect()));
      if (p >= 0) move(p);
    };
    attnkit.drag(element, to, { sideways: true });
    element.addEventListener("click", to);
    return { places, element };
  }

  // A row for each word that may be put in: the button that does, and for each model a bar and the chance it gives.
  /** @param {Figure<State, Given>} figure @param {string[]} answers @param {string[]} models */
  function answerTable(figure, answers, models) {
    const put = figure.choice({ label: "the word", words: answers, trait: "answer" });
    const rows = put.buttons.map((button) => {
      const cells = models.map(() => {
        const [bar, number] = [h("span", { class: "ak-fill" }), h("span", { class: "ak-num" })];
        return { bar, number, element: h("td", {}, h("span", { class: "ak-chance" }, bar, number)) };
      });
      const element = h("tr", {}, h("th", { scope: "row" }, button), ...cells.map((cell) => cell.element));
      return { cells, element };
    });
    const verdicts = models.map(() => h("strong", {}));
    const heads = models.map((title, m) => h("th", { scope: "col" }, `${title}: `, verdicts[m]));
    const head = h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "the word"), ...heads));
    const body = h("tbody", {}, ...rows.map((row) => row.element));
    return { rows, verdicts, element: h("table", { class: "ak-grid ak-answers" }, head, body) };
  }

  // Show the chances that one of the models gives to the answers; returns what it says in words.
  /**
   * @param {string} title
   * @param {{ bar: HTMLElement, number: HTMLElement, element: HTMLElement }[]} cells
   * @param {HTMLElement} verdict
   * @param {{ chances: number[], answers: string[], answer: number }} options
   */
  function judge(title, cells, verdict, { chances, answers, answer }) {
    const best = attnkit.argmax(chances);
    cells.forEach((cell, i) => {
      attnkit.style(cell.bar, "transform", `scaleX(${chances[i].toFixed(3)})`);
      attnkit.write(cell.number, fixed(chances[i]));
      attnkit.attr(cell.element, "class", i === best ? "ak-best" : "");
    });
    attnkit.write(verdict, `${answers[best]} ${best === answer ? "✓" : "✗"}`);
    return `${title} says ${attnkit.quoted(answers[best])} (${fixed(chances[best])}), ${best === answer ? "right" : "wrong"}`;
  }

  /** @param {Figure<State, Given>} figure */
  function build(figure) {
    const data = figure.given(...SENTENCE, ...MODELS);
    const { chatter, answers } = data;
    const [count, seen] = [chatter.length + 1, figure.get("seen")];
    const { places, element } = slots(count, seen, (place) => figure.put({ place }));
    const models = ["dense layer", "attention"];
    const table = answerTable(figure, answers, models);

    /** @param {State} state */
    function update({ place, answer }) {
      const now = compute({ ...data, place, answer });
      places.forEach((slot, p) => {
        attnkit.write(slot.word, now.sentence[p]);
        attnkit.attr(slot.word, "class", p === place ? "ak-spoken ak-it" : "ak-spoken");
        attnkit.style(slot.share, "transform", `scaleY(${now.weights[p].toFixed(3)})`);
        attnkit.write(slot.weight, fixed(now.weights[p]));
      });
      const said = [now.dense, now.attention].map((chances, m) => {
        const cells = table.rows.map((row) => row.cells[m]);
        return judge(models[m], cells, table.verdicts[m], { chances, answers, answer });
      });
      const where = place < seen ? "as in training" : "a new place";
      figure.say(`${attnkit.quoted(answers[answer])} at place ${place + 1}, ${where}: the ${said.join("; ")}.`);
    }
    const legend = h(
      "p",
      { class: "ak-small" },
      "Solid line: places where the word stood in training. Dashed: new ones. Columns: attention's weights.",
    );
    return { parts: [element, legend, controls(figure, count), table.element], update };
  }

  attnkit.register("moving_word", { label: "A word that moves", compute, build });
})(globalThis.attnkit);
