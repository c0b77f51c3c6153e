"""What the functions refuse: each a TypeError or ValueError that names the argument and what was given."""

import inspect

import numpy as np
import pytest
import torch
from sample import CALLS, arrays

import attnkit
from attnkit import attention, attention_in_blocks, multi_head_attention, softmax
from attnkit.modules import AttentionPooling, MultiHeadAttention, TransformerBlock
from bookkit.lessons.translation import Translator

Q, K, V = arrays("numpy", "float64", (5, 3), (7, 3), (7, 2))
T = torch.zeros(5, 3, dtype=torch.float64)
ELSEWHERE = torch.zeros(7, 3, dtype=torch.float64, device="meta")
W, WV, WO, B = arrays("numpy", "float64", (3, 6), (2, 4), (4, 3), (6,))
KERNEL = np.ones((4, 2, 3, 3))
one_heads = lambda **changed: multi_head_attention(  # noqa: E731
    **({"query": Q, "key": K, "value": V, "w_query": W, "w_key": W, "w_value": WV, "w_output": WO, "num_heads": 2} | changed))
convolution = lambda **changed: attnkit.convolution_as_attention(  # noqa: E731
    **({"kernel": KERNEL, "shape": (5, 7)} | changed))
additive = lambda **changed: attnkit.additive(  # noqa: E731
    **({"query": Q, "key": K, "w_query": W, "w_key": W, "v": B} | changed))
window = lambda **changed: attnkit.window_attention(**({"query": K, "key": K, "value": V, "window": 2} | changed))  # noqa: E731


def in_autocast(call):
    """What a call gives under torch.autocast."""
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return call()


linear = lambda **changed: attnkit.linear_attention(**({"query": Q, "key": K, "value": V} | changed))  # noqa: E731

