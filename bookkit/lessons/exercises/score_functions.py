"""Exercises of the chapter `score_functions`."""

import numpy as np

from attnkit import softmax
from bookkit.lessons.exercises.examples import CONCAT, W_KEY, W_QUERY, WORDS
from bookkit.lessons.exercises.grading import Function, Guess, Judged, Value
from bookkit.pictures.formats import plain

KEYS = np.array([[3.0, -1.0], [1.0, 0.5], [-1.0, 2.0], [1.0, 2.0]])
V = np.array([1.0, -2.0])


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


def _additive(q, K, W_q, W_k, v):
    return np.tanh(q @ W_q + K @ W_k) @ v


def _concat(q, K, W, v):
    return _additive(q, K, W[:len(q)], W[len(q):], v)


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
    "additive": Function(
        _additive, [(WORDS[0], WORDS, W_QUERY, W_KEY, V), (KEYS[0], WORDS, np.eye(2), W_KEY, V)],
        [(lambda q, K, a, b, v: (q @ a + K @ b) @ v, "the tanh is missing."),
         (lambda q, K, a, b, v: (np.tanh(q @ a) + np.tanh(K @ b)) @ v, "add query and key first, then take the tanh."),
         (lambda q, K, a, b, v: np.tanh(q @ a + K @ b).sum(axis=1), "v is not used; this adds the hidden numbers."),
         (lambda q, K, a, b, v: np.tanh(q @ a + K @ b), "these are the hidden numbers; v is missing."),
         (lambda q, K, a, b, v: np.tanh((q @ a) * (K @ b)) @ v,
          "query and key are added; this gave the score its name.")],
        code="""
def additive(q, K, W_q, W_k, v):
    hidden = ___
    return ___
""",
        choices=[["np.tanh(q @ W_q) + np.tanh(K @ W_k)", "np.tanh((q @ W_q) * (K @ W_k))", "np.tanh(q @ W_q + K @ W_k)",
                  "q @ W_q + K @ W_k"],
                 ["hidden.sum(axis=1)", "hidden", "hidden @ v"]]),
    "concat": Function(
        _concat, [(KEYS[0], KEYS, CONCAT[:, :2] / 9, V), (KEYS[3], KEYS[:2], CONCAT / 9, np.ones(3))],
        [(lambda q, K, W, v: _additive(q, K, W[len(q):], W[:len(q)], v), "the query comes first, then the key."),
         (lambda q, K, W, v: (q @ W[:len(q)] + K @ W[len(q):]) @ v, "the tanh is missing."),
         (lambda q, K, W, v: np.tanh(q @ W[:len(q)] + K @ W[len(q):]), "these are the hidden numbers; v is missing."),
         (lambda q, K, W, v: np.tanh((q + K) @ W[:len(q)]) @ v, "half of W is not used: the key has rows of its own."),
         (lambda q, K, W, v: np.tanh((q + K) @ (W[:len(q)] + W[len(q):])) @ v,
          "here query and key both meet all rows; each has its own.")],
        code="""
def concat(q, K, W, v):
    d = len(q)
    hidden = np.tanh(___)
    return hidden @ v
""",
        choices=[["(q + K) @ W[:d]", "q @ W[:d] + K @ W[d:]", "q @ W[d:] + K @ W[:d]", "(q + K) @ (W[:d] + W[d:])"]]),
}

GUESSES = {
    "never": Guess(["`near`", "`left`", "`along`", "none: each can win somewhere"], right=2),
}
