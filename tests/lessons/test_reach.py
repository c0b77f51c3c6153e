"""Layers that look back: each is what it says, and how far it reaches."""

import numpy as np
import pytest
import torch
from torch import nn

from attnkit import attention, causal_mask, window_mask
from bookkit.lessons.reach import (
    FILLERS,
    LAYERS,
    NAMES,
    WORDS,
    CausalAttention,
    CausalConvolution,
    DilatedConvolution,
    FirstWordModel,
    FirstWordTask,
    GatedRecurrence,
    PlainRecurrence,
    gradient_reach,
    gradients,
    shortest_path,
)
from bookkit.lessons.training import new_model
from lessons.by_hand import close, items


def test_a_plain_recurrence_is_that_of_torch():
    plain, theirs = new_model(0, PlainRecurrence, 5), new_model(1, nn.RNN, 5, 5, batch_first=True)
    with torch.no_grad():
        plain.bias.copy_(items(2, 5))
        theirs.weight_ih_l0.copy_(plain.w_input.T)
        theirs.weight_hh_l0.copy_(plain.w_state.T)
        theirs.bias_ih_l0.copy_(plain.bias)
        theirs.bias_hh_l0.zero_()
    x = items(3, 4, 7, 5)
    assert close(plain(x), theirs(x)[0])
    turned = new_model(0, PlainRecurrence, 5, orthogonal=True).w_state
    assert close(turned @ turned.T, torch.eye(5).double()) and not close(plain.w_state @ plain.w_state.T, torch.eye(5).double())


@pytest.mark.parametrize("kernel, dilation", [(1, 1), (2, 1), (3, 1), (2, 4), (3, 2)])
def test_a_causal_convolution_by_hand(kernel, dilation):
    layer, x = new_model(0, CausalConvolution, 4, kernel, dilation), items(1, 2, 9, 4)
    expected = torch.zeros(2, 9, 4).double()
    for t in range(9):
        expected[:, t] = layer.convolution.bias
        for back in range(kernel):
            if t - back * dilation >= 0:
                expected[:, t] += x[:, t - back * dilation] @ layer.convolution.weight[:, :, kernel - 1 - back].T
    assert close(layer(x), expected.clamp(min=0))


@pytest.mark.parametrize("radius", [None, 0, 2])
def test_causal_attention_is_attention_under_a_mask(radius):
    layer, x = new_model(0, CausalAttention, 4, radius), items(1, 2, 7, 4)
    p = layer.attend
    mask = causal_mask(7, like=x) if radius is None else causal_mask(7, like=x) & window_mask(7, radius, like=x)
    output, _ = attention(x @ p.w_query, x @ p.w_key, x @ p.w_value, mask=mask)
    assert close(layer(x), output @ p.w_output), "biases are zero at the start"


@pytest.mark.parametrize("kind", LAYERS)
def test_no_layer_sees_the_future_and_each_sees_all_of_the_past(kind):
    layer, x = new_model(0, LAYERS[kind], 8, 7), items(1, 1, 7, 8)
    for place in range(7):
        changed = x.clone()
        changed[:, place] += 1
        differs = (layer(x) != layer(changed)).any(-1)[0]
        assert not differs[:place].any() and differs[place], place
    assert (gradient_reach(layer, 7, 8) > 0).all()


@pytest.mark.parametrize("length, layers", [(2, 1), (3, 2), (4, 2), (5, 3)])
def test_a_dilated_convolution_reaches_as_far_as_it_must(length, layers):
    stack = new_model(0, DilatedConvolution, 16, length)
    assert len(stack) == layers
    assert (gradient_reach(stack, 12, 16) > 0).sum() == 2**layers >= length > 2 ** (layers - 1)


@pytest.mark.parametrize("scale", [1.0, 0.2])
def test_gradient_reach_is_the_size_of_a_derivative(scale):
    layer = new_model(0, GatedRecurrence, 3)
    x, step = torch.from_numpy(scale * np.random.default_rng(5).normal(size=(4, 3))), 1e-6
    for place, size in enumerate(gradient_reach(layer, 4, 3, seed=5, scale=scale)):
        squares = 0
        for column in range(3):
            up, down = x.clone(), x.clone()
            up[place, column] += step
            down[place, column] -= step
            squares += ((layer(up[None]) - layer(down[None]))[0, -1] / (2 * step)).square().sum().item()
        assert abs(squares**0.5 - size) < 1e-7
    assert not close(*(torch.from_numpy(gradient_reach(layer, 4, 3, seed=seed)) for seed in (1, 2)))


def test_a_model_tells_the_gradients_at_words():
    """Those of its layer, at the vectors of the words; a name is what a vocabulary of sixteen words says."""
    assert len(set(WORDS)) == len(WORDS) == NAMES + FILLERS
    model = new_model(0, FirstWordModel, "gated recurrence", 4)
    vectors = model.embedding.weight.detach()[[0, 8, 11, 15]]
    found = model.gradients(["keys", "that", "the", "house"])
    assert found.shape == (4,) and np.array_equal(found, gradients(model.layer, vectors))
    assert not np.allclose(found, model.gradients(["key", "that", "the", "house"]))


@pytest.mark.parametrize("n", [2, 3, 8, 9, 10])
def test_shortest_paths(n):
    assert shortest_path("recurrence", n) == (1, n) and shortest_path("attention", n) == (1, 4)
    for kernel in (2, 3):
        layers = -(-(n - 1) // (kernel - 1))
        assert shortest_path("convolution", n, kernel=kernel) == (layers, layers)
        layers = next(layers for layers in range(9) if kernel**layers >= n)
        assert shortest_path("dilated convolution", n, kernel=kernel) == (layers, layers)
    for radius in (1, 4):
        layers = -(-(n - 1) // radius)
        assert shortest_path("window attention", n, radius=radius) == (layers, 4 * layers)


def test_the_first_word_is_a_name():
    task = FirstWordTask(6, seed=3)
    words = task.held_out
    assert words.shape == (1000, 6) and set(words[:, 0].tolist()) == set(range(NAMES))
    assert set(words[:, 1:].flatten().tolist()) == set(range(NAMES, NAMES + FILLERS))
    assert torch.equal(words, FirstWordTask(6, seed=3).held_out) and not torch.equal(words, FirstWordTask(6, seed=4).held_out)

    class Oracle(nn.Module):
        def forward(self, words):
            return nn.functional.one_hot(torch.where(words[:, 0] < 4, words[:, 0], 0), NAMES).double()

    assert task.evaluate(Oracle()) == (words[:, 0] < 4).double().mean() and 0.45 < task.evaluate(Oracle()) < 0.55
    wrong = (words[:, 0] >= 4).double().mean().item()
    assert abs(task.loss(Oracle()) - np.log(np.e + 7) + (1 - wrong)) < 1e-12, "the right score is 1 more in the share that is right"


@pytest.mark.parametrize("call, words", [
    (lambda: shortest_path("magic", 4), "kind must be one of recurrence, convolution, .*, got 'magic'"),
    (lambda: shortest_path("recurrence", 1), "n must be at least 2, got 1"),
    (lambda: shortest_path("convolution", 4, kernel=1), "kernel must be at least 2, got 1"),
    (lambda: shortest_path("window attention", 4, radius=0), "radius must be at least 1, got 0"),
    (lambda: FirstWordTask(1), "length must be at least 2, got 1"),
    (lambda: FirstWordTask(5).train(0, "magic"), "kind must be one of recurrence, .*, got 'magic'"),
])
def test_what_layers_refuse(call, words):
    with pytest.raises(ValueError, match=words):
        call()
