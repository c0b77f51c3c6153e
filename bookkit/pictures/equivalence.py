"""Layers as heads, as drawings: a dense layer and a convolution."""

import math

import numpy as np

from attnkit import convolution_as_attention
from bookkit.pictures import palette
from bookkit.pictures.formats import fixed, plain
from bookkit.pictures.matrices import SMALL, TINY
from bookkit.pictures.metrics import text_width
from bookkit.pictures.picture import Picture, Svg
from bookkit.pictures.shapes import LABEL, SIDE, as_array, block, cell_width, check_within, fill, knot, opacity, text

INK, QUIET, GRID, PAGE, QUERY, WEIGHT = (palette.var(c) for c in ("ink", "quiet", "grid", "page", "query", "weight"))
LIT = palette.var("fill-weight")
NAMES = [["up left", "up", "up right"], ["left", "here", "right"], ["down left", "down", "down right"]]


def dense_heads(items, weight, *, digits=1):
    """Draw a dense layer with one output twice: as one product, and as heads of which each reads one item.

    `weight` (1, n * d) is as in torch.nn.Linear, on the `items` (n, d) end to end.  On the left these are one row, and
    the transposed weight has a block of rows for each item: item and block of a number have one tint.  On the right
    head i looks at item i only, reads it as it is, and multiplies it by block i.  What the heads add is the output of
    the layer.  The heads are those of Vaswani et al. (2017), section 3.2.2; the masks are this book's.
    """
    x, w = as_array(items, "items"), as_array(weight, "weight")
    if x.ndim != 2 or w.shape != (1, x.size):
        raise ValueError(f"items must be (n, d) and weight (1, n * d), got {x.shape} and {w.shape}")
    drawn = _Dense(x, w.reshape(x.shape), digits)
    return Picture(drawn.layer(), "=", drawn.heads())


def kernel_heads(image, kernel, pixel):
    """Draw a convolution at one pixel as nine heads, each looking one step away and multiplied by its number.

    `image` (height, width), `kernel` (3, 3); `pixel` is the row and the column of the query, from 0.  Beyond the border
    there is nothing to see, and a head that would look there reads 0.  After Cordonnier et al. (2020), theorem 1.
    """
    x, k = as_array(image, "image"), as_array(kernel, "kernel")
    if x.ndim != 2 or k.shape != (3, 3):
        raise ValueError(f"image must be (height, width) and kernel (3, 3), got {x.shape} and {k.shape}")
    for at, size, what in zip(pixel, x.shape, ("rows", "columns"), strict=True):
        check_within("pixel", at, 0, size - 1, what)
    drawn = _Kernel(x, k, tuple(pixel))
    return Picture(drawn.looks(), drawn.heads(), "=", drawn.output())


# ---- parts of the drawings

def _squares(x, y, numbers, step, digits, vmax, role=None, side=SMALL):
    """A matrix of squares on the page's ground, which hides what is behind it."""
    rows, columns = numbers.shape
    return (f'<rect x="{x:g}" y="{y:g}" width="{columns * step:g}" height="{rows * side:g}" fill="{PAGE}"/>'
            + block(numbers, x, y, step, "", role, digits, vmax, None, False, side))


def _cell(x, y, wide, deep, words="", colour=PAGE, opaque=1, ink=INK):
    """One square, which may be empty."""
    return (f'<rect x="{x + 1:g}" y="{y + 1:g}" width="{wide - 2:g}" height="{deep - 2:g}" rx="3" fill="{colour}" '
            f'fill-opacity="{opaque:g}" stroke="{GRID}"/>'
            + (text(x + wide / 2, y + deep / 2 + 5, words, ink) if words else ""))


def _outline(x, y, wide, deep, colour, thick=3):
    """A frame just within a square."""
    inset = thick / 2
    return (f'<rect x="{x + inset:g}" y="{y + inset:g}" width="{wide - thick:g}" height="{deep - thick:g}" rx="3" '
            f'fill="none" stroke="{colour}" stroke-width="{thick:g}"/>')


