"""Exercises of the chapter `tune`."""

from bookkit.lessons.exercises.grading import Choice, Function, Guess, Value


def targets(asked, answer, end):
    """What each place should give: -100 costs nothing."""
    return [-100] * (len(asked) - 1) + [*answer, end]


def all_of_it(asked, answer, end):
    """The question costs, too."""
    return [*asked[1:], *answer, end]


def one_late(asked, answer, end):
    """Nothing is asked of the place from which the answer begins."""
    return [-100] * len(asked) + [*answer, end]


def endless(asked, answer, end):
    """The mark at the end is not learned."""
    return [-100] * (len(asked) - 1) + [*answer]


EXERCISES = {
    "targets": Function(targets, [([5, 6, 7], [8, 9], 1), ([4, 4], [3], 2), ([9, 8, 7, 6], [5], 0)], mistakes=[
        (all_of_it, "so it learns to ask questions, too. What is asked costs nothing."),
        (one_late, "the last piece of the question is the place from which the answer's first piece is guessed."),
        (endless, "then nothing teaches it to stop."),
    ], code="""
def targets(asked, answer, end):
    free = [-100] * ___
    return free + ___
""", choices=[["(len(asked) - 1)", "len(asked)", "(len(asked) + 1)"],
              ["[*answer, end]", "[*answer]", "[*asked, *answer]"]]),
    "numbers": Value([3_072, 49_152, 110_592], mistakes=[
        ([2_304, 49_152, 110_592], "this is A alone; B has 4 rows of 192."),
        ([3_072, 196_608, 110_592], "64 is the rank now, and not a factor: 16 times the numbers of rank 4."),
        ([768, 768, 110_592], "this is for one column of A and one row of B: multiply by the rank.")],
        labels=["rank 4", "rank 64", "W^K"]),
    "symptom": Choice(
        "B was not zero at the beginning.",
        ("The template was forgotten.", "then the first loss would be a little high, and answers in a chat unchanged."),
        ("The question's pieces cost, too.", "then the first loss would be that of ordinary text, 2 to 4."),
        ("The rate is too small.", "the first loss is measured before any step.")),
}

GUESSES = {
    "forty": Guess(["only the twenty that it was taught", "nearly all invented names, and few real ones",
                    "whatever it is asked"], right=1),
}
