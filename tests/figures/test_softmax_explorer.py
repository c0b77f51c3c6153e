"""The figure of softmax: scores, powers, weights."""

import numpy as np
import pytest
from conftest import WIDE, node, on
from hand import CASES, figure, pages, press, says

from attnkit import softmax
from bookkit.figures import SoftmaxExplorer, softmax_explorer
from bookkit.pictures.formats import fixed

PAGES = pages(["softmax_explorer"])


def example():
    return SoftmaxExplorer([0.9, -1.1, 0.2], ["a", "b", "c"], caption="Cap.")


def shown(widget):
    return [fixed(v) for v in [*widget.powers, widget.powers.sum(), *widget.weights]]


BAD = [
    (lambda: SoftmaxExplorer([1, 2], ["a"]), ValueError, r"scores must have shape \(1,\), got \(2,\)"),
    (lambda: SoftmaxExplorer([9], ["a"]), ValueError, "scores must lie between -4 and 4"),
    (lambda: SoftmaxExplorer([1], ["a"], temperature=0), ValueError, "temperature must lie between 0.1 and 10, got 0"),
]

REFUSED = [("scores", [0], ValueError), ("temperature", "hot", TypeError)]


# ---- the arithmetic, and Python's side

def test_softmax_explorer_arithmetic():
    rng = np.random.default_rng(6)
    cases = [{"scores": rng.uniform(-4, 4, int(rng.integers(1, 8))).round(6).tolist(), "temperature": float(10 ** rng.uniform(-1, 1))}
             for _ in range(CASES)]
    for case, got in zip(cases, node("run_figures.js", {"figure": "softmax_explorer", "cases": cases})):
        s, t = np.array(case["scores"]), case["temperature"]
        ours = SoftmaxExplorer(s, [str(i) for i in range(len(s))], temperature=t)
        assert np.allclose(got["powers"], ours.powers, rtol=1e-12)
        assert got["written"] == [softmax_explorer.written(power) for power in ours.powers]
        assert np.allclose(got["weights"], softmax(s, temperature=t), rtol=0, atol=1e-12)


def test_softmax_explorer_writes_every_power_shortly():
    """From the smallest to the largest that there can be: neither 0.00, which no power is, nor a row of digits."""
    case = {"scores": [-4, -0.8, -0.5, 0, 0.6, 0.7, 4], "temperature": 0.1}
    [got] = node("run_figures.js", {"figure": "softmax_explorer", "cases": [case]})
    assert got["written"] == ["4.2 × 10^−18", "3.4 × 10^−4", "0.01", "1.00", "403.43", "1.1 × 10^3", "2.4 × 10^17"]
    explorer = SoftmaxExplorer(case["scores"], list("abcdefg"), temperature=0.1)
    assert [softmax_explorer.written(power) for power in explorer.powers] == got["written"]
    assert "<td>2.4 × 10<sup>17</sup></td>" in explorer.still() and "e<sup>score\xa0/\xa0T</sup>, T\xa0=\xa00.1</th>" in explorer.still()


# ---- on the page of the book

def column(found, kind):
    """What the rows of the softmax explorer say in one column."""
    return found.locator(f"tbody tr:not(.ak-sum) td:nth-last-child({2 if kind == 'power' else 1}) > .ak-gauge").all_text_contents()


@pytest.mark.browser
@on(PAGES[:1], WIDE)
def test_softmax_explorer_shows_powers_and_weights(opened):
    w, found = opened, figure(opened, "softmax_explorer")
    temperature = found.get_by_role("slider", name="temperature")
    temperature.evaluate("s => { s.value = 0; s.dispatchEvent(new Event('input', {bubbles: true})) }")       # in the middle stands 1
    powers, weights = column(found, "power"), column(found, "weight")
    assert found.locator(".ak-sum td:last-child").inner_text() == "1.00"
    assert float(found.locator(".ak-sum td").first.inner_text()) == pytest.approx(sum(map(float, powers)), abs=0.025)
    found.get_by_role("button", name="Add 0.5 to all scores").click()
    assert column(found, "weight") == weights and found.locator(".ak-out").first.inner_text() == "+1.5"
    assert [float(p) for p in column(found, "power")] == pytest.approx([1.6487 * float(p) for p in powers], abs=0.02)
    temperature.press("Home")
    assert column(found, "power")[0] == "3.3 × 10 to the power of 6" and column(found, "weight")[0] == "1.00"
    assert says(w, found) == "Thunder gets the largest weight, 1.00; the four weights sum to 1."
    for name in ("Mix-up", "Thunder"):
        found.get_by_role("slider", name=name).press("End")
    assert says(w, found) == "Thunder and Mix-up share the largest weight, 0.50 each; the four weights sum to 1."
    press(found, "Add 0.5 to all scores")
    assert says(w, found).startswith("No room")
    found.get_by_role("button", name="Take 0.5 from all scores").click()
    assert not says(w, found).startswith("No room") and found.locator(".ak-out").first.inner_text() == "+3.5"
