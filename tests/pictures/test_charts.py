"""Bars as tall as their numbers, and where lines cross."""

import numpy as np
import pytest
from drawn import Drawing

from bookkit.pictures import charts, plots
from bookkit.pictures.formats import fixed


def stands(drawn):
    """The charts of a picture of bars, row by row, each as its bars from left to right: how far above the line each stands, or, negative, hangs."""
    rows = {}
    for line in drawn.lines:
        (x, y), (right, _) = line.points
        held = [box for box in drawn.boxes if x <= box.centre[0] <= right and min(abs(box.y - y), abs(box.y + box.height - y)) < .01]
        heights = [box.height if box.y + box.height <= y + .01 else -box.height for box in sorted(held, key=lambda box: box.x)]
        rows.setdefault(round(y, 2), []).append((x, heights))
    return [[heights for _, heights in sorted(row)] for _, row in sorted(rows.items())]


SIGNED = np.array([[0.5, -1.25, 2.0, 0.0], [30.0, 10.0, 20.0, 1.0], [-0.1, -0.3, -0.2, -0.4]])


@pytest.mark.parametrize("vmax", [None, 40.0])
def test_bars_are_as_tall_as_their_numbers(vmax):
    """One scale for a row, or one for all; negative bars hang from the line on which the others stand, and a row with some has
    the colours of the signs; each has its number and its name."""
    picture = charts.bars(SIGNED, row_names=["one", "two", "three"], bar_names=list("abcd"), digits=[2, 0, 1], vmax=vmax)
    drawn = Drawing(picture)
    for k, ([heights], numbers, digits) in enumerate(zip(stands(drawn), SIGNED, (2, 0, 1), strict=True)):
        assert heights == pytest.approx(numbers * charts.TALL / (vmax or np.abs(numbers).max()), abs=.051)
        cells = drawn.boxes[4 * k:4 * k + 4]
        colours = ["quiet"] * 4 if k == 1 else ["negative" if x < 0 else "positive" for x in numbers]
        assert all(colour in cell.fill for colour, cell in zip(colours, cells, strict=True))
        for cell, number, name in zip(cells, numbers, "abcd"):
            in_line = [word.text for word in drawn.words if abs(word.x - cell.centre[0]) < 1]
            assert fixed(number, digits) in in_line and in_line[-1] == name
    assert picture.alt == ("Bars. one: a 0.50, b −1.25, c 2.00, d 0.00. two: a 30, b 10, c 20, d 1. three: a −0.1, b −0.3, c −0.2, d −0.4.")


def test_lines_cross_where_powers_are_equal():
    x = np.array([1.0, 3.0, 50.0, 4000.0])
    assert plots.crossing(x, 2 * x**2, 20 * x) == pytest.approx((10, 200))
    assert plots.crossing(x, np.where(x == 3, np.nan, 2 * x**2), 20 * x) == pytest.approx((10, 200))
    assert plots.crossing(x, x, 2 * x) is None and plots.crossing(x, x, x) is None
