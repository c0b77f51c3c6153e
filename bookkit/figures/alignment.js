// Two rows of words and the weights between them; choose a word and see where it looks.
((attnkit) => {
  "use strict";
  const { h, fixed } = attnkit;

  /** @typedef {{ selected: number, temperature: number }} State */
  /**
   * @typedef {{ query_words: string[], key_words: string[], query_lang: string, key_lang: string, weights: Matrix, tempers: boolean }} Given
   */

  // The arithmetic, compared with attnkit.softmax by tests/figures/: softmax(log w / T), row by row.
  function compute({ weights, temperature }) {
    return weights.map((row) => attnkit.softmax(row.map((w) => Math.log(w) / temperature)));
  }

  // The words that ask: buttons, chosen by pointing at them, too.
  function queryButtons(figure, words) {
    return words.map((word, i) => {
      const choose = () => figure.put({ selected: i });
      const look = { class: "ak-word ak-query", lang: figure.get("query_lang"), "aria-pressed": "false" };
      return attnkit.button(word, choose, { ...look, onmouseenter: choose, onfocus: choose });
    });
  }

  // A ribbon from each word above to each word below.
  function ribbons(picture, rows, columns) {
    const at = (k, count) => (100 * (k + 0.5)) / count;
    return Array.from({ length: rows }, (_, i) =>
      Array.from({ length: columns }, (_, j) => {
        const [from, to] = [at(i, rows), at(j, columns)];
        const d = `M${from} 0C${from} 50 ${to} 50 ${to} 100`;
        const ribbon = attnkit.svg("path", { d });
        picture.append(ribbon);
        return ribbon;
      }),
    );
  }

  function build(figure) {
    const { query_words: queries, key_words: keys } = figure.given("query_words", "key_words");
    const asking = queryButtons(figure, queries);
    const stop = attnkit.walk(asking);
    const numbers = keys.map(() => h("span", { class: "ak-weight" }));
    const answering = keys.map((word, j) =>
      h("div", { class: "ak-word ak-key" }, h("span", { lang: figure.get("key_lang") }, word), numbers[j]),
    );
    const picture = attnkit.svg("svg", { viewBox: "0 0 100 100", preserveAspectRatio: "none", "aria-hidden": "true" });
    const lines = ribbons(picture, queries.length, keys.length);
    const grid = (words, inside) =>
      h("div", { class: "ak-words", style: `grid-template-columns:repeat(${words.length},1fr)` }, ...inside);

    function update(state) {
      const weights = compute({ weights: figure.get("weights"), temperature: state.temperature });
      stop.at(state.selected);
      asking.forEach((button, i) => attnkit.attr(button, "aria-pressed", String(i === state.selected)));
      lines.forEach((row, i) =>
        row.forEach((line, j) => {
          attnkit.style(line, "strokeWidth", `${1 + 22 * weights[i][j]}px`);
          attnkit.style(line, "strokeOpacity", String(i === state.selected ? 0.3 + 0.7 * weights[i][j] : 0.13));
        }),
      );
      const chosen = weights[state.selected];
      numbers.forEach((place, j) => {
        attnkit.write(place, fixed(chosen[j]));
        attnkit.style(place, "backgroundSize", `${(100 * chosen[j]).toFixed(1)}% 100%`);
      });
      const told = keys.map((word, j) => `${fixed(chosen[j])} to ${word}`).join(", ");
      figure.say(`${attnkit.quoted(queries[state.selected])} gives ${told}.`);
    }
    const temperature =
      figure.get("tempers") && figure.logSlider({ name: "temperature", trait: "temperature", most: 10 }).element;
    const controls = h(
      "div",
      { class: "ak-controls" },
      temperature || null,
      h("div", { class: "ak-buttons" }, figure.reset()),
    );
    return { parts: [grid(queries, asking), picture, grid(keys, answering), controls], update };
  }

  attnkit.register("alignment", { label: "Where each word looks", compute, build });
})(globalThis.attnkit);
