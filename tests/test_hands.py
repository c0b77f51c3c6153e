"""What a hand stumbles over on its way through the book: contents, next, a wrong address, the search, by mouse, touch and keyboard;
and the book as some have it: in larger letters, with wider spaces, in colours of their own, on paper.
"""

import io
import re
from pathlib import Path

import others
import pytest
from conftest import EVERY_LOOK, SHIFT, SITE
from pypdf import PdfReader

from website import toc
from website.browser import Server, serve

pytestmark = pytest.mark.browser

FIRST = toc.road()[1]
SIDES = {"primary": "nav.bd-links a", "secondary": "nav.page-toc a"}


# ---- the contents

def toggle(w, side):
    """What opens a list of contents: that of the page stands behind More on a phone."""
    button = w.page.locator(f".bd-header-article .{side}-toggle")
    more = w.page.get_by_role("button", name="More")
    if button.count() and not button.is_visible() and more.is_visible():
        more.tap()
    return button.filter(visible=True)


def in_sight(w, side):
    """Whether the list of chapters, or of the page, stands where it can be read, once it has come or gone."""
    w.page.evaluate("document.getAnimations().forEach(a => a.finish())")
    link = w.page.locator(SIDES[side]).first
    box = link.bounding_box() if link.is_visible() else None
    return bool(box) and 0 <= box["x"] < w.page.viewport_size["width"] and link.evaluate(
        "a => getComputedStyle(a).visibility === 'visible'")


def test_the_road_is_stops_on_a_wide_window(watched, site):
    """A stop and a tick say their names where one points; the button opens the whole list over the page, and Escape closes it."""
    with watched() as w:
        w.open(f"{site}/{FIRST}.html")
        for one in (".bd-sidenav > li:nth-child(3) > a", ".bd-sidebar-secondary .nav-link"):
            named = w.page.locator(one).first
            box = named.bounding_box()
            w.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
            assert box["width"] < 30 < named.bounding_box()["width"], one
        button, caption = w.page.locator(".primary-toggle button"), "#pst-primary-sidebar .caption"
        w.page.wait_for_function(OPENED, arg=[caption, False])
        for close in (button.click, lambda: w.page.keyboard.press("Escape")):
            button.click()
            w.page.wait_for_function(OPENED, arg=[caption, True])
            assert button.get_attribute("aria-expanded") == "true"
            close()
            w.page.wait_for_function(OPENED, arg=[caption, False])
            assert button.get_attribute("aria-expanded") == "false"


@pytest.mark.parametrize("width", [360, 1100])
def test_the_contents_open_and_close(watched, site, width):
    """By mouse or touch and by keyboard; the focus goes in and comes back; nothing is left behind."""
    phone = {"has_touch": True, "is_mobile": True} if width < 600 else {}
    with watched(width=width, **phone) as w:
        w.open(f"{site}/{FIRST}.html")
        for side in SIDES:
            button = toggle(w, side)
            beside = in_sight(w, side)              # a wide page shows it without being asked
            assert button.count() or beside, f"no way to the {side} contents"
            if not button.count():
                continue
            inner = button.locator("button") if button.locator("button").count() else button
            for press in (inner.tap if phone else inner.click, lambda key=inner: key.press("Enter")):
                toggle(w, side)
                press()
                w.page.wait_for_function(OPENED, arg=[SIDES[side], not beside])
                if beside:
                    press()
                else:
                    assert w.page.evaluate("document.activeElement.closest('dialog') !== null")
                    close = w.page.locator("dialog[open]").get_by_role("button", name="Close")
                    close.tap() if phone else close.press("Enter")
                w.page.wait_for_function(OPENED, arg=[SIDES[side], beside])
                assert w.page.evaluate("b => b.contains(document.activeElement) || document.activeElement.matches('.ak-rest')",
                                       w.page.locator(f".bd-header-article .{side}-toggle").element_handle()), "the focus is lost"
            if not beside:
                toggle(w, side)
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
        toggle(w, "secondary").tap()
        link = w.page.locator("dialog[open] nav.page-toc a").last
        place = link.get_attribute("href")
        link.tap()
        w.page.wait_for_function("!document.querySelector('dialog[open]')")
        w.page.wait_for_function("place => { const r = document.querySelector(place).getBoundingClientRect();"
                                 " return r.top >= 0 && r.top < innerHeight; }", arg=place)
        assert w.page.evaluate("'#' + document.activeElement.id") == place


