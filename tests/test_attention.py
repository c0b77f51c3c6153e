"""The functions against torch, against formulas written out, and against numbers worked by hand."""

import math
import subprocess
import sys
import tracemalloc
from functools import partial

import numpy as np
import pytest
import torch
from sample import CALLS, DTYPES, LIBRARIES, TOLERANCE, arrays, leaves, near, plain, to
from table import each

import attnkit
from attnkit import attention, attention_in_blocks, multi_head_attention, softmax

F = torch.nn.functional
# (batch axes, n, m, d_k, d_v): sizes that are all different primes, so that a mixed-up axis shows.
SHAPES = [((), 5, 7, 3, 11), ((2,), 3, 5, 13, 7), ((2, 3), 7, 11, 5, 17), ((), 1, 1, 1, 1), ((2,), 1, 13, 2, 3),
          ((3,), 13, 1, 5, 2)]


def oracle(query, key, value, mask=None, **options):
    q, k, v = (torch.as_tensor(plain(a)).double() for a in (query, key, value))
    mask = None if mask is None else torch.as_tensor(plain(mask))
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask, **options).numpy()


# ---- what holds for every function

@each("library", LIBRARIES)
@each("dtype", DTYPES)
@each("name", CALLS)
def test_library_dtype_and_input_are_kept(name, dtype, library):
    """Library and dtype are kept, the input is not changed, and less exact numbers give nearly the exact result."""
    call, shapes = CALLS[name]
    given = arrays(library, dtype, *shapes)
    before = [plain(a).copy() for a in given]
    found = leaves(call(*given))
    assert all(type(a) is type(given[0]) and a.dtype == given[0].dtype for a in found)
    assert all(np.array_equal(plain(a), b) for a, b in zip(given, before)), "the input was changed"
    exact = leaves(call(*(b.astype("float64") for b in before)))
    assert all(near(a, b, dtype) for a, b in zip(found, exact, strict=True))


@each("name", CALLS)
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


@each("library", LIBRARIES)
@each("name", [name for name, (_, shapes) in CALLS.items() if len(shapes[0]) == 3])
def test_a_batch_is_its_items_one_by_one(name, library):
    """Every array that has a leading axis of two is cut; a weight shared by the batch is not."""
    call, shapes = CALLS[name]
    given = arrays(library, "float64", *shapes)
    whole = leaves(call(*given))
    for i in range(2):
        cut = [a[i] if len(shape) == 3 and shape[0] == 2 else a for a, shape in zip(given, shapes)]
        assert all(near(a[i], b) for a, b in zip(whole, leaves(call(*cut)), strict=True))


@each("library", LIBRARIES)
@each("name", CALLS)
def test_the_order_in_memory_does_not_matter(name, library):
    """Views whose axes lie in memory the other way round; two batch axes where the arrays have one."""
    call, shapes = CALLS[name]
    items = [len(shape) == 3 and shape[0] == 2 for shape in shapes]
    given = arrays("numpy", "float64", *((3, *shape) if more else shape for shape, more in zip(shapes, items)))
    strange = [to(library, np.ascontiguousarray(a.T)).permute(*reversed(range(a.ndim))) if library == "torch"
               else np.ascontiguousarray(a.T).T for a in given]
    assert all(near(a, b) for a, b in zip(leaves(call(*strange)), leaves(call(*given)), strict=True))


# These look at a number to see whether a row is empty, and the device has none.
LOOK = ("softmax", "attention, general")


@each("name", [name for name in CALLS if name not in LOOK])
def test_the_device_is_kept(name):
    """On torch's device without numbers, which no array of another device can be mixed with."""
    call, shapes = CALLS[name]
    if name.endswith("_as_attention"):      # the arguments for the heads; their mask is looked at, too
        given = torch.zeros(shapes[1], device="meta")
        heads = (attnkit.dense_as_attention(given, num_items=5) if name.startswith("dense") else
                 attnkit.convolution_as_attention(given, shape=(3, 5)))
        found = [a for a in heads.values() if isinstance(a, torch.Tensor)]
    else:
        found = leaves(call(*(torch.zeros(shape, device="meta") for shape in shapes)))
    assert len(found) >= 1 and all(a.device.type == "meta" for a in found)


# ---- softmax

@each("library", LIBRARIES)
@each("dtype", DTYPES)
@each("axis", [0, 1, 2, -1, -2, -3])
def test_softmax(library, dtype, axis):
    scores, = arrays(library, dtype, (3, 5, 7), size=4)
    for temperature in (0.25, 1, 1.0, 3):
        expected = torch.softmax(torch.as_tensor(plain(scores)).double() / temperature, axis)
        assert near(softmax(scores, temperature=temperature, axis=axis), expected, dtype)


@each("library", LIBRARIES)
def test_softmax_of_many_numbers(library):
    """Some hundreds in each row and column, along either axis, and inside attention."""
    scores, = arrays(library, "float64", (400, 401))
    for axis in (0, 1):
        assert near(softmax(scores, axis=axis), torch.softmax(torch.as_tensor(plain(scores)), axis))
    q, k, v = arrays(library, "float64", (2, 401, 3), (2, 397, 3), (2, 397, 2))
    assert near(attention(q, k, v)[0], oracle(q, k, v))


@each("library", LIBRARIES)
@each("dtype", DTYPES)
def test_extreme_scores(library, dtype):
    scores = np.array([[1e4, 0, -1e4], [-1e4, -1e4, -1e4], [6e4, -6e4, 0], [-np.inf, 2, 2]], dtype=dtype)
    weights = plain(softmax(to(library, scores)))
    third = np.array(1 / 3, dtype=dtype)
    assert weights[0].tolist() == [1, 0, 0] and weights[2].tolist() == [1, 0, 0] and weights[3].tolist() == [0, .5, .5]
    assert np.abs(weights[1] - third).max() < TOLERANCE[dtype]
    q, k, v = (to(library, np.array(a, dtype=dtype)) for a in ([[100.0]], [[100.0], [-100], [99]], [[1.0], [2], [3]]))
    assert plain(attention(q, k, v)[0]).tolist() == [[1]] and plain(attention_in_blocks(q, k, v, block_size=1)).tolist() == [[1]]


