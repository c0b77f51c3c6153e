"""Palette, squares and plots: legible, described, the same at every run, and strict about what they are given."""

import base64
import io
import re
from html import unescape

import matplotlib
import numpy as np
import pytest
from conftest import ROOT
from drawn import Drawing, corners

from attnkit import (
    attention,
    convolution_as_attention,
    dense_as_attention,
    fast_weight_attention,
    multi_head_attention,
    rotary,
    softmax,
)
from attnkit.figures import HeadStepper, SwappedWords, base
from attnkit.pictures import (
    charts,
    diagrams,
    draw,
    equivalence,
    graphs,
    images,
    memory,
    metrics,
    palette,
    plots,
    recurrent,
)
from attnkit.pictures.formats import fixed, in_bytes, in_time, plain
from attnkit.pictures.picture import PHONE, Picture, Svg


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


def test_dot_product_multiplies_entry_by_entry_and_adds():
    rng = np.random.default_rng(0)
    u, v = rng.normal(size=4), rng.normal(size=4)
    entries = ["action", "romance", "comedy", "age"]
    picture = diagrams.dot_product(u, v, names=["Mia", "Quiet Harbour"], entry_names=entries)
    drawn = Drawing(picture)
    (left, [us]), (right, [vs]), (_, [products]), (_, [total]) = drawn.blocks()
    for cells, name, numbers, digits in ((us, "Mia", u, 1), (vs, "Quiet Harbour", v, 1), (products, "products", u * v, 2)):
        assert [drawn.written_in(c) for c in cells] == [[fixed(x, digits)] for x in numbers]
        assert drawn.row_name(cells) == [name] and [c.x for c in cells] == [c.x for c in us]
    assert us[0].y < vs[0].y < products[0].y
    assert len(total) == 1 and drawn.written_in(total[0]) == [fixed(u @ v)]
    assert total[0].y == products[0].y and total[0].x > products[-1].x, "the sum ends the row of the products"
    assert [drawn.column_name(cell)[0] for cell in us] == entries and drawn.column_name(total[0])[-1] == "score"
    assert "--ak-query" in left.stroke and "--ak-key" in right.stroke
    assert {w.text: w.fill for w in drawn.words if w.text in ("Mia", "Quiet Harbour")} == {
        "Mia": palette.var("query"), "Quiet Harbour": palette.var("key")}
    for cells, sign in ((us, "×"), (vs, "=")):           # between a row and the next, at every entry
        below = [w for w in drawn.words if w.text == sign and cells[0].y + cells[0].height < w.y < cells[0].y + 2 * cells[0].height]
        assert [w.x for w in below] == pytest.approx([c.centre[0] for c in cells])
    assert "+" in [w.text for w in drawn.words]
    told = ", ".join(f"{name} {fixed(x)}" for name, x in zip(entries, u * v))
    assert picture.alt.startswith("Vector Mia, 4 numbers: action ") and "Vector Quiet Harbour, 4 numbers" in picture.alt
    assert picture.alt.endswith(f" The products: {told}. Sum: {fixed(u @ v)}.")


def panels(drawn):
    """The names of the stages that a panel holds, and the panels."""
    found = [box for box in drawn.boxes if "--ak-ground" in box.fill]
    return [[word for word in drawn.written_in(box) if word in diagrams.STAGES] for box in found], found


@pytest.mark.parametrize("d", [3, 4])
def test_pipeline_shows_what_attention_computes(d):
    rng = np.random.default_rng(0)
    q, k, v = rng.normal(size=d), rng.normal(size=(5, d)), rng.normal(size=(5, 3))
    picture = diagrams.pipeline(q, k, v, key_names=list("abcde"))
    drawn = Drawing(picture)
    output, weights = attention(q[None], k, v)
    *columns, (frame, values), (_, summed) = drawn.blocks()
    assert len(columns) == 3 and [frame.x for frame, _ in columns] == sorted(frame.x for frame, _ in columns)
    for (_, rows), name, numbers in zip(columns, diagrams.STAGES, (k @ q, k @ q / np.sqrt(d), weights[0])):
        assert [drawn.written_in(c) for [c] in rows] == [[fixed(x)] for x in numbers]
        assert drawn.column_name(rows[0][0])[0] == name
        assert [[row[0].y] for row in rows] == [[row[0].y] for row in values]
    assert [drawn.row_name(row)[0] for row in columns[0][1]] == list("abcde")
    assert "--ak-weight" in columns[2][0].stroke and all("weight" in c.fill for [c] in columns[2][1])
    assert f"÷ √{d}" == drawn.column_name(columns[1][1][0][0])[1]
    assert [[drawn.written_in(c)[0] for c in row] for row in values] == [[fixed(x, 1) for x in row] for row in v]
    assert "--ak-value" in frame.stroke and frame.x > columns[2][0].x
    assert [[drawn.written_in(c)[0] for c in row] for row in summed] == [[fixed(x) for x in output[0]]]
    assert [c.x for c in summed[0]] == [c.x for c in values[0]] and summed[0][0].y > values[-1][0].y
    assert drawn.row_name(summed[0]) == ["weighted average ="]
    for head, numbers in (("Score, query times key", k @ q), ("Softmax, the weights", weights[0])):
        assert f"{head}: {', '.join(f'{n} {fixed(x)}' for n, x in zip('abcde', numbers))}." in picture.alt
    assert picture.alt.startswith("Four stages. ")
    assert picture.alt.endswith(f"values: ({', '.join(fixed(x) for x in output[0])}).")


@pytest.mark.parametrize("lit", [None, (), "score", "scale", "softmax", "blend", ("scale", "softmax"), ("score", "blend")])
def test_pipeline_lights_just_the_stages_it_names(lit):
    picture = diagrams.pipeline([1.0, 2.0], np.eye(2), np.ones((2, 3)), key_names=["a", "b"], lit=lit)
    drawn, stages = Drawing(picture), [lit] if isinstance(lit, str) else list(lit or [])
    names, boxes = panels(drawn)
    assert names == [[stage] for stage in stages]
    fills = {word.text: word.fill for word in drawn.words if word.text in diagrams.STAGES}
    assert fills == {name: palette.var("ink" if name in stages or not stages else "quiet") for name in diagrams.STAGES}
    *blocks, (_, summed) = drawn.blocks()
    columns = {name: rows for name, (_, rows) in zip(diagrams.STAGES, blocks, strict=True)}
    columns["blend"] = columns["blend"] + summed
    for stage, box in zip(stages, boxes):
        assert all(box.holds(*cell.centre) for row in columns[stage] for cell in row)
        others = [c for name, rows in columns.items() if name != stage for row in rows for c in row]
        assert not any(box.holds(*cell.centre) for cell in others)
    assert picture.alt.startswith(f"Four stages, {' and '.join(stages)} lit. " if stages else "Four stages. ")


@pytest.mark.parametrize("width", [1, 2, 3])
def test_words_of_the_last_stage_have_room_above_narrow_values(width):
    picture = diagrams.pipeline([1.0], [[1.0], [2.0]], np.ones((2, width)), key_names=["a", "b"])
    drawn = Drawing(picture)
    words = next(word for word in drawn.words if word.text == "weights × values")
    half = metrics.text_width(words.text) / 2
    weights = next(word for word in drawn.words if word.text == "weights")
    assert words.x + half <= picture.parts[0].width and weights.x + metrics.text_width("weights") / 2 < words.x - half


def stands(drawn):
    """The charts of a picture of bars, row by row: the line of each, and its bars from left to right."""
    rows = {}
    for line in drawn.lines:
        (x, y), (right, level) = line.points
        assert y == level
        held = [box for box in drawn.cells if x <= box.centre[0] <= right
                and min(abs(box.y - y), abs(box.y + box.height - y)) < .01]
        rows.setdefault(round(y, 2), []).append(((x, y, right), sorted(held, key=lambda box: box.x)))
    return [sorted(row) for _, row in sorted(rows.items())]


def heights(line, cells):
    """How far each bar stands above its line, or, negative, hangs below it."""
    return [cell.height if cell.y + cell.height <= line[1] + .01 else -cell.height for cell in cells]


def number_at(drawn, cell, value):
    """The words at the end of a bar: above one that stands, below one that hangs."""
    end = (cell.y + cell.height, cell.y + cell.height + 18) if value < 0 else (cell.y - 10, cell.y)
    return [w.text for w in drawn.words if abs(w.x - cell.centre[0]) < 1 and end[0] < w.y < end[1]]


SIGNED = np.array([[0.5, -1.25, 2.0, 0.0], [30.0, 10.0, 20.0, 1.0], [-0.1, -0.3, -0.2, -0.4]])


@pytest.mark.parametrize("vmax", [None, 40.0])
def test_bars_are_as_tall_as_their_numbers(vmax):
    """One scale for a row, or one for all; negative bars hang from the line on which the others stand."""
    drawn = Drawing(charts.bars(SIGNED, row_names=["one", "two", "three"], bar_names=list("abcd"), digits=[2, 0, 1], vmax=vmax))
    rows = stands(drawn)
    assert [len(row) for row in rows] == [1, 1, 1] and len(drawn.cells) == SIGNED.size
    units = []
    for [(line, cells)], numbers in zip(rows, SIGNED):
        units.append(charts.TALL / (vmax or np.abs(numbers).max()))
        assert heights(line, cells) == pytest.approx(numbers * units[-1], abs=.051)
        assert [("negative" in c.fill, "positive" in c.fill) for c in cells] == [(x < 0, x >= 0) for x in numbers]
        assert np.ptp([c.width for c in cells]) == 0 and np.ptp(np.diff([c.x for c in cells])) < .01
    assert len(set(units)) == (1 if vmax else 3)


def test_bars_have_numbers_and_names():
    """Each number at the end of its bar, each name below its bars, each row's name level with them."""
    names = ["Thunder Run", "b", "c", "d"]
    picture = charts.bars(SIGNED, row_names=["one", "two", "three"], bar_names=names, digits=[2, 0, 1])
    drawn, lowest = Drawing(picture), 0
    for [(line, cells)], numbers, digits, name in zip(stands(drawn), SIGNED, (2, 0, 1), ("one", "two", "three")):
        assert [number_at(drawn, c, x) for c, x in zip(cells, numbers)] == [[fixed(x, digits)] for x in numbers]
        word = next(word for word in drawn.words if word.text == name)
        top, bottom = min(c.y for c in cells), max(c.y + c.height for c in cells)
        assert top < word.y - 5 < bottom and word.x < line[0], "the middle of the name between top and bottom"
        assert top > lowest
        lowest = bottom
        for cell, below in zip(cells, names):
            assert [w.text for w in drawn.words if abs(w.x - cell.centre[0]) < 1][-1] == below
            assert metrics.text_width(below) < cells[1].x - cells[0].x
    assert all(word.y > lowest for word in drawn.words if word.text in names)
    assert picture.alt == ("Bars. one: Thunder Run 0.50, b −1.25, c 2.00, d 0.00. two: Thunder Run 30, b 10, c 20, d 1. "
                           "three: Thunder Run −0.1, b −0.3, c −0.2, d −0.4.")


def test_bars_without_names_write_the_largest_number_alone():
    x = np.array([[0.1, 0.6, 0.3] * 6, [0.2, 0.1, -0.4] * 5 + [0.1, 0.1, 0.9]])
    picture = charts.bars(x, row_names=["one", "two"])
    drawn = Drawing(picture)
    written = [word for word in drawn.words if word.text not in ("one", "two")]
    assert [word.text for word in written] == ["0.60", "0.90"]
    for [((left, _, right), cells)], word, row in zip(stands(drawn), written, x):
        largest = cells[int(np.argmax(row))]
        assert abs(word.x - largest.centre[0]) <= largest.width and largest.y - 10 < word.y < largest.y
        # Wider than its bar, it stays within its chart, even at the last bar, and so within the drawing.
        wide = metrics.text_width(word.text)
        begins = word.x - {"start": 0, "middle": wide / 2, "end": wide}[word.anchor]
        assert left <= begins and begins + wide <= right + .01 <= picture.parts[0].width
    assert picture.alt == "Bars. one: 18 bars from 0.60 down to 0.10. two: 18 bars from 0.90 down to −0.40."


@pytest.mark.parametrize("bar_names", [None, list("abc")])
def test_charts_stand_side_by_side_under_their_names(bar_names):
    x = np.array([[[0.5, 0.25, 0.25], [1.0, -0.5, 0.0]], [[3.0, 2.0, 1.0], [4.0, 1.0, 0.5]]])
    columns = ["as they are", "divided by the width"]
    picture = charts.bars(x, row_names=["one", "two"], column_names=columns, bar_names=bar_names)
    drawn = Drawing(picture)
    rows = stands(drawn)
    assert [len(row) for row in rows] == [2, 2], "the charts of a row share a line"
    for row, numbers in zip(rows, x):
        unit = charts.TALL / np.abs(numbers).max()
        for (line, cells), chart in zip(row, numbers):
            assert heights(line, cells) == pytest.approx(chart * unit, abs=.051), "one scale for the charts of a row"
        assert [(line[0], line[2]) for line, _ in row] == [(line[0], line[2]) for line, _ in rows[0]]
    heads = [next(word for word in drawn.words if word.text == name) for name in columns]
    assert [word.x for word in heads] == pytest.approx([(x + right) / 2 for (x, _, right), _ in rows[0]])
    assert all(word.y < min(cell.y for cell in drawn.cells) for word in heads)
    (left, half), (right, other) = [(word.x, metrics.text_width(word.text, bold=True) / 2) for word in heads]
    assert left + half + 8 < right - other and right + other <= picture.parts[0].width
    below = [(w.text, w.x) for w in drawn.words if bar_names and w.text in bar_names]
    assert below == [(name, cell.centre[0]) for _, cells in rows[-1] for name, cell in zip(bar_names or [], cells)]
    first = "a 0.50, b 0.25, c 0.25" if bar_names else "3 bars from 0.50 down to 0.25"
    assert picture.alt.startswith(f"Bars. one, as they are: {first}. one, divided by the width: ")
    assert picture.alt.count("two, ") == 2


def test_bars_of_weights_have_their_colour():
    drawn = Drawing(charts.bars([[0.25, 0.75], [1.0, -1.0]], row_names=["weights", "scores"], roles=["weight", None]))
    assert [c.fill for [(_, cells)] in stands(drawn) for c in cells] == [
        palette.var(f"fill-{kind}") for kind in ("weight", "weight", "positive", "negative")]


def test_bars_of_zeros_have_a_line():
    [[(line, cells)]] = stands(Drawing(charts.bars(np.zeros((1, 4)), row_names=["none"], bar_names=list("abcd"))))
    assert heights(line, cells) == [0] * 4


# ---- lines with both axes logarithmic

LENGTHS = [128, 256, 512, 1024, 2048, 4096, 8192, 16384]
TIMES = {"x": LENGTHS, "x_name": "words", "y_name": "time of one head", "write": in_time, "dashed": ["estimate"], "crossings": [("whole", "window")],
         "lines": {"whole": [.11, .33, 1.0, 3.4, 13.4, 54, 216, 880], "in blocks": [.14, .5, 2.1, 4.2, 13.1, 50, 193, 800],
                   "window": [.2, .45, .9, 2.0, 4.1, 8.2, 17, 34], "torch kernel": [.04, .14, .53, 1.8, 6.6, 27, 110, None],
                   "estimate": [3.3e-6 * n * n for n in LENGTHS]}}


def charted(picture):
    """The lines of a chart by the colour that their names have, and the names."""
    drawn = Drawing(picture)
    return drawn, {word.text: next(line for line in drawn.lines if line.stroke == word.fill and len(line.points) > 2)
                   for word in drawn.words if any(line.stroke == word.fill for line in drawn.lines) and "quiet" not in word.fill}


