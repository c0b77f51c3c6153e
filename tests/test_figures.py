"""The interactive figures: Python's side, and JavaScript's arithmetic against it."""

import gzip
import json
import re
from html import unescape

import numpy as np
import pytest
import torch
from conftest import ROOT, node
from random_models import LEXICON, random_storyteller, random_translator, storytellers, translators

from attnkit import (
    alibi,
    attention,
    causal_mask,
    channel_and_spatial_attention,
    channel_attention,
    memory,
    multi_head_attention,
    relative_bias,
    rotary,
    scores,
    sinusoidal,
    softmax,
    spatial_attention,
    split_heads,
    window_mask,
)
from attnkit.figures import (
    Alignment,
    AttentionBill,
    AttentionBudget,
    AttentionMaps,
    AttentionPlane,
    AttentionSteps,
    DenseHeads,
    DocumentReader,
    GateAxes,
    HeadStepper,
    KernelHeads,
    MaskBuilder,
    MatrixStepper,
    MatrixTrainer,
    MovieMatcher,
    MovingWord,
    PositionPairs,
    ScoreField,
    SentenceTranslator,
    SequencePaths,
    SoftDictionary,
    SoftmaxExplorer,
    SquareEditor,
    StoryWriter,
    SwappedWords,
    attention_bill,
    base,
    document_reader,
    gate_axes,
    softmax_explorer,
)
from attnkit.figures.matrix_trainer import RATES, SPREADS, batch, measure, starting_matrix
from attnkit.lessons import costs, storyteller, visual_attention
from attnkit.lessons.dense_layers import ConcatenationClassifier, PoolingClassifier
from attnkit.lessons.pointing import FEATURES, pointing_sentences, word_vectors
from attnkit.lessons.pointing import WORDS as VOCABULARY
from attnkit.modules import AttentionPooling
from attnkit.pictures import draw, graphs
from attnkit.pictures.formats import compact, fixed, in_bytes, in_time, in_words

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
        rows_, columns = ([str(k) for k in range(n)] for n in wanted.shape)
        ours = Alignment(case["weights"], rows_, columns)
        ours.temperature = case["temperature"]
        assert np.allclose(got, wanted, rtol=0, atol=1e-12) and np.allclose(ours.tempered, wanted, rtol=0, atol=1e-7)


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
        ours = SoftmaxExplorer(s, [str(i) for i in range(len(s))], temperature=t)
        assert np.allclose(got["powers"], np.exp(s / t), rtol=1e-12) and np.allclose(got["powers"], ours.powers, rtol=1e-12)
        assert got["written"] == [softmax_explorer.written(power) for power in ours.powers]
        assert np.allclose(got["weights"], np.array(got["powers"]) / sum(got["powers"]), rtol=0, atol=1e-12)
        assert np.allclose(got["weights"], softmax(s, temperature=t), rtol=0, atol=1e-12)
        assert np.isclose(got["entropy"], ours.entropy, rtol=0, atol=1e-12)
        assert np.isclose(2 ** got["entropy"], np.exp(-np.sum(softmax(s / t) * np.log(softmax(s / t)))))
        steps = 1e-5 * np.eye(len(s))
        differences = np.stack([(softmax((s + e) / t) - softmax((s - e) / t)) / 2e-5 for e in steps], axis=-1)
        assert np.allclose(got["derivative"], differences, rtol=0, atol=1e-7)
        assert np.allclose(got["derivative"], ours.derivative, rtol=0, atol=1e-12)
        assert np.isclose(got["size"], np.linalg.norm(ours.derivative), rtol=0, atol=1e-12)


def test_softmax_explorer_writes_every_power_shortly():
    """From the smallest to the largest that there can be: neither 0.00, which no power is, nor a row of digits."""
    case = {"scores": [-4, -0.8, -0.5, 0, 0.6, 0.7, 4], "temperature": 0.1}
    [got] = node("run_figures.js", {"figure": "softmax_explorer", "cases": [case]})
    assert got["written"] == ["4.2 × 10^−18", "3.4 × 10^−4", "0.01", "1.00", "403.43", "1.1 × 10^3", "2.4 × 10^17"]
    explorer = SoftmaxExplorer(case["scores"], list("abcdefg"), temperature=0.1)
    assert [softmax_explorer.written(power) for power in explorer.powers] == got["written"]
    assert "<td>2.4 × 10<sup>17</sup></td>" in explorer.still() and "e<sup>score\xa0/\xa0T</sup>, T\xa0=\xa00.1</th>" in explorer.still()


def test_softmax_explorer_begins_where_it_is_told():
    """Reset leads back there; the details are no state of the reader's."""
    explorer = SoftmaxExplorer([1, 0], ["a", "b"], temperature=0.5, details=True)
    assert explorer.defaults == {"scores": [1, 0], "temperature": 0.5} and explorer.state()["details"]
    assert not SoftmaxExplorer([1, 0], ["a", "b"]).details
    explorer.temperature = 4
    assert explorer.defaults["temperature"] == 0.5


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
        around = abs(sum(a[0] * b[1] - a[1] * b[0] for a, b in zip(hull, np.roll(hull, -1, axis=0)))) / 2
        assert len(hull) >= min(3, len(x)) and (around > 0 or len(x) < 3)
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


def test_attention_maps_arithmetic():
    rng = np.random.default_rng(11)
    cases = []
    for _ in range(CASES):
        n, m, steps = (int(k) for k in rng.integers([2, 2, 1], [13, 13, 5]))
        side = str(rng.choice(["row", "column"]))
        cases.append({"weights": rng.dirichlet(np.ones(m) * 0.3, (steps, n)).round(3).tolist(), "step": int(rng.integers(steps)),
                      "word": [side, int(rng.integers(n if side == "row" else m))]})
    for case, got in zip(cases, node("run_figures.js", {"figure": "attention_maps", "cases": cases})):
        steps, n, m = np.shape(case["weights"])
        ours = AttentionMaps([{"rows": ["r"] * n, "columns": ["c"] * m, "weights": case["weights"]}], [str(t) for t in range(steps)])
        ours.step, ours.word = case["step"], case["word"]
        side, k = case["word"]
        wanted = np.array(case["weights"])[case["step"]][(k, slice(None)) if side == "row" else (slice(None), k)]
        assert got["numbers"] == ours.shown == wanted.tolist()
        assert got["strongest"] == ours.strongest and np.isclose(got["sum"], wanted.sum(), rtol=0, atol=1e-12)


def sentences():
    """Two sentences of different lengths, two steps, with and without the extras."""
    love = {"rows": ["je", "t'", "aime"], "columns": ["I", "love", "you"], "gold": [[0], [2], [1]], "said": ["je", "je t' aime"],
            "weights": [[[0.4, 0.3, 0.3]] * 3, [[0.94, 0.02, 0.04], [0.11, 0.01, 0.88], [0.03, 0.95, 0.02]]]}
    return [love, {"rows": ["le", "chat"], "columns": ["the", "black", "cat"], "weights": np.full((2, 2, 3), 1 / 3)}]


def test_attention_maps_follow_their_traits():
    maps = AttentionMaps(sentences(), ["0", "500"], rows_language="fr")
    assert maps.step == 1 and maps.word == ["row", 0] and maps.shown == [0.94, 0.02, 0.04]
    maps.word = ("column", 2)
    assert maps.shown == [0.04, 0.88, 0.02] and maps.strongest == 1
    maps.example = 1            # a sentence of two rows: the choice starts again, three decimals are kept
    assert maps.word == ["row", 0] and maps.shown == [0.333] * 3
    maps.example, maps.step = 0, 0
    assert 'says: “<span lang="fr">je</span>”' in maps.still() and "✓" in maps.still()
    maps.example = 1
    assert "says" not in maps.still() and "✓" not in maps.still()
    assert len(AttentionMaps(sentences(), ["0", "500"], step=0).examples) == 2


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


def test_swapped_words_format_differences():
    sizes = [0, 2.2e-16, 9.6e-16, 4e-13, 1.5e-5, 0.00096, 0.001, 0.83149, 12]
    assert [compact(x) for x in sizes] == ["0", "2e-16", "1e-15", "4e-13", "2e-5", "1e-3", "0.001", "0.831", "12.000"]
    case = {"words": ["a", "b", "c"], "swap": [0, 2], "right_at": [0]}
    cases = [{**case, "chosen": {"output": [[0, -1], [x, -1]], "answers": [[[["a", 1]]]] * 2}} for x in sizes]
    got = node("run_figures.js", {"figure": "swapped_words", "cases": cases})
    assert [g["written"] for g in got] == [compact(x) for x in sizes] and [g["same"] for g in got] == [x < 1e-12 for x in sizes]
    assert [g["right"] for g in got] == [[[True], [False]]] * len(sizes)


