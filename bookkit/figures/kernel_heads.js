// A convolution as heads: each looks at one neighbour of a pixel, sharply or not so sharply.
((attnkit) => {
  "use strict";
  const { h, fixed } = attnkit;

  /** @typedef {{ kernel: number, pixel: Pair, sharpness: number }} State */
  /** @typedef {{ pixels: Matrix, names: string[], kernels: Matrix[], exacts: Matrix[] }} Given */
  /** @typedef {ReturnType<typeof compute>} Found */
  /** @typedef {readonly [height: number, width: number]} Shape */

  const STEPS = [-1, 0, 1];

  // The weights of the three heads along one axis, from each place to each.
  /** @param {number} count @param {number} sharpness */
  function alongAxis(count, sharpness) {
    const at = Array.from({ length: count }, (_, i) => i);
    return STEPS.map((step) => at.map((i) => attnkit.softmax(at.map((j) => -sharpness * (j - i - step) ** 2))));
  }

  // The arithmetic, compared with convolution_as_attention by tests/figures/. A squared distance is a sum over
  // rows and columns, so the softmax over pixels is a product of one over rows and one over columns.
  /** @param {State & Omit<Given, "names">} state */
  function compute({ pixels, kernels, kernel, pixel: [row, column], sharpness, exacts }) {
    const [numbers, exact] = [kernels[kernel], exacts[kernel]];
    const [down, across] = [alongAxis(pixels.length, sharpness), alongAxis(pixels[0].length, sharpness)];
    const output = pixels.map((line) => line.map(() => 0));
    const reads = STEPS.map((_, a) => {
      const blended = down[a].map((weights) => attnkit.blend(weights, pixels));
      return STEPS.map((_, b) => {
        /** @param {number} r @param {number} c */
        const read = (r, c) => attnkit.dot(across[b][c], blended[r]);
        if (numbers[a][b])
          output.forEach((line, r) => {
            for (let c = 0; c < line.length; c++) line[c] += numbers[a][b] * read(r, c);
          });
        return read(row, column);
      });
    });
    const gap = Math.max(...output.flatMap((line, r) => line.map((v, c) => Math.abs(v - exact[r][c]))));
    return {
      reads,
      output,
      gap,
      written: gap < 1e-8 ? "below 1e-8" : attnkit.compact(gap),
      // What the heads look at from the pixel: a head's weight for pixel (r, c) is rows[a][r] * columns[b][c].
      rows: down.map((w) => w[row]),
      columns: across.map((w) => w[column]),
    };
  }

  const WHERE = [
    ["up left", "up", "up right"],
    ["left", "here", "right"],
    ["down left", "down", "down right"],
  ];
  /** @type {Pair[]} */
  const ALL = STEPS.flatMap((_, a) => STEPS.map((_, b) => /** @type {Pair} */ ([a, b])));
  /** @param {number[]} numbers @param {number} least */
  const largest = (numbers, least) => Math.max(...numbers.map(Math.abs), least);

  /** @param {Figure<State, Given>} figure @param {string[]} names @param {Shape} shape @param {HTMLElement} reset */
  function controls(figure, names, [height, width], reset) {
    const choice = figure.choice({ label: "kernel", words: names, trait: "kernel" });
    choice.element.append(reset);
    /** @type {[name: string, count: number][]} */
    const axes = [
      ["row", height],
      ["column", width],
    ];
    const places = axes.map(([name, count], axis) =>
      figure.slider({
        name,
        min: 1,
        max: count,
        step: 1,
        format: (v) => fixed(v, 0),
        word: (v) => `${v} of ${count}`,
        read: ({ pixel }) => pixel[axis] + 1,
        write: (v, { pixel }) => ({ pixel: pixel.map((p, k) => (k === axis ? v - 1 : p)) }),
      }),
    );
    /** @param {number} v */
    const digit = (v) => fixed(v, 1);
    const range = { min: 0.1, max: 40, step: 0.1 };
    const sharpness = figure.slider({ name: "sharpness", trait: "sharpness", ...range, format: digit, word: digit });
    const sliders = [sharpness, ...places].map((slider) => slider.element);
    return h("div", { class: "ak-controls" }, choice.element, h("div", { class: "ak-sliders" }, ...sliders));
  }

  // Pictures over one another with a square around the chosen pixel; pointing at another pixel chooses it.
  /**
   * @param {string} title
   * @param {Raster[]} layers
   * @param {Shape} shape
   * @param {(row: number, column: number) => void} choose
   */
  function panel(title, layers, [height, width], choose) {
    const square = attnkit.svg("rect", { width: 1, height: 1, class: "ak-aim" });
    const over = attnkit.svg("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
    over.append(square);
    const look = { class: "ak-stack", style: `aspect-ratio:${width}/${height}` };
    const stack = h("div", look, ...layers.map((layer) => layer.element), over);
    /** @param {MouseEvent} event */
    const point = (event) => {
      const box = stack.getBoundingClientRect();
      /** @param {number} share @param {number} count */
      const at = (share, count) => Math.max(0, Math.min(count - 1, Math.floor(share * count)));
      choose(at((event.clientY - box.top) / box.height, height), at((event.clientX - box.left) / box.width, width));
    };
    stack.addEventListener("pointermove", (event) => {
      if (event.pointerType === "mouse") point(event);
    });
    stack.addEventListener("click", point); // and not as soon as a finger comes down: it may mean to scroll
    return { square, element: h("div", {}, h("p", { class: "ak-small" }, title), stack) };
  }

  // A button for each head: its number of the kernel, what it reads, the product of both.
  /** @param {(a: number, b: number) => void} choose */
  function headButtons(choose) {
    const heads = WHERE.map((line, a) =>
      line.map((where, b) => {
        const [reads, adds] = [h("span", { class: "ak-small" }), h("strong", {})];
        const look = { "aria-pressed": "false", class: "ak-head" };
        const name = h("span", { class: "ak-small" }, where);
        const button = attnkit.button([name, reads, adds], () => choose(a, b), look);
        return { reads, adds, button };
      }),
    );
    attnkit.walk(
      heads.flat().map((head) => head.button),
      { columns: WHERE[0].length },
    );
    return heads;
  }

  /**
   * @param {ReturnType<typeof headButtons>} heads
   * @param {Matrix} kernel
   * @param {Matrix} reads
   * @param {(a: number, b: number) => boolean} isChosen
   */
  function fillHeads(heads, kernel, reads, isChosen) {
    const products = kernel.map((line, a) => line.map((number, b) => number * reads[a][b]));
    const vmax = largest(products.flat(), 1);
    for (const [a, b] of ALL) {
      const head = heads[a][b];
      attnkit.write(head.reads, `${fixed(kernel[a][b], 1)} · ${fixed(reads[a][b])}`);
      attnkit.write(head.adds, fixed(products[a][b]));
      attnkit.paint(head.button, products[a][b], vmax);
      attnkit.attr(head.button, "aria-pressed", String(isChosen(a, b)));
    }
  }

  // The sum of the heads beside what the convolution gives.
  function totals() {
    const names = ["sum of the heads ", "convolution ", "largest difference on the picture "];
    const numbers = names.map(() => h("strong", {}));
    return {
      numbers,
      element: h("p", { class: "ak-totals" }, ...names.map((name, k) => h("span", {}, name, numbers[k]))),
    };
  }

  /** @param {Figure<State, Given>} figure */
  function build(figure) {
    const { pixels, kernels, exacts, names } = figure.given("pixels", "kernels", "exacts", "names");
    const shape = /** @type {const} */ ([pixels.length, pixels[0].length]);
    let chosen = /** @type {Pair | null} */ (null); // the head that is looked at, [a, b]; none: all of them
    const isChosen = (/** @type {number} */ a, /** @type {number} */ b) =>
      chosen !== null && chosen[0] === a && chosen[1] === b;
    const heads = headButtons((a, b) => {
      chosen = isChosen(a, b) ? null : [a, b];
      figure.redraw();
    });
    const reset = figure.reset(() => {
      chosen = null;
    });
    const [picture, output] = [attnkit.raster(...shape), attnkit.raster(...shape)];
    const looks = attnkit.raster(...shape, ["weight"]);
    const choose = (/** @type {Pair} */ ...pixel) => figure.put({ pixel });
    const panels = [panel("picture", [picture, looks], shape, choose), panel("output", [output], shape, choose)];
    const nine = { class: "ak-nine", role: "group", "aria-label": "heads" };
    const grid = h(
      "div",
      {},
      h("p", { class: "ak-small" }, "kernel · what a head reads"),
      h("div", nine, ...heads.flat().map((head) => head.button)),
    );
    const three = h("div", { class: "ak-three" }, panels[0].element, grid, panels[1].element);
    const { numbers, element: total } = totals();

    /** @param {Found} now @param {Pair} pair */
    function showPictures(now, [row, column]) {
      const within = chosen ? [chosen] : ALL;
      const weights = pixels.flatMap((line, r) =>
        line.map((_, c) => within.reduce((sum, [a, b]) => sum + now.rows[a][r] * now.columns[b][c], 0)),
      );
      looks.show(weights, 1.4 * Math.max(...weights)); // the picture below stays visible
      picture.show(pixels.flat(), largest(pixels.flat(), 1e-9)); // in the theme's colours
      output.show(now.output.flat(), largest(now.output.flat(), 1e-9));
      for (const { square } of panels) {
        attnkit.attr(square, "x", column);
        attnkit.attr(square, "y", row);
      }
    }
    /** @param {State} state */
    function update(state) {
      const { kernel, pixel } = state;
      const [row, column] = pixel;
      const now = compute({ pixels, kernels, exacts, ...state });
      const [sum, exact] = [now.output, exacts[kernel]].map((image) => fixed(image[row][column]));
      showPictures(now, pixel);
      fillHeads(heads, kernels[kernel], now.reads, isChosen);
      [sum, exact, now.written].forEach((text, k) => attnkit.write(numbers[k], text));
      figure.say(
        `${chosen ? `Head ${attnkit.quoted(WHERE[chosen[0]][chosen[1]])} alone is shown. ` : ""}` +
          `Row ${row + 1}, column ${column + 1}, ${names[kernel]}: ` +
          `the heads add up to ${sum}, the convolution gives ${exact}.`,
      );
    }
    return { parts: [three, total, controls(figure, names, shape, reset)], update };
  }

  attnkit.register("kernel_heads", { label: "A convolution as heads", compute, build });
})(globalThis.attnkit);
