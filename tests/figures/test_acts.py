"""Words of the text that act on a figure, and the address of a page, which keeps what its figures show."""

import re

import pytest
from hand import SHOWN, about, alone, figure
from lxml import html

from website import book_acts


@pytest.mark.browser
def test_words_that_led_away_are_led_back_to(watched, site):
    """The list of five steps stands far below its picture, which is lit while they are pointed at."""
    with watched(width=1100, reduced_motion="reduce") as w:
        w.open(f"{site}/chapters/multi_head.html")
        words, back = w.page.locator("[data-ak-act][role=button]").nth(3), w.page.get_by_role("button", name="Back to the text")
        figure(w, "growing_picture").wait_for()
        w.settle()
        words.hover()
        assert back.count() == 0 and w.page.locator(".ak-figure.ak-meant").count() == 1
        words.click()
        w.page.mouse.move(0, 0)
        assert not w.page.locator(".ak-meant").count()
        back.click()
        back.wait_for(state="detached")
        box = words.bounding_box()
        assert 0 < box["y"] < w.page.evaluate("innerHeight") and words.evaluate("e => e === document.activeElement") and not w.errors


@pytest.mark.browser
def test_a_figure_comes_to_the_words_on_a_wide_window(watched, site):
    """The page stands still: the figure is beside the words until its own place is in sight, or it is sent back."""
    with watched(width=1440, reduced_motion="reduce") as w:
        w.open(f"{site}/chapters/machine.html")
        words, found = w.page.locator("[data-ak-act][role=button]").last, figure(w, "part_mover")
        found.wait_for()
        w.settle()
        words.evaluate("e => e.scrollIntoView({block: 'center'})")
        place = "e => [scrollY, document.body.offsetHeight, Math.round(e.getBoundingClientRect().top)]"
        before, high = words.evaluate(place), found.bounding_box()["height"]
        for leave in (lambda: w.page.get_by_role("button", name="Back to its place").click(), lambda: found.evaluate(
                "e => document.getElementById('part_mover').scrollIntoView()")):
            words.click()
            box = found.bounding_box()
            assert words.evaluate(place) == before and 0 < box["y"] < 200 and box["x"] > words.bounding_box()["x"] + 300
            leave()
            w.page.locator(".ak-place[popover]").wait_for(state="detached")
        assert found.bounding_box()["height"] == high and not w.errors


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
def test_an_address_that_says_nonsense_changes_nothing(window, tmp_path):
    with window() as w:
        found = alone(w, tmp_path, about("softmax_explorer").example())
        whole, address, page = found.inner_text(), w.page.url, tmp_path / "figure.html"
        page.write_text(page.read_text(encoding="utf-8").replace("data-ak-figure=", "id=softmax_explorer data-ak-figure=", 1), encoding="utf-8")
        w.open(f"{address}?softmax_explorer=temperature:0.5")
        assert found.inner_text() != whole
        for query in ("temperature:%22hot%22", "temperature:null", "scores:[1]", "scores:7", "%", "temperature", "weights:3", "temperature:1;scores:[1,2,3,null]", ""):
            w.open(f"{address}?softmax_explorer={query}")
            assert found.inner_text() == whole, query
        assert not w.errors
