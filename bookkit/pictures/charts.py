"""Numbers to be compared by eye: bars, and strips under words."""

import math

import numpy as np

from bookkit.pictures import palette
from bookkit.pictures.formats import fixed
from bookkit.pictures.metrics import text_width
from bookkit.pictures.picture import Picture, Svg
from bookkit.pictures.shapes import TEXT, check_names, fill, text

TALL = 64          # the longest bar of a row, in pixels
THIN = 7           # one of many bars without names, with the gap to the next: a phone holds three charts of sixteen
GAP = 18           # between charts side by side


def bars(numbers, *, row_names, bar_names=None, column_names=None, roles=None, digits=2, vmax=None, tall=TALL):
    """Draw rows of bars; a row may hold several charts side by side.

    `numbers` (rows, n) or (rows, columns, n).  `row_names` stand to the left, `column_names` above charts side by side,
    n `bar_names` below the last row, under each chart; without these the bars are thin, and only the largest of a chart
    has its number.  `roles`, one for each row, are "weight", the colour of weights, or None: grey, and with numbers
    below zero the colours of the sign.  `digits` are decimals, for all rows or for each.  The longest bar is `tall`
    pixels of the screen and stands for `vmax`, or for each row's own largest magnitude.

    >>> bars([[0.25, 0.75]], row_names=["weights"], bar_names=["a", "b"]).alt
    'Bars. weights: a 0.25, b 0.75.'
    """
    x = np.asarray(numbers, dtype=float)
    if x.ndim not in (2, 3) or x.size == 0 or not np.isfinite(x).all():
        raise ValueError(f"numbers must be finite, of shape (rows, n) or (rows, columns, n), got shape {x.shape}")
    x = x[:, None] if x.ndim == 2 else x
    rows, columns, n = x.shape
    what = f"numbers of shape {np.shape(numbers)}"
    check_names("row_names", row_names, rows, what)
    check_names("bar_names", bar_names, n, what)
    check_names("column_names", column_names, columns, what)
    roles = _for_each_row("roles", [None] * rows if roles is None else roles, rows)
    digits = _for_each_row("digits", [digits] * rows if np.ndim(digits) == 0 else digits, rows)
    if not set(roles) <= {None, "weight"}:
        raise ValueError(f"roles must be 'weight' or None for each row, got {roles!r}")
    every = bar_names is not None                                # each bar has its number, or the largest alone
    step = _step(x, digits, bar_names, column_names)
    wide = n * step
    left = math.ceil(max(map(text_width, row_names))) + 16
    lefts = [left + c * (wide + GAP) for c in range(columns)]
    top = TEXT + 14 if column_names else 4
    body = [text(at + wide / 2, TEXT, name, palette.var("ink"), bold=True)
            for at, name in zip(lefts, column_names or [])]
    for r, name in enumerate(row_names):
        longest = float(np.abs(x[r]).max() if vmax is None else vmax) or 1.0
        below = tall * max(0.0, -x[r].min()) / longest
        above = tall * max(0.0, x[r].max()) / longest
        base = top + TEXT + 4 + above
        role = roles[r] if roles[r] or (x[r] < 0).any() else "quiet"
        for at, chart in zip(lefts, x[r]):
            body += _Chart(at, base, step, tall / longest, role, digits[r]).draw(chart, every)
        body.append(text(left - 10, base + (below - above) / 2 + 5, name, palette.var("ink"), anchor="end"))
        top = base + below + (TEXT + 6 if below else 0) + 16
    body += [text(at + (i + .5) * step, top + 4, name, palette.var("ink"))
             for at in lefts for i, name in enumerate(bar_names or [])]
    height = top + (14 if bar_names else -8)
    return Picture(Svg("".join(body), math.ceil(lefts[-1] + wide + 2), math.ceil(height),
                       alt=_told(x, row_names, column_names, bar_names, digits)))


def _for_each_row(name, given, rows):
    """What a caller gave for the rows, if it is one for each."""
    if len(given) != rows:
        raise ValueError(f"{name} must hold one for each of {rows} rows, got {given!r}")
    return given


def _step(x, digits, bar_names, column_names):
    """From one bar to the next: names and numbers have room below and above each, and charts below their names."""
    numbers = max(text_width(fixed(v, d)) for row, d in zip(x, digits) for v in row.flat)
    chart = max([numbers, *(text_width(name, bold=True) for name in column_names or [])])
    step = THIN if bar_names is None else math.ceil(max([numbers, *map(text_width, bar_names)])) + 12
    return max(step, math.ceil(chart / x.shape[-1]))


