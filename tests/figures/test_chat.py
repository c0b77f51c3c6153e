"""The figure of a chat: recorded answers, and a kernel that answers as the worker of a page does."""

import base64

import numpy as np
import pytest
from conftest import node
from hand import alone, either_width, live, press, says

from bookkit.figures import Chat
from bookkit.figures.chat import record
from bookkit.pictures.formats import fixed

LAYERS, HEADS = 2, 3


class Talker:
    """Chats with letters: what it makes of pieces is random, the same for the same pieces."""

    words = ["<|im_end|>", "<|im_start|>", "\n", *"abcdefghijklmnopqrstuvwxyz ?"]
    asked = ()

    def numbers(self, text, *, marks=False):
        self.asked = [*self.asked, (text, marks)]
        for k, mark in enumerate(self.words[:2] if marks else []):
            text = text.replace(mark, chr(k))
        return [ord(letter) if ord(letter) < 2 else self.words.index(letter) for letter in text if ord(letter) < 2 or letter in self.words]

    def chat(self, question):
        return [1, *self.numbers(question.lower()), 0]

    def read(self, numbers, *, without=()):
        if len(numbers) > 100:
            raise ValueError("too many")
        rng = np.random.default_rng([len(numbers), *numbers[:3]])
        scores, raw = 3 * rng.normal(size=(len(numbers), len(self.words))), np.exp(3 * rng.normal(size=(LAYERS, HEADS, len(numbers), len(numbers))))
        for layer, head in without:
            raw[layer, head] = 1
        maps = np.tril(raw) / np.tril(raw).sum(axis=-1, keepdims=True)
        return scores, list(maps)

    def write(self, numbers, most):
        return [3 + (sum(numbers) + 7 * k) % 26 for k in range(most)]


KINDS = {"first piece": [[0.9, 0.1, 0.2], [0.3, 0.4, 0.5]], "one back": [[0.0, 1.0, 0.2], [0.3, 0.4, 0.5]]}


def example(model=None):
    recorded = [record(Talker(), question, [(0, 1), (1, 2)], most=6) for question in ("who?", "why not?")]
    return Chat(recorded, KINDS, model, head=(1, 2), caption="Cap.")


def shown(widget):
    return [fixed(chance, 3) for _, _, chance in widget.likeliest[:5]] + [fixed(max(widget.weights)), "head 3 of layer 2"]


ONE = record(Talker(), "a", [(0, 0)])
BAD = [
    (lambda: Chat([], KINDS), ValueError, "recorded must be 1 to 6, got 0"),
    (lambda: Chat([ONE], KINDS, told=[ONE, ONE]), ValueError, "told must be answers to the questions of recorded, in their order"),
    (lambda: Chat([ONE], {"one": [[1, 2]], "two": [[1], [2]]}), ValueError, r"one shape \(layers, heads\), got \[\(1, 2\), \(2, 1\)\]"),
    (lambda: Chat([ONE], KINDS, head=(2, 0)), ValueError, "head must be from 0 to 5, the number of one of the heads, got 6"),
    (lambda: Chat([ONE], KINDS, hand=1), ValueError, "hand must be from 2 to 42, got 1"),
]
REFUSED = [("head", 6, ValueError), ("hand", 99, ValueError), ("asked", 2, ValueError), ("temperature", 3, ValueError), ("seed", -1, ValueError)]
CHANGED = ("head", 1)


def test_the_page_shows_what_python_recorded():
    """Weights to a byte, and which piece is drawn, at random places, heads, temperatures and seeds."""
    rng, cases, wanted, widget = np.random.default_rng(52), [], [], example()
    for _ in range(200):
        widget.asked = int(rng.integers(2))
        told = widget.recorded[widget.asked]
        widget.hand, widget.head = int(rng.integers(told["first"] - 1, len(told["words"]))), int(rng.integers(LAYERS * HEADS))
        widget.temperature, widget.seed = float(rng.integers(0, 9)) / 4, int(rng.integers(10_000))
        cases.append(widget.state())
        wanted.append((widget.weights, widget.next_word))
    found = node("run_figures.js", {"figure": "chat", "cases": cases})
    assert [(got["weights"], got["next"]) for got in found] == [(weights and pytest.approx(weights), word) for weights, word in wanted]
    assert {weights is None for weights, _ in wanted} == {True, False}


