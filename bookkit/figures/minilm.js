// The real model in a page: its files, fetched when a reader asks for them, and a worker that reads sentences with it. The
// page itself computes nothing.
((attnkit) => {
  "use strict";
  if (attnkit.minilm) return; // each figure that needs it brings it along; all share one model

  /** @typedef {{ words: string[], tensors: { name: string, shape: number[], bits: number }[] }} About */
  /** @typedef {(x: number, w: number, out: number, n: number, k: number, m: number) => void} Product of what stands at these places */
  /** @typedef {{ postMessage(message: object, moved?: ArrayBuffer[]): void, onmessage: ((event: { data: any }) => void) | null }} Scope */

  // kernel.wat, assembled: products, four numbers at a time.
  const PRODUCT =
    "AGFzbQEAAAABCgFgBn9/f39/fwADAgEABQMBAAEHFAIGbWVtb3J5AgAHcHJvZHVjdAAACtEDAc4DAgt/C3sgBEECdCEQIAVBAnQhDwNAQQAhByAAIQsgAiAGQQJ0aiEKA0AgCyAQaiEMIAwgEGohDSANIBBqIQ79DAAAAAAAAAAAAAAAAAAAAAAhFCAUIRUgFCEWIBQhFyAUIRggFCEZIBQhGiAUIRsgASEJIAQhCANAIAn9AAQAIREgCf0ABBAhEiAL/QkCACETIBQgEyAR/eYB/eQBIRQgFSATIBL95gH95AEhFSAM/QkCACETIBYgEyAR/eYB/eQBIRYgFyATIBL95gH95AEhFyAN/QkCACETIBggEyAR/eYB/eQBIRggGSATIBL95gH95AEhGSAO/QkCACETIBogEyAR/eYB/eQBIRogGyATIBL95gH95AEhGyALQQRqIQsgDEEEaiEMIA1BBGohDSAOQQRqIQ4gCUEgaiEJIAhBAWsiCA0ACyAKIQggCCAU/QsEACAIIBX9CwQQIAggD2ohCCAIIBb9CwQAIAggF/0LBBAgCCAPaiEIIAggGP0LBAAgCCAZ/QsEECAIIA9qIQggCCAa/QsEACAIIBv9CwQQIAggD2ohCiAOIQsgB0EEaiIHIANJDQALIAEgBEEFdGohASAGQQhqIgYgBUkNAAsL";

  // ---- the worker: what is listed in WORKER goes there as texts, under these names, and knows nothing else

  const [LAYERS, HEADS, WIDTH, HIDDEN, CONTEXT, STRIP, EPSILON] = [6, 12, 384, 1536, 64, 8, 1e-12];
  const DEPTH = WIDTH / HEADS;

  // Texts in pieces of words: the twin of bookkit/lessons/minilm.py.
  class Tokenizer {
    /** @param {string[]} words */
    constructor(words) {
      const CHINESE =
        "\u4E00-\u9FFF\u3400-\u4DBF\u{20000}-\u{2A6DF}\u{2A700}-\u{2B73F}\u{2B740}-\u{2CEAF}\uF900-\uFAFF\u{2F800}-\u{2FA1F}";
      this.alone = new RegExp(`[!-/:-@[-\`{-~\\p{P}${CHINESE}]`, "gu");
      this.known = new Map(words.map((word, k) => [word, k]));
    }
    /** @param {string} text */
    pieces(text) {
      const seen = text.replace(/[\t\n\r]/g, " ").replace(/[\uFFFD\p{Cc}\p{Cf}\p{Co}]/gu, "");
      // Letter by letter: of a whole word the sigma at its end would become another letter than in Python.
      const small = Array.from(seen, (letter) => letter.toLowerCase()).join("");
      const plain = small.normalize("NFD").replace(/\p{Mn}/gu, "");
      const words = plain.replace(this.alone, " $& ").split(/\s+/u).filter(Boolean);
      return words.flatMap((word) => this.cut(word));
    }
    /** @param {string} word */
    cut(word) {
      const letters = Array.from(word);
      if (letters.length > 100) return ["[UNK]"];
      const found = [];
      let start = 0;
      while (start < letters.length) {
        let [end, piece] = [letters.length + 1, ""];
        do {
          end--;
          piece = (start ? "##" : "") + letters.slice(start, end).join("");
        } while (end > start && !this.known.has(piece));
        if (end === start) return ["[UNK]"];
        found.push(piece);
        start = end;
      }
      return found;
    }
  }

  // Room for so many numbers, and the product in it: of WebAssembly where that is allowed, else as good as it goes.
  class Memory {
    /** @param {number} count @param {string} kernel in base64 */
    constructor(count, kernel) {
      try {
        const code = Uint8Array.from(atob(kernel), (letter) => letter.charCodeAt(0));
        const { exports } = new WebAssembly.Instance(new WebAssembly.Module(code));
        const memory = /** @type {WebAssembly.Memory} */ (exports.memory);
        memory.grow(Math.ceil((4 * count) / 65536));
        /** @type {Float32Array<ArrayBufferLike>} */
        this.numbers = new Float32Array(memory.buffer);
        const run = /** @type {Product} */ (exports.product);
        /** @type {Product} */
        this.product = (x, w, out, n, k, m) => run(4 * x, 4 * w, 4 * out, n, k, m);
        this.runs = "WebAssembly";
      } catch {
        this.numbers = new Float32Array(count);
        this.product = this.plainly;
        this.runs = "JavaScript";
      }
    }
    /** @type {Product} */
    plainly(x, w, out, n, k, m) {
      const data = this.numbers;
      for (let column = 0; column < m; column++) {
        const strip = w + Math.floor(column / STRIP) * STRIP * k + (column % STRIP);
        for (let row = 0; row < n; row++) {
          let [sum, one, v] = [0, x + row * k, strip];
          for (let i = 0; i < k; i++, v += STRIP) sum += data[one++] * data[v];
          data[out + row * m + column] = sum;
        }
      }
    }
  }

  /** @param {Uint8Array} bytes @param {number} from @param {number} count */
  function floats(bytes, from, count) {
    return new Float32Array(/** @type {ArrayBuffer} */ (bytes.buffer.slice(from, from + 4 * count)));
  }

  // The model, out of the bytes that bookkit/lessons/minilm_packed.py has written, and what it makes of a text.
  class Network {
    /** @type {Record<string, Float32Array>} */
    vectors = {};
    /** @type {Record<string, { k: number, m: number, at: number }>} where the strips of each matrix begin */
    matrices = {};
    table = { integers: new Uint8Array(0), rows: new Float32Array(0), columns: new Float32Array(0) };
    /** @param {About} about @param {Uint8Array} bytes @param {string} kernel */
    constructor({ words, tensors }, bytes, kernel) {
      this.tokenizer = new Tokenizer(words);
      const large = tensors.filter(({ bits }) => bits === 10);
      let at = large.reduce((sum, { shape: [k, m] }) => sum + k * m, 0);
      /** @param {number} width */
      const taken = (width) => {
        at += CONTEXT * width;
        return at - CONTEXT * width;
      };
      const [x, q, k, v, heads] = [WIDTH, WIDTH, WIDTH, WIDTH, WIDTH].map(taken);
      this.room = { x, q, k, v, heads, hidden: taken(HIDDEN) };
      this.memory = new Memory(at, kernel);
      this.unpack(tensors, bytes);
    }
    /** @param {About["tensors"]} tensors @param {Uint8Array} bytes */
    unpack(tensors, bytes) {
      let [at, from] = [0, 0];
      for (const { name, shape, bits } of tensors) {
        const [k, m = 1] = shape;
        if (bits === 32) this.vectors[name] = floats(bytes, from, k * m);
        else if (bits === 8) {
          const integers = bytes.slice(from + 4 * (k + m), from + 4 * (k + m) + k * m);
          this.table = { integers, rows: floats(bytes, from, k), columns: floats(bytes, from + 4 * k, m) };
        } else {
          this.matrices[name] = { k, m, at };
          this.strips(bytes, from, k, m, at);
          at += k * m;
        }
        from += bits === 32 ? 4 * k * m : 4 * (k + m) + (k * m * bits) / 8;
      }
    }
    // A matrix from its place in the bytes to its strips.
    /** @param {Uint8Array} bytes @param {number} from @param {number} k @param {number} m @param {number} at */
    strips(bytes, from, k, m, at) {
      const { numbers } = this.memory;
      const [rows, columns] = [floats(bytes, from, k), floats(bytes, from + 4 * k, m)];
      const low = from + 4 * (k + m);
      const high = low + k * m;
      for (let i = 0; i < k; i++)
        for (let j = 0; j < m; j++) {
          const place = i * m + j;
          const two = (bytes[high + (place >> 2)] >> (6 - 2 * (place & 3))) & 3;
          const integer = bytes[low + place] + (two << 8) - 512;
          numbers[at + (j - (j % STRIP)) * k + i * STRIP + (j % STRIP)] = integer * rows[i] * columns[j];
        }
    }

    // x W + b, of n rows; the kernel takes four at a time, and what stands in the last of them nobody asks.
    /** @param {number} x @param {string} layer @param {string} name @param {number} out @param {number} n */
    affine(x, layer, name, out, n) {
      const { numbers } = this.memory;
      const { k, m, at } = this.matrices[`${layer}w${name}`];
      const bias = this.vectors[`${layer}b${name}`];
      this.memory.product(x, at, out, 4 * Math.ceil(n / 4), k, m);
      for (let i = 0, p = out; i < n; i++) for (let j = 0; j < m; j++) numbers[p++] += bias[j];
    }
    // Each row less its mean, divided by its spread; then a learned factor and shift.
    /** @param {string} name @param {number} n */
    norm(name, n) {
      const [gain, bias] = [this.vectors[`${name}.gain`], this.vectors[`${name}.bias`]];
      for (let i = 0; i < n; i++) {
        const row = this.memory.numbers.subarray(this.room.x + i * WIDTH, this.room.x + (i + 1) * WIDTH);
        let [sum, squares] = [0, 0];
        for (const v of row) sum += v;
        const mean = sum / WIDTH;
        for (const v of row) squares += (v - mean) ** 2;
        const spread = Math.sqrt(squares / WIDTH + EPSILON);
        for (let j = 0; j < WIDTH; j++) row[j] = ((row[j] - mean) / spread) * gain[j] + bias[j];
      }
    }
    // x times the chance that a normal number is below x; erf by Abramowitz and Stegun (1964), 7.1.26, to 2e-7.
    /** @param {number} x */
    gelu(x) {
      const z = Math.abs(x) * Math.SQRT1_2;
      const t = 1 / (1 + 0.3275911 * z);
      const p = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
      const above = (p * Math.exp(-z * z)) / 2;
      return x * (x < 0 ? above : 1 - above);
    }
    // One head: its weights for each of n places go into `weights`, what it has blended into the room of the heads.
    /** @param {Float32Array} weights @param {number} head @param {number} n */
    attend(weights, head, n) {
      const { room } = this;
      const { numbers } = this.memory;
      for (let i = 0; i < n; i++) {
        const row = weights.subarray(i * n, (i + 1) * n);
        const q = room.q + i * WIDTH + head * DEPTH;
        let [most, total] = [-Infinity, 0];
        for (let j = 0; j < n; j++) {
          let [sum, k] = [0, room.k + j * WIDTH + head * DEPTH];
          for (let d = 0; d < DEPTH; d++) sum += numbers[q + d] * numbers[k++];
          row[j] = sum / Math.sqrt(DEPTH);
          most = Math.max(most, row[j]);
        }
        for (let j = 0; j < n; j++) total += row[j] = Math.exp(row[j] - most);
        const out = room.heads + i * WIDTH + head * DEPTH;
        numbers.fill(0, out, out + DEPTH);
        for (let j = 0; j < n; j++) {
          row[j] /= total;
          const v = room.v + j * WIDTH + head * DEPTH;
          for (let d = 0; d < DEPTH; d++) numbers[out + d] += row[j] * numbers[v + d];
        }
      }
    }
    // What stands at `from`, times a matrix, is added to the stream, which is then normed.
    /** @param {number} from @param {string} layer @param {string} name @param {string} norm @param {number} n */
    add(from, layer, name, norm, n) {
      const [{ room }, { numbers }] = [this, this.memory];
      this.affine(from, layer, name, room.q, n);
      for (let k = 0; k < n * WIDTH; k++) numbers[room.x + k] += numbers[room.q + k];
      this.norm(layer + norm, n);
    }
    /** @param {number} layer @param {Float32Array} weights @param {number} n */
    block(layer, weights, n) {
      const [{ room }, { numbers }, name] = [this, this.memory, `layers.${layer}.`];
      for (const role of /** @type {const} */ (["query", "key", "value"]))
        this.affine(room.x, name, `_${role}`, room[/** @type {"q"} */ (role[0])], n);
      for (let head = 0; head < HEADS; head++)
        this.attend(weights.subarray((layer * HEADS + head) * n * n, (layer * HEADS + head + 1) * n * n), head, n);
      this.add(room.heads, name, "_output", "norm1", n);
      this.affine(room.x, name, "1", room.hidden, n);
      for (let k = room.hidden; k < room.hidden + n * HIDDEN; k++) numbers[k] = this.gelu(numbers[k]);
      this.add(room.hidden, name, "2", "norm2", n);
    }
    // A text, read: its pieces, the weights of all heads (72, n, n) and the vector of length 1.
    /** @param {string} text */
    read(text) {
      const [{ table, room, vectors }, { numbers }] = [this, this.memory];
      const start = performance.now();
      const found = this.tokenizer.pieces(text);
      const pieces = ["[CLS]", ...found.slice(0, CONTEXT - 2), "[SEP]"];
      const n = pieces.length;
      pieces.forEach((piece, i) => {
        const row = Number(this.tokenizer.known.get(piece));
        for (let j = 0; j < WIDTH; j++) {
          const number = (table.integers[row * WIDTH + j] - 128) * table.rows[row] * table.columns[j];
          numbers[room.x + i * WIDTH + j] = number + vectors.positions[i * WIDTH + j];
        }
      });
      this.norm("norm", n);
      const weights = new Float32Array(LAYERS * HEADS * n * n);
      for (let layer = 0; layer < LAYERS; layer++) this.block(layer, weights, n);
      const sum = new Float32Array(WIDTH);
      for (let k = 0; k < n * WIDTH; k++) sum[k % WIDTH] += numbers[room.x + k];
      const long = Math.hypot(...sum);
      const maps = btoa(Array.from(weights, (weight) => String.fromCharCode(Math.round(255 * weight))).join("")); // a byte each
      const took = performance.now() - start;
      return { pieces, cut: found.length > CONTEXT - 2, weights, maps, vector: sum.map((v) => v / long), took };
    }
  }

  // What the worker is told: {about, size, kernel}, then {asked, bytes, count} for each part, which is answered
  // {asked, found: bytes}, to be filled again, then {asked, text}.
  /** @param {Scope} scope */
  function program(scope) {
    let [bytes, filled] = [new Uint8Array(0), 0];
    /** @type {{ about: About, kernel: string, size: number }} */
    let given;
    /** @type {Network} */
    let network;
    scope.onmessage = ({ data: told }) => {
      if (told.about) {
        given = told;
        [bytes, filled] = [new Uint8Array(told.size), 0];
      } else if (told.bytes) {
        bytes.set(told.bytes.subarray(0, told.count), filled);
        filled += told.count;
        scope.postMessage({ asked: told.asked, found: told.bytes }, [told.bytes.buffer]);
        if (filled < given.size) return;
        network = new Network(given.about, bytes, given.kernel);
        bytes = new Uint8Array(0);
        scope.postMessage({ ready: network.memory.runs });
      } else {
        const found = network.read(told.text);
        scope.postMessage({ asked: told.asked, found }, [found.weights.buffer, found.vector.buffer]);
      }
    };
  }
  const WORKER = {
    ...{ LAYERS, HEADS, WIDTH, HIDDEN, CONTEXT, STRIP, EPSILON, DEPTH },
    ...{ Tokenizer, Memory, floats, Network, program },
  };

  const model = attnkit.inWorker(WORKER, async ({ post, ask, tell, wanted }) => {
    const parts = await attnkit.fetched("minilm/about");
    post({ about: parts.about, size: parts.size, kernel: PRODUCT });
    await attnkit.parts("minilm", parts, { tell, wanted }, (bytes, count) => ask({ bytes, count }, [bytes.buffer]));
  });
  attnkit.minilm = { ...model, read: (text) => model.ask({ text }) };
})(globalThis.attnkit);
