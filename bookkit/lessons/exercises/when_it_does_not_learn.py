"""Exercises of the chapter `when_it_does_not_learn`."""

import math

import numpy as np

from bookkit.lessons.exercises.grading import Choice, Function, Guess, Value

_BEFORE = np.array([[0.5, -1.0], [1.5, 0.0], [2.0, 1.0], [-0.5, 1.0], [0.0, 3.0]])


def _case(changes, k=2):
    """The scores of a text before and after its word k has been changed, each row by so much."""
    return _BEFORE, _BEFORE + np.array(changes)[:, None] * [0.5, -1], k


EXERCISES = {
    "expected": Value([math.log(50257), math.log(20) / 40], within=0.0006, mistakes=[
        ([math.log2(50257), math.log2(20) / 40], "these are bits. The loss takes the natural logarithm."),
        ([math.log10(50257), math.log10(20) / 40], "the loss takes the natural logarithm."),
        ([math.log(50257), math.log(20)], "the first word of a story is one guess of forty, and the loss is the mean."),
        ([math.log(50257), 0], "before the first word, nobody can know which of the twenty stories comes.")],
        labels=["first loss", "floor"]),
    "leak": Function(
        lambda before, after, k: abs(after - before)[:k].max(),
        [_case([0.25, 0.5, 0.75, 1, 0.125]), _case([0.75, 0.25, 0.5, 0.125, 0]), _case([0, 0, 0.5, 0.25, 0.125])],
        [(lambda before, after, k: abs(after - before)[k:].max(), "from the changed word on, scores may move."),
         (lambda before, after, k: abs(after - before)[k].max(), "this is the changed word, whose scores may move."),
         (lambda before, after, k: abs(after - before)[:k + 1].max(),
          "the changed word is among these rows, and its scores may move.")],
        code="""
def leak(before, after, k):
    return ___
""",
        choices=[["abs(after - before)[:k + 1].max()", "abs(after - before)[k:].max()",
                  "abs(after - before)[k].max()", "abs(after - before)[:k].max()"]]),
    "too_good": Choice(
        "It sees its answers: look at the mask, the shift of the targets, and the order of heads.",
        ("The learning rate is too small.", "then the loss would be too high, not too low."),
        ("It has too many numbers, and has learned the stories by heart.",
         "that ends at the floor. No memory can tell which of the ten stories begins."),
        ("The root of the width is missing.", "this makes weights sharper. It shows no answers.")),
}
GUESSES = {"passed": Guess(right=9, low=0, high=16, step=1, digits=0, unit=" of 16", within=1)}
