"""Exercises of the chapter `document_classifier`."""

import numpy as np

from attnkit import softmax
from bookkit.lessons.exercises.grading import Function, Guess, Judged, Value
from bookkit.pictures.formats import plain

KEYS = np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])
VECTORS = np.array([[0.0, 2.0], [4.0, 0.0], [1.0, 1.0]])


def _query(query):
    if (np.abs(query) > 10).any():
        return "both numbers must be between −10 and 10."
    weights = softmax(KEYS @ query / np.sqrt(2))
    if weights[0] > 0.95:
        return None
    if weights[1:].max() >= weights[0]:
        return f"key {weights[1:].argmax() + 2} gets {plain(weights[1:].max(), 3)}, the first {plain(weights[0], 3)}."
    return f"the first key gets the most, but only {plain(weights[0], 3)} of the weight."


def _pool(X, scores):
    return softmax(scores) @ X


EXERCISES = {
    "query": Judged(_query, (2,), offered=[[3.0, 0.0], [6.0, -4.0], [10.0, 10.0], [1.0, 4.0]]),
    "pool": Function(
        _pool, [(VECTORS, np.array([0.0, 1.0, 3.0])), (VECTORS[:2], np.array([2.0, -1.0]))],
        [(lambda X, scores: softmax(scores), "these are the weights; blend the rows of X with them."),
         (lambda X, scores: scores @ X, "the scores are not weights yet: the softmax is missing."),
         (lambda X, scores: X.mean(axis=0), "this is the mean: every word has the same weight in it."),
         (lambda X, scores: X.max(axis=0), "this is the maximum of each column; the scores are not used."),
         (lambda X, scores: X[scores.argmax()], "this is the row with the highest score alone; the others count, too."),
         (lambda X, scores: softmax(scores) @ X / len(X),
          "the weights sum to one already: do not divide by the number of words."),
         (lambda X, scores: scores @ X / scores.sum(),
          "shares of the scores fail where a score is negative: first raise e to each, as softmax does.")],
        code="""
def pool(X, scores):
    weights = ___
    return ___
""",
        choices=[["scores", "scores / scores.sum()", "softmax(scores)", "np.full(len(X), 1 / len(X))"],
                 ["X[weights.argmax()]", "weights @ X", "(weights[:, None] * X).mean(axis=0)", "weights"]]),
    "mean": Value(round(float(np.log(99)), 2), within=0.05, mistakes=[
        (99.0, "this is e to the power of s; take its logarithm."),
        (round(float(np.log(49.5)), 2), "half of the weight is as much as all the others get together."),
        (round(float(np.log10(99)), 2), "the logarithm to base e is needed: np.log.")]),
}

GUESSES = {
    "without": Guess(["still `bad`, but less sure", "nearly a tie", "`good`, and as sure as it was of `bad`"], right=2),
}
