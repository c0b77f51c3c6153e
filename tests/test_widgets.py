"""The interactive figures: Python's side, and JavaScript's arithmetic against it."""

import json
import re
from html import unescape

import numpy as np
import pytest
from conftest import ROOT, node

from attnkit import attention, draw, softmax
from attnkit.numbers import fixed
from attnkit.widgets import Alignment, MovieMatcher, SquareEditor, figure

CASES = 250


def tenths(rng, *shape):
    return (rng.integers(-10, 11, shape) / 10).tolist()


def test_movie_matcher_arithmetic():
    rng = np.random.default_rng(1)
    cases = []
    for _ in range(CASES):
        n, d = rng.integers(1, 8, 2)
        cases.append({"user": tenths(rng, d), "films": tenths(rng, n, d)})
    for case, got in zip(cases, node("run_figures.js", {"figure": "movie_matcher", "cases": cases})):
        n, d = np.shape(case["films"])
        ours = MovieMatcher(case["user"], case["films"], [str(i) for i in range(n)], [str(k) for k in range(d)])
        assert np.allclose(got["products"], ours.products, rtol=0, atol=1e-12)
        assert np.allclose(got["scores"], np.array(case["films"]) @ np.array(case["user"]), rtol=0, atol=1e-12)
        assert got["order"] == ours.order
        # The same scores are what attention makes its weights from.
        weights = attention(np.array([case["user"]]), np.array(case["films"]), np.ones((n, 1)), scale=1.0)[1]
        assert np.allclose(softmax(np.array(got["scores"], dtype=float)), weights[0], atol=1e-12)


def test_square_editor_arithmetic():
    rng = np.random.default_rng(2)
    cases = [{"numbers": tenths(rng, *rng.integers(1, 7, 2))} for _ in range(CASES)]
    for case, got in zip(cases, node("run_figures.js", {"figure": "square_editor", "cases": cases})):
        ours = SquareEditor(case["numbers"])
        assert got["shape"] == list(ours.array.shape)
        assert got["transposed"] == ours.array.T.tolist()
        assert got["code"] == ours.code
        assert np.array_equal(eval(got["code"], {"np": np}), ours.array)
        largest = max(1, np.abs(ours.array).max())
        assert got["opacities"] == [[draw.opacity(v, largest) for v in row] for row in case["numbers"]]
        assert got["texts"] == [[fixed(v, 1) for v in row] for row in case["numbers"]]


def test_alignment_arithmetic():
    rng = np.random.default_rng(3)
    cases = []
    for _ in range(CASES):
        weights = rng.dirichlet(np.ones(rng.integers(2, 9)) * 0.5, size=rng.integers(1, 6)).round(4) + 1e-4
        weights /= weights.sum(axis=1, keepdims=True)
        cases.append({"weights": weights.tolist(), "temperature": float(10 ** rng.uniform(-1, 1))})
    for case, got in zip(cases, node("run_figures.js", {"figure": "alignment", "cases": cases})):
        wanted = softmax(np.log(np.array(case["weights"])), temperature=case["temperature"])
        assert np.allclose(got, wanted, rtol=0, atol=1e-12)


def test_alignment_keeps_a_weight_of_zero():
    case = {"weights": [[0.5, 0.0, 0.5]], "temperature": 3.0}
    assert node("run_figures.js", {"figure": "alignment", "cases": [case]}) == [[[0.5, 0, 0.5]]]


def test_numbers_are_written_alike():
    rng = np.random.default_rng(4)
    numbers = [0.125, -0.125, 0.5, -0.0, 0.0, -0.004, 0.005, 1.005, 2.675, 1e-9, 99.995, 1e14, -3.0]
    numbers += rng.normal(size=400).tolist() + (rng.integers(-4000, 4000, 400) / 1000).tolist()
    cases = [[x, int(rng.integers(0, 5)), bool(rng.integers(2))] for x in numbers]
    for (x, digits, plus), (text, opacity) in zip(cases, node("run_figures.js", {"numbers": cases})):
        assert text == fixed(x, digits, plus=plus)
        assert opacity == draw.opacity(x, 3)


def examples():
    return [MovieMatcher([0.8, -0.5], [[0.9, -0.6], [-0.8, 0.9]], ["A & B", "C"], ["action", "romance"], caption="Cap."),
            SquareEditor([[0.9, -0.4], [0.1, 0.5]], caption="Cap."),
            Alignment([[0.94, 0.06], [0.2, 0.8]], ["je", "t'"], ["I", "you"], query_lang="fr", caption="Cap.")]


