"""A town where all ask the right friend: kinds of attention on a graph, each tuned alike."""

import numpy as np

from bookkit.lessons.graphs import GraphModel, TownTask
from bookkit.studies.runs import grouped, trained

SEEDS = range(9500, 9510)
TRIALS = range(9600, 9602)     # of every rate
RATES = (3e-3, 1e-2, 3e-2)


def town(stage, wants, kind, seed, lr):
    """One model trained to ask the right friend."""
    lessons = TownTask(wants, seed=seed)
    model, run = trained(lessons.train, seed, kind, lr=lr)
    return {"task": "town", "stage": stage, "wants": wants, "model": kind, "seed": seed, "lr": lr, **run,
            "accuracy": round(lessons.evaluate(model), 4)}


def trials(_):
    """The same rates for every kind and question, two seeds each."""
    return [(town, "tuning", wants, kind, seed, lr) for wants in ("the same", "their own")
            for kind in GraphModel.KINDS for lr in RATES for seed in TRIALS]


def finals(tried):
    """Each kind with the rate whose trials were right most often; of several, the smallest."""
    jobs = []
    for (wants, kind), contest in grouped(tried, "wants", "model").items():
        rates = grouped(contest, "lr")
        [lr] = max(rates, key=lambda rate: np.mean([run["accuracy"] for run in rates[rate]]))
        jobs += [(town, "final", wants, kind, seed, lr) for seed in SEEDS]
    return jobs


STAGES = [trials, finals]
