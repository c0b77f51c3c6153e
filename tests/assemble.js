// The text of a WebAssembly module in (JSON), its bytes in base64 out.
const fs = require("node:fs");
const wabt = require("wabt");

wabt().then((tools) => {
  const text = tools.parseWat("kernel", JSON.parse(fs.readFileSync(0, "utf8")), { simd: true });
  text.validate();
  process.stdout.write(JSON.stringify(Buffer.from(text.toBinary({}).buffer).toString("base64")));
});
