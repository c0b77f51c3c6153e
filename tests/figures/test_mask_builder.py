"""The figure of masks: which query may see which key."""


import numpy as np
import pytest
from conftest import node
from hand import CUT, alone, either_width, fits, says

from attnkit import attention, causal_mask, softmax, window_mask
from bookkit.figures import MaskBuilder
from bookkit.pictures.formats import fixed

SENTENCE = ["Mary", "gave", "it", "to", "[pad]", "[pad]"]

SCORES = [[0.4, -1.2, 2, 0.3, 1, 0], [1.5, 0, -0.5, 1, 0.2, 2], [0.9, 1.1, 0, -2, 1, 0.5],
          [0, 0.7, 1.3, 0.2, -1, 1], [1, 1, 0, 0.5, 2, 0], [0.3, 0, 1, -0.4, 0.6, 0.8]]

THREE = {"words": ["a & b", "b", "c"], "scores": [[1, 0, 2], [2, 2, 5], [0, 0, 0]]}


def building(**changed):
    return MaskBuilder(**(THREE | changed))


def example():
    return MaskBuilder(["a & b", "b", "c"], [[1, 0, 2], [2, 2, 5], [0, 0, 0]], caption="Cap.")


def shown(widget):
    return [*[fixed(v) for v in [*widget.weights[np.array(widget.mask)], *widget.weights.sum(axis=1)]], "×"]


BAD = [
    (lambda: building(words=["a", "b"]), ValueError, "words must be 3 to 8, got 2"),
    (lambda: building(words=list("abcdefghi")), ValueError, "words must be 3 to 8, got 9"),
    (lambda: building(scores=[[1, 2, 3]]), ValueError, r"scores must have shape \(3, 3\), got \(1, 3\)"),
    (lambda: building(mask=np.ones((3, 3))), TypeError, "mask must be boolean, True where a query may attend to a key"),
    (lambda: building(mask=np.ones((3, 2), bool)), ValueError, r"mask must have shape \(3, 3\), got \(3, 2\)"),
    (lambda: building(padding=2), ValueError, "padding must leave at least two words, got 2 of 3"),
]

REFUSED = [("mask", [[True, False]], ValueError), ("mask", [[1, 0, 1]] * 3, TypeError), ("row", 3, ValueError)]


# ---- the arithmetic, and Python's side

def test_mask_builder_arithmetic():
    """The weights are those of attention under that mask, with large scores and with rows that may see nothing."""
    rng = np.random.default_rng(21)
    cases = []
    for k in range(300):
        n = int(rng.integers(3, 9))
        scores = rng.uniform(-1, 1, (n, n)) * 10 ** rng.uniform(-1, np.log10(700))
        if k % 4 == 0:
            scores = rng.choice([-700.0, 0.0, 700.0], (n, n))
        mask = rng.random((n, n)) < rng.uniform(0.1, 0.9)
        mask[rng.random(n) < 0.2] = False
        cases.append({"scores": scores.round(6).tolist(), "mask": mask.tolist(), "padding": int(rng.integers(n - 1))})
    assert sum(not any(row) for case in cases for row in case["mask"]) > 200
    for case, got in zip(cases, node("run_figures.js", {"figure": "mask_builder", "cases": cases})):
        whole, mask = np.array(case["scores"]), np.array(case["mask"])
        one = np.ones((len(whole), 1))
        wanted = attention(one, one, one, mask=mask, score=lambda query, key, whole=whole: whole)[1]
        ours = MaskBuilder([str(i) for i in range(len(whole))], whole, mask, padding=case["padding"])
        assert np.allclose(got["weights"], wanted, rtol=0, atol=1e-12) and np.allclose(ours.weights, wanted, rtol=0, atol=1e-12)
        assert np.allclose(got["sums"], mask.any(axis=1), rtol=0, atol=1e-12)
        assert not np.array(got["weights"])[~mask].any() and ours.mask == case["mask"]


