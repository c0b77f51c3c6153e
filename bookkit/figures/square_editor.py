"""Squares to edit: a matrix whose numbers, shape and code answer to the reader."""

import math

import numpy as np
import traitlets

from bookkit.figures.base import Figure, NumberArray, number_array
from bookkit.pictures import draw
from bookkit.pictures.formats import fixed
from bookkit.pictures.shapes import check_names


class SquareEditor(Figure):
    """Edit a matrix of squares: change a number, add rows and columns, transpose.

    `numbers` (n, d) lie in [-1, 1], at most 6 by 6, and are rounded to one decimal. The names beside the rows and above
    the columns change places when the reader transposes; a row or a column that is added has none.

    >>> editor = SquareEditor([[0.9, -0.4], [0.1, 0.5]], row_names=["stunning", "chase"])
    >>> editor.numbers = [[1, 0, -1]]
    >>> editor.array.shape
    (1, 3)
    """

    kind = "square_editor"
    LIMIT = 6
    limit = traitlets.Int(LIMIT, read_only=True).tag(sync=True)
    numbers = NumberArray(-1, 1, (None, None)).tag(sync=True, reset=True)
    row_names = traitlets.List(traitlets.Unicode()).tag(sync=True, reset=True)
    column_names = traitlets.List(traitlets.Unicode()).tag(sync=True, reset=True)

    def __init__(self, numbers, caption="", row_names=None, column_names=None):
        numbers = number_array(numbers, "numbers", -1, 1, (None, None))
        names = {"row_names": row_names, "column_names": column_names}
        for (name, given), count in zip(names.items(), np.shape(numbers)):
            check_names(name, given, count, f"numbers of shape {np.shape(numbers)}")
            names[name] = list(given or [])
        super().__init__(numbers=numbers, caption=caption, **names)

    @traitlets.validate("numbers")
    def _fit(self, proposal):
        value = proposal["value"]
        if max(len(value), len(value[0])) > self.LIMIT:
            raise ValueError(f"numbers must be at most {self.LIMIT} by {self.LIMIT}, "
                             f"got {len(value)} by {len(value[0])}")
        # What is shown is what is held: one decimal, rounded as `fixed` rounds.
        return [[math.copysign(math.floor(abs(v) * 10 + 0.5) / 10, v) for v in row] for row in value]

    @property
    def array(self):
        """The numbers as a numpy array, shape (n, d)."""
        return np.array(self.numbers)

    @property
    def code(self):
        """The line of Python that makes this array."""
        rows = ", ".join("[" + ", ".join(fixed(v, 1).replace("−", "-") for v in row) + "]" for row in self.numbers)
        return f"np.array([{rows}])"

    def still(self):
        """The squares with their names, their shape and their code."""
        rows, columns = (([*names, *[""] * count][:count] if any(names) else None)
                         for names, count in zip((self.row_names, self.column_names), self.array.shape))
        picture = draw.squares(self.array, label="X", shape=True, row_names=rows, column_names=columns)
        return picture.html() + f"<p><code>X = {self.code}</code></p>"
