"""Exercises of the chapter `convolution`."""

import numpy as np

from bookkit.lessons.exercises.grading import Function, Guess, Judged, Value, compare
from bookkit.pictures.formats import plain

KERNEL = np.array([3.0, -1.0, -2.0, 1.0, -1.0])


def _two_heads(rows):
    weights, numbers = rows[:, :5], rows[:, 5]
    if (weights < 0).any():
        return "a weight is negative; only the number in W^O may be."
    if not np.allclose(weights.sum(axis=1), 1, rtol=0, atol=1e-6):
        sums = ", ".join(plain(s, 4) for s in weights.sum(axis=1))
        return f"the weights of a head must sum to one, these sum to {sums}."
    return compare(numbers @ weights, KERNEL)


EXERCISES = {
    "heads": Function(
        lambda n, k: np.stack([np.eye(n, k=a - k // 2) for a in range(k)]), [(5, 3), (6, 5)],
        [(lambda n, k: np.stack([np.eye(n, k=k // 2 - a) for a in range(k)]),
          "left and right are exchanged: the ones of the first head lie to the left of the diagonal."),
         (lambda n, k: np.stack([np.roll(np.eye(n), a - k // 2, axis=1) for a in range(k)]),
          "at the border your heads look at the other end; there they should see nothing."),
         (lambda n, k: np.stack([np.eye(n, k=a) for a in range(k)]),
          "your first head looks at the pixel itself; the first offset is negative.")],
        code="""
def heads(n, k):
    return np.stack([___ for a in range(k)])
""",
        choices=[["np.eye(n, k=a)", "np.roll(np.eye(n), a - k // 2, axis=1)", "np.eye(n, k=a - k // 2)",
                  "np.eye(n, k=k // 2 - a)"]]),
    "two_heads": Judged(_two_heads, (2, 6), offered=[
        [[3, 0, 0, 1, 0, 1], [0, 1, 2, 0, 1, -1]], [[0.75, 0, 0, 0.25, 0, 4], [0, 0.25, 0.5, 0, 0.25, 4]],
        [[0.75, 0, 0, 0.25, 0, 4], [0, 0.25, 0.5, 0, 0.25, -4]],
        [[0.6, -0.2, -0.4, 0.2, 0.8, 1], [0.2, 0.2, 0.2, 0.2, 0.2, 0]]]),
    # Of (8, 2, 4) come (4, 1, 2), (8, 8, 8), (8, 2, 3), (9, 2, 4): columns are gates and attention.
    "gates": Value(np.array([[True, False], [False, True], [True, True], [False, False]]), mistakes=[
        (np.array([[True, True], [False, True], [True, True], [False, False]]),
         "a mean of 8, 2 and 4 is never below 2, so attention cannot give the 1 of the first."),
        (np.array([[True, False], [True, True], [True, True], [False, False]]),
         "a gate is at most 1, so it cannot make an 8 of the 2."),
        (np.array([[True, False], [False, True], [True, False], [False, False]]),
         "attention can blend the 2 and the 4 into the 3 of the third."),
        (np.array([[True, False], [False, True], [True, True], [False, True]]),
         "nothing is larger than 8 among the values, so no mean of them is 9."),
        (np.array([[False, True], [True, False], [True, True], [False, False]]),
         "columns are gates and attention: this is turned round.")],
        labels=[f"{k}: {what}" for k in (1, 2, 3, 4) for what in ("gates", "attention")]),
}

GUESSES = {
    "turned": Guess(["about as large as now", "zero, or nearly", "about as large, with a minus"], right=1),
}
