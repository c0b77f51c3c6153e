"""Points in the plane that attend to each other."""

import numpy as np
import traitlets

from attnkit import attention
from bookkit.figures.base import Between, Figure, Index, NumberArray, still_plane, still_table
from bookkit.pictures.formats import fixed


class AttentionPlane(Figure):
    """Drag points in the plane; the weights of the one who asks, and every output, follow.

    Each of the `points` (n, 2), in [-1.5, 1.5], is query, key and value at once: attention without parameters.
    `features` are the names of the axes, `selected` the point that asks first, and `scale`, from 0.1 to 10, is what the
    dot products are multiplied by.

    >>> AttentionPlane([[1, 0], [0, 1]], ["a", "b"]).weights.round(2).tolist()
    [[0.73, 0.27], [0.27, 0.73]]
    """

    kind = "attention_plane"
    LIMIT = 1.5
    limit = traitlets.Float(LIMIT, read_only=True).tag(sync=True)
    names = traitlets.List(traitlets.Unicode()).tag(sync=True)
    features = traitlets.List(traitlets.Unicode()).tag(sync=True)
    points = NumberArray(-LIMIT, LIMIT, ("names", 2)).tag(sync=True, reset=True)
    selected = Index("names", "points").tag(sync=True, reset=True)
    moved = Index("names", "points").tag(sync=True, reset=True)
    scale = Between(0.1, 10, 1).tag(sync=True, reset=True)

    def __init__(self, points, names, features=("first number", "second number"), selected=0, scale=1.0, caption=""):
        if len(features) != 2:
            raise ValueError(f"features must be two names, got {len(features)}")
        super().__init__(names=list(names), features=list(features), points=points, selected=selected, moved=selected,
                         scale=scale, caption=caption)

    @property
    def weights(self):
        """Row i: the weights of point i over all points, shape (n, n)."""
        return self._attend()[1]

    @property
    def outputs(self):
        """One blend for each point: shape (n, 2)."""
        return self._attend()[0]

    def _attend(self):
        x = np.array(self.points)
        return attention(x, x, x, scale=self.scale)

    def still(self):
        """The points and the output of the one who asks, and a table of all weights."""
        marks = [(name, point, "query" if i == self.selected else "value", w) for i, (name, point, w) in
                 enumerate(zip(self.names, self.points, self.weights[self.selected]))]
        picture = still_plane([*marks, ("output", self.outputs[self.selected].tolist(), "output", None)],
                              self.limit * 1.1, self.features)
        return picture + still_table(["asks", *(f"weight of {name}" for name in self.names), "output"],
                                     [[name, *(fixed(w) for w in row), f"({', '.join(fixed(v) for v in y)})"]
                                      for name, row, y in zip(self.names, self.weights, self.outputs)])
