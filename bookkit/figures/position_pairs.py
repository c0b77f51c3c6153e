"""Two places under two schemes of positions: what each makes of a query at one and a key at the other."""

import numpy as np
import traitlets

from attnkit import relative_bias, rotary
from bookkit.figures.base import Figure, Index, NumberArray, still_table
from bookkit.pictures.formats import fixed

PLACES, WIDTH = 64, 16
PAIRS = (1, 2)      # the pairs of columns that the two circles show; the script counts on the same ones


class PositionPairs(Figure):
    """Set the place of a query and that of a key, and see what relative bias and rotary embeddings make of the two.

    Both depend on the distance only: two buttons move both places together, and nothing changes. `bias` (2 r + 1,), at
    most 65 within ±100, are the learned numbers of a relative bias, as in `relative_bias`; `query` and `key` are places
    from 0 to 63.

    >>> figure = PositionPairs([0.5, 0, -1], query=1, key=0)
    >>> figure.found["bias"], np.round(figure.found["rotary"], 2).tolist()
    (0.5, [0.95, 1.0])
    """

    kind = "position_pairs"
    MOST = 65
    bias = NumberArray(-100, 100, (None,)).tag(sync=True)
    query = Index(PLACES, "places").tag(sync=True, reset=True)
    key = Index(PLACES, "places").tag(sync=True, reset=True)

    def __init__(self, bias, query=9, key=6, caption=""):
        super().__init__(bias=bias, query=query, key=key, caption=caption)

    @traitlets.validate("bias")
    def _check_bias(self, proposal):
        count = len(proposal["value"])
        if count % 2 == 0 or count > self.MOST:
            raise ValueError(f"bias must hold an odd number of numbers, at most {self.MOST}, got {count}")
        return proposal["value"]

    @property
    def angles(self):
        """How far the query and the key are turned in each of two pairs of columns, in radians: shape (2, 2)."""
        return np.array([[place * 10_000 ** (-2 * pair / WIDTH) for place in (self.query, self.key)] for pair in PAIRS])

    @property
    def found(self):
        """What comes of the two places: the number that the bias adds, and the cosine of each rotary pair."""
        turned = rotary(np.tile([1.0, 0.0], (2, WIDTH // 2)), positions=[self.query, self.key])
        columns = [slice(2 * pair, 2 * pair + 2) for pair in PAIRS]
        return {"bias": float(relative_bias(np.array(self.bias), PLACES)[self.query, self.key]),
                "rotary": [float(np.dot(*turned[:, two])) for two in columns]}

    def still(self):
        """What each scheme makes of the two places, then the biases."""
        distance = f"distance {fixed(self.key - self.query, 0)}"
        turns = [f"angle {fixed(abs(one - other))}, cos {fixed(cosine)}"
                 for (one, other), cosine in zip(self.angles, self.found["rotary"])]
        table = still_table(["scheme", f"query at place {self.query}, key at place {self.key}, {distance}"],
                            [["relative bias", fixed(self.found["bias"])], ["rotary", "; ".join(turns)]])
        return table + still_table(["distance", "relative bias"],
                                   [[fixed(k - len(self.bias) // 2, 0), fixed(b)] for k, b in enumerate(self.bias)])
