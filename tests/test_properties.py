"""What must hold for any numbers and any sizes; hypothesis looks for those for which it does not."""

import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sample import arrays, near, plain, to

import attnkit
from attnkit import attention, attention_in_blocks, multi_head_attention, softmax
from attnkit.modules import MultiHeadAttention

settings.register_profile("book", max_examples=60, deadline=None, derandomize=True, database=None)
settings.load_profile("book")
library = st.sampled_from(["numpy", "torch"])
seed = st.integers(0, 10_000)
size = st.integers(1, 9)
spread = st.sampled_from([0.0, 1e-6, 1.0, 30.0, 1e4])     # of the numbers: all equal, alike, usual, far apart


@given(library, seed, size, size, spread, st.floats(1e-3, 1e3))
def test_weights_are_nonnegative_and_sum_to_one(library, seed, n, m, spread, temperature):
    scores, = arrays(library, "float64", (n, m), seed=seed, size=spread)
    weights = plain(softmax(scores, temperature=temperature))
    assert (weights >= 0).all() and np.abs(weights.sum(-1) - 1).max() < 1e-12
    ranks = np.argsort(plain(scores), axis=-1)
    assert (np.diff(np.take_along_axis(weights, ranks, -1), axis=-1) >= 0).all(), "a higher score, no smaller weight"


@given(library, seed, size, size, spread, st.floats(-1e4, 1e4))
def test_only_differences_of_scores_count(library, seed, n, m, spread, shift):
    scores, = arrays(library, "float64", (n, m), seed=seed, size=spread)
    # The sum itself is rounded, by up to half a unit in the last place of the largest number.
    rounding = 1e-15 * (abs(shift) + float(abs(plain(scores)).max()))
    assert np.abs(plain(softmax(scores + shift)) - plain(softmax(scores))).max() <= 4 * rounding + 1e-14


@given(library, seed, size, size, size, size, spread)
def test_outputs_lie_in_the_hull(library, seed, n, m, d_k, d_v, spread):
    """In any direction no output goes further than the furthest value."""
    q, k, v, direction = arrays(library, "float64", (n, d_k), (m, d_k), (m, d_v), (d_v, 1), seed=seed, size=spread)
    output, weights = attention(q, k, v)
    reach, furthest = plain(output @ direction), plain(v @ direction)
    slack = 1e-12 * max(1, spread**2)
    assert reach.max() <= furthest.max() + slack and reach.min() >= furthest.min() - slack
    assert near(output, plain(weights) @ plain(v))


@given(library, seed, size, size, size)
def test_permuting_keys_with_values_changes_nothing(library, seed, n, m, d):
    """Permuting keys together with values, and the mask's columns, changes nothing but the order of the weights."""
    q, k, v = arrays(library, "float64", (n, d), (m, d), (m, d), seed=seed)
    rng = np.random.default_rng(seed)
    order, mask = rng.permutation(m), rng.random((n, m)) < 0.7
    output, weights = attention(q, k, v, mask=to(library, mask))
    again, moved = attention(q, k[order], v[order], mask=to(library, mask[:, order]))
    assert near(again, output) and near(moved, plain(weights)[:, order])


@given(library, seed, size, size, st.integers(1, 4))
def test_permuted_items_permute_outputs(library, seed, n, d, heads):
    x, wq, wk, wv, wo = arrays(library, "float64", (n, d), (d, 3 * heads), (d, 3 * heads), (d, 2 * heads), (2 * heads, d), seed=seed)
    order = np.random.default_rng(seed).permutation(n)
    whole, weights = multi_head_attention(x, x, x, wq, wk, wv, wo, num_heads=heads)
    y = x[order]
    moved, moved_weights = multi_head_attention(y, y, y, wq, wk, wv, wo, num_heads=heads)
    assert near(moved, plain(whole)[order]) and near(moved_weights, plain(weights)[:, order][:, :, order])