@each("library", LIBRARIES)
def test_extreme_numbers_do_not_warn(library):
    """Differences that do not fit into the dtype are a weight of zero, without a warning."""
    largest = np.finfo("float32").max
    scores = to(library, np.array([[largest, -largest], [1, 2]], dtype="float32"))
    assert plain(softmax(scores))[0].tolist() == [1, 0]
    assert plain(softmax(scores, temperature=0.5))[0].tolist() == [1, 0]
    smallest = float(np.finfo("float32").smallest_normal)
    assert plain(softmax(to(library, np.zeros(2, "float32")), temperature=smallest)).tolist() == [.5, .5]
    assert plain(softmax(scores, temperature=2e-38))[1].tolist() == [0, 1]
    assert plain(softmax(to(library, np.zeros(2, "float32")), temperature=float(largest))).tolist() == [.5, .5]
    one = to(library, np.ones((2, 1), "float32"))
    far = to(library, np.array([[largest], [-largest]], "float32"))
    assert plain(attention(one, far, one, scale=1)[1])[0].tolist() == [1, 0]
    assert plain(attention_in_blocks(one, far, far, scale=1))[0] == largest
    assert np.isfinite(plain(attention(one * 0, one, one, scale=float(largest))[0])).all()


@each("library", LIBRARIES)
def test_rows_of_minus_infinity_give_zeros(library):
    """Where all scores are minus infinity: zeros, and for torch a gradient of zeros, there alone."""
    scores = np.full((3, 3), -np.inf)
    scores[[0, 0, 2], [0, 2, 0]] = 1.0, 2.0, 3.0      # row 1 and column 1 are empty
    rows, columns = (plain(softmax(to(library, scores), axis=axis)) for axis in (-1, 0))
    assert np.allclose(rows.sum(-1), [1, 0, 1]) and (rows[1] == 0).all()
    assert np.allclose(columns.sum(0), [1, 0, 1]) and (columns[:, 1] == 0).all()
    assert np.allclose(rows[0, [0, 2]], [1 / (1 + math.e), math.e / (1 + math.e)])
    tensor = torch.tensor(scores, requires_grad=True)
    (softmax(tensor) * torch.arange(9.0).reshape(3, 3)).sum().backward()
    p = rows[0, 0]
    assert torch.isfinite(tensor.grad).all() and (tensor.grad[1:] == 0).all()
    assert np.allclose(tensor.grad[0, [0, 2]], [-2 * p * (1 - p), 2 * p * (1 - p)])
    assert np.isnan(plain(softmax(to(library, np.array([np.nan, 1.0]))))).all(), "what is not a number stays so"


def test_many_equal_scores_in_sixteen_bits():
    assert np.allclose(softmax(np.array([0, 8], dtype="float16"), temperature=1e5), 0.5, rtol=1e-3)     # too large for sixteen bits
    weights = softmax(np.zeros(70_000, dtype="float16"))
    assert weights.dtype == "float16" and np.allclose(weights, 1 / 70_000, rtol=0.02)
    assert softmax(np.zeros((2, 3)), axis=np.int64(0)).tolist() == [[0.5] * 3] * 2
    bfloat = softmax(torch.zeros(70_000, dtype=torch.bfloat16))
    assert bfloat.dtype == torch.bfloat16 and torch.allclose(bfloat.float(), torch.tensor(1 / 70_000), rtol=0.02)


def test_minus_infinity_under_a_mask_is_hidden_without_a_warning():
    scores, mask = np.array([[0.0, -np.inf, 0.0]]), np.array([[True, False, True]])
    output, weights = attention(np.ones((1, 2)), np.ones((3, 2)), np.eye(3), mask=mask, score=lambda q, k: scores)
    assert weights.tolist() == output.tolist() == [[0.5, 0.0, 0.5]]



@each("library", LIBRARIES)
def test_products_too_large_for_sixteen_bits(library):
    """300 * 300 * 2 does not fit into float16, but neither it nor the difference of two such is the result."""
    q, v = (to(library, np.array(a, dtype="float16")) for a in ([[300, 300]], [[1], [2], [4]]))
    k = to(library, np.array([[300, 300], [300, 300], [-300, -300]], dtype="float16"))
    assert plain(attention(q, k, v)[0]).tolist() == plain(attention_in_blocks(q, k, v, block_size=1)).tolist() == [[1.5]]


def test_memory_of_attention():
    """numpy holds the n x m numbers of scores and weights once."""
    q, k, v = arrays("numpy", "float32", (1, 1024, 8), (1, 1024, 8), (1, 1024, 8))
    tracemalloc.start()
    attention(q, k, v)
    peak = tracemalloc.get_traced_memory()[1]
    attention_in_blocks(q, k, v, block_size=64)
    tracemalloc.reset_peak()
    attention_in_blocks(q, k, v, block_size=64)
    in_blocks = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1.2 * 1024 * 1024 * 4 and in_blocks < 0.1 * 1024 * 1024 * 4


# ---- attention

@each("library", LIBRARIES)
@each("dtype", DTYPES)
@each("shape", SHAPES)
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


@each("library", LIBRARIES)
@each("dtype", DTYPES)
def test_masks(library, dtype):
    q, k, v = arrays(library, dtype, (2, 5, 3), (2, 7, 3), (2, 7, 11))
    allowed = np.random.default_rng(1).random((2, 5, 7)) < 0.5
    allowed[0, 2] = False        # a query that may look nowhere
    allowed[1, :, 3] = True
    output, weights = attention(q, k, v, mask=to(library, allowed))
    assert near(output, oracle(q, k, v, allowed), dtype)
    assert (plain(weights)[~allowed] == 0).all()
    assert (plain(output)[0, 2] == 0).all() and (plain(weights)[0, 2] == 0).all()
    square = [a[..., :2, :] for a in (q, k, v)]
    assert near(attention_in_blocks(*square, mask=to(library, allowed[:, :2, :2].copy()), block_size=1),
                attention(*square, mask=to(library, allowed[:, :2, :2].copy()))[0], dtype)
    for block in (1, 2, 3, 5, 100):
        assert near(attention_in_blocks(q, k, v, mask=to(library, allowed), block_size=block), output, dtype)
    # True = may attend: the one key that is allowed gets everything.
    only = np.zeros((5, 7), bool)
    only[:, 4] = True
    output, weights = attention(q, k, v, mask=to(library, only))
    assert np.array_equal(plain(output), np.repeat(plain(v)[:, 4:5], 5, axis=1))


