"""How a notebook's cells stand on the page; live, JupyterLab shows them as they are.

Folded code follows what it shows, instead of standing between the words and the picture.  Code that only writes prose
with numbers in it, cells that only import, and folded ones that show nothing make no mark on the page: they are in the
notebook.  What belongs to an exercise is one card: first the place for the answer, then what the reader may open.
"""

import ast
import re
from functools import cache

from docutils import nodes
from myst_nb.sphinx_ import HideCodeCellNode

from bookkit.figures.base import source

ASIDE = 520          # pixels: what fits beside the text of a wide window

def arrange(app, doctree, docname):
    """Sphinx's "doctree-resolved": cells are folded by now."""
    for cell in list(doctree.findall(lambda node: is_element(node, "cell_code"))):
        code = next((part for part in cell.children if is_code(part)), None)
        shown = next((part for part in cell.children if is_element(part, "cell_code_output")), None)
        folded = isinstance(code, HideCodeCellNode)
        if shown is None and (folded or code and only_prepares(code)):
            cell.parent.remove(cell)
        elif shown is not None and folded:
            cell.remove(code)
            if is_practice(cell):
                continue
            cell["classes"] += place(shown, docname)
            if not writes_prose(shown) and docname != "index":
                cell.append(code)
    for exercise in list(doctree.findall(lambda node: "exercise" in node.get("classes", ()) if (
            isinstance(node, nodes.Element)) else False)):
        gather(exercise)


def is_code(node):
    """Whether a part of a cell is its code, folded or not (a solution is folded as a whole, and stays as it is)."""
    return is_element(node, "cell_code_source") or isinstance(node, HideCodeCellNode) and not any(
        is_element(part, "cell_code_output") for part in node.children)


def is_element(node, name):
    """Whether a node is the part of a cell that myst-nb calls so."""
    return isinstance(node, nodes.container) and node.get("nb_element") == name


def only_prepares(code):
    """Whether a cell only brings in names, and perhaps sets a switch of theirs (``torch.set_num_threads(1)``)."""
    try:
        lines = ast.parse(code.astext()).body
    except SyntaxError:
        return False
    return all(isinstance(line, ast.Import | ast.ImportFrom) or sets_a_switch(line) for line in lines)


def sets_a_switch(line):
    """Whether a line is a call of something that is called ``set_...``, and nothing is done with what it returns."""
    call = line.value if isinstance(line, ast.Expr) and isinstance(line.value, ast.Call) else None
    return call is not None and isinstance(call.func, ast.Attribute) and call.func.attr.startswith("set_")


def writes_prose(shown):
    """Whether an output is words and formulas only: no picture, no table, nothing printed; or words to be unfolded."""
    if any(is_dropdown(node) for node in shown.findall(nodes.Element)):
        return True
    apart = nodes.table | nodes.literal_block | nodes.image
    return not any(isinstance(node, apart) or stands_alone(node) for node in shown.findall())


def place(shown, docname):
    """The class of a cell that shows no code: how it stands in a wide window. What is looked up has one column."""
    if writes_prose(shown):
        return ["ak-prose"]
    if not docname.startswith(("chapters/", "further/")):
        return []
    drawn = "".join(raw.astext() for raw in shown.findall(nodes.raw))
    kind = re.search(r'data-ak-figure="(\w+)"', drawn)
    if kind and kind[1] != "growing_picture":                # that one is as large as its drawings
        return ["ak-across" if is_wide(kind[1]) else "ak-beside"]
    if "ak-picture" not in drawn:
        return []
    widths, heights = zip(*(map(int, size) for size in re.findall(r'<svg width="(\d+)" height="(\d+)"', drawn)))
    stacked = sum(widths) > ASIDE and sum(heights) > ASIDE
    return ["ak-across" if max(widths) > ASIDE or stacked else "ak-beside"]


@cache
def is_wide(kind):
    """Whether a figure has more to show than a column is wide, as its script says."""
    return "wide: true" in source(kind)


def stands_alone(node):
    """Whether a node is HTML of its own, not a mark within a line of words."""
    return isinstance(node, nodes.raw) and not isinstance(node.parent, nodes.TextElement)


def gather(exercise):
    """Put an exercise, its hint, the cell for the answer and the solution into one card."""
    parent = exercise.parent
    at = parent.index(exercise)
    end = at + 1
    while end < len(parent) and belongs(parent[end]):
        end += 1
    card = nodes.container(classes=["ak-exercise"])
    its = parent[at:end]
    card.extend([exercise, *filter(is_practice, its), *(fold(part) for part in its[1:] if not is_practice(part))])
    parent[at:end] = [card]


def fold(part):
    """The cell in which a notebook is given the answer, to be unfolded; all else in a card stays as it is."""
    said = next((node for node in part.findall(lambda node: is_element(node, "cell_code_output"))), None)
    if said is None or not said.astext().startswith("Not answered yet"):
        return part
    part.remove(said)
    folded = HideCodeCellNode(prompt_show="Show the cell for a notebook", prompt_hide="Hide the cell for a notebook",
                              classes=["above-input"])
    folded.extend(part.children)
    part.children = []
    part.append(folded)
    return part


def is_practice(node):
    """Whether a cell is the place where an exercise is answered, or something is guessed."""
    return any('data-ak-figure="practice"' in raw.astext() for raw in node.findall(nodes.raw))


def belongs(node):
    """Whether a node after an exercise is a part of it: a dropdown or a cell."""
    return is_element(node, "cell_code") or is_dropdown(node)


def is_dropdown(node):
    """Whether a node is something to be unfolded."""
    return "sd-dropdown" in node.get("classes", ()) or node.get("design_component") == "dropdown"
