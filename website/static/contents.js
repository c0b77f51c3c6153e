// The two contents buttons: the theme's scripts open and close; here is what they leave out. The list of chapters says whether
// it is in sight, and whoever follows a link to a place on the page stands there, not under a dialog that stayed open.
(() => {
  "use strict";
  const wide = matchMedia("(min-width: 992px)"); // where the theme shows the chapters beside the page ...
  const stops = matchMedia("(min-width: 80rem)"); // ... and where they are stops, and the list lies over it when it is asked for

  function tells(button, side, dialog) {
    const say = () => {
      const pressed = side.classList.contains("pst-sidebar-hidden");
      const shown = dialog.open || (wide.matches && pressed === stops.matches);
      button.setAttribute("aria-expanded", String(shown));
    };
    const changes = new MutationObserver(say);
    changes.observe(side, { attributeFilter: ["class"] });
    changes.observe(dialog, { attributeFilter: ["open"] });
    for (const width of [wide, stops]) width.addEventListener("change", say);
    addEventListener("keydown", ({ key }) => {
      if (key !== "Escape" || !stops.matches) return;
      if (side.contains(document.activeElement)) button.focus();
      side.classList.remove("pst-sidebar-hidden");
    });
    say();
  }

  // The list of chapters, beside the page or over it, stands where its reader is. Rectangles are measured, because an
  // offset counts from whatever happens to be positioned.
  function toHere(list) {
    const [here, box] = [list.querySelector("[aria-current]")?.getBoundingClientRect(), list.getBoundingClientRect()];
    if (here && (here.top < box.top || here.bottom > box.bottom)) list.scrollTop += here.top - box.top - box.height / 2;
  }

  function follows(dialog) {
    dialog.addEventListener("click", (event) => {
      const link = event.target.closest("a");
      if (!dialog.open || !link || link.pathname !== location.pathname) return;
      event.preventDefault();
      // The theme gives the focus back to the button first; then the place has it.
      dialog.addEventListener(
        "close",
        () => {
          location.hash = link.hash;
          const place = document.getElementById(decodeURIComponent(link.hash.slice(1)));
          place?.setAttribute("tabindex", "-1");
          place?.focus({ preventScroll: true });
        },
        { once: true },
      );
      dialog.close();
    });
  }

  // A page as slides, where its address asks for it: nobody else pays for that.
  if (new URLSearchParams(location.search).has("present")) {
    const src = document.currentScript.src.replace("contents.js", "present/present.js");
    document.head.append(Object.assign(document.createElement("script"), { src }));
  }

  // On a wide window a figure beside the text stays in sight until the next one comes, or its section ends: its cell is as
  // high as that. What is higher than the window is seen to its lower edge.
  const [HEAD, EDGE] = [64, 16]; // pixels: the page's own buttons, and what is left between a figure and others
  function stay() {
    const cells = [...document.querySelectorAll("section > :is(.ak-beside, .ak-across)")];
    for (const cell of cells) {
      cell.style.minHeight = "";
      cell.classList.remove("ak-low");
    }
    if (!stops.matches) return;
    cells.forEach((cell, k) => {
      const before = cells[k - 1]?.getBoundingClientRect().bottom ?? 0;
      cell.classList.toggle("ak-low", cell.getBoundingClientRect().top < before + EDGE);
    });
    const tops = cells.map((cell) => cell.getBoundingClientRect().top);
    const rooms = cells.map((cell, k) => {
      const within = cell.parentElement;
      const next = within.querySelector(":scope > h1") && within.querySelector(":scope > section");
      const end = next ? next.getBoundingClientRect().top : within.getBoundingClientRect().bottom;
      return Math.min(end, tops[k + 1] ?? end) - tops[k] - 2 * EDGE;
    });
    cells.forEach((cell, k) => {
      if (cell.matches(".ak-across")) return;
      const high = cell.querySelector(".cell_output").offsetHeight;
      const stays = Math.min(HEAD, innerHeight - high - 3 * EDGE);
      cell.style.minHeight = `${Math.max(0, rooms[k])}px`;
      cell.style.setProperty("--stays", `${stays}px`);
      cell.style.setProperty("--under", `${stays + high}px`);
    });
  }
  addEventListener("load", () => {
    const watch = new ResizeObserver(stay);
    for (const one of document.querySelectorAll("article, section > .ak-beside > .cell_output")) watch.observe(one);
  });

  // Without code: a switch folds the code of all cells, now and on the next pages; each is opened again by itself. What an
  // exercise has is folded anyhow, and a cell tagged keep-code stays, as it holds what the text speaks of.
  const CODE =
    "section > .cell:not(.tag_keep-code) > .cell_input, section > .cell > .cell_output > [class*=highlight-py]";
  const SUMMARY = '<summary><p class="collapsed">Show the code</p><p class="expanded">Hide the code</p></summary>';
  function fold(on) {
    for (const code of on ? document.querySelectorAll(CODE) : []) {
      const around = Object.assign(document.createElement("details"), {
        className: "hide ak-folded",
        innerHTML: SUMMARY,
      });
      code.parentElement.append(around);
      around.append(code);
    }
    for (const folded of on ? [] : document.querySelectorAll(".ak-folded")) {
      folded.parentElement.prepend(folded.lastChild);
      folded.remove();
    }
  }
  const { dataset } = document.documentElement;
  const folds = () => dataset.code === "folded"; // layout.html has read it
  for (const button of document.querySelectorAll(".ak-coded")) {
    button.ariaPressed = String(folds());
    button.addEventListener("click", () => {
      dataset.code = folds() ? "shown" : "folded";
      button.ariaPressed = String(folds());
      localStorage.setItem("code", dataset.code);
      fold(folds());
    });
  }
  fold(folds());
  addEventListener("beforeprint", () => fold(false));
  addEventListener("afterprint", () => fold(folds()));

  // Who has taken the fast lane is led along it: the way that leads off it goes, until they go on elsewhere.
  document.addEventListener("click", ({ target }) => {
    const link = target.closest?.("a");
    if (link?.closest(".ak-lane") || /fast lane/.test(link?.textContent)) sessionStorage.setItem("lane", "taken");
    else if (link?.matches(".right-next")) sessionStorage.removeItem("lane");
  });
  if (sessionStorage.getItem("lane") && document.querySelector(".ak-lane .right-next"))
    document.querySelector(".prev-next-area:not(.ak-lane) .right-next").remove();

  // What shows what it means, or stands for, without being followed.
  const TOLD = ":is(.ak-to-term, .ak-cites)";

  // A finger cannot point: its first tap on a term shows what it means, the second follows.
  document.addEventListener("click", (event) => {
    const term = event.target.closest?.(TOLD);
    const finger = event.pointerType === "touch" && !term?.classList.contains("ak-tapped");
    for (const other of document.querySelectorAll(".ak-tapped")) other.classList.remove("ak-tapped");
    if (!term || !finger) return;
    event.preventDefault();
    term.classList.add("ak-tapped");
  });

  // What a term means stands under it, as far as the page has room at its right.
  for (const come of ["mouseover", "focusin"]) {
    document.addEventListener(come, ({ target }) => {
      const term = target.closest?.(TOLD);
      const [line] = term?.getClientRects() ?? [];
      if (line) term.style.setProperty("--at", `${line.left - term.closest("p, li").getBoundingClientRect().left}px`);
    });
  }

  // A formula is copied as its TeX, once: it stands on the page in two forms, one drawn and one that is read out.
  document.addEventListener("copy", (event) => {
    const chosen = getSelection();
    if (!chosen.rangeCount || chosen.isCollapsed) return;
    const range = chosen.getRangeAt(0).cloneRange();
    const within = (node) => (node.closest ? node : node.parentElement);
    const formula = (node) => within(node)?.closest(".katex-display") ?? within(node)?.closest(".katex");
    const [first, last] = [formula(range.startContainer), formula(range.endContainer)];
    if (first) range.setStartBefore(first);
    if (last) range.setEndAfter(last);
    const copied = Object.assign(document.createElement("div"), { className: "ak-unseen" });
    copied.append(range.cloneContents());
    const formulas = copied.querySelectorAll(".katex");
    if (!formulas.length) return;
    for (const one of formulas) {
      const sign = one.closest(".katex-display") ? "$$" : "$";
      one.replaceWith(`${sign}${one.querySelector("annotation").textContent.trim()}${sign}`);
    }
    document.body.append(copied); // its lines are those of the page only while it is laid out
    event.clipboardData.setData("text/plain", copied.innerText.trim());
    event.clipboardData.setData("text/html", copied.innerHTML);
    copied.remove();
    event.preventDefault();
  });

  // How many claims are shown is a number that is read out; without scripts, one that the style counts.
  document.addEventListener("change", countClaims);
  document.addEventListener("reset", () => setTimeout(countClaims));
  document.addEventListener("DOMContentLoaded", countClaims);
  function countClaims() {
    const [place] = document.querySelectorAll(".ak-claims .ak-count");
    if (!place) return;
    const shown = [...document.querySelectorAll(".ak-claims li")].filter((row) => row.getClientRects().length).length;
    place.setAttribute("role", "status"); // and the style counts no more
    place.dataset.words ??= place.textContent;
    place.textContent = `${shown}${place.dataset.words}`;
  }

  // What a term means is shown while it is pointed at or has the focus; Escape puts it away until it is left.
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const term of document.querySelectorAll(`${TOLD}:is(:hover, :focus)`)) {
      term.classList.add("ak-hushed");
      for (const left of ["mouseleave", "blur"]) {
        term.addEventListener(left, () => term.classList.remove("ak-hushed"), { once: true });
      }
    }
  });

  document.addEventListener("DOMContentLoaded", () => {
    for (const name of ["primary", "secondary"]) {
      const [side, dialog] = ["", "-modal"].map((end) => document.getElementById(`pst-${name}-sidebar${end}`));
      const button = document.querySelector(`.${name}-toggle button`);
      if (!side || !dialog || !button) continue;
      if (name === "primary") {
        tells(button, side, dialog);
        toHere(side);
        new MutationObserver(() => dialog.open && toHere(dialog)).observe(dialog, { attributeFilter: ["open"] });
      }
      follows(dialog);
      // On a phone the button may stand behind More, which has closed over it.
      dialog.addEventListener("close", () => button.checkVisibility() || document.querySelector(".ak-rest")?.focus());
    }
  });
})();
