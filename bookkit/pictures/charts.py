"""Numbers to be compared by eye: bars, strips under words, and lines where both axes are logarithmic."""

import math
import re

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


# ---- trees

TRUNK, FORK, BRANCH = 64, 130, 26      # how thick the trunk is, how long it takes to part, the room of a branch's words


def branches(counts, *, begin, row_names, branch_names, dark, what):
    """Draw which way a number of things go: a tree for each row, each branch as thick as its share.

    `counts` (rows, n) are whole numbers, in every row of the same sum; `dark`, of the same shape, says how many of
    each are drawn stronger, and `what` calls these.  `begin` stands at the trunk, `row_names` above the trees,
    `branch_names` at the ends.

    >>> branches([[3, 1]], begin="we", row_names=["today"], branch_names=["go", "stay"],
    ...          dark=[[2, 0]], what="early").alt
    'Trees. today, 4 from “we”: 3 go, 2 of them early; 1 stay, 0 of them early.'
    """
    x, y = (np.asarray(numbers, dtype=int) for numbers in (counts, dark))
    if x.ndim != 2 or x.shape != y.shape or (y < 0).any() or (y > x).any() or len(set(x.sum(axis=1))) != 1:
        raise ValueError("counts must be (rows, n), in every row of the same sum, and dark as many or fewer, "
                         f"got {x.tolist()} and {y.tolist()}")
    for name, names, count in (("row_names", row_names, x.shape[0]), ("branch_names", branch_names, x.shape[1])):
        check_names(name, names, count, f"counts of shape {x.shape}")
    left = math.ceil(text_width(begin, bold=True)) + 14
    at = left + FORK + 10
    ink, body, told, top, right = palette.var("ink"), [], [], 0, 0
    for name, row, marked in zip(row_names, x, y):
        unit = TRUNK / row.sum()
        room = [max(BRANCH, count * unit + 6) for count in row]
        body.append(text(2, top + TEXT, name, ink, anchor="start", bold=True))
        top += TEXT + 10
        trunk = top + (sum(room) - TRUNK) / 2
        body.append(text(left - 8, trunk + TRUNK / 2 + 5, begin, ink, anchor="end"))
        said = []
        for words, count, dark_ones, deep in zip(branch_names, row, marked, room):
            end = top + (deep - count * unit) / 2
            body += [_branch(left, trunk, end, many * unit, opaque)
                     for many, opaque in ((count, .3), (dark_ones, .8)) if many]
            written = f"{words}: {count}, {dark_ones} {what}"
            body.append(text(at, top + deep / 2 + 5, written, ink, anchor="start"))
            right = max(right, at + text_width(written))
            said.append(f"{count} {words}, {dark_ones} of them {what}")
            trunk, top = trunk + count * unit, top + deep
        told.append(f"{name}, {row.sum()} from “{begin}”: {'; '.join(said)}.")
        top += 14
    return Picture(Svg("".join(body), math.ceil(right + 2), math.ceil(top - 8), f"Trees. {' '.join(told)}"))


def _branch(left, start, end, thick, opaque):
    """A band from the trunk to where a branch ends, from its upper edge down."""
    middle, right = left + FORK / 2, left + FORK
    return (f'<path d="M{left:g} {start:g}C{middle:g} {start:g} {middle:g} {end:g} {right:g} {end:g}V{end + thick:g}'
            f'C{middle:g} {end + thick:g} {middle:g} {start + thick:g} {left:g} {start + thick:g}Z" '
            f'fill="{palette.var("quiet")}" fill-opacity="{opaque:g}"/>')


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


# ---- lines

WIDE, DEEP = 472, 300        # a drawing so wide that a phone shows it whole
BETWEEN = TEXT + 3           # from one name at the end of a line to the next
SHADES = [(shade, thick) for thick in (3.5, 2, 1) for shade in ("ink", "quiet")]     # of the lines, in their order


