// Set a viewer's tastes; every product, the score and the ranking of the films respond.
((attnkit) => {
  "use strict";
  const { h, fixed } = attnkit;

  /** @typedef {{ user: number[] }} State */
  /** @typedef {{ films: Matrix, titles: string[], features: string[] }} Given */
  /** @typedef {ReturnType<typeof filmRow>} Row */

  // The arithmetic, compared with numpy by tests/figures/.
  function compute({ user, films }) {
    const products = films.map((film) => film.map((value, k) => value * user[k]));
    const scores = products.map(attnkit.sum);
    // Scores equal to nine decimals keep the order of the list, whatever the last bit says.
    const rounded = scores.map((s) => Math.floor(s * 1e9 + 0.5));
    const order = scores.map((_, i) => i).sort((i, j) => rounded[j] - rounded[i] || i - j);
    return { products, scores, order };
  }

  function taste(value) {
    const strength = Math.abs(value) >= 0.65 ? "strongly " : Math.abs(value) >= 0.35 ? "" : "mildly ";
    const words = value > 0 ? `${strength}likes it` : value < 0 ? `${strength}dislikes it` : "does not care";
    return `${fixed(value, 1, true)}, ${words}`;
  }

  // One film: its place and title, a product for each feature, its score with a bar, which reaches the end of its track
  // at the score `limit`.
  function filmRow(title, film, limit) {
    const [place, score, bar] = [h("span", {}), h("strong", {}), h("span", { class: "ak-bar" })];
    const cells = film.map(() => {
      const [product, factors] = [h("strong", {}), h("small", {})];
      return { product, factors, element: h("td", {}, product, factors) };
    });
    const track = h("span", { class: "ak-track", "aria-hidden": "true" }, bar);
    const element = attnkit.tr([place, title], ...cells, h("td", { class: "ak-score" }, score, track));
    function show(user, products, total) {
      cells.forEach((cell, k) => {
        attnkit.write(cell.product, fixed(products[k], 2, true));
        attnkit.write(cell.factors, `${fixed(user[k], 1)}×${fixed(film[k], 1)}`);
        attnkit.paint(cell.element, products[k], 1);
      });
      attnkit.write(score, fixed(total, 2, true));
      // Drawn by a transform: no layout. From the middle to the right, or turned over to the left.
      attnkit.style(bar, "transform", `scaleX(${(total / limit).toFixed(3)})`);
      attnkit.style(bar, "background", `var(--ak-${total < 0 ? "negative" : "positive"})`);
    }
    return { place, element, show };
  }

  // Keep the rows in the order of their scores; each slides to its new place, where motion is welcome.
  function ranking(rows, body) {
    let [shown, before] = /** @type {number[][]} */ ([[], []]); // their order, and where they stood
    let request = 0;
    const tops = () => rows.map(({ element }) => element.offsetTop);
    function slide() {
      tops().forEach((top, i) => {
        const frames = [{ transform: `translateY(${before[i] - top}px)` }, { transform: "none" }];
        if (before[i] !== top) rows[i].element.animate(frames, { duration: 260, easing: "ease-out" });
      });
    }
    function sort(order) {
      cancelAnimationFrame(request);
      if (String(order) === String(shown)) return;
      order.forEach((i, rank) => {
        if (body.children[rank] !== rows[i].element) body.insertBefore(rows[i].element, body.children[rank]);
        attnkit.write(rows[i].place, `${rank + 1}. `);
      });
      if (before.length) request = requestAnimationFrame(slide); // after the layout, before the frame is shown
      shown = order;
    }
    const measure = () => (before = shown.length && !attnkit.calm() ? tops() : []);
    return { measure, sort, stop: () => cancelAnimationFrame(request) };
  }

  function build(figure) {
    const { features, titles, films } = figure.given("features", "titles", "films");
    const limit = Math.max(1, ...films.map((film) => attnkit.sum(film.map(Math.abs))));
    const rows = titles.map((title, i) => filmRow(title, films[i], limit));
    // The viewer is the first row of the table: over each column stands the slider that moves it.
    const range = { min: -1, max: 1, step: 0.1, plus: true, word: taste };
    const tastes = figure.sliders({ names: features, trait: "user", ...range });
    const viewer = attnkit.tr("taste", ...tastes, "");
    viewer.className = "ak-tastes";
    const columns = ["film", ...features, "score"].map((name) => h("th", { scope: "col" }, name));
    const body = h("tbody", {}, rows);
    const table = h("table", { class: "ak-grid" }, h("thead", {}, h("tr", {}, columns), viewer), body);
    const { measure, sort, stop } = ranking(rows, body);
    const turn = figure.button("Change every sign", ({ user }) => ({ user: user.map((v) => 0 - v) }));

    function update({ user }) {
      const { products, scores, order } = compute({ user, films });
      tastes.forEach(({ output }, k) => attnkit.paint(output, user[k], 1));
      rows.forEach((row, i) => row.show(user, products[i], scores[i]));
      sort(order);
      const [best, worst] = [order[0], order[order.length - 1]];
      const [most, least] = [best, worst].map((i) => fixed(scores[i], 2, true));
      figure.say(`First: ${titles[best]}, score ${most}. Last: ${titles[worst]}, ${least}.`);
    }
    return { parts: [table, attnkit.controls(attnkit.row(turn, figure.reset()))], update, measure, stop };
  }

  attnkit.register("movie_matcher", { label: "Movie matcher", compute, build });
})(globalThis.attnkit);
