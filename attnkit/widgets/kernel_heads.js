// A convolution as heads: each looks at one neighbour of a pixel, sharply or not so sharply.
(function (attnkit) {
  "use strict";
  const { h, fixed } = attnkit;

  // The arithmetic, compared with convolution_as_attention by tests/test_widgets.py. A squared distance is a sum over
  // rows and columns, so the softmax over pixels is a product of one over rows and one over columns.
  const STEPS = [-1, 0, 1];
  function alongAxis(count, sharpness) {
    const at = Array.from({ length: count }, (_, i) => i);
    return STEPS.map((step) => at.map((i) => attnkit.softmax(at.map((j) => -sharpness * (j - i - step) ** 2))));
  }
  function compute({ pixels, kernels, kernel, pixel: [row, column], sharpness, exacts }) {
    const [numbers, exact] = [kernels[kernel], exacts[kernel]];
    const [down, across] = [alongAxis(pixels.length, sharpness), alongAxis(pixels[0].length, sharpness)];
    const output = pixels.map((line) => line.map(() => 0));
    const reads = STEPS.map((_, a) => {
      const blended = down[a].map((weights) => attnkit.blend(weights, pixels));
      return STEPS.map((__, b) => {
        const read = (r, c) => attnkit.dot(across[b][c], blended[r]);
        if (numbers[a][b]) output.forEach((line, r) => line.forEach((_, c) => (line[c] += numbers[a][b] * read(r, c))));
        return read(row, column);
      });
    });
    const gap = Math.max(...output.flatMap((line, r) => line.map((v, c) => Math.abs(v - exact[r][c]))));
    // What the heads look at from the pixel: a head's weight for pixel (r, c) is rows[a][r] * columns[b][c].
    return { reads, output, gap, written: gap < 1e-8 ? "below 1e-8" : attnkit.written(gap),
      rows: down.map((w) => w[row]), columns: across.map((w) => w[column]) };
  }

  const WHERE = [["up left", "up", "up right"], ["left", "here", "right"], ["down left", "down", "down right"]];

  function render({ model, el }) {
    const pixels = model.get("pixels");
    const kernels = model.get("kernels");
    const exacts = model.get("exacts");
    const names = model.get("names");
    const [height, width] = [pixels.length, pixels[0].length];
    const largest = Math.max(...pixels.flat().map(Math.abs), 1e-9);
    let head = null;      // the head that is looked at, [a, b]; none: all of them

    const choice = attnkit.choice("kernel", names, (i) => attnkit.put(model, { kernel: i }));
    choice.element.append(h("button", { type: "button", onclick: () => {
      const [row, column, kernel, sharpness] = model.get("start");
      head = null;
      attnkit.put(model, { pixel: [row, column], kernel, sharpness });
      update();
    } }, "Reset"));
    const move = (row, column) => attnkit.put(model, { pixel: [row, column] });
    const sliders = [["row", height], ["column", width]].map(([name, count], axis) => attnkit.slider({
      name, min: 1, max: count, step: 1, format: (v) => fixed(v, 0), word: (v) => `${v} of ${count}`,
      onInput: (v) => move(...model.get("pixel").map((p, k) => (k === axis ? v - 1 : p))),
    }));
    const sharp = attnkit.slider({ name: "sharpness", min: 0.1, max: 40, step: 0.1, format: (v) => fixed(v, 1), word: (v) => fixed(v, 1),
      onInput: (value) => attnkit.put(model, { sharpness: value }) });

    // A picture with a square around the chosen pixel; pointing at another one chooses it.
    const panel = (title, ...layers) => {
      const square = attnkit.svg("rect", { width: 1, height: 1, class: "ak-aim" });
      const over = attnkit.svg("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
      over.append(square);
      const stack = h("div", { class: "ak-stack", style: `aspect-ratio:${width}/${height}` }, ...layers.map((l) => l.element), over);
      const choose = (event) => {
        const box = stack.getBoundingClientRect();
        const at = (v, count) => Math.max(0, Math.min(count - 1, Math.floor(v * count)));
        move(at((event.clientY - box.top) / box.height, height), at((event.clientX - box.left) / box.width, width));
      };
      stack.addEventListener("pointermove", (event) => { if (event.pointerType === "mouse") choose(event); });
      stack.addEventListener("pointerdown", choose);
      return { square, element: h("div", {}, h("p", { class: "ak-small" }, title), stack) };
    };
    const [shown, looked, made] = [attnkit.raster(height, width), attnkit.raster(height, width, ["weight"]), attnkit.raster(height, width)];
    shown.show(pixels.flat(), largest);
    const panels = [panel("picture", shown, looked), panel("output", made)];

    const heads = STEPS.map((_, a) => STEPS.map((__, b) => {
      const [reads, adds] = [h("span", { class: "ak-small" }), h("strong", {})];
      const button = h("button", { type: "button", "aria-pressed": "false", class: "ak-head", onclick: () => {
        head = head && head[0] === a && head[1] === b ? null : [a, b];
        update();
      } }, h("span", {}, WHERE[a][b]), reads, adds);
      return { reads, adds, button };
    }));
    const grid = h("div", {}, h("p", { class: "ak-small" }, "kernel · what a head reads"),
      h("div", { class: "ak-nine", role: "group", "aria-label": "heads" }, ...heads.flat().map((p) => p.button)));
    const [sum, exact, gap] = [0, 1, 2].map(() => h("strong", {}));
    const total = h("p", { class: "ak-totals" }, ...[["sum of the heads ", sum], ["convolution ", exact], ["largest difference on the picture ", gap]]
      .map(([name, number]) => h("span", {}, name, number)));
    const frame = attnkit.frame(model, "A convolution as heads",
      h("div", { class: "ak-controls" }, choice.element, ...sliders.map((s) => s.element), sharp.element),
      h("div", { class: "ak-three" }, panels[0].element, grid, panels[1].element), total);
    el.replaceChildren(frame.element);

    function update() {
      const [kernel, pixel, sharpness] = ["kernel", "pixel", "sharpness"].map((name) => model.get(name));
      const [row, column] = pixel;
      const now = compute({ pixels, kernels, exacts, kernel, pixel, sharpness });
      const numbers = kernels[kernel];
      choice.show(kernel);
      sliders.forEach((s, axis) => s.show(pixel[axis] + 1));
      sharp.show(sharpness);
      const within = head ? [head] : STEPS.flatMap((_, a) => STEPS.map((__, b) => [a, b]));
      const weights = pixels.flatMap((line, r) => line.map((_, c) => within.reduce((t, [a, b]) => t + now.rows[a][r] * now.columns[b][c], 0)));
      looked.show(weights, 1.4 * Math.max(...weights));       // the picture below stays visible
      made.show(now.output.flat(), Math.max(...now.output.flat().map(Math.abs), 1e-9));
      for (const { square } of panels) {
        attnkit.attr(square, "x", column);
        attnkit.attr(square, "y", row);
      }
      const most = Math.max(...now.reads.flatMap((line, a) => line.map((v, b) => Math.abs(v * numbers[a][b]))), 1);
      heads.forEach((line, a) => line.forEach(({ reads, adds, button }, b) => {
        const piece = numbers[a][b] * now.reads[a][b];
        attnkit.write(reads, `${fixed(numbers[a][b], 1)} · ${fixed(now.reads[a][b])}`);
        attnkit.write(adds, fixed(piece));
        attnkit.paint(button, piece, most);
        attnkit.attr(button, "aria-pressed", String(Boolean(head) && head[0] === a && head[1] === b));
      }));
      attnkit.write(sum, fixed(now.output[row][column]));
      attnkit.write(exact, fixed(exacts[kernel][row][column]));
      attnkit.write(gap, now.written);
      frame.say(`${head ? `Head “${WHERE[head[0]][head[1]]}” alone is shown. ` : ""}Row ${row + 1}, column ${column + 1}, ${names[kernel]}: ` +
        `the heads add up to ${fixed(now.output[row][column])}, the convolution gives ${fixed(exacts[kernel][row][column])}.`);
    }
    const leave = attnkit.follow(model, ["kernel", "pixel", "sharpness"], update);
    return () => { frame.stop(); leave(); };
  }

  attnkit.figures.kernel_heads = { compute, render };
})(globalThis.attnkit);
