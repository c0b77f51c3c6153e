"""Scores and a temperature against weights, entropy and the derivative of softmax."""

import numpy as np
import traitlets

from attnkit import softmax
from attnkit.figures.base import Between, Figure, NumberArray, still_table
from attnkit.pictures.formats import fixed


class SoftmaxExplorer(Figure):
    """Set scores and a temperature; the weights, their entropy and their derivative answer.

    Parameters
    ----------
    scores : n numbers in [-4, 4]
    names : list of n str
        What is scored.
    caption : str

    Raises
    ------
    TypeError, ValueError
        Numbers of another shape or size, names that do not match, a temperature outside [0.1, 10]; also when set later.

    Examples
    --------
    >>> explorer = SoftmaxExplorer([1, 1], ["a", "b"])
    >>> explorer.weights.tolist(), explorer.entropy
    ([0.5, 0.5], 1.0)
    >>> explorer.derivative.tolist()
    [[0.25, -0.25], [-0.25, 0.25]]
    """

    kind = "softmax_explorer"
    names = traitlets.List(traitlets.Unicode()).tag(sync=True)
    scores = NumberArray(-4, 4, ("names",)).tag(sync=True, reset=True)
    temperature = Between(0.1, 10, 1).tag(sync=True, reset=True)

    def __init__(self, scores, names, caption=""):
        super().__init__(names=list(names), scores=scores, caption=caption)

    @property
    def weights(self):
        """softmax(scores / temperature): shape (n,)."""
        return softmax(np.array(self.scores), temperature=self.temperature)

    @property
    def entropy(self):
        """How undecided the weights are, in bits."""
        p = self.weights[self.weights > 0]
        return float(-p @ np.log2(p) + 0.0)

    @property
    def derivative(self):
        """Row i, column j: how weight i changes with score j, shape (n, n)."""
        p = self.weights
        return (np.diag(p) - np.outer(p, p)) / self.temperature

    def still(self):
        """The table of scores, weights and derivatives."""
        return still_table(["", "score", "weight", *(f"with {name}" for name in self.names)],
                           [[name, fixed(s, 1, plus=True), fixed(w), *(fixed(v, plus=True) for v in row)]
                            for name, s, w, row in zip(self.names, self.scores, self.weights, self.derivative)])
