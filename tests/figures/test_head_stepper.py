"""The figure of heads: projected, split, scored, blended and merged."""

import numpy as np
import pytest
from conftest import DARK_PHONE, on
from drawn import signs
from hand import SHOWN, alone, either_width, figure, pages, rows

from attnkit import multi_head_attention, scores, split_heads
from bookkit.figures import HeadStepper
from bookkit.pictures.formats import fixed

PAGES = pages(["head_stepper"])


def stepper(**changed):
    w = np.ones((2, 4))
    return HeadStepper(**({"x": [[1, 2]], "w_query": w, "w_key": w, "w_value": w, "w_output": w.T, "num_heads": 2, "words": ["a"]} | changed))


def example():
    return HeadStepper([[1, 0.5], [0, -1]], [[1, 0.3], [0, 1]], [[1, 1], [1, 0]], [[1, 0], [2, 1]], [[1, -1], [0, 1]], 2, ["a", "b"], caption="Cap.")


def layer():
    """Words, their names, heads and the last matrix, all at random."""
    rng = np.random.default_rng(7)
    heads = [tuple(rng.normal(size=(4, 2)) for _ in range(3)) for _ in range(2)]
    return 2 * rng.normal(size=(5, 4)), heads, rng.normal(size=(4, 4)), ["Susan", "gave", "roses", "to", "Mary"]


def shown(widget):
    return [fixed(v) for v in [*widget.weights.flat, *widget.output.flat]]


BAD = [
    (lambda: stepper(x=np.ones((7, 2)), words=list("abcdefg")), ValueError, "words must be 1 to 6, got 7"),
    (lambda: stepper(x=np.ones((1, 9))), ValueError, "x must have at most 8 columns, got 9"),
    (lambda: stepper(w_query=np.ones((2, 10))), ValueError, "w_query must have at most 8 columns, got 10"),
    (lambda: stepper(w_key=np.ones((2, 3))), ValueError, r"w_key must have shape \(2, 4\), got \(2, 3\)"),
    (lambda: stepper(w_output=np.ones((3, 2))), ValueError, r"w_output must have shape \(4, 2\), got \(3, 2\)"),
    (lambda: stepper(num_heads=3), ValueError, r"divide the columns of w_query \(4\) and w_value \(4\), got 3"),
    (lambda: stepper(num_heads=2, w_value=np.ones((2, 3))), ValueError, r"and w_value \(3\), got 2"),
    (lambda: stepper(num_heads=8), ValueError, "num_heads must be at most 4"),
    (lambda: stepper(step=7), ValueError, "step must be from 0 to 6, the number of one of the steps"),
    (lambda: stepper(head=2), ValueError, "head must be from 0 to 1, the number of one of the heads, got 2"),
]

REFUSED = [("step", 7, ValueError), ("head", 2, ValueError), ("selected", 2, ValueError), ("temperature", 11, ValueError)]


