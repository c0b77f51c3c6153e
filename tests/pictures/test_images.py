"""Pictures of pixels, patches in a row, and the cube whose axes are summed over."""

import base64
import io
import re

import matplotlib.image
import numpy as np
from drawn import Drawing, crossed
from table import each

from bookkit.pictures import images, palette
from bookkit.pictures.picture import PHONE, Picture


def embedded(part):
    """The pixels of the images that a drawing holds, with the box of each on the drawing, in order."""
    found = re.findall(r'<image x="([^"]*)" y="([^"]*)" width="([^"]*)" height="([^"]*)"[^>]*href="data:image/png;base64,([^"]*)"', part.body)
    return [(tuple(map(float, box)), matplotlib.image.imread(io.BytesIO(base64.b64decode(data)))) for *box, data in found]


def coloured(rng, height, width):
    """A picture whose colours are those of a screen, so that a PNG holds them exactly."""
    return rng.integers(0, 256, (height, width, 3)) / 255


@each("height, width, label", [(12, 12, "picture"), (1, 7, "wider than this"), (64, 64, "")])
def test_a_colour_image_holds_its_pixels(height, width, label):
    x = coloured(np.random.default_rng(1), height, width)
    [part] = images.colour_image(x, alt="Noise.", label=label, side=5).parts
    [((left, top, wide, deep), pixels)] = embedded(part)
    assert np.allclose(pixels, x, atol=1e-6) and (wide, deep) == (5 * width, 5 * height) and part.body.count("<image") == 1
    assert 0 <= left and left + wide <= part.width and top + deep <= part.height
    drawn = Drawing(Picture(part))
    assert [word.text for word in drawn.words] == [label] * bool(label) and all(word.box.within(drawn.page) and word.y < top for word in drawn.words)
    assert np.array_equal(embedded(images.colour_image([[[0, .5, .999]]], alt="A").parts[0])[0][1][0, 0], np.array([0, 128, 255], np.float32) / 255)


@each("height, width, size", [(12, 12, 3), (4, 8, 4), (16, 16, 2), (3, 3, 3), (2, 24, 2)])
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


@each("sides, places", [(("H", "W", "C"), "HW"), ((12, 16, 3), "192"), (("H", 12, 3), "H12")])
def test_the_cube_shows_which_axis_is_summed_over(sides, places):
    """Lit are the numbers that are summed, and the one that comes of them: a whole channel, or all channels of a place, or of two."""
    picture = images.axes_cube(*sides)
    height, width, channels = map(str, sides)
    wanted = [([height, width, channels, "1", "1", channels], f"{channels} gates", 4 * 4 + 4 + 4, "mean over the places"),
              ([height, width, channels, height, width, "1"], f"{height} × {width} gates", 1 + 3 + 3, "weighted sum of channels"),
              ([height, width, channels, places, places], f"{places} × {places} weights", 0, "dot product of the two")]
    for k, (edges, gives, lit, how) in enumerate(wanted):
        part, drawn = picture.parts[k], Drawing(picture, k)
        words = [word.text for word in drawn.words]
        assert all(words.count(edge) == edges.count(edge) for edge in edges) and gives in words and how in words
        assert len(faces(part, "fill-positive")) == lit and len(faces(part, "fill-weight")) == (1 if k == 2 else 3)
        assert gives in part.alt and how in part.alt and ("softmax" in part.alt) == (k == 2) and ("sigmoid" in part.alt) == (k < 2)
        assert not drawn.crowded() and not crossed(drawn) and part.least <= PHONE / 2
    key, query = (faces(picture.parts[2], role) for role in ("key", "query"))
    assert len(key) == 1 + 3 and len(query) == 1 + 3 + 3                  # the query's place is at the edge of the block
    # The lit weight is in the query's row and in the key's column: the fourth place and the first, counted row by row.
    [(left, top, right, bottom)] = faces(picture.parts[2], "fill-weight")
    ground = faces(picture.parts[2], "ground")[-255:]
    assert sorted({box[1] for box in ground}).index(top) == 3 and min(box[0] for box in ground) == left
    assert {word.text: word.fill for word in Drawing(picture, 2).words if word.text in ("key", "query")} == {role: palette.var(role) for role in ("key", "query")}


# ---- what test_every_picture.py asks

BAD = [
    (lambda: images.colour_image([[0.5]], alt="A"), ValueError, r"pixels must be \(height, width, 3\), at most 64 by 64, got \(1, 1\)"),
    (lambda: images.colour_image([[[0, 0, 1.5]]], alt="A"), ValueError, "the colours of pixels must lie between 0 and 1, got 0 to 1.5"),
    (lambda: images.patches(np.zeros((4, 6, 3)), 3), ValueError, "size must divide the sides of the image, 4 and 6, got 3"),
    (lambda: images.patches(np.zeros((18, 4, 3)), 1), ValueError, "there must be at most 64 patches, got 72"),
    (lambda: images.axes_cube(channels="many"), ValueError, "must be at most 3 letters or digits, got H, W, many"),
]
