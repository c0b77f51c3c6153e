"""Coloured squares: the book's picture of a number, a vector, a matrix.

One square is one number.  The count of squares is the dimension, the depth of
the fill is the magnitude, its hue the sign (blue +, orange −), repeated by a
mark so that colour is never the only carrier.  The frame and the label say the
role: query, key, value, weight.
"""

import math
from html import escape

import numpy as np

from attnkit import palette, softmax
from attnkit.numbers import fixed
from attnkit.picture import Picture, Svg

SIDE = 40          # one square, in pixels
GAP = 2
TEXT = 15          # font size of values, labels and names


def squares(numbers, *, label="", role=None, values=True, standing=False, largest=None,
            row_names=None, column_names=None, row_language=None, shape=False, digits=1, light_up=None):
    """Draw a scalar, a vector or a matrix as coloured squares.

    Parameters
    ----------
    numbers : array of real numbers, shape (), (d,) or (n, d)
        numpy array, torch tensor or plain numbers.
    label : str
        The name written above, such as ``"u"``; what follows a ``^`` is raised.
    role : str, optional
        "query", "key", "value" or "weight": the colour of frame and label.
    values : bool
        Write the numbers into the squares; otherwise a + or − marks the sign.
    standing : bool
        Draw a vector as a column rather than as a row.
    largest : float, optional
        The magnitude that gets the full depth; the largest one drawn, but at
        least 1, if not given.  Give it to compare several pictures.
    row_names, column_names : list of str, optional
        Names beside the rows and above the columns.
    row_language : str, optional
        The language of the row names, such as "fr", if it is not the page's.
    shape : bool
        Write the shape below.
    digits : int
        Decimals of the written values.
    light_up : tuple, optional
        ``(row, column)`` to frame; None in either place means all of them.

    Returns
    -------
    Picture

    Raises
    ------
    TypeError
        `numbers` are not real numbers.
    ValueError
        More than two axes, an empty axis, values that are not finite, names that
        do not match the shape, or an unknown role.

    Examples
    --------
    >>> squares([0.9, -0.4], label="u")
    <Picture: Vector u, 2 numbers: 0.9, −0.4.>
    """
    x = _as_array(numbers)
    grid = x.reshape(-1, 1) if standing and x.ndim == 1 else np.atleast_2d(x)
    n, d = grid.shape
    for name, names, count in (("row_names", row_names, n), ("column_names", column_names, d)):
        _check_names(name, names, count, f"numbers of shape {x.shape}")
    largest = max(1.0, float(np.abs(x).max())) if largest is None else float(largest)
    if not largest > 0:
        raise ValueError(f"largest must be positive, got {largest}")

    # Where the block of squares begins: names to its left, label and column names above.
    left = 8 + (max(map(_width, row_names)) + 8 if row_names else 0)
    top = 6 + (TEXT + 8 if label else 0) + (TEXT + 5 if column_names else 0)
    written = [fixed(v, digits) for v in grid.flat] if values else []
    step = max([SIDE, *(_width(text) + 6 for text in [*written, *(column_names or [])])])
    left = max(left, (_width(label) * 1.4 - d * step) / 2)     # a label may be wider than the squares below it
    right, bottom = left + d * step, top + n * SIDE
    body = [_block(grid, left, top, step, label, role, digits if values else None, largest, light_up,
                   above=column_names is not None)]
    for j, name in enumerate(column_names or []):
        body.append(_text(left + (j + .5) * step, top - 8, name, palette.var("ink")))
    for i, name in enumerate(row_names or []):
        body.append(_text(left - 8, top + (i + .5) * SIDE + 5, name, palette.var("ink"), anchor="end",
                          language=row_language))
    height = bottom + 6
    if shape:
        body.append(_text((left + right) / 2, bottom + TEXT + 4, _shape(x, standing), palette.var("quiet")))
        height = bottom + TEXT + 12
    words = describe(x, label, role, row_names, column_names, digits, standing)
    middle = left + right
    # Label and shape may be wider than the squares they stand over.
    half = max(_width(label) * 1.4 if label else 0, _width(_shape(x, standing)) if shape else 0) / 2
    width = max(right + 6, middle / 2 + half)
    return Picture(Svg("".join(body), np.ceil(width), np.ceil(height), alt=words))


