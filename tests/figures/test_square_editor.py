"""The figure of arrays as squares that can be edited, with names at their sides."""

import numpy as np
import pytest
from conftest import WIDE, node, on
from hand import AXES, CASES, POINTS, WORDS, alone, either_width, figure, fits, pages, says, tenths

from bookkit.figures import SquareEditor
from bookkit.pictures.formats import fixed

PAGES = pages(["square_editor"])


def example():
    return SquareEditor([[0.9, -0.4], [0.1, 0.5]], caption="Cap.")


def shown(widget):
    return [fixed(v, 1) for v in widget.array.flat]


BAD = [
    (lambda: SquareEditor([0.5, 0.5]), ValueError, r"numbers must have shape \(any, any\), got \(2,\)"),
    (lambda: SquareEditor(np.zeros((7, 2))), ValueError, "at most 6 by 6, got 7 by 2"),
    (lambda: SquareEditor([[0.1], [0.2, 0.3]]), ValueError, "numbers is no array of numbers"),
    (lambda: SquareEditor([[0.1], [0.2]], row_names=["a"]), ValueError,
     r"row_names must hold 2 names for numbers of shape \(2, 1\), got \['a'\]"),
    (lambda: SquareEditor([[0.1], [0.2]], column_names=["a", "b"]), ValueError, "column_names must hold 1 names"),
]

REFUSED = [("numbers", [], ValueError)]
CHANGED = ("numbers", [[0.5]])


# ---- the arithmetic, and Python's side

def test_square_editor_arithmetic():
    rng = np.random.default_rng(2)
    cases = [{"numbers": tenths(rng, *rng.integers(1, 7, 2))} for _ in range(CASES)]
    for case, got in zip(cases, node("run_figures.js", {"figure": "square_editor", "cases": cases})):
        ours = SquareEditor(case["numbers"])
        assert got["shape"] == list(ours.array.shape)
        assert got["transposed"] == ours.array.T.tolist()
        assert got["code"] == ours.code
        assert np.array_equal(eval(got["code"], {"np": np}), ours.array)
        assert got["texts"] == [[fixed(v, 1) for v in row] for row in case["numbers"]]


# ---- alone on a page

def named(found):
    """The names beside the rows and above the columns."""
    return [found.locator(where).all_inner_texts() for where in ("th:has(+ td)", "tr:first-child > th:not(:has(+ td))")]


@pytest.mark.browser
@either_width
def test_squares_with_names(window, tmp_path, width):
    with window(width=width) as w:
        found = alone(w, tmp_path, SquareEditor(POINTS, row_names=WORDS, column_names=AXES))
        assert named(found) == [WORDS, AXES] and says(w, found).endswith(" 10 squares in all. Row dull, column praise holds −0.9.")
        found.get_by_label("row stunning, column action", exact=True).focus()
        slider = found.get_by_role("slider")
        assert slider.get_attribute("aria-valuetext") == "+0.5, row stunning, column action"
        slider.press("ArrowRight")
        assert says(w, found).endswith("Row stunning, column action holds 0.6.") and "[0.9, 0.6]" in found.locator("code").inner_text()
        found.get_by_role("button", name="transpose").press("Enter")
        assert named(found) == [AXES, WORDS] and found.get_by_label("row action, column stunning", exact=True).input_value() == "0.6"
        for thing in ("row", "column"):
            found.get_by_role("button", name=f"one {thing} more").press("Enter")
        assert named(found) == [[*AXES, ""], [*WORDS, ""]] and found.get_by_label("row 3, column 6", exact=True).count() == 1
        assert fits(w)
        for _ in range(2):
            found.get_by_role("button", name="one column fewer").press("Enter")
        found.get_by_role("button", name="one column more").press("Enter")
        assert named(found)[1] == [*WORDS[:4], ""], "a column that was taken away is a new one when it comes again"
        found.get_by_role("button", name="Reset").press("Enter")
        assert named(found) == [WORDS, AXES] and found.get_by_label("row chase, column action", exact=True).input_value() == "0.9"
        assert not w.errors


# ---- on the page of the book

@pytest.mark.browser
@on(PAGES, WIDE)
def test_square_editor_edits(opened):
    w, found = opened, figure(opened, "square_editor")
    square = found.get_by_label("row loud, column action", exact=True)
    square.fill("0.25")
    square.press("Enter")
    X = eval(found.locator("code").inner_text().split("=", 1)[1], {"np": np})            # noqa: S307
    n, d = X.shape
    assert X[0, 1] == 0.3 and d == 2
    square.fill("many")
    square.press("Tab")
    assert "“many” is not a number from −1 to 1" in says(w, found)
    assert square.input_value() == "0.3"
    found.get_by_role("button", name="transpose").click()
    assert found.locator(".ak-shape").inner_text() == f"shape (2, {n})"
    assert found.get_by_label("row praise, column lovely", exact=True).input_value() == f"{X[2, 0]:g}".replace("-", "−")
    for _ in range(5):
        more = found.get_by_role("button", name="one row more")
        if more.is_enabled():
            more.click()
    assert found.locator(".ak-shape").inner_text() == f"shape (6, {n})" and more.is_disabled()
