"""How many orders does a memory of fixed size hold? Keys at random, and guests learned; asked for each again."""

import numpy as np
import torch

from attnkit import attention, delta_rule_attention, linear_attention
from bookkit.lessons.recall import GUESTS, MENU, AttentionRecall, LinearAttentionRecall, RecallTask

SHARPNESS = 30.0      # of the softmax: what the dot products of keys of length one are multiplied by
_THINGS = "ball bell boat book cap coin cup drum hat kite lamp map pen ring shell toy".split()
LENGTH = 10.0         # of keys before elu(x) + 1, for each square root of their width: longer than that changes little


def _products(key, value):
    """Read the sum of outer products."""
    return key @ (key.mT @ value)


def _corrected(key, value):
    """Read the memory that the delta rule has written."""
    return key @ delta_rule_attention(key, key, value)[1]


def _features(key, value):
    """Read linear attention: sums of outer products of elu(key) + 1, divided by the sum of the weights."""
    key = LENGTH * key.shape[-1] ** 0.5 * key
    return linear_attention(key, key, value)


MEMORIES = {     # what a table calls it: from keys (..., m, d) and values (..., m, v) what is read for each key
    "softmax": lambda key, value: attention(key, key, value, scale=SHARPNESS)[0],
    "sum of products": _products,
    "delta rule": _corrected,
    "elu + 1": _features,
}


def random_orders(num_orders, width, *, draws=40, seed=0):
    """Keys (draws, m, d) of length one in random directions, and drinks (draws, m) for them, places in
    `bookkit.lessons.recall.MENU`.
    """
    rng = np.random.default_rng([seed, num_orders, width])
    keys = rng.normal(size=(draws, num_orders, width))
    return keys / np.linalg.norm(keys, axis=-1, keepdims=True), rng.integers(len(MENU), size=(draws, num_orders))


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


def share_recalled(memory, num_orders, width, *, changed=False, draws=40, seed=0):
    """The share of orders that a memory, one of `MEMORIES`, gives back when each key is asked; see `random_orders`.

    A drink is a column: an order's value has a one there, and the answer is the column with the largest number. If
    `changed`, everybody has ordered something else before, with the same key; the later order is right.

    >>> [share_recalled(memory, 3, 32) for memory in ("softmax", "sum of products")]
    [1.0, 1.0]
    >>> share_recalled("sum of products", 3, 32, changed=True) < 0.7 < share_recalled("delta rule", 3, 32, changed=True)
    True
    """
    if memory not in MEMORIES:
        raise ValueError(f"memory must be one of {', '.join(map(repr, MEMORIES))}, got {memory!r}")
    keys, drinks = random_orders(num_orders, width, draws=draws, seed=seed)
    values = np.eye(len(MENU))[drinks]
    if changed:
        other = (drinks + np.random.default_rng(seed).integers(1, len(MENU), size=drinks.shape)) % len(MENU)
        keys, values = np.tile(keys, (1, 2, 1)), np.concatenate([np.eye(len(MENU))[other], values], axis=1)
    read = MEMORIES[memory](keys, values)[:, -num_orders:]
    # Of drinks with the same number, to rounding, one is said at random: what to expect of it is counted.
    best = read >= read.max(axis=-1, keepdims=True) - 1e-9
    return float((np.take_along_axis(best, drinks[..., None], axis=-1)[..., 0] / best.sum(axis=-1)).mean())


def capacity(memory, width, *, level=0.9, numbers=(1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128), **options):
    """The largest of the `numbers` of orders, rising, up to which a memory gives back the share `level` or more.

    0 if it fails with the first; the last if it fails with none. Options are those of `share_recalled`.
    """
    held = 0
    for number in numbers:
        if share_recalled(memory, number, width, **options) < level:
            break
        held = number
    return held


class FeatureAttentionRecall(AttentionRecall):
    """As `AttentionRecall`, with the weights of linear attention: products of elu(x) + 1, divided by their sum."""

    def attend(self, items, question):
        """Output (b, d_v); nothing has the weights."""
        query = (question @ self.w_query)[:, None]
        return linear_attention(query, items @ self.w_key, items @ self.w_value)[:, 0], None


class FullTableTask(RecallTask):
    """Who ordered what, as in `bookkit.lessons.recall`, with all twelve guests at the table in training, too."""

    TRAINED_WITH = 12
    MODELS = {       # what a table calls it
        "softmax": AttentionRecall,
        "sum of products": LinearAttentionRecall,
        "elu + 1": FeatureAttentionRecall,
    }

    @torch.no_grad()
    def validate(self, model, tables):
        """The share of tables for which a model is right, and its loss there."""
        *table, answers = tables
        loss = torch.nn.functional.cross_entropy(model(*table), answers).item()
        return self.evaluate(model, tables=tables), loss