@pytest.mark.parametrize("seed", range(8))
def test_lines_stand_on_one_logarithmic_scale(seed):
    """Any powers of x, any units: each is a straight line, all by one scale, on which the written marks stand, too."""
    rng = np.random.default_rng(seed)
    x = np.sort(rng.choice(2.0 ** np.arange(5, 20), 7, replace=False))
    lines = {f"line {k}": 10 ** rng.uniform(-1, 4) * x ** rng.uniform(0, 2.5) for k in range(int(rng.integers(1, 7)))}
    drawn, found = charted(charts.loglog_lines(x, lines, x_name="n", y_name="bytes", write="{:.4g}".format))
    assert set(found) == set(lines)
    points = {name: np.array(line.points) for name, line in found.items()}
    flat, upright = np.vstack(list(points.values())).T
    numbers = np.concatenate([lines[name] for name in points])
    across, up = np.polyfit(np.log(np.tile(x, len(points))), flat, 1), np.polyfit(np.log(numbers), upright, 1)
    assert across[0] > 0 > up[0], "more is further right, and higher"
    assert np.allclose(np.polyval(across, np.log(np.tile(x, len(points)))), flat, atol=0.11)
    assert np.allclose(np.polyval(up, np.log(numbers)), upright, atol=0.11)
    marks = [word for word in drawn.words if word.anchor == "end"]
    assert len(marks) > 1 and all(word.y - 5 == pytest.approx(np.polyval(up, np.log(float(word.text))), abs=0.2) for word in marks)
    under = [word for word in drawn.words if word.anchor == "middle" and "quiet" in word.fill]
    assert all(word.x == pytest.approx(np.polyval(across, np.log(float(word.text.replace(",", "")))), abs=0.2) for word in under) and len(under) > 2
    assert not drawn.crowded()
    # The names come in the order of the lines' ends.
    words = sorted((word for word in drawn.words if word.text in points), key=lambda word: word.y)
    ends = [points[word.text][-1][1] for word in words]
    assert ends == sorted(ends) and all(b.y - a.y >= charts.BETWEEN - .01 for a, b in zip(words, words[1:]))


def test_a_chart_marks_crossings_and_what_was_not_measured():
    picture = charts.loglog_lines(**TIMES)
    drawn, found = charted(picture)
    assert {name: len(line.points) for name, line in found.items()} == {name: 8 - (name == "torch kernel") for name in TIMES["lines"]}
    assert found["estimate"].dashed and not found["whole"].dashed
    place = charts.crossing(np.array(LENGTHS, dtype=float), *(np.array(TIMES["lines"][name]) for name in ("whole", "window")))
    [ring] = [c for c in drawn.circles if not any(np.allclose(c, p) for line in found.values() for p in line.points)]
    whole = np.array(found["whole"].points)
    assert ring == pytest.approx((np.interp(np.log(place[0]), np.log(LENGTHS), whole[:, 0]),
                                  np.interp(np.log(place[0]), np.log(LENGTHS), whole[:, 1])), abs=0.2)
    assert 256 < place[0] < 512 and "about 430" in [word.text for word in drawn.words]
    assert picture.alt.endswith("whole and window cross near 430.") and "torch kernel: 0.04 ms at 128, 110 ms at 8,192." in picture.alt
    assert len(drawn.circles) == 4 * 8 - 1 + 1, "a dot for each measured number, and the ring"


def test_lines_cross_where_powers_are_equal():
    x = np.array([1.0, 3.0, 50.0, 4000.0])
    assert charts.crossing(x, 2 * x**2, 20 * x) == pytest.approx((10, 200))
    assert charts.crossing(x, x, 2 * x) is None
    assert charts.crossing(x, np.where(x == 3, np.nan, 2 * x**2), 20 * x) == pytest.approx((10, 200))
    assert charts.crossing(x, x, x) is None


def test_marks_of_a_narrow_scale():
    drawn = Drawing(charts.loglog_lines([1, 2, 4], {"a": [3.0, 4.0, 6.0]}, x_name="n", y_name="s"))
    assert [word.text for word in drawn.words if word.anchor == "end"] == ["3", "4", "5", "6", "7"]
    assert "1 MB" in [w.text for w in Drawing(charts.loglog_lines([1, 2], {"a": [1e5, 1e7]}, x_name="n", y_name="m", write=in_bytes)).words]


# ---- attention that holds less at a time

FIELD = (np.random.default_rng(3).normal(size=(4, 6)).round(1), [[1, 0], [0, 2], [1, 1], [-1, 0], [.5, .5], [2, 0]])
WRITES = ([[1, 0], [.6, .8]], [[2, -1], [1, 3]])


@pytest.mark.parametrize("size, lit", [(2, (0, 0)), (2, (0, 1)), (2, (1, 2)), (3, (0, 1)), (3, (1, 0)), (4, (0, 1)), (6, (0, 0))])
def test_one_block_of_scores_is_there(size, lit):
    scores, values = FIELD[0], np.array(FIELD[1])
    picture = memory.online_softmax(scores, values, block_size=size, lit=lit)
    drawn = Drawing(picture)
    rows, columns = (slice(k * size, min((k + 1) * size, n)) for k, n in zip(lit, scores.shape))
    blocks = [rows_ for _, rows_ in drawn.blocks() if rows_]
    there, largest, total, blend = sorted(blocks, key=lambda b: b[0][0].x)[-4:]
    assert said(drawn, there) == written(scores[rows, columns])
    kept = [np.array([[float(v.replace("−", "-")) for v in row] for row in said(drawn, part)]) for part in (largest, total, blend)]
    # What is kept is enough: the weights of the keys so far, and their blend.
    seen = scores[rows, :columns.stop]
    assert np.allclose(kept[0][:, 0], seen.max(axis=1)) and np.allclose(kept[1], np.exp(seen - seen.max(axis=1, keepdims=True)).sum(axis=1, keepdims=True), atol=.006)
    assert np.allclose(kept[2] / kept[1], softmax(seen) @ values[:columns.stop], atol=.02)
    assert all(abs(a[0].y - b[0].y) < 1 for part in (largest, total, blend) for a, b in zip(part, there)), "beside their queries"
    words = [word.text for word in drawn.words]
    last = columns.stop == scores.shape[1]
    assert ("last block:" in words) == last and ("next block:" in words) == (not last)
    assert words.count("done") == lit[0] * -(-6 // size) + lit[1] and not drawn.crowded()
    assert all(fixed(v, 2) in picture.alt for v in kept[1][:, 0])


@pytest.mark.parametrize("step", [1, 2, 3])
def test_a_memory_is_written_and_read(step):
    keys, values, query = np.array([[1, 0], [.6, .8], [0, .5]]), np.array([[2.0, -1, 0], [1, 3, 1], [0, 2, -2]]), np.array([.5, 1])
    picture = memory.memory_writes(keys, values, step, query)
    drawings = [Drawing(picture, part) for part in (0, 2, 4)]
    parts = {}
    for drawn in drawings:
        assert not drawn.crowded()
        for frame, rows_ in drawn.blocks():
            name = min((w for w in drawn.words if w.y < frame.y and abs(w.x - frame.centre[0]) < 1), key=lambda w: frame.y - w.y).text
            parts[name] = said(drawn, rows_)
    _, before = fast_weight_attention(keys[:step - 1], keys[:step - 1], values[:step - 1], feature_map=lambda x: x) if step > 1 else (0, np.zeros((2, 3)))
    _, after = fast_weight_attention(keys[:step], keys[:step], values[:step], feature_map=lambda x: x)
    wanted = {"memory before": before, "key": keys[step - 1][:, None], "value": values[step - 1][None], "written": np.outer(keys[step - 1], values[step - 1]),
              "memory after": after, "query": query[None], "output": (query @ after)[None]}
    assert parts == {name: written(numbers) for name, numbers in wanted.items()}
    # On a page the three matrices are level.
    assert len({round(d.blocks()[0][0].y + d.blocks()[0][0].height / 2 - d.page.height / 2) for d in drawings}) == 1
    assert [p for p in picture.parts if isinstance(p, str)] == ["+", "="]


FILMS = np.array([[0.9, -0.6, -0.2], [-0.7, 0.9, 0.1], [0.1, 0.2, 0.8], [-0.3, 0.6, -0.5]])


@pytest.mark.parametrize("draw_it", [
    pytest.param(lambda: charts.bars(np.full((3, 3, 16), 1 / 16), row_names=["width 4", "width 64", "width 1,024"],
                                     column_names=["as they are", "÷ √width", "÷ width"]), id="bars"),
    pytest.param(lambda: diagrams.pipeline(FILMS[0], FILMS, FILMS, key_names=["Thunder", "Letters", "Mix-up", "Harbour"]), id="pipeline"),
    pytest.param(lambda: diagrams.dot_product(FILMS[0], FILMS[3], names=["Mia", "Quiet Harbour"],
                                              entry_names=["action", "romance", "comedy"]), id="dot_product"),
    pytest.param(lambda: graph("scores"), id="graph"),
    pytest.param(lambda: draw.product(X, W["query"], shapes=True, column_names=["noun", "action"], **PRODUCT), id="product"),
    pytest.param(lambda: three(), id="projections"),
    pytest.param(lambda: diagrams.head(QUERY, KEY, VALUE, names=SENTENCE), id="head"),
    pytest.param(lambda: diagrams.head(QUERY, KEY, VALUE, names=SENTENCE, digits=2), id="head of more decimals"),
    pytest.param(lambda: several(*layer())[0], id="multi_head"),
    pytest.param(lambda: diagrams.turning([1.0, 0.2], [0.6, 0.8], [(1, 0), (10, 9)], angle=0.5), id="turning"),
    pytest.param(lambda: diagrams.block(norm="post"), id="block"),
    pytest.param(lambda: diagrams.stack(3), id="stack"),
    pytest.param(lambda: diagrams.architecture("encoder", "decoder", "encoder-decoder"), id="architecture"),
    pytest.param(lambda: diagrams.attention_over_words(TIRED, LOOKS, asking=8), id="attention_over_words"),
    pytest.param(lambda: equivalence.dense_heads(THREE, DENSE), id="dense_heads"),
    pytest.param(lambda: equivalence.kernel_heads(NIGHT, EDGES, (2, 2)), id="kernel_heads"),
    pytest.param(lambda: equivalence.offsets(8, 6, 27, (1, -1)), id="offsets"),
    pytest.param(lambda: equivalence.sharing(np.ones((5, 5)), [-1, .5, 2], [.5] * 5), id="sharing"),
    pytest.param(lambda: Picture(graphs.paths(8, "recurrent"), graphs.paths(16, "convolution", 5)), id="paths"),
    pytest.param(lambda: graphs.message_graph(np.eye(6), "The animal did not cross it".split()), id="message_graph"),
    pytest.param(lambda: graphs.rounds(np.ones((16, 16), bool), 0, 1), id="rounds"),
    pytest.param(lambda: charts.loglog_lines(**TIMES), id="loglog_lines"),
    pytest.param(lambda: memory.online_softmax(*FIELD), id="online_softmax"),
    pytest.param(lambda: memory.memory_writes(*WRITES, 2, [0, 1]), id="memory_writes")])
def test_phones_have_room(draw_it):
    """The pictures that chapters come back to are not pushed aside on a phone."""
    picture = draw_it()
    assert all(part.least <= PHONE for part in picture.parts if isinstance(part, Svg)) and "tabindex" not in picture.html()


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


# ---- matrices

SENTENCE = ["see", "that", "girl", "run"]
FEATURES = ["living", "action", "pointing"]
X = np.array([[-0.3, 0.8, -0.5], [-0.8, -0.7, 1.0], [0.9, -0.4, -0.2], [0.1, 0.9, -0.6]])
W = {"query": np.array([[0, 1], [2, 0], [2.5, 0]]), "key": np.array([[1.5, 0], [0, 1.5], [0, 0]]), "value": np.array([[1.0, 0], [0, 1], [0, 0]])}
QUERY, KEY, VALUE = (X @ w for w in W.values())
PRODUCT = {"labels": ("X", "W^Q", "Q"), "roles": (None, None, "query"), "row_names": SENTENCE, "inner_names": FEATURES, "digits": (1, 1, 1)}


def said(drawn, rows):
    """The words in the squares of a matrix."""
    return [["".join(drawn.written_in(cell)) for cell in row] for row in rows]


def written(x, digits=1):
    return [[fixed(v, digits) for v in row] for row in x]


def signs(x):
    return [["" if fixed(v) == "0.00" else "−" if v < 0 else "+" for v in row] for row in x]


def nearest(drawn, frame, words):
    """The nearest of the texts among some words, seen from a matrix: how far its middle is from the frame."""
    def far(word):
        x, y = word.box.centre
        return np.hypot(max(frame.x - x, 0, x - frame.x - frame.width), max(frame.y - y, 0, y - frame.y - frame.height))
    return min((word for word in drawn.words if word.text in words), key=far).text


@pytest.mark.parametrize("column_names", [None, ["noun", "action"]])
def test_product_writes_the_shapes(column_names):
    """Each shape below its own matrix, in the middle, in quiet ink; nothing else moves into its way."""
    picture = draw.product(X, W["query"], shapes=True, column_names=column_names, **PRODUCT)
    drawn = Drawing(picture)
    shapes = [word for word in drawn.words if word.text.startswith("(")]
    assert [word.text for word in shapes] == ["(4, 3)", "(3, 2)", "(4, 2)"] and not drawn.crowded()
    for word, (frame, rows) in zip(shapes, drawn.blocks()):
        assert word.fill == palette.var("quiet") and word.x == pytest.approx(frame.centre[0])
        assert 0 < word.box.y - frame.y - frame.height < 16 and said(drawn, rows)
    assert "4 by 3" in picture.alt and "3 by 2" in picture.alt and "4 by 2" in picture.alt
    plain = Drawing(draw.product(X, W["query"], column_names=column_names, **PRODUCT))
    assert [word.text for word in plain.words] == [word.text for word in drawn.words if word not in shapes]
    assert draw.product([[1.0]], [[1.0]], shapes=False).html() == draw.product([[1.0]], [[1.0]]).html()


def graph(until, name="me"):
    return diagrams.attention_graph(QUERY[1], KEY, VALUE, key_names=SENTENCE, query_name=name, scale=0.5, until=until)


def test_attention_graph_grows():
    """What is drawn stays where it is; what comes later is neither drawn nor told before."""
    scores, weights, output = (Drawing(graph(until)) for until in ("scores", "weights", "output"))
    for less, more in ((scores, weights), (weights, output)):
        assert less.page == more.page and set(less.words) <= set(more.words) and set(less.cells) <= set(more.cells)
        assert less.circles == more.circles and {frame for frame, _ in less.blocks()} <= {frame for frame, _ in more.blocks()}
    assert (weights.words, weights.boxes, weights.lines) == (output.words, output.boxes, output.lines)
    later = sorted(word.text for word in set(weights.words) - set(scores.words))
    exact = attention(QUERY[1:2], KEY, VALUE, scale=0.5)[1][0]
    assert later == sorted(["softmax", "weights", *map(fixed, exact)])
    assert not any("weight" in box.fill + box.stroke for box in scores.boxes) and len(scores.circles) == 4
    last = max(cell.x + cell.width for cell in scores.cells)
    assert all(x < last for line in scores.lines for x, _ in line.points), "a line that leads nowhere"
    assert max(word.box.x + word.width for word in scores.words if word.text != "me asks with its query") < last + 2
    for until in ("scores", "weights"):
        later = Drawing(graph(until), 1)
        assert not later.words + later.boxes + later.lines
    assert graph("output").html() == diagrams.attention_graph(QUERY[1], KEY, VALUE, key_names=SENTENCE, query_name="me", scale=0.5).html()


def test_a_growing_graph_tells_what_it_shows():
    told = "; ".join(f"{name}: score {fixed(s)}" for name, s in zip(SENTENCE, 0.5 * KEY @ QUERY[1]))
    assert graph("scores").alt == f"me asks. The query meets each key. {told}."
    first = graph("weights").alt
    assert "one softmax makes weights" in first and "value" not in first and graph("output").alt.startswith(first + " Each value is ")
    assert graph("scores", "").alt.startswith("The query meets")


@pytest.mark.browser
@pytest.mark.parametrize("width", [800, 360])
def test_a_growing_graph_stays_at_its_place(watched, tmp_path, width):
    """The room of what is still to come is kept beside the drawing, but not below it, where a phone would scroll past nothing."""
    page = tmp_path / "graph.html"
    pictures = "".join(graph(until).html() for until in diagrams.UNTIL)
    page.write_text(f"<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'><title>.</title>{pictures}</html>")
    with watched(width=width) as w:
        w.open(page.as_uri())
        found = w.page.evaluate("""() => [...document.querySelectorAll('figure')].map(f => [f, f.querySelector('svg')].map(e => e.getBoundingClientRect()))
            .map(([f, s]) => [s.left, s.top - f.top, s.width, s.height, f.height])""")
    places = np.array(found)
    assert np.allclose(places[:, [0, 2, 3]], places[0, [0, 2, 3]], atol=.1)
    if width == 800:
        assert np.allclose(places, places[0], atol=.1)
    else:
        assert (places[:2, 4] < places[:2, 3] + 40).all()


def three(x=X, w=W, names=SENTENCE, features=FEATURES, **options):
    return diagrams.projections(x, *w.values(), row_names=names, feature_names=features, **options)


@pytest.mark.parametrize("digits", [1, 0])
def test_projections_stand_where_rows_meet_matrices(digits):
    """Each matrix above what it makes, which is level with the rows; a line leads from the rows to each place where they meet."""
    drawn = Drawing(three(digits=digits))
    assert not drawn.crowded() and len(drawn.blocks()) == 7
    blocks = {nearest(drawn, frame, ("X", "WQ", "WK", "WV", "Q", "K", "V")): (frame, rows) for frame, rows in drawn.blocks()}
    frame, rows = blocks["X"]
    assert said(drawn, rows) == written(X, digits) and "--ak-quiet" in frame.stroke
    assert [drawn.row_name(row) for row in rows] == [[name] for name in SENTENCE]
    branch = next(line for line in drawn.lines if line.points[0][0] == pytest.approx(frame.centre[0]))
    assert branch.points[-1] == drawn.circles[-1] and len(drawn.circles) == 3
    for (role, w), knot in zip(W.items(), drawn.circles):
        letter = role[0].upper()
        (above, factor), (below, made) = blocks["W" + letter], blocks[letter]
        assert said(drawn, factor) == written(w, digits) and said(drawn, made) == written(X @ w, digits)
        assert f"--ak-{role}," in above.stroke and f"--ak-{role}," in below.stroke
        assert {word.fill for word in drawn.words if word.text in (letter, "W" + letter)} == {palette.var(role)}
        assert [c.x for c in factor[0]] == [c.x for c in made[0]] and [row[0].y for row in made] == [row[0].y for row in rows]
        assert above.y + above.height < knot[1] < below.y and knot[0] == pytest.approx(above.centre[0]) and knot[1] == branch.points[-1][1]
        [down] = [line for line in drawn.lines if all(x == pytest.approx(knot[0]) for x, _ in line.points)]
        assert down.points[0][1] == pytest.approx(above.y + above.height) and down.points[-1][1] == pytest.approx(below.y)
        shape = [word for word in drawn.words if word.text == f"({X.shape[0]}, {w.shape[1]})" and abs(word.x - below.centre[0]) < 1]
        assert len(shape) == 1 and 0 < shape[0].box.y - below.y - below.height < 16
        assert [word.text for word in drawn.words if abs(word.x - above.centre[0]) < 1 and word.y < above.y] == ["W" + letter, "(3, 2)"]
    assert [drawn.row_name(row)[0] for row in blocks["WQ"][1]] == FEATURES
    assert next(word for word in drawn.words if word.text == "(4, 3)").x == pytest.approx(frame.centre[0])


def test_projections_tell_all_their_numbers():
    alt = three().alt
    assert alt.startswith("The same rows meet three matrices; what they make stands below. Matrix X, 4 by 3 with columns living, action, pointing. see: −0.3, 0.8, −0.5; ")
    for role, w in W.items():
        letter = role[0].upper()
        assert draw.describe(w, f"W^{letter}", role, FEATURES) in alt and draw.describe(X @ w, letter, role, SENTENCE) in alt


def test_projections_of_more_numbers_show_their_signs():
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=(5, 4)), {role: rng.normal(size=(4, 3)).round(1) for role in W}
    drawn = Drawing(three(x, w, list("abcde"), list("pqrs")))
    wanted = [signs(x)] + [signs(m) for v in w.values() for m in (v, x @ v)]
    assert sorted(said(drawn, rows) for _, rows in drawn.blocks()) == sorted(wanted) and not drawn.crowded()
    assert fixed(x[0, 0], 1) in three(x, w, list("abcde"), list("pqrs")).alt


