// Multi-head attention as matrices, step by step: project, split, score, weigh, blend, concatenate, mix.
((attnkit) => {
  "use strict";
  const { h, fixed } = attnkit;

  /** @typedef {{ step: number, head: number, selected: number, temperature: number }} State */
  /** @typedef {{ x: Matrix, w_query: Matrix, w_key: Matrix, w_value: Matrix, w_output: Matrix, num_heads: number }} Layer */
  /** @typedef {Layer & { words: string[] }} Given */
  /** @typedef {Layer & ReturnType<typeof compute>} Found */
  /** @typedef {{ count: number, dk: number, dv: number, numbered: boolean }} Sizes */

  /** @param {Matrix} a @param {Matrix} b */
  const times = (a, b) => a.map((row) => attnkit.blend(row, b));
  /** @template T @param {T[][]} a @returns {T[][]} */
  const turn = (a) => a[0].map((_, k) => a.map((row) => row[k]));
  /** @param {Matrix[]} list */
  const join = (list) => list[0].map((_, r) => list.flatMap((m) => m[r])); // matrices side by side
  /** @template T @param {T[]} list @param {number} count */
  const groups = (list, count) => {
    const size = list.length / count;
    return Array.from({ length: count }, (_, i) => list.slice(i * size, (i + 1) * size));
  };

  // The arithmetic, compared with attnkit.multi_head_attention by tests/figures/.
  /** @param {Layer & { temperature: number }} state */
  function compute({ x, w_query, w_key, w_value, w_output, num_heads, temperature }) {
    /** @param {Matrix} a */
    const split = (a) => groups(turn(a), num_heads).map(turn);
    const [queries, keys, values] = [w_query, w_key, w_value].map((w) => split(times(x, w)));
    const root = Math.sqrt(queries[0][0].length);
    const scores = queries.map((q, i) => times(q, turn(keys[i])).map((row) => row.map((v) => v / root)));
    const weights = scores.map((s) => s.map((row) => attnkit.softmax(row.map((v) => v / temperature))));
    const heads = weights.map((a, i) => times(a, values[i]));
    const shares = groups(w_output, num_heads).map((rows, i) => times(heads[i], rows));
    return { queries, keys, values, scores, weights, heads, shares, output: times(join(heads), w_output) };
  }

  const STEPS = ["project", "split", "score", "weigh", "blend", "concatenate", "mix"];

  // ---- the matrices

  // Every matrix by its name: the role of its frame, its numbers, those that share its scale of colours. An i in a name
  // stands for the number of the head that is followed.
  /** @param {Found} m */
  const inputs = (m) => m.x;
  /** @param {Found} m */
  const parameters = (m) => [m.w_query, m.w_key, m.w_value, m.w_output];
  /** @param {Found} m */
  const projected = (m) => [m.queries, m.keys, m.values];
  /** @param {Found} m */
  const scores = (m) => m.scores;
  /** @param {Found} m */
  const heads = (m) => m.heads;
  /** @param {Found} m */
  const mixed = (m) => [m.shares, m.output];
  /**
   * @typedef {number | Matrix | (Matrix | Matrix[])[]} Scale what has the largest number of a scale of colours in it
   * @typedef {[role: string, read: (found: Found, head: number) => Matrix, like: (found: Found) => Scale]} Described
   */
  /** @type {Record<string, Described>} */
  const KINDS = {
    X: ["quiet", (m) => m.x, inputs],
    "W^Q": ["query", (m) => m.w_query, parameters],
    "W^K": ["key", (m) => m.w_key, parameters],
    "W^V": ["value", (m) => m.w_value, parameters],
    Q: ["query", (m) => join(m.queries), projected],
    K: ["key", (m) => join(m.keys), projected],
    V: ["value", (m) => join(m.values), projected],
    Q_i: ["query", (m, i) => m.queries[i], projected],
    "K_i^T": ["key", (m, i) => turn(m.keys[i]), projected],
    V_i: ["value", (m, i) => m.values[i], projected],
    S_i: ["quiet", (m, i) => m.scores[i], scores],
    A_i: ["weight", (m, i) => m.weights[i], () => 1],
    H_i: ["output", (m, i) => m.heads[i], heads],
    H: ["output", (m) => join(m.heads), heads],
    "W^O": ["quiet", (m) => m.w_output, parameters],
    Y: ["output", (m) => m.output, mixed],
  };
  /** @param {number} i @returns {Described} */
  const share = (i) => ["quiet", (m) => m.shares[i], mixed]; // what one head adds to Y

  /** @param {Child[]} text */
  const small = (...text) => h("span", { class: "ak-small" }, ...text);
  /** @param {string[]} words */
  const tops = (words) => h("span", { class: "ak-tops" }, ...words.map((word) => h("span", {}, word)));
  // What stands in a square that has no room for its number.
  /** @param {number} v */
  const signOf = (v) => (fixed(v, 2) === fixed(0, 2) ? "" : v < 0 ? "−" : "+");

  // The squares of a matrix, cut into slices across its columns or down its rows.
  /** @param {number} rows @param {number} columns @param {number} across @param {number} down */
  function squares(rows, columns, across, down) {
    const row = () => {
      const cells = Array.from({ length: columns / across }, () => h("span", { class: "ak-sq" }));
      return h("span", { class: "ak-row" }, ...cells);
    };
    const lines = Array.from({ length: rows }, () => Array.from({ length: across }, row));
    const cells = lines.map((parts) => parts.flatMap((part) => /** @type {HTMLElement[]} */ ([...part.children])));
    const parts = down > 1 ? groups(lines, down).map((some) => some.flat()) : turn(lines);
    return { lines, cells, slices: parts.map((part) => h("span", { class: "ak-slice" }, ...part)) };
  }

  /**
   * @typedef {{ read: Described[1], like: Described[2], kind?: Fill, items: boolean, numbered: boolean }} Look
   * @typedef {{ lines: HTMLElement[][], cells: HTMLElement[][], owned: [slice: HTMLElement, head: number][] }} Squares
   */

  // What draws the matrices of one step; `matrices` and `numbers`, the places where the followed head's number stands,
  // are what a redraw has to write.
  /** @param {Found} first @param {string[]} words */
  function pen(first, words) {
    const matrices = /** @type {(Look & Squares)[]} */ ([]);
    const numbers = /** @type {HTMLElement[]} */ ([]);
    function number() {
      const place = h("sub", {});
      numbers.push(place);
      return place;
    }
    /** @type {Record<string, "sub" | "sup">} */
    const raised = { _: "sub", "^": "sup" };
    /** @param {string} name */
    function maths(name) {
      /** @param {string} text */
      const part = (text) => (text === "_i" ? number() : raised[text[0]] ? h(raised[text[0]], {}, text[1]) : text);
      return h("span", { class: "ak-small ak-maths" }, ...name.split(/([_^].)/).map(part));
    }

    // One matrix: its name, its shape, its squares. It is cut into the heads' slices `across` its columns or `down` its
    // rows; `apart`, each slice has a frame and a name of its own; or all of it is the share of the head `of`. `named`,
    // its columns are the words.
    /**
     * @param {string} name
     * @param {{ formula?: string, across?: number, down?: number, apart?: boolean, of?: number|null, items?: boolean, numbered?: boolean, named?: boolean }} [options]
     */
    function matrix(name, options = {}) {
      const {
        formula = name,
        across = 1,
        down = 1,
        apart = false,
        of = null,
        items = true,
        numbered = false,
        named = false,
      } = options;
      const [role, read, like] = of === null ? KINDS[name] : share(of);
      const sample = read(first, 0);
      const [n, columns] = [sample.length, sample[0].length];
      const { lines, cells, slices } = squares(n, columns, across, down);
      const look = `ak-frame ak-frame-${role}${down > 1 ? " ak-down" : ""}`;
      /** @param {HTMLElement[]} inside */
      const frame = (...inside) => h("span", { class: look }, ...inside);
      /** @param {string} title @param {number} width @param {HTMLElement[]} inside */
      const part = (title, width, ...inside) => {
        const shape = small(`${n} × ${width}`);
        return h(
          "span",
          { class: "ak-part" },
          h("span", { class: "ak-title" }, maths(title), " ", shape),
          named && numbered ? tops(words) : null,
          frame(...inside),
        );
      };
      const pieces = () => slices.map((slice, s) => part(`${name}_${s + 1}`, columns / across, slice));
      /** @type {Squares["owned"]} */
      const owned = slices.length > 1 ? slices.map((slice, s) => [slice, s]) : of === null ? [] : [[slices[0], of]];
      matrices.push({ read, like, kind: role === "weight" ? role : undefined, lines, cells, owned, items, numbered });
      return apart ? h("span", { class: "ak-apart" }, ...pieces()) : part(formula, columns, ...slices);
    }
    return { matrix, matrices, numbers };
  }

  // The matrices of one step in columns of two, the upper one perhaps missing: a right factor stands above the product,
  // so that rows and columns meet where they cross. A text stands for a sign.
  /** @param {number} step @param {ReturnType<typeof pen>["matrix"]} matrix @param {Sizes} sizes */
  function calculation(step, matrix, { count, dk, dv, numbered }) {
    const [cut, apart] = [{ across: count }, { across: count, apart: true }];
    const own = { numbered }; // one head alone leaves room for numbers, and so may all outputs
    const all = { numbered: count * dv <= 6 };
    const upper = { items: false };
    const top = { named: true }; // nothing stands above that could say what the columns are
    /** @param {unknown} _ @param {number} i */
    const part = (_, i) => [i > 0 ? "+" : "=", [null, matrix(`H_${i + 1} W_${i + 1}^O`, { of: i })]];
    return [
      () => [
        [null, matrix("X")],
        ...["Q", "K", "V"].map((name) => [matrix(`W^${name}`, { ...upper, ...cut }), matrix(name, cut)]),
      ],
      () => ["Q", "K", "V"].map((name) => [matrix(name, cut), matrix(name, apart)]),
      () => [
        [null, matrix("Q_i", own)],
        [matrix("K_i^T", { ...upper, ...own, ...top }), matrix("S_i", { formula: `S_i = Q_i K_i^T / √${dk}`, ...own })],
      ],
      () => [[matrix("S_i", { ...own, ...top }), matrix("A_i", { formula: "A_i = softmax(S_i)", ...own })]],
      () => [
        [null, matrix("A_i", { ...own, ...top })],
        [matrix("V_i", { ...upper, ...own }), matrix("H_i", { formula: "H_i = A_i V_i", ...own })],
      ],
      () => [[matrix("H", { ...apart, ...all }), matrix("H", { ...cut, ...all })]],
      () => [
        [null, matrix("H", cut)],
        [matrix("W^O", { ...upper, down: count }), matrix("Y")],
        ...Array.from({ length: count }, part).flat(),
      ],
    ][step]();
  }

  // What stands in the page at one step: the words at the left are buttons that choose the row that is followed.
  /**
   * @param {number} step
   * @param {(row: number) => void} choose
   * @param {string[]} words
   * @param {Found} first
   * @param {Sizes} sizes
   */
  function panel(step, choose, words, first, sizes) {
    const { matrix, matrices, numbers } = pen(first, words);
    const buttons = words.map((word, i) => attnkit.button(word, () => choose(i), { "aria-pressed": "false" }));
    const stop = attnkit.walk(buttons);
    const names = h("span", { class: "ak-names", role: "group", "aria-label": "row" }, ...buttons);
    /** @param {string|(HTMLElement|null)[]} parts */
    const column = (parts) => (Array.isArray(parts) ? parts : [null, h("span", { class: "ak-sign" }, parts)]);
    const cells = [[null, names], ...calculation(step, matrix, sizes).map(column)].flat();
    const kind = `ak-heads${matrices.some((m) => m.numbered) ? " ak-numbered" : ""}`;
    const element = h("div", { class: kind }, ...cells.map((cell) => cell ?? h("span", {})));
    // Squares are as wide as those beside each other, and their frames, allow.
    /** @param {string} what */
    const beside = (what) => element.querySelectorAll(`:scope > :nth-child(even) ${what}`).length;
    element.style.setProperty("--columns", String(beside(".ak-sq") / words.length));
    element.style.setProperty("--frames", String(beside(".ak-frame")));
    return { element, buttons, stop, matrices, numbers };
  }

  /** @param {HTMLElement} node @param {string} kind @param {boolean} chosen */
  const mark = (node, kind, chosen) => attnkit.attr(node, "class", chosen ? `${kind} ak-chosen` : kind);
  /** @param {Scale} numbers */
  const largest = (numbers) => Math.max(...[numbers].flat(4).map(Math.abs)) || 1;

  // Paint the matrices of a step and mark the row that is followed and the slices of its head.
  /** @param {ReturnType<typeof panel>} panel @param {Found} now @param {State} state */
  function paint({ buttons, stop, matrices, numbers }, now, { head, selected }) {
    stop.at(selected);
    buttons.forEach((button, i) => attnkit.attr(button, "aria-pressed", String(i === selected)));
    numbers.forEach((node) => attnkit.write(node, String(head + 1)));
    const scales = new Map();
    matrices.forEach(({ read, like, kind, cells, lines, owned, items, numbered }) => {
      if (!scales.has(like)) scales.set(like, largest(like(now)));
      read(now, head).forEach((row, r) =>
        row.forEach((v, c) => {
          attnkit.paint(cells[r][c], v, scales.get(like), kind);
          attnkit.write(cells[r][c], numbered ? fixed(v, 2) : signOf(v));
        }),
      );
      if (items) lines.forEach((parts, r) => parts.forEach((part) => mark(part, "ak-row", r === selected)));
      owned.forEach(([slice, owner]) => mark(slice, "ak-slice", owner === head));
    });
  }

  // ---- the words

  /** @param {number} count */
  const upTo = (count) => Array.from({ length: count }, (_, i) => i + 1);

  /** @param {State} state @param {Sizes} sizes */
  function codeOf({ step, head, temperature }, { count, dk }) {
    const i = head + 1;
    /** @param {string} name */
    const list = (name) =>
      upTo(count)
        .map((k) => `${name}_${k}`)
        .join(", ");
    const sum = upTo(count).map((k) => `H_${k} @ W_O_${k}`);
    const heated = temperature === 1 ? "" : `, temperature=${temperature}`;
    return [
      "Q, K, V = X @ W_Q, X @ W_K, X @ W_V",
      `${list("Q")} = np.hsplit(Q, ${count})    # K and V alike`,
      `S_${i} = Q_${i} @ K_${i}.mT / sqrt(${dk})`,
      `A_${i} = softmax(S_${i}${heated})`,
      `H_${i} = A_${i} @ V_${i}`,
      `H = np.hstack([${list("H")}])`,
      `Y = H @ W_O    # = ${sum.join(" + ")}`,
    ][step];
  }

  // What happens at a step.
  /** @param {State} state @param {Sizes} sizes */
  function sentenceOf({ step, head }, { count, dk, dv }) {
    const i = head + 1;
    return [
      "Three matrices turn the rows of X into queries, keys and values: one wide matrix each, for all heads.",
      `The columns are cut into ${count} group${count > 1 ? "s" : ""}: each head gets ${dk} of Q and K, ${dv} of V.`,
      `Head ${i} alone: each query meets each key; the dot products are divided by √${dk}.`,
      `Softmax along each row makes the weights of head ${i}: none negative, each row sums to 1.00.`,
      `Head ${i} blends its values: one row of weights, one blend.`,
      `The outputs of the heads side by side: ${count} × ${dv} = ${count * dv} columns.`,
      "The output matrix mixes the heads: each head's columns meet rows of its own, and all is added up.",
    ][step];
  }

  // The line below the figure: the numbers of one word at this step.
  /** @param {string[]} words @param {State} state @param {Found} now */
  function answer(words, { step, head, selected }, now) {
    const word = attnkit.quoted(words[selected]);
    const i = head + 1;
    /** @param {number[]} row */
    const tuple = (row) => `(${row.map((v) => fixed(v, 2)).join(", ")})`;
    /** @param {number[]} row */
    const each = (row) => words.map((w, k) => `${w} ${fixed(row[k])}`).join(", ");
    /** @param {Matrix[]} list */
    const whole = (list) => tuple(join(list)[selected]);
    /** @param {Matrix[]} list */
    const part = (list) => tuple(list[head][selected]);
    const outputs = () => now.heads.map((output, k) => `head ${k + 1} ${tuple(output[selected])}`).join(", ");
    const sum = () => now.shares.map((s) => tuple(s[selected])).join(" + ");
    return [
      () => `${word}: query ${whole(now.queries)}, key ${whole(now.keys)}, value ${whole(now.values)}.`,
      () => `${word} in head ${i}: query ${part(now.queries)}, key ${part(now.keys)}, value ${part(now.values)}.`,
      () => `Scores of ${word} in head ${i}: ${each(now.scores[head][selected])}.`,
      () => `Weights of ${word} in head ${i}: ${each(now.weights[head][selected])}.`,
      () => `Head ${i} answers ${word} with ${part(now.heads)}.`,
      () => `${word}: ${outputs()}.`,
      () => `Y of ${word}: ${tuple(now.output[selected])}; head by head, ${sum()}.`,
    ][step]();
  }

  // ---- the figure

  /** @param {Figure<State, Given>} figure @param {number} count */
  function controls(figure, count) {
    const steps = figure.choice({ label: "step", words: STEPS.map((s, i) => `${i + 1} ${s}`), trait: "step" });
    steps.element.append(figure.button("Next step", ({ step }) => ({ step: (step + 1) % STEPS.length })));
    steps.element.classList.add("ak-way");
    const follows = figure.choice({ label: "follow", words: upTo(count).map((i) => `head ${i}`), trait: "head" });
    follows.element.classList.add("ak-follow");
    const heat = figure.logSlider({ name: "temperature", trait: "temperature", most: 10 });
    const last = h("div", { class: "ak-last-row" }, follows.element, heat.element, figure.reset());
    return h("div", { class: "ak-controls" }, steps.element, last);
  }

  /** @param {Figure<State, Given>} figure */
  function build(figure) {
    const words = figure.get("words");
    const layer = figure.given("x", "w_query", "w_key", "w_value", "w_output", "num_heads");
    /** @param {number} temperature */
    const calculate = (temperature) => ({ ...layer, ...compute({ ...layer, temperature }) });
    const [first, count] = [calculate(1), layer.num_heads];
    const [dk, dv] = [first.queries[0][0].length, first.values[0][0].length];
    const sizes = { count, dk, dv, numbered: Math.max(words.length, dk, dv) <= 6 };
    /** @param {number} selected */
    const choose = (selected) => figure.put({ selected });
    const panels = STEPS.map((_, step) => panel(step, choose, words, first, sizes));
    const [sentence, code, stage] = [h("p", { class: "ak-say" }), h("code", {}), h("div", { class: "ak-stage" })];

    /** @param {State} state */
    function update(state) {
      const now = calculate(state.temperature);
      // Only the step that is shown stands in the page and is painted.
      const { element } = panels[state.step];
      if (stage.firstChild !== element) stage.replaceChildren(element);
      paint(panels[state.step], now, state);
      attnkit.write(code, codeOf(state, sizes));
      attnkit.write(sentence, sentenceOf(state, sizes));
      figure.say(answer(words, state, now));
    }
    // The rows of the highest step, so that nothing below moves from step to step.
    stage.style.setProperty("--rows", String(words.length + Math.max(words.length, layer.x[0].length, count * dv)));
    return { parts: [stage, sentence, h("p", { class: "ak-code" }, code), controls(figure, count)], update };
  }

  attnkit.register("head_stepper", { label: "Multi-head attention, step by step", compute, build });
})(globalThis.attnkit);
