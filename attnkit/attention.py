"""The mechanism: scores become weights, weights blend values.

Shapes are written with one alphabet throughout the book: n queries, m keys
(and as many values), d_k the width of a query and a key, d_v the width of a
value; ``...`` stands for any leading batch axes.  Rows are items.

Both functions work on numpy arrays and on torch tensors through the array API
standard, keep the dtype and never change what they are given.
"""

import math
import operator
from numbers import Real

import numpy as np
from array_api_compat import array_namespace, device, is_array_api_obj


def softmax(scores, *, temperature=1.0, axis=-1):
    """Turn scores into weights: positive numbers that sum to one along an axis.

    A higher score gets a larger weight, and only differences count: adding a
    constant to every score changes nothing.  A low temperature sharpens the
    weights towards the best score, a high one levels them.  A score of minus
    infinity gets weight zero; where all scores are, so are all weights.

    Parameters
    ----------
    scores : floating-point array, shape (...)
        Any real numbers.
    temperature : float
        What the scores are divided by first; positive and finite.
    axis : int
        The axis along which the weights sum to one.

    Returns
    -------
    array, same shape and dtype as `scores`

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
    """
    xp = _namespace(scores=scores)
    # Sixteen bits are too few to add up many weights in, or to divide by a small temperature: work in 32.
    dtype = scores.dtype
    if xp.finfo(dtype).bits < 32:
        scores = xp.astype(scores, xp.float32)
    temperature = _number(temperature, "temperature")
    if not xp.finfo(scores.dtype).smallest_normal <= temperature <= xp.finfo(scores.dtype).max:
        raise ValueError(f"temperature must be positive and finite in {scores.dtype}, got {temperature}")
    try:
        axis = operator.index(axis)
    except TypeError:
        raise TypeError(f"axis must be an integer, got {axis!r}") from None
    if not -scores.ndim <= axis < scores.ndim:
        raise ValueError(f"axis {axis} does not exist in scores of shape {_shape(scores)}")
    if scores.shape[axis] == 0:
        raise ValueError(f"axis {axis} of scores is empty: shape {_shape(scores)}")

    # exp overflows for large scores; shifting by the largest one changes no weight and keeps exp <= 1.
    largest = xp.max(scores, axis=axis, keepdims=True)
    # A row of minus infinities would give inf - inf = nan: shift it by nothing and let its sum be 0.
    largest = xp.where(xp.isinf(largest), xp.zeros_like(largest), largest)
    with np.errstate(over="ignore"):     # a difference too large for the dtype is minus infinity: weight 0, rightly
        weights = xp.exp((scores - largest) / temperature)
    total = xp.sum(weights, axis=axis, keepdims=True)
    return xp.astype(weights / xp.where(total == 0, xp.ones_like(total), total), dtype, copy=False)


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
        One value for each key.
    mask : boolean array broadcastable to (..., n, m), optional
        True = this query may attend to this key.  A query that may attend to
        nothing gets weights and output of zero.
    scale : float, optional
        What the dot products are multiplied by; 1 / sqrt(d_k) if not given.
    score : callable, optional
        ``score(query, key)`` returns the scores, shape (..., n, m), in place of the
        scaled dot product; `scale` must then be left out.

    Returns
    -------
    output : array, shape (..., n, d_v)
    weights : array, shape (..., n, m)
        Each row sums to one (or is zero, see `mask`).

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

    References
    ----------
    Vaswani et al. (2017), "Attention Is All You Need", equation 1.
    """
    xp = _namespace(query=query, key=key, value=value)
    _check_shapes(query, key, value)
    n, m = query.shape[-2], key.shape[-2]

    if score is None:
        if scale is None:
            scale = 1 / math.sqrt(query.shape[-1])
        else:
            scale = _number(scale, "scale")
            if not math.isfinite(scale):
                raise ValueError(f"scale must be finite, got {scale}")
        scores = (query * scale) @ xp.matrix_transpose(key)      # (..., n, m)
    else:
        if scale is not None:
            raise ValueError("scale belongs to the dot score: give either scale or score, not both")
        if not callable(score):
            raise TypeError(f"score must be a function of query and key, got {type(score).__name__}")
        scores = score(query, key)                               # (..., n, m)
        _namespace(**{"value": value, "the result of score": scores})
        if tuple(scores.shape[-2:]) != (n, m):
            raise ValueError(f"score must return shape (..., {n}, {m}) for query {_shape(query)} "
                             f"and key {_shape(key)}, got {_shape(scores)}")
        _check_broadcast("the result of score", scores.shape[:-2], "value", value.shape[:-2], scores, value)

    if mask is not None:
        _check_mask(mask, scores, xp)
        # minus infinity, not a large negative number: its weight is exactly zero in every dtype.
        scores = xp.where(mask, scores, xp.asarray(-math.inf, dtype=scores.dtype))

    weights = softmax(scores)                                    # (..., n, m)
    return weights @ value, weights                              # (..., n, d_v)


def _shape(array):
    return tuple(array.shape)


def _namespace(**arrays):
    """The array library of the arguments, after checking that there is one and that they fit."""
    for name, array in arrays.items():
        if not is_array_api_obj(array):
            raise TypeError(f"{name} must be a numpy array or a torch tensor, got {type(array).__name__}")
    try:
        xp = array_namespace(*arrays.values())
    except TypeError:
        kinds = ", ".join(f"{name}: {type(a).__module__.split('.')[0]}" for name, a in arrays.items())
        raise TypeError(f"arrays of one library are needed, got {kinds}") from None
    for name, array in arrays.items():
        if not xp.isdtype(array.dtype, "real floating"):
            raise TypeError(f"{name} must hold floating-point numbers, got dtype {array.dtype}")
    if len({array.dtype for array in arrays.values()}) > 1:
        kinds = ", ".join(f"{name}: {a.dtype}" for name, a in arrays.items())
        raise TypeError(f"one dtype is needed, got {kinds}")
    if len({str(device(array)) for array in arrays.values()}) > 1:
        places = ", ".join(f"{name}: {device(a)}" for name, a in arrays.items())
        raise ValueError(f"arrays on one device are needed, got {places}")
    return xp


def _number(value, name):
    """A real number as a plain float: a numpy scalar would widen the dtype of what it meets."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} must be a number, got {type(value).__name__}")
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _check_shapes(query, key, value):
    for name, array in (("query", query), ("key", key), ("value", value)):
        if array.ndim < 2:
            raise ValueError(f"{name} must have at least two axes (items, width), got shape {_shape(array)}")
        if 0 in array.shape:
            raise ValueError(f"{name} has an empty axis: shape {_shape(array)}")
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(f"query and key must have the same width, got query {_shape(query)} and key {_shape(key)}")
    if key.shape[-2] != value.shape[-2]:
        raise ValueError(f"there must be one value for each key, got key {_shape(key)} and value {_shape(value)}")
    _check_broadcast("query", query.shape[:-2], "key", key.shape[:-2], query, key)
    _check_broadcast("query and key", _longer(query, key), "value", value.shape[:-2], query, value)


