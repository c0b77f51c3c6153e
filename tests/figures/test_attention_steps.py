"""The figure of one query's way, step by step: queries and keys, scores, weights, output."""

import numpy as np
import pytest
from conftest import WIDE, node, on
from hand import CASES, figure, rows, says

from attnkit import attention
from bookkit.figures import AttentionSteps
from bookkit.pictures.formats import fixed

PAGES = ["further/queries_keys_values"]
TALL = ["1 query, keys", "2 scores", "clever"]


def example():
    return AttentionSteps([[1, 0.5], [0, -1]], [[0.3, 1], [1, 1]], [[2.0, 1], [-1, 3]], ["a", "b"], 1, 2, caption="Cap.")


def shown(widget):
    return [fixed(v) for v in [*widget.weights, *widget.output]]


BAD = [
    (lambda: AttentionSteps([[1, 0]], [[1]], [[1]], ["a"]), ValueError, r"keys must have shape \(1, 2\), got \(1, 1\)"),
    (lambda: AttentionSteps([[1]], [[1]], [[1]], ["a"], step=5), ValueError, "step must be from 0 to 4, the number of one of the steps"),
]

REFUSED = [("step", 9, ValueError), ("selected", True, TypeError)]


# ---- the arithmetic, and Python's side

def test_attention_steps_arithmetic():
    rng = np.random.default_rng(8)
    cases = []
    for _ in range(CASES):
        n, d, dv = (int(k) for k in rng.integers(1, 7, 3))
        cases.append({"queries": rows(rng, n, d), "key_rows": rows(rng, n, d), "values": rows(rng, n, dv),
                      "selected": int(rng.integers(n)), "scale": float(10 ** rng.uniform(-1, 1))})
    for case, got in zip(cases, node("run_figures.js", {"figure": "attention_steps", "cases": cases})):
        q, k, v = (np.array(case[name]) for name in ("queries", "key_rows", "values"))
        output, weights = attention(q[[case["selected"]]], k, v, scale=case["scale"])
        ours = AttentionSteps(q, k, v, [str(i) for i in range(len(q))], case["selected"], scale=case["scale"])
        assert np.allclose(got["scores"], case["scale"] * k @ q[case["selected"]], rtol=0, atol=1e-12)
        assert np.allclose(got["weighted"], weights[0][:, None] * v, rtol=0, atol=1e-12)
        for theirs, whole, own in ((got["weights"], weights[0], ours.weights), (got["output"], output[0], ours.output)):
            assert np.allclose(theirs, whole, rtol=0, atol=1e-12) and np.allclose(own, whole, rtol=0, atol=1e-12)


# ---- on the page of the book

@pytest.mark.browser
@on(PAGES, WIDE)
def test_steps_follow_one_word(opened):
    w, found = opened, figure(opened, "attention_steps")
    assert "“that” looks most at “girl”, weight 0.78" in says(w, found)
    found.get_by_role("button", name="1 query, keys").click()
    assert "looks most" not in says(w, found)                   # not before the weights are there
    found.get_by_role("button", name="clever", exact=True).click()
    for _ in range(2):
        found.get_by_role("button", name="Next step").click()
    assert "“clever” looks most at “girl”, weight 0.68" in says(w, found)
    for _ in range(2):
        found.get_by_role("button", name="Next step").click()
    assert "Output: (" in says(w, found)