@each("library", LIBRARIES)
@each("shape", [(), (7,), (1, 7), (5, 1), (1, 1), (5, 7), (1, 5, 7), (2, 1, 7), (2, 5, 1), (2, 5, 7)])
def test_masks_broadcast(library, shape):
    q, k, v = arrays(library, "float64", (2, 5, 3), (2, 7, 3), (2, 7, 11))
    mask = np.random.default_rng(len(shape)).random(shape) < 0.6
    expected = attention(q, k, v, mask=to(library, np.array(np.broadcast_to(mask, (2, 5, 7)))))
    found = attention(q, k, v, mask=to(library, np.array(mask)))
    assert near(found[0], expected[0]) and near(found[1], expected[1])
    assert near(attention_in_blocks(q, k, v, mask=to(library, np.array(mask)), block_size=3), expected[0])


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
    scored = attention(q, k, v, score=lambda q, k: q @ k.T / math.sqrt(3))
    assert np.allclose(scored[0], oracle(q, k, v), atol=1e-12)
    assert attention(q.astype("float32"), k.astype("float32"), v.astype("float32"), scale=np.float64(2))[0].dtype == "float32"
    # The caller may keep the scores: they are not written over.
    table = np.random.default_rng(3).normal(size=(5, 7))
    before = table.copy()
    attention(q, k, v, score=lambda q, k: table)
    assert np.array_equal(table, before)
    # The widths of query and key are the score's affair.
    assert attention(q[:, :2], k, v, score=lambda q, k: table)[1].shape == (5, 7)
    # Scores may bring batch axes of their own.
    assert attention(q, k, v, score=lambda q, k: np.stack([table] * 4))[0].shape == (4, 5, 2)


@each("library", LIBRARIES)
def test_batch_axes_broadcast(library):
    q, k, v = arrays(library, "float64", (3, 1, 5, 2), (4, 7, 2), (7, 11))
    output, _ = attention(q, k, v)
    assert output.shape == (3, 4, 5, 11) and near(attention_in_blocks(q, k, v, block_size=2), output)
    mask = to(library, np.random.default_rng(0).random((3, 4, 5, 7)) < 0.7)     # every axis from another argument
    assert near(attention_in_blocks(q, k, v, mask=mask, block_size=2), attention(q, k, v, mask=mask)[0])
    v, = arrays(library, "float64", (2, 1, 1, 7, 11))
    assert attention(q, k, v)[0].shape == attention_in_blocks(q, k, v).shape == (2, 3, 4, 5, 11)


# ---- several heads

@each("library", LIBRARIES)
@each("dtype", DTYPES)
@each("bias", [True, False])
@each("heads, width, n, m, d_key, d_value", [(3, 15, 5, 7, 11, 13), (1, 2, 3, 5, 7, 11), (5, 5, 1, 3, 2, 7), (7, 14, 3, 1, 5, 2)])
def test_heads_against_torch(library, dtype, bias, heads, width, n, m, d_key, d_value):
    torch.manual_seed(width)
    theirs = torch.nn.MultiheadAttention(width, heads, bias=bias, kdim=d_key, vdim=d_value, batch_first=True, dtype=torch.double)
    for p in theirs.parameters():
        torch.nn.init.normal_(p, std=0.5)
    weights = [theirs.q_proj_weight.T, theirs.k_proj_weight.T, theirs.v_proj_weight.T, theirs.out_proj.weight.T]
    biases = dict(zip(("b_query", "b_key", "b_value"), theirs.in_proj_bias.chunk(3)), b_output=theirs.out_proj.bias) if bias else {}
    cast = lambda t: to(library, plain(t).astype(dtype))  # noqa: E731
    x = arrays(library, dtype, (2, n, width), (2, m, d_key), (2, m, d_value))
    allowed = np.random.default_rng(2).random((2, heads, n, m)) < 0.7
    allowed[..., 0] = True
    output, found = multi_head_attention(*x, *map(cast, weights), num_heads=heads, mask=to(library, allowed),
                                         **{name: cast(b) for name, b in biases.items()})
    expected, expected_weights = theirs(*(torch.as_tensor(plain(a)).double() for a in x), average_attn_weights=False,
                                        attn_mask=torch.from_numpy(~allowed).reshape(-1, n, m))
    loose = {"float16": 5e-2}.get(dtype, TOLERANCE[dtype] * 4)     # half: the weights themselves were rounded to 3 digits
    assert np.abs(plain(found) - plain(expected_weights)).max() < loose
    assert np.abs(plain(output) - plain(expected)).max() < loose * 4


@each("library", LIBRARIES)
def test_heads_are_attention_through_projections(library):
    """Any width of a head: h = 2 heads of d_k = 5 and d_v = 7 on items of width 3; head after head by hand."""
    x, y, wq, wk, wv, wo, bq, bk, bv, bo = arrays(
        library, "float64", (11, 3), (13, 3), (3, 10), (3, 10), (3, 14), (14, 17), (10,), (10,), (14,), (17,))
    output, weights = multi_head_attention(x, y, y, wq, wk, wv, wo, num_heads=2, b_query=bq, b_key=bk, b_value=bv, b_output=bo)
    total = bo
    for i in range(2):
        k_columns, v_columns = slice(5 * i, 5 * i + 5), slice(7 * i, 7 * i + 7)
        head, by_head = attention(x @ wq[:, k_columns] + bq[k_columns], y @ wk[:, k_columns] + bk[k_columns],
                                  y @ wv[:, v_columns] + bv[v_columns])
        assert near(weights[i], by_head)
        total = total + head @ wo[v_columns]
    assert near(output, total)


@each("library", LIBRARIES)
def test_heads_with_a_score(library):
    x, w, wv, wo, m = arrays(library, "float64", (5, 6), (6, 6), (6, 4), (4, 3), (3, 3))
    output, weights = multi_head_attention(x, x, x, w, w, wv, wo, num_heads=2, score=lambda q, k: attnkit.general(q, k, m))
    again, same = multi_head_attention(x, x, x, w @ to(library, np.kron(np.eye(2), plain(m))), w, wv, wo, num_heads=2, scale=1)
    assert near(output, again) and near(weights, same)
    # A bias of the keys adds the same to all scores of a query: the softmax does not see it. Another score does.
    bk, = arrays(library, "float64", (6,), seed=7)
    biased = lambda **o: multi_head_attention(x, x, x, w, w, wv, wo, num_heads=2, **o)[1]   # noqa: E731
    assert near(biased(b_key=bk), biased()) and not near(biased(b_key=bk, score=attnkit.cosine), biased(score=attnkit.cosine))
    # Without a dot product queries and keys may differ in width.
    zeros = lambda q, k: q[..., :1] @ (k[..., :1].mT * 0)   # noqa: E731
    assert near(multi_head_attention(x, x, x, w[:, :2], w, wv, wo, num_heads=2, score=zeros)[1][1, 0], np.full(5, 0.2))


