"""Plots in the book's style, as pictures with a text alternative."""

import io
import math
import re
import zlib

import matplotlib.style
import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, MaxNLocator

from bookkit.pictures import palette
from bookkit.pictures.formats import fixed
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
    # A picture of its own has no name for xlink's space.
    body = body.replace("xlink:href", "href")
    # The words in the face of the other pictures, whatever matplotlib measured them in.
    body = re.sub(r"font-family: [^;\"]*; ?", "", body).replace("font-weight: 700", "font-weight: 600")
    # What cuts lines off is named by its numbers as they are written: behind these, machines differ.
    for name, cut in re.findall(r'<clipPath id="(\w+)">(.*?)</clipPath>', body):
        body = body.replace(name, f"p{zlib.crc32(cut.encode()):08x}")
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


STYLES = (("-", palette.INK), ("--", palette.INK), ("-", palette.QUIET), (":", palette.INK))


def lines(x, named, *, x_name, y_name, low, high):
    """Plot a line for each name, in ink and grey, dashed and not; gives the axes.

    What has a name is an array (m,) as long as `x`, or several of them, one for each draw: then the line is their mean,
    and a band goes from the least to the most. The vertical axis goes from `low` to `high`.
    """
    ax = axes(5.0, 3.3)
    for (name, found), (dashes, shades) in zip(named.items(), STYLES, strict=False):
        draws = np.atleast_2d(found)
        ax.plot(x, draws.mean(axis=0), dashes, color=shades.light, linewidth=2.4, label=name)
        if len(draws) > 1:
            ax.fill_between(x, draws.min(axis=0), draws.max(axis=0), color=shades.light, alpha=.15, linewidth=0)
    ax.set(xlabel=x_name, ylabel=y_name, ylim=(low, high))
    ax.legend(frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2)
    return ax


def landscape(score, query, keys, names, levels, numbered, *, title, points=3, hole=0.0):
    """A picture of a score function: lines of equal score in the plane of the keys, and which of them scores highest.

    `score(query, keys)` gives (n,) of keys (n, 2), and is asked at `points` places along each side: a slope needs no
    more than 3. There are lines at 0, at the `levels` and at their negatives, and those that are `numbered` have their
    number.  A score that jumps at the origin is not drawn within a `hole` around it.
    """
    line = np.linspace(-3, 3, points) + (0.001 if hole else 0)
    places = np.stack(np.meshgrid(line, line), axis=-1)
    scores = score(query, places.reshape(-1, 2)).reshape(points, points).round(4)
    drawn = np.where(np.hypot(*places.T) < hole, np.nan, scores)
    ax = axes(3.1, 3.2)
    ax.contour(line, line, drawn, levels=[0], colors=palette.QUIET.light, linewidths=1.2)
    for sign, its in (("positive", levels), ("negative", -levels[::-1])):
        lines = ax.contour(line, line, drawn, levels=its, colors=palette.ROLES[sign].light, linestyles="solid",
                           linewidths=1.2)
        for label in ax.clabel(lines, levels=[x for x in lines.levels if abs(x) in numbered],
                               fmt=lambda x: f"{x:g}".replace("-", "−"), fontsize=11):
            if max(map(abs, label.get_position())) > 2.6:      # it would be cut by the frame
                label.remove()
    ax.plot(*keys.T, "o", color=palette.ROLES["key"].light, markersize=6)
    top = score(query, keys).argmax()
    ax.annotate(names[top], keys[top], xytext=(0, 7), textcoords="offset points", ha="center", weight="bold")
    ax.annotate("", query, (0, 0), arrowprops={"arrowstyle": "-|>", "color": palette.ROLES["query"].light,
                                               "linewidth": 2.4, "shrinkA": 0, "shrinkB": 0, "mutation_scale": 16})
    ax.set(xlim=(-3, 3.2), ylim=(-3, 3), xticks=[-2, 0, 2], yticks=[-2, 0, 2], aspect="equal", title=title)
    return picture(ax, alt=f"{title}: lines of equal score in the plane of the keys, from {fixed(scores.min(), 1)} "
                           f"to {fixed(scores.max(), 1)}. Of the keys {names[top]} scores highest.")


def pulled(scores, names, *, star=None, star_name=""):
    """Plot items in a ring of kinds, each of which pulls to its corner, as hard as its score says; gives the axes.

    `scores` (kinds, k, kinds) are those of k items of each kind, in the order of the `names`; items of a kind are
    joined.  `star` are the scores of one more, which has a mark of its own.
    """
    scores = np.asarray(scores, dtype=float)
    if scores.ndim != 3 or not len(scores) == scores.shape[2] == len(names):
        raise ValueError(f"scores must be (kinds, k, kinds) for {len(names)} names, got {scores.shape}")
    angles = np.radians(90 - np.arange(len(names)) * 360 / len(names))
    corners = np.stack([np.cos(angles), np.sin(angles)], axis=1)              # (kinds, 2), the first at the top
    points = scores @ corners
    size = np.linalg.norm(points, axis=2).max()
    ax = axes(4.9, 3.7)
    for own, corner, name in zip(points, corners, names):
        ax.plot(*own.T, color=palette.GRID.light, linewidth=1.5, zorder=1)
        ax.scatter(*own.T, s=46, color=palette.ROLES["key"].light, zorder=3)
        ax.text(*(corner * size * 1.22), name, ha="center", va="center", weight="bold")
    if star is not None:
        ax.scatter(*(star @ corners), s=190, marker="*", color=palette.ROLES["query"].light, zorder=4)
        ax.annotate(star_name, star @ corners, xytext=(-2, -17), textcoords="offset points", ha="center",
                    color=palette.ROLES["query"].light)
    ax.set(aspect="equal", xlim=(-1.5 * size, 1.5 * size), ylim=(-1.4 * size, 1.4 * size))
    ax.axis("off")
    return ax


