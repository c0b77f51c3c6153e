"""The functions against torch, against formulas written out, and against numbers worked by hand."""

import math
import subprocess
import sys
import tracemalloc
from itertools import product

import numpy as np
import pytest
import torch
from sample import CALLS, DTYPES, LIBRARIES, TOLERANCE, arrays, leaves, near, plain, to

import attnkit
from attnkit import attention, attention_in_blocks, multi_head_attention, softmax

F = torch.nn.functional
# (batch axes, n, m, d_k, d_v): sizes that are all different primes, so that a mixed-up axis shows.
SHAPES = [((), 5, 7, 3, 11), ((2,), 3, 5, 13, 7), ((2, 3), 7, 11, 5, 17), ((), 1, 1, 1, 1), ((2,), 1, 13, 2, 3),
          ((3,), 13, 1, 5, 2), ((2,), 41, 37, 3, 2)]


def oracle(query, key, value, mask=None, **options):
    q, k, v = (torch.as_tensor(plain(a)).double() for a in (query, key, value))
    mask = None if mask is None else torch.as_tensor(plain(mask))
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask, **options).numpy()


# ---- what holds for every function

@pytest.mark.parametrize("name", CALLS)
def test_library_dtype_and_input_are_kept(name):
    """Library and dtype are kept, the input is not changed, and less exact numbers give nearly the exact result."""
    call, shapes = CALLS[name]
    for library, dtype in product(LIBRARIES, DTYPES):
        given = arrays(library, dtype, *shapes)
        before = [plain(a).copy() for a in given]
        found = leaves(call(*given))
        assert all(type(a) is type(given[0]) and a.dtype == given[0].dtype for a in found), (library, dtype)
        assert all(np.array_equal(plain(a), b) for a, b in zip(given, before)), f"the input was changed: {library}, {dtype}"
        exact = leaves(call(*(b.astype("float64") for b in before)))
        assert all(near(a, b, dtype) for a, b in zip(found, exact, strict=True)), (library, dtype)


@pytest.mark.parametrize("name", CALLS)
def test_gradients(name):
    """Of a random sum of all outputs, along a random way of each input: what two small steps measure, to six digits."""
    call, shapes = CALLS[name]
    given, ways = (arrays("torch", "float64", *shapes, seed=seed) for seed in (0, 1))
    shares = arrays("torch", "float64", *(found.shape for found in leaves(call(*given))), seed=2)
    total = lambda *a: sum((share * found).sum() for share, found in zip(shares, leaves(call(*a)), strict=True))  # noqa: E731
    slopes = torch.autograd.grad(total(*[a.requires_grad_() for a in given]), given)
    with torch.no_grad():
        for i, (way, slope) in enumerate(zip(ways, slopes)):
            up, down = (total(*given[:i], given[i] + step * way, *given[i + 1:]) for step in (1e-6, -1e-6))
            assert (slope * way).sum().item() == pytest.approx((up - down).item() / 2e-6, rel=1e-6, abs=1e-6), f"input {i}"


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("name", [name for name, (_, shapes) in CALLS.items() if len(shapes[0]) == 3])
def test_a_batch_is_its_items_one_by_one(name, library):
    """Every array that has a leading axis of two is cut; a weight shared by the batch is not."""
    call, shapes = CALLS[name]
    given = arrays(library, "float64", *shapes)
    whole = leaves(call(*given))
    for i in range(2):
        cut = [a[i] if len(shape) == 3 and shape[0] == 2 else a for a, shape in zip(given, shapes)]
        assert all(near(a[i], b) for a, b in zip(whole, leaves(call(*cut)), strict=True))


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("name", CALLS)
def test_the_order_in_memory_does_not_matter(name, library):
    """Views whose axes lie in memory the other way round; two batch axes where the arrays have one."""
    call, shapes = CALLS[name]
    items = [len(shape) == 3 and shape[0] == 2 for shape in shapes]
    given = arrays("numpy", "float64", *((3, *shape) if more else shape for shape, more in zip(shapes, items)))
    strange = [to(library, np.ascontiguousarray(a.T)).permute(*reversed(range(a.ndim))) if library == "torch"
               else np.ascontiguousarray(a.T).T for a in given]
    assert all(near(a, b) for a, b in zip(leaves(call(*strange)), leaves(call(*given)), strict=True))


@pytest.mark.parametrize("name", CALLS)
def test_the_device_is_kept(name):
    """On torch's device without numbers: no array of another device can be mixed with it, and nothing looks at a number."""
    call, shapes = CALLS[name]
    found = leaves(call(*(torch.zeros(shape, device="meta") for shape in shapes)))
    assert len(found) >= 1 and all(a.device.type == "meta" for a in found)


# ---- softmax

