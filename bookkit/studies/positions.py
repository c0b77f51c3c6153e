"""Questions about the order of words: every scheme of positions, each tuned with the same number of trials."""

import torch

from bookkit.lessons.word_order import SCHEMES, SETTINGS, OrderTask
from bookkit.studies.runs import best_trial, grouped, trained

SEEDS = range(7000, 7010)
TRIALS = range(7100, 7106)     # one seed for each trial
RATES = (3e-3, 1e-2, 3e-2)
TRIED = {     # two of each; schemes that leave nothing open try each rate twice
    "sinusoidal": (1.0, 0.3), "learned": (1.0, 0.3), "relative bias": (0.0, 0.3), "ALiBi": (1.0, 0.25),
    "rotary": (10_000.0, 100.0),
}


def train(lessons, stage, setting, question, scheme, seed, steps, lr, own):
    """One model trained to answer a question about order, and what is to be written down of it."""
    model, run = trained(lessons.train, seed, scheme, question=question, steps=steps, lr=lr, setting=own)
    return model, {"stage": stage, "setting": setting, "question": question, "scheme": scheme, "seed": seed,
                   "steps": steps, "lr": lr, "of the scheme": own, **run}


def trial(*job):
    """One setting judged by sentences of twelve words, the longest in training, that nothing else is asked."""
    lessons = OrderTask(seed=TRIALS[0])
    model, run = train(lessons, "tuning", *job)
    with torch.no_grad():
        loss = lessons.loss(model, lessons.held_out(model.question)).item()
    return run | {"validation": round(lessons.evaluate(model), 4), "validation loss": round(loss, 5)}


def final(*job):
    """One model examined at lengths in training and beyond, on sentences that are not those of the chapter."""
    lessons = OrderTask(seed=SEEDS[0])
    model, run = train(lessons, "final", *job)
    lengths = (5, 12) if model.question.startswith("place") else (12, 24, 48)
    run["accuracy"] = {n: round(lessons.evaluate(model, n), 4) for n in lengths}
    if model.question != "place without a start":
        run["weight"] = {n: round(lessons.evaluate_weights(model, n), 4) for n in lengths}
    return run


def trials(_):
    """The same rates for every scheme, each with two settings of what the scheme leaves open."""
    return [(trial, "tuned", question, scheme, TRIALS[2 * i + j], 600, lr, own)
            for question in ("previous", "third", "last drink") for scheme in SCHEMES
            for i, lr in enumerate(RATES) for j, own in enumerate(TRIED.get(scheme, (None, None)))]


def finals(tried):
    """Each scheme with its best trial's setting, and as the chapter trains it; and what a causal mask lets count."""
    jobs = []
    for (question, scheme), contest in grouped(tried, "question", "scheme").items():
        best = best_trial(contest)
        tuned = best["lr"], best["of the scheme"]
        for setting, lr, own in (("tuned", *tuned), ("the chapter's", 1e-2, SETTINGS[scheme])):
            jobs += [(final, setting, question, scheme, seed, 600, lr, own) for seed in SEEDS]
    jobs += [(final, "a flat slope", question, "ALiBi", seed, 600, 1e-2, 1 / 8)
             for question in ("previous", "last drink") for seed in SEEDS]
    jobs += [(final, "the chapter's", question, scheme, seed, 1000, 1e-2, None)
             for question in ("place", "place without a start") for scheme in SCHEMES[:2] for seed in SEEDS]
    return jobs


STAGES = [trials, finals]
