"""The one place for colour.

Every role has a shade for light pages and one for dark pages; each reads at
4.5 : 1 or better on its page and its ground (tests/pictures/test_palette.py).  The site's CSS variables
are made from this table; `book.mplstyle` repeats some of it, pinned by a test.
"""

from typing import NamedTuple


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
# light ink of a dark one.  Up to DEPTH the ink stays legible on it.  Each means one thing: a sign, a weight of
# attention, or an amount, which is neither: a share, a brightness, work.
FILL = {
    "positive": Shades("#2f8ddd", "#266bae"),
    "negative": Shades("#e2702f", "#a64815"),
    "weight": Shades("#df5c9d", "#ab3d76"),
    "amount": Shades("#8f9299", "#60646d"),
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