def test_head_stepper_arithmetic():
    rng = np.random.default_rng(11)
    cases = []
    for _ in range(CASES):
        h, n, d = int(rng.integers(1, 5)), int(rng.integers(1, 7)), int(rng.integers(1, 9))
        dk, dv = (int(rng.integers(1, 8 // h + 1)) for _ in range(2))
        cases.append({"x": rows(rng, n, d), "w_query": rows(rng, d, h * dk), "w_key": rows(rng, d, h * dk),
                      "w_value": rows(rng, d, h * dv), "w_output": rows(rng, h * dv, d), "num_heads": h,
                      "temperature": float(10 ** rng.uniform(-1, 1))})
    for case, got in zip(cases, node("run_figures.js", {"figure": "head_stepper", "cases": cases})):
        x, *w = (np.array(case[name]) for name in ("x", "w_query", "w_key", "w_value", "w_output"))
        h, t = case["num_heads"], case["temperature"]
        ours = HeadStepper(x, *w, h, [str(i) for i in range(len(x))])
        plain = multi_head_attention(x, x, x, *w, num_heads=h)
        assert np.allclose(ours.output, plain[0], rtol=0, atol=1e-12) and np.allclose(ours.weights, plain[1], rtol=0, atol=1e-12)
        ours.temperature = t
        q, k, v = (split_heads(x @ m, h) for m in w[:3])
        output, weights = multi_head_attention(x, x, x, *w, num_heads=h, scale=1 / (t * q.shape[-1] ** 0.5))
        wanted = {"queries": q, "keys": k, "values": v, "scores": scores.scaled_dot(q, k), "weights": weights,
                  "heads": weights @ v, "output": output}
        for name, numbers in wanted.items():
            assert np.allclose(got[name], numbers, rtol=0, atol=1e-11), name
        # One wide product, or a product for each head and their sum: the same numbers.
        assert np.allclose(np.sum(got["shares"], axis=0), output, rtol=0, atol=1e-11)
        assert np.allclose(ours.output, output, rtol=0, atol=1e-12) and np.allclose(ours.weights, weights, rtol=0, atol=1e-12)


def test_score_field_arithmetic():
    rng = np.random.default_rng(12)
    cases = []
    for c in range(CASES):
        m, hidden = (int(k) for k in rng.integers(1, 7, 2))
        cases.append({"key_rows": rng.uniform(-3, 3, (m, 2)).round(6).tolist(),
                      "query": [0, 0] if c % 9 == 0 else rng.uniform(-3, 3, 2).round(6).tolist(),
                      "weight": rows(rng, 2, 2), "w_query": rows(rng, 2, hidden), "w_key": rows(rng, 2, hidden),
                      "bias": rows(rng, hidden), "v": rows(rng, hidden), "score": ScoreField.SCORES[c % 6]})
    for case, got in zip(cases, node("run_figures.js", {"figure": "score_field", "cases": cases})):
        names = ("key_rows", "query", "weight", "w_query", "w_key", "bias", "v")
        keys, query, weight, w_query, w_key, bias, v = (np.array(case[name], dtype=float) for name in names)
        function = {"dot": scores.dot, "scaled dot": scores.scaled_dot, "cosine": scores.cosine, "distance": scores.distance,
                    "general": lambda q, k, w=weight: scores.general(q, k, w),
                    "additive": lambda q, k, given=(w_query, w_key, v, bias): scores.additive(q, k, *given)}[case["score"]]
        s = function(query[None], keys)[0]
        ours = ScoreField(keys, query, weight, w_query, w_key, bias, v, [str(i) for i in range(len(keys))], case["score"])
        for theirs, own, whole in ((got["scores"], ours.scores, s), (got["weights"], ours.weights, softmax(s))):
            assert np.allclose(theirs, whole, rtol=0, atol=1e-12) and np.allclose(own, whole, rtol=0, atol=1e-12)


def test_dense_heads_arithmetic():
    rng = np.random.default_rng(13)
    cases = []
    for c in range(CASES):
        n, d = int(rng.integers(1, 5)), int(rng.integers(1, 4))
        cases.append({"items": rows(rng, n, d), "blocks": rows(rng, n, d), "sharpness": float(40 if c % 5 == 0 else rng.uniform(0, 20))})
    for case, got in zip(cases, node("run_figures.js", {"figure": "dense_heads", "cases": cases})):
        x, blocks, beta = (np.array(case[name]) for name in ("items", "blocks", "sharpness"))
        n, d = x.shape
        ours = DenseHeads(x, blocks.reshape(1, -1), beta.item())
        # The same by real projections: to the items their places are added, from which the scores are made.
        placed = np.hstack([x, np.eye(n)])
        place, item = (np.eye(d + n)[:, part] for part in (slice(d, None), slice(None, d)))
        queries = [np.vstack([np.zeros((d, n)), np.tile(beta * np.sqrt(n) * np.eye(n)[i], (n, 1))]) for i in range(n)]
        output, weights = multi_head_attention(placed, placed, placed, np.hstack(queries), np.hstack([place] * n), np.hstack([item] * n),
                                               blocks.reshape(-1, 1), num_heads=n)
        for theirs, own, whole in ((got["weights"], ours.weights, weights[:, 0]), (got["reads"], ours.reads, weights[:, 0] @ x),
                                   (got["output"], ours.output, output[0, 0]), (got["exact"], ours.exact, x.ravel() @ blocks.ravel())):
            assert np.allclose(theirs, whole, rtol=0, atol=1e-11) and np.allclose(own, whole, rtol=0, atol=1e-11)
        assert np.allclose(got["pieces"], ours.pieces, rtol=0, atol=1e-11) and np.isclose(sum(got["pieces"]), got["output"])
        gap = abs(got["output"] - got["exact"])
        assert got["gap"] == ("below 1e-13" if gap < 1e-13 else compact(gap))


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


def test_moving_word_agrees_with_the_models():
    """What the figure makes of a model's pieces is what the model says itself."""
    words = ["a", "b", "c", "d", "e"]
    torch.manual_seed(0)
    dense = ConcatenationClassifier(num_words=5, length=4, num_answers=2, width=3).double()
    blend = PoolingClassifier(num_words=5, num_answers=2, width=3, hidden=2).double()
    assert isinstance(blend.pool, AttentionPooling)
    with torch.no_grad():
        scores_, readings = blend.contributions()
        figure = MovingWord(["c", "d", "e"], ["a", "b"], words, dense.contributions().numpy(), dense.readout[0].bias.numpy(), scores_.numpy(),
                            readings.numpy(), blend.readout.bias.numpy(), seen=2)
        for figure.place in range(4):
            for figure.answer in range(2):
                sentence = torch.tensor([[words.index(word) for word in figure.sentence]])
                assert np.allclose(figure.dense, dense(sentence).softmax(-1)[0], atol=1e-7)        # Python holds nine decimals
                assert np.allclose(figure.attention, blend(sentence).softmax(-1)[0], atol=1e-7)
                assert np.allclose(figure.weights, blend.pool(blend.embedding(sentence))[1][0], atol=1e-7)


def test_kernel_heads_arithmetic():
    rng = np.random.default_rng(15)
    cases = []
    for c in range(100):
        height, width = (int(k) for k in rng.integers(1, 9, 2))
        figure = KernelHeads(rng.normal(size=(height, width)).round(3), {"one": rows(rng, 3, 3), "two": np.eye(3)})
        cases.append({"pixels": figure.pixels, "kernels": figure.kernels, "exacts": figure.exacts, "kernel": c % 2,
                      "pixel": [int(rng.integers(height)), int(rng.integers(width))], "sharpness": float(40 if c % 3 == 0 else 10 ** rng.uniform(-1, 1.6))})
    for case, got in zip(cases, node("run_figures.js", {"figure": "kernel_heads", "cases": cases})):
        ours = KernelHeads(case["pixels"], dict(zip("ab", case["kernels"])), case["pixel"], case["kernel"], case["sharpness"])
        assert np.allclose(got["reads"], ours.reads, rtol=0, atol=1e-12) and np.allclose(got["output"], ours.output, rtol=0, atol=1e-12)
        at = np.ravel_multi_index(case["pixel"], ours.output.shape)
        whole = np.einsum("ar,bc->abrc", got["rows"], got["columns"]).reshape(3, 3, -1)
        assert np.allclose(whole, ours.weights[:, :, at], rtol=0, atol=1e-12)
        pixels, kernel = (torch.tensor(x, dtype=torch.double)[None, None] for x in (case["pixels"], case["kernels"][case["kernel"]]))
        theirs = torch.nn.functional.conv2d(torch.nn.functional.pad(pixels, (1,) * 4, mode="replicate"), kernel)[0, 0]
        assert np.allclose(ours.exact, theirs, rtol=0, atol=1e-8)
        gap = np.abs(np.array(got["output"]) - ours.exact).max()
        assert np.isclose(got["gap"], gap) and got["written"] == ("below 1e-8" if gap < 1e-8 else compact(gap))
        assert case["sharpness"] < 40 or gap < 1e-8


# ---- training a matrix

def pointing(**changed):
    """The figure with the data of the chapter on learning: forty sentences to train on, twenty held out."""
    sentences, at = pointing_sentences(60)
    numbers = [[VOCABULARY.index(word) for word in sentence] for sentence in sentences]
    return MatrixTrainer(VOCABULARY, word_vectors(), FEATURES, numbers[:40], at[:40], numbers[40:], at[40:], **changed)


def lessons_of(rng, d, count, spread=1):
    """Made-up vectors and sentences of different lengths; the first word of all asks, at the second place of each."""
    numbers = [[int(w) for w in rng.integers(0, 12, rng.integers(2, 9))] for _ in range(count)]
    for sentence in numbers:
        sentence[1] = 0
    return {"vectors": (spread * rng.uniform(-2, 2, (12, d))).round(3).tolist(), "sentences": numbers,
            "answers": [int(rng.integers(len(sentence))) for sentence in numbers]}


def test_starting_matrix_is_the_same_in_both_languages():
    """Bit by bit: at step 0, the script's M is that of the chapter."""
    one = {**pointing().state(), "path": [], "sentences": [[0, 1]], "answers": [0], "held_out": [[0, 1]], "held_out_answers": [0]}
    cases = [{**one, "seed": 37 * k % 10_000 if k < 190 else 9_800 + k, "spread": SPREADS[k % 2]} for k in range(200)]
    assert cases[-1]["seed"] == 9_999
    for case, got in zip(cases, node("run_figures.js", {"figure": "matrix_trainer", "cases": cases})):
        assert got["matrix"] == starting_matrix(case["seed"], 4, case["spread"]).tolist()
    many = np.array([starting_matrix(seed, 4, 1) for seed in range(2000)])
    assert len(np.unique(many)) == many.size and np.abs(many).max() <= 1
    assert np.allclose([many.mean(), (many**2).mean()], [0, 1 / 3], atol=0.01)       # evenly spread
    assert abs(np.corrcoef(many[:-1].ravel(), many[1:].ravel())[0, 1]) < 0.02       # neighbouring seeds have nothing in common


def test_matrix_trainer_arithmetic():
    rng = np.random.default_rng(16)
    cases, widgets = [], []
    for k in range(120):
        d = int(rng.integers(1, 7))
        training, held_out = (lessons_of(rng, d, int(rng.integers(1, 9))) for _ in range(2))
        path = [[float(rng.choice([0.1, 1])), int(rng.integers(1, 9))] for _ in range(rng.integers(0, 4))]
        widgets.append(MatrixTrainer([f"w{i}" for i in range(12)], training["vectors"], [f"f{i}" for i in range(d)], training["sentences"],
                                     training["answers"], held_out["sentences"], held_out["answers"], seed=int(rng.integers(10_000)),
                                     spread=SPREADS[k % 2]))
        widgets[-1].path = path
        cases.append(widgets[-1].state())
    for ours, got in zip(widgets, node("run_figures.js", {"figure": "matrix_trainer", "cases": cases})):
        assert len(ours.losses) == ours.steps + 1 == len(got["losses"])
        for name in ("losses", "held_out_losses", "matrix", "slopes"):
            assert np.allclose(got[name], getattr(ours, name), rtol=1e-9, atol=1e-11), name
        for theirs, own in ((got["weights"], ours.weights), (got["held_out_weights"], ours.held_out_weights)):
            assert [len(row) for row in theirs] == [len(row) for row in own]
            assert all(np.allclose(a, b, rtol=0, atol=1e-9) and np.isclose(sum(a), 1) for a, b in zip(theirs, own))


def pulled(matrix, vectors, sentences, answers, asks=1):
    """The loss of a matrix as one writes it in torch, sentence by sentence."""
    losses = []
    for sentence, at in zip(sentences, answers):
        x = vectors[sentence]
        losses.append((((x[asks] @ matrix @ x.T).softmax(0) @ x - x[at]) ** 2).sum())
    return torch.stack(losses).mean()


def test_matrix_trainer_slopes_are_those_of_torch():
    """At matrices of small and of large numbers; a word of any vector may ask."""
    rng = np.random.default_rng(17)
    cases = []
    for _ in range(300):
        case = lessons_of(rng, int(rng.integers(2, 7)), int(rng.integers(3, 13)), spread=rng.choice([0.3, 1]))
        cases.append({**case, "words": [str(i) for i in range(12)], "asks": 1, "seed": int(rng.integers(10_000)), "path": [], "rate": 1,
                      "spread": float(rng.choice([0.5, 3, 30])), "held_out": case["sentences"], "held_out_answers": case["answers"]})
    for case, got in zip(cases, node("run_figures.js", {"figure": "matrix_trainer", "cases": cases})):
        vectors = torch.tensor(case["vectors"], dtype=torch.double)
        start = starting_matrix(case["seed"], vectors.shape[1], case["spread"])
        matrix = torch.tensor(start, requires_grad=True)
        loss = pulled(matrix, vectors, case["sentences"], case["answers"])
        loss.backward()
        own = measure(start, *batch(vectors.numpy(), case["sentences"], case["answers"], 1))
        largest = matrix.grad.abs().max().item()
        for whole, slopes in ((got["losses"][0], got["slopes"]), own[:2]):
            assert np.isclose(whole, loss.item(), rtol=1e-12, atol=1e-12)
            assert np.allclose(slopes, matrix.grad, rtol=0, atol=1e-9 * largest + 1e-14)


def test_fifty_steps_are_those_of_torch():
    """With the data of the chapter: each loss of a training, of the training sentences and of those that are held out."""
    widgets = [pointing(seed=seed, rate=rate, steps=50) for seed in range(5) for rate in (0.1, 1.0, 10.0)]
    trained = node("run_figures.js", {"figure": "matrix_trainer", "cases": [widget.state() for widget in widgets]})
    vectors = torch.tensor(widgets[0].vectors, dtype=torch.double)

    def losses(matrices, sentences, answers):      # of all trainings at once: shape (trainings,)
        x = vectors[torch.tensor(sentences)]
        weights = ((x[:, 1] @ matrices)[:, :, None] @ x.mT).softmax(-1)
        return (((weights @ x)[:, :, 0] - x[range(len(x)), answers]) ** 2).sum(-1).mean(-1)

    matrices = torch.tensor(np.array([starting_matrix(widget.seed, 4, 0.5) for widget in widgets]), requires_grad=True)
    rates = torch.tensor([widget.rate for widget in widgets], dtype=torch.double)[:, None, None]
    wanted = []
    for _ in range(51):
        now = losses(matrices, widgets[0].sentences, widgets[0].answers)
        wanted.append(torch.stack([now, losses(matrices, widgets[0].held_out, widgets[0].held_out_answers)]).detach())
        now.sum().backward()
        with torch.no_grad():
            matrices -= rates * matrices.grad
            matrices.grad.zero_()
    for widget, got, whole in zip(widgets, trained, torch.stack(wanted).permute(2, 1, 0).numpy()):
        for name, numbers in zip(("losses", "held_out_losses"), whole):
            assert np.allclose(got[name], numbers, rtol=1e-9, atol=1e-12), name
            assert np.allclose(getattr(widget, name), numbers, rtol=1e-9, atol=1e-12), name


def test_fifty_steps_are_those_of_the_notebook():
    """The page's figure, with its own state, begins where the chapter's torch cell begins, and has its loss at each step."""
    notebook = json.loads((ROOT / "chapters/learning.ipynb").read_text(encoding="utf-8"))
    cells = {cell["id"]: "".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"}
    chapter = {}
    for name in [*list(cells)[:list(cells).index("train") + 1], "trainer"]:
        exec(cells[name], chapter)
    state = {**chapter["trainer"].state(), "path": [[1.0, 50]]}
    [got] = node("run_figures.js", {"figure": "matrix_trainer", "cases": [state]})
    assert len(chapter["losses"]) == 50
    assert np.allclose(got["losses"][:50], chapter["losses"], rtol=1e-9, atol=1e-12)
    assert np.allclose(got["matrix"], chapter["trained"], rtol=1e-9, atol=1e-12)


def claims(said):
    """The numbers of a status line of the trainer, by what they are."""
    patterns = {"steps": r"After (\d+) steps? ", "loss": r"the loss is ((?:below )?[\d.]+\d)", "right": r"right word ([\d.]+) of its weight on average",
                "average": r"largest weight, ([\d.]+) on average", "hard": r"In (\d+) of 40 training sentences a wrong word has more than 0.99",
                "slope": r"[Tt]he largest slope is (?:only )?((?:below )?[\d.]+\d)"}
    return {name: found[1] for name, pattern in patterns.items() if (found := re.search(pattern, said))}


def near(text, value):
    """Whether a written number is that number, rounded where it was written."""
    if text.startswith("below "):
        return value < float(text.removeprefix("below "))
    return abs(float(text) - value) <= 0.5 * 10 ** -len(text.split(".")[1]) * (1 + 1e-6)


def test_matrix_trainer_says_what_is_true():
    """Each sentence of the status line, for every seed to 30, start and rate, against numbers made here."""
    ours = pointing()
    cases = [{**ours.state(), "seed": seed, "spread": spread, "rate": rate, "path": [[rate, steps]] if steps else []}
             for seed in range(31) for spread in SPREADS for rate in RATES for steps in (0, 1, 3, 25)]
    training, held_out = (batch(np.array(ours.vectors), *data, 1) for data in ((ours.sentences, ours.answers), (ours.held_out, ours.held_out_answers)))
    at = {40: (np.arange(40), ours.answers), 20: (np.arange(20), ours.held_out_answers)}
    kinds = {}
    for case, got in zip(cases, node("run_figures.js", {"figure": "matrix_trainer", "cases": cases})):
        matrix, kind, said = np.array(got["matrix"]), got["kind"], claims(got["said"])
        loss, slopes, weights = measure(matrix, *training)
        held_out_loss, _, held_out_weights = measure(matrix, *held_out)
        wrong = weights.copy()
        wrong[at[40]] = 0
        right = held_out_weights[at[20]]
        assert near(said["loss"], loss), (case["seed"], got["said"])
        assert ("steps" in said) == (kind != "guess") and int(said.get("steps", 0)) == len(got["losses"]) - 1
        assert all(near(said[name], right.mean()) for name in ("right", "average") if name in said)
        assert "slope" not in said or near(said["slope"], np.abs(slopes).max())
        assert int(said.get("hard", 0)) in (0, (wrong > 0.99).sum()) and ("hard" in said or kind == "learned" or not (wrong > 0.99).any())
        assert ("went up" in got["said"]) == (kind == "learning" and got["losses"][-1] > got["losses"][-2])
        if kind == "learned":
            first = np.sort(held_out_weights, axis=1)
            assert (right == first[:, -1]).all() and (first[:, -1] > first[:, -2]).all() and loss < 0.02 and held_out_loss < 0.02
            assert "all 20 held-out" in got["said"] and right.mean() > 0.7
        if kind == "frozen":
            hard = weights[(wrong > 0.99).any(axis=1)]
            assert loss > 0.1 and abs(measure(matrix - case["rate"] * slopes, *training)[0] - loss) < 0.001
            assert len(hard) and np.abs(np.eye(5) * hard[:, None] - hard[:, :, None] * hard[:, None]).max() < 0.01      # the softmax's slopes
            assert np.abs(slopes).max() < 0.03
        kinds.setdefault(kind, set()).add((case["spread"], case["rate"]))
    assert set(kinds) == {"guess", "learning", "learned", "frozen"}
    assert {spread for spread, _ in kinds["frozen"]} == set(SPREADS) and (0.5, 1.0) in kinds["learned"] | kinds["learning"]
    assert not {(0.5, 0.1), (0.5, 1.0)} & kinds["frozen"]


def test_matrix_trainer_keeps_a_path():
    """A path is replayed: its pieces may have different rates, and another seed or rate leaves it as it is."""
    trainer = pointing(steps=3)
    assert trainer.path == [[1, 3]] and trainer.steps == 3 and trainer.losses.shape == (4,) and pointing().path == []
    early = trainer.losses
    trainer.rate = 10
    assert trainer.steps == 3
    trainer.path = ([1, 3], (10, 4))
    assert trainer.path == [[1, 3], [10, 4]] and np.array_equal(trainer.losses[:4], early) and trainer.losses[-1] < 0.1 * early[-1]
    trainer.seed = 1
    assert trainer.losses[0] != early[0] and trainer.steps == 7
    assert trainer.defaults == {"path": [[1, 3]], "rate": 1, "seed": 0, "spread": 0.5}
    assert len(trainer.weights) == 40 and len(trainer.held_out_weights) == 20 and trainer.held_out_weights[0].shape == (5,)
    assert pointing(steps=300).losses[-1] < 0.002 < 0.007 < pointing(steps=50).losses[-1] < 0.009
    assert pointing(shown=18).still().count("see ") == 2 and pointing(shown=14).still().count("see ") == 4


def test_formats_agree_in_python_and_javascript():
    rng = np.random.default_rng(4)
    numbers = [0.125, -0.125, 0.5, -0.0, 0.0, -0.004, 0.005, 1.005, 2.675, 1e-9, 99.995, 1e14, -3.0]
    numbers += rng.normal(size=400).tolist() + (rng.integers(-4000, 4000, 400) / 1000).tolist()
    cases = [[x, int(rng.integers(0, 5)), bool(rng.integers(2))] for x in numbers]
    for (x, digits, plus), (text, opacity) in zip(cases, node("run_figures.js", {"numbers": cases})):
        assert text == fixed(x, digits, plus=plus)
        assert opacity == draw.opacity(x, 3)


def examples():
    """One of each figure, by its kind."""
    widgets = [MovieMatcher([0.8, -0.5], [[0.9, -0.6], [-0.8, 0.9]], ["A & B", "C"], ["action", "romance"], caption="Cap."),
            SquareEditor([[0.9, -0.4], [0.1, 0.5]], caption="Cap."),
            Alignment([[0.94, 0.06], [0.2, 0.8]], ["je", "t'"], ["I", "you"], query_lang="fr", caption="Cap."),
            AttentionBudget([0.5, 0.2, 0.3], [[0.5, -1], [1, 0.2], [-0.3, 0.7]], ["a & b", "b", "c"], ["x", "y"], caption="Cap."),
            SoftmaxExplorer([0.9, -1.1, 0.2], ["a", "b", "c"], details=True, caption="Cap."),
            AttentionPlane([[1, 0.5], [-1, 1.5], [0.3, -1]], ["a", "b", "c"], selected=1, caption="Cap."),
            AttentionSteps([[1, 0.5], [0, -1]], [[0.3, 1], [1, 1]], [[2.0, 1], [-1, 3]], ["a", "b"], 1, 2, caption="Cap."),
            SoftDictionary(["n", "e", "s"], [0, 90, 180], [3, 8, 20], 120, 2, "degrees", caption="Cap."),
            MatrixStepper([[1, 0.5], [0, -1]], [[0.3, 1], [1, 1]], [[2.0], [-1]], ["a", "b"], cell=(0, 1), caption="Cap."),
            AttentionMaps(sentences(), ["0", "500"], step_name="training steps", rows_language="fr", caption="Cap."),
            swapped(np.random.default_rng(12)),
            HeadStepper([[1, 0.5], [0, -1]], [[1, 0.3], [0, 1]], [[1, 1], [1, 0]], [[1, 0], [2, 1]], [[1, -1], [0, 1]], 2, ["a", "b"], caption="Cap."),
            ScoreField([[1, 0.5], [-2, 1]], [1, 2], [[0, 1], [1, 0]], [[1], [0.5]], [[1], [-1]], [0.3], [2], ["a", "b"], "general", caption="Cap."),
            MaskBuilder(["a & b", "b", "c"], [[1, 0, 2], [2, 2, 5], [0, 0, 0]], caption="Cap."),
            trainer(steps=3, caption="Cap."), DenseHeads([[1, 2], [3, -4]], [[1, 0.5, 0, -2]], caption="Cap."), moving(caption="Cap."), kernels(caption="Cap."),
            pairs(caption="Cap."), storytelling(caption="Cap."), translating(caption="Cap."),
            reviewing(removed=[4], caption="Cap."), billed(caption="Cap."),
            SequencePaths(12, "window", 2, caption="Cap."), gating(caption="Cap.")]
    return {widget.kind: widget for widget in widgets}


TIMES = {"lengths": [128, 2048, 8192], "ms": {"whole": [0.12, 14.5, 216.0], "blocks": [0.14, 13.1, 193.5], "window": [None, 4.1, 17.0],
                                              "linear": [0.08, 0.8, None], "torch kernel": [0.05, 6.6, 109.5]}}


def billed(**changed):
    return AttentionBill(**({"length": 2048, "width": 512, "heads": 8, "measured": TIMES} | changed))


def trainer(**changed):
    return MatrixTrainer(**({"words": ["see", "that", "girl & co", "run"], "vectors": [[0, 1], [0.1, 0.9], [1, 0], [0.2, 0.8]],
                             "features": ["thing", "a & b"], "sentences": [[0, 1, 2], [0, 1, 3, 2]], "answers": [2, 3], "held_out": [[0, 1, 2, 3]],
                             "held_out_answers": [2]} | changed))


def moving(**changed):
    return MovingWord(**({"chatter": ["so", "I & you"], "answers": ["tea", "milk"], "vocabulary": ["milk", "so", "I & you", "tea"],
                          "dense_pieces": np.arange(24).reshape(3, 4, 2) / 10, "dense_bias": [0, 1], "word_scores": [2, 0, 1, 3],
                          "readings": np.eye(4)[:, :2], "read_bias": [0, 0], "seen": 1} | changed))


def kernels(**changed):
    return KernelHeads(**({"picture": [[0, 0.5], [1, 0.2]], "kernels": {"edges": [[-1, 0, 1]] * 3, "same": np.diag([0, 1, 0])}} | changed))


def pairs(**changed):
    rng = np.random.default_rng(8)
    given = {"learned": rng.normal(size=(12, 16)).round(2), "bias": [-0.9, 0.4, 1.1, -0.2, 0.3, 0.6, -0.5]}
    return PositionPairs(**(given | changed))


def storytelling(**changed):
    return StoryWriter(**({"model": random_storyteller(0), "prompt": "Zoe met Rex .", "beginnings": ["Zoe met Rex .", "the Zoe"]} | changed))


def translating(**changed):
    return SentenceTranslator(**({"model": RANDOM_TRANSLATOR, "grammar": GRAMMAR, "sentence": "I see the cats", "examples": ["you love me", "I see"]} | changed))


ENGLISH, FRENCH = ("I", "you", "see", "love", "me", "the", "cats", "birds"), ("je", "tu", "t'", "aime", "vois", "les", "chats")
RANDOM_TRANSLATOR = random_translator(6, source_words=ENGLISH, target_words=FRENCH)
# I see | I love or you see or you love something: me, you, the cats, the birds.
GRAMMAR = {"next": [{"I": 1, "you": 2}, {"see": 3, "love": 4}, {"see": 5, "love": 5}, {"you": 6, "the": 7}, {"you": 6, "the": 7},
                    {"me": 6, "the": 7}, {}, {"cats": 6, "birds": 6}], "final": [3, 6]}


def reviewing(**changed):
    """A model with random numbers reads three short documents; "masterpiece" has the largest score, "a & b" the smallest."""
    model = document_reader.random_model(1, words=["the", "plot", "is", "masterpiece", "dull", "fine", "a & b"])
    model["scores"] = [0, 0.5, -0.5, 4, 2, 1.5, -1]
    given = {"model": model, "documents": [[0, 1, 2, 3, 4, 4, 6], [0, 5], [6, 2, 1, 5, 0]], "labels": ("bad", "good"), "answers": [1, 1, 0]}
    return DocumentReader(**(given | changed))


def gating(**changed):
    """Models with random numbers for each axis look at two small pictures; three answers, with their shapes."""
    models = {axis: gate_axes.random_model(k, axis, filters=3, hidden=3, answers=3) for k, axis in enumerate(gate_axes.AXES)}
    given = {"models": models, "pictures": np.random.default_rng(60).uniform(size=(2, 4, 5, 3)).round(2), "labels": [2, 0],
             "names": {"plus": [" # ", "###", " # "], "bar": ["#"], "a & b": ["# ", " #"]}, "axis": "both", "lit": [[0, 1, 0, 0], [0, 0, 1, 1]]}
    return GateAxes(**(given | changed))


@pytest.mark.parametrize("widget", examples().values(), ids=examples())
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
             "softmax_explorer": lambda: [*[fixed(v) for v in [*widget.powers, widget.powers.sum(), *widget.weights]],
                                          *[fixed(v, plus=True) for v in widget.derivative.flat]],
             "attention_plane": lambda: [fixed(v) for v in [*widget.weights.flat, *widget.outputs.flat]],
             "attention_steps": lambda: [fixed(v) for v in [*widget.weights, *widget.output]],
             "soft_dictionary": lambda: [*[fixed(v) for v in widget.weights], fixed(widget.answer, 1)],
             "head_stepper": lambda: [fixed(v) for v in [*widget.weights.flat, *widget.output.flat]],
             "score_field": lambda: [fixed(v) for v in [*widget.scores, *widget.weights]],
             "dense_heads": lambda: [fixed(v) for v in [*widget.weights.flat, *widget.reads.flat, *widget.pieces, widget.output, widget.exact]],
             "moving_word": lambda: [*widget.sentence, *[fixed(v) for v in [*widget.weights, *widget.dense, *widget.attention]]],
             "kernel_heads": lambda: [fixed(v) for v in [*widget.reads.flat, widget.output[0, 0], widget.exact[0, 0]]],
             "attention_maps": lambda: [fixed(v) for v in widget.weights.flat],
             "matrix_trainer": lambda: [*[fixed(v, 3) for v in [*widget.losses, *widget.held_out_losses]],
                                        *[fixed(v) for v in [*widget.matrix.flat, *widget.held_out_weights[0]]]],
             "mask_builder": lambda: [*[fixed(v) for v in [*widget.weights[np.array(widget.mask)], *widget.weights.sum(axis=1)]], "×"],
             "matrix_stepper": lambda: [fixed(v) for x in (widget.scores, widget.weights, widget.outputs) for v in x.flat],
             "position_pairs": lambda: [fixed(v) for v in [*np.ravel([*widget.vectors.values()]), *widget.bias, widget.found["sinusoidal"],
                                                           widget.found["learned"], widget.found["alibi"], *widget.found["rotary"]]],
             "story_writer": lambda: [*widget.story, *[fixed(v, 3) for v in np.sort(widget.chances)[-5:]], fixed(widget.temperature),
                                       *[fixed(v) for v in widget.weights[:, :, -1].max(axis=-1).flat]],
             "sentence_translator": lambda: [*widget.sentence.split(), *widget.translation,
                                             *[fixed(v) for v in [*widget.weights.flat, *widget.chances.max(axis=1)]]],
             "attention_bill": lambda: [text for method in attention_bill.METHODS for bill in [widget.of(method)]
                                        for text in [*[in_words(bill[name]) for name in ("projections", "attention", "operations")],
                                                     *[in_bytes(bill[name]) for name in ("weights", "cache")],
                                                     *[in_time(bill[name]) for name in ("measured", "estimate")]]],
             "document_reader": lambda: [*words_of(widget), *[fixed(v) for v in np.sort(widget.weights)[-5:]],
                                         fixed(max(widget.probability, 1 - widget.probability))],
             "sequence_paths": lambda: [*[f"<td>{number}</td>" for counted in widget.compared.values() for number in counted.values()],
                                        ", ".join(map(str, graphs.Network(widget.network, widget.length).heard(widget.source)))],
             "gate_axes": lambda: [fixed(v) for v in [*widget.features.mean(axis=0), *widget.channel_gates, *widget.gated.max(axis=0), *widget.chances,
                                                      widget.channel_gates.sum(), widget.place_gates.sum()]],
             "swapped_words": lambda: [compact(widget.difference), *[fixed(v) for case in widget.cases for v in np.ravel(case["weights"])],
                                       *[f"{word} {fixed(p)}" for case in widget.cases for answers in case["answers"] for best in answers
                                         for word, p in best]]}[widget.kind]()
    assert all(text in still for text in shown)
    assert "<script" not in html and repr(widget) == f"<{type(widget).__name__}>"


@pytest.mark.parametrize("widget", examples().values(), ids=examples())
def test_one_source_live_and_static(widget):
    """What a notebook loads is the plain script plus an export."""
    plain = base.script("core") + base.script(widget.kind)
    assert widget._esm.startswith(plain) and widget._esm[len(plain):].startswith("export default")
    for name in ("core", widget.kind):
        assert not re.search(r"^\s*(import|export)\b", base.script(name), flags=re.M)


# ---- what a figure says and draws only where it is asked to: a page with nothing else on it

WORDS, AXES = ["dull", "start", "but", "stunning", "chase"], ["praise", "action"]
POINTS = [[-0.9, -0.6], [0, -0.4], [-0.2, 0], [0.9, 0.5], [0.2, 0.9]]
READERS = {"Mia": [0.01, 0.03, 0.05, 0.43, 0.48], "Ben": [0.77, 0.1, 0.1, 0.01, 0.02]}


def reading(readers, count=3):
    return AttentionBudget(np.eye(count)[0], POINTS[:count], WORDS[:count], AXES, readers=readers)


def alone(w, tmp_path, widget):
    """Open a page that holds one figure alive, in the book's own letters, and return the figure."""
    face = f"@font-face{{font-family:'Source Sans 3';font-weight:200 900;src:url({(ROOT / '_static/fonts/sans.woff2').as_uri()})}}"
    style = f"body{{margin:0}}{face}{base.core_stylesheet()}{base.stylesheet(widget.kind)}"
    script = base.script("core") + base.script(widget.kind)
    page = tmp_path / "figure.html"
    page.write_text(f"<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'><style>{style}</style>"
                    f"<body>{widget.html()}<script>{script}globalThis.attnkit.mount(document)</script></html>", encoding="utf-8")
    w.open(page.as_uri())
    return w.page.locator(".ak-figure")


def status(w, found):
    w.settle()
    return found.get_by_role("status").inner_text()


MEETING = """figure => { const boxes = [...figure.querySelectorAll('.ak-plane :is(text, circle:not(.ak-hit))')].map(e => [e.textContent, e.getBoundingClientRect()]);
    const rest = 3;   // what a line of text has above and below its letters
    return boxes.flatMap(([name, a], i) => name ? boxes.filter(([, b], j) => j !== i && a.left < b.right && b.left < a.right
        && a.top + rest < b.bottom - rest && b.top + rest < a.bottom - rest).map(([other]) => `${name} meets ${other || "a point"}`) : []) }"""


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 360])
def test_budget_of_named_readers(watched, tmp_path, width):
    with watched(width=width, reduced_motion="reduce") as w:
        found = alone(w, tmp_path, AttentionBudget(READERS["Mia"], POINTS, WORDS, AXES, readers=READERS))
        assert found.get_by_role("button").all_inner_texts() == ["Mia's weights", "Ben's weights", "Spread evenly", "Reset"]
        mia, ben, even, reset = found.get_by_role("button").all()
        assert status(w, found) == "The weights sum to 1.00. The average z is (0.46, 0.63). These are Mia's weights: “chase” weighs most, 0.48."
        assert not found.evaluate(MEETING) and (mia.get_attribute("aria-pressed"), ben.get_attribute("aria-pressed")) == ("true", "false")
        ben.press("Enter")
        assert found.locator(".ak-out").all_inner_texts() == ["0.77", "0.10", "0.10", "0.01", "0.02"] and not found.evaluate(MEETING)
        assert ben.get_attribute("aria-pressed") == "true"
        assert status(w, found) == "The weights sum to 1.00. The average z is (−0.70, −0.48). These are Ben's weights: “dull” weighs most, 0.77."
        even.press("Space")
        assert status(w, found) == "The weights sum to 1.00. The average z is (0.00, 0.08). All words weigh the same, 0.20." and not found.evaluate(MEETING)
        found.get_by_role("slider", name="dull").press("Home")
        assert status(w, found).endswith("“start”, “but”, “stunning” and “chase” weigh most, 0.25 each.")
        assert not found.locator("button[aria-pressed=true]").count()
        reset.press("Enter")
        assert "Mia's weights" in status(w, found) and mia.get_attribute("aria-pressed") == "true"
        assert w.page.evaluate("document.documentElement.scrollWidth <= innerWidth") and not w.errors


@pytest.mark.browser
def test_the_average_glides_to_a_readers_weights(watched, tmp_path):
    """After a button it is on its way for a while; after a slider it is there at once, and where less motion is wished."""
    there = "f => f.querySelector('.ak-of-output').getAttribute('transform')"
    press = "([f, name]) => { [...f.querySelectorAll('button')].find(b => b.textContent === name).click(); return (" + there + ")(f) }"
    with watched(reduced_motion="reduce") as w:
        found = alone(w, tmp_path, AttentionBudget(READERS["Mia"], POINTS, WORDS, AXES, readers=READERS))
        handle = found.element_handle()
        ben, mia = (w.page.evaluate(press, [handle, f"{name}'s weights"]) for name in ("Ben", "Mia"))
        assert ben != mia, "less motion was asked for, and z is not there at once"
        w.page.emulate_media(reduced_motion="no-preference")
        assert w.page.evaluate(press, [handle, "Ben's weights"]) == mia, "z does not start where it is"
        w.page.wait_for_function(f"f => ({there})(f) === '{ben}'", arg=handle)
        at_once = found.evaluate("""f => { const slider = f.querySelectorAll('input')[3]; slider.value = 1;
            slider.dispatchEvent(new Event('input', {bubbles: true})); return f.querySelector('.ak-of-output').getAttribute('transform') }""")
        assert at_once == "translate(272.7 97.4)"


@pytest.mark.browser
def test_budget_without_readers_says_what_it_said(watched, tmp_path):
    with watched() as w:
        found = alone(w, tmp_path, reading(None))
        assert found.get_by_role("button").all_inner_texts() == ["Spread evenly", "Reset"] and not found.locator("[aria-pressed]").count()
        assert status(w, found) == "Spent: 1.00. The average z is (−0.90, −0.60)."


def test_readers_keep_their_order_and_stand_in_the_still_table():
    widget = AttentionBudget(READERS["Mia"], POINTS, WORDS, AXES, readers=READERS)
    assert widget.readers == READERS and list(widget.readers) == ["Mia", "Ben"] == widget.state()["reader_names"]
    assert re.findall(r'<th scope="col">([^<]*)</th>', widget.still()) == ["word", "weight", "Mia&#x27;s weights", "Ben&#x27;s weights", *AXES]
    assert '<th scope="row">dull</th><td>0.01</td><td>0.01</td><td>0.77</td><td>−0.9</td><td>−0.6</td>' in widget.still()
    plain = reading(None)
    assert plain.readers == {} and "weights</th>" not in plain.still()


# ---- the training that goes on in a page

# Two frames from now, and the step that the figure shows then.
AT = "Number(f.querySelector('.ak-now').textContent.match(/step (\\d+)/)[1])"
STEP = f"f => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done({AT}))))"
# Press Start and, some steps later, another button, in the page itself: no training ends while the test waits. All buttons before that.
RUN = f"""(f, [steps, name]) => new Promise(done => {{ const first = {AT}, press = words => [...f.querySelectorAll('button')].find(b => b.textContent === words).click();
    press('Start');
    requestAnimationFrame(function look() {{ if ({AT} < first + steps) return requestAnimationFrame(look);
        const words = [...f.querySelectorAll('button')].map(b => b.textContent); press(name); done(words.join()); }}) }})"""
SAID = """f => { window.said = 0; new MutationObserver(() => window.said++).observe(f.querySelector('[role=status]'),
    {childList: true, characterData: true, subtree: true}); }"""


def press(found, name):
    found.get_by_role("button", name=name, exact=True).press("Enter")


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 360])
def test_a_matrix_trains_in_the_page(watched, tmp_path, width):
    with watched(width=width) as w:
        widget = pointing(steps=3, shown=14)
        found = alone(w, tmp_path, widget)
        assert status(w, found) == "After 3 steps the loss is 0.163. In the held-out sentences “that” gives the right word 0.66 of its weight on average. The largest slope is 0.18."
        assert found.locator(".ak-now").inner_text() == "step 3, loss 0.163, held out 0.157"
        assert found.locator(".ak-line").first.text_content() == "see {} that {} woman {} (meant) sing {} there {} ".format(*map(fixed, widget.held_out_weights[14]))
        assert w.page.evaluate("document.documentElement.scrollWidth <= innerWidth") and found.evaluate(CUT) == []
        found.evaluate(SAID)
        assert found.evaluate(RUN, [30, "Pause"]).startswith("Pause,One step,")
        step = found.evaluate(STEP)
        assert status(w, found).startswith(f"Learned. After {step} steps the loss is 0.0") and found.evaluate(STEP) == step >= 33
        assert w.page.evaluate("said") <= 3, "single steps are said"
        press(found, "One step")
        assert found.evaluate(STEP) == step + 1 and f" After {step + 1} steps " in status(w, found)
        found.evaluate(RUN, [3, "0.1"])
        step = found.evaluate(STEP)
        w.page.wait_for_function(f"f => ({AT}) > {step}", arg=found.element_handle())       # another rate does not stop it
        press(found, "Reset")
        for name, back in (("Reset", 3), ("New seed", 0), ("small (up to 0.5)", 0), ("Step 0", 0)):
            assert found.evaluate(RUN, [2, name]).startswith("Pause,")
            assert found.evaluate(STEP) == back == found.evaluate(STEP) and found.locator("button").first.inner_text() == "Start", name
        press(found, "hard (up to 30)")
        assert "seed 1" in found.inner_text() and "In 1 of 40 training sentences" in status(w, found) and found.evaluate(CUT) == []
        press(found, "Reset")
        assert found.locator(".ak-now").inner_text() == "step 3, loss 0.163, held out 0.157" and not w.errors


# Names and numbers that are wider than their place.
CUT = """f => [...f.querySelectorAll('td, th, .ak-told, button')].filter(e => e.scrollWidth > e.clientWidth + 2
    || e.getBoundingClientRect().right > f.getBoundingClientRect().right).map(e => e.textContent)"""


@pytest.mark.browser
def test_a_training_ends_after_three_hundred_steps(watched, tmp_path):
    with watched() as w:
        found = alone(w, tmp_path, pointing(steps=290))
        press(found, "Start")
        w.page.wait_for_function(f"f => ({AT}) === 300 && f.querySelector('button').textContent === 'Start'", arg=found.element_handle())
        assert "After 300 steps" in status(w, found) and "300 steps are the end." in status(w, found)
        assert found.locator("button[aria-disabled=true]").all_inner_texts() == ["Start", "One step"]
        for name in ("Start", "One step"):
            press(found, name)
            assert found.evaluate(STEP) == 300
        press(found, "Step 0")
        assert found.evaluate(STEP) == 0 and found.locator("button[aria-disabled=true]").count() == 0 and not w.errors


@pytest.mark.browser
def test_twenty_steps_at_once_for_less_motion(watched, tmp_path):
    with watched(reduced_motion="reduce") as w:
        found = alone(w, tmp_path, pointing())
        press(found, "Start")
        assert found.locator(".ak-now").inner_text().startswith("step 20, ") and found.get_by_role("button", name="Start").count() == 1
        assert status(w, found).startswith("20 steps at once, because your device asks for less motion. After 20 steps the loss is ")
        press(found, "One step")
        assert status(w, found).startswith("Learned. After 21 steps the loss is ") and found.evaluate(STEP) == 21


@pytest.mark.browser
def test_the_kernel_hears_of_a_training_when_it_rests(watched, tmp_path):
    """Live: a path for each rest, none for a step; a path from Python ends the training, and so does leaving."""
    with watched() as w:
        alone(w, tmp_path, pointing())
        w.page.evaluate("""() => { const place = document.querySelector('[data-ak-figure]'), model = attnkit.staticModel(JSON.parse(place.dataset.akState));
            window.sent = []; model.save_changes = () => sent.push(JSON.stringify(model.get('path')));
            window.model = model; window.leave = attnkit.figures.matrix_trainer.render({model, el: place}); }""")
        found = w.page.locator(".ak-figure")
        found.evaluate(RUN, [8, "Pause"])
        step = found.evaluate(STEP)
        assert step >= 8 and w.page.evaluate("sent") == [f"[[1,{step}]]"]
        found.evaluate("""f => { f.querySelector('button').click(); model.set('path', [[10, 2], [1, 3]]); }""")
        assert found.evaluate(STEP) == 5 == found.evaluate(STEP) and "After 5 steps" in status(w, found)
        assert len(w.page.evaluate("sent")) == 1
        found.evaluate("f => { f.querySelector('button').click(); leave(); }")
        step = found.evaluate(STEP)
        assert found.evaluate(STEP) == step


def named(found):
    """The names beside the rows and above the columns."""
    return [found.locator(f".ak-{side} > span").all_inner_texts() for side in ("beside", "above")]


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 360])
def test_squares_with_names(watched, tmp_path, width):
    with watched(width=width) as w:
        found = alone(w, tmp_path, SquareEditor(POINTS, row_names=WORDS, column_names=AXES))
        assert named(found) == [WORDS, AXES] and status(w, found).endswith(" 10 squares in all. Row dull, column praise holds −0.9.")
        found.get_by_label("row stunning, column action", exact=True).focus()
        slider = found.get_by_role("slider")
        assert slider.get_attribute("aria-valuetext") == "+0.5, row stunning, column action"
        slider.press("ArrowRight")
        assert status(w, found).endswith("Row stunning, column action holds 0.6.") and "[0.9, 0.6]" in found.locator("code").inner_text()
        found.get_by_role("button", name="transpose").press("Enter")
        assert named(found) == [AXES, WORDS] and found.get_by_label("row action, column stunning", exact=True).input_value() == "0.6"
        assert aside(found) == []
        for thing in ("row", "column"):
            found.get_by_role("button", name=f"one {thing} more").press("Enter")
        assert named(found) == [[*AXES, ""], [*WORDS, ""]] and found.get_by_label("row 3, column 6", exact=True).count() == 1
        assert aside(found) == [] and w.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        for _ in range(2):
            found.get_by_role("button", name="one column fewer").press("Enter")
        found.get_by_role("button", name="one column more").press("Enter")
        assert named(found)[1] == [*WORDS[:4], ""], "a column that was taken away is a new one when it comes again"
        found.get_by_role("button", name="Reset").press("Enter")
        assert named(found) == [WORDS, AXES] and found.get_by_label("row chase, column action", exact=True).input_value() == "0.9"
        assert aside(found) == [] and not w.errors


