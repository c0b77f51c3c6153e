"""A state that fades: the same numbers item by item, as a convolution, and as attention."""

import numpy as np

from attnkit import checks


def state_space_scan(x, decay, write, read):
    """A state that fades, item by item, and what is read of it at each.

    ``h_t = decay * h_{t-1} + write_t x_t`` and ``y_t = read_t . h_t``. Each column of x has a state of its own, N
    numbers, that starts at zero. x (n, d), decay (N,), what is left of each number of the state after one item; `write`
    and `read` (N,), the same for all items, or (n, N). Gives (n, d).

    >>> state_space_scan(np.array([[8.0], [0.0], [0.0]]), np.array([0.5]), np.ones(1), np.ones(1)).tolist()
    [[8.0], [4.0], [2.0]]
    """
    write, read = _for_each_item(x, decay, write, read)
    state, outputs = np.zeros((len(decay), x.shape[1])), []
    for item, w, r in zip(x, write, read):
        state = decay[:, None] * state + np.outer(w, item)        # (N, d)
        outputs.append(r @ state)                                 # (d,)
    return np.array(outputs)


def state_space_convolution(x, decay, write, read):
    """`state_space_scan` without a state: a causal convolution as long as the sequence.

    The kernel's number for the item k places before is ``read . (decay^k write)``.
    """
    if np.ndim(write) != 1 or np.ndim(read) != 1:
        raise ValueError("a convolution does the same for all items: write and read must have one axis, "
                         f"got shapes {np.shape(write)} and {np.shape(read)}")
    _for_each_item(x, decay, write, read)
    n = len(x)
    kernel = decay ** np.arange(n)[:, None] @ (read * write)                                      # (n,)
    return np.stack([np.convolve(column, kernel)[:n] for column in x.T], axis=1)                  # (n, d)


def state_space_attention(x, decay, write, read):
    """`state_space_scan` as attention: reads are queries, writes keys, items values; the farther, the less weight.

    The weight of item s for output t is the sum over the state of ``read_t decay^(t - s) write_s``, if s is not after
    t. With one decay for the whole state that is ``(read_t . write_s) decay^(t - s)``: linear attention without its
    division, times a mask that fades. Gives the output (n, d) and the weights (n, n), of any sign; rows do not sum to
    one.

    >>> x = np.array([[8.0], [0.0], [0.0]])
    >>> state_space_attention(x, np.array([0.5]), np.ones(1), np.ones(1))[1].tolist()
    [[1.0, 0.0, 0.0], [0.5, 1.0, 0.0], [0.25, 0.5, 1.0]]
    """
    write, read = _for_each_item(x, decay, write, read)
    since = np.subtract.outer(np.arange(len(x)), np.arange(len(x)))[..., None]                    # (n, n, 1)
    left = np.where(since >= 0, decay ** np.maximum(since, 0), 0.0)                               # (n, n, N)
    weights = np.einsum("tN,sN,tsN->ts", read, write, left)
    return weights @ x, weights


def _for_each_item(x, decay, write, read):
    """`write` and `read` as arrays (n, N), checked."""
    checks.items("x", x)
    if decay.ndim != 1:
        raise ValueError(f"decay must have one axis, a number for each of the state, got shape {decay.shape}")
    shape = len(x), len(decay)
    for name, array in (("write", write), ("read", read)):
        if array.shape not in (shape, shape[1:]):
            raise ValueError(f"{name} must have shape {shape[1:]} or {shape}, got {array.shape}")
    return np.broadcast_to(write, shape), np.broadcast_to(read, shape)
