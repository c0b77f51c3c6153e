"""Layers as heads: both sides of each picture make the same of the same numbers."""

import re

import numpy as np
import pytest
from drawn import Drawing, corners, crossed, said, written
from table import each

from attnkit import attention, convolution_as_attention, dense_as_attention, multi_head_attention
from bookkit.pictures import equivalence
from bookkit.pictures.formats import fixed, plain

THREE, DENSE = np.array([[1.0, 2.0], [0, -1], [3, 1]]), np.array([[.5, -1, 2, 1, 1, .5]])
NIGHT, EDGES = np.array([[0, 0, 1, 2, 2], [0, 1, 3, 2, 2], [0, 1, 4, 4, 1], [1, 2, 4, 3, 1.5]]), np.array([[-1.0, 0, 1], [-2, 0, 2], [-1, 0, .5]])


def tints(picture, part):
    """The bands of a drawing: how strong each is, and the corners of its way round."""
    body = picture.parts[part].body
    return [(float(tint), corners(path)) for path, tint in re.findall(r'<path d="([^"]*)" fill="var\(--ak-quiet[^>]*fill-opacity="([\d.]+)"', body)]


def held_by(drawn, frame):
    """The numbers in the squares of a frame, row by row."""
    return said(drawn, dict(drawn.blocks())[frame])


@each("x, w", [(THREE, DENSE), (np.arange(8.0).reshape(4, 2) - 3, -np.arange(8.0)[None] / 4), (np.array([[2.0, -12.5, 0]]), np.array([[1.0, 1, 4]]))])
def test_a_dense_layer_and_its_heads_make_the_same_of_the_same_blocks(x, w):
    picture = equivalence.dense_heads(x, w, digits=2)
    layer, heads = Drawing(picture), Drawing(picture, 2)
    n, d = x.shape
    output, weights = multi_head_attention(x[:1], x, x, **dense_as_attention(w, num_items=n))
    blocks = w.reshape(n, d)
    assert picture.parts[1] == "=" and not layer.crowded() and not heads.crowded()
    # On the left: blocks from the top, items from the left, the output where row and column meet.
    *frames, made = [frame for frame, _ in layer.blocks()]
    standing, row = [sorted(group, key=key) for group, key in ((frames[::2], lambda f: f.y), (frames[1::2], lambda f: f.x))]
    assert [held_by(layer, f) for f in standing] == [written(b[:, None], 2) for b in blocks] and len({f.x for f in standing}) == 1
    assert [held_by(layer, f) for f in row] == [written(item[None], 2) for item in x] and {f.y for f in row} == {made.y}
    assert held_by(layer, made) == written(output, 2) and made.centre[0] == pytest.approx(standing[0].centre[0])
    # A band leads from each item to its block, and no other touches them; on the right it has the same tint, and the block is level.
    for i, ((tint, way), (other, band)) in enumerate(zip(tints(picture, 0), tints(picture, 2), strict=True)):
        xs, ys = zip(*way)
        assert tint == other and min(xs) <= row[i].x and max(ys) >= row[i].y and min(ys) <= standing[i].y and max(xs) >= standing[i].x + standing[i].width
        assert min(xs) == pytest.approx(row[i].x, abs=4) and min(ys) == pytest.approx(min(y for _, y in band))
        beside = [f for f in dict(heads.blocks()) if min(y for _, y in band) <= f.y and f.y + f.height <= max(y for _, y in band)]
        looks, reads, block, adds = sorted(beside, key=lambda f: f.x)
        assert held_by(heads, looks) == [[fixed(v, 0) for v in weights[i, 0]]] and held_by(heads, reads) == written(weights[i] @ x, 2)
        assert held_by(heads, block) == written(blocks[i][:, None], 2) and held_by(heads, adds) == [[fixed(x[i] @ blocks[i])]]
        assert block.y == standing[i].y and "--ak-weight," in looks.stroke and "--ak-value," in reads.stroke
        assert f"Head {i + 1} adds {fixed(x[i] @ blocks[i])}." in picture.alt and f"head {i + 1}" in [word.text for word in heads.words]
    assert len({tint for tint, _ in tints(picture, 0)}) == n
    summed = [f for f in dict(heads.blocks()) if f.y == made.y]
    assert [held_by(heads, f) for f in summed] == [written(output, 2)] and summed[0].x == adds.x
    assert picture.parts[0].height == picture.parts[2].height and picture.alt.endswith(f"the same output, {fixed(output[0, 0])}.")


