"""The figure of a model that writes a story."""

import gzip
import json
import re

import numpy as np
import pytest
from conftest import DARK_PHONE, blocks, counted, node, on
from hand import CUT, alone, either_width, figure, fits, live, pages, press, says
from random_models import LEXICON, random_storyteller, storytellers

from bookkit.figures import StoryWriter
from bookkit.lessons import storyteller
from bookkit.pictures import draw
from bookkit.pictures.formats import fixed

PAGES = pages(["story_writer"])


def storytelling(**changed):
    return StoryWriter(**({"model": random_storyteller(0), "prompt": "Zoe met Rex .", "beginnings": ["Zoe met Rex .", "the Zoe"]} | changed))


def example():
    return storytelling(caption="Cap.")


def shown(widget):
    return [*widget.story, *[fixed(v, 3) for v in np.sort(widget.chances)[-5:]], fixed(widget.temperature),
             *[fixed(v) for v in widget.weights[:, :, -1].max(axis=-1).flat]]


BAD = [
    (lambda: storytelling(model=random_storyteller(0, num_layers=7)), ValueError, "num_layers of model must be at most 6, got 7"),
    (lambda: storytelling(prompt="Zoe met Rex."), ValueError, "prompt must hold words that the model knows, not 'Rex.'; a full stop is a word"),
    (lambda: storytelling(prompt="<end>"), ValueError, "not '<end>'"),
    (lambda: storytelling(prompt="Zoe " * 64), ValueError, "prompt must hold at most 63 words, as the context has room for no more, got 64"),
    (lambda: storytelling(beginnings=["Zoe", "Bob"]), ValueError, "a prompt of beginnings must hold words that the model knows, not 'Bob'"),
    (lambda: storytelling(beginnings=["Zoe"] * 7), ValueError, "beginnings must be 0 to 6, got 7"),
    (lambda: storytelling(seed=-1), ValueError, "seed must be from 0 to 9999"),
    (lambda: storytelling(temperature="hot"), TypeError, "temperature must be a number"),
    (lambda: storytelling(head=(2, 0)), ValueError, "head's layer must be from 0 to 1"),
]

REFUSED = [
    ("prompt", "Zoe met Bob", ValueError),
    ("prompt", "Zoe " * 64, ValueError),
    ("written", [2, 3], ValueError),
    ("written", [1], ValueError),
    ("written", [8], ValueError),
    ("written", [3] * 60, ValueError),
    ("seed", 10_000, ValueError),
    ("temperature", 2.1, ValueError),
    ("head", [0, 2], ValueError),
]


# ---- the arithmetic, and Python's side

def random_stories():
    """Figures with random words in them, six of each third model."""
    rng = np.random.default_rng(42)
    for model in storytellers()[::3]:
        words, most = model.words, model.context - 1
        for k in range(6):
            count = most if k == 0 else int(rng.integers(0, 13))
            given = int(rng.integers(0, count + 1))
            figure = StoryWriter(model, " ".join(rng.choice(words[3:], given)), int(rng.integers(10_000)), float(rng.choice([0, rng.uniform(0, 2)])))
            figure.written = rng.integers(3, len(words), count - given).tolist()
            if k == 1:
                figure.written = [*figure.written, words.index("<end>")]
            yield figure


def as_script(figures_):
    return node("run_figures.js", {"figure": "story_writer", "cases": [figure.state() for figure in figures_]})


def test_story_writer_arithmetic():
    """What the script makes of the model's results is what Python makes of them (test_models.py compares the results)."""
    figures_ = list(random_stories())
    assert len(figures_) == 54
    for ours, got in zip(figures_, as_script(figures_)):
        assert got["numbers"] == ours.numbers and got["ended"] == ours.ended
        assert np.allclose(got["scores"], ours.scores, rtol=0, atol=1e-9)
        assert np.allclose(got["weights"], ours.weights[:, :, -1], rtol=0, atol=1e-9)
        assert np.allclose(got["chances"], ours.chances, rtol=0, atol=1e-9) and np.isclose(sum(got["chances"]), 1)
        assert ours.chances[0] == ours.chances[1] == 0
        if not ours.ended:
            assert ours.model.words[got["next"]] == ours.next_word
        assert got["order"] == sorted(range(2, len(ours.scores)), key=lambda word: -got["scores"][word])


