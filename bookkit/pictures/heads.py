"""Multi-head attention as one picture, in five steps.

Three drawings, side by side or one below the other.  A head is a band, at the same
height in the first and in the second, so that a matrix is level with what becomes of it.
"""

import math
import re

import numpy as np

from attnkit import attention
from bookkit.pictures import palette
from bookkit.pictures.blocks import arrow
from bookkit.pictures.draw import describe
from bookkit.pictures.metrics import RAISED, text_width
from bookkit.pictures.picture import Picture, Svg
from bookkit.pictures.shapes import LABEL, block, coming, growing, knot, square, wire

SQUARE = 18          # the side of a square, which holds a sign
WORDS = 17           # so large that an index stays legible where two drawings share a line
SHIFT = {"^": -0.36, "_": 0.16}                  # how far a letter is moved down, as a share of the font's size
TOP = 56                                         # of what stands below the sentences
ABOVE, BELOW, BESIDE, APART = 76, 12, 8, 10      # around the squares of a band; between two bands
LINE = 22                                        # from one line of words to the next
STEPS = [("The words",), ("Times the head’s", "own matrices"),
         ("Each head attends with its Q, K and V", "A = softmax(Q K^T / √d_k), H = A V"), ("Side by side",),
         ("Times W^O gives Y",)]


class Heads:
    """The numbers of multi-head attention, as far as the picture shows them."""

    def __init__(self, x, heads, w_output):
        self.x, self.heads, self.w_output = x, heads, w_output
        self.projected = [[x @ w for w in head] for head in heads]
        attended = [attention(*roles) for roles in self.projected]
        self.outputs, self.weights = ([pair[k] for pair in attended] for k in (0, 1))
        self.joined = np.concatenate(self.outputs, axis=1)
        self.y = self.joined @ w_output
        self.sizes = {"n": len(x), "d": x.shape[1], "h": len(heads), "d_k": heads[0][0].shape[1],
                      "d_v": heads[0][2].shape[1]}


# ---- words with raised and lowered letters

def formula(x, y, words, colour, *, anchor="start", size=WORDS, bold=False):
    """Words in which a letter after a ``^`` is raised and one after a ``_`` is lowered."""
    parts, now = [], 0.0
    for sign, piece in _pieces(words):
        shift = round(SHIFT.get(sign, 0.0) * size, 2)
        small = f' font-size="{RAISED:.0%}"' if sign else ""
        parts.append(f'<tspan dy="{shift - now:g}"{small}>{piece}</tspan>' if sign or now else piece)
        now = shift
    weight, wide = ' font-weight="600"' if bold else "", formula_width(words, size, bold)
    return (f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" font-size="{size:g}"{weight} fill="{colour}" '
            f'textLength="{wide:g}" lengthAdjust="spacingAndGlyphs">{"".join(parts)}</text>')


def formula_width(words, size=WORDS, bold=False):
    """The width of such words in pixels."""
    return sum(text_width(piece, size * (RAISED if sign else 1), bold) for sign, piece in _pieces(words))


def _pieces(words):
    """Such words cut where a letter is raised or lowered: pairs of the sign that says so, or "", and the text."""
    return [(sign, letter or rest) for sign, letter, rest in re.findall(r"([_^])(\w)|([^_^]+)", words)]


# ---- parts of the drawings

class Grid:
    """A matrix that has no place yet: its squares, its name, its shape in letters."""

    def __init__(self, numbers, name, shape, role, vmax):
        self.numbers, self.name, self.shape, self.role, self.vmax = numbers, name, shape, role, vmax
        self.wide, self.deep = numbers.shape[1] * SQUARE, len(numbers) * SQUARE
        above = [formula_width(name, LABEL, True), formula_width(shape)]
        self.room, self.title = math.ceil(max(self.wide + 5, *above)), math.ceil(sum(above) + 6)
        self.colour = palette.var(role or "ink")

    def squares(self, x, y):
        """The squares alone."""
        return block(self.numbers, x, y, SQUARE, "", self.role, None, self.vmax, None, False, SQUARE)

    def standing(self, x, y):
        """The squares in the middle of their room, above them the name and the shape, a line each."""
        middle = x + self.room / 2
        return (formula(middle, y - 30, self.name, self.colour, anchor="middle", size=LABEL, bold=True)
                + formula(middle, y - 9, self.shape, palette.var("quiet"), anchor="middle")
                + self.squares(middle - self.wide / 2, y))

    def titled(self, x, y):
        """Name and shape in one line."""
        return (formula(x, y, self.name, self.colour, size=LABEL, bold=True)
                + formula(x + self.title, y, self.shape, palette.var("quiet"), anchor="end"))


