"""The figure of attention as three products of matrices, cell by cell."""

import numpy as np
import pytest
from conftest import DARK_PHONE, WIDE, on
from hand import figure, pages, rows, says

from attnkit import attention
from bookkit.figures import MatrixStepper
from bookkit.pictures import palette
from bookkit.pictures.formats import fixed

PAGES = pages(["matrix_stepper"])


def example():
    return MatrixStepper([[1, 0.5], [0, -1]], [[0.3, 1], [1, 1]], [[2.0], [-1]], ["a", "b"], cell=(0, 1), caption="Cap.")


def shown(widget):
    return [fixed(v) for x in (widget.scores, widget.weights, widget.outputs) for v in x.flat]


BAD = [
    (lambda: MatrixStepper([[1]], [[1]], [[1]], ["a"], cell=(0, 1)), ValueError, "column must be 0, the number of one of the columns"),
]

REFUSED = [("column", 9, ValueError), ("selected", 2, ValueError), ("step", 3, ValueError)]


def calculated(rng):
    n, m, d, dv = (int(k) for k in rng.integers(1, 7, 4))
    queries, keys, values = (np.array(rows(rng, *shape)) for shape in ((n, d), (m, d), (m, dv)))
    scale, names = float(10 ** rng.uniform(-1, 1)), [[str(i) for i in range(k)] for k in (n, m)]
    ours = MatrixStepper(queries, keys, values, *names, scale=scale)
    outputs, weights = attention(queries, keys, values, scale=scale)
    wanted = {"S": scale * queries @ keys.T, "A": weights, "Y": outputs}
    for numbers, own in zip(wanted.values(), (ours.scores, ours.weights, ours.outputs)):
        assert np.allclose(own, numbers, rtol=0, atol=1e-12)
    return ours, wanted


# ---- on the page of the book

@pytest.mark.browser
@on(PAGES, WIDE)
def test_frames_have_the_colours_of_their_roles(opened):
    colours = opened.page.evaluate("""() => Object.fromEntries([...document.querySelectorAll('.ak-figure .ak-frame')].map(e =>
        [e.className.match(/ak-frame-(\\w+)/)?.[1], getComputedStyle(e).borderTopColor]))""")
    for role in ("query", "key"):          # the others are empty places in the first step
        red, green, blue = (int(palette.ROLES[role].light[k:k + 2], 16) for k in (1, 3, 5))
        assert colours[role] == f"rgb({red}, {green}, {blue})"


@pytest.mark.browser
@on(PAGES, DARK_PHONE)
def test_matrix_stepper_shows_each_sum(opened):
    w, found = opened, figure(opened, "matrix_stepper")
    found.get_by_role("button", name="score, row that, column girl").click()
    assert "“that” meets “girl”: 0.71 · (3.40·2.00 + −0.20·−0.60) = 4.89" in says(w, found)
    found.get_by_role("button", name="2 weights").click()
    assert "the sum of the row's exponentials: 0.98" in says(w, found)
    found.get_by_role("button", name="score, row run, column run").click()     # a cell of another result leads to its step
    assert "“run” meets “run”" in says(w, found)
    found.get_by_role("button", name="3 outputs").click()
    assert "number 3 of its output" in says(w, found)            # there are only three columns now
    assert all(b.bounding_box()["x"] + b.bounding_box()["width"] <= 360
               for b in found.get_by_role("button").filter(visible=True).all())
