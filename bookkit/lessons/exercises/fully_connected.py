"""Exercises of the chapter `fully_connected`."""

import numpy as np

from bookkit.lessons.exercises.grading import Function, Guess, Value

EXERCISES = {
    "by_hand": Value([1, 6], [
        ([7, 0], "this adds both up; each head's piece is asked for."),
        ([2, 14], "the blocks are (2, −1) and (0, 3): the first two numbers meet item 1.")],
        labels=["head 1", "head 2"]),
    "blocks": Function(
        lambda W, n: W.T.reshape(n, -1, len(W)),
        [(np.arange(12.0).reshape(2, 6), 3), (np.arange(30.0).reshape(3, 10) ** 2, 2)],
        [(lambda W, n: W.reshape(n, -1, len(W)),
          "the shape is right, the numbers are not: transpose W before you reshape it."),
         (lambda W, n: W.T.reshape(-1, n, len(W)).swapaxes(0, 1),
          "the rows of one item lie next to each other; here they are dealt out in turn."),
         (lambda W, n: W.reshape(len(W), n, -1).swapaxes(0, 1),
          "each block lies on its side: it should have a column, not a row, for each output."),
         (lambda W, n: W.reshape(len(W), n, -1), "a row of W first, then its parts: the heads should come first.")],
        code="""
def blocks(W, n):
    return ___
""",
        choices=[["W.reshape(n, -1, len(W))", "W.reshape(len(W), n, -1).swapaxes(0, 1)",
                  "W.T.reshape(-1, n, len(W)).swapaxes(0, 1)", "W.T.reshape(n, -1, len(W))"]]),
    "one_head": Value([0.1, 0.1, 0.3, 0.5, 20], [
        ([2, 2, 6, 10, 1], "this gives the layer, but weights must sum to one."),
        ([0.1, 0.1, 0.3, 0.5, 1], "the weights are right; the factor must make up for their sum."),
        ([0.25, 0.25, 0.25, 0.25, 20], "equal weights give each item the same share; the layer does not.")],
        labels=["item 1", "item 2", "item 3", "item 4", "in W^O"]),
}

GUESSES = {
    "past": Guess(["no drink stands out", "a wrong drink, and it is sure", "the right drink, but less sure"], right=0),
}