def _largest(*arrays):
    """The magnitude that gets the full depth in all of some matrices."""
    return max(1.0, *(float(np.abs(a).max()) for a in arrays))


def _step(x, y, number):
    """A numbered sentence, its first line bold."""
    return [knot(x + 13, y - 6, str(number)), *(formula(x + 31, y + LINE * k, words, palette.var("ink"), bold=not k)
                                                for k, words in enumerate(STEPS[number - 1]))]


def _step_width(number):
    return 31 + math.ceil(max(formula_width(words, bold=not k) for k, words in enumerate(STEPS[number - 1])))


def _comes(svg, grid, *came):
    """The squares of a matrix, and which others they come from."""
    return coming(svg, grid.name, [other.name for other in came])


def _arrow(path, x, y):
    """A line that ends with a head at a place, which it reaches from the left."""
    return wire(f"{path}H{x:g}M{x - 6:g} {y - 4:g}L{x:g} {y:g}L{x - 6:g} {y + 4:g}")


# ---- the picture


class MultiHead:
    """Words and matrices; what each head does with them; side by side and mixed.

    An arrow leads from the word `asking` to where each head looks, and each part says when it comes.
    """

    def __init__(self, numbers, names, asking):
        self.numbers, self.names, self.asking = numbers, names, asking
        outputs = _largest(*numbers.outputs)
        factors = _largest(numbers.w_output, *(w for head in numbers.heads for w in head))
        self.x = Grid(numbers.x, "X", "(n, d)", None, _largest(numbers.x))
        self.factors = self._of_roles("W^", numbers.heads, "d", [factors] * 3)
        self.made = self._of_roles("", numbers.projected, "n", [_largest(*a) for a in zip(*numbers.projected)])
        self.weights = [Grid(a, f"A_{i + 1}", "(n, n)", "weight", 1.0) for i, a in enumerate(numbers.weights)]
        self.outputs = [Grid(a, f"H_{i + 1}", "(n, d_v)", None, outputs) for i, a in enumerate(numbers.outputs)]
        self.joined = Grid(numbers.joined, "H", "(n, h d_v)", None, outputs)
        self.mix = Grid(numbers.w_output, "W^O", "(h d_v, d)", None, factors)
        self.y = Grid(numbers.y, "Y", "(n, d)", None, _largest(numbers.y))
        self._place(numbers.sizes)

    @staticmethod
    def _of_roles(letter, heads, rows, scales):
        """The matrices of queries, keys and values, head by head."""
        kinds = list(zip(("query", "key", "value"), ("k", "k", "v"), scales))
        return [[Grid(a, f"{letter}{role[0].upper()}_{i + 1}", f"({rows}, d_{width})", role, scale)
                 for a, (role, width, scale) in zip(head, kinds)] for i, head in enumerate(heads)]

    def _place(self, sizes):
        """Where the bands and their squares are: as high as these need, and as what stands beside them."""
        deep, h = max(sizes["n"], sizes["d"]) * SQUARE, sizes["h"]
        beside = self.x.deep + 2 * (len(sizes) * LINE + 10)
        band = max(ABOVE + deep + BELOW, math.ceil((beside + APART) / h - APART))
        self.tops = [TOP + i * (band + APART) for i in range(h)]
        self.middles = [top + (band + ABOVE - BELOW) / 2 for top in self.tops]
        self.band, self.height = band, self.tops[-1] + band + 2

    def drawings(self):
        """All three, each with its words."""
        return [self._first(), self._second(), self._third()]

    def _arcs(self, x, y):
        """From the word that asks to the word that each head weighs most, at the left of the words."""
        arcs = []
        for weights in self.numbers.weights:
            one, other = (y + (row + .5) * SQUARE for row in (self.asking, int(weights[self.asking].argmax())))
            out = 12 + 4 * abs(one - other) / SQUARE
            colour = palette.var("weight")
            way = f"M{x:g} {one:g}C{x - out:g} {one:g} {x - out:g} {other:g} {x - 3:g} {other:g}"
            head = f"M{x - 9:g} {other - 5:g}L{x - 2:g} {other:g}L{x - 9:g} {other + 5:g}"
            arcs.append(f'<path d="{way}{head}" fill="none" stroke="{colour}" stroke-width="2.5"/>')
        return "".join(arcs)

    def _ground(self, i, x, wide):
        """The band of a head, with its name."""
        return (f'<rect x="{x:g}" y="{self.tops[i]:g}" width="{wide:g}" height="{self.band:g}" rx="8" '
                f'fill="{palette.var("ground")}"/>'
                + formula(x + BESIDE, self.tops[i] + 21, f"head {i + 1}", palette.var("ink"), bold=True))

    def _named(self, x, y):
        """The names of the words, level with their rows."""
        return [formula(x - 8, y + (i + .5) * SQUARE + 6, name, palette.var("ink"), anchor="end")
                for i, name in enumerate(self.names)]

    def _first(self):
        """Steps 1 and 2: the words once, and from there to the matrices of each head."""
        left = 38 + math.ceil(max(text_width(name, WORDS) for name in self.names))
        turn = max(left + max(self.x.wide, self.x.title), _step_width(1)) + 8
        x0, room = turn + 14, sum(grid.room for grid in self.factors[0]) + 2 * 5
        wide = math.ceil(max(room + 2 * BESIDE, _step_width(2)))
        middle = (TOP + self.height) / 2
        top = middle - self.x.deep / 2
        words = [*_step(2, 26, 1), self.x.titled(left - 2, top - 11), self.x.squares(left, top)]
        words += self._named(left, top)
        words.append(self._arcs(26, top))
        words += [formula(left - 2, self.height - 6 - LINE * i, f"{letter} = {size}", palette.var("quiet"))
                  for i, (letter, size) in enumerate(reversed(self.numbers.sizes.items()))]
        body = [growing(0, "".join(words), (1, top - 34, left + self.x.wide + 8, self.x.deep + 42))]
        for i, head in enumerate(self.factors):
            x = x0 + (wide - room) / 2
            band = [*_step(x0, 26, 2)] * (i == 0)
            band += [self._ground(i, x0, wide),
                     _arrow(f"M{left + self.x.wide + 4:g} {middle:g}H{turn:g}V{self.middles[i]:g}", x0 + 3,
                            self.middles[i])]
            for grid in head:
                band.append(_comes(grid.standing(x, self.middles[i] - grid.deep / 2), grid))
                x += grid.room + 5
            body.append(growing(1, "".join(band), (x0, self.tops[i], wide, self.band)))
        return Svg("".join(body), x0 + wide + 2, self.height, self._told_first())

    def _second(self):
        """Step 3: queries, keys and values, the weights, the head's output."""
        rows = [[q, k, "→", a, "×", v, "=", out] for (q, k, v), a, out in zip(self.made, self.weights, self.outputs)]
        wide = max(5 + sum(20 if isinstance(part, str) else part.room for part in rows[0]) + 2 * BESIDE,
                   _step_width(3))
        body = []
        for i, row in enumerate(rows):
            band = [*(_step(2, 26, 3) if i == 0 else ()), self._ground(i, 2, wide)]
            x = 2 + BESIDE
            _, _, _, a, _, v, _, out = row
            came = {id(a): row[:2], id(out): [a, v]}
            came |= {id(made): [factor] for made, factor in zip(self.made[i], self.factors[i])}
            for part in row:
                if isinstance(part, str):
                    band.append(formula(x + 10, self.middles[i] + 6, part, palette.var("ink"), anchor="middle"))
                    x += 20
                else:
                    band.append(_comes(part.standing(x, self.middles[i] - part.deep / 2), part, *came[id(part)]))
                    x += part.room + (5 if part is row[0] else 0)
            body.append(growing(2, "".join(band), (2, self.tops[i], wide, self.band)))
        return Svg("".join(body), math.ceil(wide + 4), self.height, self._told_second())

    def _third(self):
        """Steps 4 and 5: the heads side by side, and what the last matrix makes of them."""
        left = 12 + math.ceil(max(text_width(name, WORDS) for name in self.names))
        apart = 10
        span = self.joined.wide + (len(self.outputs) - 1) * apart
        x = math.ceil(max(left + max(span, self.joined.title), _step_width(4)) + 26)
        last = math.ceil(x + max(self.mix.wide, self.mix.title) + 26)
        deep = max(self.joined.deep, self.mix.deep)
        top = TOP + 30
        middle = top + deep / 2
        y = middle - self.joined.deep / 2
        joined = [*_step(2, 26, 4), self.joined.titled(left - 2, y - 30), *self._named(left, y)]
        for i, grid in enumerate(self.outputs):
            here = left + i * (grid.wide + apart)
            joined += [formula(here + grid.wide / 2, y - 9, grid.name, grid.colour, anchor="middle"),
                       _comes(grid.squares(here, y), self.joined, grid)]
        mixed = _step(x - 16, 26, 5)
        for sign, grid, here in (("×", self.mix, x), ("=", self.y, last)):
            over = middle - grid.deep / 2
            mixed += [formula(here - 13, middle + 6, sign, palette.var("ink"), anchor="middle"),
                      grid.titled(here - 2, over - 11),
                      _comes(grid.squares(here, over), grid, *([self.joined, self.mix] if grid is self.y else []))]
        wide = max(last + max(self.y.wide + 4, self.y.title), x - 16 + _step_width(5))
        body = [growing(3, "".join(joined), (1, TOP - 14, x - 28, top + deep - TOP + 18)),
                growing(4, "".join(mixed), (x - 24, TOP - 14, wide + 24 - x, top + deep - TOP + 18))]
        return Svg("".join(body), math.ceil(wide + 2), top + deep + 6, self._told_third())

    # ---- the same in words

    def _told_first(self):
        s = self.numbers.sizes
        return (f"Step 1: the words {', '.join(self.names)} are the rows of X, n by d: {s['n']} by {s['d']}. "
                f"Step 2: each of h = {s['h']} heads has matrices of its own: W^Q and W^K, d by d_k: {s['d']} by "
                f"{s['d_k']}, and W^V, d by d_v: {s['d']} by {s['d_v']}.")

    def _told_second(self):
        s = self.numbers.sizes
        return (f"Step 3: in each head, X times its matrices gives queries Q and keys K, {s['n']} by {s['d_k']}, and "
                f"values V, {s['n']} by {s['d_v']}. A softmax of each row of Q times transposed K, divided by the root "
                f"of d_k, gives weights A, n by n: {s['n']} by {s['n']}. A times V is the head's output H, n by d_v.")

    def _told_third(self):
        s = self.numbers.sizes
        joined = f"{s['n']} by {s['h'] * s['d_v']}"
        return (f"Step 4: the outputs of the heads, side by side, are H, n by h d_v: {joined}. Step 5: H times W^O, "
                f"h d_v by d: {s['h'] * s['d_v']} by {s['d']}, gives Y, n by d. "
                + describe(self.numbers.y, "Y", None, self.names))


