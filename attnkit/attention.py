"""The mechanism: scores become weights, weights blend values.

Shapes are written with one alphabet throughout the book: n queries, m keys
(and as many values), d_k the width of a query and a key, d_v the width of a
value, h heads; ``...`` stands for any leading batch axes.  Rows are items.

The functions work on numpy arrays and on torch tensors through the array API
standard, keep the dtype and never change what they are given.  On sixteen-bit
numbers `softmax` and `attention` work in thirty-two bits.
"""

import math

import numpy as np

from attnkit import checks

CACHE = 2**17      # how many numbers a processor's cache holds with room to spare


def softmax(scores, *, temperature=1.0, axis=-1):
    """Turn scores into weights: positive numbers that sum to one along an axis.

    A higher score gets a larger weight, and only differences count: adding a
    constant to every score changes nothing.  A low temperature sharpens the
    weights towards the best score, a high one levels them.  A score of minus
    infinity gets weight zero; where all scores are, so are all weights.

    Parameters
    ----------
    scores : floating-point array, shape (...)
        Any real numbers, and minus infinity.
    temperature : float
        What the scores are divided by first, in the scores' own unit; positive and finite.
    axis : int
        The axis along which the weights sum to one.

    Returns
    -------
    array, same shape and dtype as `scores`
        The weights, pure numbers between 0 and 1.

    Raises
    ------
    TypeError
        `scores` is not a floating-point array; `temperature` or `axis` is not a number.
    ValueError
        `temperature` is not positive and finite; `axis` does not exist or is empty.

    Examples
    --------
    >>> import numpy as np
    >>> softmax(np.array([0.0, 0.0])).tolist()
    [0.5, 0.5]
    >>> softmax(np.array([1.0, 2.0, 4.0])).round(3).tolist()
    [0.042, 0.114, 0.844]
    >>> softmax(np.array([1.0, 2.0, 4.0]), temperature=10).round(3).tolist()
    [0.289, 0.32, 0.391]

    References
    ----------
    Bridle (1990), "Probabilistic interpretation of feedforward classification
    network outputs".
    Chapter: softmax.
    """
    xp, like = checks.arrays(scores=scores), scores
    scores, = _widen(xp, scores)
    temperature = checks.number(temperature, "temperature")
    limits = xp.finfo(scores.dtype)
    in_range = float(limits.smallest_normal) <= temperature <= float(limits.max)
    if temperature <= 0 or not math.isfinite(temperature) or not in_range:
        raise ValueError(f"temperature must be positive and finite in {scores.dtype}, got {temperature}")
    axis = checks.count(axis, "axis", least=-math.inf)
    if not -scores.ndim <= axis < scores.ndim:
        raise ValueError(f"axis {axis} does not exist in scores of shape {checks.shape(scores)}")
    if scores.shape[axis] == 0:
        raise ValueError(f"axis {axis} of scores is empty: shape {checks.shape(scores)}")
    if temperature != 1:
        # Shifted before they are divided, so that the largest score cannot overflow.
        with np.errstate(over="ignore"):
            scores = (scores - _largest(xp, scores, axis)) / temperature
    return _narrow(xp, _shares(xp, scores, axis), like)