@each("library", LIBRARIES)
@each("h, g", [(6, 1), (6, 2), (6, 3), (6, 6), (1, 1), (4, 2)])
def test_grouped_heads_against_torch(library, h, g):
    """Queries of d_k = 5 and values of d_v = 7 on items of width 3, 11 and 13, a mask for each head."""
    x, y, z, wq, wk, wv, wo, bq, bk, bv, bo = arrays(
        library, "float64", (2, 5, 3), (2, 7, 11), (2, 7, 13), (3, 5 * h), (11, 5 * g), (13, 7 * g), (7 * h, 17),
        (5 * h,), (5 * g,), (7 * g,), (17,))
    allowed = np.random.default_rng(h * g).random((2, h, 5, 7)) < 0.6
    output, weights = multi_head_attention(x, y, z, wq, wk, wv, wo, num_heads=h, num_key_value_heads=g, mask=to(library, allowed),
                                           b_query=bq, b_key=bk, b_value=bv, b_output=bo)
    queries, keys, values = (torch.as_tensor(plain(a @ w + b)).unflatten(-1, (heads, -1)).transpose(1, 2) for a, w, b, heads in (
        (x, wq, bq, h), (y, wk, bk, g), (z, wv, bv, g)))
    shared = lambda v: oracle(queries, keys, v, allowed, enable_gqa=True)  # noqa: E731
    assert near(output, shared(values).swapaxes(1, 2).reshape(2, 5, -1) @ plain(wo) + plain(bo))
    assert near(weights, shared(torch.eye(7).expand(2, g, 7, 7))), "with the unit vectors as values the output is the weights"


@each("library", LIBRARIES)
def test_grouped_heads_are_repeated_heads(library):
    """As if the columns of a shared head stood in the matrices once for each head of queries: in a score of one's own, too."""
    x, wq, wk, wv, wo, bk, slopes = arrays(library, "float64", (5, 3), (3, 12), (3, 4), (3, 14), (42, 3), (4,), (6,))
    again = lambda a: to(library, plain(a).reshape(*a.shape[:-1], 2, -1).repeat(3, axis=-2).reshape(*a.shape[:-1], -1))  # noqa: E731
    for options in ({}, {"scale": 0.3}, {"score": lambda q, k: attnkit.dot(q, k) + attnkit.alibi(slopes, 5)}):
        output, weights = multi_head_attention(x, x, x, wq, wk, wv, wo, num_heads=6, num_key_value_heads=2, b_key=bk, **options)
        whole, same = multi_head_attention(x, x, x, wq, again(wk), again(wv), wo, num_heads=6, b_key=again(bk), **options)
        assert near(output, whole) and near(weights, same)
    # Without a dot product queries and keys may differ in width here, too.
    zeros = lambda q, k: q[..., :1] @ (k[..., :1].mT * 0)   # noqa: E731
    assert near(multi_head_attention(x, x, x, wq[:, :6], wk, wv, wo, num_heads=6, num_key_value_heads=2, score=zeros)[1],
                np.full((6, 5, 5), 0.2))


@each("library", LIBRARIES)
def test_split_and_merge(library):
    x, = arrays(library, "float64", (2, 5, 21))
    heads = attnkit.split_heads(x, 3)
    assert heads.shape == (2, 3, 5, 7) and near(heads[1, 2], x[1, :, 14:])
    assert near(attnkit.merge_heads(heads), x)
    assert near(attnkit.merge_heads(heads[0]), x[0])


# ---- scores

@each("library", LIBRARIES)
def test_scores(library):
    q, k, w, wq, wk, v = arrays(library, "float64", (2, 5, 3), (2, 7, 11), (3, 11), (3, 13), (11, 13), (13,))
    tq, tk, tw, twq, twk, tv = (torch.as_tensor(plain(a)) for a in (q, k, w, wq, wk, v))
    bilinear = F.bilinear(tq[:, :, None].expand(2, 5, 7, 3).contiguous(), tk[:, None].expand(2, 5, 7, 11).contiguous(), tw[None])
    assert near(attnkit.general(q, k, w), bilinear[..., 0])
    small = [[[sum(tv[c] * math.tanh(tq[b, i] @ twq[:, c] + tk[b, j] @ twk[:, c]) for c in range(13)) for j in range(7)]
              for i in range(5)] for b in range(2)]
    assert near(attnkit.additive(q, k, wq, wk, v), torch.tensor(small))
    shift, = arrays(library, "float64", (13,), seed=1)
    # A bias is one more column of a query, which is always one, and its row of the matrix.
    ones, row = (to(library, a) for a in (np.concatenate([plain(q), np.ones((2, 5, 1))], axis=-1), np.vstack([plain(wq), plain(shift)])))
    assert near(attnkit.additive(q, k, wq, wk, v, shift), attnkit.additive(ones, k, row, wk, v))
    same = k[..., :3]
    assert near(attnkit.cosine(q, same), F.cosine_similarity(tq[:, :, None], tk[:, None, :, :3], dim=-1))
    assert near(attnkit.distance(q, same), -torch.cdist(tq, tk[..., :3].contiguous())**2 / 2)
    assert near(attnkit.dot(q, same), torch.einsum("bid,bjd->bij", tq, tk[..., :3]))
    assert near(attnkit.scaled_dot(q, same), torch.einsum("bid,bjd->bij", tq, tk[..., :3]) / math.sqrt(3))
    assert near(attnkit.scaled_dot(q, same, scale=-2), -2 * torch.einsum("bid,bjd->bij", tq, tk[..., :3]))
    assert near(attnkit.dot(q[0], same), torch.einsum("id,bjd->bij", tq[0], tk[..., :3])), "batch axes broadcast"
    values, = arrays(library, "float64", (2, 7, 2), seed=5)
    assert near(attention(q, same, values, score=attnkit.scaled_dot)[0], attention(q, same, values)[0])


