// The pages of the built site as one long page, for tools/pdf.py to print: cover, contents, each page, and before the back
// matter the solutions. What has an id in a page goes by `page/id` here, so that links lead inside the file.
(() => {
  "use strict";

  const styles = new Set();
  const words = (e) => e.textContent.trim();
  const part = (html) => {
    const holder = document.createElement("template");
    holder.innerHTML = html;
    return holder.content.firstElementChild;
  };
  const numbered = (hash) => part(`<a class="ak-sheet" href="${hash}">000</a>`);

  // Links lead inside the file, to the site if its address is known, or are plain words.
  function lead(text, url, { names, base }) {
    for (const link of text.querySelectorAll("a[href]")) {
      const to = new URL(link.getAttribute("href"), url);
      const name = to.pathname.slice(1).replace(/\.html$/, "");
      if (to.origin !== location.origin) continue;
      if (names.includes(name)) link.setAttribute("href", `#${name}${to.hash.replace("#", "/")}`);
      else if (base) link.setAttribute("href", base + to.pathname.slice(1) + to.hash);
      else link.removeAttribute("href");
    }
  }

  // A page of the site, what is folded and belongs to the text opened.
  async function take(name, given) {
    const url = new URL(`/${name}.html`, location);
    const page = new DOMParser().parseFromString(await (await fetch(url)).text(), "text/html");
    for (const { textContent } of page.querySelectorAll("head > style"))
      if (!textContent.includes("@font-face")) styles.add(textContent);
    const text = page.querySelector(".bd-article > section");
    lead(text, url, given);
    for (const e of text.querySelectorAll("[id]:not(svg *)")) e.id = `${name}/${e.id}`;
    text.id = name;
    for (const fold of text.querySelectorAll("details.sd-dropdown:not(.ak-exercise *)")) fold.open = true;
    for (const p of text.querySelectorAll("p"))
      if (words(p).startsWith("Answer here, and the page")) p.textContent = "Solutions stand near the end of the book.";
    for (const unprinted of text.querySelectorAll(".headerlink, #index\\/the-map")) unprinted.remove();
    return text;
  }

  // The code of a solution without what checks it, and what the exercise means.
  function solve(box) {
    const title = words(box.querySelector(".exercise > .admonition-title")).replace(/^Exercise \((.*)\)$/, "$1");
    const lines = words(box.querySelector(".tag_hide-cell .cell_input pre")).split("\n");
    const checks = /^(check\(|assert |from .* import check)|^# A solution$/;
    const answer = part("<div class='ak-solution'><h3><a></a></h3><pre></pre></div>");
    Object.assign(answer.querySelector("a"), { href: `#${box.id}`, textContent: title });
    answer.querySelector("pre").textContent = lines
      .filter((line) => !checks.test(line))
      .join("\n")
      .trim();
    for (const fold of box.querySelectorAll("details.sd-dropdown"))
      if (words(fold.querySelector("summary")) === "What this means")
        answer.append(...fold.querySelector(".sd-card-body").children);
    return answer;
  }

  function solutions(texts) {
    const all = part("<section id='solutions'><h1>Solutions</h1></section>");
    for (const text of texts) {
      const boxes = text.querySelectorAll(".ak-exercise");
      if (boxes.length) all.append(part(`<h2>${words(text.querySelector("h1"))}</h2>`));
      boxes.forEach((box, k) => {
        box.id ||= `${text.id}/exercise-${k + 1}`;
        all.append(solve(box));
      });
    }
    return all;
  }

  // The index: of the places of a subject their sheets, as far as they are in this file.
  function count(index) {
    for (const told of index.querySelectorAll("dd:not(:has(+ dd))")) {
      const places = told.querySelectorAll('a[href^="#"]');
      told.textContent = told.textContent.match(/^(Also .*?\. )?/)[0];
      for (const { hash } of places) told.append(numbered(hash), " ");
      if (!places.length) told.remove();
    }
    for (const subject of index.querySelectorAll("dt:not(:has(+ dd))")) subject.remove();
  }

  // The contents; and each text has its running head.
  function list(texts, parts) {
    const contents = part("<section class='ak-contents'><h1>Contents</h1></section>");
    texts.forEach((text, k) => {
      const title = words(text.querySelector("h1"));
      if (parts[text.id] && parts[text.id] !== parts[texts[k - 1].id])
        contents.append(part(`<p class="ak-kicker">${parts[text.id]}</p>`));
      const line = contents.appendChild(part(`<p><a href="#${text.id}">${title}</a></p>`));
      line.append(numbered(`#${text.id}`));
      styles.add(`@page sheets-${k} { @top-left { content: ${JSON.stringify(title)} } }`);
      text.style.page = `sheets-${k}`;
    });
    return contents;
  }

  // Nothing is cut at the right edge.
  function fit() {
    const width = document.querySelector(".bd-article").clientWidth;
    for (const wide of document.querySelectorAll("figure > div, .katex-display, .ak-widget, table, pre")) {
      const share = width / Math.max(wide.scrollWidth, wide.offsetWidth);
      if (share < 1) wide.style.zoom = share;
    }
  }

  return async ({ names, back, parts, cover, style, base }) => {
    const texts = await Promise.all(names.map((name) => take(name, { names, base })));
    texts[0].querySelector("h1").textContent = "About this book";
    count(texts.at(-1));
    texts.splice(-back, 0, solutions(texts));
    parts.solutions = parts[names.at(-1)];
    const contents = list(texts, parts);
    const first = part(cover);
    const place = document.querySelector(".bd-article");
    for (const text of [first, contents, ...texts]) {
      const article = place.cloneNode();
      article.append(text);
      place.before(article);
    }
    place.remove();
    document.title = words(first.querySelector("h1"));
    document.documentElement.dataset.theme = "light";
    for (const textContent of [...styles, style])
      document.head.append(Object.assign(document.createElement("style"), { textContent }));
    await Promise.all([...document.fonts].map((face) => face.load().catch(() => {})));
    fit();
  };
})();