def attention(query, key, value, *, mask=None, scale=None, score=None):
    """Answer each query with a blend of the values, weighted by how well their keys match.

    ``softmax(query @ key.T * scale) @ value``: the score of a query and a key is
    their scaled dot product, a softmax over the keys makes weights of the
    scores, and the output is the weighted average of the values.

    Parameters
    ----------
    query : floating-point array, shape (..., n, d_k)
    key : array, shape (..., m, d_k)
    value : array, shape (..., m, d_v)
        One value for each key, finite also where it is masked: zero times infinity is not a number.
    mask : boolean array broadcastable to (..., n, m), optional
        True = this query may attend to this key.  A query that may attend to
        nothing gets weights and output of zero.
    scale : float, optional
        What the dot products are multiplied by; 1 / sqrt(d_k) if not given.
    score : callable, optional
        ``score(query, key)`` returns the scores, shape (..., n, m), in place of the
        scaled dot product; `scale` must then be left out, and the widths of query
        and key are for the function to judge.  See `attnkit.scores`.

    Returns
    -------
    output : array, shape (..., n, d_v)
        In the unit of the values.
    weights : array, shape (..., n, m)
        Pure numbers; each row sums to one (or is zero, see `mask`).

    Raises
    ------
    TypeError
        An argument is not a floating-point array (a boolean one for `mask`), or
        arrays of two libraries or two dtypes are mixed.
    ValueError
        The shapes do not fit together; both are named.

    Examples
    --------
    >>> import numpy as np
    >>> key = np.array([[4.0, 0.0], [0.0, 4.0]])
    >>> value = np.array([[10.0], [20.0]])
    >>> output, weights = attention(np.array([[1.0, 1.0]]), key, value)
    >>> output.tolist(), weights.tolist()
    ([[15.0]], [[0.5, 0.5]])
    >>> output, weights = attention(np.array([[4.0, 0.0]]), key, value)
    >>> output.round(3).tolist()
    [[10.0]]
    >>> only_second = np.array([False, True])
    >>> attention(np.array([[4.0, 0.0]]), key, value, mask=only_second)[0].tolist()
    [[20.0]]

    References
    ----------
    Vaswani et al. (2017), "Attention Is All You Need", equation 1.
    Chapter: queries_keys_values.
    """
    xp = checks.arrays(query=query, key=key, value=value)
    checks.attention_shapes(query, key, value, same_width=score is None)
    q, k, v = _widen(xp, query, key, value)
    if score is None:
        # Scaling the queries scales all their scores, for less work.
        scores = (q * _scale(scale, q)) @ k.mT        # (..., n, m)
    else:
        scores = _scored(score, scale, query, key, value)       # (..., n, m)
    if mask is not None:
        checks.mask(mask, scores.shape, query)
        # The weight of minus infinity is exactly 0, in every dtype.
        scores = xp.where(mask, scores, -math.inf)
    fresh = score is None and mask is None
    weights = _shares(xp, scores, -1, fresh=fresh)              # (..., n, m)
    output = weights @ v                                        # (..., n, d_v)
    return _narrow(xp, output, value), _narrow(xp, weights, value)


def multi_head_attention(query, key, value, w_query, w_key, w_value, w_output, *, num_heads, b_query=None,
                         b_key=None, b_value=None, b_output=None, mask=None, scale=None, score=None):
    """Attend h times side by side, each head through projections of its own, and mix the answers.

    Each item is projected to h queries, keys and values.  Every head runs
    `attention` on its own; their outputs are laid side by side and mixed by
    `w_output`.  With query, key and value from one source this is self-attention,
    with the query from another cross-attention.

    Parameters
    ----------
    query : floating-point array, shape (..., n, d_query)
    key : array, shape (..., m, d_key)
    value : array, shape (..., m, d_value)
    w_query : array, shape (d_query, h * d_k)
        Head i reads the i-th group of d_k columns.
    w_key : array, shape (d_key, h * d_k)
    w_value : array, shape (d_value, h * d_v)
        The width of a head's output is d_v = columns / h; nothing asks it to be d / h.
    w_output : array, shape (h * d_v, d_out)
    num_heads : int
        h; it must divide the columns of `w_query`, `w_key` and `w_value`.
    b_query, b_key, b_value, b_output : arrays, one number for each column, optional
        Added after the projection of that name.
    mask : boolean array broadcastable to (..., h, n, m), optional
        True = may attend.  A mask for each sequence of a batch, but for all heads, is (batch, 1, n, m).
    scale, score : optional
        As in `attention`, applied in each head.

    Returns
    -------
    output : array, shape (..., n, d_out)
    weights : array, shape (..., h, n, m)
        One matrix of weights for each head; rows sum to one.

    Raises
    ------
    TypeError
        As `attention`; `num_heads` is not an integer.
    ValueError
        The shapes do not fit together, or `num_heads` does not divide the columns.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    >>> eye = np.eye(2)
    >>> output, weights = multi_head_attention(x, x, x, eye, eye, eye, eye, num_heads=2)
    >>> output.shape, weights.shape
    ((3, 2), (2, 3, 3))
    >>> weights[0].round(2).tolist()     # head 0 sees the first column only: items 0 and 2 are alike to it
    [[0.42, 0.16, 0.42], [0.33, 0.33, 0.33], [0.42, 0.16, 0.42]]

    References
    ----------
    Vaswani et al. (2017), "Attention Is All You Need", section 3.2.2.
    Chapter: multi_head.
    """
    biases = {"b_query": b_query, "b_key": b_key, "b_value": b_value, "b_output": b_output}
    xp = checks.arrays(biases, query=query, key=key, value=value,
                       w_query=w_query, w_key=w_key, w_value=w_value, w_output=w_output)
    checks.attention_shapes(query, key, value, same_width=False)
    num_heads = checks.count(num_heads, "num_heads")
    _check_projections(num_heads, score is None, query, key, value, w_query, w_key, w_value, w_output, biases)

    queries = _split(xp, _project(query, w_query, b_query), num_heads)      # (..., h, n, d_k)
    keys = _split(xp, _project(key, w_key, b_key), num_heads)               # (..., h, m, d_k)
    values = _split(xp, _project(value, w_value, b_value), num_heads)       # (..., h, m, d_v)
    heads, weights = attention(queries, keys, values, mask=mask, scale=scale, score=score)
    output = _project(_merge(xp, heads), w_output, b_output)                # (..., n, d_out)
    return output, weights                                                  # weights (..., h, n, m)


