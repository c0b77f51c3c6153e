"""The figure that is taught kinds of sentences: the arithmetic in both languages, what is typed, what is kept, what a kernel reads."""

import json

import numpy as np
import pytest
from conftest import node
from hand import CASES, alone, either_width, fits, press, says

from bookkit.figures import TaughtKinds
from bookkit.lessons import few_sentences
from bookkit.pictures.formats import fixed


class Letters:
    """What reads a text here, and FAKE in the page: how often each letter stands in it."""

    def __init__(self):
        self.read = []

    def vector(self, text):
        self.read.append(text)
        counts = np.array([text.lower().count(letter) for letter in "abcdefghijklmnopqrstuvwxyz"])
        return counts / np.linalg.norm(counts)


KINDS = {"food": ["soup soup", "salt & egg"], "travel": ["train", ""], "<i>": ["zzz", "jazz"]}
SENTENCES = ["egg soup", "a jazzy train"]


def kinds_of(given):
    return [{"name": name, "examples": examples} for name, examples in given.items()]


def task(given=KINDS, **changed):
    return TaughtKinds(kinds_of(given), **({"sentences": SENTENCES, "model": Letters(), "sentence": "egg soup"} | changed))


def example():
    return task(caption="Cap.")


def shown(widget):
    return [*(kind["name"] for kind in widget.kinds), "soup soup · salt & egg", *map(fixed, widget.weights), widget.told(), "“egg soup”"]


def bad(*kinds):
    return lambda: TaughtKinds(kinds, [])


FOOD, TRAVEL = {"name": "food", "examples": ["a"]}, {"name": "travel", "examples": ["b"]}
BAD = [
    (bad(FOOD), ValueError, "kinds must be 2 to 8, got 1"),
    (bad(FOOD, TRAVEL | {"name": " \n"}), ValueError, "the names of kinds must not be empty"),
    (bad(FOOD, TRAVEL | {"name": " food "}), ValueError, r"the names of kinds must be all different, got \['food', 'food'\]"),
    (bad(FOOD, TRAVEL | {"examples": [""] * 5}), ValueError, "the examples of 'travel' must be 1 to 4, got 5"),
    (lambda: task(sentence="a" * 121), ValueError, "sentence must have at most 120 letters, got 121"),
    (lambda: task(known={"a": [1, 0], "b": [1]}), ValueError, r"the vector of 'b' must have shape \(2,\), got \(1,\)"),
    (lambda: task(known={"a": [0.5, 0.5]}), ValueError, "the vector of 'a' must have length 1, got 0.707"),
]
CHANGED = ("sentence", "a jazzy train")
REFUSED = [("kinds", [FOOD], ValueError), ("kinds", [FOOD, FOOD], ValueError), ("sentence", "a" * 121, ValueError)]


# ---- the arithmetic, and Python's side

def random_tasks():
    """Figures with up to eight kinds of one to four examples, some of them empty; some vectors are not known.

    In few dimensions vectors are so much alike that the steps overshoot, and the last bit of a number decides where they end.
    """
    rng = np.random.default_rng(40)
    for _ in range(CASES):
        count, d = int(rng.integers(2, 9)), int(rng.integers(12, 40))
        kinds = [{"name": f"kind {k}" + "x" * int(rng.choice([0, 60])), "examples": [f"text {k} {j}" * int(rng.random() < 0.8) for j in range(rng.integers(1, 5))]} for k in range(count)]
        if rng.random() < 0.1:
            kinds = [kind | {"examples": [""]} for kind in kinds]
        texts = ["asked", *(text for kind in kinds for text in kind["examples"] if text)]
        vectors = rng.normal(size=(len(texts), d))
        known = dict(zip(texts, vectors / np.linalg.norm(vectors, axis=1, keepdims=True)))
        if rng.random() < 0.2:
            del known[str(rng.choice(texts))]
        yield TaughtKinds(kinds, [], known, sentence=str(rng.choice(["asked", ""], p=[0.9, 0.1])))


