"""The figure of masks: which query may see which key."""

import re

import numpy as np
import pytest
from conftest import WIDE, node, on
from hand import CUT, alone, figure, fits, pages, press, says
from table import each

from attnkit import attention, causal_mask, softmax, window_mask
from bookkit.figures import MaskBuilder
from bookkit.pictures.formats import fixed

PAGES = pages(["mask_builder"])

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
        assert got["names"] == list(ours.presets) and [*got["names"], None][got["preset"]] == ours.preset


@each("padding", [0, 2])
def test_mask_builder_offers_the_masks_of_the_package(padding):
    n, plain = 6, ["all", "causal", "window"]
    real = np.arange(n) < n - padding
    wanted = {"all": np.ones((n, n), bool), "causal": causal_mask(n), "window": window_mask(n, 1)}
    wanted |= {"padding": np.tile(real, (n, 1)), "causal and padding": causal_mask(n) & real} if padding else {}
    ours = MaskBuilder(SENTENCE, SCORES, padding=padding)
    assert ours.preset == "causal" and list(ours.presets) == list(wanted) and (len(wanted) == 3 or list(wanted)[:3] == plain)
    cases = [{"scores": SCORES, "mask": mask.tolist(), "padding": padding} for mask in wanted.values()]
    for k, (name, got) in enumerate(zip(wanted, node("run_figures.js", {"figure": "mask_builder", "cases": cases}))):
        ours.mask = wanted[name]
        assert got["preset"] == k and ours.preset == name and np.array_equal(ours.presets[name], wanted[name])
        assert got["presets"] == [mask.tolist() for mask in wanted.values()]


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
@pytest.mark.parametrize("width", [1280, 360])
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


@pytest.mark.browser
def test_masks_to_choose_from(window, tmp_path):
    with window() as w:
        widget = MaskBuilder(SENTENCE, SCORES, padding=2)
        found = alone(w, tmp_path, widget)
        for name in ["window", "padding", "causal and padding", "all", "causal"]:
            press(found, name)
            widget.mask = widget.presets[name]
            assert chosen_mask(found) == [name]
            for i, (line, may) in enumerate(zip(widget.weights, widget.mask)):
                assert numbers(found, i) == [*[fixed(v) if m else "×" for v, m in zip(line, may)], "1.00"]
            assert f"In all, {np.sum(widget.mask)} of 36 squares are allowed." in says(w, found)


# ---- on the page of the book

@pytest.mark.browser
@on(PAGES, WIDE)
def test_a_hidden_word_leaves_its_weight_to_the_others(opened):
    """What the page foretells: *girl* hidden from *that*, and then a row with nothing in sight."""
    w, found = opened, figure(opened, "mask_builder")
    found.get_by_role("button", name="all", exact=True).click()
    found.get_by_role("gridcell", name=re.compile("^from that to girl")).or_(
        found.get_by_role("button", name=re.compile("^from that to girl"))).first.click()
    assert says(w, found).startswith("From “that”: 4 of 5 may be seen; their weights sum to 1")
    given = {name: float(found.locator(f"[aria-label^='from that to {name}:']").get_attribute("aria-label").split()[-1])
             for name in ("see", "that", "run")}
    assert max(given, key=given.get) == "run"
    for name in ("see", "that", "girl", "run", "(pad)"):
        found.locator(f"[aria-label^='from run to {name}:']").click()
    assert says(w, found).startswith("From “run”: nothing may be seen. Its weights are all 0, and so is its output.")
