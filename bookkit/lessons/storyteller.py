"""A small decoder-only Transformer that learns to write the stories of `bookkit.lessons.stories`, word by word.

From the words so far it makes a score for each word that may come next. It is small enough to be sent to a page: see
`Storyteller.packed`.
"""

import json
import math
from collections import Counter, defaultdict
from copy import deepcopy
from functools import cache, cached_property
from itertools import count, groupby
from pathlib import Path

import numpy as np
import torch
from torch import nn

from attnkit import attention, merge_heads, scaled_dot, split_heads
from attnkit.masks import causal_mask
from attnkit.modules import xavier
from attnkit.positions import relative_bias
from attnkit.sampling import Xorshift, choose
from bookkit.lessons.corpora import vocabulary
from bookkit.lessons.packing import pack, sizes, unpack
from bookkit.lessons.stories import KINDS, WORDS, determined, errors, stories
from bookkit.lessons.training import encode, fit, new_model, next_word_loss

START, END = "<start>", "<end>"
CONTEXT = 64                 # at most so many words, the start among them
OUTPUT_SCALE = 0.1875        # word vectors begin with numbers of size 1, too large for scores
KIND = "storyteller"         # what its packed form calls itself
BITS = 8                     # of each number of a model that travels
SHORT = 0.15
# What is set to zero in each block to take a part out, from which layer on and from which head on: the twin in
# `bookkit/figures/model.js` has the same names. Without the mask no weight is another one.
TAKEN_OUT = {
    "positions": (["bias"], 0, 0),
    "heads": (["w_output"], 0, 1),
    "layers": (["w_output", "w2", "b2"], 1, 0),
    "mlps": (["w2", "b2"], 0, 0),
    "attention": (["w_output"], 0, 0),
    "scores": (["w_query", "bias"], 0, 0),
    "mask": ([], 0, 0),
}
CHAPTER_SEED = 8101          # of the model that the chapter trains: of three, the one whose heads are easiest to read
TRAINED = Path(__file__).with_name("storyteller.json")


