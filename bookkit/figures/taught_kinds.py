"""A pretrained model that is taught a task of the reader's own: kinds of sentences, with two examples of each."""

from html import escape

import numpy as np
import traitlets

from attnkit import softmax
from bookkit.figures.base import Figure, different, few, number_array, still_table
from bookkit.pictures.formats import fixed

KINDS, EXAMPLES = (2, 8), (1, 4)             # from, to: kinds, examples of one
LETTERS, TOLD = 120, 40                      # at most: letters of a text, those of one that is told
FINE = 1000                                  # a number of a vector travels in thousandths
SHARP = 3                                    # the scores of a sentence times this are its powers of e


class TaughtKinds(Figure):
    """Name some kinds of sentences, give two examples of each, and see of which kind another sentence is.

    A pretrained model makes a vector of each sentence. On the vectors of the examples one matrix is learned (`taught`);
    the vector of another sentence times this matrix gives scores, and the softmax of three times these the weights of
    the kinds.

    `kinds` are 2 to 8 dicts, each with its own ``name`` and ``examples``, 1 to 4 str; an empty one is left out, and a
    kind with none left gets no weight. `sentences` are some to be judged, each a button, and `sentence` is the one that
    is judged. `known` holds vectors (d,) of texts, of length 1 to within a tenth, rounded to thousandths: with those of
    all examples and sentences the figure works before any model is loaded. `model`, as `bookkit.lessons.minilm.MiniLM`,
    makes those that are not known, also of what is typed in a notebook; a page fetches the real model when asked to.

    Blanks at the ends of a text are cut off, and several in a row are one; it has at most 120 letters. On a page, what
    a reader has made is kept in the browser until "Reset" is pressed. Where two kinds have the same example, the steps
    swing to and fro, and the weights mean little.

    >>> kinds = [{"name": "food", "examples": ["A soup."]}, {"name": "travel", "examples": ["A train.", ""]}]
    >>> known = {"A soup.": [1, 0], "A train.": [0, 1], "An egg.": [0.8, 0.6]}
    >>> TaughtKinds(kinds, ["An egg."], known, sentence="An egg.").weights.round(2).tolist()
    [0.99, 0.01]
    """

    kind = "taught_kinds"
    needs = ("loading", "minilm")
    STILL = "Where scripts may run, sentences of your own can be typed here, and the model reads them in the browser."
    kinds = traitlets.TraitType([]).tag(sync=True, reset=True)
    sentence = traitlets.Unicode("").tag(sync=True, reset=True)
    sentences = traitlets.List().tag(sync=True)
    known = traitlets.Dict().tag(sync=True)
    reads = traitlets.Bool(False).tag(sync=True)

    def __init__(self, kinds, sentences, known=None, model=None, sentence="", caption=""):
        self._model = model
        sentences = [_text(one, "a sentence") for one in sentences]
        super().__init__(kinds=kinds, sentence=sentence, sentences=sentences, known=_vectors(known or {}),
                         reads=model is not None, caption=caption)

    @traitlets.validate("kinds")
    def _check_kinds(self, proposal):
        return _kinds(proposal["value"])

    @traitlets.validate("sentence")
    def _check_sentence(self, proposal):
        return _text(proposal["value"], "sentence")

    @traitlets.observe("kinds", "sentence")
    def _read(self, change):
        """Make the vectors that are not known, and forget those of texts that are gone; the page keeps them."""
        if self._model is not None:
            texts = dict.fromkeys([*self.texts, *filter(None, self.sentences)])
            self.known = {text: self.known.get(text) or _rounded(self._model.vector(text), text) for text in texts}

    # ---- the arithmetic, the same in taught_kinds.js

    @property
    def texts(self):
        """The sentence and all examples, but for those that are empty."""
        texts = [self.sentence, *(text for kind in self.kinds for text in kind["examples"])]
        return list(filter(None, dict.fromkeys(texts)))

    @property
    def unknown(self):
        """Those of the texts whose vectors are not known."""
        return [text for text in self.texts if text not in self.known]

    @property
    def held(self):
        """The places of the kinds that have an example."""
        return [k for k, kind in enumerate(self.kinds) if any(kind["examples"])]

    @property
    def weights(self):
        """The weight of each kind for the sentence; None without a sentence, or if a vector is not known."""
        return None if self.unknown or not self.sentence else self._weigh(self.sentence)

    def _weigh(self, sentence):
        """The weight of each kind for a sentence; all vectors are known."""
        weights, held = np.zeros(len(self.kinds)), self.held
        if held:
            rows = [(text, place) for place, k in enumerate(held) for text in self.kinds[k]["examples"] if text]
            vectors = np.array([self.known[text] for text, _ in rows]) / FINE
            M = taught(vectors, [place for _, place in rows], len(held))
            weights[held] = softmax(SHARP * np.array(self.known[sentence]) / FINE @ M)
        return weights

    def _most(self, sentence):
        """The kind with most weight for a sentence, and its weight, as they are written."""
        if sentence not in self.known or not self.held or any(text in self.unknown for text in self.texts):
            return "–", "–"
        weights = self._weigh(sentence)
        return self.kinds[int(weights.argmax())]["name"], fixed(weights.max())

    # ---- in words

    def told(self):
        """What the line below the figure says: the two kinds with most weight, or what is missing."""
        if self.unknown:
            first, *rest = self.unknown
            more = f" and {len(rest)} more" if rest else ""
            return f"The model must be loaded to read: “{_short(first)}”{more}."
        if not self.sentence:
            return "There is no sentence to judge: type one."
        weights, names = self.weights, [_short(kind["name"]) for kind in self.kinds]
        best = sorted(self.held, key=lambda k: -weights[k])
        if not best:
            return "No kind has an example: there is nothing to learn from."
        then = "".join(f"; then {names[k]}, {fixed(weights[k])}" for k in best[1:2] if fixed(weights[k]) != "0.00")
        return f"{names[best[0]]} gets the most weight, {fixed(weights[best[0]])}{then}."

    def still(self):
        """The kinds with their examples, and the weights of the sentence."""
        weights = self.weights
        rows = [[kind["name"], " · ".join(filter(None, kind["examples"])),
                 "–" if weights is None else fixed(weights[k])] for k, kind in enumerate(self.kinds)]
        table = still_table(["kind", "examples", "weight"], rows)
        others = [[text, *self._most(text)] for text in self.sentences if text != self.sentence]
        more = still_table(["another sentence", "its kind", "weight"], others) if others else ""
        return (f"<div><p>The sentence: “{escape(self.sentence)}”</p>"
                f'<div style="overflow-x:auto" tabindex="0">{table}{more}</div><p>{escape(self.told())}</p></div>')


