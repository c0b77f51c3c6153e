"""The figure that asks the book."""

import json

import numpy as np
import pytest
from conftest import node
from hand import alone, either_width, fits, says

from bookkit.figures import AskBook
from bookkit.lessons.passages import Passage
from bookkit.pictures.formats import fixed


class Shelf:
    """Ten passages with keys at random; the question "k" has the key of passage k."""

    def __init__(self, seed=0):
        self.keys = np.random.default_rng(seed).normal(size=(10, 8))
        self.keys /= np.linalg.norm(self.keys, axis=1, keepdims=True)
        self.passages = [Passage("chapters/softmax", f"Title {k}", f"Heading {k}" if k % 2 else f"Title {k}", f"word{k} " * (20 * k + 1)) for k in range(10)]

    def ask(self, question):
        query = self.keys[int(question)]
        return query, self.keys @ query


def example():
    return AskBook(Shelf(), questions=["5", "7"], opening=(Shelf(), "3"), caption="Cap.")


def shown(widget):
    return [passage["heading"] for passage in widget.found["top"]] + [fixed(widget.weights[0])]


BAD = [
    (lambda: AskBook(temperature=2), ValueError, "temperature must lie between 0.01 and 1, got 2"),
]
CHANGED = ("question", "4")
REFUSED = [("temperature", 0, ValueError), ("temperature", "hot", TypeError)]


def test_weights_are_the_softmax_over_all_passages():
    """A hundred states: largest first, in Python and in the page."""
    cases, wanted = [], []
    for seed in range(100):
        figure = AskBook(Shelf(seed), temperature=float(np.random.default_rng(seed).uniform(0.01, 1)))
        figure.question = str(seed % 10)
        exact = np.exp(np.sort(figure._library.keys @ figure._library.keys[seed % 10])[::-1] / figure.temperature)
        assert figure.weights == pytest.approx((exact / exact.sum()).tolist(), rel=0.02) and figure.found["top"][0]["title"] == f"Title {seed % 10}"
        assert len(figure.weights) == 10 and len(figure.found["top"]) == 6
        cases.append(figure.state())
        wanted.append(figure.weights)
    for ours, got in zip(wanted, node("run_figures.js", {"figure": "ask_book", "cases": cases}), strict=True):
        assert got["weights"] == pytest.approx(ours, abs=1e-12)
    figure.question = ""
    assert figure.weights == [] and figure.found == {}


def test_a_section_is_shown_once():
    """With its best passage; sentences of no page stand for themselves. The scores begin with those that are shown."""
    shelf = Shelf()
    shelf.passages = [Passage("chapters/softmax", "Title", f"Heading {k % 2}", f"word{k}") if k < 6 else Passage("", "", "", f"word{k}") for k in range(10)]
    figure = AskBook(shelf)
    figure.question = "3"
    top, scores = figure.found["top"], shelf.keys @ shelf.keys[3]
    wanted = sorted([max(range(0, 6, 2), key=scores.__getitem__), max(range(1, 6, 2), key=scores.__getitem__), *range(6, 10)], key=lambda k: -scores[k])
    assert [one["text"] for one in top] == [f"word{k}" for k in wanted]
    assert figure.found["scores"] == scores[[*wanted, *sorted(set(range(10)) - {*wanted}, key=lambda k: -scores[k])]].round(4).tolist()


@pytest.mark.browser
@either_width
def test_passages_are_shown_with_their_weights(window, tmp_path, width):
    with window(width=width) as w:
        widget = example()
        found = alone(w, tmp_path, widget)
        items = found.locator("li:visible")
        field = found.locator("input[type=text]")      # hidden until the model is there
        assert field.input_value() == "" and field.get_attribute("placeholder") == "3"
        assert items.count() == 6 and says(w, found) == f"Temperature 0.050. Most weight, {fixed(widget.weights[0])}: Title 3: Heading 3"
        assert items.first.get_by_role("link").get_attribute("href") == "../chapters/softmax.html#heading-3"
        assert len(items.first.locator("p").inner_text().split()) == 61      # the first in full
        assert max(len(item.split()) for item in items.locator("p").all_inner_texts()[1:]) <= 46
        assert fixed(sum(widget.weights[6:])) in found.get_by_text("The other 4 passages share").inner_text()
        found.get_by_role("slider").press("End")
        even = AskBook(widget._library, temperature=1)
        even.question = "3"
        assert says(w, found).startswith(f"Temperature 1.000. Most weight, {fixed(even.weights[0])}:")
        found.get_by_role("button", name="Reset").press("Enter")
        assert fits(w) and not w.errors


@pytest.mark.browser
def test_a_notebook_asks_its_kernel(window, tmp_path):
    """There the figure has no button to load anything: what is typed is sent, and what the kernel finds is shown."""
    with window() as w:
        widget = AskBook(questions=["1", "2"])
        alone(w, tmp_path, widget)
        w.page.evaluate("() => { const old = attnkit.staticModel; attnkit.staticModel = (...given) => ({...old(...given), send() {}}); }")
        found = w.page.locator(".ak-figure")
        w.page.evaluate("""() => { const place = document.querySelector('[data-ak-figure]');
            window.model = attnkit.staticModel(JSON.parse(place.dataset.akState)); attnkit.figures.ask_book.render({model, el: place}); }""")
        assert not found.get_by_role("button", name="Load the model").is_visible()
        found.get_by_role("textbox").fill("3")
        found.get_by_role("textbox").press("Enter")
        assert w.page.evaluate("model.get('question')") == "3" and "half a minute" in found.inner_text()
        kernel = AskBook(Shelf())
        kernel.question = "3"
        w.page.evaluate("found => model.set('found', found)", json.loads(json.dumps(kernel.found)))
        assert says(w, found).startswith("Temperature 0.050. Most weight") and "half a minute" not in found.inner_text()
        found.get_by_role("button", name="2").press("Enter")
        assert w.page.evaluate("model.get('question')") == "2" and not w.errors