def test_taught_kinds_arithmetic():
    """One matrix on the examples of the kinds that have some, three times its scores, their softmax; the sentence that is said of it."""
    figures_, seen = list(random_tasks()), set()
    for ours, got in zip(figures_, node("run_figures.js", {"figure": "taught_kinds", "cases": [widget.state() for widget in figures_]}), strict=True):
        assert got["told"] == ours.told()
        rows = [(k, ours.known.get(text)) for k, kind in enumerate(ours.kinds) for text in kind["examples"] if text]
        missing = not ours.sentence or ours.sentence not in ours.known or any(vector is None for _, vector in rows)
        seen.add((missing, bool(rows)))
        if missing:
            assert ours.weights is None and got["weights"] is None
            continue
        assert np.allclose(got["weights"], ours.weights, rtol=0, atol=1e-9)
        held = sorted({k for k, _ in rows})
        assert ours.weights.sum() == pytest.approx(float(bool(held))) and not np.delete(ours.weights, held).any()
        if held:
            M = few_sentences.taught(np.array([vector for _, vector in rows]) / 1000, [held.index(k) for k, _ in rows], len(held))      # the chapter's own
            powers = np.exp(3 * np.array(ours.known[ours.sentence]) / 1000 @ M)
            assert np.allclose(ours.weights[held], powers / powers.sum(), rtol=0, atol=1e-9)
    assert {(False, True), (False, False), (True, True)} <= seen


def test_what_is_known_is_not_read_again():
    widget = task()
    known = len(widget._model.read)
    widget.sentence = "  a jazzy \n train"
    assert widget.sentence == "a jazzy train" and len(widget._model.read) == known
    widget.kinds = kinds_of({"food": ["", " "], "travel": ["trams"]})
    assert widget.kinds[0]["examples"] == ["", ""] and widget.weights.tolist() == [0, 1] and widget._model.read[known:] == ["trams"]
    assert set(widget.known) == {"trams", *SENTENCES}, "what is gone is not sent on"


# ---- alone on a page, with a small reader in place of the model

FAKE = """() => { const place = document.querySelector('[data-ak-figure]'), watchers = new Set();
    const status = {state: 'absent', part: 0, parts: 1, runs: '', message: ''};
    const fake = {status, asked: [], holds: false,
        watch(watcher) { watchers.add(watcher); return () => watchers.delete(watcher); },
        tell(state) { Object.assign(status, {state, message: state === 'failed' ? 'It is gone.' : ''}); watchers.forEach(watcher => watcher()); },
        load: () => fake.tell('loading'), stop: () => fake.tell('absent'),
        read(text) {
            fake.asked.push(text);
            if (fake.holds) return new Promise(() => {});
            if (text.includes('bad')) return Promise.reject(new Error('no such word.'));
            const counts = [...'abcdefghijklmnopqrstuvwxyz'].map(letter => text.toLowerCase().split(letter).length - 1);
            return Promise.resolve({vector: counts.map(v => v / Math.hypot(...counts))}); }};
    attnkit.minilm = fake;
    window.model = attnkit.staticModel(JSON.parse(place.dataset.akState));
    window.leave = attnkit.figures.taught_kinds.render({model, el: place}); }"""


def opened(w, tmp_path, widget, kept=None):
    """A figure on a page of its own, with nothing kept from other tests but a text, if there is one."""
    found = alone(w, tmp_path, widget)
    w.page.evaluate("kept => { localStorage.clear(); if (kept) localStorage.setItem('attention-step-by-step/taught-kinds', kept); }", kept)
    w.page.evaluate(FAKE)
    return found


KEPT = "JSON.parse(localStorage.getItem('attention-step-by-step/taught-kinds') ?? 'null')"


def load(w, found):
    press(found, "Load the model (26 MB, stays in this browser)")
    w.page.evaluate("attnkit.minilm.tell('ready')")


def box(found, name):
    return found.get_by_role("textbox", name=name, exact=True)


def typed(w, found, name, text):
    """Fill a field and wait until it is taken over and read."""
    box(found, name).fill(text)
    w.settle()
    return says(w, found)


def presented(found, widget):
    """The page shows the state of a figure in Python: fields, weights, bars, which kind is marked."""
    cards, weights = found.locator("[role=group]:not(.ak-buttons):visible"), widget.weights
    assert cards.count() == len(widget.kinds)
    for k, kind in enumerate(widget.kinds):
        fields = cards.nth(k).get_by_role("textbox")
        assert fields.evaluate_all("all => all.map(one => [one.value.trim(), one.ariaLabel])") == [
            [kind["name"], f"Name of kind {k + 1}"], *([text, f"Example {j + 1} of {kind['name']}"] for j, text in enumerate(kind["examples"]))]
        assert cards.nth(k).get_by_text("no example, no weight").is_visible() == (not any(kind["examples"]))
        assert cards.nth(k).get_by_role("button").evaluate_all("all => all.map(one => one.ariaLabel)") == [f"Remove {kind['name']}"] * (len(widget.kinds) > 2)
    texts = cards.locator(".ak-gauge .ak-num").all_inner_texts()
    bars = cards.locator(".ak-fill").evaluate_all("all => all.map(b => Number(b.style.transform.match(/scaleX\\((.*)\\)/)[1]))")
    marked = cards.evaluate_all("all => all.map(c => c.matches('.ak-top'))")
    if weights is None:
        assert texts == ["–"] * len(widget.kinds) and not any(bars) and not any(marked)
    else:
        assert texts == list(map(fixed, weights)) and np.allclose(bars, weights, atol=6e-4)
        assert marked == [weights.any() and k == weights.argmax() for k in range(len(widget.kinds))]
    assert box(found, "Your sentence").input_value().strip() == widget.sentence
    assert found.get_by_role("button", pressed=True).all_inner_texts() == [text for text in widget.sentences if text == widget.sentence]


