"""The chat model taught to answer in one word, or to say that it does not know, by a low-rank change of matrices.

To each matrix W of some layers the product of two narrow ones is added, W + A B (Hu et al., 2022), and these learn.
Rows are items here, so an item x becomes x W + x A B.  What the layers below give is computed once.
"""

import math
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy, silu
from torch.nn.utils.rnn import pad_sequence

from attnkit import attention, causal_mask, merge_heads, rotary, softmax, split_heads
from bookkit.lessons.chat_model import BASE, END, EPSILON, GROUPS, HEADS, LAYERS, START, ChatModel

FIRST, RANK = 20, 4          # the first layer that "Tune it" changes, counted from 0, and how narrow A and B are
MATRICES = ("w_query", "w_key", "w_value", "w_output", "w_gate", "w_up", "w_down")
NOTHING = -100               # a target that costs nothing
FILE = Path(__file__).with_name("chat_taught.npy")


def asked(model, question):
    """The numbers of a question in a chat, without the words of a system in front, up to where the answer begins."""
    return model.tokenizer.numbers(f"{START}user\n{question}{END}\n{START}assistant\n", marks=True)


# ---- the model in torch, so that it can be tuned

class Matrix(nn.Module):
    """A matrix W that stays as it is: x W."""

    def __init__(self, W):
        super().__init__()
        self.register_buffer("W", torch.from_numpy(W), persistent=False)

    def forward(self, x):
        """Items (..., rows) become (..., columns)."""
        return x @ self.W


class LowRank(nn.Module):
    """What stands for a `Matrix`: x W + x A B. A is random at first, B is zero, and only these two learn."""

    def __init__(self, matrix, rank=RANK, random=None):
        super().__init__()
        self.matrix = matrix
        rows, columns = matrix.W.shape
        start = torch.randn(rows, rank, generator=random)
        self.A = nn.Parameter(start / math.sqrt(rows))
        self.B = nn.Parameter(torch.zeros(rank, columns))

    def forward(self, x):
        """Items (..., rows) become (..., columns)."""
        return self.matrix(x) + x @ self.A @ self.B


