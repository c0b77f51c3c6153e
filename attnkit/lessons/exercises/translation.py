"""Exercises of the chapter `translation`."""

import numpy as np

from attnkit import softmax
from attnkit.lessons.exercises.grading import Function, Judged, Value
from attnkit.pictures.formats import plain

ANNOTATIONS = np.array([[1.0, 0.1], [-0.2, 1.2], [0.7, -0.9]])


def _to_you(state):
    if np.abs(state).max() > 3:
        return "both numbers must lie between −3 and 3."
    weight = softmax(ANNOTATIONS @ state)[2]
    return None if weight > 0.9 else f"“you” gets {plain(weight, 3)} of the weight."


def _aligned(weights, right):
    return (weights.argmax(axis=1) == np.asarray(right)).mean()


EXERCISES = {
    "step": Value([0.23, 0.69, 0.08], within=0.006, mistakes=[
        ([1.11, 3.32, 0.41], "these are the powers; divide each by their sum."),
        ([0.1, 1.2, -0.9], "these are the scores; the softmax is still to come.")]),
    "state": Judged(_to_you, (2,)),
    "aligned": Function(
        _aligned, [(np.array([[0.9, 0.1, 0.0], [0.2, 0.3, 0.5]]), [0, 1]),
                   (np.array([[0.94, 0.02, 0.04], [0.11, 0.01, 0.88], [0.03, 0.95, 0.02]]), [0, 2, 1])],
        [(lambda weights, right: (weights.argmax(axis=1) == np.asarray(right)).sum(),
          "this counts the rows; the share is the count over the number of rows."),
         (lambda weights, right: weights[np.arange(len(weights)), right].mean(),
          "this is the mean weight in the right places, not the share of rows that are right.")]),
    "beam": Value([0.2, 0.36], mistakes=[
        ([0.2, 0.2], "the beam still has B after the first step."),
        ([0.36, 0.36], "greedy decoding takes A and never learns what B leads to.")]),
}
