"""Exercises of the chapter `taught_with_twelve_sentences`."""

import numpy as np

from bookkit.lessons.exercises.grading import Choice, Function, Guess, Value

_EXAMPLES = np.array([[[1.0, 0.0, 0.0], [0.6, 0.8, 0.0]], [[0.0, 0.0, 1.0], [0.0, 0.6, 0.8]],
                      [[0.0, 1.0, 0.0], [0.28, 0.96, 0.0]], [[-1.0, 0.0, 0.0], [-0.6, 0.0, 0.8]]])

EXERCISES = {
    "numbers": Value([2304, 24], within=0.5, mistakes=[
        ([390, 24], "multiply: each of the six kinds has a number for each of the 384 of a vector."),
        ([2304, 4], "six kinds with four examples each."),
        ([22_713_216, 24], "the model itself does not learn here; only the matrix does.")],
        labels=["numbers", "sentences"]),
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
    "way": Choice(
        "Retrieve: find the shop's page, and give it to the model with the question.",
        ("Pretrain a model on the pages of the forty shops.",
         "forty pages teach nobody English, and tomorrow they are wrong."),
        ("Tune a model on last year's questions and answers.",
         "it would learn last year's hours by heart, and the hours change every week."),
        ("Prompt: write into the prompt that it must not make mistakes.", "where should it know the hours from?")),
}

GUESSES = {"twelve": Guess(right=68, low=0, high=100, step=1, digits=0, unit=" of 100", within=10)}