def _longer(query, key):
    """The batch axes that query and key have together."""
    a, b = tuple(query.shape[:-2]), tuple(key.shape[:-2])
    length = max(len(a), len(b))
    a, b = (1,) * (length - len(a)) + a, (1,) * (length - len(b)) + b
    return tuple(max(i, j) for i, j in zip(a, b))


def _check_broadcast(name_a, a, name_b, b, array_a, array_b):
    if any(i != j and 1 not in (i, j) for i, j in zip(reversed(a), reversed(b))):
        raise ValueError(f"the batch axes of {name_a} and {name_b} do not fit together: "
                         f"{_shape(array_a)} and {_shape(array_b)}")


def _check_mask(mask, scores, xp):
    if not is_array_api_obj(mask) or array_namespace(mask) is not xp or not xp.isdtype(mask.dtype, "bool"):
        kind = f"dtype {mask.dtype} of {type(mask).__module__}" if hasattr(mask, "dtype") else type(mask).__name__
        raise TypeError(f"mask must be a boolean array of the same library (True = may attend), got {kind}")
    target, given = _shape(scores), _shape(mask)
    fits = len(given) <= len(target) and all(i in (1, j) for i, j in zip(reversed(given), reversed(target)))
    if not fits:
        raise ValueError(f"mask must broadcast to the scores' shape {target}, got {given}")
