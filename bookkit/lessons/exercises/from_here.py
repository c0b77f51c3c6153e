"""Exercises of the chapter `from_here`."""

from bookkit.lessons.exercises.grading import Choice, Guess

EXERCISES = {
    "gap": Choice(
        "At the gap it sees only what stands before. What comes after it cannot help.",
        ("It was trained with too few texts.", "more of them would not let it see the rest of the letter."),
        ("Its vocabulary has no piece for a gap.", "a piece can be added. What would the model see at its place?"),
        ("It should look at the gap with more heads.", "all its heads see the same places. Which are these?")),
    "cover": Choice(
        "What the program knows of “I” makes up 0.11 of the blend from which this word is made.",
        ("The chance that this word means “I” is 0.11.",
         "weights are no chances of a meaning. They say what is mixed."),
        ("If “I” were left out, this word would be wrong in 0.11 of the sentences.",
         "only an experiment can tell what happens then."),
        ("The two words stand 0.11 apart.", "no distance is measured here. Which three things sum to one?")),
}

GUESSES = {"aime": Guess(["at I", "at love", "at you"], right=1)}
