"""The figures on the pages of the book, every one as readers use it: by keyboard, mouse and finger, from the disk, on paper.

A page is opened once in each theme and width for all tests that ask for it so; each of them sets its figure back first.
What a hand does, the browser does; what is looked at before and after is looked at in the page, in one go.
"""

import pytest
from conftest import DARK_PHONE, SCRIPTS, SITE, WIDE, blocks, numbers, on
from hand import PLACE, SHOWN, STATE, about, figure, figures, pages, says, shown_on, those_with

from bookkit.figures import base
from website import toc

pytestmark = pytest.mark.browser


def all_figures(w):
    """Each of the page's figures as a reader finds it."""
    return (figure(w, k=k) for k in range(figures(w).count()))


# ---- what a redraw costs

# Blocks of the figures' scripts that are run (each pass through a function, a loop or a branch) and changes of the page:
# the causes of a slow figure, the same on any machine.
BLOCKS = {"coming to life": 120_000, "one redraw": 40_000}
# More, where a model has to read a text, the beginning of a story or whole stories: for each word, and for each pair of a
# word and one before it; and for each word of the two whole stories that it writes at a press.
WORD, PAIR = 3_000, 150
READS = """f => { const {story = [], other = [], prompt = '', pairs: [{story: first}] = [{story: []}]} = JSON.parse(f.dataset.akState);
    return [Math.max(20, story.length, prompt.split(' ').length), other.length, first.length]; }"""
WRITES = {"switched_story": 2 * 64}
CHANGES = 400
# Move the first slider to the next of 19 places, or press the next button; how much of the page that changed.
SLIDE = """(f, i) => { const s = [...f.querySelectorAll('input[type=range]')].find(s => s.getClientRects().length), buttons = [...f.querySelectorAll('button')]
        .filter(b => b.textContent !== 'Reset' && !('akOnce' in b.dataset) && b.getClientRects().length);
    const watch = new MutationObserver(() => {});
    watch.observe(f, {attributes: true, childList: true, characterData: true, subtree: true});
    if (s) { s.value = Number(s.min) + i / 18 * (s.max - s.min); s.dispatchEvent(new Event('input', {bubbles: true})); }
    else buttons[i % buttons.length].click();
    const changes = watch.takeRecords().length;
    watch.disconnect();
    return changes; }"""


@on(pages(), WIDE)
def test_operations(opened):
    """What a figure does when it comes to life and at each step of its first slider, or click, counted."""
    def ran():
        return blocks(opened.profile, where=SCRIPTS)

    def redraw(i):
        changes.append(found.evaluate(SLIDE, i))
        return ran()

    mounted, _ = opened.mounted, ran()
    models = opened.page.locator(", ".join(f"[data-ak-figure={kind}]" for kind in base.kinds() if "model" in base.scripts(kind))).all()
    reads = [n for found in models for n in found.evaluate(READS)]
    assert 0 < mounted <= BLOCKS["coming to life"] + sum(WORD * n + PAIR * n * (n + 1) / 2 for n in reads)
    for found in all_figures(opened):
        ran()      # setting it back is no redraw
        # If once around costs too much, again, and of each step the least: what a page does once, or the browser beside
        # it, is no part of a redraw.
        title, limit = found.get_attribute("aria-label"), BLOCKS["one redraw"] + WORD * WRITES.get(found.get_attribute("data-ak-kind"), 0)
        changes, rounds, most = [], [], limit + 1
        while most > limit and len(rounds) < 6:
            rounds.append([redraw(i) for i in range(19)])
            most = max(map(min, zip(*rounds)))
        print(f"\n{opened.name}, {title}: {mounted} blocks to come to life, {most} and {max(changes)} changes for a redraw")
        assert 0 < most <= limit, title
        assert 0 < max(changes) <= CHANGES, title
    opened.profile.send("Profiler.disable")


# ---- by keyboard

KEYS = {"range": ["ArrowRight", "ArrowLeft", "ArrowLeft"], "text": ["ArrowDown", "ArrowUp", "ArrowUp"],
        "select": ["ArrowDown", "ArrowUp", "ArrowUp"]}
