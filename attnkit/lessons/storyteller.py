"""A small decoder-only Transformer that learns to write the stories of `attnkit.lessons.stories`, word by word.

From the words so far it makes a score for each word that may come next. It is small enough to be sent to a page: see
`packed`.
"""

import base64
import json
import math
from itertools import accumulate, count
from pathlib import Path

import numpy as np
import torch
from torch import nn

from attnkit import attention, checks, merge_heads, scaled_dot, split_heads
from attnkit.lessons.corpora import vocabulary
from attnkit.lessons.stories import KINDS, WORDS, determined, errors, stories
from attnkit.lessons.training import encode, fit, new_model, next_word_loss
from attnkit.masks import causal_mask
from attnkit.modules import xavier
from attnkit.positions import relative_bias

START, END = "<start>", "<end>"
CONTEXT = 64                 # at most so many words, the start among them
OUTPUT_SCALE = 0.1875        # word vectors begin with numbers of size 1, too large for scores
UNIT = 2.0**-20              # what the numbers of a model that travels are multiples of
FORMAT = 1
SHORT = 0.15
CHAPTER_SEED = 8101          # of the model that the chapter trains: of three, the one whose heads are easiest to read
TRAINED = Path(__file__).with_name("storyteller.json")


class StoryBlock(nn.Module):
    """A block of a decoder: masked attention with a relative bias, then an MLP; each reads what a layer norm gives.

    Parameters
    ----------
    width, num_heads, hidden : int
        d, h and the hidden units of the MLP.
    reach : int
        How many places back the bias tells apart.
    attention : "softmax" or "uniform"
        With the second all words so far count the same, and queries, keys and biases stay unused.
    """

    def __init__(self, width, num_heads, hidden, *, reach=32, attention="softmax"):
        super().__init__()
        if attention not in ("softmax", "uniform"):
            raise ValueError(f"attention must be 'softmax' or 'uniform', got {attention!r}")
        if width % num_heads:
            raise ValueError(f"num_heads must divide width, got {num_heads} and {width}")
        self.num_heads, self.uniform = num_heads, attention == "uniform"
        self.attention_norm = nn.LayerNorm(width)
        self.w_query, self.w_key, self.w_value, self.w_output = (xavier(width, width) for _ in range(4))
        self.bias = nn.Parameter(torch.zeros(num_heads, reach + 1))       # the last for the query's own place
        self.mlp_norm = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, hidden), nn.ReLU(), nn.Linear(hidden, width))
        for weight in (self.w_query, self.w_key, self.bias):
            weight.requires_grad_(not self.uniform)

    def forward(self, x, past=None):
        """Items x (b, n, d); gives output (b, n, d), weights (b, h, n, m), and keys and values (b, h, m, d_k).

        `past` are the keys and values of the m - n items before x, as a call before has given them.
        """
        items = self.attention_norm(x)                                                       # (b, n, d)
        query, key, value = (split_heads(items @ w, self.num_heads)                          # (b, h, n, d_k)
                             for w in (self.w_query, self.w_key, self.w_value))
        if past is not None:
            key, value = (torch.cat(pair, dim=-2) for pair in zip(past, (key, value)))       # (b, h, m, d_k)
        mask = causal_mask(query.shape[-2], key.shape[-2], like=x)                           # (n, m)
        heads, weights = attention(query, key, value, mask=mask, score=self.score)
        x = x + merge_heads(heads) @ self.w_output
        return x + self.mlp(self.mlp_norm(x)), weights, (key, value)

    def score(self, query, key):
        """Scores (b, h, n, m): scaled dot products, and what each head adds for how far back a key stands."""
        n, m = query.shape[-2], key.shape[-2]
        if self.uniform:
            return query.new_zeros(*query.shape[:-1], m)
        ahead = self.bias.new_zeros(self.num_heads, self.bias.shape[1] - 1)       # the mask hides what they are for
        return scaled_dot(query, key) + relative_bias(torch.cat([self.bias, ahead], dim=1), n, m)


