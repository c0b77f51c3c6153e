"""Tables that a notebook computes: rows of words and numbers in Markdown."""

import numpy as np
from IPython.display import Markdown

from bookkit.pictures.formats import fixed


def table(head, rows):
    """A table, the last line of a cell: `head` are the names of its columns, numbers of a row have two decimals.

    >>> print(table(["", "right"], [["with attention", 0.961], ["without", "as a guess"]]).data)
    |  | right |
    |---|:-:|
    | with attention | 0.96 |
    | without | as a guess |
    """
    rows = [list(row) for row in rows]
    if any(len(row) != len(head) for row in rows):
        raise ValueError(f"each row needs {len(head)} cells, as the head has, got {[len(row) for row in rows]}")
    lines = [head, ["---", *[":-:"] * (len(head) - 1)], *rows]
    return Markdown("\n".join(f"|{'|'.join(_cell(cell, k == 1) for cell in line)}|" for k, line in enumerate(lines)))


def spread(found, digits=2):
    """The mean of several runs with the least and the most of them, or the one number that they all have.

    >>> spread([0.9, 1.0, 0.95]), spread([1.0, 1.0])
    ('0.95 [0.90, 1.00]', '1.00')
    """
    mean, least, most = (fixed(number, digits) for number in (np.mean(found), np.min(found), np.max(found)))
    return mean if mean == least == most else f"{mean} [{least}, {most}]"


def _cell(content, rule):
    """What stands between two bars."""
    if rule:
        return content
    if isinstance(content, str):
        return f" {content} "
    return f" {content if isinstance(content, int | np.integer) else fixed(content)} "
