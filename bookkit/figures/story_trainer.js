// The story model learns in the page: a recorded training to drag through, and one of the reader's own, in a worker.
((attnkit) => {
  "use strict";
  const { h, fixed, write, attr, quoted, grouped, many, xorshift } = attnkit;
  const { twister, uniform, normal, pcg64 } = attnkit.seeds;
  const { story, errors } = attnkit.grammar;
  const { Model, Adam } = attnkit.learner;

  /** @typedef {{ step: number, loss: number, story: string[], errors: [kind: string, place: number][], chances: number[][], head: Pair, weights: number[] }} Mark */
  /** @typedef {{ asks: string, text: string, answers: string[] }} Question */
  /** @typedef {{ words: string[], questions: Question[], decides: number, beginning: string, seed: number, temperature: number, chapter_seed: number, losses: Point[], lowest: number }} Task */
  /** @typedef {{ mark: number, seed: number, book: boolean }} State */
  /** @typedef {{ marks: Mark[], task: Task, steps: number }} Given */
  /** @typedef {{ state: string, step: number, steps: number, seed: number, book: boolean, marks: Mark[], losses: number[] }} Run of the reader's own */
  /** @typedef {{ step: number, losses: number[], mark: Mark | null, tensors: Record<string, Tensor> | null, ended: boolean }} News of a run */
  /** @typedef {Figure<State, Given>} Owner */

  // ---- the worker: what is listed in WORKER goes there as texts, under these names, and knows nothing else

  const MARKS = [0, 25, 50, 100, 200, 400, 800, 1600, 2400, 4000]; // the steps at which a model is looked at
  const SIZES = { width: 32, heads: 4, layers: 2, hidden: 64, reach: 32 };
  const BOOK = { steps: 4000, stories: 20_000, held: 1000 };
  const [FEW, MANY] = [4, 10]; // stories in a step
  const [SHORT, SHORTEST] = [0.15, 47]; // in this part of the steps, stories of so many words at most
  const RECENT = 25; // so many losses make the one of a mark
  const CONTEXT = 64;
  const TURN = 100; // milliseconds until it tells how far it is, and listens

  // Four stories for each step, each read once.
  const freshBatches = (random, encode) => (short) =>
    Array.from({ length: FEW }, () => {
      let words = story(random);
      while (short && words.length > SHORTEST) words = story(random);
      return encode(words);
    });

  // Ten for each step of the book's 20,000, drawn as torch draws them, in the beginning of the shortest quarter.
  function bookBatches(bits, encode) {
    const [kept, random] = [pcg64([0, 1]), pcg64([0])];
    const held = new Set(Array.from({ length: BOOK.held }, () => story(kept).join(" ")));
    const all = Array.from({ length: BOOK.stories }, () => story(random)).filter((one) => !held.has(one.join(" ")));
    const numbers = all.sort((one, other) => one.length - other.length).map(encode);
    return (short) =>
      Array.from({ length: MANY }, () => {
        const chosen = bits() % numbers.length;
        return numbers[short ? chosen >> 2 : chosen];
      });
  }

  class Training {
    constructor(task, { seed = 0, book = false, steps = BOOK.steps }) {
      this.task = task;
      this.steps = steps;
      this.step = 0;
      const bits = twister(book ? task.chapter_seed : seed);
      const random = uniform(bits);
      const place = new Map(task.words.map((word, k) => [word, k]));
      this.numbers = (words) => words.map((word) => place.get(word));
      this.begun = (words) => this.numbers(["<start>", ...words]);
      this.model = new Model({ words: task.words.length, ...SIZES });
      this.model.begin(random, normal);
      this.adam = new Adam(this.model, { steps, warmup: Math.floor(steps / 80) });
      const encode = (words) => this.begun([...words, "<end>"]);
      this.batch = book ? bookBatches(bits, encode) : freshBatches(random, encode);
      this.losses = [];
    }
    // A step; what the model was like before it, if that is to be seen.
    advance() {
      this.losses.push(this.model.slopes(this.batch(this.step < SHORT * this.steps)));
      const mark = MARKS.includes(this.step) ? this.look() : null;
      this.adam.next();
      this.step++;
      return mark;
    }
    // The twin of `look` in bookkit/lessons/story_training.py.
    look() {
      const { model, task, step } = this;
      const found = task.questions.map(({ text }) => model.next(this.begun(text.split(" "))));
      const chances = task.questions.map(({ answers }, k) =>
        this.numbers(answers).map((word) => found[k].chances[word]),
      );
      const heads = found[0].weights.flat();
      const most = Math.max(...heads.map((weights) => weights[task.decides]));
      const best = heads.findIndex((weights) => weights[task.decides] === most);
      const [end, ...never] = this.numbers(["<end>", "<pad>", "<start>"]);
      const limits = { end, never, temperature: task.temperature, most: CONTEXT };
      const written = model.write(this.begun(task.beginning.split(" ")), limits, xorshift(task.seed));
      const story = written.filter((word) => word !== end && !never.includes(word)).map((word) => task.words[word]);
      const recent = this.losses.slice(-RECENT);
      const loss = recent.reduce((sum, one) => sum + one, 0) / recent.length;
      const head = [Math.floor(best / SIZES.heads), best % SIZES.heads];
      return { step, loss, story, errors: errors(story), chances, head, weights: heads[best] };
    }
  }

  // It is told {task, ...} to begin, and {runs}; it tells how far it is, and its numbers when it rests.
  function program(scope) {
    /** @type {Training} */
    let training;
    let [asked, running, timer] = [0, false, 0];
    function turn() {
      clearTimeout(timer); // whoever pauses and goes on at once does not go on twice
      const [from, until] = [training.losses.length, performance.now() + TURN];
      let mark = null;
      while (running && !mark && training.step < training.steps && performance.now() < until) mark = training.advance();
      const { losses, model, step, steps } = training;
      const ended = step === steps;
      if (ended && running) mark = training.look();
      running = running && !ended;
      if (running) timer = setTimeout(turn);
      const tensors = running ? null : model.tensors();
      scope.postMessage({ asked, done: { step, losses: losses.slice(from), mark, tensors, ended } });
    }
    scope.onmessage = ({ data }) => {
      if (data.task) {
        training = new Training(data.task, data);
        asked = data.asked;
      }
      running = data.runs;
      turn();
    };
    scope.postMessage({ ready: "JavaScript" });
  }
  const WORKER = {
    ...{ ...attnkit.seeds, ...attnkit.grammar, ...attnkit.learner, xorshift },
    ...{ MARKS, SIZES, BOOK, FEW, MANY, SHORT, SHORTEST, RECENT, CONTEXT, TURN },
    ...{ freshBatches, bookBatches, Training, program },
  };

  // ---- the arithmetic, compared with Python by tests/figures/test_story_trainer.py

  /** @param {number[]} losses */
  const recent = (losses) => attnkit.sum(losses.slice(-RECENT)) / Math.min(losses.length, RECENT);

  // The twin of `curve` in bookkit/lessons/story_training.py: points that lie ever farther apart.
  /** @param {number[]} losses */
  function curve(losses) {
    /** @type {Point[]} */
    const points = [];
    for (let last = 0, step = 0; last < losses.length; last = step) {
      step = Math.min(Math.max(last + 1, Math.floor(1.1 * last)), losses.length);
      points.push([step, attnkit.sum(losses.slice(last, step)) / (step - last)]);
    }
    return points;
  }

  // So many steps of a training: the losses, the weights, and what the model is like then.
  function compute({ task, until, ...options }) {
    const training = new Training(task, options);
    while (training.step < until) training.advance();
    const { losses, model } = training;
    const tensors = model.tensors();
    const weights = Object.fromEntries(Object.entries(tensors).map(([name, { values }]) => [name, [...values]]));
    const packed = attnkit.pack(tensors, BITS, PACKED);
    return { losses, curve: curve(losses), weights, packed, mark: training.look() };
  }

  // Which words of a story are new: those that did not follow the same word in the one before.
  function fresh(before, now) {
    const known = new Set(before.map((word, k) => `${before[k - 1]} ${word}`));
    return now.map((word, k) => !known.has(`${now[k - 1]} ${word}`));
  }

  // ---- a model as a file

  const [VERSION, BITS] = [2, 8];
  const { EPSILON, OUTPUT_SCALE } = attnkit.learner;
  const PACKED = {
    ...{ width: SIZES.width, num_heads: SIZES.heads, num_layers: SIZES.layers, hidden: SIZES.hidden, context: CONTEXT },
    ...{ attention: "softmax", epsilon: EPSILON, output_scale: OUTPUT_SCALE },
  };
  /** @typedef {PackedDecoder & Trained} Own */

  // The model that a text holds, or an error that says why there is none.
  /** @param {string} text @param {string[]} words @returns {Own} */
  function reading(text, words) {
    let packed;
    try {
      packed = JSON.parse(text);
    } catch {}
    if (packed?.model !== "storyteller") throw new Error("This file holds no story model.");
    if (packed.version > VERSION) throw new Error("This model was saved by a newer edition of this book.");
    const other = Object.entries({ ...PACKED, words }).find(([name, size]) => String(packed[name]) !== String(size));
    if (other) throw new Error(`The model in this file has other ${other[0].replace("num_", "")} than this page's.`);
    try {
      attnkit.decoder(packed);
    } catch (error) {
      throw new Error(`The model in this file is broken: ${said(error)}`);
    }
    return packed;
  }
  const said = (error) => (error instanceof Error ? error.message : error);

  // ---- what goes on

  // The reader's own training; `show` draws how far it is, and the figure is drawn anew when there is a mark more.
  class Session {
    note = "";
    /** @type {Run | null} */
    run = null;
    /** @param {Owner} figure @param {() => void} show */
    constructor(figure, show) {
      this.figure = figure;
      this.task = figure.get("task");
      this.show = show;
      this.worker = attnkit.inWorker(WORKER, async () => {});
      const unwatch = this.worker.watch(() => {
        const { state, message } = this.worker.status;
        if (this.run && state === "failed") this.turn("failed", message);
      });
      const hide = () => {
        const [now, next] = document.hidden ? ["runs", "hidden"] : ["hidden", "runs"];
        if (this.run?.state === now) this.set(next);
      };
      document.addEventListener("visibilitychange", hide);
      this.stop = () => {
        this.worker.stop();
        unwatch();
        document.removeEventListener("visibilitychange", hide);
      };
    }
    get shown() {
      return this.run?.marks.length ? this.run.marks : this.figure.get("marks");
    }
    redraw(mark = this.figure.get("mark")) {
      this.figure.stale = true;
      this.figure.put({ mark });
    }
    turn(state, note = "") {
      if (this.run) this.run.state = state;
      this.note = note;
      this.redraw();
    }
    set(state) {
      this.worker.post({ runs: state === "runs" });
      this.turn(state);
    }
    forget() {
      this.worker.stop();
      [this.run, this.note] = [null, ""];
    }
    async begin() {
      this.forget();
      const { seed, book } = this.figure.state();
      const steps = book ? BOOK.steps : this.figure.get("steps");
      /** @type {Run} */
      const run = { state: "runs", step: 0, steps, seed, book, marks: [], losses: [] };
      this.run = run;
      this.redraw(0);
      await this.worker.load();
      if (run !== this.run) return; // another one has begun
      const asked = { task: this.task, seed, book, steps, runs: true };
      this.worker.ask(asked, (news) => run === this.run && this.hear(run, /** @type {any} */ (news)));
    }
    /** @param {Run} run @param {News} news */
    hear(run, { step, losses, mark, tensors, ended }) {
      run.step = step;
      run.losses.push(...losses);
      if (tensors && step) this.keep(run, tensors);
      if (ended) run.state = "ended";
      this.show();
      const at = this.figure.get("mark");
      if (mark) {
        const newest = run.marks.push(mark) - 1;
        this.redraw(at >= newest - 1 ? newest : at); // whoever looks at an earlier one stays there
      } else if (run.state !== "runs") this.redraw(at); // the last steps before it rests
    }
    keep({ seed, book, step: steps, losses }, tensors) {
      const { words, chapter_seed } = this.task;
      const loss = Math.round(1000 * recent(losses)) / 1000;
      const about = { model: "storyteller", words, ...PACKED, seed: book ? chapter_seed : seed, steps, loss };
      attnkit.keep(attnkit.pack(tensors, BITS, about));
    }
  }

  /** @param {number} step */
  const stepped = (step) => `Step ${grouped(step)}`;

  // How far it is, in words.
  /** @param {Session} on @param {State} state */
  function line({ run, note }, { seed, book }) {
    if (!run) return "Recorded: the training of the book's own model. Press Train, and one of your own begins.";
    const at = `step ${grouped(run.step)} of ${grouped(run.steps)}`;
    const loss = run.losses.length ? `, loss ${fixed(recent(run.losses))}` : "";
    const next = `the next story comes at ${grouped(Math.min(run.steps, ...MARKS.filter((mark) => mark > run.step)))}.`;
    const told = {
      runs: run.book && !run.step ? "The book's 20,000 stories come first ..." : `Training: ${at}${loss}; ${next}`,
      paused: `Paused at ${at}${loss}. It is yours.`,
      hidden: `Paused at ${at}, while this tab is hidden.`,
      ended: `Trained: ${grouped(run.step)} steps${loss}. It is yours now.`,
      failed: "The training has stopped.",
    };
    const other = run.seed !== seed || run.book !== book;
    return [told[run.state], note, other ? "What you chose holds from Begin again on." : ""].filter(Boolean).join(" ");
  }

  // ---- what is seen

  const small = (text = "") => h("p", { class: "ak-small" }, text);
  const title = (text = "") => h("p", { class: "ak-title" }, text);

  // Words of a text, made once.
  /** @param {string} kind @param {number} count */
  function textBox(kind, count) {
    const spaces = Array.from({ length: count }, () => document.createTextNode(""));
    const words = spaces.map(() => h("span", { class: "ak-token" }, ""));
    const element = h(
      "p",
      { class: `ak-box ${kind}` },
      spaces.map((space, k) => [space, words[k]]),
    );
    function show(text) {
      words.forEach((word, k) => {
        write(spaces[k], k && text[k] && text[k] !== "." ? " " : "");
        write(word, text[k] ?? "");
      });
    }
    return { element, words, show };
  }

  // The story of a mark and the one before, with their mistakes; and what is new.
  function storyBoxes() {
    const boxes = ["ak-now", "ak-before"].map((kind) => ({ title: title(), ...textBox(kind, CONTEXT) }));
    const legend = small("Shaded: new. Underlined: a mistake, found by the program that writes the stories.");
    const parts = boxes.map(({ title, element }) => h("div", {}, title, element));
    /** @param {Mark[]} marks @param {number} k */
    function show(marks, k) {
      const added = k ? fresh(marks[k - 1].story, marks[k].story) : [];
      boxes.forEach((box, back) => {
        const { step, story, errors } = marks[k - back] ?? { step: 0, story: [], errors: [] };
        write(box.title, k < back ? "" : `${stepped(step)}: it ${back ? "wrote" : "writes"}`);
        box.show(story);
        const wrong = new Set(errors.map(([, place]) => place));
        box.words.forEach((word, i) => {
          attr(word, "data-new", String(!back && Boolean(added[i])));
          attr(word, "data-wrong", String(i < story.length && wrong.has(i)));
        });
      });
    }
    return { element: h("div", { class: "ak-stories" }, parts, legend), show };
  }

  // The loss over the steps, these on a logarithmic scale; beside it what guessing costs, and what the book’s own model comes to.
  function lossChart({ losses, words, lowest }) {
    const [left, right, bottom] = [26, 402, 204];
    const chart = attnkit.chart([420, 230], [left, 10, right, bottom]);
    chart.scale([0, 4], [0, 6]);
    chart.beside("0", "2", "4", "6");
    chart.below("1", "10", "100", "1,000", "10,000");
    const at = ([step, loss]) => chart.at(Math.log10(Math.max(step, 1)), loss);
    const guess = Math.log(words.length);
    const lines = [guess, lowest].map((loss) =>
      attnkit.svg("path", { d: attnkit.path([at([1, loss]), at([10_000, loss])]), class: "ak-level" }),
    );
    const named = [
      attnkit.label(right, at([1, guess])[1] - 5, `guessing: ${fixed(guess)}`, "ak-small", "end"),
      attnkit.label(left + 6, at([1, lowest])[1] - 5, `the book’s model: ${fixed(lowest)}`, "ak-small", "start"),
    ];
    const [recorded, live] = ["ak-curve ak-recorded", "ak-curve"].map((kind) => attnkit.svg("path", { class: kind }));
    attr(recorded, "d", attnkit.path(losses.map(at)));
    const dot = attnkit.svg("circle", { r: 6, class: "ak-dot ak-of-output" });
    chart.element.append(...lines, ...named, recorded, live, dot);
    let points = losses;
    return {
      element: chart.element,
      /** @param {number[] | undefined} own */
      draw(own) {
        points = own ? curve(own) : losses;
        attr(recorded, "data-behind", String(Boolean(own)));
        attr(live, "d", own?.length ? attnkit.path(points.map(at)) : "");
      },
      /** @param {Mark} mark */
      show({ step }) {
        const point = points.find(([to]) => to >= step) ?? points[points.length - 1];
        if (point) attnkit.move(dot, at([step, point[1]]));
      },
    };
  }

  // The fixed questions, with the chances of some answers.
  /** @param {Question[]} questions */
  function asked(questions) {
    const bars = questions.map(({ answers }) => attnkit.wordBars(answers.length + 1));
    const parts = questions.map(({ asks, text }, k) =>
      h("div", {}, title(asks), small(`... ${text.split(" ").slice(-4).join(" ")} ...`), bars[k]),
    );
    return {
      element: h("div", {}, h("div", { class: "ak-side" }, parts), small("Framed: the right answer.")),
      /** @param {Mark} mark */
      show({ chances }) {
        questions.forEach(({ answers }, k) => {
          const rest = Math.max(0, 1 - attnkit.sum(chances[k]));
          const words = answers.map((word, i) => /** @type {[string, number]} */ ([word, chances[k][i]]));
          bars[k].show([...words, ["anything else", rest]], { drawn: 0 });
        });
      },
    };
  }

  // Where the head looks that finds the word that decides.
  /** @param {Task} task */
  function look({ questions, decides }) {
    const told = ["(start)", ...questions[0].text.split(" ")];
    const box = textBox("ak-looks", told.length);
    box.show(told);
    const note = small();
    return {
      element: h("div", {}, title(`Where ${quoted(told[told.length - 1])} looks`), box, note),
      /** @param {Mark} mark */
      show({ head: [layer, head], weights }) {
        box.words.forEach((word, k) => {
          attnkit.paint(word, Math.round(100 * weights[k]) / 100, 1, "weight");
        });
        const best = `Layer ${layer + 1}, head ${head + 1}: of all heads it looks most at ${quoted(told[decides])}`;
        write(note, `${best}, who got the key last: ${fixed(weights[decides])}.`);
      },
    };
  }

  // ---- it is yours: kept, saved, read

  const ONCE = { "data-ak-once": true }; // no button "Reset" leads back from it
  const UNKEPT = "But this browser keeps nothing: it is gone when you leave this page, unless you save it to a file.";

  /** @param {Owner} figure @param {Task} task */
  function ownModel(figure, { words }) {
    const told = h("p", { class: "ak-mine" });
    const file = h("input", { type: "file", accept: ".json", hidden: true, "aria-label": "A model's file" });
    file.addEventListener("change", async () => {
      try {
        attnkit.keep(reading((await file.files?.[0].text()) ?? "", words));
      } catch (error) {
        figure.say(`${said(error)} Nothing has changed.`);
      }
      file.value = "";
    });
    function save() {
      const text = new Blob([JSON.stringify(attnkit.mine())], { type: "application/json" });
      const link = h("a", { href: URL.createObjectURL(text), download: "storyteller.json" });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
      figure.say("Saved as storyteller.json. Python reads it with storyteller.loaded(path).");
    }
    const buttons = [
      attnkit.button("Save it to a file", save, ONCE),
      attnkit.button("Forget it", () => attnkit.keep(null), ONCE),
    ];
    const load = attnkit.button("Load one from a file", () => file.click(), ONCE);
    let kept = true;
    function show() {
      const mine = attnkit.mine();
      for (const button of buttons) button.hidden = !mine;
      if (!mine) return write(told, "A model that you train here is yours, on the next pages, too.");
      const { seed, steps, loss = Number.NaN } = mine;
      const from = steps === undefined ? "from a file" : `seed ${seed}, ${many(steps, "step")}, loss ${fixed(loss)}`;
      write(told, `Your model: ${from}. ${kept ? "The next pages have it, too." : UNKEPT}`);
    }
    const hear = ({ detail }) => {
      kept = detail;
      show();
    };
    document.addEventListener("ak-mine", /** @type {any} */ (hear));
    const stop = () => document.removeEventListener("ak-mine", /** @type {any} */ (hear));
    return { element: h("div", { class: "ak-own" }, told, attnkit.row(buttons, load, file)), show, stop };
  }

  // ---- the controls

  /** @param {Owner} figure @param {Session} on */
  function controls(figure, on) {
    function turn() {
      const state = on.run?.state;
      if (state === "runs") on.set("paused");
      else if (state === "paused") on.set("runs");
      else on.begin();
    }
    const begin = () => (on.run ? on.begin() : figure.say("Nothing has begun yet."));
    const press = attnkit.button("Train", turn, { class: "ak-primary", ...ONCE });
    const again = attnkit.button("Begin again", begin, ONCE);
    const reset = figure.reset(() => on.forget());
    const kind = figure.choice({
      label: "each step reads",
      words: ["four stories", "ten, as the book"],
      read: ({ book }) => Number(book),
      write: (k) => ({ book: k === 1 }),
    });
    const field = figure.seedField(10_000, (value) => figure.put({ seed: value }));
    const seed = h("span", { class: "ak-buttons" }, h("span", { "aria-hidden": "true" }, "seed"), field);
    return {
      element: h("div", { class: "ak-controls" }, attnkit.row(press, again, reset), attnkit.row(kind, seed)),
      /** @param {State} state */
      show({ book }) {
        const words = { runs: "Pause", hidden: "Pause", paused: "Go on" };
        write(press, words[on.run?.state ?? ""] ?? "Train");
        attr(again, "aria-disabled", String(!on.run));
        seed.hidden = book;
      },
    };
  }

  // A mark in words.
  /** @param {Mark} mark @param {Question[]} questions */
  function sentence({ step, loss, story, errors, chances }, questions) {
    const here = errors.filter(([, place]) => place < story.length);
    const kinds = attnkit.listed([...new Set(here.map(([kind]) => kind))]);
    const wrong = here.length ? `${many(here.length, "mistake")}: ${kinds}` : "no mistake";
    const right = questions.map(({ answers }, k) => `${answers[0]} ${fixed(chances[k][0])}`).join(", ");
    const ends = story[story.length - 1] === "." ? "" : ", but no end";
    return `${stepped(step)}: loss ${fixed(loss)}. The story has ${wrong}${ends}. Chances: ${right}.`;
  }

  /** @param {Owner} figure */
  function build(figure) {
    const task = figure.get("task");
    const on = new Session(figure, progress);
    const [buttons, told, chart] = [controls(figure, on), h("p", { class: "ak-line" }), lossChart(task)];
    /** @param {number} mark */
    const shown = (mark) => Math.min(mark, on.shown.length - 1);
    const format = (k) => grouped(on.shown[k].step);
    const bound = { read: ({ mark }) => shown(mark), write: (mark) => ({ mark }) };
    const slider = figure.slider({ name: "look at step", min: 0, max: 1, step: 1, format, ...bound });
    const [stories, questions, head] = [storyBoxes(), asked(task.questions), look(task)];
    const mine = ownModel(figure, task);
    function progress() {
      write(told, line(on, figure.state()));
      buttons.show(figure.state());
      chart.draw(on.run?.losses);
    }
    /** @type {(string | null)[]} */
    let [said, before] = ["", null];
    function update(state) {
      const [marks, k] = [on.shown, shown(state.mark)];
      attr(slider.input, "max", marks.length - 1);
      slider.show(k, state);
      progress();
      chart.show(marks[k]);
      stories.show(marks, k);
      questions.show(marks[k]);
      head.show(marks[k]);
      mine.show();
      const now = sentence(marks[k], task.questions);
      const turned = on.run?.state === "runs" ? "runs" : on.run && line(on, state);
      if (now !== said || turned !== before) figure.say(turned === before ? now : `${line(on, state)} ${now}`);
      [said, before] = [now, turned];
    }
    function stop() {
      on.stop();
      mine.stop();
    }
    const [works, answers] = [h("div", {}, buttons, told, chart, slider), h("div", {}, questions, head)];
    return { parts: [h("div", { class: "ak-sides" }, works, stories, answers), figure.live, mine], update, stop };
  }

  attnkit.register("story_trainer", { label: "The story model learns", wide: true, compute, build });
})(globalThis.attnkit);
