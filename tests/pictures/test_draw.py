"""Vectors, matrices and products as squares: as many, as deep and as signed as their numbers; and pixels."""

import numpy as np
import pytest
from drawn import Drawing, depths, written

from bookkit.pictures import draw, palette


@pytest.mark.parametrize("values", [True, False])
def test_squares_are_deep_by_magnitude_and_coloured_by_sign(values):
    x = np.array([[0.5, -1.0, 0.0], [2.0, -0.25, 1.0]])
    picture = draw.squares(x, values=values, label="X", role="key", row_names=["first", "second"], column_names=list("pqr"))
    drawn = Drawing(picture)
    [(frame, rows)] = drawn.blocks()
    assert [len(row) for row in rows] == [3, 3] and depths(drawn.cells, x, 2) and "--ak-key" in frame.stroke
    assert [["negative" in cell.fill for cell in row] for row in rows] == (x < 0).tolist()
    assert drawn.said(rows) == (written(x) if values else [["+", "−", ""], ["+", "−", "+"]])
    assert [drawn.row_name(row)[-1] for row in rows] == ["first", "second"] and [drawn.column_name(cell)[-1] for cell in rows[0]] == list("pqr")
    assert picture.alt == "Matrix X (key), 2 by 3 with columns p, q, r. first: 0.5, −1.0, 0.0; second: 2.0, −0.3, 1.0."


def test_weights_have_one_colour():
    """Whatever their frame says, weights are filled in theirs; a negative number never is."""
    fills = [cell.fill for cell in Drawing(draw.squares([0.7, 0.0, -0.1], role="weight")).cells]
    assert ["weight" in fill for fill in fills] == [True, True, False] and "negative" in fills[2]
    assert not any("weight" in cell.fill for cell in Drawing(draw.squares([0.7, -0.1], role="query")).cells)


@pytest.mark.parametrize("where", [(0, 1), (1, None), (None, 2), (None, None)])
def test_highlight_frames_just_what_it_names(where):
    drawn = Drawing(draw.squares(np.ones((2, 3)), highlight=where))
    [(_, rows)] = drawn.blocks()
    assert drawn.lit() == {rows[i][j] for i in range(2) for j in range(3) if where[0] in (None, i) and where[1] in (None, j)}


def test_squares_take_torch_and_leave_input_alone():
    import torch
    a = np.array([0.5, -0.5])
    assert draw.squares(torch.tensor(a, requires_grad=True)).html() == draw.squares(a).html() and a.tolist() == [0.5, -0.5]


def test_product_stands_where_rows_meet_columns():
    a, b = np.array([[1.0, -2.0], [0.5, 3.0], [0.0, 1.0]]), np.array([[2.0, 1.0, -1.0, 0.0], [0.5, 4.0, 1.0, 2.0]])
    drawn = Drawing(draw.product(a, b, row_names=list("xyz"), inner_names=["p", "q"], column_names=list("klmn"), highlight=(1, 2), shapes=True))
    (_, left), (_, above), (_, made) = drawn.blocks()
    assert drawn.tables() == [written(a), written(b), written(a @ b, 2)]
    assert [row[0].y for row in made] == [row[0].y for row in left] and [c.x for c in made[0]] == [c.x for c in above[0]]
    assert drawn.lit() == {*left[1], *(row[2] for row in above), made[1][2]}
    assert [drawn.row_name(row)[-1] for row in above] == ["p", "q"] and [drawn.row_name(row)[0] for row in made] == list("xyz")
    assert [drawn.column_name(cell)[-1] for cell in above[0]] == list("klmn")
    assert [word.text for word in drawn.words if word.text.startswith("(")] == ["(3, 2)", "(2, 4)", "(3, 4)"]


def shown(numbers, side=10, **options):
    """The last box drawn over each pixel, wherever its boxes begin and end."""
    drawn, (height, width) = Drawing(draw.pixels(numbers, alt="Some pixels.", side=side, **options)), np.shape(numbers)[:2]
    return [[next(box for box in reversed(drawn.boxes) if box.fill != "none" and box.holds((j + .5) * side, (i + .5) * side)) for j in range(width)]
            for i in range(height)]


def test_pixels_have_their_colours():
    found = shown(np.array([[[0, 0, 0], [0, 0, 0], [1, 0.5, 0]], [[1, 1, 1]] * 3]))
    assert [[box.fill for box in row] for row in found] == [["#000000", "#000000", "#ff8000"], ["#ffffff"] * 3]
    weights = [box for row in shown([[0.0, 2.0], [1.0, 1.0]]) for box in row]
    assert depths(weights, [0, 2, 1, 1], 2) and all("--ak-fill-weight" in box.fill for box in weights)
    assert [box.opacity for box in shown([[0.0, 2.0, 9.0]], vmax=4)[0]] == [0, palette.DEPTH / 2, palette.DEPTH]
    [signed] = shown([[-2.0, 0.0, 1.0]], role=None)
    assert [box.fill for box in signed] == [palette.var(f"fill-{sign}") for sign in ("negative", "positive", "positive")]
    assert [box.opacity for box in signed] == pytest.approx([palette.DEPTH, 0, palette.DEPTH / 2], abs=.006)
