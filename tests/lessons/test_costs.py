"""What attention costs, counted again: operations by torch, weights by masks, bytes by a cache."""

import re

import numpy as np
import pytest
import torch
from conftest import ROOT
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

from attnkit import causal_mask, window_mask
from attnkit.modules import MultiHeadAttention
from bookkit.figures.config_reader import counted
from bookkit.lessons.costs import (
    MODELS,
    LayerOperations,
    cache_bytes,
    count_weights,
    layer_operations,
    quadratic_share,
)
from bookkit.lessons.storyteller import KeyValueCache, Storyteller


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


def test_bytes_of_caches():
    """Those of a storyteller's cache; and of large models, whose grouped heads and compressed words save what they say."""
    model, cache = Storyteller(["a", "b"], width=12, num_heads=3, num_layers=2).double(), KeyValueCache()
    model(torch.tensor([[0, 1, 1, 0]]), cache)
    assert sum(x.nbytes for pair in cache.seen.values() for x in pair) == cache_bytes(4, 2, 3, 4, bytes_each=8)
    llama, deepseek = MODELS["Llama 3.1 70B"], MODELS["DeepSeek-V2"]
    assert llama.cache_bytes(10) * llama.heads == cache_bytes(10, llama.layers, llama.heads, llama.head_width) * llama.kv_heads
    # "equal to GQA with only 2.25 groups" (DeepSeek-AI, 2024, table 1)
    assert deepseek.cache_bytes(8, 1) == 2.25 * cache_bytes(8, deepseek.layers, 1, deepseek.head_width, 1)
    keys = re.findall(r"^@\w+\{(\w+),", (ROOT / "data/references.bib").read_text(encoding="utf-8"), flags=re.M)
    for name, size in MODELS.items():
        assert size.source in keys and size.heads % (size.kv_heads or 1) == 0, name
        if size.config:      # what their sizes come to is what they say of themselves
            every, used = (sum(counts) / 1e9 for counts in zip(*counted(size.config).values()))
            assert every == pytest.approx(size.total, rel=0.02) and used == pytest.approx(size.active or every, rel=0.15), name