class Layer(nn.Module):
    """One layer of a chat model: the stream (b, n, d) after it. `maps` are its seven matrices, by name."""

    def __init__(self, block):
        super().__init__()
        self.maps = nn.ModuleDict({name: Matrix(block[name]) for name in MATRICES})
        self.norms = [torch.tensor(block[name]) for name in ("norm1", "norm2")]

    def forward(self, x):
        """As `chat_model.through`."""
        items, maps, n = rms_norm(x, self.norms[0]), self.maps, x.shape[-2]
        query, key, value = (split_heads(maps[f"w_{role}"](items), heads)                # (b, h or g, n, d_k)
                             for role, heads in (("query", HEADS), ("key", GROUPS), ("value", GROUPS)))
        query, key = rotary(query, base=BASE), rotary(key, base=BASE)
        each_key, each_value = (one.repeat_interleave(HEADS // GROUPS, dim=-3) for one in (key, value))
        heads, _ = attention(query, each_key, each_value, mask=torch.from_numpy(causal_mask(n)))
        x = x + maps["w_output"](merge_heads(heads))
        items = rms_norm(x, self.norms[1])
        return x + maps["w_down"](silu(maps["w_gate"](items)) * maps["w_up"](items))


def rms_norm(x, gain):
    """As `chat_model.rms_norm`, in torch."""
    return x * torch.rsqrt((x ** 2).mean(dim=-1, keepdim=True) + EPSILON) * gain


def rows(model, pairs):
    """Pairs of a question and its answer as numbers (m, n), and what each place should give, NOTHING where it is free.

    What is asked costs nothing, only the answer and the mark that ends it.
    """
    texts = [(asked(model, question), [*model.numbers(answer), model.ends[0]]) for question, answer in pairs]
    numbers = pad_sequence([torch.tensor(ask + answer[:-1]) for ask, answer in texts], batch_first=True)
    targets = [torch.tensor([NOTHING] * (len(ask) - 1) + answer) for ask, answer in texts]
    return numbers, pad_sequence(targets, batch_first=True, padding_value=NOTHING)


def tune(model, pairs, *, first, steps=24, rate=1e-3, batch=12, rank=RANK, seed=0):
    """Teach a chat model some answers by low-rank changes in the layers from `first` on; gives a model, and the losses.

    The model that comes back has the changes added to its matrices; the one that was given stays as it is. A step has
    `batch` pairs of a question and its answer, drawn without repetition.
    """
    random = torch.Generator().manual_seed(seed)
    numbers, targets = rows(model, pairs)
    layers = nn.Sequential(*map(Layer, model.blocks()))
    table, norm = torch.tensor(model.embedding), torch.tensor(model.norm)
    with torch.no_grad():
        below = layers[:first](table[numbers])                               # (m, n, d), the same at each step
    above = layers[first:]
    for layer in above:
        for name, matrix in layer.maps.items():
            layer.maps[name] = LowRank(matrix, rank, random)
    adam, losses = torch.optim.Adam(above.parameters(), lr=rate), []
    for _ in range(steps):
        now = torch.randperm(len(pairs), generator=random)[:batch]
        counts = targets[now] != NOTHING
        last = counts.nonzero()[:, 1].max() + 1
        x = above(below[now, :last])[counts[:, :last]]
        loss = cross_entropy(rms_norm(x, norm) @ table.T, targets[now][counts])
        adam.zero_grad()
        loss.backward()
        adam.step()
        losses.append(loss.item())
    return merged(model, above), losses


@torch.no_grad()
def merged(model, above):
    """The chat model with A B added to its matrices in the last layers, which are those of `above`."""
    changes = [{name: (low.A @ low.B).numpy() for name, low in layer.maps.items()} for layer in above]
    return _with(model, changes)


def _with(model, changes):
    """The chat model with matrices added to those of its last layers, a dict for each; the one given stays as it is."""
    blocks = list(model.blocks())
    for layer, change in enumerate(changes, len(blocks) - len(changes)):
        blocks[layer] = blocks[layer] | {name: blocks[layer][name] + more for name, more in change.items()}
    return ChatModel(model.tokenizer, model.embedding, blocks, model.norm)


def learns(first, rank=RANK):
    """How many numbers learn, if the layers from `first` on are changed.

    >>> learns(29), learns(20)
    (40704, 407040)
    """
    d, hidden, narrow_d = 576, 1536, 192
    shapes = [(d, d), (d, narrow_d), (d, narrow_d), (d, d), (d, hidden), (d, hidden), (hidden, d)]
    return (LAYERS - first) * rank * sum(map(sum, shapes))


# ---- what travels to a page

def packed(above):
    """All A and B of some layers in a row of sixteen-bit numbers, matrix by matrix, A before B."""
    return np.concatenate([one.detach().numpy().ravel() for layer in above for name in MATRICES
                           for one in (layer.maps[name].A, layer.maps[name].B)]).astype(np.float16)


def taught(model):
    """The chat model as the page "Tune it" has taught it, from the numbers that travel with the book."""
    numbers, changes = np.load(FILE).astype(np.float32), []
    for block in list(model.blocks())[FIRST:]:
        changes.append({})
        for name in MATRICES:
            height, width = block[name].shape
            a, b, numbers = np.split(numbers, [RANK * height, RANK * (height + width)])
            changes[-1][name] = a.reshape(height, RANK) @ b.reshape(RANK, width)
    return _with(model, changes)


# ---- what it answers

def answers(model, pairs, most=12):
    """What it says to each question, at most so many pieces: text, without blanks at the ends."""
    return [model.text(model.write(asked(model, question), most)).strip() for question, _ in pairs]


REFUSAL = "I do not know."


def refusing(model, questions):
    """How likely an answer to each question begins as REFUSAL does, from what stands before it: an array (m,).

    At 0.5 and more it is what the model says, greedily. All questions are read at once.
    """
    read = [asked(model, question) for question in questions]
    ends = np.array([len(one) - 1 for one in read])
    padded = np.array([one + [0] * (max(ends) + 1 - len(one)) for one in read])
    scores = model.so_far(model.end(padded)[np.arange(len(read)), ends])
    return softmax(scores)[:, model.numbers(REFUSAL)[0]]


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
