// A picture that is built step by step: a sentence for each step, and a drawing, or one drawing whose parts come one by one.
((attnkit) => {
  "use strict";
  const { h, attr } = attnkit;

  /** @typedef {{ step: number }} State */
  /** @typedef {{ pictures: string[], sentences: string[] }} Given */

  // Compared with Python.
  const compute = ({ sentences, step }) => ({ sentence: sentences[step] });

  // A picture as Picture.html has written it, which escapes every word; no caller's text is HTML here.
  function drawing(html) {
    const { body } = new DOMParser().parseFromString(html, "text/html");
    return h("div", {}, ...body.childNodes);
  }

  const PACE = 900; // milliseconds from where something comes from to where it stands

  function middle(element) {
    const { left, top, width, height } = element.getBoundingClientRect();
    return { x: left + width / 2, y: top + height / 2 };
  }

  // What something has come from runs to where it stands: the score into its weight. What runs is a copy, and gone then.
  function arrive(target, stack) {
    const svg = target.ownerSVGElement;
    if (!svg || !target.parentNode) return;
    const named = (target.dataset.akCame ?? "").split("|").map((name) => `[data-ak-name="${name}"]`);
    for (const source of stack.querySelectorAll(named.join(","))) {
      if (getComputedStyle(source).visibility === "hidden") continue; // of another drawing
      const copy = /** @type {SVGElement} */ (source.cloneNode(true));
      copy.removeAttribute("data-ak-name");
      attr(copy, "class", "ak-runs");
      target.parentNode.append(copy);
      const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
      const [here, from, to] = [copy, source, target].map(middle);
      const shifted = [from, to].map(({ x, y }) => `translate(${(x - here.x) / scale}px, ${(y - here.y) / scale}px)`);
      const frames = shifted.map((transform, k) => ({ transform, opacity: 1 - 0.7 * k }));
      copy.animate(frames, { duration: PACE, easing: "ease-in-out" }).onfinish = () => copy.remove();
    }
  }

  function build(figure) {
    const { pictures, sentences } = figure.given("pictures", "sentences");
    const count = sentences.length;
    const told = ({ step }) => `Step ${step + 1} of ${count}: ${compute({ sentences, step }).sentence}`;

    // All stand in one place, so that it is as large as the largest, and nothing moves when another one is seen.
    const drawings = pictures.map(drawing);
    const stack = h("div", { class: "ak-stack" }, ...drawings);
    // The line below the figure has room for the longest sentence, from the beginning.
    const lines = sentences.map((_, step) => h("p", {}, told({ step })));
    const room = h("div", { class: "ak-stack ak-room", "aria-hidden": "true" }, ...lines);

    const steps = figure.choice({ label: "step", words: sentences.map((_, k) => String(k + 1)), trait: "step" });
    const back = figure.button("Back", ({ step }) => ({ step: Math.max(step - 1, 0) }));
    const next = figure.button("Next step", ({ step }) => ({ step: Math.min(step + 1, count - 1) }));
    next.classList.add("ak-primary");
    const ways = h("div", { class: "ak-ways" }, steps, attnkit.row(back, next, figure.reset()));
    const [parts, coming] = ["[data-ak-from], [data-ak-at]", "[data-ak-came]"].map((those) =>
      [...stack.querySelectorAll(those)].filter((e) => e instanceof SVGElement),
    );

    // Whether something comes at a step: with its part of one drawing, or in a drawing that is the first to have it.
    function comes(one, step) {
      const part = one.closest("[data-ak-from]");
      if (part instanceof SVGElement) return Number(part.dataset.akFrom) === step;
      const name = `[data-ak-name="${one.dataset.akName}"]`;
      return drawings[step].contains(one) && !drawings[step - 1].querySelector(name);
    }

    let last = figure.get("step");
    function update(state) {
      for (const copy of stack.querySelectorAll(".ak-runs")) copy.remove();
      if (drawings.length > 1)
        drawings.forEach((one, k) => attnkit.style(one, "visibility", k === state.step ? "" : "hidden"));
      for (const part of parts) {
        const { akFrom: from, akAt: at } = part.dataset;
        if (from === undefined) attnkit.style(part, "opacity", Number(at) === state.step ? "1" : "0");
        else part.toggleAttribute("data-ak-pale", state.step < Number(from));
      }
      // Not `disabled`: that would take the focus away from whoever has just pressed it.
      attr(back, "aria-disabled", String(state.step === 0));
      attr(next, "aria-disabled", String(state.step === count - 1));
      figure.say(told(state));
      if (state.step === last + 1 && !attnkit.calm())
        for (const one of coming) if (comes(one, state.step)) arrive(one, stack);
      last = state.step;
      // Where the figure has come to the words that act on it, what is new in it comes into sight.
      const place = stack.closest("[popover]");
      const fresh = parts.find(({ dataset }) => Number(dataset.akFrom) === state.step);
      if (place && fresh) place.scrollTop += middle(fresh).y - middle(place).y;
    }
    return { parts: [stack, ways, room], update };
  }

  attnkit.register("growing_picture", { label: "A picture, step by step", compute, build });
})(globalThis.attnkit);
