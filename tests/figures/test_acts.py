"""Words of the text that act on a figure, and the address of a page, which keeps what its figures show."""

import re

import pytest
from conftest import DARK_PHONE, ROOT, WIDE, on
from hand import RESET, SHOWN, figure, figures
from lxml import html

from website import book_acts, toc


def acting(page):
    """Whether words of a page act."""
    file = ROOT / f"{page}.ipynb"
    return file.exists() and "data-act=" in file.read_text(encoding="utf-8")


PAGES = [page for page in toc.pages() if acting(page)]
WORDS = "[data-ak-act][role=button]"
MEANT = """words => { const {of} = JSON.parse(words.dataset.akAct); return document.getElementById(of).querySelector('.ak-figure'); }"""

# The words are in sight, and not under the header, or there is a way back to them.
LED = """words => { const {top, bottom} = words.getBoundingClientRect(), back = document.querySelector('.ak-back');
    return (bottom > 60 && top < innerHeight) || (back && !back.hidden); }"""


def test_ten_pages_use_it():
    assert len(PAGES) >= 10


@pytest.mark.browser
@on(PAGES, WIDE, DARK_PHONE)
def test_words_do_what_they_say(opened):
    """Pressed by mouse, finger or key, each changes the figure that it means, which is in sight then."""
    w = opened
    w.page.emulate_media(reduced_motion="reduce")      # no gliding to where it is
    for left in figures(w).all():
        left.evaluate(RESET)      # as another test has left it
    found = w.page.locator(WORDS)
    assert found.count() == w.page.locator("[data-ak-act]").count() > 0
    for k, words in enumerate(found.all()):
        if not words.is_visible():
            continue      # in what is folded away
        meant = words.evaluate_handle(MEANT).as_element()
        # What was set already, the words before have done.
        if words.get_attribute("aria-pressed") == "true":
            meant.evaluate(RESET)
            if words.get_attribute("aria-pressed") == "true":
                continue      # the figure opens with it
        before, said = meant.evaluate(SHOWN), words.text_content()
        if k % 2:
            words.focus()
            w.page.keyboard.press("Enter")
        elif opened.look.width < 600:
            words.tap()
        else:
            words.click()
        w.settle()
        assert meant.evaluate(SHOWN) != before, f"“{said}” does nothing"
        assert words.get_attribute("aria-pressed") in (None, "true"), f"“{said}” sets something else"
        box = meant.bounding_box()
        assert box["y"] < w.page.evaluate("innerHeight") and box["y"] + box["height"] > 0
        w.page.wait_for_function(LED, arg=words.element_handle())
    w.page.emulate_media(reduced_motion="null")
    assert not w.errors and not w.outside


@pytest.mark.browser
def test_words_that_led_away_are_led_back_to(watched, site):
    """The list of five steps stands far below its picture."""
    with watched(reduced_motion="reduce") as w:
        w.open(f"{site}/chapters/multi_head.html")
        words, back = w.page.locator(WORDS).nth(3), w.page.get_by_role("button", name="Back to the text")
        figure(w, "growing_picture").wait_for()
        w.settle()
        assert back.count() == 0
        words.click()
        back.click()
        back.wait_for(state="detached")
        box = words.bounding_box()
        assert 0 < box["y"] < w.page.evaluate("innerHeight") and words.evaluate("e => e === document.activeElement") and not w.errors


@pytest.mark.browser
@on(PAGES[:2], WIDE)
def test_hover_shows_which_figure_is_meant(opened):
    words = opened.page.locator(WORDS).first
    words.hover()
    assert opened.page.locator(".ak-figure.ak-meant").count() == 1
    opened.page.mouse.move(0, 0)
    assert not opened.page.locator(".ak-meant").count()


# ---- what is written wrong stops the build

def place(kind, state):
    found = html.fromstring("<div/>")
    found.set("data-ak-figure", kind)
    found.set("data-ak-state", state)
    return found


STATE = '{"scores": [1, 2], "temperature": 1, "names": ["a", "b"], "details": false, "defaults": {}}'
FOUND = {"softmax_explorer": place("softmax_explorer", STATE)}


def test_what_fits_is_taken():
    assert book_acts.read("softmax_explorer: {temperature: 0.5}", FOUND) == {"of": "softmax_explorer", "set": {"temperature": 0.5}}
    assert book_acts.read("softmax_explorer: press Add 0.5", FOUND) == {"of": "softmax_explorer", "press": "Add 0.5"}


@pytest.mark.parametrize("told, words", [
    ("softmax: {temperature: 1}", "not softmax"), ("softmax_explorer 2: {temperature: 1}", "not softmax_explorer-2"),
    ("softmax_explorer: {names: [c, d]}", "not names"), ("softmax_explorer: {temperature: 100}", "temperature must lie between"),
    ("softmax_explorer: {scores: [1, 2, 3]}", "shape"), ("softmax_explorer: push it", "press"), ("softmax_explorer", "braces"),
    ("softmax_explorer: {}", "braces")])
def test_what_does_not_fit_is_refused(told, words):
    with pytest.raises((ValueError, TypeError), match=re.escape(words)):
        book_acts.read(told, FOUND)


# ---- a state that can be handed on

SOFTMAX = "chapters/softmax"


@pytest.mark.browser
def test_the_address_keeps_what_a_figure_shows(watched, site):
    """Opened again, the page shows it; set back, the address is as it was; and a place on the page stays in it."""
    with watched() as w:
        w.open(f"{site}/{SOFTMAX}.html?from=a-friend#exercises")
        found = figure(w, "softmax_explorer")
        found.locator("input[type=range]").last.press("ArrowLeft")
        w.page.wait_for_function("location.search.includes('softmax_explorer=temperature:')")
        shown, address = found.evaluate(SHOWN), w.page.url
        assert "from=a-friend&" in address and address.endswith("#exercises") and len(address) < 140
        w.open(address)
        again = w.page.locator(".ak-figure[data-ak-kind=softmax_explorer]")
        w.settle()
        assert again.evaluate(SHOWN) == shown
        again.get_by_role("button", name="Reset").click()
        w.page.wait_for_function("location.search === '?from=a-friend'")
        assert again.evaluate(SHOWN) != shown and not w.errors


@pytest.mark.browser
def test_a_list_that_was_emptied_stays_empty(watched, site):
    """A writer set back to its beginning has written nothing, with the seed that was chosen."""
    with watched() as w:
        w.open(f"{site}/chapters/writing.html")
        figure(w, "story_writer").get_by_role("button", name="New seed").click()
        w.page.wait_for_function("location.search.includes('seed:')")
        assert "written:[]" in w.page.url
        assert "seed:4" in w.page.url
        w.open(w.page.url)
        w.settle()
        assert w.page.get_by_role("spinbutton", name="seed").input_value() == "4" and not w.errors


@pytest.mark.browser
@pytest.mark.parametrize("query", ["temperature:%22hot%22", "temperature:null", "scores:[1]", "scores:7", "%", "temperature", "weights:3",
                                   "temperature:1;scores:[1,2,3,null]", ""])
def test_an_address_that_says_nonsense_changes_nothing(window, site, query):
    with window() as w:
        w.open(f"{site}/{SOFTMAX}.html")
        whole = w.page.locator(".ak-figure[data-ak-kind=softmax_explorer]").inner_text()
        w.open(f"{site}/{SOFTMAX}.html?softmax_explorer={query}")
        assert w.page.locator(".ak-figure[data-ak-kind=softmax_explorer]").inner_text() == whole
        assert not w.errors
