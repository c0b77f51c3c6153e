// Training, the whole of it: a small Transformer reads stories, goes back through all that it has computed, and takes a step
// that makes its loss smaller. No library is needed, only numbers and loops. From the same start and the same stories it
// comes to the same weights as torch, to the last bit: tests/figures/test_story_trainer.py compares them.
//
// Each operation gives its result, and leaves on a tape the way back through it: it takes the slopes of what came out, and
// adds to the slopes of what went in. A slope says by how much the loss grows if a number grows. After the last operation
// the ways on the tape are gone in reverse order, and then every weight has its slope.
((attnkit) => {
  "use strict";

  const EPSILON = 1e-5; // of the layer norms
  const OUTPUT_SCALE = 0.1875; // word vectors begin with numbers of size 1, too large for scores
  const GRID = 2 ** 17; // weights are multiples of 1 / GRID, as in Python: where processors differ in later digits is forgotten

  // ---- matrices: numbers row after row (v), and the slope of the loss for each of them (s)

  // Its first number lies `at` a place, the next row `down` and the next column `right` of it.
  const shaped = (rows, columns, v, s) => ({ rows, columns, v, s, at: 0, down: columns, right: 1 });
  const kept = (rows, columns) =>
    shaped(rows, columns, new Float64Array(rows * columns), new Float64Array(rows * columns));
  const transposed = (m) => ({ ...m, rows: m.columns, columns: m.rows, down: m.right, right: m.down });
  const some = (m, at, columns) => ({ ...m, at, columns }); // of its columns
  const slopes = (m) => ({ ...m, v: m.s });

  // What was computed for a story, and the ways back. The numbers of the next one lie in the same place: nothing is thrown
  // away that would have to be tidied up.
  class Tape {
    constructor() {
      this.space = new Float64Array(2 ** 19);
      this.used = 0;
      this.ways = [];
    }
    rewind() {
      this.used = 0;
      this.ways = [];
    }
    numbers(count) {
      this.used += count;
      return this.space.subarray(this.used - count, this.used).fill(0);
    }
    matrix(rows, columns) {
      return shaped(rows, columns, this.numbers(rows * columns), this.numbers(rows * columns));
    }
    push(way) {
      this.ways.push(way);
    }
    back() {
      while (this.ways.length) this.ways.pop()();
    }
  }

  // out += x w, four rows and two columns at once, which is the quickest: nearly all the time goes here.
  function addProduct({ v: out, at, down, right }, x, w) {
    const { v: a, rows, columns: inner, at: from, down: below, right: next } = x;
    const { v: b, columns, at: start, down: step, right: beside } = w;
    for (let r = 0; r < rows; r += 4)
      for (let c = 0; c < columns; c += 2) {
        // biome-ignore format: side by side; in lists, which are made anew, all would take twice as long
        let a0 = 0, a1 = 0, b0 = 0, b1 = 0, c0 = 0, c1 = 0, d0 = 0, d1 = 0;
        for (let k = 0, i = from + r * below, j = start + c * beside; k < inner; k++, i += next, j += step) {
          // biome-ignore format: likewise
          const p = b[j], q = b[j + beside], xa = a[i], xb = a[i + below], xc = a[i + 2 * below], xd = a[i + 3 * below];
          a0 += xa * p;
          a1 += xa * q;
          b0 += xb * p;
          b1 += xb * q;
          c0 += xc * p;
          c1 += xc * q;
          d0 += xd * p;
          d1 += xd * q;
        }
        const o = at + r * down + c * right;
        out[o] += a0;
        out[o + right] += a1;
        out[o + down] += b0;
        out[o + down + right] += b1;
        out[o + 2 * down] += c0;
        out[o + 2 * down + right] += c1;
        out[o + 3 * down] += d0;
        out[o + 3 * down + right] += d1;
      }
  }

  // ---- the operations

  // A row of the table for each word.
  function lookUp(tape, table, words) {
    const [out, d] = [tape.matrix(words.length, table.columns), table.columns];
    words.forEach((word, r) => {
      out.v.set(table.v.subarray(word * d, word * d + d), r * d);
    });
    tape.push(() =>
      words.forEach((word, r) => {
        for (let k = 0; k < d; k++) table.s[word * d + k] += out.s[r * d + k];
      }),
    );
    return out;
  }

  // x W, and + b if there is one.
  function linear(tape, x, w, b) {
    const out = tape.matrix(x.rows, w.columns);
    const { v, s, columns } = out;
    if (b) for (let i = 0; i < v.length; i += columns) v.set(b.v, i);
    addProduct(out, x, w);
    tape.push(() => {
      addProduct(slopes(x), slopes(out), transposed(w));
      addProduct(slopes(w), transposed(x), slopes(out));
      if (b) for (let i = 0; i < s.length; i++) b.s[i % columns] += s[i];
    });
    return out;
  }

  // Each number times a factor, which is also how much of its slope goes back.
  function times(tape, x, factor) {
    const out = tape.matrix(x.rows, x.columns);
    for (let i = 0; i < x.v.length; i++) out.v[i] = factor(x.v[i]) * x.v[i];
    tape.push(() => {
      for (let i = 0; i < x.v.length; i++) x.s[i] += factor(x.v[i]) * out.s[i];
    });
    return out;
  }
  const relu = (tape, x) => times(tape, x, (v) => (v > 0 ? 1 : 0));

  function sum(tape, x, y) {
    const out = tape.matrix(x.rows, x.columns);
    for (let i = 0; i < x.v.length; i++) out.v[i] = x.v[i] + y.v[i];
    tape.push(() => {
      for (let i = 0; i < x.v.length; i++) {
        x.s[i] += out.s[i];
        y.s[i] += out.s[i];
      }
    });
    return out;
  }

  // Each row minus its mean, divided by its spread; then a factor and a summand for each column.
  function norm(tape, x, gain, bias) {
    const [out, even] = [tape.matrix(x.rows, x.columns), tape.matrix(x.rows, x.columns)];
    const [spread, d] = [tape.numbers(x.rows), x.columns];
    for (let r = 0, i = 0; r < x.rows; r++, i += d) {
      let [mean, square] = [0, 0];
      for (let k = 0; k < d; k++) mean += x.v[i + k] / d;
      for (let k = 0; k < d; k++) square += (x.v[i + k] - mean) ** 2 / d;
      spread[r] = Math.sqrt(square + EPSILON);
      for (let k = 0; k < d; k++) {
        even.v[i + k] = (x.v[i + k] - mean) / spread[r];
        out.v[i + k] = even.v[i + k] * gain.v[k] + bias.v[k];
      }
    }
    tape.push(() => {
      for (let r = 0, i = 0; r < x.rows; r++, i += d) {
        let [mean, along] = [0, 0]; // of the slopes of the even numbers; and how far they point along these
        for (let k = 0; k < d; k++) {
          gain.s[k] += out.s[i + k] * even.v[i + k];
          bias.s[k] += out.s[i + k];
          even.s[i + k] = out.s[i + k] * gain.v[k];
          mean += even.s[i + k] / d;
          along += (even.s[i + k] * even.v[i + k]) / d;
        }
        for (let k = 0; k < d; k++) x.s[i + k] += (even.s[i + k] - mean - even.v[i + k] * along) / spread[r];
      }
    });
    return out;
  }

  // Softmax of the first numbers of a row, in place; those after them become 0.
  function softmax(row, count) {
    let [largest, total] = [-Infinity, 0];
    for (let j = 0; j < count; j++) largest = Math.max(largest, row[j]);
    for (let j = 0; j < count; j++) total += row[j] = Math.exp(row[j] - largest);
    for (let j = 0; j < row.length; j++) row[j] = j < count ? row[j] / total : 0;
  }

  // One head: each word asks itself and those before it. `far` has what is added to a score for each distance, the last for
  // none, the first for the largest; `places` says where in it this head's begin.
  function head(tape, q, k, v, out, far, places) {
    const n = q.rows; // not in a list with a root: there it would be no whole number any more, and all be half as fast
    const root = Math.sqrt(q.columns);
    const reach = far.columns - 1;
    const weights = tape.matrix(n, n); // first the scores
    const distance = (i, j) => places + reach - Math.min(reach, i - j);
    addProduct(weights, q, transposed(k));
    for (let i = 0; i < n; i++) {
      const row = weights.v.subarray(i * n, i * n + n);
      for (let j = 0; j <= i; j++) row[j] = row[j] / root + far.v[distance(i, j)];
      softmax(row, i + 1);
    }
    addProduct(out, weights, v);
    tape.push(() => {
      addProduct(slopes(weights), slopes(out), transposed(v));
      addProduct(slopes(v), transposed(weights), slopes(out));
      for (let i = 0; i < n; i++) {
        const [row, s] = [weights.v, weights.s].map((all) => all.subarray(i * n, i * n + n));
        let mean = 0;
        for (let j = 0; j <= i; j++) mean += row[j] * s[j];
        for (let j = 0; j < n; j++) s[j] = row[j] * (s[j] - mean); // now of the scores; 0 for what was not seen
        for (let j = 0; j <= i; j++) far.s[distance(i, j)] += s[j];
        for (let j = 0; j <= i; j++) s[j] /= root;
      }
      addProduct(slopes(q), slopes(weights), k);
      addProduct(slopes(k), transposed(slopes(weights)), q);
    });
    return weights;
  }

  // All heads, side by side: what each blends, and its weights.
  function attend(tape, q, k, v, far) {
    const [out, size] = [tape.matrix(q.rows, q.columns), q.columns / far.rows];
    const weights = Array.from({ length: far.rows }, (_, h) => {
      const [own, keys, values, blended] = [q, k, v, out].map((m) => some(m, h * size, size));
      return head(tape, own, keys, values, blended, far, h * far.columns);
    });
    return { out, weights };
  }

  // Cross-entropy: the sum of -log of the right words' chances, divided by `count`; the way back begins here.
  function crossEntropy(tape, scores, right, words, count) {
    let loss = 0;
    right.forEach((word, r) => {
      const [from, to] = [r * scores.columns, r * scores.columns + words];
      const chances = scores.v.slice(from, to);
      softmax(chances, words);
      loss -= Math.log(chances[word]) / count;
      tape.push(() => {
        for (let w = 0; w < words; w++) scores.s[from + w] = (chances[w] - (w === word ? 1 : 0)) / count;
      });
    });
    return loss;
  }

  // ---- the model: its weights by name, in the order in which they travel

  class Model {
    constructor({ words, width, heads, layers, hidden, reach }) {
      this.tape = new Tape();
      this.sizes = { words, width, layers };
      this.of = { embedding: kept(4 * Math.ceil(words / 4), width) }; // rows in fours; those too many stay unused
      for (let layer = 0; layer < layers; layer++) {
        const shapes = { "norm1.gain": [1, width], "norm1.bias": [1, width] };
        for (const name of ["w_query", "w_key", "w_value", "w_output"]) shapes[name] = [width, width];
        Object.assign(shapes, { bias: [heads, reach + 1], "norm2.gain": [1, width], "norm2.bias": [1, width] });
        Object.assign(shapes, { w1: [width, hidden], b1: [1, hidden], w2: [hidden, width], b2: [1, width] });
        for (const name in shapes) this.of[`layers.${layer}.${name}`] = kept(...shapes[name]);
      }
      Object.assign(this.of, { "norm.gain": kept(1, width), "norm.bias": kept(1, width) });
    }

    // Random numbers to begin with, drawn in the order in which torch draws them: word vectors of size 1, and matrices so
    // small that what goes in keeps its size (Glorot and Bengio, 2010; in the MLP He et al., 2015). Gains are 1, biases of
    // norms and of distances 0.
    begin(random, normal) {
      const { of, sizes } = this;
      const draw = (m, most) => {
        for (let r = 0; r < m.rows; r++)
          for (let c = 0; c < m.columns; c++) m.v[r * m.down + c * m.right] = most * (2 * random() - 1);
      };
      of.embedding.v.set(normal(random, sizes.words * of.embedding.columns));
      for (let layer = 0; layer < sizes.layers; layer++) {
        const w = (name) => of[`layers.${layer}.${name}`];
        for (const m of ["w_query", "w_key", "w_value", "w_output"].map(w))
          draw(m, Math.sqrt(6 / (m.rows + m.columns)));
        for (const k of [1, 2]) {
          const most = 1 / Math.sqrt(w(`w${k}`).rows);
          draw(transposed(w(`w${k}`)), most); // which torch keeps with a row for each output
          draw(w(`b${k}`), most);
        }
      }
      for (const [name, { v }] of Object.entries(of)) {
        if (name.endsWith("gain")) v.fill(1);
        for (let i = 0; i < v.length; i++) v[i] = Math.round(v[i] * GRID) / GRID;
      }
    }

    // The scores of the word after each word of a story, and the weights of all heads, layer by layer.
    read(story) {
      const { of, sizes, tape } = this;
      tape.rewind();
      const rows = [...story, 0, 0, 0].slice(0, 4 * Math.ceil(story.length / 4)); // in fours; no word looks at those
      const weights = [];
      let x = lookUp(tape, of.embedding, rows);
      for (let layer = 0; layer < sizes.layers; layer++) {
        const w = (name) => of[`layers.${layer}.${name}`];
        const items = norm(tape, x, w("norm1.gain"), w("norm1.bias"));
        const [q, k, v] = ["w_query", "w_key", "w_value"].map((name) => linear(tape, items, w(name)));
        const found = attend(tape, q, k, v, w("bias"));
        weights.push(found.weights);
        x = sum(tape, x, linear(tape, found.out, w("w_output")));
        const hidden = linear(tape, norm(tape, x, w("norm2.gain"), w("norm2.bias")), w("w1"), w("b1"));
        x = sum(tape, x, linear(tape, relu(tape, hidden), w("w2"), w("b2")));
      }
      const last = norm(tape, x, of["norm.gain"], of["norm.bias"]);
      return { scores: times(tape, linear(tape, last, transposed(of.embedding)), () => OUTPUT_SCALE), weights };
    }

    // The mean loss of the words of some stories, and the slope of it for every weight.
    slopes(stories) {
      for (const { s } of Object.values(this.of)) s.fill(0);
      const count = stories.reduce((words, story) => words + story.length - 1, 0);
      let loss = 0;
      for (const story of stories) {
        const { scores } = this.read(story.slice(0, -1));
        loss += crossEntropy(this.tape, scores, story.slice(1), this.sizes.words, count);
        this.tape.back();
      }
      return loss;
    }

    // The chances of the word after a text, and where each head looks from its last word, layer by layer.
    next(text, never = [], temperature = 1) {
      const { scores, weights } = this.read(text);
      const last = ({ v, columns }, count) => v.slice((text.length - 1) * columns, (text.length - 1) * columns + count);
      const chances = last(scores, this.sizes.words).map((score) => score / temperature);
      for (const word of never) chances[word] = -Infinity;
      softmax(chances, chances.length);
      return { chances, weights: weights.map((heads) => heads.map((head) => [...last(head, text.length)])) };
    }

    // Write on, word after word, until the end mark comes or there is no room.
    write(text, { end, never, temperature, most }, random) {
      const story = [...text];
      while (story.length < most && story[story.length - 1] !== end) {
        const [{ chances }, wanted] = [this.next(story, never, temperature), random()];
        let [word, passed] = [0, chances[0]];
        while (passed <= wanted && word < chances.length - 1) passed += chances[++word];
        story.push(word);
      }
      return story;
    }

    // The weights as they travel: those that are unused left out.
    tensors() {
      const { words, width } = this.sizes;
      const tensor = ([name, { rows, columns, v }]) => {
        if (name === "embedding") return [name, { shape: [words, width], values: v.slice(0, words * width) }];
        return [name, { shape: rows === 1 ? [columns] : [rows, columns], values: v.slice() }];
      };
      return Object.fromEntries(Object.entries(this.of).map(tensor));
    }
  }

  // ---- Adam (Kingma and Ba, 2015): each weight goes by its mean slope, divided by the usual size of its slopes. The rate
  // rises at first, and falls along a cosine; slopes are shortened where, taken together, they are longer than 1.

  class Adam {
    constructor(model, { steps, warmup, rate = 0.01, keep = [0.9, 0.98] }) {
      const averages = ({ v, s }) => ({ v, s, mean: new Float64Array(v.length), square: new Float64Array(v.length) });
      this.weights = Object.values(model.of).map(averages);
      this.step = 0;
      this.plan = { steps, warmup, rate, keep };
    }
    next() {
      const { steps, warmup, rate: most, keep } = this.plan;
      const gone = Math.max(0, (this.step - warmup) / (steps - warmup));
      const rise = ++this.step <= warmup ? this.step / warmup : (1 + Math.cos(Math.PI * gone)) / 2;
      let length = 0;
      for (const { s } of this.weights) for (let i = 0; i < s.length; i++) length += s[i] * s[i];
      const shorter = Math.min(1, 1 / (Math.sqrt(length) + 1e-6));
      const [share, squares] = keep.map((part) => 1 - part ** this.step); // of what an average that began at 0 has got
      const rate = (most * rise) / share;
      for (const { v, s, mean, square } of this.weights)
        for (let i = 0; i < v.length; i++) {
          const slope = s[i] * shorter;
          mean[i] += (1 - keep[0]) * (slope - mean[i]);
          square[i] = keep[1] * square[i] + (1 - keep[1]) * slope * slope;
          v[i] -= (rate * mean[i]) / (Math.sqrt(square[i] / squares) + 1e-8);
          v[i] = Math.round(v[i] * GRID) / GRID;
        }
    }
  }

  // What a worker gets: see `inWorker` in loading.js.
  attnkit.learner = {
    ...{ EPSILON, OUTPUT_SCALE, GRID, Tape, shaped, kept, transposed, some, slopes, addProduct },
    ...{ lookUp, linear, times, relu, sum, norm, softmax, head, attend, crossEntropy, Model, Adam },
  };
})(globalThis.attnkit);
