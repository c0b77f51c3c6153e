"""Attention drawn as a computation: a dot product, and one output with its numbers."""

import math

import numpy as np

from attnkit import softmax
from bookkit.pictures import palette, shapes
from bookkit.pictures.draw import describe
from bookkit.pictures.formats import fixed
from bookkit.pictures.metrics import text_width
from bookkit.pictures.picture import Picture, Room, Svg
from bookkit.pictures.shapes import SIDE, TEXT, as_array, cell_width, check_names, knot, text, wire

# How far a computation can have come, and what is new there.
UNTIL = {"keys": "the query and the keys", "scores": "the scores", "weights": "the softmax and the weights",
         "values": "the weights and the values", "output": "the output"}
AROUND = 8           # the room of a line round what is new, left, right and above


def attention_graph(query, key, value, *, key_names, query_name="", scale=1.0, digits=1, until="output",
                    outline=False):
    """Draw the computation of one output: every score, every weight, every weighted value, their sum.

    Two drawings side by side.  In the first the `query` (d_k,) meets each `key` (m, d_k), the scores, dot products
    times `scale`, go through one softmax and become weights; in the second each weight meets its `value` (m, d_v), and
    the sum is the output.  Queries, keys and values have `digits` decimals, all else has two.

    A page can let the picture grow: what is drawn stands at the same place, in drawings of the same size, however far
    the computation has come.  `until` is "keys", the query and the keys alone; "scores"; "weights"; "values", each
    weight beside the value that it multiplies, and no sum yet; or "output".  With `outline`, a dashed line runs round
    what is new.  It takes some room: pictures that are to be of one size have it all, or none of them.

    >>> attention_graph([1.0], [[2.0], [0.0]], [[1.0], [3.0]], key_names=["a", "b"], until="keys").alt
    'The query: (1.0). The keys: a (2.0); b (0.0).'
    """
    q, k, v = _arrays(query, key, value, key_names)
    if until not in UNTIL:
        raise ValueError(f"until must be one of {', '.join(UNTIL)}, got {until!r}")
    scores = scale * k @ q
    weights = softmax(scores)
    graph = _Graph(key_names, digits, q, k, v, scores, weights, weights @ v)
    new, meets = until if outline else None, until != "keys"
    blend = graph.blend_drawing(until != "values", new)
    return Picture(graph.scores_drawing(query_name, meets, meets and until != "scores", new),
                   blend if until in ("values", "output") else Room(blend))


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

    def scores_drawing(self, query_name, meets, weighs, new):
        """Names and keys; dots and scores, if the query `meets` each key; if the graph `weighs`, softmax and weights.

        Round what is `new`, if it is here, runs a line.
        """
        left, step, wide, top = self.left, self.step, self.wide, self.top
        keys_end = left + len(self.query) * step
        x_dot = keys_end + 18
        x_score, x_weight = x_dot + 18, x_dot + 68 + wide
        limit = max(1.0, np.abs(self.key).max(), np.abs(self.query).max())
        head = f"{query_name} asks with its query" if query_name else "query"
        width = np.ceil(x_weight + wide + 6)
        between = x_weight - 43.5                                # the scores and the softmax
        keys_edge = min(max(keys_end, left + text_width(head, bold=True)) + 8, width + 6)
        body = self._outline(new, {"keys": (-5, -5, keys_edge), "scores": (x_dot - 10, top - 32, between),
                                   "weights": (between, top - 32, width + 6)}, self._foot)
        body += [wire(f"M{keys_end:g} {TEXT + 12 + SIDE / 2:g}H{x_dot:g}V{self.middle[-1]:g}")] if meets else []
        body += [text(left, TEXT, head, palette.var("query"), anchor="start", bold=True),
                 self._grows(new, _row(left, TEXT + 12, self.query, step, "query", self.digits, limit), "query")]
        for i, y in enumerate(self.middle):
            body += [wire(f"M{keys_end:g} {y:g}H{x_weight if weighs else x_score:g}")] if meets else []
            key = _row(left, self.rows[i], self.key[i], step, "key", self.digits, limit)
            score = _row(x_score, self.rows[i], self.scores[[i]], wide, None, 2, max(1.0, np.abs(self.scores).max()))
            weight = _row(x_weight, self.rows[i], self.weights[[i]], wide, "weight", 2, 1.0)
            body += [self._name(i), self._grows(new, key, f"key {i}")]
            body += [knot(x_dot, y, "·"), self._grows(new, score, f"score {i}", "query", f"key {i}")] if meets else []
            body += [self._grows(new, weight, f"weight {i}", f"score {i}")] if weighs else []
        body += [self._softmax(x_weight - 40)] if weighs else []
        body += [text(left + len(self.query) * step / 2, top - 12, "keys", palette.var("key"))]
        body += [text(x_score + wide / 2, top - 12, "scores", palette.var("ink"))] if meets else []
        body += [text(x_weight + wide / 2, top - 12, "weights", palette.var("weight"))] if weighs else []
        words = (f"{query_name} asks. " if query_name else "") + (self._told(weighs) if meets else self._asked())
        return self._drawn(body, width, words, new, ("keys", "scores", "weights"))

    def _softmax(self, x):
        """The box through which all scores go together."""
        y, deep = self.top - 8, len(self.key) * self.pitch + 2
        return (f'<rect x="{x:g}" y="{y}" width="30" height="{deep:g}" rx="6" fill="{palette.var("page")}" '
                f'stroke="{palette.var("quiet")}" stroke-width="1.5"/>'
                f'<g transform="translate({x + 20:g} {y + deep / 2:g}) rotate(-90)">'
                f'{text(0, 0, "softmax", palette.var("ink"))}</g>')

    @staticmethod
    def _grows(new, svg, name, *came):
        """What is named, and comes from something, where the graph grows."""
        return svg if new is None else shapes.coming(svg, name, came)

    @property
    def _foot(self):
        """Where the rows and the softmax beside them have ended."""
        return self.top + len(self.key) * self.pitch + 1

    def _outline(self, new, places, bottom):
        """A dashed line round what is new, from its (left, top, right) to `bottom`; nothing if it stands elsewhere.

        It is drawn first, so that knots and squares hide it where it passes behind them.
        """
        if new not in places:
            return []
        x, y, right = places[new]
        return [f'<rect x="{x:g}" y="{y:g}" width="{right - x:g}" height="{bottom - y:g}" rx="10" fill="none" '
                f'stroke="{palette.var("ink")}" stroke-width="1.5" stroke-dasharray="6 4"/>']

    def _drawn(self, body, width, words, new, here):
        """A drawing of what has been collected; with room for a line, and a word on it where it is `here`."""
        if new is None:
            return Svg("".join(body), width, self.height, alt=words)
        moved = f'<g transform="translate({AROUND} {AROUND})">{"".join(body)}</g>'
        return Svg(moved, width + 2 * AROUND, self.height + AROUND,
                   alt=words + (f" Outlined: {UNTIL[new]}." if new in here else ""))

    def _asked(self):
        """The query and the keys in words."""
        query, *keys = (f"({', '.join(fixed(x, self.digits) for x in row)})" for row in (self.query, *self.key))
        return f"The query: {query}. The keys: {'; '.join(map(' '.join, zip(self.names, keys)))}."

    def _told(self, weighs):
        """The first drawing in words, with its numbers."""
        told = [f"{name}: score {fixed(s)}" + (f", weight {fixed(w)}" if weighs else "")
                for name, s, w in zip(self.names, self.scores, self.weights)]
        does = "; one softmax makes weights of the scores" if weighs else ""
        return f"The query meets each key{does}. {'; '.join(told)}."

    def blend_drawing(self, sums, new):
        """Weights and values, level with the rows of the first drawing; below them, if the graph `sums`, their sum.

        Round what is `new`, if it is here, runs a line.
        """
        left, step, wide, top = self.left, self.step, self.wide, self.top
        width = self.value.shape[1]
        x_value = left + wide + 36
        x_sum = x_value + width * step + 20
        y_out = self.rows[-1] + self.pitch + 8
        x_out = x_sum - 20 - width * wide
        limit = max(1.0, np.abs(self.value).max())
        x_output = max(-5, x_out - 20 - text_width("output", bold=True))
        body = self._outline(new, {"values": (-5, top - 32, x_sum - 10)}, self._foot)
        body += self._outline(new, {"output": (x_output, y_out - 11, x_sum + 10)}, y_out + SIDE + 10)
        body += [wire(f"M{x_sum:g} {self.middle[0]:g}V{y_out + SIDE / 2:g}H{x_sum - 20:g}")] if sums else []
        body += [text(left + wide / 2, top - 12, "weights", palette.var("weight")),
                 text(x_value + width * step / 2, top - 12, "values", palette.var("value"))]
        for i, y in enumerate(self.middle):
            body += [wire(f"M{left + wide:g} {y:g}H{x_sum if sums else x_value:g}"), self._name(i),
                     self._grows(new, _row(left, self.rows[i], self.weights[[i]], wide, "weight", 2, 1.0),
                                 f"share {i}", f"weight {i}"),
                     knot(left + wide + 18, y, "×"),
                     self._grows(new, _row(x_value, self.rows[i], self.value[i], step, "value", self.digits, limit),
                                 f"value {i}")]
        body += [knot(x_sum, (self.middle[-1] + y_out + SIDE / 2) / 2, "+"),
                 text(x_out - 12, y_out + SIDE / 2 + 5, "output", palette.var("ink"), anchor="end", bold=True),
                 self._grows(new, _row(x_out, y_out, self.output, wide, None, 2, limit), "output",
                             *(f"value {i}" for i in range(len(self.value))))] if sums else []
        words = (f"Each value is multiplied by its weight. Their sum: ({', '.join(map(fixed, self.output))})."
                 if sums else self._weighed())
        return self._drawn(body, np.ceil(x_sum + 14), words, new, ("values", "output"))

    def _weighed(self):
        """Weights and values in words, before there is a sum."""
        told = [f"{name}: {fixed(w)} times ({', '.join(fixed(x, self.digits) for x in row)})"
                for name, w, row in zip(self.names, self.weights, self.value)]
        return f"Each value is multiplied by its weight. {'; '.join(told)}."

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

    `left` and `right` (d,) are drawn as a query and as a key; `names` are theirs.  Products and sum have two decimals.
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
