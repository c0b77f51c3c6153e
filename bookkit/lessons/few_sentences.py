"""Teach a pretrained model a task of one's own with a few sentences: ten kinds of request, forty sentences each.

The real model (`bookkit.lessons.minilm`) makes a vector of a sentence.  On these vectors stands the smallest learner
there is, one matrix; beside it stand a bag of words, the same model tuned further, and a Transformer that begins anew.
"""

import json
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy, normalize

from attnkit import softmax
from bookkit.lessons import minilm
from bookkit.lessons.passages import content

REQUESTS = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))   # kind: its sentences
HELD_OUT = 8                 # sentences of a kind that no draw learns from


def draw(kinds, examples, seed):
    """Choose sentences to learn from, 1 to 32 of each kind of `REQUESTS`, and eight others of each to be tested on.

    Both are pairs of sentences and the places of their kinds.
    """
    if not 1 <= examples <= 40 - HELD_OUT:
        raise ValueError(f"examples must be 1 to {40 - HELD_OUT}, got {examples}")
    rng = np.random.default_rng(seed)
    shuffled = [rng.permutation(REQUESTS[kind]).tolist() for kind in kinds]
    places = range(len(kinds))
    learn = [text for texts in shuffled for text in texts[:examples]], np.repeat(places, examples).tolist()
    test = [text for texts in shuffled for text in texts[-HELD_OUT:]], np.repeat(places, HELD_OUT).tolist()
    return learn, test


# ---- one matrix on vectors

def taught(vectors, kinds, count, steps=100, rate=10.0):
    """Find a matrix that tells kinds apart: a hundred plain steps down the slope of cross-entropy, from zeros.

    The vectors (m, d) of the examples have length 1, and their kinds count from 0. Gives (d, count), a column for each
    kind; the scores of a sentence are its vector times this.
    """
    right = np.eye(count)[list(kinds)]
    M = np.zeros((vectors.shape[1], count))
    for _ in range(steps):
        shares = softmax(vectors @ M)
        M -= rate * vectors.T @ (shares - right) / len(vectors)
    return M


def bags(texts, known):
    """Bags of words (texts, words), each of length 1: how often the words of some known texts stand in a text.

    Rare ones count more, and common ones, such as *the*, not at all.
    """
    words = sorted({word for text in known for word in content(text)})
    rare = {word: np.log(len(known) / sum(word in content(text) for text in known)) + 1 for word in words}
    counts = np.array([[content(text).count(word) * rare[word] for word in words] for text in texts], dtype=float)
    return counts / np.maximum(np.linalg.norm(counts, axis=1, keepdims=True), 1e-12)


# ---- the model in torch, so that it can be tuned

class SentenceModel(nn.Module):
    """The real model as torch's own layers, many sentences at a time, with a matrix for the kinds behind it.

    If `fresh`, what is learned is forgotten: a small Transformer of the same kind, two layers of width 64, begins anew.
    """

    def __init__(self, model, kinds, fresh=False):
        super().__init__()
        of = {name: torch.from_numpy(tensor).float() for name, tensor in model.tensors.items()}
        width, heads, hidden, layers = (64, 4, 256, 2) if fresh else (minilm.WIDTH, minilm.HEADS, 4 * minilm.WIDTH,
                                                                      minilm.LAYERS)
        self.model = model
        self.table = nn.Embedding(len(model.words), width)
        self.places = nn.Embedding(minilm.CONTEXT, width)
        self.norm = nn.LayerNorm(width, eps=minilm.EPSILON)
        layer = nn.TransformerEncoderLayer(width, heads, hidden, 0.0, "gelu", minilm.EPSILON, batch_first=True)
        self.layers = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.kinds = nn.Linear(width, kinds, bias=False)
        nn.init.zeros_(self.kinds.weight)
        if not fresh:
            self._load(of)

    @torch.no_grad()
    def _load(self, of):
        self.table.weight.copy_(of["embedding"])
        self.places.weight.copy_(of["positions"] + of["kinds"][0])
        self.norm.weight.copy_(of["norm.gain"])
        self.norm.bias.copy_(of["norm.bias"])
        for k, layer in enumerate(self.layers.layers):
            part = {name: of[f"layers.{k}.{name}"] for name in self.model.block(k)}
            attends = layer.self_attn
            for role, rows in zip(("query", "key", "value"), range(0, 3 * minilm.WIDTH, minilm.WIDTH)):
                attends.in_proj_weight[rows:rows + minilm.WIDTH] = part[f"w_{role}"].T
                attends.in_proj_bias[rows:rows + minilm.WIDTH] = part[f"b_{role}"]
            for linear, name in ((attends.out_proj, "_output"), (layer.linear1, "1"), (layer.linear2, "2")):
                linear.weight.copy_(part[f"w{name}"].T)
                linear.bias.copy_(part[f"b{name}"])
            for norm in ("norm1", "norm2"):
                getattr(layer, norm).weight.copy_(part[f"{norm}.gain"])
                getattr(layer, norm).bias.copy_(part[f"{norm}.bias"])

    def vectors(self, texts):
        """The vectors of some sentences, a tensor (n, d)."""
        numbers = [torch.tensor(self.model.numbers(text, most=128)) for text in texts]
        ids = nn.utils.rnn.pad_sequence(numbers, batch_first=True)
        padding = torch.arange(ids.shape[1]) >= torch.tensor([len(one) for one in numbers])[:, None]
        x = self.norm(self.table(ids) + self.places.weight[:ids.shape[1]])
        x = self.layers(x, src_key_padding_mask=padding).masked_fill(padding[..., None], 0)
        return normalize(x.sum(dim=1), dim=-1)

    def forward(self, texts):
        """The scores of the kinds for some sentences, a tensor (n, kinds)."""
        return 10 * self.kinds(self.vectors(texts))


def tune(model, texts, kinds, *, part="all", steps=60, rate=1e-4, batch=16, seed=0):
    """Train a model on, by Adam; the matrix of the kinds always learns, and ten times as fast.

    With `part` "last" only the last layer learns with it. A step has at most `batch` examples, drawn from all of them
    in turn.
    """
    torch.manual_seed(seed)
    learns = model.layers.layers[-1].parameters() if part == "last" else (
        p for name, p in model.named_parameters() if not name.startswith("kinds"))
    adam = torch.optim.AdamW([{"params": list(learns), "lr": rate},
                              {"params": model.kinds.parameters(), "lr": max(1e-2, rate)}])
    kinds, waiting = torch.tensor(kinds), torch.empty(0, dtype=torch.long)
    for _ in range(steps):
        if len(waiting) == 0:
            waiting = torch.randperm(len(texts))
        now, waiting = waiting[:batch], waiting[batch:]
        loss = cross_entropy(model([texts[k] for k in now]), kinds[now])
        adam.zero_grad()
        loss.backward()
        adam.step()


@torch.no_grad()
def right(model, texts, kinds):
    """The share of sentences whose kind is found."""
    return float((model(texts).argmax(dim=1) == torch.tensor(kinds)).double().mean())
