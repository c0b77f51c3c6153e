"""The built site in headless Chromium, the outside world cut off.

Each page is opened once, wide and light; the road, and one page of each other kind, is made as narrow as a phone and dark;
everything that wants it so is asked then, and after it what tests/figures/ asks of the figures on it.  The listings of the package all come from one template:
a few stand for them.  One page of each kind is asked by axe, which takes longest.  Every week, with EVERY_LOOK=1, each page is opened in all four themes and widths, and asked in full.  What needs no
browser is read from the page's text.  Clocks are not asked here: what a page costs is counted in bytes, elements and requests.
"""

import functools
import html
import json
import posixpath
import re

import lxml.html
import pytest
from bs4 import BeautifulSoup
from conftest import DARK_PHONE, EVERY_LOOK, ROOT, SHIFT, SITE, TWO, WIDE, Context, asked, numbers, on

from bookkit.figures import base
from website import book_fonts, browser, road, toc

pytestmark = pytest.mark.browser

BOOK = toc.pages()
# Where a page has moved, a few lines lead on; tests/test_found.py looks at those.
BUILT = sorted(path.relative_to(SITE).with_suffix("").as_posix() for path in SITE.rglob("*.html")
               if "_static" not in path.relative_to(SITE).parts and b'http-equiv="refresh"' not in path.read_bytes()[:400])
