"""The figure of the first chapter: a reader's tastes times films, ranked."""

import numpy as np
import pytest
from conftest import WIDE, node, on
from hand import CASES, figure, pages, tenths

from attnkit import attention, softmax
from bookkit.figures import MovieMatcher
from bookkit.pictures.formats import fixed

PAGES = pages(["movie_matcher"])


def example():
    return MovieMatcher([0.8, -0.5], [[0.9, -0.6], [-0.8, 0.9]], ["A & B", "C"], ["action", "romance"], caption="Cap.")


def shown(widget):
    return [fixed(v, plus=True) for v in [*widget.products.flat, *widget.scores]]


BAD = [
    (lambda: MovieMatcher([0.8], [[0.9, -0.6]], ["A"], ["x", "y"]), ValueError, r"user must have shape \(2,\), got \(1,\)"),
    (lambda: MovieMatcher([2, 0], [[0.9, -0.6]], ["A"], ["x", "y"]), ValueError, "user must lie between -1 and 1"),
    (lambda: MovieMatcher([1, 0], [[0.9, -0.6]], [], ["x", "y"]), ValueError, "films of shape"),
]

REFUSED = [("user", [3, 0], ValueError)]


# ---- the arithmetic, and Python's side

def test_movie_matcher_arithmetic():
    rng = np.random.default_rng(1)
    cases = []
    for _ in range(CASES):
        n, d = rng.integers(1, 8, 2)
        cases.append({"user": tenths(rng, d), "films": tenths(rng, n, d)})
    for case, got in zip(cases, node("run_figures.js", {"figure": "movie_matcher", "cases": cases})):
        n, d = np.shape(case["films"])
        ours = MovieMatcher(case["user"], case["films"], [str(i) for i in range(n)], [str(k) for k in range(d)])
        assert np.allclose(got["products"], ours.products, rtol=0, atol=1e-12)
        assert np.allclose(got["scores"], np.array(case["films"]) @ np.array(case["user"]), rtol=0, atol=1e-12)
        assert got["order"] == ours.order
        # The same scores are what attention makes its weights from.
        weights = attention(np.array([case["user"]]), np.array(case["films"]), np.ones((n, 1)), scale=1.0)[1]
        assert np.allclose(softmax(np.array(got["scores"], dtype=float)), weights[0], atol=1e-12)


# ---- on the page of the book


@pytest.mark.browser
@on(PAGES, WIDE)
def test_movie_matcher_ranks(opened):
    found = figure(opened, "movie_matcher")

    def titles():
        return [t.split(". ")[1] for t in found.locator("tbody th").all_inner_texts()]

    assert titles() == ["Thunder Run", "The Great Mix-up", "Quiet Harbour", "Letters in May"]
    found.get_by_role("button", name="Change every sign").click()
    assert titles() == ["Letters in May", "Quiet Harbour", "The Great Mix-up", "Thunder Run"]
    for slider in found.get_by_role("slider").all():
        slider.press("Home")
    assert titles()[0] == "Quiet Harbour"
    assert found.locator("tbody tr").first.locator("td strong").all_inner_texts() == ["+0.90", "+0.80", "+0.30", "+2.00"]
    assert found.get_by_role("slider").first.get_attribute("aria-valuetext") == "−1.0, strongly dislikes it"
