"""The built site in headless Chromium, the outside world cut off.

Each page is opened twice, wide and light and as a phone in the dark; everything that wants it so is asked then.  The
listings of the package all come from one template: a few stand for them.  `make pages` opens every one in all four
themes and widths.  What needs no browser is read from the page's text.  Clocks are not asked here: what a page costs is
counted in bytes, elements and requests; `make speed` measures the times.
"""

import functools
import html
import json
import os
import posixpath
import re
from itertools import combinations

import pytest
from bs4 import BeautifulSoup
from conftest import DARK, DARK_PHONE, PHONE, ROOT, SHIFT, SITE, TWO, WIDE, chapter, on

from attnkit.figures.base import RUN_MODELS
from attnkit.pictures import palette
from booklib import browser, toc

pytestmark = pytest.mark.browser

PAGES = toc.pages()
BUILT = sorted(path.relative_to(SITE).with_suffix("").as_posix() for path in SITE.rglob("*.html")
               if "_static" not in path.relative_to(SITE).parts)
LISTINGS = sorted((name for name in BUILT if name.startswith("_modules/")), key=lambda name: (SITE / f"{name}.html").stat().st_size)
# To look at: of the listings the shortest, the middle one and the longest, and the list of them all.
SEEN = BUILT if "EVERY_LOOK" in os.environ else [name for name in BUILT if name not in LISTINGS or name in (
    "_modules/index", LISTINGS[0], LISTINGS[len(LISTINGS) // 2], LISTINGS[-1])]
CHAPTERS = toc.chapters()

FIGURES = [page for page in PAGES if "data-ak-figure" in (SITE / f"{page}.html").read_text()]
AXE = ROOT / "tests" / "node_modules" / "axe-core" / "axe.min.js"
# What a figure shows: its words, inline styles and pressed buttons. Not the values of its controls: a dead slider moves, too.
SHOWN = """f => [f.textContent, ...[...f.querySelectorAll('*')].map(e => (e.getAttribute('style') ?? '')
    + (e.getAttribute('aria-pressed') ?? ''))].join('|')"""
# All of its state, to compare with where it began.
STATE = """f => [f.textContent, ...[...f.querySelectorAll('*')].map(e => (e.value ?? '') + (e.getAttribute('style') ?? '')
    + (e.getAttribute('aria-pressed') ?? ''))].join('|')"""


def figures(page):
    return page.locator(".ak-figure")


def figure(w, k=0):
    """One of the page's figures as a reader finds it, whatever an earlier test did to it."""
    found = figures(w.page).nth(k)
    found.get_by_role("button", name="Reset").click()
    w.page.mouse.move(0, 0)
    w.page.evaluate("document.activeElement.blur()")
    w.settle()
    return found


# ---- every page that is built, in each theme and width

@on(SEEN, *TWO)
def test_loads_cleanly(opened):
    """No outside request, no script error, no sideways scroll, no jump."""
    assert opened.page.evaluate("document.documentElement.dataset.theme") == opened.look.theme
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= opened.look.width
    assert opened.page.evaluate("window.shift") < 0.02
    assert not opened.errors and not opened.outside


# The first picture or figure in sight on a page; before anything is unfolded.
FIRST = """() => { const [r] = [...document.querySelectorAll('.bd-article :is(figure.ak-picture, [data-ak-figure])')]
    .map(e => e.getBoundingClientRect()).filter(r => r.height); return r && {top: r.top + scrollY, height: r.height}; }"""


@on(toc.road(), WIDE)
def test_the_first_picture_is_on_the_first_screen(opened):
    """On a laptop, 1280 x 800: at least its upper half, before anybody scrolls."""
    first = opened.page.evaluate(FIRST)
    assert first, f"{opened.name}: no picture"
    middle = first["top"] + first["height"] / 2
    assert middle <= 800, f"{opened.name}: the middle of the first picture is {middle:.0f} pixels down, at most 800"


@on(toc.road(), DARK_PHONE)
def test_the_first_picture_is_near_on_a_phone(opened):
    """On a phone, 360 x 740: it begins within two screens."""
    first = opened.page.evaluate(FIRST)
    assert first, f"{opened.name}: no picture"
    assert first["top"] <= 2 * 740, f"{opened.name}: the first picture begins {first['top']:.0f} pixels down, at most {2 * 740}"


# ---- what a page costs, counted, before anything on it is opened or used

MOST = {"kB, first visit": 230, "kB, what all pages share being there": 60, "requests": 28, "elements": 7500}
CARRIES = {"kB, first visit": 260, "kB, what all pages share being there": 110}     # of a page with a trained model in it
FONTS = 45      # kB of text, interface and code together

OWN = re.compile(r"_static/figures/(?!core\.)")     # the scripts and styles of the figures that stand on a page


def weight(files):
    """kB over the line of some files of the site, compressed as a host does."""
    return sum(len(browser.over_the_line(SITE / file)[0]) for file in files) / 1000


@on(PAGES, WIDE)
def test_weight(opened):
    """Bytes, requests, elements; what all pages share are styles, scripts and fonts."""
    files = {re.sub(r"^https?://[^/]+/|[?#].*", "", url) for url in opened.requests if url.startswith("http")}
    cost = {"kB, first visit": weight(files),
            "kB, what all pages share being there": weight(f for f in files if not f.startswith("_static/") or OWN.match(f)),
            "requests": len(opened.requests), "elements": opened.page.evaluate("document.querySelectorAll('*').length")}
    print(f"\n{opened.name}: {({what: round(value) for what, value in cost.items()})}")
    assert f"{opened.name}.html" in files
    carries = opened.page.locator(", ".join(f"[data-ak-figure={kind}]" for kind in RUN_MODELS)).count()
    assert all(cost[what] <= most for what, most in (MOST | (CARRIES if carries else {})).items()), cost
    assert 30 < weight(f for f in files if f.startswith("_static/fonts/")) <= FONTS


@pytest.mark.parametrize("name", BUILT)
def test_nothing_blocks(name):
    """Scripts are put off until the page is read, but for those that search needs."""
    page = parsed(name)
    blocking = {re.search(r"([\w-]+)\.js", script["src"])[1] for script in page.select("script[src]")
                if not script.has_attr("defer") and not script.has_attr("async")}
    needed = {"doctools", "sphinx_highlight"} | ({"searchtools", "language_data", "searchindex"} if name == "search" else set())
    assert blocking <= needed
    assert [link["href"].split("_static/")[1].split("?")[0] for link in page.select("link[rel=stylesheet]")] == ["site.css"]


def test_the_books_own_rules_are_whole():
    """The theme's sheets lose what no page uses; the book's and the figures' keep every class, put together or not."""
    sheet = (SITE / "_static/site.css").read_text()
    for own in ("attnkit/figures/core.css", "_static/book.css"):
        classes = set(re.findall(r"\.(ak-[a-z-]+)", (ROOT / own).read_text()))
        assert len(classes) > 10 and classes <= set(re.findall(r"\.(ak-[a-z-]+)", sheet)), own


@chapter("matrix_form")
def test_frames_have_the_colours_of_their_roles(opened):
    colours = opened.page.evaluate("""() => Object.fromEntries([...document.querySelectorAll('.ak-figure .ak-frame')].map(e =>
        [e.className.match(/ak-frame-(\\w+)/)?.[1], getComputedStyle(e).borderTopColor]))""")
    for role in ("query", "key"):          # the others are empty places in the first step
        red, green, blue = (int(palette.ROLES[role].light[k:k + 2], 16) for k in (1, 3, 5))
        assert colours[role] == f"rgb({red}, {green}, {blue})"


@pytest.mark.parametrize("name", BUILT)
def test_figures_bring_their_own_scripts_only(name):
    """The core and those of the page's figures; a page without figures loads none."""
    page = parsed(name)
    kinds = {place["data-ak-figure"] for place in page.select("[data-ak-figure]")}
    scripts = {found for script in page.select("script[src]") for found in re.findall(r"_static/figures/(\w+)\.js", script["src"])}
    assert scripts == (kinds | {"core"} if kinds else set())
    styles = {found for style in page.select("link[rel=stylesheet]") for found in re.findall(r"_static/figures/(\w+)\.css", style["href"])}
    nested = {kind for style in page.select("style") for kind in re.findall(r'\[data-ak-kind="(\w+)"\]', style.text)}
    assert styles | nested | {"core"} == {"core"} | {kind for kind in kinds if (SITE / f"_static/figures/{kind}.css").exists()}


# Blocks of the figures' scripts that are run (each pass through a function, a loop or a branch) and changes of the page:
# the causes of a slow figure, the same on any machine. `make speed` measures the milliseconds.
BLOCKS = {"coming to life": 120_000, "one redraw": 40_000}
MODEL = 80_000         # more, where a model has to read the beginning of a text, some twenty words
CHANGES = 400
SLIDE = """(f, i) => { const s = f.querySelector('input[type=range]'), buttons = [...f.querySelectorAll('button')]
    .filter(b => b.textContent !== 'Reset' && b.getClientRects().length);
    if (!s) return buttons[i % buttons.length].click();
    s.value = Number(s.min) + (i % 19) / 18 * (s.max - s.min); s.dispatchEvent(new Event('input', {bubbles: true})); }"""
WATCH = """f => { window.changes = 0; window.watch?.disconnect(); window.watch = new MutationObserver(found => window.changes += found.length);
    window.watch.observe(f, {attributes: true, childList: true, characterData: true, subtree: true}); }"""


@on(FIGURES, DARK)
def test_operations(opened):
    """What a figure does when it comes to life and at each step of its first slider, or click, counted."""
    def ran():
        scripts = [s for s in opened.profile.send("Profiler.takePreciseCoverage")["result"] if "/_static/figures/" in s["url"]]
        return sum(block["count"] for s in scripts for f in s["functions"] for block in f["ranges"])
    mounted = ran()
    reads = opened.page.locator(", ".join(f"[data-ak-figure={kind}]" for kind in RUN_MODELS)).count()
    assert 0 < mounted <= BLOCKS["coming to life"] + MODEL * reads
    for found in figures(opened.page).all():
        title, changes, rounds = found.get_attribute("aria-label"), [], []
        for i in range(38):
            found.evaluate(WATCH)
            found.evaluate(SLIDE, i)
            changes.append(opened.page.evaluate("changes"))
            rounds.append(ran())
        # Of two rounds the lesser: what a page does once, or the browser beside it, is no part of a redraw.
        blocks = [min(pair) for pair in zip(rounds[:19], rounds[19:])]
        print(f"\n{opened.name}, {title}: {mounted} blocks to come to life, {max(blocks)} and {max(changes)} changes for a redraw")
        assert 0 < max(blocks) <= BLOCKS["one redraw"], title
        assert 0 < max(changes) <= CHANGES, title
    opened.profile.send("Profiler.disable")


# ---- what a page shows

# What axe is asked: all rules of WCAG 2.1 A and AA, and the size of targets from 2.2. On a page that was asked them all,
# theme and width change what some rules find and no other: colours; sizes and places; what has to be scrolled.
LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]
COLOURS = ["color-contrast", "link-in-text-block"]
CHANGED = [*COLOURS, "scrollable-region-focusable", "target-size"]


def axe(page, rules=None):
    """What axe finds wrong, and how many rules it could apply; over what is folded, too."""
    page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    # The theme fades in what is unfolded.
    page.evaluate("document.getAnimations().forEach(a => a.finish())")
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text())
    asked = {"type": "rule", "values": rules} if rules else {"type": "tag", "values": LEVELS}
    found = page.evaluate("""asked => axe.run(document, {runOnly: asked, rules: {'target-size': {enabled: true}}, resultTypes: ['violations'],
        preload: false, performanceTimer: false})""", asked)
    bad = [(v["id"], n["html"][:160], n["failureSummary"][:300]) for v in found["violations"] for n in v["nodes"]]
    assert not bad, json.dumps(bad, indent=1)
    return len(found["passes"])


@on(SEEN, *TWO)
def test_accessible(opened):
    whole = opened.look[1:] == WIDE or "EVERY_LOOK" in os.environ
    assert axe(opened.page, None if whole else CHANGED) > (10 if whole else 0), "axe has not looked"


@on(SEEN, WIDE)
def test_the_theme_is_changed(opened):
    """The page turned dark as it stands: its figures are painted anew, and light again."""
    painted = "[...document.querySelectorAll('.ak-figure *')].map(e => getComputedStyle(e).backgroundColor + getComputedStyle(e).fill).join()"
    light = opened.page.evaluate(painted)
    opened.page.evaluate("document.documentElement.dataset.theme = 'dark'")
    try:
        assert opened.page.evaluate(painted) != light or not light
        # What a phone does not show, lists at both sides, is the same on all pages of a kind.
        assert opened.name not in ("index", CHAPTERS[0], "reference/figures", "search") or axe(opened.page, COLOURS)
    finally:
        opened.page.evaluate("document.documentElement.dataset.theme = 'light'")
        opened.page.evaluate("document.getAnimations().forEach(a => a.finish())")
    assert opened.page.evaluate(painted) == light


def test_the_button_for_the_theme(watched, site):
    """Pressed, the page and its figures turn; the next page is dark from its first painting; pressed on, it follows the system again."""
    with watched() as w:
        w.open(f"{site}/index.html")
        square = w.page.locator(".ak-figure [style*=background]").first
        light = square.evaluate("e => getComputedStyle(e).backgroundColor")
        button = w.page.locator(".theme-switch-button").filter(visible=True).first
        seen = []
        for _ in range(4):
            button.click()
            theme = w.page.evaluate("document.documentElement.dataset.theme")
            seen.append((w.page.evaluate("localStorage.getItem('mode')"), theme))
            assert (square.evaluate("e => getComputedStyle(e).backgroundColor") == light) == (theme == "light")
            if theme == "dark":
                w.page.goto(f"{site}/{CHAPTERS[0]}.html", wait_until="commit")
                w.page.wait_for_function("document.body")
                assert w.page.evaluate("document.documentElement.dataset.theme") == "dark"
                w.open(f"{site}/index.html")
        assert {mode for mode, _ in seen} == {"auto", "light", "dark"} and {theme for _, theme in seen} == {"light", "dark"}
        assert not w.errors


@on(PAGES, WIDE)
def test_pictures_have_words(opened):
    """axe misses an inline SVG without a text alternative."""
    silent = opened.page.evaluate("""() => [...document.querySelectorAll('.bd-article svg, .bd-article img, .bd-article canvas')]
        .filter(e => !e.closest('.katex, button') && e.getAttribute('aria-hidden') !== 'true' && !e.closest('[aria-hidden=true]'))
        .filter(e => !((e.getAttribute('aria-label') || e.getAttribute('alt') || '').trim().length > 9)
            || (e.tagName === 'svg' && e.getAttribute('role') !== 'img')).map(e => e.outerHTML.slice(0, 200))""")
    assert not silent
    # A chapter draws at least four pictures, its side room counted with it.
    drawn = sum(len(parsed(page).select(".bd-article svg[role=img]")) for page in [opened.name, *(r for r in ROOMS if ROOMS[r] == opened.name)])
    assert drawn >= 4 or not opened.name.startswith("chapters/") or opened.name not in FIGURES
    # Hidden from a screen reader: only icons and the lines that a figure's words repeat.
    hidden = opened.page.evaluate("""() => [...document.querySelectorAll('.bd-article svg[aria-hidden=true]')]
        .filter(e => !e.closest('.ak-figure, .sd-summary-icon, .sd-summary-chevron-right, .sd-summary-chevron-down, summary, button'))
        .map(e => e.outerHTML.slice(0, 200))""")
    assert not hidden


@functools.cache
def glyphs(font):
    """The code points that a font of the site draws."""
    from fontTools.ttLib import TTFont
    return set(TTFont(font).getBestCmap())


@on(SEEN, *TWO)
def test_icons_are_in_the_cut_font(opened):
    """Every icon that a page draws is in the subset: only a look at the page would show an empty box otherwise."""
    known = set().union(*map(glyphs, (SITE / "_static/vendor/fontawesome/webfonts").glob("*.woff2")))
    used = opened.page.evaluate("""() => [...document.querySelectorAll('*')].flatMap(e => ['::before', '::after'].map(p =>
        getComputedStyle(e, p).content)).join('')""")
    used = {ord(c) for c in used if "\ue000" <= c <= "\uf8ff"}
    assert used and used <= known, [hex(c) for c in used - known]


@on(PAGES, WIDE)
def test_maths_is_in_the_cut_fonts(opened):
    """Every letter of a formula is in the subset of the font that draws it."""
    folder, met = SITE / "_static/katex/fonts", set()
    drawn = opened.page.evaluate("""() => [...document.querySelectorAll('.katex-html *')].filter(e => !e.children.length)
        .map(e => { const s = getComputedStyle(e); return [s.fontFamily.split(',')[0].replace(/["']/g, ''),
            Number(s.fontWeight) >= 600, s.fontStyle === 'italic', e.textContent]; })""")
    for family, bold, italic, text in drawn:
        face = {(0, 0): "Regular", (1, 0): "Bold", (0, 1): "Italic", (1, 1): "BoldItalic"}[bold, italic]
        font = folder / f"{family}-{face}.woff2"
        if font.exists():
            met.add(font)
            missing = {c for c in text if ord(c) not in glyphs(font) and c not in " \u200b\u00a0"}
            assert not missing, (font.name, missing)
    assert met or not drawn


# What each letter of a page's words is drawn in: its face, upright or slanted. Signs that a face has not, its stand-in draws.
DRAWN = """() => { const found = {}, walk = document.createTreeWalker(document.querySelector('.bd-content'), NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) { const e = walk.currentNode.parentElement; if (!e.getClientRects().length || e.closest('.katex')) continue;
        const s = getComputedStyle(e), key = s.fontFamily.split(',')[0].replace(/["']/g, '') + (s.fontStyle === 'italic' ? ', italic' : '');
        found[key] = [...new Set((found[key] ?? '') + walk.currentNode.data)].join(''); } return found; }"""
FACES = {"Source Serif 4": "serif", "Source Serif 4, italic": "serif-italic", "Source Sans 3": "sans", "Source Code Pro": "mono"}


@on(SEEN, *TWO)
def test_words_are_in_the_cut_faces(opened):
    """Every letter that a face has is in the part of it that the site brings; text is in no other face."""
    opened.page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    drawn = opened.page.evaluate(DRAWN)
    drawn = {family.removesuffix(", italic") if family.startswith(("Source Sans", "Source Code")) else family: letters
             for family, letters in drawn.items()}
    assert "Source Serif 4" in drawn and set(drawn) - {"Font Awesome 6 Free"} <= set(FACES), drawn.keys()
    for family, letters in drawn.items():
        file = FACES.get(family)
        missing = {c for c in letters if file and ord(c) in glyphs(ROOT / f"_static/fonts/{file}.woff2")
                   and ord(c) not in glyphs(SITE / f"_static/fonts/{file}.woff2")}
        assert not missing, (family, missing)


LINES = """() => [...document.querySelectorAll('.bd-article section > p:not([class])')].filter(p => !p.querySelector('.katex')).flatMap(p => {
    const r = document.createRange(); r.selectNodeContents(p);
    const lines = new Set([...r.getClientRects()].map(b => Math.round(b.bottom / 8))).size;
    return lines > 2 ? [[p.textContent.length, lines]] : []; })"""


@on(CHAPTERS, WIDE)
def test_measure(opened):
    """On a laptop 60 to 75 letters a line; the last line of a paragraph counts for half of one."""
    found = opened.page.evaluate(LINES)
    letters, lines = sum(n for n, _ in found), sum(k - .5 for _, k in found)
    print(f"\n{opened.name}: {letters / lines:.1f} letters a line, {len(found)} paragraphs")
    assert len(found) >= 2 and 60 <= letters / lines <= 75


# The height of words as they come out, a drawing's scale included. Maths of the second level and what scrolls aside (maps,
# listings) may be smaller; so may what only a mouse shows.
SMALL = """() => { const walk = document.createTreeWalker(document.querySelector('.bd-article'), NodeFilter.SHOW_TEXT), found = [];
    while (walk.nextNode()) { const e = walk.currentNode.parentElement, s = getComputedStyle(e);
        if (!walk.currentNode.data.trim() || !e.getClientRects().length || e.closest('.katex, .headerlink, .ak-unseen')) continue;
        const matrix = e.getScreenCTM?.(), size = parseFloat(s.fontSize) * (matrix ? Math.hypot(matrix.a, matrix.b) : 1);
        if (size < 10.95) found.push([walk.currentNode.data.trim().slice(0, 30), size, e.closest('[class]').getAttribute('class')]); }
    return found; }"""


@on(PAGES, DARK_PHONE)
def test_words_are_large_enough(opened):
    """On a phone no word is smaller than 11 pixels."""
    assert not opened.page.evaluate(SMALL)


@on([page for page in CHAPTERS if page in ("chapters/dot_product", "chapters/translation")], DARK_PHONE)
def test_first_level_maths_is_large_enough(opened):
    sizes = opened.page.evaluate("""() => [...document.querySelectorAll('.katex-html .mord')].filter(e => !e.children.length
        && !e.closest('.size1, .size2')).map(e => parseFloat(getComputedStyle(e).fontSize))""")
    assert sizes and min(sizes) >= 11


def test_late_faces_move_nothing(watched, site):
    """A face that comes after the first painting is left for the next page: no line breaks elsewhere."""
    with watched() as w:
        w.page.add_init_script(SHIFT)
        held = []
        w.page.route("**/_static/fonts/*", lambda route: held.append(route))
        w.page.goto(f"{site}/{CHAPTERS[2]}.html", wait_until="domcontentloaded")
        w.page.wait_for_function(w.ALIVE)
        w.page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 300))))")
        tall = w.page.evaluate("document.querySelector('.bd-article').getBoundingClientRect().height")
        assert len(held) == 4
        for route in held:
            route.continue_()
        w.page.wait_for_function("[...document.fonts].filter(f => /Source/.test(f.family) && f.status === 'loaded').length >= 4")
        w.page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        assert w.page.evaluate("window.shift") < 0.02
        assert w.page.evaluate("document.querySelector('.bd-article').getBoundingClientRect().height") == tall


