"""What a hand stumbles over: presses, drags, walks and measures as a reader does, by mouse, touch and keyboard."""

import re

import pytest
from conftest import DARK_PHONE, PHONE, SITE, WIDE, chapter, on

from booklib import toc

pytestmark = pytest.mark.browser

FIGURES = [page for page in toc.pages() if "data-ak-figure" in (SITE / f"{page}.html").read_text()]
FIRST = toc.road()[1]
SIDES = {"primary": "nav.bd-links a", "secondary": "nav.page-toc a"}


def figure(w, k=0):
    """One of the page's figures as it was at first."""
    found = w.page.locator(".ak-figure").nth(k)
    found.get_by_role("button", name="Reset").evaluate("button => button.click()")
    w.settle()
    return found


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


# ---- what is dragged

def pull(w, box, path, held):
    """A finger down in the middle of a box, along a path, up; `held` is called while it is down."""
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    session = w.context.new_cdp_session(w.page)
    session.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    for dx, dy in path:
        session.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [{"x": x + dx, "y": y + dy}]})
        w.page.evaluate("() => new Promise(requestAnimationFrame)")
    result = held()
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    session.detach()
    return result


@on([toc.chapter(slug) for slug in ("score_functions", "basic_attention", "soft_dictionary", "weights")], DARK_PHONE)
def test_a_finger_that_drags_does_not_scroll(opened):
    """The point is still held at the end of the way, and the page has stayed where it was."""
    w, found = opened, figure(opened)
    hit = found.locator("svg .ak-hit").first
    hit.evaluate("e => scrollTo({top: e.getBoundingClientRect().top + scrollY - 300, behavior: 'instant'})")
    w.page.evaluate("window.ended = []; for (const kind of ['pointerup', 'pointercancel'])"
                    " addEventListener(kind, event => ended.push(event.type), {capture: true});")
    start, before = w.page.evaluate("scrollY"), hit.bounding_box()
    path = [(-4 * k, 9 * k) for k in range(1, 11)]
    after = pull(w, before, path, hit.bounding_box)
    w.page.wait_for_function("ended.length")
    assert w.page.evaluate("ended") == ["pointerup"]
    assert w.page.evaluate("scrollY") == start
    assert abs(after["y"] - before["y"]) + abs(after["x"] - before["x"]) > 12, "it has not come along"
    figure(w)


@chapter("score_functions")
def test_dragging_selects_no_words(opened):
    found = figure(opened)
    found.scroll_into_view_if_needed()
    names = found.locator("svg text.ak-text").filter(visible=True)
    one, other = names.first.bounding_box(), found.locator("svg").first.bounding_box()
    opened.page.mouse.move(one["x"] + 2, one["y"] + one["height"] / 2)
    opened.page.mouse.down()
    opened.page.mouse.move(other["x"] + other["width"] - 9, other["y"] + other["height"] - 9, steps=8)
    opened.page.mouse.up()
    assert opened.page.evaluate("String(getSelection())").strip() == ""


@chapter("weights")
def test_z_is_pulled_and_stays_within_the_outline(opened):
    """Within the outline z follows the pointer; pushed out of it, it stays at its edge; the weights always sum to one."""
    w, found = opened, figure(opened)
    drawing = found.locator("svg.ak-plane")
    drawing.scroll_into_view_if_needed()
    place = drawing.bounding_box()
    hull = [tuple(map(float, p.split())) for p in re.findall(r"[\d.]+ [\d.]+", found.locator(".ak-hull").get_attribute("d"))]
    middle = [sum(p[k] for p in hull) / len(hull) for k in (0, 1)]
    unit = place["width"] / 320
    for target, near in ((middle, 3), ((316, 316), 400)):
        box = found.locator(".ak-hit").bounding_box()
        w.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        w.page.mouse.down()
        w.page.mouse.move(place["x"] + target[0] * unit, place["y"] + target[1] * unit, steps=5)
        w.page.mouse.up()
        at = [float(v) for v in re.findall(r"[\d.]+", found.locator("circle.ak-of-output").get_attribute("transform"))]
        assert max(abs(a - b) for a, b in zip(at, target)) <= near
        sides = [(b[0] - a[0]) * (at[1] - a[1]) - (b[1] - a[1]) * (at[0] - a[0]) for a, b in zip(hull, hull[1:] + hull[:1])]
        assert min(sides) >= -60 or max(sides) <= 60, "z has left the outline"
        w.settle()
        assert "The weights sum to 1.00." in found.get_by_role("status").inner_text()
    assert sum(float(t) for t in found.locator(".ak-out").all_inner_texts()) == pytest.approx(1, abs=0.03)
    figure(w)


