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
