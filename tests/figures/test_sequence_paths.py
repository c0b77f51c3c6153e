"""The figure of paths through a sequence, in five kinds of networks."""

import re

import numpy as np
import pytest
from conftest import node
from hand import CUT, alone, either_width, fits, press, says

from attnkit import causal_mask, window_mask
from bookkit.figures import SequencePaths
from bookkit.pictures import graphs


def example():
    return SequencePaths(12, "window", 2, caption="Cap.")


def shown(widget):
    return [*[f"<td>{number}</td>" for counted in widget.compared.values() for number in counted.values()],
            ", ".join(map(str, graphs.Network(widget.network, widget.length).heard(widget.source)))]


BAD = [
    (lambda: SequencePaths(8, source=9), ValueError, "source must be from 1 to 8, the number of one of the items, got 9"),
]

REFUSED = [("length", 33, ValueError), ("network", "Elman", ValueError), ("source", 13, ValueError), ("source", True, TypeError)]


# ---- the arithmetic, and Python's side

def test_sequence_paths_arithmetic():
    """Every length with every kind of network, from the first item and from one at random: the same in both languages."""
    rng = np.random.default_rng(31)
    cases = [{"length": n, "network": kind, "source": source} for n in range(4, 33) for kind in graphs.KINDS for source in (1, int(rng.integers(1, n + 1)))]
    for case, got in zip(cases, node("run_figures.js", {"figure": "sequence_paths", "cases": cases})):
        ours, network, source = SequencePaths(**case), graphs.Network(case["network"], case["length"]), case["source"]
        far = network.distances(source)
        assert got["compared"] == ours.compared and list(got["compared"]) == list(graphs.KINDS)
        assert [tuple(edge) for edge in got["edges"]] == network.edges
        assert got["far"] == [far.get(k, -1) for k in range(network.last + 1)]
        assert got["path"] == network.path(source) and got["heard"] == network.heard(source) and got["layers"] == network.layers


LENGTHS = [2, *range(4, 33)]


def layer_mask(kind, n, k):
    """Which place of layer k, counted from 0, hears which of the layer below."""
    if kind == "dilated":
        return np.eye(n, dtype=bool) | np.eye(n, k=-(2 ** k), dtype=bool)
    radius = {"recurrent": n, "convolution": 2, "window": 3, "attention": n}[kind]
    return window_mask(n, radius) & causal_mask(n)


@pytest.mark.parametrize("kind", graphs.KINDS)
def test_whom_an_item_reaches_is_what_products_of_masks_say(kind):
    """The product of the layers' masks is not zero where an item is heard; there are as many connections as they allow."""
    for n in LENGTHS:
        network = graphs.Network(kind, n)
        masks = [layer_mask(kind, n, k) for k in range(network.layers)]
        for source in {1, n // 2, n}:
            hears = np.eye(n, dtype=bool)[source - 1]
            for k, (mask, count) in enumerate(zip(masks, network.heard(source))):
                hears = mask @ hears
                assert hears.sum() == count
                assert source > 1 or hears[-1] == (k == network.layers - 1), "a layer too few or too many"
        assert len(network.edges) == (2 * n - 1 if kind == "recurrent" else np.sum(masks))


def test_a_shorter_sequence_takes_the_source_along():
    figure = SequencePaths(20, "dilated", 18)
    figure.length = 12
    assert (figure.source, figure.length) == (12, 12)
    figure.source = 3
    figure.length = 30
    assert figure.source == 3 and figure.defaults == {"length": 20, "network": "dilated", "source": 18}


# ---- alone on a page

def points(found, name):
    """Where the points of a path of the drawing lie, as node numbers: the items are level 0."""
    n, top, path = found.evaluate(f"""f => [Number(getComputedStyle(f.querySelector('.ak-net')).getPropertyValue('--count')),
        f.querySelector('.ak-net > svg').viewBox.baseVal.height, f.querySelector('path.ak-{name}').getAttribute('d')]""")
    return [int((top - float(y)) * n + float(x)) for x, y in re.findall(r"[ML](\d+) (\d+)", path)]


@pytest.mark.browser
@either_width
def test_a_sequence_grows(window, tmp_path, width):
    with window(width=width, has_touch=width == 360) as w:
        widget = SequencePaths(16, "recurrent")
        found, whole = alone(w, tmp_path, widget), []
        start = found.inner_text()
        length, source = (found.get_by_role("slider", name=name) for name in ("words", "from word"))

        def shown():
            widget.length, widget.source = int(length.input_value()), int(source.input_value())
            [widget.network] = found.locator("tbody [aria-pressed=true]").all_inner_texts()
            network = graphs.Network(widget.network, widget.length)
            assert points(found, "strong") == points(found, "on") == network.path(widget.source)
            assert points(found, "pale") == [k for edge in network.edges for k in edge]
            table = [row.split() for row in found.locator("tbody tr").all_inner_texts()]
            assert table == [[kind, *(f"{v:,}" for v in counted.values())] for kind, counted in widget.compared.items()]
            assert found.evaluate(CUT) == [] and fits(w)
            whole.append(found.bounding_box()["height"])
            return says(w, found)

        assert shown() == ("Recurrent, 16 words. Steps from word 1 to the last output: 16; connections: 31. "
                           "Word 1 is heard at 16 of 16 places.")
        press(found, "window")
        length.press("End")
        assert "4, 7, 10, 13, 16, 19, 22, 25, 28, 31, 32 of 32 places, after layers 1 to 11." in shown()
        source.press("End")
        assert "Word 32 is heard at 1, 1, " in shown()
        length.press("Home")                                  # the item that was chosen is there no longer
        assert source.get_attribute("max") == "4" and "from word 4 to" in shown()
        # A node of the picture stands for its item.
        box = found.locator(".ak-net > svg").bounding_box()
        place = {"x": box["width"] * 1.5 / 4, "y": box["height"] - 5}
        found.locator(".ak-net > svg").tap(position=place) if width == 360 else found.locator(".ak-net > svg").click(position=place)
        assert "from word 2 to" in shown()
        w.page.mouse.move(box["x"] + place["x"], box["y"] + place["y"])
        w.page.mouse.down()
        w.page.mouse.move(box["x"] + box["width"] * 2.6 / 4, box["y"] + 20, steps=4)
        assert "from word 3 to" in shown()
        w.page.mouse.up()
        press(found, "Reset")
        shown()
        assert found.inner_text() == start and max(whole) - min(whole) < 1, "the page below jumps"
        assert not w.errors
