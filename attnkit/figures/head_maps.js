// All heads of a model on a sentence: a small map of each, in rows for the layers; the chosen one is large, with its words.
((attnkit) => {
  "use strict";
  const { h, fixed, quoted } = attnkit;

  /** @typedef {{ text: number, head: number, piece: number }} State */
  /** @typedef {{ pieces: string[], maps: string }} Text */
  /** @typedef {State & { name: string }} View */
  /** @typedef {{ texts: Text[], layers: number, heads: number, views: View[] }} Given */
  /** @typedef {Figure<State, Given>} Owner */

  const STEPS = 255;
  const TOLD = 3; // so many weights are told

  // The maps of a text, one after the other, each row by row.
  /** @param {Text} text */
  const unpack = ({ maps }) => Float64Array.from(atob(maps), (letter) => letter.charCodeAt(0) / STEPS);

  // The weights of a piece in a head; compared with Python.
  /** @param {Pick<Given, "texts"> & State} state */
  function compute({ texts, text, head, piece }) {
    const n = texts[text].pieces.length;
    return { row: Array.from(unpack(texts[text]).slice((head * n + piece) * n, (head * n + piece + 1) * n)) };
  }

  // The small maps, a button for each head.
  /** @param {Owner} figure @param {Given} given */
  function overview(figure, { layers, heads }) {
    const buttons = Array.from({ length: layers * heads }, (_, head) => {
      const name = `head ${(head % heads) + 1} of layer ${Math.floor(head / heads) + 1}`;
      return attnkit.button("", () => figure.put({ head }), { "aria-label": name, "aria-pressed": "false" });
    });
    const stop = attnkit.walk(buttons, { columns: heads });
    const rows = Array.from({ length: layers }, (_, layer) => [
      h("span", { class: "ak-small" }, `${layer + 1}`),
      ...buttons.slice(layer * heads, (layer + 1) * heads),
    ]);
    const top = Array.from({ length: heads }, (_, head) => h("span", { class: "ak-small" }, `${head + 1}`));
    const element = h(
      "div",
      { class: "ak-heads", role: "group", "aria-label": "The heads" },
      h("span"),
      ...top,
      ...rows.flat(),
    );
    attnkit.style(element, "gridTemplateColumns", `max-content repeat(${heads}, minmax(0, 1fr))`);
    /** @type {Map<number, HTMLCanvasElement[]>} */
    const kept = new Map();
    let drawn = -1;
    /** @param {Float64Array} weights @param {number} n */
    function map(weights, n) {
      const raster = attnkit.raster(n, n, ["weight"]);
      raster.show(Array.from(weights), 1);
      return raster.element;
    }
    /** @param {State} state @param {Float64Array} maps @param {number} n */
    function show({ text, head }, maps, n) {
      buttons.forEach((button, k) => {
        attnkit.attr(button, "aria-pressed", String(k === head));
      });
      stop.at(head);
      if (drawn === text) return;
      drawn = text;
      const canvases = kept.get(text) ?? buttons.map((_, k) => map(maps.subarray(k * n * n, (k + 1) * n * n), n));
      kept.set(text, canvases);
      buttons.forEach((button, k) => {
        button.replaceChildren(canvases[k]);
      });
    }
    // Another theme has other colours.
    const again = () => {
      kept.clear();
      drawn = -1;
    };
    return { element, show, again };
  }

  // The chosen map as a table: who looks stands at the left, and is chosen there.
  /** @param {Owner} figure @param {string[]} pieces */
  function table(figure, pieces) {
    const lookers = pieces.map((piece, k) =>
      attnkit.button(piece, () => figure.put({ piece: k }), { "aria-pressed": "false" }),
    );
    const stop = attnkit.walk(lookers, { columns: 1 });
    const numbers = pieces.map(() => pieces.map(() => h("span")));
    const cells = numbers.map((row) => row.map((number) => h("td", null, number)));
    const lines = cells.map((row, k) => h("tr", null, h("th", { scope: "row" }, lookers[k]), ...row));
    const heads = pieces.map((piece) => h("th", { scope: "col" }, h("span", null, piece)));
    const element = h(
      "table",
      { role: "grid", "aria-label": "The weights of this head" },
      h("thead", null, h("tr", null, h("td"), ...heads)),
      h("tbody", null, ...lines),
    );
    cells.forEach((row, k) => {
      for (const cell of row) cell.addEventListener("click", () => figure.put({ piece: k }));
    });
    /** @param {State} state @param {Float64Array} maps */
    function show({ head, piece }, maps) {
      const n = pieces.length;
      cells.forEach((row, i) => {
        row.forEach((cell, j) => {
          const weight = maps[(head * n + i) * n + j];
          attnkit.paint(cell, weight, 1, "weight");
          attnkit.write(numbers[i][j], i === piece && weight >= 0.05 ? fixed(weight).replace(/^0/, "") : "");
        });
        lines[i].toggleAttribute("data-chosen", i === piece);
        attnkit.attr(lookers[i], "aria-pressed", String(i === piece));
      });
      stop.at(piece);
    }
    return { element, show };
  }

  // In a sentence: what the chosen piece looks at.
  /** @param {Given} given @param {State} state @param {string[]} pieces @param {Float64Array} maps */
  function sentence({ heads }, { head, piece }, pieces, maps) {
    const n = pieces.length;
    const row = Array.from(maps.subarray((head * n + piece) * n, (head * n + piece + 1) * n));
    const best = pieces
      .map((_, j) => j)
      .sort((a, b) => row[b] - row[a])
      .slice(0, TOLD);
    const told = best.map((j) => `${quoted(pieces[j])} ${fixed(row[j])}`).join(", ");
    return `Head ${(head % heads) + 1} of layer ${Math.floor(head / heads) + 1}: ${quoted(pieces[piece])} looks at ${told}.`;
  }

  /** @param {Owner} figure */
  function build(figure) {
    const given = figure.given("texts", "layers", "heads", "views");
    const { texts, views } = given;
    // What a text needs is made when it is chosen.
    /** @type {Map<number, { maps: Float64Array, large: ReturnType<typeof table> }>} */
    const made = new Map();
    /** @param {number} text */
    function of(text) {
      const found = made.get(text) ?? { maps: unpack(texts[text]), large: table(figure, texts[text].pieces) };
      made.set(text, found);
      return found;
    }
    const all = overview(figure, given);
    const chosen = attnkit.choice(
      "Look at",
      views.map(({ name }) => name),
      (k) => {
        const { text, head, piece } = views[k];
        figure.put({ text, head, piece });
      },
    );
    chosen.element.hidden = !views.length;
    const titles = texts.map(({ pieces }) => pieces.slice(1, -1).join(" ").replaceAll(" ##", ""));
    const onchange = () => figure.put({ text: list.selectedIndex, piece: 1 });
    const list = h(
      "select",
      { "data-lm-suppress-shortcuts": "true", "aria-label": "Sentence", onchange },
      ...titles.map((title) => h("option", {}, title)),
    );
    const place = h("div", { class: "ak-large" });
    let dark = "";
    /** @param {State} state */
    function update(state) {
      const { text, head, piece } = state;
      const colour = getComputedStyle(figure.element).getPropertyValue("--ak-fill-weight");
      if (colour !== dark) all.again();
      dark = colour;
      chosen.show(views.findIndex((one) => one.text === text && one.head === head && one.piece === piece));
      if (list.selectedIndex !== text) list.selectedIndex = text;
      const { maps, large } = of(text);
      if (place.firstChild !== large.element) place.replaceChildren(large.element);
      all.show(state, maps, texts[text].pieces.length);
      large.show(state, maps);
      figure.say(sentence(given, state, texts[text].pieces, maps));
    }
    const parts = [chosen.element, list, h("div", { class: "ak-maps" }, all.element, place)];
    return { parts: [...parts, h("div", { class: "ak-buttons" }, figure.reset())], update };
  }

  attnkit.register("head_maps", { label: "All heads on a sentence", compute, build });
})(globalThis.attnkit);
