"""What transformers makes of the chat model's texts, kept in chat_model.json: the scores, and how it goes on.

    python tests/lessons/chat_model_elsewhere.py

In an environment that has transformers, gguf and accelerate beside the packages of the lock. transformers reads the
file itself, so that nothing here hangs on how the book does.
"""

import json
from pathlib import Path

import torch
import transformers

from bookkit.lessons import chat_model

KEPT = Path(__file__).with_name("chat_model.json")
TEXTS = [
    "The capital of France is", "I don't know what you're talking about, but it's 7319 o'clock.", "日本の首都は東京です。",
    "  indented\n\n\nand   spaced\tout ", "🙂🙃 emoji family 👨‍👩‍👧", "When Mary and John went to the shop, John gave a drink to",
    chat_model.template("What is attention?")]


def scores_of(model, numbers):
    """The likeliest piece after each place and its score; the five likeliest after the last."""
    scores = model(torch.tensor([numbers])).logits[0]
    best, last = scores.max(-1), scores[-1].topk(5)
    return {"likeliest": best.indices.tolist(), "scores": [round(score, 5) for score in best.values.tolist()],
            "last": last.indices.tolist(), "last scores": [round(score, 5) for score in last.values.tolist()]}


@torch.no_grad()
def main():
    torch.set_num_threads(1)
    path, ours = chat_model.packaged(), chat_model.loaded()
    model = transformers.AutoModelForCausalLM.from_pretrained(path.parent, gguf_file=path.name, dtype=torch.float32).eval()
    assert type(model).__name__ == "LlamaForCausalLM"
    texts = []
    for text in TEXTS:
        numbers = ours.numbers(text, marks=True)
        texts.append({"text": text, "numbers": numbers} | scores_of(model, numbers))
    prompt = ours.chat("What is attention?")
    said = model.generate(torch.tensor([prompt]), max_new_tokens=30, do_sample=False, eos_token_id=ours.ends, pad_token_id=2)[0].tolist()
    rows = ",\n  ".join(json.dumps(row, ensure_ascii=False) for row in texts)
    head = {"command": "python tests/lessons/chat_model_elsewhere.py", "transformers": transformers.__version__, "answer": said[len(prompt):]}
    KEPT.write_text(f'{json.dumps(head)[:-1]},\n "texts": [\n  {rows}\n ]}}\n', encoding="utf-8")


if __name__ == "__main__":
    main()
