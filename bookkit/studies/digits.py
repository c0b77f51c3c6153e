"""Handwritten digits by vision Transformers: named, and found when asked for; without places, without attention."""

import torch
from torch import nn

from bookkit.lessons.digits import digits, questions, right, train
from bookkit.studies.runs import grouped, trained

SEEDS = range(9600, 9603)
TRIALS = range(9700, 9703)     # one for each rate
RATES = (1e-3, 3e-3, 1e-2)
ASKED = {"size": 8, "count": 9, "answers": 9, "words": 10}
MODELS = {     # by task, what the table calls it, with its options
    "name": {"attention": {}, "no places": {"places": False}, "each by itself": {"kind": "each by itself"},
             "dense layers": {"size": 8, "count": 1, "kind": "each by itself"}},
    "find": {"attention": ASKED, "no places": {**ASKED, "places": False},
             "each by itself": {**ASKED, "kind": "each by itself"}},
}
STEPS = {"name": 400, "find": 800}


def examples(task, part):
    """Examples to learn from or to "test"; for trials those to "try" are cut from them."""
    if part == "test":
        return digits("test") if task == "name" else questions(1000, "test", seed=1)
    learn = digits("learn") if task == "name" else questions(5000)
    cut = {"try": slice(100), "most": slice(100, None), "learn": slice(None)}[part]
    return type(learn)(*(kind[cut] for kind in learn))


def trial(task, name, seed, steps, lr):
    """One rate judged by a hundred examples that it was not trained with."""
    model, run = trained(train, seed, examples(task, "most"), steps=steps, lr=lr, **MODELS[task][name])
    held = examples(task, "try")
    with torch.no_grad():
        loss = nn.functional.cross_entropy(model(*held[:-1])[0], held.labels).item()
    return {"stage": "tuning", "task": task, "model": name, "seed": seed, "steps": steps, "lr": lr, **run,
            "validation": round(right(model, held), 4), "validation loss": round(loss, 5)}


def final(task, name, seed, steps, lr):
    """One model examined with new examples, and with a thousand of those it has learned from."""
    learn = examples(task, "learn")
    model, run = trained(train, seed, learn, steps=steps, lr=lr, **MODELS[task][name])
    known = type(learn)(*(kind[:1000] for kind in learn))
    return {"stage": "final", "task": task, "model": name, "seed": seed, "steps": steps, "lr": lr, **run,
            "accuracy": round(right(model, examples(task, "test")), 4), "in training": round(right(model, known), 4)}


def trials(_):
    """The same three rates for every model."""
    return [(trial, task, name, seed, STEPS[task], lr) for task, models in MODELS.items() for name in models
            for seed, lr in zip(TRIALS, RATES)]


def finals(tried):
    """Each model with the rate of its best trial, the one with the smallest loss."""
    found = grouped(tried, "task", "model")
    return [(final, task, name, seed, STEPS[task], min(found[task, name], key=lambda run: run["validation loss"])["lr"])
            for task, models in MODELS.items() for name in models for seed in SEEDS]


STAGES = [trials, finals]
