"""Change the package's core in thousands of small ways, one at a time, and see whether a test notices.

    python -m tools.mutants

mutmut makes the changes (`<` to `<=`, 1 to 2, a name to None ...), in a copy
under _build/mutants, and runs the tests that reach each. A change that no test
notices is either a test that is missing or a change that changes nothing; those
are listed with the reason in tests/equivalent_mutants.yml. Any other survivor is
printed, and the command fails.
"""

import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent
COPY = ROOT / "_build" / "mutants"
TOOL = ROOT / "_build" / "mutmut"
VERSION = "mutmut==3.8.1"


def mutmut(*arguments, capture=False):
    """Run mutmut in the copy."""
    env = {**os.environ, "PYTHONPATH": str(TOOL), "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
    done = subprocess.run([sys.executable, "-m", "mutmut", *arguments], cwd=COPY, env=env, text=True,
                          capture_output=capture)
    if done.returncode:
        sys.exit(f"mutmut {arguments[0]} failed{(': ' + done.stderr[-2000:]) if capture else ''}")
    return done.stdout


def change(name):
    """The lines that a mutant takes away and puts in."""
    lines = re.findall(r"^([-+])(?![-+]{2})\s*(.*?)\s*$", mutmut("show", name, capture=True), flags=re.M)
    return tuple(" ".join(text for sign, text in lines if sign == wanted) for wanted in "-+")


def main():
    """Make the copy, run, and compare the survivors with the list."""
    if not TOOL.exists():
        subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--target", TOOL, VERSION], check=True)
    shutil.rmtree(COPY, ignore_errors=True)
    for name in ("attnkit", "bookkit", "website", "tests", "tools", "data"):
        shutil.copytree(ROOT / name, COPY / name, ignore=shutil.ignore_patterns("node_modules", "__pycache__"))
    for name in ("pyproject.toml", "_toc.yml"):
        shutil.copy(ROOT / name, COPY)
    mutmut("run", "--max-children", str(os.cpu_count()))

    found = dict(re.findall(r"^\s*(\S+): (.+)$", mutmut("results", "--all", "true", capture=True), flags=re.M))
    explained = {(entry["in"], entry.get("from"), entry["to"]) for entry in yaml.safe_load(
        (ROOT / "tests" / "equivalent_mutants.yml").read_text())}
    survivors = []
    for name in (name for name, verdict in found.items() if verdict not in ("killed", "timeout")):
        function = re.sub(r"\.x_|\.xǁ|ǁ", ".", name.split("__mutmut_")[0])
        survivors.append((function, *change(name)))
    unexplained = [survivor for survivor in survivors if survivor not in explained]
    for function, before, after in unexplained:
        print(f"\nin {function}\n  - {before}\n  + {after}")
    stale = explained - set(survivors)
    for function, before, after in sorted(stale):
        print(f"\nno longer a survivor, take it off the list: in {function}\n  - {before}\n  + {after}")
    print(f"\n{len(found)} mutants: {dict(Counter(found.values()))}; survivors explained: "
          f"{len(survivors) - len(unexplained)}, not explained: {len(unexplained)}")
    sys.exit(1 if unexplained or stale else 0)


if __name__ == "__main__":
    main()
