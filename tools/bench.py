"""Measure what may differ from machine to machine, and write it with the machine into data/measured/.

    python -m tools.bench [speed] [loops] [scores] [cost] [recurrence] [learner] [chapters [slugs of some]]

Times are never part of a compared output: a page that shows one says that it was measured and takes it from there.
All contenders of a comparison run round after round, so that a ratio compares like with like.
"""

import itertools
import json
import math
import os
import platform
import random
import re
import subprocess
import sys
import time
import tracemalloc
from functools import partial
from pathlib import Path

import numpy as np
import torch
from torch import nn

from attnkit import (
    attention,
    attention_in_blocks,
    linear_attention,
    scores,
    window_attention,
)
from attnkit.modules import MultiHeadAttention
from bookkit.lessons.measured import results
from tools import notebooks
from website import toc

ROOT = Path(__file__).resolve().parent.parent
LENGTHS, HEADS, WIDTH = (128, 512, 2048), (1, 8), 64
SECONDS = 3.0         # for one comparison, at least three rounds
COST_LENGTHS, WINDOW, MOST_BYTES = [2**k for k in range(7, 15)], 128, 3e9
COST_PAIRS = (("attention", "window"), ("attention", "linear"), ("window", "linear"),
              ("attention", "attention in blocks"))
RECURRENCE_LENGTHS, RECURRENCE_WIDTH = [2**k for k in range(6, 13)], 64
RECURRENCE_PAIRS = [("attention", other) for other in ("RNN", "GRU", "convolution")]


# ---- what others write, written afresh

def three_lines(query, key, value):
    """Plain numpy: scores, softmax, average; without checks."""
    scores = query @ key.swapaxes(-1, -2) * (1 / math.sqrt(query.shape[-1]))
    shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = shares / shares.sum(axis=-1, keepdims=True)
    return weights @ value, weights


def tutorial(query, key, value):
    """Scaled dot-product attention as torch tutorials write it."""
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    weights = nn.functional.softmax(scores, dim=-1)
    return weights @ value, weights


def first_line(thing):
    """What a function or a module says of itself, for the file that it makes."""
    return thing.__doc__.splitlines()[0]


# ---- measuring

def milliseconds(**contenders):
    """The median time of each contender, run round after round."""
    for call in contenders.values():
        call()
    times, shuffled = {name: [] for name in contenders}, random.Random(0)
    start = time.perf_counter()
    while len(times[name := next(iter(times))]) < 3 or (
            time.perf_counter() - start < SECONDS and len(times[name]) < 500):
        # In another order each round: who always came after the one that fills the caches would pay for it.
        for name in shuffled.sample(list(contenders), len(contenders)):
            begin = time.perf_counter()
            contenders[name]()
            times[name].append(1000 * (time.perf_counter() - begin))
    return {name: round(float(np.median(found)), 4) for name, found in times.items()}


def megabytes(**contenders):
    """The most memory that each contender holds at once, what it is given left out."""
    peaks = {}
    for name, call in contenders.items():
        tracemalloc.start()
        call()
        peaks[name] = round(tracemalloc.get_traced_memory()[1] / 1e6, 2)
        tracemalloc.stop()
    return peaks


def crossing(lengths, one, other):
    """The length from which on the second of two measured lines is below the first; None if they end the other way.

    Between two lengths both lines are straight where both axes count in powers. A second line that is below from the
    start has its crossing at the first length or before it: then it is the first length.
    """
    above = [math.log(b / a) for a, b in zip(one, other)]
    if above[-1] >= 0:
        return None
    last = max((k for k, gap in enumerate(above) if gap >= 0), default=None)
    if last is None:
        return lengths[0]
    share = above[last] / (above[last] - above[last + 1])
    return round(lengths[last] ** (1 - share) * lengths[last + 1] ** share)


def crossings(rows, pairs):
    """Where the second of each pair becomes faster than the first, from rows with "n" and "ms"."""
    found = []
    for one, other in pairs:
        both = [(row["n"], row["ms"][one], row["ms"][other]) for row in rows if {one, other} <= set(row["ms"])]
        found.append({"from": one, "to": other, "n": crossing(*zip(*both))})
    return found


