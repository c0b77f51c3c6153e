"""Which notebooks were executed here and found right, and have not changed since, nor anything that they are made from.

What a notebook is made from is seen while it runs: every module of the book that its kernel has imported and every
file of the book that it has opened, however far down.  A note in _build holds their hashes, and that of the
notebook's own cells of code; its words may change.  A fresh clone has none.
"""

import hashlib
import json
import os
import sys
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# No part of the book: what is made, what the lock says, what belongs to git.
APART = {"_build", ".venv", ".git", "node_modules", "__pycache__", ".ipynb_checkpoints"}
# A figure's script and style reach a notebook only where it is read live (tests/test_live.py): no output holds them.
LIVE = {".js", ".css"}

# What a kernel does, without a trace in the notebook's own names: first this ...
WATCH = """exec('''
import os, sys
sys.opened_for_the_book = opened = set()
def watch(event, args):
    if event == "open" and isinstance(args[0], (str, os.PathLike)):
        opened.add(os.path.abspath(args[0]))
    elif event == "os.scandir" and isinstance(args[0], (str, os.PathLike)):
        opened.add(os.path.join(os.path.abspath(args[0]), ""))
sys.addaudithook(watch)
''', {})"""
# ... and in the end this: write down which files these were.
TELL = """exec('''
import json, sys
modules = [getattr(module, "__file__", None) for module in list(sys.modules.values())]
with open({file!r}, "w") as told:
    json.dump(sorted(sys.opened_for_the_book.union(filter(None, modules))), told)
''', {{}})"""


def around(root=ROOT):
    """What every notebook is made from: this Python, and the packages of the lock."""
    lock = (root / "requirements.lock").read_bytes()
    return hashlib.sha256(f"{sys.version} {version('torch')}".encode() + lock).hexdigest()


def own(paths, root=ROOT):
    """Those of some paths that belong to the book, by their names in it; a folder that was listed ends in a slash."""
    found = set()
    for path in paths:
        if Path(path).is_relative_to(root):
            name = Path(path).relative_to(root)
            if not APART & set(name.parts) and name.suffix not in LIVE and name.parts:
                found.add(name.as_posix() + "/" * path.endswith("/"))
    return found


def hashed(name, root=ROOT):
    """The hash of a file, or of what lies in a folder; None if there is nothing."""
    path = root / name
    if path.is_dir():
        what = "\n".join(sorted(p.name for p in path.iterdir() if p.name not in APART)).encode()
    elif path.is_file():
        what = path.read_bytes()
    else:
        return None
    return hashlib.sha256(what).hexdigest()


def fingerprint(name, root=ROOT):
    """The hash of a notebook's cells of code, with what they show."""
    code = [(cell["source"], cell["outputs"]) for cell in cells(name, root)]
    return hashlib.sha256(json.dumps(code).encode()).hexdigest()


def cells(name, root=ROOT):
    """The cells of code of a notebook."""
    read = json.loads((root / name).read_text(encoding="utf-8"))["cells"]
    return [cell for cell in read if cell["cell_type"] == "code"]


def snapshot(names, root=ROOT):
    """What the notebooks, and all files and folders that they could be made from, are now."""
    paths = []
    for folder, inner, files in os.walk(root, followlinks=True):
        inner[:] = set(inner) - APART
        paths += [os.path.join(folder, ""), *(os.path.join(folder, file) for file in files)]
    found = {name: hashed(name, root) for name in own(paths, root)}
    return found | {("cells", name): fingerprint(name, root) for name in names}


def note(root=ROOT):
    """Where it is written down."""
    return root / "_build" / "right.json"


def remembered(root=ROOT):
    """The note: what each notebook was made from when it was right."""
    return json.loads(note(root).read_text()) if note(root).exists() else {}


def known(names, root=ROOT):
    """Those of the notebooks that were right here as they are now, made from what is here now."""
    kept, this, seen = remembered(root), around(root), {}

    def same(entry):
        for name, was in entry["files"].items():
            if name not in seen:
                seen[name] = hashed(name, root)
            if seen[name] != was:
                return False
        return True
    return {name for name in names if name in kept and kept[name]["around"] == this
            and kept[name]["cells"] == fingerprint(name, root) and same(kept[name])}


def remember(made, before, root=ROOT):
    """Add notebooks that were right, with the files each was made from, unless one has changed since `before`."""
    kept = remembered(root)
    for name, paths in made.items():
        files = {path: hashed(path, root) for path in sorted(own(paths, root) - {name})}
        now = files | {("cells", name): fingerprint(name, root)}
        if all(before.get(path) == found for path, found in now.items()):
            kept[name] = {"around": around(root), "cells": now["cells", name], "files": files}
    note(root).parent.mkdir(exist_ok=True)
    note(root).write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n")
