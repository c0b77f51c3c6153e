"""Which notebooks were executed here and found right, and have not changed since, nor anything that they are made from.

A note in _build holds a fingerprint for each.  A fresh clone has none.
"""

import hashlib
import json
import sys
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# What any notebook reads: the package and its data, what was measured, the book's lists, the versions of everything.
MADE_FROM = ("attnkit/**/*", "bookkit/**/*", "data/**/*", "website/*.py", "_toc.yml", "*.lock", "pyproject.toml")


def fingerprints(names, root=ROOT):
    """A hash of each notebook, outputs and all, and of what notebooks are made from."""
    around = hashlib.sha256(f"{sys.version} {version('torch')}".encode())
    for path in sorted({path for pattern in MADE_FROM for path in root.glob(pattern)}):
        if path.is_file() and "__pycache__" not in path.parts:
            around.update(f"{path.relative_to(root)}\0".encode() + path.read_bytes())
    return {name: hashlib.sha256(around.digest() + (root / name).read_bytes()).hexdigest() for name in names}


def cells(name, root=ROOT):
    """How many cells of code a notebook has."""
    return sum(cell["cell_type"] == "code" for cell in json.loads((root / name).read_text(encoding="utf-8"))["cells"])


def note(root=ROOT):
    """Where it is written down."""
    return root / "_build" / "executed.json"


def remembered(root=ROOT):
    """The note: the fingerprint that each notebook had when it was right."""
    return json.loads(note(root).read_text()) if note(root).exists() else {}


def known(names, root=ROOT):
    """Those of the notebooks that were right here as they are now."""
    return {name for name, found in (fingerprints(names, root).items() & remembered(root).items())}


def remember(right, root=ROOT):
    """Add notebooks that were right, with their fingerprints."""
    if right:
        note(root).parent.mkdir(exist_ok=True)
        note(root).write_text(json.dumps(remembered(root) | right, indent=1, sort_keys=True) + "\n")
