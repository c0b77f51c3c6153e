"""What pictures are drawn from: squares, texts, wires and knots, as pieces of SVG."""

import math
from html import escape

import numpy as np

from bookkit.pictures import palette
from bookkit.pictures.formats import fixed
from bookkit.pictures.metrics import RAISED, text_width

SIDE = 40          # one square, in pixels
GAP = 2
TEXT = 16          # font size of values, labels and names
LABEL = TEXT + 2   # of the name of a vector or matrix
UNSIGNED = ("weight", "amount")


def opacity(value, vmax):
    """How opaque the fill of a square is: its magnitude as a share of `vmax`, times DEPTH, rounded."""
    share = min(abs(float(value)) / vmax, 1.0)
    return math.floor(share * palette.DEPTH * 1000 + 0.5) / 1000      # as in figures/core.js


def coming(svg, name, came=()):
    """Something of a picture that grows: its name, and the names of what it comes from, which runs to it then."""
    origin = f' data-ak-came="{"|".join(came)}"' if came else ""
    return f'<g data-ak-name="{name}"{origin}>{svg}</g>'


def growing(k, svg, outline):
    """What the k-th step of a picture that grows adds, in its outline (x, y, wide, deep), seen at that step alone."""
    x, y, wide, deep = outline
    return (f'<g data-ak-from="{k}">{svg}</g>'
            f'<rect data-ak-at="{k}" opacity="0" x="{x:g}" y="{y:g}" width="{wide:g}" height="{deep:g}" rx="10" '
            f'fill="none" stroke="{palette.var("ink")}" stroke-width="2"/>')


def block(grid, left, top, step, label, role, digits, vmax, highlight, above, side=SIDE):
    """The squares of a matrix with frame and label; no digits means signs in place of numbers, but for weights."""
    n, d = grid.shape
    frame = palette.var("quiet") if role is None else role_colour(role)
    body = [square(grid[i, j], left + j * step, top + i * side, step, side, digits, vmax, role)
            for i in range(n) for j in range(d)]
    body.append(f'<rect x="{left - 2:g}" y="{top - 2:g}" width="{d * step + 4:g}" height="{n * side + 4:g}" rx="4" '
                f'fill="none" stroke="{frame}" stroke-width="2.5"/>')
    if highlight is not None:
        body.append(_frame_around(highlight, left, top, step, side, n, d))
    if label:
        y = top - 9 - (TEXT + 6 if above else 0)
        body.append(text(left + d * step / 2, y, label, palette.var("ink") if role is None else frame,
                         size=LABEL, bold=True))
    return "".join(body)


def fill(value, role=None):
    """The fill of a square, for SVG: its sign's; a weight and an amount have colours of their own."""
    return palette.var("fill-" + ("negative" if value < 0 else role if role in UNSIGNED else "positive"))


def cell_width(texts, room=8, least=SIDE):
    """How wide squares must be to hold the longest of some texts."""
    return max([least, *(math.ceil(text_width(words)) + room for words in texts)])


def square(value, x, y, step, side, digits, vmax, role):
    """One number: a square as deep in colour as it is large, with the number or, without digits, its sign in it."""
    side_x, side_y = step - GAP, side - GAP
    box = f'x="{x + GAP / 2:g}" y="{y + GAP / 2:g}" width="{side_x:g}" height="{side_y:g}" rx="3"'
    # A hair line, so that a zero is still a square.
    square = (f'<rect {box} fill="{fill(value, role)}" fill-opacity="{opacity(value, vmax):g}" '
              f'stroke="{palette.var("grid")}"/>')
    if digits is not None:
        mark = fixed(value, digits)
    else:
        mark = "" if role in UNSIGNED or fixed(value, 2) == "0.00" else ("−" if value < 0 else "+")
    return square + (text(x + step / 2, y + side / 2 + 5, mark, palette.var("ink")) if mark else "")


