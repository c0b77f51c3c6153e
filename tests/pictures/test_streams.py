"""All words of a text on their way through a machine: the lines, who looks at whom, and what is told of it."""

import re

import numpy as np
import pytest
from drawn import Drawing
from table import each

from bookkit.pictures.streams import streams


def looking(n, heads=2, layers=1, seed=0):
    """Weights of a causal machine: rows that sum to one."""
    rng = np.random.default_rng(seed)
    scores = np.where(np.tril(np.ones((n, n), bool)), rng.normal(scale=2, size=(layers, heads, n, n)), -np.inf)
    weights = np.exp(scores)
    return list(weights / weights.sum(axis=-1, keepdims=True))


WORDS = ["Eva", "met", "Max", "."]


@each("layers", [1, 2, 3])
def test_a_line_for_each_word_and_its_parts_in_their_order(layers):
    picture = streams(WORDS, looking(4, layers=layers), ["met", "Max", ".", "then"])
    [part] = picture.parts
    steps = [int(k) for k in re.findall(r'data-ak-from="(\d+)"', part.body)]
    assert steps == list(range(1, 2 * layers + 2))
    drawn = Drawing(picture)
    words = [word.text for word in drawn.words]
    assert words == [*WORDS, *(f"{name} {k + 1}" for k in range(layers) for name in ("attention", "MLP")), "met", "Max", ".", "then"]
    # A box for each word in each layer, on its word's line.
    begins = [word.y for word in drawn.words[:4]]
    assert sorted(round(box.y + 4.5 + 5, 1) for box in drawn.boxes) == sorted(begins * layers)


def test_curves_are_weights_and_the_last_word_is_told():
    weights = np.array([[[1, 0, 0], [.9, .1, 0], [.2, .5, .3]], [[1, 0, 0], [.1, .9, 0], [.05, .25, .7]]])
    picture = streams(["a", "b", "c"], [weights], ["b", "c", "d"], least=.4)
    [part] = picture.parts
    # Of b at a .9, of c at b .5; what a word gives to itself is its own line.
    assert len(re.findall(r"C", part.body)) == 2
    assert picture.alt == ("A line for each of 3 words, layers: 1. The last word, c, looks at a 0.20 in layer 1, head 1; "
                           "b 0.50 in layer 1, head 1; b 0.25 in layer 1, head 2. At its end: d.")
    wide = re.findall(r'stroke-width="(2\.25)"', part.body)
    assert wide == ["2.25"]
    assert "looks at" not in streams(["a"], [np.ones((1, 1, 1))], ["b"]).alt


@pytest.mark.parametrize(("given", "said"), [
    ((["a"], [np.ones((1, 2, 2))], ["b"]), "with n = 1 words, got (1, 2, 2)"),
    ((["a"], [np.ones((1, 1))], ["b"]), "weights must have shape (h, n, n)"),
    ((["a"], [np.ones((1, 1, 1))], ["b", "c"]), "said must hold 1 names for 1 words"),
])
def test_what_does_not_fit_is_refused(given, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        streams(*given)