def test_the_model_of_the_chapter_is_small():
    assert len(gzip.compress(json.dumps(storyteller.trained().packed()).encode())) <= 60_000


def test_the_same_seed_writes_the_same_story_in_both_languages():
    """Each word of a story in Python is the one that the script takes there; `write` writes the same."""
    stories, told = [], []
    for seed, model in enumerate(storytellers()[::3]):
        for temperature in (0, 1.5 if seed % 2 else 0.6):
            figure = StoryWriter(model, model.words[4], seed, temperature)
            stories.append(figure.write())
            assert figure.ended and figure.next_word is None
            words = figure.written
            theirs = storyteller.write(model, model.words[4], temperature=temperature, seed=seed)
            assert " ".join(theirs) == stories[-1].removesuffix(" <end>")
            for k in range(0, len(words), 5):
                figure.written = words[:k]
                told.append((figure.state(), words[k]))
    got = node("run_figures.js", {"figure": "story_writer", "cases": [state for state, _ in told]})
    assert [found["next"] for found in got] == [word for _, word in told]
    assert len(set(stories)) > 10 and any(story.endswith("<end>") for story in stories) and any(len(story.split()) == 63 for story in stories)


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


# ---- alone on a page

def opened_out(found):
    """The figure with what stands behind *More* in sight."""
    for closed in found.locator("details:not([open]) > summary").all():
        closed.press("Enter")
    return found


def told(found):
    """The story as it is shown, ``<start>`` first."""
    return found.locator(".ak-token:visible").all_inner_texts()


def fixed_width(pixels):
    return float(fixed(pixels, 1))


def follows(found, widget):
    """The page shows the state of a figure in Python: the story, the chances, the weights of each head."""
    assert told(found) == ["<start>", *widget.story]
    assert found.locator(".ak-newest").all_inner_texts() == [["<start>", *widget.story][-1]]
    bars, newest = found.locator(".ak-bar"), widget.weights[*widget.head, -1]
    if widget.ended:
        assert not bars.first.is_visible()
    else:
        order = [word for word in np.argsort(-widget.scores, kind="stable") if word > 1][:5]
        assert bars.locator(".ak-word").all_inner_texts() == [widget.model.words[k] for k in order]
        assert bars.locator(".ak-num").all_inner_texts() == [fixed(widget.chances[k]) for k in order]
        assert f"takes {'the likeliest word, ' * (widget.temperature == 0)}“{widget.next_word}”" in found.inner_text()
        widths = [float(way.get_attribute("stroke-width")) for way in found.locator(".ak-way").all()]
        assert widths == [fixed_width(0.7 + 12 * widget.chances[k]) for k in order]
    arcs = [float(arc.get_attribute("stroke-width")) for arc in found.locator(".ak-arc:not([d=''])").all()]
    assert arcs == sorted((fixed_width(7 * weight) for weight in newest[:-1] if weight >= 0.05), reverse=True)
    newest = widget.weights[:, :, -1].reshape(-1, len(widget.numbers))
    words = ["<start>", *widget.story]
    assert found.locator(".ak-best").all_text_contents() == [f"{words[int(np.argmax(row))]} {fixed(row.max())}" for row in newest]
    shades = found.locator(".ak-token:visible").evaluate_all("all => all.map(e => e.style.backgroundColor)")
    mine = [round(100 * draw.opacity(np.floor(100 * v + 0.5) / 100, 1), 1) for v in widget.weights[*widget.head, -1]]
    assert [float(re.search(r"([\d.]+)%", shade)[1]) for shade in shades] == mine


