"""The figure of a head that is opened: scores, weights, what each word adds, and what comes of a word that is deleted."""

import numpy as np
import pytest
from conftest import node
from hand import CASES, CUT, alone, begun, fits, live, press, rows, says

from attnkit import attention
from bookkit.figures import WordVotes
from bookkit.pictures import draw, palette
from bookkit.pictures.formats import fixed

# The first head looks at the noun, and the second only at "girl": it answers "cet" unless told otherwise.
LOOKS = {"name": "seed 0", "queries": [[2, 0]] * 2, "keys": [[[0, 0], [0, 1], [3, 0]], [[0, 0], [0, 1], [3, 1]]],
         "votes": [[[0, 0, 1], [0, 1, 2], [-1, 4, -2]], [[0, 0, 1], [0, 1, 2], [-1, -1, 5]]]}
DEFAULT = {"name": "a & b", "queries": [[2, 0]] * 2, "keys": [[[0, 0], [0, 1], [3, 0]], [[1, 0], [0, 1], [-2, 1]]],
           "votes": [[[-1, -1, 3], [-1, -1, 2], [-1, 4, -2]], [[-1, -1, 3], [-1, -1, 2], [0, 0, 0.25]]]}
SENTENCES = [["see", "that", "girl"], ["see", "that", "<i>"]]


def opened(**changed):
    given = {"heads": [LOOKS, DEFAULT], "sentences": SENTENCES, "answers": ["ce", "cette", "cet"], "right": [1, 2], "lang": "fr"}
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
    (lambda: opened(heads=[]), ValueError, "heads must be 1 to 4, got 0"),
    (lambda: opened(heads=[LOOKS | {"name": str(k)} for k in range(5)]), ValueError, "heads must be 1 to 4, got 5"),
    (lambda: opened(heads=[LOOKS, LOOKS]), ValueError, r"the heads' names must be all different, got \['seed 0', 'seed 0'\]"),
    (lambda: opened(**head(queries=[[2, 0]])), ValueError, r"queries of 'seed 0' must have shape \(2, 2\), got \(1, 2\)"),
    (lambda: opened(**head(queries=np.zeros((2, 65)))), ValueError, "queries must have at most 64 columns, got 65"),
    (lambda: opened(**head(keys=np.zeros((2, 3, 3)))), ValueError, r"keys of 'seed 0' must have shape \(2, 3, 2\)"),
    (lambda: opened(**head(votes=np.zeros((2, 3, 2)))), ValueError, r"votes of 'seed 0' must have shape \(2, 3, 3\), got \(2, 3, 2\)"),
    (lambda: opened(heads=[LOOKS, {**DEFAULT, "queries": np.ones((2, 3)), "keys": np.ones((2, 3, 3))}]), ValueError, r"queries of 'a & b' must have shape \(2, 2\), got \(2, 3\)"),
    (lambda: opened(sentences=[]), ValueError, "sentences must be 1 to 40, got 0"),
    (lambda: opened(sentences=[["see", "that"], ["see"]]), ValueError, r"sentences must have the same number of words, 2 to 8, got \[2, 1\]"),
    (lambda: opened(sentences=[["see"], ["see"]]), ValueError, r"2 to 8, got \[1, 1\]"),
    (lambda: opened(answers=["ce"]), ValueError, "answers must be 2 to 5, got 1"),
    (lambda: opened(answers=list("abcdef")), ValueError, "answers must be 2 to 5, got 6"),
    (lambda: opened(answers=["ce", "ce", "cet"]), ValueError, "answers must be all different, got"),
    (lambda: opened(right=[1]), ValueError, r"right must hold one for each of 2 sentences, got \[1\]"),
    (lambda: opened(right=[1, 3]), ValueError, "a place of right must be from 0 to 2, the number of one of the answers, got 3"),
    (lambda: opened(direction=[1]), ValueError, r"direction must have shape \(2,\), got \(1,\)"),
    (lambda: opened(head=2), ValueError, "head must be from 0 to 1, the number of one of the heads, got 2"),
    (lambda: opened(sentence=2), ValueError, "sentence must be from 0 to 1, the number of one of the sentences, got 2"),
    (lambda: opened(removed=[3]), ValueError, "a place of removed must be from 0 to 2, the number of one of the words of a sentence, got 3"),
    (lambda: opened(removed="girl"), TypeError, "removed must be a sequence of places, got str"),
    (lambda: opened(push=3.1), ValueError, "push must lie between -3 and 3, got 3.1"),
]
REFUSED = [("head", 2, ValueError), ("sentence", "a", TypeError), ("removed", [-1], ValueError), ("removed", 1, TypeError), ("push", "much", TypeError),
           ("push", -4, ValueError)]


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
                        out, float(rng.choice([0, -3, 3, round(rng.uniform(-3, 3), 1)])), direction=rows(rng, d) if rng.integers(2) else None)


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
            assert np.isclose(found["moved"], ours.push * (query @ ours.direction) / len(query)**0.5, **close)
            assert np.allclose(found["weights"], weights[0], **close) and np.isclose(sum(found["weights"]), left.any())
            assert np.allclose(found["votes"], weights[0][:, None] * votes, **close) and np.allclose(found["totals"], totals[0], **close)
            assert found["answer"] == (totals[0].argmax() if left.any() else None)
        whole, _ = attention(query[None], keys, votes)
        assert ours.whole_answer == whole[0].argmax()
        seen.add((min(len(ours.removed), 1), bool(left.any()), bool(ours.push), ours.answer == ours.whole_answer))
    assert {(removed, push, same) for removed, some, push, same in seen if some} == {(0, False, True), (0, True, True), *((1, push, same) for push in (False, True) for same in (False, True))}
    assert any(not some for _, some, _, _ in seen), "nowhere all words are deleted"


