"""Positions: what tells a mechanism that sees a set where each item stands."""

from collections.abc import Sequence

import numpy as np

from attnkit import checks


def sinusoidal(n: int, width: int, *, base: float = 10_000.0, like=None):
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
    Chapter: positions.
    """
    angles = np.arange(checks.count(n, "n"))[:, None] * _frequencies(width, "width", base)     # (n, width / 2)
    waves = np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(n, width)
    return waves if like is None else _as(like, waves)


def rotary(x, *, positions: Sequence[float] | None = None, base: float = 10_000.0):
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
    Chapter: positions.
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


def relative_bias(table, n: int, m: int | None = None):
    """What to add to each score for how far apart query and key stand, and on which side.

    Of a row of 2 r + 1 numbers the middle one is for a key at the query's own place, the one before it for a key one
    place earlier, the one after it for a key one place later. Beyond r places the first or the last is used again.

    Parameters
    ----------
    table : floating-point array, shape (..., 2 r + 1)
        In a model these are learned, a row for each head.
    n : int
        The number of queries.
    m : int, optional
        The number of keys, n if not given. As in `causal_mask` the queries are the last n of the m positions.

    Returns
    -------
    array, shape (..., n, m)
        In the unit of the scores: ``score=lambda q, k: scaled_dot(q, k) + relative_bias(table, n)``.

    Raises
    ------
    TypeError
        `table` is not a floating-point array; `n` or `m` is not an integer.
    ValueError
        A row of `table` does not hold an odd number of numbers; `n` is less than one, or `m` less than `n`.

    Examples
    --------
    >>> import numpy as np
    >>> relative_bias(np.array([1.0, 0.0, 5.0]), 3).tolist()       # 1 to the left, 5 to the right
    [[0.0, 5.0, 5.0], [1.0, 0.0, 5.0], [1.0, 1.0, 0.0]]

    References
    ----------
    Raffel et al. (2020), "Exploring the Limits of Transfer Learning with a Unified Text-to-Text
    Transformer", section 2.1, which puts several distances into one number; Shaw et al. (2018), "Self-Attention with
    Relative Position Representations", on the clipping.
    Chapter: positions.
    """
    xp = checks.arrays(table=table)
    if not table.ndim or table.shape[-1] % 2 == 0:
        raise ValueError("table must hold an odd number of numbers in each row, with the one for the query's own "
                         f"place in the middle; got shape {checks.shape(table)}")
    reach = table.shape[-1] // 2
    columns = np.clip(_offsets(n, m), -reach, reach) + reach                             # (n, m)
    flat = xp.take(table, xp.asarray(columns.reshape(-1), device=table.device), axis=-1)
    return xp.reshape(flat, (*table.shape[:-1], *columns.shape))


def alibi(slopes, n: int, m: int | None = None):
    """Attention with linear biases: each place between query and key takes the same amount off the score.

    Nothing is learned, and nothing ends at some length. It knows how far, not on which side, and is made for models
    that look back only: use it with `causal_mask`.

    Parameters
    ----------
    slopes : floating-point array, shape (...)
        What each place costs, a positive number, or one for each head; the paper takes the powers 1 to h of
        2^(-8 / h), so that each head has a range of its own.
    n : int
        The number of queries.
    m : int, optional
        The number of keys, n if not given. As in `causal_mask` the queries are the last n of the m positions.

    Returns
    -------
    array, shape (..., n, m)
        In the unit of the scores, 0 at the query's own place and negative elsewhere:
        ``score=lambda q, k: scaled_dot(q, k) + alibi(slopes, n)``.

    Raises
    ------
    TypeError
        `slopes` is not a floating-point array; `n` or `m` is not an integer.
    ValueError
        `n` is less than one, or `m` less than `n`.

    Examples
    --------
    >>> alibi(np.array([0.5]), 3).tolist()
    [[[0.0, -0.5, -1.0], [-0.5, 0.0, -0.5], [-1.0, -0.5, 0.0]]]

    References
    ----------
    Press et al. (2022), "Train Short, Test Long: Attention with Linear Biases Enables Input Length Extrapolation",
    section 3.
    Chapter: positions.
    """
    checks.arrays(slopes=slopes)
    return slopes[..., None, None] * _as(slopes, -np.abs(_offsets(n, m)))


def _offsets(n, m):
    """Key's place minus query's, (n, m), for queries that are the last n of m positions."""
    n, m = checks.positions(n, m)
    return np.arange(m)[None, :] - (np.arange(n)[:, None] + m - n)


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
