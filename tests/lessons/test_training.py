"""Training and measuring, against numbers worked out by hand."""

import math

import numpy as np
import pytest
import torch
from torch import nn

from bookkit.lessons.training import alignment_error_rate, descent, encode, fit, new_model, next_word_loss


def test_a_loop_of_ones_own_takes_the_steps_of_fit():
    """The warm-up, the fall and the clip among them."""
    one, other = (new_model(0, nn.Linear, 2, 1) for _ in range(2))
    x, options = torch.tensor([[1.0, 2.0], [3.0, -1.0]], dtype=torch.float64), {"lr": 0.1, "betas": (0.5, 0.9), "warmup": 2, "clip": 0.3}
    fit(one, lambda _: one(x).square().sum(), 2, steps=6, **options)
    downhill = descent(other, 6, **options)
    for _ in range(6):
        downhill(other(x).square().sum())
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), other.parameters()))


def test_the_steps_of_fit():
    """Adam's step along a gradient that stays the same is the rate, whatever the gradient: the rates can be seen."""
    model = nn.Linear(1, 1, bias=False).double()
    start, seen = model.weight.item(), []
    losses = fit(model, lambda _: 7 * model.weight.sum(), 3, steps=8, lr=0.1,
                 callback=lambda step: seen.append((step, model.weight.item())))
    rates = -np.diff([weight for _, weight in seen])
    expected = [0.05 * (1 + math.cos(math.pi * step / 8)) for step in range(8)]
    assert np.abs(rates - expected).max() < 2**-17 + 1e-8, "up to the rounding"
    assert [step for step, _ in seen] == list(range(9)) and abs(seen[0][1] - start) <= 2**-18
    assert losses == [7 * weight for _, weight in seen[:-1]], "each loss is that before its step"


def test_rounding_makes_training_the_same_on_every_processor():
    """Two beginnings that differ in the last digits come to the very same model; without rounding they would not."""
    x, y = torch.arange(12.0).reshape(3, 4).double() / 12, torch.tensor([0, 1, 0])
    weights = []
    for shift in (0.0, 1e-13):
        model = new_model(3, nn.Linear, 4, 2)
        with torch.no_grad():
            model.weight += shift
        fit(model, lambda i, model=model: nn.functional.cross_entropy(model(x[i]), y[i]), 3, steps=30, lr=0.1)
        weights.append(model.weight.detach().clone())
    assert torch.equal(*weights) and torch.equal(weights[0] * 2**17, (weights[0] * 2**17).round()) and weights[0].abs().max() > 0.1


def test_new_model_is_seeded_and_float64():
    one, same, other = (new_model(seed, nn.Linear, 4, 2) for seed in (3, 3, 4))
    assert torch.equal(one.weight, same.weight) and not torch.equal(one.weight, other.weight)
    assert one.weight.dtype == torch.float64 and torch.get_default_dtype() == torch.float32
    with pytest.raises(TypeError):
        new_model(0, nn.Linear)
    assert torch.get_default_dtype() == torch.float32, "put back, whatever happens"


def test_fit_draws_batches_from_all_examples():
    model, asked = nn.Linear(1, 1), []

    def loss(chosen):
        assert model.training and chosen.shape == (5,) and chosen.dtype == torch.long
        asked.extend(chosen.tolist())
        return model(torch.ones(1)).sum()

    fit(model, loss, 3, steps=20, batch_size=5)
    assert set(asked) == {0, 1, 2} and len(asked) == 100 and not model.training
    fit(model, lambda chosen: asked.append(len(chosen)) or loss(chosen[:5]), 3, steps=1)
    assert 64 in asked, "the batch if none is given"


def trained(seed, callback=None):
    torch.manual_seed(seed)
    model = nn.Sequential(nn.Linear(2, 3), nn.Dropout(0.5), nn.Linear(3, 1))
    x = torch.arange(20.0).reshape(10, 2) / 20
    losses = fit(model, lambda i: (model(x[i]) - x[i, :1]).square().mean(), 10, steps=12, batch_size=4,
                 callback=callback and (lambda step: callback(step, model)))
    return losses, model[0].weight.tolist()


def test_fit_is_repeatable_and_calls_back_in_evaluation_mode():
    modes = []

    def watch(step, model):
        modes.append(model.training)
        assert torch.equal(model(torch.ones(2)), model(torch.ones(2))), "no dropout"

    assert trained(1) == trained(1, watch) != trained(2)
    assert modes == [False] * 13 and len(trained(1)[0]) == 12


