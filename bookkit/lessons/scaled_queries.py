"""Queries that learn where to look, their scores divided by nothing, by the root of the width, or by the width.

A query meets some random keys, each with a random number as its value, and should learn to make its blend equal to the
value of the first key.
"""

import numpy as np

from attnkit import softmax

DIVISORS = {"as they are": lambda d: 1.0, "÷ √width": lambda d: d**-0.5, "÷ width": lambda d: 1 / d}     # scales


def problems(width, number=100, keys=16):
    """Keys (number, keys, d), queries (number, d) and values (number, keys) of many small problems, all random."""
    rng = np.random.default_rng(0)
    return (rng.normal(size=(number, keys, width)), rng.normal(size=(number, width)),
            rng.normal(size=(number, keys)))


def downhill(weights, values):
    """How the squared error of a blend changes with the scores, where the value of the first key is wanted."""
    blend = (weights * values).sum(axis=-1, keepdims=True)
    return 2 * (blend - values[:, :1]) * weights * (values - blend)


def within(weights, values):
    """The share of blends that are within 0.1 of the value of the first key."""
    return (np.abs((weights * values).sum(axis=-1) - values[:, 0]) < 0.1).mean(axis=-1)


def learned(width, scale, rates, steps=200):
    """The share of queries, for each of the learning rates by itself, that learn their value by plain steps downhill.

    The scores are multiplied by `scale`.

    >>> learned(64, 1 / 8, [1.0]), learned(64, 1.0, [1.0])
    (array([0.92]), array([0.28]))
    """
    k, q, v = problems(width)
    moves = k @ k.transpose(0, 2, 1) * scale**2          # how a step down the query's slope moves the scores
    s = np.stack([scale * (k @ q[..., None])[..., 0]] * len(rates))      # (rates, problems, keys)
    rate = np.array(rates)[:, None, None]
    for _ in range(steps):                               # rounded, so that every processor takes the same way
        s = np.round(s - rate * (moves @ downhill(softmax(s), v)[..., None])[..., 0], 10)
    return within(softmax(s), v)
