"""What a Transformer is built of, as drawings: the figure of 2017, where a word looks, drawers.

All of them are read downwards.  The strong line is the residual stream; thin lines lead into boxes and back.
"""

import math
from html import escape

import numpy as np

from bookkit.pictures import palette
from bookkit.pictures.formats import fixed
from bookkit.pictures.metrics import text_width
from bookkit.pictures.picture import Picture, Svg
from bookkit.pictures.shapes import LABEL, TEXT, as_array, block, check_names, check_within, opacity, text

INK, QUIET, PAGE, GROUND, GRID = (palette.var(name) for name in ("ink", "quiet", "page", "ground", "grid"))
STRONG = 6                       # the stream's line


# ---- lines, boxes, words that look at words

def stream(path):
    """The strong line that goes through everything."""
    return f'<path d="{path}" fill="none" stroke="{INK}" stroke-width="{STRONG}" stroke-linejoin="round"/>'


def arrow(*corners, colour=QUIET):
    """A line through some corners, with a head at the last."""
    (x0, y0), (x, y) = corners[-2:]
    along, across = (np.array(way) / math.hypot(x - x0, y - y0) for way in ((x - x0, y - y0), (y0 - y, x - x0)))
    barbs = [np.array([x, y]) - 6 * along + side * 4.5 * across for side in (1, -1)]
    path = "M" + "L".join(f"{a:g} {b:g}" for a, b in corners)
    head = "M{:g} {:g}L{:g} {:g}L{:g} {:g}".format(*barbs[0], x, y, *barbs[1])
    return f'<path d="{path}{head}" fill="none" stroke="{colour}" stroke-width="2" stroke-linejoin="round"/>'


def tip(x, y):
    """The head of the strong line."""
    return f'<path d="M{x - 9:g} {y - 14:g}L{x + 9:g} {y - 14:g}L{x:g} {y:g}Z" fill="{INK}"/>'


def box(x, y, wide, deep, *lines):
    """A box around a middle, below a height; its first line of words is bold where others follow."""
    body = [f'<rect x="{x - wide / 2:g}" y="{y:g}" width="{wide:g}" height="{deep:g}" rx="8" fill="{GROUND}" '
            f'stroke="{QUIET}" stroke-width="1.5"/>']
    for k, words in enumerate(lines):
        first = k == 0 and len(lines) > 1
        body.append(text(x, y + 23 + 22 * k, words, INK, size=LABEL if first else TEXT, bold=first))
    return "".join(body)


def looking(x, y, looks, *, far=28, deep=30):
    """Who looks at whom: the words above, what is made of each below, a line wherever one looks at the other.

    The lines have the colour of weights where words look at each other, and that of ink where each has its own alone.
    """
    below, above = looks.shape
    top, bottom = ([x + (i - (n - 1) / 2) * far for i in range(n)] for n in (above, below))
    alone = below == above and np.array_equal(looks, np.eye(below))
    colour = INK if alone else palette.var("weight")
    lines = "".join(f"M{top[j]:g} {y:g}L{bottom[i]:g} {y + deep:g}" for i, j in zip(*np.nonzero(looks)))
    dots = [f'<circle cx="{at:g}" cy="{row:g}" r="4" fill="{INK}"/>' for xs, row in ((top, y), (bottom, y + deep))
            for at in xs]
    return f'<path d="{lines}" fill="none" stroke="{colour}" stroke-width="1.3"/>' + "".join(dots)


def seen(x, y, looks, *, side=20):
    """Who sees whom, as a mask: a row of squares for each word that asks, filled where it sees a column's word."""
    n, m = looks.shape
    left = x - m * side / 2
    squares = "".join(
        f'<rect x="{left + j * side + 1:g}" y="{y + i * side + 1:g}" width="{side - 2}" height="{side - 2}" rx="3" '
        f'fill="{palette.var("fill-weight")}" fill-opacity="{opacity(looks[i, j], 1.0):g}" stroke="{GRID}"/>'
        for i in range(n) for j in range(m))
    return squares + (f'<rect x="{left - 2:g}" y="{y - 2:g}" width="{m * side + 4}" height="{n * side + 4}" rx="4" '
                      f'fill="none" stroke="{palette.var("weight")}" stroke-width="2"/>')


# ---- the figure of 2017

