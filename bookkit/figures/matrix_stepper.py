"""Attention as matrices: scores, row-wise softmax, outputs, cell by cell."""

import math

import numpy as np
import traitlets

from attnkit import attention
from bookkit.figures.base import Between, Figure, Index, index, number_array, still_table
from bookkit.pictures.formats import fixed


class MatrixStepper(Figure):
    """Step through Q Kᵀ, the row-wise softmax and A V; a chosen cell shows its row, its column and its sum.

    `queries` (n, d_k), `keys` (m, d_k) and `values` (m, d_v) lie within ±20; `row_names` are the n words that ask,
    `column_names` the m words that are asked, the same if not given. `cell` is the row and column of the result chosen
    first, and `scale`, from 0.1 to 10, what the dot products are multiplied by, 1 / sqrt(d_k) if not given.

    >>> figure = MatrixStepper([[1, 0]], [[2, 0], [0, 2]], [[1.0], [3.0]], ["a"], ["p", "q"], scale=1)
    >>> figure.scores.tolist(), figure.outputs.round(2).tolist()
    ([[2.0, 0.0]], [[1.24]])
    """

    kind = "matrix_stepper"
    queries = traitlets.List().tag(sync=True)
    key_rows = traitlets.List().tag(sync=True)
    values = traitlets.List().tag(sync=True)
    row_names = traitlets.List(traitlets.Unicode()).tag(sync=True)
    column_names = traitlets.List(traitlets.Unicode()).tag(sync=True)
    step = Index(3, "steps").tag(sync=True, reset=True)
    cell = traitlets.Any().tag(sync=True, reset=True)
    scale = Between(0.1, 10, 1).tag(sync=True, reset=True)

    def __init__(self, queries, keys, values, row_names, column_names=None, cell=(0, 0), scale=None, caption=""):
        column_names = row_names if column_names is None else column_names
        queries = number_array(queries, "queries", -20, 20, (len(row_names), None))
        keys = number_array(keys, "keys", -20, 20, (len(column_names), len(queries[0])))
        values = number_array(values, "values", -20, 20, (len(column_names), None))
        scale = 1 / math.sqrt(len(queries[0])) if scale is None else scale
        super().__init__(queries=queries, key_rows=keys, values=values, row_names=list(row_names),
                         column_names=list(column_names), cell=list(cell), scale=scale, caption=caption)

    @traitlets.validate("cell")
    def _check_cell(self, proposal):
        row, column = proposal["value"]
        columns = len(self.values[0]) if self.step == 2 else len(self.key_rows)
        return [index(row, "cell's row", len(self.queries), "rows"), index(column, "cell's column", columns, "columns")]

    @property
    def scores(self):
        """Every query against every key, scaled: shape (n, m)."""
        return self.scale * np.array(self.queries) @ np.array(self.key_rows).T

    @property
    def weights(self):
        """The scores after a softmax of each row: shape (n, m)."""
        return self._attend()[1]

    @property
    def outputs(self):
        """The weights times the values: shape (n, d_v)."""
        return self._attend()[0]

    def _attend(self):
        return attention(np.array(self.queries), np.array(self.key_rows), np.array(self.values), scale=self.scale)

    def still(self):
        """Three tables: scores, weights, outputs."""
        def table(title, matrix, head):
            return still_table([title, *head], [[w, *map(fixed, row)] for w, row in zip(self.row_names, matrix)])
        columns = [f"column {k + 1}" for k in range(len(self.values[0]))]
        return (table("scores", self.scores, self.column_names) + table("weights", self.weights, self.column_names)
                + table("outputs", self.outputs, columns))
