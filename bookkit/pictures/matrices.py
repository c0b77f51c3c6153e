"""Matrices among others in one drawing: all of attention.

A matrix here is as small as its numbers allow.  A right factor stands above what it
makes and a left factor beside it, as in `draw.product`, so that rows and columns are
level with what becomes of them.
"""

import math

import numpy as np

from attnkit import softmax
from bookkit.pictures import palette
from bookkit.pictures.draw import describe
from bookkit.pictures.formats import fixed
from bookkit.pictures.metrics import text_width
from bookkit.pictures.picture import PHONE, Picture, Svg
from bookkit.pictures.shapes import LABEL, TEXT, as_array, block, cell_width, check_names, text, wire

SMALL, TINY = 36, 26          # the sides of squares: with numbers, with signs


def fitting(draw_it, digits):
    """The drawings with their numbers or, if a phone has no room for these, with signs: digits None."""
    drawings = draw_it(digits)
    return Picture(*(drawings if all(drawing.least <= PHONE for drawing in drawings) else draw_it(None)))


class Matrix:
    """A matrix that has no place yet: its squares, its label, its shape."""

    def __init__(self, numbers, label, role, digits, names=()):
        self.numbers, self.label, self.role, self.digits = numbers, label, role, digits
        self.side = TINY if digits is None else SMALL
        written = [] if digits is None else [fixed(v, digits) for v in numbers.flat]
        self.step = max(cell_width(written, 9, self.side), cell_width(names, 12, 0))
        self.shape = f"({len(numbers)}, {numbers.shape[1]})"
        self.colour = palette.var(role or "ink")
        # The widths of both, beside each other and one above the other.
        self.title = math.ceil(text_width(label, LABEL, bold=True)) + 6 + math.ceil(text_width(self.shape))
        self.stack = math.ceil(max(text_width(label, LABEL, bold=True), text_width(self.shape)))

    @property
    def wide(self):
        """The width of the squares; columns of several matrices may have to be made equally wide."""
        return self.numbers.shape[1] * self.step

    @property
    def deep(self):
        """The height of the squares."""
        return len(self.numbers) * self.side

    def at(self, x, y, lit=None):
        """The squares, one of their rows framed."""
        vmax = max(1.0, np.abs(self.numbers).max())
        lit = None if lit is None else (lit, None)
        return block(self.numbers, x, y, self.step, "", self.role, self.digits, vmax, lit, False, self.side)

    def labelled(self, x, y, anchor="start"):
        """The label."""
        return text(x, y, self.label, self.colour, anchor=anchor, size=LABEL, bold=True)

    def shaped(self, x, y, anchor="middle"):
        """The shape."""
        return text(x, y, self.shape, palette.var("quiet"), anchor=anchor)

    def titled(self, x, y):
        """The label with the shape after it."""
        return self.labelled(x, y) + self.shaped(x + self.title, y, "end")


def named_rows(matrix, x, y, names, anchor="end"):
    """The names of a matrix's rows, level with them."""
    return [text(x, y + (i + .5) * matrix.side + 5, name, palette.var("ink"), anchor=anchor)
            for i, name in enumerate(names)]


def widest(names):
    """The width of the longest name."""
    return math.ceil(max(map(text_width, names), default=0))


# ---- a product with a letter at each edge