@pytest.mark.browser
@either_width
def test_a_story_by_hand(window, tmp_path, width):
    """Every control by keyboard: Step, Back, To the beginning, beginnings, words of one's own, chances, seed, temperature, heads."""
    with window(width=width) as w:
        widget = storytelling()
        found = opened_out(alone(w, tmp_path, widget))

        def check(said):
            assert said in says(w, found), says(w, found)
            follows(found, widget)
            assert fits(w) and found.evaluate(CUT) == []

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
        found.get_by_role("button", name="layer 2, head 2").press("Enter")
        widget.head = [1, 1]
        check("The likeliest")
        assert found.locator(".ak-head[aria-pressed=true] > :first-child").all_inner_texts() == ["layer 2, head 2"]
        press(found, "Reset")
        w.settle()
        assert found.inner_text() == start and not w.errors


@pytest.mark.browser
def test_words_of_ones_own(window, tmp_path):
    """The browser lists the words that the model knows, after those that stand there; one that it does not know is refused, and nothing is lost."""
    with window(width=360) as w:
        widget = storytelling(model=random_storyteller(2, words=LEXICON), prompt="Zoe", beginnings=[])
        found = opened_out(alone(w, tmp_path, widget))
        field, refusal = found.get_by_role("combobox", name="your next word"), found.locator(".ak-refusal")

        def offered():
            return field.evaluate("e => [...e.list.options].map(option => option.value)")
        assert offered() == sorted(LEXICON, key=str.lower)
        field.type("the t")
        assert offered() == [f"the {word}" for word in sorted(LEXICON, key=str.lower)]
        field.fill("the")
        field.press("Enter")
        widget.prompt = "Zoe the"
        assert "Added: “the”." in says(w, found) and field.input_value() == "" and offered()[0] == min(LEXICON, key=str.lower)
        follows(found, widget)
        field.fill("max saw Bob")
        press(found, "Add")
        assert says(w, found) == "The model does not know “Bob”. It knows 15 words; the list shows them." == refusal.inner_text()
        assert field.get_attribute("aria-invalid") == "true" and field.input_value() == "max saw Bob" and told(found) == ["<start>", "Zoe", "the"]
        field.press("End")
        field.press("Backspace")
        assert not refusal.inner_text() and field.get_attribute("aria-invalid") == "false"
        field.fill("max saw her.")
        field.press("Enter")
        widget.prompt = "Zoe the Max saw her ."
        assert "A sentence is complete: “Zoe the Max saw her.”" in says(w, found)
        press(found, "Step")
        widget.write(1)
        press(found, "Add")
        assert refusal.inner_text() == "Type a word, or choose one from the list." and field.evaluate("e => e === document.activeElement")
        field.fill("kite")
        press(found, "Add")
        widget.written = [*widget.written, widget.model.words.index("kite")]
        assert says(w, found).startswith("Added: “kite”.")
        follows(found, widget)
        field.fill("<end>")
        field.press("Enter")
        assert "does not know “<end>”" in says(w, found) and fits(w) and not w.errors


@pytest.mark.browser
def test_seeds_are_typed(window, tmp_path):
    with window() as w:
        widget = storytelling()
        found = alone(w, tmp_path, widget)
        seed = found.get_by_role("spinbutton", name="seed")
        press(found, "Step")
        for keys, value in ((["ArrowUp"], 1), (["ArrowDown"], 0)):
            for key in keys:
                seed.press(key)
            widget.seed = value
            assert seed.input_value() == str(value) == seed.get_attribute("aria-valuenow") and f"Seed {value}: " in says(w, found)
            follows(found, widget)
        for wrong in ("-1", "10000", "1.5", "", "x"):
            seed.fill(wrong)
            seed.press("Enter")
            assert says(w, found) == "A seed is a whole number from 0 to 9999." and seed.input_value() == "0"
        seed.press("ArrowDown")
        assert seed.input_value() == "0"
        seed.fill("321")
        seed.blur()
        widget.seed = 321
        assert "Seed 321: " in says(w, found)
        follows(found, widget)
        assert not w.errors


