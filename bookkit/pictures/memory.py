"""What attention costs, and what holds less: squares of work, blocks, windows, shared heads, a memory of pairs."""

import math

import numpy as np

from bookkit.pictures import palette
from bookkit.pictures.blocks import arrow, seen
from bookkit.pictures.formats import fixed
from bookkit.pictures.metrics import text_width
from bookkit.pictures.picture import Picture, Svg
from bookkit.pictures.shapes import LABEL, TEXT, as_array, block, cell_width, check_names, check_within, text

INK, QUIET, GRID = (palette.var(name) for name in ("ink", "quiet", "grid"))
SIDE = 34          # of a square
PALE, APART = .45, 12                         # how opaque is what was there before, and how far from it what is new
ABOVE, BESIDE = LABEL + 10, 16                # the room of a label, and between neighbours
STEPS = ("next block:", "shrink what was summed, add")
LAST = ("last block:", "blend ÷ total is the output")


def two_works(lengths, width):
    """Draw the two kinds of work of a layer, to scale: a strip for the projections, a square for scores and averages.

    A square drawn stands for ``2 * width`` multiply-adds.  The projections take ``4 n d^2``, a strip of n rows that are
    2 d squares wide; scores and averages ``2 n^2 d``, n rows of n squares.  They are equal where n is 2 d.

    >>> two_works([2, 4], 1).alt
    '2 words: projections 8, scores and averages 8. 4 words: projections 16, scores and averages 32.'
    """
    side = max(3, min(10, 200 // (2 * width + max(lengths))))
    top, deep = TEXT + 12, max(lengths) * side
    return Picture(*(_two_works(n, width, side, top + deep) for n in lengths))


def _two_works(n, width, side, foot):
    across, told, name = (2 * width, n), (4 * n * width**2, 2 * n**2 * width), f"{n} words"
    rooms = [max(squares * side, math.ceil(text_width(f"{count:,}"))) for squares, count in zip(across, told)]
    wide = max(sum(rooms) + 12, math.ceil(text_width(name, bold=True))) + 8
    body, x = [text(wide / 2, foot + 2 * TEXT + 10, name, INK, bold=True)], (wide - sum(rooms) - 12) / 2
    for squares, room, role, count in zip(across, rooms, ("fill-amount", "ink"), told):
        left = x + (room - squares * side) / 2
        body += [f'<rect x="{left + j * side + .5:g}" y="{foot - (i + 1) * side + .5:g}" width="{side - 1}" '
                 f'height="{side - 1}" fill="{palette.var(role)}" fill-opacity="0.8"/>'
                 for i in range(n) for j in range(squares)]
        body.append(text(x + room / 2, foot + TEXT + 4, f"{count:,}", INK))
        x += room + 12
    return Svg("".join(body), wide, foot + 2 * TEXT + 18,
               f"{name}: projections {told[0]:,}, scores and averages {told[1]:,}.")


MOVED = {"plain": ("Q, K >", "< scores", "scores >", "< weights", "weights, V >", "< output"),
         "in blocks": ("Q, K, V, in blocks >", "< output")}


def slow_and_fast(told):
    """Draw what goes between slow and fast memory when one head is computed, plain and in blocks.

    `told` says what that comes to, for each of the two: ``{"plain": words, "in blocks": words}``.  Plain are three
    separate products, each of which reads what it needs from slow memory and writes its result there (Dao et al.,
    2022, algorithm 0).
    """
    return Picture(*(_between(name, moves, told[name]) for name, moves in MOVED.items()))


def _between(name, moves, told):
    (left, wide), (right, small), top, gap = (4, 92), (264, 92), TEXT + 14, 29
    deep = gap * len(MOVED["plain"]) + 6
    body = [text(4, TEXT, name, INK, anchor="start", size=LABEL, bold=True)]
    boxes = ((left, wide, top, deep, "slow, large"), (right, small, top + 30, deep - 60, "fast, small"))
    for x, across, y, high, title in boxes:
        body.append(f'<rect x="{x}" y="{y}" width="{across}" height="{high}" rx="8" fill="{palette.var("ground")}" '
                    f'stroke="{QUIET}" stroke-width="1.5"/>')
        body.append(text(x + across / 2, y + 22, title, INK))
    if name == "plain":
        body.append(seen(left + wide / 2, top + 66, np.ones((6, 6)), side=11))
    body.append(seen(right + small / 2, top + 66, np.ones((2, 2)), side=11))
    start = top + (deep - gap * len(moves)) / 2 + 22
    for k, words in enumerate(moves):
        y, said = start + k * gap, words.strip("<> ")
        ends = ((left + wide + 6, y), (right - 6, y)) if words.endswith(">") else ((right - 6, y), (left + wide + 6, y))
        body += [arrow(*ends), text((left + wide + right) / 2, y - 6, said, INK)]
    body.append(text((left + right + small) / 2, top + deep + 24, told, INK, bold=True))
    there = "in slow memory lie all weights" if name == "plain" else "in slow memory lie no weights"
    moved = "; ".join(f"{words.strip('<> ')} to {'fast' if words.endswith('>') else 'slow'} memory" for words in moves)
    return Svg("".join(body), right + small + 4, top + deep + 34,
               f"{name.capitalize()}: {there}, in fast memory one block of them. {moved}. {told}.")


def windows(n, window):
    """Draw who looks at whom among n words that look back: at all, in a window, and through two layers of it.

    A row asks.  The `window` is how many words before it one looks at, itself not counted; the titles count it.

    >>> windows(4, 1).alt
    'Every word before: 10 of 16 squares. The last 2: 7 of 16 squares. The last 2, two layers: 9 of 16 squares.'
    """
    away = np.arange(n)[:, None] - np.arange(n)
    side, drawn = 15, []
    for title, far in (("every word before", n), (f"the last {window + 1}", window),
                       (f"the last {window + 1}, two layers", 2 * window)):
        looks = ((away >= 0) & (away <= far)).astype(float)
        wide = max(n * side, math.ceil(text_width(title, bold=True))) + 8
        body = text(wide / 2, TEXT, title, INK, bold=True) + seen(wide / 2, TEXT + 12, looks, side=side)
        drawn.append(Svg(body, wide, TEXT + 18 + n * side,
                         f"{title[0].upper() + title[1:]}: {int(looks.sum())} of {n * n} squares."))
    return Picture(*drawn)


def shared_heads(heads, groups, told):
    """Draw heads of queries above heads of keys and values: each its own, several in groups, all on one.

    `groups` are how many heads of keys and values there are in each drawing, `told` the words below it.

    >>> shared_heads(4, [2], ["32 bytes"]).alt
    '4 heads of queries on 2 heads of keys and values: 32 bytes.'
    """
    if any(heads % count for count in groups):
        raise ValueError(f"groups must divide {heads} heads, got {groups!r}")
    return Picture(*(_shared(heads, count, words) for count, words in zip(groups, told, strict=True)))


def _shared(heads, groups, told):
    step, side, share = 20, 16, heads // groups
    wide = max(heads * step, math.ceil(text_width(told, bold=True))) + 8
    left, body = (wide - heads * step) / 2, []

    def dot(x, y, role):
        return (f'<rect x="{x - side / 2:g}" y="{y}" width="{side}" height="{side}" rx="3" '
                f'fill="{palette.var(role)}"/>')
    for k in range(groups):
        middle = left + (k + .5) * share * step
        ends = [left + (k * share + i + .5) * step for i in range(share)]
        lines = "".join(f"M{x:g} {side + 8}L{middle:g} 58" for x in ends)
        body += [f'<path d="{lines}" fill="none" stroke="{QUIET}" stroke-width="1.5"/>',
                 *(dot(x, 4, "query") for x in ends), dot(middle, 58, "key"), dot(middle, 58 + side + 3, "value")]
    body.append(text(wide / 2, 58 + 2 * side + 26, told, INK, bold=True))
    named = "head" if groups == 1 else "heads"
    return Svg("".join(body), wide, 58 + 2 * side + 36,
               f"{heads} heads of queries on {groups} {named} of keys and values: {told}.")


def online_softmax(scores, values, *, block_size=2, lit=(0, 1), digits=1):
    """Draw exact attention in blocks: one block of scores is there, and what is kept of those before it.

    For each query of the block three things are kept: the largest score so far, the total of the powers
    ``exp(score - largest)``, and the blend, the values summed with these powers (Milakov and Gimelshein, 2018).  They
    are shown as they are after the block that is `lit`, its number downwards and across, from 0.  Given are `scores`
    (n, m) and `values` (m, d_v); a block has `block_size` queries and keys.  What is kept has one decimal more than the
    scores.

    >>> picture = online_softmax([[0, 1, 2, 0]], [[1], [0], [3], [0]], lit=(0, 1))
    >>> picture.alt.split(". ")[-1]
    'Query 1: largest score 2.00, total 1.64, blend 3.14.'
    """
    scores, values = as_array(scores, "scores"), as_array(values, "values")
    if scores.ndim != 2 or values.ndim != 2 or scores.shape[1] != len(values):
        raise ValueError(f"scores must be (n, m) and values (m, d_v), got {scores.shape} and {values.shape}")
    there = [math.ceil(size / block_size) for size in scores.shape]
    for k, most, what in zip(lit, there, ("blocks downwards", "blocks across"), strict=True):
        check_within("lit", k, 0, most - 1, what)
    return Picture(_Blocks(scores, values, block_size, tuple(lit), digits).drawing())


class _Blocks:
    """The field of scores, what is kept beside it, and what comes next."""

    TOP = TEXT + 14

    def __init__(self, scores, values, size, lit, digits):
        self.scores, self.size, self.lit, self.digits = scores, size, lit, digits
        self.rows, self.columns = (slice(k * size, min((k + 1) * size, most)) for k, most in zip(lit, scores.shape))
        seen = scores[self.rows, :self.columns.stop]
        largest = seen.max(axis=1, keepdims=True)
        powers = np.exp(seen - largest)
        self.kept = {"largest": largest, "total": powers.sum(axis=1, keepdims=True),
                     "blend": powers @ values[:self.columns.stop]}
        self.step = cell_width([fixed(v, digits) for v in scores[self.rows, self.columns].flat], 6, SIDE)

    def drawing(self):
        """The field; at the level of the block, what is kept; below, what is next."""
        n, m = self.scores.shape
        right, bottom = 4 + m * self.step, self.TOP + n * SIDE
        level = self.TOP + (self.rows.start + self.rows.stop) / 2 * SIDE
        title = f"scores of {n} queries and {m} keys"
        body = [text(4, self.TOP - 10, title, INK, anchor="start"), *self._field(),
                arrow((right + 8, level), (right + 34, level))]
        x = max(right + 44, 4 + text_width(title) + 14)
        for name, numbers in self.kept.items():
            step = cell_width([fixed(v, self.digits + 1) for v in numbers.flat], 6, SIDE)
            wide = max(numbers.shape[1] * step, math.ceil(text_width(name, bold=True)))
            role, colour = ("value", palette.var("value")) if name == "blend" else (None, INK)
            y = self.TOP + self.rows.start * SIDE
            body += [text(x + wide / 2, y - 10, name, colour, bold=True),
                     block(numbers, x + (wide - numbers.shape[1] * step) / 2, y, step, "", role, self.digits + 1,
                           max(1, np.abs(numbers).max()), None, False, SIDE)]
            x += wide + 14
        last = self.columns.stop == m
        words = LAST if last else STEPS
        start = 4 + text_width(words[0], bold=True) + 6
        body += [text(4, bottom + 28, words[0], INK, anchor="start", bold=True),
                 text(start, bottom + 28, words[1], INK, anchor="start")]
        width = max(x - 8, start + text_width(words[1]) + 4)
        return Svg("".join(body), math.ceil(width), bottom + 38, self._told(words))

    def _field(self):
        """The scores: those of the block with their numbers, the others empty; an arrow to the block that is next."""
        n, m = self.scores.shape
        wide, deep = m * self.step, n * SIDE
        lines = [f"M{4 + j * self.step} {self.TOP}v{deep}" for j in range(self.size, m, self.size)]
        lines += [f"M4 {self.TOP + i * SIDE}h{wide}" for i in range(self.size, n, self.size)]
        yield f'<path d="{"".join(lines)}" fill="none" stroke="{GRID}" stroke-width="1.5"/>'
        yield f'<path d="M4 {self.TOP}h{wide}v{deep}h{-wide}z" fill="none" stroke="{QUIET}" stroke-width="1.5"/>'
        for i, j in np.ndindex(math.ceil(n / self.size), math.ceil(m / self.size)):
            wide, deep = (min(self.size, most - k * self.size) for k, most in ((j, m), (i, n)))
            if (i, j) < self.lit and wide * self.step > text_width("done"):
                yield text(4 + (j * self.size + wide / 2) * self.step,
                           self.TOP + (i * self.size + deep / 2) * SIDE + 5, "done", QUIET)
        part = self.scores[self.rows, self.columns]
        x, y = 4 + self.columns.start * self.step, self.TOP + self.rows.start * SIDE
        yield block(part, x, y, self.step, "", None, self.digits, max(1, np.abs(part).max()), None, False, SIDE)
        if self.columns.stop < m:
            edge, level = 4 + self.columns.stop * self.step, y + len(part) * SIDE / 2
            yield arrow((edge + 7, level), (edge + 33, level), colour=INK)

    def _told(self, words):
        n, m = self.scores.shape
        told = [f"Query {self.rows.start + i + 1}: largest score {fixed(self.kept['largest'][i, 0], self.digits + 1)}, "
                f"total {fixed(self.kept['total'][i, 0], self.digits + 1)}, "
                f"blend {', '.join(fixed(v, self.digits + 1) for v in blend)}."
                for i, blend in enumerate(self.kept["blend"])]
        part = self.scores[self.rows, self.columns]
        there = "; ".join(", ".join(fixed(v, self.digits) for v in row) for row in part)
        return (f"A field of {n} by {m} scores in blocks. One block is there, queries {self.rows.start + 1} to "
                f"{self.rows.stop} and keys {self.columns.start + 1} to {self.columns.stop}: {there}. "
                f"{words[0].capitalize()} {words[1]}. Kept of all blocks so far. " + " ".join(told))


def kept_keys(query, keys, values, *, names, digits=1):
    """Draw the key-value cache when one more word is read: the keys and values kept are pale, what is new is framed.

    `query` (d,) is the newest word's; `keys` and `values` (n, d) are of all n words, the newest last, named by `names`.

    >>> kept_keys([1, 0], [[1, 0], [0, 1]], [[2, 0], [0, 2]], names=["it", "ran"]).alt.split(". ")[-1]
    'New: query 1.0, 0.0, key 0.0, 1.0, value 0.0, 2.0.'
    """
    query, keys, values = (as_array(x, name) for x, name in ((query, "query"), (keys, "keys"), (values, "values")))
    if keys.ndim != 2 or keys.shape != values.shape or query.shape != keys.shape[1:]:
        raise ValueError("keys and values must be (n, d) and query (d,), "
                         f"got {keys.shape}, {values.shape} and {query.shape}")
    check_names("names", names, len(keys), f"keys of shape {keys.shape}")
    n, vmax = len(keys), max(1.0, *(float(np.abs(x).max()) for x in (query, keys, values)))
    step = cell_width([fixed(v, digits) for x in (query, keys[-1], values[-1]) for v in np.ravel(x)], 8, SIDE)
    left, top = 2 + math.ceil(max(map(text_width, names))) + 8, ABOVE + 4
    wide, last = keys.shape[1] * step, top + (n - 1) * SIDE + APART
    rows = [*(top + i * SIDE for i in range(n - 1)), last]
    body = [text(left - 8, y + SIDE / 2 + 5, name, INK, anchor="end", bold=y == last) for y, name in zip(rows, names)]
    parts = ((query[None], "query", "query"), (keys, "keys", "key"), (values, "values", "value"))
    for k, (x, label, role) in enumerate(parts):
        at = left + k * (wide + BESIDE)
        if len(x) > 1:
            kept = block(x[:-1], at, top, step, "", role, None, vmax, None, False, SIDE)
            body.append(f'<g opacity="{PALE}">{kept}</g>')
        body.append(text(at + wide / 2, top - 9, label, palette.var(role), size=LABEL, bold=True))
        body.append(block(x[-1:], at, last, step, "", role, digits, vmax, (0, None), False, SIDE))
    told = [", ".join(fixed(v, digits) for v in x) for x in (query, keys[-1], values[-1])]
    alt = (f"The key-value cache when “{names[-1]}” is read. Kept: keys and values of {', '.join(names[:-1])}. "
           f"New: query {told[0]}, key {told[1]}, value {told[2]}.")
    return Picture(Svg("".join(body), left + 3 * wide + 2 * BESIDE + 4, last + SIDE + 6, alt))