def test_stand_ins_take_the_room_of_the_faces(watched, site):
    """Without the book's faces a page is as long, to one part in fifty, if the reader has one of those that were measured."""
    heights = {}
    with watched() as w:
        for faces in (True, False):
            w.open(f"{site}/{CHAPTERS[2]}.html")
            if not faces:
                w.page.evaluate("""() => { for (const name of ['serif', 'sans']) document.documentElement.style.setProperty(`--ak-${name}`,
                    getComputedStyle(document.documentElement).getPropertyValue(`--ak-${name}`).split(',').slice(1).join(',')) }""")
            drawn = w.page.evaluate("""() => { const c = document.createElement('canvas').getContext('2d');
                return [...getComputedStyle(document.querySelector('.bd-article p')).fontFamily.split(',')].some(f => {
                    c.font = `20px ${f}, monospace`; const wide = c.measureText('measured words').width;
                    c.font = '20px monospace'; return wide !== c.measureText('measured words').width; }) }""")
            heights[faces] = w.page.evaluate("document.querySelector('.bd-article').getBoundingClientRect().height")
    print(f"\n{heights}")
    if not drawn:
        pytest.skip("none of the faces that were measured is on this machine")
    assert heights[False] == pytest.approx(heights[True], rel=0.02)


ROWS = """() => [...document.querySelectorAll('.bd-article figure.ak-picture > div')].filter(d => d.getClientRects().length).map(d => {
    const box = d.getBoundingClientRect(), parts = [...d.querySelectorAll(':scope > span, svg')].filter(e => e.getClientRects().length);
    const least = e => e.localName === 'svg' ? Math.max(.8 * e.getAttribute('width'), parseFloat(e.style.minWidth)) : e.getBoundingClientRect().width;
    const places = parts.map(e => e.getBoundingClientRect()), em = parseFloat(getComputedStyle(d).fontSize);
    const drawn = places.filter(r => r.height);      // and not what only keeps room
    return {fits: parts.reduce((sum, e) => sum + least(e), 0) + em * (parts.length - 1) < box.width,
        row: Math.max(...drawn.map(r => r.top)) < Math.min(...drawn.map(r => r.bottom)), count: parts.length,
        aside: Math.min(...places.map(r => r.left)) - box.left - (box.right - Math.max(...places.map(r => r.right)))}; })"""


