"""The figure of a classifier that reads a document."""

import numpy as np
import pytest
from conftest import node
from hand import CASES, CUT, alone, either_width, fits, press, says

from attnkit import attention, softmax
from bookkit.figures import DocumentReader
from bookkit.figures.document_reader import WAYS
from bookkit.pictures.formats import fixed


def random_model(seed, *, words, width=4, hidden=3, spread=1.0):
    """A model that has not been trained; `spread` is the standard deviation of its numbers."""
    rng = np.random.default_rng(seed)
    shapes = {"scores": len(words), "vectors": (len(words), width), "w1": (width, hidden), "b1": hidden, "w2": hidden, "b2": ()}
    numbers = {name: np.round(rng.normal(scale=spread, size=shape), 4).tolist() for name, shape in shapes.items()}
    return {"words": list(words), "pooling": "attention", **numbers}


def reviewing(**changed):
    """A model with random numbers reads three short documents; "masterpiece" has the largest score, "a & b" the smallest."""
    model = random_model(1, words=["the", "plot", "is", "masterpiece", "dull", "fine", "a & b"])
    model["scores"] = [0, 0.5, -0.5, 4, 2, 1.5, -1]
    given = {"documents": [[0, 1, 2, 3, 4, 4, 6], [0, 5], [6, 2, 1, 5, 0]], "labels": ("bad", "good"), "answers": [1, 1, 0]}
    return DocumentReader(model | changed.pop("model", {}), **(given | changed))


def words_of(widget):
    """The words of the document that is shown."""
    return [widget.model["words"][word] for word in widget.documents[widget.document]]


def said_of(widget):
    """The model's answer as it is written: the likelier label and its probability."""
    p = widget.probability
    return f"{widget.labels[1]}, {fixed(p)}" if p >= 0.5 else f"{widget.labels[0]}, {fixed(1 - p)}"


def example():
    return reviewing(caption="Cap.")


def shown(widget):
    return [*words_of(widget), *[fixed(v) for v in np.sort(widget.weights)[-5:]],
            fixed(max(widget.probability, 1 - widget.probability))]


BAD = [
    (lambda: reviewing(model={"pooling": "max"}), ValueError, "the pooling of model must be \"attention\", got 'max'"),
    (lambda: reviewing(model={"vectors": np.zeros((6, 4))}), ValueError, r"vectors of model must have shape \(7, 4\), got \(6, 4\)"),
    (lambda: reviewing(model={"w1": np.zeros((4, 65))}), ValueError, r"w1 of model must be at most 64 by 64, got \(4, 65\)"),
    (lambda: reviewing(documents=[[0], []]), ValueError, "the words of a document must be 1 to 120, got 0"),
    (lambda: reviewing(documents=[[7]]), ValueError, "a word of documents must be from 0 to 6, the number of one of the words of model, got 7"),
    (lambda: reviewing(answers=[1, 0, 2]), ValueError, "answers must be from 0 to 1, the number of one of the labels, got 2"),
]

REFUSED = [("document", 3, ValueError), ("way", "even", ValueError), ("removed", [7], ValueError), ("removed", 1, TypeError)]


# ---- the arithmetic, and Python's side

