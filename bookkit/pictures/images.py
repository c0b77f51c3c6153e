"""Pictures of pixels: colours as light, and which axis of their channels is summed over."""

import base64
import math
import struct
import zlib

import numpy as np

from bookkit.pictures import palette
from bookkit.pictures.blocks import arrow
from bookkit.pictures.metrics import text_width
from bookkit.pictures.picture import Picture, Svg
from bookkit.pictures.shapes import TEXT, text

INK, QUIET, GRID, GROUND = (palette.var(name) for name in ("ink", "quiet", "grid", "ground"))
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


def axes_cube(height, width, channels):
    """Draw which axis is summed over: three blocks of numbers, places and channels, and what becomes of each.

    For the gates of channels the mean of each channel is taken over the places, for the gates of places there is a
    weighted sum of the channels at each place, and self-attention has a dot product for each pair of places.  Each of
    the numbers, below 1,000, stands on its edge.
    """
    sides = [str(side) for side in (height, width, channels)]
    if max(map(len, sides)) > 3:
        raise ValueError(f"height, width and channels must be below 1,000, got {', '.join(sides)}")
    return Picture(*(Svg(*panel) for panel in (_channel_panel(*sides), _place_panel(*sides),
                                                _pair_panel(*sides, str(height * width)))))


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


# ---- which axis is summed over

CELL, SHIFT = 22, 9                  # a number's front, and how far the next channel is moved
ACROSS, DEEP = 4, 3                  # places along a side and channels, as drawn
WIDE, TALL = 194, 446                # of one drawing
FRONT, RESULT = 117, 287             # where a block and its result begin
CORNER, QUERY, KEY = (0, ACROSS - 1), (0, ACROSS - 1), (0, 0)      # the places that are lit


def _block(left, top, shape, lit, cell=CELL, seam=QUIET):
    """The faces of a block in front, above and on the right, with its front at a place.

    `lit` gives the colour of the number in a row, a column and a channel, or None.
    """
    rows, columns, depth = shape
    faces = {}

    def face(where, *corners):
        outline = "L".join(f"{left + cell * x + SHIFT * z:g} {top + cell * y - SHIFT * z:g}" for x, y, z in corners)
        faces.setdefault(lit(*where) or GROUND, []).append(f"M{outline}Z")
    for i, j in np.ndindex(rows, columns):
        face((i, j, 0), (j, i, 0), (j + 1, i, 0), (j + 1, i + 1, 0), (j, i + 1, 0))
    for j, k in np.ndindex(columns, depth):
        face((0, j, k), (j, 0, k), (j + 1, 0, k), (j + 1, 0, k + 1), (j, 0, k + 1))
    for i, k in np.ndindex(rows, depth):
        face((i, columns - 1, k), (columns, i, k), (columns, i, k + 1), (columns, i + 1, k + 1), (columns, i + 1, k))
    return "".join(f'<path d="{"".join(outlines)}" fill="{colour}" stroke="{seam}" stroke-linejoin="round"/>'
                   for colour, outlines in faces.items())


def _cube(top, shape, sides, lit):
    """A block in the middle of a drawing, with what is written on its edges."""
    rows, columns, depth = shape
    left = (WIDE - CELL * columns - SHIFT * depth) / 2
    right, bottom = left + CELL * columns, top + CELL * rows
    return (_block(left, top, shape, lit) + text(left - 7, (top + bottom) / 2 + 5, sides[0], INK, anchor="end")
            + text((left + right) / 2, bottom + 19, sides[1], INK)
            + text(right + SHIFT * depth / 2 + 7, bottom - SHIFT * depth / 2 + 13, sides[2], INK, anchor="start"))


def _panel(title, each, summed, cube, result, gives, how):
    """One drawing: what is summed and how, the block, an arrow to its result; its body, size and words."""
    middle = WIDE / 2
    body = (text(middle, 18, title, INK, bold=True) + text(middle, 42, f"{each}:", INK)
            + text(middle, 62, summed, INK) + cube + arrow((middle, 234), (middle, 262)) + result
            + text(middle, 420, gives, palette.var("weight"), bold=True) + text(middle, 440, how, QUIET))
    return body, WIDE, TALL, f"{title}, {each}: {summed}, which gives {gives} ({how})."


def _weight(yes):
    return palette.var("fill-weight") if yes else None


def _summed(yes):
    return palette.var("fill-amount") if yes else None


def _channel_panel(height, width, channels):
    cube = _cube(FRONT, (ACROSS, ACROSS, DEEP), (height, width, channels), lambda i, j, k: _summed(k == 0))
    result = _cube(RESULT + 44, (1, 1, DEEP), ("1", "1", channels), lambda i, j, k: _weight(k == 0))
    return _panel("Channel attention", "each channel", "mean over the places", cube, result,
                  f"{channels} gates", "a small network, sigmoids")


def _place_panel(height, width, channels):
    cube = _cube(FRONT, (ACROSS, ACROSS, DEEP), (height, width, channels), lambda i, j, k: _summed((i, j) == CORNER))
    result = _cube(RESULT, (ACROSS, ACROSS, 1), (height, width, "1"), lambda i, j, k: _weight((i, j) == CORNER))
    return _panel("Spatial attention", "each place", "weighted sum of channels", cube, result,
                  f"{height} × {width} gates", "a sigmoid for each")


def _pair_panel(height, width, channels, places):
    roles = {QUERY: palette.var("query"), KEY: palette.var("key")}
    cube = _cube(FRONT, (ACROSS, ACROSS, DEEP), (height, width, channels), lambda i, j, k: roles.get((i, j)))
    cube += "".join(text(WIDE / 2 + x, FRONT - SHIFT * DEEP - 5, role, palette.var(role))
                    for x, role in ((-22, "key"), (44, "query")))
    n, cell = ACROSS**2, 6
    (row, column), left = (ACROSS * i + j for i, j in (QUERY, KEY)), (WIDE - 6 * ACROSS**2) / 2
    end, bottom = left + n * cell, RESULT + n * cell
    lines = ((roles[QUERY], f"M{left:g} {RESULT + row * cell:g}h{n * cell}v{cell}h{-n * cell}Z"),
             (roles[KEY], f"M{left + column * cell:g} {RESULT}h{cell}v{n * cell}h{-cell}Z"))
    result = _block(left, RESULT, (n, n, 0), lambda i, j, k: _weight((i, j) == (row, column)), cell, GRID)
    result += "".join(f'<path d="{line}" fill="none" stroke="{colour}" stroke-width="2"/>' for colour, line in lines)
    result += (text(left - 7, (RESULT + bottom) / 2 + 5, places, INK, anchor="end")
               + text((left + end) / 2, bottom + 19, places, INK))
    return _panel("Self-attention", "each pair of places", "dot product of the two", cube, result,
                  f"{places} × {places} weights", "softmax, a row sums to 1")
