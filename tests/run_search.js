// Ask the search without a page: {scripts, questions} in, the addresses that are shown for each question out.
const vm = require("node:vm");
const given = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
for (const script of given.scripts) vm.runInThisContext(script);
const address = ({ at }) => at.replace(".html", "");
const answers = given.questions.map((question) => globalThis.bookSearch.ranked(question).map(address));
process.stdout.write(JSON.stringify(answers));