# All controls of a figure that are in sight, but Reset and what fetches the real model (test_real_model_on_the_page.py):
# whether each is pressed. They are kept for what follows.
CONTROLS = """f => { window.controls = [...f.querySelectorAll('button, input, select')].filter(c => c.textContent !== 'Reset' && !('akOnce' in c.dataset) && c.checkVisibility({visibilityProperty: true})
        && c.getClientRects().length);
    return controls.map(c => c.ariaPressed === 'true'); }"""
# Go to one of them: what kind it is, and its name; nothing where it is hidden by now, or pressed already. Focus alone may
# choose a square, or a word: that is not yet a change by key.
FOCUS = f"""(f, [k, kinds]) => {{ const c = controls[k], kind = c.getAttribute('type') ?? c.localName, shown = {SHOWN};
    if (!c.getClientRects().length || c.ariaPressed === 'true' || c.ariaDisabled === 'true') return null;
    window.before = shown(f);
    c.focus();
    if (kinds.includes(kind)) window.before = shown(f);
    return [kind, c.ariaLabel ?? c.innerText]; }}"""
CHANGED = f"f => ({SHOWN})(f) !== before"


def works(w, found, k):
    """Use a control by key and see the figure change; False for one that is hidden, or pressed already."""
    if not (control := found.evaluate(FOCUS, [k, list(KEYS)])):
        return False
    kind, words = control
    for key in KEYS.get(kind, ["Enter"]):
        w.page.keyboard.press(key)
        if found.evaluate(CHANGED):
            return True
    raise AssertionError(f"the control “{words}” does nothing")


@on(pages(), DARK_PHONE)
def test_every_control_changes_something_by_keyboard(opened):
    w, tried, there = opened, 0, 0
    for found in all_figures(w):
        start, said = found.evaluate(STATE), says(w, found)
        # A pressed button of a choice has nothing left to do: it is tried again after the others.
        controls = found.evaluate(CONTROLS)
        free, pressed = ([k for k, is_pressed in enumerate(controls) if is_pressed == wanted] for wanted in (False, True))
        tried += sum(works(w, found, k) for k in free)
        there += len(controls)
        assert says(w, found) != said, "the change is not said"
        tried += sum(works(w, found, k) for k in pressed)
        if pressed:        # they may have led back by themselves
            works(w, found, free[0])
        found.get_by_role("button", name="Reset").focus()
        w.page.keyboard.press("Enter")
        w.settle()
        assert found.evaluate(STATE) == start, "Reset does not lead back"
    assert tried >= min(3, there) > 0
    assert not w.errors and not w.outside


@pytest.mark.parametrize("name", pages())
def test_from_the_disk(window, name):
    """Opened as a file, without a server, every figure comes to life and follows its first control."""
    with window(width=360) as w:
        w.open(f"{SITE.as_uri()}/{name}.html")
        for found in figures(w).all():
            assert any(works(w, found, k) for k in range(len(found.evaluate(CONTROLS))))
        assert not w.errors and not w.outside


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


@on(pages(), WIDE)
def test_a_group_of_buttons_is_one_stop(opened):
    """One stop of the tab key; the arrows lead on within, and neither they nor Home and End scroll the page."""
    w, walked = opened, 0
    for found in all_figures(w):
        many = [group for group in found.evaluate(STOPS) if group[0] != 1]
        assert not many, many
        for button in found.locator("button[aria-pressed][tabindex='0']").filter(visible=True).all():
            start, seen = button.evaluate(ENTER), set()
            for key in ("Home", "End", "ArrowLeft", "ArrowRight", "Home"):
                w.page.keyboard.press(key)
                place, what, scrolled = w.page.evaluate(WHERE)
                seen.add(place)
                assert what == "button" and scrolled == start, (key, button.inner_text())
            walked += len(seen) > 1
    assert walked or not figures(w).locator("button[aria-pressed]").count()


# ---- by mouse and by finger

