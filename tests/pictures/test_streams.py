"""All words of a text on their way through a machine: the lines, who looks at whom, and what is told of it."""

import numpy as np
from drawn import Drawing

from bookkit.pictures.streams import streams


def test_curves_are_weights_and_the_last_word_is_told():
    weights = np.array([[[1, 0, 0], [.9, .1, 0], [.2, .5, .3]], [[1, 0, 0], [.1, .9, 0], [.05, .25, .7]]])
    picture = streams(["a", "b", "c"], [weights], ["b", "c", "d"], least=.4)
    assert [word.text for word in Drawing(picture).words] == ["a", "b", "c", "attention 1", "MLP 1", "b", "c", "d"]
    # Of b at a .9, of c at b .5; what a word gives to itself is its own line.
    assert picture.parts[0].body.count("C") == 2
    assert picture.alt == ("A line for each of 3 words, layers: 1. The last word, c, looks at a 0.20 in layer 1, head 1; "
                           "b 0.50 in layer 1, head 1; b 0.25 in layer 1, head 2. At its end: d.")
    assert 2.25 in [line.width for line in Drawing(picture).lines]
    assert "looks at" not in streams(["a"], [np.ones((1, 1, 1))], ["b"]).alt


BAD = [
    (lambda: streams(["a"], [np.ones((1, 2, 2))], ["b"]), ValueError, r"with n = 1 words, got \(1, 2, 2\)"),
    (lambda: streams(["a"], [np.ones((1, 1, 1))], ["b", "c"]), ValueError, "said must hold 1 names for 1 words"),
]
