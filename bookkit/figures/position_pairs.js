// Two places under some schemes of positions: what each makes of a query at one and a key at the other.
((attnkit) => {
  "use strict";
  const { h, svg, fixed } = attnkit;

  /** @typedef {"sinusoidal" | "learned" | "bias" | "alibi" | "rotary"} Scheme */
  /** @typedef {{ query: number, key: number }} State */
  /** @typedef {{ learned: Matrix, bias: number[], slope: number, width: number, places: number, schemes: Scheme[] }} Given */
  /** @typedef {ReturnType<typeof compute>} Found */
  /** @typedef {Found & State} Shown */

  const PAIRS = [1, 2]; // the pairs of columns that the two circles show
  /** @param {number} pair @param {number} width */
  const frequency = (pair, width) => 10_000 ** ((-2 * pair) / width);

  // The arithmetic, compared with attnkit.positions by tests/figures/.
  /** @param {number} place @param {number} width */
  const sinusoidal = (place, width) =>
    Array.from({ length: width }, (_, k) => {
      const angle = place * frequency(Math.floor(k / 2), width);
      return k % 2 ? Math.cos(angle) : Math.sin(angle);
    });

  /** @param {State & Given} state */
  function compute({ learned, bias, slope, width, query, key }) {
    /** @type {Pair} */
    const two = [query, key];
    const distance = key - query;
    const reach = (bias.length - 1) / 2;
    const slot = Math.max(-reach, Math.min(reach, distance)) + reach;
    const vectors = {
      sinusoidal: two.map((place) => sinusoidal(place, width)),
      learned: two.map((place) => learned[place] || null),
    };
    const [one, other] = vectors.learned;
    const angles = PAIRS.map((pair) => two.map((place) => place * frequency(pair, width)));
    const arrows = angles.map((pair) => pair.map((angle) => [Math.cos(angle), Math.sin(angle)]));
    return {
      distance,
      slot,
      vectors,
      angles,
      sinusoidal: attnkit.dot(...vectors.sinusoidal),
      learned: one && other ? attnkit.dot(one, other) : null,
      bias: bias[slot],
      alibi: distance > 0 ? null : slope * distance + 0, // no zero with a sign
      rotary: arrows.map((pair) => attnkit.dot(...pair)),
    };
  }

  // ---- in words

  /** @type {(keyof State)[]} */
  const ROLES = ["query", "key"];
  /** @param {number} n */
  const whole = (n) => fixed(n, 0);
  /** @param {number} x */
  const short = (x) => fixed(x, 3).replace(/\.?0+$/, "");

  // What a scheme makes of the two places, for the ear and for the line below.
  /** @type {Record<Scheme, [name: string, words: (found: Found) => string]>} */
  const RESULTS = {
    sinusoidal: ["sinusoidal", ({ sinusoidal }) => fixed(sinusoidal)],
    learned: ["learned", ({ learned }) => (learned === null ? "without a row" : fixed(learned))],
    bias: ["relative bias", ({ bias }) => fixed(bias)],
    alibi: ["ALiBi", ({ alibi }) => (alibi === null ? "hidden" : fixed(alibi))],
    rotary: ["rotary", ({ rotary }) => rotary.map((v) => fixed(v)).join(" and ")],
  };

  // Whether a scheme makes the same of two pairs of places, apart from the last bits.
  /** @param {Scheme} scheme @param {Found} one @param {Found} other */
  function same(scheme, one, other) {
    const [a, b] = [one, other].map((found) => [found[scheme]].flat());
    return a.every((v, k) => (v === null || b[k] === null ? v === b[k] : Math.abs(v - b[k]) < 1e-9));
  }

  /** @param {State} state @param {Found|null} past @param {Found} found @param {Scheme[]} schemes */
  function sentence({ query, key }, past, found, schemes) {
    /** @param {Scheme[]} some */
    const list = (some) => some.map((s) => `${RESULTS[s][0]} ${RESULTS[s][1](found)}`).join(", ");
    const kept = past ? schemes.filter((scheme) => same(scheme, past, found)) : [];
    const others = schemes.filter((scheme) => !kept.includes(scheme));
    /** @type {Record<string, Scheme[]>} */
    const groups = past ? { "As before": kept, Changed: others } : { "This gives": schemes };
    const parts = Object.entries(groups).filter(([, some]) => some.length);
    const said = parts.map(([title, some]) => ` ${title}: ${list(some)}.`);
    return `Query at place ${query}, key at place ${key}, distance ${whole(found.distance)}.${said.join("")}`;
  }

  // ---- the parts

  // A panel: the scheme's name and, after a move, whether its numbers have changed; its drawing; the result; a note.
  /** @param {string} title @param {HTMLElement} drawing @param {string} note */
  function panel(title, drawing, note) {
    const [mark, result] = [h("span", { class: "ak-small" }), h("p", { class: "ak-result" })];
    const [before, value, after] = [h("span", {}), h("strong", {}), h("span", {})];
    result.append(before, value, after);
    const head = h("p", { class: "ak-head" }, h("span", { class: "ak-say" }, title), mark);
    const words = h("div", { class: "ak-words" }, result, h("p", { class: "ak-small" }, note));
    const element = h("div", { class: "ak-scheme", role: "group", "aria-label": title }, head, drawing, words);
    /** @param {string[]} texts */
    function show(...texts) {
      [before, value, after].forEach((node, k) => attnkit.write(node, texts[k] || ""));
    }
    return { element, mark, result, show };
  }

  // The vectors of the two places as rows of squares, or in words that there is none.
  /** @param {string} kind @param {number} width @param {number} largest @param {string} missing */
  function vectorRows(kind, width, largest, missing) {
    const rows = ROLES.map((role) => {
      const name = h("span", { class: `ak-of ak-name-${role}` });
      const cells = Array.from({ length: width }, () => h("span", { class: "ak-sq" }));
      const frame = h("span", { class: `ak-frame ak-frame-${role}`, role: "img" }, ...cells);
      return { name, cells, frame, none: h("span", { class: "ak-none ak-small" }, missing) };
    });
    /** @param {(number[]|null)[]} vectors @param {number[]} places */
    function show(vectors, places) {
      rows.forEach(({ name, cells, frame, none }, r) => {
        attnkit.write(name, `${ROLES[r]} ${places[r]}`);
        attnkit.attr(frame, "class", `ak-frame ak-frame-${ROLES[r]}${vectors[r] ? "" : " ak-gone"}`);
        attnkit.style(none, "display", vectors[r] ? "none" : "");
        const said = vectors[r] ? vectors[r].map((v) => fixed(v)).join(", ") : missing;
        attnkit.attr(frame, "aria-label", `${kind} vector of place ${places[r]}: ${said}`);
        cells.forEach((cell, k) => attnkit.paint(cell, vectors[r] ? vectors[r][k] : 0, largest));
      });
    }
    const lines = rows.flatMap(({ name, frame, none }) => [name, h("span", { class: "ak-line" }, frame, none)]);
    return { show, element: h("div", { class: "ak-rows" }, ...lines) };
  }

  /**
   * @param {string} title
   * @param {"sinusoidal" | "learned"} kind
   * @param {{ width: number, largest: number, missing: string, note: string }} options
   */
  const vectorPanel = (title, kind, { width, largest, missing, note }) => {
    const rows = vectorRows(kind, width, largest, missing);
    const made = panel(title, rows.element, note);
    return {
      ...made,
      /** @param {Found} found @param {number[]} places */
      update(found, places) {
        const value = found[kind];
        rows.show(found.vectors[kind], places);
        made.show(value === null ? "dot product: " : "dot product ", value === null ? "none" : fixed(value));
      },
    };
  };

  // A drawing over the distance, in units of about a pixel, with some distances under it.
  const [WIDE, HIGH, EDGE] = [240, 92, 8];
  /** @param {number[]} distances @param {SVGElement[]} inside */
  const chart = (distances, ...inside) => {
    const drawing = svg("svg", { viewBox: `0 0 ${WIDE} ${HIGH}` });
    drawing.append(...inside);
    const ticks = distances.map((distance) => h("span", {}, whole(distance)));
    return h("div", { class: "ak-chart", "aria-hidden": "true" }, drawing, h("div", { class: "ak-small" }, ...ticks));
  };

  // A bar for each distance, that of the two places lit.
  /** @param {Given} given */
  function biasPanel({ bias }) {
    const reach = (bias.length - 1) / 2;
    const step = (WIDE - 2 * EDGE) / bias.length;
    const [top, foot] = [6, HIGH - 14];
    const [low, high] = [Math.min(0, ...bias), Math.max(0, ...bias)];
    /** @param {number} v */
    const at = (v) => top + ((high - v) / (high - low || 1)) * (foot - top);
    const bars = bias.map((v, k) => {
      const [y, height] = [Math.min(at(v), at(0)), Math.max(1, Math.abs(at(v) - at(0)))];
      return svg("rect", { x: EDGE + k * step + 0.1 * step, y, width: 0.8 * step, height });
    });
    const pointer = svg("path", { d: "M0 0l-6 9h12z", class: "ak-pointer" });
    const axis = svg("path", { d: `M${EDGE} ${at(0)}H${WIDE - EDGE}`, class: "ak-axis" });
    const note = "One learned number for each distance; further away the last one counts.";
    const made = panel("Relative bias", chart([-reach, 0, reach], axis, ...bars, pointer), note);
    /** @param {Found} found */
    function update({ slot, distance, bias: value }) {
      bars.forEach((bar, k) => {
        attnkit.attr(bar, "class", `ak-${bias[k] < 0 ? "minus" : "plus"}${k === slot ? " ak-lit" : ""}`);
      });
      attnkit.move(pointer, [EDGE + (slot + 0.5) * step, foot + 4]);
      const clipped = slot - reach === distance ? "" : `, as ${whole(slot - reach)}`;
      made.show(`distance ${whole(distance)}${clipped}: `, fixed(value));
    }
    return { ...made, update };
  }

  // A line that falls with each place back, and the point of the two places on it.
  /** @param {Given} given */
  function alibiPanel({ slope, places }) {
    const [left, right, top, foot] = [EDGE, WIDE - EDGE, 10, HIGH - 6];
    /** @param {number} distance */
    const x = (distance) => right + (distance / (places - 1)) * (right - left);
    /** @param {number} distance */
    const y = (distance) => top - (slope ? (distance / (places - 1)) * (foot - top) : 0);
    const line = svg("path", { d: `M${left} ${y(1 - places)}L${right} ${top}`, class: "ak-fall" });
    const axis = svg("path", { d: `M${left} ${top}H${right}`, class: "ak-axis" });
    const drop = svg("path", { class: "ak-drop" });
    const dot = svg("circle", { r: 6, class: "ak-dot ak-of-output" });
    const drawing = chart([1 - places, 0], axis, line, drop, dot);
    const made = panel("ALiBi", drawing, `Each place back takes ${short(slope)} off the score.`);
    /** @param {Found} found */
    function update({ distance, alibi }) {
      const [px, py] = [x(distance), y(distance)].map((v) => v.toFixed(1));
      for (const node of [dot, drop]) attnkit.style(node, "display", alibi === null ? "none" : "");
      attnkit.attr(dot, "transform", `translate(${px} ${py})`);
      attnkit.attr(drop, "d", `M${px} ${top}V${py}`);
      if (alibi === null) made.show("", "hidden", ", it looks back only");
      else made.show(`−${short(slope)} × ${-distance} = `, fixed(alibi));
    }
    return { ...made, update };
  }

  const RADIUS = 44;
  /** @param {number} angle @param {number} r @returns {Point} */
  const point = (angle, r) => [r * Math.cos(angle), -r * Math.sin(angle)];

  // From one angle to another, in a widening line where that is more than a turn.
  /** @param {number[]} angles */
  function sweep([from, to]) {
    const count = Math.max(1, Math.ceil(Math.abs(to - from) / 0.2));
    const turns = Math.abs(to - from) / (2 * Math.PI);
    const wider = Math.min(4 * turns, 24);
    const steps = Array.from({ length: count + 1 }, (_, k) => k / count);
    return attnkit.path(steps.map((s) => point(from + s * (to - from), 14 + s * wider)));
  }

  // Where the letters of the two arrows stand: a little apart where the arrows meet.
  /** @param {number[]} angles */
  function letterAngles([one, other]) {
    const turn = 2 * Math.PI;
    const between = other - one - turn * Math.round((other - one) / turn);
    const away = Math.max(0, 0.36 - Math.abs(between)) / 2;
    return between < 0 ? [one + away, other - away] : [one - away, other + away];
  }

  // A circle for one pair of columns, with the arrows of query and key and the angle between them.
  function circle() {
    const arrows = ROLES.map((role) => svg("path", { class: `ak-needle ak-needle-${role}` }));
    const letters = ROLES.map((role) => attnkit.label(0, 5, role[0], `ak-letter ak-letter-${role}`));
    const angle = svg("path", { class: "ak-sweep" });
    const drawing = svg("svg", { viewBox: "-64 -62 128 124", "aria-hidden": "true" });
    drawing.append(svg("circle", { r: RADIUS, class: "ak-axis" }), angle, ...arrows, ...letters);
    const [words, value] = [h("span", { class: "ak-small" }), h("strong", {})];
    /** @param {number[]} two @param {number} cosine */
    function show(two, cosine) {
      two.forEach((one, k) => attnkit.attr(arrows[k], "d", attnkit.arrow([0, 0], point(one, RADIUS), 10)));
      letterAngles(two).forEach((one, k) => attnkit.move(letters[k], point(one, 54)));
      attnkit.attr(angle, "d", sweep(two));
      attnkit.write(words, `angle ${fixed(Math.abs(two[0] - two[1]))}`);
      attnkit.write(value, fixed(cosine));
    }
    return { show, element: h("div", { class: "ak-circle" }, drawing, words, h("span", {}, "cos ", value)) };
  }

  /** @param {Given} given */
  function rotaryPanel({ width }) {
    const circles = PAIRS.map(circle);
    const drawing = h("div", { class: "ak-circles" }, ...circles.map((one) => one.element));
    const speeds = PAIRS.map((pair) => short(frequency(pair, width))).join(" or ");
    const made = panel("Rotary", drawing, `Two of the slower arrows. Each place turns both on, by ${speeds} radian.`);
    made.result.remove();
    const update = (/** @type {Found} */ { angles, rotary }) =>
      circles.forEach((one, k) => one.show(angles[k], rotary[k]));
    return { ...made, update };
  }

  // Two sliders, one above the other, on the same places; the distance; two buttons that keep it.
  /** @param {Figure<State, Given>} figure @param {number} places @param {() => void} forget */
  function controls(figure, places, forget) {
    const sliders = ROLES.map((role, k) => {
      const slider = figure.slider({
        name: `${role} at place ${"ji"[k]}`,
        min: 0,
        max: places - 1,
        step: 1,
        format: whole,
        word: (v, { query, key }) => `${v}, distance ${whole(key - query)}`,
        trait: role,
      });
      slider.element.classList.add(`ak-slide-${role}`);
      return slider.element;
    });
    /** @param {State} state @param {number} by */
    const room = ({ query, key }, by) => [query, key].every((place) => place + by >= 0 && place + by < places);
    const buttons = [-1, 1].map((by) =>
      figure.button(`Both one place ${by < 0 ? "back" : "on"}`, (state) => {
        if (room(state, by)) return { query: state.query + by, key: state.key + by };
        figure.say(`No room: one of the two stands at the ${by < 0 ? "first" : "last"} place.`);
        return {};
      }),
    );
    const distance = h("span", {});
    /** @param {State} state */
    function show(state) {
      attnkit.write(distance, `distance i − j = ${whole(state.key - state.query)}`);
      buttons.forEach((button, k) => attnkit.attr(button, "aria-disabled", String(!room(state, 2 * k - 1))));
    }
    const row = h("div", { class: "ak-buttons" }, distance, ...buttons, figure.reset(forget));
    return { show, element: h("div", { class: "ak-controls" }, ...sliders, row) };
  }

  // The five panels, by scheme.
  /** @param {Given} data */
  function panels(data) {
    const { learned, width } = data;
    const count = `${learned.length} row${learned.length > 1 ? "s" : ""}`;
    return {
      sinusoidal: vectorPanel("Sinusoidal", "sinusoidal", {
        width,
        largest: 1,
        missing: "",
        note: "The vectors of the two places, and the dot product of these two alone.",
      }),
      learned: vectorPanel("Learned", "learned", {
        width,
        largest: Math.max(...learned.flat().map(Math.abs), 1e-9),
        missing: `no row: the table has ${learned.length}`,
        note: `The same of a learned table, with ${count}.`,
      }),
      bias: biasPanel(data),
      alibi: alibiPanel(data),
      rotary: rotaryPanel(data),
    };
  }

  /** @param {Figure<State, Given>} figure */
  function build(figure) {
    const data = figure.given("learned", "bias", "slope", "width", "places", "schemes");
    const made = panels(data);
    let [past, present] = [/** @type {Shown | null} */ (null), /** @type {Shown | null} */ (null)]; // what was shown before the last move, and what is shown
    const moved = controls(figure, data.places, () => {
      present = null;
    });

    /** @param {State} state */
    function update(state) {
      const found = { ...compute({ ...data, ...state }), ...state };
      if (!present || present.query !== state.query || present.key !== state.key) [past, present] = [present, found];
      moved.show(state);
      for (const scheme of data.schemes) {
        made[scheme].update(found, [state.query, state.key]);
        const kept = past && same(scheme, past, found);
        attnkit.write(made[scheme].mark, past ? (kept ? "as before" : "changed") : "");
        attnkit.attr(made[scheme].mark, "class", kept ? "ak-small" : "ak-small ak-changed");
      }
      figure.say(sentence(state, past, found, data.schemes));
    }
    /** @param {string} title @param {Scheme[]} its */
    const group = (title, its) => {
      const shown = its.filter((scheme) => data.schemes.includes(scheme));
      const parts = shown.map((scheme) => made[scheme].element);
      return parts.length
        ? [h("p", { class: "ak-title" }, title), h("div", { class: `ak-group ak-of-${parts.length}` }, ...parts)]
        : [];
    };
    const vectors = group("A vector for each place, added to the items", ["sinusoidal", "learned"]);
    const distances = group("Changes of the scores", ["bias", "alibi", "rotary"]);
    return { parts: [moved.element, ...vectors, ...distances], update };
  }

  attnkit.register("position_pairs", { label: "Two places under schemes of positions", compute, build });
})(globalThis.attnkit);
