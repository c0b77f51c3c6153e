// A word that moves through a sentence, read by a dense layer and by attention.
((attnkit) => {
  "use strict";
  const { h, fixed, quoted } = attnkit;

  /** @typedef {{ place: number, answer: number }} State */
  /**
   * @typedef {{ chatter: string[], answers: string[], vocabulary: string[] }} Sentence
   * @typedef {{ dense_pieces: Matrix[], dense_bias: number[], word_scores: number[], readings: Matrix, read_bias: number[] }} Models
   * @typedef {Sentence & Models & { seen: number }} Given
   */

  // The arithmetic, compared with MovingWord in Python and with the models themselves by tests/figures/.
  function compute({ chatter, answers, vocabulary, place, answer, ...models }) {
    const { dense_pieces, dense_bias, word_scores, readings, read_bias } = models;
    const sentence = [...chatter.slice(0, place), answers[answer], ...chatter.slice(place)];
    const words = sentence.map((word) => vocabulary.indexOf(word));
    const weights = attnkit.softmax(words.map((word) => word_scores[word]));
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
  const NAMES = ["dense layer", "attention"];

  // The places of the sentence, each with its word and attention's weight below. The word goes where it is dragged, or
  // where the sentence is pressed.
  function slots(count, seen, move) {
    const places = Array.from({ length: count }, (_, p) => {
      const [word, share, weight] = ["", "ak-column", "ak-num"].map((kind) => h("span", { class: kind }));
      const [number, well] = [h("span", { class: "ak-small" }, `${p + 1}`), h("span", { class: "ak-well" }, share)];
      const element = h("div", { class: p < seen ? "ak-slot" : "ak-slot ak-new" }, number, word, well, weight);
      return { word, share, weight, element };
    });
    const style = `--in-line:${Math.max(4, Math.min(seen, 8))}`;
    const element = h("div", { class: "ak-slots", style, "aria-hidden": "true" }, places);
    const to = ({ clientX: x, clientY: y }) => {
      const within = (box) => x >= box.left && x <= box.right && y >= box.top && y <= box.bottom;
      const p = places.findIndex((slot) => within(slot.element.getBoundingClientRect()));
      if (p >= 0) move(p);
    };
    attnkit.drag(element, to, { sideways: true });
    element.addEventListener("click", to);
    return { places, element };
  }

  // A row for each word that may be put in: the button that does, and for each model a bar and the chance it gives.
  function answerTable(figure, answers) {
    const put = figure.choice({ label: "the word", words: answers, trait: "answer" });
    const rows = put.buttons.map((button) => {
      const bars = NAMES.map(attnkit.gauge);
      return { bars, element: attnkit.tr(button, ...bars) };
    });
    const verdicts = NAMES.map(() => h("strong"));
    const heads = ["the word", ...NAMES.map((name, m) => h("span", {}, `${name}: `, verdicts[m]))];
    // Shows the chances that one of the models gives to the answers; returns what it says in words.
    function judge(m, chances, answer) {
      const best = attnkit.argmax(chances);
      const right = best === answer;
      rows.forEach(({ bars }, i) => {
        bars[m].show(chances[i], fixed(chances[i]));
        attnkit.attr(bars[m].element, "class", i === best ? "ak-gauge ak-strong" : "ak-gauge");
      });
      attnkit.write(verdicts[m], `${answers[best]} ${right ? "✓" : "✗"}`);
      return `${NAMES[m]} says ${quoted(answers[best])} (${fixed(chances[best])}), ${right ? "right" : "wrong"}`;
    }
    return { element: attnkit.table("ak-answers", heads, rows), judge };
  }

  function build(figure) {
    const data = figure.given(...SENTENCE, ...MODELS);
    const [count, seen] = [data.chatter.length + 1, figure.get("seen")];
    const { places, element } = slots(count, seen, (place) => figure.put({ place }));
    const table = answerTable(figure, data.answers);
    // The word is moved in the sentence itself; the slider is the way for the keyboard.
    const slider = figure.slider({
      ...{ name: "its place", min: 1, max: count, step: 1, word: (v) => `${v} of ${count}` },
      read: ({ place }) => place + 1,
      write: (v) => ({ place: v - 1 }),
    });

    function update({ place, answer }) {
      const now = compute({ ...data, place, answer });
      places.forEach((slot, p) => {
        attnkit.write(slot.word, now.sentence[p]);
        attnkit.attr(slot.word, "class", p === place ? "ak-spoken ak-it" : "ak-spoken");
        attnkit.style(slot.share, "transform", `scaleY(${now.weights[p].toFixed(3)})`);
        attnkit.write(slot.weight, fixed(now.weights[p]));
      });
      const said = [now.dense, now.attention].map((chances, m) => table.judge(m, chances, answer));
      const where = place < seen ? "as in training" : "a new place";
      figure.say(`${quoted(data.answers[answer])} at place ${place + 1}, ${where}: the ${said.join("; ")}.`);
    }
    const told = "Solid line: places where the word stood in training. Dashed: new ones. Columns: attention's weights.";
    const below = h("div", { class: "ak-controls ak-last-row" }, slider, figure.reset());
    return { parts: [element, h("p", { class: "ak-small" }, told), below, table], update };
  }

  attnkit.register("moving_word", { label: "A word that moves", compute, build });
})(globalThis.attnkit);