def test_weights_are_those_of_the_model():
    widget, numbers = example(), example().recorded[0]["numbers"]
    _, maps = Talker().read(numbers)
    for hand in range(widget.recorded[0]["first"] - 1, len(numbers)):
        widget.hand = hand
        assert widget.weights == pytest.approx(maps[1][2][hand, :hand + 1], abs=0.51 / 255)


def test_the_kernel_answers_as_the_worker_does():
    model = Talker()
    widget = example(model)

    def ask(**question):
        widget._asked = {"asked": 7, **question}
        assert widget._answer["asked"] == 7
        return widget._answer["found"]
    assert ask(text="<|im_end|>ab", marks=True) == {"numbers": [0, 3, 4], "words": ["<|im_end|>", "a", "b"]}
    assert ask(words=[3, 4]) == ["a", "b"]
    assert ask(numbers=[3] * 101) is None
    found = ask(numbers=[3, 4, 5], losses=True, without=[5])
    scores, maps = model.read([3, 4, 5], without=[(1, 2)])
    shares = np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)
    assert np.frombuffer(base64.b64decode(found["weights"]), np.float32) == pytest.approx(np.array(maps)[:, :, -1].ravel())
    assert found["losses"] == pytest.approx([-np.log(shares[0, 4]), -np.log(shares[1, 5])]) and len(found["likeliest"]) == len(model.words)


@pytest.mark.browser
@either_width
def test_a_recorded_answer_is_gone_through(window, tmp_path, width):
    with window(width=width) as w:
        widget = example()
        found = alone(w, tmp_path, widget)
        last = len(widget.recorded[0]["words"]) - 1
        assert found.locator(".ak-piece").count() == last + 1 and found.get_by_role("textbox").count() == 0
        press(found, "Back")
        assert f"It went on with “{widget.recorded[0]['words'][last]}”" in found.inner_text()
        assert says(w, found).startswith("In head 3 of layer 2,")
        found.locator(".ak-piece[aria-pressed=true]").press("Home")
        assert found.locator(".ak-piece[aria-pressed=true]").inner_text() == "im_end"
        found.get_by_role("button", name="why not?").press("Enter")
        assert found.locator(".ak-piece").count() == len(widget.recorded[1]["words"])
        assert "The recording stops here; the model goes on." in found.inner_text()
        for what, why in (("Write", "Going on needs"), ("Step", "Going on needs"), ("head 1 of layer 1", "Where head 1 of layer 1 looks needs")):
            if width < 600 and "layer" in what:
                found.locator("summary").press("Enter")
            press(found, what)
            assert found.locator(".ak-note").inner_text() == f"{why} the model: load it first."
        assert [found.get_by_role("button", name=name, exact=True).get_attribute("aria-disabled") for name in ("Write", "Step", "Back")] == ["true", "true", "false"]
        assert found.locator("[data-recorded=true]").evaluate_all("all => all.map(b => b.ariaLabel)") == [
            "head 2 of layer 1, recorded", "head 3 of layer 2, recorded"]
        found.locator(".ak-bars button").first.press("Enter")
        assert found.locator(".ak-note").inner_text() == "Another piece needs the model: load it first."
        found.locator(".ak-piece").first.press("Enter")
        assert "What stands before the answer needs the model" in found.inner_text()
        press(found, "Reset")
        assert found.locator(".ak-piece").count() == last + 1 and not w.errors


class Looper(Talker):
    """Says twelve letters again and again; after a y that the answer ends."""

    LOOP = [*range(4, 16)]

    def read(self, numbers, *, without=()):
        scores = np.zeros((len(numbers), len(self.words)))
        last = numbers[-1]
        scores[-1, 0 if last == self.words.index("y") else self.LOOP[(self.LOOP.index(last) + 1) % 12] if last in self.LOOP else self.LOOP[0]] = 9
        return scores, [np.ones((HEADS, 1, len(numbers))) / len(numbers)] * LAYERS