@on(CHAPTERS, WIDE)
def test_parts_of_a_picture_stand_in_one_row(opened):
    """Where they fit, given way a little; and the row in the middle of the text."""
    found = [picture for picture in opened.page.evaluate(ROWS) if picture["fits"]]
    assert found or not opened.page.locator(".bd-article figure.ak-picture").count()
    assert all(picture["row"] and abs(picture["aside"]) < 3 for picture in found)


# ---- how cells, exercises and titles stand

@pytest.mark.parametrize("name", CHAPTERS)
def test_folded_code_follows_what_it_shows(name):
    """Never between the words and the picture, never alone, never with prose."""
    body = parsed(name).select_one(".bd-article")
    for fold in body.select("div.cell > details.hide"):
        if fold.select_one(".cell_output"):                     # a solution is folded with what it prints
            continue
        before = fold.find_previous_sibling()
        assert before is not None and "cell_output" in before["class"]
        assert before.select("svg, table, .ak-widget, pre, img"), before.text[:80]
    for cell in body.select("div.cell > .cell_input"):          # what only imports stays in the notebook
        assert re.search(r"^(?!from |import |\s|\)|$)", cell.get_text(), flags=re.M)


@pytest.mark.parametrize("name", CHAPTERS)
def test_an_exercise_is_one_card(name):
    """With its hint, the cell for the answer and the solution; nothing of it stands outside."""
    body = parsed(name).select_one(".bd-article")
    cards = body.select(".ak-exercise")
    assert len(cards) == len(body.select(".exercise")) and (cards or name.startswith("further/"))
    for card in cards:
        assert len(card.select(".exercise")) == 1 and card.select_one("pre") and "Not answered yet" not in card.text
        after = card.find_next_sibling()
        assert after is None or not ({"sd-dropdown", "cell"} & set(after.get("class", []))), card.text[:60]


