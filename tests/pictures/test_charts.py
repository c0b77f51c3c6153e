"""Bars as tall as their numbers, and lines with both axes logarithmic."""

import re

import numpy as np
import pytest
from drawn import Drawing
from table import each

from bookkit.pictures import charts, metrics, palette
from bookkit.pictures.formats import fixed, in_bytes, in_time


def stands(drawn):
    """The charts of a picture of bars, row by row: the line of each, and its bars from left to right."""
    rows = {}
    for line in drawn.lines:
        (x, y), (right, level) = line.points
        assert y == level
        held = [box for box in drawn.cells if x <= box.centre[0] <= right
                and min(abs(box.y - y), abs(box.y + box.height - y)) < .01]
        rows.setdefault(round(y, 2), []).append(((x, y, right), sorted(held, key=lambda box: box.x)))
    return [sorted(row) for _, row in sorted(rows.items())]


def heights(line, cells):
    """How far each bar stands above its line, or, negative, hangs below it."""
    return [cell.height if cell.y + cell.height <= line[1] + .01 else -cell.height for cell in cells]


def number_at(drawn, cell, value):
    """The words at the end of a bar: above one that stands, below one that hangs."""
    end = (cell.y + cell.height, cell.y + cell.height + 18) if value < 0 else (cell.y - 10, cell.y)
    return [w.text for w in drawn.words if abs(w.x - cell.centre[0]) < 1 and end[0] < w.y < end[1]]


SIGNED = np.array([[0.5, -1.25, 2.0, 0.0], [30.0, 10.0, 20.0, 1.0], [-0.1, -0.3, -0.2, -0.4]])


@each("vmax", [None, 40.0])
def test_bars_are_as_tall_as_their_numbers(vmax):
    """One scale for a row, or one for all; negative bars hang from the line on which the others stand."""
    drawn = Drawing(charts.bars(SIGNED, row_names=["one", "two", "three"], bar_names=list("abcd"), digits=[2, 0, 1], vmax=vmax))
    rows = stands(drawn)
    assert [len(row) for row in rows] == [1, 1, 1] and len(drawn.cells) == SIGNED.size
    units = []
    for [(line, cells)], numbers in zip(rows, SIGNED):
        units.append(charts.TALL / (vmax or np.abs(numbers).max()))
        assert heights(line, cells) == pytest.approx(numbers * units[-1], abs=.051)
        assert [("negative" in c.fill, "positive" in c.fill) for c in cells] == [(x < 0, x >= 0) for x in numbers]
        assert np.ptp([c.width for c in cells]) == 0 and np.ptp(np.diff([c.x for c in cells])) < .01
    assert len(set(units)) == (1 if vmax else 3)


def test_bars_have_numbers_and_names():
    """Each number at the end of its bar, each name below its bars, each row's name level with them."""
    names = ["Thunder Run", "b", "c", "d"]
    picture = charts.bars(SIGNED, row_names=["one", "two", "three"], bar_names=names, digits=[2, 0, 1])
    drawn, lowest = Drawing(picture), 0
    for [(line, cells)], numbers, digits, name in zip(stands(drawn), SIGNED, (2, 0, 1), ("one", "two", "three")):
        assert [number_at(drawn, c, x) for c, x in zip(cells, numbers)] == [[fixed(x, digits)] for x in numbers]
        word = next(word for word in drawn.words if word.text == name)
        top, bottom = min(c.y for c in cells), max(c.y + c.height for c in cells)
        assert top < word.y - 5 < bottom and word.x < line[0], "the middle of the name between top and bottom"
        assert top > lowest
        lowest = bottom
        for cell, below in zip(cells, names):
            assert [w.text for w in drawn.words if abs(w.x - cell.centre[0]) < 1][-1] == below
            assert metrics.text_width(below) < cells[1].x - cells[0].x
    assert all(word.y > lowest for word in drawn.words if word.text in names)
    assert picture.alt == ("Bars. one: Thunder Run 0.50, b −1.25, c 2.00, d 0.00. two: Thunder Run 30, b 10, c 20, d 1. "
                           "three: Thunder Run −0.1, b −0.3, c −0.2, d −0.4.")


