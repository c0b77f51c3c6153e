"""Exercises of the chapter `layers`."""

from functools import partial

import numpy as np

from attnkit import attention
from bookkit.lessons.exercises.examples import WORDS
from bookkit.lessons.exercises.grading import Function, Guess, Value


def _asked(first, second, *, query="two_on", value="two_on"):
    """What layer 2 finds if an item asks with one of three persons that it knows, and is handed another."""
    known = {"first": first, "second": second, "two_on": attention(20 * second, first, second)[0]}
    return attention(20 * known[query], first, known[value])[0]


FOUND = {
    ("two_on", "second"): "this is who stands three places on.",
    ("two_on", "first"): "this is who stands two places on.",
    ("second", "second"): "this is what layer 1 finds.",
    ("second", "two_on"): "this is who stands three places on: in layer 2 an item should ask with what it has found.",
    ("second", "first"): "this is who stands one place on.",
    ("first", "two_on"): "now each item finds itself; in layer 2 it should ask with what it has found.",
    ("first", "second"): "each item finds itself, and is handed what it knew at the start.",
    ("first", "first"): "each item finds itself, and is handed the person it begins with."}


def _norm(X):
    return (X - X.mean(axis=1, keepdims=True)) / X.std(axis=1, keepdims=True)


# What each half of a block makes of the line X and its norm Z, rightly and wrongly.
LOOKS = {
    "right": lambda X, Z: X + attention(Z, Z, Z)[0],
    "norm": lambda X, Z: Z + attention(Z, Z, Z)[0],
    "bare": lambda X, Z: X + attention(X, X, X)[0],
    "lost": lambda X, Z: attention(Z, Z, Z)[0]}
THINKS = {
    "right": lambda X, Z, W_1, W_2: X + np.maximum(Z @ W_1, 0) @ W_2,
    "norm": lambda X, Z, W_1, W_2: Z + np.maximum(Z @ W_1, 0) @ W_2,
    "bare": lambda X, Z, W_1, W_2: X + np.maximum(X @ W_1, 0) @ W_2,
    "lost": lambda X, Z, W_1, W_2: np.maximum(Z @ W_1, 0) @ W_2}
HALVES = {
    ("norm", "norm"): "the thick line still goes through a layer norm.",
    ("lost", "lost"): "what the branches compute is not added to the line.",
    ("bare", "bare"): "the branches have no layer norm now.",
    ("norm", "right"): "the thick line still goes through the first layer norm.",
    ("bare", "right"): "attention reads the thick line itself, without a layer norm.",
    ("lost", "right"): "what attention computes takes the place of the line; add it.",
    ("right", "norm"): "the thick line still goes through the second layer norm.",
    ("right", "bare"): "the MLP reads the thick line itself, without a layer norm.",
    ("norm", "bare"): "the thick line goes through the first layer norm, and the second branch has none.",
    ("bare", "norm"): "the first branch has no layer norm, and the thick line goes through the second.",
    ("lost", "norm"): "attention is not added to the line, which still goes through the second layer norm.",
    ("lost", "bare"): "attention is not added to the line, and the second branch has no layer norm."}


def _block(X, W_1, W_2, *, looks="right", thinks="right"):
    X = LOOKS[looks](X, _norm(X))
    return THINKS[thinks](X, _norm(X), W_1, W_2)


PEOPLE = np.eye(7)
W_1 = np.array([[0.5, -1.0, 0.0, 1.0], [1.0, 0.5, -0.5, 0.0], [-1.0, 0.0, 1.0, 0.5]])
W_2 = np.array([[1.0, 0.0, -0.5], [0.5, 1.0, 0.0], [0.0, -1.0, 0.5], [-0.5, 0.5, 1.0]])

EXERCISES = {
    "four_on": Function(
        _asked, [(PEOPLE[:6], PEOPLE[1:]), (PEOPLE[2:6], PEOPLE[3:])],
        [(partial(_asked, query=query, value=value), words) for (query, value), words in FOUND.items()],
        code="""
def four_on(first, second):
    two_on, _ = attention(20 * second, first, second)
    answer, _ = attention(20 * ___, first, ___)
    return answer
""",
        choices=[["first", "second", "two_on"], ["second", "two_on", "first"]]),
    "count": Value([1_048_576, 2_097_152], mistakes=[
        ([2_097_152, 1_048_576], "these are the two numbers, the other way round."),
        ([262_144, 1_048_576], "this is one matrix of each; there are four in attention and two in the MLP."),
        ([1_048_576, 1_048_576], "the MLP has two matrices.")], labels=["attention", "MLP"]),
    "bug": Function(
        _block, [(WORDS, W_1, W_2), (2 * WORDS[:3], W_2.T[:, [1, 0, 3, 2]], W_1.T)],
        [(partial(_block, looks=looks, thinks=thinks), words) for (looks, thinks), words in HALVES.items()],
        code="""
def block(X, W_1, W_2):
    Z = layer_norm(X)
    X = ___
    Z = layer_norm(X)
    return ___


def layer_norm(X):
    centred = X - X.mean(axis=1, keepdims=True)
    return centred / X.std(axis=1, keepdims=True)
""",
        choices=[["Z + attention(Z, Z, Z)[0]", "attention(Z, Z, Z)[0]", "X + attention(Z, Z, Z)[0]",
                  "X + attention(X, X, X)[0]"],
                 ["X + np.maximum(Z @ W_1, 0) @ W_2", "Z + np.maximum(Z @ W_1, 0) @ W_2",
                  "X + np.maximum(X @ W_1, 0) @ W_2"]]),
}

GUESSES = {
    "added": Guess(["it takes the place of the item's own vector", "it is added to the item's own vector",
                    "it is multiplied with the item's own vector"], right=1),
}
