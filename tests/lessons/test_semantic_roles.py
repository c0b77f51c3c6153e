"""Who gave and who received: heads and positions, by a proof for any weights and by training."""

import pytest
import torch

from bookkit.lessons.semantic_roles import GiftModel, GiftTask, exchange_heads
from bookkit.lessons.training import encode
from lessons.by_hand import scatter


@pytest.mark.parametrize("heads", [1, 2])
def test_without_positions_both_orders_give_the_same_output(heads):
    """Without positions the output at "gave" is the same for both orders, with any weights; with them it is not."""
    task = GiftTask()
    sentences = encode(task.held_out[:2], task.vocabulary)
    for positions in (False, True):
        torch.manual_seed(heads)
        model = GiftModel(len(task.vocabulary), heads, positions).double()
        scatter(model)
        scores, weights, output = model(sentences)
        assert scores.shape == (2, 2, len(task.vocabulary)) and weights.shape == (2, heads, 5) and output.shape == (2, 32)
        assert (abs(output[0] - output[1]).max() < 1e-12) == (not positions)


def test_exchanged_heads_compute_the_same():
    task = GiftTask()
    model = GiftModel(len(task.vocabulary), 2, True).double()
    scatter(model)
    sentences = task.encode(task.held_out[:20])
    scores, weights, output = model(sentences)
    exchange_heads(model)
    again, turned, same = model(sentences)
    assert torch.allclose(again, scores) and torch.allclose(same, output) and torch.allclose(turned, weights.flip(1))
    assert abs(weights - weights.flip(1)).max() > 0.01