class _Chart:
    """Bars on one line: where they stand, and how they are drawn."""

    def __init__(self, left, base, step, unit, role, digits):
        self.left, self.base, self.step, self.unit, self.role, self.digits = left, base, step, unit, role, digits

    def draw(self, numbers, every):
        """The line they stand on, a bar for each number, and the number at its end: of each, or of the largest."""
        line = f"M{self.left:g} {self.base:g}h{len(numbers) * self.step:g}"
        body = [f'<path d="{line}" stroke="{palette.var("quiet")}"/>']
        gap = 6 if every else 0.5
        for i, v in enumerate(numbers):
            tall = round(abs(v) * self.unit, 1)
            y = self.base - (tall if v > 0 else 0)
            body.append(f'<rect x="{self.left + i * self.step + gap:g}" y="{y:g}" width="{self.step - 2 * gap:g}" '
                        f'height="{tall:g}" fill="{self._fill(v)}"/>')
            if every or i == int(np.argmax(numbers)):
                at = self.base + tall + TEXT if v < 0 else y - 5
                x, anchor = self._place(i, len(numbers), fixed(v, self.digits), every)
                body.append(text(x, at, fixed(v, self.digits), palette.var("ink"), anchor=anchor))
        return body

    def _fill(self, v):
        return palette.var("quiet") if self.role == "quiet" else fill(v, self.role)

    def _place(self, i, n, number, every):
        """Where the number of a bar is written: amid the bar, or, wider than a thin one, to the side that has room."""
        if every:
            return self.left + (i + .5) * self.step, "middle"
        fits = i * self.step + text_width(number) <= n * self.step
        return (self.left + i * self.step, "start") if fits else (self.left + (i + 1) * self.step, "end")


def _told(x, row_names, column_names, bar_names, digits):
    """The bars in words: every number of named bars; of many without names, the largest and the smallest."""
    parts = []
    for row, name, d in zip(x, row_names, digits):
        for c, numbers in enumerate(row):
            head = f"{name}, {column_names[c]}" if column_names else name
            if bar_names:
                told = ", ".join(f"{bar} {fixed(v, d)}" for bar, v in zip(bar_names, numbers))
            else:
                told = f"{len(numbers)} bars from {fixed(numbers.max(), d)} down to {fixed(numbers.min(), d)}"
            parts.append(f"{head}: {told}.")
    return "Bars. " + " ".join(parts)


# ---- a sentence, and how much of each of its words

STRIP = 20             # the height of a row, and of its longest strip


def strips(words, groups, *, note=""):
    """Draw a sentence, and below it rows of strips, one under each word, as high as a number is large.

    `groups` are rows by the name that stands above them: pairs of numbers, none negative, one for each of the `words`,
    and a text that stands behind the row.  The largest number of a row has the full height.  `note` is written above
    those texts.

    >>> strips(["a", "keys"], {"attention": [([1, 4], ".25")]}, note="right").alt
    'Strips, the largest of each row 1.00. attention: a 0.25, keys 1.00 (right .25).'
    """
    ink, quiet = palette.var("ink"), palette.var("quiet")
    wide = [math.ceil(text_width(word)) + 10 for word in words]
    lefts = [2 + sum(wide[:k]) for k in range(len(words))]
    right, beside = lefts[-1] + wide[-1], max(text_width(text) for rows in groups.values() for _, text in rows)
    beside = math.ceil(max(beside, text_width(note))) + 10
    body, told, top = [], [], 0
    for name, rows in groups.items():
        body += [text(2, top + TEXT, name, ink, anchor="start", bold=True),
                 text(right + beside, top + TEXT, note, quiet, anchor="end")]
        body += [text(left + w / 2, top + 2 * TEXT + 8, word, ink) for left, w, word in zip(lefts, wide, words)]
        top += 2 * TEXT + 14
        said = []
        for numbers, behind in rows:
            shares = _shares(numbers, words)
            body.append(f'<path d="M2 {top + STRIP - 1:g}H{right:g}" stroke="{palette.var("grid")}"/>')
            body += [f'<rect x="{left + 1:g}" y="{top + STRIP - 1 - (STRIP - 3) * share:.4g}" width="{w - 2:g}" '
                     f'height="{(STRIP - 3) * share:.3g}" fill="{palette.var("quiet")}"/>'
                     for left, w, share in zip(lefts, wide, shares)]
            body.append(text(right + beside, top + STRIP - 5, behind, ink, anchor="end"))
            told_row = ", ".join(f"{word} {fixed(share)}" for word, share in zip(words, shares))
            said.append(told_row + (f" ({note} {behind})" if behind else ""))
            top += STRIP
        told.append(f"{name}: {'; '.join(said)}.")
        top += 12
    return Picture(Svg("".join(body), right + beside + 2, top - 8,
                       f"Strips, the largest of each row 1.00. {' '.join(told)}"))


def _shares(numbers, words):
    """Each number as a share of the largest."""
    x = np.asarray(numbers, dtype=float)
    if x.shape != (len(words),) or not np.isfinite(x).all() or x.min() < 0 or x.max() == 0:
        raise ValueError(f"a row must hold {len(words)} numbers, none negative and not all 0, got {x.tolist()}")
    return x / x.max()
