// A trained attention head, opened: each word's score, its weight, and what it adds to each answer.
((attnkit) => {
  "use strict";
  const { h, fixed, write, attr } = attnkit;

  /** @typedef {{ name: string, queries: Matrix, keys: Matrix[], votes: Matrix[] }} Head */
  /** @typedef {{ head: number, sentence: number, removed: number[], push: number }} State */
  /** @typedef {{ heads: Head[], sentences: string[][], answers: string[], right: number[] }} Given */
  /** @typedef {ReturnType<typeof compute>} Found */

  const PUSH = 3; // of the slider, with either sign
  const GONE = "–"; // instead of a number

  // ---- the arithmetic, compared with WordVotes by tests/figures/

  // A push adds the same to each key, and so to each score.
  function compute({ heads, head, sentence, removed, push }) {
    const { queries, keys, votes: own } = heads[head];
    const query = queries[sentence];
    const root = Math.sqrt(query.length);
    const moved = (push * attnkit.sum(query)) / root;
    const scores = keys[sentence].map((key) => attnkit.dot(key, query) / root + moved);
    const weights = attnkit.softmax(scores.map((s, k) => (removed.includes(k) ? -Infinity : s)));
    const votes = own[sentence].map((row, k) => row.map((v) => weights[k] * v));
    const totals = attnkit.blend(weights, own[sentence]);
    const answer = removed.length < scores.length ? attnkit.argmax(totals) : null;
    return { scores, moved, weights, votes, totals, answer };
  }

  // In words, as in Python.
  function told({ sentences, answers, right, sentence, removed, push }, { weights, answer, moved }) {
    const words = sentences[sentence];
    const shift = push ? ` Every score moved by ${fixed(moved, 2, true)}, no weight did.` : "";
    if (answer === null) return `No word is left: nothing is added, and there is no answer.${shift}`;
    const gone = removed.length === 1 ? attnkit.quoted(words[removed[0]]) : `${removed.length} words`;
    const whose = removed.length ? `Without ${gone} the` : "The";
    const verdict = answer === right[sentence] ? "right" : "wrong";
    const most = attnkit.argmax(weights);
    const weight = `Most weight: ${words[most]}, ${fixed(weights[most])}.`;
    return `${whose} answer is ${answers[answer]}: ${verdict}. ${weight}${shift}`;
  }

  // ---- the parts

  // Two lines of headings: the answers stand under one of their own.
  function headings(answers) {
    const tall = (text) => h("th", { scope: "col", rowspan: 2 }, text);
    const over = h("th", { scope: "colgroup", colspan: answers.length, class: "ak-over" }, "adds to");
    const first = h("tr", {}, h("td", { rowspan: 2 }), tall("score"), tall("weight"), over);
    const second = answers.map((name) => h("th", { scope: "col" }, name));
    return h("thead", {}, first, h("tr", {}, second));
  }

  // A word, which is a button that deletes it and brings it back, and its numbers.
  function wordRow(count, press) {
    const button = attnkit.button("", press, { class: "ak-out-word", "aria-pressed": "false" });
    const [score, weight] = [h("td"), attnkit.gauge()];
    const votes = Array.from({ length: count }, () => h("td", { class: "ak-vote" }));
    function show(word, gone, { scores, weights, votes: all }, k, largest) {
      write(button, word);
      attr(button, "aria-pressed", String(gone));
      write(score, gone ? GONE : fixed(scores[k]));
      weight.show(weights[k], gone ? GONE : fixed(weights[k]));
      votes.forEach((cell, a) => {
        write(cell, gone ? GONE : fixed(all[k][a]));
        attnkit.paint(cell, all[k][a], largest);
      });
    }
    return { element: attnkit.tr(button, score, weight, ...votes), button, show };
  }

  function voteTable(figure, { heads, sentences, answers }) {
    const press = (place) => figure.put({ removed: attnkit.toggled(figure.get("removed"), place) });
    const rows = sentences[0].map((_, k) => wordRow(answers.length, () => press(k)));
    attnkit.walk(rows.map(({ button }) => button));
    // Of the sums the largest, which is the answer, has a frame.
    const sums = ["", "", ...answers].map(() => h("td", {}));
    const name = "What each word adds to each answer; a pressed word is deleted; arrow keys lead from one to the next";
    const element = attnkit.table("ak-votes", headings(answers), rows);
    element.append(h("tfoot", {}, attnkit.tr("sum", ...sums)));
    attr(element, "aria-label", name);
    // The fills have one scale in all sentences of a head: that of a word with all the weight.
    const scales = heads.map(({ votes }) => Math.max(...votes.flat(2).map(Math.abs)) || 1);
    function show(found, { head, sentence, removed }) {
      const { weights, totals, answer } = found;
      rows.forEach((row, k) => row.show(sentences[sentence][k], removed.includes(k), found, k, scales[head]));
      ["", fixed(attnkit.sum(weights)), ...totals.map((v) => fixed(v))].forEach((text, k) => write(sums[k], text));
      sums.slice(2).forEach((cell, a) => attr(cell, "class", a === answer ? "ak-top" : ""));
    }
    return { element, show };
  }

  function build(figure) {
    const given = figure.given("heads", "sentences", "answers", "right");
    const { heads, sentences, answers, right } = given;
    const names = heads.map(({ name }) => name);
    const titles = sentences.map((sentence) => sentence.join(" "));
    const head = names.length > 1 ? figure.choice({ label: "head", words: names, trait: "head" }) : null;
    const sentence = figure.menu({
      label: "sentence",
      words: titles,
      trait: "sentence",
      write: (number) => ({ sentence: number, removed: [] }), // what was deleted is another word in another sentence
    });
    sentence.element.hidden = titles.length === 1;
    const table = voteTable(figure, given);
    const compare = h("span");
    const note = h("p", { class: "ak-small ak-note" }, compare, " ", h("span", {}, "Press a word to delete it."));
    const push = figure.slider({ name: "push on all keys", trait: "push", min: -PUSH, max: PUSH, step: 0.1 });
    const below = h("div", { class: "ak-controls ak-last-row" }, push, figure.reset());

    function update(state) {
      const all = { ...given, ...state };
      const found = compute(all);
      table.show(found, state);
      const whole = compute({ ...all, removed: [] }).answer ?? 0;
      write(compare, `With all words: ${answers[whole]}. Right: ${answers[right[state.sentence]]}.`);
      figure.say(told(all, found));
    }
    return { parts: [h("div", { class: "ak-above" }, head, sentence), table, note, below], update };
  }

  attnkit.register("word_votes", { label: "What each word adds to the answer", compute, build });
})(globalThis.attnkit);
