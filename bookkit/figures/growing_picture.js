// A picture that is built step by step: a sentence for each step, and a drawing, or one drawing whose parts come one by one.
((attnkit) => {
  "use strict";
  const { h, attr } = attnkit;

  /** @typedef {{ step: number }} State */
  /** @typedef {{ pictures: string[], sentences: string[] }} Given */

  // Compared with Python.
  /** @param {State & Given} state */
  function compute({ sentences, step }) {
    return { sentence: sentences[step] };
  }

  // A picture as Picture.html has written it, which escapes every word; no caller's text is HTML here.
  /** @param {string} html */
  function drawing(html) {
    const { body } = new DOMParser().parseFromString(html, "text/html");
    return h("div", {}, ...body.childNodes);
  }

  /** @param {Figure<State, Given>} figure */
  function build(figure) {
    const { pictures, sentences } = figure.given("pictures", "sentences");
    const count = sentences.length;
    /** @param {State} state */
    const told = ({ step }) => `Step ${step + 1} of ${count}: ${compute({ pictures, sentences, step }).sentence}`;

    // All stand in one place, so that it is as large as the largest, and nothing moves when another one is seen.
    const drawings = pictures.map(drawing);
    const stack = h("div", { class: "ak-stack" }, ...drawings);
    // The line below the figure has room for the longest sentence, from the beginning.
    const lines = sentences.map((_, step) => h("p", {}, told({ step })));
    const room = h("div", { class: "ak-stack ak-room", "aria-hidden": "true" }, ...lines);

    const parts = [...stack.querySelectorAll("[data-ak-from], [data-ak-at]")].filter((e) => e instanceof SVGElement);

    const steps = figure.choice({ label: "step", words: sentences.map((_, k) => String(k + 1)), trait: "step" });
    const back = figure.button("Back", ({ step }) => ({ step: Math.max(step - 1, 0) }));
    const next = figure.button("Next step", ({ step }) => ({ step: Math.min(step + 1, count - 1) }));
    next.classList.add("ak-primary");
    const ways = h("div", { class: "ak-buttons" }, back, next, figure.reset());

    /** @param {State} state */
    function update(state) {
      if (drawings.length > 1)
        drawings.forEach((one, k) => attnkit.style(one, "visibility", k === state.step ? "" : "hidden"));
      for (const part of parts) {
        const { akFrom: from, akAt: at } = part.dataset;
        const seen = from === undefined ? Number(at) === state.step : Number(from) <= state.step;
        attnkit.style(part, "opacity", seen ? "1" : from === undefined ? "0" : "0.35");
      }
      // Not `disabled`: that would take the focus away from whoever has just pressed it.
      attr(back, "aria-disabled", String(state.step === 0));
      attr(next, "aria-disabled", String(state.step === count - 1));
      figure.say(told(state));
    }
    return { parts: [stack, h("div", { class: "ak-ways" }, steps.element, ways), room], update };
  }

  attnkit.register("growing_picture", { label: "A picture, step by step", compute, build });
})(globalThis.attnkit);