@each("pixel", [(2, 2), (0, 0), (3, 1)])
def test_nine_heads_look_one_step_away(pixel):
    picture = equivalence.kernel_heads(NIGHT, EDGES, pixel)
    shown, heads, made = (Drawing(picture, part) for part in (0, 1, 3))
    x = NIGHT.reshape(-1, 1)
    arguments = convolution_as_attention(EDGES[None, None], shape=NIGHT.shape)
    output, weights = multi_head_attention(x, x, x, **arguments)
    query = np.ravel_multi_index(pixel, NIGHT.shape)
    assert picture.parts[2] == "=" and not any(drawn.crowded() for drawn in (shown, heads, made))
    # The picture: its numbers, a frame around the query, an arrow to each neighbour that there is.
    cells = [box for box in shown.boxes if shown.written_in(box) and box.fill != "none"]
    assert [float(shown.written_in(cell)[0]) for cell in cells] == NIGHT.ravel().tolist()
    assert [box.centre for box in shown.boxes if "--ak-query," in box.stroke] == [cells[query].centre]
    ends = [line.points[1] for line in shown.lines]
    assert [sum(cell.holds(*end) for end in ends) + sum(at == pytest.approx(cell.centre) for at in shown.circles) for cell in cells] == weights[:, query].sum(axis=0).tolist()
    assert all(cells[query].holds(*line.points[0]) for line in shown.lines) and not crossed(shown)
    # The heads: a small picture each, arranged as the kernel is.
    frames = [box for box in heads.boxes if "--ak-quiet" in box.stroke]
    assert len(frames) == 9 and len({f.x for f in frames}) == len({f.y for f in frames}) == 3
    for frame, look, number in zip(sorted(frames, key=lambda f: (f.y, f.x)), weights[:, query].reshape(9, *NIGHT.shape), EDGES.ravel()):
        side = frame.width / NIGHT.shape[1]
        def at(box, frame=frame, side=side):
            return int((box.centre[1] - frame.y) / side), int((box.centre[0] - frame.x) / side)
        inside = [box for box in heads.boxes if box.within(frame) and box != frame]
        assert [at(box) for box in inside if "--ak-query," in box.stroke] == [pixel]
        assert [at(box) for box in inside if "--ak-fill-weight" in box.fill] == [tuple(p) for p in np.argwhere(look)]
        below = [word for word in heads.words if 0 < word.y - frame.y - frame.height < 30 and abs(word.x - frame.centre[0]) < frame.width * .8]
        assert [word.text for word in sorted(below, key=lambda word: word.x)] == [plain(number), "×", plain((look * NIGHT).sum())]
    assert made.written_in(made.cells[0]) == [plain(output[query, 0])] and picture.alt.endswith(f"the output there: {plain(output[query, 0])}.")
    assert [box.centre for box in made.boxes if "--ak-query," in box.stroke] == [made.cells[0].centre]


@each("width, height, pixel, offset, told", [
    (8, 6, 27, (1, -1), "1 row down and 1 column left: 27 + 1 × 8 − 1 = 34"), (5, 3, 12, (-2, 2), "2 rows up and 2 columns right: 12 − 2 × 5 + 2 = 4"),
    (12, 9, 100, (0, 3), "3 columns right: 100 + 3 = 103"), (4, 4, 1, (1, 0), "1 row down: 1 + 1 × 4 = 5"), (2, 2, 3, (0, 0), "no step: 3 = 3")])
def test_a_row_down_adds_the_width(width, height, pixel, offset, told):
    picture = equivalence.offsets(width, height, pixel, offset)
    drawn = Drawing(picture)
    target = np.ravel_multi_index(np.unravel_index(pixel, (height, width)) + np.array(offset), (height, width))
    cells = [box for box in drawn.boxes if box.fill != "none"]
    assert [drawn.written_in(cell) for cell in cells] == [[str(i)] for i in range(width * height)] and not drawn.crowded()
    assert [(c.x, c.y) for c in cells] == sorted(((c.x, c.y) for c in cells), key=lambda at: at[::-1])
    assert [i for i, cell in enumerate(cells) if "--ak-fill-weight" in cell.fill] == [target]
    assert [box.centre for box in drawn.boxes if "--ak-query," in box.stroke] == [cells[pixel].centre]
    # An arrow from a pixel to its neighbour; along the right edge the rows, along the upper edge the columns.
    arrows = [line.points[:2] for line in drawn.lines]
    direct = [ends for ends in arrows if all(any(cell.holds(*at) for cell in cells) for at in ends)]
    near = max(map(abs, offset)) == 1
    assert len(direct) == near and len(arrows) == near + np.count_nonzero(offset) and not (arrows and crossed(drawn))
    assert all(cells[pixel].holds(*start) and cells[target].holds(*end) for start, end in direct)
    down = [(a, b) for a, b in arrows if a[0] == b[0] > cells[-1].x + cells[-1].width]
    aside = [(a, b) for a, b in arrows if a[1] == b[1] < cells[0].y]
    assert [(a[1], b[1]) for a, b in down] == [(cells[pixel].centre[1], cells[target].centre[1])] * bool(offset[0])
    assert [(a[0], b[0]) for a, b in aside] == [(cells[pixel].centre[0], cells[target].centre[0])] * bool(offset[1])
    below = [word.text for word in drawn.words if word.y > cells[-1].y + cells[-1].height]
    assert picture.alt.endswith(f" From pixel {pixel}, {told}.") and " ".join(below) == told.split(": ")[1]


