"""Exercises of the chapter `from_here`."""

from bookkit.lessons.exercises.grading import Choice, Guess, Value

EXERCISES = {
    "halves": Value([4 * 512**2, 8 * 512**2, 2 / 3], within=0.004, mistakes=[
        ([512**2, 8 * 512**2, 8 / 9], "attention has four matrices, of queries, keys, values and outputs."),
        ([4 * 512**2, 4 * 512**2, 1 / 2], "the MLP has two matrices, to 2,048 units and back.")],
        labels=["attention", "MLP", "share of the MLP"]),
    "cover": Choice(
        "What the program knows of “I” makes up 0.11 of the blend from which this word is made.",
        ("The chance that this word means “I” is 0.11.",
         "weights are no chances of a meaning. They say what is mixed."),
        ("If “I” were left out, this word would be wrong in 0.11 of the sentences.",
         "only an experiment can tell what happens then."),
        ("The two words stand 0.11 apart.", "no distance is measured here. Which three things sum to one?")),
}

GUESSES = {"aime": Guess(["at I", "at love", "at you"], right=1)}
