"""The figure of two names that change places: what heads and positions make of it."""

import numpy as np
import pytest
from conftest import WIDE, node, on
from hand import CASES, figure, pages, says

from bookkit.figures import SwappedWords
from bookkit.pictures.formats import compact, fixed

PAGES = pages(["swapped_words"])


def layers(rng, n=4, d=3, switches=(False, True), counts=(1, 2), questions=2):
    """Made-up trained layers for a sentence of n words, the two at its ends changing places; the last output keeps all but its last bit."""
    cases = [{"positions": on, "heads": heads, "weights": rng.dirichlet(np.ones(n), (2, heads)), "output": rng.normal(size=(2, d)),
              "answers": [[[(f"word {i}", p) for i, p in zip(rng.permutation([0, n - 1, 1]), sorted(rng.dirichlet(np.ones(3)), reverse=True))]
                           for _ in range(questions)] for _ in range(2)]} for on in switches for heads in counts]
    cases[0]["output"][1] = cases[0]["output"][0]
    cases[-1]["output"][1] = np.nextafter(cases[-1]["output"][0], 9)
    return cases


def swapped(rng, n=4, right=(0, 1), **kwargs):
    return SwappedWords([f"word {i}" for i in range(n)], (0, n - 1), 1, layers(rng, n, questions=len(right), **kwargs),
                        [f"Who {k} & why?" for k in range(len(right))], right, caption="Cap.")


def layer(**changed):
    return {"positions": True, "heads": 1, "weights": [[[0.5, 0, 0.5]]] * 2, "output": [[1, 2]] * 2, "answers": [[[("a", 1)]]] * 2, **changed}


def swap(*cases, **changed):
    return SwappedWords(**{"words": ["a", "b", "c"], "swap": (0, 2), "asking": 1, "cases": cases or [layer()], "questions": ["W?"],
                           "right": [0], **changed})


def example():
    return swapped(np.random.default_rng(12))


def shown(widget):
    return [compact(widget.difference), *[fixed(v) for case in widget.cases for v in np.ravel(case["weights"])],
            *[f"{word} {fixed(p)}" for case in widget.cases for answers in case["answers"] for best in answers
              for word, p in best]]


def given(widget):
    """What the script's arithmetic starts from: the case that is shown."""
    [chosen] = [case for case in widget.cases if (case["positions"], case["heads"]) == (widget.positions, widget.heads)]
    return {"words": widget.words, "swap": widget.swap, "right_at": widget.right_at, "chosen": chosen}


BAD = [
    (lambda: swap(words=["a", "b", "a"]), ValueError, "must differ, got 'a' twice"),
    (lambda: swap(asking=2), ValueError, "asking must be a word that keeps its place, got 2"),
    (lambda: swap(right=(0, 1)), ValueError, r"right must hold one for each of 1 questions, got \[0, 1\]"),
    (lambda: swap(layer(), layer()), ValueError, r"each combination of positions and heads once, got \[\(True, 1\), \(True, 1\)\]"),
    (lambda: swap(layer(), layer(positions=False, heads=2, weights=[[[1, 0, 0]] * 2] * 2)), ValueError, "each combination"),
    (lambda: swap(layer(weights=[[[0.5, 0.5]]] * 2)), ValueError, r"weights must have shape \(2, 1, 3\), got \(2, 1, 2\)"),
    (lambda: swap(layer(weights=[[[0.5, 0.5, 0.5]]] * 2)), ValueError, r"sum to one for each head, got sums of \[\[1.5\], \[1.5\]\]"),
    (lambda: swap(layer(answers=[[[("a", 1)]]])), ValueError, "answers must hold one for each of "),
    (lambda: swap(layer(answers=[[[("a", 0.1), ("b", 0.9)]]] * 2)), ValueError, "best first"),
]

REFUSED = [("heads", 3, ValueError)]


# ---- the arithmetic, and Python's side

def test_swapped_words_arithmetic():
    rng = np.random.default_rng(11)
    widgets = [swapped(rng, int(rng.integers(3, 9)), rng.integers(0, 2, rng.integers(1, 4)).tolist(), d=int(rng.integers(1, 33)),
                       counts=[(1,), (4, 2), (1, 2, 3)][k % 3]) for k in range(50)]
    cases, wanted = [], []
    for ours in widgets:
        for case in ours.cases:
            ours.positions, ours.heads = case["positions"], case["heads"]
            cases.append({"words": ours.words, "swap": ours.swap, "right_at": ours.right_at, "chosen": case})
            wanted.append((np.abs(np.array(case["output"][0]) - case["output"][1]).max(), ours.difference, ours.right))
    for case, got, (difference, own, right) in zip(cases, node("run_figures.js", {"figure": "swapped_words", "cases": cases}), wanted):
        a, b = case["swap"]
        assert got["orders"][0] == case["words"] and sorted(got["orders"][1]) == sorted(case["words"])
        assert [got["orders"][1][a], got["orders"][1][b]] == [case["words"][b], case["words"][a]]
        assert got["difference"] == difference == own and got["same"] == (difference < 1e-12)     # to the last bit
        assert got["written"] == compact(difference)
        assert got["right"] == right
        for order, answers in enumerate(case["chosen"]["answers"]):
            for at, best, ok in zip(case["right_at"], answers, right[order]):
                assert ok == (best[0][0] == got["orders"][order][(a, b)[at]])
    assert len(cases) >= CASES // 2 and {ok for *_, right in wanted for order in right for ok in order} == {True, False}


def test_swapped_words_refuse_a_case_that_is_not_there():
    widget = swap()
    with pytest.raises(ValueError, match="no case has positions False"):
        widget.positions = False
    with pytest.raises(ValueError, match="no case has heads 2"):
        widget.heads = 2
    assert widget.positions is True and widget.heads == 1


# ---- on the page of the book

@pytest.mark.browser
@on(PAGES, WIDE)
def test_swapped_words_without_positions_give_the_same_output(opened):
    w, found = opened, figure(opened, "swapped_words")
    positions, heads = (found.get_by_role("toolbar", name=name) for name in ("positions", "heads"))

    def right():
        words = says(w, found)
        return "right. Who received?" in words and words.endswith("right.")

    assert "The output differs from the other order" in says(w, found) and right(), "it opens with positions and two heads"
    found.get_by_role("button", name="Swap the names").click()
    assert says(w, found).startswith("“Mary gave roses to Susan”") and right()
    for first in ("Susan", "Mary"):                     # a name itself is as good as the button
        found.locator(".ak-mover").first.click(force=True)
        assert says(w, found).startswith(f"“{first} gave roses to")
    heads.get_by_role("button", name="1").click()
    assert "The output differs from the other order" in says(w, found) and not right()
    positions.get_by_role("button", name="off").click()
    for count in "12":
        heads.get_by_role("button", name=count).click()
        assert "The output is the same in the other order" in says(w, found)