@pytest.mark.parametrize("name", CHAPTERS)
def test_masthead(name):
    """Over the title stands the part of the book, or the chapter that a side room belongs to; the title reads on in one line."""
    page = parsed(name)
    above, title = page.select_one(".ak-kicker"), page.select_one(".bd-article h1")
    assert above.find_next("h1") is title
    if name in ROOMS:
        assert above.text.startswith("A side room of ") and "ak-room" in above["class"]
        assert posixpath.normpath(posixpath.join(posixpath.dirname(name), above.a["href"])) == f"{ROOMS[name]}.html"
    else:
        assert above.text == toc.captions()[name]
    first = next(line for cell in json.loads((ROOT / f"{name}.ipynb").read_text())["cells"] for line in cell["source"] if line.startswith("# "))
    assert title.text.removesuffix("#").strip() == first[2:].strip().replace("'", "’")


@on(CHAPTERS, WIDE)
def test_printed_page(opened):
    """On paper: no navigation, the words in dark ink, code as wide as the page, figures still and whole."""
    w = opened
    w.page.set_viewport_size({"width": 640, "height": 900})     # A4 and Letter between their margins are 640 and 660 pixels wide
    w.page.emulate_media(media="print")
    w.page.wait_for_function("!document.querySelector('.ak-figure')")
    shown = w.page.evaluate("""() => [...document.querySelectorAll('nav, .bd-sidebar, .bd-header-article, .prev-next-footer, footer, summary,'
        + '.copybtn, .headerlink, .ak-figure')].filter(e => e.closest('.bd-content, .bd-footer') && e.getClientRects().length
        && !e.closest('.ak-exercise, .sd-dropdown')).map(e => e.outerHTML.slice(0, 80))""")
    wide = w.page.evaluate("""() => [...document.querySelectorAll('.bd-article pre, .bd-article figure')].filter(e =>
        e.getClientRects().length && e.scrollWidth > e.clientWidth + 1).map(e => e.textContent.slice(0, 60))""")
    ink = w.page.evaluate("getComputedStyle(document.querySelector('.bd-article p:not([class])')).color")
    still = w.page.evaluate("document.querySelectorAll('[data-ak-figure] > :is(table, div, figure, .ak-still-form)').length")
    w.page.emulate_media(media="null")
    w.page.set_viewport_size({"width": 1280, "height": 900})
    w.page.wait_for_function(w.ALIVE)
    assert not shown and not wide and ink == "rgb(27, 28, 32)"
    assert still or opened.name not in FIGURES


# ---- without a script

@functools.cache
def parsed(name):
    return BeautifulSoup((SITE / f"{name}.html").read_text(), "html.parser")


def maths(name):
    """The formulas of a page's source: in Markdown cells and in Markdown outputs."""
    path = ROOT / f"{name}.ipynb"
    if not path.exists():
        return 0
    texts = []
    for cell in json.loads(path.read_text())["cells"]:
        if cell["cell_type"] == "markdown":
            texts.append("".join(cell["source"]))
        texts += ["".join(o["data"]["text/markdown"]) for o in cell.get("outputs", []) if "text/markdown" in o.get("data", {})]
    text = re.sub(r"```.*?```|`[^`]*`", "", "\n".join(texts), flags=re.S)
    display = re.findall(r"\$\$.+?\$\$", text, flags=re.S)
    return len(display) + len(re.findall(r"\$[^$]+\$", re.sub(r"\$\$.+?\$\$", "", text, flags=re.S)))


def numbers(words, cells):
    """How many numbers there are: decimals anywhere, and whole ones that fill a cell of a table."""
    return len(re.findall(r"\d\.\d", words)) + sum(bool(re.fullmatch(r"[\d,]+", cell.strip())) for cell in cells)


@pytest.mark.parametrize("name", PAGES)
def test_without_javascript(name):
    """Every formula stands, every interactive figure leaves a picture or a table with its numbers."""
    page = parsed(name)
    formulas = page.select(".math")
    assert len(formulas) == len(page.select(".math .katex-html")) == len(page.select(".math math")) == maths(name)
    assert not page.select(".katex-error")
    body = page.select_one(".bd-article")
    assert not [cell.get_text() for cell in body.select("p, td") if "$" in cell.get_text()], "a formula that stayed text"
    for still in page.select(".ak-widget"):
        drawn = still.select_one("svg[role=img]")
        assert drawn or still.select_one("table")
        assert numbers(still.get_text() + (drawn["aria-label"] if drawn else ""), [cell.get_text() for cell in still.select("td")]) >= 9


