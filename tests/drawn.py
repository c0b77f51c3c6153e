"""What a drawing shows, read from its SVG: cells, frames, words and lines, where they stand in pixels.

Tests ask this instead of comparing markup: a drawing that says the same in other markup passes.
"""

import re
import xml.etree.ElementTree as ET
from typing import NamedTuple

import numpy as np

from bookkit.pictures.formats import fixed

NUMBER = r"-?\d+(?:\.\d+)?(?:e-?\d+)?"


class Box(NamedTuple):
    """A rectangle."""

    x: float
    y: float
    width: float
    height: float
    fill: str
    opacity: float
    stroke: str
    stroke_width: float

    @property
    def centre(self):
        return self.x + self.width / 2, self.y + self.height / 2

    def holds(self, x, y):
        return self.x <= x <= self.x + self.width and self.y <= y <= self.y + self.height

    def meets(self, other):
        return (self.x < other.x + other.width and other.x < self.x + self.width
                and self.y < other.y + other.height and other.y < self.y + self.height)

    def within(self, other):
        return other.holds(self.x, self.y) and other.holds(self.x + self.width, self.y + self.height)


class Word(NamedTuple):
    """A text at its anchor."""

    text: str
    x: float
    y: float
    fill: str
    anchor: str = "start"
    size: float = 16
    width: float = 0

    @property
    def box(self):
        """The room of its letters, from the top of a capital to the line they stand on."""
        x = self.x - {"start": 0, "middle": .5, "end": 1}[self.anchor] * self.width
        return Box(x, self.y - .66 * self.size, self.width, .66 * self.size, self.fill, 1, "", 0)


class Line(NamedTuple):
    """A path of straight pieces, or a single mark (one point)."""

    points: list
    stroke: str
    dashed: bool


class Drawing:
    """One drawing of a picture."""

    def __init__(self, picture, part=0):
        self.boxes, self.words, self.lines, self.marks, self.circles = [], [], [], [], []
        self.page = Box(0, 0, picture.parts[part].width, picture.parts[part].height, "", 1, "", 0)
        body = re.sub(r"xlink:href", "href", picture.parts[part].body)
        self._walk(ET.fromstring(f"<g>{body}</g>"), np.eye(3), {})

    def _walk(self, node, frame, look):
        if node.tag in ("defs", "clipPath"):
            return
        if node.get("transform") and node.tag == "g":
            for name, inside in re.findall(r"(\w+)\(([^)]*)\)", node.get("transform")):
                v = [float(x) for x in re.findall(NUMBER, inside)]
                step = np.eye(3)
                if name == "translate":
                    step[:2, 2] = v[0], v[1] if len(v) > 1 else 0
                elif name == "scale":
                    step[0, 0], step[1, 1] = v[0], v[-1]
                frame = frame @ step
        style = dict(re.findall(r"([\w-]+):\s*([^;]+)", node.get("style", "")))
        # What a group says holds for what it holds.
        look = {key: node.get(key, style.get(key, look.get(key)))
                for key in ("fill", "stroke", "stroke-width", "fill-opacity", "stroke-dasharray")}

        def at(x, y):
            return tuple((frame @ [x, y, 1])[:2])

        def number(key, otherwise=0.0):
            return float(node.get(key, otherwise))
        if node.tag == "rect":
            (x, y), (right, bottom) = at(number("x"), number("y")), at(number("x") + number("width"), number("y") + number("height"))
            self.boxes.append(Box(x, y, right - x, bottom - y, look["fill"] or "", float(look["fill-opacity"] or 1), look["stroke"] or "",
                                  float(look["stroke-width"] or 1)))
        elif node.tag == "text":
            self.words.append(Word("".join(node.itertext()), *at(number("x"), number("y")), look["fill"] or "", node.get("text-anchor", "start"),
                                   number("font-size", 16), number("textLength")))
        elif node.tag in ("circle", "ellipse"):
            self.circles.append(at(number("cx"), number("cy")))
        elif node.tag == "use":
            self.marks.append((at(number("x"), number("y")), look["fill"] or ""))
        elif node.tag == "path":
            self.lines.append(Line([at(*p) for p in corners(node.get("d"))], look["stroke"] or "", bool(look["stroke-dasharray"])))
        for child in node:
            self._walk(child, frame, look)

    # ---- squares

    @property
    def cells(self):
        """The squares of numbers, in the order of their drawing."""
        return [box for box in self.boxes if "--ak-fill-" in box.fill]

    def blocks(self):
        """The matrices of squares, each as rows of cells: all squares that one frame holds, from the left, from the top."""
        found = []
        for frame in self.boxes:
            if frame.fill == "none" and "--ak-ink" not in frame.stroke:
                held = [cell for cell in self.cells if frame.holds(*cell.centre)]
                rows = {}
                for cell in sorted(held, key=lambda c: (c.y, c.x)):
                    rows.setdefault(round(cell.y), []).append(cell)
                found.append((frame, list(rows.values())))
        return found

    def lit(self):
        """The squares that a heavy frame in ink holds."""
        frames = [box for box in self.boxes if box.fill == "none" and "--ak-ink" in box.stroke]
        return {cell for cell in self.cells for frame in frames if frame.holds(*cell.centre)}

    def written_in(self, box):
        """The words inside a box."""
        return [word.text for word in self.words if box.holds(word.x, word.y)]

    def crowded(self):
        """What stands in the way of what else: words that meet words, a frame's line or the edge of the drawing, frames that meet."""
        frames = [box._replace(x=box.x - box.stroke_width, y=box.y - box.stroke_width, width=box.width + 2 * box.stroke_width,
                               height=box.height + 2 * box.stroke_width) for box in self.boxes if box.fill == "none" and "--ak-ink" not in box.stroke]
        found = [(a.text, b.text) for i, a in enumerate(self.words) for b in self.words[i + 1:] if a.box.meets(b.box)]
        found += [(word.text, "a frame") for word in self.words for frame in frames if word.box.meets(frame) and not word.box.within(frame)]
        found += [("a frame", "a frame") for i, a in enumerate(frames) for b in frames[i + 1:] if a.meets(b)]
        return found + [("the edge", thing) for thing in [*[word.box for word in self.words], *self.boxes] if not thing.within(self.page)]

    def row_name(self, cells):
        """The words level with a row of squares, to its left, the nearest last."""
        level = [w for w in self.words if cells[0].y <= w.y <= cells[0].y + cells[0].height and w.x < cells[0].x]
        return [w.text for w in sorted(level, key=lambda w: w.x)]

    def column_name(self, cell):
        """The words right above a column of squares, the nearest last."""
        above = [w for w in self.words if abs(w.x - cell.centre[0]) < 1 and w.y < cell.y]
        return [w.text for w in sorted(above, key=lambda w: w.y)]

    def colour_at(self, x, y):
        """The last box drawn over a point."""
        return next(box for box in reversed(self.boxes) if box.holds(x, y) and box.fill != "none")


