"""What one layer of attention costs: operations, memory and time, against the length, by four methods."""

from statistics import median

import traitlets

from attnkit import checks
from bookkit.figures.base import Figure, OneOf, one_each, one_of, still_table
from bookkit.pictures.formats import in_bytes, in_time, in_words

METHODS = ("whole", "blocks", "window", "linear")
SHARING = ("multi-head", "grouped-query", "multi-query")
KERNEL, HEAD = "torch kernel", 64      # measured beside the methods; the width of the head that is measured
BLOCK, ROWS = 512, 64                  # the block_size of attention_in_blocks and that of window_attention


# ---- the arithmetic: the script repeats it, and tests compare the two

def projection_operations(length, width):
    """Multiply-adds of the projections to queries, keys, values and outputs.

    >>> projection_operations(10, 100)
    400000
    """
    return 4 * length * width**2


def attention_operations(method, length, width, heads, window):
    """Multiply-adds of scores and blend; in a linear method, of writing into the memory and reading from it.

    A window is counted as if each query saw all of it, also at the two ends of the text.

    >>> [attention_operations(method, 10, 100, 4, window=2) for method in METHODS]
    [20000, 20000, 10000, 50000]
    """
    if method == "linear":
        return 2 * length * width * (width // heads)
    seen = min(length, 2 * window + 1) if method == "window" else length
    return 2 * length * seen * width


def weights_bytes(method, length, width, heads, window):
    """What is held at one time of the weights, as attnkit does it, with four bytes for a number.

    All of them; a block of them, head by head; in a window, those of 64 queries in every head; in a linear method, in
    place of weights, the memory of each head.

    >>> [weights_bytes(method, 1000, 100, 4, window=2) for method in METHODS]
    [16000000, 1048576, 69632, 10000]
    """
    numbers = {"whole": heads * length**2, "blocks": min(length, BLOCK)**2,
               "window": heads * min(length, ROWS) * min(length, ROWS + 2 * window),
               "linear": heads * (width // heads)**2}
    return 4 * numbers[method]


def cache_bytes(method, length, width, heads, kv_heads, window):
    """What is kept for the next word, with two bytes for a number.

    The keys and values of every word so far; in a window, those that the last word sees, its own and `window` before
    it; in a linear method, the memory of each key-value head.

    >>> [cache_bytes(method, 10, 100, 4, kv_heads=2, window=2) for method in METHODS]
    [2000, 2000, 600, 2500]
    """
    head = width // heads
    kept = min(length, window + 1) if method == "window" else length
    return 2 * kv_heads * (head**2 if method == "linear" else 2 * kept * head)


# ---- checks

class Power(traitlets.TraitType):
    """A trait that holds a power of two between two others."""

    def __init__(self, low, high):
        super().__init__(low)
        self.low, self.high = low, high

    def validate(self, obj, value):
        """Traitlets' hook."""
        value = checks.count(value, self.name)
        if not self.low <= value <= self.high or value & (value - 1):
            raise ValueError(f"{self.name} must be a power of two from {self.low:,} to {self.high:,}, got {value:,}")
        return value


def measurements(measured):
    """Measured times as plain data: lengths, and for each method as many numbers or None."""
    lengths, ms = list(measured["lengths"]), {}
    for method, times in measured["ms"].items():
        one_of(method, "a method of measured", (*METHODS, KERNEL))
        times = one_each(times, f"the times of {method}", lengths, "lengths")
        ms[method] = [None if time is None else float(time) for time in times]
    if not any(ms.get("whole", [])):
        raise ValueError("measured must hold a time of whole: the estimates are made from it")
    return {"lengths": lengths, "ms": ms}


# ---- the figure

class AttentionBill(Figure):
    """Choose length, width, heads and method; see operations and memory, and a measured time beside its estimate.

    Operations are multiply-adds of one layer without its MLP. The time is that of one head of width 64, without
    projections, on the machine that measured it; the estimate takes as many operations a millisecond as the method
    "whole" does in the median over the lengths that it was measured at.

    `length`, the words, is a power of two from 128 to 1,048,576, `width`, of a word's vector, one from 128 to 16,384,
    and `heads` one from 1 to 128, each of the width ``width / heads``. `method` is "whole" (all weights at once),
    "blocks" (of 512 queries and keys), "window" or "linear"; `sharing`, who shares keys and values in the cache,
    "multi-head" (no two heads), "grouped-query" (four heads) or "multi-query" (all heads). The chart shows
    "operations", "memory" or, where there are measured times, "time". `window`, to 4,096, is how far a query sees to
    either side. `measured` is ``{"lengths": [...], "ms": {method: [...]}}``: milliseconds, or None, by method at each
    length; also of "torch kernel". The window is that of the figure.

    >>> bill = AttentionBill(4096, 4096, 32, measured={"lengths": [512, 1024], "ms": {"whole": [1.5, 6.0]}})
    >>> bill.bill["operations"], bill.bill["weights"], bill.bill["cache"], bill.bill["estimate"]
    (412316860416, 2147483648, 67108864, 96.0)
    """

    kind = "attention_bill"
    window = traitlets.Int(256).tag(sync=True)
    measured = traitlets.Dict().tag(sync=True)
    length = Power(2**7, 2**20).tag(sync=True, reset=True)
    width = Power(2**7, 2**14).tag(sync=True, reset=True)
    heads = Power(1, 2**7).tag(sync=True, reset=True)
    method = OneOf(*METHODS).tag(sync=True, reset=True)
    sharing = OneOf(*SHARING).tag(sync=True, reset=True)
    shown = OneOf("operations", "memory", "time").tag(sync=True, reset=True)

    def __init__(self, length=4096, width=4096, heads=32, method="whole", *, sharing="multi-head", shown="operations",
                 window=256, measured=None, caption=""):
        if not 1 <= checks.count(window, "window") <= 4096:
            raise ValueError(f"window must be from 1 to 4,096, got {window:,}")
        super().__init__(window=window, measured=measurements(measured) if measured is not None else {}, length=length,
                         width=width, heads=heads, method=method, sharing=sharing, shown=shown, caption=caption)

    @traitlets.validate("shown")
    def _check_shown(self, proposal):
        if proposal["value"] == "time" and not self.measured:
            raise ValueError("shown cannot be time: there are no measured times")
        return proposal["value"]

    @property
    def kv_heads(self):
        """How many heads have keys and values of their own."""
        return {"multi-head": self.heads, "grouped-query": max(1, self.heads // 4), "multi-query": 1}[self.sharing]

    @property
    def bill(self):
        """What the chosen method costs: operations, bytes and milliseconds by name."""
        return self.of(self.method)

    def of(self, method):
        """The same of another method; None for a time that was not measured, or where none was."""
        sizes = self.length, self.width, self.heads
        projections = projection_operations(self.length, self.width)
        attention = attention_operations(method, *sizes, self.window)
        return {"projections": projections, "attention": attention, "operations": projections + attention,
                "weights": weights_bytes(method, *sizes, self.window),
                "cache": cache_bytes(method, *sizes, self.kv_heads, self.window),
                "measured": self.time(method, self.length), "estimate": self.estimate(method)}

    def time(self, method, length):
        """The milliseconds that were measured, or None."""
        if not self.measured or length not in self.measured["lengths"]:
            return None
        return dict(zip(self.measured["lengths"], self.measured["ms"].get(method, []))).get(length)

    def estimate(self, method):
        """The milliseconds that one head takes at the median speed of "whole", over all lengths it was measured at."""
        if not self.measured:
            return None
        speed = median(attention_operations("whole", n, HEAD, 1, self.window) / time
                       for n, time in zip(self.measured["lengths"], self.measured["ms"]["whole"]) if time)
        return attention_operations(method, self.length, HEAD, 1, self.window) / speed

    def still(self):
        """The bills of all four methods, and the measured times."""
        bills = [self.of(method) for method in METHODS]
        names = {"projections": ("projections, operations", in_words),
                 "attention": ("scores and blend, operations", in_words), "operations": ("operations in all", in_words),
                 "weights": ("weights held at one time", in_bytes),
                 "cache": (f"cache of {self.kv_heads} key-value heads", in_bytes)}
        if self.measured:
            names |= {"measured": (f"one head of width {HEAD}, measured", _timed), "estimate": ("estimated", _timed)}
        rows = [[name, *(write(bill[key]) for bill in bills)] for key, (name, write) in names.items()]
        head = f"n = {self.length:,}, d = {self.width:,}, {self.heads} heads, window of {self.window}"
        table = still_table([head, *METHODS], rows)
        if self.measured:
            table += still_table([f"one head of width {HEAD}, measured", *self.measured["ms"]],
                                 [[f"{n:,}", *(_timed(times[k]) for times in self.measured["ms"].values())]
                                  for k, n in enumerate(self.measured["lengths"])])
        return f'<div style="overflow-x:auto">{table}</div>'


def _timed(ms):
    return "not measured" if ms is None else in_time(ms)
