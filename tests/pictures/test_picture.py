"""What a picture is: drawings with their words, as wide as these need."""

import re

import pytest

from bookkit.pictures import draw, metrics
from bookkit.pictures.picture import Picture, Svg


def test_picture_form():
    """Each drawing has its words, on the page and where inline SVG is dropped; text is escaped."""
    html = Picture(Svg("<g/>", 5, 6, alt='A <b> & "c"'), "<", caption="1 < 2").html()
    assert html.count('aria-label="A &lt;b&gt; &amp; &quot;c&quot;"') == 1 and 'role="img"' in html
    assert html.count('alt="A &lt;b&gt; &amp; &quot;c&quot;"') == 1
    assert "1 &lt; 2" in html and ">&lt;</span>" in html
    assert "var(" not in html.split("base64,")[0].split("<img")[1]


@pytest.mark.parametrize("words, least", [("that", 11 / 16), ("W^Q", 11 / 12.8)])
def test_pictures_shrink_until_words_are_small(words, least):
    """A drawing gives way on a phone until its smallest word, raised ones included, is 11 pixels high."""
    svg = draw.squares([[0.5] * 12], row_names=[words]).parts[0]
    assert float(re.search(r"min-width:([\d.]+)px", svg.html())[1]) == pytest.approx(least * svg.width, rel=1e-3)


def test_words_take_the_same_room_in_any_face():
    """Live, the book's face may be missing: each text says how wide it is to be."""
    body = draw.squares([[0.5, -0.25]], label="W^Q", row_names=["that"], digits=2).parts[0].body
    lengths = dict((re.sub("<.*?>", "", words), float(length)) for length, words in
                   re.findall(r'<text[^>]*textLength="([\d.]+)" lengthAdjust="spacingAndGlyphs"[^>]*>(.*?)</text>', body))
    assert lengths == {"0.50": metrics.text_width("0.50"), "−0.25": metrics.text_width("−0.25"), "that": metrics.text_width("that"),
                       "WQ": metrics.text_width("W^Q", 18, bold=True)}
