"""The pages of figures in Firefox and in WebKit, at many widths: alive, no mistake, nothing cut, words that act look like it."""

import os

import others
import pytest
from conftest import EVERY_LOOK, SITE

from website import browser, toc

WIDTHS = (1000, 760, 620, 560, 500, 390, 320) if EVERY_LOOK else (1000, 320)
# Mistakes of scripts; figures that are dead; what reaches beyond the page or its figure (what scrolls hides nothing); a box
# of text that does not wrap; words that act on a figure and do not look like it.
WRONG = """() => {
    const dead = [...document.querySelectorAll('[data-ak-figure]')].filter(place => !place.querySelector('.ak-figure'));
    const out = [...wrong, ...dead.map(place => `${place.dataset.akFigure} is dead`)], wide = e => e.scrollWidth > e.clientWidth + 1;
    if (document.documentElement.scrollWidth > innerWidth) out.push(`the page has ${document.documentElement.scrollWidth}`);
    for (const figure of document.querySelectorAll('.ak-figure')) {
        const {left, right, width} = figure.getBoundingClientRect(), name = figure.dataset.akKind;
        if (!width) continue;
        if ([...figure.querySelectorAll('.ak-box')].some(wide)) out.push(`${name}: its text does not wrap`);
        const hides = e => { const s = getComputedStyle(e); return s.overflowX !== 'visible' || s.clipPath !== 'none'; };
        const beyond = [...figure.querySelectorAll(':not(svg *, option)')].filter(e => {
            const box = e.getBoundingClientRect();
            if (!box.width || !box.height || (box.right <= right + 1 && box.left >= left - 1) || !e.checkVisibility()) return false;
            for (let a = e; a !== figure; a = a.parentElement) if (hides(a)) return false;
            return true; });
        if (beyond.length) out.push(`${name}: ${beyond.at(-1).textContent.trim().slice(0, 20)} is cut`); }
    const acts = [...document.querySelectorAll('[data-ak-act][role=button]')];
    if (acts.some(e => !getComputedStyle(e).textDecorationLine.includes('underline'))) out.push('a word that acts looks like others');
    return out; }"""


# One page that has a figure of each kind, and the cover; every week each page with figures.
PAGES = [others.ALL, "index"]
if EVERY_LOOK:
    PAGES += [page for page in toc.pages() if page not in PAGES and browser.figures_of(SITE / f"{page}.html")]


@pytest.mark.browser
@pytest.mark.parametrize("name", others.PROGRAMS)
def test_the_figures(name, tmp_path):
    _, program = others.PROGRAMS[name]
    if not program:
        assert name not in os.environ.get("REQUIRE_OTHERS", ""), f"{name} is not here"
        pytest.skip(f"{name} is not on this machine")
    wrong = []
    with browser.serve(host=others.Host) as site, others.running(name, tmp_path) as window:
        for page in PAGES:
            window.open(site, page, WIDTHS[0])
            for width, found in zip(WIDTHS, window.ask(WRONG, *WIDTHS)):
                wrong += [f"{page} at {width}: {what}" for what in found]
    assert not wrong, "\n".join(wrong)