def aside(found):
    """The names that are cut, that meet one another, or that do not stand by the squares that they name."""
    return found.evaluate("""f => { const room = f.getBoundingClientRect(), bad = [];
        const letters = name => { const range = document.createRange(); range.selectNodeContents(name); return range.getBoundingClientRect(); };
        const check = (names, squares, from, to) => names.filter(name => name.textContent).forEach((name, k, all) => {
            const [text, r, square] = [name.textContent, letters(name), squares[k].getBoundingClientRect()];
            if (name.scrollWidth > name.clientWidth || r.left < room.left || r.right > room.right) bad.push(`${text} is cut`);
            if (Math.abs(r[from] + r[to] - square[from] - square[to]) > 4) bad.push(`${text} stands aside`);
            for (const other of all.slice(k + 1)) { const q = letters(other);
                if (r.left < q.right + 2 && q.left < r.right + 2 && r.top < q.bottom && q.top < r.bottom) bad.push(`${text} meets ${other.textContent}`); } });
        const rows = [...f.querySelectorAll('tr')];
        check([...f.querySelectorAll('.ak-beside > span')], rows, 'top', 'bottom');
        check([...f.querySelectorAll('.ak-above > span')], [...rows[0].children], 'left', 'right');
        return bad }""")


@pytest.mark.browser
def test_names_of_one_side_only(watched, tmp_path):
    with watched() as w:
        found = alone(w, tmp_path, SquareEditor([[0.9, 0.5]], row_names=["girl"]))
        assert named(found) == [["girl"], []] and status(w, found).endswith("Row girl, column 1 holds 0.9.")
        found.get_by_role("button", name="transpose").click()
        assert named(found) == [[], ["girl"]] and status(w, found).endswith("Row 1, column girl holds 0.9.")
        found = alone(w, tmp_path, SquareEditor([[0.9, 0.5]]))
        assert not found.locator(".ak-beside, .ak-above").count() and status(w, found).endswith("Row 1, column 1 holds 0.9.")
        assert found.get_by_label("row 1, column 2", exact=True).count() == 1


def test_names_of_squares_stand_in_the_still_picture():
    editor = SquareEditor(POINTS, row_names=WORDS, column_names=AXES)
    words = re.search(r'aria-label="([^"]*)"', editor.still())[1]
    assert all(name in words for name in [*WORDS, *AXES])
    assert editor.defaults == {"numbers": POINTS, "row_names": WORDS, "column_names": AXES}
    editor.numbers = np.zeros((6, 1))           # names go as far as they reach
    assert "chase" in editor.still() and "action" not in editor.still()
    editor.numbers = [[0.5]]
    assert "dull" in editor.still() and "start" not in editor.still()
    assert "praise" not in SquareEditor(POINTS).still()


def stepper(**changed):
    w = np.ones((2, 4))
    return HeadStepper(**({"x": [[1, 2]], "w_query": w, "w_key": w, "w_value": w, "w_output": w.T, "num_heads": 2, "words": ["a"]} | changed))


def field(**changed):
    one = [[1], [1]]
    return ScoreField(**({"keys": [[1, 2]], "query": [0, 1], "weight": np.eye(2), "w_query": one, "w_key": one, "bias": [0], "v": [1], "words": ["a"]} | changed))


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
    (lambda: SquareEditor([[0.1], [0.2]], row_names=["a"]), ValueError,
     r"row_names must hold 2 names for numbers of shape \(2, 1\), got \['a'\]"),
    (lambda: SquareEditor([[0.1], [0.2]], column_names=["a", "b"]), ValueError, "column_names must hold 1 names"),
    (lambda: SquareEditor([[0.1, 0.2]], column_names=[1, 2]), ValueError, "column_names must hold 2 names"),
    (lambda: SquareEditor([[0.1, 0.2]], column_names="ab"), TypeError, "column_names must be a list of str, got 'ab'"),
    (lambda: Alignment([[0.0, 0.0]], ["a"], ["b", "c"]), ValueError, "above zero"),
    (lambda: Alignment([[0.5, 0.5]], ["a"], ["b"]), ValueError, r"weights must have shape \(1, 1\), got \(1, 2\)"),
    (lambda: Alignment([[0.5, 0.5]], ["a"], ["b", "c"], selected=4), ValueError, "the query words, got 4"),
    (lambda: AttentionBudget([0.5, 0.6], [[0, 0], [1, 1]], ["a", "b"], ["x", "y"]), ValueError, "sum to one, got a sum of 1.1"),
    (lambda: AttentionBudget([0.5, 0.5], [[0, 0], [1, 1]], ["a"], ["x", "y"]), ValueError, "got 1 and 2"),
    (lambda: AttentionBudget([1], [[0, 0]], ["a"], ["x", "y"]), ValueError, "at least two"),
    (lambda: reading({"Mia": [0.5, 0.6, 0]}), ValueError, "Mia's weights must sum to one, got a sum of 1.1"),
    (lambda: reading({"Ben": [0.5, 0.5]}), ValueError, r"Ben's weights must have shape \(3,\), got \(2,\)"),
    (lambda: reading({"Ben": [1.5, -0.5, 0]}), ValueError, "Ben's weights must lie between 0 and 1"),
    (lambda: reading({"Ben": "all"}), TypeError, "Ben's weights must be numbers, got 'all'"),
    (lambda: reading([[1, 0, 0]]), TypeError, r"readers must be a dict from names to weights, got \[\[1, 0, 0\]\]"),
    (lambda: reading({1: [1, 0, 0]}), TypeError, "readers must be a dict from names to weights"),
    (lambda: AttentionBudget([1.5, -0.5], [[0, 0], [1, 1]], ["a", "b"], ["x", "y"]), ValueError, "weights must lie between 0 and 1"),
    (lambda: examples()["attention_budget"].spend(0, 1.5), ValueError, "share must lie between 0 and 1"),
    (lambda: SoftmaxExplorer([1, 2], ["a"]), ValueError, r"scores must have shape \(1,\), got \(2,\)"),
    (lambda: SoftmaxExplorer([9], ["a"]), ValueError, "scores must lie between -4 and 4"),
    (lambda: SoftmaxExplorer([1], ["a"], temperature=0), ValueError, "temperature must lie between 0.1 and 10, got 0"),
    (lambda: SoftmaxExplorer([1], ["a"], details=1), TypeError, "details must be True or False, got 1"),
    (lambda: AttentionPlane([[3, 0]], ["a"]), ValueError, "points must lie between -1.5 and 1.5"),
    (lambda: AttentionPlane([[1, 0]], ["a"], selected=1), ValueError, "selected must be 0, the number of one of the points, got 1"),
    (lambda: AttentionPlane([[1, 0]], ["a"], selected=0.5), TypeError, "selected must be an integer, got 0.5"),
    (lambda: AttentionPlane([[1, 0]], ["a"], ["x"]), ValueError, "features must be two names, got 1"),
    (lambda: AttentionPlane([[1, 0]], ["a"], scale=99), ValueError, "scale must lie between 0.1 and 10, got 99"),
    (lambda: AttentionSteps([[1, 0]], [[1]], [[1]], ["a"]), ValueError, r"keys must have shape \(1, 2\), got \(1, 1\)"),
    (lambda: AttentionSteps([[1]], [[1]], [[1]], ["a"], step=5), ValueError, "step must be from 0 to 4, the number of one of the steps"),
    (lambda: SoftDictionary(["a"], [400], [1]), ValueError, "angles must lie between 0 and 360"),
    (lambda: SoftDictionary(["a"], [40], [1], query=-1), ValueError, "query must lie between 0 and 360"),
    (lambda: SoftDictionary(["a"], [40], [1, 2]), ValueError, r"values must have shape \(1,\)"),
    (lambda: MatrixStepper([[1]], [[1]], [[1]], ["a"], cell=(0, 1)), ValueError, "cell's column must be 0, the number of one of the columns"),
    (lambda: MatrixStepper([[1]], [[1]], [[1]], ["a"], cell=(0,)), ValueError, "a row and a column"),
    (lambda: AttentionMaps([]), ValueError, "examples must be a list of 1 to 12 dicts"),
    (lambda: AttentionMaps([{"rows": ["a", "b"]}]), ValueError, r"examples\[0\] must be a dict with rows, columns, weights"),
    (lambda: AttentionMaps([{**sentences()[1], "right": []}], ["0", "1"]), ValueError, "and perhaps said, gold"),
    (lambda: AttentionMaps(sentences()), ValueError, r"weights of examples\[0\] must have shape \(1, 3, 3\), got \(2, 3, 3\)"),
    (lambda: AttentionMaps([{**sentences()[0], "rows": ["je"]}], ["0", "1"]), ValueError, r"rows of examples\[0\] must hold 2 to 12 str, got 1"),
    (lambda: AttentionMaps([{**sentences()[0], "rows": "je t'"}], ["0", "1"]), TypeError, r"rows of examples\[0\] must be a list of str"),
    (lambda: AttentionMaps([{**sentences()[0], "said": ["je"]}], ["0", "1"]), ValueError, r"said of examples\[0\] must hold 2 str, got 1"),
    (lambda: AttentionMaps([{**sentences()[0], "gold": [[0]]}], ["0", "1"]), ValueError, "a list for each of the 3 rows, got"),
    (lambda: AttentionMaps([{**sentences()[0], "gold": [[0], [3], []]}], ["0", "1"]), ValueError, "must be from 0 to 2, the number of one of the columns, got 3"),
    (lambda: AttentionMaps([{**sentences()[1], "weights": np.full((2, 2, 3), 0.3)}], ["0", "1"]), ValueError, "sum to one, got a sum of 0.9"),
    (lambda: AttentionMaps(sentences(), ["0", "1"], step=2), ValueError, "step must be from 0 to 1, the number of one of the steps"),
    (lambda: AttentionMaps(sentences(), []), ValueError, "steps must hold at least 1 str, got 0"),
    (lambda: swap(words=["a", "c"]), ValueError, r"3 to 8 words, got \['a', 'c'\]"),
    (lambda: swap(words="abc"), ValueError, "words must be a list of 3 to 8 words"),
    (lambda: swap(words=["a", "b", "a"]), ValueError, "must differ, got 'a' twice"),
    (lambda: swap(swap=(0, 3)), ValueError, "swap's place must be from 0 to 2, the number of one of the words, got 3"),
    (lambda: swap(swap=(2, 2)), ValueError, "swap must be two places"),
    (lambda: swap(swap=(0, 1, 2)), ValueError, "swap must be two places"),
    (lambda: swap(asking=2), ValueError, "asking must be a word that keeps its place, got 2"),
    (lambda: swap(asking=3), ValueError, "asking must be from 0 to 2, the number of one of the words"),
    (lambda: swap(right=(0, 1)), ValueError, r"right must name a place for each question, got \(0, 1\)"),
    (lambda: swap(right=[2]), ValueError, "right must be from 0 to 1, the number of one of the places of swap"),
    (lambda: swap(questions="W"), ValueError, "for each question"),
    (lambda: swap(cases=[]), ValueError, "at least one case"),
    (lambda: swap(cases=[1]), ValueError, "a case must hold positions, heads, weights, output, answers, got 1"),
    (lambda: swap(cases=[{"heads": 1}]), ValueError, r"a case must hold .*got \['heads'\]"),
    (lambda: swap(layer(), layer()), ValueError, r"each combination of positions and heads once, got \[\(True, 1\), \(True, 1\)\]"),
    (lambda: swap(layer(), layer(positions=False, heads=2, weights=[[[1, 0, 0]] * 2] * 2)), ValueError, "each combination"),
    (lambda: swap(layer(), layer(positions=False, output=[[1]] * 2)), ValueError, "the same length"),
    (lambda: swap(layer(positions=1)), TypeError, "positions must be True or False, got 1"),
    (lambda: swap(layer(heads=5)), ValueError, "heads must be 1 to 4, got 5"),
    (lambda: swap(layer(heads=0)), ValueError, "heads must be 1 to 4, got 0"),
    (lambda: swap(layer(weights=[[[0.5, 0.5]]] * 2)), ValueError, r"weights must have shape \(2, 1, 3\), got \(2, 1, 2\)"),
    (lambda: swap(layer(weights=[[[0.5, 0.5, 0.5]]] * 2)), ValueError, r"sum to one for each head, got sums of \[\[1.5\], \[1.5\]\]"),
    (lambda: swap(layer(output=[[1, 2]])), ValueError, r"output must have shape \(2, any\)"),
    (lambda: swap(layer(output=np.zeros((2, 33)))), ValueError, "at most 32 numbers, got 33"),
    (lambda: swap(layer(answers=[[[("a", 1)]]])), ValueError, "each of the 1 questions for both orders"),
    (lambda: swap(layer(answers=[[[("a", 1)], [("a", 1)]]] * 2)), ValueError, "each of the 1 questions for both orders"),
    (lambda: swap(layer(answers=[[[]]] * 2)), ValueError, "one to three pairs"),
    (lambda: swap(layer(answers=[[[(1, "a")]]] * 2)), ValueError, "one to three pairs"),
    (lambda: swap(layer(answers=[[[("a", 0.1)] * 4]] * 2)), ValueError, "one to three pairs"),
    (lambda: swap(layer(answers=[[[("a", 1.5)]]] * 2)), ValueError, "probabilities must lie between 0 and 1"),
    (lambda: swap(layer(answers=[[[("a", 0.1), ("b", 0.9)]]] * 2)), ValueError, "best first"),
    (lambda: stepper(x=np.ones((7, 2)), words=list("abcdefg")), ValueError, "words must be at most 6, got 7"),
    (lambda: stepper(x=np.ones((1, 9))), ValueError, "x must have at most 8 columns, got 9"),
    (lambda: stepper(w_query=np.ones((2, 10))), ValueError, "w_query must have at most 8 columns, got 10"),
    (lambda: stepper(w_key=np.ones((2, 3))), ValueError, r"w_key must have shape \(2, 4\), got \(2, 3\)"),
    (lambda: stepper(w_output=np.ones((3, 2))), ValueError, r"w_output must have shape \(4, 2\), got \(3, 2\)"),
    (lambda: stepper(num_heads=3), ValueError, r"divide the columns of w_query \(4\) and w_value \(4\), got 3"),
    (lambda: stepper(num_heads=2, w_value=np.ones((2, 3))), ValueError, r"and w_value \(3\), got 2"),
    (lambda: stepper(num_heads=8), ValueError, "num_heads must be at most 4"),
    (lambda: stepper(num_heads=2.0), TypeError, "num_heads must be an integer, got float"),
    (lambda: stepper(step=7), ValueError, "step must be from 0 to 6, the number of one of the steps"),
    (lambda: stepper(head=2), ValueError, "head must be from 0 to 1, the number of one of the heads, got 2"),
    (lambda: field(keys=[[4, 0]]), ValueError, "keys must lie between -3 and 3"),
    (lambda: field(keys=np.zeros((7, 2)), words=list("abcdefg")), ValueError, "words must be at most 6, got 7"),
    (lambda: field(query=[1, 2, 3]), ValueError, r"query must have shape \(2,\), got \(3,\)"),
    (lambda: field(weight=[[1]]), ValueError, r"weight must have shape \(2, 2\)"),
    (lambda: field(w_query=np.ones((2, 17))), ValueError, "w_query must have at most 16 columns, got 17"),
    (lambda: field(w_key=np.ones((2, 2))), ValueError, r"w_key must have shape \(2, 1\), got \(2, 2\)"),
    (lambda: field(bias=[1, 2]), ValueError, r"bias must have shape \(1,\), got \(2,\)"),
    (lambda: field(v=[1, 2]), ValueError, r"v must have shape \(1,\), got \(2,\)"),
    (lambda: field(score="angle"), ValueError, "score must be one of dot, scaled dot, distance, cosine, general, additive, got 'angle'"),
    (lambda: field(score=3), ValueError, "score must be one of dot"),
    (lambda: DenseHeads(np.zeros((5, 1)), np.zeros((1, 5))), ValueError, r"at most 4 of 3 numbers, got shape \(5, 1\)"),
    (lambda: DenseHeads([[1, 2]], [[1]]), ValueError, r"weight must have shape \(1, 2\), got \(1, 1\)"),
    (lambda: DenseHeads([[1]], [[1]], sharpness=41), ValueError, "sharpness must lie between 0 and 40, got 41"),
    (lambda: DenseHeads([[1]], [[1]], sharpness="hard"), TypeError, "sharpness must be a number"),
    (lambda: moving(chatter=["so"] * 16), ValueError, "at most 16 words and 6 answers, got 17 and 2"),
    (lambda: moving(answers=["tea", "wine"]), ValueError, "not in the vocabulary: wine"),
    (lambda: moving(dense_pieces=np.zeros((3, 4, 3))), ValueError, r"dense_pieces must have shape \(3, 4, 2\), got \(3, 4, 3\)"),
    (lambda: moving(word_scores=[1, 2]), ValueError, r"word_scores must have shape \(4,\)"),
    (lambda: moving(seen=4), ValueError, "seen must be from 0 to 3, the number of one of the counts of places, got 4"),
    (lambda: moving(place=3), ValueError, "place must be from 0 to 2, the number of one of the places, got 3"),
    (lambda: moving(answer=-1), ValueError, "answer must be from 0 to 1, the number of one of the answers"),
    (lambda: kernels(picture=np.zeros((17, 2))), ValueError, r"at most 16 by 16, got shape \(17, 2\)"),
    (lambda: kernels(picture=[[10]]), ValueError, "picture must lie between -9 and 9"),
    (lambda: kernels(kernels={}), ValueError, "one to six kernels"),
    (lambda: kernels(kernels=[[1]]), ValueError, "one to six kernels"),
    (lambda: kernels(kernels={"big": np.zeros((5, 5))}), ValueError, r"kernel 'big' must have shape \(3, 3\), got \(5, 5\)"),
    (lambda: kernels(pixel=(2, 0)), ValueError, "row must be from 0 to 1, the number of one of the rows, got 2"),
    (lambda: kernels(pixel=3), ValueError, "a row and a column, got 3"),
    (lambda: kernels(kernel=2), ValueError, "kernel must be from 0 to 1, the number of one of the kernels"),
    (lambda: kernels(sharpness=0), ValueError, "sharpness must lie between 0.1 and 40, got 0"),
    (lambda: trainer(words="that"), TypeError, "words must be a list of str, got 'that'"),
    (lambda: trainer(words=3), TypeError, "words must be a list of str, got 3"),
    (lambda: trainer(words=[]), ValueError, "words must hold at least one str"),
    (lambda: trainer(words=["that"]), ValueError, r"vectors must have shape \(1, 2\), got \(4, 2\)"),
    (lambda: trainer(vectors=[[0, 1]] * 3 + [[10, 0]]), ValueError, "vectors must lie between -9 and 9"),
    (lambda: trainer(features=list("abcdefg")), ValueError, "features must be at most 6, got 7"),
    (lambda: trainer(sentences=[]), ValueError, r"sentences must hold at least one sentence, each of two to eight words, got \[\]"),
    (lambda: trainer(sentences=[[0]]), ValueError, "each of two to eight words"),
    (lambda: trainer(sentences=[0, 1]), TypeError, "sentences must be a list of lists of word numbers"),
    (lambda: trainer(sentences=["see that"]), TypeError, "a word of sentences must be an integer, got 's'"),
    (lambda: trainer(held_out=[[0, 1, 4, 3]]), ValueError, "a word of held_out must be from 0 to 3, the number of one of the words, got 4"),
    (lambda: trainer(held_out=[[0, 2, 1, 3]]), ValueError, "the word that asks, at place 1, must be the same in every sentence"),
    (lambda: trainer(answers=[2]), ValueError, r"answers must hold a place for each of the 2 sentences, got \[2\]"),
    (lambda: trainer(answers=2), ValueError, "answers must hold a place for each of the 2 sentences, got 2"),
    (lambda: trainer(answers=[3, 3]), ValueError, "answers must be from 0 to 2, the number of one of the words of its sentence, got 3"),
    (lambda: trainer(held_out_answers=["run"]), TypeError, "held_out_answers must be an integer, got 'run'"),
    (lambda: trainer(asks=3), ValueError, "asks must be from 0 to 2, the number of one of the places that every sentence has, got 3"),
    (lambda: trainer(seed=10_000), ValueError, "seed must be from 0 to 9999, the number of one of the seeds, got 10000"),
    (lambda: trainer(seed=1.0), TypeError, "seed must be an integer, got 1.0"),
    (lambda: trainer(rate=2), ValueError, "rate must be one of 0.1, 1, 10, 1000, got 2"),
    (lambda: trainer(rate="fast"), TypeError, "rate must be a number, got 'fast'"),
    (lambda: trainer(spread=1), ValueError, "spread must be one of 0.5, 30, got 1"),
    (lambda: trainer(steps=301), ValueError, "steps must be from 0 to 300, the number of one of the steps, got 301"),
    (lambda: trainer(shown=1), ValueError, "shown must be 0, the number of one of the held-out sentences, got 1"),
]


def layer(**changed):
    return {"positions": True, "heads": 1, "weights": [[[0.5, 0, 0.5]]] * 2, "output": [[1, 2]] * 2, "answers": [[[("a", 1)]]] * 2, **changed}


def swap(*cases, **changed):
    return SwappedWords(**{"words": ["a", "b", "c"], "swap": (0, 2), "asking": 1, "cases": cases or [layer()], "questions": ["W?"],
                           "right": [0], **changed})


@pytest.mark.parametrize("make, error, words", BAD)
def test_bad_input(make, error, words):
    with pytest.raises(error, match=words):
        make()


REFUSED = [
    ("attention_bill", "length", 5000, ValueError),
    ("attention_bill", "length", 2**21, ValueError),
    ("attention_bill", "width", 64, ValueError),
    ("attention_bill", "heads", 8.0, TypeError),
    ("attention_bill", "method", "sparse", ValueError),
    ("attention_bill", "sharing", 4, ValueError),
    ("attention_bill", "shown", "price", ValueError),
    ("movie_matcher", "user", [3, 0], ValueError),
    ("square_editor", "numbers", [], ValueError),
    ("alignment", "temperature", 0, ValueError),
    ("attention_budget", "weights", [1, 1, 1], ValueError),
    ("softmax_explorer", "scores", [0], ValueError),
    ("softmax_explorer", "temperature", "hot", TypeError),
    ("attention_plane", "points", [[0, 0]], ValueError),
    ("attention_plane", "moved", 7, ValueError),
    ("attention_steps", "step", 9, ValueError),
    ("attention_steps", "selected", True, TypeError),
    ("soft_dictionary", "query", 361, ValueError),
    ("soft_dictionary", "sharpness", 0, ValueError),
    ("mask_builder", "mask", [[True, False]], ValueError),
    ("mask_builder", "mask", [[1, 0, 1]] * 3, TypeError),
    ("mask_builder", "row", 3, ValueError),
    ("matrix_stepper", "cell", [0, 9], ValueError),
    ("matrix_stepper", "step", 3, ValueError),
    ("attention_maps", "example", 2, ValueError),
    ("attention_maps", "step", 2.0, TypeError),
    ("attention_maps", "word", ["row", 3], ValueError),
    ("attention_maps", "word", ["side", 0], ValueError),
    ("swapped_words", "swapped", 1, TypeError),
    ("swapped_words", "positions", "on", TypeError),
    ("swapped_words", "heads", 3, ValueError),
    ("swapped_words", "heads", 1.0, TypeError),
    ("head_stepper", "step", 7, ValueError),
    ("head_stepper", "head", 2, ValueError),
    ("head_stepper", "selected", 2, ValueError),
    ("head_stepper", "temperature", 11, ValueError),
    ("score_field", "query", [4, 0], ValueError),
    ("score_field", "score", "angle", ValueError),
    ("dense_heads", "sharpness", -1, ValueError),
    ("position_pairs", "query", 64, ValueError),
    ("position_pairs", "key", 1.5, TypeError),
    ("position_pairs", "bias", [1, 2], ValueError),
    ("position_pairs", "slope", -1, ValueError),
    ("sequence_paths", "length", 3, ValueError),
    ("sequence_paths", "length", 33, ValueError),
    ("sequence_paths", "length", 16.0, TypeError),
    ("sequence_paths", "network", "Elman", ValueError),
    ("sequence_paths", "network", ["window"], ValueError),
    ("sequence_paths", "source", 13, ValueError),
    ("sequence_paths", "source", 0, ValueError),
    ("sequence_paths", "source", True, TypeError),
    ("moving_word", "place", 3, ValueError),
    ("moving_word", "answer", "tea", TypeError),
    ("kernel_heads", "pixel", [0, 2], ValueError),
    ("kernel_heads", "kernel", 2, ValueError),
    ("kernel_heads", "sharpness", 50, ValueError),
    ("matrix_trainer", "seed", -1, ValueError),
    ("matrix_trainer", "seed", True, TypeError),
    ("matrix_trainer", "spread", 5, ValueError),
    ("matrix_trainer", "rate", 0, ValueError),
    ("matrix_trainer", "rate", "10", TypeError),
    ("matrix_trainer", "path", None, ValueError),
    ("matrix_trainer", "path", [[1]], ValueError),
    ("matrix_trainer", "path", [[2, 5]], ValueError),
    ("matrix_trainer", "path", [[1, 5.0]], TypeError),
    ("matrix_trainer", "path", [[1, 300], [10, 1]], ValueError),
    ("matrix_trainer", "shown", 1, ValueError),
    ("document_reader", "document", 3, ValueError),
    ("document_reader", "way", "even", ValueError),
    ("document_reader", "removed", [7], ValueError),
    ("document_reader", "removed", [1.0], TypeError),
    ("document_reader", "removed", 1, TypeError),
    ("gate_axes", "axis", "places", ValueError),
    ("gate_axes", "axis", 1, ValueError),
    ("gate_axes", "normalise", "sum", ValueError),
    ("gate_axes", "picture", 2, ValueError),
    ("gate_axes", "picture", 1.0, TypeError),
    ("gate_axes", "lamps", [1, 0], ValueError),
    ("gate_axes", "lamps", 1, TypeError),
    ("story_writer", "prompt", "Zoe met Bob", ValueError),
    ("story_writer", "prompt", "Zoe " * 64, ValueError),
    ("story_writer", "written", [2, 3], ValueError),
    ("story_writer", "written", [1], ValueError),
    ("story_writer", "written", [8], ValueError),
    ("story_writer", "written", [3] * 60, ValueError),
    ("story_writer", "seed", 10_000, ValueError),
    ("story_writer", "temperature", 2.1, ValueError),
    ("story_writer", "head", [0, 2], ValueError),
    ("story_writer", "head", 1, ValueError),
    ("sentence_translator", "sentence", "I see cats", ValueError),
    ("sentence_translator", "step", 16, ValueError),
    ("sentence_translator", "step", 1.0, TypeError),
    ("sentence_translator", "row", 15, ValueError),
    ("sentence_translator", "row", "je", TypeError),
]


@pytest.mark.parametrize("kind, trait, value, error", REFUSED)
def test_a_trait_refuses_and_keeps_its_value(kind, trait, value, error):
    widget = examples()[kind]
    before = widget.state()
    with pytest.raises(error, match=trait if trait != "pixel" else "column"):
        setattr(widget, trait, value)
    assert widget.state() == before


def test_square_editor_rounds_to_tenths():
    editor = SquareEditor([[0.25, -0.25, 0.34]])
    assert editor.numbers == [[0.3, -0.3, 0.3]] and editor.code == "np.array([[0.3, -0.3, 0.3]])"
    editor.numbers = np.array([[0.5]])
    assert editor.numbers == [[0.5]]


