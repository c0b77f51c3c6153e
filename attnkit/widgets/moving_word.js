// A word that moves through a sentence, read by a dense layer and by attention.
(function (attnkit) {
  "use strict";
  const { h, fixed } = attnkit;

  // The arithmetic, compared with MovingWord in Python and with the models themselves by tests/test_widgets.py.
  function compute({ chatter, answers, vocabulary, dense_pieces, dense_bias, word_scores, readings, read_bias, place, answer }) {
    const sentence = [...chatter.slice(0, place), answers[answer], ...chatter.slice(place)];
    const words = sentence.map((word) => vocabulary.indexOf(word));
    const weights = attnkit.softmax(words.map((word) => word_scores[word]));
    const plus = (a, b) => a.map((v, k) => v + b[k]);
    return {
      sentence, weights,
      dense: attnkit.softmax(words.reduce((sum, word, p) => plus(sum, dense_pieces[p][word]), dense_bias)),
      attention: attnkit.softmax(plus(attnkit.blend(weights, words.map((word) => readings[word])), read_bias)),
    };
  }

  const NAMES = ["chatter", "answers", "vocabulary", "dense_pieces", "dense_bias", "word_scores", "readings", "read_bias"];

  function render({ model, el }) {
    const given = Object.fromEntries(NAMES.map((name) => [name, model.get(name)]));
    const { answers } = given;
    const count = given.chatter.length + 1;
    const seen = model.get("seen");
    const slider = attnkit.slider({ name: "its place", min: 1, max: count, step: 1, format: (v) => fixed(v, 0),
      word: (v) => `${v} of ${count}`, onInput: (value) => attnkit.put(model, { place: value - 1 }) });
    const choice = attnkit.choice("the word", answers, (i) => attnkit.put(model, { answer: i }));
    choice.element.append(h("button", { type: "button", onclick: () => attnkit.put(model, {
      place: model.get("start_place"), answer: model.get("start_answer") }) }, "Reset"));

    const places = Array.from({ length: count }, (_, p) => {
      const [word, share, weight] = [h("span", {}), h("span", { class: "ak-column" }), h("span", { class: "ak-num" })];
      const element = h("div", { class: p < seen ? "ak-slot" : "ak-slot ak-new" },
        h("span", { class: "ak-small" }, `${p + 1}`), word, h("span", { class: "ak-well" }, share), weight);
      return { word, share, weight, element };
    });
    const row = h("div", { class: "ak-slots", style: `--in-line:${Math.max(4, Math.min(seen, 8))}`, "aria-hidden": "true" }, ...places.map((p) => p.element));
    const key = h("p", { class: "ak-small" }, `Solid line above: places where the word stood in training (1 to ${seen}). Dashed: new places. ` +
      "Columns: attention's weights.");
    const models = ["dense", "attention"].map((name) => {
      const rows = answers.map((answer) => {
        const [bar, number] = [h("span", { class: "ak-fill" }), h("td", {})];
        const element = h("tr", {}, h("th", { scope: "row" }, answer), h("td", { class: "ak-wide" }, bar), number);
        return { bar, number, element };
      });
      const verdict = h("p", { class: "ak-say" });
      const title = name === "dense" ? "dense layer" : name;
      const table = h("table", { class: "ak-grid ak-answers", "aria-label": title }, h("tbody", {}, ...rows.map((r) => r.element)));
      return { name, title, rows, verdict, element: h("div", {}, h("p", { class: "ak-say" }, title), table, verdict) };
    });
    const frame = attnkit.frame(model, "A word that moves", h("div", { class: "ak-controls" }, slider.element, choice.element),
      row, key, h("div", { class: "ak-duel" }, ...models.map((m) => m.element)));
    el.replaceChildren(frame.element);

    function update() {
      const [place, answer] = [model.get("place"), model.get("answer")];
      const now = compute({ ...given, place, answer });
      slider.show(place + 1);
      choice.show(answer);
      places.forEach((spot, p) => {
        attnkit.write(spot.word, now.sentence[p]);
        attnkit.attr(spot.word, "class", p === place ? "ak-spoken ak-it" : "ak-spoken");
        attnkit.style(spot.share, "transform", `scaleY(${now.weights[p].toFixed(3)})`);
        attnkit.write(spot.weight, fixed(now.weights[p]));
      });
      const said = models.map(({ name, title, rows, verdict }) => {
        const chances = now[name];
        const best = chances.indexOf(Math.max(...chances));
        rows.forEach((r, i) => {
          attnkit.style(r.bar, "transform", `scaleX(${chances[i].toFixed(3)})`);
          attnkit.write(r.number, fixed(chances[i]));
          attnkit.attr(r.element, "class", i === best ? "ak-best" : "");
        });
        attnkit.write(verdict, `${best === answer ? "✓" : "✗"} ${answers[best]}`);
        return `${title} says “${answers[best]}” (${fixed(chances[best])}), ${best === answer ? "right" : "wrong"}`;
      });
      frame.say(`“${answers[answer]}” at place ${place + 1}, ${place < seen ? "as in training" : "a new place"}: the ${said.join("; ")}.`);
    }
    const leave = attnkit.follow(model, ["place", "answer"], update);
    return () => { frame.stop(); leave(); };
  }

  attnkit.figures.moving_word = { compute, render };
})(globalThis.attnkit);