@each("items", [[.6, -.4, 1.2, .9, -1.0], [[1.0, 0], [0, 1], [1, 1], [-1, .5], [0, 0]]])
def test_what_is_learned_for_each_pair_and_what_is_shared(items):
    weight, kernel = np.arange(25.0).reshape(5, 5) / 10 - 1, [-1.0, .5, 2]
    picture = equivalence.sharing(weight, kernel, items)
    drawings = [Drawing(picture, part) for part in range(3)]
    items = np.reshape(items, (5, -1))
    weights = attention(items, items, items)[1]
    band = sum(np.eye(5, k=k - 1) * number for k, number in enumerate(kernel))
    empty = ~np.array(sum(np.eye(5, k=k) for k in (-1, 0, 1)), dtype=bool)
    squares = []
    for drawn, numbers, digits in zip(drawings, (weight, band, weights), (1, 1, 2)):
        boxes = [box for box in drawn.boxes if "--ak-grid" in box.stroke][:25] if drawn is not drawings[2] else drawn.cells[-25:]
        told = [["".join(drawn.written_in(box)) for box in boxes[5 * i:5 * i + 5]] for i in range(5)]
        assert told == [["" if drawn is drawings[1] and gone else fixed(v, digits) for v, gone in zip(*rows)] for rows in zip(numbers, empty)]
        squares.append([(box.x, box.y) for box in boxes])
        looks = {(box.fill, box.opacity) for box in boxes if drawn.written_in(box)}
        assert len(looks) == len({round(v, 9) for v, gone in zip(numbers.flat, empty.flat) if not (gone and drawn is drawings[1])}) or drawn is drawings[2]
        assert not drawn.crowded()
    assert squares[0] == squares[1] == squares[2], "all three stand at the same places"
    assert all("--ak-fill-weight" in cell.fill for cell in drawings[2].cells[-25:]) and not any("weight" in cell.fill for cell in drawings[0].cells + drawings[1].cells)
    asks, asked = [frame for frame, _ in drawings[2].blocks() if any(f"--ak-{role}," in frame.stroke for role in ("query", "key"))]
    assert "--ak-query," in asks.stroke and "--ak-key," in asked.stroke
    assert held_by(drawings[2], asks) == written(items) and held_by(drawings[2], asked) == written(items.T)
    assert [level.y for [level, *_] in dict(drawings[2].blocks())[asks]] == [y for _, y in squares[2][::5]], "level with their rows"
    assert [cell.x for cell in dict(drawings[2].blocks())[asked][0]] == [x for x, _ in squares[2][:5]], "above their columns"
    for part, drawn in zip(picture.parts, drawings):
        words = [word.text for word in drawn.words]
        assert part.alt.startswith(f"{words[0].capitalize()}: {' '.join(words[-2:])}. ")
    assert [Drawing(picture, part).words[-2].text for part in (0, 1)] == ["25 learned numbers,", "3 learned numbers,"]


@each("n, kernel", [(1, [2.0]), (2, [-1, 0, 1]), (4, [1, 2, 3, 4, 5])])
def test_notes_below_few_items_have_room(n, kernel):
    picture = equivalence.sharing(np.ones((n, n)), kernel, np.ones(n))
    assert not any(Drawing(picture, part).crowded() for part in range(3))
    assert [Drawing(picture, part).words[-2].text for part in (0, 1)] == [
        f"{count} learned {'number' if count == 1 else 'numbers'}," for count in (n * n, len(kernel))]


# ---- what test_every_picture.py asks

NARROW = {      # what chapters come back to has room on a phone
    "dense_heads": lambda: equivalence.dense_heads(THREE, DENSE),
    "kernel_heads": lambda: equivalence.kernel_heads(NIGHT, EDGES, (2, 2)),
    "offsets": lambda: equivalence.offsets(8, 6, 27, (1, -1)),
    "sharing": lambda: equivalence.sharing(np.ones((5, 5)), [-1, .5, 2], [.5] * 5),
}

BAD = [
    (lambda: equivalence.dense_heads([1.0, 2.0], [[1.0, 2.0]]), ValueError, r"items must be \(n, d\) and weight \(1, n \* d\), got \(2,\) and \(1, 2\)"),
    (lambda: equivalence.kernel_heads(NIGHT, np.ones((3, 5)), (0, 0)), ValueError, r"image must be \(height, width\) and kernel \(3, 3\), got \(4, 5\) and \(3, 5\)"),
    (lambda: equivalence.kernel_heads(NIGHT, EDGES, (0, 5)), ValueError, r"pixel must be from 0 to 4, the number of one of the columns, got 5"),
    (lambda: equivalence.offsets(8, 6, 48, (0, 0)), ValueError, "pixel must be from 0 to 47, the number of one of the pixels, got 48"),
    (lambda: equivalence.offsets(8, 6, 7, (0, 1)), ValueError, r"from row 0, column 7, \(0, 1\) leads out of 6 rows and 8 columns"),
    (lambda: equivalence.sharing(np.ones((2, 3)), [1.0], [1.0, 2.0]), ValueError, r"with an odd k, and items .* got \(2, 3\), \(1,\) and \(2,\)"),
    (lambda: equivalence.sharing(np.ones((2, 2)), [1.0, 2.0], [1.0, 2.0]), ValueError, r"got \(2, 2\), \(2,\) and \(2,\)"),
]
