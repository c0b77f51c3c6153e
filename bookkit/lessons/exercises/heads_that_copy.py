"""Exercises of the side trip `heads_that_copy`."""

from bookkit.lessons.exercises.grading import Choice, Function, Guess


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
    "votes": Choice(
        "Nothing yet: compute what the head adds to the score of each name.",
        ("It makes the model say Mary.", "head 5 of layer 25 looks hardest at the right name, and votes against it."),
        ("It can be taken out without harm.", "how much a head is missed is another experiment."),
        ("It tells other heads where to look.", "one does, but that was seen by an exchange, not in its weights.")),
}

GUESSES = {
    "cut": Guess(["the best copier", "ten heads at random", "the head that looks one back"], right=2),
}
