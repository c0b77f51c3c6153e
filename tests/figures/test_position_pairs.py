"""The figure of two places under schemes of positions, all five or some."""

import numpy as np
import pytest
from conftest import WIDE, node, on
from hand import CUT, alone, figure, fits, live, press, says

from attnkit import alibi, relative_bias, rotary, sinusoidal
from bookkit.figures import PositionPairs
from bookkit.pictures.formats import fixed


def pairs(**changed):
    rng = np.random.default_rng(8)
    given = {"learned": rng.normal(size=(12, 16)).round(2), "bias": [-0.9, 0.4, 1.1, -0.2, 0.3, 0.6, -0.5]}
    return PositionPairs(**(given | changed))


def example():
    return pairs(caption="Cap.")


def shown(widget):
    return [fixed(v) for v in [*np.ravel([*widget.vectors.values()]), *widget.bias, widget.found["sinusoidal"],
                               widget.found["learned"], widget.found["alibi"], *widget.found["rotary"]]]


BAD = [
    (lambda: pairs(learned=np.zeros((12, 8))), ValueError, r"learned must have shape \(any, 16\), got \(12, 8\)"),
    (lambda: pairs(learned=np.zeros((65, 16))), ValueError, "at most 64 rows, one for each place, got 65"),
    (lambda: pairs(learned=np.full((2, 16), 101)), ValueError, "learned must lie between -100 and 100"),
    (lambda: pairs(bias=[1, 2]), ValueError, "bias must hold an odd number of numbers, at most 65, got 2"),
    (lambda: pairs(bias=np.zeros(67)), ValueError, "at most 65, got 67"),
    (lambda: pairs(slope=11), ValueError, "slope must lie between 0 and 10, got 11"),
    (lambda: pairs(width=7), ValueError, "width must be an even number from 6 to 32, got 7"),
    (lambda: pairs(width=4), ValueError, "from 6 to 32, got 4"),
    (lambda: pairs(width=34), ValueError, "from 6 to 32, got 34"),
    (lambda: pairs(places=1), ValueError, "places must be from 2 to 128, got 1"),
    (lambda: pairs(places=129), ValueError, "places must be from 2 to 128, got 129"),
    (lambda: pairs(query=64), ValueError, "query must be from 0 to 63, the number of one of the places, got 64"),
    (lambda: pairs(key=-1), ValueError, "key must be from 0 to 63"),
    (lambda: pairs(schemes=["rope"]), ValueError, "schemes must be some of 'sinusoidal', .*, got .'rope'"),
    (lambda: pairs(schemes=[]), ValueError, "schemes must be some of"),
]

REFUSED = [("query", 64, ValueError), ("key", 1.5, TypeError), ("bias", [1, 2], ValueError), ("slope", -1, ValueError)]


# ---- the arithmetic, and Python's side

def test_some_schemes_alone():
    """What is not shown is not asked for, and stands in no table; the order is the figure's own."""
    two = PositionPairs(bias=[0.5, 0.0, -0.5], schemes=["rotary", "bias"])
    assert two.schemes == ["bias", "rotary"] and two.learned == []
    still = two.still()
    assert "relative bias" in still and "rotary" in still and "sinusoidal" not in still and "learned" not in still and "ALiBi" not in still
    assert "<th scope=\"col\">distance</th>" not in PositionPairs(schemes=["rotary"]).still()


