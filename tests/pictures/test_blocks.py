"""What a Transformer is built of: encoder and decoder, the figure of 2017, and where a word looks."""

import re

import numpy as np
import pytest
from drawn import Drawing, box_of
from table import each

from bookkit.pictures import blocks, palette
from bookkit.pictures.formats import fixed
from bookkit.pictures.picture import PHONE
from bookkit.pictures.shapes import opacity


def masked(drawn, box):
    """Who sees whom in a box, read from its squares: a matrix, True where one is filled; all of them in the colour of weights."""
    cells = sorted((cell for cell in drawn.cells if box.holds(*cell.centre)), key=lambda cell: (cell.y, cell.x))
    n = len({cell.y for cell in cells})
    assert all("--ak-fill-weight" in cell.fill and cell.opacity in (0, palette.DEPTH) for cell in cells)
    [frame] = [b for b in drawn.boxes if b.fill == "none" and box.holds(*b.centre)]
    assert frame.within(box) and all(cell.within(frame) for cell in cells)
    return np.reshape([cell.opacity > 0 for cell in cells], (n, -1))


def roles(drawn):
    """The arrows of queries, keys and values: role, where it begins and ends."""
    found = [(role, line.points[0], line.points[1]) for line in drawn.lines for role in ("query", "key", "value") if f"--ak-{role}," in line.stroke]
    for role, start, end in found:                                    # each has its letter
        letters = [w for w in drawn.words if w.text == role[0].upper() and w.fill == palette.var(role)]
        assert any(abs(w.box.centre[0] - (start[0] + end[0]) / 2) < 20 and abs(w.box.centre[1] - (start[1] + end[1]) / 2) < 20 for w in letters)
    assert len([w for w in drawn.words if w.text in "QKV"]) == len(found)
    return found


SELF = {"encoder": ("words of a text", "both ways", np.ones((4, 4)), "one row"), "decoder": ("words so far", "looks back only", np.tril(np.ones((4, 4))), "scores of")}


@each("kind", SELF)
def test_encoder_and_decoder_look_at_their_own_words(kind):
    source, note, looks, end = SELF[kind]
    picture = blocks.architecture(kind)
    drawn = Drawing(picture)
    [words], [attends] = box_of(drawn, source), box_of(drawn, note)
    found = roles(drawn)
    assert [role for role, *_ in found] == ["query", "key", "value"]
    assert all(start[1] == words.y + words.height and attends.y == stop[1] for _, start, stop in found)
    assert masked(drawn, attends).tolist() == looks.astype(bool).tolist()
    order = [word.text for word in sorted(drawn.words, key=lambda word: word.y) if word.text not in "QKV"]
    assert order[:5] == [kind, source, "attention", note, end] and not drawn.crowded()
    assert picture.alt.startswith(f"{kind.capitalize()}: queries, keys and values come from the same words.")


def test_cross_attention_asks_with_the_decoder_and_is_answered_by_the_encoder():
    picture = blocks.architecture("encoder-decoder")
    drawn = Drawing(picture)
    [reads], [writes], [rows], [cross] = (box_of(drawn, name) for name in ("both ways", "looks back only", "one row", "cross-attention"))
    own, crossing = {}, {}
    for role, start, end in roles(drawn):
        if end[1] < cross.y:
            name, box = next((name, box) for name, text, box in (("reads", "text to read", reads), ("writes", "words so far", writes)) if box.x < end[0] < box.x + box.width)
            own.setdefault(name, []).append(role)
            assert end[1] == box.y and start[1] == box_of(drawn, {"reads": "text to read", "writes": "words so far"}[name])[0].y + 36
        else:
            crossing[role] = start, end
    assert own == {name: ["query", "key", "value"] for name in ("reads", "writes")} and set(crossing) == {"query", "key", "value"}
    assert crossing["query"] == ((writes.centre[0], writes.y + writes.height), (cross.centre[0], cross.y))
    for role in ("key", "value"):
        start, end = crossing[role]
        assert start[0] == rows.x + rows.width and end[0] == cross.x and rows.y < start[1] == end[1] < rows.y + rows.height and rows.y == cross.y
    assert any(line.points[0] == (reads.centre[0], reads.y + reads.height) and line.points[1] == (rows.centre[0], rows.y) for line in drawn.lines)
    shapes = {name: masked(drawn, box) for name, box in (("reads", reads), ("writes", writes), ("cross", cross))}
    assert shapes["cross"].all() and shapes["cross"].shape == (len(shapes["writes"]), len(shapes["reads"])) and shapes["reads"].all()
    assert np.array_equal(shapes["writes"], np.tril(np.ones((3, 3), dtype=bool))) and not drawn.crowded()
    assert "the queries come from the words so far, the keys and values from the encoder's rows" in picture.alt


