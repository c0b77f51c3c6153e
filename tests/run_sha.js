// The digest that the pages bring along, of the bytes that are given.
const { readFileSync } = require("node:fs");
const { runInThisContext } = require("node:vm");

const hex = (words) => Array.from(words, (word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
const given = JSON.parse(readFileSync(0, "utf8"));
globalThis.attnkit = {
  arrive: (_, digest) => process.stdout.write(JSON.stringify(hex(digest(Uint8Array.from(given))))),
};
runInThisContext(readFileSync(`${__dirname}/../bookkit/figures/digest.js`, "utf8"));