def test_bars_without_names_write_the_largest_number_alone():
    x = np.array([[0.1, 0.6, 0.3] * 6, [0.2, 0.1, -0.4] * 5 + [0.1, 0.1, 0.9]])
    picture = charts.bars(x, row_names=["one", "two"])
    drawn = Drawing(picture)
    written = [word for word in drawn.words if word.text not in ("one", "two")]
    assert [word.text for word in written] == ["0.60", "0.90"]
    for [((left, _, right), cells)], word, row in zip(stands(drawn), written, x):
        largest = cells[int(np.argmax(row))]
        assert abs(word.x - largest.centre[0]) <= largest.width and largest.y - 10 < word.y < largest.y
        # Wider than its bar, it stays within its chart, even at the last bar, and so within the drawing.
        wide = metrics.text_width(word.text)
        begins = word.x - {"start": 0, "middle": wide / 2, "end": wide}[word.anchor]
        assert left <= begins and begins + wide <= right + .01 <= picture.parts[0].width
    assert picture.alt == "Bars. one: 18 bars from 0.60 down to 0.10. two: 18 bars from 0.90 down to −0.40."


@each("bar_names", [None, list("abc")])
def test_charts_stand_side_by_side_under_their_names(bar_names):
    x = np.array([[[0.5, 0.25, 0.25], [1.0, -0.5, 0.0]], [[3.0, 2.0, 1.0], [4.0, 1.0, 0.5]]])
    columns = ["as they are", "divided by the width"]
    picture = charts.bars(x, row_names=["one", "two"], column_names=columns, bar_names=bar_names)
    drawn = Drawing(picture)
    rows = stands(drawn)
    assert [len(row) for row in rows] == [2, 2], "the charts of a row share a line"
    for row, numbers in zip(rows, x):
        unit = charts.TALL / np.abs(numbers).max()
        for (line, cells), chart in zip(row, numbers):
            assert heights(line, cells) == pytest.approx(chart * unit, abs=.051), "one scale for the charts of a row"
        assert [(line[0], line[2]) for line, _ in row] == [(line[0], line[2]) for line, _ in rows[0]]
    heads = [next(word for word in drawn.words if word.text == name) for name in columns]
    assert [word.x for word in heads] == pytest.approx([(x + right) / 2 for (x, _, right), _ in rows[0]])
    assert all(word.y < min(cell.y for cell in drawn.cells) for word in heads)
    (left, half), (right, other) = [(word.x, metrics.text_width(word.text, bold=True) / 2) for word in heads]
    assert left + half + 8 < right - other and right + other <= picture.parts[0].width
    below = [(w.text, w.x) for w in drawn.words if bar_names and w.text in bar_names]
    assert below == [(name, cell.centre[0]) for _, cells in rows[-1] for name, cell in zip(bar_names or [], cells)]
    first = "a 0.50, b 0.25, c 0.25" if bar_names else "3 bars from 0.50 down to 0.25"
    assert picture.alt.startswith(f"Bars. one, as they are: {first}. one, divided by the width: ")
    assert picture.alt.count("two, ") == 2


def test_bars_of_weights_have_their_colour():
    drawn = Drawing(charts.bars([[0.25, 0.75], [1.0, -1.0]], row_names=["weights", "scores"], roles=["weight", None]))
    assert [c.fill for [(_, cells)] in stands(drawn) for c in cells] == [
        palette.var(f"fill-{kind}") for kind in ("weight", "weight", "positive", "negative")]


def test_bars_of_zeros_have_a_line():
    [[(line, cells)]] = stands(Drawing(charts.bars(np.zeros((1, 4)), row_names=["none"], bar_names=list("abcd"))))
    assert heights(line, cells) == [0] * 4


# ---- lines with both axes logarithmic

