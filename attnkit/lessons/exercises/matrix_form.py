"""Exercises of the chapter `matrix_form`."""

import numpy as np

from attnkit import softmax
from attnkit.lessons.exercises.examples import REVIEW, WORDS
from attnkit.lessons.exercises.grading import Function, Judged, Value


def _scaled(Q, K, V):
    return softmax(Q @ K.T / np.sqrt(Q.shape[1])) @ V


def _silent(X):
    if np.array_equal(X[0], X[1]):
        return "the two items must differ."
    W = softmax(X @ X.T)
    return None if np.allclose(W @ X.T, W @ X) else "the two results differ: the slip would be noticed."


EXERCISES = {
    "shapes": Value([7, 5, 7, 6], [
        ([5, 7, 7, 6], "a row for each query, a column for each key."),
        ([7, 5, 7, 4], "an output is as wide as a value, not as a key."),
        ([7, 5, 5, 6], "there is one output for each query.")]),
    "attend": Function(
        _scaled, [(WORDS[:2], WORDS, np.eye(4)[:, :3]), (500 * WORDS, WORDS[:3], REVIEW[:3])],
        [(lambda Q, K, V: softmax(Q @ K.T) @ V, "the scale is missing."),
         (lambda Q, K, V: softmax(Q @ K.T / np.sqrt(len(Q))) @ V,
          "the scale takes the width of a query, not the number of queries."),
         (lambda Q, K, V: softmax(Q @ K.T / np.sqrt(Q.shape[1]), axis=0) @ V,
          "the softmax goes down the columns; a query's budget is a row."),
         (lambda Q, K, V: Q @ K.T / np.sqrt(Q.shape[1]) @ V, "the softmax is missing.")]),
    "columns": Function(
        lambda Q, K, V: _scaled(Q.T, K.T, V.T).T,
        [(WORDS[:2].T, WORDS.T, np.eye(4)[:3]), (WORDS.T, WORDS[:3].T, REVIEW[:3].T)],
        [(lambda Q, K, V: _scaled(Q.T, K.T, V.T),
          "the numbers are right, but items stand in rows; they should stand in columns."),
         (lambda Q, K, V: V @ softmax(K.T @ Q / np.sqrt(Q.shape[1]), axis=0),
          "the scale takes the width, which is the number of rows here."),
         (lambda Q, K, V: V @ softmax(K.T @ Q / np.sqrt(Q.shape[0]), axis=1),
          "the softmax goes along the rows; here a query's budget is a column.")]),
    "slip": Judged(_silent, (2, 2), offered=[
        [[1.0, 0.0], [2.0, 1.0]], [[1.0, 1.0], [1.0, 1.0]], [[1.0, 2.0], [3.0, 4.0]], [[1.0, 2.0], [2.0, -1.0]]]),
}
