"""What one layer, and one head of it, can and cannot tell about "it"."""

import pytest
import torch

from bookkit.lessons.coreference import CoreferenceModel, CoreferenceTask
from lessons.by_hand import close, scatter


def test_one_layer_keeps_the_ratio_of_two_weights():
    """The weights of "it" keep the ratio of the two nouns whatever the ending; a first layer changes it."""
    task = CoreferenceTask()
    pair = [sentence for sentence in task.held_out if sentence.words[:7] == task.held_out[0].words[:7]]
    sentences, answers, right, other = task.encode(pair)
    assert [task.vocabulary[k] for k in answers] == ["animal"] * 5 + ["road"] * 5
    for layers in (1, 2):
        torch.manual_seed(layers)
        model = CoreferenceModel(len(task.vocabulary), layers).double()
        scatter(model)
        scores, weights, first = model(sentences)
        ratio = weights[:, 1] / weights[:, 6]
        assert scores.shape == (10, len(task.vocabulary)) and weights.shape == (10, 12)
        assert (ratio.std() < 1e-12) == (layers == 1) == (first is None)
    accuracy, on_it, on_other = task.evaluate(model)
    rows = torch.arange(240)
    sentences, answers, right, other = task.encode(task.held_out)
    scores, weights, first = model(sentences)
    assert first.shape == (240, 12, 12) and torch.allclose(first.sum(-1), torch.ones(240, 12, dtype=torch.double))
    assert accuracy == (scores.argmax(1) == answers).double().mean()
    assert abs(on_it - weights[rows, right].mean().item()) < 1e-12 and abs(on_other - weights[rows, other].mean().item()) < 1e-12


def test_heads_of_one_layer_on_it():
    """Within a head the ending changes nothing between two nouns; in the mean of several it does."""
    task = CoreferenceTask()
    sentences, answers, right, other = task.encode(task.held_out[:10])
    for heads in (1, 4):
        torch.manual_seed(heads)
        model = CoreferenceModel(len(task.vocabulary), 1, heads).double()
        scatter(model)
        each, (scores, mean, _) = model.head_weights(sentences), model(sentences)
        assert each.shape == (10, heads, 12) and close(each.mean(1), mean) and scores.shape == (10, len(task.vocabulary))
        pair = [k for k in range(10) if task.held_out[k].words[:11] == task.held_out[0].words[:11]]
        ratio, mixed = each[pair, :, 1] / each[pair, :, 6], mean[pair, 1] / mean[pair, 6]
        assert len(pair) > 1 and ratio.std(0).max() < 1e-9 and (mixed.std() > 1e-3) == (heads == 4)
        query, key, value, _ = model.roles(sentences)
        d = 32 // heads
        by_hand = [torch.softmax((query[..., k * d:][..., :d] @ key[..., k * d:][..., :d].mT)[:, 0] / d ** 0.5, -1) for k in range(heads)]
        assert close(torch.stack(by_hand, 1), each)
        read = torch.cat([(w[:, None] @ value[..., k * d:][..., :d])[:, 0] for k, w in enumerate(by_hand)], -1)
        assert close(scores, model.readout(model.norm["read"](read)))
    two = CoreferenceModel(len(task.vocabulary), 2, 4).double()
    assert two(sentences)[2].shape == (10, 12, 12) and two.first_layer.num_heads == 4
    for layers, heads, complaint in ((3, 1, "num_layers must be 1 or 2, got 3"), (1, 5, "num_heads must divide width")):
        with pytest.raises(ValueError, match=complaint):
            CoreferenceModel(9, layers, heads)
    assert task.train(1, num_layers=1, num_heads=2, steps=2).num_heads == 2
