"""A page as slides, `?present` in its address: made in the browser of the page's own parts, by website/present.js.

Words, pictures and figures are counted on the page and on its slides: moved, none is there twice and none is lost, but
for the sentences that a notebook marks, which a slide repeats.
"""

import json
import re

import pypdf
import pytest
from conftest import EVERY_LOOK, ROOT, SITE
from test_site import COLOURS, axe

from website import road, toc

pytestmark = pytest.mark.browser

PAGE = "chapters/softmax"      # what the tests of keys and buttons are about
# Between them they have each kind of cell, the widest table, and pictures that grow; every week all of the road.
THREE = [PAGE, "chapters/machine", "chapters/real_model"]
WALKED = [page for page in toc.road() if page.startswith("chapters/")] if EVERY_LOOK else THREE


def present(w, address, size=(1280, 720)):
    """Open a page as slides."""
    w.page.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
    w.open(address)
    w.page.wait_for_selector(".deck-slide:visible")


def go(w, part):
    """Show the first slide that is of some kind, or has some part; its number."""
    number = w.page.evaluate("part => 1 + [...document.querySelectorAll('.deck-slide')].findIndex(e => e.matches(part) || e.querySelector(part))", part)
    assert number, part
    w.page.evaluate("n => { location.hash = `#/${n}` }", number)
    w.page.wait_for_function("n => !document.querySelectorAll('.deck-slide')[n - 1].hidden", arg=number)
    return number


def written(page):
    """The words of a notebook: its Markdown, and what its code writes."""
    cells = json.loads((ROOT / f"{page}.ipynb").read_text(encoding="utf-8"))["cells"]
    return "\n".join(map(road.said, cells))


def at(w):
    """The number of the slide that is seen, as its counter says it; it has to be the only one."""
    here, count = map(int, w.page.locator(".deck-counter").inner_text().split(" / "))
    assert w.page.locator(".deck-slide:visible").count() == 1 and count == w.page.locator(".deck-slide").count()
    assert w.page.evaluate("location.hash") == f"#/{here}"
    return here


# The words of the page as it was sent and of its slides, a text at a time, so that it does not matter what stands beside
# it; and the pictures and figures that are in sight without anything being unfolded. What lives writes words of its own.
MOVED = """async () => { const ALIVE = '.headerlink, .copybtn, [data-ak-figure], .ak-answered, .ak-done, style, script, .deck-said';
    const has = root => { const words = {}, walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
        while (walk.nextNode()) for (const word of walk.currentNode.data.match(/\\S+/g) ?? [])
            if (!walk.currentNode.parentElement.closest(ALIVE)) words[word] = (words[word] ?? 0) + 1;
        const drawn = [...root.querySelectorAll('figure.ak-picture, [data-ak-figure]')].filter(e =>
            !e.closest('details') && !e.parentElement.closest('[data-ak-figure]'));
        return {words, drawn: drawn.length, shown: drawn.filter(e => e.closest('.deck-slide') && !e.closest('.deck-notes')).length}; };
    const sent = new DOMParser().parseFromString(await (await fetch(location.pathname)).text(), 'text/html');
    return [has(sent.querySelector('article.bd-article > section')), has(document.querySelector('.deck main'))]; }"""

# From the first slide to the last by the key: what is wrong with each.
WALK = """() => { const wrong = [], slides = [...document.querySelectorAll('.deck-slide')];
    slides.forEach((slide, k) => {
        const say = (what, right) => right || wrong.push(`${k + 1}: ${what}`), body = slide.querySelector('.deck-body');
        const heading = slide.parentElement.querySelector('h1, h2'), told = slide.querySelector('.deck-told');
        say('not in sight', slides.filter(e => e.getClientRects().length).join() === [slide].join() && slide.getClientRects().length);
        say('focus', document.activeElement === heading);
        say('counter', document.querySelector('.deck-counter').textContent === `${k + 1} / ${slides.length}`);
        say('read out', document.querySelector('.deck > [aria-live]').textContent === `Slide ${k + 1} of ${slides.length}: ${heading.textContent}`);
        say('nothing on it', body.textContent.trim() || body.querySelector('svg'));
        say('wide', body.scrollWidth <= body.clientWidth + 1 && document.documentElement.scrollWidth <= innerWidth);
        for (const e of slide.querySelectorAll('.deck-shown figure svg[width], .deck-shown .ak-figure, .deck-shown .base, .deck-told')) {
            const r = e.getBoundingClientRect(); say('cut at a side', !r.width || r.left > -1 && r.right < innerWidth + 1); }
        say('small', parseFloat(getComputedStyle(body).fontSize) >= 18 && (!told || parseFloat(getComputedStyle(told).fontSize) >= 17.9));
        // A picture that grows takes its steps first.
        for (let n = 0; n < 12 && !slide.hidden; n++) document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true}));
    }); return wrong; }"""