def test_architectures_come_in_the_order_of_their_names():
    kinds = ["decoder", "encoder-decoder", "encoder"]
    assert blocks.architecture(*kinds).alt == " ".join(blocks.architecture(kind).alt for kind in kinds)


def test_the_figure_of_2017_has_all_its_boxes():
    """Fifteen, of eight kinds; the pale ones dashed, eight if our model lacks the encoder and what looks at it with its norm."""
    whole, ours = (blocks.figure_of_2017(pale=pale) for pale in ((), ("encoder", "cross-attention")))
    assert [picture.html().count("<rect ") for picture in (whole, ours)] == [15, 15]
    assert [picture.html().count("stroke-dasharray") for picture in (whole, ours)] == [0, 8]
    assert "7 cross-attention (pale), 4 sum and norm (pale), 5 MLP, 4 sum and norm, 8" in ours.alt and "pale" not in whole.alt and all(f"{number} " in whole.alt for number in range(1, 9))


def test_a_box_of_the_figure_of_2017_leads_to_its_page():
    """A box of a number wherever it stands, the others nowhere; what has links is no image to a screen reader."""
    still, leads = blocks.figure_of_2017(), blocks.figure_of_2017(links={4: "layers.ipynb"})
    assert leads.html().count('<a href="layers.ipynb"><rect ') == 5 and "<a " not in still.html()
    assert ('role="group"' in leads.html(), 'role="img"' in still.html()) == (True, True)


def test_three_families_differ_in_who_sees_whom():
    """36 pairs of words, all of them, those behind hidden, and both; each model stands beside its year."""
    picture = blocks.families()
    drawn = Drawing(picture)
    every, towers, left = (looks for _, looks, *_ in blocks.FAMILIES)
    assert every.all() and np.array_equal(left, np.tril(every)) and np.array_equal(towers, np.maximum(left, np.pad(np.ones((3, 3)), (0, 3))))
    assert picture.html().count(f'fill-opacity="{opacity(1.0, 1.0):g}"') == every.sum() + towers.sum() + left.sum() and not drawn.crowded()
    assert all(f"{model} {year}" in picture.alt for *_, models in blocks.FAMILIES for year, model in models.items())


# ---- where a word looks

TIRED = "The animal did not cross the road because it was too tired".split()
LOOKS = np.array([[.01, .1, .01, .01, .01, .01, .06, .01, .2, .01, .02, .55], [0, .9, 0, 0, 0, 0, .1, 0, 0, 0, 0, 0]])


def marked(drawn, words):
    """The boxes of the words, row by row, with what stands in them."""
    boxes = [(box, *drawn.written_in(box)) for box in drawn.cells]
    assert len(boxes) % len(words) == 0
    return [boxes[k:k + len(words)] for k in range(0, len(boxes), len(words))]


