"""examples/transformer.py on the prose of this book: losses beside guessing, samples, and more width, text and time."""

import contextlib
import importlib.util
import io
import math
import re
import tempfile
import time
from collections import Counter
from pathlib import Path

import torch

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
SEEDS = (0, 1, 2)
BASE = {"width": 128, "layers": 2, "steps": 800}
OTHERS = [{"width": 48}, {"width": 320}, {"part": 0.1}, {"part": 0.33}, {"steps": 200}, {"steps": 3200}]


def program():
    """examples/transformer.py, as a module."""
    spec = importlib.util.spec_from_file_location("transformer", EXAMPLES / "transformer.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(other):
    """Run the program on the book, or on its first part, with something other than in `BASE`.

    The loss of a letter is that of the same last tenth always.
    """
    transformer, whole = program(), (EXAMPLES / "book.txt").read_text(encoding="utf-8")
    cut = len(whole) * 9 // 10
    options = BASE | other
    seed, part = options.pop("seed", 0), options.pop("part", 1)
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as told:
        path = Path(folder) / "book.txt"
        path.write_text(whole if part == 1 else whole[:int(part * cut)], encoding="utf-8")
        start = time.process_time()
        transformer.main([str(path), "--minutes", "600", "--seed", str(seed)]
                         + [part for name, value in options.items() for part in (f"--{name}", str(value))])
        seconds = time.process_time() - start
        kept = torch.load(path.with_suffix(".pt"))
        merges, *_ = transformer.read(path, 1024, 64)
    model = transformer.Transformer(*kept["sizes"])
    model.load_state_dict(kept["model"])
    test = torch.tensor(transformer.encode(whole[cut:], merges))
    with torch.no_grad():
        loss = float(transformer.loss_of(model, test, range(10**6, 10**6 + 40)))
    said = told.getvalue()
    steps = [(int(step), float(found)) for step, found in re.findall(r"step (\d+), loss ([\d.]+)", said)]
    return {"kind": "model", "seed": seed, "part": part, "words": round(part * len(whole[:cut].split())), **options,
            "seconds": round(seconds), "parameters": sum(p.numel() for p in model.parameters()),
            "first loss": float(re.search(r"first loss ([\d.]+)", said)[1]), "loss": round(loss, 3),
            "a letter": round(loss * len(test) / len(whole[cut:]), 3),
            "curve": [[step, found] for step, found in steps if step in (1, 2, 5, 10, 20, 50) or step % 100 == 0],
            "samples": re.split(r"^--- ", said, flags=re.M)[1:] if options == BASE and part == 1 else []}


def guessing():
    """The loss of somebody who counts: pieces alone, after the last piece, after the last two; and letters."""
    transformer, whole = program(), (EXAMPLES / "book.txt").read_text(encoding="utf-8")
    cut = len(whole) * 9 // 10
    merges = transformer.learn_merges(whole[:cut], 1024)
    seen, test = (transformer.encode(part, merges) for part in (whole[:cut], whole[cut:]))
    one, two, three = (Counter(zip(*(seen[k:] for k in range(size)))) for size in (1, 2, 3))
    known = 256 + len(merges)

    def chance(*past, piece):
        """Counts, helped out by those after a shorter past."""
        if not past:
            return (one[piece,] + 1) / (len(seen) + known)
        counts, before = (two, one) if len(past) == 1 else (three, two)
        return (counts[*past, piece] + 5 * chance(*past[1:], piece=piece)) / (before[past] + 5)

    places = range(2, len(test))
    losses = {name: -sum(math.log(chance(*test[k - size:k], piece=test[k])) for k in places) / len(places)
              for size, name in enumerate(("pieces", "last piece", "last two"))}
    letters = Counter(whole[:cut])
    alone = -sum(math.log((letters[x] + 1) / (cut + len(letters))) for x in whole[cut:]) / len(whole[cut:])
    share = len(test) / len(whole[cut:])
    return {"kind": "guessing", "pieces a letter": round(share, 4), "words": len(whole[:cut].split()),
            **{name: round(loss, 3) for name, loss in losses.items()}, "letters": round(alone / share, 3)}


STAGES = [lambda _: [(guessing,), *((run, {"seed": seed}) for seed in SEEDS), *((run, other) for other in OTHERS)]]
