"""The base of the interactive figures.

A figure is an anywidget: Python holds the state, checks it and gives a view of
the result; one plain script draws it and does the few lines of arithmetic it
needs.  Live, the script is handed to the notebook with an export added; on the
static site the same file is loaded as it is and brings the figure's still
picture to life, with no kernel and no network.
"""

import json
import re
from html import escape
from importlib import import_module
from pathlib import Path

import anywidget
import numpy as np
import traitlets

from attnkit import checks
from bookkit.pictures import palette
from bookkit.pictures.formats import fixed
from bookkit.pictures.picture import Picture, Svg
from bookkit.pictures.shapes import opacity

HERE = Path(__file__).parent
# The scripts that are no figures: the core, what brings a page to life, and what a figure may say that it needs. The
# last is fetched where a browser has none.
SHARED = ("core", "page", "model", "loading", "minilm", "chat_model", "weights", "seeds", "grammar", "learner",
          "digest")
_needs = {}        # of each figure, once its class is there


# ---- the files beside the classes

def kinds():
    """What the figures are called: each has a class, a script and perhaps a style sheet of that name."""
    return sorted(path.stem for path in HERE.glob("*.js") if path.stem not in SHARED)


def scripts(kind):
    """The names of the scripts of a figure, what it needs beside the core first."""
    if kind not in _needs:
        import_module(f"bookkit.figures.{kind}")
    return [*_needs[kind], kind]


def source(name):
    """The source of one of the plain scripts in this folder."""
    return (HERE / f"{name}.js").read_text(encoding="utf-8")


def label(kind):
    """What a figure is called: its script says it, to a screen reader, too."""
    return re.search(r'attnkit\.register\("\w+", [^"]*"(.+?)"', source(kind))[1]


COMMENTS = r"^[ ]*(?://[^\n]*|/\*\*(?:(?!\*/).)*\*/)\n|/\*\* @(?:(?!\*/).)*\*/ "
INDENT = r"^[ ]+"


def script(name):
    """The same as it travels, to a page and to a notebook."""
    return light(source(name))


def light(text):
    """A script without the lines that are comments, and not indented.

    What they say, and the types in them, is a third of what it weighs. A line of a text that is written over several
    could begin like one; `tests/test_build.py` sees that none does.
    """
    return re.sub(INDENT, "", re.sub(COMMENTS, "", text, flags=re.M | re.S), flags=re.M)


# What a page does when it has been read.
MOUNT = 'document.addEventListener("DOMContentLoaded", () => globalThis.attnkit.mount(document));\n'


def core_stylesheet():
    """What pictures and figures share, the palette's variables first."""
    return palette.css() + (HERE / "core.css").read_text(encoding="utf-8")


def stylesheet(kind):
    """The style of one figure alone: the files beside its scripts, nested under its own element, so that names cannot
    clash.
    """
    files = [HERE / f"{name}.css" for name in scripts(kind)]
    text = "".join(file.read_text(encoding="utf-8") for file in files if file.exists())
    return f'.ak-figure.ak-figure[data-ak-kind="{kind}"] {{\n{text}}}\n' if text else ""


# ---- figures

class Figure(anywidget.AnyWidget):
    """What every interactive figure has: a caption, a still form, the same script live and static, a way back.

    A subclass names its script in `kind`, and in `needs` those of SHARED that it needs; it holds its state in traits
    tagged ``sync=True``, and returns its first picture with all its numbers from `still`.  What the reader can change
    is tagged ``reset=True``, too: the script redraws whenever one of these changes, and its button "Reset" brings back
    what they were in the beginning.
    """

    STILL = "A still picture of the first state; where scripts may run, it comes to life."
    kind = ""          # the script beside the module, and its entry in bookkit.figures
    needs = ()
    caption = traitlets.Unicode("").tag(sync=True)
    defaults = traitlets.Dict().tag(sync=True)

    def __init__(self, **state):
        super().__init__(**state)
        self.defaults = {name: getattr(self, name) for name in sorted(self.trait_names(reset=True))}

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        if "kind" in vars(cls):    # not the class that anywidget derives for each instance
            _needs[cls.kind] = cls.needs
            cls._esm = ("".join(map(script, ["core", *scripts(cls.kind)]))
                        + f"export default {{ render: globalThis.attnkit.figures.{cls.kind}.render }};\n")
            cls._css = core_stylesheet() + stylesheet(cls.kind)

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


# ---- checks, and the traits that make them

def number_array(value, name, low, high, shape):
    """Check an array of numbers and return it as plain lists; None in `shape` fits any length."""
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


