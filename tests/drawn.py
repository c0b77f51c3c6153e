"""What a drawing shows, read from its SVG: cells, frames, words and lines, where they stand in pixels.

Tests ask this instead of comparing markup: a drawing that says the same in other markup passes.
"""

import re
import xml.etree.ElementTree as ET
from typing import NamedTuple

import numpy as np

from bookkit.pictures import metrics, palette
from bookkit.pictures.formats import fixed

NUMBER = r"-?\d+(?:\.\d+)?(?:e-?\d+)?"
LOOKS = ("fill", "stroke", "stroke-width", "fill-opacity", "stroke-opacity", "stroke-dasharray", "font-size", "text-anchor")


class Box(NamedTuple):
    """A rectangle."""

    x: float
    y: float
    width: float
    height: float
    fill: str = ""
    opacity: float = 1
    stroke: str = ""

    @property
    def centre(self):
        return self.x + self.width / 2, self.y + self.height / 2

    def holds(self, x, y, room=0):
        return self.x - room <= x <= self.x + self.width + room and self.y - room <= y <= self.y + self.height + room

    def meets(self, other):
        return (self.x < other.x + other.width and other.x < self.x + self.width
                and self.y < other.y + other.height and other.y < self.y + self.height)

    def within(self, other):
        return other.holds(self.x, self.y, 0.5) and other.holds(self.x + self.width, self.y + self.height, 0.5)


class Word(NamedTuple):
    """A text at its anchor, and the room of its letters."""

    text: str
    x: float
    y: float
    fill: str
    box: Box


class Line(NamedTuple):
    """A path of straight pieces."""

    points: list
    stroke: str
    width: float
    opacity: float
    dashed: bool


class Drawing:
    """One drawing of a picture."""

    def __init__(self, picture, part=0):
        self.boxes, self.words, self.lines, self.marks, self.circles = [], [], [], [], []
        svg = picture.parts[part]
        self.page = Box(0, 0, svg.width, svg.height)
        self._walk(ET.fromstring(f"<g>{svg.body}</g>"), np.eye(3), {})

    def _walk(self, node, frame, look):
        if node.tag in ("defs", "clipPath"):
            return
        frame = frame @ moved(node.get("transform", ""))
        style = dict(re.findall(r"([\w-]+):\s*([^;]+)", node.get("style", "")))
        look = {key: node.get(key, style.get(key, look.get(key, ""))) for key in LOOKS}      # what a group says holds within

        def at(x, y):
            return tuple((frame @ [x, y, 1])[:2])

        def number(key, otherwise=0.0):
            return float((look.get(key) or node.get(key) or str(otherwise)).removesuffix("px"))

        if node.tag == "rect":
            self.boxes.append(around([at(number("x"), number("y")), at(number("x") + number("width"), number("y") + number("height"))],
                                     look["fill"], number("fill-opacity", 1), look["stroke"]))
        elif node.tag == "text":
            words, size, x, y = "".join(node.itertext()), number("font-size", 16), number("x"), number("y")
            wide = number("textLength") or metrics.text_width(words, size)
            left = x - {"start": 0, "middle": .5, "end": 1}[look["text-anchor"] or "start"] * wide
            # From the top of a capital to the line they stand on.
            corners_ = [at(left + i * wide, y - j * .66 * size) for i in (0, 1) for j in (0, 1)]
            self.words.append(Word(words, *at(x, y), look["fill"], around(corners_)))
        elif node.tag in ("circle", "ellipse"):
            self.circles.append(at(number("cx"), number("cy")))
        elif node.tag == "use":
            self.marks.append((at(number("x"), number("y")), look["fill"]))
        elif node.tag == "path" and node.get("d"):
            self.lines.append(Line([at(*point) for point in corners(node.get("d"))], look["stroke"] or look["fill"], number("stroke-width", 1),
                                   number("stroke-opacity", 1), bool(look["stroke-dasharray"])))
        for child in node:
            self._walk(child, frame, look)

    @property
    def cells(self):
        """The squares of numbers, in the order of their drawing."""
        return [box for box in self.boxes if "--ak-fill-" in box.fill]

    def blocks(self):
        """The matrices of squares, each its frame and rows of cells: all squares that one frame holds, from the left, from the top."""
        found = []
        for frame in self.boxes:
            if frame.fill == "none" and "--ak-ink" not in frame.stroke:
                held = [cell for cell in self.cells if frame.holds(*cell.centre)]
                found.append((frame, in_rows(held)))
        return found

    def lit(self):
        """The squares that a heavy frame in ink holds."""
        frames = [box for box in self.boxes if box.fill == "none" and "--ak-ink" in box.stroke]
        return {cell for cell in self.cells for frame in frames if frame.holds(*cell.centre)}

    def written_in(self, box):
        """The words inside a box."""
        return [word.text for word in self.words if box.holds(word.x, word.y)]

    def said(self, rows):
        """The words in the squares of a matrix."""
        return [["".join(self.written_in(cell)) for cell in row] for row in rows]

    def tables(self):
        """What stands in the squares of each matrix, in order."""
        return [self.said(rows) for _, rows in self.blocks()]

    def row_name(self, cells):
        """The words level with a row of squares, to its left, the nearest last."""
        level = [w for w in self.words if cells[0].y <= w.y <= cells[0].y + cells[0].height and w.x < cells[0].x]
        return [w.text for w in sorted(level, key=lambda w: w.x)]

    def column_name(self, cell):
        """The words right above a column of squares, the nearest last."""
        above = [w for w in self.words if abs(w.x - cell.centre[0]) < 1 and w.y < cell.y]
        return [w.text for w in sorted(above, key=lambda w: w.y)]


def in_rows(boxes):
    """Boxes by their rows, from the top, from left to right."""
    rows = {}
    for box in sorted(boxes, key=lambda box: (box.y, box.x)):
        rows.setdefault(round(box.y), []).append(box)
    return list(rows.values())


def around(points, *look):
    """The box around some points."""
    (left, top), (right, bottom) = np.min(points, axis=0), np.max(points, axis=0)
    return Box(left, top, right - left, bottom - top, *look)


def moved(transform):
    """The matrix of a transform."""
    whole = np.eye(3)
    for name, inside in re.findall(r"(\w+)\(([^)]*)\)", transform):
        v, step = [float(x) for x in re.findall(NUMBER, inside)], np.eye(3)
        if name == "translate":
            step[:2, 2] = v[0], v[1] if len(v) > 1 else 0
        elif name == "scale":
            step[0, 0], step[1, 1] = v[0], v[-1]
        elif name == "rotate":
            sine, cosine = np.sin(np.radians(v[0])), np.cos(np.radians(v[0]))
            step[:2, :2] = [[cosine, -sine], [sine, cosine]]
            pivot = np.array(v[1:] or [0, 0])
            step[:2, 2] = pivot - step[:2, :2] @ pivot
        whole = whole @ step
    return whole


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


def written(x, digits=1):
    return [[fixed(v, digits) for v in row] for row in x]


def signs(x, role=None):
    """What stands in squares without numbers; weights have no sign."""
    return [["" if role == "weight" or fixed(v) == "0.00" else "−" if v < 0 else "+" for v in row] for row in x]


def depths(cells, numbers, vmax=1):
    """Squares are as deep as their numbers are large."""
    return np.allclose([cell.opacity for cell in cells], np.abs(np.ravel(numbers)) / vmax * palette.DEPTH, atol=6e-4)
