"""Attention drawn as a computation: a dot product, the stages, one output with its numbers, a layer, a block."""

import math

import numpy as np

from attnkit import rotary, softmax
from attnkit.pictures import blocks, matrices, palette, shapes
from attnkit.pictures import heads as many_heads
from attnkit.pictures.draw import describe
from attnkit.pictures.formats import fixed
from attnkit.pictures.metrics import text_width
from attnkit.pictures.picture import Picture, Room, Svg
from attnkit.pictures.shapes import SIDE, TEXT, as_array, cell_width, check_names, knot, text, wire

UNTIL = ("scores", "weights", "output")


def attention_graph(query, key, value, *, key_names, query_name="", scale=1.0, digits=1, until="output"):
    """Draw the computation of one output: every score, every weight, every weighted value, their sum.

    Two drawings side by side.  In the first the query meets each key, the scores
    go through one softmax and become weights; in the second each weight meets its
    value, and the sum is the output.  A page can let the picture grow: what is drawn
    stands at the same place however far the computation has come.

    Parameters
    ----------
    query : array, shape (d_k,)
    key : array, shape (m, d_k)
    value : array, shape (m, d_v)
    key_names : list of m str
        The names of the items that are asked.
    query_name : str
        The name of the item that asks.
    scale : float
        What the dot products are multiplied by.
    digits : int
        Decimals of queries, keys and values; scores, weights and the output get two.
    until : str
        "scores", "weights" or "output": how far the computation has come.

    Returns
    -------
    Picture

    Raises
    ------
    ValueError
        Shapes or names that do not fit, or another `until`.

    Examples
    --------
    >>> attention_graph([1.0], [[2.0], [0.0]], [[1.0], [3.0]], key_names=["a", "b"]).alt[-18:]
    'Their sum: (1.24).'
    """
    q, k, v = _arrays(query, key, value, key_names)
    if until not in UNTIL:
        raise ValueError(f"until must be one of {', '.join(UNTIL)}, got {until!r}")
    scores = scale * k @ q
    weights = softmax(scores)
    graph = _Graph(key_names, digits, q, k, v, scores, weights, weights @ v)
    blend = graph.blend_drawing()
    return Picture(graph.scores_drawing(query_name, until != "scores"), blend if until == "output" else Room(blend))


def _arrays(query, key, value, key_names):
    """What the caller gave as arrays that fit each other and the names."""
    q, k, v = as_array(query, "query"), as_array(key, "key"), as_array(value, "value")
    if q.ndim != 1 or k.ndim != 2 or v.ndim != 2 or k.shape[1] != len(q) or len(k) != len(v):
        raise ValueError(f"query, key and value must be (d_k,), (m, d_k) and (m, d_v), got {q.shape}, {k.shape} "
                         f"and {v.shape}")
    check_names("key_names", key_names, len(k), f"key of shape {k.shape}")
    return q, k, v


