// The trained models that figures run (base.py names the figures), each the one twin of its model in torch, with the same
// results by the same names; tests/test_models.py compares every one. Here a result is kept by place: rows that a model
// makes place by place, or step by step, so that a word more costs its own place only.
((attnkit) => {
  "use strict";

  /** @typedef {Float64Array} Row */
  /** @typedef {Record<string, Row>} Tensors by name, rows one after the other */
  /** @typedef {"scores" | "weights"} OfHeads results with a list of numbers for each head */
  /** @typedef {"norm1" | "query" | "key" | "value" | "heads" | "attention" | "after_attention" | "norm2"} First */
  /** @typedef {First | "hidden" | "mlp" | "after_mlp"} OfRows results with a row of numbers */
  /** @typedef {Record<OfRows, Row[]> & Record<OfHeads, Matrix[]>} Block its results, place by place */
  /** @typedef {{ embedding: Row[], norm: Row[], scores: Matrix }} Ends */
  /** @typedef {{ annotations: Row[], key: Row[] }} Read of a sentence */
  /** @typedef {ReturnType<typeof nextWord>} Step */

  // Two loops do nearly all the work, several numbers at a time: a dot product, and a multiple of a row added to another.
  /** @param {ArrayLike<number>} a @param {number} i @param {ArrayLike<number>} b @param {number} j @param {number} n */
  function dot(a, i, b, j, n) {
    let [sum, more] = [0, 0];
    let k = 0;
    for (; k + 7 < n; k += 8) {
      const [p, q] = [i + k, j + k];
      sum += a[p] * b[q] + a[p + 1] * b[q + 1] + a[p + 2] * b[q + 2] + a[p + 3] * b[q + 3];
      more += a[p + 4] * b[q + 4] + a[p + 5] * b[q + 5] + a[p + 6] * b[q + 6] + a[p + 7] * b[q + 7];
    }
    sum += more;
    for (; k < n; k++) sum += a[i + k] * b[j + k];
    return sum;
  }

  /** @param {Row} out @param {number} i @param {number} factor @param {ArrayLike<number>} row @param {number} j @param {number} n */
  function add(out, i, factor, row, j, n) {
    let k = 0;
    for (; k + 3 < n; k += 4) {
      out[i + k] += factor * row[j + k];
      out[i + k + 1] += factor * row[j + k + 1];
      out[i + k + 2] += factor * row[j + k + 2];
      out[i + k + 3] += factor * row[j + k + 3];
    }
    for (; k < n; k++) out[i + k] += factor * row[j + k];
  }

  // x W + b, where W is a list of numbers, row after row.
  /** @param {Row} x @param {Row} w @param {Row} [b] */
  function product(x, w, b = new Float64Array(w.length / x.length)) {
    const out = b.slice();
    for (let i = 0; i < x.length; i++) add(out, 0, x[i], w, i * out.length, out.length);
    return out;
  }

  // W x + b.
  /** @param {Row} w @param {Row} x @param {Row} [b] */
  function layer(w, x, b = new Float64Array(w.length / x.length)) {
    const out = b.slice();
    for (let r = 0; r < out.length; r++) out[r] += dot(w, r * x.length, x, 0, x.length);
    return out;
  }

  /** @param {Row} x @param {Row} y */
  function sum(x, y) {
    const out = x.slice();
    add(out, 0, 1, y, 0, x.length);
    return out;
  }

  /** @param {Row} x @param {Row} gain @param {Row} bias @param {number} epsilon */
  function layerNorm(x, gain, bias, epsilon) {
    const mean = x.reduce((total, v) => total + v, 0) / x.length;
    const centred = x.map((v) => v - mean);
    const size = Math.sqrt(dot(centred, 0, centred, 0, x.length) / x.length + epsilon);
    return centred.map((v, k) => (v / size) * gain[k] + bias[k]);
  }

  // ---- a packed model, as bookkit/lessons/packing.py writes it

  const VERSION = 2;
  const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const SIXES = new Uint8Array(128); // what each letter stands for, by its code
  for (let k = 0; k < 64; k++) SIXES[LETTERS.charCodeAt(k)] = k;

  // The integers of a text that has six bits in each letter: each begins in one and ends in the second after it at most.
  /** @param {string} letters @param {number} count @param {number} bits */
  function integers(letters, count, bits) {
    const codes = new TextEncoder().encode(`${letters}AA`);
    const [mask, zero] = [2 ** bits - 1, 2 ** (bits - 1)];
    const out = new Int16Array(count);
    for (let k = 0; k < count; k++) {
      const i = Math.floor((k * bits) / 6);
      const three = (SIXES[codes[i]] << 12) | (SIXES[codes[i + 1]] << 6) | SIXES[codes[i + 2]];
      out[k] = ((three >> (18 - bits - ((k * bits) % 6))) & mask) - zero;
    }
    return out;
  }

  // The tensors of a packed model by name, rows one after the other; `shapes` says which there must be, null fits any
  // length. What does not fit is said.
  attnkit.unpack = (packed, shapes) => {
    const { version, bits, unit, tensors } = packed;
    if (version !== VERSION) throw new Error(`a packed model must have version ${VERSION}, got ${version}.`);
    /** @param {[name: string, wanted: Shape]} tensor @returns {[name: string, numbers: Row]} */
    const read = ([name, wanted]) => {
      if (!tensors?.[name]) throw new Error(`the packed model lacks the tensor ${name}.`);
      const { shape, steps, numbers } = tensors[name];
      if (shape.length !== wanted.length || wanted.some((side, k) => side !== null && side !== shape[k]))
        throw new Error(`the tensor ${name} must have shape (${wanted.join(", ")}), got (${shape.join(", ")}).`);
      const count = shape.reduce((all, side) => all * side, 1);
      if (steps.length !== count / shape[shape.length - 1] || numbers.length !== Math.ceil((count * bits) / 6))
        throw new Error(`the tensor ${name} has too many or too few numbers.`);
      const [found, out] = [integers(numbers, count, bits), new Float64Array(count)];
      const width = shape[shape.length - 1];
      steps.forEach((step, r) => {
        add(out, r * width, step * unit, found, r * width, width);
      });
      return [name, out];
    };
    return Object.fromEntries(Object.entries(shapes).map(read));
  };

  const UNIT = 2 ** -20;
  // The nearest whole number, of two that are equally near the even one, as numpy has it.
  /** @param {number} x */
  const even = (x) => (Math.abs(x % 1) === 0.5 ? 2 * Math.round(x / 2) : Math.round(x));

  // Integers as text, their bits in a row, six to a letter.
  /** @param {number[]} codes @param {number} bits */
  function spelt(codes, bits) {
    let [text, held, count] = ["", 0, 0];
    for (const code of codes) {
      [held, count] = [(held << bits) | code, count + bits];
      for (; count >= 6; count -= 6) text += LETTERS[(held >> (count - 6)) & 63];
      held &= 2 ** count - 1;
    }
    return count ? text + LETTERS[(held << (6 - count)) & 63] : text;
  }

  // The twin of `pack` in bookkit/lessons/packing.py.
  attnkit.pack = (tensors, bits, about) => {
    const largest = 2 ** (bits - 1) - 1;
    /** @param {[name: string, tensor: Tensor]} tensor @returns {[name: string, packed: Packed["tensors"][string]]} */
    const packed = ([name, { shape, values }]) => {
      const [width, steps] = [shape[shape.length - 1], /** @type {number[]} */ ([])];
      for (let k = 0; k < values.length; k += width) {
        const most = Math.max(...values.subarray(k, k + width).map(Math.abs));
        steps.push(Math.max(Math.ceil(most / (largest * UNIT)), 2 ** bits));
      }
      const codes = Array.from(values, (v, k) => even(v / (steps[Math.floor(k / width)] * UNIT)) + largest + 1);
      return [name, { shape, steps, numbers: spelt(codes, bits) }];
    };
    return {
      ...about,
      version: VERSION,
      bits,
      unit: UNIT,
      tensors: Object.fromEntries(Object.entries(tensors).map(packed)),
    };
  };

  // ---- a model that a reader has trained: kept in this browser, for all pages of the book

  const OWN = "attention-step-by-step/mine";
  /** @type {PackedDecoder & Trained | null | undefined} */
  let own;
  attnkit.mine = () => {
    if (own !== undefined) return own;
    try {
      own = JSON.parse(localStorage.getItem(OWN) ?? "null");
      if (own) attnkit.decoder(own);
    } catch {
      own = null; // none may be kept here, or somebody has changed it
    }
    return own ?? null;
  };
  // Let it be this one, or none. The figures of the page are told, and whether the browser keeps it.
  attnkit.keep = (model) => {
    own = model;
    let kept = true;
    try {
      if (model) localStorage.setItem(OWN, JSON.stringify(model));
      else localStorage.removeItem(OWN);
    } catch {
      kept = false;
    }
    document.dispatchEvent(new CustomEvent("ak-mine", { detail: kept }));
  };

  // ---- a decoder: word vectors, blocks of attention and MLP, scores of the next word

  /** @param {PackedDecoder} packedDecoder */
  function decoderShapes({ words, width, num_heads, num_layers, hidden }) {
    const [vector, square] = [[width], [width, width]];
    /** @type {Record<string, Shape>} */
    const block = {
      ...{ "norm1.gain": vector, "norm1.bias": vector, "norm2.gain": vector, "norm2.bias": vector },
      ...{ w_query: square, w_key: square, w_value: square, w_output: square, bias: [num_heads, null] },
      ...{ w1: [width, hidden], b1: [hidden], w2: [hidden, width], b2: vector },
    };
    /** @type {Record<string, Shape>} */
    const shapes = { embedding: [words.length, width], "norm.gain": vector, "norm.bias": vector };
    for (let k = 0; k < num_layers; k++)
      for (const [name, shape] of Object.entries(block)) shapes[`layers.${k}.${name}`] = shape;
    return shapes;
  }

  // What is set to zero in each block to take a part out, from which layer on and from which head on: the twin of TAKEN_OUT
  // in bookkit/lessons/storyteller.py. Without the mask no weight is another one.
  /** @type {Record<string, [names: string[], layer: number, head: number]>} */
  const TAKEN_OUT = {
    positions: [["bias"], 0, 0],
    heads: [["w_output"], 0, 1],
    layers: [["w_output", "w2", "b2"], 1, 0],
    mlps: [["w2", "b2"], 0, 0],
    attention: [["w_output"], 0, 0],
    scores: [["w_query", "bias"], 0, 0],
    mask: [[], 0, 0],
  };

  /** @param {Tensors} of @param {PackedDecoder} packedDecoder @param {string} part */
  function takeOut(of, { num_layers, num_heads }, part) {
    const [names, layer, head] = TAKEN_OUT[part];
    for (let k = layer; k < num_layers; k++)
      for (const rows of names.map((name) => of[`layers.${k}.${name}`])) rows.fill(0, (head * rows.length) / num_heads);
  }

  /** @type {(keyof Block)[]} */
  const BLOCK = ["norm1", "query", "key", "value", "scores", "weights", "heads", "attention", "after_attention"];
  BLOCK.push("norm2", "hidden", "mlp", "after_mlp");
  /** @template R @param {(keyof R)[]} names @returns {R} */
  const places = (names) => /** @type {R} */ (Object.fromEntries(names.map((name) => [name, []])));

  // A block, with its results place by place.
  class DecoderBlock {
    /** @param {Tensors} of @param {PackedDecoder} packed */
    constructor(of, packed) {
      this.of = of;
      this.packed = packed;
      /** @type {Block} */
      this.found = places(BLOCK);
    }
    // What the heads have blended at place i, which sees `count` places.
    /** @param {number} i @param {number} count */
    attend(i, count) {
      const { of, found, packed } = this;
      const { width, num_heads, attention } = packed;
      const size = width / num_heads;
      const reach = of.bias.length / num_heads - 1;
      const heads = new Float64Array(width);
      found.scores[i] = Array.from({ length: num_heads }, (_, h) =>
        Array.from({ length: count }, (_, j) => {
          if (attention === "uniform") return 0;
          const match = dot(found.query[i], h * size, found.key[j], h * size, size) / Math.sqrt(size);
          return j > i ? match : match + of.bias[h * (reach + 1) + reach - Math.min(reach, i - j)];
        }),
      );
      found.weights[i] = found.scores[i].map(attnkit.softmax);
      found.weights[i].forEach((weights, h) => {
        weights.forEach((weight, j) => {
          add(heads, h * size, weight, found.value[j], h * size, size);
        });
      });
      return heads;
    }
    /** @param {"norm1" | "norm2"} name @param {Row} x */
    normed(name, x) {
      return layerNorm(x, this.of[`${name}.gain`], this.of[`${name}.bias`], this.packed.epsilon);
    }
    // At place i: first what it asks and what it offers,
    /** @param {Row} x @param {number} i */
    enter(x, i) {
      const { of, found } = this;
      found.norm1[i] = this.normed("norm1", x);
      for (const role of /** @type {const} */ (["query", "key", "value"]))
        found[role][i] = product(found.norm1[i], of[`w_${role}`]);
    }
    // and when all the places that it sees have done so, the rest; the last result is what goes on. `moved` stands for what
    // a head has blended, or the MLP adds.
    /** @param {Row} x @param {number} i @param {number} count @param {Moved[]} moved */
    leave(x, i, count, moved) {
      const { of, found } = this;
      found.heads[i] = this.attend(i, count);
      for (const { part, vector } of moved) if (part !== "mlp") found.heads[i].set(vector, part * vector.length);
      found.attention[i] = product(found.heads[i], of.w_output);
      found.after_attention[i] = sum(x, found.attention[i]);
      found.norm2[i] = this.normed("norm2", found.after_attention[i]);
      found.hidden[i] = product(found.norm2[i], of.w1, of.b1).map((v) => Math.max(v, 0));
      const mlp = moved.find(({ part }) => part === "mlp")?.vector ?? product(found.hidden[i], of.w2, of.b2);
      found.mlp[i] = Float64Array.from(mlp);
      found.after_mlp[i] = sum(found.after_attention[i], found.mlp[i]);
    }
    // At the places from one on; what is moved stands at the last one.
    /** @param {Row[]} rows @param {number} from @param {number} all @param {boolean} masked @param {Moved[]} moved */
    across(rows, from, all, masked, moved) {
      for (let i = from; i < all; i++) this.enter(rows[i], i);
      for (let i = from; i < all; i++) this.leave(rows[i], i, masked ? i + 1 : all, i === all - 1 ? moved : []);
      return this.found.after_mlp;
    }
  }

  /** @param {ArrayLike<number>} numbers */
  const mean = (numbers) => Array.from(numbers).reduce((total, v) => total + v, 0) / numbers.length;

  // What each part adds to the score of one word less that of another at the last place. The last norm divides by a size;
  // it is held, so that the parts add up.
  /** @param {PackedDecoder} packed @param {Tensors} of @param {Decoded} traced @param {number} word @param {number} other @returns {Contribution[]} */
  function adding({ width, num_heads, num_layers, epsilon, output_scale }, of, traced, word, other) {
    const i = traced.scores.length - 1;
    const last = traced[`layers.${num_layers - 1}.after_mlp`][i];
    const middle = mean(last);
    const spread = Math.sqrt(mean(last.map((v) => (v - middle) ** 2)) + epsilon);
    const table = [word, other].map((w) => of.embedding.subarray(w * width, (w + 1) * width));
    const towards = table[0].map((v, k) => output_scale * (v - table[1][k]));
    const weighed = towards.map((v, k) => (v * of["norm.gain"][k]) / spread);
    /** @param {number} layer @param {Contribution["part"]} part @param {Row} vector @returns {Contribution} */
    const one = (layer, part, vector) => {
      const centre = mean(vector);
      return { layer, part, adds: weighed.reduce((total, v, k) => total + v * (vector[k] - centre), 0) };
    };
    /** @param {number} layer @param {number} head */
    const blended = (layer, head) => {
      const own = traced[`layers.${layer}.heads`][i].map((v, k) =>
        Math.floor((k * num_heads) / width) === head ? v : 0,
      );
      return one(layer, head, product(own, of[`layers.${layer}.w_output`]));
    };
    const parts = Array.from({ length: num_layers }, (_, layer) => [
      ...Array.from({ length: num_heads }, (_, head) => blended(layer, head)),
      one(layer, "mlp", traced[`layers.${layer}.mlp`][i]),
    ]);
    const bias = towards.reduce((total, v, k) => total + v * of["norm.bias"][k], 0);
    return [one(-1, "embedding", traced.embedding[i]), ...parts.flat(), { layer: -1, part: "bias", adds: bias }];
  }

  // The tensors whose names begin so, by the rest of their names.
  /** @param {Tensors} of @param {string} start @returns {Tensors} */
  function under(of, start) {
    const own = Object.entries(of).filter(([name]) => name.startsWith(start));
    return Object.fromEntries(own.map(([name, tensor]) => [name.slice(start.length), tensor]));
  }

  // A model that reads words: `trace` gives, for the numbers of some words, every result by name, a row for each place
  // (of scores and weights a list for each head; what a head has of a row stands beside what the next one has). It keeps
  // what it has read: a text that begins like the last one costs its new words only. A part can be taken out; without the
  // mask each word sees all others, and nothing is kept.
  attnkit.decoder = (packed, without) => {
    const { width, num_layers, words, epsilon, output_scale } = packed;
    const of = attnkit.unpack(packed, decoderShapes(packed));
    const masked = without !== "mask";
    if (without) takeOut(of, packed, without);
    const blocks = Array.from({ length: num_layers }, (_, k) => new DecoderBlock(under(of, `layers.${k}.`), packed));
    /** @type {Ends} */
    const ends = places(["embedding", "norm", "scores"]);
    const named = blocks.flatMap(({ found }, k) => BLOCK.map((name) => [`layers.${k}.${name}`, found[name]]));
    const results = /** @type {[string, unknown[]][]} */ ([...Object.entries(ends), ...named]);
    /** @type {number[]} */
    let known = [];
    /** @param {Row} x */
    const ending = (x) => layerNorm(x, of["norm.gain"], of["norm.bias"], epsilon);
    /** @param {Row} norm */
    const scored = (norm) => words.map((_, w) => output_scale * dot(norm, 0, of.embedding, w * width, width));
    // Reads the words from a place on, layer by layer.
    /** @param {number[]} numbers @param {number} from @param {Moved[]} moved */
    function read(numbers, from, moved) {
      const all = numbers.length;
      for (let i = from; i < all; i++)
        ends.embedding[i] = of.embedding.slice(numbers[i] * width, (numbers[i] + 1) * width);
      let rows = ends.embedding;
      blocks.forEach((block, k) => {
        rows = block.across(
          rows,
          from,
          all,
          masked,
          moved.filter(({ layer }) => layer === k),
        );
      });
      for (let i = from; i < all; i++) {
        ends.norm[i] = ending(rows[i]);
        ends.scores[i] = scored(ends.norm[i]);
      }
    }
    /** @param {number[]} numbers @param {Moved[]} [moved] */
    function trace(numbers, moved = []) {
      const first = masked ? numbers.findIndex((word, place) => word !== known[place]) : 0;
      if (first >= 0) read(numbers, first, []);
      known = [...numbers, ...(first < 0 ? known.slice(numbers.length) : [])];
      if (moved.length) {
        // The last place is read with parts of another run; it is forgotten afterwards.
        read(numbers, masked ? numbers.length - 1 : 0, moved);
        known = numbers.slice(0, -1);
      }
      const now = Object.fromEntries(results.map(([name, rows]) => [name, rows.slice(0, numbers.length)]));
      return /** @type {Decoded} */ (now);
    }
    /** @type {Decoder["contributions"]} */
    const contributions = (traced, word, other) => adding(packed, of, traced, word, other);
    return { trace, contributions, tensors: of, soFar: (x) => scored(ending(x)) };
  };

  // ---- the next word; `never` are the words that are not chosen

  // The words that may be drawn, in the order of the vocabulary, and the shares of the chances that they have.
  /** @param {number[]} scores @param {number[]} order @param {number} temperature @param {number|null} most */
  function drawable(scores, order, temperature, most) {
    // As in Python: of such scores no word can be chosen.
    if (order.some((word) => Number.isNaN(scores[word]) || scores[word] === Infinity))
      throw new RangeError("each score must be a number or minus infinity");
    if (order.every((word) => scores[word] === -Infinity))
      throw new RangeError("no word may come: every score is minus infinity");
    const kept = order.slice(0, temperature === 0 ? 1 : (most ?? order.length)).sort((a, b) => a - b);
    const shares = kept.map((word) => Math.exp((scores[word] - scores[order[0]]) / (temperature || 1)));
    return { kept, shares, total: shares.reduce((sum, share) => sum + share, 0) };
  }

  attnkit.chances = (scores, order, temperature, most) => {
    const { kept, shares, total } = drawable(scores, order, temperature, most);
    const chances = scores.map(() => 0);
    kept.forEach((word, k) => {
      chances[word] = shares[k] / total;
    });
    return chances;
  };

  // The first word up to which the shares add up to more than a random part of them all.
  attnkit.chosen = (scores, order, temperature, most, random) => {
    const { kept, shares, total } = drawable(scores, order, temperature, most);
    let sum = 0;
    const found = kept.find((_, k) => {
      sum += shares[k];
      return sum > random * total;
    });
    return found ?? kept[kept.length - 1];
  };

  // The random number of a seed at a place, counted from 0.
  attnkit.random = (seed, place) => {
    const number = attnkit.xorshift(seed);
    for (let k = 0; k < place; k++) number();
    return number();
  };

  // ---- a recurrent translator with additive attention; its matrices have a row for each output

  /** @param {PackedTranslator} packedTranslator @returns {Record<string, Shape>} */
  function translatorShapes({ source_words, target_words, width, states }) {
    const [wide, narrow] = [width, width - 2 * states];
    /** @param {string} part @param {number} given @param {number} kept @returns {Record<string, Shape>} */
    const cell = (part, given, kept) => ({
      ...{ [`${part}.w_input`]: [3 * kept, given], [`${part}.w_state`]: [3 * kept, kept] },
      ...{ [`${part}.b_input`]: [3 * kept], [`${part}.b_state`]: [3 * kept] },
    });
    return {
      ...{ source_embedding: [source_words.length, narrow], target_embedding: [target_words.length, wide] },
      ...{ ...cell("forwards", narrow, states), ...cell("backwards", narrow, states) },
      ...{ ...cell("decoder", 2 * wide, wide), initial_state: [wide], v: [wide] },
      ...{ w_query: [wide, wide], w_key: [wide, wide] },
      ...{ readout: [target_words.length, 3 * wide], b_readout: [target_words.length] },
    };
  }

  /** @param {number} v */
  const sigmoid = (v) => (1 + Math.tanh(v / 2)) / 2;
  /** @param {Row[]} parts */
  const joined = (...parts) => Float64Array.from(parts.flatMap((part) => [...part]));

  // One step of a gated recurrent unit: rows of weights for the reset gate, the update gate and the new state.
  /** @param {Tensors} of @param {string} part @param {Row} x @param {Row} state */
  function gru(of, part, x, state) {
    const n = state.length;
    const given = layer(of[`${part}.w_input`], x, of[`${part}.b_input`]);
    const kept = layer(of[`${part}.w_state`], state, of[`${part}.b_state`]);
    return state.map((old, k) => {
      const reset = sigmoid(given[k] + kept[k]);
      const update = sigmoid(given[n + k] + kept[n + k]);
      return (1 - update) * Math.tanh(given[2 * n + k] + reset * kept[2 * n + k]) + update * old;
    });
  }

  // The annotations of words, an embedding each: both states of the encoder, and the word itself.
  /** @param {Tensors} of @param {Row[]} words @param {number} states */
  function annotate(of, words, states) {
    /** @param {string} part @param {number[]} order */
    const along = (part, order) => {
      /** @type {Row[]} */
      const found = [];
      let state = new Float64Array(states);
      for (const i of order) {
        state = gru(of, part, words[i], state);
        found[i] = state;
      }
      return found;
    };
    const places = words.map((_, i) => i);
    const [before, after] = [along("forwards", places), along("backwards", [...places].reverse())];
    return words.map((word, i) => joined(before[i], after[i], word));
  }

  // One word more of a translation: the decoder's results at this step, by name; `put` stands there whatever is likeliest.
  /** @param {Tensors} of @param {Read} read @param {Row} word @param {Row} state @param {number | undefined} put */
  function nextWord(of, { annotations, key }, word, state, put) {
    const query = layer(of.w_query, state);
    const compared = key.map((one) => of.v.reduce((total, v, k) => total + v * Math.tanh(query[k] + one[k]), 0));
    const weights = attnkit.softmax(compared);
    const blend = new Float64Array(state.length);
    weights.forEach((weight, j) => {
      add(blend, 0, weight, annotations[j], 0, blend.length);
    });
    const now = gru(of, "decoder", joined(word, blend), state);
    const scores = [...layer(of.readout, joined(now, blend, word), of.b_readout)];
    const chances = attnkit.softmax(scores);
    const words = put ?? attnkit.argmax(chances);
    return { query, "attention.scores": compared, weights, blend, state: now, scores, chances, words };
  }

  /** @type {(keyof Step)[]} */
  const STEP = ["query", "attention.scores", "weights", "blend", "state", "scores", "chances", "words"];

  // A translator: `trace` gives, for the numbers of a sentence, every result of its first steps, at most `count`, by name,
  // a row for each word or step; the last step is that of <end>. It keeps what it has read and written: a word more of
  // the same sentence costs its own step only. What is `put` at a step stands there; what came after another is forgotten.
  attnkit.translator = (packed) => {
    const { width, states, target_words } = packed;
    const of = attnkit.unpack(packed, translatorShapes(packed));
    /** @param {string} name @param {number} n @param {number} size */
    const row = (name, n, size) => of[name].slice(n * size, (n + 1) * size);
    const [start, end] = ["<start>", "<end>"].map((mark) => target_words.indexOf(mark));
    let known = /** @type {ReturnType<typeof read> | null} */ (null);
    /** @param {number[]} numbers */
    function read(numbers) {
      const words = numbers.map((n) => row("source_embedding", n, width - 2 * states));
      const annotations = annotate(of, words, states);
      const key = annotations.map((one) => layer(of.w_key, one));
      return { read: String(numbers), annotations, key, steps: /** @type {Step[]} */ ([]) };
    }
    /** @param {number[]} numbers @param {number} count @param {Record<number, number>} [put] */
    function trace(numbers, count, put = {}) {
      if (String(numbers) !== known?.read) known = read(numbers);
      const { steps, annotations, key } = known;
      const other = steps.findIndex(({ words, chances }, i) => words !== (put[i] ?? attnkit.argmax(chances)));
      if (other >= 0) steps.length = other;
      while (steps.length < count && steps[steps.length - 1]?.words !== end) {
        const { words, state } = steps[steps.length - 1] ?? { words: start, state: of.initial_state };
        steps.push(nextWord(of, known, row("target_embedding", words, width), state, put[steps.length]));
      }
      const shown = steps.slice(0, count);
      const named = STEP.map((name) => [name, shown.map((step) => step[name])]);
      return { annotations, key, ...Object.fromEntries(named) };
    }
    return { trace };
  };
})(globalThis.attnkit);
