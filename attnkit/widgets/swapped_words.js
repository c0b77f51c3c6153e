// Two words of a sentence change places; what a trained attention layer makes of it at a third.
(function (attnkit) {
  "use strict";
  const { h, fixed } = attnkit;
  const [SIDE, PIECE] = [18, 16];     // one square, in pixels; pairs in a row


  // The arithmetic, compared with Python's by tests/test_widgets.py: `chosen` is the case shown.
  function compute({ words, swap: [a, b], right_at, chosen }) {
    const orders = [words, words.map((word, i) => (i === a ? words[b] : i === b ? words[a] : word))];
    const [one, other] = chosen.output;
    const difference = Math.max(...one.map((v, k) => Math.abs(v - other[k])));
    const right = chosen.answers.map((answers, order) => answers.map((best, k) => best[0][0] === orders[order][[a, b][right_at[k]]]));
    return { orders, difference, written: attnkit.written(difference), same: difference < 1e-12, right };
  }

  // A way from (x, y) to where the element stands, in a bow to its side: two that change places pass each other.
  function bow(x, y, lift) {
    const length = Math.hypot(x, y) || 1;
    return Array.from({ length: 17 }, (_, k) => {
      const [t, side] = [1 - k / 16, lift * Math.sin((Math.PI * k) / 16) / length];
      return { transform: `translate(${t * x - side * y}px, ${t * y + side * x}px)` };
    });
  }

  function render({ model, el }) {
    const [words, swap, asking, cases, questions] = ["words", "swap", "asking", "cases", "questions"].map((name) => model.get(name));
    const values = (name) => [...new Set(cases.map((c) => c[name]))].sort((p, q) => p - q);
    const [switches, counts] = [values("positions"), values("heads")];
    const lead = (...texts) => h("span", { class: "ak-lead ak-small", "aria-hidden": "true" }, ...texts);

    const positions = attnkit.choice("positions", switches.map((on) => (on ? "on" : "off")), (i) => attnkit.put(model, { positions: switches[i] }));
    const heads = attnkit.choice("heads", counts.map(String), (i) => attnkit.put(model, { heads: counts[i] }));
    const buttons = h("div", { class: "ak-buttons ak-switches" },
      h("button", { type: "button", onclick: () => attnkit.put(model, { swapped: !model.get("swapped") }) }, "Swap the names"),
      switches.length > 1 ? positions.element : null, counts.length > 1 ? heads.element : null,
      h("button", { type: "button", onclick: () => attnkit.put(model, {
        swapped: false, positions: cases[0].positions, heads: cases[0].heads }) }, "Reset"));

    const spots = words.map((_, i) => {
      const chip = h("span", { class: `ak-named${swap.includes(i) ? " ak-mover" : i === asking ? " ak-asks" : ""}` });
      const bars = Array.from({ length: Math.max(...counts) }, () => {
        const [head, bar, number] = [lead(), h("span", { class: "ak-column" }), h("span", { class: "ak-num" })];
        return { head, bar, number, element: h("span", { class: "ak-stand" }, head, h("span", { class: "ak-shaft", "aria-hidden": "true" }, bar), number) };
      });
      return { chip, bars, element: h("span", { class: "ak-spot", role: "listitem" }, chip, ...bars.map((b) => b.element)) };
    });
    // On a phone the sentence stands in lines of two or three places, each place with its weights.
    const line = words.length === 4 ? 2 : 3;
    const sentence = h("div", { class: "ak-spots", role: "list", style: `--places:${words.length};--in-line:${line}` }, ...spots.map((s) => s.element));
    spots.forEach((spot, i) => spot.element.classList.toggle("ak-turn", i % line === 0));

    // The two outputs one above the other, drawn in pieces of sixteen pairs: on a phone the pieces stand one below the other.
    const width = cases[0].output[0].length;
    const pieces = Array.from({ length: Math.ceil(width / PIECE) }, (_, p) => {
      const pairs = Array.from({ length: Math.min(PIECE, width - PIECE * p) }, (_, k) => [0, 1].map((row) =>
        attnkit.svg("rect", { x: SIDE * k + 1, y: SIDE * row + 1, width: SIDE - 2, height: SIDE - 2, rx: 2 })));
      const marks = attnkit.svg("path", { class: "ak-marks" });
      const [wide, high] = [SIDE * pairs.length, 2 * SIDE];
      const element = attnkit.svg("svg", { viewBox: `0 0 ${wide} ${high}`, width: wide, height: high, "aria-hidden": "true" });
      element.append(...pairs.flat(), marks);
      return { pairs, marks, element };
    });
    const strip = h("div", { class: "ak-pairs", role: "img" }, ...pieces.map((piece) => piece.element));
    const difference = h("p", { class: "ak-say" });
    const replies = questions.map((question) => {
      const verdict = h("span", { class: "ak-verdict" });
      const slots = [0, 1, 2].map(() => {
        const [share, word, number] = [h("span", { class: "ak-share" }), h("span", {}), h("span", { class: "ak-num" })];
        return { share, word, number, element: h("span", { class: "ak-reply" }, share, word, number) };
      });
      return { question, verdict, slots, element: h("div", { class: "ak-ask" }, h("strong", {}, question), verdict, ...slots.map((s) => s.element)) };
    });
    const frame = attnkit.frame(model, "Two words change places", h("div", { class: "ak-controls" }, buttons),
      h("p", { class: "ak-small" }, `How much “${words[asking]}” looks at each place`), sentence,
      h("p", { class: "ak-small" }, `Output at “${words[asking]}”, in this order of the words and in the other: a square for each number`),
      h("div", { class: "ak-outputs" }, lead(h("span", {}, "this"), h("span", {}, "other")), strip), difference,
      h("div", { class: "ak-asked" }, ...replies.map((r) => r.element)));
    el.replaceChildren(frame.element);

    const movers = swap.map((i) => spots[i].chip);
    let glides = [];
    let shown = null;
    // Each word starts where the other one stands on the screen, perhaps still under way, and ends in its new place.
    function glide() {
      const seen = movers.map((chip) => chip.getBoundingClientRect());
      glides.forEach((g) => g.cancel());
      if (globalThis.matchMedia("(prefers-reduced-motion: reduce)").matches) return;
      const home = movers.map((chip) => chip.getBoundingClientRect());
      glides = movers.map((chip, i) => chip.animate(
        bow(seen[1 - i].left - home[i].left, seen[1 - i].top - home[i].top, Math.min(40, 1.15 * home[i].height)), { duration: 600, easing: "ease-in-out" }));
    }

    function update() {
      const [swapped, on, count] = ["swapped", "positions", "heads"].map((name) => model.get(name));
      // Read before anything is written: a read after a write would lay the page out twice.
      if (shown !== null && shown !== swapped) glide();
      shown = swapped;
      const chosen = cases.find((c) => c.positions === on && c.heads === count);
      const now = compute({ words, swap, right_at: model.get("right_at"), chosen });
      const [order, present] = [Number(swapped), now.orders[Number(swapped)]];
      const weights = chosen.weights[order];
      positions.show(switches.indexOf(on));
      heads.show(counts.indexOf(count));
      const named = (head) => (count > 1 ? `head ${head + 1}` : "weight");
      spots.forEach((spot, i) => {
        attnkit.write(spot.chip, present[i]);
        attnkit.attr(spot.element, "aria-label", `place ${i + 1}, ${present[i]}: ${weights.map((row, k) => `${named(k)} ${fixed(row[i])}`).join(", ")}`);
        spot.bars.forEach((b, k) => {
          const there = k < count;
          attnkit.style(b.element, "display", there ? "" : "none");
          attnkit.write(b.head, there ? named(k) : "");
          attnkit.style(b.bar, "transform", `scaleY(${there ? weights[k][i].toFixed(3) : 0})`);
          attnkit.write(b.number, there ? fixed(weights[k][i]) : "");
        });
      });

      const outputs = [chosen.output[order], chosen.output[1 - order]];
      const largest = Math.max(...outputs.flat().map(Math.abs)) || 1;
      pieces.forEach(({ pairs, marks }, p) => {
        let drawn = "";
        pairs.forEach((pair, k) => pair.forEach((square, row) => {
          const value = outputs[row][PIECE * p + k];
          const [x, y] = [SIDE * (k + 0.5), SIDE * (row + 0.5)];
          attnkit.attr(square, "class", value < 0 ? "ak-minus" : "ak-plus");
          attnkit.attr(square, "fill-opacity", attnkit.opacity(value, largest).toFixed(2));
          if (value !== 0) drawn += `M${x - 4} ${y}h8` + (value > 0 ? `m-4 -4v8` : "");
        }));
        attnkit.attr(marks, "d", drawn);
      });
      attnkit.attr(strip, "aria-label", ["This", "The other"].map((which, row) =>
        `${which} order: ${outputs[row].map((v) => fixed(v)).join(", ")}`).join(". ") + ".");
      attnkit.write(difference, `Largest difference of the two rows: ${now.written}${now.same ? ", the same" : ""}`);

      replies.forEach(({ verdict, slots }, k) => {
        attnkit.write(verdict, now.right[order][k] ? "right" : "wrong");
        attnkit.attr(verdict, "class", `ak-verdict ak-${now.right[order][k] ? "right" : "wrong"}`);
        slots.forEach((slot, rank) => {
          const [word, chance] = chosen.answers[order][k][rank] || ["", 0];
          attnkit.style(slot.element, "display", word ? "" : "none");
          attnkit.write(slot.word, word);
          attnkit.write(slot.number, fixed(chance));
          attnkit.style(slot.share, "transform", `scaleX(${chance.toFixed(3)})`);
        });
      });

      const looks = weights.map((row, k) => `${count > 1 ? `${k ? "h" : "H"}ead ${k + 1} of ` : ""}“${words[asking]}” looks most at ` +
        `“${present[row.indexOf(Math.max(...row))]}”, weight ${fixed(Math.max(...row))}`).join("; ");
      frame.say(`“${present.join(" ")}”, positions ${on ? "on" : "off"}, ${count} head${count > 1 ? "s" : ""}. ${looks}. ` +
        (now.same ? "The output is the same in the other order. " : `The output differs from the other order by up to ${now.written}. `) +
        questions.map((q, k) => `${q} “${chosen.answers[order][k][0][0]}”, ${now.right[order][k] ? "right" : "wrong"}.`).join(" "));
    }
    const leave = attnkit.follow(model, ["swapped", "positions", "heads"], update);
    return () => { frame.stop(); leave(); glides.forEach((g) => g.cancel()); };
  }

  attnkit.figures.swapped_words = { compute, render };
})(globalThis.attnkit);
