"""The figures on a page of the book as readers use them: by keyboard, mouse and finger, by words of the text, on paper.

One page of the site with a figure of each kind on it is opened once, on a phone whose reader asked for less motion, and all
figures but one are out of sight; with EVERY_LOOK=1 all that is asked here is asked on each page of the book, too. What a
hand does, the browser does; what is looked at before and after is looked at in the page, in one go.
"""

import re

import others
import pytest
from conftest import DARK_PHONE, EVERY_LOOK, ROOT, SITE, blocks, counted, numbers, on
from hand import (
    CUT,
    FIGURE,
    PLACE,
    RESET,
    SHOWN,
    STATE,
    about,
    figure,
    fits,
    pages,
    practice,
    press,
    says,
    shown_on,
    those_with,
)
from test_site import axe, turns_dark

from bookkit.figures import base
from website.browser import Watched

pytestmark = pytest.mark.browser

PHONE, WIDE = {"width": 360, "height": 740}, {"width": 1280, "height": 900}
KINDS = sorted(frozenset().union(*map(shown_on, pages())) - {"practice"})
# An exercise or a guess of each kind: typed, filled in, put in order, said to be true, chosen, moved to.
ASKED = ("dot_product/by_hand", "dot_product/rank", "basic_attention/attend", "convolution/gates", "convolution/two_heads", "writing/mistakes")
# All but one are put out of sight, which leaves room for a finger to scroll.
ALONE = """f => { const mine = f.closest('[data-ak-figure]');
    for (const place of document.querySelectorAll('[data-ak-figure]')) place.hidden = place !== mine;
    document.querySelector('.bd-article').style.padding = '60rem 0';
    return new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))); }"""


@pytest.fixture(scope="module")
def page(chromium, site, request):
    with Watched(chromium, has_touch=True, is_mobile=True, reduced_motion="reduce") as w:
        w.name = request.param
        if w.name == others.ALL:
            body = others.all_figures(*ASKED)
            w.page.route(f"**/{others.ALL}.html", lambda route: route.fulfill(body=body, content_type="text/html"))
        w.open(f"{site}/{w.name}.html")
        assert not w.page.locator(".ak-failed").count(), "a figure has not come to life"
        yield w


@pytest.fixture
def w(page):
    """The page, and whether anything went wrong on it since it was opened."""
    page.page.bring_to_front()
    page.page.set_viewport_size(PHONE)
    yield page
    assert not page.errors and not page.outside


def of(kinds, *exercises):
    """Ask a test of these figures, and perhaps of exercises."""
    kinds = [kind for kind in kinds if kind in KINDS]
    cases = {name: (others.ALL, name) for name in (*kinds, *exercises)}
    if EVERY_LOOK:
        cases |= {f"{page}-{kind}": (page, kind) for page in pages() for kind in kinds if kind in shown_on(page)}
    return pytest.mark.parametrize("page, kind", cases.values(), ids=cases, indirect=["page"], scope="module")


def own(w, kind):
    """The figure, or the exercise, as a reader finds it."""
    found = practice(w, kind) if kind in ASKED else figure(w, kind)
    if w.name == others.ALL:
        found.evaluate(ALONE)
    return found


# ---- what a redraw costs

# Blocks of the scripts that are run (each pass through a function, a loop or a branch) and changes of the page: the causes
# of a slow figure, the same on any machine. What computes with a trained model may do so many times as much.
LIFE, REDRAW, CHANGES = 120_000, 40_000, 400
MODELS = {"machine": 4, "part_mover": 5, "sentence_translator": 2, "story_writer": 4, "switched_story": 50}
BEGIN = """({akFigure: kind, akState: state}) => {
    window.el = document.createElement('div');
    attnkit.figures[kind].start({model: attnkit.staticModel(JSON.parse(state)), el}); }"""
# Move the first slider to each of 19 places, or press the buttons one after another, or choose from the menu; the most of the page that changed.
SLIDE = """() => { document.body.replaceChildren(el); const f = el, s = [...f.querySelectorAll('input[type=range]')].find(s => s.getClientRects().length), buttons = [...f.querySelectorAll('button')]
        .filter(b => b.textContent !== 'Reset' && !('akOnce' in b.dataset) && b.getClientRects().length);
    const watch = new MutationObserver(() => {}), changes = [];
    watch.observe(f, {attributes: true, childList: true, characterData: true, subtree: true});
    for (let i = 0; i < 19; i++) {
        if (s) { s.value = Number(s.min) + i / 18 * (s.max - s.min); s.dispatchEvent(new Event('input', {bubbles: true})); }
        else if (buttons.length) buttons[i % buttons.length].click();
        else { const menu = f.querySelector('select'); menu.selectedIndex = i % menu.length; menu.dispatchEvent(new Event('change')); }
        changes.push(watch.takeRecords().length); }
    watch.disconnect();
    window.most = Math.max(...changes); }"""


