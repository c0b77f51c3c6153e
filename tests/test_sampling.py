"""Choosing a word by chance: the same numbers in Python and on the page, chances as by hand."""

import math
import re

import numpy as np
import pytest
from conftest import node

from attnkit.sampling import Xorshift, chances, choose


def test_xorshift():
    """The published sequence of Marsaglia's generator with 13, 17 and 5 that begins at 1; where a seed begins."""
    random = Xorshift(0)
    random.state = 1
    assert [random.number() * 2**32 for _ in range(5)] == [270369, 67634689, 2647435461, 307599695, 2398689233]
    assert [Xorshift(seed).state for seed in (0, 1, 9999)] == [2654435761, 1013904226, 2654435761 * 10_000 % 2**32]
    for wrong, error, words in ((-1, ValueError, "at least 0, got -1"), (10_000, ValueError, "at most 9999, got 10000"), (1.5, TypeError, "an integer, got float")):
        with pytest.raises(error, match=f"^seed must be {words}$"):
            Xorshift(wrong)


def test_chances():
    scores = [1.0, 3.0, -math.inf, 2.0, 3.0]
    powers = np.exp([1, 3, -math.inf, 2, 3])
    assert np.allclose(chances(scores), powers / powers.sum())
    assert np.allclose(chances(scores, temperature=0.5), powers**2 / (powers**2).sum())
    assert np.allclose(chances(scores, top_k=3), [0, powers[1] / powers[[1, 3, 4]].sum(), 0, powers[3] / powers[[1, 3, 4]].sum(), powers[4] / powers[[1, 3, 4]].sum()])
    assert chances(scores, top_k=1).tolist() == chances(scores, temperature=0, top_k=4).tolist() == [0, 1, 0, 0, 0], "of equals the first"
    assert np.allclose(chances(scores, top_k=100), chances(scores)) and np.isfinite(chances([900.0, 0.0], temperature=0.01)).all()
    assert np.flatnonzero(chances([k % 7 for k in range(1000)], top_k=3)).tolist() == [6, 13, 20], "of many equals, too"
    for wrong, error in (({"temperature": -1}, ValueError), ({"temperature": math.inf}, ValueError), ({"temperature": "1"}, TypeError), ({"top_k": 0}, ValueError), ({"top_k": 1.5}, TypeError)):
        with pytest.raises(error, match=f"^{next(iter(wrong))} must be"):
            chances(scores, **wrong)


def test_choose():
    scores, random = [1.0, 3.0, -math.inf, 2.0, 3.0], Xorshift(4)
    drawn = np.bincount([choose(scores, random, top_k=3, temperature=2) for _ in range(4000)], minlength=5) / 4000
    assert np.abs(drawn - chances(scores, top_k=3, temperature=2)).max() < 0.03 and drawn[0] == drawn[2] == 0
    random, fresh = Xorshift(4), Xorshift(4)
    assert choose(scores, random, temperature=0) == 1 and random.state == fresh.state, "greedy draws nothing"
    choose(scores, random)
    assert fresh.number() and random.state == fresh.state, "else one number"

    class Fixed:
        def __init__(self, share):
            self.number = lambda: share

    even = [0.0, 0.0, -math.inf, 0.0]
    assert [choose(even, Fixed(share)) for share in (0, 0.33, 0.34, 0.66, 0.67, 1 - 2**-32)] == [0, 0, 1, 1, 3, 3]
    assert choose([0.0] * 4, Fixed(0.25)) == 1, "a share begins where the one before it ends"
    assert choose([0.0, math.log(3)], Fixed(0.3)) == 1, "chances of 1/4 and 3/4: the temperature is 1"


NO, NAN, FULL = -math.inf, math.nan, math.inf
NO_WORD, ODD = "no word may come: every score is minus infinity", "each score must be a number or minus infinity"
# Scores of which no word can be chosen, and what is said; the words of a page are None where JavaScript cannot be asked.
REFUSED = [([], ValueError, "scores must hold at least one number, got none", NO_WORD), ([NO, NO, NO], ValueError, NO_WORD, NO_WORD),
           ([1.0, NAN, 2.0], ValueError, f"{ODD}, got nan", ODD), ([NAN], ValueError, f"{ODD}, got nan", ODD), ([0.0, FULL], ValueError, f"{ODD}, got inf", ODD),
           ([NO, NAN, FULL], ValueError, f"{ODD}, got nan", ODD), (3.0, ValueError, "scores must be one row, a number for each word, got shape ()", None),
           ([[1.0, 2.0]], ValueError, "scores must be one row, a number for each word, got shape (1, 2)", None), (["a"], TypeError, "scores must be a row of numbers, got ['a']", None),
           ([[1.0], [2.0, 3.0]], TypeError, "scores must be a row of numbers, got [[1.0], [2.0, 3.0]]", None)]
BORNE = [[0.0, NO, 1.0], [NO, NO, 5.0], [1e308, -1e308, NO], [-1e308, -1e308]]


def test_scores_of_which_no_word_can_be_chosen_are_refused():
    """By `chances` and `choose` in the caller's words, at each temperature, and by their twins on the page."""
    options = [(temperature, top_k) for temperature in (0, 1e-9, 1) for top_k in (None, 1, 2)]
    for scores, error, words, _ in REFUSED:
        for temperature, top_k in options:
            for call in (chances, lambda *a, **o: choose(*a, Xorshift(1), **o)):
                with pytest.raises(error, match=f"^{re.escape(words)}"):
                    call(scores, temperature=temperature, top_k=top_k)
    cases = [(row, *option) for row in [*(scores for scores, *_, page in REFUSED if page), *BORNE] for option in options]
    wanted = [page for *_, page in REFUSED if page for _ in options]
    found = node("run_figures.js", {"chances": [([str(x).replace("inf", "Infinity") for x in row], *option) for row, *option in cases]})
    assert found[:len(wanted)] == wanted
    for (row, temperature, top_k), (shares, word) in zip(cases[len(wanted):], found[len(wanted):]):
        ours = chances(row, temperature=temperature, top_k=top_k)
        assert np.allclose(shares, ours) and ours.sum() == pytest.approx(1) and ours[word] > 0, (row, temperature, top_k)
