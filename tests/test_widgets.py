"""The interactive figures: Python's side, and JavaScript's arithmetic against it."""

import json
import re
from html import unescape

import numpy as np
import pytest
from conftest import ROOT, node

from attnkit import attention, draw, softmax
from attnkit.numbers import fixed
from attnkit.widgets import (
    Alignment,
    AttentionBudget,
    AttentionPlane,
    AttentionSteps,
    MatrixStepper,
    MovieMatcher,
    SoftDictionary,
    SoftmaxExplorer,
    SquareEditor,
    figure,
)

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


def test_attention_budget_arithmetic():
    rng = np.random.default_rng(5)
    cases = []
    for k in range(CASES):
        n = int(rng.integers(2, 8))
        weights = np.eye(n)[rng.integers(n)] if k % 10 == 0 else rng.dirichlet(np.ones(n))
        held = AttentionBudget(weights, rng.uniform(-1, 1, (n, 2)), [str(i) for i in range(n)], ["x", "y"])
        cases.append({"weights": held.weights, "points": held.points,
                      "word": int(rng.integers(n)), "share": 1.0 if k % 7 == 0 else float(rng.uniform())})
    for case, got in zip(cases, node("run_figures.js", {"figure": "attention_budget", "cases": cases})):
        ours = AttentionBudget(case["weights"], case["points"], [str(i) for i in range(len(case["points"]))], ["x", "y"])
        ours.spend(case["word"], case["share"])
        assert np.allclose(got["weights"], ours.weights, rtol=0, atol=1e-9)       # Python holds nine decimals
        assert np.allclose(got["average"], np.array(got["weights"]) @ case["points"], rtol=0, atol=1e-12)
        assert np.isclose(sum(got["weights"]), 1) and got["weights"][case["word"]] == case["share"]


def test_softmax_explorer_arithmetic():
    rng = np.random.default_rng(6)
    cases = [{"scores": rng.uniform(-4, 4, int(rng.integers(1, 8))).round(6).tolist(), "temperature": float(10 ** rng.uniform(-1, 1))}
             for _ in range(CASES)]
    for case, got in zip(cases, node("run_figures.js", {"figure": "softmax_explorer", "cases": cases})):
        s, t = np.array(case["scores"]), case["temperature"]
        ours = SoftmaxExplorer(s, [str(i) for i in range(len(s))])
        ours.temperature = t
        assert np.allclose(got["weights"], softmax(s, temperature=t), rtol=0, atol=1e-12)
        assert np.isclose(got["entropy"], ours.entropy, rtol=0, atol=1e-12)
        assert np.isclose(2 ** got["entropy"], np.exp(-np.sum(softmax(s / t) * np.log(softmax(s / t)))))
        steps = 1e-5 * np.eye(len(s))
        differences = np.stack([(softmax((s + e) / t) - softmax((s - e) / t)) / 2e-5 for e in steps], axis=-1)
        assert np.allclose(got["derivative"], differences, rtol=0, atol=1e-7)
        assert np.allclose(got["derivative"], ours.derivative, rtol=0, atol=1e-12)
        assert np.isclose(got["size"], np.linalg.norm(ours.derivative), rtol=0, atol=1e-12)


def test_attention_plane_arithmetic():
    rng = np.random.default_rng(7)
    cases = [{"points": rng.uniform(-1.5, 1.5, (int(rng.integers(1, 9)), 2)).round(6).tolist(), "scale": float(10 ** rng.uniform(-1, 1))}
             for _ in range(CASES)]
    for case, got in zip(cases, node("run_figures.js", {"figure": "attention_plane", "cases": cases})):
        x = np.array(case["points"])
        output, weights = attention(x, x, x, scale=case["scale"])
        ours = AttentionPlane(x, [str(i) for i in range(len(x))], scale=case["scale"])
        for theirs, whole, own in ((got["weights"], weights, ours.weights), (got["outputs"], output, ours.outputs)):
            assert np.allclose(theirs, whole, rtol=0, atol=1e-12) and np.allclose(own, whole, rtol=0, atol=1e-12)
        # The hull is made of points, and turns one way around: every point and every output lies on one side of each edge.
        hull = np.array(got["hull"])
        assert all(any(np.array_equal(corner, p) for p in x) for corner in hull)
        for a, b in zip(hull, np.roll(hull, -1, axis=0)):
            for p in [*x, *np.array(got["outputs"])]:
                assert (b - a)[0] * (p - a)[1] - (b - a)[1] * (p - a)[0] >= -1e-9


def rows(rng, *shape):
    return rng.normal(size=shape).round(3).tolist()


