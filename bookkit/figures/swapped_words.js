// Two words of a sentence change places; what a trained attention layer makes of it at a third.
((attnkit) => {
  "use strict";
  const { h, fixed, quoted, write, attr } = attnkit;

  /** @typedef {{ swapped: boolean, positions: boolean, heads: number }} State */
  /** @typedef {[word: string, probability: number][][]} Answers the best of each question */
  /** @typedef {{ positions: boolean, heads: number, weights: Matrix[], output: Matrix, answers: Answers[] }} Case of both orders */
  /** @typedef {{ words: string[], swap: Pair, right_at: number[] }} Question */
  /** @typedef {Question & { asking: number, cases: Case[], questions: string[] }} Given */
  /** @typedef {{ present: string[], weights: Matrix, answers: Answers, right: boolean[], written: string, same: boolean }} Shown */

  // The arithmetic, compared with Python's by tests/figures/: `chosen` is the case shown.
  function compute({ words, swap: [a, b], right_at, chosen }) {
    const orders = [words, words.map((word, i) => (i === a ? words[b] : i === b ? words[a] : word))];
    const [one, other] = chosen.output;
    const difference = Math.max(...one.map((v, k) => Math.abs(v - other[k])));
    const right = chosen.answers.map((answers, order) =>
      answers.map((best, k) => best[0][0] === orders[order][[a, b][right_at[k]]]),
    );
    return { orders, difference, written: attnkit.compact(difference), same: difference < 1e-12, right };
  }

  // The choices that there are, only where there is more than one.
  function controls(figure, cases) {
    const swap = figure.button("Swap the names", ({ swapped }) => ({ swapped: !swapped }));
    const switches = new Set(cases.map((c) => c.positions));
    const counts = [...new Set(cases.map((c) => c.heads))].sort((p, q) => p - q);
    const onOff = { label: "positions", values: [false, true], words: ["off", "on"] };
    const choices = [
      switches.size > 1 ? figure.choice({ ...onOff, trait: "positions" }) : null,
      counts.length > 1 ? figure.choice({ label: "heads", values: counts, trait: "heads" }) : null,
    ];
    return attnkit.controls(attnkit.row(swap, choices, figure.reset()));
  }

  // One place of the sentence: the word that stands there and below it a column of weight for each head.
  function spot(kind, heads) {
    const word = h("span", { class: `ak-named ${kind}` });
    const bars = Array.from({ length: heads }, () => {
      const [column, number] = [h("span", { class: "ak-column" }), h("span", { class: "ak-num" })];
      const shaft = h("span", { class: "ak-shaft", "aria-hidden": "true" }, column);
      return { column, number, element: h("span", { class: "ak-stand" }, shaft, number) };
    });
    const element = h("span", { class: "ak-spot", role: "listitem" }, word, h("span", { class: "ak-stands" }, bars));
    function show(name, place, weights) {
      const told = weights.map((w, k) => `${weights.length > 1 ? `head ${k + 1}` : "weight"} ${fixed(w)}`);
      write(word, name);
      attr(element, "aria-label", `place ${place + 1}, ${name}: ${told.join(", ")}`);
      bars.forEach((bar, k) => {
        bar.element.hidden = k >= weights.length;
        attnkit.style(bar.column, "transform", `scaleY(${(weights[k] ?? 0).toFixed(3)})`);
        write(bar.number, k < weights.length ? fixed(weights[k]) : "");
      });
    }
    return { word, element, show };
  }

  function sentence(figure, { words, swap, asking, cases }) {
    const heads = Math.max(...cases.map((c) => c.heads));
    const kinds = words.map((_, i) => (swap.includes(i) ? "ak-mover" : i === asking ? "ak-asks" : ""));
    const spots = kinds.map((kind) => spot(kind, heads));
    // The short way for a pointer; the button is there for all.
    const change = () => figure.put({ swapped: !figure.get("swapped") });
    for (const place of swap) spots[place].word.addEventListener("click", change);
    const element = h("div", { class: "ak-spots", role: "list", style: `--places:${words.length}` }, spots);
    function show({ present, weights }) {
      const columns = present.map((_, i) => weights.map((row) => row[i]));
      spots.forEach((place, i) => place.show(present[i], i, columns[i]));
    }
    return { element, show };
  }

  // The outputs of both orders one above the other, a square for each number with the sign in it, in two lines.
  function outputStrip(width) {
    const pairs = Array.from({ length: width }, () => [h("span", { class: "ak-sq" }), h("span", { class: "ak-sq" })]);
    const columns = pairs.map((pair) => h("span", {}, pair));
    const names = () => h("span", {}, ...["this", "other"].map((text) => h("span", { class: "ak-small" }, text)));
    const half = Math.ceil(width / 2);
    const lines = [names(), ...columns.slice(0, half), names(), ...columns.slice(half)];
    const element = h("div", { class: "ak-outputs", role: "img", style: `--half:${half}` }, lines);
    function show(outputs) {
      const vmax = Math.max(...outputs.flat().map(Math.abs)) || 1;
      outputs.forEach((output, row) => {
        output.forEach((value, k) => {
          write(pairs[k][row], value < 0 ? "−" : value > 0 ? "+" : "");
          attnkit.paint(pairs[k][row], value, vmax);
        });
      });
      const told = outputs.map((output) => output.map((v) => fixed(v)).join(", "));
      attr(element, "aria-label", `This order: ${told[0]}. The other order: ${told[1]}.`);
    }
    return { element, show };
  }

  // A question with up to three answers, the best first, and whether that one is right.
  function reply(question) {
    const verdict = h("span");
    const bars = attnkit.wordBars(3);
    function show(best, right) {
      write(verdict, right ? "right" : "wrong");
      attr(verdict, "class", right ? "ak-verdict ak-right" : "ak-verdict");
      bars.show(best);
    }
    return { element: h("div", { class: "ak-ask" }, h("strong", {}, question), verdict, bars), show };
  }

  // The line below the figure: the sentence, where the word looks, what becomes of output and answers.
  function told({ words, asking, questions }, { present, weights, same, written, answers, right }) {
    const looks = weights.map((row, k) => {
      const most = attnkit.argmax(row);
      return `at ${quoted(present[most])} (${fixed(row[most])}${weights.length > 1 ? `, head ${k + 1}` : ""})`;
    });
    const output = same ? "is the same in the other order" : `differs from the other order by up to ${written}`;
    const replies = questions.map((q, k) => `${q} ${quoted(answers[k][0][0])}, ${right[k] ? "right" : "wrong"}.`);
    const most = `${quoted(words[asking])} looks most ${looks.join(", ")}`;
    return `${quoted(present.join(" "))}: ${most}. The output ${output}. ${replies.join(" ")}`;
  }

  function build(figure) {
    const given = figure.given("words", "swap", "right_at", "asking", "cases", "questions");
    const { words, asking, cases, questions } = given;
    const places = sentence(figure, given);
    const strip = outputStrip(cases[0].output[0].length);
    const difference = h("p", { class: "ak-say" });
    const replies = questions.map(reply);

    function update({ positions, heads, swapped }) {
      const found = cases.find((c) => c.positions === positions && c.heads === heads);
      const chosen = /** @type {Case} */ (found); // Python has seen to it that each combination is there
      const { orders, written, same, right } = compute({ ...given, chosen });
      const order = Number(swapped);
      const [weights, answers] = [chosen.weights[order], chosen.answers[order]];
      const shown = { present: orders[order], weights, answers, right: right[order], written, same };
      places.show(shown);
      strip.show([chosen.output[order], chosen.output[1 - order]]);
      write(difference, `Largest difference: ${written}${same ? ", the same" : ""}`);
      replies.forEach((r, k) => r.show(answers[k], shown.right[k]));
      figure.say(told(given, shown));
    }
    const asker = quoted(words[asking]);
    const looks = h("p", { class: "ak-small" }, `How much ${asker} looks at each place`);
    const output = h("p", { class: "ak-small" }, `Output at ${asker}, in this order of the words and in the other`);
    const left = h("div", {}, looks, places, controls(figure, cases));
    const right = h("div", {}, output, strip, difference, replies);
    return { parts: [h("div", { class: "ak-sides" }, left, right)], update };
  }

  attnkit.register("swapped_words", { label: "Two words change places", wide: true, compute, build });
})(globalThis.attnkit);
