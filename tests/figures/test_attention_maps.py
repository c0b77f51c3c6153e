"""The figure of maps: who looks at whom, read by rows and by columns."""

import numpy as np
import pytest
from conftest import WIDE, node, on
from hand import CASES, figure, says

from bookkit.figures import AttentionMaps
from bookkit.pictures.formats import fixed


def sentences():
    """Two sentences of different lengths, two steps, with and without the extras."""
    love = {"rows": ["je", "t'", "aime"], "columns": ["I", "love", "you"], "gold": [[0], [2], [1]], "said": ["je", "je t' aime"],
            "weights": [[[0.4, 0.3, 0.3]] * 3, [[0.94, 0.02, 0.04], [0.11, 0.01, 0.88], [0.03, 0.95, 0.02]]]}
    return [love, {"rows": ["le", "chat"], "columns": ["the", "black", "cat"], "weights": np.full((2, 2, 3), 1 / 3)}]


def example():
    return AttentionMaps(sentences(), ["0", "500"], step_name="training steps", rows_language="fr", caption="Cap.")


def shown(widget):
    return [fixed(v) for v in widget.weights.flat]


def given(widget):
    """What the script's arithmetic starts from: the maps of the example that is shown."""
    return {"weights": widget.examples[widget.example]["weights"], "step": widget.step, "word": widget.word}


BAD = [
    (lambda: AttentionMaps([]), ValueError, "examples must be 1 to 12, got 0"),
    (lambda: AttentionMaps(sentences()), ValueError, r"weights of examples\[0\] must have shape \(1, 3, 3\), got \(2, 3, 3\)"),
    (lambda: AttentionMaps([{**sentences()[0], "rows": ["je"]}], ["0", "1"]), ValueError, r"rows of examples\[0\] must be 2 to 12, got 1"),
    (lambda: AttentionMaps([{**sentences()[0], "said": ["je"]}], ["0", "1"]), ValueError, r"said of examples\[0\] must hold one for each of 2 steps"),
    (lambda: AttentionMaps([{**sentences()[0], "gold": [[0]]}], ["0", "1"]), ValueError, "must hold one for each of 3 rows"),
    (lambda: AttentionMaps([{**sentences()[0], "gold": [[0], [3], []]}], ["0", "1"]), ValueError, "must be from 0 to 2, the number of one of the columns, got 3"),
    (lambda: AttentionMaps([{**sentences()[1], "weights": np.full((2, 2, 3), 0.3)}], ["0", "1"]), ValueError, "sum to one, got a sum of 0.9"),
    (lambda: AttentionMaps(sentences(), ["0", "1"], step=2), ValueError, "step must be from 0 to 1, the number of one of the steps"),
]

REFUSED = [("example", 2, ValueError), ("step", 2.0, TypeError), ("word", ["row", 3], ValueError), ("word", ["side", 0], ValueError)]
CHANGED = ("example", 1)


# ---- the arithmetic, and Python's side

def test_attention_maps_arithmetic():
    rng = np.random.default_rng(11)
    cases = []
    for _ in range(CASES):
        n, m, steps = (int(k) for k in rng.integers([2, 2, 1], [13, 13, 5]))
        side = str(rng.choice(["row", "column"]))
        cases.append({"weights": rng.dirichlet(np.ones(m) * 0.3, (steps, n)).round(3).tolist(), "step": int(rng.integers(steps)),
                      "word": [side, int(rng.integers(n if side == "row" else m))]})
    for case, got in zip(cases, node("run_figures.js", {"figure": "attention_maps", "cases": cases})):
        steps, n, m = np.shape(case["weights"])
        ours = AttentionMaps([{"rows": ["r"] * n, "columns": ["c"] * m, "weights": case["weights"]}], [str(t) for t in range(steps)])
        ours.step, ours.word = case["step"], case["word"]
        side, k = case["word"]
        wanted = np.array(case["weights"])[case["step"]][(k, slice(None)) if side == "row" else (slice(None), k)]
        assert got["numbers"] == ours.shown == wanted.tolist()
        assert np.isclose(got["sum"], wanted.sum(), rtol=0, atol=1e-12)


# ---- on the page of the book

@pytest.mark.browser
@on(["chapters/translation"], WIDE)
def test_attention_maps_look_both_ways(opened):
    w, found = opened, figure(opened, "attention_maps")
    looks, looked = found.locator("tbody"), found.get_by_role("group", name=": looked at")

    def numbers():
        lit = found.locator("td:is([data-lit=row], [data-lit=column])").filter(visible=True)
        return [float(text) for text in lit.all_inner_texts()]

    late = found.locator(".ak-said").inner_text()
    assert max(numbers()) > 0.9, "it opens with what was learned"
    found.get_by_role("slider").press("Home")
    assert found.locator(".ak-said").inner_text() != late and max(numbers()) < 0.6, "untrained, it looks everywhere"
    found.get_by_role("slider").press("End")
    looks.get_by_role("button", name="t'", exact=True).hover()
    assert says(w, found).startswith("“t'” looks at “you” with 0.") and "Right: “you”." in says(w, found)
    assert numbers()[2] == max(numbers()) and abs(sum(numbers()) - 1) < 0.02
    looked.get_by_role("button", name="love", exact=True).focus()
    assert says(w, found).startswith("“love” is looked at by “aime” with 0.9")
    assert numbers()[2] == max(numbers())
    found.locator("tbody tr").nth(0).locator("td").nth(1).click()
    assert looks.get_by_role("button", name="je").get_attribute("aria-pressed") == "true"
    found.locator("select").select_option(index=3)
    assert found.locator("tbody tr").filter(visible=True).count() == 9
    sides = {round(cell.bounding_box()["width"]) for cell in found.locator(".ak-heat").filter(visible=True).all()}
    assert len(sides) <= 2 and min(sides) >= 24, "the matrix is made of squares of one size"