FRENCH = "je|tu|te|aime|aimes|aimons|les|cet|cette|ces|fille|chien|arbre|pas|nous|vous"


# The package's pages are docstrings, plain text without a place for a language.
@pytest.mark.parametrize("name", [name for name in PAGES if not name.startswith("reference/")])
def test_french_words_say_so(name):
    text = (SITE / f"{name}.html").read_text()
    body = text[text.index("<article"):text.rindex("</article>")]
    body = re.sub(r'<(\w+)[^>]*\blang="fr"[^>]*>.*?</\1>|data-ak-state="[^"]*"|<div class="highlight">.*?</pre>', "", body, flags=re.S)
    body = html.unescape(re.sub(r"<[^>]*>", " ", body))
    left = re.findall(rf"\b(?:[jtnmc]|qu)['’]|\b(?:{FRENCH})\b", body)
    assert not left, left


@functools.cache
def anchors(path):
    """The names within a page that a link may lead to."""
    return {"", "main-content", *map(html.unescape, re.findall(r'\bid="([^"]+)"', path.read_text()))}


ROAD = toc.road()
PARTS = toc.captions()
ROOMS = {page: parent for page, parent in toc.parents().items() if parent is not None}


def leads(name, way):
    """Where a page's button to the page before it, or after it, leads; None if it has none."""
    button = parsed(name).select_one(f".prev-next-area a.{way}")
    return button and posixpath.normpath(posixpath.join(posixpath.dirname(name), button["href"])).removesuffix(".html")


def test_the_road_leads_from_chapter_to_chapter():
    """Previous and next pass the side rooms by and end with the last chapter; what comes after it is walked part by part.
    A side room leads back to its chapter and nowhere else."""
    rest = [page for page, parent in toc.parents().items() if parent is None and page not in ROAD]
    for pages in (ROAD, *([page for page in rest if PARTS[page] == part] for part in {PARTS[page] for page in rest})):
        assert [leads(name, "left-prev") for name in pages] == [None, *pages[:-1]]
        assert [leads(name, "right-next") for name in pages] == [*pages[1:], None]
    assert ROOMS
    for room, chapter_ in ROOMS.items():
        assert (leads(room, "left-prev"), leads(room, "right-next")) == (chapter_, None)
        assert parsed(room).select_one(".left-prev .prev-next-subtitle").text == "back to"
        assert any(posixpath.basename(link["href"]) == f"{posixpath.basename(chapter_)}.html" for link in parsed(room).select(".ak-kicker a"))


@pytest.mark.parametrize("name", [ROAD[0], *list(ROOMS)[:1]])
def test_side_rooms_stand_under_their_chapters_in_the_sidebar(name):
    """In sight, without a switch that has no name."""
    sidebar = parsed(name).select_one("nav.bd-links")
    assert not sidebar.select("summary, details, input")
    for room, chapter_ in ROOMS.items():
        [link] = [a for a in sidebar.select("li.toctree-l2 > a") if posixpath.normpath(posixpath.join(
            posixpath.dirname(name), a["href"].removesuffix("#") or f"{posixpath.basename(name)}.html")).removesuffix(".html") == room]
        assert posixpath.basename(link.find_parent("li", class_="toctree-l1").find("a")["href"]) in (f"{posixpath.basename(chapter_)}.html", "#")


def test_local_links_lead_somewhere():
    found = 0
    for name in BUILT:
        page = SITE / f"{name}.html"
        for link in re.findall(r'<a[^>]*\shref="([^"]+)"', page.read_text()):
            path, _, anchor = html.unescape(link).partition("#")
            if re.match(r"[a-z]+:", link):
                continue
            target = (page.parent / path).resolve() if path else page
            assert target.exists(), f"{name}: {link}"
            if target.suffix == ".html":
                assert anchor in anchors(target), f"{name}: {link}"
            found += 1
    assert found > 1000


# ---- the figures

KEYS = {"range": ["ArrowRight", "ArrowLeft", "ArrowLeft"], "text": ["ArrowDown", "ArrowUp", "ArrowUp"],
        "select": ["ArrowDown", "ArrowUp", "ArrowUp"]}


def works(found, control, page):
    """Use a control by key and see the figure change; False for one that is hidden, pressed already, or the reset."""
    words = control.get_attribute("aria-label") or control.inner_text()
    if words == "Reset" or not control.is_visible() or control.get_attribute("aria-pressed") == "true":
        return False
    kind = control.get_attribute("type") or control.evaluate("c => c.localName")
    before = found.evaluate(SHOWN)
    control.focus()
    if kind in KEYS:        # focus alone may choose a square, or a word: that is not yet a change by key
        before = found.evaluate(SHOWN)
    for key in KEYS.get(kind, ["Enter"]):
        control.press(key)
        if found.evaluate(SHOWN) != before:
            return True
    raise AssertionError(f"{page}: the control “{words}” does nothing")


@on(FIGURES, PHONE)
def test_every_control_changes_something_by_keyboard(opened):
    w, tried, there = opened, 0, 0
    for k in range(figures(w.page).count()):
        found = figures(w.page).nth(k)
        start = found.evaluate(STATE)
        status = found.get_by_role("status").inner_text()
        # A pressed button of a choice has nothing left to do: it is tried again after the others.
        # Which are visible is asked here, not in the locator: it counts, and a control may hide another.
        controls = [c for c in found.locator("button, input, select").all() if c.is_visible()]
        pressed = [c for c in controls if c.get_attribute("aria-pressed") == "true"]
        tried += sum(works(found, control, w.name) for control in controls if control not in pressed)
        there += len(controls) - 1        # without Reset, which has nothing to do at first
        w.settle()
        assert found.get_by_role("status").inner_text() != status, "the change is not said"
        tried += sum(works(found, control, w.name) for control in pressed)
        if pressed:        # they may have led back by themselves
            works(found, next(control for control in controls if control not in pressed), w.name)
        found.get_by_role("button", name="Reset").focus()
        w.page.keyboard.press("Enter")
        w.settle()
        assert found.evaluate(STATE) == start, f"{w.name}: Reset does not lead back"
    assert tried >= min(3, there) > 0
    assert not w.errors and not w.outside


@pytest.mark.parametrize("name", FIGURES)
def test_from_the_disk(watched, name):
    """Opened as a file, without a server, every figure comes to life and follows its first control."""
    with watched(width=360) as w:
        w.open(f"{SITE.as_uri()}/{name}.html")
        for found in figures(w.page).all():
            assert any(works(found, c, name) for c in found.locator("button, input, select").all())
        assert not w.errors and not w.outside


def choices(found):
    """The buttons of a figure without sliders that have something left to do."""
    return found.locator("button[aria-pressed=false]").filter(visible=True)


@on(FIGURES, WIDE)
def test_mouse(opened):
    w = opened
    for k in range(figures(w.page).count()):
        found = figure(w, k)
        for slider in found.locator("input[type=range]").filter(visible=True).all():
            before = found.evaluate(SHOWN)
            slider.scroll_into_view_if_needed()
            box = slider.bounding_box()
            # To the side where it does not stand.
            high = slider.evaluate("s => (s.value - s.min) / (s.max - s.min) > .5")
            w.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
            w.page.mouse.down()
            w.page.mouse.move(box["x"] + box["width"] * (.3 if high else .7), box["y"] + box["height"] / 2, steps=5)
            w.page.mouse.up()
            assert found.evaluate(SHOWN) != before
        if not found.locator("input[type=range]").count():
            before = found.evaluate(SHOWN)
            choices(found).last.click()
            assert found.evaluate(SHOWN) != before
        figure(w, k)