@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2, -3])
def test_softmax(library, dtype, axis):
    scores, = arrays(library, dtype, (3, 5, 7), size=4)
    for temperature in (0.25, 1, 1.0, 2):
        expected = torch.softmax(torch.as_tensor(plain(scores)).double() / temperature, axis)
        assert near(softmax(scores, temperature=temperature, axis=axis), expected, dtype)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_extreme_scores(library, dtype):
    """Weights of one and zero, and products too large for sixteen bits: neither they nor their differences are the result."""
    scores = np.array([[1e4, 0, -1e4], [-1e4, -1e4, -1e4], [6e4, -6e4, 0], [-np.inf, 2, 2]], dtype=dtype)
    assert near(softmax(to(library, scores)), np.array([[1, 0, 0], [1 / 3, 1 / 3, 1 / 3], [1, 0, 0], [0, .5, .5]]), dtype)
    q, k, v = (to(library, np.array(a, dtype=dtype)) for a in ([[300, 300]], [[300, 300], [300, 300], [-300, -300]], [[1], [2], [4]]))
    assert plain(attention(q, k, v)[0]).tolist() == plain(attention_in_blocks(q, k, v, block_size=1)).tolist() == [[1.5]]
    x = k[1:]                     # each query sees itself and what was before
    assert plain(attnkit.window_attention(x, x, v[1:], window=1, causal=True)).tolist() == [[2], [4]]


@pytest.mark.parametrize("library", LIBRARIES)
def test_extreme_numbers_do_not_warn(library):
    """Differences that do not fit into the dtype are a weight of zero, without a warning."""
    largest, smallest = float(np.finfo("float32").max), float(np.finfo("float32").smallest_normal)
    scores, even, one, far = (to(library, np.array(a, "float32")) for a in (
        [[largest, -largest], [1, 2]], [0, 0], [[1], [1]], [[largest], [-largest]]))
    assert plain(softmax(scores)).tolist()[0] == plain(softmax(scores, temperature=0.5)).tolist()[0] == [1, 0]
    assert plain(softmax(scores, temperature=2e-38)).tolist()[1] == [0, 1]
    for temperature in (smallest, largest):
        assert plain(softmax(even, temperature=temperature)).tolist() == [.5, .5]
    assert plain(attention(one, far, one, scale=1)[1])[0].tolist() == [1, 0]
    assert plain(attention_in_blocks(one, far, far, scale=1))[0] == largest
    assert np.isfinite(plain(attention(one * 0, one, one, scale=largest)[0])).all()


@pytest.mark.parametrize("library", LIBRARIES)
def test_rows_of_minus_infinity_give_zeros(library):
    """Where all scores are minus infinity: zeros, and for torch a gradient of zeros, there alone."""
    scores = np.full((3, 3), -np.inf)
    scores[[0, 0, 2], [0, 2, 0]] = 1.0, 2.0, 3.0      # row 1 and column 1 are empty
    p = 1 / (1 + math.e)
    assert near(softmax(to(library, scores)), np.array([[p, 0, 1 - p], [0, 0, 0], [1, 0, 0]]))
    assert near(softmax(to(library, scores), axis=0), np.array([[1 / (1 + math.e**2), 0, 1], [0, 0, 0], [1 / (1 + math.e**-2), 0, 0]]))
    tensor = torch.tensor(scores, requires_grad=True)
    (softmax(tensor) * torch.arange(9.0).reshape(3, 3)).sum().backward()
    assert near(tensor.grad, np.array([[-2 * p * (1 - p), 0, 2 * p * (1 - p)], [0, 0, 0], [0, 0, 0]]))
    assert np.isnan(plain(softmax(to(library, np.array([np.nan, 1.0]))))).all(), "what is not a number stays so"


@pytest.mark.parametrize("library", LIBRARIES)
def test_many_equal_scores_in_sixteen_bits(library):
    """A sum and a temperature that do not fit into sixteen bits."""
    weights = softmax(to(library, np.zeros(70_000, dtype="float16")))
    assert np.allclose(plain(weights), 1 / 70_000, rtol=0.02)
    assert np.allclose(plain(softmax(to(library, np.array([0, 8], dtype="float16")), temperature=1e5)), 0.5, rtol=1e-3)


# ---- attention

