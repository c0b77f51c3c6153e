// What the figures share that run a trained model (base.py names them). The arithmetic of a Transformer: matrix product,
// layer norm, attention with a cache of keys and values, and the choice of the next word; that of a recurrent translator:
// gated units, additive attention.
((attnkit) => {
  "use strict";

  // Two loops do nearly all the work, several numbers at a time: a dot product, and a multiple of a row added to another.
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
  function product(x, w, b = new Float64Array(w.length / x.length)) {
    const out = b.slice();
    for (let i = 0; i < x.length; i++) add(out, 0, x[i], w, i * out.length, out.length);
    return out;
  }

  function layerNorm(x, gain, bias, epsilon) {
    const mean = x.reduce((sum, v) => sum + v, 0) / x.length;
    const centred = x.map((v) => v - mean);
    const size = Math.sqrt(dot(centred, 0, centred, 0, x.length) / x.length + epsilon);
    return centred.map((v, k) => (v / size) * gain[k] + bias[k]);
  }

  // A packed tensor as numbers, row after row: integers of a byte, times the step of their row, times the unit.
  function unpacked({ steps, bytes }, unit) {
    const integers = new Int8Array(Uint8Array.from(atob(bytes), (c) => c.charCodeAt(0)).buffer);
    const width = integers.length / steps.length;
    const out = new Float64Array(integers.length);
    steps.forEach((step, r) => {
      add(out, r * width, step * unit, integers, r * width, width);
    });
    return out;
  }

  // The weights of each head at place i, and what the heads read, side by side. Keys and values of the places before
  // are kept, and so are the weights: in `maps`, by place and head.
  function attend(layer, query, i, { width, num_heads, attention }) {
    const size = width / num_heads;
    const reach = layer.bias.length / num_heads - 1;
    const out = new Float64Array(width);
    layer.maps[i] = Array.from({ length: num_heads }, (_, h) => {
      const scores = Array.from({ length: i + 1 }, (_, j) => {
        if (attention === "uniform") return 0;
        const match = dot(query, h * size, layer.keys, j * width + h * size, size) / Math.sqrt(size);
        return match + layer.bias[h * (reach + 1) + reach - Math.min(reach, i - j)];
      });
      const weights = attnkit.softmax(scores);
      weights.forEach((weight, j) => {
        add(out, h * size, weight, layer.values, j * width + h * size, size);
      });
      return weights;
    });
    return out;
  }

  // One layer at place i: x plus what attention reads, plus what the small network makes of it.
  function through(layer, x, i, packed) {
    const a = layerNorm(x, layer["norm1.gain"], layer["norm1.bias"], packed.epsilon);
    layer.keys.set(product(a, layer.w_key), i * packed.width);
    layer.values.set(product(a, layer.w_value), i * packed.width);
    const read = attend(layer, product(a, layer.w_query), i, packed);
    const middle = x.slice();
    add(middle, 0, 1, product(read, layer.w_output), 0, x.length);
    const b = layerNorm(middle, layer["norm2.gain"], layer["norm2.bias"], packed.epsilon);
    const hidden = product(b, layer.w1, layer.b1).map((v) => Math.max(v, 0));
    add(middle, 0, 1, product(hidden, layer.w2, layer.b2), 0, x.length);
    return middle;
  }

  // A model that reads words. It keeps what it has read: a text that begins like the last one costs its new words only.
  attnkit.transformer = (packed) => {
    const { width, num_layers, context, words } = packed;
    const tensors = Object.entries(packed.tensors).map(([name, tensor]) => [name, unpacked(tensor, packed.unit)]);
    const of = Object.fromEntries(tensors);
    const layers = Array.from({ length: num_layers }, (_, k) => {
      const start = `layers.${k}.`;
      const own = tensors.filter(([name]) => name.startsWith(start)).map(([name, v]) => [name.slice(start.length), v]);
      const [keys, values] = [new Float64Array(context * width), new Float64Array(context * width)];
      return { ...Object.fromEntries(own), keys, values, maps: [] };
    });
    const known = []; // the words that have been read, and what came out of the layers at each
    const outputs = [];
    function read(numbers) {
      let i = numbers.findIndex((word, place) => word !== known[place]);
      if (i < 0) i = numbers.length;
      for (; i < numbers.length; i++) {
        const word = numbers[i];
        const x = of.embedding.slice(word * width, (word + 1) * width);
        outputs[i] = layers.reduce((rows, layer) => through(layer, rows, i, packed), x);
        known[i] = word;
      }
      known.length = numbers.length;
      const last = layerNorm(outputs[known.length - 1], of["norm.gain"], of["norm.bias"], packed.epsilon);
      const scores = words.map((_, word) => packed.output_scale * dot(last, 0, of.embedding, word * width, width));
      return { scores, weights: layers.map(({ maps }) => maps.slice(0, known.length)) }; // by layer, place and head
    }
    return { read };
  };

  // ---- the next word; `never` are the words that are not chosen

  // The highest score first; of equals the first in the vocabulary, as a sort keeps the order of equals.
  attnkit.ranked = (scores, never) => {
    const order = scores.map((_, word) => word).filter((word) => !never.includes(word));
    return order.sort((a, b) => scores[b] - scores[a]);
  };

  // The words that may be drawn, in the order of the vocabulary, and the shares of the chances that they have.
  function drawable(scores, order, temperature, most) {
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

  const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const INTEGERS = new Int8Array(128); // what each letter stands for, by its code
  for (let k = 0; k < 64; k++) INTEGERS[LETTERS.charCodeAt(k)] = k - 32;

  // A packed tensor as numbers, row after row: integers of a letter, times the step of their row, times the unit.
  function spelt({ steps, letters }, unit) {
    const codes = new TextEncoder().encode(letters);
    const integers = new Int8Array(codes.length);
    for (let k = 0; k < codes.length; k += 4) {
      integers[k] = INTEGERS[codes[k]];
      integers[k + 1] = INTEGERS[codes[k + 1]];
      integers[k + 2] = INTEGERS[codes[k + 2]]; // what is beyond the end is lost
      integers[k + 3] = INTEGERS[codes[k + 3]];
    }
    const width = codes.length / steps.length;
    const out = new Float64Array(codes.length);
    steps.forEach((step, r) => {
      add(out, r * width, step * unit, integers, r * width, width);
    });
    return out;
  }

  // W x + b.
  function layer(w, x, b = new Float64Array(w.length / x.length)) {
    const out = b.slice();
    for (let r = 0; r < out.length; r++) out[r] += dot(w, r * x.length, x, 0, x.length);
    return out;
  }

  const sigmoid = (v) => (1 + Math.tanh(v / 2)) / 2;
  const joined = (...parts) => Float64Array.from(parts.flatMap((part) => [...part]));

  // One step of a gated recurrent unit: rows of weights for the reset gate, the update gate and the new state.
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
  function annotate(of, words, states) {
    const along = (part, order) => {
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

  // One word more of a translation: where the model looks, the chance of each word, its new state.
  function nextWord(of, { annotations, keys }, word, state) {
    const query = layer(of.w_query, state);
    const scores = keys.map((key) => of.v.reduce((sum, v, k) => sum + v * Math.tanh(query[k] + key[k]), 0));
    const weights = attnkit.softmax(scores);
    const blend = new Float64Array(state.length);
    weights.forEach((weight, j) => {
      add(blend, 0, weight, annotations[j], 0, blend.length);
    });
    const now = gru(of, "decoder", joined(word, blend), state);
    const chances = attnkit.softmax([...layer(of.readout, joined(now, blend, word), of.b_readout)]);
    return { weights, chances, state: now, word: chances.indexOf(Math.max(...chances)) };
  }

  // A translator that keeps what it has read and written: a word more of the same sentence costs its own step only.
  attnkit.translator = (packed) => {
    const { width, states, source_words, target_words } = packed;
    const entries = Object.entries(packed.tensors).map(([name, tensor]) => [name, spelt(tensor, packed.unit)]);
    const of = Object.fromEntries(entries);
    const row = (name, n, size) => of[name].slice(n * size, (n + 1) * size);
    const [start, end] = ["<start>", "<end>"].map((mark) => target_words.indexOf(mark));
    let known = { sentence: null };
    function read(sentence) {
      const numbers = sentence.split(" ").map((word) => source_words.indexOf(word));
      const words = numbers.map((n) => row("source_embedding", n, width - 2 * states));
      const annotations = annotate(of, words, states);
      return { sentence, annotations, keys: annotations.map((one) => layer(of.w_key, one)), steps: [] };
    }
    // The first steps of a translation, at most `count`; the last one is for <end>.
    function write(sentence, count) {
      if (sentence !== known.sentence) known = read(sentence);
      const { steps } = known;
      while (steps.length < count && steps[steps.length - 1]?.word !== end) {
        const { word, state } = steps[steps.length - 1] ?? { word: start, state: of.initial_state };
        steps.push(nextWord(of, known, row("target_embedding", word, width), state));
      }
      return steps.slice(0, count);
    }
    return { write };
  };
})(globalThis.attnkit);
