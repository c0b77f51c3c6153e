"""examples/transformer.py on the prose of this book: losses beside counting, samples, and more width, text and time."""

import contextlib
import importlib.util
import io
import math
import re
import tempfile
import time
from collections import Counter, defaultdict
from functools import lru_cache
from pathlib import Path

import torch

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SEEDS = (0, 1, 2)
BASE = {"width": 128, "layers": 2, "steps": 800}
OTHERS = [{"width": 48}, {"width": 320}, {"part": 0.1}, {"part": 0.33}, {"steps": 200}, {"steps": 3200},
          {"part": 0.1, "steps": 200}, {"part": 0.33, "steps": 200}, {"part": 0.33, "steps": 400}]     # stopped in time


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


def counting_well(seen, known, longest):
    """The chance of a piece after a past, a tuple of pieces, by counts of up to `longest` pieces in a row.

    Kneser and Ney's way, as Chen and Goodman (1999) changed it: each count is made smaller by a discount, and what
    is taken away is shared as a shorter past says.  A shorter past asks after how many different pieces one has come,
    not how often.
    """
    grams = {size: Counter(zip(*(seen[k:] for k in range(size)))) for size in range(1, longest + 1)}
    levels = {size: Counter(gram[1:] for gram in grams[size + 1]) for size in range(1, longest)} | {longest: grams[longest]}
    totals, left = Counter(), defaultdict(float)                     # by past
    taken = {}                                                       # discounts of counts 1, 2, and 3 or more
    for size, counts in levels.items():
        met = Counter(counts.values())
        share = met[1] / (met[1] + 2 * met[2])
        taken[size] = [0.0, *(k - (k + 1) * share * met[k + 1] / met[k] for k in (1, 2, 3))]
        for gram, count in counts.items():
            totals[gram[:-1]] += count
            left[gram[:-1]] += taken[size][min(count, 3)]

    @lru_cache(None)
    def chance(past, piece):
        past = past[max(0, len(past) - longest + 1):]
        shorter = chance(past[1:], piece) if past else 1 / known
        if past not in totals:
            return shorter
        size, count = len(past) + 1, levels[len(past) + 1][*past, piece]
        return (count - taken[size][min(count, 3)] + left[past] * shorter) / totals[past]

    return chance


def in_windows(chance, test, context=64, batches=40):
    """The loss of a way to count, asked at the places where `run` asks the model, and shown no more of the text."""
    losses = []
    for step in range(10**6, 10**6 + batches):
        starts = torch.randint(len(test) - context, (32, 1), generator=torch.Generator().manual_seed(step))
        for start in starts[:, 0].tolist():
            row = test[start:start + context + 1]
            losses += [-math.log(chance(tuple(row[max(0, k - 4):k]), row[k])) for k in range(1, context + 1)]
    return sum(losses) / len(losses)


def counted(part):
    """The loss of a letter in the last tenth, for somebody who counts well in a part of the text."""
    transformer, whole = program(), (EXAMPLES / "book.txt").read_text(encoding="utf-8")
    cut = len(whole) * 9 // 10
    learned = whole[:int(part * cut)] if part == 1 else whole[:int(part * cut) * 9 // 10]     # as `run` learns
    merges = transformer.learn_merges(learned, 1024)
    seen, test = (transformer.encode(text, merges) for text in (learned, whole[cut:]))
    chance = counting_well(seen, 256 + len(merges), 5)
    return {"kind": "counted", "part": part, "words": round(part * len(whole[:cut].split())),
            "a letter": round(in_windows(chance, test) * len(test) / len(whole[cut:]), 3)}


def guessing():
    """The loss of somebody who counts: pieces alone, after the last piece, after the last two; and letters; and well."""
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
            **{name: round(loss, 3) for name, loss in losses.items()}, "letters": round(alone / share, 3),
            **{f"counted well, {longest}": round(in_windows(counting_well(seen, known, longest), test), 3)
               for longest in (3, 5)}}     # so many pieces in a row


STAGES = [lambda _: [(guessing,), *((counted, part) for part in (0.1, 0.33, 1)), *((run, {"seed": seed}) for seed in SEEDS), *((run, other) for other in OTHERS)]]