LISTINGS = sorted((name for name in BUILT if name.startswith("_modules/")), key=lambda name: (SITE / f"{name}.html").stat().st_size)
# To look at: of the listings the shortest, the middle one and the longest, and the list of them all.
SEEN = BUILT if EVERY_LOOK else [name for name in BUILT if name not in LISTINGS or name in (
    "_modules/index", LISTINGS[0], LISTINGS[len(LISTINGS) // 2], LISTINGS[-1])]
CHAPTERS = toc.chapters()
AXE = ROOT / "tests" / "node_modules" / "axe-core" / "axe.min.js"


def template(name):
    """What kind of page it is: all of one kind are made alike."""
    source = ROOT / f"{name}.md"
    kinds = {"a checkpoint": toc.checkpoints(), "a page of the road": ROAD[1:], "a side trip": toc.trips(), "a side room": ROOMS}
    if name not in BOOK:
        return "a listing" if name in LISTINGS and name != "_modules/index" else name
    if source.exists():
        return "of the package" if "automodule::" in source.read_text(encoding="utf-8") else "prose"
    return next((kind for kind, pages in kinds.items() if name in pages), name)


def shortest_of_each():
    """One page of each kind: the shortest, as what it is made of is the same in a longer one."""
    by_length = sorted(SEEN, key=lambda name: (SITE / f"{name}.html").stat().st_size, reverse=True)
    return set({template(name): name for name in by_length}.values())


ROAD, ROOMS = toc.road(), {page: parent for page, parent in toc.parents().items() if parent is not None}
WHOLE = set(SEEN) if EVERY_LOOK else shortest_of_each()
# On a phone, and in the dark: the road, and one page of each other kind.
NARROW = {name for name in SEEN if EVERY_LOOK or name in ROAD or name in WHOLE}


class Questions:
    """Questions that are asked of pages, all those of one page in one test."""

    def __init__(self):
        self.kept = []

    def of(self, pages):
        """Ask a question of these pages."""
        def keep(question):
            self.kept.append((question, set(pages)))
            return question
        return keep

    def ask(self, page, given):
        """Ask all that is asked of a page, of what stands for it; those that it fails are named."""
        failed = {}
        for question, pages in self.kept:
            if page in pages:
                try:
                    question(given)
                except Exception as error:
                    failed[question.__name__] = error
        if failed:
            raise AssertionError("\n".join(f"{name}: {error}" for name, error in failed.items())) from next(iter(failed.values()))


# What is asked of a page in one look, or of its text, in one test, which names what was not as it should be.
LOOKED, READ = Questions(), Questions()


def looks(pages, *its):
    """These pages in these themes and widths."""
    return {Context(page, *look) for page in pages for look in its}


# ---- every page that is built, in each theme and width

@on(SEEN, *TWO, narrow=NARROW)
def test_loads_cleanly(opened):
    """No outside request, no script error, no figure that is dead, no sideways scroll, no jump."""
    assert opened.page.evaluate("document.documentElement.dataset.theme") == opened.look.theme
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= opened.look.width
    assert opened.page.evaluate("window.shift") < 0.02 or opened.look[1:] != WIDE and not EVERY_LOOK      # where it was opened
    assert not opened.errors and not opened.outside and not opened.page.locator(".ak-failed").all_inner_texts()


# What two different elements of a page are called: an id, or the name of a figure, by which a screen reader finds it.
TWICE = """() => [...document.querySelectorAll('[id], .ak-figure')].filter((e, k, all) => {
    const name = e => e.id || `${e.dataset.akKind}: ${e.ariaLabel}`, first = all.find(other => name(other) === name(e));
    return first !== e && !(e.closest('defs') && first.isEqualNode(e)); }).map(e => e.id || e.ariaLabel)"""


@on(SEEN, WIDE)
def test_no_two_have_one_name(opened):
    assert opened.page.evaluate(TWICE) == []


def test_a_page_that_was_saved_as_it_stood_is_as_it_was(watched, site):
    """Its scripts run once more on what they have made."""
    with watched() as w:
        w.open(f"{site}/chapters/weights.html")
        html = w.page.content()
        w.page.route("**/chapters/saved.html", lambda route: route.fulfill(body=html, content_type="text/html"))
        before = w.page.locator("body *").count()
        w.open(f"{site}/chapters/saved.html")
        assert w.page.locator("body *").count() == before and not w.errors and w.page.locator(".copybtn").count() > 5


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
CARRIES = {"kB, first visit": 262, "kB, what all pages share being there": 110}     # of a page with a trained model in it
FONTS = 45      # kB of text, interface and code together

# The scripts and styles of the figures that stand on a page; the core's are shared, and so are those that ask.
OWN = re.compile(r"_static/figures/(?!core\.|practice\.)")


def weight(files):
    """kB over the line of some files of the site, compressed as a host does."""
    return sum(len(browser.over_the_line(SITE / file)[0]) for file in files) / 1000


# Pictures far down, which a browser fetches ahead where the line is slow or unknown.
AHEAD = """() => [...document.querySelectorAll('img[loading=lazy]')].filter(i => i.getBoundingClientRect().top > innerHeight + 1250).map(i => i.src)"""


@on(BOOK, WIDE)
def test_weight(opened):
    """Bytes, requests, elements; what all pages share are styles, scripts and fonts."""
    requests = set(opened.requests) - set(opened.page.evaluate(AHEAD))
    files = {re.sub(r"^https?://[^/]+/|[?#].*", "", url) for url in requests if url.startswith("http")}
    cost = {"kB, first visit": weight(files),
            "kB, what all pages share being there": weight(f for f in files if not f.startswith("_static/") or OWN.match(f)),
            "requests": len(requests), "elements": opened.page.evaluate("document.querySelectorAll('*').length")}
    print(f"\n{opened.name}: {({what: round(value) for what, value in cost.items()})}")
    assert f"{opened.name}.html" in files
    carries = any({"model", "loading"} & set(base.scripts(kind)) for kind in opened.page.locator("[data-ak-figure]").evaluate_all("all => all.map(e => e.dataset.akFigure)"))      # a model, or what one has computed
    assert all(cost[what] <= most for what, most in (MOST | (CARRIES if carries else {})).items()), cost
    assert 30 < weight(f for f in files if f.startswith("_static/fonts/")) <= FONTS


def test_the_books_own_rules_are_whole():
    """The theme's sheets lose what no page uses; the book's and the figures' keep every class, put together or not."""
    sheet = (SITE / "_static/site.css").read_text()
    for own in ("bookkit/figures/core.css", "website/static/book.css"):
        classes = set(re.findall(r"\.(ak-[a-z-]+)", (ROOT / own).read_text()))
        assert len(classes) > 10 and classes <= set(re.findall(r"\.(ak-[a-z-]+)", sheet)), own


@READ.of(BUILT)
def what_all_pages_have(name):
    """A way past the lists, headings that leave out no level, one style sheet; scripts are put off until the page is read."""
    page = parsed(name)
    assert page.body.find("a")["href"] == "#main-content" and page.select_one("#main-content")
    levels = [int(heading.name[1]) for heading in page.select_one(".bd-article").find_all(re.compile("^h[1-6]$"))]
    assert levels[:1] in ([1], []) and all(below <= above + 1 for above, below in zip(levels, levels[1:])), levels
    assert not [script["src"] for script in page.select("script[src]") if not script.has_attr("defer") and not script.has_attr("async")]
    assert [link["href"].split("_static/")[1].split("?")[0] for link in page.select("link[rel=stylesheet]")] == ["site.css"]


@READ.of(BUILT)
def figures_bring_their_own_scripts_only(name):
    """The core and those of the page's figures; a page without figures loads none."""
    page = parsed(name)
    kinds = {place["data-ak-figure"] for place in page.select("[data-ak-figure]")}
    scripts = {found for script in page.select("script[src]") for found in re.findall(r"_static/figures/(\w+)\.js", script["src"])}
    assert scripts == ({"core"}.union(*map(base.scripts, kinds)) if kinds else set())
    styles = {found for style in page.select("link[rel=stylesheet]") for found in re.findall(r"_static/figures/(\w+)\.css", style["href"])}
    nested = {kind for style in page.select("style") for kind in re.findall(r'\[data-ak-kind="?(\w+)"?\]', style.text)}
    assert styles | nested | {"core"} == {"core"} | {kind for kind in kinds | {place["id"] for place in page.select(".ak-door")} if (SITE / f"_static/figures/{kind}.css").exists()}


# ---- what a page shows

# What axe is asked: all rules of WCAG 2.1 A and AA, and the size of targets from 2.2. On a page that was asked them all,
# a phone changes sizes and places and what has to be scrolled, and the dark colours, which are asked of every page below.
LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]
COLOURS = ["color-contrast", "link-in-text-block"]
CHANGED = ["scrollable-region-focusable", "target-size"]


def axe(page, rules=None):
    """What axe finds wrong, and how many rules it could apply; over what is folded, too."""
    page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    # The theme fades in what is unfolded.
    page.evaluate("document.getAnimations().forEach(a => a.finish())")
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text())
    asked = {"type": "rule", "values": rules} if rules else {"type": "tag", "values": LEVELS}
    found = page.evaluate("""asked => axe.run({runOnly: asked, rules: {'target-size': {enabled: true}},
        resultTypes: ['violations'], preload: false, performanceTimer: false})""", asked)
    bad = [(v["id"], n["html"][:160], n["failureSummary"][:300]) for v in found["violations"] for n in v["nodes"]]
    assert not bad, json.dumps(bad, indent=1)
    return len(found["passes"])


# What can be scrolled is reached by key.
REACHED = "[...document.querySelectorAll('pre')].every(e => e.scrollWidth <= e.clientWidth || e.tabIndex === 0 || !e.checkVisibility())"


@on([name for name in SEEN if name in WHOLE], *TWO)
def test_accessible(opened):
    """One page of each kind, or all; tests/figures/test_on_the_page.py asks one with every figure."""
    if opened.look[1:] == WIDE or EVERY_LOOK:
        assert axe(opened.page) > 3, "axe has not looked"
    else:
        opened.page.wait_for_function(REACHED)      # soon after the page has become narrow
        axe(opened.page, CHANGED)


# Words that are too faint for their ground, by the guidelines: with less than 4.5 : 1, or 3 : 1 where they are large. What
# stands in drawings, tests/pictures/test_palette.py asks.
FAINT = """() => {
    const parse = colour => { const n = colour.match(/[\\d.e-]+/g).map(Number); return [...n.slice(0, 3).map(x => colour.startsWith('color') ? x : x / 255), n[3] ?? 1]; };
    const over = (above, below) => below.map((x, k) => k < 3 ? above[3] * above[k] + (1 - above[3]) * x : 1);
    const ground = e => { const own = parse(getComputedStyle(e).backgroundColor); return own[3] === 1 ? own : over(own, e.parentElement ? ground(e.parentElement) : [1, 1, 1, 1]); };
    const light = c => { const [r, g, b] = c.map(x => x <= .04045 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4); return .2126 * r + .7152 * g + .0722 * b; };
    const walk = document.createTreeWalker(document.querySelector('.bd-article'), NodeFilter.SHOW_TEXT), seen = new Set(), faint = [];
    while (walk.nextNode()) { const e = walk.currentNode.parentElement;
        if (seen.has(e) || !walk.currentNode.data.trim() || e.closest('svg, .katex, .ak-unseen, :disabled, [aria-disabled=true]') || !e.checkVisibility({opacityProperty: true, visibilityProperty: true})) continue;
        seen.add(e);
        const {color, fontSize, fontWeight} = getComputedStyle(e), below = ground(e), size = parseFloat(fontSize) * (fontWeight >= 700 ? 9 / 7 : 1);
        const [low, high] = [light(over(parse(color), below)), light(below)].sort((a, b) => a - b);
        if ((high + .05) / (low + .05) < (size >= 24 ? 3 : 4.5)) faint.push(`${walk.currentNode.data.trim().slice(0, 40)}: ${color} on ${below}`); }
    return faint; }"""


@LOOKED.of(looks(SEEN, *TWO))
def words_can_be_read(opened):
    assert not opened.page.evaluate(FAINT)


def turns_dark(page):
    """The page turned dark as it stands: its figures are painted anew, all words can be read, and light again."""
    painted = "[...document.querySelectorAll('.ak-figure *')].map(e => getComputedStyle(e)).map(s => s.backgroundColor + s.fill + s.color).join()"
    squares = """[...document.querySelectorAll('.ak-figure [style*=color-mix]')].map(e => getComputedStyle(e).backgroundColor)"""
    light, filled = page.evaluate(painted), page.evaluate(squares)
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    try:
        assert page.evaluate(painted) != light or not light
        stayed = [a for a, b in zip(filled, page.evaluate(squares), strict=True) if a == b and not a.endswith("/ 0)")]
        assert not stayed, f"{len(stayed)} of {len(filled)} squares keep the fill of the light page"
        assert axe(page, COLOURS)
    finally:
        page.evaluate("document.documentElement.dataset.theme = 'light'")
        page.evaluate("document.getAnimations().forEach(a => a.finish())")
    assert page.evaluate(painted) == light


# What a phone does not show, lists at both sides, is the same on all pages of a kind.
@on(SEEN if EVERY_LOOK else ("index", CHAPTERS[0], "reference/modules", "search"), WIDE)
def test_the_theme_is_changed(opened):
    turns_dark(opened.page)


def test_the_button_for_the_theme(watched, site):
    """Pressed, the page and its figures turn; the next page is dark from its first painting; pressed on, it follows the system again."""
    with watched() as w:
        w.open(f"{site}/index.html")
        square = w.page.locator(".ak-figure .ak-weight").first
        light = square.evaluate("e => getComputedStyle(e).backgroundImage")
        button = w.page.locator(".theme-switch-button").filter(visible=True).first
        seen = []
        for _ in range(4):
            button.click()
            theme = w.page.evaluate("document.documentElement.dataset.theme")
            seen.append((w.page.evaluate("localStorage.getItem('mode')"), theme))
            assert (square.evaluate("e => getComputedStyle(e).backgroundImage") == light) == (theme == "light")
            if theme == "dark":
                w.page.goto(f"{site}/{CHAPTERS[0]}.html", wait_until="commit")
                w.page.wait_for_function("document.body")
                assert w.page.evaluate("document.documentElement.dataset.theme") == "dark"
                w.open(f"{site}/index.html")
        assert {mode for mode, _ in seen} == {"auto", "light", "dark"} and {theme for _, theme in seen} == {"light", "dark"}
        assert not w.errors


def test_without_code(watched, site):
    """One press folds all code and leaves what it prints and draws; each opens by itself. Slides remember it, and on paper all is there."""
    seen = "section > .cell :is(.cell_input, .highlight-python)", "section > .cell > .cell_output"
    with watched() as w:
        w.open(f"{site}/chapters/chat_model.html")
        code, shown = (w.page.locator(one).filter(visible=True) for one in seen)
        before, button = (code.count(), shown.count()), w.page.get_by_role("button", name="Without code")
        for folded in (True, False, True):
            button.press("Enter")
            assert (code.count(), shown.count()) == (0 if folded else before[0], before[1])
            assert button.get_attribute("aria-pressed") == str(folded).lower()
        w.page.locator(".ak-folded summary").first.click()
        assert code.first.inner_text().startswith("model = chat_model.loaded()")
        w.page.evaluate("dispatchEvent(new Event('beforeprint'))")
        w.page.emulate_media(media="print")
        assert code.count() == before[0] > 4
        w.page.emulate_media(media="screen")
        w.page.goto(f"{site}/chapters/weights.html?present")
        w.page.wait_for_selector(".deck-slide")
        assert not w.page.locator(".cell:not(.tag_keep-code) > .cell_input:not(.deck-notes *, details *)").count() and not w.errors


def test_the_covers_doors(watched, site):
    """What is behind one comes when it is pressed, writes at once, and is asked for again where it did not come."""
    with watched() as w:
        w.open(f"{site}/index.html")
        w.page.route("**/door_chat.js*", lambda route: route.abort(), times=1)
        for name, told in (("Let it write", "Zoe met Toby Toby Toby Toby"), ("Let it answer", "Try again"), ("Try again", "The answer ends here")):
            w.page.get_by_role("button", name=name).press("Enter")
            w.page.get_by_text(told).wait_for()
        assert len(w.errors) == 1 and "ERR_FAILED" in w.errors[0]


@LOOKED.of(looks(BOOK, WIDE))
def pictures_have_words(opened):
    """axe misses an inline SVG without a text alternative."""
    silent = opened.page.evaluate("""() => [...document.querySelectorAll('.bd-article svg, .bd-article img, .bd-article canvas')]
        .filter(e => !e.closest('.katex, button') && e.getAttribute('aria-hidden') !== 'true' && !e.closest('[aria-hidden=true]'))
        .filter(e => !((e.getAttribute('aria-label') || e.getAttribute('alt') || '').trim().length > 9)
            || (e.tagName === 'svg' && e.getAttribute('role') !== (e.querySelector('a') ? 'group' : 'img'))).map(e => e.outerHTML.slice(0, 200))""")
    assert not silent
    # Hidden from a screen reader: only icons and the lines that a figure's words repeat.
    hidden = opened.page.evaluate("""() => [...document.querySelectorAll('.bd-article svg[aria-hidden=true]')]
        .filter(e => !e.closest('.ak-figure, .sd-summary-icon, .sd-summary-chevron-right, .sd-summary-chevron-down, summary, button'))
        .map(e => e.outerHTML.slice(0, 200))""")
    assert not hidden


@functools.cache
def glyphs(*fonts):
    """The code points that font files draw."""
    from fontTools.ttLib import TTFont
    return set().union(*(TTFont(font).getBestCmap() for font in fonts))


# What each letter of a page is drawn in, icons and formulas, too: its face, whether bold, whether slanted.
DRAWN = """() => { const found = {}, note = (letters, s) => {
        const key = [s.fontFamily.split(',')[0].replace(/["']/g, ''), Number(s.fontWeight) >= 600, s.fontStyle === 'italic'].join();
        found[key] = [...new Set((found[key] ?? '') + letters)].join(''); };
    const folded = [...document.querySelectorAll('details:not([open])')];
    folded.forEach(d => d.open = true);
    for (const e of document.querySelectorAll('[class]:not(.katex *, pre *)')) for (const p of ['::before', '::after']) {
        const s = getComputedStyle(e, p); if (/[\ue000-\uf8ff]/.test(s.content)) note(s.content, s); }
    const walk = document.createTreeWalker(document.querySelector('.bd-content'), NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) { const e = walk.currentNode.parentElement;
        if (e.getClientRects().length && !e.closest('.katex-mathml')) note(walk.currentNode.data, getComputedStyle(e)); }
    folded.forEach(d => d.open = false);
    return found; }"""
FACES = {"Source Serif 4": ("serif", "serif-italic"), "Source Sans 3": ("sans", "sans"), "Source Code Pro": ("mono", "mono")}


def files(family, bold, slanted):
    """The files of a face, whole and as the site brings it. Signs that a face has not, its stand-in draws."""
    if family in FACES:
        return [[folder / f"{FACES[family][slanted]}.woff2"] for folder in (book_fonts.FONTS, SITE / "_static/fonts")]
    if family.startswith("KaTeX"):
        name = f"{family}-{('Bold' * bold + 'Italic' * slanted) or 'Regular'}.woff2"
        found = [[folder / name] for folder in (book_fonts.KATEX_FONTS, SITE / "_static/katex/fonts")]
        return found if found[0][0].exists() else [[], []]      # the browser slants what has no slanted face
    assert family.startswith("Font Awesome 6"), f"text in a face that is not the book's: {family}"
    return [sorted(folder.glob("*.woff2")) for folder in (book_fonts.ICONS, SITE / "_static/vendor/fontawesome/webfonts")]


@LOOKED.of(looks(SEEN, WIDE))
def letters_are_in_the_cut_fonts(opened):
    """Every letter that a face has is in the part of it that the site brings; only a look at the page would show it otherwise."""
    drawn = opened.page.evaluate(DRAWN)
    assert any(face.startswith("Source Serif 4") for face in drawn) and any(face.startswith("Font Awesome") for face in drawn)
    for face, letters in drawn.items():
        family, *how = face.split(",")
        whole, brought = files(family, *(said == "true" for said in how))
        missing = {c for c in letters if ord(c) in glyphs(*whole) - glyphs(*brought) - {0xa0, 0x200b}}
        assert not missing, (face, missing)


# On a busy machine the face may have come too late to be used.
IN_OWN_FACE = """async up => { const face = new FontFace('Source Serif 4', `url(${up}_static/fonts/serif.woff2)`, {weight: '400 650'});
    document.fonts.add(await face.load()); }"""
LINES = """() => [...document.querySelectorAll('.bd-article section > p:not([class])')].filter(p => !p.querySelector('.katex')).flatMap(p => {
    const r = document.createRange(); r.selectNodeContents(p);
    const bottoms = [...r.getClientRects()].map(b => b.bottom).sort((a, b) => a - b);      // code ends a little higher
    const lines = bottoms.filter((bottom, k) => !k || bottom - bottoms[k - 1] > 8).length;
    return lines > 2 ? [[p.textContent.length, lines]] : []; })"""


@LOOKED.of(looks([page for page in CHAPTERS if page in WHOLE], WIDE))
def measure(opened):
    """On a laptop 60 to 75 letters a line; the last line of a paragraph counts for half of one."""
    opened.page.evaluate(IN_OWN_FACE, "../" * opened.name.count("/"))
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


@LOOKED.of(looks(BOOK, DARK_PHONE))
def words_are_large_enough(opened):
    """On a phone no word is smaller than 11 pixels."""
    assert not opened.page.evaluate(SMALL)


@LOOKED.of(looks(("chapters/dot_product", "chapters/translation"), DARK_PHONE))
def first_level_maths_is_large_enough(opened):
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


@LOOKED.of(looks(CHAPTERS, WIDE))
def parts_of_a_picture_stand_in_one_row(opened):
    """Where they fit, given way a little; and the row in the middle of the text."""
    found = [picture for picture in opened.page.evaluate(ROWS) if picture["fits"]]
    assert found or not opened.page.locator(".bd-article figure.ak-picture").count()
    assert all(picture["row"] and abs(picture["aside"]) < 3 for picture in found)


# ---- how cells, exercises and titles stand

@READ.of(CHAPTERS)
def folded_code_follows_what_it_shows(name):
    """Never between the words and the picture, never alone, never with prose."""
    body = parsed(name).select_one(".bd-article")
    for fold in body.select("div.cell > details.hide"):
        if fold.find_parent(class_="ak-exercise"):              # a solution, and the cell for an answer, are folded as wholes
            continue
        before = fold.find_previous_sibling()
        assert before is not None and "cell_output" in before["class"]
        assert before.select("svg, table, .ak-widget, pre, img"), before.text[:80]
    for cell in body.select("div.cell > .cell_input"):          # what only imports stays in the notebook
        assert re.search(r"^(?!from |import |\s|\)|$)", cell.get_text(), flags=re.M)


@READ.of(CHAPTERS)
def an_exercise_is_one_card(name):
    """First the place for the answer, then, folded, its hint, the cell for a notebook and the solution; nothing of it stands outside."""
    body = parsed(name).select_one(".bd-article")
    cards = body.select(".ak-exercise")
    assert len(cards) == len(body.select(".exercise")) and (cards or name.startswith("further/"))
    for card in cards:
        assert len(card.select(".exercise")) == 1 and card.select_one("pre") and "Not answered yet" not in card.text
        parts = card.find_all(recursive=False)
        assert parts[1].select_one("[data-ak-figure=practice]") and all(p.name == "details" or p.select_one("details") for p in parts[2:])
        folded = [p.summary.text.strip() for p in parts[2:]]
        assert [any(word in words for words in folded) for word in ("Hint", "cell for a notebook", "solution")] == [True] * 3, folded
        after = card.find_next_sibling()
        assert after is None or not ({"sd-dropdown", "cell"} & set(after.get("class", []))), card.text[:60]


@READ.of(CHAPTERS)
def masthead(name):
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


@on(SEEN, *TWO, narrow=NARROW)
def test_a_page_as_one_looks_at_it(opened):
    opened.page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    LOOKED.ask(opened.look, opened)


# ---- without a script

@functools.cache
def parsed(name):
    """A page, without the inside of formulas and of lines of code, half of what it has: it is not asked for, and takes long to read."""
    whole = lxml.html.parse(str(SITE / f"{name}.html"), lxml.html.HTMLParser(encoding="utf-8")).getroot()
    for drawn in whole.xpath("//span[@class='katex-html'] | //math"):
        drawn[:] = []
    for coloured in whole.xpath("//pre//span"):
        coloured.drop_tag()
    return BeautifulSoup(lxml.html.tostring(whole, encoding="unicode"), "html.parser")


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


@READ.of(BOOK)
def without_javascript(name):
    """Every formula stands, every interactive figure leaves a picture or a table with its numbers."""
    page = parsed(name)
    formulas = page.select(".math")
    assert len(formulas) == len(page.select(".math .katex-html")) == len(page.select(".math math")) == maths(name)
    assert not page.select(".katex-error")
    body = page.select_one(".bd-article")
    assert not [cell.get_text() for cell in body.select("p, td") if "$" in cell.get_text()], "a formula that stayed text"
    for still in page.select(".ak-widget:not([data-ak-figure=practice], .ak-door)"):
        drawn = still.select("svg[role=img]")
        assert drawn or still.select_one("table")
        told = still.get_text() + "".join(one["aria-label"] for one in drawn)
        # A picture that grows leaves its last drawing, which may be one with fewer numbers, or with none.
        written = numbers(" ".join(word.get_text() for one in drawn for word in one.select("text")), [])
        most = min(9, written) if still["data-ak-figure"] == "growing_picture" else 9
        assert numbers(told, [cell.get_text() for cell in still.select("td")]) >= most


@READ.of(page for page in CHAPTERS if page.startswith("chapters/") and set(browser.figures_of(SITE / f"{page}.html")) - {"practice"})
def at_least_three_pictures(name):
    """Those of its side room counted with a chapter's."""
    assert sum(len(parsed(page).select(".bd-article svg[role=img]")) for page in [name, *(room for room in ROOMS if ROOMS[room] == name)]) >= 3


FRENCH = "je|tu|te|aime|aimes|aimons|les|cet|cette|ces|fille|chien|arbre|pas|nous|vous"


# The package's pages are docstrings, plain text without a place for a language.
@READ.of(name for name in BOOK if not name.startswith("reference/"))
def french_words_say_so(name):
    text = (SITE / f"{name}.html").read_text()
    body = text[text.index("<article"):text.rindex("</article>")]
    body = re.sub(r'<(\w+)[^>]*\blang="fr"[^>]*>.*?</\1>|data-ak-state="[^"]*"|<div class="highlight">.*?</pre>', "", body, flags=re.S)
    body = html.unescape(re.sub(r"<[^>]*>", " ", body))
    left = re.findall(rf"\b(?:[jtnmc]|qu)['’]|\b(?:{FRENCH})\b", body)
    assert not left, left


@pytest.mark.parametrize("name", asked(BUILT))
def test_a_page_as_it_is_written(name):
    READ.ask(name, name)


@functools.cache
def anchors(path):
    """The names within a page that a link may lead to."""
    return {"", "main-content", *map(html.unescape, re.findall(r'\bid="([^"]+)"', path.read_text()))}


PARTS = toc.captions()


def leads(name, way):
    """Where a page's button to the page before it, or after it, leads; None if it has none."""
    button = parsed(name).select_one(f".prev-next-area a.{way}")
    return button and posixpath.normpath(posixpath.join(posixpath.dirname(name), button["href"])).removesuffix(".html")


def test_the_road_leads_from_chapter_to_chapter():
    """Previous and next pass the side rooms by, and the last chapter leads to the side trips; what comes after it is walked part by part.
    A side room, or a side trip, leads back to its chapter and nowhere else."""
    rest = [page for page, parent in toc.parents().items() if parent is None and page not in {*ROAD, *toc.trips()}]
    for pages in (ROAD, *([page for page in rest if PARTS[page] == part] for part in {PARTS[page] for page in rest})):
        assert [leads(name, "left-prev") for name in pages] == [None, *pages[:-1]]
        assert [leads(name, "right-next") for name in pages] == [*pages[1:], "index.html#side-trips" if pages is ROAD else None]
    trips = {trip: toc.branch(trip) for trip in toc.trips()}
    assert ROOMS and trips
    for room, chapter_ in (ROOMS | trips).items():
        assert (leads(room, "left-prev"), leads(room, "right-next")) == (chapter_, None)
        assert parsed(room).select_one(".left-prev .prev-next-subtitle").text == "back to"
        assert room in trips or any(posixpath.basename(link["href"]) == f"{posixpath.basename(chapter_)}.html" for link in parsed(room).select(".ak-kicker a"))


@pytest.mark.parametrize("name", [ROAD[0], ROAD[1], *list(ROOMS)[:1]])
def test_a_side_room_stands_under_the_chapter_one_is_on(name):
    """In sight, without a switch that has no name; those of other chapters do not make the list long."""
    sidebar = parsed(name).select_one("nav.bd-links")
    assert not sidebar.select("summary, details, input")
    wanted = [room for room, chapter_ in ROOMS.items() if name in (room, chapter_)]
    links = sidebar.select("li.toctree-l2 > a")
    assert [a["data-ak-page"] for a in links] == wanted
    assert all(a.find_parent("li", class_="toctree-l1").find("a")["data-ak-page"] == ROOMS[room] for a, room in zip(links, wanted))


@LOOKED.of(looks(CHAPTERS, WIDE))
def the_list_of_chapters_is_short(opened):
    """The stops of a wide window, and one after the other: they fit into the window, below the button that opens the list."""
    lowest, height = opened.page.evaluate("[document.querySelector('nav.bd-links').getBoundingClientRect().bottom, innerHeight]")
    assert 500 < lowest <= height, f"{lowest:.0f} pixels"


@READ.of(ROAD[1:])
def the_road_in_one_line_says_where_one_is(name):
    """A stop for each page, the present one marked; not for the keyboard, which has the list."""
    line = parsed(name).select_one(".ak-stops")
    assert [a["data-ak-stop"] for a in line.select("a")] == ROAD[1:] and line["aria-hidden"] == "true"
    assert [a["data-ak-stop"] for a in line.select("a.ak-here")] == [name] and all(a["tabindex"] == "-1" for a in line.select("a"))


@READ.of(ROAD)
def the_fast_lane_is_marked(name):
    """In the list of chapters and on the cover's map each of its pages; on these a box under the title and a way on at the foot."""
    page, lane = parsed(name), toc.lane()
    marks = [*page.select("nav.bd-links .ak-on-lane"), *page.select("#the-map .ak-on-lane")]
    stops = [link.get("data-ak-page") or link["data-ak-stop"] for link in (mark.find_parent("a") for mark in marks)]
    assert stops == lane * (2 if name == "index" else 1)
    assert all(mark.get_text() == " » (fast lane)" for mark in marks)
    if name == "index":
        [line] = page.select("#the-map .ak-lane")
        assert f"the {len(lane)} marked pages" in line.text and re.search(r"about (\d+) minutes", line.text)
        whole = sum(road.minutes(json.loads((ROOT / f"{other}.ipynb").read_text())) for other in lane)
        assert abs(int(re.search(r"about (\d+) minutes", line.text)[1]) - whole) <= 2.5
        return
    box, foot = page.select("h1 ~ .ak-lane"), page.select(".prev-next-footer .ak-lane")
    assert len(box) == len(foot) == (name in lane)
    if name in lane:
        at = lane.index(name)
        assert f"Fast lane, {at + 1} of {len(lane)}" in box[0].text and bool(box[0].select("details")) == bool(toc.on_lane()[name])
        leads = [[posixpath.normpath(posixpath.join(posixpath.dirname(name), link["href"])).removesuffix(".html") for link in place.select("a:not(p a)")] for place in (box[0], foot[0])]
        assert leads == [lane[at + 1:at + 2]] * 2
        assert at + 1 < len(lane) or re.sub(r"\[|\]\(.+?\)", "", toc.on_lane()["end"]) in foot[0].text and len(foot[0].select("p a")) == 3


def test_next_stays_on_the_fast_lane(watched, site):
    with watched() as w:
        first = toc.lane()[0]
        for page, link, ways in (("index", "#the-map .ak-lane a", 1), (ROAD[ROAD.index(first) - 1], ".right-next", 2)):
            w.open(f"{site}/{page}.html")
            w.page.locator(link).click()
            w.page.wait_for_url(f"**/{first}.html")
            assert w.page.locator(".prev-next-footer .right-next").count() == ways


@READ.of(CHAPTERS)
def citations_are_read_where_they_stand(name):
    """Each shows its entry: authors, title, year."""
    for link in parsed(name).select("article p > a[href*='bibliography.html#'], article li > a[href*='bibliography.html#']"):
        assert "ak-cites" in link["class"] and re.search(r"\b(1[89]|20)\d\d\b", link["aria-description"]), link


def test_local_links_lead_somewhere():
    """Images are there, too."""
    found = 0
    for name in BUILT:
        page = SITE / f"{name}.html"
        for link in re.findall(r'<(?:a|img)\s[^>]*?(?<=\s)(?:href|src)="([^"]+)"', page.read_text()):
            path, _, anchor = html.unescape(link).replace("?present", "").partition("#")
            if re.match(r"[a-z]+:", link):
                continue
            target = (page.parent / path).resolve() if path else page
            assert target.exists(), f"{name}: {link}"
            if target.suffix == ".html":
                assert anchor in anchors(target), f"{name}: {link}"
            found += 1
    assert found > 1000
