"""The figures on the pages of the book as readers use them: by keyboard, mouse and finger, by words of the text, on paper.

Each page is opened once, from the disk, on a phone whose reader asked for less motion, for all that is asked here; each
kind of figure is worked on one of its pages (`hand.worked`), with EVERY_LOOK=1 on all of them. What a hand does, the
browser does; what is looked at before and after is looked at in the page, in one go.
"""

import re

import pytest
from conftest import EVERY_LOOK, ROOT, SITE, blocks, counted, numbers
from hand import CUT, FIGURE, PLACE, RESET, SHOWN, STATE, about, figure, fits, pages, practice, press, says, worked

from bookkit.figures import base
from website.browser import Watched

pytestmark = pytest.mark.browser

PHONE, WIDE = {"width": 360, "height": 740}, {"width": 1280, "height": 900}


@pytest.fixture(scope="module")
def phone(chromium):
    with Watched(chromium, has_touch=True, is_mobile=True, reduced_motion="reduce") as w:
        yield w


@pytest.fixture(scope="module", params=pages())
def page(phone, request):
    phone.page.set_viewport_size(PHONE)
    phone.name = request.param
    phone.forget()
    phone.profile = counted(phone)      # before it is opened: what has run already is not counted block by block
    phone.open(f"{SITE.as_uri()}/{phone.name}.html")
    assert not phone.page.locator(".ak-failed").count(), "a figure has not come to life"
    return phone


@pytest.fixture
def w(page):
    """The page, and whether anything went wrong on it since it was opened."""
    page.page.bring_to_front()
    page.page.set_viewport_size(PHONE)
    yield page
    assert not page.errors and not page.outside


def at(*asked):
    """Ask a test of some pages, or every week of all."""
    return pytest.mark.parametrize("page", [page for page in pages() if EVERY_LOOK or page in asked], indirect=True, scope="module")


def where(name=""):
    """Ask a test of the pages on which figures are worked that say something of this name, or any."""
    there = [page for page, kinds in worked().items() if any(not name or hasattr(about(kind), name) for kind in kinds)]
    return at(*there)


def own(w, name=""):
    """The figures that are worked on this page, as a reader finds them: those that say something of this name, or all."""
    return [(kind, figure(w, kind)) for kind in worked()[w.name] if not name or hasattr(about(kind), name)]


# ---- what a redraw costs

# Blocks of the scripts that are run (each pass through a function, a loop or a branch) and changes of the page: the causes
# of a slow figure, the same on any machine. One figure writes two whole stories at a press.
LIFE, REDRAW, CHANGES, STORIES = 120_000, 40_000, 400, {"switched_story": 2_000_000}
BEGIN = """f => { const {akFigure: kind, akState: state} = f.closest('[data-ak-figure]').dataset;
    attnkit.figures[kind].start({model: attnkit.staticModel(JSON.parse(state)), el: document.createElement('div')}); }"""
# Move the first slider to each of 19 places, or press the buttons one after another; the most of the page that changed.
SLIDE = """f => { const s = [...f.querySelectorAll('input[type=range]')].find(s => s.getClientRects().length), buttons = [...f.querySelectorAll('button')]
        .filter(b => b.textContent !== 'Reset' && !('akOnce' in b.dataset) && b.getClientRects().length);
    const watch = new MutationObserver(() => {}), changes = [];
    watch.observe(f, {attributes: true, childList: true, characterData: true, subtree: true});
    for (let i = 0; i < 19; i++) {
        if (s) { s.value = Number(s.min) + i / 18 * (s.max - s.min); s.dispatchEvent(new Event('input', {bubbles: true})); }
        else buttons[i % buttons.length].click();
        changes.push(watch.takeRecords().length); }
    watch.disconnect();
    window.most = Math.max(...changes); }"""


@where()
def test_operations(w):
    """What a figure does when it comes to life and at a step of its first slider, or a click, counted."""
    for kind, found in own(w):
        begun, redraws = (blocks(w.profile, lambda act=act, found=found: found.evaluate(act)) for act in (BEGIN, SLIDE))
        assert 0 < begun <= LIFE and 0 < redraws / 19 <= STORIES.get(kind, REDRAW), kind
        assert 0 < w.page.evaluate("most") <= CHANGES, kind
    w.profile.detach()


# ---- by keyboard

