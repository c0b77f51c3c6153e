// Answer an exercise, or guess before a figure is touched, where it stands: numbers in fields, lines of code, choices, an order.
((attnkit) => {
  "use strict";
  const { h, fixed } = attnkit;

  /** @typedef {(string | number | null)[]} Answer */
  /** @typedef {{ answer: Answer, checked: boolean }} State */
  /**
   * @typedef {{
   *   kind: "numbers" | "lines" | "order" | "choice" | "guess",
   *   columns: number, names: string[], labelled: boolean, truths: boolean, right: number[], within: number, mistakes: [number[], string][],
   *   judge: string, code: string, choices: string[][], lines: string[], said: string[], verdicts: number[],
   *   orders: Record<string, number>, low: number, high: number, step: number, digits: number, unit: string,
   * }} Form
   * @typedef {{ name: string, form: Form }} Given
   * @typedef {{ verdict: string, state: "open" | "right" | "wrong" }} Found
   */

  const [RIGHT, OPEN] = ["Right.", "Not answered yet"];

  // ---- verdicts, the twin of bookkit/lessons/exercises/grading.py

  const near = (a, b, within) => a.every((v, k) => Math.abs(v - b[k]) <= within);
  const plain = (x, digits = 2) => fixed(x, digits).replace(/\.?0+$/, "");
  function compare(numbers, { right, mistakes, within, names, truths }) {
    const off = names.flatMap((_, k) => (Math.abs(numbers[k] - right[k]) <= within ? [] : [k]));
    if (!off.length) return null;
    const foreseen = mistakes.find(([mistake]) => near(numbers, mistake, within));
    if (foreseen) return foreseen[1];
    const alike = (made) => near(made(numbers), made(right), within);
    const negative = right.map((v) => -v);
    if (near(numbers, negative, within)) return "the size is right, the sign is not.";
    const [k] = off;
    const [first, count, several] = [names[k], `${off.length} of ${names.length}`, names.length > 1];
    if (truths) return `${count} are not right, the first is ${first}.`;
    if (alike((list) => list.map(Math.abs))) return `the sign of ${first} is not right.`;
    if (several && alike((list) => list.toSorted((x, y) => x - y)))
      return "these are the right numbers, in another order.";
    if (off.every((i) => right[i] % 1 && Math.abs(numbers[i] - right[i]) <= 0.04 * Math.abs(right[i])))
      return "this is nearly right: give more digits.";
    const told = several ? first : Math.abs(numbers[0]) < 1e15 ? plain(numbers[0], 4) : "this";
    const above = numbers[k] > right[k] ? "large" : "small";
    return `${off.length > 1 ? `${count} numbers are off: ` : ""}${told} is too ${above}.`;
  }

  // ---- judges of exercises with many right answers, each the twin of a function of the same exercise in Python

  /** @type {Record<string, (numbers: number[]) => string | null | false>} */
  const judges = {
    "weights/outside"(weights) {
      const [total, praise] = [attnkit.sum(weights), attnkit.dot(weights, [-0.9, 0, -0.2, 0.9, 0.2])];
      if (Math.abs(total - 1) > 1e-6) return `the weights must sum to one, these sum to ${plain(total)}.`;
      return praise > 1 ? null : `the praise of the average is ${plain(praise)}, not above 1.`;
    },
    "dot_product/shared_dislike"(film) {
      if (film.some((v) => Math.abs(v) > 1)) return "the numbers must lie between −1 and 1.";
      const little = "the film must have little of it, too (a negative number in second place).";
      if (film[1] >= 0) return `Nora's dislike is romance; ${little}`;
      if (near(film, [-0.9, -0.8, -0.3], 1e-5)) return "this is Quiet Harbour; make up another film.";
      const score = attnkit.dot(film, [0.8, -0.5, 0.3]);
      return score < 0 ? null : `the shared dislike is there, but the total is ${plain(score)}, not below zero.`;
    },
    "softmax/break"(scores) {
      const shares = scores.map(Math.exp);
      const weights = shares.map((v) => v / attnkit.sum(shares));
      if (!weights.every(Number.isFinite)) return "this overflows: the result is nan.";
      return weights[1] === 0 ? null : "the second weight is small, but not 0.";
    },
    "queries_keys_values/away"(flat) {
      const given = [flat.slice(0, 2), flat.slice(2)].map((row, i) => attnkit.softmax(row)[1 - i]);
      const i = given.findIndex((weight) => weight <= 0.9);
      if (i < 0) return null;
      return `item ${i + 1} gives the other item ${plain(given[i], 3)} of its weight, not more than 0.9.`;
    },
  };

  const judged = (form, numbers) => (form.judge ? judges[form.judge](numbers) : compare(numbers, form));

  // ---- what is said of an answer

  /** @type {Record<Form["kind"], (form: Form, answer: Answer) => string>} */
  const verdicts = {
    numbers(form, answer) {
      const texts = answer.map((text) => String(text ?? ""));
      if (texts.some((text) => !text.trim())) return `${OPEN}: fill in every field.`;
      const read = texts.map((text) => (form.truths ? [Number(text === "True")] : attnkit.meanings(text)));
      const strange = read.findIndex((found) => !found.length);
      if (strange >= 0) return `Not yet: ${attnkit.quoted(texts[strange])} is not a number.`;
      const numbers = read.map((found, k) => {
        const fits = found.find((v) => form.right && Math.abs(v - form.right[k]) <= form.within);
        return fits ?? found[0];
      });
      const off = judged(form, numbers);
      return off ? `Not yet: ${off}` : RIGHT;
    },
    lines({ choices, said, verdicts: table }, answer) {
      if (answer.includes(null)) return `${OPEN}: choose what stands in ${choices.length > 1 ? "each" : "the"} gap.`;
      const place = choices.reduce((at, { length }, k) => at * length + Number(answer[k]), 0);
      return said[table[place]];
    },
    order({ said, orders, lines }, answer) {
      return answer.length < lines.length ? `${OPEN}: press the lines in order.` : said[orders[answer.join("")]];
    },
    choice({ said }, [chosen]) {
      return chosen === null ? `${OPEN}: choose one.` : said[Number(chosen)];
    },
    guess(_, [guess]) {
      return guess === null
        ? "Guess first, or pass on."
        : "Now try. Your guess will stand beside what you should have seen.";
    },
  };

  function compute({ form, answer, checked }) {
    const verdict = verdicts[form.kind](form, answer);
    if (form.kind === "numbers" && !checked) return { verdict: "", state: "open" };
    if (verdict === RIGHT) return { verdict, state: "right" };
    return { verdict, state: verdict.startsWith("Not yet") ? "wrong" : "open" };
  }

  // ---- what was answered here before, where a page keeps it (_static/progress.js)

  const tell = (what, detail) => document.dispatchEvent(new CustomEvent(`attnkit-${what}`, { detail }));

  // Whether something is an answer, as in practice.py: when it was kept, the exercise may have been another one.
  function fits({ kind, names, lines, choices, low, high }, answer) {
    const count = kind === "numbers" ? names.length : kind === "order" ? new Set(answer).size : choices.length || 1;
    const may = (one, k) => {
      if (kind === "numbers") return typeof one === "string";
      if (kind !== "order" && one === null) return true;
      const offered = kind === "order" ? lines : choices[k];
      return typeof one === "number" && (offered ? one in offered : low <= one && one <= high);
    };
    return answer.length === count && answer.every(may);
  }

  // ---- the parts: each is an element, and what shows an answer in it

  /** @typedef {Part & { show(answer: Answer): void }} Sheet */
  /** @typedef {Figure<State, Given>} Owner */

  const put = (figure, k, value) =>
    figure.put({ answer: figure.get("answer").map((old, i) => (i === k ? value : old)), checked: false });

  // A field for each number; for a truth, one to choose from.
  function fields(figure, { columns, names, labelled, truths }) {
    const inputs = names.map((name, k) => {
      const props = { "aria-label": name, oninput: () => put(figure, k, inputs[k].value) };
      if (!truths) return h("input", { type: "text", autocomplete: "off", spellcheck: "false", ...props });
      const words = ["", "True", "False"].map((word) => h("option", { value: word }, word || "?"));
      return /** @type {HTMLSelectElement | HTMLInputElement} */ (h("select", props, words));
    });
    const cells = inputs.map((input, k) => (labelled ? h("label", null, names[k], input) : input));
    const style = columns ? `display:grid;grid-template-columns:repeat(${columns}, minmax(0, 5.6rem))` : null;
    const grid = h("div", { class: "ak-answers", style }, cells);
    const check = attnkit.button("Check", () => figure.put({ checked: true }), { class: "ak-primary" });
    attnkit.keys(grid, { Enter: () => check.click() });
    return {
      element: h("div", null, grid, attnkit.row(check, figure.reset())),
      show(answer) {
        inputs.forEach((input, k) => {
          if (input.value !== answer[k]) input.value = String(answer[k]);
        });
      },
    };
  }

  // Words with `code` in them.
  const marked = (words) => words.split("`").map((part, k) => (k % 2 ? h("code", null, part) : part));

  // A column of buttons of which one is pressed.
  function column(figure, label, words, k) {
    const { element, show } = attnkit.choice(label, words, (chosen) => put(figure, k, chosen));
    return { element, show: (/** @type {Answer} */ answer) => show(Number(answer[k] ?? -1)) };
  }

  const GAP = "___";

  // Code in which something is to be filled in; what does not fit into a line goes on further in.
  function listing(code, holes) {
    let k = 0;
    const lines = code.split("\n").map((line) => {
      const parts = line.split(GAP).map((part, i) => (i ? [holes[k++], part] : part));
      const deep = `${line.search(/\S/) + 4}ch`;
      return h("span", { style: `display:block;padding-left:${deep};text-indent:-${deep}` }, parts);
    });
    return h("pre", null, lines);
  }

  const indent = (code, k) => /^ */.exec(code.split(GAP)[k].split("\n").pop() ?? "")?.[0] ?? "";

  // A function with gaps, and for each what could stand there.
  function gaps(figure, { code, choices }) {
    const holes = choices.map(() => h("mark"));
    const groups = choices.map((words, k) =>
      column(figure, choices.length > 1 ? `Gap ${k + 1}` : "Your choice", words, k),
    );
    return {
      element: h("div", { class: "ak-lines", translate: "no" }, listing(code, holes), groups),
      show(answer) {
        holes.forEach((hole, k) => {
          const line = answer[k] === null ? `  ${choices.length > 1 ? k + 1 : "?"}  ` : choices[k][Number(answer[k])];
          attnkit.write(hole, line.replaceAll("\n", `\n${indent(code, k)}`));
        });
        for (const group of groups) group.show(answer);
      },
    };
  }

  // Lines to press one after another; pressed again, one is taken back.
  function ordered(figure, { code, lines }) {
    const body = h("mark");
    const buttons = lines.map((line, k) =>
      attnkit.button(line, () => {
        const held = figure.get("answer");
        figure.put({ answer: held.includes(k) ? held.filter((i) => i !== k) : [...held, k] });
      }),
    );
    attnkit.walk(buttons);
    const group = h("div", { class: "ak-buttons", role: "group", "aria-label": "Lines to put in order" }, buttons);
    return {
      element: h("div", { class: "ak-lines", translate: "no" }, listing(code, [body]), group),
      show(answer) {
        attnkit.write(body, answer.map((k) => lines[Number(k)]).join(`\n${indent(code, 0)}`) || "  ?  ");
        buttons.forEach((button, k) => attnkit.attr(button, "aria-pressed", String(answer.includes(k))));
      },
    };
  }

  function choice(figure, { choices }) {
    const words = choices[0].map((offered, k) => [h("b", null, `${"abcdef"[k]}  `), marked(offered)]);
    return column(figure, "Your answer", words, 0);
  }

  // A guess: one of some, or a number.
  function guess(figure, { choices, low, high, step, digits, unit }) {
    if (choices.length) return column(figure, "Your guess", choices[0].map(marked), 0);
    const onInput = (/** @type {number} */ v) => put(figure, 0, v);
    const [name, format] = [`Your guess, ${low} to ${high}`, (/** @type {number} */ v) => fixed(v, digits) + unit];
    const slider = attnkit.slider({ name, min: low, max: high, step, format, onInput });
    // Where it stands at first is a guess, too.
    const here = () => onInput(Number(slider.input.value));
    slider.input.addEventListener("click", here);
    attnkit.keys(slider.input, { Enter: here });
    return {
      element: slider.element,
      show([value]) {
        slider.show(Number(value ?? (low + high) / 2), figure.state());
        if (value !== null) return;
        attnkit.write(slider.output, "?");
        attnkit.attr(slider.input, "aria-valuetext", "not guessed yet");
      },
    };
  }

  const SHEETS = { numbers: fields, lines: gaps, order: ordered, choice, guess };

  // ---- a guess, beside what one should have seen: in the next part of the page to be unfolded that is called so

  const SEEN = "What you should have seen";
  function guessed({ choices, right, digits, unit, within }, guess) {
    const [words, hit] = choices.length
      ? [attnkit.quoted(choices[0][Number(guess)].replaceAll("`", "")), guess === right[0]]
      : [fixed(Number(guess), digits) + unit, Math.abs(Number(guess) - right[0]) <= within];
    return `Your guess was ${words}: ${hit ? (choices.length ? "right." : "right, or near enough.") : "not so."}`;
  }

  function beside(figure, text) {
    const after = [...document.querySelectorAll("details")].filter(
      (e) => figure.element.compareDocumentPosition(e) & Node.DOCUMENT_POSITION_FOLLOWING,
    );
    const told = after.find((e) => e.querySelector("summary")?.textContent.trim().startsWith(SEEN));
    const name = figure.get("name");
    let note = told?.querySelector(`[data-ak-guess="${name}"]`);
    if (!told || !(text || note)) return;
    if (!note) {
      note = h("p", { class: "ak-guessed", "data-ak-guess": name });
      told.querySelector("summary")?.after(note);
    }
    attnkit.write(note, text);
    note.toggleAttribute("hidden", !text);
  }

  // ---- the figure

  function build(figure) {
    const { form, name } = figure.given("form", "name");
    const sheet = SHEETS[form.kind](figure, form);
    const reset = form.kind === "numbers" ? null : attnkit.row(figure.reset());
    const asks = `${form.kind === "guess" ? "Guess" : "Answer"}: ${name.split("/")[1].replaceAll("_", " ")}`;
    attnkit.attr(figure.element, "aria-label", asks);
    const again = (answer, checked) => fits(form, answer) && figure.put({ answer, checked });
    tell("asked", { name, again });
    let said = "";
    let told = JSON.stringify(figure.state());
    return {
      parts: [sheet, reset],
      update(state) {
        const { verdict, state: how } = compute({ form, ...state });
        sheet.show(state.answer);
        attnkit.attr(figure.element, "data-ak-verdict", how);
        if (verdict !== said) figure.say(verdict);
        said = verdict;
        if (form.kind === "guess") beside(figure, state.answer[0] === null ? "" : guessed(form, state.answer[0]));
        const now = JSON.stringify(state);
        const open = now === JSON.stringify(figure.get("defaults"));
        if (now !== told) tell("answer", { name, ...state, right: how === "right", open });
        told = now;
      },
    };
  }

  attnkit.register("practice", { label: "Practice", compute, build });
})(globalThis.attnkit);
