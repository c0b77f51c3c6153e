"""Exercises of the chapter `preferences`."""

from math import exp, log

from bookkit.lessons.exercises.grading import Choice, Guess, Value


def loss(margin):
    """What a pair costs."""
    return log(1 + exp(-margin))


EXERCISES = {
    "margin": Value([0.15, loss(0.15)], within=0.002, mistakes=[
        ([1.5, loss(1.5)], "this is what the better one has gained more; β makes it smaller."),
        ([0.05, loss(0.05)], "the worse sentence has lost 0.5, and to subtract a loss is to add."),
        ([0.15, loss(-0.15)], "the sign: a pair that has moved the right way costs less than 0.693.")],
        labels=["margin", "loss"]),
    "easy": Choice(
        "It may choose its own tasks, so it chooses those that it cannot get wrong. Give it the tasks.",
        ("It has learned sums by heart. Train for fewer steps.", "it would still write the sum that is always right."),
        ("The program that checks is wrong.", "1 + 1 = 2 is right, and that is all it was asked."),
        ("β was too small.", "there is no β here: nothing is compared with the model as it was.")),
}

GUESSES = {"checked": Guess(["longer ones, since there is more to be rewarded", "shorter ones, with fewer gifts",
                             "the same story, again and again"], right=1)}
