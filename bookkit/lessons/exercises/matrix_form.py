"""Exercises of the chapter `matrix_form`."""

import numpy as np

from attnkit import softmax
from bookkit.lessons.exercises.examples import REVIEW, WORDS
from bookkit.lessons.exercises.grading import Function, Guess, Value


def _scaled(Q, K, V):
    return softmax(Q @ K.T / np.sqrt(Q.shape[1])) @ V


def _powers(Q, K):
    scores = Q @ K.T / np.sqrt(Q.shape[1])
    return np.exp(scores - scores.max(axis=1, keepdims=True))


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
    "scale": Value(1 / 32, [
        (1 / 8, "the variance of the entries counts, too: 4 for each factor."),
        (1 / 16, "a standard deviation of 2 is a variance of 4, and there are two factors."),
        (1 / 1024, "that divides by the variance; divide by the standard deviation."),
        (32.0, "that is the standard deviation; multiply by one over it.")]),
}

GUESSES = {
    "wait": Guess(["once: all ask together", "three times more, one after the other", "three times more, side by side"],
                  right=0),
}
