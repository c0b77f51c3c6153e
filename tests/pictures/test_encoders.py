"""A sentence on its way to one vector, and a hidden word: what is drawn is what was given."""

import re

import numpy as np
from drawn import Drawing

from attnkit import softmax
from bookkit.pictures import encoders
from bookkit.pictures.formats import fixed

PIECES = ["[CLS]", "oh", "yes", "##ter", "[SEP]"]
SENTENCE = "Max found a key . Then he gave the key to Toby".split()


def given():
    rng = np.random.default_rng(0)
    before, after = rng.normal(size=(2, 5, 60))
    vectors = rng.normal(size=(3, 60))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return {"pieces": PIECES, "before": before, "after": after, "weights": softmax(3 * rng.normal(size=(2, 4, 5, 5))),
            "vector": vectors[0], "others": [("Good morning", vectors[1]), ("It rains", vectors[2])]}


def reading(**changed):
    return encoders.reading(**(given() | changed))


def cells(picture, part):
    """How many cells are drawn by lines of each colour."""
    found = re.findall(r'<path d="([^"]*h[^"]*)"[^>]*stroke="var\(--ak-(fill-\w+)', picture.parts[part].body)
    return {colour: sum(path.count("h") for path, its in found if its == colour) for colour in {its for _, its in found}}


def test_stripes_have_the_signs_of_the_numbers_and_dot_products_are_written():
    its, picture = given(), reading()
    for part, numbers in ((0, its["before"]), (2, its["after"])):
        shown = numbers[:, :encoders.DRAWN]
        assert cells(picture, part) == {"fill-positive": (shown > 0).sum(), "fill-negative": (shown < 0).sum()}
    words = [word.text for word in Drawing(picture, 3).words]
    for name, vector in its["others"]:
        assert words[words.index(name) + 1] == fixed(vector @ its["vector"])


def test_maps_of_heads_hold_what_is_not_small():
    assert cells(reading(), 1) == {"fill-weight": (given()["weights"] >= encoders.SEEN).sum()}


def test_a_hidden_word_is_seen_by_nobody():
    picture = encoders.hidden_word(SENTENCE, 3, [0.14, 0.99])
    for part, (seen, chance) in enumerate(((3, "0.14"), (len(SENTENCE) - 1, "0.99"))):
        line = [word.text for word in Drawing(picture, part).words if word.y > 50]
        assert len(line) == seen + 1 and line.count("?") == 1 and line.count("key") == part      # the other key, of the second sentence
        assert f"“key” has a chance of {chance}" in picture.parts[part].alt and "key" not in picture.parts[part].alt.split(" ?")[0]


BAD = [
    (lambda: reading(after=np.ones((4, 60))), ValueError, r"before and after must both be \(n, d\)"),
    (lambda: reading(weights=np.full((2, 4, 5, 5), 1.5)), ValueError, "from 0 to 1"),
    (lambda: encoders.hidden_word(SENTENCE, 3, [0.1, 1.9]), ValueError, "chances must be two numbers"),
]
