"""One query through attention, step by step."""

import math
from html import escape

import numpy as np
import traitlets

from attnkit import attention
from bookkit.figures.base import Between, Figure, Index, number_array, still_table
from bookkit.pictures.formats import fixed


class AttentionSteps(Figure):
    """Choose the word that asks and follow it: query and keys, scores, weights, weighted values, their sum.

    `queries` and `keys` (n, d_k) and `values` (n, d_v) lie within ±20; `selected` is the word that asks first; `step`
    is 0 query and keys, 1 scores, 2 weights, 3 weighted values, 4 their sum; `scale`, from 0.1 to 10, is what the dot
    products are multiplied by, 1 / sqrt(d_k) if not given.

    >>> figure = AttentionSteps([[1, 0], [0, 1]], [[4, 0], [0, 4]], [[1.0], [2.0]], ["a", "b"], scale=1)
    >>> figure.weights.round(2).tolist(), figure.output.round(2).tolist()
    ([0.98, 0.02], [1.02])
    """

    kind = "attention_steps"
    queries = traitlets.List().tag(sync=True)
    key_rows = traitlets.List().tag(sync=True)
    values = traitlets.List().tag(sync=True)
    words = traitlets.List(traitlets.Unicode()).tag(sync=True)
    selected = Index("words", "words").tag(sync=True, reset=True)
    step = Index(5, "steps").tag(sync=True, reset=True)
    scale = Between(0.1, 10, 1).tag(sync=True, reset=True)

    def __init__(self, queries, keys, values, words, selected=0, step=0, scale=None, caption=""):
        n = len(words)
        queries = number_array(queries, "queries", -20, 20, (n, None))
        keys = number_array(keys, "keys", -20, 20, (n, len(queries[0])))
        values = number_array(values, "values", -20, 20, (n, None))
        scale = 1 / math.sqrt(len(queries[0])) if scale is None else scale
        super().__init__(queries=queries, key_rows=keys, values=values, words=list(words), selected=selected,
                         step=step, scale=scale, caption=caption)

    @property
    def weights(self):
        """The weights of the word that asks: shape (n,)."""
        return self._attend()[1][0]

    @property
    def output(self):
        """Its output: shape (d_v,)."""
        return self._attend()[0][0]

    def _attend(self):
        query = np.array(self.queries)[[self.selected]]
        return attention(query, np.array(self.key_rows), np.array(self.values), scale=self.scale)

    def still(self):
        """The table of all steps for the word that asks."""
        def row(numbers, digits=1):
            return f"({', '.join(fixed(v, digits) for v in numbers)})"
        query, weights, values = np.array(self.queries)[self.selected], self.weights, np.array(self.values)
        scores = self.scale * np.array(self.key_rows) @ query
        rows = [[word, row(key), fixed(score), fixed(w), row(value), row(w * value)]
                for word, key, score, w, value in zip(self.words, self.key_rows, scores, weights, values)]
        return (f"<p>“{escape(self.words[self.selected])}” asks with the query {row(query)}.</p>"
                + still_table(["word", "key", "score", "weight", "value", "weighted"], rows)
                + f"<p>Output: {row(self.output, 2)}.</p>")
