"""Exercises of the chapter `your_own_text`."""

from bookkit.lessons.exercises.grading import Choice, Guess, Value

EXERCISES = {
    "merges": Value(8, mistakes=[
        (10, "this is after the first merge, of a and n."),
        (7, "the blank before a word belongs to it, and is still a piece of its own."),
        (9, "after the first merge, two pairs stand twice: take the one whose first piece has the smaller number."),
        (14, "this is before the first merge.")]),
    "letters": Value([1.2, 1.12], within=0.006, mistakes=[
        ([4.0, 5.6], "these are the losses of a piece; a letter has only a part of one."),
        ([13.33, 28.0], "multiply: a letter is less than a piece."),
        ([0.3, 0.2], "these are the pieces of a letter.")], labels=["first model", "second model"]),
    "first": Choice(
        "Its first numbers are so large that it is sure of some piece, and mostly wrong.",
        ("The text is too short.", "the first loss is measured before anything was learned from the text."),
        ("It can see the piece that it has to guess.",
         "then the loss would soon be too small, not too large at the start."),
        ("The learning rate is too high.", "before the first step, the rate has done nothing yet.")),
}

GUESSES = {
    "strawberry": Guess(right=7, low=1, high=10, step=1, digits=0, unit=" pieces", within=1),
}