# Bring a slider in sight: where it is, and whether it stands in its upper half.
SLIDER = f"""s => {{ s.scrollIntoView({{block: 'center', behavior: 'instant'}}); window.before = ({SHOWN})(s.closest('.ak-figure'));
    const r = s.getBoundingClientRect(); return [r.x, r.y + r.height / 2, r.width, (s.value - s.min) / (s.max - s.min) > .5]; }}"""


def choices(found):
    """The buttons of a figure without sliders that have something left to do."""
    return found.locator("button[aria-pressed=false]").filter(visible=True)


@on(pages(), WIDE)
def test_mouse(opened):
    w = opened
    for found in all_figures(w):
        for slider in found.locator("input[type=range]").filter(visible=True).all():
            x, y, width, high = slider.evaluate(SLIDER)
            w.page.mouse.move(x + width / 2, y)
            w.page.mouse.down()
            w.page.mouse.move(x + width * (.3 if high else .7), y, steps=5)      # to the side where it does not stand
            w.page.mouse.up()
            assert found.evaluate(CHANGED)
        if not found.locator("input[type=range]").filter(visible=True).count():
            before = found.evaluate(SHOWN)
            choices(found).last.click()
            assert found.evaluate(SHOWN) != before


# The sides of all controls in sight that are shorter than so many pixels.
SMALL = """([f, selector, least]) => [...f.querySelectorAll(selector)].filter(b => b.getClientRects().length).map(b => {
    const r = b.getBoundingClientRect(); return [b.ariaLabel ?? b.textContent, r.width, r.height]; }).filter(([, w, h]) => w < least || h < least)"""


def small(found, selector, least):
    return found.page.evaluate(SMALL, [found.element_handle(), selector, least])


@on(pages(), DARK_PHONE)
def test_touch(opened):
    for found in all_figures(opened):
        if found.locator("input[type=range]").filter(visible=True).count():
            slider = found.locator("input[type=range]").filter(visible=True).first
            *_, width, high = slider.evaluate(SLIDER)
            slider.tap(position={"x": 12 if high else width - 12, "y": 12})
            assert found.evaluate(CHANGED)
        else:
            before = found.evaluate(SHOWN)
            choices(found).first.tap()
            assert found.evaluate(SHOWN) != before
        found.get_by_role("button", name="Reset").tap()
        assert not small(found, "button:not(.ak-box button), input, select", 24), "too small to touch"      # words of a text may be


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


@on(pages(those_with("HELD")), DARK_PHONE)
def test_a_finger_that_drags_does_not_scroll(opened):
    """The point is still held at the end of the way, and the page has stayed where it was."""
    w = opened
    for kind in those_on(w, "HELD"):
        hit = figure(w, kind).locator(about(kind).HELD).first
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


def those_on(w, name):
    """The figures on the page that say something of this name."""
    return [kind for kind in those_with(name) if kind in shown_on(w.name)]


@on(pages(those_with("TARGETS")), DARK_PHONE)
def test_targets_are_as_large_as_a_thumb(opened):
    for kind in those_on(opened, "TARGETS"):
        found = figure(opened, kind)
        assert found.locator(about(kind).TARGETS).count() and not small(found, about(kind).TARGETS, 44)
        lines = found.evaluate("""f => [...f.querySelectorAll('.ak-controls > .ak-buttons')].map(g => new Set([...g.querySelectorAll('button')]
            .map(b => Math.round(b.getBoundingClientRect().top))).size)""")
        assert all(count == 1 for count in lines), "a button stands alone on a line"


@on(toc.road()[1:2], DARK_PHONE)
def test_nothing_lies_on_a_control(opened):
    """Scrolled up a little in the middle of a figure, as when *Back to top* came: each slider can be hit."""
    w, found = opened, figure(opened)
    sliders = found.locator("input[type=range]").filter(visible=True)
    sliders.last.evaluate("s => scrollTo({top: s.getBoundingClientRect().top + scrollY - innerHeight * .9, behavior: 'instant'})")
    w.page.mouse.wheel(0, -40)
    covered = """s => { scrollBy({top: s.getBoundingClientRect().top - innerHeight * .9, behavior: 'instant'});
        const b = document.querySelector('#pst-back-to-top'); if (b) b.style.display = 'block';
        const r = s.getBoundingClientRect(); return document.elementFromPoint(innerWidth / 2, r.top + r.height / 2) !== s; }"""
    assert sliders.count() and not any(slider.evaluate(covered) for slider in sliders.all())