def test_swapped_words_refuse_a_case_that_is_not_there():
    widget = swap()
    with pytest.raises(ValueError, match="no case has positions False"):
        widget.positions = False
    with pytest.raises(ValueError, match="no case has 2 heads"):
        widget.heads = 2
    assert widget.positions is True and widget.heads == 1


def test_each_figure_has_its_neighbours():
    folder = ROOT / "attnkit" / "figures"
    assert base.kinds() == sorted(examples()) == sorted({p.stem for p in folder.glob("*.py")} - {"__init__", "base", "models"})
    assert {p.stem for p in folder.glob("*.css")} <= {"core", *base.kinds()}


@pytest.mark.parametrize("kind", base.kinds())
def test_styles_of_a_figure_reach_no_further(kind):
    """A figure's rules stand in one block that only its own element matches."""
    text = base.stylesheet(kind)
    if not text:
        return
    assert text.startswith(f'.ak-figure.ak-figure[data-ak-kind="{kind}"] {{\n') and text.endswith("}\n")
    depth = [0]
    for character in re.sub(r"/\*.*?\*/", "", text, flags=re.S):
        depth.append(depth[-1] + (character == "{") - (character == "}"))
    assert min(depth[len(text.split("{")[0]) + 1:-2]) >= 1 and depth[-1] == 0, "the block is closed too early"


@pytest.mark.parametrize("kind, trait, value", [("alignment", "temperature", 3), ("attention_plane", "points", [[0, 0]] * 3), ("attention_maps", "example", 1),
                                                ("kernel_heads", "pixel", [1, 1]), ("matrix_trainer", "path", []), ("square_editor", "numbers", [[0.5]])])
def test_defaults_are_the_first_state_of_what_a_reader_can_change(kind, trait, value):
    widget = examples()[kind]
    first = {name: getattr(widget, name) for name in widget.trait_names(reset=True)}
    assert widget.defaults == first and trait in first and widget.state()["defaults"] == first
    setattr(widget, trait, value)
    assert widget.defaults == first != {name: getattr(widget, name) for name in first}


# ---- the lines of equal score: the number on each is what a key there would score

LINES = """figure => [...figure.querySelectorAll('.ak-level')].filter(text => text.style.display !== 'none').map(text => {
    const [x, y] = text.getAttribute('transform').match(/[-.0-9]+/g).map(Number);
    return [Number(text.textContent.replace('−', '-')), (x - 160) / 48, (164 - y) / 48]; })"""


@pytest.mark.browser
def test_the_lines_of_a_field_have_the_scores_that_are_on_them(watched, tmp_path):
    given = {"keys": [[-1, 2]], "query": [2.1, 1.3], "weight": [[0.5, 2], [-1, 1]], "w_query": np.eye(2), "w_key": [[1, 0.3], [0, 1]], "bias": [0.5, -1],
             "v": [3, -2]}
    numbers = {}
    with watched(width=800) as w:
        found = alone(w, tmp_path, field(**given))
        for score in ScoreField.SCORES:
            press(found, score)
            lines = found.evaluate(LINES)
            assert all(abs(field(**given | {"keys": [place], "score": score}).scores[0] - number) < 0.05 for number, *place in lines), score
            numbers[score] = {number for number, *_ in lines}
            assert all(number % 2 == 0 for number in numbers[score])
        assert numbers["scaled dot"] < numbers["dot"] and numbers["cosine"] == {0} and max(numbers["distance"]) == -2
        assert len(numbers["dot"]) > 6 and len(numbers["distance"]) > 6, "most lines find a place for their number"


# ---- a mask to build

SENTENCE = ["Mary", "gave", "it", "to", "[pad]", "[pad]"]
SCORES = [[0.4, -1.2, 2, 0.3, 1, 0], [1.5, 0, -0.5, 1, 0.2, 2], [0.9, 1.1, 0, -2, 1, 0.5],
          [0, 0.7, 1.3, 0.2, -1, 1], [1, 1, 0, 0.5, 2, 0], [0.3, 0, 1, -0.4, 0.6, 0.8]]
THREE = {"words": ["a & b", "b", "c"], "scores": [[1, 0, 2], [2, 2, 5], [0, 0, 0]]}


def building(**changed):
    return MaskBuilder(**(THREE | changed))


def test_mask_builder_arithmetic():
    """The weights are those of attention under that mask, with large scores and with rows that may see nothing."""
    rng = np.random.default_rng(21)
    cases = []
    for k in range(300):
        n = int(rng.integers(3, 9))
        scores = rng.uniform(-1, 1, (n, n)) * 10 ** rng.uniform(-1, np.log10(700))
        if k % 4 == 0:
            scores = rng.choice([-700.0, 0.0, 700.0], (n, n))
        mask = rng.random((n, n)) < rng.uniform(0.1, 0.9)
        mask[rng.random(n) < 0.2] = False
        cases.append({"scores": scores.round(6).tolist(), "mask": mask.tolist(), "padding": int(rng.integers(n - 1))})
    assert sum(not any(row) for case in cases for row in case["mask"]) > 200
    for case, got in zip(cases, node("run_figures.js", {"figure": "mask_builder", "cases": cases})):
        whole, mask = np.array(case["scores"]), np.array(case["mask"])
        one = np.ones((len(whole), 1))
        wanted = attention(one, one, one, mask=mask, score=lambda query, key, whole=whole: whole)[1]
        ours = MaskBuilder([str(i) for i in range(len(whole))], whole, mask, padding=case["padding"])
        assert np.allclose(got["weights"], wanted, rtol=0, atol=1e-12) and np.allclose(ours.weights, wanted, rtol=0, atol=1e-12)
        assert np.allclose(got["sums"], mask.any(axis=1), rtol=0, atol=1e-12)
        assert not np.array(got["weights"])[~mask].any() and ours.mask == case["mask"]
        assert got["names"] == list(ours.presets) and [*got["names"], None][got["preset"]] == ours.preset


@pytest.mark.parametrize("padding", [0, 1, 2])
def test_mask_builder_offers_the_masks_of_the_package(padding):
    n, plain = 6, ["all", "causal", "window"]
    real = np.arange(n) < n - padding
    wanted = {"all": np.ones((n, n), bool), "causal": causal_mask(n), "window": window_mask(n, 1)}
    wanted |= {"padding": np.tile(real, (n, 1)), "causal and padding": causal_mask(n) & real} if padding else {}
    ours = MaskBuilder(SENTENCE, SCORES, padding=padding)
    assert ours.preset == "causal" and list(ours.presets) == list(wanted) and (len(wanted) == 3 or list(wanted)[:3] == plain)
    cases = [{"scores": SCORES, "mask": mask.tolist(), "padding": padding} for mask in wanted.values()]
    for k, (name, got) in enumerate(zip(wanted, node("run_figures.js", {"figure": "mask_builder", "cases": cases}))):
        ours.mask = wanted[name]
        assert got["preset"] == k and ours.preset == name and np.array_equal(ours.presets[name], wanted[name])
        assert got["presets"] == [mask.tolist() for mask in wanted.values()]


def test_mask_builder_opens_with_the_future_hidden():
    ours = MaskBuilder(SENTENCE, SCORES, padding=2)
    assert ours.mask == causal_mask(6).tolist() and ours.row == 2 == ours.defaults["row"]
    assert MaskBuilder(SENTENCE, SCORES, padding=4).row == 1 and MaskBuilder(SENTENCE, SCORES, row=5).row == 5
    hidden = building(mask=[[True, True, False], [False] * 3, [True] * 3]).still()
    cells = [re.sub("<[^>]*>", " ", row).split() for row in re.findall("<tr>(.*?)</tr>", hidden)]
    assert cells == [["query", "a", "&amp;", "b", "b", "c", "sum"], ["a", "&amp;", "b", "0.73", "0.27", "×", "1.00"],
                     ["b", "×", "×", "×", "0.00"], ["c", "0.33", "0.33", "0.33", "1.00"]]
    assert "× stands for a key that is hidden: its weight is 0." in hidden


@pytest.mark.parametrize("make, error, words", [
    (lambda: building(words="abc"), TypeError, "words must be a list of str, got 'abc'"),
    (lambda: building(words=[1, 2, 3]), TypeError, "words must be a list of str"),
    (lambda: building(words=["a", "b"]), ValueError, "words must be 3 to 8, got 2"),
    (lambda: building(words=list("abcdefghi")), ValueError, "words must be 3 to 8, got 9"),
    (lambda: building(scores=[[1, 2, 3]]), ValueError, r"scores must have shape \(3, 3\), got \(1, 3\)"),
    (lambda: building(scores=[[0, 0, -np.inf]] * 3), ValueError, "scores must lie between -1000 and 1000"),
    (lambda: building(mask=np.ones((3, 3))), TypeError, "mask must be boolean, True where a query may attend to a key"),
    (lambda: building(mask=np.ones((3, 2), bool)), ValueError, r"mask must have shape \(3, 3\), got \(3, 2\)"),
    (lambda: building(mask=[[True], [True, False]]), ValueError, "mask is no array"),
    (lambda: building(padding=2), ValueError, "padding must leave at least two words, got 2 of 3"),
    (lambda: building(padding=-1), ValueError, "padding must be at least 0, got -1"),
    (lambda: building(padding=1.0), TypeError, "padding must be an integer, got float"),
    (lambda: building(row=3), ValueError, "row must be from 0 to 2, the number of one of the words, got 3"),
    (lambda: building(row="b"), TypeError, "row must be an integer, got 'b'")])
def test_mask_builder_refuses(make, error, words):
    with pytest.raises(error, match=words):
        make()


def between(found, query, key, k=0):
    """The square of a query and a key; words that stand twice count from k."""
    return found.get_by_role("button", name=f"from {query} to {key}: ").nth(k)


def numbers(found, row):
    """What stands in the squares of a row, and their sum."""
    return found.locator("tbody tr").nth(row).locator("td").all_inner_texts()


def chosen_mask(found):
    return found.locator(".ak-buttons [aria-pressed=true]").all_inner_texts()


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 360])
def test_a_mask_is_built_by_hand(watched, tmp_path, width):
    with watched(width=width, has_touch=width == 360) as w:
        found = alone(w, tmp_path, MaskBuilder(SENTENCE, SCORES, padding=2))
        use = (lambda button: button.tap()) if width == 360 else (lambda button: button.click())
        causal = [fixed(v) for v in softmax(np.array(SCORES[2][:3]))]
        start = "From “it”: 3 of 6 may be seen; their weights sum to 1. In all, 21 of 36 squares are allowed."
        assert numbers(found, 2) == [*causal, "×", "×", "×", "1.00"] and chosen_mask(found) == ["causal"] and status(w, found) == start
        square = between(found, "it", "gave")
        assert square.get_attribute("aria-label") == f"from it to gave: allowed, weight {causal[1]}" and square.get_attribute("aria-pressed") == "true"
        use(square)
        left = [fixed(v) for v in softmax(np.array([0.9, 0]))]
        assert numbers(found, 2) == [left[0], "×", left[1], "×", "×", "×", "1.00"] and chosen_mask(found) == []
        assert square.get_attribute("aria-label") == "from it to gave: hidden" and square.get_attribute("aria-pressed") == "false"
        assert status(w, found) == "From “it”: 2 of 6 may be seen; their weights sum to 1. In all, 20 of 36 squares are allowed."
        assert numbers(found, 3)[-1] == "1.00" and numbers(found, 3)[1] == fixed(softmax(np.array(SCORES[3][:4]))[1]), "another row moves"
        use(between(found, "it", "it"))
        assert status(w, found).startswith("From “it”: 1 of 6 may be seen; its weight is 1. ") and numbers(found, 2)[0] == "1.00"
        use(between(found, "it", "Mary"))
        assert numbers(found, 2) == [*"××××××", "0.00"]
        assert status(w, found) == ("From “it”: nothing may be seen. Its weights are all 0, and so is its output. "
                                    "Plain code would give NaN: the exponentials sum to 0, and 0/0 is not a number.")
        assert w.page.evaluate("document.documentElement.scrollWidth <= innerWidth") and found.evaluate(CUT) == []
        use(between(found, "gave", "[pad]", 1))
        assert numbers(found, 1)[5] != "×" and status(w, found).startswith("From “gave”: 3 of 6 may be seen;")
        assert found.locator("tr[data-row=told] th").inner_text() == "gave"
        use(found.get_by_role("button", name="Reset"))
        assert numbers(found, 2) == [*causal, "×", "×", "×", "1.00"] and chosen_mask(found) == ["causal"] and status(w, found) == start
        assert found.locator("tr[data-row=told] th").inner_text() == "it" and not w.errors


@pytest.mark.browser
def test_masks_to_choose_from(watched, tmp_path):
    with watched() as w:
        widget = MaskBuilder(SENTENCE, SCORES, padding=2)
        found = alone(w, tmp_path, widget)
        for name in ["window", "padding", "causal and padding", "all", "causal"]:
            press(found, name)
            widget.mask = widget.presets[name]
            assert chosen_mask(found) == [name]
            for i, (line, may) in enumerate(zip(widget.weights, widget.mask)):
                assert numbers(found, i) == [*[fixed(v) if m else "×" for v, m in zip(line, may)], "1.00"]
            assert f"In all, {np.sum(widget.mask)} of 36 squares are allowed." in status(w, found)
        assert between(found, "Mary", "gave").get_attribute("aria-label") == "from Mary to gave: hidden"
        between(found, "Mary", "gave").click()
        between(found, "Mary", "gave").click()
        assert chosen_mask(found) == ["causal"], "made by hand, it is the same mask"
        found = alone(w, tmp_path, MaskBuilder(SENTENCE, SCORES))
        assert found.locator(".ak-buttons button").all_inner_texts() == ["all", "causal", "window", "Reset"]


@pytest.mark.browser
def test_arrow_keys_lead_through_a_mask(watched, tmp_path):
    """One square of the grid is in the tab order; arrows, Home and End move; Space and Enter change, and the focus stays."""
    at = "document.activeElement.getAttribute('aria-label') || document.activeElement.textContent"
    with watched() as w:
        found = alone(w, tmp_path, MaskBuilder(SENTENCE, SCORES))
        assert found.locator("table [tabindex='0']").count() == 1 and found.locator("table [tabindex='-1']").count() == 35
        w.page.keyboard.press("Tab")
        assert w.page.evaluate(at) == "from it to Mary: allowed, weight 0.38"
        ways = [("ArrowRight", "it to gave"), ("ArrowUp", "gave to gave"), ("End", "gave to [pad]"), ("ArrowRight", "gave to [pad]"),
                ("ArrowUp", "Mary to [pad]"), ("ArrowUp", "Mary to [pad]"), ("Home", "Mary to Mary"), ("ArrowLeft", "Mary to Mary"),
                ("ArrowDown", "gave to Mary"), *[("ArrowDown", f"{query} to Mary") for query in (*SENTENCE[2:], "[pad]")]]
        for key, where in ways:
            w.page.keyboard.press(key)
            assert w.page.evaluate(at).startswith(f"from {where}: "), key
        w.page.keyboard.press("ArrowUp")
        w.page.keyboard.press("ArrowUp")
        for key, words in (("Space", "hidden"), ("Enter", f"allowed, weight {fixed(softmax(np.array(SCORES[3][:4]))[0])}")):
            w.page.keyboard.press(key)
            assert w.page.evaluate(at) == f"from to to Mary: {words}"
            assert status(w, found).startswith(f"From “to”: {3 + (key == 'Enter')} of 6 may be seen;")
        w.page.keyboard.press("Tab")
        assert w.page.evaluate(at) == "causal", "the mask that is pressed"
        w.page.keyboard.press("Shift+Tab")
        assert w.page.evaluate(at).startswith("from to to Mary"), "the grid has forgotten its place"
        assert found.locator("table [tabindex='0']").count() == 1 and not w.errors


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 600, 360])
def test_eight_long_words_have_room(watched, tmp_path, width):
    """No square is too small for a finger, none meets another, no word is cut, and nothing is wider than the page."""
    words = ["The", "manuscript", "wouldn't", "convince", "anybody", "yesterday", "[pad]", "[pad]"]
    with watched(width=width) as w:
        found = alone(w, tmp_path, MaskBuilder(words, np.zeros((8, 8)), padding=2))
        press(found, "all")
        assert numbers(found, 7) == ["0.13"] * 8 + ["1.00"] and found.evaluate(CUT) == []
        assert w.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        boxes = [square.bounding_box() for square in found.locator("button.ak-cell").all()]
        assert min(min(box["width"], box["height"]) for box in boxes) >= 26
        assert all(a["x"] + a["width"] <= b["x"] for a, b in zip(boxes, boxes[1:]) if a["y"] == b["y"])


@pytest.mark.browser
def test_a_hidden_square_is_told_from_a_weight_of_zero_without_colour(watched, tmp_path):
    """A cross, and hatching that no fill has."""
    with watched() as w:
        found = alone(w, tmp_path, building(scores=[[0, 0, 0], [0, 999, 0], [0, 0, 0]]))
        zero, hidden = between(found, "b", "a & b"), between(found, "b", "c")
        assert (zero.inner_text(), hidden.inner_text()) == ("0.00", "×")
        assert [square.evaluate("b => getComputedStyle(b).backgroundImage.slice(0, 9)") for square in (zero, hidden)] == ["none", "repeating"]


@pytest.mark.browser
def test_a_mask_set_in_python_is_shown(watched, tmp_path):
    """Live, the kernel hears of each square that is pressed, and the figure follows a mask that the kernel sets."""
    with watched() as w:
        alone(w, tmp_path, building())
        w.page.evaluate("""() => { const place = document.querySelector('[data-ak-figure]'), model = attnkit.staticModel(JSON.parse(place.dataset.akState));
            window.sent = []; model.save_changes = () => sent.push([model.get('row'), model.get('mask')]); window.model = model;
            attnkit.figures.mask_builder.render({model, el: place}); }""")
        found = w.page.locator(".ak-figure")
        between(found, "c", "a & b").click()
        told = [[2, [[True, False, False], [True, True, False], [not k, True, True]]] for k in (0, 1)]
        assert w.page.evaluate("sent") == told, "the row that has the focus, then the square that is pressed"
        w.page.evaluate("model.set('mask', [[true, true, true], [false, false, false], [false, false, true]])")
        assert numbers(found, 0)[:3] == [fixed(v) for v in softmax(np.array([1.0, 0, 2]))] and numbers(found, 1) == ["×", "×", "×", "0.00"]
        assert status(w, found).startswith("From “c”: 1 of 3 may be seen; its weight is 1. In all, 4 of 9 ")


# ---- two places under five schemes of positions

