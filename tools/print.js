// The book on paper, for tools/pdf.py: `paper.drawn` gives the figures of a page as they open, where scripts run;
// `paper.ready` makes a page ready to be printed, where they do not.
(() => {
  "use strict";

  const add = (where, kind, given) => where.appendChild(Object.assign(document.createElement(kind), given));
  const words = (e) => e.textContent.trim();
  const soon = () => new Promise((resolve) => setTimeout(resolve, 50));

  // ---- figures as they open, as HTML; null for exercises, and for a picture that grows: its still has all steps

  async function alive(figure) {
    if (["practice", "growing_picture"].includes(figure.dataset.akFigure)) return null;
    figure.scrollIntoView();
    while (!figure.querySelector(".ak-figure, .ak-failed")) await soon();
    // What is drawn one after the other: seventy-two heads take a while.
    const frames = figure.querySelectorAll("canvas").length > 20 ? 80 : 12;
    for (let k = 0; k < frames; k++) await soon();
    for (const field of figure.querySelectorAll("input")) {
      field.setAttribute("value", field.value);
      field.toggleAttribute("checked", field.checked);
    }
    for (const field of figure.querySelectorAll("textarea")) field.textContent = field.value;
    for (const option of figure.querySelectorAll("option")) option.toggleAttribute("selected", option.selected);
    for (const canvas of figure.querySelectorAll("canvas")) {
      const { width, height, imageRendering } = getComputedStyle(canvas);
      const image = Object.assign(new Image(), { src: canvas.toDataURL(), className: canvas.className });
      Object.assign(image.style, { width, height, imageRendering });
      canvas.replaceWith(image);
    }
    return figure.innerHTML;
  }

  async function drawn() {
    const all = [];
    for (const figure of document.querySelectorAll("[data-ak-figure]")) all.push(await alive(figure)); // each in sight
    return all;
  }

  // ---- what is on the page

  // The faces that the tool brings stand in for the site's, and the rules for paper come last.
  function dress(css) {
    for (const sheet of document.styleSheets)
      for (let i = sheet.cssRules.length; i--; )
        if (/^@font-face.*Source S/s.test(sheet.cssRules[i].cssText)) sheet.deleteRule(i);
    add(document.head, "style", { textContent: css });
    document.documentElement.dataset.theme = "light";
  }

  function show(text, figures) {
    // The contents stand on a sheet of their own, and functions on pages that are not printed.
    for (const part of text.querySelectorAll("#the-map, #functions-and-figures, .ak-screen")) part.remove();
    [...text.querySelectorAll("[data-ak-figure]")].forEach((figure, k) => {
      if (!figures?.[k]) return;
      figure.innerHTML = figures[k];
      figure.classList.add("ak-drawn");
    });
    // Answers to what was guessed are read after it.
    for (const fold of text.querySelectorAll("details.sd-dropdown"))
      if (words(fold.querySelector("summary")) !== "Hint") fold.open = true;
  }

  // What is chosen from, for each gap; a range to guess from is no choice.
  function ask(form) {
    const lists = form.querySelectorAll("ol");
    const gap = (k) => `For the ${["first", "second", "third", "fourth"][k]} gap:`;
    if (lists.length > 1)
      lists.forEach((list, k) => {
        list.before(Object.assign(document.createElement("p"), { className: "ak-gap", textContent: gap(k) }));
      });
    for (const choice of form.querySelectorAll("li span")) {
      if (/\n/.test(words(choice))) choice.className = "ak-rows";
      else if (/^[-−\d. ]+$/.test(words(choice))) choice.textContent = words(choice).split(/ +/).join(", ");
    }
    for (const line of form.querySelectorAll("p")) if (/^From [\d,.−-]+ to /.test(words(line))) line.remove();
  }

  // ---- what is said: a page of the site is a chapter here

  function reword(text, answers) {
    const own = "p, li, figcaption";
    for (const part of text.querySelectorAll(own)) {
      if (part.closest(".ak-drawn, svg")) continue;
      for (const walk = document.createTreeWalker(part, NodeFilter.SHOW_TEXT); walk.nextNode(); ) {
        const { data } = walk.currentNode;
        walk.currentNode.data = data
          .replace(
            /\b([Oo])n (?=(the |this |one |every |each )((next|last|first|hardest) )?(\w+ )?pages?\b)/g,
            (_, o) => (o === "O" ? "In " : "in "),
          )
          .replace(/\bpage(s?)\b/g, "chapter$1")
          .replace(/(\w)'(\w)/g, "$1’$2");
      }
    }
    for (const p of text.querySelectorAll("p")) {
      if (/^Answer here, and the chapter tells you/.test(words(p)))
        p.textContent = answers ? `Solutions begin on page ${answers}.` : "";
    }
    for (const figure of text.querySelectorAll(".ak-drawn")) {
      const heading = figure.closest("section").querySelector("h2");
      const textContent = "On the website you move this figure yourself. Here it is drawn as it opens.";
      const note = Object.assign(document.createElement("p"), { className: "ak-on-paper", textContent });
      if (heading && /^Play\b/.test(words(heading))) heading.after(note);
      else if (!figure.closest(".cell").previousElementSibling?.matches(".ak-on-paper"))
        figure.closest(".cell").before(note);
    }
  }

  // ---- links: behind one to another page of the file stands the sheet that it leads to, behind a source its number

  const slug = (term) => `def-${term.toLowerCase().replace(/[^a-z0-9]+/g, "-")}`;

  function of(link) {
    const url = new URL(link.getAttribute("href"), location);
    return [url, url.pathname.slice(1).replace(/\.html$/, ""), decodeURIComponent(url.hash.slice(1))];
  }

  function lead(text, { names, base, front, told, cites }) {
    for (const link of text.querySelectorAll("a[href]")) {
      const [url, name, spot] = of(link); // in drawings, too
      if (link.matches(".ak-cites, .ak-to-term")) link.className = "ak-plain"; // no meaning pops up
      const drawing = link.closest("svg");
      if (url.origin !== location.origin) continue;
      if (!names.includes(name)) {
        if (base) link.setAttribute("href", base + url.pathname + url.hash);
        else link.removeAttribute("href");
        if (!front && !drawing && !link.closest(".ak-widget")) link.dataset.web = "";
      } else if (!drawing && cites[spot] && name.endsWith("bibliography")) link.dataset.cite = cites[spot];
      else if (!drawing && told?.[name] && url.pathname !== location.pathname) {
        // Where a term is in bold it is defined: glossary and index lead there.
        const term = link.closest("dd")?.previousElementSibling ?? link.closest("li");
        const defined = term && told[name][slug(words(term).split(/: | \(/)[0])];
        link.dataset.sheet = (spot && defined) || (told[name][spot] ?? told[name][""]);
      }
    }
  }

  // The index: each subject with the sheets of its places.
  function count(text) {
    text.classList.add("ak-index");
    for (const entry of text.querySelectorAll("li > p")) {
      const places = [...entry.querySelectorAll("a[data-sheet]")];
      entry.textContent = entry.textContent.split(": ")[0] + (places.length ? "" : "°");
      places.forEach((link, k) => {
        link.textContent = link.dataset.sheet;
        delete link.dataset.sheet;
        if (places.findIndex((other) => words(other) === words(link)) === k) entry.append(k ? ", " : "  ", link);
      });
    }
  }

  // ---- where it stands

  // Chromium notes where an element is only if a link on the page leads to it, seen or not, so each gets one.
  function mark(text) {
    for (const term of text.querySelectorAll(":is(p, li) strong:not([id])"))
      if (!document.getElementById(slug(words(term)))) term.id = slug(words(term));
    for (const { id } of text.querySelectorAll("[id]")) add(text, "a", { href: `#${id}`, hidden: true });
  }

  // What is so high that half a sheet would be left empty before it is made smaller, and what is too wide.
  function fit(text) {
    const high = ".ak-drawn, [data-ak-figure='growing_picture'] svg, figure.ak-picture > div";
    for (const figure of text.querySelectorAll(high)) {
      const part = (figure.matches(".ak-picture > div") ? 400 : 560) / figure.getBoundingClientRect().height;
      if (part < 1) figure.style.zoom = Math.max(part, figure.matches(".ak-drawn") ? 0.6 : 0.75);
    }
    for (const wide of text.querySelectorAll("figure > div, .katex-display, .ak-widget, table, pre")) {
      const part = text.clientWidth / Math.max(wide.scrollWidth, wide.offsetWidth);
      if (part < 1) wide.style.zoom = part;
    }
    for (const code of text.querySelectorAll("pre"))
      code.classList.toggle("ak-long", code.textContent.trim().split("\n").length > 45);
    for (const p of text.querySelectorAll("p")) p.classList.toggle("ak-lead", /:$|^Solutions begin on/.test(words(p)));
  }

  // Its title and its sections come back.  An article that is given takes the place of the page's own.
  async function ready({ css, article, front, title, figures, answers, ...places }) {
    await document.fonts.ready;
    dress(css);
    const text = document.querySelector(".bd-article");
    if (article) text.innerHTML = article;
    show(text, figures);
    for (const form of text.querySelectorAll('[data-ak-figure="practice"]')) ask(form);
    if (!article && /\/chapters\/(?!bibliography)|index/.test(location.pathname)) reword(text, answers);
    lead(text, places);
    if (location.pathname.endsWith("/subjects.html")) count(text);
    mark(text);
    await Promise.all([...document.fonts].filter((face) => face.family.includes("Source S")).map((f) => f.load()));
    await document.fonts.ready;
    fit(text);
    for (const link of text.querySelectorAll(".headerlink")) link.remove();
    const called = title ?? words(text.querySelector("h1"));
    const head = `@page { @top-left { content: ${JSON.stringify(called)} } } @page :first { @top-left { content: none } }`;
    if (!front) add(document.head, "style", { textContent: head });
    return {
      title: called,
      sections: [...text.querySelectorAll("h2")].map((h) => [h.id || h.parentElement.id, words(h)]),
    };
  }

  globalThis.paper = { drawn, ready };
})();