def with_gradients(call, *tensors):
    """A call, and the gradient of the sum of its output."""
    def run():
        for tensor in tensors:
            tensor.grad = None
        output = call()
        (output[0] if isinstance(output, tuple) else output).sum().backward()
    return run


def compare(heads, n):
    """Everything at one length and number of heads."""
    q, k, v = np.random.default_rng(0).normal(size=(3, heads, n, WIDTH)).astype("float32")
    in_numpy = {"attention": lambda: attention(q, k, v), "in blocks": lambda: attention_in_blocks(q, k, v),
                "three lines": lambda: three_lines(q, k, v)}
    yield "numpy", "ms", milliseconds(**in_numpy)
    yield "numpy", "MB", megabytes(**in_numpy)

    kernel = nn.functional.scaled_dot_product_attention
    tensors = [torch.from_numpy(a)[None].requires_grad_() for a in (q, k, v)]
    in_torch = {name: partial(call, *tensors) for name, call in (
        ("attention", attention), ("in blocks", attention_in_blocks), ("tutorial", tutorial), ("kernel", kernel))}
    with torch.no_grad():
        yield "torch", "ms", milliseconds(**in_torch)
    del in_torch["in blocks"]      # it is for reading, not for training
    yield "torch, with gradients", "ms", milliseconds(
        **{name: with_gradients(call, *tensors) for name, call in in_torch.items()})

    torch.manual_seed(0)
    x = torch.randn(1, n, WIDTH * heads)
    theirs = nn.MultiheadAttention(WIDTH * heads, heads, batch_first=True)
    ours = MultiHeadAttention.from_torch(theirs)
    in_layers = {"ours": lambda: ours(x), "theirs": lambda: theirs(x, x, x, average_attn_weights=False),
                 "theirs, no weights": lambda: theirs(x, x, x, need_weights=False)}
    difference = (in_layers["ours"]()[0] - in_layers["theirs"]()[0]).abs().max().item()
    assert difference < 1e-5, f"not the same thing is compared: {difference}"
    yield "heads, with gradients", "ms", milliseconds(
        **{name: with_gradients(call, *ours.parameters(), *theirs.parameters()) for name, call in in_layers.items()})


def machine():
    """What the figures belong to."""
    cpu = platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        cpu = re.search(r"model name\s*: (.*)", info.read_text() + "model name: ?")[1].strip() + f" ({cpu})"
    return {"processor": cpu, "cores": os.cpu_count(), "system": platform.system(),
            "python": platform.python_version(), "numpy": np.__version__, "torch": torch.__version__,
            "torch threads": torch.get_num_threads()}


def loops():
    """Items of 64 and of 512 numbers that attend to each other: pair by pair (a few), query by query, all at once."""
    found = []
    for width, n in itertools.product((64, 512), (16, 128, 1024)):
        x = np.random.default_rng(0).uniform(-1, 1, size=(n, width)) / math.sqrt(width)

        def pairs(x=x):
            """Every pair of items in a Python loop."""
            rows, columns, output = x.tolist(), x.T.tolist(), []
            for query in rows:
                shares = [math.exp(sum(a * b for a, b in zip(query, key))) for key in rows]
                total = sum(shares)
                output.append([sum(s * v for s, v in zip(shares, column)) / total for column in columns])
            return output

        def queries(x=x):
            """A Python loop over the queries; each meets all keys in one product."""
            output = np.empty_like(x)
            for j, query in enumerate(x):
                scores = x @ query
                shares = np.exp(scores - scores.max())
                output[j] = shares @ x / shares.sum()
            return output

        def matrix(x=x):
            """Everything in two products."""
            scores = x @ x.T
            shares = np.exp(scores - scores.max(axis=1, keepdims=True))
            return shares / shares.sum(axis=1, keepdims=True) @ x

        contenders = {"queries": queries, "matrix": matrix}
        if n * n * width < 2_000_000:                    # the others would take minutes
            contenders["pairs"] = pairs
        assert all(np.allclose(call(), matrix()) for call in contenders.values()), "not the same thing is compared"
        found.append({"width": width, "n": n, "ms": milliseconds(**contenders)})
    return {"dtype": "float64", "lengths": found}


