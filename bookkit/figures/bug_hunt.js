// Runs of a training with a planted bug each: a curve, what the model writes, checks to make, and a bug to be named.
((attnkit) => {
  "use strict";
  const { h, fixed } = attnkit;

  /** @typedef {{ curve: number[], first: number, last: number, samples: string[], found: string[] }} Sound */
  /** @typedef {Sound & { bug: number }} Run */
  /** @typedef {{ name: string, sound: string, planted: string, tells: string[], lesson: string }} Bug */
  /** @typedef {{ run: number, made: number[][], named: number[] }} State */
  /** @typedef {{ runs: Run[], sound: Sound, bugs: Bug[], checks: string[], steps: number }} Given */
  /** @typedef {Figure<State, Given>} Owner */

  const CURVE = "the curve";
  const TOP_LOSS = 6; // of the chart; what is above is cut off, and its number is written

  // For each run whether its bug has been named; compared with Python.
  function compute({ runs, named }) {
    return { verdicts: runs.map(({ bug }, k) => (named[k] < 0 ? null : named[k] === bug)) };
  }

  // ---- in words

  const ends = ({ first, last }) => `Loss ${fixed(first)} at the first step, ${fixed(last)} at the end.`;

  // What the best check says of a run; `others` are all runs, and one of them has the bug that is asked for.
  const says = (check, run, checks) => (check === CURVE ? ends(run) : run.found[checks.indexOf(check)]);

  // Why a wrong name is wrong: what the best check for it would have said, and what it says here.
  function refuted({ name, tells }, run, { runs, bugs, checks }) {
    const other = runs.find(({ bug }) => bugs[bug].name === name);
    if (!other) return "No. None of these runs has it.";
    const differs = tells.find((tell) => says(tell, other, checks) !== says(tell, run, checks)) ?? tells[0];
    const what = differs === CURVE ? "the curve" : `“${differs}”`;
    return `Not that one. Then ${what} would say: ${says(differs, other, checks)} Here: ${says(differs, run, checks)}`;
  }

  // ---- the parts

  function lossChart(steps, sound) {
    const chart = attnkit.chart([340, 176], [30, 10, 330, 150]);
    chart.scale([0, 1], [0, TOP_LOSS]);
    chart.beside("0", String(TOP_LOSS / 2), String(TOP_LOSS));
    chart.below("0", "steps", String(steps));
    const [pale, line] = ["ak-pale", "ak-curve"].map((kind) => attnkit.svg("path", { class: kind }));
    chart.element.append(pale, line);
    const said = h("p", { class: "ak-small" });
    const key = h("p", { class: "ak-small" }, `The dashed line is a sound run. ${ends(sound)}`);
    function draw(path, losses) {
      const points = losses.map((loss, k) => chart.at((k + 0.5) / losses.length, Math.min(loss, TOP_LOSS)));
      attnkit.attr(path, "d", attnkit.path(points));
    }
    draw(pale, sound.curve);
    function show(run) {
      draw(line, run.curve);
      attnkit.write(said, `The solid line is this run. ${ends(run)}`);
    }
    return { element: h("div", {}, chart, said, key), show };
  }

  function samplesBox(count) {
    const lines = Array.from({ length: count }, () => h("li"));
    const title = h("p", { class: "ak-small" }, "Three stories that it begins, not chosen:");
    const show = ({ samples }) => lines.forEach((line, k) => attnkit.write(line, `${samples[k] ?? ""} …`));
    return { element: h("div", { class: "ak-written" }, title, h("ul", {}, lines)), show };
  }

  // Checks to make: a button each; what it says of this run, and of a sound one.
  function checksBox(figure, { checks, runs, sound }) {
    function make(check) {
      const { made, run } = figure.state();
      figure.put({ made: made.map((row, k) => (k === run && !row.includes(check) ? [...row, check] : row)) });
    }
    const buttons = checks.map((name, k) => attnkit.button(name, () => make(k), { "aria-pressed": "false" }));
    attnkit.walk(buttons);
    const group = { class: "ak-buttons", role: "group", "aria-label": "Make a check" };
    const row = h("div", group, h("span", { class: "ak-name", "aria-hidden": "true" }, "check"), buttons);
    const lines = checks.map((name, k) => {
      const [here, there] = [h("p"), h("p", { class: "ak-small" }, `Sound: ${sound.found[k]}`)];
      return { here, element: h("li", {}, h("strong", {}, name), here, there) };
    });
    const list = h("ol", { class: "ak-found" }, lines);
    function show({ run, made }) {
      lines.forEach(({ element, here }, k) => {
        const place = made[run].indexOf(k);
        element.hidden = place < 0;
        attnkit.style(element, "order", String(place));
        attnkit.write(here, runs[run].found[k]);
        attnkit.attr(buttons[k], "aria-pressed", String(place >= 0));
      });
    }
    return { element: h("div", {}, row, list), show };
  }

  // The bugs to choose from, and what comes of it.
  function namingBox(figure, { bugs, runs }) {
    const pick = attnkit.menu("The bug is:", ["choose …", ...bugs.map(({ name }) => name)], preview);
    const list = pick.input;
    const meant = h("p", { class: "ak-small", "aria-live": "polite" });
    // What the chosen bug looks like in code, before it is named.
    function preview() {
      const bug = bugs[list.selectedIndex - 1];
      const line = bug?.planted || "the line is missing";
      attnkit.write(meant, bug ? `Instead of ${bug.sound}: ${line}` : "");
    }
    function name() {
      const { named, run } = figure.state();
      if (list.selectedIndex < 1) return attnkit.write(meant, "Choose a bug first.");
      figure.put({ named: named.map((one, k) => (k === run ? list.selectedIndex - 1 : one)) });
    }
    const [was, is] = [h("s"), h("strong")];
    const code = h("p", { class: "ak-code" }, h("code", {}, was, " ", is));
    const lesson = h("p", { class: "ak-small" });
    const solved = h("div", { class: "ak-solved" }, code, lesson);
    let shown = -1;
    function show({ run, named }) {
      if (shown !== run) list.selectedIndex = named[run] + 1;
      shown = run;
      preview();
      solved.hidden = named[run] !== runs[run].bug;
      const told = named[run] === list.selectedIndex - 1 && named[run] >= 0;
      if (told) attnkit.write(meant, solved.hidden ? `Not this one: ${bugs[named[run]].name}.` : "");
      const { sound, planted, lesson: text, tells } = bugs[runs[run].bug];
      attnkit.write(was, sound);
      attnkit.write(is, planted || "(the line is missing)");
      attnkit.write(lesson, `${text} What gives it away: ${tells.join(", ")}.`);
    }
    return { element: h("div", {}, attnkit.row(pick, attnkit.button("Name it", name)), meant, solved), show };
  }

  function build(figure) {
    const given = figure.given("runs", "sound", "bugs", "checks", "steps");
    const { runs, bugs, checks } = /** @type {Given} */ (given);
    const chosen = figure.choice({ label: "run", words: runs.map((_, k) => String(k + 1)), trait: "run" });
    const chart = lossChart(given.steps, given.sound);
    const samples = samplesBox(Math.max(...runs.map((run) => run.samples.length)));
    const made = checksBox(figure, given);
    const naming = namingBox(figure, given);
    const score = h("span", { class: "ak-small" });
    const last = attnkit.row(score, figure.reset());

    // What the line under the figure says: the verdict if there is one, or else the check made last.
    function told({ named, made, run: k }, run) {
      if (named[k] === run.bug) return `Run ${k + 1}: right, ${bugs[run.bug].name}.`;
      if (named[k] >= 0) return `Run ${k + 1}: ${refuted(bugs[named[k]], run, given)}`;
      const check = made[k][made[k].length - 1];
      return `Run ${k + 1}. ${check === undefined ? ends(run) : `${checks[check]}: ${run.found[check]}`}`;
    }

    function update(state) {
      const run = runs[state.run];
      chart.show(run);
      samples.show(run);
      made.show(state);
      naming.show(state);
      const { verdicts } = compute({ ...given, ...state });
      chosen.buttons.forEach((button, k) => attnkit.write(button, `${k + 1}${verdicts[k] ? " ✓" : ""}`));
      const right = verdicts.filter(Boolean).length;
      const checked = attnkit.many(state.made.flat().length, "check");
      attnkit.write(score, `${right} of ${runs.length} bugs named, ${checked} made.`);
      figure.say(told(state, run));
    }
    return { parts: [chosen, chart, samples, made, naming, last], update };
  }

  attnkit.register("bug_hunt", { label: "What is wrong here?", compute, build });
})(globalThis.attnkit);
