"""All words of a text on their way through a Transformer: a line for each word, and who looks at whom in each layer."""

import math

import numpy as np

from bookkit.pictures import palette
from bookkit.pictures.metrics import text_width
from bookkit.pictures.picture import Picture, Svg
from bookkit.pictures.shapes import TEXT, check_names, text

STEP = 15             # from one word's line to the next
LEAST = 0.3           # of a weight that is drawn
TOP = 34              # of the first line: the names of the parts stand above
SIZE = TEXT - 1.5       # of the words
APART, BAND, BOX = 14, 96, 18                   # between parts; how wide attention and an MLP are
INK, QUIET, GRID = map(palette.var, ("ink", "quiet", "grid"))


def streams(words, weights, said):
    """How each word of a text goes through a machine, a line from left to right.

    `weights` has an array (h, n, n) for each layer, row i with the weights that word i gives; `said` the word that is
    read off at the end of each line.  Curves are weights of at least `LEAST` in any head, those of the last word in
    colour.  What a `GrowingPicture` adds step by step: the lines; attention and the MLP of each layer; what is said.

    Raises `ValueError` if the shapes do not fit the words.

    >>> import numpy as np
    >>> streams(["see", "that"], [np.array([[[1.0, 0.0], [0.75, 0.25]]])], ["that", "girl"]).alt[-76:]
    'The last word, that, looks at see 0.75 in layer 1, head 1. At its end: girl.'
    """
    n = len(words)
    weights = [np.asarray(one, dtype=float) for one in weights]
    check_names("words", words, n, "the lines")
    check_names("said", said, n, f"{n} words")
    for one in weights:
        if one.ndim != 3 or one.shape[1:] != (n, n):
            raise ValueError(f"weights must have shape (h, n, n) in each layer, with n = {n} words, got {one.shape}")
    left = math.ceil(max(text_width(word, SIZE, k == n - 1) for k, word in enumerate(words))) + 10
    first = left + 4
    rows = [TOP + STEP * (k + .5) for k in range(n)]
    body, x = [], first
    for layer, one in enumerate(weights):
        body += [f'<g data-ak-from="{2 * layer + 1}">{_attention(one, x + APART, rows, layer)}</g>',
                 f'<g data-ak-from="{2 * layer + 2}">{_mlps(x + 2 * APART + BAND, rows, layer)}</g>']
        x += 3 * APART + BAND + BOX
    begins = "".join(text(left, y + 5, word, INK if k == n - 1 else QUIET, anchor="end", size=SIZE, bold=k == n - 1)
                     for k, (word, y) in enumerate(zip(words, rows)))
    lines = "".join(f'<path d="M{first} {y:g}H{x}" stroke="{palette.var("weight") if k == n - 1 else GRID}" '
                    f'stroke-width="{2.5 if k == n - 1 else 1.5}"/>' for k, y in enumerate(rows))
    ends = "".join(text(x + 6, y + 5, word, INK if k == n - 1 else QUIET, anchor="start", size=SIZE, bold=k == n - 1)
                   for k, (word, y) in enumerate(zip(said, rows)))
    wide = x + 6 + math.ceil(max(text_width(word, SIZE, k == n - 1) for k, word in enumerate(said))) + 4
    body = [begins, lines, *body, f'<g data-ak-from="{2 * len(weights) + 1}">{ends}</g>']
    return Picture(Svg("".join(body), wide, TOP + STEP * n + 4, _told(words, weights, said)))


def _attention(weights, x, rows, layer):
    """Curves from the words that are looked at to those that look, the last word's in colour and above the others."""
    most = weights.max(axis=0)
    pale, strong = [], []
    for i, j in zip(*np.nonzero(most >= LEAST)):
        if i == j:
            continue
        a, b, middle = rows[j], rows[i], x + BAND / 2
        path = f"M{x} {a:g}C{middle:g} {a:g} {middle:g} {b:g} {x + BAND} {b:g}"
        if i == len(rows) - 1:
            strong.append(f'<path d="{path}" fill="none" stroke="{palette.var("weight")}" '
                          f'stroke-width="{1 + 2.5 * most[i, j]:.3g}"/>')
        else:
            pale.append(path)
    return (text(x + BAND / 2, 16, f"attention {layer + 1}", INK, size=SIZE)
            + f'<path d="{"".join(pale)}" fill="none" stroke="{QUIET}" stroke-width="1" stroke-opacity=".55"/>'
            + "".join(strong))


