// One text, one question, a budget of bytes: a cache, a window and a matrix memory side by side.
((attnkit) => {
  "use strict";
  const { h, grouped } = attnkit;

  /** @typedef {{ length: number, asked: number, budget: number }} State */
  /** @typedef {{ holders: number[], thing_vectors: Matrix, name_vectors: Matrix, budgets: number[], scale: number }} Numbers */
  /** @typedef {Numbers & { things: string[], names: string[] }} Given */
  /** @typedef {{ bytes: number, scores: number[], answer: number, right: boolean[] }} Told */
  /** @typedef {ReturnType<typeof compute>} Found */

  const MEMORIES = ["cache", "window", "matrix"];
  const TITLES = ["cache", "window", "matrix memory"];
  const NUMBER = 4; // bytes

  // The arithmetic, compared with attnkit's attention and fast weights by tests/figures/.
  function compute({ holders, thing_vectors: keys, name_vectors: vectors, budgets, scale, length, asked, budget }) {
    const [pairs, values] = [keys.slice(0, length), holders.slice(0, length).map((holder) => vectors[holder])];
    const [place, pair] = [Math.min(asked, length - 1), NUMBER * (keys[0].length + vectors[0].length)];
    const kept = Math.min(length, Math.floor(budgets[budget] / pair));
    const lost = length - kept;
    // The sum of all outer products of key and value.
    const matrix = keys[0].map((_, a) => {
      const column = pairs.map((key) => key[a]);
      return attnkit.blend(column, values);
    });
    // The weights on the keys of a query, none on those before the first that is kept.
    const look = (query, first) =>
      attnkit.softmax(pairs.map((key, j) => (j < first ? -Infinity : scale * attnkit.dot(query, key))));
    const tell = (bytes, read) => {
      const found = pairs.map(read);
      const scores = found.map((one) => vectors.map((vector) => attnkit.dot(vector, one)));
      const right = scores.map((row, j) => attnkit.argmax(row) === holders[j]);
      return { bytes, scores: scores[place], answer: attnkit.argmax(scores[place]), right };
    };
    const told = [
      tell(pair * length, (query) => attnkit.blend(look(query, 0), values)),
      tell(pair * kept, (query) => attnkit.blend(look(query, lost), values)),
      tell(NUMBER * matrix.flat().length, (query) => attnkit.blend(query, matrix)),
    ];
    return { place, kept, matrix, weights: [0, lost].map((first) => look(pairs[place], first)), values, told };
  }

  // ---- the text: a button for each sentence, with a mark for each memory that still knows it

  function story(figure, names, things, holders) {
    const sentences = things.map((thing, j) => {
      const marks = MEMORIES.map(() => h("span", { class: "ak-mark" }));
      const told = h("span", {}, names[holders[j]], h("span", { class: "ak-has" }, " has the"), ` ${thing}`);
      const words = [told, h("span", { class: "ak-marks", "aria-hidden": "true" }, marks)];
      const look = { "aria-pressed": "false", class: "ak-sentence ak-framed" };
      return { button: attnkit.button(words, () => figure.put({ asked: j }), look), marks };
    });
    const buttons = sentences.map(({ button }) => button);
    const stop = attnkit.walk(buttons, { columns: 4 });
    function show(length, { place, told }) {
      stop.within(length);
      stop.at(place);
      sentences.forEach(({ button, marks }, j) => {
        attnkit.style(button, "visibility", j < length ? "visible" : "hidden");
        button.disabled = j >= length; // its room stays
        attnkit.attr(button, "aria-pressed", String(j === place));
        marks.forEach((mark, k) => attnkit.attr(mark, "data-known", String(Boolean(told[k].right[j]))));
      });
    }
    return { element: h("div", { class: "ak-text", role: "group", "aria-label": "sentences" }, buttons), show };
  }

  // ---- the memories

  // What is kept, a square for each number: weights, keys and values in a row for each sentence, or a matrix.
  function pairsDrawn(rows, width, out) {
    const [weights, kept] = [attnkit.raster(rows, 1, ["weight"]), attnkit.raster(rows, width + 1 + out)];
    weights.element.classList.add("ak-looks");
    const [room, row] = [h("span", { class: "ak-budget" }), h("span", { class: "ak-row" })];
    const element = h("div", { class: "ak-store" }, weights.element, kept.element, room, row);
    function show(first, fits, looks, keys, values, place) {
      const empty = Array(width + 1 + out).fill(0);
      const lines = keys.map((key, j) => (j < first || j >= values.length ? empty : [...key, 0, ...values[j]]));
      kept.show(lines.flat(), 0.8);
      weights.show([...looks, ...Array(rows - looks.length).fill(0)], 1);
      attnkit.style(room, "top", `calc(${first} * var(--u))`);
      attnkit.style(room, "height", `calc(${Math.min(fits, rows)} * var(--u))`);
      attnkit.style(row, "top", `calc(${place} * var(--u))`);
      attnkit.attr(row, "data-lost", String(place < first));
    }
    return { element, show };
  }

  function matrixDrawn(width, out) {
    const [kept, room] = [attnkit.raster(width, out), h("span", { class: "ak-budget" })];
    function show(matrix, most) {
      kept.show(matrix.flat(), 1.6);
      const squares = most / NUMBER;
      const across = squares > width * out ? 2 * out : out;
      attnkit.style(room, "width", `calc(${across} * var(--u))`);
      attnkit.style(room, "height", `calc(${squares / across} * var(--u))`);
    }
    return { element: h("div", { class: "ak-store" }, kept.element, room), show };
  }

  // A memory: its name, its squares, its bytes, how well each name fits, and its answer.
  function panel(title, store, names) {
    const [keeps, says, share] = ["small", "says", "small"].map((kind) => h("p", { class: `ak-${kind}` }));
    const taken = h("span", {});
    const bytes = h("p", { class: "ak-bytes" }, taken, h("span", { class: "ak-has" }, " bytes"));
    const cells = names.map((name) => h("span", { class: "ak-name-square" }, name[0]));
    const row = h("div", { class: "ak-names", "aria-hidden": "true" }, cells);
    const heading = h("p", { class: "ak-say" }, title);
    const element = h("section", { class: "ak-memory" }, heading, keeps, store, bytes, row, says, share);
    function show(keeping, told, most, holder) {
      attnkit.write(keeps, keeping);
      attnkit.write(taken, `${grouped(told.bytes)} of ${grouped(most)}`);
      attnkit.attr(bytes, "data-over", String(told.bytes > most));
      cells.forEach((cell, k) => {
        attnkit.paint(cell, told.scores[k], 1);
        attnkit.attr(cell, "data-best", String(k === told.answer));
      });
      attnkit.write(says, `“${names[told.answer]}”: ${told.answer === holder ? "right" : "wrong"}`);
      attnkit.write(share, `right for ${told.right.filter(Boolean).length} of ${told.right.length}`);
    }
    return { element, show };
  }

  function sentence({ length, budget }, { things, names, holders, budgets }, { place, told }) {
    const answers = told.map(({ bytes, answer }, k) => {
      const verdict = answer === holders[place] ? "right" : "wrong";
      const large = bytes > budgets[budget] ? `, but too large with ${grouped(bytes)} bytes` : "";
      return `${k ? "the" : "The"} ${MEMORIES[k]} says ${names[answer]}, ${verdict}${large}`;
    });
    const counts = told.map(({ right }) => right.filter(Boolean).length);
    const asks = `${attnkit.many(length, "sentence")}, ${grouped(budgets[budget])} bytes. Who has the ${things[place]}?`;
    return `${asks} ${answers.join("; ")}. Right for ${counts[0]}, ${counts[1]} and ${counts[2]} of ${length}.`;
  }

  function build(figure) {
    const given = figure.given("things", "names", "holders", "thing_vectors", "name_vectors", "budgets", "scale");
    const { things, names, holders, thing_vectors: keys, name_vectors, budgets } = given;
    const [width, out, rows] = [keys[0].length, name_vectors[0].length, things.length];
    const text = story(figure, names, things, holders);
    const stores = [pairsDrawn(rows, width, out), pairsDrawn(rows, width, out)];
    const matrix = matrixDrawn(width, out);
    const panels = [...stores, matrix].map(({ element }, k) => panel(TITLES[k], element, names));
    const question = h("p", { class: "ak-question" });
    const range = { min: 1, max: rows, step: 1, word: (/** @type {number} */ v) => attnkit.many(v, "sentence") };
    const length = figure.slider({ name: "sentences", trait: "length", ...range });
    const budget = figure.choice({ label: "budget, in bytes", words: budgets.map(grouped), trait: "budget" });
    budget.element.append(figure.reset());

    function update(state) {
      const found = compute({ ...given, ...state });
      const { place, kept, told, weights, values } = found;
      const most = budgets[state.budget];
      const fits = Math.floor(most / (NUMBER * (width + out)));
      text.show(state.length, found);
      attnkit.write(question, `Who has the ${things[place]}?`);
      stores[0].show(0, fits, weights[0], keys, values, place);
      stores[1].show(state.length - kept, fits, weights[1], keys, values, place);
      matrix.show(found.matrix, most);
      const keeping = ["all pairs", `the last ${kept}`, `${width} by ${out} numbers`];
      panels.forEach((part, k) => part.show(keeping[k], told[k], most, holders[place]));
      figure.say(sentence(state, given, found));
    }
    const legend = "A filled square: cache, window or matrix memory would answer right.";
    const three = h("div", { class: "ak-memories" }, panels);
    const controls = attnkit.controls(length, budget);
    return { parts: [text, h("p", { class: "ak-small" }, legend), question, three, controls], update };
  }

  attnkit.register("memory_budget", { label: "A budget of bytes", compute, build });
})(globalThis.attnkit);
