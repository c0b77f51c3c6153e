// Q times K transposed, softmax row by row, times V: click a cell, see its row, its column and its sum.
((attnkit) => {
  "use strict";
  const { h, fixed, quoted } = attnkit;

  /** @typedef {{ step: number, cell: Pair, scale: number }} State */
  /** @typedef {{ queries: Matrix, key_rows: Matrix, values: Matrix }} Data */
  /** @typedef {Data & { row_names: string[], column_names: string[] }} Given */
  /** @typedef {{ cells: HTMLElement[][], stop: Walk|null }} Block */
  /** @typedef {ReturnType<typeof compute>} Found */

  // The arithmetic, compared with numpy and attnkit.attention by tests/figures/.
  /** @param {Data & { scale: number }} data */
  function compute({ queries, key_rows, values, scale }) {
    const scores = queries.map((q) => key_rows.map((k) => scale * attnkit.dot(q, k)));
    const weights = scores.map(attnkit.softmax);
    return { scores, weights, outputs: weights.map((row) => attnkit.blend(row, values)) };
  }

  // Each step: its name, which is that of its result in `compute`, what one of its numbers is, and the matrices it takes.
  /** @type {{ name: keyof ReturnType<typeof compute>, one: string, result: string, left: string, right?: string }[]} */
  const STEPS = [
    { name: "scores", one: "score", result: "S", left: "Q", right: "Kᵀ" },
    { name: "weights", one: "weight", result: "A", left: "S" },
    { name: "outputs", one: "output", result: "Y", left: "A", right: "V" },
  ];

  // The matrices: their roles, and the formulas of those that a step makes.
  /** @type {Record<string, string>} */
  const ROLES = { Q: "query", Kᵀ: "key", S: "quiet", A: "weight", V: "value", Y: "output" };
  /** @type {Record<string, string>} */
  const FORMULAS = { S: "S = scale · Q Kᵀ", A: "A = softmax(S)", Y: "Y = A V" };

  /** @param {Data} data @param {Found} found @returns {Record<string, Matrix>} */
  function matrices({ queries, key_rows, values }, { scores, weights, outputs }) {
    const turned = key_rows[0].map((_, k) => key_rows.map((row) => row[k]));
    return { Q: queries, Kᵀ: turned, S: scores, A: weights, V: values, Y: outputs };
  }

  /** @param {Figure<State, Given>} figure @param {(string|number)[][]} columns */
  function controls(figure, columns) {
    const steps = figure.choice({
      label: "step",
      words: STEPS.map(({ name }, i) => `${i + 1} ${name}`),
      trait: "step",
      // The outputs may have fewer columns: the cell stays inside.
      write: (step, { cell: [row, column] }) => ({ step, cell: [row, Math.min(column, columns[step].length - 1)] }),
    });
    const scale = figure.logSlider({ name: "scale", trait: "scale", most: 10 });
    const last = h("div", { class: "ak-last-row" }, scale.element, figure.reset());
    return h("div", { class: "ak-controls" }, steps.element, last);
  }

  // A matrix as squares in a frame; those of a step's result are buttons, which choose the step and the cell.
  /** @param {string} name @param {Matrix} numbers @param {Figure<State, Given>} figure */
  function block(name, numbers, figure) {
    const step = STEPS.findIndex(({ result }) => result === name);
    /** @param {number} i @param {number} j */
    const square = (i, j) => {
      if (step < 0) return h("span", { class: "ak-sq" });
      const choose = () => figure.put({ step, cell: [i, j] });
      return attnkit.button(null, choose, { class: "ak-sq", "aria-pressed": "false" });
    };
    const cells = numbers.map((row, i) => row.map((_, j) => square(i, j)));
    const look = {
      class: `ak-block ak-frame ak-frame-${ROLES[name]}`,
      style: `grid-template-columns:repeat(${numbers[0].length},auto)`,
    };
    const stop =
      step < 0 ? null : attnkit.walk(/** @type {HTMLButtonElement[]} */ (cells.flat()), { columns: numbers[0].length });
    return { cells, stop, element: h("span", look, ...cells.flat()) };
  }

  // All matrices in their places: a right factor stands above the product, so that a row and a column meet where they
  // cross. What later steps make is an empty place until then.
  /**
   * @param {Figure<State, Given>} figure
   * @param {Record<string, Matrix>} sample
   * @param {string[]} rowNames
   * @param {string[]} columnNames
   */
  function drawing(figure, sample, rowNames, columnNames) {
    /** @type {Record<string, ReturnType<typeof block>>} */
    const blocks = {};
    /** @param {string[]} words @param {string} kind */
    const names = (words, kind) =>
      h("span", { class: `ak-names ${kind}` }, ...words.map((word) => h("span", {}, word)));
    const parts = Object.entries(sample).map(([name, numbers], k) => {
      blocks[name] = block(name, numbers, figure);
      const title = h(
        "span",
        { class: "ak-small" },
        `${FORMULAS[name] ?? name} (${numbers.length}, ${numbers[0].length})`,
      );
      const above = name === "Kᵀ" ? names(columnNames, "ak-across") : null;
      return h("span", { class: `ak-part ak-m${k + 1}` }, title, above, blocks[name].element);
    });
    const sides = [names(rowNames, "ak-rows"), names(columnNames, "ak-rows ak-inner")];
    return { blocks, element: h("div", { class: "ak-product" }, ...sides, ...parts) };
  }

  // Write a matrix into its squares.
  /** @param {Block} block @param {Matrix} numbers @param {Fill} [kind] */
  function fill({ cells }, numbers, kind) {
    const vmax = kind ? 1 : Math.max(1, ...numbers.flat().map(Math.abs));
    numbers.forEach((line, i) =>
      line.forEach((v, j) => {
        attnkit.write(cells[i][j], fixed(v, 2));
        attnkit.paint(cells[i][j], v, vmax, kind);
      }),
    );
  }

  // Frame the squares of one row, of one column or, where both are named, one cell.
  /** @param {Block} block @param {number|null} row @param {number|null} column */
  function mark({ cells }, row, column) {
    cells.forEach((line, i) =>
      line.forEach((cell, j) => {
        const marked = (row === null || i === row) && (column === null || j === column);
        attnkit.style(cell, "boxShadow", marked ? "inset 0 0 0 1px var(--ak-ink), 0 0 0 1px var(--ak-ink)" : "");
      }),
    );
  }

  // The cells of the results say which one they are, and whether they are the one that is explained.
  /**
   * @param {Block} block
   * @param {Matrix} numbers
   * @param {{ one: string, chosen: Pair|null, rowNames: string[], columns: (string|number)[] }} options
   */
  function tell({ cells, stop }, numbers, { one, chosen, rowNames, columns }) {
    if (chosen) stop?.at(chosen[0] * columns.length + chosen[1]);
    cells.forEach((line, i) =>
      line.forEach((cell, j) => {
        attnkit.attr(cell, "aria-pressed", String(chosen !== null && i === chosen[0] && j === chosen[1]));
        attnkit.attr(cell, "aria-label", `${one}, row ${rowNames[i]}, column ${columns[j]}: ${fixed(numbers[i][j])}`);
      }),
    );
  }

  // The sum behind the cell.
  /**
   * @param {State} state
   * @param {Pair} pair
   * @param {Data} data
   * @param {Found} now
   * @param {string[]} rowNames
   * @param {string[]} columnNames
   */
  function sentence({ step, scale }, [i, j], { queries, key_rows, values }, now, rowNames, columnNames) {
    /** @param {number[]} a @param {number[]} b */
    const chain = (a, b) => a.map((v, k) => `${fixed(v)}·${fixed(b[k])}`).join(" + ");
    const result = fixed(now[STEPS[step].name][i][j]);
    if (step === 0) {
      const product = `${fixed(scale)} · (${chain(queries[i], key_rows[j])})`;
      return `${quoted(rowNames[i])} meets ${quoted(columnNames[j])}: ${product} = ${result}.`;
    }
    if (step === 1) {
      const powers = now.scores[i].map(Math.exp);
      const total = powers.reduce((sum, v) => sum + v, 0);
      return (
        `${quoted(rowNames[i])}, weight of ${quoted(columnNames[j])}: exp(${fixed(now.scores[i][j])}) = ${fixed(powers[j])}, ` +
        `divided by ${fixed(total)}, the sum of the row's exponentials: ${result}.`
      );
    }
    const column = values.map((row) => row[j]);
    return `${quoted(rowNames[i])}, number ${j + 1} of its output: ${chain(now.weights[i], column)} = ${result}.`;
  }

  /** @param {Figure<State, Given>} figure */
  function build(figure) {
    const { row_names: rowNames, column_names: columnNames } = figure.given("row_names", "column_names");
    const data = figure.given("queries", "key_rows", "values");
    const numbered = data.values[0].map((_, k) => k + 1);
    const columns = [columnNames, columnNames, numbered]; // of each step's result
    const sample = matrices(data, compute({ ...data, scale: 1 }));
    const { blocks, element } = drawing(figure, sample, rowNames, columnNames);

    /** @param {State} state */
    function update(state) {
      const now = compute({ ...data, scale: state.scale });
      const { left, right, result } = STEPS[state.step];
      /** @type {State["cell"]} */
      const cell = [state.cell[0], Math.min(state.cell[1], columns[state.step].length - 1)];
      const numbers = matrices(data, now);
      /** @type {Record<string, [number | null, number | null]>} */
      const places = { [left]: [cell[0], null], [result]: cell };
      if (right) places[right] = [null, cell[1]];
      for (const name of Object.keys(blocks)) {
        fill(blocks[name], numbers[name], name === "A" ? "weight" : undefined);
        mark(blocks[name], ...(places[name] ?? [-1, -1]));
      }
      STEPS.forEach((step, s) => {
        const chosen = s === state.step ? cell : null;
        tell(blocks[step.result], numbers[step.result], { one: step.one, chosen, rowNames, columns: columns[s] });
      });
      attnkit.attr(element, "data-step", String(state.step + 1));
      figure.say(sentence(state, cell, data, now, rowNames, columnNames));
    }
    return { parts: [h("div", { class: "ak-stage" }, element), controls(figure, columns)], update };
  }

  attnkit.register("matrix_stepper", { label: "Attention as matrices", compute, build });
})(globalThis.attnkit);