@chapter("masks")
def test_squares_are_painted_by_drawing_over_them(opened):
    """All become what the first one became; a press alone changes one; the sentence is about the row one stands in."""
    w, found = opened, figure(opened)
    squares = found.locator("button.ak-cell")
    count = int(squares.count() ** 0.5)
    row = [squares.nth(count * (count - 1) + k) for k in range(3)]
    before = [square.get_attribute("aria-pressed") for square in row]
    row[0].scroll_into_view_if_needed()
    for k, square in enumerate(row):
        box = square.bounding_box()
        w.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=4)
        if not k:
            w.page.mouse.down()
    w.page.mouse.up()
    assert {square.get_attribute("aria-pressed") for square in row} == {"false" if before[0] == "true" else "true"}
    row[0].press("ArrowUp")
    w.settle()
    told = squares.nth(count * (count - 2)).get_attribute("aria-label").split(" to ")[0].removeprefix("from ")
    assert found.get_by_role("status").inner_text().startswith(f"From “{told}”")
    figure(w)


# ---- the keyboard

# The groups of buttons that are pressed or not, and how many stops of the tab key each has.
STOPS = """f => { const shown = [...f.querySelectorAll('button[aria-pressed], .ak-bars > button')].filter(b => b.getClientRects().length), groups = new Map();
    for (const b of shown) { let box = b.closest('[role=grid]') ?? b.parentElement; while (box !== f && box.querySelectorAll('button[aria-pressed], .ak-bars > button').length < 2)
        box = box.parentElement; groups.set(box, [...(groups.get(box) ?? []), b]); }
    return [...groups.values()].filter(g => g.length > 1).map(g => [g.filter(b => b.tabIndex >= 0).length, g.length,
        g.slice(0, 3).map(b => b.getAttribute('aria-label') ?? b.textContent)]); }"""


@on(FIGURES, WIDE)
def test_a_group_of_buttons_is_one_stop(opened):
    """One stop of the tab key; the arrows lead on within, and neither they nor Home and End scroll the page."""
    w, walked = opened, 0
    for k in range(w.page.locator(".ak-figure").count()):
        found = figure(w, k)
        many = [group for group in found.evaluate(STOPS) if group[0] != 1]
        assert not many, many
        for button in found.locator("button[aria-pressed][tabindex='0']").filter(visible=True).all():
            button.evaluate("b => { b.scrollIntoView({block: 'center', behavior: 'instant'}); b.focus({preventScroll: true}); }")
            start, seen = w.page.evaluate("scrollY"), set()
            for key in ("Home", "End", "ArrowLeft", "ArrowRight", "Home"):
                w.page.keyboard.press(key)
                seen.add(w.page.evaluate("(window.known ??= new WeakMap(), known.has(document.activeElement) || known.set("
                                         "document.activeElement, Math.random()), known.get(document.activeElement))"))
                assert w.page.evaluate("document.activeElement.localName") == "button"
            assert w.page.evaluate("scrollY") == start, (opened.name, button.inner_text())
            walked += len(seen) > 1
        figure(w, k)
    assert walked or not w.page.locator(".ak-figure button[aria-pressed]").count()


# ---- on a phone

TALL = {"chapters/translation": ["Take back a word", "Take back a word", "At random"],
        "chapters/learning": ["hard (up to 30)", "1000", "One step", "One step"],
        "chapters/cost": ["window", "linear", "memory", "time"],
        "chapters/queries_keys_values": ["1 query, keys", "2 scores", "clever"]}


@on(TALL, WIDE, PHONE)
def test_a_figure_keeps_its_height(opened):
    """Whatever is pressed, nothing below the figure moves, and no button moves away under the pointer."""
    w, found = opened, figure(opened)
    height = found.bounding_box()["height"]
    for words in TALL[w.name]:
        button = found.get_by_role("button", name=words)
        before = button.evaluate("b => b.getBoundingClientRect().top + scrollY")
        button.evaluate("b => b.click()")
        w.settle()
        assert found.bounding_box()["height"] == pytest.approx(height, abs=1), (w.name, words)
        if w.name == "chapters/learning":
            assert button.evaluate("b => b.getBoundingClientRect().top + scrollY") == pytest.approx(before, abs=1)
    figure(w)


@chapter("writing", PHONE)
def test_a_press_in_the_story_changes_what_is_in_sight(opened):
    """The bars of next words and the buttons of the story fit a screen of 740 pixels; an unknown word moves nothing."""
    w, found = opened, figure(opened)
    top = found.get_by_role("button", name="Step").bounding_box()["y"]
    bars = found.locator(".ak-bars").bounding_box()
    story = found.locator(".ak-story").bounding_box()
    assert top < bars["y"] and bars["y"] + bars["height"] - story["y"] <= 740
    below = found.locator(".ak-heads")
    field = found.get_by_role("combobox", name="your next word")
    before = below.evaluate("e => e.getBoundingClientRect().top + scrollY")
    field.fill("unheardof")
    field.press("Enter")
    w.settle()
    assert found.locator(".ak-refusal").inner_text()
    assert below.evaluate("e => e.getBoundingClientRect().top + scrollY") == pytest.approx(before, abs=1)
    figure(w)


