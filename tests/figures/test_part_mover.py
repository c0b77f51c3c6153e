"""The figure of two texts side by side, and of parts that are moved between them."""

import numpy as np
import pytest
from conftest import node
from hand import alone, drag, either_width, fits, says
from random_models import random_storyteller
from test_machine import STORY

from bookkit.figures import PartMover
from bookkit.lessons import storyteller
from bookkit.lessons.stories import errors, other_receivers, other_words, stories
from bookkit.pictures.formats import fixed

OTHER = STORY.replace("gave the key to him", "gave the key back to her")


def example():
    return PartMover(random_storyteller(3), {"met Zoe": ("Zoe met the Rex .", "Rex met the Zoe .")}, caption="Cap.")


def shown(widget):
    runs = widget.runs()
    pair = [widget.model.words[runs[name]["scores"][-1].argmax()] for name in ("this", "other")]
    if pair[0] == pair[1]:
        pair[1] = widget.model.words[np.argsort(-runs["this"]["scores"][-1], kind="stable")[1]]
    return [fixed(v, plus=True) for v in widget.model.contributions(runs["other"], *pair).values()]


BAD = [
    (lambda: PartMover(random_storyteller(3), {"a": "Zoe"}), TypeError, "the pair 'a' must be two texts, got 'Zoe'"),
    (lambda: PartMover(random_storyteller(3), {"a": ("Zoe", "Ann")}), ValueError, "the pair 'a' must hold words that the model knows, not 'Ann'"),
]
REFUSED = [("moves", [[2, 0, 1]], ValueError), ("moves", [[0, 0]], ValueError), ("other", ["<start>", "Ann"], ValueError), ("pair", 1, ValueError)]
CHANGED = ("moves", [[0, 1, 1]])


def given(figure):
    return {"packed": figure.packed, "story": figure.story, "other": figure.other, "moves": figure.moves}


def test_changed_and_patched_runs_are_the_same_in_the_page():
    """Stories with another receiver, each with some parts moved or taken out: all scores, to 1e-9."""
    model, rng, figures = storyteller.trained(), np.random.default_rng(36), []
    for story in stories(180, seed=352):
        for changed, _ in other_receivers(story)[:1]:
            this = story[:story.index("now") + 5] if "now" in story else story[:20]
            figure = PartMover(model, {"changed": (" ".join(this), " ".join(changed))})
            parts = [(layer, head) for layer in range(2) for head in range(-1, 4)]
            figure.moves = [[*parts[k], int(rng.integers(2))] for k in rng.choice(10, rng.integers(0, 4), replace=False)]
            figures.append(figure)
    figures = figures[:60]
    assert len(figures) == 60
    largest = 0
    for figure, got in zip(figures, node("run_figures.js", {"figure": "part_mover", "cases": [given(figure) for figure in figures]}), strict=True):
        runs = figure.runs()
        for ours, theirs in (("this", "ours"), ("other", "theirs"), ("changed", "changed")):
            largest = max(largest, np.abs(runs[ours]["scores"][-1] - got[theirs]).max())
    print(f"\nlargest difference {largest:.0e}")
    assert largest < 1e-9


def test_other_words_keep_a_story_right():
    words = STORY.split()
    found = other_words(words)
    assert found[0] == [(name, False) for name in ("Ben", "Sam", "Tom")] and len(found) == len(words)
    for k, place in enumerate(found):
        for word, everywhere in place:
            changed = [word if i == k or everywhere and i > k and old == words[k] else old for i, old in enumerate(words)]
            assert {kind for kind, _ in errors(changed)} <= {"unfinished"}, changed


# ---- alone on a page

@pytest.mark.browser
@either_width
def test_one_head_flips_the_answer(window, tmp_path, width):
    """By key, by dragging, and back; a word is changed where the grammar has another."""
    with window(width=width) as w:
        found = alone(w, tmp_path, PartMover(storyteller.trained(), {"back to her": (STORY, OTHER), "a word": (STORY, STORY)}, other_words))
        assert says(w, found) == "This story ends with “Max”, the other one with “Eva”. Which part makes the difference?"
        put = found.get_by_role("button", name="put in head 2 of layer 2 of the other story")
        put.press("Enter")
        assert says(w, found) == "With head 2 of layer 2 put in: the answer flips to “Eva”, 1.00." and put.get_attribute("aria-pressed") == "true"
        put.press("Enter")
        found.get_by_role("button", name="put in head 2 of layer 1 of the other story").click()
        assert "the answer stays “Max”" in says(w, found)
        found.get_by_role("button", name="Reset").click()
        w.page.wait_for_function("f => !f.getAnimations({subtree: true}).length", arg=found.element_handle())      # all are on their lines
        crossed = found.locator("[data-moved='1']")
        there, here = (find.bounding_box()["x"] for find in (put, found.get_by_role("button", name="take out head 2 of layer 2")))
        drag(w, put, (here - there) / 3, 0)
        assert crossed.count() == 0, "it was let go before the middle"
        w.settle()      # it goes back to its line
        drag(w, put, here - there, 0)
        assert says(w, found).startswith("With head 2 of layer 2 put in: the answer flips") and "head 2" in crossed.inner_text()
        found.get_by_role("button", name="a word").click()
        assert says(w, found).startswith("Both stories end with “Max”")
        found.get_by_role("group", name="a word to change").get_by_role("button", name="forest").click()
        found.get_by_role("group", name="Other words").get_by_role("button", name="park").press("Enter")
        assert "park" in found.get_by_role("group", name="a word to change").inner_text() and fits(w) and not w.errors