@pytest.mark.browser
@either_width
def test_a_task_by_hand(window, tmp_path, width):
    """Before the model is there what is known can be chosen and left out; afterwards everything that is typed is read."""
    with window(width=width) as w:
        widget = task()
        found = opened(w, tmp_path, widget)

        def check(said):
            assert said == widget.told() and found.get_by_role("status").count() == 1
            presented(found, widget)
            assert fits(w) and not w.errors

        check(says(w, found))
        press(found, "a jazzy train")
        widget.sentence = "a jazzy train"
        check(says(w, found))
        widget.kinds = kinds_of(KINDS | {"<i>": ["zzz", ""]})
        check(typed(w, found, "Example 2 of <i>", " "))                   # leaving out needs no model
        press(found, "Remove food")
        widget.kinds = widget.kinds[1:]
        check(says(w, found))
        assert found.get_by_role("button", name="Remove").count() == 0, "two kinds are the least"
        typed(w, found, "Example 2 of travel", "a tram")                    # this needs one
        assert says(w, found) == "The model must be loaded to read: “a tram”." and found.locator(".ak-num:visible").all_inner_texts() == ["–", "–"]
        assert w.page.evaluate("attnkit.minilm.asked") == []
        load(w, found)
        assert found.get_by_text("What you type is read at once.").is_visible() and not found.get_by_role("button", name="Load").is_visible()
        widget.kinds = kinds_of({"travel": ["train", "a tram"], "<i>": ["zzz", ""]})
        check(says(w, found))
        widget.sentence = "a quiz " * 9
        check(typed(w, found, "Your sentence", widget.sentence))
        assert w.page.evaluate("attnkit.minilm.asked") == ["a tram", widget.sentence]
        press(found, "Add a kind")
        typed(w, found, "Name of kind 3", "games")
        widget.kinds = [*widget.kinds, {"name": "games", "examples": ["a quick quiz", ""]}]
        check(typed(w, found, "Example 1 of games", "a quick quiz"))
        assert widget.weights.argmax() == 2
        press(found, "Reset")
        widget = task()
        check(says(w, found))


@pytest.mark.browser
def test_by_keyboard(window, tmp_path):
    """Enter takes over at once and breaks no line; the focus is never lost: not by a kind that is removed or added, nor by the model that comes."""
    with window() as w:
        found = opened(w, tmp_path, task())
        focus = "document.activeElement.ariaLabel ?? (document.activeElement.labels?.[0] ?? document.activeElement).innerText"

        def go(key):
            w.page.keyboard.press(key)
            return w.page.evaluate(focus)

        found.get_by_role("button", name="Load").focus()
        assert go("Enter") == "Stop"
        w.page.evaluate("attnkit.minilm.tell('ready')")
        assert w.page.evaluate(focus) == "Your sentence"
        w.page.keyboard.press("ControlOrMeta+a")
        w.page.keyboard.type("jazz")
        assert w.page.evaluate("model.get('sentence')") == "egg soup", "it waits until the hand rests"
        assert go("Enter") == "Your sentence" and w.page.evaluate("model.get('sentence')") == "jazz" and box(found, "Your sentence").input_value() == "jazz"
        found.get_by_role("button", name="Add a kind").focus()
        assert go("Enter") == "Name of kind 4"
        w.page.keyboard.type("music")                                        # in place of what stood there
        assert go("Tab") == "Remove music" and go("Enter") == "Add a kind" and found.locator(".ak-kind:visible").count() == 3
        found.get_by_role("button", name="Remove travel").focus()
        assert go("Enter") == "Add a kind" and found.get_by_role("button", name="Remove").count() == 0
        assert [box(found, f"Name of kind {k}").input_value() for k in (1, 2)] == ["food", "<i>"] and not w.errors
        press(found, "Reset")


