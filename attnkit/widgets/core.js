// What the interactive figures share. A plain script, no imports or exports: a static page loads it as it is, Python
// adds the export that a live notebook needs (figure.py), and node loads it for the tests.
(function (root) {
  "use strict";
  const attnkit = (root.attnkit = root.attnkit || {});
  attnkit.figures = attnkit.figures || {};

  // ---- numbers: the twins of attnkit/numbers.py and attnkit/draw.py, compared with them by tests/test_widgets.py

  attnkit.fixed = function (x, digits = 2, plus = false) {
    if (!Number.isFinite(x)) return Number.isNaN(x) ? "?" : x > 0 ? "∞" : "−∞";
    const n = Math.floor(Math.abs(x) * 10 ** digits + 0.5);
    let text = String(n).padStart(digits + 1, "0");
    if (digits) text = text.slice(0, -digits) + "." + text.slice(-digits);
    return (n === 0 ? "" : x < 0 ? "−" : plus ? "+" : "") + text;
  };

  const DEPTH = 0.85;
  attnkit.opacity = function (value, largest) {
    return Math.floor(Math.min(Math.abs(value) / largest, 1) * DEPTH * 1000 + 0.5) / 1000;
  };

  // ---- the page

  // h("td", {class: "x", onclick: f}, "text", child): an element; no HTML is ever parsed from data.
  attnkit.h = function (tag, props, ...children) {
    const el = document.createElement(tag);
    // JupyterLab takes arrow keys for itself (to fold headings) unless the focused control says that they are its own.
    if (tag === "input" || tag === "button") el.setAttribute("data-lm-suppress-shortcuts", "true");
    for (const [name, value] of Object.entries(props || {})) {
      if (name.startsWith("on")) el.addEventListener(name.slice(2), value);
      else if (value === true) el.setAttribute(name, "");
      else if (value !== false && value != null) el.setAttribute(name, value);
    }
    el.append(...children.filter((c) => c != null));
    return el;
  };

  attnkit.svg = function (tag, props) {
    const el = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(props || {})) el.setAttribute(name, value);
    return el;
  };

  // Give an element the fill of a square: hue by sign, depth by magnitude.
  attnkit.paint = function (el, value, largest) {
    const fill = `var(--ak-fill-${value < 0 ? "negative" : "positive"})`;
    const share = Math.round(1000 * attnkit.opacity(value, largest)) / 10;
    attnkit.style(el, "backgroundColor", `color-mix(in srgb, ${fill} ${share}%, transparent)`);
  };

  // Write only what changed: an untouched node costs no style and no layout, and a figure redraws within a frame. What
  // was written last is kept beside the node, because reading it back from the page is slow.
  const last = new WeakMap();
  function changed(node, what, value) {
    if (!last.has(node)) last.set(node, {});
    const known = last.get(node);
    if (known[what] === value) return false;
    known[what] = value;
    return true;
  }
  attnkit.write = function (node, text) {
    if (changed(node, "text", text)) node.textContent = text;
  };
  attnkit.style = function (node, name, value) {
    if (changed(node, name, value)) node.style[name] = value;
  };

  // A slider with its name and its value; `word` says the value in words to a screen reader.
  attnkit.slider = function ({ name, min, max, step, word, onInput, format }) {
    const output = attnkit.h("span", { class: "ak-out", "aria-hidden": "true" });
    const input = attnkit.h("input", {
      type: "range", min, max, step, "aria-label": name, oninput: () => onInput(Number(input.value)),
    });
    const element = attnkit.h("label", { class: "ak-slider" }, attnkit.h("span", { class: "ak-name" }, name), input, output);
    return {
      element, input,
      show(value, shown = value) {
        if (Number(input.value) !== value) input.value = value;
        attnkit.write(output, format(shown));
        if (changed(input, "words", word(shown))) input.setAttribute("aria-valuetext", word(shown));
      },
    };
  };

  // The frame of a figure: its parts, a line that is read out when it changes, the caption.
  attnkit.frame = function (model, label, ...parts) {
    const live = attnkit.h("p", { class: "ak-live", role: "status" });
    const caption = model.get("caption");
    const element = attnkit.h("div", { class: "ak-figure", role: "group", "aria-label": label }, ...parts, live,
      caption ? attnkit.h("p", { class: "ak-caption" }, caption) : null);
    let timer = 0;
    let first = true;
    return {
      element,
      // What stands below the figure; a moment's delay so that a dragged slider is not read out at every step.
      say(text) {
        clearTimeout(timer);
        if (first) live.textContent = text;
        else timer = setTimeout(() => (live.textContent = text), 250);
        first = false;
      },
      stop: () => clearTimeout(timer),
    };
  };

  // Set some state and tell the kernel, if there is one.
  attnkit.put = function (model, changes) {
    for (const [name, value] of Object.entries(changes)) model.set(name, value);
    model.save_changes();
  };

  // Redraw whenever one of the names changes, from either side; returns the clean-up.
  attnkit.follow = function (model, names, update) {
    for (const name of names) model.on(`change:${name}`, update);
    update();
    return () => names.forEach((name) => model.off(`change:${name}`, update));
  };

  // The model of a page without a kernel: the part of anywidget's that the figures use.
  attnkit.staticModel = function (state) {
    const listeners = {};
    return {
      get: (name) => state[name],
      set(name, value) {
        if (JSON.stringify(state[name]) === JSON.stringify(value)) return;
        state[name] = value;
        (listeners[`change:${name}`] || []).forEach((f) => f());
      },
      save_changes() {},
      on: (event, f) => (listeners[event] = listeners[event] || []).push(f),
      off: (event, f) => (listeners[event] = (listeners[event] || []).filter((g) => g !== f)),
    };
  };

  // Bring the still pictures of a static page to life.
  attnkit.mount = function (page) {
    for (const place of page.querySelectorAll("[data-ak-figure]")) {
      const figure = attnkit.figures[place.dataset.akFigure];
      const state = JSON.parse(place.dataset.akState);
      const alive = document.createElement("div");
      figure.render({ model: attnkit.staticModel(state), el: alive });
      place.replaceChildren(alive);
    }
  };
})(globalThis);
