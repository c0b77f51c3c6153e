"""Exercises of the chapter `positions`."""

import numpy as np

from attnkit import relative_bias, rotary, scaled_dot
from bookkit.lessons.exercises.examples import WORDS
from bookkit.lessons.exercises.grading import Function, Guess, Value


def _relative_scores(Q, K, table):
    return scaled_dot(Q, K) + relative_bias(table, len(Q))


def _rotary_scores(Q, K):
    return scaled_dot(rotary(Q), rotary(K))


def _either_way(Q, K, table):
    i = np.arange(len(Q))
    r, away = len(table) // 2, np.abs(i[None, :] - i[:, None])
    return scaled_dot(Q, K) + table[np.minimum(away, r) + r]


def _from_the_front(Q, K, table):
    i, r = np.arange(len(Q)), len(table) // 2
    return scaled_dot(Q, K) + table[np.clip(i[None, :] - i[:, None], -r, r)]


PLACES = np.array([[0.4, -1.0, 2.0, 0.5], [1.0, 0.3, -0.7, 1.2], [-0.2, 0.8, 0.1, -1.5]])
THREE = np.array([[1.0], [2.0], [0.0]])

EXERCISES = {
    "bias": Value([[0, 5, 5], [1, 0, 5], [1, 1, 0]], within=0.001, mistakes=[
        ([[0, 1, 1], [5, 0, 1], [5, 5, 0]], "rows are queries, columns are keys: this is turned round."),
        ([[0, 5, 0], [1, 0, 5], [0, 1, 0]], "two places apart is beyond the table; its last number is used again.")]),
    "relative": Function(
        _relative_scores, [(WORDS[:3], WORDS[1:4], np.array([0.5, -1.0, 2.0, 0.0, 3.0])),
                           (PLACES, PLACES, np.array([0.3, -0.6, 1.0, 0.1, -2.0])),
                           (THREE, THREE, np.array([0.5, -1.0, 2.0]))],
        [(lambda Q, K, t: _relative_scores(Q, K, t[::-1]), "before and after have changed places."),
         (lambda Q, K, t: Q @ K.T + relative_bias(t, len(Q)), "the scale is missing."),
         (lambda Q, K, t: scaled_dot(Q, K), "the bias is missing."),
         (_either_way, "a word before and a word after get the same number; a distance has a sign."),
         (_from_the_front,
          "the query's own place takes the first number of the table; it should take the middle one.")],
        code="""
def scores_with_bias(Q, K, table):
    r, i = len(table) // 2, np.arange(len(Q))
    distance = ___
    near = np.clip(distance, -r, r)
    return Q @ K.T / np.sqrt(Q.shape[1]) + table[___]
""",
        choices=[["i[:, None] - i[None, :]", "i[None, :] - i[:, None]", "np.abs(i[None, :] - i[:, None])"],
                 ["near", "distance + r", "near + r"]]),
    "bug": Function(
        _rotary_scores, [(PLACES, PLACES[::-1].copy()), (PLACES[:2], PLACES[1:])],
        [(lambda Q, K: scaled_dot(rotary(Q), K), "only the queries are turned: the score still depends on the place."),
         (lambda Q, K: scaled_dot(Q, rotary(K)), "only the keys are turned: the score still depends on the place."),
         (lambda Q, K: scaled_dot(rotary(rotary(Q)), K), "the queries turn twice as far now, and the keys not at all."),
         (lambda Q, K: rotary(Q) @ rotary(K).T, "the scale is missing.")],
        code="""
def rotary_scores(Q, K):
    ___
    return Q @ K.T / np.sqrt(K.shape[1])
""",
        choices=[["Q = rotary(Q)", "Q = rotary(rotary(Q))", "K = rotary(K)", "Q, K = rotary(Q), rotary(K)"]]),
}

GUESSES = {
    "before": Guess(["that, the word right before", "see, as before", "both about equally"], right=1),
}