@pytest.mark.parametrize("n, size, features, d_k, d_v", [
    (4, 1, FEATURES, 1, 1), (4, 1, FEATURES, 1, 3), (4, 1, FEATURES, 2, 1), (12, 1e9, FEATURES, 1, 1), (4, 1, ["how many it names"], 1, 1)])
def test_narrow_projections_have_room_for_their_words(n, size, features, d_k, d_v):
    d = len(features)
    w = {"query": np.ones((d, d_k)), "key": np.ones((d, d_k)), "value": np.ones((d, d_v))}
    assert not Drawing(three(np.full((n, d), size), w, ["I"] * n, features)).crowded()


HEADS = {"itself": (QUERY, KEY, VALUE, SENTENCE, None), "others": (QUERY[:2], KEY[:3], np.c_[VALUE, VALUE[:, 0]][:3], ["je", "tu"], ["I", "you", "we"]),
         "narrow": (QUERY[:, :1], KEY[:1, :1], VALUE[:1, :1], SENTENCE, ["all"]),
         "wide": (X[:2], np.r_[X, X][:6], np.r_[VALUE, VALUE][:6], ["a", "b"], list("pqrstu"))}


def matrices_of(picture):
    """The six matrices of a head by their letters: drawing, frame and rows."""
    found = {}
    for part, letters in ((0, ("Q", "Kᵀ", "S")), (1, ("A", "V", "Y"))):
        drawn = Drawing(picture, part)
        for frame, rows in drawn.blocks():
            # The label stands above the frame's left end.
            found[min((w for w in drawn.words if w.text in letters), key=lambda w: abs(w.x - frame.x) + abs(w.y - frame.y)).text] = (drawn, frame, rows)
    return found


@pytest.mark.parametrize("case", HEADS)
def test_head_shows_what_attention_computes(case):
    q, k, v, names, asked = HEADS[case]
    picture = diagrams.head(q, k, v, names=names, column_names=asked)
    output, weights = attention(q, k, v)
    numbers = {"Q": (q, 1, "query"), "Kᵀ": (k.T, 1, "key"), "S": (q @ k.T, 2, None), "A": (weights, 2, "weight"), "V": (v, 1, "value"), "Y": (output, 2, None)}
    found = matrices_of(picture)
    assert list(found) == list(numbers) and not any(Drawing(picture, part).crowded() for part in (0, 1))
    for letter, (drawn, frame, rows) in found.items():
        x, digits, role = numbers[letter]
        assert said(drawn, rows) == (signs(x) if case == "wide" else written(x, digits)), letter
        assert f"--ak-{role or 'quiet'}," in frame.stroke
        label = next(word for word in drawn.words if word.text == letter)
        shape = next(word for word in drawn.words if word.text.startswith("(") and word.y == label.y and 0 < word.box.x - label.x < 40)
        assert shape.text == f"({x.shape[0]}, {x.shape[1]})" and label.fill == palette.var(role or "ink")
        assert draw.describe(x, letter, role, {"Kᵀ": None, "V": asked or names}.get(letter, names), (asked or names) if letter in ("Kᵀ", "S", "A") else None, digits) in picture.alt
    for letter in "QA":
        drawn, _, rows = found[letter]
        assert [drawn.row_name(row)[-1] for row in rows] == names
    drawn, frame, rows = found["V"]
    assert [[w.text for w in drawn.words if w.x > frame.x + frame.width and row[0].holds(row[0].x, w.y)] for row in rows] == [[n] for n in asked or names]
    if case != "wide":
        drawn, _, rows = found["Kᵀ"]
        assert [drawn.column_name(cell)[-1] for cell in rows[0]] == (asked or names)


@pytest.mark.parametrize("case", HEADS)
def test_head_writes_a_letter_at_each_edge(case):
    """The edges that meet have one letter and are joined by one line; the others keep theirs in the product."""
    q, k, v, names, asked = HEADS[case]
    found = matrices_of(diagrams.head(q, k, v, names=names, column_names=asked))
    letters = {"Q": ("n", "dk"), "Kᵀ": ("dk", "m"), "S": ("n", "m"), "A": ("n", "m"), "V": ("m", "dv"), "Y": ("n", "dv")}
    for letter, (drawn, frame, _) in found.items():
        held = [word for word in drawn.words if word.text in ("n", "m", "dk", "dv")]
        beside = [w for w in held if abs(w.box.centre[1] - frame.centre[1]) < 3 and w.x < frame.x]
        above = [w for w in held if abs(w.x - frame.centre[0]) < 1 and frame.y - 45 < w.y < frame.y]
        assert (max(beside, key=lambda w: w.x).text, [w.text for w in above]) == (letters[letter][0], [letters[letter][1]]), letter
    for left, above, made in (("Q", "Kᵀ", "S"), ("A", "V", "Y")):
        (drawn, beside, rows), (_, over, factor), (_, meet, product) = (found[letter] for letter in (left, above, made))
        assert [row[0].y for row in rows] == [row[0].y for row in product] and [c.x for c in factor[0]] == [c.x for c in product[0]]
        joined = [line for line in drawn.lines if "--ak-ink" in line.stroke and len(line.points) > 3]
        (start, *_, end), = [line.points for line in joined]
        assert start[0] == pytest.approx(beside.x + 2) and beside.y - 20 < start[1] < beside.y
        assert end[1] == pytest.approx(over.y + 2) and over.x - 20 < end[0] < over.x
    assert [rows[0][0].y for _, _, rows in (found["S"], found["A"])] == [found["S"][2][0][0].y] * 2, "level where they stand side by side"
    said_before = [word.text for word in found["A"][0].words if word.y < found["A"][1].y and word.x < found["V"][1].x - 30]
    assert said_before[-3:][::-1] == ["S ÷ √dk", "softmax", "of each row"]


@pytest.mark.parametrize("lit", [None, 0, 3])
def test_head_frames_one_query_all_the_way(lit):
    picture = diagrams.head(QUERY, KEY, VALUE, names=SENTENCE, digits=2, highlight=lit)
    found = matrices_of(picture)
    assert said(*found["Q"][::2]) == written(QUERY, 2)
    for part, letters in ((0, "QS"), (1, "AY")):
        wanted = {cell for letter in letters for cell in found[letter][2][lit]} if lit is not None else set()
        assert Drawing(picture, part).lit() == wanted
        assert (f"The row of {SENTENCE[lit or 0]} is framed." in picture.parts[part].alt) == (lit is not None)


# ---- several heads, and turned pairs

ROSES = np.random.default_rng(5).normal(size=(5, 4)).round(1)


def layer(n=5, d=4, d_k=2, d_v=2, h=2):
    """Words, their names, heads and the last matrix, all at random."""
    rng = np.random.default_rng(7)
    heads = [tuple(rng.normal(size=(d, width)) for width in (d_k, d_k, d_v)) for _ in range(h)]
    return 2 * rng.normal(size=(n, d)), heads, rng.normal(size=(h * d_v, d)), ["Susan", "gave", "roses", "to", "Mary", "and", "Ann"][:n]


def several(x, heads, w_output, names=("Susan", "gave", "roses", "to", "Mary"), **options):
    """The picture, and its matrices by their names: drawing, frame, rows, and the words that stand above."""
    picture = diagrams.multi_head(x, heads, w_output, names=list(names), **options)
    found = {}
    for part in (0, 1, 2):
        drawn = Drawing(picture, part)
        for frame, rows in drawn.blocks():
            above = [w for w in drawn.words if 0 < frame.y - w.y < 55 and w.box.x < frame.x + frame.width + 10 and w.box.x + w.width > frame.x - 10]
            own = [w for w in above if re.fullmatch(r"W[QKV]\d|[QKVAH]\d|X|WO|Y", w.text)]
            name = min(own, key=lambda w: (frame.y - w.y, abs(w.box.centre[0] - frame.centre[0])))
            found[f"{part} {name.text}"] = (drawn, frame, rows, name, [w.text for w in above])
    return picture, found


SIZES = {"the book's": {}, "one word": {"n": 1, "d": 1, "d_k": 1, "d_v": 1, "h": 1}, "unlike": {"n": 3, "d": 5, "d_k": 2, "d_v": 3, "h": 3},
         "narrow": {"n": 7, "d_k": 1, "d_v": 1, "h": 1}}


@pytest.mark.parametrize("case", SIZES)
def test_multi_head_shows_what_it_computes(case):
    x, heads, w_output, names = layer(**SIZES[case])
    picture, found = several(x, heads, w_output, names)
    joined = [np.concatenate([head[k] for head in heads], axis=1) for k in range(3)]
    y, weights = multi_head_attention(x, x, x, *joined, w_output, num_heads=len(heads))
    wanted = {"0 X": (x, None, "(n, d)", [x])}
    for i, head in enumerate(heads, start=1):
        everywhere = [w for other in heads for w in other] + [w_output]
        for k, role in enumerate(("query", "key", "value")):
            letter, width = role[0].upper(), "kkv"[k]
            wanted[f"0 W{letter}{i}"] = (head[k], role, f"(d, d{width})", everywhere)
            wanted[f"1 {letter}{i}"] = (x @ head[k], role, f"(n, d{width})", [x @ other[k] for other in heads])
        wanted[f"1 A{i}"] = (weights[i - 1], "weight", "(n, n)", [1.0])
        outputs = [a @ (x @ other[2]) for a, other in zip(weights, heads)]
        wanted[f"1 H{i}"] = wanted[f"2 H{i}"] = (outputs[i - 1], None, "(n, dv)", outputs)
    wanted |= {"2 WO": (w_output, None, "(h dv, d)", everywhere), "2 Y": (y, None, "(n, d)", [y])}
    assert set(found) == set(wanted) and not any(Drawing(picture, part).crowded() for part in (0, 1, 2))
    for name, (drawn, frame, rows, label, above) in found.items():
        numbers, role, shape, alike = wanted[name]
        assert said(drawn, rows) == signs(numbers), name
        vmax = max(1.0, *(np.abs(a).max() for a in alike))         # one scale of colours for one kind of matrix
        assert np.allclose([[c.opacity for c in row] for row in rows], np.abs(numbers) / vmax * palette.DEPTH, atol=6e-4), name
        assert f"--ak-{role or 'quiet'}," in frame.stroke and label.fill == palette.var(role or "ink"), name
        if name != "2 H1":                                         # the parts of H share one shape, above the first
            assert shape in above or name.startswith("2 H"), name
        else:
            assert {"H", "(n, h dv)"} <= set(above)
    assert picture.alt.endswith(f"gives Y, n by d. {draw.describe(y, 'Y', None, names)}")
    assert several(x, heads, w_output, names, digits=3)[0].alt.endswith(draw.describe(y, "Y", None, names, digits=3))


@pytest.mark.parametrize("case", SIZES)
def test_multi_head_goes_step_by_step(case):
    """Five numbered sentences, in order; a band for each head, level in both drawings; names and sizes."""
    x, heads, w_output, names = layer(**SIZES[case])
    picture, found = several(x, heads, w_output, names)
    drawings = [Drawing(picture, part) for part in (0, 1, 2)]
    steps = [[word for word in drawn.words if word.text in "12345" and (word.x, word.y - 5) in drawn.circles] for drawn in drawings]
    assert [[w.text for w in sorted(part, key=lambda w: w.x)] for part in steps] == [["1", "2"], ["3"], ["4", "5"]]
    first = [min((w for w in drawn.words if w.x > step.x and abs(w.y - step.y) < 3), key=lambda w: w.x).text
             for part, drawn in zip(steps, drawings) for step in part]
    assert first == ["The words", "Times the head’s", "Each head attends with its Q, K and V", "Side by side", "Times WO gives Y"]
    bands = [[box for box in drawn.boxes if "--ak-ground" in box.fill] for drawn in drawings]
    assert [len(part) for part in bands] == [len(heads), len(heads), 0]
    assert [(b.y, b.height) for b in bands[0]] == [(b.y, b.height) for b in bands[1]]
    for name, (drawn, frame, *_) in found.items():
        part, number = int(name[0]), int(name[-1]) if name[-1].isdigit() else None
        if part < 2 and number:
            assert frame.within(bands[part][number - 1]), name
            assert drawn.written_in(bands[part][number - 1])[0] == f"head {number}", name
    for name in ("0 X", "2 H1"):
        assert [found[name][0].row_name(row)[-1] for row in found[name][2]] == names, name
    sizes = {"n": len(x), "d": x.shape[1], "h": len(heads), "dk": heads[0][0].shape[1], "dv": heads[0][2].shape[1]}
    assert [w.text for w in drawings[0].words if "=" in w.text][::-1] == [f"{k} = {v}" for k, v in sizes.items()]
    ends = {round(line.points[-2][1]) for line in drawings[0].lines}       # where the arrows from the words point to
    assert all(sum(band.y < y < band.y + band.height for y in ends) == 1 for band in bands[0]) and len(ends) == len(heads)
    assert f"X, n by d: {sizes['n']} by {sizes['d']}. " in picture.alt and f"W^V, d by d_v: {sizes['d']} by {sizes['dv']}." in picture.alt
    assert f"H, n by h d_v: {sizes['n']} by {sizes['h'] * sizes['dv']}. " in picture.alt