@pytest.mark.parametrize("widget", examples(), ids=repr)
def test_static_form(widget):
    """The still picture holds every number, and the state the script starts from."""
    html = widget._repr_mimebundle_()[0]["text/html"]
    state = json.loads(unescape(re.search(r'data-ak-state="([^"]*)"', html)[1]))
    assert {name: state[name] for name in state} == widget.state() and state["caption"] == "Cap."
    still = unescape(re.sub(r"data-ak-state=\"[^\"]*\"|data:image[^\"]*", "", html))
    shown = {"movie_matcher": lambda: [fixed(v, plus=True) for v in [*widget.products.flat, *widget.scores]],
             "square_editor": lambda: [fixed(v, 1) for v in widget.array.flat],
             "alignment": lambda: [fixed(v) for v in widget.tempered.flat]}[widget.kind]()
    assert all(text in still for text in shown)
    assert "<script" not in html and repr(widget) == f"<{type(widget).__name__}>"


@pytest.mark.parametrize("widget", examples(), ids=repr)
def test_one_source_live_and_static(widget):
    """What a notebook loads is the plain script plus an export; the site's script holds the same text."""
    plain = figure.script("core") + figure.script(widget.kind)
    assert widget._esm.startswith(plain) and widget._esm[len(plain):].startswith("export default")
    assert figure.script(widget.kind) in figure.site_script()
    for name in ("core", widget.kind):
        assert not re.search(r"^\s*(import|export)\b", figure.script(name), flags=re.M)


BAD = [
    (lambda: MovieMatcher([0.8], [[0.9, -0.6]], ["A"], ["x", "y"]), ValueError, r"user must have shape \(2,\), got \(1,\)"),
    (lambda: MovieMatcher([2, 0], [[0.9, -0.6]], ["A"], ["x", "y"]), ValueError, "user must lie between -1 and 1"),
    (lambda: MovieMatcher([1, 0], [[0.9, -0.6]], [], ["x", "y"]), ValueError, "films of shape"),
    (lambda: MovieMatcher(["a", "b"], [[0.9, -0.6]], ["A"], ["x", "y"]), TypeError, "user must be numbers"),
    (lambda: SquareEditor([0.5, 0.5]), ValueError, r"numbers must have shape \(any, any\), got \(2,\)"),
    (lambda: SquareEditor([[float("nan")]]), ValueError, "between -1 and 1"),
    (lambda: SquareEditor(np.zeros((7, 2))), ValueError, "at most 6 by 6, got 7 by 2"),
    (lambda: Alignment([[0.5, -0.5]], ["a"], ["b", "c"]), ValueError, "weights must lie"),
    (lambda: Alignment([[np.inf, 1]], ["a"], ["b", "c"]), ValueError, "weights must lie"),
    (lambda: SquareEditor([[0.1], [0.2, 0.3]]), ValueError, "numbers is no array of numbers"),
    (lambda: Alignment([[0.0, 0.0]], ["a"], ["b", "c"]), ValueError, "above zero"),
    (lambda: Alignment([[0.5, 0.5]], ["a"], ["b"]), ValueError, r"weights must have shape \(1, 1\), got \(1, 2\)"),
    (lambda: Alignment([[0.5, 0.5]], ["a"], ["b", "c"], selected=4), ValueError, "one of the 1 query words, got 4"),
]


@pytest.mark.parametrize("make, error, words", BAD)
def test_bad_input(make, error, words):
    with pytest.raises(error, match=words):
        make()


def test_bad_change_changes_nothing():
    matcher = examples()[0]
    with pytest.raises(ValueError, match="user must lie"):
        matcher.user = [3, 0]
    assert matcher.user == [0.8, -0.5]
    editor = examples()[1]
    with pytest.raises(ValueError, match="numbers must have shape"):
        editor.numbers = []
    assert editor.array.shape == (2, 2)
    with pytest.raises(ValueError, match="temperature must lie"):
        examples()[2].temperature = 0


def test_what_is_shown_is_what_is_held():
    editor = SquareEditor([[0.25, -0.25, 0.34]])
    assert editor.numbers == [[0.3, -0.3, 0.3]] and editor.code == "np.array([[0.3, -0.3, 0.3]])"
    editor.numbers = np.array([[0.5]])
    assert editor.numbers == [[0.5]]


def test_each_figure_has_its_neighbours():
    folder = ROOT / "attnkit" / "widgets"
    scripts = {p.stem for p in folder.glob("*.js")} - {"core"}
    assert scripts == {p.stem for p in folder.glob("*.py")} - {"__init__", "figure"} == {w.kind for w in examples()}
