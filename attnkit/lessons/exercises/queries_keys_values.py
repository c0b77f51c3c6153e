"""Exercises of the chapter `queries_keys_values`."""

import numpy as np

from attnkit import softmax
from attnkit.lessons.exercises.examples import W_KEY, W_QUERY, WORDS
from attnkit.lessons.exercises.grading import Function, Judged
from attnkit.pictures.formats import plain


def _head(X, w_query, w_key, w_value):
    return softmax((X @ w_query) @ (X @ w_key).T / np.sqrt(w_query.shape[1])) @ (X @ w_value)


def _away(product):
    weights = softmax(product)
    for i in range(2):
        if weights[i, 1 - i] <= 0.9:
            return f"item {i + 1} gives the other {plain(weights[i, 1 - i], 3)}."
    return None


def _head_weights(X, w_query, w_key):
    return softmax((X @ w_query) @ (X @ w_key).T / np.sqrt(w_query.shape[1]))


EXERCISES = {
    "head": Function(
        _head, [(WORDS, W_QUERY, W_KEY, np.eye(3)[:, :2]), (WORDS[:2], W_KEY, W_QUERY, np.ones((3, 1)))],
        [(lambda X, q, k, v: softmax((X @ q) @ (X @ k).T) @ (X @ v), "the scale is missing."),
         (lambda X, q, k, v: _head(X, k, q, v), "queries and keys have changed places."),
         (lambda X, q, k, v: softmax((X @ q) @ (X @ k).T / np.sqrt(X.shape[1])) @ (X @ v),
          "the scale has the width of the items in it; it needs the width of the queries.")]),
    "away": Judged(_away, (2, 2)),
    "bug": Function(
        _head_weights, [(WORDS, W_QUERY, W_KEY), (WORDS[:2], W_KEY, W_QUERY)],
        [(lambda X, q, k: _head_weights(X, q, q), "the scores are still symmetric: the keys are made with W_Q."),
         (lambda X, q, k: _head_weights(X, k, k), "the scores are still symmetric: the queries are made with W_K."),
         (lambda X, q, k: _head_weights(X, k, q), "queries and keys have changed places."),
         (lambda X, q, k: softmax((X @ q) @ (X @ k).T), "the scale is missing.")]),
}
