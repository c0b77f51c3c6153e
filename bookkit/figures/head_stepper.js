// Multi-head attention as matrices, step by step: project, split, score, weigh, blend, concatenate, mix.
((attnkit) => {
  /** @typedef {{ step: number, selected: number, head: number, temperature: number }} State */
  attnkit.register("head_stepper", attnkit.steps("Multi-head attention, step by step"));
})(globalThis.attnkit);
