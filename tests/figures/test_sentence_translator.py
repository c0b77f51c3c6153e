"""The figure of a model that translates a sentence."""

import re

import numpy as np
import pytest
from conftest import node
from hand import CUT, alone, either_width, fits, press, says
from random_models import MARKS, random_translator, translators

from bookkit.figures import SentenceTranslator
from bookkit.pictures.formats import fixed

TALL = ["Take back a word", "Take back a word"]
TARGETS = "button.ak-pick, [aria-label='Words that can follow'] > button"

ENGLISH, FRENCH = ("I", "you", "see", "love", "me", "the", "cats", "birds"), ("je", "tu", "t'", "aime", "vois", "les", "chats")

RANDOM_TRANSLATOR = random_translator(6, source_words=ENGLISH, target_words=FRENCH)

# I see | I love or you see or you love something: me, you, the cats, the birds.
GRAMMAR = {"next": [{"I": 1, "you": 2}, {"see": 3, "love": 4}, {"see": 5, "love": 5}, {"you": 6, "the": 7}, {"you": 6, "the": 7},
                    {"me": 6, "the": 7}, {}, {"cats": 6, "birds": 6}], "final": [3, 6]}


def translating(**changed):
    return SentenceTranslator(**({"model": RANDOM_TRANSLATOR, "grammar": GRAMMAR, "sentence": "I see the cats"} | changed))


def ways(*states, final=(1,)):
    return {"grammar": {"next": list(states), "final": list(final)}, "sentence": ""}


def example():
    return translating(caption="Cap.")


def shown(widget):
    return [*widget.sentence.split(), *widget.translation,
            *[fixed(v) for v in [*widget.weights.flat, *widget.chosen]]]


BAD = [
    (lambda: translating(**ways({"Rex": 1}, {})), ValueError, "grammar must hold words that the model knows, not 'Rex'"),
    (lambda: translating(sentence="I see cats"), ValueError, "'cats' cannot stand there in 'I see cats', but you, the"),
    (lambda: translating(sentence="I see you me"), ValueError, "'me' cannot stand there in 'I see you me', but nothing"),
    (lambda: translating(instead=["je", "tu", "les", "vois", "aime"]), ValueError, "instead must be 0 to 4, got 5"),
    (lambda: translating(put=[(0, "<end>")]), ValueError, "put must hold words that the model writes, not '<end>'"),
    (lambda: translating(put=[(1, "je"), (0, "tu")]), ValueError, r"put must have each row once, in order, got \[\(1, 'je'\), \(0, 'tu'\)\]"),
]

REFUSED = [
    ("sentence", "I see cats", ValueError),
    ("step", 16, ValueError),
    ("row", 15, ValueError),
    ("put", [[0, "je"], [0, "tu"]], ValueError),
]


# ---- the arithmetic, and Python's side

def random_translations():
    """150 figures with random sentences in them, six for each model, some not complete."""
    rng = np.random.default_rng(52)
    for model, grammar in translators():
        figure = SentenceTranslator(model, grammar, "")
        for k in range(6):
            length = int(rng.integers(0, len(grammar["next"]))) if k < 2 else int(rng.choice(grammar["final"]))
            figure.sentence = " ".join(rng.choice(list(words)) for words in grammar["next"][:length])
            figure.step, figure.row = int(rng.integers(0, 16)) if k % 2 else 15, None if rng.integers(2) else int(rng.integers(15))
            figure.put = [[row, str(rng.choice(model.target_words[3:]))] for row in sorted(rng.choice(6, k % 3, replace=False).tolist())]
            yield figure, figure.state()


def translated(states):
    return node("run_figures.js", {"figure": "sentence_translator", "cases": states})


def test_sentence_translator_arithmetic():
    """What the script makes of the model's results is what Python makes of them (test_models.py compares the results)."""
    found = [(state, figure.translation, figure.weights, figure.chances, figure.ended, figure.following, figure.complete, figure.chosen)
             for figure, state in random_translations()]
    assert len(found) == 150 and {f[4] for f in found} == {None, "end", "full"} and sum(f[6] for f in found) > 100
    assert sum(f[7].size > 0 and (f[7] < f[3].max(axis=1)).any() for f in found) > 30, "hardly a word is put in another's place"
    for (state, words, weights, chances, ended, following, complete, chosen), got in zip(found, translated([f[0] for f in found])):
        assert got["english"] == state["sentence"].split() and got["following"] == following and got["complete"] == complete
        assert got["translation"] == words and got["ended"] == ended and len(words) <= state["step"]
        assert got["shown"] == (len(words) - 1 if state["row"] is None or state["row"] >= len(words) else state["row"])
        assert np.allclose(got["chosen"], chosen, rtol=0, atol=1e-9)
        assert all(words[row] == word for row, word in state["put"] if row < len(words)) and got["own"] == [row for row, _ in state["put"] if row < len(words)]
        for theirs, ours in ((got["weights"], weights), (got["chances"], chances)):
            assert np.allclose(np.reshape(theirs, ours.shape), ours, rtol=0, atol=1e-9) and np.allclose(ours.sum(axis=-1), 1)