class Tower:
    """One side of the figure of 2017: boxes below each other, each with its number; some are pale."""

    WIDE, DEEP, GAP = 168, 34, 16

    def __init__(self, x, title, source):
        self.x, self.y, self.told = x, 66, [f"{title}, from {source}:"]
        self.body = [text(x, 20, title, INK, size=LABEL, bold=True), text(x, 48, source, INK)]

    def step(self, number, words, *, pale, leads=None):
        """An arrow into a box with its number and words, perhaps a link; gives the height of its middle."""
        top = self.y + self.GAP
        dashes = ' stroke-dasharray="4 4"' if pale else ""
        box = (f'<rect x="{self.x - self.WIDE / 2:g}" y="{top:g}" width="{self.WIDE}" height="{self.DEEP}" rx="8" '
               f'fill="{PAGE if pale else GROUND}" stroke="{QUIET}" stroke-width="1.5"{dashes}/>'
               + text(self.x, top + 22, f"{number}  {words}", QUIET if pale else INK, bold=not pale))
        self.body += [arrow((self.x, self.y - 10), (self.x, top)),
                      f'<a href="{escape(leads)}">{box}</a>' if leads else box]
        self.told.append(f"{number} {words}{' (pale)' if pale else ''}")
        self.y = top + self.DEEP + 10
        return top + self.DEEP / 2

    def end(self, words):
        """What comes out."""
        self.body += [arrow((self.x, self.y - 10), (self.x, self.y + 14)), text(self.x, self.y + 34, words, INK)]
        self.told.append(words)


ENCODER = [(1, "word vectors"), (2, "positions"), (3, "attention"), (4, "sum and norm"), (5, "MLP"),
           (4, "sum and norm")]
DECODER = [(1, "word vectors"), (2, "positions"), (6, "masked attention"), (4, "sum and norm"),
           (7, "cross-attention"), (4, "sum and norm"), (5, "MLP"), (4, "sum and norm"), (8, "scores, softmax")]


def _figure_of_2017(pale, links):
    """Encoder and decoder side by side, and the line that crosses from one to the other."""
    left = Tower.WIDE / 2 + 2
    right = left + Tower.WIDE + 56
    reads, writes = Tower(left, "encoder", "the text to read"), Tower(right, "decoder", "the words so far")
    for number, words in ENCODER:
        reads.step(number, words, pale="encoder" in pale, leads=links.get(number))
    # A decoder without cross-attention lacks the norm behind it, too.
    lacks = {k + more for k, (number, _) in enumerate(DECODER) if number == 7 for more in (0, 1)}
    heights = [writes.step(number, words, pale=k in lacks and "cross-attention" in pale, leads=links.get(number))
               for k, (number, words) in enumerate(DECODER)]
    writes.end("chances of the next word")
    cross = heights[[number for number, _ in DECODER].index(7)]
    low = max(cross, reads.y)
    body = [*reads.body, *writes.body,
            arrow((left, reads.y - 10), (left, low + 12), (right - Tower.WIDE / 2 - 26, low + 12),
                  (right - Tower.WIDE / 2 - 26, cross), (right - Tower.WIDE / 2, cross))]
    told = f"{', '.join(reads.told)}. {', '.join(writes.told)}. Cross-attention looks at what the encoder gives."
    return Svg("".join(body), right + Tower.WIDE / 2 + 2, writes.y + 44, told)


# ---- a block of 2017, and one of today

# What stands on the stream itself, a line of words, and what on a branch of it, several.
THEN = ["positions added", ["attention", "own keys each"], "layer norm", ["MLP", "ReLU"], "layer norm"]
NOW = [["1 RMS norm", "2 turned Q and K", "3 heads share keys"], ["1 RMS norm", "4 MLP with a gate"]]


class Stream:
    """A block as its residual stream: boxes that interrupt it, and branches whose results are added to it."""

    WIDE, DEEP, GAP, BESIDE = 138, 30, 14, 88

    def __init__(self, x, title, parts):
        self.x, self.y, self.body, self.told = x, 66, [text(x + 40, 20, title, INK, size=LABEL, bold=True)], []
        for part in parts:
            (self._on if isinstance(part, str) else self._branch)(part)
        self.body.insert(0, stream(f"M{x:g} 44V{self.y + 10:g}") + tip(x, self.y + 22))
        self.told = f"{title}: {'; '.join(self.told)}."

    def _box(self, x, words):
        self.body.append(f'<rect x="{x - self.WIDE / 2:g}" y="{self.y:g}" width="{self.WIDE}" height="{self.DEEP}" '
                         f'rx="8" fill="{GROUND}" stroke="{QUIET}" stroke-width="1.5"/>'
                         + text(x, self.y + 20, words, INK, bold=words[0].isdigit()))
        self.y += self.DEEP

    def _on(self, words):
        self._box(self.x, words)
        self.told.append(f"on the stream {words}")
        self.y += self.GAP

    def _branch(self, lines):
        beside, top = self.x + self.BESIDE, self.y
        self.y += self.GAP
        self.body.append(arrow((self.x, top), (beside, top), (beside, self.y)))
        for words in lines:
            self._box(beside, words)
            self.y += 4
        end = self.y + self.GAP
        self.body += [arrow((beside, self.y - 4), (beside, end), (self.x + 4, end)),
                      text(self.x - 14, end + 6, "+", INK, bold=True)]
        self.told.append(f"on a branch {', '.join(lines)}, added")
        self.y = end + self.GAP + 4


