// Two stories through one machine, a line for each; parts of the second cross over to the first, or are taken out of it, and
// the machine goes on from there.
((attnkit) => {
  "use strict";
  const { h, fixed, quoted } = attnkit;

  /** @typedef {[layer: number, part: number, from: number]} Move a head, or -1 for the MLP; from the other story, 1, or out, 0 */
  /** @typedef {{ name: string, story: string[], other: string[], choices: [word: string, everywhere: boolean][][] }} Pair */
  /** @typedef {{ pair: number, other: string[], moves: Move[], asked: number }} State */
  /** @typedef {{ packed: PackedDecoder, pairs: Pair[] }} Given */
  /** @typedef {{ scores: number[], traced: Decoded, best: number }} Run what a text gave */
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

  // Reads both stories as they are, and the first with what was moved. What was read is not read again.
  function reader(model, packed) {
    /** @type {Map<string, Run>} */
    const kept = new Map();
    function run(text, moved) {
      const numbers = text.map((word) => packed.words.indexOf(word));
      const traced = model.trace(numbers, moved);
      const scores = traced.scores[traced.scores.length - 1];
      return { traced, scores, best: attnkit.argmax(scores) };
    }
    return (story, other, moves) => {
      const [theirs, ours] = [other, story].map((text) => {
        const found = kept.get(text.join(" ")) ?? run(text);
        kept.set(text.join(" "), found);
        return found;
      });
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

  // The diamond of the other story is pulled to this one's line, or pressed: the click after a pull is none.
  function pulled(button, act) {
    let [from, by] = [0, 0];
    const shift = (/** @type {number} */ x) => {
      by = Math.min(x, 0);
      attnkit.style(button, "translate", by ? `${by}px` : "");
    };
    button.addEventListener("pointerdown", ({ clientX }) => ([from, by] = [clientX, 0]));
    attnkit.drag(button, ({ clientX }) => shift(clientX - from), { sideways: true });
    button.addEventListener("pointercancel", () => shift(0)); // the page scrolls instead
    button.addEventListener("click", (event) => {
      if (!event.detail || !by || -by > button.parentElement.offsetWidth / 2) act();
      shift(0);
    });
  }

  // A stop of a part on the line of a story: what the part adds there; of a head also where it looks.
  function stop(name, kind, part) {
    const [bar, where, id] = [attnkit.balance(), h("span"), attnkit.id("stop")];
    const words = part < 0 ? null : h("span", { class: "ak-long" }, "looks at ");
    const looks = h("span", { class: "ak-looks ak-small", id }, words, where);
    bar.element.id = `${id}-adds`;
    const told = { "aria-label": name, "aria-describedby": `${id}-adds ${id}` };
    const button = h("button", { type: "button", class: kind, ...told });
    function show(v, most, weights, story) {
      bar.show(v, most);
      if (part < 0) return;
      const j = attnkit.argmax(weights[story.length - 1][part]);
      attnkit.write(where, `${story[j]} ${fixed(weights[story.length - 1][part][j])}`);
    }
    return { element: h("div", { class: "ak-track" }, bar, button), button, looks, show };
  }

  // A part: its stop on either line, and the curve along which it crosses.
  function partRow(figure, layer, part) {
    const [short, long] = part < 0 ? [`MLP ${layer + 1}`, ""] : [`head ${part + 1}`, ` of layer ${layer + 1}`];
    const act = (from) => () => turn(figure, [layer, part, from]);
    const out = stop(`take out ${short}${long}`, "ak-take", part);
    const put = stop(`put in ${short}${long} of the other story`, "ak-put", part);
    out.button.addEventListener("click", act(0));
    pulled(put.button, act(1));
    function cross() {
      const far = out.element.offsetWidth;
      out.button.animate(
        { translate: [`${far}px`, `${far / 2}px -1rem`, "0"] },
        { duration: attnkit.calm() ? 0 : 350 },
      );
    }
    const name = h("span", {}, short, h("span", { class: "ak-long" }, long));
    const lanes = h("div", { class: "ak-lanes" }, h("span", { class: "ak-curve" }), out, put);
    const element = h("div", {}, name, out.looks, lanes, put.looks);
    function show({ found, adds, most, moves, story, other }) {
      const from = moves.find((one) => same(one, [layer, part, 0]))?.[2];
      const added = (all) =>
        all.find((one) => one.layer === layer && one.part === (part < 0 ? "mlp" : part))?.adds ?? 0;
      const weights = (run) => run.traced[`layers.${layer}.weights`];
      out.show(added(adds[1]), most, weights(found.changed), story);
      put.show(added(adds[0]), most, weights(found.theirs), other);
      if (from && element.dataset.moved !== "1") cross();
      attnkit.attr(element, "data-moved", from ?? "");
      attnkit.attr(put.button, "aria-pressed", String(from === 1));
      attnkit.attr(out.button, "aria-pressed", String(from === 0));
    }
    return { element, show, buttons: [out.button, put.button] };
  }

  // A stage of the stream: what each machine would say if it stopped.
  function stageRow(model, packed, stage, name) {
    const [ours, theirs] = [h("span"), h("span")];
    const lanes = h("div", { class: "ak-lanes" }, ours, theirs);
    const element = h("div", { class: "ak-stage" }, h("span", {}, name), lanes);
    function says(run) {
      const chances = attnkit.softmax(model.soFar(run.traced[stage].at(-1)));
      const best = attnkit.argmax(chances);
      return `${packed.words[best]} ${fixed(chances[best])}`;
    }
    function show({ found }) {
      const said = says(found.changed);
      attnkit.write(ours, said);
      ours.classList.toggle("ak-changed", said !== says(found.ours));
      attnkit.write(theirs, says(found.theirs));
    }
    return { element, show, buttons: [] };
  }

  // The last word of both stories, from the answer above to its vector below.
  function lines(figure, model, packed) {
    /** @type {{ element: HTMLElement, show(now: Now): void, buttons: HTMLButtonElement[] }[]} */
    const rows = [];
    for (let l = packed.num_layers - 1; l >= 0; l--) {
      rows.push(stageRow(model, packed, `layers.${l}.after_mlp`, `after MLP ${l + 1}`), partRow(figure, l, -1));
      rows.push(stageRow(model, packed, `layers.${l}.after_attention`, `after attention ${l + 1}`));
      for (let head = 0; head < packed.num_heads; head++) rows.push(partRow(figure, l, head));
    }
    rows.push(stageRow(model, packed, "embedding", "word vector"));
    attnkit.walk(
      rows.flatMap((row) => row.buttons),
      { columns: 2 },
    );
    const heads = h("div", { class: "ak-lanes" }, h("b", {}, "this story"), h("b", {}, "the other"));
    const look = { class: "ak-parts", role: "group", "aria-label": "The parts of the machine" };
    const element = h("div", look, h("div", { class: "ak-stage" }, heads), rows);
    return { element, rows };
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
    const [ours, label] = [h("div", { class: "ak-wordline" }), h("b")];
    const group = { role: "group", "aria-label": "The other story: a word to change" };
    const theirs = h("div", { class: "ak-wordline", ...group });
    const offered = h("div", { class: "ak-buttons", role: "group", "aria-label": "Other words" });
    function change(other, place, [word, everywhere]) {
      const was = other[place];
      const changed = other.map((old, k) => (k === place || (everywhere && k > place && old === was) ? word : old));
      figure.put({ other: changed, asked: -1 });
    }
    function show({ pair, other, asked }) {
      const { story, choices } = pairs[pair];
      const open = other.length === story.length; // else no word has others
      const hint = open && choices.some((one) => one.length) ? " (press a dotted word to change it)" : "";
      attnkit.write(label, `The other story${hint}:`);
      const told = (text, from) =>
        text.map((word, k) => h("span", { class: differing(from, text)(k) ? "ak-other" : "" }, word));
      ours.replaceChildren(...told(story, other).slice(1));
      const words = told(other, story).map((plain, k) => {
        if (!open || !choices[k].length) return plain;
        const marks = { class: plain.className, "aria-pressed": String(k === asked) };
        return attnkit.button(other[k], () => figure.put({ asked: k === asked ? -1 : k }), marks);
      });
      theirs.replaceChildren(...words.slice(1));
      attnkit.walk(words.filter((word) => word instanceof HTMLButtonElement));
      const others = open && asked >= 0 ? choices[asked].filter(([word]) => word !== other[asked]) : [];
      const buttons = others.map((choice) => attnkit.button(choice[0], () => change(other, asked, choice)));
      offered.replaceChildren(...buttons);
      attnkit.walk(buttons);
    }
    return { elements: [names, h("b", {}, "This story:"), ours, label, theirs, offered], show };
  }

  // Which of two answers wins: the sum of all bars, between their names; a mark where this story began.
  function tug(packed) {
    const [bar, mark, names] = [attnkit.balance(), h("span", { class: "ak-mark" }), [h("span"), h("span")]];
    const scale = h("div", { class: "ak-tug", "aria-hidden": true }, bar, mark);
    function show({ found }, pair) {
      const runs = [found.ours, found.theirs, found.changed].map(({ scores }) => scores[pair[0]] - scores[pair[1]]);
      const most = Math.max(...runs.map(Math.abs), 1e-9);
      bar.show(runs[2], most);
      attnkit.style(mark, "left", `${50 - (50 * runs[0]) / most}%`);
      const chances = attnkit.softmax(found.changed.scores);
      names.forEach((name, k) => {
        attnkit.write(name, `${packed.words[pair[k]]} ${fixed(chances[pair[k]])}`);
        attnkit.attr(name, "class", pair[k] === found.changed.best ? "ak-won" : "");
      });
    }
    return { elements: [h("div", { class: "ak-names" }, names), scale], show };
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
    const [told, parts, wins] = [texts(figure, pairs), lines(figure, model, packed), tug(packed)];
    function update(state) {
      const { other, moves } = state;
      const { story } = pairs[state.pair];
      const found = read(story, other, moves);
      const [best, next] = [found.ours.best, attnkit.ranked(found.ours.scores)[1]];
      const pair = /** @type {Point} */ ([best, found.theirs.best === best ? next : found.theirs.best]);
      const adds = [found.theirs, found.changed].map(({ traced }) => model.contributions(traced, ...pair));
      const most = Math.max(...adds.flat().map((one) => Math.abs(one.adds)), 1e-9);
      const now = { found, adds, moves, story, other, most };
      told.show(state);
      for (const row of parts.rows) row.show(now);
      wins.show(now, pair);
      figure.say(sentence(packed, found, moves));
    }
    const answer = h("div", { class: "ak-answer" }, wins.elements, figure.live);
    const left = h("div", {}, told.elements, answer);
    return { parts: [h("div", { class: "ak-sides" }, left, parts), attnkit.row(figure.reset())], update };
  }

  attnkit.register("part_mover", { label: "Two stories, and parts moved between them", wide: true, compute, build });
})(globalThis.attnkit);