@pytest.mark.browser
def test_names_are_all_different(window, tmp_path):
    """A name that is empty, or that of another kind, is not taken over; who leaves the field finds the old one."""
    with window() as w:
        found = opened(w, tmp_path, task())
        for text in ("", " travel "):
            assert typed(w, found, "Name of kind 1", text) == "Each kind needs a name of its own."
            assert w.page.evaluate("model.get('kinds').map(kind => kind.name)") == list(KINDS)
            box(found, "Name of kind 1").press("Tab")
            assert box(found, "Name of kind 1").input_value() == "food"
        press(found, "Add a kind")
        box(found, "Name of kind 4").fill("kind 5")
        press(found, "Add a kind")
        assert box(found, "Name of kind 5").input_value() == "kind 6" and not w.errors
        press(found, "Reset")


@pytest.mark.browser
def test_what_cannot_be_read_is_said(window, tmp_path):
    """An error in words, until something else is typed; a model that ends while it reads is asked again when it is back."""
    with window() as w:
        widget = task()
        found = opened(w, tmp_path, widget)
        load(w, found)
        assert typed(w, found, "Your sentence", "bad") == "The model could not read it: no such word."
        assert w.page.evaluate("attnkit.minilm.asked") == ["bad"], "it is asked once"
        press(found, "egg soup")
        assert says(w, found) == widget.told()
        w.page.evaluate("attnkit.minilm.holds = true")
        before = found.locator(".ak-num").all_inner_texts()
        assert typed(w, found, "Your sentence", "quiz") == "Reading “quiz” ..." and found.locator(".ak-num").all_inner_texts() == before, "numbers stay until others come"
        w.page.evaluate("attnkit.minilm.holds = false; attnkit.minilm.tell('failed')")
        assert says(w, found) == "The model must be loaded to read: “quiz”." and found.get_by_text("It is gone.").is_visible()
        load(w, found)
        widget.sentence = "quiz"
        assert says(w, found) == widget.told()
        presented(found, widget)
        assert typed(w, found, "Your sentence", "") == "There is no sentence to judge: type one." and not w.errors
        press(found, "Reset")


@pytest.mark.browser
def test_what_a_reader_has_made_is_kept(window, tmp_path):
    """Under one key, until Reset; who comes back is told that the model must be loaded."""
    with window() as w:
        widget = task()
        found = opened(w, tmp_path, widget)
        assert w.page.evaluate(KEPT) is None, "nothing has been made yet"
        load(w, found)
        typed(w, found, "Name of kind 2", "trips")
        typed(w, found, "Example 2 of trips", "a tram")
        widget.kinds = kinds_of({"food": KINDS["food"], "trips": ["train", "a tram"], "<i>": KINDS["<i>"]})
        kept = w.page.evaluate(KEPT)
        assert kept == {"kinds": widget.kinds, "sentence": "egg soup"}
        found = opened(w, tmp_path, task(), json.dumps(kept))
        assert says(w, found) == "The model must be loaded to read: “a tram”." and box(found, "Name of kind 2").input_value() == "trips"
        load(w, found)
        assert says(w, found) == widget.told()
        presented(found, widget)
        press(found, "Reset")
        assert w.page.evaluate(KEPT) is None and box(found, "Name of kind 2").input_value() == "travel"
        assert not w.errors


# ---- in a notebook

LIVE = FAKE.replace("window.leave", """window.sent = [];
    Object.assign(model, {send() {}, save_changes: () => sent.push([model.get('kinds').map(kind => kind.name), model.get('sentence')])});
    window.leave""")


@pytest.mark.browser
def test_a_notebook_asks_its_kernel(window, tmp_path):
    """There nothing is loaded: what is typed is sent, and shown when the kernel has read it; nothing is kept in the browser."""
    with window() as w:
        widget = task()
        found = alone(w, tmp_path, widget)
        w.page.evaluate("localStorage.clear()")
        w.page.evaluate(LIVE)
        assert not found.get_by_role("button", name="Load the model").is_visible()
        presented(found, widget)
        assert typed(w, found, "Your sentence", "a quiz") == "Reading “a quiz” ..."
        names = list(KINDS)
        assert w.page.evaluate("sent") == [[names, "a quiz"]] and w.page.evaluate("attnkit.minilm.asked") == []
        widget.sentence = "a quiz"
        w.page.evaluate("known => model.set('known', known)", widget.known)
        assert says(w, found) == widget.told()
        presented(found, widget)
        assert w.page.evaluate(KEPT) is None
        said = found.get_by_role("status").inner_text()
        w.page.evaluate("() => { leave(); model.set('sentence', 'egg soup'); model.set('known', {}); attnkit.minilm.tell('ready'); }")
        assert says(w, found) == said and not w.errors, "it goes on after its end"
