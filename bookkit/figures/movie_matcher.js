// Set a viewer's tastes; every product, the score and the ranking of the films respond.
((attnkit) => {
  "use strict";
  const { h, fixed } = attnkit;

  /** @typedef {{ user: number[] }} State */
  /** @typedef {{ films: Matrix, titles: string[], features: string[] }} Given */
  /** @typedef {ReturnType<typeof filmRow>} Row */

  // The arithmetic, compared with numpy by tests/figures/.
  /** @param {{ user: number[], films: Matrix }} state */
  function compute({ user, films }) {
    const products = films.map((film) => film.map((value, k) => value * user[k]));
    const scores = products.map((row) => row.reduce((sum, p) => sum + p, 0));
    // Scores equal to nine decimals keep the order of the list, whatever the last bit says.
    const rounded = scores.map((s) => Math.floor(s * 1e9 + 0.5));
    const order = scores.map((_, i) => i).sort((i, j) => rounded[j] - rounded[i] || i - j);
    return { products, scores, order };
  }

  /** @param {number} value */
  function taste(value) {
    const strength = Math.abs(value) >= 0.65 ? "strongly " : Math.abs(value) >= 0.35 ? "" : "mildly ";
    const words = value > 0 ? `${strength}likes it` : value < 0 ? `${strength}dislikes it` : "does not care";
    return `${fixed(value, 1, true)}, ${words}`;
  }

  // The viewer, as the first row of the table: over each column stands the slider that moves it.
  /** @param {Figure<State, Given>} figure @param {string[]} features */
  function tasteRow(figure, features) {
    const sliders = features.map((name, k) =>
      figure.slider({
        name,
        min: -1,
        max: 1,
        step: 0.1,
        format: (v) => fixed(v, 1, true),
        word: taste,
        read: ({ user }) => user[k],
        write: (value, { user }) => ({ user: user.map((old, j) => (j === k ? value : old)) }),
      }),
    );
    const cells = sliders.map((slider) => h("td", {}, slider.element));
    return {
      numbers: sliders.map((slider) => slider.output),
      element: h("tr", { class: "ak-tastes" }, h("th", { scope: "row" }, "taste"), ...cells, h("td", {})),
    };
  }

  /** @param {Figure<State, Given>} figure */
  function buttons(figure) {
    const turn = figure.button("Change every sign", ({ user }) => ({ user: user.map((v) => 0 - v) }));
    return h("div", { class: "ak-controls" }, h("div", { class: "ak-buttons" }, turn, figure.reset()));
  }

  // One film: its place and title, a product for each feature, its score with a bar.
  /** @param {string} title @param {string[]} features */
  function filmRow(title, features) {
    const place = h("span", { class: "ak-place" });
    const cells = features.map(() => {
      const [product, factors] = [h("strong", {}), h("small", {})];
      return { product, factors, element: h("td", {}, product, factors) };
    });
    const score = h("strong", {});
    const bar = h("span", { class: "ak-bar", "aria-hidden": "true" });
    const track = h("span", { class: "ak-track", "aria-hidden": "true" }, bar);
    const element = h(
      "tr",
      {},
      h("th", { scope: "row" }, place, title),
      ...cells.map((cell) => cell.element),
      h("td", { class: "ak-score" }, score, track),
    );
    return { place, cells, score, bar, element };
  }

  // `limit` is the score at which the bar reaches the end of its track.
  /**
   * @param {Row} row
   * @param {number[]} film
   * @param {number[]} user
   * @param {number[]} products
   * @param {number} score
   * @param {number} limit
   */
  function fillRow(row, film, user, products, score, limit) {
    row.cells.forEach(({ product, factors, element }, k) => {
      attnkit.write(product, fixed(products[k], 2, true));
      attnkit.write(factors, `${fixed(user[k], 1)}×${fixed(film[k], 1)}`);
      attnkit.paint(element, products[k], 1);
    });
    attnkit.write(row.score, fixed(score, 2, true));
    // Drawn by a transform: no layout. From the middle to the right, or turned over to the left.
    attnkit.style(row.bar, "transform", `scaleX(${fixed(score / limit, 3).replace("−", "-")})`);
    attnkit.style(row.bar, "background", `var(--ak-${score < 0 ? "negative" : "positive"})`);
  }

  /** @param {string[]} features @param {HTMLElement} tastes @param {HTMLElement} body */
  function table(features, tastes, body) {
    const columns = ["film", ...features, "score"].map((name) => h("th", { scope: "col" }, name));
    return h("table", { class: "ak-matcher" }, h("thead", {}, h("tr", {}, ...columns), tastes), body);
  }

  // Keep the rows in the order of their scores; each slides to its new place, where motion is welcome.
  /** @param {Row[]} rows @param {HTMLElement} body */
  function ranking(rows, body) {
    /** @type {number[] | null} */
    let shown = null;
    /** @type {number[] | null} */
    let before = null; // where the rows stood
    let request = 0;
    const tops = () => rows.map(({ element }) => element.offsetTop);
    function slide() {
      const ways = tops().map((top, i) => (before ?? [])[i] - top);
      const style = { duration: 260, easing: "ease-out" };
      rows.forEach(({ element }, i) => {
        if (ways[i]) element.animate([{ transform: `translateY(${ways[i]}px)` }, { transform: "none" }], style);
      });
    }
    /** @param {number[]} order */
    function sort(order) {
      cancelAnimationFrame(request);
      if (String(order) === String(shown)) return;
      // Move only the rows that are out of place.
      order.forEach((i, rank) => {
        if (body.children[rank] !== rows[i].element) body.insertBefore(rows[i].element, body.children[rank]);
      });
      order.forEach((i, rank) => attnkit.write(rows[i].place, `${rank + 1}. `));
      // After the layout, before the frame is shown.
      if (before) request = requestAnimationFrame(slide);
      shown = order;
    }
    function measure() {
      before = shown && !attnkit.calm() ? tops() : null;
    }
    return { measure, sort, stop: () => cancelAnimationFrame(request) };
  }

  /** @param {Figure<State, Given>} figure */
  function build(figure) {
    const { features, titles, films } = figure.given("features", "titles", "films");
    const limit = Math.max(1, ...films.map((film) => film.reduce((sum, v) => sum + Math.abs(v), 0)));
    const rows = titles.map((title) => filmRow(title, features));
    const tastes = tasteRow(figure, features);
    const body = h("tbody", {}, ...rows.map((row) => row.element));
    const { measure, sort, stop } = ranking(rows, body);

    /** @param {State} state */
    function update({ user }) {
      const { products, scores, order } = compute({ user, films });
      tastes.numbers.forEach((number, k) => attnkit.paint(number, user[k], 1));
      rows.forEach((row, i) => fillRow(row, films[i], user, products[i], scores[i], limit));
      sort(order);
      const [best, worst] = [order[0], order[order.length - 1]];
      figure.say(
        `First: ${titles[best]}, score ${fixed(scores[best], 2, true)}. ` +
          `Last: ${titles[worst]}, ${fixed(scores[worst], 2, true)}.`,
      );
    }
    return { parts: [table(features, tastes.element, body), buttons(figure)], update, measure, stop };
  }

  attnkit.register("movie_matcher", { label: "Movie matcher", compute, build });
})(globalThis.attnkit);
