"""Exercises of the chapter `multi_head`."""

import numpy as np

from attnkit import merge_heads
from bookkit.lessons.exercises.examples import CONCAT, WORDS
from bookkit.lessons.exercises.grading import Function, Guess, Judged
from bookkit.pictures.formats import plain


def _heads(X, h):
    return X.reshape(len(X), int(h), -1).transpose(1, 0, 2)


def _piece(heads, w_output, i):
    d = heads.shape[2]
    return heads[int(i)] @ w_output[int(i) * d:(int(i) + 1) * d]


def _cut_as(*cut, then):
    """A cut of columns with its axes in another order: what numbers of h, n and d_k make of a matrix."""
    def split(X, h):
        sizes = {"h": int(h), "n": len(X), "d_k": X.shape[1] // int(h)}
        return X.reshape([sizes[axis] for axis in cut]).transpose(then)
    return split


def _both_names(weights):
    if weights.min() < 0 or not np.allclose(weights.sum(axis=1), 1):
        return "the weights of a head are not negative and sum to one."
    read = (weights @ np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 1.0]])).reshape(-1)        # Susan gave Mary
    if np.allclose(read, [1, 0, 0, 1]):
        return None
    return f"for “Susan gave Mary” this reads ({', '.join(plain(v) for v in read)}), not (1, 0, 0, 1)."


NUMBERED = np.arange(12.0).reshape(3, 4)

EXERCISES = {
    "split": Function(
        _heads, [(NUMBERED, 2), (WORDS[:, :2], 2), (NUMBERED, 1)],
        [(lambda X, h: X.reshape(int(h), len(X), -1), "the words are mixed; keep each row together, as (n, h, d)."),
         (lambda X, h: X.reshape(len(X), int(h), -1), "the cut is right; heads come first, so exchange two axes."),
         (_cut_as("h", "n", "d_k", then=(1, 0, 2)),
          "the words are mixed before any axes are exchanged; keep each row together."),
         (_cut_as("n", "d_k", "h", then=(1, 0, 2)),
          "each row must be cut into h pieces of d_k numbers, not into d_k pieces of h."),
         (_cut_as("n", "h", "d_k", then=(2, 0, 1)),
          "the cut is right, but the numbers of a head come first now; heads should.")],
        code="""
def split(X, h):
    n, columns = X.shape
    d_k = columns // h
    return X.reshape(___).transpose(___)
""",
        choices=[["h, n, d_k", "n, h, d_k", "n, d_k, h"], ["0, 1, 2", "2, 0, 1", "1, 0, 2"]]),
    "piece": Function(
        _piece, [(_heads(WORDS[:3, :2], 2), NUMBERED[:2], 1), (_heads(NUMBERED, 2), CONCAT, 0),
                 (_heads(NUMBERED, 2), CONCAT, 1)],
        [(lambda heads, w, i: merge_heads(heads) @ w, "this is the sum of all heads."),
         (lambda heads, w, i: heads[int(i)] @ w[int(i):int(i) + heads.shape[2]],
          "the rows of head 1 begin where those of head 0 end, so its first row is row d_k."),
         (lambda heads, w, i: heads[int(i)] @ w[int(i)::len(heads)],
          "a head's rows of W_O are neighbours; these are spread over all of it.")],
        code="""
def piece(heads, W_O, i):
    d_k = heads.shape[2]
    return ___
""",
        choices=[["merge_heads(heads) @ W_O", "heads[i] @ W_O[i * d_k:(i + 1) * d_k]", "heads[i] @ W_O[i:i + d_k]",
                  "heads[i] @ W_O[i::len(heads)]"]]),
    "read": Judged(_both_names, (2, 3), offered=[
        [[0.5, 0, 0.5], [0.5, 0, 0.5]], [[0, 0, 1], [1, 0, 0]], [[1, 0, 0], [0, 0, 1]], [[1, 0, 1], [0, 1, 0]]]),
}

GUESSES = {
    "turned": Guess(["nothing, because the query is the same", "every sign turns round",
                     "only the scores of Susan and Mary"], right=1),
    "swapped": Guess(["they stay as they are", "they change places, too", "one of them changes"], right=0),
}
