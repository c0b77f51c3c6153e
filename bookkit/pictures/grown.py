"""The machine of 2017 as it grows from page to page: a word that asks, a head, a block, a stack, a loop round it.

Each page begins with what the page before ended with, and adds one part, step by step, in a
`bookkit.figures.GrowingPicture`.  Drawings stand side by side and wrap: on a phone they go on below each other.
"""

import math

import numpy as np

from attnkit import softmax
from bookkit.pictures import palette
from bookkit.pictures.blocks import GROUND, INK, PAGE, QUIET, STRONG, arrow, looking
from bookkit.pictures.draw import describe
from bookkit.pictures.formats import fixed
from bookkit.pictures.heads import formula, formula_width
from bookkit.pictures.metrics import text_width
from bookkit.pictures.picture import Picture, Svg
from bookkit.pictures.shapes import (
    LABEL,
    as_array,
    cell_width,
    check_names,
    check_within,
    coming,
    fill,
    opacity,
    role_colour,
    square,
    text,
    wire,
)

SIDE = 36            # of the squares of a head, which hold numbers
TOP = 72             # of what stands above them: a name, how it is made, the words
SIGN = 22            # the room of a sign between two matrices
SIGNS = {"B": "+", "S + B": "=", "V": "×", "Y": "="}           # before them
ROLES = ("query", "key", "value")
ALL_ASKED = ("K", "V", *(f"W^{role[0].upper()}" for role in ROLES))      # of these all rows are used, whoever asks


class Reaching(Svg):
    """A drawing whose lines go on beyond it, to the next one."""

    def _give(self):
        return super()._give() + ";overflow:visible"


def pale(svg):
    """What is still to come, which figures/growing_picture.css draws as an outline."""
    return f'<g data-ak-pale="">{svg}</g>'


def outline(x, y, wide, deep, at=None):
    """A line round what is new; with `at`, the step at which alone it is seen."""
    when = "" if at is None else f' data-ak-at="{at}" opacity="0"'
    return (f'<rect{when} x="{x:g}" y="{y:g}" width="{wide:g}" height="{deep:g}" rx="8" fill="none" stroke="{INK}" '
            'stroke-width="2"/>')


def crossed(x, y, step, side):
    """A square that a mask has crossed out."""
    reach = min(step, side) / 2 - 5 * min(step, side) / SIDE - 2
    a, b = x + step / 2, y + side / 2
    return (f'<rect x="{x + 1:g}" y="{y + 1:g}" width="{step - 2:g}" height="{side - 2:g}" rx="3" '
            f'fill="{palette.var("ground")}" stroke="{palette.var("grid")}"/>'
            f'<path d="M{a - reach:g} {b - reach:g}L{a + reach:g} {b + reach:g}M{a + reach:g} {b - reach:g}'
            f'L{a - reach:g} {b + reach:g}" fill="none" stroke="{palette.var("masked")}" stroke-width="1.5"/>')


def room_of(names):
    """The room of some names beside rows."""
    return math.ceil(max(map(text_width, names))) + 10


# ---- a head

