"""Fingers that mean to scroll, keys that are the browser's or JupyterLab's: each figure alone on a page, all of them in turn."""

import re

import pytest
from hand import STATE, about, alone

from bookkit.figures import Practice, base
from bookkit.lessons.exercises import exercise

pytestmark = pytest.mark.browser


def examples():
    """One of each figure, and what is typed, chosen or guessed in the fields of an exercise."""
    yield from ((kind, about(kind).example()) for kind in base.kinds())
    yield from ((name, Practice(exercise(name))) for name in ("softmax/by_hand", "convolution/gates"))


# What takes the focus, hidden or not: a link only if it leads somewhere.
FOCUSABLE = "a[href], button, input, select, textarea, summary, [tabindex], [contenteditable], [role=slider]"
UNMARKED = f"""f => [...f.querySelectorAll('{FOCUSABLE}')].filter(e => e.dataset.lmSuppressShortcuts !== 'true')
    .map(e => e.ariaLabel ?? e.outerHTML.slice(0, 80))"""


def test_keys_stay_with_what_has_the_focus(window, tmp_path):
    """JupyterLab takes the keys of all that is not so marked: an arrow leaves the cell, and *dd* deletes it."""
    with window() as w:
        wrong = {kind: unmarked for kind, widget in examples() if (unmarked := alone(w, tmp_path, widget).evaluate(UNMARKED))}
        assert not wrong


# Fields as the browser draws them, and code and the lines of code to choose from that a browser would translate.
BARE = """f => [...f.querySelectorAll('input[type=text], select, textarea')].filter(e => getComputedStyle(e).borderStyle === 'inset')
    .concat([...f.querySelectorAll('code, pre, .ak-lines button')].filter(e => !e.closest('[translate=no]'))).map(e => e.outerHTML.slice(0, 80))"""


def test_fields_look_like_the_books_and_code_is_not_translated(window, tmp_path):
    with window() as w:
        wrong = {kind: bare for kind, widget in examples() if (bare := alone(w, tmp_path, widget).evaluate(BARE))}
        assert not wrong


# ---- keys that are the browser's

CHORDS = [{"key": "ArrowLeft", "altKey": True}, {"key": "ArrowRight", "altKey": True}, {"key": "ArrowUp", "altKey": True},
          {"key": "ArrowDown", "ctrlKey": True}, {"key": "ArrowLeft", "metaKey": True}, {"key": "ArrowRight", "ctrlKey": True},
          {"key": "Home", "ctrlKey": True}, {"key": "End", "metaKey": True}, {"key": "Enter", "ctrlKey": True}, {"key": "Enter", "altKey": True},
          {"key": " ", "ctrlKey": True}, {"key": "Escape", "metaKey": True}, {"key": "/"}, {"key": "Enter", "isComposing": True}]
# Of each kind of thing that takes the focus one, and what it does with these keys: nothing, and the browser gets them.
TAKEN = f"""([f, chords]) => {{ const seen = new Set(), shown = {STATE}, bad = [];
    for (const e of f.querySelectorAll('{FOCUSABLE}')) {{
        const like = [e.localName, e.type, e.getAttribute('role'), e.getAttribute('class')].join(' ');
        if (!e.getClientRects().length || seen.has(like)) continue;
        seen.add(like);
        e.focus();
        for (const chord of chords) {{
            const before = shown(f), there = document.activeElement;
            const event = new KeyboardEvent('keydown', {{...chord, bubbles: true, cancelable: true}});
            if (!e.dispatchEvent(event) || shown(f) !== before || document.activeElement !== there) bad.push([like, JSON.stringify(chord)]);
        }} }}
    return bad; }}"""


def test_keys_with_alt_control_or_meta_are_the_browsers(window, tmp_path):
    """Alt and the left arrow lead back, from a square as from a button; a slash searches; Enter ends a word that is composed."""
    with window() as w:
        wrong = {kind: bad for kind, widget in examples() if (bad := w.page.evaluate(TAKEN, [alone(w, tmp_path, widget).element_handle(), CHORDS]))}
        assert not wrong


def test_keys_are_listened_to_in_one_place():
    """`attnkit.keys` leaves those keys alone; a listener of a figure's own would have to think of it."""
    listening = [path.name for path in base.HERE.glob("*.js") if re.search("onkey|\"key(down|up|press)\"", path.read_text(encoding="utf-8"))]
    assert listening == ["core.js"]


# ---- a finger that means to scroll

