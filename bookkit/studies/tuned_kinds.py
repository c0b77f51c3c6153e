"""The page's tuning with ten draws of what is learned from: customers' moods, and the six kinds with two examples each."""

import numpy as np
import torch

from bookkit.lessons import minilm
from bookkit.lessons.few_sentences import REQUESTS, SentenceModel, bags, opinions, right, taught, tune

SEEDS = range(9500, 9510)
KINDS = ("weather", "food", "travel", "health", "money", "repair")
EACH = {"moods": 64, "kinds": 2}           # so many examples of each mood, or kind
STEPS = 48
TUNED = {"last layer": "last", "low rank": "low rank"}


def given(task, seed):
    """A draw of sentences to learn from, and all those that are asked: two pairs of texts and the places of kinds."""
    if task == "moods":
        return opinions("learn", EACH[task], seed), opinions("test")
    each, rng = EACH[task], np.random.default_rng(seed)
    shuffled = [rng.permutation(REQUESTS[kind]).tolist() for kind in KINDS]
    places, rest = range(len(KINDS)), len(shuffled[0]) - each
    return ((sum((texts[:each] for texts in shuffled), []), np.repeat(places, each).tolist()),
            (sum((texts[each:] for texts in shuffled), []), np.repeat(places, rest).tolist()))


def learned(task, seed):
    """The share of right answers of counted words, a matrix on vectors, the last layer tuned, and low rank."""
    (texts, kinds), (others, answers) = given(task, seed)
    count, model = max(kinds) + 1, minilm.loaded()
    with torch.no_grad():
        known, new = (SentenceModel(model, count).vectors(some).double().numpy() for some in (texts, others))
    M = taught(known, kinds, count)

    def share(matrix, vectors):
        return round(float(((vectors @ matrix).argmax(axis=1) == answers).mean()), 4)

    found = {"bag of words": share(taught(bags(texts, texts), kinds, count), bags(others, texts)),
             "vectors": share(M, new)}
    for learner, part in TUNED.items():
        tuned = SentenceModel(model, count)
        tuned.begin_with(M)
        losses = tune(tuned, texts, kinds, part=part, first=3, rate=1e-3, top=1e-3, steps=STEPS, seed=seed)
        found |= {learner: round(right(tuned, others, answers), 4),
                  f"{learner}, loss": round(float(np.mean(losses[-8:])), 4)}
    return {"task": task, "seed": seed, "learned from": len(texts), "asked": len(others), "right": found}


STAGES = [lambda _: [(learned, task, seed) for task in EACH for seed in SEEDS]]
