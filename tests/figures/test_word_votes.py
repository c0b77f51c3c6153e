"""The figure of a head that is opened: scores, weights, what each word adds, and what comes of a word that is deleted."""

import numpy as np
import pytest
from conftest import node
from hand import CASES, CUT, alone, either_width, fits, press, rows, says

from attnkit import attention
from bookkit.figures import WordVotes
from bookkit.pictures.formats import fixed

# The first head looks at the noun, and the second only at "girl": it answers "cet" unless told otherwise.
LOOKS = {"name": "seed 0", "queries": [[2, 0]] * 2, "keys": [[[0, 0], [0, 1], [3, 0]], [[0, 0], [0, 1], [3, 1]]],
         "votes": [[[0, 0, 1], [0, 1, 2], [-1, 4, -2]], [[0, 0, 1], [0, 1, 2], [-1, -1, 5]]]}
DEFAULT = {"name": "a & b", "queries": [[2, 0]] * 2, "keys": [[[0, 0], [0, 1], [3, 0]], [[1, 0], [0, 1], [-2, 1]]],
           "votes": [[[-1, -1, 3], [-1, -1, 2], [-1, 4, -2]], [[-1, -1, 3], [-1, -1, 2], [0, 0, 0.25]]]}
SENTENCES = [["see", "that", "girl"], ["see", "that", "<i>"]]


def opened(**changed):
    given = {"heads": [LOOKS, DEFAULT], "sentences": SENTENCES, "answers": ["ce", "cette", "cet"], "right": [1, 2]}
    return WordVotes(**(given | changed))


def head(**changed):
    """The first head with parts that are changed; None leaves one out."""
    return {"heads": [{name: part for name, part in (LOOKS | changed).items() if part is not None}]}


def example():
    return opened(removed=[1], push=0.5, caption="Cap.")


def shown(widget):
    left = [k for k in range(len(widget.scores)) if k not in widget.removed]
    numbers = [*widget.scores[left], *widget.weights[left], *widget.votes[left].ravel(), *widget.totals]
    return [*[f">{fixed(v)}<" for v in numbers], fixed(widget.push, 1), fixed(widget.moved, plus=True), *widget.sentences[widget.sentence], *widget.answers]


CHANGED = ("sentence", 1)
BAD = [
    (lambda: opened(heads=[LOOKS, LOOKS]), ValueError, r"the heads' names must be all different, got \['seed 0', 'seed 0'\]"),
    (lambda: opened(**head(queries=np.zeros((2, 65)))), ValueError, "queries must have at most 64 columns, got 65"),
    (lambda: opened(**head(votes=np.zeros((2, 3, 2)))), ValueError, r"votes of 'seed 0' must have shape \(2, 3, 3\), got \(2, 3, 2\)"),
    (lambda: opened(heads=[LOOKS, {**DEFAULT, "queries": np.ones((2, 3)), "keys": np.ones((2, 3, 3))}]), ValueError, r"queries of 'a & b' must have shape \(2, 2\), got \(2, 3\)"),
    (lambda: opened(sentences=[["see", "that"], ["see"]]), ValueError, r"sentences must have the same number of words, 2 to 8, got \[2, 1\]"),
    (lambda: opened(right=[1, 3]), ValueError, "a place of right must be from 0 to 2, the number of one of the answers, got 3"),
    (lambda: opened(removed=[3]), ValueError, "a place of removed must be from 0 to 2, the number of one of the words of a sentence, got 3"),
]
REFUSED = [("head", 2, ValueError), ("sentence", "a", TypeError), ("removed", [-1], ValueError), ("push", -4, ValueError)]


# ---- the arithmetic, and Python's side

def random_heads():
    """Figures of random heads with all, some or none of the words deleted, pushed or not."""
    rng = np.random.default_rng(91)
    for _ in range(CASES):
        count, s, n, a, d = (int(rng.integers(low, high)) for low, high in ((1, 5), (1, 4), (2, 9), (2, 6), (1, 9)))
        spread = float(rng.choice([1, 5, 60]))
        heads = [{"name": str(k), "queries": rows(rng, s, d), "keys": (spread * rng.normal(size=(s, n, d))).round(3), "votes": rows(rng, s, n, a)} for k in range(count)]
        out = rng.permutation(n)[:rng.choice([0, 1, n - 1, n])]
        yield WordVotes(heads, [[f"w{k}" for k in range(n)]] * s, [f"a{k}" for k in range(a)], rng.integers(0, a, s), int(rng.integers(count)), int(rng.integers(s)),
                        out, float(rng.choice([0, -3, 3, round(rng.uniform(-3, 3), 1)])))