class _Graph:
    """The computation of one output, and where its rows stand in both drawings."""

    def __init__(self, names, digits, query, key, value, scores, weights, output):
        self.names, self.digits = names, digits
        self.query, self.key, self.value = query, key, value
        self.scores, self.weights, self.output = scores, weights, output
        self.step = cell_width(fixed(x, digits) for x in [*query, *key.flat, *value.flat])
        self.wide = max(self.step, cell_width(fixed(x, 2) for x in [*scores, *output]))
        self.left = math.ceil(max(map(text_width, names))) + 12
        self.top, self.pitch = 2 * SIDE + 32, SIDE + 14          # the first row of keys; from one row to the next
        self.rows = [self.top + i * self.pitch for i in range(len(key))]
        self.middle = [y + SIDE / 2 for y in self.rows]
        self.height = self.top + len(key) * self.pitch + SIDE + 22

    def scores_drawing(self, query_name, weighs):
        """Names, keys, dots, scores: the query meets each key; if the graph `weighs`, softmax and weights, too."""
        left, step, wide, top = self.left, self.step, self.wide, self.top
        keys_end = left + len(self.query) * step
        x_dot = keys_end + 18
        x_score, x_weight = x_dot + 18, x_dot + 68 + wide
        limit = max(1.0, np.abs(self.key).max(), np.abs(self.query).max())
        head = f"{query_name} asks with its query" if query_name else "query"
        body = [wire(f"M{keys_end:g} {TEXT + 12 + SIDE / 2:g}H{x_dot:g}V{self.middle[-1]:g}"),
                text(left, TEXT, head, palette.var("query"), anchor="start", bold=True),
                _row(left, TEXT + 12, self.query, step, "query", self.digits, limit)]
        for i, y in enumerate(self.middle):
            body += [wire(f"M{keys_end:g} {y:g}H{x_weight if weighs else x_score:g}"), self._name(i),
                     _row(left, self.rows[i], self.key[i], step, "key", self.digits, limit), knot(x_dot, y, "·"),
                     _row(x_score, self.rows[i], self.scores[[i]], wide, None, 2, max(1.0, np.abs(self.scores).max()))]
            body += [_row(x_weight, self.rows[i], self.weights[[i]], wide, "weight", 2, 1.0)] if weighs else []
        body += [self._softmax(x_weight - 40)] if weighs else []
        body += [text(left + len(self.query) * step / 2, top - 12, "keys", palette.var("key")),
                 text(x_score + wide / 2, top - 12, "scores", palette.var("ink"))]
        body += [text(x_weight + wide / 2, top - 12, "weights", palette.var("weight"))] if weighs else []
        words = (f"{query_name} asks. " if query_name else "") + self._told(weighs)
        return Svg("".join(body), np.ceil(x_weight + wide + 6), self.height, alt=words)

    def _softmax(self, x):
        """The box through which all scores go together."""
        y, deep = self.top - 8, len(self.key) * self.pitch + 2
        return (f'<rect x="{x:g}" y="{y}" width="30" height="{deep:g}" rx="6" fill="{palette.var("page")}" '
                f'stroke="{palette.var("quiet")}" stroke-width="1.5"/>'
                f'<g transform="translate({x + 20:g} {y + deep / 2:g}) rotate(-90)">'
                f'{text(0, 0, "softmax", palette.var("ink"))}</g>')

    def _told(self, weighs):
        """The first drawing in words, with its numbers."""
        told = [f"{name}: score {fixed(s)}" + (f", weight {fixed(w)}" if weighs else "")
                for name, s, w in zip(self.names, self.scores, self.weights)]
        does = "; one softmax makes weights of the scores" if weighs else ""
        return f"The query meets each key{does}. {'; '.join(told)}."

    def blend_drawing(self):
        """Weights, values, their sum below; the rows level with those of the first drawing."""
        left, step, wide, top = self.left, self.step, self.wide, self.top
        width = self.value.shape[1]
        x_value = left + wide + 36
        x_sum = x_value + width * step + 20
        y_out = self.rows[-1] + self.pitch + 8
        x_out = x_sum - 20 - width * wide
        limit = max(1.0, np.abs(self.value).max())
        body = [wire(f"M{x_sum:g} {self.middle[0]:g}V{y_out + SIDE / 2:g}H{x_sum - 20:g}"),
                text(left + wide / 2, top - 12, "weights", palette.var("weight")),
                text(x_value + width * step / 2, top - 12, "values", palette.var("value"))]
        for i, y in enumerate(self.middle):
            body += [wire(f"M{left + wide:g} {y:g}H{x_sum:g}"), self._name(i),
                     _row(left, self.rows[i], self.weights[[i]], wide, "weight", 2, 1.0),
                     knot(left + wide + 18, y, "×"),
                     _row(x_value, self.rows[i], self.value[i], step, "value", self.digits, limit)]
        body += [knot(x_sum, (self.middle[-1] + y_out + SIDE / 2) / 2, "+"),
                 text(x_out - 12, y_out + SIDE / 2 + 5, "output", palette.var("ink"), anchor="end", bold=True),
                 _row(x_out, y_out, self.output, wide, None, 2, limit)]
        words = f"Each value is multiplied by its weight. Their sum: ({', '.join(map(fixed, self.output))})."
        return Svg("".join(body), np.ceil(x_sum + 14), self.height, alt=words)

    def _name(self, i):
        return text(self.left - 8, self.middle[i] + 5, self.names[i], palette.var("ink"), anchor="end")


def _row(x, y, numbers, step, role, digits, vmax):
    """A vector as a row of squares."""
    return _rows(x, y, numbers[None], step, role, digits, vmax)


def _rows(x, y, numbers, step, role, digits, vmax):
    """A matrix of squares on the page's ground, which hides what is behind it."""
    ground = (f'<rect x="{x:g}" y="{y:g}" width="{numbers.shape[1] * step:g}" height="{len(numbers) * SIDE}" '
              f'fill="{palette.var("page")}"/>')
    return ground + shapes.block(numbers, x, y, step, "", role, digits, vmax, None, False)