KEYS = {"range": ["ArrowRight", "ArrowLeft", "ArrowLeft"], "text": ["ArrowDown", "ArrowUp", "ArrowUp", "Enter"],
        "select": ["ArrowDown", "ArrowUp", "ArrowUp"]}
# The controls of a figure that are in sight, but Reset and what fetches the real model (test_real_model_on_the_page.py):
# whether each is pressed. Of eight and more that stand together, every fourth part. They are kept for what follows.
CONTROLS = """f => { const all = [...f.querySelectorAll('button, input, select')].filter(c => c.textContent !== 'Reset' && !('akOnce' in c.dataset)
        && c.checkVisibility({visibilityProperty: true}) && c.getClientRects().length), box = c => c.closest('[role=grid], [role=group], table') ?? c.parentElement;
    window.controls = all.filter(c => { const row = all.filter(other => box(other) === box(c)); return row.length < 8 || row.indexOf(c) % (row.length >> 2) === 0; });
    return controls.map(c => c.ariaPressed === 'true'); }"""
# Go to one of them: what kind it is, and its name; nothing where it is hidden by now, or pressed already. Focus alone may
# choose a square, or a word: that is not yet a change by key.
FOCUS = f"""(f, [k, kinds]) => {{ const c = controls[k], kind = c.getAttribute('type') ?? c.localName, shown = {SHOWN};
    if (!c.checkVisibility({{visibilityProperty: true}}) || !c.getClientRects().length || c.ariaPressed === 'true' || c.ariaDisabled === 'true') return null;
    [window.used, window.before] = [c, shown(f)];
    c.focus();
    if (kinds.includes(kind)) window.before = shown(f);
    return [kind, c.ariaLabel ?? (c.labels?.[0] ?? c).innerText]; }}"""
CHANGED = f"f => ({SHOWN})(f) !== before"
# Whether something moves in a figure, now or two frames from now, when what was asked for has begun.
MOVES = """async f => { const moves = () => f.getAnimations({subtree: true}).some(a => a.playState === 'running');
    if (moves() || !goesOn()) return moves();
    for (let n = 0; n < 2; n++) await new Promise(requestAnimationFrame);
    return moves(); }"""
# What a press has led to: whether the figure is another, whether the focus is still in it (it goes from what may not be
# pressed any more), whether something moves.
PRESSED = f"async f => [({CHANGED})(f), used.disabled || f.contains(document.activeElement), await ({MOVES})(f)]"


def works(w, found, k):
    """Use a control by key and see the figure change, at once; nothing is done with one that is hidden, or pressed already."""
    if not (control := found.evaluate(FOCUS, [k, list(KEYS)])):
        return
    kind, words = control
    assert words.strip(), "a control without a name"
    for key in KEYS.get(kind, ["Enter"]):
        w.page.keyboard.press(key)
        changed, focused, moves = found.evaluate(PRESSED)
        assert focused, f"the focus is lost after “{words}”"
        assert not moves, f"“{words}” moves something"
        if changed:
            return
    raise AssertionError(f"the control “{words}” does nothing")


@where()
def test_every_control_changes_something_by_keyboard(w):
    for kind, found in own(w):
        start, said = found.evaluate(STATE), says(w, found)
        # A pressed button of a choice has nothing left to do: it is tried again after the others.
        controls = found.evaluate(CONTROLS)
        free, pressed = ([k for k, is_pressed in enumerate(controls) if is_pressed == wanted] for wanted in (False, True))
        assert free, kind
        for k in free:
            works(w, found, k)
        assert says(w, found) != said, "the change is not said"
        for k in pressed + free[:bool(pressed)]:        # they may have led back by themselves
            works(w, found, k)
        assert not found.evaluate(CUT) and fits(w), kind
        press(found, "Reset")
        w.settle()
        assert found.evaluate(STATE) == start, "Reset does not lead back"


# The groups of buttons that are pressed or not, and how many stops of the tab key each has.
STOPS = """f => { const shown = [...f.querySelectorAll('button[aria-pressed], .ak-bars > button')].filter(b => b.getClientRects().length), groups = new Map();
    for (const b of shown) { let box = b.closest('[role=grid], .ak-slice, .ak-box') ?? b.parentElement; while (box !== f && box.querySelectorAll('button[aria-pressed], .ak-bars > button').length < 2)
        box = box.parentElement; groups.set(box, [...(groups.get(box) ?? []), b]); }
    return [...groups.values()].filter(g => g.length > 1).map(g => [g.filter(b => b.tabIndex >= 0).length, g.length,
        g.slice(0, 3).map(b => b.getAttribute('aria-label') ?? b.textContent)]); }"""