# What slides say in the notebook's words, and which of them begin in mid-thought, or ask for a guess without the question.
SAID = """() => { const MID = /^(And|But|So (?!far)|Then|It|They|He|She|Its|Their|Those|Both) /, plain = e => e.textContent.trim(), wrong = [];
    const said = [...document.querySelectorAll('.deck-said')].flatMap(e => e.matches('p') ? [e] : [...e.children]);
    for (const slide of document.querySelectorAll('.deck-slide')) { const told = slide.querySelector('.deck-said'), { kind } = slide.dataset;
        if (told && MID.test(plain(told)) && !told.previousElementSibling && kind !== 'title') wrong.push(plain(told));
        if (kind === 'practice' && !told) wrong.push('a guess without its question');
        const words = [...slide.querySelectorAll('.deck-said')].map(plain).join(' ').split(/\\s+/).length;
        if (words > 90) wrong.push(`${words} words: ${plain(told).slice(0, 40)}`); }
    for (const part of document.querySelectorAll('.deck main > section')) if (!part.querySelector('.deck-slide')) wrong.push(`nothing of ${plain(part)}`);
    return [said.map(plain), wrong]; }"""

# Which figures do not fit a screen, or have words that are smaller than so many pixels.
FITS = """async least => { await new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)));      // the size is new
    const wrong = [], slides = [...document.querySelectorAll('.deck-slide')];
    await Promise.all([...document.querySelectorAll('[data-ak-figure]')].map(async e => { while (!e.querySelector('.ak-figure, .ak-failed')) await new Promise(r => setTimeout(r, 50)); }));
    for (const [k, slide] of slides.entries()) { if (!slide.querySelector('[data-ak-figure]:not([data-ak-figure=practice])')) continue;
        location.hash = `#/${k + 1}`; await new Promise(r => { const look = () => slide.hidden ? requestAnimationFrame(look) : r(); look(); });
        if (slide.hasAttribute('data-scrolls')) wrong.push(`${k + 1}: scrolls`);
        const walk = document.createTreeWalker(slide.querySelector('.deck-body'), NodeFilter.SHOW_TEXT);
        while (walk.nextNode()) { const { data, parentElement: e } = walk.currentNode, svg = e.closest('svg');
            if (data.trim().length < 2 || !e.getClientRects().length || e.closest('.ak-unseen, script, style, .katex-mathml')) continue;
            const range = document.createRange(); range.selectNodeContents(walk.currentNode);
            if (range.getBoundingClientRect().height < 2) continue;
            const size = parseFloat(getComputedStyle(e).fontSize) * (svg ? svg.getScreenCTM().a : e.currentCSSZoom ?? 1);
            if (size < least) wrong.push(`${k + 1}: ${size.toFixed(1)} px, ${data.trim().slice(0, 30)}`); } }
    return wrong; }"""


@pytest.mark.parametrize("page", WALKED)
def test_a_page_is_moved_to_its_slides(window, site, page):
    """Between 8 and 32 of them, nothing lost, each whole on an old projector; what is marked is said, and nothing else."""
    with window() as w:
        present(w, f"{site}/{page}.html?present", (1024, 768))
        before, after = w.page.evaluate(MOVED)
        assert after["words"] == before["words"]
        assert before["drawn"] == after["drawn"] == after["shown"]
        count = w.page.locator(".deck-slide").count()
        print(f"\n{page}: {count} slides")
        assert 8 <= count <= 32
        assert not w.page.evaluate(WALK)
        assert at(w) == count
        said, wrong = w.page.evaluate(SAID)
        assert len(said) == written(page).count("<span data-say") and not wrong
        for size, least in (((1280, 720), 0), ((1920, 1080), 20)):
            w.page.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
            assert not w.page.evaluate(FITS, least), size
        assert not w.errors and not w.outside