def dot_product(left, right, *, names, entry_names, digits=1):
    """Draw a dot product: two vectors entry by entry, the row of their products, and the sum.

    Parameters
    ----------
    left, right : array, shape (d,)
        Drawn as a query and as a key.
    names : pair of str
        What the vectors are called.
    entry_names : list of d str
    digits : int
        Decimals of the vectors; products and sum get two.

    Returns
    -------
    Picture

    Raises
    ------
    ValueError
        Vectors of different length, or names that do not match.

    Examples
    --------
    >>> dot_product([0.5, 1.0], [2.0, -1.0], names=["u", "v"], entry_names=["a", "b"]).alt[-41:]
    'The products: a 1.00, b −1.00. Sum: 0.00.'
    """
    u, v = as_array(left, "left"), as_array(right, "right")
    if u.ndim != 1 or u.shape != v.shape:
        raise ValueError(f"left and right must both have shape (d,), got {u.shape} and {v.shape}")
    check_names("names", names, 2, "two vectors")
    check_names("entry_names", entry_names, len(u), f"vectors of shape {u.shape}")
    terms, total = u * v, u @ v
    step = max(cell_width(entry_names, 12), cell_width(fixed(x, 2) for x in [*u, *v, *terms, total]))
    start = math.ceil(max(text_width(name, bold=True) for name in [*names, "products"])) + 16
    end, top, pitch = start + len(u) * step, TEXT + 12, SIDE + 24
    ink = palette.var("ink")
    body = [text(start + (i + .5) * step, TEXT, name, ink) for i, name in enumerate(entry_names)]
    for r, (name, numbers, role, d) in enumerate([(names[0], u, "query", digits), (names[1], v, "key", digits),
                                                  ("products", terms, None, 2)]):
        y = top + r * pitch
        body += [text(start - 12, y + SIDE / 2 + 5, name, palette.var(role) if role else ink, anchor="end", bold=True),
                 _row(start, y, numbers, step, role, d, max(1.0, np.abs(numbers).max()))]
        body += [text(start + (i + .5) * step, y + SIDE + 17, "×="[r], ink) for i in range(len(u) if r < 2 else 0)]
    y = top + 2 * pitch
    body += [wire(f"M{end + 2:g} {y + SIDE / 2:g}h34"), knot(end + 20, y + SIDE / 2, "+"),
             _row(end + 38, y, np.array([total]), step, None, 2, max(1.0, abs(total))),
             text(end + 38 + step / 2, y - 10, "score", ink, bold=True)]
    told = ", ".join(f"{name} {fixed(x)}" for name, x in zip(entry_names, terms))
    words = " ".join(describe(x, name, column_names=entry_names, digits=digits) for x, name in zip((u, v), names))
    return Picture(Svg("".join(body), end + 38 + step + 6, y + SIDE + 6,
                       alt=f"{words} The products: {told}. Sum: {fixed(total)}."))


STAGES = ("score", "scale", "softmax", "blend")
BLENDS = "weights × values"


def pipeline(query, key, value, *, key_names, lit=None, digits=1):
    """Draw the four stages of attention for one query, with their numbers: score, scale, softmax, blend.

    Chapters come back to this picture with the stage that they are about lit.

    Parameters
    ----------
    query : array, shape (d_k,)
    key : array, shape (m, d_k)
    value : array, shape (m, d_v)
    key_names : list of m str
    lit : str or tuple of str, optional
        "score", "scale", "softmax" or "blend": what stands out.
    digits : int
        Decimals of the values; all other numbers get two.

    Returns
    -------
    Picture

    Raises
    ------
    ValueError
        Shapes or names that do not fit, or another stage.

    Examples
    --------
    >>> pipeline([2.0], [[1.0], [0.0]], [[3.0], [4.0]], key_names=["a", "b"], lit="softmax").alt[:47]
    'Four stages, softmax lit. Score, query times ke'
    """
    q, k, v = _arrays(query, key, value, key_names)
    lit = (lit,) if isinstance(lit, str) else lit or ()
    if not set(lit) <= set(STAGES):
        raise ValueError(f"lit must be of {', '.join(STAGES)}, got {', '.join(map(repr, lit))}")
    scores = k @ q
    scaled = scores / np.sqrt(len(q))
    weights = softmax(scaled)
    stages = _Stages(key_names, lit, digits, len(q), scores, scaled, weights, v, weights @ v)
    return Picture(Svg(stages.drawing(), stages.width, stages.height, alt=stages.words()))