def _then_and_now():
    """The two of them side by side."""
    both = Stream(74, "2017", THEN), Stream(314, "today", NOW)
    return Svg("".join(part for one in both for part in one.body), 314 + Stream.BESIDE + Stream.WIDE / 2 + 4,
               max(one.y for one in both) + 30, " ".join(one.told for one in both))


# ---- three families, by who sees whom

FAMILIES = [
    ("all see all", np.ones((6, 6)), "every word sees every word",
     {2019: "BERT", 2024: "ModernBERT"}),
    ("two towers", np.block([[np.ones((3, 3)), np.zeros((3, 3))], [np.ones((3, 3)), np.tril(np.ones((3, 3)))]]),
     "three words are read, three written",
     {2017: "Transformer", 2020: "T5", 2025: "T5Gemma 2"}),
    ("only the left", np.tril(np.ones((6, 6))), "every word sees itself and what stands before it",
     {2019: "GPT-2", 2020: "GPT-3", 2023: "Llama", 2024: "Llama 3", 2025: "Gemma 3"})]


def _families():
    """A mask for each family, and below it its models, on one line of years for all."""
    years = sorted({year for *_, models in FAMILIES for year in models})
    left, wide, side, top, row = 62, 138, 16, 40, 26
    line = top + 6 * side + 30
    body = [f'<path d="M{left - 14} {line - 12}V{line + row * len(years) - 14}" stroke="{QUIET}" stroke-width="2"/>']
    for k, year in enumerate(years):
        y = line + row * k
        body += [text(left - 24, y + 5, str(year), QUIET, anchor="end"),
                 f'<circle cx="{left - 14}" cy="{y}" r="4" fill="{QUIET}"/>']
    told = []
    for k, (name, looks, words, models) in enumerate(FAMILIES):
        x = left + wide * (k + .5)
        body += [text(x, 20, name, INK, size=LABEL, bold=True), seen(x, top, looks, side=side)]
        body += [text(x, line + row * years.index(year) + 5, model, INK) for year, model in models.items()]
        told.append(f"{name.capitalize()}: {words}; " + ", ".join(f"{model} {year}" for year, model in models.items())
                    + ".")
    return Svg("".join(body), left + 3 * wide + 2, line + row * len(years) - 6, " ".join(told))


# ---- where a word looks

