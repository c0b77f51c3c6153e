"""A fully connected layer as heads: each reads one item, sharply or not so sharply."""

import numpy as np
import traitlets

from attnkit import softmax
from bookkit.figures.base import Between, Figure, number_array, still_table
from bookkit.pictures.formats import compact, fixed


class DenseHeads(Figure):
    """Make the heads of a dense layer with one output sharper or softer, and see what each adds to the output.

    Head i gives its own item the score `sharpness`, from 0 to 40, and all others the score 0. `items` (n, d) are at
    most 4 of at most 3 numbers, `weight` (1, n * d) is as in torch.nn.Linear on the items end to end, both within ±99.

    >>> figure = DenseHeads([[1, 2], [3, 4]], [[1, 0, 0, 10]], sharpness=40)
    >>> figure.pieces.round(3).tolist(), round(figure.output, 3), figure.exact
    ([1.0, 40.0], 41.0, 41.0)
    """

    kind = "dense_heads"
    SHARPEST = 40
    MOST = (4, 3)
    items = traitlets.List().tag(sync=True)
    blocks = traitlets.List().tag(sync=True)
    sharpness = Between(0, SHARPEST, 1).tag(sync=True, reset=True)

    def __init__(self, items, weight, sharpness=1, caption=""):
        items = number_array(items, "items", -99, 99, (None, None))
        n, d = np.shape(items)
        if n > self.MOST[0] or d > self.MOST[1]:
            raise ValueError(f"items must be at most {self.MOST[0]} of {self.MOST[1]} numbers, got shape {(n, d)}")
        weight = number_array(weight, "weight", -99, 99, (1, n * d))
        super().__init__(items=items, blocks=np.reshape(weight, (n, d)).tolist(), sharpness=sharpness, caption=caption)

    @property
    def weights(self):
        """Each head's weights over the items: shape (n, n)."""
        return softmax(self.sharpness * np.eye(len(self.items)))

    @property
    def reads(self):
        """What each head reads, a blend of the items: shape (n, d)."""
        return self.weights @ np.array(self.items)

    @property
    def pieces(self):
        """What each head adds to the output: shape (n,)."""
        return (self.reads * np.array(self.blocks)).sum(axis=1)

    @property
    def output(self):
        """The sum of the pieces."""
        return float(self.pieces.sum())

    @property
    def exact(self):
        """What the dense layer gives."""
        return float((np.array(self.items) * np.array(self.blocks)).sum())

    def still(self):
        """A row for each head, and the two outputs."""
        def listed(row):
            return ", ".join(fixed(v) for v in row)
        rows = [[f"head {i + 1}", listed(w), listed(r), listed(b), fixed(p)]
                for i, (w, r, b, p) in enumerate(zip(self.weights, self.reads, self.blocks, self.pieces))]
        # Within a rounding error the layer is reached: how large that error is differs from machine to machine.
        gap = abs(self.output - self.exact)
        return still_table(["", "weights", "reads", "block", "adds"], rows) + still_table(
            ["sum of the heads", "dense layer", "difference"],
            [[fixed(self.output), fixed(self.exact), "below 1e-13" if gap < 1e-13 else compact(gap)]])
