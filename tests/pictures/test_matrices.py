"""Projections, and all of attention, as matrices: each number where its row meets its column."""

import numpy as np
import pytest
from drawn import Drawing, said, signs, written
from table import each

from attnkit import attention
from bookkit.pictures import draw, matrices, palette
from bookkit.pictures.formats import fixed
from pictures.sentence import FEATURES, KEY, QUERY, SENTENCE, VALUE, W, X


def nearest(drawn, frame, words):
    """The nearest of the texts among some words, seen from a matrix: how far its middle is from the frame."""
    def far(word):
        x, y = word.box.centre
        return np.hypot(max(frame.x - x, 0, x - frame.x - frame.width), max(frame.y - y, 0, y - frame.y - frame.height))
    return min((word for word in drawn.words if word.text in words), key=far).text


def three(x=X, w=W, names=SENTENCE, features=FEATURES, **options):
    return matrices.projections(x, *w.values(), row_names=names, feature_names=features, **options)


@each("digits", [1, 0])
def test_projections_stand_where_rows_meet_matrices(digits):
    """Each matrix above what it makes, which is level with the rows; a line leads from the rows to each place where they meet."""
    drawn = Drawing(three(digits=digits))
    assert not drawn.crowded() and len(drawn.blocks()) == 7
    blocks = {nearest(drawn, frame, ("X", "WQ", "WK", "WV", "Q", "K", "V")): (frame, rows) for frame, rows in drawn.blocks()}
    frame, rows = blocks["X"]
    assert said(drawn, rows) == written(X, digits) and "--ak-quiet" in frame.stroke
    assert [drawn.row_name(row) for row in rows] == [[name] for name in SENTENCE]
    branch = next(line for line in drawn.lines if line.points[0][0] == pytest.approx(frame.centre[0]))
    assert branch.points[-1] == drawn.circles[-1] and len(drawn.circles) == 3
    for (role, w), knot in zip(W.items(), drawn.circles):
        letter = role[0].upper()
        (above, factor), (below, made) = blocks["W" + letter], blocks[letter]
        assert said(drawn, factor) == written(w, digits) and said(drawn, made) == written(X @ w, digits)
        assert f"--ak-{role}," in above.stroke and f"--ak-{role}," in below.stroke
        assert {word.fill for word in drawn.words if word.text in (letter, "W" + letter)} == {palette.var(role)}
        assert [c.x for c in factor[0]] == [c.x for c in made[0]] and [row[0].y for row in made] == [row[0].y for row in rows]
        assert above.y + above.height < knot[1] < below.y and knot[0] == pytest.approx(above.centre[0]) and knot[1] == branch.points[-1][1]
        [down] = [line for line in drawn.lines if all(x == pytest.approx(knot[0]) for x, _ in line.points)]
        assert down.points[0][1] == pytest.approx(above.y + above.height) and down.points[-1][1] == pytest.approx(below.y)
        shape = [word for word in drawn.words if word.text == f"({X.shape[0]}, {w.shape[1]})" and abs(word.x - below.centre[0]) < 1]
        assert len(shape) == 1 and 0 < shape[0].box.y - below.y - below.height < 16
        assert [word.text for word in drawn.words if abs(word.x - above.centre[0]) < 1 and word.y < above.y] == ["W" + letter, "(3, 2)"]
    assert [drawn.row_name(row)[0] for row in blocks["WQ"][1]] == FEATURES
    assert next(word for word in drawn.words if word.text == "(4, 3)").x == pytest.approx(frame.centre[0])


def test_projections_tell_all_their_numbers():
    alt = three().alt
    assert alt.startswith("The same rows meet three matrices; what they make stands below. Matrix X, 4 by 3 with columns living, action, pointing. see: −0.3, 0.8, −0.5; ")
    for role, w in W.items():
        letter = role[0].upper()
        assert draw.describe(w, f"W^{letter}", role, FEATURES) in alt and draw.describe(X @ w, letter, role, SENTENCE) in alt


