"""A sentence on its way to one vector, and a hidden word: what each step adds, and that what is drawn is what was given."""

import re

import numpy as np
import pytest
from drawn import Drawing

from attnkit import softmax
from bookkit.figures import GrowingPicture
from bookkit.pictures import encoders
from bookkit.pictures.formats import fixed

PIECES = ["[CLS]", "oh", "yes", "##ter", "[SEP]"]
SENTENCE = "Max found a key . Then he gave the key to Toby".split()


def given(n=5, d=60, layers=2, heads=4, seed=0):
    rng = np.random.default_rng(seed)
    before, after = rng.normal(size=(2, n, d))
    vectors = rng.normal(size=(3, d))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return {"pieces": PIECES[:n], "before": before, "after": after, "weights": softmax(3 * rng.normal(size=(layers, heads, n, n))),
            "vector": vectors[0], "others": [("Good morning", vectors[1]), ("It rains", vectors[2])]}


def reading(**changed):
    return encoders.reading(**(given() | changed))


def cells(picture, part):
    """How many cells are drawn by lines of each colour."""
    found = re.findall(r'<path d="([^"]*h[^"]*)"[^>]*stroke="var\(--ak-(fill-\w+)', picture.parts[part].body)
    return {colour: sum(path.count("h") for path, its in found if its == colour) for colour in {its for _, its in found}}


def test_steps_add_one_part_each():
    picture = reading()
    begins = [sorted(set(re.findall(r'data-ak-from="(\d)"', part.body))) for part in picture.parts]
    assert begins == [["1"], ["2"], ["3"], ["4", "5"]]
    assert all(sorted(re.findall(r'data-ak-at="(\d)"', part.body)) == its for part, its in zip(picture.parts, begins))
    assert GrowingPicture([picture], list("abcdef")).step == 0


def test_stripes_have_the_signs_of_the_numbers():
    its, picture = given(), reading()
    for part, numbers in ((0, its["before"]), (2, its["after"])):
        shown, drawn = numbers[:, :encoders.DRAWN], cells(picture, part)
        assert drawn == {"fill-positive": (shown > 0).sum(), "fill-negative": (shown < 0).sum()}
    assert sum(cells(picture, 3).values()) == 3 * encoders.DRAWN


@pytest.mark.parametrize("heads", [1, 4, 12])
def test_each_head_is_a_small_map_of_what_is_not_small(heads):
    weights = given(heads=heads)["weights"]
    picture = reading(weights=weights)
    assert cells(picture, 1) == {"fill-weight": (weights >= encoders.SEEN).sum()}
    drawn = Drawing(picture, 1)
    maps = [box for box in drawn.boxes if box.width == encoders.MAP]
    layers = [box for box in drawn.boxes if box.width == encoders.LAYER - 5]
    assert len(maps) == 2 * heads and len(layers) == 2 and all(sum(one.within(layer) for layer in layers) == 1 for one in maps)
    assert not any(one.meets(other) for k, one in enumerate(maps) for other in maps[:k])


def test_dot_products_are_written():
    its, picture = given(), reading()
    words = [word.text for word in Drawing(picture, 3).words]
    for name, vector in its["others"]:
        score = fixed(vector @ its["vector"])
        assert words[words.index(name) + 1] == score and f"“{name}” {score}" in picture.alt
    assert [word.text for word in Drawing(picture, 0).words if word.text in PIECES] == PIECES


def test_nothing_stands_outside():
    for part in range(4):
        drawn = Drawing(reading(), part)
        assert all(word.box.within(drawn.page) for word in drawn.words)


def test_a_hidden_word_is_seen_by_nobody():
    picture = encoders.hidden_word(SENTENCE, 3, [0.14, 0.99])
    for part, (seen, chance) in enumerate(((3, "0.14"), (len(SENTENCE) - 1, "0.99"))):
        drawn = Drawing(picture, part)
        line = [word.text for word in drawn.words if word.y > 50]
        assert len(line) == seen + 1 and line.count("?") == 1 and line.count("key") == part      # the other key, of the second sentence
        assert sum(path.count("Q") for path in re.findall(r'd="([^"]*)"', picture.parts[part].body)) == seen
        assert f"“key” has a chance of {chance}" in picture.parts[part].alt and "key" not in picture.parts[part].alt.split(" ?")[0]
        assert all(word.box.within(drawn.page) for word in drawn.words)


# ---- what test_every_picture.py asks

NARROW = {"encoders.reading": reading, "encoders.hidden_word": lambda: encoders.hidden_word(SENTENCE, 3, [0.1, 0.9])}
BAD = [
    (lambda: reading(after=np.ones((4, 60))), ValueError, r"before and after must both be \(n, d\)"),
    (lambda: reading(before=np.ones((5, 9)), after=np.ones((5, 9))), ValueError, "of at least 21 numbers"),
    (lambda: reading(pieces=PIECES[:3]), ValueError, "pieces must hold 5 names"),
    (lambda: reading(weights=np.ones((2, 4, 5, 4))), ValueError, r"weights must be \(layers, heads, 5, 5\)"),
    (lambda: reading(weights=np.full((2, 4, 5, 5), 1.5)), ValueError, "from 0 to 1"),
    (lambda: reading(vector=np.ones(60)), ValueError, "the vector of 'the sentence' must have 60 numbers and length 1"),
    (lambda: reading(others=[("a", np.ones(3))]), ValueError, "the vector of 'a' must have 60 numbers"),
    (lambda: encoders.hidden_word(SENTENCE, 0, [0.1, 0.9]), ValueError, "words on both sides, got 0"),
    (lambda: encoders.hidden_word(SENTENCE, 3, [0.1]), ValueError, "chances must be two numbers"),
    (lambda: encoders.hidden_word(SENTENCE, 3, [0.1, 1.9]), ValueError, "chances must be two numbers"),
]
