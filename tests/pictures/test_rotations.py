"""A query and a key on a circle, turned as rotary turns them."""

import re

import numpy as np
import pytest
from drawn import Drawing
from table import each

from attnkit import rotary
from bookkit.pictures import palette, rotations
from bookkit.pictures.formats import fixed

PAIRS = [(1, 0), (4, 3), (7, 6), (0, 5)]


@each("query, key, angle", [([1.0, 0.2], [0.6, 0.9], 0.5), ([-2.0, 1.0], [0.3, 0.1], -1.1), ([1.0, 0.0], [1.0, 0.0], 0.0)])
def test_turning_shows_what_rotary_computes(query, key, angle):
    picture = rotations.turning(query, key, PAIRS, angle=angle)
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
    assert rotations.turning([1.0, 0.0], [0.0, 1.0], [(3, 1)], angle=np.pi / 6).alt == (
        "Query at place 3, key at place 1, 2 places apart: turned by 90° and 30°, 30° between them, dot product 0.87.")


# ---- what test_every_picture.py asks

NARROW = {      # what chapters come back to has room on a phone
    "turning": lambda: rotations.turning([1.0, 0.2], [0.6, 0.8], [(1, 0), (10, 9)], angle=0.5),
}

BAD = [
    (lambda: rotations.turning([1.0], [1.0, 0.0], [(1, 0)], angle=1), ValueError, r"shape \(2,\) and not be zero, got \[1.0\]"),
    (lambda: rotations.turning([1.0, 0.0], [0.0, 0.0], [(1, 0)], angle=1), ValueError, r"not be zero, .* and \[0.0, 0.0\]"),
]
