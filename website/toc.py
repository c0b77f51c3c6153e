"""What the book is made of, read from _toc.yml in full: every list of pages and notebooks comes from here.

    python -m website.toc            the notebooks, in order
    python -m website.toc --pages    every page, without a suffix
    python -m website.toc --slugs    what the chapters are called
"""

import json
import re
import sys
from functools import cache
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent


def pages(root=ROOT):
    """Every page in reading order, as a path without a suffix; a page's sections come right after it, at any depth."""
    return [page for page, _ in entries(root)]


def parents(root=ROOT):
    """Every page in reading order with the page that it is a section of; None for those that are of none."""
    return dict(entries(root))


def captions(root=ROOT):
    """Every page with the caption of its part of the book; the root has none."""
    toc = table(root)
    return {page: part["caption"] for part in toc["parts"] for page, _ in below(part, None)}


def entries(root=ROOT):
    """Pairs of a page and the page that it is a section of, as _toc.yml has them: a page named twice is there twice."""
    toc = table(root)
    return [(toc["root"], None), *below(toc, None)]


def table(root=ROOT):
    """What _toc.yml says; a file is read once as long as it stays as it is."""
    return parsed((root / "_toc.yml").read_text(encoding="utf-8"))


@cache
def parsed(text):
    """YAML, read: for those who ask often."""
    return yaml.safe_load(text)


def below(node, parent):
    """The same pairs for what stands under one entry."""
    for part in node.get("parts", []):
        yield from below(part, parent)
    for entry in [*node.get("chapters", []), *node.get("sections", [])]:
        yield entry["file"], parent
        yield from below(entry, entry["file"])


def sources(root=ROOT):
    """The file of each page."""
    found = {name: [root / f"{name}{suffix}" for suffix in (".ipynb", ".md")] for name in pages(root)}
    return {name: next((file for file in files if file.exists()), files[0]) for name, files in found.items()}


def notebooks(root=ROOT):
    """The pages that are notebooks, in order, as paths with a suffix."""
    return [f"{name}.ipynb" for name, file in sources(root).items() if file.suffix == ".ipynb"]


def chapters(root=ROOT):
    """The notebooks that are read as chapters, the road, its side rooms and side trips: not index and reference."""
    return [name for name, file in sources(root).items()
            if file.suffix == ".ipynb" and "/" in name and not name.startswith("reference/")]


def road(root=ROOT):
    """The pages that lead one to the next: the index and the chapters, without side rooms and side trips."""
    found, told = entries(root), set(chapters(root)) - set(trips(root))
    return [name for name, parent in found if parent is None and (name == found[0][0] or name in told)]


def lane(root=ROOT):
    """The fast lane: the pages of the road that data/lane.yml names; none if there is no such file."""
    return [page for page in on_lane(root) if page != "end"]


def on_lane(root=ROOT):
    """What is said on each page of the lane, and at its `end`."""
    file = root / "data" / "lane.yml"
    named = parsed(file.read_text(encoding="utf-8")) if file.exists() else {}
    return {name: named[slug(name)] for name in road(root) if slug(name) in named} | {"end": named.get("end", "")}


def trips(root=ROOT):
    """The side trips: chapters that are chosen, in any order."""
    parts, above = captions(root), parents(root)
    return [name for name in chapters(root) if parts[name].startswith("Side trips") and above[name] is None]


def branch(name, root=ROOT):
    """The page of the road where a side trip begins: the first that its last words lead back to."""
    cells = json.loads((root / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    last = "".join([cell for cell in cells if cell["cell_type"] == "markdown"][-1]["source"])
    back = re.search(r"Back to \[[^\]]*\]\((\w+)\.ipynb\)", last)
    return back and f"{Path(name).parent}/{back[1]}"


def checkpoints(root=ROOT):
    """The pages of the road that ask what a part of it has told."""
    return [name for name in road(root) if slug(name).startswith("checkpoint_")]


def slug(name):
    """What a chapter is called: its file's name without folder and suffix."""
    return Path(name).stem


def chapter(wanted, root=ROOT):
    """The page of a chapter by its slug, on the road before its side room; None if there is none."""
    return next((name for name in chapters(root) if slug(name) == wanted), None)


LISTS = {"--notebooks": notebooks, "--pages": pages, "--slugs": lambda: [slug(name) for name in chapters()]}

if __name__ == "__main__":
    print("\n".join(LISTS[sys.argv[1] if len(sys.argv) > 1 else "--notebooks"]()))