def readers():
    """Figures of random models and documents, words weighted in each way, with none, some or all of them taken out."""
    rng = np.random.default_rng(51)
    for k in range(CASES):
        count = int(rng.integers(2, 40))
        model = random_model(k, words=[f"w{i}" for i in range(count)], width=int(rng.integers(1, 17)), hidden=int(rng.integers(1, 17)),
                                             spread=float(rng.choice([0.5, 1, 30])))
        documents = [rng.integers(0, count, rng.integers(1, 121)).tolist() for _ in range(rng.integers(1, 13))]
        document = int(rng.integers(len(documents)))
        n = len(documents[document])
        out = rng.permutation(n)[:rng.choice([0, min(n, 3), n // 2, n], p=[0.4, 0.3, 0.2, 0.1])].tolist()
        widget = DocumentReader(model, documents, ("no", "yes"), rng.integers(0, 2, len(documents)))
        widget.document, widget.way, widget.removed = document, str(rng.choice(WAYS)), out
        yield widget


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


def test_another_document_begins_whole():
    """A word taken out leaves its weight to the others in proportion."""
    widget = reviewing()
    weights = softmax(np.array([0, 0.5, -0.5, 4, 2, 2, -1]))
    widget.removed = np.array([4, 4])
    assert widget.removed == [4] and np.allclose(widget.weights, np.where(np.arange(7) == 4, 0, weights) / (1 - weights[4]))
    widget.document = 1
    assert widget.removed == [] and widget.weights.shape == (2,) and np.isclose(widget.weights.sum(), 1)


# ---- alone on a page

def presented(found, widget):
    """The page shows the state of a figure in Python: each word, its weight, whether it is out; the answer and what it was."""
    buttons = found.locator(".ak-out-word").filter(visible=True)
    words, weights, out = words_of(widget), widget.weights, [k in widget.removed for k in range(len(words_of(widget)))]
    assert buttons.evaluate_all("all => all.map(b => b.ariaPressed === 'true')") == out
    assert buttons.evaluate_all("all => all.map(b => getComputedStyle(b).textDecorationLine === 'line-through')") == out
    left = [place for place in np.argsort(-weights, kind="stable") if not out[place]]
    largest = [k for k in left[:5] if weights[k] * len(left) > 1 + 1e-9]
    assert buttons.all_text_contents() == [f"{word} {fixed(w) if k in largest else ''}" for k, (word, w) in enumerate(zip(words, weights))]
    whole = reviewing()
    whole.document = widget.document
    changed = out.count(True) > 0 or widget.way != "as they are"
    assert found.locator(".ak-answer strong").inner_text() == said_of(widget)
    assert found.locator(".ak-answer .ak-small").inner_text().strip() == (f"(was {said_of(whole)})" if changed else "")
    right = widget.labels[widget.answers[widget.document]]
    assert found.locator(".ak-verdict").inner_text() == ("right" if said_of(widget).startswith(right) else "wrong")
    assert f"The right answer is {right}; " in found.inner_text()


@pytest.mark.browser
@either_width
def test_a_document_read_by_hand(window, tmp_path, width):
    with window(width=width, has_touch=width == 360) as w:
        widget = reviewing()
        found = alone(w, tmp_path, widget)
        use = (lambda button: button.tap()) if width == 360 else (lambda button: button.click())

        def word(name, k=0):
            use(found.locator(".ak-out-word", has_text=name).nth(k))

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
        press(found, "shuffled")
        widget.removed, widget.way = [3, 5], "shuffled"
        assert says(w, found).startswith(f"Document 1, weights shuffled, without 2 words: {said_of(widget)}, was {whole}.")
        presented(found, widget)
        press(found, "equal")
        widget.way = "equal"
        assert says(w, found).endswith("All words weigh the same, 0.20.")
        presented(found, widget)
        press(found, "3")
        press(found, "as they are")
        widget.document, widget.way = 2, "as they are"
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
def test_arrow_keys_lead_from_line_to_line(window, tmp_path):
    """To the word above or below that stands nearest; where there are fewer words, one of them can still be reached."""
    with window(width=360) as w:
        found = alone(w, tmp_path, DocumentReader(random_model(2, words=[f"w{k}" for k in range(40)]), [list(range(40)), [3, 5]], ("bad", "good"), [0, 1]))

        def go(key):
            w.page.keyboard.press(key)
            return w.page.evaluate("document.activeElement.textContent").split()[0]

        first, second = found.evaluate("""f => Object.values(Object.groupBy(f.querySelectorAll('.ak-out-word'), b => b.offsetTop)).map(line => line.map(b => b.firstChild.data)).slice(0, 2)""")
        assert [go(key) for key in ("Tab", "ArrowUp", "ArrowRight", "ArrowRight")] == ["w0", "w0", "w1", "w2"]
        below = go("ArrowDown")
        assert below in second[1:4] and go("ArrowUp") in first[1:4] and go("End") == go("ArrowDown") == "w39"
        press(found, "2")
        found.locator(".ak-out-word[tabindex='0']").focus()
        assert [go(key) for key in ("ArrowRight", "ArrowLeft", "End", "Tab")] == ["w5", "w3", "w5", "2"] and not w.errors
