"""Translators that read and write word by word: through one vector, with attention, where they look.

The two networks are read upwards, as in Bahdanau et al. (2015): the English words stand at the bottom, the French ones
at the top.
"""

import math

import numpy as np

from attnkit import softmax
from bookkit.pictures import palette
from bookkit.pictures.blocks import arrow
from bookkit.pictures.formats import fixed
from bookkit.pictures.metrics import text_width
from bookkit.pictures.picture import Picture, Svg
from bookkit.pictures.shapes import as_array, block, check_names, check_shares, check_within, text

INK, QUIET, GROUND, QUERY, WEIGHT = (palette.var(c) for c in ("ink", "quiet", "ground", "query", "weight"))
SYMBOL = 20                      # so large that an index is still legible on a phone
WIDE, DEEP = 44, 48              # the box of a state
START = "start"                  # the mark that the decoder reads before its first word


def encoder_decoder(english, french):
    """Draw a translator without attention: an encoder reads word by word, and one vector goes on to the decoder.

    Each state of the encoder is made of the state before and a word.  The last one is all that the decoder gets.  Each
    state of the decoder writes a word, which the next one reads.  A page is as wide as nine short words in all.  After
    Sutskever et al. (2014).
    """
    for name, words in (("english", english), ("french", french)):
        _check_words(name, words)
    return Picture(_OneVector(english, french).drawing())


def translator(english, french, scores, step=1):
    """Draw one step of a translator with attention, in three steps: what was read, who asks, the next word.

    The decoder's state before, whose index is step − 1, makes the query; the encoder's annotations h make the keys and
    are the values.  A softmax makes weights of the `scores`, one for each English word, and these blend the annotations
    into the output, y.  From it, the word before and the state before comes the new state; from the new state, the
    output and the word before the read-out writes the next word, whose number is `step`, from 1.  Of the French words
    the picture shows these two.  After Bahdanau et al. (2015), with this book's letters.

    >>> translator(["I", "sleep"], ["je", "dors"], [0, np.log(3)], step=2).alt.split(". ")[3]
    'The weights: I 0.25, sleep 0.75'
    """
    for name, words in (("english", english), ("french", french)):
        _check_words(name, words)
    check_within("step", step, 1, len(french), "French words")
    scores = as_array(scores, "scores")
    if scores.shape != (len(english),):
        raise ValueError(f"scores must have shape ({len(english)},), one for each English word, got {scores.shape}")
    return Picture(_Step(english, ["", *french], scores, step).drawing())


def swapped(step, read, weights, pairs):
    """Draw why another word changes the next one and not its weights: both come of one state, which is older.

    In a `step` the decoder has `read` a word; its new state writes a word, and asks for the next one with these
    `weights`, one for each English word.  The `pairs` are words that may stand there, with what follows each.
    """
    check_shares("weights", weights := as_array(weights, "weights"))
    side, old = 24, 24 + text_width(read) + WIDE / 2
    first, last = old + 72, old + 72 + side * len(weights)         # of the weights
    new, middle, deep = last + 50 + WIDE / 2, (first + last) / 2, 4 + 22 * len(pairs)
    body = [_state(old, 58, "g", step), _state(new, 58, "g", step + 1),
            block(weights[None], first, 36, side, "", "weight", None, 1, None, above=True, side=side),
            f'<rect x="{middle - 42:g}" y="108" width="84" height="{deep}" rx="8" fill="none" stroke="{INK}" '
            'stroke-width="2"/>', text(2, 87, read, INK, anchor="start", language="fr"),
            text(first, 24, f"asks for word {step + 1}", QUERY, anchor="start"),
            text(2, 150, f"writes word {step}", INK, anchor="start"),
            *(arrow(*corners) for corners in (
                [(old - WIDE / 2 - 18, 82), (old - WIDE / 2, 82)], [(new + WIDE / 2, 82), (new + WIDE / 2 + 22, 82)],
                [(old, 58), (old, 48), (first - 4, 48)], [(last + 4, 48), (new, 48), (new, 58)],
                [(old, 106), (old, 128), (middle - 44, 128)], [(middle + 44, 128), (new, 128), (new, 106)]))]
    for k, (word, following) in enumerate(pairs):
        body.append(text(middle, 126 + 22 * k, word, INK, bold=k > 0, language="fr"))
        body.append(text(new + 52, 76 + 22 * k, following, INK, anchor="start", bold=k > 0, language="fr"))
    wide = new + 56 + max(text_width(following) for _, following in pairs)
    told = "; ".join(f"after {word} it writes {following}" for word, following in pairs)
    return Picture(Svg("".join(body), math.ceil(wide), 112 + deep,
                       f"State g{step} has read {read}. It asks for word {step + 1}, with weights "
                       f"{', '.join(map(fixed, weights))}. It also writes word {step}. State g{step + 1} is made of "
                       f"both: {told}."))