@on(FIGURES, DARK_PHONE)
def test_touch(opened):
    w = opened
    for k in range(figures(w.page).count()):
        found = figure(w, k)
        before = found.evaluate(SHOWN)
        if found.locator("input[type=range]").count():
            slider = found.locator("input[type=range]").first
            high = slider.evaluate("s => (s.value - s.min) / (s.max - s.min) > .5")
            slider.tap(position={"x": 12 if high else slider.bounding_box()["width"] - 12, "y": 12})
        else:
            choices(found).first.tap()
        assert found.evaluate(SHOWN) != before
        found.get_by_role("button", name="Reset").tap()
        for control in found.locator("button, input, select").filter(visible=True).all():
            assert min(control.bounding_box()["height"], control.bounding_box()["width"]) >= 24, "too small to touch"


# What moves in a figure two frames from now, when what was asked for has begun.
MOVING = """f => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(
    f.getAnimations({subtree: true}).filter(a => a.playState === 'running').length))))"""


@chapter("dot_product")
def test_rows_glide_to_their_places(opened):
    """The control of the test below: without the wish for less motion, something moves."""
    found = figure(opened)
    found.get_by_role("button", name="Change every sign").click()
    assert found.evaluate(MOVING)


@on(FIGURES, DARK)
def test_reduced_motion_and_print(opened):
    """Nothing moves by itself for a reader who asked for that; on paper stand the numbers, not the controls."""
    w = opened
    w.page.emulate_media(reduced_motion="reduce")
    for k in range(figures(w.page).count()):
        found = figure(w, k)
        for control in found.locator("input[type=range], button").filter(visible=True).all():
            if control.is_visible() and control.is_enabled() and control.inner_text() != "Reset":
                control.evaluate("""c => { if (c.type !== 'range') return c.click();
                    c.value = c.value === c.max ? c.min : c.max; c.dispatchEvent(new Event('input', {bubbles: true})); }""")
                assert not found.evaluate(MOVING), f"{w.name}: {control.get_attribute('aria-label') or control.inner_text()} moves something"
        place = w.page.locator("[data-ak-figure]").nth(k)
        w.page.emulate_media(media="print")
        w.page.wait_for_function("!document.querySelector('.ak-figure')")
        assert place.bounding_box()["height"] > 60 and not place.locator("button, input, select").count()
        drawn = "".join(svg.get_attribute("aria-label") for svg in place.locator("svg[role=img]").all())
        assert numbers(place.inner_text() + drawn, place.locator("td").all_inner_texts()) >= 3
        w.page.emulate_media(media="screen")
        found.wait_for()
    w.page.emulate_media(media="null", reduced_motion="null")


# ---- what a chapter's text says of its figure is what the figure does

def drag(w, target, dx, dy):
    """Take an element in its middle and pull it by some pixels."""
    target.scroll_into_view_if_needed()
    box = target.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    w.page.mouse.move(x, y)
    w.page.mouse.down()
    w.page.mouse.move(x + dx, y + dy, steps=6)
    w.page.mouse.up()


def says(w, found):
    w.settle()
    return found.get_by_role("status").inner_text()


@chapter("dot_product")
def test_movie_matcher_ranks(opened):
    w = opened
    found = figure(w)

    def titles():
        return [t.split(". ")[1] for t in found.locator("tbody th").all_inner_texts()]

    assert titles() == ["Thunder Run", "The Great Mix-up", "Quiet Harbour", "Letters in May"]
    found.get_by_role("button", name="Change every sign").click()
    assert titles() == ["Letters in May", "Quiet Harbour", "The Great Mix-up", "Thunder Run"]
    for slider in found.get_by_role("slider").all():
        slider.press("Home")
    assert titles()[0] == "Quiet Harbour"
    assert found.locator("tbody tr").first.locator("td strong").all_inner_texts() == ["+0.90", "+0.80", "+0.30", "+2.00"]
    assert found.get_by_role("slider").first.get_attribute("aria-valuetext") == "−1.0, strongly dislikes it"


@chapter("notation")
def test_square_editor_edits(opened):
    w = opened
    found = figure(w)
    square = found.locator("tr:nth-child(1) > td:nth-child(2) > input")
    square.fill("0.25")
    square.press("Enter")
    assert "[-0.9, 0.3]" in found.locator("code").inner_text()
    square.fill("many")
    square.press("Tab")
    w.settle()
    assert "“many” is not a number from −1 to 1" in found.get_by_role("status").inner_text()
    assert square.input_value() == "0.3"
    found.get_by_role("button", name="transpose").click()
    assert found.locator(".ak-shape").inner_text() == "shape (2, 5)"
    assert found.locator("tr:nth-child(1) > td:nth-child(4) > input").input_value() == "0.9"
    for _ in range(5):
        more = found.get_by_role("button", name="one row more")
        if more.is_enabled():
            more.click()
    assert found.locator(".ak-shape").inner_text() == "shape (6, 5)" and more.is_disabled()


@chapter("index")
def test_alignment_shows_where_each_word_looks(opened):
    w = opened
    found = figure(w)

    def weights():
        return found.locator(".ak-weight").all_inner_texts()

    assert weights() == ["0.11", "0.01", "0.88"] and not found.get_by_role("slider").count()
    for word, row in (("aime", ["0.03", "0.95", "0.02"]), ("je", ["0.94", "0.02", "0.04"])):
        found.get_by_role("button", name=word).hover()
        assert weights() == row
        widest = found.evaluate("f => [...f.querySelectorAll('path')].map(p => parseFloat(p.style.strokeWidth) * (p.style.strokeOpacity > .2))")
        assert widest.index(max(widest)) // 3 == ["je", "t'", "aime"].index(word)


@chapter("weights")
def test_budget_weights_sum_to_one(opened):
    w = opened
    found = figure(w)

    def weights():
        return [float(t) for t in found.locator(".ak-out").all_inner_texts()]

    found.get_by_role("slider", name="stunning").press("End")
    assert weights() == [0, 0, 0, 1, 0] and " 1.00. The average z is (0.90, 0.50)." in says(w, found)
    found.get_by_role("slider", name="chase").press("Home")
    for _ in range(20):
        found.get_by_role("slider", name="dull").press("PageUp")
        assert abs(sum(weights()) - 1) < 0.025
    found.get_by_role("button", name="Spread evenly").click()
    assert weights() == [0.2] * 5


def column(found, kind):
    """What the rows of the softmax explorer say in one column; an exponent's words are for the ear."""
    return found.locator(f"tbody tr:not(.ak-sum) .ak-{kind} .ak-value").all_text_contents()


@chapter("softmax")
def test_softmax_explorer_shows_powers_and_weights(opened):
    w = opened
    found = figure(w)
    temperature = found.get_by_role("slider", name="temperature")
    temperature.evaluate("s => { s.value = 0; s.dispatchEvent(new Event('input', {bubbles: true})) }")       # in the middle stands 1
    powers, weights = column(found, "power"), column(found, "weight")
    assert found.locator(".ak-sum .ak-weight .ak-value").inner_text() == "1.00"
    assert float(found.locator(".ak-sum .ak-power .ak-value").inner_text()) == pytest.approx(sum(map(float, powers)), abs=0.025)
    found.get_by_role("button", name="Add 0.5 to all scores").click()
    assert column(found, "weight") == weights and found.locator(".ak-out").first.inner_text() == "+1.5"
    assert [float(p) for p in column(found, "power")] == pytest.approx([1.6487 * float(p) for p in powers], abs=0.02)
    temperature.press("Home")
    assert column(found, "power")[0] == "3.3 × 10 to the power of 6" and column(found, "weight")[0] == "1.00"
    assert says(w, found) == "Thunder gets the largest weight, 1.00; the four weights sum to 1."
    for name in ("Mix-up", "Thunder"):
        found.get_by_role("slider", name=name).press("End")
    assert says(w, found) == "Thunder and Mix-up share the largest weight, 0.50 each; the four weights sum to 1."
    found.get_by_role("button", name="Take 0.5 from all scores").click()        # up there is no room
    assert found.locator(".ak-out").first.inner_text() == "+3.5"
    temperature.press("End")
    assert all(0.1 < float(t) < 0.4 for t in column(found, "weight"))
    assert not found.locator(".ak-changes").count(), "derivatives are a matter of the side room"


