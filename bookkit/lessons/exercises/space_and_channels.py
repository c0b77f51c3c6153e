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
