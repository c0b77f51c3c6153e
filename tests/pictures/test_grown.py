"""The machine that grows from page to page: what each step adds, and that all numbers are those of attention."""

import re

import numpy as np
import pytest
from drawn import Drawing, laid_out, written
from table import each

from attnkit import attention, causal_mask, scaled_dot
from bookkit.figures import GrowingPicture
from bookkit.lessons import four_words as four
from bookkit.pictures import grown, palette
from bookkit.pictures.picture import PHONE

NAMES = ["see", "that", "girl", "run"]


def asked(n=4, d_k=2, d_v=3):
    """Queries, keys, values, a table of distances, names."""
    rng = np.random.default_rng(3)
    query, key, value = (rng.normal(size=(n, d)) for d in (d_k, d_k, d_v))
    return query, key, value, np.subtract.outer(np.arange(n), np.arange(n)) / 2, [*NAMES, "home", "tired", "now"][:n]


def drawings(picture):
    return [Drawing(picture, part) for part in range(len(picture.parts))]


def tables(picture):
    """What stands in the squares of each matrix by its name, row by row; nothing where it is crossed out."""
    found = {}
    for drawn in drawings(picture):
        for frame, rows in drawn.blocks():
            above = [word for word in drawn.words if word.y == 18 and abs(word.x + 2 - frame.x) < 3]
            if rows and above:
                held = [["".join(drawn.written_in(cell)) for cell in row] for row in rows]
                found[above[0].text] = held
    return found


def left_over(x, digits, causal):
    """The numbers of a table as they are written, without those that a mask crosses out."""
    return [row[:i + 1] if causal else row for i, row in enumerate(written(x, digits))]


def outlined(picture):
    """The names of the matrices in the outline."""
    found = []
    for drawn in drawings(picture):
        for box in drawn.boxes:
            if box.fill == "none" and "--ak-ink" in box.stroke and box.stroke_width == 2:
                found += [word.text for word in drawn.words if word.y == 18 and box.holds(word.x, word.y)]
    return found


CASES = {"alone": (False, False), "mask": (True, False), "table and mask": (True, True), "table": (False, True)}


@each("n", [1, 4, 6])
@each("case", CASES)
def test_a_head_grows_by_its_newest_part(case, n):
    causal, tabled = CASES[case]
    query, key, value, table, names = asked(n)
    pictures = grown.head(query, key, value, names=names, table=table if tabled else None, causal=causal, asking=n - 1)
    mask = causal_mask(n) if causal else None
    score = (lambda q, k: scaled_dot(q, k) + table) if tabled else scaled_dot
    output, weights = attention(query, key, value, mask=mask, score=score)
    before, weights_before = attention(query, key, value, mask=mask if tabled else None)
    scores = query @ key.T / np.sqrt(2)
    last = tables(pictures[-1])
    assert last["weights A"] == left_over(weights, 2, causal) and last["output Y"] == written(output, 2) and last["values V"] == written(value)
    assert last["scores S"] == left_over(scores, 1, causal and not tabled)
    if tabled:
        assert last["table B"] == written(table) and last["S + B"] == left_over(scores + table, 1, causal)
    if causal or tabled:
        first = tables(pictures[0])
        assert first["weights A"] == left_over(weights_before, 2, tabled and causal) and first["output Y"] == written(before, 2)
        assert first["scores S"] == written(scores)
    steps = ["", "table B", "S + B"] if tabled else ["", "scores S"] if causal else ["scores S"]
    assert [" ".join(outlined(one)) for one in pictures] == [*steps, "weights A", "output Y"]
    assert [f'<g opacity="{grown.PALE:g}">' in "".join(part.body for part in one.parts) for one in pictures] == [False if causal and not tabled else True, *[True] * len(steps), False]
    # All of one size; nothing moves from step to step.
    assert len({tuple((part.width, part.height) for part in one.parts) for one in pictures}) == 1
    assert len({part.height for part in pictures[0].parts}) == 1


def test_a_head_runs_from_what_it_comes_of():
    query, key, value, table, names = asked()
    pictures = grown.head(query, key, value, names=names, table=table)
    text = ["".join(part.body for part in one.parts) for one in pictures]
    assert [re.findall(r'data-ak-name="([^"]+)"(?: data-ak-came="([^"]+)")?', one) for one in text] == [
        [("S", ""), ("V", "")], [("S", ""), ("B", ""), ("V", "")], [("S", ""), ("B", ""), ("S + B", "S|B"), ("V", "")],
        [("S", ""), ("B", ""), ("S + B", "S|B"), ("A", "S + B"), ("V", "")],
        [("S", ""), ("B", ""), ("S + B", "S|B"), ("A", "S + B"), ("V", ""), ("Y", "A|V")]]


