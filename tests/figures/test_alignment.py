"""The figure of the cover: where each French word looks."""

import numpy as np
import pytest
from conftest import WIDE, node, on
from hand import CASES, figure, pages

from attnkit import softmax
from bookkit.figures import Alignment
from bookkit.pictures.formats import fixed

PAGES = pages(["alignment"])


def example():
    return Alignment([[0.94, 0.06], [0.2, 0.8]], ["je", "t'"], ["I", "you"], query_lang="fr", caption="Cap.")


def shown(widget):
    return [fixed(v) for v in widget.tempered.flat]


BAD = [
    (lambda: Alignment([[0.5, -0.5]], ["a"], ["b", "c"]), ValueError, "weights must lie"),
    (lambda: Alignment([[0.0, 0.0]], ["a"], ["b", "c"]), ValueError, "above zero"),
    (lambda: Alignment([[0.5, 0.5]], ["a"], ["b"]), ValueError, r"weights must have shape \(1, 1\), got \(1, 2\)"),
    (lambda: Alignment([[0.5, 0.5]], ["a"], ["b", "c"], selected=4), ValueError, "the query words, got 4"),
]

REFUSED = [("temperature", 0, ValueError)]
CHANGED = ("temperature", 3)


# ---- the arithmetic, and Python's side

def test_alignment_arithmetic():
    rng = np.random.default_rng(3)
    cases = []
    for _ in range(CASES):
        weights = rng.dirichlet(np.ones(rng.integers(2, 9)) * 0.5, size=rng.integers(1, 6)).round(4) + 1e-4
        weights /= weights.sum(axis=1, keepdims=True)
        cases.append({"weights": weights.tolist(), "temperature": float(10 ** rng.uniform(-1, 1))})
    for case, got in zip(cases, node("run_figures.js", {"figure": "alignment", "cases": cases})):
        wanted = softmax(np.log(np.array(case["weights"])), temperature=case["temperature"])
        rows_, columns = ([str(k) for k in range(n)] for n in wanted.shape)
        ours = Alignment(case["weights"], rows_, columns)
        ours.temperature = case["temperature"]
        assert np.allclose(got, wanted, rtol=0, atol=1e-12) and np.allclose(ours.tempered, wanted, rtol=0, atol=1e-7)


def test_alignment_keeps_a_weight_of_zero():
    case = {"weights": [[0.5, 0.0, 0.5]], "temperature": 3.0}
    assert node("run_figures.js", {"figure": "alignment", "cases": [case]}) == [[[0.5, 0, 0.5]]]


# ---- on the page of the book

@pytest.mark.browser
@on(PAGES, WIDE)
def test_alignment_shows_where_each_word_looks(opened):
    found = figure(opened, "alignment", k=opened.page.locator(".ak-figure[data-ak-kind=alignment]").count() - 1)      # the cover's, wherever it is

    def weights():
        return found.locator(".ak-weight").all_inner_texts()

    assert weights() == ["0.11", "0.01", "0.88"] and not found.get_by_role("slider").count()
    for word, row in (("aime", ["0.03", "0.95", "0.02"]), ("je", ["0.94", "0.02", "0.04"])):
        found.get_by_role("button", name=word).hover()
        assert weights() == row
        widest = found.evaluate("f => [...f.querySelectorAll('path')].map(p => parseFloat(p.style.strokeWidth) * (p.style.strokeOpacity > .2))")
        assert widest.index(max(widest)) // 3 == ["je", "t'", "aime"].index(word)


@pytest.mark.browser
def test_no_gap_on_the_cover_without_scripts(watched, site):
    with watched(java_script_enabled=False) as w:
        w.page.goto(f"{site}/{PAGES[0]}.html")
        still = w.page.locator("[data-ak-figure=alignment]")
        inside = max(box["y"] + box["height"] for box in (e.bounding_box() for e in still.locator(":scope > *").all()) if box)
        box = still.bounding_box()
        assert box["y"] + box["height"] - inside < 40
