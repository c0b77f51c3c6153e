"""The mechanism: scores become weights, weights blend values.

Shapes are written with one alphabet throughout the book: n queries, m keys
(and as many values), d_k the width of a query and a key, d_v the width of a
value, h heads, g heads of keys and values; ``...`` stands for any leading batch axes.  Rows are items.

The functions work on numpy arrays and on torch tensors through the array API
standard, keep the dtype and never change what they are given.  On sixteen-bit
numbers `softmax` and `attention` work in thirty-two bits; under torch.autocast dtypes
may be mixed, as in torch.  What that, overflow and empty rows ask for stands in
``attnkit.numerics``: the lines here say what is computed.
"""

import math

from array_api_compat import is_torch_namespace

from attnkit import checks, numerics


def softmax(scores, *, temperature: float = 1.0, axis: int = -1):
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
    xp = checks.softmax(scores, temperature, axis)
    x, = numerics.upcast(xp, scores)
    if is_torch_namespace(xp):
        weights = numerics.torch_softmax(xp, x, temperature, axis)
    else:
        shifted = numerics.shifted(xp, x, axis)
        weights = xp.exp(shifted / float(temperature))
        total = xp.sum(weights, axis=axis, keepdims=True)
        weights /= numerics.safe_divisor(xp, total)
    return numerics.downcast(xp, weights, scores)


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
    xp = checks.attention(query, key, value, scale, score)
    q, k, v = numerics.upcast(xp, query, key, value)
    if score is None:
        scale = 1 / math.sqrt(q.shape[-1]) if scale is None else float(scale)
        scores = q * scale @ k.mT                      # (..., n, m)
    else:
        scores = checks.scored(score(query, key), query, key, value)
        scores, = numerics.upcast(xp, scores)
    if mask is not None:
        checks.mask(mask, scores.shape, query)
        scores = xp.where(mask, scores, -math.inf)
    weights = softmax(scores)                          # rows sum to one
    output = weights @ v                               # (..., n, d_v)
    return (numerics.downcast(xp, output, value),
            numerics.downcast(xp, weights, value))


def multi_head_attention(query, key, value, w_query, w_key, w_value,
                         w_output, *, num_heads, num_key_value_heads=None,
                         b_query=None, b_key=None, b_value=None,
                         b_output=None, mask=None, scale=None, score=None):
    """Attend h times side by side, each head through projections of its own, and mix the answers.

    Each item is projected to h queries, keys and values.  Every head runs
    `attention` on its own; their outputs are laid side by side and mixed by
    `w_output`.  With query, key and value from one source this is self-attention,
    with the query from another cross-attention.  Neighbouring heads may share their
    keys and values, so that fewer of these are to be kept: grouped-query attention,
    and multi-query attention where all heads share one.

    Parameters
    ----------
    query : floating-point array, shape (..., n, d_query)
    key : array, shape (..., m, d_key)
    value : array, shape (..., m, d_value)
    w_query : array, shape (d_query, h * d_k)
        Head i reads the i-th group of d_k columns.
    w_key : array, shape (d_key, g * d_k)
    w_value : array, shape (d_value, g * d_v)
        The width of a head's output is d_v = columns / g; nothing asks it to be d / h.
    w_output : array, shape (h * d_v, d_out)
    num_heads : int
        h; it must divide the columns of `w_query`.
    num_key_value_heads : int, optional
        g, how many heads of keys and values there are; h if not given.  It must divide h and the columns
        of `w_key` and `w_value`; each serves h / g neighbouring heads of queries.
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
        As `attention`; `num_heads` or `num_key_value_heads` is not an integer.
    ValueError
        The shapes do not fit together; `num_heads` or `num_key_value_heads` does not divide what it must.

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
    >>> one = eye[:, :1]                 # one key and one value of each item, for both heads
    >>> output, weights = multi_head_attention(x, x, x, eye, one, one, eye, num_heads=2, num_key_value_heads=1)
    >>> weights[1].round(2).tolist()
    [[0.33, 0.33, 0.33], [0.42, 0.16, 0.42], [0.42, 0.16, 0.42]]

    References
    ----------
    Vaswani et al. (2017), "Attention Is All You Need", section 3.2.2; Shazeer (2019), "Fast
    Transformer Decoding: One Write-Head is All You Need"; Ainslie et al. (2023), "GQA: Training
    Generalized Multi-Query Transformer Models from Multi-Head Checkpoints".
    Chapter: multi_head.
    """
    xp = checks.multi_head(
        query, key, value, w_query, w_key, w_value, w_output,
        num_heads, num_key_value_heads, score,
        b_query=b_query, b_key=b_key, b_value=b_value, b_output=b_output)
    g, h = num_key_value_heads or num_heads, num_heads
    # Of shape (..., h, n, d_k), (..., g, m, d_k) and (..., g, m, d_v).
    queries = _split(xp, _project(query, w_query, b_query), h)
    keys = _split(xp, _project(key, w_key, b_key), g)
    values = _split(xp, _project(value, w_value, b_value), g)
    if g != h:    # each head of keys and values serves a group of neighbours
        keys = xp.repeat(keys, h // g, axis=-3)
        values = xp.repeat(values, h // g, axis=-3)
    heads, weights = attention(queries, keys, values,
                               mask=mask, scale=scale, score=score)
    output = _project(_merge(xp, heads), w_output, b_output)
    return output, weights           # (..., n, d_out) and (..., h, n, m)


def split_heads(x, num_heads: int):
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


def _project(x, weight, bias):
    return x @ weight if bias is None else x @ weight + bias                     # (..., n, d_out)


def _split(xp, x, h):
    groups = xp.reshape(x, (*x.shape[:-1], h, x.shape[-1] // h))                 # (..., n, h, d)
    return groups.swapaxes(-2, -3)                                               # (..., h, n, d)


def _merge(xp, heads):
    h, d = heads.shape[-3], heads.shape[-1]
    side_by_side = heads.swapaxes(-2, -3)                                        # (..., n, h, d)
    return xp.reshape(side_by_side, (*side_by_side.shape[:-2], h * d))           # (..., n, h * d)
