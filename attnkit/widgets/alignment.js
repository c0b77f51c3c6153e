// Two rows of words and the weights between them; choose a word and see where it looks, sharpen or level the weights.
(function (attnkit) {
  "use strict";
  const { h, fixed } = attnkit;

  // The arithmetic, compared with attnkit.softmax by tests/test_widgets.py: softmax(log w / T), row by row.
  function compute({ weights, temperature }) {
    return weights.map((row) => attnkit.softmax(row.map((w) => Math.log(w) / temperature)));
  }

  function render({ model, el }) {
    const queries = model.get("query_words");
    const keys = model.get("key_words");
    const lang = { query: model.get("query_lang"), key: model.get("key_lang") };
    const grid = (n) => `grid-template-columns:repeat(${n},1fr)`;

    const asking = queries.map((word, i) =>
      h("button", {
        type: "button", class: "ak-word ak-query", lang: lang.query, "aria-pressed": "false",
        onmouseenter: () => attnkit.put(model, { selected: i }),
        onfocus: () => attnkit.put(model, { selected: i }),
        onclick: () => attnkit.put(model, { selected: i }),
      }, word));
    const numbers = keys.map(() => h("span", { class: "ak-weight" }));
    const answering = keys.map((word, j) => h("div", { class: "ak-word ak-key" }, h("span", { lang: lang.key }, word), numbers[j]));
    const picture = attnkit.svg("svg", { viewBox: "0 0 100 100", preserveAspectRatio: "none", "aria-hidden": "true" });
    const lines = queries.map((_, i) => keys.map((_, j) => {
      const line = attnkit.svg("line", {
        x1: (100 * (i + 0.5)) / queries.length, y1: 0, x2: (100 * (j + 0.5)) / keys.length, y2: 100,
        "vector-effect": "non-scaling-stroke", "stroke-linecap": "round",
      });
      picture.append(line);
      return line;
    }));
    const slider = attnkit.logSlider({ name: "temperature", most: 10, onInput: (value) => attnkit.put(model, { temperature: value }) });
    const reset = h("button", { type: "button",
      onclick: () => attnkit.put(model, { temperature: 1, selected: model.get("start") }) }, "Reset");
    const frame = attnkit.frame(model, "Where each word looks",
      h("div", { class: "ak-words", style: grid(queries.length) }, ...asking), picture,
      h("div", { class: "ak-words", style: grid(keys.length) }, ...answering),
      h("div", { class: "ak-controls" }, slider.element, h("div", { class: "ak-buttons" }, reset)));
    frame.element.classList.add("ak-alignment");
    el.replaceChildren(frame.element);

    function update() {
      const temperature = model.get("temperature");
      const selected = model.get("selected");
      const weights = compute({ weights: model.get("weights"), temperature });
      slider.show(temperature);
      asking.forEach((button, i) => button.setAttribute("aria-pressed", String(i === selected)));
      lines.forEach((row, i) => row.forEach((line, j) => {
        line.style.strokeWidth = `${0.5 + 13 * weights[i][j]}px`;
        line.style.opacity = i === selected ? 0.25 + 0.75 * weights[i][j] : 0.07;
      }));
      numbers.forEach((place, j) => {
        place.textContent = fixed(weights[selected][j]);
        attnkit.paint(place, weights[selected][j], 1);
      });
      frame.say(`“${queries[selected]}” looks at ` +
        keys.map((word, j) => `${word} ${fixed(weights[selected][j])}`).join(", ") + ".");
    }
    const leave = attnkit.follow(model, ["temperature", "selected"], update);
    return () => { frame.stop(); leave(); };
  }

  attnkit.figures.alignment = { compute, render };
})(globalThis.attnkit);