class Table:
    """A matrix that has no place yet: its squares, some of them perhaps crossed out, and the words above them.

    With `row` only this row is there; the others are still empty.
    """

    def __init__(self, numbers, title, note, *, role=None, digits=1, vmax=None, columns=(), hidden=None, row=None):
        self.numbers, self.title, self.note, self.role, self.digits = numbers, title, note, role, digits
        self.columns, self.hidden = columns, np.zeros(numbers.shape, bool) if hidden is None else hidden
        self.row = row
        self.vmax = vmax or max(1.0, float(np.abs(numbers).max()))
        self.step = max(cell_width([fixed(v, digits) for v in numbers.flat], 6, SIDE), cell_width(columns, 6, 0))
        self.deep = len(numbers) * SIDE
        above = max(formula_width(title, LABEL, True), formula_width(note))
        self.wide = max(numbers.shape[1] * self.step, math.ceil(above))

    def at(self, x, asking):
        """The squares with all that stands above them; the row of the word that asks is framed."""
        n, d = self.numbers.shape
        colour = palette.var(self.role or "ink")
        body = [formula(x - 2, 18, self.title, colour, size=LABEL, bold=True) if "^" in self.title else
                text(x - 2, 18, self.title, colour, anchor="start", size=LABEL, bold=True),
                formula(x - 2, 40, self.note, QUIET)]
        body += [text(x + (j + .5) * self.step, TOP - 9, name, INK) for j, name in enumerate(self.columns)]
        body += [self._square(i, j, x) for i in range(n) for j in range(d)]
        frame = QUIET if self.role is None else role_colour(self.role)
        body.append(f'<rect x="{x - 2:g}" y="{TOP - 2}" width="{d * self.step + 4:g}" height="{self.deep + 4:g}" '
                    f'rx="4" fill="none" stroke="{frame}" stroke-width="2.5"/>')
        if asking is not None:
            body.append(f'<rect x="{x + 1.5:g}" y="{TOP + asking * SIDE + 1.5:g}" width="{d * self.step - 3:g}" '
                        f'height="{SIDE - 3}" rx="3" fill="none" stroke="{INK}" stroke-width="2.5"/>')
        return "".join(body)

    def _square(self, i, j, x):
        x, y = x + j * self.step, TOP + i * SIDE
        if self.row not in (None, i):
            return (f'<rect x="{x + 1:g}" y="{y + 1:g}" width="{self.step - 2:g}" height="{SIDE - 2}" rx="3" '
                    f'fill="none" stroke="{palette.var("grid")}"/>')
        if self.hidden[i, j]:
            return crossed(x, y, self.step, SIDE)
        return square(self.numbers[i, j], x, y, self.step, SIDE, self.digits, self.vmax, self.role)

    def told(self, names):
        """The same in words."""
        if self.row is not None:
            name, numbers = names[self.row], self.numbers[[self.row]]
            return describe(numbers, self.title, self.role, [name], self.columns, self.digits)
        if not self.hidden.any():
            return describe(self.numbers, self.title, self.role, names, self.columns, self.digits)
        rows = [", ".join("crossed out" if off else fixed(v, self.digits) for v, off in zip(*row))
                for row in zip(self.numbers, self.hidden)]
        return f"{self.title}. {'; '.join(f'{name}: {row}' for name, row in zip(names, rows))}."


