"""Exercises of the chapter `parts`."""

from bookkit.lessons.exercises.grading import Choice, Guess

EXERCISES = {
    "which": Choice(
        "The positions.",
        ("Attention.", "without it each word sees itself alone, and the story soon goes round in a circle."),
        ("The MLPs.", "without them a story ends before its first word."),
        ("Layer 2.", "without it the model gets stuck at a word, and no sentence ends.")),
    "shown": Choice(
        "That this model, trained with them, needs them. Not what they know.",
        ("That the MLPs know the stories.",
         "without attention the model fails as badly: does attention know them, too?"),
        ("That a model without MLPs cannot learn stories.",
         "no such model was trained. One that never had them may do without."),
        ("Nothing, because one story is luck.", "it fails in each of a hundred stories.")),
}

GUESSES = {
    "missed": Guess(["the positions", "the second layer", "the MLPs", "the mask"], right=3),
}
