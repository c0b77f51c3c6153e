"""Palette, squares and plots: legible, described, the same at every run, and strict about what they are given."""

import re

import matplotlib
import numpy as np
import pytest
from conftest import ROOT
from drawn import Drawing

from attnkit import attention
from attnkit.pictures import diagrams, draw, metrics, palette, plots
from attnkit.pictures.formats import fixed
from attnkit.pictures.picture import Picture, Svg


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


@pytest.mark.parametrize("vision", palette.VISION)
def test_simulated_colour_blindness(vision):
    """Greys stay; what differs only in the missing cones comes together, what differs in the others stays apart."""
    assert np.allclose(np.sum(palette.VISION[vision], axis=1), 1, atol=1e-5)
    for grey in ("#000000", "#5a5a5a", "#ffffff"):
        assert palette.simulated(grey, vision) == grey
    pair = {"protanopia": ("#c80000", "#5a5a00"), "deuteranopia": ("#d08000", "#a8a000"), "tritanopia": ("#00a0a0", "#00a078")}[vision]
    assert palette.distance(*(palette.simulated(c, vision) for c in pair)) < 0.5 * palette.distance(*pair)
    assert palette.distance(*(palette.simulated(c, vision) for c in ("#2f8ddd", "#e2702f"))) > 60


def test_distance_of_colours():
    assert palette.distance("#000000", "#ffffff") == pytest.approx(100, abs=0.1)
    assert palette.distance("#123456", "#123456") == 0
    assert palette.distance("#ff0000", "#00ff00") == pytest.approx(170.6, abs=0.3)


def test_mixed_colours():
    assert palette.mixed("#ff0000", "#0000ff", 0.5) == "#800080" and palette.mixed("#123456", "#ffffff", 1) == "#123456"


@pytest.mark.parametrize("bold, weight", [(False, 400), (True, 600)])
def test_words_are_measured_in_the_face_that_shows_them(bold, weight):
    """The widths in metrics.py are the font's own."""
    from fontTools.ttLib import TTFont
    from fontTools.varLib.instancer import instantiateVariableFont
    font = instantiateVariableFont(TTFont(ROOT / "_static/fonts/sans.woff2"), {"wght": weight})
    glyphs = font.getBestCmap()
    wrong = {letter: (width, font["hmtx"][glyphs[ord(letter)]][0]) for letter, width in metrics.WIDTHS[bold].items()
             if font["hmtx"][glyphs[ord(letter)]][0] != width}
    assert not wrong and len(metrics.WIDTHS[bold]) > 110
    assert metrics.text_width("0.55", 20, bold) == pytest.approx(20 * (3 * metrics.WIDTHS[bold]["0"] + metrics.WIDTHS[bold]["."]) / 1000)
    assert metrics.text_width("W^Q", 10, bold) == pytest.approx(metrics.text_width("W", 10, bold) + metrics.text_width("Q", 8, bold), abs=.011)


def test_words_fit_their_squares():
    """Values inside their squares, the names of columns side by side, a wide label inside the drawing."""
    names = ["romance", "i", "comedy and more"]
    picture = draw.squares([[-123.45, 0.5, 1.0]], label="a label wider than its squares", column_names=names, digits=2)
    drawn = Drawing(picture)
    [(_, [cells])] = drawn.blocks()
    for cell, name in zip(cells, names):
        assert metrics.text_width(drawn.written_in(cell)[0]) + 6 <= cell.width and metrics.text_width(name) + 8 <= cell.width + 2
    label = next(word for word in drawn.words if "wider" in word.text)
    half = metrics.text_width(label.text, 18, bold=True) / 2
    assert label.x - half >= 0 and label.x + half <= picture.parts[0].width


def test_words_take_the_same_room_in_any_face():
    """Live, the book's face may be missing: each text says how wide it is to be."""
    body = draw.squares([[0.5, -0.25]], label="W^Q", row_names=["that"], digits=2).parts[0].body
    lengths = dict((re.sub("<.*?>", "", words), float(length)) for length, words in
                   re.findall(r'<text[^>]*textLength="([\d.]+)" lengthAdjust="spacingAndGlyphs"[^>]*>(.*?)</text>', body))
    assert lengths == {"0.50": metrics.text_width("0.50"), "−0.25": metrics.text_width("−0.25"), "that": metrics.text_width("that"),
                       "WQ": metrics.text_width("W^Q", 18, bold=True)}


