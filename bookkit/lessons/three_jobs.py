"""Can one vector do three jobs?  Guests who ask each other what they ordered: a head with three matrices, or with less.

Each guest at a table asks about one other, so the vector of a guest holds whom it is, whom it asks about, and what it
has ordered.  A head may make queries, keys and values of it with three matrices; or with the same one for queries and
keys, or for keys and values.
"""

from typing import NamedTuple

import numpy as np
import torch
from torch.nn.functional import cross_entropy

from attnkit import attention
from bookkit.lessons.recall import GUESTS, MENU

# Which of a head's matrices makes queries, which keys, which values.
HEADS = {"three matrices": (0, 1, 2), "queries = keys": (0, 0, 2), "keys = values": (0, 1, 1)}
WIDTH = 16                                                       # of a guest's vector


class Tables(NamedTuple):
    """Tables of guests as tensors of numbers, all (b, n).

    Who sits there, all different; at which place the one sits that each asks about; what each has ordered; what the one
    has ordered that it asks about.
    """

    names: object             # torch tensors; Sphinx finds no page to link torch's types to
    asks: object
    drinks: object
    answers: object


def asking_tables(count, *, guests=4, seed=0):
    """Tables at which everybody asks about somebody else, at random.

    >>> tables = asking_tables(100)
    >>> [GUESTS[k] for k in tables.names[0]], tables.asks[0].tolist(), MENU[tables.answers[0][0]]
    (['Jon', 'Cleo', 'Hana', 'Eva'], [3, 2, 0, 0], 'cocoa')
    """
    if not 2 <= guests <= len(GUESTS):
        raise ValueError(f"guests must be from 2 to {len(GUESTS)}, as many as there are names, got {guests}")
    rng = np.random.default_rng(seed)
    names = rng.permuted(np.tile(np.arange(len(GUESTS)), (count, 1)), axis=1)[:, :guests]
    asks = (np.arange(guests) + rng.integers(1, guests, size=(count, guests))) % guests
    drinks = rng.integers(len(MENU), size=(count, guests))
    return Tables(*map(torch.tensor, (names, asks, drinks, np.take_along_axis(drinks, asks, axis=1))))


def table(asks, drinks):
    """One table as `asking_tables` gives them: who asks about whom, a dict of names, and what each has ordered.

    >>> table({"Ada": "Ben", "Ben": "Ada"}, ["tea", "milk"]).asks
    tensor([[1, 0]])
    """
    names, ordered = list(asks), [MENU.index(drink) for drink in drinks]
    places = [names.index(name) for name in asks.values()]
    numbers = [GUESTS.index(name) for name in names], places, ordered, [ordered[place] for place in places]
    return Tables(*(torch.tensor([row]) for row in numbers))


def most_ordered(tables):
    """How often it is right to name the drink that was ordered most at a table."""
    return np.mean([np.bincount(row).max() / len(row) for row in tables.drinks.numpy()])


def trained(kind, *, width=3, seeds=range(5), steps=250):
    """Heads of a kind of HEADS, one for each seed, trained side by side; `width` numbers a query, a key, a value.

    Gives arrays: learned vectors for whom a guest is, whom it asks about, what it has ordered; three matrices; a matrix
    that makes scores of the drinks.  The first axis is the seeds.
    """
    parts = []
    for seed in seeds:
        torch.manual_seed(seed)
        parts.append([0.3 * torch.randn(size).double() for size in (
            (len(GUESTS), WIDTH), (len(GUESTS), WIDTH), (len(MENU), WIDTH), (3, WIDTH, width), (width, len(MENU)))])
    heads = [torch.stack(of_all).requires_grad_() for of_all in zip(*parts)]
    optimiser = torch.optim.Adam(heads, lr=0.02)
    for step in range(steps):
        tables = asking_tables(64, seed=step)
        scores, _ = ask(kind, heads, tables)
        answers = tables.answers.expand(len(scores), -1, -1)
        loss = cross_entropy(scores.flatten(1, 2).transpose(1, 2), answers.flatten(1), reduction="none").mean(1).sum()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return [part.detach() for part in heads]


def ask(kind, heads, tables):
    """Everybody asks: scores of the drinks (seeds, b, n, 6), and weights (seeds, b, n, n)."""
    own, about, ordered, matrices, read = heads
    x = own[:, tables.names] + about[:, tables.names.gather(1, tables.asks)] + ordered[:, tables.drinks]
    query, key, value = (x @ matrices[:, k, None] for k in HEADS[kind])
    output, weights = attention(query, key, value)
    return output @ read[:, None], weights


def right(kind, heads, tables):
    """The share of guests who get the right answer, for each seed."""
    scores, _ = ask(kind, heads, tables)
    return (scores.argmax(-1) == tables.answers).double().mean((1, 2)).numpy()
