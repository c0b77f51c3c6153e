"""What a cache, a window and a matrix know of a text whose sentences are random keys and values."""

import numpy as np

from attnkit import attention
from bookkit.lessons.recall import GUESTS

SHARPNESS = 30.0      # of the softmax: what the dot products of keys of length one are multiplied by
_THINGS = "ball bell boat book cap coin cup drum hat kite lamp map pen ring shell toy".split()


def told_text(seed=6009, *, length=16, width=8):
    """A text of sentences such as “Ben has the ball”, as a `bookkit.figures.MemoryBudget` is given it.

    Each thing occurs once, and each of eight people twice if there are sixteen sentences.  Vectors of things, which are
    the keys, and of people, the values, are of length one in random directions.  By default it is a draw in which the
    three memories know about as many sentences as in the mean of many draws.
    """
    rng = np.random.default_rng(seed)
    things = rng.normal(size=(length, width))
    people = rng.normal(size=(8, width))
    things, people = ((x / np.linalg.norm(x, axis=1, keepdims=True)).round(3) for x in (things, people))
    holders = np.concatenate([rng.permutation(8) for _ in range(-(-length // 8))])[:length]
    return {"things": _THINGS[:length], "names": GUESTS[:8], "holders": holders.tolist(), "thing_vectors": things,
            "name_vectors": people}


def known_sentences(length, *, kept=4, seed=6009):
    """How many of the first sentences of a `told_text` a cache, a window of the last `kept`, and a matrix know.

    As `bookkit.figures.MemoryBudget` counts them.

    >>> known_sentences(12)
    [12, 4, 8]
    """
    text = told_text(seed)
    keys, people, holders = text["thing_vectors"][:length], text["name_vectors"], text["holders"][:length]
    values, near = people[holders], slice(max(0, length - kept), length)
    read = [attention(keys, keys, values, scale=SHARPNESS)[0],
            attention(keys, keys[near], values[near], scale=SHARPNESS)[0], keys @ (keys.T @ values)]
    return [int(((found @ people.T).argmax(axis=1) == holders).sum()) for found in read]