def test_a_picture_grows_step_by_step(watched, site):
    """A clicker goes through its steps, and then to the next slide; back as well."""
    with watched() as w:
        present(w, f"{site}/chapters/masks.html?present")
        number = go(w, "[data-ak-kind=growing_picture]")
        w.page.wait_for_selector("[data-ak-kind=growing_picture]:visible")
        step = w.page.locator(".deck-slide:visible .ak-live")
        count = int(re.match(r"Step 1 of (\d+)", step.inner_text())[1])
        told = "told => document.querySelector('.deck-slide:not([hidden]) .ak-live').textContent.startsWith(told)"
        for k in range(1, count + 1):
            w.page.wait_for_function(told, arg=f"Step {k} of {count}")
            assert at(w) == number
            w.page.keyboard.press("PageDown")
        assert at(w) == number + 1 and count > 2
        w.page.keyboard.press("PageUp")
        assert at(w) == number and step.inner_text().startswith(f"Step {count} of")
        w.page.keyboard.press("ArrowLeft")
        w.page.wait_for_function(told, arg=f"Step {count - 1} of {count}")
        assert at(w) == number
        # One that opens with all it has grows from the beginning, but not after somebody has gone through it by hand.
        for touched in (False, True):
            present(w, f"{site}/chapters/machine.html?present=4")
            w.page.wait_for_selector("[data-ak-kind=growing_picture]:visible")
            w.page.wait_for_function(told, arg="Step 6 of 6")
            if touched:
                for name in ("Back", "Next step"):
                    w.page.locator(".deck-slide:visible").get_by_role("button", name=name).click()
            w.page.keyboard.press("PageDown")
            if not touched:
                w.page.wait_for_function(told, arg="Step 1 of 6")
            assert at(w) == 4 + touched
        assert not w.errors


def test_keys_and_buttons(watched, site):
    with watched() as w:
        present(w, f"{site}/{PAGE}.html?present")
        press, last = w.page.keyboard.press, w.page.locator(".deck-slide").count()
        assert at(w) == 1
        for key, place in (("ArrowRight", 2), ("PageDown", 3), ("Space", 4), ("ArrowLeft", 3), ("PageUp", 2), ("Shift+Space", 1), ("ArrowLeft", 1),
                           ("End", last), ("ArrowRight", last), ("Home", 1)):
            press(key)
            assert at(w) == place, key
        w.page.get_by_role("button", name="Next slide").click()
        w.page.get_by_role("button", name="Next slide").click()
        w.page.get_by_role("button", name="Slide before").click()
        assert at(w) == 2
        w.page.reload()
        w.page.wait_for_selector(".deck-slide:visible")
        assert at(w) == 2
        press("Home")
        notes = w.page.locator(".deck-slide:visible .deck-notes")
        assert not notes.is_visible()
        press("n")
        assert "You need" in notes.inner_text()
        press("n")
        theme = "document.documentElement.dataset.theme"
        assert w.page.evaluate(theme) == "light"
        press("d")
        assert w.page.evaluate(theme) == "dark"
        press("d")
        assert w.page.evaluate(theme) == "light"
        press("?")
        assert w.page.get_by_role("dialog").is_visible()
        press("Escape")      # the dialog only
        assert not w.page.get_by_role("dialog").is_visible() and at(w) == 1
        press("f")
        w.page.wait_for_function("document.fullscreenElement")
        press("f")
        w.page.wait_for_function("!document.fullscreenElement")
        assert not w.errors


