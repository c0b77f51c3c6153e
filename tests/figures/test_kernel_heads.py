"""The figure of a convolution as nine heads."""

import re

import numpy as np
import pytest
import torch
from conftest import WIDE, node, on
from hand import figure, pages, rows, says

from bookkit.figures import KernelHeads
from bookkit.pictures.formats import compact, fixed

PAGES = pages(["kernel_heads"])


def kernels(**changed):
    return KernelHeads(**({"picture": [[0, 0.5], [1, 0.2]], "kernels": {"edges": [[-1, 0, 1]] * 3, "same": np.diag([0, 1, 0])}} | changed))


def example():
    return kernels(caption="Cap.")


def shown(widget):
    return [fixed(v) for v in [*widget.reads.flat, widget.output[0, 0], widget.exact[0, 0]]]


BAD = [
    (lambda: kernels(picture=np.zeros((17, 2))), ValueError, r"at most 16 by 16, got shape \(17, 2\)"),
    (lambda: kernels(picture=[[10]]), ValueError, "picture must lie between -9 and 9"),
    (lambda: kernels(kernels={}), ValueError, "kernels must be 1 to 6, got 0"),
    (lambda: kernels(kernels={"big": np.zeros((5, 5))}), ValueError, r"kernel 'big' must have shape \(3, 3\), got \(5, 5\)"),
    (lambda: kernels(pixel=(2, 0)), ValueError, "row must be from 0 to 1, the number of one of the rows, got 2"),
]

REFUSED = [("pixel", [0, 2], ValueError), ("kernel", 2, ValueError), ("sharpness", 50, ValueError)]
CHANGED = ("pixel", [1, 1])


# ---- the arithmetic, and Python's side

def test_kernel_heads_arithmetic():
    rng = np.random.default_rng(15)
    cases = []
    for c in range(100):
        height, width = (int(k) for k in rng.integers(1, 9, 2))
        figure = KernelHeads(rng.normal(size=(height, width)).round(3), {"one": rows(rng, 3, 3), "two": np.eye(3)})
        cases.append({"pixels": figure.pixels, "kernels": figure.kernels, "exacts": figure.exacts, "kernel": c % 2,
                      "pixel": [int(rng.integers(height)), int(rng.integers(width))], "sharpness": float(40 if c % 3 == 0 else 10 ** rng.uniform(-1, 1.6))})
    for case, got in zip(cases, node("run_figures.js", {"figure": "kernel_heads", "cases": cases})):
        ours = KernelHeads(case["pixels"], dict(zip("ab", case["kernels"])), case["pixel"])
        ours.kernel, ours.sharpness = case["kernel"], case["sharpness"]
        assert np.allclose(got["reads"], ours.reads, rtol=0, atol=1e-12) and np.allclose(got["output"], ours.output, rtol=0, atol=1e-12)
        at = np.ravel_multi_index(case["pixel"], ours.output.shape)
        whole = np.einsum("ar,bc->abrc", got["rows"], got["columns"]).reshape(3, 3, -1)
        assert np.allclose(whole, ours.weights[:, :, at], rtol=0, atol=1e-12)
        pixels, kernel = (torch.tensor(x, dtype=torch.double)[None, None] for x in (case["pixels"], case["kernels"][case["kernel"]]))
        theirs = torch.nn.functional.conv2d(torch.nn.functional.pad(pixels, (1,) * 4, mode="replicate"), kernel)[0, 0]
        assert np.allclose(ours.exact, theirs, rtol=0, atol=1e-8)
        gap = np.abs(np.array(got["output"]) - ours.exact).max()
        assert np.isclose(got["gap"], gap) and got["written"] == ("below 1e-8" if gap < 1e-8 else compact(gap))
        assert case["sharpness"] < 40 or gap < 1e-8


# ---- on the page of the book

@pytest.mark.browser
@on(PAGES, WIDE)
def test_kernel_heads_add_up_to_the_convolution(opened):
    w, found = opened, figure(opened, "kernel_heads")
    assert "Row 4, column 2, upright edges: the heads add up to 3.94, the convolution gives 3.94." in says(w, found)
    # Pointing at another pixel, in either picture, chooses it; so does a tap.
    stacks = found.locator(".ak-stack")
    for k, (row, column) in enumerate(((1, 8), (8, 1))):
        box = stacks.nth(k).bounding_box()
        stacks.nth(k).hover(position={"x": (column - .5) / 8 * box["width"], "y": (row - .5) / 8 * box["height"]})
        assert f"Row {row}, column {column}," in says(w, found)
    right = found.get_by_role("button", name=re.compile("^right "))
    right.click()
    assert "Head “right” alone is shown." in says(w, found) and right.get_attribute("aria-pressed") == "true"
    right.click()
    assert "alone" not in says(w, found)
    assert "largest difference on the picture below 1e-8" in found.locator(".ak-totals").inner_text()
    found.get_by_role("slider", name="sharpness").press("Home")
    assert "below" not in found.locator(".ak-totals").inner_text()
