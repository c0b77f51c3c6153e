"""Palette, squares and plots: legible, described, the same at every run, and strict about what they are given."""

import re

import matplotlib
import numpy as np
import pytest
from conftest import ROOT

from attnkit import attention, draw, palette, plots
from attnkit.numbers import fixed
from attnkit.picture import Picture, Svg
from attnkit.widgets.figure import script


def rgb(colour):
    return np.array([int(colour.lstrip("#")[k:k + 2], 16) / 255 for k in (0, 2, 4)])


def contrast(a, b):
    def luminance(c):
        return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4) @ [0.2126, 0.7152, 0.0722]
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_contrast(theme):
    page = rgb(getattr(palette.PAGE, theme))
    for name, shades in {**palette.ROLES, "ink": palette.INK, "quiet": palette.QUIET}.items():
        assert contrast(rgb(getattr(shades, theme)), page) >= 4.5, name
    # Numbers are written in ink on every depth of fill.
    for fill in palette.FILL.values():
        for depth in np.linspace(0, palette.DEPTH, 18):
            ground = depth * rgb(fill) + (1 - depth) * page
            assert contrast(rgb(getattr(palette.INK, theme)), ground) >= 4.5, (fill, depth)
    # And words on the fill of a weight, which attention_maps.js gives a depth of its own.
    depth = int(re.search(r"const DEPTH = (\d+);", script("attention_maps"))[1]) / 100
    ground = depth * rgb(getattr(palette.ROLES["weight"], theme)) + (1 - depth) * page
    assert contrast(rgb(getattr(palette.INK, theme)), ground) >= 4.5


def test_style_sheet_repeats_the_palette():
    """The colours that book.mplstyle writes down are those of the palette, role by role."""
    style = matplotlib.rc_params_from_file(ROOT / "attnkit" / "book.mplstyle", use_default_template=False)
    wanted = {"axes.edgecolor": palette.QUIET, "axes.labelcolor": palette.INK, "grid.color": palette.GRID,
              "text.color": palette.INK, "xtick.color": palette.QUIET, "ytick.color": palette.QUIET,
              "xtick.labelcolor": palette.INK, "ytick.labelcolor": palette.INK}
    for key, shades in wanted.items():
        assert "#" + style[key].lstrip("#") == shades.light, key
    roles = [palette.ROLES[r].light for r in ("query", "value", "key", "weight")]
    assert ["#" + c.lstrip("#") for c in style["axes.prop_cycle"].by_key()["color"]] == roles


def test_css_uses_only_colours_of_the_palette():
    used = set()
    for path in [ROOT / "attnkit/widgets/figure.css", ROOT / "_static/book.css", *(ROOT / "attnkit/widgets").glob("*.js")]:
        text = path.read_text()
        assert not re.search(r"#[0-9a-fA-F]{3,8}\b(?![^{}]*\{)", re.sub(r"/\*.*?\*/", "", text, flags=re.S)) \
            or path.name == "book.css", path.name
        used |= set(re.findall(r"var\((--ak-[\w-]+)", text))
    assert used - {"--ak-fill-"} <= set(palette.variables())


def svg(picture, part=0):
    return picture.parts[part]


@pytest.mark.parametrize("values", [True, False])
def test_squares_count_depth_sign(values):
    x = np.array([[0.5, -1.0, 0.0], [2.0, -0.25, 1.0]])
    body = svg(draw.squares(x, values=values)).body
    fills = re.findall(r'fill="var\(--ak-fill-(\w+), [^"]*" fill-opacity="([\d.]+)"', body)
    assert len(fills) == 6
    for (sign, depth), value in zip(fills, x.flat):
        assert sign == ("negative" if value < 0 else "positive")
        assert float(depth) == pytest.approx(abs(value) / 2 * palette.DEPTH, abs=1e-3)
    marks = re.findall(r">([^<>]+)</text>", body)
    assert marks == (["0.5", "−1.0", "0.0", "2.0", "−0.3", "1.0"] if values else ["+", "−", "+", "−", "+"])


def test_squares_words():
    x = np.array([[0.5, -1.0], [2.0, 0.0]])
    words = draw.squares(x, label="X", role="key", row_names=["a", "b"], column_names=["p", "q"]).alt
    assert words == "Matrix X (key), 2 by 2 with columns p, q. a: 0.5, −1.0; b: 2.0, 0.0."
    assert draw.squares(3.0, label="s").alt == "Scalar s: 3.0."
    assert draw.squares([1.0], standing=True).alt == "Vector, standing, 1 number: 1.0."


