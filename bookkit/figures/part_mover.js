// Two stories through one machine, side by side; parts of the second are put into the first, or taken out of it, and the
// machine goes on from there.
((attnkit) => {
  "use strict";
  const { h, fixed, quoted } = attnkit;

  /** @typedef {[layer: number, part: number, from: number]} Move a head, or -1 for the MLP; from the other story, 1, or out, 0 */
  /** @typedef {{ name: string, story: string[], other: string[], choices: [word: string, everywhere: boolean][][] }} Pair */
  /** @typedef {{ pair: number, other: string[], moves: Move[], asked: number }} State */
  /** @typedef {{ packed: PackedDecoder, pairs: Pair[] }} Given */
  /** What a text gave; `told` keeps what was made of it, by name. @typedef {{ scores: number[], traced: Decoded, best: number, told: Map<string, any> }} Run */
  /** @typedef {Figure<State, Given>} Owner */

  // ---- the arithmetic, compared with the model in torch by tests/figures/test_part_mover.py

  // What stands for a part at the last place: that of the other story, or nothing.
  function standsFor(other, { width, num_heads }, [layer, part, from]) {
    const [last, size] = [other.scores.length - 1, width / num_heads];
    const mlp = part < 0;
    const rows = mlp ? other[`layers.${layer}.mlp`] : other[`layers.${layer}.heads`];
    const vector = Array.from(mlp ? rows[last] : rows[last].slice(part * size, (part + 1) * size));
    return { layer, part: mlp ? "mlp" : part, vector: from ? vector : vector.map(() => 0) };
  }

  const KEPT = 8; // stories whose results are kept

  // What is made of a run, once.
  /** @template T @param {Run} run @param {string} name @param {() => T} make @returns {T} */
  function once({ told }, name, make) {
    if (!told.has(name)) told.set(name, make());
    return told.get(name);
  }

  // Reads both stories as they are, and the first with what was moved. What was read is not read again.
  function reader(model, packed) {
    /** @type {Map<string, Run>} */
    const kept = new Map();
    function run(text, moved) {
      const numbers = text.map((word) => packed.words.indexOf(word));
      const traced = model.trace(numbers, moved);
      const scores = traced.scores[traced.scores.length - 1];
      return { traced, scores, best: attnkit.argmax(scores), told: new Map() };
    }
    function plain(text) {
      const found = kept.get(text.join(" ")) ?? run(text);
      if (kept.size >= KEPT) kept.clear();
      kept.set(text.join(" "), found);
      return found;
    }
    return (story, other, moves) => {
      const [theirs, ours] = [plain(other), plain(story)];
      const moved = moves.map((move) => standsFor(theirs.traced, packed, move));
      return { ours, theirs, changed: moves.length ? run(story, moved) : ours };
    };
  }

  function compute({ packed, story, other, moves }) {
    const found = reader(attnkit.decoder(packed), packed)(story, other, moves);
    return { ours: found.ours.scores, theirs: found.theirs.scores, changed: found.changed.scores };
  }

  // ---- what is drawn

  /** @typedef {ReturnType<ReturnType<typeof reader>>} Found */
  /** @typedef {{ found: Found, adds: Contribution[][], most: number, moves: Move[], story: string[], other: string[] }} Now */

  const same = (a, b) => a[0] === b[0] && a[1] === b[1];

  // Put a part in, take it out, or leave it again.
  function turn(figure, move) {
    const { moves } = figure.state();
    const was = moves.find((one) => same(one, move));
    const rest = moves.filter((one) => !same(one, move));
    figure.put({ moves: was && was[2] === move[2] ? rest : [...rest, move] });
  }

  // What is dragged from the second story onto the first is put into it.
  function draggable(chip, target, drop) {
    let [from, now] = [0, 0];
    const shift = (x) => attnkit.style(chip, "transform", x ? `translateX(${x}px)` : "");
    chip.addEventListener("pointerdown", (event) => ([from, now] = [event.clientX, event.clientX]));
    const move = (event) => {
      now = event.clientX;
      shift(now - from);
    };
    attnkit.drag(chip, move, { sideways: true });
    chip.addEventListener("pointercancel", () => shift(0)); // the page scrolls instead
    chip.addEventListener("pointerup", () => {
      shift(0);
      if (now < target.getBoundingClientRect().right) drop();
    });
  }

  // A cell of a part: what it adds; of a head also where it looks.
  function partCell(layer, part, kind) {
    const [bar, looks] = [attnkit.balance(), h("div", { class: "ak-small" })];
    const element = h("td", { class: kind }, bar, part < 0 ? null : looks);
    function show(adds, most, traced, story, move) {
      const one = adds.find((each) => each.layer === layer && each.part === (part < 0 ? "mlp" : part));
      bar.show(one?.adds ?? 0, most);
      if (part < 0) return;
      if (move) return attnkit.write(looks, move[2] ? "from the other story" : "taken out");
      const weights = traced[`layers.${layer}.weights`][story.length - 1][part];
      const j = attnkit.argmax(weights);
      attnkit.write(looks, `looks at ${story[j]} ${fixed(weights[j])}`);
    }
    return { element, bar: bar.element, show };
  }

  // A row for a part: what it adds in each story, and what can be done with it.
  function partRow(figure, layer, part) {
    const [short, long] = part < 0 ? [`MLP ${layer + 1}`, ""] : [`head ${part + 1}`, ` of layer ${layer + 1}`];
    const [ours, theirs] = [partCell(layer, part, ""), partCell(layer, part, "ak-chip")];
    const aside = (/** @type {string} */ text) => h("span", { class: "ak-long" }, text);
    const names = [`take out ${short}${long}`, `put in ${short}${long} of the other story`];
    const [out, put] = names.map((name, from) => {
      const inside = from ? ["← ", aside("put in")] : ["× ", aside("take out")];
      return attnkit.button(inside, () => turn(figure, [layer, part, from]), { "aria-label": name });
    });
    draggable(theirs.bar, ours.element, () => turn(figure, [layer, part, 1]));
    const acts = h("td", { class: "ak-acts" }, put, out);
    const element = attnkit.tr([short, aside(long)], ours.element, theirs.element, acts);
    function show({ found, adds, most, moves, story, other }) {
      const move = moves.find((one) => same(one, [layer, part, 0]));
      ours.show(adds[2], most, found.changed.traced, story, move);
      theirs.show(adds[1], most, found.theirs.traced, other);
      element.toggleAttribute("data-moved", Boolean(move));
      attnkit.attr(put, "aria-pressed", String(move?.[2] === 1));
      attnkit.attr(out, "aria-pressed", String(move?.[2] === 0));
    }
    return { element, show, buttons: [put, out] };
  }

  // A row for a stage of the stream: what each machine would say if it stopped, and in which numbers the two differ.
  function stageRow(model, packed, stage, name) {
    const [ours, theirs, differs] = [h("td"), h("td"), attnkit.raster(1, packed.width)];
    const element = attnkit.tr(name, ours, theirs, differs);
    element.className = "ak-stage";
    const last = (traced) => {
      const rows = /** @type {Record<string, Float64Array[]>} */ (/** @type {unknown} */ (traced))[stage];
      return rows[rows.length - 1];
    };
    const says = (run) =>
      once(run, stage, () => {
        const chances = attnkit.softmax(model.soFar(last(run.traced)));
        const best = attnkit.argmax(chances);
        return `${packed.words[best]} ${fixed(chances[best])}`;
      });
    function show({ found }) {
      const said = says(found.changed);
      attnkit.write(ours, said);
      ours.classList.toggle("ak-changed", said !== says(found.ours));
      attnkit.write(theirs, says(found.theirs));
      const [a, b] = [last(found.changed.traced), last(found.theirs.traced)];
      differs.show(
        a.map((v, k) => b[k] - v),
        1,
      );
    }
    return { element, show, buttons: [] };
  }

  // The table: the last word of both stories, from the answer above to its vector below.
  function table(figure, model, packed) {
    /** @type {{ element: HTMLElement, show(now: Now): void, buttons: HTMLButtonElement[] }[]} */
    const rows = [];
    for (let l = packed.num_layers - 1; l >= 0; l--) {
      rows.push(stageRow(model, packed, `layers.${l}.after_mlp`, `after MLP ${l + 1}`), partRow(figure, l, -1));
      rows.push(stageRow(model, packed, `layers.${l}.after_attention`, `after attention ${l + 1}`));
      for (let head = 0; head < packed.num_heads; head++) rows.push(partRow(figure, l, head));
    }
    rows.push(stageRow(model, packed, "embedding", "word vector"));
    const buttons = rows.flatMap((row) => row.buttons);
    attnkit.walk(buttons, { columns: 2 });
    const heads = ["", "this story", "the other story", "what differs"];
    const top = heads.map((words) => h("th", { scope: "col" }, words));
    const look = { class: "ak-parts", role: "grid", "aria-label": "The parts of the machine" };
    const element = h("table", look, h("thead", {}, h("tr", {}, top)), h("tbody", {}, rows));
    return { element, show: (/** @type {Now} */ now) => rows.forEach((row) => row.show(now)) };
  }

  // Where the other story differs; of stories of other lengths, what lies between a common beginning and a common end.
  function differing(story, other) {
    if (other.length === story.length) return (k) => other[k] !== story[k];
    const first = other.findIndex((word, k) => word !== story[k]);
    const end = other.findIndex((_, k) => other[other.length - 1 - k] !== story[story.length - 1 - k]);
    return (k) => first >= 0 && k >= first && k < other.length - end;
  }

  // The two stories: some pairs to choose from, and in the other story each word to be changed where the grammar has others.
  function texts(figure, pairs) {
    const names = figure.choice({
      label: "Change",
      words: pairs.map(({ name }) => name),
      trait: "pair",
      write: (pair) => ({ pair, other: pairs[pair].other, moves: [], asked: -1 }),
    });
    const [own, label] = [h("p", { class: "ak-this" }), h("b")];
    const text = h("div", { class: "ak-wordline", role: "group", "aria-label": "The other story: a word to change" });
    const offered = h("div", { class: "ak-buttons", role: "group", "aria-label": "Other words" });
    function change(other, place, [word, everywhere]) {
      const was = other[place];
      const changed = other.map((old, k) => (k === place || (everywhere && k > place && old === was) ? word : old));
      figure.put({ other: changed, asked: -1 });
    }
    function show({ pair, other, asked }) {
      const { story, choices } = pairs[pair];
      const open = other.length === story.length; // else no word has others
      const differs = differing(story, other);
      const hint = open && choices.some((one) => one.length) ? " (press a dotted word to change it)" : "";
      attnkit.write(label, `The other story${hint}:`);
      own.replaceChildren(h("b", {}, "This story: "), story.slice(1).join(" ").replaceAll(" .", "."));
      const words = other.map((word, k) => {
        const marks = { class: differs(k) ? "ak-other" : "", "aria-pressed": String(k === asked) };
        if (!open || !choices[k].length) return h("span", { class: marks.class }, word);
        return attnkit.button(word, () => figure.put({ asked: k === asked ? -1 : k }), marks);
      });
      text.replaceChildren(...words);
      attnkit.walk(words.filter((word) => word instanceof HTMLButtonElement));
      const others = open && asked >= 0 ? choices[asked].filter(([word]) => word !== other[asked]) : [];
      const buttons = others.map((choice) => attnkit.button(choice[0], () => change(other, asked, choice)));
      offered.replaceChildren(...buttons);
      attnkit.walk(buttons);
    }
    return { elements: [names.element, own, label, text, offered], show };
  }

  // The chances of the words that either story, or the changed machine, finds likely.
  function answers(packed) {
    const element = h("div", { class: "ak-answers" });
    function show({ found, moves }) {
      const all = [found.ours, found.theirs, found.changed].map(({ scores }) => attnkit.softmax(scores));
      const words = [...new Set(all.flatMap((chances) => attnkit.ranked(chances).slice(0, 2)))].slice(0, 4);
      const names = ["this story", "the other story", ...(moves.length ? ["this story, changed"] : [])];
      const chance = (k, w) => h("span", { class: "ak-word" }, `${packed.words[w]} `, h("b", {}, fixed(all[k][w])));
      const lines = names.flatMap((name, k) => [
        h("span", { class: "ak-name" }, name),
        h("span", {}, ...words.map((w) => chance(k, w))),
      ]);
      element.replaceChildren(...lines);
    }
    return { element, show };
  }

  // In a sentence: what was done, and what became of the answer.
  function sentence({ words }, { ours, theirs, changed }, moves) {
    const [a, b, c] = [ours, theirs, changed].map(({ best }) => quoted(words[best]));
    if (!moves.length)
      return a === b
        ? `Both stories end with ${a}: nothing to flip. Change another word.`
        : `This story ends with ${a}, the other one with ${b}. Which part makes the difference?`;
    const act = ([l, part, from]) =>
      `${part < 0 ? `MLP ${l + 1}` : `head ${part + 1} of layer ${l + 1}`} ${from ? "put in" : "taken out"}`;
    const done = moves.map(act).join(", ");
    const said = c === a ? `the answer stays ${a}` : c === b ? `the answer flips to ${b}` : `the answer becomes ${c}`;
    return `With ${done}: ${said}, ${fixed(attnkit.softmax(changed.scores)[changed.best])}.`;
  }

  function build(figure) {
    const { packed, pairs } = figure.given("packed", "pairs");
    const model = attnkit.decoder(packed);
    const read = reader(model, packed);
    const [told, parts, said] = [texts(figure, pairs), table(figure, model, packed), answers(packed)];
    function update(state) {
      const { other, moves } = state;
      const { story } = pairs[state.pair];
      const found = read(story, other, moves);
      const [best, next] = [found.ours.best, attnkit.ranked(found.ours.scores)[1]];
      const pair = /** @type {Point} */ ([best, found.theirs.best === best ? next : found.theirs.best]);
      const adds = [found.ours, found.theirs, found.changed].map((run) =>
        once(run, `adds ${pair}`, () => model.contributions(run.traced, ...pair)),
      );
      const most = Math.max(...adds.flat().map((one) => Math.abs(one.adds)), 1e-9);
      const now = { found, adds, moves, story, other, most };
      told.show(state);
      parts.show(now);
      said.show(now);
      figure.say(sentence(packed, found, moves));
    }
    return { parts: [told.elements, said, parts, attnkit.row(figure.reset())], update };
  }

  attnkit.register("part_mover", { label: "Two stories, and parts moved between them", wide: true, compute, build });
})(globalThis.attnkit);