def product(left, right, *, labels=("", "", ""), roles=(None, None, None), row_names=None, inner_names=None,
            column_names=None, digits=(1, 1, 2), light_up=None):
    """Draw a matrix product with the left factor beside, the right factor above their product.

    Each square of the product stands where a row of the left factor meets a column
    of the right one; their dot product is the number in it.

    Parameters
    ----------
    left : array, shape (n, d)
    right : array, shape (d, m)
    labels, roles, digits : triples
        For the left factor, the right factor and the product, as in `squares`.
    row_names, inner_names, column_names : lists of n, d and m str, optional
        Names of the rows, of the shared axis, of the columns.
    light_up : pair, optional
        ``(row, column)`` of the product: its square, its row and its column are framed.

    Returns
    -------
    Picture

    Raises
    ------
    ValueError
        The factors are not matrices whose inner sizes agree, or names do not match.

    Examples
    --------
    >>> product([[1.0, 2.0]], [[3.0], [4.0]], labels=("A", "B", "AB")).alt[-32:]
    'Matrix AB, 1 by 1. row 1: 11.00.'
    """
    a, b = _as_array(left), _as_array(right)
    if a.ndim != 2 or b.ndim != 2 or a.shape[1] != b.shape[0]:
        raise ValueError(f"the factors must be (n, d) and (d, m), got {a.shape} and {b.shape}")
    c = a @ b
    for name, names, count in (("row_names", row_names, a.shape[0]), ("inner_names", inner_names, a.shape[1]),
                               ("column_names", column_names, b.shape[1])):
        _check_names(name, names, count, f"a product of {a.shape} and {b.shape}")
    i, j = light_up or (None, None)
    # Three blocks on one grid; each is drawn by `squares`' own means, at its own place.
    wide = [max([SIDE, *(_width(t) + 6 for t in [*(fixed(v, k) for v in x.flat), *(names or [])])])
            for x, k, names in ((a, digits[0], None), (np.concatenate([b, c]), max(digits[1:]), column_names))]
    names_left = max([0, *map(_width, row_names or [])]) + 8
    inner_left = max([0, *map(_width, inner_names or [])]) + 8
    x0 = 8 + names_left                                              # the left factor begins here
    x1 = max(x0 + a.shape[1] * wide[0] + 16, 8 + inner_left)          # the right factor and the product
    y0 = 8 + (TEXT + 8) + (TEXT + 5 if column_names else 0)
    y1 = y0 + b.shape[0] * SIDE + TEXT + 20
    body, words = [], []
    for x, (px, py), step, label, role, digit, lit, names in (
            (a, (x0, y1), wide[0], labels[0], roles[0], digits[0], (i, None), (row_names, inner_names)),
            (b, (x1, y0), wide[1], labels[1], roles[1], digits[1], (None, j), (inner_names, column_names)),
            (c, (x1, y1), wide[1], labels[2], roles[2], digits[2], (i, j), (row_names, column_names))):
        largest = max(1.0, float(np.abs(x).max()))
        body.append(_block(x, px, py, step, label, role, digit, largest, lit if light_up else None,
                           above=x is b and column_names is not None))
        words.append(describe(x, label, role, *names, digits=digit))
    ink = palette.var("ink")
    for k, name in enumerate(column_names or []):
        body.append(_text(x1 + (k + .5) * wide[1], y0 - 8, name, ink))
    for k, name in enumerate(inner_names or []):
        body.append(_text(x1 - 10, y0 + (k + .5) * SIDE + 5, name, ink, anchor="end"))
    for k, name in enumerate(row_names or []):
        body.append(_text(x0 - 10, y1 + (k + .5) * SIDE + 5, name, ink, anchor="end"))
    width, height = x1 + b.shape[1] * wide[1] + 8, y1 + a.shape[0] * SIDE + 8
    return Picture(Svg("".join(body), width, height, alt="A matrix product. " + " ".join(words)))


