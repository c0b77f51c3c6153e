"""Exercises of the chapter `multi_head`."""

import numpy as np

from attnkit.lessons.exercises.examples import CONCAT, WORDS
from attnkit.lessons.exercises.grading import Function, Judged
from attnkit.pictures.formats import plain


def _heads(X, h):
    return X.reshape(len(X), int(h), -1).transpose(1, 0, 2)


def _piece(heads, w_output, i):
    d = heads.shape[2]
    return heads[int(i)] @ w_output[int(i) * d:(int(i) + 1) * d]


def _both_names(weights):
    if weights.min() < 0 or not np.allclose(weights.sum(axis=1), 1):
        return "the weights of a head are not negative and sum to one."
    read = (weights @ np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 1.0]])).reshape(-1)        # Susan gave Mary
    if np.allclose(read, [1, 0, 0, 1]):
        return None
    return f"for “Susan gave Mary” this reads ({', '.join(plain(v) for v in read)}), not (1, 0, 0, 1)."


NUMBERED = np.arange(12.0).reshape(3, 4)

EXERCISES = {
    "split": Function(
        _heads, [(NUMBERED, 2), (WORDS[:, :2], 2), (NUMBERED, 1)],
        [(lambda X, h: X.reshape(int(h), len(X), -1), "the words are mixed; keep each row together, as (n, h, d)."),
         (lambda X, h: X.reshape(len(X), int(h), -1), "the cut is right; heads come first, so exchange two axes.")]),
    "piece": Function(
        _piece, [(_heads(WORDS[:3, :2], 2), NUMBERED[:2], 1), (_heads(NUMBERED, 2), CONCAT, 0)],
        [(lambda heads, w, i: sum(_piece(heads, w, k) for k in range(len(heads))), "this is the sum of all heads.")]),
    "read": Judged(_both_names, (2, 3), offered=[
        [[0.5, 0, 0.5], [0.5, 0, 0.5]], [[0, 0, 1], [1, 0, 0]], [[1, 0, 0], [0, 0, 1]], [[1, 0, 1], [0, 1, 0]]]),
}