# ---- from page to page

def test_next_leads_on(watched, site):
    """Pressed, as a reader does; that it leads from each page to the next, tests/test_site.py reads."""
    with watched() as w:
        w.open(f"{site}/index.html")
        for page in toc.road()[1:3]:
            w.page.locator("a.right-next").click()
            w.page.wait_for_url(f"{site}/{page}.html")


def test_a_wrong_address(watched, site):
    """However far down, a page of the book answers, with its face and with links that lead into the book."""
    with watched() as w:
        for address, link in (("nowhere.html", "the cover"), ("no/such/place/at/all", "search the book")):
            assert w.page.goto(f"{site}/{address}").status == 404
            w.page.wait_for_function("document.querySelector('.bd-article h1')?.textContent.startsWith('No page') "
                                     "&& getComputedStyle(document.body).fontFamily.includes('Source Serif')")
            with w.page.expect_response(lambda r: r.request.is_navigation_request()) as answer:
                w.page.get_by_role("link", name=link).click()
            assert answer.value.status == 200


class WithoutEndings(Server):
    """A host that leaves out the end of addresses, as some do: page.html is sent on to page."""

    def do_GET(self):
        if self.path.endswith(".html"):
            self.send_response(301)
            self.send_header("Location", self.path.removesuffix(".html"))
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        if Path(self.translate_path(self.path + ".html")).is_file():
            self.path += ".html"
        super().do_GET()


def test_a_wrong_address_rests_on_a_host_with_short_addresses(watched):
    """The page for wrong addresses is asked for once, not again and again; the links on it lead into the book."""
    with serve(host=WithoutEndings) as short, watched() as w:
        w.page.goto(f"{short}/no/such/place")
        w.page.wait_for_url(f"{short}/404")
        w.page.wait_for_load_state("networkidle")
        assert w.page.evaluate("performance.getEntriesByType('navigation').length") == 1
        visits = [url for url in w.requests if url.endswith("/404")]
        assert len(visits) == 5, visits      # three looks upwards, the visit, and a look at where it is
        w.page.get_by_role("link", name="the cover").click()
        w.page.wait_for_url(f"{short}/index")


# ---- a browser that keeps nothing, fonts that do not come, no scripts

KEEPS = {
    "refuses": "Object.defineProperty(window, name, {configurable: true, get() { throw new DOMException('no', 'SecurityError'); }})",
    "is full": "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); }",
}


@pytest.mark.parametrize("storage", KEEPS)
def test_a_phone_without_storage_reaches_every_chapter(watched, site, storage):
    """List of chapters, contents, search and dark mode work as ever, and nothing is complained of."""
    with watched(width=390, has_touch=True, is_mobile=True) as w:
        w.page.add_init_script(f"for (const name of ['localStorage', 'sessionStorage']) {KEEPS[storage]}")
        w.open(f"{site}/chapters/softmax.html")
        for side in SIDES:
            toggle(w, side).tap()
            w.page.wait_for_function(OPENED, arg=[SIDES[side], True])
            w.page.locator("dialog[open]").get_by_role("button", name="Close").tap()
            w.page.wait_for_function(OPENED, arg=[SIDES[side], False])
        before = w.page.evaluate("document.documentElement.dataset.mode")
        w.page.get_by_role("button", name="More").tap()
        w.page.locator(".theme-switch-button").tap()
        assert w.page.evaluate("document.documentElement.dataset.mode") != before
        w.page.locator(".bd-header-article .search-button").tap()
        assert w.page.locator("#pst-search-dialog input").is_visible()
        assert not w.errors


