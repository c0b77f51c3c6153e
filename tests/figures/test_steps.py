"""The figures that are gone through by steps: what all of them calculate, say and let a reader do."""

import re

import numpy as np
import pytest
from conftest import node
from hand import CASES, about, alone, either_width, those_with

from bookkit.figures import base

KINDS = [kind for kind in base.kinds() if "steps" in base.scripts(kind)]
every_kind = pytest.mark.parametrize("kind", KINDS)


@every_kind
def test_the_formulas_find_what_numpy_finds(kind):
    rng = np.random.default_rng(8)
    widgets, wanted = zip(*(those_with("calculated")[kind](rng) for _ in range(CASES)))
    found = node("run_figures.js", {"figure": kind, "cases": [widget.state() for widget in widgets]})
    for got, matrices in zip(found, wanted):
        for name, numbers in matrices.items():
            assert np.allclose(got[name], numbers, rtol=0, atol=1e-11), name


READ = """f => [...f.querySelectorAll('.ak-say, .ak-code, .ak-live, .ak-title')].map(e => e.textContent)"""


@pytest.mark.browser
@every_kind
@either_width
def test_every_step_is_told_in_whole_sentences_and_nothing_moves(watched, tmp_path, kind, width):
    """By the keyboard, too: the arrow leads from step to step, Enter takes it."""
    widget = about(kind).example()
    with watched(width=width, reduced_motion="reduce") as w:
        found = alone(w, tmp_path, widget)
        steps = found.get_by_role("group", name="step").get_by_role("button")
        texts, heights = [], set()
        steps.first.press("Enter")
        for k, step in enumerate(widget.steps):
            assert steps.nth(k).inner_text() == f"{k + 1} {step['name']}" and steps.nth(k).get_attribute("aria-pressed") == "true"
            w.settle()
            texts.append(found.evaluate(READ))
            assert step["code"].partition("<")[0] in texts[-1][-2]
            heights.add(found.bounding_box()["height"])
            steps.nth(k).press("ArrowRight")
            w.page.keyboard.press("Enter")
        assert len(heights) == 1
        assert not [text for text in sum(texts, []) if re.search("undefined|NaN|null|[<>]", text)]
        assert len({told[-1] for told in texts}) == len(widget.steps)
        found.get_by_role("button", name="Next step").click()
        assert steps.first.get_attribute("aria-pressed") == "true", "after the last comes the first"