BAD = [
    # softmax
    (lambda: softmax([1.0, 2.0]), TypeError, "scores must be a numpy array or a torch tensor, got list"),
    (lambda: softmax(3.0), TypeError, "scores must be a numpy array or a torch tensor, got float"),
    (lambda: softmax(np.float64(3)), TypeError, "got float64"),
    (lambda: softmax(np.ma.array([1.0])), TypeError, "got MaskedArray"),
    (lambda: softmax(np.array([1, 2])), TypeError, "scores must hold floating-point numbers, got dtype int64"),
    (lambda: softmax(np.array([1j])), TypeError, "scores must hold floating-point numbers, got dtype complex128"),
    (lambda: softmax(torch.tensor([True])), TypeError, "scores must hold floating-point numbers, got dtype torch.bool"),
    (lambda: softmax(Q, temperature=0), ValueError, "temperature must be positive and finite in float64, got 0.0"),
    (lambda: softmax(Q, temperature=-1.0), ValueError, "got -1.0"),
    (lambda: softmax(Q, temperature=float("nan")), ValueError, "got nan"),
    (lambda: softmax(Q, temperature=float("inf")), ValueError, "got inf"),
    (lambda: softmax(Q.astype("longdouble"), temperature=0), ValueError, "temperature must be positive and finite"),
    (lambda: softmax(Q.astype("longdouble"), temperature=float("inf")), ValueError, "temperature must be positive and finite"),
    (lambda: softmax(Q.astype(">f8")), TypeError, "^scores must have the machine's own byte order, got dtype >f8"),
    (lambda: softmax(Q, temperature="hot"), TypeError, "temperature must be a number, got str"),
    (lambda: softmax(Q, temperature=None), TypeError, "temperature must be a number, got NoneType"),
    (lambda: softmax(Q, temperature=np.ones(5)), TypeError, "temperature must be a number, got ndarray"),
    (lambda: softmax(Q, temperature=True), TypeError, "got bool"),
    (lambda: softmax(Q, temperature=10**400), ValueError, "got inf"),
    (lambda: softmax(Q.astype("float32"), temperature=1e-50), ValueError, "positive and finite in float32, got 1e-50"),
    (lambda: softmax(Q.astype("float32"), temperature=1e50), ValueError, "positive and finite in float32, got 1e\\+50"),
    (lambda: softmax(Q, axis=2), ValueError, r"axis 2 does not exist in scores of shape \(5, 3\)"),
    (lambda: softmax(Q, axis=-3), ValueError, r"axis -3 does not exist in scores of shape \(5, 3\)"),
    (lambda: softmax(Q, axis=1.0), TypeError, "axis must be an integer, got float"),
    (lambda: softmax(Q, axis=(0, 1)), TypeError, "axis must be an integer, got tuple"),
    (lambda: softmax(np.zeros((2, 0))), ValueError, r"axis -1 of scores is empty: shape \(2, 0\)"),
    (lambda: softmax(np.array(1.0)), ValueError, r"axis -1 does not exist in scores of shape \(\)"),
    # attention
    (lambda: attention([[1.0]], K, V), TypeError, "query must be a numpy array or a torch tensor, got list"),
    (lambda: attention(Q, K.tolist(), V), TypeError, "key must be a numpy array or a torch tensor, got list"),
    (lambda: attention(Q, K, None), TypeError, "value must be a numpy array or a torch tensor, got NoneType"),
    (lambda: attention(None, None, None), TypeError, "query must be a numpy array or a torch tensor, got NoneType"),
    (lambda: attention(T, K, V), TypeError, "arrays of one library are needed, got query: torch, key: numpy, value: numpy"),
    (lambda: attention(Q.astype("float32"), K, V), TypeError, "one dtype is needed, got query: float32, key: float64, value: float64"),
    (lambda: attention(Q.astype(int), K, V), TypeError, "query must hold floating-point numbers, got dtype int64"),
    (lambda: attention(Q, K, V.astype(bool)), TypeError, "value must hold floating-point numbers, got dtype bool"),
    (lambda: attention(T, ELSEWHERE, torch.zeros(7, 2, dtype=torch.float64)), ValueError,
     "arrays on one device are needed, got query: cpu, key: meta, value: cpu"),
    (lambda: attention(Q[0], K, V), ValueError, r"query must have at least two axes \(items, width\), got shape \(3,\)"),
    (lambda: attention(Q, K[0], V), ValueError, r"key must have at least two axes .* got shape \(3,\)"),
    (lambda: attention(Q, K, V[:, 0]), ValueError, r"value must have at least two axes .* got shape \(7,\)"),
    (lambda: attention(Q[:, :2], K, V), ValueError, r"same width, got query \(5, 2\) and key \(7, 3\)"),
    (lambda: attention(Q, K, V[:6]), ValueError, r"one value for each key, got key \(7, 3\) and value \(6, 2\)"),
    (lambda: attention(Q[:0], K, V), ValueError, r"query has an empty axis: shape \(0, 3\)"),
    (lambda: attention(Q, K[:0], V[:0]), ValueError, r"key has an empty axis: shape \(0, 3\)"),
    (lambda: attention(Q, K, V[:, :0]), ValueError, r"value has an empty axis: shape \(7, 0\)"),
    (lambda: attention(np.zeros((0, 5, 3)), K, V), ValueError, r"query has an empty axis: shape \(0, 5, 3\)"),
    (lambda: attention(np.stack([Q] * 2), np.stack([K] * 3), V), ValueError,
     r"batch axes .* do not fit together: query: \(2, 5, 3\), key: \(3, 7, 3\), value: \(7, 2\)"),
    (lambda: attention(np.stack([Q] * 2), np.stack([K] * 3), np.stack([V] * 2)), ValueError, r"key: \(3, 7, 3\)"),
    (lambda: attention(np.stack([Q] * 2), K, np.stack([V] * 3)), ValueError, r"value: \(3, 7, 2\)"),
    (lambda: attention(Q, K, V, mask=np.ones((5, 6), bool)), ValueError, r"mask must broadcast to the scores' shape \(5, 7\), got \(5, 6\)"),
    (lambda: attention(Q, K, V, mask=np.ones((2, 5, 7), bool)), ValueError, r"got \(2, 5, 7\)"),
    (lambda: attention(Q, K, V, mask=np.ones((7, 5), bool)), ValueError, r"got \(7, 5\)"),
    (lambda: attention(Q, K, V, mask=np.ones((5, 7))), TypeError, "mask must be a boolean array .* got dtype float64 of numpy$"),
    (lambda: attention(Q, K, V, mask=np.ones((5, 7), int)), TypeError, "mask must be a boolean array .* got dtype int64"),
    (lambda: attention(Q, K, V, mask=[[True]]), TypeError, "mask must be a boolean array .* got list"),
    (lambda: attention(Q, K, V, mask=np.True_), TypeError, "mask must be a boolean array .* got bool"),
    (lambda: attention(*(a.astype("float32") for a in (Q, K, V)), scale=1e300), ValueError, "^scale must be finite in float32, got 1e\\+300"),
    (lambda: attnkit.scaled_dot(*(a.astype("float32") for a in (Q, K)), scale=1e300), ValueError, "^scale must be finite in float32, got 1e\\+300"),
    (lambda: attnkit.attention_in_blocks(*(a.astype("float32") for a in (Q, K, V)), scale=1e300), ValueError, "^scale must be finite in float32"),
    (lambda: attention(*(a.astype("float32") for a in (Q, K, V)), scale=-1e300), ValueError, "^scale must be finite in float32, got -1e\\+300"),
    (lambda: attention(Q, K, V, mask=True), TypeError, "mask must be a boolean array .* got bool"),
    (lambda: attention(Q, K, V, mask=torch.ones(5, 7, dtype=torch.bool)), TypeError, "of the same library"),
    (lambda: attention(T, T, T, mask=torch.ones(5, 5, dtype=torch.bool, device="meta")), ValueError, "got mask: meta, query: cpu"),
    (lambda: attention(Q, K, V, scale="a"), TypeError, "scale must be a number, got str"),
    (lambda: attention(Q, K, V, scale=float("nan")), ValueError, "scale must be finite, got nan"),
    (lambda: attention(Q, K, V, scale=-float("inf")), ValueError, "scale must be finite, got -inf"),
    (lambda: attention(Q, K, V, scale=10**400), ValueError, "scale must be finite, got inf"),
    (lambda: attention(Q, K, V, score=3), TypeError, "score must be a function of query and key, got int"),
    (lambda: attention(Q, K, V, score=attnkit.dot, scale=1.0), ValueError, "^scale belongs to the dot score: give either scale or score, not both$"),
    (lambda: attention(Q, K, V, score=lambda q, k: k @ q.T), ValueError,
     r"score must return shape \(..., 5, 7\) for query \(5, 3\) and key \(7, 3\), got \(7, 5\)"),
    (lambda: attention(Q, K, V, score=lambda q, k: q[0]), ValueError, r"score must return shape .* got \(3,\)"),
    (lambda: attention(Q, K, V, score=lambda q, k: None), TypeError, "the result of score must be a numpy array .* got NoneType"),
    (lambda: attention(Q, K, V, score=lambda q, k: (q @ k.T).astype("float32")), TypeError, "one dtype is needed, got value: float64"),
    (lambda: attention(Q, K, np.stack([V] * 2), score=lambda q, k: np.stack([q @ k.T] * 3)), ValueError,
     r"do not fit together: the result of score: \(3, 5, 7\), value: \(2, 7, 2\)"),
    # in blocks
    (lambda: attention_in_blocks(Q, K, V, block_size=0), ValueError, "block_size must be at least 1, got 0"),
    (lambda: attention_in_blocks(Q, K, V, block_size=2.0), TypeError, "block_size must be an integer, got float"),
    (lambda: attention_in_blocks(Q, K, V, block_size=True), TypeError, "block_size must be an integer, got bool"),
    (lambda: attention_in_blocks(Q, K, V, scale=float("inf")), ValueError, "scale must be finite"),
    (lambda: attention_in_blocks(Q, K, V, mask=np.ones((7, 5), bool)), ValueError, r"scores' shape \(5, 7\), got \(7, 5\)"),
    (lambda: attention_in_blocks(Q[:, :2], K, V), ValueError, "same width"),
    # in a window
    (lambda: window(query=Q), ValueError, r"^a window needs as many queries as keys, got query \(5, 3\) and key \(7, 3\)$"),
    (lambda: window(window=-1), ValueError, "^window must be at least 0, got -1"),
    (lambda: window(window=2.0), TypeError, "^window must be an integer, got float"),
    (lambda: window(window=None), TypeError, "^window must be an integer, got NoneType"),
    (lambda: window(block_size=0), ValueError, "^block_size must be at least 1, got 0"),
    (lambda: window(block_size="64"), TypeError, "^block_size must be an integer, got str"),
    (lambda: window(scale=float("nan")), ValueError, "^scale must be finite, got nan"),
    (lambda: window(**{name: a.astype("float32") for name, a in (("query", K), ("key", K), ("value", V))}, scale=1e300), ValueError,
     "^scale must be finite in float32, got 1e\\+300"),
    (lambda: window(key=K.tolist()), TypeError, "^key must be a numpy array or a torch tensor, got list"),
    (lambda: window(query=K[:, :2]), ValueError, r"same width, got query \(7, 2\) and key \(7, 3\)"),
    (lambda: window(value=V[:6]), ValueError, r"one value for each key, got key \(7, 3\) and value \(6, 2\)"),
    # heads
    (lambda: one_heads(num_heads=4), ValueError, r"num_heads must divide the columns of w_query: 4 heads, shape \(3, 6\)"),
    (lambda: one_heads(num_heads=3), ValueError, r"num_heads must divide the columns of w_value: 3 heads, shape \(2, 4\)"),
    (lambda: one_heads(w_key=W[:, :5]), ValueError, r"^num_heads must divide the columns of w_key: 2 heads, shape \(3, 5\)"),
    (lambda: one_heads(num_heads=0), ValueError, "num_heads must be at least 1, got 0"),
    (lambda: one_heads(num_heads=-2), ValueError, "num_heads must be at least 1, got -2"),
    (lambda: one_heads(num_heads=2.0), TypeError, "num_heads must be an integer, got float"),
    (lambda: one_heads(num_heads="2"), TypeError, "num_heads must be an integer, got str"),
    (lambda: one_heads(num_heads=np.ones(2)), TypeError, "num_heads must be an integer, got ndarray"),
    (lambda: one_heads(w_query=W[:2]), ValueError, r"the rows of w_query must be 3, the width of query \(5, 3\); got shape \(2, 6\)"),
    (lambda: one_heads(w_key=W[:, :4]), ValueError, r"^a query and a key of one head must have the same width, got 2 heads in w_query \(3, 6\) and 2 in w_key \(3, 4\)$"),
    (lambda: one_heads(w_value=W), ValueError, r"the rows of w_value must be 2, the width of value \(7, 2\); got shape \(3, 6\)"),
    (lambda: one_heads(w_output=W), ValueError, r"the rows of w_output must be 4, the values of 2 heads, 2 in w_value \(2, 4\); got shape \(3, 6\)"),
    (lambda: one_heads(w_query=W[0]), ValueError, r"w_query must be a matrix, got shape \(6,\)"),
    (lambda: one_heads(w_output=WO[:, :0]), ValueError, r"w_output must be a matrix, got shape \(4, 0\)"),
    (lambda: one_heads(w_key=W.tolist()), TypeError, "w_key must be a numpy array or a torch tensor, got list"),
    (lambda: one_heads(w_key=W.astype("float32")), TypeError, "one dtype is needed, .* w_key: float32"),
    (lambda: one_heads(b_query=B[:5]), ValueError, r"b_query must have shape \(6,\), a number for each column of w_query; got \(5,\)"),
    (lambda: one_heads(b_output=B), ValueError, r"b_output must have shape \(3,\)"),
    (lambda: one_heads(b_key=W), ValueError, r"b_key must have shape \(6,\), .* got \(3, 6\)"),
    (lambda: one_heads(b_value=[0.0] * 4), TypeError, "b_value must be a numpy array or a torch tensor, got list"),
    (lambda: one_heads(mask=np.ones((3, 5, 7), bool)), ValueError, r"mask must broadcast to the scores' shape \(2, 5, 7\), got \(3, 5, 7\)"),
    (lambda: one_heads(w_key=W[:2]), ValueError, "^the rows of w_key must be 3, the width of key"),
    (lambda: one_heads(value=V[:6]), ValueError, "one value for each key"),
    (lambda: one_heads(query=Q[0]), ValueError, "query must have at least two axes"),
    (lambda: one_heads(num_key_value_heads=4), ValueError, "^num_key_value_heads must divide num_heads, got 4 and 2$"),
    (lambda: one_heads(num_heads=6, num_key_value_heads=4), ValueError, "^num_key_value_heads must divide num_heads, got 4 and 6$"),
    (lambda: one_heads(num_key_value_heads=0), ValueError, "^num_key_value_heads must be at least 1, got 0"),
    (lambda: one_heads(num_key_value_heads=1.0), TypeError, "^num_key_value_heads must be an integer, got float"),
    (lambda: one_heads(num_heads=None, num_key_value_heads=2), TypeError, "^num_heads must be an integer, got NoneType"),
    (lambda: one_heads(num_heads=6, num_key_value_heads=2, w_key=W[:, :5]), ValueError,
     r"^num_key_value_heads must divide the columns of w_key: 2 heads, shape \(3, 5\)"),
    (lambda: one_heads(num_heads=6, num_key_value_heads=2, w_key=W[:, :2], w_value=WV[:, :3]), ValueError,
     r"^num_key_value_heads must divide the columns of w_value: 2 heads, shape \(2, 3\)"),
    (lambda: one_heads(num_heads=4, num_key_value_heads=2), ValueError, r"^num_heads must divide the columns of w_query: 4 heads, shape \(3, 6\)"),
    (lambda: one_heads(num_heads=6, num_key_value_heads=2), ValueError,
     r"got 6 heads in w_query \(3, 6\) and 2 in w_key \(3, 6\)$"),
    (lambda: one_heads(num_heads=6, num_key_value_heads=2, w_key=W[:, :2]), ValueError,
     r"^the rows of w_output must be 12, the values of 6 heads, 2 in w_value \(2, 4\); got shape \(4, 3\)$"),
    (lambda: one_heads(num_key_value_heads=1, w_key=W[:, :3], w_value=WV[:, :2], b_key=B), ValueError,
     r"^b_key must have shape \(3,\), a number for each column of w_key; got \(6,\)"),
    (lambda: attnkit.split_heads(Q, 2), ValueError, r"num_heads must divide the columns of x: 2 heads, shape \(5, 3\)"),
    (lambda: attnkit.split_heads(Q[0], 3), ValueError, "x must have at least two axes"),
    (lambda: attnkit.split_heads(Q, 0), ValueError, "num_heads must be at least 1"),
    (lambda: attnkit.merge_heads(Q), ValueError, r"heads must have at least three axes \(heads, items, width\), got shape \(5, 3\)"),
    # scores
    (lambda: attnkit.dot(Q, V), ValueError, r"same width, got query \(5, 3\) and key \(7, 2\)"),
    (lambda: attnkit.dot(Q, K[0]), ValueError, "^key must have at least two axes"),
    (lambda: attnkit.dot(Q[0], K), ValueError, "query must have at least two axes"),
    (lambda: attnkit.scaled_dot(Q, K, scale="no"), TypeError, "scale must be a number"),
    (lambda: attnkit.scaled_dot(Q, K, scale=float("nan")), ValueError, "scale must be finite"),
    (lambda: attnkit.cosine(np.stack([Q] * 2), np.stack([K] * 3)), ValueError, r"query: \(2, 5, 3\), key: \(3, 7, 3\)"),
    (lambda: attnkit.cosine(Q, V), ValueError, "same width"),
    (lambda: attnkit.distance(Q, V), ValueError, r"same width, got query \(5, 3\) and key \(7, 2\)"),
    (lambda: attnkit.distance(Q, T), TypeError, "arrays of one library are needed"),
    (lambda: attnkit.general(Q, K, W), ValueError, r"the columns of weight must be 3, the width of key \(7, 3\); got shape \(3, 6\)"),
    (lambda: attnkit.general(Q, K, WV), ValueError, r"the rows of weight must be 3, the width of query \(5, 3\); got shape \(2, 4\)"),
    (lambda: attnkit.general(Q, K, B), ValueError, r"weight must be a matrix, got shape \(6,\)"),
    (lambda: additive(w_query=WV), ValueError, r"the rows of w_query must be 3, the width of query \(5, 3\)"),
    (lambda: additive(w_key=W[:, :5]), ValueError, r"the columns of w_key must be 6, as many as w_query \(3, 6\); got shape \(3, 5\)"),
    (lambda: additive(w_key=WV), ValueError, r"^the rows of w_key must be 3, the width of key \(7, 3\)"),
    (lambda: additive(v=B[:5]), ValueError, r"v must have shape \(6,\), a number for each column of w_query; got \(5,\)"),
    (lambda: additive(bias=B[:5]), ValueError, r"bias must have shape \(6,\), a number for each column of w_query; got \(5,\)"),
    (lambda: additive(bias=1.0), TypeError, "bias must be a numpy array or a torch tensor, got float"),
    (lambda: additive(v=None), TypeError, "v must be a numpy array or a torch tensor, got NoneType"),
    # masks and positions
    (lambda: attnkit.causal_mask(0), ValueError, "n must be at least 1, got 0"),
    (lambda: attnkit.causal_mask(2.5), TypeError, "n must be an integer, got float"),
    (lambda: attnkit.causal_mask(3, 2.0), TypeError, "^m must be an integer, got float"),
    (lambda: attnkit.causal_mask(3, 2), ValueError, "m must be at least n, .* got n = 3, m = 2"),
    (lambda: attnkit.causal_mask(3, like=[1.0]), TypeError, "like must be a numpy array or a torch tensor, got list"),
    (lambda: attnkit.window_mask(3, -1), ValueError, "radius must be at least 0, got -1"),
    (lambda: attnkit.window_mask(0, 1), ValueError, "n must be at least 1"),
    (lambda: attnkit.padding_mask([]), ValueError, "^lengths is empty$"),
    (lambda: attnkit.padding_mask([2, -1]), ValueError, "a length must be at least 0, got -1"),
    (lambda: attnkit.padding_mask([2.0]), TypeError, "a length must be an integer, got float"),
    (lambda: attnkit.padding_mask([4, 2], 3), ValueError, "no length may be larger than m; got lengths up to 4, m = 3"),
    (lambda: attnkit.padding_mask([0]), ValueError, "m must be at least 1, got 0"),
    (lambda: attnkit.padding_mask(3), TypeError, "lengths must be a sequence of integers, got int"),
    (lambda: attnkit.sinusoidal(0, 4), ValueError, "n must be at least 1"),
    (lambda: attnkit.sinusoidal(3, 0), ValueError, "^width must be at least 1, got 0"),
    (lambda: attnkit.sinusoidal(3, 5), ValueError, "width must be even, as columns go in pairs; got 5"),
    (lambda: attnkit.sinusoidal(3, 4, base=1), ValueError, "base must be larger than 1, got 1"),
    (lambda: attnkit.sinusoidal(3, 4, base=float("nan")), ValueError, "base must be finite, got nan"),
    (lambda: attnkit.sinusoidal(3, 4, base="e"), TypeError, "base must be a number, got str"),
    (lambda: attnkit.sinusoidal(3, 4, like=np.array([1])), TypeError, "like must hold floating-point numbers, got dtype int64"),
    (lambda: attnkit.rotary(Q), ValueError, "the width of x must be even, as columns go in pairs; got 3"),
    (lambda: attnkit.rotary(V[0]), ValueError, "x must have at least two axes"),
    (lambda: attnkit.rotary(V, positions=[0, 1]), ValueError, "positions must hold one number for each of the 7 items, got 2"),
    (lambda: attnkit.rotary(V, positions=["a"] * 7), TypeError, "a position must be a number, got str"),
    (lambda: attnkit.rotary(V, positions=[float("inf")] * 7), ValueError, "a position must be finite, got inf"),
    (lambda: attnkit.rotary(V, positions=3), TypeError, "positions must be a sequence of numbers, got int"),
    (lambda: attnkit.relative_bias(np.zeros((2, 4)), 3), ValueError, r"^table must hold an odd number .* own place in the middle; got shape \(2, 4\)"),
    (lambda: attnkit.relative_bias(np.array(1.0), 3), ValueError, r"table must hold an odd number .* got shape \(\)"),
    (lambda: attnkit.relative_bias([1.0, 0.0, 1.0], 3), TypeError, "table must be a numpy array or a torch tensor, got list"),
    (lambda: attnkit.relative_bias(np.zeros(3), 3, 2), ValueError, "m must be at least n, .* got n = 3, m = 2"),
    (lambda: attnkit.relative_bias(np.zeros(3), 2.0), TypeError, "n must be an integer, got float"),
    (lambda: attnkit.alibi(0.5, 3), TypeError, "slopes must be a numpy array or a torch tensor, got float"),
    (lambda: attnkit.alibi(np.array([0.5]), 0), ValueError, "n must be at least 1, got 0"),
    # equivalences
    (lambda: attnkit.dense_as_attention(W, num_items=4), ValueError, r"num_items must divide the columns of weight: 4 items, shape \(3, 6\)"),
    (lambda: attnkit.dense_as_attention(W, num_items=0), ValueError, "num_items must be at least 1"),
    (lambda: attnkit.dense_as_attention(W, B, num_items=2), ValueError, r"bias must have shape \(3,\), a number for each row of weight; got \(6,\)"),
    (lambda: attnkit.dense_as_attention(B, num_items=2), ValueError, r"weight must be a matrix, got shape \(6,\)"),
    (lambda: attnkit.dense_as_attention(W, [0.0] * 3, num_items=2), TypeError, "^bias must be a numpy array .* got list"),
    (lambda: attnkit.dense_as_attention([[1.0]], num_items=1), TypeError, "weight must be a numpy array"),
    (lambda: convolution(kernel=KERNEL[..., :2]), ValueError, r"each side of the kernel must be odd, .* got shape \(4, 2, 3, 2\)"),
    (lambda: convolution(kernel=W), ValueError, r"kernel must have at least three axes .* got shape \(3, 6\)"),
    (lambda: convolution(kernel=KERNEL[:0]), ValueError, r"got shape \(0, 2, 3, 3\)"),
    (lambda: convolution(shape=(5,)), ValueError, r"shape must have one size for each of the kernel's 2 axes, got \(5,\)"),
    (lambda: convolution(shape=5), TypeError, "shape must be a sequence of integers, got int"),
    (lambda: convolution(shape=(5, 0)), ValueError, "a size of shape must be at least 1, got 0"),
    (lambda: convolution(padding=np.array([1, 2])), ValueError, "padding must be 'zeros', 'circular' or 'replicate', got array"),
    (lambda: convolution(padding="valid"), ValueError, "padding must be 'zeros', 'circular' or 'replicate', got 'valid'"),
    (lambda: convolution(dilation=0), ValueError, "dilation must be at least 1, got 0"),
    (lambda: convolution(groups=0), ValueError, "^groups must be at least 1, got 0"),
    (lambda: convolution(bias=[0.0] * 4), TypeError, "^bias must be a numpy array .* got list"),
    (lambda: convolution(groups=3), ValueError, "groups must divide the output channels: 3 groups, 4 channels"),
    (lambda: convolution(bias=B), ValueError, r"bias must have shape \(4,\), a number for each output channel; got \(6,\)"),
    # linear
    (lambda: linear(feature_map=2), TypeError, "feature_map must be a function, got int"),
    (lambda: linear(causal=True), ValueError, r"as many queries as keys, got query \(5, 3\) and key \(7, 3\)"),
    (lambda: linear(feature_map=lambda x: x[0]), ValueError, r"feature_map must map \(..., n, d_k\) to \(..., n, r\), got \(3,\) from \(5, 3\)"),
    (lambda: linear(feature_map=lambda x: x[..., :len(x) - 4]), ValueError,
     r"^feature_map must give queries and keys the same width, got \(5, 1\) and \(7, 3\)"),
    (lambda: linear(feature_map=lambda x: x[..., :0]), ValueError, r"feature_map must map .* got \(5, 0\) from \(5, 3\)"),
    (lambda: linear(feature_map=lambda x: x.tolist()), TypeError, r"feature_map\(query\) must be a numpy array"),
    (lambda: linear(feature_map=lambda x: x.tolist() if len(x) == 7 else x), TypeError, r"^feature_map\(key\) must be a numpy array"),
    (lambda: linear(query=Q.astype("float32"), key=K.astype("float32"), value=V.astype("float32"), feature_map=lambda x: x.astype(float)),
     TypeError, r"^one dtype is needed, got query: float32, feature_map\(query\): float64, feature_map\(key\): float64"),
    (lambda: attnkit.fast_weight_attention(Q, K, V), ValueError, "as many queries as keys"),
    # modules
    (lambda: MultiHeadAttention(7, 2), ValueError, "num_heads must divide width, or give head_width; got 2 and 7"),
    (lambda: MultiHeadAttention(0, 1), ValueError, "^width must be at least 1, got 0"),
    (lambda: MultiHeadAttention(7, 0), ValueError, "num_heads must be at least 1, got 0"),
    (lambda: MultiHeadAttention(6, 2)(torch.zeros(5, 7)), ValueError, r"^query must have width 6, got shape \(5, 7\)"),
    (lambda: MultiHeadAttention(6, 2)(torch.zeros(5, 6), torch.zeros(4, 3)), ValueError, r"^key must have width 6, got shape \(4, 3\)"),
    (lambda: AttentionPooling(3, 2)(torch.zeros(5, 4)), ValueError, r"^x must have width 3, got shape \(5, 4\)"),
    (lambda: AttentionPooling(3)(torch.zeros(5, 4)), ValueError, r"^x must have width 3, got shape \(5, 4\)"),
    (lambda: MultiHeadAttention.from_torch(torch.nn.MultiheadAttention(4, 2, add_zero_attn=True)), ValueError, "^bias_k and add_zero_attn of torch.nn.MultiheadAttention have no counterpart here$"),
    (lambda: MultiHeadAttention.from_torch(torch.nn.MultiheadAttention(4, 2, add_bias_kv=True)), ValueError, "bias_k"),
    (lambda: MultiHeadAttention.from_torch(torch.nn.Linear(4, 4)), TypeError, "^module must be a torch.nn.MultiheadAttention, got Linear$"),
    (lambda: MultiHeadAttention.from_torch(torch.nn.TransformerEncoderLayer(4, 2)), TypeError, "got TransformerEncoderLayer$"),
    (lambda: TransformerBlock.from_torch(torch.nn.MultiheadAttention(4, 2)), TypeError,
     "^layer must be a torch.nn.TransformerEncoderLayer or TransformerDecoderLayer, got MultiheadAttention$"),
    (lambda: TransformerBlock.from_torch(None), TypeError, "got NoneType$"),
    (lambda: AttentionPooling(3)(torch.zeros(2, 5, 3), torch.tensor(True)), ValueError, r"^mask must have an axis of 5 items, got shape \(\)$"),
    (lambda: in_autocast(lambda: attention(T.float(), T, T)), TypeError, "^one dtype is needed, got query: torch.float32, key: torch.float64"),
    (lambda: TransformerBlock(4, 2, norm="none"), ValueError, "norm must be 'post' or 'pre', got 'none'"),
    (lambda: TransformerBlock(4, 2)(torch.zeros(3, 4), torch.zeros(3, 4)), ValueError, "^a memory goes with a block made with cross=True, got cross=False and memory given"),
    (lambda: TransformerBlock(4, 2, cross=True)(torch.zeros(3, 4)), ValueError, "got cross=True and memory missing"),
    (lambda: TransformerBlock.from_torch(torch.nn.TransformerEncoderLayer(4, 2, activation=torch.tanh)), ValueError,
     "^the layer's activation must be relu, gelu or a module, got"),
    (lambda: MultiHeadAttention(4, 0, head_width=2), ValueError, "^num_heads must be at least 1, got 0"),
    (lambda: MultiHeadAttention(4, 2.0, head_width=2), TypeError, "^num_heads must be an integer, got float"),
    (lambda: MultiHeadAttention(4, 2, head_width=0), ValueError, "^head_width must be at least 1, got 0"),
    (lambda: MultiHeadAttention(4, 2, key_width=0), ValueError, "^key_width must be at least 1, got 0"),
    (lambda: MultiHeadAttention(4, 2, value_width=0), ValueError, "^value_width must be at least 1, got 0"),
    (lambda: TransformerBlock(4, 2, hidden=0), ValueError, "^hidden must be at least 1, got 0"),
    (lambda: AttentionPooling(4, 0), ValueError, "^hidden must be at least 1, got 0"),
    (lambda: AttentionPooling(0), ValueError, "^width must be at least 1, got 0"),
    (lambda: AttentionPooling(3)(torch.zeros(2, 5, 3), [True]), TypeError, "mask must be a boolean array .* got list"),
    (lambda: AttentionPooling(3)(torch.zeros(2, 5, 3), torch.ones(2, 4, dtype=torch.bool)), ValueError,
     r"mask must broadcast to the scores' shape \(2, 5\), got \(2, 4\)"),
    (lambda: Translator(9, 9, 4).encode(torch.tensor([[0, 3]]), torch.tensor([[False, True]])), ValueError,
     "^mask must be True for the words of a sentence, at least one, and False for the padding after them$"),
    (lambda: Translator(9, 9, 4).encode(torch.tensor([[3, 0, 4]]), torch.tensor([[True, False, True]])), ValueError, "^mask must be True"),
    (lambda: Translator(9, 9, 4).encode(torch.tensor([[3, 0]]), torch.tensor([[False, False]])), ValueError, "^mask must be True"),
    (lambda: AttentionPooling(3)(torch.zeros(3)), ValueError, "value must have at least two axes|key must have at least two axes"),
    (lambda: Translator(5, 5, 6, states=3), ValueError, "two states of 3 leave no room for the embedding in 6"),
    (lambda: Translator(5, 5, 2), ValueError, "two states of 1 leave no room for the embedding in 2"),
    (lambda: Translator(5, 5, score="general_dot"), ValueError, "score must be additive, .* got 'general_dot'"),
]


