"""The four words that go through the book: one head made by hand, its distances, and a tiny machine of two blocks."""

import numpy as np

from attnkit import causal_mask, relative_bias, softmax
from bookkit.lessons import pointing

WORDS = "see that girl run".split()
WRITTEN = ["home", "tired"]                                       # what the machine writes after them
CANDIDATES = ["girl", "run", "home", "tired"]
W_Q = np.array([[0.0, 2.0], [2.0, 0.0], [3.0, 0.0], [2.0, 0.0]])
W_K = np.array([[2.0, 0.0], [0.0, 2.0], [0.0, 0.0], [0.0, 0.0]])
W_V = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
BY_DISTANCE = np.array([0.0, 2.0, 0.0, 0.0, 0.0])                 # two more for the word right before


def vectors(words=WORDS):
    """The vectors (n, 4) of some words."""
    return pointing.word_vectors()[[pointing.WORDS.index(word) for word in words]]


def distances(n=4):
    """What is added to each score (n, n) for how far apart two words stand."""
    return relative_bias(BY_DISTANCE, n)


def norm(x):
    """Each row with mean 0 and standard deviation 1, as layer norm makes it."""
    middle = x - x.mean(axis=-1, keepdims=True)
    return middle / middle.std(axis=-1, keepdims=True)


class TinyMachine:
    """Two blocks that go on with this one sentence.

    The first block attends with the head made by hand; the other matrices are random, but for the last, which was
    fitted, by least squares, so that each word's row becomes the vector of the next one.
    """

    def __init__(self):
        rng = np.random.default_rng(1)
        self.heads = [(W_Q, W_K), tuple(rng.normal(size=(2, 4, 2)))]
        self.inner = rng.normal(size=(2, 5, 8))                   # the fifth row is added
        self.outer = [0.3 * rng.normal(size=(9, 4)), np.zeros((9, 4))]
        sentence = vectors([*WORDS, *WRITTEN])
        x, middle, _ = self._to_last_half(sentence[:-1])
        self.outer[1] = np.linalg.lstsq(middle, 1.5 * sentence[1:] - x, rcond=None)[0]

    def read(self, words):
        """Word by word: the rows (n, 4) after each block, the weights (n, n) of each, the scores of CANDIDATES."""
        x, middle, told = self._to_last_half(vectors(words))
        (after,), weights = told
        last = x + middle @ self.outer[1]
        return [after, last], weights, norm(last) @ vectors(CANDIDATES).T

    def _to_last_half(self, x):
        """Up to the last matrix: the rows, what the last MLP has computed of them, and what came on the way."""
        after, weights = [], []
        for k in range(2):
            rows, looks = self._attend(k, norm(x))
            x, middle = x + 0.5 * rows @ W_V.T, None
            middle = np.c_[np.maximum(np.c_[norm(x), np.ones(len(x))] @ self.inner[k], 0), np.ones(len(x))]
            weights.append(looks)
            if k == 0:
                x = x + middle @ self.outer[0]
                after.append(x)
        return x, middle, (after, weights)

    def _attend(self, k, x):
        """The outputs of a block's head and its weights."""
        w_query, w_key = self.heads[k]
        scores = (x @ w_query) @ (x @ w_key).T / np.sqrt(2) + distances(len(x))
        weights = softmax(np.where(causal_mask(len(x)), scores, -np.inf))
        return weights @ x @ W_V, weights
