// A trained Transformer writes a story word by word: what may come next, and where the newest word looks.
((attnkit) => {
  "use strict";
  const { h, fixed, write, attr, quoted } = attnkit;

  /** @typedef {{ prompt: string, written: number[], seed: number, temperature: number }} Story */
  /** @typedef {Story & { head: Pair, whole_map: boolean }} State */
  /** @typedef {{ packed: PackedDecoder, top_k: number | null }} Data */
  /** @typedef {Data & { beginnings: string[] }} Given */
  /** @typedef {ReturnType<typeof look>} Found */
  /** @typedef {ReturnType<typeof session>} Run */
  /** @typedef {(head: Pair) => void} Choose */

  const BEST = 10; // next words that are shown with their chances
  const LINKS = 5; // links of a map that are told in words
  const PACE = 250; // milliseconds between two words
  const SEEDS = 10_000;
  const [START, END] = ["<start>", "<end>"];

  // ---- the arithmetic, compared with StoryWriter by tests/figures/

  const numbersOf = ({ words }, { prompt, written }) =>
    [START, ...prompt.split(" ").filter(Boolean)].map((word) => words.indexOf(word)).concat(written);

  // What follows from the state, with a model that reads; the weights are those of the newest word, by layer and head.
  // `maps` are those of all words, by layer, place and head.
  function look(model, { packed, top_k }, state) {
    const numbers = numbersOf(packed, state);
    const results = model.trace(numbers);
    const weights = Array.from({ length: packed.num_layers }, (_, k) => results[`layers.${k}.weights`]);
    const newest = numbers.length - 1;
    const scores = results.scores[newest];
    const never = ["<pad>", START].map((word) => packed.words.indexOf(word));
    const order = attnkit.ranked(scores, never);
    const random = attnkit.random(state.seed, state.written.length);
    const full = numbers.length === packed.context ? "full" : null;
    return {
      numbers,
      scores,
      order,
      maps: weights,
      weights: weights.map((places) => places[newest]),
      chances: attnkit.chances(scores, order, state.temperature, top_k),
      next: attnkit.chosen(scores, order, state.temperature, top_k, random),
      ended: packed.words[numbers[newest]] === END ? "end" : full,
    };
  }

  const compute = (state) => look(attnkit.decoder(state.packed), state, state);

  // ---- in words

  /** @type {Record<string, (context: number) => string>} */
  const ENDED = {
    end: () => "The story has ended.",
    full: (context) => `The context is full: the model reads at most ${context} words, ${START} among them.`,
  };

  // The sentence that ends at the newest word.
  function sentence(words) {
    const before = words.slice(0, -1).lastIndexOf(".");
    return words
      .slice(Math.max(before + 1, 1))
      .join(" ")
      .replace(/ \.$/, ".");
  }

  const isMark = (word) => /^<.*>$/.test(word);

  // What is said of a state that rests.
  function standing({ ended, order, chances }, { words, context }) {
    if (ended) return ENDED[ended](context);
    return `The likeliest next word is ${quoted(words[order[0]])}, chance ${fixed(chances[order[0]])}.`;
  }

  // A text of the reader as words of the model, or the first that it does not know.
  function reading(text, words) {
    const typed = text.replaceAll(".", " . ").split(/\s+/).filter(Boolean);
    const known = words.filter((word) => !isMark(word));
    const found = typed.map(
      (word) => known.find((one) => one === word) ?? known.find((one) => one.toLowerCase() === word.toLowerCase()),
    );
    const unknown = found.indexOf(undefined);
    return { found: found.filter((word) => word !== undefined), unknown: typed[unknown], count: known.length };
  }

  // The strongest weights of a map between two words, <start> left out.
  function links(map) {
    /** @type {{ i: number, j: number, weight: number }[]} */
    const best = [];
    map.forEach((row, i) => {
      for (let j = 1; j < i; j++) {
        const at = best.findIndex(({ weight }) => weight < row[j]);
        if (at >= 0) best.splice(at, 0, { i, j, weight: row[j] });
        else if (best.length < LINKS) best.push({ i, j, weight: row[j] });
        best.length = Math.min(best.length, LINKS);
      }
    });
    return best;
  }

  // ---- the parts

  // The story: the beginning underlined, the newest word framed, each word shaded by the weight that a head gives it.
  function storyBox(packed) {
    const spaces = Array.from({ length: packed.context }, () => document.createTextNode(""));
    const tokens = spaces.map(() => h("span", { class: "ak-token" }, ""));
    const text = h(
      "p",
      { class: "ak-story" },
      spaces.map((space, i) => [space, tokens[i]]),
    ); // made once: a page is not styled anew
    const note = h("p", { class: "ak-small ak-note" });
    function show({ numbers, weights }, { head: [layer, head], written }) {
      const given = numbers.length - written.length;
      const words = numbers.map((number) => packed.words[number]);
      attnkit.fill(tokens, words);
      tokens.forEach((token, i) => {
        const word = words[i] ?? "";
        const kinds = [
          "ak-token",
          i > 0 && i < given && "ak-given",
          i === words.length - 1 && "ak-newest",
          isMark(word) && "ak-small",
        ];
        write(spaces[i], !word || word === "." ? "" : " "); // a full stop stays with the word before it
        attr(token, "class", kinds.filter(Boolean).join(" "));
        attnkit.paint(token, Math.round(100 * (weights[layer][head][i] ?? 0)) / 100, 1, "weight"); // finer is not seen
      });
      const shade = `Shaded: how much weight layer ${layer + 1}, head ${head + 1} gives each word from the newest one, which is framed.`;
      write(note, given > 1 ? `Underlined: the beginning. ${shade}` : shade);
    }
    return { element: h("div", { class: "ak-box" }, text, note), show };
  }

  // The likeliest next words, to be taken.
  function nextWords(packed, take) {
    let order = /** @type {number[]} */ ([]);
    const bars = attnkit.wordBars(Math.min(BEST, packed.words.length - 2), (k) => take(order[k]));
    attr(bars.element, "aria-label", "Words to take, with their chances");
    function show(found) {
      attnkit.style(bars.element, "visibility", found.ended ? "hidden" : "");
      if (found.ended) return;
      order = found.order;
      /** @type {[string, number][]} */
      const words = order.slice(0, BEST).map((k) => [packed.words[k], found.chances[k]]);
      bars.show(words, { drawn: order.indexOf(found.next) });
    }
    return { element: bars.element, show };
  }

  // A row for each head: its name, which shows it in the story, its weights from the newest word back, the strongest.
  function headRow(packed, layer, head, choose) {
    const strip = attnkit.raster(1, packed.context, ["weight"]);
    const best = h("span", { class: "ak-best", id: attnkit.id("best") });
    const props = { class: "ak-head", "aria-describedby": best.id };
    const words = `layer ${layer + 1}, head ${head + 1}`;
    const button = attnkit.button(words, () => choose([layer, head]), props);
    function show(words, weights, chosen) {
      strip.show([...[...weights].reverse(), ...new Array(packed.context - weights.length).fill(0)], 1);
      const most = attnkit.argmax(weights);
      write(best, `${words[most]} ${fixed(weights[most])}`);
      attr(button, "aria-pressed", String(chosen[0] === layer && chosen[1] === head));
    }
    return { button, strip: strip.element, best, show };
  }

  function headRows(packed, choose) {
    const count = packed.num_layers * packed.num_heads;
    const rows = Array.from({ length: count }, (_, k) =>
      headRow(packed, Math.floor(k / packed.num_heads), k % packed.num_heads, choose),
    );
    const names = Array.from({ length: packed.context }, () => h("span", {}, ""));
    const strips = h("div", { class: "ak-strips", style: `--places: ${packed.context}` });
    strips.append(h("div", { class: "ak-edge" }, names), ...rows.map(({ strip }) => strip));
    const label = "Weights from the newest word back";
    const scroll = h("div", { class: "ak-scroll", role: "group", tabindex: 0, "aria-label": label }, strips);
    const column = (kind, title, parts) =>
      h("div", { class: kind }, h("span", { class: "ak-small ak-edge" }, title), parts);
    const [buttons, best] = [rows.map((row) => row.button), rows.map((row) => row.best)];
    const stop = attnkit.walk(buttons);
    function show({ numbers, weights }, { head }) {
      const words = numbers.map((number) => packed.words[number]);
      attnkit.fill(names, words); // the style sheet turns them round
      attnkit.style(strips, "width", `calc(${words.length} * var(--cell))`);
      attr(scroll, "style", `--count: ${4 * Math.ceil(words.length / 4)}`); // seldom another size
      stop.at(head[0] * packed.num_heads + head[1]);
      rows.forEach((row, k) => {
        row.show(words, weights[Math.floor(k / packed.num_heads)][k % packed.num_heads], head);
      });
    }
    const parts = [column("ak-names", "", buttons), scroll, column("ak-strongest", "most weight", best)];
    return { element: h("div", { class: "ak-heads" }, parts), show };
  }

  // The whole map of a head: a square for each pair of words, the words at its edges, the strongest links in words.
  function wholeMap(packed) {
    const raster = attnkit.raster(packed.context, packed.context, ["weight"]);
    const edges = [0, 1].map(() => Array.from({ length: packed.context }, () => h("span", {}, "")));
    const [top, side] = ["ak-top", "ak-left"].map((kind, k) => h("div", { class: kind }, edges[k]));
    const text = h("p");
    const squares = h("div", { class: "ak-squares" }, raster.element);
    const corner = h("span", { class: "ak-small" }, "looks ↓ at →");
    const group = { class: "ak-map", role: "group", tabindex: 0, "aria-label": "The whole map" };
    const grid = h("div", group, corner, top, side, squares);
    const element = h("div", { class: "ak-whole" }, grid, text);
    function show({ numbers, maps }, { head: [layer, head], whole_map }) {
      attnkit.style(element, "display", whole_map ? "" : "none");
      const n = whole_map ? numbers.length : 0;
      const words = numbers.map((number) => packed.words[number]);
      for (const edge of edges) attnkit.fill(edge, words.slice(0, n));
      attr(grid, "style", `--count: ${8 * Math.ceil(n / 8)}; --places: ${packed.context}`); // seldom another size
      for (const node of [top, squares]) attnkit.style(node, "width", `calc(${n} * var(--cell))`);
      for (const node of [side, squares]) attnkit.style(node, "height", `calc(${n} * var(--cell))`);
      if (!whole_map) return write(text, "");
      const map = maps[layer].map((heads) => heads[head]);
      const places = Array.from({ length: packed.context }, (_, k) => k);
      const whole = places.flatMap((i) => places.map((j) => map[i]?.[j] ?? 0));
      raster.show(whole, 1);
      const told = links(map).map(({ i, j, weight }) => `${quoted(words[i])} at ${quoted(words[j])} ${fixed(weight)}`);
      const strongest = told.length ? `Strongest links to an earlier word: ${told.join(", ")}.` : "";
      write(text, `Layer ${layer + 1}, head ${head + 1}: a row for each word that looks. ${strongest}`);
    }
    return { element, show };
  }

  // ---- the reader's words: a field, for which the browser lists what the model knows

  function wordField(packed, add) {
    const known = packed.words.filter((word) => !isMark(word)).sort((a, b) => a.localeCompare(b, "en"));
    const list = h("datalist", { id: attnkit.id("words") });
    const quiet = { autocomplete: "off", autocapitalize: "off", spellcheck: "false", "aria-label": "your next word" };
    const input = h("input", { type: "text", list: list.id, ...quiet, class: "ak-field" });
    const refusal = h("p", { class: "ak-refusal" });
    function refuse(sentence) {
      write(refusal, sentence);
      attr(input, "aria-invalid", String(sentence !== ""));
    }
    // The list goes on from the words that stand there already.
    function offer() {
      const before = input.value.replace(/\S*$/, "");
      list.replaceChildren(...known.map((word) => h("option", { value: before + word })));
    }
    function clear() {
      input.value = "";
      refuse("");
      offer();
    }
    function take() {
      const blank = !input.value.trim();
      const refused = blank ? "Type a word, or choose one from the list." : add(input.value);
      if (!refused) return clear();
      refuse(refused);
      if (blank) input.focus();
    }
    attnkit.keys(input, { Enter: take });
    input.addEventListener("input", () => {
      refuse("");
      offer();
    });
    offer();
    const name = h("span", { class: "ak-name", "aria-hidden": "true" }, "your next word");
    const row = h("div", { class: "ak-buttons ak-pick" }, name, input, list, attnkit.button("Add", take));
    return { element: h("div", {}, row, refusal), clear };
  }

  // ---- what goes on

  // The story as it goes on: each way to change it sets the state, tells what was done, and halts what writes.
  function session(figure, data) {
    const { words } = data.packed;
    let model = attnkit.decoder(data.packed);
    let preface = "";
    const at = (state = figure.state()) => look(model, data, state);
    const frames = attnkit.clock(() => more());
    function act(said, changes) {
      frames.halt();
      [preface, figure.stale] = [`${said} `, true];
      figure.put(changes);
    }
    // One word more while the writing goes on.
    function more() {
      const { next, ended } = at();
      if (!ended) figure.put({ written: [...figure.get("written"), next] });
      if (at().ended) act("", {});
    }
    function take(word, by = "You") {
      const { chances, ended } = at();
      if (ended) return act("", {});
      const said = `${by} took ${quoted(words[word])}, chance ${fixed(chances[word])}.`;
      act(said, { written: [...figure.get("written"), word] });
    }
    const anew = (said, changes) => act(said, { ...changes, written: [] });
    function tell(found) {
      const told = found.numbers.map((number) => words[number]);
      const complete = told[told.length - 1] === "." ? `A sentence is complete: ${quoted(sentence(told))} ` : "";
      if (!frames.runs()) figure.say(`${preface}${complete}${standing(found, data.packed)}`.trim());
      else if (complete) figure.say(complete.trim());
      preface = "";
    }
    /** @param {PackedDecoder} packed @param {string} said */
    function use(packed, said) {
      model = attnkit.decoder(packed);
      act(said, {});
    }
    return { at, act, more, take, anew, tell, use, frames };
  }

  // What the buttons do.
  function moves(figure, { words }, { at, act, more, take, anew, frames }) {
    function toTheEnd() {
      let state = figure.state();
      for (let now = at(state); !now.ended; now = at(state))
        state = { ...state, written: [...state.written, now.next] };
      return state.written;
    }
    function start() {
      if (frames.runs()) return act("The writing has stopped.", {});
      if (at().ended) return act("", {});
      if (attnkit.calm())
        return act("Written at once, because your device asks for less motion.", { written: toTheEnd() });
      frames.start(PACE);
      figure.say("The model writes.");
      more();
    }
    function back() {
      const { prompt, written } = figure.state();
      const given = prompt.split(" ").filter(Boolean);
      const last = written.length ? words[written[written.length - 1]] : given.pop();
      if (!last) return act("There is no word to take away.", {});
      act(
        `Taken away: ${quoted(last)}.`,
        written.length ? { written: written.slice(0, -1) } : { prompt: given.join(" ") },
      );
    }
    return { start, back, step: () => take(at().next, "The model"), first: () => anew("Back at the beginning.", {}) };
  }

  // Words of the reader, at the end of what there is: the beginning, or what has been written. Returns why not, or "".
  function adding(figure, { words, context }, { at, act }) {
    function why({ found, unknown, count }) {
      const { numbers, ended } = at();
      if (unknown) return `The model does not know ${quoted(unknown)}. It knows ${count} words; the list shows them.`;
      if (ended) return `${ENDED[ended](context)} “Back” takes the last word away.`;
      return numbers.length + found.length > context ? ENDED.full(context) : "";
    }
    return (/** @type {string} */ text) => {
      const read = reading(text, words);
      const refused = why(read);
      if (refused) {
        figure.say(refused);
        return refused;
      }
      const { prompt, written } = figure.state();
      const said = `Added: ${quoted(read.found.join(" "))}.`;
      if (written.length) act(said, { written: [...written, ...read.found.map((word) => words.indexOf(word))] });
      else act(said, { prompt: [prompt, ...read.found].join(" ").trim() });
      return "";
    };
  }

  // ---- the controls

  function seedField(figure, run) {
    const take = (seed) => run.anew(`Seed ${seed}: the story is back at its beginning.`, { seed });
    const input = figure.seedField(SEEDS, take);
    const another = attnkit.button("New seed", () => take((figure.get("seed") + 1) % SEEDS));
    return attnkit.row(h("span", { "aria-hidden": "true" }, "seed"), input, another);
  }

  function buttons(figure, run, also) {
    const move = moves(figure, figure.get("packed"), run);
    const start = attnkit.button("Write", move.start, { class: "ak-primary" });
    const step = attnkit.button("Step", move.step);
    const back = attnkit.button("Back", move.back);
    const first = attnkit.button("To the beginning", move.first);
    const reset = figure.reset(() => {
      run.frames.halt();
      also();
    });
    function show({ numbers, ended }, { written }) {
      write(start, run.frames.runs() ? "Stop" : "Write");
      for (const one of [start, step]) attr(one, "aria-disabled", String(Boolean(ended)));
      attr(back, "aria-disabled", String(numbers.length === 1));
      attr(first, "aria-disabled", String(written.length === 0));
    }
    return { element: attnkit.row(start, step, back, first, reset), show };
  }

  // What a story may begin with; with nothing, the reader's words make the beginning.
  function presets(figure, run, beginnings) {
    const all = ["", ...beginnings];
    const told = all.map((text) => text.replace(/ \./g, ".") || "nothing");
    const begin = (k) => run.anew(`Begun with ${all[k] ? quoted(told[k]) : told[k]}.`, { prompt: all[k] });
    const read = ({ prompt, written }) => (written.length ? -1 : all.indexOf(prompt));
    return figure.follow(attnkit.choice("begin with", told, begin), { read });
  }

  // Whose model writes: the book's, or the one that the reader has trained, where there is one of its sizes.
  function whose({ packed }, run) {
    const sizes = /** @type {const} */ (["words", "num_layers", "num_heads", "context"]);
    /** @type {PackedDecoder} */
    let now = packed;
    function choose(k) {
      now = (k && attnkit.mine()) || packed;
      run.use(now, k ? "Your model writes." : "The book's model writes.");
      choice.show(k);
    }
    const choice = attnkit.choice("model", ["the book's", "mine"], choose);
    function follow() {
      const mine = attnkit.mine();
      choice.element.hidden = !mine || sizes.some((name) => String(mine[name]) !== String(packed[name]));
      if (now !== packed) choose(choice.element.hidden ? 0 : 1);
      else choice.show(0);
    }
    document.addEventListener("ak-mine", follow);
    follow();
    return { element: choice.element, stop: () => document.removeEventListener("ak-mine", follow) };
  }

  // What the model takes next, in words.
  function drawnLine({ next, ended, chances }, { seed, temperature }, { words, context }, most) {
    if (ended) return ENDED[ended](context);
    if (temperature === 0) return `At temperature 0 the model takes the likeliest word, ${quoted(words[next])}.`;
    const among = most ? `Only the ${most} likeliest are drawn. ` : "";
    return `${among}With seed ${seed} the model takes ${quoted(words[next])}, chance ${fixed(chances[next])}.`;
  }

  function build(figure) {
    const data = figure.given("packed", "top_k", "beginnings");
    const run = session(figure, data);
    const field = wordField(data.packed, adding(figure, data.packed, run));
    const parts = {
      story: storyBox(data.packed),
      buttons: buttons(figure, run, field.clear),
      next: nextWords(data.packed, run.take),
      heads: headRows(data.packed, (head) => figure.put({ head })),
      map: wholeMap(data.packed),
    };
    const [drawn, title] = [h("p", { class: "ak-small ak-drawn-line" }), h("p", { class: "ak-title" })];
    const whole = figure.button("", ({ whole_map }) => ({ whole_map: !whole_map }));
    function update(state) {
      const found = run.at();
      const newest = data.packed.words[found.numbers[found.numbers.length - 1]];
      for (const part of Object.values(parts)) part.show(found, state);
      write(drawn, drawnLine(found, state, data.packed, data.top_k));
      write(title, `Where ${quoted(newest)} looks, newest word first`);
      write(whole, state.whole_map ? "Hide the whole map" : "Show the whole map of this head");
      run.tell(found);
    }
    const model = whose(data, run);
    const sliders = h("div", { class: "ak-last-row" }, figure.temperature("word"), seedField(figure, run));
    function stop() {
      run.frames.halt();
      model.stop();
    }
    // The bars stand right under the story and its buttons, then the heads: what a press changes is in sight, on a phone,
    // too. Where there is room, the heads stand beside them.
    const asked = h("p", { class: "ak-title" }, "What comes next: press a word to take it");
    const writes = h("div", {}, parts.story, parts.buttons, asked, drawn, parts.next);
    const looks = h("div", {}, title, parts.heads, attnkit.row(whole), parts.map);
    const sets = h("div", {}, model, sliders, presets(figure, run, data.beginnings), field);
    return { parts: [h("div", { class: "ak-sides" }, writes, looks, sets)], update, stop };
  }

  attnkit.register("story_writer", { label: "A model that writes a story", wide: true, compute, build });
})(globalThis.attnkit);