@each("library", LIBRARIES)
@each("dtype", DTYPES)
def test_cosine_of_short_long_and_zero_vectors(library, dtype):
    tiny, huge = float(np.finfo(dtype).smallest_normal), float(np.finfo(dtype).max) / 2
    long = to(library, np.ones((1, 70_000), dtype))
    assert abs(float(attnkit.cosine(long, long)[0, 0]) - 1) < 2e-3, "the sum of the squares does not fit into sixteen bits"
    rows = np.array([[0, 0], [3 * tiny, 4 * tiny], [0.75 * huge, huge], [0, -huge]], dtype=dtype)
    found = plain(attnkit.cosine(to(library, rows), to(library, rows)))
    assert np.abs(found - np.array([[0, 0, 0, 0], [0, 1, 1, -.8], [0, 1, 1, -.8], [0, -.8, -.8, 1]])).max() < TOLERANCE[dtype]


@each("library", LIBRARIES)
@each("dtype", DTYPES)
def test_distance_is_never_above_zero(library, dtype):
    """Not by rounding either: 300 vectors far out, close together. Their squares are too large for sixteen bits."""
    x, = arrays(library, dtype, (300, 5))
    x = x + 200
    found, wide = plain(attnkit.distance(x, x)), torch.as_tensor(plain(x)).double()
    assert found.max() == 0 and near(found, -torch.cdist(wide, wide)**2 / 2, "float16")


# ---- masks and positions

@each("library", LIBRARIES)
def test_mask_makers(library):
    like, = arrays(library, "float64", (1,))
    causal = attnkit.causal_mask(5, like=like)
    assert type(causal) is type(like) and np.array_equal(plain(causal), np.tril(np.ones((5, 5), bool)))
    assert np.array_equal(attnkit.causal_mask(2, 5), np.tril(np.ones((5, 5), bool))[3:])
    q, = arrays(library, "float64", (5, 3))
    assert near(attention(q, q, q, mask=causal)[0], oracle(q, q, q, is_causal=True))
    for radius in (0, 1, 3, 9):
        window = attnkit.window_mask(5, radius, like=like)
        assert attnkit.window_mask(3, 10**30).all()
        assert type(window) is type(like)
        assert plain(window).tolist() == [[abs(i - j) <= radius for j in range(5)] for i in range(5)]
    padding = attnkit.padding_mask([3, 0, 5], like=like)
    assert type(padding) is type(like)
    assert plain(padding).tolist() == [[[j < n for j in range(5)]] for n in (3, 0, 5)]
    assert attnkit.padding_mask(np.array([2, 1]), 7).shape == (2, 1, 7)
    assert all(m.device.type == "meta" for like in [torch.zeros(1, device="meta")] for m in (
        attnkit.causal_mask(2, like=like), attnkit.window_mask(2, 1, like=like), attnkit.padding_mask([1], like=like)))
    assert (plain(causal & window) == plain(causal)).all() and isinstance(attnkit.window_mask(2, 1), np.ndarray)


@each("library", LIBRARIES)
@each("dtype", DTYPES)
def test_sinusoidal(library, dtype):
    like, = arrays(library, dtype, (1,))
    found = attnkit.sinusoidal(7, 6, base=100, like=like)
    expected = [[(math.sin, math.cos)[c % 2](p / 100 ** ((c - c % 2) / 6)) for c in range(6)] for p in range(7)]
    assert type(found) is type(like) and found.dtype == like.dtype and near(found, np.array(expected), dtype)
    assert np.allclose(attnkit.sinusoidal(7, 6, base=1.5), [[(math.sin, math.cos)[c % 2](p / 1.5 ** ((c - c % 2) / 6))
                                                            for c in range(6)] for p in range(7)])
    assert np.array_equal(attnkit.sinusoidal(7, 6), attnkit.sinusoidal(7, 6, base=10_000))
    # Moving one place on is one and the same turn, from wherever one starts.
    waves = attnkit.sinusoidal(50, 8)
    turn = np.linalg.lstsq(waves[:-1], waves[1:], rcond=None)[0]
    assert np.abs(waves[:-1] @ turn - waves[1:]).max() < 1e-9 and np.allclose(waves[3, :2], [math.sin(3), math.cos(3)])


@each("library", LIBRARIES)
def test_rotary(library):
    x, = arrays(library, "float64", (2, 5, 6))
    # The oracle: each pair as a complex number, turned by exp(i angle).
    pairs = torch.view_as_complex(torch.as_tensor(plain(x)).reshape(2, 5, 3, 2).contiguous())
    angles = torch.arange(5.0, dtype=torch.double)[:, None] * 10_000 ** -(torch.arange(3.0, dtype=torch.double) / 3)
    assert near(attnkit.rotary(x), torch.view_as_real(pairs * torch.exp(1j * angles)).reshape(2, 5, 6))
    # Only the distance matters.
    q, k = arrays(library, "float64", (1, 6), (1, 6), seed=4)
    at = lambda a, p: attnkit.rotary(a, positions=[p], base=50)   # noqa: E731
    scores = [plain(attnkit.dot(at(q, p + 3), at(k, p)))[0, 0] for p in (0, 1, 17.5, 400)]
    assert np.ptp(scores) < 1e-12 and abs(scores[0] - plain(attnkit.dot(at(q, 2), at(k, 0)))[0, 0]) > 1e-3
    assert near(attnkit.rotary(x, positions=to(library, np.arange(5.0))), attnkit.rotary(x))


@each("library", LIBRARIES)
@each("seed", range(20))
def test_relative_bias(library, seed):
    rng = np.random.default_rng(seed)
    h, n, m, reach = 2, int(rng.integers(1, 8)), int(rng.integers(8, 14)), int(rng.integers(0, 9))
    table, = arrays(library, "float64", (h, 2 * reach + 1), seed=seed)
    found = plain(attnkit.relative_bias(table, n, m))
    # The oracle: one number after the other. Queries are the last n of the m places.
    for head, i, j in np.ndindex(h, n, m):
        distance = max(-reach, min(reach, j - (m - n + i)))
        assert found[head, i, j] == plain(table)[head, reach + distance]
    # Shift invariance: the bias of m places is a corner of that of any more places, and equal along each diagonal.
    square = plain(attnkit.relative_bias(table, m))
    assert np.array_equal(square[:, 1:, 1:], square[:, :-1, :-1]) and np.array_equal(square[:, m - n:], found)
    assert np.array_equal(plain(attnkit.relative_bias(table, m + 3))[:, 3:, 3:], square)


def test_relative_bias_is_that_of_t5_without_buckets():
    # As transformers' T5 reads its table: memory position minus context position chooses a row of (distances, heads).
    table = torch.randn(9, 2, generator=torch.Generator().manual_seed(0), dtype=torch.double)
    context, memory = torch.arange(6)[:, None], torch.arange(6)[None, :]
    expected = torch.nn.functional.embedding((memory - context).clamp(-4, 4) + 4, table).permute(2, 0, 1)
    assert torch.equal(attnkit.relative_bias(table.T, 6), expected)