def test_attention_steps_arithmetic():
    rng = np.random.default_rng(8)
    cases = []
    for _ in range(CASES):
        n, d, dv = (int(k) for k in rng.integers(1, 7, 3))
        cases.append({"queries": rows(rng, n, d), "key_rows": rows(rng, n, d), "values": rows(rng, n, dv),
                      "selected": int(rng.integers(n)), "scale": float(10 ** rng.uniform(-1, 1))})
    for case, got in zip(cases, node("run_figures.js", {"figure": "attention_steps", "cases": cases})):
        q, k, v = (np.array(case[name]) for name in ("queries", "key_rows", "values"))
        output, weights = attention(q[[case["selected"]]], k, v, scale=case["scale"])
        ours = AttentionSteps(q, k, v, [str(i) for i in range(len(q))], case["selected"], scale=case["scale"])
        assert np.allclose(got["scores"], case["scale"] * k @ q[case["selected"]], rtol=0, atol=1e-12)
        assert np.allclose(got["weighted"], weights[0][:, None] * v, rtol=0, atol=1e-12)
        for theirs, whole, own in ((got["weights"], weights[0], ours.weights), (got["output"], output[0], ours.output)):
            assert np.allclose(theirs, whole, rtol=0, atol=1e-12) and np.allclose(own, whole, rtol=0, atol=1e-12)


def test_soft_dictionary_arithmetic():
    rng = np.random.default_rng(9)
    cases = []
    for _ in range(CASES):
        n = int(rng.integers(1, 9))
        cases.append({"angles": rng.uniform(0, 360, n).round(6).tolist(), "values": rng.uniform(-50, 50, n).round(6).tolist(),
                      "query": float(rng.uniform(0, 360)), "sharpness": float(100 ** rng.uniform(-1, 1))})
    for case, got in zip(cases, node("run_figures.js", {"figure": "soft_dictionary", "cases": cases})):
        ours = SoftDictionary([str(i) for i in range(len(case["angles"]))], case["angles"], case["values"],
                              case["query"], case["sharpness"])
        wanted = softmax(case["sharpness"] * np.cos(np.radians(np.array(case["angles"]) - case["query"])))
        assert np.allclose(got["weights"], wanted, rtol=0, atol=1e-11) and np.allclose(ours.weights, wanted, rtol=0, atol=1e-11)
        assert np.isclose(got["answer"], ours.answer, rtol=0, atol=1e-9)


def test_matrix_stepper_arithmetic():
    rng = np.random.default_rng(10)
    cases = []
    for _ in range(CASES):
        n, m, d, dv = (int(k) for k in rng.integers(1, 7, 4))
        cases.append({"queries": rows(rng, n, d), "key_rows": rows(rng, m, d), "values": rows(rng, m, dv),
                      "scale": float(10 ** rng.uniform(-1, 1))})
    for case, got in zip(cases, node("run_figures.js", {"figure": "matrix_stepper", "cases": cases})):
        q, k, v = (np.array(case[name]) for name in ("queries", "key_rows", "values"))
        names = [[str(i) for i in range(len(x))] for x in (q, k)]
        ours = MatrixStepper(q, k, v, *names, scale=case["scale"])
        output, weights = attention(q, k, v, scale=case["scale"])
        for theirs, whole, own in ((got["scores"], case["scale"] * q @ k.T, ours.scores),
                                   (got["weights"], weights, ours.weights), (got["outputs"], output, ours.outputs)):
            assert np.allclose(theirs, whole, rtol=0, atol=1e-12) and np.allclose(own, whole, rtol=0, atol=1e-12)


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
            Alignment([[0.94, 0.06], [0.2, 0.8]], ["je", "t'"], ["I", "you"], query_lang="fr", caption="Cap."),
            AttentionBudget([0.5, 0.2, 0.3], [[0.5, -1], [1, 0.2], [-0.3, 0.7]], ["a & b", "b", "c"], ["x", "y"], caption="Cap."),
            SoftmaxExplorer([0.9, -1.1, 0.2], ["a", "b", "c"], caption="Cap."),
            AttentionPlane([[1, 0.5], [-1, 1.5], [0.3, -1]], ["a", "b", "c"], selected=1, caption="Cap."),
            AttentionSteps([[1, 0.5], [0, -1]], [[0.3, 1], [1, 1]], [[2.0, 1], [-1, 3]], ["a", "b"], 1, 2, caption="Cap."),
            SoftDictionary(["n", "e", "s"], [0, 90, 180], [3, 8, 20], 120, 2, "degrees", caption="Cap."),
            MatrixStepper([[1, 0.5], [0, -1]], [[0.3, 1], [1, 1]], [[2.0], [-1]], ["a", "b"], cell=(0, 1), caption="Cap.")]


