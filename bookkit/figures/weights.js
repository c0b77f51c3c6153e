// A table of weights, as several figures draw it: who looks stands at the left, what is looked at above.
((attnkit) => {
  "use strict";
  const { h } = attnkit;

  /** @param {HTMLElement} node @param {boolean} left */
  const hide = (node, left) => {
    if (node.hidden !== left) node.hidden = left;
  };

  // Some words in as many of the nodes; the nodes that are left over are hidden, and hold no word of another text.
  attnkit.fill = (nodes, words) =>
    nodes.forEach((node, k) => {
      hide(node, k >= words.length);
      attnkit.write(node.firstElementChild ?? node, words[k] ?? "");
    });

  // `lookers` are the buttons of the rows; there is room for so many columns. A click on a square chooses its row, one on a
  // word above its column: the short way for a pointer. `lay` writes the words of a text, `show` its weights, each with what
  // `written` says of it.
  attnkit.weightTable = (lookers, columns, choose, { corner = "", lang = null, label }) => {
    const stop = attnkit.walk(lookers);
    /** @param {number} i */
    function cell(i) {
      const square = h("span", { class: "ak-heat" });
      return { square, element: h("td", { onclick: () => choose("row", i) }, square) };
    }
    const cells = lookers.map((_, i) => Array.from({ length: columns }, () => cell(i)));
    const lines = cells.map((row, i) => attnkit.tr(lookers[i], ...row.map(({ element }) => element)));
    const tops = Array.from({ length: columns }, (_, j) =>
      h("th", { scope: "col", lang, onclick: () => choose("column", j) }, h("span")),
    );
    const head = h("thead", {}, h("tr", {}, h("td", { class: "ak-small" }, corner), tops));
    const body = h("tbody", {}, lines);
    return {
      element: h("table", { class: "ak-weights", "aria-label": label }, head, body),
      cells,
      lines,
      stop,
      lay(from, to) {
        stop.within(from.length);
        attnkit.fill(lookers, from);
        attnkit.fill(tops, to);
        lines.forEach((line, i) => hide(line, i >= from.length));
        for (const row of cells) row.forEach(({ element }, j) => hide(element, j >= to.length));
      },
      show(weights, written) {
        cells.forEach((row, i) =>
          row.forEach(({ square }, j) => {
            const weight = weights[i]?.[j];
            attnkit.write(square, weight === undefined ? "" : written(weight, i));
            attnkit.paint(square, weight ?? 0, 1, "weight");
          }),
        );
      },
    };
  };
})(globalThis.attnkit);
