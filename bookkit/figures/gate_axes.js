// Gates for channels, for places, or for both: a trained model looks at a small picture, and the axis is switched.
((attnkit) => {
  "use strict";
  const { h, fixed, write, attr, style } = attnkit;

  /** @typedef {"none" | "channel" | "spatial" | "both"} Axis */
  /** @typedef {{ axis: Axis, picture: number, lamps: number[] }} State */
  /** @typedef {number[][][]} Picture rows of pixels, each red, green and blue */
  /** @typedef {{ filters: Matrix, b_filters: number[], readout: Matrix, b_readout: number[] }} Reader */
  /** @typedef {{ w_squeeze: Matrix, b_squeeze: number[], w_excite: Matrix, b_excite: number[] }} OfChannels */
  /** @typedef {{ weight: Matrix, bias: number[] }} OfPlaces */
  /** @typedef {Reader & (OfChannels | { w_excite?: undefined }) & (OfPlaces | { weight?: undefined })} Trained */
  /** @typedef {{ models: Record<Axis, Trained>, pictures: Picture[], lit: number[][], lamp: number[] }} Data */
  /** @typedef {Data & { labels: number[], names: string[], shapes: Matrix[] }} Given */
  /** @typedef {ReturnType<typeof compute>} Found */

  /** @type {Record<Axis, string>} */
  const AXES = { none: "none", channel: "channels", spatial: "places", both: "both" };
  const COLOURS = ["red", "green", "blue"];

  // ---- the arithmetic, compared with GateAxes by tests/figures/

  /** @param {number[]} raw */
  const sigmoid = (raw) => raw.map((x) => 0.5 + 0.5 * Math.tanh(0.5 * x));
  /** @param {number[]} numbers */
  const total = (numbers) => numbers.reduce((sum, v) => sum + v, 0);
  /** @param {number[]} numbers */
  const mean = (numbers) => total(numbers) / numbers.length;
  /** @param {number} x */
  const positive = (x) => Math.max(x, 0);

  /** @param {number[]} a @param {number[]} b */
  const same = (a, b) => a.every((v, k) => v === b[k]);

  // The picture under its present lamps: the light of a lamp more or less in each quarter that was switched.
  /** @param {Data & State} state */
  function underLamps({ pictures, picture, lit, lamp, lamps }) {
    const pixels = pictures[picture];
    const was = lit[picture] ?? [];
    if (same(was, lamps)) return pixels;
    /** @param {number} k @param {number} count */
    const half = (k, count) => Math.floor((2 * k) / count);
    return pixels.map((line, r) =>
      line.map((pixel, c) => {
        const quarter = 2 * half(r, pixels.length) + half(c, line.length);
        return pixel.map((v, k) => Math.min(Math.max(v + (lamps[quarter] - was[quarter]) * lamp[k], 0), 1));
      }),
    );
  }

  // x W + b
  /** @param {number[]} x @param {Matrix} w @param {number[]} b */
  const product = (x, w, b) => b.map((start, k) => start + x.reduce((sum, v, i) => sum + v * w[i][k], 0));

  // One colour of a picture with a border of zeros, row after row.
  /** @param {Picture} picture @param {number} colour */
  function plane(picture, colour) {
    const border = picture[0].map(() => 0);
    const rows = [border, ...picture.map((row) => row.map((pixel) => pixel[colour])), border];
    return rows.flatMap((row) => [0, ...row, 0]);
  }

  // What a filter finds at each place, and ReLU. The nine products are written out: this is nearly all of the work.
  /** @param {number[]} p @param {Pair} pair @param {number[]} t @param {number} bias */
  function filtered(p, [rows, columns], t, bias) {
    /** @type {number[]} */
    const out = [];
    for (let r = 0; r < rows; r++)
      for (let c = 0; c < columns; c++) {
        const i = r * (columns + 2) + c;
        const [j, k] = [i + columns + 2, i + 2 * columns + 4];
        const above = t[0] * p[i] + t[1] * p[i + 1] + t[2] * p[i + 2];
        const beside = t[3] * p[j] + t[4] * p[j + 1] + t[5] * p[j + 2];
        const below = t[6] * p[k] + t[7] * p[k + 1] + t[8] * p[k + 2];
        out.push(Math.max(bias + above + beside + below, 0));
      }
    return out;
  }

  // The channels, each a list of places: those of red, of green, of blue, with the same filters.
  /** @param {Picture} picture @param {Reader} reader */
  function convolved(picture, { filters, b_filters: bias }) {
    /** @type {Pair} */
    const shape = [picture.length, picture[0].length];
    const taps = bias.map((_, k) => filters.map((row) => row[k]));
    const planes = COLOURS.map((_, colour) => plane(picture, colour));
    return planes.flatMap((pixels) => taps.map((own, k) => filtered(pixels, shape, own, bias[k])));
  }

  // The gates of the places: each sums its channels, times what the channels' gates make of them.
  /**
   * @param {Matrix} features
   * @param {number[]} factors
   * @param {OfPlaces} own
   */
  function placeGates(features, factors, { weight, bias: [bias] }) {
    const raw = features[0].map(() => bias);
    features.forEach((channel, k) => {
      const factor = factors[k] * weight[k][0];
      channel.forEach((v, i) => {
        raw[i] += factor * v;
      });
    });
    return sigmoid(raw);
  }

  // `features` and `gated` are channels before and after the gates; the answer is read from the largest of each channel,
  // added over the colours.
  /** @param {Data & State} state */
  function compute(state) {
    const model = state.models[state.axis];
    const pixels = underLamps(state);
    const features = convolved(pixels, model);
    const means = features.map(mean);
    let [channels, places] = [/** @type {number[] | null} */ (null), /** @type {number[] | null} */ (null)];
    if (model.w_excite) {
      const hidden = product(means, model.w_squeeze, model.b_squeeze).map(positive);
      channels = sigmoid(product(hidden, model.w_excite, model.b_excite));
    }
    const factors = channels ?? means.map(() => 1);
    if (model.weight) places = placeGates(features, factors, model);
    const both = places ?? features[0].map(() => 1);
    const gated = features.map((channel, k) => channel.map((v, i) => v * factors[k] * both[i]));
    const largest = gated.map((channel) => Math.max(...channel));
    const pooled = model.b_filters.map((_, k) => total(COLOURS.map((_, c) => largest[c * model.b_filters.length + k])));
    const chances = attnkit.softmax(product(pooled, model.readout, model.b_readout));
    return { pixels, features, means, channels, places, gated, pooled, chances };
  }

  // ---- in words

  // The right answer is that of the picture as it was given, `right`; under other lamps it is not known.
  /** @param {Found} found @param {State} state @param {string[]} names @param {number|null} right */
  function told(found, { picture, axis }, names, right) {
    const answer = attnkit.argmax(found.chances);
    const lamps = right === null ? " with other lamps" : "";
    const wrong = right === null ? "" : `; the right answer is ${names[right]}`;
    const verdict = answer === right ? ", which is right" : wrong;
    return (
      `Picture ${picture + 1}${lamps}, gates for ${AXES[axis]}. ` +
      `The model says ${names[answer]}, ${fixed(found.chances[answer])}${verdict}.`
    );
  }

  // ---- the parts

  // Pixels as light, each of red, green and blue from 0 to 1: one drawing, however many.
  /** @param {number} rows @param {number} columns */
  function screen(rows, columns) {
    const element = h("canvas", { width: columns, height: rows, class: "ak-raster", "aria-hidden": "true" });
    const context = /** @type {CanvasRenderingContext2D} */ (element.getContext("2d")); // which every browser has
    const image = context.createImageData(columns, rows);
    image.data.fill(255);
    const { data } = image; // what is stored there is rounded
    /** @param {Picture[0]} pixels */
    function show(pixels) {
      pixels.forEach(([red, green, blue], i) => {
        [data[4 * i], data[4 * i + 1], data[4 * i + 2]] = [255 * red, 255 * green, 255 * blue];
      });
      context.putImageData(image, 0, 0);
    }
    return { element, show };
  }

  /** @param {Child[]} words */
  const small = (...words) => h("p", { class: "ak-small" }, ...words);
  /** @param {string} kind @param {Child[]} children */
  const panel = (kind, ...children) => h("div", { class: kind }, ...children);

  // A button over each quarter of the picture, which switches its lamp.
  /** @param {(quarter: number) => void} press */
  function switches(press) {
    const buttons = ["upper left", "upper right", "lower left", "lower right"].map((where, k) =>
      attnkit.button(null, () => press(k), { class: "ak-lamp", "aria-label": `lamp ${where}` }),
    );
    attnkit.walk(buttons, { columns: 2 });
    const name = { class: "ak-lamps", role: "group", "aria-label": "the lamps of the picture's quarters" };
    /** @param {number[]} lamps */
    const show = (lamps) => buttons.forEach((button, k) => attr(button, "aria-pressed", String(lamps[k] === 1)));
    return { element: h("div", name, ...buttons), show };
  }

  // The picture, and beside it the gates of its places and those of its channels, a row for each colour. All gates have
  // one scale, in which 1 is the deepest. What the model has not is out of sight; without any gates the map is empty.
  /** @param {Pair} pair @param {number} filters @param {Part|null} lamps */
  function sight([rows, columns], filters, lamps) {
    const whole = screen(rows, columns);
    const [map, strip] = [attnkit.raster(rows, columns, ["weight"]), attnkit.raster(3, filters, ["weight"])];
    const title = small("gates of places");
    const places = panel("ak-map ak-gates", title, map.element);
    const names = COLOURS.map((colour) => h("span", { class: "ak-small" }, colour));
    const wide = panel("ak-strip", panel("ak-colours", ...names), strip.element);
    const channels = panel("ak-map ak-gates", small("gates of channels"), wide);
    const key = small("the deeper the pink, the more open");
    const picture = panel("ak-stack", whole.element, lamps?.element);
    const own = panel("ak-map", small(lamps ? "picture: press a quarter" : "picture"), picture);
    const element = [own, panel("ak-sides", places, channels, key)];
    /** @param {Found} found */
    function show(found) {
      whole.show(found.pixels.flat());
      const none = !found.places && !found.channels;
      write(title, none ? "no gates" : "gates of places");
      attr(places, "data-off", String(none));
      places.hidden = !found.places && !none;
      channels.hidden = !found.channels;
      key.hidden = none;
      map.show(found.places ?? found.features[0].map(() => 0), 1);
      strip.show(found.channels ?? found.means.map(() => 0), 1);
    }
    return { element, show };
  }

  // The shape of an answer as a small drawing.
  /** @param {Matrix} rows */
  function icon(rows) {
    const squares = rows.flatMap((row, r) => row.map((full, c) => (full ? `M${c} ${r}h1v1h-1z` : ""))).join("");
    const drawing = attnkit.svg("svg", { viewBox: `0 0 ${rows[0].length} ${rows.length}`, "aria-hidden": "true" });
    drawing.append(attnkit.svg("path", { d: squares }));
    return drawing;
  }

  // A bar for each answer; the model's is set bold, the right one has a mark.
  /** @param {string[]} names @param {Matrix[]} shapes */
  function answers(names, shapes) {
    const lines = names.map((name, k) => {
      const [bar, number] = [h("span", { class: "ak-fill" }), h("span", { class: "ak-num" })];
      const mark = h("span", { class: "ak-mark" });
      const words = h("span", {}, shapes[k] ? icon(shapes[k]) : null, name);
      const element = h("div", { class: "ak-answer" }, words, h("span", { class: "ak-track" }, bar), number, mark);
      return { bar, number, mark, element };
    });
    const element = panel("ak-answers", small("the model's answer"), ...lines.map((line) => line.element));
    /** @param {Found} found @param {number|null} right */
    function show({ chances }, right) {
      const chosen = attnkit.argmax(chances);
      lines.forEach(({ bar, number, mark, element: line }, k) => {
        style(bar, "transform", `scaleX(${chances[k].toFixed(3)})`);
        write(number, fixed(chances[k]));
        write(mark, k === right ? "right" : "");
        attr(line, "data-chosen", String(k === chosen));
      });
    }
    return { element, show };
  }

  /** @param {Figure<State, Given>} figure @param {Axis[]} axes @param {number} count @param {Matrix} lit */
  function controls(figure, axes, count, lit) {
    const pick = figure.choice({
      label: "picture",
      words: Array.from({ length: count }, (_, k) => String(k + 1)),
      trait: "picture",
      write: (picture) => ({ picture, lamps: lit[picture] ?? [] }),
    });
    const axis = figure.choice({
      label: "gates for",
      words: axes.map((name) => AXES[name]),
      read: (state) => axes.indexOf(state.axis),
      write: (k) => ({ axis: axes[k] }),
    });
    pick.element.append(figure.reset());
    return panel("ak-controls", axis.element, pick.element);
  }

  /** @param {Figure<State, Given>} figure */
  function build(figure) {
    const { models, pictures, lit, lamp } = figure.given("models", "pictures", "lit", "lamp");
    const { labels, names, shapes } = figure.given("labels", "names", "shapes");
    /** @type {Pair} */
    const shape = [pictures[0].length, pictures[0][0].length];
    const axes = /** @type {Axis[]} */ (Object.keys(AXES)).filter((axis) => models[axis]);
    /** @param {number} quarter */
    function press(quarter) {
      const lamps = figure.get("lamps").map((on, k) => (k === quarter ? 1 - on : on));
      figure.put({ lamps });
    }
    const lamps = lit.length ? switches(press) : null;
    const seen = sight(shape, models[axes[0]].b_filters.length, lamps);
    const answer = answers(names, shapes);

    /** @param {State} state */
    function update(state) {
      const found = compute({ models, pictures, lit, lamp, ...state });
      const right = same(lit[state.picture] ?? [], state.lamps) ? labels[state.picture] : null;
      lamps?.show(state.lamps);
      seen.show(found);
      answer.show(found, right);
      figure.say(told(found, state, names, right));
    }
    const scene = panel("ak-scene", ...seen.element, answer.element);
    return { parts: [scene, controls(figure, axes, pictures.length, lit)], update };
  }

  attnkit.register("gate_axes", { label: "Gates for channels and places", compute, build });
})(globalThis.attnkit);