def test_a_head_in_words():
    query, key, value, table, names = asked()
    first, *_, last = grown.head(query, key, value, names=names, asking=1)
    assert "see: " in last.alt and "crossed out, crossed out, crossed out; that:" in last.alt and "crossed out" not in first.alt
    assert "Still to come: output Y" in grown.head(query, key, value, names=names)[2].alt.replace("Matrix ", "")
    # The row of the word that asks is framed, but not in the values.
    frames = [box for drawn in drawings(last) for box in drawn.boxes if "--ak-ink" in box.stroke and box.stroke_width == 2.5]
    assert len(frames) == 3 and len({box.y for box in frames}) == 1


# ---- a head from the words on

COLUMNS = (["thing", "action", "pointing", "quality"], ["thing", "action"])
OF_WHO_ASKS = {"queries Q", "scores S", "weights A", "output Y"}


def from_words(n=4, asking=1, every=False):
    rng = np.random.default_rng(5)
    x, matrices = rng.normal(size=(n, 4)), [rng.normal(size=(4, d)) for d in (2, 2, 3)]
    pictures = grown.whole(x, matrices, names=[*NAMES, "home", "tired"][:n], columns=COLUMNS, asking=asking, every=every)
    return x, matrices, pictures


@each("n, asking", [(4, 1), (1, 0), (6, 5)])
def test_a_word_asks_and_then_all_of_them(n, asking):
    x, matrices, one = from_words(n, asking)
    every = from_words(n, asking, every=True)[2]
    query, key, value = (x @ w for w in matrices)
    output, weights = attention(query, key, value)
    whole = {"queries Q": written(query), "keys K": written(key), "scores S": written(query @ key.T / np.sqrt(2)),
             "weights A": written(weights, 2), "values V": written(value), "output Y": written(output, 2)}
    before, after = tables(one[-1]), tables(every[-1])
    for name, rows in whole.items():
        assert after[name] == rows
        alone = [row if name not in OF_WHO_ASKS or i == asking else [] for i, row in enumerate(rows)]
        assert [[words for words in row if words] for row in before[name]] == [row for row in alone if row]
    assert tables(every[0]) == before and before["words X"] == written(x)
    # The last drawings are those of the head that goes on in Part II.
    last = tables(grown.head(query, key, value, names=[*NAMES, "home", "tired"][:n], causal=False)[-1])
    assert {name: after[name] for name in last} == last


def test_each_step_adds_what_it_outlines():
    _, _, one = from_words()
    _, _, every = from_words(every=True)
    assert [" ".join(outlined(picture)) for picture in one] == ["", "queries Q", "keys K", "scores S", "weights A", "values V", "output Y"]
    assert [" ".join(outlined(picture)) for picture in every] == ["", "queries Q", "scores S", "weights A", "output Y"]
    assert ["Still to come" in picture.alt for picture in one] == [True] * 6 + [False] and not any("Still to come" in picture.alt for picture in every)
    assert "Matrix queries Q (query), 1 by 2 with columns thing, action. that: " in one[-1].alt
    for pictures in (one, every):
        assert len({tuple((part.width, part.height) for part in picture.parts) for picture in pictures}) == 1
        assert len({part.height for part in pictures[0].parts}) == 1


def test_what_a_word_gets_runs_from_what_it_comes_of():
    _, _, one = from_words()
    _, _, every = from_words(every=True)
    runs = [[re.findall(r'data-ak-name="([^"]+)" data-ak-came="([^"]+)"', "".join(part.body for part in picture.parts)) for picture in pictures] for pictures in (one, every)]
    assert runs[0][0] == [] and runs[0][-1] == [("Q", "X|W^Q"), ("K", "X|W^K"), ("S", "Q|K"), ("A", "S"), ("V", "X|W^V"), ("Y", "A|V")]
    assert runs[1][-1] == [("Q of all", "X|W^Q"), ("K", "X|W^K"), ("S of all", "Q of all|K"), ("A of all", "S of all"), ("V", "X|W^V"), ("Y of all", "A of all|V")]


