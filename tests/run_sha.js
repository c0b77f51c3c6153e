// The digest that the pages bring along, of the bytes that are given.
const { readFileSync } = require("node:fs");
const { runInThisContext } = require("node:vm");

globalThis.attnkit = { h() {} };
globalThis.location = { protocol: "http:" };
runInThisContext(readFileSync(`${__dirname}/../bookkit/figures/loading.js`, "utf8"));
const given = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(attnkit.sha256Here(Uint8Array.from(given))));
