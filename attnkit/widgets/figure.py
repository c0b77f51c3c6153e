"""The base of the interactive figures.

A figure is an anywidget: Python holds the state, checks it and gives a view of
the result; one plain script draws it and does the few lines of arithmetic it
needs.  Live, the script is handed to the notebook with an export added; on the
static site the same file is loaded as it is and brings the figure's still
picture to life, with no kernel and no network.
"""

import json
from html import escape
from pathlib import Path

import anywidget
import numpy as np
import traitlets

from attnkit import palette
from attnkit.numbers import fixed
from attnkit.picture import Picture, Svg

HERE = Path(__file__).parent


def script(name):
    """The source of one of the plain scripts in this folder."""
    return (HERE / f"{name}.js").read_text(encoding="utf-8")


def stylesheet():
    """The figures' style, the palette's variables first."""
    return palette.css() + (HERE / "figure.css").read_text(encoding="utf-8")


def site_script():
    """All figures in one script for the static site."""
    names = sorted(p.stem for p in HERE.glob("*.js") if p.stem != "core")
    start = 'document.addEventListener("DOMContentLoaded", () => globalThis.attnkit.mount(document));\n'
    return "".join(script(name) for name in ["core", *names]) + start


class Figure(anywidget.AnyWidget):
    """What every interactive figure has: a caption, a still form, the same script live and static.

    A subclass names its script in `kind`, its synced state in traits, and
    returns its first picture with all its numbers from `still`.
    """

    STILL = "A still picture of the first state; where scripts may run, it comes to life."
    kind = ""          # the script beside the module, and its entry in attnkit.figures
    caption = traitlets.Unicode("").tag(sync=True)

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        if "kind" in vars(cls):    # not the class that anywidget derives for each instance
            cls._esm = (script("core") + script(cls.kind)
                        + f"export default {{ render: globalThis.attnkit.figures.{cls.kind}.render }};\n")
            cls._css = stylesheet()

    def still(self):
        """The picture of the present state, in HTML that needs neither script nor style sheet."""
        raise NotImplementedError

    def state(self):
        """The synced state of the figure itself, as plain data."""
        own = [name for cls in type(self).__mro__ for name in vars(cls)
               if issubclass(cls, Figure) and isinstance(vars(cls)[name], traitlets.TraitType)]
        return {name: getattr(self, name) for name in sorted(own)
                if self.trait_metadata(name, "sync") and not name.startswith("_")}

    def html(self):
        """The static form: a still picture that carries its state for the script."""
        data = escape(json.dumps(self.state(), ensure_ascii=False, sort_keys=True), quote=True)
        caption = f"<p>{escape(self.caption)}</p>" if self.caption else ""
        return (f'<div class="ak-widget" data-ak-figure="{self.kind}" data-ak-state="{data}">'
                f"{self.still()}{caption}<p><small>{self.STILL}</small></p></div>")

    def _repr_mimebundle_(self, **kwargs):
        data, metadata = super()._repr_mimebundle_(**kwargs) or ({}, {})
        return {**data, "text/html": self.html(), "text/plain": repr(self)}, metadata

    def __repr__(self):
        return f"<{type(self).__name__}>"


def numbers(value, name, low, high, shape):
    """Check an array of numbers and return it as plain lists; None in `shape` fits any length.

    Raises TypeError or ValueError in the caller's words.
    """
    try:
        array = np.asarray(value)
    except Exception:      # rows of different lengths, tensors that require a gradient, ...
        raise ValueError(f"{name} is no array of numbers, got {value!r}") from None
    if array.dtype.kind not in "fiu":
        raise TypeError(f"{name} must be numbers, got {value!r}")
    wanted = "(" + ", ".join("any" if s is None else str(s) for s in shape) + ("," if len(shape) == 1 else "") + ")"
    if array.ndim != len(shape) or any(s not in (None, n) for s, n in zip(shape, array.shape)) or array.size == 0:
        raise ValueError(f"{name} must have shape {wanted}, got {array.shape}")
    array = array.astype(float)
    if not (np.isfinite(array) & (array >= low) & (array <= high)).all():
        raise ValueError(f"{name} must lie between {low:g} and {high:g}, got {value!r}")
    return rounded(array)


def rounded(array):
    """Plain lists of nine decimals, no zero with a sign: the last bits of a product, and with them that sign, differ
    from processor to processor; a page must not.
    """
    return (np.round(array, 9) + 0.0).tolist()


class Between(traitlets.TraitType):
    """A trait that holds one number between two bounds, as a float; anything else is refused in the caller's words."""

    def __init__(self, low, high, default):
        super().__init__(float(default))
        self.low, self.high = low, high

    def validate(self, obj, value):
        """Raises TypeError or ValueError."""
        if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
            raise TypeError(f"{self.name} must be a number, got {value!r}")
        if not self.low <= value <= self.high:
            raise ValueError(f"{self.name} must lie between {self.low:g} and {self.high:g}, got {value}")
        return float(value)


def index(value, name, count, what):
    """Check the number of one of `count` things, counted from 0."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise TypeError(f"{name} must be an integer, got {value!r}")
    if not 0 <= value < count:
        raise ValueError(f"{name} must be one of the {count} {what}, counted from 0, got {value}")
    return int(value)


def still_table(head, rows):
    """A table of texts; the first of each row is its heading."""
    top = "".join(f'<th scope="col">{escape(t)}</th>' if t else "<td></td>" for t in head)
    body = "".join(f'<tr><th scope="row">{escape(row[0])}</th>'
                   + "".join(f"<td>{escape(t)}</td>" for t in row[1:]) + "</tr>" for row in rows)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


def still_plane(marks, reach, axes):
    """Points in a plane as a drawing: marks (name, point, role or "output", weight or None)."""
    side, margin = 320, 16
    unit = (side - 2 * margin) / (2 * reach)
    quiet, ink = palette.var("quiet"), palette.var("ink")
    middle = side / 2
    body = [f'<path d="M{margin} {middle:g}H{side - margin}M{middle:g} {margin}V{side - margin}" stroke="{quiet}"/>',
            f'<g font-size="13" fill="{quiet}"><text x="{side - margin}" y="{middle - 7:g}" text-anchor="end">'
            f'{escape(axes[0])}</text><text x="{middle - 6:g}" y="{margin + 6}" text-anchor="end">'
            f"{escape(axes[1])}</text></g>"]
    words = []
    for name, (x, y), role, weight in marks:
        px, py = middle + unit * x, middle - unit * y
        fill = ink if role == "output" else palette.var(role)
        radius = 8 if weight is None else 4 + 9 * weight**0.5
        body.append(f'<circle cx="{px:.1f}" cy="{py:.1f}" r="{radius:.1f}" fill="{fill}"/>'
                    f'<text x="{px:.1f}" y="{py - 14:.1f}" font-size="15" text-anchor="middle" fill="{ink}">'
                    f"{escape(name)}</text>")
        words.append(f"{name} at ({fixed(x)}, {fixed(y)})" + ("" if weight is None else f", weight {fixed(weight)}"))
    return Picture(Svg("".join(body), side, side, alt=f"Points in the plane: {'; '.join(words)}.")).html()


def table_cell(value, text, largest, *, note=""):
    """One coloured cell of a still table, with inline style only."""
    from attnkit.draw import opacity
    rgb = palette.FILL["negative" if value < 0 else "positive"].lstrip("#")
    r, g, b = (int(rgb[k:k + 2], 16) for k in (0, 2, 4))
    return (f'<td style="background-color:rgba({r},{g},{b},{opacity(value, largest):g});text-align:center;'
            f'padding:4px 8px">{escape(text)}{note}</td>')