def scored():
    """Every score of n queries and n keys, d numbers each: time and memory."""
    found, d = [], 64
    for n in (64, 256, 1024):
        rng = np.random.default_rng(0)
        q, k = rng.normal(size=(2, n, d)).astype("float32")
        w_query, w_key = rng.normal(size=(2, d, d)).astype("float32") / math.sqrt(d)
        v, bias = rng.normal(size=(2, d)).astype("float32")
        given = {"dot": (q, k), "scaled_dot": (q, k), "distance": (q, k), "cosine": (q, k), "general": (q, k, w_query),
                 "additive": (q, k, w_query, w_key, v, bias)}
        in_numpy = {name: partial(getattr(scores, name), *arrays) for name, arrays in given.items()}
        in_torch = {name: partial(getattr(scores, name), *map(torch.from_numpy, arrays))
                    for name, arrays in given.items()}
        with torch.no_grad():
            torch_ms = milliseconds(**in_torch)
        found.append({"n": n, "ms": milliseconds(**in_numpy), "torch ms": torch_ms, "MB": megabytes(**in_numpy)})
    return {"width": d, "hidden": d, "dtype": "float32", "lengths": found}


def at_length(n):
    """Each way to attend at one length: its time, beside that of torch's kernel, and its memory."""
    q, k, v = np.random.default_rng(0).normal(size=(3, n, WIDTH)).astype("float32")
    in_numpy = {"three lines": lambda: three_lines(q, k, v)[0], "attention": lambda: attention(q, k, v)[0],
                "attention in blocks": lambda: attention_in_blocks(q, k, v),
                "window": lambda: window_attention(q, k, v, window=WINDOW),
                "linear": lambda: linear_attention(q, k, v)}
    if 3 * q.itemsize * n * n > MOST_BYTES:       # scores, shares and weights at once
        del in_numpy["three lines"]
    tq, tk, tv = (torch.from_numpy(a)[None, None] for a in (q, k, v))
    in_torch = {"torch kernel": lambda: nn.functional.scaled_dot_product_attention(tq, tk, tv)}
    whole = in_numpy["attention"]()
    assert np.allclose(whole, in_numpy["attention in blocks"](), atol=1e-4), "not the same thing is compared"
    assert np.allclose(whole, in_torch["torch kernel"]().numpy(), atol=1e-4), "not the same thing is compared"
    return {"n": n, "ms": milliseconds(**in_numpy, **in_torch), "MB": megabytes(**in_numpy)}


def cost():
    """Time and memory against length, and where lines cross."""
    rows = []
    with torch.no_grad():
        for n in COST_LENGTHS:
            print(f"measuring n = {n}", flush=True)
            rows.append(at_length(n))
        return {"width": WIDTH, "window": WINDOW, "dtype": "float32", "lengths": rows,
                "crossings": crossings(rows, COST_PAIRS)}


class CausalAttention(nn.Module):
    """One head of causal attention with its four projections, by torch's kernel."""

    def __init__(self, width):
        super().__init__()
        self.roles, self.output = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x):
        """Items (b, n, d): output of the same shape."""
        query, key, value = self.roles(x).chunk(3, dim=-1)
        return self.output(nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True))


def recurrence():
    """One layer of each kind reads a sequence, forwards, without gradients."""
    torch.manual_seed(0)
    d, rows = RECURRENCE_WIDTH, []
    rnn, gru = nn.RNN(d, d, batch_first=True), nn.GRU(d, d, batch_first=True)
    attend, kernel_of_three = CausalAttention(d), nn.Conv1d(d, d, 3)
    with torch.no_grad():
        for n in RECURRENCE_LENGTHS:
            x = torch.randn(1, n, d)
            # The convolution sees an item and the two before it.
            calls = {"RNN": lambda x=x: rnn(x)[0], "GRU": lambda x=x: gru(x)[0],
                     "convolution": lambda x=x: kernel_of_three(nn.functional.pad(x.mT, (2, 0))).mT,
                     "attention": lambda x=x: attend(x)}
            assert all(call().shape == x.shape for call in calls.values()), "not the same thing is compared"
            rows.append({"n": n, "ms": milliseconds(**calls)})
    return {"width": d, "dtype": "float32", "lengths": rows, "crossings": crossings(rows, RECURRENCE_PAIRS)}