def test_projections_of_more_numbers_show_their_signs():
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=(5, 4)), {role: rng.normal(size=(4, 3)).round(1) for role in W}
    drawn = Drawing(three(x, w, list("abcde"), list("pqrs")))
    wanted = [signs(x)] + [signs(m) for v in w.values() for m in (v, x @ v)]
    assert sorted(said(drawn, rows) for _, rows in drawn.blocks()) == sorted(wanted) and not drawn.crowded()
    assert fixed(x[0, 0], 1) in three(x, w, list("abcde"), list("pqrs")).alt


@each("n, size, features, d_k, d_v", [
    (4, 1, FEATURES, 1, 1), (4, 1, FEATURES, 1, 3), (4, 1, FEATURES, 2, 1), (12, 1e9, FEATURES, 1, 1), (4, 1, ["how many it names"], 1, 1)])
def test_narrow_projections_have_room_for_their_words(n, size, features, d_k, d_v):
    d = len(features)
    w = {"query": np.ones((d, d_k)), "key": np.ones((d, d_k)), "value": np.ones((d, d_v))}
    assert not Drawing(three(np.full((n, d), size), w, ["I"] * n, features)).crowded()


# ---- all of attention

HEADS = {"itself": (QUERY, KEY, VALUE, SENTENCE, None), "others": (QUERY[:2], KEY[:3], np.c_[VALUE, VALUE[:, 0]][:3], ["je", "tu"], ["I", "you", "we"]),
         "narrow": (QUERY[:, :1], KEY[:1, :1], VALUE[:1, :1], SENTENCE, ["all"]),
         "wide": (X[:2], np.r_[X, X][:6], np.r_[VALUE, VALUE][:6], ["a", "b"], list("pqrstu"))}


def matrices_of(picture):
    """The six matrices of a head by their letters: drawing, frame and rows."""
    found = {}
    for part, letters in ((0, ("Q", "Kᵀ", "S")), (1, ("A", "V", "Y"))):
        drawn = Drawing(picture, part)
        for frame, rows in drawn.blocks():
            # The label stands above the frame's left end.
            found[min((w for w in drawn.words if w.text in letters), key=lambda w: abs(w.x - frame.x) + abs(w.y - frame.y)).text] = (drawn, frame, rows)
    return found


@each("case", HEADS)
def test_head_shows_what_attention_computes(case):
    q, k, v, names, asked = HEADS[case]
    picture = matrices.head(q, k, v, names=names, column_names=asked)
    output, weights = attention(q, k, v)
    numbers = {"Q": (q, 1, "query"), "Kᵀ": (k.T, 1, "key"), "S": (q @ k.T, 2, None), "A": (weights, 2, "weight"), "V": (v, 1, "value"), "Y": (output, 2, None)}
    found = matrices_of(picture)
    assert list(found) == list(numbers) and not any(Drawing(picture, part).crowded() for part in (0, 1))
    for letter, (drawn, frame, rows) in found.items():
        x, digits, role = numbers[letter]
        assert said(drawn, rows) == (signs(x, role) if case == "wide" else written(x, digits)), letter
        assert f"--ak-{role or 'quiet'}," in frame.stroke
        label = next(word for word in drawn.words if word.text == letter)
        shape = next(word for word in drawn.words if word.text.startswith("(") and word.y == label.y and 0 < word.box.x - label.x < 40)
        assert shape.text == f"({x.shape[0]}, {x.shape[1]})" and label.fill == palette.var(role or "ink")
        assert draw.describe(x, letter, role, {"Kᵀ": None, "V": asked or names}.get(letter, names), (asked or names) if letter in ("Kᵀ", "S", "A") else None, digits) in picture.alt
    for letter in "QA":
        drawn, _, rows = found[letter]
        assert [drawn.row_name(row)[-1] for row in rows] == names
    drawn, frame, rows = found["V"]
    assert [[w.text for w in drawn.words if w.x > frame.x + frame.width and row[0].holds(row[0].x, w.y)] for row in rows] == [[n] for n in asked or names]
    if case != "wide":
        drawn, _, rows = found["Kᵀ"]
        assert [drawn.column_name(cell)[-1] for cell in rows[0]] == (asked or names)


