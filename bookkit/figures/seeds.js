// The random numbers of torch and of numpy, from the same seeds: with them a page begins where Python begins, and draws what
// Python draws, so that nothing but a seed has to travel. Compared with both by tests/figures/test_story_trainer.py.
((attnkit) => {
  "use strict";

  // torch.manual_seed(seed): the Mersenne Twister of Matsumoto and Nishimura (1998). Gives whole numbers of 32 bits.
  function twister(seed) {
    const state = new Uint32Array(624);
    state[0] = seed;
    for (let k = 1; k < 624; k++) state[k] = Math.imul(1812433253, state[k - 1] ^ (state[k - 1] >>> 30)) + k;
    let at = 624;
    function renew() {
      for (let k = 0; k < 624; k++) {
        const y = (state[k] & 0x80000000) | (state[(k + 1) % 624] & 0x7fffffff);
        state[k] = state[(k + 397) % 624] ^ (y >>> 1) ^ (y & 1 ? 0x9908b0df : 0);
      }
      at = 0;
    }
    return () => {
      if (at === 624) renew();
      let y = state[at++];
      y ^= y >>> 11;
      y ^= (y << 7) & 0x9d2c5680;
      y ^= (y << 15) & 0xefc60000;
      return (y ^ (y >>> 18)) >>> 0;
    };
  }

  // The same as numbers from 0 to 1, of 53 bits, as torch.rand gives them in float64.
  function uniform(bits) {
    return () => {
      const high = bits() & 0x1fffff;
      return (high * 2 ** 32 + bits()) / 2 ** 53;
    };
  }

  // `count` numbers of a normal distribution, as torch.randn gives them in float64, sixteen at a time: two uniform ones make
  // two of these (Box and Muller, 1958).
  function normal(random, count) {
    const out = Float64Array.from({ length: count }, random);
    for (let at = 0; at < count; at += 16)
      for (let k = at; k < at + 8; k++) {
        const [far, turn] = [Math.sqrt(-2 * Math.log(1 - out[k])), 2 * Math.PI * out[k + 8]];
        out[k] = far * Math.cos(turn);
        out[k + 8] = far * Math.sin(turn);
      }
    return out;
  }

  // What numpy makes of the numbers of a seed, so that seeds that are alike begin far apart: four times 64 bits.
  function spread(seed) {
    let factor = 0x43b0d7e5;
    const hash = (value, by) => {
      const mixed = value ^ factor;
      factor = Math.imul(factor, by);
      const product = Math.imul(mixed, factor);
      return product ^ (product >>> 16);
    };
    const pool = [0, 1, 2, 3].map((k) => hash(seed[k] ?? 0, 0x931e8875));
    for (let from = 0; from < 4; from++)
      for (let to = 0; to < 4; to++) {
        if (from === to) continue;
        const mixed = Math.imul(0xca01f9dd, pool[to]) - Math.imul(0x4973f715, hash(pool[from], 0x931e8875));
        pool[to] = mixed ^ (mixed >>> 16);
      }
    factor = 0x8b51f9dd;
    const words = Array.from({ length: 8 }, (_, k) => BigInt(hash(pool[k % 4], 0x58f38ded) >>> 0));
    return [0, 2, 4, 6].map((k) => words[k] | (words[k + 1] << 32n));
  }

  // numpy.random.default_rng(seed).random, where the seed is a list: PCG64 (O'Neill, 2014).
  function pcg64(seed) {
    const whole = (1n << 128n) - 1n;
    const [high, low, first, second] = spread(seed);
    const added = (((first << 64n) | second) << 1n) | 1n;
    const next = (state) => (state * 0x2360ed051fc65da44385df649fccf645n + added) & whole;
    let state = next((((high << 64n) | low) + added) & whole);
    return () => {
      state = next(state);
      const mixed = BigInt.asUintN(64, (state >> 64n) ^ state);
      const turn = state >> 122n;
      return Number(BigInt.asUintN(64, (mixed >> turn) | (mixed << (64n - turn))) >> 11n) / 2 ** 53;
    };
  }

  attnkit.seeds = { twister, uniform, normal, spread, pcg64 };
})(globalThis.attnkit);
