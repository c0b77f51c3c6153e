// All heads of a model on a sentence: a small map of each, in rows for the layers; the chosen one is large, with its words.
((attnkit) => {
  "use strict";
  const { h, fixed, quoted } = attnkit;

  /** @typedef {{ text: number, head: number, piece: number, typed: string, found: Found | {} }} State */
  /** @typedef {{ pieces: string[], maps: string }} Text */
  /** @typedef {Text & { typed: string, cut: boolean }} Found a sentence that was typed, read */
  /** @typedef {Pick<State, "text" | "head" | "piece"> & { name: string }} View */
  /** @typedef {{ texts: Text[], layers: number, heads: number, views: View[], asks: boolean }} Given */
  /** @typedef {Figure<State, Given>} Owner */

  const STEPS = 255; // a weight travels as a whole number of these
  const TOLD = 3; // so many weights are told
  const WIDE = 24; // pieces that have a table
  const SIZE = 26; // megabytes of the model, as tests/test_real_model_on_the_page.py finds them

  // The maps of a text, one after the other, each row by row.
  function unpack({ maps }) {
    const letters = atob(maps);
    const out = new Float64Array(letters.length);
    for (let k = 0; k < out.length; k++) out[k] = letters.charCodeAt(k) / STEPS;
    return out;
  }

  // What was typed, if it has been read; else the sentence that is chosen.
  const chosenText = (texts, { text, found }) => ("pieces" in found ? found : texts[text]);
  const title = ({ pieces }) => pieces.slice(1, -1).join(" ").replaceAll(" ##", "");

  // The weights of a piece in a head; compared with Python.
  /** @param {Pick<Given, "texts"> & State} state */
  function compute({ texts, ...state }) {
    const told = chosenText(texts, state);
    return { row: rowOf(unpack(told), told.pieces.length, state.head, state.piece) };
  }
  const rowOf = (maps, n, head, piece) => Array.from(maps.subarray((head * n + piece) * n, (head * n + piece + 1) * n));

  // The small maps themselves, in the buttons; those of a text are kept until the theme changes.
  function drawing(buttons, heads) {
    /** @type {Map<Text, HTMLCanvasElement[]>} */
    const kept = new Map();
    /** @type {Text | null} */
    let drawn = null;
    // A layer in a task of its own: the page answers between them.
    function next(text, maps, canvases) {
      if (drawn !== text || canvases.length === buttons.length) return;
      const n = text.pieces.length;
      const first = canvases.length;
      buttons.slice(first, first + heads).forEach((button, k) => {
        const raster = attnkit.raster(n, n, ["weight"]);
        raster.show(maps.subarray((first + k) * n * n, (first + k + 1) * n * n), 1);
        canvases.push(raster.element);
        button.replaceChildren(raster.element);
      });
      setTimeout(next, 0, text, maps, canvases);
    }
    return {
      show(text, maps) {
        if (drawn === text) return;
        drawn = text;
        const canvases = kept.get(text) ?? [];
        kept.set(text, canvases);
        canvases.forEach((canvas, k) => buttons[k].replaceChildren(canvas));
        setTimeout(next, 0, text, maps, canvases);
      },
      again() {
        kept.clear();
        drawn = null;
      },
    };
  }

  const nameOf = (head, heads) => `head ${(head % heads) + 1} of layer ${Math.floor(head / heads) + 1}`;

  // The small maps, a button for each head.
  function overview(figure, { layers, heads }) {
    const buttons = Array.from({ length: layers * heads }, (_, head) => {
      const look = { "aria-label": nameOf(head, heads), "aria-pressed": "false", class: "ak-framed" };
      return attnkit.button("", () => figure.put({ head }), look);
    });
    const stop = attnkit.walk(buttons, { columns: heads });
    const rows = Array.from({ length: layers }, (_, layer) => [
      h("span", { class: "ak-small" }, `${layer + 1}`),
      ...buttons.slice(layer * heads, (layer + 1) * heads),
    ]);
    const top = Array.from({ length: heads }, (_, head) => h("span", { class: "ak-small" }, `${head + 1}`));
    const group = { class: "ak-heads", role: "group", "aria-label": "The heads" };
    const element = h("div", group, h("span"), top, rows);
    attnkit.style(element, "gridTemplateColumns", `max-content repeat(${heads}, minmax(0, 1fr))`);
    const maps = drawing(buttons, heads);
    function show(head, text, weights) {
      buttons.forEach((button, k) => attnkit.attr(button, "aria-pressed", String(k === head)));
      stop.at(head);
      maps.show(text, weights);
    }
    return { element, show, again: maps.again, at: (head) => buttons[head] };
  }

  // The chosen map as a table; who looks is chosen there, and has its numbers.
  function table(figure, pieces) {
    const lookers = pieces.map((_, piece) => attnkit.button(null, () => figure.put({ piece })));
    const choose = (side, piece) => side === "row" && figure.put({ piece });
    const look = { label: "The weights of this head" };
    const { element, ...map } = attnkit.weightTable(lookers, pieces.length, choose, look);
    element.setAttribute("role", "grid");
    map.lay(pieces, pieces);
    function show({ head, piece }, maps) {
      const n = pieces.length;
      const rows = pieces.map((_, i) => rowOf(maps, n, head, i));
      map.show(rows, (weight, i) => (i === piece && weight >= 0.05 ? fixed(weight).replace(/^0/, "") : ""));
      lookers.forEach((looker, i) => {
        map.lines[i].toggleAttribute("data-chosen", i === piece);
        attnkit.attr(looker, "aria-pressed", String(i === piece));
      });
      map.stop.at(piece);
    }
    return { element, show };
  }

  // A long text as running words, where a table would be too large: the chosen piece, and in their shade its weights.
  function running(figure, pieces) {
    const look = { "aria-pressed": "false", class: "ak-framed" };
    const words = pieces.map((piece, k) => attnkit.button(piece, () => figure.put({ piece: k }), look));
    const stop = attnkit.walk(words);
    const spaced = words.map((word) => [word, " "]);
    const label = "The pieces: a pressed one shows by shades where it looks";
    const element = h("div", { class: "ak-running", role: "group", "aria-label": label }, spaced);
    function show({ head, piece }, maps) {
      const row = rowOf(maps, words.length, head, piece);
      words.forEach((word, j) => {
        attnkit.paint(word, row[j], 1, "weight");
        attnkit.attr(word, "title", fixed(row[j])); // more than a shade says
        attnkit.attr(word, "aria-pressed", String(j === piece));
      });
      stop.at(piece);
    }
    return { element, show };
  }

  // The large map comes out of the small one that was chosen.
  function grow(large, small) {
    if (attnkit.calm()) return;
    const [from, to] = [small, large].map((node) => node.getBoundingClientRect());
    const place = `translate(${from.x - to.x}px, ${from.y - to.y}px)`;
    const transform = `${place} scale(${from.width / to.width}, ${from.height / to.height})`;
    large.animate([{ transformOrigin: "0 0", transform, opacity: 0.3 }, { transformOrigin: "0 0" }], {
      duration: 350,
      easing: "ease-out",
    });
  }

  // In a sentence: what the chosen piece looks at.
  function sentence({ heads }, { head, piece }, pieces, maps) {
    const row = rowOf(maps, pieces.length, head, piece);
    const best = attnkit.ranked(row).slice(0, TOLD);
    const told = best.map((j) => `${quoted(pieces[j])} ${fixed(row[j])}`).join(", ");
    return `${nameOf(head, heads).replace("h", "H")}: ${quoted(pieces[piece])} looks at ${told}.`;
  }

  const remark = ({ cut, pieces }) =>
    cut ? "Only the first 64 pieces are read." : pieces.length > WIDE ? "A long sentence stands in running words." : "";

  // A sentence of the reader's own: the worker reads it, or in a notebook the kernel.
  function typing(figure) {
    const hint = { placeholder: "Type a sentence", "aria-label": "A sentence of your own" };
    const input = h("input", { type: "text", maxlength: 400, ...hint });
    const note = h("p", { class: "ak-small", "aria-live": "polite" });
    async function send(event) {
      event.preventDefault();
      const typed = input.value.trim();
      if (!typed) return attnkit.write(note, "Type a sentence first.");
      if (typed === figure.get("typed")) return;
      attnkit.write(note, "Reading ...");
      figure.put({ typed, found: {}, piece: 1 });
      if (loader.live) return;
      const { pieces, maps, cut } = await attnkit.minilm.read(typed);
      if (figure.get("typed") === typed) figure.put({ found: { typed, pieces, maps, cut } });
    }
    const form = h("form", { class: "ak-buttons", onsubmit: send }, input, h("button", { type: "submit" }, "Read it"));
    const loader = attnkit.loader(figure, attnkit.minilm, SIZE, form);
    function show({ typed, found }) {
      const told = "pieces" in found ? found : null;
      if (!typed || told) attnkit.write(note, told ? remark(told) : "");
      if (told && document.activeElement !== input) input.value = told.typed;
    }
    const clear = () => (input.value = "");
    return { element: h("div", { class: "ak-own" }, loader, note), show, clear, stop: loader.stop };
  }

  // The sentences that come with the figure, and the reader's own while it is shown.
  function sentences(figure, texts) {
    const names = [...texts.map(title), "your own sentence"];
    const menu = attnkit.menu("sentence", names, (text) => figure.put({ text, piece: 1, typed: "", found: {} }));
    const own = menu.input.options[texts.length];
    own.hidden = true;
    function show({ text, found }) {
      own.hidden = !("pieces" in found);
      menu.show(own.hidden ? text : texts.length);
    }
    return { element: menu.element, show };
  }

  function build(figure) {
    const given = figure.given("texts", "layers", "heads", "views", "asks");
    const { texts, views } = given;
    // What a text needs is made when it is chosen.
    /** @type {WeakMap<Text, { maps: Float64Array, large: ReturnType<typeof table | typeof running> }>} */
    const made = new WeakMap();
    function of(text) {
      const large = text.pieces.length > WIDE ? running : table;
      const found = made.get(text) ?? { maps: unpack(text), large: large(figure, text.pieces) };
      made.set(text, found);
      return found;
    }
    const all = overview(figure, given);
    const chosen = figure.choice({
      label: "Look at",
      words: views.map(({ name }) => name),
      read: ({ text, head, piece, found }) =>
        "pieces" in found
          ? -1
          : views.findIndex((one) => one.text === text && one.head === head && one.piece === piece),
      write: (k) => ({ text: views[k].text, head: views[k].head, piece: views[k].piece, typed: "", found: {} }),
    });
    chosen.element.hidden = !views.length;
    const list = sentences(figure, texts);
    const own = given.asks ? typing(figure) : null;
    const place = h("div", { class: "ak-large" });
    let [dark, head] = ["", figure.get("head")];
    function update(state) {
      const colour = getComputedStyle(figure.element).getPropertyValue("--ak-fill-weight");
      if (colour !== dark) all.again();
      dark = colour;
      list.show(state);
      own?.show(state);
      const told = chosenText(texts, state);
      const { maps, large } = of(told);
      if (place.firstChild !== large.element) place.replaceChildren(large.element);
      all.show(state.head, told, maps);
      large.show(state, maps);
      if (state.head !== head) grow(large.element, all.at(state.head));
      head = state.head;
      figure.say(sentence(given, state, told.pieces, maps));
    }
    const maps = h("div", { class: "ak-maps" }, all, place);
    return { parts: [chosen, list, own, maps, attnkit.row(figure.reset(own?.clear))], update, stop: own?.stop };
  }

  attnkit.register("head_maps", { label: "All heads on a sentence", wide: true, compute, build });
})(globalThis.attnkit);
