"""The figure of a story, and of the same story with a part of the model taken out."""

import re

import numpy as np
import pytest
from conftest import node
from hand import CUT, alone, either_width, fits, press, says
from random_models import random_storyteller, storytellers

from bookkit.figures import SwitchedStory
from bookkit.figures.switched_story import PARTS
from bookkit.lessons import storyteller
from bookkit.pictures.formats import fixed

LABELS = [words for _, words in PARTS]


def switched(**changed):
    return SwitchedStory(**({"model": random_storyteller(0), "part": 1, "prompt": "Zoe met"} | changed))


def example():
    return switched(seed=3, caption="Cap.")


def shown(widget):
    whole, changed = widget.stories
    lengths = [str(len([word for word in story if word != "<end>"])) for story in (whole, changed)]
    return ["Taken out: positions", *set(whole + changed) - {"<end>"}, *lengths, str(widget.same), f"Seed {widget.seed}, temperature {fixed(widget.temperature)}."]


BAD = [
    (lambda: switched(model=random_storyteller(0, num_layers=3)), ValueError, "model must have 2 layers, got 3"),
    (lambda: switched(prompt="Zoe met Bob"), ValueError, "prompt must hold words that the model knows, not 'Bob'"),
    (lambda: switched(prompt="Zoe " * 63), ValueError, "prompt and a word must hold at most 63 words"),
    (lambda: switched(part=8), ValueError, "part must be from 0 to 7, the number of one of the parts, got 8"),
    (lambda: switched(part="mask"), TypeError, "part must be an integer"),
    (lambda: switched(seed=-1), ValueError, "seed must be from 0 to 9999"),
    (lambda: switched(temperature=3), ValueError, "temperature must lie between 0 and 2"),
]
REFUSED = [("part", -1, ValueError), ("part", 8, ValueError), ("seed", 10_000, ValueError), ("seed", 0.5, TypeError)]
CHANGED = ("part", 7)
TALL = [re.compile(words) for words in LABELS]


# ---- the arithmetic

def test_stories_are_the_same_in_both_languages():
    """Each part of four random models with two layers, and of the chapter's: word for word; the parts are the model's own."""
    assert [name for name, _ in PARTS] == ["", *storyteller.TAKEN_OUT]
    rng, cases, stories = np.random.default_rng(61), [], []
    for k, model in enumerate([*[model for model in storytellers() if model.num_layers == 2][:4], storyteller.trained()]):
        prompt = " ".join(rng.choice(model.words[3:], rng.integers(0, 9)))
        figure = SwitchedStory(model, 7, int(rng.integers(10_000)), prompt, [0.7, 1.2, 0][k % 3])
        assert figure.opening == [figure.numbers(0), figure.numbers(7)] and " ".join(figure.stories[0]).startswith(prompt)
        for figure.part in range(len(PARTS)):
            cases.append(figure.state())
            stories.append([figure.numbers(0), figure.numbers(figure.part)])
    assert node("run_figures.js", {"figure": "switched_story", "cases": cases}) == stories
    different = {str(changed) for _, changed in stories}
    assert len(different) > 15 and {len(changed) == 64 for _, changed in stories} == {changed[-1] == 2 for _, changed in stories} == {True, False}


def test_the_lesson_writes_the_same():
    figure = SwitchedStory(storyteller.trained(), seed=2)
    for part, (name, _) in enumerate(PARTS):
        figure.part = part
        model = figure.model.without(name) if name else figure.model
        assert tuple(word for word in figure.stories[1] if word != "<end>") == storyteller.write(model, temperature=0.7, seed=2)


def test_what_two_stories_have_in_common():
    figure = SwitchedStory(storyteller.trained(), part=1, seed=2)
    assert figure.same == 2 and figure.stories[1][:5] == "Zoe and Zoe met Bruno".split()
    assert "<strong>Taken out: positions.</strong> Zoe and <u>Zoe</u> met Bruno <u>Bruno</u>" in figure.still()
    figure.part = 0
    assert figure.same == len(figure.stories[0]) - 1 == 52 and "<u>" not in figure.still() and "Taken out" not in figure.still()
    figure.part, figure.seed = 4, 3
    assert figure.stories[1] == ["<end>"] and figure.same == 0 and "the MLPs.</strong> <u>&lt;end&gt;</u>" in figure.still()
    figure.part, figure.seed = 0, 2
    assert "now Zoe has one coin and Max has seven ." in figure.still() and "<end>" not in figure.still()


# ---- alone on a page

def sentence(words):
    return " ".join(word for word in words if word != "<end>" or len(words) == 1).replace(" .", ".")


