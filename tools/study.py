"""Train the chapters' models from several random starts and write what came out into data/measured/.

    python -m tools.study [study ...]

The studies are in bookkit/studies. Each file says what it is, which command made it and on which machine. Two
models train at a time, one core each.
"""

import json
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import torch

from bookkit.studies import STUDIES
from tools.bench import first_line, machine

ROOT = Path(__file__).resolve().parent.parent


def run_all(jobs):
    """Run the jobs, two at a time, and say what each came to."""
    with ProcessPoolExecutor(2, initializer=torch.set_num_threads, initargs=(1,)) as pool:
        for k, waiting in enumerate([pool.submit(*job) for job in jobs], 1):
            run = waiting.result()
            print(f"[{k} of {len(jobs)}] {run}", flush=True)
            yield run


def main():
    """Run all studies, or those that are named."""
    torch.set_num_threads(1)      # as in each worker: it is written down with the machine
    names = sys.argv[1:] or list(STUDIES)
    if unknown := set(names) - set(STUDIES):
        sys.exit(f"there is no study {', '.join(unknown)}; there are {', '.join(STUDIES)}")
    for name in names:
        runs = []
        for stage in STUDIES[name].STAGES:
            runs += run_all(stage(runs))
        head = {"about": first_line(STUDIES[name]), "command": "make study", "machine": machine()}
        text = ",\n  ".join(json.dumps(run, ensure_ascii=False) for run in runs)
        head = json.dumps(head, ensure_ascii=False)[1:-1]
        file = ROOT / "data" / "measured" / f"{name}.json"
        file.write_text(f'{{{head},\n "runs": [\n  {text}\n ]}}\n', encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