class Looks:
    """A sentence, several times one below the other: in each, how much one word looks at each."""

    WIDE, GAP, LINE = 472, 3, 30              # so wide that a phone shows the words without pushing them aside
    ARCS, NUMBER = 46, 18

    def __init__(self, words, weights, asking, row_names):
        self.words, self.weights, self.asking, self.row_names = words, weights, asking, row_names
        numbers = {j: text_width(fixed(row[j])) for row in weights for j in self._largest(row)}
        self.widths = [max(text_width(word) + (10 if i == asking else 4), numbers.get(i, 0))
                       for i, word in enumerate(words)]
        self.lines = self._lines()
        self.one = len(self.lines) == 1
        self.above = self.NUMBER + (self.ARCS if self.one else 0)

    def _lines(self):
        """The words line by line, as many in each as fit: pairs of a word's number and its left edge."""
        lines, x = [[]], 2
        for i, wide in enumerate(self.widths):
            if lines[-1] and x + wide > self.WIDE:
                lines.append([])
                x = 2
            lines[-1].append((i, x))
            x += wide + self.GAP
        return lines

    def drawing(self):
        """Every row of weights with its name."""
        body, y = [], 0
        for name, weights in zip(self.row_names or [""] * len(self.weights), self.weights):
            if name:
                body.append(text(2, y + TEXT, name, QUIET, anchor="start"))
                y += TEXT + 4
            for line in self.lines:
                y += self.above
                body += [self._arcs(line, weights, y)] if self.one else []
                body += [self._word(i, x, y, weights) for i, x in line]
                y += self.LINE
            y += 14
        right = max(x + self.widths[i] for line in self.lines for i, x in line)
        return Svg("".join(body), math.ceil(right + 2), y - 8, self._told())

    @staticmethod
    def _largest(weights):
        """The places of the three largest weights, of those that two decimals can tell."""
        return [int(j) for j in np.argsort(-weights, kind="stable")[:3] if weights[j] >= .005]

    def _word(self, i, x, y, weights):
        """A word on the colour of its weight; a frame if it asks; its number if it is one of the largest."""
        wide = self.widths[i]
        frame = f' stroke="{INK}" stroke-width="2"' if i == self.asking else ""
        body = (f'<rect x="{x:g}" y="{y:g}" width="{wide:g}" height="24" rx="4" fill="{palette.var("fill-weight")}" '
                f'fill-opacity="{opacity(weights[i], 1.0):g}"{frame}/>')
        if i in self._largest(weights):
            body += text(x + wide / 2, y - 5, fixed(weights[i]), palette.var("weight"))
        return body + text(x + wide / 2, y + 17, self.words[i], INK)

    def _arcs(self, line, weights, y):
        """Lines from the word that asks to those it looks at, the thicker the more; a hundredth is none."""
        middle = {i: x + self.widths[i] / 2 for i, x in line}
        here, body = middle[self.asking], []
        for i, x in middle.items():
            if i != self.asking and weights[i] >= .02:
                start, end = (y - (self.NUMBER if j in self._largest(weights) else 2) for j in (self.asking, i))
                top = y - self.NUMBER - 4 - 1.3 * self.ARCS * min(1, .35 + abs(x - here) / self.WIDE)
                body.append(f'<path d="M{here:g} {start:g}C{here:g} {top:g} {x:g} {top:g} {x:g} {end:g}" fill="none" '
                            f'stroke="{palette.var("weight")}" stroke-width="{1 + 5 * weights[i]:.3g}" '
                            f'stroke-opacity="{.35 + .65 * weights[i]:.3g}"/>')
        return "".join(body)

    def _told(self):
        """The largest weights of each row in words."""
        told = []
        for name, weights in zip(self.row_names or [""] * len(self.weights), self.weights):
            most = ", ".join(f"{self.words[j]} {fixed(weights[j])}" for j in self._largest(weights))
            told.append((f"{name}: " if name else "Most: ") + f"{most or 'nothing'}.")
        return f"Where “{self.words[self.asking]}” looks in “{' '.join(self.words)}”. {' '.join(told)}"


# ---- what pages call

def figure_of_2017(*, pale=(), links=None):
    """Draw the Transformer of 2017, box by box, the encoder on the left and the decoder on the right.

    After the first figure of Vaswani et al. (2017).  `pale` holds "encoder", "cross-attention" or both; `links` says by
    its number from 1 to 8 where a box leads: an address relative to the page.
    """
    if unknown := set(pale) - {"encoder", "cross-attention"}:
        raise ValueError(f'pale must hold "encoder" or "cross-attention", got {sorted(unknown)}')
    if unknown := set(links or {}) - {number for number, _ in DECODER + ENCODER}:
        raise ValueError(f"links must be for boxes 1 to 8, got {sorted(unknown, key=str)}")
    return Picture(_figure_of_2017(pale, links or {}))


def then_and_now():
    """Draw a block of the decoder of 2017, without its look across, and one of today, with numbers where it changed."""
    return Picture(_then_and_now())


def stages(rows, columns):
    """Draw what is done one after the other: a name in a box for each stage, and beside it what `columns` ask of it.

    A row holds the name and for each column its words, a line each, at most two.

    >>> stages([("read", ["texts"], ["repeats them"])], ["from", "harm"]).alt
    'read: from texts, harm: repeats them.'
    """
    wide, deep, left = 172, 64, 92
    body = [text(left + wide * k + 8, 16, name, QUIET, anchor="start") for k, name in enumerate(columns)]
    for k, (name, *cells) in enumerate(rows):
        y = 28 + deep * k
        body.append(box(40, y, 76, 36, name))
        body += [text(left + wide * n + 8, y + (25 if len(lines) == 1 else 16) + 20 * m, line, INK, anchor="start")
                 for n, lines in enumerate(cells) for m, line in enumerate(lines)]
        body += [arrow((40, y + 38), (40, y + deep - 3))] if k < len(rows) - 1 else []
    told = "; ".join(", ".join([f"{name}: {columns[0]} {' '.join(cells[0])}",
                                *(f"{column}: {' '.join(lines)}" for column, lines in zip(columns[1:], cells[1:]))])
                     for name, *cells in rows)
    return Picture(Svg("".join(body), left + wide * len(columns), 28 + deep * len(rows) - 12, f"{told}."))