@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_against_torch(library, dtype, shape):
    batch, n, m, d_k, d_v = shape
    q, k, v = arrays(library, dtype, (*batch, n, d_k), (*batch, m, d_k), (*batch, m, d_v))
    output, weights = attention(q, k, v)
    assert tuple(weights.shape) == (*batch, n, m)
    assert near(output, oracle(q, k, v), dtype)
    assert np.abs(plain(weights).astype(float).sum(-1) - 1).max() < TOLERANCE[dtype]
    assert near(attention_in_blocks(q, k, v, block_size=3), oracle(q, k, v), dtype)
    assert near(attention(q, k, v, scale=0.7)[0], oracle(q, k, v, scale=0.7), dtype)
    assert near(attention_in_blocks(q, k, v, scale=0.7), oracle(q, k, v, scale=0.7), dtype)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_masks(library, dtype):
    q, k, v = arrays(library, dtype, (2, 5, 3), (2, 7, 3), (2, 7, 11))
    allowed = np.random.default_rng(1).random((2, 5, 7)) < 0.5
    allowed[0, 2] = False        # a query that may look nowhere
    output, weights = attention(q, k, v, mask=to(library, allowed))
    assert near(output, oracle(q, k, v, allowed), dtype)
    assert (plain(weights)[~allowed] == 0).all() and (plain(output)[0, 2] == 0).all()
    assert near(attention_in_blocks(q, k, v, mask=to(library, allowed), block_size=2), output, dtype)
    # True = may attend: the one key that is allowed gets everything.
    output, _ = attention(q, k, v, mask=to(library, np.arange(7) == 4))
    assert np.array_equal(plain(output), np.repeat(plain(v)[:, 4:5], 5, axis=1))


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("shape", [(), (7,), (1, 7), (5, 1), (1, 1), (5, 7), (1, 5, 7), (2, 1, 7), (2, 5, 1), (2, 5, 7)])
def test_masks_broadcast(library, shape):
    q, k, v = arrays(library, "float64", (2, 5, 3), (2, 7, 3), (2, 7, 11))
    mask = np.random.default_rng(len(shape)).random(shape) < 0.6
    whole = np.broadcast_to(mask, (2, 5, 7))
    output, weights = attention(q, k, v, mask=to(library, np.array(mask)))
    assert near(output, oracle(q, k, v, whole.copy())) and (plain(weights)[~whole] == 0).all()
    assert near(attention_in_blocks(q, k, v, mask=to(library, np.array(mask)), block_size=3), output)


def test_gradients_of_masked_attention():
    q, k, v = (a.requires_grad_() for a in arrays("torch", "float64", (2, 3), (5, 3), (5, 7)))
    mask = torch.ones(2, 5, dtype=torch.bool)
    mask[0] = False
    mask[1, 2] = False
    for call in (lambda *a: attention(*a, mask=mask)[0], lambda *a: attention_in_blocks(*a, mask=mask, block_size=2)):
        assert torch.autograd.gradcheck(call, (q, k, v))
        q.grad = v.grad = None
        call(q, k, v).sum().backward()
        assert (q.grad[0] == 0).all() and (v.grad[2] == 0).all() and (q.grad[1] != 0).any()


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
    assert np.allclose(attention_in_blocks(query, key, key, block_size=1), 0.75 * key[1:], atol=1e-15)


def test_custom_score_functions():
    q, k, v = arrays("numpy", "float64", (5, 3), (7, 3), (7, 2))
    assert near(attention(q, k, v, score=lambda q, k: q @ k.T / math.sqrt(3))[0], oracle(q, k, v))
    assert attention(q.astype("float32"), k.astype("float32"), v.astype("float32"), scale=np.float64(2))[0].dtype == "float32"
    table = np.random.default_rng(3).normal(size=(5, 7))
    # The widths of query and key are the score's affair, and scores may bring batch axes of their own.
    assert attention(q[:, :2], k, v, score=lambda q, k: table)[1].shape == (5, 7)
    assert attention(q, k, v, score=lambda q, k: np.stack([table] * 4))[0].shape == (4, 5, 2)
    # One that a score has hidden already is hidden under a mask, too, without a warning.
    table[:, 0] = -np.inf
    assert near(attention(q, k, v, mask=np.arange(7) < 3, score=lambda q, k: table)[1][:, 1:3], softmax(table[:, 1:3]))


@pytest.mark.parametrize("library", LIBRARIES)
def test_batch_axes_broadcast(library):
    q, k, v = arrays(library, "float64", (3, 1, 5, 2), (4, 7, 2), (7, 11))
    output, _ = attention(q, k, v)
    assert output.shape == (3, 4, 5, 11) and near(attention_in_blocks(q, k, v, block_size=2), output)
    mask = to(library, np.random.default_rng(0).random((3, 4, 5, 7)) < 0.7)     # every axis from another argument
    assert near(attention_in_blocks(q, k, v, mask=mask, block_size=2), attention(q, k, v, mask=mask)[0])
    q, k, v = arrays(library, "float64", (5, 2), (7, 2), (3, 7, 11))
    assert near(attention_in_blocks(q, k, v, block_size=2), attention(q, k, v)[0])


# ---- several heads

