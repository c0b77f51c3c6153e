// The real model in a page: its files, fetched when a reader asks for them, and a worker that reads sentences with it. The
// page itself computes nothing.
((attnkit) => {
  "use strict";
  if (attnkit.minilm) return; // each figure that needs it brings it along; all share one model

  /** @typedef {{ words: string[], tensors: { name: string, shape: number[], bits: number }[] }} About */
  /** @typedef {{ k: number, m: number, at: number }} Product a matrix, and where its strips begin */
  /** @typedef {{ postMessage(message: object, moved?: ArrayBuffer[]): void, onmessage: ((event: { data: any }) => void) | null }} Scope */

  // kernel.wat, assembled: products, four numbers at a time.
  const PRODUCT =
    "AGFzbQEAAAABCgFgBn9/f39/fwADAgEABQMBAAEHFAIGbWVtb3J5AgAHcHJvZHVjdAAACtEDAc4DAgt/C3sgBEECdCEQIAVBAnQhDwNAQQAhByAAIQsgAiAGQQJ0aiEKA0AgCyAQaiEMIAwgEGohDSANIBBqIQ79DAAAAAAAAAAAAAAAAAAAAAAhFCAUIRUgFCEWIBQhFyAUIRggFCEZIBQhGiAUIRsgASEJIAQhCANAIAn9AAQAIREgCf0ABBAhEiAL/QkCACETIBQgEyAR/eYB/eQBIRQgFSATIBL95gH95AEhFSAM/QkCACETIBYgEyAR/eYB/eQBIRYgFyATIBL95gH95AEhFyAN/QkCACETIBggEyAR/eYB/eQBIRggGSATIBL95gH95AEhGSAO/QkCACETIBogEyAR/eYB/eQBIRogGyATIBL95gH95AEhGyALQQRqIQsgDEEEaiEMIA1BBGohDSAOQQRqIQ4gCUEgaiEJIAhBAWsiCA0ACyAKIQggCCAU/QsEACAIIBX9CwQQIAggD2ohCCAIIBb9CwQAIAggF/0LBBAgCCAPaiEIIAggGP0LBAAgCCAZ/QsEECAIIA9qIQggCCAa/QsEACAIIBv9CwQQIAggD2ohCiAOIQsgB0EEaiIHIANJDQALIAEgBEEFdGohASAGQQhqIgYgBUkNAAsL";

  // What the worker does; it gets this function as a text, and nothing from outside but what it is told. It is told
  // {about, size, kernel}, then {asked, bytes, count} for each part, which is answered {asked, found: bytes}, to be filled
  // again, then {asked, text}.
  // biome-ignore lint/complexity/noExcessiveLinesPerFunction: a program of its own, which holds its functions together
  function program(/** @type {Scope} */ scope) {
    const [LAYERS, HEADS, WIDTH, HIDDEN, CONTEXT, STRIP, EPSILON] = [6, 12, 384, 1536, 64, 8, 1e-12];
    const DEPTH = WIDTH / HEADS;

    // ---- pieces of words: the twin of bookkit/lessons/minilm.py

    const CHINESE =
      "\u4E00-\u9FFF\u3400-\u4DBF\u{20000}-\u{2A6DF}\u{2A700}-\u{2B73F}\u{2B740}-\u{2CEAF}\uF900-\uFAFF\u{2F800}-\u{2FA1F}";
    const ALONE = new RegExp(`[!-/:-@[-\`{-~\\p{P}${CHINESE}]`, "gu");
    /** @param {string} text */
    function words(text) {
      const seen = text.replace(/[\t\n\r]/g, " ").replace(/[\uFFFD\p{Cc}\p{Cf}\p{Co}]/gu, "");
      // Letter by letter: of a whole word the sigma at its end would become another letter than in Python.
      const plain = Array.from(seen, (letter) => letter.toLowerCase())
        .join("")
        .normalize("NFD")
        .replace(/\p{Mn}/gu, "");
      return plain.replace(ALONE, " $& ").split(/\s+/u).filter(Boolean);
    }
    /** @param {string} word @param {Map<string, number>} known */
    function pieces(word, known) {
      const letters = Array.from(word);
      if (letters.length > 100) return ["[UNK]"];
      const found = [];
      let start = 0;
      while (start < letters.length) {
        let [end, piece] = [letters.length + 1, ""];
        do {
          end--;
          piece = (start ? "##" : "") + letters.slice(start, end).join("");
        } while (end > start && !known.has(piece));
        if (end === start) return ["[UNK]"];
        found.push(piece);
        start = end;
      }
      return found;
    }

    // ---- products: of WebAssembly where that is allowed, else as good as it goes

    /** @type {Float32Array<ArrayBufferLike>} */
    let numbers = new Float32Array(0); // the strips of all matrices, then what is computed with
    /** @type {(x: number, w: number, out: number, n: number, k: number, m: number) => void} places are those in numbers */
    let product = plainly;
    /** @type {typeof product} */
    function plainly(x, w, out, n, k, m) {
      const data = numbers;
      for (let column = 0; column < m; column += STRIP / 2) {
        const strip = w + Math.floor(column / STRIP) * STRIP * k + (column % STRIP);
        for (let row = 0; row < n; row += 2) {
          let [a, b, c, d, e, f, g, h] = [0, 0, 0, 0, 0, 0, 0, 0];
          let [v, one, two] = [strip, x + row * k, x + (row + 1) * k];
          for (let i = 0; i < k; i++) {
            const p = data[one++];
            const q = data[two++];
            const r = data[v];
            const s = data[v + 1];
            const t = data[v + 2];
            const u = data[v + 3];
            a += p * r;
            b += p * s;
            c += p * t;
            d += p * u;
            e += q * r;
            f += q * s;
            g += q * t;
            h += q * u;
            v += STRIP;
          }
          data.set([a, b, c, d], out + row * m + column);
          data.set([e, f, g, h], out + (row + 1) * m + column);
        }
      }
    }
    // Room for so many numbers, and the product that works on it.
    /** @param {number} count @param {string} kernel */
    function makeRoom(count, kernel) {
      try {
        const code = Uint8Array.from(atob(kernel), (letter) => letter.charCodeAt(0));
        const { exports } = new WebAssembly.Instance(new WebAssembly.Module(code));
        const memory = /** @type {WebAssembly.Memory} */ (exports.memory);
        memory.grow(Math.ceil((4 * count) / 65536));
        numbers = new Float32Array(memory.buffer);
        const run = /** @type {typeof product} */ (exports.product);
        product = (x, w, out, n, k, m) => run(4 * x, 4 * w, 4 * out, n, k, m);
        return "WebAssembly";
      } catch {
        numbers = new Float32Array(count);
        product = plainly;
        return "JavaScript";
      }
    }

    // ---- the model, out of the bytes that bookkit/lessons/minilm_packed.py has written

    /** @type {Map<string, number>} */
    let known = new Map();
    /** @type {Record<string, Float32Array>} */
    const vectors = {};
    /** @type {Record<string, Product>} */
    const matrices = {};
    let table = { integers: new Uint8Array(0), rows: new Float32Array(0), columns: new Float32Array(0) };
    const room = { x: 0, q: 0, k: 0, v: 0, heads: 0, hidden: 0 };
    /** @param {Uint8Array} bytes @param {number} from @param {number} count */
    const floats = (bytes, from, count) =>
      new Float32Array(/** @type {ArrayBuffer} */ (bytes.buffer.slice(from, from + 4 * count)));

    // A matrix from its place in the bytes to its strips.
    /** @param {Uint8Array} bytes @param {number} from @param {Product} product */
    function strips(bytes, from, { k, m, at }) {
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
    /** @param {About} about @param {Uint8Array} bytes @param {string} kernel */
    function unpack({ words: all, tensors }, bytes, kernel) {
      known = new Map(all.map((word, k) => [word, k]));
      const large = tensors.filter(({ bits }) => bits === 10);
      const count = large.reduce((sum, { shape: [k, m] }) => sum + k * m, 0);
      const runs = makeRoom(count + CONTEXT * (5 * WIDTH + HIDDEN), kernel);
      let [at, from] = [0, 0];
      for (const { name, shape, bits } of tensors) {
        const [k, m = 1] = shape;
        if (bits === 32) vectors[name] = floats(bytes, from, k * m);
        else if (bits === 8) {
          const integers = bytes.slice(from + 4 * (k + m), from + 4 * (k + m) + k * m);
          table = { integers, rows: floats(bytes, from, k), columns: floats(bytes, from + 4 * k, m) };
        } else {
          matrices[name] = { k, m, at };
          strips(bytes, from, matrices[name]);
          at += k * m;
        }
        from += bits === 32 ? 4 * k * m : 4 * (k + m) + (k * m * bits) / 8;
      }
      for (const name of /** @type {(keyof typeof room)[]} */ (Object.keys(room))) {
        room[name] = at;
        at += CONTEXT * (name === "hidden" ? HIDDEN : WIDTH);
      }
      return runs;
    }

    // ---- reading

    // x W + b, of n rows; the kernel takes four at a time, and what stands in the last of them nobody asks.
    /** @param {number} x @param {string} layer @param {string} name @param {number} out @param {number} n */
    function affine(x, layer, name, out, n) {
      const { k, m, at } = matrices[`${layer}w${name}`];
      const bias = vectors[`${layer}b${name}`];
      product(x, at, out, 4 * Math.ceil(n / 4), k, m);
      for (let i = 0, p = out; i < n; i++) for (let j = 0; j < m; j++) numbers[p++] += bias[j];
    }
    // Each row less its mean, divided by its spread; then a learned factor and shift.
    /** @param {string} name @param {number} n */
    function norm(name, n) {
      const [gain, bias] = [vectors[`${name}.gain`], vectors[`${name}.bias`]];
      for (let i = 0; i < n; i++) {
        const row = numbers.subarray(room.x + i * WIDTH, room.x + (i + 1) * WIDTH);
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
    function gelu(x) {
      const z = Math.abs(x) * Math.SQRT1_2;
      const t = 1 / (1 + 0.3275911 * z);
      const p = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
      const above = (p * Math.exp(-z * z)) / 2;
      return x * (x < 0 ? above : 1 - above);
    }
    // One head: its weights for each of n places go into `weights`, what it has blended into the room of the heads.
    /** @param {Float32Array} weights @param {number} head @param {number} n */
    function attend(weights, head, n) {
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
    // x, and what stands at another place, added to it.
    /** @param {number} from @param {number} n */
    function add(from, n) {
      for (let k = 0; k < n * WIDTH; k++) numbers[room.x + k] += numbers[from + k];
    }
    /** @param {number} layer @param {Float32Array} weights @param {number} n */
    function block(layer, weights, n) {
      const name = `layers.${layer}.`;
      for (const role of /** @type {const} */ (["query", "key", "value"]))
        affine(room.x, name, `_${role}`, room[/** @type {"q"} */ (role[0])], n);
      for (let head = 0; head < HEADS; head++)
        attend(weights.subarray((layer * HEADS + head) * n * n, (layer * HEADS + head + 1) * n * n), head, n);
      affine(room.heads, name, "_output", room.q, n);
      add(room.q, n);
      norm(`${name}norm1`, n);
      affine(room.x, name, "1", room.hidden, n);
      for (let k = room.hidden; k < room.hidden + n * HIDDEN; k++) numbers[k] = gelu(numbers[k]);
      affine(room.hidden, name, "2", room.q, n);
      add(room.q, n);
      norm(`${name}norm2`, n);
    }
    // Weights as they travel to a figure, a byte each.
    /** @param {Float32Array} weights */
    function packed(weights) {
      let letters = "";
      for (const weight of weights) letters += String.fromCharCode(Math.round(255 * weight));
      return btoa(letters);
    }
    // A text, read: its pieces, the weights of all heads (72, n, n) and the vector of length 1.
    /** @param {string} text */
    function read(text) {
      const start = performance.now();
      const found = words(text).flatMap((word) => pieces(word, known));
      const shown = ["[CLS]", ...found.slice(0, CONTEXT - 2), "[SEP]"];
      const n = shown.length;
      shown.forEach((piece, i) => {
        const row = Number(known.get(piece));
        for (let j = 0; j < WIDTH; j++) {
          const number = (table.integers[row * WIDTH + j] - 128) * table.rows[row] * table.columns[j];
          numbers[room.x + i * WIDTH + j] = number + vectors.positions[i * WIDTH + j];
        }
      });
      norm("norm", n);
      const weights = new Float32Array(LAYERS * HEADS * n * n);
      for (let layer = 0; layer < LAYERS; layer++) block(layer, weights, n);
      const vector = new Float32Array(WIDTH);
      for (let k = 0; k < n * WIDTH; k++) vector[k % WIDTH] += numbers[room.x + k];
      const long = Math.hypot(...vector);
      const took = performance.now() - start;
      const cut = found.length > CONTEXT - 2;
      return { pieces: shown, cut, weights, maps: packed(weights), vector: vector.map((v) => v / long), took };
    }

    // ---- what it is told

    let [bytes, filled] = [new Uint8Array(0), 0];
    /** @type {{ about: About, kernel: string, size: number }} */
    let given;
    scope.onmessage = ({ data: told }) => {
      if (told.about) {
        given = told;
        [bytes, filled] = [new Uint8Array(told.size), 0];
      } else if (told.bytes) {
        bytes.set(told.bytes.subarray(0, told.count), filled);
        filled += told.count;
        scope.postMessage({ asked: told.asked, found: told.bytes }, [told.bytes.buffer]);
        if (filled < given.size) return;
        const runs = unpack(given.about, bytes, given.kernel);
        bytes = new Uint8Array(0);
        scope.postMessage({ ready: runs });
      } else {
        const found = read(told.text);
        scope.postMessage({ asked: told.asked, found }, [found.weights.buffer, found.vector.buffer]);
      }
    };
  }

  const model = attnkit.inWorker(program, async ({ post, ask, tell, wanted }) => {
    const parts = await attnkit.fetched("minilm/about");
    post({ about: parts.about, size: parts.size, kernel: PRODUCT });
    await attnkit.parts("minilm", parts, { tell, wanted }, (bytes, count) => ask({ bytes, count }, [bytes.buffer]));
  });
  attnkit.minilm = { ...model, read: (text) => model.ask({ text }) };
})(globalThis.attnkit);
