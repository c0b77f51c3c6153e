"""Pictures of pixels, and the cube whose axes are summed over."""

import base64
import io
import re

import matplotlib.image
import numpy as np
from drawn import Drawing
from table import each

from bookkit.pictures import images


@each("height, width, label", [(12, 12, "picture"), (1, 7, "wider than this"), (64, 64, "")])
def test_a_colour_image_holds_its_pixels(height, width, label):
    x = np.random.default_rng(1).integers(0, 256, (height, width, 3)) / 255
    body = images.colour_image(x, alt="Noise.", label=label, side=5).parts[0].body
    [(wide, deep, data)] = re.findall(r'<image [^>]*width="([^"]*)" height="([^"]*)"[^>]*href="data:image/png;base64,([^"]*)"', body)
    assert np.allclose(matplotlib.image.imread(io.BytesIO(base64.b64decode(data))), x, atol=1e-6) and (float(wide), float(deep)) == (5 * width, 5 * height)


@each("sides, places", [((12, 16, 3), "192"), ((16, 16, 24), "256")])
def test_the_cube_shows_which_axis_is_summed_over(sides, places):
    picture = images.axes_cube(*sides)
    height, width, channels = map(str, sides)
    wanted = [([height, width, channels, "1", "1", channels], f"{channels} gates", "mean over the places"),
              ([height, width, channels, height, width, "1"], f"{height} × {width} gates", "weighted sum of channels"),
              ([height, width, channels, places, places], f"{places} × {places} weights", "dot product of the two")]
    for k, (edges, gives, how) in enumerate(wanted):
        words = [word.text for word in Drawing(picture, k).words]
        assert all(words.count(edge) == edges.count(edge) for edge in edges) and gives in words and how in words
        assert gives in picture.parts[k].alt and how in picture.parts[k].alt


BAD = [
    (lambda: images.colour_image([[0.5]], alt="A"), ValueError, r"pixels must be \(height, width, 3\), at most 64 by 64, got \(1, 1\)"),
    (lambda: images.colour_image([[[0, 0, 1.5]]], alt="A"), ValueError, "the colours of pixels must lie between 0 and 1, got 0 to 1.5"),
    (lambda: images.axes_cube(16, 16, 1024), ValueError, "height, width and channels must be below 1,000, got 16, 16, 1024"),
]