LEARNER = """const random = attnkit.seeds.uniform(attnkit.seeds.twister(1)), times = [];
const model = new attnkit.learner.Model({ words: 71, width: 32, heads: 4, layers: 2, hidden: 64, reach: 32 });
model.begin(random, attnkit.seeds.normal);
const adam = new attnkit.learner.Adam(model, { steps: 300, warmup: 4 });
for (let step = 0; step < 300; step++) {
  const four = [0, 1, 2, 3].map(() => attnkit.grammar.story(random).map((_, k) => k)), begin = process.cpuUsage();
  model.slopes(four), adam.next();
  times.push(process.cpuUsage(begin).user / 1000);
}
console.log(times.slice(100).sort((a, b) => a - b)[100]);"""


def learner():
    """A step of four stories as a page trains, in node, in milliseconds of one core; at most 20 are asked."""
    files = [ROOT / "bookkit" / "figures" / f"{name}.js" for name in ("core", "seeds", "grammar", "learner")]
    script = "\n".join(file.read_text(encoding="utf-8") for file in files) + LEARNER
    done = subprocess.run(["node", "--single-threaded"], input=script, capture_output=True, text=True, check=True)
    return {"ms": round(float(done.stdout), 1)}


def chapters(only=()):
    """How long each notebook runs, in seconds, the start of its kernel included."""
    known = results("bench", folder=ROOT)["chapters"]["seconds"] if only else {}
    seconds = {name: known[name] for name in toc.notebooks() if name in known}
    names = [name for name in toc.notebooks() if not only or toc.slug(name) in only]
    for k, name in enumerate(names, 1):
        print(f"[{k} of {len(names)}] running {name}", flush=True)
        start = time.perf_counter()
        notebooks.execute(ROOT / name)
        seconds[name] = round(time.perf_counter() - start, 1)
    return {"seconds": seconds}


def speed():
    """attnkit beside what others write, over lengths and heads."""
    rows = []
    for heads in HEADS:
        for n in LENGTHS:
            print(f"measuring n = {n}, heads = {heads}", flush=True)
            rows += [{"n": n, "heads": heads, "in": where, "unit": unit, "found": found}
                     for where, unit, found in compare(heads, n)]
    return {"dtype": "float32", "width of a head": WIDTH, "comparisons": rows}


PARTS = {"speed": speed, "loops": loops, "scores": scored, "cost": cost,
         "recurrence": recurrence, "learner": learner, "chapters": chapters}


def main():
    """Measure all parts, or those that are named, and write; the other parts stay as they were."""
    asked, only = sys.argv[1:], []
    if "chapters" in asked:      # what follows it are pages, one of which is called like a part
        at = asked.index("chapters") + 1
        asked, only = asked[:at], asked[at:]
    names = asked or list(PARTS)
    if unknown := set(names) - set(PARTS):
        sys.exit(f"there is no part {', '.join(unknown)}; there are {', '.join(PARTS)}")
    file = ROOT / "data" / "measured" / "bench.json"
    file.parent.mkdir(exist_ok=True)
    for k, name in enumerate(names, 1):
        print(f"[{k} of {len(names)}] {name}", flush=True)
        found = chapters(only) if name == "chapters" else PARTS[name]()
        measured = {"about": first_line(PARTS[name]), "command": "make bench", "machine": machine(), **found}
        result = (results("bench", folder=ROOT) if file.exists() else {}) | {name: measured}
        text = json.dumps({name: result[name] for name in PARTS if name in result}, indent=1)
        text = re.sub(r"\{[^{}]*\}", lambda m: re.sub(r"\s+", " ", m[0]), text)       # a line for each small thing
        file.write_text(text + "\n")       # after each part: the next one takes minutes, and may read it


if __name__ == "__main__":
    sys.exit(main())
