// Multi-head attention as matrices, step by step: project, split, score, weigh, blend, concatenate, mix.
(function (attnkit) {
  "use strict";
  const { h, fixed } = attnkit;
  const times = (a, b) => a.map((row) => attnkit.blend(row, b));
  const turn = (a) => a[0].map((_, k) => a.map((row) => row[k]));
  const join = (list) => list[0].map((_, r) => list.flatMap((m) => m[r]));     // matrices side by side
  const groups = (list, count) => {
    const size = list.length / count;
    return Array.from({ length: count }, (_, i) => list.slice(i * size, (i + 1) * size));
  };

  // The arithmetic, compared with attnkit.multi_head_attention by tests/test_widgets.py.
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
  const STATE = ["step", "head", "selected", "temperature"];

  function render({ model, el }) {
    const words = model.get("words");
    const names = ["x", "w_query", "w_key", "w_value", "w_output", "num_heads"];
    const given = Object.fromEntries(names.map((name) => [name, model.get(name)]));
    const count = given.num_heads;
    const first = compute({ ...given, temperature: 1 });
    const [dk, dv] = [first.queries[0][0].length, first.values[0][0].length];
    const all = Array.from({ length: count }, (_, i) => i + 1);

    const map = attnkit.choice("step", STEPS.map((s, i) => `${i + 1} ${s}`), (i) => attnkit.put(model, { step: i }));
    map.element.classList.add("ak-map");
    const follows = attnkit.choice("follow", all.map((i) => `head ${i}`), (i) => attnkit.put(model, { head: i }));
    const asks = attnkit.choice("row", words, (i) => attnkit.put(model, { selected: i }));
    const heat = attnkit.logSlider({
      name: "temperature", most: 10, onInput: (value) => attnkit.put(model, { temperature: value }),
    });
    const button = (name, set) => h("button", { type: "button", onclick: () => attnkit.put(model, set()) }, name);
    const buttons = h("div", { class: "ak-buttons" },
      button("Next step", () => ({ step: (model.get("step") + 1) % STEPS.length })),
      button("Reset", () => ({
        step: model.get("start_step"), head: model.get("start_head"), selected: 0, temperature: 1 })));

    // Every matrix by its name: the role of its frame, its numbers, those that share its scale of colours. An i in a
    // name stands for the number of the head that is followed.
    const parameters = () => [given.w_query, given.w_key, given.w_value, given.w_output];
    const projected = (now) => [now.queries, now.keys, now.values];
    const mixed = (now) => [now.shares, now.output];
    const heads = (now) => now.heads;
    const scores = (now) => now.scores;
    const KINDS = {
      X: ["quiet", () => given.x, () => given.x],
      "W^Q": ["quiet", () => given.w_query, parameters],
      "W^K": ["quiet", () => given.w_key, parameters],
      "W^V": ["quiet", () => given.w_value, parameters],
      Q: ["query", (now) => join(now.queries), projected],
      K: ["key", (now) => join(now.keys), projected],
      V: ["value", (now) => join(now.values), projected],
      Q_i: ["query", (now, i) => now.queries[i], projected],
      "K_i^T": ["key", (now, i) => turn(now.keys[i]), projected],
      V_i: ["value", (now, i) => now.values[i], projected],
      S_i: ["quiet", (now, i) => now.scores[i], scores],
      A_i: ["weight", (now, i) => now.weights[i], () => 1],
      H_i: ["output", (now, i) => now.heads[i], heads],
      H: ["output", (now) => join(now.heads), heads],
      "W^O": ["quiet", () => given.w_output, parameters],
      Y: ["output", (now) => now.output, mixed],
      ...Object.fromEntries(all.map((i) => [`H_${i} W_${i}^O`, ["quiet", (now) => now.shares[i - 1], mixed]])),
    };
    const followed = [];
    const number = (tag) => {
      followed.push(h(tag, {}));
      return followed[followed.length - 1];
    };
    const small = (...text) => h("span", { class: "ak-small" }, ...text);
    const raised = { _: "sub", "^": "sup" };
    const maths = (name) => h("span", { class: "ak-small ak-maths" }, ...name.split(/([_^].)/).map((part) => (
      part === "_i" ? number("sub") : raised[part[0]] ? h(raised[part[0]], {}, part[1]) : part)));

    // One matrix: its name, its squares, its shape. It is cut into the heads' slices `across` its columns or `down` its
    // rows; `apart`, each slice has a frame and a name of its own; or all of it belongs to the head `of`.
    const matrices = [];
    function matrix(name, { sign = "", across = 1, down = 1, apart = false, of = null, items = true, numbered = false }) {
      const [role, read, like] = KINDS[name];
      const sample = read(first, 0);
      const [n, columns] = [sample.length, sample[0].length];
      const row = () => h("span", { class: "ak-row" },
        ...Array.from({ length: columns / across }, () => h("span", { class: "ak-sq" })));
      const lines = sample.map(() => Array.from({ length: across }, row));
      const cells = lines.map((parts) => parts.flatMap((part) => [...part.children]));
      const slices = Array.from({ length: across * down }, (_, s) => h("span", { class: "ak-slice" },
        ...(down > 1 ? groups(lines, down)[s].flat() : lines.map((parts) => parts[s]))));
      const kind = `ak-frame ak-frame-${role}${down > 1 ? " ak-down" : ""}`;
      const frame = (...inside) => h("span", { class: kind }, ...inside);
      const body = apart ? h("span", { class: "ak-apart" }, ...slices.map((slice, s) =>
        h("span", { class: "ak-part" }, maths(`${name}_${s + 1}`), frame(slice)))) : frame(...slices);
      const owned = slices.length > 1 ? slices.map((slice, s) => [slice, s]) : of === null ? [] : [[slices[0], of]];
      matrices.push({ read, like, body, lines, cells, owned, items, numbered });
      const shape = small(apart ? `each ${n} × ${columns / across}` : `${n} × ${columns}`);
      return h("span", { class: "ak-term" }, sign ? h("span", { class: "ak-sign" }, sign) : null,
        h("span", { class: "ak-part" }, apart ? null : maths(name), body, shape));
    }
    const line = (leading, ...terms) => h("div", { class: "ak-calc" }, h("span", { class: "ak-term" },
      h("span", { class: "ak-names" }, ...words.map((w) => h("span", {}, w)), small("\u00a0")), leading), ...terms);
    const cut = { across: count };
    const own = { numbered: Math.max(words.length, dk, dv) <= 6 };            // one head alone leaves room for numbers
    const factor = { sign: "×", items: false };
    const panels = [
      [line(matrix("X", {}), ...["Q", "K", "V"].map((name) => h("span", { class: "ak-pile" },
        matrix(`W^${name}`, { ...factor, ...cut }), matrix(name, { sign: "=", ...cut }))))],
      [line(...["Q", "K", "V"].map((name) => matrix(name, { ...cut, apart: true })))],
      [line(matrix("Q_i", own), matrix("K_i^T", { ...factor, ...own }),
        matrix("S_i", { sign: `/ √${dk} =`, ...own }))],
      [line(matrix("S_i", own), matrix("A_i", { sign: "softmax →", ...own }))],
      [line(matrix("A_i", own), matrix("V_i", { ...factor, ...own }), matrix("H_i", { sign: "=", ...own }))],
      [line(matrix("H", { ...cut, apart: true }), matrix("H", { sign: "→", ...cut }))],
      [line(matrix("H", cut), matrix("W^O", { ...factor, down: count }), matrix("Y", { sign: "=" })),
        h("p", { class: "ak-small" }, "The same, head by head:"),
        line(...all.map((i) => matrix(`H_${i} W_${i}^O`, { sign: i > 1 ? "+" : "", of: i - 1 })),
          matrix("Y", { sign: "=" }))],
    ].map((parts, s) => {
      const single = s > 1 && s < 5;
      return h("div", { class: `ak-heads${single && own.numbered ? " ak-numbered" : ""}` }, ...parts,
        single || count === 1 ? null : h("p", { class: "ak-small" }, "Dashed: head ", number("span"), "."));
    });
    const sentence = h("p", { class: "ak-say" });
    const code = h("code", {});
    const stage = h("div", {});
    const shown = panels.map((panel) => matrices.filter((m) => panel.contains(m.body)));
    const frame = attnkit.frame(model, "Multi-head attention, step by step",
      h("div", { class: "ak-controls" }, map.element, follows.element, asks.element, heat.element, buttons),
      sentence, h("p", { class: "ak-code" }, code), stage);
    // Squares are as large as the widest matrix allows.
    frame.element.style.setProperty("--columns", Math.max(given.x[0].length, count * dk, count * dv));
    el.replaceChildren(frame.element);

    const mark = (node, kind, chosen) => attnkit.attr(node, "class", chosen ? `${kind} ak-chosen` : kind);
    const size = (numbers) => Math.max(...[numbers].flat(4).map(Math.abs)) || 1;
    const tuple = (row) => `(${row.map((v) => fixed(v, 2)).join(", ")})`;
    const each = (row) => words.map((w, k) => `${w} ${fixed(row[k])}`).join(", ");

    function update() {
      const [step, head, selected, temperature] = STATE.map((name) => model.get(name));
      const now = compute({ ...given, temperature });
      const i = head + 1;
      map.show(step);
      follows.show(head);
      asks.show(selected);
      heat.show(temperature);
      followed.forEach((node) => attnkit.write(node, String(i)));
      // Only the step that is shown stands in the page and is painted.
      if (stage.firstChild !== panels[step]) stage.replaceChildren(panels[step]);
      const sizes = new Map();
      shown[step].forEach(({ read, like, cells, lines, owned, items, numbered }) => {
        if (!sizes.has(like)) sizes.set(like, size(like(now)));
        read(now, head).forEach((row, r) => row.forEach((v, c) => {
          attnkit.paint(cells[r][c], v, sizes.get(like));
          if (numbered) attnkit.write(cells[r][c], fixed(v, 2));
        }));
        if (items) lines.forEach((parts, r) => parts.forEach((part) => mark(part, "ak-row", r === selected)));
        owned.forEach(([slice, owner]) => mark(slice, "ak-slice", owner === head));
      });
      const list = (name) => all.map((k) => `${name}_${k}`).join(", ");
      const heated = temperature === 1 ? "" : `, temperature=${temperature}`;
      attnkit.write(code, [
        "Q, K, V = X @ W_Q, X @ W_K, X @ W_V",
        `${list("Q")} = np.hsplit(Q, ${count})    # K and V alike`,
        `S_${i} = Q_${i} @ K_${i}.mT / sqrt(${dk})`,
        `A_${i} = softmax(S_${i}${heated})`,
        `H_${i} = A_${i} @ V_${i}`,
        `H = np.hstack([${list("H")}])`,
        `Y = H @ W_O    # = ${all.map((k) => `H_${k} @ W_O_${k}`).join(" + ")}`][step]);
      attnkit.write(sentence, [
        "Three matrices turn the rows of X into queries, keys and values: one wide matrix each, for all heads.",
        `The columns are cut into ${count} group${count > 1 ? "s" : ""}: each head gets ${dk} of Q and K, ${dv} of V.`,
        `Head ${i} alone: each query meets each key; the dot products are divided by √${dk}.`,
        `Softmax along each row makes the weights of head ${i}: none negative, each row sums to 1.00.`,
        `Head ${i} blends its values: one row of weights, one blend.`,
        `The outputs of the heads side by side: ${count} × ${dv} = ${count * dv} columns.`,
        "The output matrix mixes the heads: each head's columns meet rows of its own, and all is added up."][step]);
      const word = `“${words[selected]}”`;
      const sum = now.shares.map((share) => tuple(share[selected])).join(" + ");
      const whole = (list) => tuple(join(list)[selected]);
      const part = (list) => tuple(list[head][selected]);
      frame.say([
        () => `${word}: query ${whole(now.queries)}, key ${whole(now.keys)}, value ${whole(now.values)}.`,
        () => `${word} in head ${i}: query ${part(now.queries)}, key ${part(now.keys)}, value ${part(now.values)}.`,
        () => `Scores of ${word} in head ${i}: ${each(now.scores[head][selected])}.`,
        () => `Weights of ${word} in head ${i}: ${each(now.weights[head][selected])}.`,
        () => `Head ${i} answers ${word} with ${part(now.heads)}.`,
        () => `${word}: ${all.map((k) => `head ${k} ${tuple(now.heads[k - 1][selected])}`).join(", ")}.`,
        () => `Y of ${word}: ${tuple(now.output[selected])}; head by head, ${sum}.`][step]());
    }
    const leave = attnkit.follow(model, STATE, update);
    return () => { frame.stop(); leave(); };
  }

  attnkit.figures.head_stepper = { compute, render };
})(globalThis.attnkit);