class Head:
    """One head of attention with its newest part: a table, or else a mask, or neither."""

    def __init__(self, query, key, value, names, table, causal, asking):
        self.names, self.value, self.table, self.causal, self.asking = names, value, table, causal, asking
        self.asked = "S" if table is None else "S + B"                # what the softmax is of
        n = len(names)
        self.scores = query @ key.T / np.sqrt(query.shape[1])
        self.sums = self.scores if table is None else self.scores + table
        self.later = np.triu(np.ones((n, n), bool), 1) if causal else np.zeros((n, n), bool)
        self.vmax = max(1.0, *(float(np.abs(a).max()) for a in (self.scores, self.sums)))

    def pictures(self):
        """One for each step: what it outlines; what is still to come; whether all is as on the page before."""
        last = [("A", ["Y"], False), ("Y", [], False)]
        if self.table is not None:
            steps = [(None, ["B"], True), ("B", ["S + B", "A", "Y"], False), ("S + B", ["A", "Y"], False), *last]
        elif self.causal:
            steps = [(None, [], True), ("S", ["A", "Y"], False), *last]
        else:
            steps = [("S", ["A", "Y"], False), *last]
        return [self._picture(*step) for step in steps]

    def _tables(self, before):
        """All matrices, as they are with the newest part or were before it."""
        names = {"columns": self.names}
        hidden = self.later & (not before or self.table is not None)
        sums = self.scores if before else self.sums
        weights = softmax(np.where(hidden, -np.inf, sums))
        tables = {"S": Table(self.scores, "scores S", "Q K^T / √d_k", vmax=self.vmax, **names,
                             hidden=hidden if self.table is None else None)}
        if self.table is not None:
            tables["B"] = Table(self.table, "table B", "by distance", vmax=self.vmax, **names)
            tables["S + B"] = Table(sums, "S" if before else "S + B", "later ones crossed out" if self.causal else
                                    "what softmax gets", vmax=self.vmax, hidden=hidden, **names)
        tables["A"] = Table(weights, "weights A", "softmax by rows", role="weight", digits=2, vmax=1.0, hidden=hidden,
                            **names)
        tables["V"] = Table(self.value, "values V", "handed over", role="value")
        tables["Y"] = Table(weights @ self.value, "output Y", "A V", digits=2)
        return tables

    def _picture(self, new, later, before):
        tables = self._tables(before)
        came = {} if before else {"S + B": ["S", "B"], "A": [self.asked], "Y": ["A", "V"]}
        groups = [*([key] for key in tables if key in ("S", "B", "S + B")), ["A", "V", "Y"]]
        return Picture(*(self._drawing(group, tables, came, new, later, before) for group in groups))

    def _drawing(self, keys, tables, came, new, later, before):
        """Some matrices in a row, the first with the names of its rows."""
        x, body, told = 4, [], []
        deep, names = max(table.deep for table in tables.values()), self._rows_of(keys[0])
        middle = TOP + tables[keys[0]].deep / 2
        for key in keys:
            table, part, start = tables[key], [], x
            if key in SIGNS:
                part.append(text(x + SIGN / 2 - 2, middle + 6, SIGNS[key], INK, size=LABEL, bold=True))
                x += SIGN - 4
            elif key in ALL_ASKED and key != keys[0]:
                x, start = x + 6, start + 6
            if key == keys[0]:
                x += room_of(names)
                part += [text(x - 8, TOP + (i + .5) * SIDE + 5, name, INK, anchor="end")
                         for i, name in enumerate(names)]
            part = "".join([*part, table.at(x, None if key in ALL_ASKED else self.asking)])
            x += table.wide + 6
            if key in later:
                part = pale(part)
            elif not (before and key in ("S + B", "A", "Y")):
                part = coming(part, self._called(table, key), came.get(key, ()))
            body.append(part)
            told.append(("Still to come: " if key in later else "") + table.told(names))
            if key == new:
                body.append(outline(start - 3, 1, x - start + 3, TOP + table.deep + 7))
        if keys[-1] == self.asked:
            onwards = arrow((x + 4, middle), (x + 26, middle))
            body.append(pale(onwards) if "A" in later else onwards)
            x += 26
        return Svg("".join(body), math.ceil(x + 2), TOP + deep + 10, " ".join(told))

    def _rows_of(self, key):
        """What the rows of a drawing are of, by its first matrix."""
        return self.names

    def _called(self, table, key):
        """By which name others come from a matrix."""
        return key


class Whole(Head):
    """A head from the words on, first for the one word that asks, and with `every` for all of them."""

    def __init__(self, x, matrices, names, columns, asking, every):
        self.x, self.matrices, self.columns, self.every = x, matrices, columns, every
        super().__init__(*(x @ w for w in matrices), names, None, False, asking)

    def pictures(self):
        """One for each step: what it outlines; of the matrices of who asks, those that are whole; what is to come."""
        if self.every:
            order = ["Q", "S", "A", "Y"]
            return [self._at(None if k == 0 else order[k - 1], order[:k], []) for k in range(5)]
        order = ["Q", "K", "S", "A", "V", "Y"]
        return [self._at(None if k == 0 else order[k - 1], [], order[k:]) for k in range(7)]

    def _at(self, new, whole, later):
        questions = self.columns[1]
        query, key = (self.x @ w for w in self.matrices[:2])
        weights = softmax(self.scores)

        def of_one(*given, **more):
            return Table(*given, **more, row=None if given[1][-1] in whole else self.asking)
        largest = max(1.0, *(float(np.abs(w).max()) for w in self.matrices))
        of_roles = zip(ROLES, self.matrices, ("looks for", "is found by", "hands over"), (questions, questions, ()))
        tables = {
            "X": Table(self.x, "words X", "as they are"),
            **{f"W^{role[0].upper()}": Table(w, f"W^{role[0].upper()}", note, role=role, digits=0, vmax=largest,
                                             columns=its) for role, w, note, its in of_roles},
            "Q": of_one(query, "queries Q", "X W^Q", role="query", columns=questions),
            "K": Table(key, "keys K", "X W^K", role="key", columns=questions),
            "S": of_one(self.scores, "scores S", "Q K^T / √d_k", vmax=self.vmax, columns=self.names),
            "A": of_one(weights, "weights A", "softmax by rows", role="weight", digits=2, vmax=1.0, columns=self.names),
            "V": Table(self.value, "values V", "handed over", role="value"),
            "Y": of_one(weights @ self.value, "output Y", "A V", digits=2)}
        made = {"Q": ["X", "W^Q"], "K": ["X", "W^K"], "S": ["Q", "K"], "A": ["S"], "V": ["X", "W^V"], "Y": ["A", "V"]}
        came = {key: [self._called(tables[one], one) for one in its] for key, its in made.items()}
        groups = [["X"], ["W^Q", "W^K", "W^V"], ["Q", "K"], ["S"], ["A", "V", "Y"]]
        return Picture(*(self._drawing(group, tables, came, new, later, False) for group in groups))

    def _rows_of(self, key):
        return self.columns[0] if key == "W^Q" else self.names

    def _called(self, table, key):
        return f"{key} of all" if self.every and table.row is None and key not in ("X", *ALL_ASKED) else key