class Storyteller(nn.Module):
    """Word vectors, some blocks, a layer norm; the scores of the next word are dot products with the word vectors.

    Parameters
    ----------
    words : list of str
        The vocabulary; a word's number is its place in it.
    width, num_heads, num_layers, hidden : int
    reach, attention
        See `StoryBlock`.

    Examples
    --------
    >>> import torch
    >>> _ = torch.manual_seed(0)
    >>> model = Storyteller(["<pad>", "<start>", "<end>", "yes", "no"], width=8, num_heads=2)
    >>> scores, weights = model(torch.tensor([[1, 3, 4]]))
    >>> tuple(scores.shape), [tuple(w.shape) for w in weights]
    ((1, 3, 5), [(1, 2, 3, 3), (1, 2, 3, 3)])

    References
    ----------
    Vaswani et al. (2017), "Attention Is All You Need".
    Chapter: transformer.
    """

    def __init__(self, words, *, width=32, num_heads=4, num_layers=2, hidden=64, reach=32, attention="softmax"):
        super().__init__()
        self.words = list(words)
        self.embedding = nn.Embedding(len(self.words), width)
        self.blocks = nn.ModuleList(StoryBlock(width, num_heads, hidden, reach=reach, attention=attention)
                                    for _ in range(num_layers))
        self.norm = nn.LayerNorm(width)

    def forward(self, numbers, cache=None):
        """Numbers of words (b, n): scores of the next word (b, n, words), and weights (b, h, n, m) for each block.

        With a `KeyValueCache` the numbers are those of the words after the ones it has seen.
        """
        x, all_weights = self.embedding(numbers), []
        for layer, block in enumerate(self.blocks):
            x, weights, seen = block(x, None if cache is None else cache.seen.get(layer))
            all_weights.append(weights)
            if cache is not None:
                cache.seen[layer] = seen
        return OUTPUT_SCALE * self.norm(x) @ self.embedding.weight.T, all_weights


class KeyValueCache:
    """The keys and values of all words that a model has read, so that for the next word nothing is computed twice.

    It can be kept because a word never looks ahead: nothing that comes later changes its key or its value.

    Examples
    --------
    >>> _ = torch.manual_seed(0)
    >>> model, cache = Storyteller(["a", "b"]), KeyValueCache()
    >>> whole, _ = model(torch.tensor([[0, 1, 1]]))
    >>> for word in (0, 1, 1):
    ...     scores, _ = model(torch.tensor([[word]]), cache)
    >>> torch.allclose(scores[:, 0], whole[:, 2], atol=1e-5), len(cache)
    (True, 3)
    """

    def __init__(self):
        self.seen = {}            # keys and values by layer

    def __len__(self):
        """How many words have been read."""
        return self.seen[0][0].shape[-2] if self.seen else 0


# ---- choosing the next word

class Xorshift:
    """Numbers between 0 and 1 that look random: the same in Python and in a page, for the same seed.

    Parameters
    ----------
    seed : int
        From 0 to 9999.

    Examples
    --------
    >>> random = Xorshift(0)
    >>> [round(random.number(), 3) for _ in range(3)]
    [0.317, 0.751, 0.867]

    References
    ----------
    Marsaglia (2003), "Xorshift RNGs".
    Chapter: writing.
    """

    def __init__(self, seed):
        if checks.count(seed, "seed", 0) > 9999:
            raise ValueError(f"seed must be at most 9999, got {seed}")
        self.state = (seed + 1) * 2654435761 % 2**32

    def number(self):
        """The next number."""
        self.state ^= (self.state << 13) % 2**32
        self.state ^= self.state >> 17
        self.state ^= (self.state << 5) % 2**32
        return self.state / 2**32


