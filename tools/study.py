"""Train the chapters' models over ten seeds and write what came out into measured/, with the command and the machine.

    python tools/study.py [translation]

Seeds are fixed here, before anything was run with them; every run is written down, the bad ones too. Two models
train at a time, one core each.
"""

import json
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import torch
from bench import machine

from attnkit import studies
from attnkit.corpora import english_french

ROOT = Path(__file__).resolve().parent.parent
SEEDS = range(4000, 4010)
TRANSLATORS = {     # what the table calls it: the class and its options
    "additive": ("Translator", {}),
    "dot": ("Translator", {"score": "dot"}),
    "states only": ("StatesOnly", {}),
    "one direction": ("OneDirection", {}),
    "states of one width": ("Translator", {"states": (11, 11)}),
    "knows before": ("KnowsBefore", {}),
    "looks later": ("LooksLater", {}),
    "fixed vector": ("FixedVector", {}),
    "state alone": ("StateAlone", {}),
    "position alone": ("PositionAlone", {}),
}


def translator(name, seed):
    """One model trained and examined."""
    torch.set_num_threads(1)
    lessons = studies.Lessons(*english_french())
    make, options = TRANSLATORS[name]
    start = time.perf_counter()
    model = lessons.train(seed, getattr(studies, make), **options)
    seconds = time.perf_counter() - start
    result, first = lessons.examine(model), lessons.held_out[0]
    [weights] = lessons.weights(model, [first])
    lengths = {}
    for pair in lessons.held_out:
        lengths.setdefault(len(pair.english), []).append(pair)
    return {"model": name, "seed": seed, "seconds": round(seconds, 1), "exact": round(result.exact, 4),
            "aer": round(result.aer, 4), "strict": round(result.strict, 4),
            "says": " ".join(lessons.translate(model, first.english)[0]),
            "matrix": [[round(float(w), 3) for w in row] for row in weights],
            "by length": {n: round(lessons.examine(model, pairs).exact, 3) for n, pairs in sorted(lengths.items())}}


def translation():
    """Every kind of translator with every seed."""
    jobs = [(name, seed) for name in TRANSLATORS for seed in SEEDS]
    runs = []
    with ProcessPoolExecutor(2) as pool:
        for run in pool.map(translator, *zip(*jobs)):
            print(run, flush=True)
            runs.append(run)
    return runs


STUDIES = {"translation": translation}


def main():
    """Run all studies, or those that are named."""
    names = sys.argv[1:] or list(STUDIES)
    if unknown := set(names) - set(STUDIES):
        sys.exit(f"there is no study {', '.join(unknown)}; there are {', '.join(STUDIES)}")
    for name in names:
        runs = STUDIES[name]()
        about = {"command": "make study", "machine": machine()}
        text = ",\n  ".join(json.dumps(run, ensure_ascii=False) for run in runs)
        head = json.dumps(about, ensure_ascii=False)[1:-1]
        (ROOT / "measured" / f"{name}.json").write_text(f'{{{head},\n "runs": [\n  {text}\n ]}}\n', encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