LENGTHS = [128, 256, 512, 1024, 2048, 4096, 8192, 16384]
TIMES = {"x": LENGTHS, "x_name": "words", "y_name": "time of one head", "write": in_time, "dashed": ["estimate"], "crossings": [("whole", "window")],
         "lines": {"whole": [.11, .33, 1.0, 3.4, 13.4, 54, 216, 880], "in blocks": [.14, .5, 2.1, 4.2, 13.1, 50, 193, 800],
                   "window": [.2, .45, .9, 2.0, 4.1, 8.2, 17, 34], "torch kernel": [.04, .14, .53, 1.8, 6.6, 27, 110, None],
                   "estimate": [3.3e-6 * n * n for n in LENGTHS]}}


def charted(picture):
    """The lines of a chart by the colour that their names have, and the names."""
    drawn = Drawing(picture)
    return drawn, {word.text: next(line for line in drawn.lines if line.stroke == word.fill and len(line.points) > 2)
                   for word in drawn.words if any(line.stroke == word.fill for line in drawn.lines) and "quiet" not in word.fill}


@each("seed", range(8))
def test_lines_stand_on_one_logarithmic_scale(seed):
    """Any powers of x, any units: each is a straight line, all by one scale, on which the written marks stand, too."""
    rng = np.random.default_rng(seed)
    x = np.sort(rng.choice(2.0 ** np.arange(5, 20), 7, replace=False))
    lines = {f"line {k}": 10 ** rng.uniform(-1, 4) * x ** rng.uniform(0, 2.5) for k in range(int(rng.integers(1, 7)))}
    drawn, found = charted(charts.loglog_lines(x, lines, x_name="n", y_name="bytes", write="{:.4g}".format))
    assert set(found) == set(lines)
    points = {name: np.array(line.points) for name, line in found.items()}
    flat, upright = np.vstack(list(points.values())).T
    numbers = np.concatenate([lines[name] for name in points])
    across, up = np.polyfit(np.log(np.tile(x, len(points))), flat, 1), np.polyfit(np.log(numbers), upright, 1)
    assert across[0] > 0 > up[0], "more is further right, and higher"
    assert np.allclose(np.polyval(across, np.log(np.tile(x, len(points)))), flat, atol=0.11)
    assert np.allclose(np.polyval(up, np.log(numbers)), upright, atol=0.11)
    marks = [word for word in drawn.words if word.anchor == "end"]
    assert len(marks) > 1 and all(word.y - 5 == pytest.approx(np.polyval(up, np.log(float(word.text))), abs=0.2) for word in marks)
    under = [word for word in drawn.words if word.anchor == "middle" and "quiet" in word.fill]
    assert all(word.x == pytest.approx(np.polyval(across, np.log(float(word.text.replace(",", "")))), abs=0.2) for word in under) and len(under) > 2
    assert not drawn.crowded()
    # The names come in the order of the lines' ends.
    words = sorted((word for word in drawn.words if word.text in points), key=lambda word: word.y)
    ends = [points[word.text][-1][1] for word in words]
    assert ends == sorted(ends) and all(b.y - a.y >= charts.BETWEEN - .01 for a, b in zip(words, words[1:]))


def test_a_chart_marks_crossings_and_what_was_not_measured():
    picture = charts.loglog_lines(**TIMES)
    drawn, found = charted(picture)
    assert {name: len(line.points) for name, line in found.items()} == {name: 8 - (name == "torch kernel") for name in TIMES["lines"]}
    assert found["estimate"].dashed and not found["whole"].dashed
    place = charts.crossing(np.array(LENGTHS, dtype=float), *(np.array(TIMES["lines"][name]) for name in ("whole", "window")))
    [ring] = [c for c in drawn.circles if not any(np.allclose(c, p) for line in found.values() for p in line.points)]
    whole = np.array(found["whole"].points)
    assert ring == pytest.approx((np.interp(np.log(place[0]), np.log(LENGTHS), whole[:, 0]),
                                  np.interp(np.log(place[0]), np.log(LENGTHS), whole[:, 1])), abs=0.2)
    assert 256 < place[0] < 512 and "about 430" in [word.text for word in drawn.words]
    assert picture.alt.endswith("whole and window cross near 430.") and "torch kernel: 0.04 ms at 128, 110 ms at 8,192." in picture.alt
    assert len(drawn.circles) == 4 * 8 - 1 + 1, "a dot for each measured number, and the ring"


