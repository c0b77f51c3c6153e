"""A budget of attention: one unit spent over words, and the average that moves."""

import numpy as np
import traitlets

from bookkit.figures.base import Figure, NumberArray, number_array, still_plane, still_table
from bookkit.pictures.formats import fixed


def budget(weights, name, count):
    """Check that weights are `count` numbers in [0, 1] that sum to one, and return them as a plain list."""
    weights = number_array(weights, name, 0, 1, (count,))
    if abs(sum(weights) - 1) > 1e-6:
        raise ValueError(f"{name} must sum to one, got a sum of {sum(weights):g}")
    return weights


class AttentionBudget(Figure):
    """Spend one unit of attention over words in a plane; their weighted average moves.

    What one word gains, the others lose in proportion to what they have. `weights` are n numbers in [0, 1] that sum to
    one, `points` (n, 2) the words in [-1, 1], `features` the names of the two axes. `readers` are weights of readers by
    name; a button for each, such as "Mia's weights", sets them.

    >>> AttentionBudget([0.25, 0.75], [[-1, 0], [1, 0]], ["a", "b"], ["x", "y"], {}).average.tolist()
    [0.5, 0.0]
    """

    kind = "attention_budget"
    points = traitlets.List().tag(sync=True)
    words = traitlets.List(traitlets.Unicode()).tag(sync=True)
    features = traitlets.List(traitlets.Unicode()).tag(sync=True)
    reader_names = traitlets.List(traitlets.Unicode()).tag(sync=True)
    reader_weights = traitlets.List().tag(sync=True)
    weights = NumberArray(0, 1, ("words",)).tag(sync=True, reset=True)

    def __init__(self, weights, points, words, features, readers, caption=""):
        points = number_array(points, "points", -1, 1, (None, 2))
        if (len(words), len(features)) != (len(points), 2) or len(words) < 2:
            raise ValueError(f"points of shape {(len(points), 2)} need as many words, at least two, and two features, "
                             f"got {len(words)} and {len(features)}")
        reader_weights = [budget(of_one, f"{name}'s weights", len(words)) for name, of_one in readers.items()]
        super().__init__(points=points, words=list(words), features=list(features), reader_names=list(readers),
                         reader_weights=reader_weights, weights=weights, caption=caption)

    @traitlets.validate("weights")
    def _check_sum(self, proposal):
        return budget(proposal["value"], "weights", len(self.words))

    @property
    def readers(self):
        """The weights of each reader, by name."""
        return dict(zip(self.reader_names, self.reader_weights))

    @property
    def average(self):
        """The weighted average of the points: shape (2,)."""
        return np.array(self.weights) @ np.array(self.points)

    def still(self):
        """The words in the plane with their average, and the table of weights."""
        picture = still_plane([*zip(self.words, self.points, ["value"] * len(self.words), self.weights),
                               ("z", self.average.tolist(), "output", None)], 1.15, self.features)
        columns = {"weight": self.weights, **{f"{name}'s weights": of_one for name, of_one in self.readers.items()}}
        rows = [[word, *map(fixed, weights), *(fixed(v, 1) for v in point)]
                for word, point, *weights in zip(self.words, self.points, *columns.values())]
        rows.append(["z, the average", *["1.00"] * len(columns), *(fixed(v) for v in self.average)])
        return picture + still_table(["word", *columns, *self.features], rows)
