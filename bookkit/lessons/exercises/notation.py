"""Exercises of the chapter `notation`."""

import numpy as np

from bookkit.lessons.exercises.grading import Function, Guess, Value

EXERCISES = {
    "count": Value((4, 6, 24), [((6, 4, 24), "rows are items, so the number of items comes first."),
                                ((4, 6, 10), "each of the four rows has six squares; multiply.")],
                   labels=["rows", "columns", "squares"]),
    "average": Function(
        lambda X: X.mean(axis=0), [(np.array([[1.0, 2.0, 6.0], [3.0, 0.0, 2.0]]),), (np.array([[0.5, -1.0]]),)],
        [(lambda X: X.mean(axis=1), "this averages the numbers within each item; average over the items instead."),
         (lambda X: X.mean(), "this is one number for the whole matrix; keep one for each feature."),
         (lambda X: X.sum(axis=0), "this is the sum of the items; divide by their count."),
         (lambda X: X.sum(axis=0) / X.shape[1], "you added up the rows, but divided by the number of columns."),
         (lambda X: X.sum(axis=0) / X.size, "you added up the rows, but divided by the number of all squares."),
         (lambda X: X.sum(axis=1) / len(X), "you added up the numbers within each item; that mixes its features."),
         (lambda X: X.sum() / len(X), "you added up all squares; keep one sum for each feature.")],
        code="""
def average(X):
    return ___ / ___
""",
        choices=[["X.sum(axis=1)", "X.sum()", "X.sum(axis=0)"], ["X.size", "len(X)", "X.shape[1]"]]),
}

GUESSES = {
    "colours": Guess(["both blue", "both orange", "one of each"], right=1),
}
