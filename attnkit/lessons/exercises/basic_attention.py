"""Exercises of the chapter `basic_attention`."""

import numpy as np

from attnkit import softmax
from attnkit.lessons.exercises.examples import WORDS
from attnkit.lessons.exercises.grading import Function, Judged, Value

SENTENCE = np.array([[0.2, -0.1], [-0.1, 0.2], [1.2, -0.6], [0.8, 0.8]])


def _attend(X):
    return softmax(X @ X.T) @ X


def _rounds(distance):
    X, count = SENTENCE, 0
    while np.linalg.norm(X[:, None] - X[None], axis=-1).max() > distance:
        X, count = _attend(X), count + 1
    return count


def _none_at_home(items):
    lengths = np.linalg.norm(items, axis=1)
    if len(np.unique(items, axis=0)) < len(items):
        return "two of the items are the same."
    if lengths.max() > 5:
        return "an item is longer than 5."
    scores = items @ items.T
    longest = lengths.argmax()
    for i in range(len(items)):
        others = np.delete(scores[i], i).max()
        if i != longest and scores[i, i] >= others:
            return f"item {i + 1} gives its largest weight to itself."
    return None


EXERCISES = {
    "two": Value(
        np.round(softmax(np.array([1.0, 0.0])), 3), within=0.002,
        mistakes=[([1.0, 0.0], "these are the scores; softmax makes weights of them."),
                  ([0.269, 0.731], "the first item scores higher with itself.")]),
    "attend": Function(
        _attend, [(WORDS,), (30 * WORDS[1:],)],
        [(lambda X: softmax(X @ X.T), "these are the weights; multiply them with X."),
         (lambda X: softmax(X @ X.T, axis=0) @ X, "the softmax goes down the columns; each row should sum to one."),
         (lambda X: softmax(X @ X.T / np.sqrt(X.shape[1])) @ X,
          "this divides the scores by a square root; basic attention does not."),
         (lambda X: X @ X.T @ X, "the softmax is missing.")]),
    "repeat": Value(_rounds(0.01), [(_rounds(0.01) - 1, "not quite: one round more.")]),
    "break": Judged(_none_at_home, (3, 2), offered=[
        [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [[1.0, 0.0], [2.0, 0.0], [3.0, 0.0]], [[3.0, 0.0], [0.0, 3.0], [-3.0, 0.0]],
        [[2.0, 1.0], [2.0, 1.0], [4.0, 2.0]]]),
}
