"""Positions: what tells a mechanism that sees a set where each item stands."""

import numpy as np

from attnkit import checks


def sinusoidal(n, width, *, base=10_000.0, like=None):
    """A vector for each position, made of sines and cosines of falling frequency, to be added to the items.

    Columns 2i and 2i + 1 hold the sine and the cosine of position / base^(2i / width):
    the hands of width / 2 clocks, the first the fastest.  Moving k places on
    turns each hand by a fixed angle, the same from wherever one starts.

    Parameters
    ----------
    n : int
        The number of positions, 0 to n - 1.
    width : int
        The width of an item; even.
    base : float
        The slowest clock takes nearly 2 pi * base positions for a turn; larger than 1.
    like : array, optional
        Its library, device and dtype; a numpy array in float64 if not given.

    Returns
    -------
    array, shape (n, width)
        Numbers between -1 and 1.

    Raises
    ------
    TypeError
        `n` or `width` is not an integer, `base` not a number, `like` not a floating-point array.
    ValueError
        `n` or `width` is less than one, `width` is odd, or `base` is not larger than 1 and finite.

    Examples
    --------
    >>> sinusoidal(2, 4).round(3).tolist()
    [[0.0, 1.0, 0.0, 1.0], [0.841, 0.54, 0.01, 1.0]]

    References
    ----------
    Vaswani et al. (2017), "Attention Is All You Need", section 3.5.
    Chapter: positions_and_masks.
    """
    angles = np.arange(checks.count(n, "n"))[:, None] * _frequencies(width, "width", base)     # (n, width / 2)
    waves = np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(n, width)
    return waves if like is None else _as(like, waves)


def rotary(x, *, positions=None, base=10_000.0):
    """Turn the pairs of columns of queries or keys by angles that grow with the position.

    Columns 2i and 2i + 1 are a point in a plane, turned by position / base^(2i / d).
    Lengths stay, and the dot product of a turned query and a turned key depends on
    how far apart they stand, not on where.

    Parameters
    ----------
    x : floating-point array, shape (..., n, d)
        Queries or keys, after their projection; d even.
    positions : sequence of n numbers, optional
        0, 1, ..., n - 1 if not given.
    base : float
        As in `sinusoidal`.

    Returns
    -------
    array, same shape and dtype as `x`

    Raises
    ------
    TypeError
        `x` is not a floating-point array; a position or `base` is not a number.
    ValueError
        d is odd, there are not n positions, a position is not finite, or `base` is not larger than 1 and finite.

    Examples
    --------
    >>> import numpy as np
    >>> rotary(np.array([[1.0, 0.0], [1.0, 0.0]])).round(3).tolist()     # the second turned by one radian
    [[1.0, 0.0], [0.54, 0.841]]

    References
    ----------
    Su et al. (2021), "RoFormer: Enhanced Transformer with Rotary Position Embedding", section 3.2.
    Chapter: positions_and_masks.
    """
    xp = checks.arrays(x=x)
    checks.items("x", x)
    n = x.shape[-2]
    places = range(n) if positions is None else [checks.finite(p, "a position")
                                                     for p in checks.sequence(positions, "positions", "numbers")]
    if len(places) != n:
        raise ValueError(f"positions must hold one number for each of the {n} items, got {len(places)}")
    angles = np.array(places)[:, None] * _frequencies(x.shape[-1], "the width of x", base)    # (n, d / 2)
    cos, sin = _as(x, np.cos(angles)), _as(x, np.sin(angles))
    even, odd = x[..., 0::2], x[..., 1::2]
    turned = xp.stack([even * cos - odd * sin, even * sin + odd * cos], axis=-1)      # (..., n, d / 2, 2)
    return xp.reshape(turned, x.shape)


def _frequencies(width, name, base):
    """The angle per position of each pair of columns, in radians."""
    width, base = checks.count(width, name), checks.finite(base, "base")
    if width % 2:
        raise ValueError(f"{name} must be even, as columns go in pairs; got {width}")
    if base <= 1:
        raise ValueError(f"base must be larger than 1, got {base}")
    return base ** (-np.arange(0, width, 2) / width)


def _as(like, array):
    """A numpy array as one of the library, dtype and device of another."""
    xp = checks.arrays(like=like)
    return xp.asarray(array, dtype=like.dtype, device=like.device)
