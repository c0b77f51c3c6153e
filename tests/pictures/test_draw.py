"""Vectors, matrices and products as squares: as many, as deep and as signed as their numbers; and pixels."""

import numpy as np
import pytest
from drawn import Drawing, said
from table import each

from bookkit.pictures import draw, metrics, palette
from bookkit.pictures.formats import fixed
from pictures.sentence import FEATURES, SENTENCE, W, X


@each("values", [True, False])
def test_squares_count_depth_sign(values):
    x = np.array([[0.5, -1.0, 0.0], [2.0, -0.25, 1.0]])
    drawn = Drawing(draw.squares(x, values=values))
    [(_, rows)] = drawn.blocks()
    assert [len(row) for row in rows] == [3, 3] and len(drawn.cells) == 6
    marks = {0.5: "+", -1.0: "−", 0.0: "", 2.0: "+", -0.25: "−", 1.0: "+"}
    for cells, numbers in zip(rows, x):
        for cell, value in zip(cells, numbers):
            assert ("negative" in cell.fill) == (value < 0)
            assert cell.opacity == pytest.approx(abs(value) / 2 * palette.DEPTH, abs=1e-3)
            assert "".join(drawn.written_in(cell)) == (fixed(value, 1) if values else marks[value])


def test_weights_have_one_colour():
    """Whatever their frame says, weights are filled in theirs; a negative number never is."""
    fills = [cell.fill for cell in Drawing(draw.squares([0.7, 0.0, -0.1], role="weight")).cells]
    assert ["weight" in fill for fill in fills] == [True, True, False] and "negative" in fills[2]
    assert not any("weight" in cell.fill for cell in Drawing(draw.squares([0.7, -0.1], role="query")).cells)


def test_words_fit_their_squares():
    """Values inside their squares, the names of columns side by side, a wide label inside the drawing."""
    names = ["romance", "i", "comedy and more"]
    picture = draw.squares([[-123.45, 0.5, 1.0]], label="a label wider than its squares", column_names=names, digits=2)
    drawn = Drawing(picture)
    [(_, [cells])] = drawn.blocks()
    for cell, name in zip(cells, names):
        assert metrics.text_width(drawn.written_in(cell)[0]) + 6 <= cell.width and metrics.text_width(name) + 8 <= cell.width + 2
    label = next(word for word in drawn.words if "wider" in word.text)
    half = metrics.text_width(label.text, 18, bold=True) / 2
    assert label.x - half >= 0 and label.x + half <= picture.parts[0].width


def test_names_stand_at_their_rows_and_columns():
    x = np.arange(6.0).reshape(2, 3)
    drawn = Drawing(draw.squares(x, label="X", role="key", row_names=["first", "second"], column_names=["p", "q", "r"], shape=True))
    [(frame, rows)] = drawn.blocks()
    assert [drawn.row_name(row)[-1] for row in rows] == ["first", "second"]
    assert [drawn.column_name(cell)[-1] for cell in rows[0]] == ["p", "q", "r"]
    label = next(word for word in drawn.words if word.text == "X")
    assert "--ak-key" in label.fill and "--ak-key" in frame.stroke and label.y < rows[0][0].y
    assert next(word for word in drawn.words if word.text == "(2, 3)").y > rows[1][0].y


@each("where", [(0, 1), (1, None), (None, 2), (None, None)])
def test_highlight_frames_just_what_it_names(where):
    drawn = Drawing(draw.squares(np.ones((2, 3)), highlight=where))
    [(_, rows)] = drawn.blocks()
    named = {rows[i][j] for i in range(2) for j in range(3) if where[0] in (None, i) and where[1] in (None, j)}
    assert drawn.lit() == named