def _frame_around(where, left, top, step, side, n, d):
    i, j = where
    if (i is not None and not 0 <= i < n) or (j is not None and not 0 <= j < d):
        raise ValueError(f"highlight must lie within {n} rows and {d} columns, got {where}")
    x, width = (left, d * step) if j is None else (left + j * step, step)
    y, height = (top, n * side) if i is None else (top + i * side, side)
    return (f'<rect x="{x + 2:g}" y="{y + 2:g}" width="{width - 4:g}" height="{height - 4:g}" rx="3" fill="none" '
            f'stroke="{palette.var("ink")}" stroke-width="3"/>')


def wire(path):
    """A line that something flows along."""
    return f'<path d="{path}" fill="none" stroke="{palette.var("quiet")}" stroke-width="1.5"/>'


def knot(x, y, sign):
    """A round place where two things meet, with the sign of what is done there."""
    return (f'<circle cx="{x:g}" cy="{y:g}" r="12" fill="{palette.var("page")}" stroke="{palette.var("quiet")}" '
            f'stroke-width="1.5"/>' + text(x, y + 5, sign, palette.var("ink")))


def text(x, y, words, colour, *, anchor="middle", size=TEXT, bold=False, language=None, index=""):
    """Words at a place; what follows a ``^`` is raised, and an index, lowered, ends them.

    The text is as wide as in the book's face whatever face the reader has: live, where the book's may be missing, the
    browser fits its own into the same room.
    """
    language = f' lang="{escape(language)}"' if language else ""
    weight = ' font-weight="600"' if bold else ""
    wide = text_width(words, size, bold) + text_width(f"^{index}", size, bold)        # lowered, as small as raised
    length = f' textLength="{wide:g}" lengthAdjust="spacingAndGlyphs"'
    base, raised, power = words.partition("^")
    words = escape(base) + (f'<tspan dy="-.45em" font-size="{RAISED:.0%}">{escape(power)}</tspan>' if raised else "")
    words += f'<tspan dy=".2em" font-size="{RAISED:.0%}">{escape(index)}</tspan>' if index else ""
    return (f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" font-size="{size:g}"{weight}{language} '
            f'fill="{colour}"{length if base else ""}>{words}</text>')


def check_names(name, names, count, what):
    """Names must be as many as what they name."""
    if names is not None and (len(names) != count or not all(isinstance(n, str) for n in names)):
        raise ValueError(f"{name} must hold {count} names for {what}, got {names!r}")


def check_within(name, number, least, most, what):
    """The number of a thing must be that of one that is there."""
    if not least <= number <= most:
        raise ValueError(f"{name} must be from {least} to {most}, the number of one of the {what}, got {number}")


def check_shares(name, weights):
    """Weights, shape (n,), are not negative, and their sum is 1, but for rounding to two decimals."""
    if weights.min() < 0 or abs(weights.sum() - 1) > .005 * len(weights) + 1e-6:
        raise ValueError(f"{name} must not be negative and must add up to 1, got {weights.tolist()}")


def role_colour(role):
    """The colour of a role, for SVG; an amount has none."""
    if role == "amount":
        return palette.var("quiet")
    if role not in palette.ROLES:
        raise ValueError(f"role must be one of {', '.join(palette.ROLES)}, got {role!r}")
    return palette.var(role)


def as_array(numbers, name):
    """What a caller gave to be drawn as a numpy array of floats with at most two axes, under the argument's name."""
    try:
        x = np.asarray(numbers.detach().cpu() if hasattr(numbers, "detach") else numbers)
    except ValueError:
        raise ValueError(f"{name} has rows of different lengths, so there is no matrix to draw") from None
    if x.dtype.kind not in "fiu":
        raise TypeError(f"{name} must hold real numbers, got dtype {x.dtype}")
    x = x.astype(float)
    if x.ndim > 2:
        raise ValueError(f"{name} must have at most two axes (items, features), got shape {x.shape}")
    if x.size == 0:
        raise ValueError(f"{name} has nothing to draw: shape {x.shape} has an empty axis")
    if not np.isfinite(x).all():
        raise ValueError(f"{name} must hold finite numbers, got infinity or nan")
    return x
