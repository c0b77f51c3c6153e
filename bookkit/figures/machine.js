// One text through the whole of a Transformer: every number of a word's column, where each comes from, what the machine
// would say if it stopped, and what each part adds.
((attnkit) => {
  "use strict";
  const { h, fixed, quoted } = attnkit;

  /**
   * An address of a number: what it is, in which block, at which place, and its own place there; then the head, or of the
   * table the word. Where there is none of these, -1 stands.
   * @typedef {[name: string, layer: number, place: number, index: number, head: number]} Address
   * @typedef {[name: string, layer: number]} Rows the results that an address looks into
   */
  /** @typedef {{ place: number, trail: Address[], pair: Point, unfolded: string[] }} State */
  /** @typedef {Omit<State, "pair"> & { name: string }} View */
  /** @typedef {{ packed: PackedDecoder, story: string[], views: View[], scale: number }} Given */
  /**
   * What a number is made of: its terms, each with words and a value; where it comes from, or the two numbers that were
   * multiplied. What comes from nowhere was learned, or says how it was made.
   * @typedef {{ value: number, from?: Address }} Source
   * @typedef {{ words: string, value: number, from?: Address, factors?: Source[], by?: string }} Term
   * @typedef {{ name: string, code: string, said: string, terms: Term[], sum?: boolean, best?: boolean }} Origin
   * @typedef {(layer: number, place: number, index: number, head: number) => Origin} Maker
   */
  /** @typedef {ReturnType<typeof reader>} Running */

  // ---- the arithmetic, compared with the model in torch by tests/figures/test_machine.py

  // The model, what it has computed of a story, and the number at any address.
  function reader(packed, story) {
    const model = attnkit.decoder(packed);
    const { words, width, num_heads } = packed;
    const numbers = story.map((word) => words.indexOf(word));
    const results = /** @type {Record<string, any[]>} */ (model.trace(numbers));
    const named = (name, layer) => (layer < 0 ? name : `layers.${layer}.${name}`);
    const rows = ([name, layer]) => results[named(name, layer)];
    const tensor = (name, layer) => model.tensors[named(name, layer)];
    function value([name, layer, place, index, head]) {
      if (name === "table") return model.tensors.embedding[head * width + index];
      if (name === "chance") return attnkit.softmax(results.scores[place])[index];
      const row = rows([name, layer])[place];
      return head >= 0 && layer >= 0 ? row[head][index] : row[index];
    }
    const before = (layer) => (layer ? ["after_mlp", layer - 1] : ["embedding", -1]);
    const word = (place) => quoted(story[place]);
    const traced = /** @type {Decoded} */ (/** @type {unknown} */ (results));
    return {
      packed,
      story,
      model,
      numbers,
      results,
      traced,
      rows,
      tensor,
      value,
      before,
      word,
      size: width / num_heads,
    };
  }

  /** @template T @param {number} n @param {(k: number) => T} make @returns {T[]} */
  const range = (n, make) => Array.from({ length: n }, (_, k) => make(k));
  const at = (it, address) => ({ value: it.value(address), from: address });

  // Two numbers and their product, times a scale, with the words for it.
  const times = (words, a, b, scale = 1, by = "") => ({ words, value: scale * a.value * b.value, factors: [a, b], by });

  // x W at one place and column: a term for each number of x.
  function product(it, [from, layer], place, name, column, words = (k) => `number ${k + 1}`) {
    const [n, w] = [it.rows([from, layer])[place].length, it.tensor(name, layer)];
    return range(n, (k) => {
      const learned = { value: w[k * (w.length / n) + column] };
      return times(words(k), at(it, [from, layer, place, k, -1]), learned);
    });
  }

  // A layer norm of one number, step by step.
  function norm(it, [from, at_], place, k, name, layer) {
    const row = /** @type {Float64Array} */ (it.rows([from, at_])[place]);
    const mean = row.reduce((sum, v) => sum + v, 0) / row.length;
    const spread = Math.sqrt(row.reduce((sum, v) => sum + (v - mean) ** 2, 0) / row.length + it.packed.epsilon);
    return [
      { words: "the number in the stream", value: row[k], from: [from, at_, place, k, -1] },
      { words: `less the mean of all ${row.length}`, value: mean },
      { words: "divided by how far they spread", value: spread },
      { words: "times a learned number", value: it.tensor(`${name}.gain`, layer)[k] },
      { words: "plus a learned number", value: it.tensor(`${name}.bias`, layer)[k] },
    ];
  }

  const normed = (it, what, from, place, k, name, layer) => ({
    name: `number ${k + 1} of ${it.word(place)}, normed for ${what}`,
    code: "z = layer_norm(x)",
    said: "The stream, brought to a common size.",
    terms: norm(it, from, place, k, name, layer),
  });

  // What one more thing added to the stream makes of it.
  const added = (it, was, adds, place, k, part) => ({
    code: `x = x + ${part === "attention" ? "heads @ W_O" : "mlp(layer_norm(x))"}`,
    said: `What was in the stream, and what the ${part} adds.`.replace("the attention", "attention"),
    terms: [
      { words: "what was there", ...at(it, [...was, place, k, -1]) },
      { words: `what ${part === "attention" ? part : "the MLP"} adds`, ...at(it, [...adds, place, k, -1]) },
    ],
    sum: true,
  });

  // The table of words, the words' vectors, and the last two steps, which meet the table again.
  const ends = (it) => ({
    table: (_, __, k, w) => ({
      name: `number ${k + 1} of ${quoted(it.packed.words[w])} in the table of word vectors`,
      code: `E["${it.packed.words[w]}"][${k}]`,
      said: "It was learned, and nothing computes it: the trail ends here.",
      terms: [],
    }),
    embedding: (_, i, k) => ({
      name: `number ${k + 1} of the vector of ${it.word(i)}`,
      code: `x = E["${it.story[i]}"]`,
      said: "It is looked up in the table of word vectors.",
      terms: [{ words: "in the table", ...at(it, ["table", -1, i, k, it.numbers[i]]) }],
      sum: true,
    }),
    norm: (_, i, k) => ({
      name: `number ${k + 1} of ${it.word(i)} after the last norm`,
      code: "z = layer_norm(x)",
      said: "The stream, brought to a common size for the last time.",
      terms: norm(it, it.before(it.packed.num_layers), i, k, "norm", -1),
    }),
    chance: (_, i, w) => ({
      name: `the chance of ${quoted(it.packed.words[w])} after ${it.word(i)}`,
      code: "chance = softmax(scores)",
      said: "The softmax of all scores: e to the power of its own, divided by the sum of all such powers.",
      terms: it.packed.words.map((name, v) => ({
        words: `score of ${quoted(name)}`,
        ...at(it, ["scores", -1, i, v, -1]),
      })),
      best: true,
    }),
  });

  function scoreOfWord(it, i, w) {
    const { width, words, output_scale } = it.packed;
    return {
      name: `the score of ${quoted(words[w])} as the next word after ${it.word(i)}`,
      code: `score = ${output_scale} * z @ E["${words[w]}"]`,
      said: `The sum of ${width} products, of what the last norm gives and the vector of ${quoted(words[w])}, times ${output_scale}.`,
      terms: range(width, (k) => {
        const factors = /** @type {const} */ ([at(it, ["norm", -1, i, k, -1]), at(it, ["table", -1, i, k, w])]);
        return times(`number ${k + 1}`, ...factors, output_scale, ` × ${output_scale}`);
      }),
      sum: true,
    };
  }

  function scoreOfKey(it, l, i, j, head) {
    const { size } = it;
    const [root, table] = [Math.sqrt(size), it.tensor("bias", l)];
    const reach = table.length / it.packed.num_heads - 1;
    const distance = table[head * (reach + 1) + reach - Math.min(reach, i - j)];
    return {
      name: `the score of ${it.word(j)} for ${it.word(i)} in head ${head + 1} of layer ${l + 1}`,
      code: `score = query @ key / sqrt(${size}) + bias[${i - j}]`,
      said: `The sum of ${size} products divided by the root of ${size}, and a learned number for the distance.`,
      terms: [
        ...range(size, (k) => {
          const query = at(it, ["query", l, i, head * size + k, -1]);
          const key = at(it, ["key", l, j, head * size + k, -1]);
          return times(`number ${k + 1}`, query, key, 1 / root, ` / ${fixed(root)}`);
        }),
        { words: `for a distance of ${i - j}`, value: distance },
      ],
      sum: true,
    };
  }

  // Inside attention.
  function attention(it) {
    const { size, packed } = it;
    const { width } = packed;
    const numbered = (r) => `head ${Math.floor(r / size) + 1}, number ${(r % size) + 1}`;
    const projected = (role) => (l, i, r) => ({
      name: `${role} ${(r % size) + 1} of head ${Math.floor(r / size) + 1} in layer ${l + 1} for ${it.word(i)}`,
      code: `${role} = z @ W_${role[0].toUpperCase()}`,
      said: `The sum of ${width} products, of what the norm gives and a column of learned numbers.`,
      terms: product(it, ["norm1", l], i, `w_${role}`, r),
      sum: true,
    });
    return {
      ...{ query: projected("query"), key: projected("key"), value: projected("value") },
      scores: (l, i, j, head) => (l < 0 ? scoreOfWord(it, i, j) : scoreOfKey(it, l, i, j, head)),
      weights: (l, i, j, head) => ({
        name: `the weight of ${it.word(j)} for ${it.word(i)} in head ${head + 1} of layer ${l + 1}`,
        code: "weight = softmax(scores)",
        said: "The softmax of all scores: e to the power of its own, divided by the sum of all such powers.",
        terms: range(i + 1, (m) => ({ words: `score of ${it.word(m)}`, ...at(it, ["scores", l, i, m, head]) })),
        best: true,
      }),
      heads: (l, i, r) => {
        const head = Math.floor(r / size);
        return {
          name: `number ${(r % size) + 1} of what head ${head + 1} of layer ${l + 1} blends for ${it.word(i)}`,
          code: "blend = weights @ values",
          said: "The weighted average of the values of all words so far.",
          terms: range(i + 1, (j) =>
            times(it.word(j), at(it, ["weights", l, i, j, head]), at(it, ["value", l, j, r, -1])),
          ),
          sum: true,
        };
      },
      attention: (l, i, k) => ({
        name: `number ${k + 1} of what attention in layer ${l + 1} adds for ${it.word(i)}`,
        code: "heads @ W_O",
        said: `The sum of ${width} products, of what all heads blend and a column of learned numbers.`,
        terms: product(it, ["heads", l], i, "w_output", k, numbered),
        sum: true,
      }),
    };
  }

  // The stream, its norms, and the MLPs.
  const stream = (it) => ({
    norm1: (l, i, k) => normed(it, `attention in layer ${l + 1}`, it.before(l), i, k, "norm1", l),
    after_attention: (l, i, k) => ({
      name: `number ${k + 1} of the stream of ${it.word(i)} after attention in layer ${l + 1}`,
      ...added(it, it.before(l), ["attention", l], i, k, "attention"),
    }),
    norm2: (l, i, k) => normed(it, `the MLP of layer ${l + 1}`, ["after_attention", l], i, k, "norm2", l),
    hidden: (l, i, u) => ({
      name: `unit ${u + 1} of the MLP in layer ${l + 1} for ${it.word(i)}`,
      code: "unit = max(z @ W_1 + b_1, 0)",
      said: "The sum of these terms, or zero where they are less.",
      terms: [...product(it, ["norm2", l], i, "w1", u), { words: "a learned number", value: it.tensor("b1", l)[u] }],
      sum: true,
    }),
    mlp: (l, i, k) => ({
      name: `number ${k + 1} of what the MLP of layer ${l + 1} adds for ${it.word(i)}`,
      code: "units @ W_2 + b_2",
      said: "A product for each unit, and a learned number.",
      terms: [
        ...product(it, ["hidden", l], i, "w2", k, (u) => `unit ${u + 1}`),
        { words: "a learned number", value: it.tensor("b2", l)[k] },
      ],
      sum: true,
    }),
    after_mlp: (l, i, k) => ({
      name: `number ${k + 1} of the stream of ${it.word(i)} after MLP ${l + 1}`,
      ...added(it, ["after_attention", l], ["mlp", l], i, k, "MLP"),
    }),
  });

  // Where the number at an address comes from.
  function origins(it) {
    const makers = { ...ends(it), ...attention(it), ...stream(it) };
    return ([name, layer, place, index, head]) => makers[name](layer, place, index, head);
  }

  // The largest first: of a sum by size, of what a softmax compares by height.
  function ranked({ terms, sum, best }) {
    if (best) return [...terms].sort((a, b) => b.value - a.value);
    return sum && terms.length > 2 ? [...terms].sort((a, b) => Math.abs(b.value) - Math.abs(a.value)) : terms;
  }

  /** @param {PackedDecoder} packed @returns {Rows[]} */
  const stages = ({ num_layers }) => [
    ["embedding", -1],
    ...Array.from(
      { length: num_layers },
      (_, l) =>
        /** @type {Rows[]} */ ([
          ["after_attention", l],
          ["after_mlp", l],
        ]),
    ).flat(),
  ];

  /** @param {Pick<Given, "packed" | "story"> & { addresses: Address[], pair: Point }} given */
  function compute({ packed, story, addresses, pair }) {
    const it = reader(packed, story);
    const origin = origins(it);
    return {
      origins: addresses.map((address) => {
        const { terms, sum = false } = origin(address);
        return { value: it.value(address), terms: terms.map((term) => term.value), sum };
      }),
      contributions: it.model.contributions(it.traced, ...pair),
      soFar: stages(packed).map((rows) => it.model.soFar(it.rows(rows)[story.length - 1])),
    };
  }

  // ---- what is drawn

  /** @typedef {Figure<State, Given>} Owner */
  /** @typedef {{ state: State, adds: Contribution[], most: number }} Now what all parts of the column are shown with */
  /** @typedef {{ figure: Owner, it: Running, shows: ((now: Now) => void)[], toPanel(from: HTMLElement): void }} Site where the column is built */

  const shown = (v) => fixed(v, Math.abs(v) < 0.1 ? 3 : 2);

  // Where a pointer or the arrow keys are among some squares, and what they say.
  function cursor(element, mark, said) {
    const now = { values: [0], words: [""], k: 0 };
    function move(k) {
      now.k = Math.max(0, Math.min(now.values.length - 1, k));
      const [n, value] = [now.values.length, shown(now.values[now.k])];
      attnkit.style(mark, "left", `${(100 * now.k) / n}%`);
      attnkit.style(mark, "width", `${100 / n}%`);
      attnkit.style(said, "left", `${(100 * (now.k + 0.5)) / n}%`);
      attnkit.write(said, now.words[now.k] ? `${now.words[now.k]} ${value}` : value);
      attnkit.attr(element, "aria-valuemax", n);
      attnkit.attr(element, "aria-valuenow", now.k + 1);
      attnkit.attr(element, "aria-valuetext", `${now.words[now.k] || `number ${now.k + 1}`}: ${value}`);
    }
    return { now, move };
  }

  // What a press and the keys do to some squares: move the cursor, or ask for the number under it.
  function listen(element, { now, move }, ask, toPanel) {
    const enter = () => {
      ask();
      toPanel();
    };
    attnkit.keys(element, {
      ArrowLeft: () => move(now.k - 1),
      ArrowRight: () => move(now.k + 1),
      Home: () => move(0),
      End: () => move(now.values.length - 1),
      Enter: enter,
      " ": enter,
    });
    /** @param {MouseEvent} event */
    const point = (event) => {
      const box = element.getBoundingClientRect();
      move(Math.floor(((event.clientX - box.left) / box.width) * now.values.length));
    };
    element.addEventListener("pointermove", (event) => {
      if (event.pointerType === "mouse") point(event); // a finger on its way may mean to scroll
    });
    element.addEventListener("click", (event) => {
      point(event);
      ask();
    });
  }

  // A row of squares: one picture, in which a mouse, a finger or the arrow keys find a number; pressed, it is asked for.
  // Which numbers they are depends on the word in hand.
  /** @param {Site} site @param {string} label @param {(place: number) => Address[]} addresses @param {{ fill?: Fill, words?: string[] }} [look] */
  function squares(site, label, addresses, { fill, words = [] } = {}) {
    const { figure, it } = site;
    const [mark, said, place] = [h("span", { class: "ak-mark" }), h("span", { class: "ak-tip" }), h("span")];
    const props = { role: "slider", tabindex: 0, "aria-label": label, "aria-valuemin": 1 };
    const element = h("div", { class: "ak-squares", ...props }, place, mark, said);
    const at_ = cursor(element, mark, said);
    /** @type {Address[]} */
    let all = [];
    /** @type {Raster | null} */
    let raster = null;
    const ask = () => figure.put({ trail: [all[at_.now.k]] });
    listen(element, at_, ask, () => site.toPanel(element));
    // Framed is the number that is asked for; one that led to it is still under the cursor.
    site.shows.push(({ state }) => {
      all = addresses(state.place);
      const values = all.map(it.value);
      if (raster?.element.width !== values.length) {
        raster = attnkit.raster(1, values.length, fill ? [fill] : undefined);
        place.replaceChildren(raster.element);
      }
      raster.show(values, fill ? 1 : Math.max(...values.map(Math.abs), 1e-9));
      Object.assign(at_.now, { values, words });
      const places = state.trail.map((asked) => all.findIndex((address) => String(address) === String(asked)));
      element.toggleAttribute("data-asked", (places[places.length - 1] ?? -1) >= 0);
      at_.move(places.filter((k) => k >= 0).pop() ?? 0);
    });
    return element;
  }

  // What some parts add together to the score of one word less that of the other.
  function bar({ shows }, among) {
    const { element, show } = attnkit.balance();
    shows.push(({ adds, most }) => show(attnkit.sum(adds.filter(among).map((one) => one.adds)), most));
    return element;
  }

  // What the machine would say if it stopped at a stage.
  function stopped({ it, shows }, rows) {
    const element = h("span", { class: "ak-told" });
    shows.push(({ state: { place } }) => {
      const chances = attnkit.softmax(it.model.soFar(it.rows(rows)[place]));
      const best = attnkit.ranked(chances).slice(0, 3);
      const words = best.map((w, k) => h(k ? "span" : "b", null, `${it.packed.words[w]} ${fixed(chances[w])}`));
      element.replaceChildren(...words);
    });
    return element;
  }

  // A row of the column: its name and what is told of it, and under them its squares.
  /** @param {Site} site @param {string} kind @param {string} name @param {number} n @param {Rows} rows @param {HTMLElement} [told] */
  function vector(site, kind, name, n, rows, told = h("span")) {
    const row = squares(site, name, (place) => range(n, (k) => [...rows, place, k, -1]));
    return h("div", { class: `ak-row ak-${kind}` }, h("span", { class: "ak-name" }, name), told, row);
  }

  // A head: which word it looks at most and what it adds; under that a square for each word so far, and what it blends.
  function headRow(site, l, head) {
    const { figure, it } = site;
    const name = `head ${head + 1}`;
    /** @param {number} place @param {number} j @returns {Address} */
    const weight = (place, j) => ["weights", l, place, j, head];
    /** @param {number} place @returns {number[]} */
    const weights = (place) => it.rows(["weights", l])[place][head];
    const words = (/** @type {number} */ place) => range(place + 1, (j) => weight(place, j));
    const look = { fill: /** @type {const} */ ("weight"), words: it.story };
    const looks = squares(site, `what ${name} of layer ${l + 1} looks at`, words, look);
    const blends = squares(site, `what ${name} of layer ${l + 1} blends`, (place) =>
      range(it.size, (k) => ["heads", l, place, head * it.size + k, -1]),
    );
    const most = attnkit.button("", () => {
      const { place } = figure.state();
      figure.put({ trail: [weight(place, attnkit.argmax(weights(place)))] });
    });
    site.shows.push(({ state: { place } }) => {
      const j = attnkit.argmax(weights(place));
      most.replaceChildren(h("b", null, name), ` looks at ${it.story[j]} ${fixed(weights(place)[j])}`);
    });
    const adds = bar(site, (one) => one.layer === l && one.part === head);
    return h("div", { class: "ak-row ak-head" }, most, adds, h("div", { class: "ak-both" }, looks, blends));
  }

  // Rows that unfold.
  function folded({ figure, shows }, key, words, rows) {
    const button = attnkit.button(words, () => {
      const { unfolded } = figure.state();
      figure.put({ unfolded: unfolded.includes(key) ? unfolded.filter((one) => one !== key) : [...unfolded, key] });
    });
    const inside = h("div", null, rows);
    shows.push(({ state }) => {
      attnkit.attr(button, "aria-expanded", String(state.unfolded.includes(key)));
      inside.hidden = !state.unfolded.includes(key);
    });
    return h("div", { class: "ak-folded" }, button, inside);
  }

  // A block, from its end to its beginning: the stream, and beside it the two branches that add to it.
  function block(site, l) {
    const { num_heads, width, hidden } = site.it.packed;
    const heads = Array.from({ length: num_heads }, (_, head) => headRow(site, l, head));
    const units = [
      vector(site, "inner", `${hidden} units`, hidden, ["hidden", l]),
      vector(site, "inner", "normed", width, ["norm2", l]),
    ];
    const normed = vector(site, "inner", "normed", width, ["norm1", l]);
    // Where a part has been added, and in the branch what it adds and what is inside.
    const added = (part, name, inside) => {
      const rows = /** @type {Rows} */ ([`after_${part}`, l]);
      const adds = bar(site, (one) => one.layer === l && (one.part === "mlp") === (part === "mlp"));
      return [
        vector(site, "stream", `after ${name} ${l + 1}`, width, rows, stopped(site, rows)),
        h(
          "div",
          { class: "ak-branch" },
          vector(site, "inner", `${name} ${l + 1} adds`, width, [part, l], adds),
          inside,
        ),
      ];
    };
    return [
      added("mlp", "MLP", folded(site, `mlp${l}`, `inside MLP ${l + 1}`, units)),
      added(
        "attention",
        "attention",
        folded(site, `heads${l}`, `the ${num_heads} heads of layer ${l + 1}`, [...heads, normed]),
      ),
    ];
  }

  // The likeliest words, each to be asked for.
  function chances({ figure, it, shows }) {
    const buttons = [0, 1, 2].map((k) =>
      attnkit.button("", () => {
        const { place } = figure.state();
        const word = attnkit.ranked(it.results.scores[place])[k];
        figure.put({ trail: [["chance", -1, place, word, -1]] });
      }),
    );
    attnkit.walk(buttons);
    shows.push(({ state: { place } }) => {
      const found = attnkit.softmax(it.results.scores[place]);
      const best = attnkit.ranked(found);
      buttons.forEach((button, k) => attnkit.write(button, `${it.packed.words[best[k]]} ${fixed(found[best[k]])}`));
    });
    const group = h("div", { class: "ak-buttons", role: "group", "aria-label": "The next word" }, ...buttons);
    return h("div", { class: "ak-row ak-ends" }, h("span", { class: "ak-name" }, "next word"), group);
  }

  // The column of a word, from the chances above to the word's vector below.
  function tower(site, pair) {
    const { num_layers, width } = site.it.packed;
    const blocks = Array.from({ length: num_layers }, (_, k) => block(site, num_layers - 1 - k));
    const first = /** @type {Rows} */ (["embedding", -1]);
    const legend = `On the line: what the machine would say if it stopped there. In the boxes: what a part adds to the score of ${pair[0]}, minus what it adds to that of ${pair[1]}.`;
    return h(
      "div",
      { class: "ak-tower" },
      h("p", { class: "ak-small" }, legend),
      chances(site),
      vector(site, "ends", "last norm", width, ["norm", -1]),
      h("div", { class: "ak-line" }, blocks, vector(site, "stream", "word vector", width, first, stopped(site, first))),
    );
  }

  // How strongly each word of the story is marked, from 0 to 1: where the head looks, or the unit fires, that is asked for.
  function marks(it, place, address) {
    if (address?.[0] === "hidden") {
      const fires = it.rows(["hidden", address[1]]).map((row) => row[address[3]]);
      const most = Math.max(...fires, 1e-9);
      return fires.map((v) => v / most);
    }
    const [layer, head] = address ? headOf(it, address) : [-1, -1];
    return head < 0 ? [] : it.rows(["weights", layer])[place][head];
  }

  // The words of the story, one of which is in hand; marked are those that the number asked for has to do with.
  function words(figure, it) {
    const buttons = it.story.map((word, place) => attnkit.button(word, () => figure.put({ place, trail: [] })));
    const stop = attnkit.walk(buttons, { start: it.story.length - 1 });
    const group = { class: "ak-wordline", role: "group", "aria-label": "The story: a word to hold" };
    const element = h("div", group, buttons);
    function show({ place, trail }) {
      stop.at(place);
      const strong = marks(it, place, trail[trail.length - 1]);
      buttons.forEach((button, k) => {
        attnkit.attr(button, "aria-pressed", String(k === place));
        button.toggleAttribute("data-asked", trail.length > 0 && k === trail[trail.length - 1][2] && k !== place);
        attnkit.style(button, "boxShadow", `inset 0 -${fixed(0.5 * (strong[k] ?? 0), 2)}em var(--ak-fill-weight)`);
      });
    }
    return { element, show };
  }

  // ---- where a number comes from

  // The layer and the head that an address belongs to, if to one.
  function headOf({ size }, [name, layer, , index, head]) {
    if (name === "query" || name === "heads") return [layer, Math.floor(index / size)];
    return (name === "scores" || name === "weights") && layer >= 0 ? [layer, head] : [-1, -1];
  }

  // A step of the trail in a word or two.
  function step([name, layer]) {
    /** @type {Record<string, string>} */
    const plain = { embedding: "word vector", norm1: "normed", norm2: "normed", norm: "last norm", table: "the table" };
    const many = { scores: "score", weights: "weight", heads: "blend", hidden: "unit" };
    const stages = { after_attention: "after attention", after_mlp: "after MLP", attention: "attention", mlp: "MLP" };
    if (name in stages) return `${stages[/** @type {keyof stages} */ (name)]} ${layer + 1}`;
    return { ...plain, ...many }[name] ?? name;
  }

  const FEW = 6; // terms of a sum, before the others are asked for

  // A number in the panel: pressed, it is asked for in its turn; a learned one is not to be pressed.
  function square(figure, { value, from }, most) {
    const node = from
      ? attnkit.button(shown(value), () => figure.put({ trail: [...figure.get("trail"), from] }))
      : h("span", { class: "ak-learned" }, shown(value));
    attnkit.paint(node, value, most);
    return node;
  }

  const sources = ({ value, from, factors }) => factors ?? [{ value, from }];

  function line(figure, term, most) {
    const { words: said, value, by = "" } = term;
    const [first, second] = sources(term).map((source) => square(figure, source, most));
    const made = second ? [first, " × ", second, `${by} = `, h("b", null, shown(value))] : [first];
    return h("li", null, h("span", { class: "ak-name" }, said), h("span", { class: "ak-term" }, ...made));
  }

  // What is asked for, the code that makes it, what it is made of, and the way back.
  function panel(figure, it, origin) {
    const element = h("div", { class: "ak-panel", role: "group", "aria-label": "Where a number comes from" });
    /** @type {HTMLElement | null} */
    let from = null;
    attnkit.keys(element, { Escape: () => from?.focus() });
    const here = () => /** @type {HTMLElement | null} */ (element.querySelector("[aria-pressed=true]"));
    function enter(square) {
      from = square;
      here()?.focus();
    }
    function show(trail, few = FEW) {
      const address = trail[trail.length - 1];
      const held = element.contains(/** @type {Document} */ (element.getRootNode()).activeElement);
      if (!address)
        return element.replaceChildren(
          h("p", null, "Press a square, or one of the likeliest words: here stands where its number comes from."),
        );
      const found = origin(address);
      const terms = ranked(found);
      const rest = terms.slice(few);
      const most = Math.max(...terms.flatMap(sources).map((source) => Math.abs(source.value)));
      const sum = rest.reduce((total, term) => total + term.value, 0);
      const all = terms.length > FEW && !rest.length;
      const words = all ? "fewer" : `${rest.length} more${found.sum ? `, together ${shown(sum)}` : ""}`;
      const more = attnkit.button(words, () => show(trail, all ? FEW : Infinity));
      const way = trail.map((one, k) =>
        attnkit.button(step(one), () => figure.put({ trail: trail.slice(0, k + 1) }), {
          "aria-label": `${step(one)}, step ${k + 1}: ${origin(one).name}`,
          "aria-pressed": String(k === trail.length - 1),
        }),
      );
      attnkit.walk(way, { start: trail.length - 1 });
      element.replaceChildren(
        h("div", { class: "ak-way", role: "group", "aria-label": "The way here" }, ...way),
        h("p", null, h("b", null, `${found.name}: ${shown(it.value(address))}`)),
        h("p", { class: "ak-code" }, h("code", null, found.code)),
        h("p", null, found.said),
        h("ul", null, ...terms.slice(0, few).map((term) => line(figure, term, most))),
        terms.length > FEW ? more : "",
      );
      if (held) here()?.focus(); // what was pressed is gone
    }
    return { element, show, enter };
  }

  // ---- the figure

  // In a sentence: what is asked for, or what comes next.
  function sentence(it, origin, { place, trail }) {
    const address = trail[trail.length - 1];
    if (address) {
      const { name, said } = origin(address);
      return `${name[0].toUpperCase()}${name.slice(1)}: ${shown(it.value(address))}. ${said}`;
    }
    const found = attnkit.softmax(it.results.scores[place]);
    const best = attnkit.argmax(found);
    return `After ${it.word(place)} the machine says ${quoted(it.packed.words[best])}, with a chance of ${fixed(found[best])}.`;
  }

  function build(figure) {
    const { packed, story, views, scale } = figure.given("packed", "story", "views", "scale");
    const it = reader(packed, story);
    const origin = origins(it);
    /** @type {Site} */
    const site = { figure, it, shows: [], toPanel: (square) => asked.enter(square) };
    const names = /** @type {string[]} */ (figure.get("pair").map((w) => packed.words[w]));
    const [told, column, asked] = [words(figure, it), tower(site, names), panel(figure, it, origin)];
    const chosen = figure.choice({
      label: "Look at",
      words: views.map(({ name }) => name),
      read: ({ place, trail }) => views.findIndex((one) => one.place === place && String(one.trail) === String(trail)),
      write: (k) => ({ place: views[k].place, unfolded: views[k].unfolded, trail: views[k].trail }),
    });
    chosen.element.hidden = !views.length;
    /** @param {State} state */
    function update(state) {
      told.show(state);
      const scores = it.traced.scores.slice(0, state.place + 1);
      const adds = it.model.contributions({ ...it.traced, scores }, ...state.pair);
      for (const show of site.shows) show({ state, adds, most: scale });
      asked.show(state.trail);
      figure.say(sentence(it, origin, state));
    }
    return {
      parts: [told, chosen, h("div", { class: "ak-machine" }, column, asked), attnkit.row(figure.reset())],
      update,
    };
  }

  attnkit.register("machine", { label: "One story through the whole machine", wide: true, compute, build });
})(globalThis.attnkit);
