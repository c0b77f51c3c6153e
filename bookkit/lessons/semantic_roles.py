"""Semantic roles: who gave, who received? One attention layer on "Susan gave roses to Mary"."""

from typing import NamedTuple

import torch
from torch import nn

from attnkit.modules import MultiHeadAttention
from bookkit.lessons.corpora import gifts, vocabulary
from bookkit.lessons.training import encode, fit, new_model


class GiftModel(nn.Module):
    """One attention layer; what it gives at *gave* is read twice: who gave, who received?

    Nothing goes round the attention: what is not in the output at *gave* cannot be read. The reader is one linear
    layer or, as in a Transformer, a small network with one hidden layer.
    """

    def __init__(self, num_words, num_heads, positions, reader="linear", width=32):
        super().__init__()
        if reader not in ("linear", "mlp"):
            raise ValueError(f"reader must be 'linear' or 'mlp', got {reader!r}")
        self.embedding = nn.Embedding(num_words, width)
        nn.init.normal_(self.embedding.weight, std=0.3)              # words and places start equally large
        self.positions = nn.Parameter(0.3 * torch.randn(5, width)) if positions else None
        self.attention = MultiHeadAttention(width, num_heads)
        self.readout = nn.Linear(width, 2 * num_words) if reader == "linear" else nn.Sequential(
            nn.Linear(width, 2 * width), nn.ReLU(), nn.Linear(2 * width, 2 * num_words))

    def forward(self, sentences):
        """Word numbers (b, 5): scores (b, 2, num_words), weights of *gave* (b, h, 5), its output (b, d)."""
        x = self.embedding(sentences)
        if self.positions is not None:
            x = x + self.positions
        output, weights = self.attention(x[:, 1:2], x)                           # the query is the second word's
        return self.readout(output[:, 0]).unflatten(1, (2, -1)), weights[:, :, 0], output[:, 0]


def exchange_heads(model):
    """Number the two heads of a trained model the other way round; what it computes stays the same."""
    layer = model.attention
    for name in ("w_query", "b_query", "w_key", "b_key", "w_value", "b_value"):
        numbers = getattr(layer, name).data
        numbers.copy_(torch.cat(numbers.chunk(2, dim=-1)[::-1], dim=-1))
    rows = layer.w_output.data
    rows.copy_(torch.cat(rows.chunk(2)[::-1]))


class Named(NamedTuple):
    """The shares of sentences in which the giver is named right, the receiver, and both."""

    giver: float
    receiver: float
    both: float


class GiftTask:
    """The sentences of `bookkit.lessons.corpora.gifts` as numbers, and models that learn who gave and who received."""

    def __init__(self, seed=0):
        self.training, self.held_out = gifts(seed=seed)
        self.vocabulary = vocabulary(self.training + self.held_out)

    def train(self, seed, *, num_heads, positions=True, reader="linear", steps=800):
        """A model trained from scratch."""
        model = new_model(seed, GiftModel, len(self.vocabulary), num_heads, positions, reader)
        sentences = self.encode(self.training)

        def loss(chosen):
            scores, _, _ = model(sentences[chosen])
            return nn.functional.cross_entropy(scores.flatten(0, 1), sentences[chosen][:, [0, 4]].flatten())

        fit(model, loss, len(sentences), steps=steps, batch_size=128, lr=1e-2)
        return model

    def encode(self, sentences):
        """Sentences, each a sequence of words, as word numbers (b, 5)."""
        return encode(sentences, self.vocabulary)

    @torch.no_grad()
    def evaluate(self, model, sentences=None):
        """In what share of the held-out sentences, or of others, a model names the people right."""
        numbers = self.encode(self.held_out if sentences is None else sentences)
        right = (model(numbers)[0].argmax(-1) == numbers[:, [0, 4]]).double()
        return Named(*right.mean(0).tolist(), right.prod(1).mean().item())

    @torch.no_grad()
    def weights(self, model, sentences):
        """The weights of *gave* in each head (b, h, 5)."""
        return model(self.encode(sentences))[1]
