"""Who gave, who received? One attention layer on "Susan gave roses to Mary"."""

import torch
from torch import nn

from attnkit.lessons.corpora import gifts, vocabulary
from attnkit.lessons.training import encode, fit, new_model
from attnkit.modules import MultiHeadAttention


class GiftModel(nn.Module):
    """One attention layer. What it gives at *gave*, one linear layer reads twice: who gave, who received?

    Nothing goes round the attention: what is not in the output at *gave* cannot be read.
    """

    def __init__(self, num_words, num_heads, positions, width=32):
        super().__init__()
        self.embedding = nn.Embedding(num_words, width)
        nn.init.normal_(self.embedding.weight, std=0.1)       # smaller than the positions, which are to lead
        self.positions = nn.Parameter(0.3 * torch.randn(5, width)) if positions else None
        self.attention = MultiHeadAttention(width, num_heads)
        self.readout = nn.Linear(width, 2 * num_words)

    def forward(self, sentences):
        """Word numbers (b, 5): scores (b, 2, num_words), weights of *gave* (b, h, 5), its output (b, d)."""
        x = self.embedding(sentences)
        if self.positions is not None:
            x = x + self.positions
        output, weights = self.attention(x[:, 1:2], x)                           # the query is the second word's
        return self.readout(output[:, 0]).unflatten(1, (2, -1)), weights[:, :, 0], output[:, 0]


class GiftTask:
    """The sentences of `attnkit.lessons.corpora.gifts` as numbers, and models that learn who gave and who received."""

    def __init__(self, seed=0):
        self.training, self.held_out = gifts(seed=seed)
        self.vocabulary = vocabulary(self.training + self.held_out)

    def train(self, seed, *, num_heads, positions, steps=800):
        """A model trained from scratch."""
        model = new_model(seed, GiftModel, len(self.vocabulary), num_heads, positions)
        sentences = encode(self.training, self.vocabulary)

        def loss(chosen):
            scores, _, _ = model(sentences[chosen])
            return nn.functional.cross_entropy(scores.flatten(0, 1), sentences[chosen][:, [0, 4]].flatten())

        fit(model, loss, len(sentences), steps=steps, batch_size=128, lr=5e-3)
        return model

    @torch.no_grad()
    def accuracy(self, model, sentences=None):
        """The share of the held-out sentences, or of others, in which the model names both."""
        sentences = encode(self.held_out if sentences is None else sentences, self.vocabulary)
        named = model(sentences)[0].argmax(-1)
        return (named == sentences[:, [0, 4]]).all(1).double().mean().item()
