"""The machine that grows from page to page: all numbers are those of attention."""


import numpy as np
import pytest
from drawn import Drawing, written

from attnkit import attention, causal_mask, scaled_dot
from bookkit.pictures import grown

NAMES = ["see", "that", "girl", "run"]
ALL = [*NAMES, "home", "tired"]
COLUMNS = (["thing", "action", "pointing", "quality"], ["thing", "action"])


def drawings(picture):
    return [Drawing(picture, part) for part in range(len(picture.parts))]


def tables(picture):
    """What stands in the squares of each matrix by its name, row by row; nothing where it is crossed out."""
    found = {}
    for drawn in drawings(picture):
        for frame, rows in drawn.blocks():
            above = [word for word in drawn.words if word.y == 18 and abs(word.x + 2 - frame.x) < 3]
            if rows and above:
                found[above[0].text] = drawn.said(rows)
    return found


def left_over(x, digits, causal):
    """The numbers of a table as they are written, without those that a mask crosses out."""
    return [row[:i + 1] if causal else row for i, row in enumerate(written(x, digits))]


@pytest.mark.parametrize("causal, tabled, n", [(False, False, 4), (True, False, 1), (False, True, 4), (True, True, 6)])
def test_a_head_shows_what_attention_computes(causal, tabled, n):
    """Before and after its newest part, a mask or a table of distances, has come."""
    rng = np.random.default_rng(3)
    query, key, value = (rng.normal(size=(n, d)) for d in (2, 2, 3))
    table = np.subtract.outer(np.arange(n), np.arange(n)) / 2
    pictures = grown.head(query, key, value, names=ALL[:n], table=table if tabled else None, causal=causal, asking=n - 1)
    mask = causal_mask(n) if causal else None
    output, weights = attention(query, key, value, mask=mask, score=(lambda q, k: scaled_dot(q, k) + table) if tabled else scaled_dot)
    before, weights_before = attention(query, key, value, mask=mask if tabled else None)
    scores, first, last = query @ key.T / np.sqrt(2), tables(pictures[0]), tables(pictures[-1])
    assert last["weights A"] == left_over(weights, 2, causal) and last["output Y"] == written(output, 2) and last["values V"] == written(value)
    assert last["scores S"] == left_over(scores, 1, causal and not tabled)
    if tabled:
        assert last["table B"] == written(table) and last["S + B"] == left_over(scores + table, 1, causal)
    if causal or tabled:
        assert first["weights A"] == left_over(weights_before, 2, tabled and causal) and first["output Y"] == written(before, 2)
        assert first["scores S"] == written(scores)


@pytest.mark.parametrize("n, asking", [(4, 1), (1, 0), (6, 5)])
def test_a_word_asks_and_then_all_of_them(n, asking):
    """From the words on: one row of what comes of the query, then all."""
    rng = np.random.default_rng(5)
    x, matrices = rng.normal(size=(n, 4)), [rng.normal(size=(4, d)) for d in (2, 2, 3)]
    one, every = (grown.whole(x, matrices, names=ALL[:n], columns=COLUMNS, asking=asking, every=every) for every in (False, True))
    query, key, value = (x @ w for w in matrices)
    output, weights = attention(query, key, value)
    whole = {"queries Q": written(query), "keys K": written(key), "scores S": written(query @ key.T / np.sqrt(2)),
             "weights A": written(weights, 2), "values V": written(value), "output Y": written(output, 2)}
    before, after = tables(one[-1]), tables(every[-1])
    for name, rows in whole.items():
        assert after[name] == rows
        alone = [row for i, row in enumerate(rows) if i == asking or name in ("keys K", "values V")]
        assert [words for row in before[name] if (words := [word for word in row if word])] == alone
    assert tables(every[0]) == before and before["words X"] == written(x)