# ---- what pages call

def multi_head(x, heads, w_output, *, names, asking):
    """Draw the whole of multi-head attention as the five steps of a `bookkit.figures.GrowingPicture`.

    Three drawings side by side.  The first has the words `x` (n, d), arrows from the word `asking` to the ones that the
    heads weigh most, and the matrices of each head, a triple that makes its queries (d, d_k), its keys (d, d_k) and its
    values (d, d_v); the second what each head makes with them; the third the outputs of all heads side by side and what
    `w_output` (h * d_v, d) makes of them.  Squares show sign and size, and matrices of one kind share one scale.
    """
    return Picture(*MultiHead(Heads(x, heads, w_output), names, asking).drawings())


def corners(names, panels):
    """Draw averages of three names as points of a triangle that has the names as its corners, a triangle a panel.

    `panels` are pairs of lines above the triangle, its points, each as its shares of the names, and the number of the
    name to which an arrow leads from the first point, or None.
    """
    at = np.array([[26.0, 186], [142, 186], [84, 80]])
    ink, drawings = palette.var("ink"), []
    for (title, answer), points, found in panels:
        places = [np.asarray(shares) @ at for shares in points]
        body = [formula(84, 18, title, ink, anchor="middle", bold=True), formula(84, 41, answer, ink, anchor="middle"),
                wire("M26 186L142 186L84 80Z"),
                *(formula(x, y + (28 if y > 99 else -10), name, ink, anchor="middle")
                  for name, (x, y) in zip(names, at))]
        body += [] if found is None else [arrow(places[0], places[0] + (at[found] - places[0]) * 0.95, colour=ink)]
        body += [f'<circle cx="{x:g}" cy="{y:g}" r="9" fill="{palette.var("weight")}"/>' for x, y in places]
        shares = "; ".join(", ".join(f"{name} {share:g}" for name, share in zip(names, point)) for point in points)
        drawings.append(Svg("".join(body), 168, 220, f"{title} {answer}. A point for {shares}."))
    return Picture(*drawings)


