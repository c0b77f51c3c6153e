"""Exercises of the chapter `today`."""

from bookkit.lessons.exercises.grading import Guess, Value

EXERCISES = {
    "count": Value([8.03, 131_072], within=0.06, mistakes=[
        ([7.50, 131_072], "there are two tables, one at each end."),
        ([6.98, 131_072], "the tables of words are missing."),
        ([8.84, 131_072], "32 heads share 8 sets, so the matrices of keys and values are narrower."),
        ([8.03, 65_536], "a piece leaves a key and a value."),
        ([8.03, 524_288], "what is kept are the 8 sets, not 32.")], labels=["billions", "bytes"]),
    "cache": Value([1 / 4], within=0.001, mistakes=[
        ([4], "this is how much smaller it gets. Which part of it is left?"),
        ([3 / 4], "this is what is saved.")], labels=["share"]),
}

GUESSES = {
    "most": Guess(["in the attention", "in the MLPs", "in the table of words"], right=1),
}
