"""Exercises of the chapter `masks`."""

import numpy as np

from attnkit import attention, causal_mask, scaled_dot, softmax, window_mask
from bookkit.lessons.exercises.examples import WORDS
from bookkit.lessons.exercises.grading import Function, Guess, Value


def _recent(n, r):
    return causal_mask(n) & window_mask(n, r)


def _masked(Q, K, V, mask):
    return attention(Q, K, V, mask=mask.astype(bool))[0]


def _afterwards(Q, K, V, mask):
    return (softmax(scaled_dot(Q, K)) * mask) @ V


ALLOWED = np.array([[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 1.0]])

EXERCISES = {
    "by_hand": Value([0.75, 0.25, 0.0], within=0.006, mistakes=[
        ([0.6, 0.2, 0.2], "this is the row without the mask."),
        ([0.6, 0.2, 0.0], "the hidden key has no weight, but the rest must sum to one again.")],
        labels=["key 1", "key 2", "key 3"]),
    "recent": Function(
        _recent, [(5, 1), (4, 2), (3, 0)],
        [(lambda n, r: causal_mask(n), "this looks back without end."),
         (lambda n, r: window_mask(n, r), "this looks ahead, too."),
         (lambda n, r: _recent(n, r).T, "rows are queries, columns are keys: this is turned round."),
         (lambda n, r: causal_mask(n) | window_mask(n, r), "this shows what only one of the two masks allows, too.")],
        code="""
def recent(n, r):
    return ___
""",
        choices=[["causal_mask(n) | window_mask(n, r)", "window_mask(n, r)", "causal_mask(n)",
                  "causal_mask(n) & window_mask(n, r)"]]),
    "bug": Function(
        _masked, [(WORDS[:3], WORDS[1:4], WORDS[:3], ALLOWED), (WORDS[1:4], WORDS[:3], WORDS[1:4], ALLOWED)],
        [(_afterwards, "the weights of a row still do not sum to one."),
         (lambda Q, K, V, m: softmax(scaled_dot(Q, K) * m) @ V, "a score of 0 is not hidden: e to the 0 is 1."),
         (lambda Q, K, V, m: attention(Q, K, V)[0], "the mask is not used."),
         (lambda Q, K, V, m: _masked(Q, K, V, 1 - m), "this hides what may be seen, and shows what may not.")],
        code="""
def masked_attention(Q, K, V, mask):
    seen = mask == 1
    scores = Q @ K.T / np.sqrt(K.shape[1])
    weights = ___
    return weights @ V
""",
        choices=[["softmax(scores * seen)", "softmax(np.where(seen, scores, -np.inf))", "softmax(scores) * seen",
                  "softmax(np.where(seen, -np.inf, scores))"]]),
}

GUESSES = {
    "hidden": Guess(["to see and to that itself, about half each", "all of it to that itself",
                     "nowhere: the row sums to less than 1"], right=0),
}
