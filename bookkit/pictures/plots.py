"""Plots in the book's style, as pictures with a text alternative."""

import io
import re

import matplotlib.style
import numpy as np
from matplotlib.figure import Figure

from bookkit.pictures import palette
from bookkit.pictures.picture import Picture, Svg

# From matplotlib's own settings, not from those of whoever runs this.
matplotlib.style.use(["default", "bookkit.pictures.book"])


def axes(width=4.8, height=3.5):
    """New axes on a figure of the given size in inches (it belongs to no window and needs no closing)."""
    return Figure(figsize=(width, height), layout="constrained").add_subplot()


def picture(ax, *, alt, caption=""):
    """Turn the figure of matplotlib axes into a Picture, the same at every run, which follows light and dark.

    `alt` says in words what the plot shows, `caption` what to see.
    """
    out = io.StringIO()
    ax.figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    svg = out.getvalue()
    width, height = (float(v) for v in re.search(r'viewBox="0 0 (\S+) (\S+)"', svg).groups())
    body = svg[svg.index(">", svg.index("<svg")) + 1:svg.rindex("</svg>")]
    body = re.sub(r"<metadata>.*?</metadata>|<!--.*?-->|\n\s*", " ", body, flags=re.S)
    # The words in the face of the other pictures, whatever matplotlib measured them in.
    body = re.sub(r"font-family: [^;\"]*; ?", "", body).replace("font-weight: 700", "font-weight: 600")
    for name, shades in palette.variables().items():
        body = re.sub(rf"{shades.light}\b", f"var({name}, {shades.light})", body)
    scale = 96 / 72   # matplotlib counts points, the page counts pixels
    body = f'<g transform="scale({scale:.6g})">{body}</g>'
    smallest = min((float(size) * scale for size in re.findall(r"font-size: ([\d.]+)px", body)), default=None)
    return Picture(Svg(body, round(width * scale), round(height * scale), alt=alt, smallest=smallest), caption=caption)


def plane(points, names, *, arrow=None, arrow_name="", axis_names=("x", "y"), ax=None, **kwargs):
    """Plot points (n, 2) in the plane and, if given, an arrow with each point's foot on its line; gives the axes.

    The dot product of the arrow with a point is the length of the arrow times the (signed) distance of that foot from
    the origin: the feet show the ranking.  `ax` are matplotlib axes to draw on; other arguments go on to
    ``ax.scatter``.
    """
    points = np.asarray(points, dtype=float)
    if points.ndim != 2 or points.shape[1] != 2:
        raise ValueError(f"points must have shape (n, 2), got {points.shape}")
    if len(names) != len(points):
        raise ValueError(f"there must be one name for each point, got {len(names)} names for points {points.shape}")
    ax = axes() if ax is None else ax
    ax.axhline(0, color=palette.QUIET.light, linewidth=1)
    ax.axvline(0, color=palette.QUIET.light, linewidth=1)
    if arrow is not None:
        arrow = np.asarray(arrow, dtype=float)
        if arrow.shape != (2,) or not arrow.any():
            raise ValueError(f"arrow must be two numbers, not both zero, got {arrow}")
        unit = arrow / np.hypot(*arrow)
        feet = np.outer(points @ unit, unit).round(6)
        for point, foot in zip(points, feet):
            ax.plot(*zip(point, foot), color=palette.QUIET.light, linewidth=1.2, linestyle=(0, (4, 3)))
            ax.plot(*foot, marker="o", markersize=4, color=palette.QUIET.light)
        ax.axline((0, 0), tuple(unit), color=palette.ROLES["query"].light, linewidth=1, alpha=.5)
        ax.annotate("", arrow, (0, 0), arrowprops={"arrowstyle": "-|>", "color": palette.ROLES["query"].light,
                                                  "linewidth": 2.6, "shrinkA": 0, "shrinkB": 0, "mutation_scale": 18})
        # The name stands beside the middle of the arrow, on its upper side, out of the way of the points' names.
        across = np.array([-unit[1], unit[0]]) * (1 if unit[0] >= 0 else -1)
        ax.annotate(arrow_name, arrow / 2, xytext=tuple(10 * across), textcoords="offset points",
                    color=palette.ROLES["query"].light, weight="bold")
    ax.scatter(*points.T, **{"s": 46, "color": palette.ROLES["key"].light, "zorder": 3, **kwargs})
    for k, (point, name) in enumerate(zip(points, names)):
        # Above the point, or below it where the perpendicular leads up or is too short to see.
        below = arrow is not None and (feet[k][1] > point[1] or np.hypot(*(feet[k] - point)) < 0.1)
        ax.annotate(name, point, xytext=(0, -8 if below else 8), textcoords="offset points", ha="center",
                    va="top" if below else "bottom")
    ax.set(xlabel=axis_names[0], ylabel=axis_names[1], aspect="equal")
    return ax