@pytest.mark.parametrize("words, least", [("that", 11 / 16), ("W^Q", 11 / 12.8)])
def test_pictures_shrink_until_words_are_small(words, least):
    """A drawing gives way on a phone until its smallest word, raised ones included, is 11 pixels high."""
    svg = draw.squares([[0.5] * 12], row_names=[words]).parts[0]
    assert float(re.search(r"min-width:([\d.]+)px", svg.html())[1]) == pytest.approx(least * svg.width, rel=1e-3)


def test_weights_have_one_colour():
    """Whatever their frame says, weights are filled in theirs; a negative number never is."""
    fills = [cell.fill for cell in Drawing(draw.squares([0.7, 0.0, -0.1], role="weight")).cells]
    assert ["weight" in fill for fill in fills] == [True, True, False] and "negative" in fills[2]
    assert not any("weight" in cell.fill for cell in Drawing(draw.squares([0.7, -0.1], role="query")).cells)


def test_style_sheet_repeats_the_palette():
    """The colours that book.mplstyle writes down are those of the palette, role by role."""
    style = matplotlib.rc_params_from_file(ROOT / "attnkit" / "pictures" / "book.mplstyle", use_default_template=False)
    wanted = {"axes.edgecolor": palette.QUIET, "axes.labelcolor": palette.INK, "grid.color": palette.GRID,
              "text.color": palette.INK, "xtick.color": palette.QUIET, "ytick.color": palette.QUIET,
              "xtick.labelcolor": palette.INK, "ytick.labelcolor": palette.INK}
    for key, shades in wanted.items():
        assert "#" + style[key].lstrip("#") == shades.light, key
    roles = [palette.ROLES[r].light for r in ("query", "value", "key", "weight")]
    assert ["#" + c.lstrip("#") for c in style["axes.prop_cycle"].by_key()["color"]] == roles


def test_css_uses_only_colours_of_the_palette():
    """No colour is written down outside the palette: no digits, no functions, no names."""
    used = set()
    for path in [*(ROOT / "attnkit/figures").glob("*.css"), ROOT / "_static/book.css"]:
        text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
        for property_, value in re.findall(r"(?:^|[;{])\s*([\w-]+)\s*:\s*([^;{}]+)", text):
            assert not re.search(r"#[0-9a-fA-F]{3,8}\b|\b(?:rgb|hsl|hwb|lab|lch|oklab|oklch)a?\(", value), (path.name, property_, value)
            if property_ in ("color", "background-color", "border-color", "fill", "stroke", "outline-color", "accent-color"):
                plain = r"(var\(--[\w-]+\)|color-mix\(.*\)|none|inherit|transparent|currentColor|[0-9.]+|!important|\s)*"
                assert re.fullmatch(plain, value, flags=re.I), (path.name, property_, value)
        used |= set(re.findall(r"var\((--ak-[\w-]+)", text))
    for path in (ROOT / "attnkit/figures").glob("*.js"):
        text = re.sub(r"//.*", "", path.read_text())
        assert not re.search(r"[\"'`: ]#[0-9a-fA-F]{3,8}\b|\b(?:rgb|hsl)a?\(", text), path.name
        used |= set(re.findall(r"var\((--ak-[\w-]+)", text))
    faces = {"--ak-serif", "--ak-sans", "--ak-mono"}      # made by _ext/book_fonts.py
    assert "--ak-query" in used and used - {"--ak-fill-"} - faces <= set(palette.variables())


@pytest.mark.parametrize("values", [True, False])
def test_squares_count_depth_sign(values):
    x = np.array([[0.5, -1.0, 0.0], [2.0, -0.25, 1.0]])
    drawn = Drawing(draw.squares(x, values=values))
    [(_, rows)] = drawn.blocks()
    assert [len(row) for row in rows] == [3, 3] and len(drawn.cells) == 6
    marks = {0.5: "+", -1.0: "−", 0.0: "", 2.0: "+", -0.25: "−", 1.0: "+"}
    for cells, numbers in zip(rows, x):
        for cell, value in zip(cells, numbers):
            assert ("negative" in cell.fill) == (value < 0)
            assert cell.opacity == pytest.approx(abs(value) / 2 * palette.DEPTH, abs=1e-3)
            assert "".join(drawn.written_in(cell)) == (fixed(value, 1) if values else marks[value])


