"""Exercises of the chapter `space_and_channels`."""

import numpy as np

from bookkit.lessons.exercises.grading import Function, Guess, Value


def _squeeze(x):
    return x.mean(axis=0)


PIXELS = np.array([[0.2, 0.9], [0.4, 0.1], [0.9, 0.5]])          # three places, two channels
SQUARE = np.array([[1.0, 0.0, 0.5], [0.2, 0.8, 0.1], [0.3, 0.6, 0.9]])

EXERCISES = {
    "axis": Function(_squeeze, [(PIXELS,), (SQUARE,)], [
        (lambda x: x.mean(axis=1), "that is a number for each place: the mean goes over the places, axis 0."),
        (lambda x: x.sum(axis=0), "that is the sum: divide it by the number of places."),
        (lambda x: x.max(axis=0), "that is the largest number of each channel, not the mean."),
        (lambda x: x.mean(), "that is one number for all: each channel needs its own.")],
        code="""
def squeeze(x):
    return ___
""",
        choices=[["x.mean()", "x.mean(axis=1)", "x.sum(axis=0)", "x.mean(axis=0)", "x.max(axis=0)"]]),
    # Of (0.9, 0.8, 0.1), (0.2, 0.5, 0.3), (1.2, -0.2, 0.0), (0.1, 0.1, 0.1): columns are gates and weights.
    "gates": Value(np.array([[True, False], [True, True], [False, False], [True, False]]), mistakes=[
        (np.array([[True, False], [False, True], [False, False], [True, False]]),
         "gates may sum to one, they need not: the second vector can be both."),
        (np.array([[True, False], [True, True], [False, True], [True, False]]),
         "the third sums to one, but one of its numbers is below zero."),
        (np.array([[True, False], [True, True], [False, False], [False, False]]),
         "gates may all be almost closed, as in the last vector: they need no sum."),
        (np.array([[False, True], [True, True], [False, False], [False, True]]),
         "columns are gates and weights: this is turned round.")],
        labels=[f"{k}: {what}" for k in (1, 2, 3, 4) for what in ("gates", "weights")]),
    "patches": Value((196, 768), mistakes=[
        ((14, 768), "14 is the number of patches in a row; there are as many rows."),
        ((196, 256), "each pixel of a patch has three numbers."),
        ((768, 196), "first the number of patches, then the numbers in each."),
        ((50176, 3), "those are the pixels; a patch has 16 x 16 of them.")],
        labels=["patches", "numbers each"]),
}

GUESSES = {
    "two": Guess(["a shape in the dark", "one of the two lit shapes", "none: about a quarter for each"], right=1),
}