@pytest.mark.parametrize("library", LIBRARIES)
def test_heads_with_a_score(library):
    x, w, wv, wo, m, bk = arrays(library, "float64", (5, 6), (6, 6), (6, 4), (4, 3), (3, 3), (6,))
    heads = lambda wq=w, **options: multi_head_attention(x, x, x, wq, w, wv, wo, num_heads=2, **options)   # noqa: E731
    output, weights = heads(score=lambda q, k: attnkit.general(q, k, m))
    again, same = heads(w @ to(library, np.kron(np.eye(2), plain(m))), scale=1)
    assert near(output, again) and near(weights, same)
    # A bias of the keys adds the same to all scores of a query: the softmax does not see it. Another score does.
    assert near(heads(b_key=bk)[1], heads()[1]) and not near(heads(b_key=bk, score=attnkit.cosine)[1], heads(score=attnkit.cosine)[1])
    # Without a dot product queries and keys may differ in width.
    zeros = lambda q, k: q[..., :1] @ (k[..., :1].mT * 0)   # noqa: E731
    assert near(heads(w[:, :2], score=zeros)[1][1, 0], np.full(5, 0.2))


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("h, g", [(6, 1), (6, 2), (6, 3), (6, 6), (1, 1), (4, 2)])
def test_heads_against_torch(library, bias, h, g):
    """Queries of d_k = 5 and values of d_v = 7 on items of width 3, 11 and 13, a mask for each head."""
    x, y, z, wq, wk, wv, wo, *biases = arrays(
        library, "float64", (2, 5, 3), (2, 7, 11), (2, 7, 13), (3, 5 * h), (11, 5 * g), (13, 7 * g), (7 * h, 17),
        (5 * h,), (5 * g,), (7 * g,), (17,))
    biases = dict(zip(("b_query", "b_key", "b_value", "b_output"), biases)) if bias else {}
    allowed = np.random.default_rng(h * g).random((2, h, 5, 7)) < 0.6
    output, weights = multi_head_attention(x, y, z, wq, wk, wv, wo, num_heads=h, num_key_value_heads=g, mask=to(library, allowed), **biases)
    bq, bk, bv, bo = map(plain, biases.values()) if bias else (0, 0, 0, 0)
    queries, keys, values = (torch.as_tensor(plain(a) @ plain(w) + b).unflatten(-1, (heads, -1)).transpose(1, 2) for a, w, b, heads in (
        (x, wq, bq, h), (y, wk, bk, g), (z, wv, bv, g)))
    shared = lambda v: oracle(queries, keys, v, allowed, enable_gqa=True)  # noqa: E731
    assert near(output, shared(values).swapaxes(1, 2).reshape(2, 5, -1) @ plain(wo) + bo)
    assert near(weights, shared(torch.eye(7).expand(2, g, 7, 7))), "with the unit vectors as values the output is the weights"


@pytest.mark.parametrize("library", LIBRARIES)
def test_grouped_heads_are_repeated_heads(library):
    """As if the columns of a shared head stood in the matrices once for each head of queries: in a score of one's own, too."""
    x, wq, wk, wv, wo, bk, slopes = arrays(library, "float64", (5, 3), (3, 12), (3, 4), (3, 14), (42, 3), (4,), (6,))
    again = lambda a: to(library, plain(a).reshape(*a.shape[:-1], 2, -1).repeat(3, axis=-2).reshape(*a.shape[:-1], -1))  # noqa: E731
    for options in ({}, {"scale": 0.3}, {"score": lambda q, k: attnkit.dot(q, k) + attnkit.alibi(slopes, 5)}):
        output, weights = multi_head_attention(x, x, x, wq, wk, wv, wo, num_heads=6, num_key_value_heads=2, b_key=bk, **options)
        whole, same = multi_head_attention(x, x, x, wq, again(wk), again(wv), wo, num_heads=6, b_key=again(bk), **options)
        assert near(output, whole) and near(weights, same)


@pytest.mark.parametrize("library", LIBRARIES)
def test_split_and_merge(library):
    x, = arrays(library, "float64", (2, 5, 21))
    heads = attnkit.split_heads(x, 3)
    assert heads.shape == (2, 3, 5, 7) and near(heads[1, 2], x[1, :, 14:])
    assert near(attnkit.merge_heads(heads), x) and near(attnkit.merge_heads(heads[0]), x[0])


# ---- scores

