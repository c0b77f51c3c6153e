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

from bookkit.figures.base import Figure, Index


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

    def __init__(self, matrices, words, **state):
        super().__init__(matrices=matrices, words=list(words), columns=list(words), **state)

    def arrays(self, *names):
        """Some of the given matrices, as arrays."""
        return [np.array(self.matrices[name]) for name in names]


# ---- the data of a drawing

def block(shows, role, **more):
    """A matrix in its place: what it shows, the role of its frame, and more that `StepMatrix` lists."""
    return {"shows": shows, "role": role, "like": [shows], **more}


def names(words, label):
    """Words beside the rows: buttons that choose the row that is followed."""
    return {"words": list(words), "label": label}


def step(name, tells, says, code):
    """A step: its name, what is told below the figure, what happens and its line of Python."""
    return {"name": name, "tells": tells, "says": says, "code": code}