def test_position_pairs_arithmetic():
    rng = np.random.default_rng(31)
    figures_ = []
    for _ in range(300):
        places, width = int(rng.integers(2, 129)), 2 * int(rng.integers(3, 17))
        learned = rng.normal(size=(rng.integers(1, places + 1), width))
        query, key = (int(rng.integers(places)) for _ in range(2))
        figures_.append(PositionPairs(learned, rng.normal(size=2 * rng.integers(33) + 1), float(rng.uniform(0, 3)), width, places, query, key))
    for ours, got in zip(figures_, node("run_figures.js", {"figure": "position_pairs", "cases": [widget.state() for widget in figures_]})):
        two, table = [ours.query, ours.key], np.array(ours.learned)
        waves = sinusoidal(ours.places, ours.width)[two]
        turned = rotary(np.tile([1.0, 0], (2, ours.width // 2)), positions=two)
        wanted = {"sinusoidal": waves[0] @ waves[1], "bias": relative_bias(np.array(ours.bias), ours.places)[tuple(two)],
                  "learned": table[two[0]] @ table[two[1]] if max(two) < len(table) else None,
                  "alibi": None if two[1] > two[0] else alibi(np.array(ours.slope), ours.places)[tuple(two)],
                  "rotary": [turned[0, k:k + 2] @ turned[1, k:k + 2] for k in (2, 4)]}
        assert got["distance"] == ours.distance == two[1] - two[0]
        for scheme, value in wanted.items():
            assert (got[scheme] is None) == (value is None) == (ours.found[scheme] is None), scheme
            if value is not None:
                assert np.allclose(got[scheme], value, rtol=0, atol=1e-12) and np.allclose(ours.found[scheme], value, rtol=0, atol=1e-12), scheme
        assert np.allclose(got["vectors"]["sinusoidal"], waves, rtol=0, atol=1e-12) and np.array_equal(ours.vectors["sinusoidal"], waves)
        assert got["vectors"]["learned"] == [ours.learned[place] if place < len(table) else None for place in two]
        assert [None if v is None else v.tolist() for v in ours.vectors["learned"]] == got["vectors"]["learned"]
        assert np.allclose(got["angles"], ours.angles, rtol=0, atol=1e-12)
        # The arrows that are drawn at these angles are what rotary makes of the vector (1, 0).
        assert np.allclose(np.cos(got["angles"]), turned[:, [2, 4]].T, atol=1e-12) and np.allclose(np.sin(got["angles"]), turned[:, [3, 5]].T, atol=1e-12)
        assert ours.bias[got["slot"]] == got["bias"]


def test_position_pairs_moved_together():
    """Only the learned vectors make something else of two places at the same distance."""
    first, later = pairs(), pairs(query=10, key=7)
    assert first.distance == later.distance == -3
    for scheme in ("sinusoidal", "bias", "alibi", "rotary"):
        assert np.allclose(first.found[scheme], later.found[scheme], atol=1e-12), scheme
    assert abs(first.found["learned"] - later.found["learned"]) > 0.01
    assert not np.allclose(first.vectors["sinusoidal"], later.vectors["sinusoidal"], atol=0.1)


def test_position_pairs_without_a_row_and_in_the_future():
    widget = pairs(query=11, key=12)
    assert widget.found["learned"] is None and widget.found["alibi"] is None and widget.vectors["learned"][1] is None
    still = widget.still()
    assert "no row: the table has 12" in still and "hidden, it looks back only" in still and still.count("<td>no row</td>") == 16
    assert pairs(query=12, key=12).found["alibi"] == 0 and "−0.25 × 0 = 0.00" in pairs(query=12, key=12).still()
    assert "−0.25 × 3 = −0.75" in pairs().still()


# ---- alone on a page

def marks(found):
    """What each panel says of the last move."""
    return found.locator(".ak-head > .ak-small").all_inner_texts()


def drawn(found, *selectors):
    """How the parts of the drawings lie now."""
    return [found.locator(s).evaluate_all("all => all.map(e => e.getAttribute('transform') || e.getAttribute('d') || e.getAttribute('aria-label'))")
            for s in selectors]


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 600, 360])
def test_two_places_moved_together(window, tmp_path, width):
    with window(width=width) as w:
        widget = pairs()
        found, whole = alone(w, tmp_path, widget), []
        start = found.inner_text()
        query, key = (found.get_by_role("slider", name=f"{role} at place") for role in ("query", "key"))
        back, on, reset = found.get_by_role("button").all()
        assert [button.inner_text() for button in (back, on, reset)] == ["Both one place back", "Both one place on", "Reset"]

        def shown():
            widget.query, widget.key = int(query.input_value()), int(key.input_value())
            said = says(w, found)
            assert said.startswith(f"Query at place {widget.query}, key at place {widget.key}, distance {fixed(widget.distance, 0)}.")
            numbers = [v for v in np.hstack([[value] if np.isscalar(value) else value for value in widget.found.values() if value is not None])]
            assert all(fixed(v) in said for v in numbers) and f"distance i − j = {fixed(widget.distance, 0)}" in found.inner_text()
            assert found.evaluate(CUT) == [] and fits(w)
            whole.append(found.bounding_box()["height"])
            return said

        assert shown().endswith("This gives: sinusoidal {}, learned {}, relative bias −0.90, ALiBi −0.75, rotary {} and {}.".format(
            *map(fixed, (widget.found["sinusoidal"], widget.found["learned"], *widget.found["rotary"]))))
        assert marks(found) == [""] * 5
        stays, moves = [".ak-pointer", ".ak-dot"], [".ak-frame", ".ak-needle"]
        before = drawn(found, *stays), drawn(found, *moves)
        on.press("Enter")
        assert "As before: sinusoidal" in shown() and marks(found) == ["as before", "changed", "as before", "as before", "as before"]
        assert drawn(found, *stays) == before[0] and all(a != b for a, b in zip(drawn(found, *moves), before[1]))
        found.evaluate("f => { document.documentElement.dataset.theme = 'dark'; }")      # drawn again, but nothing has been moved
        assert "As before: sinusoidal" in shown() and marks(found)[1] == "changed"
        back.press("Space")
        assert (drawn(found, *stays), drawn(found, *moves)) == before and shown().endswith(f"Changed: learned {fixed(widget.found['learned'])}.")
        key.press("ArrowRight")
        assert marks(found) == ["changed"] * 5 and "As before" not in shown() and drawn(found, ".ak-pointer") != before[0][:1]
        query.press("End")
        said = shown()
        assert "learned without a row" in said and "distance −56, as −3: −0.90" in found.inner_text()
        assert found.locator(".ak-none").filter(visible=True, has_text="no row: the table has 12").count() == 1
        on.press("Enter")
        assert says(w, found) == "No room: one of the two stands at the last place." and on.get_attribute("aria-disabled") == "true"
        assert (query.input_value(), key.input_value()) == ("63", "7") and back.get_attribute("aria-disabled") == "false"
        query.press("Home")
        assert "ALiBi hidden" in shown() and "hidden, it looks back only" in found.inner_text() and not found.locator(".ak-dot").is_visible()
        back.press("Enter")
        assert says(w, found) == "No room: one of the two stands at the first place." and back.get_attribute("aria-disabled") == "true"
        key.press("End")
        assert marks(found) == ["changed", "changed", "as before", "as before", "changed"] and "distance 63, as 3: −0.50" in found.inner_text()
        shown()
        reset.press("Enter")
        shown()
        assert found.inner_text() == start and marks(found) == [""] * 5 and (drawn(found, *stays), drawn(found, *moves)) == before
        assert max(whole) - min(whole) < 1, "the page below jumps"
        assert not w.errors


@pytest.mark.browser
def test_two_places_set_in_python(window, tmp_path):
    """Live, the kernel hears of both places at once, and the figure follows the kernel."""
    with window() as w:
        found = live(w, tmp_path, pairs(), "query", "key")
        press(found, "Both one place on")
        assert w.page.evaluate("sent") == [[10, 7]]
        w.page.evaluate("model.set('key', 10)")
        assert "distance 0." in says(w, found) and "−0.25 × 0 = 0.00" in found.inner_text() and "rotary 1.00 and 1.00" in says(w, found)
        # Where the arrows meet, their letters stand apart.
        boxes = [letter.bounding_box() for letter in found.locator(".ak-circle").first.locator(".ak-letter").all()]
        assert abs(boxes[0]["x"] - boxes[1]["x"]) + abs(boxes[0]["y"] - boxes[1]["y"]) > 10


# ---- on the page of the book

@pytest.mark.browser
@on(["chapters/positions"], WIDE)
def test_two_places_moved_together_change_nothing(opened):
    w, found = opened, figure(opened, "position_pairs")
    assert says(w, found).startswith("Query at place 9, key at place 8, distance −1")
    found.get_by_role("button", name="Both one place on").click()
    words = says(w, found)
    assert "As before: relative bias" in words and "Changed" not in words, words