class _Stages:
    """The stages of one output side by side, and where they stand."""

    def __init__(self, names, lit, digits, d, scores, scaled, weights, value, output):
        self.names, self.lit, self.digits, self.d = names, lit, digits, d
        self.scores, self.scaled, self.weights, self.value, self.output = scores, scaled, weights, value, output
        self.wide = max([cell_width(fixed(x, 2) for x in [*scores, *scaled, *weights]),
                         *(math.ceil(text_width(name, bold=True)) + 4 for name in STAGES[:3])])
        self.step = max(cell_width([fixed(x, digits) for x in value.flat] + [fixed(x, 2) for x in output]),
                        math.ceil(text_width(BLENDS) / value.shape[1]))
        self.left, self.gap = math.ceil(max(map(text_width, names))) + 14, 26
        self.top, self.deep = 2 * TEXT + 24, len(value) * SIDE
        self.x_blend, self.blend = self.left + 3 * (self.wide + self.gap), value.shape[1] * self.step
        self.y_sum = self.top + self.deep + 16
        self.width, self.height = math.ceil(self.x_blend + self.blend + 9), self.y_sum + SIDE + 12

    def drawing(self):
        """Three columns of numbers, then the values, and below them their average; the names on the left."""
        ink, top, wide = palette.var("ink"), self.top, self.wide
        columns = [("q · k", self.scores, None), (f"÷ √{self.d}", self.scaled, None),
                   ("weights", self.weights, "weight")]
        body = []
        for i, (below, numbers, role) in enumerate(columns):
            x = self.left + i * (wide + self.gap)
            vmax = 1.0 if role else max(1.0, np.abs(self.scores).max())
            body += [self._head(STAGES[i], x, wide, below, top + self.deep + 8),
                     _rows(x, top, numbers[:, None], wide, role, 2, vmax),
                     text(x + wide + self.gap / 2, top + self.deep / 2 + 5, "→" if role is None else "×", ink)]
        x, y, limit = self.x_blend, self.y_sum, max(1.0, np.abs(self.value).max())
        body += [self._head("blend", x, self.blend, BLENDS, top + self.deep + SIDE + 24),
                 _rows(x, top, self.value, self.step, "value", self.digits, limit),
                 *(text(self.left - 12, top + (i + .5) * SIDE + 5, name, ink, anchor="end")
                   for i, name in enumerate(self.names)),
                 text(x - 14, y + SIDE / 2 + 5, "weighted average =", ink, anchor="end"),
                 _row(x, y, self.output, self.step, None, 2, limit)]
        return "".join(body)

    def _head(self, name, x, width, below, height):
        """The name of a stage and what it does; behind them, if the stage is lit, its panel."""
        ink, quiet, on = palette.var("ink"), palette.var("quiet"), name in self.lit
        panel = (f'<rect x="{x - 7:g}" y="2" width="{width + 14:g}" height="{height:g}" rx="8" '
                 f'fill="{palette.var("ground")}" stroke="{ink}" stroke-width="2.5"/>')
        return ((panel if on else "")
                + text(x + width / 2, TEXT + 4, name, ink if on or not self.lit else quiet, bold=True)
                + text(x + width / 2, 2 * TEXT + 8, below, quiet))

    def words(self):
        """The stages in words, each with its numbers."""
        lines = [("Score, query times key", self.scores), (f"Scale, divided by the root of {self.d}", self.scaled),
                 ("Softmax, the weights", self.weights)]
        told = " ".join(f"{head}: {', '.join(f'{name} {fixed(s)}' for name, s in zip(self.names, numbers))}."
                        for head, numbers in lines)
        head = f"Four stages, {' and '.join(self.lit)} lit." if self.lit else "Four stages."
        return f"{head} {told} Blend, weights times values: ({', '.join(map(fixed, self.output))})."