@pytest.mark.browser
@pytest.mark.parametrize("width", [673, 360])
def test_multi_head_has_room(watched, tmp_path, width):
    """Two drawings beside each other in a column of the book, all below each other on a phone; nothing is pushed aside."""
    page = tmp_path / "heads.html"
    page.write_text(f"<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'><title>.</title>"
                    f"<body style='margin:0 16px'>{several(*layer())[0].html()}</html>")
    with watched(width=width) as w:
        w.open(page.as_uri())
        (one, two, three), over = w.page.evaluate("""() => [[...document.querySelectorAll('svg')].map(e => [e.getBoundingClientRect()].map(b => [b.left, b.top, b.right, b.bottom])[0]),
            document.querySelector('figure').scrollWidth - document.querySelector('figure').clientWidth]""")
    assert over == 0 and three[1] >= max(one[3], two[3])
    if width > 500:
        assert abs(one[1] - two[1]) < 1 and abs(one[3] - two[3]) < 1 and one[2] < two[0]        # level, at one scale
    else:
        assert two[1] >= one[3]


PAIRS = [(1, 0), (4, 3), (7, 6), (0, 5)]


@pytest.mark.parametrize("query, key, angle", [([1.0, 0.2], [0.6, 0.9], 0.5), ([-2.0, 1.0], [0.3, 0.1], -1.1), ([1.0, 0.0], [1.0, 0.0], 0.0)])
def test_turning_shows_what_rotary_computes(query, key, angle):
    picture = diagrams.turning(query, key, PAIRS, angle=angle)
    assert len(picture.parts) == len(PAIRS)
    longest = max(np.hypot(*query), np.hypot(*key))
    said_of = {}
    for part, pair in enumerate(PAIRS):
        drawn = Drawing(picture, part)
        [middle] = drawn.circles
        turned = [rotary(np.array([v]), positions=[place * angle])[0] for v, place in zip((query, key), pair)]
        for role, still, now in zip(("query", "key"), (query, key), turned):
            for dashed, vector in ((True, still), (False, now)):
                [line] = [line for line in drawn.lines if f"--ak-{role}," in line.stroke and line.dashed == dashed]
                assert line.points[0] == pytest.approx(middle)
                tip = np.subtract(line.points[1], middle) * [1, -1]
                assert tip == pytest.approx(54 / longest * np.array(vector), abs=.06)
        [arc] = [line for line in drawn.lines if "--ak-ink" in line.stroke]
        ends = [np.subtract(p, middle) * [1, -1] for p in (arc.points[0], arc.points[-1])]
        for end, vector in zip(ends, turned[::-1]):                        # from the key to the query
            assert end / np.hypot(*end) == pytest.approx(vector / np.hypot(*vector), abs=.01)
        product, apart = turned[0] @ turned[1], abs(pair[0] - pair[1])
        far = f"{apart} place{'s' if apart != 1 else ''} apart"
        texts = {word.text: word.fill for word in drawn.words}
        assert list(texts) == [f"query at {pair[0]}", f"key at {pair[1]}", far, f"q · k = {fixed(product)}"] and not drawn.crowded()
        assert list(texts.values())[:2] == [palette.var("query"), palette.var("key")]
        opening = np.degrees(np.arccos(np.clip(product / np.hypot(*query) / np.hypot(*key), -1, 1)))
        told = re.search(r", (\d+)° between them, dot product (.*)\.$", picture.parts[part].alt)
        assert abs(int(told[1]) - opening) < .51 and told[2] == fixed(product) and far in picture.parts[part].alt
        said_of[pair] = told.groups()
    assert said_of[1, 0] == said_of[4, 3] == said_of[7, 6] and (angle == 0) == (said_of[0, 5] == said_of[1, 0])


def test_turning_tells_by_how_much():
    """Where each of the two has been turned to, in degrees."""
    assert diagrams.turning([1.0, 0.0], [0.0, 1.0], [(3, 1)], angle=np.pi / 6).alt == (
        "Query at place 3, key at place 1, 2 places apart: turned by 90° and 30°, 30° between them, dot product 0.87.")


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
    [found] = colours(draw.pixels([[0.0, 2.0, 9.0]], alt="Three weights in a scale to four.", side=10, vmax=4), 1, 3, 10)
    assert [box.opacity for box in found] == [0, palette.DEPTH / 2, palette.DEPTH]


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
    (lambda: charts.loglog_lines([4], {"a": [1]}, x_name="n", y_name="ms"), ValueError, r"x must be at least two positive numbers that grow, got \[4.0\]"),
    (lambda: charts.loglog_lines([4, 2], {"a": [1, 2]}, x_name="n", y_name="ms"), ValueError, "that grow"),
    (lambda: charts.loglog_lines([0, 2], {"a": [1, 2]}, x_name="n", y_name="ms"), ValueError, "positive"),
    (lambda: charts.loglog_lines([1, 2], {}, x_name="n", y_name="ms"), ValueError, "lines must be from 1 to 6, got 0"),
    (lambda: charts.loglog_lines([1, 2], {"a": [1]}, x_name="n", y_name="ms"), ValueError, r"a must hold 2 numbers, one for each x, got \[1.0\]"),
    (lambda: charts.loglog_lines([1, 2], {"a": [None, None]}, x_name="n", y_name="ms"), ValueError, "a must hold 2 numbers"),
    (lambda: charts.loglog_lines([1, 2], {"a": [0, 1]}, x_name="n", y_name="ms"), ValueError, "the numbers of a must be positive"),
    (lambda: charts.loglog_lines([1, 2], {"a": [1, 2]}, x_name="n", y_name="ms", dashed=["b"]), ValueError, "no line is called 'b', there are a"),
    (lambda: charts.loglog_lines([1, 2], {"a": [1, 2], "b": [2, 3]}, x_name="n", y_name="ms", crossings=[("a", "b")]), ValueError, "a and b do not cross"),
    (lambda: memory.online_softmax([[1, 2]], [[1]]), ValueError, r"scores must be \(n, m\) and values \(m, d_v\), got \(1, 2\) and \(1, 1\)"),
    (lambda: memory.online_softmax([[1, 2]], [[1], [2]], lit=(0, 1)), ValueError, r"lit must be one of 1 by 1 blocks, counted from 0, got \(0, 1\)"),
    (lambda: memory.online_softmax([[1, 2]], [[1], [2]], block_size=0), ValueError, "block_size must be at least 1, got 0"),
    (lambda: memory.online_softmax([["a"]], [[1]]), TypeError, "scores must hold real numbers"),
    (lambda: memory.memory_writes([[1, 2]], [[1]], 2, [1, 2]), ValueError, "step must be from 1 to 1, the number of one of the pairs, got 2"),
    (lambda: memory.memory_writes([[1, 2]], [[1]], 1.0, [1, 2]), TypeError, "step must be an integer"),
    (lambda: memory.memory_writes([[1, 2]], [[1]], 1, [1]), ValueError, r"got \(1, 2\), \(1, 1\) and \(1,\)"),
    (lambda: plots.plane([1, 2], ["a"]), ValueError, r"points must have shape \(n, 2\), got \(2,\)"),
    (lambda: plots.plane([[1, 2]], []), ValueError, r"got 0 names for points \(1, 2\)"),
    (lambda: plots.plane([[1, 2]], ["a"], arrow=[0, 0]), ValueError, "not both zero"),
    (lambda: diagrams.attention_graph([1.0], [[1.0, 2.0]], [[1.0]], key_names=["a"]), ValueError, r"\(d_k,\), \(m, d_k\) and \(m, d_v\), got \(1,\)"),
    (lambda: diagrams.attention_graph([1.0], [[1.0]], [[1.0]], key_names=[]), ValueError, r"key_names must hold 1 names .* got \[\]"),
    (lambda: diagrams.dot_product([1.0, 2.0], [1.0], names=["u", "v"], entry_names=["a", "b"]), ValueError, r"\(d,\), got \(2,\) and \(1,\)"),
    (lambda: diagrams.dot_product([[1.0]], [[1.0]], names=["u", "v"], entry_names=["a"]), ValueError, r"left and right must .* got \(1, 1\)"),
    (lambda: diagrams.dot_product([1.0], [1.0], names=["u"], entry_names=["a"]), ValueError, r"names must hold 2 names for two vectors, got \['u'\]"),
    (lambda: diagrams.dot_product([1.0], [1.0], names=["u", "v"], entry_names=[]), ValueError, r"entry_names must hold 1 names .* got \[\]"),
    (lambda: diagrams.dot_product(["a"], [1.0], names=["u", "v"], entry_names=["a"]), TypeError, "left must hold real numbers"),
    (lambda: diagrams.pipeline([1.0], [[1.0, 2.0]], [[1.0]], key_names=["a"]), ValueError, r"\(d_k,\), \(m, d_k\) and \(m, d_v\), got \(1,\)"),
    (lambda: diagrams.pipeline([1.0], [[1.0]], [[1.0], [2.0]], key_names=["a"]), ValueError, r"got \(1,\), \(1, 1\) and \(2, 1\)"),
    (lambda: diagrams.pipeline([1.0], [[1.0]], [[1.0]], key_names=["a", "b"]), ValueError, r"key_names must hold 1 names .* got \['a', 'b'\]"),
    (lambda: diagrams.pipeline([1.0], [[1.0]], [[1.0]], key_names=["a"], lit="blur"), ValueError, "lit must be of score, scale, softmax, blend, got 'blur'"),
    (lambda: diagrams.pipeline([1.0], [[1.0]], [[1.0]], key_names=["a"], lit=("score", "sum")), ValueError, "got 'score', 'sum'"),
    (lambda: charts.bars([1.0], row_names=["a"]), ValueError, r"\(rows, n\) or \(rows, columns, n\), got shape \(1,\)"),
    (lambda: charts.bars(np.ones((1, 1, 1, 1)), row_names=["a"]), ValueError, r"got shape \(1, 1, 1, 1\)"),
    (lambda: charts.bars(np.ones((1, 0)), row_names=["a"]), ValueError, r"got shape \(1, 0\)"),
    (lambda: charts.bars([[np.nan]], row_names=["a"]), ValueError, "numbers must be finite"),
    (lambda: charts.bars([[1.0]], row_names=["a", "b"]), ValueError, r"row_names must hold 1 names for numbers of shape \(1, 1\)"),
    (lambda: charts.bars([[1.0]], row_names=["a"], bar_names=["b", "c"]), ValueError, "bar_names must hold 1 names"),
    (lambda: charts.bars([[1.0]], row_names=["a"], column_names=["b", "c"]), ValueError, "column_names must hold 1 names"),
    (lambda: charts.bars([[1.0]], row_names=["a"], roles=["weight", None]), ValueError, r"roles must hold one for each of 1 rows, got \['weight', None\]"),
    (lambda: charts.bars([[1.0]], row_names=["a"], roles=["boss"]), ValueError, r"roles must be 'weight' or None for each row, got \['boss'\]"),
    (lambda: charts.bars([[1.0]], row_names=["a"], digits=[1, 2]), ValueError, r"digits must hold one for each of 1 rows, got \[1, 2\]"),
    (lambda: charts.bars([[1.0]], row_names=["a"], vmax=0), ValueError, "vmax must be positive, got 0"),
    (lambda: diagrams.wiring("S", "H", projections=True, compares=False), ValueError, "no projections to draw"),
    (lambda: draw.pixels(np.zeros((2, 2, 4)), alt="a picture"), ValueError, r"\(height, width, 3\) or \(height, width\), got \(2, 2, 4\)"),
    (lambda: draw.pixels([[-1.0]], alt="a picture"), ValueError, "not negative, got -1 to -1"),
    (lambda: draw.pixels([[1.0]], alt="a picture", vmax=0), ValueError, "vmax must be positive, got 0"),
    (lambda: draw.pixels([[0.0]], alt="a picture", role="boss"), ValueError, "got 'boss'"),
    (lambda: diagrams.attention_graph([1.0], [[1.0]], [[1.0]], key_names=["a"], until="blur"), ValueError,
     "until must be one of scores, weights, output, got 'blur'"),
    (lambda: three(x=X[0]), ValueError, r"x, w_query, .* \(d, d_v\), got \(3,\), \(3, 2\), \(3, 2\) and \(3, 2\)"),
    (lambda: three(x=X[:, :2]), ValueError, r"got \(4, 2\), \(3, 2\)"),
    (lambda: three(w={**W, "key": W["key"][:, :1]}), ValueError, r"got \(4, 3\), \(3, 2\), \(3, 1\)"),
    (lambda: three(w={**W, "value": [1.0, 2.0, 3.0]}), ValueError, r"and \(3,\)"),
    (lambda: three(names=["a"]), ValueError, r"row_names must hold 4 names for x of shape \(4, 3\), got \['a'\]"),
    (lambda: three(features=["a"]), ValueError, "feature_names must hold 3 names"),
    (lambda: three(w={**W, "query": [["a"]]}), TypeError, "w_query must hold real numbers"),
    (lambda: diagrams.head(QUERY[0], KEY, VALUE, names=SENTENCE), ValueError, r"\(n, d_k\), \(m, d_k\) and \(m, d_v\), got \(2,\), \(4, 2\)"),
    (lambda: diagrams.head(X, KEY, VALUE, names=SENTENCE), ValueError, r"got \(4, 3\), \(4, 2\)"),
    (lambda: diagrams.head(QUERY, KEY, VALUE[:2], names=SENTENCE), ValueError, r"and \(2, 2\)"),
    (lambda: diagrams.head(QUERY, KEY, VALUE, names=["a"]), ValueError, r"names must hold 4 names for query of shape \(4, 2\)"),
    (lambda: diagrams.head(QUERY[:2], KEY, VALUE, names=["a", "b"]), ValueError, r"column_names must hold 4 names for key .* got \['a', 'b'\]"),
    (lambda: diagrams.head(QUERY, KEY, VALUE, names=SENTENCE, highlight=4), ValueError, "highlight must lie within 4 rows, got 4"),
    (lambda: diagrams.head(QUERY, KEY, VALUE, names=SENTENCE, highlight=-1), ValueError, "got -1"),
    (lambda: several(ROSES, [], np.eye(4)), ValueError, r"h d_v, d\); got x \(5, 4\), heads none, w_output \(4, 4\)"),
    (lambda: several(ROSES, [(np.eye(4), np.eye(4))], np.eye(4)), ValueError, "triple of matrices for each head .* got 2 matrices"),
    (lambda: several(ROSES, [(np.eye(4)[:, :2], np.eye(4), np.eye(4))], np.eye(4)), ValueError, r"heads \(4, 2\), \(4, 4\), \(4, 4\), w_output"),
    (lambda: several(ROSES, [(np.eye(4),) * 3, (np.eye(4)[:, :2],) * 3], np.ones((6, 4))), ValueError, r"\(4, 4\); \(4, 2\), \(4, 2\), \(4, 2\), w_"),
    (lambda: several(ROSES, [(np.eye(4),) * 3], np.ones((4, 3))), ValueError, r"w_output \(4, 3\)"),
    (lambda: several(ROSES[0], [(np.eye(4),) * 3], np.eye(4)), ValueError, r"got x \(4,\)"),
    (lambda: several(ROSES[:4], [(np.eye(4),) * 3], np.eye(4)), ValueError, r"names must hold 4 names for x of shape \(4, 4\), got"),
    (lambda: several(ROSES, [(np.eye(4), np.eye(4), [["a"]])], np.eye(4)), TypeError, "w_value must hold real numbers"),
    (lambda: several(ROSES, [(np.eye(4),) * 3], 1j * np.eye(4)), TypeError, "w_output must hold real numbers"),
    (lambda: diagrams.turning([1.0], [1.0, 0.0], [(1, 0)], angle=1), ValueError, r"shape \(2,\) and not be zero, got \[1.0\]"),
    (lambda: diagrams.turning([1.0, 0.0], [0.0, 0.0], [(1, 0)], angle=1), ValueError, r"not be zero, .* and \[0.0, 0.0\]"),
    (lambda: diagrams.turning([1.0, 0.0], [1.0, 0.0], [(1, 0)], angle=np.inf), ValueError, "angle must be finite, got inf"),
    (lambda: diagrams.turning([1.0, 0.0], [1.0, 0.0], [], angle=1), ValueError, r"pairs of whole numbers, 0 or more, got \[\]"),
    (lambda: diagrams.turning([1.0, 0.0], [1.0, 0.0], [(1, 0, 2)], angle=1), ValueError, r"got \[\(1, 0, 2\)\]"),
    (lambda: diagrams.turning([1.0, 0.0], [1.0, 0.0], [(1, -1)], angle=1), ValueError, r"got \[\(1, -1\)\]"),
    (lambda: diagrams.turning([1.0, 0.0], [1.0, 0.0], [(1, 0.5)], angle=1), ValueError, r"got \[\(1, 0.5\)\]"),
    (lambda: diagrams.block(parts=()), ValueError, r"parts must be of attention, mlp, each at most once, got \(\)"),
    (lambda: diagrams.block(parts=("attention", "cross")), ValueError, "got .*'cross'"),
    (lambda: diagrams.block(parts=("mlp", "mlp")), ValueError, "each at most once"),
    (lambda: diagrams.block(norm="before"), ValueError, "norm must be 'pre', 'post' or None, got 'before'"),
    (lambda: diagrams.stack(2.0), TypeError, "num_layers must be an integer, got 2.0"),
    (lambda: diagrams.stack(True), TypeError, "num_layers must be an integer, got True"),
    (lambda: diagrams.stack(0), ValueError, "num_layers must be 1 or more, got 0"),
    (lambda: diagrams.stack(2, labels=["one"]), ValueError, "labels must hold 2 names for 2 layers, got"),
    (lambda: diagrams.stack(2, ends=["in"]), ValueError, "ends must hold 2 names for what goes in and what comes out"),
    (lambda: diagrams.architecture(), ValueError, r"kinds must be of encoder, decoder, encoder-decoder, got \(\)"),
    (lambda: diagrams.architecture("encoder", "both"), ValueError, "got .*'both'"),
    (lambda: diagrams.attention_over_words(["a"], [.5, .5], asking=0), ValueError, r"words must hold 2 names for weights of shape \(2,\)"),
    (lambda: diagrams.attention_over_words(["a", "b"], [.5, .5], asking=0, row_names=["1", "2"]), ValueError, "row_names must hold 1 names"),
    (lambda: diagrams.attention_over_words(["a", "b"], [.5, 1.5], asking=0), ValueError, "weights must be from 0 to 1, got 0.5 to 1.5"),
    (lambda: diagrams.attention_over_words(["a", "b"], [-.5, .5], asking=0), ValueError, "got -0.5 to 0.5"),
    (lambda: diagrams.attention_over_words(["a", "b"], ["x", "y"], asking=0), TypeError, "weights must hold real numbers"),
    (lambda: diagrams.attention_over_words(["a", "b"], [.5, .5], asking=2), ValueError, "asking must be the number of one of 2 words, got 2"),
    (lambda: diagrams.attention_over_words(["a", "b"], [.5, .5], asking=-1), ValueError, "got -1"),
    (lambda: diagrams.attention_over_words(["a", "b"], [.5, .5], asking=0.5), TypeError, "asking must be an integer, got 0.5"),
    (lambda: recurrent.encoder_decoder([], ["je"]), ValueError, r"english must be a list of words, at least one, got \[\]"),
    (lambda: recurrent.encoder_decoder(["I"], "je"), ValueError, "french must be a list of words, at least one, got 'je'"),
    (lambda: recurrent.encoder_decoder(["I"], ["je", 3]), ValueError, r"french must hold 2 names for a sentence, got \['je', 3\]"),
    (lambda: recurrent.translator("I", ["je"]), ValueError, "english must be a list of words, at least one, got 'I'"),
    (lambda: recurrent.translator(["I"], []), ValueError, r"french must be a list of words, at least one, got \[\]"),
    (lambda: recurrent.translator(["I"], ["je"], step=2), ValueError, "step must be from 1 to 1, the number of one of the French words, got 2"),
    (lambda: recurrent.translator(["I"], ["je"], step=0), ValueError, "step must be at least 1, got 0"),
    (lambda: recurrent.translator(["I"], ["je"], step=1.0), TypeError, "step must be an integer, got float"),
    (lambda: recurrent.translator(["I", "go"], ["je"], [1.0]), ValueError, r"weights must have shape \(2,\), one for each English word, got \(1,\)"),
    (lambda: recurrent.translator(["I", "go"], ["je"], [[.5, .5]]), ValueError, r"got \(1, 2\)"),
    (lambda: recurrent.translator(["I", "go"], ["je"], [-.5, 1.5]), ValueError, r"must not be negative and must add up to 1, got \[-0.5, 1.5\]"),
    (lambda: recurrent.translator(["I", "go"], ["je"], [.5, .48]), ValueError, r"add up to 1, got \[0.5, 0.48\]"),
    (lambda: recurrent.translator(["I"], ["je"], ["a"]), TypeError, "weights must hold real numbers"),
    (lambda: images.colour_image([[0.5]], alt="A"), ValueError, r"pixels must be \(height, width, 3\), at most 64 by 64, got \(1, 1\)"),
    (lambda: images.colour_image(np.zeros((2, 65, 3)), alt="A"), ValueError, r"got \(2, 65, 3\)"),
    (lambda: images.colour_image([[[0, 0, 1.5]]], alt="A"), ValueError, "the colours of pixels must lie between 0 and 1, got 0 to 1.5"),
    (lambda: images.colour_image([[[0, 0, np.nan]]], alt="A"), ValueError, "must lie between 0 and 1"),
    (lambda: images.colour_image([[[0, 0, 1]]], alt=" "), ValueError, "alt must say"),
    (lambda: images.patches(np.zeros((4, 6, 3)), 3), ValueError, "size must divide the sides of the image, 4 and 6, got 3"),
    (lambda: images.patches(np.zeros((4, 6, 3)), 2.0), TypeError, "size must be an integer, got float"),
    (lambda: images.patches(np.zeros((4, 6, 1)), 2), ValueError, "image must be"),
    (lambda: images.patches(np.zeros((18, 4, 3)), 1), ValueError, "there must be at most 64 patches, got 72"),
    (lambda: images.axes_cube(12, 0), ValueError, "width must be at least 1, got 0"),
    (lambda: images.axes_cube(12.0), TypeError, "height must be an integer, got float"),
    (lambda: images.axes_cube(channels="many"), ValueError, "channels must be an int or a str of at most 3 letters, got 'many'"),
    (lambda: equivalence.dense_heads([1.0, 2.0], [[1.0, 2.0]]), ValueError, r"items must be \(n, d\) and weight \(1, n \* d\), got \(2,\) and \(1, 2\)"),
    (lambda: equivalence.dense_heads(THREE, np.ones((2, 6))), ValueError, r"got \(3, 2\) and \(2, 6\)"),
    (lambda: equivalence.dense_heads(THREE, [["a"]]), TypeError, "weight must hold real numbers"),
    (lambda: equivalence.kernel_heads(NIGHT, np.ones((3, 5)), (0, 0)), ValueError, r"image must be \(height, width\) and kernel \(3, 3\), got \(4, 5\) and \(3, 5\)"),
    (lambda: equivalence.kernel_heads(NIGHT[0], EDGES, (0, 0)), ValueError, r"got \(5,\) and \(3, 3\)"),
    (lambda: equivalence.kernel_heads(NIGHT, EDGES, (0, 5)), ValueError, r"pixel must lie within 4 rows and 5 columns, got \(0, 5\)"),
    (lambda: equivalence.kernel_heads(NIGHT, EDGES, (-1, 0)), ValueError, "each number of pixel must be at least 0, got -1"),
    (lambda: equivalence.kernel_heads(NIGHT, EDGES, (0.5, 0)), TypeError, "each number of pixel must be an integer, got float"),
    (lambda: equivalence.kernel_heads(NIGHT, EDGES, 3), TypeError, "pixel must be a sequence of two integers, got int"),
    (lambda: equivalence.kernel_heads(NIGHT, EDGES, (1, 2, 3)), ValueError, r"pixel must hold two integers, rows and columns, got \[1, 2, 3\]"),
    (lambda: equivalence.offsets(0, 6, 0, (0, 0)), ValueError, "width must be at least 1, got 0"),
    (lambda: equivalence.offsets(8, 6.0, 0, (0, 0)), TypeError, "height must be an integer, got float"),
    (lambda: equivalence.offsets(8, 6, 48, (0, 0)), ValueError, "pixel must be from 0 to 47, got 48"),
    (lambda: equivalence.offsets(8, 6, -1, (0, 0)), ValueError, "pixel must be at least 0, got -1"),
    (lambda: equivalence.offsets(8, 6, 7, (0, 1)), ValueError, r"from row 0, column 7, \(0, 1\) leads out of 6 rows and 8 columns"),
    (lambda: equivalence.offsets(8, 6, 7, (-1, 0)), ValueError, r"\(-1, 0\) leads out"),
    (lambda: equivalence.offsets(8, 6, 7, (1, .5)), TypeError, "each number of offset must be an integer, got float"),
    (lambda: equivalence.offsets(8, 6, 7, [1]), ValueError, r"offset must hold two integers, rows and columns, got \[1\]"),
    (lambda: equivalence.sharing(np.ones((2, 3)), [1.0], [1.0, 2.0]), ValueError, r"with an odd k, and items .* got \(2, 3\), \(1,\) and \(2,\)"),
    (lambda: equivalence.sharing(np.ones((2, 2)), [1.0, 2.0], [1.0, 2.0]), ValueError, r"got \(2, 2\), \(2,\) and \(2,\)"),
    (lambda: equivalence.sharing(np.ones((2, 2)), [1.0], [1.0]), ValueError, r"and \(1,\)"),
    (lambda: equivalence.sharing(np.ones((2, 2)), [[1.0]], [1.0, 2.0]), ValueError, r"\(1, 1\) and"),
    (lambda: equivalence.sharing(np.ones((2, 2)), [1.0], ["a", "b"]), TypeError, "items must hold real numbers"),
    (lambda: graphs.Network("rnn", 8), ValueError, "kind must be one of recurrent, convolution, dilated, attention, window, got 'rnn'"),
    (lambda: graphs.Network("window", 1), ValueError, "n must be from 2 to 32, got 1"),
    (lambda: graphs.paths(33, "window"), ValueError, "n must be from 2 to 32, got 33"),
    (lambda: graphs.paths(8.0, "window"), TypeError, "n must be an integer, got float"),
    (lambda: graphs.paths(8, "window", 9), ValueError, "source must be from 1 to 8, the number of one of the items, got 9"),
    (lambda: graphs.message_graph([[1.0]], ["a"]), ValueError, "names must be 2 to 12, got 1"),
    (lambda: graphs.message_graph(np.eye(2), ["a", 3]), ValueError, r"names must hold 2 names for a graph, got \['a', 3\]"),
    (lambda: graphs.message_graph([0.5, 0.5], ["a", "b"]), ValueError, r"weights must have shape \(2, 2\), a row for each node, got \(2,\)"),
    (lambda: graphs.message_graph([[0.5, 0.4], [0, 1]], ["a", "b"]), ValueError, r"the weights of node 0 must not be negative and must add up to 1, got \[0.5, 0.4\]"),
    (lambda: graphs.message_graph([[1, 0], [1.5, -0.5]], ["a", "b"], node=1), ValueError, "the weights of node 1 must not be negative"),
    (lambda: graphs.message_graph(np.eye(2), ["a", "b"], node=2), ValueError, "node must be from 0 to 1, the number of one of the nodes, got 2"),
    (lambda: graphs.message_graph(np.eye(2), ["a", "b"], node=True), TypeError, "node must be an integer, got bool"),
    (lambda: graphs.message_graph([[0, 1], [0, 1]], ["a", "b"], mask=np.eye(2, dtype=bool)), ValueError, "the weights of node 0 must be 0 where the mask hides a node"),
    (lambda: graphs.message_graph(np.eye(2), ["a", "b"], mask=np.ones((2, 3), bool)), ValueError, r"mask must have shape \(2, 2\), got \(2, 3\)"),
    (lambda: graphs.message_graph(np.eye(2), ["a", "b"], mask=np.eye(2)), TypeError, "mask must be boolean, True where a node may hear another, got dtype float64"),
    (lambda: graphs.rounds(np.ones((2, 3), bool), 0, 1), ValueError, r"mask must have shape \(n, n\) with n from 2 to 16, got \(2, 3\)"),
    (lambda: graphs.rounds(np.ones((17, 17), bool), 0, 1), ValueError, r"with n from 2 to 16, got \(17, 17\)"),
    (lambda: graphs.rounds(np.array(True), 0, 1), ValueError, r"with n from 2 to 16, got \(\)"),
    (lambda: graphs.rounds([[True, True], [True]], 0, 1), ValueError, "mask is no array"),
    (lambda: graphs.rounds(np.ones((3, 3), bool), 3, 1), ValueError, "source must be from 0 to 2, the number of one of the nodes, got 3"),
    (lambda: graphs.rounds(np.ones((3, 3), bool), 0, -1), ValueError, "count must be at least 0, got -1"),
    (lambda: palette.coloured("ink", "Q"), ValueError, "role must be one of query, key, value, weight, got 'ink'"),
    (lambda: palette.var("mauve"), ValueError, "no colour is called 'mauve'"),
]


