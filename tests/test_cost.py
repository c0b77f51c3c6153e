"""What attention costs, counted again: operations by torch, weights by masks, bytes by a cache; and what memories hold."""

import re

import numpy as np
import pytest
import torch
from conftest import ROOT
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

from attnkit import attention, causal_mask, window_mask
from attnkit.lessons.costs import (
    MODELS,
    LayerOperations,
    cache_bytes,
    count_weights,
    layer_operations,
    quadratic_share,
    weights_bytes,
)
from attnkit.lessons.memory_capacity import MEMORIES, FullTableTask, capacity, random_orders, share_recalled
from attnkit.lessons.recall import recall_tables
from attnkit.lessons.storyteller import KeyValueCache, Storyteller
from attnkit.modules import MultiHeadAttention


def close(a, b):
    return a.shape == b.shape and (a - b).abs().max() < 1e-12


# ---- the bill

class Counting(TorchDispatchMode):
    """Counts the multiplications of matrix products while it is on."""

    count = 0

    def __torch_dispatch__(self, operation, types, arguments=(), named=None):
        found = operation(*arguments, **(named or {}))
        if operation.overloadpacket in (torch.ops.aten.mm, torch.ops.aten.bmm):
            self.count += found.numel() * arguments[0].shape[-1]
        return found


@pytest.mark.parametrize("n, d, heads", [(5, 6, 1), (7, 6, 3), (12, 8, 2)])
def test_operations_of_a_layer_are_those_that_torch_does(n, d, heads):
    x, layer = torch.randn(n, d), MultiHeadAttention(d, heads, bias=False)
    with Counting() as counted, torch.no_grad():
        layer(x)
    expected = layer_operations(n, d)
    assert counted.count == sum(expected) and expected.scores == expected.blend == n * n * d
    with Counting() as counted, torch.no_grad():
        nn.Sequential(nn.Linear(d, 11, bias=False), nn.Linear(11, d, bias=False))(x)
    assert layer_operations(n, d, hidden=11) == LayerOperations(*expected[:3], mlp=counted.count)
    assert quadratic_share(n, d) == pytest.approx(n / (n + 2 * d)) and quadratic_share(n, d, hidden=11) < quadratic_share(n, d)
    assert quadratic_share(2 * d, d) == 0.5


@pytest.mark.parametrize("n", [1, 2, 7, 30])
@pytest.mark.parametrize("causal", [False, True])
def test_weights_are_what_a_mask_leaves(n, causal):
    allowed = causal_mask(n) if causal else np.ones((n, n), bool)
    assert count_weights(n, heads=3, causal=causal) == 3 * allowed.sum()
    for window in (0, 1, 3, 6, 29, 30, 100):
        assert count_weights(n, window=window, causal=causal) == (allowed & window_mask(n, window)).sum()
    weights = attention(np.ones((2, n, 3), "float32"), np.ones((2, n, 3), "float32"), np.ones((2, n, 3), "float32"))[1]
    assert weights_bytes(n, heads=2) == weights.nbytes


def test_bytes_of_caches():
    """Those of a storyteller's cache; and of large models, whose grouped heads and compressed words save what they say."""
    model, cache = Storyteller(["a", "b"], width=12, num_heads=3, num_layers=2).double(), KeyValueCache()
    model(torch.tensor([[0, 1, 1, 0]]), cache)
    assert sum(x.nbytes for pair in cache.seen.values() for x in pair) == cache_bytes(4, 2, 3, 4, bytes_each=8)
    llama, deepseek = MODELS["Llama 3 70B"], MODELS["DeepSeek-V2"]
    assert llama.cache_bytes(10) * llama.heads == cache_bytes(10, llama.layers, llama.heads, llama.head_width) * llama.kv_heads
    # "equal to GQA with only 2.25 groups" (DeepSeek-AI, 2024, table 1)
    assert deepseek.cache_bytes(8, 1) == 2.25 * cache_bytes(8, deepseek.layers, 1, deepseek.head_width, 1)
    keys = re.findall(r"^@\w+\{(\w+),", (ROOT / "references.bib").read_text(encoding="utf-8"), flags=re.M)
    for name, size in MODELS.items():
        assert size.source in keys and size.heads % size.kv_heads == 0, name
        assert size.heads * size.head_width == size.width or size.latent, name


