"""The one place for colour.

Every role has a shade for light pages and one for dark pages; each reads at
4.5 : 1 or better on its page (tests/test_pictures.py).  The site's CSS variables
are made from this table; `book.mplstyle` repeats some of it, pinned by a test.
"""

from typing import NamedTuple


class Shades(NamedTuple):
    """One colour, as a light page and as a dark page shows it."""

    light: str   # on a light page
    dark: str    # on a dark page


PAGE = Shades("#ffffff", "#121212")       # the page itself
INK = Shades("#16181d", "#f4f6f8")        # text and lines in pictures
QUIET = Shades("#5b6370", "#a9b1bc")      # axes, small notes
GRID = Shades("#d8dce2", "#3a424d")       # hair lines

ROLES = {
    "query": Shades("#8436d6", "#c08bff"),
    "key": Shades("#876000", "#fecb52"),
    "value": Shades("#007a5a", "#00cc96"),
    "weight": Shades("#b3216f", "#ff8ac4"),
    "positive": Shades("#0a66ad", "#62b5f5"),
    "negative": Shades("#b24708", "#ff9a5c"),
    "masked": QUIET,
}

# The fill of a square: one middle tone for both pages, more opaque for a larger
# number.  Up to DEPTH the ink of either page stays legible on it.
FILL = {"positive": "#1c7cc9", "negative": "#cc5514", "weight": "#cf4a8d"}
DEPTH = 0.85


def variables():
    """Every colour by the name of its CSS variable: ``{"--ak-query": Shades(...), ...}``."""
    named = {"page": PAGE, "ink": INK, "quiet": QUIET, "grid": GRID, **ROLES}
    named.update({f"fill-{sign}": Shades(c, c) for sign, c in FILL.items()})
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
