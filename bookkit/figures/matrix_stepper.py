"""Attention as matrices: scores, row-wise softmax, outputs, cell by cell."""

import numpy as np
import traitlets

from bookkit.figures.base import index, still_table
from bookkit.figures.steps import OneAttention, block, names, step
from bookkit.pictures.formats import fixed


class MatrixStepper(OneAttention):
    """Step through Q Kᵀ, the row-wise softmax and A V; a chosen cell shows its row, its column and its sum.

    `queries` (n, d_k), `keys` (m, d_k) and `values` (m, d_v) lie within ±20; `row_names` are the n words that ask,
    `column_names` the m words that are asked, the same if not given. `cell` is the row and column of the result chosen
    first, and `scale`, from 0.1 to 10, what the dot products are multiplied by, 1 / sqrt(d_k) if not given.

    >>> figure = MatrixStepper([[1, 0]], [[2, 0], [0, 2]], [[1.0], [3.0]], ["a"], ["p", "q"], scale=1)
    >>> figure.scores.tolist(), figure.outputs.round(2).tolist()
    ([[2.0, 0.0]], [[1.24]])
    """

    kind = "matrix_stepper"
    needs = ("steps",)
    FORMULAS = [["Kᵀ", ["turned", "K"]],
                ["S", ["times", ["product", "Q", "Kᵀ"], "scale"]],
                ["E", ["exp", "S"]],
                ["A", ["softmax", "S"]],
                ["Y", ["product", "A", "V"]]]
    STEPS = [step("scores", "“<word>” meets “<other column>”: <fixed scale> · (<chain Q Kᵀ>) = <number S column>."),
             step("weights", "“<word>”, weight of “<other column>”: exp(<number S column>) = <number E column>, "
                             "divided by <sum E>, the sum of the row's exponentials: <number A column>."),
             step("outputs", "“<word>”, number <count column> of its output: <chain A V> = <number Y column>.")]
    column = traitlets.Any(0).tag(sync=True, reset=True)

    def __init__(self, queries, keys, values, row_names, column_names=None, cell=(0, 0), scale=None, caption=""):
        asked = list(row_names if column_names is None else column_names)
        n, m, (dk, dv) = len(row_names), len(asked), (np.shape(x)[-1] for x in (queries, values))
        numbered = [k + 1 for k in range(dv)]

        def matrix(name, role, rows, columns, **more):
            return block(name, role, **{"shape": f"({rows}, {columns})", "like": [name, 1], **more})

        def result(step, one, columns):
            return {"since": step, "chosen": {"step": step, "one": one, "columns": columns}}
        drawing = [     # a phone shows one step at a time
            [None, names(row_names)],
            [None, matrix("Q", "query", n, dk, marks=["row", None, None], aside=[1, 2])],
            [matrix("Kᵀ", "key", dk, m, tops=asked, marks=["column", None, None], aside=[2]),
             matrix("S", "quiet", n, m, title="S = scale · Q Kᵀ", marks=["cell", "row", None], aside=[2],
                    **result(0, "score", asked))],
            [names(asked, since=2, aside=[0, 1]),
             matrix("A", "weight", n, m, title="A = softmax(S)", like=[1], marks=[None, "cell", "row"], aside=[0],
                    **result(1, "weight", asked))],
            [matrix("V", "value", m, dv, since=2, marks=[None, None, "column"], aside=[0, 1]),
             matrix("Y", "output", n, dv, title="Y = A V", marks=[None, None, "cell"], aside=[0, 1],
                    **result(2, "output", numbered))]]
        super().__init__(queries, keys, values, row_names, columns=asked, formulas=self.FORMULAS, drawings=[drawing],
                         steps=self.STEPS, selected=cell[0], column=cell[1], scale=scale, caption=caption)

    @traitlets.validate("column")
    def _check_column(self, proposal):
        columns = len(self.matrices["V"][0]) if self.step == 2 else len(self.columns)
        return index(proposal["value"], "column", columns, "columns")

    @property
    def scores(self):
        """Every query against every key, scaled: shape (n, m)."""
        return self.scale * self.queries @ self.key_rows.T

    @property
    def weights(self):
        """The scores after a softmax of each row: shape (n, m)."""
        return self.attend()[1]

    @property
    def outputs(self):
        """The weights times the values: shape (n, d_v)."""
        return self.attend()[0]

    def still(self):
        """Three tables: scores, weights, outputs."""
        def table(title, matrix, head):
            return still_table([title, *head], [[w, *map(fixed, row)] for w, row in zip(self.words, matrix)])
        numbered = [f"column {k + 1}" for k in range(self.outputs.shape[1])]
        return (table("scores", self.scores, self.columns) + table("weights", self.weights, self.columns)
                + table("outputs", self.outputs, numbered))
