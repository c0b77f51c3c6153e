"""The figure of a dictionary that answers between its keys."""

import re

import numpy as np
import pytest
from conftest import WIDE, node, on
from hand import CASES, drag, figure, pages, says

from attnkit import softmax
from bookkit.figures import SoftDictionary
from bookkit.pictures.formats import fixed

PAGES = pages(["soft_dictionary"])
HELD = "svg .ak-hit"


def example():
    return SoftDictionary(["n", "e", "s"], [0, 90, 180], [3, 8, 20], 120, 2, "degrees", caption="Cap.")


def shown(widget):
    return [*[fixed(v) for v in widget.weights], fixed(widget.answer, 1)]


BAD = [
    (lambda: SoftDictionary(["a"], [400], [1]), ValueError, "angles must lie between 0 and 360"),
    (lambda: SoftDictionary(["a"], [40], [1], query=-1), ValueError, "query must lie between 0 and 360"),
    (lambda: SoftDictionary(["a"], [40], [1, 2]), ValueError, r"values must have shape \(1,\)"),
]

REFUSED = [("query", 361, ValueError), ("temperature", 0, ValueError)]


# ---- the arithmetic, and Python's side

def test_soft_dictionary_arithmetic():
    rng = np.random.default_rng(9)
    cases = []
    for _ in range(CASES):
        n = int(rng.integers(1, 9))
        cases.append({"angles": rng.uniform(0, 360, n).round(6).tolist(), "values": rng.uniform(-50, 50, n).round(6).tolist(),
                      "query": float(rng.uniform(0, 360)), "temperature": float(100 ** rng.uniform(-1, 1))})
    for case, got in zip(cases, node("run_figures.js", {"figure": "soft_dictionary", "cases": cases})):
        ours = SoftDictionary([str(i) for i in range(len(case["angles"]))], case["angles"], case["values"],
                              case["query"], case["temperature"])
        wanted = softmax(np.cos(np.radians(np.array(case["angles"]) - case["query"])) / case["temperature"])
        assert np.allclose(got["weights"], wanted, rtol=0, atol=1e-11) and np.allclose(ours.weights, wanted, rtol=0, atol=1e-11)
        assert np.isclose(got["answer"], ours.answer, rtol=0, atol=1e-9)


# ---- on the page of the book

@pytest.mark.browser
@on(PAGES, WIDE)
def test_soft_dictionary_sharpens_into_steps(opened):
    w, found = opened, figure(opened, "soft_dictionary")
    found.get_by_role("button", name=re.compile("^north ")).click()
    assert "answers 4.5 degrees" in says(w, found)
    found.get_by_role("slider", name="temperature").press("Home")
    assert "answers 3.0 degrees" in says(w, found)
    query = found.get_by_role("slider", name="query")
    query.evaluate("s => { s.value = 202.5; s.dispatchEvent(new Event('input', {bubbles: true})) }")
    assert "answers 19.5 degrees" in says(w, found)
    drag(w, found.locator(".ak-hit"), 150, -40)
    assert 60 < float(query.input_value()) < 150 and "answers 7.0 degrees" in says(w, found)
