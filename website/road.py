"""What a page of the road is measured by: its minutes, and what the tests of its shape look at.

A notebook is the dict that its file holds, a cell one of its cells.
"""

import re

WORDS_A_MINUTE = 200
SECONDS = {"visible line": 5, "folded line": 1, "picture": 20}


def minutes(notebook):
    """How long a page takes to read, without its exercises; not rounded."""
    words = seconds = 0
    for cell in notebook["cells"]:
        if of_an_exercise(cell):
            continue
        words += len(re.sub(r"</?span[^>]*>", "", said(cell)).split())
        if cell["cell_type"] == "code":
            lines = len(source(cell).splitlines())
            seconds += lines * SECONDS["visible line" if visible(cell) else "folded line"]
            seconds += SECONDS["picture"] * sum("text/html" in data for data in outputs(cell))
    return words / WORDS_A_MINUTE + seconds / 60


# ---- a cell

def source(cell):
    """What was typed into a cell."""
    return "".join(cell["source"])


def outputs(cell):
    """What a cell shows, a dict of kinds for each; of what is printed an empty one."""
    return [output.get("data", {}) for output in cell.get("outputs", [])]


def said(cell):
    """The running text of a cell: what is typed in Markdown, or what code writes as Markdown."""
    if cell["cell_type"] == "markdown":
        return source(cell)
    return "\n\n".join("".join(data["text/markdown"]) for data in outputs(cell) if "text/markdown" in data)


def tags(cell):
    """The tags of a cell that fold it."""
    return [tag for tag in cell["metadata"].get("tags", []) if tag != "keep-code"]


def visible(cell):
    """Whether a cell is code that stands open on the page."""
    return cell["cell_type"] == "code" and not tags(cell)


def moves(cell):
    """Whether a cell shows a figure that a reader can work; where something is asked is none."""
    return any("data-ak-figure" in "".join(data.get("text/html", "")) for data in outputs(cell)) and not practises(cell)


# ---- exercises

def asks(cell):
    """Whether a cell sets an exercise."""
    return "{exercise}" in said(cell)


def answers(cell):
    """The exercise, ``slug/name``, that a learner answers in a cell; None if it is no such cell."""
    found = visible(cell) and re.search(r'^check\("(\w+/\w+)"', source(cell), flags=re.M)
    return found[1] if found else None


def solves(cell):
    """Whether a cell is a solution."""
    return "hide-cell" in tags(cell)


def practises(cell):
    """The exercise, or guess, ``slug/name``, that is answered in the page where a cell shows its figure; or None."""
    found = cell["cell_type"] == "code" and re.search(r'^Practice\(exercise\("(\w+/\w+)"\)\)', source(cell), flags=re.M)
    return found[1] if found else None


def of_an_exercise(cell):
    """Whether a cell sets an exercise, takes its answer, in a notebook or in the page, or solves it."""
    return asks(cell) or solves(cell) or answers(cell) is not None or practises(cell) is not None


def exercises(notebook):
    """The cells of each exercise: the one that sets it, and the code up to the next text."""
    found, here = [], None
    for cell in notebook["cells"]:
        if asks(cell):
            found.append(here := [cell])
        elif cell["cell_type"] == "markdown":
            here = None
        elif here:
            here.append(cell)
    return found