@pytest.mark.parametrize("widget", examples(), ids=repr)
def test_static_form(widget):
    """The still picture holds every number, and the state the script starts from."""
    html = widget._repr_mimebundle_()[0]["text/html"]
    state = json.loads(unescape(re.search(r'data-ak-state="([^"]*)"', html)[1]))
    assert {name: state[name] for name in state} == widget.state() and state["caption"] == "Cap."
    still = unescape(re.sub(r"data-ak-state=\"[^\"]*\"|data:image[^\"]*", "", html))
    shown = {"movie_matcher": lambda: [fixed(v, plus=True) for v in [*widget.products.flat, *widget.scores]],
             "square_editor": lambda: [fixed(v, 1) for v in widget.array.flat],
             "alignment": lambda: [fixed(v) for v in widget.tempered.flat],
             "attention_budget": lambda: [fixed(v) for v in [*widget.weights, *widget.average]],
             "softmax_explorer": lambda: [fixed(v) for v in widget.weights] + [fixed(v, plus=True) for v in widget.derivative.flat],
             "attention_plane": lambda: [fixed(v) for v in [*widget.weights.flat, *widget.outputs.flat]],
             "attention_steps": lambda: [fixed(v) for v in [*widget.weights, *widget.output]],
             "soft_dictionary": lambda: [*[fixed(v) for v in widget.weights], fixed(widget.answer, 1)],
             "matrix_stepper": lambda: [fixed(v) for x in (widget.scores, widget.weights, widget.outputs) for v in x.flat]}[widget.kind]()
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
    (lambda: AttentionBudget([0.5, 0.6], [[0, 0], [1, 1]], ["a", "b"], ["x", "y"]), ValueError, "sum to one, got a sum of 1.1"),
    (lambda: AttentionBudget([0.5, 0.5], [[0, 0], [1, 1]], ["a"], ["x", "y"]), ValueError, "got 1 and 2"),
    (lambda: AttentionBudget([1], [[0, 0]], ["a"], ["x", "y"]), ValueError, "at least two"),
    (lambda: AttentionBudget([1.5, -0.5], [[0, 0], [1, 1]], ["a", "b"], ["x", "y"]), ValueError, "weights must lie between 0 and 1"),
    (lambda: examples()[3].spend(0, 1.5), ValueError, "share must lie between 0 and 1"),
    (lambda: SoftmaxExplorer([1, 2], ["a"]), ValueError, r"scores must have shape \(1,\), got \(2,\)"),
    (lambda: SoftmaxExplorer([9], ["a"]), ValueError, "scores must lie between -4 and 4"),
    (lambda: AttentionPlane([[3, 0]], ["a"]), ValueError, "points must lie between -1.5 and 1.5"),
    (lambda: AttentionPlane([[1, 0]], ["a"], selected=1), ValueError, "selected must be one of the 1 points, counted from 0, got 1"),
    (lambda: AttentionPlane([[1, 0]], ["a"], selected=0.5), TypeError, "selected must be an integer, got 0.5"),
    (lambda: AttentionPlane([[1, 0]], ["a"], ["x"]), ValueError, "features must be two names, got 1"),
    (lambda: AttentionPlane([[1, 0]], ["a"], scale=99), ValueError, "scale must lie between 0.1 and 10, got 99"),
    (lambda: AttentionSteps([[1, 0]], [[1]], [[1]], ["a"]), ValueError, r"keys must have shape \(1, 2\), got \(1, 1\)"),
    (lambda: AttentionSteps([[1]], [[1]], [[1]], ["a"], step=5), ValueError, "step must be one of the 5 steps"),
    (lambda: SoftDictionary(["a"], [400], [1]), ValueError, "angles must lie between 0 and 360"),
    (lambda: SoftDictionary(["a"], [40], [1], query=-1), ValueError, "query must lie between 0 and 360"),
    (lambda: SoftDictionary(["a"], [40], [1, 2]), ValueError, r"values must have shape \(1,\)"),
    (lambda: MatrixStepper([[1]], [[1]], [[1]], ["a"], cell=(0, 1)), ValueError, "cell's column must be one of the 1 columns"),
    (lambda: MatrixStepper([[1]], [[1]], [[1]], ["a"], cell=(0,)), ValueError, "a row and a column"),
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
    for figure_, trait, value, error in ((3, "weights", [1, 1, 1], ValueError), (4, "scores", [0], ValueError), (4, "temperature", "hot", TypeError),
                                         (5, "points", [[0, 0]], ValueError), (5, "moved", 7, ValueError), (6, "step", 9, ValueError),
                                         (6, "selected", True, TypeError), (7, "query", 361, ValueError), (7, "sharpness", 0, ValueError),
                                         (8, "cell", [0, 9], ValueError), (8, "step", 3, ValueError)):
        widget = examples()[figure_]
        before = widget.state()
        with pytest.raises(error, match=trait):
            setattr(widget, trait, value)
        assert widget.state() == before


def test_what_is_shown_is_what_is_held():
    editor = SquareEditor([[0.25, -0.25, 0.34]])
    assert editor.numbers == [[0.3, -0.3, 0.3]] and editor.code == "np.array([[0.3, -0.3, 0.3]])"
    editor.numbers = np.array([[0.5]])
    assert editor.numbers == [[0.5]]


def test_each_figure_has_its_neighbours():
    folder = ROOT / "attnkit" / "widgets"
    scripts = {p.stem for p in folder.glob("*.js")} - {"core"}
    assert scripts == {p.stem for p in folder.glob("*.py")} - {"__init__", "figure"} == {w.kind for w in examples()}
