// The book on paper, for tools/pdf.py: `paper.drawn` gives the figures of a page as they open, where scripts run;
// `paper.ready` makes a page ready to be printed, where they do not.
(() => {
  "use strict";

  const add = (where, kind, given) => where.appendChild(Object.assign(document.createElement(kind), given));
  const words = (e) => e.textContent.trim();
  const paragraph = (className, textContent) => Object.assign(document.createElement("p"), { className, textContent });
  const called = (fold) => words(fold.querySelector("summary"));
  const soon = () => new Promise((resolve) => setTimeout(resolve, 50));

  // Paper does not scroll.
  const WHOLE = `
    [data-ak-kind=chat] .ak-box, [data-ak-kind=machine] .ak-panel { height: auto !important; max-height: none !important }
    [data-ak-kind=sentence_translator] .ak-room, [data-ak-kind=head_maps] .ak-large { overflow: visible }
    [data-ak-kind=story_writer] { .ak-sides { grid-template-columns: minmax(0, 1fr) 37rem }
      .ak-strips { --cell: calc(100cqw / var(--count)) } }`;

  // ---- figures as they open, and after what the text asks for, as HTML of a width; null for exercises, and for a picture
  // that grows, whose still has all steps

  const SLOW = ["story_writer", "switched_story", "machine", "part_mover", "chat", "cut_heads", "head_maps"];

  // The part of a large figure that an act of the text is about.
  const CHANGES = {
    machine: ".ak-panel",
    head_maps: ".ak-large",
    story_writer: ".ak-sides > :first-child",
    chat: ".ak-both > :first-child",
  };

  // What one sees of a figure now, as a still: all of it, or the part that changes.
  async function still(figure, part) {
    figure.scrollIntoView();
    while (!figure.querySelector(".ak-figure, .ak-failed")) await soon();
    // What is drawn one after the other: seventy-two heads take a while.
    const frames =
      figure.querySelectorAll("canvas").length > 20 ? 80 : SLOW.includes(figure.dataset.akFigure) ? 24 : 10;
    for (let k = 0; k < frames; k++) await soon();
    const copy = figure.cloneNode(true);
    const both = (selector) => {
      const copies = copy.querySelectorAll(selector);
      return [...figure.querySelectorAll(selector)].map((own, k) => [own, copies[k]]);
    };
    for (const [field, drawn] of both("input")) {
      drawn.setAttribute("value", field.value);
      drawn.toggleAttribute("checked", field.checked);
    }
    for (const [field, drawn] of both("textarea")) drawn.textContent = field.value;
    for (const [option, drawn] of both("option")) drawn.toggleAttribute("selected", option.selected);
    for (const [canvas, drawn] of both("canvas")) {
      const { width, height, imageRendering } = getComputedStyle(canvas);
      const image = Object.assign(new Image(), { src: canvas.toDataURL(), className: canvas.className });
      Object.assign(image.style, { width, height, imageRendering });
      drawn.replaceWith(image);
    }
    const all = { html: copy.innerHTML, width: figure.clientWidth };
    if (!part) return all;
    const [here, its] = [figure, figure.querySelector(part)].map((e) => e.getBoundingClientRect());
    return { ...all, part: { x: its.x - here.x, y: its.y - here.y, width: its.width, height: its.height } };
  }

  async function drawn() {
    add(document.head, "style", { textContent: WHOLE });
    const all = [];
    for (const figure of document.querySelectorAll("[data-ak-figure]"))
      all.push(["practice", "growing_picture"].includes(figure.dataset.akFigure) ? null : await still(figure)); // in sight
    return all;
  }

  // What is seen of a figure, to tell whether it is the same: its words, its lines and its pictures.
  function looks(figure, part) {
    const seen = part ? figure.querySelector(part) : figure;
    const lines = [...seen.querySelectorAll("path, rect, circle, line, [style]")].map((e) =>
      ["d", "x", "y", "cx", "cy", "width", "height", "transform", "style"].map((name) => e.getAttribute(name)).join(),
    );
    const pictures = [...seen.querySelectorAll("canvas")].map((canvas) => canvas.toDataURL());
    const said = seen.cloneNode(true);
    for (const live of said.querySelectorAll(".ak-live, .ak-unseen")) live.remove();
    return [said.textContent, ...lines, ...pictures].join("|");
  }

  // After each act of the text, one after the other, as a reader does them, from the beginning in each section; null where
  // nothing is seen that was not seen.
  async function acted() {
    const all = [];
    const [seen, last] = [new Set(), new Map()];
    for (const act of document.querySelectorAll("[data-ak-act]")) {
      const figure = document.getElementById(JSON.parse(act.dataset.akAct).of);
      // The one has its steps already; in the other an act only begins what the text is about.
      if (["growing_picture", "matrix_trainer"].includes(figure.dataset.akFigure)) {
        all.push(null);
        continue;
      }
      const part = CHANGES[figure.dataset.akFigure];
      const [section, told] = [act.closest("section"), act.closest("li, p").textContent];
      const before = told.split(act.textContent)[0];
      if (!last.has(figure)) {
        await still(figure, part);
        seen.add(looks(figure, part));
      } else if (last.get(figure) !== section || /\bReset\b/.test(before)) figure.querySelector(".ak-reset")?.click();
      last.set(figure, section);
      act.click();
      if (/let it write/.test(told)) [...figure.querySelectorAll("button")].find((b) => words(b) === "Write")?.click();
      const now = await still(figure, part);
      const look = looks(figure, part);
      all.push(seen.has(look) ? null : now);
      seen.add(look);
    }
    return all;
  }

  // What is said after each exercise, as HTML, or nothing.
  const meant = () =>
    [...document.querySelectorAll(".ak-exercise")].map((box) => {
      const folds = [...box.querySelectorAll("details.sd-dropdown")].filter(
        (fold) => called(fold) === "What this means",
      );
      return folds.map((fold) => fold.querySelector(".sd-card-body").innerHTML).join("");
    });

  // ---- what is on the page

  // The faces that the tool brings stand in for the site's, and the rules for paper come last.
  function dress(css) {
    // What is a canvas where scripts run is an image here.
    for (const own of document.querySelectorAll("style"))
      if (/\bcanvas\b/.test(own.textContent))
        add(document.head, "style", { textContent: own.textContent.replace(/\bcanvas\b/g, "img") });
    for (const sheet of document.styleSheets)
      for (let i = sheet.cssRules.length; i--; )
        if (/^@font-face.*Source S/s.test(sheet.cssRules[i].cssText)) sheet.deleteRule(i);
    add(document.head, "style", { textContent: css + WHOLE });
    document.documentElement.dataset.theme = "light";
  }

  function place(figure, { html, width, part }) {
    const whole = part ? add(figure, "div", { className: "ak-whole-figure" }) : figure;
    whole.innerHTML = html;
    figure.classList.add("ak-still");
    whole.style.width = `${width}px`; // as it was drawn: whoever lays it out anew moves its parts apart
    if (!part) return;
    const edge = 10;
    Object.assign(figure.style, { width: `${part.width + 2 * edge}px`, height: `${part.height + 6 * edge}px` });
    whole.style.margin = `${edge - part.y}px 0 0 ${edge - part.x}px`;
  }

  // What is seen after each act: below its words, or below the figure if that comes after them in their section.
  function follow(text, states) {
    const ends = new Map();
    [...text.querySelectorAll("[data-ak-act]")].forEach((act, k) => {
      if (!states?.[k]) return;
      const { of } = JSON.parse(act.dataset.akAct);
      const figure = document.getElementById(of);
      const near = figure.closest("section") === act.closest("section");
      const later = act.compareDocumentPosition(figure) & Node.DOCUMENT_POSITION_FOLLOWING;
      const block = near && later ? figure.closest(".cell") : (act.closest("ul, ol") ?? act.closest("p"));
      const item = act.closest("ol > li");
      const number = item ? `${[...item.parentElement.children].indexOf(item) + 1}. ` : "";
      if (!ends.has(block)) {
        ends.set(block, Object.assign(document.createElement("div"), { className: "ak-states" }));
        block.after(ends.get(block));
      }
      const state = add(ends.get(block), "div", { className: states[k].part ? "ak-state ak-part" : "ak-state" });
      add(state, "p", { className: "ak-under", textContent: number });
      add(state.lastChild, "em", { textContent: words(act) });
      const drawing = add(state, "div", { className: "ak-widget" });
      drawing.dataset.akFigure = figure.dataset.akFigure;
      place(drawing, states[k]);
    });
  }

  function show(text, figures, states) {
    // The contents stand on a sheet of their own, and functions on pages that are not printed.
    for (const part of text.querySelectorAll("#the-map, #functions-and-figures, .ak-screen")) part.remove();
    [...text.querySelectorAll("[data-ak-figure]")].forEach((figure, k) => {
      if (!figures?.[k]) return;
      place(figure, figures[k]);
    });
    follow(text, states);
    // Answers to what was guessed are read after it, those to exercises among the solutions.
    for (const fold of text.querySelectorAll("details.sd-dropdown:not(.ak-exercise *)")) {
      if (called(fold) === "What you should have seen")
        fold.querySelector(".sd-summary-text").textContent = "What happens";
      fold.open = called(fold) !== "Hint";
    }
    // A picture that grows: its caption next to it, and of two drawings, before and after, both.
    for (const figure of text.querySelectorAll("[data-ak-figure='growing_picture']")) {
      const { pictures, sentences } = JSON.parse(figure.dataset.akState);
      const [list, caption] = [
        figure.querySelector("ol"),
        [...figure.querySelectorAll(":scope > p:not(:has(small))")].pop(),
      ];
      if (caption) caption.className = "ak-under";
      if (caption && list) list.before(caption);
      const both = pictures.length === 2;
      if (both) {
        figure.querySelector(".ak-picture").insertAdjacentHTML("beforebegin", pictures[0]);
        list?.remove();
        figure.querySelectorAll(".ak-picture").forEach((one, k) => {
          one.after(paragraph("ak-under", sentences[k]));
        });
      }
      const how = both ? "Here are its two steps." : "Here is its last step, and what is said at each.";
      figure.prepend(paragraph("ak-on-paper", `On the website, this picture grows. ${how}`));
    }
  }

  // What is chosen from, for each gap; a range to guess from is no choice.
  function ask(form) {
    const lists = form.querySelectorAll("ol");
    const before = (e, words) => e.before(paragraph("ak-gap", words));
    if (form.querySelector("pre") && form.closest(".ak-exercise")?.querySelector(".exercise pre"))
      before(form.querySelector("pre"), "To fill in:");
    const gap = (k) => `For the ${["first", "second", "third", "fourth"][k]} gap:`;
    if (lists.length > 1)
      lists.forEach((list, k) => {
        before(list, gap(k));
      });
    for (const choice of form.querySelectorAll("li span")) {
      if (/\n/.test(words(choice))) choice.className = "ak-rows";
      else if (/^[-−\d. ]+$/.test(words(choice))) choice.textContent = words(choice).split(/ +/).join(", ");
    }
    for (const line of form.querySelectorAll("p")) {
      if (!/^From [\d,.−-]+ to /.test(words(line))) continue;
      Object.assign(line, { className: "ak-gap", textContent: "Your guess: ____________" });
    }
  }

  // ---- what is said: a page of the site is a chapter here

  function reword(text, answers) {
    const own = "p, li, figcaption";
    for (const part of text.querySelectorAll(own)) {
      if (part.closest(".ak-still, svg")) continue;
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
      if (/^Back to .* where this trip began/.test(words(p))) p.remove();
      if (/^Answer here, and the chapter tells you/.test(words(p)))
        p.textContent = answers ? `Solutions begin on page ${answers}.` : "";
    }
    for (const figure of text.querySelectorAll(".ak-still:not(.ak-state *)")) {
      const followed = text.querySelector(`.ak-state [data-ak-figure="${figure.dataset.akFigure}"]`);
      const heading = figure.closest("section").querySelector("h2");
      const more = followed ? "; what the text asks for is drawn in smaller pictures" : "";
      const note = paragraph(
        "ak-on-paper",
        `On the website you move this figure yourself. Here it is drawn as it opens${more}.`,
      );
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

  // The index: each subject with the sheets of its places, if it has some.
  function count(text, told) {
    const answers = told?.solutions?.[""];
    text.classList.add("ak-index");
    for (const entry of text.querySelectorAll("li > p")) {
      if (answers && /^answers to the exercises/.test(words(entry))) {
        const textContent = "Solutions";
        const link = Object.assign(document.createElement("a"), { href: "/solutions.html", textContent });
        entry.append(link);
        link.dataset.sheet = answers;
      }
      const places = [...entry.querySelectorAll("a[data-sheet]")];
      places.sort((a, b) => a.dataset.sheet - b.dataset.sheet);
      if (!places.length) {
        entry.parentElement.remove();
        continue;
      }
      entry.textContent = entry.textContent.split(": ")[0];
      places.forEach((link, k) => {
        link.textContent = link.dataset.sheet;
        delete link.dataset.sheet;
        if (places.findIndex((other) => words(other) === words(link)) === k) entry.append(k ? ", " : "  ", link);
      });
    }
    for (const list of text.querySelectorAll("ul:not(:has(li))")) {
      list.previousElementSibling?.remove(); // its letter
      list.remove();
    }
  }

  // The bibliography: what is cited on paper, counted anew.
  function cut(text, cites) {
    for (const one of text.querySelectorAll(".citation")) {
      const number = cites[one.id];
      if (!number) one.remove();
      else one.querySelector(".label").textContent = `[${number}]`;
    }
  }

  // Chapters and exercises have numbers.
  function enumerate(text, number) {
    const [above, title] = [text.querySelector(".ak-kicker"), text.querySelector("h1")];
    if (!number || !title) return;
    if (above) above.textContent += ` · Chapter ${number}`;
    else title.before(paragraph("ak-kicker", `Chapter ${number}`));
    text.querySelectorAll(".ak-exercise").forEach((box, k) => {
      const heading = box.querySelector(".exercise > .admonition-title");
      heading.textContent = words(heading).replace(/^Exercise/, `Exercise ${number}.${k + 1}`);
      box.id = `exercise-${k + 1}`;
    });
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
    for (const figure of text.querySelectorAll(".ak-still")) {
      // Two rows of parts on a sheet.
      const part = figure.closest(".ak-part") && Math.min(0.62, 400 / figure.offsetHeight);
      const most = part || (figure.closest(".ak-state") ? 0.58 : 0.8);
      figure.style.zoom = Math.min(most, text.clientWidth / figure.offsetWidth); // letters nearly as large as the text's
      // More than the site's rules for print; what follows has one left edge.
      if (!figure.closest(".ak-state")) figure.style.setProperty("margin-inline", "auto", "important");
    }
    const high = "[data-ak-figure='growing_picture'] > div:has(svg), figure.ak-picture > div";
    for (const figure of text.querySelectorAll(high)) {
      const part = (figure.matches(".ak-picture > div") ? 400 : 560) / figure.getBoundingClientRect().height;
      if (part < 1) figure.style.zoom = Math.max(part, 0.75);
    }
    for (const wide of text.querySelectorAll("figure > div, .katex-display, .ak-widget:not(.ak-still), table, pre")) {
      if (wide.closest(".ak-still")) continue;
      const part = text.clientWidth / Math.max(wide.scrollWidth, wide.offsetWidth);
      if (part < 1) wide.style.zoom = part;
    }
    for (const code of text.querySelectorAll("pre"))
      code.classList.toggle("ak-long", code.textContent.trim().split("\n").length > 24);
    // An exercise is one, unless it is as high as a sheet, and so is an answer.
    for (const fold of text.querySelectorAll("details[open]"))
      if (fold.offsetHeight < 400) fold.style.breakInside = "avoid";
    for (const box of text.querySelectorAll(".ak-exercise"))
      if (box.offsetHeight < 850) Object.assign(box.style, { breakInside: "avoid", boxDecorationBreak: "slice" });
    for (const p of text.querySelectorAll("p")) p.classList.toggle("ak-lead", /:$|^Solutions begin on/.test(words(p)));
  }

  // The blocks that a page consists of: where each begins and ends, whether the next may not leave it, and what could fill
  // a sheet that would be left empty before it: how high a picture or an exercise is that may be made smaller, by how much
  // at most, or the code above what it gives.
  const BLOCKS = "section:not(.ak-exercise section) > :not(section)";
  const drawing = (block) =>
    block.matches(".ak-exercise")
      ? block
      : block.querySelector(
          ".ak-still:not(.ak-state *), figure.ak-picture > div, [data-ak-figure='growing_picture'] > div:has(svg)",
        );
  function blocks(text) {
    return [...text.querySelectorAll(BLOCKS)].map((block, k) => {
      block.id ||= `block-${k}`;
      const { top, bottom, height } = block.getBoundingClientRect();
      const code = block.querySelector(":scope > .cell_input:not(details *)");
      return {
        id: block.id,
        top,
        bottom,
        high: height,
        stays: block.matches("h1, h2, h3, .ak-kicker, .ak-lead, .ak-on-paper"),
        leads: block.matches(".ak-lead"),
        picture: drawing(block)?.getBoundingClientRect().height ?? 0,
        least: drawing(block) === block ? 0.9 : 0.68,
        code: code && block.querySelector(".cell_output :is(svg, img)") ? code.getBoundingClientRect().height : 0,
      };
    });
  }

  // What was found for blocks that left a sheet empty: a picture smaller by a factor, or free to leave what stands with it.
  function adjust(text, found) {
    const all = [...text.querySelectorAll(BLOCKS)];
    for (const [id, factor] of Object.entries(found)) {
      const block = all.find((one, k) => (one.id || `block-${k}`) === id);
      if (!factor) block.classList.add("ak-apart");
      else drawing(block).style.zoom = factor * (Number(drawing(block).style.zoom) || 1);
    }
  }

  // Its title and its sections come back.  An article that is given takes the place of the page's own.
  async function ready({ css, article, front, title, number, figures, states, answers, found, ...places }) {
    await document.fonts.ready;
    dress(css);
    const text = document.querySelector(".bd-article");
    const formula = text.querySelector("div.math");
    if (article) text.innerHTML = article;
    text.querySelector(".ak-formula")?.append(formula); // the cover is that of the first page
    show(text, figures, states);
    for (const form of text.querySelectorAll('[data-ak-figure="practice"]')) ask(form);
    if (!article && /\/chapters\/(?!bibliography)|index/.test(location.pathname)) reword(text, answers);
    enumerate(text, number);
    lead(text, places);
    if (location.pathname.endsWith("/subjects.html")) count(text, places.told);
    if (location.pathname.endsWith("/bibliography.html")) cut(text, places.cites);
    await Promise.all([...document.fonts].filter((face) => face.family.includes("Source S")).map((f) => f.load()));
    await document.fonts.ready;
    fit(text);
    adjust(text, found);
    const parts = front ? [] : blocks(text);
    mark(text);
    for (const link of text.querySelectorAll(".headerlink")) link.remove();
    const name = title ?? words(text.querySelector("h1"));
    const above = JSON.stringify(number ? `${number}  ${name}` : name);
    const head = `@page { @top-left { content: ${above} } } @page :first { @top-left { content: none } }`;
    if (!front) add(document.head, "style", { textContent: head });
    return {
      title: name,
      parts,
      cited: [...text.querySelectorAll("a[data-cite]")].map((link) => of(link)[2]),
      sections: [...text.querySelectorAll("h2")].map((h) => [h.id || h.parentElement.id, words(h)]),
    };
  }

  globalThis.paper = { drawn, acted, meant, ready };
})();