def test_names_stand_at_their_rows_and_columns():
    x = np.arange(6.0).reshape(2, 3)
    drawn = Drawing(draw.squares(x, label="X", role="key", row_names=["first", "second"], column_names=["p", "q", "r"], shape=True))
    [(frame, rows)] = drawn.blocks()
    assert [drawn.row_name(row)[-1] for row in rows] == ["first", "second"]
    assert [drawn.column_name(cell)[-1] for cell in rows[0]] == ["p", "q", "r"]
    label = next(word for word in drawn.words if word.text == "X")
    assert "--ak-key" in label.fill and "--ak-key" in frame.stroke and label.y < rows[0][0].y
    assert next(word for word in drawn.words if word.text == "(2, 3)").y > rows[1][0].y


@pytest.mark.parametrize("where", [(0, 1), (1, None), (None, 2), (None, None)])
def test_highlight_frames_just_what_it_names(where):
    drawn = Drawing(draw.squares(np.ones((2, 3)), highlight=where))
    [(_, rows)] = drawn.blocks()
    named = {rows[i][j] for i in range(2) for j in range(3) if where[0] in (None, i) and where[1] in (None, j)}
    assert drawn.lit() == named


def test_product_stands_where_rows_meet_columns():
    a, b = np.array([[1.0, -2.0], [0.5, 3.0], [0.0, 1.0]]), np.array([[2.0, 1.0, -1.0, 0.0], [0.5, 4.0, 1.0, 2.0]])
    drawn = Drawing(draw.product(a, b, labels=("A", "B", "AB"), roles=("query", "key", "weight"), row_names=list("xyz"),
                                 inner_names=["p", "q"], column_names=list("klmn"), highlight=(1, 2)))
    (left, rows_a), (above, rows_b), (meet, rows_c) = drawn.blocks()
    for rows, numbers, digits in ((rows_a, a, 1), (rows_b, b, 1), (rows_c, a @ b, 2)):
        assert [[drawn.written_in(c)[0] for c in row] for row in rows] == [[fixed(v, digits) for v in row] for row in numbers]
    # Level with its row, under its column.
    assert [row[0].y for row in rows_c] == [row[0].y for row in rows_a] and [c.x for c in rows_c[0]] == [c.x for c in rows_b[0]]
    assert above.y < meet.y and left.x < meet.x
    assert drawn.lit() == {*rows_a[1], *(row[2] for row in rows_b), rows_c[1][2]}
    assert [drawn.row_name(row)[-1] for row in rows_b] == ["p", "q"] and [drawn.row_name(row)[0] for row in rows_c] == list("xyz")
    assert [drawn.column_name(cell)[-1] for cell in rows_b[0]] == list("klmn")


def test_squares_words():
    x = np.array([[0.5, -1.0], [2.0, 0.0]])
    words = draw.squares(x, label="X", role="key", row_names=["a", "b"], column_names=["p", "q"]).alt
    assert words == "Matrix X (key), 2 by 2 with columns p, q. a: 0.5, −1.0; b: 2.0, 0.0."
    assert draw.squares(3.0, label="s").alt == "Scalar s: 3.0."
    assert draw.squares([1.0], standing=True).alt == "Vector, standing, 1 number: 1.0."


def test_attention_graph_shows_what_attention_computes():
    rng = np.random.default_rng(0)
    q, k, v = rng.normal(size=3), rng.normal(size=(5, 3)), rng.normal(size=(5, 2))
    picture = diagrams.attention_graph(q, k, v, key_names=list("abcde"), query_name="me", scale=0.5)
    output, weights = attention(q[None], k, v, scale=0.5)
    weights, output = weights[0], output[0]

    def rows(part):
        """The rows of a drawing: a name, then its numbers from left to right."""
        drawn = Drawing(picture, part)
        frames = sorted(drawn.blocks(), key=lambda block: (round(block[0].y), block[0].x))
        found = {}
        for frame, [cells] in frames:
            found.setdefault(round(frame.y), []).append((drawn.row_name(cells), [drawn.written_in(c)[0] for c in cells]))
        return [(blocks[0][0][:1], [number for _, numbers in blocks for number in numbers]) for _, blocks in sorted(found.items())]

    asked, *keys = rows(0)
    assert asked[1] == [fixed(x, 1) for x in q] and "me asks with its query" in [w.text for w in Drawing(picture).words]
    assert keys == [([name], [*(fixed(x, 1) for x in key), fixed(score), fixed(weight)])
                    for name, key, score, weight in zip("abcde", k, 0.5 * k @ q, weights)]
    *values, summed = rows(1)
    assert values == [([name], [fixed(weight), *(fixed(x, 1) for x in value)]) for name, weight, value in zip("abcde", weights, v)]
    assert summed == (["output"], [fixed(y) for y in output])
    assert all(f"weight {fixed(w)}" in picture.alt for w in weights) and fixed(output[1]) in picture.alt