# ---- blocks on a residual stream

class Machine:
    """Words on the left, one thick line through blocks, the next word's scores on the right; parts say when they come.

    `begins` says by the name of a part the step at which it comes; what it does not name is there from the start.
    """

    CELL, HALF, BOX, NORM = 30, 94, 90, 52      # a square; the room of half a block; its boxes' widths
    DEEP = 114                                   # of a box
    APART = 6                                    # between the words and one that is written
    REACH = 22                                   # how far a line goes on, up to the next drawing, whose ground ends it

    def __init__(self, x, names, begins, new_word=False):
        self.x, self.names, self.begins = x, names, begins
        self.n = len(names)
        self.new_word = new_word                 # whether the last word is one that the machine has written
        self.axis = 38 + self.n * self.CELL / 2  # the height of the line
        self.foot = self.axis + 66 + self.DEEP   # of the boxes
        self.back = self.foot + 28 if new_word else None                   # the height of the line that leads back
        self.deep = (self.back or self.foot) + 12
        self.vmax = max(1.0, float(np.abs(x).max()))

    def part(self, name, *body, outlined=None):
        """A part, which comes at its step, outlined then."""
        k = self.begins.get(name, 0)
        body = "".join(body)
        if not k:
            return body
        return f'<g data-ak-from="{k}">{body}</g>' + (outline(*outlined, at=k) if outlined else "")

    def svg(self, body, wide, told):
        """A drawing as high as all of them."""
        return Reaching("".join(body), math.ceil(wide), math.ceil(self.deep), told)

    # ---- rows of numbers

    def rows(self, numbers, x, title, name, came=()):
        """The squares of the words in the middle of the line, their names beside them; gives where they end, too."""
        n, d = numbers.shape
        left, top = x + room_of(self.names), self.axis - n * self.CELL / 2
        kept = n - self.new_word
        body = [text(left - 2, top - 12, title, INK, anchor="start", size=LABEL, bold=True),
                coming(self._some(numbers, left, top, 0, kept), name, came), self._frame(left, top, d, kept)]
        if self.new_word:
            y = top + kept * self.CELL + self.APART
            body.append(self.part("back", self._some(numbers, left, top + self.APART, kept, n),
                                  self._frame(left, y, d, 1),
                                  outlined=(x - 3, y - 6, left + d * self.CELL + 9 - x, self.CELL + 12)))
        return "".join(body), left + d * self.CELL

    def _some(self, numbers, left, top, first, last):
        """Some of the rows with their names."""
        side, body = self.CELL, []
        for i in range(first, last):
            named = text(left - 8, top + (i + .5) * side + 5, self.names[i], INK, anchor="end", bold=first > 0)
            body.append(coming(named, "written", ["likeliest"]) if first else named)
            body += [square(v, left + j * side, top + i * side, side, side, 1, self.vmax, None)
                     for j, v in enumerate(numbers[i])]
        return "".join(body)

    def _frame(self, left, top, d, n):
        return (f'<rect x="{left - 2:g}" y="{top - 2:g}" width="{d * self.CELL + 4:g}" height="{n * self.CELL + 4:g}" '
                f'rx="4" fill="none" stroke="{QUIET}" stroke-width="2.5"/>')

    def stream(self, x, end, pointed=False):
        """A piece of the thick line."""
        y, stop = self.axis, end - 12 if pointed else end
        line = f'<path d="M{x:g} {y:g}H{stop:g}" fill="none" stroke="{INK}" stroke-width="{STRONG}"/>'
        if pointed:
            line += f'<path d="M{end - 14:g} {y - 9:g}L{end:g} {y:g}L{end - 14:g} {y + 9:g}Z" fill="{INK}"/>'
        return line

    # ---- the drawings

    def words(self, title):
        """The words and their numbers, from which the line leads to the right."""
        body, end = self.rows(self.x, 4, title, "X")
        wide = end + 11
        body = [body, self.part("stream", self.stream(end + 3, wide + self.REACH))]
        if self.back:
            x, low = 4 + room_of(self.names) / 2, self.axis + self.n * self.CELL / 2 + self.APART + 8
            way = f"M{wide + self.REACH:g} {self.back:g}H{x:g}V{low:g}"
            head = f"M{x - 6:g} {low + 8:g}L{x:g} {low:g}L{x + 6:g} {low + 8:g}"
            body.append(self.part("back", _back(way + head)))
        kept = self.n - self.new_word
        told = describe(self.x[:kept], title, None, self.names[:kept])
        if self.new_word:
            told += f" Then “{self.names[-1]}” is one more row."
        return self.svg(body, wide, told)

    def block(self, weights, name, key):
        """A block: both of its halves leave the line and are added to it."""
        wide = 2 * self.HALF + 6
        top = self.axis - 46
        ground = (f'<rect x="1" y="{top:g}" width="{wide - 2}" height="{self.foot + 8 - top:g}" rx="10" '
                  f'fill="{GROUND}" stroke="{palette.var("grid")}" stroke-width="1.5"/>'
                  + text(12, top + 23, name, INK, anchor="start", size=LABEL, bold=True))
        whole = [self.part("stream", self.stream(0, wide + self.REACH)),
                 *self._half(3, "attention", self._looks(weights)),
                 *self._half(3 + self.HALF, "mlp", self._alone(3 + self.HALF + self.HALF / 2))]
        body = [self.part(key, ground, *whole, outlined=(1, top, wide - 2, self.foot + 8 - top))]
        if self.back:
            body.append(self.part("back", _back(f"M0 {self.back:g}H{wide + self.REACH:g}")))
        return self.svg(body, wide, self._told_block(weights, name))

    def _half(self, x, what, inside):
        """Half a block: down through a norm into a box, and back up to the line."""
        y, middle, leaves, comes = self.axis, x + self.HALF / 2, x + 30, x + 77
        top = y + 66
        title = {"attention": "attention", "mlp": "MLP"}[what]
        box = (f'<rect x="{middle - self.BOX / 2:g}" y="{top:g}" width="{self.BOX}" height="{self.DEEP}" rx="8" '
               f'fill="{PAGE}" stroke="{QUIET}" stroke-width="1.5"/>'
               + text(middle, top + 22, title, INK, size=LABEL, bold=True))
        norm = (f'<rect x="{leaves - self.NORM / 2:g}" y="{y + 21:g}" width="{self.NORM}" height="27" rx="6" '
                f'fill="{PAGE}" stroke="{QUIET}" stroke-width="1.5"/>' + text(leaves, y + 40, "norm", INK))
        ways = (wire(f"M{leaves:g} {y + 3:g}v18") + arrow((leaves, y + 48), (leaves, top))
                + arrow((comes, top), (comes, y + 12)))
        around = (x + 1, y - 15, self.HALF - 2, self.foot - y + 19)
        plus = _plus(comes, y)
        if what == "mlp":
            return [self.part("mlp", ways, norm, box, inside, plus, outlined=around)]
        return [ways, box, inside, self.part("norm", norm, outlined=(leaves - 30, y + 17, 60, 35)),
                self.part("stream", plus, outlined=(x - 2, y - 14, 2 * self.HALF + 4, 28))]

    def _looks(self, weights):
        """The masked weights, as small as they have room."""
        n = self.n
        side = 76 / n
        left, top = 3 + self.HALF / 2 - 38, self.axis + 66 + 32
        kept = n - self.new_word

        def at(i, j):
            return _weight(weights[i, j], left + j * side, top + i * side, side, j > i)
        old = [at(i, j) for i in range(kept) for j in range(kept)]
        new = [at(i, j) for i in range(n) for j in range(n) if kept in (i, j)] if self.new_word else []
        row = (left - 3, top + kept * side - 2, 82, side + 4)
        return "".join([*old, self.part("again", *new, outlined=row)] if new else old)

    def _alone(self, x):
        """Each word by itself."""
        return looking(x, self.axis + 66 + 44, np.eye(self.n), far=72 / self.n, deep=52)

    def _told_block(self, weights, name):
        kept = self.n - self.new_word
        told = describe(weights[:kept, :kept], "Its weights", "weight", self.names, self.names[:kept], 2)
        if self.new_word:
            told += f" Then “{self.names[-1]}” looks, too: {', '.join(map(fixed, weights[-1]))}."
        return (f"{name.capitalize()}: a norm and attention leave the line and are added to it, then a norm and an "
                f"MLP, which takes each word by itself. {told}")

    def after(self, numbers, title):
        """Where the line ends in the words' new numbers."""
        vmax, self.vmax = self.vmax, max(1.0, float(np.abs(numbers).max()))
        rows, end = self.rows(numbers, 26, title, "after", ["X"])
        self.vmax = vmax
        top = self.axis - self.n * self.CELL / 2
        body = [self.part("stream", self.stream(0, 24, pointed=True)),
                self.part("after", rows, outlined=(24, top - 32, end - 18, self.n * self.CELL + 38))]
        return self.svg(body, end + 8, describe(numbers, title, None, self.names))

    def scores(self, scores, candidates):
        """The last norm, and the scores of the next word after the newest one."""
        y, side, runs = self.axis, self.CELL, len(scores)
        step = cell_width([fixed(v, 1) for v in scores.flat], 4, 34)
        left = math.ceil(max(14 + room_of(candidates), 20 + text_width("scores", LABEL, bold=True)))
        middle = left + step / 2
        top = self.foot - len(candidates) * side - 2
        names = self.names[-runs:]
        norm = (f'<rect x="{middle - 28:g}" y="{y - 17:g}" width="56" height="34" rx="6" fill="{PAGE}" '
                f'stroke="{QUIET}" stroke-width="1.5"/>' + text(middle, y + 6, "norm", INK))
        line = self.stream(0, middle - 30, pointed=True)
        body = [self.part("last norm", line, norm, outlined=(middle - 33, y - 22, 66, 44))]
        best = int(scores[0].argmax())
        words = [text(left - 9, top + (i + .5) * side + 5, name, INK, anchor="end")
                 for i, name in enumerate(candidates)]
        words[best] = coming(words[best], "likeliest")
        wide = max(left + step + 8, middle + 36)
        head = [arrow((middle, y + 17), (middle, top - 25)),
                text(left - 9, top - 8, "scores", INK, anchor="end", size=LABEL, bold=True)]
        body.append(self.part("scores", *head, *words, self._column(scores[0], left, top, step, names[0]),
                              outlined=(1, top - 26, wide - 3, self.foot - top + 30)))
        if self.back:
            at = top + (best + .5) * side
            body.append(self.part("likeliest", outline(6, at - side / 2 + .5, left + step - 6, side - 1)))
            body.append(self.part("back", _back(f"M6 {at:g}H1.5V{self.back:g}H0")))
            body.append(self.part("again", self._column(scores[1], left + step + 6, top, step, names[1]),
                                  outlined=(left + step + 1, top - 24, step + 10, self.foot - top + 28)))
            wide = max(left + 2 * step + 14, middle + 36)
        told = " ".join(f"Scores of the next word after “{name}”: "
                        + ", ".join(f"{c} {fixed(v, 1)}" for c, v in zip(candidates, row)) + "."
                        for name, row in zip(names, scores))
        return self.svg(body, wide, f"A last norm. {told}")

    def _column(self, scores, x, top, step, name):
        """The scores after a word, below it."""
        vmax, side = max(1.0, float(np.abs(scores).max())), self.CELL
        squares = [square(v, x, top + i * side, step, side, 1, vmax, None) for i, v in enumerate(scores)]
        frame = (f'<rect x="{x - 2:g}" y="{top - 2:g}" width="{step + 4:g}" height="{len(scores) * side + 4:g}" rx="4" '
                 f'fill="none" stroke="{QUIET}" stroke-width="2.5"/>')
        return "".join([text(x + step / 2, top - 8, name, QUIET), *squares, frame])