def joined(weights, words, width):
    """Draw what one word gets from its heads: where each looks, and their outputs, stood up beside the rows of W^O.

    `weights` (h, n) are those of the word in each head, over `words`; a head gives `width` numbers.
    """
    ink, quiet, value, band = palette.var("ink"), palette.var("quiet"), palette.var("value"), 30
    wide = [math.ceil(text_width(word, WORDS)) + 6 for word in words]
    lefts = [52 + sum(wide[:k]) for k in range(len(words))]
    pieces = lefts[-1] + wide[-1] + 20
    rows, top, bottom = pieces + 46, 52, 52 + band * len(weights)
    body = [formula(left + w / 2, 44, word, ink, anchor="middle") for left, w, word in zip(lefts, wide, words)]
    body += [formula(pieces + 12, 44, "H", value, anchor="middle", size=LABEL, bold=True),
             formula(rows + 42, 44, "W^O", ink, anchor="middle", size=LABEL, bold=True)]
    for i, looks in enumerate(weights):
        y, middle = top + i * band, top + (i + .5) * band
        body.append(formula(2, middle + 6, f"head {i + 1}", ink))
        body += [square(look, left, y, w, band, None, 1.0, "weight") for look, left, w in zip(looks, lefts, wide)]
        body += [_arrow(f"M{pieces - 17:g} {middle:g}", pieces - 3, middle),
                 f'<rect x="{pieces:g}" y="{y:g}" width="24" height="{band}" fill="{palette.var("ground")}" '
                 f'stroke="{value}" stroke-width="2"/>',
                 formula(pieces + 12, middle + 6, str(width), ink, anchor="middle"),
                 formula(pieces + 35, middle + 6, "×", ink, anchor="middle"),
                 f'<rect x="{rows:g}" y="{y:g}" width="84" height="{band}" fill="{palette.var("ground")}" '
                 f'stroke="{quiet}" stroke-width="1.5"/>',
                 formula(rows + 42, middle + 6, f"{width} rows", quiet, anchor="middle")]
    body += [arrow((rows + 42, bottom + 4), (rows + 42, bottom + 28)),
             formula(rows + 42, bottom + 48, "added up: Y", ink, anchor="middle", bold=True)]
    told = ", ".join(f"{words[int(looks.argmax())]} {looks.max():.2f}" for looks in weights)
    return Picture(Svg("".join(body), rows + 90, bottom + 56, f"A word looks most, in {len(weights)} heads, at {told}"
                       f". The heads’ outputs stand below each other, each level with its {width} rows of W^O."))
