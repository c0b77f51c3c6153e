// How the search page ranks what it finds: a chapter before a side room, both before the package's pages; within each, titles
// and addresses that name a word of the question. Sphinx copies this into its own script (html_search_scorer), so it works from the disk, too.
var Scorer = {
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,

  rooms: { chapters: 400, index: 300, further: 200 },

  // The words that tell pages apart: "attention" does not in this book.
  words() {
    const asked = (new URLSearchParams(location.search).get("q") || "").toLowerCase().match(/[a-z]{3,}/g) || [];
    return asked.filter((word) => !/^(attention|what|why|how|does)$/.test(word));
  },

  score([page, title, , , score]) {
    const room = page === "chapters/bibliography" ? "reference" : page.split("/")[0];
    const own = `${page} ${title}`.toLowerCase().split(/[^a-z]+/);
    const named = (word) => (own.includes(word) ? 40 : own.some((one) => one.startsWith(word.slice(0, 6))) ? 30 : 0);
    return (Scorer.rooms[room] || 0) + Scorer.words().reduce((sum, word) => sum + named(word), 0) + score;
  },
};