def test_position_pairs_arithmetic():
    rng = np.random.default_rng(31)
    figures_ = []
    for _ in range(300):
        places, width = int(rng.integers(2, 129)), 2 * int(rng.integers(3, 17))
        learned = rng.normal(size=(rng.integers(1, places + 1), width))
        query, key = (int(rng.integers(places)) for _ in range(2))
        figures_.append(PositionPairs(learned, rng.normal(size=2 * rng.integers(33) + 1), float(rng.uniform(0, 3)), width, places, query, key))
    for ours, got in zip(figures_, node("run_figures.js", {"figure": "position_pairs", "cases": [widget.state() for widget in figures_]})):
        two, table = [ours.query, ours.key], np.array(ours.learned)
        waves = sinusoidal(ours.places, ours.width)[two]
        turned = rotary(np.tile([1.0, 0], (2, ours.width // 2)), positions=two)
        wanted = {"sinusoidal": waves[0] @ waves[1], "bias": relative_bias(np.array(ours.bias), ours.places)[tuple(two)],
                  "learned": table[two[0]] @ table[two[1]] if max(two) < len(table) else None,
                  "alibi": None if two[1] > two[0] else alibi(np.array(ours.slope), ours.places)[tuple(two)],
                  "rotary": [turned[0, k:k + 2] @ turned[1, k:k + 2] for k in (2, 4)]}
        assert got["distance"] == ours.distance == two[1] - two[0]
        for scheme, value in wanted.items():
            assert (got[scheme] is None) == (value is None) == (ours.found[scheme] is None), scheme
            if value is not None:
                assert np.allclose(got[scheme], value, rtol=0, atol=1e-12) and np.allclose(ours.found[scheme], value, rtol=0, atol=1e-12), scheme
        assert np.allclose(got["vectors"]["sinusoidal"], waves, rtol=0, atol=1e-12) and np.array_equal(ours.vectors["sinusoidal"], waves)
        assert got["vectors"]["learned"] == [ours.learned[place] if place < len(table) else None for place in two]
        assert [None if v is None else v.tolist() for v in ours.vectors["learned"]] == got["vectors"]["learned"]
        assert np.allclose(got["angles"], ours.angles, rtol=0, atol=1e-12)
        # The arrows that are drawn at these angles are what rotary makes of the vector (1, 0).
        assert np.allclose(np.cos(got["angles"]), turned[:, [2, 4]].T, atol=1e-12) and np.allclose(np.sin(got["angles"]), turned[:, [3, 5]].T, atol=1e-12)
        assert ours.bias[got["slot"]] == got["bias"]


def test_position_pairs_moved_together():
    """Only the learned vectors make something else of two places at the same distance."""
    first, later = pairs(), pairs(query=10, key=7)
    assert first.distance == later.distance == -3
    for scheme in ("sinusoidal", "bias", "alibi", "rotary"):
        assert np.allclose(first.found[scheme], later.found[scheme], atol=1e-12), scheme
    assert abs(first.found["learned"] - later.found["learned"]) > 0.01
    assert not np.allclose(first.vectors["sinusoidal"], later.vectors["sinusoidal"], atol=0.1)


def test_position_pairs_without_a_row_and_in_the_future():
    widget = pairs(query=11, key=12)
    assert widget.found["learned"] is None and widget.found["alibi"] is None and widget.vectors["learned"][1] is None
    still = widget.still()
    assert "no row: the table has 12" in still and "hidden, it looks back only" in still and still.count("<td>no row</td>") == 16
    assert pairs(query=12, key=12).found["alibi"] == 0 and "−0.25 × 0 = 0.00" in pairs(query=12, key=12).still()
    assert "−0.25 × 3 = −0.75" in pairs().still()


@pytest.mark.parametrize("changed, error, words", [
    ({"learned": np.zeros((12, 8))}, ValueError, r"learned must have shape \(any, 16\), got \(12, 8\)"),
    ({"learned": np.zeros((65, 16))}, ValueError, "at most 64 rows, one for each place, got 65"),
    ({"learned": np.full((2, 16), 101)}, ValueError, "learned must lie between -100 and 100"),
    ({"learned": [["a"] * 16]}, TypeError, "learned must be numbers"),
    ({"bias": [1, 2]}, ValueError, "bias must hold an odd number of numbers, at most 65, got 2"),
    ({"bias": np.zeros(67)}, ValueError, "at most 65, got 67"),
    ({"bias": [[1]]}, ValueError, r"bias must have shape \(any,\)"),
    ({"slope": 11}, ValueError, "slope must lie between 0 and 10, got 11"),
    ({"slope": "steep"}, TypeError, "slope must be a number"),
    ({"width": 7}, ValueError, "width must be an even number from 6 to 32, got 7"),
    ({"width": 4}, ValueError, "from 6 to 32, got 4"),
    ({"width": 34}, ValueError, "from 6 to 32, got 34"),
    ({"width": 16.0}, TypeError, "width must be an integer, got float"),
    ({"places": 1}, ValueError, "places must be from 2 to 128, got 1"),
    ({"places": 129}, ValueError, "places must be from 2 to 128, got 129"),
    ({"query": 64}, ValueError, "query must be from 0 to 63, the number of one of the places, got 64"),
    ({"key": -1}, ValueError, "key must be from 0 to 63"),
    ({"key": True}, TypeError, "key must be an integer")])
def test_position_pairs_refuse(changed, error, words):
    with pytest.raises(error, match=words):
        pairs(**changed)


def marks(found):
    """What each panel says of the last move."""
    return found.locator(".ak-head > .ak-small").all_inner_texts()


def drawn(found, *selectors):
    """How the parts of the drawings lie now."""
    return [found.locator(s).evaluate_all("all => all.map(e => e.getAttribute('transform') || e.getAttribute('d') || e.getAttribute('aria-label'))")
            for s in selectors]


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 600, 360])
def test_two_places_moved_together(watched, tmp_path, width):
    with watched(width=width) as w:
        widget = pairs()
        found, whole = alone(w, tmp_path, widget), []
        start = found.inner_text()
        query, key = (found.get_by_role("slider", name=f"{role} at place") for role in ("query", "key"))
        back, on, reset = found.get_by_role("button").all()
        assert [button.inner_text() for button in (back, on, reset)] == ["Both one place back", "Both one place on", "Reset"]

        def shown():
            widget.query, widget.key = int(query.input_value()), int(key.input_value())
            said = status(w, found)
            assert said.startswith(f"Query at place {widget.query}, key at place {widget.key}, distance {fixed(widget.distance, 0)}.")
            numbers = [v for v in np.hstack([[value] if np.isscalar(value) else value for value in widget.found.values() if value is not None])]
            assert all(fixed(v) in said for v in numbers) and f"distance i − j = {fixed(widget.distance, 0)}" in found.inner_text()
            assert found.evaluate(CUT) == [] and w.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            whole.append(found.bounding_box()["height"])
            return said

        assert shown().endswith("This gives: sinusoidal {}, learned {}, relative bias −0.90, ALiBi −0.75, rotary {} and {}.".format(
            *map(fixed, (widget.found["sinusoidal"], widget.found["learned"], *widget.found["rotary"]))))
        assert marks(found) == [""] * 5
        stays, moves = [".ak-pointer", ".ak-dot"], [".ak-frame", ".ak-needle"]
        before = drawn(found, *stays), drawn(found, *moves)
        on.press("Enter")
        assert "As before: sinusoidal" in shown() and marks(found) == ["as before", "changed", "as before", "as before", "as before"]
        assert drawn(found, *stays) == before[0] and all(a != b for a, b in zip(drawn(found, *moves), before[1]))
        found.evaluate("f => { document.documentElement.dataset.theme = 'dark'; }")      # drawn again, but nothing has been moved
        assert "As before: sinusoidal" in shown() and marks(found)[1] == "changed"
        back.press("Space")
        assert (drawn(found, *stays), drawn(found, *moves)) == before and shown().endswith(f"Changed: learned {fixed(widget.found['learned'])}.")
        key.press("ArrowRight")
        assert marks(found) == ["changed"] * 5 and "As before" not in shown() and drawn(found, ".ak-pointer") != before[0][:1]
        query.press("End")
        said = shown()
        assert "learned without a row" in said and "distance −56, as −3: −0.90" in found.inner_text()
        assert found.locator(".ak-none").filter(visible=True, has_text="no row: the table has 12").count() == 1
        on.press("Enter")
        assert status(w, found) == "No room: one of the two stands at the last place." and on.get_attribute("aria-disabled") == "true"
        assert (query.input_value(), key.input_value()) == ("63", "7") and back.get_attribute("aria-disabled") == "false"
        query.press("Home")
        assert "ALiBi hidden" in shown() and "hidden, it looks back only" in found.inner_text() and not found.locator(".ak-dot").is_visible()
        back.press("Enter")
        assert status(w, found) == "No room: one of the two stands at the first place." and back.get_attribute("aria-disabled") == "true"
        key.press("End")
        assert marks(found) == ["changed", "changed", "as before", "as before", "changed"] and "distance 63, as 3: −0.50" in found.inner_text()
        shown()
        reset.press("Enter")
        shown()
        assert found.inner_text() == start and marks(found) == [""] * 5 and (drawn(found, *stays), drawn(found, *moves)) == before
        assert max(whole) - min(whole) < 1, "the page below jumps"
        assert not w.errors


@pytest.mark.browser
def test_two_places_set_in_python(watched, tmp_path):
    """Live, the kernel hears of both places at once, and the figure follows the kernel."""
    with watched() as w:
        alone(w, tmp_path, pairs())
        w.page.evaluate("""() => { const place = document.querySelector('[data-ak-figure]'), model = attnkit.staticModel(JSON.parse(place.dataset.akState));
            window.sent = []; model.save_changes = () => sent.push([model.get('query'), model.get('key')]); window.model = model;
            attnkit.figures.position_pairs.render({model, el: place}); }""")
        found = w.page.locator(".ak-figure")
        press(found, "Both one place on")
        assert w.page.evaluate("sent") == [[10, 7]]
        w.page.evaluate("model.set('key', 10)")
        assert "distance 0." in status(w, found) and "−0.25 × 0 = 0.00" in found.inner_text() and "rotary 1.00 and 1.00" in status(w, found)
        # Where the arrows meet, their letters stand apart.
        boxes = [letter.bounding_box() for letter in found.locator(".ak-circle").first.locator(".ak-letter").all()]
        assert abs(boxes[0]["x"] - boxes[1]["x"]) + abs(boxes[0]["y"] - boxes[1]["y"]) > 10


# ---- a model that writes a story

def random_stories():
    """150 figures with random words in them, six of each model."""
    rng = np.random.default_rng(42)
    for model in storytellers():
        words, most = model.words, model.context - 1
        for k in range(6):
            count = most if k == 0 else int(rng.integers(0, 13))
            given = int(rng.integers(0, count + 1))
            figure = StoryWriter(model, " ".join(rng.choice(words[3:], given)), int(rng.integers(10_000)), float(rng.choice([0, rng.uniform(0, 2)])),
                                 None if rng.integers(2) else int(rng.integers(1, len(words) + 3)))
            figure.written = rng.integers(3, len(words), count - given).tolist()
            if k == 1:
                figure.written = [*figure.written, words.index("<end>")]
            yield figure


def as_script(figures_):
    return node("run_figures.js", {"figure": "story_writer", "cases": [figure.state() for figure in figures_]})


def test_story_writer_arithmetic():
    """What the script makes of the model's results is what Python makes of them (test_models.py compares the results)."""
    figures_ = list(random_stories())
    assert len(figures_) == 150
    for ours, got in zip(figures_, as_script(figures_)):
        assert got["numbers"] == ours.numbers and got["ended"] == ours.ended
        assert np.allclose(got["scores"], ours.scores, rtol=0, atol=1e-9)
        assert np.allclose(got["weights"], ours.weights[:, :, -1], rtol=0, atol=1e-9) and len(got["maps"][0]) == len(ours.numbers)
        assert np.allclose(got["chances"], ours.chances, rtol=0, atol=1e-9) and np.isclose(sum(got["chances"]), 1)
        assert ours.chances[0] == ours.chances[1] == 0 and np.count_nonzero(ours.chances) <= (ours.top_k or 99)
        if not ours.ended:
            assert ours.model.words[got["next"]] == ours.next_word
        assert got["order"] == sorted(range(2, len(ours.scores)), key=lambda word: -got["scores"][word])


def test_the_model_of_the_chapter_is_small():
    assert len(gzip.compress(json.dumps(storyteller.trained().packed()).encode())) <= 60_000


def test_the_same_seed_writes_the_same_story_in_both_languages():
    """Each word of a story in Python is the one that the script takes there; `write` writes the same."""
    stories, told = [], []
    for seed, model in enumerate(storytellers()):
        for temperature, top_k in ((0, None), (1.5, None) if seed % 2 else (0.6, 3)):
            figure = StoryWriter(model, model.words[4], seed, temperature, top_k)
            stories.append(figure.write())
            assert figure.ended and figure.next_word is None
            words = figure.written
            theirs = storyteller.write(model, model.words[4], temperature=temperature, top_k=top_k, seed=seed)
            assert " ".join(theirs) == stories[-1].removesuffix(" <end>")
            for k in range(0, len(words), 5):
                figure.written = words[:k]
                told.append((figure.state(), words[k]))
    got = node("run_figures.js", {"figure": "story_writer", "cases": [state for state, _ in told]})
    assert [found["next"] for found in got] == [word for _, word in told]
    assert len(set(stories)) > 30 and any(story.endswith("<end>") for story in stories) and any(len(story.split()) == 63 for story in stories)


def test_a_story_is_written_in_python():
    figure = storytelling(prompt="  Zoe   met Rex ", temperature=0)
    assert figure.prompt == "Zoe met Rex" and figure.story == ["Zoe", "met", "Rex"] and figure.numbers == [1, 3, 4, 5]
    best = figure.model.words[int(np.argmax(np.where(np.arange(8) < 2, -9, figure.scores)))]
    assert figure.write(1) == f"Zoe met Rex {best}" and len(figure.written) == 1
    figure.written = [7, 2]
    assert figure.ended == "end" and figure.next_word is None and figure.write() == "Zoe met Rex . <end>"
    assert "The story has ended." in figure.still() and "chance" not in figure.still()
    full = storytelling(prompt="Zoe " * 63)
    assert full.ended == "full" and "at most 64 words" in full.still() and full.write() == " ".join(["Zoe"] * 63)
    assert storytelling(prompt="").story == [] and storytelling(prompt="").next_word
    begun, later = storytelling(write=3), storytelling()
    later.write(3)
    assert begun.written == later.written == begun.defaults["written"] and later.defaults["written"] == [] and len(begun.written) == 3
    assert storytelling(prompt="Zoe " * 62, write=9).story[:-1] == ["Zoe"] * 62


@pytest.mark.parametrize("changed, error, words", [
    ({"model": random_storyteller(0, num_layers=7)}, ValueError, "num_layers of model must be at most 6, got 7"),
    ({"model": random_storyteller(0, words=["a b"])}, ValueError, "the words of model must have no blanks"),
    ({"model": random_storyteller(0, words=["a", "a"])}, ValueError, "the words of model must be <pad>, <start>, <end> and others, all different"),
    ({"prompt": "Zoe met Rex."}, ValueError, "prompt must hold words that the model knows, not 'Rex.'; a full stop is a word"),
    ({"prompt": "<end>"}, ValueError, "not '<end>'"),
    ({"prompt": "Zoe " * 64}, ValueError, "prompt must hold at most 63 words, as the context has room for no more, got 64"),
    ({"beginnings": ["Zoe", "Bob"]}, ValueError, "a prompt of beginnings must hold words that the model knows, not 'Bob'"),
    ({"beginnings": "Zoe"}, TypeError, "beginnings must be a sequence of str"),
    ({"beginnings": ["Zoe"] * 7}, ValueError, "beginnings must be at most 6, got 7"),
    ({"top_k": 0}, ValueError, "top_k must be at least 1, got 0"),
    ({"write": -1}, ValueError, "write must be at least 0, got -1"),
    ({"top_k": 1.5}, TypeError, "top_k must be an integer"),
    ({"seed": -1}, ValueError, "seed must be from 0 to 9999"),
    ({"temperature": "hot"}, TypeError, "temperature must be a number"),
    ({"head": (2, 0)}, ValueError, "head's layer must be from 0 to 1"),
    ({"whole_map": 1}, TypeError, "whole_map must be True or False")])
def test_story_writer_refuses(changed, error, words):
    with pytest.raises(error, match=words):
        storytelling(**changed)


def told(found):
    """The story as it is shown, ``<start>`` first."""
    return found.locator(".ak-token").all_inner_texts()


def follows(found, widget):
    """The page shows the state of a figure in Python: the story, the chances, the weights of each head."""
    assert told(found) == ["<start>", *widget.story]
    assert found.locator(".ak-newest").all_inner_texts() == [["<start>", *widget.story][-1]]
    bars = found.locator(".ak-bar")
    if widget.ended:
        assert not bars.first.is_visible()
    else:
        order = [word for word in np.argsort(-widget.scores, kind="stable") if word > 1][:10]
        assert bars.locator(".ak-word").all_inner_texts() == [widget.model.words[k] for k in order]
        assert bars.locator(".ak-num").all_inner_texts() == [fixed(widget.chances[k]) for k in order]
        assert f"the model takes {'the likeliest word, ' * (widget.temperature == 0)}“{widget.next_word}”" in found.inner_text()
    newest = widget.weights[:, :, -1].reshape(-1, len(widget.numbers))
    words = ["<start>", *widget.story]
    assert found.locator(".ak-best").all_inner_texts() == [f"{words[int(np.argmax(row))]} {fixed(row.max())}" for row in newest]
    assert found.locator(".ak-strips .ak-edge span:not(:empty)").all_text_contents() == words
    for button, best in zip(found.locator(".ak-head").all(), found.locator(".ak-best").all()):
        assert button.get_attribute("aria-describedby") == best.get_attribute("id")
    shades = found.locator(".ak-token").evaluate_all("all => all.map(e => e.style.backgroundColor)")
    mine = [round(100 * draw.opacity(np.floor(100 * v + 0.5) / 100, 1), 1) for v in widget.weights[*widget.head, -1]]
    assert [float(re.search(r"([\d.]+)%", shade)[1]) for shade in shades] == mine


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 360])
def test_a_story_by_hand(watched, tmp_path, width):
    """Every control by keyboard: Step, Back, To the beginning, beginnings, words of one's own, chances, seed, temperature, heads, map."""
    with watched(width=width) as w:
        widget = storytelling()
        found, start = alone(w, tmp_path, widget), []

        def check(said):
            assert said in status(w, found), status(w, found)
            follows(found, widget)
            assert w.page.evaluate("document.documentElement.scrollWidth <= innerWidth") and found.evaluate(CUT) == []

        likeliest = widget.model.words[2 + int(widget.scores[2:].argmax())]
        check(f"A sentence is complete: “Zoe met Rex.” The likeliest next word is “{likeliest}”, chance {fixed(widget.chances.max())}.")
        start = found.inner_text()
        assert found.locator(".ak-given").all_inner_texts() == ["Zoe", "met", "Rex", "."]
        for _ in range(3):
            word, chance = widget.next_word, widget.chances[widget.model.words.index(widget.next_word)]
            widget.write(1)
            press(found, "Step")
            check(f"The model took “{word}”, chance {fixed(chance)}.")
        press(found, "Back")
        gone = widget.story[-1]
        widget.written = widget.written[:-1]
        check(f"Taken away: “{gone}”.")
        bar = found.locator(".ak-bar").nth(3)
        word = bar.locator(".ak-word").inner_text()
        assert re.fullmatch(rf"{word} 0\.\d\d", bar.text_content())
        bar.press("Enter")
        widget.written = [*widget.written, widget.model.words.index(word)]
        check(f"You took “{word}”")
        press(found, "To the beginning")
        widget.written = []
        check("Back at the beginning.")
        press(found, "Back")
        widget.prompt = "Zoe met Rex"
        check("Taken away: “.”.")
        press(found, "the Zoe")
        widget.prompt = "the Zoe"
        check("Begun with “the Zoe”.")
        found.get_by_role("slider", name="temperature").press("Home")
        widget.temperature = 0
        check("chance 1.00.")
        widget.write(2)
        press(found, "Step")
        press(found, "Step")
        check("The model took")
        found.get_by_role("slider", name="temperature").press("End")
        widget.temperature = 2
        check("The likeliest")
        press(found, "New seed")
        widget.seed, widget.written = 1, []
        check("Seed 1: the story is back at its beginning.")
        press(found, "layer 2, head 2")
        widget.head = [1, 1]
        check("The likeliest")
        assert found.locator(".ak-head[aria-pressed=true]").all_inner_texts() == ["layer 2, head 2"]
        press(found, "Reset")
        w.settle()
        assert found.inner_text() == start and not w.errors


@pytest.mark.browser
def test_words_of_ones_own(watched, tmp_path):
    """A list that typing makes shorter, by keyboard and by touch; a word that the model does not know is refused, and nothing is lost."""
    with watched(width=360, has_touch=True) as w:
        widget = storytelling(model=random_storyteller(2, words=LEXICON), prompt="Zoe", beginnings=[])
        found = alone(w, tmp_path, widget)
        field, options = found.get_by_role("combobox", name="your next word"), found.get_by_role("option")
        assert options.count() == 0 and field.get_attribute("aria-expanded") == "false"
        field.press("ArrowDown")
        assert options.all_inner_texts() == sorted(LEXICON, key=str.lower) and field.get_attribute("aria-expanded") == "true"
        field.type("t")
        assert options.all_inner_texts() == ["thanked", "the", "tower"]
        for key, active in (("ArrowDown", "thanked"), ("ArrowUp", "tower"), ("ArrowDown", "thanked"), ("ArrowDown", "the")):
            field.press(key)
            chosen = found.locator("[role=option][aria-selected=true]")
            assert chosen.all_inner_texts() == [active] and field.get_attribute("aria-activedescendant") == chosen.get_attribute("id")
        field.press("Enter")
        widget.prompt = "Zoe the"
        assert "Added: “the”." in status(w, found) and field.input_value() == "" and not options.count()
        follows(found, widget)
        field.type("max saw Bob")
        field.press("Escape")
        assert not options.count()
        press(found, "Add")
        refusal = "The model does not know “Bob”. It knows 15 words; the list shows them."
        assert status(w, found) == refusal == found.locator(".ak-refusal").inner_text() and field.get_attribute("aria-invalid") == "true"
        assert field.input_value() == "max saw Bob" and told(found) == ["<start>", "Zoe", "the"]
        field.press("End")
        field.press("Backspace")
        assert not found.locator(".ak-refusal").inner_text() and field.get_attribute("aria-invalid") == "false"
        field.fill("max saw her.")
        field.press("Enter")
        widget.prompt = "Zoe the Max saw her ."
        assert "A sentence is complete: “Zoe the Max saw her.”" in status(w, found)
        press(found, "Step")
        widget.write(1)
        found.get_by_role("button", name="Add").tap()
        assert options.count() == 15 and found.locator(".ak-refusal").inner_text() == "Type a word, or choose one from the list."
        options.filter(has_text="kite").tap()
        widget.written = [*widget.written, widget.model.words.index("kite")]
        assert status(w, found).startswith("Added: “kite”.")
        follows(found, widget)
        field.fill("<end>")
        field.press("Enter")
        assert "does not know “<end>”" in status(w, found)
        field.focus()
        field.press("ArrowDown")
        found.get_by_role("button", name="Step").focus()
        assert not options.count() and w.page.evaluate("document.documentElement.scrollWidth <= innerWidth") and not w.errors


@pytest.mark.browser
def test_seeds_are_typed(watched, tmp_path):
    with watched() as w:
        widget = storytelling()
        found = alone(w, tmp_path, widget)
        seed = found.get_by_role("spinbutton", name="seed")
        press(found, "Step")
        for keys, value in ((["ArrowUp"], 1), (["ArrowDown"], 0)):
            for key in keys:
                seed.press(key)
            widget.seed = value
            assert seed.input_value() == str(value) == seed.get_attribute("aria-valuenow") and f"Seed {value}: " in status(w, found)
            follows(found, widget)
        for wrong in ("-1", "10000", "1.5", "", "x"):
            seed.fill(wrong)
            seed.press("Enter")
            assert status(w, found) == "A seed is a whole number from 0 to 9999." and seed.input_value() == "0"
        seed.press("ArrowDown")
        assert seed.input_value() == "0"
        seed.fill("321")
        seed.blur()
        widget.seed = 321
        assert "Seed 321: " in status(w, found)
        follows(found, widget)
        assert not w.errors


# Press Write, wait until so many words more are there, then press another button; what was said while it ran.
WRITING = """(f, [count, name]) => new Promise(done => { const first = f.querySelectorAll('.ak-token').length, said = [];
    const press = words => [...f.querySelectorAll('button')].find(b => b.textContent === words).click();
    new MutationObserver(() => said.push(f.querySelector('[role=status]').textContent)).observe(f.querySelector('[role=status]'), {childList: true, characterData: true, subtree: true});
    press('Write');
    requestAnimationFrame(function look() { if (f.querySelectorAll('.ak-token').length < first + count) return requestAnimationFrame(look);
        const running = f.querySelector('button').textContent; press(name); done([running, said]); }) })"""


@pytest.mark.browser
def test_a_story_writes_itself_until_it_is_stopped(watched, tmp_path):
    """Word after word, the same as in Python; sentences are said, not words; each other way to change the story stops it."""
    with watched() as w:
        widget = storytelling(seed=2, top_k=3)        # <end> is not among the three likeliest
        found = alone(w, tmp_path, widget)
        running, said = found.evaluate(WRITING, [6, "Stop"])
        count = len(told(found)) - 5
        widget.write(count)
        assert running == "Stop" and count >= 6 and status(w, found).startswith("The writing has stopped. ")
        follows(found, widget)
        assert len(told(found)) == count + 5 and found.locator("button").first.inner_text() == "Write"
        assert set(said) <= {"The model writes."} | {s for s in said if s.startswith("A sentence is complete: ")} and len(said) <= 1 + widget.story[4:].count(".")
        for name in ("Step", "Back", "To the beginning", "the Zoe", "New seed", "Reset"):
            running, _ = found.evaluate(WRITING, [2, name])
            before = told(found)
            assert running == "Stop" and found.locator("button").first.inner_text() == "Write", name
            w.page.evaluate("() => new Promise(done => setTimeout(done, 600))")
            assert told(found) == before, f"{name} does not stop the writing"
        widget.written = []
        follows(found, widget)
        assert not w.errors


@pytest.mark.browser
def test_the_end_of_a_story_and_of_the_context(watched, tmp_path):
    with watched(reduced_motion="reduce") as w:
        widget = storytelling(prompt="Zoe " * 57, temperature=0)
        widget.write()
        found = alone(w, tmp_path, storytelling(prompt="Zoe " * 57, temperature=0))
        press(found, "Write")
        assert widget.ended == "full"
        assert status(w, found) == "Written at once, because your device asks for less motion. The context is full: the model reads at most 64 words, <start> among them."
        follows(found, widget)
        assert found.locator("button[aria-disabled=true]").all_inner_texts() == ["Write", "Step"]
        for name in ("Write", "Step"):
            press(found, name)
            assert len(told(found)) == 64 and status(w, found).startswith("The context is full")
        field = found.get_by_role("combobox")
        field.fill("Zoe")
        field.press("Enter")
        assert status(w, found) == "The context is full: the model reads at most 64 words, <start> among them. “Back” takes the last word away."
        assert field.input_value() == "Zoe" and len(told(found)) == 64
        press(found, "Back")
        field.fill("Zoe Zoe")
        field.press("Enter")
        assert status(w, found).startswith("The context is full") and len(told(found)) == 63
        press(found, "To the beginning")
        found.locator(".ak-bar", has_text="<end>").press("Enter")
        assert status(w, found).endswith("The story has ended.") and told(found)[-1] == "<end>" and not found.locator(".ak-bar").first.is_visible()
        press(found, "Step")
        assert status(w, found) == "The story has ended."
        empty = alone(w, tmp_path, storytelling(prompt="", beginnings=[]))
        press(empty, "Back")
        assert "There is no word to take away." in status(w, empty) and told(empty) == ["<start>"]
        assert empty.locator("button[aria-disabled=true]").all_inner_texts() == ["Back", "To the beginning"] and not w.errors


@pytest.mark.browser
def test_a_story_opens_written(watched, tmp_path):
    """Some words are there when the figure opens, and Reset leads back to them; it begins with nothing, and a reader's words, as well."""
    with watched() as w:
        widget = storytelling(write=4)
        found = alone(w, tmp_path, widget)
        follows(found, widget)
        start = found.inner_text()
        press(found, "To the beginning")
        assert told(found) == ["<start>", "Zoe", "met", "Rex", "."]
        press(found, "nothing")
        widget.written, widget.prompt = [], ""
        assert status(w, found).startswith("Begun with nothing. ")
        follows(found, widget)
        found.get_by_role("combobox").fill("rex met")
        press(found, "Add")
        widget.prompt = "Rex met"
        assert status(w, found).startswith("Added: “Rex met”. ") and found.locator(".ak-given").all_inner_texts() == ["Rex", "met"]
        follows(found, widget)
        press(found, "Reset")
        w.settle()
        assert found.inner_text() == start and len(told(found)) == 9 and not w.errors


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 360])
def test_the_whole_map_of_a_head(watched, tmp_path, width):
    """One canvas whose pixels are the weights, words at both edges, the strongest links in words; away again at Reset."""
    pixels = "c => [...c.getContext('2d').getImageData(0, 0, c.width, c.height).data].filter((_, k) => k % 4 === 3)"
    with watched(width=width) as w:
        widget = storytelling(model=random_storyteller(2), seed=5, temperature=2, beginnings=[])
        widget.write(55)
        assert len(widget.numbers) > 20
        found = alone(w, tmp_path, widget)
        assert not found.locator(".ak-whole").is_visible() and found.locator(".ak-left span").count() == 0
        press(found, "Show the whole map of this head")
        press(found, "layer 2, head 1")
        words, n = ["<start>", *widget.story], len(widget.numbers)
        assert all(found.locator(f"{edge} span:not(:empty)").all_text_contents() == words for edge in (".ak-top", ".ak-left"))
        wanted = np.zeros((64, 64))
        wanted[:n, :n] = widget.weights[1, 0]
        shown = np.array(found.locator(".ak-squares canvas").evaluate(pixels)).reshape(64, 64)
        assert np.array_equal(shown, [[np.floor(255 * draw.opacity(v, 1) + 0.5) for v in row] for row in wanted])
        strip = np.array(found.locator(".ak-strips canvas").nth(2).evaluate(f"{pixels}"))[:n]
        assert np.array_equal(strip, shown[n - 1, :n][::-1])
        earlier = sorted(((wanted[i, j], i, j) for i in range(n) for j in range(1, i)), reverse=True)[:5]
        for weight, i, j in earlier:
            assert f"“{words[i]}” at “{words[j]}” {fixed(weight)}" in found.locator(".ak-whole").inner_text()
        box, edge = found.locator(".ak-squares").bounding_box(), found.locator(".ak-left span:not(:empty)").last.bounding_box()
        assert abs(box["y"] + box["height"] - edge["y"] - edge["height"]) < 2, "words and rows drift apart"
        newest, strip_ = (found.locator(f".ak-strips {what}").evaluate("e => e.getBoundingClientRect().left") for what in (f".ak-edge span:nth-child({n})", "canvas:nth-child(2)"))
        assert abs(newest - strip_) < 1, "the newest word does not stand over its weight"
        rows_, strips = (found.locator(s).all() for s in (".ak-head", ".ak-strips canvas"))
        assert all(abs(a.bounding_box()["y"] - b.bounding_box()["y"]) < 6 for a, b in zip(rows_, strips)) and len(rows_) == len(strips) == 4
        assert w.page.evaluate("document.documentElement.scrollWidth <= innerWidth") and found.evaluate("f => f.querySelectorAll('*').length") < 600
        press(found, "Hide the whole map")
        assert not found.locator(".ak-whole").is_visible() and found.locator(".ak-whole").text_content() == "looks ↓ at →"
        press(found, "Show the whole map of this head")
        press(found, "Reset")
        assert not found.locator(".ak-whole").is_visible() and not w.errors


@pytest.mark.browser
def test_a_story_set_in_python(watched, tmp_path):
    """Live, the kernel hears of each word, and the figure follows the kernel."""
    with watched() as w:
        widget = storytelling(top_k=2)
        alone(w, tmp_path, widget)
        w.page.evaluate("""() => { const place = document.querySelector('[data-ak-figure]'), model = attnkit.staticModel(JSON.parse(place.dataset.akState));
            window.sent = []; model.save_changes = () => sent.push([model.get('prompt'), model.get('written')]); window.model = model;
            attnkit.figures.story_writer.render({model, el: place}); }""")
        found = w.page.locator(".ak-figure")
        widget.write(1)
        press(found, "Step")
        assert w.page.evaluate("sent") == [["Zoe met Rex .", widget.written]] and "Only the 2 likeliest are drawn." in found.inner_text()
        w.page.evaluate("model.set('written', [3, 4])")
        widget.written = [3, 4]
        follows(found, widget)
        w.page.evaluate("model.set('prompt', 'Rex')")
        widget.prompt = "Rex"
        follows(found, widget)


@pytest.mark.browser
def test_a_step_costs_one_place(watched, tmp_path):
    """The work of a step at the end of the context, counted: about that of one place, not of 63 places again."""
    with watched() as w:
        model = random_storyteller(99, words=[f"w{k}" for k in range(68)], width=32, num_heads=4, hidden=64, reach=32, spread=0.5)
        profile = w.context.new_cdp_session(w.page)
        profile.send("Profiler.enable")
        profile.send("Profiler.startPreciseCoverage", {"callCount": True, "detailed": True})
        found = alone(w, tmp_path, StoryWriter(model, " ".join(["w3", "w9"] * 31), temperature=0, whole_map=True))

        def ran(act):
            profile.send("Profiler.takePreciseCoverage")
            act()
            scripts = profile.send("Profiler.takePreciseCoverage")["result"]
            return sum(block["count"] for s in scripts if s["url"].startswith("file:") for f in s["functions"] for block in f["ranges"])
        w.page.evaluate("""() => { window.put = 0; new MutationObserver((all) => { put += all.length; }).observe(document.querySelector('.ak-figure'), {childList: true, subtree: true}); }""")
        press(found, "Step")
        assert w.page.evaluate("put") == 0, "nodes are put into the page, which is then styled anew"
        press(found, "New seed")
        steps = []
        for _ in range(3):        # what the page does once is no part of a step
            steps.append(ran(lambda: press(found, "Step")))
            whole = ran(lambda: press(found, "New seed"))
        assert len(told(found)) == 63
        ran(lambda: press(found, "Hide the whole map"))
        lean = ran(lambda: press(found, "Step"))
        again = ran(lambda: w.page.evaluate("attnkit.figures.story_writer.compute(JSON.parse(document.querySelector('[data-ak-figure]').dataset.akState))"))
        print(f"\nblocks: {min(steps)} for a step with the map, {lean} without, {whole} for going back, {again} to read 63 words anew")
        assert 0 < lean < 30_000 and 0 < min(steps) < 60_000 and again > 10 * lean


# ---- a model that translates a sentence

def random_translations():
    """150 figures with random sentences in them, six for each model, some not complete."""
    rng = np.random.default_rng(52)
    for model, grammar in translators():
        figure = SentenceTranslator(model, grammar, "")
        for k in range(6):
            length = int(rng.integers(0, len(grammar["next"]))) if k < 2 else int(rng.choice(grammar["final"]))
            figure.sentence = " ".join(rng.choice(list(words)) for words in grammar["next"][:length])
            figure.step, figure.row = int(rng.integers(0, 16)) if k % 2 else 15, None if rng.integers(2) else int(rng.integers(15))
            yield figure, figure.state()


def translated(states):
    return node("run_figures.js", {"figure": "sentence_translator", "cases": states})


def test_sentence_translator_arithmetic():
    """What the script makes of the model's results is what Python makes of them (test_models.py compares the results)."""
    found = [(state, figure.translation, figure.weights, figure.chances, figure.ended, figure.following, figure.complete)
             for figure, state in random_translations()]
    assert len(found) == 150 and {f[4] for f in found} == {None, "end", "full"} and sum(f[6] for f in found) > 100
    for (state, words, weights, chances, ended, following, complete), got in zip(found, translated([f[0] for f in found])):
        assert got["english"] == state["sentence"].split() and got["following"] == following and got["complete"] == complete
        assert got["translation"] == words and got["ended"] == ended and len(words) <= state["step"]
        assert got["shown"] == (len(words) - 1 if state["row"] is None or state["row"] >= len(words) else state["row"])
        for theirs, ours in ((got["weights"], weights), (got["chances"], chances)):
            assert np.allclose(np.reshape(theirs, ours.shape), ours, rtol=0, atol=1e-9) and np.allclose(ours.sum(axis=-1), 1)


