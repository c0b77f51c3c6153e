// Train the matrix M of the scores x M xᵀ in the page: its loss, its numbers, and the weights that come of them.
((attnkit) => {
  "use strict";
  const { h, fixed } = attnkit;

  /** @typedef {{ seed: number, spread: number, rate: number, steps: number }} State */
  /** @typedef {{ words: string[], vectors: Matrix, sentences: Matrix, answers: number[], held_out: Matrix, held_out_answers: number[] }} Data */
  /** @typedef {Data & { features: string[], shown: number }} Given */
  /** @typedef {ReturnType<typeof measure>} Measured */
  /** @typedef {{ matrix: Matrix, training: Measured, heldOut: Measured, slopes: Matrix }} Looked */
  /** @typedef {Looked & { of: string, losses: number[], heldOutLosses: number[] }} Made */

  const ASKS = 1; // the place of the word that asks
  const MOST = 300; // steps in all
  const SHOWN = 4; // held-out sentences that are drawn
  const RATES = [0.1, 1, 10, 1000];
  const SPREADS = [0.5, 30];
  const AT_ONCE = 20; // steps that are made at once for a reader who asked for less motion

  // ---- the arithmetic, compared with MatrixTrainer and with torch by tests/figures/

  // The twin of starting_matrix in the Python module.
  function startingMatrix(seed, size, spread) {
    const number = attnkit.xorshift(seed);
    const entry = () => spread * (2 * number() - 1);
    return Array.from({ length: size }, () => Array.from({ length: size }, entry));
  }

  // A weighted sum of rows, added to `sum`. It runs some thousand times a frame: loops cost a fifth of attnkit.blend.
  function mix(weights, rows, sum = rows[0].map(() => 0)) {
    for (let i = 0; i < rows.length; i++) for (let k = 0; k < sum.length; k++) sum[k] += weights[i] * rows[i][k];
    return sum;
  }

  // The loss of some sentences, the weights of the word that asks, and the gaps between its outputs and the answers.
  function measure(matrix, vectors, sentences, answers) {
    const question = mix(vectors[sentences[0][ASKS]], matrix); // x M: the same word asks in all sentences
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
  function slopesOf({ weights, gaps }, { vectors, sentences }) {
    const asking = vectors[sentences[0][ASKS]];
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

  const stepped = (matrix, slopes, rate) => matrix.map((row, r) => row.map((v, k) => v - rate * slopes[r][k]));

  // What trains. It keeps where it is, so that more steps cost the new ones only.
  function trainer(data) {
    const onTraining = (matrix) => measure(matrix, data.vectors, data.sentences, data.answers);
    let made = /** @type {Made | null} */ (null);
    function look(matrix) {
      const training = onTraining(matrix);
      const heldOut = measure(matrix, data.vectors, data.held_out, data.held_out_answers);
      return { matrix, training, heldOut, slopes: slopesOf(training, data) };
    }
    function at({ seed, spread, rate, steps }) {
      const of = `${seed} ${spread} ${rate}`;
      let now = made;
      if (now?.of !== of || now.losses.length > steps + 1) {
        const first = look(startingMatrix(seed, data.vectors[0].length, spread));
        now = { ...first, of, losses: [first.training.loss], heldOutLosses: [first.heldOut.loss] };
      }
      while (now.losses.length <= steps) {
        Object.assign(now, look(stepped(now.matrix, now.slopes, rate)));
        now.losses.push(now.training.loss);
        now.heldOutLosses.push(now.heldOut.loss);
      }
      made = now;
      return now;
    }
    const next = (now, rate) => onTraining(stepped(now.matrix, now.slopes, rate)).loss;
    return { at, next };
  }

  // ---- in words; each claim is checked against the numbers by tests/figures/

  const lossText = (loss) => (loss < 0.0005 ? "below 0.001" : fixed(loss, 3));

  // Two digits of a slope, at most five decimals.
  function slopeText(slope) {
    if (slope < 0.00001) return "below 0.00001";
    return fixed(slope, Math.min(5, Math.max(2, 1 - Math.floor(Math.log10(slope)))));
  }

  // How much weight goes where it belongs, and in how many sentences a wrong word has almost all.
  function facts({ answers, held_out_answers }, { training, heldOut, slopes }) {
    const right = heldOut.weights.map((row, n) => row[held_out_answers[n]]);
    const first = heldOut.weights.filter((row, n) => row.every((w, i) => i === held_out_answers[n] || w < right[n]));
    const hard = training.weights.filter((row, n) => row.some((w, i) => i !== answers[n] && w > 0.99));
    return {
      right: fixed(attnkit.sum(right) / right.length),
      allFirst: first.length === right.length,
      hard: hard.length,
      slope: Math.max(...slopes.flat().map(Math.abs)),
    };
  }

  // What is to be said: "guess", "learned", "frozen" or "learning". Only what looks frozen tries one more step.
  function kindOf({ losses, training, heldOut }, { allFirst, hard, slope }, tryNext) {
    if (losses.length === 1) return "guess";
    if (Math.max(training.loss, heldOut.loss) < 0.02 && allFirst) return "learned";
    const stuck = training.loss > 0.1 && hard > 0 && slope < 0.03;
    return stuck && Math.abs(tryNext() - training.loss) < 0.001 ? "frozen" : "learning";
  }

  function diagnosis(data, now, tryNext) {
    const { words, sentences, held_out } = data;
    const found = facts(data, now);
    const kind = kindOf(now, found, tryNext);
    const that = attnkit.quoted(words[sentences[0][ASKS]]);
    const [steps, slope] = [now.losses.length - 1, slopeText(found.slope)];
    const loss = `the loss is ${lossText(now.training.loss)}`;
    const after = `After ${attnkit.many(steps, "step")} ${loss}`;
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

  // ---- the parts

  // Two curves, and above them what they are.
  function lossChart() {
    const { element, at, scale, beside, below } = attnkit.chart([340, 186], [36, 26, 326, 160]);
    const [high, far] = [beside("0", "loss", ""), below("0", "steps", "")].map((words) => words[2]);
    const curves = ["training", "held out"].map((name, c) => {
      const look = { class: `ak-curve ak-line-${c}` };
      const [line, end] = [attnkit.svg("path", look), attnkit.svg("circle", { r: 3.5, class: "ak-end" })];
      const sample = attnkit.svg("path", { d: `M${140 + 100 * c} 9h18`, ...look });
      element.append(line, end, sample, attnkit.label(163 + 100 * c, 14, name, "ak-small", "start"));
      return { line, end };
    });
    function show(lines) {
      const steps = Math.max(20, lines[0].length - 1);
      const top = Math.max(0.5, Math.ceil(2 * Math.max(...lines.flat())) / 2);
      scale([0, steps], [0, top]);
      attnkit.write(high, fixed(top, 1));
      attnkit.write(far, String(steps));
      lines.forEach((losses, c) => {
        const points = losses.map((loss, k) => at(k, loss));
        attnkit.attr(curves[c].line, "d", attnkit.path(points));
        attnkit.move(curves[c].end, points[points.length - 1]);
      });
    }
    return { element, show };
  }

  // Some of the held-out sentences, each word with its weight; the one that is meant is framed.
  function sentenceLines({ words, held_out, held_out_answers }, first) {
    const lines = held_out.slice(first, first + SHOWN).map((sentence, n) =>
      sentence.map((word, i) => {
        const meant = i === held_out_answers[first + n];
        const weight = h("span", { class: "ak-share" });
        const name = h("span", { class: i === ASKS ? "ak-asks" : "" }, words[word]);
        const heard = meant ? h("span", { class: "ak-unseen" }, " (meant)") : null;
        const told = { class: `ak-told${meant ? " ak-meant" : ""}` };
        return { weight, element: h("span", told, name, " ", weight, heard, " ") };
      }),
    );
    const that = attnkit.quoted(words[held_out[0][ASKS]]);
    const title = `Weights of ${that} in held-out sentences. The word that is meant has a frame.`;
    function show(weights) {
      lines.forEach((line, n) =>
        line.forEach(({ weight, element }, i) => {
          attnkit.write(weight, fixed(weights[first + n][i]));
          attnkit.paint(element, weights[first + n][i], 1, "weight");
        }),
      );
    }
    const drawn = lines.map((line) => h("p", { class: "ak-line" }, line));
    return { element: h("div", { class: "ak-lines" }, h("p", { class: "ak-small" }, title), drawn), show };
  }

  // ---- what goes on

  // The training as it goes on in the page, a step in each frame. The kernel, if there is one, is told the steps when the
  // training rests; nothing is said of single ones while it runs.
  /**
   * @param {Figure<State, Given>} figure
   * @param {Data} data
   * @param {(now: Made, running: boolean) => void} draw
   */
  function session(figure, data, draw) {
    const train = trainer(data);
    let [steps, known, preface] = [0, "", ""];
    const show = () => draw(train.at({ ...figure.state(), steps }), frames.runs());
    const frames = attnkit.clock(() => {
      steps++;
      if (steps === MOST) rest(0);
      else show();
    });
    // What to set so that the training begins again.
    function anew(changes) {
      frames.halt();
      [known, figure.stale] = ["", true];
      return { ...changes, steps: 0 };
    }
    function rest(more) {
      frames.halt();
      steps = Math.min(MOST, steps + more);
      figure.stale = true;
      figure.put({ steps });
    }
    function start() {
      if (frames.runs() || steps === MOST) return rest(0);
      if (attnkit.calm()) {
        preface = `${AT_ONCE} steps at once, because your device asks for less motion. `;
        return rest(AT_ONCE);
      }
      figure.say("The training runs.");
      frames.start();
    }
    function update(state) {
      if (JSON.stringify(state) !== known) {
        frames.halt(); // a button or the kernel has set another training
        [known, steps] = [JSON.stringify(state), state.steps];
      }
      show();
      if (frames.runs()) return;
      const now = train.at(state);
      figure.say(preface + diagnosis(data, now, () => train.next(now, state.rate)).said);
      preface = "";
    }
    return { start, step: () => rest(1), anew, halt: frames.halt, update };
  }

  // The buttons that move the loss, and those that make another M.
  function controls(figure, run) {
    const [start, step] = [
      attnkit.button("Start", run.start, { class: "ak-primary" }),
      attnkit.button("One step", run.step),
    ];
    const rates = { values: RATES, write: (/** @type {number} */ rate) => run.anew({ rate }) };
    const rate = figure.choice({ label: "learning rate", trait: "rate", ...rates });
    const spread = figure.choice({
      label: "first numbers of M",
      words: ["small (up to 0.5)", "hard (up to 30)"],
      values: SPREADS,
      trait: "spread",
      write: (value) => run.anew({ spread: value }),
    });
    const seed = h("span", { class: "ak-seed" });
    figure.follow({ show: (number) => attnkit.write(seed, `seed ${number}`) }, { trait: "seed" });
    const another = figure.button("New seed", ({ seed: number }) => run.anew({ seed: (number + 1) % 10000 }));
    const first = figure.button("Step 0", () => run.anew({}));
    const reset = figure.reset(() => run.anew({}));
    function show(steps, running) {
      attnkit.write(start, running ? "Pause" : "Start");
      for (const one of [start, step]) attnkit.attr(one, "aria-disabled", String(steps === MOST));
    }
    return {
      show,
      ofLoss: [attnkit.row(start, step, first, reset), rate],
      ofMatrix: [spread, attnkit.row(another, seed)],
    };
  }

  /** @type {(keyof Data)[]} */
  const DATA = ["words", "vectors", "sentences", "answers", "held_out", "held_out_answers"];

  function build(figure) {
    const data = figure.given(...DATA);
    const features = figure.get("features");
    // A row is a feature of the word that asks, a column one of the word that is looked at.
    const [chart, table] = [
      lossChart(),
      attnkit.squares("", [h("td", {}, "M"), ...features], features, features.length),
    ];
    const lines = sentenceLines(data, figure.get("shown"));
    const numbers = h("p", { class: "ak-now" });

    const run = session(figure, data, (now, running) => {
      const steps = now.losses.length - 1;
      const losses = `loss ${lossText(now.training.loss)}, held out ${lossText(now.heldOut.loss)}`;
      attnkit.write(numbers, `step ${steps}, ${losses}`);
      chart.show([now.losses, now.heldOutLosses]);
      buttons.show(steps, running);
      if (running && steps % 3) return; // nobody reads numbers that change faster than twenty times a second
      table.show(now.matrix, Math.max(1, ...now.matrix.flat().map(Math.abs)));
      lines.show(now.heldOut.weights);
    });
    const buttons = controls(figure, run);
    const about = h(
      "p",
      { class: "ak-small" },
      "M: a row for each feature of the word that asks, a column for each of the word it looks at.",
    );
    const left = h("div", { class: "ak-of-loss" }, numbers, chart, buttons.ofLoss);
    const right = h("div", { class: "ak-of-matrix" }, about, table, buttons.ofMatrix);
    return { parts: [h("div", { class: "ak-side" }, left, right), lines], update: run.update, stop: run.halt };
  }

  attnkit.register("matrix_trainer", { label: "Training a matrix", wide: true, compute, build });
})(globalThis.attnkit);
