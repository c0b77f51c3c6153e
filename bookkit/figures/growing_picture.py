"""A picture that is built step by step: one drawing and one sentence for each step."""

import re
from html import escape

import traitlets

from attnkit import checks
from bookkit.figures.base import Figure, Index
from bookkit.pictures.picture import HIDDEN, TRUSTED, Picture

LEAST, MOST = 2, 8            # pictures


class GrowingPicture(Figure):
    """What comes next?  A picture grows step by step, and a sentence says what each step adds.

    Parameters
    ----------
    pictures : list of 2 to 8 Picture
        One for each step.  Where they are of one size, what they share stays at its place.
    sentences : list of str
        As many; plain text.
    step : int
        The one that is shown, counted from 0.
    caption : str

    Raises
    ------
    TypeError, ValueError
        Pictures that are none, fewer than 2 or more than 8; sentences that are no texts, or not as many; a step that
        does not exist.

    Examples
    --------
    >>> from bookkit.pictures import Picture
    >>> from bookkit.pictures.picture import Svg
    >>> one, two = "<circle cx='5' cy='5' r='3'/>", "<circle cx='15' cy='5' r='3'/>"
    >>> pictures = [Picture(Svg(one, 20, 10, alt="A dot.")), Picture(Svg(one + two, 20, 10, alt="Two dots."))]
    >>> figure = GrowingPicture(pictures, ["Here is one.", "One more."])
    >>> figure.sentence
    'Here is one.'
    >>> figure.step = 1
    >>> figure.sentence
    'One more.'
    """

    kind = "growing_picture"
    STILL = "The picture as it is in the end; where scripts may run, it grows step by step."
    pictures = traitlets.List(traitlets.Unicode()).tag(sync=True)
    sentences = traitlets.List(traitlets.Unicode()).tag(sync=True)
    step = Index("pictures", "pictures").tag(sync=True, reset=True)

    def __init__(self, pictures, sentences, step=0, caption=""):
        pictures = checks.sequence(pictures, "pictures", "Picture")
        for picture in pictures:
            if not isinstance(picture, Picture):
                raise TypeError(f"pictures must be bookkit.pictures.Picture, got {type(picture).__name__}")
        if not LEAST <= len(pictures) <= MOST:
            raise ValueError(f"pictures must be {LEAST} to {MOST}, got {len(pictures)}")
        sentences = checks.sequence(sentences, "sentences", "str")
        for sentence in sentences:
            if not isinstance(sentence, str):
                raise TypeError(f"sentences must be str, got {sentence!r}")
        if len(sentences) != len(pictures):
            raise ValueError(f"sentences must be one for each of {len(pictures)} pictures, got {len(sentences)}")
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
