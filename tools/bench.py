"""Measure what may differ from machine to machine, and write it with the machine into measured/.

    python tools/bench.py

Times are never part of a compared output: a page that shows one says that it was measured and takes it from there.
"""

import json
import os
import platform
import sys
import time
from pathlib import Path

import notebooks
import numpy as np

from attnkit import attention

ROOT = Path(__file__).resolve().parent.parent


def three_lines(query, key, value):
    """What a tutorial shows, without checks, masks or care for large scores."""
    scores = np.exp(query @ key.T / np.sqrt(query.shape[-1]))
    weights = scores / scores.sum(axis=-1, keepdims=True)
    return weights @ value, weights


def median_ms(function, *args, repeats=9):
    """The median time of a call, in milliseconds."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function(*args)
        times.append(1000 * (time.perf_counter() - start))
    return sorted(times)[repeats // 2]


def main():
    """Measure and write."""
    rng = np.random.default_rng(0)
    ratios = {}
    for n in (128, 512, 2048):
        arrays = rng.normal(size=(3, n, 64))
        ratios[n] = round(median_ms(attention, *arrays) / median_ms(three_lines, *arrays), 2)
    seconds = {}
    for name in notebooks.book():
        start = time.perf_counter()
        notebooks.execute(ROOT / name)
        seconds[name] = round(time.perf_counter() - start, 1)
    machine = {"processor": platform.machine(), "system": platform.system(), "python": platform.python_version(),
               "numpy": np.__version__, "cores": os.cpu_count()}
    result = {"command": "make bench", "machine": machine,
              "attention / three lines of numpy, time, d = 64, by n": ratios,
              "seconds to run, kernel start included": seconds}
    folder = ROOT / "measured"
    folder.mkdir(exist_ok=True)
    (folder / "bench.json").write_text(json.dumps(result, indent=1) + "\n")
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    sys.exit(main())
