"""Execute every notebook again as other machines would, and build the site twice: is every byte the same?

    python -m tools.reproduce [notebook ...]

Once as it is committed, once with two threads, once without the vector instructions that processors differ in.
"""

import filecmp
import os
import platform
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path

from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

from tools import book
from website import toc

ROOT = Path(__file__).resolve().parent.parent
OTHER = {"ATEN_CPU_CAPABILITY": "default",
         "NPY_DISABLE_CPU_FEATURES": " ".join(name for name in __cpu_dispatch__ if __cpu_features__.get(name))}
if platform.machine() in ("x86_64", "AMD64"):
    OTHER["OPENBLAS_CORETYPE"] = "Nehalem"
WAYS = {"again": {}, "two threads": {"OMP_NUM_THREADS": "2"}, "another processor": OTHER}


def execute(way, name, folder):
    """Execute one notebook in one way; None if no byte differs, else what does."""
    into = Path(folder) / way.replace(" ", "-")
    command = [sys.executable, "-m", "tools.notebooks", "--into", into, name]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True,
                          env={**os.environ, "OMP_NUM_THREADS": "1", **WAYS[way]})
    if done.returncode:
        return done.stdout[-2000:] + done.stderr[-2000:]
    ours, theirs = ((base / name).read_text().splitlines() for base in (ROOT, into))
    if ours != theirs:
        k = next((k for k, pair in enumerate(zip(ours, theirs)) if pair[0] != pair[1]), min(len(ours), len(theirs)))
        at = next((i for i, (a, b) in enumerate(zip(ours[k], theirs[k])) if a != b), 0)
        return f"line {k + 1}: {ours[k][max(0, at - 60):at + 60]!r} became {theirs[k][max(0, at - 60):at + 60]!r}"
    return None


def build(seed, folder):
    """Build the site into a folder."""
    subprocess.run([*book.BUILD, "--path-output", folder], cwd=ROOT, check=True, capture_output=True,
                   env={**os.environ, "PYTHONHASHSEED": str(seed)})
    return Path(folder) / "_build" / "html"


def files(site):
    """Everything in the site but the builder's own notes."""
    return {p.relative_to(site) for p in site.rglob("*") if p.is_file() and p.name != ".buildinfo"}


def main():
    """Run every job, two at a time, and say how far it is."""
    jobs = list(product(WAYS, sys.argv[1:] or toc.notebooks()))
    bad = 0
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        for k, (job, found) in enumerate(zip(jobs, pool.map(lambda job: execute(*job, folder), jobs)), 1):
            bad += found is not None
            print(f"[{k} of {len(jobs)}] {job[1]}, {job[0]}: {found or 'the same'}", flush=True)
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two, ThreadPoolExecutor(2) as pool:
        first, second = pool.map(build, (0, 1), (one, two))
        same = files(first) == files(second)
        differ = [str(name) for name in sorted(files(first) & files(second))
                  if not filecmp.cmp(first / name, second / name, shallow=False)]
        bad += bool(differ) or not same
        print(f"the site built twice: {', '.join(differ) or ('the same' if same else 'not the same files')}")
    print(f"{bad} differences" if bad else "every byte is the same")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
