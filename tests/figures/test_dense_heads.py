"""The figure of a dense layer as heads, each of which reads one place."""

import numpy as np
import pytest
from conftest import WIDE, node, on
from hand import CASES, figure, pages, rows, says

from attnkit import multi_head_attention
from bookkit.figures import DenseHeads
from bookkit.pictures.formats import compact, fixed

PAGES = pages(["dense_heads"])


def example():
    return DenseHeads([[1, 2], [3, -4]], [[1, 0.5, 0, -2]], caption="Cap.")


def shown(widget):
    return [fixed(v) for v in [*widget.weights.flat, *widget.reads.flat, *widget.pieces, widget.output, widget.exact]]


BAD = [
    (lambda: DenseHeads(np.zeros((5, 1)), np.zeros((1, 5))), ValueError, r"at most 4 of 3 numbers, got shape \(5, 1\)"),
    (lambda: DenseHeads([[1, 2]], [[1]]), ValueError, r"weight must have shape \(1, 2\), got \(1, 1\)"),
    (lambda: DenseHeads([[1]], [[1]], sharpness=41), ValueError, "sharpness must lie between 0 and 40, got 41"),
]

REFUSED = [("sharpness", -1, ValueError)]


# ---- the arithmetic, and Python's side

def test_dense_heads_arithmetic():
    rng = np.random.default_rng(13)
    cases = []
    for c in range(CASES):
        n, d = int(rng.integers(1, 5)), int(rng.integers(1, 4))
        cases.append({"items": rows(rng, n, d), "blocks": rows(rng, n, d), "sharpness": float(40 if c % 5 == 0 else rng.uniform(0, 20))})
    for case, got in zip(cases, node("run_figures.js", {"figure": "dense_heads", "cases": cases})):
        x, blocks, beta = (np.array(case[name]) for name in ("items", "blocks", "sharpness"))
        n, d = x.shape
        ours = DenseHeads(x, blocks.reshape(1, -1), beta.item())
        # The same by real projections: to the items their places are added, from which the scores are made.
        placed = np.hstack([x, np.eye(n)])
        place, item = (np.eye(d + n)[:, part] for part in (slice(d, None), slice(None, d)))
        queries = [np.vstack([np.zeros((d, n)), np.tile(beta * np.sqrt(n) * np.eye(n)[i], (n, 1))]) for i in range(n)]
        output, weights = multi_head_attention(placed, placed, placed, np.hstack(queries), np.hstack([place] * n), np.hstack([item] * n),
                                               blocks.reshape(-1, 1), num_heads=n)
        for theirs, own, whole in ((got["weights"], ours.weights, weights[:, 0]), (got["reads"], ours.reads, weights[:, 0] @ x),
                                   (got["output"], ours.output, output[0, 0]), (got["exact"], ours.exact, x.ravel() @ blocks.ravel())):
            assert np.allclose(theirs, whole, rtol=0, atol=1e-11) and np.allclose(own, whole, rtol=0, atol=1e-11)
        assert np.allclose(got["pieces"], ours.pieces, rtol=0, atol=1e-11) and np.isclose(sum(got["pieces"]), got["output"])
        gap = abs(got["output"] - got["exact"])
        assert got["gap"] == ("below 1e-13" if gap < 1e-13 else compact(gap))


# ---- on the page of the book

@pytest.mark.browser
@on(PAGES, WIDE)
def test_dense_heads_add_up_to_the_layer(opened):
    w, found = opened, figure(opened, "dense_heads")
    slider = found.get_by_role("slider")
    slider.press("Home")
    assert "The heads add up to 5.00, the layer gives 1.00" in says(w, found)
    slider.press("End")
    assert says(w, found).startswith("Sharpness 40.0: each head gives its own item the weight 1.00. The heads add up to 1.00")
    assert says(w, found).endswith("the difference is below 1e-13.")