def test_what_is_put_stands_and_the_model_goes_on_from_it():
    """What stands before it stays; put back, all is as it was; the weights of its own row come before it, and stay."""
    figure, plain = translating(), translating()
    word = next(word for word in FRENCH if word != plain.translation[1])
    figure.put = [[1, word]]
    assert figure.translation[:2] == [plain.translation[0], word] and np.array_equal(figure.weights[:2], plain.weights[:2]) and np.array_equal(figure.chances[:2], plain.chances[:2])
    assert not np.allclose(figure.chances[2], plain.chances[2]) and figure.chosen[1] == plain.chances[1, figure.model.target_words.index(word)] < plain.chosen[1]
    assert translating(put=[(1, word)]).translation == figure.translation and fixed(figure.chosen[1]) in figure.still()
    figure.put = []
    assert figure.translation == plain.translation


# ---- alone on a page

def shows(found, widget):
    """The page shows the state of a figure in Python: both sentences, the lines, the chances, the weights, the words that can follow."""
    def visible(where):
        return found.locator(where).filter(visible=True).all_inner_texts()
    written = len(widget.translation)
    shown = written - 1 if widget.row is None or widget.row >= written else widget.row
    assert visible(".ak-english > .ak-word") == widget.sentence.split() and visible(".ak-french > .ak-word") == widget.translation
    assert visible("[aria-label='Words that can follow'] > button") == widget.following
    assert visible(".ak-pick") == widget.translation and visible("thead th") == widget.sentence.split() * widget.complete
    assert visible(".ak-heat") == [fixed(v) for v in widget.weights.flat]
    assert visible(".ak-shown") == visible(".ak-pick[aria-pressed=true]") == widget.translation[shown:][:written and 1]
    off = found.locator("button[aria-disabled=true]:not(.ak-bar)").all_inner_texts()
    assert found.locator(".ak-own").all_inner_texts() == [word for row, word in widget.put if row < written]
    assert off == ["Translate"] * (not widget.complete) + ["Next word"] * (not widget.complete or widget.ended is not None) + ["Take back a word"] * (widget.sentence == "")
    lines = found.locator(".ak-scene path").evaluate_all("all => all.map(e => Number(e.style.strokeOpacity))")
    if not written:
        assert not any(lines) and not found.locator(".ak-bars").is_visible()
        return
    weights, chances = widget.weights[shown], widget.chances[shown]
    assert np.allclose(lines, [*(0.12 + 0.7 * weights), *[0] * (len(lines) - len(weights))], rtol=0, atol=0.0051)
    best = [widget.model.target_words[k] for k in np.argsort(-chances, kind="stable")]
    others = [word for word in widget.instead if word not in best[:4]]
    best = [*[word for word in best if word not in others][:4 + len(widget.instead) - len(others)], *others]
    assert [bar.split() for bar in visible(".ak-bar")] == [[word, fixed(chances[widget.model.target_words.index(word)])] for word in best]


