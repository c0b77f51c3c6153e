// How far a reader has come: what was answered or begun, which exercises are right, and where they stopped. Kept in this
// browser alone, under one key; where nothing can be kept, the page is as it is without this script.
(() => {
  "use strict";
  const [KEY, VERSION] = ["attention-step-by-step", 1];

  // { version, right: { page: [exercise, ...] }, typed: { name: [answer, checked] }, seen: [page, ...],
  //   last: { page, title, hash } }
  function read() {
    try {
      const kept = JSON.parse(localStorage.getItem(KEY));
      if (kept.version === VERSION && kept.right) return kept;
    } catch {}
    return { version: VERSION, right: {} };
  }
  function write(kept) {
    try {
      localStorage.setItem(KEY, JSON.stringify(kept));
    } catch {}
  }

  const find = (selector) => [...document.querySelectorAll(selector)];
  const element = (tag, props, ...children) => {
    const made = Object.assign(document.createElement(tag), props);
    made.append(...children);
    return made;
  };

  // The list of chapters names each page, and how many exercises stand there.
  const [here] = find("a[data-ak-page][aria-current]");
  const links = find("a[data-ak-page]").map((link) => ({
    link,
    page: link.dataset.akPage,
    asks: Number(link.dataset.akAsks),
  }));
  const done = (kept, { page, asks }) => Math.min(kept.right[page]?.length ?? 0, asks);

  // A small sign after a link or a title, and what it means.
  function mark(place, sign, words) {
    place.querySelector(".ak-done")?.remove();
    if (!sign) return;
    const seen = element("span", { ariaHidden: "true" }, sign);
    place.append(
      element("span", { className: "ak-done" }, seen, element("span", { className: "ak-unseen" }, ` ${words}`)),
    );
  }

  function show() {
    const kept = read();
    for (const one of links) {
      const [count, words] = [done(kept, one), `${done(kept, one)} of ${one.asks} answered`];
      mark(one.link, count ? (count < one.asks ? `${count}/${one.asks}` : "✓") : "", words);
      if (one.link === here) for (const place of find(".ak-answered")) place.textContent = `${words}.`;
    }
    // What was read to its end: in the list, on the small map and on the cover's.
    const seen = new Set(kept.seen);
    for (const { link, page } of links) link.classList.toggle("ak-read", seen.has(page));
    for (const stop of find("[data-ak-stop]")) stop.classList.toggle("ak-read", seen.has(stop.dataset.akStop));
    // The cards that are done.
    for (const card of find(".ak-exercise")) {
      const { name } = JSON.parse(card.querySelector("[data-ak-state]").dataset.akState);
      const done = kept.typed?.[name] && kept.right[here?.dataset.akPage]?.includes(name.split("/")[1]);
      mark(card.querySelector(".admonition-title"), done ? "✓" : "", "answered");
    }
    // The side rooms count, which the list does not name on every page.
    const all = Number(find("nav[data-ak-asks]")[0]?.dataset.akAsks);
    const sum = Math.min(all, Object.values(kept.right).flat().length);
    for (const place of find(".ak-progress")) cover(place, kept, `You have answered ${sum} of ${all} exercises. `, sum);
  }

  // On the cover: how much is done, where one stopped, and a way to forget both.
  function cover(place, { last, typed = {} }, words, any) {
    place.replaceChildren();
    if (!any && !last && !Object.keys(typed).length) return;
    if (any) place.append(words);
    if (last?.page) {
      const name = last.name ?? links.find(({ page }) => page === last.page)?.link.firstChild.textContent ?? "a page";
      const href = `${last.page}.html${last.hash}`; // the cover lies above all pages
      place.append("You stopped at ", element("a", { href }, `${name}, ${last.title}`), ". ");
    }
    const onclick = () => {
      if (!confirm("Forget all that you have read and answered?")) return;
      write({});
      show();
    };
    place.append(element("button", { type: "button", onclick }, "Forget my answers"));
  }

  // Where the reader is: the last heading that has come into the upper half of the window.
  addEventListener("pagehide", () => {
    const passed = find("article section > h2").filter((h) => h.getBoundingClientRect().top < innerHeight / 2);
    const title = passed[passed.length - 1];
    if (!here || !title) return;
    const { dataset, firstChild } = here;
    const last = {
      page: dataset.akPage,
      name: firstChild.textContent,
      title: title.firstChild.textContent,
      hash: `#${title.parentNode.id}`,
    };
    write({ ...read(), last });
  });
  // A page was read when its last heading has been in sight.
  const ends = here ? find("article section > h2").slice(-1) : [];
  const watch = new IntersectionObserver((found) => {
    if (!found.some((one) => one.isIntersecting)) return;
    watch.disconnect();
    const kept = read();
    const [page, seen] = [here.dataset.akPage, kept.seen ?? []];
    if (seen.includes(page)) return;
    write({ ...kept, seen: [...seen, page] });
    show();
  });
  for (const end of ends) watch.observe(end);
  // An exercise comes to life: it is given back what was answered.
  document.addEventListener("attnkit-asked", ({ detail: { name, again } }) => {
    try {
      again(...read().typed[name]);
    } catch {} // there is nothing, or nothing that fits
  });
  // Once right it stays so until the answer is taken back.
  document.addEventListener("attnkit-answer", ({ detail: { name, answer, checked, right, open } }) => {
    const kept = read();
    if (!here) return;
    const [page, one] = [here.dataset.akPage, name.split("/")[1]];
    const before = kept.right[page] ?? [];
    const known = before.includes(one);
    kept.typed = { ...kept.typed, [name]: open ? undefined : [answer, checked] };
    if (right && !known) kept.right[page] = [...before, one];
    if (open) kept.right[page] = before.filter((other) => other !== one);
    write(kept);
    if (open ? known : right && !known) show();
  });
  show();
  addEventListener("pageshow", show);
})();
