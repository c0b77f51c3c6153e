"""Exercises of the chapter `multi_head`."""

import numpy as np

from bookkit.lessons.exercises.grading import Choice, Guess, Judged
from bookkit.pictures.formats import plain


def _both_names(weights):
    if weights.min() < 0 or not np.allclose(weights.sum(axis=1), 1):
        return "the weights of a head are not negative and sum to one."
    read = (weights @ np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 1.0]])).reshape(-1)        # Susan gave Mary
    if np.allclose(read, [1, 0, 0, 1]):
        return None
    return f"for “Susan gave Mary” this reads ({', '.join(plain(v) for v in read)}), not (1, 0, 0, 1)."


def _program(cut, merge="swapaxes(0, 1).reshape(4, 6)"):
    return f"`Z.{cut}`, then `.{merge}`"


def _listed(rows):
    return " and ".join(", ".join(map(str, row)) for row in rows)


Z = np.arange(24).reshape(4, 6)            # four words, two heads of three columns
CUT = "reshape(4, 2, 3).swapaxes(0, 1)"
HEADS = Z.reshape(4, 2, 3).swapaxes(0, 1)

EXERCISES = {
    "cut": Choice(
        _program(CUT),
        (_program("reshape(2, 4, 3)"),
         f"of the first two words, head 1 gets {_listed(Z.reshape(2, 4, 3)[0, :2])}, which is all of the first."),
        (_program("reshape(4, 3, 2).transpose(2, 0, 1)"),
         f"of the first two words, head 1 gets {_listed(Z.reshape(4, 3, 2).transpose(2, 0, 1)[0, :2])}, which is every "
         "second column, and the matrix of head 2 made some of these."),
        (_program(CUT, merge="reshape(4, 6)"),
         f"the cut is right, but then the first word gets {_listed(HEADS.reshape(4, 6)[:1])}, and half of that "
         "belongs to the second.")),
    "read": Judged(_both_names, (2, 3), offered=[
        [[0.5, 0, 0.5], [0.5, 0, 0.5]], [[0, 0, 1], [1, 0, 0]], [[1, 0, 0], [0, 0, 1]], [[1, 0, 1], [0, 1, 0]]]),
}

GUESSES = {
    "swapped": Guess(["they stay as they are", "they change places, too", "one of them changes"], right=0),
}