@on(["further/softmax"], WIDE)
def test_softmax_explorer_shows_entropy_and_derivative(opened):
    w = opened
    found = figure(w)
    weights, changes = column(found, "weight"), found.locator(".ak-changes tbody td").all_inner_texts()
    assert len(changes) == len(weights)**2 and changes[0].startswith("+") and changes[1].startswith("−")
    found.get_by_role("button", name="Add 0.5 to all scores").click()
    assert column(found, "weight") == weights and found.locator(".ak-changes tbody td").all_inner_texts() == changes
    found.get_by_role("slider", name="temperature").press("Home")
    assert "Entropy 0.00 bits" in says(w, found) and "Size of the derivative: 0.0" in says(w, found)
    assert column(found, "weight")[0] == "1.00"


@chapter("basic_attention")
def test_dragged_points_keep_outputs_inside_the_hull(opened):
    w = opened
    found = figure(w, -1)
    status = says(w, found)
    drag(w, found.locator(".ak-hit").nth(3), 60, 40)           # run
    assert says(w, found) != status and "run stands at" in says(w, found)
    assert found.get_by_role("combobox", name="moves").input_value() == "3"
    for asks in ("see", "that", "girl", "run"):
        found.get_by_role("group", name="asks").get_by_role("button", name=asks).click()
        inside = found.evaluate("""f => { const hull = f.querySelector('.ak-hull'), svg = f.querySelector('svg');
            const circles = [...f.querySelectorAll('circle.ak-of-output')];
            return circles.length === 5 && circles.every(c => { const p = svg.createSVGPoint();
              [p.x, p.y] = c.getAttribute('transform').match(/-?[\\d.]+/g).map(Number);
              return hull.isPointInFill(p) || hull.isPointInStroke(p); }) }""")
        assert inside
    # The word that asks at the origin: all alike.
    for name in ("left, right", "down, up"):
        slider = found.get_by_role("slider", name=name)
        slider.evaluate("s => { s.value = 0; s.dispatchEvent(new Event('input', {bubbles: true})) }")
    assert "run asks and looks at all alike" in says(w, found)


@chapter("queries_keys_values")
def test_steps_follow_one_word(opened):
    w = opened
    found = figure(w)
    assert "“that” looks most at “girl”, weight 0.96" in says(w, found)
    found.get_by_role("button", name="1 query, keys").click()
    assert "looks most" not in says(w, found)                   # not before the weights are there
    found.get_by_role("button", name="clever", exact=True).click()
    for _ in range(2):
        found.get_by_role("button", name="Next step").click()
    assert "“clever” looks most at “girl”, weight 0.83" in says(w, found)
    for _ in range(2):
        found.get_by_role("button", name="Next step").click()
    assert "Output: (" in says(w, found)


@chapter("soft_dictionary")
def test_soft_dictionary_sharpens_into_steps(opened):
    w = opened
    found = figure(w)
    found.get_by_role("button", name=re.compile("^north ")).click()
    assert "answers 4.5 degrees" in says(w, found)
    found.get_by_role("slider", name="sharpness").press("End")
    assert "answers 3.0 degrees" in says(w, found)
    query = found.get_by_role("slider", name="query")
    query.evaluate("s => { s.value = 202.5; s.dispatchEvent(new Event('input', {bubbles: true})) }")
    assert "answers 19.5 degrees" in says(w, found)
    drag(w, found.locator(".ak-hit"), 150, -40)
    assert 60 < float(query.input_value()) < 150 and "answers 7.0 degrees" in says(w, found)


@chapter("matrix_form", PHONE)
def test_matrix_stepper_shows_each_sum(opened):
    w = opened
    found = figure(w)
    found.get_by_role("button", name="score, row that, column girl").click()
    assert "“that” meets “girl”: 0.71 · (3.40·2.00 + −0.20·−0.60) = 4.89" in says(w, found)
    found.get_by_role("button", name="2 weights").click()
    assert "the sum of the row's exponentials: 0.98" in says(w, found)
    found.get_by_role("button", name="score, row run, column run").click()     # a cell of another result leads to its step
    assert "“run” meets “run”" in says(w, found)
    found.get_by_role("button", name="3 outputs").click()
    assert "number 3 of its output" in says(w, found)            # there are only three columns now
    assert all(b.bounding_box()["x"] + b.bounding_box()["width"] <= 360
               for b in found.get_by_role("button").filter(visible=True).all())


@chapter("translation")
def test_attention_maps_look_both_ways(opened):
    w = opened
    found = figure(w, 1)
    looks, looked = found.locator("tbody"), found.get_by_role("group", name=": looked at")

    def numbers():
        lit = found.locator("td:is([data-lit=row], [data-lit=column])").filter(visible=True)
        return [float(text) for text in lit.all_inner_texts()]

    late = found.locator(".ak-said").inner_text()
    assert max(numbers()) > 0.9, "it opens with what was learned"
    found.get_by_role("slider").press("Home")
    assert found.locator(".ak-said").inner_text() != late and max(numbers()) < 0.6, "untrained, it looks everywhere"
    found.get_by_role("slider").press("End")
    looks.get_by_role("button", name="t'", exact=True).hover()
    assert says(w, found).startswith("“t'” looks at “you” with 0.") and "Right: “you”." in says(w, found)
    assert numbers()[2] == max(numbers()) and abs(sum(numbers()) - 1) < 0.02
    looked.get_by_role("button", name="love", exact=True).focus()
    assert says(w, found).startswith("“love” is looked at by “aime” with 0.9")
    assert numbers()[2] == max(numbers())
    found.locator("tbody tr").nth(0).locator("td").nth(1).click()
    assert looks.get_by_role("button", name="je").get_attribute("aria-pressed") == "true"
    found.locator("select").select_option(index=4)
    assert found.locator("tbody tr").filter(visible=True).count() == 9
    sides = {round(cell.bounding_box()["width"]) for cell in found.locator(".ak-heat").filter(visible=True).all()}
    assert len(sides) <= 2 and min(sides) >= 24, "the matrix is made of squares of one size"


@chapter("score_functions")
def test_score_fields_best_key_depends_on_the_score(opened):
    w = opened
    found = figure(w)
    best = {"dot": "far", "scaled dot": "far", "distance": "near", "cosine": "along", "general": "left", "additive": "near"}
    for score, key in best.items():
        found.get_by_role("button", name=score, exact=True).click()
        assert f"finds “{key}” best" in says(w, found), score
    found.get_by_role("button", name="cosine").click()
    drag(w, found.locator(".ak-hit"), -60, 60)         # the query in another direction
    assert "finds “along” best" not in says(w, found)


@chapter("positions")
def test_two_places_moved_together_change_what_is_no_distance(opened):
    w = opened
    found = figure(w)
    assert says(w, found).startswith("Query at place 9, key at place 6, distance −3")
    found.get_by_role("button", name="Both one place on").click()
    words = says(w, found)
    assert re.search(r"Changed: learned [−\d.]+\.$", words) and "As before:" in words, words
    assert "no row" not in found.inner_text()
    found.get_by_role("slider", name="query at place").press("End")      # beyond the 48 rows of the learned table
    assert "no row" in found.inner_text()


@chapter("multi_head", PHONE)
def test_heads_are_split_and_merged(opened):
    w = opened
    found = figure(w)
    assert "softmax(S_1)" in found.locator(".ak-code").inner_text(), "it opens with the weights of head 1"
    first = found.evaluate(SHOWN)
    found.get_by_role("button", name="head 2").click()
    assert found.evaluate(SHOWN) != first
    found.get_by_role("button", name="head 1").click()
    found.get_by_role("button", name="1 project").click()
    for step, code in enumerate(["X @ W_Q", "np.hsplit", "Q_1 @ K_1", "softmax(S_1)", "A_1 @ V_1", "np.hstack", "H @ W_O"]):
        assert code in found.locator(".ak-code").inner_text(), step
        if step < 6:
            found.get_by_role("button", name="Next step").click()