@given(library, seed, st.integers(2, 9), size, st.data())
def test_causal_outputs_do_not_depend_on_later_items(library, seed, n, d, data):
    x, = arrays(library, "float64", (n, d), seed=seed)
    now = data.draw(st.integers(0, n - 2))
    changed = plain(x).copy()
    changed[now + 1:] += 100
    changed = to(library, changed)
    mask = attnkit.causal_mask(n, like=x)
    for call in (lambda x: attention(x, x, x, mask=mask)[0], lambda x: attention_in_blocks(x, x, x, mask=mask, block_size=2),
                 lambda x: attnkit.window_attention(x, x, x, window=n, causal=True, block_size=2),
                 lambda x: attnkit.linear_attention(x, x, x, causal=True), lambda x: attnkit.fast_weight_attention(x, x, x)[0]):
        assert np.array_equal(plain(call(x))[:now + 1], plain(call(changed))[:now + 1])
        assert not np.array_equal(plain(call(x))[now + 1:], plain(call(changed))[now + 1:])
    # Going on from kept keys gives the last rows.
    last, _ = attention(x[-1:], x, x, mask=attnkit.causal_mask(1, n, like=x))
    assert near(last, plain(attention(x, x, x, mask=mask)[0])[-1:])


@given(library, seed, size, size, size, size, st.integers(1, 10), st.floats(0, 1), spread)
def test_attention_in_blocks_equals_attention(library, seed, n, m, d_k, d_v, block, share, spread):
    q, k, v = arrays(library, "float64", (n, d_k), (m, d_k), (m, d_v), seed=seed, size=min(spread, 100))
    mask = to(library, np.random.default_rng(seed).random((n, m)) < share)
    assert near(attention_in_blocks(q, k, v, mask=mask, block_size=block), attention(q, k, v, mask=mask)[0])
    assert near(attention_in_blocks(q, k, v, block_size=block), attention(q, k, v)[0])


@given(library, seed, size, size, size, st.integers(0, 10), st.integers(1, 10), st.booleans(), spread)
def test_window_attention_equals_masked_attention(library, seed, n, d_k, d_v, window, block, causal, spread):
    q, k, v = arrays(library, "float64", (n, d_k), (n, d_k), (n, d_v), seed=seed, size=min(spread, 100))
    mask = attnkit.window_mask(n, window, like=q)
    mask = mask & attnkit.causal_mask(n, like=q) if causal else mask
    found = attnkit.window_attention(q, k, v, window=window, causal=causal, block_size=block)
    assert near(found, attention(q, k, v, mask=mask)[0])


@given(library, seed, size, size, size, spread)
def test_fast_weights_equal_causal_linear_attention(library, seed, n, d_k, d_v, spread):
    q, k, v = arrays(library, "float64", (n, d_k), (n, d_k), (n, d_v), seed=seed, size=min(spread, 30))
    output, _ = attnkit.fast_weight_attention(q, k, v)
    assert near(output, attnkit.linear_attention(q, k, v, causal=True))
    assert near(output[-1:], attnkit.linear_attention(q[-1:], k, v))


@given(st.integers(1, 4), st.integers(1, 4), st.booleans())
def test_parameters_do_not_depend_on_the_number_of_heads(heads, width, bias):
    d = 12 * width
    count = sum(p.numel() for p in MultiHeadAttention(d, heads, bias=bias).parameters())
    assert count == 4 * d * d + (4 * d if bias else 0) == sum(p.numel() for p in torch.nn.MultiheadAttention(d, heads, bias=bias).parameters())


@settings(max_examples=20)
@given(seed, size, size, size, st.integers(1, 3))
def test_gradients(seed, n, m, d, heads):
    q, k, wq, wk, wv, wo = (a.requires_grad_() for a in arrays(
        "torch", "float64", (n, d), (m, d), (d, 2 * heads), (d, 2 * heads), (d, 3 * heads), (3 * heads, d), seed=seed))
    mask = torch.from_numpy(np.random.default_rng(seed).random((n, m)) < 0.7)
    assert torch.autograd.gradcheck(
        lambda q, k, *w: multi_head_attention(q, k, k, *w, num_heads=heads, mask=mask)[0], (q, k, wq, wk, wv, wo), fast_mode=True)
    assert torch.autograd.gradcheck(lambda q, k: attention_in_blocks(q, k, k, mask=mask, block_size=2), (q, k), fast_mode=True)


@given(library, seed, size, size, size, spread)
def test_masked_keys_are_as_if_left_out(library, seed, n, m, d, spread):
    q, k, v = arrays(library, "float64", (n, d), (m, d), (m, d), seed=seed, size=spread)
    keep = np.random.default_rng(seed).random(m) < 0.5
    keep[0] = True
    output, weights = attention(q, k, v, mask=to(library, keep))
    less, fewer = attention(q, k[keep], v[keep])
    assert near(output, less) and near(plain(weights)[:, keep], fewer) and (plain(weights)[:, ~keep] == 0).all()
