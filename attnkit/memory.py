"""The same question with less memory: exact attention in blocks, in windows, and with a kernel instead of exp.

None of these functions returns weights: never writing the n x m weights down
is what they are for.
"""

import math
from collections.abc import Callable

import numpy as np

from attnkit import checks, numerics
from attnkit.mechanism import softmax


def attention_in_blocks(query, key, value, *, mask=None, scale: float | None = None, block_size: int = 512):
    """`attention`, exactly, without ever holding more than a block_size x block_size square of its weights.

    The keys are read block by block.  For each query a running maximum, a running
    sum of exponentials and a running blend are kept; when a larger score turns up,
    what was summed so far is scaled down to the new maximum (online softmax).

    Parameters
    ----------
    query : floating-point array, shape (..., n, d_k)
    key : array, shape (..., m, d_k)
    value : array, shape (..., m, d_v)
    mask : boolean array broadcastable to (..., n, m), optional
        True = may attend, as in `attention`.
    scale : float, optional
        As in `attention`.
    block_size : int
        How many queries, and how many keys, at a time; memory grows with its square, not with n times m.

    Returns
    -------
    array, shape (..., n, d_v)

    Raises
    ------
    TypeError
        As `attention`; `block_size` is not an integer.
    ValueError
        As `attention`; `block_size` is less than one.

    Examples
    --------
    >>> import numpy as np
    >>> from attnkit import attention
    >>> query, key, value = np.random.default_rng(0).normal(size=(3, 5, 2))
    >>> whole, _ = attention(query, key, value)
    >>> bool(np.allclose(attention_in_blocks(query, key, value, block_size=2), whole, atol=1e-12))
    True

    References
    ----------
    Milakov and Gimelshein (2018), "Online normalizer calculation for softmax";
    Rabe and Staats (2021), "Self-attention Does Not Need O(n²) Memory".
    Chapter: cost.
    """
    xp = checks.arrays(query=query, key=key, value=value)
    checks.attention_shapes(query, key, value)
    block_size = checks.count(block_size, "block_size")
    scale = 1 / math.sqrt(query.shape[-1]) if scale is None else checks.finite(scale, "scale", query)
    batch, n, m = checks.batch_axes(query=query, key=key, value=value), query.shape[-2], key.shape[-2]
    if mask is not None:
        checks.mask(mask, (*checks.batch_axes(query=query, key=key), n, m), query)
        mask = xp.broadcast_to(mask, (*batch, n, m))
    if batch:      # one after the other, so that a block stays in the processor's cache
        whole = [xp.broadcast_to(x, (*batch, *x.shape[-2:])) for x in (query, key, value)]
        return xp.stack([attention_in_blocks(*(x[i, ...] for x in whole), scale=scale, block_size=block_size,
                                             mask=None if mask is None else mask[i, ...]) for i in range(batch[0])])

    q, k, v = numerics.upcast(xp, query, key, value)
    q = q * scale
    blends = []
    for rows in _slices(n, block_size):
        largest, total, blend = -math.inf, 0.0, 0.0
        for columns in _slices(m, block_size):
            scores = q[rows] @ k[columns].mT                        # (block_size, block_size)
            if mask is not None:
                scores = xp.where(mask[rows, columns], scores, -math.inf)
            before = largest
            largest = xp.maximum(xp.max(scores, axis=1, keepdims=True), before)
            # Where nothing was allowed so far there is nothing to shift by.
            shift = xp.where(largest == -math.inf, 0.0, largest)    # (block_size, 1)
            with np.errstate(over="ignore"):                        # too far below: -inf
                shares = xp.exp(scores - shift)
            shrink = xp.exp(before - shift)                         # 0 in the first block
            total = total * shrink + xp.sum(shares, axis=1, keepdims=True)
            blend = blend * shrink + shares @ v[columns]            # (block_size, d_v)
        blends.append(blend / numerics.safe_divisor(xp, total))
    return numerics.downcast(xp, xp.concat(blends), value)