def _pointer(start, end, colour):
    """A straight line in any direction, with a head."""
    start, end = np.array(start, float), np.array(end, float)
    along = (end - start) / np.hypot(*(end - start))
    barbs = [end - 6 * along + side * 4.5 * along[::-1] * [-1, 1] for side in (1, -1)]
    points = [f"{x:g} {y:g}" for x, y in np.round([start, end, barbs[0], end, barbs[1]], 2)]
    return (f'<path d="M{points[0]}L{points[1]}M{"L".join(points[2:])}" fill="none" stroke="{colour}" '
            'stroke-width="2" stroke-linejoin="round" stroke-linecap="round"/>')


def _band(i, n, *corners, r=8):
    """A band with round corners, its tint the stronger the later of n it is."""
    corners = np.array(corners, float)
    path = []
    for before, at, after in zip(np.roll(corners, 1, 0), corners, np.roll(corners, -1, 0)):
        near = [at + r * np.sign(other - at) for other in (before, after)]
        path.append("{:g} {:g}Q{:g} {:g} {:g} {:g}".format(*near[0], *at, *near[1]))
    return (f'<path d="M{"L".join(path)}Z" fill="{QUIET}" '
            f'fill-opacity="{.12 + .28 * i / max(1, n - 1):.3g}"/>')


def _listed(numbers, digits):
    """A row of numbers in words."""
    return f"({', '.join(fixed(v, digits) for v in numbers)})"


# ---- a dense layer

class _Dense:
    """The layer and its heads; a block stands at the same height in both."""

    TOP, PAD, GAP = 54, 4, 4             # above the bands; around the squares of a band; between two bands

    def __init__(self, items, blocks, digits):
        self.items, self.blocks, self.digits = items, blocks, digits
        self.pieces = (items * blocks).sum(axis=1)
        self.output = self.pieces.sum()
        numbers = [*items.flat, *blocks.flat, *self.pieces, self.output]
        self.step = cell_width([fixed(v, digits) for v in numbers], 9, SMALL)
        self.deep = max(items.shape[1] * SMALL, 58) + 2 * self.PAD
        self.tops = [self.TOP + i * (self.deep + self.GAP) for i in range(len(items))]
        self.row = self.tops[-1] + self.deep + 16                  # the items end to end, and the output
        self.height = self.row + SMALL + 26
        self.scales = [max(1.0, np.abs(x).max()) for x in (items, blocks, [*self.pieces, self.output])]

    def _block(self, i, x):
        """A block of the weight, standing in the middle of its band."""
        y = self.tops[i] + (self.deep - self.items.shape[1] * SMALL) / 2
        return _squares(x, y, self.blocks[i][:, None], self.step, self.digits, self.scales[1])

    def _sum(self, x):
        """The output, at the height of the row."""
        return _squares(x, self.row, np.array([[self.output]]), self.step, self.digits, self.scales[2])

    def layer(self):
        """Each item turns into its block: the row below, the blocks on the right, bands from one to the other."""
        leg = self.items.shape[1] * self.step + 2 * self.PAD
        lefts = [2 + i * (leg + self.GAP) for i in range(len(self.items))]
        x = lefts[-1] + leg + self.GAP + self.PAD
        body = [text(2, LABEL, "dense layer", INK, anchor="start", size=LABEL, bold=True),
                text(x + self.step / 2, self.TOP - 10, "W^T", INK, bold=True)]
        for i, left in enumerate(lefts):
            body += [self._elbow(i, left, leg, x + self.step + self.PAD), self._block(i, x),
                     knot(left + leg / 2, self.tops[i] + self.deep / 2, "·"),
                     _squares(left + self.PAD, self.row, self.items[[i]], self.step, self.digits, self.scales[0]),
                     text(left + leg / 2, self.row + SMALL + 20, f"item {i + 1}", INK)]
        body += [self._sum(x), text(x + self.step / 2, self.row + SMALL + 20, "output", INK, bold=True)]
        return Svg("".join(body), math.ceil(x + self.step + 8), self.height, self._told_layer())

    def _elbow(self, i, left, leg, right):
        """The band that leads from an item up, and to the right to its block."""
        top, low = self.tops[i], self.row + SMALL + self.PAD
        return _band(i, len(self.items), (left, low), (left, top), (right, top), (right, top + self.deep),
                     (left + leg, top + self.deep), (left + leg, low))

    def heads(self):
        """A band for each head: its weights, what it reads, its block, what it adds; the sum below."""
        n, d = self.items.shape
        look = max(n * TINY, 56)                         # the room of the weights, and of what is above them
        x_read = 10 + look + 24
        x_block = x_read + d * self.step + 30
        x_piece = x_block + self.step + 26
        right = x_piece + self.step + 8
        body = [text(2, LABEL, f"{n} heads", INK, anchor="start", size=LABEL, bold=True)]
        body += [text(x, self.TOP - 10, name, colour) for x, name, colour in (
            (10 + look / 2, "weights", WEIGHT), (x_read + d * self.step / 2, "reads", palette.var("value")),
            (x_block + self.step / 2, "block", INK), (x_piece + self.step / 2, "adds", INK))]
        for i, top in enumerate(self.tops):
            middle = top + self.deep / 2
            low = top + self.deep
            body += [_band(i, n, (2, top), (right, top), (right, low), (2, low)),
                     text(10, middle - 11, f"head {i + 1}", INK, anchor="start", bold=True),
                     _squares(10, middle - 2, np.eye(n)[[i]], TINY, 0, 1, "weight", TINY),
                     _pointer((14 + n * TINY, middle + 11), (x_read - 5, middle + 11), INK),
                     _squares(x_read, middle - SMALL / 2, self.items[[i]], self.step, self.digits, self.scales[0],
                              "value"),
                     text(x_block - 15, middle + 5, "·", INK, size=LABEL, bold=True), self._block(i, x_block),
                     text(x_piece - 13, middle + 5, "=", INK),
                     _squares(x_piece, middle - SMALL / 2, self.pieces[[i]][None], self.step, self.digits,
                              self.scales[2])]
        body += [f'<path d="M{x_piece - 24:g} {self.row - 8:g}H{right:g}" stroke="{INK}" stroke-width="2"/>',
                 text(x_piece - 12, self.row + SMALL / 2 + 5, "the sum is the output", INK, anchor="end", bold=True),
                 self._sum(x_piece)]
        return Svg("".join(body), math.ceil(right + 2), self.height, self._told_heads())

    def _told_layer(self):
        parts = "; ".join(f"item {i + 1} {_listed(x, self.digits)} with block {i + 1} {_listed(w, self.digits)}"
                          for i, (x, w) in enumerate(zip(self.items, self.blocks)))
        return (f"A dense layer: {len(self.items)} items end to end are one row, and W transposed stands as a block "
                f"for each. They meet {parts}. The output is {fixed(self.output, self.digits)}.")

    def _told_heads(self):
        each = " ".join(f"Head {i + 1} adds {fixed(v, self.digits)}." for i, v in enumerate(self.pieces))
        return (f"The same as {len(self.items)} heads: head i gives all its weight to item i, reads it as it is and "
                f"multiplies it by block i. {each} The sum is the same output, {fixed(self.output, self.digits)}.")


