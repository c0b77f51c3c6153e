"""Multi-head attention as a calculation with matrices, step by step."""

import math

import numpy as np
import traitlets

from attnkit import multi_head_attention, split_heads
from bookkit.figures.base import Between, Figure, Index, few, index, number_array, still_table
from bookkit.pictures.formats import fixed


class HeadStepper(Figure):
    """Project, split, score, weigh, blend, concatenate, mix: every matrix of multi-head attention with its shape.

    `x` (n, d) has at most 6 items of 8 numbers, for the n `words`; `w_query` and `w_key` (d, h * d_k) and `w_value` (d,
    h * d_v) have at most 8 columns, `w_output` is (h * d_v, d), and `num_heads`, h, is at most 4; all numbers within
    ±20. `step` is 0 project, 1 split, 2 score, 3 weigh, 4 blend, 5 concatenate, 6 mix; `head` and `selected`, the word
    that is followed first, are counted from 0, though the figure counts its heads from 1.

    >>> import numpy as np
    >>> eye = np.eye(2)
    >>> figure = HeadStepper([[1, 0], [0, 1], [1, 1]], eye, eye, eye, eye, 2, ["a", "b", "c"])
    >>> figure.weights.shape, figure.output.round(2).tolist()
    ((2, 3, 3), [[0.84, 0.67], [0.67, 0.84], [0.84, 0.84]])
    """

    kind = "head_stepper"
    STEPS = 7
    ITEMS, COLUMNS, HEADS = 6, 8, 4
    x = traitlets.List().tag(sync=True)
    w_query = traitlets.List().tag(sync=True)
    w_key = traitlets.List().tag(sync=True)
    w_value = traitlets.List().tag(sync=True)
    w_output = traitlets.List().tag(sync=True)
    num_heads = traitlets.Int(1).tag(sync=True)
    words = traitlets.List(traitlets.Unicode()).tag(sync=True)
    step = Index(STEPS, "steps").tag(sync=True, reset=True)
    head = traitlets.Any(0).tag(sync=True, reset=True)
    selected = Index("words", "words").tag(sync=True, reset=True)
    temperature = Between(0.1, 10, 1).tag(sync=True, reset=True)

    def __init__(self, x, w_query, w_key, w_value, w_output, num_heads, words, step=0, head=0, selected=0,
                 caption=""):
        def matrix(value, name, rows, columns=None):
            numbers = number_array(value, name, -20, 20, (rows, columns))
            if len(numbers[0]) > self.COLUMNS:
                raise ValueError(f"{name} must have at most {self.COLUMNS} columns, got {len(numbers[0])}")
            return numbers
        few(words, "words", 1, self.ITEMS)
        x = matrix(x, "x", len(words))
        d = len(x[0])
        w_query, w_value = matrix(w_query, "w_query", d), matrix(w_value, "w_value", d)
        w_key = matrix(w_key, "w_key", d, len(w_query[0]))
        if num_heads > self.HEADS or len(w_query[0]) % num_heads or len(w_value[0]) % num_heads:
            raise ValueError(f"num_heads must be at most {self.HEADS} and divide the columns of w_query "
                             f"({len(w_query[0])}) and w_value ({len(w_value[0])}), got {num_heads}")
        super().__init__(x=x, w_query=w_query, w_key=w_key, w_value=w_value,
                         w_output=matrix(w_output, "w_output", len(w_value[0]), d), num_heads=num_heads,
                         words=list(words), step=step, head=head, selected=selected, caption=caption)

    @traitlets.validate("head")
    def _check_head(self, proposal):
        return index(proposal["value"], "head", self.num_heads, "heads")

    @property
    def weights(self):
        """One matrix of weights for each head: shape (h, n, n)."""
        return self._attend()[1]

    @property
    def output(self):
        """What the heads say, mixed: shape (n, d)."""
        return self._attend()[0]

    def _attend(self):
        x, *parameters = (np.array(m) for m in (self.x, self.w_query, self.w_key, self.w_value, self.w_output))
        scale = 1 / (math.sqrt(len(self.w_query[0]) // self.num_heads) * self.temperature)
        return multi_head_attention(x, x, x, *parameters, num_heads=self.num_heads, scale=scale)

    def still(self):
        """A table for each head: queries, keys, values, weights and outputs; and one of what they are mixed into."""
        def row(values):
            return f"({', '.join(fixed(v) for v in values)})"
        projections = (np.array(self.x) @ np.array(w) for w in (self.w_query, self.w_key, self.w_value))
        q, k, v = (split_heads(p, self.num_heads) for p in projections)
        head = ["query", "key", "value", *(f"weight of {w}" for w in self.words), "output"]
        tables = [still_table([f"head {i + 1}", *head],
                              [[word, row(q[i, j]), row(k[i, j]), row(v[i, j]), *map(fixed, a[j]), row(a[j] @ v[i])]
                               for j, word in enumerate(self.words)]) for i, a in enumerate(self.weights)]
        return "".join(tables) + still_table(["mixed", *(f"column {c + 1}" for c in range(len(self.x[0])))],
                                             [[word, *map(fixed, y)] for word, y in zip(self.words, self.output)])