def window_attention(query, key, value, *, window: int, causal: bool = False, scale: float | None = None,
                     block_size: int = 64):
    """`attention` under a `window_mask`, exactly, without the scores of pairs that are far apart.

    The queries are read block by block, and each block meets the keys that one of its
    queries may see: its own places and `window` more on either side.  Time and memory
    grow with n * (window + block_size), not with n * n.

    Parameters
    ----------
    query : floating-point array, shape (..., n, d_k)
    key : array, shape (..., n, d_k)
    value : array, shape (..., n, d_v)
        Finite, also where the window does not reach, as in `attention`.
    window : int
        How far a query sees, in positions, to either side; 0 leaves each query its own.
    causal : bool
        Whether it sees the past alone: its own position and `window` before it.
    scale : float, optional
        As in `attention`.
    block_size : int
        How many queries at a time.

    Returns
    -------
    array, shape (..., n, d_v)

    Raises
    ------
    TypeError
        As `attention`; `window` or `block_size` is not an integer.
    ValueError
        As `attention`; there are not as many queries as keys; `window` is negative or `block_size` less than one.

    Examples
    --------
    >>> import numpy as np
    >>> from attnkit import attention, window_mask
    >>> query, key, value = np.random.default_rng(0).normal(size=(3, 9, 2))
    >>> whole, _ = attention(query, key, value, mask=window_mask(9, 2))
    >>> bool(np.allclose(window_attention(query, key, value, window=2, block_size=4), whole, atol=1e-12))
    True

    References
    ----------
    Beltagy et al. (2020), "Longformer: The Long-Document Transformer", section 3.1.
    Chapter: cost.
    """
    xp = checks.arrays(query=query, key=key, value=value)
    checks.attention_shapes(query, key, value)
    n, block_size = query.shape[-2], checks.count(block_size, "block_size")
    if n != key.shape[-2]:
        raise ValueError(f"a window needs as many queries as keys, got query {checks.shape(query)} "
                         f"and key {checks.shape(key)}")
    window = min(checks.count(window, "window", least=0), n)
    scale = 1 / math.sqrt(query.shape[-1]) if scale is None else checks.finite(scale, "scale", query)

    q, k, v = numerics.upcast(xp, query, key, value)
    q, ahead = q * scale, 0 if causal else window
    place, outputs = xp.arange(n, device=query.device), []
    for rows in _slices(n, block_size):
        near = slice(max(0, rows.start - window), rows.stop + ahead)
        away = place[near] - place[rows][:, None]                        # (block_size, at most block_size + 2 window)
        scores = q[..., rows, :] @ k[..., near, :].mT
        scores = xp.where((away >= -window) & (away <= ahead), scores, -math.inf)
        outputs.append(softmax(scores) @ v[..., near, :])
    return numerics.downcast(xp, xp.concat(outputs, axis=-2), value)


def linear_attention(query, key, value, *, feature_map: Callable | None = None, causal: bool = False):
    """Attend with the weights feature_map(q) . feature_map(k) in place of exp(q . k): linear in the length.

    As the weights are products, the sum over the keys can be done first:
    ``feature_map(query) @ (feature_map(key).T @ value)``, each row divided by the sum of
    its weights.  The n x m weights are never needed.

    Parameters
    ----------
    query : floating-point array, shape (..., n, d_k)
    key : array, shape (..., m, d_k)
    value : array, shape (..., m, d_v)
    feature_map : callable, optional
        Maps (..., n, d_k) to (..., n, r), no number negative; elu(x) + 1 if not given.
    causal : bool
        Whether query i sees keys 0 to i only; n must be m.

    Returns
    -------
    array, shape (..., n, d_v)
        Zero where a query has no weight on any key.

    Raises
    ------
    TypeError
        As `attention`; `feature_map` is not a function.
    ValueError
        The shapes do not fit together; what `feature_map` returned does not; `causal` with n other than m.

    Examples
    --------
    >>> import numpy as np
    >>> key, value = np.array([[0.0], [2.0]]), np.array([[10.0], [20.0]])
    >>> linear_attention(np.array([[0.0]]), key, value).tolist()      # weights 1 and 3
    [[17.5]]

    References
    ----------
    Katharopoulos et al. (2020), "Transformers are RNNs: Fast Autoregressive
    Transformers with Linear Attention".
    Chapter: cost.
    """
    xp, q, k, v = _featured(query, key, value, feature_map, causal)
    if not causal:
        memory = k.mT @ v                                          # (..., r, d_v)
        total = q @ xp.sum(k, axis=-2, keepdims=True).mT           # (..., n, 1)
        return numerics.downcast(xp, q @ memory / numerics.safe_divisor(xp, total), value)
    # Block by block: weights among the keys of the block, and what the memory holds of those before.
    memory, summed = xp.zeros_like(k[..., :1, :].mT @ v[..., :1, :]), xp.zeros_like(k[..., :1, :])
    outputs = []
    for rows in _slices(q.shape[-2], 64):
        now = (..., rows, slice(None))
        weights = xp.tril(q[now] @ k[now].mT)                      # (..., block, block)
        total = xp.sum(weights, axis=-1, keepdims=True) + q[now] @ summed.mT
        read = weights @ v[now] + q[now] @ memory                  # (..., block, d_v)
        outputs.append(read / numerics.safe_divisor(xp, total))
        memory = memory + k[now].mT @ v[now]
        summed = summed + xp.sum(k[now], axis=-2, keepdims=True)
    return numerics.downcast(xp, xp.concat(outputs, axis=-2), value)