@pytest.mark.parametrize("library", LIBRARIES)
def test_scores(library):
    q, k, w, wq, wk, v, shift = arrays(library, "float64", (2, 5, 3), (2, 7, 11), (3, 11), (3, 13), (11, 13), (13,), (13,))
    tq, tk, tw, twq, twk, tv, ts = (torch.as_tensor(plain(a)) for a in (q, k, w, wq, wk, v, shift))
    assert near(attnkit.general(q, k, w), torch.einsum("bid,de,bje->bij", tq, tw, tk))
    for bias, theirs in ((None, 0), (shift, ts)):
        inside = (tq @ twq + theirs)[:, :, None] + (tk @ twk)[:, None]
        assert near(attnkit.additive(q, k, wq, wk, v, bias), (inside.tanh() * tv).sum(-1))
    same, dots = k[..., :3], torch.einsum("bid,bjd->bij", tq, tk[..., :3])
    assert near(attnkit.cosine(q, same), F.cosine_similarity(tq[:, :, None], tk[:, None, :, :3], dim=-1))
    assert near(attnkit.distance(q, same), -torch.cdist(tq, tk[..., :3].contiguous())**2 / 2)
    assert near(attnkit.dot(q, same), dots) and near(attnkit.scaled_dot(q, same, scale=-2), -2 * dots)
    assert near(attnkit.scaled_dot(q, same), dots / math.sqrt(3))
    assert near(attnkit.dot(q[0], same), torch.einsum("id,bjd->bij", tq[0], tk[..., :3])), "batch axes broadcast"


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_cosine_of_short_long_and_zero_vectors(library, dtype):
    tiny, huge = float(np.finfo(dtype).smallest_normal), float(np.finfo(dtype).max) / 2
    long = to(library, np.ones((1, 70_000), dtype))
    assert abs(float(attnkit.cosine(long, long)[0, 0]) - 1) < 2e-3, "the sum of the squares does not fit into sixteen bits"
    rows = np.array([[0, 0], [3 * tiny, 4 * tiny], [0.75 * huge, huge], [0, -huge]], dtype=dtype)
    found = plain(attnkit.cosine(to(library, rows), to(library, rows)))
    assert np.abs(found - np.array([[0, 0, 0, 0], [0, 1, 1, -.8], [0, 1, 1, -.8], [0, -.8, -.8, 1]])).max() < TOLERANCE[dtype]


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_distance_is_never_above_zero(library, dtype):
    """Not by rounding either: 300 vectors far out, close together. Their squares are too large for sixteen bits."""
    x, = arrays(library, dtype, (300, 5))
    x = x + 200
    found, wide = plain(attnkit.distance(x, x)), torch.as_tensor(plain(x)).double()
    assert found.max() == 0 and near(found, -torch.cdist(wide, wide)**2 / 2, "float16")


# ---- masks and positions

@pytest.mark.parametrize("library", LIBRARIES)
def test_mask_makers(library):
    like, every = to(library, np.zeros(1)), np.ones((5, 5), bool)
    found = attnkit.causal_mask(5, like=like), attnkit.window_mask(5, 1, like=like), attnkit.padding_mask([3, 0, 5], like=like)
    assert all(type(mask) is type(like) for mask in found)
    assert np.array_equal(plain(found[0]), np.tril(every)) and np.array_equal(attnkit.causal_mask(2, 5), np.tril(every)[3:])
    assert plain(found[2]).tolist() == [[[j < n for j in range(5)]] for n in (3, 0, 5)]
    assert attnkit.padding_mask(np.array([2, 1]), 7).shape == (2, 1, 7)
    for radius in (0, 1, 3, 9, 10**30):
        assert plain(attnkit.window_mask(5, radius, like=like)).tolist() == [[abs(i - j) <= radius for j in range(5)] for i in range(5)]
    meta = torch.zeros(1, device="meta")
    assert all(mask.device.type == "meta" for mask in (
        attnkit.causal_mask(2, like=meta), attnkit.window_mask(2, 1, like=meta), attnkit.padding_mask([1], like=meta)))


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("base", [1.5, 100, None])
def test_sinusoidal(library, dtype, base):
    like, = arrays(library, dtype, (1,))
    options = {} if base is None else {"base": base}
    expected = [[(math.sin, math.cos)[c % 2](p / (base or 10_000) ** ((c - c % 2) / 6)) for c in range(6)] for p in range(7)]
    found = attnkit.sinusoidal(7, 6, like=like, **options)
    assert type(found) is type(like) and found.dtype == like.dtype and near(found, np.array(expected), dtype)
    assert near(attnkit.sinusoidal(7, 6, **options), np.array(expected))


@pytest.mark.parametrize("library", LIBRARIES)
def test_rotary(library):
    x, = arrays(library, "float64", (2, 5, 6))
    # The oracle: each pair as a complex number, turned by exp(i angle).
    pairs = torch.view_as_complex(torch.as_tensor(plain(x)).reshape(2, 5, 3, 2).contiguous())
    angles = torch.arange(5.0, dtype=torch.double)[:, None] * 10_000 ** -(torch.arange(3.0, dtype=torch.double) / 3)
    assert near(attnkit.rotary(x), torch.view_as_real(pairs * torch.exp(1j * angles)).reshape(2, 5, 6))
    assert near(attnkit.rotary(x, positions=to(library, np.arange(5.0))), attnkit.rotary(x))
    # Only the distance matters.
    q, k = arrays(library, "float64", (1, 6), (1, 6), seed=4)
    scores = [float(attnkit.dot(attnkit.rotary(q, positions=[p + 3], base=50), attnkit.rotary(k, positions=[p], base=50))[0, 0])
              for p in (0, 1, 17.5, 400)]
    assert np.ptp(scores) < 1e-12