@chapter("multi_head")
def test_swapped_words_without_positions_give_the_same_output(opened):
    w = opened
    found = figure(w, 1)
    positions, heads = (found.get_by_role("group", name=name) for name in ("positions", "heads"))

    def right():
        words = says(w, found)
        return "right. Who received?" in words and words.endswith("right.")

    assert "The output differs from the other order" in says(w, found) and right(), "it opens with positions and two heads"
    found.get_by_role("button", name="Swap the names").click()
    assert says(w, found).startswith("“Mary gave roses to Susan”") and right()
    for first in ("Susan", "Mary"):                     # a name itself is as good as the button
        found.locator(".ak-mover").first.click(force=True)
        assert says(w, found).startswith(f"“{first} gave roses to")
    heads.get_by_role("button", name="1").click()
    assert "The output differs from the other order" in says(w, found) and not right()
    positions.get_by_role("button", name="off").click()
    for count in "12":
        heads.get_by_role("button", name=count).click()
        assert "The output is the same in the other order" in says(w, found)


@chapter("masks")
def test_a_hidden_word_leaves_its_weight_to_the_others(opened):
    """What the page foretells: *girl* hidden from *that*, and then a row with nothing in sight."""
    w = opened
    found = figure(w)
    found.get_by_role("button", name="all", exact=True).click()
    found.get_by_role("gridcell", name=re.compile("^from that to girl")).or_(
        found.get_by_role("button", name=re.compile("^from that to girl"))).first.click()
    assert says(w, found).startswith("From “that”: 5 of 6 may be seen; their weights sum to 1")
    given = {name: float(found.locator(f"[aria-label^='from that to {name}:']").get_attribute("aria-label").split()[-1])
             for name in ("see", "that", "clever", "run")}
    assert max(given, key=given.get) == "run"
    for name in ("see", "that", "clever", "girl", "run", "(pad)"):
        found.locator(f"[aria-label^='from run to {name}:']").click()
    assert says(w, found).startswith("From “run”: nothing may be seen. Its weights are all 0, and so is its output.")


@on(["further/fully_connected"], PHONE)
def test_dense_heads_add_up_to_the_layer(opened):
    w = opened
    found = figure(w)
    boxes = [frame.bounding_box() for frame in found.locator(".ak-frame").all()]
    assert len(boxes) == 12
    for a, b in combinations(boxes, 2):
        apart = [a[k] + a[size] <= b[k] or b[k] + b[size] <= a[k] for k, size in (("x", "width"), ("y", "height"))]
        assert any(apart), "two parts of the table lie one over the other"
    slider = found.get_by_role("slider")
    slider.press("Home")
    assert "The heads add up to 5.00, the layer gives 1.00" in says(w, found)
    slider.press("End")
    assert says(w, found).startswith("Sharpness 40.0: each head gives its own item the weight 1.00. The heads add up to 1.00")
    assert says(w, found).endswith("the difference is below 1e-13.")


@chapter("fully_connected")
def test_moving_word_is_found_at_new_places_by_attention_only(opened):
    """In places of the training both models find the drink; in new ones attention always, the dense layer seldom."""
    w = opened
    found = figure(w)
    slider = found.get_by_role("slider")
    dense_right = 0
    slider.press("Home")
    for place in range(12):
        line = says(w, found)
        assert f"at place {place + 1}, {'as in training' if place < 6 else 'a new place'}" in line
        dense, attention = line.split(": the ")[1].split("; ")
        assert attention.endswith("right.") and (place >= 6 or dense.endswith("right"))
        dense_right += place >= 6 and dense.endswith("right")
        slider.press("ArrowRight")
    assert dense_right < 3
    found.get_by_role("button", name="juice").click()
    assert says(w, found).startswith("“juice” at place 12")
    # In the sentence itself the word goes where it is dragged, or where the sentence is pressed.
    places = found.locator(".ak-slot")
    places.nth(8).click()
    assert says(w, found).startswith("“juice” at place 9")
    boxes = [places.nth(k).bounding_box() for k in (8, 7)]
    drag(w, places.nth(8), boxes[1]["x"] - boxes[0]["x"], 0)
    assert says(w, found).startswith("“juice” at place 8")


@chapter("convolution")
def test_kernel_heads_add_up_to_the_convolution(opened):
    w = opened
    found = figure(w)
    assert "Row 13, column 3, upright edges: the heads add up to 3.60, the convolution gives 3.60." in says(w, found)
    # Pointing at another pixel, in either picture, chooses it; so does a tap.
    stacks = found.locator(".ak-stack")
    for k, (row, column) in enumerate(((1, 16), (16, 1))):
        box = stacks.nth(k).bounding_box()
        stacks.nth(k).hover(position={"x": (column - .5) / 16 * box["width"], "y": (row - .5) / 16 * box["height"]})
        assert f"Row {row}, column {column}," in says(w, found)
    right = found.get_by_role("button", name=re.compile("^right "))
    right.click()
    assert "Head “right” alone is shown." in says(w, found) and right.get_attribute("aria-pressed") == "true"
    right.click()
    assert "alone" not in says(w, found)
    assert "largest difference on the picture below 1e-8" in found.locator(".ak-totals").inner_text()
    found.get_by_role("slider", name="sharpness").press("Home")
    assert "below" not in found.locator(".ak-totals").inner_text()


@chapter("recurrence_and_graphs")
def test_paths_grow_with_the_sequence(opened):
    """What the answer below the figure says of 16 and of 32 words."""
    w = opened
    found = figure(w)
    steps = {}
    for times in (0, 16):
        for _ in range(times):
            found.get_by_role("slider", name="items").press("ArrowRight")
        for kind in ("recurrent", "convolution", "dilated", "attention"):
            found.get_by_role("button", name=kind, exact=True).click()
            steps.setdefault(kind, []).append(int(re.search(r"to the last output: (\d+);", says(w, found))[1]))
    assert steps == {"recurrent": [15, 31], "convolution": [8, 16], "dilated": [4, 5], "attention": [1, 1]}


@chapter("cost")
def test_the_bill_says_where_the_square_takes_over(opened):
    """At the width of 4,096 the square is the smaller part at first, half of the work at twice the width, and more beyond."""
    w = opened
    found = figure(w)
    shares = []
    for _ in range(3):
        shares.append(int(re.search(r"(\d+)% for scores and blend", says(w, found))[1]))
        found.get_by_role("slider", name="length n").press("ArrowRight")
    assert shares == [33, 50, 67]
    found.get_by_role("slider", name="length n").press("End")
    for method in ("window", "linear"):
        found.get_by_role("button", name=method, exact=True).click()
        assert int(re.search(r"(\d+)% for scores and blend", says(w, found))[1]) < 20


@chapter("space_and_channels")
def test_the_lamp_moves_and_the_answer_goes_with_it(opened):
    """Gates for places follow the light; gates for channels cannot tell the quarters apart."""
    w = opened
    found = figure(w)
    assert "gates for places, by sigmoid" in says(w, found) and says(w, found).endswith("which is right.")
    found.get_by_role("button", name="channels", exact=True).click()
    assert float(re.search(r"says \w+, (0\.\d+)", says(w, found))[1]) < 0.5
    found.get_by_role("button", name="places", exact=True).click()
    before = says(w, found)
    found.locator("button.ak-lamp").first.click()
    assert says(w, found) != before
    found.get_by_role("button", name="softmax", exact=True).click()
    assert "sum to 1.00" in says(w, found)

