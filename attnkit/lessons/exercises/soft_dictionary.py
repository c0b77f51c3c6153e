"""Exercises of the chapter `soft_dictionary`."""

import numpy as np

from attnkit import softmax
from attnkit.lessons.exercises.grading import Function, Guess, Judged, Value
from attnkit.pictures.formats import plain


def _soft_get(query, keys, values, sharpness):
    return softmax(float(sharpness) * keys @ query) @ values


def _steal(key):
    length = np.linalg.norm(key)
    if length == 0 or np.degrees(np.arccos(np.clip(key[0] / length, -1, 1))) < 60 - 1e-9:
        return "the second key must be at least 60 degrees away from (1, 0)."
    weight = softmax(np.array([1.0, key[0]]))[1]
    return None if weight > 0.9 else f"it gets {plain(weight, 3)} of the weight."


EXERCISES = {
    "between": Value([5.0, 5.0], [
        ([5.0, 3.0], "a tie is a tie at any sharpness."), ([5.0, 7.0], "a tie is a tie at any sharpness.")],
        labels=["sharpness 1", "sharpness 1000"]),
    "look_up": Function(
        _soft_get, [(np.array([0.6, 0.8]), np.eye(2), np.array([3.0, 7.0]), 2.0),
                    (np.array([1.0, 0.0]), np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]]),
                     np.array([4.0, 1.0, 9.0]), 1e4)],
        [(lambda q, k, v, b: softmax(b * k @ q), "these are the weights; blend the values with them."),
         (lambda q, k, v, b: v[(k @ q).argmax()], "this is a hard lookup: it returns the value of the best key alone."),
         (lambda q, k, v, b: _soft_get(q, k, v, 1.0),
          "the sharpness has no effect: left out, or added to every score, it changes no weight."),
         (lambda q, k, v, b: _soft_get(q, k, v, 1 / b),
          "multiply the scores by the sharpness; dividing is for a temperature."),
         (lambda q, k, v, b: np.exp(b * (k @ q - (k @ q).max())) @ v / len(v),
          "the weights must sum to one: divide by the sum of the powers.")],
        code="""
def soft_get(query, keys, values, sharpness):
    scores = ___
    powers = np.exp(scores - scores.max())
    return ___
""",
        choices=[["keys @ query / sharpness", "keys @ query + sharpness", "sharpness * keys @ query"],
                 ["values[powers.argmax()]", "powers @ values / powers.sum()", "powers @ values / len(values)"]]),
    "sharp": Value(round(float(np.log(99)), 2), within=0.006, mistakes=[
        (round(float(np.log(100)), 2), "close: the other key's share is 1, so the odds are 99 to 1, not 100 to 1."),
        (99.0, "these are the odds; take their logarithm.")]),
    "steal": Judged(_steal, (2,), offered=[[4.0, 4.0], [3.0, 6.0], [4.0, 7.0], [1.0, 9.0]]),
}

GUESSES = {
    "curve": Guess(["a flat line", "a zigzag of straight lines", "a single narrow peak", "a staircase"], right=3),
}
