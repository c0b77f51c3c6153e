"""Exercises of the chapter `basic_attention`."""

import numpy as np

from attnkit import softmax
from bookkit.lessons.exercises.examples import WORDS
from bookkit.lessons.exercises.grading import Function, Guess, Value

SENTENCE = np.array([[-0.5, -0.8], [-0.2, -0.3], [1.4, -0.2], [0.8, 0.8]])


def _attend(X):
    return softmax(X @ X.T) @ X


# The steps after the scores, by a letter each, and wrong orders: those that lead to no infinity or nan.
STEPS = {
    "s": lambda A, X: A - A.max(axis=1, keepdims=True),
    "e": lambda A, X: np.exp(A),
    "d": lambda A, X: A / A.sum(axis=1, keepdims=True),
    "b": lambda A, X: A @ X,
}
WRONG_ORDERS = {
    "here the words are averaged before there are weights; that step comes last.":
        ["sebd", "sdbe", "sbde", "dsbe", "debs", "dbse", "dbes", "bsed", "bsde", "bdse", "bdes"],
    "scores may be negative, and dividing them makes no weights; powers of e come first.": ["sdeb", "dseb", "desb"],
}


def _in_order(steps):
    def attend(X):
        A = X @ X.T
        for letter in steps:
            A = STEPS[letter](A, X)
        return A
    return attend


def _rounds(distance):
    X, count = SENTENCE, 0
    while np.linalg.norm(X[:, None] - X[None], axis=-1).max() > distance:
        X, count = _attend(X), count + 1
    return count


EXERCISES = {
    "two": Value(
        np.round(softmax(np.array([1.0, 0.0])), 3), within=0.002,
        labels=["for itself", "for the other"],
        mistakes=[([1.0, 0.0], "these are the scores; softmax makes weights of them."),
                  ([0.269, 0.731], "the first item scores higher with itself."),
                  ([2.718, 1.0], "these are the powers; divide each by their sum."),
                  ([0.67, 0.33], "this divides the scores by √2 first; basic attention leaves that out.")]),
    "attend": Function(
        _attend, [(30 * WORDS[1:],), (WORDS,)],
        [(lambda X: softmax(X @ X.T), "these are the weights; multiply them with X."),
         (lambda X: softmax(X @ X.T, axis=0) @ X, "the softmax goes down the columns; each row should sum to one."),
         (lambda X: softmax(X @ X.T / np.sqrt(X.shape[1])) @ X,
          "this divides the scores by a square root; basic attention does not."),
         (lambda X: X @ X.T @ X, "the softmax is missing."),
         *((_in_order(order), words) for words, orders in WRONG_ORDERS.items() for order in orders)],
        code="""
def basic_attention(X):
    A = X @ X.T
    ___
    return A
""",
        lines=["A = A - A.max(axis=1, keepdims=True)", "A = np.exp(A)", "A = A / A.sum(axis=1, keepdims=True)",
               "A = A @ X"]),
    "repeat": Value(_rounds(0.01), [
        (_rounds(0.01) - 1, "not quite: one round more."),
        (_rounds(0.01) + 1, "one round less is enough; the words you start from are no round.")]),
}

GUESSES = {
    "centre": Guess(["run itself, as before", "the two words that lie next to it", "none: all four get the same"],
                    right=2),
}