def alignment(english, french, weights, around=None):
    """Draw the weights of a long sentence: a row for each French word, a column for each English one, no numbers.

    The English words stand in two lines above, every other one higher.  `around` frames the rows and columns from one
    French word to another and from one English word to another: ``((row, row), (column, column))``, from 0.

    >>> alignment(["I", "sleep"], ["je", "dors"], [[.9, .1], [.2, .8]]).alt
    'Weights, largest first: je: I 0.90; dors: sleep 0.80.'
    """
    for name, words in (("english", english), ("french", french)):
        _check_words(name, words)
    weights = as_array(weights, "weights")
    if weights.shape != (len(french), len(english)):
        raise ValueError(f"weights must have shape ({len(french)}, {len(english)}), a row for each French word, "
                         f"got {weights.shape}")
    for row in weights:
        check_shares("weights", row)
    for (first, last), words in zip(around or (), (french, english)):
        check_within("around", last, first, len(words) - 1, "words")
    return Picture(_alignment(english, french, weights, around))


def _check_words(name, words):
    """Words come one by one, and there are some."""
    if isinstance(words, str) or not len(words):
        raise ValueError(f"{name} must be a list of words, at least one, got {words!r}")
    check_names(name, words, len(words), "a sentence")


# ---- parts of both drawings

def _symbol(x, y, letter, index, colour=INK, anchor="middle"):
    """A letter with its index."""
    return text(x, y, letter, colour, size=SYMBOL, anchor=anchor, index=str(index))


def _box(x, y, wide=WIDE, deep=DEEP, colour=QUIET):
    """An empty box around a middle, below a height."""
    return (f'<rect x="{x - wide / 2:g}" y="{y:g}" width="{wide:g}" height="{deep:g}" rx="8" fill="{GROUND}" '
            f'stroke="{colour}" stroke-width="2"/>')


def _state(x, y, letter, index, colour=None):
    """The box of a state."""
    return _box(x, y, colour=colour or QUIET) + _symbol(x, y + DEEP / 2 + 6, letter, index, colour or INK)


def _into(x, y, before, word, turn):
    """What a state of the decoder, in a box around x below y, is made of: the state and the word before.

    `before` and `word` are where the lines begin, and `turn` is how far left of the box the word's turns down.
    """
    left = x - WIDE / 2
    return (arrow((before, y + DEEP / 2), (left, y + DEEP / 2))
            + arrow(word, (left - turn, word[1]), (left - turn, y + 9), (left, y + 9)))


def _from_to(first, last):
    """What is numbered, in words."""
    return first if first == last else f"{first} to {last}"


# ---- one vector

