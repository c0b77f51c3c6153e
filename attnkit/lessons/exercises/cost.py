"""Exercises of the chapter `cost`."""

import numpy as np

from attnkit.lessons.costs import MODELS
from attnkit.lessons.exercises.grading import Function, Value

LLAMA = MODELS["Llama 3 8B"]
CACHE = np.array([LLAMA.cache_bytes(1), LLAMA.cache_bytes(8192)])


def _merge(m1, l1, o1, m2, l2, o2):
    """Largest score, sum of exponentials and sum of weighted values of two blocks, as those of one."""
    m = np.maximum(m1, m2)
    return m, l1 * np.exp(m1 - m) + l2 * np.exp(m2 - m), o1 * np.exp(m1 - m) + o2 * np.exp(m2 - m)


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
        (CACHE * LLAMA.heads // LLAMA.kv_heads, "four heads share a key and a value: 8 of each are kept, not 32."),
        (CACHE // LLAMA.layers, "each of the 32 layers keeps its own."),
        (CACHE // 2 // LLAMA.layers, "a key and a value, and in each of the 32 layers.")]),
    "merge": Function(
        _merge, [(1.0, 2.0, 3.0, 0.0, 1.5, -2.0), (-4.0, 1.2, 0.6, 2.0, 3.0, 5.0), (0.5, 2.0, 1.0, 0.5, 1.0, 4.0),
                 (1000.0, 1.0, 7.0, 990.0, 2.0, 3.0)],
        [(lambda m1, l1, o1, m2, l2, o2: (np.maximum(m1, m2), l1 + l2, o1 + o2),
          "each block has taken off a largest score of its own; bring both to the larger one first."),
         (_merge_sums, "the sum is right; the blend shrinks in the same way."),
         (_merge_averages, "largest score and sum are right; the blend is divided by the sum only at the end."),
         (lambda m1, l1, o1, m2, l2, o2: (m1 + m2, l1 + l2, o1 + o2), "the largest of all scores is one of the two.")]),
}
