"""examples/transformer.py, the file that readers take along: its pieces, its model, its training, and what it refuses."""

import importlib.util
import io
import json
import re
import runpy
import sys

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
    assert len([line for line in source.splitlines() if line.strip()]) <= 185
    assert "attnkit" not in source and "scaled_dot_product" not in source


# ---- pieces

def test_the_tokenizers_package_learns_the_same_merges_and_cuts_alike():
    """Its bytes are given as letters, each of the number of the byte, and our parts as its words."""
    from tokenizers import Tokenizer, models, trainers

    text = BOOK[:20_000]
    ours = transformer.learn_merges(text, 256 + 150)
    theirs = Tokenizer(models.BPE())
    theirs.train_from_iterator(["".join(map(chr, part)) for part in transformer.split(text)], trainers.BpeTrainer(
        vocab_size=256 + 150, min_frequency=2, initial_alphabet=[chr(k) for k in range(256)], show_progress=False))
    assert len(ours) == 150 and ours[min(ours, key=ours.get)] == 256
    for sample in (BOOK[200_000:205_000], *NASTY):
        parts = transformer.split(sample)
        cut = [piece for part in parts for piece in theirs.encode("".join(map(chr, part))).tokens]
        spelled = ["".join(map(chr, whole(piece, ours))) for piece in transformer.encode(sample, ours)]
        assert spelled == cut


def whole(piece, merges):
    """The bytes of a piece."""
    pair = next((pair for pair, new in merges.items() if new == piece), None)
    return bytes([piece]) if pair is None else b"".join(whole(part, merges) for part in pair)


def test_every_text_comes_back_whole():
    merges = transformer.learn_merges(BOOK[:8000], 300)
    for text in [*NASTY, BOOK[-3000:]]:
        assert transformer.decode(transformer.encode(text, merges), merges) == text
        assert len(transformer.encode(text, {})) == len(text.encode())


def test_merges_stop_when_no_pair_stands_twice():
    assert transformer.learn_merges("abcd", 300) == {} == transformer.learn_merges("", 300)
    assert list(transformer.learn_merges("abab cd", 300)) == [(97, 98)]
    assert transformer.join((1, 1, 1, 2), (1, 1), 9) == (9, 1, 2)


def test_a_run_of_letters_without_a_blank_is_cut_every_64_letters():
    """So that a text without blanks is learned from in seconds; `tell` is told each merge."""
    assert [len(part) for part in transformer.split("a" * 130 + "b é" + "é" * 70)] == [64, 64, 3, 129, 14]
    assert [len(part) for part in transformer.split("!" * 65 + " " * 65)] == [64, 1, 64, 1]
    told = []
    merges = transformer.learn_merges("a" * 100_000, 300, lambda found: told.append(len(found)))
    assert told == [1, 2, 3, 4, 5, 6] and len(transformer.encode("a" * 100_000, merges)) == 1563


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

SMALL = ["--width", "16", "--layers", "1", "--heads", "2", "--context", "8", "--pieces", "270", "--minutes", "999"]


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


def test_a_run_that_was_stopped_ends_where_it_would_have(text, monkeypatch, capsys):
    """Number for number; the merges are not learned again, and a finished run that is asked for samples changes nothing."""
    transformer.main([str(text), *SMALL, "--steps", "12"])
    whole_run, said = weights(text), capsys.readouterr().out
    written = text.with_suffix(".pt").read_bytes()
    transformer.main([str(text), *SMALL, "--steps", "12"])
    assert text.with_suffix(".pt").read_bytes() == written and capsys.readouterr().out.strip() == said[said.index("loss on"):].strip()
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
    monkeypatch.setattr(transformer, "learn_merges", None)
    transformer.main([str(text), *SMALL, "--steps", "12"])
    assert same(whole_run, weights(text))


def test_a_first_loss_that_cannot_be_is_said(text, capsys, monkeypatch):
    plain = torch.randn
    monkeypatch.setattr(torch, "randn", lambda *shape: 100 * plain(*shape))
    transformer.main([str(text), *SMALL, "--steps", "1"])
    assert "something is wrong" in capsys.readouterr().out