ENTER = "b => { b.scrollIntoView({block: 'center', behavior: 'instant'}); b.focus({preventScroll: true}); return scrollY; }"
# Where the focus is: a number for each element that had it, what it is, and how far the page is scrolled.
WHERE = """() => { const there = document.activeElement, known = (window.known ??= []);
    if (!known.includes(there)) known.push(there);
    return [known.indexOf(there), there.localName, scrollY]; }"""


@where()
def test_a_group_of_buttons_is_one_stop(w):
    """One stop of the tab key; the arrows lead on within, and neither they nor Home and End scroll the page."""
    w.page.set_viewport_size(PHONE | {"height": 2000})      # as high as the longest text
    for kind, found in own(w):
        groups, walked = found.evaluate(STOPS), 0
        assert all(group[0] == 1 for group in groups), (kind, groups)
        for button in found.locator("button[aria-pressed][tabindex='0']").filter(visible=True).all():
            start, seen = button.evaluate(ENTER), set()
            for key in ("Home", "End", "ArrowLeft", "ArrowRight"):
                w.page.keyboard.press(key)
                place, what, scrolled = w.page.evaluate(WHERE)
                seen.add(place)
                assert what == "button" and scrolled == start, (kind, key, button.inner_text())
            walked += len(seen) > 1
        assert walked or not groups, kind


# ---- keys that are the browser's, or JupyterLab's

# An exercise or a guess of each kind: typed, filled in, put in order, said to be true, chosen, moved to.
ASKED = ("dot_product/by_hand", "dot_product/rank", "basic_attention/attend", "convolution/gates", "convolution/two_heads", "writing/mistakes")


def handled(w):
    """The figures that are worked on the page, and those of what is asked there."""
    return own(w) + [(name, practice(w, name)) for name in ASKED if w.name == f"chapters/{name.split('/')[0]}"]


# What takes the focus, hidden or not: a link only if it leads somewhere.
FOCUSABLE = "a[href], button, input, select, textarea, summary, [tabindex], [contenteditable], [role=slider]"
# JupyterLab takes the keys of all that is not so marked: an arrow leaves the cell, and *dd* deletes it. (The site's theme lets
# code be scrolled by key.)
UNMARKED = f"""f => [...f.querySelectorAll('{FOCUSABLE}')].filter(e => e.localName !== 'pre' && e.dataset.lmSuppressShortcuts !== 'true')
    .map(e => e.ariaLabel ?? e.outerHTML.slice(0, 80))"""
# Fields as the browser draws them, and code and the lines of code to choose from that a browser would translate.
BARE = """f => [...f.querySelectorAll('input[type=text], select, textarea')].filter(e => getComputedStyle(e).borderStyle === 'inset')
    .concat([...f.querySelectorAll('code, pre, .ak-lines button')].filter(e => !e.closest('[translate=no]'))).map(e => e.outerHTML.slice(0, 80))"""
CHORDS = [{"key": "ArrowLeft", "altKey": True}, {"key": "ArrowRight", "altKey": True}, {"key": "ArrowUp", "altKey": True},
          {"key": "ArrowDown", "ctrlKey": True}, {"key": "ArrowLeft", "metaKey": True}, {"key": "ArrowRight", "ctrlKey": True},
          {"key": "Home", "ctrlKey": True}, {"key": "End", "metaKey": True}, {"key": "Enter", "ctrlKey": True}, {"key": "Enter", "altKey": True},
          {"key": " ", "ctrlKey": True}, {"key": "Escape", "metaKey": True}, {"key": "/"}, {"key": "Enter", "isComposing": True}]
# Of each kind of thing that takes the focus one, and what it does with these keys: nothing, and the browser gets them.
TAKEN = f"""(f, chords) => {{ const seen = new Set(), shown = {STATE}, bad = [];
    for (const e of f.querySelectorAll('{FOCUSABLE}')) {{
        const like = [e.localName, e.type, e.getAttribute('role'), e.getAttribute('class')].join(' ');
        if (!e.getClientRects().length || seen.has(like)) continue;
        seen.add(like);
        e.focus();
        const before = shown(f), there = document.activeElement;
        const kept = chords.every(chord => e.dispatchEvent(new KeyboardEvent('keydown', {{...chord, bubbles: true, cancelable: true}})));
        if (!kept || shown(f) !== before || document.activeElement !== there) bad.push(like); }}
    return bad; }}"""