def test_squares_words():
    x = np.array([[0.5, -1.0], [2.0, 0.0]])
    words = draw.squares(x, label="X", role="key", row_names=["a", "b"], column_names=["p", "q"]).alt
    assert words == "Matrix X (key), 2 by 2 with columns p, q. a: 0.5, −1.0; b: 2.0, 0.0."
    blank = draw.squares(x, label="X", column_names=[" ", " "])
    assert blank.alt == draw.squares(x, label="X").alt and blank.parts[0].height == draw.squares(x, label="X", column_names=["p", "q"]).parts[0].height
    assert draw.squares(3.0, label="s").alt == "Scalar s: 3.0."
    assert draw.squares([1.0], standing=True).alt == "Vector, standing, 1 number: 1.0."


def test_row_names_say_their_language():
    html = draw.squares([[1.0], [2.0]], row_names=["je", "tu"], column_names=["I"], row_language="fr")._repr_html_()
    assert html.count(' lang="fr"') == 2 and ' lang=' not in draw.squares([[1.0]], row_names=["je"])._repr_html_()


def test_squares_take_torch_and_leave_input_alone():
    import torch
    x = torch.tensor([0.5, -0.5], requires_grad=True)
    assert draw.squares(x).html() == draw.squares([0.5, -0.5]).html()
    a = np.array([0.5, -0.5])
    draw.squares(a)
    assert a.tolist() == [0.5, -0.5]


# ---- products

def test_product_stands_where_rows_meet_columns():
    a, b = np.array([[1.0, -2.0], [0.5, 3.0], [0.0, 1.0]]), np.array([[2.0, 1.0, -1.0, 0.0], [0.5, 4.0, 1.0, 2.0]])
    drawn = Drawing(draw.product(a, b, labels=("A", "B", "AB"), roles=("query", "key", "weight"), row_names=list("xyz"),
                                 inner_names=["p", "q"], column_names=list("klmn"), highlight=(1, 2)))
    (left, rows_a), (above, rows_b), (meet, rows_c) = drawn.blocks()
    for rows, numbers, digits in ((rows_a, a, 1), (rows_b, b, 1), (rows_c, a @ b, 2)):
        assert [[drawn.written_in(c)[0] for c in row] for row in rows] == [[fixed(v, digits) for v in row] for row in numbers]
    # Level with its row, under its column.
    assert [row[0].y for row in rows_c] == [row[0].y for row in rows_a] and [c.x for c in rows_c[0]] == [c.x for c in rows_b[0]]
    assert above.y < meet.y and left.x < meet.x
    assert drawn.lit() == {*rows_a[1], *(row[2] for row in rows_b), rows_c[1][2]}
    assert [drawn.row_name(row)[-1] for row in rows_b] == ["p", "q"] and [drawn.row_name(row)[0] for row in rows_c] == list("xyz")
    assert [drawn.column_name(cell)[-1] for cell in rows_b[0]] == list("klmn")


PRODUCT = {"labels": ("X", "W^Q", "Q"), "roles": (None, None, "query"), "row_names": SENTENCE, "inner_names": FEATURES, "digits": (1, 1, 1)}


@each("column_names", [None, ["noun", "action"]])
def test_product_writes_the_shapes(column_names):
    """Each shape below its own matrix, in the middle, in quiet ink; nothing else moves into its way."""
    picture = draw.product(X, W["query"], shapes=True, column_names=column_names, **PRODUCT)
    drawn = Drawing(picture)
    shapes = [word for word in drawn.words if word.text.startswith("(")]
    assert [word.text for word in shapes] == ["(4, 3)", "(3, 2)", "(4, 2)"] and not drawn.crowded()
    for word, (frame, rows) in zip(shapes, drawn.blocks()):
        assert word.fill == palette.var("quiet") and word.x == pytest.approx(frame.centre[0])
        assert 0 < word.box.y - frame.y - frame.height < 16 and said(drawn, rows)
    assert "4 by 3" in picture.alt and "3 by 2" in picture.alt and "4 by 2" in picture.alt
    plain = Drawing(draw.product(X, W["query"], column_names=column_names, **PRODUCT))
    assert [word.text for word in plain.words] == [word.text for word in drawn.words if word not in shapes]
    assert draw.product([[1.0]], [[1.0]], shapes=False).html() == draw.product([[1.0]], [[1.0]]).html()


