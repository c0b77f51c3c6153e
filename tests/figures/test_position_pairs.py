"""The figure of two places under two schemes of positions."""

import numpy as np
import pytest
from conftest import node
from hand import CASES, CUT, alone, either_width, fits, says

from attnkit import relative_bias, rotary
from bookkit.figures import PositionPairs
from bookkit.figures.position_pairs import PLACES, WIDTH
from bookkit.pictures.formats import fixed


def pairs(**changed):
    return PositionPairs(**({"bias": [-0.9, 0.4, 1.1, -0.2, 0.3, 0.6, -0.5]} | changed))


def example():
    return pairs(caption="Cap.")


def shown(widget):
    return [fixed(v) for v in [*widget.bias, *widget.found["rotary"]]]


BAD = [
    (lambda: pairs(bias=[1, 2]), ValueError, "bias must hold an odd number of numbers, at most 65, got 2"),
    (lambda: pairs(bias=np.zeros(67)), ValueError, "at most 65, got 67"),
    (lambda: pairs(query=64), ValueError, "query must be from 0 to 63, the number of one of the places, got 64"),
    (lambda: pairs(key=-1), ValueError, "key must be from 0 to 63"),
]

REFUSED = [("query", 64, ValueError), ("key", 1.5, TypeError), ("bias", [1, 2], ValueError)]


# ---- the arithmetic, and Python's side

def test_position_pairs_arithmetic():
    rng = np.random.default_rng(31)
    made = [PositionPairs(rng.normal(size=2 * rng.integers(33) + 1), *map(int, rng.integers(PLACES, size=2))) for _ in range(CASES)]
    for ours, got in zip(made, node("run_figures.js", {"figure": "position_pairs", "cases": [widget.state() for widget in made]})):
        turned = rotary(np.tile([1.0, 0], (2, WIDTH // 2)), positions=[ours.query, ours.key])
        assert got["distance"] == ours.key - ours.query and ours.bias[got["slot"]] == got["bias"] == ours.found["bias"]
        assert np.isclose(got["bias"], relative_bias(np.array(ours.bias), PLACES)[ours.query, ours.key], rtol=0, atol=1e-12)
        assert np.allclose(got["rotary"], ours.found["rotary"], rtol=0, atol=1e-12)
        # The arrows that are drawn at these angles are what rotary makes of the vector (1, 0).
        assert np.allclose(got["angles"], ours.angles, rtol=0, atol=1e-12)
        assert np.allclose(np.cos(got["angles"]), turned[:, [2, 4]].T, atol=1e-12) and np.allclose(np.sin(got["angles"]), turned[:, [3, 5]].T, atol=1e-12)


# ---- alone on a page

@pytest.mark.browser
@either_width
def test_two_places_moved_together(window, tmp_path, width):
    with window(width=width) as w:
        found, whole = alone(w, tmp_path, pairs()), []
        query, key = (found.get_by_role("slider", name=f"{role} at place") for role in ("query", "key"))
        back, on, reset = found.get_by_role("button").all()

        def marks():
            return found.locator(".ak-head > .ak-small").all_inner_texts()

        def said():
            assert found.evaluate(CUT) == [] and fits(w)
            whole.append(found.bounding_box()["height"])
            return says(w, found)

        first, start = said(), found.inner_text()
        assert first == "Query at place 9, key at place 6, distance −3. This gives: relative bias −0.90, rotary 0.58 and 0.96." and marks() == ["", ""]
        on.press("Enter")
        assert "As before: relative bias" in said() and "Changed" not in said() and marks() == ["as before"] * 2
        key.press("ArrowRight")
        assert "As before" not in said() and marks() == ["changed"] * 2
        query.press("End")
        assert "As before" not in said() and "distance −55, as −3: −0.90" in found.inner_text()
        on.press("Enter")
        assert said() == "No room: one of the two stands at the last place." and on.get_attribute("aria-disabled") == "true"
        assert (query.input_value(), key.input_value()) == ("63", "8") and back.get_attribute("aria-disabled") == "false"
        reset.press("Enter")
        assert said() == first and found.inner_text() == start and max(whole) - min(whole) < 1, "the page below jumps"
        assert not w.errors
