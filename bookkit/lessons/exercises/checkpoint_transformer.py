"""Questions of the checkpoint after Part II."""

import numpy as np

from attnkit import scaled_dot, softmax
from bookkit.lessons.exercises.examples import W_KEY, W_QUERY, WORDS
from bookkit.lessons.exercises.grading import Choice, Function, Value

TURNED = "True is for what may be seen; this keeps the scores of the padding, and replaces those of the words."


def _where(kept, other):
    def attend(Q, K, V, real):
        scores = scaled_dot(Q, K)
        return softmax(np.where(kept(real), scores, other(scores))) @ V
    return attend


def _real(real):
    return real


_attend = _where(_real, lambda scores: -np.inf)
REAL = np.array([True, True, True, False])

EXERCISES = {
    "which_is_which": Choice(
        "1 decoder, 2 cross-attention, 3 encoder",
        ("1 encoder, 2 cross-attention, 3 decoder",
         "in 1 the first word sees nobody but itself. Which of the two hides words that come later?"),
        ("1 decoder, 2 encoder, 3 cross-attention",
         "in 2 there are more columns than rows. Can the words that ask be the words that are asked?"),
        ("1 cross-attention, 2 decoder, 3 encoder",
         "in 2 every row looks at every column, the first row as well. May a decoder's own words do that?")),
    "shuffled": Choice(
        "It stays the same in every block, and stands at the word's new place.",
        ("It stays the same after block 1, but deeper blocks notice the order.",
         "block 2 reads what comes out of block 1. Is there anything in it that knows of the order?"),
        ("It changes, because the heads can divide the places among them.",
         "how should a head know a place? Its scores are made of the words alone."),
        ("It changes, because the MLP reads the words one after the other.",
         "in the MLP each word is by itself, whatever stands beside it.")),
    "padded": Function(
        _attend, [(WORDS @ W_QUERY, WORDS @ W_KEY, WORDS, REAL), (WORDS[:2], WORDS[1:], WORDS[:3, :2], ~REAL[1:])],
        [(_where(_real, np.zeros_like), "a score of 0 hides nothing: its power of e is 1."),
         (_where(_real, np.min), "the padding still gets as much as the word that fits worst."),
         (_where(np.logical_not, lambda scores: -np.inf), "now the words are hidden, and only the padding is seen."),
         (_where(np.logical_not, np.zeros_like), TURNED),
         (_where(np.logical_not, np.min), TURNED),
         (lambda Q, K, V, real: softmax(scaled_dot(Q, K)) * real @ V,
          "after the softmax it is too late: what is left of a row no longer sums to one."),
         (lambda Q, K, V, real: softmax(scaled_dot(Q, K)) @ V, "the padding is not hidden.")],
        code="""
def attend(Q, K, V, real):
    scores = Q @ K.T / np.sqrt(K.shape[1])
    scores = np.where(___, scores, ___)
    return softmax(scores) @ V
""",
        choices=[["~real", "real"], ["0", "scores.min()", "-np.inf"]]),
    "left_out": Choice(
        "The sum: what a branch computes takes the place of the word.",
        ("Layer norm: without it the numbers of all the words run together.",
         "it treats each word by itself. Without it numbers change their size, and the words still differ."),
        ("The MLP: no other part gives each word numbers of its own.",
         "the words have numbers of their own when they come in. What could keep them?"),
        ("The positions: without them all words are the same to a head.",
         "to a head without positions, equal words are the same. Are these five equal when they go in?")),
    "reach": Value(7, mistakes=[
        (3, "this is what one layer sees; the words that it sees have looked back themselves."),
        (9, "three times three counts some words more than once."),
        (6, "the last word sees itself, too."),
        (5, "this is two layers; one more."),
        (27, "these are ways through the layers; many of them lead to the same word.")]),
    "new_word": Choice(
        "Those of words 1 to 3, and those of no other word.",
        ("Those of all words but word 4, which makes its own.",
         "so it is in layer 1. What are the keys and values of layer 2 made from?"),
        ("Those of words 5 to 10, which come after the change.",
         "these words may look at word 4. What they get in layer 1 goes into layer 2."),
        ("Those of no word, because one new word changes all sums.",
         "not all words may look at word 4.")),
}
