// The config of a language model, to be changed: its heads and its MLP drawn, its numbers and bytes counted.
((attnkit) => {
  "use strict";
  const { h, fixed, grouped, write } = attnkit;

  /** @typedef {{ config: number[] }} State */
  /** @typedef {{ labels: string[], largest: number[], names: string[], models: number[][] }} Given */

  const PARTS = ["tables", "attention", "MLPs", "norms"];
  const BYTES = 2; // of a number, in the cache and at sixteen bits
  const TIED = 9; // the place of the one value that is yes or no
  const SHOWN = 64; // experts that are drawn at most

  // The arithmetic, compared with bookkit/figures/config_reader.py by tests/figures/.
  function compute({ config }) {
    const [layers, width, heads, groups, depth, hidden, experts, used, words, tied, context] = config;
    const mlp = 3 * width * hidden;
    const router = experts > 1 ? width * experts : 0;
    const numbers = [
      (2 - tied) * words * width,
      layers * 2 * width * depth * (heads + groups),
      layers * (router + experts * mlp),
      layers * 2 * width + width,
    ];
    const piece = 2 * BYTES * layers * groups * depth;
    const total = attnkit.sum(numbers);
    return { numbers, total, active: total - layers * (experts - used) * mlp, piece, full: piece * context };
  }

  // Why no model can be made of these numbers; nothing if one can.
  function wrong(config, { labels, largest }) {
    const [, , heads, groups, , , experts, used] = config;
    const k = config.findIndex(
      (value, k) => !(Number.isInteger(value) && value > 0 && value <= largest[k]) && k !== TIED,
    );
    if (k >= 0) return `${labels[k]} is a whole number from 1 to ${grouped(largest[k])}.`;
    if (heads % groups) return `${groups} sets of keys and values cannot be shared evenly by ${heads} heads.`;
    return used > experts ? `Of ${attnkit.many(experts, "expert")}, no piece can use ${used}.` : "";
  }

  // Bytes in units of a thousand.
  function bytes(count) {
    const unit = Math.min(4, Math.max(0, Math.floor(Math.log10(count) / 3)));
    const scaled = count / 1000 ** unit;
    return `${fixed(scaled, scaled < 10 && unit ? 1 : 0)} ${["bytes", "kB", "MB", "GB", "TB"][unit]}`;
  }

  // A line of the config: its key, and its value, to be typed or stepped by the arrow keys.
  function field(figure, given, k) {
    const set = (value) => {
      const config = figure.get("config").with(k, value);
      const why = wrong(config, given);
      if (!why) return figure.put({ config });
      show(figure.get("config")[k]);
      figure.say(why);
    };
    if (k === TIED) {
      const box = h("input", { type: "checkbox", onchange: () => set(Number(box.checked)) });
      return {
        element: h("label", { class: "ak-key" }, h("span", {}, given.labels[k]), box),
        show: (v) => (box.checked = v === 1),
      };
    }
    const input = h("input", { type: "text", inputmode: "numeric", autocomplete: "off", class: "ak-field" });
    const typed = () => set(input.value.trim() === "" ? Number.NaN : Number(input.value.replace(/[,\s]/g, "")));
    input.addEventListener("change", typed);
    const step = (by) => () => set(figure.get("config")[k] + by);
    attnkit.keys(input, { ArrowUp: step(1), ArrowDown: step(-1), Enter: typed });
    function show(value) {
      input.value = grouped(value);
    }
    return { element: h("label", { class: "ak-key" }, h("span", {}, given.labels[k]), input), show };
  }

  // Heads and the keys that they share, the MLP beside the stream, and the experts: as many as there are, or the first.
  function drawing() {
    const [heads, sizes, experts] = ["ak-sets", "ak-sizes", "ak-experts"].map((name) =>
      h("div", { class: name, "aria-hidden": "true" }),
    );
    const lines = [h("span", {}), h("span", {})];
    sizes.append(...lines);
    const [told, wide, many] = Array.from({ length: 3 }, () => h("p", { class: "ak-small" }));
    /** @param {number} count @param {(k: number) => string} kind */
    const squares = (count, kind) => Array.from({ length: count }, (_, k) => h("span", { class: kind(k) }));
    function show([, width, asks, groups, depth, hidden, all, used]) {
      const set = () =>
        h(
          "span",
          {},
          h(
            "span",
            {},
            squares(asks / groups, () => "ak-query"),
          ),
          h("span", { class: "ak-shared" }),
        );
      heads.replaceChildren(...Array.from({ length: groups }, set));
      write(told, `${attnkit.many(asks, "head")} of ${depth}, ${attnkit.many(groups, "set")} of keys and values`);
      const longest = Math.max(width, hidden);
      [width, hidden].forEach((size, k) => attnkit.style(lines[k], "width", `${(100 * size) / longest}%`));
      write(wide, `stream ${grouped(width)}, MLP ${grouped(hidden)}`);
      experts.replaceChildren(...(all > 1 ? squares(Math.min(all, SHOWN), (k) => (k < used ? "ak-used" : "")) : []));
      const rest = all > SHOWN ? `; ${SHOWN} are drawn` : "";
      write(
        many,
        all > 1 ? `${attnkit.many(all, "expert")}, ${used} for each piece${rest}` : "one MLP for every piece",
      );
    }
    return { element: h("div", { class: "ak-drawn" }, told, heads, wide, sizes, many, experts), show };
  }

  function sentence({ total, active, piece, full }) {
    const some = active < total ? `, of which a piece uses ${grouped(active)}` : "";
    return `${grouped(total)} numbers${some}: ${bytes(BYTES * total)} at 16 bits, ${bytes(total / 2)} at 4. A piece leaves ${bytes(piece)} in the cache, a full context ${bytes(full)}.`;
  }

  function build(figure) {
    const given = figure.given("labels", "largest", "names", "models");
    const fields = given.labels.map((_, k) => field(figure, given, k));
    const [drawn, shares] = [drawing(), attnkit.wordBars(PARTS.length)];
    const model = figure.menu({
      label: "model",
      words: [...given.names, "your own"],
      read: ({ config }) => {
        const k = given.models.findIndex((one) => String(one) === String(config));
        return k < 0 ? given.names.length : k;
      },
      write: (k, state) => ({ config: given.models[k] ?? state.config }),
    });
    const list = h("div", { class: "ak-config" }, "{", fields, "}");
    function update({ config }) {
      const found = compute({ config });
      fields.forEach((one, k) => one.show(config[k]));
      drawn.show(config);
      shares.show(PARTS.map((part, k) => [part, found.numbers[k] / found.total]));
      figure.say(sentence(found));
    }
    const right = h("div", {}, drawn, h("p", { class: "ak-small" }, "shares of all numbers"), shares);
    return { parts: [attnkit.row(model, figure.reset()), h("div", { class: "ak-side" }, list, right)], update };
  }

  attnkit.register("config_reader", { label: "The config of a model", compute, build });
})(globalThis.attnkit);