def loglog_lines(x, lines, *, x_name, y_name, write=None, dashed=(), crossings=()):
    """Draw lines with both axes logarithmic: what grows with a power of x is straight, and a higher power is steeper.

    `x` (m,) holds positive numbers that grow, such as lengths; `lines` at most six times m positive numbers by name,
    None or nan where there is none.  Each line has its name at its end, and dots where its numbers are; those in
    `dashed` have none, as estimates, not measured.  `write` turns a line's number into words, such as
    `formats.in_time`.  `crossings` are pairs of names: a ring where the two lines first cross, with its x, to two
    digits.
    """
    x = np.asarray(x, dtype=float)
    if x.ndim != 1 or len(x) < 2 or not (np.isfinite(x).all() and x[0] > 0 and (np.diff(x) > 0).all()):
        raise ValueError(f"x must be at least two positive numbers that grow, got {x.tolist()}")
    if not 1 <= len(lines) <= len(SHADES):
        raise ValueError(f"lines must be from 1 to {len(SHADES)}, got {len(lines)}")
    lines = {name: _line(name, numbers, x) for name, numbers in lines.items()}
    for name in [*dashed, *(name for pair in crossings for name in pair)]:
        if name not in lines:
            raise ValueError(f"no line is called {name!r}, there are {', '.join(lines)}")
    met = {tuple(pair): crossing(x, *(lines[name] for name in pair)) for pair in crossings}
    for (one, other), place in met.items():
        if place is None:
            raise ValueError(f"{one} and {other} do not cross")
    return Picture(_LogLog(x, lines, x_name, y_name, write or "{:g}".format, set(dashed), met).drawing())


def crossing(x, one, other):
    """Where two lines first cross, both axes logarithmic: (x, y), or None if they do not.

    Numbers that are nan are left out.

    >>> x, y = crossing(np.array([1.0, 4.0]), np.array([1.0, 16.0]), np.array([2.0, 8.0]))
    >>> round(float(x), 6), round(float(y), 6)
    (2.0, 4.0)
    """
    known = np.isfinite(one) & np.isfinite(other)
    u, a, b = np.log(x[known]), np.log(one[known]), np.log(other[known])
    for k in range(len(u) - 1):
        before, after = a[k] - b[k], a[k + 1] - b[k + 1]
        if before * after <= 0 and before != after:
            t = before / (before - after)
            return np.exp(u[k] + t * (u[k + 1] - u[k])), np.exp(a[k] + t * (a[k + 1] - a[k]))
    return None


def _line(name, numbers, x):
    """The numbers of a line as an array, nan where there is none."""
    numbers = np.array([np.nan if v is None else v for v in numbers], dtype=float)
    known = numbers[~np.isnan(numbers)]
    if len(numbers) != len(x) or not len(known):
        raise ValueError(f"{name} must hold {len(x)} numbers, one for each x, got {numbers.tolist()}")
    if not (np.isfinite(known) & (known > 0)).all():
        raise ValueError(f"the numbers of {name} must be positive, got {numbers.tolist()}")
    return numbers


