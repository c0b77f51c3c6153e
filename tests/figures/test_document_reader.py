"""The figure of a classifier that reads a document."""

import re
from html import unescape

import numpy as np
import pytest
from conftest import node
from hand import CASES, CUT, alone, fits, live, press, says

from attnkit import attention, softmax
from bookkit.figures import DocumentReader, document_reader
from bookkit.pictures import draw
from bookkit.pictures.formats import fixed


def reviewing(**changed):
    """A model with random numbers reads three short documents; "masterpiece" has the largest score, "a & b" the smallest."""
    model = document_reader.random_model(1, words=["the", "plot", "is", "masterpiece", "dull", "fine", "a & b"])
    model["scores"] = [0, 0.5, -0.5, 4, 2, 1.5, -1]
    given = {"model": model, "documents": [[0, 1, 2, 3, 4, 4, 6], [0, 5], [6, 2, 1, 5, 0]], "labels": ("bad", "good"), "answers": [1, 1, 0]}
    return DocumentReader(**(given | changed))


def words_of(widget):
    """The words of the document that is shown."""
    return [widget.model["words"][word] for word in widget.documents[widget.document]]


def said_of(widget):
    """The model's answer as it is written: the likelier label and its probability."""
    p = widget.probability
    return f"{widget.labels[1]}, {fixed(p)}" if p >= 0.5 else f"{widget.labels[0]}, {fixed(1 - p)}"


def without(**changed):
    """The model of `reviewing` with parts that are changed; None leaves one out."""
    model = {**reviewing().model, **changed}
    return {"model": {name: part for name, part in model.items() if part is not None}}


def example():
    return reviewing(removed=[4], caption="Cap.")


def shown(widget):
    return [*words_of(widget), *[fixed(v) for v in np.sort(widget.weights)[-5:]],
            fixed(max(widget.probability, 1 - widget.probability))]


BAD = [
    (lambda: reviewing(**without(pooling="max")), ValueError, "the pooling of model must be \"attention\", got 'max'"),
    (lambda: reviewing(**without(scores=[1, 2])), ValueError, r"scores of model must have shape \(7,\), got \(2,\)"),
    (lambda: reviewing(**without(vectors=np.zeros((6, 4)))), ValueError, r"vectors of model must have shape \(7, 4\), got \(6, 4\)"),
    (lambda: reviewing(**without(w1=np.zeros((4, 65)))), ValueError, r"w1 of model must be at most 64 by 64, got \(4, 65\)"),
    (lambda: reviewing(**without(b1=[1])), ValueError, r"b1 of model must have shape \(3,\), got \(1,\)"),
    (lambda: reviewing(documents=[]), ValueError, "documents must be 1 to 12, got 0"),
    (lambda: reviewing(documents=[[0]] * 13), ValueError, "documents must be 1 to 12, got 13"),
    (lambda: reviewing(documents=[[0], []]), ValueError, "the words of a document must be 1 to 120, got 0"),
    (lambda: reviewing(documents=[[0] * 121]), ValueError, "the words of a document must be 1 to 120, got 121"),
    (lambda: reviewing(documents=[[7]]), ValueError, "a word of documents must be from 0 to 6, the number of one of the words of model, got 7"),
    (lambda: reviewing(labels=["good"]), ValueError, "labels must be 2, got 1"),
    (lambda: reviewing(answers=[1, 0]), ValueError, r"answers must hold one for each of 3 documents, got \[1, 0\]"),
    (lambda: reviewing(answers=[1, 0, 2]), ValueError, "answers must be from 0 to 1, the number of one of the labels, got 2"),
    (lambda: reviewing(document=3), ValueError, "document must be from 0 to 2, the number of one of the documents, got 3"),
    (lambda: reviewing(way="even"), ValueError, "way must be one of as they are, equal, shuffled, got 'even'"),
    (lambda: reviewing(document=1, removed=[2]), ValueError, "a place of removed must be from 0 to 1, the number of one of the words of the document, got 2"),
]

REFUSED = [
    ("document", 3, ValueError),
    ("way", "even", ValueError),
    ("removed", [7], ValueError),
    ("removed", [1.0], TypeError),
    ("removed", 1, TypeError),
]


# ---- the arithmetic, and Python's side

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