@pytest.mark.parametrize(("content", "said"), [
    (b"", "is too short: its last tenth has 0 pieces, and 10 are needed"),
    (b" " * 448 + BOOK[:50].encode(), "is too short: what comes before it has"), (b"one line\n", "is too short"),
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


OTHERS = {"broken": (b"", r"is broken, or not of this program: move it away to begin anew"), "no file of torch": (b"no file of torch", "is broken"),
          "a tensor": (None, "is broken"), "text": ([], "was begun with another text: give the same again, or move it away to begin anew"),
          "rate": (["--rate", "0.1"], "was begun with --rate 0.002: "), "seed": (["--seed", "1"], "was begun with --seed 0: "),
          "width": (["--width", "32"], "was begun with --width 16: "), "layers": (["--layers", "2"], "was begun with --layers 1: "),
          "two": (["--pieces", "280", "--context", "9"], "was begun with --context 8, --pieces 270: ")}


def test_a_file_of_another_run_or_a_broken_one_is_refused_and_kept(text):
    path = text.with_suffix(".pt")
    transformer.main([str(text), *SMALL, "--steps", "1"])
    whole_run = path.read_bytes()
    for name, (changed, said) in OTHERS.items():
        path.write_bytes(changed if isinstance(changed, bytes) else whole_run)
        if name == "a tensor":
            torch.save(torch.ones(2), path)
        text.write_text(BOOK[4000:8000] if name == "text" else BOOK[:4000], encoding="utf-8")
        before = path.read_bytes()
        with pytest.raises(SystemExit, match=r"mytext\.pt " + said):
            transformer.main([str(text), *SMALL, *(changed if isinstance(changed, list) else []), "--steps", "2"])
        assert path.read_bytes() == before, name


def test_options_that_cannot_be_are_refused(text, capsys):
    for name in ("heads", "steps", "minutes", "context", "width", "layers", "pieces", "rate"):
        for value in ("0", "-1") if name not in ("minutes", "rate") else ("0", "-1", "nan"):
            with pytest.raises(SystemExit):
                transformer.main([str(text), *SMALL, f"--{name}={value}"])
            assert f"--{name} must be more than 0, got {value}" in capsys.readouterr().err
    transformer.main([str(text), *SMALL, "--steps", "1", "--seed", "-99999999999999999999"])


def test_a_loss_that_is_no_number_ends_the_run_and_changes_no_file(text, monkeypatch):
    """In the loss, or only in the way on from it."""
    plain, path = transformer.loss_of, text.with_suffix(".pt")
    transformer.main([str(text), *SMALL, "--steps", "2"])
    before = path.read_bytes()
    for broken in (lambda loss: loss * torch.nan, lambda loss: loss + (0 * loss).sqrt()):
        monkeypatch.setattr(transformer, "loss_of", lambda *a, broken=broken: broken(plain(*a)))
        with pytest.raises(SystemExit, match=r"Step 3 has a loss of .*mytext\.pt is as it was: move it away, and begin anew with a smaller --rate"):
            transformer.main([str(text), *SMALL, "--steps", "4"])
        assert path.read_bytes() == before


def test_two_runs_of_one_text_do_not_write_into_one_file(text, monkeypatch):
    names = []
    monkeypatch.setattr(transformer.torch, "save", lambda what, name, save=torch.save: (names.append(str(name)), save(what, name)))
    for process in (1, 2):
        monkeypatch.setattr(transformer.os, "getpid", lambda process=process: process)
        transformer.main([str(text), *SMALL, "--steps", str(process)])
    assert names[0] != names[-1] and not list(text.parent.glob("*.new"))


def test_a_folder_that_cannot_be_written_is_said(tmp_path):
    """A name so long that none longer is allowed stands for it: whoever runs the tests may write everywhere."""
    path = tmp_path / ("x" * 247 + ".txt")
    path.write_text(BOOK[:4000], encoding="utf-8")
    with pytest.raises(SystemExit, match=r"\.pt cannot be written: "):
        transformer.main([str(path), *SMALL, "--steps", "1"])


def test_samples_are_printed_on_a_console_that_lacks_their_letters(tmp_path, monkeypatch):
    path, console = tmp_path / "mytext.txt", io.TextIOWrapper(io.BytesIO(), encoding="cp1252")
    path.write_text("汉字和 \U0001F642" * 300, encoding="utf-8")
    monkeypatch.setattr(sys, "stdout", console)
    monkeypatch.setattr(sys, "argv", [str(FILE), str(path), *SMALL, "--steps", "1"])
    runpy.run_path(str(FILE), run_name="__main__")
    console.flush()
    assert console.buffer.getvalue().count(b"---") == 3


def test_the_page_shows_what_runs_with_the_tools_of_today():
    _, shown, _ = (ROOT / "examples/tune.py").read_text(encoding="utf-8").split("# ----\n")
    page = json.loads((ROOT / "chapters/tune.ipynb").read_text(encoding="utf-8"))
    assert any(f"```python\n{shown.strip()}\n```" in "".join(cell["source"]) for cell in page["cells"])
