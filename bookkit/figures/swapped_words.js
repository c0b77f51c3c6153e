// Two words of a sentence change places; what a trained attention layer makes of it at a third.
((attnkit) => {
  "use strict";
  const { h, fixed, quoted } = attnkit;

  /** @typedef {{ swapped: boolean, positions: boolean, heads: number }} State */
  /** @typedef {[word: string, probability: number][][]} Answers the best of each question */
  /** @typedef {{ positions: boolean, heads: number, weights: Matrix[], output: Matrix, answers: Answers[] }} Case of both orders */
  /** @typedef {{ words: string[], swap: Pair, right_at: number[] }} Question */
  /** @typedef {Question & { asking: number, cases: Case[], questions: string[] }} Given */
  const [SIDE, PIECE] = [18, 16]; // one square, in pixels; pairs in a row

  // The arithmetic, compared with Python's by tests/figures/: `chosen` is the case shown.
  /** @param {Question & { chosen: Case }} state */
  function compute({ words, swap: [a, b], right_at, chosen }) {
    const orders = [words, words.map((word, i) => (i === a ? words[b] : i === b ? words[a] : word))];
    const [one, other] = chosen.output;
    const difference = Math.max(...one.map((v, k) => Math.abs(v - other[k])));
    const right = chosen.answers.map((answers, order) =>
      answers.map((best, k) => best[0][0] === orders[order][[a, b][right_at[k]]]),
    );
    return { orders, difference, written: attnkit.compact(difference), same: difference < 1e-12, right };
  }

  // A way from (x, y) to where the element stands, in a bow to its side: two that change places pass each other.
  /** @param {number} x @param {number} y @param {number} lift */
  function bow(x, y, lift) {
    const length = Math.hypot(x, y) || 1;
    return Array.from({ length: 17 }, (_, k) => {
      const [t, side] = [1 - k / 16, (lift * Math.sin((Math.PI * k) / 16)) / length];
      return { transform: `translate(${t * x - side * y}px, ${t * y + side * x}px)` };
    });
  }

  // The two words on their way whenever the order changes: each starts where the other one stands on the screen, perhaps
  // still under way, and ends in its new place.
  /** @param {HTMLElement[]} chips */
  function gliding(chips) {
    /** @type {Animation[]} */
    let glides = [];
    /** @type {boolean | null} */
    let shown = /** @type {boolean | null} */ (null);
    const stop = () => glides.forEach((g) => g.cancel());
    function glide() {
      const seen = chips.map((chip) => chip.getBoundingClientRect());
      stop();
      if (attnkit.calm()) return;
      const home = chips.map((chip) => chip.getBoundingClientRect());
      glides = chips.map((chip, i) => {
        const [from, to] = [seen[1 - i], home[i]];
        const way = bow(from.left - to.left, from.top - to.top, Math.min(40, 1.15 * to.height));
        return chip.animate(way, { duration: 600, easing: "ease-in-out" });
      });
    }
    return {
      /** @param {boolean} swapped */
      show(swapped) {
        if (shown !== null && shown !== swapped) glide();
        shown = swapped;
      },
      stop,
    };
  }

  // The choices that there are, only where there is more than one.
  /** @param {Figure<State, Given>} figure @param {boolean[]} switches @param {number[]} counts */
  function controls(figure, switches, counts) {
    /** @template {"positions" | "heads"} T @param {T} trait @param {State[T][]} values @param {string[]} words */
    const among = (trait, values, words) => {
      const read = (/** @type {State} */ state) => values.indexOf(state[trait]);
      const write = (/** @type {number} */ i) => ({ [trait]: values[i] });
      return values.length > 1 ? figure.choice({ label: trait, words, read, write }).element : null;
    };
    const swap = figure.button("Swap the names", ({ swapped }) => ({ swapped: !swapped }));
    const onOff = switches.map((on) => (on ? "on" : "off"));
    const choices = [among("positions", switches, onOff), among("heads", counts, counts.map(String))];
    const buttons = h("div", { class: "ak-buttons ak-switches" }, swap, ...choices, figure.reset());
    return h("div", { class: "ak-controls" }, buttons);
  }

  /** @param {Child[]} texts */
  const lead = (...texts) => h("span", { class: "ak-lead ak-small", "aria-hidden": "true" }, ...texts);

  // One place of the sentence: the word that stands there and below it a column of weight for each head, two in a row.
  /** @param {string} kind @param {number} heads */
  function spot(kind, heads) {
    const chip = h("span", { class: `ak-named${kind}` });
    const bars = Array.from({ length: heads }, () => {
      const [head, bar, number] = [lead(), h("span", { class: "ak-column" }), h("span", { class: "ak-num" })];
      const shaft = h("span", { class: "ak-shaft", "aria-hidden": "true" }, bar);
      return { head, bar, number, element: h("span", { class: "ak-stand" }, head, shaft, number) };
    });
    const stands = h("span", { class: "ak-stands" }, ...bars.map((b) => b.element));
    const element = h("span", { class: "ak-spot", role: "listitem" }, chip, stands);
    return { chip, bars, stands, element };
  }

  /** @param {string[]} words @param {Pair} swap @param {number} asking @param {number} heads */
  function sentence(words, swap, asking, heads) {
    const spots = words.map((_, i) => spot(swap.includes(i) ? " ak-mover" : i === asking ? " ak-asks" : "", heads));
    // On a phone the sentence stands in lines of two or three places, each place with its weights.
    const line = words.length === 4 ? 2 : 3;
    const style = `--places:${words.length};--in-line:${line};--rows:${Math.ceil(heads / 2)}`;
    const element = h("div", { class: "ak-spots", role: "list", style }, ...spots.map((s) => s.element));
    spots.forEach((s, i) => s.element.classList.toggle("ak-turn", i % line === 0));
    return { spots, element };
  }

  /** @param {Matrix} weights @param {number} head */
  const headName = (weights, head) => (weights.length > 1 ? `head ${head + 1}` : "weight");
  // A row of columns is named at its left: "head 1, 2".
  /** @param {Matrix} weights @param {number} head */
  const rowName = (weights, head) => headName(weights, head) + (weights.length > head + 1 ? `, ${head + 2}` : "");

  // The words in their present order, with the weights of each head.
  /** @param {ReturnType<typeof spot>[]} spots @param {string[]} present @param {Matrix} weights */
  function showSentence(spots, present, weights) {
    spots.forEach((place, i) => {
      const numbers = weights.map((row, k) => `${headName(weights, k)} ${fixed(row[i])}`).join(", ");
      attnkit.write(place.chip, present[i]);
      attnkit.attr(place.element, "aria-label", `place ${i + 1}, ${present[i]}: ${numbers}`);
      attnkit.style(place.stands, "gridTemplateColumns", `repeat(${Math.min(weights.length, 2)}, 1fr)`);
      place.bars.forEach((b, k) => {
        const there = k < weights.length;
        attnkit.style(b.element, "display", there ? "" : "none");
        attnkit.write(b.head, there && k % 2 === 0 ? rowName(weights, k) : "");
        attnkit.style(b.bar, "transform", `scaleY(${there ? weights[k][i].toFixed(3) : 0})`);
        attnkit.write(b.number, there ? fixed(weights[k][i]) : "");
      });
    });
  }

  // Some of the outputs' pairs of numbers, one above the other: a square for each, and a mark for its sign.
  /** @param {number} count */
  function piece(count) {
    /** @param {number} k @param {number} row */
    const square = (k, row) => ({ x: SIDE * k + 1, y: SIDE * row + 1, width: SIDE - 2, height: SIDE - 2, rx: 2 });
    const pairs = Array.from({ length: count }, (_, k) => [0, 1].map((row) => attnkit.svg("rect", square(k, row))));
    const marks = attnkit.svg("path", { class: "ak-marks" });
    const [width, height] = [SIDE * count, 2 * SIDE];
    const viewBox = `0 0 ${width} ${height}`;
    const element = attnkit.svg("svg", { viewBox, width, height, "aria-hidden": "true" });
    element.append(...pairs.flat(), marks);
    return { pairs, marks, element };
  }

  // The two outputs one above the other, drawn in pieces of sixteen pairs: on a phone the pieces stand one below the other.
  /** @param {number} width */
  function outputStrip(width) {
    const counts = Array.from({ length: Math.ceil(width / PIECE) }, (_, p) => Math.min(PIECE, width - PIECE * p));
    const pieces = counts.map(piece);
    const element = h("div", { class: "ak-pairs", role: "img" }, ...pieces.map((p) => p.element));
    return { pieces, element };
  }

  /** @param {ReturnType<typeof outputStrip>} outputStrip @param {Matrix} outputs */
  function showOutputs({ pieces, element }, outputs) {
    const vmax = Math.max(...outputs.flat().map(Math.abs)) || 1;
    pieces.forEach(({ pairs, marks }, p) => {
      let signs = "";
      pairs.forEach((pair, k) =>
        pair.forEach((square, row) => {
          const value = outputs[row][PIECE * p + k];
          const [x, y] = [SIDE * (k + 0.5), SIDE * (row + 0.5)];
          attnkit.attr(square, "class", value < 0 ? "ak-minus" : "ak-plus");
          attnkit.attr(square, "fill-opacity", attnkit.opacity(value, vmax).toFixed(2));
          if (value !== 0) signs += `M${x - 4} ${y}h8${value > 0 ? "m-4 -4v8" : ""}`;
        }),
      );
      attnkit.attr(marks, "d", signs);
    });
    const rows = ["This", "The other"].map((which, row) => {
      return `${which} order: ${outputs[row].map((v) => fixed(v)).join(", ")}`;
    });
    attnkit.attr(element, "aria-label", `${rows.join(". ")}.`);
  }

  // A question with up to three answers, the best first, and whether that one is right.
  /** @param {string} question */
  function reply(question) {
    const verdict = h("span", { class: "ak-verdict" });
    const slots = [0, 1, 2].map(() => {
      const [share, word, number] = [h("span", { class: "ak-share" }), h("span", {}), h("span", { class: "ak-num" })];
      return { share, word, number, element: h("span", { class: "ak-reply" }, share, word, number) };
    });
    const parts = [h("strong", {}, question), verdict, ...slots.map((s) => s.element)];
    return { verdict, slots, element: h("div", { class: "ak-ask" }, ...parts) };
  }

  /** @param {ReturnType<typeof reply>} reply @param {Answers[0]} best @param {boolean} right */
  function showReply({ verdict, slots }, best, right) {
    attnkit.write(verdict, right ? "right" : "wrong");
    attnkit.attr(verdict, "class", `ak-verdict ak-${right ? "right" : "wrong"}`);
    slots.forEach((slot, rank) => {
      const [word, probability] = best[rank] || ["", 0];
      attnkit.style(slot.element, "display", word ? "" : "none");
      attnkit.write(slot.word, word);
      attnkit.write(slot.number, fixed(probability));
      attnkit.style(slot.share, "transform", `scaleX(${probability.toFixed(3)})`);
    });
  }

  /**
   * @typedef {{ asker: string, present: string[], weights: Matrix, same: boolean, written: string, questions: string[], answers: Answers, right: boolean[] }} Summary
   */
  // The line below the figure: the sentence, where the word looks, what becomes of output and answers.
  /** @param {Summary} summary */
  function summary({ asker, present, weights, same, written, questions, answers, right }) {
    const looks = weights.map((row, k) => {
      const most = attnkit.argmax(row);
      return `at ${quoted(present[most])} (${fixed(row[most])}${weights.length > 1 ? `, head ${k + 1}` : ""})`;
    });
    const output = same ? "is the same in the other order" : `differs from the other order by up to ${written}`;
    const replies = questions.map((q, k) => `${q} ${quoted(answers[k][0][0])}, ${right[k] ? "right" : "wrong"}.`);
    const most = `${quoted(asker)} looks most ${looks.join(", ")}`;
    return `${quoted(present.join(" "))}: ${most}. The output ${output}. ${replies.join(" ")}`;
  }

  /** @param {Figure<State, Given>} figure */
  function build(figure) {
    const { words, swap, asking, cases } = figure.given("words", "swap", "asking", "cases");
    const { questions, right_at } = figure.given("questions", "right_at");
    const asker = words[asking];
    const switches = [false, true].filter((on) => cases.some((c) => c.positions === on));
    const counts = [...new Set(cases.map((c) => c.heads))].sort((p, q) => p - q);
    const { spots, element } = sentence(words, swap, asking, Math.max(...counts));
    const movers = swap.map((i) => spots[i].chip);
    // The short way for a pointer; the button is there for all.
    const change = () => figure.put({ swapped: !figure.get("swapped") });
    for (const mover of movers) mover.addEventListener("click", change);
    const glides = gliding(movers);
    const buttons = controls(figure, switches, counts);
    const strip = outputStrip(cases[0].output[0].length);
    const difference = h("p", { class: "ak-say" });
    const replies = questions.map(reply);

    /** @param {State} state */
    function update(state) {
      const found = cases.find((c) => c.positions === state.positions && c.heads === state.heads);
      const chosen = /** @type {Case} */ (found); // Python has seen to it that each combination is there
      const { orders, written, same, right: both } = compute({ words, swap, right_at, chosen });
      const order = Number(state.swapped);
      const [present, weights] = [orders[order], chosen.weights[order]];
      const [answers, right] = [chosen.answers[order], both[order]];
      showSentence(spots, present, weights);
      showOutputs(strip, [chosen.output[order], chosen.output[1 - order]]);
      attnkit.write(difference, `Largest difference: ${written}${same ? ", the same" : ""}`);
      replies.forEach((r, k) => showReply(r, answers[k], right[k]));
      figure.say(summary({ asker, present, weights, same, written, questions, answers, right }));
    }
    /** @param {string} text */
    const note = (text) => h("p", { class: "ak-small" }, text);
    const parts = [
      note(`How much ${quoted(asker)} looks at each place`),
      element,
      buttons,
      note(`Output at ${quoted(asker)}, in this order of the words and in the other`),
      h("div", { class: "ak-outputs" }, lead(h("span", {}, "this"), h("span", {}, "other")), strip.element),
      difference,
      h("div", { class: "ak-asked" }, ...replies.map((r) => r.element)),
    ];
    return { parts, update, measure: (/** @type {State} */ { swapped }) => glides.show(swapped), stop: glides.stop };
  }

  attnkit.register("swapped_words", { label: "Two words change places", compute, build });
})(globalThis.attnkit);
