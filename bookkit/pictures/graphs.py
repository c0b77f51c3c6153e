"""Networks over a sequence, and the chain rule: which ways lead from one thing to another.

Networks are read upwards: the items stand at the bottom, in level 0, each layer is a level above, and the outputs stand
at the top.
"""

import math

import numpy as np

from bookkit.pictures import palette
from bookkit.pictures.formats import fixed
from bookkit.pictures.metrics import text_width
from bookkit.pictures.picture import Picture, Svg
from bookkit.pictures.shapes import LABEL, as_array, check_names, check_within, fill, text

INK, QUIET, PAGE, VALUE = (palette.var(c) for c in ("ink", "quiet", "page", "value"))
KINDS = ("recurrent", "convolution", "dilated", "attention", "window")
MOST_ITEMS = 32
FEW_LINES = 200                  # more are paler


# ---- networks over a sequence

class Network:
    """The connections of a network over a sequence, in as many layers as the last output needs to hear the first item.

    Of the `n` items, from 2 to 32, each node of kind "recurrent" reads its item and the state before it; of a
    "convolution" itself and the two before it, one level below; "dilated", itself and one before it, 1, 2, 4, ...
    places back; "attention", itself and all before it, as in a model that writes; "window", itself and the three before
    it.

    Node k stands at place k % n, counted from 0, of level k // n.  `layers` is the number of levels above the items.
    `edges` are the connections: ``(a, b)`` says that node b reads node a.  They are in the order of b, then of a: what
    is read was computed before.  `waits` is the number of operations that must come one after another: the states of a
    recurrent network, else the layers.  Vaswani et al. (2017), section 4, compares the lengths of such paths.

    >>> network = Network("dilated", 16)
    >>> network.layers, network.waits, len(network.edges), network.steps(1)
    (4, 4, 113, 4)
    """

    def __init__(self, kind, n):
        if kind not in KINDS:
            raise ValueError(f"kind must be one of {', '.join(KINDS)}, got {kind!r}")
        if not 2 <= n <= MOST_ITEMS:
            raise ValueError(f"n must be from 2 to {MOST_ITEMS}, got {n}")
        self.kind, self.n, self.layers, self.edges = kind, n, 0, []
        hear = {0}
        while self.last not in hear:
            self.layers += 1
            for node in range(self.layers * n, self.layers * n + n):
                reads = self._reads(node)
                self.edges += [(other, node) for other in reads]
                hear |= {node} if hear.intersection(reads) else set()
        self.waits = n if kind == "recurrent" else self.layers

    @property
    def last(self):
        """The node of the last output."""
        return self.layers * self.n + self.n - 1

    def _reads(self, node):
        """The nodes that a node reads, in their order."""
        level, place = divmod(node, self.n)
        below = node - self.n
        if self.kind == "recurrent":
            return [below, node - 1] if place else [below]
        if self.kind == "attention":
            return range(below - place, below + 1)
        back = {"convolution": (2, 1, 0), "dilated": (2 ** (level - 1), 0), "window": (3, 2, 1, 0)}[self.kind]
        return [below - k for k in back if k <= place]

    def distances(self, source):
        """How many connections lead from an item, counted from 1, to each node that it reaches: ``{node: number}``."""
        check_within("source", source, 1, self.n, "items")
        out = {}
        for a, b in self.edges:
            out.setdefault(a, []).append(b)
        far, queue = {source - 1: 0}, [source - 1]
        for node in queue:                                     # breadth first: the queue grows while it is read
            for other in out.get(node, ()):
                if other not in far:
                    far[other] = far[node] + 1
                    queue.append(other)
        return far

    def steps(self, source):
        """The connections on a shortest path from an item, counted from 1, to the last output."""
        return self.distances(source)[self.last]

    def path(self, source):
        """The nodes on a shortest path from an item to the last output: of several, the one that goes far first."""
        far, path = self.distances(source), [self.last]
        for a, b in reversed(self.edges):
            if b == path[0] and far.get(a) == far[b] - 1:
                path.insert(0, a)
        return path

    def heard(self, source):
        """At how many places of each layer an item is heard."""
        far = self.distances(source)
        return [sum(node // self.n == level for node in far) for level in range(1, self.layers + 1)]


def paths(n, kind, source=1, *, ends=None):
    """Draw a `Network` over n items and a shortest path by which item `source`, from 1, reaches the last output.

    All connections are drawn pale, those of the path strong; whatever the item reaches is marked.  `ends` are two words
    that stand in the place of the numbers, below item `source` and below the last one.

    >>> paths(10, "attention", ends=("keys", "house")).alt.split(". ")[-1]
    'The items 1 and 10 are keys and house.'
    """
    if ends is not None:
        check_names("ends", ends, 2, "the item and the last one")
    return Picture(_Ways(Network(kind, n), source, ends).drawing())


def _many(number, thing):
    """A number of things in words: 1 step, 1,488 connections."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


class _Ways:
    """A network with the path of one item: levels upwards, places to the right."""

    TOP = 40                          # the highest level, below the title

    def __init__(self, network, source, ends):
        self.network, self.source, self.ends, n = network, source, ends, network.n
        self.pitch = max(20, min(20 if ends else 26, 400 // n))
        first, last = ends or (source, n)
        self.said = f"{first} to {last} in {_many(network.steps(source), 'step')}"
        row = (n - 1) * self.pitch + max([self.pitch, *(math.ceil(text_width(word, bold=True)) for word in ends or [])])
        self.width = math.ceil(max(row, text_width(self.said), text_width(network.kind, LABEL, True)) + 4)
        self.left = (self.width - (n - 1) * self.pitch) / 2
        self.high = max(140, 18 * network.layers)

    def at(self, node):
        """Where a node stands, as SVG writes it."""
        level, place = divmod(node, self.network.n)
        return f"{self.left + place * self.pitch:g} {self.TOP + self.high * (1 - level / self.network.layers):.4g}"

    def drawing(self):
        """The connections, the nodes over them, the words."""
        network, path, far = self.network, self.network.path(self.source), self.network.distances(self.source)
        lines, deaf = network.edges, [k for k in range(network.last + 1) if k not in far]
        body = [self._lines(lines, QUIET, 1, .4 if len(lines) <= FEW_LINES else .2),
                self._dots(deaf, QUIET, 5, 1), self._dots(far, PAGE, 9, 1), self._dots(far, VALUE, 9, .45),
                self._lines(zip(path, path[1:]), VALUE, 3.5, 1), self._dots(path, VALUE, 10, 1),
                text(self.width / 2, 18, network.kind, INK, size=LABEL, bold=True), *self._numbers(),
                text(self.width / 2, self.TOP + self.high + 50, self.said, INK)]
        return Svg("".join(body), self.width, self.TOP + self.high + 58, self._told())

    def _lines(self, edges, colour, wide, opaque):
        lines = "".join(f"M{self.at(a)}L{self.at(b)}" for a, b in edges)
        return (f'<path d="{lines}" fill="none" stroke="{colour}" stroke-width="{wide}" stroke-opacity="{opaque}" '
                'stroke-linecap="round" stroke-linejoin="round"/>')

    def _dots(self, nodes, colour, wide, opaque):
        """Dots are lines without a length: hundreds of them are one element.

        Their round ends are a style, and no attribute, because a plot on the same page brings a rule against these.
        """
        dots = "".join(f"M{self.at(k)}h0.1" for k in sorted(nodes))
        return (f'<path d="{dots}" fill="none" stroke="{colour}" stroke-width="{wide}" stroke-opacity="{opaque}" '
                'style="stroke-linecap:round"/>')

    def _numbers(self):
        if self.ends:
            for place, word in zip((self.source - 1, self.network.n - 1), self.ends):
                yield text(self.left + place * self.pitch, self.TOP + self.high + 24, word, INK, bold=True)
            return
        for place in range(self.network.n):
            chosen = place + 1 in (self.source, self.network.n)
            yield text(self.left + place * self.pitch, self.TOP + self.high + 24, str(place + 1),
                       INK if chosen else QUIET, size=14, bold=chosen)

    def _told(self):
        network, heard = self.network, self.network.heard(self.source)
        places = f"at {', '.join(map(str, heard))} of {network.n} places"
        after = "" if network.layers == 1 else f", after layers 1 to {network.layers}"
        called = f" The items {self.source} and {network.n} are {self.ends[0]} and {self.ends[1]}." if self.ends else ""
        return (f"Network over {network.n} items, {network.kind}, with {_many(network.layers, 'layer')} and "
                f"{_many(len(network.edges), 'connection')}. From item {self.source} to the last output, {network.n}, "
                f"the shortest path takes {_many(network.steps(self.source), 'step')}. One after another: "
                f"{_many(network.waits, 'operation')}. Item {self.source} is heard {places}{after}.{called}")


# ---- the chain rule: from one number through several to another

def chain(into, out, names, *, ends=("number", "loss"), heads=("", "", "")):
    """Draw the chain rule: the ways from one number to another, each through one thing between them.

    A push of the first number moves thing i ``into[i]`` times as far, and what moves thing i moves the last number
    ``out[i]`` times as far, both of shape (n,), n from 2 to 8.  On each line stands its factor.  A way is as thick as
    the product of its two, and in the colour of its sign.  `ends` name the two numbers, and `heads` are written above
    the factors and the things.

    >>> chain([2, 1], [0.5, -3], ["a", "b"]).alt
    'From number to loss by 2 ways: a 2.00 times 0.50 is 1.00; b 1.00 times −3.00 is −3.00. The sum is −2.00.'
    """
    into, out, n = as_array(into, "into"), as_array(out, "out"), len(names)
    if not 2 <= n <= 8:
        raise ValueError(f"names must be 2 to 8, got {n}")
    if into.shape != (n,) or out.shape != (n,):
        raise ValueError(f"into and out must have shape {(n,)}, got {into.shape} and {out.shape}")
    check_names("names", names, n, "the things between")
    check_names("ends", ends, 2, "the two numbers")
    check_names("heads", heads, 3, "the factors and the things")
    return Picture(_Chain(into, out, list(names)).drawing(ends, heads))


def _line(a, b, colour, wide):
    return (f'<path d="M{a[0]:.4g} {a[1]:.4g}L{b[0]:.4g} {b[1]:.4g}" fill="none" stroke="{colour}" '
            f'stroke-width="{wide:.3g}" stroke-opacity="1" stroke-linecap="round"/>')


class _Chain:
    """The things in a column, the first number to its left, the last to its right, and a line for each factor."""

    PITCH, APART, DEEP = 44, 106, 30       # from thing to thing; the length of the lines, and of a box downwards

    def __init__(self, into, out, names):
        self.into, self.out, self.names, self.ways = into, out, names, into * out

    def drawing(self, ends, heads):
        """Lines first, then the boxes and the factors upon them."""
        left, between, right = (max(math.ceil(text_width(name)) for name in some) + 16
                                for some in ([ends[0]], self.names, [ends[1]]))
        top = 34 if any(heads) else 4
        edges = [2 + left, 2 + left + self.APART, 2 + left + self.APART + between, 2 + left + 2 * self.APART + between]
        heights = [top + self.PITCH * (i + .5) for i in range(len(self.names))]
        axis = sum(heights) / len(heights)
        lines, factors = [], []
        for i, y in enumerate(heights):
            colour, wide = fill(self.ways[i]), 1 + 7 * min(1, abs(self.ways[i]) / max(1e-9, np.abs(self.ways).max()))
            lines += [_line((edges[0], axis), (edges[1], y), colour, wide),
                      _line((edges[2], y), (edges[3], axis), colour, wide)]
            factors += [self._factor(edges[0] + .62 * self.APART, axis + .62 * (y - axis), self.into[i]),
                        self._factor(edges[3] - .62 * self.APART, axis + .62 * (y - axis), self.out[i])]
        boxes = [self._box(edges[0] - left, axis, left, ends[0]), self._box(edges[3], axis, right, ends[1])]
        boxes += [self._box(edges[1], y, between, name) for y, name in zip(heights, self.names)]
        middles = (edges[0] + .5 * self.APART, (edges[1] + edges[2]) / 2, edges[3] - .5 * self.APART)
        above = [text(x, 18, words, QUIET) for x, words in zip(middles, heads) if words]
        return Svg("".join([*lines, *boxes, *factors, *above]), edges[3] + right + 2, heights[-1] + self.PITCH / 2 + 4,
                   self._told(ends))

    def _box(self, x, y, wide, words):
        return (f'<rect x="{x:g}" y="{y - self.DEEP / 2:g}" width="{wide:g}" height="{self.DEEP}" rx="6" fill="{PAGE}" '
                f'stroke="{QUIET}" stroke-width="1.5"/>' + text(x + wide / 2, y + 5, words, INK))

    @staticmethod
    def _factor(x, y, number):
        words = f"× {fixed(number)}"
        wide = math.ceil(text_width(words)) + 4
        return (f'<rect x="{x - wide / 2:g}" y="{y - 9:g}" width="{wide:g}" height="18" fill="{PAGE}"/>'
                + text(x, y + 5, words, INK))

    def _told(self, ends):
        told = "; ".join(f"{name} {fixed(a)} times {fixed(b)} is {fixed(way)}"
                         for name, a, b, way in zip(self.names, self.into, self.out, self.ways))
        return f"From {ends[0]} to {ends[1]} by {len(self.names)} ways: {told}. The sum is {fixed(self.ways.sum())}."