def with_kernel(w, tmp_path, widget):
    """The figure in a notebook, its questions answered by the widget."""
    found = live(w, tmp_path, widget, "_asked")
    name = f"kernel{id(widget)}"
    w.page.expose_function(name, lambda asked: setattr(widget, "_asked", asked) or widget._answer)
    w.page.evaluate("""([kind, kernel]) => { leave(); model.send = () => {}; let last = 0;
        model.save_changes = async () => { const asked = model.get('_asked');
            if (asked && asked.asked !== last) { last = asked.asked; model.set('_answer', await window[kernel](asked)); } };
        leave = attnkit.figures[kind].render({model, el: document.querySelector('[data-ak-figure]')}); }""", [widget.kind, name])
    return found


def rests(w):
    """Wait until what is shown has been read and nothing is being written."""
    w.page.wait_for_function("() => document.querySelector('.ak-moves button').textContent === 'Write' && !document.querySelector('.ak-bars').style.opacity")


def pieces(found):
    return found.locator(".ak-piece").all_inner_texts()


@pytest.mark.browser
def test_with_a_model_a_recording_is_alive(window, tmp_path):
    """Any head, any piece before the answer, any of the list, and on past its end."""
    with window() as w:
        widget = example(Looper())
        found = with_kernel(w, tmp_path, widget)
        rests(w)
        assert "load" not in found.inner_text() and "would be taken next" in found.inner_text() and not found.locator("[data-recorded=true]").count()
        press(found, "head 1 of layer 1")
        assert says(w, found).startswith("In head 1 of layer 1,") and found.get_by_role("button", name="who?").get_attribute("aria-pressed") == "true"
        before = pieces(found)
        press(found, "Step")
        rests(w)
        assert pieces(found)[:-1] == before and found.get_by_role("button", name="who?").get_attribute("aria-pressed") == "false"
        found.get_by_role("button", name="why not?").press("Enter")
        rests(w)
        found.locator(".ak-piece").nth(2).press("Enter")
        rests(w)
        taken = found.locator(".ak-bars button").nth(3)
        word = taken.locator(".ak-word").inner_text()
        taken.press("Enter")
        rests(w)
        assert pieces(found)[3:] == [word] and not w.errors


def taught():
    """A figure without heads, of a model and the same as it was taught: that one says twelve letters again and again."""
    told = [record(Looper(), question, most=4) for question in ("who?", "why not?")]
    recorded = [record(Talker(), question, most=6) for question in ("who?", "why not?")]
    return Chat(recorded, {}, Talker(), told=told, taught=Looper())


@pytest.mark.browser
@either_width
def test_one_switches_to_what_it_was_taught(window, tmp_path, width):
    """Before the model is there, the recorded answers of both; the chances of the first piece stand beside each other."""
    with window(width=width) as w:
        widget = taught()
        widget._model = widget._taught = None
        widget.asks = False
        found = alone(w, tmp_path, widget)
        was = "".join(pieces(found))
        press(found, "taught")
        assert "".join(pieces(found)) != was and not found.locator(".ak-heads").count()
        first = found.locator(".ak-piece").nth(widget.told[0]["first"] - 1)
        first.press("Enter")
        assert "it was" in found.locator(".ak-bars").inner_text() and says(w, found) == ""
        press(found, "as it was")
        assert "".join(pieces(found)) == was and not w.errors


@pytest.mark.browser
def test_both_answer_a_question_of_ones_own(window, tmp_path):
    with window() as w:
        widget = taught()
        found = with_kernel(w, tmp_path, widget)
        rests(w)
        press(found, "taught")
        rests(w)
        found.get_by_role("textbox", name="Your question").fill("hi?")
        press(found, "Ask")
        w.page.wait_for_function("() => /Stopped/.test(document.querySelector('.ak-note').textContent)")
        said = "".join(pieces(found))
        assert "hi?" in said and said.endswith("bcdefghijklm"[:4]) or "bcdefghijklm" in said
        press(found, "as it was")
        w.page.wait_for_function("said => document.querySelector('.ak-box').innerText.length > 20 && !document.querySelector('.ak-box').innerText.includes('bcdefghijklm')", arg=said)
        press(found, "Stop")
        assert "hi?" in "".join(pieces(found)) and not w.errors