@where()
def test_keys_and_fields(w):
    """Alt and the left arrow lead back, from a square as from a button; a slash searches; Enter ends a word that is composed."""
    for kind, found in handled(w):
        assert not found.evaluate(UNMARKED), kind
        assert not found.evaluate(BARE), kind
        assert not found.evaluate(TAKEN, CHORDS), kind


def test_keys_are_listened_to_in_one_place():
    """`attnkit.keys` leaves those keys alone; a listener of a figure's own would have to think of it."""
    listening = [path.name for path in base.HERE.glob("*.js") if re.search("onkey|\"key(down|up|press)\"", path.read_text(encoding="utf-8"))]
    assert listening == ["core.js"]


# ---- by mouse and by finger

# Bring a slider in sight: where it is, and whether it stands in its upper half.
SLIDER = f"""s => {{ s.scrollIntoView({{block: 'center', behavior: 'instant'}}); window.before = ({SHOWN})(s.closest('.ak-figure'));
    const r = s.getBoundingClientRect(); return [r.x, r.y + r.height / 2, r.width, (s.value - s.min) / (s.max - s.min) > .5]; }}"""
# The sides of all controls in sight that are shorter than so many pixels.
TOO_SMALL = """(f, [selector, least]) => [...f.querySelectorAll(selector)].filter(b => b.getClientRects().length).map(b => {
    const r = b.getBoundingClientRect(); return [b.ariaLabel ?? b.textContent, r.width, r.height]; }).filter(([, w, h]) => w < least || h < least)"""
LINES = """f => [...f.querySelectorAll('.ak-controls > .ak-buttons')].map(g => new Set([...g.querySelectorAll('button')]
    .map(b => Math.round(b.getBoundingClientRect().top))).size)"""


@where()
def test_mouse_and_touch(w):
    """One slider, or one button that has something left to do, by each; what is touched is large enough."""
    for kind, found in own(w):
        sliders, choices = found.locator("input[type=range]").filter(visible=True), found.locator("button[aria-pressed=false]").filter(visible=True)
        if sliders.count():
            *_, width, high = sliders.first.evaluate(SLIDER)
            sliders.first.tap(position={"x": 12 if high else width - 12, "y": 12})
            assert found.evaluate(CHANGED), kind
            x, y, width, high = sliders.last.evaluate(SLIDER)
            w.page.mouse.move(x + width / 2, y)
            w.page.mouse.down()
            w.page.mouse.move(x + width * (.3 if high else .7), y, steps=5)      # to the side where it does not stand
            w.page.mouse.up()
            assert found.evaluate(CHANGED), kind
        else:
            for control, use in ((choices.first, "tap"), (choices.last, "click")):
                before = found.evaluate(SHOWN)
                getattr(control, use)()
                assert found.evaluate(SHOWN) != before, (kind, use)
        found.get_by_role("button", name="Reset").tap()
        assert not found.evaluate(TOO_SMALL, ["button:not(.ak-box button), input, select", 24]), kind      # words of a text may be
        if targets := getattr(about(kind), "TARGETS", ""):
            assert found.locator(targets).count() and not found.evaluate(TOO_SMALL, [targets, 44]), "smaller than a thumb"
            assert set(found.evaluate(LINES)) <= {1}, "a button stands alone on a line"


def finger(w, x, y, path, held=lambda: None):
    """A finger down at a place, along a path, up; `held` is called while it is down."""
    w.page.evaluate("""() => { window.ended = []; for (const kind of ['pointerup', 'pointercancel', 'scrollend'])
        addEventListener(kind, event => ended.push(event.type), {capture: true, once: true}); }""")
    session = w.context.new_cdp_session(w.page)
    session.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    for dx, dy in path:
        session.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [{"x": x + dx, "y": y + dy}]})
    w.page.evaluate("() => new Promise(requestAnimationFrame)")
    result = held()
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    session.detach()
    w.page.wait_for_function("ended.some(type => type !== 'pointercancel')")
    return result