@pytest.mark.parametrize("asks, asked, options", [
    ("S", "H", {}), ("S", "H", {"projections": True}), ("X", "X", {}), ("S", "H", {"compares": False})])
def test_wiring_leads_from_rows_to_roles(asks, asked, options):
    """Where each line begins: at the rows that make the role; and what stands on its way."""
    drawn = Drawing(diagrams.wiring(asks, asked, label="a title", **options))
    words = [word.text for word in drawn.words]
    compares = options.get("compares", True)
    roles = ["query", "key", "value"] if compares else ["query", "value"]
    assert [word for word in words if word in ("query", "key", "value")] == roles and words[0] == "a title"
    assert ("FC" in words) == (not compares) and len([w for w in words if w[0] == "W"]) == (3 if options.get("projections") else 0)
    holders = {text: [box for box in drawn.boxes if text in drawn.written_in(box)] for text in {asks, asked}}
    assert all(len(boxes) == 1 for boxes in holders.values())
    for role in roles:
        x = next(word.x for word in drawn.words if word.text == role)
        rows = holders[asks if role == "query" else asked][0]
        # A role is written beside its line.
        [begins] = [line.points[0] for line in drawn.lines if abs(line.points[0][0] - x) < 12 and line.points[0][1] < rows.y + rows.height + 1]
        assert rows.x <= begins[0] <= rows.x + rows.width and begins[1] == pytest.approx(rows.y + rows.height)
    # Query and key meet in one place, and the value comes to the line that leads from there to the output.
    ends = {role: next(line.points[-1] for line in drawn.lines if abs(line.points[0][0] - next(w.x for w in drawn.words if w.text == role)) < 12
                       and line.points[0][1] < rows.y + rows.height + 1) for role in roles}
    meeting = ends["query"]
    assert not compares or ends["key"] == pytest.approx(meeting)
    [main] = [line for line in drawn.lines if line.points[0] == pytest.approx(meeting)]
    assert ends["value"][0] == pytest.approx(meeting[0]) and main.points[0][1] < ends["value"][1] < main.points[-1][1]
    output = next(word for word in drawn.words if word.text == "output")
    assert output.x == pytest.approx(meeting[0]) and main.points[-1][1] < output.y
    words = diagrams.wiring(asks, asked, **options).alt
    assert ("each times a matrix of its own" in words) == bool(options.get("projections"))
    assert ("from the queries alone" in words) == (not compares)


def colours(picture, height, width, side):
    """The fill of each pixel and its depth, wherever its boxes begin and end."""
    drawn = Drawing(picture)
    return [[drawn.colour_at((j + .5) * side, (i + .5) * side) for j in range(width)] for i in range(height)]


def test_pixels_have_their_colours():
    made = np.array([[[0, 0, 0], [0, 0, 0], [1, 0.5, 0]], [[1, 1, 1]] * 3])
    found = colours(draw.pixels(made, alt="Six pixels, three of them white.", side=10), 2, 3, 10)
    assert [[box.fill for box in row] for row in found] == [["#000000", "#000000", "#ff8000"], ["#ffffff"] * 3]
    found = colours(draw.pixels([[0.0, 2.0], [1.0, 1.0]], alt="Four weights, drawn by depth.", side=10), 2, 2, 10)
    assert [[box.opacity for box in row] for row in found] == [[0, palette.DEPTH], [palette.DEPTH / 2] * 2]
    assert all("--ak-fill-weight" in box.fill for row in found for box in row)


def test_pixels_by_sign():
    """Without a role a number's sign chooses the fill, its magnitude the depth; large pixels are ruled."""
    [found] = colours(draw.pixels([[-2.0, 0.0, 1.0]], alt="A negative pixel, an empty one and a positive one.", side=10, role=None), 1, 3, 10)
    signs = ("negative", "positive", "positive")
    assert [box.fill for box in found] == [palette.var(f"fill-{sign}") for sign in signs]
    assert [box.opacity for box in found] == pytest.approx([palette.DEPTH, 0, draw.opacity(1, 2)], abs=.006)
    for side, ruled in ((10, False), (20, True)):
        assert bool(Drawing(draw.pixels(np.ones((2, 3)), alt="Six equal pixels.", side=side)).lines) == ruled


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


