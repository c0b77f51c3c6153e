"""Score functions: how well does a key match a query?

Each takes n queries and m keys and returns n x m scores, one for every pair.
The ones without parameters can be handed to attention as they are, the others
with their parameters filled in::

    attention(query, key, value, score=cosine)
    attention(query, key, value, score=lambda q, k: general(q, k, weight))
"""

import math

from attnkit import checks, numerics


def dot(query, key):
    """Score a pair by its dot product: large when both are large in the same places, with the same signs.

    Parameters
    ----------
    query : floating-point array, shape (..., n, d)
    key : array, shape (..., m, d)

    Returns
    -------
    array, shape (..., n, m)
        In the unit of a query times the unit of a key.

    Raises
    ------
    TypeError
        An argument is not a floating-point array, or libraries or dtypes are mixed.
    ValueError
        The widths or the batch axes do not fit together.

    Examples
    --------
    >>> import numpy as np
    >>> dot(np.array([[1.0, 2.0]]), np.array([[3.0, 1.0], [-2.0, 1.0]])).tolist()
    [[5.0, 0.0]]

    References
    ----------
    Luong et al. (2015), "Effective Approaches to Attention-based Neural Machine
    Translation", equation 8.
    Chapter: dot_product.
    """
    _check(query, key)
    return query @ key.mT


def scaled_dot(query, key, *, scale: float | None = None):
    """Score a pair by its dot product over the square root of the width.

    The sum of d products of independent numbers of variance one has variance d;
    divided by sqrt(d) it has variance one whatever the width.

    Parameters
    ----------
    query : floating-point array, shape (..., n, d)
    key : array, shape (..., m, d)
    scale : float, optional
        What the dot products are multiplied by; 1 / sqrt(d) if not given.

    Returns
    -------
    array, shape (..., n, m)

    Raises
    ------
    TypeError
        As `dot`; `scale` is not a number.
    ValueError
        As `dot`; `scale` is not finite.

    Examples
    --------
    >>> import numpy as np
    >>> scaled_dot(np.array([[1.0, 2.0, 0.0, 1.0]]), np.array([[3.0, 1.0, 5.0, 1.0]])).tolist()
    [[3.0]]

    References
    ----------
    Vaswani et al. (2017), "Attention Is All You Need", section 3.2.1.
    Chapter: softmax.
    """
    _check(query, key)
    scale = 1 / math.sqrt(query.shape[-1]) if scale is None else checks.finite(scale, "scale", query)
    return (query * scale) @ key.mT


def distance(query, key):
    """Score a pair by minus half its squared distance: the nearer, the higher.

    It is made of one matrix product, ``q . k - |q|^2 / 2 - |k|^2 / 2``: the dot product, less what the two pay for
    their lengths.  ``|q|^2`` is the same for all keys of a query, so it changes no weight.  The squares are rounded:
    of vectors that lie far out and close together take off the mean first, which changes no distance.

    Parameters
    ----------
    query : floating-point array, shape (..., n, d)
    key : array, shape (..., m, d)

    Returns
    -------
    array, shape (..., n, m)
        At most 0, which is the score of two equal vectors; in the unit of a query, which must be that of a key,
        squared.

    Raises
    ------
    TypeError
        As `dot`.
    ValueError
        As `dot`.

    Examples
    --------
    >>> import numpy as np
    >>> distance(np.array([[1.0, 2.0]]), np.array([[3.0, 1.0], [1.0, 2.0]])).tolist()
    [[-2.5, 0.0]]

    References
    ----------
    Watson (1964), "Smooth Regression Analysis", whose weights are a softmax of it.
    Chapter: score_functions.
    """
    xp = _check(query, key)
    q, k = numerics.upcast(xp, query, key)
    q_half, k_half = (xp.sum(x * x, axis=-1, keepdims=True) / 2 for x in (q, k))     # (..., n, 1), (..., m, 1)
    found = q @ k.mT - (q_half + k_half.mT)
    return numerics.downcast(xp, xp.where(found > 0, 0.0, found), query)    # above 0 it is by rounding only


def general(query, key, weight):
    """Score a pair by a learned bilinear form, ``query @ weight @ key.T``; the widths may differ.

    Parameters
    ----------
    query : floating-point array, shape (..., n, d_q)
    key : array, shape (..., m, d_k)
    weight : array, shape (d_q, d_k)
        The identity gives `dot`.

    Returns
    -------
    array, shape (..., n, m)

    Raises
    ------
    TypeError
        As `dot`.
    ValueError
        The batch axes do not fit together, or `weight` does not fit the widths.

    Examples
    --------
    >>> import numpy as np
    >>> swap = np.array([[0.0, 1.0], [1.0, 0.0]])
    >>> general(np.array([[1.0, 2.0]]), np.array([[3.0, 1.0]]), swap).tolist()
    [[7.0]]

    References
    ----------
    Luong et al. (2015), "Effective Approaches to Attention-based Neural Machine
    Translation", equation 8.
    Chapter: score_functions.
    """
    _check(query, key, same_width=False, weight=weight)
    checks.matrix("weight", weight, rows=(query.shape[-1], "the width of query", query),
                  columns=(key.shape[-1], "the width of key", key))
    return query @ weight @ key.mT


