// A page as slides, `?present` in its address: its own pictures, figures and sentences, moved and not copied, so that
// figures stay alive and nothing is written twice. Leaving loads the page again, as it was. progress.js loads this script
// where the address asks for it; no other page pays for it.
(() => {
  "use strict";
  const { src } = /** @type {HTMLScriptElement} */ (document.currentScript);
  const LISTING = 22; // lines of a listing that a screen holds

  /** @param {string} tag @param {Record<string, any>} [props] @param {(Node | string)[]} children */
  const element = (tag, props, ...children) => {
    const made = Object.assign(document.createElement(tag), props);
    made.append(...children);
    return made;
  };

  // Its words; of a formula, which the page also has for those who listen, what is seen.
  function words(/** @type {Element} */ block) {
    const seen = /** @type {Element} */ (block.cloneNode(true));
    for (const one of seen.querySelectorAll(".katex-mathml, .copybtn, script, style")) one.remove();
    return seen.textContent.trim();
  }

  // ---- what stands on a page

  const SHOWN_PRE = "pre:not(.ak-folded pre)"; // contents.js folds code where the reader wants none
  const lines = (block) =>
    [...block.querySelectorAll(SHOWN_PRE)].reduce((all, pre) => all + pre.textContent.trim().split("\n").length, 0);
  const has = (block, selector) => block.matches(selector) || block.querySelector(selector);

  /** @param {HTMLElement} block */
  function kindOf(block) {
    if (block.matches("details, .ak-answered, .rubric") || !block.textContent.trim()) return "aside";
    if (block.matches(".ak-exercise")) return "exercise";
    if (block.matches("p")) return "text";
    if (block.matches("ul, ol")) return "list";
    if (block.matches("blockquote")) return "quote";
    if (block.matches("div.math")) return "maths";
    if (has(block, "[data-ak-figure]")) return has(block, "[data-ak-figure=practice]") ? "practice" : "figure";
    if (has(block, "figure.ak-picture")) return "picture";
    if (has(block, SHOWN_PRE))
      return lines(block) <= LISTING || has(block, ".cell_output :is(svg[role], img, table)") ? "listing" : "aside";
    if (has(block, "svg[role=img], img")) return "picture";
    return has(block, "table") ? "table" : "aside";
  }

  // What follows a heading, in order. A cell that shows its code, or one thing only, is one block; of a cell that writes,
  // each paragraph is one.
  function blocksOf(part) {
    return [...part.children].flatMap((block) => {
      if (block.matches("h1, h2, section, .toctree-wrapper, .ak-kicker")) return [];
      const shown = [...block.querySelectorAll(":scope > .cell_output > *")];
      const writes =
        block.matches(".cell:not(:has(> .cell_input))") &&
        shown.some((one) => one.matches("p, .math, ul, ol, blockquote"));
      if (!writes) return [block];
      const apart = (one) => (one.matches("p, ul, ol, blockquote, details, .math") ? one : cell(one));
      return [...shown.map(apart), ...block.querySelectorAll(":scope > details")];
    });
  }
  // The style of an output asks for the cell around it.
  const cell = (output) => element("div", { className: "cell" }, element("div", { className: "cell_output" }, output));

  // ---- how large

  // How much what is shown may be enlarged: at least so that its letters have 18 pixels, at most so that they are those
  // of the text, which are 26 pixels high on a screen of 1280 x 720; a picture fills the room there is, and is never cut.
  const SIZES = {
    picture: [0.66, 2.6],
    figure: [1.06, 1.5],
    practice: [1.06, 1.5],
    exercise: [1.06, 1.45],
    maths: [0.9, 2.8],
    table: [1.13, 1.75],
    listing: [1.33, 1.9],
  };

  // ---- from blocks to slides

  // Of the words only those are shown that the notebook marks, `<span data-say>`: with what comes next on the page, or,
  // `<span data-say="after">`, with what came before. The paragraph goes into the notes.
  const marked = (/** @type {Element} */ block, said = "") =>
    [...block.querySelectorAll(`[data-say="${said}"]`)].filter((mark) => !mark.closest("details"));
  function said(/** @type {Element} */ mark) {
    const words = /** @type {Element} */ (mark.cloneNode(true));
    for (const one of words.querySelectorAll("[id]")) one.removeAttribute("id");
    const made = element("p", { className: "deck-said" }, ...words.childNodes);
    // The beginning of a sentence that goes on is a sentence here.
    const end = made.lastChild;
    if (end instanceof Text) end.data = end.data.replace(/,$/, "");
    if (!/[.?!:]$/.test(made.textContent)) made.append(".");
    return made;
  }
  // Of a list its marked items.
  function says(/** @type {Element} */ block, how = "") {
    const words = marked(block, how).map(said);
    if (!words.length || !block.matches("ul, ol")) return words;
    const items = words.map((one) => element("li", {}, ...one.childNodes));
    return [element(block.localName, { className: "deck-said" }, ...items)];
  }

  const SHOWN = ["quote", "practice", "exercise", ...Object.keys(SIZES)];

  // The slides of one heading.
  class Part {
    constructor(root) {
      Object.assign(this, { root, slides: [], waiting: [], early: [] });
      const blocks = blocksOf(root).map((block) => ({ block, kind: kindOf(block) }));
      this.heading = root.querySelector(":scope > h1, :scope > h2");
      if (this.heading.matches("h1")) this.title(blocks);
      blocks.forEach(({ block, kind }, k) => this.take(block, kind, blocks[k + 1]?.kind));
      this.end();
      root.replaceChildren(...root.querySelectorAll(":scope > .ak-kicker"), this.heading, ...this.slides);
    }

    slide(kind, words, shows = []) {
      const slide = element("div", { className: "deck-slide" });
      slide.dataset.kind = kind;
      slide.dataset.heading = this.slides.length ? this.heading.textContent : ""; // on paper each slide has one
      const body = element("div", { className: "deck-body" });
      if (words.length) body.append(element("div", { className: "deck-told" }, ...words));
      if (shows.length) body.append(element("div", { className: "deck-shown" }, ...shows));
      slide.append(body, element("aside", { className: "deck-notes", ariaLabel: "Notes" }));
      this.slides.push(slide);
      this.note(...this.early.splice(0)); // what stands before the first slide of a heading
    }

    note(...blocks) {
      const words = blocks.filter((block) => block.textContent.trim());
      const last = this.slides[this.slides.length - 1];
      if (last) last.lastChild.append(...words);
      else this.early.push(...words);
    }

    // The first slide: the title with what is marked in the page's first paragraph, and what is quoted before it.
    title(blocks) {
      const at = blocks.findIndex(({ kind, block }) => kind === "text" && !block.matches(".ak-time"));
      const before = blocks.splice(0, at + 1);
      const quotes = before.flatMap(({ kind, block }) => (kind === "quote" ? [block] : []));
      const rest = before.flatMap(({ kind, block }) => (kind === "quote" ? [] : [block]));
      this.slide("title", [...quotes, ...rest.flatMap((block) => says(block))]);
      this.note(...rest);
    }

    take(block, kind, next) {
      if (SHOWN.includes(kind)) return this.show(block, kind);
      const after = says(block, "after");
      if (after.length) this.under(after);
      // A list of things to try stands beside its figure.
      const tries = kind === "list" && /figure|practice/.test(next);
      this.waiting.push({ block, words: tries ? [block] : says(block) });
    }

    // Below what was shown last.
    under(words) {
      const body = this.slides[this.slides.length - 1]?.firstChild;
      const before = body?.querySelector(".deck-under");
      if (!body?.querySelector(".deck-shown")) this.slide("text", words);
      else if (before) before.append(...words);
      else body.append(element("div", { className: "deck-told deck-under" }, ...words));
    }

    // What stands before something that is shown goes with it from its first marked sentence on, or its last paragraph.
    show(block, kind) {
      const waiting = this.waiting.splice(0);
      const first = waiting.findIndex(({ words }) => words.length);
      const before = waiting.splice(0, first < 0 ? Math.max(0, waiting.length - 1) : first);
      this.note(...before.map((one) => one.block));
      // Of a tall picture the code that draws it would leave little.
      const tall = [...block.querySelectorAll(":scope > .cell_output svg")].some(
        (svg) => svg.getAttribute("height") > 500,
      );
      const code = tall ? [...block.querySelectorAll(":scope > .cell_input")] : [];
      const words = waiting.flatMap((one) => one.words);
      if (kind === "quote") this.slide(kind, [...words, block]);
      else this.slide(kind, words, [block]);
      this.note(...waiting.filter((one) => !one.words.includes(one.block)).map((one) => one.block), ...code);
      if (kind === "exercise") this.note(...[...block.children].slice(2)); // its hint, the cell and the solution
    }

    // What is left over: its marked sentences are a slide of their own.
    end() {
      const waiting = this.waiting.splice(0);
      const words = waiting.flatMap((one) => one.words);
      if (words.length) this.slide("text", words);
      this.note(...waiting.filter((one) => !one.words.includes(one.block)).map((one) => one.block));
    }
  }

  // ---- at which size

  function fits(slide, z) {
    const inside = (/** @type {Element} */ e) => e.scrollWidth <= e.clientWidth + 1;
    const body = slide.firstChild;
    if (body.scrollHeight > body.clientHeight + 1 || !inside(body)) return false;
    const wide = ".deck-shown :is(pre, figure, .pst-scrollable-table-container)";
    if (![...slide.querySelectorAll(wide)].every(inside)) return false;
    // A formula stands in the middle: what is too wide goes over at the left, where nothing scrolls.
    const { left, right } = body.getBoundingClientRect();
    const within = (/** @type {DOMRect} */ r) => r.left > left - 1 && r.right < right + 1;
    if (![...slide.querySelectorAll(".deck-shown .base")].every((e) => within(e.getBoundingClientRect()))) return false;
    const own = (/** @type {Element} */ svg) =>
      svg.getBoundingClientRect().width >= 0.95 * z * Number(svg.getAttribute("width"));
    if (![...slide.querySelectorAll(".deck-shown figure svg[width]")].every(own)) return false;
    return [...slide.querySelectorAll(".deck-shown .ak-figure")].every(
      (figure) => figure.getBoundingClientRect().width >= 560 * z,
    );
  }

  // The largest size at which a slide fits, its words above what is shown or beside it, or beside it and small, or a
  // figure in columns under a small heading; if there is none, the smallest.
  function fit(slide) {
    const deck = parseFloat(getComputedStyle(slide).fontSize) / 26;
    const set = (layout, z, scrolls = false) => {
      slide.dataset.layout = layout;
      slide.toggleAttribute("data-scrolls", scrolls);
      slide.style.setProperty("--z", String(z));
    };
    const wide = innerWidth > 700;
    slide.parentElement.toggleAttribute("data-bare", false);
    const size = SIZES[slide.dataset.kind];
    const [low, high] = size ? size.map((z) => z * Math.max(1, deck)) : [18 / 26 / deck, 1.25];
    if (!wide) return set("above", 1);
    const largest = (layout, least = low) => {
      for (let z = Math.max(low, high); z > 0.97 * least; z *= 0.97) {
        set(layout, Math.max(z, least));
        if (fits(slide, Math.max(z, least))) return Math.max(z, least);
      }
      return 0;
    };
    const both =
      slide.dataset.kind === "exercise" ||
      slide.querySelector(":is(.deck-told + .deck-shown, .deck-shown + .deck-told, figcaption)");
    const [above, beside] = [largest("above"), both ? largest("beside") : 0];
    if (above || beside) return beside > 1.1 * above ? set("beside", beside) : set("above", above);
    if (both && largest("tight")) return;
    // What is tall is as small as it must be; of a figure the parts stand in columns, and the heading makes room.
    slide.parentElement.toggleAttribute("data-bare", slide.dataset.kind === "figure");
    const ways = [
      "above",
      ...(both ? ["beside", "tight"] : []),
      ...(slide.dataset.kind === "figure" ? ["columns"] : []),
    ];
    const sizes = ways.map((way) => largest(way, (slide.dataset.kind === "figure" ? 0.6 : 0.8) * low));
    const best = Math.max(...sizes);
    if (best) set(ways[sizes.indexOf(best)], best);
    else set(both && slide.dataset.kind !== "listing" ? "tight" : "above", low, true);
  }

  // ---- the deck

  const KEYS = [
    ["→ Page Down Space", "next slide, or the next step of a picture that grows"],
    ["← Page Up", "slide before, or a step back"],
    ["Home End", "first, last slide"],
    ["n", "notes: the rest of the words"],
    ["w", "a window for who speaks: notes, what comes next, the time"],
    ["o", "all slides"],
    ["b", "black, until a key is pressed"],
    ["f", "full screen"],
    ["d", "dark or light"],
    ["Esc", "leave"],
    ["?", "these keys"],
  ];

  // What is typed into, or chosen from by keys of its own.
  const TYPED =
    "input:not([type=range], [type=checkbox], [type=radio]), textarea, select, [contenteditable]:not([contenteditable=false])";

  class Deck {
    constructor(article) {
      const title = article.querySelector(":scope > section");
      for (const link of article.querySelectorAll(".headerlink")) link.remove();
      const roots = [title, ...title.querySelectorAll(":scope > section:has(> h2)")];
      this.parts = roots.map((root) => new Part(root));
      this.slides = this.parts.flatMap((part) => part.slides.map((slide) => ({ slide, part })));
      this.at = 0;
      this.bar();
      const pages = element("main", { className: "bd-article" }, ...roots);
      this.element = element(
        "div",
        { className: "bd-content deck" },
        pages,
        this.controls,
        this.live,
        this.help,
        this.all,
        this.black,
      );
      document.body.prepend(this.element);
      document.documentElement.classList.add("deck-on");
    }

    bar() {
      const button = (className, words, onclick) => element("button", { type: "button", className, onclick }, words);
      const edge = (className, label, by) =>
        Object.assign(
          button(className, "", () => this.turn(by)),
          { ariaLabel: label },
        );
      this.before = edge("deck-edge deck-before", "Slide before", -1);
      this.after = edge("deck-edge deck-after", "Next slide", 1);
      this.counter = element("span", { className: "deck-counter" });
      this.line = element("span", { className: "deck-line", ariaHidden: "true" });
      this.notes = button("", "Notes", () => this.toggle());
      this.live = element("p", { className: "ak-unseen", ariaLive: "polite" });
      const rows = KEYS.map(([keys, does]) =>
        element("tr", {}, element("th", { scope: "row" }, keys), element("td", {}, does)),
      );
      this.help = element(
        "dialog",
        { ariaLabel: "Keys" },
        element("table", {}, ...rows),
        button("", "Close", () => this.help.close()),
      );
      this.all = element("dialog", { ariaLabel: "All slides", className: "deck-all" });
      this.black = element("div", { className: "deck-black", hidden: true, onclick: () => this.dark(false) });
      this.controls = element(
        "nav",
        { className: "deck-bar", ariaLabel: "Slides" },
        this.before,
        this.after,
        this.counter,
        this.notes,
        button("", "All", () => this.overview()),
        button("", "Keys", () => this.help.showModal()),
        button("", "Leave", () => this.leave()),
        this.line,
      );
    }

    // One slide on or back; a picture that grows grows first, step by step.
    turn(by) {
      const name = by > 0 ? ".ak-primary" : "button:has(+ .ak-primary)";
      const grows = `[data-ak-kind=growing_picture] ${name}:not([aria-disabled=true])`;
      const { slide } = this.slides[this.at];
      const button = slide.querySelector(`.deck-body ${grows}`);
      // One that opens with all it has, and that nobody has touched, grows from the beginning.
      const whole = by > 0 && !button && !slide.hasAttribute("data-touched");
      const first = whole && slide.querySelector(".deck-body [data-ak-kind=growing_picture] .ak-ways button");
      if (button || first) (button || first).click();
      else this.go(this.at + by);
    }

    // Show a slide; its heading has the focus, and a screen reader is told where it is.
    go(to, focus = true) {
      this.at = Math.max(0, Math.min(to, this.slides.length - 1));
      const { slide, part } = this.slides[this.at];
      for (const one of this.slides) one.slide.hidden = one.slide !== slide;
      for (const one of this.parts) one.root.hidden = one !== part;
      part.root.dataset.kind = slide.dataset.kind;
      fit(slide);
      slide.firstChild.scrollTop = 0;
      slide.firstChild.tabIndex = slide.firstChild.scrollHeight > slide.firstChild.clientHeight + 1 ? 0 : -1;
      const [here, all] = [this.at + 1, this.slides.length];
      this.counter.textContent = `${here} / ${all}`;
      this.line.style.width = `${(100 * here) / all}%`;
      [this.before.disabled, this.after.disabled] = [here === 1, here === all];
      this.live.textContent = `Slide ${here} of ${all}: ${part.heading.textContent}`;
      part.heading.tabIndex = -1;
      if (focus) part.heading.focus({ preventScroll: true });
      history.replaceState(null, "", `#/${here}`);
      this.tell();
    }

    // The first words of a slide, to know it by.
    words(at) {
      const { slide, part } = this.slides[at];
      const told = slide.querySelector(".deck-told") ?? slide.querySelector("figcaption, .math, pre") ?? part.heading;
      const said = words(told).split(/\s+/);
      return [
        part.heading.textContent.trim(),
        slide.dataset.kind === "text" ? "" : slide.dataset.kind,
        said.slice(0, 9).join(" "),
      ];
    }

    // All slides by their headings and first words; one is pressed.
    overview() {
      const rows = this.slides.map((_, k) => {
        const [heading, kind, said] = this.words(k);
        const first = !k || this.slides[k - 1].part !== this.slides[k].part;
        const onclick = () => {
          this.all.close();
          this.go(k);
        };
        const label = element("button", { type: "button", onclick }, `${k + 1}. ${kind ? `${kind}: ` : ""}${said} …`);
        if (k === this.at) label.setAttribute("aria-current", "true");
        return element("li", {}, ...(first ? [element("strong", {}, heading)] : []), label);
      });
      this.all.replaceChildren(
        element("ol", {}, ...rows),
        element("button", { type: "button", onclick: () => this.all.close() }, "Close"),
      );
      this.all.showModal();
      this.all.querySelector("[aria-current]").focus();
    }

    /** @param {boolean} on */
    dark(on) {
      this.black.hidden = !on;
      this.live.textContent = on ? "The screen is black. Any key brings the slide back." : "";
    }

    // A window for who speaks: the notes of this slide, what comes next, and the time since it was opened.
    speaker() {
      this.side = open("", "deck-speaker", "popup,width=640,height=720");
      if (!this.side) return;
      const page = this.side.document;
      const style =
        "body{font:1.1rem/1.5 system-ui,sans-serif;margin:1.5rem;color:#1b1c20;background:#fffdfa}h1{font-size:1.1rem}time{font-size:2rem}";
      page.head.replaceChildren(
        Object.assign(page.createElement("title"), { textContent: "Notes" }),
        Object.assign(page.createElement("style"), { textContent: style }),
      );
      const began = Date.now();
      const clock = page.createElement("time");
      const turn = () => {
        const gone = Math.floor((Date.now() - began) / 1000);
        clock.textContent = `${Math.floor(gone / 60)}:${String(gone % 60).padStart(2, "0")}`;
      };
      turn();
      clearInterval(this.clock);
      this.clock = setInterval(turn, 1000);
      page.body.replaceChildren(clock, page.createElement("h1"), page.createElement("div"), page.createElement("p"));
      page.addEventListener("keydown", (event) => this.press(event));
      this.tell();
    }

    tell() {
      if (!this.side || this.side.closed) return;
      const page = this.side.document;
      const [heading, notes, next] = page.querySelectorAll("body > :not(time)");
      heading.textContent = `${this.counter.textContent} ${this.words(this.at)[0]}`;
      const blocks = [...this.slides[this.at].slide.lastChild.children];
      // A formula as MathML, which needs no style: read without its signs it would be another one.
      const told = blocks.map((one) => {
        const copy = /** @type {Element} */ (one.cloneNode(true));
        for (const formula of copy.querySelectorAll(".katex")) {
          formula.querySelector("annotation")?.remove();
          formula.replaceWith(formula.querySelector("math") ?? "");
        }
        for (const part of copy.querySelectorAll("script, style, .copybtn")) part.remove();
        for (const part of copy.querySelectorAll(":not(math, math *)")) part.replaceWith(...part.childNodes);
        const said = page.createElement("p");
        said.append(...copy.childNodes);
        return said;
      });
      notes.replaceChildren(...told);
      const after = this.at + 1 < this.slides.length;
      next.textContent = after
        ? `Next: ${this.words(this.at + 1)
            .filter(Boolean)
            .join(", ")} …`
        : "This is the last slide.";
    }

    // `#/7`, `?present=7`, or a place on the page: the slide on which it stands.
    find() {
      const number = Number(
        /^#\/(\d+)$/.exec(location.hash)?.[1] ??
          (location.hash ? 0 : new URLSearchParams(location.search).get("present")),
      );
      if (number) return number - 1;
      const place = document.getElementById(decodeURIComponent(location.hash.slice(1)));
      return this.slides.findIndex(({ slide, part }) => place && (slide.contains(place) || part.root === place));
    }

    toggle() {
      const shown = this.element.classList.toggle("deck-noted");
      this.notes.setAttribute("aria-pressed", String(shown));
      fit(this.slides[this.at].slide);
    }

    leave() {
      const here = new URL(location.href);
      here.searchParams.delete("present");
      here.hash = this.at ? this.slides[this.at].part.root.id : "";
      location.assign(here);
    }

    // The theme's own button has three states, one of which may look like the one before.
    light() {
      const { dataset } = document.documentElement;
      const before = dataset.theme;
      for (let k = 0; k < 3 && dataset.theme === before; k++) document.querySelector(".theme-switch-button")?.click();
    }

    press(event) {
      const { key, target } = event;
      if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
      if (this.help.open || this.all.open) return;
      if (!this.black.hidden) {
        this.dark(false);
        event.preventDefault();
        return;
      }
      const steps = { ArrowRight: 1, PageDown: 1, ArrowLeft: -1, PageUp: -1, " ": event.shiftKey ? -1 : 1 };
      const ends = { Home: 0, End: this.slides.length };
      const acts = {
        n: () => this.toggle(),
        w: () => this.speaker(),
        o: () => this.overview(),
        b: () => this.dark(true),
        ".": () => this.dark(true), // which clickers send
        f: () => full(),
        d: () => this.light(),
        "?": () => this.help.showModal(),
        Escape: () => this.leave(),
      };
      // What has the focus keeps the keys that are its own, but for those that a clicker sends.
      const clicked = key === "PageDown" || key === "PageUp";
      const types = target.closest(TYPED);
      const moves = target.closest("input, textarea, select, [contenteditable], [role=slider]");
      if (types && key !== "Escape") return;
      if (key in steps && (clicked || !(moves || (key === " " && target.closest("button, summary, a")))))
        this.turn(steps[key]);
      else if (key in ends && !moves) this.go(ends[key]);
      else if (key in acts) acts[key]();
      else return;
      event.preventDefault();
    }

    // A finger that goes sideways, but not over what it may pull or scroll.
    swipe() {
      let from = null;
      const [start, end] = ["touchstart", "touchend"];
      this.element.addEventListener(
        start,
        ({ touches, target }) => {
          const own = target.closest(".ak-figure, input, button, pre, dialog") || touches.length > 1;
          from = own ? null : [touches[0].clientX, touches[0].clientY];
        },
        { passive: true },
      );
      this.element.addEventListener(end, ({ changedTouches: [{ clientX, clientY }] }) => {
        const [x, y] = from ? [clientX - from[0], clientY - from[1]] : [0, 0];
        from = null;
        if (Math.abs(x) > 60 && Math.abs(x) > 2 * Math.abs(y)) this.turn(x < 0 ? 1 : -1);
      });
    }

    start() {
      this.go(this.find());
      this.swipe();
      this.element.addEventListener("click", ({ target, detail }) => {
        const slide = target.closest(".deck-slide");
        slide?.setAttribute("data-touched", "");
        // Whoever has pressed or dragged something goes on with the arrows; whoever came to it by Tab stays there.
        const held = document.activeElement;
        if (slide && detail && slide.contains(held) && !held.matches(TYPED))
          setTimeout(() => this.slides[this.at].part.heading.focus({ preventScroll: true }));
      });
      const again = () => fit(this.slides[this.at].slide);
      // After the figures, before Sphinx, which takes Escape.
      document.body.addEventListener("keydown", (event) => this.press(event));
      addEventListener("hashchange", () => this.find() >= 0 && this.go(this.find()));
      addEventListener("resize", again);
      document.fonts.ready.then(again);
      // Figures come to life one after the other.
      const places = [...this.element.querySelectorAll("[data-ak-figure]")];
      const watch = new MutationObserver(() => {
        if (!places.every((place) => place.querySelector(".ak-figure, .ak-failed"))) return;
        watch.disconnect();
        again();
      });
      for (const place of places) watch.observe(place, { childList: true });
      // On paper all slides, each at the size at which it fits.
      addEventListener("beforeprint", () => {
        const [here, all] = [this.at, this.slides.length];
        for (let k = 0; k < all; k++) this.go(k, false);
        this.go(here, false);
      });
    }
  }

  function full() {
    if (document.fullscreenElement) document.exitFullscreen();
    else document.documentElement.requestFullscreen?.();
  }

  // The style first: sizes are measured in it.
  const article = document.querySelector("article.bd-article");
  if (!article?.querySelector(":scope > section > h1")) return;
  const sheet = element("link", { rel: "stylesheet", href: src.replace("present.js", "present.css") });
  sheet.onload = () => new Deck(article).start();
  document.head.append(sheet);
})();
