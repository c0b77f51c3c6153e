"""softmax and attention: torch as oracle, numbers checked by hand, bad input. One body for both libraries."""

import math
import subprocess
import sys

import numpy as np
import pytest
import torch

from attnkit import attention, softmax

DTYPES = ["float16", "float32", "float64"]
TOLERANCE = {"float16": 2e-3, "float32": 2e-6, "float64": 1e-12}
# (batch axes, n, m, d_k, d_v): sizes that are all different primes, so that a mixed-up axis shows.
SHAPES = [((), 5, 7, 3, 11), ((2,), 3, 5, 13, 7), ((2, 3), 7, 11, 5, 17), ((), 1, 1, 1, 1), ((2,), 1, 13, 2, 3)]


def arrays(library, dtype, *shapes, seed=0, size=1.0):
    rng = np.random.default_rng(seed)
    made = [(size * rng.normal(size=shape)).astype(dtype) for shape in shapes]
    return made if library == "numpy" else [torch.from_numpy(a) for a in made]


def oracle(query, key, value, mask=None, scale=None):
    q, k, v = (torch.as_tensor(np.asarray(a)).double() for a in (query, key, value))
    mask = None if mask is None else torch.as_tensor(np.asarray(mask))
    return torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=scale).numpy()


@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_against_torch(library, dtype, shape):
    batch, n, m, d_k, d_v = shape
    q, k, v = arrays(library, dtype, (*batch, n, d_k), (*batch, m, d_k), (*batch, m, d_v))
    before = [np.asarray(a).copy() for a in (q, k, v)]
    output, weights = attention(q, k, v)
    assert output.dtype == q.dtype and weights.dtype == q.dtype and type(output) is type(q)
    assert tuple(output.shape) == (*batch, n, d_v) and tuple(weights.shape) == (*batch, n, m)
    assert np.abs(np.asarray(output) - oracle(q, k, v)).max() < TOLERANCE[dtype]
    assert np.abs(np.asarray(weights, dtype=float).sum(-1) - 1).max() < TOLERANCE[dtype]
    assert all(np.array_equal(np.asarray(a), b) for a, b in zip((q, k, v), before)), "the input was changed"


@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_masks(library, dtype):
    q, k, v = arrays(library, dtype, (2, 5, 3), (2, 7, 3), (2, 7, 11))
    allowed = np.random.default_rng(1).random((2, 5, 7)) < 0.5
    allowed[0, 2] = False        # a query that may look nowhere
    allowed[1, :, 3] = True
    mask = allowed if library == "numpy" else torch.from_numpy(allowed)
    output, weights = attention(q, k, v, mask=mask)
    assert np.abs(np.asarray(output) - oracle(q, k, v, allowed)).max() < TOLERANCE[dtype]
    assert (np.asarray(weights)[~allowed] == 0).all()
    assert (np.asarray(output)[0, 2] == 0).all() and (np.asarray(weights)[0, 2] == 0).all()
    # True = may attend: the one key that is allowed gets everything.
    only = np.zeros((5, 7), bool)
    only[:, 4] = True
    output, weights = attention(q, k, v, mask=only if library == "numpy" else torch.from_numpy(only))
    assert np.array_equal(np.asarray(output), np.repeat(np.asarray(v)[:, 4:5], 5, axis=1))


@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_extreme_scores(library, dtype):
    scores = np.array([[1e4, 0, -1e4], [-1e4, -1e4, -1e4], [6e4, -6e4, 0]], dtype=dtype)
    weights = np.asarray(softmax(scores if library == "numpy" else torch.from_numpy(scores)))
    third = np.array(1 / 3, dtype=dtype)
    assert weights[0].tolist() == [1, 0, 0] and weights[2].tolist() == [1, 0, 0]
    assert np.abs(weights[1] - third).max() < TOLERANCE[dtype]


