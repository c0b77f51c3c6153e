// The arithmetic of a trained Transformer, for the figures that run one (base.py names them): matrix product, layer
// norm, attention with a cache of keys and values, and the choice of the next word.
((attnkit) => {
  "use strict";

  // Two loops do nearly all the work, four numbers at a time: a dot product, and a multiple of a row added to another.
  function dot(a, i, b, j, n) {
    let sum = 0;
    let k = 0;
    for (; k + 3 < n; k += 4)
      sum +=
        a[i + k] * b[j + k] + a[i + k + 1] * b[j + k + 1] + a[i + k + 2] * b[j + k + 2] + a[i + k + 3] * b[j + k + 3];
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

  // The random number of a seed at a place: Marsaglia's xorshift, as in matrix_trainer.js.
  attnkit.random = (seed, place) => {
    let state = Math.imul(seed + 1, 2654435761) >>> 0;
    for (let k = 0; k <= place; k++) {
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
    }
    return (state >>> 0) / 2 ** 32;
  };
})(globalThis.attnkit);
