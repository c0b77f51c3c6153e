"""The figure of score functions: which key a query finds best, anywhere in the plane."""

import numpy as np
import pytest
from conftest import WIDE, node, on
from hand import CASES, alone, drag, figure, pages, press, rows, says

from attnkit import scores, softmax
from bookkit.figures import ScoreField
from bookkit.pictures.formats import fixed

PAGES = pages(["score_field"])
HELD = "svg .ak-hit"


def field(**changed):
    one = [[1], [1]]
    return ScoreField(**({"keys": [[1, 2]], "query": [0, 1], "weight": np.eye(2), "w_query": one, "w_key": one, "bias": [0], "v": [1], "words": ["a"]} | changed))


def example():
    return ScoreField([[1, 0.5], [-2, 1]], [1, 2], [[0, 1], [1, 0]], [[1], [0.5]], [[1], [-1]], [0.3], [2], ["a", "b"], "general", caption="Cap.")


def shown(widget):
    return [fixed(v) for v in [*widget.scores, *widget.weights]]


BAD = [
    (lambda: field(keys=[[4, 0]]), ValueError, "keys must lie between -3 and 3"),
    (lambda: field(keys=np.zeros((7, 2)), words=list("abcdefg")), ValueError, "words must be 1 to 6, got 7"),
    (lambda: field(query=[1, 2, 3]), ValueError, r"query must have shape \(2,\), got \(3,\)"),
    (lambda: field(weight=[[1]]), ValueError, r"weight must have shape \(2, 2\)"),
    (lambda: field(w_query=np.ones((2, 17))), ValueError, "w_query must have at most 16 columns, got 17"),
    (lambda: field(w_key=np.ones((2, 2))), ValueError, r"w_key must have shape \(2, 1\), got \(2, 2\)"),
    (lambda: field(bias=[1, 2]), ValueError, r"bias must have shape \(1,\), got \(2,\)"),
    (lambda: field(v=[1, 2]), ValueError, r"v must have shape \(1,\), got \(2,\)"),
    (lambda: field(score="angle"), ValueError, "score must be one of dot, scaled dot, distance, cosine, general, additive, got 'angle'"),
]

REFUSED = [("query", [4, 0], ValueError), ("score", "angle", ValueError)]


# ---- the arithmetic, and Python's side

def test_score_field_arithmetic():
    rng = np.random.default_rng(12)
    cases = []
    for c in range(CASES):
        m, hidden = (int(k) for k in rng.integers(1, 7, 2))
        cases.append({"key_rows": rng.uniform(-3, 3, (m, 2)).round(6).tolist(),
                      "query": [0, 0] if c % 9 == 0 else rng.uniform(-3, 3, 2).round(6).tolist(),
                      "weight": rows(rng, 2, 2), "w_query": rows(rng, 2, hidden), "w_key": rows(rng, 2, hidden),
                      "bias": rows(rng, hidden), "v": rows(rng, hidden), "score": ScoreField.SCORES[c % 6]})
    for case, got in zip(cases, node("run_figures.js", {"figure": "score_field", "cases": cases})):
        names = ("key_rows", "query", "weight", "w_query", "w_key", "bias", "v")
        keys, query, weight, w_query, w_key, bias, v = (np.array(case[name], dtype=float) for name in names)
        function = {"dot": scores.dot, "scaled dot": scores.scaled_dot, "cosine": scores.cosine, "distance": scores.distance,
                    "general": lambda q, k, w=weight: scores.general(q, k, w),
                    "additive": lambda q, k, given=(w_query, w_key, v, bias): scores.additive(q, k, *given)}[case["score"]]
        s = function(query[None], keys)[0]
        ours = ScoreField(keys, query, weight, w_query, w_key, bias, v, [str(i) for i in range(len(keys))], case["score"])
        for theirs, own, whole in ((got["scores"], ours.scores, s), (got["weights"], ours.weights, softmax(s))):
            assert np.allclose(theirs, whole, rtol=0, atol=1e-12) and np.allclose(own, whole, rtol=0, atol=1e-12)


# ---- alone on a page

LINES = """figure => [...figure.querySelectorAll('.ak-level')].filter(text => text.style.display !== 'none').map(text => {
    const [x, y] = text.getAttribute('transform').match(/[-.0-9]+/g).map(Number);
    return [Number(text.textContent.replace('−', '-')), (x - 160) / 48, (160 - y) / 48]; })"""


@pytest.mark.browser
def test_the_lines_of_a_field_have_the_scores_that_are_on_them(window, tmp_path):
    given = {"keys": [[-1, 2]], "query": [2.1, 1.3], "weight": [[0.5, 2], [-1, 1]], "w_query": np.eye(2), "w_key": [[1, 0.3], [0, 1]], "bias": [0.5, -1],
             "v": [3, -2]}
    numbers = {}
    with window(width=800) as w:
        found = alone(w, tmp_path, field(**given))
        for score in ScoreField.SCORES:
            press(found, score)
            lines = found.evaluate(LINES)
            assert all(abs(field(**given | {"keys": [place], "score": score}).scores[0] - number) < 0.05 for number, *place in lines), score
            numbers[score] = {number for number, *_ in lines}
            assert all(number % 2 == 0 for number in numbers[score])
        assert numbers["scaled dot"] < numbers["dot"] and numbers["cosine"] == {0} and max(numbers["distance"]) == -2
        assert len(numbers["dot"]) > 6 and len(numbers["distance"]) > 6, "most lines find a place for their number"


# ---- on the page of the book

@pytest.mark.browser
@on(PAGES, WIDE)
def test_score_fields_best_key_depends_on_the_score(opened):
    w, found = opened, figure(opened, "score_field")
    best = {"dot": "far", "scaled dot": "far", "distance": "near", "cosine": "along", "general": "left", "additive": "near"}
    for score, key in best.items():
        found.get_by_role("button", name=score, exact=True).click()
        assert f"finds “{key}” best" in says(w, found), score
    found.get_by_role("button", name="cosine").click()
    drag(w, found.locator(".ak-hit"), -60, 60)         # the query in another direction
    assert "finds “along” best" not in says(w, found)


@pytest.mark.browser
@on(PAGES, WIDE)
def test_dragging_selects_no_words(opened):
    found = figure(opened, "score_field")
    found.scroll_into_view_if_needed()
    names = found.locator("svg text.ak-text").filter(visible=True)
    one, other = names.first.bounding_box(), found.locator("svg").first.bounding_box()
    opened.page.mouse.move(one["x"] + 2, one["y"] + one["height"] / 2)
    opened.page.mouse.down()
    opened.page.mouse.move(other["x"] + other["width"] - 9, other["y"] + other["height"] - 9, steps=8)
    opened.page.mouse.up()
    assert opened.page.evaluate("String(getSelection())").strip() == ""
