"""Exercises of the chapter `real_model`."""

from bookkit.lessons.exercises.grading import Choice, Guess, Value

EXERCISES = {
    "pieces": Value([2, 2, 3], mistakes=[
        ([2, 2, 2], "after play and ##ful, an s is left."),
        ([3, 2, 3], "player is in the list, and it is longer than play."),
        ([1, 2, 3], "players is not in the list as a whole.")], labels=["players", "playful", "playfuls"]),
    "bin": Value([0.28, -0.4, 0.08 / (0.08 + 0.2 ** 0.5)], within=0.006, mistakes=[
        ([0.28, -0.4, 0.8], "this is the share of the weight, not of what it brings."),
        ([1.1, -2, 0.08 / (0.08 + 0.2 ** 0.5)], "each value counts with its weight.")],
        labels=["blend, first number", "blend, second number", "share of [CLS]"]),
    "claim": Choice(
        "The same sentence with another ending, so that “it” is the other noun, and a count over many such pairs.",
        ("The other heads of the model.", "another head may look there, too. That does not show what the look means."),
        ("A larger model.", "the question is whether this head knows, not whether another model would."),
        ("The exact weight, with more digits.", "0.6 or 0.61: a weight alone does not show what it is for.")),
}

GUESSES = {
    "wolf": Guess(["to dog, where the other wolf stood", "evenly to all words",
                   "to the mark before the sentence, [CLS]", "to the wolf itself"], right=2),
}
