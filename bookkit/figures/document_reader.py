"""A trained classifier reads a document: the weight of each word, and the answer that comes of it."""

from html import escape

import numpy as np
import traitlets

from attnkit import checks, softmax
from bookkit.figures.base import Figure, Index, OneOf, few, index, number_array, one_each, still_table
from bookkit.pictures.formats import fixed

WAYS = ("as they are", "equal", "shuffled")
DOCUMENTS, LENGTH, WIDTH = 12, 120, 64        # at most: documents, words of one, numbers of a vector or hidden ones
LARGEST = 1000                                # of the model's numbers, with either sign
SHOWN = 9                                     # words that stand in the still picture with their weights


class DocumentReader(Figure):
    """Choose a document, see which words have the weight; change the weights or take words out: does the answer change?

    The model pools the vectors of the words by attention, with a score for each word, and a two-layer network reads the
    one vector that comes of it.

    `model` is a dict of numbers within ±1000: of its V ``words`` the ``scores`` (V,), whose softmax over a document are
    the weights, and the ``vectors`` (V, d), whose weighted sum is the pooled vector; relu(pooled @ ``w1`` + ``b1``) @
    ``w2`` + ``b2`` is the logit, with d and the hidden numbers at most 64; ``pooling`` is "attention". `documents` are
    1 to 12 lists of 1 to 120 word numbers, `labels` the names of the answers 0 and 1, `answers` the right answer for
    each document. The trait `way` is how the words are weighted: "as they are", by the model; "equal"; or "shuffled",
    each with the score of the word half a document further on. `removed` are the places of words that are taken out,
    and the weights of the others are renormalised. Where another `document` is set, nothing is taken out of it.

    >>> model = {"words": ["a", "fine", "film"], "scores": [0, 2, 0], "vectors": [[0], [1], [0]], "w1": [[1]],
    ...          "b1": [0], "w2": [2], "b2": -1, "pooling": "attention"}
    >>> figure = DocumentReader(model, [[0, 1, 2]], ("bad", "good"), answers=[1])
    >>> figure.removed = [0]
    >>> figure.weights.round(2).tolist()
    [0.0, 0.88, 0.12]
    """

    kind = "document_reader"
    model = traitlets.Dict().tag(sync=True)
    documents = traitlets.List().tag(sync=True)
    labels = traitlets.List(traitlets.Unicode()).tag(sync=True)
    answers = traitlets.List().tag(sync=True)
    document = Index("documents", "documents").tag(sync=True, reset=True)
    way = OneOf(*WAYS).tag(sync=True, reset=True)
    removed = traitlets.Any([]).tag(sync=True, reset=True)

    def __init__(self, model, documents, labels, answers, caption=""):
        model = read_model(model)
        documents = read_documents(documents, len(model["words"]))
        answers = one_each(answers, "answers", documents, "documents")
        super().__init__(model=model, documents=documents, labels=few(list(labels), "labels", 2, 2), caption=caption,
                         answers=[index(answer, "answers", 2, "labels") for answer in answers])

    @traitlets.observe("document")
    def _whole(self, change):
        self.removed = []

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
    """Check a model and return it as plain data."""
    if model["pooling"] != "attention":
        raise ValueError(f'the pooling of model must be "attention", got {model["pooling"]!r}')
    words, (width, hidden) = list(model["words"]), np.shape(model["w1"])
    if max(width, hidden) > WIDTH:
        raise ValueError(f"w1 of model must be at most {WIDTH} by {WIDTH}, got {(width, hidden)}")
    shapes = {"scores": (len(words),), "vectors": (len(words), width), "w1": (width, hidden), "b1": (hidden,),
              "w2": (hidden,), "b2": ()}
    numbers = {name: number_array(model[name], f"{name} of model", -LARGEST, LARGEST, shape)
               for name, shape in shapes.items()}
    return {"words": words, "pooling": "attention", **numbers}


def read_documents(documents, count):
    """Check documents of word numbers, of `count` words, and return them as plain lists."""
    few(documents, "documents", 1, DOCUMENTS)
    return [[index(word, "a word of documents", count, "words of model")
             for word in few(document, "the words of a document", 1, LENGTH)] for document in documents]