def corners(path):
    """The corners of a path of moves and straight lines, absolute or not; curves count by their ends."""
    points, x, y, start = [], 0.0, 0.0, (0.0, 0.0)
    for command, inside in re.findall(r"([MmLlHhVvQqCcZz])([^A-Za-z]*(?:e-?\d+[^A-Za-z]*)*)", path):
        v = [float(n) for n in re.findall(NUMBER, inside)]
        relative = command.islower()
        if command in "Hh":
            x = v[-1] + (x if relative else 0)
        elif command in "Vv":
            y = v[-1] + (y if relative else 0)
        elif command in "Zz":
            x, y = start
        else:
            x, y = v[-2] + (x if relative else 0), v[-1] + (y if relative else 0)
            if command in "Mm":
                start = (x, y)
        points.append((x, y))
    return points


# ---- what tests of several pictures ask

def said(drawn, rows):
    """The words in the squares of a matrix."""
    return [["".join(drawn.written_in(cell)) for cell in row] for row in rows]


def written(x, digits=1):
    return [[fixed(v, digits) for v in row] for row in x]


def signs(x, role=None):
    """What stands in squares without numbers; weights have no sign."""
    return [["" if role == "weight" or fixed(v) == "0.00" else "−" if v < 0 else "+" for v in row] for row in x]


def box_of(drawn, name):
    """The box, or boxes, from the top, in which a name stands; bands behind boxes do not count."""
    return sorted((box for box in drawn.boxes if "--ak-quiet" in box.stroke and name in drawn.written_in(box)), key=lambda box: box.y)


def crossed(drawn):
    """The words that a line goes through."""
    along = np.linspace(0, 1, 201)[:, None]
    x, y = np.concatenate([np.array(a) + along * (np.array(b) - a) for line in drawn.lines for a, b in zip(line.points, line.points[1:])]).T
    return [word.text for word in drawn.words for box in [word.box]
            if ((box.x <= x) & (x <= box.x + box.width) & (box.y <= y) & (y <= box.y + box.height)).any()]


def is_clear(picture):
    """Nothing overlaps, and no line goes through a word."""
    drawn = Drawing(picture)
    assert not drawn.crowded() and not crossed(drawn)
    assert not [(a, b) for i, a in enumerate(drawn.boxes) for b in drawn.boxes[i + 1:] if a.meets(b)]
    return drawn

# Where each drawing stands on the screen (left, top, right, bottom), and how far the figure runs over its place.
PLACES = """() => [[...document.querySelectorAll('svg')].map(e => e.getBoundingClientRect()).map(b => [b.left, b.top, b.right, b.bottom]),
    document.querySelector('figure').scrollWidth - document.querySelector('figure').clientWidth]"""


def laid_out(picture, watched, tmp_path, width):
    """The places of a picture's drawings in a page that is so wide, and how far it runs over."""
    page = tmp_path / "picture.html"
    page.write_text("<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'><title>.</title>"
                    f"<body style='margin:0 16px'>{picture.html()}</html>")
    with watched(width=width) as w:
        w.open(page.as_uri())
        return w.page.evaluate(PLACES)
