"""Exercises of the chapter `chat_model`."""

from bookkit.lessons.exercises.grading import Choice, Function, Guess, Value


def copied(pieces):
    """What came after the newest piece when it stood there last; -1 if it did not."""
    before = [-1, *pieces[:-1]]
    for place in range(len(pieces) - 1, 0, -1):
        if before[place] == pieces[-1]:
            return pieces[place]
    return -1


def first_one(pieces):
    """The piece after the first place instead of the last."""
    before = [-1, *pieces[:-1]]
    return pieces[before.index(pieces[-1])] if pieces[-1] in before else -1


def itself(pieces):
    """The piece that came before, and not the one after it."""
    return pieces[-1] if pieces[-1] in pieces[:-1] else -1


EXERCISES = {
    "cache": Value([46_080, 138_240], mistakes=[
        ([23_040, 69_120], "a piece leaves a key and a value, and that makes two vectors."),
        ([11_520, 34_560], "each number takes four bytes."),
        ([46_080, 46_080], "nine sets need three times the room of three."),
        ([1_536, 4_608], "every one of the 30 layers keeps its own.")], labels=["shared", "own"]),
    "copied": Function(copied, [([7, 8, 9, 7, 8],), ([4, 5, 6, 4],), ([1, 2, 3, 4],), ([2, 3, 2, 5, 2, 3, 2, 6, 2],),
                                ([5, 5],), ([5],)], mistakes=[
        (first_one, "where the newest piece came several times, its last place counts, not its first."),
        (itself, "this is the piece itself, not the one after it."),
    ], code="""
def copied(pieces):
    before = ___
    for place in range(len(pieces) - 1, 0, -1):
        if ___:
            return ___
    return -1
""", choices=[["[-1, *pieces[:-1]]", "[*pieces[1:], -1]", "pieces"],
              ["before[place] == pieces[-1]", "pieces[place] == pieces[-1]", "before[place] == pieces[place]"],
              ["pieces[place]", "before[place]", "place"]]),
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
    "cut": Guess(["the best copier", "ten heads at random", "the head that looks one back"], right=2),
}