def test_relative_bias_learns_from_every_place_it_is_used():
    table = torch.zeros(7, dtype=torch.double, requires_grad=True)
    attnkit.relative_bias(table, 5).sum().backward()
    assert table.grad.tolist() == [3, 3, 4, 5, 4, 3, 3]          # 25 pairs; beyond three places the ends serve again


@each("library", LIBRARIES)
def test_alibi(library):
    slopes = attnkit.alibi_slopes(8, like=arrays(library, "float64", (1,))[0])
    assert np.allclose(plain(slopes), [1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64, 1 / 128, 1 / 256], rtol=1e-15)
    assert np.allclose(plain(attnkit.alibi_slopes(16))[[1, 3]], [1 / 2, 1 / 4]) and len(attnkit.alibi_slopes(3)) == 3
    found = plain(attnkit.alibi(slopes, 5, 7))
    for head, i, j in np.ndindex(8, 5, 7):
        assert found[head, i, j] == -plain(slopes)[head] * abs(j - (i + 2))
    square = plain(attnkit.alibi(slopes, 9))
    assert np.array_equal(square[:, 1:, 1:], square[:, :-1, :-1]) and np.array_equal(square, square.swapaxes(1, 2))
    # The paper writes m (-(i - 1), ..., -1, 0) into the row of query i; what lies in the future is masked. A constant in
    # a row changes nothing, so it may as well be m (0, 1, ..., i - 1), as programs have it.
    q, k, v = arrays(library, "float64", (8, 6, 4), (8, 6, 4), (8, 6, 3))
    past = attnkit.causal_mask(6, like=q)
    ours = attention(q, k, v, mask=past, score=lambda q, k: attnkit.scaled_dot(q, k) + attnkit.alibi(slopes, 6))[1]
    ramp = to(library, np.arange(6.0))
    theirs = attention(q, k, v, mask=past, score=lambda q, k: attnkit.scaled_dot(q, k) + slopes[:, None, None] * ramp)[1]
    assert near(ours, theirs)


@each("library", LIBRARIES)
def test_relative_schemes_see_the_distance_only(library):
    """Moved along by any number of places, a sentence has the same weights; with added positions it has not."""
    q, k = arrays(library, "float64", (5, 6), (5, 6), seed=1)
    table, = arrays(library, "float64", (21,), seed=2)
    everything, slopes = to(library, np.zeros((12, 6))), to(library, np.array(0.3))

    def padded(x, start):
        x = plain(x)
        return to(library, np.concatenate([plain(everything)[:start], x, plain(everything)[:7 - start]]))

    schemes = {
        "relative bias": lambda q, k: attnkit.scaled_dot(q, k) + attnkit.relative_bias(table, 12),
        "alibi": lambda q, k: attnkit.scaled_dot(q, k) + attnkit.alibi(slopes, 12),
        "rotary": lambda q, k: attnkit.scaled_dot(attnkit.rotary(q), attnkit.rotary(k)),
        "sinusoidal": lambda q, k: attnkit.scaled_dot(q + attnkit.sinusoidal(12, 6, like=q), k + attnkit.sinusoidal(12, 6, like=k)),
    }
    for name, score in schemes.items():
        found = [plain(score(padded(q, start), padded(k, start)))[start:start + 5, start:start + 5] for start in (0, 3, 7)]
        moved = max(np.abs(f - found[0]).max() for f in found)
        assert moved > 0.1 if name == "sinusoidal" else moved < 1e-12, (name, moved)


# ---- equivalences

@each("library", LIBRARIES)
@each("seed", range(50))
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


CONVOLUTIONS = [(axes, k, padding, dilation, grouped) for axes in (1, 2) for k in (1, 3, 5, 7) for padding in ("zeros", "circular", "replicate")
                for dilation in (1, 2) for grouped in (False, True)] + [(3, 3, "zeros", 1, False)]


@each("library", LIBRARIES)
@each("axes, k, padding, dilation, grouped", CONVOLUTIONS)
def test_convolution(library, axes, k, padding, dilation, grouped):
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
    assert np.abs(plain(output) - plain(expected.reshape(2, 6, -1).mT)).max() < 1e-12
    assert heads["num_heads"] == math.prod(kernel_shape) and set(np.unique(plain(weights))) <= {0.0, 1.0}


def test_dilation_larger_than_the_picture():
    x, kernel = arrays("numpy", "float64", (5, 2), (4, 2, 3))
    step = 2**63 - 1
    alone, _ = multi_head_attention(x, x, x, **attnkit.convolution_as_attention(kernel, shape=(5,), dilation=step))
    assert near(alone, x @ kernel[:, :, 1].T)
    around, _ = multi_head_attention(x, x, x, **attnkit.convolution_as_attention(kernel, shape=(5,), dilation=step, padding="circular"))
    same, _ = multi_head_attention(x, x, x, **attnkit.convolution_as_attention(kernel, shape=(5,), dilation=step % 5, padding="circular"))
    assert near(around, same)
    # Exactly as large as the picture: out of it.
    assert near(multi_head_attention(x, x, x, **attnkit.convolution_as_attention(kernel, shape=(5,), dilation=5))[0], alone)


def test_convolution_without_bias():
    x, kernel = arrays("numpy", "float64", (7, 2), (5, 2, 3))
    output, _ = multi_head_attention(x, x, x, **attnkit.convolution_as_attention(kernel, shape=(7,)))
    expected = F.conv1d(torch.as_tensor(x.T)[None], torch.as_tensor(kernel), padding=1)[0].T
    assert near(output, expected)


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


@each("library", LIBRARIES)
def test_window_attention_broadcasts_and_bears_large_scores(library):
    q, k, v = arrays(library, "float64", (3, 1, 7, 2), (4, 7, 2), (7, 11), size=40)
    expected, _ = attention(q, k, v, mask=attnkit.window_mask(7, 2, like=q))
    found = attnkit.window_attention(q, k, v, window=2, block_size=3)
    assert found.shape == (3, 4, 7, 11) and near(found, expected)
    # The products do not fit into sixteen bits; each query sees itself and what was before.
    x, value = (to(library, np.array(a, dtype="float16")) for a in ([[300, 300]] * 2 + [[-300, -300]], [[1], [2], [4]]))
    assert plain(attnkit.window_attention(x, x, value, window=1, causal=True)).tolist() == [[1], [1.5], [4]]