@pytest.mark.parametrize("call, error, words", BAD)
def test_bad_input(call, error, words):
    with pytest.raises(error, match=words):
        call()


# Where the arrays of a call in tests/sample.py are not the first arguments of its function.
ARGUMENTS = {
    "attention, general": ["query", "key", "value", "weight"],
    "multi_head_attention": "query key value w_query w_key w_value w_output b_query b_key b_value b_output".split(),
    "multi_head_attention, grouped": "query key value w_query w_key w_value w_output b_query b_key b_value b_output".split(),
    "dense_as_attention": [None, "weight", "bias"],
    "convolution_as_attention": [None, "kernel", "bias"],
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("wrong", ["list", "integers", "another dtype", "another library", "None"])
def test_each_array_of_each_function(name, wrong):
    """Any one array of any function, of the wrong kind: a TypeError that names it, unless it is an optional None."""
    call, shapes = CALLS[name]
    function = name.split(",")[0]
    arguments = ARGUMENTS.get(name) or list(inspect.signature(getattr(attnkit, function)).parameters)
    make = {"list": lambda a: a.tolist(), "integers": lambda a: a.astype(int), "another dtype": lambda a: a.astype("float32"),
            "another library": torch.from_numpy, "None": lambda a: None}[wrong]
    optional = {(heads, i) for heads in ("multi_head_attention", "multi_head_attention, grouped") for i in (7, 8, 9, 10)} | {
        ("additive, with a bias", 5), ("dense_as_attention", 2), ("convolution_as_attention", 2)}
    for i in range(name.endswith("_as_attention"), len(shapes)):      # there the first goes to another function
        given = arrays("numpy", "float64", *shapes)
        given[i] = make(given[i])
        if (wrong == "None" and (name, i) in optional) or (len(shapes) == 1 and wrong.startswith("another")):
            call(*given)
        else:
            said = {"another dtype": rf"one dtype is needed, .*\b{arguments[i]}: float32",
                    "another library": rf"one library are needed, .*\b{arguments[i]}: torch"}.get(wrong, rf"^{arguments[i]} must (be a|hold)")
            with pytest.raises(TypeError, match=said):
                call(*given)
