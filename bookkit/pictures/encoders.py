"""How a model that reads makes one vector of a sentence."""

import math

import numpy as np

from bookkit.pictures import palette
from bookkit.pictures.blocks import GROUND, INK, QUIET, arrow
from bookkit.pictures.formats import fixed
from bookkit.pictures.metrics import text_width
from bookkit.pictures.picture import Picture, Svg
from bookkit.pictures.shapes import LABEL, as_array, check_names, coming, fill, growing, opacity, text, wire

ROW, TOP = 23, 62        # from one piece to the next; where the first one begins
CELL, DRAWN = 10, 21     # how wide a number of a stripe is, and how many are drawn
STRIPE = CELL * DRAWN
LEVELS = 3               # depths of colour in a stripe and in a small map
MAP, LAYER = 19, 48      # the side of a small map, the width of a layer, in which they stand two and two
SEEN = 0.3               # smaller weights are not drawn in a small map


def _level(value, vmax):
    """A depth of colour, rounded up, so that thousands of numbers are drawn by a few lines."""
    return math.ceil(min(abs(value) / vmax, 1) * LEVELS)


def _cells(numbers, at, wide, deep, vmax, role=None):
    """Many small cells: a line for each colour and depth, from place to place; `at` says where a cell begins."""
    paths = {}
    for index, value in np.ndenumerate(numbers):
        level = _level(value, vmax)
        if level and (role is None or value >= SEEN):
            x, y = at(*index)
            paths.setdefault((fill(value, role), level), []).append(f"M{x:.4g} {y:.4g}h{wide:.4g}")
    return "".join(f'<path d="{"".join(lines)}" fill="none" stroke="{colour}" stroke-width="{deep:g}" '
                   f'stroke-opacity="{opacity(level, LEVELS):g}"/>' for (colour, level), lines in paths.items())


def stripe(vectors, left, top, deep, vmax):
    """Vectors (n, d), a row for each: the first of their numbers, in a frame."""
    shown = vectors[:, :DRAWN]
    cells = _cells(shown, lambda i, j: (left + j * CELL, top + (i + .5) * deep), CELL, deep - 5, vmax)
    frames = "".join(f'<rect x="{left - 1:g}" y="{top + i * deep + 1.5:g}" width="{STRIPE + 2}" height="{deep - 3}" '
                     f'rx="3" fill="none" stroke="{palette.var("grid")}"/>' for i in range(len(vectors)))
    return cells + frames


