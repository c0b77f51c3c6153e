"""What one goes through by steps: matrices in their places, and what is calculated, lit and said from step to step.

A figure of this kind has no script of its own but `steps.js`, which draws it from data:

- `matrices`, given by name, and `formulas`, a list of [name, formula] of what is found from them: a formula is the name
  of a matrix or of a trait, a number, or a list of an operation and what it is done to, as ``["times", "S", "scale"]``.
- `drawings`, one for all steps or one for each: the columns of each, from above, of matrices (`block`), words beside
  rows (`names`), signs and None.
- `steps`: the name of each and what it says, where ``<each S>`` stands for numbers as they are.

The operations, and what can stand in a text, are listed in ``steps.js``; the fields of the data in ``attnkit.d.ts``.
"""

import numpy as np
import traitlets

from attnkit import attention
from bookkit.figures.base import Between, Figure, Index, number_array


class Steps(Figure):
    """Whatever is gone through by steps; `selected` is the word that is followed."""

    matrices = traitlets.Dict().tag(sync=True)
    formulas = traitlets.List().tag(sync=True)
    words = traitlets.List(traitlets.Unicode()).tag(sync=True)
    columns = traitlets.List(traitlets.Unicode()).tag(sync=True)
    heads = traitlets.Int(0).tag(sync=True)
    drawings = traitlets.List().tag(sync=True)
    steps = traitlets.List().tag(sync=True)
    step = Index("steps", "steps").tag(sync=True, reset=True)
    selected = Index("words", "words").tag(sync=True, reset=True)

    def __init__(self, matrices, words, *, columns=None, **state):
        columns = words if columns is None else columns
        super().__init__(matrices=matrices, words=list(words), columns=list(columns), **state)

    def arrays(self, *names):
        """Some of the given matrices, as arrays."""
        return [np.array(self.matrices[name]) for name in names]


class OneAttention(Steps):
    """The steps of one attention, whose `scale` can be changed."""

    scale = Between(0.1, 10, 1).tag(sync=True, reset=True)

    def __init__(self, queries, keys, values, words, *, scale=None, columns=None, **state):
        asked = words if columns is None else columns
        queries = number_array(queries, "queries", -20, 20, (len(words), None))
        keys = number_array(keys, "keys", -20, 20, (len(asked), len(queries[0])))
        values = number_array(values, "values", -20, 20, (len(asked), None))
        super().__init__({"Q": queries, "K": keys, "V": values}, words, columns=asked,
                         scale=len(queries[0]) ** -0.5 if scale is None else scale, **state)
        self.queries, self.key_rows, self.values = self.arrays("Q", "K", "V")

    def attend(self):
        """All outputs and all weights."""
        return attention(self.queries, self.key_rows, self.values, scale=self.scale)


# ---- the data of a drawing

def block(shows, role, **more):
    """A matrix in its place: what it shows, the role of its frame, and more that `StepMatrix` lists."""
    return {"shows": shows, "role": role, "like": [shows], **more}


def names(words, **more):
    """Words beside the rows; with a `label`, buttons that choose the row that is followed."""
    return {"words": list(words), **more}


def step(name, tells, says="", code=""):
    """A step: its name, what is told below the figure, perhaps what happens and its line of Python."""
    return {"name": name, "tells": tells, "says": says, "code": code}