def apart(vectors, matrix, sorts, names):
    """Plot items (n, d) that a matrix (d, 2) tells apart, and the border between the two; gives the axes.

    To the right lies what it calls the second sort, and upwards the direction in which most of the rest differs.
    `sorts` (n,) are 0 or 1, drawn as crosses and dots; `names` are two.
    """
    vectors, sorts = np.asarray(vectors, dtype=float), np.asarray(sorts)
    if len(vectors) != len(sorts) or np.shape(matrix) != (vectors.shape[1], 2):
        raise ValueError(f"got vectors {vectors.shape}, a matrix {np.shape(matrix)} and {len(sorts)} sorts")
    across = (matrix[:, 1] - matrix[:, 0]) / np.linalg.norm(matrix[:, 1] - matrix[:, 0])
    rest = vectors - np.outer(vectors @ across, across)
    up = np.linalg.svd(rest - rest.mean(axis=0), full_matrices=False)[2][0]
    ax = axes(4.9, 2.7)
    ax.axvline(0, color=palette.INK.light, linewidth=1)
    for which, shade, marker in ((0, palette.QUIET, "x"), (1, palette.INK, "o")):       # blue and orange are signs
        x, y = ((vectors[sorts == which] @ along).round(3) for along in (across, up))      # processors differ beyond
        ax.scatter(x, y, s=22, linewidth=1.3, marker=marker, color=shade.light, label=names[which])
    ax.set(xticklabels=[], yticklabels=[], xlabel=f"{names[0]}  ←  says the matrix  →  {names[1]}")
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 0.98), ncol=2, handletextpad=0.1)
    return ax


# ---- both axes logarithmic

SHADES = [(shade, thick) for thick in (3.5, 2, 1) for shade in (palette.INK, palette.QUIET)]      # of the lines


def loglog_lines(x, lines, *, x_name, y_name, write="{:g}".format, dashed=(), crossings=()):
    """Plot lines with both axes logarithmic: what grows with a power of x is straight, and a higher power is steeper.

    `lines` are at most six by name, a number for each x or None.  Those in `dashed` are estimates, not measured.
    `write` turns a number into words, such as `formats.in_time`.  `crossings` are pairs of names: a ring where the two
    lines first cross, with its x.
    """
    x, lines = np.asarray(x, dtype=float), {name: np.array(numbers, dtype=float) for name, numbers in lines.items()}
    ax, told = axes(4.9, 3.1), []
    ends = {name: np.flatnonzero(np.isfinite(numbers))[[0, -1]] for name, numbers in lines.items()}
    every = np.concatenate(list(lines.values()))
    low, high = np.nanmin(every), np.nanmax(every)
    ax.set(xscale="log", yscale="log", xlabel=x_name, ylabel=y_name)
    ax.set_xticks(x[::-1][::math.ceil(len(x) / 5)], labels=[f"{v:,.12g}" for v in x[::-1][::math.ceil(len(x) / 5)]])
    ax.yaxis.set_major_locator(LogLocator(numticks=7) if high > 30 * low else MaxNLocator(4))
    ax.yaxis.set_major_formatter(lambda v, _: write(float(v)))
    ax.minorticks_off()
    level = 0.0      # of the name before, from the lowest up: no two stand on one another
    for (name, numbers), (shade, thick) in zip(lines.items(), SHADES):
        ax.plot(x, numbers, "--" if name in dashed else "o-", color=shade.light, linewidth=thick, markersize=5)
        first, last = ends[name]
        told.append(f"{name}: {write(numbers[first])} at {x[first]:,.12g}, {write(numbers[last])} at {x[last]:,.12g}.")
    for name in sorted(lines, key=lambda name: lines[name][ends[name][1]]):
        end = ends[name][1]
        level = max(lines[name][end], level * (high / low) ** 0.085)
        if end < len(x) - 1:      # a line that ends early is led to its name
            ax.plot([x[end], x[-1]], [lines[name][end], level], ":", color=palette.QUIET.light, linewidth=1)
        ax.annotate(name, (x[-1], level), xytext=(8, 0), textcoords="offset points", va="center", annotation_clip=False)
    for pair in crossings:
        at, y = crossing(x, *(lines[name] for name in pair))
        ax.plot([at], [y], "o", color=palette.INK.light, markersize=11, fillstyle="none")
        near = f"{float(f'{at:.1e}'):,.12g}"      # two digits
        ax.annotate(f"about {near}", (at, y), xytext=(8, -16), textcoords="offset points")
        told.append(f"{' and '.join(pair)} cross near {near}.")
    return picture(ax, alt=f"{y_name} against {x_name}, both axes logarithmic. {' '.join(told)}")


def crossing(x, one, other):
    """Where two lines first cross, both axes logarithmic: (x, y), or None if they do not.

    Numbers that are nan are left out.

    >>> x, y = crossing(np.array([1.0, 4.0]), np.array([1.0, 16.0]), np.array([2.0, 8.0]))
    >>> round(float(x), 6), round(float(y), 6)
    (2.0, 4.0)
    """
    known = np.isfinite(one) & np.isfinite(other)
    u, a, b = np.log(x[known]), np.log(one[known]), np.log(other[known])
    for k in range(len(u) - 1):
        before, after = a[k] - b[k], a[k + 1] - b[k + 1]
        if before * after <= 0 and before != after:
            t = before / (before - after)
            return np.exp(u[k] + t * (u[k + 1] - u[k])), np.exp(a[k] + t * (a[k + 1] - a[k]))
    return None
