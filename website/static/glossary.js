// The field of the glossary: as one types, the entries that are called so remain, or else those that speak of it.
(() => {
  "use strict";

  /** Words as they are compared: a space before each; of a formula its letters. */
  const plain = (text) =>
    text
      .normalize("NFKD")
      .replace(/\\\w+|[\p{M}{}'’]/gu, "")
      .toLowerCase()
      .replace(/^[^\p{L}\p{N}]*|[^\p{L}\p{N}]+/gu, " ");

  /** What an element says; a formula says it three times, once as it is typed. */
  function said(element) {
    const copy = element.cloneNode(true);
    for (const formula of copy.querySelectorAll(".katex"))
      formula.textContent = formula.querySelector("annotation").textContent;
    return copy.textContent;
  }

  const form = document.querySelector(".ak-search");
  const [field, status] = form.querySelectorAll("input, p");
  const entries = [...document.querySelectorAll(".ak-glossary dt, article tbody tr")].map((first) => {
    const parts = [first];
    while (parts.at(-1).nextElementSibling?.matches("dd")) parts.push(parts.at(-1).nextElementSibling);
    const name = first.matches("tr") ? [...first.cells].slice(0, 2) : [first];
    return { parts, name: plain(name.map(said).join(" ")), whole: plain(parts.map(said).join(" ")) };
  });

  form.hidden = false;
  field.addEventListener("input", () => {
    const asked = field.value.trim().split(/\s+/).map(plain);
    const having = (what) => entries.filter((entry) => asked.every((word) => entry[what].includes(word.trimEnd())));
    const called = having("name");
    const found = called.length ? called : having("whole");
    for (const entry of entries) for (const part of entry.parts) part.hidden = !found.includes(entry);
    status.textContent =
      field.value.trim() && `${found.length} of ${entries.length} entries. Enter looks into the whole book.`;
  });
})();