def test_word_votes_follows_its_traits():
    widget = opened(removed=(2, 0, 2))
    assert widget.removed == [0, 2] and widget.direction == [1, 1] and widget.defaults == {"head": 0, "sentence": 0, "removed": [0, 2], "push": 0.0}
    assert widget.weights.tolist() == [0, 1, 0] and widget.totals.tolist() == [0, 1, 2] and widget.answer == 2 and widget.whole_answer == 1
    widget.removed = np.array([2])
    assert widget.weights.tolist() == [0.5, 0.5, 0] and widget.totals.tolist() == [0, 0.5, 1.5]
    widget.head, widget.sentence, widget.removed = 1, 1, []
    assert widget.answer == widget.whole_answer == 2 and widget.weights[2] < 0.02, "it need not look at the noun"
    widget.removed = [2]
    assert widget.answer == 2
    widget.removed, widget.push = range(3), -3
    assert widget.answer is None and not widget.weights.any() and widget.scores.shape == (3,)
    assert widget.told() == "No word is left: nothing is added, and there is no answer. Every score moved by −4.24, no weight did."


def test_word_votes_draws_a_still_picture():
    still = opened(sentence=1, removed=[0]).still()
    assert "<p>seed 0: “see that &lt;i&gt;”, push 0.0.</p>" in still
    assert '<th scope="row"><s>see</s></th>' + "<td>–</td>" * 5 in still and still.count("<s>") == 1
    assert 'Without “see” the answer is <span lang="fr">cet</span>: right. Most weight: &lt;i&gt;, 0.99. With all words: <span lang="fr">cet</span>. Right: <span lang="fr">cet</span>.' in still
    assert still.count('<th scope="col" lang="fr">') == 3 and still.count("<strong>") == 1 and "<strong>4.96</strong>" in still
    other = opened(removed=[2], lang="").still()
    assert "Without “girl” the answer is <span>cet</span>: wrong." in other and "Right: <span>cette</span>." in other and "lang=" not in other
    none = opened(removed=[0, 1, 2]).still()
    assert "No word is left" in none and "<strong>" not in none and none.count("<td>0.00</td>") == 4


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
    fills = found.locator("tbody .ak-vote").evaluate_all("all => all.map(c => [c.style.backgroundColor.match(/([\\d.]+)%/)[1], c.style.backgroundColor])")
    largest = np.abs(widget.heads[widget.head]["votes"]).max()
    assert np.allclose([float(share) for share, _ in fills], [100 * draw.opacity(v, largest) for v in widget.votes.ravel()], atol=0.11)
    hues = {negative: ", ".join(str(int(palette.FILL[kind].light[k:k + 2], 16)) for k in (1, 3, 5)) for negative, kind in ((True, "negative"), (False, "positive"))}
    assert all(f"rgb({hues[v < 0]})" in text for v, (_, text) in zip(widget.votes.ravel(), fills) if v), "the sign is not seen"
    note = found.locator(".ak-note").inner_text()
    assert f"With all words: {widget.answers[widget.whole_answer]}. Right: {widget.answers[widget.right[widget.sentence]]}." in note


