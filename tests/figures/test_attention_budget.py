"""The figure of weights that sum to one, and of the average that they make."""

import re

import numpy as np
import pytest
from conftest import WIDE, node, on
from hand import AXES, CASES, POINTS, WORDS, alone, either_width, figure, fits, pages, says

from bookkit.figures import AttentionBudget
from bookkit.pictures.formats import fixed

PAGES = pages(["attention_budget"])
HELD = "svg .ak-hit"

READERS = {"Mia": [0.01, 0.03, 0.05, 0.43, 0.48], "Ben": [0.77, 0.1, 0.1, 0.01, 0.02]}


def reading(weights=(1, 0, 0), readers=None, count=3):
    return AttentionBudget(list(weights), POINTS[:count], WORDS[:count], AXES, readers or {})


def example():
    return AttentionBudget([0.5, 0.2, 0.3], [[0.5, -1], [1, 0.2], [-0.3, 0.7]], ["a & b", "b", "c"], ["x", "y"], {"Mia": [0, 0.25, 0.75]}, caption="Cap.")


def shown(widget):
    return [fixed(v) for v in [*widget.weights, *widget.readers["Mia"], *widget.average]]


BAD = [
    (lambda: reading([0.5, 0.6, 0]), ValueError, "sum to one, got a sum of 1.1"),
    (lambda: reading([1.5, -0.5, 0]), ValueError, "weights must lie between 0 and 1"),
    (lambda: AttentionBudget([0.5, 0.5], [[0, 0], [1, 1]], ["a"], ["x", "y"], {}), ValueError, "got 1 and 2"),
    (lambda: reading([1], count=1), ValueError, "at least two"),
    (lambda: reading(readers={"Mia": [0.5, 0.6, 0]}), ValueError, "Mia's weights must sum to one, got a sum of 1.1"),
    (lambda: reading(readers={"Ben": [0.5, 0.5]}), ValueError, r"Ben's weights must have shape \(3,\), got \(2,\)"),
]

REFUSED = [("weights", [1, 1, 1], ValueError)]


def test_attention_budget_arithmetic():
    rng = np.random.default_rng(5)
    cases = []
    for k in range(CASES):
        n = int(rng.integers(2, 8))
        weights = np.eye(n)[rng.integers(n)] if k % 10 == 0 else rng.dirichlet(np.ones(n))
        cases.append({"weights": weights.tolist(), "points": rng.uniform(-1, 1, (n, 2)).tolist(),
                      "word": int(rng.integers(n)), "share": 1.0 if k % 7 == 0 else float(rng.uniform())})
    for case, got in zip(cases, node("run_figures.js", {"figure": "attention_budget", "cases": cases})):
        before, now, word = np.array(case["weights"]), np.array(got["weights"]), case["word"]
        assert np.isclose(now.sum(), 1) and now[word] == case["share"] and np.allclose(got["average"], now @ case["points"], rtol=0, atol=1e-12)
        # What the others have stays in proportion, or alike where they had nothing.
        kept, left = np.delete(before, word), np.delete(now, word)
        assert np.allclose(left, (kept / kept.sum() if kept.sum() > 1e-9 else 1 / len(kept)) * (1 - case["share"]), rtol=0, atol=1e-12)


# ---- alone on a page

MEETING = """figure => { const boxes = [...figure.querySelectorAll('.ak-plane :is(text, circle:not(.ak-hit))')].map(e => [e.textContent, e.getBoundingClientRect()]);
    const rest = 3;   // what a line of text has above and below its letters
    return boxes.flatMap(([name, a], i) => name ? boxes.filter(([, b], j) => j !== i && a.left < b.right && b.left < a.right
        && a.top + rest < b.bottom - rest && b.top + rest < a.bottom - rest).map(([other]) => `${name} meets ${other || "a point"}`) : []) }"""


