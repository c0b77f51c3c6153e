// SHA-256 (FIPS 180-4) of bytes, eight words: for pages over plain http, which are not given the browser's own.
((attnkit) => {
  "use strict";

  const ROUNDS = 64;
  const PRIMES = Array.from({ length: 312 }, (_, n) => n).filter(
    (n) => n > 1 && !Array.from({ length: n }, (_, k) => k).some((k) => k > 1 && n % k === 0),
  );
  const fractions = (root) => PRIMES.map((prime) => Math.floor((prime ** (1 / root) % 1) * 2 ** 32) | 0);
  const [BEGUN, ADDED] = [fractions(2).slice(0, 8), Int32Array.from(fractions(3))];
  const turned = (x, by) => (x >>> by) | (x << (32 - by));

  function digest(bytes) {
    const state = Int32Array.from(BEGUN);
    const words = new Int32Array(ROUNDS);
    const whole = bytes.length - (bytes.length % 64);
    const rest = new Uint8Array(bytes.length - whole < 56 ? 64 : 128);
    rest.set(bytes.subarray(whole));
    rest[bytes.length - whole] = 128;
    new DataView(rest.buffer).setUint32(rest.length - 4, bytes.length * 8);
    function block(from, at) {
      for (let k = 0; k < 16; k++, at += 4)
        words[k] = (from[at] << 24) | (from[at + 1] << 16) | (from[at + 2] << 8) | from[at + 3];
      for (let k = 16; k < ROUNDS; k++) {
        const old = words[k - 15];
        const late = words[k - 2];
        const first = turned(old, 7) ^ turned(old, 18) ^ (old >>> 3);
        words[k] = words[k - 16] + first + words[k - 7] + (turned(late, 17) ^ turned(late, 19) ^ (late >>> 10));
      }
      let [a, b, c, d] = [state[0], state[1], state[2], state[3]];
      let [e, f, g, i] = [state[4], state[5], state[6], state[7]];
      for (let k = 0; k < ROUNDS; k++) {
        const same = (i + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g))) | 0;
        const one = (same + ADDED[k] + words[k]) | 0;
        const two = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
        i = g;
        g = f;
        f = e;
        e = (d + one) | 0;
        d = c;
        c = b;
        b = a;
        a = (one + two) | 0;
      }
      const turn = [a, b, c, d, e, f, g, i];
      for (let k = 0; k < 8; k++) state[k] += turn[k];
    }
    for (let at = 0; at < whole; at += 64) block(bytes, at);
    for (let at = 0; at < rest.length; at += 64) block(rest, at);
    return state;
  }

  attnkit.arrive("digest", digest);
})(globalThis.attnkit);