POINTS, NAMES, ARROW = [[1, 0], [0, 2], [-1, -1]], ["a", "b", "c"], [1.0, 0.5]


def ticks(drawn, axis):
    """What a plot's axis says: from its written numbers, pixels to data."""
    numbers = [(word, float(word.text.replace("−", "-"))) for word in drawn.words if re.fullmatch(r"[−-]?\d+(\.\d+)?", word.text)]
    level = max(word.y for word, _ in numbers)          # the numbers of the x axis stand on the lowest line
    held = [((word.x if axis == 0 else word.y), value) for word, value in numbers if (abs(word.y - level) < 1) == (axis == 0)]
    return np.poly1d(np.polyfit(*zip(*held), 1))


def test_feet_of_perpendiculars_show_the_ranking():
    """Each point's dashed line meets the arrow's line at a right angle, and its foot is as far out as the dot product says."""
    drawn = Drawing(plots.picture(plots.plane(POINTS, NAMES, arrow=ARROW, arrow_name="u", axis_names=("east", "north")), alt="Three points."))
    to_x, to_y = ticks(drawn, 0), ticks(drawn, 1)
    offset = to_y(0) - to_y(0)                                 # a number is written a little below its tick
    points = [np.array(mark) for mark, fill in drawn.marks if "--ak-key" in fill]
    assert len(points) == 3
    scale = to_x.c[0]                                          # data in a pixel, the same both ways
    assert to_y.c[0] == pytest.approx(-scale, rel=1e-3) and offset == 0
    origin = points[0] - np.array([1, 0]) / scale * [1, -1]
    where = [(p - origin) * [scale, -scale] for p in points]
    assert np.allclose(where, POINTS, atol=1e-3)
    dashes = [line.points for line in drawn.lines if line.dashed]
    assert len(dashes) == 3
    for point, data in zip(points, np.array(POINTS, float)):
        foot = next(np.array(b) for a, b in dashes if np.allclose(a, point, atol=.5))
        foot = (foot - origin) * [scale, -scale]
        assert abs((foot - data) @ ARROW) < 1e-2, "a right angle"
        assert foot @ ARROW == pytest.approx(data @ ARROW, abs=1e-2) and abs(foot[0] * ARROW[1] - foot[1] * ARROW[0]) < 1e-2
    for name, point in zip(NAMES, points):
        word = next(word for word in drawn.words if word.text == name)
        assert abs(word.x - point[0]) < 2 and abs(word.y - point[1]) < 40, "each name at its point"
    written = [word.text for word in drawn.words]
    assert {"east", "north", "u"} <= set(written)


def test_plots_are_the_same_twice_and_follow_the_page():
    def draw_it():
        return plots.picture(plots.plane(POINTS, NAMES, arrow=ARROW, arrow_name="u"), alt="Three points.").html()
    first = draw_it()
    assert first == draw_it()
    body = first.split("<img")[0]
    # Every colour is a variable of the palette, and the words are text.
    assert "var(--ak-" in body and not re.findall(r"(?<!, )#[0-9a-f]{6}\b", body)
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
    (lambda: draw.squares([1.0], vmax=0), ValueError, "vmax must be positive"),
    (lambda: draw.squares([1.0], highlight=(0, 1)), ValueError, r"within 1 rows and 1 columns, got \(0, 1\)"),
    (lambda: Svg("", 1, 1, alt=" "), ValueError, "alt must say"),
    (lambda: Picture(3), TypeError, "made of drawings, pictures and text, got int"),
    (lambda: plots.plane([1, 2], ["a"]), ValueError, r"points must have shape \(n, 2\), got \(2,\)"),
    (lambda: plots.plane([[1, 2]], []), ValueError, r"got 0 names for points \(1, 2\)"),
    (lambda: plots.plane([[1, 2]], ["a"], arrow=[0, 0]), ValueError, "not both zero"),
    (lambda: diagrams.attention_graph([1.0], [[1.0, 2.0]], [[1.0]], key_names=["a"]), ValueError, r"\(d_k,\), \(m, d_k\) and \(m, d_v\), got \(1,\)"),
    (lambda: diagrams.attention_graph([1.0], [[1.0]], [[1.0]], key_names=[]), ValueError, r"key_names must hold 1 names .* got \[\]"),
    (lambda: diagrams.wiring("S", "H", projections=True, compares=False), ValueError, "no projections to draw"),
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
