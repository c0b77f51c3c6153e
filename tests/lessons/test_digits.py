"""Handwritten digits: the pictures as they were published, patches, and small vision Transformers."""

import json

import pytest
import torch

from bookkit.lessons import digits as lesson
from bookkit.lessons.digits import DigitReader, digits, patches, questions
from bookkit.lessons.training import new_model


def test_other_digits_are_refused(tmp_path, monkeypatch):
    packed = json.loads(lesson.FILE.read_text())
    monkeypatch.setattr(lesson, "FILE", tmp_path / "digits.json")
    lesson.FILE.write_text(json.dumps(packed | {"sha256": "0"}))
    with pytest.raises(ValueError, match="its checksum is another"):
        digits("learn")


def test_what_is_asked_for_stands_where_it_is_said_to():
    (pixels, labels), (pictures, asked, where) = digits("test"), questions(200, "test", seed=5)
    known = {picture.numpy().tobytes(): label for picture, label in zip(pixels, labels.tolist())}
    for nine, digit, answer in zip(patches(pictures, 8).view(200, 9, 8, 8), asked.tolist(), where.tolist()):
        shown = [known[tile.contiguous().numpy().tobytes()] for tile in nine]
        assert len(set(shown)) == 9 and shown.index(digit) == answer
    assert sorted(set(where.tolist())) == list(range(9))
    assert torch.equal(questions(200, "test", seed=5).pixels, pictures) and not torch.equal(questions(200, "test", seed=6).pixels, pictures)


def test_patches_put_together_are_the_picture():
    pixels, _ = digits("test")
    words = patches(pixels, 2)
    again = words.view(-1, 4, 4, 2, 2).transpose(2, 3).reshape(-1, 8, 8)
    assert words.shape == (300, 16, 4) and torch.equal(again, pixels)


@pytest.mark.parametrize("kind, places", [("attention", True), ("attention", False), ("each by itself", True)])
def test_a_reader_and_its_rivals(kind, places):
    """Without places the order of patches is nothing; a patch by itself hears of no other; rivals are as large."""
    pixels, _ = digits("test")
    model = new_model(0, DigitReader, places=places, kind=kind).eval()
    scores, weights = model(pixels[:5])
    assert scores.shape == (5, 10) and len(weights) == 2
    if kind == "attention":
        assert weights[0].shape == (5, 4, 16, 16) and torch.allclose(weights[1].sum(-1), torch.ones(5, 4, 16, dtype=torch.float64))
        sizes = [sum(p.numel() for p in new_model(0, DigitReader, kind=k).parameters()) for k in lesson.KINDS]
        assert abs(sizes[0] - sizes[1]) < 300
    else:
        assert weights == [None, None]
    turned = pixels[:5].flip(2)          # rows of patches and of pixels the other way round ...
    inside = turned.view(5, 8, 4, 2).flip(3).reshape(5, 8, 8)          # ... and the pixels of each patch as they were
    assert torch.allclose(model(inside)[0], scores, atol=1e-9) != places


def test_a_question_is_one_more_word():
    """The answer is read there; by itself it hears nothing of the picture."""
    pictures, asked, _ = questions(4, seed=1)
    for kind in lesson.KINDS:
        model = new_model(0, DigitReader, 8, 9, 9, words=10, num_layers=1, kind=kind)
        scores, weights = model(pictures, asked)
        assert scores.shape == (4, 9) and torch.equal(model(0 * pictures, asked)[0], scores) == (kind == "each by itself")
        assert not torch.allclose(model(pictures, (asked + 1) % 10)[0], scores)
    assert weights == [None]


@pytest.mark.parametrize("call, says", [
    (lambda: digits("all"), "part must be"), (lambda: patches(torch.zeros(1, 8, 8), 3), "size must divide the side of the pictures, 8, got 3"),
    (lambda: DigitReader(kind="mean"), "kind must be one of attention, each by itself, got 'mean'")])
def test_what_does_not_fit(call, says):
    with pytest.raises(ValueError, match=says):
        call()
