"""Exercises of the chapter `score_functions`."""

import numpy as np

from attnkit import softmax
from attnkit.lessons.exercises.examples import CONCAT, W_KEY, W_QUERY, WORDS
from attnkit.lessons.exercises.grading import Function, Judged, Value
from attnkit.pictures.formats import plain


def _additive(query, key, w_query, w_key, v):
    return np.tanh((query @ w_query)[:, None, :] + (key @ w_key)[None, :, :]) @ v


def _middle(parameters):
    if np.abs(parameters).max() > 10:
        return "every number must lie between −10 and 10."
    w_query, w_key, v = parameters
    weight = softmax(_additive(np.ones((1, 1)), np.array([[-1.0], [0.0], [1.0]]), w_query[None], w_key[None], v))[0, 1]
    return None if weight > 0.5 else f"the middle key gets {plain(weight, 3)} of the weight."


PAIRS = (np.array([[2.0, 1.0], [-1.0, 0.5], [0.0, -2.0]]), np.array([[1.0], [-0.5]]),
          np.array([[0.4, -1.0], [1.0, 0.3]]), np.array([[0.8, -0.6]]), np.array([1.0, -2.0]))

EXERCISES = {
    "by_hand": Value([3.0, 0.6, -4.0], mistakes=[
        ([3.0, 3.0, -4.0], "the cosine is the dot product over both lengths; their product is 5."),
        ([3.0, 0.6, 4.0], "the query is turned to the left, to (−1, 2), and the key stays as it is.")]),
    "additive": Function(
        _additive, [PAIRS, (WORDS, WORDS[:2], W_QUERY, W_KEY, np.array([0.5, 1.0]))],
        [(lambda q, k, a, b, v: _additive(q, k, a, b, np.ones_like(v)), "v is not used; this adds the hidden numbers."),
         (lambda q, k, a, b, v: _additive(q, k, a, b, v).T, "this has a row for each key; each query should have one."),
         (lambda q, k, a, b, v: (q @ a @ v)[:, None] + k @ b @ v, "the tanh is missing.")]),
    "middle": Judged(_middle, (3, 2)),
    "concat": Function(
        lambda W, width: np.stack([W[:int(width)], W[int(width):]]), [(CONCAT, 2), (CONCAT[:2], 1)],
        [(lambda W, width: np.stack([W[int(width):], W[:int(width)]]), "the query comes first in the concatenation.")]),
}
