"""A soft dictionary: a query that turns between keys, and the value that comes back."""

from html import escape

import numpy as np
import traitlets

from attnkit import attention
from bookkit.figures.base import Between, Figure, NumberArray, still_table
from bookkit.pictures.formats import fixed


class SoftDictionary(Figure):
    """Turn a query between keys on a circle; the value that comes back blends.

    `words` names the keys, and `angles` are their directions in degrees, from 0 to 360: 0 is up, 90 to the right; so is
    `query`, the direction asked for first. `values` are n numbers within ±1000, of the `unit`; `temperature`, from 0.01
    to 100, is what the cosines are divided by.

    >>> SoftDictionary(["up", "down"], [0, 180], [10, 20], query=90).answer
    15.0
    """

    kind = "soft_dictionary"
    words = traitlets.List(traitlets.Unicode()).tag(sync=True)
    angles = NumberArray(0, 360, ("words",)).tag(sync=True)
    values = NumberArray(-1000, 1000, ("words",)).tag(sync=True)
    unit = traitlets.Unicode("").tag(sync=True)
    query = Between(0, 360, 0).tag(sync=True, reset=True)
    temperature = Between(0.01, 100, 1).tag(sync=True, reset=True)

    def __init__(self, words, angles, values, query=0, temperature=1.0, unit="", caption=""):
        super().__init__(words=list(words), angles=angles, values=values, unit=unit, query=query,
                         temperature=temperature, caption=caption)

    @property
    def weights(self):
        """How far each key matches: shape (n,)."""
        return self._attend()[1][0]

    @property
    def answer(self):
        """The value that comes back."""
        return float(self._attend()[0][0, 0])

    def _attend(self):
        query, keys = (np.stack([np.sin(a), np.cos(a)], axis=-1)
                       for a in (np.radians([self.query]), np.radians(self.angles)))
        return attention(query, keys, np.array(self.values)[:, None], scale=1 / self.temperature)

    def still(self):
        """The table of keys, weights and values, and the answer."""
        return (still_table(["key", "degrees", "weight", f"value ({self.unit})"],
                            [[word, fixed(a, 0), fixed(w), fixed(v, 1)]
                             for word, a, w, v in zip(self.words, self.angles, self.weights, self.values)])
                + f"<p>Asked for {fixed(self.query, 0)} degrees, the dictionary answers {fixed(self.answer, 1)} "
                f"{escape(self.unit)}.</p>")
