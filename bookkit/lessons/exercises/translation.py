"""Exercises of the chapter `translation`."""

import numpy as np

from attnkit import softmax
from bookkit.lessons.exercises.grading import Function, Guess, Value

KEYS = np.array([[0.4, 0.9], [-0.5, -1.0], [1.2, 0.3]])
V = np.array([2.0, -2.0])


def _weights(query):
    return softmax(np.tanh(np.array(query) + KEYS) @ V)


def _read(X, W, U, *, keep=True):
    states = [np.zeros(len(U))]
    for x in X:
        states.append(np.tanh(keep * states[-1] @ U + x @ W))
    return np.array(states)


def _squeezed_apart(X, W, U):
    states = [np.zeros(len(U))]
    for x in X:
        states.append(np.tanh(states[-1] @ U) + x @ W)
    return np.array(states[1:])


def _summed(X, W, U):
    return np.tanh(X @ W).cumsum(axis=0)


def _aligned(weights, right):
    return (weights.argmax(axis=1) == np.asarray(right)).mean()


X = np.array([[0.5, -1.0], [1.0, 0.5], [-0.5, 0.0]])
W = np.array([[1.0, -0.5, 0.0], [0.5, 1.0, -1.0]])
U = np.array([[0.5, 0.0, -1.0], [1.0, -0.5, 0.5], [0.0, 1.0, 0.5]])

EXERCISES = {
    "step": Value(_weights([2.0, -0.5]), within=0.006, mistakes=[
        (_weights([-0.5, 2.0]), "these are the weights of the step before."),
        (np.tanh(np.array([2.0, -0.5]) + KEYS) @ V, "these are the scores; the softmax is still to come.")],
        labels=["I", "love", "you"]),
    "read": Function(
        lambda X, W, U: _read(X, W, U)[1:], [(X, W, U), (X[::-1], 2 * W, U.T)],
        [(lambda X, W, U: _read(X, W, U)[-1], "this is the last state only; all of them are asked for."),
         (_read, "the zeros are no state of a word; leave them out."),
         (lambda X, W, U: _read(X, W, U, keep=False)[1:], "each state forgets the one before it."),
         (lambda X, W, U: _read(X, W, U)[2:], "a state is missing: the first word has one, too."),
         (_squeezed_apart, "the tanh must squeeze the whole sum; here it leaves out what comes from the word."),
         (_summed, "the old state goes through U, and then into the tanh with the word.")],
        code="""
def read(X, W, U):
    h, states = np.zeros(len(U)), []
    for x in X:
        h = ___
        states.append(h)
    return ___
""",
        choices=[["np.tanh(x @ W)", "np.tanh(h @ U) + x @ W", "h + np.tanh(x @ W)", "np.tanh(h @ U + x @ W)"],
                 ["h", "np.array(states)", "np.array(states[1:])"]]),
    "aligned": Function(
        _aligned, [(np.array([[0.9, 0.1, 0.0], [0.2, 0.3, 0.5]]), [0, 1]),
                   (np.array([[0.94, 0.02, 0.04], [0.11, 0.01, 0.88], [0.03, 0.95, 0.02]]), [0, 2, 1])],
        [(lambda weights, right: (weights.argmax(axis=1) == np.asarray(right)).sum(),
          "this counts the rows; the share is the count over the number of rows."),
         (lambda weights, right: weights[np.arange(len(weights)), right].mean(),
          "this is the mean weight in the right places, not the share of rows that are right."),
         (lambda weights, right: (weights.argmax(axis=1) == np.asarray(right)).all(),
          "this says whether every row is right; the share of rows is asked for."),
         (lambda weights, right: (weights.argmax() == np.asarray(right)).mean(),
          "this is one place for the whole matrix; each row needs its own."),
         (lambda weights, right: 0.0, "no row matches: a largest weight is no place. Where in its row does it stand?")],
        code="""
def aligned(weights, right):
    places = ___
    return ___
""",
        choices=[["weights.argmax()", "weights.argmax(axis=1)", "weights.argmax(axis=0)", "weights.max(axis=1)"],
                 ["(places == right).mean()", "(places == right).sum()", "(places == right).all()",
                  "weights[range(len(right)), right].mean()"]]),
}

GUESSES = {
    "swapped": Guess(["`de`, because the English still says “not”", "`un`, because of the French word just before it",
                      "nothing more: it is lost"], right=1),
}
