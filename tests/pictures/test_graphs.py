"""Networks over a sequence, messages on a graph, and the chain rule."""

import re

import numpy as np
import pytest
from drawn import Drawing, crossed, is_clear
from table import each

from bookkit.pictures import graphs
from bookkit.pictures.formats import fixed
from bookkit.pictures.picture import Picture


def strokes(picture, part=0):
    """The lines of a drawing by colour and thickness: {(colour, width): [points, ...]}."""
    drawn, found = Drawing(picture, part), {}
    widths = re.findall(r'<path [^>]*stroke-width="([\d.]+)"', picture.parts[part].body)
    for line, width in zip(drawn.lines, widths, strict=True):
        found.setdefault((re.search(r"--ak-(\w+)", line.stroke)[1], float(width)), []).append(line.points)
    return found


@each("n, kind, source", [(8, "recurrent", 1), (8, "convolution", 1), (8, "attention", 4), (13, "dilated", 2), (16, "window", 16), (32, "convolution", 5), (2, "window", 2)])
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


@each("ends", [("keys", "house"), ("a", "incomprehensibilities")])
def test_paths_may_have_words_at_their_ends(ends):
    picture = graphs.paths(10, "dilated", 2, ends=ends)
    drawn, lines = Drawing(picture), strokes(picture)
    assert not drawn.crowded() and [word.text for word in drawn.words] == ["dilated", *ends, f"{ends[0]} to {ends[1]} in 4 steps"]
    first, *_, last = (x for (x, _) in lines["value", 3.5][0]), lines["value", 3.5][-1][-1][0]
    assert [word.x for word in drawn.words[1:3]] == pytest.approx([next(first), last], abs=.01)
    assert all(0 <= word.box.x and word.box.x + word.box.width <= picture.parts[0].width for word in drawn.words)
    assert picture.alt.endswith(f"The items 2 and 10 are {ends[0]} and {ends[1]}.")


def test_three_kinds_stand_side_by_side():
    """At the width of a page's text, 680 pixels, and as high as each other."""
    picture = Picture(*(graphs.paths(8, kind) for kind in ("recurrent", "convolution", "attention")))
    assert sum(part.width for part in picture.parts) + 2 * 16 <= 680 and len({part.height for part in picture.parts}) == 1


# ---- messages on a graph

STAR = np.eye(6, dtype=bool) | (np.arange(6) == 0) | (np.arange(6) == 0)[:, None]
CROSS = "The animal did not cross it".split()


@each("mask, node", [(None, 5), (np.abs(np.subtract.outer(range(6), range(6))) <= 1, 0), (STAR, 3), (STAR, 0), (np.tri(6, dtype=bool), 2), (~np.eye(6, dtype=bool), 4)])
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


@each("names", [["it", "animal"], ["manuscripts"] * 3, ["yesterday"] * 7, ["wonderful"] * 12])
def test_names_around_a_graph_have_room(names):
    for node in range(len(names)):
        is_clear(graphs.message_graph(np.full((len(names),) * 2, 1 / len(names)), names, node=node))


@each("mask, source, count", [(STAR, 2, 3), (np.abs(np.subtract.outer(range(8), range(8))) <= 1, 0, 4), (np.tri(5, dtype=bool), 1, 2), (np.eye(4, k=1, dtype=bool), 3, 4), (np.ones((16, 16), bool), 7, 1)])
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


def test_news_may_have_names():
    """Each name beside its node; the nodes stand where they would without, but for the room of the names."""
    names, mask = "keys that hang beside the door".split(), np.tri(6, dtype=bool) & ~np.tri(6, k=-3, dtype=bool)
    for k, part in enumerate(graphs.rounds(mask, 0, 3, names=names).parts):
        drawn = is_clear(Picture(part))
        nodes = np.array([circle[:2] for circle in drawn.circles])
        assert [word.text for word in drawn.words] == [*names, f"after {k} round{'s' * (k != 1)}", f"{[1, 3, 5, 6][k]} of 6"]
        for i, word in enumerate(drawn.words[:6]):
            assert np.argmin(np.hypot(*(nodes - word.box.centre).T)) == i
            assert 0 <= word.box.x and word.box.x + word.box.width <= part.width
        assert part.alt.endswith("The nodes are keys, that, hang, beside, the, door.")


# ---- the chain rule

@each("into, out, names, heads", [([2, 1], [0.5, -3], ["a", "b"], ("", "", "")), ([0, -0.12, 0.12, 1.2, 0.24], [0.5, -0.11, -0.09, -0.4, 0.1], "see that clever girl run".split(), ("moves", "scores", "slopes")),
                                  ([0.001] * 8, [-10.25] * 8, ["wonderful"] * 8, ("", "things", "")), ([0, 0], [0, 0], ["a", "b"], ("", "", ""))])