def _plus(x, y):
    """Where something is added to the thick line."""
    return (f'<circle cx="{x:g}" cy="{y:g}" r="12" fill="{PAGE}" stroke="{QUIET}" stroke-width="1.5"/>'
            + text(x, y + 5, "+", INK))


def _back(path):
    """A piece of the line that leads back."""
    return (f'<path d="{path}" fill="none" stroke="{INK}" stroke-width="2.5" stroke-linejoin="round"/>')


def _weight(value, x, y, side, hidden):
    """A tiny square of a weight, or one that is crossed out."""
    if hidden:
        return crossed(x, y, side, side)
    return (f'<rect x="{x + .5:g}" y="{y + .5:g}" width="{side - 1:g}" height="{side - 1:g}" rx="2" '
            f'fill="{fill(value, "weight")}" fill-opacity="{opacity(value, 1.0):g}" stroke="{palette.var("grid")}"/>')


# ---- what pages call

def whole(x, matrices, *, names, columns, asking, every=False):
    """Draw how a head grows from the words on: a list of pictures, one for each step, of one size.

    `x` (n, d) are the words, `matrices` three, (d, d_k), (d, d_k) and (d, d_v); `columns` are two lists of names, of
    the d features and of the d_k numbers of a query or a key.  The row of the word of number `asking` is framed, and it
    alone asks, in seven steps: the words and the matrices; its query; the keys; its scores; its weights; the values;
    its output.

    With `every` there are five: that whole picture; the queries of all words; their scores; weights; outputs.
    """
    x, (q, k, v) = as_array(x, "x"), (as_array(w, "matrices") for w in matrices)
    if any(a.ndim != 2 for a in (x, q, k, v)) or q.shape != k.shape or {len(q), len(v)} != {x.shape[1]}:
        raise ValueError(f"x must be (n, d) and matrices (d, d_k), (d, d_k) and (d, d_v), got {x.shape}, {q.shape}, "
                         f"{k.shape} and {v.shape}")
    check_names("names", names, len(x), f"x of shape {x.shape}")
    for given, count, what in zip(columns, q.shape, ("a word", "a query")):
        check_names("columns", given, count, f"numbers of {what}")
    check_within("asking", asking, 0, len(names) - 1, "words")
    return Whole(x, (q, k, v), list(names), [list(one) for one in columns], asking, every).pictures()


