"""Plots: right by their own axes, the same at every run, in the colours of the page."""

import re

import numpy as np
import pytest
from drawn import Drawing

from bookkit.pictures import plots

POINTS, NAMES, ARROW = [[1, 0], [0, 2], [-1, -1]], ["a", "b", "c"], [1.0, 0.5]


def ticks(drawn, axis):
    """What a plot's axis says: from its written numbers, pixels to data."""
    numbers = [(word, float(word.text.replace("−", "-"))) for word in drawn.words if re.fullmatch(r"[−-]?\d+(\.\d+)?", word.text)]
    level = max(word.y for word, _ in numbers)          # the numbers of the x axis stand on the lowest line
    held = [((word.x if axis == 0 else word.y), value) for word, value in numbers if (abs(word.y - level) < 1) == (axis == 0)]
    return np.poly1d(np.polyfit(*zip(*held), 1))


def test_feet_of_perpendiculars_show_the_ranking():
    """Each point's dashed line meets the arrow's line at a right angle, and its foot is as far out as the dot product says."""
    drawn = Drawing(plots.picture(plots.plane(POINTS, NAMES, arrow=ARROW, arrow_name="u", axis_names=("east", "north")), alt="Three points."))
    to_x, to_y = ticks(drawn, 0), ticks(drawn, 1)
    offset = to_y(0) - to_y(0)                                 # a number is written a little below its tick
    points = [np.array(mark) for mark, fill in drawn.marks if "--ak-key" in fill]
    assert len(points) == 3
    scale = to_x.c[0]                                          # data in a pixel, the same both ways
    assert to_y.c[0] == pytest.approx(-scale, rel=1e-3) and offset == 0
    origin = points[0] - np.array([1, 0]) / scale * [1, -1]
    where = [(p - origin) * [scale, -scale] for p in points]
    assert np.allclose(where, POINTS, atol=1e-3)
    dashes = [line.points for line in drawn.lines if line.dashed]
    assert len(dashes) == 3
    for point, data in zip(points, np.array(POINTS, float)):
        foot = next(np.array(b) for a, b in dashes if np.allclose(a, point, atol=.5))
        foot = (foot - origin) * [scale, -scale]
        assert abs((foot - data) @ ARROW) < 1e-2, "a right angle"
        assert foot @ ARROW == pytest.approx(data @ ARROW, abs=1e-2) and abs(foot[0] * ARROW[1] - foot[1] * ARROW[0]) < 1e-2
    for name, point in zip(NAMES, points):
        word = next(word for word in drawn.words if word.text == name)
        assert abs(word.x - point[0]) < 2 and abs(word.y - point[1]) < 40, "each name at its point"
    written = [word.text for word in drawn.words]
    assert {"east", "north", "u"} <= set(written)


def test_plots_are_the_same_twice_and_follow_the_page():
    def draw_it():
        return plots.picture(plots.plane(POINTS, NAMES, arrow=ARROW, arrow_name="u"), alt="Three points.").html()
    first = draw_it()
    assert first == draw_it()
    body = first.split("<img")[0]
    # Every colour is a variable of the palette, and the words are text.
    assert "var(--ak-" in body and not re.findall(r"(?<!, )#[0-9a-f]{6}\b", body)
    assert all(f">{name}<" in body for name in "abcu")


def test_a_kind_pulls_to_its_corner_as_hard_as_its_score():
    """Three kinds in a ring, the first at the top; equal scores leave an item in the middle."""
    ax = plots.pulled([[[2, 0, 0], [1, 0, 0]], [[0, 3, 0], [0, 1, 0]], [[0, 0, 1], [1, 1, 1]]], ["a", "b", "c"], star=np.array([0, 0, 2]), star_name="new")
    a, b, c, star = (np.asarray(dots.get_offsets()) for dots in ax.collections)
    assert np.allclose(a, [[0, 2], [0, 1]]) and np.allclose(np.linalg.norm(b, axis=1), [3, 1]) and np.allclose(c[1], 0)
    assert np.allclose(star, 2 * c[:1]) and c[0, 0] < 0 < b[0, 0]
    assert {"a", "b", "c", "new"} <= {word.text for word in Drawing(plots.picture(ax, alt="A ring of three.")).words}


def test_what_a_matrix_tells_apart_stands_on_both_sides_of_its_border():
    rng = np.random.default_rng(0)
    vectors, matrix = rng.normal(size=(9, 4)), rng.normal(size=(4, 2))
    scores, sorts = vectors @ matrix, np.array([0, 1] * 4 + [1])
    ax = plots.apart(vectors, matrix, sorts, ["no", "yes"])
    crosses, dots = (np.asarray(marks.get_offsets()) for marks in ax.collections)
    assert len(crosses) == 4 and len(dots) == 5
    for marks, which in ((crosses, 0), (dots, 1)):
        assert ((marks[:, 0] > 0) == (scores[sorts == which, 1] > scores[sorts == which, 0])).all()
    assert {"no", "yes"} <= {text.get_text() for text in ax.get_legend().get_texts()}


# ---- what test_every_picture.py asks

BAD = [
    (lambda: plots.plane([1, 2], ["a"]), ValueError, r"points must have shape \(n, 2\), got \(2,\)"),
    (lambda: plots.plane([[1, 2]], []), ValueError, r"got 0 names for points \(1, 2\)"),
    (lambda: plots.plane([[1, 2]], ["a"], arrow=[0, 0]), ValueError, "not both zero"),
    (lambda: plots.pulled([[[1, 2]]], ["a"]), ValueError, r"\(kinds, k, kinds\) for 1 names, got \(1, 1, 2\)"),
    (lambda: plots.apart(np.ones((3, 4)), np.ones((4, 3)), [0, 1, 0], ["no", "yes"]), ValueError, r"a matrix \(4, 3\) and 3 sorts"),
]
