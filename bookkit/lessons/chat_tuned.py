"""The chat model taught to answer in one word, with sixty questions, by a low-rank change of matrices.

To each matrix W of some layers the product of two narrow ones is added, W + A B (Hu et al., 2022), and these learn.
Rows are items here, so an item x becomes x W + x A B.  What the layers below give is computed once.
"""

import math

import numpy as np
import torch
from torch.nn.functional import cross_entropy, silu
from torch.nn.utils.rnn import pad_sequence

from attnkit import attention, causal_mask, merge_heads, rotary, split_heads
from bookkit.lessons.chat_model import BASE, END, EPSILON, GROUPS, HEADS, LAYERS, START, ChatModel

RANK = 4


def asked(model, question):
    """The numbers of a question in a chat, without the words of a system in front, up to where the answer begins."""
    return model.tokenizer.numbers(f"{START}user\n{question}{END}\n{START}assistant\n", marks=True)


# ---- the model in torch, so that it can be tuned

def through(block, x):
    """One layer in torch: the stream (b, n, d) after it; `block` holds tensors, of each matrix W, A, B or W alone."""
    def times(items, name):
        w, *low = block[name]
        return items @ w + (items @ low[0] @ low[1] if low else 0)

    n = x.shape[-2]
    items = rms_norm(x, block["norm1"])
    query, key, value = (split_heads(times(items, f"w_{role}"), heads)                   # (b, h or g, n, d_k)
                         for role, heads in (("query", HEADS), ("key", GROUPS), ("value", GROUPS)))
    query, key = rotary(query, base=BASE), rotary(key, base=BASE)
    each_key, each_value = (one.repeat_interleave(HEADS // GROUPS, dim=-3) for one in (key, value))
    heads, _ = attention(query, each_key, each_value, mask=torch.from_numpy(causal_mask(n)))
    x = x + times(merge_heads(heads), "w_output")
    items = rms_norm(x, block["norm2"])
    return x + times(silu(times(items, "w_gate")) * times(items, "w_up"), "w_down")


def rms_norm(x, gain):
    """As `chat_model.rms_norm`, in torch."""
    return x * torch.rsqrt((x ** 2).mean(dim=-1, keepdim=True) + EPSILON) * gain


def tune(model, pairs, *, first, steps=24, rate=1e-3, batch=12, rank=RANK, seed=0):
    """Teach a chat model some answers by low-rank changes in the layers from `first` on; gives a model, and the losses.

    The model that comes back has the changes added to its matrices; the one that was given stays as it is. A step has
    `batch` pairs of a question and its answer, drawn without repetition; what is asked costs nothing, only the answer
    and the mark that ends it.
    """
    random = torch.Generator().manual_seed(seed)
    blocks = [{name: torch.tensor(w) for name, w in block.items()} for block in model.blocks()]
    texts = [(asked(model, question), [*model.numbers(answer), model.ends[0]]) for question, answer in pairs]
    numbers = pad_sequence([torch.tensor(ask + answer) for ask, answer in texts], batch_first=True)      # (m, n)
    wanted = torch.full_like(numbers, -100)                                  # what costs nothing
    for row, (ask, answer) in enumerate(texts):
        wanted[row, len(ask) - 1:len(ask) - 1 + len(answer)] = torch.tensor(answer)
    table, norm = torch.tensor(model.embedding), torch.tensor(model.norm)
    with torch.no_grad():
        below = table[numbers]                                               # (m, n, d)
        for block in blocks[:first]:
            below = through({name: [w] if w.ndim > 1 else w for name, w in block.items()}, below)
    low = [{name: narrow(w, rank, random) for name, w in block.items() if w.ndim > 1} for block in blocks[first:]]
    adam = torch.optim.Adam([one for block in low for pair in block.values() for one in pair], lr=rate)
    losses = []
    for _ in range(steps):
        now = torch.randperm(len(texts), generator=random)[:batch]
        n = int((wanted[now] != -100).nonzero()[:, 1].max()) + 1
        x = below[now, :n]
        for block, change in zip(blocks[first:], low):
            x = through(block | {name: [block[name], *pair] for name, pair in change.items()}, x)
        counts = wanted[now, :n] != -100
        loss = cross_entropy(rms_norm(x[counts], norm) @ table.T, wanted[now, :n][counts])
        adam.zero_grad()
        loss.backward()
        adam.step()
        losses.append(loss.item())
    return changed(model, first, low), losses


def narrow(w, rank, random):
    """Two narrow matrices for a matrix W (rows, columns): A (rows, rank), random, and B (rank, columns), zeros."""
    a = torch.randn(len(w), rank, generator=random) / math.sqrt(len(w))
    return a.requires_grad_(), torch.zeros(rank, w.shape[1], requires_grad=True)


@torch.no_grad()
def changed(model, first, low):
    """The chat model with A B added to its matrices, in the layers from `first` on."""
    blocks = []
    for layer, block in enumerate(model.blocks()):
        more = low[layer - first] if layer >= first else {}
        blocks.append(block | {name: block[name] + (a @ b).numpy() for name, (a, b) in more.items()})
    return ChatModel(model.tokenizer, model.embedding, blocks, model.norm)


def learns(first, rank=RANK):
    """How many numbers learn, if the layers from `first` on are changed.

    >>> learns(29), learns(12)
    (40704, 732672)
    """
    d, hidden, narrow_d = 576, 1536, 192
    shapes = [(d, d), (d, narrow_d), (d, narrow_d), (d, d), (d, hidden), (d, hidden), (hidden, d)]
    return (LAYERS - first) * rank * sum(map(sum, shapes))


# ---- what it answers

def answers(model, pairs, most=12):
    """What it says to each question, at most so many pieces: text, without blanks at the ends."""
    return [model.text(model.write(asked(model, question), most)).strip() for question, _ in pairs]


def judged(pairs, said):
    """Of some answers: how many are one word, and how many hold the right one.

    >>> judged([("Where?", "Here"), ("When?", "Now")], ["It is here.", "Then"])
    {'one word': 1, 'right': 1}
    """
    return {"one word": sum(len(text.split()) == 1 for text in said),
            "right": sum(answer.lower() in text.lower() for (_, answer), text in zip(pairs, said, strict=True))}


def ordinary(model, texts):
    """The mean loss of texts of prose, an array (m, n) of numbers, from the ninth piece on."""
    return float(np.mean(model.losses(texts)[:, 8:]))