# ---- a convolution

class _Kernel:
    """A picture, the nine heads around one of its pixels, and the pixel that they make."""

    TOP = 34

    def __init__(self, image, kernel, pixel):
        self.image, self.kernel, self.pixel = image, kernel, pixel
        mask = convolution_as_attention(kernel[None, None], shape=image.shape)["mask"]
        # Where each head looks from this pixel, (3, 3, height, width).
        self.seen = mask[:, np.ravel_multi_index(pixel, image.shape)].reshape(3, 3, *image.shape)
        self.reads = (self.seen * image).sum(axis=(2, 3))
        self.sum = (self.reads * kernel).sum()
        self.vmax = max(1.0, np.abs(image).max())
        self.step = cell_width([plain(v) for v in image.flat], 28, SIDE)

    def looks(self):
        """The picture in numbers; arrows lead from the pixel that asks to its neighbours."""
        height, width = self.image.shape
        body = [_cell(2 + j * self.step, self.TOP + i * SIDE, self.step, SIDE, plain(v), fill(v, "amount"),
                      opacity(v, self.vmax)) for (i, j), v in np.ndenumerate(self.image)]
        row, column = self.pixel
        scale, at = np.array([self.step, SIDE]), np.array([2 + column * self.step, self.TOP + row * SIDE])
        middle = at + scale / 2
        body.append(_outline(*at, *scale, QUERY))
        for a, b in np.argwhere(self.seen.any(axis=(2, 3))) - 1:
            body.append(_pointer(middle + .36 * scale * (b, a), middle + .7 * scale * (b, a), WEIGHT) if a or b else
                        f'<ellipse cx="{middle[0]:g}" cy="{middle[1]:g}" rx="{.36 * self.step - 2:.3g}" ry="12" '
                        f'fill="none" stroke="{WEIGHT}" stroke-width="2"/>')
        body.append(text(2 + width * self.step / 2, LABEL, "picture", INK, size=LABEL, bold=True))
        told = "; ".join(f"row {i + 1}: {', '.join(map(plain, v))}" for i, v in enumerate(self.image))
        return Svg("".join(body), width * self.step + 4, self.TOP + height * SIDE + 2,
                   f"A picture of {height} by {width} pixels. {told}. The query is the pixel in row {row + 1}, "
                   f"column {column + 1}.")

    def heads(self):
        """The nine, arranged as the kernel is: where each looks, and below its number times what it reads."""
        height, width = self.image.shape
        dot = max(3, min(12, 72 // max(height, width)))
        side = cell_width(map(plain, [*self.kernel.flat, *self.reads.flat]), 10, TINY + 2)
        pitch = max(width * dot, 2 * side + 20) + 22
        down = height * dot + 52
        body = [text(1.5 * pitch, LABEL, "nine heads", INK, size=LABEL, bold=True)]
        for a, b in np.ndindex(3, 3):
            x, y = (b + .5) * pitch, self.TOP + a * down
            body += [self._small(x - width * dot / 2, y, dot, self.seen[a, b]),
                     self._term(x, y + height * dot + 5, side, self.kernel[a, b], self.reads[a, b])]
        told = "; ".join(f"{name} {number} × {read}" for name, number, read in zip(
            sum(NAMES, []), map(plain, self.kernel.flat), map(plain, self.reads.flat)))
        return Svg("".join(body), 3 * pitch, self.TOP + 3 * down - 16,
                   f"Nine heads, each looking at one pixel; its number of the kernel times what it reads: {told}.")

    def _term(self, x, y, side, number, read):
        """A number of the kernel times a pixel, around a middle."""
        scale = max(1.0, np.abs(self.kernel).max())
        return (_cell(x - 10 - side, y, side, TINY, plain(number), fill(number), opacity(number, scale))
                + text(x, y + TINY / 2 + 5, "×", INK)
                + _cell(x + 10, y, side, TINY, plain(read), fill(read, "amount"), opacity(read, self.vmax)))

    def _small(self, x, y, dot, seen):
        """A head: the pixel that it looks at is full, the one that asks has a frame."""
        height, width = seen.shape
        wide, deep = width * dot, height * dot
        lines = "".join([*(f"M{x + j * dot:g} {y:g}v{deep}" for j in range(1, width)),
                         *(f"M{x:g} {y + i * dot:g}h{wide}" for i in range(1, height))])
        lit = "".join(f'<rect x="{x + j * dot:g}" y="{y + i * dot:g}" width="{dot}" height="{dot}" fill="{LIT}" '
                      f'fill-opacity="{palette.DEPTH}"/>' for i, j in np.argwhere(seen))
        row, column = self.pixel
        return (f'<rect x="{x:g}" y="{y:g}" width="{wide}" height="{deep}" fill="{PAGE}" stroke="{QUIET}"/>'
                f'<path d="{lines}" fill="none" stroke="{GRID}"/>{lit}'
                + _outline(x + column * dot, y + row * dot, dot, dot, QUERY, 2))

    def output(self):
        """The sum, in the frame of the query."""
        side = cell_width([plain(self.sum)], 14, SIDE)
        wide = max(side, math.ceil(text_width("their sum", LABEL, bold=True))) + 4
        x = (wide - side) / 2
        body = [text(wide / 2, LABEL, "their sum", INK, size=LABEL, bold=True),
                _cell(x, self.TOP, side, SIDE, plain(self.sum), fill(self.sum),
                      opacity(self.sum, max(self.vmax, abs(self.sum)))),
                _outline(x, self.TOP, side, SIDE, QUERY)]
        return Svg("".join(body), wide, self.TOP + SIDE + 2, f"Their sum is the output there: {plain(self.sum)}.")
