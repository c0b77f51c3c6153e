"""The colours of the book: legible on each page, to other eyes too, and the only ones there are."""

import re

import matplotlib
import numpy as np
import pytest
from conftest import ROOT

from bookkit.pictures import palette


def rgb(colour):
    return np.array([int(colour.lstrip("#")[k:k + 2], 16) / 255 for k in (0, 2, 4)])


def contrast(a, b):
    def luminance(c):
        return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4) @ [0.2126, 0.7152, 0.0722]
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_contrast(theme):
    for below in (palette.PAGE, palette.GROUND):
        page = rgb(getattr(below, theme))
        for name, shades in {**palette.ROLES, "ink": palette.INK, "quiet": palette.QUIET}.items():
            assert contrast(rgb(getattr(shades, theme)), page) >= 4.5, name
        # Numbers are written in ink on every depth of fill.
        for name, shades in palette.FILL.items():
            for depth in np.linspace(0, palette.DEPTH, 18):
                ground = depth * rgb(getattr(shades, theme)) + (1 - depth) * page
                assert contrast(rgb(getattr(palette.INK, theme)), ground) >= 4.5, (name, depth)


def test_dark_shades_are_their_own():
    """The dark page has shades chosen for it: not one is shared."""
    assert all(shades.light != shades.dark for shades in palette.variables().values())


def test_contrast_is_that_of_the_guidelines():
    assert palette.contrast("#777777", "#ffffff") == pytest.approx(4.478, abs=1e-3)
    for a, b in (("#8436d6", "#fffdfa"), ("#ebe8e1", "#266bae")):
        assert palette.contrast(a, b) == palette.contrast(b, a) == pytest.approx(contrast(rgb(a), rgb(b)))


def test_colours_of_formulas_read_on_every_page():
    """One shade for both themes: large letters have a contrast of 3 : 1 on each ground, and the role's hue."""
    from colorsys import rgb_to_hls
    assert list(palette.MATHS) == ["query", "key", "value", "weight"]
    for role, colour in palette.MATHS.items():
        grounds = [getattr(ground, theme) for ground in (palette.PAGE, palette.GROUND) for theme in ("light", "dark")]
        assert min(contrast(rgb(colour), rgb(ground)) for ground in grounds) >= 3, role
        hues = [360 * rgb_to_hls(*rgb(shade))[0] for shade in palette.ROLES[role]]
        assert min(hues) - 2 <= 360 * rgb_to_hls(*rgb(colour))[0] <= max(hues) + 2, role
        assert palette.coloured(role, "Q^T") == rf"\textcolor{{{colour}}}{{Q^T}}"


@pytest.mark.parametrize("vision", palette.VISION)
def test_simulated_colour_blindness(vision):
    """Greys stay; what differs only in the missing cones comes together, what differs in the others stays apart."""
    assert np.allclose(np.sum(palette.VISION[vision], axis=1), 1, atol=1e-5)
    for grey in ("#000000", "#5a5a5a", "#ffffff"):
        assert palette.simulated(grey, vision) == grey
    pair = {"protanopia": ("#c80000", "#5a5a00"), "deuteranopia": ("#d08000", "#a8a000"), "tritanopia": ("#00a0a0", "#00a078")}[vision]
    assert palette.distance(*(palette.simulated(c, vision) for c in pair)) < 0.5 * palette.distance(*pair)
    assert palette.distance(*(palette.simulated(c, vision) for c in ("#2f8ddd", "#e2702f"))) > 60


def test_every_kind_of_eyes_reads_the_squares():
    """Numerals on the deepest of them, and which sign it is."""
    for theme in ("light", "dark"):
        ink, page = (getattr(shades, theme) for shades in (palette.INK, palette.PAGE))
        deepest = {kind: palette.mixed(getattr(shades, theme), page, palette.DEPTH) for kind, shades in palette.FILL.items()}
        for see in (lambda colour: colour, *(lambda colour, vision=vision: palette.simulated(colour, vision) for vision in palette.VISION)):
            assert min(palette.contrast(see(ink), see(fill)) for fill in deepest.values()) >= 4.5
            assert palette.distance(see(deepest["positive"]), see(deepest["negative"])) > 20


def test_distance_of_colours():
    assert palette.distance("#000000", "#ffffff") == pytest.approx(100, abs=0.1)
    assert palette.distance("#123456", "#123456") == 0
    assert palette.distance("#ff0000", "#00ff00") == pytest.approx(170.6, abs=0.3)


def test_mixed_colours():
    assert palette.mixed("#ff0000", "#0000ff", 0.5) == "#800080" and palette.mixed("#123456", "#ffffff", 1) == "#123456"


def test_style_sheet_repeats_the_palette():
    """The colours that book.mplstyle writes down are those of the palette, role by role."""
    style = matplotlib.rc_params_from_file(ROOT / "bookkit" / "pictures" / "book.mplstyle", use_default_template=False)
    wanted = {"axes.edgecolor": palette.QUIET, "axes.labelcolor": palette.INK, "grid.color": palette.GRID,
              "text.color": palette.INK, "xtick.color": palette.QUIET, "ytick.color": palette.QUIET,
              "xtick.labelcolor": palette.INK, "ytick.labelcolor": palette.INK}
    for key, shades in wanted.items():
        assert "#" + style[key].lstrip("#") == shades.light, key
    roles = [palette.ROLES[r].light for r in ("query", "value", "key", "weight")]
    assert ["#" + c.lstrip("#") for c in style["axes.prop_cycle"].by_key()["color"]] == roles


def test_css_uses_only_colours_of_the_palette():
    """No colour is written down outside the palette: no digits, no functions, no names but those of a reader's own colours."""
    used = set()
    for path in [*(ROOT / "bookkit/figures").glob("*.css"), ROOT / "website/static/book.css"]:
        text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
        for property_, value in re.findall(r"(?:^|[;{])\s*([\w-]+)\s*:\s*([^;{}]+)", text):
            assert not re.search(r"#[0-9a-fA-F]{3,8}\b|\b(?:rgb|hsl|hwb|lab|lch|oklab|oklch)a?\(", value), (path.name, property_, value)
            if property_ in ("color", "background-color", "border-color", "fill", "stroke", "outline-color", "accent-color"):
                plain = r"(var\(--[\w-]+(, var\(--[\w-]+\))?\)|color-mix\(.*\)|none|inherit|transparent|currentColor|Canvas|CanvasText|Highlight|HighlightText|GrayText|[0-9.]+|!important|\s)*"
                assert re.fullmatch(plain, value, flags=re.I), (path.name, property_, value)
        used |= set(re.findall(r"var\((--ak-[\w-]+)", text))
    for path in (ROOT / "bookkit/figures").glob("*.js"):
        text = re.sub(r"//.*", "", path.read_text())
        assert not re.search(r"[\"'`: ]#[0-9a-fA-F]{3,8}\b|\b(?:rgb|hsl)a?\(", text), path.name
        used |= set(re.findall(r"var\((--ak-[\w-]+)", text))
    faces = {"--ak-serif", "--ak-sans", "--ak-mono"}      # made by website/book_fonts.py
    assert "--ak-query" in used and used - {"--ak-fill-"} - faces <= set(palette.variables())