def fast_weight_attention(query, key, value, *, feature_map: Callable | None = None):
    """Causal linear attention as a recurrence: a memory that each key and value write into and each query reads.

    The memory is a matrix.  Step i adds the outer product of feature_map(key i) and
    value i to it, and reads feature_map(query i) @ memory.  The same numbers as
    ``linear_attention(..., causal=True)``, with a state that does not grow.

    Parameters
    ----------
    query : floating-point array, shape (..., n, d_k)
    key : array, shape (..., n, d_k)
    value : array, shape (..., n, d_v)
    feature_map : callable, optional
        As in `linear_attention`.

    Returns
    -------
    output : array, shape (..., n, d_v)
    memory : array, shape (..., r, d_v)
        The matrix after the last step: the fast weights.

    Raises
    ------
    TypeError
        As `linear_attention`.
    ValueError
        As `linear_attention`.

    Examples
    --------
    >>> import numpy as np
    >>> x, value = np.array([[0.0], [2.0]]), np.array([[10.0], [20.0]])
    >>> output, memory = fast_weight_attention(x, x, value)
    >>> output.tolist(), memory.tolist()      # 1 * 10, then 3 * 20 more
    ([[10.0], [17.5]], [[70.0]])

    References
    ----------
    Schmidhuber (1992), "Learning to Control Fast-Weight Memories"; Schlag et al.
    (2021), "Linear Transformers Are Secretly Fast Weight Programmers".
    Chapter: cost.
    """
    xp, q, k, v = _featured(query, key, value, feature_map, causal=True)
    memory, total, outputs = 0.0, 0.0, []
    for i in range(q.shape[-2]):
        now = (..., slice(i, i + 1), slice(None))                  # row i, kept as a row
        memory = memory + k[now].mT @ v[now]                       # (..., r, d_v)
        total = total + k[now]                                     # (..., 1, r)
        outputs.append(q[now] @ memory / numerics.safe_divisor(xp, q[now] @ total.mT))
    return numerics.downcast(xp, xp.concat(outputs, axis=-2), value), numerics.downcast(xp, memory, value)


def _given(query, key, value, causal):
    """The library and the three arrays, checked, and wide enough to add up in."""
    xp = checks.arrays(query=query, key=key, value=value)
    checks.attention_shapes(query, key, value)
    if causal and query.shape[-2] != key.shape[-2]:
        raise ValueError("causal attention needs as many queries as keys, "
                         f"got query {checks.shape(query)} and key {checks.shape(key)}")
    return xp, *numerics.upcast(xp, query, key, value)


def _featured(query, key, value, feature_map, causal):
    """The library, the features of queries and keys, and the value, all checked."""
    xp, q, k, value = _given(query, key, value, causal)
    if feature_map is None:
        return xp, _elu_plus_one(xp, q), _elu_plus_one(xp, k), value
    if not callable(feature_map):
        raise TypeError(f"feature_map must be a function, got {type(feature_map).__name__}")
    of_q, of_k = feature_map(q), feature_map(k)
    checks.arrays(**{"query": q, "feature_map(query)": of_q, "feature_map(key)": of_k})
    for before, after in ((q, of_q), (k, of_k)):
        if after.shape[:-1] != before.shape[:-1] or 0 in after.shape:
            raise ValueError(f"feature_map must map (..., n, d_k) to (..., n, r), got {checks.shape(after)} "
                             f"from {checks.shape(before)}")
    if of_q.shape[-1] != of_k.shape[-1]:
        raise ValueError("feature_map must give queries and keys the same width, "
                         f"got {checks.shape(of_q)} and {checks.shape(of_k)}")
    return xp, of_q, of_k, value


def _elu_plus_one(xp, x):
    """x + 1 above zero, exp(x) below: never negative, and smooth."""
    return xp.where(x > 0, x, 0.0) + xp.exp(xp.where(x > 0, 0.0, x))


def _slices(length, size):
    return [slice(start, start + size) for start in range(0, length, size)]
