"""Exercises of the chapter `learning`."""

import numpy as np

from attnkit.lessons.exercises.grading import Function, Value


def _slopes(x, A, t):
    return 2 * (x @ A - t) @ A.T


EXERCISES = {
    "steps": Value([2.0, 2.5, 2.75], [
        ([0.0, -1.5, -3.75], "these steps go uphill: a step goes against the slope."),
        ([5.0, 1.0, 5.0], "the slope is multiplied by the rate, 0.25."),
        ([2.0, 3.0, 4.0], "the slope is smaller at each new m.")]),
    "slopes": Function(
        _slopes, [(np.array([0.3, -1.2, 2.0]), np.array([[1.0, 0.5], [-0.4, 2.0], [0.0, 1.0]]), np.array([1.0, -1.0])),
                  (np.array([1.0, 1.0]), np.eye(2), np.array([0.0, 3.0]))],
        [(lambda x, A, t: -_slopes(x, A, t), "the sign is wrong: the loss above, minus the loss below."),
         (lambda x, A, t: 2 * _slopes(x, A, t), "the two pushed points are 2 h apart: divide by 2 h."),
         (lambda x, A, t: 2e-5 * _slopes(x, A, t), "these are the changes; divide them by 2 h.")]),
}