class Meeting:
    """A left factor, a right one above their product, and at each edge the letter that says how long it is."""

    # From a matrix to the lines along its upper and its left edge; from a product up to its right factor.
    OVER, BESIDE, UP = 12, 15, 48

    def __init__(self, left, above, made, edges, row_names, column_names=(), inner_names=(), before=()):
        self.left, self.above, self.made, self.edges, self.before = left, above, made, edges, before
        self.row_names, self.column_names, self.inner_names = row_names, column_names, inner_names
        above.step = made.step = max(above.step, made.step)
        self.x0 = 32 + widest(row_names)
        self.x1 = self.x0 + max(left.wide + 36, left.title + 24, widest(before) + 24)
        self.y1 = max(above.deep + self.UP + LABEL + 28 + (TEXT + 6 if column_names else 0),
                      19 * len(before) + 80 if before else 0)        # the least; a neighbour may have the rows lower
        beside = above.wide + 8 + widest(inner_names)
        self.width = math.ceil(self.x1 + max(beside, above.title, made.title) + 4)

    def drawing(self, y1, lit, alt):
        """The three matrices, the product's top at `y1`."""
        x0, x1, y0 = self.x0, self.x1, y1 - self.UP - self.above.deep
        row, inner, column = self.edges
        body = [self._joined(x0, x1, y0, y1, inner), self._upright(8, y1, self.left.deep, row),
                self._upright(x1 - self.BESIDE, y1, self.made.deep, row), self._level(x1, y1 - self.OVER, column)]
        names_up = TEXT + 6 if self.column_names else 0
        body += [self._level(x1, y0 - self.OVER - names_up, column), self.left.at(x0, y1, lit), self.above.at(x1, y0),
                 self.made.at(x1, y1, lit), self.left.titled(x0 - 2, y1 - 26), self.made.titled(x1 - 2, y1 - 26),
                 self.above.titled(x1 - 2, y0 - 26 - names_up)]
        body += named_rows(self.left, x0 - 8, y1, self.row_names)
        body += named_rows(self.above, x1 + self.above.wide + 8, y0, self.inner_names, "start")
        body += [text(x1 + (j + .5) * self.above.step, y0 - 8, name, palette.var("ink"))
                 for j, name in enumerate(self.column_names)]
        return Svg("".join(body + self._before(y1)), self.width, y1 + self.left.deep + 8, alt=alt)

    def _joined(self, x0, x1, y0, y1, letter):
        """The line along the two edges that meet, from the end of a row to the foot of a column."""
        x, y, end = x1 - self.BESIDE, y1 - self.OVER, x0 + self.left.wide
        ink = palette.var("ink")
        return (f'<path d="M{x0:g} {y:g}H{end:g}Q{x:g} {y:g} {x:g} {y1 - self.UP:g}V{y0:g}" fill="none" '
                f'stroke="{ink}" stroke-width="2"/>'
                + _letter((x0 + end) / 2, y, letter, ink) + _letter(x, (y0 + y1 - self.UP) / 2, letter, ink))

    def _upright(self, x, y, deep, letter):
        """The line along an edge that the product keeps, with its letter."""
        return wire(f"M{x:g} {y:g}V{y + deep:g}") + _letter(x, y + deep / 2, letter, palette.var("quiet"))

    def _level(self, x, y, letter):
        """The same along an upper edge."""
        wide = self.made.wide
        return wire(f"M{x:g} {y:g}H{x + wide:g}") + _letter(x + wide / 2, y, letter, palette.var("quiet"))

    def _before(self, y1):
        """What makes the left factor, in the free corner, and an arrow from there."""
        if not self.before:
            return []
        x, y = self.x0 + 5, y1 - 72
        lines = [_indexed(self.x0 - 2, y - 8 - 19 * k, words, palette.var("ink"), "start")
                 for k, words in enumerate(reversed(self.before))]
        return [*lines, wire(f"M{x:g} {y:g}V{y + 24:g}M{x - 4:g} {y + 18:g}L{x:g} {y + 24:g}L{x + 4:g} {y + 18:g}")]


def _letter(x, y, letter, colour):
    """A letter, perhaps with an index, in the middle of a line, which it interrupts."""
    wide = text_width(letter.replace("_", "^")) + 6
    return (f'<rect x="{x - wide / 2:g}" y="{y - 9:g}" width="{wide:g}" height="18" fill="{palette.var("page")}"/>'
            + _indexed(x, y + 5, letter, colour))


def _indexed(x, y, words, colour, anchor="middle"):
    """Words whose end, after a _, is lowered."""
    words, _, index = words.partition("_")
    return text(x, y, words, colour, anchor=anchor, index=index)