def told(widget):
    """What the page says of a state."""
    whole, changed = ([word for word in story if word != "<end>"] for story in widget.stories)
    if not widget.part:
        return f"Nothing is taken out: {len(whole)} words. Take a part out."
    begins, rest = f"Taken out: {LABELS[widget.part]}. ", changed[widget.same:]
    if not changed:
        return f"{begins}It ends before the first word."
    if widget.same == len(whole) and not rest:
        return f"{begins}All {widget.same} words are the same."
    common = "From the first word on:" if widget.same == 0 else f"The same {'word' if widget.same == 1 else f'{widget.same} words'}, then"
    more = " …" if len(rest) > 6 else ""
    return f"{begins}{common} {f'“{sentence(rest[:6])}{more}”' if rest else 'it ends'}."


def follows(w, found, widget):
    """The page shows the state of a figure in Python, once it has written: both stories, what differs, which switch is pressed."""
    w.page.wait_for_function("!goesOn()")
    assert says(w, found) == told(widget)
    texts = found.locator(".ak-story").all_inner_texts()
    for story, text in zip(widget.stories, texts):
        assert text == ("" if not widget.part and text is texts[1] else sentence(story) + (" …" if story[-1] != "<end>" else ""))
    whole, changed = widget.stories
    marked = [word for word, other in zip(changed, [*whole, *[""] * 63]) if word != other and (word != "<end>" or len(changed) == 1)] if widget.part else []
    assert " ".join(found.locator("mark").all_inner_texts()).replace(" .", ".") == sentence(marked)
    assert found.locator("button[aria-pressed=true]").all_inner_texts() == [LABELS[widget.part]]


@pytest.mark.browser
@either_width
def test_switches_by_hand(window, tmp_path, width):
    """Every part by key and by mouse, another story, and back; nothing moves, and nothing is wider than the page."""
    with window(width=width, reduced_motion="reduce") as w:
        widget = SwitchedStory(storyteller.trained(), part=1, seed=2, caption="Cap.")
        found = alone(w, tmp_path, widget)
        height = found.bounding_box()["height"]
        follows(w, found, widget)
        assert says(w, found) == "Taken out: positions. The same 2 words, then “Zoe met Bruno Bruno Bruno Bruno …”."
        start = found.inner_text()
        for part in (2, 3, 4, 5, 6, 7, 0, 1):
            press(found, LABELS[part])
            widget.part = part
            follows(w, found, widget)
            assert found.bounding_box()["height"] == pytest.approx(height, abs=1) and fits(w) and found.evaluate(CUT) == []
        press(found, LABELS[4])        # the third story ends before its first word
        widget.part = 4
        for seed in (3, 4):
            found.get_by_role("button", name="Write another").click()
            widget.seed = seed
            follows(w, found, widget)
            assert found.bounding_box()["height"] == pytest.approx(height, abs=1)
        found.get_by_role("button", name=LABELS[1]).focus()
        for key in ("Home", "ArrowRight", "ArrowRight", "Enter"):
            w.page.keyboard.press(key)
        widget.part = 2
        follows(w, found, widget)
        press(found, "Reset")
        w.settle()
        assert not w.goes_on() and found.inner_text() == start and not w.errors


# Press a switch; what the second story was after each frame, and what was said while it grew.
GROWS = """async (f, words) => { const said = new Set(), lengths = [];
    [...f.querySelectorAll('button')].find(b => b.textContent === words).click();
    while (goesOn()) { lengths.push(f.querySelectorAll('.ak-story')[1].textContent.split(' ').length); atOnce();
        if (goesOn()) said.add(f.querySelector('[role=status]').textContent); await new Promise(requestAnimationFrame); }
    return [lengths, [...said]]; }"""


@pytest.mark.browser
def test_a_story_grows_word_by_word(window, tmp_path):
    """What is pressed is written a word a frame, and told when it is whole; another switch breaks it off, and what was
    written is not written again."""
    with window() as w:
        widget = SwitchedStory(storyteller.trained(), part=1, seed=2)
        found = alone(w, tmp_path, widget)
        lengths, said = found.evaluate(GROWS, LABELS[3])
        assert lengths[0] <= 2 and len(set(lengths)) > 40 and said == ["Taken out: layer 2. The model writes."]
        widget.part = 3
        follows(w, found, widget)
        found.evaluate("(f, [one, other]) => { for (const words of [one, other]) [...f.querySelectorAll('button')].find(b => b.textContent === words).click(); }", [LABELS[6], LABELS[3]])
        assert not w.goes_on()
        follows(w, found, widget)
        w.page.emulate_media(reduced_motion="reduce")
        press(found, LABELS[5])
        assert not w.goes_on()
        widget.part = 5
        follows(w, found, widget)
        w.page.emulate_media(reduced_motion="null")      # the next test has this page, too
        assert not w.errors
