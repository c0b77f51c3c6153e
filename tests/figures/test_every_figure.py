"""What holds for every interactive figure: its files, its still form, what it refuses, one source live and static."""

import json
import re
from html import unescape

import numpy as np
import pytest
from conftest import ROOT, SITE, node
from hand import STATE, about, live, press, those_with

from bookkit.figures import base
from bookkit.pictures import draw
from bookkit.pictures.formats import fixed

every_kind = pytest.mark.parametrize("kind", base.kinds())


# ---- files and pages

def test_each_figure_has_its_neighbours():
    folder = ROOT / "bookkit" / "figures"
    assert base.kinds() == sorted({p.stem for p in folder.glob("*.py")} - {"__init__", "base", "models", "steps"})
    assert {p.stem for p in folder.glob("*.css")} <= {*base.SHARED, *base.kinds()}
    assert all(about(kind).example().kind == kind for kind in base.kinds())


# Classes that site and figures mean alike: out of sight, alive, the way back, a guess; `ak-here` is within the line of stops.
SHARED = {"ak-unseen", "ak-live", "ak-back", "ak-guessed", "ak-here"}


def test_styles_of_the_site_reach_into_no_figure():
    """No class that the site's sheet styles is one that a figure gives its parts: the road's line once shrank a picture to 16 pixels."""
    sheet = (ROOT / "website" / "static" / "book.css").read_text(encoding="utf-8")
    styled = set(re.findall(r"^\s*\.(ak-[\w-]+)(?:,| \{)", sheet, flags=re.M))
    used = {name for path in (ROOT / "bookkit" / "figures").glob("*.js") for name in re.findall(r"[\"' ](ak-[\w-]+)", path.read_text(encoding="utf-8"))}
    assert len(styled) > 20 and not (styled & used) - SHARED


@every_kind
def test_styles_of_a_figure_reach_no_further(kind):
    """A figure's rules stand in one block that only its own element matches."""
    text = base.stylesheet(kind)
    if not text:
        return
    assert text.startswith(f'.ak-figure.ak-figure[data-ak-kind="{kind}"] {{\n') and text.endswith("}\n")
    depth = [0]
    for character in re.sub(r"/\*.*?\*/", "", text, flags=re.S):
        depth.append(depth[-1] + (character == "{") - (character == "}"))
    assert min(depth[len(text.split("{")[0]) + 1:-2]) >= 1 and depth[-1] == 0, "the block is closed too early"


# ---- the still form and the state

@every_kind
def test_static_form(kind):
    """The still picture holds every number, and the state the script starts from."""
    widget = about(kind).example()
    html = widget._repr_mimebundle_()[0]["text/html"]
    state = json.loads(unescape(re.search(r'data-ak-state="([^"]*)"', html)[1]))
    assert {name: state[name] for name in state} == widget.state() and state["caption"] == "Cap."
    still = unescape(re.sub(r"data-ak-state=\"[^\"]*\"|data:image[^\"]*", "", html))
    texts = about(kind).shown(widget)
    assert len(texts) > 3 and all(text in still for text in texts)
    assert "<script" not in html and repr(widget) == f"<{type(widget).__name__}>"


@pytest.mark.parametrize("kind", those_with("BAD"))
def test_bad_input(kind):
    for make, error, words in about(kind).BAD:
        with pytest.raises(error, match=words):
            make()


@pytest.mark.parametrize("kind", those_with("REFUSED"))
def test_a_trait_refuses_and_keeps_its_value(kind):
    widget = about(kind).example()
    before = widget.state()

    for trait, value, error in about(kind).REFUSED:
        with pytest.raises(error, match=trait if trait != "pixel" else "column"):
            setattr(widget, trait, value)
        assert widget.state() == before, trait


@pytest.mark.parametrize("kind, changed", those_with("CHANGED").items(), ids=those_with("CHANGED"))
def test_defaults_are_the_first_state_of_what_a_reader_can_change(kind, changed):
    widget, (trait, value) = about(kind).example(), changed
    first = {name: getattr(widget, name) for name in widget.trait_names(reset=True)}
    assert widget.defaults == first and trait in first and widget.state()["defaults"] == first
    setattr(widget, trait, value)
    assert widget.defaults == first != {name: getattr(widget, name) for name in first}


# ---- one source in both languages, live and on the page

def test_formats_agree_in_python_and_javascript():
    rng = np.random.default_rng(4)
    numbers = [0.125, -0.125, 0.5, -0.0, 0.0, -0.004, 0.005, 1.005, 2.675, 1e-9, 99.995, 1e14, -3.0]
    numbers += rng.normal(size=400).tolist() + (rng.integers(-4000, 4000, 400) / 1000).tolist()
    cases = [[x, int(rng.integers(0, 5)), bool(rng.integers(2))] for x in numbers]
    for (x, digits, plus), (text, opacity) in zip(cases, node("run_figures.js", {"numbers": cases})):
        assert text == fixed(x, digits, plus=plus)
        assert opacity == draw.opacity(x, 3)


@pytest.mark.browser
@every_kind
def test_one_source_live_and_static(kind):
    """What a notebook loads and what the site brings are the same program, which computes.

    A notebook imports a module, with the core before the figure and an export at its end; a page loads two scripts, or
    three, of which the core's has more at its end: what brings the page's figures to life.
    """
    widget = about(kind).example()
    core, *needed, own = ((SITE / f"_static/figures/{name}.js").read_text(encoding="utf-8") for name in ("core", *base.scripts(kind)))
    own = "".join(needed) + own
    core, mount, _ = re.split(r"^(document\.addEventListener\(.*\);\n)", core, flags=re.M)
    module, exported, _ = re.split(r"^(export default .*;\n)", widget._esm, flags=re.M)
    core, page = core.removesuffix(base.script("page")), core.endswith(base.script("page"))
    assert mount and page and exported and module == core + own
    state = about(kind).given(widget) if hasattr(about(kind), "given") else widget.state()
    assert all(node("run_figures.js", {"figure": kind, "cases": [state], "module": widget._esm}))


@pytest.mark.browser
@pytest.mark.parametrize("kind, changed", those_with("CHANGED").items(), ids=those_with("CHANGED"))
def test_in_a_notebook_a_figure_follows_its_kernel_and_tells_it(window, tmp_path, kind, changed):
    (trait, value), widget = changed, about(kind).example()
    with window(reduced_motion="reduce") as w:
        found = live(w, tmp_path, widget, trait)
        before = found.evaluate(STATE)
        w.page.evaluate("([trait, value]) => model.set(trait, value)", [trait, value])
        assert found.evaluate(STATE) != before
        press(found, "Reset")
        assert w.page.evaluate("sent.at(-1)") == [widget.defaults[trait]] and not w.errors
