"""The chat model in texts longer than any it was trained on, as it is and with its rotary base changed."""

from pathlib import Path

import numpy as np

from attnkit import causal_mask
from bookkit.lessons import chat_model
from bookkit.studies.chat_model import known

LENGTH, STEP = 10_240, 512                          # pieces of a text; so many losses in a mean
# The base, the model's own or four times that, and the piece with which the model begins to read.
WAYS = ((100_000, 0), (400_000, 0), (100_000, 6144))


def losses(base, begin):
    """The mean loss of each stretch of a text, read piece by piece with all before it, from a piece on."""
    model, own = known()[0], chat_model.BASE
    book = Path(__file__).parents[2] / "examples" / "book.txt"
    text = book.read_text(encoding="utf-8")[:8 * LENGTH]
    numbers = np.array(model.numbers(text)[begin:LENGTH])
    chat_model.BASE, kept, means = base, {}, []
    try:
        for first in range(0, len(numbers), STEP):
            ends = []
            for place in (first, first + STEP // 2):
                x = model.embedding[numbers[place:place + STEP // 2]]
                places, mask = range(place, place + len(x)), causal_mask(len(x), place + len(x))
                for layer, block in enumerate(model.blocks()):
                    found = chat_model.through(block, x, places, mask, past=kept.get(layer))
                    kept[layer] = found["key"], found["value"]
                    x = found["after_mlp"]
                ends.append(x)
            wanted = numbers[first + 1:first + STEP + 1]
            means.append(round(float(model.costs(np.concatenate(ends)[:len(wanted)], wanted).mean()), 3))
    finally:
        chat_model.BASE = own
    return {"base": base, "begin": begin, "step": STEP, "losses": means}


STAGES = [lambda _: [(losses, *way) for way in WAYS]]