# ---- the machine

def triangle(n):
    """Random weights of a causal head."""
    return attention(*np.random.default_rng(n).normal(size=(3, n, 2)), mask=causal_mask(n))[1]


X = np.random.default_rng(1).normal(size=(7, 4)).round(1)
CANDIDATES = ["girl", "run", "home", "tired"]
SCORES = np.array([[.5, -1, 2.5, .1], [1, 0, -1, 2]])


def machine(kind, n=4):
    names = [*NAMES, "now", "then"][:n]
    if kind == "block":
        return grown.block(X[:n], triangle(n), X[:n] + 1, names=names)
    if kind == "stack":
        return grown.stack(X[:n], [triangle(n)] * 2, SCORES[0], names=names, candidates=CANDIDATES)
    return grown.loop(X[:n + 1], [triangle(n + 1)] * 2, SCORES, names=[*names, "home"], candidates=CANDIDATES)


STEPS = {"block": 5, "stack": 4, "loop": 4}


@each("n", [1, 4, 6])
@each("kind", STEPS)
def test_the_machine_comes_part_by_part(kind, n):
    """One picture; each step but the first adds something, outlined; drawings are of one height, and nothing is crowded."""
    [picture] = machine(kind, n)
    text = "".join(part.body for part in picture.parts)
    begins, outlines = (set(map(int, re.findall(rf'data-ak-{sign}="(\d)"', text))) for sign in ("from", "at"))
    assert begins == set(range(1, STEPS[kind])) and outlines == begins - ({1} if kind == "loop" else set())     # the likeliest is outlined for good
    assert len({part.height for part in picture.parts}) == 1
    for drawn in drawings(picture):
        words = [word.box for word in drawn.words]
        assert not any(a.meets(b) for i, a in enumerate(words) for b in words[i + 1:])
        assert all(word.within(drawn.page) for word in words) and all(box.within(drawn.page) for box in drawn.boxes)
        assert min(word.size for word in drawn.words) >= 16
    GrowingPicture([picture], ["Said."] * STEPS[kind])


def squares_of(drawn, role="positive"):
    return [(box, "".join(drawn.written_in(box))) for box in drawn.cells if ("--ak-fill-weight" in box.fill) == (role == "weight")]


def test_numbers_of_the_block():
    [picture] = machine("block")
    before, middle, after = drawings(picture)
    for drawn, numbers in ((before, X[:4]), (after, X[:4] + 1)):
        assert [words for _, words in squares_of(drawn)] == [v for row in written(numbers) for v in row]
    weights = triangle(4)
    tiny = [box for box in middle.cells]
    assert np.allclose([box.opacity for box in tiny], weights[np.tril_indices(4)] * palette.DEPTH, atol=6e-4)
    assert [sum(word.text == name for word in middle.words) for name in ("norm", "attention", "MLP", "+")] == [2, 1, 1, 2]


def test_numbers_of_the_stack_and_the_loop():
    [stack], [loop] = machine("stack"), machine("loop")
    assert [words for _, words in squares_of(drawings(stack)[-1])] == written(SCORES)[0]
    assert [words for _, words in squares_of(drawings(loop)[-1])] == [*written(SCORES)[0], *written(SCORES)[1]]
    assert [words for _, words in squares_of(drawings(loop)[0])] == [v for row in written(X[:5]) for v in row]
    assert len(drawings(loop)[1].cells) == 15 and len(drawings(stack)[1].cells) == 10
    # The likeliest is outlined, and runs back to become the newest word.
    last = drawings(loop)[-1]
    [mark] = [box for box in last.boxes if box.fill == "none" and "--ak-ink" in box.stroke and box.opacity == 1 and box.height < 40 and box.width > 60]
    assert [word.text for word in last.words if word.box.within(mark)] == ["home", "2.5"]
    assert 'data-ak-name="written" data-ak-came="likeliest"' in loop.parts[0].body and "home" in loop.parts[0].alt
    assert "Scores of the next word after “run”: girl 0.5, run −1.0, home 2.5, tired 0.1." in loop.alt


@pytest.mark.browser
@pytest.mark.parametrize("width", [673, 360])
def test_the_machine_has_room(watched, tmp_path, width):
    """In a column of the book all drawings stand in one line, at one scale; on a phone two and two."""
    boxes, over = laid_out(machine('loop')[0], watched, tmp_path, width)
    assert over == 0
    tops = [round(top) for _, top, *_ in boxes]
    assert len(set(tops)) == (1 if width > 500 else 2) and tops[0] == tops[1] and tops[2] == tops[3]