def chances(scores, *, temperature=1.0, top_k=None):
    """How likely each word is chosen, by its score.

    Parameters
    ----------
    scores : sequence of numbers
        One for each word; minus infinity for one that may not come.
    temperature : float
        0 for the best word always (greedy), of equals the first.
    top_k : int, optional
        Only the so many best words may come, of equals the first.

    Returns
    -------
    numpy array
        They sum to one.

    Raises
    ------
    TypeError, ValueError
        `temperature` is not a number of at least 0, or `top_k` not an integer of at least 1.

    Examples
    --------
    >>> chances([1.0, 2.0, 2.0, 0.0], temperature=0).tolist()
    [0.0, 1.0, 0.0, 0.0]
    >>> chances([1.0, 2.0, 2.0, 0.0], top_k=2).tolist()
    [0.0, 0.5, 0.5, 0.0]
    """
    scores = np.asarray(scores, dtype=float)
    if checks.finite(temperature, "temperature") < 0:
        raise ValueError(f"temperature must be at least 0, got {temperature}")
    best = np.argsort(-scores, kind="stable")[:len(scores) if top_k is None else checks.count(top_k, "top_k")]
    shares = np.zeros(len(scores))
    if temperature == 0:
        shares[best[0]] = 1
        return shares
    shares[best] = np.exp((scores[best] - scores[best[0]]) / temperature)
    return shares / shares.sum()


def choose(scores, random, *, temperature=1.0, top_k=None):
    """Choose a word by its score: the number of the word.

    Parameters
    ----------
    scores, temperature, top_k
        See `chances`.
    random : Xorshift
        One number is drawn, or none if the temperature is 0.

    Returns
    -------
    int
    """
    shares = chances(scores, temperature=temperature, top_k=top_k)
    if temperature == 0:
        return int(shares.argmax())
    wanted, kept = random.number(), np.flatnonzero(shares)
    reached = list(accumulate(shares[kept].tolist()))
    return int(next((word for word, sum_ in zip(kept, reached) if sum_ > wanted * reached[-1]), kept[-1]))


@torch.no_grad()
def write(model, prompt="", *, temperature=1.0, top_k=None, seed=0, max_length=CONTEXT - 1, cached=True):
    """Let a model go on with a story until it ends.

    Parameters
    ----------
    model : Storyteller
    prompt : str or sequence of str
        How the story begins: words with blanks between, full stops among them.
    temperature, top_k
        See `chances`.
    seed : int or sequence of int
        For the choices, 0 to 9999; with several, a story for each is written at the same time.
    max_length : int
        At most so many words, those of the prompt among them.
    cached : bool
        Whether keys and values are kept; without, all are computed again for each word, and the story is the same.

    Returns
    -------
    tuple of str, or a list of them for several seeds
        The words, those of the prompt first.

    Raises
    ------
    ValueError
        A word of the prompt is not in the vocabulary, or it is longer than `max_length`.
    """
    prompt = prompt.split() if isinstance(prompt, str) else list(prompt)
    if len(prompt) > checks.count(max_length, "max_length"):
        raise ValueError(f"prompt must have at most {max_length} words, got {len(prompt)}")
    seeds = [seed] if isinstance(seed, int) else list(seed)
    told = encode([[START, *prompt]] * len(seeds), model.words)
    randoms, cache = [Xorshift(one) for one in seeds], KeyValueCache() if cached else None
    never, end = [model.words.index(word) for word in ("<pad>", START)], model.words.index(END)
    while told.shape[1] <= max_length and not (told == end).any(1).all():
        scores, _ = model(told[:, len(cache):] if cached else told, cache)
        scores = scores[:, -1].clone()
        scores[:, never] = -math.inf
        chosen = [choose(row, random, temperature=temperature, top_k=top_k)
                  for row, random in zip(scores.numpy(), randoms)]
        told = torch.cat([told, torch.tensor(chosen)[:, None]], dim=1)
    written = [tuple(model.words[i] for i in row[1:[*row, end].index(end)]) for row in told.tolist()]
    return written[0] if isinstance(seed, int) else written


# ---- training and measuring

