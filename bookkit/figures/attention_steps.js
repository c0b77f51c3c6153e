// One query through attention, step by step: queries and keys, scores, weights, weighted values, their sum.
((attnkit) => {
  /** @typedef {{ step: number, selected: number, scale: number }} State */
  attnkit.register("attention_steps", attnkit.steps("Attention, step by step"));
})(globalThis.attnkit);
