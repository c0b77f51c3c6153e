"""Exercises of the chapter `learning`."""

import numpy as np

from bookkit.lessons.exercises.grading import Function, Guess, Value


def _slopes(x, A, t):
    return 2 * (x @ A - t) @ A.T


EXERCISES = {
    "steps": Value([2.0, 2.5, 2.75], [
        ([0.0, -1.5, -3.75], "these steps go uphill: a step goes against the slope."),
        ([5.0, 1.0, 5.0], "the slope is multiplied by the rate, 0.25."),
        ([2.0, 3.0, 4.0], "the slope is smaller at each new m.")],
        labels=["after 1 step", "after 2 steps", "after 3 steps"]),
    "slopes": Function(
        _slopes, [(np.array([0.3, -1.2, 2.0]), np.array([[1.0, 0.5], [-0.4, 2.0], [0.0, 1.0]]), np.array([1.0, -1.0])),
                  (np.array([1.0, 1.0]), np.eye(2), np.array([0.0, 3.0]))],
        [(lambda x, A, t: -_slopes(x, A, t), "the sign is wrong: the loss above, minus the loss below."),
         (lambda x, A, t: 2 * _slopes(x, A, t), "the two pushed points are 2 h apart: divide by 2 h."),
         (lambda x, A, t: 2e-5 * _slopes(x, A, t), "these are the changes; divide them by 2 h."),
         (lambda x, A, t: 0 * x, "all slopes are 0: are up and down two arrays, or two names of one?"),
         (lambda x, A, t: _slopes(0 * x, A, t), "these are the slopes at x = 0; push from where x is.")],
        code="""
def slopes(x, A, t):
    def loss(x):
        return ((x @ A - t)**2).sum()

    h, found = 1e-5, []
    for i in range(len(x)):
        ___
        up[i] += h
        down[i] -= h
        found.append(___)
    return np.array(found)
""",
        choices=[["up = down = x.copy()", "up, down = x.copy(), x", "up, down = x.copy(), x.copy()",
                  "up, down = np.zeros_like(x), np.zeros_like(x)"],
                 ["loss(up) - loss(down)", "(loss(up) - loss(down)) / (2 * h)", "(loss(up) - loss(down)) / h",
                  "(loss(down) - loss(up)) / (2 * h)"]]),
}

GUESSES = {
    "long_steps": Guess(["it rises with every step", "it swings up and down without end",
                         "it falls once, and then stands still", "it is near zero after one step"], right=2),
}
