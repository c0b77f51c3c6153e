// Train the matrix M of the scores x M xᵀ in the page: its loss, its numbers, and the weights that come of them.
((attnkit) => {
  "use strict";
  const { h, fixed } = attnkit;

  /** @typedef {[rate: number, steps: number][]} Path */
  /** @typedef {{ seed: number, spread: number, rate: number, path: Path }} State */
  /** @typedef {{ words: string[], vectors: Matrix, asks: number }} Words */
  /** @typedef {{ sentences: Matrix, answers: number[], held_out: Matrix, held_out_answers: number[] }} Sentences */
  /** @typedef {Words & Sentences} Data */
  /** @typedef {Data & { features: string[], shown: number }} Given */
  /** @typedef {ReturnType<typeof measure>} Measured */
  /** @typedef {{ matrix: Matrix, training: Measured, heldOut: Measured, slopes: Matrix }} Looked */
  /** @typedef {Looked & { start: string, rates: number[], losses: number[], heldOutLosses: number[] }} Made */

  const MOST = 300; // steps in all
  const SHOWN = 4; // held-out sentences that are drawn
  const RATES = [0.1, 1, 10, 1000];
  const SPREADS = [0.5, 30];
  const AT_ONCE = 20; // steps that are made at once for a reader who asked for less motion

  // ---- the arithmetic, compared with MatrixTrainer and with torch by tests/figures/

  // The twin of starting_matrix in the Python module.
  /** @param {number} seed @param {number} size @param {number} spread */
  function startingMatrix(seed, size, spread) {
    const number = attnkit.xorshift(seed);
    const entry = () => spread * (2 * number() - 1);
    return Array.from({ length: size }, () => Array.from({ length: size }, entry));
  }

  // A weighted sum of rows, added to `sum`. It runs some thousand times a frame: loops cost a fifth of attnkit.blend.
  /** @param {number[]} weights @param {Matrix} rows @param {number[]} [sum] */
  function mix(weights, rows, sum = rows[0].map(() => 0)) {
    for (let i = 0; i < rows.length; i++) for (let k = 0; k < sum.length; k++) sum[k] += weights[i] * rows[i][k];
    return sum;
  }

  // The loss of some sentences, the weights of the word that asks, and the gaps between its outputs and the answers.
  /** @param {Matrix} matrix @param {Words} words @param {Matrix} sentences @param {number[]} answers */
  function measure(matrix, { vectors, asks }, sentences, answers) {
    const question = mix(vectors[sentences[0][asks]], matrix); // x M: the same word asks in all sentences
    let loss = 0;
    const gaps = /** @type {Matrix} */ ([]);
    const weights = sentences.map((sentence, n) => {
      const items = sentence.map((word) => vectors[word]);
      const shares = attnkit.softmax(items.map((item) => attnkit.dot(question, item)));
      const target = items[answers[n]];
      gaps[n] = mix(shares, items).map((v, k) => v - target[k]);
      loss += attnkit.dot(gaps[n], gaps[n]) / sentences.length;
      return shares;
    });
    return { loss, weights, gaps };
  }

  // How the loss changes with each number of M: back through the average, the softmax and the scores.
  /** @param {Measured} measured @param {Data} data */
  function slopesOf({ weights, gaps }, { vectors, asks, sentences }) {
    const asking = vectors[sentences[0][asks]];
    const byQuestion = asking.map(() => 0);
    sentences.forEach((sentence, n) => {
      const items = sentence.map((word) => vectors[word]);
      const byWeight = items.map((item) => (2 / sentences.length) * attnkit.dot(item, gaps[n]));
      const mean = attnkit.dot(weights[n], byWeight);
      const byScore = weights[n].map((share, i) => share * (byWeight[i] - mean));
      mix(byScore, items, byQuestion);
    });
    return asking.map((a) => byQuestion.map((v) => a * v));
  }

  /** @param {Matrix} matrix @param {Matrix} slopes @param {number} rate */
  const stepped = (matrix, slopes, rate) => matrix.map((row, r) => row.map((v, k) => v - rate * slopes[r][k]));

  // What trains along a path. It keeps where it is, so that a longer path costs its new steps only.
  /** @param {Data} data */
  function trainer(data) {
    /** @param {Matrix} matrix */
    const onTraining = (matrix) => measure(matrix, data, data.sentences, data.answers);
    /** @param {Matrix} matrix */
    const onHeldOut = (matrix) => measure(matrix, data, data.held_out, data.held_out_answers);
    let made = /** @type {Made | null} */ (null);
    /** @param {Matrix} matrix @returns {Looked} */
    function look(matrix) {
      const training = onTraining(matrix);
      return { matrix, training, heldOut: onHeldOut(matrix), slopes: slopesOf(training, data) };
    }
    /** @param {Omit<State, "rate">} state */
    function at({ seed, spread, path }) {
      const rates = path.flatMap(([rate, steps]) => Array(steps).fill(rate));
      const start = `${seed} ${spread}`;
      let now = made;
      if (now?.start !== start || now.rates.some((rate, k) => rate !== rates[k])) {
        const first = look(startingMatrix(seed, data.vectors[0].length, spread));
        now = { ...first, start, rates: [], losses: [first.training.loss], heldOutLosses: [first.heldOut.loss] };
      }
      for (const rate of rates.slice(now.rates.length)) {
        Object.assign(now, look(stepped(now.matrix, now.slopes, rate)));
        now.rates.push(rate);
        now.losses.push(now.training.loss);
        now.heldOutLosses.push(now.heldOut.loss);
      }
      made = now;
      return now;
    }
    /** @param {Made} now @param {number} rate */
    const next = (now, rate) => onTraining(stepped(now.matrix, now.slopes, rate)).loss;
    return { at, next };
  }

  // ---- in words; each claim is checked against the numbers by tests/figures/

  /** @param {number} loss */
  const lossText = (loss) => (loss < 0.0005 ? "below 0.001" : fixed(loss, 3));

  // Two digits of a slope, at most five decimals.
  /** @param {number} slope */
  function slopeText(slope) {
    if (slope < 0.00001) return "below 0.00001";
    return fixed(slope, Math.min(5, Math.max(2, 1 - Math.floor(Math.log10(slope)))));
  }

  // How much weight goes where it belongs, and in how many sentences a wrong word has almost all.
  /** @param {Data} data @param {Looked} looked */
  function facts({ answers, held_out_answers }, { training, heldOut, slopes }) {
    const right = heldOut.weights.map((row, n) => row[held_out_answers[n]]);
    const first = heldOut.weights.filter((row, n) => row.every((w, i) => i === held_out_answers[n] || w < right[n]));
    const hard = training.weights.filter((row, n) => row.some((w, i) => i !== answers[n] && w > 0.99));
    return {
      right: fixed(right.reduce((sum, w) => sum + w, 0) / right.length),
      allFirst: first.length === right.length,
      hard: hard.length,
      slope: Math.max(...slopes.flat().map(Math.abs)),
    };
  }

  // What is to be said: "guess", "learned", "frozen" or "learning". Only what looks frozen tries one more step.
  /** @param {Made} made @param {ReturnType<typeof facts>} facts @param {() => number} tryNext */
  function kindOf({ losses, training, heldOut }, { allFirst, hard, slope }, tryNext) {
    if (losses.length === 1) return "guess";
    if (Math.max(training.loss, heldOut.loss) < 0.02 && allFirst) return "learned";
    const stuck = training.loss > 0.1 && hard > 0 && slope < 0.03;
    return stuck && Math.abs(tryNext() - training.loss) < 0.001 ? "frozen" : "learning";
  }

  /** @param {Data} data @param {Made} now @param {() => number} tryNext */
  function diagnosis(data, now, tryNext) {
    const { words, sentences, asks, held_out } = data;
    const found = facts(data, now);
    const kind = kindOf(now, found, tryNext);
    const [that, steps, slope] = [
      attnkit.quoted(words[sentences[0][asks]]),
      now.losses.length - 1,
      slopeText(found.slope),
    ];
    const loss = `the loss is ${lossText(now.training.loss)}`;
    const after = `After ${steps} step${steps === 1 ? "" : "s"} ${loss}`;
    const share = `In the held-out sentences ${that} gives the right word ${found.right} of its weight on average.`;
    const lost = `In ${found.hard} of ${sentences.length} training sentences a wrong word has more than 0.99 of the weight.`;
    const rose = steps > 0 && now.losses[steps] > now.losses[steps - 1];
    const said = {
      guess: [`A guess: M is not trained yet, and ${loss}.`, share, found.hard > 0 && lost],
      learned: [
        `Learned. ${after}. In all ${held_out.length} held-out sentences ${that} gives the right word the largest weight,`,
        `${found.right} on average.`,
      ],
      frozen: [
        `Almost frozen. ${after}, and one more step changes it by less than 0.001.`,
        lost,
        `There the softmax is hard: a small change of M hardly changes a weight. The largest slope is only ${slope}.`,
      ],
      learning: [
        `${after}.`,
        share,
        found.hard > 0 && lost,
        `The largest slope is ${slope}.`,
        rose && "The last step was too long: the loss went up.",
      ],
    }[kind];
    const end = steps === MOST && `${MOST} steps are the end. “Step 0” and “Reset” lead back.`;
    return { kind, said: [...said, end].filter(Boolean).join(" ") };
  }

  /** @param {Data & State} state */
  function compute(state) {
    const train = trainer(state);
    const now = train.at(state);
    return {
      losses: now.losses,
      held_out_losses: now.heldOutLosses,
      matrix: now.matrix,
      slopes: now.slopes,
      weights: now.training.weights,
      held_out_weights: now.heldOut.weights,
      ...diagnosis(state, now, () => train.next(now, state.rate)),
    };
  }

  // ---- the path of the training: pairs of a rate and a number of steps

  /** @param {Path} path */
  const total = (path) => path.reduce((sum, [, steps]) => sum + steps, 0);

  /** @param {Path} path @param {number} rate @param {number} more @returns {Path} */
  function longer(path, rate, more) {
    const steps = Math.min(more, MOST - total(path));
    if (steps === 0) return path;
    const [last, made] = path[path.length - 1] ?? [rate, 0];
    return last === rate ? [...path.slice(0, -1), [rate, made + steps]] : [...path, [rate, steps]];
  }

  // ---- the parts

  const BOTTOM = 160; // of the chart's field

  // One of the two curves: its line, its end, and there its name with a piece of the line.
  /** @param {string} kind @param {string} name */
  function curve(kind, name) {
    const line = attnkit.svg("path", { class: `ak-curve ak-${kind}` });
    const end = attnkit.svg("circle", { r: 3.5, class: `ak-end ak-${kind}` });
    const tag = attnkit.svg("g");
    tag.append(
      attnkit.svg("path", { d: "M0 0H17", class: `ak-curve ak-${kind}` }),
      attnkit.label(21, 4.5, name, "ak-small", "start"),
    );
    return { nodes: [line, end, tag], line, end, tag };
  }

  function lossChart() {
    const { element, at, scale, beside, below } = attnkit.chart([340, 186], [36, 10, 258, BOTTOM]);
    const curves = [curve("training", "training"), curve("heldout", "held out")];
    const [high, far] = [beside("0", "loss", ""), below("0", "steps", "")].map((words) => words[2]);
    element.append(...curves.flatMap(({ nodes }) => nodes));
    /** @param {[training: number[], heldOut: number[]]} lines */
    function show(lines) {
      const steps = Math.max(20, lines[0].length - 1);
      const top = Math.max(0.5, Math.ceil(2 * Math.max(...lines.flat())) / 2);
      scale([0, steps], [0, top]);
      attnkit.write(high, fixed(top, 1));
      attnkit.write(far, String(steps));
      const last = lines[0].length - 1;
      const ends = lines.map((losses) => at(last, losses[last]));
      const names = apart(ends.map(([, y]) => y));
      lines.forEach((losses, c) => {
        attnkit.attr(curves[c].line, "d", attnkit.path(losses.map((loss, k) => at(k, loss))));
        attnkit.move(curves[c].end, ends[c]);
        attnkit.move(curves[c].tag, [ends[c][0], names[c]]);
      });
    }
    return { element, show };
  }

  // Where the names of the two curves stand: at their ends, but not on one another and not below the field.
  /** @param {Point} point */
  function apart([a, b]) {
    const upper = Math.min(Math.max(a, b) < Math.min(a, b) + 18 ? (a + b) / 2 - 9 : Math.min(a, b), BOTTOM - 22);
    const lower = Math.min(Math.max(upper + 18, a, b), BOTTOM - 4);
    return a > b + 3 ? [lower, upper] : [upper, lower]; // nearly the same: the training first
  }

  // M as squares; a row is a feature of the word that asks, a column one of the word that is looked at.
  /** @param {string[]} features */
  function matrixTable(features) {
    const cells = features.map(() => features.map(() => h("td", { class: "ak-sq" })));
    const head = features.map((name) => h("th", { scope: "col" }, name));
    const rows = cells.map((row, r) => h("tr", {}, h("th", { scope: "row" }, features[r]), ...row));
    const top = h("thead", {}, h("tr", {}, h("td", {}, "M"), ...head));
    /** @param {Matrix} matrix */
    function show(matrix) {
      const vmax = Math.max(1, ...matrix.flat().map(Math.abs));
      matrix.forEach((row, r) =>
        row.forEach((v, k) => {
          attnkit.write(cells[r][k], fixed(v));
          attnkit.paint(cells[r][k], v, vmax);
        }),
      );
    }
    return { element: h("table", { class: "ak-grid" }, top, h("tbody", {}, ...rows)), show };
  }

  // Some of the held-out sentences, each word with its weight; the one that is meant is framed.
  /** @param {Data} data @param {number} first */
  function sentenceLines({ words, held_out, held_out_answers, asks }, first) {
    const drawn = held_out.slice(first, first + SHOWN);
    const numbers = drawn.map((sentence) => sentence.map(() => h("span", { class: "ak-share" })));
    const lines = drawn.map((sentence, n) => {
      const cells = sentence.map((word, i) => {
        const meant = i === held_out_answers[first + n];
        const name = h("span", { class: i === asks ? "ak-asks" : "" }, words[word]);
        const heard = meant ? h("span", { class: "ak-unseen" }, " (meant)") : null;
        return h("span", { class: `ak-told${meant ? " ak-meant" : ""}` }, name, " ", numbers[n][i], heard, " ");
      });
      return h("p", { class: "ak-line" }, ...cells);
    });
    const title = `Weights of ${attnkit.quoted(words[drawn[0][asks]])} in held-out sentences. The word that is meant has a frame.`;
    /** @param {Matrix} weights */
    function show(weights) {
      numbers.forEach((line, n) =>
        line.forEach((node, i) => {
          const weight = weights[first + n][i];
          attnkit.write(node, fixed(weight));
          attnkit.paint(/** @type {HTMLElement} */ (node.parentNode), weight, 1, "weight");
        }),
      );
    }
    return { element: h("div", { class: "ak-lines" }, h("p", { class: "ak-small" }, title), ...lines), show };
  }

  // ---- what goes on

  // What tells of a milestone of a training that runs, every two seconds at most.
  /** @param {(text: string) => void} say */
  function herald(say) {
    let [spoken, heard] = [0, ""];
    return {
      start() {
        [spoken, heard] = [performance.now(), ""];
      },
      /** @param {number} time @param {() => ReturnType<typeof diagnosis>} diagnosed */
      hear(time, diagnosed) {
        if (time - spoken < 2000) return;
        spoken = time;
        const { kind, said } = diagnosed();
        if (kind !== heard && kind !== "learning") say(said);
        heard = kind;
      },
    };
  }

  // The training as it goes on in the page, a step in each frame. The kernel, if there is one, is told the path when the
  // training rests; nothing is said of single steps while it runs.
  /**
   * @param {Figure<State, Given>} figure
   * @param {ReturnType<typeof trainer>} train
   * @param {Data} data
   * @param {(now: Made, running: boolean) => void} draw
   */
  function session(figure, train, data, draw) {
    let [path, known, preface] = [/** @type {Path} */ ([]), "", ""];
    const look = () => train.at({ ...figure.state(), path });
    /** @param {Omit<State, "rate">} state */
    const begun = (state) => JSON.stringify([state.seed, state.spread, state.path]);
    const show = () => draw(look(), frames.runs());
    const news = herald((said) => figure.say(said));
    const frames = attnkit.clock((time) => {
      path = longer(path, figure.get("rate"), 1);
      if (total(path) === MOST) return rest(0);
      show();
      news.hear(time, diagnosed);
    });
    function diagnosed() {
      const now = look();
      return diagnosis(data, now, () => train.next(now, figure.get("rate")));
    }
    // What to set so that the training goes on from where it is, and so that it begins again.
    /** @param {Partial<State>} changes */
    function keep(changes) {
      known = begun({ ...figure.state(), path });
      return { ...changes, path };
    }
    /** @param {Partial<State>} changes */
    function anew(changes) {
      frames.halt();
      [known, figure.stale] = ["", true];
      return { ...changes, path: [] };
    }
    /** @param {number} more */
    function rest(more) {
      frames.halt();
      path = longer(path, figure.get("rate"), more);
      figure.stale = true;
      figure.put(keep({}));
    }
    function start() {
      if (frames.runs() || total(path) === MOST) return rest(0);
      if (attnkit.calm()) {
        preface = `${AT_ONCE} steps at once, because your device asks for less motion. `;
        return rest(AT_ONCE);
      }
      news.start();
      figure.say("The training runs.");
      frames.start();
    }
    /** @param {State} state */
    function update(state) {
      if (begun(state) !== known) {
        frames.halt(); // a button or the kernel has set another path
        [known, path] = [begun(state), state.path];
      }
      show();
      if (frames.runs()) return;
      figure.say(preface + diagnosed().said);
      preface = "";
    }
    return { start, step: () => rest(1), keep, anew, halt: frames.halt, update };
  }

  // The buttons that move the loss, and those that make another M.
  /** @param {Figure<State, Given>} figure @param {ReturnType<typeof session>} run */
  function controls(figure, run) {
    const [start, step] = [
      attnkit.button("Start", run.start, { class: "ak-primary" }),
      attnkit.button("One step", run.step),
    ];
    const rate = figure.choice({
      label: "learning rate",
      words: RATES.map(String),
      read: (state) => RATES.indexOf(state.rate),
      write: (k) => run.keep({ rate: RATES[k] }),
    });
    const spread = figure.choice({
      label: "first numbers of M",
      words: ["small (up to 0.5)", "hard (up to 30)"],
      read: (state) => SPREADS.indexOf(state.spread),
      write: (k) => run.anew({ spread: SPREADS[k] }),
    });
    const seed = h("span", { class: "ak-seed" });
    figure.follow({ show: (number) => attnkit.write(seed, `seed ${number}`) }, { trait: "seed" });
    const another = figure.button("New seed", ({ seed: number }) => run.anew({ seed: (number + 1) % 10000 }));
    const first = figure.button("Step 0", () => run.anew({}));
    const reset = figure.reset(() => run.anew({}));
    /** @param {number} steps @param {boolean} running */
    function show(steps, running) {
      attnkit.write(start, running ? "Pause" : "Start");
      for (const one of [start, step]) attnkit.attr(one, "aria-disabled", String(steps === MOST));
    }
    /** @param {Child[]} parts */
    const row = (...parts) => h("div", { class: "ak-buttons" }, ...parts);
    return {
      show,
      ofLoss: [row(start, step, first, reset), rate.element],
      ofMatrix: [spread.element, row(another, seed)],
    };
  }

  /** @type {(keyof Data)[]} */
  const DATA = ["words", "vectors", "sentences", "answers", "held_out", "held_out_answers", "asks"];

  /** @param {Figure<State, Given>} figure */
  function build(figure) {
    const data = figure.given(...DATA);
    const [chart, table] = [lossChart(), matrixTable(figure.get("features"))];
    const lines = sentenceLines(data, figure.get("shown"));
    const numbers = h("p", { class: "ak-now" });

    const run = session(figure, trainer(data), data, (now, running) => {
      const steps = now.losses.length - 1;
      const losses = `loss ${lossText(now.training.loss)}, held out ${lossText(now.heldOut.loss)}`;
      attnkit.write(numbers, `step ${steps}, ${losses}`);
      chart.show([now.losses, now.heldOutLosses]);
      buttons.show(steps, running);
      if (running && steps % 3) return; // nobody reads numbers that change faster than twenty times a second
      table.show(now.matrix);
      lines.show(now.heldOut.weights);
    });
    const buttons = controls(figure, run);
    const about = h(
      "p",
      { class: "ak-small" },
      "M: a row for each feature of the word that asks, a column for each of the word it looks at.",
    );
    const left = h("div", { class: "ak-of-loss" }, numbers, chart.element, ...buttons.ofLoss);
    const right = h("div", { class: "ak-of-matrix" }, about, table.element, ...buttons.ofMatrix);
    const parts = [h("div", { class: "ak-side" }, left, right), lines.element];
    return { parts, update: run.update, stop: run.halt };
  }

  attnkit.register("matrix_trainer", { label: "Training a matrix", compute, build });
})(globalThis.attnkit);
