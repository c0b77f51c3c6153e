"""What a hand stumbles over on its way through the book: contents, next, a wrong address, the search, by mouse, touch and keyboard."""

import re
import urllib.parse

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

FOUND = "[...document.querySelectorAll('.ak-search li > a')].map(a => a.getAttribute('href'))"


@pytest.mark.parametrize("where", ["served", "from the disk"])
def test_the_search_page(watched, site, where):
    """It leads to sections, shows the sentence, answers while one types, and is walked by keyboard; from the disk, too."""
    with watched() as w:
        w.page.goto(f"{site if where == 'served' else SITE.as_uri()}/search.html?q=key-value+cache")
        w.page.wait_for_function(f"() => {FOUND}.length > 3")
        assert w.page.evaluate(FOUND)[0] == "chapters/writing.html#nothing-twice-the-key-value-cache"
        assert w.page.evaluate("document.activeElement.name") == "q" and "places" in w.page.locator(".ak-search-said").inner_text()
        marked = w.page.locator(".ak-search li p mark").all_inner_texts()
        assert {word.lower() for word in marked} >= {"keys", "values"} or {word.lower() for word in marked} >= {"key", "value", "cache"}
        w.page.get_by_role("searchbox", name="Search the book").fill("atention weigths")
        w.page.wait_for_function("() => /\\u201cattention weights\\u201d/.test(document.querySelector('.ak-search-said').textContent)")
        w.page.keyboard.press("ArrowDown")
        w.page.keyboard.press("ArrowDown")
        assert w.page.evaluate("document.activeElement === document.querySelectorAll('.ak-search li > a')[1]")
        w.page.keyboard.press("ArrowUp")
        place = w.page.evaluate("document.activeElement.href")
        w.page.keyboard.press("Enter")
        w.page.wait_for_url(place)
        assert not w.errors and not w.outside


def test_the_search_says_so_when_nothing_is_found(watched, site):
    with watched() as w:
        for asked, said in (("", ""), ("xyzzy", "Nothing was found"), ("<img src=x onerror=alert(1)>", "")):
            w.page.goto(f"{site}/search.html?q={urllib.parse.quote(asked)}")
            w.page.wait_for_function("() => document.querySelector('.ak-search input').value !== undefined && window.bookSearch")
            assert said in w.page.locator(".ak-search-said").inner_text() and not w.page.locator(".ak-search img").count()


# ---- terms and claims

MEANS = "getComputedStyle(document.querySelector('a.ak-to-term'), '::after').content"


def test_a_term_shows_what_it_means_and_escape_puts_it_away(watched, site):
    with watched() as w:
        w.open(f"{site}/chapters/multi_head.html")
        term = w.page.locator("a.ak-to-term").first
        means = term.get_attribute("data-means")
        term.hover()
        assert means in w.page.evaluate(MEANS)
        w.page.keyboard.press("Escape")
        assert w.page.evaluate(MEANS) == "none"
        w.page.mouse.move(0, 0)
        term.hover()
        assert means in w.page.evaluate(MEANS)
        term.click()
        w.page.wait_for_url("**/reference/glossary.html#term-*")
        assert w.page.evaluate("document.querySelector(location.hash).nextElementSibling.textContent").startswith(means)


def test_a_finger_sees_the_meaning_first(watched, site):
    with watched(width=360, has_touch=True, is_mobile=True) as w:
        w.open(f"{site}/chapters/multi_head.html")
        term = w.page.locator("a.ak-to-term").first
        term.tap()
        assert "multi_head" in w.page.url and term.get_attribute("data-means") in w.page.evaluate(MEANS)
        assert w.page.evaluate("document.documentElement.scrollWidth") <= 360
        w.page.locator(".bd-article h1").tap()
        assert not w.page.locator(".ak-tapped").count()
        term.tap()
        term.tap()
        w.page.wait_for_url("**/reference/glossary.html#term-*")


def test_claims_are_filtered_without_a_script(chromium, site):
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{site}/reference/claims.html")
    for words, wanted in ((("", "", ""), 147), (("s-merrell2023", "", ""), 16), (("s-merrell2023", "v-false", ""), 2), (("", "v-false", "p-masks"), 1)):
        for choice, value in zip(page.locator(".ak-claims select").all(), words):
            choice.select_option(value)
        shown = [row for row in page.locator(".ak-claims li").all() if row.is_visible()]
        assert len(shown) == wanted
        groups = [group for group in page.locator(".ak-claims section").all() if group.is_visible()]
        assert all(group.locator("li:visible").count() for group in groups) and groups
    page.get_by_role("button", name="Show all").click()
    assert page.locator(".ak-claims li:visible").count() == 147
    context.close()


def test_the_magnifier_leaves_the_words_alone(watched, site):
    with watched(width=360, has_touch=True, is_mobile=True) as w:
        w.open(f"{site}/{FIRST}.html")
        w.page.locator(".bd-header-article .search-button").tap()
        glass = w.page.locator("#pst-search-dialog .fa-magnifying-glass").bounding_box()
        start = w.page.locator("#pst-search-dialog input").evaluate(
            "i => i.getBoundingClientRect().left + parseFloat(getComputedStyle(i).paddingLeft)")
        assert glass["x"] + glass["width"] <= start
