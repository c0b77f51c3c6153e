// The chat model in a page: its file, fetched when a reader asks for it, and a worker that reads and goes on with texts. The
// page itself computes nothing. Compared with bookkit/lessons/chat_model.py by tests/test_chat_model_in_the_page.py.
((attnkit) => {
  "use strict";
  if (attnkit.chat) return; // each figure that needs it brings it along; all share one model

  /** @typedef {{ postMessage(message: object, moved?: ArrayBufferLike[]): void, onmessage: ((event: { data: any }) => void) | null }} Scope */
  /** @typedef {{ name: string, rows: number, columns: number, kind: number, from: number, at: number, scales: number, done: number }} Tensor of `rows`, from a place in the file to one in memory, its scales apart */
  /** @typedef {(...places: number[]) => void} Product */
  /** @typedef {{ one: Product, four: Product, table: Product, scores: Product, blend: Product }} Kernel */

  const CONTEXT = 2048; // pieces that are read at most; the model itself takes 8,192
  // chat_kernel.wat, assembled.
  const KERNEL =
    "AGFzbQEAAAABJARgCH9/f39/f39/AGAHf39/f39/fwBgBn9/f39/fwBgAXsBfQMHBgAAAQICAwUDAQABBzAGBm1lbW9yeQIAA29uZQAABGZvdXIAAQV0YWJsZQACBnNjb3JlcwADBWJsZW5kAAQK4woGlwIDBH8BfQZ7A0D9DAAAAAAAAAAAAAAAAAAAAAAhDUMAAAAAIQwgAiEJIAMhCiAEIQsgByEIA0AgAP0ABAAhDiAOQQT9bSERIA5BD/0P/U4hDiAO/YkBIQ8gDv2KASEQIBH9igEhEiAR/YkBIREgDSABKgIAIAoqAgCU/RMgDyAJ/QAEAP26ASAQIAn9AAQQ/boB/a4BIBEgCf0ABCD9ugEgEiAJ/QAEMP26Af2uAf2uAf36Af3mAf3kASENIAwgASoCBCALKgIAlJIhDCAAQRBqIQAgAUEIaiEBIAlBwABqIQkgCkEEaiEKIAtBBGohCyAIQQFrIggNAAsgBSANEAUgDJI4AgAgBUEEaiEFIAZBAWsiBg0ACwviBAIGfwt7IAZBAnQhDANA/QwAAAAAAAAAAAAAAAAAAAAAIRQgFCEVIBQhFiAUIRcgFCEYIAIhCSADIQogBCELIAchCANAIAD9AAQAIQ4gDkEE/W0hESAOQQ/9D/1OIQ4gDv2JASEPIA79igEhECAR/YoBIRIgEf2JASERIAH9CQIAIAr9AAQA/eYBIRMgFCAB/QkCBCAL/QAEAP3mAf3kASEUIBUgE/0fAP0TIA8gCf0ABAD9ugEgECAJ/QAEEP26Af2uASARIAn9AAQg/boBIBIgCf0ABDD9ugH9rgH9rgH9+gH95gH95AEhFSAWIBP9HwH9EyAPIAn9AARA/boBIBAgCf0ABFD9ugH9rgEgESAJ/QAEYP26ASASIAn9AARw/boB/a4B/a4B/foB/eYB/eQBIRYgFyAT/R8C/RMgDyAJ/QAEgAH9ugEgECAJ/QAEkAH9ugH9rgEgESAJ/QAEoAH9ugEgEiAJ/QAEsAH9ugH9rgH9rgH9+gH95gH95AEhFyAYIBP9HwP9EyAPIAn9AATAAf26ASAQIAn9AATQAf26Af2uASARIAn9AATgAf26ASASIAn9AATwAf26Af2uAf2uAf36Af3mAf3kASEYIABBEGohACABQQhqIQEgCUGAAmohCSAKQRBqIQogC0EQaiELIAhBAWsiCA0ACyAFIQ0gDSAVEAUgFP0fAJI4AgAgDSAMaiENIA0gFhAFIBT9HwGSOAIAIA0gDGohDSANIBcQBSAU/R8CkjgCACANIAxqIQ0gDSAYEAUgFP0fA5I4AgAgBUEEaiEFIAZBAWsiBg0ACwvWAQIDfwN7A0D9DAAAAAAAAAAAAAAAAAAAAAAhCiACIQggAyEJIAYhBwNAIAD9AAQAIQsgAP0ABBAhDCAKIAEqAgAgCSoCAJT9EyAL/YcBIAj9AAQA/boBIAv9iAEgCP0ABBD9ugH9rgEgDP2HASAI/QAEIP26ASAM/YgBIAj9AAQw/boB/a4B/a4B/foB/eYB/eQBIQogAEEgaiEAIAFBBGohASAIQcAAaiEIIAlBBGohCSAHQQFrIgcNAAsgBCAKEAU4AgAgBEEEaiEEIAVBAWsiBQ0ACwt5AgN/AXsDQP0MAAAAAAAAAAAAAAAAAAAAACEJIAAhByABIQYgBCEIA0AgCSAH/QAEACAG/QAEAP3mAf3kASEJIAdBEGohByAGQRBqIQYgCEEBayIIDQALIAIgCRAFOAIAIAJBBGohAiABIAVqIQEgA0EBayIDDQALC3gCA38BewNA/QwAAAAAAAAAAAAAAAAAAAAAIQkgACEGIAEhByADIQgDQCAJIAb9CQIAIAf9AAQA/eYB/eQBIQkgBkEEaiEGIAcgBWohByAIQQFrIggNAAsgAiAJ/QsEACACQRBqIQIgAUEQaiEBIARBAWsiBA0ACwsZACAA/R8AIAD9HwGSIAD9HwIgAP0fA5KSCw==";

  // ---- the worker: what is listed in WORKER goes there as texts, under these names, and knows nothing else

  const LIKELIEST = 50;
  const BLOCK = 32; // numbers that share a scale
  const LARGEST = 32767; // of sixteen bits
  const PATIENCE = 100; // milliseconds until it listens again
  const [FLOAT, FOUR, EIGHT] = [0, 3, 8]; // kinds of matrices: float32, Q4_1, Q8_0
  /** @type {Record<number, [numbers: number, bytes: number]>} */
  const BLOCKS = { [FLOAT]: [1, 4], [FOUR]: [BLOCK, 20], [EIGHT]: [BLOCK, 34] };

  // Room for so many bytes, and the products in it: of WebAssembly where that is allowed, else as good as it goes.
  class Memory {
    /** @param {number} count @param {string} code of the kernel, in base64 */
    constructor(count, code) {
      /** @type {WebAssembly.Exports | null} */
      let exports = null;
      try {
        const assembled = Uint8Array.from(atob(code), (letter) => letter.charCodeAt(0));
        exports = new WebAssembly.Instance(new WebAssembly.Module(assembled)).exports;
      } catch {} // the content policy, or no SIMD
      const memory = /** @type {WebAssembly.Memory | undefined} */ (exports?.memory);
      memory?.grow(Math.ceil(count / 65536));
      /** @type {ArrayBufferLike} */
      const buffer = memory?.buffer ?? new ArrayBuffer(8 * Math.ceil(count / 8));
      this.bytes = new Uint8Array(buffer);
      this.integers = new Int8Array(buffer);
      this.shorts = new Int16Array(buffer);
      this.floats = new Float32Array(buffer);
      this.plain = !exports;
      this.kernel = /** @type {Kernel} */ (/** @type {unknown} */ (exports ?? this));
    }

    // The twins of what is in chat_kernel.wat, but for `four`: one after the other is as fast without SIMD. Places are those
    // of bytes, as there.
    /** @type {Product} */
    one(nibbles, pairs, x, scales, sums, y, rows, blocks) {
      const { bytes, shorts, floats } = this;
      let [byte, pair, to] = [nibbles, pairs >> 2, y >> 2];
      for (let row = 0; row < rows; row++) {
        let total = 0;
        let at = x >> 1;
        for (let block = 0; block < blocks; block++) {
          let dot = 0;
          for (const end = at + BLOCK / 2; at < end; at++) {
            const both = bytes[byte++];
            dot = (dot + (both & 15) * shorts[at] + (both >> 4) * shorts[at + BLOCK / 2]) | 0;
          }
          at += BLOCK / 2;
          total += floats[pair++] * floats[(scales >> 2) + block] * dot;
          total += floats[pair++] * floats[(sums >> 2) + block];
        }
        floats[to++] = total;
      }
    }
    /** @type {Product} */
    table(table, steps, x, scales, y, rows, blocks) {
      const { integers, shorts, floats } = this;
      let [integer, step, to] = [table, steps >> 2, y >> 2];
      for (let row = 0; row < rows; row++) {
        let total = 0;
        let at = x >> 1;
        for (let block = 0; block < blocks; block++) {
          let dot = 0;
          for (const end = at + BLOCK; at < end; at++) dot = (dot + integers[integer++] * shorts[at]) | 0;
          total += floats[step++] * floats[(scales >> 2) + block] * dot;
        }
        floats[to++] = total;
      }
    }
    /** @type {Product} */
    scores(query, keys, scores, n, fours, wide) {
      const { floats } = this;
      for (let place = 0; place < n; place++) {
        let [total, q, k] = [0, query / 4, (keys + place * wide) / 4];
        for (let left = 4 * fours; left; left--) total += floats[q++] * floats[k++];
        floats[scores / 4 + place] = total;
      }
    }
    /** @type {Product} */
    blend(weights, values, blended, n, fours, wide) {
      const { floats } = this;
      floats.fill(0, blended / 4, blended / 4 + 4 * fours);
      for (let place = 0; place < n; place++) {
        const weight = floats[weights / 4 + place];
        const from = (values + place * wide) / 4;
        for (let k = 0; k < 4 * fours; k++) floats[blended / 4 + k] += weight * floats[from + k];
      }
    }
  }

  // The head of the file, GGUF: what it says of itself, and where each matrix begins. RangeError: the head goes on.
  /** @param {Uint8Array} file */
  function head(file) {
    const [STRING, LIST] = [8, 9];
    /** @type {Record<number, [size: number, read: "getUint8" | "getInt8" | "getUint16" | "getInt16" | "getUint32" | "getInt32" | "getFloat32" | "getFloat64"]>} */
    const SCALARS = {
      ...{ 0: [1, "getUint8"], 1: [1, "getInt8"], 2: [2, "getUint16"], 3: [2, "getInt16"], 7: [1, "getUint8"] },
      ...{ 4: [4, "getUint32"], 5: [4, "getInt32"], 6: [4, "getFloat32"], 12: [8, "getFloat64"] },
      ...{ 10: [8, "getUint32"], 11: [8, "getInt32"] }, // nothing in them is larger
    };
    const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
    let at = 8; // "GGUF" and its version
    /** @param {number} kind @returns {any} */
    function value(kind) {
      if (kind === STRING) {
        const size = value(10);
        at += size;
        return new TextDecoder().decode(file.subarray(at - size, at));
      }
      if (kind === LIST) {
        const [of, count] = [value(4), value(10)];
        return Array.from({ length: count }, () => value(of));
      }
      const [size, read] = SCALARS[kind];
      at += size;
      return view[read](at - size, true);
    }
    const [count, entries] = [value(10), value(10)];
    /** @type {Record<string, any>} */
    const about = {};
    for (let k = 0; k < entries; k++) {
      const name = value(STRING);
      about[name] = value(value(4));
    }
    /** @type {Tensor[]} */
    const tensors = Array.from({ length: count }, () => {
      const name = value(STRING);
      const [columns, rows = 1] = Array.from({ length: value(4) }, () => value(10));
      return { name, rows, columns, kind: value(4), from: value(10), at: 0, scales: 0, done: 0 };
    });
    const first = 32 * Math.ceil(at / 32);
    for (const tensor of tensors) tensor.from += first;
    return { about, tensors: tensors.sort((a, b) => a.from - b.from) };
  }

  // Texts in pieces: the twin of Tokenizer in bookkit/lessons/chat_model.py.
  class Tokenizer {
    /** @param {Record<string, any>} about */
    constructor(about) {
      const MARK = 3;
      /** @type {string[][]} */
      const [tokens, kinds, merges] = ["tokens", "token_type", "merges"].map((name) => about[`tokenizer.ggml.${name}`]);
      let other = 256; // each byte is a letter: itself if it can be seen, else one from here on
      this.letters = Array.from({ length: 256 }, (_, byte) => {
        const seen = (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
        return String.fromCharCode(seen ? byte : other++);
      });
      const byteOf = new Map(this.letters.map((letter, byte) => [letter, byte]));
      this.known = new Map(tokens.map((token, k) => [token, k]));
      this.ranks = new Map(merges.map((pair, k) => [pair, k])); // of pairs that are joined, the first first
      const marks = tokens.filter((_, k) => Number(kinds[k]) === MARK).map((mark) => mark.replace(/\W/g, "\\$&"));
      this.marks = new RegExp(`(${marks.join("|")})`);
      this.pieces = tokens.map((token, k) =>
        Number(kinds[k]) === MARK
          ? new TextEncoder().encode(token)
          : Uint8Array.from(token, (letter) => Number(byteOf.get(letter))),
      );
    }
    // The numbers of a text's pieces: it is cut before blanks, between letters and signs, and around each digit.
    /** @param {string} text @param {boolean} marked @returns {number[]} */
    numbers(text, marked) {
      const WORDS =
        /\p{N}|'(?:s|t|re|ve|m|ll|d)| ?\p{L}+| ?[^\p{White_Space}\p{L}\p{N}]+|\p{White_Space}+(?=\p{White_Space}|$|\p{N})|\p{White_Space}+/gu;
      if (!marked) return (text.match(WORDS) ?? []).flatMap((word) => this.joined(word));
      return text
        .split(this.marks)
        .flatMap((part, k) => (k % 2 ? Number(this.known.get(part)) : this.numbers(part, false)));
    }
    // A word's bytes, of which again and again the pair is joined that comes first in the list, wherever it stands.
    /** @param {string} word */
    joined(word) {
      let parts = Array.from(new TextEncoder().encode(word), (byte) => this.letters[byte]);
      /** @param {number} k */
      const rank = (k) => this.ranks.get(`${parts[k]} ${parts[k + 1]}`) ?? Infinity;
      let order = parts.slice(1).map((_, k) => rank(k));
      for (;;) {
        let first = Infinity;
        for (const one of order) if (one < first) first = one;
        if (first === Infinity) return parts.flatMap((part) => this.known.get(part) ?? []);
        const [before, fresh] = [parts, /** @type {number[]} */ ([])];
        const places = /** @type {number[]} */ ([]); // of what is left, the order that it had
        parts = [];
        for (let k = 0; k < before.length; k++) {
          if (order[k] === first) {
            fresh.push(parts.length);
            parts.push(before[k] + before[++k]);
          } else parts.push(before[k]);
          places.push(order[k]);
        }
        order = places.slice(0, -1);
        for (const k of fresh) for (const one of [k - 1, k]) if (one >= 0 && one < order.length) order[one] = rank(one);
      }
    }
    // What each piece adds to the text: a letter of several bytes comes with the last of them.
    /** @param {number[]} numbers */
    words(numbers) {
      const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
      return numbers.map((number) => decoder.decode(this.pieces[number], { stream: true }));
    }
  }

  // The model: its sizes, its matrices in memory, and what it computes of rows of pieces.
  class Network {
    /** @type {Map<string, { a: Float32Array, b: Float32Array, rank: number }>} */
    low = new Map(); // what was learned beside its matrices,
    share = 0; // how much of that is added,
    shortened = 0; // and where the floats stand that were shortened last
    /** @param {Record<string, any>} about @param {Tensor[]} tensors @param {{ kernel: string, context: number }} given */
    constructor(about, tensors, { kernel, context }) {
      /** @param {string} key @returns {number} */
      const of = (key) => about[`${about["general.architecture"]}.${key}`];
      this.context = context;
      this.layers = of("block_count");
      this.heads = of("attention.head_count");
      this.groups = of("attention.head_count_kv");
      this.base = of("rope.freq_base");
      this.epsilon = of("attention.layer_norm_rms_epsilon");
      this.width = of("embedding_length");
      this.hidden = of("feed_forward_length");
      this.depth = this.width / this.heads;
      this.named = Object.fromEntries(tensors.map((tensor) => [tensor.name, tensor]));
      let at = 64;
      /** @param {number} count */
      const taken = (count) => {
        at += 64 * Math.ceil(count / 64);
        return at - 64 * Math.ceil(count / 64);
      };
      for (const tensor of tensors) {
        const count = tensor.rows * tensor.columns;
        tensor.at = taken(tensor.kind === FLOAT ? 4 * count : tensor.kind === FOUR ? count / 2 : count);
        if (tensor.kind !== FLOAT) tensor.scales = taken(((tensor.kind === FOUR ? 8 : 4) * count) / BLOCK);
      }
      this.room = {
        ...{ x: taken(16 * this.width), items: taken(16 * this.width), query: taken(16 * this.width) },
        ...{ a: taken(16 * this.hidden), b: taken(16 * this.hidden), shorts: taken(8 * this.hidden) },
        ...{ scales: taken((16 * this.hidden) / BLOCK), sums: taken((16 * this.hidden) / BLOCK) },
        scores: taken(4 * this.named["token_embd.weight"].rows),
        weights: taken(4 * this.layers * this.heads * context),
        kept: taken(8 * this.layers * context * this.groups * this.depth),
      };
      try {
        this.memory = new Memory(at, kernel);
      } catch {
        const needs = `There is too little memory for the model: it needs ${Math.ceil(at / 1e6)} MB.`;
        throw new Error(`${needs} Close other pages, and try again.`);
      }
      // Halves of a float as floats, all 65,536.
      this.halves = Float32Array.from({ length: 65536 }, (_, bits) => {
        const [exponent, rest] = [(bits >> 10) & 31, bits & 1023];
        const size = exponent ? 2 ** (exponent - 15) * (1 + rest / 1024) : (2 ** -14 * rest) / 1024;
        return bits >> 15 ? -size : size;
      });
    }
    // A block of a matrix: its scales as floats, its integers as they are.
    /** @param {Tensor} tensor @param {Uint8Array} file @param {number} from */
    unpack(tensor, file, from) {
      const { bytes, floats } = this.memory;
      const block = tensor.done++;
      /** @param {number} at */
      const half = (at) => this.halves[file[at] | (file[at + 1] << 8)];
      if (tensor.kind === FLOAT) for (let k = 0; k < 4; k++) bytes[tensor.at + 4 * block + k] = file[from + k];
      else if (tensor.kind === FOUR) {
        floats[tensor.scales / 4 + 2 * block] = half(from);
        floats[tensor.scales / 4 + 2 * block + 1] = half(from + 2);
        for (let k = 0; k < 16; k++) bytes[tensor.at + 16 * block + k] = file[from + 4 + k];
      } else {
        floats[tensor.scales / 4 + block] = half(from);
        for (let k = 0; k < BLOCK; k++) bytes[tensor.at + BLOCK * block + k] = file[from + 2 + k];
      }
    }
    // Where the keys of a place in a layer are kept; the values of a layer stand behind its keys.
    /** @param {number} layer @param {number} place */
    keys(layer, place) {
      return this.room.kept + 4 * this.groups * this.depth * (2 * layer * this.context + place);
    }
    /** @param {number} layer @param {number} place */
    values(layer, place) {
      return this.keys(layer, place + this.context);
    }

    // Rows of floats as sixteen bits, block by block side by side; of each block its scale and its sum.
    /** @param {number} x @param {number} wide @param {number} n */
    shorten(x, wide, n) {
      const { room } = this;
      const { floats, shorts } = this.memory;
      this.shortened = x / 4;
      for (let row = 0; row < n; row++)
        for (let block = 0; block < wide / BLOCK; block++) {
          const from = x / 4 + row * wide + block * BLOCK;
          const to = block * n + row;
          let [most, sum] = [0, 0];
          for (let k = from; k < from + BLOCK; k++) {
            most = Math.max(most, Math.abs(floats[k]));
            sum += floats[k];
          }
          floats[room.scales / 4 + to] = most / LARGEST;
          floats[room.sums / 4 + to] = sum;
          const times = most ? LARGEST / most : 0;
          for (let k = 0; k < BLOCK; k++)
            shorts[room.shorts / 2 + to * BLOCK + k] = Math.round(floats[from + k] * times);
        }
    }
    // What has been shortened, times a matrix.
    /** @param {string} name @param {number} out @param {number} n */
    times(name, out, n) {
      const [{ room }, { at, scales, rows, columns }] = [this, this.named[name]];
      const product = n === 1 ? "one" : "four";
      this.memory.kernel[product](at, scales, room.shorts, room.scales, room.sums, out, rows, columns / BLOCK);
      const low = this.share && this.low.get(name);
      if (low) for (let row = 0; row < n; row++) this.beside(low, row * columns, out / 4 + row * rows);
    }
    // What was learned beside a matrix, for one row x: so much of x A B is added.
    /** @param {{ a: Float32Array, b: Float32Array, rank: number }} low @param {number} row @param {number} to */
    beside({ a, b, rank }, row, to) {
      const { floats } = this.memory;
      for (let r = 0; r < rank; r++) {
        let sum = 0;
        for (let k = r, x = this.shortened + row; k < a.length; k += rank) sum += floats[x++] * a[k];
        sum *= this.share;
        for (let k = r * (b.length / rank), y = to; y < to + b.length / rank; ) floats[y++] += sum * b[k++];
      }
    }
    // Numbers of sixteen bits that were learned: of each matrix of the layers from one on A, then B; whether they fit.
    /** @param {Uint8Array} bytes @param {number} first @param {number} rank */
    learn(bytes, first, rank) {
      let at = 0;
      /** @param {number} count */
      const taken = (count) =>
        Float32Array.from({ length: count }, () => this.halves[bytes[at++] | (bytes[at++] << 8)]);
      for (let layer = first; layer < this.layers; layer++)
        for (const part of ["attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"]) {
          const { name, rows, columns } = this.named[`blk.${layer}.${part}.weight`];
          this.low.set(name, { a: taken(columns * rank), b: taken(rows * rank), rank });
        }
      if (at !== bytes.length) this.low.clear();
      return at === bytes.length;
    }
    // Each row divided by the root of the mean of its squares, times a learned factor; shortened.
    /** @param {string} name @param {number} n */
    norm(name, n) {
      const { room, width, epsilon } = this;
      const { floats } = this.memory;
      const gain = this.named[name].at / 4;
      for (let row = 0; row < n; row++) {
        const [from, to] = [room.x / 4 + row * width, room.items / 4 + row * width];
        let squares = 0;
        for (let k = 0; k < width; k++) squares += floats[from + k] ** 2;
        const size = Math.sqrt(squares / width + epsilon);
        for (let k = 0; k < width; k++) floats[to + k] = (floats[from + k] / size) * floats[gain + k];
      }
      this.shorten(room.items, width, n);
    }
    // Pairs of neighbours turned by an angle that grows with the place.
    /** @param {number} at @param {number} count @param {number} place */
    turn(at, count, place) {
      const { depth, base } = this;
      const { floats } = this.memory;
      for (let k = 0; k < depth / 2; k++) {
        const angle = place * base ** ((-2 * k) / depth);
        const [c, s] = [Math.cos(angle), Math.sin(angle)];
        for (let head = 0; head < count; head++) {
          const p = at / 4 + head * depth + 2 * k;
          const [one, two] = [floats[p], floats[p + 1]];
          floats[p] = one * c - two * s;
          floats[p + 1] = one * s + two * c;
        }
      }
    }
    // A head at a place: its weights, and what it blends; one that is taken out blends nothing.
    /** @param {number} layer @param {number} head @param {number} row @param {number} place @param {boolean} out */
    attend(layer, head, row, place, out) {
      const { room, width, depth, heads, groups, context } = this;
      const { floats, kernel } = this.memory;
      const blended = room.items + 4 * (row * width + head * depth);
      const weights = room.weights + 4 * (layer * heads + head) * context;
      if (out) {
        floats.fill(0, blended / 4, blended / 4 + depth);
        return floats.fill(0, weights / 4, weights / 4 + place + 1);
      }
      const group = 4 * depth * Math.floor((head * groups) / heads);
      const [n, wide] = [place + 1, 4 * groups * depth];
      const query = room.query + 4 * (row * width + head * depth);
      kernel.scores(query, this.keys(layer, 0) + group, weights, n, depth / 4, wide);
      const own = floats.subarray(weights / 4, weights / 4 + n);
      let [most, total] = [-Infinity, 0];
      for (let k = 0; k < n; k++) if (own[k] > most) most = own[k];
      const root = Math.sqrt(depth);
      for (let k = 0; k < n; k++) total += own[k] = Math.exp((own[k] - most) / root);
      for (let k = 0; k < n; k++) own[k] /= total;
      kernel.blend(weights, this.values(layer, 0) + group, blended, n, depth / 4, wide);
    }
    // A matrix of what stands at `from`, shortened first, is added to the stream.
    /** @param {string} name @param {number} from @param {number} wide @param {number} n */
    add(name, from, wide, n) {
      const { floats } = this.memory;
      const [x, b] = [this.room.x / 4, this.room.b / 4];
      this.shorten(from, wide, n);
      this.times(name, this.room.b, n);
      for (let k = 0; k < n * this.width; k++) floats[x + k] += floats[b + k];
    }
    /** @param {number} layer @param {number} place @param {number} n @param {Set<number>} without */
    block(layer, place, n, without) {
      const { room, width, heads, groups, hidden } = this;
      const { floats } = this.memory;
      const name = `blk.${layer}.`;
      this.norm(`${name}attn_norm.weight`, n);
      this.times(`${name}attn_q.weight`, room.query, n);
      this.times(`${name}attn_k.weight`, this.keys(layer, place), n);
      this.times(`${name}attn_v.weight`, this.values(layer, place), n);
      for (let row = 0; row < n; row++) {
        this.turn(room.query + 4 * row * width, heads, place + row);
        this.turn(this.keys(layer, place + row), groups, place + row);
        for (let head = 0; head < heads; head++)
          this.attend(layer, head, row, place + row, without.has(layer * heads + head));
      }
      this.add(`${name}attn_output.weight`, room.items, width, n);
      this.norm(`${name}ffn_norm.weight`, n);
      this.times(`${name}ffn_gate.weight`, room.a, n);
      this.times(`${name}ffn_up.weight`, room.b, n);
      for (let k = 0; k < n * hidden; k++) {
        const gate = floats[room.a / 4 + k];
        floats[room.a / 4 + k] = (gate / (1 + Math.exp(-gate))) * floats[room.b / 4 + k];
      }
      this.add(`${name}ffn_down.weight`, room.a, hidden, n);
    }
    // Some pieces from a place on, through all layers.
    /** @param {number[]} numbers @param {number} place @param {Set<number>} without */
    through(numbers, place, without) {
      const { floats, integers } = this.memory;
      const { at, scales, columns } = this.named["token_embd.weight"];
      numbers.forEach((number, row) => {
        for (let k = 0; k < columns; k++) {
          const step = floats[scales / 4 + (number * columns + (k - (k % BLOCK))) / BLOCK];
          floats[this.room.x / 4 + row * columns + k] = integers[at + number * columns + k] * step;
        }
      });
      for (let layer = 0; layer < this.layers; layer++) this.block(layer, place, numbers.length, without);
    }
    // The scores of what follows a row, and the logarithm of their sum.
    /** @param {number} row */
    scored(row) {
      const { room, width } = this;
      const { floats, kernel } = this.memory;
      const { at, scales, rows, columns } = this.named["token_embd.weight"];
      floats.copyWithin(room.x / 4, room.x / 4 + row * width, room.x / 4 + (row + 1) * width);
      this.norm("output_norm.weight", 1);
      kernel.table(at, scales, room.shorts, room.scales, room.scores, rows, columns / BLOCK);
      const scores = floats.subarray(room.scores / 4, room.scores / 4 + rows);
      let [most, total] = [-Infinity, 0];
      for (const score of scores) if (score > most) most = score;
      for (const score of scores) total += Math.exp(score - most);
      return { scores, log: most + Math.log(total) };
    }
    // Of each head the weights of the last of n pieces.
    /** @param {number} n */
    weights(n) {
      const weights = new Float32Array(this.layers * this.heads * n);
      for (let head = 0; head < this.layers * this.heads; head++) {
        const from = this.room.weights / 4 + head * this.context;
        weights.set(this.memory.floats.subarray(from, from + n), head * n);
      }
      return weights;
    }
  }

  // The file as it comes: its head, from which the model is made, then its matrices, block by block.
  class Arrival {
    held = new Uint8Array(0); // bytes not used yet,
    place = 0; // where in the file the first stands,
    next = 0; // and which matrix waits for them
    /** @type {Tensor[]} */
    tensors = [];
    /** @type {Reader | null} */
    reader = null;
    /** @param {{ kernel: string, context: number }} given */
    constructor(given) {
      this.given = given;
    }
    // The next bytes: each whole block of them goes to its place in memory, and what is used is let go; whether that was all.
    /** @param {Uint8Array} part */
    take(part) {
      const held = new Uint8Array(this.held.length + part.length);
      held.set(this.held);
      held.set(part, this.held.length);
      this.held = held;
      this.reader ??= this.opened();
      if (!this.reader) return false;
      let used = 0;
      for (let left = 0; this.next < this.tensors.length && !left; this.next += left ? 0 : 1) {
        const tensor = this.tensors[this.next];
        const [numbers, size] = BLOCKS[tensor.kind];
        const from = tensor.from + tensor.done * size - this.place;
        left = (tensor.rows * tensor.columns) / numbers - tensor.done;
        const count = Math.min(left, Math.max(0, Math.floor((held.length - from) / size)));
        for (let k = 0; k < count; k++) this.reader.network.unpack(tensor, held, from + k * size);
        left -= count;
        used = Math.min(held.length, from + count * size);
      }
      this.held = held.slice(used);
      this.place += used;
      return this.next === this.tensors.length;
    }
    opened() {
      try {
        const { about, tensors } = head(this.held);
        this.tensors = tensors;
        return new Reader(new Network(about, tensors, this.given), new Tokenizer(about));
      } catch (error) {
        if (error instanceof RangeError && !this.tensors.length) return null;
        throw error;
      }
    }
  }

  // What reads texts. Of one that begins as the last one did only the rest is read: going back costs nothing.
  class Reader {
    kept = /** @type {number[]} */ ([]); // the pieces whose keys and values are kept,
    how = ""; // which are others without some heads, or taught
    halted = false;
    /** @param {Network} network @param {Tokenizer} tokenizer */
    constructor(network, tokenizer) {
      this.network = network;
      this.tokenizer = tokenizer;
    }
    /** @param {ReturnType<Network["scored"]>} scored */
    likeliest({ scores, log }) {
      const best = /** @type {number[]} */ ([]); // of equals the first stays first
      for (let k = 0; k < scores.length; k++) {
        if (best.length === LIKELIEST && !(scores[k] > scores[best[LIKELIEST - 1]])) continue;
        let at = best.length;
        while (at && scores[k] > scores[best[at - 1]]) at--;
        best.splice(at, 0, k);
        best.length = Math.min(best.length, LIKELIEST);
      }
      return best.map((k) => [k, new TextDecoder().decode(this.tokenizer.pieces[k]), Math.exp(scores[k] - log)]);
    }
    // So many pieces of a text need not be read again; the last is in any case, for what follows it, and all for losses.
    /** @param {ChatQuestion} question */
    alike({ numbers, without = [], losses, taught = 0 }) {
      const how = `${without}; ${taught}`;
      if (this.how !== how) this.kept = [];
      [this.how, this.network.share] = [how, taught];
      let same = 0;
      while (same < numbers.length && this.kept[same] === numbers[same]) same++;
      if (same < numbers.length) this.kept = this.kept.slice(0, same);
      return losses ? 0 : Math.min(same, numbers.length - 1);
    }
    // Some pieces at once, as many as the kernel takes; of each the loss of what follows it, if that is asked for.
    /** @param {ChatQuestion} question @param {number} place @param {number[]} lost */
    some({ numbers, without, losses }, place, lost) {
      const n = !this.network.memory.plain && numbers.length - place >= 4 ? 4 : 1;
      this.network.through(numbers.slice(place, place + n), place, new Set(without));
      for (let row = 0; losses && row < n && place + row + 1 < numbers.length; row++) {
        const { scores, log } = this.network.scored(row);
        lost.push(log - scores[numbers[place + row + 1]]);
      }
      if (place + n > this.kept.length) this.kept = numbers.slice(0, place + n);
      return n;
    }
    // What it makes of a text; `tell` hears now and then how much of it has been read. Null if it is halted.
    /** @param {ChatQuestion} question @param {(done: number) => void} tell */
    async read(question, tell) {
      const { numbers } = question;
      const start = performance.now();
      const same = this.alike(question);
      const losses = /** @type {number[]} */ ([]);
      this.halted = false;
      let [n, listened] = [1, start];
      for (let place = same; place < numbers.length; place += n) {
        if (performance.now() - listened > PATIENCE) {
          tell((place - same) / (numbers.length - same));
          await new Promise((resolve) => setTimeout(resolve));
          if (this.halted) return null;
          listened = performance.now();
        }
        n = this.some(question, place, losses);
      }
      const likeliest = this.likeliest(this.network.scored(n - 1));
      const weights = this.network.weights(numbers.length);
      return { likeliest, weights, losses, took: performance.now() - start, fresh: numbers.length - same };
    }
  }

  // What the worker is told, one after the other:
  //   {kernel, context}                        what computes, and how many pieces at most
  //   {asked, bytes, count}                    so many more bytes of the file: {asked, found: bytes}, to be filled again;
  //                                            {ready} when that was all of it, at any time {failed: why}
  //   {asked, text, marks}                     cut a text; marks are such only if asked for: {asked, found: {numbers, words}}
  //   {asked, words: numbers}                  what pieces say: {asked, found: [word, ...]}
  //   {asked, low: bytes, first, rank}         what was learned beside its matrices: {asked, found: whether it fits}
  //   {asked, numbers, without, losses, taught}  read pieces without some heads, with so much of what was learned:
  //                                            {asked, done: share} now and then, then
  //                                            {asked, found: {likeliest, weights, losses, took, fresh}}
  //   {halt}                                   what is being read is given up: {asked, found: null}
  /** @param {Scope} scope */
  function program(scope) {
    /** @type {Arrival} */
    let file;
    /** @type {Reader} */
    let reader;
    /** @param {any} told */
    async function answer(told) {
      const { asked, text, words, numbers } = told;
      if (told.context) file = new Arrival(told);
      else if (told.bytes) {
        if (file.take(told.bytes.subarray(0, told.count))) {
          reader = /** @type {Reader} */ (file.reader);
          scope.postMessage({ ready: reader.network.memory.plain ? "JavaScript" : "WebAssembly" });
        }
        scope.postMessage({ asked, found: told.bytes }, [told.bytes.buffer]);
      } else if (text !== undefined) {
        const found = reader.tokenizer.numbers(text, told.marks);
        scope.postMessage({ asked, found: { numbers: found, words: reader.tokenizer.words(found) } });
      } else if (words) scope.postMessage({ asked, found: reader.tokenizer.words(words) });
      else if (told.low) scope.postMessage({ asked, found: reader.network.learn(told.low, told.first, told.rank) });
      else if (numbers) {
        const found = await reader.read(told, (done) => scope.postMessage({ asked, done }));
        scope.postMessage({ asked, found }, found ? [found.weights.buffer] : []);
      }
    }
    let last = Promise.resolve();
    scope.onmessage = ({ data: told }) => {
      if (told.halt && reader) reader.halted = true;
      last = last
        .then(() => answer(told))
        .catch((error) => scope.postMessage({ failed: error instanceof Error ? error.message : String(error) }));
    };
  }
  const WORKER = {
    ...{ LIKELIEST, BLOCK, LARGEST, PATIENCE, FLOAT, FOUR, BLOCKS },
    ...{ Memory, head, Tokenizer, Network, Reader, Arrival, program },
  };

  // ---- the model in its worker

  const SMALL = "This device has too little memory for the model, which needs about 300 MB.";
  const SLOW = "WebAssembly is not allowed here, or too old: plain JavaScript computes, about twenty times as slowly.";
  const model = attnkit.inWorker(WORKER, async ({ post, ask, tell, wanted }) => {
    if (/** @type {any} */ (navigator).deviceMemory <= 1) throw new Error(SMALL); // gigabytes, where a browser tells
    const about = await attnkit.fetched("chat/about");
    if (about.missing) throw new Error(about.missing);
    post({ kernel: KERNEL, context: CONTEXT });
    await attnkit.parts("chat", about, { tell, wanted }, (bytes, count) => ask({ bytes, count }, [bytes.buffer]));
    if (model.status.runs === "JavaScript") tell({ message: SLOW });
  });

  // What it was taught on the page "Tune it": fetched once, kept in this page, and handed to each worker that begins.
  /** @type {Promise<{ low: Uint8Array, first: number, rank: number }> | null} */
  let lesson = null;
  const MISFIT = "What was taught does not fit this model. Both have to come from the same copy of the book.";
  let taught = false; // whether the present worker has it
  model.watch(() => {
    if (model.status.state !== "ready") taught = false;
  });
  async function brought() {
    const about = await attnkit.fetched("taught/about");
    const low = new Uint8Array(about.size);
    let at = 0;
    await attnkit.parts("taught", about, { tell() {}, wanted: () => true }, async (bytes, count) => {
      low.set(bytes.subarray(0, count), at);
      at += count;
      return bytes;
    });
    return { low, first: about.first, rank: about.rank };
  }
  async function teach() {
    if (taught) return;
    lesson ??= brought();
    try {
      taught = await model.ask(await lesson);
      if (!taught) throw new Error(MISFIT);
    } catch (error) {
      lesson = null;
      throw error;
    }
  }

  // ---- who answers a figure: the worker, or in a notebook the kernel, which is asked by one trait and answers by another

  /** @param {Model} traits */
  function kernel(traits) {
    /** @type {Map<number, (found: any) => void>} */
    const waiting = new Map();
    let count = 0;
    traits.on("change:_answer", () => {
      const { asked, found } = traits.get("_answer");
      if (typeof found?.weights === "string") {
        const bytes = Uint8Array.from(atob(found.weights), (letter) => letter.charCodeAt(0));
        found.weights = new Float32Array(bytes.buffer);
      }
      waiting.get(asked)?.(found);
      waiting.delete(asked);
    });
    /** @param {object} question @returns {Promise<any>} */
    return (question) =>
      new Promise((resolve) => {
        waiting.set(++count, resolve);
        traits.set("_asked", { asked: count, ...question });
        traits.save_changes();
      });
  }

  // ---- what its figures show

  // A mark stands in no text: letters and signs are never in one piece.
  /** @param {string} word */
  const isMark = (word) => /^<.*\w.*>$/.test(word);
  // A piece as it can be seen.
  /** @param {string} word */
  const visible = (word) => (isMark(word) ? word.replace(/[<|>]/g, "") : word.replace(/\n/g, "⏎").replace(/\t/g, "⇥"));
  // The same in words: what is not a whole letter has a name.
  /** @param {string} word */
  const spelled = (word) => (/^$|\uFFFD/.test(word) ? "part of a letter" : visible(word));
  /** @param {number} head @param {number} heads */
  const named = (head, heads) => `head ${(head % heads) + 1} of layer ${Math.floor(head / heads) + 1}`;

  // All heads, a row for each layer, shaded by how much they are of a kind; folded at first where there is little room.
  /** @type {Chat["grid"]} */
  function grid(figure, choose) {
    /** @type {Omit<ChatHeads, "asks">} */
    const { layers, heads, kinds } = figure.given("layers", "heads", "kinds");
    const buttons = Array.from({ length: layers * heads }, (_, head) => attnkit.button("", () => choose(head)));
    const stop = attnkit.walk(buttons, { columns: heads });
    const rows = Array.from({ length: layers }, (_, layer) => [
      attnkit.h("span", { class: "ak-small" }, layer && (layer + 1) % 5 ? "" : String(layer + 1)),
      buttons.slice(layer * heads, (layer + 1) * heads),
    ]);
    const label = "The heads, a row for each layer";
    const all = attnkit.h("div", { class: "ak-heads", role: "group", "aria-label": label }, rows);
    attnkit.style(all, "gridTemplateColumns", `1.4rem repeat(${heads}, minmax(0, 1fr))`);
    all.addEventListener("pointerover", ({ target }) => {
      const k = buttons.indexOf(/** @type {HTMLButtonElement} */ (target));
      const { name, scores } = kinds[figure.get("shade")];
      if (k >= 0) buttons[k].title = `${named(k, heads)}: ${name} ${attnkit.fixed(scores.flat()[k])}`; // more than a shade says
    });
    const choice = figure.choice({ label: "shaded", words: kinds.map(({ name }) => name), trait: "shade" });
    const open = !globalThis.matchMedia?.("(max-width: 40rem)").matches;
    const summary = attnkit.h("summary", {}, `All ${layers * heads} heads`);
    const legend = attnkit.h("p", { class: "ak-small" }, "With a dot: recorded.");
    return {
      element: attnkit.h("details", { class: "ak-all", open }, summary, choice.element, all, legend),
      show({ shade }, pressed, recorded) {
        if (pressed.length) stop.at(pressed[0]);
        legend.hidden = !recorded;
        attnkit.attr(all, "aria-label", `${label}, shaded by ${kinds[shade].name}`);
        buttons.forEach((button, k) => {
          const score = kinds[shade].scores[Math.floor(k / heads)][k % heads];
          attnkit.paint(button, score, 1, "weight");
          const known = Boolean(recorded?.(k));
          attnkit.attr(button, "aria-label", `${named(k, heads)}${known ? ", recorded" : ""}`);
          attnkit.attr(button, "data-recorded", String(known));
          attnkit.attr(button, "aria-pressed", String(pressed.includes(k)));
        });
      },
    };
  }

  attnkit.chat = {
    ...model,
    isMark,
    visible,
    spelled,
    said: (word) => attnkit.quoted(spelled(word)),
    named,
    grid,
    program,
    kernel: KERNEL,
    context: CONTEXT,
    of({ model: traits }) {
      const live = "send" in traits;
      const ask = live ? kernel(traits) : model.ask;
      return {
        live,
        ready: () => (live ? traits.get("asks") : model.status.state === "ready"),
        cut: (text, marks) => ask({ text, marks }),
        words: (numbers) => ask({ words: numbers }),
        async read(question, onDone) {
          if (question.taught && !live) await teach(); // a worker that has begun since
          return ask(question, onDone);
        },
        taught: () => live || taught,
        teach,
        halt: () => live || model.post({ halt: true }),
      };
    },
  };
})(globalThis.attnkit);
