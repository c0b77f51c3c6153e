"""Exercises of the chapter `layers`."""

import numpy as np

from attnkit import attention
from attnkit.lessons.exercises.examples import WORDS
from attnkit.lessons.exercises.grading import Function, Value


def _four_on(first, second, *, value=None):
    two_on, _ = attention(20 * second, first, second)
    return attention(20 * two_on, first, two_on if value is None else value)[0]


def _norm(X):
    return (X - X.mean(axis=1, keepdims=True)) / X.std(axis=1, keepdims=True)


def _block(X, W_1, W_2):
    X = X + attention(_norm(X), _norm(X), _norm(X))[0]
    return X + np.maximum(_norm(X) @ W_1, 0) @ W_2


def _on_the_stream(X, W_1, W_2):
    X = _norm(X)
    X = _norm(X + attention(X, X, X)[0])
    return X + np.maximum(X @ W_1, 0) @ W_2


def _lost(X, W_1, W_2):
    X = attention(_norm(X), _norm(X), _norm(X))[0]
    return np.maximum(_norm(X) @ W_1, 0) @ W_2


def _bare(X, W_1, W_2):
    X = X + attention(X, X, X)[0]
    return X + np.maximum(X @ W_1, 0) @ W_2


PEOPLE = np.eye(7)
W_1 = np.array([[0.5, -1.0, 0.0, 1.0], [1.0, 0.5, -0.5, 0.0], [-1.0, 0.0, 1.0, 0.5]])
W_2 = np.array([[1.0, 0.0, -0.5], [0.5, 1.0, 0.0], [0.0, -1.0, 0.5], [-0.5, 0.5, 1.0]])

EXERCISES = {
    "four_on": Function(
        _four_on, [(PEOPLE[:6], PEOPLE[1:]), (PEOPLE[2:6], PEOPLE[3:])],
        [(lambda first, second: _four_on(first, second, value=second), "this is who stands three places on."),
         (lambda first, second: _four_on(first, second, value=first), "this is who stands two places on."),
         (lambda first, second: attention(20 * second, first, second)[0], "this is what layer 1 finds.")]),
    "count": Value([1_048_576, 2_097_152], mistakes=[
        ([2_097_152, 1_048_576], "these are the two numbers, the other way round."),
        ([262_144, 1_048_576], "this is one matrix of each; there are four in attention and two in the MLP."),
        ([1_048_576, 1_048_576], "the MLP has two matrices.")]),
    "bug": Function(
        _block, [(WORDS, W_1, W_2), (2 * WORDS[:3], W_2.T[:, [1, 0, 3, 2]], W_1.T)],
        [(_on_the_stream, "the thick line still goes through a layer norm."),
         (_lost, "what the branches compute is not added to the line."),
         (_bare, "the branches have no layer norm now.")]),
}