def attention_graph(query, key, value, *, names, asks="", scale=1.0, digits=1):
    """Draw the computation of one output: every score, every weight, every weighted value, their sum.

    Two drawings side by side.  In the first the query meets each key, the scores
    go through one softmax and become weights; in the second each weight meets its
    value, and the sum is the output.

    Parameters
    ----------
    query : array, shape (d_k,)
    key : array, shape (m, d_k)
    value : array, shape (m, d_v)
    names : list of m str
        Of the items that are asked.
    asks : str
        The name of the item that asks.
    scale : float
        What the dot products are multiplied by.
    digits : int
        Decimals of queries, keys and values; scores, weights and the output get two.

    Returns
    -------
    Picture

    Raises
    ------
    ValueError
        Shapes or names that do not fit.

    Examples
    --------
    >>> attention_graph([1.0], [[2.0], [0.0]], [[1.0], [3.0]], names=["a", "b"]).alt[-18:]
    'Their sum: (1.24).'
    """
    q, k, v = _as_array(query), _as_array(key), _as_array(value)
    if q.ndim != 1 or k.ndim != 2 or v.ndim != 2 or k.shape[1] != len(q) or len(k) != len(v):
        raise ValueError(f"query, key and value must be (d_k,), (m, d_k) and (m, d_v), got {q.shape}, {k.shape} "
                         f"and {v.shape}")
    _check_names("names", names, len(k), f"key of shape {k.shape}")
    scores = scale * k @ q
    weights = softmax(scores)
    output = weights @ v
    ink, quiet, page, m = palette.var("ink"), palette.var("quiet"), palette.var("page"), len(k)
    step = max(SIDE, *(_width(fixed(x, digits)) + 6 for x in [*q, *k.flat, *v.flat]))
    wide = max(step, *(_width(fixed(x, 2)) + 6 for x in [*scores, *output]))
    names_wide = max(map(_width, names)) + 12
    top, pitch = 2 * SIDE + 32, SIDE + 14                # the first row of keys; from one row to the next
    rows = [top + i * pitch for i in range(m)]
    middle = [y + SIDE / 2 for y in rows]
    reach = max(1.0, np.abs(k).max(), np.abs(q).max())

    def block(x, y, numbers, wide, role, digits, reach):
        ground = f'<rect x="{x:g}" y="{y:g}" width="{numbers.size * wide:g}" height="{SIDE}" fill="{page}"/>'
        return ground + _block(numbers[None], x, y, wide, "", role, digits, reach, None, False)

    # The first drawing: names, keys, dots, scores, softmax, weights.
    x_dot = names_wide + len(q) * step + 18
    x_score, x_soft = x_dot + 18, x_dot + 28 + wide
    x_weight = x_soft + 40
    deep, height = m * pitch + 2, top + m * pitch + SIDE + 22
    head = f"{asks} asks with its query" if asks else "query"
    body = [_wire(f"M{names_wide + len(q) * step:g} {TEXT + 12 + SIDE / 2:g}H{x_dot:g}V{middle[-1]:g}"),
            _text(names_wide, TEXT, head, palette.var("query"), anchor="start", bold=True),
            block(names_wide, TEXT + 12, q, step, "query", digits, reach)]
    for i, y in enumerate(middle):
        body += [_wire(f"M{names_wide + len(q) * step:g} {y:g}H{x_weight:g}"),
                 _text(names_wide - 8, y + 5, names[i], ink, anchor="end"),
                 block(names_wide, rows[i], k[i], step, "key", digits, reach), _knot(x_dot, y, "·"),
                 block(x_score, rows[i], scores[[i]], wide, None, 2, max(1.0, np.abs(scores).max())),
                 block(x_weight, rows[i], weights[[i]], wide, "weight", 2, 1.0)]
    body += [f'<rect x="{x_soft:g}" y="{top - 8}" width="30" height="{deep:g}" rx="6" fill="{page}" '
             f'stroke="{quiet}" stroke-width="1.5"/>',
             f'<g transform="translate({x_soft + 20:g} {top - 8 + deep / 2:g}) rotate(-90)">'
             f'{_text(0, 0, "softmax", ink)}</g>',
             _text(names_wide + len(q) * step / 2, top - 12, "keys", palette.var("key")),
             _text(x_score + wide / 2, top - 12, "scores", ink),
             _text(x_weight + wide / 2, top - 12, "weights", palette.var("weight"))]
    words = f"{asks} asks. " if asks else ""
    words += "The query meets each key; one softmax makes weights of the scores. "
    words += "; ".join(f"{name}: score {fixed(s)}, weight {fixed(w)}" for name, s, w in zip(names, scores, weights))
    first = Svg("".join(body), np.ceil(x_weight + wide + 6), height, alt=f"{words}.")

    # The second drawing, its rows level with those of the first: weights, values, their sum below.
    x_value = names_wide + wide + 36
    x_sum = x_value + v.shape[1] * step + 20
    y_out = rows[-1] + pitch + 8
    x_out = x_sum - 20 - v.shape[1] * wide
    body = [_wire(f"M{x_sum:g} {middle[0]:g}V{y_out + SIDE / 2:g}H{x_sum - 20:g}"),
            _text(names_wide + wide / 2, top - 12, "weights", palette.var("weight")),
            _text(x_value + v.shape[1] * step / 2, top - 12, "values", palette.var("value"))]
    for i, y in enumerate(middle):
        body += [_wire(f"M{names_wide + wide:g} {y:g}H{x_sum:g}"),
                 _text(names_wide - 8, y + 5, names[i], ink, anchor="end"),
                 block(names_wide, rows[i], weights[[i]], wide, "weight", 2, 1.0),
                 _knot(names_wide + wide + 18, y, "×"),
                 block(x_value, rows[i], v[i], step, "value", digits, max(1.0, np.abs(v).max()))]
    body += [_knot(x_sum, (middle[-1] + y_out + SIDE / 2) / 2, "+"),
             _text(x_out - 12, y_out + SIDE / 2 + 5, "output", ink, anchor="end", bold=True),
             block(x_out, y_out, output, wide, None, 2, max(1.0, np.abs(v).max()))]
    second = Svg("".join(body), np.ceil(x_sum + 14), height,
                 alt=f"Each value is multiplied by its weight. Their sum: ({', '.join(map(fixed, output))}).")
    return Picture(first, second)


