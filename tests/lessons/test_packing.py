"""A model as text: numbers come back to the last bit, and what is no packed model is refused."""

import json

import numpy as np
import pytest
from random_models import random_storyteller

from bookkit.lessons.packing import UNIT, VERSION, pack, unpack
from bookkit.lessons.storyteller import Storyteller


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


@pytest.mark.parametrize("packed, words", [
    (changed(width=None, words=None), "the packed model lacks words, width"),
    (changed(version=1), "a packed model must have version 2, got 1"),
    (changed(model="translator"), "the packed model must be a storyteller, got 'translator'"),
    (changed(num_layers=3), r"the packed model lacks the tensors layers.2.norm1.gain, "),
    (changed(hidden=11), r"the tensor layers.0.w1 must have shape \(8, 11\), got \(8, 12\)"),
    (changed("layers.1.bias", shape=[3, 5]), r"the tensor layers.1.bias must have shape \(2, 5\), got \(3, 5\)"),
    (changed(attention="hard"), "attention must be 'softmax' or 'uniform', got 'hard'")])
def test_what_is_no_packed_model_is_refused(packed, words):
    with pytest.raises(ValueError, match=words):
        Storyteller.unpacked(packed)


@pytest.mark.parametrize("bits, array, words", [
    (1, np.ones(3), "bits must be from 2 to 12, got 1"), (13, np.ones(3), "bits must be from 2 to 12, got 13"),
    (8, np.array(1.0), "the tensor gain must have an axis, and finite numbers"), (8, np.array([1.0, np.nan]), "the tensor gain must have an axis, and finite numbers")])
def test_what_cannot_be_packed_is_named(bits, array, words):
    with pytest.raises(ValueError, match=words):
        pack({"gain": array}, bits)
