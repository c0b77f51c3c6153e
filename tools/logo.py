"""Draw the book's sign, in the sidebar and in the browser's tab, from real numbers.

    python -m tools.logo          writes website/static/logo.svg

It is the table of weights of the first example: how much *je*, *t'* and *aime* look at *I*, *love* and *you*.
"""

from pathlib import Path

from bookkit.pictures import palette

LOGO = Path(__file__).resolve().parent.parent / "website" / "static" / "logo.svg"
WEIGHTS = [[0.94, 0.02, 0.04], [0.11, 0.01, 0.88], [0.03, 0.95, 0.02]]
SIDE, GAP = 28, 4


def logo():
    """The drawing: a square for each weight, the deeper the larger; the palest still shows on paper and on slate."""
    step = SIDE + GAP
    squares = "".join(f'<rect x="{GAP + j * step}" y="{GAP + i * step}" width="{SIDE}" height="{SIDE}" rx="6" '
                      f'fill-opacity="{0.2 + 0.8 * weight:.2f}"/>'
                      for i, row in enumerate(WEIGHTS) for j, weight in enumerate(row))
    size = 3 * step + GAP
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size} {size}">'
            f'<g fill="{palette.FILL["weight"].light}">{squares}</g></svg>\n')


if __name__ == "__main__":
    LOGO.write_text(logo(), encoding="utf-8")