def test_what_a_translator_traces_is_its_translation():
    """Step by step with every result, or at once as it is evaluated: the same words, the same weights."""
    for model, _ in translators():
        numbers = np.random.default_rng(1).integers(3, len(model.source_words), 5).tolist()
        results = model.trace(numbers, max_length=15)
        [said], [looked] = model.model.translate(torch.tensor([numbers]), start=1, end=2, max_length=15)
        assert [word for word in results["words"] if word != 2] == said and np.allclose(results["weights"][:len(said)], looked, rtol=0, atol=1e-12)


def test_a_sentence_is_translated_in_python():
    figure = translating(sentence=" I  see the ", step=4)
    assert figure.sentence == "I see the" and figure.following == ["cats", "birds"] and not figure.complete
    assert figure.translation == [] and figure.weights.shape == (0, 3) and figure.ended is None and figure.write() == ""
    figure.sentence = "I see"
    assert figure.complete and figure.following == ["you", "the"]
    figure.sentence = "I see the cats"
    assert figure.complete and figure.following == [] and figure.translation == []
    one = figure.write(1)
    assert len(one.split()) == 1 and figure.weights.shape == (1, 4)
    whole = figure.write()
    assert whole.startswith(one) and figure.step == len(whole.split()) and figure.ended and translating().translation == whole.split()
    assert translating().defaults == {"row": None, "sentence": "I see the cats", "step": len(whole.split())} and translating(step=2).defaults["step"] == 2


# ---- a classifier that reads a document

def words_of(widget):
    """The words of the document that is shown."""
    return [widget.model["words"][word] for word in widget.documents[widget.document]]


def said_of(widget):
    """The model's answer as it is written: the likelier label and its probability."""
    p = widget.probability
    return f"{widget.labels[1]}, {fixed(p)}" if p >= 0.5 else f"{widget.labels[0]}, {fixed(1 - p)}"


def readers():
    """Figures of random models and documents, words weighted in each way, with none, some or all of them taken out."""
    rng = np.random.default_rng(51)
    for k in range(CASES):
        count = int(rng.integers(2, 40))
        model = document_reader.random_model(k, words=[f"w{i}" for i in range(count)], width=int(rng.integers(1, 17)), hidden=int(rng.integers(1, 17)),
                                             spread=float(rng.choice([0.5, 1, 30])))
        documents = [rng.integers(0, count, rng.integers(1, 121)).tolist() for _ in range(rng.integers(1, 13))]
        document = int(rng.integers(len(documents)))
        n = len(documents[document])
        out = rng.permutation(n)[:rng.choice([0, min(n, 3), n // 2, n], p=[0.4, 0.3, 0.2, 0.1])].tolist()
        yield DocumentReader(model, documents, ("no", "yes"), rng.integers(0, 2, len(documents)), document, str(rng.choice(document_reader.WAYS)), out)


def test_document_reader_arithmetic():
    """It is attention with one query of 1, the scores as keys and the words that are left as its mask; then a network of two layers."""
    figures_, seen = list(readers()), set()
    for ours, got in zip(figures_, node("run_figures.js", {"figure": "document_reader", "cases": [widget.state() for widget in figures_]})):
        model, words = {name: np.array(part) for name, part in ours.model.items()}, np.array(ours.documents[ours.document])
        n = len(words)
        keys = {"as they are": model["scores"][words], "equal": np.zeros(n), "shuffled": model["scores"][np.tile(words, 2)[n // 2:n // 2 + n]]}[ours.way]
        left = ~np.isin(np.arange(n), ours.removed)
        pooled, weights = attention(np.ones((1, 1)), keys[:, None], model["vectors"][words], mask=left[None], scale=1.0)
        logit = np.maximum(pooled[0] @ model["w1"] + model["b1"], 0) @ model["w2"] + model["b2"]
        with np.errstate(over="ignore"):
            wanted = 1 / (1 + np.exp(-logit))
        assert np.allclose(got["weights"], weights[0], rtol=0, atol=1e-12) and np.allclose(ours.weights, weights[0], rtol=0, atol=1e-12)
        assert np.isclose(got["probability"], wanted, rtol=0, atol=1e-9) and np.isclose(ours.probability, wanted, rtol=0, atol=1e-9)
        assert np.isclose(sum(got["weights"]), left.any()) and not np.array(got["weights"])[~left].any()
        assert got["most"] == [place for place in np.argsort(-np.array(got["weights"]), kind="stable") if left[place]][:5]
        seen.add((ours.way, min(int((~left).sum()), 1), bool(left.any()), ours.probability > 0.5))
    assert len(seen) == 18, "not every way, with and without words taken out, gives both answers"


def test_document_reader_follows_its_traits():
    """Another document begins whole, the first as the figure did; a word taken out leaves its weight to the others in proportion."""
    widget = reviewing(removed=(4,))
    assert widget.defaults == {"document": 0, "way": "as they are", "removed": [4]}
    weights = softmax(np.array([0, 0.5, -0.5, 4, 2, 2, -1]))
    assert np.allclose(widget.weights, np.where(np.arange(7) == 4, 0, weights) / (1 - weights[4]))
    widget.removed = np.array([5, 3, 5])
    assert widget.removed == [3, 5]
    widget.document = 1
    assert widget.removed == [] and widget.weights.shape == (2,) and np.isclose(widget.weights.sum(), 1)
    widget.document = 0
    assert widget.removed == [4]
    widget.way, widget.removed = "equal", []
    assert np.allclose(widget.weights, 1 / 7)
    widget.way = "shuffled"
    assert np.allclose(widget.weights, np.roll(weights, -3)) and (widget.weights != weights).all()


def test_document_reader_draws_a_still_picture():
    widget = reviewing(removed=[3], way="equal")
    was = reviewing()
    still = widget.still()
    assert "<p>the plot is <s>masterpiece</s> dull dull a &amp; b</p>" in still and still.count("<td>0.17</td>") == 6
    assert f"Document 1, weights equal: {said_of(widget)}, was {said_of(was)}. The right answer is good." in still
    rows_ = re.findall(r'<th scope="row">(.*?)</th><td>(.*?)</td>', was.still())
    assert [(unescape(word), weight) for word, weight in rows_] == [(words_of(was)[place], fixed(was.weights[place])) for place in (3, 4, 5, 1, 0, 2, 6)]
    assert "<s>" not in was.still() and ", was" not in was.still() and f"as they are: {said_of(was)}. " in was.still()
    none = reviewing(removed=range(7))
    assert not none.weights.any() and "<td>" not in none.still().split("</thead>")[1]


def without(**changed):
    """The model of `reviewing` with parts that are changed; None leaves one out."""
    model = {**reviewing().model, **changed}
    return {"model": {name: part for name, part in model.items() if part is not None}}


@pytest.mark.parametrize("changed, error, words", [
    ({"model": [1]}, TypeError, "model must be a dict, got list"),
    (without(w1=None, b2=None), ValueError, "model lacks w1, b2"),
    (without(pooling="max"), ValueError, "the pooling of model must be \"attention\", got 'max'"),
    (without(words="abc"), TypeError, "the words of model must be a list of str, got 'abc'"),
    (without(words=["a"] * 7), ValueError, "the words of model must be all different"),
    (without(scores=[1, 2]), ValueError, r"scores of model must have shape \(7,\), got \(2,\)"),
    (without(vectors=np.zeros((6, 4))), ValueError, r"vectors of model must have shape \(7, any\), got \(6, 4\)"),
    (without(vectors=np.zeros((7, 65)), w1=np.zeros((65, 3))), ValueError, "vectors of model must have at most 64 columns, got 65"),
    (without(w1=np.zeros((4, 65))), ValueError, "w1 of model must have at most 64 columns, got 65"),
    (without(w1=np.zeros((3, 3))), ValueError, r"w1 of model must have shape \(4, any\), got \(3, 3\)"),
    (without(b1=[1]), ValueError, r"b1 of model must have shape \(3,\), got \(1,\)"),
    (without(w2=[1, 2, np.inf]), ValueError, "w2 of model must lie between -1000 and 1000"),
    (without(b2="a"), TypeError, "b2 of model must be numbers, got"),
    ({"documents": 3}, TypeError, "documents must be a list of lists of word numbers, got 3"),
    ({"documents": [1, 2]}, TypeError, "documents must be a list of lists of word numbers"),
    ({"documents": []}, ValueError, "documents must be 1 to 12, each of 1 to 120 words, got 0 of no words"),
    ({"documents": [[0]] * 13}, ValueError, "got 13 of 1, 1, "),
    ({"documents": [[0], []]}, ValueError, "got 2 of 1, 0 words"),
    ({"documents": [[0] * 121]}, ValueError, "got 1 of 121 words"),
    ({"documents": [[7]]}, ValueError, "a word of documents must be from 0 to 6, the number of one of the words of model, got 7"),
    ({"documents": ["the plot"]}, TypeError, "a word of documents must be an integer, got 't'"),
    ({"labels": "no"}, TypeError, "labels must be a list of str, got 'no'"),
    ({"labels": ["good"]}, ValueError, "labels must be two different names"),
    ({"labels": ["good", "good"]}, ValueError, "labels must be two different names"),
    ({"answers": 1}, TypeError, "answers must be a sequence of 0 and 1, got int"),
    ({"answers": [1, 0]}, ValueError, r"answers must hold 0 or 1 for each of the 3 documents, got \[1, 0\]"),
    ({"answers": [1, 0, 2]}, ValueError, "answers must be from 0 to 1, the number of one of the labels, got 2"),
    ({"document": 3}, ValueError, "document must be from 0 to 2, the number of one of the documents, got 3"),
    ({"way": "even"}, ValueError, "way must be one of as they are, equal, shuffled, got 'even'"),
    ({"way": 1}, ValueError, "way must be one of"),
    ({"document": 1, "removed": [2]}, ValueError, "a place of removed must be from 0 to 1, the number of one of the words of the document, got 2"),
    ({"removed": "the"}, TypeError, "removed must be a sequence of places, got str")])
def test_document_reader_refuses(changed, error, words):
    with pytest.raises(error, match=words):
        reviewing(**changed)


def presented(found, widget):
    """The page shows the state of a figure in Python: each word, its weight, whether it is out; the answer and what it was."""
    buttons = found.locator(".ak-word").filter(visible=True)
    words, weights, out = words_of(widget), widget.weights, [k in widget.removed for k in range(len(words_of(widget)))]
    assert buttons.evaluate_all("all => all.map(b => b.ariaPressed === 'true')") == out
    assert buttons.evaluate_all("all => all.map(b => getComputedStyle(b).textDecorationLine === 'line-through')") == out
    left = [place for place in np.argsort(-weights, kind="stable") if not out[place]]
    largest = [k for k in left[:5] if weights[k] * len(left) > 1 + 1e-9]
    assert buttons.all_text_contents() == [f"{word} {fixed(w) if k in largest else ''}" for k, (word, w) in enumerate(zip(words, weights))]
    shades = buttons.evaluate_all("all => all.map(b => parseFloat(b.style.backgroundColor.match(/([\\d.]+)%/)[1]))")
    full = max([*weights, 5 / max(len(left), 1)])
    assert np.allclose(shades, [round(100 * draw.opacity(w, full), 1) for w in weights], atol=0.11)
    whole = DocumentReader(**{name: getattr(widget, name) for name in ("model", "documents", "labels", "answers", "document")})
    changed = out.count(True) > 0 or widget.way != "as they are"
    assert found.locator(".ak-now").inner_text() == said_of(widget)
    assert found.locator(".ak-before").inner_text().strip() == (f"was {said_of(whole)}" if changed else "")
    assert found.locator(".ak-was").is_visible() == changed
    right = widget.labels[widget.answers[widget.document]]
    assert found.locator(".ak-verdict").inner_text() == ("right" if said_of(widget).startswith(right) else "wrong")
    assert f"The right answer is {right}; " in found.inner_text()


# ---- gates for channels and for places

def gates_seen():
    """Figures of random models and pictures, every axis with the sigmoid and the softmax."""
    rng = np.random.default_rng(61)
    for k in range(160):
        axis, way = list(gate_axes.AXES)[k % 4], gate_axes.WAYS[k // 4 % 2]
        size = {"filters": int(rng.integers(1, 7)), "hidden": int(rng.integers(1, 9)), "answers": int(rng.integers(1, 6))}
        models = {axis: gate_axes.random_model(k, axis, **size, spread=float(rng.choice([0.3, 1, 5])))}
        pictures = rng.uniform(size=(int(rng.integers(1, 4)), *rng.integers(1, 10, 2), 3)).round(3)
        labels = rng.integers(0, size["answers"], len(pictures))
        lit = rng.integers(0, 2, (len(pictures), 4)) if k % 3 else None
        widget = GateAxes(models, pictures, labels, [str(n) for n in range(size["answers"])], axis, way, int(rng.integers(len(pictures))), lit=lit,
                          lamp=rng.uniform(size=3).round(2))
        if k % 3 == 2:
            widget.lamps = rng.integers(0, 2, 4)
        yield widget


def under_lamps(widget):
    """The picture of a figure, light added in the quarters that were switched on and taken away where off, pixel by pixel."""
    picture = np.array(widget.pictures[widget.picture])
    height, width = picture.shape[:2]
    for i, j in np.ndindex(height, width):
        if widget.lit:
            quarter = 2 * (i >= height / 2) + (j >= width / 2)
            picture[i, j] += np.array(widget.lamp) * (widget.lamps[quarter] - widget.lit[widget.picture][quarter])
    return picture.clip(0, 1)


def test_gate_axes_arithmetic():
    """A convolution with groups, the gates of the package, the largest of each channel added over colours; the softmax is that of the same numbers."""
    figures_, seen = list(gates_seen()), set()
    for ours, got in zip(figures_, node("run_figures.js", {"figure": "gate_axes", "cases": [widget.state() for widget in figures_]})):
        model, x = {name: np.array(part) for name, part in ours.models[ours.axis].items()}, torch.tensor(under_lamps(ours))
        kernels = torch.tensor(model["filters"]).T.reshape(-1, 1, 3, 3)                                 # one colour at a time goes through them
        features = torch.relu(torch.conv2d(x.permute(2, 0, 1)[:, None], kernels, torch.tensor(model["b_filters"]), padding=1))
        features = features.flatten(2).permute(2, 0, 1).flatten(1).numpy()                              # (n, 3 f), first all of red
        assert np.allclose(got["pixels"], x, rtol=0, atol=1e-12) and np.allclose(ours.pixels, x, rtol=0, atol=1e-12)
        biases = {name: model[name] for name in ("b_squeeze", "b_excite") if name in model}
        channels = channel_attention(features, model["w_squeeze"], model["w_excite"], **biases)[1][0] if biases else None
        if channels is not None and ours.normalise == "softmax":
            hidden = np.maximum(features.mean(axis=0) @ model["w_squeeze"] + model["b_squeeze"], 0)
            channels = softmax(hidden @ model["w_excite"] + model["b_excite"])
        gated = features if channels is None else features * channels
        places = spatial_attention(gated, model["weight"], bias=model["bias"])[1][:, 0] if "weight" in model else None
        if places is not None and ours.normalise == "softmax":
            places = softmax(gated @ model["weight"][:, 0])                                             # a bias changes no softmax
        gated = gated if places is None else gated * places[:, None]
        if ours.axis == "both" and ours.normalise == "sigmoid":
            own = channel_and_spatial_attention(features, model["w_squeeze"], model["w_excite"], model["weight"], **biases, bias=model["bias"])[0]
            assert np.allclose(gated, own, rtol=0, atol=1e-12)
        pooled = sum(np.split(gated.max(axis=0), 3))
        chances = softmax(pooled @ model["readout"] + model["b_readout"])
        for name, wanted in (("features", features), ("channels", channels), ("places", places), ("gated", gated), ("chances", chances)):
            mine = getattr(ours, {"channels": "channel_gates", "places": "place_gates"}.get(name, name))
            assert (got[name] is None) == (mine is None) == (wanted is None), name
            if wanted is not None:
                theirs = np.transpose(got[name]) if name in ("features", "gated") else got[name]               # which are lists of channels
                assert np.allclose(theirs, wanted, rtol=0, atol=1e-9) and np.allclose(mine, wanted, rtol=0, atol=1e-9), name
        assert np.allclose(got["means"], features.mean(axis=0), rtol=0, atol=1e-9) and np.allclose(got["pooled"], pooled, rtol=0, atol=1e-9)
        for gates in (channels, places):
            seen.add((ours.axis, ours.normalise, gates is not None and bool(abs(gates.sum() - 1) < 1e-9)))
    assert {(axis, way, way == "softmax") for axis in ("channel", "spatial", "both") for way in gate_axes.WAYS} <= seen


def test_gate_axes_follow_their_traits():
    widget = gating()
    assert widget.defaults == {"axis": "both", "lamps": [0, 1, 0, 0], "normalise": "sigmoid", "picture": 0} and list(widget.models) == list(gate_axes.AXES)
    assert (widget.features.shape, widget.channel_gates.shape, widget.place_gates.shape) == ((20, 9), (9,), (20,))
    assert ((0 < widget.channel_gates) & (widget.channel_gates < 1)).all() and abs(widget.place_gates.sum() - 1) > 0.1
    widget.normalise = "softmax"
    assert np.isclose(widget.channel_gates.sum(), 1) and np.isclose(widget.place_gates.sum(), 1)
    before = widget.features
    widget.axis = "channel"
    assert widget.place_gates is None and widget.channel_gates.shape == (9,) and widget.features.shape == (20, 9)
    widget.axis = "none"
    assert widget.channel_gates is None and np.array_equal(widget.gated, widget.features)
    widget.axis, widget.picture = "both", 1
    assert not np.allclose(widget.features, before) and widget.lamps == [0, 0, 1, 1]
    widget.lamps = np.array([1, 0, 1, 1])
    assert widget.lamps == [1, 0, 1, 1] and np.allclose((widget.pixels - widget.pictures[1])[2:], 0) and (widget.pixels - widget.pictures[1])[0, 0, 2] > 0
    widget.picture = 0
    assert widget.lamps == widget.defaults["lamps"] == [0, 1, 0, 0] and np.array_equal(widget.pixels, widget.pictures[0])
    assert gating(lit=None).lamps == [] and gating(lit=None, picture=1).defaults["lamps"] == []


def test_gate_axes_draw_a_still_picture():
    widget = gating()
    still = widget.still()
    assert answered(widget) in unescape(still) and still.count("<image ") == 4
    assert "Its red light." in still and f"The gates of the places, {fixed(widget.place_gates.min())} to {fixed(widget.place_gates.max())}." in still
    widget.axis = "none"
    assert "<td>none</td>" in widget.still() and "The gates of the places" not in widget.still() and ": nothing is multiplied. " in widget.still()
    widget.lamps = [1, 1, 1, 1]
    assert "Picture 1 with other lamps, gates for none: " in widget.still() and "right" not in widget.still().split("The model says")[1]
    assert gating(names=["a", "b", "c"]).shapes == [] and gating().shapes[0] == [[0, 1, 0], [1, 1, 1], [0, 1, 0]]


def answered(widget):
    """What the status line says of the answer."""
    best, right = int(widget.chances.argmax()), widget.labels[widget.picture]
    if widget.lit and widget.lamps != widget.lit[widget.picture]:
        return f"The model says {widget.names[best]}, {fixed(widget.chances[best])}."
    verdict = ", which is right." if best == right else f"; the right answer is {widget.names[right]}."
    return f"The model says {widget.names[best]}, {fixed(widget.chances[best])}{verdict}"


def ungated(axis="both", **changed):
    """Models in one of which parts are changed; None leaves one out."""
    models = {name: dict(model) for name, model in gating().models.items()}
    models[axis] = {name: part for name, part in (models[axis] | changed).items() if part is not None}
    return {"models": models}


@pytest.mark.parametrize("changed, error, words", [
    ({"models": {}}, TypeError, "models must be a dict of models by their axis, got {}"),
    ({"models": [1]}, TypeError, "models must be a dict of models by their axis"),
    ({"models": {"places": {}}}, ValueError, "an axis of models must be one of none, channel, spatial, both, got 'places'"),
    ({"models": {"none": 1}}, TypeError, "the model 'none' must be a dict, got int"),
    (ungated(weight=None, b_excite=None), ValueError, "the model 'both' lacks b_excite, weight"),
    (ungated(filters=np.zeros((9, 9))), ValueError, "the model 'both' must have at most 8 filters, got 9"),
    (ungated(filters=np.zeros((8, 3))), ValueError, r"filters of the model 'both' must have shape \(9, any\), got \(8, 3\)"),
    (ungated(b_filters=[0, 1]), ValueError, r"b_filters of the model 'both' must have shape \(3,\), got \(2,\)"),
    (ungated(w_squeeze=np.zeros((9, 65))), ValueError, "w_squeeze of the model 'both' must have at most 64 columns, got 65"),
    (ungated(w_excite=np.zeros((3, 8))), ValueError, r"w_excite of the model 'both' must have shape \(3, 9\), got \(3, 8\)"),
    (ungated("spatial", weight=np.zeros(6)), ValueError, r"weight of the model 'spatial' must have shape \(9, 1\), got \(6,\)"),
    (ungated("none", readout=np.zeros((3, 2))), ValueError, r"readout of the model 'none' must have shape \(3, 3\), got \(3, 2\)"),
    (ungated(bias=[1001]), ValueError, "bias of the model 'both' must lie between -1000 and 1000"),
    ({"models": gating().models | {"none": gate_axes.random_model(0, "none", answers=3)}}, ValueError, "all models must have as many filters, got 2, 3, 3, 3"),
    ({"pictures": np.zeros((2, 4, 5))}, ValueError, r"pictures must have shape \(any, any, any, 3\), got \(2, 4, 5\)"),
    ({"pictures": np.full((2, 4, 5, 3), 1.5)}, ValueError, "pictures must lie between 0 and 1"),
    ({"pictures": np.zeros((2, 4, 17, 3))}, ValueError, r"pictures must be at most 8 of 16 by 16 pixels, got \(2, 4, 17, 3\)"),
    ({"pictures": np.zeros((9, 4, 4, 3))}, ValueError, r"got \(9, 4, 4, 3\)"),
    ({"labels": [0]}, ValueError, "there must be one label for each picture, got 1 for 2"),
    ({"labels": [0, 3]}, ValueError, "labels must be from 0 to 2, the number of one of the names, got 3"),
    ({"labels": 1}, TypeError, "labels must be a sequence of int, got int"),
    ({"names": "abc"}, TypeError, "names must be a list of str, got 'abc'"),
    ({"names": list("abcdefghi")}, ValueError, "names must be at most 8, got 9"),
    ({"names": {"a": ["##", "#"], "b": ["#"], "c": ["#"]}}, ValueError, r"the shape of 'a' must be rows of text, all as long, got \['##', '#'\]"),
    ({"names": {"a": []}}, ValueError, "the shape of 'a' must be rows of text"),
    ({"lit": 1}, TypeError, "lit must be a sequence of rows of 0 and 1, got int"),
    ({"lit": [[0, 0, 0, 0]]}, ValueError, "lit must have a row for each of the 2 pictures, got 1"),
    ({"lit": [[0, 0, 0, 0], [0, 0, 2, 0]]}, ValueError, r"lit must be 0 or 1 for each of the four quarters, got \[0, 0, 2, 0\]"),
    ({"lit": [[0, 0, 0, 0], [0, 0]]}, ValueError, r"lit must be 0 or 1 for each of the four quarters, got \[0, 0\]"),
    ({"lamp": [0, 1]}, ValueError, r"lamp must have shape \(3,\), got \(2,\)"),
    ({"axis": "places"}, ValueError, "axis must be one of none, channel, spatial, both, got 'places'"),
    ({"normalise": "max"}, ValueError, "normalise must be one of sigmoid, softmax, got 'max'"),
    ({"picture": 2}, ValueError, "picture must be from 0 to 1, the number of one of the pictures, got 2")])
def test_gate_axes_refuse(changed, error, words):
    with pytest.raises(error, match=words):
        gating(**changed)


def test_gate_axes_without_lamps_switch_none():
    widget = gating(lit=None)
    with pytest.raises(ValueError, match="lamps can be switched only where lit says which quarters are lit"):
        widget.lamps = [0, 0, 0, 1]
    assert widget.lamps == []


def test_gate_axes_offer_only_what_has_a_model():
    with pytest.raises(ValueError, match="axis must be one of none, spatial, got 'both'"):
        gating(models={axis: gating().models[axis] for axis in ("spatial", "none")})


def test_gate_axes_say_what_the_trained_models_say():
    """Models as they travel, under the lamps they were trained with: in Python and on the page the gates and answers of torch."""
    task = visual_attention.PictureTask("both", num_pictures=200)
    models = {gate: task.train(0, gate=gate, steps=30).double() for gate in visual_attention.GATES}
    pixels = task.held_out.pixels[:4].double().round(decimals=2)
    widget = GateAxes({gate: visual_attention.travelling(model) for gate, model in models.items()}, pixels.view(-1, 16, 16, 3).numpy(), task.held_out.labels[:4],
                      visual_attention.SHAPES, lit=task.held_out.lit[:4])
    cases = []
    for gate, model in models.items():
        with torch.no_grad():
            for numbers in model.parameters():
                numbers.copy_(numbers.round(decimals=4))            # as they travel
            logits, gates = model(pixels)
        for k in range(4):
            widget.axis, widget.picture = gate, k
            cases.append((widget.state(), logits[k].softmax(0).numpy(), [gates[kind][k].flatten().numpy() if kind in gates else None
                                                                        for kind in ("channel", "spatial")]))
            for ours, wanted in zip((widget.chances, widget.channel_gates, widget.place_gates), (cases[-1][1], *cases[-1][2])):
                assert (ours is None) == (wanted is None) and (wanted is None or np.allclose(ours, wanted, rtol=0, atol=1e-6))
    for (_, chances, gates), got in zip(cases, node("run_figures.js", {"figure": "gate_axes", "cases": [case for case, *_ in cases]})):
        assert np.allclose(got["chances"], chances, rtol=0, atol=1e-6)
        assert all(wanted is None or np.allclose(got[name], wanted, rtol=0, atol=1e-6) for name, wanted in zip(("channels", "places"), gates))


# What a figure shows: for each drawing its pixels with red, green, blue and depth; the lengths of bars; all words.
SHOWN_GATES = """f => { const all = (name, read) => [...f.querySelectorAll(name)].map(read), size = b => Number(b.style.transform.match(/[\\d.]+/)[0]);
    const pixels = canvas => { const copy = document.createElement('canvas'), context = copy.getContext('2d', {willReadFrequently: true});
        context.drawImage(canvas, 0, 0); const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
        return Array.from({length: data.length / 4}, (_, i) => [...data.slice(4 * i, 4 * i + 4)]); };
    return { maps: all('.ak-map canvas', pixels), channels: all('.ak-channel canvas', pixels), gates: all('.ak-bar .ak-gate', size), chances: all('.ak-answer .ak-fill', size),
        means: all('.ak-bar .ak-mean', size), names: all('.ak-channels > span', e => e.textContent), numbers: all('.ak-bar', e => e.innerText.trim()),
        lamps: all('.ak-lamp', e => e.ariaPressed === 'true'), sum: f.querySelector('.ak-sum').textContent, told: all('.ak-gates p', e => e.textContent).filter(Boolean), answers: all('.ak-answer', e => e.innerText.trim().split(/\\s*\\n\\s*/)),
        chosen: all('.ak-answer', e => e.dataset.chosen === 'true').indexOf(true) }; }"""


def lit(found, widget):
    """The page shows the state of a figure in Python: pictures as light, bars and numbers, sums, the answers."""
    page, c, pixels = found.evaluate(SHOWN_GATES), len(widget.features[0]), widget.pixels.reshape(-1, 3)
    light = [pixels, *(pixels[:, [k]] * gate_axes.TINTS[k] for k in range(3))]
    means, tints = widget.features.mean(axis=0), np.repeat(gate_axes.TINTS, c // 3, axis=0)
    for k, tint in enumerate(tints):           # before the gates and after, in one scale
        light += [numbers[:, [k]] / max(widget.features[:, k].max(), 1e-9) * tint for numbers in (widget.features, widget.gated)]
    shown = [*page["maps"][:4], *page["channels"]]
    assert all(np.abs(np.array(seen)[:, :3] - 255 * wanted).max() <= 0.51 for seen, wanted in zip(shown, light, strict=True))
    channels, places = (np.zeros(count) if gates is None else gates for gates, count in ((widget.channel_gates, c), (widget.place_gates, len(pixels))))
    for name, wanted in (("gates", channels), ("means", means / max(means.max(), 1e-9)), ("chances", widget.chances)):
        assert np.allclose(page[name], wanted, rtol=0, atol=6e-4), name
    assert page["numbers"] == [text for mean, gate in zip(means, channels) for text in (fixed(mean), "" if widget.channel_gates is None else fixed(gate))]
    assert page["names"] == list(gate_axes.COLOURS)
    assert page["sum"] == ("no gates of channels" if widget.channel_gates is None else f"sum of the gates {fixed(channels.sum())}")
    assert np.allclose(np.array(page["maps"][4])[:, 3], [255 * draw.opacity(v, 1 if widget.normalise == "sigmoid" else max(places.max(), 1e-9)) for v in places], atol=0.51)
    assert page["told"] == ["gates of places", *(["none"] if widget.place_gates is None else
                                                 [f"{fixed(places.min())} to {fixed(places.max())}", f"sum {fixed(places.sum())}"])]
    right = widget.labels[widget.picture]
    assert page["answers"] == [[name, fixed(p), *["right"] * (k == right and widget.lamps == (widget.lit[widget.picture] if widget.lit else []))] for k, (name, p) in enumerate(zip(widget.names, widget.chances))]
    assert page["chosen"] == widget.chances.argmax() and page["lamps"] == [bool(lamp) for lamp in widget.lamps]


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 360])
def test_the_axis_is_switched_on_the_page(watched, tmp_path, width):
    with watched(width=width, reduced_motion="reduce") as w:
        widget = gating(axis="spatial")
        found = alone(w, tmp_path, widget)
        lit(found, widget)
        for axis, words in gate_axes.AXES.items():
            press(found, words)
            widget.axis = axis
            for way in ("softmax", "sigmoid"):
                press(found, way)
                widget.normalise = way
                lit(found, widget)
                assert ("was trained with the sigmoid" in found.inner_text()) == (way == "softmax" and axis != "none")
                assert answered(widget) in status(w, found) and (f", by {way}: " in status(w, found)) == (axis != "none")
                assert status(w, found) in unescape(widget.still())
        press(found, "2")
        widget.picture = 1
        lit(found, widget)
        assert status(w, found).startswith("Picture 2, gates for both, by sigmoid: the gates of the 9 channels sum to ")
        press(found, "lamp upper right")
        found.get_by_role("button", name="lamp lower left").click()
        widget.lamps = [0, 1, 0, 1]
        lit(found, widget)
        assert status(w, found).startswith("Picture 2 with other lamps, gates for both") and status(w, found).endswith(f"{fixed(widget.chances.max())}.")
        assert status(w, found) in unescape(widget.still())
        press(found, "1")
        lit(found, gating())
        press(found, "lamp lower right")
        press(found, "Reset")
        lit(found, gating(axis="spatial"))
        assert w.page.evaluate("document.documentElement.scrollWidth <= innerWidth") and not w.errors


@pytest.mark.browser
def test_gates_set_in_python_are_shown(watched, tmp_path):
    """Live, the kernel hears of each change, and the figure follows the kernel; an axis without a model has no button."""
    with watched() as w:
        widget = gating(models={axis: gating().models[axis] for axis in ("none", "spatial")}, axis="spatial", names=["a", "b", "c"], lit=None)
        alone(w, tmp_path, widget)
        w.page.evaluate("""() => { const place = document.querySelector('[data-ak-figure]'), model = attnkit.staticModel(JSON.parse(place.dataset.akState));
            window.sent = []; model.save_changes = () => sent.push([model.get('axis'), model.get('normalise'), model.get('picture')]); window.model = model;
            attnkit.figures.gate_axes.render({model, el: place}); }""")
        found = w.page.locator(".ak-figure")
        assert found.get_by_role("button").all_inner_texts() == ["none", "places", "sigmoid", "softmax", "1", "2", "Reset"]
        for name in ("none", "softmax", "2"):
            press(found, name)
        assert w.page.evaluate("sent") == [["none", "sigmoid", 0], ["none", "softmax", 0], ["none", "softmax", 1]]
        w.page.evaluate("() => { model.set('axis', 'spatial'); model.set('picture', 0); }")
        widget.normalise = "softmax"
        lit(found, widget)


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 360])
def test_the_largest_gates_have_room(watched, tmp_path, width):
    """The most pixels, channels, pictures and answers: nothing is wider than the page or cut, and a redraw is small."""
    with watched(width=width) as w:
        models = {axis: gate_axes.random_model(5, axis, filters=6, hidden=6, answers=8) for axis in gate_axes.AXES}
        pictures = np.random.default_rng(7).uniform(size=(8, 16, 16, 3)).round(2)
        widget = GateAxes(models, pictures, np.arange(8), ["notched corner", *"abcdefg"], axis="both")
        found = alone(w, tmp_path, widget)
        assert w.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        cut = found.locator("span, p").evaluate_all("all => all.filter(e => e.scrollWidth > e.clientWidth + 1 && e.clientWidth).map(e => e.textContent)")
        assert not cut and found.evaluate("f => f.querySelectorAll('*').length") < 350
        before = found.bounding_box()["height"]
        for name in ("none", "places", "softmax", "channels", "both", "8"):
            press(found, name)
            w.settle()
        print(f"\n{before} pixels high, {found.bounding_box()['height']} at last")
        changes = found.evaluate("""async f => { let changes = 0; new MutationObserver(found => changes += found.length)
            .observe(f, {attributes: true, childList: true, characterData: true, subtree: true});
            f.querySelectorAll('.ak-controls button')[6].click(); await new Promise(done => setTimeout(done)); return changes; }""")
        assert 0 < changes < 120 and not w.errors


@pytest.mark.browser
def test_switching_the_axis_costs_little(watched, tmp_path):
    """The work of a redraw, counted as the pages count it, with the most pixels and channels."""
    with watched(reduced_motion="reduce") as w:
        models = {axis: gate_axes.random_model(5, axis, filters=6, hidden=6) for axis in gate_axes.AXES}
        pictures = np.random.default_rng(7).uniform(size=(2, 16, 16, 3)).round(2)
        profile = w.context.new_cdp_session(w.page)
        profile.send("Profiler.enable")
        profile.send("Profiler.startPreciseCoverage", {"callCount": True, "detailed": True})
        found = alone(w, tmp_path, GateAxes(models, pictures, [0, 1], ["a", "b"], axis="none"))

        def ran():
            scripts = profile.send("Profiler.takePreciseCoverage")["result"]
            return sum(block["count"] for s in scripts if s["url"].startswith("file:") for f in s["functions"] for block in f["ranges"])
        blocks = {"coming to life": ran()}
        for name in ("both", "softmax", "2"):
            press(found, name)
            blocks[name] = ran()
        print(f"\nblocks: {blocks}")
        assert 0 < max(blocks.values()) < 40_000 and not w.errors


def ways(*states, final=(1,)):
    return {"grammar": {"next": list(states), "final": list(final)}, "sentence": "", "examples": []}


@pytest.mark.parametrize("changed, error, words", [
    ({"model": random_translator(6, source_words=["a b"], target_words=["c"])}, ValueError, "source_words of model must have no blanks"),
    ({"model": random_translator(6, source_words=["a"], target_words=["c", "c"])}, ValueError, "target_words of model must be <start>, <end> and others, all different"),
    ({"grammar": {"next": []}}, ValueError, "grammar must be a dict with next and final"),
    (ways(), ValueError, "grammar's next must be a list with a dict of words for each state"),
    (ways({"I": 1}), ValueError, "a state of grammar's final must be 0, the number of one of the states, got 1"),
    (ways({"I": 2}, {}), ValueError, "the state after 'I' in state 0 of grammar must be from 0 to 1, the number of one of the states, got 2"),
    (ways({"Rex": 1}, {}), ValueError, "grammar must hold words that the model knows, not 'Rex'"),
    (ways({"<end>": 1}, {}), ValueError, "not '<end>'"),
    (ways({"I": 1, "you": 2}, {}, {}), ValueError, "no word follows in state 2 of grammar, and it is not final"),
    (ways({"I": 1}, {"see": 0}), ValueError, "grammar's sentences must have at most 12 words, and some have more"),
    ({"sentence": 3}, TypeError, "sentence must be a str, got 3"),
    ({"sentence": "I see cats"}, ValueError, "'cats' cannot stand there in 'I see cats', but you, the"),
    ({"sentence": "I see you me"}, ValueError, "'me' cannot stand there in 'I see you me', but nothing"),
    ({"examples": ["I love"]}, ValueError, r"examples\[0\] must be a whole sentence of the grammar, got 'I love'"),
    ({"examples": "I see"}, TypeError, "examples must be a sequence of str"),
    ({"examples": ["I see"] * 7}, ValueError, "examples must be at most 6, got 7"),
    ({"step": -1}, ValueError, "step must be from 0 to 15")])
def test_sentence_translator_refuses(changed, error, words):
    with pytest.raises(error, match=words):
        translating(**changed)


def shows(found, widget):
    """The page shows the state of a figure in Python: both sentences, the lines, the chances, the weights, the words that can follow."""
    def visible(where):
        return [e.inner_text() for e in found.locator(where).all() if e.is_visible()]
    written = len(widget.translation)
    shown = written - 1 if widget.row is None or widget.row >= written else widget.row
    assert visible(".ak-english > .ak-word") == widget.sentence.split() and visible(".ak-french > .ak-word") == widget.translation
    assert visible(".ak-composer [role=group] > button") == widget.following
    assert visible(".ak-pick") == widget.translation and visible("thead th") == widget.sentence.split() * widget.complete
    assert visible(".ak-heat") == [fixed(v) for v in widget.weights.flat]
    assert visible(".ak-shown") == [button.inner_text() for button in found.locator(".ak-pick[aria-pressed=true]").all() if button.is_visible()] == widget.translation[shown:][:written and 1]
    off = [button.inner_text() for button in found.locator("button[aria-disabled=true]").all()]
    assert off == ["Translate"] * (not widget.complete) + ["Next word", "To the end"] * (not widget.complete or widget.ended is not None) + ["Take back a word"] * (widget.sentence == "")
    lines = found.locator(".ak-scene path").evaluate_all("all => all.map(e => Number(e.style.strokeOpacity))")
    if not written:
        assert not any(lines) and not found.locator(".ak-bars").is_visible()
        return
    weights, chances = widget.weights[shown], widget.chances[shown]
    assert np.allclose(lines, [*(0.12 + 0.7 * weights), *[0] * (len(lines) - len(weights))], rtol=0, atol=0.0051)
    tints = found.locator(".ak-tint:not(:empty)").evaluate_all("all => all.map(e => e.style.backgroundColor)")
    assert [float(re.search(r"([\d.]+)%", tint)[1]) for tint in tints] == [round(100 * draw.opacity(v, 1), 1) for v in weights]
    best = np.argsort(-chances, kind="stable")[:4]
    assert [bar.split() for bar in visible(".ak-bar")] == [[widget.model.target_words[k], fixed(chances[k])] for k in best]


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 360])
def test_a_document_read_by_hand(watched, tmp_path, width):
    with watched(width=width, has_touch=width == 360) as w:
        widget = reviewing()
        found = alone(w, tmp_path, widget)
        use = (lambda button: button.tap()) if width == 360 else (lambda button: button.click())

        def word(name, k=0):
            use(found.locator(".ak-word", has_text=name).nth(k))

        def check(said):
            assert status(w, found) == said
            presented(found, widget)
            assert w.page.evaluate("document.documentElement.scrollWidth <= innerWidth") and found.evaluate(CUT) == []

        whole, start = said_of(widget), found.inner_text()
        wrong = "" if whole.startswith("good") else " The right answer is good."
        check(f"Document 1: {whole}.{wrong} Most weight: masterpiece {fixed(widget.weights[3])}.")
        word("masterpiece")
        widget.removed = [3]
        now, wrong = said_of(widget), "" if said_of(widget).startswith("good") else " The right answer is good."
        check(f"Document 1, without “masterpiece”: {now}, was {whole}.{wrong} Most weight: dull {fixed(widget.weights[4])}.")
        word("dull", 1)
        widget.removed = [3, 5]
        assert status(w, found).startswith(f"Document 1, without 2 words: {said_of(widget)}, was {whole}.")
        presented(found, widget)
        press(found, "shuffled")
        widget.way = "shuffled"
        assert status(w, found).startswith(f"Document 1, weights shuffled, without 2 words: {said_of(widget)}, was {whole}.")
        presented(found, widget)
        press(found, "equal")
        widget.way = "equal"
        assert status(w, found).endswith("All words weigh the same, 0.20.")
        presented(found, widget)
        word("masterpiece")
        widget.removed = [5]
        presented(found, widget)
        press(found, "3")
        widget.document = 2
        assert status(w, found).startswith(f"Document 3, weights equal: {said_of(widget)}, was ")
        presented(found, widget)
        press(found, "as they are")
        widget.way = "as they are"
        right = "" if said_of(widget).startswith("bad") else " The right answer is bad."
        check(f"Document 3: {said_of(widget)}.{right} Most weight: fine {fixed(widget.weights[3])}.")
        press(found, "2")
        widget.document = 1
        for k, name in enumerate(["the", "fine"]):
            word(name)
            widget.removed = [0, 1][:k + 1]
            presented(found, widget)
        assert status(w, found).endswith("No word is left: the model reads a vector of zeros.")
        press(found, "Reset")
        widget.document = 0
        presented(found, widget)
        w.settle()
        assert found.inner_text() == start and not w.errors


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 360])
def test_a_sentence_by_keyboard(watched, tmp_path, width):
    """Every control: words that can follow, taken back, at random, an example; the next word, all, and rows whose lines are shown again."""
    with watched(width=width, reduced_motion="reduce") as w:
        widget = translating(step=2)
        found = alone(w, tmp_path, widget)

        def check(said):
            assert said in status(w, found), status(w, found)
            shows(found, widget)
            assert w.page.evaluate("document.documentElement.scrollWidth <= innerWidth") and found.evaluate(CUT) == []

        def compose(sentence, said):
            widget.sentence, widget.step, widget.row = sentence, 0, None
            check(said)

        check(f"“{widget.translation[1]}”, word 2, has chance {fixed(widget.chances[1].max())}; the model looks most at")
        start = found.inner_text()
        press(found, "Next word")
        widget.write(1)
        check(f"“{widget.translation[2]}”, word 3, has chance")
        found.locator(".ak-pick").first.focus()
        widget.row = 0
        most = int(widget.weights[0].argmax())
        check(f"word 1, has chance {fixed(widget.chances[0].max())}; the model looks most at “{widget.sentence.split()[most]}”, weight {fixed(widget.weights[0].max())}.")
        found.locator("tbody tr").nth(1).locator("td").first.click()
        widget.row = 1
        check("word 2, has chance")
        press(found, "To the end")
        widget.row = None
        widget.write()
        done = {"end": "The translation is complete", "full": "The model writes at most 15 words"}[widget.ended]
        check(f"Written at once, because your device asks for less motion. {done}: “{' '.join(widget.translation)}”.")
        press(found, "Next word")
        check(done)
        press(found, "Take back a word")
        compose("I see the", "Taken back: “cats”. “I see the” is no sentence yet: choose the next word.")
        press(found, "Translate")
        check("is no sentence yet")
        press(found, "Take back a word")
        compose("I see", "“I see” is a sentence, and it can go on. It can be translated.")
        assert "ak-ready" in found.get_by_role("button", name="Translate").get_attribute("class")
        press(found, "the")
        compose("I see the", "Added: “the”.")
        assert found.evaluate("() => document.activeElement.textContent") == "cats"
        w.page.keyboard.press("Enter")
        compose("I see the cats", "Added: “cats”. “I see the cats” is a sentence. It can be translated.")
        assert found.evaluate("() => document.activeElement.textContent") == "Translate"
        w.page.keyboard.press("Enter")
        widget.write()
        check("Written at once")
        choice = found.locator("select")
        assert choice.evaluate("s => s.selectedIndex") == -1
        choice.select_option("I see")
        compose("I see", "Chosen: “I see”.")
        for _ in range(4):
            press(found, "At random")
            english = " ".join(word.inner_text() for word in found.locator(".ak-english > .ak-word").all() if word.is_visible())
            assert english != widget.sentence
            compose(english, "A sentence at random.")
            assert widget.complete
            press(found, "To the end")
            widget.write()
            check("Written at once")
        while widget.sentence:
            press(found, "Take back a word")
            compose(" ".join(widget.sentence.split()[:-1]), "Taken back: ")
        check("Choose the first word.")
        press(found, "Take back a word")
        check("There is no word to take back.")
        press(found, "Reset")
        w.settle()
        assert found.inner_text() == start and not w.errors


