// Run the figures' arithmetic on cases from Python: {figure, cases}, {model, packed, cases} or {numbers} in, results out.
const fs = require("node:fs");
const path = require("node:path");
const vm = require("node:vm");
const folder = path.join(__dirname, "..", "attnkit", "figures");
const load = (name) => vm.runInThisContext(fs.readFileSync(path.join(folder, `${name}.js`), "utf8"), name);
load("core");
load("model"); // which the figures that run a model need
const given = JSON.parse(fs.readFileSync(0, "utf8"));
if (given.figure) {
  load(given.figure);
  const { compute } = globalThis.attnkit.figures[given.figure];
  console.log(JSON.stringify(given.cases.map(compute)));
} else if (given.model) {
  // All results of a model by name, for each of some calls of its `trace`.
  const model = globalThis.attnkit[given.model](given.packed);
  const plain = (rows) => rows.map((row) => (ArrayBuffer.isView(row) ? [...row] : row));
  const named = (found) => Object.fromEntries(Object.entries(found).map(([name, rows]) => [name, plain(rows)]));
  console.log(JSON.stringify(given.cases.map((call) => named(model.trace(...call)))));
} else if (given.softmax) {
  const scores = (row) => row.map((score) => score ?? -Infinity);
  console.log(JSON.stringify(given.softmax.map((row) => globalThis.attnkit.softmax(scores(row)))));
} else {
  const { fixed, opacity } = globalThis.attnkit;
  console.log(JSON.stringify(given.numbers.map(([x, digits, plus]) => [fixed(x, digits, plus), opacity(x, 3)])));
}
