"""Coloured squares: the book's picture of a number, a vector, a matrix.

One square is one number.  The count of squares is the dimension, the depth of
the fill is the magnitude, its hue the sign (blue +, orange −), repeated by a
mark so that colour is never the only carrier.  The frame and the label say the
role: query, key, value, weight; weights, which have no sign, are filled in their
own colour, and amounts, which are neither, in grey.
"""

import math

import numpy as np

from bookkit.pictures import palette
from bookkit.pictures.formats import fixed
from bookkit.pictures.metrics import text_width
from bookkit.pictures.picture import Picture, Svg
from bookkit.pictures.shapes import (
    LABEL,
    SIDE,
    TEXT,
    UNSIGNED,
    as_array,
    block,
    cell_width,
    check_names,
    fill,
    opacity,
    role_colour,
    text,
)


def squares(numbers, *, label="", role=None, values=True, standing=False, vmax=None,
            row_names=None, column_names=None, row_language=None, shape=False, digits=1, highlight=None, side=SIDE):
    """Draw a scalar (), a vector (d,) or a matrix (n, d) as coloured squares: an array, a tensor or plain numbers.

    `label` is written above; what follows a ``^`` is raised.  `role`, "query", "key", "value" or "weight", colours
    frame and label; an "amount" is grey.  Without `values`, a + or − marks the sign.  A `standing` vector is a column.
    `vmax` is the magnitude that gets the full depth, to compare several pictures; the largest one drawn, but at least
    1, if not given.  Column names that are blank make room only, so that rows stand level with those of a picture
    beside it.
    `row_language`, such as "fr", is that of the row names, if it is not the page's.  `shape` writes the shape below.
    `highlight` is a ``(row, column)`` to frame; None in either place means all of them.  A square is `side` pixels
    high, and as wide, if its number and its column's name have room.

    >>> squares([0.9, -0.4], label="u")
    <Picture: Vector u, 2 numbers: 0.9, −0.4.>
    """
    x = as_array(numbers, "numbers")
    grid = x.reshape(-1, 1) if standing and x.ndim == 1 else np.atleast_2d(x)
    n, d = grid.shape
    for name, names, count in (("row_names", row_names, n), ("column_names", column_names, d)):
        check_names(name, names, count, f"numbers of shape {x.shape}")
    vmax = max(1.0, float(np.abs(x).max())) if vmax is None else float(vmax)

    # Where the block of squares begins: names to its left, label and column names above.
    left = 4 + (math.ceil(max(map(text_width, row_names))) + 8 if row_names else 0)
    top = 4 + (LABEL + 8 if label else 0) + (TEXT + 5 if column_names else 0)
    step = max(cell_width([fixed(v, digits) for v in grid.flat] if values else [], least=side),
               cell_width(column_names or [], 12, least=side))
    title = max(text_width(label, LABEL, bold=True), text_width(_shape(x, standing)) if shape else 0)
    left = max(left, math.ceil((title - d * step) / 2))     # label and shape may be wider than the squares between them
    right, bottom = left + d * step, top + n * side
    body = [block(grid, left, top, step, label, role, digits if values else None, vmax, highlight,
                  above=column_names is not None, side=side)]
    for j, name in enumerate(column_names or []):
        body.append(text(left + (j + .5) * step, top - 8, name, palette.var("ink")))
    for i, name in enumerate(row_names or []):
        body.append(text(left - 8, top + (i + .5) * side + 5, name, palette.var("ink"), anchor="end",
                         language=row_language))
    height = bottom + 6
    if shape:
        body.append(text((left + right) / 2, bottom + TEXT + 4, _shape(x, standing), palette.var("quiet")))
        height = bottom + TEXT + 12
    words = describe(x, label, role, row_names, column_names, digits, standing)
    width = max(right + 4, (left + right + title) / 2)
    return Picture(Svg("".join(body), np.ceil(width), np.ceil(height), alt=words))


