"""Exercises of the chapter `queries_keys_values`."""

import numpy as np

from attnkit import softmax
from bookkit.lessons.exercises.examples import W_KEY, W_QUERY, WORDS
from bookkit.lessons.exercises.grading import Function, Guess, Judged
from bookkit.pictures.formats import plain


def _head(X, w_query, w_key, w_value):
    return softmax((X @ w_query) @ (X @ w_key).T / np.sqrt(w_query.shape[1])) @ (X @ w_value)


def _away(product):
    weights = softmax(product)
    for i in range(2):
        if weights[i, 1 - i] <= 0.9:
            return f"item {i + 1} gives the other item {plain(weights[i, 1 - i], 3)} of its weight, not more than 0.9."
    return None


def _head_weights(X, w_query, w_key):
    return softmax((X @ w_query) @ (X @ w_key).T / np.sqrt(w_query.shape[1]))


EXERCISES = {
    "head": Function(
        _head, [(WORDS, W_QUERY, W_KEY, np.eye(3)[:, :2]), (WORDS[:2], W_KEY, W_QUERY, np.ones((3, 1)))],
        [(lambda X, q, k, v: softmax((X @ q) @ (X @ k).T) @ (X @ v), "the scale is missing."),
         (lambda X, q, k, v: _head(X, k, q, v), "queries and keys have changed places."),
         (lambda X, q, k, v: softmax((X @ q) @ (X @ k).T / np.sqrt(X.shape[1])) @ (X @ v),
          "the scale has the width of the items in it; it needs the width of the queries."),
         (lambda X, q, k, v: _head_weights(X, q, k) @ X,
          "these are averages of the words; average what they hand over."),
         (lambda X, q, k, v: softmax((X @ q) @ (X @ k).T / np.sqrt(q.shape[1]), axis=0) @ (X @ v),
          "the softmax goes down the columns; the budget of a word is a row."),
         (lambda X, q, k, v: (X @ q) @ (X @ k).T / np.sqrt(q.shape[1]) @ (X @ v),
          "these are scores, and not weights yet: the softmax is missing.")],
        code="""
def one_head(X, W_Q, W_K, W_V):
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = ___
    return ___
""",
        choices=[["Q @ K.T", "K @ Q.T / np.sqrt(W_Q.shape[1])", "Q @ K.T / np.sqrt(X.shape[1])",
                  "Q @ K.T / np.sqrt(W_Q.shape[1])"],
                 ["scores @ V", "softmax(scores) @ X", "softmax(scores) @ V", "softmax(scores, axis=0) @ V"]]),
    "away": Judged(_away, (2, 2)),
    "bug": Function(
        _head_weights, [(WORDS, W_QUERY, W_KEY), (WORDS[:2], W_KEY, W_QUERY)],
        [(lambda X, q, k: _head_weights(X, q, q), "the scores are still symmetric: the keys are made with W_Q."),
         (lambda X, q, k: _head_weights(X, k, k), "the scores are still symmetric: the queries are made with W_K."),
         (lambda X, q, k: _head_weights(X, k, q), "queries and keys have changed places."),
         (lambda X, q, k: softmax((X @ q) @ (X @ k).T), "the scale is missing."),
         (lambda X, q, k: softmax((X @ q) @ (X @ q).T),
          "the scores are still symmetric, and now the scale is missing, too."),
         (lambda X, q, k: softmax((X @ q) @ k.T / np.sqrt(q.shape[1])),
          "W_K is the same for all words; the key of a word is the word times W_K.")],
        code="""
def head_weights(X, W_Q, W_K):
    Q = X @ W_Q
    K = ___
    scores = ___
    return softmax(scores)
""",
        choices=[["X @ W_Q", "X @ W_K", "W_K"],
                 ["Q @ K.T / np.sqrt(Q.shape[1])", "K @ Q.T / np.sqrt(Q.shape[1])", "Q @ K.T"]]),
}

GUESSES = {
    "output": Guess(["itself, with a little of “girl”", "“girl”, nearly alone", "an even mixture of all four"],
                    right=1),
}
