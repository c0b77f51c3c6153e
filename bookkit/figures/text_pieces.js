// Byte-pair encoding: a text of the reader's, cut into pieces that grow with each merge.
((attnkit) => {
  "use strict";
  const { h, quoted } = attnkit;

  /** @typedef {{ text: string, merged: number }} State */
  /** @typedef {{ merges: Pair[], examples: [name: string, text: string][] }} Given */
  /** @typedef {Map<number, number>} Places of the merges, by the keys of their pairs */

  const LETTERS = 300; // of a text, at most
  // Words, signs and blanks, as Python sees them: no piece goes beyond one of these.
  const [WORD, BLANK] = ["\\p{L}\\p{N}_", "\\p{White_Space}\\x1c-\\x1f"];
  const PARTS = new RegExp(` ?[${WORD}]{1,64}| ?[^${WORD}${BLANK}]{1,64}|[${BLANK}]{1,64}`, "gu");
  /** @type {Record<string, string>} */
  const MARKS = { " ": "␣", "\n": "⏎", "\t": "⇥" }; // what would not be seen
  const encoder = new TextEncoder();
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

  // ---- the arithmetic, compared with TextPieces by tests/figures/

  const key = (a, b) => a * 2 ** 16 + b;
  const placesOf = (merges) => new Map(merges.map(([a, b], k) => [key(a, b), k]));

  // Join pairs that are known, the one learned first before the others, until there is none.
  function join(ids, places, merged) {
    const pairs = ids.slice(1).map((b, i) => places.get(key(ids[i], b)) ?? merged);
    const first = Math.min(...pairs, merged);
    if (first === merged) return ids;
    const joined = [];
    for (let i = 0; i < ids.length; i++) {
      const here = pairs[i] === first;
      joined.push(here ? 256 + first : ids[i]);
      if (here) i++;
    }
    return join(joined, places, merged);
  }

  const cut = ({ text, merged }, places) =>
    (text.match(PARTS) ?? []).flatMap((part) => join([...encoder.encode(part)], places, merged));

  const spelled = (piece, merges) =>
    piece < 256 ? [piece] : merges[piece - 256].flatMap((part) => spelled(part, merges));

  function compute(state) {
    const { merges } = state;
    const ids = cut(state, placesOf(merges));
    return { ids, drawn: ids.map((piece) => drawn(spelled(piece, merges))), told: told(state, ids.length) };
  }

  // ---- pieces as they are written, and the sentence, as in Python

  // The text of a piece, blanks as marks; nothing if it is no whole text, or none that can be seen.
  function letters(bytes) {
    try {
      const text = decoder.decode(Uint8Array.from(bytes)).replace(/[ \n\t]/g, (blank) => MARKS[blank]);
      return /[^\p{C}\p{M}\p{Z}]/u.test(text) ? text : "";
    } catch {
      return "";
    }
  }
  const hex = (bytes) => bytes.map((byte) => byte.toString(16).padStart(2, "0").toUpperCase()).join(" ");
  const drawn = (bytes) => letters(bytes) || hex(bytes);

  function told({ text, merged, merges }, pieces) {
    const name = (piece) => quoted(drawn(spelled(piece, merges)));
    let last = "No merges yet: each piece is a byte.";
    if (merged) {
      const [a, b] = merges[merged - 1].map(name);
      last = `The last merge, number ${merged}, joins ${a} and ${b} into ${name(255 + merged)}.`;
    }
    const count = [...text].length;
    if (!count) return `${last} There is no text.`;
    return `${last} ${attnkit.many(count, "letter")} ${count === 1 ? "is" : "are"} ${attnkit.many(pieces, "piece")}.`;
  }

  // ---- the parts

  function box(bytes, isNew) {
    const text = letters(bytes);
    // Of what is split so, every second part is marks.
    const runs = text.split(/([␣⏎⇥]+)/u).map((run, k) => (k % 2 ? h("span", { class: "ak-mark" }, run) : run));
    return h("li", { class: isNew ? "ak-new" : null }, text ? runs : h("small", {}, hex(bytes)));
  }

  // The reader's text, and some to begin with.
  function textBox(figure) {
    const examples = figure.get("examples");
    const oninput = () => figure.put({ text: area.value });
    const area = h("textarea", { rows: 2, maxlength: LETTERS, dir: "auto", spellcheck: "false", oninput });
    const show = (text) => {
      if (area.value !== text) area.value = text;
    };
    figure.follow({ show }, { trait: "text" });
    const some = figure.choice({
      label: "for example",
      words: examples.map(([name]) => name),
      values: examples.map(([, text]) => text),
      trait: "text",
    });
    const label = h("label", { class: "ak-part" }, h("span", { class: "ak-name" }, "Your text"), area);
    return h("div", { class: "ak-part" }, label, some);
  }

  function build(figure) {
    const merges = figure.get("merges");
    const places = placesOf(merges);
    const word = (/** @type {number} */ k) => attnkit.many(k, "merge");
    const slider = figure.slider({ name: "merges", trait: "merged", min: 0, max: merges.length, step: 1, word });
    const list = h("ul", { class: "ak-pieces", role: "list", dir: "auto", "aria-label": "The pieces of your text" });
    const controls = h("div", { class: "ak-controls ak-last-row" }, slider, figure.reset());

    function update(state) {
      const ids = cut(state, places);
      list.replaceChildren(...ids.map((piece) => box(spelled(piece, merges), piece === 255 + state.merged)));
      figure.say(told({ ...state, merges }, ids.length));
    }
    // What is longer or shorter with each text stands below what a hand holds.
    return { parts: [textBox(figure), controls, list], update };
  }

  attnkit.register("text_pieces", { label: "A text in pieces", compute, build });
})(globalThis.attnkit);