def _mlps(x, rows, layer):
    """A box on each line: what the MLP computes there, for this word alone."""
    boxes = "".join(f'<rect x="{x}" y="{y - 4.5:g}" width="{BOX}" height="9" rx="3" fill="{palette.var("page")}" '
                    f'stroke="{palette.var("weight") if k == len(rows) - 1 else QUIET}" stroke-width="1.5"/>'
                    for k, y in enumerate(rows))
    return text(x + BOX / 2, 16, f"MLP {layer + 1}", INK, size=SIZE) + boxes


def _told(words, weights, said):
    """The whole in words: where the last line looks, weights half as large told, too, and how it ends."""
    n = len(words)
    looks = [f"{words[j]} {one[h, -1, j]:.2f} in layer {layer + 1}, head {h + 1}"
             for layer, one in enumerate(weights) for h, j in zip(*np.nonzero(one[:, -1] >= LEAST / 2)) if j < n - 1]
    seen = f", looks at {'; '.join(looks)}" if looks else ""
    return (f"A line for each of {n} words, layers: {len(weights)}. The last word, {words[-1]}{seen}. "
            f"At its end: {said[-1]}.")


# ---- one piece after the other

WIDE, HIGH = 68, 44       # of a column; from one layer to the next


def columns(pieces, said, given, layers):
    """How a model writes: each piece goes up a column of layers, and leaves a key and a value in each.

    `said` is what is read off at the top of each column, `given` how many pieces were there before any was written,
    `layers` the names of those drawn.  What a `GrowingPicture` adds step by step: the first piece; its way up; the
    second piece, which looks back; the others that were given; the pieces that are written.  Of the others only the
    last is drawn looking.

    >>> columns(["a", "b", "c"], ["b", "c", "d"], 2, ["layer 1"]).alt[:42]
    'a goes up through layer 1 and says b. b lo'
    """
    check_names("said", said, len(pieces), "the pieces")
    left, base = math.ceil(max(map(text_width, layers))) + 10, 44 + HIGH * len(layers)
    heights = [base - HIGH * (k + .5) for k in range(len(layers))]
    body = [text(left - 6, y + 5, name, QUIET, anchor="end") for y, name in zip(heights, layers)]
    body += [f'<path d="M{left} {y - HIGH / 2:g}h{WIDE * len(pieces)}" stroke="{GRID}"/>'
             for y in (*heights, base + HIGH / 2)]
    for k, (piece, word) in enumerate(zip(pieces, said)):
        x, step = left + WIDE * (k + .4), min(k, 1) + (k > 0) + (k > 1) + (k >= given)
        kept = "".join(f'<rect x="{x + 9 + 11 * n}" y="{y - 5:g}" width="9" height="9" rx="2" '
                       f'fill="{palette.var(role)}"/>' for y in heights for n, role in enumerate(("key", "value")))
        looks = "".join(_back(x, x - WIDE * (k - j), y)
                        for y in heights for j in range(k) if k == 1 or k >= given - 1)
        way = f'<path d="M{x} {base + 6}V30" stroke="{INK}" stroke-width="2.5"/>{text(x, 20, word, INK)}'
        body += [f'<g data-ak-from="{step}">{text(x, base + 22, piece, INK)}</g>',
                 f'<g data-ak-from="{max(step, 1)}">{kept}{looks}{way}</g>']
    ways = [f"goes up through {', '.join(layers)}", *["looks at what those before it left"] * (len(pieces) - 1)]
    told = [f"{piece} {way} and says {word}." for piece, way, word in zip(pieces, ways, said)]
    return Picture(Svg("".join(body), left + WIDE * len(pieces) + 4, base + 32, " ".join(told)))


def _back(x, before, y):
    """From a column back to the key that one before it has left."""
    return (f'<path d="M{x - 4} {y:g}C{x - WIDE / 2:g} {y - 24:g} {before + WIDE / 2:g} {y - 24:g} '
            f'{before + 18} {y - 7:g}" fill="none" stroke="{palette.var("query")}" stroke-width="1.2"/>')
