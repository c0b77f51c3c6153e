"""Words are as wide as the font that shows them says."""

import string

import pytest
from conftest import ROOT

from bookkit.pictures import metrics


@pytest.mark.parametrize("bold, weight", [(False, 400), (True, 600)])
def test_words_are_measured_in_the_face_that_shows_them(bold, weight):
    """The widths in metrics.py are the font's own."""
    from fontTools.subset import Subsetter
    from fontTools.ttLib import TTFont
    from fontTools.varLib.instancer import instantiateVariableFont
    font, letters = TTFont(ROOT / "website/static/fonts/sans.woff2"), Subsetter()
    letters.populate(unicodes=map(ord, metrics.WIDTHS[bold]))      # the others would take most of the time
    letters.subset(font)
    font = instantiateVariableFont(font, {"wght": weight})
    glyphs = font.getBestCmap()
    wrong = {letter: (width, font["hmtx"][glyphs[ord(letter)]][0]) for letter, width in metrics.WIDTHS[bold].items()
             if font["hmtx"][glyphs[ord(letter)]][0] != width}
    assert not wrong and set(string.ascii_letters + string.digits + string.punctuation) <= set(metrics.WIDTHS[bold])
    assert metrics.text_width("0.55", 20, bold) == pytest.approx(20 * (3 * metrics.WIDTHS[bold]["0"] + metrics.WIDTHS[bold]["."]) / 1000)
    assert metrics.text_width("W^Q", 10, bold) == pytest.approx(metrics.text_width("W", 10, bold) + metrics.text_width("Q", 8, bold), abs=.011)