@each("case", HEADS)
def test_head_writes_a_letter_at_each_edge(case):
    """The edges that meet have one letter and are joined by one line; the others keep theirs in the product."""
    q, k, v, names, asked = HEADS[case]
    found = matrices_of(matrices.head(q, k, v, names=names, column_names=asked))
    letters = {"Q": ("n", "dk"), "Kᵀ": ("dk", "m"), "S": ("n", "m"), "A": ("n", "m"), "V": ("m", "dv"), "Y": ("n", "dv")}
    for letter, (drawn, frame, _) in found.items():
        held = [word for word in drawn.words if word.text in ("n", "m", "dk", "dv")]
        beside = [w for w in held if abs(w.box.centre[1] - frame.centre[1]) < 3 and w.x < frame.x]
        above = [w for w in held if abs(w.x - frame.centre[0]) < 1 and frame.y - 45 < w.y < frame.y]
        assert (max(beside, key=lambda w: w.x).text, [w.text for w in above]) == (letters[letter][0], [letters[letter][1]]), letter
    for left, above, made in (("Q", "Kᵀ", "S"), ("A", "V", "Y")):
        (drawn, beside, rows), (_, over, factor), (_, meet, product) = (found[letter] for letter in (left, above, made))
        assert [row[0].y for row in rows] == [row[0].y for row in product] and [c.x for c in factor[0]] == [c.x for c in product[0]]
        joined = [line for line in drawn.lines if "--ak-ink" in line.stroke and len(line.points) > 3]
        (start, *_, end), = [line.points for line in joined]
        assert start[0] == pytest.approx(beside.x + 2) and beside.y - 20 < start[1] < beside.y
        assert end[1] == pytest.approx(over.y + 2) and over.x - 20 < end[0] < over.x
    assert [rows[0][0].y for _, _, rows in (found["S"], found["A"])] == [found["S"][2][0][0].y] * 2, "level where they stand side by side"
    said_before = [word.text for word in found["A"][0].words if word.y < found["A"][1].y and word.x < found["V"][1].x - 30]
    assert said_before[-3:][::-1] == ["S ÷ √dk", "softmax", "of each row"]


@each("lit", [None, 0, 3])
def test_head_frames_one_query_all_the_way(lit):
    picture = matrices.head(QUERY, KEY, VALUE, names=SENTENCE, digits=2, highlight=lit)
    found = matrices_of(picture)
    assert said(*found["Q"][::2]) == written(QUERY, 2)
    for part, letters in ((0, "QS"), (1, "AY")):
        wanted = {cell for letter in letters for cell in found[letter][2][lit]} if lit is not None else set()
        assert Drawing(picture, part).lit() == wanted
        assert (f"The row of {SENTENCE[lit or 0]} is framed." in picture.parts[part].alt) == (lit is not None)


# ---- what test_every_picture.py asks

NARROW = {      # what chapters come back to has room on a phone
    "projections": lambda: three(),
    "head": lambda: matrices.head(QUERY, KEY, VALUE, names=SENTENCE),
    "head of more decimals": lambda: matrices.head(QUERY, KEY, VALUE, names=SENTENCE, digits=2),
}

BAD = [
    (lambda: three(x=X[0]), ValueError, r"x, w_query, .* \(d, d_v\), got \(3,\), \(3, 2\), \(3, 2\) and \(3, 2\)"),
    (lambda: three(names=["a"]), ValueError, r"row_names must hold 4 names for x of shape \(4, 3\), got \['a'\]"),
    (lambda: three(features=["a"]), ValueError, "feature_names must hold 3 names"),
    (lambda: matrices.head(QUERY[0], KEY, VALUE, names=SENTENCE), ValueError, r"\(n, d_k\), \(m, d_k\) and \(m, d_v\), got \(2,\), \(4, 2\)"),
    (lambda: matrices.head(QUERY, KEY, VALUE, names=["a"]), ValueError, r"names must hold 4 names for query of shape \(4, 2\)"),
    (lambda: matrices.head(QUERY[:2], KEY, VALUE, names=["a", "b"]), ValueError, r"column_names must hold 4 names for key .* got \['a', 'b'\]"),
    (lambda: matrices.head(QUERY, KEY, VALUE, names=SENTENCE, highlight=4), ValueError, "highlight must lie within 4 rows, got 4"),
]
