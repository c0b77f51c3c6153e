// A word that moves through a sentence, read by a dense layer and by attention.
((attnkit) => {
  "use strict";
  const { h, fixed } = attnkit;

  // The arithmetic, compared with MovingWord in Python and with the models themselves by tests/test_figures.py.
  function compute(state) {
    const { chatter, answers, vocabulary, place, answer } = state;
    const { dense_pieces, dense_bias, word_scores, readings, read_bias } = state;
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

  const SENTENCE = ["chatter", "answers", "vocabulary"];
  const MODELS = ["dense_pieces", "dense_bias", "word_scores", "readings", "read_bias"];

  function controls(figure, answers, count) {
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
    const choice = figure.choice({ label: "the word", words: answers, trait: "answer" });
    choice.element.append(figure.reset());
    return h("div", { class: "ak-controls" }, slider.element, choice.element);
  }

  // The places of the sentence, each with its word and attention's weight below.
  function slots(count, seen) {
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
    return { places, element: h("div", { class: "ak-slots", style, "aria-hidden": "true" }, ...elements) };
  }

  // What one of the models says: a bar for each answer, and whether the best is right.
  function panel(name, answers) {
    const rows = answers.map((answer) => {
      const [bar, number] = [h("span", { class: "ak-fill" }), h("td", {})];
      const element = h("tr", {}, h("th", { scope: "row" }, answer), h("td", { class: "ak-wide" }, bar), number);
      return { bar, number, element };
    });
    const title = name === "dense" ? "dense layer" : name;
    const verdict = h("p", { class: "ak-say" });
    const body = h("tbody", {}, ...rows.map((row) => row.element));
    const table = h("table", { class: "ak-grid ak-answers", "aria-label": title }, body);
    return { name, title, rows, verdict, element: h("div", {}, h("p", { class: "ak-say" }, title), table, verdict) };
  }

  // Show a model's chances of the answers; returns what it says in words.
  function judge({ title, rows, verdict }, chances, answers, answer) {
    const best = chances.indexOf(Math.max(...chances));
    rows.forEach((row, i) => {
      attnkit.style(row.bar, "transform", `scaleX(${chances[i].toFixed(3)})`);
      attnkit.write(row.number, fixed(chances[i]));
      attnkit.attr(row.element, "class", i === best ? "ak-best" : "");
    });
    attnkit.write(verdict, `${best === answer ? "✓" : "✗"} ${answers[best]}`);
    return `${title} says “${answers[best]}” (${fixed(chances[best])}), ${best === answer ? "right" : "wrong"}`;
  }

  function build(figure) {
    const data = Object.fromEntries([...SENTENCE, ...MODELS].map((name) => [name, figure.get(name)]));
    const { chatter, answers } = data;
    const [count, seen] = [chatter.length + 1, figure.get("seen")];
    const { places, element } = slots(count, seen);
    const models = ["dense", "attention"].map((name) => panel(name, answers));

    function update({ place, answer }) {
      const now = compute({ ...data, place, answer });
      places.forEach((slot, p) => {
        attnkit.write(slot.word, now.sentence[p]);
        attnkit.attr(slot.word, "class", p === place ? "ak-spoken ak-it" : "ak-spoken");
        attnkit.style(slot.share, "transform", `scaleY(${now.weights[p].toFixed(3)})`);
        attnkit.write(slot.weight, fixed(now.weights[p]));
      });
      const said = models.map((model) => judge(model, now[model.name], answers, answer));
      const where = place < seen ? "as in training" : "a new place";
      figure.say(`“${answers[answer]}” at place ${place + 1}, ${where}: the ${said.join("; ")}.`);
    }
    const legend = h(
      "p",
      { class: "ak-small" },
      `Solid line above: places where the word stood in training (1 to ${seen}). Dashed: new places. ` +
        "Columns: attention's weights.",
    );
    const duel = h("div", { class: "ak-duel" }, ...models.map((model) => model.element));
    return { parts: [controls(figure, answers, count), element, legend, duel], update };
  }

  attnkit.register("moving_word", { label: "A word that moves", compute, build });
})(globalThis.attnkit);
