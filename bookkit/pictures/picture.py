"""What a chapter's cell ends with: a picture that carries its own text alternative.

A picture is a row of parts (inline SVG and text) that wraps on a narrow page,
with a caption.  Inline SVG follows the page's light and dark; where a notebook
is not yet trusted, JupyterLab drops inline SVG, so each part is followed by the
same drawing as an <img>, which shows only then.
"""

import base64
import re
from html import escape

from bookkit.pictures import palette
from bookkit.pictures.metrics import RAISED

# Inline SVG is hidden until a style sheet says otherwise. Where a notebook is not trusted, JupyterLab drops the style
# and the <svg>, but leaves the words of the drawing: they stay hidden, and the image shows instead. The site drops the
# style and the image (website/book_site.py).
TRUSTED = "<style>.ak-inline{display:contents!important}.ak-still{display:none}</style>"
HIDDEN = '<span class="ak-inline" style="display:none">'

PHONE = 328                                           # what a phone of 360 pixels leaves for a drawing
FACE = "'Source Sans 3',system-ui,sans-serif"        # the site brings the first of them


class Svg:
    """A drawing with a text alternative: `body` is what stands inside the <svg> element, sizes are in CSS pixels.

    `smallest` is the size of its smallest words, where the texts in `body` do not say it.
    """

    def __init__(self, body, width, height, alt, smallest=None):
        if not alt.strip():
            raise ValueError("alt must say what the drawing shows, got an empty text")
        self.body, self.width, self.height, self.alt = body, width, height, alt
        # How narrow it may become: until a word is smaller than 11 pixels.
        self.least = min(1, 11 / (smallest or smallest_text(body))) * width

    def _give(self):
        """How the drawing takes its room: those in a row give way a little before one of them goes to the next line."""
        return (f"flex:{self.width:g} 1 {max(0.8 * self.width, self.least):.4g}px;max-width:{self.width:g}px;"
                f"min-width:{self.least:.4g}px")

    def html(self):
        """The drawing inline, followed by itself as an image."""
        size = f'width="{self.width:g}" height="{self.height:g}"'
        view = f'viewBox="0 0 {self.width:g} {self.height:g}"'
        ground = palette.var("page")
        # What is an image has no links in it for a screen reader.
        role = "group" if "<a " in self.body else "img"
        inline = (HIDDEN + f'<svg {size} {view} role="{role}" aria-label="{escape(self.alt)}" '
                  f'style="{self._give()};height:auto;background:{ground}" '
                  f'font-family="{FACE}">{self.body}</svg></span>')
        # An <img> cannot see the page's CSS: fixed colours, on the light page's ground.
        fixed = re.sub(r"var\(--ak-[\w-]+, (#\w+)\)", r"\1", self.body)
        alone = (f'<svg xmlns="http://www.w3.org/2000/svg" {size} {view} font-family="{FACE}">'
                 f'<rect width="100%" height="100%" fill="{palette.PAGE.light}"/>{fixed}</svg>')
        data = base64.b64encode(alone.encode()).decode()
        return (inline + f'<img class="ak-still" alt="{escape(self.alt)}" {size} '
                f'src="data:image/svg+xml;base64,{data}">')


class Room(Svg):
    """The room of a drawing that is still to come: as wide, so that its neighbours stand where they will, and empty."""

    def __init__(self, drawing):
        self.body, self.width, self.height, self.alt, self.least = "", drawing.width, 0, "", drawing.least

    def html(self):
        """Nothing to see or to read; on a phone, where it is in a line of its own, it has no height."""
        return f'<span aria-hidden="true" style="{self._give()}"></span>'


def smallest_text(body):
    """The size of the smallest words of a drawing, in its pixels; what is raised within them counts."""
    texts = re.findall(r'<text[^>]*font-size="([\d.]+)"[^>]*>(.*?)</text>', body)
    return min((float(size) * (RAISED if "<tspan" in words else 1) for size, words in texts), default=16)


class Picture:
    """Drawings and the signs between them ("=", "·", ...) side by side, in reading order, with a caption in plain text.

    Whatever notebook or page shows it draws it.
    """

    def __init__(self, *parts, caption=""):
        self.parts = [p for part in parts for p in (part.parts if isinstance(part, Picture) else [part])]
        for part in self.parts:
            if not isinstance(part, Svg | str):
                raise TypeError(f"a picture is made of drawings, pictures and text, got {type(part).__name__}")
        self.caption = caption

    @property
    def alt(self):
        """The whole picture in words."""
        return " ".join(filter(None, (p if isinstance(p, str) else p.alt for p in self.parts)))

    def captioned(self, caption):
        """The same picture with a caption."""
        return Picture(*self.parts, caption=caption)

    def html(self):
        """The whole picture, complete without style sheet or script."""
        # A sign stands level with the squares, whose names are above them.
        cells = "".join(f'<span style="margin-top:1.5em">{escape(p)}</span>' if isinstance(p, str) else p.html()
                        for p in self.parts)
        caption = f"<figcaption>{escape(self.caption)}</figcaption>" if self.caption else ""
        # What is wider than a phone even then is pushed aside, by the keyboard, too.
        wide = any(isinstance(part, Svg) and part.least > PHONE for part in self.parts)
        focus = ' tabindex="0"' if wide else ""
        return (TRUSTED + f'<figure class="ak-picture"{focus} style="margin:1em 0;overflow-x:auto">'
                f'<div style="display:flex;flex-wrap:wrap;align-items:center;justify-content:safe center;gap:.8em 1em">'
                f"{cells}</div>"
                f"{caption}</figure>")

    def _repr_html_(self):
        return self.html()

    def __repr__(self):
        return f"<Picture: {self.alt}>"
