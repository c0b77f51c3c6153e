"""Exercises of the chapter `score_functions`."""

import numpy as np

from attnkit import softmax
from bookkit.lessons.exercises.examples import WORDS
from bookkit.lessons.exercises.grading import Function, Guess, Judged, Value
from bookkit.pictures.formats import plain

KEYS = np.array([[3.0, -1.0], [1.0, 0.5], [-1.0, 2.0], [1.0, 2.0]])


def _nearest(q, K, cost=0.5):
    return (K @ q - cost * (K**2).sum(axis=1)).argmax()


def _middle(answer):
    x, scale = answer
    if abs(x) > 3:
        return "the query's number must lie between −3 and 3."
    if not 0 < scale <= 20:
        return "the scale must be above 0 and at most 20."
    keys = np.array([-1.0, 0.0, 1.0])
    weight = softmax(-scale * (x - keys) ** 2 / 2)[1]
    return None if weight > 0.9 else f"the middle key gets {plain(weight, 3)} of the weight."


EXERCISES = {
    "by_hand": Value([5.0, 0.71, -2.5], within=0.006, mistakes=[
        ([5.0, 5.0, -2.5], "the cosine is the dot product over both lengths, √5 and √10."),
        ([5.0, 0.1, -2.5], "lengths are square roots: √5 and √10, not 5 and 10."),
        ([5.0, 0.71, 2.5], "the nearer, the higher: the distance score has a minus in front."),
        ([5.0, 0.71, -5.0], "this is the whole squared distance; the score is minus half of it."),
        ([5.0, 0.71, -1.12], "the distance is squared before it is halved; no root is taken.")],
        labels=["dot product", "cosine", "by distance"]),
    "distance": Function(
        _nearest, [*((q, KEYS) for q in np.array([[2.0, 1.0], [-2.0, -1.0], [0.3, 0.5]])), (WORDS[0], WORDS[1:])],
        [(lambda q, K: (K @ q).argmax(), "this is the largest dot product; a long key wins it from afar."),
         (lambda q, K: _nearest(q, K, 1), "each key pays half of its squared length, not the whole."),
         (lambda q, K: (K @ q / np.sqrt((K**2).sum(axis=1))).argmax(), "this is the nearest direction, the cosine's."),
         (lambda q, K: ((K - q)**2).sum(axis=1).argmax(), "this is the key that is furthest away."),
         (lambda q, K: K @ q - (K**2).sum(axis=1) / 2, "these are scores; the number of the best key is asked for."),
         (lambda q, K: (K @ q - (K**2).sum(axis=1) / 2).max(), "this is the best score; which key has it?"),
         (lambda q, K: (K @ q - np.sqrt((K**2).sum(axis=1))).argmax(),
          "a key pays half of its squared length; this is the length itself.")],
        code="""
def nearest(q, K):
    price = ___
    return (K @ q - price).___
""",
        choices=[["(K * K).sum(axis=1)", "np.sqrt((K * K).sum(axis=1))", "(K * K).sum(axis=1) / 2",
                  "(K * K).sum() / 2"],
                 ["max()", "argmax()", "argmin()"]]),
    "middle": Judged(_middle, (2,), offered=[[0.0, 3.0], [0.0, 8.0], [1.0, 20.0], [0.4, 9.0]]),
}

GUESSES = {
    "never": Guess(["`near`", "`left`", "`along`", "none: each can win somewhere"], right=2),
}