def head(query, key, value, *, names, table=None, causal=True, asking=None):
    """Draw how a head grows by its newest part: a list of pictures, one for each step, of one size.

    `query` and `key` (n, d_k) and `value` (n, d_v) are of the same words.  The row of the word of number `asking` is
    framed.  Without `causal` and `table` there are three steps: the scores; their weights; the output.

    With `causal` the first picture is that whole head, and the others are four: the head as it was; a mask crosses out
    the scores of later words; the weights, which share what is left; the output.

    With a `table` (n, n), which is added to the scores before the mask, there are five: the head as it was; the table;
    the sum, crossed out as before; the weights; the output.
    """
    q, k, v = as_array(query, "query"), as_array(key, "key"), as_array(value, "value")
    if any(a.ndim != 2 for a in (q, k, v)) or q.shape != k.shape or len(k) != len(v):
        raise ValueError(f"query, key and value must be (n, d_k), (n, d_k) and (n, d_v), got {q.shape}, {k.shape} "
                         f"and {v.shape}")
    check_names("names", names, len(q), f"query of shape {q.shape}")
    if table is not None:
        table = as_array(table, "table")
        if table.shape != (len(q), len(q)):
            raise ValueError(f"table must hold a number for each pair of {len(q)} words, got shape {table.shape}")
    if asking is not None:
        check_within("asking", asking, 0, len(names) - 1, "words")
    return Head(q, k, v, list(names), table, causal, asking).pictures()