@pytest.mark.parametrize("call, error, words", BAD)
def test_bad_input(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_row_names_say_their_language():
    html = draw.squares([[1.0], [2.0]], row_names=["je", "tu"], column_names=["I"], row_language="fr")._repr_html_()
    assert html.count(' lang="fr"') == 2 and ' lang=' not in draw.squares([[1.0]], row_names=["je"])._repr_html_()


# ---- how figures open

def alive(w, tmp_path, widget):
    """The page of one figure alone, come to life."""
    page = tmp_path / "figure.html"
    style, script = base.core_stylesheet() + base.stylesheet(widget.kind), base.script("core") + base.script(widget.kind)
    page.write_text(f"<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'><title>.</title><style>{style}</style>"
                    f"<body style='margin:0 16px'>{widget.html()}<script>{script}globalThis.attnkit.mount(document)</script></html>", encoding="utf-8")
    w.open(page.as_uri())
    assert not w.errors
    return w.page.locator(".ak-figure")


PANELS = """e => [...e.querySelectorAll('.ak-part')].map(part => ({
    name: part.querySelector('.ak-maths').textContent, colour: getComputedStyle(part.querySelector('.ak-maths')).color,
    frame: getComputedStyle(part.querySelector('.ak-frame')).borderTopColor,
    tops: [...part.querySelectorAll('.ak-tops span')].map(top => [top.textContent, top.getBoundingClientRect().left + top.getBoundingClientRect().width / 2]),
    middles: [...part.querySelectorAll('.ak-row')].slice(0, 1).flatMap(row => [...row.children].map(c => c.getBoundingClientRect().left + c.getBoundingClientRect().width / 2)),
    squares: [...part.querySelectorAll('.ak-sq')].map(c => c.textContent),
    chosen: [...part.querySelectorAll('.ak-row')].map(row => row.classList.contains('ak-chosen'))}))"""


@pytest.mark.browser
@pytest.mark.parametrize("width", [673, 360])
def test_head_stepper_opens_with_a_head_and_a_word(watched, tmp_path, width):
    """At the weights of a head: what is pressed, what the matrices are called and show, whose row is framed."""
    x, heads, w_output, names = layer()
    joined = [np.concatenate([head[k] for head in heads], axis=1) for k in range(3)]
    widget = HeadStepper(x, *joined, w_output, 2, names, step=3, head=1, selected=2)
    assert [widget.defaults[name] for name in ("step", "head", "selected")] == [3, 1, 2]
    with watched(width=width, reduced_motion="reduce") as w:
        found = alive(w, tmp_path, widget)
        assert found.locator("[aria-pressed=true]").all_inner_texts() == ["roses", "4 weigh", "head 2"]
        assert found.locator(".ak-live").inner_text().startswith("Weights of “roses” in head 2: Susan ")
        scores, weights = found.evaluate(PANELS)
        assert (scores["name"], weights["name"]) == ("S2", "A2 = softmax(S2)")
        assert weights["squares"] == [fixed(v) for v in widget.weights[1].flat] and weights["colour"] == weights["frame"] != scores["frame"]
        assert scores["chosen"] == weights["chosen"] == [False, False, True, False, False]
        assert [name for name, _ in scores["tops"]] == names and weights["tops"] == []
        for panel in (scores, weights):                                    # the words stand over the columns of both
            assert [middle for _, middle in scores["tops"]] == pytest.approx(panel["middles"], abs=1)
        found.get_by_role("button", name="1 project").click()
        signs_of = {"X": x, "WQ": joined[0], "WK": joined[1], "WV": joined[2], "Q": x @ joined[0], "K": x @ joined[1], "V": x @ joined[2]}
        panels = {panel["name"]: panel for panel in found.evaluate(PANELS)}
        assert set(panels) == set(signs_of)
        for name, numbers in signs_of.items():                             # row by row, slice by slice
            slices = [numbers] if name == "X" else [numbers[:, :2], numbers[:, 2:]]
            assert panels[name]["squares"] == [v for part in slices for row in signs(part) for v in row], name
        assert all(panels[f"W{letter}"]["colour"] == panels[letter]["frame"] for letter in "QKV")
        assert w.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def cases_of(*layers):
    """Layers for `SwappedWords`: each a pair of positions and heads."""
    return [{"positions": positions, "heads": heads, "weights": [[[1 - .1 * heads, 0, .1 * heads]] * heads] * 2, "output": [[1.0, 2.0], [1.0, 3.0]],
             "answers": [[[("Ann", 0.6), ("Bob", 0.4)]]] * 2} for positions, heads in layers]


FOUR = [(False, 1), (False, 2), (True, 1), (True, 2)]


@pytest.mark.browser
@pytest.mark.parametrize("opened", [0, 3])
def test_swapped_words_open_with_the_case_that_is_named(watched, tmp_path, opened):
    widget = SwappedWords(["Ann", "saw", "Bob"], (0, 2), 1, cases_of(*FOUR), ["Who saw?"], right=[0], opened=opened)
    positions, heads = FOUR[opened]
    assert {**widget.defaults} == {"positions": positions, "heads": heads, "swapped": False}
    rows = re.findall(r'<tr><th scope="row">(.*?)</th><td>(.*?)</td><td>(.*?)</td>', widget.still().split("</table>")[0])
    assert rows[0] == ("Ann saw Bob", "on" if positions else "off", str(heads)) and len(rows) == len(set(rows)) == 8
    with watched(width=673) as w:
        found = alive(w, tmp_path, widget)
        assert found.locator("[aria-pressed=true]").all_inner_texts() == [rows[0][1], rows[0][2]]
        found.get_by_role("button", name="off" if positions else "on").click()
        found.get_by_role("button", name="Reset").click()
        assert found.locator("[aria-pressed=true]").all_inner_texts() == [rows[0][1], rows[0][2]]


@pytest.mark.parametrize("opened, error, words", [(4, ValueError, "opened must be from 0 to 3, the number of one of the cases, got 4"),
                                                  (True, TypeError, "opened must be an integer, got True")])
def test_swapped_words_refuse_to_open_with_another_case(opened, error, words):
    with pytest.raises(error, match=words):
        SwappedWords(["Ann", "saw", "Bob"], (0, 2), 1, cases_of(*FOUR), ["Who saw?"], right=[0], opened=opened)


# ---- blocks

def box_of(drawn, name):
    """The box, or boxes, from the top, in which a name stands; bands behind boxes do not count."""
    return sorted((box for box in drawn.boxes if "--ak-quiet" in box.stroke and name in drawn.written_in(box)), key=lambda box: box.y)


def pairs(line):
    """The single lines of a path that begins anew for each."""
    return list(zip(line.points[::2], line.points[1::2]))


def looked_at(drawn, box):
    """Who looks at whom in a box, read from its dots and lines: a matrix, True where there is a line; and the lines' colour."""
    [line] = [line for line in drawn.lines if len(line.points) > 3 and all(box.holds(*point) for point in line.points)]
    heights = sorted({y for x, y in drawn.circles if box.holds(x, y)})
    above, below = (sorted(x for x, y in drawn.circles if y == height and box.holds(x, y)) for height in heights)
    found = np.zeros((len(below), len(above)), dtype=bool)
    for (x_above, y_above), (x_below, y_below) in pairs(line):
        assert [y_above, y_below] == heights
        found[below.index(x_below), above.index(x_above)] = True
    return found, line.stroke


def strong(drawn, x):
    """The pieces of the strong line, from the top: where each begins and ends."""
    return sorted((line.points[0][1], line.points[-1][1]) for line in drawn.lines
                  if "--ak-ink" in line.stroke and len(line.points) == 2 and {p[0] for p in line.points} == {x})


DOES = {"attention": ("attention", "words look at each other"), "mlp": ("MLP", "each word by itself")}


@pytest.mark.parametrize("shapes", [True, False])
@pytest.mark.parametrize("residual", [True, False])
@pytest.mark.parametrize("norm", ["pre", "post", None])
@pytest.mark.parametrize("parts", [("attention", "mlp"), ("mlp", "attention"), ("mlp",), "attention"])
def test_block_goes_through_its_parts_in_order(parts, norm, residual, shapes):
    picture = diagrams.block(parts=parts, norm=norm, residual=residual, shapes=shapes)
    parts = (parts,) if isinstance(parts, str) else parts
    drawn = Drawing(picture)
    each = [[*["layer norm"] * (norm == "pre"), *DOES[part], *["+"] * residual, *["layer norm"] * (norm == "post")] for part in parts]
    shape = " (n, d)" * shapes
    between = ["(n, d)"] * shapes
    wanted = [f"words x{shape}", *each[0], *(between + each[1] if len(each) > 1 else []), f"output{shape}"]
    assert [word.text for word in sorted(drawn.words, key=lambda word: word.y)] == wanted and not drawn.crowded()
    assert min(word.size for word in drawn.words) >= 16
    x = drawn.words[0].x
    boxes = [box for part in parts for box in box_of(drawn, DOES[part][0])]
    norms = box_of(drawn, "layer norm")
    assert len(norms) == (len(parts) if norm else 0) and all(box.centre[0] == (x if norm == "post" else boxes[0].centre[0]) for box in norms)
    # Each branch leaves the line, enters its first box from above, leaves the last from below and comes back to the line.
    quiet = [line.points for line in drawn.lines if "--ak-quiet" in line.stroke]
    leaves = [points for points in quiet if points[0][0] == x]
    returns = [points for points in quiet if x <= points[2][0] <= x + 13]
    assert len(leaves) == len(returns) == len(parts)
    for first, last, out, back in zip(norms if norm == "pre" else boxes, boxes, leaves, returns):
        assert out[2] == (first.centre[0], first.y) and back[0] == (last.centre[0], last.y + last.height)
        assert ((x, back[2][1]) in drawn.circles) == residual                                    # a knot: the plus
        if norm == "pre":
            assert any(points[0] == (first.centre[0], first.y + first.height) and points[1] == (last.centre[0], last.y) for points in quiet)
    # The strong line goes through, or is broken for as long as a branch lasts.
    pieces = strong(drawn, x)
    gaps = [(end, start) for (_, end), (start, _) in zip(pieces, pieces[1:]) if start > end]
    assert len(gaps) == (0 if residual else len(parts))
    assert all(abs(gap[0] - out[0][1]) <= 1 and abs(gap[1] - back[2][1]) <= 1 for gap, out, back in zip(gaps, leaves, returns))
    assert all(end <= box.y and box.y + box.height <= start for (end, start), box in zip(gaps, boxes))
    for part, box in zip(parts, boxes):
        looks, colour = looked_at(drawn, box)
        assert looks.tolist() == (np.ones((4, 4)) if part == "attention" else np.eye(4)).astype(bool).tolist()
        assert ("--ak-weight," in colour) == (part == "attention")
    told = re.findall(r"Words x|layer norm|attention|MLP|is added|Output", picture.alt.partition(": ")[2])
    assert told == ["Words x", *(word for steps in each for word in [{"+": "is added"}.get(step, step) for step in steps if " by " not in step and " at " not in step]), "Output"]
    assert ("one line, the residual stream, goes straight through" in picture.alt) == residual and ("n by d" in picture.alt) == shapes


def test_block_is_whole_by_itself():
    assert diagrams.block().html() == diagrams.block(parts=("attention", "mlp"), norm="pre", residual=True, shapes=True).html()


@pytest.mark.parametrize("count, options", [(1, {}), (np.int64(3), {}), (2, {"labels": ["it reads tired", "it finds animal"], "ends": ("words", "rows")})])
def test_stack_has_one_stream_through_all_blocks(count, options):
    picture = diagrams.stack(count, **options)
    drawn = Drawing(picture)
    labels = options.get("labels", [f"block {i + 1}" for i in range(count)])
    begin, end = options.get("ends", ("words in", "scores of the next word"))
    order = [word.text for word in sorted(drawn.words, key=lambda word: (word.y, word.x))]
    assert [w for w in order if w not in ("attention", "MLP")] == [begin, *labels, end] and order[0] == begin and order[-1] == end
    bands = [box for box in drawn.boxes if "--ak-ground" in box.fill]
    assert len(bands) == count and not drawn.crowded()
    for band, label in zip(bands, labels):
        assert sorted(drawn.written_in(band)) == sorted(["attention", "MLP", label])
    [(x, top, bottom)] = {(line.points[0][0], line.points[0][1], line.points[1][1]) for line in drawn.lines if "--ak-ink" in line.stroke and len(line.points) == 2}
    assert top < bands[0].y and bottom > bands[-1].y + bands[-1].height
    boxes = [box for name in ("attention", "MLP") for box in box_of(drawn, name)]
    for box in boxes:                                                # out of the stream into the box, and back
        ends = [(line.points[0][0], line.points[1][0]) for line in drawn.lines if box.y < line.points[0][1] < box.y + box.height]
        assert len(boxes) == 2 * count and [(a < b, min(a, b) - x < 5, max(a, b)) for a, b in ends] == [(True, True, box.x), (False, True, box.x)]
    assert re.findall("|".join([begin, *labels, end]), picture.alt) == [begin, *labels, end]


def roles(drawn):
    """The arrows of queries, keys and values: role, where it begins and ends."""
    found = [(role, line.points[0], line.points[1]) for line in drawn.lines for role in ("query", "key", "value") if f"--ak-{role}," in line.stroke]
    for role, start, end in found:                                    # each has its letter
        letters = [w for w in drawn.words if w.text == role[0].upper() and w.fill == palette.var(role)]
        assert any(abs(w.box.centre[0] - (start[0] + end[0]) / 2) < 20 and abs(w.box.centre[1] - (start[1] + end[1]) / 2) < 20 for w in letters)
    assert len([w for w in drawn.words if w.text in "QKV"]) == len(found)
    return found


SELF = {"encoder": ("words of a text", "both ways", np.ones((4, 4)), "one row"), "decoder": ("words so far", "looks back only", np.tril(np.ones((4, 4))), "scores of")}


@pytest.mark.parametrize("kind", SELF)
def test_encoder_and_decoder_look_at_their_own_words(kind):
    source, note, looks, end = SELF[kind]
    picture = diagrams.architecture(kind)
    drawn = Drawing(picture)
    [words], [attends] = box_of(drawn, source), box_of(drawn, note)
    found = roles(drawn)
    assert [role for role, *_ in found] == ["query", "key", "value"]
    assert all(start[1] == words.y + words.height and attends.y == stop[1] for _, start, stop in found)
    matrix, colour = looked_at(drawn, attends)
    assert matrix.tolist() == looks.astype(bool).tolist() and "--ak-weight," in colour
    order = [word.text for word in sorted(drawn.words, key=lambda word: word.y) if word.text not in "QKV"]
    assert order[:5] == [kind, source, "attention", note, end] and not drawn.crowded()
    assert picture.alt.startswith(f"{kind.capitalize()}: queries, keys and values come from the same words.")


def test_cross_attention_asks_with_the_decoder_and_is_answered_by_the_encoder():
    picture = diagrams.architecture("encoder-decoder")
    drawn = Drawing(picture)
    [reads], [writes], [rows], [cross] = (box_of(drawn, name) for name in ("both ways", "looks back only", "one row", "cross-attention"))
    own, crossing = {}, {}
    for role, start, end in roles(drawn):
        if end[1] < cross.y:
            name, box = next((name, box) for name, text, box in (("reads", "text to read", reads), ("writes", "words so far", writes)) if box.x < end[0] < box.x + box.width)
            own.setdefault(name, []).append(role)
            assert end[1] == box.y and start[1] == box_of(drawn, {"reads": "text to read", "writes": "words so far"}[name])[0].y + 36
        else:
            crossing[role] = start, end
    assert own == {name: ["query", "key", "value"] for name in ("reads", "writes")} and set(crossing) == {"query", "key", "value"}
    assert crossing["query"] == ((writes.centre[0], writes.y + writes.height), (cross.centre[0], cross.y))
    for role in ("key", "value"):
        start, end = crossing[role]
        assert start[0] == rows.x + rows.width and end[0] == cross.x and rows.y < start[1] == end[1] < rows.y + rows.height and rows.y == cross.y
    assert any(line.points[0] == (reads.centre[0], reads.y + reads.height) and line.points[1] == (rows.centre[0], rows.y) for line in drawn.lines)
    shapes = {name: looked_at(drawn, box)[0] for name, box in (("reads", reads), ("writes", writes), ("cross", cross))}
    assert shapes["cross"].all() and shapes["cross"].shape == (len(shapes["writes"]), len(shapes["reads"])) and shapes["reads"].all()
    assert np.array_equal(shapes["writes"], np.tril(np.ones((3, 3), dtype=bool))) and not drawn.crowded()
    assert "the queries come from the words so far, the keys and values from the encoder's rows" in picture.alt


def test_architectures_come_in_the_order_of_their_names():
    kinds = ["decoder", "encoder-decoder", "encoder"]
    assert diagrams.architecture(*kinds).alt == " ".join(diagrams.architecture(kind).alt for kind in kinds)


# ---- where a word looks

TIRED = "The animal did not cross the road because it was too tired".split()
LOOKS = np.array([[.01, .1, .01, .01, .01, .01, .06, .01, .2, .01, .02, .55], [0, .9, 0, 0, 0, 0, .1, 0, 0, 0, 0, 0]])


def marked(drawn, words):
    """The boxes of the words, row by row, with what stands in them."""
    boxes = [(box, *drawn.written_in(box)) for box in drawn.cells]
    assert len(boxes) % len(words) == 0
    return [boxes[k:k + len(words)] for k in range(0, len(boxes), len(words))]


@pytest.mark.parametrize("words, weights, asking", [(TIRED, LOOKS, 8), (TIRED * 3, np.tile(LOOKS, 3)[:, ::-1] / 3, 1), (["a", "b", "it"], [[.3, .3, .4]], 2)])
def test_words_have_the_colour_of_their_weights(words, weights, asking):
    weights = np.asarray(weights)
    names = [f"layer {i + 1}" for i in range(len(weights))]
    picture = diagrams.attention_over_words(words, weights, asking=asking, row_names=names)
    drawn = Drawing(picture)
    rows = marked(drawn, words)
    assert len(rows) == len(weights) and not drawn.crowded() and picture.parts[0].least <= PHONE
    for name, row, numbers in zip(names, rows, weights):
        assert [said for _, said in row] == words
        assert np.allclose([box.opacity for box, _ in row], numbers * palette.DEPTH, atol=6e-4) and all("--ak-fill-weight" in box.fill for box, _ in row)
        assert [i for i, (box, _) in enumerate(row) if "--ak-ink" in box.stroke] == [asking]
        above = {i: [w.text for w in drawn.words if w.x == pytest.approx(box.centre[0]) and 0 < box.y - w.y < 10 and "--ak-weight," in w.fill] for i, (box, _) in enumerate(row)}
        largest = [i for i in np.argsort(-numbers, kind="stable")[:3] if fixed(numbers[i]) != "0.00"]
        assert {i: text for i, text in above.items() if text} == {i: [fixed(numbers[i])] for i in largest}
        assert any(w.text == name and w.y < row[0][0].y for w in drawn.words)
        most = ", ".join(f"{words[i]} {fixed(numbers[i])}" for i in largest)
        assert f"{name}: {most}." in picture.alt
    assert picture.alt.startswith(f"Where “{words[asking]}” looks in “{' '.join(words)}”. layer 1: ")


def test_arcs_lead_from_the_word_that_asks():
    """One for each word with two hundredths or more, the thicker and darker the more; none where the words need two lines."""
    picture = diagrams.attention_over_words(TIRED, LOOKS, asking=8)
    drawn = Drawing(picture)
    widths = [tuple(map(float, pair)) for pair in re.findall(r'stroke-width="([\d.]+)" stroke-opacity="([\d.]+)"', picture.parts[0].body)]
    arcs = [line.points for line in drawn.lines]
    wanted = [(row, i) for row, weights in enumerate(LOOKS) for i in np.flatnonzero(weights >= .02) if i != 8]
    rows = marked(drawn, TIRED)
    assert len(arcs) == len(widths) == len(wanted) == 6
    for (row, i), (start, end), look in zip(wanted, arcs, widths):
        assert start[0] == pytest.approx(rows[row][8][0].centre[0], abs=.01) and end[0] == pytest.approx(rows[row][i][0].centre[0], abs=.01)
        assert rows[row][i][0].y - 20 <= end[1] < rows[row][i][0].y
        assert look == pytest.approx((1 + 5 * LOOKS[row, i], .35 + .65 * LOOKS[row, i]), abs=.005)
    assert not Drawing(diagrams.attention_over_words(TIRED * 2, np.tile(LOOKS[0], 2) / 2, asking=8)).lines


def test_one_row_of_weights_needs_no_name():
    assert diagrams.attention_over_words(["a", "it"], [0, 0], asking=1).alt == "Where “it” looks in “a it”. Most: nothing."


# ---- translators that read word by word

LOVE, AIME = ["I", "love", "you"], ["je", "t'", "aime"]
QUEEN, REINE = "we do not admire the young queen".split(), "nous n' admirons pas la jeune reine".split()


def arrows(drawn):
    """Where arrows lead: pairs of what each comes from and ends at, the words in a box or else the word beside."""
    def thing(point):
        edges = [box for box in drawn.boxes if box._replace(x=box.x - 1, y=box.y - 1, width=box.width + 2, height=box.height + 2).holds(*point)]
        if edges:
            return " ".join(drawn.written_in(edges[0])) or "vector"
        def away(word):                                                # from the room of its letters
            x, y, wide, deep = word.box[:4]
            return np.hypot(max(x - point[0], 0, point[0] - x - wide), max(y - point[1], 0, point[1] - y - deep))
        word = min((word for word in drawn.words if not re.fullmatch(r"y\d+", word.text)), key=away)         # a word, not its symbol
        assert away(word) < 20
        return word.text
    heads = [line.points for line in drawn.lines if "--ak-quiet" in line.stroke]
    assert all(points[-1] != points[-2] == points[-4] for points in heads)              # a head's two barbs meet at its tip
    return sorted((thing(points[0]), thing(points[-2])) for points in heads)


def crossed(drawn):
    """The words that a line goes through."""
    along = np.linspace(0, 1, 201)[:, None]
    x, y = np.concatenate([np.array(a) + along * (np.array(b) - a) for line in drawn.lines for a, b in zip(line.points, line.points[1:])]).T
    return [word.text for word in drawn.words for box in [word.box]
            if ((box.x <= x) & (x <= box.x + box.width) & (box.y <= y) & (y <= box.y + box.height)).any()]


def in_french(picture):
    """The words that say they are French."""
    return [unescape(word) for word in re.findall(r'lang="fr"[^>]*>(.*?)<', picture.parts[0].body)]


def is_clear(picture):
    """Nothing overlaps, and no line goes through a word."""
    drawn = Drawing(picture)
    assert not drawn.crowded() and not crossed(drawn)
    assert not [(a, b) for i, a in enumerate(drawn.boxes) for b in drawn.boxes[i + 1:] if a.meets(b)]
    return drawn


@pytest.mark.parametrize("english, french", [(LOVE, AIME), (QUEEN, REINE), (["go"], ["va", "anticonstitutionnellement"])])
def test_one_vector_goes_from_the_encoder_to_the_decoder(english, french):
    picture = recurrent.encoder_decoder(english, french)
    drawn = is_clear(picture)
    read, written = ([f"{letter}{i + 1}" for i in range(len(words))] for letter, words in (("h", english), ("s", french)))
    chain = [*read, "vector", *written]
    assert arrows(drawn) == sorted([*zip(chain, chain[1:]), *zip(english, read), *zip(written, french), *zip(["start", *french], written)])
    assert [" ".join(drawn.written_in(box)) for box in sorted(drawn.boxes, key=lambda box: box.x) if drawn.written_in(box)] == [*read, *written]
    assert [word.text for word in drawn.words if "vector" in word.text] == ["vector"] and (english != LOVE or picture.parts[0].least <= PHONE)
    assert in_french(picture) == french
    assert f"The last one, {read[-1]}, is the one vector" in picture.alt and f"write {', '.join(french)};" in picture.alt


STEPS = [(LOVE, AIME, [.11, .01, .88], 2), (LOVE, AIME, None, 1), (QUEEN, REINE, [.02, .1, .08, .7, .05, .02, .03], 3), (["go"], ["va", "vite"], [1], 2), (QUEEN * 2, REINE * 2, None, 12)]


@pytest.mark.parametrize("english, french, weights, step", STEPS)
def test_a_step_with_attention_asks_with_the_state_before(english, french, weights, step):
    picture = recurrent.translator(english, french, weights, step)
    drawn = is_clear(picture)
    h, (before, word) = [f"h{j + 1}" for j in range(len(english))], ["start", *french][step - 1:step + 1]
    past, new, context = f"s{step - 1}", f"s{step}", f"c{step}"
    assert in_french(picture) == french[max(step - 2, 0):step]
    assert arrows(drawn) == sorted([*zip(english, h), *zip(h, h[1:]), *zip(h[1:], h), (past, new), (context, new), (before, new),
                                    (new, "read-out"), (context, "read-out"), (before, "read-out"), ("read-out", word)])
    boxes = {" ".join(drawn.written_in(box)): box for box in drawn.boxes}
    [asks] = [line.points for line in drawn.lines if "--ak-query," in line.stroke]
    assert asks[0] == (boxes[past].centre[0], boxes[past].y + boxes[past].height) and "--ak-query," in boxes[past].stroke
    assert [x for x, _ in drawn.circles] == [boxes[name].centre[0] for name in h] and {y for _, y in drawn.circles} == {asks[-1][1]} and asks[-1] == drawn.circles[-1]
    symbols = {word.text for word in drawn.words}
    assert {f"y{step - 1}", f"y{step}"} <= symbols and len(symbols & {"query", "weights", "context", "annotations", "keys,", "values"}) == 6
    for name in h:                                                       # both roles on the frame of each
        frame = [line for line in drawn.lines if any(f"--ak-{role}," in line.stroke for role in ("key", "value")) and all(boxes[name].holds(*p) for p in line.points) and len(line.points) > 2]
        assert sorted(line.stroke.split(",")[0] for line in frame) == ["var(--ak-key", "var(--ak-value"]
    assert f"The query is the state before, {past};" in picture.alt and f"From {new}, {context} and {before} the read-out writes {word}." in picture.alt


@pytest.mark.parametrize("english, french, weights, step", STEPS)
def test_the_lines_to_the_context_are_as_thick_as_the_weights(english, french, weights, step):
    picture = recurrent.translator(english, french, weights, step)
    drawn = Drawing(picture)
    lines = [line.points for line in drawn.lines if "--ak-weight," in line.stroke]
    looks = [tuple(map(float, pair)) for pair in re.findall(r'stroke-width="([\d.]+)" stroke-opacity="([\d.]+)"', picture.parts[0].body)]
    context = box_of(drawn, f"c{step}")[0]
    assert [line[0] for line in lines] == drawn.circles and all(context._replace(height=context.height + 1).holds(*line[-1]) for line in lines)
    assert looks == [pytest.approx((2, 1) if weights is None else (1 + 5 * w, .35 + .65 * w), abs=.005) for w in weights or english]
    for j, (x, y) in enumerate(drawn.circles):
        beside = sorted((word for word in drawn.words if "--ak-weight," in word.fill and 0 < word.x - x < 20), key=lambda word: word.y)
        pair = f"{step},{j + 1}" if max(step, j + 1) > 9 else f"{step}{j + 1}"
        assert [word.text for word in beside] == [f"α{pair}", *([] if weights is None else [fixed(weights[j])])] and all(word.y < y for word in beside)
    assert ("The weights: " in picture.alt) == (weights is not None) and (weights is None or all(f"{word} {fixed(w)}" in picture.alt for word, w in zip(english, weights)))


def test_rounded_weights_are_weights():
    assert "b 0.33" in recurrent.translator(["a", "b", "c"], ["d"], [.33, .33, .33]).alt


# ---- pictures of pixels

def embedded(part):
    """The pixels of the images that a drawing holds, with the box of each on the drawing, in order."""
    found = re.findall(r'<image x="([^"]*)" y="([^"]*)" width="([^"]*)" height="([^"]*)"[^>]*href="data:image/png;base64,([^"]*)"', part.body)
    return [(tuple(map(float, box)), matplotlib.image.imread(io.BytesIO(base64.b64decode(data)))) for *box, data in found]


def coloured(rng, height, width):
    """A picture whose colours are those of a screen, so that a PNG holds them exactly."""
    return rng.integers(0, 256, (height, width, 3)) / 255


@pytest.mark.parametrize("height, width, label", [(12, 12, "picture"), (1, 7, "wider than this"), (64, 64, "")])
def test_a_colour_image_holds_its_pixels(height, width, label):
    x = coloured(np.random.default_rng(1), height, width)
    [part] = images.colour_image(x, alt="Noise.", label=label, side=5).parts
    [((left, top, wide, deep), pixels)] = embedded(part)
    assert np.allclose(pixels, x, atol=1e-6) and (wide, deep) == (5 * width, 5 * height) and part.body.count("<image") == 1
    assert 0 <= left and left + wide <= part.width and top + deep <= part.height
    drawn = Drawing(Picture(part))
    assert [word.text for word in drawn.words] == [label] * bool(label) and all(word.box.within(drawn.page) and word.y < top for word in drawn.words)
    assert np.array_equal(embedded(images.colour_image([[[0, .5, .999]]], alt="A").parts[0])[0][1][0, 0], np.array([0, 128, 255], np.float32) / 255)


@pytest.mark.parametrize("height, width, size", [(12, 12, 3), (4, 8, 4), (16, 16, 2), (3, 3, 3), (2, 24, 2)])
def test_patches_stand_in_a_row_like_words(height, width, size):
    """Each patch once, in reading order, under its number and above an arrow that ends at its vector."""
    x, across = coloured(np.random.default_rng(2), height, width), width // size
    picture = images.patches(x, size)
    whole, row = picture.parts[0], picture.parts[2]
    [((left, top, wide, _), pixels)] = embedded(whole)
    assert np.allclose(pixels, x, atol=1e-6)
    cut, drawn = embedded(row), Drawing(picture, 2)
    assert len(cut) == across * height // size
    numbers = sorted((word for word in drawn.words if word.text.isdigit()), key=lambda word: int(word.text))
    paths = [line for line in drawn.lines if len(line.points) == 5 and line.points[1][0] == line.points[0][0]]        # down, and the two barbs
    squares = [line.points for line in drawn.lines if len(line.points) == 20]
    for k, (((x0, y0, side, _), patch), number) in enumerate(zip(cut, numbers, strict=True)):
        i, j = divmod(k, across)
        assert np.allclose(patch, x[i * size:(i + 1) * size, j * size:(j + 1) * size], atol=1e-6) and number.text == str(k + 1)
        assert number.x == x0 + side / 2 and 0 < y0 - number.y < 10
        [start, end] = next([line.points[0], line.points[1]] for line in paths if line.points[0][0] == number.x and 0 < line.points[0][1] - y0 - side < 8)
        vector = next(points for points in squares if min(px for px, _ in points) < end[0] < max(px for px, _ in points) and 0 < min(points)[1] - end[1] < 8)
        assert start[1] < end[1] < vector[0][1]
        spot = next(word for word in Drawing(picture).words if word.text == number.text)
        assert left + j * wide / across < spot.x < left + (j + 1) * wide / across and top + i * wide / across < spot.y < top + (i + 1) * wide / across
    assert not drawn.crowded() and not Drawing(picture).crowded() and not crossed(drawn) and max(whole.least, row.least) <= PHONE
    assert f"cut into {len(cut)} patches of {size} by {size}, numbered" in picture.alt


def faces(part, colour):
    """The boxes around the faces of blocks that are filled in a colour: left, top, right, bottom."""
    outlines = [[float(n) for n in re.findall(r"[-\d.]+", outline)] for path in re.findall(rf'<path d="([^"]*)" fill="var\(--ak-{colour},', part.body)
                for outline in path.split("Z") if outline]
    return [(min(points[::2]), min(points[1::2]), max(points[::2]), max(points[1::2])) for points in outlines]


@pytest.mark.parametrize("sides, places", [(("H", "W", "C"), "HW"), ((12, 16, 3), "192"), (("H", 12, 3), "H12")])
def test_the_cube_shows_which_axis_is_summed_over(sides, places):
    """Lit are the numbers that are summed, and the one that comes of them: a whole channel, or all channels of a place, or of two."""
    picture = images.axes_cube(*sides)
    height, width, channels = map(str, sides)
    wanted = [([height, width, channels, "1", "1", channels], f"{channels} gates", 4 * 4 + 4 + 4, "over the places"),
              ([height, width, channels, height, width, "1"], f"{height} × {width} gates", 1 + 3 + 3, "over the channels"),
              ([height, width, channels, places, places], f"{places} × {places} weights", 0, "over the channels")]
    for k, (edges, gives, summed, over) in enumerate(wanted):
        part, drawn = picture.parts[k], Drawing(picture, k)
        words = [word.text for word in drawn.words]
        assert all(words.count(edge) == edges.count(edge) for edge in edges) and gives in words and f"summed {over}" in words
        assert len(faces(part, "fill-positive")) == summed and len(faces(part, "fill-weight")) == (1 if k == 2 else 3)
        assert gives in part.alt and over in part.alt and ("softmax" in part.alt) == (k == 2) and ("sigmoid" in part.alt) == (k < 2)
        assert not drawn.crowded() and not crossed(drawn) and part.least <= PHONE / 2
    key, query = (faces(picture.parts[2], role) for role in ("key", "query"))
    assert len(key) == 1 + 3 and len(query) == 1 + 3 + 3                  # the query's place is at the edge of the block
    # The lit weight is in the query's row and in the key's column: the fourth place and the first, counted row by row.
    [(left, top, right, bottom)] = faces(picture.parts[2], "fill-weight")
    ground = faces(picture.parts[2], "ground")[-255:]
    assert sorted({box[1] for box in ground}).index(top) == 3 and min(box[0] for box in ground) == left
    assert {word.text: word.fill for word in Drawing(picture, 2).words if word.text in ("key", "query")} == {role: palette.var(role) for role in ("key", "query")}
# ---- layers as heads

THREE, DENSE = np.array([[1.0, 2.0], [0, -1], [3, 1]]), np.array([[.5, -1, 2, 1, 1, .5]])
NIGHT, EDGES = np.array([[0, 0, 1, 2, 2], [0, 1, 3, 2, 2], [0, 1, 4, 4, 1], [1, 2, 4, 3, 1.5]]), np.array([[-1.0, 0, 1], [-2, 0, 2], [-1, 0, .5]])


def tints(picture, part):
    """The bands of a drawing: how strong each is, and the corners of its way round."""
    body = picture.parts[part].body
    return [(float(tint), corners(path)) for path, tint in re.findall(r'<path d="([^"]*)" fill="var\(--ak-quiet[^>]*fill-opacity="([\d.]+)"', body)]


def held_by(drawn, frame):
    """The numbers in the squares of a frame, row by row."""
    return said(drawn, dict(drawn.blocks())[frame])


@pytest.mark.parametrize("x, w", [(THREE, DENSE), (np.arange(8.0).reshape(4, 2) - 3, -np.arange(8.0)[None] / 4), (np.array([[2.0, -12.5, 0]]), np.array([[1.0, 1, 4]]))])
def test_a_dense_layer_and_its_heads_make_the_same_of_the_same_blocks(x, w):
    picture = equivalence.dense_heads(x, w, digits=2)
    layer, heads = Drawing(picture), Drawing(picture, 2)
    n, d = x.shape
    output, weights = multi_head_attention(x[:1], x, x, **dense_as_attention(w, num_items=n))
    blocks = w.reshape(n, d)
    assert picture.parts[1] == "=" and not layer.crowded() and not heads.crowded()
    # On the left: blocks from the top, items from the left, the output where row and column meet.
    *frames, made = [frame for frame, _ in layer.blocks()]
    standing, row = [sorted(group, key=key) for group, key in ((frames[::2], lambda f: f.y), (frames[1::2], lambda f: f.x))]
    assert [held_by(layer, f) for f in standing] == [written(b[:, None], 2) for b in blocks] and len({f.x for f in standing}) == 1
    assert [held_by(layer, f) for f in row] == [written(item[None], 2) for item in x] and {f.y for f in row} == {made.y}
    assert held_by(layer, made) == written(output, 2) and made.centre[0] == pytest.approx(standing[0].centre[0])
    # A band leads from each item to its block, and no other touches them; on the right it has the same tint, and the block is level.
    for i, ((tint, way), (other, band)) in enumerate(zip(tints(picture, 0), tints(picture, 2), strict=True)):
        xs, ys = zip(*way)
        assert tint == other and min(xs) <= row[i].x and max(ys) >= row[i].y and min(ys) <= standing[i].y and max(xs) >= standing[i].x + standing[i].width
        assert min(xs) == pytest.approx(row[i].x, abs=4) and min(ys) == pytest.approx(min(y for _, y in band))
        beside = [f for f in dict(heads.blocks()) if min(y for _, y in band) <= f.y and f.y + f.height <= max(y for _, y in band)]
        looks, reads, block, adds = sorted(beside, key=lambda f: f.x)
        assert held_by(heads, looks) == [[fixed(v, 0) for v in weights[i, 0]]] and held_by(heads, reads) == written(weights[i] @ x, 2)
        assert held_by(heads, block) == written(blocks[i][:, None], 2) and held_by(heads, adds) == [[fixed(x[i] @ blocks[i])]]
        assert block.y == standing[i].y and "--ak-weight," in looks.stroke and "--ak-value," in reads.stroke
        assert f"Head {i + 1} adds {fixed(x[i] @ blocks[i])}." in picture.alt and f"head {i + 1}" in [word.text for word in heads.words]
    assert len({tint for tint, _ in tints(picture, 0)}) == n
    summed = [f for f in dict(heads.blocks()) if f.y == made.y]
    assert [held_by(heads, f) for f in summed] == [written(output, 2)] and summed[0].x == adds.x
    assert picture.parts[0].height == picture.parts[2].height and picture.alt.endswith(f"the same output, {fixed(output[0, 0])}.")


@pytest.mark.parametrize("pixel", [(2, 2), (0, 0), (3, 1)])
def test_nine_heads_look_one_step_away(pixel):
    picture = equivalence.kernel_heads(NIGHT, EDGES, pixel)
    shown, heads, made = (Drawing(picture, part) for part in (0, 1, 3))
    x = NIGHT.reshape(-1, 1)
    arguments = convolution_as_attention(EDGES[None, None], shape=NIGHT.shape)
    output, weights = multi_head_attention(x, x, x, **arguments)
    query = np.ravel_multi_index(pixel, NIGHT.shape)
    assert picture.parts[2] == "=" and not any(drawn.crowded() for drawn in (shown, heads, made))
    # The picture: its numbers, a frame around the query, an arrow to each neighbour that there is.
    cells = [box for box in shown.boxes if shown.written_in(box) and box.fill != "none"]
    assert [float(shown.written_in(cell)[0]) for cell in cells] == NIGHT.ravel().tolist()
    assert [box.centre for box in shown.boxes if "--ak-query," in box.stroke] == [cells[query].centre]
    ends = [line.points[1] for line in shown.lines]
    assert [sum(cell.holds(*end) for end in ends) + sum(at == pytest.approx(cell.centre) for at in shown.circles) for cell in cells] == weights[:, query].sum(axis=0).tolist()
    assert all(cells[query].holds(*line.points[0]) for line in shown.lines) and not crossed(shown)
    # The heads: a small picture each, arranged as the kernel is.
    frames = [box for box in heads.boxes if "--ak-quiet" in box.stroke]
    assert len(frames) == 9 and len({f.x for f in frames}) == len({f.y for f in frames}) == 3
    for frame, look, number in zip(sorted(frames, key=lambda f: (f.y, f.x)), weights[:, query].reshape(9, *NIGHT.shape), EDGES.ravel()):
        side = frame.width / NIGHT.shape[1]
        def at(box, frame=frame, side=side):
            return int((box.centre[1] - frame.y) / side), int((box.centre[0] - frame.x) / side)
        inside = [box for box in heads.boxes if box.within(frame) and box != frame]
        assert [at(box) for box in inside if "--ak-query," in box.stroke] == [pixel]
        assert [at(box) for box in inside if "--ak-fill-weight" in box.fill] == [tuple(p) for p in np.argwhere(look)]
        below = [word for word in heads.words if 0 < word.y - frame.y - frame.height < 30 and abs(word.x - frame.centre[0]) < frame.width * .8]
        assert [word.text for word in sorted(below, key=lambda word: word.x)] == [plain(number), "×", plain((look * NIGHT).sum())]
    assert made.written_in(made.cells[0]) == [plain(output[query, 0])] and picture.alt.endswith(f"the output there: {plain(output[query, 0])}.")
    assert [box.centre for box in made.boxes if "--ak-query," in box.stroke] == [made.cells[0].centre]


@pytest.mark.parametrize("width, height, pixel, offset, told", [
    (8, 6, 27, (1, -1), "1 row down and 1 column left: 27 + 1 × 8 − 1 = 34"), (5, 3, 12, (-2, 2), "2 rows up and 2 columns right: 12 − 2 × 5 + 2 = 4"),
    (12, 9, 100, (0, 3), "3 columns right: 100 + 3 = 103"), (4, 4, 1, (1, 0), "1 row down: 1 + 1 × 4 = 5"), (2, 2, 3, (0, 0), "no step: 3 = 3")])
def test_a_row_down_adds_the_width(width, height, pixel, offset, told):
    picture = equivalence.offsets(width, height, pixel, offset)
    drawn = Drawing(picture)
    target = np.ravel_multi_index(np.unravel_index(pixel, (height, width)) + np.array(offset), (height, width))
    cells = [box for box in drawn.boxes if box.fill != "none"]
    assert [drawn.written_in(cell) for cell in cells] == [[str(i)] for i in range(width * height)] and not drawn.crowded()
    assert [(c.x, c.y) for c in cells] == sorted(((c.x, c.y) for c in cells), key=lambda at: at[::-1])
    assert [i for i, cell in enumerate(cells) if "--ak-fill-weight" in cell.fill] == [target]
    assert [box.centre for box in drawn.boxes if "--ak-query," in box.stroke] == [cells[pixel].centre]
    # An arrow from a pixel to its neighbour; along the right edge the rows, along the upper edge the columns.
    arrows = [line.points[:2] for line in drawn.lines]
    direct = [ends for ends in arrows if all(any(cell.holds(*at) for cell in cells) for at in ends)]
    near = max(map(abs, offset)) == 1
    assert len(direct) == near and len(arrows) == near + np.count_nonzero(offset) and not (arrows and crossed(drawn))
    assert all(cells[pixel].holds(*start) and cells[target].holds(*end) for start, end in direct)
    down = [(a, b) for a, b in arrows if a[0] == b[0] > cells[-1].x + cells[-1].width]
    aside = [(a, b) for a, b in arrows if a[1] == b[1] < cells[0].y]
    assert [(a[1], b[1]) for a, b in down] == [(cells[pixel].centre[1], cells[target].centre[1])] * bool(offset[0])
    assert [(a[0], b[0]) for a, b in aside] == [(cells[pixel].centre[0], cells[target].centre[0])] * bool(offset[1])
    below = [word.text for word in drawn.words if word.y > cells[-1].y + cells[-1].height]
    assert picture.alt.endswith(f" From pixel {pixel}, {told}.") and " ".join(below) == told.split(": ")[1]


@pytest.mark.parametrize("items", [[.6, -.4, 1.2, .9, -1.0], [[1.0, 0], [0, 1], [1, 1], [-1, .5], [0, 0]]])
def test_what_is_learned_for_each_pair_and_what_is_shared(items):
    weight, kernel = np.arange(25.0).reshape(5, 5) / 10 - 1, [-1.0, .5, 2]
    picture = equivalence.sharing(weight, kernel, items)
    drawings = [Drawing(picture, part) for part in range(3)]
    items = np.reshape(items, (5, -1))
    weights = attention(items, items, items)[1]
    band = sum(np.eye(5, k=k - 1) * number for k, number in enumerate(kernel))
    empty = ~np.array(sum(np.eye(5, k=k) for k in (-1, 0, 1)), dtype=bool)
    squares = []
    for drawn, numbers, digits in zip(drawings, (weight, band, weights), (1, 1, 2)):
        boxes = [box for box in drawn.boxes if "--ak-grid" in box.stroke][:25] if drawn is not drawings[2] else drawn.cells[-25:]
        told = [["".join(drawn.written_in(box)) for box in boxes[5 * i:5 * i + 5]] for i in range(5)]
        assert told == [["" if drawn is drawings[1] and gone else fixed(v, digits) for v, gone in zip(*rows)] for rows in zip(numbers, empty)]
        squares.append([(box.x, box.y) for box in boxes])
        looks = {(box.fill, box.opacity) for box in boxes if drawn.written_in(box)}
        assert len(looks) == len({round(v, 9) for v, gone in zip(numbers.flat, empty.flat) if not (gone and drawn is drawings[1])}) or drawn is drawings[2]
        assert not drawn.crowded()
    assert squares[0] == squares[1] == squares[2], "all three stand at the same places"
    assert all("--ak-fill-weight" in cell.fill for cell in drawings[2].cells[-25:]) and not any("weight" in cell.fill for cell in drawings[0].cells + drawings[1].cells)
    asks, asked = [frame for frame, _ in drawings[2].blocks() if any(f"--ak-{role}," in frame.stroke for role in ("query", "key"))]
    assert "--ak-query," in asks.stroke and "--ak-key," in asked.stroke
    assert held_by(drawings[2], asks) == written(items) and held_by(drawings[2], asked) == written(items.T)
    assert [level.y for [level, *_] in dict(drawings[2].blocks())[asks]] == [y for _, y in squares[2][::5]], "level with their rows"
    assert [cell.x for cell in dict(drawings[2].blocks())[asked][0]] == [x for x, _ in squares[2][:5]], "above their columns"
    for part, drawn in zip(picture.parts, drawings):
        words = [word.text for word in drawn.words]
        assert part.alt.startswith(f"{words[0].capitalize()}: {' '.join(words[-2:])}. ")
    assert [Drawing(picture, part).words[-2].text for part in (0, 1)] == ["25 learned numbers,", "3 learned numbers,"]


@pytest.mark.parametrize("n, kernel", [(1, [2.0]), (2, [-1, 0, 1]), (4, [1, 2, 3, 4, 5])])
def test_notes_below_few_items_have_room(n, kernel):
    picture = equivalence.sharing(np.ones((n, n)), kernel, np.ones(n))
    assert not any(Drawing(picture, part).crowded() for part in range(3))
    assert [Drawing(picture, part).words[-2].text for part in (0, 1)] == [
        f"{count} learned {'number' if count == 1 else 'numbers'}," for count in (n * n, len(kernel))]
# ---- networks over a sequence, and graphs

def strokes(picture, part=0):
    """The lines of a drawing by colour and thickness: {(colour, width): [points, ...]}."""
    drawn, found = Drawing(picture, part), {}
    widths = re.findall(r'<path [^>]*stroke-width="([\d.]+)"', picture.parts[part].body)
    for line, width in zip(drawn.lines, widths, strict=True):
        found.setdefault((re.search(r"--ak-(\w+)", line.stroke)[1], float(width)), []).append(line.points)
    return found


@pytest.mark.parametrize("n, kind, source", [(8, "recurrent", 1), (8, "convolution", 1), (8, "attention", 4), (13, "dilated", 2), (16, "window", 16), (32, "convolution", 5), (2, "window", 2)])
def test_paths_draw_the_network(n, kind, source):
    picture, network = graphs.paths(n, kind, source), graphs.Network(kind, n)
    drawn, lines, far = Drawing(picture), strokes(picture), network.distances(source)
    numbers = {word.text: word for word in drawn.words if word.text.isdigit()}
    assert list(numbers) == [str(k + 1) for k in range(n)] and not drawn.crowded() and not crossed(drawn)
    columns = [numbers[str(k + 1)].x for k in range(n)]
    heights = sorted({y for points in lines["value", 10] for _, y in points} | {y for points in lines.get(("quiet", 5), []) for _, y in points}, reverse=True)
    assert len(heights) == network.layers + 1 and np.ptp(np.diff(heights)) < .11

    def nodes(*look):       # a dot is drawn from its middle to a tenth of a pixel beside it
        pairs = [(int(np.argmin(np.abs(np.subtract(columns, x)))), x, heights.index(y)) for points in lines.get(look, []) for x, y in points]
        assert all(abs(columns[place] - x) < .11 for place, x, _ in pairs)
        return [level * n + place for place, _, level in pairs]
    assert nodes("quiet", 1) == [k for edge in network.drawn() for k in edge]
    assert nodes("value", 3.5) == [k for edge in zip(network.path(source), network.path(source)[1:]) for k in edge]
    assert nodes("value", 10)[::2] == sorted(network.path(source)) and nodes("value", 9)[::2] == nodes("page", 9)[::2] == sorted(far)
    assert nodes("quiet", 5)[::2] == sorted(set(range(network.last + 1)) - set(far))
    steps = network.steps(source)
    assert drawn.words[0].text == kind and drawn.words[-1].text == f"{source} to {n} in {steps} step{'s' * (steps != 1)}"
    assert f"{network.waits} operation{'s' * (network.waits != 1)}. Item {source} is heard at {', '.join(map(str, network.heard(source)))} of {n} places" in picture.alt


def test_three_kinds_stand_side_by_side():
    """At the width of a page's text, 680 pixels, and as high as each other."""
    picture = Picture(*(graphs.paths(8, kind) for kind in ("recurrent", "convolution", "attention")))
    assert sum(part.width for part in picture.parts) + 2 * 16 <= 680 and len({part.height for part in picture.parts}) == 1


STAR = np.eye(6, dtype=bool) | (np.arange(6) == 0) | (np.arange(6) == 0)[:, None]
CROSS = "The animal did not cross it".split()


@pytest.mark.parametrize("mask, node", [(None, 5), (np.abs(np.subtract.outer(range(6), range(6))) <= 1, 0), (STAR, 3), (STAR, 0), (np.tri(6, dtype=bool), 2), (~np.eye(6, dtype=bool), 4)])
def test_messages_are_as_thick_as_their_weights(mask, node):
    allowed = np.ones((6, 6), bool) if mask is None else mask
    weights = np.random.default_rng(node).random((6, 6)) * allowed
    weights /= weights.sum(axis=1, keepdims=True)
    picture = graphs.message_graph(weights, CROSS, node=node, mask=mask)
    drawn = is_clear(picture)
    ring = int(allowed[node, node])
    at = [np.array(circle) for circle in drawn.circles[ring:]]
    assert len(at) == 6 and len(drawn.circles) == 6 + ring
    # What a node hears of itself is a ring at its edge, in the way of no word.
    for circle in drawn.circles[:ring]:
        assert np.hypot(*(at[node] - circle)) == pytest.approx(17, rel=.01)
        for box in (word.box for word in drawn.words):
            assert np.hypot(*(np.clip(circle, (box.x, box.y), (box.x + box.width, box.y + box.height)) - circle)) > 9
    def ends(points):
        return tuple(int(np.argmin([np.abs(place - point).max() for place in at])) for point in points)
    pale = {ends(points) for points in strokes(picture)["quiet", 1.0]}
    assert pale == {(i, j) for i in range(6) for j in range(i + 1, 6) if allowed[i, j] or allowed[j, i]}
    strong = {ends(points): wide for (colour, wide), all_ in strokes(picture).items() if colour == "weight" for points in all_}
    assert strong == {(j, node): pytest.approx(1 + 9 * weights[node, j], rel=.01) for j in range(6) if allowed[node, j] and j != node}
    # At each node its name, and below it the weight, where there is one.
    for k in range(6):
        [name] = [word for word in drawn.words if word.text == CROSS[k]]
        assert min(range(6), key=lambda j: np.hypot(*(at[j] - name.box.centre))) == k
        assert [word.text for word in drawn.words if word.x == name.x and word.y == pytest.approx(name.y + 19)] == [fixed(weights[node, k])] * int(allowed[node, k])
    assert picture.alt.endswith(f"{', '.join(f'{CROSS[k]} {fixed(weights[node, k])}' for k in np.flatnonzero(allowed[node]))}.")


@pytest.mark.parametrize("names", [["it", "animal"], ["manuscripts"] * 3, ["yesterday"] * 7, ["wonderful"] * 12])
def test_names_around_a_graph_have_room(names):
    for node in range(len(names)):
        is_clear(graphs.message_graph(np.full((len(names),) * 2, 1 / len(names)), names, node=node))


@pytest.mark.parametrize("mask, source, count", [(STAR, 2, 3), (np.abs(np.subtract.outer(range(8), range(8))) <= 1, 0, 4), (np.tri(5, dtype=bool), 1, 2), (np.eye(4, k=1, dtype=bool), 3, 4), (np.ones((16, 16), bool), 7, 1)])
def test_news_goes_round_as_powers_of_the_mask_say(mask, source, count):
    picture, n = graphs.rounds(mask, source, count), len(mask)
    assert len(picture.parts) == count + 1
    before = np.zeros(n, bool)
    for k, part in enumerate(picture.parts):
        drawn = is_clear(Picture(part))
        reached = np.linalg.matrix_power(np.eye(n) + mask, k)[:, source] > 0
        look = re.findall(r'<circle [^>]*r="(\d)" fill="var\(--ak-(\w+),[^"]*" stroke="(\S+)', part.body)
        assert [size == "8" and colour == "value" for size, colour, _ in look] == reached.tolist() and {(s, c) for s, c, _ in look} <= {("8", "value"), ("5", "quiet")}
        assert ["ink" in frame for *_, frame in look] == [i == source for i in range(n)]
        arrives = {tuple(int(np.argmin([np.hypot(*np.subtract(circle, point)) for circle in drawn.circles])) for point in points) for points in strokes(picture, k).get(("value", 3.0), [])}
        assert arrives == ({(j, i) for i in range(n) for j in range(n) if mask[i, j] and before[j] and not before[i]} if k else set())
        assert [word.text for word in drawn.words] == [f"after {k} round{'s' * (k != 1)}", f"{reached.sum()} of {n}"]
        assert part.alt.endswith(f"is at {reached.sum()} of {n} nodes: {', '.join(str(i + 1) for i in np.flatnonzero(reached))}.")
        before = reached