def wiring(asks, asked, *, label="", projections=False, compares=True):
    """Draw an attention layer as a wiring: what the queries, keys and values are made of, and where they meet.

    Parameters
    ----------
    asks, asked : str
        The names of the rows that ask and of the rows that are asked; the same name for self-attention.
    label : str
        A title above.
    projections : bool
        Whether queries, keys and values are made by matrices of their own.
    compares : bool
        Whether the scores compare queries with keys; otherwise a layer makes them from the queries alone.

    Returns
    -------
    Picture

    Raises
    ------
    ValueError
        A layer that does not compare, but has projections, has no place for the matrix of the keys.

    Examples
    --------
    >>> wiring("S", "H").alt
    'Queries are rows of S, keys and values rows of H. Their scores go through a softmax; the weights blend the values.'
    """
    if projections and not compares:
        raise ValueError("a layer that does not compare has no projections to draw")
    ink, page = palette.var("ink"), palette.var("page")
    columns = {"query": 50, "key": 146, "value": 242} if compares else {"query": 98, "value": 242}
    meeting = (columns["query"] + columns["key"]) / 2 if compares else columns["query"]
    top = 36 if label else 8
    y_role, y_matrix, y_score, y_soft, y_blend, y_out = (top + y for y in (54, 84, 142, 188, 238, 284))
    body = [_text(20, 20, label, ink, anchor="start", bold=True)] if label else []
    body += [_wire(f"M{x} {top + 32}V{y_score - 26}" + (f"L{meeting:g} {y_score}" if compares else f"V{y_score}"))
            for role, x in columns.items() if role != "value"]
    body += [_wire(f"M{columns['value']} {top + 32}V{y_blend}H{meeting:g}"),
             _wire(f"M{meeting:g} {y_score}V{y_out - 6}")]

    def box(x, y, wide, text, role=None):
        frame = f'stroke="{palette.var(role or "quiet")}" stroke-width="{2 if role else 1.5}"'
        return (f'<rect x="{x - wide / 2:g}" y="{y - 16:g}" width="{wide:g}" height="32" rx="6" fill="{page}" {frame}/>'
                + _text(x, y + 5, text, palette.var(role) if role else ink, bold=bool(role)))

    answering = [x for role, x in columns.items() if role != "query"]
    groups = [(asks, list(columns.values()))] if asks == asked else [(asks, [columns["query"]]), (asked, answering)]
    for name, xs in groups:
        body.append(box((xs[0] + xs[-1]) / 2, top + 16, xs[-1] - xs[0] + 60, name))
    for role, x in columns.items():
        if projections:
            body.append(box(x, y_matrix, 46, f"W^{role[0].upper()}", role))
        body.append(_text(x + 6, y_role, role, palette.var(role), anchor="start"))
    body += [_knot(meeting, y_score, "·") if compares else box(meeting, y_score, 46, "FC"),
             box(meeting, y_soft, 80, "softmax"), _knot(meeting, y_blend, "×"),
             _text(meeting + 8, y_blend - 18, "weights", palette.var("weight"), anchor="start"),
             _text(meeting, y_out + 12, "output", ink)]
    if asks == asked:
        words = f"Queries, keys and values are rows of {asks}"
    else:
        words = f"Queries are rows of {asks}, {'keys and values' if compares else 'values'} rows of {asked}"
    words += ", each times a matrix of its own" if projections else ""
    words = (f"{label}: " if label else "") + words + (". Their scores go through a softmax" if compares else
              ". A fully connected layer makes the scores from the queries alone; they go through a softmax")
    return Picture(Svg("".join(body), 292, y_out + 24, alt=f"{words}; the weights blend the values."))