@pytest.mark.browser
@either_width
def test_a_sentence_by_keyboard(window, tmp_path, width):
    """Every control: words that can follow, taken back; the next word, all, and rows whose lines are shown again."""
    with window(width=width, reduced_motion="reduce") as w:
        widget = translating(step=2)
        found = alone(w, tmp_path, widget)

        def check(said):
            assert said in says(w, found), says(w, found)
            shows(found, widget)
            assert fits(w) and found.evaluate(CUT) == []

        def compose(sentence, said):
            widget.sentence, widget.step, widget.row = sentence, 0, None
            check(said)

        check(f"“{widget.translation[1]}”, word 2, has chance {fixed(widget.chances[1].max())}; the model looks most at")
        start = found.inner_text()
        press(found, "Next word")
        widget.step += 1
        check(f"“{widget.translation[2]}”, word 3, has chance")
        found.locator(".ak-pick").first.focus()
        widget.row = 0
        most = int(widget.weights[0].argmax())
        check(f"word 1, has chance {fixed(widget.chances[0].max())}; the model looks most at “{widget.sentence.split()[most]}”, weight {fixed(widget.weights[0].max())}.")
        found.locator("tbody tr").nth(1).locator("td").first.click()
        widget.row = 1
        check("word 2, has chance")
        press(found, "Translate")
        widget.row, widget.step = None, 15
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
        assert "ak-primary" in found.get_by_role("button", name="Translate").get_attribute("class")
        press(found, "the")
        compose("I see the", "Added: “the”.")
        assert found.evaluate("() => document.activeElement.textContent") == "cats"
        w.page.keyboard.press("Enter")
        compose("I see the cats", "Added: “cats”. “I see the cats” is a sentence. It can be translated.")
        assert found.evaluate("() => document.activeElement.textContent") == "Translate"
        w.page.keyboard.press("Enter")
        widget.step = 15
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
@either_width
def test_another_word_is_put(window, tmp_path, width):
    """In the place of one that is written; the model goes on from it; the same word again, or a mark, changes nothing."""
    with window(width=width, reduced_motion="reduce") as w:
        plain, at = translating(sentence="I see").translation, 1
        assert not set(plain) & set(MARKS) and len(plain) > 3
        widget = translating(sentence="I see", row=at, instead=[word for word in FRENCH if word not in plain][:2])
        found = alone(w, tmp_path, widget)
        offered = found.locator(".ak-bar")
        assert len(widget.instead) == 2 and offered.count() == 6
        shows(found, widget)

        def put(word, *puts):
            offered.filter(has_text=re.compile(rf"^{word} ")).click()
            widget.put, widget.step = [list(pair) for pair in puts], 15
            shows(found, widget)
        other = widget.instead[0]
        put(other, (at, other))
        done = {"end": "The translation is complete", "full": "The model writes at most 15 words"}[widget.ended]
        assert f"Put: “{other}” for “{plain[at]}”. {done}: “{' '.join(widget.translation)}”. “{other}”, word {at + 1}, has chance {fixed(widget.chosen[at])};" in says(w, found)
        assert fits(w) and found.evaluate(CUT) == []
        put(other, (at, other))
        assert "Put:" not in says(w, found)
        found.locator(".ak-pick").nth(at + 1).focus()
        widget.row, later = at + 1, next(word for word in widget.instead if word != widget.translation[at + 1])
        put(later, (at, other), (at + 1, later))
        found.locator(".ak-pick").nth(at).focus()
        widget.row = at
        put(plain[at])                                               # what the model would write: nothing is put any more
        press(found, "Take back a word")
        widget.sentence, widget.step, widget.row = "I", 0, None
        shows(found, widget)
        press(found, "Reset")
        widget = translating(sentence="I see", row=at, instead=widget.instead)
        shows(found, widget)
        assert not w.errors


# Press a button, wait until so many words are there, then press another; what was said while the model wrote.
TRANSLATING = """(f, [begin, count, name]) => new Promise(done => { const said = [], live = f.querySelector('[role=status]');
    const press = words => [...f.querySelectorAll('button')].find(b => b.textContent === words).click();
    const written = () => [...f.querySelectorAll('.ak-french > .ak-word')].filter(e => e.textContent).length;
    new MutationObserver(() => said.push(live.textContent)).observe(live, {childList: true, characterData: true, subtree: true});
    press(begin);
    requestAnimationFrame(function look() { if (written() < count) return requestAnimationFrame(look);
        const running = f.querySelector('button').textContent; if (name) press(name); done([running, said, written()]); }) })"""


@pytest.mark.browser
def test_a_translation_writes_itself_until_it_is_stopped(window, tmp_path):
    """Word after word, the same as in Python; nothing is said before it rests; each other way to change it stops it; then once more."""
    with window() as w:
        widget = translating(step=0)
        whole = translating().translation
        assert len(whole) > 3
        found = alone(w, tmp_path, widget)
        running, said, count = found.evaluate(TRANSLATING, ["Translate", 2, "Stop"])
        widget.step = count
        assert running == "Stop" and count == 2 and set(said) <= {"The model translates."}
        assert says(w, found).startswith("The writing has stopped. “") and found.locator("button").first.inner_text() == "Translate"
        shows(found, widget)
        for name in ("Next word", "Take back a word", "Reset"):
            running, _, _ = found.evaluate(TRANSLATING, ["Translate", 1, name])
            before = found.locator(".ak-french").inner_text()
            assert running == "Stop" and found.locator("button").first.inner_text() == "Translate", name
            assert not w.goes_on() and found.locator(".ak-french").inner_text() == before, f"{name} does not stop the writing"
            press(found, "Reset")
        found.evaluate(TRANSLATING, ["Translate", len(whole), ""])
        widget = translating()
        assert says(w, found).startswith({"end": "The translation is complete", "full": "The model writes at most"}[widget.ended])
        shows(found, widget)
        running, _, count = found.evaluate(TRANSLATING, ["Translate", 1, "Stop"])
        assert running == "Stop" and count == 1, "a complete translation does not begin anew"
        assert not w.errors
