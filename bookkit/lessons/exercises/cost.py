"""Exercises of the chapter `cost`."""

import numpy as np

from bookkit.lessons.costs import MODELS
from bookkit.lessons.exercises.grading import Function, Guess, Value

LLAMA = MODELS["Llama 3.1 70B"]
CACHE = np.array([LLAMA.cache_bytes(1), LLAMA.cache_bytes(8192)])


def _merging(shrink):
    """A way to merge largest score, sum of shares and blend of two blocks, which shrink by a factor each."""
    def merge(m1, l1, o1, m2, l2, o2):
        m = np.maximum(m1, m2)
        shrink1, shrink2 = shrink(m1, m), shrink(m2, m)
        return m, l1 * shrink1 + l2 * shrink2, o1 * shrink1 + o2 * shrink2
    return merge


_merge = _merging(lambda own, m: np.exp(own - m))


def _merge_averages(m1, l1, o1, m2, l2, o2):
    m, total, blend = _merge(m1, l1, o1, m2, l2, o2)
    return m, total, blend / total


def _merge_sums(m1, l1, o1, m2, l2, o2):
    m, total, _ = _merge(m1, l1, o1, m2, l2, o2)
    return m, total, o1 + o2


EXERCISES = {
    "crossing": Value(1024, mistakes=[
        (512, "at n = d they are not yet equal: there are four projections, and two products for scores and blend."),
        (2048, "scores and blend are two products of n² d, not one."),
        (256, "this is where the projections cost four times as much; solve 2 n² d = 4 n d² for n."),
        (4 * 512**2, "this is 4 d²; solve 2 n² d = 4 n d² for n, one factor n falls out.")]),
    "cache": Value(CACHE, mistakes=[
        (CACHE // 2, "a key and a value: twice as many."),
        (CACHE * LLAMA.heads // LLAMA.kv_heads, "eight heads share a key and a value: 8 of each are kept, not 64."),
        (CACHE // LLAMA.layers, "each of the 80 layers keeps its own."),
        (CACHE // 2 // LLAMA.layers, "a key and a value, and in each of the 80 layers.")],
        labels=["one word", "8,192 words"]),
    "merge": Function(
        _merge, [(1.0, 2.0, 3.0, 0.0, 1.5, -2.0), (-4.0, 1.2, 0.6, 2.0, 3.0, 5.0), (0.5, 2.0, 1.0, 0.5, 1.0, 4.0),
                 (1000.0, 1.0, 7.0, 990.0, 2.0, 3.0)],
        [(lambda m1, l1, o1, m2, l2, o2: (np.maximum(m1, m2), l1 + l2, o1 + o2),
          "each block has taken off a largest score of its own; bring both to the larger one first."),
         (_merge_sums, "the sum is right; the blend shrinks in the same way."),
         (_merge_averages, "largest score and sum are right; the blend is divided by the sum only at the end."),
         (lambda m1, l1, o1, m2, l2, o2: (m1 + m2, l1 + l2, o1 + o2), "the largest of all scores is one of the two."),
         (_merging(lambda own, m: np.exp(m - own)),
          "turned round: the report whose largest score is lower has to shrink; here it grows."),
         (_merging(lambda own, m: own / m),
          "shares are powers of e, so what shrinks them is a power of e, too: of a difference of two scores.")],
        code="""
def merge(m1, l1, o1, m2, l2, o2):
    m = max(m1, m2)
    shrink1, shrink2 = ___
    l = l1 * shrink1 + l2 * shrink2
    o = ___
    return m, l, o
""",
        choices=[["1, 1", "m1 / m, m2 / m", "np.exp(m - m1), np.exp(m - m2)", "np.exp(m1 - m), np.exp(m2 - m)"],
                 ["o1 * shrink1 + o2 * shrink2", "o1 + o2", "(o1 * shrink1 + o2 * shrink2) / l"]]),
}

GUESSES = {
    "first_wrong": Guess(["the window", "the matrix memory", "both, when the fifth sentence comes"], right=0),
}