class _LogLog:
    """Lines in a field: where a number stands, and how they are drawn."""

    TOP, FOOT = 34, DEEP - 44

    def __init__(self, x, lines, x_name, y_name, write, dashed, met):
        self.x, self.lines, self.x_name, self.y_name = x, lines, x_name, y_name
        self.dashed, self.met = dashed, met
        self.write = lambda v: re.sub(r"\.?0+(?= )", "", t) if "." in (t := write(v)) else t       # 0.1 ms, not 0.10 ms
        numbers = np.concatenate(list(lines.values()))
        low, high = np.log10(np.nanmin(numbers)), np.log10(np.nanmax(numbers))
        edge = 0.06 * (high - low) + 0.05
        self.low, self.high = low - edge, high + edge
        self.marks = self._marks()
        self.left = math.ceil(max([20, *(text_width(self.write(v)) for v in self.marks)])) + 14
        self.right = WIDE - math.ceil(max(map(text_width, lines))) - 14

    def _marks(self):
        """The round numbers on the upright axis: at most six powers of ten; where these are few, others between."""
        step, powers = math.ceil((self.high - self.low) / 6), range(math.floor(self.low), math.ceil(self.high) + 1)
        for digits in ((1,), (1, 2, 5), range(1, 10)):
            marks = [d * 10.0**p for p in powers for d in digits
                     if p % step == 0 and self.low < p + math.log10(d) < self.high]
            if len(marks) > 1:
                break
        return marks

    def at(self, x, y):
        """Where a pair of numbers stands, rounded: the last bits differ from processor to processor."""
        across = (math.log(x) - math.log(self.x[0])) / (math.log(self.x[-1]) - math.log(self.x[0]))
        up = (math.log10(y) - self.low) / (self.high - self.low)
        return (round(self.left + across * (self.right - self.left), 1),
                round(self.FOOT - up * (self.FOOT - self.TOP), 1))

    def drawing(self):
        """The axes, the lines with their names, the rings."""
        points = {name: [self.at(a, b) for a, b in zip(self.x, numbers) if not np.isnan(b)]
                  for name, numbers in self.lines.items()}
        looks = {name: (palette.var(shade), thick) for name, (shade, thick) in zip(self.lines, SHADES)}
        body = [*self._axes(), *(self._path(points[name], *looks[name], name in self.dashed) for name in points),
                *self._names({name: line[-1] for name, line in points.items()}),
                *(self._ring(place, points.values()) for place in self.met.values())]
        return Svg("".join(body), WIDE, DEEP, self._told())

    def _axes(self):
        quiet, ink = palette.var("quiet"), palette.var("ink")
        for v in self.marks:
            y = self.at(self.x[0], v)[1]
            yield f'<path d="M{self.left} {y:g}H{self.right}" stroke="{palette.var("grid")}"/>'
            yield text(self.left - 8, y + 5, self.write(v), quiet, anchor="end")
        yield f'<path d="M{self.left} {self.FOOT}H{self.right}" stroke="{quiet}"/>'
        step = math.ceil(len(self.x) / 5)
        for v in self.x[::-1][::step]:                                           # the last one always
            yield text(self.at(v, 10**self.low)[0], self.FOOT + 20, f"{v:,.12g}", quiet)
        yield text(self.left, 18, self.y_name, ink, anchor="start", bold=True)
        yield text((self.left + self.right) / 2, self.FOOT + 41, self.x_name, ink, bold=True)

    @staticmethod
    def _path(points, colour, thick, dashed):
        path = "M" + "L".join(f"{x:g} {y:g}" for x, y in points)
        dashes = ' stroke-dasharray="7 5"' if dashed else ""
        body = (f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{thick:g}" stroke-linejoin="round"'
                f'{dashes}/>')
        return body + "".join(f'<circle cx="{x:g}" cy="{y:g}" r="4" fill="{colour}"/>'
                              for x, y in points if not dashed)

    def _names(self, ends):
        """Each name level with its line's end; those that would stand on one another move apart, in their order."""
        order = sorted(ends, key=lambda name: ends[name][1])
        heights = [ends[name][1] + 5 for name in order]
        for k in range(1, len(order)):
            heights[k] = max(heights[k], heights[k - 1] + BETWEEN)
        floor = self.FOOT + 5
        for k in reversed(range(len(order))):
            heights[k] = floor = min(heights[k], floor)
            floor -= BETWEEN
        for name, y in zip(order, heights):
            x, end = ends[name]
            if x < self.right - 1:                          # a line that ends early is led to its name
                yield (f'<path d="M{x + 7:g} {end:g}L{self.right + 5:g} {y - 5:g}" stroke="{palette.var("quiet")}" '
                       'stroke-dasharray="1 4"/>')
            yield text(self.right + 9, y, name, palette.var("ink"), anchor="start")

    def _ring(self, place, lines):
        """A ring where two lines cross, and beside it, where the lines leave most room, its x."""
        x, y = self.at(*place)
        words = f"about {_two_digits(place[0])}"
        wide = text_width(words)
        spots = [(max(x - 6 - wide, self.left + 4), y - 12), (min(x + 8, self.right - wide), y + 24),
                 (max(x - 6 - wide, self.left + 4), y - 34), (min(x + 8, self.right - wide), y + 46)]
        passed = [(u + t * (w - u), v + t * (z - v)) for line in lines
                  for (u, v), (w, z) in zip(line, line[1:]) for t in np.linspace(0, 1, 20)]

        def covered(spot):
            return sum(spot[0] - 4 < u < spot[0] + wide + 4 and spot[1] - 17 < v < spot[1] + 6 for u, v in passed)
        left, base = min(spots, key=covered)
        return (f'<circle cx="{x:g}" cy="{y:g}" r="8" fill="none" stroke="{palette.var("ink")}" stroke-width="2"/>'
                + text(round(left, 1), round(base, 1), words, palette.var("ink"), anchor="start"))

    def _told(self):
        told = []
        for name, numbers in self.lines.items():
            known = [(a, b) for a, b in zip(self.x, numbers) if not np.isnan(b)]
            (first, low), (last, high) = known[0], known[-1]
            told.append(f"{name}: {self.write(low)} at {first:,.12g}"
                        + (f", {self.write(high)} at {last:,.12g}." if len(known) > 1 else "."))
        told += [f"{one} and {other} cross near {_two_digits(place[0])}." for (one, other), place in self.met.items()]
        return f"{self.y_name} against {self.x_name}, both axes logarithmic. " + " ".join(told)


def _two_digits(x):
    """A number to two digits: 1,300."""
    return f"{float(f'{x:.1e}'):,.12g}"