def test_encode_pads_and_refuses_unknown_words():
    words = ["<pad>", "c", "a", "b"]
    encoded = encode([("a", "b", "c"), ["c"], ("b", "b")], words)
    assert encoded.tolist() == [[2, 3, 1], [1, 0, 0], [3, 3, 0]] and encoded.dtype == torch.long
    for wrong in ([], [("a",), ()]):
        with pytest.raises(ValueError, match="at least one"):
            encode(wrong, words)
    with pytest.raises(ValueError, match="^not in the vocabulary: 'd', 'e'$"):
        encode([("a", "e"), ("e", "d")], words)


def test_next_word_loss():
    """Probabilities 1/2, 1/4, 1/8 and 1/8 are 1, 2, 3 and 3 times log 2; each word counts the same, padding nothing."""
    eighths = torch.tensor([[[1, 4, 2, 1], [1, 4, 2, 1], [2, 1, 1, 4]], [[1, 1, 2, 4], [1, 5, 1, 1], [3, 3, 1, 1]]])
    words = torch.tensor([[1, 2, 1], [1, 0, 0]])
    scores = (eighths.log() + 5).requires_grad_()
    loss = next_word_loss(scores, words)
    assert loss.shape == () and abs(loss.item() - (1 + 2 + 3 + 3) / 4 * math.log(2)) < 1e-6
    loss.backward()
    assert (scores.grad[1, 1:] == 0).all() and (scores.grad[0, 2] != 0).all()


def test_alignment_error_rate():
    looks = np.eye(4)[[0, 2, 1, 3]]                         # at one word each
    for alignment, rate in (([(0,), (2,), (1,), (3,)], 0), ([(1, 2), (0,), (3,), (2,)], 1),
                            ([(0, 1), (2,), (3, 1), (2,)], 3 / 8),       # 2 certain, 1 acceptable, 1 wrong
                            ([(1, 0), (0, 2), (0, 1), (0, 3)], 1 / 2),   # all acceptable, none certain
                            ([(0,), (3,)], 1 / 2)):                      # rows left over are not asked
        for rows in (looks, torch.tensor(looks)):
            assert alignment_error_rate([rows], [alignment]) == rate
    assert alignment_error_rate([looks, looks[:, :3]], [[(0,)] * 3, [(2,)]]) == 3 / 4, "each word counts the same"
    assert alignment_error_rate([np.array([[0.4, 0.6]])], [[(1,)]]) == 0
    for weights, alignments, message in (([looks], [], "1 and 0"), ([looks[:1]], [[(0,), (1,)]], "weights for 1")):
        with pytest.raises(ValueError, match=message):
            alignment_error_rate(weights, alignments)


def test_the_steps_of_fit_with_a_warm_up():
    """Up in equal steps, then down along a cosine; Adam's step along a gradient that stays the same is the rate."""
    model, seen = nn.Linear(1, 1, bias=False).double(), []
    fit(model, lambda _: 7 * model.weight.sum(), 3, steps=8, lr=0.1, warmup=3, callback=lambda step: seen.append(model.weight.item()))
    expected = [0.1 / 3, 0.2 / 3, 0.1, *(0.05 * (1 + math.cos(math.pi * step / 5)) for step in range(5))]
    assert np.abs(-np.diff(seen) - expected).max() < 2**-17 + 1e-8


def test_fit_clips_and_takes_the_betas():
    """Three steps of Adam worked out by hand, with gradients 7, 0.5 and -2 cut to length 1, and without."""
    for clip, gradients in ((1.0, [1, 0.5, -1]), (None, [7, 0.5, -2])):
        model, seen, given = nn.Linear(1, 1, bias=False).double(), [], iter([7, 0.5, -2])
        fit(model, lambda _, model=model, given=given: next(given) * model.weight.sum(), 3, steps=3, lr=0.1, betas=(0.5, 0.8), clip=clip,
            callback=lambda step, model=model, seen=seen: seen.append(model.weight.item()))
        mean = square = 0
        for step, gradient in enumerate(gradients):
            mean, square = 0.5 * mean + 0.5 * gradient, 0.8 * square + 0.2 * gradient**2
            move = mean / (1 - 0.5 ** (step + 1)) / math.sqrt(square / (1 - 0.8 ** (step + 1)))
            assert abs(seen[step] - seen[step + 1] - 0.05 * (1 + math.cos(math.pi * step / 3)) * move) < 2**-17 + 1e-6


@pytest.mark.parametrize("warmup", [-1, 2])
def test_fit_refuses_a_warm_up(warmup):
    with pytest.raises(ValueError, match=f"warmup must be at least 0 and less than steps, got {warmup} and 2"):
        fit(nn.Linear(1, 1), lambda _: pytest.fail("nothing may be asked"), 3, steps=2, warmup=warmup)
