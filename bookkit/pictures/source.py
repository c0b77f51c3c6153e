"""The package as something to read: a function's listing, and what calls what.

Both are made from the source itself, so what a page shows is what runs.
"""

import ast
import inspect
import textwrap
from pathlib import Path

import attnkit
from bookkit.pictures import palette
from bookkit.pictures.picture import Picture, Svg
from bookkit.pictures.shapes import text


class Listing:
    """A function's source, shown by a notebook as highlighted code."""

    def __init__(self, name, code):
        self.name, self.code = name, code

    def _repr_markdown_(self):
        return f"```python\n{self.code}\n```"

    def __repr__(self):
        return self.code


def listing(function, *, docstring=False):
    """The source of a function or class, as the package has it; the docstring, too, is usually longer than the code.

    >>> from attnkit import dot
    >>> listing(dot)
    def dot(query, key):
        _check(query, key)
        return query @ key.mT
    """
    lines = textwrap.dedent(inspect.getsource(function)).rstrip().splitlines()
    if not docstring:
        for node in ast.walk(ast.parse("\n".join(lines))):
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node):
                text = node.body[0]
                lines[text.lineno - 1:text.end_lineno] = [None] * (text.end_lineno - text.lineno + 1)
    return Listing(function.__name__, "\n".join(line for line in lines if line is not None))


class Script(Listing):
    """A file of JavaScript, to be unfolded."""

    def _repr_markdown_(self):
        return f":::{{dropdown}} {self.name}.js\n```javascript\n{self.code}\n```\n:::"


def script(name):
    """The JavaScript of a figure, or of what figures share, by the name of its file."""
    return Script(name, (Path(__file__).parent.parent / f"figures/{name}.js").read_text(encoding="utf-8").rstrip())


def calls(*modules, internal=()):
    """What calls what: for each function or class of modules of attnkit, the set of others that its source names.

    In the order of the source; a module of attnkit that is imported and named counts as one name.  `internal` modules
    may be named, and are not looked into.
    """
    trees = [ast.parse((Path(attnkit.__file__).parent / f"{name}.py").read_text()) for name in modules]
    kinds = ast.FunctionDef | ast.ClassDef
    defined = {node.name for tree in trees for node in tree.body if isinstance(node, kinds)}
    named_by = {}
    for tree in trees:
        imported = {alias.name for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == "attnkit"
                    for alias in node.names} & {*modules, *internal}
        for node in tree.body:
            if isinstance(node, kinds):
                named = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
                named_by[node.name] = named & (defined | imported) - {node.name}
    return named_by


# The picture's boxes: what stands in each, its column and its row. A public name without a box is an error.
BOXES = {
    "TransformerBlock": (0, 0), "AttentionPooling": (1, 0),
    "MultiHeadAttention": (0, 1),
    "multi_head_attention": (0, 2), "scores": (1, 2),
    "split_heads, merge_heads": (0, 3), "attention": (1, 3),
    "softmax": (0, 4), "numerics": (1, 4),
    "masks": (0, 5), "positions": (1, 5), "equivalences": (0, 6), "memory": (1, 6), "sampling": (0, 7),
}
NOTES = {
    "scores": "for attention(score=)", "masks": "for attention(mask=)", "positions": "for the items",
    "equivalences": "layers as heads", "memory": "without the weights",
    "sampling": "a word by its score", "numerics": "precision and speed",
}
TOPS = (0, 52, 104, 208, 260, 324, 426, 546)     # of the rows
TALL = {2: 90, 5: 90, 6: 108, 7: 90}             # the heights of modules, by their row
WIDTH, GAP, MARGIN, LINE, LOW = 192, 12, 12, 17, 38


def package_map():
    """Draw what calls what in attnkit, from its source: a box for each public name or module, arrows from callers."""
    groups = [name for name in NOTES if name != "numerics"]
    box_of = {name: box for box in BOXES for name in box.split(", ")}
    members = {group: [name for name in calls(group) if not name.startswith("_")] for group in groups}
    box_of |= {name: group for group, names in members.items() for name in names}
    box_of |= {f"_{name.removesuffix('_heads')}": box_of[name] for name in ("split_heads", "merge_heads")}
    named_by = calls("mechanism", "modules", *groups, internal=["numerics"])
    box_of["numerics"] = "numerics"
    missing = [name for name in named_by if name not in box_of and not name.startswith("_") and name != "xavier"]
    if missing:
        raise ValueError(f"the picture has no box for {', '.join(missing)}")
    arrows = sorted({(box_of[a], box_of[b]) for a, names in named_by.items() for b in names
                     if a in box_of and b in box_of and box_of[a] != box_of[b]
                     and not (b in ("numerics", "softmax") and box_of[a] in groups)})     # what scores and memory use

    ink, quiet, grid = (palette.var(name) for name in ("ink", "quiet", "grid"))
    body = (f'<defs><marker id="ak-arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
            f'orient="auto"><path d="M0 0L8 4L0 8z" fill="{quiet}"/></marker></defs>')
    for a, b in arrows:
        body += f'<path d="{_path(a, b)}" fill="none" stroke="{quiet}" marker-end="url(#ak-arrow)"/>'
    for box in BOXES:
        x, y, height = _place(box)
        lines = [NOTES[box]] if box in NOTES else []
        lines += textwrap.wrap(", ".join(members.get(box, [])), 24, break_long_words=False)
        body += (f'<rect x="{x + .5}" y="{y + .5}" width="{WIDTH - 1}" height="{height - 1}" rx="5" '
                 f'fill="{palette.var("page")}" stroke="{grid if box in groups else ink}"/>')
        top = y + height / 2 + 5 - LINE / 2 * len(lines)
        for i, (line, size, colour) in enumerate([(box, 15, ink), *((line, 13, quiet) for line in lines)]):
            body += text(x + WIDTH / 2, top + LINE * i, line, colour, size=size)
    words = "; ".join(f"{a} calls {b}" for a, b in arrows)
    return Picture(Svg(body, 2 * WIDTH + GAP + MARGIN, TOPS[-1] + TALL[7], alt=f"What calls what in attnkit: {words}."))


def _place(box):
    """The left, the top and the height of a box."""
    column, row = BOXES[box]
    tall = box in NOTES and box != "numerics"
    return column * (WIDTH + GAP), TOPS[row], TALL[row] if tall else LOW


def _path(caller, called):
    """A line from one box to another: down, across, or around the boxes between them on the right."""
    (_, i), (_, j) = BOXES[caller], BOXES[called]
    (x, y, height), (u, v, deep) = _place(caller), _place(called)
    if i == j:
        return f"M{x + WIDTH} {y + height / 2}H{u - 1}"
    if j - i == 1:
        start, end = x + WIDTH / 2, u + WIDTH / 2
        return f"M{start} {y + height}V{v - 8}H{end}V{v - 1}"
    outside, end = x + WIDTH + MARGIN - 1 - 3 * i, v + deep / 2 + 4 - 8 * i      # lines side by side do not meet
    return f"M{x + WIDTH} {y + height / 2}H{outside}V{end}H{u + WIDTH + 1}"