def index(value, name, count, what):
    """Check the number of one of `count` things, counted from 0."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise TypeError(f"{name} must be an integer, got {value!r}")
    if not 0 <= value < count:
        allowed = f"from 0 to {count - 1}" if count > 1 else "0"
        raise ValueError(f"{name} must be {allowed}, the number of one of the {what}, got {value}")
    return int(value)


def few(things, name, low, high):
    """Check how many things there are, and return them."""
    if not low <= len(things) <= high:
        raise ValueError(f"{name} must be {low if low == high else f'{low} to {high}'}, got {len(things)}")
    return things


def different(things, name):
    """Check that no two things are the same, and return them."""
    if len(set(things)) < len(things):
        raise ValueError(f"{name} must be all different, got {things!r}")
    return things


def one_each(given, name, things, what):
    """Check that a list or an array has one for each of some things, and return them as a list."""
    if len(given := checks.sequence(given, name, len(things))) != len(things):
        raise ValueError(f"{name} must hold one for each of {len(things)} {what}, got {given!r}")
    return given


def one_of(value, name, allowed):
    """Check that a value is one of some words or numbers, and return it."""
    if value not in (allowed := list(allowed)):
        raise ValueError(f"{name} must be one of {', '.join(map(str, allowed))}, got {value!r}")
    return allowed[allowed.index(value)]


class OneOf(traitlets.TraitType):
    """A trait that holds one of some words or numbers, the first by default."""

    def __init__(self, *allowed):
        super().__init__(allowed[0])
        self.allowed = allowed

    def validate(self, obj, value):
        """Traitlets' hook."""
        return one_of(value, self.name, self.allowed)


class Between(traitlets.TraitType):
    """A trait that holds one number between two bounds, as a float."""

    def __init__(self, low, high, default):
        super().__init__(float(default))
        self.low, self.high = low, high

    def validate(self, obj, value):
        """Traitlets' hook."""
        if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
            raise TypeError(f"{self.name} must be a number, got {value!r}")
        if not self.low <= value <= self.high:
            raise ValueError(f"{self.name} must lie between {self.low:g} and {self.high:g}, got {value}")
        return float(value)


class Index(traitlets.TraitType):
    """A trait that holds the number of one of several things, counted from 0.

    `of` is how many there are, or the name of the trait that holds them (which must be set before this one); `what`
    says in messages what they are.
    """

    def __init__(self, of, what, default=0):
        super().__init__(default)
        self.of, self.what = of, what

    def validate(self, obj, value):
        """Traitlets' hook."""
        return index(value, self.name, _length(obj, self.of) or 1, self.what)      # 0 where there is none


class Count(traitlets.TraitType):
    """A trait that holds a whole number from `low` to `high`, which is a number, too, or the name of a trait that holds
    so many things.
    """

    def __init__(self, low, high, default):
        super().__init__(default)
        self.low, self.high = low, high

    def validate(self, obj, value):
        """Traitlets' hook."""
        high = _length(obj, self.high)
        if not self.low <= checks.count(value, self.name, least=self.low) <= high:
            raise ValueError(f"{self.name} must be at most {high}, got {value}")
        return int(value)


class NumberArray(traitlets.TraitType):
    """A trait that holds an array of numbers between two bounds, as plain lists.

    In `shape`, None fits any length, and the name of a trait stands for its length.
    """

    def __init__(self, low, high, shape):
        super().__init__([])
        self.low, self.high, self.shape = low, high, shape

    def validate(self, obj, value):
        """Traitlets' hook."""
        shape = [None if side is None else _length(obj, side) for side in self.shape]
        return number_array(value, self.name, self.low, self.high, shape)


def _length(figure, of):
    return of if isinstance(of, int) else len(getattr(figure, of))


# ---- parts of still pictures

class Cell(str):
    """A cell of a still table that is made already."""


def still_table(head, rows):
    """A table of texts and of cells; the first text of each row is its heading."""
    top = "".join(f'<th scope="col">{escape(t)}</th>' if t else "<td></td>" for t in head)
    body = "".join(f'<tr><th scope="row">{escape(name)}</th>'
                   + "".join(t if isinstance(t, Cell) else f"<td>{escape(t)}</td>" for t in row) + "</tr>"
                   for name, *row in rows)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


def still_plane(marks, limit, axes):
    """Points in a plane as a drawing: marks (name, point, role or "output", weight or None)."""
    side, margin = 320, 16
    unit = (side - 2 * margin) / (2 * limit)
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


def still_cell(value, text, vmax, *, kind=None, note=""):
    """One coloured cell of a still table: hue by sign, or of `kind` "weight"; the style stands in the cell."""
    fill = palette.var(f"fill-{kind or ('negative' if value < 0 else 'positive')}")
    share = f"{100 * opacity(value, vmax):.4g}%"
    return Cell(f'<td style="background-color:color-mix(in srgb, {fill} {share}, transparent);'
                f'text-align:center;padding:4px 8px">{escape(text)}{note}</td>')