# ---- the whole of attention

class Head:
    """Attention as two products: queries and keys make scores, weights and values make outputs."""

    ROLES = {"Q": "query", "Kᵀ": "key", "S": None, "A": "weight", "V": "value", "Y": None}

    def __init__(self, numbers, names, digits):
        tops = [] if digits is None else names                    # above tiny squares is no room for names
        q, k, s, a, v, y = (Matrix(x, label, self.ROLES[label],
                                   digits if digits is None or label in ("Q", "Kᵀ", "V") else 2,
                                   tops if label == "Kᵀ" else ()) for label, x in numbers.items())
        ask = names[:len(numbers["Q"])]
        self.meetings = [Meeting(q, k, s, ("n", "d_k", "m"), ask, column_names=tops),
                         Meeting(a, v, y, ("n", "m", "d_v"), ask, inner_names=names,
                                 before=("S ÷ √d_k", "softmax", "of each row"))]

    def drawings(self, lit, words):
        """Both products, the rows of both level with each other."""
        y1 = max(meeting.y1 for meeting in self.meetings)
        return [meeting.drawing(y1, lit, alt) for meeting, alt in zip(self.meetings, words)]


# ---- what pages call

def head(query, key, value, *, names, digits=1, highlight=None):
    """Draw all of attention as matrices, the length of each edge written at it.

    Two drawings side by side.  In the first the queries (n, d_k) meet the transposed keys (m, d_k) and give the scores;
    in the second a softmax of each row has made weights of them, which meet the values (m, d_v) and give the output.
    In both a line joins the two edges that must be equally long, and that the product no longer has.  Where numbers
    would make the picture too wide for a phone, signs take their place.

    `names` are those of the items that are asked, of which the first n ask.  Queries, keys and values have `digits`
    decimals, all else has two.  `highlight` is the query whose row is framed in all four matrices.
    """
    q, k, v = as_array(query, "query"), as_array(key, "key"), as_array(value, "value")
    if any(a.ndim != 2 for a in (q, k, v)) or q.shape[1] != k.shape[1] or len(k) != len(v):
        raise ValueError(f"query, key and value must be (n, d_k), (m, d_k) and (m, d_v), got {q.shape}, {k.shape} "
                         f"and {v.shape}")
    check_names("names", names, len(k), f"key of shape {k.shape}")
    if highlight is not None and not 0 <= highlight < len(q):
        raise ValueError(f"highlight must lie within {len(q)} rows, got {highlight}")
    scores = q @ k.T
    weights = softmax(scores / np.sqrt(q.shape[1]))
    numbers = {"Q": q, "Kᵀ": k.T, "S": scores, "A": weights, "V": v, "Y": weights @ v}
    words = _head_words(*numbers.values(), names, digits, highlight)
    return fitting(lambda shown: Head(numbers, names, shown).drawings(highlight, words), digits)


def _head_words(q, k, s, a, v, y, names, digits, lit):
    """The two drawings of `head` in words."""
    ask = names[:len(q)]
    framed = "" if lit is None else f" The row of {names[lit]} is framed."
    first = [f"Queries, n by d_k, times transposed keys, d_k by m, are scores, n by m: n is {len(q)}, d_k is "
             f"{len(k)}, m is {len(v)}.{framed}", describe(q, "Q", "query", ask, digits=digits),
             describe(k, "Kᵀ", "key", None, names, digits), describe(s, "S", None, ask, names, 2)]
    second = [f"The scores divided by the root of d_k, a softmax of each row: weights, n by m. They times values, m by "
              f"d_v, are outputs, n by d_v: d_v is {v.shape[1]}.{framed}", describe(a, "A", "weight", ask, names, 2),
              describe(v, "V", "value", names, digits=digits), describe(y, "Y", None, ask, digits=2)]
    return " ".join(first), " ".join(second)
