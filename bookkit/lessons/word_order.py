"""Where does a word stand? Questions about order, and one head of attention with one scheme of positions or another."""

from typing import NamedTuple

import numpy as np
import torch
from torch import nn

from attnkit import scaled_dot
from attnkit.masks import causal_mask
from attnkit.modules import MultiHeadAttention
from attnkit.positions import alibi, relative_bias, rotary, sinusoidal
from bookkit.lessons.recall import MENU
from bookkit.lessons.training import fit, new_model

WORDS = ["hen", "cat", "dog", "cow", "pig", "bee", *MENU]
START = "<start>"      # opens the sentences of the question "place", and no others
QUESTIONS = {          # with the shortest sentence in which it can be asked
    "previous": 2,
    "third": 3,
    "last drink": 4,
    "place": 1,
    "place without a start": 1,
}
SETTINGS = {           # the schemes, each with the one number that it leaves open: see `OrderModel`
    "none": None,
    "causal mask only": None,
    "sinusoidal": 1.0,
    "learned": 1.0,
    "relative bias": 0.0,
    "ALiBi": 1.0,
    "rotary": 10_000.0,
}
SCHEMES = tuple(SETTINGS)
ROWS, REACH = 48, 8    # of the learned table of positions; of the relative bias, to each side


class Sentences(NamedTuple):
    """Examples as tensors of numbers.

    Places in `WORDS`, or 12 for `START` (b, n); what is to be named at each item, -1 where nothing is asked (b, n);
    which item of the sentence tells it, -1 where none does (b, n).
    """

    words: object             # torch tensors; Sphinx finds no page to link torch's types to
    answers: object
    places: object


def order_sentences(num_examples, length, question="previous", *, seed=0):
    """Sentences of `length` random words, which may repeat, and a question about their order.

    "previous": at every word but the first, name the word before it. "third": at the last word, name the third. "last
    drink": three different drinks stand anywhere but at the end; at the last word, name the last of them. "place": a
    start marker opens the sentence; at every word, say how many words stand before it, up to 12. "place without a
    start": the same with no marker.

    >>> sentences = order_sentences(1000, 5, "third")
    >>> " ".join(WORDS[i] for i in sentences.words[0]), WORDS[sentences.answers[0, -1]]
    ('milk tea coffee cow cow', 'coffee')
    >>> sentences.answers[0].tolist(), sentences.places[0].tolist()
    ([-1, -1, -1, -1, 6], [-1, -1, -1, -1, 2])
    """
    least = QUESTIONS[_one_of(question, QUESTIONS, "question")]
    if length < least:
        raise ValueError(f"length must be at least {least} for the question {question!r}, got {length}")
    if question.startswith("place") and length > len(WORDS):
        raise ValueError(f"length must be at most {len(WORDS)} for the question {question!r}, got {length}")
    rng = np.random.default_rng(seed)
    words = rng.integers(len(WORDS), size=(num_examples, length))
    answers, places = np.full((2, *words.shape), -1)
    if question == "previous":
        answers[:, 1:], places[:, 1:] = words[:, :-1], np.arange(length - 1)
    elif question == "third":
        answers[:, -1], places[:, -1] = words[:, 2], 2
    elif question == "last drink":
        words %= len(WORDS) - len(MENU)
        stand = np.sort(_some(rng, num_examples, length - 1), axis=1)
        drinks = _some(rng, num_examples, len(MENU)) + len(WORDS) - len(MENU)
        np.put_along_axis(words, stand, drinks, axis=1)
        answers[:, -1], places[:, -1] = drinks[:, -1], stand[:, -1]
    else:
        answers[:] = np.arange(length)
    if question == "place":         # from the start marker it can be told, see `OrderModel`
        places[:] = 0
        words, answers, places = (np.insert(array, 0, first, axis=1)
                                  for array, first in ((words, len(WORDS)), (answers, -1), (places, -1)))
    return Sentences(*map(torch.tensor, (words, answers, places)))


def _some(rng, num_examples, number):
    """Three different numbers below `number` for each example."""
    return rng.permuted(np.tile(np.arange(number), (num_examples, 1)), axis=1)[:, :3]


def _one_of(name, names, what):
    if name not in names:
        raise ValueError(f"{what} must be one of {', '.join(map(repr, names))}; got {name!r}")
    return name