def split_heads(x, num_heads):
    """Cut the columns into h groups of neighbours, one for each head.

    Parameters
    ----------
    x : array, shape (..., n, h * d)
    num_heads : int
        h; it must divide the number of columns.

    Returns
    -------
    array, shape (..., h, n, d)
        Head i holds columns i * d to (i + 1) * d.

    Raises
    ------
    TypeError
        `x` is not a floating-point array; `num_heads` is not an integer.
    ValueError
        `num_heads` does not divide the number of columns.

    Examples
    --------
    >>> import numpy as np
    >>> split_heads(np.array([[1.0, 2.0, 3.0, 4.0]]), 2).tolist()
    [[[1.0, 2.0]], [[3.0, 4.0]]]

    References
    ----------
    Vaswani et al. (2017), "Attention Is All You Need", section 3.2.2.
    Chapter: multi_head.
    """
    xp = checks.arrays(x=x)
    checks.items("x", x)
    num_heads, columns = checks.count(num_heads, "num_heads"), x.shape[-1]
    if columns % num_heads:
        raise ValueError(f"num_heads must divide the columns of x: {num_heads} heads, shape {checks.shape(x)}")
    return _split(xp, x, num_heads)


def merge_heads(heads):
    """Lay the heads' outputs side by side: `split_heads` undone.

    Parameters
    ----------
    heads : array, shape (..., h, n, d)

    Returns
    -------
    array, shape (..., n, h * d)

    Raises
    ------
    TypeError
        `heads` is not a floating-point array.
    ValueError
        `heads` has fewer than three axes.

    Examples
    --------
    >>> import numpy as np
    >>> merge_heads(np.array([[[1.0, 2.0]], [[3.0, 4.0]]])).tolist()
    [[1.0, 2.0, 3.0, 4.0]]

    References
    ----------
    Vaswani et al. (2017), "Attention Is All You Need", section 3.2.2.
    Chapter: multi_head.
    """
    xp = checks.arrays(heads=heads)
    if heads.ndim < 3:
        raise ValueError(f"heads must have at least three axes (heads, items, width), got shape {checks.shape(heads)}")
    return _merge(xp, heads)


# ---- steps that the functions above share

def _shares(xp, scores, axis, *, fresh=False):
    """exp(scores), each divided by their sum along an axis.

    The one place where the libraries part for speed.  torch has all the steps in
    one pass, with its gradient.  In numpy each step would make another array as
    large as the scores, and fetching that memory takes longer than the sums: the
    steps write over one array instead.  Scores that are `fresh`, a product just
    made along the last axis that nobody else holds and nobody has masked, are
    written over themselves, in pieces that stay in the processor's cache.
    """
    if hasattr(xp, "softmax"):
        weights = xp.softmax(scores, axis)
        return weights if fresh else _not_nan(xp, weights, scores, axis)
    # In memory row by row, so that its rows are views: numpy's products keep strange orders of axes.
    weights = np.ascontiguousarray(scores) if fresh else np.array(scores)
    rows = weights.reshape(-1, weights.shape[-1]) if fresh else weights
    pieces = math.ceil(rows.size / CACHE) if fresh else 1
    for piece in np.array_split(rows, pieces):           # views, not copies
        with np.errstate(over="ignore"):                 # too far below: -inf
            piece -= _largest(xp, piece, axis)
        np.exp(piece, out=piece)                         # at most exp(0) = 1
        piece /= _or_one(xp, np.sum(piece, axis=axis, keepdims=True))
    return weights