def masks(padding, n=6):
    real = np.arange(n) < n - padding
    plain = {"all": np.ones((n, n), bool), "causal": causal_mask(n), "window": window_mask(n, 1)}
    return plain | ({"padding": np.tile(real, (n, 1)), "causal and padding": causal_mask(n) & real} if padding else {})


@pytest.mark.parametrize("padding", [0, 2])
def test_mask_builder_offers_the_masks_of_the_package(padding):
    wanted = masks(padding)
    [got] = node("run_figures.js", {"figure": "mask_builder", "cases": [{"scores": SCORES, "mask": SCORES, "padding": padding}]})
    assert dict(zip(got["names"], got["presets"], strict=True)) == {name: mask.tolist() for name, mask in wanted.items()}


# ---- alone on a page

def between(found, query, key, k=0):
    """The square of a query and a key; words that stand twice count from k."""
    return found.get_by_role("button", name=f"from {query} to {key}: ").nth(k)


def numbers(found, row):
    """What stands in the squares of a row, and their sum."""
    return found.locator("tbody tr").nth(row).locator("td").all_inner_texts()


def chosen_mask(found):
    return found.locator(".ak-buttons [aria-pressed=true]").all_inner_texts()


@pytest.mark.browser
@either_width
def test_a_mask_is_built_by_hand(window, tmp_path, width):
    with window(width=width, has_touch=width == 360) as w:
        found = alone(w, tmp_path, MaskBuilder(SENTENCE, SCORES, padding=2))
        use = (lambda button: button.tap()) if width == 360 else (lambda button: button.click())
        causal = [fixed(v) for v in softmax(np.array(SCORES[2][:3]))]
        start = "From “it”: 3 of 6 may be seen; their weights sum to 1. In all, 21 of 36 squares are allowed."
        assert numbers(found, 2) == [*causal, "×", "×", "×", "1.00"] and chosen_mask(found) == ["causal"] and says(w, found) == start
        square = between(found, "it", "gave")
        assert square.get_attribute("aria-label") == f"from it to gave: allowed, weight {causal[1]}" and square.get_attribute("aria-pressed") == "true"
        use(square)
        left = [fixed(v) for v in softmax(np.array([0.9, 0]))]
        assert numbers(found, 2) == [left[0], "×", left[1], "×", "×", "×", "1.00"] and chosen_mask(found) == []
        assert square.get_attribute("aria-label") == "from it to gave: hidden" and square.get_attribute("aria-pressed") == "false"
        assert says(w, found) == "From “it”: 2 of 6 may be seen; their weights sum to 1. In all, 20 of 36 squares are allowed."
        assert numbers(found, 3)[-1] == "1.00" and numbers(found, 3)[1] == fixed(softmax(np.array(SCORES[3][:4]))[1]), "another row moves"
        use(between(found, "it", "it"))
        assert says(w, found).startswith("From “it”: 1 of 6 may be seen; its weight is 1. ") and numbers(found, 2)[0] == "1.00"
        use(between(found, "it", "Mary"))
        assert numbers(found, 2) == [*"××××××", "0.00"]
        assert says(w, found) == ("From “it”: nothing may be seen. Its weights are all 0, and so is its output. "
                                    "Plain code would give NaN: the exponentials sum to 0, and 0/0 is not a number.")
        assert fits(w) and found.evaluate(CUT) == []
        use(between(found, "gave", "[pad]", 1))
        assert numbers(found, 1)[5] != "×" and says(w, found).startswith("From “gave”: 3 of 6 may be seen;")
        assert found.locator("tr[data-row=told] th").inner_text() == "gave"
        use(found.get_by_role("button", name="Reset"))
        assert numbers(found, 2) == [*causal, "×", "×", "×", "1.00"] and chosen_mask(found) == ["causal"] and says(w, found) == start
        assert found.locator("tr[data-row=told] th").inner_text() == "it" and not w.errors
