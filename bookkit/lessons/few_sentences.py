"""Teach a pretrained model a task of one's own with a few sentences: ten kinds of request, forty sentences each.

The real model (`bookkit.lessons.minilm`) makes a vector of a sentence.  On these vectors stands the smallest learner
there is, one matrix; beside it stand a bag of words, the same model tuned further, and a Transformer that begins anew.

Sentences that we did not write are beside them: customers who are pleased with what they bought, or not (`OPINIONS`).
"""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy, normalize
from torch.nn.utils.parametrize import register_parametrization

from attnkit import softmax
from bookkit.lessons import minilm
from bookkit.lessons.passages import content

REQUESTS = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))   # kind: its sentences
HELD_OUT = 8                 # sentences of a kind that no draw learns from
_CUSTOMERS = json.loads(Path(__file__).with_name("opinions.json").read_text(encoding="utf-8"))
MOODS = ("displeased", "pleased")
# Of each mood: 128 sentences to learn from, 58 to choose rates by, 150 that are asked once, at the end.
OPINIONS = {part: {mood: _CUSTOMERS[mood][start:end] for mood in MOODS}
            for part, (start, end) in {"learn": (0, 128), "validation": (128, 186), "test": (186, 336)}.items()}


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


def opinions(part, examples=None, seed=0):
    """Sentences of customers and their moods, 0 or 1: a part of `OPINIONS`, all of it or so many of each, drawn."""
    rng = np.random.default_rng(seed)
    drawn = {mood: rng.permutation(texts).tolist()[:examples] for mood, texts in OPINIONS[part].items()}
    return sum(drawn.values(), []), np.repeat(range(len(MOODS)), [*map(len, drawn.values())]).tolist()


# ---- one matrix on vectors

def taught(vectors, kinds, count, steps=100, rate=10.0):
    """Find a matrix that tells kinds apart: a hundred plain steps down the slope of cross-entropy, from zeros.

    The vectors (m, d) of the examples have length 1, and their kinds count from 0. Gives (d, count), a column for each
    kind; the scores of a sentence are its vector times this.
    """
    wanted = np.eye(count)[list(kinds)]
    M = np.zeros((vectors.shape[1], count))
    for _ in range(steps):
        shares = softmax(vectors @ M)
        M -= rate * vectors.T @ (shares - wanted) / len(vectors)
    return M


def bags(texts, known):
    """Bags of words (texts, words), each of length 1: how often the words of some known texts stand in a text.

    Rare ones count more, and common ones, such as *the*, not at all.
    """
    told = [set(content(text)) for text in known]
    words = sorted(set().union(*told))
    rare = {word: np.log(len(told) / sum(word in one for one in told)) + 1 for word in words}
    found = [Counter(content(text)) for text in texts]
    counts = np.array([[one[word] * rare[word] for word in words] for one in found], dtype=float)
    return counts / np.maximum(np.linalg.norm(counts, axis=1, keepdims=True), 1e-12)


# ---- the model in torch, so that it can be tuned

class SentenceModel(nn.Module):
    """The real model as torch's own layers, many sentences at a time, with a matrix for the kinds behind it.

    If `fresh`, what is learned is forgotten: a small Transformer of the same kind, two layers of width 64, begins anew.
    """

    def __init__(self, model, kinds, fresh=False):
        super().__init__()
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
            self._load()

    @torch.no_grad()
    def _load(self):
        of = {name: torch.from_numpy(tensor).float() for name, tensor in self.model.tensors.items()}
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
        return self.above(*self.below(texts, 0), 0)

    def below(self, texts, count):
        """What the first `count` layers give for some sentences: streams (n, pieces, d), and where there is none."""
        numbers = [torch.tensor(self.model.numbers(text, most=128)) for text in texts]
        ids = nn.utils.rnn.pad_sequence(numbers, batch_first=True)
        padding = torch.arange(ids.shape[1]) >= torch.tensor([len(one) for one in numbers])[:, None]
        x = self.norm(self.table(ids) + self.places.weight[:ids.shape[1]])
        for layer in self.layers.layers[:count]:
            x = layer(x, src_key_padding_mask=padding)
        return x, padding

    def above(self, x, padding, count):
        """The vectors (n, d) out of what the first `count` layers have given."""
        for layer in self.layers.layers[count:]:
            x = layer(x, src_key_padding_mask=padding)
        return normalize(x.masked_fill(padding[..., None], 0).sum(dim=1), dim=-1)

    def forward(self, texts):
        """The scores of the kinds for some sentences, a tensor (n, kinds)."""
        return self.scores(self.vectors(texts))

    @torch.no_grad()
    def begin_with(self, M):
        """Put a matrix (d, kinds) on top, as `taught` finds it, so that tuning begins where it has ended."""
        self.kinds.weight.copy_(torch.from_numpy(M.T) / 10)

    def scores(self, vectors):
        """The scores of the kinds for some vectors (n, d)."""
        return 10 * self.kinds(vectors)


