"""A question to the book, answered by attention: its passages with their weights."""

from html import escape

import numpy as np
import traitlets

from attnkit import softmax
from bookkit.figures.base import Between, Figure, still_table
from bookkit.pictures.formats import fixed

SHOWN = 6                    # passages
FINE = 100                   # a number of a vector is drawn in hundredths


class AskBook(Figure):
    """Ask, and see which passages answer: a question is the query, vectors of passages are keys, the passages values.

    `library`, a `bookkit.lessons.passages.Library`, is what a notebook asks; a page fetches the real model and the
    passages of the book when asked to. `questions` are some to begin with. `opening`, another library and a question to
    it, is asked at first, so that the figure does not open empty. The `temperature` is that of the softmax over all
    passages.
    """

    kind = "ask_book"
    needs = ("loading", "minilm")
    STILL = "Where scripts may run, a question can be asked here, and the model answers in the browser."
    questions = traitlets.List(traitlets.Unicode()).tag(sync=True)
    question = traitlets.Unicode("").tag(sync=True, reset=True)
    found = traitlets.Dict().tag(sync=True, reset=True)
    temperature = Between(0.01, 1, 0.05).tag(sync=True, reset=True)

    def __init__(self, library=None, questions=(), opening=None, temperature=0.05, caption=""):
        self._library = library
        first = {} if opening is None else {"question": opening[1], "found": answered(*opening)}
        super().__init__(questions=list(questions), temperature=temperature, caption=caption, **first)

    @traitlets.observe("question")
    def _ask(self, change):
        """A reader has asked; on a page without a kernel the script does the same."""
        if self.found.get("question") != self.question:
            self.found = answered(self._library, self.question) if self.question and self._library else {}

    @property
    def weights(self):
        """The weights of all passages, those that are shown first."""
        if not self.found:
            return []
        return softmax(np.array(self.found["scores"]), temperature=self.temperature).tolist()

    def still(self):
        """The passages that are shown, with their scores and weights."""
        top, scores = self.found.get("top", []), self.found.get("scores", [])
        rows = [[passage["text"], passage["heading"], fixed(score), fixed(weight)]
                for passage, score, weight in zip(top, scores, self.weights)]
        table = still_table(["passage", "section", "score", "weight"], rows)
        asked = f"{escape(self.question)} At the temperature {fixed(self.temperature)}:"
        return f'<div><p>{asked}</p><div style="overflow-x:auto">{table}</div></div>'


def answered(library, question):
    """What a question finds, as it travels to the page: the best passage of each section with its key, one for each of
    the best sections; and the scores of all, theirs first.
    """
    query, scores = library.ask(question)
    order = np.argsort(-scores, kind="stable").tolist()
    best = {}
    for k in order:
        best.setdefault(section(library.passages[k]) or k, k)
    shown = list(best.values())[:SHOWN]
    rest = [k for k in order if k not in shown]
    top = [told(library.passages[k]) | {"key": rounded(library.keys[k])} for k in shown]
    return {"question": question, "query": rounded(query), "top": top, "scores": scores[shown + rest].round(4).tolist()}


def section(passage):
    """Where a passage stands; a sentence of no page stands for itself."""
    return passage.page and (passage.page, passage.anchor)


def rounded(vector):
    """As it is drawn."""
    return (vector * FINE).round().astype(int).tolist()


def told(passage):
    """A passage as plain data."""
    return {name: getattr(passage, name) for name in ("page", "title", "heading", "anchor", "text")}
