"""Random arrays for the tests, the same in both libraries, and every function of attnkit once."""

import numpy as np
import torch

import attnkit

LIBRARIES = ["numpy", "torch"]
DTYPES = ["float16", "float32", "float64"]
TOLERANCE = {"float16": 4e-3, "float32": 4e-6, "float64": 1e-12}


def arrays(library, dtype, *shapes, seed=0, size=1.0):
    """Normal numbers times `size`, one array for each shape."""
    rng = np.random.default_rng(seed)
    return [to(library, (size * rng.normal(size=shape)).astype(dtype)) for shape in shapes]


def to(library, array):
    """A numpy array in the library named."""
    return array if library == "numpy" else torch.from_numpy(np.array(array))


def plain(x):
    """Any array as numpy."""
    return x.detach().numpy() if isinstance(x, torch.Tensor) else np.asarray(x)


def leaves(result):
    """The arrays of what a function returned."""
    return list(result) if isinstance(result, tuple) else [result]


def near(a, b, dtype="float64"):
    """Whether two arrays have one shape and agree to the tolerance of a dtype, counted from one upwards."""
    a, b = (plain(x).astype(float) for x in (a, b))
    return a.shape == b.shape and np.abs(a - b).max() <= TOLERANCE[dtype] * max(1, np.abs(b).max())


# Every function of floating-point arrays: name -> (how it is called, shapes of its arrays). All sizes in a call are
# different primes where the mechanism allows it, so that a mixed-up axis shows.
CALLS = {
    "softmax": (lambda x: attnkit.softmax(x, temperature=2.5, axis=-2), [(2, 5, 3)]),
    "attention": (attnkit.attention, [(2, 5, 3), (2, 7, 3), (2, 7, 11)]),
    "attention, scaled": (lambda q, k, v: attnkit.attention(q, k, v, scale=0.3), [(5, 3), (7, 3), (7, 11)]),
    "attention, general": (lambda q, k, v, w: attnkit.attention(q, k, v, score=lambda q, k: attnkit.general(q, k, w)),
                           [(5, 2), (7, 3), (7, 11), (2, 3)]),
    "multi_head_attention": (
        lambda *a: attnkit.multi_head_attention(
            *a[:7], num_heads=2, b_query=a[7], b_key=a[8], b_value=a[9], b_output=a[10]),
        [(2, 5, 3), (2, 7, 11), (2, 7, 13), (3, 34), (11, 34), (13, 38), (38, 23), (34,), (34,), (38,), (23,)]),
    "multi_head_attention, grouped": (
        lambda *a: attnkit.multi_head_attention(
            *a[:7], num_heads=6, num_key_value_heads=2, b_query=a[7], b_key=a[8], b_value=a[9], b_output=a[10]),
        [(2, 5, 3), (2, 7, 11), (2, 7, 13), (3, 30), (11, 10), (13, 14), (42, 23), (30,), (10,), (14,), (23,)]),
    "split_heads": (lambda x: attnkit.split_heads(x, 3), [(2, 5, 21)]),
    "merge_heads": (attnkit.merge_heads, [(2, 5, 3, 7)]),
    "dot": (attnkit.dot, [(2, 5, 3), (2, 7, 3)]),
    "scaled_dot": (attnkit.scaled_dot, [(2, 5, 3), (2, 7, 3)]),
    "distance": (attnkit.distance, [(2, 5, 3), (2, 7, 3)]),
    "general": (attnkit.general, [(2, 5, 3), (2, 7, 11), (3, 11)]),
    "additive": (attnkit.additive, [(2, 5, 3), (2, 7, 11), (3, 13), (11, 13), (13,)]),
    "additive, with a bias": (attnkit.additive, [(2, 5, 3), (2, 7, 11), (3, 13), (11, 13), (13,), (13,)]),
    "cosine": (attnkit.cosine, [(2, 5, 3), (2, 7, 3)]),
    "rotary": (lambda x: attnkit.rotary(x, positions=[0, 3, 1, 2.5, 7]), [(2, 5, 6)]),
    "relative_bias": (lambda table: attnkit.relative_bias(table, 5, 11), [(3, 7)]),
    "alibi": (lambda slopes: attnkit.alibi(slopes, 5, 7), [(2, 3)]),
    "attention_in_blocks": (lambda q, k, v: attnkit.attention_in_blocks(q, k, v, block_size=2), [(2, 5, 3), (2, 7, 3), (2, 7, 11)]),
    "window_attention": (lambda q, k, v: attnkit.window_attention(q, k, v, window=2, block_size=3), [(2, 7, 3), (2, 7, 3), (2, 7, 11)]),
    "window_attention, causal": (
        lambda q, k, v: attnkit.window_attention(q, k, v, window=2, causal=True, block_size=3), [(2, 7, 3), (2, 7, 3), (2, 7, 11)]),
    "linear_attention": (attnkit.linear_attention, [(2, 5, 3), (2, 7, 3), (2, 7, 11)]),
    "linear_attention, causal": (lambda q, k, v: attnkit.linear_attention(q, k, v, causal=True), [(2, 5, 3), (2, 5, 3), (2, 5, 11)]),
    "fast_weight_attention": (attnkit.fast_weight_attention, [(2, 5, 3), (2, 5, 3), (2, 5, 11)]),
    "dense_as_attention": (
        lambda x, w, b: attnkit.multi_head_attention(x[..., :1, :], x, x, **attnkit.dense_as_attention(w, b, num_items=5)),
        [(2, 5, 3), (7, 15), (7,)]),
    "convolution_as_attention": (
        lambda x, k, b: attnkit.multi_head_attention(x, x, x, **attnkit.convolution_as_attention(k, b, shape=(3, 5))),
        [(2, 15, 2), (7, 2, 3, 3), (7,)]),
}
