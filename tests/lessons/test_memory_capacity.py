"""How many orders a memory of fixed size holds."""

import numpy as np
import pytest
import torch
from torch import nn

from bookkit.lessons.memory_capacity import MEMORIES, FullTableTask, capacity, random_orders, share_recalled
from bookkit.lessons.recall import recall_tables
from lessons.by_hand import close


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


def test_an_unknown_memory_is_refused():
    with pytest.raises(ValueError, match="one of 'softmax', .* got 'stone'"):
        share_recalled("stone", 2, 3)
