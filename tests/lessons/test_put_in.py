"""Names of newer models in the story model: what each changes, and that nothing else does."""

import numpy as np
import pytest
import torch
from torch import nn

from bookkit.lessons import put_in, storyteller
from bookkit.lessons.put_in import CHANGES, SwiGLU
from bookkit.lessons.storyteller import StoryTask
from bookkit.lessons.training import new_model, next_word_loss


@pytest.fixture(scope="module")
def task():
    return StoryTask(60, 20)


def changed(task, change):
    """A model with a change, before any training, all in float64."""
    model = new_model(0, storyteller.Storyteller, task.vocabulary)
    for block in model.blocks:
        change(block)
    return model.double()


@pytest.mark.parametrize("name", [name for name, change in CHANGES.items() if change])
def test_a_changed_model_reads_looks_back_only_and_learns(task, name):
    """Its rows of weights sum to one, a later word changes nothing before it, and each of its numbers gets a gradient."""
    model, numbers = changed(task, CHANGES[name]), task.encode(task.training[:2])[:, :-1]
    scores, weights = model(numbers)
    assert all(torch.allclose(w.sum(-1), torch.ones(()).double()) for w in weights)
    other = numbers.clone()
    other[:, -1] = 5
    assert torch.equal(model(other)[0][:, :-1], scores[:, :-1])
    next_word_loss(scores, task.encode(task.training[:2])[:, 1:]).backward()
    assert all(p.grad.any() for p in model.parameters() if p.requires_grad)


def test_what_each_name_computes(task):
    """RMSNorm keeps the mean and has no bias; GELU is smooth at 0; a gate multiplies; turned scores know distances only."""
    block = changed(task, put_in.rms_norm).blocks[0]
    x = torch.randn(3, 32).double()
    assert torch.allclose(block.mlp_norm(x), x / x.square().mean(-1, keepdim=True).sqrt(), atol=1e-6)
    block = changed(task, put_in.gelu).blocks[1]
    assert isinstance(block.mlp[1], nn.GELU) and block.mlp[1](torch.tensor(-0.5)) < 0
    assert SwiGLU()(torch.tensor([0.0, 2.0, 5.0, 3.0])).tolist() == [0.0, pytest.approx(6 / (1 + np.exp(-2)))]
    gated, plain = (sum(p.numel() for p in changed(task, change).parameters()) for change in (put_in.gated, lambda block: None))
    assert abs(gated - plain) < 200
    block, rows = changed(task, put_in.turned).blocks[0], torch.randn(8).double().expand(1, 1, 6, 8)
    scores = block.score(rows, rows)[0, 0]
    assert torch.allclose(scores[1:, 1:], scores[:-1, :-1]) and not torch.allclose(scores[0, 0], scores[0, 1]) and not block.bias.requires_grad
