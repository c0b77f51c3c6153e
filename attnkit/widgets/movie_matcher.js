// Set a viewer's tastes; every product, the score and the ranking of the films respond.
(function (attnkit) {
  "use strict";
  const { h, fixed } = attnkit;

  // The arithmetic, compared with numpy by tests/test_widgets.py.
  function compute({ user, films }) {
    const products = films.map((film) => film.map((value, k) => value * user[k]));
    const scores = products.map((row) => row.reduce((sum, p) => sum + p, 0));
    // Scores equal to nine decimals keep the order of the list, whatever the last bit says.
    const rounded = scores.map((s) => Math.floor(s * 1e9 + 0.5));
    const order = scores.map((_, i) => i).sort((i, j) => rounded[j] - rounded[i] || i - j);
    return { products, scores, order };
  }

  function taste(value) {
    const strength = Math.abs(value) >= 0.65 ? "strongly " : Math.abs(value) >= 0.35 ? "" : "mildly ";
    const words = value > 0 ? strength + "likes it" : value < 0 ? strength + "dislikes it" : "does not care";
    return `${fixed(value, 1, true)}, ${words}`;
  }

  function render({ model, el }) {
    const features = model.get("features");
    const titles = model.get("titles");
    const films = model.get("films");
    const reach = Math.max(1, ...films.map((film) => film.reduce((sum, v) => sum + Math.abs(v), 0)));

    const sliders = features.map((name, k) =>
      attnkit.slider({
        name, min: -1, max: 1, step: 0.1, word: taste, format: (v) => fixed(v, 1, true),
        onInput(value) {
          attnkit.put(model, { user: model.get("user").map((old, j) => (j === k ? value : old)) });
        },
      }));
    const buttons = h("div", { class: "ak-buttons" },
      h("button", { type: "button", onclick: () => attnkit.put(model, { user: model.get("user").map((v) => 0 - v) }) },
        "Turn every taste around"),
      h("button", { type: "button", onclick: () => attnkit.put(model, { user: model.get("start") }) }, "Reset"));

    const rows = titles.map((title, i) => {
      const place = h("span", { class: "ak-place" });
      const cells = features.map((_, k) => {
        const product = h("strong", {});
        const factors = h("small", {});
        return { product, factors, td: h("td", {}, product, factors), k };
      });
      const score = h("strong", {});
      const bar = h("span", { class: "ak-bar", "aria-hidden": "true" });
      const tr = h("tr", {}, h("th", { scope: "row" }, place, title), ...cells.map((c) => c.td),
        h("td", { class: "ak-score" }, score, h("span", { class: "ak-track", "aria-hidden": "true" }, bar)));
      return { tr, place, cells, score, bar, i };
    });
    const body = h("tbody", {}, ...rows.map((r) => r.tr));
    const table = h("table", { class: "ak-matcher" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "film"),
        ...features.map((f) => h("th", { scope: "col" }, f)), h("th", { scope: "col" }, "score"))), body);
    const frame = attnkit.frame(model, "Movie matcher",
      h("div", { class: "ak-controls" }, ...sliders.map((s) => s.element), buttons), table);
    el.replaceChildren(frame.element);

    const moves = root.matchMedia && root.matchMedia("(prefers-reduced-motion: no-preference)");
    let shown = null;
    let frameRequest = 0;
    // Let each row slide from where it was to where it now stands; after the layout, before the frame is shown.
    function slide(before) {
      const ways = rows.map((r, i) => before[i] - r.tr.offsetTop);
      rows.forEach(({ tr }, i) => {
        if (ways[i]) tr.animate([{ transform: `translateY(${ways[i]}px)` }, { transform: "none" }], { duration: 260, easing: "ease-out" });
      });
    }
    function update() {
      // Read before anything is written: a read after a write would lay the page out twice.
      const before = shown && moves && moves.matches ? rows.map((r) => r.tr.offsetTop) : null;
      cancelAnimationFrame(frameRequest);
      const user = model.get("user");
      const { products, scores, order } = compute({ user, films });
      sliders.forEach((s, k) => s.show(user[k]));
      for (const row of rows) {
        for (const { product, factors, td, k } of row.cells) {
          attnkit.write(product, fixed(products[row.i][k], 2, true));
          attnkit.write(factors, `${fixed(user[k], 1)}×${fixed(films[row.i][k], 1)}`);
          attnkit.paint(td, products[row.i][k], 1);
        }
        const score = scores[row.i];
        attnkit.write(row.score, fixed(score, 2, true));
        // Drawn by a transform: no layout. From the middle to the right, or turned over to the left.
        attnkit.style(row.bar, "transform", `scaleX(${fixed(score / reach, 3).replace("−", "-")})`);
        attnkit.style(row.bar, "background", `var(--ak-${score < 0 ? "negative" : "positive"})`);
      }
      if (String(order) !== String(shown)) {
        // Move only the rows that are out of place.
        order.forEach((i, rank) => {
          if (body.children[rank] !== rows[i].tr) body.insertBefore(rows[i].tr, body.children[rank]);
        });
        order.forEach((i, rank) => attnkit.write(rows[i].place, `${rank + 1}. `));
        if (before) frameRequest = requestAnimationFrame(() => slide(before));
        shown = order;
      }
      const best = order[0];
      frame.say(`First: ${titles[best]}, score ${fixed(scores[best], 2, true)}. ` +
        `Last: ${titles[order[order.length - 1]]}, ${fixed(scores[order[order.length - 1]], 2, true)}.`);
    }
    const leave = attnkit.follow(model, ["user"], update);
    return () => { frame.stop(); leave(); cancelAnimationFrame(frameRequest); };
  }

  const root = globalThis;
  attnkit.figures.movie_matcher = { compute, render };
})(globalThis.attnkit);
