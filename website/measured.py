"""What was measured once and not recomputed: what it is, the command that makes it, and the pages that show it."""

import functools
import json
import re
from pathlib import Path

from bookkit.lessons.measured import results
from website import toc

ROOT = Path(__file__).resolve().parent.parent
BY_THE_SITE = {"bench/chapters": "under each title"}      # what no cell asks for


@functools.cache
def parts(root=ROOT):
    """All that was measured, by name: a study, as ``stories``, or a part of the running times, as ``bench/cost``."""
    found = {path.stem: results(path.stem, folder=root) for path in sorted((root / "data" / "measured").glob("*.json"))}
    times = found.pop("bench")
    return {f"bench/{name}": part for name, part in times.items()} | found


@functools.cache
def readers(root=ROOT):
    """The pages that show what was measured, each with the names that its cells ask for."""
    found = {}
    for name in toc.notebooks(root):
        cells = json.loads((root / name).read_text(encoding="utf-8"))["cells"]
        code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
        asked = set(re.findall(r'\bresults\("(\w+)"', code))
        if "bench" in asked:
            named = re.findall(r"""\bbench"?\)?\[["'](\w+)""", code)      # results("bench")["cost"], or bench["cost"]
            asked = asked - {"bench"} | {f"bench/{part}" for part in named} & set(parts(root))
        if asked:
            found[name.removesuffix(".ipynb")] = asked
    return found


def table(root=ROOT):
    """A row for each part, in Markdown, with links from a page in reference/."""
    rows = ["| what was measured | measured with | shown in |", "|---|---|---|"]
    asked = readers(root)
    for name, part in parts(root).items():
        pages = [f"[](../{page}.ipynb)" for page, names in asked.items() if name in names]
        rows.append(f"| {part['about']} | `{part['command']}` | {', '.join(pages) or BY_THE_SITE[name]} |")
    return "\n".join(rows)
