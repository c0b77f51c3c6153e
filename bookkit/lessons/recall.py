"""Who ordered what? A name is asked, a table of guests with their orders is given: attention and its rivals."""

from typing import NamedTuple

import numpy as np
import torch
from torch import nn

from attnkit import attention, scaled_dot
from attnkit.modules import xavier
from bookkit.lessons.training import fit, new_model

GUESTS = "Ada Ben Cleo Dan Eva Finn Gil Hana Ines Jon Kim Lou".split()
MENU = "coffee tea juice water milk cocoa".split()


class Tables(NamedTuple):
    """Examples as tensors of numbers, places in `GUESTS` and in `MENU`.

    Who sits at each table (b, n), all different; what each has ordered (b, n); one of the names (b,); that guest's
    drink (b,).
    """

    names: object             # torch tensors; Sphinx finds no page to link torch's types to
    drinks: object
    asked: object
    answers: object


def recall_tables(num_examples, *, guests=6, seed=0):
    """Tables of guests with their orders, at random, and one of the names at each.

    At each table sit `guests`, at most 12. Their names are different; drinks may repeat.

    >>> tables = recall_tables(1000, guests=3)
    >>> [(GUESTS[i], MENU[j]) for i, j in zip(tables.names[0], tables.drinks[0])], GUESTS[tables.asked[0]]
    ([('Jon', 'coffee'), ('Cleo', 'tea'), ('Hana', 'coffee')], 'Cleo')
    """
    if guests > len(GUESTS):
        raise ValueError(f"guests must be at most {len(GUESTS)}, as many as there are names, got {guests}")
    rng = np.random.default_rng(seed)
    rows = np.arange(num_examples)
    names = rng.permuted(np.tile(np.arange(len(GUESTS)), (num_examples, 1)), axis=1)[:, :guests]
    drinks, place = rng.integers(len(MENU), size=(num_examples, guests)), rng.integers(guests, size=num_examples)
    return Tables(*map(torch.tensor, (names, drinks, names[rows, place], drinks[rows, place])))


class RecallModel(nn.Module):
    """What all have in common: a guest with an order is the sum of two learned vectors, the question a name's vector.

    A subclass makes scores (b, 6) of the `items` (b, n, d) and the `question` (b, d) in its method `read`.
    """

    def __init__(self, width):
        super().__init__()
        self.name_vectors = nn.Embedding(len(GUESTS), width)
        self.drink_vectors = nn.Embedding(len(MENU), width)

    def embed(self, names, drinks, asked):
        """Numbers (b, n), (b, n) and (b,): items (b, n, d) and question (b, d)."""
        return self.name_vectors(names) + self.drink_vectors(drinks), self.name_vectors(asked)

    def forward(self, names, drinks, asked):
        """Numbers (b, n), (b, n) and (b,): scores (b, 6)."""
        return self.read(*self.embed(names, drinks, asked))


class AttentionRecall(RecallModel):
    """One head: the query from the question, keys and values from the items; its output is read by a linear layer."""

    def __init__(self, width=16, key_width=8):
        super().__init__(width)
        self.w_query, self.w_key, self.w_value = (xavier(width, key_width) for _ in range(3))
        self.readout = nn.Linear(key_width, len(MENU))

    def attend(self, items, question):
        """Output (b, d_v) and weights (b, n)."""
        query = (question @ self.w_query)[:, None]
        output, weights = attention(query, items @ self.w_key, items @ self.w_value)
        return output[:, 0], weights[:, 0]

    def read(self, items, question):
        """Items (b, n, d) and question (b, d): scores (b, 6)."""
        return self.readout(self.attend(items, question)[0])


class LinearAttentionRecall(AttentionRecall):
    """The same without a softmax: the scores themselves are the weights (linear attention; Schlag et al., 2021)."""

    def attend(self, items, question):
        """Output (b, d_v) and scores (b, n), which do not sum to one."""
        scores = scaled_dot((question @ self.w_query)[:, None], items @ self.w_key)
        return (scores @ (items @ self.w_value))[:, 0], scores[:, 0]


def _two_layers(width, hidden, outputs):
    return nn.Sequential(nn.Linear(width, hidden), nn.ReLU(), nn.Linear(hidden, outputs))


class MeanRecall(RecallModel):
    """The mean of the items beside the question, read by two layers.

    The mean is the mean name plus the mean drink: it does not hold who ordered what, and nothing that reads it can do
    better than to say the drink that was ordered most.
    """

    def __init__(self, width=16, hidden=48):
        super().__init__(width)
        self.readout = _two_layers(2 * width, hidden, len(MENU))

    def read(self, items, question):
        """Items (b, n, d) and question (b, d): scores (b, 6)."""
        return self.readout(torch.cat([items.mean(1), question], dim=1))