def additive(query, key, w_query, w_key, v, bias=None):
    """Score a pair by a small network: project both, add, squash, and read the result with a vector.

    ``v . tanh(query @ w_query + key @ w_key + bias)`` for every pair of a query and a
    key: n x m x d_hidden numbers on the way, which is what it costs.

    Parameters
    ----------
    query : floating-point array, shape (..., n, d_q)
    key : array, shape (..., m, d_k)
    w_query : array, shape (d_q, d_hidden)
    w_key : array, shape (d_k, d_hidden)
    v : array, shape (d_hidden,)
        Without it there would be d_hidden numbers for each pair, not a score.
    bias : array, shape (d_hidden,), optional
        Where the steps of the tanh stand when query and key are zero; zeros if not given.

    Returns
    -------
    array, shape (..., n, m)
        Between -s and s, where s is the sum of the magnitudes in `v`.

    Raises
    ------
    TypeError
        As `dot`.
    ValueError
        The batch axes or the widths do not fit together.

    Examples
    --------
    >>> import numpy as np
    >>> one = np.array([[1.0]])
    >>> additive(np.array([[0.5]]), np.array([[-0.5], [2.5]]), one, one, np.array([2.0])).round(3).tolist()
    [[0.0, 1.99]]

    References
    ----------
    Bahdanau et al. (2015), "Neural Machine Translation by Jointly Learning to
    Align and Translate", appendix A.1.2.
    Chapter: score_functions.
    """
    _check(query, key, {"bias": bias}, same_width=False, w_query=w_query, w_key=w_key, v=v)
    checks.matrix("w_query", w_query, rows=(query.shape[-1], "the width of query", query))
    checks.matrix("w_key", w_key, rows=(key.shape[-1], "the width of key", key),
                  columns=(w_query.shape[1], "as many as w_query", w_query))
    checks.vector("v", v, w_query.shape[1], "a number for each column of w_query")
    if bias is not None:
        checks.vector("bias", bias, w_query.shape[1], "a number for each column of w_query")
    xp = checks.library(query)
    from_query = query @ w_query if bias is None else query @ w_query + bias
    from_query = from_query[..., :, None, :]               # (..., n, 1, d_hidden)
    from_key = (key @ w_key)[..., None, :, :]              # (..., 1, m, d_hidden)
    return xp.tanh(from_query + from_key) @ v              # (..., n, m)


def cosine(query, key):
    """Score a pair by the cosine of its angle: direction counts, length does not.

    Parameters
    ----------
    query : floating-point array, shape (..., n, d)
    key : array, shape (..., m, d)

    Returns
    -------
    array, shape (..., n, m)
        Between -1 and 1; 0 where a vector is zero and has no direction.

    Raises
    ------
    TypeError
        As `dot`.
    ValueError
        As `dot`.

    Examples
    --------
    >>> import numpy as np
    >>> cosine(np.array([[2.0, 0.0]]), np.array([[9.0, 0.0], [0.0, 1.0], [-1.0, 0.0]])).tolist()
    [[1.0, 0.0, -1.0]]

    References
    ----------
    Graves et al. (2014), "Neural Turing Machines", equation 6.
    Chapter: dot_product.
    """
    xp = _check(query, key)
    q, k = numerics.upcast(xp, query, key)
    return numerics.downcast(xp, _unit(xp, q) @ _unit(xp, k).mT, query)


def _unit(xp, x):
    """Each row at length one; a zero row stays zero."""
    # By the largest entry first: the squares of very large or very small numbers do not fit into the dtype.
    largest = xp.max(xp.abs(x), axis=-1, keepdims=True)
    x = x / numerics.safe_divisor(xp, largest)
    length = xp.linalg.vector_norm(x, axis=-1, keepdims=True)
    return x / numerics.safe_divisor(xp, length)


def _check(query, key, optional=None, *, same_width=True, **parameters):
    xp = checks.arrays(optional, query=query, key=key, **parameters)
    checks.items("query", query)
    checks.items("key", key)
    if same_width and query.shape[-1] != key.shape[-1]:
        raise ValueError("query and key must have the same width, "
                         f"got query {checks.shape(query)} and key {checks.shape(key)}")
    checks.batch_axes(query=query, key=key)
    return xp
