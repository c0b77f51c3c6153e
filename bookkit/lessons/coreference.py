"""Which noun is *it*? Layers and heads of attention on "the animal did not cross the road because it was too tired"."""

import torch
from torch import nn

from attnkit import attention
from attnkit.modules import MultiHeadAttention
from bookkit.lessons.corpora import crossings, vocabulary
from bookkit.lessons.training import encode, fit, new_model


class CoreferenceModel(nn.Module):
    """Which noun is *it*? One or two layers of attention, one head each or several; the last one asks from *it* alone.

    Its values are the words' own vectors, and its output, the heads' side by side, is read with nothing added: the
    answer has to come through its weights. Layer normalisation keeps queries, keys and what is read at one size.
    """

    def __init__(self, num_words, num_layers, num_heads=1, width=32):
        super().__init__()
        if num_layers not in (1, 2):
            raise ValueError(f"num_layers must be 1 or 2, got {num_layers}")
        self.embedding = nn.Embedding(num_words, width)
        nn.init.normal_(self.embedding.weight, std=0.3)
        self.positions = nn.Parameter(0.3 * torch.randn(12, width))
        self.num_layers, self.num_heads = num_layers, num_heads
        self.norm = nn.ModuleDict({name: nn.LayerNorm(width) for name in ("first", "query", "key", "read")})
        self.first_layer = MultiHeadAttention(width, num_heads, bias=False)     # refuses what does not divide
        self.query, self.key, self.value = (nn.Linear(width, width, bias=False) for _ in range(3))
        self.readout = nn.Linear(width, num_words)

    def forward(self, sentences):
        """Word numbers (b, 12): scores (b, num_words), weights of *it* (b, 12), of the first layer (b, 12, 12).

        Weights are means over the heads.
        """
        *roles, first = self.roles(sentences)
        output, weights = attention(*map(self.split, roles))                         # (b, h, 1, d/h), (b, h, 1, 12)
        output = output.transpose(1, 2).flatten(1)                                   # (b, d)
        return self.readout(self.norm["read"](output)), weights.mean(1)[:, 0], first

    def roles(self, sentences):
        """The last layer's query (b, 1, d), that of *it*, its keys and values (b, 12, d), and the first's weights."""
        words = self.embedding(sentences)
        x, first = words + self.positions, None
        if self.num_layers == 2:
            output, first = self.attend_first(x)
            x = x + output
        return self.query(self.norm["query"](x[:, 8:9])), self.key(self.norm["key"](x)), self.value(words), first

    def split(self, x):
        """Queries, keys or values (b, n, d), each head's apart (b, h, n, d/h)."""
        return x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def head_weights(self, sentences):
        """The weights of *it* in each head (b, h, 12)."""
        query, key, value, _ = self.roles(sentences)
        return attention(*map(self.split, (query, key, value)))[1][:, :, 0]

    def attend_first(self, x):
        """The first layer: every word looks at every word."""
        output, weights = self.first_layer(self.norm["first"](x))
        return output, weights.mean(1)


class CoreferenceTask:
    """The sentences of `bookkit.lessons.corpora.crossings` as numbers, and models that learn what *it* is."""

    def __init__(self, seed=0):
        self.training, self.held_out = crossings(seed=seed)
        self.vocabulary = vocabulary(sentence.words for sentence in self.training + self.held_out)

    def train(self, seed, *, num_layers, num_heads=1, steps=800, lr=5e-3, callback=None):
        """A model trained from scratch; `callback(step, model)` is called before each step and after."""
        model = new_model(seed, CoreferenceModel, len(self.vocabulary), num_layers, num_heads)
        sentences, answers, _, _ = self.encode(self.training)

        def loss(chosen):
            return nn.functional.cross_entropy(model(sentences[chosen])[0], answers[chosen])

        fit(model, loss, len(sentences), steps=steps, batch_size=128, lr=lr,
            callback=callback and (lambda step: callback(step, model)))
        return model

    def encode(self, sentences):
        """Word numbers (b, 12); the numbers of the right nouns (b,), their places (b,), those of the others (b,)."""
        numbers = encode([sentence.words for sentence in sentences], self.vocabulary)
        right, other = torch.tensor([sentence[1:] for sentence in sentences]).T
        return numbers, numbers[torch.arange(len(sentences)), right], right, other

    @torch.no_grad()
    def evaluate(self, model):
        """On held-out sentences: the share answered right, the mean weight of *it* on the right noun, on the other."""
        sentences, answers, right, other = self.encode(self.held_out)
        scores, weights, _ = model(sentences)
        rows = torch.arange(len(answers))
        return ((scores.argmax(1) == answers).double().mean().item(), weights[rows, right].mean().item(),
                weights[rows, other].mean().item())
