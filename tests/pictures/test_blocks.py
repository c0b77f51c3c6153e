"""What a Transformer is built of: a block, a stack, encoder and decoder, and where a word looks."""

import re

import numpy as np
import pytest
from drawn import Drawing, box_of
from table import each

from bookkit.pictures import blocks, palette
from bookkit.pictures.formats import fixed
from bookkit.pictures.picture import PHONE


def pairs(line):
    """The single lines of a path that begins anew for each."""
    return list(zip(line.points[::2], line.points[1::2]))


def looked_at(drawn, box):
    """Who looks at whom in a box, read from its dots and lines: a matrix, True where there is a line; and the lines' colour."""
    [line] = [line for line in drawn.lines if len(line.points) > 3 and all(box.holds(*point) for point in line.points)]
    heights = sorted({y for x, y in drawn.circles if box.holds(x, y)})
    above, below = (sorted(x for x, y in drawn.circles if y == height and box.holds(x, y)) for height in heights)
    found = np.zeros((len(below), len(above)), dtype=bool)
    for (x_above, y_above), (x_below, y_below) in pairs(line):
        assert [y_above, y_below] == heights
        found[below.index(x_below), above.index(x_above)] = True
    return found, line.stroke


def masked(drawn, box):
    """Who sees whom in a box, read from its squares: a matrix, True where one is filled; all of them in the colour of weights."""
    cells = sorted((cell for cell in drawn.cells if box.holds(*cell.centre)), key=lambda cell: (cell.y, cell.x))
    n = len({cell.y for cell in cells})
    assert all("--ak-fill-weight" in cell.fill and cell.opacity in (0, palette.DEPTH) for cell in cells)
    [frame] = [b for b in drawn.boxes if b.fill == "none" and box.holds(*b.centre)]
    assert frame.within(box) and all(cell.within(frame) for cell in cells)
    return np.reshape([cell.opacity > 0 for cell in cells], (n, -1))


def strong(drawn, x):
    """The pieces of the strong line, from the top: where each begins and ends."""
    return sorted((line.points[0][1], line.points[-1][1]) for line in drawn.lines
                  if "--ak-ink" in line.stroke and len(line.points) == 2 and {p[0] for p in line.points} == {x})


DOES = {"attention": ("attention", "words look at each other"), "mlp": ("MLP", "each word by itself")}


@each("shapes", [True, False])
@each("residual", [True, False])
@each("norm", ["pre", "post", None])
@each("parts", [("attention", "mlp"), ("mlp", "attention"), ("mlp",), "attention"])
def test_block_goes_through_its_parts_in_order(parts, norm, residual, shapes):
    picture = blocks.block(parts=parts, norm=norm, residual=residual, shapes=shapes)
    parts = (parts,) if isinstance(parts, str) else parts
    drawn = Drawing(picture)
    each = [[*["layer norm"] * (norm == "pre"), *DOES[part], *["+"] * residual, *["layer norm"] * (norm == "post")] for part in parts]
    shape = " (n, d)" * shapes
    between = ["(n, d)"] * shapes
    wanted = [f"words x{shape}", *each[0], *(between + each[1] if len(each) > 1 else []), f"output{shape}"]
    assert [word.text for word in sorted(drawn.words, key=lambda word: word.y)] == wanted and not drawn.crowded()
    assert min(word.size for word in drawn.words) >= 16
    x = drawn.words[0].x
    boxes = [box for part in parts for box in box_of(drawn, DOES[part][0])]
    norms = box_of(drawn, "layer norm")
    assert len(norms) == (len(parts) if norm else 0) and all(box.centre[0] == (x if norm == "post" else boxes[0].centre[0]) for box in norms)
    # Each branch leaves the line, enters its first box from above, leaves the last from below and comes back to the line.
    quiet = [line.points for line in drawn.lines if "--ak-quiet" in line.stroke]
    leaves = [points for points in quiet if points[0][0] == x]
    returns = [points for points in quiet if x <= points[2][0] <= x + 13]
    assert len(leaves) == len(returns) == len(parts)
    for first, last, out, back in zip(norms if norm == "pre" else boxes, boxes, leaves, returns):
        assert out[2] == (first.centre[0], first.y) and back[0] == (last.centre[0], last.y + last.height)
        assert ((x, back[2][1]) in drawn.circles) == residual                                    # a knot: the plus
        if norm == "pre":
            assert any(points[0] == (first.centre[0], first.y + first.height) and points[1] == (last.centre[0], last.y) for points in quiet)
    # The strong line goes through, or is broken for as long as a branch lasts.
    pieces = strong(drawn, x)
    gaps = [(end, start) for (_, end), (start, _) in zip(pieces, pieces[1:]) if start > end]
    assert len(gaps) == (0 if residual else len(parts))
    assert all(abs(gap[0] - out[0][1]) <= 1 and abs(gap[1] - back[2][1]) <= 1 for gap, out, back in zip(gaps, leaves, returns))
    assert all(end <= box.y and box.y + box.height <= start for (end, start), box in zip(gaps, boxes))
    for part, box in zip(parts, boxes):
        looks, colour = looked_at(drawn, box)
        assert looks.tolist() == (np.ones((4, 4)) if part == "attention" else np.eye(4)).astype(bool).tolist()
        assert ("--ak-weight," in colour) == (part == "attention")
    told = re.findall(r"Words x|layer norm|attention|MLP|is added|Output", picture.alt.partition(": ")[2])
    assert told == ["Words x", *(word for steps in each for word in [{"+": "is added"}.get(step, step) for step in steps if " by " not in step and " at " not in step]), "Output"]
    assert ("one line, the residual stream, goes straight through" in picture.alt) == residual and ("n by d" in picture.alt) == shapes


