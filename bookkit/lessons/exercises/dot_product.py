"""Exercises of the chapter `dot_product`."""

import numpy as np

from bookkit.lessons.exercises.grading import Function, Guess, Judged, Value
from bookkit.pictures.formats import plain

FILMS = np.array([[0.9, -0.6, -0.2], [-0.8, 0.9, 0.1], [0.1, 0.4, 0.9], [-0.9, -0.8, -0.3]])
VIEWERS = np.array([[0.8, -0.5, 0.3], [-0.2, 0.9, 0.4]])


def _shared_dislike(film):
    viewer = VIEWERS[0]
    if (np.abs(film) > 1).any():
        return "the numbers must lie between −1 and 1."
    if film[1] >= 0:
        return "Nora's dislike is romance; the film must have little of it, too (a negative number in second place)."
    if np.allclose(film, FILMS[3]):
        return "this is Quiet Harbour; make up another film."
    score = viewer @ film
    if score >= 0:
        return f"the shared dislike is there, but the total is {plain(score)}, not below zero."
    return None


EXERCISES = {
    "by_hand": Value(-0.26, [(0.34, "a sign is lost: −0.5 × 0.6 is negative."),
                             (-0.02, "a sign is lost: 0.3 × −0.4 is negative."),
                             (0.58, "two signs are lost: one minus in a product makes it negative."),
                             (1.0, "these are sums of tastes and features; multiply them pair by pair.")]),
    "rank": Function(
        lambda viewer, films: np.argsort(-(films @ viewer), kind="stable"), [(v, FILMS) for v in VIEWERS],
        [(lambda user, films: np.argsort(films @ user, kind="stable"), "this is the ranking from worst to best."),
         (lambda user, films: -np.sort(-(films @ user)), "these are sorted scores; the films' numbers are asked for."),
         (lambda user, films: films @ user, "these are the scores; the films' numbers, best first, are asked for."),
         (lambda user, films: np.argsort(-np.abs(films @ user), kind="stable"),
          "a film far below zero comes first here; without its sign, a score does not say what fits.")],
        code="""
def rank(viewer, films):
    scores = films @ viewer
    return ___
""",
        choices=[["np.argsort(scores)", "np.argsort(-np.abs(scores))", "-np.sort(-scores)", "np.argsort(-scores)"]]),
    "shared_dislike": Judged(_shared_dislike, (3,), labels=["action", "romance", "comedy"]),
}

GUESSES = {
    "harbour_first": Guess(["someone who dislikes everything", "someone who likes everything",
                            "nobody, because it has less of everything"], right=0),
}
