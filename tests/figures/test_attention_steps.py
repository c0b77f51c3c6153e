"""The figure of one query's way, step by step: queries and keys, scores, weights, output."""

import numpy as np
import pytest
from conftest import WIDE, on
from hand import figure, pages, rows, says

from attnkit import attention
from bookkit.figures import AttentionSteps
from bookkit.pictures.formats import fixed

PAGES = pages(["attention_steps"])
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


def calculated(rng):
    n, d, dv = (int(k) for k in rng.integers(1, 7, 3))
    queries, keys, values = (np.array(rows(rng, n, k)) for k in (d, d, dv))
    selected, scale = int(rng.integers(n)), float(10 ** rng.uniform(-1, 1))
    ours = AttentionSteps(queries, keys, values, [str(i) for i in range(n)], selected, scale=scale)
    output, weights = attention(queries[[selected]], keys, values, scale=scale)
    assert np.allclose(ours.weights, weights[0], rtol=0, atol=1e-12) and np.allclose(ours.output, output[0], rtol=0, atol=1e-12)
    return ours, {"q": queries[[selected]], "scores": scale * queries[[selected]] @ keys.T, "weights": weights,
                  "weighted": weights[0][:, None] * values, "output": output}


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
