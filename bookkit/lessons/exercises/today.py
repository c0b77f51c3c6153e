"""Exercises of the chapter `today`."""

from bookkit.lessons.exercises.grading import Guess, Value

EXERCISES = {
    "count": Value([70.55, 327_680], within=0.06, mistakes=[
        ([69.50, 327_680], "there are two tables, one at each end."),
        ([68.45, 327_680], "the tables of words are missing."),
        ([79.95, 327_680], "64 heads share 8 sets, so the matrices of keys and values are narrower."),
        ([70.55, 163_840], "a piece leaves a key and a value."),
        ([70.55, 2_621_440], "what is kept are the 8 sets, not 64.")], labels=["billions", "bytes"]),
    "cache": Value([1 / 4], within=0.001, mistakes=[
        ([4], "this is how much smaller it gets. Which part of it is left?"),
        ([3 / 4], "this is what is saved.")], labels=["share"]),
}

GUESSES = {
    "most": Guess(["in the attention", "in the MLPs", "in the table of words"], right=1),
}
