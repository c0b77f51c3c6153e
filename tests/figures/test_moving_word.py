"""The figure of a word that moves: found by attention anywhere, by a dense layer where it was trained."""

import numpy as np
import pytest
from conftest import WIDE, node, on
from hand import CASES, drag, figure, pages, rows, says

from bookkit.figures import MovingWord
from bookkit.pictures.formats import fixed

PAGES = pages(["moving_word"])


def moving(**changed):
    return MovingWord(**({"chatter": ["so", "I & you"], "answers": ["tea", "milk"], "vocabulary": ["milk", "so", "I & you", "tea"],
                          "dense_pieces": np.arange(24).reshape(3, 4, 2) / 10, "dense_bias": [0, 1], "word_scores": [2, 0, 1, 3],
                          "readings": np.eye(4)[:, :2], "read_bias": [0, 0], "seen": 1} | changed))


def example():
    return moving(caption="Cap.")


def shown(widget):
    return [*widget.sentence, *[fixed(v) for v in [*widget.weights, *widget.dense, *widget.attention]]]


BAD = [
    (lambda: moving(chatter=["so"] * 16), ValueError, "at most 16 words and 6 answers, got 17 and 2"),
    (lambda: moving(answers=["tea", "wine"]), ValueError, "not in the vocabulary: wine"),
    (lambda: moving(dense_pieces=np.zeros((3, 4, 3))), ValueError, r"dense_pieces must have shape \(3, 4, 2\), got \(3, 4, 3\)"),
    (lambda: moving(word_scores=[1, 2]), ValueError, r"word_scores must have shape \(4,\)"),
    (lambda: moving(seen=4), ValueError, "seen must be from 0 to 3, the number of one of the counts of places, got 4"),
    (lambda: moving(place=3), ValueError, "place must be from 0 to 2, the number of one of the places, got 3"),
    (lambda: moving(answer=-1), ValueError, "answer must be from 0 to 1, the number of one of the answers"),
]

REFUSED = [("place", 3, ValueError), ("answer", "tea", TypeError)]


# ---- the arithmetic, and Python's side

def test_moving_word_arithmetic():
    rng = np.random.default_rng(14)
    cases = []
    for _ in range(CASES):
        n, a, more = int(rng.integers(1, 9)), int(rng.integers(1, 5)), int(rng.integers(1, 5))
        words = [f"w{i}" for i in rng.permutation(a + more)]
        cases.append({"chatter": [str(w) for w in rng.choice(words, n - 1)], "answers": [str(w) for w in rng.choice(words, a, replace=False)],
                      "vocabulary": words, "dense_pieces": rows(rng, n, a + more, a), "dense_bias": rows(rng, a),
                      "word_scores": rows(rng, a + more), "readings": rows(rng, a + more, a), "read_bias": rows(rng, a),
                      "place": int(rng.integers(n)), "answer": int(rng.integers(a))})
    for case, got in zip(cases, node("run_figures.js", {"figure": "moving_word", "cases": cases})):
        ours = MovingWord(**case, seen=1)
        assert got["sentence"] == ours.sentence and len(ours.sentence) == len(case["chatter"]) + 1
        assert ours.sentence[case["place"]] == case["answers"][case["answer"]]
        for name in ("weights", "dense", "attention"):
            assert np.allclose(got[name], getattr(ours, name), rtol=0, atol=1e-12) and np.isclose(sum(got[name]), 1)


# ---- on the page of the book

@pytest.mark.browser
@on(PAGES, WIDE)
def test_moving_word_is_found_at_new_places_by_attention_only(opened):
    """In places of the training both models find the drink; in new ones attention always, the dense layer seldom."""
    w, found = opened, figure(opened, "moving_word")
    slider = found.get_by_role("slider")
    dense_right = 0
    slider.press("Home")
    for place in range(12):
        line = says(w, found)
        assert f"at place {place + 1}, {'as in training' if place < 6 else 'a new place'}" in line
        dense, attention = line.split(": the ")[1].split("; ")
        assert attention.endswith("right.") and (place >= 6 or dense.endswith("right"))
        dense_right += place >= 6 and dense.endswith("right")
        slider.press("ArrowRight")
    assert dense_right < 3
    found.get_by_role("button", name="juice").click()
    assert says(w, found).startswith("“juice” at place 12")
    # In the sentence itself the word goes where it is dragged, or where the sentence is pressed.
    places = found.locator(".ak-slot")
    places.nth(8).click()
    assert says(w, found).startswith("“juice” at place 9")
    boxes = [places.nth(k).bounding_box() for k in (8, 7)]
    drag(w, places.nth(8), boxes[1]["x"] - boxes[0]["x"], 0)
    assert says(w, found).startswith("“juice” at place 8")
