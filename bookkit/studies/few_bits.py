"""The chat model rounded to fewer bits: what ordinary prose costs it then."""

import numpy as np

from bookkit.lessons.chat_model import ChatModel
from bookkit.lessons.chat_tuned import ordinary
from bookkit.studies.chat_model import known, prose

TOGETHER = 32                # numbers that share a scale


def rounded(numbers, bits):
    """An array (..., d) rounded to the nearest of 2 ** bits - 1 even steps; zero is one of them."""
    blocks = numbers.reshape(-1, TOGETHER)
    step = np.maximum(np.abs(blocks).max(axis=1, keepdims=True), 1e-12) / (2 ** (bits - 1) - 1)
    return (np.round(blocks / step) * step).reshape(numbers.shape)


def cost(bits):
    """The loss of a piece of prose with all matrices rounded, that of the words, too."""
    model = known()[0]
    blocks = [{name: rounded(w.T, bits).T if name.startswith("w_") else w for name, w in block.items()}
              for block in model.blocks()]
    small = ChatModel(model.tokenizer, rounded(model.embedding, bits), blocks, model.norm)
    return {"bits": bits, "loss": round(ordinary(small, prose(model)), 3)}


STAGES = [lambda _: [(cost, bits) for bits in (16, 8, 6, 5, 4, 3)]]
