"""The figure that takes heads out of a chat model."""

import numpy as np
import pytest
from conftest import node
from hand import alone, drag, either_width, says
from test_chat import KINDS, Talker, with_kernel

from bookkit.figures import CutHeads
from bookkit.figures.cut_heads import measure
from bookkit.pictures.formats import fixed

CUTS = {"two of them": [(1, 2), (0, 1)], "the first": [(0, 0)]}


def measured():
    model, cuts = Talker(), list(CUTS.values())
    return [measure(model, "a line, twice", "abcdabcd", cuts, parts={"first copy": (1, 4), "second copy": (4, 8)}),
            measure(model, "two names", "x met y ", cuts, names=("x", "y"))]


def example(model=None):
    return CutHeads(measured(), KINDS, CUTS, model, caption="Cap.")


def shown(widget):
    return [fixed(one) for pair in widget.means for one in pair] + ["without two of them", "without the first"]


ONE = measure(Talker(), "one", "abc", [])
BAD = [
    (lambda: measure(Talker(), "one", "abc", [], names=("ab", "c")), ValueError, r"names must be one piece each, got \['ab', 'c'\]"),
    (lambda: CutHeads([], KINDS, {}), ValueError, "texts must be 1 to 6, got 0"),
    (lambda: CutHeads([ONE], KINDS, CUTS), ValueError, "'one' must be measured whole and without each of 2 cuts, got 1 runs"),
    (lambda: CutHeads([measure(Talker(), "one", "a", [])], KINDS, {}), ValueError, "the pieces of 'one' must be 2 to 120, got 1"),
]
REFUSED = [("text", 2, ValueError), ("without", [6], ValueError), ("without", [-1], ValueError)]
CHANGED = ("without", [0])


def test_the_page_means_what_python_means():
    """The mean loss of each part, whole and without heads: those of a cut, and others, which nobody has measured."""
    widget, cases, wanted = example(), [], []
    for text in (0, 1):
        for without in ([], [1, 5], [0], [2, 3]):
            widget.text, widget.without = text, without
            cases.append(widget.state())
            wanted.append(widget.means)
    for got, means in zip(node("run_figures.js", {"figure": "cut_heads", "cases": cases}), wanted, strict=True):
        assert np.array(got["means"]) == pytest.approx(np.array(means))
    assert [np.shape(means) for means in wanted[:4]] == [(2, 2), (2, 2), (2, 2), (2, 1)]


def test_losses_and_chances_are_those_of_the_scores():
    told, numbers = measured()[1], Talker().numbers("x met y ")
    scores, _ = Talker().read(numbers)
    shares = np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)
    assert told["runs"][0]["losses"] == pytest.approx([-np.log(shares[k, number]) for k, number in enumerate(numbers[1:])], abs=6e-4)
    assert told["runs"][0]["chances"] == pytest.approx(shares[-1, [number for number, _ in told["names"]]], abs=6e-5)


OUT = "all => all.flatMap((e, k) => e.ariaPressed === 'true' ? [k] : [])"


@pytest.mark.browser
@either_width
def test_heads_are_taken_out(window, tmp_path, width):
    with window(width=width) as w:
        widget = example()
        found = alone(w, tmp_path, widget)
        assert found.locator(".ak-cost").count() == 8 and "with all heads" in says(w, found)
        found.get_by_role("button", name="two of them").press("Enter")
        widget.without = [1, 5]
        assert f"second copy {fixed(widget.means[1][1])} (with all {fixed(widget.means[1][0])})." in says(w, found)
        if width < 600:
            found.locator("summary").press("Enter")
        assert found.locator(".ak-heads [aria-pressed=true]").count() == 2
        found.locator(".ak-heads button").nth(1).press("Enter")
        assert "load the model" in says(w, found)
        squares = found.locator(".ak-heads button")
        drag(w, squares.nth(3), squares.nth(4).bounding_box()["x"] - squares.nth(3).bounding_box()["x"], 0)
        assert squares.evaluate_all(OUT) == [3, 4, 5], "a stroke over two"
        squares.nth(3).click()
        assert squares.evaluate_all(OUT) == [4, 5]
        found.get_by_role("button", name="two names").press("Enter")
        found.get_by_role("button", name="nothing").press("Enter")
        assert "Chance to come next: “x”" in says(w, found)
        found.get_by_role("button", name="Reset").press("Enter")
        assert found.locator(".ak-heads [aria-pressed=true]").count() == 0 and not w.errors


class Torn(Talker):
    """A z is the first half of a letter."""

    def __init__(self):
        self.words = ["" if word == "z" else word for word in Talker.words]

    def numbers(self, text, *, marks=False):
        return Talker().numbers(text, marks=marks)


@pytest.mark.browser
def test_a_readers_line_is_read_twice(window, tmp_path):
    """Unless that is ticked off; a piece that is no whole letter says so."""
    with window() as w:
        found = with_kernel(w, tmp_path, example(Torn()))
        found.get_by_placeholder("Type a line").fill("abz")
        found.get_by_placeholder("Type a line").press("Enter")
        w.page.wait_for_function("() => document.querySelectorAll('.ak-cost').length === 8 && !document.querySelector('.ak-note').textContent")
        numbers = Talker().numbers(" abz abz")
        scores, _ = Talker().read([*numbers, 0])
        losses = [np.log(np.exp(row).sum()) - row[number] for row, number in zip(scores, numbers[1:])]
        assert f"first time {fixed(np.mean(losses[:3]))}, second time {fixed(np.mean(losses[4:]))}." in says(w, found)
        assert found.get_by_role("group", name="part of a letter", exact=True).count() == 2
        found.get_by_role("checkbox", name="twice").press(" ")
        w.page.wait_for_function("() => document.querySelectorAll('.ak-cost').length === 3")
        assert "all of it" in says(w, found) and not w.errors
