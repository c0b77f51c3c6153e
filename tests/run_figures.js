// Run the figures' arithmetic on cases from Python: {figure, cases}, {model, packed, cases}, perhaps with {without},
// {errors}, {stories, seed}, {softmax}, {chances} or {numbers} in, results out; or a list of these, and of their results.
// The programs are those of the folder, or with {module} what a notebook imports.
const fs = require("node:fs");
const path = require("node:path");
const vm = require("node:vm");
const folder = path.join(__dirname, "..", "bookkit", "figures");
const load = (name) => vm.runInThisContext(fs.readFileSync(path.join(folder, `${name}.js`), "utf8"), name);

async function loadAll({ figure, module }) {
  if (module) {
    const { default: exported } = await import(`data:text/javascript,${encodeURIComponent(module)}`);
    if (exported.render !== globalThis.attnkit.figures[figure].render)
      throw new Error("the module exports another figure");
  } else {
    load("core");
    for (const shared of ["model", "loading", "chat_model", "seeds", "grammar", "learner"]) load(shared); // which some figures need
    if (figure) load(figure);
  }
}

function results(given) {
  if (given.figure) return given.cases.map(globalThis.attnkit.figures[given.figure].compute);
  if (given.model) {
    // All results of a model by name, for each of some calls of its `trace`.
    const model = globalThis.attnkit[given.model](given.packed, given.without);
    const plain = (rows) => rows.map((row) => (ArrayBuffer.isView(row) ? [...row] : row));
    const named = (found) => Object.fromEntries(Object.entries(found).map(([name, rows]) => [name, plain(rows)]));
    return given.cases.map((call) => named(model.trace(...call)));
  }
  if (given.errors) return given.errors.map(globalThis.attnkit.grammar.errors);
  if (given.stories) {
    const random = globalThis.attnkit.seeds.pcg64(given.seed);
    return Array.from({ length: given.stories }, () => globalThis.attnkit.grammar.story(random));
  }
  if (given.softmax) {
    const scores = (row) => row.map((score) => score ?? -Infinity);
    return given.softmax.map((row) => globalThis.attnkit.softmax(scores(row)));
  }
  if (given.chances) {
    const { chances, chosen, ranked } = globalThis.attnkit;
    return given.chances.map(([row, temperature, most]) => {
      const [scores, order] = [row.map(Number), ranked(row.map(Number), [])];
      try {
        return [chances(scores, order, temperature, most), chosen(scores, order, temperature, most, 0.5)];
      } catch (error) {
        return error.message;
      }
    });
  }
  const { fixed, opacity } = globalThis.attnkit;
  return given.numbers.map(([x, digits, plus]) => [fixed(x, digits, plus), opacity(x, 3)]);
}

const given = JSON.parse(fs.readFileSync(0, "utf8"));
const all = (asked) => (Array.isArray(asked) ? asked.map(results) : results(asked));
loadAll(given).then(() => console.log(JSON.stringify(all(given))));