def test_many_equal_scores_in_sixteen_bits():
    weights = softmax(np.zeros(70_000, dtype="float16"))
    assert weights.dtype == "float16" and np.allclose(weights, 1 / 70_000, rtol=0.02)
    assert softmax(np.zeros((2, 3)), axis=np.int64(0)).tolist() == [[0.5] * 3] * 2


def test_by_hand():
    # exp(0), exp(log 3): shares 1/4 and 3/4.
    assert np.allclose(softmax(np.array([0.0, math.log(3)])), [0.25, 0.75], atol=1e-15)
    assert np.allclose(softmax(np.array([0.0, math.log(9)]), temperature=2), [0.25, 0.75], atol=1e-15)
    assert np.allclose(softmax(np.array([[0.0, 5.0], [math.log(3), 5.0]]), axis=0), [[0.25, 0.5], [0.75, 0.5]], atol=1e-15)
    # Scores 0 and log 3 at scale 1: the output is a quarter of the first value and three quarters of the second.
    query, key = np.array([[1.0, 0.0]]), np.array([[0.0, 7.0], [math.log(3), -2.0]])
    output, _ = attention(query, key, np.array([[4.0], [8.0]]), scale=1)
    assert np.allclose(output, [[7.0]], atol=1e-15)
    # The default scale is 1 / sqrt(d_k): here 1 / sqrt(4).
    query, key = np.array([[1.0, 0, 0, 0]]), np.array([[0.0, 0, 0, 0], [2 * math.log(3), 0, 0, 0]])
    assert np.allclose(attention(query, key, key)[1], [[0.25, 0.75]], atol=1e-15)


def test_scale_and_score():
    q, k, v = arrays("numpy", "float64", (5, 3), (7, 3), (7, 2))
    assert np.allclose(attention(q, k, v, scale=0.3)[0], oracle(q, k, v, scale=0.3), atol=1e-12)
    scored = attention(q, k, v, score=lambda q, k: q @ k.T / math.sqrt(3))
    assert np.allclose(scored[0], oracle(q, k, v), atol=1e-12)
    assert attention(q.astype("float32"), k.astype("float32"), v.astype("float32"), scale=np.float64(2))[0].dtype == "float32"


def test_gradients_flow():
    q, k, v = arrays("torch", "float64", (2, 3), (5, 3), (5, 7))
    for a in (q, k, v):
        a.requires_grad_()
    assert torch.autograd.gradcheck(lambda *a: attention(*a)[0], (q, k, v))
    mask = torch.ones(2, 5, dtype=torch.bool)
    mask[0] = False
    attention(q, k, v, mask=mask)[0].sum().backward()
    assert torch.isfinite(q.grad).all() and torch.isfinite(v.grad).all()


def test_batch_axes_broadcast():
    q, k, v = arrays("numpy", "float64", (3, 1, 5, 2), (4, 7, 2), (7, 11))
    assert attention(q, k, v)[0].shape == (3, 4, 5, 11)


def test_importing_attnkit_does_not_import_torch():
    code = "import sys, attnkit, attnkit.draw, attnkit.plots, attnkit.widgets; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


