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

  /** @param {PackedDecoder} packedDecoder @param {Pick<Story, "prompt"|"written">} story */
  const numbersOf = ({ words }, { prompt, written }) =>
    [START, ...prompt.split(" ").filter(Boolean)].map((word) => words.indexOf(word)).concat(written);

  // What follows from the state, with a model that reads; the weights are those of the newest word, by layer and head.
  // `maps` are those of all words, by layer, place and head.
  /** @param {Decoder} model @param {Data} data @param {Story} state */
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

  /** @param {Data & Story} state */
  const compute = (state) => look(attnkit.decoder(state.packed), state, state);

  // ---- in words

  /** @type {Record<string, (context: number) => string>} */
  const ENDED = {
    end: () => "The story has ended.",
    full: (context) => `The context is full: the model reads at most ${context} words, ${START} among them.`,
  };

  // The sentence that ends at the newest word.
  /** @param {string[]} words */
  function sentence(words) {
    const before = words.slice(0, -1).lastIndexOf(".");
    return words
      .slice(Math.max(before + 1, 1))
      .join(" ")
      .replace(/ \.$/, ".");
  }

  // What is said of a state that rests.
  /** @param {Found} found @param {PackedDecoder} packedDecoder */
  function standing({ ended, order, chances }, { words, context }) {
    if (ended) return ENDED[ended](context);
    return `The likeliest next word is ${quoted(words[order[0]])}, chance ${fixed(chances[order[0]])}.`;
  }

  // A text of the reader as words of the model, or the first that it does not know.
  /** @param {string} text @param {string[]} words */
  function reading(text, words) {
    const typed = text.replaceAll(".", " . ").split(/\s+/).filter(Boolean);
    const known = words.filter((word) => !/^<.*>$/.test(word));
    const found = typed.map(
      (word) => known.find((one) => one === word) ?? known.find((one) => one.toLowerCase() === word.toLowerCase()),
    );
    const unknown = found.indexOf(undefined);
    return { found: found.filter((word) => word !== undefined), unknown: typed[unknown], count: known.length };
  }

  // The strongest weights of a map between two words, <start> left out.
  /** @param {Matrix} map */
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

  // Elements for words, all made when the first is asked for: a new word is written into one that is there, as to put
  // one more into a page has much of the page styled anew. Those without a word are empty; without any word all go.
  /**
   * @template {(HTMLElement | Text)[]} T
   * @param {HTMLElement} parent
   * @param {number} most
   * @param {() => T} make
   */
  function pool(parent, most, make) {
    let made = /** @type {T[]} */ ([]);
    return (/** @type {number} */ count) => {
      if (count && !made.length) {
        made = Array.from({ length: most }, make);
        parent.append(...made.flat());
      }
      if (!count) for (const node of made.splice(0).flat()) node.remove();
      for (const node of made.slice(count).flat()) {
        write(node, "");
        if (!(node instanceof HTMLElement)) continue;
        if (node.className) attr(node, "class", "");
        if (node.style.backgroundColor) attnkit.style(node, "backgroundColor", "");
      }
      return made.slice(0, count);
    };
  }

  // The story: the beginning underlined, the newest word framed, each word shaded by the weight that a head gives it.
  /** @param {PackedDecoder} packed */
  function storyBox(packed) {
    const text = h("p", { class: "ak-story" });
    const note = h("p", { class: "ak-small ak-note" });
    const pair = () => /** @type {[Text, HTMLElement]} */ ([document.createTextNode(""), h("span", {}, "")]);
    const tokens = pool(text, packed.context, pair);
    /** @param {Found} found @param {State} state */
    function show({ numbers, weights }, { head: [layer, head], written }) {
      const given = numbers.length - written.length;
      const words = numbers.map((number) => packed.words[number]);
      tokens(words.length).forEach(([space, token], i) => {
        const word = words[i];
        const kinds = [
          "ak-token",
          i > 0 && i < given && "ak-given",
          i === numbers.length - 1 && "ak-newest",
          /^<.*>$/.test(word) && "ak-small",
        ];
        write(space, word === "." ? "" : " "); // a full stop stays with the word before it
        write(token, word);
        attr(token, "class", kinds.filter(Boolean).join(" "));
        attnkit.paint(token, Math.round(100 * weights[layer][head][i]) / 100, 1, "weight"); // finer is not seen
      });
      const shade = `Shaded: how much weight layer ${layer + 1}, head ${head + 1} gives each word from the newest one, which is framed.`;
      write(note, given > 1 ? `Underlined: the beginning. ${shade}` : shade);
    }
    return { element: h("div", { class: "ak-box" }, text, note), show };
  }

  // The likeliest next words, to be taken.
  /** @param {PackedDecoder} packed @param {(word: number) => void} take */
  function nextWords(packed, take) {
    let order = /** @type {number[]} */ ([]);
    const bars = Array.from({ length: Math.min(BEST, packed.words.length - 2) }, (_, k) => {
      const [fill, word, chance] = ["ak-share", "ak-word", "ak-num"].map((kind) => h("span", { class: kind }));
      const button = attnkit.button([fill, word, chance], () => take(order[k]), { class: "ak-bar" });
      word.after(" "); // for who hears the two
      return { button, fill, word, chance };
    });
    attnkit.walk(bars.map(({ button }) => button));
    const group = { class: "ak-bars", role: "group", "aria-label": "Words to take, with their chances" };
    const element = h("div", group, ...bars.map(({ button }) => button));
    /** @param {Found} found */
    function show(found) {
      attnkit.style(element, "visibility", found.ended ? "hidden" : "");
      if (found.ended) return;
      order = found.order;
      bars.forEach(({ button, fill, word, chance }, k) => {
        const [name, share] = [packed.words[order[k]], found.chances[order[k]]];
        write(word, name);
        write(chance, fixed(share));
        attnkit.style(fill, "transform", `scaleX(${share.toFixed(3)})`);
        attr(button, "class", order[k] === found.next ? "ak-bar ak-drawn" : "ak-bar");
      });
    }
    return { element, show };
  }

  // A row for each head: its name, which shows it in the story, its weights from the newest word back, the strongest.
  /** @param {PackedDecoder} packed @param {number} layer @param {number} head @param {Choose} choose */
  function headRow(packed, layer, head, choose) {
    const strip = attnkit.raster(1, packed.context, ["weight"]);
    const best = h("span", { class: "ak-best", id: attnkit.id("best") });
    const props = { class: "ak-head", "aria-describedby": best.id };
    const words = `layer ${layer + 1}, head ${head + 1}`;
    const button = attnkit.button(words, () => choose([layer, head]), props);
    /** @param {string[]} words @param {number[]} weights @param {Pair} chosen */
    function show(words, weights, chosen) {
      const back = [...weights].reverse();
      strip.show(
        Array.from({ length: packed.context }, (_, k) => back[k] ?? 0),
        1,
      );
      const most = attnkit.argmax(weights);
      write(best, `${words[most]} ${fixed(weights[most])}`);
      attr(button, "aria-pressed", String(chosen[0] === layer && chosen[1] === head));
    }
    return { button, strip: strip.element, best, show };
  }

  /** @param {PackedDecoder} packed @param {Choose} choose */
  function headRows(packed, choose) {
    const count = packed.num_layers * packed.num_heads;
    const rows = Array.from({ length: count }, (_, k) =>
      headRow(packed, Math.floor(k / packed.num_heads), k % packed.num_heads, choose),
    );
    const stop = attnkit.walk(rows.map((row) => row.button));
    const names = h("div", { class: "ak-edge" });
    const edge = pool(names, packed.context, () => [h("span", {}, "")]);
    const strips = h(
      "div",
      { class: "ak-strips", style: `--places: ${packed.context}` },
      names,
      ...rows.map(({ strip }) => strip),
    );
    const label = "Weights from the newest word back";
    const scroll = h("div", { class: "ak-scroll", role: "group", tabindex: 0, "aria-label": label }, strips);
    /** @param {string} kind @param {string} title @param {HTMLElement[]} parts */
    const column = (kind, title, parts) =>
      h("div", { class: kind }, h("span", { class: "ak-small ak-edge" }, title), ...parts);
    const buttons = column(
      "ak-names",
      "",
      rows.map((row) => row.button),
    );
    const strongest = column(
      "ak-strongest",
      "most weight",
      rows.map((row) => row.best),
    );
    /** @param {Found} found @param {State} state */
    function show({ numbers, weights }, { head }) {
      const words = numbers.map((number) => packed.words[number]);
      edge(words.length).forEach(([node], k) => write(node, words[k])); // the style sheet turns them round
      attnkit.style(strips, "width", `calc(${words.length} * var(--cell))`);
      attr(scroll, "style", `--count: ${4 * Math.ceil(words.length / 4)}`); // seldom another size
      stop.at(head[0] * packed.num_heads + head[1]);
      rows.forEach((row, k) => {
        row.show(words, weights[Math.floor(k / packed.num_heads)][k % packed.num_heads], head);
      });
    }
    return { element: h("div", { class: "ak-heads" }, buttons, scroll, strongest), show };
  }

  // The whole map of a head: a square for each pair of words, the words at its edges, the strongest links in words.
  /** @param {PackedDecoder} packed */
  function wholeMap(packed) {
    const raster = attnkit.raster(packed.context, packed.context, ["weight"]);
    const [top, side, text] = [h("div", { class: "ak-top" }), h("div", { class: "ak-left" }), h("p", {})];
    const edges = [top, side].map((edge) => pool(edge, packed.context, () => [h("span", {}, "")]));
    const squares = h("div", { class: "ak-squares" }, raster.element);
    const grid = h("div", { class: "ak-map", role: "group", tabindex: 0, "aria-label": "The whole map" });
    grid.append(h("span", { class: "ak-small" }, "looks ↓ at →"), top, side, squares);
    const element = h("div", { class: "ak-whole" }, grid, text);
    /** @param {Found} found @param {State} state */
    function show({ numbers, maps }, { head: [layer, head], whole_map }) {
      attnkit.style(element, "display", whole_map ? "" : "none");
      const n = whole_map ? numbers.length : 0;
      const words = numbers.map((number) => packed.words[number]);
      for (const edge of edges) edge(n).forEach(([node], k) => write(node, words[k]));
      attr(grid, "style", `--count: ${8 * Math.ceil(n / 8)}; --places: ${packed.context}`); // seldom another size
      for (const node of [top, squares]) attnkit.style(node, "width", `calc(${n} * var(--cell))`);
      for (const node of [side, squares]) attnkit.style(node, "height", `calc(${n} * var(--cell))`);
      if (!whole_map) return write(text, "");
      const map = maps[layer].map((heads) => heads[head]);
      const whole = new Array(packed.context ** 2).fill(0);
      map.forEach((row, i) => {
        row.forEach((weight, j) => {
          whole[i * packed.context + j] = weight;
        });
      });
      raster.show(whole, 1);
      const told = links(map).map(({ i, j, weight }) => `${quoted(words[i])} at ${quoted(words[j])} ${fixed(weight)}`);
      const strongest = told.length ? `Strongest links to an earlier word: ${told.join(", ")}.` : "";
      write(text, `Layer ${layer + 1}, head ${head + 1}: a row for each word that looks. ${strongest}`);
    }
    return { element, show };
  }

  // ---- the reader's words: a field with a list of what the model knows, which typing makes shorter

  // The list under a field: `fit` gives the words that go on from what has been typed, `pick` takes one.
  /** @param {HTMLInputElement} input @param {(text: string) => string[]} fit @param {(word: string) => void} pick */
  function wordList(input, fit, pick) {
    const list = h("ul", {
      class: "ak-list",
      role: "listbox",
      id: attnkit.id("words"),
      "aria-label": "Words",
      hidden: true,
    });
    attr(input, "aria-controls", list.id);
    let [options, active] = [/** @type {HTMLElement[]} */ ([]), -1];
    /** @param {number} k */
    function mark(k) {
      active = k;
      options.forEach((option, i) => attr(option, "aria-selected", String(i === k)));
      if (k < 0) return input.removeAttribute("aria-activedescendant");
      input.setAttribute("aria-activedescendant", options[k].id);
      const { offsetTop, offsetHeight } = options[k];
      list.scrollTop = Math.min(Math.max(list.scrollTop, offsetTop + offsetHeight - list.clientHeight), offsetTop);
    }
    /** @param {string[]} words */
    function show(words) {
      options = words.map((word, k) => {
        const props = { role: "option", id: `${list.id}-${k}`, "aria-selected": "false", onclick: () => pick(word) };
        return h("li", props, word);
      });
      list.replaceChildren(...options);
      list.hidden = !options.length;
      attr(input, "aria-expanded", String(!list.hidden));
      mark(-1);
    }
    const open = () => show(fit(input.value));
    /** @param {number} by */
    function move(by) {
      if (list.hidden) open();
      const n = options.length;
      if (n) mark(active < 0 ? (by > 0 ? 0 : n - 1) : (active + by + n) % n);
    }
    list.addEventListener("pointerdown", (event) => event.preventDefault()); // the field keeps the focus
    return { list, open, move, close: () => show([]), active: () => options[active]?.textContent };
  }

  // What stands before the word that is being typed.
  /** @param {string} text */
  const head = (text) => text.slice(0, text.search(/\S*$/));

  /** @param {PackedDecoder} packed @param {(text: string) => string} add */
  function wordField(packed, add) {
    const known = packed.words.filter((word) => !/^<.*>$/.test(word)).sort((a, b) => a.localeCompare(b, "en"));
    const props = { type: "text", role: "combobox", "aria-expanded": "false", "aria-autocomplete": "list" };
    const quiet = { autocomplete: "off", autocapitalize: "off", spellcheck: "false", "aria-label": "your next word" };
    const input = h("input", { ...props, ...quiet, class: "ak-field" });
    const refusal = h("p", { class: "ak-refusal" });
    /** @param {string} text */
    const fit = (text) => {
      const begun = text.slice(head(text).length).toLowerCase();
      return known.filter((word) => word.toLowerCase().startsWith(begun));
    };
    /** @param {string} sentence */
    function refuse(sentence) {
      write(refusal, sentence);
      attr(input, "aria-invalid", String(sentence !== ""));
    }
    /** @param {string} text */
    function take(text) {
      if (!text.trim()) {
        write(refusal, "Type a word, or choose one from the list.");
        input.focus();
        return words.open();
      }
      words.close();
      const refused = add(text);
      refuse(refused);
      if (!refused) input.value = "";
    }
    const words = wordList(input, fit, (word) => take(head(input.value) + word));
    attnkit.keys(input, {
      ArrowDown: () => words.move(1),
      ArrowUp: () => words.move(-1),
      Enter: () => take(words.active() ? head(input.value) + words.active() : input.value),
      Escape: () => words.close(),
    });
    input.addEventListener("click", words.open); // a tap: a phone has no arrows
    input.addEventListener("input", () => {
      refuse("");
      words.open();
    });
    input.addEventListener("blur", words.close);
    function clear() {
      input.value = "";
      refuse("");
      words.close();
    }
    const button = attnkit.button("Add", () => take(input.value));
    const row = h(
      "div",
      { class: "ak-buttons ak-pick" },
      h("span", { class: "ak-name", "aria-hidden": "true" }, "your next word"),
      h("span", { class: "ak-combo" }, input, words.list),
      button,
    );
    return { element: h("div", {}, row, refusal), clear };
  }

  // ---- what goes on

  // The story as it goes on: each way to change it sets the state, tells what was done, and halts what writes.
  /** @param {Figure<State, Given>} figure @param {Data} data */
  function session(figure, data) {
    const { words } = data.packed;
    const model = attnkit.decoder(data.packed);
    let preface = "";
    /** @param {Story} [state] */
    const at = (state = figure.state()) => look(model, data, state);
    const frames = attnkit.clock(() => more());
    /** @param {string} said @param {Partial<State>} changes */
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
    /** @param {number} word @param {string} [by] */
    function take(word, by = "You") {
      const { chances, ended } = at();
      if (ended) return act("", {});
      const said = `${by} took ${quoted(words[word])}, chance ${fixed(chances[word])}.`;
      act(said, { written: [...figure.get("written"), word] });
    }
    /** @param {string} said @param {Partial<State>} changes */
    const anew = (said, changes) => act(said, { ...changes, written: [] });
    /** @param {Found} found */
    function tell(found) {
      const told = found.numbers.map((number) => words[number]);
      const complete = told[told.length - 1] === "." ? `A sentence is complete: ${quoted(sentence(told))} ` : "";
      if (!frames.runs()) figure.say(`${preface}${complete}${standing(found, data.packed)}`.trim());
      else if (complete) figure.say(complete.trim());
      preface = "";
    }
    return { at, act, more, take, anew, tell, frames };
  }

  // What the buttons do.
  /** @param {Figure<State, Given>} figure @param {PackedDecoder} packedDecoder @param {Run} run */
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
  /** @param {Figure<State, Given>} figure @param {PackedDecoder} packedDecoder @param {Run} run */
  function adding(figure, { words, context }, { at, act }) {
    /** @param {ReturnType<typeof reading>} reading */
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

  /** @param {Figure<State, Given>} figure @param {Run} run */
  function seedField(figure, run) {
    /** @param {number} seed */
    const take = (seed) => run.anew(`Seed ${seed}: the story is back at its beginning.`, { seed });
    const input = figure.seedField(SEEDS, take);
    const another = attnkit.button("New seed", () => take((figure.get("seed") + 1) % SEEDS));
    return h("div", { class: "ak-buttons" }, h("span", { "aria-hidden": "true" }, "seed"), input, another);
  }

  /** @param {Figure<State, Given>} figure @param {Run} run @param {() => void} also */
  function buttons(figure, run, also) {
    const move = moves(figure, figure.get("packed"), run);
    const { button } = attnkit;
    const [start, step, back] = [
      button("Write", move.start, { class: "ak-primary" }),
      button("Step", move.step),
      button("Back", move.back),
    ];
    const first = button("To the beginning", move.first);
    const reset = figure.reset(() => {
      run.frames.halt();
      also();
    });
    /** @param {Found} found @param {State} state */
    function show({ numbers, ended }, { written }) {
      write(start, run.frames.runs() ? "Stop" : "Write");
      for (const one of [start, step]) attr(one, "aria-disabled", String(Boolean(ended)));
      attr(back, "aria-disabled", String(numbers.length === 1));
      attr(first, "aria-disabled", String(written.length === 0));
    }
    return { element: h("div", { class: "ak-buttons" }, start, step, back, first, reset), show };
  }

  /** @param {Figure<State, Given>} figure */
  function temperatureSlider(figure) {
    return figure.slider({
      name: "temperature",
      min: 0,
      max: 2,
      step: 0.05,
      format: (v) => fixed(v),
      word: (v) => (v === 0 ? "0, always the likeliest word" : fixed(v)),
      trait: "temperature",
    }).element;
  }

  // What a story may begin with; with nothing, the reader's words make the beginning.
  /** @param {Figure<State, Given>} figure @param {Run} run @param {string[]} beginnings */
  function presets(figure, run, beginnings) {
    const all = ["", ...beginnings];
    const told = all.map((text) => text.replace(/ \./g, ".") || "nothing");
    /** @param {number} k */
    const begin = (k) => run.anew(`Begun with ${all[k] ? quoted(told[k]) : told[k]}.`, { prompt: all[k] });
    /** @param {State} state */
    const read = ({ prompt, written }) => (written.length ? -1 : all.indexOf(prompt));
    return figure.follow(attnkit.choice("begin with", told, begin), { read }).element;
  }

  // What the model takes next, in words.
  /** @param {Found} found @param {State} state @param {PackedDecoder} packedDecoder @param {number|null} most */
  function drawnLine({ next, ended, chances }, { seed, temperature }, { words, context }, most) {
    if (ended) return ENDED[ended](context);
    if (temperature === 0) return `At temperature 0 the model takes the likeliest word, ${quoted(words[next])}.`;
    const among = most ? `Only the ${most} likeliest are drawn. ` : "";
    return `${among}With seed ${seed} the model takes ${quoted(words[next])}, chance ${fixed(chances[next])}.`;
  }

  /** @param {Figure<State, Given>} figure */
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
    /** @param {State} state */
    function update(state) {
      const found = run.at();
      for (const part of Object.values(parts)) part.show(found, state);
      write(drawn, drawnLine(found, state, data.packed, data.top_k));
      write(
        title,
        `Where ${quoted(data.packed.words[found.numbers[found.numbers.length - 1]])} looks, newest word first`,
      );
      write(whole, state.whole_map ? "Hide the whole map" : "Show the whole map of this head");
      run.tell(found);
    }
    const sliders = h("div", { class: "ak-last-row" }, temperatureSlider(figure), seedField(figure, run));
    // The bars stand right under the story and its buttons, then the heads: what a press changes is in sight, on a phone,
    // too. Where there is room, the heads stand beside them.
    const { story, next, heads, map } = parts;
    const asked = h("p", { class: "ak-title" }, "What comes next: press a word to take it");
    const writes = h("div", {}, story.element, parts.buttons.element, asked, drawn, next.element);
    const looks = h("div", {}, title, heads.element, h("div", { class: "ak-buttons" }, whole), map.element);
    const sets = h("div", {}, sliders, presets(figure, run, data.beginnings), field.element);
    return { parts: [h("div", { class: "ak-sides" }, writes, looks, sets)], update, stop: run.frames.halt };
  }

  attnkit.register("story_writer", { label: "A model that writes a story", compute, build });
})(globalThis.attnkit);