class OrderModel(nn.Module):
    """One head of self-attention; a linear layer reads its output at each item, and nothing goes round the attention.

    Words begin as vectors of size 0.3 per number, small beside positions that are added, and the same for every scheme.

    `scheme` is one of `SCHEMES`; "causal mask only" and "ALiBi" look back only, the others to both sides. The question
    is the one it is trained for, see `order_sentences`. `setting` is what the scheme leaves open, that of `SETTINGS` if
    not given: the size per number of the positions added, at the beginning if they are learned; of the numbers in the
    table of the relative bias at the beginning; the slope of ALiBi; the base of rotary.
    """

    def __init__(self, scheme, question="previous", *, setting=None, width=32):
        super().__init__()
        usual = SETTINGS[_one_of(scheme, SETTINGS, "scheme")]
        if usual is None and setting is not None:
            raise ValueError(f"the scheme {scheme!r} has no setting, got {setting}")
        self.scheme, self.question = scheme, _one_of(question, QUESTIONS, "question")
        self.setting = usual if setting is None else setting
        self.embedding = nn.Embedding(len(WORDS) + 1, width)
        nn.init.normal_(self.embedding.weight, std=0.3)
        self.attention, self.readout = MultiHeadAttention(width, 1), nn.Linear(width, len(WORDS))
        if scheme == "learned":
            self.positions = nn.Parameter(self.setting * torch.randn(ROWS, width))
        if scheme == "relative bias":
            self.table = nn.Parameter(self.setting * torch.randn(1, 2 * REACH + 1))

    def forward(self, words):
        """Numbers (b, n): scores (b, n, 12) of words, or of places, and weights (b, n, n)."""
        n, x = words.shape[1], self.embed(words)
        mask = causal_mask(n, like=x) if self.scheme in ("causal mask only", "ALiBi") else None
        output, weights = self.attention(x, mask=mask, score=self.score)
        return self.readout(output), weights[:, 0]

    def embed(self, words):
        """Numbers (b, n): items (b, n, d), with positions if the scheme adds them."""
        x = self.embedding(words)
        if self.scheme == "sinusoidal":
            return x + self.setting * sinusoidal(x.shape[1], x.shape[2], like=x)
        if self.scheme == "learned":
            if x.shape[1] > ROWS:
                raise ValueError(f"the table of positions has {ROWS} rows, too few for {x.shape[1]} items")
            return x + self.positions[:x.shape[1]]
        return x

    def score(self, query, key):
        """Queries and keys (..., n, d): scores (..., n, n), in which the scheme may have its part."""
        n = query.shape[-2]
        if self.scheme == "relative bias":
            return scaled_dot(query, key) + relative_bias(self.table, n)
        if self.scheme == "ALiBi":
            return scaled_dot(query, key) + alibi(query.new_tensor([self.setting]), n)
        if self.scheme == "rotary":
            return scaled_dot(*(rotary(x, base=self.setting) for x in (query, key)))
        return scaled_dot(query, key)


class OrderTask:
    """Models trained with sentences of 5 to 12 words, each step on new ones, and held-out sentences of any length."""

    TRAINED_WITH = range(5, 13)

    def __init__(self, seed=0):
        self.seed = seed

    def train(self, seed, scheme, *, question="previous", steps=600, lr=1e-2, **options):
        """A model with one of the SCHEMES, trained from scratch; `options` are those of `OrderModel`.

        Each batch is of one length, at random.
        """
        model, rng = new_model(seed, OrderModel, scheme, question, **options), np.random.default_rng(seed)

        def loss(chosen):            # of which only the number counts: there is no fixed set to choose from
            length = rng.integers(self.TRAINED_WITH.start, self.TRAINED_WITH.stop).item()
            return self.loss(model, order_sentences(len(chosen), length, question, seed=rng))

        fit(model, loss, 1, steps=steps, lr=lr)
        return model

    def loss(self, model, sentences):
        """The mean cross-entropy over all that is asked."""
        scores, _ = model(sentences.words)
        return nn.functional.cross_entropy(scores.flatten(0, 1), sentences.answers.flatten(), ignore_index=-1)

    def held_out(self, question="previous", length=12, num_examples=1000):
        """Sentences that no training sees; the same every time."""
        # A list as a seed: no training, whose seed is one number, draws the same.
        return order_sentences(num_examples, length, question, seed=[self.seed, length])

    @torch.no_grad()
    def evaluate(self, model, length=12, sentences=None):
        """The share of what is asked in held-out sentences of a length, or in others, for which a model is right."""
        words, answers, _ = self.held_out(model.question, length) if sentences is None else sentences
        return (model(words)[0].argmax(-1) == answers)[answers >= 0].double().mean().item()

    @torch.no_grad()
    def evaluate_weights(self, model, length=12, sentences=None):
        """The mean weight that attention gives to the item that tells the answer; to the start marker for "place"."""
        words, _, places = self.held_out(model.question, length) if sentences is None else sentences
        asked = places >= 0
        if not asked.any():
            raise ValueError(f"no item tells the answer to the question {model.question!r}")
        return model(words)[1].gather(-1, places.clamp(min=0)[..., None])[..., 0][asked].mean().item()

    def encode(self, words, question="previous"):
        """One sentence of words, a list or a string with blanks between, as numbers (1, n)."""
        words = words.split() if isinstance(words, str) else list(words)
        if not words or (missing := sorted(set(words) - set(WORDS))):
            raise ValueError(f"words must be some of {', '.join(WORDS)}; got {', '.join(missing) if words else 'none'}")
        return torch.tensor([[len(WORDS)] * (question == "place") + [WORDS.index(word) for word in words]])

    @torch.no_grad()
    def answer(self, model, words):
        """What a model says at each item of a sentence, asked there or not: words, or places as integers."""
        says = model(self.encode(words, model.question))[0][0].argmax(-1).tolist()
        return says if model.question.startswith("place") else [WORDS[i] for i in says]

    @torch.no_grad()
    def weights(self, model, words):
        """Attention's weights (n, n) for one sentence, a row for each item that asks, the start marker among them."""
        return model(self.encode(words, model.question))[1][0]
