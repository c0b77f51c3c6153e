"""How the real model travels: what is packed is read back, and moves no weight by as much as eight bits would."""

import numpy as np
import pytest

from bookkit.lessons import minilm
from bookkit.lessons.minilm_packed import PLACES, pack, unpack


def small(rng, width=8):
    """A model with two matrices, of numbers whose columns differ in size."""
    tensors = {"embedding": rng.normal(size=(5, width)), "positions": rng.normal(size=(100, width)), "kinds": rng.normal(size=(2, width)),
               "norm.gain": rng.normal(size=width), "layers.0.w1": rng.normal(size=(width, 4)) * [1, 100, 0.01, 0]}
    return minilm.MiniLM(list("abcde"), tensors)


def test_what_is_packed_is_read_back():
    """Each number within half a step of its row and column; a column of zeros stays zeros."""
    for seed in range(20):
        model = small(np.random.default_rng(seed))
        about, data = pack(model)
        back, given = unpack(about, data).tensors, model.tensors
        assert set(back) == set(given) and about["words"] == list("abcde")
        w, got = given["layers.0.w1"], back["layers.0.w1"]
        root = np.sqrt(np.abs(w).max(axis=0))
        step = np.abs(w / np.where(root, root, 1)).max(axis=1, keepdims=True) / 511 * root
        assert (np.abs(w - got) <= step / 2 * 1.001 + 1e-9).all() and (got[:, 3] == 0).all()
        assert np.abs(given["embedding"] - back["embedding"]).max() < np.abs(given["embedding"]).max() / 100
        assert np.allclose(back["positions"], given["positions"][:PLACES] + given["kinds"][0], atol=1e-6) and not back["kinds"].any()
        assert np.allclose(back["norm.gain"], given["norm.gain"], atol=1e-6)
        again = pack(unpack(about, data))[1]
        assert len(again) == len(data)
        with pytest.raises(ValueError, match=f"data must have {len(data)} bytes, got {len(data) - 1}"):
            unpack(about, data[1:])
