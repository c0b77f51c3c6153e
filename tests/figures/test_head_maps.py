"""The figure of all heads of a model on a sentence."""

import numpy as np
import pytest
from conftest import node
from hand import alone, either_width, fits, says

from attnkit import softmax
from bookkit.figures import HeadMaps
from bookkit.pictures.formats import fixed


def text(pieces, seed, layers=2, heads=3):
    n = len(pieces)
    return pieces, softmax(3 * np.random.default_rng(seed).normal(size=(layers, heads, n, n)))


def example():
    return HeadMaps([text(["[CLS]", "oh", "yes", ",", "yes", "[SEP]"], 0), text(["[CLS]", "no", "##t", "[SEP]"], 1)], caption="Cap.")


def shown(widget):
    return [fixed(weight) for weight in widget.shown]


BAD = [
    (lambda: HeadMaps([(["a", "b"], np.ones((1, 1, 3, 3)))]), ValueError, r"texts\[0\] must have weights of shape \(layers, heads, 2, 2\), got \(1, 1, 3, 3\)"),
    (lambda: HeadMaps([(["a", "b"], np.full((1, 1, 2, 2), 1.5))]), ValueError, "must have weights from 0 to 1"),
    (lambda: HeadMaps([(["a"], np.ones((1, 1, 1, 1)))]), ValueError, "must be 2 to 24, got 1"),
    (lambda: HeadMaps([text(["a", "b"], 0), text(["a", "b"], 0, heads=2)]), ValueError, "as many layers and heads"),
    (lambda: HeadMaps([text(["a", "b"], 0)], {"there": (0, 2, 0, 0)}), ValueError, "head must be from 0 to 5, got 6"),
]
REFUSED = [("head", 6, ValueError), ("piece", 6, ValueError), ("text", 2, ValueError)]
CHANGED = ("head", 4)


def test_the_page_reads_the_weights_that_python_packed():
    rng, cases, wanted = np.random.default_rng(36), [], []
    for seed in range(60):
        texts = [text(list("abcdefgh"[:rng.integers(2, 9)]), [seed, k], layers=3, heads=4) for k in range(2)]
        figure = HeadMaps(texts, {"x": (int(rng.integers(2)), 0, 0, 0)})
        figure.head, figure.piece = int(rng.integers(12)), int(rng.integers(len(texts[figure.text][0])))
        cases.append(figure.state())
        wanted.append((figure.weights[figure.piece], texts[figure.text][1].reshape(12, *figure.weights.shape)[figure.head, figure.piece]))
    for (ours, exact), got in zip(wanted, node("run_figures.js", {"figure": "head_maps", "cases": cases}), strict=True):
        assert got["row"] == pytest.approx(ours, abs=1e-12) and ours == pytest.approx(exact, abs=0.5 / 255 + 1e-12)


@pytest.mark.browser
@either_width
def test_a_head_is_found_by_the_arrow_keys(window, tmp_path, width):
    with window(width=width) as w:
        pieces = ["[CLS]", "yes", "[SEP]"]
        weights = np.full((6, 12, 3, 3), 1 / 3)
        weights[1, 0] = np.eye(3)[[1, 2, 0]]
        found = alone(w, tmp_path, HeadMaps([(pieces, weights), text(["[CLS]", "no", "##t", "[SEP]"], 1, 6, 12)]))
        heads = found.get_by_role("group", name="The heads").get_by_role("button")
        assert heads.count() == 72
        heads.first.press("ArrowDown")
        w.page.keyboard.press("Enter")
        assert says(w, found).startswith("Head 1 of layer 2: “[CLS]” looks at “yes” 1.00")
        found.get_by_role("button", name="yes").press("Enter")
        assert says(w, found).startswith("Head 1 of layer 2: “yes” looks at “[SEP]” 1.00")
        found.get_by_role("button", name="yes").press("ArrowDown")
        w.page.keyboard.press("Enter")
        assert says(w, found).startswith("Head 1 of layer 2: “[SEP]” looks at “[CLS]” 1.00")
        found.get_by_role("combobox").select_option("not")
        assert "“no” looks at" in says(w, found) and found.locator("tbody:visible tr").count() == 4
        assert fits(w) and not w.errors


class Reader:
    """Reads the letters of a text, evenly."""

    num_layers, num_heads = 2, 3

    def pieces(self, text, most):
        return ["[CLS]", *list(text.replace(" ", ""))[:most - 2], "[SEP]"]

    def numbers(self, text, most):
        return [ord(piece[0]) for piece in self.pieces(text, most)]

    def trace(self, numbers):
        n = len(numbers)
        return {f"layers.{layer}.weights": np.full((3, n, n), 1 / n) for layer in range(2)}


def test_a_kernel_reads_what_is_typed():
    figure = HeadMaps([text(["[CLS]", "no", "##t", "[SEP]"], 1)], model=Reader())
    figure.typed = "abc"
    assert figure.found["pieces"] == ["[CLS]", "a", "b", "c", "[SEP]"] and figure.shown == [0.2] * 5 and not figure.found["cut"]
    figure.typed = "x" * 100
    assert figure.found["cut"] and len(figure.found["pieces"]) == 64 and figure.weights.shape == (64, 64)
    figure.piece = 63
    with pytest.raises(ValueError, match="piece must be from 0 to 63, got 64"):
        figure.piece = 64
    figure.typed = " "
    assert figure.found == {} and not HeadMaps([text(["a", "b"], 0)]).asks and figure.asks