# ---- what stays where it is, and what moves

@on(pages(those_with("TALL")), WIDE, DARK_PHONE)
def test_a_figure_keeps_its_height(opened):
    """Whatever is pressed, nothing below the figure moves, and no button moves away under the pointer."""
    for kind in those_on(opened, "TALL"):
        found = figure(opened, kind)
        height = found.bounding_box()["height"]
        for words in about(kind).TALL:
            button = found.get_by_role("button", name=words)
            before = button.evaluate("b => b.getBoundingClientRect().top + scrollY")
            button.evaluate("b => b.click()")
            opened.page.wait_for_function("!goesOn()")      # what is written word by word is as tall as its end
            opened.settle()
            assert found.bounding_box()["height"] == pytest.approx(height, abs=1), (kind, words)
            assert button.evaluate("b => b.getBoundingClientRect().top + scrollY") == pytest.approx(before, abs=1), (kind, words)


# What moves in a figure two frames from now, when what was asked for has begun.
MOVING = """f => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(
    f.getAnimations({subtree: true}).filter(a => a.playState === 'running').length))))"""
# Use all controls in sight, one after another; the names of those that move something, at once or two frames later.
USED = f"""async f => {{ const bad = [], moving = {MOVING};
    for (const c of f.querySelectorAll('input[type=range], button')) {{
        if (!c.checkVisibility({{visibilityProperty: true}}) || !c.getClientRects().length || c.disabled || c.textContent === 'Reset' || 'akOnce' in c.dataset) continue;
        if (c.type === 'range') {{ c.value = c.value === c.max ? c.min : c.max; c.dispatchEvent(new Event('input', {{bubbles: true}})); }}
        else c.click();
        const now = f.getAnimations({{subtree: true}}).some(a => a.playState === 'running');
        if (now || (goesOn() && await moving(f))) bad.push(c.ariaLabel ?? c.innerText); }}
    return bad; }}"""


@on(pages(["movie_matcher"]), WIDE)
def test_rows_glide_to_their_places(opened):
    """The control of the test below: without the wish for less motion, something moves."""
    found = figure(opened, "movie_matcher")
    found.get_by_role("button", name="Change every sign").click()
    assert found.evaluate(MOVING)


@on(pages(), WIDE)
def test_reduced_motion_and_print(opened):
    """Nothing moves by itself for a reader who asked for that; on paper stand the numbers, not the controls."""
    w = opened
    w.page.emulate_media(reduced_motion="reduce")
    for k, found in enumerate(all_figures(w)):
        moved = found.evaluate(USED)
        assert not moved, f"{moved} move something"
        place = w.page.locator(PLACE).nth(k)
        w.page.emulate_media(media="print")
        w.page.wait_for_function("!document.querySelector('.ak-figure')")
        assert place.bounding_box()["height"] > 60 and not place.locator("button, input, select").count()
        drawn = "".join(svg.get_attribute("aria-label") for svg in place.locator("svg[role=img]").all())
        grows = place.get_attribute("data-ak-figure") == "growing_picture"
        most = min(3, numbers(" ".join(place.locator("svg text").all_text_contents()), [])) if grows else 3
        assert numbers(place.inner_text() + drawn, place.locator("td").all_inner_texts()) >= most
        w.page.emulate_media(media="screen")
        found.wait_for()
    w.page.emulate_media(media="null", reduced_motion="null")


@pytest.mark.parametrize("page", [page for page in (toc.chapter("translation"), "further/translation")])
def test_print_is_as_wide_as_the_page(watched, site, page):
    with watched(width=640) as w:
        w.open(f"{site}/{page}.html")
        w.page.emulate_media(media="print")
        w.page.wait_for_function("!document.querySelector('.ak-figure')")
        assert w.page.evaluate("document.documentElement.scrollWidth") <= 640
