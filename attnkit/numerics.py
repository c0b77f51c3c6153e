"""The arithmetic behind the mechanism: sixteen bits, overflow, and rows in which nothing is allowed."""

import math

import numpy as np


def upcast(xp, *arrays):
    """Sixteen bits are too few to add up many numbers in: arrays in thirty-two, if they have fewer."""
    if xp.finfo(arrays[0].dtype).bits >= 32:
        return arrays
    return tuple(xp.astype(x, xp.float32) for x in arrays)


def downcast(xp, x, like):
    """Back to the dtype of the array that was given."""
    return x if x.dtype == like.dtype else xp.astype(x, like.dtype)


def safe_divisor(xp, divisor):
    """A divisor with ones in place of zeros: what is zero and divided by it stays zero."""
    return xp.where(divisor == 0, 1.0, divisor)


def shifted(xp, scores, axis):
    """The scores less the largest: exp of them cannot overflow, and their softmax is the same."""
    largest = xp.max(scores, axis=axis, keepdims=True)
    largest = xp.where(largest == -math.inf, 0.0, largest)       # in such a row exp makes zeros
    with np.errstate(over="ignore"):       # too far below the largest: -inf, whose exp is 0
        return scores - largest


def torch_softmax(xp, scores, temperature, axis):
    """torch's own softmax, which reads the scores once, with zeros where all are minus infinity: torch gives nan there.

    Zeros go in as well as out: behind a softmax of nan no filling keeps the nan out of the gradient.
    """
    if temperature != 1:
        scores = shifted(xp, scores, axis) / float(temperature)
    nowhere = xp.max(scores, axis=axis, keepdims=True) == -math.inf
    return xp.softmax(scores.masked_fill(nowhere, 0.0), axis).masked_fill(nowhere, 0.0)
