"""Exercises of the chapter `matrix_form`."""

import numpy as np

from attnkit import softmax
from bookkit.lessons.exercises.examples import REVIEW, WORDS
from bookkit.lessons.exercises.grading import Function, Guess, Judged, Value


def _scaled(Q, K, V):
    return softmax(Q @ K.T / np.sqrt(Q.shape[1])) @ V


def _powers(Q, K):
    scores = Q @ K.T / np.sqrt(Q.shape[1])
    return np.exp(scores - scores.max(axis=1, keepdims=True))


def _silent(X):
    if np.array_equal(X[0], X[1]):
        return "the two items must differ."
    W = softmax(X @ X.T)
    return None if np.allclose(W @ X.T, W @ X) else "the two results differ: the slip would be noticed."


EXERCISES = {
    "shapes": Value([7, 5, 7, 6], [
        ([5, 7, 7, 6], "a row for each query, a column for each key."),
        ([7, 5, 7, 4], "an output is as wide as a value, not as a key."),
        ([7, 5, 5, 6], "there is one output for each query.")],
        labels=["QKᵀ rows", "QKᵀ columns", "output rows", "output columns"]),
    "attend": Function(
        _scaled, [(WORDS[:2], WORDS, np.eye(4)[:, :3]), (500 * WORDS, WORDS[:3], REVIEW[:3])],
        [(lambda Q, K, V: softmax(Q @ K.T) @ V, "the scale is missing."),
         (lambda Q, K, V: softmax(Q @ K.T / np.sqrt(len(Q))) @ V,
          "the scale takes the width of a query, not the number of queries."),
         (lambda Q, K, V: softmax(Q @ K.T / np.sqrt(Q.shape[1]), axis=0) @ V,
          "the softmax goes down the columns; a query's budget is a row."),
         (lambda Q, K, V: softmax(Q @ K.T / np.sqrt(len(K))) @ V,
          "the scale takes the width of a query, not the number of keys."),
         (lambda Q, K, V: softmax(Q @ K.T / np.sqrt(Q.size)) @ V,
          "that counts all numbers in Q; the scale takes the width of one query."),
         (lambda Q, K, V: _powers(Q, K) / _powers(Q, K).sum() @ V, "all weights together sum to one; each row should."),
         (lambda Q, K, V: _powers(Q, K) / _powers(Q, K).sum(axis=0) @ V,
          "each column sums to one now; each row should."),
         (lambda Q, K, V: Q @ K.T / np.sqrt(Q.shape[1]) @ V, "the softmax is missing.")],
        code="""
def attend(Q, K, V):
    scores = Q @ K.T / np.sqrt(___)
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / ___ @ V
""",
        choices=[["len(Q)", "len(K)", "Q.shape[1]", "Q.size"],
                 ["powers.sum(axis=1, keepdims=True)", "powers.sum(axis=0)", "powers.sum()"]]),
    "columns": Function(
        lambda Q, K, V: _scaled(Q.T, K.T, V.T).T,
        [(WORDS[:2].T, WORDS.T, np.eye(4)[:3]), (WORDS.T, WORDS[:3].T, REVIEW[:3].T)],
        [(lambda Q, K, V: _scaled(Q.T, K.T, V.T),
          "the numbers are right, but items stand in rows; they should stand in columns."),
         (lambda Q, K, V: V @ softmax(K.T @ Q / np.sqrt(Q.shape[1]), axis=0),
          "the scale takes the width, which is the number of rows here."),
         (lambda Q, K, V: V @ softmax(K.T @ Q / np.sqrt(Q.shape[0]), axis=1),
          "the softmax goes along the rows; here a query's budget is a column.")],
        code="""
def attend_columns(Q, K, V):
    scores = ___
    return ___
""",
        choices=[["K.T @ Q / np.sqrt(Q.shape[0])", "K.T @ Q / np.sqrt(Q.shape[1])", "Q.T @ K / np.sqrt(Q.shape[0])"],
                 ["V @ softmax(scores, axis=1)", "softmax(scores, axis=0).T @ V.T", "V @ softmax(scores, axis=0)"]]),
    "scale": Value(1 / 32, [
        (1 / 8, "the variance of the entries counts, too: 4 for each factor."),
        (1 / 16, "a standard deviation of 2 is a variance of 4, and there are two factors."),
        (1 / 1024, "that divides by the variance; divide by the standard deviation."),
        (32.0, "that is the standard deviation; multiply by one over it.")]),
    "slip": Judged(_silent, (2, 2), offered=[
        [[1.0, 0.0], [2.0, 1.0]], [[1.0, 1.0], [1.0, 1.0]], [[1.0, 2.0], [3.0, 4.0]], [[1.0, 2.0], [2.0, -1.0]]]),
}

GUESSES = {
    "large_scale": Guess(["one in each column", "one in each row", "one in each row and each column",
                          "one in the whole matrix"], right=1),
}