def test_lines_cross_where_powers_are_equal():
    x = np.array([1.0, 3.0, 50.0, 4000.0])
    assert charts.crossing(x, 2 * x**2, 20 * x) == pytest.approx((10, 200))
    assert charts.crossing(x, x, 2 * x) is None
    assert charts.crossing(x, np.where(x == 3, np.nan, 2 * x**2), 20 * x) == pytest.approx((10, 200))
    assert charts.crossing(x, x, x) is None


def test_marks_of_a_narrow_scale():
    drawn = Drawing(charts.loglog_lines([1, 2, 4], {"a": [3.0, 4.0, 6.0]}, x_name="n", y_name="s"))
    assert [word.text for word in drawn.words if word.anchor == "end"] == ["3", "4", "5", "6", "7"]
    assert "1 MB" in [w.text for w in Drawing(charts.loglog_lines([1, 2], {"a": [1e5, 1e7]}, x_name="n", y_name="m", write=in_bytes)).words]


# ---- strips under words

WORDS = "keys that hang beside the door".split()


def test_strips_are_as_deep_as_their_numbers():
    """Under each word a strip of its width, in each row; the largest of a row is the deepest, and behind the row stands its text."""
    rows = np.random.default_rng(0).random((3, 6)) * [[1], [50], [0.01]]
    picture = charts.strips(WORDS, {"before": [(rows[0], ".12")], "after": [(rows[1], ".90"), (rows[2], "1.00")]}, note="right")
    drawn = Drawing(picture)
    assert not drawn.crowded() and len(drawn.cells) == 18
    cells = [drawn.cells[k:k + 6] for k in (0, 6, 12)]
    for row, numbers in zip(cells, rows):
        assert [float(cell.opacity) for cell in row] == pytest.approx(numbers / numbers.max() * palette.DEPTH, abs=6e-4)
        assert len({cell.y for cell in row}) == 1 and all("positive" in cell.fill for cell in row)
    for k, word in enumerate(WORDS):
        above = [w for w in drawn.words if w.text == word]
        assert len(above) == 2 and all(w.x == pytest.approx(row[k].centre[0], abs=.01) for w in above for row in cells)
        assert metrics.text_width(word) < cells[0][k].width
    for row, behind in zip(cells, (".12", ".90", "1.00")):
        [said] = [w for w in drawn.words if w.text == behind]
        assert row[0].y < said.y - 5 < row[0].y + row[0].height and said.box.x > row[-1].x + row[-1].width
    assert [w.text for w in drawn.words if w.text in ("before", "after", "right")] == ["before", "right", "after", "right"]
    assert f"after: keys {fixed(rows[1, 0] / rows[1].max())}" in picture.alt and "(right 1.00)." in picture.alt


@each("numbers", [[1, 2], [1, 2, 3, 4, 5, -1], [0] * 6, [1, 2, 3, 4, 5, np.nan]])
def test_a_row_of_strips_has_a_number_for_each_word(numbers):
    with pytest.raises(ValueError, match="a row must hold 6 numbers, none negative and not all 0"):
        charts.strips(WORDS, {"one": [(numbers, "")]})


# ---- what test_every_picture.py asks

# ---- trees

GROWN = dict(begin="Zoe …", row_names=["temperature 0.3", "temperature 1.5"], branch_names=["found", "had", "other words"],
             dark=[[160, 1, 0], [13, 1, 2]], what="without a mistake")
COUNTS = [[194, 6, 0], [80, 46, 74]]