@each("words, weights, asking", [(TIRED, LOOKS, 8), (TIRED * 3, np.tile(LOOKS, 3)[:, ::-1] / 3, 1), (["a", "b", "it"], [[.3, .3, .4]], 2)])
def test_words_have_the_colour_of_their_weights(words, weights, asking):
    weights = np.asarray(weights)
    names = [f"layer {i + 1}" for i in range(len(weights))]
    picture = blocks.attention_over_words(words, weights, asking=asking, row_names=names)
    drawn = Drawing(picture)
    rows = marked(drawn, words)
    assert len(rows) == len(weights) and not drawn.crowded() and picture.parts[0].least <= PHONE
    for name, row, numbers in zip(names, rows, weights):
        assert [said for _, said in row] == words
        assert np.allclose([box.opacity for box, _ in row], numbers * palette.DEPTH, atol=6e-4) and all("--ak-fill-weight" in box.fill for box, _ in row)
        assert [i for i, (box, _) in enumerate(row) if "--ak-ink" in box.stroke] == [asking]
        above = {i: [w.text for w in drawn.words if w.x == pytest.approx(box.centre[0]) and 0 < box.y - w.y < 10 and "--ak-weight," in w.fill] for i, (box, _) in enumerate(row)}
        largest = [i for i in np.argsort(-numbers, kind="stable")[:3] if fixed(numbers[i]) != "0.00"]
        assert {i: text for i, text in above.items() if text} == {i: [fixed(numbers[i])] for i in largest}
        assert any(w.text == name and w.y < row[0][0].y for w in drawn.words)
        most = ", ".join(f"{words[i]} {fixed(numbers[i])}" for i in largest)
        assert f"{name}: {most}." in picture.alt
    assert picture.alt.startswith(f"Where “{words[asking]}” looks in “{' '.join(words)}”. layer 1: ")


def test_arcs_lead_from_the_word_that_asks():
    """One for each word with two hundredths or more, the thicker and darker the more; none where the words need two lines."""
    picture = blocks.attention_over_words(TIRED, LOOKS, asking=8)
    drawn = Drawing(picture)
    widths = [tuple(map(float, pair)) for pair in re.findall(r'stroke-width="([\d.]+)" stroke-opacity="([\d.]+)"', picture.parts[0].body)]
    arcs = [line.points for line in drawn.lines]
    wanted = [(row, i) for row, weights in enumerate(LOOKS) for i in np.flatnonzero(weights >= .02) if i != 8]
    rows = marked(drawn, TIRED)
    assert len(arcs) == len(widths) == len(wanted) == 6
    for (row, i), (start, end), look in zip(wanted, arcs, widths):
        assert start[0] == pytest.approx(rows[row][8][0].centre[0], abs=.01) and end[0] == pytest.approx(rows[row][i][0].centre[0], abs=.01)
        assert rows[row][i][0].y - 20 <= end[1] < rows[row][i][0].y
        assert look == pytest.approx((1 + 5 * LOOKS[row, i], .35 + .65 * LOOKS[row, i]), abs=.005)
    assert not Drawing(blocks.attention_over_words(TIRED * 2, np.tile(LOOKS[0], 2) / 2, asking=8)).lines


def test_one_row_of_weights_needs_no_name():
    assert blocks.attention_over_words(["a", "it"], [0, 0], asking=1).alt == "Where “it” looks in “a it”. Most: nothing."


# ---- what test_every_picture.py asks

NARROW = {      # what chapters come back to has room on a phone
    "architecture": lambda: blocks.architecture("encoder", "decoder", "encoder-decoder"),
    "attention_over_words": lambda: blocks.attention_over_words(TIRED, LOOKS, asking=8),
}

BAD = [
    (lambda: blocks.architecture(), ValueError, r"kinds must be of encoder, decoder, encoder-decoder, got \(\)"),
    (lambda: blocks.architecture("encoder", "both"), ValueError, "got .*'both'"),
    (lambda: blocks.figure_of_2017(pale=["decoder"]), ValueError, r'pale must hold "encoder" or "cross-attention", got \[\'decoder\'\]'),
    (lambda: blocks.figure_of_2017(links={9: "x.ipynb"}), ValueError, r"links must be for boxes 1 to 8, got \[9\]"),
    (lambda: blocks.attention_over_words(["a"], [.5, .5], asking=0), ValueError, r"words must hold 2 names for weights of shape \(2,\)"),
    (lambda: blocks.attention_over_words(["a", "b"], [.5, .5], asking=0, row_names=["1", "2"]), ValueError, "row_names must hold 1 names"),
    (lambda: blocks.attention_over_words(["a", "b"], [.5, 1.5], asking=0), ValueError, "weights must be from 0 to 1, got 0.5 to 1.5"),
    (lambda: blocks.attention_over_words(["a", "b"], [.5, .5], asking=2), ValueError, "asking must be from 0 to 1, the number of one of the words, got 2"),
]
