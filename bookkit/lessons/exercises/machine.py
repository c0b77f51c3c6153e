"""Exercises of the chapter `machine`."""

import numpy as np

from bookkit.lessons.exercises.grading import Choice, Function, Guess, Value


def _patched(heads, others, k, W_O, *, chosen=None):
    mixed = heads.copy()
    mixed[k] = others[k]
    return (mixed if chosen is None else chosen(heads, others, mixed)).ravel() @ W_O


def _alone(heads, others, k, W_O):
    size = heads.shape[1]
    return others[k] @ W_O[k * size:(k + 1) * size]


HEADS, OTHERS = np.array([[1.0, 2.0], [-1.0, 0.5], [2.0, -2.0]]), np.array([[0.5, -1.0], [3.0, 1.0], [-2.0, 1.5]])
W_O = np.arange(-11.0, 13.0).reshape(6, 4) / 4

EXERCISES = {
    "stop": Value([-2, 1, 4], mistakes=[
        ([-2, 3, 3], "this is what each part adds. The stream keeps what was there before."),
        ([2, 6, 8], "this is the score of Max alone."),
        ([2, -1, -4], "this is the score of Eva minus that of Max.")],
        labels=["at the beginning", "after attention", "after the MLP"]),
    "patch": Function(
        _patched, [(HEADS, OTHERS, 1, W_O), (OTHERS, HEADS, 0, W_O), (HEADS, OTHERS, 2, W_O)],
        [(lambda *a: _patched(*a, chosen=lambda heads, others, mixed: heads), "nothing has been moved."),
         (lambda *a: _patched(*a, chosen=lambda heads, others, mixed: others), "this moves all heads, not one."),
         (_alone, "this is what the moved head adds. The other heads add their share, too.")],
        code="""
def patched(heads, others, k, W_O):
    mixed = heads.copy()
    mixed[k] = ___
    return ___
""",
        choices=[["heads[k]", "others[k]"],
                 ["mixed.ravel() @ W_O", "others.ravel() @ W_O", "mixed[k] @ np.split(W_O, len(mixed))[k]"]]),
    "name": Choice(
        "“Ben. It no longer sees Max, and where it sees neither Max nor Sam, the man is Ben for it.”",
        ("“Tom. This head brings the name, and the name is Tom now.”",
         "try it. This head looks at Max and at Sam, but never at Tom."),
        ("“Max. The other heads still say that he is Max.”",
         "try it. No other head of this story says Max: they say that it is a man, or which woman it would be."),
        ("“Eva. Without a man’s name it can only be the woman.”",
         "head 2 of layer 2 still says that it is no woman.")),
    "ran": Choice(
        "“At this word, nothing that the two stories do differently makes a difference to the place.”",
        ("“The machine has not noticed who ran.”",
         "it has. Put *then* after the sentence about running: it goes on with *he* if Max ran, and with *Toby* if it "
         "was Toby. It knows this there, and at the last word it does not use it."),
        ("“The part that carries the place is an MLP.”",
         "no part turns the place, and no MLP does either."),
        ("“The two stories give equal numbers everywhere.”",
         "look at the stripes: the streams differ. What differs does not reach the answer.")),
    "claim": Choice(
        "“It may know the answer all the same. Other parts can tell it, too, or the answer was sure without it.”",
        ("“You are right. What can be taken out without harm has no part in the answer.”",
         "two parts can bring the same, and then either of them can go. And another text may need it: without head 1 "
         "of layer 1, our machine still names a man, and confuses the women."),
        ("“You are wrong. Each head has a part in every answer.”",
         "a head may add nothing to the difference of two scores. Head 4 of layer 2 is such a one in this story."),
        ("“Look at its weights. If they are on the right word, the head is needed.”",
         "where a head looks does not say what it brings, or whether that is needed.")),
}

GUESSES = {
    "stage": Guess(["after attention 1", "after MLP 1", "after attention 2", "after MLP 2"], right=2),
    "heads": Guess(low=0, high=8, step=1, digits=0, unit=" heads", right=1, within=0.5),
}