def pixels(picture, *, alt, label="", side=7, role="weight"):
    """Draw a picture of pixels: colours, or one number a pixel as the depth of a colour.

    Parameters
    ----------
    picture : array, shape (height, width, 3) with colours in [0, 1], or (height, width) of numbers
    alt : str
        What the picture shows.
    label : str
        Written above.
    side : float
        Of one pixel, in pixels of the screen.
    role : str or None
        The colour in which numbers are drawn, none of them negative; None for the two fills of the squares, by sign.
        The largest gets the full depth.

    Returns
    -------
    Picture

    Raises
    ------
    ValueError
        Another shape, colours outside [0, 1], or negative numbers in the colour of a role.

    Examples
    --------
    >>> pixels([[0.0, 1.0]], alt="An empty pixel beside a full one.")
    <Picture: An empty pixel beside a full one.>
    """
    x = np.asarray(picture, dtype=float)
    if x.ndim not in (2, 3) or x.size == 0 or (x.ndim == 3 and x.shape[2] != 3):
        raise ValueError(f"picture must be (height, width, 3) or (height, width), got {x.shape}")
    signed = role is None and x.ndim == 2
    if not np.isfinite(x).all() or (x.min() < 0 and not signed) or (x.ndim == 3 and x.max() > 1):
        raise ValueError(f"colours lie between 0 and 1 and numbers are not negative, got {x.min():g} to {x.max():g}")
    height, width = x.shape[:2]
    largest = np.abs(x).max() or 1.0
    top = TEXT + 10 if label else 2
    if x.ndim == 3:
        fills = [["fill=\"#" + "".join(f"{math.floor(c * 255 + 0.5):02x}" for c in pixel) + "\"" for pixel in row]
                 for row in x]
        ground = ""
    elif signed:
        fills = [[f'fill="{palette.FILL["negative" if v < 0 else "positive"]}" fill-opacity="{opacity(v, largest):.2f}"'
                  for v in row] for row in x]
        ground = ""
    else:
        fills = [[f'fill-opacity="{math.floor(v / largest * 100 + 0.5) / 100:g}"' for v in row] for row in x]
        ground = f' fill="{palette.var(_role(role))}"'
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
    title = _text(2 + width * side / 2, TEXT, label, palette.var("ink")) if label else ""
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
    head = f" with columns {', '.join(column_names)}" if column_names else ""
    rows = [f"{row_names[i] if row_names else f'row {i + 1}'}: {', '.join(fixed(v, digits) for v in row)}"
            for i, row in enumerate(x)]
    return f"{kind}{name}{role}, {x.shape[0]} by {x.shape[1]}{head}. {'; '.join(rows)}."


def opacity(value, largest):
    """How opaque the fill of a square is: its magnitude as a share of `largest`, times DEPTH, rounded."""
    share = min(abs(float(value)) / largest, 1.0)
    return math.floor(share * palette.DEPTH * 1000 + 0.5) / 1000      # as in widgets/core.js


def _block(grid, left, top, step, label, role, digits, largest, light_up, above):
    """The squares of a matrix with frame and label; no digits means marks in place of numbers."""
    n, d = grid.shape
    frame = palette.var("quiet" if role is None else _role(role))
    body = [_square(grid[i, j], left + j * step, top + i * SIDE, step, digits, largest)
            for i in range(n) for j in range(d)]
    body.append(f'<rect x="{left - 2:g}" y="{top - 2:g}" width="{d * step + 4:g}" height="{n * SIDE + 4:g}" rx="4" '
                f'fill="none" stroke="{frame}" stroke-width="2.5"/>')
    if light_up is not None:
        body.append(_light_up(light_up, left, top, step, n, d))
    if label:
        y = top - 8 - (TEXT + 6 if above else 0)
        body.append(_text(left + d * step / 2, y, label, palette.var("ink") if role is None else frame,
                          size=TEXT + 3, bold=True))
    return "".join(body)