def test_attention_graph_shows_what_attention_computes():
    rng = np.random.default_rng(0)
    q, k, v = rng.normal(size=3), rng.normal(size=(5, 3)), rng.normal(size=(5, 2))
    picture = draw.attention_graph(q, k, v, names=list("abcde"), asks="me", scale=0.5)
    output, weights = attention(q[None], k, v, scale=0.5)
    drawn = [re.findall(r">([^<>]+)</text>", part.body) for part in picture.parts]
    for numbers, part in ((k, 0), (q, 0), (v, 1)):
        assert all(fixed(x, 1) in drawn[part] for x in numbers.flat)
    assert all(fixed(x) in drawn[0] for x in 0.5 * k @ q)
    assert all(fixed(w) in drawn[part] for w in weights[0] for part in (0, 1))
    assert all(fixed(y) in drawn[1] for y in output[0]) and "me asks with its query" in drawn[0]
    assert all(f"weight {fixed(w)}" in picture.alt for w in weights[0]) and fixed(output[0, 1]) in picture.alt


def test_wiring_leads_from_rows_to_roles():
    """Where each line begins and ends: from the rows that make the role, over a matrix if there is one, to a meeting."""
    for asks, asked, options in (("S", "H", {}), ("S", "H", {"projections": True}), ("X", "X", {}), ("S", "H", {"compares": False})):
        body = svg(draw.wiring(asks, asked, label="a title", **options)).body
        words = re.findall(r">([^<>]+)<", body)
        roles = ["query", "key", "value"] if options.get("compares", True) else ["query", "value"]
        assert [w for w in words if w in ("query", "key", "value")] == roles and words[0] == "a title"
        assert [w for w in words if w in ("S", "H", "X")] == list(dict.fromkeys([asks, asked]))
        assert ("FC" in words) == (not options.get("compares", True)) and words.count("W") == (3 if options.get("projections") else 0)
        boxes = [tuple(map(float, box)) for box in re.findall(r'<rect x="([-\d.]+)" y="([-\d.]+)" width="([\d.]+)"', body)]
        for x, y in re.findall(r'd="M([\d.]+) ([\d.]+)', body)[:len(roles)]:        # each role's line leaves a box of rows
            assert any(left <= float(x) <= left + wide and top + 32 == float(y) for left, top, wide in boxes)
    assert "each times a matrix of its own" in draw.wiring("X", "X", projections=True).alt
    assert "from the queries alone" in draw.wiring("S", "H", compares=False).alt


def test_pixels_are_runs_of_equal_colour():
    colours = np.array([[[0, 0, 0], [0, 0, 0], [1, 0.5, 0]], [[1, 1, 1]] * 3])
    body = svg(draw.pixels(colours, alt="Six pixels in three runs.", side=10)).body
    assert re.findall(r'width="(\d+)" height="10" fill="(#\w+)"', body) == [("20", "#000000"), ("10", "#ff8000"), ("30", "#ffffff")]
    body = svg(draw.pixels([[0.0, 2.0], [1.0, 1.0]], alt="Four weights, drawn by depth.", side=10)).body
    assert re.findall(r'fill-opacity="([\d.]+)"', body) == ["0", "1", "0.5"] and "--ak-weight" in body


def test_pixels_by_sign():
    """Without a role a number's sign chooses the fill, its magnitude the depth; large pixels are ruled."""
    body = svg(draw.pixels([[-2.0, 0.0, 1.0]], alt="A negative pixel, an empty one and a positive one.", side=10, role=None)).body
    assert re.findall(r'fill="(#\w+)" fill-opacity="([\d.]+)"', body) == [
        (palette.FILL["negative"], "0.85"), (palette.FILL["positive"], "0.00"), (palette.FILL["positive"], f"{draw.opacity(1, 2):.2f}")]
    assert "<path" not in body
    ruled = svg(draw.pixels(np.ones((2, 3)), alt="Six equal pixels.", side=20)).body
    assert len(re.findall(r"M[\d. ]+v40", ruled)) == 2 and len(re.findall(r"M[\d. ]+h60", ruled)) == 1


def test_squares_take_torch_and_leave_input_alone():
    import torch
    x = torch.tensor([0.5, -0.5], requires_grad=True)
    assert draw.squares(x).html() == draw.squares([0.5, -0.5]).html()
    a = np.array([0.5, -0.5])
    draw.squares(a)
    assert a.tolist() == [0.5, -0.5]


