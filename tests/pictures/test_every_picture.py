"""What holds for every picture that stands in a notebook."""

import json
import re

import pytest
from conftest import ROOT, asked
from drawn import Drawing

from bookkit.pictures import palette
from bookkit.pictures.picture import PHONE, Picture, Svg
from website import toc

INLINE = re.compile(r'<svg width="(?P<width>[\d.]+)" height="(?P<height>[\d.]+)"[^>]*? aria-label="(?P<alt>[^"]*)"'
                    r' style="[^"]*min-width:(?P<least>[\d.]+)px(?P<style>[^"]*)"[^>]*>(?P<body>.*?)</svg>', re.S)
DRAWN = [name for name in toc.notebooks() if "</svg>" in (ROOT / name).read_text()]
# How many pictures of a page are too long for a phone, which pushes them aside: in any other the smallest word is 11 pixels high there.
WIDE = {"chapters/chat_model": 1, "chapters/heads_that_copy": 2, "chapters/checkpoint_inside": 1, "chapters/document_classifier": 1,
        "chapters/from_here": 2, "chapters/fully_connected": 1, "chapters/layers": 2, "chapters/machine": 2,
        "chapters/real_model": 3, "chapters/score_functions": 1, "chapters/taught_with_twelve_sentences": 1,
        "chapters/translation": 1, "chapters/when_it_does_not_learn": 1, "chapters/your_own_text": 1, "further/positions": 1,
        "further/real_model": 3, "further/taught_with_twelve_sentences": 2, "further/transformer": 2, "further/writing": 1,
        "reference/attnkit": 2}


def drawings(name):
    """The drawings of a notebook: the cell of each, and what its markup says."""
    for cell in json.loads((ROOT / name).read_text())["cells"]:
        for output in cell.get("outputs", []):
            for its in INLINE.finditer("".join(output.get("data", {}).get("text/html", ""))):
                yield cell["id"], its


@pytest.mark.parametrize("name", asked(DRAWN))
def test_pictures_are_clear(name):
    """Words do not overlap, nothing lies outside the drawing, and words can be read on a phone."""
    found = list(drawings(name))
    assert found
    wide = {its["body"]: f"{cell} needs {its['least']} pixels" for cell, its in found if float(its["least"]) > PHONE}
    assert len(wide) <= WIDE.get(name.removesuffix(".ipynb"), 0), [*wide.values()]
    for cell, its in found:
        drawn = Drawing(Picture(Svg(its["body"], float(its["width"]), float(its["height"]), its["alt"])))
        overlap = [(a.text, b.text) for i, a in enumerate(drawn.words) for b in drawn.words[i + 1:] if a.box.meets(b.box)]
        outside = [word.text for word in drawn.words if not word.box.within(drawn.page)] + [box for box in drawn.boxes if not box.within(drawn.page)]
        if "overflow:visible" not in its["style"]:      # there, a line leads on to the next drawing
            outside += [point for point in [*drawn.circles, *(p for line in drawn.lines for p in line.points)] if not drawn.page.holds(*point, 0.5)]
        assert not overlap and not outside, (cell, overlap, outside)
        square_by_square(drawn, cell)


def square_by_square(drawn, place):
    """In each matrix squares are as deep as the number in them is large, on one scale, and orange if it is negative."""
    for _, rows in drawn.blocks():
        held = [(word[0], cell) for row in rows for cell in row if len(word := drawn.written_in(cell)) == 1 and re.fullmatch(r"−?\d+(\.\d+)?", word[0])]
        numbers = [float(word.replace("−", "-")) for word, _ in held]
        if held and "." in held[0][0]:
            rounded = 0.6 * 10.0 ** -len(held[0][0].split(".")[1])
            deepest = max(cell.opacity for _, cell in held)
            largest = max(map(abs, numbers))
            for (word, cell), number in zip(held, numbers):
                assert abs(cell.opacity * largest - abs(number) * deepest) <= 2 * rounded * palette.DEPTH, (place, word)
                assert float(word.strip("−")) == 0 or ("negative" in cell.fill) == word.startswith("−"), (place, word)
