"""Exercises of the chapter `writing`."""

import numpy as np

from attnkit.lessons.exercises.grading import Function, Value


def _top_p(chances, p, *, keep=lambda before, chance, p: before < p):
    kept = np.where(keep(np.cumsum(chances) - chances, chances, p), chances, 0.0)
    return kept / kept.sum()


SURE, UNSURE, EXACT = np.array([0.7, 0.2, 0.06, 0.04]), np.array([0.3, 0.25, 0.25, 0.2]), np.array([0.5, 0.25, 0.25])

EXERCISES = {
    "product": Value([0.09, -np.log(0.09) / 3], within=0.006, mistakes=[
        ([0.09, -np.log(0.09)], "the loss is the mean over the three words, this is the sum."),
        ([0.09, np.log(0.09) / 3], "the loss is minus the mean of the logarithms."),
        ([1.6 / 3, -np.log(0.09) / 3], "the chances are multiplied, not averaged.")]),
    "top_p": Function(
        _top_p, [(SURE, 0.8), (UNSURE, 0.7), (SURE, 0.95), (EXACT, 0.5)],
        [(lambda *a: _top_p(*a, keep=lambda before, chance, p: before + chance <= p),
          "the word that reaches p is kept, too."),
         (lambda *a: _top_p(*a, keep=lambda before, chance, p: before <= p),
          "once the chances add up to p exactly, no more words are kept."),
         (lambda chances, p: np.where(np.cumsum(chances) - chances < p, chances, 0.0),
          "what is kept must sum to one again.")]),
    "cache": Value([2_359_296, 4_831_838_208], mistakes=[
        ([1_179_648, 2_415_919_104], "a key and a value: twice as many."),
        ([24_576, 50_331_648], "each of the 96 layers keeps its own.")]),
}
