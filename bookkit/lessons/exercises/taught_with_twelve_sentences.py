"""Exercises of the chapter `taught_with_twelve_sentences`."""

import numpy as np

from bookkit.lessons.exercises.grading import Function, Guess

_EXAMPLES = np.array([[[1.0, 0.0, 0.0], [0.6, 0.8, 0.0]], [[0.0, 0.0, 1.0], [0.0, 0.6, 0.8]],
                      [[0.0, 1.0, 0.0], [0.28, 0.96, 0.0]], [[-1.0, 0.0, 0.0], [-0.6, 0.0, 0.8]]])
# Three rates, four draws each: the luckiest draw, the best of the test and the best in the mean are three rates.
_TRIED = np.array([[0.9, 0.5, 0.6, 0.6], [0.8, 0.8, 0.7, 0.8], [0.7, 0.7, 0.8, 0.7]])
_ASKED = np.array([[0.6, 0.6, 0.5, 0.7], [0.7, 0.85, 0.7, 0.75], [0.8, 0.8, 0.75, 0.85]])

EXERCISES = {
    "numbers": Function(
        lambda validation, test: test[validation.mean(axis=1).argmax()].mean(),
        [(_TRIED, _ASKED), (_TRIED[::-1], _ASKED[::-1]), (_TRIED[[1, 2, 0]], _ASKED[[1, 2, 0]])],
        [(lambda validation, test: test.mean(axis=1).max(),
          "this chooses the rate by the test itself, so the share is too good: it was chosen for being large."),
         (lambda validation, test: validation.mean(axis=1).max(),
          "this is the share on the validation messages, by which the rate was chosen; report the one on the test."),
         (lambda validation, test: test[validation.max(axis=1).argmax()].mean(),
          "this goes by the luckiest single draw; take the mean over the draws first."),
         (lambda validation, test: test[validation.mean(axis=1).argmax()].max(),
          "the rate is right, but this reports its luckiest draw; take the mean.")],
        code="""
def fair(validation, test):
    best = ___
    return ___
""",
        choices=[["test.mean(axis=1).argmax()", "validation.max(axis=1).argmax()", "validation.mean(axis=1).argmax()"],
                 ["validation[best].mean()", "test[best].max()", "test[best].mean()"]]),
    "nearest": Function(
        lambda x, examples: (examples @ x).mean(axis=1).argmax(),
        [(np.array([0.0, 0.1, 0.99]), _EXAMPLES), (np.array([0.1, 0.99, 0.0]), _EXAMPLES),
         (np.array([0.96, 0.28, 0.0]), _EXAMPLES[::-1])],
        [(lambda x, examples: (examples @ x).mean(axis=1).argmin(), "this is the kind that fits worst."),
         (lambda x, examples: (examples @ x).mean(axis=0).argmax(),
          "this averages over the kinds; the answer is then the number of an example."),
         (lambda x, examples: (examples @ x).mean(axis=1).max(),
          "this is how well the best kind fits, not which kind it is."),
         (lambda x, examples: (examples @ x).argmax(),
          "this is the place of a single example, counted through all kinds.")],
        code="""
def nearest(x, examples):
    match = examples @ x          # (kinds, k)
    return ___
""",
        choices=[["match.argmax()", "match.mean(axis=0).argmax()", "match.mean(axis=1).max()",
                  "match.mean(axis=1).argmax()"]]),
}

GUESSES = {"twelve": Guess(right=68, low=0, high=100, step=1, digits=0, unit=" of 100", within=10)}
