"""Exercises of the chapter `transformer`."""

import numpy as np

from attnkit import attention, causal_mask
from bookkit.lessons.exercises.examples import CONCAT, W_KEY, W_QUERY, WORDS
from bookkit.lessons.exercises.grading import Function, Guess, Value


def _scores(X, E, W_Q, W_K, W_V, *, seen=causal_mask):
    return (X + attention(X @ W_Q, X @ W_K, X @ W_V, mask=seen(len(X)))[0]) @ E.T


STORIES = np.array([[1, 7, 4, 9, 2], [1, 5, 3, 2, 0]])
W_VALUE = np.array([[1.0, 0.0, 0.5], [0.0, 1.0, 0.0], [-1.0, 0.5, 1.0]])

EXERCISES = {
    "shapes": Value([[7, 7], [5, 5], [5, 7]], mistakes=[
        ([[7, 7], [5, 5], [7, 5]], "in cross-attention the French words ask: they are the rows."),
        ([[7, 7], [7, 7], [5, 7]], "in the decoder's self-attention only French words ask and are asked."),
        ([[5, 5], [7, 7], [5, 7]], "the encoder reads the English words.")],
        labels=["encoder, rows", "encoder, cols", "decoder, rows", "decoder, cols", "cross, rows", "cross, cols"]),
    "shift": Function(
        lambda batch: (batch[:, :-1], batch[:, 1:]), [(STORIES,), (STORIES[:1, :3],)],
        [(lambda batch: (batch[:, 1:], batch[:, :-1]), "this guesses the word before."),
         (lambda batch: (batch[:, :-1], batch[:, :-1]), "the target is the word that goes in."),
         (lambda batch: (batch[:-1], batch[1:]), "this leaves out a whole story; leave out a word of each story.")],
        code="""
def inputs_and_targets(batch):
    return ___
""",
        choices=[["batch[:-1], batch[1:]", "batch[:, :-1], batch[:, :-1]", "batch[:, :-1], batch[:, 1:]",
                  "batch[:, 1:], batch[:, :-1]"]]),
    "bug": Function(
        _scores, [(WORDS, CONCAT, W_QUERY, W_KEY, W_VALUE), (WORDS[::-1][:3], WORDS, W_KEY, W_QUERY, W_VALUE)],
        [(lambda *a: _scores(*a, seen=lambda n: np.full((n, n), True)), "each word still sees the ones to come."),
         (lambda *a: _scores(*a, seen=lambda n: causal_mask(n).T), "this hides the past, not the future."),
         (lambda *a: _scores(*a, seen=lambda n: np.tril(np.full((n, n), True), -1)),
          "a word may see itself: it is the next one that must stay hidden."),
         (lambda X, E, *W: (X + attention(X @ W[0], X[:-1] @ W[1], X[:-1] @ W[2])[0]) @ E.T,
          "the last word is hidden from all, but each word still sees the others that come later.")],
        code="""
def next_word_scores(X, E, W_Q, W_K, W_V):
    n, Q, K, V = len(X), X @ W_Q, X @ W_K, X @ W_V
    output, _ = ___
    return (X + output) @ E.T
""",
        choices=[["attention(Q, K[:-1], V[:-1])", "attention(Q, K, V, mask=causal_mask(n))",
                  "attention(Q, K, V, mask=causal_mask(n).T)", "attention(Q, K, V, mask=np.tri(n, k=-1) == 1)"]]),
}

GUESSES = {
    "last": Guess(["whole sentences", "he and she", "who has the key", "where the key is"], right=3),
}
