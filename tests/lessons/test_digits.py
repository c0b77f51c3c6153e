"""Handwritten digits: the pictures as they were published, patches, and small vision Transformers."""

import hashlib
import json

import numpy as np
import pytest
import torch
from table import each

from bookkit.lessons import digits as lesson
from bookkit.lessons.digits import DigitReader, digits, patches, twins
from bookkit.lessons.training import new_model


def test_the_digits_are_those_that_were_drawn():
    """Shape, levels, so many of each, none twice, and the sum of all bytes."""
    parts = {part: digits(part) for part in ("learn", "test")}
    for (part, (pixels, labels)), count in zip(parts.items(), (900, 300)):
        assert pixels.shape == (count, 8, 8) and pixels.dtype == torch.float64 and labels.bincount().tolist() == [count // 10] * 10, part
        assert set((16 * pixels).flatten().tolist()) == set(range(17))
    pixels, labels = (torch.cat([both[k] for both in parts.values()]) for k in range(2))
    whole = torch.cat([(16 * pixels).flatten(1).T.flatten(), labels]).to(torch.uint8).numpy().tobytes()
    assert len(whole) == 1200 * 65 and hashlib.sha256(whole).hexdigest() == "3662f4654e9267f0b35ce066e438b8be6674c1352cc290e9ebd455c53195f51b"
    assert len({picture.tobytes() for picture in (16 * pixels).numpy().astype(np.uint8)}) == 1200
    assert "CC BY 4.0" in json.loads(lesson.FILE.read_text())["source"] and "Creative Commons" in lesson.FILE.with_name("digits.LICENSE.txt").read_text()
    assert lesson.FILE.stat().st_size < 40_000


def test_other_digits_are_refused(tmp_path, monkeypatch):
    packed = json.loads(lesson.FILE.read_text())
    monkeypatch.setattr(lesson, "FILE", tmp_path / "digits.json")
    lesson.FILE.write_text(json.dumps(packed | {"sha256": "0"}))
    with pytest.raises(ValueError, match="its checksum is another"):
        digits("learn")


def test_the_twin_is_the_same_digit_in_another_picture():
    (pixels, labels), (pictures, where) = digits("test"), twins(200, "test", seed=5)
    known = {picture.numpy().tobytes(): label for picture, label in zip(pixels, labels.tolist())}
    tiles = patches(pictures, 8).view(200, 9, 8, 8)
    for nine, answer in zip(tiles, where.tolist()):
        shown = [known[tile.contiguous().numpy().tobytes()] for tile in nine]
        middle, around = shown.pop(4), shown
        assert len(set(around)) == 8 and [k for k, digit in enumerate(around) if digit == middle] == [answer - (answer > 4)]
        assert not torch.equal(nine[answer], nine[4])
    assert sorted(set(where.tolist())) == [0, 1, 2, 3, 5, 6, 7, 8]
    assert torch.equal(twins(200, "test", seed=5).pixels, pictures) and not torch.equal(twins(200, "test", seed=6).pixels, pictures)


def test_patches_put_together_are_the_picture():
    pixels, _ = digits("test")
    words = patches(pixels, 2)
    again = words.view(-1, 4, 4, 2, 2).transpose(2, 3).reshape(-1, 8, 8)
    assert words.shape == (300, 16, 4) and torch.equal(again, pixels)


@each("kind, places", [("attention", True), ("attention", False), ("each by itself", True)])
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


def test_one_word_may_be_read():
    model = new_model(0, DigitReader, 8, 9, 9, read=4, num_heads=1, num_layers=1, hidden=5, kind="each by itself")
    pictures = twins(2, seed=1).pixels
    other = pictures.clone()
    other[:, :8] = 0
    assert torch.equal(model(pictures)[0], model(other)[0])          # the first row of tiles is not heard


@each("call, says", [
    (lambda: digits("all"), "part must be"), (lambda: patches(torch.zeros(1, 8, 8), 3), "size must divide the side of the pictures, 8, got 3"),
    (lambda: DigitReader(kind="mean"), "kind must be one of attention, each by itself, got 'mean'")])
def test_what_does_not_fit(call, says):
    with pytest.raises(ValueError, match=says):
        call()