# Press Write, wait until so many words more are there, then press another button; what was said while it ran.
WRITING = """(f, [count, name]) => new Promise(done => { const first = f.querySelectorAll('.ak-token:not([hidden])').length, said = [];
    const press = words => [...f.querySelectorAll('button')].find(b => b.textContent === words).click();
    new MutationObserver(() => said.push(f.querySelector('[role=status]').textContent)).observe(f.querySelector('[role=status]'), {childList: true, characterData: true, subtree: true});
    press('Write');
    let seen = first;      // what is to be said after a word is said before the next one, however fast they come
    requestAnimationFrame(function look() { const now = f.querySelectorAll('.ak-token:not([hidden])').length; if (now > seen) atOnce();
        seen = now; if (now < first + count) return requestAnimationFrame(look);
        const running = f.querySelector('.ak-primary').textContent; press(name); done([running, said]); }) })"""


@pytest.mark.browser
def test_a_story_writes_itself_until_it_is_stopped(window, tmp_path):
    """Word after word, the same as in Python; sentences are said, not words; each other way to change the story stops it."""
    with window() as w:
        widget = storytelling(seed=10)       # a long story
        found = opened_out(alone(w, tmp_path, widget))
        running, said = found.evaluate(WRITING, [6, "Stop"])
        count = len(told(found)) - 5
        widget.write(count)
        assert running == "Stop" and count >= 6 and says(w, found).startswith("The writing has stopped. ")
        follows(found, widget)
        assert len(told(found)) == count + 5 and found.locator(".ak-primary").inner_text() == "Write"
        assert set(said) <= {"The model writes."} | {s for s in said if s.startswith("A sentence is complete: ")} and len(said) <= 1 + widget.story[4:].count(".")
        for name in ("Step", "Back", "To the beginning", "the Zoe", "New seed", "Reset"):
            running, _ = found.evaluate(WRITING, [2, name])
            before = told(found)
            assert running == "Stop" and found.locator(".ak-primary").inner_text() == "Write", name
            assert not w.goes_on() and told(found) == before, f"{name} does not stop the writing"
        widget.written = []
        follows(found, widget)
        assert not w.errors


@pytest.mark.browser
def test_the_end_of_a_story_and_of_the_context(window, tmp_path):
    with window(reduced_motion="reduce") as w:
        widget = storytelling(prompt="Zoe " * 57, temperature=0)
        widget.write()
        found = opened_out(alone(w, tmp_path, storytelling(prompt="Zoe " * 57, temperature=0)))
        press(found, "Write")
        assert widget.ended == "full"
        assert says(w, found) == "Written at once, because your device asks for less motion. The context is full: the model reads at most 64 words, <start> among them."
        follows(found, widget)
        assert found.locator("button[aria-disabled=true]").all_inner_texts() == ["Write", "Step"]
        for name in ("Write", "Step"):
            press(found, name)
            assert len(told(found)) == 64 and says(w, found).startswith("The context is full")
        field = found.get_by_role("combobox")
        field.fill("Zoe")
        field.press("Enter")
        assert says(w, found) == "The context is full: the model reads at most 64 words, <start> among them. “Back” takes the last word away."
        assert field.input_value() == "Zoe" and len(told(found)) == 64
        press(found, "Back")
        field.fill("Zoe Zoe")
        field.press("Enter")
        assert says(w, found).startswith("The context is full") and len(told(found)) == 63
        press(found, "To the beginning")
        found.locator(".ak-bar", has_text="<end>").press("Enter")
        assert says(w, found).endswith("The story has ended.") and told(found)[-1] == "<end>" and not found.locator(".ak-bar").first.is_visible()
        press(found, "Step")
        assert says(w, found) == "The story has ended."
        empty = opened_out(alone(w, tmp_path, storytelling(prompt="", beginnings=[])))
        press(empty, "Back")
        assert "There is no word to take away." in says(w, empty) and told(empty) == ["<start>"]
        assert empty.locator("button[aria-disabled=true]").all_inner_texts() == ["Back", "To the beginning"] and not w.errors


