// The search page. The sections of the book and what is known of words are in sections.js; MiniSearch finds the words in
// them, and the rules here say what comes first: a place that defines what was asked, then one that is called so, then one
// that speaks of it; the road before side rooms; the package's pages last, unless one has typed a function's very name.
(() => {
  "use strict";

  const EMPTY = new Set(bookWords.empty.split(" "));
  const TYPED = new RegExp(Object.keys(bookWords.typed).join("|"), "gi");
  const LONGEST = 300; // letters of a question: who pastes a page has asked with its first lines
  const ROOMS = { chapters: 1.5, further: 1, reference: 0.8, index: 1 };
  const LISTS = /^(reference\/(claims|gallery|glossary\.html(?!#term))|chapters\/bibliography)/; // each names everything
  const PACKAGE = /^reference\/(attnkit|mechanism|scores|masks|positions|equivalences|memory|sampling|modules)\./;
  const ASIDE = /^(In one paragraph|Exercises|Side trips|The map|Checkpoint.*)$/; // they speak of everything, and explain nothing
  const BOOST = { defines: 10, tells: 4, heading: 6, page: 3, symbols: 3, code: 0.5, text: 1 };

  /** A text without what keyboards differ in: accents, apostrophes, ligatures, raised and wide letters. */
  function plain(text) {
    return text
      .replace(TYPED, (sign) => bookWords.typed[sign.toLowerCase()])
      .normalize("NFKD")
      .replace(/[\p{M}'’]/gu, "");
  }

  /** The words of a text as they stand, each with what it is looked up by: the whole (`d_k`, `SoftmaxExplorer`), then its parts. */
  function written(text) {
    return Array.from(plain(text).matchAll(/[\p{L}\p{N}]+(?:[-_^.][\p{L}\p{N}]+)*/gu), ([word]) => {
      const parts = word.replace(/(\p{Ll})(\p{Lu}\p{Ll})/gu, "$1 $2").split(/[-_^. ]/);
      const whole = word.replaceAll(/[-.]/g, "");
      return { word, forms: parts.length > 1 ? [whole, ...parts.filter((part) => part.length > 1)] : [whole] };
    });
  }

  const words = (text) => written(text).flatMap(({ forms }) => forms);

  const stems = new Map();
  const stemmer = new Stemmer();

  /** The stem of a word, British and American spelling alike. */
  function stem(word) {
    const one = word.replace(/is(e|ed|es|er|ers|ing|ation|ations)$/, "iz$1").replace(/our$/, "or");
    return /^[a-z]+$/.test(one) ? stemmer.stemWord(one) : one;
  }

  const same = new Map(bookWords.same.flatMap(([first, ...others]) => others.map((one) => [one, first])));

  /** A word as it is looked up: small, the stem of it or of a word for the same; nothing if it is empty. */
  function term(word) {
    if (!stems.has(word)) {
      const small = plain(word).toLowerCase();
      stems.set(word, EMPTY.has(small) ? null : stem(same.get(small) ?? small));
    }
    return stems.get(word);
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

  /** The words of a question that count, each once: as it is written, and what it is looked up by. */
  function counted(question) {
    const found = written(question).map(({ word, forms }) => ({ word, terms: forms.map(term).filter(Boolean) }));
    return found.filter(
      ({ terms }, i) => terms.length && found.findIndex((one) => `${one.terms}` === `${terms}`) === i,
    );
  }

  /** How much of a word a place has: the whole, or all its parts, which is less, or nothing. */
  function has({ queryTerms }, { terms: [whole, ...parts] }) {
    if (queryTerms.includes(whole)) return 1;
    return parts.length && parts.every((part) => queryTerms.includes(part)) ? 2 / 3 : 0;
  }

  /** What is found for a question: its words, with those that no place has, and the places, the best first. */
  function look(typed) {
    const question = corrected(typed.slice(0, LONGEST));
    const results = made().search(question, {
      boost: BOOST,
      prefix: (word) => word.length > 3,
      weights: { fuzzy: 0, prefix: 0.4 },
      boostDocument: (id) => worth(bookSections[id], question),
    });
    const asked = counted(question);
    const codes = question.match(/\w+(?=\()|[A-Za-z]+[_A-Z]\w+/g) ?? []; // as one types a function
    const places = (word) => results.filter((result) => has(result, word)).length;
    const known = asked.map((word) => ({ ...word, places: places(word) })).filter((word) => word.places);
    // Who has all the words comes before who has some of them often, and a word that few places have says more.
    for (const word of known) word.rare = Math.sqrt(Math.log(1 + bookSections.length / word.places));
    const sum = (result) => known.reduce((total, word) => total + word.rare * (result ? has(result, word) : 1), 0);
    const found = results.map((result) => {
      const part = sum(result) / sum();
      const all = known.every((word) => has(result, word));
      const section = bookSections[result.id];
      const last = PACKAGE.test(section.at) && !codes.includes(section.heading);
      return { ...section, terms: result.terms, all, last, worth: result.score * part * part };
    });
    found.sort((one, other) => other.worth - one.worth);
    const unknown = asked.filter((word) => !known.some((one) => one.word === word.word));
    return { question, asked, unknown, found };
  }

  /** The sections that answer a question, the best first. */
  const ranked = (typed) => best(look(typed).found);

  /** How much a section counts: its room, whether it explains, and whether it is called what was asked. */
  function worth(section, question) {
    const room = ROOMS[section.at.split(/[/.]/)[0]] ?? 1;
    const asked = key(question);
    const exact = [section.heading, ...(section.defines ?? [])].some((name) => key(name) === asked);
    const aside = ASIDE.test(section.heading) || LISTS.test(section.at);
    return room * (aside ? 0.3 : 1) * (exact ? 4 : 1);
  }

  /** What a question or a heading comes down to. */
  function key(text) {
    return words(text).map(term).filter(Boolean).sort().join(" ");
  }

  // ---- the page

  const SHOWN = 20;
  const LENGTH = 260; // letters of an excerpt
  const END = /(?<=[.!?…][”’")]?)\s+(?=[“‘(]?\p{Lu})/u; // between two sentences, not after *et al.*

  /** The sentences of a section: its lines, each taken apart, but not between brackets; no headings of a docstring. */
  function sentences(section) {
    const found = [];
    for (const line of (section.text ?? "").split("\n")) {
      let open = "";
      for (const part of line.split(END)) {
        open += open ? ` ${part}` : part;
        if (open.split("(").length > open.split(")").length) continue;
        found.push(open);
        open = "";
      }
      if (open) found.push(open);
    }
    const told = found.filter((said) => !/^(Chapter: .*|\w+:?)$/.test(said));
    return told.length ? told : [""];
  }

  /** How many of the words that were found a text has. */
  const hits = (said, terms) =>
    new Set(
      words(said)
        .map(term)
        .filter((word) => terms.includes(word)),
    ).size;

  /** The sentence of a section that has most of the words, or its first, and what it needs to be understood. */
  function excerpt(section) {
    const all = sentences(section);
    const many = all.map((said) => hits(said, section.terms));
    // Of two that have as much, not the one that only leads to what follows, nor a row of a table.
    const worth = all.map((said, i) => many[i] - (/:$| \| /.test(said) ? 0.5 : 0));
    let at = worth.indexOf(Math.max(...worth));
    const there = Math.max(many[at], hits(section.heading, section.terms));
    let said = all[at];
    while ((said.endsWith(":") || said.length < 60) && all[at + 1] && said.length + all[at + 1].length < LENGTH)
      said += ` ${all[++at]}`;
    // The page does not say the word: the index has brought us here, or the page's code.
    const name = [...(section.defines ?? []), ...(section.tells ?? [])].find((one) => hits(one, section.terms) > there);
    const code = there ? [] : coded(section);
    const why = name ? `Found under “${name}”. ` : code.length ? `In its code: ${code.join(", ")}. ` : "";
    return why + cut(said.replace(/\s*:$/, " …"), section.terms);
  }

  /** The words of a section's code that were found. */
  const coded = (section) => (section.code ?? "").split(" ").filter((word) => hits(word, section.terms));

  /** A part of a long sentence, of whole words, with the first that was found in it. */
  function cut(said, terms) {
    if (said.length <= LENGTH) return said;
    const pieces = said.split(" ");
    const first = pieces.findIndex((piece) => hits(piece, terms));
    let from = 0;
    while (first > 0 && pieces.slice(from, first + 1).join(" ").length > LENGTH / 2) from++;
    let to = from;
    for (let room = LENGTH - 10; to < pieces.length && room >= pieces[to].length; to++) room -= pieces[to].length + 1;
    const end = to < pieces.length ? " …" : "";
    return `${from ? "… " : ""}${pieces
      .slice(from, to)
      .join(" ")
      .replace(end ? /[,;:–|]$/ : /$^/, "")}${end}`;
  }

  /** An element with the words that were found marked in it. */
  function marked(kind, said, terms) {
    const place = document.createElement(kind);
    for (const part of said.split(/([\p{L}\p{N}]+(?:[_^][\p{L}\p{N}]+)*)/u)) {
      const found = hits(part, terms) > 0;
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
    item.append(link, " ", where, marked("p", excerpt(section), section.terms));
    return item;
  }

  /** What is shown: all that have all the words, or a few more; never a long list, the package at its end. */
  function best(found) {
    const whole = found.filter(({ all }) => all).length;
    const shown = found.slice(0, Math.min(SHOWN, Math.max(whole, 5)));
    return shown.sort((one, other) => Number(one.last) - Number(other.last));
  }

  /** What the list is, in words. */
  function told(found) {
    const list = best(found);
    const [whole, all] = [found, list].map((places) => places.filter((place) => place.all).length);
    const places = list.length === 1 ? "1 place" : `${list.length} places`;
    if (all < list.length) return `${places}, ${all || "none"} of them with all the words`;
    return whole > all ? `the first ${all} of ${whole} places` : places;
  }

  /** The sentence above the list. */
  function sentence({ question, asked, unknown, found }) {
    if (!question.trim()) return "";
    if (!asked.length)
      return "There is no word in it that tells one page from another. Add one that names what you look for.";
    if (!found.length) return "Nothing was found. Try another word, or the glossary in the back matter.";
    const missing = unknown.map(({ word }) => `“${short(word)}”`).join(", ");
    return `For “${short(question.trim())}”: ${told(found)}.${missing && ` No page has ${missing}.`}`;
  }

  /** What is quoted, if it is no longer than a line. */
  const short = (said) => (said.length > 60 ? `${said.slice(0, 60).trim()}…` : said);

  /** Write what was found, and say how much. */
  function answer(question, list, status) {
    const result = look(question);
    list.replaceChildren(...best(result.found).map(shown));
    status.textContent = sentence(result);
  }

  /** From the field into the list with the arrow keys and back; Escape leads back to the field, and there it empties it. */
  function walk(event, field, list) {
    if (event.isComposing || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return false;
    const stops = [field, ...list.querySelectorAll("a")];
    const at = stops.indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Escape: 0 }[event.key];
    if (at < 0 || to === undefined || !stops[to] || (event.key === "Escape" && at === 0 && !field.value)) return false;
    event.preventDefault();
    stops[to].focus();
    return event.key === "Escape" && at === 0;
  }

  /** Let the page's address and its entry in the history say what was asked, so that it is there when one comes back. */
  function remember(asked) {
    for (const address of [asked ? `?q=${encodeURIComponent(asked)}` : location.pathname, undefined])
      try {
        return history.replaceState({ asked }, "", address);
      } catch {
        // Some browsers let no page from the disk change its address, and some count how often one does.
      }
  }

  function begin() {
    const place = document.querySelector(".ak-search");
    if (!place) return;
    const [field, list, status] = ["input", "ol", ".ak-search-said"].map((name) => place.querySelector(name));
    let waiting = 0;
    const ask = () => {
      clearTimeout(waiting);
      remember(field.value);
      answer(field.value, list, status);
    };
    const comeBack = () => {
      field.value = history.state?.asked ?? new URLSearchParams(location.search).get("q") ?? "";
      ask();
    };
    field.addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(ask, 150);
    });
    field.form.addEventListener("submit", (event) => {
      event.preventDefault();
      ask();
      if (matchMedia("(pointer: coarse)").matches) field.blur(); // the keys on the screen cover the list
    });
    place.addEventListener("keydown", (event) => {
      if (!walk(event, field, list)) return;
      field.value = "";
      ask();
    });
    addEventListener("popstate", (event) => event.state && comeBack());
    field.focus({ preventScroll: true }); // one who comes back sees the place that was left
    comeBack();
  }

  globalThis.bookSearch = { ranked };
  if (typeof document !== "undefined") begin();
})();
