"""A trained classifier reads a document: the weight of each word, and the answer that comes of it."""

from html import escape

import numpy as np
import traitlets

from attnkit import checks, softmax
from bookkit.figures.base import Figure, Index, index, number_array, still_table
from bookkit.figures.matrix_trainer import names
from bookkit.pictures.formats import fixed

WAYS = ("as they are", "equal", "shuffled")
PARTS = ("words", "pooling", "scores", "vectors", "w1", "b1", "w2", "b2")
DOCUMENTS, LENGTH, WIDTH = 12, 120, 64        # at most: documents, words of one, numbers of a vector or hidden ones
LARGEST = 1000                                # of the model's numbers, with either sign
SHOWN = 9                                     # words that stand in the still picture with their weights


class DocumentReader(Figure):
    """Choose a document, see which words have the weight; change the weights or take words out: does the answer change?

    The model pools the vectors of the words by attention, with a score for each word, and a two-layer network reads
    the one vector that comes of it.

    Parameters
    ----------
    model : dict
        - ``words`` : list of V str, all different
        - ``pooling`` : "attention"
        - ``scores`` : array, shape (V,); the weights of a document are the softmax of its words' scores
        - ``vectors`` : array, shape (V, d), d at most 64; weighted by them and added up, these are the pooled vector
        - ``w1``, ``b1`` : arrays, shapes (d, hidden) and (hidden,), hidden at most 64
        - ``w2``, ``b2`` : array, shape (hidden,), and a number; relu(pooled @ w1 + b1) @ w2 + b2 is the logit

        All numbers within ±1000.
    documents : list of 1 to 12 lists of int
        The numbers of the words of each, 1 to 120.
    labels : pair of str
        The names of the answers 0 and 1.
    answers : list of int
        The right answer for each document, 0 or 1.
    document : int
        The document shown first, counted from 0.
    way : str
        How the words are weighted: "as they are", by the model; "equal"; or "shuffled", each with the score of the
        word half a document further on.
    removed : list of int
        The places of words that are taken out; the weights of the others are renormalised.
    caption : str

    Raises
    ------
    TypeError, ValueError
        A dict that holds no such model, words, documents, answers or a way that do not exist; also when `document`,
        `way` or `removed` is set later.

    Notes
    -----
    Where `document` is set later, nothing is taken out of the new one; the first is again as it began.

    Examples
    --------
    >>> from bookkit.figures import document_reader
    >>> model = document_reader.random_model(4, words=["a", "dull", "fine", "film"])
    >>> figure = DocumentReader(model, [[0, 2, 3], [0, 1, 3]], ("bad", "good"), answers=[1, 0])
    >>> figure.weights.round(2).tolist(), round(figure.probability, 2)
    ([0.07, 0.68, 0.25], 0.86)
    >>> figure.removed = [1]
    >>> figure.weights.round(2).tolist()
    [0.21, 0.0, 0.79]
    """

    kind = "document_reader"
    model = traitlets.Dict().tag(sync=True)
    documents = traitlets.List().tag(sync=True)
    labels = traitlets.List(traitlets.Unicode()).tag(sync=True)
    answers = traitlets.List().tag(sync=True)
    document = Index("documents", "documents").tag(sync=True, reset=True)
    way = traitlets.Any(WAYS[0]).tag(sync=True, reset=True)
    removed = traitlets.Any([]).tag(sync=True, reset=True)

    def __init__(self, model, documents, labels, answers, document=0, way="as they are", removed=(), caption=""):
        model = read_model(model)
        documents = read_documents(documents, len(model["words"]))
        labels = names(labels, "labels")
        if len(labels) != 2 or labels[0] == labels[1]:
            raise ValueError(f"labels must be two different names, for the answers 0 and 1, got {labels!r}")
        answers = checks.sequence(answers, "answers", "0 and 1")
        if len(answers) != len(documents):
            raise ValueError(f"answers must hold 0 or 1 for each of the {len(documents)} documents, got {answers!r}")
        super().__init__(model=model, documents=documents, labels=labels, document=document, way=way, caption=caption,
                         answers=[index(answer, "answers", 2, "labels") for answer in answers])
        self.removed = removed                                    # once the document is known
        self.defaults = {**self.defaults, "removed": self.removed}

    @traitlets.observe("document")
    def _as_it_began(self, change):
        first = change["new"] == self.defaults.get("document")
        self.removed = self.defaults["removed"] if first else []

    @traitlets.validate("way")
    def _check_way(self, proposal):
        way = proposal["value"]
        if not isinstance(way, str) or way not in WAYS:
            raise ValueError(f"way must be one of {', '.join(WAYS)}, got {way!r}")
        return way

    @traitlets.validate("removed")
    def _check_removed(self, proposal):
        places, count = checks.sequence(proposal["value"], "removed", "places"), len(self.documents[self.document])
        return sorted({index(place, "a place of removed", count, "words of the document") for place in places})

    @property
    def weights(self):
        """The weight of each word of the document, shape (n,); 0 for those that are taken out."""
        return self._weigh(self.way, self.removed)

    @property
    def probability(self):
        """The probability of the second label, by the model."""
        return self._read(self.weights)

    def _weigh(self, way, removed):
        scores = np.array(self.model["scores"])[self.documents[self.document]]
        scores = {"as they are": scores, "equal": 0 * scores, "shuffled": np.roll(scores, -(len(scores) // 2))}[way]
        scores[removed] = -np.inf
        return softmax(scores)

    def _read(self, weights):
        vectors, w1, b1, w2 = (np.array(self.model[name]) for name in ("vectors", "w1", "b1", "w2"))
        pooled = weights @ vectors[self.documents[self.document]]
        logit = np.maximum(pooled @ w1 + b1, 0) @ w2 + self.model["b2"]
        return float(np.exp(-np.logaddexp(0, -logit)))             # 1 / (1 + exp(-logit)), which cannot overflow

    def _told(self, probability):
        return f"{self.labels[probability >= 0.5]}, {fixed(max(probability, 1 - probability))}"

    def still(self):
        """The document, the words with most weight, the model's answer beside what it was, and the right one."""
        words = [self.model["words"][word] for word in self.documents[self.document]]
        text = " ".join(f"<s>{escape(word)}</s>" if place in self.removed else escape(word)
                        for place, word in enumerate(words))
        left = [place for place in np.argsort(-self.weights, kind="stable") if place not in self.removed]
        rows = [[words[place], fixed(self.weights[place])] for place in left[:SHOWN]]
        whole = self._told(self._read(self._weigh("as they are", [])))
        was = f", was {whole}" if self.removed or self.way != "as they are" else ""
        line = (f"Document {self.document + 1}, weights {self.way}: {self._told(self.probability)}{was}. "
                f"The right answer is {self.labels[self.answers[self.document]]}.")
        return f"<div><p>{text}</p>{still_table(['most weight', 'weight'], rows)}<p>{escape(line)}</p></div>"


# ---- checks

def read_model(model):
    """Check a model and return it as plain data.

    Raises TypeError or ValueError in the caller's words.
    """
    if not isinstance(model, dict):
        raise TypeError(f"model must be a dict, got {type(model).__name__}")
    if missing := [name for name in PARTS if name not in model]:
        raise ValueError(f"model lacks {', '.join(missing)}")
    if model["pooling"] != "attention":
        raise ValueError(f'the pooling of model must be "attention", got {model["pooling"]!r}')
    words = names(model["words"], "the words of model")
    if len(set(words)) < len(words):
        raise ValueError("the words of model must be all different")

    def part(name, *shape):
        return number_array(model[name], f"{name} of model", -LARGEST, LARGEST, shape)
    vectors = part("vectors", len(words), None)
    w1 = part("w1", len(vectors[0]), None)
    hidden = len(w1[0])
    for name, count in (("vectors", len(vectors[0])), ("w1", hidden)):
        if count > WIDTH:
            raise ValueError(f"{name} of model must have at most {WIDTH} columns, got {count}")
    [b2] = number_array([model["b2"]], "b2 of model", -LARGEST, LARGEST, (1,))
    return {"words": words, "pooling": "attention", "scores": part("scores", len(words)), "vectors": vectors,
            "w1": w1, "b1": part("b1", hidden), "w2": part("w2", hidden), "b2": b2}


def read_documents(documents, count):
    """Check documents of word numbers, of `count` words, and return them as plain lists."""
    try:
        documents = [list(document) for document in documents]
    except TypeError:
        raise TypeError(f"documents must be a list of lists of word numbers, got {documents!r}") from None
    if not 1 <= len(documents) <= DOCUMENTS or not all(1 <= len(document) <= LENGTH for document in documents):
        lengths = ", ".join(str(len(document)) for document in documents)
        raise ValueError(f"documents must be 1 to {DOCUMENTS}, each of 1 to {LENGTH} words, "
                         f"got {len(documents)} of {lengths or 'no'} words")
    return [[index(word, "a word of documents", count, "words of model") for word in document]
            for document in documents]


# ---- a model to try

def random_model(seed, *, words=("a", "dull", "fine", "film"), width=4, hidden=3, spread=1.0):
    """Make a model that has not been trained, for tests and examples; the same seed makes the same one.

    `spread` is the standard deviation of its numbers.
    """
    rng = np.random.default_rng(seed)
    shapes = {"scores": len(words), "vectors": (len(words), width), "w1": (width, hidden), "b1": hidden, "w2": hidden}
    numbers = {name: rng.normal(scale=spread, size=shape).round(4).tolist() for name, shape in shapes.items()}
    return {"words": list(words), "pooling": "attention", **numbers, "b2": round(float(rng.normal(scale=spread)), 4)}
