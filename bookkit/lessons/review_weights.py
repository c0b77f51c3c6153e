"""Do weights explain what a model says of a review? Weights shuffled, taken away and pushed apart."""

from typing import NamedTuple

import numpy as np
import torch
from torch import nn

from bookkit.lessons.reviews import Reviews
from bookkit.lessons.training import fit


class Moved(NamedTuple):
    """How far a change moves a model: by how much the probability of "good" changes, and how often the answer does."""

    change: float
    flips: float


class Compared(NamedTuple):
    """Two models of the same reviews: how often they say the same, how far apart their probabilities and weights are.

    The distance of weights is half the sum of their differences, the total variation: 0 if they are the same, 1 if no
    word has weight in both.
    """

    agreement: float
    change: float
    distance: float


@torch.no_grad()
def shuffled(model, documents, *, times=20, seed=0):
    """Logits (b, times): the weights of each review are handed out anew among its words, at random."""
    x, weights = _seen(model, documents)
    rng, places = np.random.default_rng(seed), np.tile(np.arange(weights.shape[1]), (len(weights), times, 1))
    orders = torch.tensor(rng.permuted(places, axis=2))                     # (b, times, n)
    return _read(model, weights[:, None].expand_as(orders).gather(2, orders) @ x)


@torch.no_grad()
def left_out(model, documents):
    """Logits (b, n), each without one of the words; the weights of the others grow until they sum to one."""
    x, weights = _seen(model, documents)
    own = weights[..., None]
    return _read(model, (weights[:, None] @ x - own * x) / (1 - own))


def _seen(model, documents):
    """Word vectors (b, n, d) and their weights (b, n)."""
    x = model.embedding(documents)
    weights = model.pool(x)[1]
    if weights is None:
        raise ValueError("this model pools by a maximum, which has no weights")
    return x, weights


def _read(model, pooled):
    return model.readout(pooled)[..., 0]


@torch.no_grad()
def examine(model, reviews, *, times=20, seed=0):
    """What becomes of a model's answers when its weights are changed?

    Gives `Moved` for ``"shuffled"`` weights, `times` times, and for reviews ``"without the top word"``, the one with
    the largest weight, and ``"without another word"``, the mean of all others. Jain and Wallace (2019) and Serrano and
    Smith (2019) ask so.
    """
    documents = reviews.documents
    logits, weights = model(documents)
    logits, top = logits[:, None], weights.argmax(1, keepdim=True)
    others = torch.ones_like(weights).scatter(1, top, 0).bool()
    without = left_out(model, documents)
    changes = {
        "shuffled": shuffled(model, documents, times=times, seed=seed),
        "without the top word": without.gather(1, top),
        "without another word": without[others].view(len(logits), -1),
    }
    return {name: _moved(logits, changed) for name, changed in changes.items()}


def _moved(before, after):
    return Moved((before.sigmoid() - after.sigmoid()).abs().mean().item(),
                 ((before > 0) != (after > 0)).double().mean().item())


@torch.no_grad()
def compare(model, other, reviews):
    """Two models' answers and weights: `Compared`."""
    (logits, weights), (its_logits, its_weights) = (reader(reviews.documents) for reader in (model, other))
    change, flips = _moved(logits, its_logits)
    return Compared(1 - flips, change, _distance(weights, its_weights).item())


def _distance(weights, others):
    """The mean total variation of two arrays of weights (b, n)."""
    return (weights - others).abs().sum(1).mean() / 2


def train_apart(task, model, seed, *, strength=0.3, steps=1200, lr=1e-2):
    """A model that learns to say what another says, with weights as far from the other's as it can.

    It is trained as usual first, since from random numbers it may push its weights apart and never find the answers.
    Then its loss is the cross-entropy with the other's probabilities, less `strength` times the total variation of the
    two models' weights; the paper measures answers by their total variation, and weights by their divergence. So do
    Wiegreffe and Pinter (2019), section 4. `steps` and `lr` are of the second training.
    """
    documents = task.training.documents
    with torch.no_grad():
        logits, weights = model(documents)
    apart = task.train(seed, width=model.embedding.embedding_dim, key_width=model.w_key.shape[1],
                       hidden=model.readout[0].out_features)

    def loss(chosen):
        its_logits, its_weights = apart(documents[chosen])
        same = nn.functional.binary_cross_entropy_with_logits(its_logits, logits[chosen].sigmoid())
        return same - strength * _distance(weights[chosen], its_weights)

    fit(apart, loss, len(documents), steps=steps, lr=lr)
    return apart


def by_what_settles(reviews):
    """Reviews apart: those that a decisive word settles, and those that the majority of the opinion words settles."""
    settled = reviews.decisive >= 0
    return {name: Reviews(*(part[rows] for part in reviews))
            for name, rows in (("decisive", settled), ("majority", ~settled))}
