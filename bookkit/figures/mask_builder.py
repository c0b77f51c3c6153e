"""A mask to build: which word may be seen from which, and the weights that are left."""

import math

import numpy as np
import traitlets

from attnkit import causal_mask, softmax
from bookkit.figures.base import Figure, Index, few, number_array, still_cell, still_table
from bookkit.pictures.formats import fixed


class MaskBuilder(Figure):
    """Hide keys from queries, or allow them again; the weights of the row are a softmax over the allowed keys.

    Each of 3 to 8 `words` is a query, in its row, and a key, in its column; `scores` and the boolean `mask`, True = may
    attend, `causal_mask` if not given, are (n, n), the scores within ±1000. `padding` says how many words at the end
    are padding, at most n - 2; there are masks with padding to choose from only where there is some. The trait `row` is
    the query of which the figure speaks, first one in the middle that is no padding.

    >>> figure = MaskBuilder(["a", "b", "c"], [[1, 0, 2], [2, 2, 5], [0, 0, 0]])
    >>> figure.weights.round(2).tolist()
    [[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.33, 0.33, 0.33]]
    """

    kind = "mask_builder"
    LEAST, MOST, LIMIT = 3, 8, 1000
    HIDDEN = "×"
    words = traitlets.List(traitlets.Unicode()).tag(sync=True)
    scores = traitlets.List().tag(sync=True)
    padding = traitlets.Int(0).tag(sync=True)
    mask = traitlets.Any().tag(sync=True, reset=True)
    row = Index("words", "words").tag(sync=True, reset=True)

    def __init__(self, words, scores, mask=None, caption="", padding=0):
        n = len(few(words, "words", self.LEAST, self.MOST))
        scores = number_array(scores, "scores", -self.LIMIT, self.LIMIT, (n, n))
        if padding > n - 2:
            raise ValueError(f"padding must leave at least two words, got {padding} of {n}")
        super().__init__(words=list(words), scores=scores, padding=padding, row=min((n - 1) // 2, n - 1 - padding),
                         mask=causal_mask(n) if mask is None else mask, caption=caption)

    @traitlets.validate("mask")
    def _check_mask(self, proposal):
        mask, n = np.asarray(proposal["value"]), len(self.words)
        if mask.dtype.kind != "b":
            raise TypeError(f"mask must be boolean, True where a query may attend to a key, got {mask!r}")
        if mask.shape != (n, n):
            raise ValueError(f"mask must have shape {(n, n)}, got {mask.shape}")
        return mask.tolist()

    @property
    def weights(self):
        """The softmax of each row's scores over the keys that it may attend to: shape (n, n); zeros for none."""
        return softmax(np.where(self.mask, self.scores, -math.inf))

    def still(self):
        """A table of the weights, with a cross for each key that is hidden, and the sum of each row."""
        rows = [[word, *(still_cell(w, fixed(w) if may else self.HIDDEN, 1, kind="weight") for w, may in
                         zip(weights, allowed)), fixed(weights.sum())]
                for word, weights, allowed in zip(self.words, self.weights, self.mask)]
        return (still_table(["query", *self.words, "sum"], rows)
                + f"<p>{self.HIDDEN} stands for a key that is hidden: its weight is 0.</p>")
