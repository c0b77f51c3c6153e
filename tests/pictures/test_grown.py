"""The machine that grows from page to page: all numbers are those of attention."""


import numpy as np
from drawn import Drawing, depths, written
from table import each

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


CASES = [(causal, tabled, n) for causal in (False, True) for tabled in (False, True) for n in (1, 4, 6)]


@each("causal, tabled, n", CASES)
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


@each("n, asking", [(4, 1), (1, 0), (6, 5)])
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


# ---- the machine

X = np.random.default_rng(1).normal(size=(7, 4)).round(1)
CANDIDATES = ["girl", "run", "home", "tired"]
SCORES = np.array([[.5, -1, 2.5, .1], [1, 0, -1, 2]])


def triangle(n):
    """Random weights of a causal head."""
    return attention(*np.random.default_rng(n).normal(size=(3, n, 2)), mask=causal_mask(n))[1]


def squares_of(drawn):
    return ["".join(drawn.written_in(box)) for box in drawn.cells if "--ak-fill-weight" not in box.fill]


def test_the_machine_has_its_numbers():
    [block] = grown.block(X[:4], triangle(4), X[:4] + 1, names=NAMES)
    [stack] = grown.stack(X[:4], [triangle(4)] * 2, SCORES[0], names=NAMES, candidates=CANDIDATES)
    [loop] = grown.loop(X[:5], [triangle(5)] * 2, SCORES, names=[*NAMES, "home"], candidates=CANDIDATES)
    before, middle, after = drawings(block)
    for drawn, numbers in ((before, X[:4]), (after, X[:4] + 1), (drawings(stack)[-1], SCORES[:1]), (drawings(loop)[-1], SCORES), (drawings(loop)[0], X[:5])):
        assert squares_of(drawn) == [number for row in written(numbers) for number in row]
    assert depths(middle.cells, triangle(4)[np.tril_indices(4)])
    assert "Scores of the next word after “run”: girl 0.5, run −1.0, home 2.5, tired 0.1." in loop.alt


W = [np.ones((4, 2)), np.ones((4, 2)), np.ones((4, 3))]
BAD = [
    (lambda: grown.whole(X[:4], [W[0], W[0].T, W[2]], names=NAMES, columns=COLUMNS, asking=0), ValueError, r"x must be \(n, d\) and matrices .* got \(4, 4\), \(4, 2\), \(2, 4\) and \(4, 3\)"),
    (lambda: grown.head(X[:4], X[:3], X[:4], names=NAMES), ValueError, r"query, key and value must be .* got \(4, 4\), \(3, 4\) and \(4, 4\)"),
    (lambda: grown.head(X[:4], X[:4], X[:4], names=NAMES, asking=4), ValueError, "asking must be from 0 to 3, the number of one of the words, got 4"),
    (lambda: grown.block(X[:4], np.full((4, 4), .25), X[:4], names=NAMES), ValueError, "weights must be from 0 to 1, and 0 for later words"),
    (lambda: grown.loop(X[:4], [triangle(4)] * 2, SCORES, names=NAMES, candidates=CANDIDATES), ValueError, "names must end with the likeliest candidate, 'home', got 'run'"),
]