def test_block_is_whole_by_itself():
    assert blocks.block().html() == blocks.block(parts=("attention", "mlp"), norm="pre", residual=True, shapes=True).html()


@each("norm, steps", [("pre", 5), ("post", 5), (None, 3)])
def test_a_block_grows_part_by_part(norm, steps):
    """First the line, then each branch with its plus and the norm of it, each in an outline of its own; in the end it is whole."""
    whole, grows = blocks.block(norm=norm), blocks.block(norm=norm, grows=True)
    assert "data-ak-from" not in whole.html() and grows.alt == whole.alt
    parts = re.search(r"<svg.*?</svg>", grows.html(), flags=re.S)[0].split('<g data-ak-from="')[1:]
    assert [part[0] for part in parts] == [part.split('data-ak-at="')[1][0] for part in parts] == list("012345"[:steps])
    words = [[word for word in ("words x", "output", "layer norm", "attention<", "MLP", ">+<") if word in part] for part in parts]
    norms = [["layer norm"]] if norm else []
    assert words == [["words x", "output"], ["attention<", ">+<"], *norms, ["MLP", ">+<"], *norms]
    assert sorted(word.text for word in Drawing(grows).words) == sorted(word.text for word in Drawing(whole).words) and not Drawing(grows).crowded()


@each("count, options", [(1, {}), (np.int64(3), {}), (2, {"labels": ["it reads tired", "it finds animal"], "ends": ("words", "rows")})])
def test_stack_has_one_stream_through_all_blocks(count, options):
    picture = blocks.stack(count, **options)
    drawn = Drawing(picture)
    labels = options.get("labels", [f"block {i + 1}" for i in range(count)])
    begin, end = options.get("ends", ("words in", "scores of the next word"))
    order = [word.text for word in sorted(drawn.words, key=lambda word: (word.y, word.x))]
    assert [w for w in order if w not in ("attention", "MLP")] == [begin, *labels, end] and order[0] == begin and order[-1] == end
    bands = [box for box in drawn.boxes if "--ak-ground" in box.fill]
    assert len(bands) == count and not drawn.crowded()
    for band, label in zip(bands, labels):
        assert sorted(drawn.written_in(band)) == sorted(["attention", "MLP", label])
    [(x, top, bottom)] = {(line.points[0][0], line.points[0][1], line.points[1][1]) for line in drawn.lines if "--ak-ink" in line.stroke and len(line.points) == 2}
    assert top < bands[0].y and bottom > bands[-1].y + bands[-1].height
    boxes = [box for name in ("attention", "MLP") for box in box_of(drawn, name)]
    for box in boxes:                                                # out of the stream into the box, and back
        ends = [(line.points[0][0], line.points[1][0]) for line in drawn.lines if box.y < line.points[0][1] < box.y + box.height]
        assert len(boxes) == 2 * count and [(a < b, min(a, b) - x < 5, max(a, b)) for a, b in ends] == [(True, True, box.x), (False, True, box.x)]
    assert re.findall("|".join([begin, *labels, end]), picture.alt) == [begin, *labels, end]


