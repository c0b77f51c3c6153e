"""The Transformer of 2017 in small: who may look at whom, and that it translates as it is taught."""

import pytest
import torch

from bookkit.lessons.encoder_decoder import REACH, EncoderDecoder
from bookkit.lessons.training import new_model


@pytest.fixture
def model():
    """Untrained, with biases that count."""
    found = new_model(0, EncoderDecoder, 12, 14, width=8, num_heads=2)
    with torch.no_grad():
        for name, bias in found.named_parameters():
            if name.endswith("look.bias"):
                assert bias.shape == (2, 2 * REACH + 1)
                bias.normal_()
    return found.eval()


@torch.no_grad()
def test_no_word_sees_a_later_one_or_padding(model):
    """A later target word changes nothing before it; padding in the source changes nothing at all, words there do."""
    source, target = torch.tensor([[3, 4, 5]]), torch.tensor([[1, 6, 7, 8]])
    scores, weights = model(source, target)
    assert scores.shape == (1, 4, 14) and weights.shape == (1, 4, 3) and torch.allclose(weights.sum(-1), torch.ones(1, 4, dtype=weights.dtype))
    later, _ = model(source, torch.tensor([[1, 6, 7, 9]]))
    assert torch.equal(later[:, :3], scores[:, :3]) and not torch.allclose(later[:, 3], scores[:, 3])
    padded = torch.tensor([[3, 4, 5, 0, 0]])
    same, looked = model(padded, target, padded > 0)
    assert torch.allclose(same, scores) and (looked[:, :, 3:] == 0).all()
    other, _ = model(torch.tensor([[3, 4, 6]]), target)
    assert not torch.allclose(other[:, 0], scores[:, 0])
    swapped, _ = model(torch.tensor([[4, 3, 5]]), target)
    assert not torch.allclose(swapped, scores), "the encoder knows no order"


def test_writing_is_what_teacher_forcing_would_say(model):
    """Word by word the likeliest, up to the end or the most."""
    sources = torch.tensor([[3, 4, 5], [6, 7, 0]])
    words, weights = model.translate(sources, start=1, end=2, max_length=6, mask=sources > 0)
    for source, said, looked in zip(([3, 4, 5], [6, 7]), words, weights):
        with torch.no_grad():
            scores, rows = model(torch.tensor([source]), torch.tensor([[1, *said]]))
        best = scores[0].argmax(-1).tolist()
        assert best[:len(said)] == said and (len(said) == 6 or best[len(said)] == 2)
        assert torch.allclose(rows[0, :len(said)], looked[:, :len(source)])
