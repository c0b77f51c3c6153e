// Two places under two schemes of positions: what each makes of a query at one and a key at the other.
((attnkit) => {
  "use strict";
  const { h, svg, fixed } = attnkit;

  /** @typedef {{ query: number, key: number }} State */
  /** @typedef {{ bias: number[] }} Given */
  /** @typedef {ReturnType<typeof compute>} Found */

  const [PLACES, WIDTH] = [64, 16];
  // How far a place turns the two pairs of columns that the circles show, in radians.
  const SPEEDS = [1, 2].map((pair) => 10_000 ** ((-2 * pair) / WIDTH));

  // The arithmetic, compared with attnkit.positions by tests/figures/.
  function compute({ bias, query, key }) {
    const distance = key - query;
    const reach = (bias.length - 1) / 2;
    const slot = Math.max(-reach, Math.min(reach, distance)) + reach;
    /** @type {Pair[]} */
    const angles = SPEEDS.map((speed) => [query * speed, key * speed]);
    return { query, key, distance, slot, angles, bias: bias[slot], rotary: angles.map(([a, b]) => Math.cos(a - b)) };
  }

  // ---- in words

  /** @type {(keyof State)[]} */
  const ROLES = ["query", "key"];
  const whole = (n) => fixed(n, 0);

  // What each scheme makes of two places.
  /** @type {((found: Found) => number[])[]} */
  const SCHEMES = [({ bias }) => [bias], ({ rotary }) => rotary];
  const NAMES = ["relative bias", "rotary"];
  // Whether that is the same, apart from the last bits.
  const same = (a, b) => a.every((v, k) => Math.abs(v - b[k]) < 1e-9);

  function sentence(found, kept) {
    const results = SCHEMES.map(
      (made, k) =>
        `${NAMES[k]} ${made(found)
          .map((v) => fixed(v))
          .join(" and ")}`,
    );
    const some = (title, of_kept) => {
      const those = results.filter((_, k) => !kept || kept[k] === of_kept);
      return those.length ? ` ${title}: ${those.join(", ")}.` : "";
    };
    const said = kept ? some("As before", true) + some("Changed", false) : some("This gives", false);
    return `Query at place ${found.query}, key at place ${found.key}, distance ${whole(found.distance)}.${said}`;
  }

  // ---- the parts

  // A panel: the scheme's name and, after a move, whether its numbers have changed; its drawing; what comes of it; a note.
  function panel(title, drawing, result, note) {
    const mark = h("span", { class: "ak-small" });
    const head = h("p", { class: "ak-head" }, h("span", { class: "ak-say" }, title), mark);
    const group = { role: "group", "aria-label": title };
    return { mark, element: h("div", group, head, drawing, result, h("p", { class: "ak-small" }, note)) };
  }

  // A bar for each distance, that of the two places lit, with some distances under them.
  /** @param {number[]} bias */
  function biasPanel(bias) {
    const { element, at, scale } = attnkit.field("", [240, 110], [8, 6, 232, 78]);
    scale([-0.5, bias.length - 0.5], [Math.min(0, ...bias), Math.max(1e-9, ...bias)]);
    const reach = (bias.length - 1) / 2;
    const bars = bias.map((v, k) => {
      const [[x, foot], [end, top]] = [at(k - 0.4, Math.min(0, v)), at(k + 0.4, Math.max(0, v))];
      return svg("rect", { x, y: top, width: end - x, height: Math.max(1, foot - top) });
    });
    const pointer = svg("path", { d: "M0 0l-6 9h12z", class: "ak-pointer" });
    const axis = svg("path", { d: `M8 ${at(0, 0)[1]}H232`, class: "ak-axis" });
    const ticks = [-reach, 0, reach].map((distance) =>
      attnkit.label(at(distance + reach, 0)[0], 106, whole(distance), "ak-small"),
    );
    element.append(axis, ...bars, pointer, ...ticks);
    const [before, value] = [h("span", {}), h("strong", {})];
    const note = "One learned number for each distance; further away the last one counts.";
    /** @param {Found} found */
    function show(found) {
      bars.forEach((bar, k) => {
        attnkit.attr(bar, "class", `ak-${bias[k] < 0 ? "minus" : "plus"}${k === found.slot ? " ak-lit" : ""}`);
      });
      attnkit.move(pointer, [at(found.slot, 0)[0], 82]);
      const clipped = found.slot - reach === found.distance ? "" : `, as ${whole(found.slot - reach)}`;
      attnkit.write(before, `distance ${whole(found.distance)}${clipped}: `);
      attnkit.write(value, fixed(found.bias));
    }
    return { ...panel("Relative bias", element, h("p", {}, before, value), note), show };
  }

  const RADIUS = 44;
  /** @param {number} angle @param {number} r @returns {Point} */
  const point = (angle, r) => [r * Math.cos(angle), -r * Math.sin(angle)];

  // From one angle to another, in a widening line where that is more than a turn.
  /** @param {Pair} angles */
  function sweep([from, to]) {
    const count = Math.max(1, Math.ceil(Math.abs(to - from) / 0.2));
    const wider = Math.min((2 * Math.abs(to - from)) / Math.PI, 24);
    const steps = Array.from({ length: count + 1 }, (_, k) => k / count);
    return attnkit.path(steps.map((s) => point(from + s * (to - from), 14 + s * wider)));
  }

  // Where the letters of the two arrows stand: a little apart where the arrows meet.
  /** @param {Pair} angles */
  function letterAngles([one, other]) {
    const turn = 2 * Math.PI;
    const between = other - one - turn * Math.round((other - one) / turn);
    const away = (Math.max(0, 0.36 - Math.abs(between)) / 2) * (between < 0 ? -1 : 1);
    return [one - away, other + away];
  }

  // A circle for one pair of columns, with the arrows of query and key and the angle between them.
  function circle() {
    const arrows = ROLES.map((role) => svg("path", { class: "ak-needle", style: `stroke:var(--ak-${role})` }));
    const letters = ROLES.map((role) => attnkit.label(0, 5, role[0], `ak-letter ak-of-${role}`));
    const [rim, angle] = [svg("circle", { r: RADIUS, class: "ak-axis" }), svg("path", { class: "ak-sweep" })];
    const drawing = svg("svg", { viewBox: "-64 -62 128 124", "aria-hidden": "true" }, rim, angle, arrows, letters);
    const [words, value] = [h("span", { class: "ak-small" }), h("strong", {})];
    /** @param {Pair} two @param {number} cosine */
    function show(two, cosine) {
      two.forEach((one, k) => attnkit.attr(arrows[k], "d", attnkit.arrow([0, 0], point(one, RADIUS), 10)));
      letterAngles(two).forEach((one, k) => attnkit.move(letters[k], point(one, 54)));
      attnkit.attr(angle, "d", sweep(two));
      attnkit.write(words, `angle ${fixed(Math.abs(two[0] - two[1]))}`);
      attnkit.write(value, fixed(cosine));
    }
    return { show, element: h("div", { class: "ak-circle" }, drawing, words, h("span", {}, "cos ", value)) };
  }

  function rotaryPanel() {
    const circles = SPEEDS.map(circle);
    const speeds = SPEEDS.map((speed) => fixed(speed, 3).replace(/0+$/, "")).join(" or ");
    const note = `Two of the slower arrows. Each place turns both on, by ${speeds} radian.`;
    const show = (/** @type {Found} */ { angles, rotary }) =>
      circles.forEach((one, k) => one.show(angles[k], rotary[k]));
    return { ...panel("Rotary", h("div", { class: "ak-circles" }, circles), null, note), show };
  }

  // Two sliders, one above the other, on the same places; the distance; two buttons that keep it.
  function controls(figure, forget) {
    const sliders = ROLES.map((role, k) => {
      const word = (/** @type {number} */ v, /** @type {State} */ { query, key }) =>
        `${v}, distance ${whole(key - query)}`;
      const range = { min: 0, max: PLACES - 1, step: 1, word };
      const slider = figure.slider({ name: `${role} at place ${"ji"[k]}`, trait: role, ...range });
      slider.element.style.setProperty("--role", `var(--ak-${role})`);
      return slider;
    });
    const buttons = [-1, 1].map((by) =>
      figure.button(
        `Both one place ${by < 0 ? "back" : "on"}`,
        ({ query, key }) => ({ query: query + by, key: key + by }),
        ({ query, key }) =>
          [query, key].every((place) => place + by >= 0 && place + by < PLACES)
            ? ""
            : `No room: one of the two stands at the ${by < 0 ? "first" : "last"} place.`,
      ),
    );
    const distance = h("span", {});
    return { distance, element: attnkit.controls(sliders, attnkit.row(distance, buttons, figure.reset(forget))) };
  }

  function build(figure) {
    const bias = figure.get("bias");
    const panels = [biasPanel(bias), rotaryPanel()];
    let [past, present] = /** @type {(Found | null)[]} */ ([null, null]); // what was shown before the last move, and what is shown
    const moved = controls(figure, () => (present = null));

    function update(state) {
      const found = compute({ bias, ...state });
      if (!present || present.query !== state.query || present.key !== state.key) [past, present] = [present, found];
      const before = past;
      const kept = before && SCHEMES.map((made) => same(made(before), made(found)));
      attnkit.write(moved.distance, `distance i − j = ${whole(found.distance)}`);
      panels.forEach(({ mark, show }, k) => {
        show(found);
        attnkit.write(mark, kept ? (kept[k] ? "as before" : "changed") : "");
        attnkit.attr(mark, "class", kept?.[k] ? "ak-small" : "ak-small ak-changed");
      });
      figure.say(sentence(found, kept));
    }
    const title = h("p", { class: "ak-title" }, "Changes of the scores");
    return { parts: [moved, title, h("div", { class: "ak-group" }, panels)], update };
  }

  attnkit.register("position_pairs", { label: "Two places under schemes of positions", wide: true, compute, build });
})(globalThis.attnkit);
