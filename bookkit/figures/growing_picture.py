"""A picture that is built step by step: one drawing and one sentence for each step."""

import re
from html import escape

import traitlets

from attnkit import checks
from bookkit.figures.base import Figure, Index, few, one_each
from bookkit.pictures.picture import HIDDEN, TRUSTED

LEAST, MOST = 2, 8            # pictures


class GrowingPicture(Figure):
    """What comes next?  A picture grows step by step, and a sentence says what each step adds.

    `pictures` are 2 to 8 of `bookkit.pictures.Picture`, one for each step; where they are of one size, what they share
    stays at its place.  Or it is one, whose parts say when they come: those of ``data-ak-from="2"`` are pale before
    step 2, and those of ``data-ak-at="2"`` are seen at step 2 alone.  `sentences` are as many as there are steps, plain
    text; `step` is the one that is shown, counted from 0.

    >>> from bookkit.pictures import Picture
    >>> from bookkit.pictures.picture import Svg
    >>> one, two = "<circle cx='5' cy='5' r='3'/>", "<circle cx='15' cy='5' r='3'/>"
    >>> pictures = [Picture(Svg(one, 20, 10, alt="A dot.")), Picture(Svg(one + two, 20, 10, alt="Two dots."))]
    >>> GrowingPicture(pictures, ["Here is one.", "One more."], step=1).sentence
    'One more.'
    """

    kind = "growing_picture"
    STILL = "The picture as it is in the end; where scripts may run, it grows step by step."
    pictures = traitlets.List(traitlets.Unicode()).tag(sync=True)
    sentences = traitlets.List(traitlets.Unicode()).tag(sync=True)
    step = Index("sentences", "steps").tag(sync=True, reset=True)

    def __init__(self, pictures, sentences, step=0, caption=""):
        pictures = list(pictures)
        if len(pictures) == 1:
            sentences = few(checks.sequence(sentences, "sentences", "texts"), "sentences", LEAST, MOST)
        else:
            pictures = few(pictures, "pictures", LEAST, MOST)
            sentences = one_each(sentences, "sentences", pictures, "pictures")
        super().__init__(pictures=[_inline(picture) for picture in pictures], sentences=sentences, step=step,
                         caption=caption)
        self._last = pictures[-1]

    @property
    def sentence(self):
        """What is said of the present step."""
        return self.sentences[self.step]

    def still(self):
        """The last picture, which holds what all steps have added, and all sentences."""
        told = "".join(f"<li>{escape(sentence)}</li>" for sentence in self.sentences)
        return f"<div>{self._last.html()}<ol>{told}</ol></div>"


def _inline(picture):
    """The HTML of a picture for where a script runs: without the image that stands in for it, and what chooses."""
    html = picture.html().replace(TRUSTED, "").replace(HIDDEN, '<span style="display:contents">')
    return re.sub(r'<img class="ak-still"[^>]*>', "", html)
