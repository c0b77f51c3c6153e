"""The figure of points that attend to one another in a plane."""

import numpy as np
import pytest
from conftest import WIDE, node, on
from hand import CASES, drag, figure, pages, says

from attnkit import attention
from bookkit.figures import AttentionPlane
from bookkit.pictures.formats import fixed

PAGES = pages(["attention_plane"])
HELD = "svg .ak-hit, .ak-names > button"


def example():
    return AttentionPlane([[1, 0.5], [-1, 1.5], [0.3, -1]], ["a", "b", "c"], selected=1, caption="Cap.")


def shown(widget):
    return [fixed(v) for v in [*widget.weights.flat, *widget.outputs.flat]]


BAD = [
    (lambda: AttentionPlane([[3, 0]], ["a"]), ValueError, "points must lie between -1.5 and 1.5"),
    (lambda: AttentionPlane([[1, 0]], ["a"], selected=1), ValueError, "selected must be 0, the number of one of the points, got 1"),
    (lambda: AttentionPlane([[1, 0]], ["a"], ["x"]), ValueError, "features must be two names, got 1"),
    (lambda: AttentionPlane([[1, 0]], ["a"], scale=99), ValueError, "scale must lie between 0.1 and 10, got 99"),
]

REFUSED = [("points", [[0, 0]], ValueError), ("moved", 7, ValueError)]
CHANGED = ("points", [[0, 0]] * 3)


# ---- the arithmetic, and Python's side

def test_attention_plane_arithmetic():
    rng = np.random.default_rng(7)
    cases = [{"points": rng.uniform(-1.5, 1.5, (int(rng.integers(1, 9)), 2)).round(6).tolist(), "scale": float(10 ** rng.uniform(-1, 1))}
             for _ in range(CASES)]
    for case, got in zip(cases, node("run_figures.js", {"figure": "attention_plane", "cases": cases})):
        x = np.array(case["points"])
        output, weights = attention(x, x, x, scale=case["scale"])
        ours = AttentionPlane(x, [str(i) for i in range(len(x))], scale=case["scale"])
        for theirs, whole, own in ((got["weights"], weights, ours.weights), (got["outputs"], output, ours.outputs)):
            assert np.allclose(theirs, whole, rtol=0, atol=1e-12) and np.allclose(own, whole, rtol=0, atol=1e-12)


# ---- on the page of the book

@pytest.mark.browser
@on(PAGES, WIDE)
def test_dragged_points_keep_outputs_inside_the_hull(opened):
    w, found = opened, figure(opened, "attention_plane")
    status = says(w, found)
    drag(w, found.locator(".ak-hit").nth(3), 60, 40)           # run
    assert says(w, found) != status and "run stands at" in says(w, found)
    assert found.get_by_role("combobox", name="moves").input_value() == "run"
    for asks in ("see", "that", "girl", "run"):
        found.get_by_role("group", name="asks").get_by_role("button", name=asks).click()
        inside = found.evaluate("""f => { const hull = f.querySelector('.ak-hull'), svg = f.querySelector('svg');
            const circles = [...f.querySelectorAll('circle.ak-of-output')];
            return circles.length === 5 && circles.every(c => { const p = svg.createSVGPoint();
              [p.x, p.y] = c.getAttribute('transform').match(/-?[\\d.]+/g).map(Number);
              return hull.isPointInFill(p) || hull.isPointInStroke(p); }) }""")
        assert inside
    # The word that asks at the origin: all alike.
    for name in ("left, right", "down, up"):
        slider = found.get_by_role("slider", name=name)
        slider.evaluate("s => { s.value = 0; s.dispatchEvent(new Event('input', {bubbles: true})) }")
    assert "run asks and looks at all alike" in says(w, found)
