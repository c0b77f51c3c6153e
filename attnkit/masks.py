"""Masks: which query may attend to which key.

A mask is a boolean array that broadcasts to the weights' shape (..., n, m);
True = may attend.  Masks combine with ``&`` (both must allow it), ``|`` and ``~``.
`like` names an array whose library and device the mask is to have; numpy if
it is left out.
"""

from collections.abc import Sequence

import numpy as np

from attnkit import checks


def causal_mask(n: int, m: int | None = None, *, like=None):
    """Hide the future: a query may attend to its own position and those before it.

    Parameters
    ----------
    n : int
        The number of queries.
    m : int, optional
        The number of keys, n if not given.  The queries are the last n of the m positions, as when a
        decoder goes on from keys that it has kept.
    like : array, optional
        Its library and device; numpy if not given.

    Returns
    -------
    boolean array, shape (n, m)

    Raises
    ------
    TypeError
        `n` or `m` is not an integer; `like` is not an array.
    ValueError
        `n` is less than one, or `m` less than `n`.

    Examples
    --------
    >>> causal_mask(3).astype(int).tolist()
    [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    >>> causal_mask(1, 3).astype(int).tolist()
    [[1, 1, 1]]

    References
    ----------
    Vaswani et al. (2017), "Attention Is All You Need", section 3.2.3.
    Chapter: masks.
    """
    n, m = checks.positions(n, m)
    query, key = _positions(like, n, m)
    return key <= query + (m - n)


def window_mask(n: int, radius: int, *, like=None):
    """Look only near by: a query may attend to positions at most `radius` away from its own.

    Parameters
    ----------
    n : int
        The number of positions.
    radius : int
        How far, in positions, to either side; 0 leaves each query its own.  A window into the past alone is
        ``window_mask(n, radius) & causal_mask(n)``.
    like : array, optional
        Its library and device; numpy if not given.

    Returns
    -------
    boolean array, shape (n, n)

    Raises
    ------
    TypeError
        `n` or `radius` is not an integer; `like` is not an array.
    ValueError
        `n` is less than one or `radius` is negative.

    Examples
    --------
    >>> window_mask(4, 1).astype(int).tolist()
    [[1, 1, 0, 0], [1, 1, 1, 0], [0, 1, 1, 1], [0, 0, 1, 1]]

    References
    ----------
    Beltagy et al. (2020), "Longformer: The Long-Document Transformer", section 3.1.
    Chapter: masks.
    """
    n, radius = checks.count(n, "n"), min(checks.count(radius, "radius", least=0), n)
    query, key = _positions(like, n, n)
    return (key <= query + radius) & (query <= key + radius)


def padding_mask(lengths: Sequence[int], m: int | None = None, *, like=None):
    """Leave out what only fills up a batch: keys beyond the length of their sequence.

    Parameters
    ----------
    lengths : sequence of ints, length b
        How many items of each sequence are real.
    m : int, optional
        The number of keys with the padding; the largest length if not given.
    like : array, optional
        Its library and device; numpy if not given.

    Returns
    -------
    boolean array, shape (b, 1, m)
        Broadcasts to (b, n, m).  For `multi_head_attention` add an axis for the heads: ``mask[:, None]``.

    Raises
    ------
    TypeError
        A length is not an integer; `like` is not an array.
    ValueError
        There are no lengths; a length is negative or larger than `m`.

    Examples
    --------
    >>> padding_mask([3, 1]).astype(int).tolist()
    [[[1, 1, 1]], [[1, 0, 0]]]

    References
    ----------
    Vaswani et al. (2017), "Attention Is All You Need", section 3.2.3, does the same for the future.
    Chapter: masks.
    """
    lengths = [checks.count(length, "a length", least=0)
               for length in checks.sequence(lengths, "lengths", "integers")]
    if not lengths:
        raise ValueError("lengths is empty")
    m = checks.count(max(lengths) if m is None else m, "m")
    if max(lengths) > m:
        raise ValueError(f"no length may be larger than m; got lengths up to {max(lengths)}, m = {m}")
    mask = np.arange(m)[None, None, :] < np.array(lengths)[:, None, None]
    return _like(like, mask)


def _positions(like, n, m):
    """The position of each query, as a column, and of each key, as a row."""
    return _like(like, np.arange(n)[:, None]), _like(like, np.arange(m)[None, :])


def _like(like, array):
    """A numpy array as one of the library and on the device of another."""
    if like is None:
        return array
    xp = checks.library(like)
    if xp is None:
        raise TypeError(f"like must be a numpy array or a torch tensor, got {type(like).__name__}")
    return xp.asarray(array, device=like.device)
