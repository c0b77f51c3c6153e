// A convolution as heads: each looks at one neighbour of a pixel, sharply or not so sharply.
((attnkit) => {
  "use strict";
  const { h, fixed } = attnkit;

  /** @typedef {{ kernel: number, pixel: Pair, sharpness: number }} State */
  /** @typedef {{ pixels: Matrix, names: string[], kernels: Matrix[], exacts: Matrix[] }} Given */
  /** @typedef {ReturnType<typeof compute>} Found */

  const STEPS = [-1, 0, 1];
  const WHERE = ["up left", "up", "up right", "left", "here", "right", "down left", "down", "down right"];

  // The weights of the three heads along one axis, from each place to each.
  function alongAxis(count, sharpness) {
    const at = Array.from({ length: count }, (_, i) => i);
    return STEPS.map((step) => at.map((i) => attnkit.softmax(at.map((j) => -sharpness * (j - i - step) ** 2))));
  }

  // The arithmetic, compared with convolution_as_attention by tests/figures/. A squared distance is a sum over
  // rows and columns, so the softmax over pixels is a product of one over rows and one over columns.
  function compute({ pixels, kernels, kernel, pixel: [row, column], sharpness, exacts }) {
    const [numbers, exact] = [kernels[kernel], exacts[kernel]];
    const [down, across] = [alongAxis(pixels.length, sharpness), alongAxis(pixels[0].length, sharpness)];
    const output = pixels.map((line) => line.map(() => 0));
    const reads = STEPS.map((_, a) => {
      const blended = down[a].map((weights) => attnkit.blend(weights, pixels));
      return STEPS.map((_, b) => {
        const read = (r, c) => attnkit.dot(across[b][c], blended[r]);
        if (numbers[a][b])
          output.forEach((line, r) => {
            for (let c = 0; c < line.length; c++) line[c] += numbers[a][b] * read(r, c);
          });
        return read(row, column);
      });
    });
    const gap = Math.max(...output.flatMap((line, r) => line.map((v, c) => Math.abs(v - exact[r][c]))));
    const written = gap < 1e-8 ? "below 1e-8" : attnkit.compact(gap);
    // What the heads look at from the pixel: a head's weight for pixel (r, c) is rows[a][r] * columns[b][c].
    const [rows, columns] = [down.map((w) => w[row]), across.map((w) => w[column])];
    return { reads, output, gap, written, rows, columns };
  }

  function controls(figure, pixels, reset) {
    const choice = figure.choice({ label: "kernel", words: figure.get("names"), trait: "kernel" });
    choice.element.append(reset);
    const sharpness = figure.slider({ name: "sharpness", trait: "sharpness", min: 0.1, max: 40, step: 0.1 });
    const places = [pixels.length, pixels[0].length].map((max, axis) =>
      figure.slider({
        ...{ name: ["row", "column"][axis], min: 1, max, step: 1 },
        word: (v) => `${v} of ${max}`,
        read: ({ pixel }) => pixel[axis] + 1,
        write: (v, { pixel }) => ({ pixel: pixel.map((p, k) => (k === axis ? v - 1 : p)) }),
      }),
    );
    return attnkit.controls(choice, h("div", { class: "ak-sliders" }, sharpness, places));
  }

  // Pictures over one another with a square around the chosen pixel; pointing at another pixel chooses it.
  function panel(title, layers, pixels, choose) {
    const [height, width] = [pixels.length, pixels[0].length];
    const square = attnkit.svg("rect", { width: 1, height: 1, class: "ak-aim" });
    const over = attnkit.svg("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" }, square);
    const stack = h("div", { class: "ak-stack", style: `aspect-ratio:${width}/${height}` }, layers, over);
    const point = (event) => {
      const box = stack.getBoundingClientRect();
      const at = (share, count) => Math.max(0, Math.min(count - 1, Math.floor(share * count)));
      choose(at((event.clientY - box.top) / box.height, height), at((event.clientX - box.left) / box.width, width));
    };
    stack.addEventListener("pointermove", (event) => event.pointerType === "mouse" && point(event));
    stack.addEventListener("click", point); // and not as soon as a finger comes down: it may mean to scroll
    return { square, element: h("div", {}, h("p", { class: "ak-small" }, title), stack) };
  }

  // A button for each head: its number of the kernel, what it reads, the product of both.
  function headButtons(choose) {
    const heads = WHERE.map((where, k) => {
      const [reads, adds] = [h("span", { class: "ak-small" }), h("strong")];
      const look = { "aria-pressed": "false", class: "ak-head ak-framed" };
      const button = attnkit.button([h("span", { class: "ak-small" }, where), reads, adds], () => choose(k), look);
      return { reads, adds, button };
    });
    const buttons = heads.map(({ button }) => button);
    attnkit.walk(buttons, { columns: 3 });
    function show(kernel, reads, chosen) {
      const products = kernel.map((number, k) => number * reads[k]);
      const vmax = Math.max(1, ...products.map(Math.abs));
      heads.forEach((head, k) => {
        attnkit.write(head.reads, `${fixed(kernel[k], 1)} · ${fixed(reads[k])}`);
        attnkit.write(head.adds, fixed(products[k]));
        attnkit.paint(head.button, products[k], vmax);
        attnkit.attr(head.button, "aria-pressed", String(k === chosen));
      });
    }
    const nine = h("div", { class: "ak-nine", role: "group", "aria-label": "heads" }, buttons);
    return { element: h("div", {}, h("p", { class: "ak-small" }, "kernel · what a head reads"), nine), show };
  }

  // The sum of the heads beside what the convolution gives.
  function totals() {
    const names = ["sum of the heads ", "convolution ", "largest difference on the picture "];
    const numbers = names.map(() => h("strong"));
    const lines = names.map((name, k) => h("span", {}, name, numbers[k]));
    return { numbers, element: h("p", { class: "ak-totals" }, lines) };
  }

  function build(figure) {
    const { pixels, kernels, exacts, names } = figure.given("pixels", "kernels", "exacts", "names");
    let chosen = -1; // the head that is looked at alone; -1: all of them
    const heads = headButtons((k) => {
      chosen = k === chosen ? -1 : k;
      figure.redraw();
    });
    const reset = figure.reset(() => (chosen = -1));
    const raster = (kinds) => attnkit.raster(pixels.length, pixels[0].length, kinds);
    const below = (/** @type {Matrix} */ numbers) => numbers.flat().some((number) => number < 0);
    const [looks, bright, signed] = [raster(["weight"]), raster(["amount"]), raster()];
    const picture = raster(below(pixels) ? undefined : ["amount"]);
    const choose = (/** @type {Pair} */ ...pixel) => figure.put({ pixel });
    const left = panel("picture", [picture, looks], pixels, choose);
    const right = panel("output", [bright, signed], pixels, choose);
    const three = h("div", { class: "ak-three" }, left, heads, right);
    const total = totals();

    // Brightness is grey; what a kernel with numbers below zero makes of it has signs.
    function showPictures(now, kernel, [y, x]) {
      const within = chosen < 0 ? WHERE.map((_, k) => k) : [chosen];
      const weight = (r, c) => attnkit.sum(within.map((k) => now.rows[Math.floor(k / 3)][r] * now.columns[k % 3][c]));
      const weights = pixels.flatMap((line, r) => line.map((_, c) => weight(r, c)));
      looks.show(weights, 1.4 * Math.max(...weights)); // the picture below stays visible
      picture.show(pixels.flat(), Math.max(...pixels.flat().map(Math.abs), 1e-9)); // in the theme's colours
      const subtracts = below(pixels) || below(kernel);
      for (const one of [bright, signed]) one.element.hidden = subtracts !== (one === signed);
      const output = now.output.flat();
      (subtracts ? signed : bright).show(output, Math.max(...output.map(Math.abs), 1e-9));
      for (const { square } of [left, right])
        for (const [name, value] of Object.entries({ x, y })) attnkit.attr(square, name, value);
    }
    function update(state) {
      const { kernel, pixel } = state;
      const [row, column] = pixel;
      const now = compute({ pixels, kernels, exacts, ...state });
      const [sum, exact] = [now.output, exacts[kernel]].map((image) => fixed(image[row][column]));
      showPictures(now, kernels[kernel], pixel);
      heads.show(kernels[kernel].flat(), now.reads.flat(), chosen);
      [sum, exact, now.written].forEach((text, k) => attnkit.write(total.numbers[k], text));
      figure.say(
        `${chosen < 0 ? "" : `Head ${attnkit.quoted(WHERE[chosen])} alone is shown. `}` +
          `Row ${row + 1}, column ${column + 1}, ${names[kernel]}: ` +
          `the heads add up to ${sum}, the convolution gives ${exact}.`,
      );
    }
    return { parts: [three, total, controls(figure, pixels, reset)], update };
  }

  attnkit.register("kernel_heads", { label: "A convolution as heads", compute, build });
})(globalThis.attnkit);