def _square(value, x, y, step, digits, largest):
    sign = "negative" if value < 0 else "positive"
    side_x, side_y = step - GAP, SIDE - GAP
    box = f'x="{x + GAP / 2:g}" y="{y + GAP / 2:g}" width="{side_x:g}" height="{side_y:g}" rx="3"'
    # A hair line, so that a zero is still a square.
    fill = (f'<rect {box} fill="{palette.var("fill-" + sign)}" fill-opacity="{opacity(value, largest):g}" '
            f'stroke="{palette.var("grid")}"/>')
    if digits is not None:
        written = fixed(value, digits)
    else:
        written = "" if fixed(value, 2) == "0.00" else ("−" if value < 0 else "+")
    return fill + (_text(x + step / 2, y + SIDE / 2 + 5, written, palette.var("ink")) if written else "")


def _light_up(where, left, top, step, n, d):
    i, j = where
    if (i is not None and not 0 <= i < n) or (j is not None and not 0 <= j < d):
        raise ValueError(f"light_up must lie within {n} rows and {d} columns, got {where}")
    x, width = (left, d * step) if j is None else (left + j * step, step)
    y, height = (top, n * SIDE) if i is None else (top + i * SIDE, SIDE)
    return (f'<rect x="{x + 2:g}" y="{y + 2:g}" width="{width - 4:g}" height="{height - 4:g}" rx="3" fill="none" '
            f'stroke="{palette.var("ink")}" stroke-width="3"/>')


def _wire(path):
    return f'<path d="{path}" fill="none" stroke="{palette.var("quiet")}" stroke-width="1.5"/>'


def _knot(x, y, sign):
    return (f'<circle cx="{x:g}" cy="{y:g}" r="12" fill="{palette.var("page")}" stroke="{palette.var("quiet")}" '
            f'stroke-width="1.5"/>' + _text(x, y + 5, sign, palette.var("ink")))


def _text(x, y, text, fill, *, anchor="middle", size=TEXT, bold=False, language=None):
    language = f' lang="{escape(language)}"' if language else ""
    weight = ' font-weight="700"' if bold else ""
    base, raised, power = text.partition("^")
    words = escape(base) + (f'<tspan dy="-.45em" font-size="70%">{escape(power)}</tspan>' if raised else "")
    return (f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" font-size="{size:g}"{weight}{language} '
            f'fill="{fill}">{words}</text>')


def _width(text):
    """A generous guess at the width of a text, in pixels: the browser's font is not known here."""
    return round(len(text) * TEXT * 0.58)


def _shape(x, standing):
    if x.ndim == 0:
        return "1 number"
    if x.ndim == 1:
        return f"({len(x)},)" if not standing else f"({len(x)},) standing"
    return f"({x.shape[0]}, {x.shape[1]})"


def _check_names(name, names, count, what):
    if names is not None and (len(names) != count or not all(isinstance(n, str) for n in names)):
        raise ValueError(f"{name} must hold {count} names for {what}, got {names!r}")


def _role(role):
    if role not in palette.ROLES:
        raise ValueError(f"role must be one of {', '.join(palette.ROLES)}, got {role!r}")
    return role


def _as_array(numbers):
    try:
        x = np.asarray(numbers.detach().cpu() if hasattr(numbers, "detach") else numbers)
    except ValueError:
        raise ValueError("the rows are of different lengths, so there is no matrix to draw") from None
    if x.dtype.kind not in "fiu":
        raise TypeError(f"squares draws real numbers, got dtype {x.dtype}")
    x = x.astype(float)
    if x.ndim > 2:
        raise ValueError(f"squares draws at most two axes (items, features), got shape {x.shape}")
    if x.size == 0:
        raise ValueError(f"there is nothing to draw: shape {x.shape} has an empty axis")
    if not np.isfinite(x).all():
        raise ValueError("squares draws finite numbers, got infinity or nan")
    return x


__all__ = ["squares", "product", "attention_graph", "wiring", "pixels", "describe", "opacity"]