def test_word_votes_arithmetic():
    """It is attention of one query over the words that are left, with the votes as values; a push changes the scores alone."""
    figures_, seen = list(random_heads()), set()
    for ours, got in zip(figures_, node("run_figures.js", {"figure": "word_votes", "cases": [widget.state() for widget in figures_]}), strict=True):
        one = ours.heads[ours.head]
        query, keys, votes = (np.array(one[name][ours.sentence], dtype=float) for name in ("queries", "keys", "votes"))
        left = ~np.isin(np.arange(len(keys)), ours.removed)
        totals, weights = attention(query[None], keys, votes, mask=left[None])                   # not pushed
        plain = keys @ query / len(query)**0.5
        for found, close in ((got, {"rtol": 0, "atol": 1e-9}), ({name: getattr(ours, name) for name in ("scores", "moved", "weights", "votes", "totals", "answer")}, {"rtol": 0, "atol": 1e-9})):
            assert np.allclose(found["scores"], plain + found["moved"], **close)
            assert np.isclose(found["moved"], ours.push * query.sum() / len(query)**0.5, **close)
            assert np.allclose(found["weights"], weights[0], **close) and np.isclose(sum(found["weights"]), left.any())
            assert np.allclose(found["votes"], weights[0][:, None] * votes, **close) and np.allclose(found["totals"], totals[0], **close)
            assert found["answer"] == (totals[0].argmax() if left.any() else None)
        whole, _ = attention(query[None], keys, votes)
        assert ours.whole_answer == whole[0].argmax()
        seen.add((min(len(ours.removed), 1), bool(left.any()), bool(ours.push), ours.answer == ours.whole_answer))
    assert {(removed, push, same) for removed, some, push, same in seen if some} == {(0, False, True), (0, True, True), *((1, push, same) for push in (False, True) for same in (False, True))}
    assert any(not some for _, some, _, _ in seen), "nowhere all words are deleted"


# ---- alone on a page

def presented(found, widget):
    """The page shows the state of a figure in Python: each word, whether it is deleted, all numbers, the largest sum."""
    gone = [k in widget.removed for k in range(len(widget.scores))]
    words = found.locator("tbody button")
    assert words.all_inner_texts() == widget.sentences[widget.sentence]
    assert words.evaluate_all("all => all.map(b => [b.ariaPressed === 'true', getComputedStyle(b).textDecorationLine === 'line-through'])") == [[out, out] for out in gone]
    wanted = [["–"] * (2 + len(widget.answers)) if out else [fixed(score), fixed(weight), *map(fixed, votes)]
              for out, score, weight, votes in zip(gone, widget.scores, widget.weights, widget.votes)]
    assert found.locator("tbody tr").evaluate_all("all => all.map(r => [...r.querySelectorAll('td')].map(c => c.textContent))") == wanted
    assert found.locator("tfoot td").all_text_contents() == ["", fixed(widget.weights.sum()), *map(fixed, widget.totals)]
    assert found.locator("tfoot td").evaluate_all("all => all.map(c => c.matches('.ak-top')).slice(2)") == [k == widget.answer for k in range(len(widget.answers))]
    bars = found.locator(".ak-fill").evaluate_all("all => all.map(b => Number(b.style.transform.match(/scaleX\\((.*)\\)/)[1]))")
    assert np.allclose(bars, widget.weights, atol=6e-4)
    assert f"With all words: {widget.answers[widget.whole_answer]}. Right: {widget.answers[widget.right[widget.sentence]]}." in found.locator(".ak-note").inner_text()


def pushed(found, value):
    found.get_by_role("slider").evaluate("(s, v) => { s.value = v; s.dispatchEvent(new Event('input', {bubbles: true})); }", str(value))


@pytest.mark.browser
@either_width
def test_a_head_opened_by_hand(window, tmp_path, width):
    with window(width=width, has_touch=width == 360) as w:
        widget = opened()
        found = alone(w, tmp_path, widget)

        def word(name):
            button = found.get_by_role("button", name=name, exact=True)
            button.tap() if width == 360 else button.click()

        def check(said):
            assert says(w, found) == said == widget.told()
            presented(found, widget)
            assert fits(w) and found.evaluate(CUT) == []

        start = found.inner_text()
        check("The answer is cette: right. Most weight: girl, 0.97.")
        word("girl")
        widget.removed = [2]
        check("Without “girl” the answer is cet: wrong. Most weight: see, 0.50.")
        weights = found.locator(".ak-gauge").all_inner_texts()
        pushed(found, 1.5)
        widget.push = 1.5
        check("Without “girl” the answer is cet: wrong. Most weight: see, 0.50. Every score moved by +2.12, no weight did.")
        assert found.locator(".ak-gauge").all_inner_texts() == weights and found.locator("tbody td:nth-child(2)").all_inner_texts() == ["2.12", "2.12", "–"]
        press(found, "a & b")                                  # the same words are deleted in another head
        widget.head = 1
        check(widget.told())
        found.get_by_role("combobox").select_option("see that <i>")
        widget.sentence, widget.removed = 1, []                # in another sentence none is
        check("The answer is cet: right. Most weight: see, 0.80. Every score moved by +2.12, no weight did.")
        for name in ("<i>", "see", "that"):
            word(name)
        pushed(found, 0)
        widget.removed, widget.push = [0, 1, 2], 0
        check("No word is left: nothing is added, and there is no answer.")
        press(found, "Reset")
        widget.head, widget.sentence, widget.removed = 0, 0, []
        check("The answer is cette: right. Most weight: girl, 0.97.")
        assert found.inner_text() == start and found.get_by_role("combobox").input_value() == "see that girl" and not w.errors