def test_each_way_of_a_chain_has_its_two_factors(into, out, names, heads):
    picture, into, out = graphs.chain(into, out, names, ends=("one number", "loss"), heads=heads), np.array(into), np.array(out)
    drawn = Drawing(picture)
    assert not drawn.crowded()
    said = [word.text for word in drawn.words]
    assert said == ["one number", "loss", *names, *(f"× {fixed(v)}" for pair in zip(into, out) for v in pair), *filter(None, heads)]
    ways = into * out
    thick = re.findall(r'<path [^>]*stroke="var\(--ak-fill-(\w+),[^>]*stroke-width="([\d.]+)"', picture.parts[0].body)
    assert [colour for colour, _ in thick] == [colour for way in ways for colour in ["negative" if way < 0 else "positive"] * 2]
    assert np.allclose([float(wide) for _, wide in thick], np.repeat(1 + 7 * np.abs(ways) / max(1e-9, np.abs(ways).max()), 2), atol=0.01)
    assert picture.alt.endswith(f"The sum is {fixed(ways.sum())}.") and all(f"{name} {fixed(a)} times {fixed(b)} is {fixed(a * b)}" in picture.alt for name, a, b in zip(names, into, out))


# ---- what test_every_picture.py asks

NARROW = {      # what chapters come back to has room on a phone
    "paths with words": lambda: graphs.paths(10, "dilated", ends=("keys", "house")),
    "paths": lambda: Picture(graphs.paths(8, "recurrent"), graphs.paths(16, "convolution", 5)),
    "message_graph": lambda: graphs.message_graph(np.eye(6), "The animal did not cross it".split()),
    "rounds": lambda: graphs.rounds(np.ones((16, 16), bool), 0, 1),
    "chain": lambda: graphs.chain([1.2] * 5, [-0.4] * 5, "see that clever girl run".split(), ends=("number of M", "loss")),
}

BAD = [
    (lambda: graphs.Network("rnn", 8), ValueError, "kind must be one of recurrent, convolution, dilated, attention, window, got 'rnn'"),
    (lambda: graphs.Network("window", 1), ValueError, "n must be from 2 to 32, got 1"),
    (lambda: graphs.paths(8, "window", 9), ValueError, "source must be from 1 to 8, the number of one of the items, got 9"),
    (lambda: graphs.message_graph([[1.0]], ["a"]), ValueError, "names must be 2 to 12, got 1"),
    (lambda: graphs.message_graph(np.eye(2), ["a", 3]), ValueError, r"names must hold 2 names for a graph, got \['a', 3\]"),
    (lambda: graphs.message_graph([0.5, 0.5], ["a", "b"]), ValueError, r"weights must have shape \(2, 2\), a row for each node, got \(2,\)"),
    (lambda: graphs.message_graph([[0.5, 0.4], [0, 1]], ["a", "b"]), ValueError, r"the weights of node 0 must not be negative and must add up to 1, got \[0.5, 0.4\]"),
    (lambda: graphs.message_graph([[1, 0], [1.5, -0.5]], ["a", "b"], node=1), ValueError, "the weights of node 1 must not be negative"),
    (lambda: graphs.message_graph(np.eye(2), ["a", "b"], node=2), ValueError, "node must be from 0 to 1, the number of one of the nodes, got 2"),
    (lambda: graphs.message_graph([[0, 1], [0, 1]], ["a", "b"], mask=np.eye(2, dtype=bool)), ValueError, "the weights of node 0 must be 0 where the mask hides a node"),
    (lambda: graphs.message_graph(np.eye(2), ["a", "b"], mask=np.eye(2)), TypeError, "mask must be boolean, True where a node may hear another, got dtype float64"),
    (lambda: graphs.chain([1], [1], ["a"]), ValueError, "names must be 2 to 8, got 1"),
    (lambda: graphs.chain([1, 2], [1], ["a", "b"]), ValueError, r"into and out must have shape \(2,\), got \(2,\) and \(1,\)"),
    (lambda: graphs.chain([1, 2], [1, 2], ["a", "b"], ends=("m",)), ValueError, "ends must hold 2 names for the two numbers"),
    (lambda: graphs.chain([1, 2], [1, 2], ["a", "b"], heads=("m",)), ValueError, "heads must hold 3 names for the factors and the things"),
    (lambda: graphs.rounds(np.ones((2, 3), bool), 0, 1), ValueError, r"mask must have shape \(n, n\) with n from 2 to 16, got \(2, 3\)"),
    (lambda: graphs.rounds(np.ones((3, 3), bool), 0, 1, names=["a", "b"]), ValueError, "names must hold 3 names for a graph"),
    (lambda: graphs.paths(8, "window", ends=["a"]), ValueError, "ends must hold 2 names for the item and the last one"),
    (lambda: graphs.rounds(np.ones((3, 3), bool), 3, 1), ValueError, "source must be from 0 to 2, the number of one of the nodes, got 3"),
]