def pushed(found, value):
    found.get_by_role("slider").evaluate("(s, v) => { s.value = v; s.dispatchEvent(new Event('input', {bubbles: true})); }", str(value))


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 360])
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
        weights = found.locator(".ak-weigh").all_inner_texts()
        pushed(found, 1.5)
        widget.push = 1.5
        check("Without “girl” the answer is cet: wrong. Most weight: see, 0.50. Every score moved by +2.12, no weight did.")
        assert found.locator(".ak-weigh").all_inner_texts() == weights and found.locator("tbody td:nth-child(2)").all_inner_texts() == ["2.12", "2.12", "–"]
        press(found, "a & b")                                  # the same words are deleted in another head
        widget.head = 1
        check(widget.told())
        found.get_by_role("combobox").select_option("see that <i>")
        widget.sentence, widget.removed = 1, []                # in another sentence none is
        check("The answer is cet: right. Most weight: see, 0.80. Every score moved by +2.12, no weight did.")
        for k, name in enumerate(["<i>", "see"]):
            word(name)
            widget.removed = [2, 0][:k + 1]
            presented(found, widget)
        check("Without 2 words the answer is cet: right. Most weight: that, 1.00. Every score moved by +2.12, no weight did.")
        word("that")
        pushed(found, 0)
        widget.removed, widget.push = [0, 1, 2], 0
        check("No word is left: nothing is added, and there is no answer.")
        word("see")
        widget.removed = [1, 2]
        check("Without 2 words the answer is cet: right. Most weight: see, 1.00.")
        press(found, "Reset")
        widget.head, widget.sentence, widget.removed = 0, 0, []
        check("The answer is cette: right. Most weight: girl, 0.97.")
        assert found.inner_text() == start and found.get_by_role("combobox").input_value() == "see that girl" and not w.errors


@pytest.mark.browser
def test_arrow_keys_lead_from_word_to_word(window, tmp_path):
    """One word is in the tab order; arrows lead down and up; Space and Enter delete and bring back, and the focus stays."""
    with window() as w:
        widget = opened(heads=[LOOKS], sentences=SENTENCES[:1] * 2)
        found = alone(w, tmp_path, widget)
        assert found.get_by_role("group", name="head").count() == 0, "one head leaves no choice"

        def go(key):
            w.page.keyboard.press(key)
            return w.page.evaluate("document.activeElement.textContent || document.activeElement.type")

        found.get_by_role("combobox").focus()
        assert [go(key) for key in ("Tab", "ArrowUp", "ArrowDown", "ArrowDown", "ArrowDown")] == ["see", "see", "that", "girl", "girl"]
        for key, out in (("Space", [2]), ("Enter", [])):
            assert go(key) == "girl", "the focus has moved"
            widget.removed = out
            presented(found, widget)
        assert [go(key) for key in ("ArrowUp", "Tab", "ArrowRight", "Shift+Tab", "Home", "End")] == ["that", "range", "range", "that", "see", "girl"]
        widget.push = 0.1
        presented(found, widget)
        assert found.get_by_role("slider", name="push on all keys").get_attribute("aria-valuetext") == "0.1" and not w.errors