def _largest(xp, scores, axis):
    """The largest score along an axis, or 0 where all are minus infinity: what a softmax may shift by."""
    largest = xp.max(scores, axis=axis, keepdims=True)
    return xp.where(xp.isinf(largest), xp.zeros_like(largest), largest)


def _not_nan(xp, weights, scores, axis):
    """Zeros where every score is minus infinity; torch gives nan there, to the whole row."""
    one_of_each = xp.moveaxis(weights, axis, -1)[..., 0]
    if not xp.any(xp.isnan(one_of_each)):
        return weights
    nowhere = xp.all(scores == -math.inf, axis=axis, keepdims=True)
    zeros = xp.zeros_like(scores)
    # Zeros in, zeros out: a where around the softmax alone would let the nan into the gradient.
    return xp.where(nowhere, zeros, xp.softmax(xp.where(nowhere, zeros, scores), axis))


def _or_one(xp, divisor):
    """A divisor with ones in place of zeros: what is zero and divided by it stays zero."""
    return xp.where(divisor == 0, 1.0, divisor)


def _widen(xp, *arrays):
    """Sixteen bits are too few to add up many numbers in: work in thirty-two."""
    if checks.bits(arrays[0].dtype, xp) >= 32:
        return arrays
    return tuple(xp.astype(x, xp.float32) for x in arrays)


def _narrow(xp, x, like):
    """Back to the dtype that was given."""
    return x if x.dtype == like.dtype else xp.astype(x, like.dtype)


def _scale(scale, query):
    """What dot products are multiplied by: 1 / sqrt(width) unless something else is asked for."""
    return 1 / math.sqrt(query.shape[-1]) if scale is None else checks.finite(scale, "scale", query)


def _scored(score, scale, query, key, value):
    """The scores of a function of the caller's, after checking what it returned."""
    if scale is not None:
        raise ValueError("scale belongs to the dot score: give either scale or score, not both")
    if not callable(score):
        raise TypeError(f"score must be a function of query and key, got {type(score).__name__}")
    scores = score(query, key)
    xp = checks.arrays(**{"value": value, "the result of score": scores})
    n, m = query.shape[-2], key.shape[-2]
    if tuple(scores.shape[-2:]) != (n, m):
        raise ValueError(f"score must return shape (..., {n}, {m}) for query {checks.shape(query)} "
                         f"and key {checks.shape(key)}, got {checks.shape(scores)}")
    checks.batch_axes(**{"the result of score": scores, "value": value})
    return _widen(xp, scores)[0]


def _project(x, weight, bias):
    projected = x @ weight                                                       # (..., n, d_out)
    if bias is not None:
        projected += bias                    # onto the array just made, which nobody else holds
    return projected


def _split(xp, x, h):
    groups = xp.reshape(x, (*x.shape[:-1], h, x.shape[-1] // h))                 # (..., n, h, d)
    return groups.swapaxes(-2, -3)                                               # (..., h, n, d)


def _merge(xp, heads):
    h, d = heads.shape[-3], heads.shape[-1]
    side_by_side = heads.swapaxes(-2, -3)                                        # (..., n, h, d)
    return xp.reshape(side_by_side, (*side_by_side.shape[:-2], h * d))           # (..., n, h * d)


def _check_projections(h, dot_score, query, key, value, w_query, w_key, w_value, w_output, biases):
    checks.matrix("w_query", w_query, rows=(query.shape[-1], "the width of query", query))
    checks.matrix("w_key", w_key, rows=(key.shape[-1], "the width of key", key))
    checks.matrix("w_value", w_value, rows=(value.shape[-1], "the width of value", value))
    for name, weight in (("w_query", w_query), ("w_key", w_key), ("w_value", w_value)):
        if weight.shape[1] % h:
            raise ValueError(f"num_heads must divide the columns of {name}: {h} heads, shape {checks.shape(weight)}")
    if dot_score and w_query.shape[1] != w_key.shape[1]:
        raise ValueError(f"w_query and w_key must have as many columns, got {checks.shape(w_query)} "
                         f"and {checks.shape(w_key)}")
    checks.matrix("w_output", w_output, rows=(w_value.shape[1], "the columns of w_value", w_value))
    for name, weight in (("query", w_query), ("key", w_key), ("value", w_value), ("output", w_output)):
        bias = biases[f"b_{name}"]
        if bias is not None:
            checks.vector(f"b_{name}", bias, weight.shape[1], "a number for each column of", f"w_{name}")