def families():
    """Draw the three families of Transformers, by who sees whom, each with a mask and with models on a line of years.

    In the mask of two towers, the first three words are read, and the others are written.
    """
    return Picture(_families())


def attention_over_words(words, weights, *, asking, row_names=None):
    """Draw where a word looks: the sentence, each word on the colour of its weight.

    `weights` (m,) or (rows, m), from 0 to 1, say how much the word of number `asking` looks at each of m words: a row
    for each head or layer, one below the other, named by `row_names`.  A frame marks the word that asks, and the three
    largest weights are written above their words.  A sentence that fits one line has arcs from the word that asks, too;
    a longer one goes on in the next line.

    >>> attention_over_words(["see", "it"], [0.75, 0.25], asking=1).alt
    'Where “it” looks in “see it”. Most: see 0.75, it 0.25.'
    """
    rows = np.atleast_2d(as_array(weights, "weights"))
    check_names("words", words, rows.shape[1], f"weights of shape {np.shape(weights)}")
    check_names("row_names", row_names, len(rows), f"weights of shape {np.shape(weights)}")
    if rows.min() < 0 or rows.max() > 1 + 1e-6:
        raise ValueError(f"weights must be from 0 to 1, got {rows.min():g} to {rows.max():g}")
    check_within("asking", asking, 0, len(words) - 1, "words")
    return Picture(Looks(words, rows, asking, row_names).drawing())


def targets(pieces, wanted):
    """Draw what each place of a text is to give: its piece in a box, below it the wanted one, or a dot if it is free.

    >>> targets(["who", "?"], ["", "me"]).alt
    'who: free; ?: me.'
    """
    check_names("wanted", wanted, len(pieces), f"{len(pieces)} pieces")
    body, x, y = [], 2, 4
    for piece, target in zip(pieces, wanted):
        wide = max(text_width(piece), text_width(target)) + 12
        if x + wide > Looks.WIDE:
            x, y = 2, y + 84
        body += [f'<rect x="{x:g}" y="{y}" width="{wide:g}" height="28" rx="5" fill="{GROUND}" stroke="{GRID}"/>',
                 text(x + wide / 2, y + 19, piece, INK),
                 arrow((x + wide / 2, y + 30), (x + wide / 2, y + 44), colour=INK if target else GRID),
                 text(x + wide / 2, y + 62, target or "·", INK if target else QUIET, bold=bool(target))]
        x += wide + 4
    told = "; ".join(f"{piece}: {target or 'free'}" for piece, target in zip(pieces, wanted))
    return Picture(Svg("".join(body), Looks.WIDE + 4, y + 72, f"{told}."))


def drawers(held, *, names, labels, inside):
    """Draw vectors as drawers: `held` is (rows, k, d), k drawers of d numbers in each row, called `labels`.

    `names` are those of the rows, and `inside` says what each of the d numbers stands for.
    """
    held = np.asarray(held, dtype=float)
    rows, k, d = held.shape
    for name, given, count in (("names", names, rows), ("labels", labels, k), ("inside", inside, d)):
        check_names(name, given, count, f"drawers of shape {held.shape}")
    side, apart, body, told = 18, 14, [], []
    for i, (row, name) in enumerate(zip(held, names)):
        found = [inside[drawer.argmax()] if drawer.max() > .5 else "empty" for drawer in row]
        body.append(text(4, 88 * i + 16, name, INK, anchor="start", bold=True))
        for j, (drawer, words, label) in enumerate(zip(row, found, labels)):
            x = 4 + (d * side + apart) * j
            body += [text(x + d * side / 2, 88 * i + 34, label, QUIET, size=TEXT - 1),
                     block(drawer[None], x, 88 * i + 40, side, "", None, None, 1, None, above=False, side=side),
                     text(x + d * side / 2, 88 * i + 74, words, QUIET if words == "empty" else INK)]
        told.append(f"{name}: {', '.join(f'{label} {words}' for label, words in zip(labels, found))}.")
    wide = (d * side + apart) * k - apart
    return Picture(Svg("".join(body), wide + 8, 88 * rows - 8, f"Drawers. {' '.join(told)}"))
