"""examples/transformer.py, the file that readers take along: its pieces, its model, its training, and what it refuses."""

import importlib.util
import re

import pytest
import torch
from conftest import ROOT
from torch import nn

FILE = ROOT / "examples" / "transformer.py"
spec = importlib.util.spec_from_file_location("transformer", FILE)
transformer = importlib.util.module_from_spec(spec)
spec.loader.exec_module(transformer)

BOOK = (ROOT / "examples" / "book.txt").read_text(encoding="utf-8")
NASTY = ["", " ", "a", "aaaa", "été  à\tParis\n\n42_7", "\U0001F44D\U0001F3FD ok", "汉字 and kana かな", "don't—stop…", "\x00\ufffd"]


def test_it_is_one_short_file_of_plain_pytorch():
    source = FILE.read_text(encoding="utf-8")
    assert len([line for line in source.splitlines() if line.strip()]) <= 150
    assert "attnkit" not in source and "scaled_dot_product" not in source


# ---- pieces

def test_the_tokenizers_package_learns_the_same_merges_and_cuts_alike():
    """Its bytes are given as letters, each of the number of the byte, and our parts as its words."""
    from tokenizers import Tokenizer, models, trainers

    text = BOOK[:60_000]
    ours = transformer.learn_merges(text, 256 + 300)
    theirs = Tokenizer(models.BPE())
    theirs.train_from_iterator(["".join(map(chr, part)) for part in transformer.split(text)], trainers.BpeTrainer(
        vocab_size=256 + 300, min_frequency=2, initial_alphabet=[chr(k) for k in range(256)], show_progress=False))
    assert len(ours) == 300 and ours[min(ours, key=ours.get)] == 256
    for sample in (text[:5000], BOOK[200_000:205_000], *NASTY):
        parts = transformer.split(sample)
        cut = [piece for part in parts for piece in theirs.encode("".join(map(chr, part))).tokens]
        spelled = ["".join(map(chr, whole(piece, ours))) for piece in transformer.encode(sample, ours)]
        assert spelled == cut


def whole(piece, merges):
    """The bytes of a piece."""
    pair = next((pair for pair, new in merges.items() if new == piece), None)
    return bytes([piece]) if pair is None else b"".join(whole(part, merges) for part in pair)


def test_every_text_comes_back_whole():
    merges = transformer.learn_merges(BOOK[:20_000], 400)
    for text in [*NASTY, BOOK[-3000:]]:
        assert transformer.decode(transformer.encode(text, merges), merges) == text
        assert len(transformer.encode(text, {})) == len(text.encode())


def test_merges_stop_when_no_pair_stands_twice():
    assert transformer.learn_merges("abcd", 300) == {} == transformer.learn_merges("", 300)
    assert list(transformer.learn_merges("abab cd", 300)) == [(97, 98)]
    assert transformer.join((1, 1, 1, 2), (1, 1), 9) == (9, 1, 2)


# ---- the model

def test_a_block_is_what_torch_has_with_the_same_numbers():
    torch.manual_seed(3)
    ours = transformer.Block(24, 3).double()
    theirs = nn.TransformerEncoderLayer(24, 3, 96, 0.0, "gelu", batch_first=True, norm_first=True).double()
    pairs = [(theirs.self_attn.out_proj, ours.project), (theirs.linear1, ours.up), (theirs.linear2, ours.down), (theirs.norm1, ours.norm_1),
             (theirs.norm2, ours.norm_2)]
    with torch.no_grad():
        theirs.self_attn.in_proj_weight.copy_(ours.qkv.weight)
        theirs.self_attn.in_proj_bias.copy_(ours.qkv.bias)
        for there, here in pairs:
            there.weight.copy_(here.weight)
            there.bias.copy_(here.bias)
        x = torch.randn(5, 7, 24).double()
        expected = theirs(x, src_mask=nn.Transformer.generate_square_subsequent_mask(7).double(), is_causal=True)
        assert torch.allclose(ours(x), expected, atol=1e-12)


def test_no_piece_sees_what_comes_after_it():
    torch.manual_seed(0)
    model = transformer.Transformer(11, 8, 12, 3, 2)
    ids = torch.randint(11, (2, 8))
    changed = ids.clone()
    changed[:, 5:] = (changed[:, 5:] + 1) % 11
    with torch.no_grad():
        assert torch.equal(model(ids)[:, :5], model(changed)[:, :5]) and not torch.equal(model(ids)[:, 5:], model(changed)[:, 5:])
        assert model.write(ids[:1], 20) [:8] == ids[0].tolist()


