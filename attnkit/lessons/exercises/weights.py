"""Exercises of the chapter `weights`."""

import numpy as np

from attnkit.lessons.exercises.examples import REVIEW
from attnkit.lessons.exercises.grading import Function, Judged, Value
from attnkit.pictures.formats import plain


def _outside(weights):
    if abs(weights.sum() - 1) > 1e-6:
        return f"the weights must sum to one, these sum to {plain(weights.sum())}."
    praise = weights @ REVIEW[:, 0]
    return None if praise > 1 else f"the praise of the average is {plain(praise)}, not above 1."


EXERCISES = {
    "shorter": Value([0.388, 0.792], within=0.006, mistakes=[
        ([0.2, 0.9], "scores are not weights; raise e to each score and divide by the sum."),
        ([0.712, 0.608], "the larger weight belongs to the larger score, that of chase."),
        ([1.444, 2.946], "these are sums of powers times words; divide by the sum of the powers.")]),
    "budget": Function(
        lambda points, X: points / points.sum() @ X,
        [(np.array([3.0, 0.0, 1.0]), REVIEW[:3]), (np.array([2.0, 2.0, 0.5, 1.0, 4.0]), REVIEW)],
        [(lambda points, X: points @ X, "the points do not sum to one; divide by their sum."),
         (lambda points, X: points @ X / len(points), "divide by the sum of the points, not by their count."),
         (lambda points, X: np.exp(points) / np.exp(points).sum() @ X,
          "this is a softmax; the points are shares already, so only divide by their sum.")]),
    "chatter": Value(149, [(148, "close: 148 words get a little less than e⁵ = 148.4 does."),
                                   (5, "shares count, not scores: the relevant word has the share e⁵.")]),
    "outside": Judged(_outside, (5,)),
}