@pytest.mark.browser
def test_arrow_keys_lead_through_a_document(watched, tmp_path):
    """One word is in the tab order; arrows lead along the text and from line to line; Space and Enter take out and bring back."""
    at = "document.activeElement.textContent"
    with watched(width=360) as w:
        model = document_reader.random_model(2, words=[f"w{k}" for k in range(40)])
        widget = DocumentReader(model, [list(range(40)), [3, 5]], ("bad", "good"), [0, 1])
        found = alone(w, tmp_path, widget)

        def go(key):
            w.page.keyboard.press(key)
            return w.page.evaluate(at).split()[0]

        lines = found.evaluate("""f => Object.values(Object.groupBy(f.querySelectorAll('.ak-word'), b => b.offsetTop)).map(line => line.map(b => b.firstChild.data))""")
        assert len(lines) > 3 and len(lines[1]) > 3
        assert found.locator(".ak-word[tabindex='0']").count() == 1 and found.locator(".ak-word[tabindex='-1']").count() == 39
        assert [go(key) for key in ("Tab", "ArrowLeft", "ArrowUp", "ArrowRight", "ArrowRight")] == ["w0", "w0", "w0", "w1", "w2"]
        below = go("ArrowDown")
        assert below in lines[1][1:4] and go("ArrowUp") in lines[0][1:4] and go("ArrowDown") == below
        for key, out in (("Space", [int(below[1:])]), ("Enter", [])):
            assert go(key) == below, "the focus has moved"
            widget.removed = out
            presented(found, widget)
            assert ("without “" in status(w, found)) == bool(out)
        assert [go(key) for key in ("End", "ArrowRight", "ArrowDown")] == ["w39"] * 3 and go("Home") == "w0"
        assert go("End") == "w39" and go("Tab") == "1" and go("Shift+Tab") == "w39"
        press(found, "2")
        assert found.locator(".ak-word[tabindex='0']").filter(visible=True).all_text_contents()[0].startswith("w5"), "no word can be reached"
        found.locator(".ak-word[tabindex='0']").focus()
        assert [go(key) for key in ("ArrowRight", "ArrowLeft", "End", "Tab")] == ["w5", "w3", "w5", "2"] and not w.errors


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 360])
def test_a_long_document_has_room(watched, tmp_path, width):
    """Nothing is wider than the page, no word is too small for a finger or meets another, the answer stays in sight, and a redraw is small."""
    with watched(width=width) as w:
        words = ["a", "i", "unforgettable", "notwithstanding", *(f"word{k}" * (k % 3) or f"w{k}" for k in range(66))]
        rng = np.random.default_rng(0)
        documents = [rng.integers(0, 70, 120).tolist() for _ in range(12)]
        found = alone(w, tmp_path, DocumentReader(document_reader.random_model(3, words=words), documents, ("unfavourable", "favourable"), [0, 1] * 6))
        assert w.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        press(found, "12")
        boxes = found.locator(".ak-word").evaluate_all("all => all.map(b => { const r = b.getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom]; })")
        assert min(min(right - left, bottom - top) for left, top, right, bottom in boxes) >= 24
        assert all(a[2] <= b[0] or a[3] <= b[1] for a, b in zip(boxes, boxes[1:])), "words meet"
        assert found.locator(".ak-number:not(:empty)").evaluate_all("all => all.filter(n => n.scrollWidth > n.clientWidth).map(n => n.textContent)") == []
        found.locator(".ak-word").nth(50).focus()
        if width == 360:
            answer, window = found.locator(".ak-answer").bounding_box(), w.page.viewport_size["height"]
            assert 0 <= answer["y"] and answer["y"] + answer["height"] <= window + 1, "the answer is out of sight"
        changes = found.evaluate("""async f => { let changes = 0; new MutationObserver(found => changes += found.length)
            .observe(f, {attributes: true, childList: true, characterData: true, subtree: true});
            f.querySelectorAll('.ak-controls button')[3].click(); await new Promise(done => setTimeout(done)); return changes; }""")
        print(f"\n{changes} changes for another document of 120 words")
        assert 0 < changes < 400 and not w.errors


@pytest.mark.browser
def test_a_document_set_in_python_is_shown(watched, tmp_path):
    """Live, the kernel hears of each word and of each document, and the figure follows the kernel."""
    with watched() as w:
        widget = reviewing(removed=[4])
        alone(w, tmp_path, widget)
        w.page.evaluate("""() => { const place = document.querySelector('[data-ak-figure]'), model = attnkit.staticModel(JSON.parse(place.dataset.akState));
            window.sent = []; model.save_changes = () => sent.push([model.get('document'), model.get('removed')]); window.model = model;
            attnkit.figures.document_reader.render({model, el: place}); }""")
        found = w.page.locator(".ak-figure")
        found.locator(".ak-word").nth(1).click()
        press(found, "2")
        press(found, "1")
        assert w.page.evaluate("sent") == [[0, [1, 4]], [1, []], [0, [4]]]
        presented(found, widget)
        w.page.evaluate("() => { model.set('way', 'shuffled'); model.set('removed', [0, 6]); }")
        widget.way, widget.removed = "shuffled", [0, 6]
        presented(found, widget)


# Press a button, wait until so many words are there, then press another; what was said while the model wrote.
TRANSLATING = """(f, [begin, count, name]) => new Promise(done => { const said = [], live = f.querySelector('[role=status]');
    const press = words => [...f.querySelectorAll('button')].find(b => b.textContent === words).click();
    const written = () => [...f.querySelectorAll('.ak-french > .ak-word')].filter(e => e.textContent).length;
    new MutationObserver(() => said.push(live.textContent)).observe(live, {childList: true, characterData: true, subtree: true});
    press(begin);
    requestAnimationFrame(function look() { if (written() < count) return requestAnimationFrame(look);
        const running = f.querySelector('button').textContent; if (name) press(name); done([running, said, written()]); }) })"""


@pytest.mark.browser
def test_a_translation_writes_itself_until_it_is_stopped(watched, tmp_path):
    """Word after word, the same as in Python; nothing is said before it rests; each other way to change it stops it; then once more."""
    with watched() as w:
        widget = translating(step=0)
        whole = translating().translation
        assert len(whole) > 3
        found = alone(w, tmp_path, widget)
        running, said, count = found.evaluate(TRANSLATING, ["Translate", 2, "Stop"])
        widget.write(count)
        assert running == "Stop" and count == 2 and set(said) <= {"The model translates."}
        assert status(w, found).startswith("The writing has stopped. “") and found.locator("button").first.inner_text() == "Translate"
        shows(found, widget)
        for name in ("Next word", "Take back a word", "At random", "Reset"):
            running, _, _ = found.evaluate(TRANSLATING, ["Translate", 1, name])
            before = found.locator(".ak-french").inner_text()
            assert running == "Stop" and found.locator("button").first.inner_text() == "Translate", name
            w.page.evaluate("() => new Promise(done => setTimeout(done, 1500))")
            assert found.locator(".ak-french").inner_text() == before, f"{name} does not stop the writing"
            press(found, "Reset")
        found.evaluate(TRANSLATING, ["To the end", len(whole), ""])
        widget = translating()
        assert status(w, found).startswith({"end": "The translation is complete", "full": "The model writes at most"}[widget.ended])
        shows(found, widget)
        running, _, count = found.evaluate(TRANSLATING, ["Translate", 1, "Stop"])
        assert running == "Stop" and count == 1, "a complete translation does not begin anew"
        assert not w.errors


@pytest.mark.browser
def test_a_translation_set_in_python(watched, tmp_path):
    """Live, the kernel hears of each word, and the figure follows the kernel; when it is left, nothing goes on."""
    with watched() as w:
        widget = translating(step=0)
        alone(w, tmp_path, widget)
        w.page.evaluate("""() => { const place = document.querySelector('[data-ak-figure]'), model = attnkit.staticModel(JSON.parse(place.dataset.akState));
            window.sent = []; model.save_changes = () => sent.push([model.get('sentence'), model.get('step')]); window.model = model;
            window.leave = attnkit.figures.sentence_translator.render({model, el: place}); }""")
        found = w.page.locator(".ak-figure")
        press(found, "Next word")
        assert w.page.evaluate("sent") == [["I see the cats", 1]]
        w.page.evaluate("model.set('step', 3); model.set('row', 0)")
        widget.step, widget.row = 3, 0
        shows(found, widget)
        w.page.evaluate("model.set('sentence', 'you love me')")
        widget.sentence = "you love me"
        shows(found, widget)
        w.page.evaluate("model.set('sentence', 'you love')")
        widget.sentence = "you love"
        shows(found, widget)
        w.page.evaluate("model.set('sentence', 'I see'), model.set('step', 0)")
        found.evaluate("f => { f.querySelector('button').click(); leave(); }")
        step = w.page.evaluate("model.get('step')")
        w.page.evaluate("() => new Promise(done => setTimeout(done, 1500))")
        assert w.page.evaluate("model.get('step')") == step and not w.errors


@pytest.mark.browser
def test_lines_lead_from_word_to_word(watched, tmp_path):
    """On any width, when the window becomes another one too: from the middle below the French word to the middle above each English one."""
    ends = """f => { const middle = (e, side) => { const r = e.getBoundingClientRect(), s = f.querySelector('.ak-scene').getBoundingClientRect();
            return [r.left + r.width / 2 - s.left, r[side] - s.top]; };
        const english = [...f.querySelectorAll('.ak-english > .ak-word')].filter(e => e.getClientRects().length);
        const drawn = [...f.querySelectorAll('.ak-scene path')].map(e => e.getAttribute('d')?.match(/[\\d.]+/g).map(Number));
        const from = middle(f.querySelector('.ak-shown'), 'bottom');
        return english.map((e, j) => Math.max(...[...from, ...middle(e, 'top')].map((v, k) => Math.abs(v - [...drawn[j].slice(0, 2), ...drawn[j].slice(-2)][k])))); }"""
    with watched() as w:
        found = alone(w, tmp_path, translating())
        for width in (1280, 360, 700):
            w.page.set_viewport_size({"width": width, "height": 900})
            w.settle()
            assert max(found.evaluate(ends)) < 1, width
        found.locator(".ak-pick").first.focus()
        assert max(found.evaluate(ends)) < 1


