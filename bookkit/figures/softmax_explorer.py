"""Scores and a temperature against the powers of e and the weights that softmax makes of them."""

import re

import numpy as np
import traitlets

from attnkit import softmax
from bookkit.figures.base import Between, Figure, NumberArray, still_table
from bookkit.pictures.formats import fixed, plain


class SoftmaxExplorer(Figure):
    """Set scores and a temperature; see each score become a power of e, and each power a share of their sum.

    `scores` are n numbers in [-4, 4] for n `names`, the `temperature` is from 0.1 to 10.

    >>> SoftmaxExplorer([1, 1], ["a", "b"]).weights.tolist()
    [0.5, 0.5]
    """

    kind = "softmax_explorer"
    names = traitlets.List(traitlets.Unicode()).tag(sync=True)
    scores = NumberArray(-4, 4, ("names",)).tag(sync=True, reset=True)
    temperature = Between(0.1, 10, 1).tag(sync=True, reset=True)

    def __init__(self, scores, names, temperature=1, caption=""):
        super().__init__(names=list(names), scores=scores, temperature=temperature, caption=caption)

    @property
    def powers(self):
        """e to the power of each score / temperature: shape (n,)."""
        return np.exp(np.array(self.scores) / self.temperature)

    @property
    def weights(self):
        """softmax(scores / temperature), each power's share of their sum: shape (n,)."""
        return softmax(np.array(self.scores), temperature=self.temperature)

    def still(self):
        """The table of scores, powers and weights."""
        exponent = "score\xa0/\xa0T"
        head = ["", "score", f"e^({exponent}), T\xa0=\xa0{plain(self.temperature)}", "weight"]
        rows = [[name, fixed(s, 1, plus=True), written(power), fixed(w)]
                for name, s, power, w in zip(self.names, self.scores, self.powers, self.weights)]
        table = still_table(head, [*rows, ["sum", "", written(self.powers.sum()), "1.00"]])
        table = table.replace(f"^({exponent})", f"<sup>{exponent}</sup>")
        return re.sub(r"(?<=× 10)\^(−?\d+)", r"<sup>\1</sup>", table)


def written(power):
    """A power as a reader takes it in: two decimals, or where those say nothing a power of ten.

    >>> written(2.614), written(np.exp(40)), written(np.exp(-11))
    ('2.61', '2.4 × 10^17', '1.7 × 10^−5')
    """
    if 0.005 <= power < 1000:
        return fixed(power)
    digits, exponent = f"{power:.1e}".split("e")
    return f"{digits} × 10^{fixed(int(exponent), 0)}"
