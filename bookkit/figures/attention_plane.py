"""Points in the plane that attend to each other."""

import numpy as np
import traitlets

from attnkit import attention
from bookkit.figures.base import Between, Figure, Index, NumberArray, still_plane, still_table
from bookkit.pictures.formats import fixed


class AttentionPlane(Figure):
    """Drag points in the plane; the weights of the one who asks, and every output, follow.

    Each point is query, key and value at once: attention without parameters.

    Parameters
    ----------
    points : array, shape (n, 2), in [-1.5, 1.5]
    names : list of n str
    features : pair of str
        The names of the axes.
    selected : int
        The point that asks first.
    scale : float
        What the dot products are multiplied by, in [0.1, 10].
    caption : str

    Raises
    ------
    TypeError, ValueError
        Numbers of another shape or size, names that do not match, a point that does not exist; also when set later.

    Examples
    --------
    >>> figure = AttentionPlane([[1, 0], [0, 1]], ["a", "b"])
    >>> figure.weights.round(2).tolist()
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
