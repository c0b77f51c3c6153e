"""Exercises of the chapter `softmax`."""

import numpy as np

from attnkit import softmax
from bookkit.lessons.exercises.grading import Function, Guess, Judged, Value


def _powers(S):
    return np.exp(S - S.max(axis=1, keepdims=True))


def _lost(scores):
    with np.errstate(over="ignore", invalid="ignore"):
        shares = np.exp(scores)
        weights = shares / shares.sum()
    if not np.isfinite(weights).all():
        return "this overflows: the result is nan."
    return None if weights[1] == 0 else "the second weight is small, but not 0."


EXERCISES = {
    "by_hand": Value([0.25, 0.75], within=0.006, labels=["for 0", "for 1.1"], mistakes=[
        ([0.75, 0.25], "the second score is the higher one."),
        ([0.0, 1.0], "these are shares of the scores; raise e to each score first."),
        ([1.0, 3.0], "these are the powers; divide each by their sum.")]),
    "rows": Function(
        softmax, [(np.array([[1.0, 2.0, 4.0], [0.0, 0.0, -1.0]]),), (np.array([[1000.0, 999.0]]),),
                  (np.array([[1000.0, 999.0], [5.0, -1000.0]]),)],
        [(lambda S: softmax(S, axis=0), "each column sums to one; each row should."),
         (_powers, "these are the powers; divide each row by its sum."),
         (lambda S: np.exp(S - S.max()) / np.exp(S - S.max()).sum(axis=1, keepdims=True),
          "a row far below the largest score of the table has powers of 0 only, and 0/0 is nan."),
         (lambda S: np.exp(S) / np.exp(S).sum(axis=1, keepdims=True), "scores of 1000 overflow: the result is nan."),
         (lambda S: _powers(S) / _powers(S).sum(), "the whole table sums to one; each row should."),
         (lambda S: _powers(S) / _powers(S).sum(axis=0),
          "these are the sums of the columns; divide each row by its own sum.")],
        code="""
def rows_to_weights(S):
    powers = np.exp(___)
    return powers / ___
""",
        choices=[["S", "S - S.max()", "S - S.max(axis=1, keepdims=True)"],
                 ["powers.sum(axis=1, keepdims=True)", "powers.sum()", "powers.sum(axis=0, keepdims=True)",
                  "powers.max(axis=1, keepdims=True)"]]),
    "temperature": Value(3.0, [
        (1 / 3, "that is the factor; a temperature divides."),
        (2.2, "the scores are divided, and nothing is taken away."),
        (1.1, "at this temperature the second score is 3.")], within=0.006),
    "break": Judged(_lost, (2,)),
}

GUESSES = {
    "tie": Guess(["the one that stands first", "the one whose score was raised", "neither: they share it"], right=2),
}