@pytest.fixture(scope="module")
def bare(chromium, tmp_path_factory):
    """A page with nothing but the figures' scripts and styles: counted, everything takes several times as long."""
    file = tmp_path_factory.mktemp("bare") / "page.html"
    scripts = dict.fromkeys(name for kind in KINDS for name in base.scripts(kind))
    file.write_text(f"<!doctype html><meta charset=utf-8><style>{base.core_stylesheet()}{''.join(map(base.stylesheet, KINDS))}</style>"
                    f"<script>{''.join(map(base.script, ['core', *scripts]))}</script><body>", encoding="utf-8")
    with Watched(chromium, reduced_motion="reduce") as w:
        w.profile = counted(w)      # before it is opened: what has run already is not counted block by block
        w.open(file.as_uri())
        yield w


@of(KINDS)
def test_operations(page, bare, kind):
    """What a figure does when it comes to life and at a step of its first slider, or a click, counted."""
    place = page.page.locator(f"[data-ak-figure={kind}]").first.evaluate("place => ({...place.dataset})")
    begun = blocks(bare.profile, lambda: bare.page.evaluate(BEGIN, place))
    redraws = blocks(bare.profile, lambda: bare.page.evaluate(SLIDE))
    assert 0 < begun <= LIFE * MODELS.get(kind, 1) and 0 < redraws / 19 <= REDRAW * MODELS.get(kind, 1)
    assert 0 < bare.page.evaluate("most") <= CHANGES


# ---- by keyboard

KEYS = {"range": ["ArrowRight", "ArrowLeft", "ArrowLeft"], "text": ["ArrowDown", "ArrowUp", "ArrowUp", "Enter"],
        "select": ["ArrowDown", "ArrowUp", "ArrowUp"]}
# The controls of a figure that are in sight, but Reset and what fetches the real model (test_real_model_on_the_page.py):
# whether each is pressed. Of five and more that stand together, three. They are kept for what follows.
CONTROLS = """f => { const all = [...f.querySelectorAll('button, input, select')].filter(c => c.textContent !== 'Reset' && !('akOnce' in c.dataset)
        && c.checkVisibility({visibilityProperty: true}) && c.getClientRects().length), box = c => c.closest('[role=grid], [role=group], [role=toolbar], table') ?? c.parentElement;
    window.controls = all.filter(c => { const row = all.filter(other => box(other) === box(c)); return row.length < 5 || row.indexOf(c) % Math.ceil(row.length / 3) === 0; });
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


@of(KINDS)
def test_every_control_changes_something_by_keyboard(w, kind):
    found = own(w, kind)
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
    for (const b of shown) { let box = b.closest('[role=grid], .ak-slice, .ak-box, .ak-parts') ?? b.parentElement; while (box !== f && box.querySelectorAll('button[aria-pressed], .ak-bars > button').length < 2)
        box = box.parentElement; groups.set(box, [...(groups.get(box) ?? []), b]); }
    return [...groups.values()].filter(g => g.length > 1).map(g => [g.filter(b => b.tabIndex >= 0).length, g.length,
        g.slice(0, 3).map(b => b.getAttribute('aria-label') ?? b.textContent)]); }"""
ENTER = "b => { b.scrollIntoView({block: 'center', behavior: 'instant'}); b.focus({preventScroll: true}); return scrollY; }"
# Where the focus is: a number for each element that had it, what it is, and how far the page is scrolled.
WHERE = """() => { const there = document.activeElement, known = (window.known ??= []);
    if (!known.includes(there)) known.push(there);
    return [known.indexOf(there), there.localName, scrollY]; }"""


@of(KINDS)
def test_a_group_of_buttons_is_one_stop(w, kind):
    """One stop of the tab key; the arrows lead on within, and neither they nor Home and End scroll the page."""
    w.page.set_viewport_size(PHONE | {"height": 2000})      # as high as the longest text
    found = own(w, kind)
    groups, walked = found.evaluate(STOPS), 0
    assert all(group[0] == 1 for group in groups), (kind, groups)
    for button in found.locator(":is(button[aria-pressed], .ak-bars > button)[tabindex='0']").filter(visible=True).all():
        start, seen = button.evaluate(ENTER), set()
        for key in ("Home", "End", "ArrowLeft", "ArrowRight"):
            w.page.keyboard.press(key)
            place, what, scrolled = w.page.evaluate(WHERE)
            seen.add(place)
            assert what == "button" and scrolled == start, (kind, key, button.inner_text())
        walked += len(seen) > 1
    assert walked or not groups, kind