class _OneVector:
    """Encoder on the left, decoder on the right, one vector between them."""

    GAP, TOP = 76, 62                # between the two rows of boxes; above the boxes

    def __init__(self, english, french):
        self.english, self.french = english, french
        read, written = (math.ceil(max(map(text_width, words))) for words in (english, french))
        self.turn = max(12, math.ceil(written / 2) + 6 - WIDE // 2)       # left of a box, past the word above it
        apart = max(66, read + 10), max(66, math.ceil(written / 2) + 10 + self.turn + WIDE // 2)
        self.reads = [(i + .5) * apart[0] for i in range(len(english))]
        self.middle = self.reads[-1] + (apart[0] + self.GAP) / 2
        self.writes = [self.middle + (self.GAP + apart[1]) / 2 + i * apart[1] for i in range(len(french))]
        self.width = math.ceil(self.writes[-1] + apart[1] / 2)

    def drawing(self):
        """The states, the vector, the words."""
        body = [*self._encoder(), *self._vector(), *self._decoder()]
        return Svg("".join(body), self.width, self.TOP + DEEP + 60, self._told())

    def _encoder(self):
        bottom, level = self.TOP + DEEP, self.TOP + DEEP / 2
        yield text(float(np.mean(self.reads)), self.TOP - 14, "encoder", INK, bold=True)
        ends = [*(x - WIDE / 2 for x in self.reads[1:]), self.middle - 9]
        for i, (x, word, end) in enumerate(zip(self.reads, self.english, ends)):
            yield _state(x, self.TOP, "h", i + 1) + text(x, bottom + 52, word, INK)
            yield arrow((x, bottom + 34), (x, bottom)) + arrow((x + WIDE / 2, level), (end, level))

    def _vector(self):
        """A column of numbers, which are not told."""
        side = 12
        for k in range(4):
            yield (f'<rect x="{self.middle - 9:g}" y="{self.TOP + DEEP / 2 + (k - 2) * side:g}" width="18" '
                   f'height="{side}" fill="{GROUND}" stroke="{INK}" stroke-width="2"/>')
        for k, word in enumerate(("one", "vector")):
            yield text(self.middle, self.TOP + DEEP + 25 + 19 * k, word, INK, bold=True)

    def _decoder(self):
        yield text(float(np.mean(self.writes)), self.TOP + DEEP + 25, "decoder", INK, bold=True)
        yield text(self.middle, 22, START, QUIET)
        before, ends = self.middle + 9, self.middle + text_width(START) / 2
        for i, (x, word) in enumerate(zip(self.writes, self.french)):
            yield _into(x, self.TOP, before, (ends + 5, 17), self.turn) + _state(x, self.TOP, "g", i + 1)
            yield arrow((x, self.TOP), (x, 30)) + text(x, 22, word, INK, language="fr")
            before, ends = x + WIDE / 2, x + text_width(word) / 2

    def _told(self):
        last = f"h{len(self.english)}"
        return (f"A translator without attention. The encoder reads {', '.join(self.english)}: each state, "
                f"{_from_to('h1', last)}, is made of the state before and a word. The last one, {last}, is the one "
                f"vector that the decoder gets. Its states, {_from_to('g1', f'g{len(self.french)}')}, write "
                f"{', '.join(self.french)}; each is made of the state before and the word written before.")


# ---- with attention

class _Step:
    """One step of a translator with attention."""

    LEFT = 104                       # the column of the state before, and of what rows are called
    READ, STATES, CONTEXT, WEIGHTS, SOFTMAX, ASKED, ROW = 44, 124, 214, 312, 376, 462, 488   # where things begin
    READOUT = 88

    def __init__(self, english, french, scores, step):
        self.english, self.scores, self.weights, self.step = english, scores, softmax(scores), step
        self.before, self.word = french[step - 1] or START, french[step]
        n, widest = len(english), math.ceil(max(map(text_width, english)))
        pitch = max(min(92, 373 // n), WIDE + 26, widest + 10)
        self.known = 2 + math.ceil(text_width(self.before)) + 6         # where the line of the word begins
        self.x = max(self.LEFT + n * pitch / 2, 184, self.known + self.READOUT / 2 + 30)
        self.past, self.xs = 2 + WIDE / 2, [self.x + (j - (n - 1) / 2) * pitch for j in range(n)]
        self.width = math.ceil(max(self.xs[-1] + max(pitch / 2, 60), self.x + max(78, text_width(self.word) / 2 + 2)))

    def drawing(self):
        """From the annotations up to the word; what comes later is marked, for a picture that grows."""
        later = "".join([*self._weights(), *self._states(), *self._words()])
        body = [f'<g data-ak-from="2">{later}</g><g data-ak-from="1">', *self._scores(), "</g>", *self._annotations()]
        return Svg("".join(body), self.width, self.ROW + DEEP + 56, self._told())

    def _annotations(self):
        """The words, and at each its annotation, made by reading both ways; the state before."""
        top, bottom = self.ROW, self.ROW + DEEP
        for k, (words, role) in enumerate((("annotations", "ink"), ("keys k", "key"), ("values v", "value"))):
            yield text(2, top + 19 + 20 * k, words, palette.var(role), anchor="start")
        yield _state(self.past, self.STATES, "g", self.step - 1, QUERY)
        yield self._said(2, self.READ + 23, self.before, "start")
        for j, (x, word) in enumerate(zip(self.xs, self.english)):
            yield self._both_roles(x, top) + _symbol(x, top + DEEP / 2 + 6, "h", j + 1)
            yield arrow((x, bottom + 32), (x, bottom)) + text(x, bottom + 49, word, INK)
            if j:
                left, right = self.xs[j - 1] + WIDE / 2 + 1, x - WIDE / 2 - 1
                yield arrow((left, top + 16), (right, top + 16)) + arrow((right, top + 32), (left, top + 32))

    @staticmethod
    def _both_roles(x, y):
        """A box whose frame has the colour of keys on one side and that of values on the other."""
        body = _box(x, y, colour="none")
        for role, side in (("key", -1), ("value", 1)):
            edge, bottom = x + side * WIDE / 2, y + DEEP
            body += (f'<path d="M{x:g} {y:g}H{edge - 8 * side:g}Q{edge:g} {y:g} {edge:g} {y + 8:g}V{bottom - 8:g}'
                     f'Q{edge:g} {bottom:g} {edge - 8 * side:g} {bottom:g}H{x:g}" fill="none" '
                     f'stroke="{palette.var(role)}" stroke-width="2.5"/>')
        return body

    def _scores(self):
        """The query meets each key, and each time a score comes of it."""
        yield (f'<path d="M{self.past:g} {self.STATES + DEEP}V{self.ASKED}H{self.xs[-1]:g}" fill="none" '
               f'stroke="{QUERY}" stroke-width="2"/>')
        yield text(self.past + 10, self.CONTEXT + DEEP / 2 + 5, "query q", QUERY, anchor="start", index=str(self.step))
        yield text(self.past + 10, self.ASKED - 24, "scores", INK, anchor="start")
        for x, score in zip(self.xs, self.scores):
            yield (f'<path d="M{x:g} {self.ROW}V{self.ASKED}" fill="none" stroke="{palette.var("key")}" '
                   'stroke-width="2"/>')
            yield arrow((x, self.ASKED), (x, self.SOFTMAX + 32))
            yield f'<circle cx="{x:g}" cy="{self.ASKED}" r="5" fill="{QUERY}"/>'
            yield text(x + 8, self.ASKED - 24, fixed(score), INK, anchor="start")

    def _weights(self):
        """A softmax of all scores; a line of each weight's thickness leads from there to the output."""
        top = self.CONTEXT + DEEP - 1                # under the frame, which hides the ends
        yield text(self.past + 10, self.WEIGHTS + 30, "weights", WEIGHT, anchor="start")
        for j, (x, w) in enumerate(zip(self.xs, self.weights)):
            yield (f'<path d="M{x:g} {self.SOFTMAX}V{self.WEIGHTS}L{self.x:g} {top:g}" fill="none" stroke="{WEIGHT}" '
                   f'stroke-width="{1 + 5 * w:.3g}" stroke-opacity="{.35 + .65 * w:.3g}" stroke-linejoin="round"/>')
            yield _symbol(x + 8, self.WEIGHTS + 28, "w", f"{self.step}{j + 1}", WEIGHT, "start")
            yield text(x + 8, self.WEIGHTS + 50, fixed(w), WEIGHT, anchor="start")
        yield _box(self.x, self.SOFTMAX, self.xs[-1] - self.xs[0] + WIDE, 32)
        yield text(self.x, self.SOFTMAX + 21, "softmax", INK)

    def _states(self):
        """The output, the new state, and what reads them."""
        i, x, level = self.step, self.x, self.READ + 18
        yield _state(x, self.STATES, "g", i)
        yield _state(x, self.CONTEXT, "y", i) + arrow((x, self.CONTEXT), (x, self.STATES + DEEP))
        yield text(x - WIDE / 2 - 8, self.CONTEXT + DEEP / 2 + 5, "output", INK, anchor="end")
        yield _box(x, self.READ, self.READOUT, 36) + text(x, level + 5, "read-out", INK)
        yield arrow((x, self.STATES), (x, self.READ + 36))
        side, beside, low = x + self.READOUT / 2, x + self.READOUT / 2 + 22, self.CONTEXT + DEEP / 2
        yield arrow((x + WIDE / 2, low), (beside, low), (beside, level), (side, level))

    def _words(self):
        """The word before, which the read-out and the new state read, and the word that is written."""
        x, level, side = self.x, self.READ + 18, self.x - self.READOUT / 2
        yield arrow((self.known, level), (side, level))
        yield _into(x, self.STATES, self.past + WIDE / 2, (self.known, level), self.READOUT / 2 + 22 - WIDE / 2)
        yield arrow((x, self.READ), (x, 28))
        yield self._said(x, 20, self.word, "middle")

    @staticmethod
    def _said(x, y, word, anchor):
        """A French word, or the mark before the first."""
        return text(x, y, word, INK, anchor=anchor, language=None if word == START else "fr")

    def _told(self):
        i, m = self.step, len(self.english)
        scores, weights = (", ".join(f"{word} {fixed(x)}" for word, x in zip(self.english, some))
                           for some in (self.scores, self.weights))
        return (f"Step {i} of a translator with attention. The encoder reads {', '.join(self.english)} both ways and "
                f"leaves an annotation at each, {_from_to('h1', f'h{m}')}: keys and values. The query q{i} is made of "
                f"the state before, g{i - 1}; with each annotation it gives a score: {scores}, and a softmax of these "
                f"gives the weights. The weights: {weights}. The annotations, blended by them, are the output y{i}. "
                f"The new state g{i} is made of g{i - 1}, y{i} and the word before, {self.before}. From g{i}, y{i} and "
                f"{self.before} the read-out writes {self.word}.")


# ---- the weights of a long sentence

def _alignment(english, french, weights, around):
    """Squares, the French words at their left and the English ones above."""
    side = max(30, math.ceil(max(map(text_width, english)) / 2) + 4)        # a name has the room of two squares
    left = max(8 + math.ceil(max(map(text_width, french))), 2 + math.ceil((text_width(english[0]) - side) / 2))
    top = 52
    body = [block(weights, left, top, side, "", "weight", None, 1, None, above=True, side=side)]
    body += [text(left - 7, top + (i + .5) * side + 5, word, INK, anchor="end", language="fr")
             for i, word in enumerate(french)]
    right = left + side * len(english)
    for j, word in enumerate(english):
        x, up = left + (j + .5) * side, j % 2
        right = max(right, x + text_width(word) / 2)
        body.append(text(x, top - 12 - 22 * up, word, INK))
        body.append(f'<path d="M{x:g} {top - 30}V{top - 5}" stroke="{QUIET}" fill="none"/>' if up else "")
    if around:
        (first, last), (begin, end) = around
        body.append(f'<rect x="{left + begin * side - 1:g}" y="{top + first * side - 1:g}" fill="none" rx="5" '
                    f'width="{(end - begin + 1) * side + 2:g}" height="{(last - first + 1) * side + 2:g}" '
                    f'stroke="{INK}" stroke-width="3"/>')
    largest = [(int(row.argmax()), row.max()) for row in weights]
    told = "; ".join(f"{word}: {english[j]} {fixed(w)}" for word, (j, w) in zip(french, largest))
    return Svg("".join(body), math.ceil(right) + 2, top + side * len(french) + 6, f"Weights, largest first: {told}.")
