"""A convolution as heads: each looks at one neighbour of a pixel, sharply or not so sharply."""

import numpy as np
import traitlets

from attnkit import convolution_as_attention, multi_head_attention, softmax
from bookkit.figures.base import Between, Figure, Index, few, index, number_array, rounded, still_table
from bookkit.pictures import draw
from bookkit.pictures.formats import compact, fixed


class KernelHeads(Figure):
    """Choose a pixel and see which head looks where, what each adds to the output, and what all pixels together make.

    The score of pixel j for the head of an offset is minus `sharpness`, from 0.1 to 40, times the squared distance of j
    from the pixel that lies at this offset from the query's; a head that would leave the picture looks at its border.
    `picture` (height, width), at most 16 by 16, and the (3, 3) of up to six `kernels`, by name, lie within ±9; `pixel`
    is the row and column of the query, counted from 0.

    >>> figure = KernelHeads([[0, 1], [2, 3]], {"right": [[0, 0, 0], [0, 0, 1], [0, 0, 0]]}, pixel=(1, 0))
    >>> figure.output.round(2).tolist(), figure.exact.tolist()
    ([[1.0, 1.0], [3.0, 3.0]], [[1.0, 1.0], [3.0, 3.0]])
    """

    kind = "kernel_heads"
    SOFTEST, SHARPEST, MOST = 0.1, 40, 16
    pixels = traitlets.List().tag(sync=True)
    names = traitlets.List(traitlets.Unicode()).tag(sync=True)
    kernels = traitlets.List().tag(sync=True)
    exacts = traitlets.List().tag(sync=True)
    kernel = Index("names", "kernels").tag(sync=True, reset=True)
    pixel = traitlets.Any().tag(sync=True, reset=True)
    sharpness = Between(SOFTEST, SHARPEST, SHARPEST).tag(sync=True, reset=True)

    def __init__(self, picture, kernels, pixel=(0, 0), caption=""):
        picture = number_array(picture, "picture", -9, 9, (None, None))
        if max(np.shape(picture)) > self.MOST:
            raise ValueError(f"picture must be at most {self.MOST} by {self.MOST}, got shape {np.shape(picture)}")
        few(kernels, "kernels", 1, 6)
        rows = [number_array(k, f"kernel {name!r}", -9, 9, (3, 3)) for name, k in kernels.items()]
        exacts = [rounded(self._convolved(picture, k)) for k in rows]
        super().__init__(pixels=picture, names=list(kernels), kernels=rows, exacts=exacts, pixel=pixel,
                         caption=caption)

    @staticmethod
    def _convolved(picture, kernel):
        """The exact layer, by heads that masks direct."""
        x = np.array(picture).reshape(-1, 1)
        heads = convolution_as_attention(np.array([[kernel]]), shape=np.shape(picture), padding="replicate")
        return multi_head_attention(x, x, x, **heads)[0].reshape(np.shape(picture))

    @traitlets.validate("pixel")
    def _check_pixel(self, proposal):
        return [index(p, name, count, f"{name}s")
                for p, name, count in zip(proposal["value"], ("row", "column"), np.shape(self.pixels))]

    @property
    def weights(self):
        """Of the nine heads, from each pixel to each: shape (3, 3, height * width, height * width)."""
        places = np.indices(np.shape(self.pixels)).reshape(2, -1).T                      # (n, 2)
        offsets = np.indices((3, 3)).reshape(2, -1).T.reshape(3, 3, 1, 1, 2) - 1
        away = places - places[:, None] - offsets                                        # (3, 3, n, n, 2)
        return softmax(-self.sharpness * (away**2).sum(axis=-1))

    @property
    def reads(self):
        """What each head reads at the chosen pixel: shape (3, 3)."""
        return self.weights[:, :, np.ravel_multi_index(self.pixel, np.shape(self.pixels))] @ np.ravel(self.pixels)

    @property
    def output(self):
        """What all heads together give: shape (height, width)."""
        read = self.weights @ np.ravel(self.pixels)                                      # (3, 3, n)
        return np.einsum("abn,ab->n", read, np.array(self.kernels[self.kernel])).reshape(np.shape(self.pixels))

    @property
    def exact(self):
        """What the convolution gives: shape (height, width)."""
        return np.array(self.exacts[self.kernel])

    def still(self):
        """What each head reads at the pixel, times its number of the kernel; the picture and the output."""
        kernel, reads, at = np.array(self.kernels[self.kernel]), self.reads, tuple(self.pixel)
        names = [["up left", "up", "up right"], ["left", "here", "right"], ["down left", "down", "down right"]]
        rows = [[names[a][b], fixed(kernel[a, b]), fixed(reads[a, b]), fixed(kernel[a, b] * reads[a, b])]
                for a in range(3) for b in range(3)]
        gap = np.abs(self.output - self.exact).max()
        told = still_table(["head", "kernel", "reads", "adds"], rows) + still_table(
            ["kernel", "pixel", "sum of the heads", "convolution", "largest difference on the picture"],
            [[self.names[self.kernel], f"row {at[0] + 1}, column {at[1] + 1}", fixed(self.output[at]),
              fixed(self.exact[at]), "below 1e-8" if gap < 1e-8 else compact(gap)]])
        # Rounded: the last bits differ from processor to processor.
        shown = (("picture", np.array(self.pixels)), ("output", self.output.round(6) + 0.0))
        return told + "".join(draw.pixels(x, label=name, role=None if x.min() < 0 else "amount", side=9,
                                          alt=f"The {name}, {fixed(x.min())} to {fixed(x.max())}.").html()
                              for name, x in shown)
