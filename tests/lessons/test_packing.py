"""A model as text: numbers come back to the last bit, and what is no packed model is refused."""

import json

import numpy as np
import pytest
from random_models import random_storyteller

from bookkit.lessons.packing import UNIT, VERSION, pack, sizes, unpack
from bookkit.lessons.storyteller import Storyteller
from website.toc import importing

PAGES = importing("bookkit.lessons.packing")


def test_numbers_travel_exactly():
    """Each is the nearest whole number of steps; what comes out is packed to the same text again; of any size, noughts too."""
    rng = np.random.default_rng(7)
    for k, shape in enumerate([(3,), (2, 5), (4, 1), (2, 3, 4), (7, 9)] * 9):
        bits, most = 2 + k % 11, 2**(1 + k % 11) - 1
        array = rng.normal(size=shape) * 10.0**rng.integers(-7, 3)
        array[rng.random(shape) < 0.2] = 0
        packed = json.loads(json.dumps(pack({"w": array}, bits, kind="any")))
        got, step = unpack(packed)["w"], np.array(packed["tensors"]["w"]["steps"]).reshape((*shape[:-1], 1)) * UNIT
        assert packed["kind"] == "any" and packed["version"] == VERSION and got.shape == shape
        integers = got / step
        assert np.array_equal(integers, np.rint(integers)) and np.abs(integers).max() <= most and (np.abs(got - array) <= step / 2 + 1e-15).all()
        assert (step <= np.maximum(np.abs(array).max(-1, keepdims=True) / most + UNIT, 2**bits * UNIT)).all()
        assert pack({"w": got}, bits, kind="any") == packed
        assert len(packed["tensors"]["w"]["numbers"]) == -(-array.size * bits // 6)


def changed(name=None, **changes):
    """The packed form of a small model in which something of the whole, or of one tensor, is changed; None leaves it out."""
    packed = json.loads(json.dumps(random_storyteller(0).packed()))
    part = packed if name is None else packed["tensors"][name]
    for key, value in changes.items():
        if value is None:
            del part[key]
        else:
            part[key] = value
    return packed


@pytest.mark.parametrize("packed, error, words", [
    ([1], TypeError, "a packed model must be a dict, got list"),
    (changed(width=None, words=None), ValueError, "the packed model lacks words, width"),
    (changed(version=1), ValueError, "a packed model must have version 2, got 1"),
    (changed(model="translator"), ValueError, "the packed model must be a storyteller, got 'translator'"),
    (changed(bits=None), ValueError, "the packed model lacks bits"),
    (changed(num_layers=3), ValueError, r"the packed model lacks the tensors layers.2.norm1.gain, "),
    (changed(tensors={}), ValueError, "the packed model lacks the tensors layers.0.bias"),
    (changed(hidden=11), ValueError, r"the tensor layers.0.w1 must have shape \(8, 11\), got \(8, 12\)"),
    (changed("layers.1.bias", shape=[3, 5]), ValueError, r"the tensor layers.1.bias must have shape \(2, 5\), got \(3, 5\)"),
    (changed("layers.1.bias", steps=None), ValueError, "the tensor layers.1.bias must be a dict with shape, steps and numbers"),
    (changed("norm.gain", steps=[0]), ValueError, "the tensor norm.gain must have 1 step, a positive int for each row"),
    (changed("norm.gain", numbers="?" * 11), ValueError, "the numbers of norm.gain must be a str of the letters of base64"),
    (changed("norm.gain", numbers="AAAA"), ValueError, "the numbers of norm.gain must be 11 letters, got 4"),
    (changed(attention="hard"), ValueError, "attention must be 'softmax' or 'uniform', got 'hard'")])
def test_what_is_no_packed_model_is_refused(packed, error, words):
    with pytest.raises(error, match=words):
        Storyteller.unpacked(packed)


@pytest.mark.parametrize("bits, error", [(1, ValueError), (13, ValueError), (6.0, TypeError)])
def test_a_number_has_two_to_twelve_bits(bits, error):
    with pytest.raises(error, match="bits must be"):
        pack({"w": np.ones(3)}, bits)


def test_what_cannot_be_packed_is_named():
    for array in (np.array(1.0), np.array([1.0, np.nan])):
        with pytest.raises(ValueError, match="the tensor gain must have an axis, and finite numbers"):
            pack({"gain": array}, 8)
    with pytest.raises(TypeError, match="must be a dict, got str"):
        sizes("width", ["width"])
