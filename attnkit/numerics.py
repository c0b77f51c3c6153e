"""The arithmetic behind the mechanism, where care or speed costs more than a line.

torch has the whole softmax in one pass.  numpy spends most of it on fetching memory,
as each step of the plain three lines writes another n x m array.  So `softmax` writes
over the scores instead; it leaves out the shift of a row in which no score that counts
is large, which a bound mostly shows without a look at them; and it makes masked weights
0 by a product with the mask, since numpy's exp of minus infinity takes three times as
long as that of a number in float64.  A row is treated as its own scores ask: neither
another row nor a masked key changes a bit of it.
"""

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


class Scores:
    """Scores on their way to weights: the numbers, which of them count, and what no score of a row exceeds.

    The mask is kept beside the numbers, which nobody else holds, until the softmax writes over them.  Without a bound
    there may be minus infinities among them.
    """

    def __init__(self, xp, numbers, mask=None, bound=None):
        self.xp, self.numbers, self.mask, self.bound = xp, numbers, mask, bound

    @property
    def shape(self):
        """How many there are: (..., n, m)."""
        return self.numbers.shape

    def where(self, mask):
        """The same scores where the mask is True, minus infinity where it is False."""
        return Scores(self.xp, self.numbers, mask, self.bound)


def scaled_dot(xp, query, key, scale=None):
    """``query @ key.T * scale``; the queries are multiplied, as they have fewer numbers than the scores.

    No score of a query exceeds its length times the largest length of a key (Cauchy-Schwarz).  torch has no use for
    that, and gets infinity without a look at the numbers.
    """
    query = query * (1 / math.sqrt(query.shape[-1]) if scale is None else float(scale))
    if is_torch_namespace(xp):
        return Scores(xp, query @ key.mT, bound=math.inf)
    with np.errstate(over="ignore"):
        lengths = (np.sqrt(np.vecdot(x, x))[..., None] for x in (query, key))          # (..., n, 1), (..., m, 1)
        bound = next(lengths) * np.max(next(lengths), axis=-2, keepdims=True)          # (..., n, 1)
    return Scores(xp, query @ key.mT, bound=bound)


def softmax(scores):
    """`attnkit.softmax` of each row of `Scores`: in numpy its two lines, written over the numbers."""
    xp, x, mask = scores.xp, scores.numbers, scores.mask
    if is_torch_namespace(xp):
        if mask is not None:
            x = xp.where(mask, x, -math.inf)
        all_count = mask is None and scores.bound is not None
        return _in_one_pass(xp, x, all_count)
    bound = scores.bound
    with np.errstate(over="ignore", invalid="ignore"):     # exp(-inf) is 0
        if bound is None or not np.all(bound <= _limit(x.dtype)):
            _shift_large_rows(x, mask)
        shares = np.exp(x, out=x)
        if mask is not None:
            shares *= mask
        shares /= safe_divisor(xp, np.sum(shares, axis=-1, keepdims=True))
    return shares


def _shift_large_rows(scores, mask):
    """Subtract the largest score from each row that has large ones, in place; masked ones do not count."""
    if mask is not None:
        scores *= mask
    limit = _limit(scores.dtype)
    large = ~((np.max(scores, axis=-1, keepdims=True) <= limit) & (np.min(scores, axis=-1, keepdims=True) >= -limit))
    if mask is not None:
        np.copyto(scores, -math.inf, where=large & ~mask)
    maxima = np.max(scores, axis=-1, keepdims=True)
    scores -= np.where(large & np.isfinite(maxima), maxima, 0)


def _limit(dtype):
    """How large a score may be so that exp of it, and the sum of as many as fit into a memory, is far from overflow."""
    return float(np.log(np.finfo(dtype).max)) / 2      # by numpy: Python's floats do not hold a long double


def _in_one_pass(xp, scores, all_count):
    """torch's own softmax, with zeros where every score is minus infinity: torch gives nan there, to the whole row."""
    weights = xp.softmax(scores, -1)
    if all_count or not xp.any(xp.isnan(weights[..., 0])):
        return weights
    nowhere = xp.all(scores == -math.inf, axis=-1, keepdims=True)
    zeros = xp.zeros_like(scores)
    # Zeros in, zeros out: a where around the softmax alone would let the nan into the gradient.
    return xp.where(nowhere, zeros, xp.softmax(xp.where(nowhere, zeros, scores), -1))
