"""Plots: right by their own axes, the same at every run, in the colours of the page."""

import re

import numpy as np
from drawn import Drawing

from bookkit.pictures import plots

POINTS, ARROW = np.array([[1.0, 0], [0, 2], [-1, -1]]), [1.0, 0.5]


def test_points_and_feet_of_perpendiculars_stand_where_the_axes_say():
    """A foot is as far out along the arrow as the dot product says, and at a right angle."""
    drawn = Drawing(plots.picture(plots.plane(POINTS, list("abc"), arrow=ARROW, arrow_name="u"), alt="Three points."))
    points = [mark for mark, fill in drawn.marks if "--ak-key" in fill]
    below = max(word.y for word in drawn.words if re.fullmatch(r"[−-]?[\d.]+", word.text))
    numbers = [(word.x, float(word.text.replace("−", "-"))) for word in drawn.words if word.y == below and re.fullmatch(r"[−-]?[\d.]+", word.text)]
    to_x = np.poly1d(np.polyfit(*zip(*numbers), 1))
    middle = points[0][1]                                      # the first point lies on the x axis; up and across have one scale
    data = [(to_x(x), to_x.c[0] * (middle - y)) for x, y in points]
    assert np.allclose(data, POINTS, atol=1e-2)
    feet = [next(b for a, b in (line.points for line in drawn.lines if line.dashed) if np.allclose(a, point, atol=.5)) for point in points]
    feet = np.array([(to_x(x), to_x.c[0] * (middle - y)) for x, y in feet])
    assert np.allclose(feet, np.outer(POINTS @ ARROW, ARROW) / np.dot(ARROW, ARROW), atol=2e-2)
    for name, (x, y) in zip("abc", points):
        [word] = [word for word in drawn.words if word.text == name]
        assert abs(word.x - x) < 2 and abs(word.y - y) < 40, "each name at its point"


def test_plots_are_the_same_twice_and_follow_the_page():
    first, again = (plots.picture(plots.plane(POINTS, list("abc")), alt="Three points.").html() for _ in range(2))
    body = first.split("<img")[0]
    assert first == again and "var(--ak-" in body and not re.findall(r"(?<!, )#[0-9a-f]{6}\b", body)
    assert all(f">{name}<" in body for name in "abc"), "words are text"


def test_a_kind_pulls_to_its_corner_as_hard_as_its_score():
    """Three kinds in a ring, the first at the top; equal scores leave an item in the middle."""
    ax = plots.pulled([[[2, 0, 0], [1, 0, 0]], [[0, 3, 0], [0, 1, 0]], [[0, 0, 1], [1, 1, 1]]], ["a", "b", "c"], star=np.array([0, 0, 2]), star_name="new")
    a, b, c, star = (np.asarray(dots.get_offsets()) for dots in ax.collections)
    assert np.allclose(a, [[0, 2], [0, 1]]) and np.allclose(np.linalg.norm(b, axis=1), [3, 1]) and np.allclose(c[1], 0)
    assert np.allclose(star, 2 * c[:1]) and c[0, 0] < 0 < b[0, 0]


def test_what_a_matrix_tells_apart_stands_on_both_sides_of_its_border():
    rng = np.random.default_rng(0)
    vectors, matrix = rng.normal(size=(9, 4)), rng.normal(size=(4, 2))
    scores, sorts = vectors @ matrix, np.array([0, 1] * 4 + [1])
    for marks, which in zip(plots.apart(vectors, matrix, sorts, ["no", "yes"]).collections, (0, 1), strict=True):
        assert ((np.asarray(marks.get_offsets())[:, 0] > 0) == (scores[sorts == which, 1] > scores[sorts == which, 0])).all()


BAD = [
    (lambda: plots.plane([1, 2], ["a"]), ValueError, r"points must have shape \(n, 2\), got \(2,\)"),
    (lambda: plots.pulled([[[1, 2]]], ["a"]), ValueError, r"\(kinds, k, kinds\) for 1 names, got \(1, 1, 2\)"),
    (lambda: plots.apart(np.ones((3, 4)), np.ones((4, 3)), [0, 1, 0], ["no", "yes"]), ValueError, r"a matrix \(4, 3\) and 3 sorts"),
]