# ---- what test_every_picture.py asks

NARROW = {
    **{f"grown.head, {case}": lambda causal=causal, tabled=tabled: grown.head(*asked()[:3], names=NAMES, table=asked()[3] if tabled else None, causal=causal)[-1]
       for case, (causal, tabled) in CASES.items()},
    **{f"grown.{kind}": lambda kind=kind: machine(kind)[0] for kind in STEPS},
    "grown.whole": lambda: grown.whole(four.vectors(), (four.W_Q, four.W_K, four.W_V), names=NAMES, columns=COLUMNS, asking=1, every=True)[-1],
}
assert PHONE == 328

ONE, LEFT = np.ones((1, 1)), np.ones((1, 4))
W = [np.ones((4, 2)), np.ones((4, 2)), np.ones((4, 3))]
BAD = [
    (lambda: grown.whole(X[:4], [W[0], W[0].T, W[2]], names=NAMES, columns=COLUMNS, asking=0), ValueError, r"x must be \(n, d\) and matrices .* got \(4, 4\), \(4, 2\), \(2, 4\) and \(4, 3\)"),
    (lambda: grown.whole(X[:4], W, names=NAMES[:3], columns=COLUMNS, asking=0), ValueError, "names must hold 4 names"),
    (lambda: grown.whole(X[:4], W, names=NAMES, columns=(COLUMNS[0], COLUMNS[0]), asking=0), ValueError, "columns must hold 2 names"),
    (lambda: grown.whole(X[:4], W, names=NAMES, columns=COLUMNS, asking=4), ValueError, "asking must be from 0 to 3"),
    (lambda: grown.head(X[:4], X[:3], X[:4], names=NAMES), ValueError, r"query, key and value must be .* got \(4, 4\), \(3, 4\) and \(4, 4\)"),
    (lambda: grown.head(X[0], X[0], X[0], names=NAMES), ValueError, r"must be \(n, d_k\)"),
    (lambda: grown.head(X[:4], X[:4], X[:4], names=NAMES[:3]), ValueError, "names must hold 4 names"),
    (lambda: grown.head(X[:4], X[:4], X[:4], names=NAMES, asking=4), ValueError, "asking must be from 0 to 3, the number of one of the words, got 4"),
    (lambda: grown.head(X[:4], X[:4], X[:4], names=NAMES, table=np.ones((4, 3))), ValueError, r"table must hold a number for each pair of 4 words, got shape \(4, 3\)"),
    (lambda: grown.block(X[:4], triangle(3), X[:4], names=NAMES), ValueError, r"weights must hold a number for each pair of 4 words, got shapes \(3, 3\)"),
    (lambda: grown.block(X[:4], np.full((4, 4), .25), X[:4], names=NAMES), ValueError, "weights must be from 0 to 1, and 0 for later words"),
    (lambda: grown.block(X[:4], triangle(4), X[:3], names=NAMES), ValueError, r"after must have the shape of x, \(4, 4\), got \(3, 4\)"),
    (lambda: grown.block(X[0], ONE, X[0], names=NAMES), ValueError, r"x must be \(n, d\), got \(4,\)"),
    (lambda: grown.stack(X[:4], [triangle(4)] * 2, SCORES, names=NAMES, candidates=CANDIDATES), ValueError, r"scores must have 1 row, got shape \(2, 4\)"),
    (lambda: grown.stack(X[:4], [triangle(4)] * 2, SCORES[0], names=NAMES, candidates=NAMES[:2]), ValueError, "candidates must hold 4 names"),
    (lambda: grown.stack(X[:4], [triangle(4)] * 3, SCORES[0], names=NAMES, candidates=CANDIDATES), ValueError, "weights must be of two blocks, got 3"),
    (lambda: grown.loop(X[:1], [ONE] * 2, SCORES, names=["home"], candidates=CANDIDATES), ValueError, "names must hold a word and the one that is written after it, got 1"),
    (lambda: grown.loop(X[:4], [triangle(4)] * 2, SCORES, names=NAMES, candidates=CANDIDATES), ValueError, "names must end with the likeliest candidate, 'home', got 'run'"),
]
