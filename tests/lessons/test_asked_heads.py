"""What the heads of the real model are asked: the trials agree with attention done by hand, and the counts with counting."""

import numpy as np
import pytest

from attnkit import attention
from bookkit.lessons import asked_heads, minilm


@pytest.fixture(scope="module")
def model():
    return minilm.loaded()


def roles(n=5, heads=3, d=4):
    return np.random.default_rng(0).normal(size=(3, heads, n, d))


def test_habits_are_means_over_words(model):
    text = asked_heads.SHOWN[5]
    w = asked_heads.maps(model, text)
    n, found = w.shape[2], asked_heads.habits(model, [text])
    assert found.shape == (6, 12, len(asked_heads.PLACES)) and len(asked_heads.PLAIN) == 9
    for layer, head in ((0, 2), (1, 8), (4, 5)):
        by_hand = [np.mean([w[layer, head, i, to(i)] for i in range(1, n - 1)])
                   for to in (lambda i: 0, lambda i: n - 1, lambda i: i - 1, lambda i: i, lambda i: i + 1)]
        assert found[layer, head] == pytest.approx(by_hand)
    two = asked_heads.habits(model, [text, asked_heads.SHOWN[0]])
    assert two == pytest.approx((found + asked_heads.habits(model, [asked_heads.SHOWN[0]])) / 2)


def test_what_stands_for_attention():
    query, key, value = roles()
    blends, weights = attention(query, key, value)
    kept = value.copy()
    for piece in (0, 2):
        blends_now, weights_now = asked_heads.emptied(0, query, key, value, piece=piece)
        assert np.allclose(blends_now, blends - weights[:, :, [piece]] * value[:, [piece]]) and np.array_equal(weights_now, weights)
    assert np.array_equal(value, kept), "what was given must stay"
    assert np.allclose(asked_heads.even(0, query, key, value)[0], value.mean(axis=1, keepdims=True))
    assert not asked_heads.nothing(0, query, key, value)[0].any() and asked_heads.nothing(0, query, key, value)[1].shape == weights.shape
    without = asked_heads.without_head(1, 2)
    assert np.array_equal(without(0, query, key, value)[0], blends)
    assert not without(1, query, key, value)[0][2].any() and np.array_equal(without(1, query, key, value)[0][:2], blends[:2])


def test_what_is_chosen_on_one_half_is_counted_on_the_other():
    rng = np.random.default_rng(1)
    hits = rng.random((20, 72)) < 0.5
    fair, best = asked_heads.chosen_on_half(hits), hits.sum(axis=0).max()
    assert len(fair) == 1000 and fair.mean() < best / 2 - 1 and abs(fair.mean() - 5) < 0.8, "luck does not come again"
    hits[:, 7] = True
    assert (asked_heads.chosen_on_half(hits, draws=50) == 10).mean() > 0.9, "what is real does"


def test_the_best_of_many_is_lucky():
    hits = np.random.default_rng(2).random((20, 72)) < 0.5
    lucky = asked_heads.best_by_luck(hits)
    assert 14 < lucky.mean() < 16 and len(lucky) == 1000
    assert 9.8 < asked_heads.best_by_luck(hits[:, :1]).mean() < 10.2, "one alone is not"
