"""Two places under some schemes of positions: what each makes of a query at one and a key at the other."""

import numpy as np
import traitlets

from attnkit import alibi, relative_bias, rotary, sinusoidal
from bookkit.figures.base import Between, Figure, Index, NumberArray, number_array, still_table
from bookkit.pictures.formats import fixed, plain

SCHEMES = ("sinusoidal", "learned", "bias", "alibi", "rotary")
PAIRS = (1, 2)      # the pairs of columns that the two circles show; the script counts on the same ones


def one_of_each(schemes):
    """Some names of schemes, each of them known."""
    schemes = list(schemes)
    if not schemes or not set(schemes) <= set(SCHEMES):
        raise ValueError(f"schemes must be some of {', '.join(map(repr, SCHEMES))}, got {schemes}")
    return schemes


class PositionPairs(Figure):
    """Set the place of a query and that of a key; a panel for each scheme of positions shows what it makes of the two.

    Sinusoidal and learned vectors differ from place to place. Relative bias, ALiBi and rotary embeddings depend on the
    distance only: two buttons move both places together, and nothing changes there.

    `learned` (rows, width), within ±100, is a table of learned vectors, a row for each place from 0 on; there may be
    fewer rows than places. `bias` (2 r + 1,), at most 65 within ±100, are the learned numbers of a relative bias, as in
    `relative_bias`; `slope`, from 0 to 10, is what each place back costs under ALiBi. `width`, of the sinusoidal, the
    learned and the rotary vectors, is even, from 6 to 32; there are 2 to 128 `places`. `schemes` are those that are
    shown, of "sinusoidal", "learned", "bias", "alibi" and "rotary"; what none of them needs may be left out.

    >>> figure = PositionPairs([[0, 0, 1, 2, 0, 0], [0, 0, 3, 0, 0, 0]], [0.5, 0, -1], width=6, query=1, key=0)
    >>> figure.found["learned"], figure.found["bias"], figure.found["alibi"]
    (3.0, 0.5, -0.25)
    """

    kind = "position_pairs"
    MOST, MOST_BIASES = 128, 65
    learned = traitlets.List().tag(sync=True)
    bias = NumberArray(-100, 100, (None,)).tag(sync=True)
    slope = Between(0, 10, 0.25).tag(sync=True)
    width = traitlets.Int(16).tag(sync=True)
    places = traitlets.Int(64).tag(sync=True)
    schemes = traitlets.List(list(SCHEMES)).tag(sync=True)
    query = Index("every_place", "places").tag(sync=True, reset=True)
    key = Index("every_place", "places").tag(sync=True, reset=True)

    def __init__(self, learned=(), bias=(0.0,), slope=0.25, width=16, places=64, query=9, key=6, schemes=SCHEMES,
                 caption=""):
        schemes = [scheme for scheme in SCHEMES if scheme in one_of_each(schemes)]
        if width % 2 or not 6 <= width <= 32:
            raise ValueError(f"width must be an even number from 6 to 32, got {width}")
        if not 2 <= places <= self.MOST:
            raise ValueError(f"places must be from 2 to {self.MOST}, got {places}")
        learned = number_array(learned, "learned", -100, 100, (None, width)) if "learned" in schemes else []
        if len(learned) > places:
            raise ValueError(f"learned must have at most {places} rows, one for each place, got {len(learned)}")
        super().__init__(learned=learned, bias=bias, slope=slope, width=width, places=places, query=query, key=key,
                         schemes=schemes, caption=caption)

    @traitlets.validate("bias")
    def _check_bias(self, proposal):
        count = len(proposal["value"])
        if count % 2 == 0 or count > self.MOST_BIASES:
            raise ValueError(f"bias must hold an odd number of numbers, at most {self.MOST_BIASES}, got {count}")
        return proposal["value"]

    @property
    def every_place(self):
        """The places that query and key may have."""
        return range(self.places)

    @property
    def distance(self):
        """The key's place minus the query's."""
        return self.key - self.query

    @property
    def vectors(self):
        """The sinusoidal and the learned vectors of the two places by scheme; None where the table has no row."""
        two = (self.query, self.key)
        waves, table = sinusoidal(self.places, self.width), np.array(self.learned)
        return {"sinusoidal": [waves[place] for place in two],
                "learned": [table[place] if place < len(table) else None for place in two]}

    @property
    def angles(self):
        """How far the query and the key are turned in each of two pairs of columns, in radians: shape (2, 2)."""
        return np.array([[place * 10_000 ** (-2 * pair / self.width) for place in (self.query, self.key)]
                         for pair in PAIRS])

    @property
    def found(self):
        """What each scheme makes of the two places, by its name.

        Dot products of the sinusoidal and of the learned vectors (None without a row), the number that the relative
        bias adds, that ALiBi adds (None for a key after the query), and the cosine of each of the two rotary pairs.
        """
        query, key = self.vectors["learned"]
        gone = query is None or key is None
        turned = rotary(np.tile([1.0, 0.0], (2, self.width // 2)), positions=[self.query, self.key])
        columns = [slice(2 * pair, 2 * pair + 2) for pair in PAIRS]
        falling = alibi(np.array(self.slope), self.places)
        return {"sinusoidal": float(np.dot(*self.vectors["sinusoidal"])),
                "learned": None if gone else float(query @ key),
                "bias": float(relative_bias(np.array(self.bias), self.places)[self.query, self.key]),
                "alibi": None if self.distance > 0 else float(falling[self.query, self.key]),
                "rotary": [float(np.dot(*turned[:, two])) for two in columns]}

    def still(self):
        """What each scheme makes of the two places, then the vectors and the biases that it is made of."""
        found, rows, place = self.found, len(self.learned), f"distance {fixed(self.distance, 0)}"
        gone = f"no row: the table has {rows}"
        learned = gone if found["learned"] is None else f"dot product {fixed(found['learned'])}"
        sums = f"−{plain(self.slope, 3)} × {-self.distance} = {fixed(found['alibi'] or 0)}"
        turns = [f"angle {fixed(abs(one - other))}, cos {fixed(cosine)}"
                 for (one, other), cosine in zip(self.angles, found["rotary"])]
        says = {"sinusoidal": ["sinusoidal", f"dot product {fixed(found['sinusoidal'])}"],
                "learned": ["learned", learned],
                "bias": ["relative bias", fixed(found["bias"])],
                "alibi": ["ALiBi", "hidden, it looks back only" if found["alibi"] is None else sums],
                "rotary": ["rotary", "; ".join(turns)]}
        table = still_table(["scheme", f"query at place {self.query}, key at place {self.key}, {place}"],
                            [says[scheme] for scheme in self.schemes])
        biases = still_table(["distance", "relative bias"],
                             [[fixed(k - len(self.bias) // 2, 0), fixed(b)] for k, b in enumerate(self.bias)])
        return table + self._still_vectors() + (biases if "bias" in self.schemes else "")

    def _still_vectors(self):
        head, columns = ["column"], []
        its = {scheme: two for scheme, two in self.vectors.items() if scheme in self.schemes}
        if not its:
            return ""
        for scheme, two in its.items():
            for role, place, vector in zip(("query", "key"), (self.query, self.key), two):
                head.append(f"{scheme}, {role} {place}")
                columns.append(["no row"] * self.width if vector is None else [fixed(v) for v in vector])
        table = still_table(head, [[str(k), *row] for k, row in enumerate(zip(*columns))])
        return f'<div style="overflow-x:auto">{table}</div>'      # on a phone five columns are wider than the page
