"""Two words of a sentence change places, and what a trained attention layer makes of it at a third."""

from itertools import product

import numpy as np
import traitlets

from bookkit.figures.base import Figure, few, index, number_array, one_each, still_table
from bookkit.pictures.formats import compact, fixed


class SwappedWords(Figure):
    """Let two words change places and see the weights, the output at another word and the answers read from it.

    `words` are a sentence of n words, 3 to 8; `swap` are the places of the two that change places, and `asking` that of
    another, whose weights and output are shown. `cases` are the trained layers to choose from, each combination of
    ``positions`` (whether the layer knows the places of the words) and ``heads`` once, as dicts; the first is shown
    first. Each has for the two orders ``weights`` (2, heads, n), place by place, ``output``
    (2, d), and ``answers``: for each of the `questions` the best one to three pairs (word, probability). `right` says
    for each question which of the two places in `swap` holds the right answer: 0 or 1.

    >>> case = {"positions": False, "heads": 1, "weights": [[[0.5, 0, 0.5]]] * 2, "output": [[1, 2]] * 2,
    ...         "answers": [[[("Ann", 0.6), ("Bob", 0.4)]]] * 2}
    >>> figure = SwappedWords(["Ann", "saw", "Bob"], (0, 2), 1, [case], ["Who saw?"], right=[0])
    >>> figure.difference, figure.right
    (0.0, [[True], [False]])
    """

    kind = "swapped_words"
    words = traitlets.List(traitlets.Unicode()).tag(sync=True)
    swap = traitlets.List(traitlets.Int()).tag(sync=True)
    asking = traitlets.Int(0).tag(sync=True)
    cases = traitlets.List().tag(sync=True)
    questions = traitlets.List(traitlets.Unicode()).tag(sync=True)
    right_at = traitlets.List(traitlets.Int()).tag(sync=True)
    swapped = traitlets.Bool(False).tag(sync=True, reset=True)
    positions = traitlets.Bool(False).tag(sync=True, reset=True)
    heads = traitlets.Int(1).tag(sync=True, reset=True)

    def __init__(self, words, swap, asking, cases, questions, right=(0, 1), caption=""):
        n = len(few(words, "words", 3, 8))
        a, b = (index(place, "swap's place", n, "words") for place in swap)
        if words[a] == words[b]:
            raise ValueError(f"the words that change places must differ, got {words[a]!r} twice")
        if index(asking, "asking", n, "words") in swap:
            raise ValueError(f"asking must be a word that keeps its place, got {asking}")
        right = [index(place, "right", 2, "places of swap")
                 for place in one_each(right, "right", questions, "questions")]
        cases = [checked(case, n, questions) for case in cases]
        pairs = [(case["positions"], case["heads"]) for case in cases]
        if sorted(pairs) != sorted(product(*map(set, zip(*pairs)))):
            raise ValueError(f"cases must hold each combination of positions and heads once, got {pairs}")
        with_positions, heads = pairs[0]
        super().__init__(words=list(words), swap=list(swap), asking=asking, cases=cases, questions=list(questions),
                         right_at=right, positions=with_positions, heads=heads, caption=caption)

    @traitlets.validate("positions", "heads")
    def _check_case(self, proposal):
        name, value = proposal["trait"].name, proposal["value"]
        if value not in [case[name] for case in self.cases]:
            raise ValueError(f"no case has {name} {value}")
        return value

    @property
    def difference(self):
        """The largest difference of the outputs for the two orders, in the present case."""
        return self._difference(self._case())

    @property
    def right(self):
        """For the two orders and each question: whether the best answer is right, in the present case."""
        return self._right(self._case())

    def _case(self):
        return next(c for c in self.cases if (c["positions"], c["heads"]) == (self.positions, self.heads))

    def _difference(self, case):
        return float(np.abs(np.subtract(*case["output"])).max())

    def _right(self, case):
        return [[best[0][0] == words[self.swap[at]] for best, at in zip(answers, self.right_at)]
                for words, answers in zip(self._orders(), case["answers"])]

    def _orders(self):
        """The words in both orders."""
        a, b = self.swap
        other = list(self.words)
        other[a], other[b] = other[b], other[a]
        return [self.words, other]

    def still(self):
        """Two tables, the case that is shown first: of each case and order the answers and the difference, and all
        weights.
        """
        results, weights, shown = [], [], self._case()
        for case in sorted(self.cases, key=lambda case: case is not shown):
            layer = ["on" if case["positions"] else "off", str(case["heads"])]
            for order, (words, answers, right) in enumerate(zip(self._orders(), case["answers"], self._right(case))):
                replies = [", ".join(f"{word} {fixed(p)}" for word, p in best) + (": right" if ok else ": wrong")
                        for best, ok in zip(answers, right)]
                results.append([" ".join(words), *layer, *replies, compact(self._difference(case))])
                weights += [[" ".join(words), layer[0], f"{head + 1} of {layer[1]}", *map(fixed, row)]
                            for head, row in enumerate(case["weights"][order])]
        head = [f"weights of “{self.words[self.asking]}”, place by place", "positions", "head"]
        return (still_table(["sentence", "positions", "heads", *self.questions, "largest difference"], results)
                + still_table(head + [str(place + 1) for place in range(len(self.words))], weights))


def checked(case, n, questions):
    """One case as plain data."""
    weights = number_array(case["weights"], "weights", 0, 1, (2, case["heads"], n))
    if not np.allclose(np.sum(weights, axis=-1), 1, rtol=0, atol=1e-6):
        raise ValueError(f"weights must sum to one for each head, got sums of {np.sum(weights, axis=-1).tolist()}")
    # Every bit of the outputs is kept: rounded first, two that differ in the last bit could differ in the ninth digit.
    output = np.asarray(case["output"], float).tolist()
    return {"positions": bool(case["positions"]), "heads": int(case["heads"]), "weights": weights, "output": output,
            "answers": [[best_first(pairs) for pairs in one_each(order, "answers", questions, "questions")]
                        for order in one_each(case["answers"], "answers", "01", "orders")]}


def best_first(pairs):
    """The best answers to one question as plain data."""
    words, probabilities = zip(*few(pairs, "answers", 1, 3))
    probabilities = number_array(probabilities, "probabilities", 0, 1, (None,))
    if probabilities != sorted(probabilities, reverse=True):
        raise ValueError(f"answers must stand best first, got {pairs!r}")
    return [[word, p] for word, p in zip(words, probabilities)]