@pytest.mark.parametrize("call, error, message", [
    (lambda: layer_operations(0, 4), ValueError, "^n must be at least 1"), (lambda: layer_operations(4, 2.0), TypeError, "^d must be an integer"),
    (lambda: count_weights(4, heads=0), ValueError, "^heads"), (lambda: count_weights(4, window=-1), ValueError, "^window"),
    (lambda: cache_bytes(4, 2, 0, 8), ValueError, "^kv_heads"), (lambda: weights_bytes(4, bytes_each=0), ValueError, "^bytes_each"),
    (lambda: MODELS["DeepSeek-V2"].cache_bytes(0), ValueError, "^n must"), (lambda: share_recalled("stone", 2, 3), ValueError, "one of 'softmax', .* got 'stone'"),
    (lambda: share_recalled("softmax", 0, 3), ValueError, "^num_orders"), (lambda: random_orders(2, 0), ValueError, "^width"),
    (lambda: random_orders(2, 3, draws=0), ValueError, "^draws")])
def test_bills_and_orders_refuse(call, error, message):
    with pytest.raises(error, match=message):
        call()


# ---- how many orders

def test_random_orders():
    keys, drinks = random_orders(50, 16, draws=30, seed=3)
    assert np.allclose((keys**2).sum(-1), 1) and abs(keys.mean()) < 0.01
    assert np.bincount(drinks.ravel(), minlength=6).min() > 0.12 * drinks.size and drinks.max() == 5
    again, other = random_orders(50, 16, draws=30, seed=3), random_orders(50, 16, draws=30, seed=4)
    assert np.array_equal(keys, again[0]) and np.array_equal(drinks, again[1]) and not np.array_equal(keys, other[0])


def test_a_memory_of_fixed_size_forgets():
    """Wider memories hold more, the softmax loses nothing; only the delta rule learns that an order was changed."""
    for memory in ("sum of products", "delta rule"):
        held = [capacity(memory, width) for width in (8, 16, 32, 64)]
        assert held == sorted(set(held)) and held[-1] <= 64, memory
        assert share_recalled(memory, 128, 8) < 0.5
    assert capacity("softmax", 8) == 128 and capacity("elu + 1", 64) < capacity("sum of products", 64)
    changed = {memory: share_recalled(memory, 4, 64, changed=True) for memory in MEMORIES}
    assert changed["delta rule"] > 0.95 and max(share for name, share in changed.items() if name != "delta rule") < 0.7
    assert changed["softmax"] == pytest.approx(0.5), "of two orders with the same key it has no reason to prefer one"


def test_keys_at_right_angles_are_all_held():
    """As many orders as the width, if keys are at right angles; by hand."""
    keys, drinks = np.linalg.qr(np.random.default_rng(0).normal(size=(6, 6)))[0], np.arange(6)
    for memory in ("sum of products", "delta rule", "softmax"):
        read = MEMORIES[memory](keys, np.eye(6)[drinks])
        assert np.allclose(read, np.eye(6), atol=1e-9), memory


def test_full_tables():
    """The three kinds differ in what makes the weights; twelve guests are trained with."""
    lessons = FullTableTask()
    for kind in FullTableTask.MODELS:
        model = lessons.train(0, kind, steps=2, key_width=4)
        *table, answers = tables = recall_tables(30, guests=12, seed=5)
        items, question = model.embed(*table)
        query, key, value = question[:, None] @ model.w_query, items @ model.w_key, items @ model.w_value
        if kind == "elu + 1":
            weights = (nn.functional.elu(query) + 1) @ (nn.functional.elu(key) + 1).mT
            expected = (weights / weights.sum(-1, keepdim=True) @ value)[:, 0]
        else:
            weights = query @ key.mT / 2
            expected = ((weights.softmax(-1) if kind == "softmax" else weights) @ value)[:, 0]
        assert close(model.attend(items, question)[0], expected), kind
        accuracy, loss = lessons.validate(model, tables)
        assert accuracy == lessons.evaluate(model, tables=tables)
        assert loss == pytest.approx(-model(*table).log_softmax(-1)[torch.arange(30), answers].mean().item())
    assert lessons.TRAINED_WITH == 12
    assert lessons.evaluate(lessons.train(0, "softmax", steps=300), 12) > 0.95
