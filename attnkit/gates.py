"""Attention as it is used on pictures: gates for channels, for places, and for both.

A gate is a number between 0 and 1 made by a sigmoid, each on its own: gates need
not sum to one.  x is (..., n, c): n places, the pixels row by row, and c channels.
"""

from attnkit import checks


def channel_attention(x, w_squeeze, w_excite, *, b_squeeze=None, b_excite=None):
    """Turn each channel up or down, by what is in the whole picture (squeeze and excitation).

    The picture is squeezed to one number a channel, its mean over all places; a
    network with one narrow hidden layer makes a gate of each; every place is
    multiplied by the same gates.

    Parameters
    ----------
    x : floating-point array, shape (..., n, c)
    w_squeeze : array, shape (c, r)
        r hidden units, usually fewer than c.
    w_excite : array, shape (r, c)
    b_squeeze : array, shape (r,), optional
    b_excite : array, shape (c,), optional

    Returns
    -------
    output : array, shape (..., n, c)
    gates : array, shape (..., 1, c)
        One for each channel, between 0 and 1; they need not sum to one.

    Raises
    ------
    TypeError
        An argument is not a floating-point array, or libraries or dtypes are mixed.
    ValueError
        The shapes do not fit together.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[1.0, 4.0], [3.0, 4.0]])            # two places, two channels
    >>> output, gates = channel_attention(x, np.array([[1.0], [0.0]]), np.array([[50.0, -50.0]]))
    >>> gates.round(3).tolist(), output.round(3).tolist()
    ([[1.0, 0.0]], [[1.0, 0.0], [3.0, 0.0]])

    References
    ----------
    Hu et al. (2018), "Squeeze-and-Excitation Networks", equations 2 to 4.
    Chapter: space_and_channels.
    """
    xp = checks.arrays({"b_squeeze": b_squeeze, "b_excite": b_excite}, x=x, w_squeeze=w_squeeze, w_excite=w_excite)
    checks.items("x", x)
    c = x.shape[-1]
    checks.matrix("w_squeeze", w_squeeze, rows=(c, "the channels of x", x))
    r = w_squeeze.shape[1]
    checks.matrix("w_excite", w_excite, rows=(r, "the columns of w_squeeze"),
                  columns=(c, "the channels of x", x))
    for name, bias, length in (("b_squeeze", b_squeeze, r), ("b_excite", b_excite, c)):
        if bias is not None:
            checks.vector(name, bias, length, f"a number for each column of w{name[1:]}")
    hidden = xp.mean(x, axis=-2, keepdims=True) @ w_squeeze               # (..., 1, r)
    hidden = hidden if b_squeeze is None else hidden + b_squeeze
    raw = xp.where(hidden <= 0, 0.0, hidden) @ w_excite                    # (..., 1, c)
    gates = _sigmoid(xp, raw if b_excite is None else raw + b_excite)
    return x * gates, gates


def spatial_attention(x, weight, *, bias=None):
    """Turn each place up or down, by what is in its channels.

    The channels of a place are summed with `weight` to one number; its sigmoid is
    the gate of that place, for all its channels.

    Parameters
    ----------
    x : floating-point array, shape (..., n, c)
    weight : array, shape (c, 1)
    bias : array, shape (1,), optional

    Returns
    -------
    output : array, shape (..., n, c)
    gates : array, shape (..., n, 1)
        One for each place, between 0 and 1; they need not sum to one.

    Raises
    ------
    TypeError
        An argument is not a floating-point array, or libraries or dtypes are mixed.
    ValueError
        The shapes do not fit together.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[50.0, 1.0], [-50.0, 1.0]])         # two places, two channels
    >>> output, gates = spatial_attention(x, np.array([[1.0], [0.0]]))
    >>> gates.round(3).tolist(), output.round(3).tolist()
    ([[1.0], [0.0]], [[50.0, 1.0], [-0.0, 0.0]])

    References
    ----------
    Roy et al. (2018), "Concurrent Spatial and Channel Squeeze & Excitation in
    Fully Convolutional Networks", section 2.2.
    Chapter: space_and_channels.
    """
    xp = checks.arrays({"bias": bias}, x=x, weight=weight)
    checks.items("x", x)
    checks.matrix("weight", weight, rows=(x.shape[-1], "the channels of x", x),
                  columns=(1, "the gate"))
    if bias is not None:
        checks.vector("bias", bias, 1, "for the one gate")
    raw = x @ weight                                                      # (..., n, 1)
    gates = _sigmoid(xp, raw if bias is None else raw + bias)
    return x * gates, gates


def channel_and_spatial_attention(x, w_squeeze, w_excite, weight, *, b_squeeze=None, b_excite=None, bias=None):
    """First which channels, then which places: `channel_attention`, and `spatial_attention` on its output.

    Parameters
    ----------
    x : floating-point array, shape (..., n, c)
    w_squeeze, w_excite, b_squeeze, b_excite : arrays
        As in `channel_attention`.
    weight, bias : arrays
        As in `spatial_attention`.

    Returns
    -------
    output : array, shape (..., n, c)
    gates : array, shape (..., n, c)
        The product of both kinds of gates: ``output = x * gates``.

    Raises
    ------
    TypeError, ValueError
        As the two functions.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[1.0, 4.0], [3.0, 4.0]])
    >>> zeros = np.zeros((2, 2))
    >>> output, gates = channel_and_spatial_attention(x, zeros, zeros, zeros[:, :1])     # every gate a half, twice
    >>> output.tolist(), gates.tolist()
    ([[0.25, 1.0], [0.75, 1.0]], [[0.25, 0.25], [0.25, 0.25]])

    References
    ----------
    Woo et al. (2018), "CBAM: Convolutional Block Attention Module", section 3,
    has this order; the gates there also look at maxima and at neighbouring places.
    Chapter: space_and_channels.
    """
    channels, by_channel = channel_attention(x, w_squeeze, w_excite, b_squeeze=b_squeeze, b_excite=b_excite)
    output, by_place = spatial_attention(channels, weight, bias=bias)
    return output, by_channel * by_place


def _sigmoid(xp, x):
    """1 / (1 + exp(-x)), in the form that cannot overflow."""
    return 0.5 + 0.5 * xp.tanh(0.5 * x)
