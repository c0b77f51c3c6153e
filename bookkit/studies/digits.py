"""Handwritten digits by vision Transformers: named, and the twin of one found; without places, without attention."""

from torch import nn

from bookkit.lessons.digits import MIDDLE, DigitReader, Pictures, digits, right, train, twins
from bookkit.studies.runs import grouped, trained

SEEDS = range(9600, 9605)
TRIALS = range(9700, 9703)     # one for each rate
RATES = {"name": (1e-3, 3e-3, 1e-2), "twin": (2e-3, 3e-3)}
TILES = {"size": 8, "count": 9, "answers": 9, "read": MIDDLE, "num_heads": 1}
MODELS = {     # by task, what the table calls it, with its options
    "name": {"attention": {}, "no places": {"places": False}, "each by itself": {"kind": "each by itself"},
             "dense layers": {"size": 8, "count": 1, "kind": "each by itself"}},
    "twin": {"attention": TILES, "no places": {**TILES, "places": False},
             "each by itself": {**TILES, "kind": "each by itself"}},
}
STEPS = {"name": 400, "twin": 1500}
GAMES = 20_000                 # pictures with a twin to learn from


def examples(task, part):
    """Pictures to train with or to test, those of the trials cut from what is there to learn from."""
    if task == "twin":
        return twins(*{"learn": (GAMES, "learn"), "try": (1000, "learn"), "test": (1000, "test")}[part],
                     seed=[1, {"learn": 0, "try": 1, "test": 2}[part]])
    if part == "test":
        return digits("test")
    cut = slice(100) if part == "try" else slice(100, None) if part == "most" else slice(None)
    return Pictures(*(kind[cut] for kind in digits("learn")))


def trial(task, name, seed, steps, lr):
    """One rate judged by pictures that it was not trained with."""
    model, run = trained(train, seed, examples(task, "most" if task == "name" else "learn"), steps=steps, lr=lr,
                         **MODELS[task][name])
    held = examples(task, "try")
    loss = nn.functional.cross_entropy(model(held.pixels)[0], held.labels).item()
    return {"stage": "tuning", "task": task, "model": name, "seed": seed, "steps": steps, "lr": lr, **run,
            "validation": round(right(model, held), 4), "validation loss": round(loss, 5)}


def final(task, name, seed, steps, lr):
    """One model examined with the pictures of the test."""
    learn = examples(task, "learn")
    model, run = trained(train, seed, learn, steps=steps, lr=lr, **MODELS[task][name])
    return {"stage": "final", "task": task, "model": name, "seed": seed, "steps": steps, "lr": lr, **run,
            "accuracy": round(right(model, examples(task, "test")), 4),
            "in training": round(right(model, Pictures(*(kind[:1000] for kind in learn))), 4)}


def trials(_):
    """The same rates for every model of a task."""
    return [(trial, task, name, seed, STEPS[task], lr) for task, models in MODELS.items() for name in models
            for seed, lr in zip(TRIALS, RATES[task])]


def finals(tried):
    """Each model with the rate of its best trial, the one with the smallest loss."""
    found = grouped(tried, "task", "model")
    return [(final, task, name, seed, STEPS[task], min(found[task, name], key=lambda run: run["validation loss"])["lr"])
            for task, models in MODELS.items() for name in models for seed in SEEDS]


STAGES = [trials, finals]
