"""Exercises of the chapter `soft_dictionary`."""

import numpy as np

from attnkit import softmax
from bookkit.lessons.exercises.grading import Function, Guess, Judged, Value
from bookkit.pictures.formats import plain


def _soft_get(query, keys, values, temperature):
    return softmax(keys @ query / float(temperature)) @ values


def _steal(key):
    length = np.linalg.norm(key)
    if length == 0 or np.degrees(np.arccos(np.clip(key[0] / length, -1, 1))) < 60 - 1e-9:
        return "the second key must be at least 60 degrees away from (1, 0)."
    weight = softmax(np.array([1.0, key[0]]))[1]
    return None if weight > 0.9 else f"it gets {plain(weight, 3)} of the weight."


EXERCISES = {
    "between": Value([5.0, 5.0], [
        ([5.0, 3.0], "a tie is a tie at any temperature."), ([5.0, 7.0], "a tie is a tie at any temperature.")],
        labels=["temperature 1", "temperature 0.001"]),
    "look_up": Function(
        _soft_get, [(np.array([0.6, 0.8]), np.eye(2), np.array([3.0, 7.0]), 0.5),
                    (np.array([1.0, 0.0]), np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]]),
                     np.array([4.0, 1.0, 9.0]), 1e-4)],
        [(lambda q, k, v, t: softmax(k @ q / t), "these are the weights; blend the values with them."),
         (lambda q, k, v, t: v[(k @ q).argmax()], "this is a hard lookup: it returns the value of the best key alone."),
         (lambda q, k, v, t: _soft_get(q, k, v, 1.0),
          "the temperature has no effect: left out, or added to every score, it changes no weight."),
         (lambda q, k, v, t: _soft_get(q, k, v, 1 / t), "a temperature divides the scores."),
         (lambda q, k, v, t: np.exp((k @ q - (k @ q).max()) / t) @ v / len(v),
          "the weights must sum to one: divide by the sum of the powers.")],
        code="""
def soft_get(query, keys, values, temperature):
    scores = ___
    powers = np.exp(scores - scores.max())
    return ___
""",
        choices=[["temperature * keys @ query", "keys @ query + temperature", "keys @ query / temperature"],
                 ["values[powers.argmax()]", "powers @ values / powers.sum()", "powers @ values / len(values)"]]),
    "sharp": Value(round(float(1 / np.log(99)), 2), within=0.006, mistakes=[
        (round(float(np.log(99)), 2), "the scores are divided by the temperature; this is what they must be."),
        (round(float(1 / 99), 2), "these are the odds; take their logarithm first.")]),
    "steal": Judged(_steal, (2,), offered=[[4.0, 4.0], [3.0, 6.0], [4.0, 7.0], [1.0, 9.0]]),
}

GUESSES = {
    "heard": Guess(["an error", "juice alone", "juice with some cocoa", "a third of each drink"], right=2),
    "curve": Guess(["a flat line", "a zigzag of straight lines", "a single narrow peak", "a staircase"], right=3),
}