def test_what_who_speaks_has(watched, site):
    """A black screen, all slides at once, and a window with notes, what comes next and the time."""
    with watched() as w:
        present(w, f"{site}/{PAGE}.html?present")
        press, black = w.page.keyboard.press, w.page.locator(".deck-black")
        for key in ("b", "."):
            press(key)
            assert black.is_visible() and black.bounding_box()["width"] == 1280
            press("ArrowRight")      # brings the slide back, and no more
            assert not black.is_visible() and at(w) == 1
        press("o")
        rows = w.page.get_by_role("dialog", name="All slides").get_by_role("button")
        assert rows.count() == w.page.locator(".deck-slide").count() + 1
        assert w.page.evaluate("document.activeElement.getAttribute('aria-current')") == "true"
        press("ArrowRight")      # the dialog's
        assert at(w) == 1
        rows.nth(4).click()
        assert at(w) == 5 and not w.page.locator("dialog:visible").count()
        with w.page.expect_popup() as opened:
            press("w")
        side = opened.value
        assert re.fullmatch(r"\d+:\d\d", side.locator("time").inner_text())
        said = side.locator("div").inner_text(), side.locator("p").last.inner_text()
        assert side.locator("h1").inner_text().startswith("5 / ") and said[1].startswith("Next: ")
        side.keyboard.press("ArrowRight")
        assert at(w) == 6 and side.locator("h1").inner_text().startswith("6 / ")
        notes = w.page.locator(".deck-slide:visible .deck-notes > *").all_text_contents()
        assert [" ".join(one.split()) for one in side.locator("div p").all_text_contents()] == [" ".join(one.split()) for one in notes]
        go(w, ".deck-notes .katex")
        assert side.locator("math").count() == w.page.locator(".deck-slide:visible .deck-notes math").count() and not side.locator("annotation").count()
        side.keyboard.press("End")
        assert side.locator("p").last.inner_text() == "This is the last slide."
        assert not w.errors


def test_lines_lead_from_word_to_word(watched, site):
    """In what a slide makes larger, too: how far, in pixels, the ends of the curves are from their words."""
    apart = """kind => { const figure = document.querySelector(`.deck-slide:not([hidden]) [data-ak-kind=${kind}]`), middle = r => [(r.left + r.right) / 2, (r.top + r.bottom) / 2];
        const paths = [...figure.querySelectorAll('svg path')].filter(p => p.getTotalLength() && p.getClientRects().length && getComputedStyle(p).strokeOpacity > 0);
        const words = [...figure.querySelectorAll('.ak-word, .ak-chip, .ak-scene [lang]')].map(e => e.getBoundingClientRect()).filter(r => r.width);
        return paths.flatMap(p => [0, p.getTotalLength()].map(at => { const q = p.getPointAtLength(at).matrixTransform(p.getScreenCTM());
            return Math.min(...words.map(r => Math.max(Math.abs(q.x - middle(r)[0]) - r.width / 2, Math.abs(q.y - middle(r)[1]) - r.height / 2))); })); }"""
    with watched() as w:
        present(w, f"{site}/chapters/translation.html?present", (1920, 1080))
        go(w, ".deck-shown [data-ak-figure=sentence_translator]")
        w.page.wait_for_selector("[data-ak-kind=sentence_translator]:visible svg path")
        w.page.wait_for_timeout(500)
        far = w.page.evaluate(apart, "sentence_translator")
        assert len(far) >= 6 and max(far) < 4, far
        assert not w.errors


def test_a_slide_is_a_sheet(watched, site, tmp_path):
    with watched() as w:
        present(w, f"{site}/{PAGE}.html?present")
        w.page.wait_for_function("[...document.querySelectorAll('[data-ak-figure]')].every(e => e.querySelector('.ak-figure'))")
        count = w.page.locator(".deck-slide").count()
        w.page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert at(w) == 1
        w.page.pdf(path=tmp_path / "slides.pdf", prefer_css_page_size=True)
        assert len(pypdf.PdfReader(tmp_path / "slides.pdf").pages) == count


def test_leaving_restores_the_page(window, site):
    """At the section that was shown."""
    with window() as w:
        w.open(f"{site}/{PAGE}.html")
        before = w.page.locator(".bd-article").inner_text()
        for leave in (lambda: w.page.keyboard.press("Escape"), w.page.get_by_role("button", name="Leave").click):
            present(w, f"{site}/{PAGE}.html?present=4")
            assert at(w) == 4
            with w.page.expect_navigation():
                leave()
            w.page.wait_for_function(w.ALIVE)
            assert re.search(r"/softmax\.html#[a-z-]+$", w.page.url)
            assert not w.page.locator(".deck").count() and w.page.locator(".bd-article").inner_text() == before
        assert not w.errors


