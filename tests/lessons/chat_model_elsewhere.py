"""What others make of the chat model's texts, kept in chat_model.json: pieces by tokenizers, scores by transformers.

    python tests/lessons/chat_model_elsewhere.py [text ...]

In an environment that has transformers, gguf and accelerate beside the packages of the lock. transformers
reads the file itself, so that nothing here hangs on how the book does. Texts that are named are cut into pieces in both
ways, line by line, and compared, but not kept.
"""

import json
import sys
from pathlib import Path

import torch
import transformers
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

from bookkit.lessons import chat_model

KEPT = Path(__file__).with_name("chat_model.json")
COMMAND = "python tests/lessons/chat_model_elsewhere.py"
TEXTS = [
    "The capital of France is", "Once upon a time there was a little", "def add(a, b):\n    return a +",
    "I don't know what you're talking about, but it's 7319 o'clock.", "Häuser in Zürich kosten 1.250.000 Franken.",
    "日本の首都は東京です。", "  indented\n\n\nand   spaced\tout ", "We shall meet again where the river bends,",
    "E = mc² and π ≈ 3.14159", "🙂🙃 emoji family 👨‍👩‍👧", "The keys to the cabinet are on the table because the man who",
    "1, 2, 3, 4, 5, 6,", "Q: What is 2+2?\nA:", "<html><body class='x'>", "Dear Sir or Madam, I am writing to",
    "The animal did not cross the road because it was too tired.", "SELECT * FROM users WHERE id = 42;",
    "French: chat, English: cat. French: chien, English:", "When Mary and John went to the shop, John gave a drink to",
    chat_model.template("What is attention?")]
ODD = [
    "", " ", "   ", "\n", "\t\n \r\n", "a", " a", "  a", "a  ", "a \n b", "\u00a0b\u2003c", "zero\u200bwidth", "tab\tnul\x00one\x01four\x04six\x06",
    "\x1c\x1d \x1e\x1f", "½ ² ³ ¼ ⅷ Ⅻ ① ๓ ٣", "一二三 十", "2026", "3.14 and 1e-5", "x1y22z333", "don't can't I'LL we've they're I'm he'd it's 's", "''s 't", "_a_b_ __init__",
    "naïve café, Ångström", "ﬁne ﬂow", "e\u0301 A\u0301\u0327", "ΟΔΟΣ καὶ", "Привет, мир!", "مرحبا", "नमस्ते", "한국어", "中文字符没有空格", "👩🏽‍🚀🏳️‍🌈", "\U0010ffff \U0001f9ff",
    "<|im_end|>", "<|im_start|>user\nHi<|im_end|>", "<|endoftext|", "<repo_name>", "#" * 40, "=" * 81 + "\n", "a" * 70, "ab" * 60, "https://example.org/?q=a+b#c", "C# and C++",
    "«guillemets» – dash — and … dots", "x_{i+1}^2", "if (a&&b) {\n\t\treturn;\n}", " \n\n  x", "end.\n", "ſ ß ẞ İ ı ǅ", "\ufeffbom \ufffd"]


def tokenizer(about):
    """The same list in the tokenizers package, cut as the model's makers do."""
    pieces = {piece: k for k, piece in enumerate(about["tokenizer.ggml.tokens"])}
    made = Tokenizer(models.BPE(pieces, [tuple(pair.split(" ")) for pair in about["tokenizer.ggml.merges"]]))
    made.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)])
    made.decoder = decoders.ByteLevel()
    return made


def compared(theirs, ours, paths):
    """Lines, pieces and lines that are cut in another way."""
    lines = [line for path in paths for line in Path(path).read_text(encoding="utf-8", errors="replace").splitlines(keepends=True)]
    found = [(len(ours.numbers(line)), ours.numbers(line) == theirs.encode(line).ids) for line in lines]
    return len(lines), sum(count for count, _ in found), [line for line, (_, same) in zip(lines, found) if not same]


def main():
    torch.set_num_threads(1)
    path, ours = chat_model.packaged(), chat_model.loaded()
    with path.open("rb") as file:
        about, _ = chat_model.read_gguf(file)
    theirs = tokenizer(about)
    if sys.argv[1:]:
        return print("{} lines, {} pieces, differ: {}".format(*compared(theirs, ours, sys.argv[1:])))
    pieces = [[text, theirs.encode(text).ids] for text in [*ODD, *TEXTS[:-1]]]
    model = transformers.AutoModelForCausalLM.from_pretrained(path.parent, gguf_file=path.name, dtype=torch.float32).eval()
    assert type(model).__name__ == "LlamaForCausalLM"
    texts = []
    for text in TEXTS:
        numbers = ours.numbers(text, marks=True)
        with torch.no_grad():
            scores = model(torch.tensor([numbers])).logits[0]
        best, last = scores.max(-1), scores[-1].topk(5)
        texts.append({"text": text, "numbers": numbers, "likeliest": best.indices.tolist(), "scores": [round(x, 5) for x in best.values.tolist()],
                      "last": last.indices.tolist(), "last scores": [round(x, 5) for x in last.values.tolist()]})
    prompt = ours.chat("What is attention?")
    with torch.no_grad():
        said = model.generate(torch.tensor([prompt]), max_new_tokens=60, do_sample=False, eos_token_id=ours.ends, pad_token_id=2)[0].tolist()
    kept = {"command": COMMAND, "transformers": transformers.__version__, "answer": said[len(prompt):], "texts": texts, "pieces": pieces}
    rows = [json.dumps(name) + ": " + ("[\n  " + ",\n  ".join(json.dumps(row, ensure_ascii=False) for row in value) + "\n ]" if isinstance(value[0], list | dict) else
                                       json.dumps(value)) for name, value in kept.items()]
    KEPT.write_text("{" + ",\n ".join(rows) + "}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