# ---- a run

SMALL = ["--width", "16", "--layers", "1", "--heads", "2", "--context", "8", "--pieces", "270", "--minutes", "9"]


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "mytext.txt"
    path.write_text(BOOK[:4000], encoding="utf-8")
    return path


def weights(path):
    return torch.load(path.with_suffix(".pt"))["model"]


def same(one, other):
    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)


def test_a_run_says_what_it_does_and_ten_steps_are_the_same_twice(text, capsys):
    transformer.main([str(text), *SMALL, "--steps", "10"])
    said = capsys.readouterr().out
    assert "first loss 5.6" in said and "that of a guess 5.60" in said and "step 10" in said and "wrong" not in said
    assert "loss on the last tenth" in said and said.count("--- ") == 3
    first = weights(text)
    text.with_suffix(".pt").unlink()
    transformer.main([str(text), *SMALL, "--steps", "10"])
    assert same(first, weights(text)) and not list(text.parent.glob("*.new"))


def test_a_run_that_was_stopped_ends_where_it_would_have(text, monkeypatch):
    transformer.main([str(text), *SMALL, "--steps", "12"])
    whole_run = weights(text)
    text.with_suffix(".pt").unlink()
    clock = iter(range(0, 10**6, 21))          # 21 seconds go by between two looks at the clock: each step is kept
    monkeypatch.setattr(transformer.time, "time", lambda: next(clock))
    plain, calls = transformer.loss_of, []

    def killed(*args, **options):
        calls.append(1)
        if len(calls) == 6:
            raise KeyboardInterrupt
        return plain(*args, **options)

    monkeypatch.setattr(transformer, "loss_of", killed)
    with pytest.raises(KeyboardInterrupt):
        transformer.main([str(text), *SMALL, "--steps", "12"])
    assert torch.load(text.with_suffix(".pt"))["done"] == 5, "what was done is lost"
    monkeypatch.undo()
    transformer.main([str(text), *SMALL, "--steps", "12"])
    assert same(whole_run, weights(text))


def test_a_first_loss_that_cannot_be_is_said(text, capsys, monkeypatch):
    plain = torch.randn
    monkeypatch.setattr(torch, "randn", lambda *shape: 100 * plain(*shape))
    transformer.main([str(text), *SMALL, "--steps", "1"])
    assert "something is wrong" in capsys.readouterr().out


@pytest.mark.parametrize(("content", "said"), [
    (b"", "is too short: its last tenth has 0 pieces, and 10 are needed"), (b"one line\n", "is too short"),
    (b"\x89PNG\r\n\x1a\n\x00\xff", "cannot be read as text in UTF-8"), (BOOK[:60].encode(), "is too short"), (None, "cannot be read")])
def test_what_is_no_text_is_refused_in_a_sentence(tmp_path, content, said):
    path = tmp_path / "mytext.txt"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(SystemExit, match=re.escape(str(path)) + ".*" + re.escape(said)):
        transformer.main([str(path), *SMALL, "--steps", "1"])
    assert not path.with_suffix(".pt").exists()


def test_a_width_that_heads_cannot_share_is_refused(text, capsys):
    with pytest.raises(SystemExit):
        transformer.main([str(text), "--width", "30", "--heads", "4"])
    assert "--width must be a multiple of --heads, got 30 and 4" in capsys.readouterr().err


def test_a_single_long_line_is_a_text(tmp_path):
    path = tmp_path / "line.txt"
    path.write_text(BOOK[:4000].replace("\n", " "), encoding="utf-8")
    transformer.main([str(path), *SMALL, "--steps", "1"])


@pytest.mark.parametrize("kept", [b"", b"no file of torch", "other sizes", "other text"])
def test_a_file_of_another_run_or_a_broken_one_is_refused_and_kept(text, kept):
    path = text.with_suffix(".pt")
    if isinstance(kept, str):
        transformer.main([str(text), *SMALL, "--steps", "1"])
        if kept == "other text":
            text.write_text(BOOK[4000:8000], encoding="utf-8")
    else:
        path.write_bytes(kept)
    before, others = path.read_bytes(), ["--width", "32"] if kept == "other sizes" else []
    with pytest.raises(SystemExit, match=r"mytext\.pt is broken, or of another text or other sizes: move it away"):
        transformer.main([str(text), *SMALL, *others, "--steps", "2"])
    assert path.read_bytes() == before
