"""Networks over a sequence, messages on a graph, and the chain rule."""

import re

import numpy as np
import pytest
from drawn import Drawing
from table import each

from bookkit.pictures import graphs
from bookkit.pictures.formats import fixed


def strokes(picture, part=0):
    """The lines of a drawing by colour and thickness: {(colour, width): [points, ...]}."""
    found = {}
    for line in Drawing(picture, part).lines:
        found.setdefault((re.search(r"--ak-(\w+)", line.stroke)[1], line.width), []).append(line.points)
    return found


def nearest(places, point):
    """The number of the place next to a point."""
    return int(np.argmin([np.abs(np.subtract(place, point)).max() for place in places]))


STAR = np.eye(6, dtype=bool) | (np.arange(6) == 0) | (np.arange(6) == 0)[:, None]
CROSS = "The animal did not cross it".split()


@each("mask, node", [(None, 5), (np.abs(np.subtract.outer(range(6), range(6))) <= 1, 0), (STAR, 3), (np.tri(6, dtype=bool), 2), (~np.eye(6, dtype=bool), 4)])
def test_messages_are_as_thick_as_their_weights(mask, node):
    """A pale line wherever one may hear the other, a strong one to the node from each that it hears, and at each of these its weight."""
    allowed = np.ones((6, 6), bool) if mask is None else mask
    weights = np.random.default_rng(node).random((6, 6)) * allowed
    weights /= weights.sum(axis=1, keepdims=True)
    picture = graphs.message_graph(weights, CROSS, node=node, mask=mask)
    drawn, lines = Drawing(picture), strokes(picture)
    at = drawn.circles[-6:]
    pale = {tuple(nearest(at, point) for point in points) for points in lines["quiet", 1.0]}
    assert pale == {(i, j) for i in range(6) for j in range(i + 1, 6) if allowed[i, j] or allowed[j, i]}
    strong = {tuple(nearest(at, point) for point in points): wide for (colour, wide), all_ in lines.items() if colour == "weight" for points in all_}
    assert strong == {(j, node): pytest.approx(1 + 9 * weights[node, j], rel=.01) for j in range(6) if allowed[node, j] and j != node}
    for k in range(6):
        [name] = [word for word in drawn.words if word.text == CROSS[k]]
        assert nearest(at, name.box.centre) == k
        assert [word.text for word in drawn.words if word.x == name.x and word.y == pytest.approx(name.y + 19)] == [fixed(weights[node, k])] * int(allowed[node, k])
    assert picture.alt.endswith(f"{', '.join(f'{CROSS[k]} {fixed(weights[node, k])}' for k in np.flatnonzero(allowed[node]))}.")


@each("into, out, names", [([2, 1], [0.5, -3], ["a", "b"]), ([0, -0.12, 0.12, 1.2, 0.24], [0.5, -0.11, -0.09, -0.4, 0.1], "see that clever girl run".split()), ([0, 0], [0, 0], ["a", "b"])])
def test_each_way_of_a_chain_has_its_two_factors(into, out, names):
    """The lines of a way have the sign of its product, and are as thick as it is large."""
    picture, ways = graphs.chain(into, out, names, ends=("one number", "loss")), np.multiply(into, out)
    drawn = Drawing(picture)
    assert [word.text for word in drawn.words] == ["one number", "loss", *names, *(f"× {fixed(v)}" for pair in zip(into, out) for v in pair)]
    thick = [line for line in drawn.lines if "--ak-fill-" in line.stroke]
    assert ["negative" in line.stroke for line in thick] == np.repeat(ways < 0, 2).tolist()
    assert np.allclose([line.width for line in thick], np.repeat(1 + 7 * np.abs(ways) / max(1e-9, np.abs(ways).max()), 2), atol=0.01)
    assert picture.alt.endswith(f"The sum is {fixed(ways.sum())}.")


BAD = [
    (lambda: graphs.Network("rnn", 8), ValueError, "kind must be one of recurrent, convolution, dilated, attention, window, got 'rnn'"),
    (lambda: graphs.paths(8, "window", 9), ValueError, "source must be from 1 to 8, the number of one of the items, got 9"),
    (lambda: graphs.message_graph([[0.5, 0.4], [0, 1]], ["a", "b"]), ValueError, r"the weights of node 0 must not be negative and must add up to 1, got \[0.5, 0.4\]"),
    (lambda: graphs.message_graph([[0, 1], [0, 1]], ["a", "b"], mask=np.eye(2, dtype=bool)), ValueError, "the weights of node 0 must be 0 where the mask hides a node"),
    (lambda: graphs.rounds(np.ones((2, 3), bool), 0, 1), ValueError, r"mask must have shape \(n, n\) with n from 2 to 16, got \(2, 3\)"),
]
