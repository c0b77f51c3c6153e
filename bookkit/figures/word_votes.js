// A trained attention head, opened: each word's score, its weight, and what it adds to each answer.
((attnkit) => {
  "use strict";
  const { h, fixed, write, attr } = attnkit;

  /** @typedef {{ name: string, queries: Matrix, keys: Matrix[], votes: Matrix[] }} Head */
  /** @typedef {{ head: number, sentence: number, removed: number[], push: number }} State */
  /** @typedef {{ heads: Head[], direction: number[] }} Trained */
  /** @typedef {Trained & { sentences: string[][], answers: string[], right: number[], lang: string }} Given */
  /** @typedef {ReturnType<typeof compute>} Found */

  const PUSH = 3; // of the slider, with either sign
  const GONE = "–"; // instead of a number

  // ---- the arithmetic, compared with WordVotes by tests/figures/

  /** @param {State & Trained} state */
  function compute({ heads, direction, head, sentence, removed, push }) {
    const { queries, keys, votes: own } = heads[head];
    const { scores, moved } = score(queries[sentence], keys[sentence], direction, push);
    const weights = attnkit.softmax(scores.map((s, k) => (removed.includes(k) ? -Infinity : s)));
    const votes = own[sentence].map((row, k) => row.map((v) => weights[k] * v));
    const totals = votes[0].map((_, a) => votes.reduce((sum, row) => sum + row[a], 0));
    const answer = removed.length < scores.length ? attnkit.argmax(totals) : null;
    return { scores, moved, weights, votes, totals, answer };
  }

  // The query times each pushed key, by the root of their width, and by how much the push has moved each.
  /** @param {number[]} query @param {Matrix} keys @param {number[]} direction @param {number} push */
  function score(query, keys, direction, push) {
    const root = Math.sqrt(query.length);
    const pushed = keys.map((key) => key.map((v, i) => v + push * direction[i]));
    const scores = pushed.map((key) => attnkit.dot(key, query) / root);
    return { scores, moved: (push * attnkit.dot(direction, query)) / root };
  }

  // ---- in words, as in Python

  /** @param {Given & State} state @param {Found} found */
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

  /** @param {Figure<State, Given>} figure @param {string[]} titles */
  function sentenceBox(figure, titles) {
    // What was deleted is another word there.
    const onchange = () => figure.put({ sentence: list.selectedIndex, removed: [] });
    const options = titles.map((title) => h("option", {}, title));
    const list = h("select", { onchange }, ...options);
    /** @param {number} k */
    const show = (k) => {
      if (list.selectedIndex !== k) list.selectedIndex = k;
    };
    figure.follow({ show }, { trait: "sentence" });
    return h("label", { class: "ak-pick" }, h("span", { class: "ak-name" }, "sentence"), list);
  }

  // Two lines of headings: the answers stand under one of their own.
  /** @param {string[]} answers @param {string | null} lang */
  function headings(answers, lang) {
    /** @param {string} text */
    const tall = (text) => h("th", { scope: "col", rowspan: 2 }, text);
    const over = h("th", { scope: "colgroup", colspan: answers.length, class: "ak-over" }, "adds to");
    const corner = h("td", { rowspan: 2 });
    const first = h("tr", {}, corner, tall("score"), tall("weight"), over);
    return h("thead", {}, first, h("tr", {}, ...answers.map((name) => h("th", { scope: "col", lang }, name))));
  }

  // A word, which is a button that deletes it and brings it back, and its numbers.
  /** @param {number} count @param {() => void} press */
  function wordRow(count, press) {
    const button = attnkit.button("", press, { class: "ak-word", "aria-pressed": "false" });
    const [score, number, fill] = [h("td", {}), h("span", {}), h("span", { class: "ak-fill" })];
    const bar = h("span", { class: "ak-bar", "aria-hidden": "true" }, fill);
    const votes = Array.from({ length: count }, () => h("td", { class: "ak-vote" }));
    const weigh = h("td", {}, h("span", { class: "ak-weigh" }, bar, number));
    const element = h("tr", {}, h("th", { scope: "row" }, button), score, weigh, ...votes);
    /** @param {string} word @param {boolean} gone @param {Found} found @param {number} k @param {number} largest */
    function show(word, gone, { scores, weights, votes: all }, k, largest) {
      write(button, word);
      attr(button, "aria-pressed", String(gone));
      write(score, gone ? GONE : fixed(scores[k]));
      write(number, gone ? GONE : fixed(weights[k]));
      attnkit.style(fill, "transform", `scaleX(${weights[k].toFixed(3)})`);
      votes.forEach((cell, a) => {
        write(cell, gone ? GONE : fixed(all[k][a]));
        attnkit.paint(cell, all[k][a], largest);
      });
    }
    return { element, button, show };
  }

  // The last row: of the sums the largest, which is the answer, has a frame.
  /** @param {number} count */
  function sumRow(count) {
    const weight = h("span", {});
    const weigh = h("td", {}, h("span", { class: "ak-weigh" }, h("span", {}), weight));
    const cells = Array.from({ length: count }, () => h("td", {}));
    const row = h("tr", {}, h("th", { scope: "row" }, "sum"), h("td", {}), weigh, ...cells);
    /** @param {Found} found */
    function show({ weights, totals, answer }) {
      write(weight, fixed(weights.reduce((sum, w) => sum + w, 0)));
      cells.forEach((cell, a) => {
        write(cell, fixed(totals[a]));
        attr(cell, "class", a === answer ? "ak-vote ak-top" : "ak-vote");
      });
    }
    return { element: h("tfoot", {}, row), show };
  }

  /** @param {Figure<State, Given>} figure @param {Given} given */
  function voteTable(figure, { heads, sentences, answers, lang }) {
    /** @param {number} place */
    function press(place) {
      const removed = figure.get("removed");
      const left = removed.filter((other) => other !== place);
      figure.put({ removed: left.length < removed.length ? left : [...removed, place].sort((a, b) => a - b) });
    }
    const rows = sentences[0].map((_, k) => wordRow(answers.length, () => press(k)));
    attnkit.walk(rows.map(({ button }) => button));
    const sums = sumRow(answers.length);
    const name = "What each word adds to each answer; a pressed word is deleted; arrow keys lead from one to the next";
    const body = h("tbody", {}, ...rows.map(({ element }) => element));
    const props = { class: `ak-grid ak-votes${answers.length > 3 ? " ak-many" : ""}`, "aria-label": name };
    const element = h("table", props, headings(answers, lang || null), body, sums.element);
    // The fills have one scale in all sentences of a head: that of a word with all the weight.
    const scales = heads.map(({ votes }) => Math.max(...votes.flat(2).map(Math.abs)) || 1);
    /** @param {Found} found @param {State} state */
    function show(found, { head, sentence, removed }) {
      const words = sentences[sentence];
      rows.forEach((row, k) => row.show(words[k], removed.includes(k), found, k, scales[head]));
      sums.show(found);
    }
    return { element, show };
  }

  // What to do, and what the head answers with the whole sentence, to compare with.
  /** @param {Given} given */
  function noteBox({ answers, right, lang }) {
    const [whole, wanted] = [h("span", { lang: lang || null }), h("span", { lang: lang || null })];
    const compare = h("span", {}, "With all words: ", whole, ". Right: ", wanted, ".");
    const element = h("p", { class: "ak-small ak-note" }, compare, " ", h("span", {}, "Press a word to delete it."));
    /** @param {number | null} answer @param {State} state */
    function show(answer, { sentence }) {
      write(whole, answers[answer ?? 0]);
      write(wanted, answers[right[sentence]]);
    }
    return { element, show };
  }

  /** @param {Figure<State, Given>} figure */
  function build(figure) {
    const given = figure.given("heads", "sentences", "answers", "right", "direction", "lang");
    const { heads, sentences } = given;
    const words = heads.map(({ name }) => name);
    const head = heads.length > 1 ? figure.choice({ label: "head", words, trait: "head" }).element : null;
    const titles = sentences.map((sentence) => sentence.join(" "));
    const sentence = sentences.length > 1 ? sentenceBox(figure, titles) : null;
    const above = head || sentence ? h("div", { class: "ak-controls ak-above" }, head, sentence) : null;
    const table = voteTable(figure, given);
    const note = noteBox(given);
    const push = figure.slider({
      name: "push on all keys",
      trait: "push",
      min: -PUSH,
      max: PUSH,
      step: 0.1,
      format: (v) => fixed(v, 1),
      word: (v) => fixed(v, 1),
    });
    const below = h("div", { class: "ak-controls ak-last-row" }, push.element, figure.reset());

    /** @param {State} state */
    function update(state) {
      const found = compute({ ...given, ...state });
      table.show(found, state);
      note.show(compute({ ...given, ...state, removed: [] }).answer, state);
      figure.say(told({ ...given, ...state }, found));
    }
    return { parts: [above, table.element, note.element, below], update };
  }

  attnkit.register("word_votes", { label: "What each word adds to the answer", compute, build });
})(globalThis.attnkit);
