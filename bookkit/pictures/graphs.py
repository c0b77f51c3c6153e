"""Networks over a sequence, and the chain rule: which ways lead from one thing to another.

Networks are read upwards: the items stand at the bottom, in level 0, each layer is a level above, and the outputs stand
at the top.
"""

import math

from bookkit.pictures import palette
from bookkit.pictures.blocks import arrow, box
from bookkit.pictures.formats import fixed
from bookkit.pictures.metrics import text_width
from bookkit.pictures.picture import Picture, Svg
from bookkit.pictures.shapes import LABEL, as_array, check_names, check_within, text

INK, QUIET, PAGE, VALUE = (palette.var(c) for c in ("ink", "quiet", "page", "value"))
KINDS = ("recurrent", "convolution", "dilated", "attention", "window")
MOST_ITEMS = 32
FEW_LINES = 200                  # more are paler
APART = 76                       # from number to number in a chain


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


# ---- the chain rule: from one number through others to the last

def chain(factors, names):
    """Draw the chain rule: numbers in a row, and on each line how far a push of one moves the next.

    `names` are one more than `factors`.

    >>> chain([2, -3], ["a", "b", "loss"]).alt
    'From a to b × 2.00, from b to loss × −3.00. Together × −6.00.'
    """
    factors, x, body, told = as_array(factors, "factors"), 2, [], []
    check_names("names", names, len(factors) + 1, "one more than factors")
    for k, name in enumerate(names):
        wide = math.ceil(text_width(name)) + 16
        if k:
            said = f"× {fixed(factors[k - 1])}"
            told.append(f"from {names[k - 1]} to {name} {said}")
            body += [arrow((x, 39), (x + APART, 39)), text(x + APART / 2, 30, said, INK)]
            x += APART
        body.append(box(x + wide / 2, 24, wide, 30, name))
        x += wide
    alt = f"F{', '.join(told)[1:]}. Together × {fixed(math.prod(factors))}."
    return Picture(Svg("".join(body), x + 2, 60, alt))