def test_a_branch_is_as_thick_as_its_share():
    """Each parts from the trunk where the one before it ends, and its darker part is as thick as the share of those."""
    picture = charts.branches(COUNTS, **GROWN)
    drawn = Drawing(picture)
    bands = [[points[0], points[1], points[2][1] - points[1][1], points[3][1] - points[0][1]] for points in (line.points for line in drawn.lines)]
    wanted = [share / 200 * charts.TRUNK for row, dark in zip(COUNTS, GROWN["dark"]) for pair in zip(row, dark) for share in pair if share]
    assert [band[2] for band in bands] == pytest.approx(wanted, abs=1e-3) and [band[3] for band in bands] == pytest.approx(wanted, abs=1e-3)
    whole = [band for band, part in zip(bands, re.findall(r'fill-opacity="([.\d]+)"', picture.parts[0].body)) if part == "0.3"]
    for before, after in zip(whole[2:], whole[3:]):                                        # the second tree
        assert after[0][1] == pytest.approx(before[0][1] + before[2], abs=1e-3) and after[1][1] > before[1][1] + before[2]
    assert not drawn.crowded() and "other words: 74, 2 without a mistake" in [word.text for word in drawn.words]
    assert picture.alt.startswith("Trees. temperature 0.3, 200 from “Zoe …”: 194 found, 160 of them without a mistake; 6 had,")


NARROW = {      # what chapters come back to has room on a phone
    "strips": lambda: charts.strips("keys that hang beside the door of the old house".split(), {"plain": [([1] * 10, "0.12")]}, note="right"),
    "bars": lambda: charts.bars(np.full((3, 3, 16), 1 / 16), row_names=["width 4", "width 64", "width 1,024"],
                                     column_names=["as they are", "÷ √width", "÷ width"]),
    "loglog_lines": lambda: charts.loglog_lines(**TIMES),
    "branches": lambda: charts.branches(COUNTS, **GROWN),
}

BAD = [
    (lambda: charts.branches([[1, 2], [1, 1]], **GROWN | {"dark": [[0, 0], [0, 0]]}), ValueError, r"in every row of the same sum, .* got \[\[1, 2\], \[1, 1\]\]"),
    (lambda: charts.branches([[1, 2]], **GROWN | {"dark": [[2, 0]]}), ValueError, r"dark as many or fewer, got \[\[1, 2\]\] and \[\[2, 0\]\]"),
    (lambda: charts.branches(COUNTS, **GROWN | {"branch_names": ["a"]}), ValueError, "branch_names must hold 3 names"),
    (lambda: charts.loglog_lines([4], {"a": [1]}, x_name="n", y_name="ms"), ValueError, r"x must be at least two positive numbers that grow, got \[4.0\]"),
    (lambda: charts.loglog_lines([1, 2], {}, x_name="n", y_name="ms"), ValueError, "lines must be from 1 to 6, got 0"),
    (lambda: charts.loglog_lines([1, 2], {"a": [1]}, x_name="n", y_name="ms"), ValueError, r"a must hold 2 numbers, one for each x, got \[1.0\]"),
    (lambda: charts.loglog_lines([1, 2], {"a": [0, 1]}, x_name="n", y_name="ms"), ValueError, "the numbers of a must be positive"),
    (lambda: charts.loglog_lines([1, 2], {"a": [1, 2]}, x_name="n", y_name="ms", dashed=["b"]), ValueError, "no line is called 'b', there are a"),
    (lambda: charts.loglog_lines([1, 2], {"a": [1, 2], "b": [2, 3]}, x_name="n", y_name="ms", crossings=[("a", "b")]), ValueError, "a and b do not cross"),
    (lambda: charts.bars([1.0], row_names=["a"]), ValueError, r"\(rows, n\) or \(rows, columns, n\), got shape \(1,\)"),
    (lambda: charts.bars([[np.nan]], row_names=["a"]), ValueError, "numbers must be finite"),
    (lambda: charts.bars([[1.0]], row_names=["a", "b"]), ValueError, r"row_names must hold 1 names for numbers of shape \(1, 1\)"),
    (lambda: charts.bars([[1.0]], row_names=["a"], bar_names=["b", "c"]), ValueError, "bar_names must hold 1 names"),
    (lambda: charts.bars([[1.0]], row_names=["a"], roles=["weight", None]), ValueError, r"roles must hold one for each of 1 rows, got \['weight', None\]"),
    (lambda: charts.bars([[1.0]], row_names=["a"], roles=["boss"]), ValueError, r"roles must be 'weight' or None for each row, got \['boss'\]"),
]