TARGETS = {"chapters/cost": ".ak-controls .ak-buttons > button, .ak-sharing > button",
           "chapters/translation": "button.ak-pick, [aria-label='Words that can follow'] > button"}


@on(TARGETS, PHONE)
def test_targets_are_as_large_as_a_thumb(opened):
    found = opened.page.locator("[data-ak-kind=attention_bill], [data-ak-kind=sentence_translator]").first
    small = found.evaluate("""(f, what) => [...f.querySelectorAll(what)].filter(b => b.getClientRects().length).map(b => {
        const r = b.getBoundingClientRect(); return [b.textContent, r.width, r.height]; }).filter(([, w, h]) => w < 44 || h < 44)""",
                           TARGETS[opened.name])
    assert not small
    lines = found.evaluate("""f => [...f.querySelectorAll('.ak-controls > .ak-buttons')].map(g => new Set([...g.querySelectorAll('button')]
        .map(b => Math.round(b.getBoundingClientRect().top))).size)""")
    assert all(count == 1 for count in lines), "a button stands alone on a line"


@on(toc.road()[1:2], PHONE)
def test_nothing_lies_on_a_control(opened):
    """Scrolled up a little in the middle of a figure, as when *Back to top* came: each slider can be hit."""
    w, found = opened, figure(opened)
    sliders = found.locator("input[type=range]")
    sliders.last.evaluate("s => scrollTo({top: s.getBoundingClientRect().top + scrollY - innerHeight * .9, behavior: 'instant'})")
    w.page.mouse.wheel(0, -40)
    covered = """s => { scrollBy({top: s.getBoundingClientRect().top - innerHeight * .9, behavior: 'instant'});
        const b = document.querySelector('#pst-back-to-top'); if (b) b.style.display = 'block';
        const r = s.getBoundingClientRect(); return document.elementFromPoint(innerWidth / 2, r.top + r.height / 2) !== s; }"""
    assert not any(slider.evaluate(covered) for slider in sliders.all())


def test_the_chart_and_its_sliders_at_200_percent(watched, site):
    """1280 x 900 at 200 %: the chart of the bill and all that moves it fit the screen together."""
    with watched(width=640) as w:
        w.page.set_viewport_size({"width": 640, "height": 450})
        w.open(f"{site}/{toc.chapter('cost')}.html")
        found = w.page.locator("[data-ak-kind=attention_bill]")
        chart, controls = found.locator(".ak-bill-chart").bounding_box(), found.locator(".ak-controls").bounding_box()
        both = [min(b["y"] for b in (chart, controls)), max(b["y"] + b["height"] for b in (chart, controls))]
        assert both[1] - both[0] <= 450 - 56, "under the bar of the site"


# ---- on paper, and without scripts

@pytest.mark.parametrize("page", [page for page in (toc.chapter("translation"), "further/translation")])
def test_print_is_as_wide_as_the_page(watched, site, page):
    with watched(width=640) as w:
        w.open(f"{site}/{page}.html")
        w.page.emulate_media(media="print")
        w.page.wait_for_function("!document.querySelector('.ak-figure')")
        assert w.page.evaluate("document.documentElement.scrollWidth") <= 640


def test_no_gap_on_the_cover_without_scripts(watched, site):
    with watched(java_script_enabled=False) as w:
        w.page.goto(f"{site}/index.html")
        still = w.page.locator("[data-ak-figure=alignment]")
        inside = max(box["y"] + box["height"] for box in (e.bounding_box() for e in still.locator(":scope > *").all()) if box)
        box = still.bounding_box()
        assert box["y"] + box["height"] - inside < 40


@chapter("softmax")
def test_a_button_says_what_it_does(opened):
    """Two buttons, for up and for down; at the end of the sliders the figure says why nothing moves."""
    w, found = opened, figure(opened)
    up = found.get_by_role("button", name="Add 0.5 to all scores")
    for _ in range(9):
        up.click()
    w.settle()
    assert up.inner_text() == "Add 0.5 to all scores" and found.get_by_role("status").inner_text().startswith("No room")
    found.get_by_role("button", name="Take 0.5 from all scores").click()
    w.settle()
    assert not found.get_by_role("status").inner_text().startswith("No room")
    figure(w)