def test_an_arrow_leads_back_to_the_words():
    """From what comes out, past the blocks, up to what goes in; its words stand beside it, below each other."""
    plain, looped = (blocks.stack(2, ends=("words so far", "scores"), back=back) for back in ((), ("choose a word,", "append it")))
    drawn, [begin] = Drawing(looped), [w for w in Drawing(looped).words if w.text == "words so far"]
    [line] = [line for line in drawn.lines if len(line.points) > 5 and "--ak-ink" in line.stroke]
    start, right, up, end = line.points[:4]
    said = [next(w for w in drawn.words if w.text == words) for words in ("choose a word,", "append it")]
    assert end[0] > begin.box.x + begin.width and begin.box.y < end[1] < begin.y and start[1] > max(box.y + box.height for box in drawn.boxes)
    assert right[0] == up[0] > max(box.x + box.width for box in drawn.boxes) and right[0] < min(w.x for w in said) and said[0].y < said[1].y
    assert not drawn.crowded() and looped.alt == plain.alt + " From there a line leads back to words so far: choose a word, append it."


# ---- who gives queries, keys and values

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
    """Fifteen, of eight kinds; the pale ones dashed, seven if our model lacks the encoder and what looks at it."""
    whole, ours = (blocks.figure_of_2017(pale=pale) for pale in ((), ("encoder", "cross-attention")))
    assert [picture.html().count("<rect ") for picture in (whole, ours)] == [15, 15]
    assert [picture.html().count("stroke-dasharray") for picture in (whole, ours)] == [0, 7]
    assert "7 cross-attention (pale)" in ours.alt and "pale" not in whole.alt and all(f"{number} " in whole.alt for number in range(1, 9))


def test_a_box_of_the_figure_of_2017_leads_to_its_page():
    """A box of a number wherever it stands, the others nowhere; what has links is no image to a screen reader."""
    still, leads = blocks.figure_of_2017(), blocks.figure_of_2017(links={4: "layers.ipynb"})
    assert leads.html().count('<a href="layers.ipynb"><rect ') == 5 and "<a " not in still.html()
    assert ('role="group"' in leads.html(), 'role="img"' in still.html()) == (True, True)


def test_four_ways_differ_in_what_changes_and_what_stands_before():
    """Two models are filled, the first whole; two have a text before them; every row says what it needs and is for."""
    picture = blocks.four_ways()
    drawn = Drawing(picture)
    filled = [float(height) for height in re.findall(r'height="([\d.]+)" rx="8" fill="[^"]*" fill-opacity', picture.html())]
    assert filled == [62, pytest.approx(0.4 * 62)] and not drawn.crowded()
    assert all(f"{name.capitalize()}: " in picture.alt for name in ("pretrain", "tune", "prompt", "retrieve")) and picture.alt.count("no number changes") == 2
    assert [word for word in ("prompt", "found text") if f">{word}</text>" in picture.html()] == ["prompt", "found text"]


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
    "block": lambda: blocks.block(norm="post"),
    "stack": lambda: blocks.stack(3, back=("choose a word,", "append it")),
    "architecture": lambda: blocks.architecture("encoder", "decoder", "encoder-decoder"),
    "attention_over_words": lambda: blocks.attention_over_words(TIRED, LOOKS, asking=8),
}

BAD = [
    (lambda: blocks.block(parts=("attention", "cross")), ValueError, "got .*'cross'"),
    (lambda: blocks.block(norm="before"), ValueError, "norm must be 'pre', 'post' or None, got 'before'"),
    (lambda: blocks.stack(0), ValueError, "num_layers must be 1 or more, got 0"),
    (lambda: blocks.stack(2, labels=["one"]), ValueError, "labels must hold 2 names for 2 layers, got"),
    (lambda: blocks.stack(2, ends=["in"]), ValueError, "ends must hold 2 names for what goes in and what comes out"),
    (lambda: blocks.architecture(), ValueError, r"kinds must be of encoder, decoder, encoder-decoder, got \(\)"),
    (lambda: blocks.architecture("encoder", "both"), ValueError, "got .*'both'"),
    (lambda: blocks.figure_of_2017(pale=["decoder"]), ValueError, r'pale must hold "encoder" or "cross-attention", got \[\'decoder\'\]'),
    (lambda: blocks.figure_of_2017(links={9: "x.ipynb"}), ValueError, r"links must be for boxes 1 to 8, got \[9\]"),
    (lambda: blocks.attention_over_words(["a"], [.5, .5], asking=0), ValueError, r"words must hold 2 names for weights of shape \(2,\)"),
    (lambda: blocks.attention_over_words(["a", "b"], [.5, .5], asking=0, row_names=["1", "2"]), ValueError, "row_names must hold 1 names"),
    (lambda: blocks.attention_over_words(["a", "b"], [.5, 1.5], asking=0), ValueError, "weights must be from 0 to 1, got 0.5 to 1.5"),
    (lambda: blocks.attention_over_words(["a", "b"], [.5, .5], asking=2), ValueError, "asking must be from 0 to 1, the number of one of the words, got 2"),
]