def wiring(query_source, key_source, *, label="", projections=False, compares=True):
    """Draw an attention layer as a wiring: what the queries, keys and values are made of, and where they meet.

    Parameters
    ----------
    query_source, key_source : str
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
    body = [text(20, 20, label, ink, anchor="start", bold=True)] if label else []
    body += [wire(f"M{x} {top + 32}V{y_score - 26}" + (f"L{meeting:g} {y_score}" if compares else f"V{y_score}"))
            for role, x in columns.items() if role != "value"]
    body += [wire(f"M{columns['value']} {top + 32}V{y_blend}H{meeting:g}"),
             wire(f"M{meeting:g} {y_score}V{y_out - 6}")]

    def box(x, y, wide, words, role=None):
        frame = f'stroke="{palette.var(role or "quiet")}" stroke-width="{2 if role else 1.5}"'
        return (f'<rect x="{x - wide / 2:g}" y="{y - 16:g}" width="{wide:g}" height="32" rx="6" fill="{page}" {frame}/>'
                + text(x, y + 5, words, palette.var(role) if role else ink, bold=bool(role)))

    answering = [x for role, x in columns.items() if role != "query"]
    groups = [(query_source, [columns["query"]]), (key_source, answering)]
    if query_source == key_source:
        groups = [(query_source, list(columns.values()))]
    for name, xs in groups:
        body.append(box((xs[0] + xs[-1]) / 2, top + 16, xs[-1] - xs[0] + 60, name))
    for role, x in columns.items():
        if projections:
            body.append(box(x, y_matrix, 46, f"W^{role[0].upper()}", role))
        body.append(text(x + 6, y_role, role, palette.var(role), anchor="start"))
    body += [knot(meeting, y_score, "·") if compares else box(meeting, y_score, 46, "FC"),
             box(meeting, y_soft, 80, "softmax"), knot(meeting, y_blend, "×"),
             text(meeting + 8, y_blend - 18, "weights", palette.var("weight"), anchor="start"),
             text(meeting, y_out + 12, "output", ink)]
    if query_source == key_source:
        words = f"Queries, keys and values are rows of {query_source}"
    else:
        words = (f"Queries are rows of {query_source}, "
                 f"{'keys and values' if compares else 'values'} rows of {key_source}")
    words += ", each times a matrix of its own" if projections else ""
    words = (f"{label}: " if label else "") + words + (". Their scores go through a softmax" if compares else
              ". A fully connected layer makes the scores from the queries alone; they go through a softmax")
    return Picture(Svg("".join(body), 292, y_out + 24, alt=f"{words}; the weights blend the values."))


def projections(x, w_query, w_key, w_value, *, row_names, feature_names, digits=1):
    """Draw how three matrices make queries, keys and values of the same rows.

    The rows stand once, on the left.  From them a line leads to three places where
    they meet a matrix each, drawn above; what the two make stands below, level with the
    rows.  Where numbers would make the picture too wide for a phone, signs take their place.

    Parameters
    ----------
    x : array, shape (n, d)
        The rows.
    w_query, w_key : array, shape (d, d_k)
    w_value : array, shape (d, d_v)
        What makes the queries, the keys and the values.
    row_names : list of n str
    feature_names : list of d str
        The names of the features: columns of `x`, rows of each matrix.
    digits : int
        Decimals of all numbers.

    Returns
    -------
    Picture

    Raises
    ------
    ValueError
        Shapes or names that do not fit.

    Examples
    --------
    >>> projections([[2.0]], [[1.0]], [[3.0]], [[4.0]], row_names=["a"], feature_names=["p"]).alt[-33:]
    'Matrix V (value), 1 by 1. a: 8.0.'
    """
    rows = as_array(x, "x")
    weights = [as_array(w, name) for w, name in ((w_query, "w_query"), (w_key, "w_key"), (w_value, "w_value"))]
    shapes = [w.shape for w in weights]
    fit = all(a.ndim == 2 for a in (rows, *weights)) and all(len(w) == rows.shape[1] for w in weights)
    if not fit or shapes[0] != shapes[1]:
        raise ValueError("x, w_query, w_key and w_value must be (n, d), (d, d_k), (d, d_k) and (d, d_v), got "
                         f"{rows.shape}, {shapes[0]}, {shapes[1]} and {shapes[2]}")
    check_names("row_names", row_names, len(rows), f"x of shape {rows.shape}")
    check_names("feature_names", feature_names, rows.shape[1], f"x of shape {rows.shape}")
    words = ["The same rows meet three matrices; what they make stands below.",
             describe(rows, "X", None, row_names, feature_names, digits)]
    for role, w in zip(matrices.ROLES, weights):
        letter = role[0].upper()
        words += [describe(w, f"W^{letter}", role, feature_names, digits=digits),
                  describe(rows @ w, letter, role, row_names, digits=digits)]
    return matrices.fitting(lambda shown: [
        matrices.Projections(rows, weights, row_names, feature_names, shown).drawing(" ".join(words))], digits)


def head(query, key, value, *, names, column_names=None, digits=1, highlight=None):
    """Draw all of attention as matrices, the length of each edge written at it.

    Two drawings side by side.  In the first the queries meet the transposed keys and
    give the scores; in the second a softmax of each row has made weights of them,
    which meet the values and give the output.  In both a line joins the two edges
    that must be equally long, and that the product no longer has.  Where numbers would
    make the picture too wide for a phone, signs take their place.

    Parameters
    ----------
    query : array, shape (n, d_k)
    key : array, shape (m, d_k)
    value : array, shape (m, d_v)
    names : list of n str
        The names of the items that ask.
    column_names : list of m str, optional
        The names of the items that are asked, if they are others.
    digits : int
        Decimals of queries, keys and values; scores, weights and outputs get two.
    highlight : int, optional
        The query whose row is framed: of the queries, the scores, the weights and the outputs.

    Returns
    -------
    Picture

    Raises
    ------
    ValueError
        Shapes or names that do not fit, or a row that is not there.

    Examples
    --------
    >>> head([[1.0]], [[2.0], [0.0]], [[1.0], [3.0]], names=["a"], column_names=["b", "c"]).alt[-26:]
    'Matrix Y, 1 by 1. a: 1.24.'
    """
    q, k, v = as_array(query, "query"), as_array(key, "key"), as_array(value, "value")
    if any(a.ndim != 2 for a in (q, k, v)) or q.shape[1] != k.shape[1] or len(k) != len(v):
        raise ValueError(f"query, key and value must be (n, d_k), (m, d_k) and (m, d_v), got {q.shape}, {k.shape} "
                         f"and {v.shape}")
    asked = names if column_names is None else column_names
    check_names("names", names, len(q), f"query of shape {q.shape}")
    check_names("column_names", asked, len(k), f"key of shape {k.shape}")
    if highlight is not None and not 0 <= highlight < len(q):
        raise ValueError(f"highlight must lie within {len(q)} rows, got {highlight}")
    scores = q @ k.T
    weights = softmax(scores / np.sqrt(q.shape[1]))
    numbers = {"Q": q, "Kᵀ": k.T, "S": scores, "A": weights, "V": v, "Y": weights @ v}
    words = _head_words(*numbers.values(), names, asked, digits, highlight)
    return matrices.fitting(
        lambda shown: matrices.Head(numbers, names, asked, shown).drawings(highlight, words), digits)


def _head_words(q, k, s, a, v, y, names, asked, digits, lit):
    """The two drawings of `head` in words."""
    framed = "" if lit is None else f" The row of {names[lit]} is framed."
    first = [f"Queries, n by d_k, times transposed keys, d_k by m, are scores, n by m: n is {len(q)}, d_k is "
             f"{len(k)}, m is {len(v)}.{framed}", describe(q, "Q", "query", names, digits=digits),
             describe(k, "Kᵀ", "key", None, asked, digits), describe(s, "S", None, names, asked, 2)]
    second = [f"The scores divided by the root of d_k, a softmax of each row: weights, n by m. They times values, m by "
              f"d_v, are outputs, n by d_v: d_v is {v.shape[1]}.{framed}", describe(a, "A", "weight", names, asked, 2),
              describe(v, "V", "value", asked, digits=digits), describe(y, "Y", None, names, digits=2)]
    return " ".join(first), " ".join(second)


def multi_head(x, heads, w_output, *, names, digits=1):
    """Draw the whole of multi-head attention, in five numbered steps.

    Three drawings side by side.  The first has the words and the matrices of each head,
    the second what each head makes with them, the third the outputs of all heads side by
    side and what the last matrix makes of them.  Squares show sign and size, and matrices
    of one kind share one scale of colours.

    Parameters
    ----------
    x : array, shape (n, d)
        The words.
    heads : list of h triples of arrays
        For each head what makes its queries, shape (d, d_k), its keys, (d, d_k), and its values, (d, d_v).
    w_output : array, shape (h * d_v, d)
        What mixes the outputs of the heads.
    names : list of n str
        The names of the words.
    digits : int
        Decimals of the output, which the words of the picture tell.

    Returns
    -------
    Picture

    Raises
    ------
    TypeError
        Arrays that do not hold real numbers.
    ValueError
        Shapes or names that do not fit, or a head that is no triple.

    Examples
    --------
    >>> multi_head([[1.0]], [([[1.0]], [[1.0]], [[2.0]])], [[3.0]], names=["a"]).alt[-25:]
    'Matrix Y, 1 by 1. a: 6.0.'
    """
    if any(len(head) != 3 for head in heads):
        raise ValueError("heads must hold a triple of matrices for each head (w_query, w_key, w_value), got "
                         f"{' and '.join(str(len(head)) for head in heads)} matrices")
    arrays = [[as_array(w, name) for w, name in zip(head, ("w_query", "w_key", "w_value"))] for head in heads]
    numbers = many_heads.checked(as_array(x, "x"), arrays, as_array(w_output, "w_output"), names)
    return Picture(*many_heads.MultiHead(numbers, names, digits).drawings())


def turning(query, key, places, *, angle):
    """Draw how a query and a key are turned by their places, and what becomes of their dot product.

    A circle for each pair of places.  The dashed arrows are query and key as they are
    at place 0, the solid ones those that `rotary` turns.  The angle between the
    solid ones is marked, and below stand how far apart the places are and the dot product.

    Parameters
    ----------
    query, key : array, shape (2,)
    places : list of pairs of int
        The place of the query and the place of the key, for each circle.
    angle : float
        How far each place turns, in radians.

    Returns
    -------
    Picture

    Raises
    ------
    TypeError
        Arrays that do not hold real numbers.
    ValueError
        Another shape, a vector of zeros, an `angle` that is not finite, or places that are no pairs of whole numbers,
        0 or more.

    Examples
    --------
    >>> turning([1.0, 0.0], [1.0, 0.0], [(1, 0), (4, 3)], angle=0.5).parts[1].alt
    'Query at place 4, key at place 3, 1 place apart: turned by 115° and 86°, 29° between them, dot product 0.88.'
    """
    q, k = as_array(query, "query"), as_array(key, "key")
    if q.shape != (2,) or k.shape != (2,) or not q.any() or not k.any():
        raise ValueError("query and key must have shape (2,) and not be zero, got "
                         f"{q.tolist()} and {k.tolist()}")
    if not np.isfinite(angle):
        raise ValueError(f"angle must be finite, got {angle}")
    if not len(places) or any(len(pair) != 2 or min(pair) < 0 or any(p % 1 for p in pair) for pair in places):
        raise ValueError(f"places must be pairs of whole numbers, 0 or more, got {places!r}")
    unit = _Turned.RADIUS / max(np.hypot(*q), np.hypot(*k))
    return Picture(*(_Turned(q, k, pair, angle, unit).drawing() for pair in places))


class _Turned:
    """One circle: a query and a key, turned by their places."""

    RADIUS, WIDE = 54, 132

    def __init__(self, query, key, places, angle, unit):
        self.still, self.places, self.unit = (query, key), places, unit
        self.turned = [rotary(v[None], positions=[place * angle])[0] for v, place in zip(self.still, places)]
        self.by = [place * angle for place in places]
        self.x, self.y = self.WIDE / 2, 2 * TEXT + 16 + self.RADIUS

    def drawing(self):
        """Whose places they are; the circle; what the two have to do with each other."""
        q, k = self.turned
        ink, apart = palette.var("ink"), abs(self.places[0] - self.places[1])
        far = f"{apart:g} place{'s' * (apart != 1)} apart"
        bottom = self.y + self.RADIUS
        body = [f'<circle cx="{self.x:g}" cy="{self.y:g}" r="{self.RADIUS}" fill="none" '
                f'stroke="{palette.var("grid")}" stroke-width="1.5"/>',
                *(self._arrow(v, role, True) for v, role in zip(self.still, ("query", "key"))), self._between(),
                *(self._arrow(v, role, False) for v, role in zip(self.turned, ("query", "key"))),
                text(self.x, TEXT, f"query at {self.places[0]:g}", palette.var("query"), bold=True),
                text(self.x, 2 * TEXT + 4, f"key at {self.places[1]:g}", palette.var("key"), bold=True),
                text(self.x, bottom + 22, far, ink),
                text(self.x, bottom + 43, f"q · k = {fixed(q @ k)}", ink, bold=True)]
        first, other = (fixed(math.degrees(by), 0) for by in self.by)
        words = (f"Query at place {self.places[0]:g}, key at place {self.places[1]:g}, {far}: turned by {first}° and "
                 f"{other}°, {fixed(self._opening(), 0)}° between them, dot product {fixed(q @ k)}.")
        return Svg("".join(body), self.WIDE, bottom + 50, alt=words)

    def _opening(self):
        """The angle between the two, in degrees, at most 180."""
        (a, b), (c, d) = self.turned
        return abs(math.degrees(math.atan2(a * d - b * c, a * c + b * d)))

    def _point(self, pixels):
        """Where an arrow from the middle ends, rounded: the last bits differ from processor to processor."""
        return round(self.x + pixels[0], 1), round(self.y - pixels[1], 1)

    def _arrow(self, vector, role, still):
        """A vector from the middle: dashed as it is at place 0, solid where its place has turned it."""
        colour, whole = palette.var(role), self.unit * vector
        x, y = self._point(whole)
        path = f"M{self.x:g} {self.y:g}L{x:g} {y:g}"
        if still:
            return f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="1.5" stroke-dasharray="2 4"/>'
        side = np.array([-vector[1], vector[0]])
        for barb in (vector + 0.6 * side, vector - 0.6 * side):
            end = self._point(whole - 8 * barb / np.hypot(*barb))
            path += f"M{x:g} {y:g}L{end[0]:g} {end[1]:g}"
        return f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="3" stroke-linecap="round"/>'

    def _between(self):
        """The angle between the two: a line from one to the other, at the same distance from the middle."""
        q, k = (v / np.hypot(*v) for v in self.turned)
        start, opening = math.atan2(k[1], k[0]), math.atan2(k[0] * q[1] - k[1] * q[0], k @ q)
        points = [start + opening * t / 12 for t in range(13)]
        corners = "L".join("{:g} {:g}".format(*self._point((20 * math.cos(a), 20 * math.sin(a)))) for a in points)
        return f'<path d="M{corners}" fill="none" stroke="{palette.var("ink")}" stroke-width="2"/>'


def block(*, parts=("attention", "mlp"), norm="pre", residual=True, shapes=True):
    """Draw a Transformer block: one strong line goes straight through, each part branches off and is added to it.

    The strong line is the residual stream.  A part left out, a norm left out or at another place, and a line that
    is broken show what a block is without them.

    Parameters
    ----------
    parts : tuple of str
        "attention" and "mlp", or one of them, in their order.
    norm : "pre", "post" or None
        Layer norm of what goes into each part, of each sum, or nowhere.
    residual : bool
        Whether the line goes straight through; otherwise all goes through the parts.
    shapes : bool
        Whether the shape of what goes in, on and out is written at it.

    Returns
    -------
    Picture

    Raises
    ------
    ValueError
        Other parts, none, one twice, or another `norm`.

    Examples
    --------
    >>> block(parts=["mlp"], norm=None, shapes=False).alt.split(". ")[2]
    'A branch leads through MLP (each word by itself), and is added'
    """
    parts = tuple([parts] if isinstance(parts, str) else parts)
    if not parts or len(set(parts)) < len(parts) or not set(parts) <= set(blocks.PARTS):
        raise ValueError(f"parts must be of {', '.join(blocks.PARTS)}, each at most once, got {parts!r}")
    if norm not in ("pre", "post", None):
        raise ValueError(f"norm must be 'pre', 'post' or None, got {norm!r}")
    return Picture(blocks.Block(parts, norm, residual, shapes).drawing())


def stack(num_layers, *, labels=None, ends=("words in", "scores of the next word")):
    """Draw blocks one below the other, one residual stream through all of them.

    Parameters
    ----------
    num_layers : int
    labels : list of num_layers str, optional
        The names of the blocks; "block 1", "block 2" and so on if not given.
    ends : pair of str
        What goes in and what comes out.

    Returns
    -------
    Picture

    Raises
    ------
    TypeError
        A number of layers that is no integer.
    ValueError
        A number of layers below 1, or labels that do not match.

    Examples
    --------
    >>> stack(2).alt[:79]
    'words in: one line goes from there through block 1, block 2, to scores of the n'
    """
    if isinstance(num_layers, bool) or not isinstance(num_layers, (int, np.integer)):
        raise TypeError(f"num_layers must be an integer, got {num_layers!r}")
    if num_layers < 1:
        raise ValueError(f"num_layers must be 1 or more, got {num_layers}")
    check_names("labels", labels, num_layers, f"{num_layers} layers")
    check_names("ends", ends, 2, "what goes in and what comes out")
    return Picture(blocks.stacked(labels or [f"block {i + 1}" for i in range(num_layers)], ends))


def architecture(*kinds):
    """Draw who gives queries, keys and values: in an encoder, in a decoder, in both together.

    Parameters
    ----------
    *kinds : str
        "encoder", "decoder" or "encoder-decoder": one drawing for each.

    Returns
    -------
    Picture

    Raises
    ------
    ValueError
        Another kind, or none.

    Examples
    --------
    >>> architecture("decoder").alt.split(". ")[1]
    'Each word looks back only, at itself and the words before it'
    """
    if not kinds or not set(kinds) <= set(blocks.ARCHITECTURES):
        raise ValueError(f"kinds must be of {', '.join(blocks.ARCHITECTURES)}, got {kinds!r}")
    return Picture(*map(blocks.architecture, kinds))


def attention_over_words(words, weights, *, asking, row_names=None):
    """Draw where a word looks: the sentence, each word on the colour of its weight.

    A frame marks the word that asks, and the three largest weights are written above
    their words.  A sentence that fits one line has arcs from the word that asks, too; a
    longer one goes on in the next line.  Several heads or layers stand below each other.

    Parameters
    ----------
    words : list of m str
    weights : array, shape (m,) or (rows, m)
        How much the word looks at each word, from 0 to 1; a row for each head or layer.
    asking : int
        The number of the word that asks.
    row_names : list of str, optional
        What the rows are called.

    Returns
    -------
    Picture

    Raises
    ------
    TypeError
        Weights that are no real numbers, or a number of a word that is no integer.
    ValueError
        Weights that are not from 0 to 1, shapes or names that do not fit, a word that is not there.

    Examples
    --------
    >>> attention_over_words(["see", "it"], [0.75, 0.25], asking=1).alt
    'Where “it” looks in “see it”. Most: see 0.75, it 0.25.'
    """
    rows = np.atleast_2d(as_array(weights, "weights"))
    check_names("words", words, rows.shape[1], f"weights of shape {np.shape(weights)}")
    check_names("row_names", row_names, len(rows), f"weights of shape {np.shape(weights)}")
    if rows.min() < 0 or rows.max() > 1 + 1e-6:
        raise ValueError(f"weights must be from 0 to 1, got {rows.min():g} to {rows.max():g}")
    if isinstance(asking, bool) or not isinstance(asking, (int, np.integer)):
        raise TypeError(f"asking must be an integer, got {asking!r}")
    if not 0 <= asking < len(words):
        raise ValueError(f"asking must be the number of one of {len(words)} words, got {asking}")
    return Picture(blocks.Looks(words, rows, asking, row_names).drawing())
