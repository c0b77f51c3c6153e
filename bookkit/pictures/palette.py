"""The one place for colour.

Every role has a shade for light pages and one for dark pages; each reads at
4.5 : 1 or better on its page and its ground (tests/pictures/test_palette.py).  The site's CSS variables
are made from this table; `book.mplstyle` repeats some of it, pinned by a test.
"""

from typing import NamedTuple

import numpy as np


class Shades(NamedTuple):
    """One colour, as a light page and as a dark page shows it."""

    light: str   # on a light page
    dark: str    # on a dark page


PAGE = Shades("#fffdfa", "#14161b")       # the page itself: paper by day, slate by night
GROUND = Shades("#f6f3ed", "#1d2026")     # what stands apart from the text: code, figures that move, notes
INK = Shades("#1b1c20", "#ebe8e1")        # text and lines in pictures
QUIET = Shades("#5d6069", "#a9acb4")      # axes, small notes
GRID = Shades("#dfdbd2", "#3b3f47")       # hair lines

ROLES = {
    "query": Shades("#8436d6", "#c08bff"),
    "key": Shades("#7d5900", "#fecb52"),
    "value": Shades("#00714f", "#00cc96"),
    "weight": Shades("#b3216f", "#ff8ac4"),
    "positive": Shades("#0a62a6", "#62b5f5"),
    "negative": Shades("#ab4306", "#ff9a5c"),
    "masked": Shades("#5c616a", "#a8adb4"),
}

# The fill of a square, more opaque for a larger number: bright under the dark ink of a light page, deep under the
# light ink of a dark one.  Up to DEPTH the ink stays legible on it.
FILL = {
    "positive": Shades("#2f8ddd", "#266bae"),
    "negative": Shades("#e2702f", "#a64815"),
    "weight": Shades("#df5c9d", "#ab3d76"),
}
DEPTH = 0.9

# A formula's colours are written into it and cannot follow the page: one shade of each role's hue that large letters
# read by, at 3 : 1 or better, on the light page and on the dark one.
MATHS = {"query": "#9d54ef", "key": "#a17200", "value": "#008c65", "weight": "#df2a86"}


def variables():
    """Every colour by the name of its CSS variable: ``{"--ak-query": Shades(...), ...}``."""
    named = {"page": PAGE, "ground": GROUND, "ink": INK, "quiet": QUIET, "grid": GRID, **ROLES}
    named.update({f"fill-{kind}": shades for kind, shades in FILL.items()})
    return {f"--ak-{name}": shades for name, shades in named.items()}


def css():
    """The CSS variables, for a light page and for a dark one (the site's switch, JupyterLab's theme)."""
    light = "".join(f"{name}:{c.light};" for name, c in variables().items())
    dark = "".join(f"{name}:{c.dark};" for name, c in variables().items())
    return (f":root{{{light}}}\n"
            f"html[data-theme=dark],body[data-jp-theme-light=false]{{{dark}}}\n"
            f"@media print{{html[data-theme=dark]{{{light}}}}}\n")


def var(name):
    """A colour for SVG or inline CSS that follows the page: ``var(--ak-query, #8436d6)``."""
    try:
        return f"var(--ak-{name}, {variables()[f'--ak-{name}'].light})"
    except KeyError:
        known = ", ".join(n.removeprefix("--ak-") for n in variables())
        raise ValueError(f"no colour is called {name!r}; the palette has {known}") from None


def coloured(role, tex):
    r"""A piece of a formula in the colour of a role.

    >>> print(coloured("query", "Q"))
    \textcolor{#9d54ef}{Q}
    """
    if role not in MATHS:
        raise ValueError(f"role must be one of {', '.join(MATHS)}, got {role!r}")
    return rf"\textcolor{{{MATHS[role]}}}{{{tex}}}"


# ---- how the colours look to other eyes (the page "The palette" shows it)

# How a picture looks to somebody whose long, middle or short cones are missing: matrices for linear red, green, blue.
# Machado, Oliveira and Fernandes (2009), "A Physiologically-based Model for Simulation of Color Vision Deficiency",
# severity 1.
VISION = {
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}


def linear(colour):
    """Red, green and blue of ``"#rrggbb"`` as shares of light, shape (3,)."""
    c = np.array([int(colour[k:k + 2], 16) for k in (1, 3, 5)]) / 255
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def simulated(colour, vision):
    """A colour as it looks to somebody with one of the kinds of colour blindness in VISION.

    >>> simulated("#ff0000", "protanopia"), simulated("#808080", "tritanopia")
    ('#6d5f00', '#808080')
    """
    c = np.clip(np.array(VISION[vision]) @ linear(colour), 0, 1)
    c = np.where(c <= 0.0031308, 12.92 * c, 1.055 * c ** (1 / 2.4) - 0.055)
    return "#" + "".join(f"{int(255 * v + 0.5):02x}" for v in c)


def mixed(colour, ground, share):
    """A colour laid over a ground, `share` of it covering."""
    over, under = ([int(c[k:k + 2], 16) for k in (1, 3, 5)] for c in (colour, ground))
    return "#" + "".join(f"{int(share * a + (1 - share) * b + 0.5):02x}" for a, b in zip(over, under))


def contrast(first, second):
    """The contrast of two colours, from 1 (none) to 21, as the Web Content Accessibility Guidelines define it.

    >>> round(contrast("#000000", "#ffffff"), 2)
    21.0
    """
    low, high = sorted(float(linear(c) @ [0.2126, 0.7152, 0.0722]) for c in (first, second))
    return (high + 0.05) / (low + 0.05)


def distance(first, second):
    """How different two colours look: CIE 1976, where about 2.3 is just noticeable and 100 is black against white."""
    return float(np.linalg.norm(_lab(first) - _lab(second)))


def _lab(colour):
    to_xyz = np.array([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750],
                       [0.0193339, 0.1191920, 0.9503041]])
    t = to_xyz @ linear(colour) / to_xyz.sum(axis=1)
    x, y, z = np.where(t > 0.008856, np.cbrt(t), 7.787037 * t + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])
