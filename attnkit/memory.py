"""The same question with less memory: exact attention in blocks, in windows, and with a kernel instead of exp.

None of these functions returns weights: never writing the n x m weights down
is what they are for.
"""

import math

import numpy as np

from attnkit import checks, numerics


def attention_in_blocks(query, key, value, *, mask=None, scale=None, block_size=512):
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


def window_attention(query, key, value, *, window, causal=False, scale=None, block_size=64):
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
        # Each query sees its own key, so no row is empty.
        outputs.append(numerics.softmax(xp, scores, all_count=True) @ v[..., near, :])
    return numerics.downcast(xp, xp.concat(outputs, axis=-2), value)


def linear_attention(query, key, value, *, feature_map=None, causal=False):
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
    xp, q, k, sizes, v = _featured(query, key, value, feature_map, causal)
    if not causal:
        k = k * xp.exp(sizes - xp.max(sizes, axis=-2, keepdims=True))
        memory = k.mT @ v                                          # (..., r, d_v)
        total = q @ xp.sum(k, axis=-2, keepdims=True).mT           # (..., n, 1)
        return numerics.downcast(xp, q @ memory / numerics.safe_divisor(xp, total), value)
    # Block by block: weights among the keys of the block, and what the memory holds of those before.
    largest, outputs = -math.inf, []
    memory, summed = xp.zeros_like(k[..., :1, :].mT @ v[..., :1, :]), xp.zeros_like(k[..., :1, :])
    for rows in _slices(q.shape[-2], 64):
        now = (..., rows, slice(None))
        place = xp.arange(k[now].shape[-2], device=query.device)
        seen = xp.where(place <= place[:, None], sizes[now].mT, -math.inf)         # (..., block, block)
        most = xp.maximum(xp.max(seen, axis=-1, keepdims=True), largest)           # (..., block, 1)
        shares, shrink = q[now] @ k[now].mT * xp.exp(seen - most), xp.exp(largest - most)
        total = xp.sum(shares, axis=-1, keepdims=True) + q[now] @ summed.mT * shrink
        read = shares @ v[now] + q[now] @ memory * shrink                          # (..., block, d_v)
        outputs.append(read / numerics.safe_divisor(xp, total))
        before, largest = largest, most[..., -1:, :]
        shrink, write = xp.exp(before - largest), xp.exp(sizes[now] - largest) * k[now]
        memory = memory * shrink + write.mT @ v[now]
        summed = summed * shrink + xp.sum(write, axis=-2, keepdims=True)
    return numerics.downcast(xp, xp.concat(outputs, axis=-2), value)


def fast_weight_attention(query, key, value, *, feature_map=None):
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
    xp, q, k, sizes, v = _featured(query, key, value, feature_map, causal=True)
    largest, memory, total, outputs = -math.inf, 0.0, 0.0, []
    for i in range(q.shape[-2]):
        now = (..., slice(i, i + 1), slice(None))                  # row i, kept as a row
        # Both are kept divided by exp(largest): a key of a larger size shrinks what was summed so far.
        before, largest = largest, xp.maximum(sizes[now], largest)
        shrink, write = xp.exp(before - largest), xp.exp(sizes[now] - largest) * k[now]
        memory = memory * shrink + write.mT @ v[now]               # (..., r, d_v)
        total = total * shrink + write                             # (..., 1, r)
        outputs.append(q[now] @ memory / numerics.safe_divisor(xp, q[now] @ total.mT))
    memory = memory * xp.exp(largest)
    return numerics.downcast(xp, xp.concat(outputs, axis=-2), value), numerics.downcast(xp, memory, value)


