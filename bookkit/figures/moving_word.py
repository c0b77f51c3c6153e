"""A word that moves through a sentence, read by a dense layer and by attention."""

import numpy as np
import traitlets

from attnkit import softmax
from bookkit.figures.base import Figure, Index, NumberArray, index, number_array, still_table
from bookkit.pictures.formats import fixed


class MovingWord(Figure):
    """Move the word that matters through a sentence; a dense layer and attention pooling say which word it is.

    Both models are given by what each word adds to the scores of the answers: to the dense layer's by its place, to
    attention's by its weight.

    `chatter` are the n - 1 other words of the sentence, in order, n at most 16, `answers` the a words that may be put
    in, at most 6, and `vocabulary` v words, all of these among them. `dense_pieces` (n, v, a) is what each word adds at
    each place, `word_scores` (v,) what attention makes its weights of, `readings` (v, a) what each word adds with a
    weight of one; `dense_bias` and `read_bias` are (a,), all within ±1000. In training the word stood at one of the
    first `seen` places; now it stands at `place`, and `answer` is which one is put in, both counted from 0.

    >>> figure = MovingWord(["well"], ["tea", "milk"], ["milk", "tea", "well"],
    ...                     [[[0, 2], [2, 0], [0, 0]], [[0, 0]] * 3], [0, 0], [3, 3, -3],
    ...                     [[0, 5], [5, 0], [0, 0]], [0, 0], seen=1, place=1)
    >>> figure.dense.round(2).tolist(), figure.attention.round(2).tolist()
    ([0.5, 0.5], [0.99, 0.01])
    """

    kind = "moving_word"
    MOST = 16
    chatter = traitlets.List(traitlets.Unicode()).tag(sync=True)
    answers = traitlets.List(traitlets.Unicode()).tag(sync=True)
    vocabulary = traitlets.List(traitlets.Unicode()).tag(sync=True)
    dense_pieces = traitlets.List().tag(sync=True)
    dense_bias = NumberArray(-1000, 1000, ("answers",)).tag(sync=True)
    word_scores = NumberArray(-1000, 1000, ("vocabulary",)).tag(sync=True)
    readings = NumberArray(-1000, 1000, ("vocabulary", "answers")).tag(sync=True)
    read_bias = NumberArray(-1000, 1000, ("answers",)).tag(sync=True)
    seen = traitlets.Int().tag(sync=True)
    place = Index("dense_pieces", "places").tag(sync=True, reset=True)
    answer = Index("answers", "answers").tag(sync=True, reset=True)

    def __init__(self, chatter, answers, vocabulary, dense_pieces, dense_bias, word_scores, readings, read_bias, seen,
                 place=0, answer=0, caption=""):
        n, v, a = len(chatter) + 1, len(vocabulary), len(answers)
        if n > self.MOST or a > 6:
            raise ValueError(f"the sentence must have at most {self.MOST} words and 6 answers, got {n} and {a}")
        if missing := sorted({*chatter, *answers} - set(vocabulary)):
            raise ValueError(f"not in the vocabulary: {', '.join(missing)}")
        dense_pieces = number_array(dense_pieces, "dense_pieces", -1000, 1000, (n, v, a))
        super().__init__(chatter=list(chatter), answers=list(answers), vocabulary=list(vocabulary),
                         dense_pieces=dense_pieces, dense_bias=dense_bias, word_scores=word_scores,
                         readings=readings, read_bias=read_bias, seen=index(seen, "seen", n + 1, "counts of places"),
                         place=place, answer=answer, caption=caption)

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