@pytest.mark.browser
def test_answers_are_marked_by_their_language(window, tmp_path):
    with window() as w:
        found = alone(w, tmp_path, opened())
        assert found.locator("[lang=fr]").all_inner_texts() == ["ce", "cette", "cet", "cette", "cette"]
        assert alone(w, tmp_path, opened(lang="")).locator("[lang]").count() == 0


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 360])
def test_long_words_have_room(window, tmp_path, width):
    """Eight words and five answers with large numbers: nothing is cut or too small for a finger, nothing moves, and a redraw is small."""
    with window(width=width) as w:
        rng = np.random.default_rng(3)
        heads = [{"name": f"seed {k}", "queries": 3 * np.ones((2, 3)), "keys": 2 * rng.normal(size=(2, 8, 3)), "votes": 60 * rng.normal(size=(2, 8, 5))} for k in range(4)]
        words = ["see", "a", "upstairs", "notwithstanding", "unforgettable", "grandmother", "there", "i"]
        found = alone(w, tmp_path, WordVotes(heads, [words, words[::-1]], ["ce", "cette", "celui-ci", "cet", "lesquels"], [0, 1]))
        height, places = found.bounding_box()["height"], found.locator("thead th").evaluate_all("all => all.map(c => c.getBoundingClientRect().left)")
        for step in (lambda: found.locator("tbody button").nth(3).click(), lambda: pushed(found, -3), lambda: pushed(found, 3), lambda: press(found, "seed 2")):
            step()
            w.settle()
            assert fits(w) and found.evaluate(CUT) == []
            assert found.locator("thead th").evaluate_all("all => all.map(c => c.getBoundingClientRect().left)") == places, "columns have moved"
            assert found.bounding_box()["height"] == pytest.approx(height, abs=1), "what is below has moved"
        sizes = found.locator("button, select, input").evaluate_all("all => all.map(b => { const r = b.getBoundingClientRect(); return Math.min(r.width, r.height); })")
        assert len(sizes) == 15 and min(sizes) >= 24
        changes = found.evaluate("""async f => { let changes = 0; new MutationObserver(found => changes += found.length)
            .observe(f, {attributes: true, childList: true, characterData: true, subtree: true});
            f.querySelector('select').selectedIndex = 1; f.querySelector('select').dispatchEvent(new Event('change'));
            await new Promise(done => setTimeout(done)); return changes; }""")
        assert 0 < changes < 200 and not w.errors


@pytest.mark.browser
def test_bars_rest_for_who_asks_for_less_motion(window, tmp_path):
    with window() as w:
        found = alone(w, tmp_path, opened())
        control = found.locator("tbody button").nth(2)
        assert begun(found, control)
        w.page.emulate_media(reduced_motion="reduce")
        assert not begun(found, control)
        w.page.emulate_media(reduced_motion="null")


@pytest.mark.browser
def test_a_state_set_in_python_is_shown(window, tmp_path):
    """Live, the kernel hears of each word and each sentence at once, and the figure follows the kernel."""
    with window() as w:
        widget = opened(removed=[1])
        found = live(w, tmp_path, widget, "sentence", "removed", "push")
        found.locator("tbody button").nth(0).click()
        found.get_by_role("combobox").select_option("see that <i>")
        pushed(found, -2)
        press(found, "Reset")
        assert w.page.evaluate("sent") == [[0, [0, 1], 0], [1, [], 0], [1, [], -2], [0, [1], 0]]
        presented(found, widget)
        w.page.evaluate("() => { model.set('head', 1); model.set('removed', [0, 2]); model.set('push', 3); }")
        widget.head, widget.removed, widget.push = 1, [0, 2], 3
        presented(found, widget)
        assert says(w, found) == widget.told() and not w.errors
