"""What a hand stumbles over on its way through the book: contents, next, a wrong address, the search, by mouse, touch and keyboard."""

import re

import pytest
from conftest import SITE

from booklib import toc

pytestmark = pytest.mark.browser

FIRST = toc.road()[1]
SIDES = {"primary": "nav.bd-links a", "secondary": "nav.page-toc a"}


# ---- the contents

def in_sight(w, side):
    """Whether the list of chapters, or of the page, stands where it can be read, once it has come or gone."""
    w.page.evaluate("document.getAnimations().forEach(a => a.finish())")
    link = w.page.locator(SIDES[side]).first
    box = link.bounding_box() if link.is_visible() else None
    return bool(box) and 0 <= box["x"] < w.page.viewport_size["width"] and link.evaluate(
        "a => getComputedStyle(a).visibility === 'visible'")


@pytest.mark.parametrize("width", [360, 800, 1100, 1280])
def test_the_contents_open_and_close(watched, site, width):
    """By mouse or touch and by keyboard; the focus goes in and comes back; nothing is left behind."""
    phone = {"has_touch": True, "is_mobile": True} if width < 600 else {}
    with watched(width=width, **phone) as w:
        w.open(f"{site}/{FIRST}.html")
        for side in SIDES:
            button = w.page.locator(f".bd-header-article .{side}-toggle").filter(visible=True)
            beside = in_sight(w, side)              # a wide page shows it without being asked
            assert button.count() or beside, f"no way to the {side} contents"
            if not button.count():
                continue
            inner = button.locator("button") if button.locator("button").count() else button
            for press in (inner.tap if phone else inner.click, lambda key=inner: key.press("Enter")):
                press()
                w.page.wait_for_function(OPENED, arg=[SIDES[side], not beside])
                if beside:
                    press()
                else:
                    assert w.page.evaluate("document.activeElement.closest('dialog') !== null")
                    close = w.page.locator("dialog[open]").get_by_role("button", name="Close")
                    close.tap() if phone else close.press("Enter")
                w.page.wait_for_function(OPENED, arg=[SIDES[side], beside])
                assert w.page.evaluate("b => b.contains(document.activeElement)", button.element_handle()), "the focus is lost"
            if not beside:
                inner.press("Enter")
                w.page.keyboard.press("Escape")
                w.page.wait_for_function(OPENED, arg=[SIDES[side], False])
        assert not w.page.locator(".tooltip").count()
        assert not w.errors


# A list is in sight, or gone, when its motion has ended.
OPENED = """([links, wanted]) => { document.getAnimations().forEach(a => a.finish()); const a = document.querySelector(links),
    r = a?.getBoundingClientRect(); return Boolean(r?.width && r.left >= 0 && r.left < innerWidth
    && getComputedStyle(a).visibility === 'visible') === wanted; }"""


def test_from_the_contents_to_a_place_on_the_page(watched, site):
    """On a phone the list closes, the place is in sight and has the focus."""
    with watched(width=360, has_touch=True, is_mobile=True) as w:
        w.open(f"{site}/{FIRST}.html")
        w.page.locator(".bd-header-article .secondary-toggle").filter(visible=True).tap()
        link = w.page.locator("dialog[open] nav.page-toc a").last
        place = link.get_attribute("href")
        link.tap()
        w.page.wait_for_function("!document.querySelector('dialog[open]')")
        w.page.wait_for_function("place => { const r = document.querySelector(place).getBoundingClientRect();"
                                 " return r.top >= 0 && r.top < innerHeight; }", arg=place)
        assert w.page.evaluate("'#' + document.activeElement.id") == place


# ---- from page to page

def test_next_leads_from_the_cover_to_the_last_chapter(watched, site):
    """Pressed again and again, as a reader does; after the last chapter there is no next."""
    with watched() as w:
        w.page.route(re.compile(r"\.(js|woff2|svg)(\?|$)"), lambda route: route.abort())      # links need none of them
        w.page.goto(f"{site}/index.html", wait_until="commit")
        walked = []
        while len(walked) < 100:
            w.page.locator(".bd-footer-content").wait_for(state="attached")
            walked.append(w.page.url.removeprefix(f"{site}/").removesuffix(".html"))
            following = w.page.locator("a.right-next")
            if not following.count():
                break
            with w.page.expect_navigation(wait_until="commit"):
                following.click()
        assert walked == toc.road()


@pytest.mark.parametrize("address", ["nowhere.html", "chapters/nowhere.html", "no/such/place/at/all"])
def test_a_wrong_address(watched, site, address):
    """A page of the book answers, with its face and with links that lead into the book."""
    with watched() as w:
        assert w.page.goto(f"{site}/{address}").status == 404
        w.page.wait_for_function("document.querySelector('.bd-article h1')?.textContent.startsWith('No page') "
                                 "&& getComputedStyle(document.body).fontFamily.includes('Source Serif')")
        for link in ("the cover", "search the book"):
            with w.page.expect_response(lambda r: r.request.is_navigation_request()) as answer:
                w.page.get_by_role("link", name=link).click()
            assert answer.value.status == 200
            w.page.go_back()
            w.page.wait_for_function("document.querySelector('.bd-article h1')?.textContent.startsWith('No page')")


# ---- the search

FOUND = "[...document.querySelectorAll('#search-results ul.search > li > a')].map(a => a.getAttribute('href').split(/[?#]/)[0])"
ASKED = {"softmax": "chapters/softmax", "why divide by square root": None, "attention mask": "chapters/masks",
         "what is a head": "chapters/multi_head", "temperature": "chapters/softmax", "residual": "chapters/layers", "BERT": None,
         "KV cache": None, "embedding": None, "causal": "chapters/masks"}


@pytest.mark.parametrize("where", ["served", "from the disk"])
def test_search_finds_chapters_before_the_package(watched, site, where):
    with watched() as w:
        asked = ASKED if where == "served" else {words: ASKED[words] for words in ("softmax", "attention mask")}
        for words, best in asked.items():
            w.page.goto(f"{site if where == 'served' else SITE.as_uri()}/search.html?q={words.replace(' ', '+')}")
            w.page.wait_for_function("/finished/.test(document.querySelector('.search-summary')?.textContent)")
            w.page.wait_for_function("Number(document.querySelector('.search-summary').textContent.match(/\\d+/)[0])"
                                     f" <= {FOUND}.length")
            found = w.page.evaluate(FOUND)
            rooms = ["package" if page == "chapters/bibliography.html" or page.startswith("reference/") else "book" for page in found]
            assert rooms == sorted(rooms), (words, found)       # "book" stands before "package"
            assert found[0].startswith("chapters/"), (words, found)
            assert not best or found[0] == f"{best}.html", (words, found[:3])


def test_the_magnifier_leaves_the_words_alone(watched, site):
    with watched(width=360, has_touch=True, is_mobile=True) as w:
        w.open(f"{site}/{FIRST}.html")
        w.page.locator(".bd-header-article .search-button").tap()
        glass = w.page.locator("#pst-search-dialog .fa-magnifying-glass").bounding_box()
        start = w.page.locator("#pst-search-dialog input").evaluate(
            "i => i.getBoundingClientRect().left + parseFloat(getComputedStyle(i).paddingLeft)")
        assert glass["x"] + glass["width"] <= start
