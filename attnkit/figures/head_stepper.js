// Multi-head attention as matrices, step by step: project, split, score, weigh, blend, concatenate, mix.
((attnkit) => {
  "use strict";
  const { h, fixed } = attnkit;
  const times = (a, b) => a.map((row) => attnkit.blend(row, b));
  const turn = (a) => a[0].map((_, k) => a.map((row) => row[k]));
  const join = (list) => list[0].map((_, r) => list.flatMap((m) => m[r])); // matrices side by side
  const groups = (list, count) => {
    const size = list.length / count;
    return Array.from({ length: count }, (_, i) => list.slice(i * size, (i + 1) * size));
  };

  // The arithmetic, compared with attnkit.multi_head_attention by tests/test_figures.py.
  function compute({ x, w_query, w_key, w_value, w_output, num_heads, temperature }) {
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
  const [SCORE, BLEND] = [2, 4]; // from the one to the other a step shows one head alone

  // ---- the matrices

  // Every matrix by its name: the role of its frame, its numbers, those that share its scale of colours. An i in a name
  // stands for the number of the head that is followed.
  const inputs = (m) => m.x;
  const parameters = (m) => [m.w_query, m.w_key, m.w_value, m.w_output];
  const projected = (m) => [m.queries, m.keys, m.values];
  const scores = (m) => m.scores;
  const heads = (m) => m.heads;
  const mixed = (m) => [m.shares, m.output];
  const KINDS = {
    X: ["quiet", (m) => m.x, inputs],
    "W^Q": ["quiet", (m) => m.w_query, parameters],
    "W^K": ["quiet", (m) => m.w_key, parameters],
    "W^V": ["quiet", (m) => m.w_value, parameters],
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
  const share = (i) => ["quiet", (m) => m.shares[i], mixed]; // what one head adds to Y

  const small = (...text) => h("span", { class: "ak-small" }, ...text);

  // The squares of a matrix, cut into slices across its columns or down its rows.
  function squares(rows, columns, across, down) {
    const row = () => {
      const cells = Array.from({ length: columns / across }, () => h("span", { class: "ak-sq" }));
      return h("span", { class: "ak-row" }, ...cells);
    };
    const lines = Array.from({ length: rows }, () => Array.from({ length: across }, row));
    const cells = lines.map((parts) => parts.flatMap((part) => [...part.children]));
    const parts = down > 1 ? groups(lines, down).map((some) => some.flat()) : turn(lines);
    return { lines, cells, slices: parts.map((part) => h("span", { class: "ak-slice" }, ...part)) };
  }

  // What draws the matrices of one step; `matrices` and `numbers`, the places where the followed head's number stands,
  // are what a redraw has to write.
  function pen(first) {
    const [matrices, numbers] = [[], []];
    function number(tag) {
      numbers.push(h(tag, {}));
      return numbers.at(-1);
    }
    const raised = { _: "sub", "^": "sup" };
    function maths(name) {
      const part = (text) => (text === "_i" ? number("sub") : raised[text[0]] ? h(raised[text[0]], {}, text[1]) : text);
      return h("span", { class: "ak-small ak-maths" }, ...name.split(/([_^].)/).map(part));
    }

    // One matrix: its name, its squares, its shape. It is cut into the heads' slices `across` its columns or `down` its
    // rows; `apart`, each slice has a frame and a name of its own; or all of it is the share of the head `of`.
    function matrix(name, options) {
      const { sign, across = 1, down = 1, apart = false, of = null, items = true, numbered = false } = options;
      const [role, read, like] = of === null ? KINDS[name] : share(of);
      const sample = read(first, 0);
      const [n, columns] = [sample.length, sample[0].length];
      const { lines, cells, slices } = squares(n, columns, across, down);
      const kind = `ak-frame ak-frame-${role}${down > 1 ? " ak-down" : ""}`;
      const frame = (...inside) => h("span", { class: kind }, ...inside);
      const named = (slice, s) => h("span", { class: "ak-part" }, maths(`${name}_${s + 1}`), frame(slice));
      const body = apart ? h("span", { class: "ak-apart" }, ...slices.map(named)) : frame(...slices);
      const owned = slices.length > 1 ? slices.map((slice, s) => [slice, s]) : of === null ? [] : [[slices[0], of]];
      matrices.push({ read, like, lines, cells, owned, items, numbered });
      const shape = small(apart ? `each ${n} × ${columns / across}` : `${n} × ${columns}`);
      const whole = h("span", { class: "ak-part" }, apart ? null : maths(name), body, shape);
      return h("span", { class: "ak-term" }, sign ? h("span", { class: "ak-sign" }, sign) : null, whole);
    }
    return { matrix, number, matrices, numbers };
  }

  // The lines of matrices of one step.
  function calculation(step, matrix, { count, dk, numbered }) {
    const cut = { across: count };
    const own = { numbered }; // one head alone leaves room for numbers
    const factor = { sign: "×", items: false };
    const result = { sign: "=" };
    const pile = (name) =>
      h("span", { class: "ak-pile" }, matrix(`W^${name}`, { ...factor, ...cut }), matrix(name, { ...result, ...cut }));
    const part = (_, i) => matrix(`H_${i + 1} W_${i + 1}^O`, { sign: i > 0 ? "+" : "", of: i });
    return [
      () => [[matrix("X", {}), ...["Q", "K", "V"].map(pile)]],
      () => [["Q", "K", "V"].map((name) => matrix(name, { ...cut, apart: true }))],
      () => [
        [matrix("Q_i", own), matrix("K_i^T", { ...factor, ...own }), matrix("S_i", { sign: `/ √${dk} =`, ...own })],
      ],
      () => [[matrix("S_i", own), matrix("A_i", { sign: "softmax →", ...own })]],
      () => [[matrix("A_i", own), matrix("V_i", { ...factor, ...own }), matrix("H_i", { ...result, ...own })]],
      () => [[matrix("H", { ...cut, apart: true }), matrix("H", { sign: "→", ...cut })]],
      () => [
        [matrix("H", cut), matrix("W^O", { ...factor, down: count }), matrix("Y", result)],
        [...Array.from({ length: count }, part), matrix("Y", result)],
      ],
    ][step]();
  }

  // What stands in the page at one step.
  function panel(step, words, first, sizes) {
    const { matrix, number, matrices, numbers } = pen(first);
    const line = ([leading, ...terms]) => {
      const names = h("span", { class: "ak-names" }, ...words.map((w) => h("span", {}, w)), small("\u00a0"));
      return h("div", { class: "ak-calc" }, h("span", { class: "ak-term" }, names, leading), ...terms);
    };
    const note = (...text) => h("p", { class: "ak-small" }, ...text);
    const [whole, ...again] = calculation(step, matrix, sizes).map(line);
    const single = step >= SCORE && step <= BLEND;
    const dashed = single || sizes.count === 1 ? null : note("Dashed: head ", number("span"), ".");
    const kind = `ak-heads${single && sizes.numbered ? " ak-numbered" : ""}`;
    const below = again.flatMap((sum) => [note("The same, head by head:"), sum]);
    return { element: h("div", { class: kind }, whole, ...below, dashed), matrices, numbers };
  }

  const mark = (node, kind, chosen) => attnkit.attr(node, "class", chosen ? `${kind} ak-chosen` : kind);
  const largest = (numbers) => Math.max(...[numbers].flat(4).map(Math.abs)) || 1;

  // Paint the matrices of a step and mark the row that is followed and the slices of its head.
  function paint({ matrices, numbers }, now, { head, selected }) {
    numbers.forEach((node) => attnkit.write(node, String(head + 1)));
    const scales = new Map();
    matrices.forEach(({ read, like, cells, lines, owned, items, numbered }) => {
      if (!scales.has(like)) scales.set(like, largest(like(now)));
      read(now, head).forEach((row, r) =>
        row.forEach((v, c) => {
          attnkit.paint(cells[r][c], v, scales.get(like));
          if (numbered) attnkit.write(cells[r][c], fixed(v, 2));
        }),
      );
      if (items) lines.forEach((parts, r) => parts.forEach((part) => mark(part, "ak-row", r === selected)));
      owned.forEach(([slice, owner]) => mark(slice, "ak-slice", owner === head));
    });
  }

  // ---- the words

  const upTo = (count) => Array.from({ length: count }, (_, i) => i + 1);

  function codeOf({ step, head, temperature }, { count, dk }) {
    const i = head + 1;
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
  function answer(words, { step, head, selected }, now) {
    const word = `“${words[selected]}”`;
    const i = head + 1;
    const tuple = (row) => `(${row.map((v) => fixed(v, 2)).join(", ")})`;
    const each = (row) => words.map((w, k) => `${w} ${fixed(row[k])}`).join(", ");
    const whole = (list) => tuple(join(list)[selected]);
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

  function controls(figure, words, count) {
    const steps = figure.choice({ label: "step", words: STEPS.map((s, i) => `${i + 1} ${s}`), trait: "step" });
    steps.element.classList.add("ak-map");
    const follows = figure.choice({ label: "follow", words: upTo(count).map((i) => `head ${i}`), trait: "head" });
    const asks = figure.choice({ label: "row", words, trait: "selected" });
    const heat = figure.logSlider({ name: "temperature", trait: "temperature", most: 10 });
    const next = figure.button("Next step", ({ step }) => ({ step: (step + 1) % STEPS.length }));
    const rows = [steps, follows, asks, heat].map((control) => control.element);
    return h("div", { class: "ak-controls" }, ...rows, h("div", { class: "ak-buttons" }, next, figure.reset()));
  }

  function build(figure) {
    const words = figure.get("words");
    const names = ["x", "w_query", "w_key", "w_value", "w_output", "num_heads"];
    const layer = Object.fromEntries(names.map((name) => [name, figure.get(name)]));
    const calculate = (temperature) => ({ ...layer, ...compute({ ...layer, temperature }) });
    const [first, count] = [calculate(1), layer.num_heads];
    const [dk, dv] = [first.queries[0][0].length, first.values[0][0].length];
    const sizes = { count, dk, dv, numbered: Math.max(words.length, dk, dv) <= 6 };
    const panels = STEPS.map((_, step) => panel(step, words, first, sizes));
    const [sentence, code, stage] = [h("p", { class: "ak-say" }), h("code", {}), h("div", {})];

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
    // Squares are as large as the widest matrix allows.
    figure.element.style.setProperty("--columns", Math.max(layer.x[0].length, count * dk, count * dv));
    const parts = [controls(figure, words, count), sentence, h("p", { class: "ak-code" }, code), stage];
    return { parts, update };
  }

  attnkit.register("head_stepper", { label: "Multi-head attention, step by step", compute, build });
})(globalThis.attnkit);