def calculated(rng):
    h, n, d = int(rng.integers(1, 5)), int(rng.integers(1, 7)), int(rng.integers(1, 9))
    dk, dv = (int(rng.integers(1, 8 // h + 1)) for _ in range(2))
    t = float(10 ** rng.uniform(-1, 1))
    x, *w = (np.array(rows(rng, *shape)) for shape in ((n, d), (d, h * dk), (d, h * dk), (d, h * dv), (h * dv, d)))
    ours = HeadStepper(x, *w, h, [str(i) for i in range(n)])
    plain = multi_head_attention(x, x, x, *w, num_heads=h)
    assert np.allclose(ours.output, plain[0], rtol=0, atol=1e-12) and np.allclose(ours.weights, plain[1], rtol=0, atol=1e-12)
    ours.temperature = t
    q, k, v = (split_heads(x @ m, h) for m in w[:3])
    output, weights = multi_head_attention(x, x, x, *w, num_heads=h, scale=1 / (t * dk ** 0.5))
    assert np.allclose(ours.output, output, rtol=0, atol=1e-12) and np.allclose(ours.weights, weights, rtol=0, atol=1e-12)
    # One wide product, or a product for each head and their sum: the same numbers.
    shares = weights @ v @ w[3].reshape(h, dv, d)
    assert np.allclose(shares.sum(axis=0), output, rtol=0, atol=1e-11)
    of_heads = {"Q": q, "K": k, "V": v, "S": scores.scaled_dot(q, k), "A": weights, "H": weights @ v, "Z": shares}
    return ours, {"Y": output} | {f"{name}_{i + 1}": numbers[i] for name, numbers in of_heads.items() for i in range(h)}


# ---- on the page of the book

@pytest.mark.browser
@on(PAGES, DARK_PHONE)
def test_heads_are_split_and_merged(opened):
    found = figure(opened, "head_stepper")
    assert "softmax(S_1)" in found.locator(".ak-code").inner_text(), "it opens with the weights of head 1"
    first = found.evaluate(SHOWN)
    found.get_by_role("button", name="head 2").click()
    assert found.evaluate(SHOWN) != first
    assert "softmax(S_2)" in found.locator(".ak-code").inner_text()


PANELS = """e => [...e.querySelectorAll('.ak-part')].map(part => ({
    name: part.querySelector('.ak-maths').textContent, colour: getComputedStyle(part.querySelector('.ak-maths')).color,
    frame: getComputedStyle(part.querySelector('.ak-frame')).borderTopColor,
    tops: [...part.querySelectorAll('.ak-tops span')].map(top => [top.textContent, top.getBoundingClientRect().left + top.getBoundingClientRect().width / 2]),
    middles: [...part.querySelectorAll('.ak-row')].slice(0, 1).flatMap(row => [...row.children].map(c => c.getBoundingClientRect().left + c.getBoundingClientRect().width / 2)),
    squares: [...part.querySelectorAll('.ak-sq')].map(c => c.textContent),
    chosen: [...part.querySelectorAll('.ak-row')].map(row => row.classList.contains('ak-lit'))}))"""


@pytest.mark.browser
@either_width
def test_head_stepper_opens_with_a_head_and_a_word(watched, tmp_path, width):
    """At the weights of a head: what is pressed, what the matrices are called and show, whose row is framed."""
    x, heads, w_output, names = layer()
    joined = [np.concatenate([head[k] for head in heads], axis=1) for k in range(3)]
    widget = HeadStepper(x, *joined, w_output, 2, names, step=3, head=1, selected=2)
    assert [widget.defaults[name] for name in ("step", "head", "selected")] == [3, 1, 2]
    with watched(width=width, reduced_motion="reduce") as w:
        found = alone(w, tmp_path, widget)
        assert found.locator("[aria-pressed=true]").all_inner_texts() == ["roses", "4 weigh", "head 2"]
        assert found.locator(".ak-live").inner_text().startswith("Weights of “roses” in head 2: Susan ")
        scores, weights = found.evaluate(PANELS)
        assert (scores["name"], weights["name"]) == ("S2", "A2 = softmax(S2)")
        assert weights["squares"] == [fixed(v) for v in widget.weights[1].flat] and weights["colour"] == weights["frame"] != scores["frame"]
        assert scores["chosen"] == weights["chosen"] == [False, False, True, False, False]
        assert [name for name, _ in scores["tops"]] == names and weights["tops"] == []
        for panel in (scores, weights):                                    # the words stand over the columns of both
            assert [middle for _, middle in scores["tops"]] == pytest.approx(panel["middles"], abs=1)
        found.get_by_role("button", name="1 project").click()
        signs_of = {"X": x, "WQ": joined[0], "WK": joined[1], "WV": joined[2], "Q": x @ joined[0], "K": x @ joined[1], "V": x @ joined[2]}
        panels = {panel["name"]: panel for panel in found.evaluate(PANELS)}
        assert set(panels) == set(signs_of)
        for name, numbers in signs_of.items():                             # row by row, slice by slice
            slices = [numbers] if name == "X" else [numbers[:, :2], numbers[:, 2:]]
            assert panels[name]["squares"] == [v for part in slices for row in signs(part) for v in row], name
        assert all(panels[f"W{letter}"]["colour"] == panels[letter]["frame"] for letter in "QKV")
        assert w.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