# ---- alone on a page

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


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 360])
def test_a_document_read_by_hand(window, tmp_path, width):
    with window(width=width, has_touch=width == 360) as w:
        widget = reviewing()
        found = alone(w, tmp_path, widget)
        use = (lambda button: button.tap()) if width == 360 else (lambda button: button.click())

        def word(name, k=0):
            use(found.locator(".ak-word", has_text=name).nth(k))

        def check(said):
            assert says(w, found) == said
            presented(found, widget)
            assert fits(w) and found.evaluate(CUT) == []

        whole, start = said_of(widget), found.inner_text()
        wrong = "" if whole.startswith("good") else " The right answer is good."
        check(f"Document 1: {whole}.{wrong} Most weight: masterpiece {fixed(widget.weights[3])}.")
        word("masterpiece")
        widget.removed = [3]
        now, wrong = said_of(widget), "" if said_of(widget).startswith("good") else " The right answer is good."
        check(f"Document 1, without “masterpiece”: {now}, was {whole}.{wrong} Most weight: dull {fixed(widget.weights[4])}.")
        word("dull", 1)
        widget.removed = [3, 5]
        assert says(w, found).startswith(f"Document 1, without 2 words: {said_of(widget)}, was {whole}.")
        presented(found, widget)
        press(found, "shuffled")
        widget.way = "shuffled"
        assert says(w, found).startswith(f"Document 1, weights shuffled, without 2 words: {said_of(widget)}, was {whole}.")
        presented(found, widget)
        press(found, "equal")
        widget.way = "equal"
        assert says(w, found).endswith("All words weigh the same, 0.20.")
        presented(found, widget)
        word("masterpiece")
        widget.removed = [5]
        presented(found, widget)
        press(found, "3")
        widget.document = 2
        assert says(w, found).startswith(f"Document 3, weights equal: {said_of(widget)}, was ")
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
        assert says(w, found).endswith("No word is left: the model reads a vector of zeros.")
        press(found, "Reset")
        widget.document = 0
        presented(found, widget)
        w.settle()
        assert found.inner_text() == start and not w.errors


@pytest.mark.browser
def test_arrow_keys_lead_through_a_document(window, tmp_path):
    """One word is in the tab order; arrows lead along the text and from line to line; Space and Enter take out and bring back."""
    at = "document.activeElement.textContent"
    with window(width=360) as w:
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
            assert ("without “" in says(w, found)) == bool(out)
        assert [go(key) for key in ("End", "ArrowRight", "ArrowDown")] == ["w39"] * 3 and go("Home") == "w0"
        assert go("End") == "w39" and go("Tab") == "1" and go("Shift+Tab") == "w39"
        press(found, "2")
        assert found.locator(".ak-word[tabindex='0']").filter(visible=True).all_text_contents()[0].startswith("w5"), "no word can be reached"
        found.locator(".ak-word[tabindex='0']").focus()
        assert [go(key) for key in ("ArrowRight", "ArrowLeft", "End", "Tab")] == ["w5", "w3", "w5", "2"] and not w.errors


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 360])
def test_a_long_document_has_room(window, tmp_path, width):
    """Nothing is wider than the page, no word is too small for a finger or meets another, the answer stays in sight, and a redraw is small."""
    with window(width=width) as w:
        words = ["a", "i", "unforgettable", "notwithstanding", *(f"word{k}" * (k % 3) or f"w{k}" for k in range(66))]
        rng = np.random.default_rng(0)
        documents = [rng.integers(0, 70, 120).tolist() for _ in range(12)]
        found = alone(w, tmp_path, DocumentReader(document_reader.random_model(3, words=words), documents, ("unfavourable", "favourable"), [0, 1] * 6))
        assert fits(w)
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
def test_a_document_set_in_python_is_shown(window, tmp_path):
    """Live, the kernel hears of each word and of each document, and the figure follows the kernel."""
    with window() as w:
        widget = reviewing(removed=[4])
        found = live(w, tmp_path, widget, "document", "removed")
        found.locator(".ak-word").nth(1).click()
        press(found, "2")
        press(found, "1")
        assert w.page.evaluate("sent") == [[0, [1, 4]], [1, []], [0, [4]]]
        presented(found, widget)
        w.page.evaluate("() => { model.set('way', 'shuffled'); model.set('removed', [0, 6]); }")
        widget.way, widget.removed = "shuffled", [0, 6]
        presented(found, widget)
