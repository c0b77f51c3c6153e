// What the interactive figures share. A plain script, no imports or exports: a static page loads it as it is, Python
// adds the export that a live notebook needs (base.py), and node loads it for the tests.
((root) => {
  "use strict";
  // Live, every figure brings the core along: whoever comes first loads it, for all. A second one would know nothing of
  // the figures that are shown, nor of the fills that they were drawn with.
  if (root.attnkit) return;
  const attnkit = /** @type {Attnkit} */ ({ figures: {} }); // what follows makes it whole
  root.attnkit = attnkit;

  // ---- numbers: the twins of bookkit/pictures/formats.py and palette.py, compared with them by the tests

  attnkit.fixed = (x, digits = 2, plus = false) => {
    if (!Number.isFinite(x)) return Number.isNaN(x) ? "?" : x > 0 ? "∞" : "−∞";
    const n = Math.floor(Math.abs(x) * 10 ** digits + 0.5);
    let text = String(n).padStart(digits + 1, "0");
    if (digits) text = `${text.slice(0, -digits)}.${text.slice(-digits)}`;
    return (n === 0 ? "" : x < 0 ? "−" : plus ? "+" : "") + text;
  };

  // With a comma between thousands, and with the name of what is counted.
  attnkit.grouped = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, ",");
  attnkit.many = (count, thing) => `${attnkit.grouped(count)} ${thing}${count === 1 ? "" : "s"}`;

  // A place as words tell it: (0.30, −1.20).
  attnkit.pair = (numbers, digits = 2) => `(${numbers.map((x) => attnkit.fixed(x, digits)).join(", ")})`;

  attnkit.compact = (x) => (x === 0 ? "0" : x < 1e-3 ? x.toExponential(0) : attnkit.fixed(x, 3));

  const DEPTH = 0.9;
  attnkit.opacity = (value, vmax) => Math.floor(Math.min(Math.abs(value) / vmax, 1) * DEPTH * 1000 + 0.5) / 1000;

  // ---- the arithmetic that several figures need, compared with numpy and attnkit through each of them

  attnkit.sum = (numbers) => numbers.reduce((sum, v) => sum + v, 0);

  attnkit.dot = (a, b) => a.reduce((sum, v, k) => sum + v * b[k], 0);

  // Where every score is minus infinity there is nothing to attend to: all weights are 0, as in Python.
  attnkit.softmax = (scores) => {
    const largest = Math.max(...scores);
    if (largest === -Infinity) return scores.map(() => 0);
    const shares = scores.map((s) => Math.exp(s - largest));
    const total = attnkit.sum(shares);
    return shares.map((v) => v / total);
  };

  // The place of the largest number, of equals the first.
  attnkit.argmax = (numbers) => numbers.indexOf(Math.max(...numbers));

  // The places of numbers, but for some, that of the largest first, of equals the first.
  attnkit.ranked = (numbers, never = []) => {
    const places = numbers.map((_, k) => k).filter((k) => !never.includes(k));
    return places.sort((a, b) => numbers[b] - numbers[a]);
  };

  // Numbers from 0 to 1 that look random, the same in Python for the same seed: Marsaglia's xorshift.
  attnkit.xorshift = (seed) => {
    let state = Math.imul(seed + 1, 2654435761) >>> 0;
    return () => {
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      state >>>= 0;
      return state / 2 ** 32;
    };
  };

  // One row of weights times rows of values: their weighted sum.
  attnkit.blend = (weights, values) => {
    const sum = values[0].map((_, k) =>
      attnkit.dot(
        weights,
        values.map((v) => v[k]),
      ),
    );
    return /** @type {typeof values[0]} */ (sum); // as long as each of them
  };

  // The corners of the convex hull, once around: the points that no average of the others reaches.
  attnkit.hull = (points) => {
    const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    /** @param {typeof points} line */
    const side = (line) => {
      /** @type {typeof points} */
      const kept = [];
      for (const p of line) {
        /** @param {number[]} a @param {number[]} b */
        const turns = (a, b) => (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]);
        while (kept.length > 1 && turns(kept[kept.length - 2], kept[kept.length - 1]) <= 0) kept.pop();
        kept.push(p);
      }
      return kept.slice(0, -1);
    };
    const corners = [...side(sorted), ...side(sorted.reverse())];
    return corners.length ? corners : [points[0]];
  };

  // ---- numbers as people type them

  const BLANKS = "[\\s\\u00a0\\u2009\\u202f]";
  // What is said in many ways, in one: signs of minus and of division, blanks between groups of digits and beside signs.
  /** @param {string} text */
  const tidy = (text) =>
    text
      .normalize("NFKC")
      .trim()
      .replace(/[\u2010-\u2015\u2212]/g, "-")
      .replace(/[\u2044\u2215\u00f7]/g, "/")
      .replace(/[\u00b7\u00d7\u22c5]/g, "*")
      .replace(new RegExp(`${BLANKS}*([-+*/%])${BLANKS}*`, "g"), "$1")
      .replace(new RegExp(`(\\d)[_'\\u2019]?${BLANKS}*(?=\\d{3}(?!\\d))`, "g"), "$1");

  // What a number without sign may mean, the likelier first: 1,024 is a thousand or one, by where one comes from.
  /** @param {string} text @returns {number[]} */
  function readings(text) {
    const [dot, comma] = [text.replaceAll(",", ""), text.replaceAll(".", "").replace(",", ".")];
    /** @type {[RegExp, string][]} */
    const ways = [
      [/^[1-9]\d{0,2}(,\d{3})+(\.\d+)?$/, dot],
      [/^(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i, text],
      [/^\d*,\d+$/, comma],
      [/^[1-9]\d{0,2}(\.\d{3})+(,\d+)?$/, comma],
    ];
    return ways.flatMap(([way, plain]) => (way.test(text) ? [Number(plain)] : []));
  }

  // All that a text may mean, with its sign, perhaps a product, a fraction or a percentage, the likelier first; nothing if
  // it is no number. Asked for how many percent, 39% is 39.
  attnkit.meanings = (text) => {
    const [, sign, rest, percent] = /^([-+]?)(.*?)(%?)$/.exec(tidy(text)) ?? ["", "", "", ""];
    const [first, ...parts] = rest.split(/(?=[*/])/);
    const start = readings(first).map((v) => (sign === "-" ? -v : v));
    /** @param {number[]} found @param {string} part */
    const next = (found, part) =>
      readings(part.slice(1)).flatMap((v) => found.map((w) => (part[0] === "/" ? w / v : w * v)));
    const found = parts.reduce(next, start).filter(Number.isFinite);
    return percent ? [...found.map((v) => v / 100), ...found] : found;
  };

  // ---- words

  attnkit.quoted = (word) => `“${word}”`;

  // Some words as a sentence lists them: a, b and c.
  attnkit.listed = (words) => [words.slice(0, -1).join(", "), ...words.slice(-1)].filter(Boolean).join(" and ");

  // A name that no other element of the page has, for what one element has to say of another.
  let named = 0;
  attnkit.id = (kind) => `ak-${kind}-${named++}`;

  // ---- the page

  // What has the focus takes keys, and says that they are its own: or else JupyterLab takes them, an arrow leads out of the
  // cell, and d, pressed twice, deletes it.
  const TAKES_KEYS = ["a", "button", "input", "select", "summary", "textarea"];
  // What a browser that translates the page leaves as it is.
  const CODE = ["code", "pre"];

  // Put into an element what it is made of: nodes, texts, parts that have an element, lists of these.
  /** @param {Element} el @param {Child[]} children */
  function fill(el, children) {
    for (const child of children) {
      if (Array.isArray(child)) fill(el, child);
      else if (child != null) el.append(typeof child === "object" && "element" in child ? child.element : child);
    }
  }

  // h("td", {class: "x", onclick: f}, "text", child): an element; no HTML is ever parsed from data.
  attnkit.h = (tag, props, ...children) => {
    const el = document.createElement(tag);
    if (TAKES_KEYS.includes(tag) || props?.tabindex != null) el.setAttribute("data-lm-suppress-shortcuts", "true");
    if (CODE.includes(tag)) el.setAttribute("translate", "no");
    for (const [name, value] of Object.entries(props || {})) {
      if (typeof value === "function") el.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
      else if (value === true) el.setAttribute(name, "");
      else if (value !== false && value != null) el.setAttribute(name, String(value));
    }
    fill(el, children);
    return el;
  };

  attnkit.svg = (tag, props, ...children) => {
    const el = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(props || {})) el.setAttribute(name, String(value));
    fill(el, children);
    return el;
  };

  // The fill of a square: "positive", "negative", "weight" or "amount". It is read once for each theme: a variable in the style of
  // each of some hundred squares would make a redraw five times as slow. Before the style sheet is there, it has to do.
  /** @type {Partial<Record<Fill, string>>} */
  let fills = {};
  /** @param {Fill} kind */
  function fillOf(kind) {
    fills[kind] = fills[kind] || getComputedStyle(document.body).getPropertyValue(`--ak-fill-${kind}`).trim();
    return fills[kind] || `var(--ak-fill-${kind})`;
  }

  // Give an element the fill of a square: depth by magnitude, hue by sign, or that of the weights.
  attnkit.paint = (el, value, vmax, kind = value < 0 ? "negative" : "positive") => {
    const share = Math.round(1000 * attnkit.opacity(value, vmax)) / 10;
    attnkit.style(el, "backgroundColor", `color-mix(in srgb, ${fillOf(kind)} ${share}%, transparent)`);
  };

  // A bar to the right or the left of a middle, and its number: what something adds or takes, of at most `most`.
  attnkit.balance = () => {
    const [fill, number] = [attnkit.h("span", { class: "ak-balance-bar" }), attnkit.h("span", { class: "ak-out" })];
    const element = attnkit.h(
      "div",
      { class: "ak-balance" },
      attnkit.h("span", { class: "ak-balance-scale" }, fill),
      number,
    );
    return {
      element,
      show(v, most) {
        const wide = (50 * Math.abs(v)) / most;
        attnkit.style(fill, "width", `${wide}%`);
        attnkit.style(fill, "left", v < 0 ? `${50 - wide}%` : "50%");
        attnkit.paint(fill, v, Math.abs(v) || 1);
        attnkit.write(number, attnkit.fixed(v, 2, true));
      },
    };
  };

  // When the page turns dark, or light, the fills are other ones: the figures draw themselves again. One observer watches
  // for all of them, from the first to the last.
  /** @type {Set<{ redraw(): void }>} */
  const shown = new Set();
  const themes = root.MutationObserver && new MutationObserver(repaint);
  function repaint() {
    fills = {};
    for (const figure of shown) figure.redraw();
  }
  /** @param {{ redraw(): void }} figure */
  function appear(figure) {
    if (!shown.size) {
      fills = {}; // nobody has watched until now
      for (const node of [document.documentElement, document.body])
        themes.observe(node, { attributeFilter: ["data-theme", "data-jp-theme-light"] });
    }
    shown.add(figure);
  }
  /** @param {{ redraw(): void }} figure */
  function vanish(figure) {
    shown.delete(figure);
    if (!shown.size) themes.disconnect();
  }

  // Write only what changed: an untouched node costs no style and no layout, and a figure redraws within a frame. What
  // was written last is kept beside the node, because reading it back from the page is slow.
  /** @type {WeakMap<Node, Record<string, string | number>>} */
  const last = new WeakMap();
  /** @param {Node} node @param {string} what @param {string | number} value */
  function changed(node, what, value) {
    let known = last.get(node);
    if (!known) {
      known = {};
      last.set(node, known);
    }
    if (known[what] === value) return false;
    known[what] = value;
    return true;
  }
  attnkit.write = (node, text) => {
    if (!changed(node, "text", text)) return;
    const own = node.firstChild;
    if (own instanceof Text && own === node.lastChild) own.data = text;
    else node.textContent = text;
  };
  attnkit.style = (node, name, value) => {
    if (changed(node, name, value)) node.style[name] = value;
  };

  attnkit.attr = (node, name, value) => {
    if (changed(node, name, value)) node.setAttribute(name, String(value));
  };

  attnkit.button = (words, onclick, props) => attnkit.h("button", { type: "button", ...props, onclick }, words);

  // What stands below the picture, and a line of buttons in it.
  attnkit.controls = (...parts) => attnkit.h("div", { class: "ak-controls" }, parts);
  attnkit.row = (...parts) => attnkit.h("div", { class: "ak-buttons" }, parts);

  // A table: what stands above its columns ("" in the corner), or a head that is made already; then its rows, each a name
  // and its cells. What is no cell is put into one.
  /** @param {"td" | "th"} tag @param {Props} props @param {Child} child */
  const cell = (tag, props, child) => {
    const node = child && typeof child === "object" && "element" in child ? child.element : child;
    return node instanceof HTMLTableCellElement ? node : attnkit.h(tag, props, node);
  };
  attnkit.tr = (name, ...cells) => {
    const heading = attnkit.h("th", { scope: "row" }, name);
    return attnkit.h("tr", {}, heading, ...cells.map((child) => cell("td", {}, child)));
  };
  attnkit.table = (kind, heads, rows) => {
    /** @param {Child} head */
    const above = (head) => (head === "" ? attnkit.h("td") : cell("th", { scope: "col" }, head));
    const top = Array.isArray(heads) ? attnkit.h("thead", {}, attnkit.h("tr", {}, heads.map(above))) : heads;
    return attnkit.h("table", { class: `ak-grid ${kind}` }, top, attnkit.h("tbody", {}, rows));
  };

  // A table of numbers as squares, a name beside each row.
  attnkit.squares = (kind, heads, names, columns) => {
    const cells = names.map(() => Array.from({ length: columns }, () => attnkit.h("td", { class: "ak-sq" })));
    const rows = names.map((name, r) => attnkit.tr(name, ...cells[r]));
    return {
      element: attnkit.table(kind, heads, rows),
      show(numbers, vmax) {
        numbers.flat().forEach((v, k) => {
          attnkit.write(cells.flat()[k], attnkit.fixed(v));
          attnkit.paint(cells.flat()[k], v, vmax);
        });
      },
    };
  };

  // A bar that is as long as a share of its place.
  attnkit.bar = () => {
    const element = attnkit.h("span", { class: "ak-fill", "aria-hidden": "true" });
    return { element, show: (share) => attnkit.style(element, "transform", `scaleX(${share.toFixed(3)})`) };
  };

  // Keys that an element answers. With Alt, Ctrl or Meta they are the browser's (Alt and the left arrow lead back), and while
  // a word is composed they are the keyboard's.
  attnkit.keys = (node, ways) =>
    node.addEventListener("keydown", (event) => {
      const way = ways[event.key];
      if (!way || event.altKey || event.ctrlKey || event.metaKey || event.isComposing) return;
      event.preventDefault();
      way();
    });

  // Where a part of an element stands in it, in the element's own pixels, which a slide makes larger.
  attnkit.box = (part, element) => {
    const zoom = /** @type {{ currentCSSZoom?: number }} */ (element).currentCSSZoom ?? 1;
    const [own, from] = [part.getBoundingClientRect(), element.getBoundingClientRect()];
    const [x, y] = [from.left, from.top];
    return {
      left: (own.left - x) / zoom,
      right: (own.right - x) / zoom,
      top: (own.top - y) / zoom,
      bottom: (own.bottom - y) / zoom,
    };
  };

  // A group of buttons is one stop of the tab key: the arrow keys lead from one to the next, Home and End to the ends of its
  // row, and the page stays where it is. In a grid `columns` of them stand in a row; where lines break as they like, `across`
  // finds the one above or below. `at` says to which the tab key comes; as long as one of them has the focus, it is that one.
  attnkit.walk = (buttons, { columns = buttons.length, start = 0, across = null } = {}) => {
    let stop = -1;
    /** @param {number} k */
    const go = (k) => {
      if (k === stop || !buttons[k]) return;
      if (stop >= 0) buttons[stop].tabIndex = -1;
      buttons[k].tabIndex = 0;
      stop = k;
    };
    /** @param {string} key */
    const lead = (key) => {
      const left = stop - (stop % columns);
      const right = Math.min(left + columns, buttons.length) - 1;
      const single = columns === buttons.length;
      const line = single ? 1 : columns;
      const [first, last] = single ? [left, right] : [stop % columns, buttons.length - 1];
      /** @type {Record<string, [from: number, by: number, low: number, high: number]>} */
      const ways = {
        ArrowLeft: [stop - 1, -1, left, right],
        ArrowRight: [stop + 1, 1, left, right],
        ArrowUp: [stop - line, -line, first, last],
        ArrowDown: [stop + line, line, first, last],
        Home: [left, 1, left, right],
        End: [right, -1, left, right],
      };
      let [k, by, low, high] = ways[key];
      if (across && /Up|Down/.test(key)) return across(buttons[stop], by)?.focus();
      while (k >= low && k <= high && (buttons[k].disabled || !buttons[k].getClientRects().length)) k += by;
      if (k >= low && k <= high) buttons[k].focus();
    };
    const arrows = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"];
    const ways = Object.fromEntries(arrows.map((key) => [key, () => lead(key)]));
    buttons.forEach((button, k) => {
      button.tabIndex = -1;
      button.addEventListener("focus", () => go(k));
      attnkit.keys(button, ways);
    });
    go(start);
    return {
      at: (k) => buttons.every((button) => button !== document.activeElement) && go(k),
      within: (count) => stop >= count && go(count - 1), // where there are fewer than there were
    };
  };

  // A list without one of its numbers if it is there, and with it if not.
  attnkit.toggled = (numbers, k) => {
    const others = numbers.filter((number) => number !== k);
    return others.length < numbers.length ? others : [...others, k].sort((a, b) => a - b);
  };

  // A bar as long as a share of 1, and beside it a text.
  attnkit.gauge = () => {
    const [bar, text] = [attnkit.bar(), attnkit.h("span", { class: "ak-num" })];
    const track = attnkit.h("span", { class: "ak-track", "aria-hidden": "true" }, bar);
    return {
      element: attnkit.h("span", { class: "ak-gauge" }, track, text),
      show(share, words) {
        bar.show(share);
        attnkit.write(text, words);
      },
    };
  };

  // Words, each on a bar as wide as its chance; with `take`, which gets the place of one, they are buttons.
  attnkit.wordBars = (count, take = null, lang = null) => {
    const bars = Array.from({ length: count }, (_, k) => {
      const [share, word] = [attnkit.bar(), attnkit.h("span", { class: "ak-word", lang })];
      const number = attnkit.h("span", { class: "ak-num" });
      const parts = [share, word, " ", number]; // the blank is for who hears them
      const element = take ? attnkit.button(parts, () => take(k), { class: "ak-bar" }) : attnkit.h("span", {}, parts);
      return { share, word, number, element };
    });
    const elements = bars.map(({ element }) => element);
    const stop = take && attnkit.walk(/** @type {HTMLButtonElement[]} */ (elements));
    return {
      element: attnkit.h("div", { class: "ak-bars", role: take && "group" }, elements),
      bars: elements,
      numbers: bars.map(({ number }) => number),
      show(words, { drawn = -1, digits = 2 } = {}) {
        stop?.within(words.length);
        bars.forEach(({ share, word, number, element }, k) => {
          const [text, chance] = words[k] ?? ["", 0];
          element.hidden = k >= words.length;
          attnkit.write(word, text);
          attnkit.write(number, attnkit.fixed(chance, digits));
          attnkit.attr(element, "data-drawn", String(k === drawn));
          share.show(chance);
        });
      },
    };
  };

  // A list of texts of which one is chosen, or none: -1.
  attnkit.menu = (label, words, onChoose, lang = null) => {
    const options = words.map((word) => attnkit.h("option", { lang }, word));
    const input = attnkit.h("select", { onchange: () => onChoose(input.selectedIndex) }, ...options);
    return {
      element: attnkit.h("label", { class: "ak-pick" }, attnkit.h("span", { class: "ak-name" }, label), input),
      input,
      show(chosen) {
        if (input.selectedIndex !== chosen) input.selectedIndex = chosen;
      },
    };
  };

  // A row of buttons of which one is pressed.
  attnkit.choice = (label, words, onChoose) => {
    const buttons = words.map((word, i) =>
      attnkit.h("button", { type: "button", "aria-pressed": "false", onclick: () => onChoose(i) }, word),
    );
    const element = attnkit.h(
      "div",
      { class: "ak-buttons", role: "toolbar", "aria-label": label }, // of which arrow keys lead from button to button
      attnkit.h("span", { class: "ak-name", "aria-hidden": "true" }, label),
      ...buttons,
    );
    const stop = attnkit.walk(buttons);
    /** @param {number} chosen */
    function show(chosen) {
      stop.at(chosen);
      buttons.forEach((b, i) => attnkit.attr(b, "aria-pressed", String(i === chosen)));
    }
    return { element, buttons, show };
  };

  // A slider on a logarithmic scale: 20 steps down to 1 / `most`, 20 steps up to `most`.
  attnkit.logSlider = ({ name, most, onInput }) => {
    const slider = attnkit.slider({
      name,
      min: -20,
      max: 20,
      step: 1,
      digits: 2,
      onInput: (place) => onInput(Math.round(1000 * most ** (place / 20)) / 1000),
    });
    return {
      element: slider.element,
      show: (value, state) => slider.show(Math.round((20 * Math.log(value)) / Math.log(most)), state, value),
    };
  };

  // ---- drawings: places in them, fields of numbers, planes of points, charts with their axes

  // A place as a drawing writes it, a line from place to place, and what is moved to a place.
  attnkit.spot = ([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`;
  attnkit.path = (points) => `M${points.map(attnkit.spot).join("L")}`;
  attnkit.move = (node, point) => attnkit.attr(node, "transform", `translate(${attnkit.spot(point)})`);

  attnkit.label = (x, y, text, kind, anchor = "middle") => {
    const node = attnkit.svg("text", { x, y, class: kind, "text-anchor": anchor });
    node.textContent = text;
    return node;
  };

  // A line to a place with a barb on either side.
  attnkit.arrow = (from, [x, y], barb) => {
    const angle = Math.atan2(y - from[1], x - from[0]);
    /** @param {number} turn @returns {Point} */
    const back = (turn) => [x - barb * Math.cos(angle + turn), y - barb * Math.sin(angle + turn)];
    return attnkit.path([from, [x, y]]) + attnkit.path([back(0.5), [x, y], back(-0.5)]);
  };

  // A drawing of numbers: `at` leads from them to the drawing, `from` back from a pointer's event, and `scale` says which of
  // them lie at the edges of its field: left and right, bottom and top.
  attnkit.field = (kind, [wide, high], [left, top, right, bottom]) => {
    const element = attnkit.svg("svg", { viewBox: `0 0 ${wide} ${high}`, class: kind, "aria-hidden": "true" });
    let [first, last, low, most] = [0, 1, 0, 1];
    return {
      element,
      scale(across, up) {
        [first, last, low, most] = [...across, ...up];
      },
      at: (x, y) => [
        left + ((x - first) / (last - first)) * (right - left),
        bottom - ((y - low) / (most - low)) * (bottom - top),
      ],
      from(event) {
        const box = element.getBoundingClientRect();
        const x = ((event.clientX - box.left) * wide) / box.width;
        const y = ((event.clientY - box.top) * high) / box.height;
        return [
          first + ((x - left) / (right - left)) * (last - first),
          low + ((bottom - y) / (bottom - top)) * (most - low),
        ];
      },
    };
  };

  // A plane of points, perhaps with its axes and their names.
  attnkit.plane = ({ limit, axes }) => {
    const [side, start, middle, end] = [320, 16, 160, 304];
    const field = attnkit.field("ak-plane", [side, side], [start, start, end, end]);
    field.scale([-limit, limit], [-limit, limit]);
    if (axes)
      field.element.append(
        attnkit.svg("path", { d: `M${start} ${middle}H${end}M${middle} ${start}V${end}`, class: "ak-axis" }),
        attnkit.label(end, middle - 7, axes[0], "ak-small", "end"),
        attnkit.label(middle - 6, start + 6, axes[1], "ak-small", "end"),
      );
    return field;
  };

  // What a hand takes hold of in a plane, a circle that is not seen; `move` gets the place that it is pulled to.
  attnkit.grip = (plane, move) => {
    const hit = attnkit.svg("circle", { r: 24, class: "ak-hit" });
    attnkit.drag(hit, (event) => move(plane.from(event)));
    return hit;
  };

  // An average in a plane: the outline of all that there are, a line from each of the points, as wide as its weight, and the
  // average itself.
  attnkit.average = (plane, count) => {
    const hull = attnkit.svg("path", { class: "ak-hull" });
    const lines = Array.from({ length: count }, () => attnkit.svg("line", { class: "ak-pull" }));
    const dot = attnkit.svg("circle", { r: 8, class: "ak-dot ak-of-output" });
    return {
      behind: [hull, ...lines],
      dot,
      show(points, weights) {
        const [x, y] = plane.at(...attnkit.blend(weights, points));
        attnkit.attr(hull, "d", `${attnkit.path(attnkit.hull(points).map((p) => plane.at(...p)))}Z`);
        points.forEach((point, k) => {
          const [x1, y1] = plane.at(...point);
          const ends = { x1, y1, x2: x, y2: y, "stroke-width": 10 * weights[k] };
          for (const [name, value] of Object.entries(ends)) attnkit.attr(lines[k], name, value.toFixed(1));
        });
        attnkit.move(dot, [x, y]);
        return [x, y];
      },
    };
  };

  // A chart: a field with an axis to its left and one below; `beside` and `below` write some words along them.
  attnkit.chart = (size, edges) => {
    const field = attnkit.field("ak-chart", size, edges);
    const [left, top, right, bottom] = edges;
    field.element.append(attnkit.svg("path", { d: `M${left} ${top}V${bottom}H${right}`, class: "ak-axis" }));
    /** @param {string[]} words @param {(share: number) => Point} place @param {string} anchor */
    const write = (words, place, anchor) => {
      const labels = words.map((word, k) => attnkit.label(...place(k / (words.length - 1)), word, "ak-small", anchor));
      field.element.append(...labels);
      return labels;
    };
    return {
      ...field,
      beside: (...words) => write(words, (share) => [left - 6, bottom + 5 - share * (bottom - top)], "end"),
      below: (...words) => write(words, (share) => [left + share * (right - left), bottom + 18], "middle"),
    };
  };

  // A picture of rows x columns numbers, each a square of the fills: hundreds of them cost one drawing, not an element each.
  attnkit.raster = (rows, columns, kinds = ["negative", "positive"]) => {
    const size = { width: columns, height: rows, style: `--columns:${columns};--rows:${rows}` };
    const element = attnkit.h("canvas", { ...size, class: "ak-raster", "aria-hidden": "true" });
    const context = /** @type {CanvasRenderingContext2D} */ (element.getContext("2d")); // which every browser has
    const image = context.createImageData(columns, rows);
    return {
      element,
      show(values, vmax) {
        const colours = kinds.map((kind) => {
          context.fillStyle = fillOf(kind);
          const colour = String(context.fillStyle); // however it is written, it is read back as #rrggbb
          return [1, 3, 5].map((k) => parseInt(colour.slice(k, k + 2), 16));
        });
        const { data } = image;
        for (let k = 0; k < values.length; k++) {
          const [red, green, blue] = colours[values[k] < 0 ? 0 : colours.length - 1];
          data[4 * k] = red;
          data[4 * k + 1] = green;
          data[4 * k + 2] = blue;
          data[4 * k + 3] = Math.round(255 * attnkit.opacity(values[k], vmax));
        }
        context.putImageData(image, 0, 0);
      },
    };
  };

  // A finger that comes down on what goes sideways may mean to scroll: until it has gone sideways, it is not known. `undo` is
  // called when the browser has taken it to scroll (`touch-action: pan-y`), `take` when it is known to mean what it touches.
  const ASIDE = 8; // pixels
  /** @param {Grip} node @param {{ down?(): void, take?(): void, undo?(): void }} on @returns {() => boolean} whether it is open */
  function byFinger(node, { down = () => {}, take = () => {}, undo = () => {} }) {
    let [open, start] = [false, 0];
    /** @param {() => void} then */
    const known = (then) => {
      if (open) {
        open = false;
        then();
      }
    };
    node.addEventListener("pointerdown", ({ pointerType, clientX }) => {
      [open, start] = [pointerType === "touch", clientX];
      down();
    });
    node.addEventListener("pointermove", ({ clientX }) => Math.abs(clientX - start) > ASIDE && known(take));
    node.addEventListener("pointerup", () => known(take));
    node.addEventListener("pointercancel", () => known(undo));
    return () => open;
  }

  // A slider with its name and its value, with as many decimals as its steps have; `word` says the value to a screen reader.
  attnkit.slider = ({ name, min, max, step, onInput, plus, ...look }) => {
    const { digits = Math.max(0, Math.ceil(-Math.log10(step))) } = look;
    const { format = (v) => attnkit.fixed(v, digits, plus), word = format } = look;
    const output = attnkit.h("span", { class: "ak-out", "aria-hidden": "true" });
    const take = () => onInput(Number(input.value));
    const props = { type: "range", min, max, step, "aria-label": name };
    const input = attnkit.h("input", { ...props, oninput: () => isOpen() || take() });
    let before = "";
    const isOpen = byFinger(input, {
      down: () => (before = input.value),
      take,
      undo: () => (input.value = before),
    });
    const element = attnkit.h(
      "label",
      { class: "ak-slider" },
      attnkit.h("span", { class: "ak-name" }, name),
      input,
      output,
    );
    return {
      element,
      input,
      output,
      show(value, state, shown = value) {
        if (Number(input.value) !== value) input.value = String(value);
        attnkit.write(output, format(shown));
        const words = word(shown, state);
        if (changed(input, "words", words)) input.setAttribute("aria-valuetext", words);
      },
    };
  };

  // Move something by pointer: `move` gets each event while it is held, `grab` the first. A finger that holds it does not
  // scroll the page; what goes sideways only (`touch-action: pan-y` on what it lies in) leaves up and down to the page. It is
  // said to the whole drawing: of a part of one, browsers do not ask it.
  attnkit.drag = (node, move, { grab = () => {}, sideways = false } = {}) => {
    let held = false;
    const isOpen = sideways ? byFinger(node, {}) : () => false;
    node.addEventListener("pointerdown", (event) => {
      held = true;
      node.setPointerCapture(event.pointerId);
      grab();
      event.preventDefault();
    });
    node.addEventListener("pointermove", (event) => {
      if (held && !isOpen()) move(event);
    });
    for (const end of /** @type {const} */ (["pointerup", "pointercancel"]))
      node.addEventListener(end, () => (held = false));
    if (sideways) return;
    /** @param {Event} event */
    const stay = (event) => held && event.cancelable && event.preventDefault();
    const whole = node instanceof SVGElement ? node.ownerSVGElement : null;
    /** @type {Element} */ (whole || node).addEventListener("touchmove", stay, { passive: false });
  };

  // ---- what goes on

  // Whether the reader's device asks for less motion.
  attnkit.calm = () => Boolean(root.matchMedia?.("(prefers-reduced-motion: reduce)").matches);

  // What does something every `pace` milliseconds, in a frame of its own, until it is halted; if there is no pace, at once
  // and in every frame.
  attnkit.clock = (tick) => {
    let [frame, last, pace] = [0, 0, 0];
    /** @param {number} time */
    const next = (time) => {
      frame = requestAnimationFrame(next);
      if (time - last < pace) return;
      last = time;
      tick(time);
    };
    return {
      start(every = 0) {
        [last, pace] = [performance.now(), every];
        if (pace) frame = requestAnimationFrame(next);
        else next(last);
      },
      halt() {
        cancelAnimationFrame(frame);
        frame = 0;
      },
      runs: () => frame !== 0,
    };
  };

  attnkit.alike = (a, b) => a.length === b.length && a.every((v, k) => Math.abs(v - b[k]) < 1e-6);

  // What shows some numbers on their way from those that were shown to new ones: a hand, which says `atOnce` before, and a
  // reader who asked for less motion get there at once.
  attnkit.glide = (draw) => {
    /** @type {number[]} */
    let shown = [];
    let [direct, from, goal, start] = [true, shown, shown, 0];
    /** @param {number[]} numbers */
    function jump(numbers) {
      shown = numbers;
      draw(numbers);
    }
    const frames = attnkit.clock((now) => {
      start ||= now;
      const t = Math.min(1, (now - start) / 400);
      const way = t * t * (3 - 2 * t);
      jump(t < 1 ? from.map((v, k) => v + way * (goal[k] - v)) : goal);
      if (t === 1) frames.halt();
    });
    return {
      to(numbers) {
        frames.halt();
        if (direct || attnkit.calm() || attnkit.alike(shown, numbers)) jump(numbers);
        else {
          [from, goal, start] = [shown, numbers, 0];
          frames.start();
        }
        direct = false;
      },
      stop: frames.halt,
      atOnce: () => (direct = true),
    };
  };

  // ---- figures

  // What a figure is built with: its state, controls that follow it, a way back, a line that is read out. What its
  // state is, each figure says; here it may be anything.
  class Figure {
    /** @param {Model} model @param {string} kind @param {string} label */
    constructor(model, kind, label) {
      this.model = model;
      this.live = attnkit.h("p", { class: "ak-live", "aria-hidden": "true" });
      this.heard = attnkit.h("p", { class: "ak-unseen", role: "status" });
      this.element = attnkit.h("div", { class: "ak-figure", role: "group", "aria-label": label, "data-ak-kind": kind });
      /** @type {((state: State) => void)[]} */
      this.controls = [];
      this.timer = 0;
      this.silent = true; // until the first state has been said
      this.held = false; // while several traits are set, for one redraw after the last
      this.stale = false;
      /** @type {(state: State) => void} */
      this.measure = () => {};
      /** @type {(state: State) => void} */
      this.update = () => {};
    }

    /** @param {string} name */
    get(name) {
      return this.model.get(name);
    }

    // Several traits by their names.
    /** @param {string[]} names @returns {any} */
    given(...names) {
      return Object.fromEntries(names.map((name) => [name, this.get(name)]));
    }

    // What the reader can change: the traits that Python has marked so.
    state() {
      return this.given(...Object.keys(this.get("defaults")));
    }

    // Set some state, tell the kernel, if there is one, and redraw once.
    /** @param {State} changes */
    put(changes) {
      this.held = true;
      for (const [name, value] of Object.entries(changes)) this.model.set(name, value);
      this.model.save_changes();
      this.held = false;
      if (this.stale) this.redraw();
    }

    // Show the present state.
    redraw() {
      this.stale = this.held;
      if (this.held) return;
      const state = this.state();
      this.measure(state);
      for (const show of this.controls) show(state);
      this.update(state);
    }

    // Let a control show what it sets: a trait, or whatever `read` finds in the state and `write` makes changes of.
    /** @template {Control<State, any>} C @param {C} control @param {Bound<State, any>} bound */
    follow(control, { trait = "", read = (state) => state[trait] }) {
      this.controls.push((state) => control.show(read(state), state));
      return control;
    }

    /** @param {Bound<State, any>} bound @returns {(value: unknown) => void} */
    setter({ trait = "", write = (value) => ({ [trait]: value }) }) {
      return (value) => this.put(write(value, this.state()));
    }

    /** @param {SliderLook<State> & Bound<State, number>} options */
    slider(options) {
      return this.follow(attnkit.slider({ ...options, onInput: this.setter(options) }), options);
    }

    // The temperature at which a model draws what comes next.
    /** @param {string} what */
    temperature(what) {
      /** @param {number} v */
      const word = (v) => (v === 0 ? `0, always the likeliest ${what}` : attnkit.fixed(v));
      return this.slider({ name: "temperature", min: 0, max: 2, step: 0.05, word, trait: "temperature" });
    }

    // A slider for each number of a trait.
    /** @param {{ names: string[] } & Omit<SliderLook<State>, "name"> & SomeBound<State>} options */
    sliders({ names, trait, write = (value, state, k) => ({ [trait]: state[trait].with(k, value) }), ...look }) {
      return names.map((name, k) =>
        this.slider({
          ...look,
          name,
          read: (state) => state[trait][k],
          write: (value, state) => write(value, state, k),
        }),
      );
    }

    /** @param {{ name: string, most: number } & Bound<State, number>} options */
    logSlider(options) {
      return this.follow(attnkit.logSlider({ ...options, onInput: this.setter(options) }), options);
    }

    // Buttons for the values of a trait, or where there are none, for words by their numbers.
    /** @param {{ label: string, words?: string[], values?: any[] } & Bound<State, any>} options */
    choice({ label, values = [], words = values.map(String), ...bound }) {
      const set = this.setter(bound);
      if (!values.length) return this.follow(attnkit.choice(label, words, set), bound);
      const { trait = "", read = (state) => state[trait] } = bound;
      const texts = values.map(String);
      const choice = attnkit.choice(label, words, (k) => set(values[k]));
      return this.follow(choice, { read: (state) => texts.indexOf(String(read(state))) });
    }

    /** @param {{ label: string, words: string[], lang?: string | null } & Bound<State, number>} options */
    menu(options) {
      return this.follow(attnkit.menu(options.label, options.words, this.setter(options), options.lang), options);
    }

    // A seed to type, or to go to by the up and down arrows; what is none is refused in words.
    /** @param {number} seeds how many there are @param {(seed: number) => void} take */
    seedField(seeds, take) {
      const limits = { role: "spinbutton", "aria-label": "seed", "aria-valuemin": 0, "aria-valuemax": seeds - 1 };
      const props = { type: "text", inputmode: "numeric", autocomplete: "off", class: "ak-field ak-seed" };
      const input = attnkit.h("input", { ...props, ...limits });
      /** @param {number} seed */
      const show = (seed) => {
        input.value = String(seed);
        attnkit.attr(input, "aria-valuenow", seed);
      };
      /** @param {number} seed */
      const set = (seed) => {
        if (seed !== this.get("seed") && Number.isInteger(seed) && seed >= 0 && seed < seeds) return take(seed);
        show(this.get("seed"));
        if (seed !== this.get("seed")) this.say(`A seed is a whole number from 0 to ${seeds - 1}.`);
      };
      const typed = () => set(input.value.trim() === "" ? Number.NaN : Number(input.value));
      input.addEventListener("change", typed);
      const step = (/** @type {number} */ by) => () => set(this.get("seed") + by);
      attnkit.keys(input, { ArrowUp: step(1), ArrowDown: step(-1), Enter: typed });
      // What is being typed stays while other things are shown.
      const follow = (/** @type {number} */ seed) => input.getAttribute("aria-valuenow") !== String(seed) && show(seed);
      this.follow({ show: follow }, { trait: "seed" });
      return input;
    }

    // A button that changes the state; where `stuck` says why it cannot, that is said instead.
    /** @param {string} words @param {(state: State) => State} changes @param {((state: State) => string) | null} stuck */
    button(words, changes, stuck = null) {
      const button = attnkit.button(words, () => {
        const why = stuck?.(this.state());
        if (why) this.say(why);
        else this.put(changes(this.state()));
      });
      if (stuck) this.controls.push((state) => attnkit.attr(button, "aria-disabled", String(stuck(state) !== "")));
      return button;
    }

    // Back to what Python began with; `also` puts back what only the page knows. While nothing has changed it keeps out of sight.
    reset(also = () => {}) {
      const back = () => {
        also();
        this.stale = true;
        this.put(this.get("defaults"));
      };
      const button = attnkit.button("Reset", back, { class: "ak-reset" });
      const first = JSON.stringify(this.get("defaults"));
      this.controls.push((state) => attnkit.attr(button, "data-idle", String(JSON.stringify(state) === first)));
      return button;
    }

    // What stands below the figure, at once; it is read out a moment later, so that a dragged slider is not at every step.
    /** @param {string} text */
    say(text) {
      attnkit.write(this.live, text);
      clearTimeout(this.timer);
      if (this.silent) this.heard.textContent = text;
      else this.timer = setTimeout(() => (this.heard.textContent = text), 250);
      this.silent = false;
    }
  }

  // A figure's parts, alive in an element: made once, redrawn whenever the state changes, from either side. Returns what
  // ends it.
  /** @param {string} kind @param {Omit<Kind<State, State>, "compute">} script @param {Place} place */
  function render(kind, { label, build }, { model, el }) {
    const caption = model.get("caption");
    const name = caption ? `${label}: ${caption.split(/(?<=[.:]) /)[0]}` : label; // a page may have two of a kind
    const figure = new Figure(model, kind, name);
    const { parts, update, measure = () => {}, stop = () => {} } = build(figure);
    fill(figure.element, parts);
    if (!figure.live.parentElement) figure.element.append(figure.live); // unless it stands among the parts
    figure.element.append(figure.heard);
    if (caption) figure.element.append(attnkit.h("p", { class: "ak-caption" }, caption));
    el.classList.add("ak-place");
    el.replaceChildren(figure.element);
    Object.assign(figure, { update, measure });
    const names = Object.keys(model.get("defaults"));
    const redraw = () => figure.redraw();
    for (const name of names) model.on(`change:${name}`, redraw);
    redraw();
    appear(figure);
    attnkit.alive.set(el, figure);
    return () => {
      vanish(figure);
      clearTimeout(figure.timer);
      stop();
      for (const name of names) model.off(`change:${name}`, redraw);
    };
  }

  // The figures that are alive, by the elements that they stand in.
  attnkit.alive = new WeakMap();

  // What stands where a figure cannot be shown; the others stay alive.
  attnkit.failure = (error) =>
    attnkit.h(
      "p",
      { class: "ak-failed" },
      `This figure cannot come to life: ${error instanceof Error ? error.message : error}`,
    );

  // Register a figure; one that is `wide` takes both columns of a wide window (website/book_cells.py reads that). `build`
  // makes its parts once and returns them with `update`, which redraws them from the state whenever it changes; perhaps `measure`, which reads the layout before anything is written, as a read after a write
  // would lay the page out twice; and perhaps `stop`, which ends what goes on in them. `render` is what anywidget calls.
  attnkit.register = (kind, { compute, ...script }) => {
    /** @param {Place} place */
    const start = (place) => render(kind, script, place);
    attnkit.figures[kind] = {
      compute,
      start,
      render(place) {
        try {
          return start(place);
        } catch (error) {
          place.el.replaceChildren(attnkit.failure(error));
          return () => {};
        }
      },
    };
  };

  // The model of a page without a kernel: the part of anywidget's that the figures use.
  attnkit.staticModel = (state) => {
    /** @type {Record<string, (() => void)[]>} */
    const listeners = {};
    return {
      get: (name) => state[name],
      set(name, value) {
        if (JSON.stringify(state[name]) === JSON.stringify(value)) return;
        state[name] = value;
        (listeners[`change:${name}`] || []).forEach((f) => f());
      },
      save_changes() {},
      on(event, f) {
        listeners[event] = [...(listeners[event] || []), f];
      },
      off(event, f) {
        listeners[event] = (listeners[event] || []).filter((g) => g !== f);
      },
    };
  };
})(globalThis);