Q, K, V = arrays("numpy", "float64", (5, 3), (7, 3), (7, 2))
T = torch.zeros(5, 3, dtype=torch.float64)
BAD = [
    (lambda: softmax([1.0, 2.0]), TypeError, "scores must be a numpy array or a torch tensor, got list"),
    (lambda: softmax(np.array([1, 2])), TypeError, "scores must hold floating-point numbers, got dtype int64"),
    (lambda: softmax(Q, temperature=0), ValueError, "temperature must be positive and finite in float64, got 0.0"),
    (lambda: softmax(Q, temperature=-1.0), ValueError, "got -1.0"),
    (lambda: softmax(Q, temperature=float("nan")), ValueError, "got nan"),
    (lambda: softmax(Q, temperature=float("inf")), ValueError, "got inf"),
    (lambda: softmax(Q, temperature="hot"), TypeError, "temperature must be a number, got str"),
    (lambda: softmax(Q, temperature=True), TypeError, "got bool"),
    (lambda: softmax(Q, axis=2), ValueError, r"axis 2 does not exist in scores of shape \(5, 3\)"),
    (lambda: softmax(Q, axis=1.0), TypeError, "axis must be an integer"),
    (lambda: softmax(Q, temperature=10**400), ValueError, "got inf"),
    (lambda: softmax(Q.astype("float32"), temperature=1e-50), ValueError, "positive and finite in float32, got 1e-50"),
    (lambda: attention(Q, K, V, scale=10**400), ValueError, "scale must be finite, got inf"),
    (lambda: attention(Q, K, V, score=lambda q, k: None), TypeError, "the result of score must be a numpy array .* got NoneType"),
    (lambda: attention(Q, K, V, score=lambda q, k: (q @ k.T).astype("float32")), TypeError, "one dtype is needed, got value: float64"),
    (lambda: attention(Q, K, np.stack([V] * 2), score=lambda q, k: np.stack([q @ k.T] * 3)), ValueError, "batch axes of the result of score"),
    (lambda: attention(T, torch.zeros(7, 3, dtype=torch.float64, device="meta"), torch.zeros(7, 2, dtype=torch.float64)), ValueError,
     "arrays on one device are needed, got query: cpu, key: meta"),
    (lambda: softmax(np.zeros((2, 0))), ValueError, r"empty: shape \(2, 0\)"),
    (lambda: softmax(np.array(1.0)), ValueError, r"shape \(\)"),
    (lambda: attention([[1.0]], K, V), TypeError, "query must be a numpy array"),
    (lambda: attention(T, K, V), TypeError, "arrays of one library are needed, got query: torch, key: numpy"),
    (lambda: attention(Q.astype("float32"), K, V), TypeError, "one dtype is needed, got query: float32"),
    (lambda: attention(Q.astype(int), K, V), TypeError, "query must hold floating-point"),
    (lambda: attention(Q[0], K, V), ValueError, r"query must have at least two axes .* got shape \(3,\)"),
    (lambda: attention(Q[:, :2], K, V), ValueError, r"same width, got query \(5, 2\) and key \(7, 3\)"),
    (lambda: attention(Q, K, V[:6]), ValueError, r"one value for each key, got key \(7, 3\) and value \(6, 2\)"),
    (lambda: attention(Q, K[:0], V[:0]), ValueError, r"key has an empty axis: shape \(0, 3\)"),
    (lambda: attention(np.stack([Q] * 2), np.stack([K] * 3), V), ValueError, "batch axes of query and key"),
    (lambda: attention(np.stack([Q] * 2), K, np.stack([V] * 3)), ValueError, "batch axes of query and key and value"),
    (lambda: attention(Q, K, V, mask=np.ones((5, 6), bool)), ValueError, r"scores' shape \(5, 7\), got \(5, 6\)"),
    (lambda: attention(Q, K, V, mask=np.ones((2, 5, 7), bool)), ValueError, r"got \(2, 5, 7\)"),
    (lambda: attention(Q, K, V, mask=np.ones((5, 7))), TypeError, "mask must be a boolean array"),
    (lambda: attention(Q, K, V, mask=[[True]]), TypeError, "mask must be a boolean array .* got list"),
    (lambda: attention(Q, K, V, mask=torch.ones(5, 7, dtype=torch.bool)), TypeError, "of the same library"),
    (lambda: attention(Q, K, V, scale="a"), TypeError, "scale must be a number, got str"),
    (lambda: attention(Q, K, V, scale=float("nan")), ValueError, "scale must be finite"),
    (lambda: attention(Q, K, V, score=3), TypeError, "score must be a function"),
    (lambda: attention(Q, K, V, score=lambda q, k: q @ k.T, scale=1.0), ValueError, "either scale or score"),
    (lambda: attention(Q, K, V, score=lambda q, k: k @ q.T), ValueError, r"score must return shape \(..., 5, 7\)"),
]


@pytest.mark.parametrize("call, error, words", BAD)
def test_bad_input(call, error, words):
    with pytest.raises(error, match=words):
        call()