@each("causal", [False, True])
def test_window_attention_does_not_look_far(causal):
    """What no query of a block may see is not computed with, and memory grows with n."""
    q, k, v = arrays("numpy", "float32", (1024, 8), (1024, 8), (1024, 8))
    call = lambda v, n=1024: attnkit.window_attention(q[:n], k[:n], v[:n], window=20, causal=causal, block_size=16)  # noqa: E731
    broken = v.copy()
    broken[480] = np.nan                    # in the block 480 to 495; 20 places reach into two more on either side
    output, touched = call(v), call(broken)
    wrong = np.flatnonzero(np.isnan(touched).any(axis=1))
    assert wrong.min() == (480 if causal else 448) and wrong.max() == 511
    untouched = np.setdiff1d(np.arange(1024), wrong)
    assert np.array_equal(output[untouched], touched[untouched])

    peaks = []
    for n in (512, 1024):
        tracemalloc.start()
        call(v, n)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 2.2 * peaks[0] and peaks[1] < 0.1 * 1024 * 1024 * 4


@each("library", LIBRARIES)
@each("feature", [None, lambda x: x * x + 0.5, lambda x: (x * x)[..., :2]])
def test_linear_attention(library, feature):
    q, k, v = arrays(library, "float64", (2, 5, 3), (2, 7, 3), (2, 7, 11))
    mapped = feature or (lambda x: torch.nn.functional.elu(torch.as_tensor(plain(x))) + 1)
    shares = plain(mapped(q)) @ plain(mapped(k)).swapaxes(-1, -2)
    assert near(attnkit.linear_attention(q, k, v, feature_map=feature), shares / shares.sum(-1, keepdims=True) @ plain(v))
    k, v = k[:, :5], v[:, :5]
    shares = shares[..., :5] * np.tril(np.ones((5, 5)))
    expected = shares / shares.sum(-1, keepdims=True) @ plain(v)
    assert near(attnkit.linear_attention(q, k, v, feature_map=feature, causal=True), expected)
    output, memory = attnkit.fast_weight_attention(q, k, v, feature_map=feature)
    assert near(output, expected) and near(memory, plain(mapped(k)).swapaxes(-1, -2) @ plain(v))


# Where the queries lie, and where the keys: each around one of these, so that a later key may be far larger or smaller.
FAR = [("float32", -44, [-44]), ("float32", -50, [-51]), ("float32", -110, [-300, -110, -100]), ("float32", 0, [-110, 0]), ("float32", 1e20, [1e20, -50]),
       ("float64", -800, [-800, 3, -800]), ("float64", 1e160, [1e160])]


