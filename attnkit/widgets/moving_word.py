"""A word that moves through a sentence, read by a dense layer and by attention."""

import numpy as np
import traitlets

from attnkit import softmax
from attnkit.numbers import fixed
from attnkit.widgets.figure import Figure, index, numbers, still_table


class MovingWord(Figure):
    """Move the word that matters through a sentence; a dense layer and attention pooling say which word it is.

    Both models are given by what each word adds to the scores of the answers: to the dense layer's by its place,
    to attention's by its weight.

    Parameters
    ----------
    chatter : list of n - 1 str
        The other words of the sentence, in order.
    answers : list of a str
        The words that may be put in.
    vocabulary : list of v str
        With all of these words in it.
    dense_pieces : array, shape (n, v, a)
        What each word adds at each place.
    dense_bias : array, shape (a,)
    word_scores : array, shape (v,)
        From which attention makes its weights.
    readings : array, shape (v, a)
        What each word adds with a weight of one.
    read_bias : array, shape (a,)
    seen : int
        In training the word stood at one of the first `seen` places.
    place : int
        Where it stands at first, counted from 0.
    answer : int
        Which of the answers is put in at first.
    caption : str

    Raises
    ------
    TypeError, ValueError
        Numbers of another shape or size, words that are not in the vocabulary, a place or an answer that is not
        there; also when set later.

    Examples
    --------
    >>> figure = MovingWord(["well"], ["tea", "milk"], ["milk", "tea", "well"],
    ...                     [[[0, 2], [2, 0], [0, 0]], [[0, 0]] * 3], [0, 0], [3, 3, -3],
    ...                     [[0, 5], [5, 0], [0, 0]], [0, 0], seen=1, place=1)
    >>> figure.sentence, figure.weights.round(2).tolist()
    (['well', 'tea'], [0.0, 1.0])
    >>> figure.dense.round(2).tolist(), figure.attention.round(2).tolist()
    ([0.5, 0.5], [0.99, 0.01])
    """

    kind = "moving_word"
    MOST = 16
    chatter = traitlets.List(traitlets.Unicode()).tag(sync=True)
    answers = traitlets.List(traitlets.Unicode()).tag(sync=True)
    vocabulary = traitlets.List(traitlets.Unicode()).tag(sync=True)
    dense_pieces = traitlets.List().tag(sync=True)
    dense_bias = traitlets.List().tag(sync=True)
    word_scores = traitlets.List().tag(sync=True)
    readings = traitlets.List().tag(sync=True)
    read_bias = traitlets.List().tag(sync=True)
    seen = traitlets.Int().tag(sync=True)
    place = traitlets.Any().tag(sync=True)
    answer = traitlets.Any().tag(sync=True)
    start_place = traitlets.Int().tag(sync=True)
    start_answer = traitlets.Int().tag(sync=True)

    def __init__(self, chatter, answers, vocabulary, dense_pieces, dense_bias, word_scores, readings, read_bias, seen,
                 place=0, answer=0, caption=""):
        n, v, a = len(chatter) + 1, len(vocabulary), len(answers)
        if n > self.MOST or a > 6:
            raise ValueError(f"the sentence must have at most {self.MOST} words and 6 answers, got {n} and {a}")
        if missing := sorted({*chatter, *answers} - set(vocabulary)):
            raise ValueError(f"not in the vocabulary: {', '.join(missing)}")
        arrays = {name: numbers(value, name, -1000, 1000, shape) for name, value, shape in (
            ("dense_pieces", dense_pieces, (n, v, a)), ("dense_bias", dense_bias, (a,)),
            ("word_scores", word_scores, (v,)), ("readings", readings, (v, a)), ("read_bias", read_bias, (a,)))}
        super().__init__(chatter=list(chatter), answers=list(answers), vocabulary=list(vocabulary), **arrays,
                         seen=index(seen, "seen", n + 1, "counts of places"), place=place, answer=answer,
                         caption=caption)
        self.start_place, self.start_answer = self.place, self.answer

    @traitlets.validate("place")
    def _check_place(self, proposal):
        return index(proposal["value"], "place", len(self.chatter) + 1, "places")

    @traitlets.validate("answer")
    def _check_answer(self, proposal):
        return index(proposal["value"], "answer", len(self.answers), "answers")

    @property
    def sentence(self):
        """The n words, the moving one in its place."""
        return [*self.chatter[:self.place], self.answers[self.answer], *self.chatter[self.place:]]

    def _numbers(self):
        return [self.vocabulary.index(word) for word in self.sentence]

    @property
    def weights(self):
        """Of attention over the words: shape (n,)."""
        return softmax(np.array(self.word_scores)[self._numbers()])

    @property
    def dense(self):
        """The dense layer's probability of each answer: shape (a,)."""
        words = self._numbers()
        return softmax(np.array(self.dense_pieces)[range(len(words)), words].sum(axis=0) + np.array(self.dense_bias))

    @property
    def attention(self):
        """Attention's probability of each answer: shape (a,)."""
        return softmax(self.weights @ np.array(self.readings)[self._numbers()] + np.array(self.read_bias))

    def still(self):
        """The sentence with its weights, and what both models answer."""
        return (still_table(["place", "word", "weight"], [[str(p + 1), word, fixed(w)] for p, (word, w)
                                                          in enumerate(zip(self.sentence, self.weights))])
                + still_table(["", *self.answers],
                              [["dense layer", *map(fixed, self.dense)], ["attention", *map(fixed, self.attention)]]))
