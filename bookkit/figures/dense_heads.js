// A fully connected layer as heads: each reads one item, sharply or not so sharply.
((attnkit) => {
  "use strict";
  const { h, fixed } = attnkit;

  /** @typedef {{ sharpness: number }} State */
  /** @typedef {{ items: Matrix, blocks: Matrix }} Given */

  // The arithmetic, compared with multi_head_attention by tests/figures/.
  function compute({ items, blocks, sharpness }) {
    const weights = items.map((_, i) => attnkit.softmax(items.map((_, j) => (i === j ? sharpness : 0))));
    const reads = weights.map((row) => attnkit.blend(row, items));
    const pieces = reads.map((row, i) => attnkit.dot(row, blocks[i]));
    const output = attnkit.sum(pieces);
    const exact = attnkit.sum(items.map((row, i) => attnkit.dot(row, blocks[i])));
    const gap = Math.abs(output - exact);
    return { weights, reads, pieces, output, exact, gap: gap < 1e-13 ? "below 1e-13" : attnkit.compact(gap) };
  }

  const PARTS = ["weights over the items", "reads", "block of W", "adds"];
  const NAMES = ["weights", "reads", "block of W", "adds"]; // on a phone
  const FRAMES = ["ak-frame-weight", "ak-frame-value", "", "ak-frame-output"];

  // A row for each head, and below what they add up to, what the layer gives, and the difference.
  function table(blocks) {
    const heads = blocks.map((numbers) =>
      [blocks, numbers, numbers, [0]].map((row) => row.map(() => h("span", { class: "ak-sq" }))),
    );
    const cell = (squares, k) =>
      h("td", { "data-name": NAMES[k] }, h("span", { class: `ak-frame ${FRAMES[k]}` }, squares));
    const rows = heads.map((parts, i) => attnkit.tr(`head ${i + 1}`, ...parts.map(cell)));
    const element = attnkit.table("ak-line-up", ["", ...PARTS], rows);
    const totals = ["sum of the heads", "dense layer", "difference"].map((name) => {
      const number = h("td");
      return { number, element: h("tr", {}, h("th", { scope: "row", colspan: "4" }, name), number) };
    });
    element.append(h("tfoot", {}, totals));
    return { heads, numbers: totals.map(({ number }) => number), element };
  }

  function build(figure) {
    const { items, blocks } = figure.given("items", "blocks");
    const vmax = Math.max(1, ...[...items, ...blocks].flat().map(Math.abs));
    const { heads, numbers, element } = table(blocks);
    const slider = figure.slider({ name: "sharpness", trait: "sharpness", min: 0, max: 40, step: 0.5 });

    function update({ sharpness }) {
      const { weights, reads, pieces, output, exact, gap } = compute({ items, blocks, sharpness });
      heads.forEach((parts, i) =>
        [weights[i], reads[i], blocks[i], [pieces[i]]].forEach((values, part) =>
          values.forEach((value, k) => {
            attnkit.write(parts[part][k], fixed(value));
            attnkit.paint(parts[part][k], value, part ? vmax : 1, part ? undefined : "weight");
          }),
        ),
      );
      [fixed(output), fixed(exact), gap].forEach((text, k) => attnkit.write(numbers[k], text));
      figure.say(
        `Sharpness ${fixed(sharpness, 1)}: each head gives its own item the weight ${fixed(weights[0][0])}. ` +
          `The heads add up to ${fixed(output)}, the layer gives ${fixed(exact)}; the difference is ${gap}.`,
      );
    }
    return { parts: [element, h("div", { class: "ak-controls ak-last-row" }, slider, figure.reset())], update };
  }

  attnkit.register("dense_heads", { label: "A dense layer as heads", compute, build });
})(globalThis.attnkit);