def test_after_a_press_the_arrows_go_on(watched, site):
    """A guess that is chosen, a slider that is pulled and a button, with the mouse: a clicker sends the same arrows."""
    with watched() as w:
        present(w, f"{site}/{PAGE}.html?present")
        for control in ("[data-ak-figure=practice] button", "[data-ak-kind=softmax_explorer] input[type=range]", "[data-ak-kind=softmax_explorer] button"):
            number = go(w, f".deck-shown {control}")
            w.page.locator(f".deck-slide:visible .deck-shown {control}").last.click()
            w.page.evaluate("new Promise(done => setTimeout(done))")      # a hand is not faster than that
            w.page.keyboard.press("ArrowRight")
            assert at(w) == number + 1, control
        assert not w.errors


def test_controls_keep_their_keys(watched, site):
    """A slider its arrows, a button the space bar, a field its letters; the figure is alive on its slide."""
    with watched() as w:
        present(w, f"{site}/{PAGE}.html?present")
        number = go(w, "[data-ak-kind=softmax_explorer]")
        slider = w.page.locator(".deck-slide:visible input[type=range]").first
        slider.focus()
        value, said = slider.input_value(), slider.get_attribute("aria-valuetext")
        for key in ("ArrowRight", "ArrowRight", "Home", "End", "ArrowLeft"):
            w.page.keyboard.press(key)
            assert at(w) == number, key
        assert slider.input_value() != value and slider.get_attribute("aria-valuetext") != said
        # A clicker, which sends these two, goes on whatever was touched.
        w.page.keyboard.press("PageDown")
        assert at(w) == number + 1
        w.page.keyboard.press("PageUp")
        assert at(w) == number
        w.page.locator(".deck-slide:visible").get_by_role("button", name="Reset").focus()
        w.page.keyboard.press("Space")
        assert at(w) == number and slider.input_value() == value
        w.page.keyboard.press("PageDown")      # which a button has no use for
        assert at(w) == number + 1
        number = go(w, "input[type=text]")
        field = w.page.locator(".deck-slide:visible input[type=text]").first
        field.focus()
        w.page.keyboard.type("0.2 nd?")
        assert field.input_value() == "0.2 nd?" and at(w) == number
        assert not w.page.locator(".deck-noted, dialog:visible").count()
        assert not w.errors


SWIPE = """([x, y]) => { const e = document.querySelector('.deck h1, .deck h2'); const at = (x, y) => [new Touch({identifier: 1, target: e, clientX: x, clientY: y})];
    e.dispatchEvent(new TouchEvent('touchstart', {bubbles: true, touches: at(200, 300), changedTouches: at(200, 300)}));
    e.dispatchEvent(new TouchEvent('touchend', {bubbles: true, touches: [], changedTouches: at(200 + x, 300 + y)})); }"""


def test_on_a_phone(watched, site):
    """A finger leads on, and no slide is wider than the screen."""
    with watched(width=360, has_touch=True, is_mobile=True) as w:
        present(w, f"{site}/{PAGE}.html?present", (360, 740))
        for by, place in (((-120, 10), 2), ((-90, 0), 3), ((120, 5), 2), ((-80, 200), 2), ((-20, 0), 2)):
            w.page.evaluate(SWIPE, by)
            assert at(w) == place
        w.page.keyboard.press("Home")
        assert not w.page.evaluate(WALK)
        assert not w.errors


def test_accessible(watched, site):
    """A formula with words, and a figure with its list; their colours in the dark, too."""
    with watched() as w:
        present(w, f"{site}/{PAGE}.html?present")
        for kind in ("maths", "figure"):
            go(w, f"[data-kind={kind}]")
            assert axe(w.page) > 8
            w.page.keyboard.press("d")
            assert w.page.evaluate("document.documentElement.dataset.theme") == "dark" and axe(w.page, COLOURS)
            w.page.keyboard.press("d")


def test_a_normal_visit_pays_nothing(watched, site):
    with watched() as w:
        w.open(f"{site}/{PAGE}.html")
        assert not [url for url in w.requests if "present" in url]
    page = (SITE / f"{PAGE}.html").read_text(encoding="utf-8")
    assert "present.js" not in page and "deck-slide" not in (SITE / "_static/site.css").read_text(encoding="utf-8")


def test_from_the_disk(watched):
    """As a teacher has it who took the book along."""
    with watched() as w:
        present(w, f"{(SITE / PAGE).as_uri()}.html?present#/3")
        assert at(w) == 3 and not w.errors