def test_picture_form():
    """Each drawing has its words, on the page and where inline SVG is dropped; text is escaped."""
    html = Picture(Svg("<g/>", 5, 6, alt='A <b> & "c"'), "<", caption="1 < 2").html()
    assert html.count('aria-label="A &lt;b&gt; &amp; &quot;c&quot;"') == 1 and 'role="img"' in html
    assert html.count('alt="A &lt;b&gt; &amp; &quot;c&quot;"') == 1
    assert "1 &lt; 2" in html and ">&lt;</span>" in html
    assert "var(" not in html.split("base64,")[0].split("<img")[1]


def test_plots_are_the_same_twice_and_follow_the_page():
    def draw_it():
        ax = plots.plane([[1, 0], [0, 2], [-1, -1]], ["a", "b", "c"], arrow=[1, 1], arrow_name="u")
        return plots.picture(ax, alt="Three points.").html()
    first = draw_it()
    assert first == draw_it()
    body = first.split("<img")[0]
    # Every colour is a variable of the palette, and the words are text.
    assert not re.findall(r"(?<!, )#[0-9a-f]{6}\b", body), re.findall(r"(?<!, )#[0-9a-f]{6}\b", body)
    assert all(f">{name}<" in body for name in "abcu")


BAD = [
    (lambda: draw.squares(["a"]), TypeError, "real numbers"),
    (lambda: draw.squares(np.zeros((2, 2, 2))), ValueError, r"at most two axes .* got shape \(2, 2, 2\)"),
    (lambda: draw.squares([]), ValueError, "empty axis"),
    (lambda: draw.squares([np.nan]), ValueError, "finite"),
    (lambda: draw.squares([1.0], role="boss"), ValueError, "role must be one of query, .* got 'boss'"),
    (lambda: draw.squares([1.0], column_names=["a", "b"]), ValueError, r"must hold 1 names .* \(1,\), got \['a', 'b'\]"),
    (lambda: draw.squares([[1.0]], row_names=[]), ValueError, r"got \[\]"),
    (lambda: draw.squares([[1.0], [2.0, 3.0]]), ValueError, "different lengths"),
    (lambda: draw.product([[1.0]], [[1.0]], row_names=["a", "b"]), ValueError, r"row_names must hold 1 names for a product"),
    (lambda: draw.product([[1.0, 2.0]], [[1.0]]), ValueError, r"\(n, d\) and \(d, m\), got \(1, 2\) and \(1, 1\)"),
    (lambda: draw.squares([1.0], largest=0), ValueError, "largest must be positive"),
    (lambda: draw.squares([1.0], light_up=(0, 1)), ValueError, r"within 1 rows and 1 columns, got \(0, 1\)"),
    (lambda: Svg("", 1, 1, alt=" "), ValueError, "alt must say"),
    (lambda: Picture(3), TypeError, "made of drawings, pictures and text, got int"),
    (lambda: plots.plane([1, 2], ["a"]), ValueError, r"points must have shape \(n, 2\), got \(2,\)"),
    (lambda: plots.plane([[1, 2]], []), ValueError, r"got 0 names for points \(1, 2\)"),
    (lambda: plots.plane([[1, 2]], ["a"], arrow=[0, 0]), ValueError, "not both zero"),
    (lambda: draw.attention_graph([1.0], [[1.0, 2.0]], [[1.0]], names=["a"]), ValueError, r"\(d_k,\), \(m, d_k\) and \(m, d_v\), got \(1,\)"),
    (lambda: draw.attention_graph([1.0], [[1.0]], [[1.0]], names=[]), ValueError, r"names must hold 1 names .* got \[\]"),
    (lambda: draw.wiring("S", "H", projections=True, compares=False), ValueError, "no projections to draw"),
    (lambda: draw.pixels(np.zeros((2, 2, 4)), alt="a picture"), ValueError, r"\(height, width, 3\) or \(height, width\), got \(2, 2, 4\)"),
    (lambda: draw.pixels([[-1.0]], alt="a picture"), ValueError, "not negative, got -1 to -1"),
    (lambda: draw.pixels([[0.0]], alt="a picture", role="boss"), ValueError, "got 'boss'"),
    (lambda: palette.var("mauve"), ValueError, "no colour is called 'mauve'"),
]


@pytest.mark.parametrize("call, error, words", BAD)
def test_bad_input(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_row_names_say_their_language():
    html = draw.squares([[1.0], [2.0]], row_names=["je", "tu"], column_names=["I"], row_language="fr")._repr_html_()
    assert html.count(' lang="fr"') == 2 and ' lang=' not in draw.squares([[1.0]], row_names=["je"])._repr_html_()