# ---- pixels

def colours(picture, height, width, side):
    """The fill of each pixel and its depth, wherever its boxes begin and end."""
    drawn = Drawing(picture)
    return [[drawn.colour_at((j + .5) * side, (i + .5) * side) for j in range(width)] for i in range(height)]


def test_pixels_have_their_colours():
    made = np.array([[[0, 0, 0], [0, 0, 0], [1, 0.5, 0]], [[1, 1, 1]] * 3])
    found = colours(draw.pixels(made, alt="Six pixels, three of them white.", side=10), 2, 3, 10)
    assert [[box.fill for box in row] for row in found] == [["#000000", "#000000", "#ff8000"], ["#ffffff"] * 3]
    found = colours(draw.pixels([[0.0, 2.0], [1.0, 1.0]], alt="Four weights, drawn by depth.", side=10), 2, 2, 10)
    assert [[box.opacity for box in row] for row in found] == [[0, palette.DEPTH], [palette.DEPTH / 2] * 2]
    assert all("--ak-fill-weight" in box.fill for row in found for box in row)
    [found] = colours(draw.pixels([[0.0, 2.0, 9.0]], alt="Three weights in a scale to four.", side=10, vmax=4), 1, 3, 10)
    assert [box.opacity for box in found] == [0, palette.DEPTH / 2, palette.DEPTH]


def test_pixels_by_sign():
    """Without a role a number's sign chooses the fill, its magnitude the depth; large pixels are ruled."""
    [found] = colours(draw.pixels([[-2.0, 0.0, 1.0]], alt="A negative pixel, an empty one and a positive one.", side=10, role=None), 1, 3, 10)
    signs = ("negative", "positive", "positive")
    assert [box.fill for box in found] == [palette.var(f"fill-{sign}") for sign in signs]
    assert [box.opacity for box in found] == pytest.approx([palette.DEPTH, 0, draw.opacity(1, 2)], abs=.006)
    for side, ruled in ((10, False), (20, True)):
        assert bool(Drawing(draw.pixels(np.ones((2, 3)), alt="Six equal pixels.", side=side)).lines) == ruled


# ---- what test_every_picture.py asks

NARROW = {      # what chapters come back to has room on a phone
    "product": lambda: draw.product(X, W["query"], shapes=True, column_names=["noun", "action"], **PRODUCT),
}

BAD = [
    (lambda: draw.squares(["a"]), TypeError, "real numbers"),
    (lambda: draw.squares(np.zeros((2, 2, 2))), ValueError, r"at most two axes .* got shape \(2, 2, 2\)"),
    (lambda: draw.squares([]), ValueError, "empty axis"),
    (lambda: draw.squares([np.nan]), ValueError, "finite"),
    (lambda: draw.squares([1.0], role="boss"), ValueError, "role must be one of query, .* got 'boss'"),
    (lambda: draw.squares([1.0], column_names=["a", "b"]), ValueError, r"must hold 1 names .* \(1,\), got \['a', 'b'\]"),
    (lambda: draw.squares([[1.0], [2.0, 3.0]]), ValueError, "different lengths"),
    (lambda: draw.product([[1.0]], [[1.0]], row_names=["a", "b"]), ValueError, r"row_names must hold 1 names for a product"),
    (lambda: draw.product([[1.0, 2.0]], [[1.0]]), ValueError, r"\(n, d\) and \(d, m\), got \(1, 2\) and \(1, 1\)"),
    (lambda: draw.squares([1.0], highlight=(0, 1)), ValueError, r"within 1 rows and 1 columns, got \(0, 1\)"),
    (lambda: draw.pixels(np.zeros((2, 2, 4)), alt="a picture"), ValueError, r"\(height, width, 3\) or \(height, width\), got \(2, 2, 4\)"),
    (lambda: draw.pixels([[-1.0]], alt="a picture"), ValueError, "not negative, got -1 to -1"),
    (lambda: draw.pixels([[0.0]], alt="a picture", role="boss"), ValueError, "got 'boss'"),
]