class Reading:
    """The drawings of a reading, all of the same rows."""

    def __init__(self, pieces, before, after, weights, vector, others):
        self.pieces, self.before, self.after = pieces, before, after
        self.weights, self.vector, self.others = weights, vector, others
        self.pairs = math.ceil(weights.shape[1] / 2)                # of heads, in a layer
        self.deep = max(len(pieces) * ROW, (self.pairs + 1) * (MAP + 3))
        self.left = math.ceil(max(map(text_width, pieces))) + 14
        self.vmax = 2.5 * float(np.std([before, after]))

    def picture(self):
        """What comes at which step: the pieces; their vectors; the layers; after these; the mean; dot products."""
        return Picture(self._pieces(), self._layers(), self._after(), self._vector())

    def _names(self):
        return "".join(text(self.left - 10, TOP + (i + .5) * ROW + 5, piece, INK, anchor="end")
                       for i, piece in enumerate(self.pieces))

    def _heading(self, x, title, note):
        return (text(x, 18, title, INK, anchor="start", size=LABEL, bold=True)
                + text(x, 40, note, QUIET, anchor="start"))

    def _shape(self, vectors):
        return f"{len(vectors)} times {vectors.shape[1]} numbers"

    def _pieces(self):
        x = self.left
        rows = coming(stripe(self.before, x, TOP, ROW, self.vmax), "before")
        part = growing(1, self._heading(x, "vectors", self._shape(self.before)) + rows,
                       (x - 6, 1, STRIPE + 12, TOP + self.deep + 4))
        told = (f"The pieces {', '.join(self.pieces)}. Each has a vector of {self.before.shape[1]} numbers, "
                f"of which {DRAWN} are drawn.")
        head = text(4, 18, "pieces", INK, anchor="start", size=LABEL, bold=True)
        return Svg(head + self._names() + part, x + STRIPE + 8, TOP + self.deep + 8, told)

    def _layers(self):
        layers, heads, n, _ = self.weights.shape
        note = f"{heads} heads in each, then an MLP"
        wide, step = layers * LAYER, self.deep / (self.pairs + 1)
        body = [self._heading(6, f"{layers} layers", note)]
        body += [wire(f"M2 {TOP + (i + .5) * ROW:g}H{wide + 10}") for i in range(n)]
        side = MAP / n
        for layer, maps in enumerate(self.weights):
            left = 8 + layer * LAYER
            body.append(f'<rect x="{left}" y="{TOP}" width="{LAYER - 5}" height="{self.deep:g}" rx="6" '
                        f'fill="{GROUND}" stroke="{QUIET}" stroke-width="1.5"/>')
            for head, looks in enumerate(maps):
                x, y = left + 2 + head % 2 * (MAP + 1.5), TOP + 3 + head // 2 * step
                body.append(f'<rect x="{x:g}" y="{y:g}" width="{MAP}" height="{MAP}" fill="{palette.var("page")}"/>')
                body.append(_cells(looks, lambda i, j, x=x, y=y: (x + j * side, y + (i + .5) * side), side, side, 1.0,
                                   "weight"))
            body.append(text(left + (LAYER - 5) / 2, TOP + self.deep - 10, "MLP", INK))
        told = (f"{layers} layers. In each, {heads} heads look at all pieces, drawn as small maps, and an MLP takes "
                "each piece by itself.")
        wide = max(wide + 12, math.ceil(6 + text_width(note)) + 6)
        outline = (1, 1, wide - 4, TOP + self.deep + 4)
        return Svg(growing(2, "".join(body), outline), wide, TOP + self.deep + 8, told)

    def _after(self):
        x = self.left
        rows = coming(stripe(self.after, x, TOP, ROW, self.vmax), "after")
        head = self._heading(x, "after the layers", self._shape(self.after))
        part = growing(3, self._names() + head + rows, (x - 6, 1, STRIPE + 12, TOP + self.deep + 4))
        told = f"After the layers each piece has a vector of {self.after.shape[1]} numbers again."
        return Svg(part, x + STRIPE + 8, TOP + self.deep + 8, told)

    def _vector(self):
        x, deep, vmax = 30, ROW, 2.5 / math.sqrt(len(self.vector))
        middle = TOP + ROW / 2
        own = coming(stripe(self.vector[None], x, TOP, deep, vmax), "vector", ["after"])
        head = self._heading(x, "one vector", "the mean, made to have length 1")
        body = [growing(4, arrow((2, middle), (x - 6, middle)) + head + own, (1, 1, x + STRIPE + 44, TOP + ROW + 4))]
        top, rows, told = TOP + ROW + 28, [], []
        rows.append(text(x, top, "dot products with others", INK, anchor="start", size=LABEL, bold=True))
        wide = x + STRIPE + 60
        for name, vector in self.others:
            score = float(vector @ self.vector)
            rows.append(text(x, top + 24, name, INK, anchor="start"))
            rows.append(stripe(vector[None], x, top + 30, deep, vmax))
            rows.append(text(x + STRIPE + 10, top + 30 + ROW / 2 + 5, fixed(score), INK, anchor="start", bold=True))
            wide = max(wide, math.ceil(x + text_width(name)) + 8)
            told.append(f"“{name}” {fixed(score)}")
            top += 56
        body.append(growing(5, "".join(rows), (x - 8, TOP + ROW + 8, wide - x + 6, top - TOP - ROW - 8 + 6)))
        said = ("The mean of these, made to have length 1, is the vector of the sentence. Its dot products with the "
                f"vectors of others: {'; '.join(told)}.")
        return Svg("".join(body), wide, max(top + 6, TOP + self.deep + 8), said)


def reading(pieces, before, after, weights, vector, others):
    """Draw how a sentence becomes one vector: one picture whose parts come in six steps.

    Its `pieces`; their vectors `before` (n, d); layers with heads, whose `weights` (layers, heads, n, n) are small
    maps; the vectors `after` (n, d); the `vector` (d,) of the sentence; dot products with `others`, pairs of a text
    and its vector (d,).  Of a vector the first 48 numbers are drawn.
    """
    before, after = as_array(before, "before"), as_array(after, "after")
    weights, vector = np.asarray(weights, dtype=float), as_array(vector, "vector")
    if before.ndim != 2 or before.shape != after.shape or before.shape[1] < DRAWN:
        raise ValueError(f"before and after must both be (n, d), of at least {DRAWN} numbers, got {before.shape} and "
                         f"{after.shape}")
    n, d = before.shape
    check_names("pieces", pieces, n, f"vectors of shape {before.shape}")
    if weights.ndim != 4 or weights.shape[2:] != (n, n) or weights.min() < 0 or weights.max() > 1 + 1e-6:
        raise ValueError(f"weights must be (layers, heads, {n}, {n}), from 0 to 1, got shape {weights.shape}")
    others = [(name, as_array(one, f"the vector of {name!r}")) for name, one in others]
    for name, one in [("the sentence", vector), *others]:
        if one.shape != (d,) or abs(np.linalg.norm(one) - 1) > 1e-3:
            raise ValueError(f"the vector of {name!r} must have {d} numbers and length 1, got shape {one.shape}")
    return Reading(list(pieces), before, after, weights, vector, others).picture()
