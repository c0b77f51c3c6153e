"""Exercises of the chapter `chat_model`."""

from bookkit.lessons.exercises.grading import Choice, Guess, Value

EXERCISES = {
    "cache": Value([46_080, 138_240], mistakes=[
        ([23_040, 69_120], "a piece leaves a key and a value, and that makes two vectors."),
        ([11_520, 34_560], "each number takes four bytes."),
        ([46_080, 46_080], "nine sets need three times the room of three."),
        ([1_536, 4_608], "every one of the 30 layers keeps its own.")], labels=["shared", "own"]),
    "prompt": Choice(
        "Read them as plain text, in ordinary pieces: only the program may write the pieces that are marks.",
        ("Refuse every text that holds such a mark.",
         "somebody may have good reasons to write about them, as this page does."),
        ("Nothing: the model will notice that the user wrote them.",
         "in the text that the model reads, nothing says who wrote a mark."),
        ("Put the text behind another mark that says who typed it.",
         "a user who may write marks can write that one, too.")),
}

GUESSES = {
    "invented": Guess(["that it does not know her", "a life that it makes up", "a question back: which one?"], right=1),
}
