"""Which drink does a guest name? Dense layers, means and attention pooling on small talk."""

import torch
from torch import nn

from attnkit.modules import AttentionPooling
from bookkit.lessons.corpora import DRINKS, drink_orders, vocabulary
from bookkit.lessons.training import encode, fit, new_model


class ConcatenationClassifier(nn.Module):
    """Word vectors laid end to end and read by one dense layer, or by two with `hidden` numbers between."""

    def __init__(self, num_words, length, num_answers, width, hidden=None):
        super().__init__()
        self.embedding = nn.Embedding(num_words, width)
        sizes = [length * width, num_answers] if hidden is None else [length * width, hidden, num_answers]
        layers = [nn.Linear(*pair) for pair in zip(sizes, sizes[1:])]
        self.readout = nn.Sequential(*[part for layer in layers for part in (layer, nn.ReLU())][:-1])

    def forward(self, sentences):
        """Word numbers (b, length): scores (b, num_answers)."""
        return self.readout(self.embedding(sentences).flatten(1))

    def contributions(self):
        """What each word adds to the scores at each place, (length, num_words, num_answers); the bias comes on top."""
        if len(self.readout) > 1:
            raise ValueError("what two layers with a ReLU between make of a sentence is no sum over words")
        blocks = self.readout[0].weight.unflatten(1, (-1, self.embedding.weight.shape[1]))   # (num_answers, length, d)
        return torch.einsum("apd,wd->pwa", blocks, self.embedding.weight)


class PoolingClassifier(nn.Module):
    """Word vectors blended into one, which a dense layer reads.

    Attention pooling with `hidden` numbers, or their plain mean without; with `length`, each place has a vector
    that is added to its word.
    """

    def __init__(self, num_words, num_answers, width, hidden=None, length=None):
        super().__init__()
        self.embedding = nn.Embedding(num_words, width)
        self.positions = None if length is None else nn.Parameter(0.3 * torch.randn(length, width))
        self.pool = None if hidden is None else AttentionPooling(width, hidden)
        self.readout = nn.Linear(width, num_answers)

    def forward(self, sentences):
        """Word numbers (b, n): scores (b, num_answers)."""
        x = self.embedding(sentences)
        if self.positions is not None:
            x = x + self.positions
        return self.readout(x.mean(1) if self.pool is None else self.pool(x)[0])

    def contributions(self):
        """Without places: each word's score, (num_words,), and what it adds to the answer, (num_words, num_answers)."""
        if self.pool is None or self.positions is not None:
            raise ValueError("only a model with attention and without places weighs each word by itself")
        key = torch.tanh(self.embedding.weight @ self.pool.w_key + self.pool.b_key)
        return key @ self.pool.query[0], self.embedding.weight @ self.readout.weight.T


class DrinkTask:
    """Guests of `bookkit.lessons.corpora.drink_orders` as numbers, and models that learn which drink they name.

    In training and in `early` the drink is among the first six of twelve words, in `late` among the last six; the
    guests in `longer` say 24 words.
    """

    MODELS = {       # what a table calls it: the class, its options; all have about 500 parameters
        "dense": (ConcatenationClassifier, {"length": 12, "width": 8}),
        "two dense layers": (ConcatenationClassifier, {"length": 12, "width": 6, "hidden": 5}),
        "attention": (PoolingClassifier, {"width": 14, "hidden": 12}),
        "attention with places": (PoolingClassifier, {"width": 11, "hidden": 10, "length": 12}),
        "mean": (PoolingClassifier, {"width": 23}),
    }

    def __init__(self, seed=0):
        self.training = drink_orders(2000, positions=range(6), seed=seed)
        self.early = drink_orders(1000, positions=range(6), seed=seed + 1)
        self.late = drink_orders(1000, positions=range(6, 12), seed=seed + 2)
        self.longer = drink_orders(1000, positions=range(24), length=24, seed=seed + 3)
        self.vocabulary = vocabulary(self.training)

    def train(self, seed, kind, *, steps=300):
        """A model of one of the MODELS, trained from scratch."""
        model_class, options = self.MODELS[kind]
        model = new_model(seed, model_class, num_words=len(self.vocabulary), num_answers=len(DRINKS), **options)
        sentences, named = self.encode(self.training)
        fit(model, lambda chosen: nn.functional.cross_entropy(model(sentences[chosen]), named[chosen]), len(sentences),
            steps=steps)
        return model

    def encode(self, sentences):
        """Word numbers (b, n), and which of the DRINKS is named (b,)."""
        named = [DRINKS.index(word) for words in sentences for word in words if word in DRINKS]
        return encode(sentences, self.vocabulary), torch.tensor(named)

    @torch.no_grad()
    def evaluate(self, model, sentences):
        """The share of some guests that a model understands."""
        numbers, named = self.encode(sentences)
        return (model(numbers).argmax(1) == named).double().mean().item()
