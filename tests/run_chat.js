// The chat model's worker run in node: {file, kernel, questions} in, what it answers out, weights and times left aside unless
// {weights}. Without a kernel, its own JavaScript computes. {write: {numbers, most, taught}} goes on with the likeliest pieces.
const fs = require("node:fs");
const path = require("node:path");
const vm = require("node:vm");

for (const name of ["core", "loading", "chat_model"])
  vm.runInThisContext(fs.readFileSync(path.join(__dirname, "..", "bookkit", "figures", `${name}.js`), "utf8"), name);
const { program, kernel, context } = globalThis.attnkit.chat;
const given = JSON.parse(fs.readFileSync(0, "utf8"));
const told = []; // who waits for the answer to a question, by its number
const scope = {
  onmessage: null,
  postMessage({ asked, found, failed, ready }) {
    if (failed) throw new Error(failed);
    if (ready) scope.ready = ready;
    if (found !== undefined) told[asked]?.(found);
  },
};
program(scope);
const ask = (question) =>
  new Promise((resolve) => {
    scope.onmessage({ data: { ...question, asked: told.push(resolve) - 1 } });
  });

async function load() {
  scope.onmessage({ data: { kernel: given.kernel === false ? "" : kernel, context } });
  const file = fs.openSync(given.file);
  for (;;) {
    const bytes = new Uint8Array(given.each ?? 1_500_000);
    const count = fs.readSync(file, bytes);
    if (!count) break;
    await ask({ bytes, count });
  }
}
async function answer(question) {
  if (!question.write) {
    const low = question.low && { low: new Uint8Array(Buffer.from(question.low, "base64")) };
    const found = await ask({ ...question, ...low });
    if (found.weights) found.weights = given.weights ? Array.from(found.weights) : undefined;
    return found;
  }
  let [{ numbers, taught = 0 }, written, took] = [question.write, [], 0];
  while (written.length < question.write.most) {
    const spent = process.cpuUsage().user; // of a machine that does other things as well
    const found = await ask({ numbers, taught });
    if (written.length) took += (process.cpuUsage().user - spent) / 1000;
    const [[next]] = found.likeliest;
    if (question.write.ends.includes(next)) break;
    written.push(next);
    numbers = [...numbers, next];
  }
  return { written, took: took / Math.max(1, written.length) };
}
(async () => {
  const start = performance.now();
  await load();
  const loaded = performance.now() - start;
  const answers = [];
  for (const question of given.questions) answers.push(await answer(question));
  console.log(JSON.stringify({ runs: scope.ready, loaded, answers }));
})();
