// Q times K transposed, softmax row by row, times V: click a cell, see its row, its column and its sum.
((attnkit) => {
  /** @typedef {{ step: number, selected: number, column: number, scale: number }} State */
  attnkit.register("matrix_stepper", attnkit.steps("Attention as matrices"));
})(globalThis.attnkit);