# ---- keys that are the browser's, or JupyterLab's

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


@of(KINDS, *ASKED)
def test_keys_and_fields(w, kind):
    """Alt and the left arrow lead back, from a square as from a button; a slash searches; Enter ends a word that is composed."""
    found = own(w, kind)
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


@of(KINDS)
def test_mouse_and_touch(w, kind):
    """One slider, or one button that has something left to do, by each, or a menu; what is touched is large enough."""
    found = own(w, kind)
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
    elif not choices.count():
        menu = found.get_by_role("combobox").first
        menu.select_option(index=menu.locator("option").count() - 1)
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


@of(those_with("HELD"))
def test_a_finger_that_drags_does_not_scroll(w, kind):
    """The point is still held at the end of the way, and the page has stayed where it was."""
    found = own(w, kind)
    hit = found.locator(about(kind).HELD).first
    # That the page has arrived is said a frame later, and must not be taken for a scrolling of the finger's.
    hit.evaluate("""async e => { scrollTo({top: e.getBoundingClientRect().top + scrollY - 300, behavior: 'instant'});
        for (let n = 0; n < 3; n++) await new Promise(requestAnimationFrame); }""")
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


@of(KINDS, *ASKED)
def test_a_swipe_scrolls_and_changes_nothing(w, kind):
    """Wherever it begins, on sliders, bars, squares and drawings that are pulled sideways, too; a slider is pulled sideways."""
    found = own(w, kind)
    w.page.evaluate("document.body.style.paddingBottom = '50vh'")      # a small form, too, has somewhere to scroll to
    under = set(found.evaluate(UNDER, getattr(about(kind), "HELD", "") if kind in base.kinds() else ""))
    for like in sorted(under - SWIPED, key=lambda like: "range" in like):      # a slider that is pulled changes the rest
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


@of(KINDS, *ASKED)
def test_what_stays_in_sight_leaves_room_for_the_rest(w, kind):
    """On a small screen, and on a laptop at 400 %: every control can be pressed."""
    w.page.set_viewport_size({"width": 320, "height": 256})
    found = own(w, kind)
    assert not found.evaluate(COVERED), kind


# ---- what stays where it is, and what moves

@of(those_with("TALL"))
@pytest.mark.parametrize("screen", [PHONE, WIDE], ids=["phone", "wide"])
def test_a_figure_keeps_its_height(w, screen, kind):
    """Whatever is pressed, nothing below the figure moves, and no button moves away under the pointer."""
    found = own(w, kind)
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


# All figures of a page together.
whole = pytest.mark.parametrize("page", [others.ALL, *(pages() if EVERY_LOOK else [])], indirect=True, scope="module")
SHOW_ALL = "document.querySelectorAll('[data-ak-figure]').forEach(place => place.hidden = false)"


@whole
def test_accessible_in_light_and_dark(w):
    w.page.evaluate(SHOW_ALL)
    w.page.set_viewport_size(WIDE)
    assert axe(w.page) > 3, "axe has not looked"
    turns_dark(w.page)


@whole
def test_on_paper_stand_the_numbers_and_no_controls(w):
    """Each figure of the page as its still picture, on a sheet that is wide enough."""
    w.page.evaluate(SHOW_ALL)
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


# The same of all from the third on; what they say, of those that do not do it.
ACT_ALL = f"""async all => {{ const wrong = [];
    for (const words of all.slice(2)) {{ const said = await ({TO_ACT})(words);
        if (!said) continue;
        words.scrollIntoView({{block: 'nearest', behavior: 'instant'}});
        words.dispatchEvent(new KeyboardEvent('keydown', {{key: 'Enter', bubbles: true, cancelable: true}}));
        if (!(await ({ACTED})(words)).every(Boolean)) wrong.push(said); }}
    return wrong; }}"""


@on([page for page in pages() if "data-act=" in (ROOT / f"{page}.ipynb").read_text(encoding="utf-8")], DARK_PHONE)
def test_words_do_what_they_say(opened):
    """Pressed by finger or key, each changes the figure that it means, which is in sight then."""
    opened.page.emulate_media(reduced_motion="reduce")
    opened.page.locator(FIGURE).evaluate_all(f"async figures => {{ for (const f of figures) await ({RESET})(f); }}")
    acting = opened.page.locator(ACTING)
    assert acting.count() == opened.page.locator("[data-ak-act]").count() > 0
    for words, use in zip(acting.all(), ("tap", "click")):
        if said := words.evaluate(TO_ACT):
            getattr(words, use)()
            assert words.evaluate(ACTED) == [True] * 4, said
    assert not acting.evaluate_all(ACT_ALL)
    opened.page.emulate_media(reduced_motion="no-preference")
    assert not opened.errors and not opened.outside
