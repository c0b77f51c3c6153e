// What one goes through by steps: matrices of squares in their places, which light up and fill from step to step. What is
// calculated, drawn and told at each is data from Python (steps.py); two figures are nothing else.
((attnkit) => {
  "use strict";
  const { h, fixed } = attnkit;

  /** @typedef {{ step: number, selected: number, head: number, scale: number, temperature: number }} State */
  /** @typedef {StepData & { words: string[], columns: string[], heads: number }} Given */
  /** @typedef {Given & State & { found: Record<string, any> }} Now */

  // ---- the arithmetic

  const { sum } = attnkit;
  /** @template T @param {T[][]} a @returns {T[][]} */
  const turned = (a) => a[0].map((_, k) => a.map((row) => row[k]));
  /** @template T @param {T[]} list @param {number} count */
  const groups = (list, count) => {
    const size = list.length / count;
    return Array.from({ length: count }, (_, i) => list.slice(i * size, (i + 1) * size));
  };

  /** @type {Record<string, (a: Matrix, ...more: any[]) => Matrix | number>} */
  const OPERATIONS = {
    product: (a, b) => a.map((row) => attnkit.blend(row, b)),
    times: (a, by) => a.map((row) => row.map((v) => v * by)),
    divided: (a, by) => a.map((row) => row.map((v) => v / by)),
    softmax: (a) => a.map(attnkit.softmax),
    turned,
    row: (a, k) => [a[k]],
    rows: (a, k, count) => groups(a, count)[k],
    columns: (a, k, count) => turned(groups(turned(a), count)[k]),
    beside: (a, ...more) => a.map((row, r) => [...row, ...more.flatMap((b) => b[r])]),
    weighed: (a, [weights]) => a.map((row, r) => row.map((v) => weights[r] * v)),
    largest: ([row]) => attnkit.argmax(row),
  };

  /** @param {Expression} of @param {State & { found: Record<string, any> }} now @returns {any} */
  function value(of, now) {
    if (typeof of === "number") return of;
    if (typeof of === "string")
      return now.found[of.replace("_i", `_${now.head + 1}`)] ?? now[/** @type {keyof State} */ (of)];
    const [operation, ...inputs] = of;
    const [first, ...more] = inputs.map((input) => value(input, now));
    return OPERATIONS[/** @type {string} */ (operation)](first, ...more);
  }

  // All matrices by their names, compared with numpy and attnkit by tests/figures/.
  /** @param {StepData & State} state */
  function compute(state) {
    const found = { ...state.matrices };
    for (const [name, formula] of state.formulas) found[name] = value(formula, { ...state, found });
    return found;
  }

  // ---- the words

  // The row of a matrix that is followed; a matrix of one row is about the word that is followed already.
  /** @param {string} name @param {Now} now @returns {number[]} */
  function line(name, now) {
    const matrix = value(name, now);
    return matrix.length === 1 ? matrix[0] : matrix[now.selected];
  }

  /** @param {string} name @param {Now} now @param {(v: number, k: number) => string} text */
  const list = (name, now, text) => line(name, now).map(text).join(", ");

  // What stands between < and > in a text: one of these, and what it is asked for.
  /** @type {Record<string, (now: Now, a: string, b: string) => string>} */
  const TEXTS = {
    word: (now) => now.words[now.selected],
    other: (now, which) => now.columns[value(which, now)],
    number: (now, name, k) => fixed(line(name, now)[value(k, now)]),
    row: (now, name, digits = "2") => `(${list(name, now, (v) => fixed(v, Number(digits)))})`,
    each: (now, name) => list(name, now, (v, k) => `${now.columns[k]} ${fixed(v)}`),
    count: (now, trait) => String(value(trait, now) + 1),
    fixed: (now, trait, digits = "2") => fixed(value(trait, now), Number(digits)),
    heated: ({ temperature }) => (temperature === 1 ? "" : `, temperature=${temperature}`),
  };

  /** @param {string} text @param {Now} now */
  const filled = (text, now) =>
    text.replace(/<(.*?)>/g, (_, asked) => {
      const [name, a, b] = asked.split(" ");
      return TEXTS[name](now, a, b);
    });

  // ---- the drawing

  /** @type {Record<string, "sub" | "sup">} */
  const RAISED = { _: "sub", "^": "sup" };
  /** @param {string} part */
  const raised = (part) => (RAISED[part[0]] ? h(RAISED[part[0]], {}, part[1]) : part);
  // What stands in a square that has no room for its number.
  /** @param {number} v */
  const signOf = (v) => (fixed(v, 2) === fixed(0, 2) ? "" : v < 0 ? "−" : "+");
  /** @param {Element} node @param {boolean} lit */
  const light = (node, lit) => node.classList.toggle("ak-lit", lit);

  // A matrix as squares, cut into the heads' slices across its columns or down its rows.
  /** @param {StepMatrix} part @param {Matrix} sample */
  function squares({ across = 1, down = 1, bars }, sample) {
    const kind = bars ? "ak-sq ak-bar" : "ak-sq";
    const cells = sample.map((row) => row.map(() => h("span", { class: kind })));
    const lines = cells.map((row) => groups(row, across).map((some) => h("span", { class: "ak-row" }, some)));
    const parts = down > 1 ? groups(lines, down) : turned(lines);
    return { cells, lines, slices: parts.map((some) => h("span", { class: "ak-slice" }, some)) };
  }

  // Write and paint the squares.
  /** @param {StepMatrix} part @param {HTMLElement[][]} cells @param {Now} now */
  function paint({ shows, like, role, digits = 2, bars }, cells, now) {
    const vmax = Math.max(...like.flatMap((one) => [value(one, now)].flat(2)).map(Math.abs)) || 1;
    /** @type {Matrix} */
    const numbers = value(shows, now);
    numbers.forEach((row, r) =>
      row.forEach((v, c) => {
        const cell = cells[r][c];
        attnkit.write(cell, digits === null ? signOf(v) : fixed(v, digits));
        if (bars) attnkit.style(cell, "backgroundSize", `${(100 * v).toFixed(1)}% 100%`);
        else attnkit.paint(cell, v, vmax, role === "weight" ? role : undefined);
      }),
    );
  }

  // One matrix: its name, its shape, its squares, and what shows it as it is now.
  /** @param {StepMatrix} part @param {Now} first */
  function matrix(part, first) {
    const { shows, title = String(shows), shape = "", role, tops, down = 1, apart, of = -1, line: side } = part;
    const { since = 0, aside = [] } = part;
    const sample = value(shows, first);
    const { cells, lines, slices } = squares(part, sample);
    /** @type {{ node: HTMLElement, text: string, shown: string }[]} */
    const titles = [];
    const look = side ? `ak-part ak-line ak-${side}` : "ak-part";
    /** @param {string} text @param {HTMLElement[]} inside */
    const framed = (text, ...inside) => {
      const node = h("span", { class: "ak-small ak-maths" });
      titles.push({ node, text, shown: "" });
      const heading = h("span", { class: "ak-title" }, node, " ", h("span", { class: "ak-small" }, shape));
      const frame = h("span", { class: `ak-frame ak-frame-${role}${down > 1 ? " ak-down" : ""}` }, inside);
      const above = tops ? h("span", { class: "ak-tops" }, ...tops.map((word) => h("span", {}, word))) : null;
      return h("span", { class: look, style: `--role:var(--ak-${role})` }, heading, above, frame);
    };
    const element = apart
      ? h("span", { class: "ak-apart" }, ...slices.map((slice, s) => framed(`${title}_${s + 1}`, slice)))
      : framed(title, ...slices);

    /** @param {Now} now */
    function show(now) {
      element.classList.toggle("ak-empty", now.step < since);
      element.classList.toggle("ak-aside", aside.includes(now.step));
      for (const one of titles) {
        const text = filled(one.text, now).replaceAll("_i", `_${now.head + 1}`);
        if (text !== one.shown) one.node.replaceChildren(...text.split(/([_^].)/).map(raised));
        one.shown = text;
      }
      paint(part, cells, now);
      lines.forEach((some, r) => some.forEach((node) => light(node, part.marks === "row" && r === now.selected)));
      slices.forEach((node, s) => light(node, now.head === (slices.length > 1 ? s : of)));
    }
    return { element, show, part, rows: cells.length, columns: sample[0].length };
  }

  // Words beside rows, which choose the row that is followed.
  /** @param {StepNames} part @param {Figure<State, Given>} figure */
  function beside({ words, label }, figure) {
    const choice = figure.choice({ label, words, trait: "selected" });
    choice.element.replaceChildren(...choice.buttons);
    return h("span", { class: "ak-names" }, choice.element);
  }

  // The matrices of one drawing in columns, from above: a right factor stands above the product, so that a row and a column
  // meet where they cross. A text stands for a sign.
  /** @param {Given["drawings"][0]} columns @param {Now} first @param {Figure<State, Given>} figure */
  function drawing(columns, first, figure) {
    const element = h("div", { class: "ak-drawing", style: `grid-template-columns:repeat(${columns.length},auto)` });
    /** @type {ReturnType<typeof matrix>[][]} */
    const levels = [[], [], []];
    /** @param {HTMLElement} node @param {number} r @param {number} c @param {string} [side] */
    function put(node, r, c, side) {
      node.style.gridArea = side ? `${r + 1} / ${side === "start" ? c + 1 : 1} / auto / -1` : `${r + 1} / ${c + 1}`;
      element.append(node);
    }
    columns.forEach((column, c) =>
      column.forEach((what, r) => {
        if (what === null) return;
        if (typeof what === "string") return put(h("span", { class: "ak-sign" }, what), r, c);
        if ("words" in what) return put(beside(what, figure), r, c);
        const one = matrix(what, first);
        levels[r].push(one);
        put(one.element, r, c, what.line);
      }),
    );
    if (levels.flat().some(({ part }) => part.digits !== null)) element.classList.add("ak-numbered");
    // Squares are as wide as those beside each other allow, and what stands between them: all, or those that a phone shows.
    const between = columns.length - 1 - levels[1].length;
    /** @param {Now} now */
    function show(now) {
      for (const one of levels.flat()) one.show(now);
      const near = levels[1].filter(({ part }) => !part.aside?.includes(now.step));
      for (const [kind, some] of Object.entries({ wide: levels[1], narrow: near })) {
        const own = some.map(({ columns: own, part }) => (part.bars ? 2 : own));
        const frames = some.map(({ part: { apart, across = 1 } }) => (apart ? across : 1));
        element.style.setProperty(`--${kind}`, String(sum(own)));
        element.style.setProperty(`--${kind}-frames`, String(between + sum(frames)));
      }
    }
    const rows = sum(levels.map((level) => Math.max(0, ...level.map((one) => one.rows))));
    return { element, show, rows };
  }

  // ---- the figure

  /** @param {Figure<State, Given>} figure @param {StepData["steps"]} steps */
  function controls(figure, steps) {
    const way = figure.choice({ label: "step", words: steps.map(({ name }, i) => `${i + 1} ${name}`), trait: "step" });
    const next = figure.button("Next step", ({ step }) => ({ step: (step + 1) % steps.length }));
    next.classList.add("ak-primary");
    way.element.append(next);
    way.element.classList.add("ak-way");
    const words = Array.from({ length: figure.get("heads") }, (_, i) => `head ${i + 1}`);
    const heads = words.length ? figure.choice({ label: "follow", words, trait: "head" }).element : null;
    heads?.classList.add("ak-follow");
    const trait = "scale" in figure.state() ? "scale" : "temperature";
    const dial = figure.logSlider({ name: trait, trait, most: 10 });
    return attnkit.controls(way, h("div", { class: "ak-last-row" }, heads, dial, figure.reset()));
  }

  /** @param {Figure<State, Given>} figure */
  function build(figure) {
    const given = figure.given("matrices", "formulas", "words", "columns", "heads", "drawings", "steps");
    /** @param {State} state @returns {Now} */
    const calculated = (state) => ({ ...given, ...state, found: compute({ ...given, ...state }) });
    const first = calculated(figure.state());
    const drawings = given.drawings.map((columns) => drawing(columns, first, figure));
    const letters = Math.max(...given.words.map((word) => word.length));
    const rows = Math.max(...drawings.map((one) => one.rows)); // of the highest: nothing below moves from step to step
    const style = `--words:${given.words.length};--letters:${letters};--rows:${rows}`;
    const [stage, sentence, code] = [
      h("div", { class: "ak-stage", style }),
      h("p", { class: "ak-say" }),
      h("code", {}),
    ];

    /** @param {State} state */
    function update(state) {
      const step = given.steps[state.step];
      // There is one drawing for all steps, or one for each: only what is shown stands in the page and is painted.
      const { element, show } = drawings[state.step] ?? drawings[0];
      const now = calculated(state);
      if (stage.firstChild !== element) stage.replaceChildren(element);
      show(now);
      attnkit.write(sentence, filled(step.says, now));
      attnkit.write(code, filled(step.code, now));
      figure.say(filled(step.tells, now));
    }
    return { parts: [stage, sentence, h("p", { class: "ak-code" }, code), controls(figure, given.steps)], update };
  }

  attnkit.steps = (label) => ({ label, compute, build });
})(globalThis.attnkit);
