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

  // What the worker does; it gets this function as a text, and nothing from outside but what it is told:
  //   {kernel, context}                        what computes, and how many pieces at most
  //   {asked, bytes, count}                    so many more bytes of the file: {asked, found: bytes}, to be filled again;
  //                                            {ready} when that was all of it, at any time {failed: why}
  //   {asked, text, marks}                     cut a text; marks are such only if asked for: {asked, found: {numbers, words}}
  //   {asked, words: numbers}                  what pieces say: {asked, found: [word, ...]}
  //   {asked, numbers, without, losses}        read pieces without some heads: {asked, done: share} now and then, then
  //                                            {asked, found: {likeliest, weights, losses, took, fresh}}
  //   {halt}                                   what is being read is given up: {asked, found: null}
  // Of a text that begins as the last one did, only the rest is read: going back costs nothing.
  // biome-ignore lint/complexity/noExcessiveLinesPerFunction: a program of its own, which holds its functions together
  function program(/** @type {Scope} */ scope) {
    const LIKELIEST = 50;
    const BLOCK = 32; // numbers that share a scale
    const LARGEST = 32767; // of sixteen bits
    const PATIENCE = 100; // milliseconds until it listens again

    // ---- memory, and the products in it: of WebAssembly where that is allowed, else as good as it goes

    /** @type {Uint8Array<ArrayBufferLike>} */
    let bytes = new Uint8Array(0);
    let integers = new Int8Array(0);
    let shorts = new Int16Array(0);
    let floats = new Float32Array(0);

    // The twins of what is in chat_kernel.wat; places are those of bytes, as there.
    /** @type {Kernel} */
    const plain = {
      one(nibbles, pairs, x, scales, sums, y, rows, blocks) {
        let [pair, to] = [pairs >> 2, y >> 2];
        for (let row = 0; row < rows; row++) {
          let total = 0;
          let at = x >> 1;
          for (let block = 0; block < blocks; block++) {
            let dot = 0;
            for (const end = at + BLOCK / 2; at < end; at++) {
              const both = bytes[nibbles++];
              dot = (dot + (both & 15) * shorts[at] + (both >> 4) * shorts[at + BLOCK / 2]) | 0;
            }
            at += BLOCK / 2;
            total += floats[pair++] * floats[(scales >> 2) + block] * dot;
            total += floats[pair++] * floats[(sums >> 2) + block];
          }
          floats[to++] = total;
        }
      },
      four() {}, // without SIMD there is nothing to gain: one after the other
      table(table, steps, x, scales, y, rows, blocks) {
        let [step, to] = [steps >> 2, y >> 2];
        for (let row = 0; row < rows; row++) {
          let total = 0;
          let at = x >> 1;
          for (let block = 0; block < blocks; block++) {
            let dot = 0;
            for (const end = at + BLOCK; at < end; at++) dot = (dot + integers[table++] * shorts[at]) | 0;
            total += floats[step++] * floats[(scales >> 2) + block] * dot;
          }
          floats[to++] = total;
        }
      },
      scores(query, keys, scores, n, fours, wide) {
        for (let place = 0; place < n; place++) {
          let [total, q, k] = [0, query / 4, (keys + place * wide) / 4];
          for (let left = 4 * fours; left; left--) total += floats[q++] * floats[k++];
          floats[scores / 4 + place] = total;
        }
      },
      blend(weights, values, blended, n, fours, wide) {
        floats.fill(0, blended / 4, blended / 4 + 4 * fours);
        for (let place = 0; place < n; place++) {
          const weight = floats[weights / 4 + place];
          const from = (values + place * wide) / 4;
          for (let k = 0; k < 4 * fours; k++) floats[blended / 4 + k] += weight * floats[from + k];
        }
      },
    };
    let kernel = plain;
    let [code, context] = ["", 0]; // of the kernel, in base64; pieces whose keys and values are kept
    // Room for so many bytes; returns what computes in it.
    /** @param {number} count */
    function makeRoom(count) {
      /** @type {ArrayBufferLike} */
      let buffer;
      /** @type {WebAssembly.Exports | null} */
      let exports = null;
      try {
        const assembled = Uint8Array.from(atob(code), (letter) => letter.charCodeAt(0));
        exports = new WebAssembly.Instance(new WebAssembly.Module(assembled)).exports;
      } catch {} // the content policy, or no SIMD
      if (exports) {
        const memory = /** @type {WebAssembly.Memory} */ (exports.memory);
        memory.grow(Math.ceil(count / 65536));
        buffer = memory.buffer;
        kernel = /** @type {any} */ (exports);
      } else buffer = new ArrayBuffer(8 * Math.ceil(count / 8));
      bytes = new Uint8Array(buffer);
      integers = new Int8Array(buffer);
      shorts = new Int16Array(buffer);
      floats = new Float32Array(buffer);
      return exports ? "WebAssembly" : "JavaScript";
    }

    // ---- the file: GGUF, its head first, then its matrices, block by block as they come

    const [FLOAT, FOUR, EIGHT] = [0, 3, 8]; // kinds of matrices: float32, Q4_1, Q8_0
    /** @type {Record<number, [numbers: number, bytes: number]>} */
    const BLOCKS = { [FLOAT]: [1, 4], [FOUR]: [BLOCK, 20], [EIGHT]: [BLOCK, 34] };
    const STRING = 8;
    const LIST = 9;
    /** @type {Record<number, [size: number, read: "getUint8" | "getInt8" | "getUint16" | "getInt16" | "getUint32" | "getInt32" | "getFloat32" | "getFloat64"]>} */
    const SCALARS = {
      0: [1, "getUint8"],
      1: [1, "getInt8"],
      2: [2, "getUint16"],
      3: [2, "getInt16"],
      4: [4, "getUint32"],
      5: [4, "getInt32"],
      6: [4, "getFloat32"],
      7: [1, "getUint8"],
      10: [8, "getUint32"], // nothing in it is larger
      11: [8, "getInt32"],
      12: [8, "getFloat64"],
    };
    // What stands before the numbers: what the file says of itself, and where each matrix begins. RangeError: it goes on.
    /** @param {Uint8Array} file */
    function head(file) {
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
      const found = Array.from({ length: count }, () => {
        const name = value(STRING);
        const [columns, rows = 1] = Array.from({ length: value(4) }, () => value(10));
        return { name, rows, columns, kind: value(4), from: value(10), at: 0, scales: 0, done: 0 };
      });
      const first = 32 * Math.ceil(at / 32);
      for (const tensor of found) tensor.from += first;
      return { about, found };
    }

    // Halves of a float as floats, all 65,536.
    const HALVES = Float32Array.from({ length: 65536 }, (_, bits) => {
      const [exponent, rest] = [(bits >> 10) & 31, bits & 1023];
      const size = exponent ? 2 ** (exponent - 15) * (1 + rest / 1024) : (2 ** -14 * rest) / 1024;
      return bits >> 15 ? -size : size;
    });
    /** @type {Tensor[]} */
    let tensors = [];
    /** @type {Record<string, Tensor>} */
    const named = {};
    let runs = "";
    // Bytes not used yet, how many there are, where in the file the first stands, and which matrix waits for them.
    let [held, filled, place, next] = [new Uint8Array(0), 0, 0, 0];

    // The next bytes of the file: each whole block of them goes to its place in memory, and what is used is let go.
    /** @param {Uint8Array} part */
    function take(part) {
      if (filled + part.length > held.length) {
        const larger = new Uint8Array(filled + part.length + 64);
        larger.set(held.subarray(0, filled));
        held = larger;
      }
      held.set(part, filled);
      filled += part.length;
      if (!tensors.length && !begin()) return;
      let used = 0;
      for (let left = 0; next < tensors.length && !left; next += left ? 0 : 1) {
        const tensor = tensors[next];
        const [numbers, size] = BLOCKS[tensor.kind];
        const from = tensor.from + tensor.done * size - place;
        left = (tensor.rows * tensor.columns) / numbers - tensor.done;
        const count = Math.min(left, Math.max(0, Math.floor((filled - from) / size)));
        for (let k = 0; k < count; k++) unpack(tensor, held, from + k * size);
        left -= count;
        used = Math.min(filled, from + count * size);
      }
      held.copyWithin(0, used, filled);
      filled -= used;
      place += used;
      if (next < tensors.length) return;
      held = new Uint8Array(0);
      scope.postMessage({ ready: runs });
    }
    function begin() {
      try {
        const { about, found } = head(held.subarray(0, filled));
        tensors = found.sort((a, b) => a.from - b.from);
        sizes(about);
        tokenizer(about);
      } catch (error) {
        if (error instanceof RangeError && !tensors.length) return false;
        throw error;
      }
      return true;
    }
    // A block of a matrix: its scales as floats, its integers as they are.
    /** @param {Tensor} tensor @param {Uint8Array} file @param {number} from */
    function unpack(tensor, file, from) {
      const block = tensor.done++;
      /** @param {number} at */
      const half = (at) => HALVES[file[at] | (file[at + 1] << 8)];
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

    // ---- sizes, and where everything stands in memory

    let [layers, heads, groups, width, depth, hidden, base, epsilon] = [0, 0, 0, 0, 0, 0, 0, 0];
    const room = {
      x: 0,
      items: 0,
      a: 0,
      b: 0,
      query: 0,
      shorts: 0,
      scales: 0,
      sums: 0,
      scores: 0,
      weights: 0,
      kept: 0,
    };
    /** @param {Record<string, any>} about */
    function sizes(about) {
      const name = about["general.architecture"];
      /** @param {string} key */
      const of = (key) => about[`${name}.${key}`];
      [layers, width, hidden] = [of("block_count"), of("embedding_length"), of("feed_forward_length")];
      [heads, groups] = [of("attention.head_count"), of("attention.head_count_kv")];
      [base, epsilon] = [of("rope.freq_base"), of("attention.layer_norm_rms_epsilon")];
      depth = width / heads;
      let at = 64;
      /** @param {number} count */
      const taken = (count) => {
        at += 64 * Math.ceil(count / 64);
        return at - 64 * Math.ceil(count / 64);
      };
      for (const tensor of tensors) {
        const count = tensor.rows * tensor.columns;
        named[tensor.name] = tensor;
        tensor.at = taken(tensor.kind === FLOAT ? 4 * count : tensor.kind === FOUR ? count / 2 : count);
        if (tensor.kind !== FLOAT) tensor.scales = taken(((tensor.kind === FOUR ? 8 : 4) * count) / BLOCK);
      }
      for (const key of /** @type {const} */ (["x", "items", "query"])) room[key] = taken(16 * width);
      for (const key of /** @type {const} */ (["a", "b"])) room[key] = taken(16 * hidden);
      room.shorts = taken(8 * hidden);
      for (const key of /** @type {const} */ (["scales", "sums"])) room[key] = taken((16 * hidden) / BLOCK);
      room.scores = taken(4 * named["token_embd.weight"].rows);
      room.weights = taken(4 * layers * heads * context);
      room.kept = taken(8 * layers * context * groups * depth);
      try {
        runs = makeRoom(at);
      } catch {
        const most = Math.ceil(at / 1e6);
        throw new Error(
          `There is too little memory for the model: it needs ${most} MB. Close other pages, and try again.`,
        );
      }
    }
    // Where the keys of a place in a layer are kept; the values of a layer stand behind its keys.
    /** @param {number} layer @param {number} place */
    const keysOf = (layer, place) => room.kept + 4 * groups * depth * (2 * layer * context + place);
    const valuesOf = (/** @type {number} */ layer, /** @type {number} */ place) => keysOf(layer, place + context);

    // ---- pieces: the twin of Tokenizer in bookkit/lessons/chat_model.py

    /** @type {Uint8Array[]} */
    let pieces = []; // the bytes of each
    /** @type {Map<string, number>} */
    let known = new Map(); // of each its number
    /** @type {Map<string, number>} */
    let ranks = new Map(); // of pairs that are joined, the first first
    /** @type {Map<string, number>} */
    let marks = new Map();
    /** @type {string[]} */
    const letters = []; // one for each byte: itself if it can be seen, else one from 256 on
    for (let byte = 0, other = 256; byte < 256; byte++) {
      const seen = (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
      letters.push(String.fromCharCode(seen ? byte : other++));
    }
    /** @param {Record<string, any>} about */
    function tokenizer(about) {
      /** @type {string[]} */
      const tokens = about["tokenizer.ggml.tokens"];
      /** @type {number[]} */
      const kinds = about["tokenizer.ggml.token_type"];
      const MARK = 3;
      const byteOf = new Map(letters.map((letter, byte) => [letter, byte]));
      known = new Map(tokens.map((token, k) => [token, k]));
      marks = new Map(tokens.flatMap((token, k) => (kinds[k] === MARK ? [[token, k]] : [])));
      ranks = new Map(
        about["tokenizer.ggml.merges"].map((/** @type {string} */ pair, /** @type {number} */ k) => [pair, k]),
      );
      pieces = tokens.map((token, k) =>
        kinds[k] === MARK
          ? new TextEncoder().encode(token)
          : Uint8Array.from(token, (letter) => Number(byteOf.get(letter))),
      );
    }
    // Cut before blanks, between letters and signs, and around each digit.
    const WORDS =
      /\p{N}|'(?:s|t|re|ve|m|ll|d)| ?\p{L}+| ?[^\p{White_Space}\p{L}\p{N}]+|\p{White_Space}+(?=\p{White_Space}|$|\p{N})|\p{White_Space}+/gu;
    // A word's bytes, of which again and again the pair is joined that comes first in the list, wherever it stands.
    /** @param {string} word */
    function joined(word) {
      let parts = Array.from(new TextEncoder().encode(word), (byte) => letters[byte]);
      /** @param {number} k */
      const rank = (k) => ranks.get(`${parts[k]} ${parts[k + 1]}`) ?? Infinity;
      let order = parts.slice(1).map((_, k) => rank(k));
      for (;;) {
        let first = Infinity;
        for (const one of order) if (one < first) first = one;
        if (first === Infinity) return parts.flatMap((part) => known.get(part) ?? []);
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
    /** @param {string} text @param {boolean} marked */
    function numbersOf(text, marked) {
      if (!marked) return Array.from(text.match(WORDS) ?? []).flatMap(joined);
      const found = /** @type {number[]} */ ([]);
      let left = text;
      while (left) {
        const starts = [...marks.keys()].map((mark) => ({ mark, at: left.indexOf(mark) })).filter(({ at }) => at >= 0);
        const first = starts.reduce((a, b) => (b.at < a.at ? b : a), { mark: "", at: left.length });
        found.push(...numbersOf(left.slice(0, first.at), false));
        if (first.mark) found.push(Number(marks.get(first.mark)));
        left = left.slice(first.at + first.mark.length);
      }
      return found;
    }
    // What each piece adds to the text: a letter of several bytes comes with the last of them.
    /** @param {number[]} numbers */
    function wordsOf(numbers) {
      const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
      return numbers.map((number) => decoder.decode(pieces[number], { stream: true }));
    }

    // ---- reading

    // Rows of floats as sixteen bits, block by block side by side; of each block its scale and its sum.
    /** @param {number} x @param {number} wide @param {number} n */
    function shorten(x, wide, n) {
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
    function times(name, out, n) {
      const { at, scales, rows, columns } = named[name];
      const product = n === 1 ? kernel.one : kernel.four;
      product(at, scales, room.shorts, room.scales, room.sums, out, rows, columns / BLOCK);
    }
    // Each row divided by the root of the mean of its squares, times a learned factor; shortened.
    /** @param {string} name @param {number} n */
    function norm(name, n) {
      const gain = named[name].at / 4;
      for (let row = 0; row < n; row++) {
        const [from, to] = [room.x / 4 + row * width, room.items / 4 + row * width];
        let squares = 0;
        for (let k = 0; k < width; k++) squares += floats[from + k] ** 2;
        const size = Math.sqrt(squares / width + epsilon);
        for (let k = 0; k < width; k++) floats[to + k] = (floats[from + k] / size) * floats[gain + k];
      }
      shorten(room.items, width, n);
    }
    // Pairs of neighbours turned by an angle that grows with the place.
    /** @param {number} at @param {number} count @param {number} place */
    function turn(at, count, place) {
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
    function attend(layer, head, row, place, out) {
      const blended = room.items + 4 * (row * width + head * depth);
      const weights = room.weights + 4 * (layer * heads + head) * context;
      if (out) {
        floats.fill(0, blended / 4, blended / 4 + depth);
        return floats.fill(0, weights / 4, weights / 4 + place + 1);
      }
      const group = 4 * depth * Math.floor((head * groups) / heads);
      const [n, wide] = [place + 1, 4 * groups * depth];
      const query = room.query + 4 * (row * width + head * depth);
      kernel.scores(query, keysOf(layer, 0) + group, weights, n, depth / 4, wide);
      const own = floats.subarray(weights / 4, weights / 4 + n);
      let [most, total] = [-Infinity, 0];
      for (let k = 0; k < n; k++) if (own[k] > most) most = own[k];
      const root = Math.sqrt(depth);
      for (let k = 0; k < n; k++) total += own[k] = Math.exp((own[k] - most) / root);
      for (let k = 0; k < n; k++) own[k] /= total;
      kernel.blend(weights, valuesOf(layer, 0) + group, blended, n, depth / 4, wide);
    }
    /** @param {number} count */
    function add(count) {
      for (let k = 0; k < count; k++) floats[room.x / 4 + k] += floats[room.a / 4 + k];
    }
    /** @param {number} layer @param {number} place @param {number} n @param {Set<number>} without */
    function block(layer, place, n, without) {
      const name = `blk.${layer}.`;
      const wide = groups * depth;
      norm(`${name}attn_norm.weight`, n);
      times(`${name}attn_q.weight`, room.query, n);
      times(`${name}attn_k.weight`, keysOf(layer, place), n);
      times(`${name}attn_v.weight`, valuesOf(layer, place), n);
      for (let row = 0; row < n; row++) {
        turn(room.query + 4 * row * width, heads, place + row);
        turn(keysOf(layer, place) + 4 * row * wide, groups, place + row);
        for (let head = 0; head < heads; head++)
          attend(layer, head, row, place + row, without.has(layer * heads + head));
      }
      shorten(room.items, width, n);
      times(`${name}attn_output.weight`, room.a, n);
      add(n * width);
      norm(`${name}ffn_norm.weight`, n);
      times(`${name}ffn_gate.weight`, room.a, n);
      times(`${name}ffn_up.weight`, room.b, n);
      for (let k = 0; k < n * hidden; k++) {
        const gate = floats[room.a / 4 + k];
        floats[room.a / 4 + k] = (gate / (1 + Math.exp(-gate))) * floats[room.b / 4 + k];
      }
      shorten(room.a, hidden, n);
      times(`${name}ffn_down.weight`, room.a, n);
      add(n * width);
    }
    // Some pieces from a place on, through all layers.
    /** @param {number[]} numbers @param {number} place @param {Set<number>} without */
    function through(numbers, place, without) {
      const { at, scales } = named["token_embd.weight"];
      numbers.forEach((number, row) => {
        for (let k = 0; k < width; k++) {
          const step = floats[scales / 4 + (number * width + (k - (k % BLOCK))) / BLOCK];
          floats[room.x / 4 + row * width + k] = integers[at + number * width + k] * step;
        }
      });
      for (let layer = 0; layer < layers; layer++) block(layer, place, numbers.length, without);
    }
    // The scores of what follows a row, and the logarithm of their sum.
    /** @param {number} row */
    function scored(row) {
      const { at, scales, rows, columns } = named["token_embd.weight"];
      floats.copyWithin(room.x / 4, room.x / 4 + row * width, room.x / 4 + (row + 1) * width);
      norm("output_norm.weight", 1);
      kernel.table(at, scales, room.shorts, room.scales, room.scores, rows, columns / BLOCK);
      const scores = floats.subarray(room.scores / 4, room.scores / 4 + rows);
      let [most, total] = [-Infinity, 0];
      for (const score of scores) if (score > most) most = score;
      for (const score of scores) total += Math.exp(score - most);
      return { scores, log: most + Math.log(total) };
    }
    /** @param {ReturnType<typeof scored>} scored */
    function likeliest({ scores, log }) {
      const best = /** @type {number[]} */ ([]); // of equals the first stays first
      for (let k = 0; k < scores.length; k++) {
        if (best.length === LIKELIEST && !(scores[k] > scores[best[LIKELIEST - 1]])) continue;
        let at = best.length;
        while (at && scores[k] > scores[best[at - 1]]) at--;
        best.splice(at, 0, k);
        best.length = Math.min(best.length, LIKELIEST);
      }
      return best.map((k) => [k, new TextDecoder().decode(pieces[k]), Math.exp(scores[k] - log)]);
    }

    let kept = /** @type {number[]} */ ([]); // the pieces whose keys and values are kept,
    let keptWithout = ""; // which are others without some heads
    let halted = false;
    // So many pieces of a text need not be read again; the last is in any case, for what follows it, and all for losses.
    /** @param {ChatQuestion} question */
    function alike({ numbers, without = [], losses }) {
      if (keptWithout !== String(without)) kept = [];
      keptWithout = String(without);
      let same = 0;
      while (same < numbers.length && kept[same] === numbers[same]) same++;
      if (same < numbers.length) kept = kept.slice(0, same);
      return losses ? 0 : Math.min(same, numbers.length - 1);
    }
    // Some pieces at once, as many as the kernel takes; of each the loss of what follows it, if that is asked for.
    /** @param {ChatQuestion} question @param {number} place @param {number[]} lost */
    function some({ numbers, without, losses }, place, lost) {
      const n = kernel !== plain && numbers.length - place >= 4 ? 4 : 1;
      through(numbers.slice(place, place + n), place, new Set(without));
      for (let row = 0; losses && row < n && place + row + 1 < numbers.length; row++) {
        const { scores, log } = scored(row);
        lost.push(log - scores[numbers[place + row + 1]]);
      }
      if (place + n > kept.length) kept = numbers.slice(0, place + n);
      return n;
    }
    /** @param {ChatQuestion & { asked: number }} question */
    async function read(question) {
      const { asked, numbers } = question;
      const start = performance.now();
      const same = alike(question);
      const losses = /** @type {number[]} */ ([]);
      halted = false;
      let [n, listened] = [1, start];
      for (let place = same; place < numbers.length; place += n) {
        if (performance.now() - listened > PATIENCE) {
          scope.postMessage({ asked, done: (place - same) / (numbers.length - same) });
          await new Promise((resolve) => setTimeout(resolve));
          if (halted) return null;
          listened = performance.now();
        }
        n = some(question, place, losses);
      }
      const best = likeliest(scored(n - 1));
      const weights = new Float32Array(layers * heads * numbers.length);
      for (let head = 0; head < layers * heads; head++) {
        const from = room.weights / 4 + head * context;
        weights.set(floats.subarray(from, from + numbers.length), head * numbers.length);
      }
      return { likeliest: best, weights, losses, took: performance.now() - start, fresh: numbers.length - same };
    }

    // ---- what it is told, one after the other

    /** @param {any} told */
    async function answer(told) {
      const { asked, text, words, numbers } = told;
      if (told.context) [code, context] = [told.kernel, told.context];
      else if (told.bytes) {
        take(told.bytes.subarray(0, told.count));
        scope.postMessage({ asked, found: told.bytes }, [told.bytes.buffer]);
      } else if (text !== undefined) {
        const found = numbersOf(text, told.marks);
        scope.postMessage({ asked, found: { numbers: found, words: wordsOf(found) } });
      } else if (words) scope.postMessage({ asked, found: wordsOf(words) });
      else if (numbers) {
        const found = await read(told);
        scope.postMessage({ asked, found }, found ? [found.weights.buffer] : []);
      }
    }
    let last = Promise.resolve();
    scope.onmessage = ({ data: told }) => {
      if (told.halt) halted = true;
      last = last
        .then(() => answer(told))
        .catch((error) => scope.postMessage({ failed: error instanceof Error ? error.message : String(error) }));
    };
  }

  // ---- the model in its worker

  const SMALL = "This device has too little memory for the model, which needs about 300 MB.";
  const SLOW = "WebAssembly is not allowed here, or too old: plain JavaScript computes, about twenty times as slowly.";
  const model = attnkit.inWorker(program, async ({ post, ask, tell, wanted }) => {
    if (/** @type {any} */ (navigator).deviceMemory <= 1) throw new Error(SMALL); // gigabytes, where a browser tells
    const about = await attnkit.fetched("chat/about");
    if (about.missing) throw new Error(about.missing);
    post({ kernel: KERNEL, context: CONTEXT });
    await attnkit.parts("chat", about, { tell, wanted }, (bytes, count) => ask({ bytes, count }, [bytes.buffer]));
    if (model.status.runs === "JavaScript") tell({ message: SLOW });
  });

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
      ...buttons.slice(layer * heads, (layer + 1) * heads),
    ]);
    const label = "The heads, a row for each layer";
    const all = attnkit.h("div", { class: "ak-heads", role: "group", "aria-label": label }, ...rows.flat());
    attnkit.style(all, "gridTemplateColumns", `1.4rem repeat(${heads}, minmax(0, 1fr))`);
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
        read: (question, onDone) => ask(question, onDone),
        halt: () => live || model.post({ halt: true }),
      };
    },
  };
})(globalThis.attnkit);
