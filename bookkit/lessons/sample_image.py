"""A small picture to look at with kernels: straight edges, a slope, and something round."""

import numpy as np


def house_at_night():
    """A house with a roof, a lit window and a dark door, and a moon at the upper right.

    How bright each pixel is (16, 16), from 0 to 1, to two digits.
    """
    rows, columns = np.mgrid[:16.0, :16.0]
    night = 0.1 + 0.8 * np.exp(-((rows - 4)**2 + (columns - 12)**2) / 5)
    night[(rows > 8) & (columns > 1) & (columns < 10)] = 0.45
    night[(rows > 3) & (rows < 9) & (np.abs(columns - 5.5) < rows - 3)] = 0.3        # the roof
    night[11:14, 3:5], night[11:16, 7:9] = 1.0, 0.05
    return night.round(2)
