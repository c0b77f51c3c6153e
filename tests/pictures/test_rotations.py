"""A query and a key on a circle, turned as rotary turns them."""

import re

import numpy as np
import pytest
from drawn import Drawing
from table import each

from attnkit import rotary
from bookkit.pictures import rotations
from bookkit.pictures.formats import fixed

PAIRS = [(1, 0), (4, 3), (7, 6), (0, 5)]


@each("query, key, angle", [([1.0, 0.2], [0.6, 0.9], 0.5), ([-2.0, 1.0], [0.3, 0.1], -1.1), ([1.0, 0.0], [1.0, 0.0], 0.0)])
def test_turning_shows_what_rotary_computes(query, key, angle):
    """Each vector where it was, dashed, and where it is now; and the dot product of the two, the same wherever they are as far apart."""
    picture = rotations.turning(query, key, PAIRS, angle=angle)
    longest, told = max(np.hypot(*query), np.hypot(*key)), {}
    for part, pair in enumerate(PAIRS):
        drawn = Drawing(picture, part)
        turned = [rotary(np.array([v]), positions=[place * angle])[0] for v, place in zip((query, key), pair)]
        for role, still, now in zip(("query", "key"), (query, key), turned):
            for dashed, vector in ((True, still), (False, now)):
                [line] = [line for line in drawn.lines if f"--ak-{role}," in line.stroke and line.dashed == dashed]
                assert np.subtract(line.points[1], line.points[0]) * [1, -1] == pytest.approx(54 / longest * np.array(vector), abs=.06)
        product = turned[0] @ turned[1]
        assert drawn.words[-1].text == f"q · k = {fixed(product)}"
        told[pair] = re.search(r", (\d+)° between them, dot product (.*)\.$", picture.parts[part].alt).groups()
        opening = np.degrees(np.arccos(np.clip(product / np.hypot(*query) / np.hypot(*key), -1, 1)))
        assert abs(int(told[pair][0]) - opening) < .51 and told[pair][1] == fixed(product)
    assert told[1, 0] == told[4, 3] == told[7, 6] and (angle == 0) == (told[0, 5] == told[1, 0])


BAD = [
    (lambda: rotations.turning([1.0], [1.0, 0.0], [(1, 0)], angle=1), ValueError, r"shape \(2,\) and not be zero, got \[1.0\]"),
    (lambda: rotations.turning([1.0, 0.0], [0.0, 0.0], [(1, 0)], angle=1), ValueError, r"not be zero, .* and \[0.0, 0.0\]"),
]
