"""Exercises of the chapter `queries_keys_values`."""

import numpy as np

from attnkit import softmax
from attnkit.lessons.exercises.examples import W_KEY, W_QUERY, WORDS
from attnkit.lessons.exercises.grading import Function, Judged, Value
from attnkit.pictures.formats import plain

W_VALUE = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])


def _head(X, w_query, w_key, w_value):
    return softmax((X @ w_query) @ (X @ w_key).T / np.sqrt(w_query.shape[1])) @ (X @ w_value)


def _away(product):
    weights = softmax(product)
    for i in range(2):
        if weights[i, 1 - i] <= 0.9:
            return f"item {i + 1} gives the other {plain(weights[i, 1 - i], 3)}."
    return None


def _that_looks_at_run(change):
    row, column, new = change
    if row not in range(4) or column not in range(3):
        return "there are rows 0 to 3 and columns 0 to 2."
    if abs(new) > 1:
        return "the new number must lie between −1 and 1."
    X = WORDS.copy()
    X[int(row), int(column)] = new
    weights = softmax((X @ W_QUERY)[1] @ (X @ W_KEY).T / np.sqrt(2))
    best = ["see", "that", "girl", "run"][int(weights.argmax())]
    return None if best == "run" else f"now “that” looks most at “{best}” ({plain(weights.max())})."


EXERCISES = {
    "query": Value([-1.3, 0.9], [
        ([0.9, -1.3], "the two numbers have changed places: the first column of the matrix is about nouns."),
        ([1.35, -0.6], "this is the key of girl; multiply with the matrix of queries.")]),
    "head": Function(
        _head, [(WORDS, W_QUERY, W_KEY, W_VALUE), (WORDS[:2], W_KEY, W_QUERY, np.ones((3, 1)))],
        [(lambda X, q, k, v: softmax((X @ q) @ (X @ k).T) @ (X @ v), "the scale is missing."),
         (lambda X, q, k, v: _head(X, k, q, v), "queries and keys have changed places."),
         (lambda X, q, k, v: softmax((X @ q) @ (X @ k).T / np.sqrt(X.shape[1])) @ (X @ v),
          "the scale has the width of the items in it; it needs the width of the queries.")]),
    "away": Judged(_away, (2, 2)),
    "break": Judged(_that_looks_at_run, (3,)),
}
