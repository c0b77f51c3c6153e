"""Exercises of the chapter `weights`."""

import numpy as np

from bookkit.lessons.exercises.examples import REVIEW
from bookkit.lessons.exercises.grading import Function, Guess, Judged, Value
from bookkit.pictures.formats import plain


def _outside(weights):
    if abs(weights.sum() - 1) > 1e-6:
        return f"the weights must sum to one, these sum to {plain(weights.sum())}."
    praise = weights @ REVIEW[:, 0]
    return None if praise > 1 else f"the praise of the average is {plain(praise)}, not above 1."


EXERCISES = {
    "shorter": Value([0.388, 0.792], within=0.006, labels=["praise", "action"], mistakes=[
        ([0.2, 0.9], "this is chase alone; stunning has the lower score, but it gets a share, too."),
        ([0.55, 0.7], "this is the plain average; chase has the higher score and counts more."),
        ([1.575, 2.65], "scores are not weights; raise e to each score and divide by the sum."),
        ([0.45, 0.757], "these are shares of the scores; raise e to each score before you divide."),
        ([0.27, 0.73], "these are her weights; average the two words with them."),
        ([0.712, 0.608], "the larger weight belongs to the larger score, that of chase."),
        ([1.444, 2.946], "these are sums of powers times words; divide by the sum of the powers.")]),
    "budget": Function(
        lambda points, X: points / points.sum() @ X,
        [(np.array([3.0, 0.0, 1.0]), REVIEW[:3]), (np.array([2.0, 2.0, 0.5, 1.0, 4.0]), REVIEW)],
        [(lambda points, X: points @ X,
          "these weights sum to the points, 4 in the first example; a budget sums to one."),
         (lambda points, X: points @ X / len(points),
          "three words need not have three points: these weights sum to 4/3 in the first example."),
         (lambda points, X: np.exp(points) / np.exp(points).sum() @ X,
          "this is a softmax: twice the points should have twice the weight, and here they have more."),
         (lambda points, X: points / points.max() @ X,
          "the word with the most points gets the whole unit, and the others get something on top.")],
        code="""
def average(points, X):
    weights = ___
    return weights @ X
""",
        choices=[["points", "points / len(points)", "points / points.sum()", "points / points.max()",
                  "np.exp(points) / np.exp(points).sum()"]]),
    "outside": Judged(_outside, (5,), labels=["dull", "start", "but", "stunning", "chase"]),
}

GUESSES = {
    "outline": Guess(["yes, with the whole unit on one word", "no, however you spend the unit",
                      "yes, with half the unit on each of two far words"], right=1),
}