class LowRank(nn.Module):
    """What stands for a matrix of torch, which stays as it is: with items as rows, x W becomes x W + x A B.

    A (rows, rank) is random at first, B (rank, columns) is zero, and only these two learn (Hu et al., 2022).
    """

    def __init__(self, W, rank):
        super().__init__()
        columns, rows = W.shape                  # torch keeps W.T
        A = torch.randn(rank, rows, dtype=W.dtype).T
        self.A = nn.Parameter(A / rows ** 0.5)
        self.B = nn.Parameter(torch.zeros(rank, columns, dtype=W.dtype))

    def forward(self, W):
        """What is used in its place."""
        return W + (self.A @ self.B).T


def add_low_rank(model, rank, first=0):
    """Put a `LowRank` on all four matrices of the layers from `first` on, counted from 0, of a SentenceModel.

    Gives what learns: the As and Bs. But for the matrix of the kinds, all else is frozen.
    """
    for parameter in model.parameters():
        parameter.requires_grad_(False)
    learns = []
    for layer in model.layers.layers[first:]:
        for part, name in ((layer.self_attn, "in_proj_weight"),
                           (layer.self_attn.out_proj, "weight"),
                           (layer.linear1, "weight"),
                           (layer.linear2, "weight")):
            low = LowRank(getattr(part, name), rank)
            register_parametrization(part, name, low)
            learns += [low.A, low.B]
    model.kinds.weight.requires_grad_(True)
    return learns


PARTS = ("last", "low rank", "all")


def tune(model, texts, kinds, *, part="all", first=0, steps=60, rate=1e-4, top=1e-2, batch=16, seed=0):
    """Train a model on, by Adam; the matrix of the kinds always learns, at the rate `top` or faster. Gives the losses.

    With `part` "last" only the last layer learns with it, with "low rank" the As and Bs of `add_low_rank`, of rank 4,
    in the layers from `first` on. A step has at most `batch` examples, drawn from all of them in turn.
    """
    torch.manual_seed(seed)
    if part == "low rank":
        learns = add_low_rank(model, 4, first)
    else:
        learns = model.layers.layers[-1].parameters() if part == "last" else (
            p for name, p in model.named_parameters() if not name.startswith("kinds"))
    adam = torch.optim.AdamW([{"params": list(learns), "lr": rate},
                              {"params": model.kinds.parameters(), "lr": max(top, rate)}])
    kinds, waiting, losses = torch.tensor(kinds), torch.empty(0, dtype=torch.long), []
    if part == "last":                       # what the layers below give stays the same: once is enough
        count = len(model.layers.layers) - 1
        with torch.no_grad():
            x, padding = model.below(texts, count)
    for _ in range(steps):
        if len(waiting) == 0:
            waiting = torch.randperm(len(texts))
        now, waiting = waiting[:batch], waiting[batch:]
        scores = model.scores(model.above(x[now], padding[now], count)) if part == "last" else model(
            [texts[k] for k in now])
        loss = cross_entropy(scores, kinds[now])
        adam.zero_grad()
        loss.backward()
        adam.step()
        losses.append(loss.item())
    return losses


@torch.no_grad()
def right(model, texts, kinds):
    """The share of sentences whose kind is found; those of like length are read together, with little padding."""
    order, found = sorted(range(len(texts)), key=lambda k: len(texts[k])), 0
    for some in (order[start:start + 32] for start in range(0, len(order), 32)):
        wanted = torch.tensor([int(kinds[k]) for k in some])
        found += (model([texts[k] for k in some]).argmax(dim=1) == wanted).sum().item()
    return found / len(texts)