@pytest.mark.browser
def test_a_word_more_costs_its_own_step(watched, tmp_path):
    """The work of a step, counted, at the size of the chapter's model: the sentence is not read again, nor are the words before."""
    with watched(reduced_motion="reduce") as w:
        words, french = [f"w{k}" for k in range(80)], [f"f{k}" for k in range(90)]
        model = random_translator(3, source_words=words, target_words=french, width=54, states=11, spread=0.3)
        grammar = {"next": [*({word: k + 1} for k, word in enumerate(words[:12])), {}], "final": [12]}
        profile = w.context.new_cdp_session(w.page)
        profile.send("Profiler.enable")
        profile.send("Profiler.startPreciseCoverage", {"callCount": True, "detailed": True})
        found = alone(w, tmp_path, SentenceTranslator(model, grammar, " ".join(words[:12]), step=0))

        def ran(act):
            profile.send("Profiler.takePreciseCoverage")
            act()
            scripts = profile.send("Profiler.takePreciseCoverage")["result"]
            return sum(block["count"] for s in scripts if s["url"].startswith("file:") for f in s["functions"] for block in f["ranges"])
        steps = [ran(lambda: press(found, "Next word")) for _ in range(5)]
        again = ran(lambda: w.page.evaluate("attnkit.figures.sentence_translator.compute({...JSON.parse(document.querySelector('[data-ak-figure]').dataset.akState), step: 5})"))
        print(f"\nblocks: {steps} for a step, {again} to read the model, the sentence and write five words")
        assert 0 < max(steps) < 30_000 and again > 4 * max(steps)
        assert found.evaluate("f => f.querySelectorAll('*').length") < 700


# ---- the bill of attention

def test_attention_bill_arithmetic():
    rng = np.random.default_rng(41)
    figures_ = []
    for k in range(300):
        pick = {name: str(rng.choice(words)) for name, words in (("method", attention_bill.METHODS), ("sharing", attention_bill.SHARING))}
        figures_.append(AttentionBill(2 ** int(rng.integers(7, 21)), 2 ** int(rng.integers(7, 15)), 2 ** int(rng.integers(8)), **pick,
                                      window=int(rng.integers(1, 4097)), measured=TIMES if k % 3 else None))
    for ours, got in zip(figures_, node("run_figures.js", {"figure": "attention_bill", "cases": [widget.state() for widget in figures_]})):
        written = got.pop("written")
        assert got.keys() == ours.bill.keys()
        for name, value in ours.bill.items():
            assert got[name] == (value if value is None else pytest.approx(value, rel=1e-12)), name
            write = in_time if name in ("measured", "estimate") else in_bytes if name in ("weights", "cache") else in_words
            assert written[name] == ("not measured" if value is None else write(value))


def work(run):
    """What some products of torch's cost: multiply-adds in all, and the most numbers that one of them made."""
    made = []

    class Watch(torch.utils._python_dispatch.TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            out = func(*args, **(kwargs or {}))
            if func in (torch.ops.aten.mm.default, torch.ops.aten.bmm.default):
                made.append((out.numel() * args[0].shape[-1], out.numel()))
            return out
    with Watch():
        run()
    return sum(cost for cost, _ in made), max(size for _, size in made)


@pytest.mark.parametrize("heads", [1, 4])
def test_a_bill_counts_what_attnkit_does(heads):
    """Multiply-adds of the products, and how many weights stand side by side, on real arrays."""
    n, d, window, rng = 1024, 128, 96, np.random.default_rng(42)
    q, k, v = (torch.tensor(rng.normal(size=(heads, n, d // heads))) for _ in range(3))
    bill = {method: AttentionBill(n, d, heads, method, window=window).bill for method in attention_bill.METHODS}

    def costs(run, method):
        multiplied, held = work(run)
        assert 4 * held == bill[method]["weights"]
        return multiplied

    assert costs(lambda: attention(q, k, v), "whole") == bill["whole"]["attention"]
    assert costs(lambda: memory.attention_in_blocks(q, k, v), "blocks") == bill["blocks"]["attention"]
    # A block of 64 queries meets 63 keys more than one query; at the two ends of the text keys are missing.
    per_query = costs(lambda: memory.window_attention(q, k, v, window=window), "window") / bill["window"]["attention"]
    assert per_query == pytest.approx((2 * window + 64) / (2 * window + 1), rel=0.1)
    pairs_ = window_mask(n, window).sum()
    assert 2 * int(pairs_) * d == bill["window"]["attention"] - 2 * d * window * (window + 1)
    # Beside writing and reading, each query meets the sum of the keys once.
    assert work(lambda: memory.linear_attention(q, k, v))[0] == bill["linear"]["attention"] + n * d
    assert 4 * memory.fast_weight_attention(q, k, v)[1].numel() == bill["linear"]["weights"]
    x, w = (torch.tensor(rng.normal(size=size)) for size in ((n, d), (d, d)))
    whole = work(lambda: multi_head_attention(x, x, x, w, w, w, w, num_heads=heads))[0]
    assert whole == bill["whole"]["operations"] == bill["whole"]["projections"] + bill["whole"]["attention"]


@pytest.mark.parametrize("n, d, heads", [(1024, 128, 4), (8192, 4096, 32)])
def test_the_bill_of_the_figure_is_that_of_the_page(n, d, heads):
    ours, theirs = AttentionBill(n, d, heads, "whole").bill, costs.layer_operations(n, d)
    assert (ours["projections"], ours["attention"]) == (theirs.projections, theirs.scores + theirs.blend)
    assert (ours["weights"], ours["cache"]) == (costs.weights_bytes(n, heads), costs.cache_bytes(n, 1, heads, d // heads))


def test_scores_and_blend_cross_the_projections_at_twice_the_width():
    for width in (128, 1024, 16384):
        assert (bill := AttentionBill(2 * width, width, 8).bill)["attention"] == bill["projections"]
    assert AttentionBill(4096, 4096, 32).bill["projections"] == 2 * AttentionBill(4096, 4096, 32).bill["attention"]


def test_key_value_heads_of_a_bill():
    caches = {sharing: billed(heads=32, width=4096, sharing=sharing) for sharing in attention_bill.SHARING}
    assert [widget.kv_heads for widget in caches.values()] == [32, 8, 1]
    assert caches["multi-head"].bill["cache"] == 4 * caches["grouped-query"].bill["cache"] == 32 * caches["multi-query"].bill["cache"]
    assert billed(heads=2, sharing="grouped-query").kv_heads == 1


def test_measured_times_of_a_bill():
    widget = billed(length=8192)
    assert widget.bill["measured"] == 216 and widget.bill["estimate"] == pytest.approx(16 * 14.5)
    widget.length = 2048
    assert widget.bill["measured"] == 14.5 == pytest.approx(widget.bill["estimate"])      # it has the median speed
    assert widget.of("window")["estimate"] == pytest.approx(14.5 * 513 / 2048) and widget.of("linear")["measured"] == 0.8
    widget.length = 4096
    assert widget.bill["measured"] is None and "not measured" in widget.still()
    assert billed(measured=None).bill["estimate"] is None and "measured" not in billed(measured=None).still()


@pytest.mark.parametrize("changed, error, words", [
    ({"length": 4095}, ValueError, "length must be a power of two from 128 to 1,048,576, got 4,095"),
    ({"width": 2**15}, ValueError, "width must be a power of two from 128 to 16,384, got 32,768"),
    ({"heads": 0}, ValueError, "heads must be at least 1, got 0"),
    ({"heads": 256}, ValueError, "heads must be a power of two from 1 to 128, got 256"),
    ({"heads": True}, TypeError, "heads must be an integer, got bool"),
    ({"method": "sparse"}, ValueError, "method must be one of whole, blocks, window, linear, got 'sparse'"),
    ({"sharing": ["x"]}, ValueError, "sharing must be one of multi-head, grouped-query, multi-query"),
    ({"shown": "time", "measured": None}, ValueError, "shown cannot be time: there are no measured times"),
    ({"window": 0}, ValueError, "window must be at least 1, got 0"),
    ({"window": 5000}, ValueError, "window must be from 1 to 4,096, got 5,000"),
    ({"window": 2.0}, TypeError, "window must be an integer, got float"),
    ({"measured": {}}, ValueError, r'measured must be {"lengths": \[...\], "ms": {method: \[...\]}}, got {}'),
    ({"measured": {"lengths": [8, 4], "ms": {"whole": [1, 2]}}}, ValueError, r"the lengths of measured must grow, got \[8, 4\]"),
    ({"measured": {"lengths": [8.5], "ms": {"whole": [1]}}}, TypeError, "a length of measured must be an integer"),
    ({"measured": {"lengths": [8], "ms": {"fast": [1]}}}, ValueError, "measured knows whole, blocks, window, linear, torch kernel, got 'fast'"),
    ({"measured": {"lengths": [8], "ms": {"whole": [1, 2]}}}, ValueError, r"measured must hold 1 times for whole, one for each length, got \[1, 2\]"),
    ({"measured": {"lengths": [8], "ms": {"whole": 3}}}, ValueError, "one for each length, got 3"),
    ({"measured": {"lengths": [8], "ms": {"whole": [0]}}}, ValueError, "a time of whole must be positive or None"),
    ({"measured": {"lengths": [8], "ms": {"whole": [float("inf")]}}}, ValueError, "a time of whole must be finite"),
    ({"measured": {"lengths": [8], "ms": {"whole": ["1"]}}}, TypeError, "a time of whole must be a number"),
    ({"measured": {"lengths": [8], "ms": {"blocks": [1]}}}, ValueError, "measured must hold a time of whole"),
    ({"measured": {"lengths": [8], "ms": {"whole": [None]}}}, ValueError, "measured must hold a time of whole")])
def test_attention_bill_refuses(changed, error, words):
    with pytest.raises(error, match=words):
        billed(**changed)


# Words of the chart that stand on one another; their boxes have room above and below the letters.
CROWDED = """f => { const seen = [...f.querySelectorAll('.ak-bill-chart text')].filter(e => e.textContent && e.getClientRects().length
        && e.style.display !== 'none').map(e => [e.textContent, e.getBoundingClientRect()]);
    return seen.flatMap(([name, a], i) => seen.slice(i + 1).filter(([, b]) => a.left < b.right && b.left < a.right && a.top + 4 < b.bottom - 4
        && b.top + 4 < a.bottom - 4).map(([other]) => `${name} meets ${other}`)); }"""
# ---- paths through a sequence

def test_sequence_paths_arithmetic():
    """Every length with every kind of network, from the first item and from one at random: the same in both languages."""
    rng = np.random.default_rng(31)
    cases = [{"length": n, "network": kind, "source": source} for n in range(4, 33) for kind in graphs.KINDS for source in (1, int(rng.integers(1, n + 1)))]
    for case, got in zip(cases, node("run_figures.js", {"figure": "sequence_paths", "cases": cases})):
        ours, network, source = SequencePaths(**case), graphs.Network(case["network"], case["length"]), case["source"]
        far = network.distances(source)
        assert got["compared"] == ours.compared and list(got["compared"]) == list(graphs.KINDS)
        assert [tuple(edge) for edge in got["edges"]] == network.edges and [tuple(edge) for edge in got["drawn"]] == list(network.drawn())
        assert got["far"] == [far.get(k, -1) for k in range(network.last + 1)]
        assert got["path"] == network.path(source) and got["heard"] == network.heard(source) and got["layers"] == network.layers


LENGTHS = [2, *range(4, 33)]


@pytest.mark.parametrize("kind, layers, steps", [("recurrent", lambda n: 1, lambda n: n - 1), ("convolution", lambda n: -(-(n - 1) // 2), None),
                                                 ("dilated", lambda n: int(np.ceil(np.log2(n))), None), ("attention", lambda n: 1, None),
                                                 ("window", lambda n: -(-(n - 1) // 3), None)])
def test_paths_are_as_long_as_formulas_say(kind, layers, steps):
    for n in LENGTHS:
        network = graphs.Network(kind, n)
        assert network.layers == layers(n) and network.steps(1) == (steps or layers)(n)
        assert network.waits == (n if kind == "recurrent" else network.layers)
        assert kind != "recurrent" or [network.steps(s) for s in range(1, n + 1)] == list(range(n - 1, -1, -1))


def layer_mask(kind, n, k):
    """Which place of layer k, counted from 0, hears which of the layer below."""
    if kind == "dilated":
        return np.eye(n, dtype=bool) | np.eye(n, k=-(2 ** k), dtype=bool)
    radius = {"recurrent": n, "convolution": 2, "window": 3, "attention": n}[kind]
    return window_mask(n, radius) & (causal_mask(n) | (kind == "attention"))


@pytest.mark.parametrize("kind", graphs.KINDS)
def test_whom_an_item_reaches_is_what_products_of_masks_say(kind):
    """The product of the layers' masks is not zero where an item is heard; there are as many connections as they allow."""
    for n in LENGTHS:
        network = graphs.Network(kind, n)
        masks = [layer_mask(kind, n, k) for k in range(network.layers)]
        for source in {1, n // 2, n}:
            hears = np.eye(n, dtype=bool)[source - 1]
            for k, (mask, count) in enumerate(zip(masks, network.heard(source))):
                hears = mask @ hears
                assert hears.sum() == count
                assert source > 1 or hears[-1] == (k == network.layers - 1), "a layer too few or too many"
        assert len(network.edges) == (2 * n - 1 if kind == "recurrent" else np.sum(masks))


@pytest.mark.parametrize("kind", graphs.KINDS)
def test_a_path_leads_along_connections(kind):
    for n in (2, 9, 16, 32):
        network = graphs.Network(kind, n)
        for source in (1, n // 2, n):
            path = network.path(source)
            assert path[0] == source - 1 and path[-1] == network.last == (network.layers + 1) * n - 1
            assert set(zip(path, path[1:])) <= set(network.drawn()) <= set(network.edges)
            assert len(path) - 1 == network.distances(source)[network.last] == network.steps(source) + (kind == "recurrent")
    # Of many connections those are drawn that lead to the last output: they end there, or where another begins.
    ends = {network.last} | {a for a, _ in network.drawn()}
    assert all(b in ends for _, b in network.drawn()) or len(network.edges) <= graphs.MOST_LINES
    missing = set(network.edges) - set(network.drawn())
    assert not [b for _, b in missing if b in ends] and bool(missing) == (len(network.edges) > graphs.MOST_LINES)


def test_a_shorter_sequence_takes_the_source_along():
    figure = SequencePaths(20, "dilated", 18)
    figure.length = 12
    assert (figure.source, figure.length) == (12, 12)
    figure.source = 3
    figure.length = 30
    assert figure.source == 3 and figure.defaults == {"length": 20, "network": "dilated", "source": 18}


@pytest.mark.parametrize("make, error, words", [
    (lambda: SequencePaths(3), ValueError, "length must be at least 4, got 3"),
    (lambda: SequencePaths(33), ValueError, "length must be at most 32, got 33"),
    (lambda: SequencePaths("16"), TypeError, "length must be an integer, got str"),
    (lambda: SequencePaths(8, "rnn"), ValueError, "network must be one of recurrent, convolution, dilated, attention, window, got 'rnn'"),
    (lambda: SequencePaths(8, source=9), ValueError, "source must be from 1 to 8, the number of one of the items, got 9"),
    (lambda: SequencePaths(8, source=40), ValueError, "source must be at most 32, got 40"),
    (lambda: SequencePaths(8, source=0), ValueError, "source must be at least 1, got 0"),
    (lambda: SequencePaths(8, source=1.0), TypeError, "source must be an integer, got float")])
def test_sequence_paths_refuse(make, error, words):
    with pytest.raises(error, match=words):
        make()


def points(found, name):
    """Where the points of a path of the drawing lie, as node numbers: the items are level 0."""
    n = int(found.locator(".ak-net").evaluate("e => getComputedStyle(e).getPropertyValue('--count')"))
    top = float(found.locator(".ak-net > svg").get_attribute("viewBox").split()[-1])
    return [int((top - float(y)) * n + float(x)) for x, y in re.findall(r"[ML](\d+) (\d+)", found.locator(f"path.ak-{name}").get_attribute("d"))]


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 360])
def test_a_bill_by_keyboard_and_by_hand(watched, tmp_path, width):
    with watched(width=width) as w:
        widget, heights_ = billed(length=4096, width=4096, heads=32), []
        found = alone(w, tmp_path, widget)
        start = found.inner_text()
        length, wide, heads = (found.get_by_role("slider", name=name) for name in ("length n", "width d", "heads h"))

        def shows():
            said, seen, bill = status(w, found), found.inner_text(), widget.bill
            for name, write in {"operations": in_words, "weights": in_bytes, "cache": in_bytes, "estimate": in_time}.items():
                assert write(bill[name]) in said and write(bill[name]) in seen, name
            assert in_words(bill["attention"]) in seen and (in_time(bill["measured"]) if bill["measured"] else "not measured") in said
            assert found.evaluate(CUT) == [] and w.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            assert found.evaluate(CROWDED) == []
            heights_.append(found.bounding_box()["height"])

        shows()
        assert "n = 2d = 8,192" in start and "33% for scores and blend" in status(w, found)
        for method in ("linear", "window", "blocks", "whole"):
            press(found, method)
            widget.method = method
            shows()
        for name, number in {"8": "grouped-query", "1": "multi-query"}.items():
            press(found, name)
            widget.sharing = number
            shows()
        for slider, trait, key in ((heads, "heads", "Home"), (wide, "width", "Home"), (length, "length", "Home"), (wide, "width", "End"),
                                   (heads, "heads", "End"), (length, "length", "End")):
            slider.press(key)
            setattr(widget, trait, 2 ** int(slider.input_value()))
            for chart in ("memory", "time", "operations"):
                press(found, chart)
                shows()
        assert not found.get_by_role("button", name="2", exact=True).filter(visible=True).count()
        # The chart is pressed, and dragged: the length is where the pointer is.
        found.locator(".ak-hit").scroll_into_view_if_needed()
        box = found.locator(".ak-hit").bounding_box()
        w.page.mouse.click(box["x"] + 4.2 / 13 * box["width"], box["y"] + 30)
        assert length.input_value() == "11"
        w.page.mouse.down()
        w.page.mouse.move(box["x"] + 8 / 13 * box["width"], box["y"] + 60, steps=4)
        w.page.mouse.up()
        widget.length = 2**15
        assert length.input_value() == "15"
        shows()
        press(found, "Reset")
        widget.length, widget.width, widget.heads, widget.sharing = 4096, 4096, 32, "multi-head"
        shows()
        assert found.inner_text() == start and max(heights_) - min(heights_) < 1, "the page below jumps"
        assert not w.errors


# Where a point of the chart stands, as powers of ten: of the length, and of what is drawn upwards.
PLACES = """f => { const at = e => (e.getAttribute('transform') || '').match(/[-.0-9]+/g)?.map(Number);
    return { dot: at(f.querySelector('.ak-dot')), ring: at(f.querySelector('.ak-ring')),
        marks: [...f.querySelectorAll('.ak-mark')].filter(e => e.style.display !== 'none').map(at),
        lines: [...f.querySelectorAll('.ak-line')].map(e => e.getAttribute('d').match(/[.0-9]+/g).map(Number)) }; }"""


@pytest.mark.browser
def test_the_chart_of_a_bill_draws_its_numbers(watched, tmp_path):
    """The lines, the dot, the ring and the measured dots stand where one logarithmic scale has them."""
    with watched() as w:
        widget = billed(length=512, width=1024, heads=16, method="window")
        found = alone(w, tmp_path, widget)
        places = found.evaluate(PLACES)
        lengths = 2.0 ** np.arange(7, 21)
        names = [*attention_bill.METHODS]
        values = [[AttentionBill(int(n), 1024, 16, method).bill["attention"] for n in lengths] for method in names]
        values.append([AttentionBill(int(n), 1024, 16).bill["projections"] for n in lengths])
        drawn = np.array([line for line in places["lines"][:5]]).reshape(5, 14, 2)
        x, y = (np.polyfit(np.log10(known), drawn[0][:, axis], 1) for axis, known in ((0, lengths), (1, values[0])))
        assert np.allclose(drawn[..., 0], np.polyval(x, np.log10(lengths)), atol=0.1)
        assert np.allclose(drawn[..., 1], np.polyval(y, np.log10(values)), atol=0.1)
        assert places["lines"][5] == places["lines"][2], "the strong line is that of the method"
        assert np.allclose(places["dot"], drawn[2][2], atol=0.1)
        assert np.allclose(places["ring"], drawn[0][4], atol=0.1) and np.allclose(places["ring"], drawn[4][4], atol=0.1)
        assert not places["marks"]
        press(found, "time")
        places = found.evaluate(PLACES)
        known = [(n, time) for name in names for n, time in zip(TIMES["lengths"], TIMES["ms"][name]) if time]
        whole = np.reshape(places["lines"][0], (14, 2))
        y = np.polyfit(np.log10([widget_.bill["estimate"] for widget_ in (billed(length=int(n)) for n in lengths)]), whole[:, 1], 1)
        wanted = [(np.polyval(x, np.log10(n)), np.polyval(y, np.log10(time))) for n, time in known]
        assert np.allclose(sorted(places["marks"]), sorted((round(a, 1), b) for a, b in wanted), atol=0.11)
        press(found, "blocks")
        assert len(found.evaluate(PLACES)["marks"]) == len(known) + 3, "beside an exact method stands torch's kernel"


@pytest.mark.browser
def test_a_bill_set_in_python(watched, tmp_path):
    """Live, the figure follows the kernel; without measured times nothing is said of time."""
    with watched() as w:
        found = alone(w, tmp_path, billed(measured=None))
        assert "time" not in found.get_by_role("button").all_inner_texts() and "measured" not in found.inner_text()
        w.page.evaluate("""() => { const place = document.createElement('div'); document.body.append(place);
            window.model = attnkit.staticModel(JSON.parse(document.querySelector('[data-ak-figure]').dataset.akState));
            attnkit.figures.attention_bill.render({model, el: place}); model.set('method', 'linear'); model.set('length', 1024); }""")
        assert status(w, w.page.locator(".ak-figure").last).startswith("Linear, 1,024 words, 8 heads of width 64: 1.1 billion operations")


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 600, 360])
def test_a_sequence_grows(watched, tmp_path, width):
    with watched(width=width, has_touch=width == 360) as w:
        widget = SequencePaths(16, "recurrent")
        found, whole = alone(w, tmp_path, widget), []
        start = found.inner_text()
        length, source = (found.get_by_role("slider", name=name) for name in ("items", "from item"))

        def shown():
            widget.length, widget.source = int(length.input_value()), int(source.input_value())
            [widget.network] = found.locator("tbody [aria-pressed=true]").all_inner_texts()
            network = graphs.Network(widget.network, widget.length)
            far = network.distances(widget.source)
            assert points(found, "strong") == points(found, "on") == network.path(widget.source)
            assert sorted(points(found, "hears")) == sorted(far) and sorted(points(found, "quiet") + points(found, "hears")) == list(range(network.last + 1))
            assert points(found, "pale") == [k for edge in network.drawn() for k in edge]
            table = [row.split() for row in found.locator("tbody tr").all_inner_texts()]
            assert table == [[kind, *(f"{v:,}" for v in counted.values())] for kind, counted in widget.compared.items()]
            numbers = [number for number in found.locator(".ak-items > span").all_inner_texts() if number]
            last = [] if 0 < widget.length - widget.source < 3 else [widget.length]
            assert numbers == [str(k) for k in (range(1, widget.length + 1) if widget.length <= 16 else sorted({widget.source, *last}))]
            assert found.evaluate(CUT) == [] and w.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            whole.append(found.bounding_box()["height"])
            said, counted = status(w, found), widget.compared[widget.network]
            assert said.startswith(f"{widget.network.capitalize()}, {widget.length} items. Steps from item {widget.source} to the last output: {counted['steps']}; layers: ")
            assert f"Item {widget.source} is heard at {', '.join(map(str, network.heard(widget.source)))} of {widget.length} places" in said
            assert ("connections drawn" in found.inner_text()) == (len(network.edges) > graphs.MOST_LINES)
            return said

        assert shown() == ("Recurrent, 16 items. Steps from item 1 to the last output: 15; layers: 1; one after another: 16; connections: 31. "
                           "Item 1 is heard at 16 of 16 places.")
        for kind in ["convolution", "dilated", "attention", "window"]:
            press(found, kind)
            shown()
        length.press("End")
        assert "4, 7, 10, 13, 16, 19, 22, 25, 28, 31, 32 of 32 places, after layers 1 to 11." in shown() and "701 of 1,342 connections drawn" in found.inner_text()
        press(found, "convolution")
        shown()
        bars = found.locator(".ak-fill").evaluate_all("all => all.map(e => e.getBoundingClientRect().width)")
        assert np.allclose(np.array(bars) / bars[0], np.array([31, 16, 5, 1, 11]) / 31, atol=.002)
        source.press("End")
        assert "Item 32 is heard at 1, 1, " in shown()
        source.press("ArrowLeft")
        shown()
        length.press("Home")                                  # the item that was chosen is there no longer
        assert source.get_attribute("max") == "4" and "from item 4 to" in shown()
        # A node of the picture stands for its item.
        box = found.locator(".ak-net > svg").bounding_box()
        place = {"x": box["width"] * 1.5 / 4, "y": box["height"] - 5}
        found.locator(".ak-net > svg").tap(position=place) if width == 360 else found.locator(".ak-net > svg").click(position=place)
        assert "from item 2 to" in shown()
        w.page.mouse.move(box["x"] + place["x"], box["y"] + place["y"])
        w.page.mouse.down()
        w.page.mouse.move(box["x"] + box["width"] * 2.6 / 4, box["y"] + 20, steps=4)
        assert "from item 3 to" in shown()
        w.page.mouse.move(2, box["y"], steps=4)               # beside the picture
        assert "from item 1 to" in shown()
        w.page.mouse.up()
        found.get_by_role("button", name="Reset").press("Enter")
        shown()
        assert found.inner_text() == start and max(whole) - min(whole) < 1, "the page below jumps"
        assert not w.errors


@pytest.mark.browser
def test_paths_set_in_python(watched, tmp_path):
    """Live, the kernel hears of both when a shorter sequence takes the source along, and the figure follows the kernel."""
    with watched() as w:
        alone(w, tmp_path, SequencePaths(12, "dilated", 12))
        w.page.evaluate("""() => { const place = document.querySelector('[data-ak-figure]'), model = attnkit.staticModel(JSON.parse(place.dataset.akState));
            window.sent = []; model.save_changes = () => sent.push(['length', 'network', 'source'].map(name => model.get(name))); window.model = model;
            attnkit.figures.sequence_paths.render({model, el: place}); }""")
        found = w.page.locator(".ak-figure")
        found.get_by_role("slider", name="items").press("ArrowLeft")
        press(found, "window")
        assert w.page.evaluate("sent") == [[11, "dilated", 11], [11, "window", 11]]
        w.page.evaluate("model.set('length', 20); model.set('source', 15); model.set('network', 'attention')")
        assert status(w, found).startswith("Attention, 20 items. Steps from item 15 to the last output: 1;")
        assert found.get_by_role("slider", name="from item").input_value() == "15" and not w.errors


@pytest.mark.browser
def test_longer_paths_cost_no_more_of_the_page(watched, tmp_path):
    """Lines and dots are five elements, however many they are; the work of a redraw is counted at the dearest state."""
    with watched() as w:
        profile = w.context.new_cdp_session(w.page)
        profile.send("Profiler.enable")
        profile.send("Profiler.startPreciseCoverage", {"callCount": True, "detailed": True})
        found = alone(w, tmp_path, SequencePaths(4, "convolution"))
        few = found.evaluate("f => f.querySelectorAll('*').length")
        profile.send("Profiler.takePreciseCoverage")
        found.get_by_role("slider", name="items").press("End")
        blocks = sum(block["count"] for s in profile.send("Profiler.takePreciseCoverage")["result"] if s["url"].startswith("file:")
                     for f in s["functions"] for block in f["ranges"])
        print(f"\n{few} elements, {blocks} blocks for 32 items")
        assert found.evaluate("f => f.querySelectorAll('*').length") == few < 150 and 0 < blocks < 40_000
