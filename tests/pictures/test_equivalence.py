"""Layers as heads: both sides of each picture make the same of the same numbers."""

import numpy as np
from drawn import Drawing, in_rows, written
from table import each

from attnkit import attention, dense_as_attention, multi_head_attention
from bookkit.pictures import equivalence
from bookkit.pictures.formats import fixed

THREE, DENSE = np.array([[1.0, 2.0], [0, -1], [3, 1]]), np.array([[.5, -1, 2, 1, 1, .5]])
NIGHT, EDGES = np.array([[0, 0, 1, 2, 2], [0, 1, 3, 2, 2], [0, 1, 4, 4, 1], [1, 2, 4, 3, 1.5]]), np.array([[-1.0, 0, 1], [-2, 0, 2], [-1, 0, .5]])


@each("x, w", [(THREE, DENSE), (np.arange(8.0).reshape(4, 2) - 3, -np.arange(8.0)[None] / 4), (np.array([[2.0, -12.5, 0]]), np.array([[1.0, 1, 4]]))])
def test_a_dense_layer_and_its_heads_make_the_same_of_the_same_blocks(x, w):
    """On the left each item and its block of the weights; on the right each head's weights, what it reads, its block, and what it adds."""
    picture = equivalence.dense_heads(x, w, digits=2)
    n, d = x.shape
    output, weights = multi_head_attention(x[:1], x, x, **dense_as_attention(w, num_items=n))
    blocks, added = w.reshape(n, d), (x * w.reshape(n, d)).sum(axis=1)
    left = [table for item, block in zip(x, blocks) for table in (written(item[None], 2), written(block[:, None], 2))]
    right = [table for i in range(n) for table in ([[fixed(v, 0) for v in weights[i, 0]]], written(weights[i] @ x, 2), written(blocks[i][:, None], 2), [[fixed(added[i])]])]
    for part, wanted in ((0, left), (2, right)):
        assert sorted(Drawing(picture, part).tables()) == sorted([*wanted, written(output, 2)])
    assert all(f"Head {i + 1} adds {fixed(added[i])}." in picture.alt for i in range(n))
    assert picture.alt.endswith(f"the same output, {fixed(output[0, 0])}.")


@each("width, height, pixel, offset, told", [
    (8, 6, 27, (1, -1), "1 row down and 1 column left: 27 + 1 × 8 − 1 = 34"), (5, 3, 12, (-2, 2), "2 rows up and 2 columns right: 12 − 2 × 5 + 2 = 4"),
    (12, 9, 100, (0, 3), "3 columns right: 100 + 3 = 103"), (4, 4, 1, (1, 0), "1 row down: 1 + 1 × 4 = 5"), (2, 2, 3, (0, 0), "no step: 3 = 3")])
def test_a_row_down_adds_the_width(width, height, pixel, offset, told):
    picture = equivalence.offsets(width, height, pixel, offset)
    drawn = Drawing(picture)
    cells = [box for box in drawn.boxes if box.fill != "none"]
    assert [drawn.written_in(cell) for cell in cells] == [[str(i)] for i in range(width * height)] and [len(row) for row in in_rows(cells)] == [width] * height
    assert [i for i, cell in enumerate(cells) if "--ak-fill-weight" in cell.fill] == [int(told.split()[-1])]
    assert [box.centre for box in drawn.boxes if "--ak-query," in box.stroke] == [cells[pixel].centre]
    assert picture.alt.endswith(f" From pixel {pixel}, {told}.")


def test_what_is_learned_for_each_pair_and_what_is_shared():
    """The same square three times: all its numbers, three of them along the diagonals, and what the items' dot products make."""
    weight, kernel, items = np.arange(25.0).reshape(5, 5) / 10 - 1, [-1.0, .5, 2], np.array([[1.0, 0], [0, 1], [1, 1], [-1, .5], [0, 0]])
    picture = equivalence.sharing(weight, kernel, items)
    dense, shared, made = (Drawing(picture, part) for part in range(3))
    band = [["" if abs(i - j) > 1 else fixed(kernel[j - i + 1], 1) for j in range(5)] for i in range(5)]
    for drawn, wanted in ((dense, written(weight)), (shared, band)):
        boxes = [box for box in drawn.boxes if "--ak-grid" in box.stroke][:25]
        assert drawn.said([boxes[5 * i:5 * i + 5] for i in range(5)]) == wanted
    assert made.said([made.cells[-25:][5 * i:5 * i + 5] for i in range(5)]) == written(attention(items, items, items)[1], 2)
    assert written(items) in made.tables() and written(items.T) in made.tables()
    assert [drawn.words[-2].text for drawn in (dense, shared)] == ["25 learned numbers,", "3 learned numbers,"]


BAD = [
    (lambda: equivalence.dense_heads([1.0, 2.0], [[1.0, 2.0]]), ValueError, r"items must be \(n, d\) and weight \(1, n \* d\), got \(2,\) and \(1, 2\)"),
    (lambda: equivalence.kernel_heads(NIGHT, np.ones((3, 5)), (0, 0)), ValueError, r"image must be \(height, width\) and kernel \(3, 3\), got \(4, 5\) and \(3, 5\)"),
    (lambda: equivalence.sharing(np.ones((2, 2)), [1.0, 2.0], [1.0, 2.0]), ValueError, r"with an odd k, and items .* got \(2, 2\), \(2,\) and \(2,\)"),
]
