"""The arithmetic behind the mechanism: sixteen bits, overflow, and rows in which nothing is allowed."""

import math

import numpy as np
from array_api_compat import is_torch_namespace


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


def largest(xp, scores, axis=-1):
    """The largest score along an axis, or 0 where all are minus infinity: what a softmax may shift by."""
    maxima = xp.max(scores, axis=axis, keepdims=True)
    return xp.where(xp.isinf(maxima), xp.zeros_like(maxima), maxima)


def shifted(xp, scores, axis=-1):
    """The scores less the largest: exp of them cannot overflow, and their softmax is the same."""
    with np.errstate(over="ignore"):       # too far below the largest: -inf, whose exp is 0
        return scores - largest(xp, scores, axis)


def softmax(xp, scores, all_count=False):
    """`attnkit.softmax` of each row of scores that nobody else holds: numpy writes over them, torch has one pass.

    `all_count` says that in no row all scores are minus infinity.
    """
    if is_torch_namespace(xp):
        return _in_one_pass(xp, scores, all_count)
    with np.errstate(over="ignore"):    # -inf, whose exp is 0
        scores -= (scores.max(-1, keepdims=True) if all_count
                   else largest(xp, scores))
    shares = np.exp(scores, out=scores)
    total = shares.sum(-1, keepdims=True)
    shares /= total if all_count else safe_divisor(xp, total)
    return shares


def _in_one_pass(xp, scores, all_count):
    """torch's own softmax, with zeros where every score is minus infinity: torch gives nan there, to the whole row."""
    weights = xp.softmax(scores, -1)
    if all_count or not xp.any(xp.isnan(weights[..., 0])):
        return weights
    nowhere = xp.all(scores == -math.inf, axis=-1, keepdims=True)
    zeros = xp.zeros_like(scores)
    # Zeros in, zeros out: a where around the softmax alone would let the nan into the gradient.
    return xp.where(nowhere, zeros, xp.softmax(xp.where(nowhere, zeros, scores), -1))