class StoryTask:
    """Stories to learn from and held-out ones; storytellers trained with them, and what they get right.

    Parameters
    ----------
    num_stories, num_held_out : int
    seed : int
        Of the stories; the held-out ones have a seed of their own, and none of them is among the others.
    """

    def __init__(self, num_stories=20_000, num_held_out=1000, *, seed=0):
        self.vocabulary = vocabulary([WORDS])
        self.training = sorted(stories(num_stories, seed=seed), key=len)
        known = set(self.training)
        # A list as a seed: no training, whose seed is one number, draws the same.
        self.held_out = [story for story in stories(num_held_out, seed=[seed, 1]) if story not in known]
        self._numbers = self.encode(self.training)
        self._lengths = torch.tensor([len(story) + 2 for story in self.training])

    def encode(self, texts):
        """Stories, sequences of words, as numbers with a start and an end (b, n), the shorter filled up with zeros."""
        return encode([[START, *words, END] for words in texts], self.vocabulary)

    def train(self, seed, *, steps=4000, batch_size=10, lr=1e-2, **options):
        """A model trained from scratch, in less than a minute; `options` are those of `Storyteller`.

        In the first `SHORT` of the steps it learns from the shortest quarter of the stories.
        """
        model, steps_taken = new_model(seed, Storyteller, self.vocabulary, **options), count()

        def loss(chosen):
            if next(steps_taken) < SHORT * steps:
                chosen = chosen // 4                     # stories are sorted by length
            numbers = self._numbers[chosen, :self._lengths[chosen].max()]
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

        Returns
        -------
        dict
            By kind, in the order of `attnkit.lessons.stories.KINDS`, and "all" first; a kind that does not come is
            left out.
        """
        texts = self.held_out if texts is None else texts
        numbers = self.encode(texts)
        right = (model(numbers[:, :-1])[0].argmax(-1) == numbers[:, 1:]).tolist()
        found = {}
        for words, row in zip(texts, right):
            for kind, is_right in zip(determined(words), row):
                if kind:
                    found.setdefault(kind, []).append(is_right)
        found = {"all": sum(found.values(), []), **{kind: found[kind] for kind in KINDS if kind in found}}
        return {kind: sum(row) / len(row) for kind, row in found.items()}

    def evaluate_writing(self, model, num_stories=200, *, temperature=1.0, top_k=None):
        """The share of stories without any mistake, and how many mistakes of each kind there are in a story on average.

        The stories are written from nothing with the seeds 0 to `num_stories` - 1.
        """
        written = write(model, temperature=temperature, top_k=top_k, seed=range(num_stories))
        mistakes = [errors(words) for words in written]
        kinds = sorted(kind for some in mistakes for kind, _ in some)
        return (sum(not some for some in mistakes) / num_stories,
                {kind: kinds.count(kind) / num_stories for kind in dict.fromkeys(kinds)})

    @torch.no_grad()
    def weights(self, model, words):
        """The weights (layers, h, n, n) for the start and the words of a story."""
        words = words.split() if isinstance(words, str) else words
        return torch.cat(model(encode([[START, *words]], self.vocabulary))[1])


# ---- travelling

def packed(model):
    """A model as a dict for JSON, its numbers in eight bits; some 30 kB, 20 of them if compressed.

    ``words``, ``width``, ``num_heads``, ``num_layers``, ``hidden``, ``context``, ``attention``, ``epsilon`` (of the
    layer norms), ``output_scale`` and ``unit`` say what it is. ``tensors`` has for each name a ``shape``, ``bytes`` and
    ``steps``: the bytes are whole numbers from -127 to 127, row after row (the last axis counts fastest), in two's
    complement and base64; each row, or the whole of a vector, has one step, and a number is byte * step * unit. Nothing
    is rounded in that product, so that the same model is read on every machine.

    The tensors are ``embedding`` (words, d); for each block, with ``layers.0.`` and so on in front: ``norm1.gain``,
    ``norm1.bias`` (d); ``w_query``, ``w_key``, ``w_value``, ``w_output`` (d, d); ``bias`` (h, r + 1), what is added
    to a score, the last column for the query's own place, the one before it for one place back, the first for r
    places or more; ``norm2.gain``, ``norm2.bias`` (d); ``w1`` (d, hidden), ``b1``, ``w2`` (hidden, d), ``b2``; at
    last ``norm.gain`` and ``norm.bias``. Rows are items: a layer is x W + b.

    Parameters
    ----------
    model : Storyteller

    Returns
    -------
    dict

    Examples
    --------
    >>> model = Storyteller(["a", "b"], width=4, num_heads=2, hidden=8)
    >>> packed(model)["tensors"]["layers.1.w1"]["shape"]
    [4, 8]
    """
    block = model.blocks[0]
    about = {"format": FORMAT, "words": model.words, "width": model.embedding.weight.shape[1],
             "num_heads": block.num_heads, "num_layers": len(model.blocks), "hidden": block.mlp[0].out_features,
             "context": CONTEXT, "attention": "uniform" if block.uniform else "softmax", "epsilon": model.norm.eps,
             "output_scale": OUTPUT_SCALE, "unit": UNIT}
    return about | {"tensors": {name: _packed(tensor) for name, tensor in _tensors(model)}}


def trained():
    """The model that the chapter `transformer` trains, packed; the chapter compares it with what it has trained.

    Returns
    -------
    dict
        See `packed`.

    Examples
    --------
    >>> model = unpacked(trained())
    >>> " ".join(write(model, "Zoe and Max met", temperature=0, max_length=9))
    'Zoe and Max met Toby in the tower .'
    """
    return json.loads(TRAINED.read_text(encoding="utf-8"))


def unpacked(travelled):
    """The model that `packed` has made a dict of, in float64, with exactly the numbers that travelled.

    Parameters
    ----------
    travelled : dict

    Returns
    -------
    Storyteller

    Raises
    ------
    ValueError
        It is in another format.

    Examples
    --------
    >>> model = Storyteller(["a", "b"], width=4, num_heads=2, hidden=8)
    >>> packed(unpacked(packed(model))) == packed(model)
    True
    """
    if travelled.get("format") != FORMAT:
        raise ValueError(f"the dict must be in format {FORMAT}, got {travelled.get('format')!r}")
    tensors = travelled["tensors"]
    model = new_model(0, Storyteller, travelled["words"], reach=tensors["layers.0.bias"]["shape"][1] - 1,
                      **{name: travelled[name] for name in ("width", "num_heads", "num_layers", "hidden", "attention")})
    with torch.no_grad():
        for name, tensor in _tensors(model):
            tensor.copy_(_unpacked(tensors[name]))
    return model.eval()


def _tensors(model):
    """The weights of a model by the names under which they travel, matrices with a column for each output."""
    yield "embedding", model.embedding.weight
    for layer, block in enumerate(model.blocks):
        first, _, second = block.mlp
        named = {"norm1.gain": block.attention_norm.weight, "norm1.bias": block.attention_norm.bias,
                 "w_query": block.w_query, "w_key": block.w_key, "w_value": block.w_value, "w_output": block.w_output,
                 "bias": block.bias, "norm2.gain": block.mlp_norm.weight, "norm2.bias": block.mlp_norm.bias,
                 "w1": first.weight.T, "b1": first.bias, "w2": second.weight.T, "b2": second.bias}
        yield from ((f"layers.{layer}.{name}", tensor) for name, tensor in named.items())
    yield "norm.gain", model.norm.weight
    yield "norm.bias", model.norm.bias


def _packed(tensor):
    array = tensor.detach().double().numpy()
    rows = array.reshape(-1, array.shape[-1])
    steps = np.maximum(np.ceil(np.abs(rows).max(1) / (127 * UNIT)), 1)
    numbers = np.rint(rows / (steps[:, None] * UNIT)).astype(np.int8)
    return {"shape": list(array.shape), "steps": steps.astype(int).tolist(),
            "bytes": base64.b64encode(numbers.tobytes()).decode()}


def _unpacked(tensor):
    numbers = np.frombuffer(base64.b64decode(tensor["bytes"]), np.int8).reshape(len(tensor["steps"]), -1)
    return torch.tensor((numbers * (np.array(tensor["steps"])[:, None] * UNIT)).reshape(tensor["shape"]))


if __name__ == "__main__":
    torch.set_num_threads(1)
    TRAINED.write_text(json.dumps(packed(StoryTask().train(CHAPTER_SEED)), indent=1) + "\n", encoding="utf-8")
