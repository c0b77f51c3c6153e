// The search page. The sections of the book are in sections.js; MiniSearch finds the words in them, and the rules here say
// what comes first: a place that defines what was asked, then one that is called so, then one that speaks of it; the road
// before side rooms, both before the package's pages.
(() => {
  "use strict";

  // Words that tell no section from another, and those with which people begin a question.
  const EMPTY = new Set(
    (
      "a an the of to in on at by for with from into and or not no is are be was do does did it its this that these there " +
      "what which who whose when where why how can i my me you your we if as so than then they them get use used using vs versus difference between explain explained meaning mean doesnt dont isnt cant"
    ).split(" "),
  );
  // What people type and what the book writes.
  const SAME = [
    [/√/g, " sqrt "],
    [/ᵀ|⊤/g, "^T"],
    [/\b(root|square root)\b/g, "$1 sqrt"],
    [/\bmax(?:imum)? len(?:gth)?\b/g, "max_length"],
  ];
  const ROOMS = { chapters: 1.5, further: 1, reference: 0.8, index: 1 };
  const LISTS = /^(reference\/(claims|subjects|letters|gallery|licences)|chapters\/bibliography)\./; // each names everything
  const ASIDE = /^(In one paragraph|Exercises|Side trips|The map|Checkpoint.*)$/; // they speak of everything, and explain nothing
  const BOOST = { defines: 10, tells: 4, heading: 6, page: 3, symbols: 3, code: 0.5, text: 1 };

  /** The words of a text: a joined one (`d_k`, `key-value`, `SoftmaxExplorer`) as a whole, and its parts. */
  function words(text) {
    const found = [];
    for (const [typed, written] of SAME) text = text.replace(typed, written);
    for (const [word] of text.normalize("NFC").matchAll(/[\p{L}\p{N}]+(?:[-_^.'’][\p{L}\p{N}]+)*/gu)) {
      const parts = word.replace(/(\p{Ll})(\p{Lu}\p{Ll})/gu, "$1 $2").split(/[-_^.'’ ]/);
      found.push(word.replaceAll(/[-.'’]/g, ""));
      if (parts.length > 1) found.push(...parts.filter((part) => part.length > 1));
    }
    return found;
  }

  const stems = new Map();
  const stemmer = new Stemmer();

  /** A word as it is looked up: small, its stem, British and American spelling alike; nothing if it is empty. */
  function term(word) {
    const small = word.toLowerCase();
    if (EMPTY.has(small)) return null;
    if (!stems.has(small)) {
      const one = small.replace(/is(e|ed|es|er|ers|ing|ation|ations)$/, "iz$1").replace(/our$/, "or");
      stems.set(small, /^[a-z]+$/.test(one) ? stemmer.stemWord(one) : one);
    }
    return stems.get(small);
  }

  let index = null;
  const seen = new Map(); // every word of the book, and how often
  const known = new Set(); // the stems of them

  /** MiniSearch's index, made at the first question: half a second of work. */
  function made() {
    if (index) return index;
    index = new MiniSearch({
      fields: Object.keys(BOOST),
      storeFields: ["at"],
      tokenize: words,
      processTerm: (word) => {
        const small = word.toLowerCase();
        seen.set(small, (seen.get(small) ?? 0) + 1);
        known.add(term(small));
        return term(small);
      },
      searchOptions: { processTerm: term },
    });
    index.addAll(bookSections.map((section, id) => ({ id, ...section, ...joined(section) })));
    return index;
  }

  /** How many letters are wrong, missing, too many or exchanged with a neighbour. */
  function slips(typed, meant) {
    const rows = [];
    for (let i = 0; i <= typed.length; i++) {
      rows.push([i]);
      for (let j = 1; j <= meant.length; j++) {
        const same = Number(typed[i - 1] === meant[j - 1]);
        const last = i ? Math.min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + 1 - same) : j;
        const turned = i > 1 && j > 1 && typed[i - 1] === meant[j - 2] && typed[i - 2] === meant[j - 1];
        rows[i].push(turned ? Math.min(last, rows[i - 2][j - 2] + 1) : last);
      }
    }
    return rows[typed.length][meant.length];
  }

  /** A question with words that the book has in place of those that it has not and that are one or two letters off. */
  function corrected(question) {
    made();
    return question.replace(/\p{L}{5,}/gu, (typed) => {
      const small = typed.toLowerCase();
      if (EMPTY.has(small) || known.has(term(small)) || [...seen.keys()].some((word) => word.startsWith(small)))
        return typed;
      const near = [...seen.keys()].filter((word) => word[0] === small[0] && Math.abs(word.length - small.length) < 3);
      const ranked = near
        .map((word) => ({ word, off: slips(small, word) }))
        .filter(({ off }) => off <= (small.length > 7 ? 2 : 1));
      ranked.sort((one, other) => one.off - other.off || seen.get(other.word) - seen.get(one.word));
      return ranked[0]?.word ?? typed;
    });
  }

  /** Names, each of which is a list of words, as one text. */
  function joined(section) {
    return { defines: (section.defines ?? []).join(", "), tells: (section.tells ?? []).join(", ") };
  }

  /** The sections that answer a question, the best first. */
  function ranked(typed) {
    const question = corrected(typed);
    const options = {
      boost: BOOST,
      prefix: (word) => word.length > 3,
      weights: { fuzzy: 0, prefix: 0.4 },
      boostDocument: (id) => worth(bookSections[id], question),
    };
    const asked = new Set(words(question).map(term).filter(Boolean)).size;
    // Who has all the words of a question comes before who has some of them often.
    const found = made()
      .search(question, options)
      .map((result) => {
        const part = new Set(result.queryTerms).size / asked;
        return { ...bookSections[result.id], terms: result.terms, question, part, worth: result.score * part * part };
      });
    return found.sort((one, other) => other.worth - one.worth);
  }

  /** How much a section counts: its room, whether it explains, and whether it is called what was asked. */
  function worth(section, question) {
    const room = ROOMS[section.at.split(/[/.]/)[0]] ?? 1;
    const asked = key(question);
    const exact = [section.heading, ...(section.defines ?? []), ...names(section)].some((name) => key(name) === asked);
    const aside = ASIDE.test(section.heading) || LISTS.test(section.at);
    return room * (aside ? 0.3 : 1) * (exact ? 4 : 1);
  }

  /** The last part of a function's full name. */
  function names(section) {
    return /^attnkit\./.test(section.heading) ? [section.heading.split(".").at(-1)] : [];
  }

  /** What a question or a heading comes down to. */
  function key(text) {
    return words(text).map(term).filter(Boolean).sort().join(" ");
  }

  // ---- the page

  const SHOWN = 20;

  /** The sentence of a section that has most of the words, or its first. */
  function sentence(section) {
    const said = section.text ?? "";
    const all = said.match(/[^.!?:]+(?:[.!?:](?!\s)[^.!?:]*)*[.!?:]*\s*/g) ?? [said];
    const hits = (one) =>
      new Set(
        words(one)
          .map(term)
          .filter((word) => section.terms.includes(word)),
      ).size;
    const best = all.reduce((best, one) => (hits(one) > hits(best) ? one : best), all[0] ?? "");
    // The page does not say the word: the index of subjects has brought us here.
    const name = [...(section.defines ?? []), ...(section.tells ?? [])].find((one) => hits(one) > hits(best));
    if (name) return `Found under “${name}”.`;
    return best.length > 260 ? `${best.slice(0, 250).replace(/\s\S*$/, "")} …` : best.trim();
  }

  /** An element with the words that were found marked in it. */
  function marked(kind, said, terms) {
    const place = document.createElement(kind);
    for (const part of said.split(/([\p{L}\p{N}]+)/u)) {
      const found = part && terms.includes(term(part));
      place.append(found ? Object.assign(document.createElement("mark"), { textContent: part }) : part);
    }
    return place;
  }

  /** One thing found: where it is, and the sentence in which. */
  function shown(section) {
    const item = document.createElement("li");
    const link = marked("a", section.heading, section.terms);
    link.href = section.at;
    const room = { further: "side room of ", reference: "reference: " }[section.at.split("/")[0]] ?? "";
    const page = section.page.replace(/, further$/, "");
    const where = Object.assign(document.createElement("span"), { className: "ak-where", textContent: room + page });
    item.append(link, " ", where, marked("p", sentence(section), section.terms));
    return item;
  }

  /** Write what was found, and say how much. */
  function answer(question, list, status) {
    const found = question.trim() ? ranked(question) : [];
    const whole = found.filter(({ part }) => part === 1).length || found.length; // those with all the words
    list.replaceChildren(...found.slice(0, Math.min(SHOWN, Math.max(whole, 5))).map(shown));
    const said = found[0] && found[0].question !== question ? `For “${found[0].question}”: ` : "";
    const places = whole === 1 ? "1 place" : `${whole} places`;
    const many = `${said}${places}${whole > SHOWN ? `; these are the first ${SHOWN}` : ""}.`;
    const none = "Nothing was found. Try another word, or the glossary and the index of subjects in the back matter.";
    status.textContent = question.trim() ? (found.length ? many : none) : "";
  }

  /** From the field into the list with the arrow keys, and back. */
  function walk(event, field, list) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    const stops = [field, ...list.querySelectorAll("a")];
    const at = stops.indexOf(document.activeElement);
    if (at < 0 || !stops[at + step]) return;
    event.preventDefault();
    stops[at + step].focus();
  }

  function begin() {
    const place = document.querySelector(".ak-search");
    if (!place) return;
    const [field, list, status] = ["input", "ol", ".ak-search-said"].map((name) => place.querySelector(name));
    const ask = () => answer(field.value, list, status);
    let waiting = 0;
    field.value = new URLSearchParams(location.search).get("q") ?? "";
    field.addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(ask, 150);
    });
    place.addEventListener("keydown", (event) => walk(event, field, list));
    field.focus();
    ask();
  }

  globalThis.bookSearch = { ranked };
  if (typeof document !== "undefined") begin();
})();
