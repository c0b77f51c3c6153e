"""Rotary positions drawn as circles: a query and a key, turned by their places."""

import math

import numpy as np

from attnkit import rotary
from bookkit.pictures import palette
from bookkit.pictures.formats import fixed
from bookkit.pictures.picture import Picture, Svg
from bookkit.pictures.shapes import TEXT, as_array, text


def turning(query, key, places, *, angle):
    """Draw how a query and a key are turned by their places, and what becomes of their dot product.

    A circle for each of the `places`, pairs of that of the query and that of the key; each place turns by `angle`, in
    radians.  The dashed arrows are `query` and `key` (2,) as they are at place 0, the solid ones those that `rotary`
    turns.  The angle between the solid ones is marked, and below stand how far apart the places are and the dot
    product.

    >>> turning([1.0, 0.0], [1.0, 0.0], [(1, 0), (4, 3)], angle=0.5).parts[1].alt
    'Query at place 4, key at place 3, 1 place apart: turned by 115° and 86°, 29° between them, dot product 0.88.'
    """
    q, k = as_array(query, "query"), as_array(key, "key")
    if q.shape != (2,) or k.shape != (2,) or not q.any() or not k.any():
        raise ValueError("query and key must have shape (2,) and not be zero, got "
                         f"{q.tolist()} and {k.tolist()}")
    unit = _Turned.RADIUS / max(np.hypot(*q), np.hypot(*k))
    return Picture(*(_Turned(q, k, pair, angle, unit).drawing() for pair in places))


class _Turned:
    """One circle: a query and a key, turned by their places."""

    RADIUS, WIDE = 54, 132

    def __init__(self, query, key, places, angle, unit):
        self.still, self.places, self.unit = (query, key), places, unit
        self.turned = [rotary(v[None], positions=[place * angle])[0] for v, place in zip(self.still, places)]
        self.by = [place * angle for place in places]
        self.x, self.y = self.WIDE / 2, 2 * TEXT + 16 + self.RADIUS

    def drawing(self):
        """Whose places they are; the circle; what the two have to do with each other."""
        q, k = self.turned
        ink, apart = palette.var("ink"), abs(self.places[0] - self.places[1])
        far = f"{apart:g} place{'s' * (apart != 1)} apart"
        bottom = self.y + self.RADIUS
        body = [f'<circle cx="{self.x:g}" cy="{self.y:g}" r="{self.RADIUS}" fill="none" '
                f'stroke="{palette.var("grid")}" stroke-width="1.5"/>',
                *(self._arrow(v, role, True) for v, role in zip(self.still, ("query", "key"))), self._between(),
                *(self._arrow(v, role, False) for v, role in zip(self.turned, ("query", "key"))),
                text(self.x, TEXT, f"query at {self.places[0]:g}", palette.var("query"), bold=True),
                text(self.x, 2 * TEXT + 4, f"key at {self.places[1]:g}", palette.var("key"), bold=True),
                text(self.x, bottom + 22, far, ink),
                text(self.x, bottom + 43, f"q · k = {fixed(q @ k)}", ink, bold=True)]
        first, other = (fixed(math.degrees(by), 0) for by in self.by)
        words = (f"Query at place {self.places[0]:g}, key at place {self.places[1]:g}, {far}: turned by {first}° and "
                 f"{other}°, {fixed(self._opening(), 0)}° between them, dot product {fixed(q @ k)}.")
        return Svg("".join(body), self.WIDE, bottom + 50, alt=words)

    def _opening(self):
        """The angle between the two, in degrees, at most 180."""
        (a, b), (c, d) = self.turned
        return abs(math.degrees(math.atan2(a * d - b * c, a * c + b * d)))

    def _point(self, pixels):
        """Where an arrow from the middle ends, rounded: the last bits differ from processor to processor."""
        return round(self.x + pixels[0], 1), round(self.y - pixels[1], 1)

    def _arrow(self, vector, role, still):
        """A vector from the middle: dashed as it is at place 0, solid where its place has turned it."""
        colour, whole = palette.var(role), self.unit * vector
        x, y = self._point(whole)
        path = f"M{self.x:g} {self.y:g}L{x:g} {y:g}"
        if still:
            return f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="1.5" stroke-dasharray="2 4"/>'
        side = np.array([-vector[1], vector[0]])
        for barb in (vector + 0.6 * side, vector - 0.6 * side):
            end = self._point(whole - 8 * barb / np.hypot(*barb))
            path += f"M{x:g} {y:g}L{end[0]:g} {end[1]:g}"
        return f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="3" stroke-linecap="round"/>'

    def _between(self):
        """The angle between the two: a line from one to the other, at the same distance from the middle."""
        q, k = (v / np.hypot(*v) for v in self.turned)
        start, opening = math.atan2(k[1], k[0]), math.atan2(k[0] * q[1] - k[1] * q[0], k @ q)
        points = [start + opening * t / 12 for t in range(13)]
        corners = "L".join("{:g} {:g}".format(*self._point((20 * math.cos(a), 20 * math.sin(a)))) for a in points)
        return f'<path d="M{corners}" fill="none" stroke="{palette.var("ink")}" stroke-width="2"/>'