def test_linear_attention_of_features_that_are_very_small_or_large():
    """Against logarithms in float64: no feature is too small or too large to count, forward and backward."""
    rng = np.random.default_rng(0)
    for dtype, there, around in FAR:
        centres = (np.resize(np.repeat(at, -(-70 // len(at))), 70)[:, None] for at in ([there], around))
        q, k = (torch.tensor(rng.normal(centre, np.maximum(2, centre / 4), (70, 2)), dtype=getattr(torch, dtype)) for centre in centres)
        v = torch.tensor(rng.normal(size=(70, 3)), dtype=q.dtype)
        for causal, functions in ((False, [attnkit.linear_attention]),
                                  (True, [partial(attnkit.linear_attention, causal=True), lambda *a: attnkit.fast_weight_attention(*a)[0]])):
            wide = [x.double().clone().requires_grad_() for x in (q, k, v)]
            logs = [torch.where(x > 0, x.clamp(min=0).log1p(), x) for x in wide[:2]]
            scores = torch.logsumexp(logs[0][:, None] + logs[1], -1)
            expected = (scores.masked_fill(~torch.ones(70, 70).tril().bool(), -torch.inf) if causal else scores).softmax(-1) @ wide[2]
            slopes = torch.autograd.grad(expected.square().sum(), wide)
            for function in functions:
                given = [x.clone().requires_grad_() for x in (q, k, v)]
                found = function(*given)
                assert near(found, expected, dtype), (dtype, there, around, causal)
                for ours, theirs in zip(torch.autograd.grad(found.square().sum(), given), slopes):
                    assert near(ours / theirs.abs().max(), theirs / theirs.abs().max(), dtype), (dtype, there, around, causal)
                assert near(function(*map(plain, (q, k, v))), expected, dtype), (dtype, there, around, causal)


def test_feature_map_at_zero():
    """elu(x) + 1 has slope 1 at 0, from both sides; attention to two keys, values 0 and 1, both at 0."""
    key = torch.zeros(2, 1, dtype=torch.double, requires_grad=True)
    value = torch.tensor([[0.0], [1.0]], dtype=torch.double)
    attnkit.linear_attention(torch.ones(1, 1, dtype=torch.double), key, value).sum().backward()
    assert key.grad.flatten().tolist() == [-0.25, 0.25]      # share 1/2: d(b / (a + b)) = (-b, a) / (a + b)^2


@each("library", LIBRARIES)
def test_linear_attention_without_mass(library):
    x = to(library, np.ones((3, 2)))
    nothing = lambda x: x * 0     # noqa: E731
    for result in (attnkit.linear_attention(x, x, x, feature_map=nothing), attnkit.linear_attention(x, x, x, feature_map=nothing, causal=True),
                   attnkit.fast_weight_attention(x, x, x, feature_map=nothing)[0]):
        assert (plain(result) == 0).all()


@each("library", LIBRARIES)
@each("rate", [0.0, 0.3, 1.0])
def test_delta_rule_is_a_step_down_the_error(library, rate):
    """Each write is a gradient step on half the squared error of what the memory holds for the key."""
    q, k, v = arrays(library, "float64", (2, 5, 3), (2, 5, 3), (2, 5, 7))
    output, memory = attnkit.delta_rule_attention(q, k, v, rate=rate)
    queries, keys, values = (torch.as_tensor(plain(x)) for x in (q, k, v))
    for b in range(2):
        held = torch.zeros(3, 7, dtype=torch.double)
        for i in range(5):
            held.requires_grad_()
            slope, = torch.autograd.grad(((keys[b, i] @ held - values[b, i]) ** 2).sum() / 2, held)
            held = (held - rate * slope).detach()
            assert near(output[b, i], queries[b, i] @ held)
        assert near(memory[b], held)
    assert (rate == 0) == (not plain(memory).any())


@each("library", LIBRARIES)
def test_delta_rule_keeps_the_last_value_of_a_key(library):
    """Of keys at right angles each has its last value; a sum has all of them. Without repetition the two are the same."""
    axes, values = np.linalg.qr(np.random.default_rng(0).normal(size=(4, 4)))[0], np.arange(24.0).reshape(6, 4)
    key, value = to(library, axes[[0, 1, 2, 1, 3, 0]]), to(library, values)
    _, memory = attnkit.delta_rule_attention(key, key, value)
    assert near(plain(memory), axes.T @ values[[5, 3, 2, 4]])
    _, memory = attnkit.delta_rule_attention(key[:3], key[:3], value[:3])
    _, added = attnkit.fast_weight_attention(key[:3], key[:3], value[:3], feature_map=lambda x: x)
    assert near(memory, added)


# ---- gates

@each("library", LIBRARIES)
def test_gates(library):
    x, w, u, p, b, c, d = arrays(library, "float64", (2, 5, 7), (7, 3), (3, 7), (7, 1), (3,), (7,), (1,))
    t, tw, tu, tp, tb, tc, td = (torch.as_tensor(plain(a)) for a in (x, w, u, p, b, c, d))
    picture = t.mT.reshape(2, 7, 5, 1)            # torch's layout: channels first
    gates = torch.sigmoid(F.linear(F.relu(F.linear(F.adaptive_avg_pool2d(picture, 1).flatten(1), tw.T, tb)), tu.T, tc))
    output, found = attnkit.channel_attention(x, w, u, b_squeeze=b, b_excite=c)
    assert near(found, gates[:, None]) and near(output, t * gates[:, None])
    places = torch.sigmoid(F.conv2d(picture, tp.T[:, :, None, None], td)).reshape(2, 5, 1)
    output, found = attnkit.spatial_attention(x, p, bias=d)
    assert near(found, places) and near(output, t * places)
    both, product = attnkit.channel_and_spatial_attention(x, w, u, p, b_squeeze=b, b_excite=c, bias=d)
    again = attnkit.spatial_attention(attnkit.channel_attention(x, w, u, b_squeeze=b, b_excite=c)[0], p, bias=d)
    assert near(both, again[0]) and near(product, plain(again[1]) * plain(gates[:, None])) and near(both, x * product)
    if library == "torch":      # at zero, too, the gradient is torch's
        slopes = []
        for squeeze in (lambda x, w: attnkit.channel_attention(x, w, u)[0],
                        lambda x, w: x * torch.sigmoid(F.relu(x.mean(1, keepdim=True) @ w) @ u)):
            flat = torch.zeros(7, 3, dtype=torch.double, requires_grad=True)
            squeeze(x, flat).sum().backward()
            slopes.append(flat.grad)
        assert torch.equal(*slopes)
    hole = to(library, np.where(np.arange(70).reshape(2, 5, 7) == 0, np.nan, plain(x)))
    assert np.isnan(plain(attnkit.channel_attention(hole, w, u)[1])[0]).all(), "what is not a number is not hidden"
    zero = attnkit.channel_attention(x, w * 0, u * 0)[1]
    assert near(zero, np.full((2, 1, 7), 0.5)) and near(attnkit.spatial_attention(x, p * 0)[1], np.full((2, 5, 1), 0.5))
    assert np.isfinite(plain(attnkit.spatial_attention(x * 1e4, p)[1])).all()


# ---- how it is computed

def test_long_double_bears_large_scores():
    """Its largest number is too large for a float of Python's: scores from which exp overflows in it are shifted, too."""
    one, mask = np.eye(2, dtype=np.longdouble), np.ones((2, 2), bool)
    value = np.array([[1], [2]], np.longdouble)
    for score in (6_000, 12_000, 10**6):
        query = score * one
        for name, found in (("plain", attention(query, one, value, scale=1)[0]), ("masked", attention(query, one, value, mask=mask, scale=1)[0]),
                            ("score", attention(query, one, value, score=attnkit.dot)[0]), ("blocks", attention_in_blocks(query, one, value, scale=1, block_size=1)),
                            ("window", attnkit.window_attention(query, one, value, window=1, scale=1)), ("softmax", softmax(query) @ value)):
            assert np.array_equal(found, value), (name, score)
    for name, (call, shapes) in CALLS.items():
        found = leaves(call(*arrays("numpy", np.longdouble, *shapes, size=200.0)))
        assert all(x.dtype == np.longdouble and np.isfinite(x).all() for x in found), name


@each("masked", [False, True])
@each("dtype", ["float32", "float64"])
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


@each("g", [2, 1])
def test_many_heads_at_once_by_vmap(g):
    """multi_head_attention under torch.func.vmap, over a batch and over parameters with their biases."""
    torch.manual_seed(0)
    names = [f"{kind}_{name}" for kind in "wb" for name in ("query", "key", "value", "output")]
    shapes = [(4, 6), (4, 3 * g), (4, 3 * g), (6, 4), (6,), (3 * g,), (3 * g,), (4,)]
    x, parameters = torch.randn(3, 5, 4), {name: torch.randn(3, *shape) for name, shape in zip(names, shapes)}

    def heads(x, parameters):
        return multi_head_attention(x, x, x, num_heads=2, num_key_value_heads=g, **parameters)
    for over in ((0, 0), (None, 0), (0, None)):
        takes = [(lambda value, i, along=along: value if along is None else value[i]) for along in over]
        given = (x if over[0] == 0 else x[0], parameters if over[1] == 0 else {n: p[0] for n, p in parameters.items()})
        output, weights = torch.func.vmap(heads, in_dims=over)(*given)
        for i in range(3):
            alone = heads(takes[0](given[0], i), {name: takes[1](value, i) for name, value in given[1].items()})
            assert near(output[i], alone[0], "float32") and near(weights[i], alone[1], "float32")


# ---- the package

def test_importing_attnkit_does_not_import_torch():
    code = ("import sys, attnkit, bookkit.pictures.draw, bookkit.pictures.plots, bookkit.figures, numpy as np; x = np.ones((2, 2)); "
            "attnkit.attention(x, x, x); dir(attnkit); sys.exit('torch' in sys.modules)")
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_public_names():
    assert set(attnkit.__all__) | {"modules"} <= set(dir(attnkit)) and attnkit.modules.MultiHeadAttention
    with pytest.raises(AttributeError, match="module 'attnkit' has no attribute 'atention'"):
        attnkit.atention  # noqa: B018
