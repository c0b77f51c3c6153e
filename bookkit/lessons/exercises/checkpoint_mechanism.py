"""Questions of the checkpoint after Part I."""

import numpy as np

from attnkit import softmax
from bookkit.lessons.exercises.examples import W_KEY, W_QUERY, WORDS
from bookkit.lessons.exercises.grading import Choice, Function, Value


def _weights(Q, K):
    return softmax(Q @ K.T / np.sqrt(Q.shape[1]))


EXERCISES = {
    "read_off": Value([0.5, -0.1], within=0.006, labels=["first number", "second number"], mistakes=[
        ([0.4, -0.2], "these are the weights that “runs” is given; take those that it gives."),
        ([1 / 3, 0.0], "this is the plain average, and the three weights are not equal."),
        ([0.0, -1.0], "this is what “runs” hands over when another word asks."),
        ([1.0, 0.0], "“girl” gets the largest weight, but the two others get a share, too.")]),
    "twice": Choice(
        "She gives the first film four times the weight of the second.",
        ("She gives the first film twice the weight of the second, as he does.",
         "her scores are further apart than his."),
        ("She gives the first film three times the weight of the second.",
         "what becomes of a power of e if its exponent is doubled?"),
        ("She gives the first film all of the weight.", "no score is so far ahead that the other gets nothing.")),
    "out_of_reach": Value(3, mistakes=[
        (1, "it lies close to a value, and a query that fits one key far better than the others gets there."),
        (2, "it lies in the middle of the values, and even weights lead there."),
        (4, "it lies far away from all keys, but an output is no average of keys.")]),
    "push": Value([1.5, 1.5], labels=["the number", "the score"], mistakes=[
        ([-2.5, -2.5], "this step goes uphill: the loss falls when the number grows."),
        ([2.0, 2.0], "this is how far the number moves; from where?"),
        ([3.5, 3.5], "the slope is right; multiply it by the rate."),
        ([-0.498, -0.498], "0.004 is the change of the loss; it takes a division by the push to make it a slope."),
        ([1.5, 0.0], "the dot product of the two words is 0, but the score has M between them."),
        ([1.5, -0.5], "this is the score before the step.")]),
    "same_for_all": Choice(
        "The scores of a query may change, but its weights and its output stay.",
        ("All the scores change, so the weights and the output change with them.",
         "the scores do change, but what in them decides about the weights?"),
        ("The weights stay as they are, but every output moves by that vector.",
         "an output is an average of the values, and no value has moved."),
        ("The scores move further apart, so all the weights become sharper.",
         "for that, one score of a query would have to move more than another.")),
    "all_change": Function(
        lambda Q, K, V: _weights(Q, K) @ V,
        [(WORDS @ W_QUERY, WORDS @ W_KEY, WORDS), (WORDS[:3], WORDS[1:], WORDS[:3, :2])],
        [(lambda Q, K, V: _weights(Q, K).T @ V,
          "this is her function: each row of the turned table has a weight from every query in it."),
         (lambda Q, K, V: softmax(K @ Q.T / np.sqrt(Q.shape[1])) @ V,
          "here the keys ask: each row is the budget of a key, which the queries share."),
         (lambda Q, K, V: softmax(K @ Q.T / np.sqrt(Q.shape[1])).T @ V,
          "each row belongs to a query again, but it is the columns that sum to one."),
         (lambda Q, K, V: softmax(Q @ K.T) @ V, "the scale is missing.")],
        code="""
def attend(Q, K, V):
    weights = softmax(___ / np.sqrt(Q.shape[1]))
    return ___ @ V
""",
        choices=[["K @ Q.T", "Q @ K.T"], ["weights", "weights.T"]]),
}
