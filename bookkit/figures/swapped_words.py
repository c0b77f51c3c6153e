"""Two words of a sentence change places, and what a trained attention layer makes of it at a third."""

from itertools import product

import numpy as np
import traitlets

from attnkit import checks
from bookkit.figures.base import Figure, index, number_array, still_table
from bookkit.pictures.formats import compact, fixed

PARTS = ["positions", "heads", "weights", "output", "answers"]


class SwappedWords(Figure):
    """Let two words change places and see the weights, the output at another word and the answers read from it.

    Parameters
    ----------
    words : list of n str
        The sentence, 3 to 8 words.
    swap : pair of int
        The places of the two words that change places.
    asking : int
        The place of the word whose weights and output are shown; not one of the two.
    cases : list of dict
        The trained layers to choose from, each combination of `positions` and `heads` once:

        - ``positions`` : bool, whether the layer knows the places of the words
        - ``heads`` : int, 1 to 4
        - ``weights`` : array, shape (2, heads, n), for the two orders, place by place
        - ``output`` : array, shape (2, d), within ±1000, d at most 32
        - ``answers`` : for the two orders and each question the best one to three pairs (word, probability)
    questions : list of str
    right : sequence of int
        For each question, which of the two places in `swap` holds the right answer: 0 or 1.
    opened : int
        The number of the case that is shown first, counted from 0.
    caption : str

    Raises
    ------
    TypeError, ValueError
        Numbers of another shape or size, weights that do not sum to one, places that do not exist, a case that
        is missing or there twice; a choice without a case, also when set later.

    Examples
    --------
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
    swapped = traitlets.Any(False).tag(sync=True, reset=True)
    positions = traitlets.Any(False).tag(sync=True, reset=True)
    heads = traitlets.Any(1).tag(sync=True, reset=True)

    def __init__(self, words, swap, asking, cases, questions, right=(0, 1), opened=0, caption=""):
        if isinstance(words, str) or not 3 <= len(words) <= 8:
            raise ValueError(f"words must be a list of 3 to 8 words, got {words!r}")
        n = len(words)
        if len(swap) != 2 or len({index(place, "swap's place", n, "words") for place in swap}) != 2:
            raise ValueError(f"swap must be two places, got {swap!r}")
        if words[swap[0]] == words[swap[1]]:
            raise ValueError(f"the words that change places must differ, got {words[swap[0]]!r} twice")
        if index(asking, "asking", n, "words") in swap:
            raise ValueError(f"asking must be a word that keeps its place, got {asking}")
        if isinstance(questions, str) or not questions or len(right) != len(questions):
            raise ValueError(f"right must name a place for each question, got {right!r} for {questions!r}")
        right = [index(place, "right", 2, "places of swap") for place in right]
        if not cases:
            raise ValueError("cases must hold at least one case")
        cases = [checked(case, n, len(questions)) for case in cases]
        if len({len(case["output"][0]) for case in cases}) > 1:
            raise ValueError("the outputs of all cases must have the same length")
        pairs = [(case["positions"], case["heads"]) for case in cases]
        if sorted(pairs) != sorted(product(*map(set, zip(*pairs)))):
            raise ValueError(f"cases must hold each combination of positions and heads once, got {pairs}")
        with_positions, heads = pairs[index(opened, "opened", len(cases), "cases")]
        super().__init__(words=list(words), swap=list(swap), asking=asking, cases=cases, questions=list(questions),
                         right_at=right, positions=with_positions, heads=heads, caption=caption)

    @traitlets.validate("swapped", "positions")
    def _check_switch(self, proposal):
        name, value = proposal["trait"].name, proposal["value"]
        if not isinstance(value, bool):
            raise TypeError(f"{name} must be True or False, got {value!r}")
        if name == "positions" and value not in [case["positions"] for case in self.cases]:
            raise ValueError(f"no case has positions {value}")
        return value

    @traitlets.validate("heads")
    def _check_heads(self, proposal):
        heads = checks.count(proposal["value"], "heads")
        if heads not in [case["heads"] for case in self.cases]:
            raise ValueError(f"no case has {heads} heads")
        return heads

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
    """One case as plain data. Raises TypeError or ValueError in the caller's words."""
    if not isinstance(case, dict) or set(case) != set(PARTS):
        raise ValueError(f"a case must hold {', '.join(PARTS)}, got {list(case) if isinstance(case, dict) else case!r}")
    positions, heads, weights, output, answers = (case[name] for name in PARTS)
    if not isinstance(positions, bool):
        raise TypeError(f"positions must be True or False, got {positions!r}")
    if checks.count(heads, "heads", least=0) not in (1, 2, 3, 4):
        raise ValueError(f"heads must be 1 to 4, got {heads}")
    weights = number_array(weights, "weights", 0, 1, (2, heads, n))
    if not np.allclose(np.sum(weights, axis=-1), 1, rtol=0, atol=1e-6):
        raise ValueError(f"weights must sum to one for each head, got sums of {np.sum(weights, axis=-1).tolist()}")
    if len(number_array(output, "output", -1000, 1000, (2, None))[0]) > 32:
        raise ValueError(f"output must have at most 32 numbers, got {np.shape(output)[1]}")
    if len(answers) != 2 or any(len(order) != questions for order in answers):
        raise ValueError(f"answers must hold an answer to each of the {questions} questions for both orders, "
                         f"got {answers!r}")
    # Every bit of the outputs is kept: rounded first, two that differ in the last bit could differ in the ninth digit.
    output = np.asarray(output, float).tolist()
    return {"positions": positions, "heads": int(heads), "weights": weights, "output": output,
            "answers": [[best_first(pairs) for pairs in order] for order in answers]}


def best_first(pairs):
    """The best answers to one question as plain data. Raises TypeError or ValueError."""
    if not 1 <= len(pairs) <= 3 or any(len(pair) != 2 or not isinstance(pair[0], str) for pair in pairs):
        raise ValueError(f"answers must be one to three pairs (word, probability), got {pairs!r}")
    probabilities = number_array([p for _, p in pairs], "probabilities", 0, 1, (None,))
    if probabilities != sorted(probabilities, reverse=True):
        raise ValueError(f"answers must stand best first, got {pairs!r}")
    return [[word, p] for (word, _), p in zip(pairs, probabilities)]
