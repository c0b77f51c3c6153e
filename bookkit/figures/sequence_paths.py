"""A sequence to grow: by which connections an item reaches the last output, in networks of five kinds."""

import traitlets

from bookkit.figures.base import Count, Figure, OneOf, still_table
from bookkit.pictures.graphs import KINDS, MOST_ITEMS, Network, paths


class SequencePaths(Figure):
    """Grow a sequence and watch the path from an item to the last output, in a network of one of five kinds.

    All connections are pale, a shortest path is strong, and every node that hears of the item is marked. A table
    compares the five kinds: the steps on the path, the steps of which each must wait for the one before, and the
    connections. What is counted is said in `bookkit.pictures.graphs.Network`.

    `length` is the number of items, from 4 to 32; `network` is "recurrent", "convolution", "dilated", "attention" or
    "window"; `source` is the item whose path is drawn, counted from 1. In a sequence that is made shorter it is the
    last item at most.

    >>> figure = SequencePaths(16, "recurrent")
    >>> figure.compared["recurrent"]
    {'steps': 16, 'waits': 16, 'connections': 31}
    """

    kind = "sequence_paths"
    LEAST, MOST = 4, MOST_ITEMS
    NAMES = {"steps": "steps on the path", "waits": "steps that wait", "connections": "connections"}
    COUNTED = ("Steps on the path: from the chosen word to the last output. Steps that wait: each needs the result of "
               "the one before.")
    length = Count(LEAST, MOST, 16).tag(sync=True, reset=True)
    network = OneOf(*KINDS).tag(sync=True, reset=True)
    source = Count(1, MOST, 1).tag(sync=True, reset=True)

    def __init__(self, length=16, network="recurrent", source=1, caption=""):
        super().__init__(length=length, network=network, source=source, caption=caption)

    @traitlets.validate("source")
    def _check_source(self, proposal):
        if proposal["value"] > self.length:
            raise ValueError(f"source must be from 1 to {self.length}, the number of one of the items, "
                             f"got {proposal['value']}")
        return proposal["value"]

    @traitlets.observe("length")
    def _keep_source(self, change):
        self.source = min(self.source, self.length)

    @property
    def compared(self):
        """What is counted of each kind of network: ``{kind: {"steps": ..., "waits": ..., ...}}``."""
        networks = [Network(kind, self.length) for kind in KINDS]
        return {one.kind: {"steps": one.steps(self.source), "waits": one.waits, "connections": len(one.edges)}
                for one in networks}

    def still(self):
        """The network with the path, and the table of all five kinds."""
        rows = [[kind, *(f"{number:,}" for number in counted.values())] for kind, counted in self.compared.items()]
        return (paths(self.length, self.network, self.source).html() + still_table(["", *self.NAMES.values()], rows)
                + f"<p>{self.COUNTED}</p>")
