"""Pictures of pixels: colours as light."""

import base64
import math
import struct
import zlib

import numpy as np

from bookkit.pictures import palette
from bookkit.pictures.metrics import text_width
from bookkit.pictures.picture import Picture, Svg
from bookkit.pictures.shapes import TEXT, text

INK, QUIET = palette.var("ink"), palette.var("quiet")
MOST = 64                    # pixels of a side


def filtered(picture, kernel):
    """A picture (height, width) after a kernel (3, 3); beyond the border, the pixel on the border stands again.

    >>> filtered(np.array([[1.0, 2.0, 4.0]]), np.array([[0, 0, 0], [-1, 0, 1], [0, 0, 0]])).tolist()
    [[1.0, 3.0, 2.0]]
    """
    return np.tensordot(np.lib.stride_tricks.sliding_window_view(np.pad(picture, 1, mode="edge"), (3, 3)), kernel)


def colour_image(pixels, *, alt, label="", side=12):
    """Draw a picture of red, green and blue light, in one piece however many pixels it has.

    `pixels` (height, width, 3), from 0 to 1 and at most 64 by 64; 1, 1, 1 is white.  `alt` says what it shows, `label`
    is written above, and a pixel has `side` pixels of the screen.
    """
    x = _colours(pixels)
    height, width = side * x.shape[0], side * x.shape[1]
    top, whole = (TEXT + 10, max(width, text_width(label))) if label else (2, width)
    title = text(2 + whole / 2, TEXT, label, INK) if label else ""
    body = title + _image(x, 2 + (whole - width) / 2, top, width, height)
    return Picture(Svg(body, math.ceil(whole) + 4, top + height + 2, alt=alt))


# ---- pixels

def _colours(pixels):
    """A picture of colours, checked, as an array."""
    x = np.asarray(pixels, dtype=float)
    if x.ndim != 3 or x.shape[2] != 3 or x.size == 0 or max(x.shape) > MOST:
        raise ValueError(f"pixels must be (height, width, 3), at most {MOST} by {MOST}, got {x.shape}")
    if not ((x >= 0) & (x <= 1)).all():
        raise ValueError(f"the colours of pixels must lie between 0 and 1, got {x.min():g} to {x.max():g}")
    return x


def _png(x):
    """Colours as the bytes of a PNG, not compressed, so that they are the same wherever they are made."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    lines = b"".join(b"\0" + row.tobytes() for row in np.floor(255 * x + .5).astype(np.uint8))
    stored = b"\x78\x01\x01" + struct.pack("<HH", len(lines), 0xFFFF - len(lines)) + lines
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", x.shape[1], x.shape[0], 8, 2, 0, 0, 0))
            + chunk(b"IDAT", stored + struct.pack(">I", zlib.adler32(lines))) + chunk(b"IEND", b""))


def _image(x, left, top, width, height):
    """Colours at a place of a drawing, in a thin frame."""
    data = base64.b64encode(_png(x)).decode()
    return (f'<image x="{left:g}" y="{top:g}" width="{width:g}" height="{height:g}" preserveAspectRatio="none" '
            f'style="image-rendering:pixelated" href="data:image/png;base64,{data}"/>'
            f'<path d="M{left:g} {top:g}h{width:g}v{height:g}h{-width:g}Z" fill="none" stroke="{QUIET}"/>')
