"""Bars: numbers as heights, several rows of them one below the other, to be compared by eye."""

import math

import numpy as np

from attnkit.pictures import palette
from attnkit.pictures.formats import fixed
from attnkit.pictures.metrics import text_width
from attnkit.pictures.picture import Picture, Svg
from attnkit.pictures.shapes import TEXT, check_names, fill, text

TALL = 64          # the longest bar of a row, in pixels
THIN = 7           # one of many bars without names, with the gap to the next: a phone holds three charts of sixteen
GAP = 18           # between charts side by side


def bars(numbers, *, row_names, bar_names=None, column_names=None, roles=None, digits=2, vmax=None, tall=TALL):
    """Draw rows of bars; a row may hold several charts side by side.

    Parameters
    ----------
    numbers : array, shape (rows, n) or (rows, columns, n)
    row_names : list of str
        Written to the left of each row.
    bar_names : list of n str, optional
        Written below the last row, under each chart; without them the bars are thin, and only the largest of a chart
        has its number.
    column_names : list of str, optional
        Written above charts that stand side by side.
    roles : list of str or None, optional
        For each row: "weight" fills its bars in the colour of weights; None, by sign.
    digits : int or list of int
        Decimals of the written numbers, for all rows or for each.
    vmax : float, optional
        The magnitude of the longest bar, the same in every row; each row's own largest one if not given.
    tall : float
        The height of the longest bar, in pixels of the screen.

    Returns
    -------
    Picture

    Raises
    ------
    ValueError
        Another number of axes, an empty one, numbers that are not finite, names, roles or digits that do not match,
        another role, or a `vmax` that is not positive.

    Examples
    --------
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
    if vmax is not None and not vmax > 0:
        raise ValueError(f"vmax must be positive, got {vmax}")
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
        for at, chart in zip(lefts, x[r]):
            body += _Chart(at, base, step, tall / longest, roles[r], digits[r]).draw(chart, every)
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
                        f'height="{tall:g}" fill="{fill(v, self.role)}"/>')
            if every or i == int(np.argmax(numbers)):
                at = self.base + tall + TEXT if v < 0 else y - 5
                x, anchor = self._place(i, len(numbers), fixed(v, self.digits), every)
                body.append(text(x, at, fixed(v, self.digits), palette.var("ink"), anchor=anchor))
        return body

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
