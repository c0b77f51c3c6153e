"""Bars as tall as their numbers, lines with both axes logarithmic, and trees."""

import numpy as np
import pytest
from drawn import Drawing

from bookkit.pictures import charts
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


@pytest.mark.parametrize("seed", range(3))
def test_lines_stand_on_one_logarithmic_scale(seed):
    """Any powers of x, any units: all by one scale, on which the written marks stand, too; and no two words overlap."""
    rng = np.random.default_rng(seed)
    x = np.sort(rng.choice(2.0 ** np.arange(5, 20), 7, replace=False))
    lines = {f"line {k}": 10 ** rng.uniform(-1, 4) * x ** rng.uniform(0, 2.5) for k in range(int(rng.integers(1, 7)))}
    drawn = Drawing(charts.loglog_lines(x, lines, x_name="n", y_name="bytes", write="{:.4g}".format))
    flat, upright = np.vstack([line.points for line in drawn.lines if len(line.points) > 2]).T
    across, up = np.polyfit(np.log(np.tile(x, len(lines))), flat, 1), np.polyfit(np.log(np.concatenate([*lines.values()])), upright, 1)
    assert across[0] > 0 > up[0], "more is further right, and higher"
    assert np.allclose(np.polyval(across, np.log(np.tile(x, len(lines)))), flat, atol=0.11)
    assert np.allclose(np.polyval(up, np.log(np.concatenate([*lines.values()]))), upright, atol=0.11)
    marks = [word for word in drawn.words if word.text.replace(",", "").replace(".", "").isdigit() or "e+" in word.text]
    beside, under = ([word for word in marks if (word.x < flat.min()) == left] for left in (True, False))
    assert len(beside) > 1 and len(under) > 2
    assert all(word.y - 5 == pytest.approx(np.polyval(up, np.log(float(word.text))), abs=0.2) for word in beside)
    assert all(word.x == pytest.approx(np.polyval(across, np.log(float(word.text.replace(",", "")))), abs=0.2) for word in under)
    assert not any(a.box.meets(b.box) for i, a in enumerate(drawn.words) for b in drawn.words[i + 1:])


def test_lines_cross_where_powers_are_equal():
    x = np.array([1.0, 3.0, 50.0, 4000.0])
    assert charts.crossing(x, 2 * x**2, 20 * x) == pytest.approx((10, 200))
    assert charts.crossing(x, np.where(x == 3, np.nan, 2 * x**2), 20 * x) == pytest.approx((10, 200))
    assert charts.crossing(x, x, 2 * x) is None and charts.crossing(x, x, x) is None


GROWN = dict(begin="Zoe …", row_names=["temperature 0.3", "temperature 1.5"], branch_names=["found", "had", "other words"],
             dark=[[160, 1, 0], [13, 1, 2]], what="without a mistake")
COUNTS = [[194, 6, 0], [80, 46, 74]]


def test_a_branch_is_as_thick_as_its_share():
    """And its darker part is as thick as the share of those."""
    picture = charts.branches(COUNTS, **GROWN)
    thick = [(points[2][1] - points[1][1], points[3][1] - points[0][1]) for points in (line.points for line in Drawing(picture).lines)]
    wanted = [share / 200 * charts.TRUNK for row, dark in zip(COUNTS, GROWN["dark"]) for pair in zip(row, dark) for share in pair if share]
    assert np.allclose(thick, np.array(wanted)[:, None], atol=1e-3)
    assert picture.alt.startswith("Trees. temperature 0.3, 200 from “Zoe …”: 194 found, 160 of them without a mistake; 6 had,")
