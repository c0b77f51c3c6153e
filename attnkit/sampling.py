"""Choosing the next word by its score: temperature, the best few, and numbers that look random."""

import math
from collections.abc import Sequence

import numpy as np

from attnkit import checks


class Xorshift:
    """Numbers between 0 and 1 that look random: the same in Python and in a page, for the same seed.

    Parameters
    ----------
    seed : int
        From 0 to 9999.

    Examples
    --------
    >>> random = Xorshift(0)
    >>> [round(random.number(), 3) for _ in range(3)]
    [0.317, 0.751, 0.867]

    References
    ----------
    Marsaglia (2003), "Xorshift RNGs".
    Chapter: writing.
    """

    def __init__(self, seed: int):
        if checks.count(seed, "seed", 0) > 9999:
            raise ValueError(f"seed must be at most 9999, got {seed}")
        self.state = (seed + 1) * 2654435761 % 2**32

    def number(self) -> float:
        """The next number."""
        self.state ^= (self.state << 13) % 2**32
        self.state ^= self.state >> 17
        self.state ^= (self.state << 5) % 2**32
        return self.state / 2**32


def chances(scores: Sequence[float], *, temperature: float = 1.0, top_k: int | None = None) -> np.ndarray:
    """How likely each word is chosen, by its score.

    Parameters
    ----------
    scores : sequence of numbers
        One for each word; minus infinity for one that may not come.
    temperature : float
        0 for the best word always (greedy), of equals the first.
    top_k : int, optional
        Only the so many best words may come, of equals the first.

    Returns
    -------
    numpy array
        They sum to one.

    Raises
    ------
    TypeError
        `scores` are not numbers, `temperature` is none, or `top_k` is not an integer.
    ValueError
        `scores` is not one row of them, has none, leaves no word that may come, or has one that is not a number or plus
        infinity; `temperature` is negative or not finite; `top_k` is less than one.

    Examples
    --------
    >>> chances([1.0, 2.0, 2.0, 0.0], temperature=0).tolist()
    [0.0, 1.0, 0.0, 0.0]
    >>> chances([1.0, 2.0, 2.0, 0.0], top_k=2).tolist()
    [0.0, 0.5, 0.5, 0.0]

    References
    ----------
    Fan et al. (2018), "Hierarchical Neural Story Generation".
    Chapter: writing.
    """
    scores = _row(scores)
    if checks.finite(temperature, "temperature") < 0:
        raise ValueError(f"temperature must be at least 0, got {temperature}")
    best = np.argsort(-scores, stable=True)[:len(scores) if top_k is None else checks.count(top_k, "top_k")]
    shares = np.zeros(len(scores))
    if temperature == 0:
        shares[best[0]] = 1
        return shares
    with np.errstate(over="ignore"):       # too far below the best: -inf, whose exp is 0
        shares[best] = np.exp((scores[best] - scores[best[0]]) / temperature)
    return shares / shares.sum()


def choose(scores: Sequence[float], random: Xorshift, *, temperature: float = 1.0, top_k: int | None = None) -> int:
    """Choose a word by its score: the number of the word.

    Parameters
    ----------
    scores, temperature, top_k
        See `chances`.
    random : Xorshift
        One number is drawn, or none if the temperature is 0.

    Returns
    -------
    int

    Raises
    ------
    TypeError, ValueError
        As `chances`.

    Examples
    --------
    >>> random = Xorshift(0)
    >>> [choose([1.0, 2.0, 2.0, 0.0], random, top_k=2) for _ in range(3)]
    [1, 2, 2]

    References
    ----------
    Fan et al. (2018), "Hierarchical Neural Story Generation".
    Chapter: writing.
    """
    shares = chances(scores, temperature=temperature, top_k=top_k)
    if temperature == 0:
        return int(shares.argmax())
    return int(np.argmax(np.cumsum(shares) > random.number()))


def _row(scores):
    """One row of scores that leaves a word to choose."""
    try:
        row = np.asarray(scores, dtype=float)
    except (TypeError, ValueError):
        raise TypeError(f"scores must be a row of numbers, got {scores!r}") from None
    if row.ndim != 1:
        raise ValueError(f"scores must be one row, a number for each word, got shape {row.shape}")
    if not len(row):
        raise ValueError("scores must hold at least one number, got none")
    odd = row[np.isnan(row) | (row == math.inf)]
    if len(odd):
        raise ValueError(f"each score must be a number or minus infinity, got {odd[0]}")
    if row.max() == -math.inf:
        raise ValueError("no word may come: every score is minus infinity")
    return row