def taught(vectors, kinds, count, steps=100, rate=10.0):
    """Find a matrix (d, count) that tells kinds apart: steps down the slope of the mean cross-entropy, from zeros.

    `vectors` (m, d), each of length 1, are those of the examples, `kinds` the kind of each, from 0. The scores of a
    sentence are its vector times the matrix.

    >>> taught(np.eye(2), [0, 1], 2, steps=1)
    array([[ 2.5, -2.5],
           [-2.5,  2.5]])
    """
    right = np.eye(count)[list(kinds)]
    M = np.zeros((vectors.shape[1], count))
    for _ in range(steps):
        M -= rate * vectors.T @ (softmax(vectors @ M) - right) / len(vectors)
    return M


def _short(text):
    """A text as it is told."""
    return text if len(text) <= TOLD else text[:TOLD - 1].rstrip() + "…"


# ---- checks

def _text(value, name):
    text = " ".join(value.split())
    if len(text) > LETTERS:
        raise ValueError(f"{name} must have at most {LETTERS} letters, got {len(text)}")
    return text


def _rounded(vector, text, width=None):
    """A vector as it travels."""
    vector = number_array(vector, f"the vector of {text!r}", -1.1, 1.1, (width,))
    if abs(np.linalg.norm(vector) - 1) > 0.1:
        raise ValueError(f"the vector of {text!r} must have length 1, got {np.linalg.norm(vector):.3g}")
    return np.rint(FINE * np.array(vector)).astype(int).tolist()


def _vectors(given):
    known = {}
    for text, vector in given.items():
        width = len(next(iter(known.values()))) if known else None
        known[_text(text, "a known text")] = _rounded(vector, text, width)
    return known


def _kinds(given):
    kinds = []
    for one in few(given, "kinds", *KINDS):
        name = _text(one["name"], "the name of one of the kinds")
        if not name:
            raise ValueError("the names of kinds must not be empty")
        examples = few(one["examples"], f"the examples of {name!r}", *EXAMPLES)
        kinds.append({"examples": [_text(text, f"an example of {name!r}") for text in examples], "name": name})
    different([kind["name"] for kind in kinds], "the names of kinds")
    return kinds