@pytest.mark.browser
def test_a_new_chat_and_a_text_that_is_edited(window, tmp_path):
    """A new one begins with the template's own part; while a text is edited nothing acts on what stood there."""
    with window() as w:
        found = with_kernel(w, tmp_path, example(Looper()))
        note, field = found.locator(".ak-note"), found.get_by_role("textbox", name="Your question")
        rests(w)
        press(found, "New chat")
        w.page.wait_for_function("() => !/user/.test(document.querySelector('.ak-box').textContent)")
        rests(w)
        assert "".join(pieces(found)[:3]) == "im_start" + "sy" and field.evaluate("f => f === document.activeElement")
        found.get_by_role("button", name="Edit the text").press("Enter")
        for name in ("Write", "Step", "Back", "Ask"):
            assert found.get_by_role("button", name=name, exact=True).get_attribute("aria-disabled") == "true"
            press(found, name)
            assert note.inner_text() == "Read the text first, or leave it."
        found.locator(".ak-bars button").first.press("Enter")
        assert note.inner_text() == "Read the text first, or leave it."
        found.get_by_role("textbox", name="The whole text").fill("y")
        press(found, "Read it")
        rests(w)
        assert pieces(found) == ["y"] and not w.errors


@pytest.mark.browser
def test_it_says_why_it_stopped(window, tmp_path):
    """At the mark; after its number of pieces, in a loop, too; without the template, which goes at once, the mark stops nothing."""
    with window() as w:
        found = with_kernel(w, tmp_path, example(Looper()))
        note, field = found.locator(".ak-note"), found.get_by_role("textbox", name="Your question")
        rests(w)
        found.get_by_role("button", name="Edit the text").press("Enter")
        found.get_by_role("textbox", name="The whole text").fill("y")
        press(found, "Read it")
        rests(w)
        press(found, "Write")
        w.page.wait_for_function("() => /complete/.test(document.querySelector('.ak-note').textContent)")
        assert pieces(found) == ["y", "im_end"] and note.inner_text() == "The model wrote im_end: the answer is complete."
        field.fill("say")
        found.get_by_role("button", name="off", exact=True).press("Enter")
        press(found, "Ask")
        w.page.wait_for_function("() => /Stopped/.test(document.querySelector('.ak-note').textContent)")
        assert note.inner_text() == "Stopped after 400 pieces: Write goes on. It repeats itself: try a higher temperature."
        assert pieces(found)[:4] == ["s", "a", "y", "im_end"] and len(pieces(found)) == 403
        found.get_by_role("button", name="on", exact=True).press("Enter")
        w.page.wait_for_function("() => document.querySelectorAll('.ak-piece').length < 100")
        rests(w)
        assert "user⏎\nsay" in found.locator(".ak-box").inner_text()
        found.get_by_role("button", name="off", exact=True).press("Enter")
        w.page.wait_for_function("() => document.querySelectorAll('.ak-piece').length === 3")
        assert not w.errors


@pytest.mark.browser
def test_in_a_notebook_the_kernel_is_asked(window, tmp_path):
    """What the script asks goes to the widget, and what that answers comes back, as the two traits carry it."""
    with window() as w:
        widget = example(Talker())
        found = with_kernel(w, tmp_path, widget)
        found.get_by_role("textbox", name="Your question").fill("hi?")
        found.get_by_role("textbox", name="Your question").press("Enter")
        w.page.wait_for_function("() => document.querySelectorAll('.ak-piece').length > 60")
        press(found, "Stop")
        w.page.wait_for_function("() => document.querySelector('.ak-moves button').textContent === 'Write'")
        assert found.locator(".ak-piece").first.inner_text() == "im_start" and ("hi?", False) in widget._model.asked
        assert says(w, found).startswith("In head 3 of layer 2,") and not w.errors