def block(x, weights, after, *, names):
    """Draw how attention grows into a block: one picture whose parts come in five steps.

    The words `x` (n, d) and attention with its `weights` (n, n); the thick line, to which what it finds is added; the
    norm before it; the MLP, which is added, too; the numbers `after` (n, d) the block.
    """
    x, weights = _words(x, [weights], names)
    after = as_array(after, "after")
    if after.shape != x.shape:
        raise ValueError(f"after must have the shape of x, {x.shape}, got {after.shape}")
    machine = Machine(x, list(names), {"stream": 1, "norm": 2, "mlp": 3, "after": 4})
    return [Picture(machine.words("words X"), machine.block(weights[0], "block", "block"),
                    machine.after(after, "after the block"))]


def stack(x, weights, scores, *, names, candidates):
    """Draw how a block grows into a Transformer: one picture whose parts come in four steps.

    The words `x` (n, d) and a block, as before; a second one on the same line, so that `weights` are two (n, n); the
    last norm; the `scores` (m,) of `candidates` for the next word.
    """
    x, weights = _words(x, _two(weights), names)
    scores = _scores(scores, candidates, 1)
    machine = Machine(x, list(names), {"block 2": 1, "last norm": 2, "scores": 3})
    return [_stacked(machine, weights, scores, candidates)]


