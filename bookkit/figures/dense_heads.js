// A fully connected layer as heads: each reads one item, sharply or not so sharply.
((attnkit) => {
  "use strict";
  const { h, fixed } = attnkit;

  /** @typedef {{ sharpness: number }} State */
  /** @typedef {{ items: Matrix, blocks: Matrix }} Given */

  // The arithmetic, compared with multi_head_attention by tests/figures/.
  /** @param {State & Given} state */
  function compute({ items, blocks, sharpness }) {
    const weights = items.map((_, i) => attnkit.softmax(items.map((_, j) => (i === j ? sharpness : 0))));
    const reads = weights.map((row) => attnkit.blend(row, items));
    const pieces = reads.map((row, i) => attnkit.dot(row, blocks[i]));
    /** @param {number[]} numbers */
    const sum = (numbers) => numbers.reduce((total, v) => total + v, 0);
    const [output, exact] = [sum(pieces), sum(items.map((row, i) => attnkit.dot(row, blocks[i])))];
    const gap = Math.abs(output - exact);
    return { weights, reads, pieces, output, exact, gap: gap < 1e-13 ? "below 1e-13" : attnkit.compact(gap) };
  }

  /** @param {Figure<State, Given>} figure */
  function controls(figure) {
    const slider = figure.slider({
      name: "sharpness",
      trait: "sharpness",
      min: 0,
      max: 40,
      step: 0.5,
      format: (v) => fixed(v, 1),
      word: (v) => fixed(v, 1),
    });
    return h("div", { class: "ak-controls ak-last-row" }, slider.element, figure.reset());
  }

  /** @param {HTMLElement} node @param {number} value @param {number} vmax @param {Fill} [kind] */
  function fill(node, value, vmax, kind) {
    attnkit.write(node, fixed(value));
    attnkit.paint(node, value, vmax, kind);
  }

  // What the heads add up to, below what each adds, and what the layer gives.
  function foot() {
    const names = ["sum of the heads", "dense layer", "difference"];
    const numbers = names.map(() => h("td", {}));
    const rows = names.map((name, k) => h("tr", {}, h("th", { scope: "row", colspan: "4" }, name), numbers[k]));
    return { numbers, element: h("tfoot", {}, ...rows) };
  }

  // A row for each head.
  /** @param {Matrix} blocks */
  function table(blocks) {
    const square = () => h("span", { class: "ak-sq" });
    /** @param {string} name @param {string} kind @param {HTMLElement[]} squares */
    const cell = (name, kind, squares) =>
      h("td", { "data-name": name }, h("span", { class: `ak-frame ${kind}` }, ...squares));
    const rows = blocks.map((numbers, i) => {
      const [weights, reads, block] = [blocks, numbers, numbers].map((row) => row.map(square));
      const adds = square();
      const element = h(
        "tr",
        {},
        h("th", { scope: "row" }, `head ${i + 1}`),
        cell("weights", "ak-frame-weight", weights),
        cell("reads", "ak-frame-value", reads),
        cell("block of W", "", block),
        cell("adds", "ak-frame-output", [adds]),
      );
      return { weights, reads, block, adds, element };
    });
    const titles = ["weights over the items", "reads", "block of W", "adds"];
    const head = h("tr", {}, h("td", {}), ...titles.map((title) => h("th", { scope: "col" }, title)));
    const body = h("tbody", {}, ...rows.map((row) => row.element));
    const { numbers, element } = foot();
    return { rows, numbers, element: h("table", { class: "ak-grid ak-line-up" }, h("thead", {}, head), body, element) };
  }

  /** @param {Figure<State, Given>} figure */
  function build(figure) {
    const { items, blocks } = figure.given("items", "blocks");
    const vmax = Math.max(1, ...[...items, ...blocks].flat().map(Math.abs));
    const { rows, numbers, element } = table(blocks);

    /** @param {State} state */
    function update({ sharpness }) {
      const now = compute({ items, blocks, sharpness });
      rows.forEach((row, i) => {
        row.weights.forEach((node, j) => fill(node, now.weights[i][j], 1, "weight"));
        row.reads.forEach((node, k) => fill(node, now.reads[i][k], vmax));
        row.block.forEach((node, k) => fill(node, blocks[i][k], vmax)); // stays as it is, but for the theme
        fill(row.adds, now.pieces[i], vmax);
      });
      [fixed(now.output), fixed(now.exact), now.gap].forEach((text, k) => attnkit.write(numbers[k], text));
      figure.say(
        `Sharpness ${fixed(sharpness, 1)}: each head gives its own item the weight ${fixed(now.weights[0][0])}. ` +
          `The heads add up to ${fixed(now.output)}, the layer gives ${fixed(now.exact)}; the difference is ${now.gap}.`,
      );
    }
    return { parts: [element, controls(figure)], update };
  }

  attnkit.register("dense_heads", { label: "A dense layer as heads", compute, build });
})(globalThis.attnkit);
