"""What the tests of the figures share: a hand that presses and drags, an eye that reads, a notebook that listens."""

import functools
import importlib
import re

import pytest
from conftest import EVERY_LOOK, ROOT, asked

from bookkit.figures import base
from website import toc

CASES = 250 if EVERY_LOOK else 80      # random ones, of an arithmetic that is written in both languages

# The words of the book's second page, their features and where they stand.
WORDS, AXES = ["dull", "start", "but", "stunning", "chase"], ["praise", "action"]
POINTS = [[-0.9, -0.6], [0, -0.4], [-0.2, 0], [0.9, 0.5], [0.2, 0.9]]


# ---- what is special to each figure stands in a file of its own

@functools.cache
def about(kind):
    """The tests of one figure. What they say of it, the tests of all figures ask.

    `example()`: one of it, with the caption "Cap.".  `shown(widget)`: texts that its still picture
    must hold.  BAD: input that is refused, as (make, error, words).  Perhaps REFUSED: (trait, value, error) of what cannot
    be set later; CHANGED: a trait of the reader's and another value; `given(widget)`: what its arithmetic starts from, if
    that is not the state; TALL: buttons that leave the figure as high as it was; TARGETS: what a thumb must hit on a
    phone; HELD: what can be dragged anywhere.
    """
    return importlib.import_module(f"test_{kind}")


def those_with(name):
    """What the figures say under one of these names, of those that do: ``{kind: value}``."""
    return {kind: getattr(about(kind), name) for kind in base.kinds() if hasattr(about(kind), name)}


# What is played with; where something is asked is no such figure, and its tests stand in test_practice.py.
FIGURE, PLACE = ".ak-figure:not([data-ak-kind=practice])", "[data-ak-figure]:not([data-ak-figure=practice])"


def pages(kinds=None):
    """The pages on which some figures stand, in the order of the book; by default all that are played with."""
    wanted = set(base.kinds()) - {"practice"} if kinds is None else set(kinds)
    return [page for page in asked(toc.pages()) if wanted & shown_on(page)]


@functools.cache
def shown_on(page):
    """The kinds of the figures on a page, as its notebook was committed."""
    notebook = ROOT / f"{page}.ipynb"
    return frozenset(re.findall(r'data-ak-figure=\\"(\w+)', notebook.read_text(encoding="utf-8"))) if notebook.exists() else frozenset()


# What is looked at on its own is looked at on a phone.
either_width = pytest.mark.parametrize("width", [1280, 360] if EVERY_LOOK else [360])


# ---- random numbers

def tenths(rng, *shape):
    return (rng.integers(-10, 11, shape) / 10).tolist()


def rows(rng, *shape):
    return rng.normal(size=shape).round(3).tolist()


# ---- figures on a page

# What a figure shows: its words, inline styles and pressed buttons. Not the values of its controls: a dead slider moves, too.
SHOWN = """f => [f.textContent, ...[...f.querySelectorAll('*')].map(e => (e.getAttribute('style') ?? '')
    + (e.getAttribute('aria-pressed') ?? '') + (e.hidden ? 'hidden' : ''))].join('|')"""
# All of its state, to compare with where it began.
STATE = """f => [f.textContent, ...[...f.querySelectorAll('*')].map(e => (e.value ?? '') + (e.getAttribute('style') ?? '')
    + (e.getAttribute('aria-pressed') ?? '') + (e.hidden ? 'hidden' : ''))].join('|')"""
# Names and numbers that are wider than their place, but those that are turned, or beyond the figure, unless it is scrolled aside.
CUT = """f => [...f.querySelectorAll('td, th:not(.ak-maps th), .ak-told, button')].filter(e => { if (e.scrollWidth > e.clientWidth + 2) return true;
    if (e.getBoundingClientRect().right <= f.getBoundingClientRect().right) return false;
    while (e !== f && getComputedStyle(e).overflowX !== 'auto') e = e.parentElement;
    return e === f; }).map(e => e.textContent)"""
# As it was at first, nothing pointed at, nothing on its way.
RESET = """async f => { document.activeElement.blur();
    [...f.querySelectorAll('button')].find(b => b.textContent === 'Reset').click();
    atOnce();
    while (goesOn()) await new Promise(requestAnimationFrame);
    f.getAnimations({subtree: true}).forEach(a => a.finish()); }"""

# How many transitions begin when a control is pressed; those that ended before a busy machine looked count, too.
# What was never drawn cannot change its look by a transition: a page that was just opened is drawn before the press.
BEGUN = """async (f, control) => { let begun = 0; const count = () => begun++;
    const frames = async n => { while (n--) await new Promise(requestAnimationFrame); };
    await frames(2); f.addEventListener('transitionrun', count); control.click();
    for (let n = 0; n < 6 || n < 30 && !begun; n++) await frames(1);      // a busy machine begins some of them late
    f.removeEventListener('transitionrun', count); return begun; }"""


def begun(figure, control):
    return figure.evaluate(BEGUN, control.element_handle())


def figure(w, kind="", k=0):
    """One of the page's figures, of a kind or of all, as a reader finds it, whatever an earlier test did to it."""
    found = w.page.locator(f".ak-figure[data-ak-kind={kind}]" if kind else FIGURE).nth(k)
    w.page.mouse.move(0, 0)
    found.evaluate(RESET)
    return found


def practice(w, name):
    """An exercise or a guess on its page."""
    return w.page.locator(f"[data-ak-figure=practice][data-ak-state*='\"{name}\"'] .ak-figure")


def alone(w, tmp_path, widget):
    """Open a page that holds one figure alive, in the book's own letters, and return the figure."""
    face = f"@font-face{{font-family:'Source Sans 3';font-weight:200 900;src:url({(ROOT / 'website/static/fonts/sans.woff2').as_uri()})}}"
    style = f"body{{margin:0}}{face}{base.core_stylesheet()}{base.stylesheet(widget.kind)}"
    script = "".join(map(base.script, ["core", "page", *base.scripts(widget.kind)]))
    page = tmp_path / "figure.html"
    page.write_text(f"<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'><style>{style}</style>"
                    f"<body>{widget.html()}<script>{script}globalThis.attnkit.mount(document)</script></html>", encoding="utf-8")
    w.open(page.as_uri())
    return w.page.locator(".ak-figure")


LIVE = """traits => { const place = document.querySelector('[data-ak-figure]'), {akFigure: kind, akState: state} = place.dataset;
    window.model = attnkit.staticModel(JSON.parse(state));
    window.sent = [];
    model.save_changes = () => sent.push(structuredClone(traits.map(name => model.get(name))));
    window.leave = attnkit.figures[kind].render({model, el: place}); }"""


def live(w, tmp_path, widget, *traits):
    """The same as in a notebook: in the page, `model` is what the kernel shares, `sent` these traits at each time that
    they are sent to it, and `leave` ends the figure."""
    found = alone(w, tmp_path, widget)
    w.page.evaluate(LIVE, traits)
    return found


# ---- the hand and the eye

def press(found, name):
    found.get_by_role("button", name=name, exact=True).press("Enter")


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
    """What the status line says once the figure rests."""
    w.settle()
    return found.get_by_role("status").inner_text()


def fits(w):
    """Whether nothing is wider than the page."""
    return w.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