def loop(x, weights, scores, *, names, candidates):
    """Draw the loop round a Transformer: one picture whose parts come in four steps.

    The machine as it was; the likeliest of the next words; the way back, on which it becomes one more word; the machine
    again, with the new word.  `x` (n, d) and `names` hold the new word, too, as their last, and `weights` are two
    (n, n).  Of `scores` (2, m) the first row is before the new word, the second after it.
    """
    x, weights = _words(x, _two(weights), names)
    scores = _scores(scores, candidates, 2)
    if len(x) < 2:
        raise ValueError("names must hold a word and the one that is written after it, got 1")
    if candidates[int(scores[0].argmax())] != names[-1]:
        raise ValueError(f"names must end with the likeliest candidate, {candidates[int(scores[0].argmax())]!r}, "
                         f"got {names[-1]!r}")
    machine = Machine(x, list(names), {"likeliest": 1, "back": 2, "again": 3}, new_word=True)
    return [_stacked(machine, weights, scores, candidates)]


def _stacked(machine, weights, scores, candidates):
    blocks = [machine.block(w, f"block {k}", f"block {k}") for k, w in enumerate(weights, start=1)]
    return Picture(machine.words("words X"), *blocks, machine.scores(scores, list(candidates)))


def _two(weights):
    """The weights of two blocks."""
    if len(weights) != 2:
        raise ValueError(f"weights must be of two blocks, got {len(weights)}")
    return weights


def _words(x, weights, names):
    """The words and the weights of each block, if they fit each other."""
    x, weights = as_array(x, "x"), [as_array(w, "weights") for w in weights]
    if x.ndim != 2:
        raise ValueError(f"x must be (n, d), got {x.shape}")
    check_names("names", names, len(x), f"x of shape {x.shape}")
    if any(w.shape != (len(x), len(x)) for w in weights):
        raise ValueError(f"weights must hold a number for each pair of {len(x)} words, got shapes "
                         f"{', '.join(str(w.shape) for w in weights)}")
    if any(w.min() < 0 or w.max() > 1 + 1e-6 or np.triu(w, 1).any() for w in weights):
        raise ValueError("weights must be from 0 to 1, and 0 for later words")
    return x, weights


def _scores(scores, candidates, rows):
    """Scores of the next word, a row of them for each time."""
    scores = np.atleast_2d(as_array(scores, "scores"))
    check_names("candidates", candidates, scores.shape[1], f"scores of shape {scores.shape}")
    if len(scores) != rows:
        raise ValueError(f"scores must have {rows} row{'s' * (rows > 1)}, got shape {scores.shape}")
    return scores
