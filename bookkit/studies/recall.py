"""Who ordered what: attention and its rivals, each tuned with the same number of trials."""

import inspect

import numpy as np
import torch

from bookkit.lessons.recall import RecallTask, recall_tables
from bookkit.studies.runs import best_trial, grouped, trained

SEEDS = range(6000, 6010)
LONG = SEEDS[:3]      # a minute each
VALIDATION = [6100, 6]     # a list: no training, whose seed is one number, draws the same
TRIALS = {800: range(6100, 6112), 4000: range(6200, 6206)}    # by the number of steps: one seed for each trial
SIZES = {     # what is tuned beside the learning rate; a network of items runs once for each, so its are smaller
    "width": dict.fromkeys(RecallTask.MODELS, (8, 16, 32)),
    "key_width": dict.fromkeys(("attention", "without softmax"), (4, 8, 16)),
    "hidden": dict.fromkeys(("mean", "concatenation"), (64, 128, 256))
    | dict.fromkeys(("per-item network", "relation network"), (32, 64, 128)),
}
SMALL = dict.fromkeys(("per-item network", "relation network"), {"width": 8, "hidden": 16})    # 800 parameters


def train(lessons, stage, setting, name, seed, steps, lr, sizes):
    """One model trained to say who ordered what, and what is to be written down of it."""
    model, run = trained(lessons.train, seed, name, steps=steps, lr=lr, **sizes)
    about = {"stage": stage, "setting": setting, "model": name, "seed": seed, "steps": steps, "lr": lr, **sizes}
    return model, about | run


def trial(*job):
    """One setting judged by tables of six guests that nothing else is asked."""
    lessons = RecallTask()
    model, run = train(lessons, "tuning", *job)
    *table, answers = tables = recall_tables(2000, seed=VALIDATION)
    with torch.no_grad():
        loss = torch.nn.functional.cross_entropy(model(*table), answers).item()
    return run | {"validation": round(lessons.evaluate(model, tables=tables), 4), "validation loss": round(loss, 5)}


def final(*job):
    """One model examined with 3, 6 and 12 guests, on tables that are not those of the chapter."""
    lessons = RecallTask(seed=SEEDS[0])
    model, run = train(lessons, "final", *job)
    # Laid end to end are as many as in training, no more and no fewer.
    takes = [lessons.TRAINED_WITH] if run["model"] == "concatenation" else list(lessons.held_out)
    run["accuracy"] = {n: round(lessons.evaluate(model, n), 4) if n in takes else None for n in lessons.held_out}
    if run["model"] == "attention":
        run["weight"] = {n: round(lessons.evaluate_weights(model, n), 4) for n in lessons.held_out}
    return run


def trials(_):
    """Settings at random: the same rates, and the same places in the lists of sizes, for every model."""
    jobs = []
    for steps, seeds in sorted(TRIALS.items(), reverse=True):
        rng = np.random.default_rng(seeds[0])
        for seed in seeds:
            lr = float(f"{10 ** rng.uniform(-3, np.log10(3e-2)):.2g}")
            width, inner = rng.integers(3, size=2)
            for name in RecallTask.MODELS:
                sizes = {size: lists[name][width if size == "width" else inner]
                         for size, lists in SIZES.items() if name in lists}
                jobs.append((trial, "tuned", name, seed, steps, lr, sizes))
            if steps == 800:
                jobs += [(trial, "tuned, small", name, seed, steps, lr, sizes) for name, sizes in SMALL.items()]
    return jobs


def finals(tried):
    """Each model with the setting of its best trial, each as the chapter trains it, and one rival for much longer."""
    jobs = [(final, "longer", "concatenation", seed, 20_000, 2e-3, {"width": 32, "hidden": 256}) for seed in LONG]
    for (setting, name, steps), contest in grouped(tried, "setting", "model", "steps").items():
        best = best_trial(contest)
        sizes = {size: best[size] for size in SIZES if size in best}
        jobs += [(final, setting, name, seed, steps, best["lr"], sizes) for seed in SEEDS]
    for name, model_class in RecallTask.MODELS.items():
        usual = inspect.signature(model_class).parameters
        sizes = {size: usual[size].default for size in SIZES if size in usual}
        jobs += [(final, "the chapter's", name, seed, 800, 1e-2, sizes) for seed in SEEDS]
    return jobs


STAGES = [trials, finals]