class ConcatenationRecall(RecallModel):
    """The items laid end to end beside the question, read by two layers: for one number of guests only."""

    def __init__(self, width=16, hidden=64, guests=6):
        super().__init__(width)
        self.guests = guests
        self.readout = _two_layers((guests + 1) * width, hidden, len(MENU))

    def read(self, items, question):
        """Items (b, n, d) and question (b, d): scores (b, 6)."""
        if items.shape[1] != self.guests:
            raise ValueError(f"this model was made for {self.guests} guests, got {items.shape[1]}")
        return self.readout(torch.cat([items.flatten(1), question], dim=1))


def _item_features(width, hidden):
    return nn.Sequential(*_two_layers(width, hidden, hidden), nn.ReLU())


class PerItemRecall(RecallModel):
    """Two layers make features of each item by itself; their mean, times a projection of the question, is read.

    In the manner of deep sets (Zaheer et al., 2017): an item's network does not know what is asked, so the mean has to
    hold who ordered what, for all guests at once.
    """

    def __init__(self, width=16, hidden=64):
        super().__init__(width)
        self.features, self.gate = _item_features(width, hidden), nn.Linear(width, hidden)
        self.readout = nn.Linear(hidden, len(MENU))

    def read(self, items, question):
        """Items (b, n, d) and question (b, d): scores (b, 6)."""
        return self.readout(self.features(items).mean(1) * self.gate(question))


class RelationRecall(RecallModel):
    """Two layers make features of each item beside the question; their mean is read by a linear layer.

    A relation network (Santoro et al., 2017) of items and question: like attention it compares the question with each
    item, and learns how.
    """

    def __init__(self, width=16, hidden=32):
        super().__init__(width)
        self.features, self.readout = _item_features(2 * width, hidden), nn.Linear(hidden, len(MENU))

    def read(self, items, question):
        """Items (b, n, d) and question (b, d): scores (b, 6)."""
        pairs = torch.cat([items, question[:, None].expand_as(items)], dim=2)
        return self.readout(self.features(pairs).mean(1))


class RecallTask:
    """Models trained with six guests at the table, each step on new ones, and held-out tables of 3, 6 and 12 guests."""

    TRAINED_WITH = 6
    MODELS = {       # what a table calls it
        "attention": AttentionRecall,
        "without softmax": LinearAttentionRecall,
        "mean": MeanRecall,
        "concatenation": ConcatenationRecall,
        "per-item network": PerItemRecall,
        "relation network": RelationRecall,
    }

    def __init__(self, seed=0):
        # A list as a seed: no training, whose seed is one number, draws the same.
        self.held_out = {guests: recall_tables(2000, guests=guests, seed=[seed, guests]) for guests in (3, 6, 12)}

    def train(self, seed, kind, *, steps=800, lr=1e-2, **options):
        """A model of one of the MODELS, trained from scratch; `options` are those of its class."""
        model, rng = new_model(seed, self.MODELS[kind], **options), np.random.default_rng(seed)

        def loss(chosen):            # of which only the number counts: there is no fixed set to choose from
            *table, answers = recall_tables(len(chosen), guests=self.TRAINED_WITH, seed=rng)
            return nn.functional.cross_entropy(model(*table), answers)

        fit(model, loss, 1, steps=steps, lr=lr)
        return model

    @torch.no_grad()
    def evaluate(self, model, guests=6, tables=None):
        """The share of the held-out tables with so many guests, or of others, for which a model is right."""
        *table, answers = self.held_out[guests] if tables is None else tables
        return (model(*table).argmax(1) == answers).double().mean().item()

    def evaluate_guess(self, guests=6):
        """The share to expect of whoever always says the drink ordered most: the most that can be had from the mean."""
        counts = nn.functional.one_hot(self.held_out[guests].drinks, len(MENU)).sum(1)
        return counts.max(1).values.double().mean().item() / guests

    @torch.no_grad()
    def evaluate_weights(self, model, guests=6):
        """The mean weight that attention gives to the guest who was asked for."""
        names, drinks, asked, _ = self.held_out[guests]
        weights = model.attend(*model.embed(names, drinks, asked))[1]
        return weights[names == asked[:, None]].mean().item()

    def encode(self, orders, asked):
        """Orders like {"Ada": "tea", "Ben": "cocoa"} and a name in them as one table."""
        names, drinks = [GUESTS.index(name) for name in orders], [MENU.index(drink) for drink in orders.values()]
        return Tables(*map(torch.tensor, ([names], [drinks], [GUESTS.index(asked)], [MENU.index(orders[asked])])))

    @torch.no_grad()
    def answer(self, model, orders, asked):
        """The drink that a model says, for orders like {"Ada": "tea", "Ben": "cocoa"} and a name in them."""
        return MENU[model(*self.encode(orders, asked)[:3]).argmax()]

    @torch.no_grad()
    def weights(self, model, orders, asked):
        """Attention's weights (n,), for orders like {"Ada": "tea", "Ben": "cocoa"} and a name in them."""
        return model.attend(*model.embed(*self.encode(orders, asked)[:3]))[1][0]