@pytest.mark.browser
@either_width
def test_budget_of_named_readers(window, tmp_path, width):
    with window(width=width, reduced_motion="reduce") as w:
        found = alone(w, tmp_path, reading(READERS["Mia"], READERS, 5))
        mia, ben, even, reset = found.get_by_role("button").all()
        assert says(w, found) == "The weights sum to 1.00. The average z is (0.46, 0.63). These are Mia's weights: “chase” weighs most, 0.48."
        assert not found.evaluate(MEETING) and (mia.get_attribute("aria-pressed"), ben.get_attribute("aria-pressed")) == ("true", "false")
        ben.press("Enter")
        assert found.locator(".ak-out").all_inner_texts() == ["0.77", "0.10", "0.10", "0.01", "0.02"] and not found.evaluate(MEETING)
        assert ben.get_attribute("aria-pressed") == "true"
        assert says(w, found) == "The weights sum to 1.00. The average z is (−0.70, −0.48). These are Ben's weights: “dull” weighs most, 0.77."
        even.press("Space")
        assert says(w, found) == "The weights sum to 1.00. The average z is (0.00, 0.08). All words weigh the same, 0.20." and not found.evaluate(MEETING)
        found.get_by_role("slider", name="dull").press("Home")
        assert says(w, found).endswith("“start”, “but”, “stunning” and “chase” weigh most, 0.25 each.")
        assert not found.locator("button[aria-pressed=true]").count()
        reset.press("Enter")
        assert "Mia's weights" in says(w, found) and mia.get_attribute("aria-pressed") == "true"
        assert fits(w) and not w.errors


@pytest.mark.browser
def test_the_average_glides_to_a_readers_weights(watched, tmp_path):
    """After a button it is on its way for a while; after a slider it is there at once, and where less motion is wished."""
    there = "f => f.querySelector('.ak-of-output').getAttribute('transform')"
    press = "([f, name]) => { [...f.querySelectorAll('button')].find(b => b.textContent === name).click(); return (" + there + ")(f) }"
    with watched(reduced_motion="reduce") as w:
        found = alone(w, tmp_path, reading(READERS["Mia"], READERS, 5))
        handle = found.element_handle()
        ben, mia = (w.page.evaluate(press, [handle, f"{name}'s weights"]) for name in ("Ben", "Mia"))
        assert ben != mia, "less motion was asked for, and z is not there at once"
        w.page.emulate_media(reduced_motion="no-preference")
        assert w.page.evaluate(press, [handle, "Ben's weights"]) == mia, "z does not start where it is"
        w.page.wait_for_function(f"f => ({there})(f) === '{ben}'", arg=handle)
        at_once = found.evaluate("""f => { const slider = f.querySelectorAll('input')[3]; slider.value = 1;
            slider.dispatchEvent(new Event('input', {bubbles: true})); return f.querySelector('.ak-of-output').getAttribute('transform') }""")
        assert at_once == "translate(272.7 97.4)"


# ---- on the page of the book

@pytest.mark.browser
@on(PAGES, WIDE)
def test_z_is_pulled_and_stays_within_the_outline(opened):
    """Within the outline z follows the pointer; pushed out of it, it stays at its edge; the weights always sum to one."""
    w, found = opened, figure(opened, "attention_budget")
    drawing = found.locator("svg.ak-plane")
    drawing.scroll_into_view_if_needed()
    place = drawing.bounding_box()
    hull = [tuple(map(float, p.split())) for p in re.findall(r"[\d.]+ [\d.]+", found.locator(".ak-hull").get_attribute("d"))]
    middle = [sum(p[k] for p in hull) / len(hull) for k in (0, 1)]
    unit = place["width"] / 320
    for target, near in ((middle, 3), ((316, 316), 400)):
        box = found.locator(".ak-hit").bounding_box()
        w.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        w.page.mouse.down()
        w.page.mouse.move(place["x"] + target[0] * unit, place["y"] + target[1] * unit, steps=5)
        w.page.mouse.up()
        at = [float(v) for v in re.findall(r"[\d.]+", found.locator("circle.ak-of-output").get_attribute("transform"))]
        assert max(abs(a - b) for a, b in zip(at, target)) <= near
        sides = [(b[0] - a[0]) * (at[1] - a[1]) - (b[1] - a[1]) * (at[0] - a[0]) for a, b in zip(hull, hull[1:] + hull[:1])]
        assert min(sides) >= -60 or max(sides) <= 60, "z has left the outline"
        assert "The weights sum to 1.00." in says(w, found)
    assert sum(float(t) for t in found.locator(".ak-out").all_inner_texts()) == pytest.approx(1, abs=0.03)