def test_the_list_of_chapters_shows_where_one_is(watched, site):
    """Beside the page and over it, at the beginning of the road, in its middle and at its end."""
    for width in (1280, 390):
        with watched(width=width, **({"has_touch": True, "is_mobile": True} if width < 600 else {})) as w:
            for page in (FIRST, toc.road()[len(toc.road()) // 2], toc.road()[-1]):
                w.page.goto(f"{site}/{page}.html")
                if width < 600:
                    w.page.locator(".bd-header-article .primary-toggle").tap()
                    w.page.wait_for_function(OPENED, arg=["dialog[open] nav.bd-links [aria-current]", True])
                w.page.wait_for_function("""() => { const box = document.querySelector("nav.bd-links [aria-current]").getBoundingClientRect();
                    return box.top >= 0 && box.bottom <= innerHeight; }""")


def test_the_focus_is_seen_wherever_the_tab_key_leads(watched, site):
    with watched() as w:
        w.open(f"{site}/{FIRST}.html")
        unseen, seen = [], set()
        for _ in range(300):
            w.page.keyboard.press("Tab")
            name, ring = w.page.evaluate("""() => { const e = document.activeElement, s = getComputedStyle(e);
                return [e.outerHTML.slice(0, 120), s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 2]; }""")
            if name.startswith("<body"):
                break
            seen.add(name)
            if not ring:
                unseen.append(name)
        assert len(seen) > 60 and not unseen, unseen[:5]


def test_fonts_that_never_come(watched, site):
    """Nothing is complained of where none comes; how late ones move nothing, tests/test_site.py asks."""
    with watched() as w:
        w.page.add_init_script(SHIFT)
        w.page.route(re.compile(r"\.woff2$"), lambda route: route.abort())
        w.open(f"{site}/{FIRST}.html")
        assert not [error for error in w.errors if "Failed to load resource" not in error]
        assert w.page.evaluate("shift") < 0.02


def test_without_scripts_there_is_a_way_to_the_chapters_and_one_picture_of_each_figure(chromium, site):
    context = chromium.new_context(java_script_enabled=False, viewport={"width": 390, "height": 800})
    page = context.new_page()
    page.goto(f"{site}/reference/gallery.html")
    assert all(shot.locator("img:visible").count() == 1 for shot in page.locator(".ak-shot").all())
    assert not page.locator(".bd-header-article button:visible").count(), "a button that does nothing"
    page.get_by_role("link", name="All chapters").click()
    assert page.url.endswith("index.html#the-map")
    context.close()


# ---- what is copied

COPIED = """([from, to]) => { const [a, b] = [from, to].map(s => document.querySelector(s));
    getSelection().setBaseAndExtent(a, 0, b, b.childNodes.length);
    const clipboardData = new DataTransfer();
    a.dispatchEvent(new ClipboardEvent("copy", { clipboardData, bubbles: true, cancelable: true }));
    return clipboardData.getData("text/plain"); }"""


def test_a_formula_is_copied_as_its_tex_once(watched, site):
    """Chosen with the words around it, or a part of it; a choice without formulas is left to the browser."""
    with watched() as w:
        w.open(f"{site}/chapters/softmax.html")
        for part in ("#make-it-positive-then-divide", "#make-it-positive-then-divide div.math .katex-html"):
            text = w.page.evaluate(COPIED, [part, part])
            assert text.count(r"w_i = \frac{e^{s_i}}") == 1 and "$$w_i" in text, text
        assert text.startswith("$$w_i") and text.endswith("$$") and text.count("\n") == 0, "and nothing of how it is drawn"
        assert "$s_1, \\ldots, s_m$" in w.page.evaluate(COPIED, ["#make-it-positive-then-divide"] * 2)
        assert w.page.evaluate(COPIED, ["h1", "h1"]) == ""


# ---- the search

FOUND = "[...document.querySelectorAll('.ak-search li > a')].map(a => a.getAttribute('href'))"


def test_the_search_page(watched, site):
    """It leads to sections, shows the sentence, answers while one types, and is walked by keyboard."""
    with watched() as w:
        w.page.goto(f"{site}/search.html?q=key-value+cache")
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


ASKED = {       # what is typed, and what the page says then
    "": r"",
    "  ": r"",
    "xyzzy": r"Nothing was found\.",
    "a" * 5000: r"Nothing was found\.",
    "the of a": r"no word in it",
    "@ ?": r"no word in it",
    "<img src=x onerror=alert(1)>": r"“<img src=x",
    "causal mask": r"“causal mask”: (the first 20 of )?\d\d places(, \d+ of them with all the words)?\.$",
    "einsum": r": \d places?\.$",
    "induction head": r": \d+ places, \d of them with all the words\.$",
    "hopfield network": r": \d places, (1|none) of them",
    "softmax xyzzy": r"the first 20 of \d+ places\. No page has “xyzzy”\.$",
    "learning rate too high": r"places",
    "softmax(QK^T)": r"places",
    "d_k": r"places",
    "q·k": r"places",
    "swiglu": r"places",
    "partial derivative": r"places",
    "distance alpha": r"places",
    "length of a vector": r"places",
    "gelu relu": r"places",
    "alibi": r"places",
    "„Softmax“": r"places",
}
SHOWN = """[...document.querySelectorAll('.ak-search li')].map(li => [li.querySelector('p').textContent,
    bookSections.find(one => one.at === li.querySelector('a').getAttribute('href')).text ?? ''])"""
RAW = r"\\|\b(frac|lVert|mathbf|aligned|operatorname|varepsilon|partial [a-zA-Z]\b)|:$|:\s*…$|\s[.,;]|^[,;.)]"


def test_what_the_search_says_is_what_it_shows(watched, site):
    """The count is that of the list; each excerpt is whole words of its section, no raw formula, and does not end before what it announces."""
    with watched() as w:
        w.page.goto(f"{site}/search.html")
        field, status = w.page.get_by_role("searchbox", name="Search the book"), w.page.locator(".ak-search").get_by_role("status")
        for asked, told in ASKED.items():
            field.fill(asked)
            field.press("Enter")
            said, shown = status.inner_text(), w.page.evaluate(SHOWN)
            assert re.search(told, said), (asked, said)
            counts = re.findall(r"(?:first |: )(\d+) (?:of \d+ )?places?", said)
            assert [len(shown)] == [int(count) for count in counts] if shown else not counts, (asked, said, len(shown))
            for excerpt, text in shown:
                words = re.sub(r"^(Found under “[^”]*”|In its code: [^.]*)\. ", "", excerpt)
                assert not re.search(RAW, words), (asked, words)
                core = words.removeprefix("… ").removesuffix(" …")
                assert len(core) < 330 and re.search(r"(?<!\w)" + re.escape(core) + r"(?!\w)", text.replace("\n", " ")), (asked, words)
        assert not w.page.locator(".ak-search img").count() and not w.errors


@pytest.mark.parametrize("where", ["from the disk", "where addresses stay"])
def test_back_brings_the_question_and_what_was_found(watched, site, where):
    """The question that was typed last, not that of the address; the keys lead out of the list and empty the field."""
    with watched() as w:
        if where == "where addresses stay":
            w.page.add_init_script("""{ const replace = history.replaceState.bind(history);
                history.replaceState = (state, title, to) => {
                    if (`${to}`.startsWith('?')) throw new DOMException('no', 'SecurityError');
                    replace(state, title, to); }; }""")
        field = w.page.get_by_role("searchbox", name="Search the book")
        told = "said => document.querySelector('.ak-search-said')?.textContent.includes(said)"
        w.page.goto(f"{SITE.as_uri() if where == 'from the disk' else site}/search.html?q=softmax")
        field.fill("kv cache")
        w.page.wait_for_function(told, arg="“kv cache”")
        first = w.page.evaluate(FOUND)
        w.page.locator(".ak-search li > a").nth(3).click()
        w.page.wait_for_url("**#*")
        w.page.go_back()
        w.page.wait_for_function(told, arg="“kv cache”")
        assert field.input_value() == "kv cache" and w.page.evaluate(FOUND) == first
        field.press("ArrowDown")
        w.page.keyboard.press("Escape")
        assert w.page.evaluate("document.activeElement.name") == "q" and field.input_value() == "kv cache"
        w.page.keyboard.press("Escape")
        assert field.input_value() == "" and not w.page.evaluate(FOUND)
        assert not w.errors


# ---- terms and claims

MEANS = "getComputedStyle(document.querySelector('a.ak-to-term'), '::after').content"


def test_a_term_shows_what_it_means_and_escape_puts_it_away(watched, site):
    with watched() as w:
        w.open(f"{site}/chapters/multi_head.html")
        term = w.page.locator("a.ak-to-term").first
        means = term.get_attribute("aria-description")
        term.hover()
        assert means in w.page.evaluate(MEANS)
        at, below = w.page.evaluate("""() => { const term = document.querySelector('a.ak-to-term'), box = getComputedStyle(term, '::after');
            const [line] = term.getClientRects(), around = term.closest('p, li').getBoundingClientRect();
            const room = around.width - 20 * parseFloat(getComputedStyle(document.documentElement).fontSize);
            return [Math.abs(parseFloat(box.left) + around.left - Math.min(line.left, around.left + room)), parseFloat(box.top) + around.top + parseFloat(box.marginTop) - line.bottom]; }""")
        assert at < 2 and 0 <= below < 12, "it stands under the word"
        w.page.keyboard.press("Escape")
        assert w.page.evaluate(MEANS) == "none"
        w.page.mouse.move(0, 0)
        term.hover()
        assert means in w.page.evaluate(MEANS)
        term.click()
        w.page.wait_for_url("**/reference/glossary.html#term-*")
        assert w.page.evaluate("document.querySelector(location.hash).nextElementSibling.textContent").startswith(means)


def test_a_citation_is_read_where_it_stands(watched, site):
    """Pointed at, its entry stands in the margin where there is one, on the screen, and else under it."""
    with watched() as w:
        w.open(f"{site}/chapters/multi_head.html")
        cited = w.page.locator("a.ak-cites").first
        for width in (1200, 1280, 1600, 800):
            w.page.set_viewport_size({"width": width, "height": 900})
            cited.hover()
            left, right, text, words = w.page.evaluate("""() => { const cited = document.querySelector('a.ak-cites'), box = getComputedStyle(cited, '::after');
                const around = cited.closest('p, li').getBoundingClientRect(), left = around.left + parseFloat(box.left);
                return [left, left + parseFloat(box.width) + 30, around.right, box.content]; }""")
            assert "Attention is all you need. 2017." in words
            assert (left >= text) == (width >= 1280) and right <= width
            assert w.page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_finger_sees_the_meaning_first(watched, site):
    with watched(width=360, has_touch=True, is_mobile=True) as w:
        w.open(f"{site}/chapters/multi_head.html")
        term = w.page.locator("a.ak-to-term").first
        term.tap()
        assert "multi_head" in w.page.url and term.get_attribute("aria-description") in w.page.evaluate(MEANS)
        assert w.page.evaluate("document.documentElement.scrollWidth") <= 360
        w.page.locator(".bd-article h1").tap()
        assert not w.page.locator(".ak-tapped").count()
        term.tap()
        term.tap()
        w.page.wait_for_url("**/reference/glossary.html#term-*")


LEFT = """() => [...document.querySelectorAll('.ak-glossary dt, article tbody tr')].filter(e => e.checkVisibility())
    .map(e => (e.querySelector('annotation') ?? e).textContent)"""


@pytest.mark.parametrize("where", ["from the disk", "without scripts"])
def test_what_is_typed_is_what_remains_of_the_glossary(watched, site, where):
    """Those that are called so, or else those that speak of it; the next stop of the tab key is the first of them."""
    with watched(java_script_enabled=where != "without scripts") as w:
        w.page.goto(f"{SITE.as_uri() if where == 'from the disk' else site}/reference/glossary.html")
        every, field = w.page.evaluate(LEFT), w.page.get_by_role("searchbox", name="Find a term")
        assert len(every) > 200 and field.is_visible() == (where != "without scripts")
        if where == "without scripts":
            return
        for typed, left in {"W^Q": ["W^Q"], "Mask caus": ["causal mask"], "adamw": ["Adam"], "xyzzy": [], "": every}.items():
            field.fill(typed)
            assert w.page.evaluate(LEFT) == left and w.page.locator("#letters-and-shapes").is_visible() == (typed in ("W^Q", ""))
        field.fill("adamw")
        assert w.page.locator(".ak-search").get_by_role("status").inner_text().startswith(f"1 of {len(every)} entries")
        field.press("Tab")
        assert "Steps of a better length" in w.page.evaluate("document.activeElement.textContent")
        field.press("Enter")
        w.page.wait_for_url("**/search.html?q=adamw")
        assert not w.errors and not w.outside


def test_claims_are_filtered_without_a_script(chromium, site):
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{site}/reference/claims.html")
    for words, wanted in ((("", "", ""), 147), (("s-merrell2023", "", ""), 16), (("s-merrell2023", "v-false", ""), 2), (("", "v-false", "p-masks"), 1)):
        for choice, value in zip(page.locator(".ak-claims select").all(), words):
            choice.select_option(value)
        assert page.locator(".ak-claims li:visible").count() == wanted
        assert page.locator(".ak-claims section:visible").count() == page.locator(".ak-claims section:visible:has(li:visible)").count() > 0
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


# ---- as some readers have it

# What is wider than the window, and words that are cut: they reach beyond something that hides what does. What scrolls hides
# nothing; letters are lower than their line, so a third of it may be hidden.
CUT = """() => {
    const out = [...document.querySelectorAll('.bd-header-article button')].filter(b => b.getBoundingClientRect().right > innerWidth + 1).map(b => b.title || b.ariaLabel);
    if (document.documentElement.scrollWidth > innerWidth) out.push(`the page, ${document.documentElement.scrollWidth} wide`);
    const walk = document.createTreeWalker(document.querySelector('.bd-main'), NodeFilter.SHOW_TEXT), range = document.createRange();
    while (walk.nextNode()) {
        const e = walk.currentNode.parentElement;
        if (!walk.currentNode.data.trim() || !e.checkVisibility({visibilityProperty: true, opacityProperty: true}) || e.closest('.katex, svg')) continue;
        range.selectNodeContents(walk.currentNode);
        const words = range.getBoundingClientRect(), {fontSize, writingMode} = getComputedStyle(e), third = parseFloat(fontSize) / 3;
        const across = writingMode.startsWith('v') ? third : 1.5;
        let aside = false, down = false;
        for (let a = e; words.width && a.matches('.bd-main *'); a = a.parentElement) {
            const s = getComputedStyle(a), box = a.getBoundingClientRect();
            if (s.clipPath !== 'none') break;
            if (s.overflowX === 'visible' && !/paint|strict|content/.test(s.contain)) continue;
            aside ||= /auto|scroll/.test(s.overflowX);
            down ||= /auto|scroll/.test(s.overflowY);
            if ((!aside && (words.left < box.left - across || words.right > box.right + across))
                || (!down && (words.top < box.top - third || words.bottom > box.bottom + third))) {
                out.push(walk.currentNode.data.trim().slice(0, 40));
                break; } } }
    return out; }"""
# WCAG 1.4.12: what a reader may ask of the spaces.
SPACES = """.bd-main * { line-height: 1.5 !important; letter-spacing: .12em !important; word-spacing: .16em !important }
    .bd-main p { margin-bottom: 2em !important }"""


def test_other_letters_cut_nothing(watched, site):
    """In a browser set to letters of 24 px, and with the widest spaces, on a laptop and a phone; and at 320 px as it is."""
    cut = {}
    with watched() as w:
        fonts = w.context.new_cdp_session(w.page)
        for name in ("chapters/soft_dictionary", "chapters/machine", "further/queries_keys_values", "reference/equivalences"):
            w.open(f"{site}/{name}.html")
            for size, spaces, width in ((24, "", 1280), (24, "", 390), (16, "", 320), (16, SPACES, 390), (16, SPACES, 1280)):
                fonts.send("Page.setFontSizes", {"fontSizes": {"standard": size}})
                w.page.set_viewport_size({"width": width, "height": 900})
                if spaces and width == 390:
                    w.page.add_style_tag(content=spaces)
                w.page.wait_for_function("size => getComputedStyle(document.documentElement).fontSize === size", arg=f"{size}px")
                w.page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
                cut[name, size, "spaced" if spaces else "", width] = w.page.evaluate(CUT)
    cut = {row: words for row, words in cut.items() if words}
    assert not cut, cut


# Of each part of a figure: whether its ground can be told from what it lies on; of a gradient, whether it is there.
GROUNDS = """() => {
    const parse = e => { const c = getComputedStyle(e).backgroundColor, n = c.match(/[\\d.e-]+/g).map(Number), k = c.startsWith('color') ? 255 : 1;
        return {rgb: n.slice(0, 3).map(x => Math.round(k * x)).join(), share: n[3] ?? 1}; };
    // The same parts in both looks: a model that has just been read changes some in between.
    window.parts ??= [...document.querySelectorAll('.ak-figure :not(svg *, input, select, textarea)')].filter(e => e.checkVisibility());
    return window.parts.map(e => {
        if (!e.isConnected) return null;
        const own = parse(e);
        let under = e.parentElement;
        while (parse(under).share < 1 && under !== document.documentElement) under = under.parentElement;
        const seen = [own.share > .05 && own.rgb !== parse(under).rgb, getComputedStyle(e).backgroundImage !== 'none'];
        return [e.closest('.ak-figure').dataset.akKind, e.className, ...seen]; }); }"""
# Chosen buttons that look like one beside them that is not, but for the weight of their letters.
ALIKE = """() => [...document.querySelectorAll('.ak-figure button[aria-pressed=true]')].filter(b => b.checkVisibility()).filter(b => {
    const look = e => { const s = getComputedStyle(e); return [s.backgroundColor, s.borderColor, s.boxShadow, s.color].join(); };
    return [...b.parentElement.querySelectorAll('button[aria-pressed=false]')].some(other => look(other) === look(b)); })
    .map(b => [b.closest('.ak-figure').dataset.akKind, b.textContent])"""
RING = """([b]) => { b.focus({focusVisible: true}); const s = getComputedStyle(b), page = getComputedStyle(document.body).backgroundColor;
    return s.outlineStyle === 'solid' && parseFloat(s.outlineWidth) > 1 && s.outlineColor !== page; }"""


def test_forced_colours_lose_nothing(watched):
    """Every bar, square and hatching is still seen, what is chosen by more than bold letters, and where the keyboard is."""
    with serve(host=others.Host) as site, watched() as w:
        w.open(f"{site}/{others.ALL}.html")
        for scheme in ("light", "dark"):
            w.page.emulate_media(forced_colors="none", color_scheme=scheme)
            before = w.page.evaluate(GROUNDS)
            w.page.emulate_media(forced_colors="active")
            after = w.page.evaluate(GROUNDS)
            both = [(was, now) for was, now in zip(before, after, strict=True) if now]
            lost = [(kind, part) for (kind, part, *seen), (*_, ground, image) in both
                    if seen > [ground, image] and part not in ("ak-box", "ak-panel")]
            assert len(both) > 50 and not lost, (scheme, sorted(set(lost)))
            assert not w.page.evaluate(ALIKE), scheme
            assert w.page.locator(".ak-figure button:enabled:visible").evaluate_all(RING), scheme


# On paper: what reaches beyond the right edge, or is hidden there; cells of a table that touch; what is for the screen only;
# words that are not in dark ink.
BEYOND = """() => {
    const shown = [...document.querySelectorAll('.bd-article :not(.katex *, svg *, .ak-unseen), .katex .base')].filter(e => e.getClientRects().length);
    const wide = shown.filter(e => e.getBoundingClientRect().right > innerWidth + 1 || (!e.querySelector('.katex')
        && getComputedStyle(e).overflowX !== 'visible' && e.scrollWidth > e.clientWidth + 1)).map(e => `beyond the edge: ${e.textContent.trim().slice(0, 30)}`);
    const range = document.createRange(), words = c => { range.selectNodeContents(c); return range.getBoundingClientRect(); };
    const close = [...document.querySelectorAll('.bd-article tr')].flatMap(row => [...row.cells].filter(c => c.textContent.trim())
        .filter((c, k, all) => k && words(c).width && words(c).left - words(all[k - 1]).right < 4 && words(c).right > words(all[k - 1]).left)
        .map(c => `touches what stands before it: ${c.textContent.trim()}`));
    const screen = [...document.querySelectorAll('nav, .bd-sidebar, .bd-header-article, .prev-next-footer, footer, summary, .copybtn, .headerlink, .ak-figure')]
        .filter(e => e.closest('.bd-content, .bd-footer') && e.getClientRects().length && !e.closest('.ak-exercise, .sd-dropdown')).map(e => `is for the screen: ${e.outerHTML.slice(0, 80)}`);
    const pale = [...document.querySelectorAll('.bd-article p:not([class])')].filter(p => p.getClientRects().length && getComputedStyle(p).color !== 'rgb(27, 28, 32)').map(p => `is pale: ${p.textContent.slice(0, 40)}`);
    const gone = [...document.querySelectorAll('[data-ak-figure]:not(details *, [data-ak-figure=practice])')].filter(e => !e.querySelector(':scope > :is(table, div, figure, .ak-still-form)')).map(e => `no still figure: ${e.dataset.akFigure}`);
    return [...wide, ...close, ...screen, ...pale, ...gone]; }"""


def test_paper(watched, site):
    """Printed as a reader does, from the living page: no blank sheet, nothing cut at the edge, no two columns that
    touch, nothing that is for the screen, figures still and whole, the words in dark ink."""
    wrong = []
    with watched() as w:
        for name in ("chapters/machine", "further/queries_keys_values", *(["chapters/learning", "chapters/real_model"] if EVERY_LOOK else [])):
            w.page.set_viewport_size({"width": 1280, "height": 900})
            w.open(f"{site}/{name}.html")
            sheets = PdfReader(io.BytesIO(w.page.pdf(format="A4"))).pages
            wrong += [f"{name}: sheet {n} of {len(sheets)} is blank" for n, s in enumerate(sheets, 1) if not s.extract_text().strip()]
            w.page.emulate_media(media="print")
            w.page.wait_for_function("!document.querySelector('.ak-figure')")
            for sheet, width in (("A4", 642), ("Letter", 664)):      # between its margins
                w.page.set_viewport_size({"width": width, "height": 900})
                wrong += [f"{name}, {sheet}: {what}" for what in w.page.evaluate(BEYOND)]
            w.page.emulate_media(media="null")
    assert not wrong, "\n".join(wrong)