def delta_rule_attention(query, key, value, *, rate=1.0):
    """A memory that is corrected rather than added to: what it holds for a key is replaced by the key's new value.

    The memory is a matrix, as in `fast_weight_attention`.  Step i first reads what is there
    for key i, and adds the outer product of key i and what is missing to value i, times
    `rate`.  For keys of length one and a rate of one the memory then gives value i, exactly,
    whatever was written for that key before.

    Parameters
    ----------
    query : floating-point array, shape (..., n, d_k)
    key : array, shape (..., n, d_k)
        Of length one, or less, for a memory that stays within bounds.
    value : array, shape (..., n, d_v)
    rate : float
        How much of what is missing is added: 0 writes nothing.

    Returns
    -------
    output : array, shape (..., n, d_v)
        Query i times the memory after step i; no weights, so nothing sums to one.
    memory : array, shape (..., d_k, d_v)
        The matrix after the last step.

    Raises
    ------
    TypeError
        As `attention`; `rate` is not a number.
    ValueError
        The shapes do not fit together; there are not as many queries as keys; `rate` is not finite.

    Examples
    --------
    >>> import numpy as np
    >>> key, value = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]), np.array([[10.0], [20.0], [30.0]])
    >>> output, memory = delta_rule_attention(key, key, value)
    >>> output.tolist(), memory.tolist()      # the third step replaces what the first has written
    ([[10.0], [20.0], [30.0]], [[30.0], [20.0]])

    References
    ----------
    Schlag et al. (2021), "Linear Transformers Are Secretly Fast Weight Programmers", section 4.2.
    Chapter: cost.
    """
    xp, q, k, v = _given(query, key, value, causal=True)
    rate, outputs = checks.finite(rate, "rate", query), []
    memory = xp.zeros_like(k[..., :1, :].mT @ v[..., :1, :])       # (..., d_k, d_v)
    for i in range(q.shape[-2]):
        now = (..., slice(i, i + 1), slice(None))                  # row i, kept as a row
        memory = memory + rate * k[now].mT @ (v[now] - k[now] @ memory)
        outputs.append(q[now] @ memory)
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
    """The library, the features of queries and keys, the sizes of the keys (..., m, 1), and the value, all checked.

    The features of a row are divided by exp of its size.  That of a query cancels, as its output is divided by the sum
    of its weights, so it is left out; of the sizes of keys only the differences count.
    """
    xp, *wide, value = _given(query, key, value, causal)
    if feature_map is None:
        (q, _), (k, sizes) = (_elu_plus_one(xp, x) for x in wide)
        return xp, q, k, sizes, value
    if not callable(feature_map):
        raise TypeError(f"feature_map must be a function, got {type(feature_map).__name__}")
    mapped = [feature_map(x) for x in wide]
    checks.arrays(**{"query": wide[0], "feature_map(query)": mapped[0], "feature_map(key)": mapped[1]})
    for before, after in zip(wide, mapped):
        if after.shape[:-1] != before.shape[:-1] or 0 in after.shape:
            raise ValueError(f"feature_map must map (..., n, d_k) to (..., n, r), got {checks.shape(after)} "
                             f"from {checks.shape(before)}")
    if mapped[0].shape[-1] != mapped[1].shape[-1]:
        raise ValueError("feature_map must give queries and keys the same width, "
                         f"got {checks.shape(mapped[0])} and {checks.shape(mapped[1])}")
    tiny, sized = xp.finfo(wide[0].dtype).smallest_normal, []
    for x in mapped:
        size = _size(xp, xp.log(xp.maximum(xp.max(xp.abs(x), axis=-1, keepdims=True), tiny)))
        sized.append((x * xp.exp(-size), size))
    (q, _), (k, sizes) = sized
    return xp, q, k, sizes, value


def _elu_plus_one(xp, x):
    """x + 1 above zero, exp(x) below: never negative, and smooth; divided by exp of its size, and the size."""
    positive, largest = x > 0, xp.max(x, axis=-1, keepdims=True)
    above, below = xp.where(positive, x, 0.0), xp.where(positive, 0.0, x)
    # Below zero the logarithm of the largest feature is x itself: the feature may be too small to be written down.
    largest = xp.maximum(largest, xp.finfo(x.dtype).min)
    size = _size(xp, xp.log1p(xp.maximum(largest, 0.0)) + xp.minimum(largest, 0.0))
    return above * xp.exp(-xp.maximum(size, 0.0)) + xp.exp(below - size), size


def _size(xp, logarithm):
    """A logarithm in steps of 16, towards zero: 0 for features of the usual size, which are then left as they are."""
    return 16 * xp.trunc(logarithm / 16)


def _slices(length, size):
    return [slice(start, start + size) for start in range(0, length, size)]
