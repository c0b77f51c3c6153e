"""The colours of the book: legible on each page, to other eyes too, and the only ones there are."""

import json
import re

import matplotlib
import numpy as np
import pytest
from conftest import ROOT

from bookkit.pictures import palette


def rgb(colour):
    return np.array([int(colour.lstrip("#")[k:k + 2], 16) / 255 for k in (0, 2, 4)])


def light(c):
    """Red, green and blue as shares of light."""
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def contrast(a, b):
    high, low = sorted((light(c) @ [0.2126, 0.7152, 0.0722] for c in (a, b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


# How a picture looks to somebody whose long, middle or short cones are missing: matrices for linear red, green, blue.
# Machado, Oliveira and Fernandes (2009), "A Physiologically-based Model for Simulation of Color Vision Deficiency",
# severity 1.
VISION = {
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}


def simulated(colour, vision):
    c = np.clip(np.array(vision) @ light(colour), 0, 1)
    return np.where(c <= 0.0031308, 12.92 * c, 1.055 * c ** (1 / 2.4) - 0.055)


def lab(colour):
    """Where a colour stands in CIE 1976, in which about 2.3 is just noticeable and 100 is black against white."""
    to_xyz = np.array([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]])
    t = to_xyz @ light(colour) / to_xyz.sum(axis=1)
    x, y, z = np.where(t > 0.008856, np.cbrt(t), 7.787037 * t + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


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


@pytest.mark.parametrize("vision", [np.eye(3), *VISION.values()], ids=["all cones", *VISION])
def test_every_kind_of_eyes_reads_the_squares(vision):
    """Numerals on the deepest of them, and which sign it is."""
    for theme in ("light", "dark"):
        ink, page = (rgb(getattr(shades, theme)) for shades in (palette.INK, palette.PAGE))
        deepest = {kind: simulated(palette.DEPTH * rgb(getattr(shades, theme)) + (1 - palette.DEPTH) * page, vision)
                   for kind, shades in palette.FILL.items()}
        assert min(contrast(simulated(ink, vision), fill) for fill in deepest.values()) >= 4.5
        assert np.linalg.norm(lab(deepest["positive"]) - lab(deepest["negative"])) > 20


def test_style_sheet_repeats_the_palette():
    """The colours that book.mplstyle writes down are those of the palette, role by role."""
    style = matplotlib.rc_params_from_file(ROOT / "bookkit" / "pictures" / "book.mplstyle", use_default_template=False)
    wanted = {"axes.edgecolor": palette.QUIET, "axes.labelcolor": palette.INK, "grid.color": palette.GRID,
              "text.color": palette.INK, "xtick.color": palette.QUIET, "ytick.color": palette.QUIET,
              "xtick.labelcolor": palette.INK, "ytick.labelcolor": palette.INK}
    for key, shades in wanted.items():
        assert "#" + style[key].lstrip("#") == shades.light, key
    assert ["#" + c.lstrip("#") for c in style["axes.prop_cycle"].by_key()["color"]] == [palette.INK.light, palette.QUIET.light]


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


# The figures that show weights of attention; no other has their colour.
WEIGHTS = set("""alignment ask_book attention_budget attention_plane chat chat_model document_reader head_maps
    kernel_heads machine matrix_trainer memory_budget moving_word score_field sentence_translator soft_dictionary
    softmax_explorer story_trainer story_writer swapped_words taught_kinds weights""".split())
PINK = r"--ak-(?:fill-)?weight\b|\"weight\"|ak-pull|attnkit\.(?:average|weightTable)\b"
BARS = r"attnkit\.(?:gauge|bar)\b|\"ak-column\""              # pink, too, unless a style sheet gives them a colour
SIGN = r"\b(?:fill-)?(?:positive|negative)\b"


def test_a_colour_means_one_thing():
    """Pink is a weight of attention; of the signs each number has its colour by one rule, and nothing else has one."""
    pink = set()
    for script in (ROOT / "bookkit/figures").glob("*.js"):
        sheet = script.with_suffix(".css")
        styles = re.sub(r"/\*.*?\*/", "", sheet.read_text()) if sheet.exists() else ""
        text = re.sub(r"//.*", "", script.read_text())
        own = re.search(r"\.ak-(?:fill|column) \{[^}]*background: var\(--ak-(?:ink|quiet)\)", styles)
        if re.search(PINK, text + styles) or re.search(BARS, text) and not own:
            pink.add(script.stem)
        if script.stem != "core":
            assert not re.search(f"--ak-{SIGN[2:]}", text + styles), script.stem
    assert pink - {"core"} <= WEIGHTS
    for path in (ROOT / "bookkit/pictures").glob("*.py"):
        assert path.stem in ("palette", "shapes", "plots") or not re.search(rf"\"{SIGN}\"", path.read_text()), path.stem
    for path in (*ROOT.glob("chapters/*.ipynb"), *ROOT.glob("further/*.ipynb")):
        code = "".join("".join(cell["source"]) for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code")
        assert not re.search(r"ROLES\[\"(?:weight|positive|negative)\"\]", code), path.stem
