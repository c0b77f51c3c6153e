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
      this.numbers = (words) => ["<start>", ...words].map((word) => place.get(word));
      this.model = new Model({ words: task.words.length, ...SIZES });
      this.model.begin(random, normal);
      this.adam = new Adam(this.model, { steps, warmup: Math.floor(steps / 80) });
      const encode = (words) => this.numbers([...words, "<end>"]);
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
      const { model, task } = this;
      const found = task.questions.map(({ text }) => model.next(this.numbers(text.split(" "))));
      const chances = task.questions.map(({ answers }, k) =>
        this.numbers(answers)
          .slice(1)
          .map((word) => found[k].chances[word]),
      );
      const heads = found[0].weights.flat();
      const best = heads.reduce((best, row, k) => (row[task.decides] > heads[best][task.decides] ? k : best), 0);
      const never = ["<pad>", "<start>"].map((mark) => task.words.indexOf(mark));
      const limits = { end: task.words.indexOf("<end>"), never, temperature: task.temperature, most: CONTEXT };
      const written = model.write(this.numbers(task.beginning.split(" ")), limits, xorshift(task.seed));
      const words = written
        .slice(1)
        .map((word) => task.words[word])
        .filter((word) => word !== "<end>");
      const recent = this.losses.slice(-RECENT);
      return {
        ...{ step: this.step, loss: recent.reduce((sum, loss) => sum + loss, 0) / recent.length, story: words },
        ...{ errors: errors(words), chances, head: [Math.floor(best / SIZES.heads), best % SIZES.heads] },
        weights: heads[best],
      };
    }
  }

  function program(scope) {
    let training = null;
    let [asked, running, timer] = [0, false, 0];
    function tell(from, mark) {
      const { losses, model, step, steps } = training;
      const ended = step === steps;
      const news = { step, losses: losses.slice(from), mark: ended ? training.look() : mark, ended };
      scope.postMessage({ asked, done: { ...news, tensors: running && !ended ? null : model.tensors() } });
      if (ended) running = false;
    }
    function turn() {
      clearTimeout(timer); // whoever pauses and goes on at once does not go on twice
      if (!running) return;
      const [from, until] = [training.losses.length, performance.now() + TURN];
      let mark = null;
      while (!mark && training.step < training.steps && performance.now() < until) mark = training.advance();
      tell(from, mark);
      timer = setTimeout(turn);
    }
    scope.onmessage = ({ data }) => {
      if (data.task) {
        training = new Training(data.task, data);
        asked = data.asked;
        for (const name in data.weights) training.model.of[name].v.set(data.weights[name]);
        if (data.weights) return scope.postMessage({ asked, found: training.look() });
      }
      running = data.runs;
      if (running) turn();
      else tell(training.losses.length, null);
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
    return {
      losses,
      curve: curve(losses),
      weights,
      packed: attnkit.pack(tensors, BITS, PACKED),
      mark: training.look(),
    };
  }

  // Which words of a story were not in the one before: those outside of the longest row of words that is in both, in order.
  /** @param {string[]} before @param {string[]} now */
  function fresh(before, now) {
    const common = [...before, ""].map(() => new Array(now.length + 1).fill(0));
    for (let i = before.length - 1; i >= 0; i--)
      for (let j = now.length - 1; j >= 0; j--)
        common[i][j] = before[i] === now[j] ? 1 + common[i + 1][j + 1] : Math.max(common[i + 1][j], common[i][j + 1]);
    let i = 0;
    return now.map((word, j) => {
      while (i < before.length && common[i][j] === common[i + 1][j]) i++;
      const known = i < before.length && before[i] === word && common[i][j] === 1 + common[i + 1][j + 1];
      if (known) i++;
      return !known;
    });
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
    /** @type {Own | null} */
    let packed = null;
    try {
      packed = JSON.parse(text);
    } catch {}
    if (packed?.model !== "storyteller") throw new Error("This file holds no story model.");
    if (packed.version > VERSION) throw new Error("This model was saved by a newer edition of this book.");
    const found = packed;
    const other = Object.entries({ ...PACKED, words }).find(([name, size]) => String(found[name]) !== String(size));
    if (other) throw new Error(`The model in this file has other ${other[0].replace("num_", "")} than this page's.`);
    try {
      const { length } = attnkit.decoder(packed).tensors["layers.0.bias"];
      if (length !== SIZES.heads * (SIZES.reach + 1)) throw new Error("it reaches farther, or less far.");
    } catch (error) {
      throw new Error(`The model in this file is broken: ${error instanceof Error ? error.message : error}`);
    }
    return packed;
  }

  // ---- what goes on

  // The reader's own training; `show` draws how far it is, and the figure is drawn anew when there is a mark more.
  class Session {
    /** @param {Owner} figure @param {() => void} show */
    constructor(figure, show) {
      this.figure = figure;
      this.task = figure.get("task");
      this.show = show;
      this.worker = attnkit.inWorker(WORKER, async () => {});
      /** @type {Run | null} */
      this.run = null;
      this.note = "";
      this.unwatch = this.worker.watch(() => {
        const { state, message } = this.worker.status;
        if (this.run && state === "failed") this.turn("failed", message);
      });
      this.hide = () => {
        if (this.run?.state === "runs" && document.hidden) this.set("hidden");
        else if (this.run?.state === "hidden" && !document.hidden)
          this.set("runs", "It rested while this tab was hidden.");
      };
      document.addEventListener("visibilitychange", this.hide);
    }
    get shown() {
      return this.run?.marks.length ? this.run.marks : this.figure.get("marks");
    }
    // What it does from now on, and whether it goes on.
    /** @param {string} state @param {string} [note] */
    turn(state, note = "") {
      if (this.run) this.run.state = state;
      this.note = note;
      this.redraw(this.figure.get("mark"));
    }
    /** @param {string} state @param {string} [note] */
    set(state, note) {
      this.worker.post({ runs: state === "runs" });
      this.turn(state, note);
    }
    /** @param {number} mark */
    redraw(mark) {
      this.figure.stale = true;
      this.figure.put({ mark });
    }
    // From the beginning; or, with `weights`, only to look at them.
    /** @param {Partial<Run>} [about] @param {object} [question] @returns {Promise<Mark>} */
    async begin(about = {}, question = { runs: true }) {
      this.worker.stop();
      const { seed, book } = this.figure.state();
      const [steps, empty] = [
        book ? BOOK.steps : this.figure.get("steps"),
        { marks: [], losses: [], step: 0, state: "runs" },
      ];
      const run = { ...empty, seed, book, steps, ...about };
      [this.run, this.note] = [run, ""];
      this.redraw(0);
      await this.worker.load();
      if (run !== this.run) return new Promise(() => {}); // another one has begun
      /** @param {any} news */
      const hear = (news) => run === this.run && this.hear(run, news);
      return this.worker.ask({ task: this.task, seed, book: run.book, steps, ...question }, hear);
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
    /** @param {Run} run @param {Record<string, Tensor>} tensors */
    keep({ seed, book, step: steps, losses }, tensors) {
      const { words, chapter_seed } = this.task;
      const about = { model: "storyteller", words, ...PACKED, seed: book ? chapter_seed : seed, steps };
      attnkit.keep(attnkit.pack(tensors, BITS, { ...about, loss: Math.round(1000 * recent(losses)) / 1000 }));
    }
    // Show a model that is there already.
    /** @param {Own} packed */
    async open(packed) {
      const [step, loss] = [packed.steps ?? Number.NaN, packed.loss ?? Number.NaN];
      const mark = await this.begin({ state: "opened", book: false }, { weights: attnkit.decoder(packed).tensors });
      this.run?.marks.push({ ...mark, step, loss });
      this.redraw(0);
    }
    forget() {
      this.worker.stop();
      [this.run, this.note] = [null, ""];
    }
    stop() {
      this.worker.stop();
      this.unwatch();
      document.removeEventListener("visibilitychange", this.hide);
    }
  }

  /** @param {number} step */
  const stepped = (step) => (Number.isNaN(step) ? "From a file" : `Step ${grouped(step)}`);

  // How far it is, in words.
  /** @param {Session} on @param {State} state */
  function line(on, { seed, book }) {
    const run = on.run;
    if (!run) return "Recorded: the training of the book's own model. Press Train, and one of your own begins.";
    const at = `step ${grouped(run.step)} of ${grouped(run.steps)}`;
    const loss = run.losses.length ? `, loss ${fixed(recent(run.losses))}` : "";
    const writing =
      run.book && !run.step ? "The book's 20,000 stories are written first ..." : `Training: ${at}${loss}.`;
    /** @type {Record<string, string>} */
    const said = {
      runs: writing,
      paused: `Paused at ${at}${loss}. It is yours.`,
      hidden: `Paused at ${at}, while this tab is hidden.`,
      ended: `Trained: ${grouped(run.step)} steps${loss}. It is yours now.`,
      opened: "This is the model that you had.",
      failed: "The training has stopped.",
    };
    const other =
      run.state !== "opened" && (run.seed !== seed || run.book !== book)
        ? "What you chose holds from Begin again on."
        : "";
    return [said[run.state], on.note, other].filter(Boolean).join(" ");
  }

  // ---- what is seen

  const small = (text = "") => h("p", { class: "ak-small" }, text);
  const title = (text = "") => h("p", { class: "ak-title" }, text);

  // Words of a text, made once.
  /** @param {string} kind @param {number} count */
  function textBox(kind, count) {
    const spaces = Array.from({ length: count }, () => document.createTextNode(""));
    const words = spaces.map(() => h("span", { class: "ak-token" }, ""));
    const pairs = spaces.map((space, k) => [space, words[k]]);
    return {
      element: h("p", { class: kind }, pairs),
      words,
      /** @param {string[]} text */
      show(text) {
        words.forEach((word, k) => {
          write(spaces[k], k && k < text.length && text[k] !== "." ? " " : "");
          write(word, text[k] ?? "");
        });
      },
    };
  }

  // The story of a mark, what is new in it shaded and its mistakes underlined; and below it the one before.
  function storyBoxes() {
    const [now, before] = [textBox("ak-box ak-now", CONTEXT), textBox("ak-box ak-before", CONTEXT)];
    const titles = [title(), title()];
    const legend = small("Shaded: new. Underlined: a mistake, found by the program that writes the stories.");
    /** @param {ReturnType<typeof textBox>} box @param {Mark} mark @param {boolean[]} added */
    function lay(box, { story, errors }, added) {
      box.show(story);
      const wrong = new Set(errors.map(([, place]) => place));
      box.words.forEach((word, k) => {
        attr(word, "data-new", String(added[k] ?? false));
        attr(word, "data-wrong", String(k < story.length && wrong.has(k)));
      });
    }
    return {
      element: h("div", { class: "ak-stories" }, h("div", {}, titles[0], now), h("div", {}, titles[1], before), legend),
      /** @param {Mark[]} marks @param {number} k */
      show(marks, k) {
        const [mark, last] = [marks[k], marks[k - 1]];
        write(titles[0], `${stepped(mark.step)}: it writes`);
        write(titles[1], last ? `${stepped(last.step)}: it wrote` : "");
        lay(now, mark, last ? fresh(last.story, mark.story) : []);
        lay(before, last ?? { ...mark, story: [], errors: [] }, []);
      },
    };
  }

  // The loss over the steps, these on a logarithmic scale; beside it what guessing costs, and what the book’s own model comes to.
  function lossChart({ losses, words, lowest }) {
    const most = Math.log10(BOOK.steps);
    const [left, top, right, bottom] = /** @type {const} */ ([26, 10, 402, 204]);
    const chart = attnkit.chart([420, 230], [left, top, right, bottom]);
    chart.scale([0, most], [0, 6]);
    chart.beside("0", "2", "4", "6");
    const at = ([step, loss]) => chart.at(Math.log10(Math.max(step, 1)), loss);
    const ticks = [1, 10, 100, 1000, 4000].map((step) =>
      attnkit.label(at([step, 0])[0], bottom + 18, grouped(step), "ak-small"),
    );
    const guess = Math.log(words.length);
    const lines = [guess, lowest].map((loss) =>
      attnkit.svg("path", { d: attnkit.path([at([1, loss]), at([BOOK.steps, loss])]), class: "ak-level" }),
    );
    const named = [
      attnkit.label(right, at([1, guess])[1] - 5, `guessing: ${fixed(guess)}`, "ak-small", "end"),
      attnkit.label(left + 6, at([1, lowest])[1] - 5, `the book’s model: ${fixed(lowest)}`, "ak-small", "start"),
    ];
    const [recorded, live] = ["ak-curve ak-recorded", "ak-curve"].map((kind) => attnkit.svg("path", { class: kind }));
    attr(recorded, "d", attnkit.path(losses.map(at)));
    let points = losses;
    const dot = attnkit.svg("circle", { r: 6, class: "ak-dot ak-of-output" });
    chart.element.append(...ticks, ...lines, ...named, recorded, live, dot);
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
        const [, there] = points.find(([to]) => to >= step) ?? points[points.length - 1] ?? [0, Number.NaN];
        attnkit.style(dot, "display", Number.isNaN(there) ? "none" : "");
        if (!Number.isNaN(there)) attnkit.move(dot, at([step, there]));
      },
    };
  }

  // The fixed questions, with the chances of some answers.
  /** @param {Question[]} questions */
  function asked(questions) {
    const bars = questions.map(({ answers }) => attnkit.wordBars(answers.length + 1));
    const parts = questions.map(({ asks, text }, k) => {
      const end = small(`... ${text.split(" ").slice(-4).join(" ")} ...`);
      return h("div", {}, title(asks), end, bars[k]);
    });
    return {
      element: h("div", {}, h("div", { class: "ak-side" }, parts), small("Framed: the right answer.")),
      /** @param {Mark} mark */
      show({ chances }) {
        questions.forEach(({ answers }, k) => {
          const rest = Math.max(0, 1 - attnkit.sum(chances[k]));
          /** @type {[string, number][]} */
          const words = answers.map((word, i) => [word, chances[k][i]]);
          bars[k].show([...words, ["anything else", rest]], { drawn: 0 });
        });
      },
    };
  }

  // Where the head looks that finds the word that decides.
  /** @param {Task} task */
  function look({ questions, decides }) {
    const told = ["(start)", ...questions[0].text.split(" ")];
    const box = textBox("ak-box ak-looks", told.length);
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

  /** @param {Owner} figure @param {Session} on @param {Task} task */
  function ownModel(figure, on, { words }) {
    const told = h("p", { class: "ak-mine" });
    const file = h("input", { type: "file", accept: ".json", hidden: true, "aria-label": "A model's file" });
    file.addEventListener("change", async () => {
      const [chosen] = file.files ?? [];
      if (!chosen) return;
      try {
        const packed = reading(await chosen.text(), words);
        attnkit.keep(packed);
        on.open(packed);
      } catch (error) {
        figure.say(`${error instanceof Error ? error.message : error} Nothing has changed.`);
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
      attnkit.button("Show it", () => on.open(/** @type {Own} */ (attnkit.mine())), ONCE),
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
    /** @param {Event} event */
    function hear(event) {
      kept = /** @type {CustomEvent} */ (event).detail;
      show();
    }
    document.addEventListener("ak-mine", hear);
    return {
      element: h("div", { class: "ak-own" }, told, attnkit.row(buttons, load, file)),
      show,
      stop: () => document.removeEventListener("ak-mine", hear),
    };
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
    const format = (k) => stepped(on.shown[k].step).replace(/^\D+/, "");
    const bound = { read: ({ mark }) => shown(mark), write: (mark) => ({ mark }) };
    const slider = figure.slider({ name: "look at step", min: 0, max: 1, step: 1, format, ...bound });
    const [stories, questions, head] = [storyBoxes(), asked(task.questions), look(task)];
    const mine = ownModel(figure, on, task);
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
