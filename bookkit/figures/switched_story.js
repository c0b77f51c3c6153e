// A trained Transformer writes a story, and the same story with one of its parts taken out.
((attnkit) => {
  "use strict";
  const { h, quoted, write } = attnkit;

  /** @typedef {{ part: number, seed: number }} State */
  /** @typedef {{ packed: PackedDecoder, parts: [name: string, words: string][], prompt: string, temperature: number, opening: number[][] }} Given */
  /** @typedef {ReturnType<typeof writing>} Writing */

  const TOLD = 6; // words that are told from the first difference on
  const [START, END] = ["<start>", "<end>"];

  // ---- the arithmetic, compared with SwitchedStory by tests/figures/

  // The stories as far as they are written: `more` adds a word to that of a part and a seed, and says whether it could.
  function writing({ packed, parts, prompt, temperature }) {
    const { words, context } = packed;
    const never = ["<pad>", START].map((word) => words.indexOf(word));
    const given = [START, ...prompt.split(" ").filter(Boolean)].map((word) => words.indexOf(word));
    const models = /** @type {Decoder[]} */ ([]);
    const stories = /** @type {Map<string, number[]>} */ (new Map());
    const put = ({ part, seed }, numbers) => stories.set(`${part} ${seed}`, numbers);
    const at = ({ part, seed }) => stories.get(`${part} ${seed}`) ?? given;
    const ended = (state) => at(state).length === context || words[at(state)[at(state).length - 1]] === END;
    function more(state) {
      if (ended(state)) return false;
      const { part, seed } = state;
      models[part] ??= attnkit.decoder(packed, part ? parts[part][0] : undefined);
      const numbers = at(state);
      const scores = models[part].trace(numbers).scores[numbers.length - 1];
      const random = attnkit.random(seed, numbers.length - given.length);
      const order = attnkit.ranked(scores, never);
      put(state, [...numbers, attnkit.chosen(scores, order, temperature, null, random)]);
      return true;
    }
    function told(state) {
      const [, ...numbers] = at(state);
      return { words: numbers.map((number) => words[number]), ended: ended(state) };
    }
    return { put, at, more, told };
  }

  /** @param {Given & State} state */
  function compute({ part, seed, ...given }) {
    const stories = writing(given);
    return [0, part].map((one) => {
      while (stories.more({ part: one, seed }));
      return stories.at({ part: one, seed });
    });
  }

  // ---- in words

  const sentence = (words) => words.join(" ").replace(/ \./g, ".");
  const plain = (words) => words.filter((word) => word !== END);

  // What was taken out, and where the second story leaves the first.
  function standing(all, changed, part) {
    const [whole, other] = [plain(all), plain(changed)];
    const differs = whole.findIndex((word, k) => word !== other[k]);
    const same = differs < 0 ? whole.length : differs;
    const [next, rest] = [other.slice(same, same + TOLD), other.length > same + TOLD ? " …" : ""];
    const begins = `Taken out: ${part}.`;
    if (!other.length) return `${begins} It ends before the first word.`;
    if (same === whole.length && !next.length) return `${begins} All ${same} words are the same.`;
    const common = same === 0 ? "From the first word on:" : `The same ${same === 1 ? "word" : `${same} words`}, then`;
    return `${begins} ${common} ${next.length ? quoted(sentence(next) + rest) : "it ends"}.`;
  }

  // ---- what is drawn

  // A story under its title; where it is not the other one, its words are marked, those that follow one another together.
  function paragraph() {
    const [title, text] = [h("p", { class: "ak-small" }), h("p", { class: "ak-story" })];
    function show(name, { words, ended }, like) {
      write(title, name);
      const runs = /** @type {{ differs: boolean, words: string[] }[]} */ ([]);
      words.forEach((word, k) => {
        const differs = word !== like[k];
        if (word === END && k) return; // only a story without words shows that it ends
        if (runs[runs.length - 1]?.differs !== differs) runs.push({ differs, words: [] });
        runs[runs.length - 1].words.push(word);
      });
      const nodes = runs.flatMap(({ differs, words: some }, k) => [
        k && some[0] !== "." ? " " : "",
        differs ? h("mark", null, sentence(some)) : sentence(some),
      ]);
      text.replaceChildren(...nodes, ended && words[words.length - 1] !== END ? " …" : "");
    }
    return { element: h("div", null, title, text), show };
  }

  // Both stories grow word by word until they have ended; for who asks for less motion they are there at once.
  function growing(stories, state, show) {
    const wanted = () => [{ ...state(), part: 0 }, state()];
    // Each of the two goes on.
    const more = () => wanted().filter(stories.more).length > 0;
    const frames = attnkit.clock(() => {
      if (!more()) frames.halt();
      show();
    });
    function go() {
      frames.halt();
      if (attnkit.calm()) while (more());
      if (wanted().every((one) => stories.told(one).ended)) show();
      else frames.start();
    }
    return { go, frames };
  }

  function build(figure) {
    const { opening, parts, ...given } = figure.given("packed", "parts", "prompt", "temperature", "opening");
    const stories = writing({ ...given, parts });
    opening.forEach((numbers, k) => stories.put({ ...figure.get("defaults"), ...(k ? {} : { part: 0 }) }, numbers));
    const [above, below] = [paragraph(), paragraph()];
    const { go, frames } = growing(stories, () => figure.state(), show);
    function show() {
      const { part, seed } = figure.state();
      const [whole, other] = [0, part].map((one) => stories.told({ part: one, seed }));
      const name = parts[part][1];
      above.show("The whole model", whole, whole.words);
      below.show(part ? `Taken out: ${name}` : "", part ? other : { words: [], ended: false }, whole.words);
      if (frames.runs()) figure.say(`${part ? `Taken out: ${name}. ` : ""}The model writes.`);
      else if (part) figure.say(standing(whole.words, other.words, name));
      else figure.say(`Nothing is taken out: ${plain(whole.words).length} words. Take a part out.`);
    }
    const another = figure.button("Write another", ({ seed }) => ({ seed: (seed + 1) % 10_000 }));
    another.classList.add("ak-primary");
    // The machine, drawn of its switches: what is taken out is struck out.
    const machine = figure.choice({ label: "Take out", words: parts.map(([, words]) => words), trait: "part" });
    machine.element.classList.add("ak-machine");
    return { parts: [machine, above, below, attnkit.row(another, figure.reset())], update: go, stop: frames.halt };
  }

  attnkit.register("switched_story", { label: "A story, and the same with a part taken out", compute, build });
})(globalThis.attnkit);
