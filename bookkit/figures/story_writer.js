// A trained Transformer writes a story word by word: what may come next, and where the newest word looks.
((attnkit) => {
  "use strict";
  const { h, fixed, write, attr, quoted } = attnkit;

  /** @typedef {{ prompt: string, written: number[], seed: number, temperature: number }} Story */
  /** @typedef {Story & { head: Pair }} State */
  /** @typedef {{ packed: PackedDecoder }} Data */
  /** @typedef {Data & { beginnings: string[] }} Given */
  /** @typedef {ReturnType<typeof look>} Found */
  /** @typedef {ReturnType<typeof session>} Run */
  /** @typedef {(head: Pair) => void} Choose */

  const BEST = 5; // next words that are shown with their chances
  const FAINT = 0.05; // a weight without an arc; so there are at most twenty
  const [THICK, WIDE] = [7, 12]; // of a weight of 1, and of a chance of 1: pixels
  const PACE = 250; // milliseconds between two words
  const SEEDS = 10_000;
  const [START, END] = ["<start>", "<end>"];

  // ---- the arithmetic, compared with StoryWriter by tests/figures/

  const numbersOf = ({ words }, { prompt, written }) =>
    [START, ...prompt.split(" ").filter(Boolean)].map((word) => words.indexOf(word)).concat(written);

  // What follows from the state, with a model that reads; the weights are those of the newest word, by layer and head.
  function look(model, { packed }, state) {
    const numbers = numbersOf(packed, state);
    const results = model.trace(numbers);
    const newest = numbers.length - 1;
    const weights = Array.from({ length: packed.num_layers }, (_, k) => results[`layers.${k}.weights`][newest]);
    const scores = results.scores[newest];
    const never = ["<pad>", START].map((word) => packed.words.indexOf(word));
    const order = attnkit.ranked(scores, never);
    const random = attnkit.random(state.seed, state.written.length);
    const full = numbers.length === packed.context ? "full" : null;
    return {
      numbers,
      scores,
      order,
      weights,
      chances: attnkit.chances(scores, order, state.temperature, null),
      next: attnkit.chosen(scores, order, state.temperature, null, random),
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

  // ---- the parts

  const curve = (start, ...others) => `M${attnkit.spot(start)}C${others.map(attnkit.spot).join(" ")}`;

  // An arc to another word: over the words of its line, or up to the foot of a word in a line above.
  function arc(from, to) {
    const [x, goal] = [from, to].map(({ left, right }) => (left + right) / 2);
    const up = from.top - to.top > 4 ? from.top - to.bottom : 0;
    const rise = up ? 0.8 * up : Math.min(8 + Math.abs(x - goal) / 10, 22);
    const end = from.top - up;
    return curve([x, from.top], [x, from.top - rise], [goal, up ? end + rise : end - rise], [goal, end]);
  }

  // A line from the end of the newest word down to one that may be next.
  function way(from, to) {
    const [x, goal] = [from.right, (to.left + to.right) / 2];
    const middle = (from.bottom + to.top) / 2;
    return curve([x, from.bottom], [x, middle], [goal, middle], [goal, to.top]);
  }

  // An arc from the newest word to each that gets some weight, and a line to each that may be next, as thick as its chance.
  function lines(tokens, bars) {
    const paths = (kind, count) => Array.from({ length: count }, () => attnkit.svg("path", { class: kind }));
    const [arcs, ways] = [paths("ak-arc", 1 / FAINT), paths("ak-way", bars.length)];
    const element = attnkit.svg("svg", { class: "ak-lines", "aria-hidden": "true" }, ways, arcs);
    let weights = /** @type {number[]} */ ([]); // of the words, the newest last
    let chances = /** @type {number[]} */ ([]);
    const box = (node) => attnkit.box(node, element);
    // All places are read before a line is written.
    function draw() {
      const places = weights.map((_, i) => box(tokens[i]));
      const ends = bars.map(box);
      const newest = places[places.length - 1];
      const seen = attnkit.ranked(weights, [places.length - 1]).filter((i) => weights[i] >= FAINT);
      arcs.forEach((path, k) => {
        attr(path, "d", k < seen.length ? arc(newest, places[seen[k]]) : "");
        attr(path, "stroke-width", (THICK * (weights[seen[k]] ?? 0)).toFixed(1));
      });
      ways.forEach((path, k) => {
        attr(path, "d", way(newest, ends[k]));
        attr(path, "stroke-width", (0.7 + WIDE * (chances[k] ?? 0)).toFixed(1));
      });
    }
    function show(looks, next) {
      [weights, chances] = [looks, next];
      draw();
    }
    return { element, show, draw };
  }

  // The story: the beginning underlined, the newest word framed, each word shaded by the weight that a head gives it; and the
  // likeliest next words, to be taken.
  function storyBox(packed, take) {
    const spaces = Array.from({ length: packed.context }, () => document.createTextNode(""));
    const tokens = spaces.map(() => h("span", { class: "ak-token" }, ""));
    const words = spaces.map((space, i) => [space, tokens[i]]);
    const text = h("p", { class: "ak-story" }, words); // made once: a page is not styled anew
    let order = /** @type {number[]} */ ([]);
    const bars = attnkit.wordBars(Math.min(BEST, packed.words.length - 2), (k) => take(order[k]));
    attr(bars.element, "aria-label", "Words to take, with their chances");
    const drawing = lines(tokens, bars.bars);
    const element = h("div", { class: "ak-box" }, drawing, text, bars);
    function show(found, { head: [layer, head], written }) {
      const { numbers, ended } = found;
      const weights = numbers.map((_, i) => found.weights[layer][head][i]);
      const given = numbers.length - written.length;
      const told = numbers.map((number) => packed.words[number]);
      attnkit.fill(tokens, told);
      tokens.forEach((token, i) => {
        const word = told[i] ?? "";
        const kinds = [
          "ak-token",
          i > 0 && i < given && "ak-given",
          i === told.length - 1 && "ak-newest",
          isMark(word) && "ak-small",
        ];
        write(spaces[i], !word || word === "." ? "" : " "); // a full stop stays with the word before it
        attr(token, "class", kinds.filter(Boolean).join(" "));
        attnkit.paint(token, Math.round(100 * (weights[i] ?? 0)) / 100, 1, "weight"); // finer is not seen
      });
      attr(element, "data-ended", String(Boolean(ended)));
      order = found.order.slice(0, BEST);
      const chances = order.map((k) => found.chances[k]);
      /** @type {[string, number][]} */
      const next = order.map((k, i) => [packed.words[k], chances[i]]);
      bars.show(next, { drawn: order.indexOf(found.next) });
      drawing.show(weights, chances);
    }
    const watch = new ResizeObserver(() => order.length && drawing.draw());
    for (const node of [element, ...bars.element.querySelectorAll(".ak-word")]) watch.observe(node); // letters arrive
    return { element, show, stop: () => watch.disconnect() };
  }

  // A button for each head, which shows it in the story, and the word that has most of its weight.
  function headChoice(packed, choose) {
    const heads = Array.from({ length: packed.num_layers * packed.num_heads }, (_, k) => {
      const [layer, head] = [Math.floor(k / packed.num_heads), k % packed.num_heads];
      const best = h("span", { class: "ak-best" });
      const parts = [h("span", {}, `layer ${layer + 1}, head ${head + 1}`), " ", best];
      const button = attnkit.button(parts, () => choose([layer, head]), { class: "ak-head" });
      return { layer, head, best, button };
    });
    const stop = attnkit.walk(heads.map(({ button }) => button));
    const label = "The heads, and the word that has most of the weight of each";
    const columns = `--heads: ${packed.num_heads}`;
    const props = { class: "ak-heads", role: "group", "aria-label": label, style: columns };
    function show({ numbers, weights }, { head: [shown, chosen] }) {
      stop.at(shown * packed.num_heads + chosen);
      for (const { layer, head, best, button } of heads) {
        write(best, strongest(packed, numbers, weights[layer][head]).join(" "));
        attr(button, "aria-pressed", String(layer === shown && head === chosen));
      }
    }
    const buttons = heads.map(({ button }) => button);
    return { element: h("div", props, buttons), show };
  }

  function strongest({ words }, numbers, weights) {
    const most = attnkit.argmax(weights);
    return [words[numbers[most]], fixed(weights[most])];
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

  function controls(figure, run, also) {
    const move = moves(figure, figure.get("packed"), run);
    const start = attnkit.button("Write", move.start, { class: "ak-primary" });
    const step = attnkit.button("Step", move.step);
    const back = attnkit.button("Back", move.back);
    const first = attnkit.button("To the beginning", move.first);
    const reset = figure.reset(() => {
      run.frames.halt();
      also();
    });
    const sow = (seed) => run.anew(`Seed ${seed}: the story is back at its beginning.`, { seed });
    const another = attnkit.button("New seed", () => sow((figure.get("seed") + 1) % SEEDS));
    const name = h("span", { "aria-hidden": "true" }, "seed");
    const seeds = attnkit.row(another, name, figure.seedField(SEEDS, sow));
    function show({ numbers, ended }, { written }) {
      write(start, run.frames.runs() ? "Stop" : "Write");
      for (const one of [start, step]) attr(one, "aria-disabled", String(Boolean(ended)));
      attr(back, "aria-disabled", String(numbers.length === 1));
      attr(first, "aria-disabled", String(written.length === 0));
    }
    return { element: attnkit.row(start, step, back, seeds, figure.temperature("word"), reset), first, show };
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

  // Where the head looks, and what the model takes next, in words.
  function seenLine({ numbers, weights }, { head: [layer, head] }, packed) {
    const [word, weight] = strongest(packed, numbers, weights[layer][head]);
    return `Layer ${layer + 1}, head ${head + 1} looks most at ${quoted(word)}: ${weight}.`;
  }

  function drawnLine({ next, ended, chances }, { seed, temperature }, { words, context }) {
    if (ended) return ENDED[ended](context);
    if (temperature === 0) return `Temperature 0 takes the likeliest word, ${quoted(words[next])}.`;
    return `Framed: seed ${seed} takes ${quoted(words[next])}, chance ${fixed(chances[next])}.`;
  }

  function build(figure) {
    const data = figure.given("packed", "beginnings");
    const run = session(figure, data);
    const field = wordField(data.packed, adding(figure, data.packed, run));
    const parts = {
      story: storyBox(data.packed, run.take),
      controls: controls(figure, run, field.clear),
      heads: headChoice(data.packed, (head) => figure.put({ head })),
    };
    const [seen, drawn] = [h("span"), h("span")];
    function update(state) {
      const found = run.at();
      for (const part of Object.values(parts)) part.show(found, state);
      write(seen, seenLine(found, state, data.packed));
      write(drawn, drawnLine(found, state, data.packed));
      run.tell(found);
    }
    const model = whose(data, run);
    function stop() {
      run.frames.halt();
      parts.story.stop();
      model.stop();
    }
    const note = h("p", { class: "ak-small ak-note" }, seen, " ", drawn);
    const begins = presets(figure, run, data.beginnings);
    const rest = [parts.heads, attnkit.row(parts.controls.first), begins, field];
    const more = h("details", { class: "ak-more" }, h("summary", {}, "More"), rest);
    return { parts: [parts.story, note, parts.controls, model, figure.live, more], update, stop };
  }

  attnkit.register("story_writer", { label: "A model that writes a story", wide: true, compute, build });
})(globalThis.attnkit);
