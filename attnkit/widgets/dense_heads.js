// A fully connected layer as heads: each reads one item, sharply or not so sharply.
(function (attnkit) {
  "use strict";
  const { h, fixed } = attnkit;

  // The arithmetic, compared with multi_head_attention by tests/test_widgets.py.
  function compute({ items, blocks, sharpness }) {
    const weights = items.map((_, i) => attnkit.softmax(items.map((_, j) => (i === j ? sharpness : 0))));
    const reads = weights.map((row) => attnkit.blend(row, items));
    const pieces = reads.map((row, i) => attnkit.dot(row, blocks[i]));
    const sum = (numbers) => numbers.reduce((total, v) => total + v, 0);
    const [output, exact] = [sum(pieces), sum(items.map((row, i) => attnkit.dot(row, blocks[i])))];
    const gap = Math.abs(output - exact);
    return { weights, reads, pieces, output, exact, gap: gap < 1e-13 ? "below 1e-13" : attnkit.written(gap) };
  }

  function render({ model, el }) {
    const items = model.get("items");
    const blocks = model.get("blocks");
    const slider = attnkit.slider({ name: "sharpness", min: 0, max: 40, step: 0.5, format: (v) => fixed(v, 1), word: (v) => fixed(v, 1),
      onInput: (value) => attnkit.put(model, { sharpness: value }) });
    const reset = h("div", { class: "ak-buttons" }, h("button", { type: "button",
      onclick: () => attnkit.put(model, { sharpness: model.get("start_sharpness") }) }, "Reset"));

    const largest = Math.max(1, ...[...items, ...blocks].flat().map(Math.abs));
    const square = () => h("span", { class: "ak-sq" });
    const framed = (kind, squares) => h("span", { class: `ak-frame ${kind}` }, ...squares);
    const fill = (node, value, most) => { attnkit.write(node, fixed(value)); attnkit.paint(node, value, most); };
    const lines = items.map((_, i) => {
      const [weights, reads, block] = [items, items[0], items[0]].map((row) => row.map(square));
      const adds = square();
      blocks[i].forEach((v, k) => fill(block[k], v, largest));
      const cell = (name, kind, squares) => h("td", { "data-name": name }, framed(kind, squares));
      const element = h("tr", {}, h("th", { scope: "row" }, `head ${i + 1}`), cell("weights", "ak-frame-weight", weights),
        cell("reads", "ak-frame-value", reads), cell("block of W", "", block), cell("adds", "ak-frame-output", [adds]));
      return { weights, reads, adds, element };
    });
    const table = h("table", { class: "ak-grid ak-line-up" },
      h("thead", {}, h("tr", {}, h("td", {}), ...["weights over the items", "reads", "block of W", "adds"].map((t) => h("th", { scope: "col" }, t)))),
      h("tbody", {}, ...lines.map((l) => l.element)));
    const [output, exact, gap] = [0, 1, 2].map(() => h("strong", {}));
    const total = h("p", { class: "ak-totals" }, ...[["sum of the heads ", output], ["dense layer ", exact], ["difference ", gap]]
      .map(([name, number]) => h("span", {}, name, number)));
    const frame = attnkit.frame(model, "A dense layer as heads", h("div", { class: "ak-controls" }, slider.element, reset), table, total);
    el.replaceChildren(frame.element);

    function update() {
      const sharpness = model.get("sharpness");
      const now = compute({ items, blocks, sharpness });
      slider.show(sharpness);
      lines.forEach((line, i) => {
        line.weights.forEach((node, j) => fill(node, now.weights[i][j], 1));
        line.reads.forEach((node, k) => fill(node, now.reads[i][k], largest));
        fill(line.adds, now.pieces[i], largest);
      });
      attnkit.write(output, fixed(now.output));
      attnkit.write(exact, fixed(now.exact));
      attnkit.write(gap, now.gap);
      frame.say(`Sharpness ${fixed(sharpness, 1)}: each head gives its own item the weight ${fixed(now.weights[0][0])}. ` +
        `The heads add up to ${fixed(now.output)}, the layer gives ${fixed(now.exact)}; the difference is ${now.gap}.`);
    }
    const leave = attnkit.follow(model, ["sharpness"], update);
    return () => { frame.stop(); leave(); };
  }

  attnkit.figures.dense_heads = { compute, render };
})(globalThis.attnkit);
