"""A dense layer and a convolution written as multi-head attention.

Both functions take a layer's weights and return what `multi_head_attention` must
be called with to compute the layer.  The heads' masks say where each head looks,
so the scores no longer matter; w_value hands every head the items unchanged;
w_output holds the layer's weights, one block of rows for each head.
"""

import itertools
from collections.abc import Sequence

import numpy as np

from attnkit import checks


def dense_as_attention(weight, bias=None, *, num_items: int) -> dict:
    """A fully connected layer over a whole sequence, as attention with one head for each item.

    Head i always reads item i, so the heads side by side are the flattened
    sequence, and w_output is the layer.  All queries get the same answer: one is
    enough, and it holds the layer's outputs for every position.

    Parameters
    ----------
    weight : floating-point array, shape (d_out, n * d)
        As in torch.nn.Linear on the flattened sequence.
    bias : array, shape (d_out,), optional
    num_items : int
        n, the length of the sequence; it must divide the columns of `weight`.

    Returns
    -------
    dict
        Keyword arguments for `multi_head_attention`, for query x[..., :1, :] and key and value x (..., n, d).

    Raises
    ------
    TypeError
        `weight` or `bias` is not a floating-point array; `num_items` is not an integer.
    ValueError
        `num_items` does not divide the columns of `weight`, or `bias` does not fit.

    Examples
    --------
    >>> import numpy as np
    >>> from attnkit import multi_head_attention
    >>> x = np.array([[1.0, 2.0], [3.0, 4.0]])                  # two items of width two
    >>> weight = np.array([[1.0, 10.0, 100.0, 1000.0]])         # one output from all four numbers
    >>> output, weights = multi_head_attention(x[:1], x, x, **dense_as_attention(weight, num_items=2))
    >>> output.tolist(), (weight @ x.reshape(-1)).tolist()
    ([[4321.0]], [4321.0])
    >>> weights.tolist()                                        # head 0 reads item 0, head 1 item 1
    [[[1.0, 0.0]], [[0.0, 1.0]]]

    References
    ----------
    Vaswani et al. (2017), "Attention Is All You Need", section 3.2.2, for the heads; the masks are this book's.
    Chapter: fully_connected.
    """
    xp = checks.arrays({"bias": bias}, weight=weight)
    checks.matrix("weight", weight)
    n = checks.count(num_items, "num_items")
    if weight.shape[1] % n:
        raise ValueError(f"num_items must divide the columns of weight: {n} items, shape {checks.shape(weight)}")
    if bias is not None:
        checks.vector("bias", bias, weight.shape[0], "a number for each row of weight")
    only_item_i = np.eye(n, dtype=bool)[:, None, :]             # (h = n, 1, n)
    return _heads(xp, weight, only_item_i, width=weight.shape[1] // n, w_output=weight.mT, b_output=bias)


def convolution_as_attention(kernel, bias=None, *, shape: Sequence[int], padding: str = "zeros", dilation: int = 1,
                             groups: int = 1) -> dict:
    """A convolution with stride 1, as attention with one head for each cell of its kernel.

    Head (a, b) always reads the pixel a rows down and b columns to the right of
    the query's own; w_output holds, for each head, the kernel's matrix from input
    to output channels.  Heads are places in the kernel, channels live in w_output.

    Parameters
    ----------
    kernel : floating-point array, shape (c_out, c_in / groups, k) or (c_out, c_in / groups, k_1, k_2), ...
        As in torch.nn.functional.conv1d, conv2d, ...; the k odd.
    bias : array, shape (c_out,), optional
    shape : tuple of ints
        The picture's (length,), (height, width), ..., one for each axis of the kernel, in pixels.
    padding : "zeros", "circular" or "replicate"
        What lies beyond the border: zeros (such heads look nowhere), the other side of the picture, or the
        pixel on the border again.  The output has the size of the input in each case.
    dilation : int
        The step, in pixels, between neighbouring cells of the kernel.
    groups : int
        As in torch.nn.functional.conv2d; c_in for a depth-wise convolution.

    Returns
    -------
    dict
        Keyword arguments for `multi_head_attention`, for query = key = value = x of shape
        (..., pixels, c_in), the pixels row by row; the output is (..., pixels, c_out).

    Raises
    ------
    TypeError
        `kernel` or `bias` is not a floating-point array; a size is not an integer.
    ValueError
        A side of the kernel is even, `shape` does not have as many axes as the kernel, `padding` is
        unknown, `groups` does not divide the output channels, or `bias` does not fit.

    Examples
    --------
    >>> import numpy as np
    >>> from attnkit import multi_head_attention
    >>> x = np.array([[1.0], [5.0], [2.0]])                     # three pixels, one channel
    >>> kernel = np.array([[[-1.0, 0.0, 1.0]]])                 # right neighbour minus left neighbour
    >>> output, weights = multi_head_attention(x, x, x, **convolution_as_attention(kernel, shape=(3,)))
    >>> output.tolist()
    [[5.0], [1.0], [-5.0]]
    >>> weights[2].tolist()                                     # the head of the right neighbour; the last has none
    [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]]

    References
    ----------
    Cordonnier et al. (2020), "On the Relationship between Self-Attention and
    Convolutional Layers", theorem 1.
    Chapter: convolution.
    """
    xp = checks.arrays({"bias": bias}, kernel=kernel)
    if kernel.ndim < 3 or 0 in kernel.shape:
        raise ValueError("kernel must have at least three axes (output channels, input channels, size), "
                         f"got shape {checks.shape(kernel)}")
    c_out, sides = kernel.shape[0], checks.shape(kernel)[2:]
    if any(k % 2 == 0 for k in sides):
        raise ValueError("each side of the kernel must be odd, so that it has a middle; "
                         f"got shape {checks.shape(kernel)}")
    shape = tuple(checks.count(size, "a size of shape") for size in checks.sequence(shape, "shape", "integers"))
    if len(shape) != len(sides):
        raise ValueError(f"shape must have one size for each of the kernel's {len(sides)} axes, got {shape}")
    if not isinstance(padding, str) or padding not in ("zeros", "circular", "replicate"):
        raise ValueError(f"padding must be 'zeros', 'circular' or 'replicate', got {padding!r}")
    dilation, groups = checks.count(dilation, "dilation"), checks.count(groups, "groups")
    if c_out % groups:
        raise ValueError(f"groups must divide the output channels: {groups} groups, {c_out} channels")
    if bias is not None:
        checks.vector("bias", bias, c_out, "a number for each output channel")

    pixels = np.array(np.unravel_index(np.arange(np.prod(shape)), shape)).T               # (n, axes)
    masks, blocks = [], []
    for cell in itertools.product(*(range(k) for k in sides)):
        # What each pixel's head reads; a step larger than the picture leads out of it just as well.
        steps = [(at - k // 2) * dilation for at, k in zip(cell, sides)]
        target = pixels + [s % size if padding == "circular" else max(-size, min(s, size))
                           for s, size in zip(steps, shape)]
        if padding == "circular":
            target = target % shape
        elif padding == "replicate":
            target = np.clip(target, 0, np.array(shape) - 1)
        masks.append((target[:, None, :] == pixels[None, :, :]).all(axis=-1))            # (n, n)
        blocks.append(_all_channels(xp, kernel[(..., *cell)], groups).mT)                # (c_in, c_out)
    return _heads(xp, kernel, np.stack(masks), width=kernel.shape[1] * groups,
                  w_output=xp.concat(blocks), b_output=bias)


def _heads(xp, like, masks, *, width, w_output, b_output):
    """The arguments for heads that masks alone direct and that hand on the items unchanged."""
    h = len(masks)
    options = {"dtype": like.dtype, "device": like.device}
    return {
        "num_heads": h,
        "mask": xp.asarray(masks, device=like.device),
        "w_query": xp.zeros((width, h), **options),                # every score is 0: the mask decides
        "w_key": xp.zeros((width, h), **options),
        "w_value": xp.tile(xp.eye(width, **options), (1, h)),      # W^V = I for each head
        "w_output": w_output,
        "b_output": b_output,
    }


def _all_channels(xp, matrix, groups):
    """The (c_out, c_in) matrix of a grouped one, (c_out, c_in / groups): zero between groups."""
    rows, columns = matrix.shape
    of_row, of_column = np.repeat(np.arange(groups), rows // groups), np.repeat(np.arange(groups), columns)
    same = xp.asarray(of_row[:, None] == of_column, device=matrix.device)
    return xp.where(same, xp.tile(matrix, (1, groups)), 0.0)
