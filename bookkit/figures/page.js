// What a page without a kernel does: its still figures come to life as its address keeps them, and words of its text act on
// them. A live notebook does not need it.
((attnkit) => {
  "use strict";

  /** @typedef {Record<string, unknown>} State */

  // The figure that is alive in the place with this id.
  /** @param {string} id */
  const figureIn = (id) => attnkit.alive.get(document.getElementById(id)?.firstElementChild ?? document.body);
  /** @param {unknown} one @param {unknown} other */
  const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

  // ---- a state that can be handed on: ?softmax_explorer=temperature:0.5

  const LONGEST = 600; // characters that a figure may add to the address
  const PAUSE = 500; // milliseconds without a change, before it is written

  /** @param {string} id @returns {State | null} what the address keeps of a figure, if it can be read */
  function kept(id) {
    const [part] = location.search
      .slice(1)
      .split("&")
      .filter((one) => id && one.startsWith(`${id}=`));
    try {
      const pairs = decodeURIComponent(part.slice(id.length + 1)).split(";");
      return Object.fromEntries(pairs.map((pair) => pair.split(/:(.*)/s)).map(([name, v]) => [name, JSON.parse(v)]));
    } catch {
      return null;
    }
  }

  // What kind of thing a value is, lists by what is in them.
  /** @param {unknown} value @returns {string} */
  function kind(value) {
    if (Array.isArray(value)) return `list of ${[...new Set(value.map(kind))].join(" and ")}`;
    return value === null ? "null" : typeof value;
  }

  // Whether a figure can have these changes: they are of the kind of what it has, as far as that says one.
  /** @param {State} changes @param {State} defaults */
  function fits(changes, defaults) {
    return Object.entries(changes).every(([name, value]) => {
      const known = kind(defaults[name]);
      return name in defaults && (/null|list of $/.test(known) || [known, "list of "].includes(kind(value)));
    });
  }

  // Write into the address what of a figure is not as it began.
  /** @param {string} id @param {State} state @param {State} defaults */
  function keep(id, state, defaults) {
    const changes = Object.entries(state).filter(([name, value]) => !same(value, defaults[name]));
    const text = encodeURIComponent(changes.map(([name, value]) => `${name}:${JSON.stringify(value)}`).join(";"));
    const legible = text.replace(/%(3A|3B|2C|5B|5D)/g, decodeURIComponent);
    const parts = location.search.slice(1).split("&");
    const others = parts.filter((part) => part && !part.startsWith(`${id}=`));
    const own = legible && legible.length <= LONGEST ? [`${id}=${legible}`] : [];
    const search = [...others, ...own].join("&");
    try {
      history.replaceState(history.state, "", `${location.pathname}${search && "?"}${search}${location.hash}`);
    } catch {} // a document without an address of its own
  }

  /** @param {string} id */
  function remember(id) {
    const figure = figureIn(id);
    if (!figure) return;
    let [timer, before] = [0, figure.state()];
    figure.controls.push((state) => {
      if (same(state, before)) return;
      before = state;
      clearTimeout(timer);
      timer = setTimeout(() => keep(id, before, figure.get("defaults")), PAUSE);
    });
  }

  // ---- words that act: <span data-ak-act='{"of": "alignment", "set": {"selected": 2}}'>

  /** @type {() => HTMLElement[]} */
  const acting = () => [...document.querySelectorAll("[data-ak-act]")].filter((e) => e instanceof HTMLElement);
  /** @param {HTMLElement} words @returns {Act} */
  const actOf = (words) => JSON.parse(words.dataset.akAct || "{}");

  // The button of a figure that bears a name, or one whose words begin so.
  /** @param {Element} figure @param {string} name */
  function buttonOf(figure, name) {
    const buttons = [...figure.querySelectorAll("button")].filter((b) => b.getClientRects().length);
    const said = buttons.map((b) => [b.innerText, b.ariaLabel ?? ""].map((text) => text.replace(/\s+/g, " ").trim()));
    const whole = said.findIndex((names) => names.includes(name));
    return buttons[whole >= 0 ? whole : said.findIndex((names) => names.some((text) => text.startsWith(name)))];
  }

  // What is meant is lit: the figure, and of its buttons the one that would be pressed.
  /** @param {HTMLElement} words @param {boolean} on */
  function light(words, on) {
    const { of, press } = actOf(words);
    const element = figureIn(of)?.element;
    element?.classList.toggle("ak-meant", on);
    for (const lit of element?.querySelectorAll("button.ak-meant") ?? []) lit.classList.remove("ak-meant");
    if (element && press && on) buttonOf(element, press)?.classList.add("ak-meant");
  }

  const HEAD = 60; // pixels under the page's own buttons
  // Whether enough of an element is seen to see a change in it.
  /** @param {Element} element */
  function inSight(element) {
    const { top, bottom, height } = element.getBoundingClientRect();
    const seen = Math.min(bottom, innerHeight) - Math.max(top, HEAD);
    return seen > 0.7 * Math.min(height, innerHeight - HEAD);
  }

  let home = () => {}; // undoes what the last words have done
  // On a wide window the figure comes to the reader, and stands at the right of the text until its own place is in sight.
  const [NARROWEST, WIDEST] = [440, 560]; // pixels
  /** @param {HTMLElement} words @param {HTMLElement} place */
  function visit(words, place) {
    const own = place.firstElementChild;
    const left = (words.closest("section")?.getBoundingClientRect().right ?? innerWidth) + HEAD / 2;
    const width = Math.min(WIDEST, innerWidth - left - HEAD / 4);
    if (!(own instanceof HTMLElement) || !own.showPopover || width < NARROWEST) return false;
    const back = attnkit.button("Back to its place", () => {
      home();
      words.focus({ preventScroll: true });
    });
    // It leaves when its own place is in sight, or its words are far out of it.
    function leave() {
      const { top, bottom } = words.getBoundingClientRect();
      if (bottom < -innerHeight / 2 || top > 1.5 * innerHeight || inSight(place)) home();
    }
    home = () => {
      removeEventListener("scroll", leave);
      back.remove();
      own.removeAttribute("popover");
      for (const one of [own, place]) one.removeAttribute("style");
      home = () => {};
    };
    place.style.height = `${place.getBoundingClientRect().height}px`;
    own.popover = "manual";
    Object.assign(own.style, { left: `${left}px`, width: `${width}px` });
    own.prepend(back);
    own.showPopover();
    addEventListener("scroll", leave, { passive: true });
    return true;
  }

  // Elsewhere the reader is led to the figure, and back: by a button that stays until the words are in sight again.
  /** @param {HTMLElement} words @param {HTMLElement} place */
  function lead(words, place) {
    const high = place.getBoundingClientRect().height > innerHeight - HEAD;
    place.scrollIntoView({ block: high ? "start" : "nearest" });
    const back = attnkit.button("Back to the text", () => {
      words.scrollIntoView({ block: "center" });
      words.focus({ preventScroll: true });
    });
    attnkit.attr(back, "class", "ak-back");
    back.hidden = true;
    const watch = new IntersectionObserver(
      (seen) => {
        const here = seen[seen.length - 1].isIntersecting;
        if (here && !back.hidden) home();
        else back.hidden = here;
      },
      { rootMargin: `-${HEAD}px 0px 0px` },
    );
    home = () => {
      watch.disconnect();
      back.remove();
    };
    document.body.append(back);
    watch.observe(words);
  }

  /** @param {HTMLElement} words */
  function perform(words) {
    const { of, set, press } = actOf(words);
    const [figure, place] = [figureIn(of), document.getElementById(of)];
    if (!figure || !place) return;
    if (!inSight(figure.element)) {
      home();
      if (document.querySelector(".deck") || !visit(words, place)) lead(words, place);
    }
    if (set) figure.put(set);
    else if (press) buttonOf(figure.element, press)?.click();
    light(words, true);
  }

  // Words that act on a figure are a button as soon as it is alive, and pressed while it shows what they ask for.
  /** @param {string} id */
  function enable(id) {
    const figure = figureIn(id);
    for (const words of figure ? acting().filter((one) => actOf(one).of === id) : []) {
      const act = () => perform(words);
      words.setAttribute("role", "button");
      words.setAttribute("tabindex", "0");
      words.setAttribute("aria-controls", id);
      words.addEventListener("click", act);
      attnkit.keys(words, { Enter: act, " ": act, Escape: () => home() });
      for (const come of ["mouseenter", "focus"]) words.addEventListener(come, () => light(words, true));
      for (const go of ["mouseleave", "blur"]) words.addEventListener(go, () => light(words, false));
      const { set } = actOf(words);
      if (!set) continue;
      /** @param {State} state */
      const follow = (state) => {
        const there = Object.entries(set).every(([name, value]) => same(state[name], value));
        attnkit.attr(words, "aria-pressed", String(there));
      };
      figure?.controls.push(follow);
      follow(figure?.state() ?? {});
    }
  }

  // ---- still pictures come to life

  // Returns the element that takes the place of a still picture, or the still one's own parts with a word on why they stay.
  /** @param {HTMLElement} place @param {Node[]} still */
  function enliven(place, still) {
    const { akFigure: name = "", akState: state = "" } = place.dataset;
    /** @param {State} changes */
    const begin = (changes) => {
      const el = attnkit.h("div");
      attnkit.figures[name].start({ model: attnkit.staticModel({ ...JSON.parse(state), ...changes }), el });
      return el;
    };
    try {
      if (!attnkit.figures[name]) throw new Error(`the script of ${name} is not there.`);
      const asked = kept(place.id);
      try {
        const el = asked && fits(asked, JSON.parse(state).defaults) && begin(asked);
        if (el && !/undefined|NaN/.test(el.textContent ?? "")) return [el];
      } catch {} // an address that was changed by hand: the figure opens as it is
      return [begin({})];
    } catch (error) {
      return [...still, attnkit.failure(error)];
    }
  }

  // Bring the still pictures of a static page to life, each in a task of its own: the page is painted and answers a
  // reader between them.
  attnkit.mount = (page) => {
    /** @type {NodeListOf<HTMLElement>} */
    const found = page.querySelectorAll("[data-ak-figure]");
    const places = [...found];
    /** @type {{ place: HTMLElement, still: Node[], alive: Node[] }[]} */
    const forms = [];
    // On paper they are still again, with all their numbers. A browser that prints counts its sheets before it says that
    // the page is paper now, so it is told before: else as many blank ones follow as the figures were longer.
    /** @param {boolean} paper */
    const lay = (paper) => {
      if (document.querySelector(".deck")) return; // a slide is printed as it is seen
      for (const { place, still, alive } of forms) place.replaceChildren(...(paper ? still : alive));
    };
    matchMedia("print").addEventListener("change", ({ matches }) => lay(matches));
    addEventListener("beforeprint", () => lay(true));
    addEventListener("afterprint", () => lay(false));
    setTimeout(function next() {
      const place = places.shift();
      if (!place) return;
      const still = [...place.childNodes];
      const alive = enliven(place, still);
      forms.push({ place, still, alive });
      place.replaceChildren(...alive);
      if (place.id) {
        remember(place.id);
        enable(place.id);
      }
      setTimeout(next);
    });
  };

  // ---- the cover's doors: a figure that waits, with its model, until a button is pressed (website/book_pages.py)

  document.addEventListener("click", ({ target }) => {
    const button = target instanceof HTMLButtonElement && target.dataset.akDoor ? target : null;
    if (!button || button.ariaBusy) return;
    const again = () => Object.assign(button, { ariaBusy: null, textContent: "It did not come. Try again" });
    button.ariaBusy = "true";
    document.head.append(attnkit.h("script", { src: button.dataset.akDoor, onerror: again }));
  });

  // Its script has come: it is alive, and begins to write.
  attnkit.enter = (id, akFigure, akState) => {
    const place = document.getElementById(id);
    Object.assign(place?.dataset ?? {}, { akFigure, akState });
    attnkit.mount(/** @type {ParentNode} */ (place?.parentNode));
    setTimeout(() => {
      const write = place && buttonOf(place, "Write");
      write?.focus({ preventScroll: true });
      write?.click();
      place?.scrollIntoView({ block: place.offsetHeight > innerHeight - HEAD ? "start" : "center" });
    });
  };
})(globalThis.attnkit);
