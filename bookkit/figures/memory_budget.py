"""One text, one question, a budget of bytes: a cache, a window and a matrix memory side by side."""

import numpy as np
import traitlets

from attnkit import attention, checks, fast_weight_attention
from bookkit.figures.base import Count, Figure, Index, NumberArray, different, few, index, one_each, still_table
from bookkit.pictures.formats import fixed

MEMORIES = ("cache", "window", "matrix")
NUMBER = 4           # bytes


class MemoryBudget(Figure):
    """Lengthen a text, ask for one of its sentences, and see what three memories answer, and how many bytes they take.

    Sentence j says that one of the `names`, that of number ``holders[j]``, has one of the `things`.  Its key is the
    thing's vector, a row of `thing_vectors`, and its value the name's, a row of `name_vectors`; to ask for a thing is
    to ask with its key.  The *cache* keeps every key and value and answers by attention, its dot products times
    `scale`.  The *window* keeps as many of the last as the budget has room for.  The *matrix* is the sum of all outer
    products of key and value, read by one product.  The answer is the name whose vector fits what was read best.  A
    number takes four bytes.

    `length` is how many sentences the text has, `asked` the number of the one that is asked for, from 0, the last if
    the text is shorter, and `budget` the number of one of the `budgets`, which are in bytes.

    >>> eye = [[1, 0], [0, 1]]
    >>> figure = MemoryBudget(["ball", "hat"], ["Ada", "Ben"], [1, 0], eye, eye, [16], length=2)
    >>> {name: (bytes, figure.names[answer]) for name, (bytes, answer) in figure.told.items()}
    {'cache': (32, 'Ben'), 'window': (16, 'Ada'), 'matrix': (16, 'Ben')}
    """

    kind = "memory_budget"
    things = traitlets.List(traitlets.Unicode()).tag(sync=True)
    names = traitlets.List(traitlets.Unicode()).tag(sync=True)
    holders = traitlets.List(traitlets.Int()).tag(sync=True)
    thing_vectors = NumberArray(-1, 1, ("things", None)).tag(sync=True)
    name_vectors = NumberArray(-1, 1, ("names", None)).tag(sync=True)
    budgets = traitlets.List(traitlets.Int()).tag(sync=True)
    scale = traitlets.Float(30.0).tag(sync=True)
    length = Count(1, "things", 1).tag(sync=True, reset=True)
    asked = Index("things", "things").tag(sync=True, reset=True)
    budget = Index("budgets", "budgets").tag(sync=True, reset=True)

    def __init__(self, things, names, holders, thing_vectors, name_vectors, budgets, *, length=1, asked=0, budget=0,
                 scale=30.0, caption=""):
        things = few(different(list(things), "things"), "things", 2, 16)
        names = few(different(list(names), "names"), "names", 2, 8)
        if len({name[:1] for name in names}) < len(names):
            raise ValueError(f"names must begin with different letters, got {names!r}")
        holders = [index(holder, "a holder", len(names), "names")
                   for holder in one_each(holders, "holders", things, "things")]
        pair = NUMBER * sum(np.shape(vectors)[-1] for vectors in (thing_vectors, name_vectors))
        budgets = [checks.count(most, "a budget", least=pair) for most in few(list(budgets), "budgets", 1, 4)]
        super().__init__(things=things, names=names, holders=holders, thing_vectors=thing_vectors,
                         name_vectors=name_vectors, budgets=budgets, scale=float(scale), length=length, asked=asked,
                         budget=budget, caption=caption)

    @property
    def place(self):
        """The number of the sentence that is asked for, of those that are there."""
        return min(self.asked, self.length - 1)

    @property
    def kept(self):
        """How many of the last sentences are in the window."""
        keys, vectors = np.shape(self.thing_vectors)[1], np.shape(self.name_vectors)[1]
        return min(self.length, self.budgets[self.budget] // (NUMBER * (keys + vectors)))

    @property
    def memory(self):
        """The matrix: shape (d_k, d_v)."""
        keys, values = self._pairs()
        return fast_weight_attention(keys, keys, values, feature_map=lambda x: x)[1]

    def _pairs(self):
        return np.array(self.thing_vectors)[:self.length], np.array(self.name_vectors)[self.holders[:self.length]]

    def attend(self, name):
        """What cache or window reads, and its weights, when it is asked for each sentence in turn."""
        keys, values = self._pairs()
        lost = 0 if name == "cache" else self.length - self.kept
        mask = np.tile(np.arange(self.length) >= lost, (self.length, 1))
        return attention(keys, keys, values, mask=mask, scale=self.scale)

    @property
    def weights(self):
        """What cache and window look at when the question is asked: shape (length,) each."""
        return {name: self.attend(name)[1][self.place] for name in MEMORIES[:2]}

    @property
    def scores(self):
        """How well each name fits what each memory reads, for every sentence: shape (length, names) each."""
        read = {name: self.attend(name)[0] for name in MEMORIES[:2]} | {"matrix": self._pairs()[0] @ self.memory}
        return {name: found @ np.array(self.name_vectors).T for name, found in read.items()}

    @property
    def right(self):
        """For which sentences each memory names the right one: shape (length,)."""
        return {name: scores.argmax(axis=1) == self.holders[:self.length] for name, scores in self.scores.items()}

    @property
    def told(self):
        """The bytes of each memory, and the number of the name that it answers."""
        width, out = np.shape(self.thing_vectors)[1], np.shape(self.name_vectors)[1]
        numbers = {"cache": self.length * (width + out), "window": self.kept * (width + out), "matrix": width * out}
        answers = {name: int(scores[self.place].argmax()) for name, scores in self.scores.items()}
        return {name: (NUMBER * numbers[name], answers[name]) for name in MEMORIES}

    def still(self):
        """What is asked; bytes, answer and score of each memory, and how many of all questions it answers right."""
        thing, holder = self.things[self.place], self.names[self.holders[self.place]]
        rows = [[name, f"{bytes:,}", self.names[answer], fixed(self.scores[name][self.place, answer]),
                 str(self.right[name].sum())] for name, (bytes, answer) in self.told.items()]
        said = (f"<p>A text of {self.length} sentences, and a budget of {self.budgets[self.budget]:,} bytes. Who has "
                f"the {thing}? Sentence {self.place + 1} says: {holder}. The window keeps {self.kept}.</p>")
        return said + still_table(["memory", "bytes", "answer", "score", f"right, of {self.length}"], rows)

