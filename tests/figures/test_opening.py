"""How two figures of a chapter open: at the state that the text names."""

import re

import numpy as np
import pytest
from drawn import signs
from pictures.test_heads import layer

from attnkit.figures import HeadStepper, SwappedWords, base
from attnkit.pictures.formats import fixed

PAGES = ["chapters/multi_head"]


def alive(w, tmp_path, widget):
    """The page of one figure alone, come to life."""
    page = tmp_path / "figure.html"
    style, script = base.core_stylesheet() + base.stylesheet(widget.kind), base.script("core") + base.script(widget.kind)
    page.write_text(f"<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'><title>.</title><style>{style}</style>"
                    f"<body style='margin:0 16px'>{widget.html()}<script>{script}globalThis.attnkit.mount(document)</script></html>", encoding="utf-8")
    w.open(page.as_uri())
    assert not w.errors
    return w.page.locator(".ak-figure")


PANELS = """e => [...e.querySelectorAll('.ak-part')].map(part => ({
    name: part.querySelector('.ak-maths').textContent, colour: getComputedStyle(part.querySelector('.ak-maths')).color,
    frame: getComputedStyle(part.querySelector('.ak-frame')).borderTopColor,
    tops: [...part.querySelectorAll('.ak-tops span')].map(top => [top.textContent, top.getBoundingClientRect().left + top.getBoundingClientRect().width / 2]),
    middles: [...part.querySelectorAll('.ak-row')].slice(0, 1).flatMap(row => [...row.children].map(c => c.getBoundingClientRect().left + c.getBoundingClientRect().width / 2)),
    squares: [...part.querySelectorAll('.ak-sq')].map(c => c.textContent),
    chosen: [...part.querySelectorAll('.ak-row')].map(row => row.classList.contains('ak-chosen'))}))"""


@pytest.mark.browser
@pytest.mark.parametrize("width", [673, 360])
def test_head_stepper_opens_with_a_head_and_a_word(watched, tmp_path, width):
    """At the weights of a head: what is pressed, what the matrices are called and show, whose row is framed."""
    x, heads, w_output, names = layer()
    joined = [np.concatenate([head[k] for head in heads], axis=1) for k in range(3)]
    widget = HeadStepper(x, *joined, w_output, 2, names, step=3, head=1, selected=2)
    assert [widget.defaults[name] for name in ("step", "head", "selected")] == [3, 1, 2]
    with watched(width=width, reduced_motion="reduce") as w:
        found = alive(w, tmp_path, widget)
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


def cases_of(*layers):
    """Layers for `SwappedWords`: each a pair of positions and heads."""
    return [{"positions": positions, "heads": heads, "weights": [[[1 - .1 * heads, 0, .1 * heads]] * heads] * 2, "output": [[1.0, 2.0], [1.0, 3.0]],
             "answers": [[[("Ann", 0.6), ("Bob", 0.4)]]] * 2} for positions, heads in layers]


FOUR = [(False, 1), (False, 2), (True, 1), (True, 2)]


@pytest.mark.browser
@pytest.mark.parametrize("opened", [0, 3])
def test_swapped_words_open_with_the_case_that_is_named(watched, tmp_path, opened):
    widget = SwappedWords(["Ann", "saw", "Bob"], (0, 2), 1, cases_of(*FOUR), ["Who saw?"], right=[0], opened=opened)
    positions, heads = FOUR[opened]
    assert {**widget.defaults} == {"positions": positions, "heads": heads, "swapped": False}
    rows = re.findall(r'<tr><th scope="row">(.*?)</th><td>(.*?)</td><td>(.*?)</td>', widget.still().split("</table>")[0])
    assert rows[0] == ("Ann saw Bob", "on" if positions else "off", str(heads)) and len(rows) == len(set(rows)) == 8
    with watched(width=673) as w:
        found = alive(w, tmp_path, widget)
        assert found.locator("[aria-pressed=true]").all_inner_texts() == [rows[0][1], rows[0][2]]
        found.get_by_role("button", name="off" if positions else "on").click()
        found.get_by_role("button", name="Reset").click()
        assert found.locator("[aria-pressed=true]").all_inner_texts() == [rows[0][1], rows[0][2]]


@pytest.mark.parametrize("opened, error, words", [(4, ValueError, "opened must be from 0 to 3, the number of one of the cases, got 4"),
                                                  (True, TypeError, "opened must be an integer, got True")])
def test_swapped_words_refuse_to_open_with_another_case(opened, error, words):
    with pytest.raises(error, match=words):
        SwappedWords(["Ann", "saw", "Bob"], (0, 2), 1, cases_of(*FOUR), ["Who saw?"], right=[0], opened=opened)