@where("HELD")
def test_a_finger_that_drags_does_not_scroll(w):
    """The point is still held at the end of the way, and the page has stayed where it was."""
    for kind, found in own(w, "HELD"):
        hit = found.locator(about(kind).HELD).first
        hit.evaluate("e => scrollTo({top: e.getBoundingClientRect().top + scrollY - 300, behavior: 'instant'})")
        start, before = w.page.evaluate("scrollY"), hit.bounding_box()
        after = finger(w, before["x"] + before["width"] / 2, before["y"] + before["height"] / 2, [(-4 * k, 9 * k) for k in range(1, 11)], hit.bounding_box)
        assert w.page.evaluate("ended") == ["pointerup"] and w.page.evaluate("scrollY") == start, kind
        assert abs(after["y"] - before["y"]) + abs(after["x"] - before["x"]) > 12, f"{kind}: it has not come along"


SWIPED = set()      # kinds of things, in whatever figure
# Of each kind of thing that may be under a finger one, but what is dragged any way.
UNDER = """(f, held) => { window.under = new Map();
    for (const e of f.querySelectorAll('input, select, textarea, [role=slider], svg, canvas, table, .ak-hit, .ak-balance')) {
        const like = [e.localName, e.type, e.getAttribute('role'), e.getAttribute('class')].join(' ');
        if (e.getClientRects().length && e.getBoundingClientRect().width >= 24 && !under.has(like) && !(held && e.matches(held))) under.set(like, e); }
    return [...under.keys()]; }"""
HERE = f"""like => {{ const e = under.get(like);
    e.scrollIntoView({{block: 'center', behavior: 'instant'}});
    atOnce();
    window.before = ({STATE})(e.closest('.ak-figure'));
    const r = e.getBoundingClientRect();
    return [r.x + r.width * .7, r.y + r.height / 2, scrollY]; }}"""
THERE = f"""async ([like, start]) => {{ for (let n = 0; n < 2; n++) await new Promise(requestAnimationFrame);
    atOnce();
    return [Math.abs(scrollY - start), ({STATE})(under.get(like).closest('.ak-figure')) !== before]; }}"""


def swipe(w, like, up=0, aside=4):
    """A finger that goes up the page, or to the left, and rests before it is lifted: nothing goes on by itself. How far
    that scrolled, and whether the figure is another."""
    x, y, start = w.page.evaluate(HERE, like)
    finger(w, x, y, [(-aside * part, -up * part) for part in (.1, .4, .7, 1, 1, 1)])
    return w.page.evaluate(THERE, [like, start])


@where()
def test_a_swipe_scrolls_and_changes_nothing(w):
    """Wherever it begins, on sliders, bars, squares and drawings that are pulled sideways, too; a slider is pulled sideways."""
    for kind, found in handled(w):
        for like in set(found.evaluate(UNDER, getattr(about(kind), "HELD", "") if kind in base.kinds() else "")) - SWIPED:
            scrolled, changed = swipe(w, like, up=140)
            assert scrolled >= 60 and not changed, (kind, like)
            assert "range" not in like or any(swipe(w, like, aside=aside)[1] for aside in (90, 40)), f"{kind}: {like} is not pulled"
            SWIPED.add(like)


# Something is pressed, so that there is the most to show; then what stays in sight, if it is higher than a third of the
# screen, and the controls that something lies on wherever they are scrolled to.
COVERED = """f => { for (const folded of f.querySelectorAll('details')) folded.open = true;
    const pressed = [...f.querySelectorAll('[aria-pressed=false]')].filter(b => b.getClientRects().length);
    pressed[pressed.length - 1]?.click();
    const top = document.querySelector('#pst-back-to-top');
    if (top) top.style.display = 'block';      // as after a reader has scrolled back a little
    const stays = [...f.querySelectorAll('*')].filter(e => getComputedStyle(e).position === 'sticky' && 3 * e.offsetHeight > innerHeight);
    const hit = b => { const r = b.getBoundingClientRect(), there = document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2);
        return there && (b.contains(there) || b.closest('label')?.contains(there) || there.closest('[aria-pressed]')); };
    const lost = [...f.querySelectorAll('button, input, select, textarea, [role=slider]')].filter(b => b.getClientRects().length && !b.disabled
        && !['center', 'nearest'].some(block => { b.scrollIntoView({block, behavior: 'instant'}); return hit(b); }));
    return [...stays.map(e => `${e.className}: ${e.offsetHeight} of ${innerHeight}`), ...lost.map(b => b.ariaLabel ?? b.textContent)]; }"""