@pytest.mark.parametrize("library", LIBRARIES)
def test_relative_bias(library):
    """One number after the other; the queries are the last n of the m places."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        h, n, m, reach = 2, int(rng.integers(1, 8)), int(rng.integers(8, 14)), int(rng.integers(0, 9))
        table, = arrays(library, "float64", (h, 2 * reach + 1), seed=seed)
        found = plain(attnkit.relative_bias(table, n, m))
        for head, i, j in np.ndindex(h, n, m):
            assert found[head, i, j] == plain(table)[head, reach + max(-reach, min(reach, j - (m - n + i)))], (seed, head, i, j)
        assert np.array_equal(plain(attnkit.relative_bias(table, m))[:, m - n:], found), seed
        for same, of in ((table[0], found[0]), (table[:, None], found[:, None])):       # whatever stands before the distances
            assert np.array_equal(plain(attnkit.relative_bias(same, n, m)), of), seed


@pytest.mark.parametrize("library", LIBRARIES)
def test_alibi(library):
    slopes = to(library, 2.0 ** -np.arange(1, 9))
    found = plain(attnkit.alibi(slopes, 5, 7))
    for head, i, j in np.ndindex(8, 5, 7):
        assert found[head, i, j] == -plain(slopes)[head] * abs(j - (i + 2))
    assert np.array_equal(plain(attnkit.alibi(slopes, 7))[:, 2:], found)
    # The paper has m (-(i - 1), ..., 0) in the row of query i, programs m (0, ..., i - 1): a constant in a row changes nothing.
    q, k, v = arrays(library, "float64", (8, 6, 4), (8, 6, 4), (8, 6, 3))
    past, ramp = attnkit.causal_mask(6, like=q), to(library, np.arange(6.0))
    ours = attention(q, k, v, mask=past, score=lambda q, k: attnkit.scaled_dot(q, k) + attnkit.alibi(slopes, 6))[1]
    theirs = attention(q, k, v, mask=past, score=lambda q, k: attnkit.scaled_dot(q, k) + slopes[:, None, None] * ramp)[1]
    assert near(ours, theirs)


# ---- equivalences

@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("seed", range(8))
def test_dense_layer(library, seed):
    rng = np.random.default_rng(seed)
    n, d, out = rng.choice([2, 3, 5, 7, 11], 3, replace=False)
    torch.manual_seed(seed)
    layer = torch.nn.Linear(n * d, out, bias=seed % 2 == 0, dtype=torch.double)
    x, = arrays(library, "float64", (2, n, d), seed=seed)
    bias = None if layer.bias is None else to(library, plain(layer.bias))
    heads = attnkit.dense_as_attention(to(library, plain(layer.weight)), bias, num_items=n)
    output, weights = multi_head_attention(x, x, x, **heads)
    expected = plain(layer(torch.as_tensor(plain(x)).reshape(2, -1)))
    assert all(np.abs(plain(output)[:, i] - expected).max() < 1e-12 for i in range(n)), "each query gets the same answer"
    assert (plain(weights)[0] == np.eye(n)[:, None, :]).all() and heads["num_heads"] == n


CONVOLUTIONS = [*product(("zeros", "circular", "replicate"), (1, 2), (False, True))]      # padding, dilation, grouped


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("axes, k", [(1, 1), (1, 3), (1, 5), (1, 7), (2, 1), (2, 3), (2, 5), (2, 7), (3, 3)])
def test_convolution(library, axes, k):
    for padding, dilation, grouped in CONVOLUTIONS if axes < 3 else [("zeros", 1, False)]:
        assert convolved(library, axes, k, padding, dilation, grouped), (padding, dilation, grouped)


def convolved(library, axes, k, padding, dilation, grouped):
    """Whether heads make of a picture what torch's convolution does, each of them with one weight of one."""
    shape, c_in, groups = (5, 7, 3)[:axes], 3, 3 if grouped else 1
    kernel_shape = (k, k - 2 if k > 1 else 3, 1)[:axes]
    if padding == "circular" and any(dilation * (s // 2) > size for s, size in zip(kernel_shape, shape)):
        shape = (13, 11)[:axes]            # torch wraps around a picture once only
    x, kernel, bias = arrays(library, "float64", (2, c_in, *shape), (6, c_in // groups, *kernel_shape), (6,), seed=k)
    tensors = [torch.as_tensor(plain(a)) for a in (x, kernel, bias)]
    reach = [dilation * (s // 2) for s in kernel_shape]
    padded = F.pad(tensors[0], [r for r in reversed(reach) for _ in range(2)], mode="constant" if padding == "zeros" else padding)
    expected = [F.conv1d, F.conv2d, F.conv3d][axes - 1](padded, *tensors[1:], dilation=dilation, groups=groups)
    rows = x.reshape(2, c_in, -1).mT      # a pixel is a row, its channels are the width
    heads = attnkit.convolution_as_attention(kernel, bias, shape=shape, padding=padding, dilation=dilation, groups=groups)
    output, weights = multi_head_attention(rows, rows, rows, **heads)
    return (np.abs(plain(output) - plain(expected.reshape(2, 6, -1).mT)).max() < 1e-12
            and heads["num_heads"] == math.prod(kernel_shape) and set(np.unique(plain(weights))) <= {0.0, 1.0})


def test_dilation_larger_than_the_picture():
    """A step as large as the picture, or larger, leads out of it, or round and round."""
    x, kernel = arrays("numpy", "float64", (5, 2), (4, 2, 3))
    convolve = lambda **options: multi_head_attention(x, x, x, **attnkit.convolution_as_attention(kernel, shape=(5,), **options))[0]  # noqa: E731
    step = 2**63 - 1
    assert np.array_equal(convolve(), convolve(dilation=1))
    assert near(convolve(dilation=step), x @ kernel[:, :, 1].T) and near(convolve(dilation=5), x @ kernel[:, :, 1].T)
    assert near(convolve(dilation=step, padding="circular"), convolve(dilation=step % 5, padding="circular"))


# ---- memory

@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("n, window", [(1, 0), (1, 3), (7, 0), (7, 1), (13, 3), (12, 4), (11, 10), (11, 11), (5, 10**30)])
def test_window_attention(library, n, window, causal):
    q, k, v = arrays(library, "float64", (2, n, 3), (2, n, 3), (2, n, 5), seed=n)
    mask = attnkit.window_mask(n, window, like=q)
    mask = mask & attnkit.causal_mask(n, like=q) if causal else mask
    for block in (1, 2, 3, 4, 12, 64, 100):
        found = attnkit.window_attention(q, k, v, window=window, causal=causal, block_size=block)
        assert near(found, attention(q, k, v, mask=mask)[0]) and near(found, oracle(q, k, v, mask))
    found = attnkit.window_attention(q, k, v, window=window, causal=causal, scale=-0.7)
    assert near(found, oracle(q, k, v, mask, scale=-0.7))


@pytest.mark.parametrize("library", LIBRARIES)
def test_window_attention_broadcasts(library):
    q, k, v = arrays(library, "float64", (3, 1, 7, 2), (4, 7, 2), (7, 11), size=40)
    found = attnkit.window_attention(q, k, v, window=2, block_size=3)
    assert found.shape == (3, 4, 7, 11) and near(found, attention(q, k, v, mask=attnkit.window_mask(7, 2, like=q))[0])


@pytest.mark.parametrize("causal", [False, True])
def test_window_attention_does_not_look_far(causal):
    """What no query of a block may see is not computed with."""
    q, k, v = arrays("numpy", "float32", (1024, 8), (1024, 8), (1024, 8))
    broken = v.copy()
    broken[480] = np.nan                    # in the block 480 to 495; 20 places reach into two more on either side
    output, touched = (attnkit.window_attention(q, k, v, window=20, causal=causal, block_size=16) for v in (v, broken))
    wrong = np.flatnonzero(np.isnan(touched).any(axis=1))
    assert wrong.min() == (480 if causal else 448) and wrong.max() == 511
    assert np.array_equal(np.delete(output, wrong, axis=0), np.delete(touched, wrong, axis=0))


@pytest.mark.parametrize("call", [lambda *a: attention_in_blocks(*a, block_size=64), lambda *a: attnkit.window_attention(*a, window=20, block_size=16),
                                  lambda *a: attnkit.linear_attention(*a, causal=True)])
def test_the_weights_are_never_there(call):
    """A tenth of the memory that they would take is more than enough."""
    given = arrays("numpy", "float32", (1024, 8), (1024, 8), (1024, 8))
    tracemalloc.start()
    call(*given)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.1 * 1024 * 1024 * 4


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("m", [7, 70])
@pytest.mark.parametrize("feature", [None, lambda x: x * x + 0.5, lambda x: (x * x)[..., :2]])
def test_linear_attention(library, m, feature):
    """Against its weights written down; 70 items are more than a block."""
    q, k, v = arrays(library, "float64", (2, 5, 3), (2, m, 3), (2, m, 11))
    mapped = feature or (lambda x: F.elu(torch.as_tensor(plain(x))) + 1)
    shares = plain(mapped(q)) @ plain(mapped(k)).swapaxes(-1, -2)
    assert near(attnkit.linear_attention(q, k, v, feature_map=feature), shares / shares.sum(-1, keepdims=True) @ plain(v))
    shares = np.tril(plain(mapped(k)) @ plain(mapped(k)).swapaxes(-1, -2))
    expected = shares / shares.sum(-1, keepdims=True) @ plain(v)
    assert near(attnkit.linear_attention(k, k, v, feature_map=feature, causal=True), expected)
    output, memory = attnkit.fast_weight_attention(k, k, v, feature_map=feature)
    assert near(output, expected) and near(memory, plain(mapped(k)).swapaxes(-1, -2) @ plain(v))


def test_feature_map_at_zero():
    """elu(x) + 1 has slope 1 at 0, from both sides; attention to two keys, values 0 and 1, both at 0."""
    key = torch.zeros(2, 1, dtype=torch.double, requires_grad=True)
    value = torch.tensor([[0.0], [1.0]], dtype=torch.double)
    attnkit.linear_attention(torch.ones(1, 1, dtype=torch.double), key, value).sum().backward()
    assert key.grad.flatten().tolist() == [-0.25, 0.25]      # share 1/2: d(b / (a + b)) = (-b, a) / (a + b)^2


@pytest.mark.parametrize("library", LIBRARIES)
def test_linear_attention_without_mass(library):
    """Features of zero, or so small that they are: zeros, without a warning."""
    x = to(library, np.ones((3, 2)))
    for result in (attnkit.linear_attention(x, x, x, feature_map=lambda x: x * 0), attnkit.linear_attention(x, x * -800, x, causal=True),
                   attnkit.fast_weight_attention(x, x * -800, x)[0]):
        assert (plain(result) == 0).all()


# ---- how it is computed

def test_long_double_bears_large_scores():
    """Its largest number is too large for a float of Python's: scores from which exp overflows in it are shifted, too."""
    one, value = np.eye(2, dtype=np.longdouble), np.array([[1], [2]], np.longdouble)
    assert np.array_equal(attention(10**6 * one, one, value, scale=1)[0], value)
    for name, (call, shapes) in CALLS.items():
        found = leaves(call(*arrays("numpy", np.longdouble, *shapes, size=200.0)))
        assert all(x.dtype == np.longdouble and np.isfinite(x).all() for x in found), name


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_rows_do_not_touch_each_other(dtype, masked):
    """Not in one bit: neither another query, however large, nor a masked key, nor another sequence of the batch."""
    q, k, v = arrays("numpy", dtype, (3, 5, 4), (3, 7, 4), (3, 7, 2))
    mask = np.random.default_rng(1).random((5, 7)) < 0.6 if masked else None
    if masked:
        mask[:, 6], mask[2] = False, False
    output, weights = attention(q, k, v, mask=mask)
    far = q.copy()
    far[:, 3] *= 1e4
    for changed_q, changed_k, same in [(far, k, np.s_[:, [0, 1, 2, 4]]), (q * np.array([1, 1e4, 1], dtype)[:, None, None], k, np.s_[[0, 2]])] + (
            [(q, np.concatenate([k[:, :6], 1e5 * k[:, 6:]], axis=1), np.s_[:])] if masked else []):
        again = attention(changed_q, changed_k, v, mask=mask)
        assert np.array_equal(output[same], again[0][same]) and np.array_equal(weights[same], again[1][same])
        rows = softmax(np.where(True if mask is None else mask, (changed_q / 2) @ changed_k.mT, -np.inf))
        assert near(again[1], rows, dtype), "large or small, shifted or not: the same softmax"


@pytest.mark.parametrize("g", [2, 1])
@pytest.mark.parametrize("over", [(0, 0), (None, 0), (0, None)])
def test_many_heads_at_once_by_vmap(g, over):
    """multi_head_attention under torch.func.vmap, over a batch or parameters with their biases, under a mask."""
    torch.manual_seed(0)
    names = [f"{kind}_{name}" for kind in "wb" for name in ("query", "key", "value", "output")]
    shapes = [(4, 6), (4, 3 * g), (4, 3 * g), (6, 4), (6,), (3 * g,), (3 * g,), (4,)]
    x, parameters = torch.randn(3, 5, 4), {name: torch.randn(3, *shape) for name, shape in zip(names, shapes)}
    mask = attnkit.causal_mask(5, like=x) & torch.tensor([False, True, True, True, True])      # the first query has no key

    def heads(x, parameters):
        return multi_head_attention(x, x, x, num_heads=2, num_key_value_heads=g, mask=mask, **parameters)
    given = (x if over[0] == 0 else x[0], parameters if over[1] == 0 else {n: p[0] for n, p in parameters.items()})
    output, weights = torch.func.vmap(heads, in_dims=over)(*given)
    for i in range(3):
        alone = heads(x[i] if over[0] == 0 else x[0], {n: p[i] if over[1] == 0 else p[0] for n, p in parameters.items()})
        assert near(output[i], alone[0], "float32") and near(weights[i], alone[1], "float32")


# ---- the package

def test_importing_attnkit_does_not_import_torch():
    code = ("import sys, attnkit, bookkit.pictures.draw, bookkit.pictures.plots, bookkit.figures, numpy as np; x = np.ones((2, 2)); "
            "attnkit.attention(x, x, x); dir(attnkit); sys.exit('torch' in sys.modules)")
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_public_names():
    assert set(attnkit.__all__) | {"modules"} <= set(dir(attnkit))
    with pytest.raises(AttributeError, match="module 'attnkit' has no attribute 'atention'"):
        attnkit.atention  # noqa: B018