def product(left, right, *, labels=("", "", ""), roles=(None, None, None), row_names=None, inner_names=None,
            column_names=None, digits=(1, 1, 2), highlight=None, shapes=False):
    """Draw a matrix product with the left factor beside, the right factor above their product.

    Each square of the product stands where a row of `left` (n, d) meets a column of `right` (d, m); their dot product
    is the number in it.  `labels`, `roles` and `digits` are triples for left, right and product, as in `squares`.
    Names are those of the n rows, of the shared axis, of the m columns.  `highlight` is a ``(row, column)`` of the
    product: its square, its row and its column are framed.  `shapes` writes its shape below each matrix.
    """
    a, b = as_array(left, "left"), as_array(right, "right")
    if a.ndim != 2 or b.ndim != 2 or a.shape[1] != b.shape[0]:
        raise ValueError(f"the factors must be (n, d) and (d, m), got {a.shape} and {b.shape}")
    c = a @ b
    for name, names, count in (("row_names", row_names, a.shape[0]), ("inner_names", inner_names, a.shape[1]),
                               ("column_names", column_names, b.shape[1])):
        check_names(name, names, count, f"a product of {a.shape} and {b.shape}")
    i, j = highlight or (None, None)
    # Three blocks on one grid; each is drawn by `squares`' own means, at its own place.
    wide = [max(cell_width([fixed(v, k) for v in x.flat]), cell_width(names or [], 12))
            for x, k, names in ((a, digits[0], None), (np.concatenate([b, c]), max(digits[1:]), column_names))]
    names_left = math.ceil(max([0, *map(text_width, row_names or [])])) + 8
    inner_left = math.ceil(max([0, *map(text_width, inner_names or [])])) + 8
    x0 = 8 + names_left                                              # the left factor begins here
    x1 = max(x0 + a.shape[1] * wide[0] + 16, 8 + inner_left)          # the right factor and the product
    y0 = 8 + (TEXT + 8) + (TEXT + 5 if column_names else 0)
    y1 = y0 + b.shape[0] * SIDE + TEXT + 20 + (TEXT + 8 if shapes else 0)
    body, words = [], []
    for x, (px, py), step, label, role, digit, lit, names in (
            (a, (x0, y1), wide[0], labels[0], roles[0], digits[0], (i, None), (row_names, inner_names)),
            (b, (x1, y0), wide[1], labels[1], roles[1], digits[1], (None, j), (inner_names, column_names)),
            (c, (x1, y1), wide[1], labels[2], roles[2], digits[2], (i, j), (row_names, column_names))):
        vmax = max(1.0, float(np.abs(x).max()))
        body.append(block(x, px, py, step, label, role, digit, vmax, lit if highlight else None,
                          above=x is b and column_names is not None))
        words.append(describe(x, label, role, *names, digits=digit))
        if shapes:
            body.append(text(px + x.shape[1] * step / 2, py + len(x) * SIDE + TEXT + 4, _shape(x, False),
                             palette.var("quiet")))
    ink = palette.var("ink")
    for k, name in enumerate(column_names or []):
        body.append(text(x1 + (k + .5) * wide[1], y0 - 8, name, ink))
    for k, name in enumerate(inner_names or []):
        body.append(text(x1 - 10, y0 + (k + .5) * SIDE + 5, name, ink, anchor="end"))
    for k, name in enumerate(row_names or []):
        body.append(text(x0 - 10, y1 + (k + .5) * SIDE + 5, name, ink, anchor="end"))
    width, height = x1 + b.shape[1] * wide[1] + 8, y1 + a.shape[0] * SIDE + 8 + (TEXT + 4 if shapes else 0)
    return Picture(Svg("".join(body), width, height, alt="A matrix product. " + " ".join(words)))