@where()
def test_what_stays_in_sight_leaves_room_for_the_rest(w):
    """On a small screen, and on a laptop at 400 %: every control can be pressed."""
    w.page.set_viewport_size({"width": 320, "height": 256})
    for kind, found in handled(w):
        assert not found.evaluate(COVERED), kind


# ---- what stays where it is, and what moves

@where("TALL")
@pytest.mark.parametrize("screen", [PHONE, WIDE], ids=["phone", "wide"])
def test_a_figure_keeps_its_height(w, screen):
    """Whatever is pressed, nothing below the figure moves, and no button moves away under the pointer."""
    for kind, found in own(w, "TALL"):
        w.page.set_viewport_size(screen)
        height = found.bounding_box()["height"]
        for words in about(kind).TALL:
            button = found.get_by_role("button", name=words)
            before = button.evaluate("b => b.getBoundingClientRect().top + scrollY")
            button.evaluate("b => b.click()")
            w.page.wait_for_function("!goesOn()")      # what is written word by word is as tall as its end
            w.settle()
            assert found.bounding_box()["height"] == pytest.approx(height, abs=1), (kind, words)
            assert button.evaluate("b => b.getBoundingClientRect().top + scrollY") == pytest.approx(before, abs=1), (kind, words)


def test_rows_glide_to_their_places(window):
    """Without the wish for less motion something moves: what is asked of every control by keyboard can fail."""
    with window() as w:
        w.open(f"{SITE.as_uri()}/chapters/dot_product.html")
        found = figure(w, "movie_matcher")
        found.get_by_role("button", name="Change every sign").click()
        assert found.evaluate(MOVES)


@at("chapters/basic_attention", "chapters/machine", "chapters/translation", "further/queries_keys_values")
def test_on_paper_stand_the_numbers_and_no_controls(w):
    """Each figure of the page as its still picture, on a sheet that is wide enough."""
    w.page.set_viewport_size({"width": 640, "height": 900})
    w.page.emulate_media(media="print")
    w.page.wait_for_function("!document.querySelector('.ak-figure')")
    assert fits(w)
    for place in w.page.locator(PLACE).all():
        assert place.bounding_box()["height"] > 60 and not place.locator("button, input, select").count()
        drawn = "".join(svg.get_attribute("aria-label") for svg in place.locator("svg[role=img]").all())
        grows = place.get_attribute("data-ak-figure") == "growing_picture"
        most = min(3, numbers(" ".join(place.locator("svg text").all_text_contents()), [])) if grows else 3
        assert numbers(place.inner_text() + drawn, place.locator("td").all_inner_texts()) >= most
    w.page.emulate_media(media="screen")
    w.page.wait_for_function(w.ALIVE)


# ---- words of the text that act on a figure

ACTING = "[data-ak-act][role=button]"
# What the words before have done is taken back where these have nothing left to do.
# Nothing for words that are folded away, or that say what the figure opens with.
TO_ACT = f"""async words => {{ window.meant = document.getElementById(JSON.parse(words.dataset.akAct).of).querySelector('.ak-figure');
    if (words.ariaPressed === 'true') await ({RESET})(meant);
    window.before = ({SHOWN})(meant);
    return words.checkVisibility() && words.ariaPressed !== 'true' ? words.textContent : null; }}"""
# Whether what is meant has changed and is in sight; and the words are, not under the header, or there is a way back to them.
ACTED = f"""async words => {{ for (let n = 0; n < 3; n++) await new Promise(requestAnimationFrame);
    atOnce();
    const inSight = (e, top) => e.getBoundingClientRect().top < innerHeight && e.getBoundingClientRect().bottom > top, back = document.querySelector('.ak-back');
    return [({SHOWN})(meant) !== before, words.ariaPressed !== 'false', inSight(meant, 0), inSight(words, 60) || Boolean(back && !back.hidden)]; }}"""


@at(*(page for page in pages() if "data-act=" in (ROOT / f"{page}.ipynb").read_text(encoding="utf-8")))
def test_words_do_what_they_say(w):
    """Pressed by finger or key, each changes the figure that it means, which is in sight then."""
    for left in w.page.locator(FIGURE).all():
        left.evaluate(RESET)
    acting = w.page.locator(ACTING).all()
    assert len(acting) == w.page.locator("[data-ak-act]").count() > 0
    for k, words in enumerate(acting):
        if said := words.evaluate(TO_ACT):
            if k % 2:
                words.press("Enter")
            else:
                words.tap()
            assert words.evaluate(ACTED) == [True] * 4, said