@pytest.mark.browser
def test_a_story_opens_written(window, tmp_path):
    """Some words are there when the figure opens, and Reset leads back to them; it begins with nothing, and a reader's words, as well."""
    with window() as w:
        widget = storytelling(write=4)
        found = opened_out(alone(w, tmp_path, widget))
        follows(found, widget)
        start = found.inner_text()
        press(found, "To the beginning")
        assert told(found) == ["<start>", "Zoe", "met", "Rex", "."]
        press(found, "nothing")
        widget.written, widget.prompt = [], ""
        assert says(w, found).startswith("Begun with nothing. ")
        follows(found, widget)
        found.get_by_role("combobox").fill("rex met")
        press(found, "Add")
        widget.prompt = "Rex met"
        assert says(w, found).startswith("Added: “Rex met”. ") and found.locator(".ak-given").all_inner_texts() == ["Rex", "met"]
        follows(found, widget)
        press(found, "Reset")
        w.settle()
        assert found.inner_text() == start and len(told(found)) == 9 and not w.errors


@pytest.mark.browser
def test_a_story_set_in_python(window, tmp_path):
    """Live, the kernel hears of each word, and the figure follows the kernel."""
    with window() as w:
        widget = storytelling()
        found = live(w, tmp_path, widget, "prompt", "written")
        widget.write(1)
        press(found, "Step")
        assert w.page.evaluate("sent") == [["Zoe met Rex .", widget.written]]
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
        profile = counted(w)
        found = opened_out(alone(w, tmp_path, StoryWriter(model, " ".join(["w3", "w9"] * 31), temperature=2)))

        def ran(act):
            return blocks(profile, act)
        w.page.evaluate("""() => { window.put = 0; new MutationObserver((all) => { put += all.filter(({target}) => target.role !== 'status').length; }).observe(document.querySelector('.ak-figure'), {childList: true, subtree: true}); }""")
        press(found, "Step")
        assert w.page.evaluate("put") == 0, "nodes are put into the page, which is then styled anew"
        press(found, "New seed")
        steps, words = [], []
        for _ in range(3):        # what the page does once is no part of a step
            steps.append(ran(lambda: press(found, "Step")))
            words.append(told(found)[-1])
            whole = ran(lambda: press(found, "New seed"))
        assert len(told(found)) == 63
        again = ran(lambda: w.page.evaluate("attnkit.figures.story_writer.compute(JSON.parse(document.querySelector('[data-ak-figure]').dataset.akState))"))
        print(f"\nblocks: {min(steps)} for a step, {whole} for going back, {again} to read 63 words anew")
        assert 0 < min(steps) < 30_000 and again > 10 * min(steps)
        assert len(set(words)) > 1, "each step takes the same word, which the model has read already"


# ---- on the page of the book

@pytest.mark.browser
@on(PAGES, DARK_PHONE)
def test_a_press_in_the_story_changes_what_is_in_sight(opened):
    """The words to press and the buttons of the story fit a screen of 740 pixels; a word more, and one unknown, moves none of them."""
    w, found = opened, figure(opened, "story_writer")
    bars, story = found.locator(".ak-bars").bounding_box(), found.locator(".ak-story").bounding_box()
    below = found.get_by_role("button", name="Step")
    assert bars["y"] < below.bounding_box()["y"] and below.bounding_box()["y"] + below.bounding_box()["height"] - story["y"] <= 740

    def top():
        return below.evaluate("e => e.getBoundingClientRect().top + scrollY")
    before = top()
    for _ in range(20):
        press(found, "Step")
    assert top() == pytest.approx(before, abs=1)
    refusal = opened_out(found).locator(".ak-refusal")
    field = found.get_by_role("combobox", name="your next word")
    end = found.locator(".ak-caption")
    before = end.bounding_box()["y"] - field.bounding_box()["y"]
    field.fill("unheardof")
    field.press("Enter")
    w.settle()
    assert refusal.inner_text() and end.bounding_box()["y"] - field.bounding_box()["y"] == pytest.approx(before, abs=1)
