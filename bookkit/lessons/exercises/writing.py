"""Exercises of the chapter `writing`."""

import numpy as np

from attnkit import softmax
from bookkit.lessons.exercises.grading import Function, Guess, Value


def _top_p(chances, p, *, keep=lambda before, chance, p: before < p, share=lambda kept, p: kept / kept.sum()):
    return share(np.where(keep(np.cumsum(chances) - chances, chances, p), chances, 0.0), p)


SURE, UNSURE, EXACT = np.array([0.7, 0.2, 0.06, 0.04]), np.array([0.3, 0.25, 0.25, 0.2]), np.array([0.5, 0.25, 0.25])

EXERCISES = {
    "product": Value([0.09, -np.log(0.09) / 3], within=0.006, mistakes=[
        ([0.09, -np.log(0.09)], "the loss is the mean over the three words, this is the sum."),
        ([0.09, np.log(0.09) / 3], "the loss is minus the mean of the logarithms."),
        ([1.6 / 3, -np.log(0.09) / 3], "the chances are multiplied, not averaged.")], labels=["chance", "loss"]),
    "top_p": Function(
        _top_p, [(SURE, 0.8), (UNSURE, 0.7), (SURE, 0.95), (EXACT, 0.5)],
        [(lambda *a: _top_p(*a, keep=lambda before, chance, p: before + chance <= p),
          "the word that reaches p is kept, too."),
         (lambda *a: _top_p(*a, keep=lambda before, chance, p: before <= p),
          "once the chances add up to p exactly, no more words are kept."),
         (lambda *a: _top_p(*a, share=lambda kept, p: kept), "what is kept must sum to one again."),
         (lambda *a: _top_p(*a, share=lambda kept, p: kept / p),
          "what is kept adds up to p or more; divide by what it really adds up to."),
         (lambda *a: _top_p(*a, share=lambda kept, p: softmax(kept)),
          "a softmax gives every word a share, also those that are left out.")],
        code="""
def top_p(chances, p):
    before = np.cumsum(chances) - chances  # before each word
    kept = np.where(___, chances, 0.0)
    return ___
""",
        choices=[["before + chances <= p", "before <= p", "before < p"],
                 ["kept", "kept / kept.sum()", "kept / p", "softmax(kept)"]]),
    "cache": Value([2_359_296, 4_831_838_208], mistakes=[
        ([1_179_648, 2_415_919_104], "a key and a value: twice as many."),
        ([24_576, 50_331_648], "each of the 96 layers keeps its own.")], labels=["one token", "full context"]),
}

GUESSES = {
    "mistakes": Guess(low=0, high=10, step=1, digits=0, unit=" stories", right=6.5, within=1),
}