class StoryBlock(nn.Module):
    """A block of a decoder: masked attention with a relative bias, then an MLP; each reads what a layer norm gives.

    It is no `attnkit.modules.TransformerBlock`, as it gives every result on the way and takes some from elsewhere.

    The bias tells `reach` places back apart, and `hidden` is the units of the MLP. Where ``attention`` is "uniform"
    instead of "softmax", all words so far count the same, and queries, keys and biases stay unused. Without `mlp` the
    MLP is not used: what attention adds is all.
    """

    def __init__(self, width, num_heads, hidden, *, reach=32, attention="softmax", mlp=True):
        super().__init__()
        if attention not in ("softmax", "uniform"):
            raise ValueError(f"attention must be 'softmax' or 'uniform', got {attention!r}")
        if width % num_heads:
            raise ValueError(f"num_heads must divide width, got {num_heads} and {width}")
        self.num_heads, self.uniform, self.masked = num_heads, attention == "uniform", True
        self.attention_norm = nn.LayerNorm(width)
        self.w_query, self.w_key, self.w_value, self.w_output = (xavier(width, width) for _ in range(4))
        self.bias = nn.Parameter(torch.zeros(num_heads, reach + 1))       # the last for the query's own place
        self.mlp_norm = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, hidden), nn.ReLU(), nn.Linear(hidden, width))
        for weight in (self.w_query, self.w_key, self.bias):
            weight.requires_grad_(not self.uniform)
        self.computes = mlp
        for weight in (*self.mlp_norm.parameters(), *self.mlp.parameters()):
            weight.requires_grad_(mlp)

    def forward(self, x, past=None, moved=None):
        """All that the block computes of items x (b, n, d), by name, see `Storyteller`; "after_mlp" is what goes on.

        `past` are the keys and values of the m - n items before x, as a call before has given them.  `moved` are
        vectors that stand, at the last place, for what a head has blended (by its number), or for what the MLP adds
        (``"mlp"``).
        """
        moved = {} if moved is None else moved
        items = self.attention_norm(x)                                                       # (b, n, d)
        query, key, value = (split_heads(items @ w, self.num_heads)                          # (b, h, n, d_k)
                             for w in (self.w_query, self.w_key, self.w_value))
        if past is not None:
            key, value = (torch.cat(pair, dim=-2) for pair in zip(past, (key, value)))       # (b, h, m, d_k)
        mask = causal_mask(query.shape[-2], key.shape[-2], like=x) if self.masked else None  # (n, m)
        scores = self.score(query, key)                                                      # (b, h, n, m)
        heads, weights = attention(query, key, value, mask=mask, score=lambda *_: scores)
        for head in range(self.num_heads):
            if head in moved:
                heads[..., head, -1, :] = moved[head]
        looked = merge_heads(heads) @ self.w_output                                          # (b, n, d)
        middle = x + looked                                                                  # (b, n, d)
        first, relu, second = self.mlp
        middle_items = self.mlp_norm(middle)                                                 # (b, n, d)
        hidden = relu(first(middle_items))                                                   # (b, n, hidden)
        thought = second(hidden)                                                             # (b, n, d)
        if "mlp" in moved:
            thought[..., -1, :] = moved["mlp"]
        after = middle + thought if self.computes else middle                                # (b, n, d)
        return {"norm1": items, "query": query, "key": key, "value": value, "scores": scores, "weights": weights,
                "heads": heads, "attention": looked, "after_attention": middle, "norm2": middle_items,
                "hidden": hidden, "mlp": thought, "after_mlp": after}

    def score(self, query, key):
        """Scores (b, h, n, m): scaled dot products, and what each head adds for how far back a key stands."""
        n, m = query.shape[-2], key.shape[-2]
        if self.uniform:
            return query.new_zeros(*query.shape[:-1], m)
        return scaled_dot(query, key) + self.distances(n, m)

    def distances(self, n, m):
        """What each head adds to the scores of the last n of m words (h, n, m)."""
        ahead = self.bias.new_zeros(self.num_heads, self.bias.shape[1] - 1)       # the mask hides what they are for
        return relative_bias(torch.cat([self.bias, ahead], dim=1), n, m)


class Readout(nn.Module):
    """The scores of words: the dot products of items with the words' own vectors, scaled so that they begin small.

    The table of word vectors serves at both ends of a model (Press and Wolf 2017).
    """

    def __init__(self, embedding):
        super().__init__()
        self.embedding = embedding

    def forward(self, items):
        """Items (b, n, d): scores (b, n, words)."""
        return OUTPUT_SCALE * items @ self.embedding.weight.T


