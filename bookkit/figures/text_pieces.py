"""Byte-pair encoding: a text of the reader's, cut into pieces that grow with each merge."""

import re
import unicodedata
from html import escape

import traitlets

from bookkit.figures.base import Count, Figure, different, few, index, still_table

MERGES, LETTERS, LONGEST = 4000, 300, 300                # at most: merges, letters of a text, bytes of a piece
PARTS = re.compile(r" ?\w{1,64}| ?[^\w\s]{1,64}|\s{1,64}")     # no piece goes beyond one of these
MARKS = str.maketrans({" ": "␣", "\n": "⏎", "\t": "⇥"})   # what would not be seen


class TextPieces(Figure):
    """Push a slider and see bytes grow into words: byte-pair encoding of a text that the reader types.

    The text, at most 300 characters, falls into words, signs and blanks, and these into bytes. Of all neighbours that
    are among the known merges, the pair that was learned first is joined, and so on until there is none.

    `merges` are 1 to 4000 pairs of int in the order in which they were learned, all different. The numbers 0 to 255 are
    bytes, and pair k, counted from 0, makes piece 256 + k, of at most 300 bytes. `merged` says how many of them are
    known. `examples` are pairs of a name and a text, each a button.

    >>> figure = TextPieces([[116, 104], [256, 101], [32, 257]], "See the thé", merged=2)
    >>> figure.pieces[3:6], figure.ids[3:6]
    ([b' ', b'the', b' '], [32, 257, 32])
    """

    kind = "text_pieces"
    STILL = "Where scripts may run, a text of your own can be cut here."
    merges = traitlets.List().tag(sync=True)
    examples = traitlets.List().tag(sync=True)
    text = traitlets.Unicode("").tag(sync=True, reset=True)
    merged = Count(0, "merges", 0).tag(sync=True, reset=True)

    def __init__(self, merges, text="", merged=0, examples=(), caption=""):
        super().__init__(merges=_merges(merges), text=text, merged=merged, examples=_examples(examples),
                         caption=caption)

    @traitlets.validate("text")
    def _check_text(self, proposal):
        return _text(proposal["value"], "text")

    # ---- the arithmetic, the same in text_pieces.js

    @property
    def ids(self):
        """The numbers of the pieces, in reading order."""
        known = {tuple(pair): 256 + k for k, pair in enumerate(self.merges[:self.merged])}
        return [piece for part in PARTS.findall(self.text) for piece in _join(list(part.encode()), known)]

    @property
    def pieces(self):
        """The bytes of each piece."""
        return [self._spelled(piece) for piece in self.ids]

    def _spelled(self, piece):
        return bytes([piece]) if piece < 256 else b"".join(map(self._spelled, self.merges[piece - 256]))

    # ---- in words

    def told(self):
        """What the line below the figure says: what the last merge joins, and of how many pieces the text is made."""
        last = "No merges yet: each piece is a byte."
        if self.merged:
            left, right = self.merges[self.merged - 1]
            a, b, new = (drawn(self._spelled(piece)) for piece in (left, right, 255 + self.merged))
            last = f"The last merge, number {self.merged}, joins “{a}” and “{b}” into “{new}”."
        letters, pieces = len(self.text), len(self.ids)
        if not letters:
            return f"{last} There is no text."
        are = "is" if letters == 1 else "are"
        return f"{last} {_many(letters, 'letter')} {are} {_many(pieces, 'piece')}."

    def still(self):
        """The pieces at the present state, with bars between them, and how many they are."""
        ids = self.ids
        boxes = [_box(self._spelled(piece), new=piece == 255 + self.merged) for piece in ids]
        counts = [str(n) for n in (self.merged, len(self.text), len(self.text.encode()), len(ids))]
        table = still_table(["", "merges", "letters", "bytes", "pieces"], [["the text", *counts]])
        return (f'<div><p style="overflow-wrap:anywhere">{" | ".join(boxes)}</p><p>{escape(self.told())}</p>'
                f"{self._numbered(ids)}{table}</div>")

    def _numbered(self, ids):
        """A table of the pieces and their numbers, which is wider than a page."""
        if not ids:
            return ""
        table = still_table(["piece", *map(drawn, self.pieces)], [["its number", *map(str, ids)]])
        return f'<div style="overflow-x:auto" tabindex="0">{table}</div>'


def _many(count, thing):
    return f"{count} {thing}{'' if count == 1 else 's'}"


def _join(ids, known):
    """Join pairs that are known, the one learned first before the others, until there is none."""
    while found := known.keys() & zip(ids, ids[1:]):
        first = min(found, key=known.get)
        joined = []
        for piece in ids:
            if joined and (joined[-1], piece) == first:
                joined[-1] = known[first]
            else:
                joined.append(piece)
        ids = joined
    return ids


# ---- pieces as they are written

def _letters(piece):
    """The text of a piece, blanks as marks; nothing if it is no whole text, or none that can be seen."""
    try:
        text = piece.decode().translate(MARKS)
    except UnicodeDecodeError:
        return ""
    return text if any(unicodedata.category(letter)[0] not in "CMZ" for letter in text) else ""


def drawn(piece):
    """What stands in the box of a piece: its text, or its bytes."""
    return _letters(piece) or piece.hex(" ").upper()


def _box(piece, new):
    text = escape(drawn(piece))
    text = text if _letters(piece) else f"<small>{text}</small>"
    return f"<strong>{text}</strong>" if new else text


# ---- checks

def _text(value, name):
    if len(value) > LETTERS:
        raise ValueError(f"{name} must have at most {LETTERS} characters, got {len(value)}")
    if any("\ud800" <= letter <= "\udfff" for letter in value):
        raise ValueError(f"{name} must be characters that UTF-8 can write, got {value!r}")
    return value


def _merges(given):
    merges, lengths = [], [1] * 256
    for k, pair in enumerate(few(given, "merges", 1, MERGES)):
        merges.append([index(piece, f"a piece of merges[{k}]", 256 + k, "pieces before") for piece in pair])
        lengths.append(sum(lengths[piece] for piece in merges[k]))
        if lengths[-1] > LONGEST:
            raise ValueError(f"merges[{k}] must make a piece of at most {LONGEST} bytes, got {lengths[-1]}")
    different([*map(tuple, merges)], "merges")
    return merges


def _examples(given):
    different([name for name, _ in given], "the names of examples")
    return [[name, _text(text, f"the text of {name!r}")] for name, text in given]