def pixels(picture, *, alt, label="", side=7, role="weight", vmax=None):
    """Draw a picture of pixels: colours in [0, 1] (height, width, 3), or one number a pixel as the depth of a colour.

    `alt` says what it shows, `label` is written above.  A pixel has `side` pixels of the screen.  Numbers are drawn in
    the colour of `role`, none of them negative; with None in the two fills of the squares, by sign.  `vmax` is the
    magnitude that gets the full depth; the largest one drawn, if not given.
    """
    x = np.asarray(picture, dtype=float)
    if x.ndim not in (2, 3) or x.size == 0 or (x.ndim == 3 and x.shape[2] != 3):
        raise ValueError(f"picture must be (height, width, 3) or (height, width), got {x.shape}")
    signed = role is None and x.ndim == 2
    if not np.isfinite(x).all() or (x.min() < 0 and not signed) or (x.ndim == 3 and x.max() > 1):
        raise ValueError(f"colours lie between 0 and 1 and numbers are not negative, got {x.min():g} to {x.max():g}")
    height, width = x.shape[:2]
    vmax = (np.abs(x).max() or 1.0) if vmax is None else float(vmax)
    top = TEXT + 10 if label else 2
    if x.ndim == 3:
        fills = [["fill=\"#" + "".join(f"{math.floor(c * 255 + 0.5):02x}" for c in pixel) + "\"" for pixel in row]
                 for row in x]
        ground = ""
    elif signed:
        fills = [[f'fill="{fill(v)}" fill-opacity="{opacity(v, vmax):.2f}"' for v in row] for row in x]
        ground = ""
    else:
        fills = [[f'fill-opacity="{opacity(v, vmax):.2f}"' for v in row] for row in x]
        ground = f' fill="{fill(1, role) if role in UNSIGNED else role_colour(role)}"'
    body = []
    for i, row in enumerate(fills):
        start = 0
        for j in range(1, width + 1):                # a run of equal pixels is one rectangle
            if j == width or row[j] != row[start]:
                body.append(f'<rect x="{2 + start * side:g}" y="{top + i * side:g}" width="{(j - start) * side:g}" '
                            f'height="{side:g}" {row[start]}/>')
                start = j
    if side >= 16:                                   # large enough for a line between pixels
        body.append(f'<path d="{"".join(f"M{2 + j * side:g} {top:g}v{height * side:g}" for j in range(1, width))}'
                    f'{"".join(f"M2 {top + i * side:g}h{width * side:g}" for i in range(1, height))}" fill="none" '
                    f'stroke="{palette.var("grid")}"/>')
    frame = (f'<rect x="1.5" y="{top - .5:g}" width="{width * side + 1:g}" height="{height * side + 1:g}" fill="none" '
             f'stroke="{palette.var("quiet")}"/>')
    title = text(2 + width * side / 2, TEXT, label, palette.var("ink")) if label else ""
    return Picture(Svg(f'{title}<g shape-rendering="crispEdges"{ground}>{"".join(body)}</g>{frame}', width * side + 4,
                       height * side + top + 2, alt=alt))


def describe(x, label="", role=None, row_names=None, column_names=None, digits=1, standing=False):
    """Say in words what `squares` draws: the text alternative of the picture."""
    x = np.asarray(x)
    kind = ("Scalar", "Vector", "Matrix")[x.ndim]
    name = f" {label}" if label else ""
    role = f" ({role})" if role else ""
    if x.ndim == 0:
        return f"{kind}{name}{role}: {fixed(x, digits)}."
    if x.ndim == 1:
        names = row_names if standing else column_names
        name += f" {row_names[0]}" if row_names and not standing else ""
        entries = [fixed(v, digits) for v in x]
        if names:
            entries = [f"{n} {v}" for n, v in zip(names, entries)]
        count = f"{len(x)} number" + "s" * (len(x) != 1)
        upright = ", standing" if standing else ""
        return f"{kind}{name}{role}{upright}, {count}: {', '.join(entries)}."
    head = f" with columns {', '.join(column_names)}" if any(map(str.strip, column_names or [])) else ""
    rows = [f"{row_names[i] if row_names else f'row {i + 1}'}: {', '.join(fixed(v, digits) for v in row)}"
            for i, row in enumerate(x)]
    return f"{kind}{name}{role}, {x.shape[0]} by {x.shape[1]}{head}. {'; '.join(rows)}."


def _shape(x, standing):
    if x.ndim == 0:
        return "1 number"
    if x.ndim == 1:
        return f"({len(x)},)" if not standing else f"({len(x)},) standing"
    return f"({x.shape[0]}, {x.shape[1]})"