class Storyteller(nn.Module):
    """Word vectors, some blocks, a layer norm; the scores of the next word are dot products with the word vectors.

    Every result on the way has a name.  `read` and `trace` give them all: ``embedding``, the word vectors (n, d); for
    each block, with ``layers.0.`` and so on in front, ``norm1`` (n, d), what its attention reads; ``query``, ``key``,
    ``value`` (h, n, d_k); ``scores`` and ``weights`` (h, n, n); ``heads`` (h, n, d_k), what each head has blended;
    ``attention`` (n, d), what it adds to the stream; ``after_attention`` (n, d), the stream then; ``norm2`` (n, d),
    what the MLP reads; ``hidden`` (n, hidden), its units; ``mlp`` (n, d), what it adds; ``after_mlp`` (n, d), the
    stream then; at last ``norm`` (n, d) and ``scores`` (n, words), of the word after each.

    A word's number is its place in `words`; for the other arguments see `StoryBlock`.

    >>> model = Storyteller(["<pad>", "<start>", "<end>", "yes", "no"], width=8, num_heads=2)
    >>> scores, weights = model(torch.tensor([[1, 3, 4]]))
    >>> tuple(scores.shape), [tuple(w.shape) for w in weights]
    ((1, 3, 5), [(1, 2, 3, 3), (1, 2, 3, 3)])
    """

    context = CONTEXT

    def __init__(self, words, *, width=32, num_heads=4, num_layers=2, hidden=64, reach=32, attention="softmax",
                 mlp=True):
        super().__init__()
        self.words = list(words)
        self.embedding = nn.Embedding(len(self.words), width)
        options = {"reach": reach, "attention": attention, "mlp": mlp}
        self.blocks = nn.ModuleList(StoryBlock(width, num_heads, hidden, **options) for _ in range(num_layers))
        self.norm = nn.LayerNorm(width)
        self.readout = Readout(self.embedding)

    def forward(self, numbers, cache=None):
        """Numbers of words (b, n): scores of the next word (b, n, words), and weights (b, h, n, m) for each block.

        With a `KeyValueCache` the numbers are those of the words after the ones it has seen.
        """
        results = self.read(numbers, cache)
        return results["scores"], [results[f"layers.{layer}.weights"] for layer in range(len(self.blocks))]

    def read(self, numbers, cache=None, moved=None):
        """Numbers of words (b, n): every result on the way, by name, each with b in front; see `trace` for `moved`."""
        moved = [{part: vector for (at, part), vector in (moved or {}).items() if at == layer}
                 for layer in range(len(self.blocks))]
        x = self.embedding(numbers)                                                          # (b, n, d)
        results = {"embedding": x}
        for layer, block in enumerate(self.blocks):
            found = block(x, None if cache is None else cache.seen.get(layer), moved[layer])
            if cache is not None:
                cache.seen[layer] = found["key"], found["value"]
            results |= {f"layers.{layer}.{name}": result for name, result in found.items()}
            x = found["after_mlp"]                                                           # (b, n, d)
        items = self.norm(x)                                                                 # (b, n, d)
        return results | {"norm": items, "scores": self.readout(items)}                      # (b, n, words)

    @torch.no_grad()
    def trace(self, numbers, moved=None):
        """The numbers of the words of one text, <start> among them: every result on the way, by name, as numpy arrays.

        The scores that the mask hides, those of later words, are minus infinity.  `moved` puts a part of another run
        into this one, at the last word: of pairs of a layer and a head, or ``"mlp"``, the vectors that stand for what
        the head has blended (d_k), or for what the MLP adds (d); zeros take it out.  The model goes on from there.
        """
        moved = {part: torch.as_tensor(vector) for part, vector in (moved or {}).items()}
        read = self.read(torch.tensor([list(numbers)]), moved=moved)
        results = {name: result[0].numpy() for name, result in read.items()}
        past = causal_mask(len(numbers)) if self.masked else True
        hidden = {name: np.where(past, results[name], -np.inf) for name in results
                  if name.endswith(".scores")}
        return results | hidden

    @torch.no_grad()
    def so_far(self, stream):
        """The scores of the next word (..., words) if the machine stopped at a stage of its stream (..., d)."""
        return self.readout(self.norm(torch.as_tensor(stream))).numpy()

    @torch.no_grad()
    def contributions(self, results, word, other):
        """What each part adds to the score of one word less that of another, at the last word of a text.

        The results are what `trace` gives. The last norm divides by a size; that size is held, so that the parts add up
        to the difference of the two scores. They are "embedding", a pair of a layer and a head or "mlp" for each part
        of a block, and "bias", what the last norm adds for any text.
        """
        chosen = [self.words.index(name) for name in (word, other)]
        table = self.embedding.weight[chosen].numpy()
        gain, bias = self.norm.weight.numpy(), self.norm.bias.numpy()
        end = results[f"layers.{self.num_layers - 1}.after_mlp"][-1]
        size = math.sqrt(end.var() + self.norm.eps)

        def adds(vector):
            return float(OUTPUT_SCALE * (table[0] - table[1]) @ vector)

        parts = {"embedding": results["embedding"][-1]}
        for layer, block in enumerate(self.blocks):
            outputs = block.w_output.numpy().reshape(self.num_heads, -1, len(end))
            for head, blended in enumerate(results[f"layers.{layer}.heads"][:, -1]):
                parts[layer, head] = blended @ outputs[head]
            parts[layer, "mlp"] = results[f"layers.{layer}.mlp"][-1]
        found = {part: adds(gain * (vector - vector.mean()) / size) for part, vector in parts.items()}
        return found | {"bias": adds(bias)}

    @torch.no_grad()
    def without(self, part):
        """The model with a part taken out in every layer, nothing trained anew; `part` is one of `TAKEN_OUT`.

        Without "positions" no score tells how far back a word stands. Of "heads" the first of each layer is left, of
        "layers" the first. The "mlps" add nothing, or "attention" adds nothing; without "scores" each word that may be
        seen weighs the same. Without the "mask" words see those after them, too, which no bias is for, and a model
        keeps nothing of what it has read: a new word changes all before it.
        """
        if part not in TAKEN_OUT:
            raise ValueError(f"part must be one of {', '.join(TAKEN_OUT)}, got {part!r}")
        names, first_layer, first_head = TAKEN_OUT[part]
        model = deepcopy(self)
        tensors = dict(model._tensors())
        for layer in range(first_layer, self.num_layers):
            for rows in (tensors[f"layers.{layer}.{name}"] for name in names):
                rows[first_head * len(rows) // self.num_heads:] = 0
        for block in model.blocks:
            block.masked = self.masked and part != "mask"
        return model

    @property
    def masked(self):
        """Whether a word sees only itself and those before it."""
        return self.blocks[0].masked

    @property
    def num_layers(self):
        """How many blocks there are."""
        return len(self.blocks)

    @property
    def num_heads(self):
        """How many heads each block has."""
        return self.blocks[0].num_heads

    def packed(self):
        """The model as a dict for JSON, its numbers in eight bits; some 30 kB, 20 of them if compressed.

        ``words``, ``width``, ``num_heads``, ``num_layers``, ``hidden``, ``context``, ``attention``, ``epsilon`` (of the
        layer norms) and ``output_scale`` say what it is; the rest is what `bookkit.lessons.packing.pack` gives.

        The tensors are ``embedding`` (words, d); for each block, with ``layers.0.`` and so on in front, ``norm1.gain``,
        ``norm1.bias`` (d); ``w_query``, ``w_key``, ``w_value``, ``w_output`` (d, d); ``bias`` (h, r + 1), what is added
        to a score, the last column for the query's own place, the one before it for one place back, the first for r
        places or more; ``norm2.gain``, ``norm2.bias`` (d); ``w1`` (d, hidden), ``b1``, ``w2`` (hidden, d), ``b2``; at
        last ``norm.gain`` and ``norm.bias``. Rows are items: a layer is x W + b. A missing mask is no number and does
        not travel: without it this is a ValueError.
        """
        if not self.masked:
            raise ValueError("a model without its mask does not travel")
        block = self.blocks[0]
        return pack({name: tensor.detach() for name, tensor in self._tensors()}, BITS, model=KIND, words=self.words,
                    width=self.embedding.weight.shape[1], num_heads=block.num_heads, num_layers=len(self.blocks),
                    hidden=block.mlp[0].out_features, context=self.context,
                    attention="uniform" if block.uniform else "softmax", epsilon=self.norm.eps,
                    output_scale=OUTPUT_SCALE)

    @classmethod
    def unpacked(cls, packed):
        """The model that `packed` has made a dict of, in float64, with exactly the numbers that travelled."""
        about = sizes(packed, ["model", "words", "width", "num_heads", "num_layers", "hidden", "attention", "tensors"])
        if about["model"] != KIND:
            raise ValueError(f"the packed model must be a {KIND}, got {about['model']!r}")
        tensors = about.pop("tensors")
        model = new_model(0, cls, about["words"], reach=tensors["layers.0.bias"]["shape"][-1] - 1,
                          **{name: about[name] for name in ("width", "num_heads", "num_layers", "hidden", "attention")})
        read = unpack(packed, {name: tuple(tensor.shape) for name, tensor in model._tensors()})
        with torch.no_grad():
            for name, tensor in model._tensors():
                tensor.copy_(torch.from_numpy(read[name]))
        return model.eval()

    def _tensors(self):
        """The weights by the names under which they travel, matrices with a column for each output."""
        yield "embedding", self.embedding.weight
        for layer, block in enumerate(self.blocks):
            first, _, second = block.mlp
            named = {"norm1.gain": block.attention_norm.weight, "norm1.bias": block.attention_norm.bias,
                     "w_query": block.w_query, "w_key": block.w_key, "w_value": block.w_value,
                     "w_output": block.w_output, "bias": block.bias, "norm2.gain": block.mlp_norm.weight,
                     "norm2.bias": block.mlp_norm.bias, "w1": first.weight.T, "b1": first.bias,
                     "w2": second.weight.T, "b2": second.bias}
            yield from ((f"layers.{layer}.{name}", tensor) for name, tensor in named.items())
        yield "norm.gain", self.norm.weight
        yield "norm.bias", self.norm.bias


class KeyValueCache:
    """The keys and values of all words that a model has read, so that for the next word nothing is computed twice.

    It can be kept because a word never looks ahead: nothing that comes later changes its key or its value.
    """

    def __init__(self):
        self.seen = {}            # keys and values by layer

    def __len__(self):
        """How many words have been read."""
        return self.seen[0][0].shape[-2] if self.seen else 0


@torch.no_grad()
def write(model, prompt="", *, temperature=1.0, top_k=None, seed=0, max_length=CONTEXT - 1, cached=True):
    """Let a model go on with a story until it ends: the words, a tuple, those of the prompt first.

    The prompt is a str or a sequence of words, full stops among them; `max_length` counts its words, too. For
    `temperature` and `top_k` see `chances`. The seed, 0 to 9999, is for the choices; with several, a list of stories is
    written at the same time. Unless `cached`, keys and values are computed again for each word, and the story is the
    same; so they are without a mask.
    """
    prompt = prompt.split() if isinstance(prompt, str) else list(prompt)
    if len(prompt) > max_length:
        raise ValueError(f"prompt must have at most {max_length} words, got {len(prompt)}")
    seeds = [seed] if isinstance(seed, int) else list(seed)
    told = encode([[START, *prompt]] * len(seeds), model.words)
    randoms, cache = [Xorshift(one) for one in seeds], KeyValueCache() if cached and model.masked else None
    never, end = [model.words.index(word) for word in ("<pad>", START)], model.words.index(END)
    while told.shape[1] <= max_length and not (told == end).any(1).all():
        scores, _ = model(told if cache is None else told[:, len(cache):], cache)
        scores = scores[:, -1].clone()
        scores[:, never] = -math.inf
        chosen = [choose(row, random, temperature=temperature, top_k=top_k)
                  for row, random in zip(scores.numpy(), randoms)]
        told = torch.cat([told, torch.tensor(chosen)[:, None]], dim=1)
    written = [tuple(model.words[i] for i in row[1:[*row, end].index(end)]) for row in told.tolist()]
    return written[0] if isinstance(seed, int) else written


# ---- training and measuring

_kinds = cache(determined)        # the same stories are asked again and again


class StoryTask:
    """Stories to learn from and held-out ones; storytellers trained with them, and what they get right.

    The held-out stories have a seed of their own, and none of them is among the others.
    """

    def __init__(self, num_stories=20_000, num_held_out=1000, *, seed=0):
        self.vocabulary = vocabulary([WORDS])
        # A list as a seed: no training, whose seed is one number, draws the same.
        self.held_out = stories(num_held_out, seed=[seed, 1])
        self._drawn = num_stories, seed

    @cached_property
    def training(self):
        """The stories to learn from, the shortest first; written when they are first asked for: it takes seconds."""
        num_stories, seed = self._drawn
        unseen = set(self.held_out)
        return sorted((story for story in stories(num_stories, seed=seed) if story not in unseen), key=len)

    @cached_property
    def _numbers(self):
        return self.encode(self.training)

    def encode(self, texts):
        """Stories, sequences of words, as numbers with a start and an end (b, n), the shorter filled up with zeros."""
        return encode([[START, *words, END] for words in texts], self.vocabulary)

    def batch(self, chosen, *, short=False):
        """Some of the stories to learn from as numbers, cut to the longest; `short`, those of the shortest quarter."""
        chosen = chosen // 4 if short else chosen                # they are sorted by length
        numbers = self._numbers[chosen]
        return numbers[:, :(numbers > 0).sum(dim=1).max()]

    def train(self, seed, *, steps=4000, batch_size=10, lr=1e-2, change=None, **options):
        """A model trained from scratch, in less than a minute; `options` are those of `Storyteller`.

        In the first `SHORT` of the steps it learns from the shortest quarter of the stories. `change` is called with
        each block before that, and may put other parts in (see `bookkit.lessons.put_in`).
        """
        model, steps_taken = new_model(seed, Storyteller, self.vocabulary, **options), count()
        if change:
            for block in model.blocks:
                change(block)
            model.double()

        def loss(chosen):
            numbers = self.batch(chosen, short=next(steps_taken) < SHORT * steps)
            return next_word_loss(model(numbers[:, :-1])[0], numbers[:, 1:])

        fit(model, loss, len(self.training), steps=steps, batch_size=batch_size, lr=lr, betas=(0.9, 0.98),
            warmup=steps // 80, clip=1.0)
        return model

    @torch.no_grad()
    def loss(self, model, texts=None):
        """The mean of -log of the probability given to each next word of the held-out stories, or of others."""
        numbers = self.encode(self.held_out if texts is None else texts)
        return next_word_loss(model(numbers[:, :-1])[0], numbers[:, 1:]).item()

    @torch.no_grad()
    def evaluate(self, model, texts=None):
        """The share of determined words that a model finds most likely, by kind, in held-out stories or in others.

        Kinds are in the order of `bookkit.lessons.stories.KINDS`, "all" first; one that does not come is left out.
        """
        texts = self.held_out if texts is None else texts
        numbers = self.encode(texts)
        right = (model(numbers[:, :-1])[0].argmax(-1) == numbers[:, 1:]).tolist()
        found = {}
        for words, row in zip(texts, right):
            for kind, is_right in zip(_kinds(words), row):
                if kind:
                    found.setdefault(kind, []).append(is_right)
        found = {"all": sum(found.values(), []), **{kind: found[kind] for kind in KINDS if kind in found}}
        return {kind: sum(row) / len(row) for kind, row in found.items()}

    def evaluate_counting(self):
        """The same for a program that only counts: it takes what most often followed the last two words in training."""
        after = defaultdict(Counter)
        for words in self.training:
            for *last, word in zip(("", *words), words, words[1:]):
                after[tuple(last)][word] += 1
        found = defaultdict(list)
        for words in self.held_out:
            for *last, word, kind in zip(("", *words), words, words[1:], _kinds(words)[1:]):
                if kind:
                    likeliest = [one for one, _ in after[tuple(last)].most_common(1)]
                    for name in ("all", kind):
                        found[name].append(likeliest == [word])
        return {kind: sum(found[kind]) / len(found[kind]) for kind in ("all", *KINDS) if kind in found}

    def evaluate_writing(self, model, num_stories=200, *, temperature=1.0):
        """The share of stories without any mistake, and how many mistakes of each kind there are in a story on average.

        The stories are written from nothing with the seeds 0 to `num_stories` - 1.
        """
        written = write(model, temperature=temperature, seed=range(num_stories))
        mistakes = [errors(words) for words in written]
        kinds = sorted(kind for some in mistakes for kind, _ in some)
        return (sum(not some for some in mistakes) / num_stories,
                {kind: kinds.count(kind) / num_stories for kind in dict.fromkeys(kinds)})

    @torch.no_grad()
    def weights(self, model, words):
        """The weights (layers, h, n, n) for the start and the words of a story."""
        words = words.split() if isinstance(words, str) else words
        return torch.cat(model(encode([[START, *words]], self.vocabulary))[1])


@torch.no_grad()
def taken_out(task, model, *, num_texts=300, num_stories=100):
    """How well a model does whole, "nothing" being taken out, and without each part; see `Storyteller.without`.

    Gives by part three numbers: the share of determined words that are found most likely, and the loss, both in the
    first held-out stories, and the share of stories without any mistake, written at temperature 0.7 with the seeds from
    0 on. Without the mask a word sees the story to its end, but no other's: stories of one length are read together.
    """
    groups = []
    for _, texts in groupby(sorted(task.held_out[:num_texts], key=len), key=len):
        texts = list(texts)
        groups.append((task.encode(texts), torch.tensor([[bool(kind) for kind in _kinds(words)]
                                                         for words in texts])))
    found = {}
    for part in ("nothing", *TAKEN_OUT):
        changed = model if part == "nothing" else model.without(part)
        right, losses = [], []
        for numbers, decided in groups:
            scores, targets = changed(numbers[:, :-1])[0], numbers[:, 1:]
            right.append((scores.argmax(-1) == targets)[:, :-1][decided])
            losses.append(nn.functional.cross_entropy(scores.mT, targets, reduction="none").flatten())
        found[part] = (torch.cat(right).double().mean().item(), torch.cat(losses).mean().item(),
                       task.evaluate_writing(changed, num_stories, temperature=0.7)[0])
    return found


# ---- what the chapter `transformer` builds its own model with

def random_matrices(count, d):
    """Matrices (d, d) of random numbers, so small that what goes in keeps its size (after Xavier Glorot)."""
    return [xavier(d, d) for _ in range(count)]


class Block(nn.Module):
    """The block of the chapter `layers`, as it stands there, around an attention that gives (b, n, d) and weights."""

    def __init__(self, attention, d, hidden):
        super().__init__()
        self.norm_1, self.attention, self.norm_2 = nn.LayerNorm(d), attention, nn.LayerNorm(d)
        self.mlp = nn.Sequential(nn.Linear(d, hidden), nn.ReLU(), nn.Linear(hidden, d))

    def forward(self, x):
        """The words (b, n, d) after the block."""
        looked, _ = self.attention(self.norm_1(x))
        x = x + looked
        return x + self.mlp(self.norm_2(x))


def of_the_chapter(model, words):
    """The model that the chapter trains, as a `Storyteller` with the same numbers."""
    renamed = {"table": "embedding", "norm_1": "attention_norm", "norm_2": "mlp_norm", "far": "bias",
               **{f"W_{letter}": f"w_{name}" for letter, name in zip("QKVO", ("query", "key", "value", "output"))}}
    weights = {}
    for name, numbers in model.state_dict().items():
        parts = [part for part in name.split(".") if part != "attention"]
        if parts[-1] == "far":      # what stands after a word is hidden by the mask, and no distance to it is kept
            numbers = numbers[:, :numbers.shape[1] // 2 + 1]
        weights[".".join(renamed.get(part, part) for part in parts)] = numbers
    same = Storyteller(words, num_layers=len(model.blocks))
    same.load_state_dict({**weights, "readout.embedding.weight": weights["embedding.weight"]})
    return same.eval()


def trained():
    """The model whose training the chapter `transformer` shows, as it travels.

    >>> " ".join(write(trained(), "Zoe and Max met", temperature=0, max_length=9))
    'Zoe and Max met Toby in the tower .'
    """
    return Storyteller.unpacked(json.loads(TRAINED.read_text(encoding="utf-8")))


def loaded(path):
    """The model in a file that a page has saved, or that holds what `Storyteller.packed` gives as JSON."""
    try:
        packed = json.loads(Path(path).read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError):
        raise ValueError(f"{path} is no model: it holds no JSON") from None
    if not isinstance(packed, dict) or packed.get("model") != KIND:
        raise ValueError(f"{path} holds no {KIND}")
    return Storyteller.unpacked(packed)