# Of each kind of thing that may be under a finger one, but what is dragged any way.
UNDER = """(f, held) => { window.under = []; window.ended = []; const seen = new Set();
    for (const kind of ['pointerup', 'scrollend']) addEventListener(kind, () => ended.push(kind), {capture: true});
    document.body.style.padding = '900px 0';
    for (const e of f.querySelectorAll('input, select, textarea, [role=slider], svg, canvas, table, .ak-hit, .ak-balance')) {
        const like = [e.localName, e.type, e.getAttribute('role'), e.getAttribute('class')].join(' ');
        if (!e.getClientRects().length || e.getBoundingClientRect().width < 24 || seen.has(like) || (held && e.matches(held))) continue;
        seen.add(like);
        under.push([e, like]); }
    return under.map(([, like]) => like); }"""
TWO_FRAMES = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
HERE = f"""async k => {{ const [e] = under[k];
    e.scrollIntoView({{block: 'center', behavior: 'instant'}});
    await {TWO_FRAMES};
    atOnce();
    window.before = ({STATE})(document.querySelector('.ak-figure'));
    ended.length = 0;
    const r = e.getBoundingClientRect();
    return [r.x + r.width * .7, r.y + r.height / 2, scrollY]; }}"""
THERE = f"""start => {{ atOnce(); return [scrollY - start, ({STATE})(document.querySelector('.ak-figure')) !== before]; }}"""


def swipe(w, cdp, k, up=0, aside=4):
    """A finger down on the k-th of them, up the page or to the left and still, lifted: nothing goes on by itself. How far
    that scrolled, and whether the figure is another."""
    x, y, start = w.page.evaluate(HERE, k)
    cdp.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    for part in (.1, .4, .7, 1, 1, 1):
        cdp.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [{"x": x - aside * part, "y": y - up * part}]})
    cdp.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    w.page.wait_for_function("ended.length")
    w.page.evaluate(f"() => {TWO_FRAMES}")
    return w.page.evaluate(THERE, start)


def test_a_swipe_scrolls_and_changes_nothing(window, tmp_path):
    """Wherever it begins, on sliders, bars, squares and drawings that are pulled sideways, too; a slider is pulled sideways."""
    wrong = []
    with window(width=360, has_touch=True, is_mobile=True) as w:
        cdp = w.context.new_cdp_session(w.page)
        for kind, widget in examples():
            held = getattr(about(kind), "HELD", "") if kind in base.kinds() else ""
            likes = alone(w, tmp_path, widget).evaluate(UNDER, held)
            for k, like in enumerate(likes):
                scrolled, changed = swipe(w, cdp, k, up=140)
                if scrolled < 60 or changed:
                    wrong.append((kind, like, scrolled, changed))
            for k, like in enumerate(likes):
                if "range" in like and not any(swipe(w, cdp, k, aside=aside)[1] for aside in (90, 40)):
                    wrong.append((kind, like, "is not pulled"))
        cdp.detach()
    assert not wrong


# ---- what stays in sight

# Something is pressed, so that there is the most to show; then what stays in sight, if it is higher than a third of the
# screen, and the controls that something lies on wherever they are scrolled to.
COVERED = """f => { for (const folded of f.querySelectorAll('details')) folded.open = true;
    const pressed = [...f.querySelectorAll('[aria-pressed=false]')].filter(b => b.getClientRects().length);
    pressed[pressed.length - 1]?.click();
    document.body.style.padding = '900px 0';
    const stays = [...f.querySelectorAll('*')].filter(e => getComputedStyle(e).position === 'sticky' && 3 * e.offsetHeight > innerHeight);
    const hit = b => { const r = b.getBoundingClientRect(), there = document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2);
        return there && (b.contains(there) || b.closest('label')?.contains(there) || there.closest('[aria-pressed]')); };
    const lost = [...f.querySelectorAll('button, input, select, textarea, [role=slider]')].filter(b => b.getClientRects().length && !b.disabled
        && !['center', 'nearest'].some(block => { b.scrollIntoView({block, behavior: 'instant'}); return hit(b); }));
    return [...stays.map(e => `${e.className}: ${e.offsetHeight} of ${innerHeight}`), ...lost.map(b => b.ariaLabel ?? b.textContent)]; }"""


@pytest.mark.parametrize("width, height", [(320, 256), (360, 740)])
def test_what_stays_in_sight_leaves_room_for_the_rest(watched, tmp_path, width, height):
    """On a phone, and on a laptop at 400 %: every control can be pressed."""
    with watched(width=width, has_touch=True, is_mobile=True) as w:
        w.page.set_viewport_size({"width": width, "height": height})
        wrong = {kind: bad for kind, widget in examples() if (bad := alone(w, tmp_path, widget).evaluate(COVERED))}
        assert not wrong
