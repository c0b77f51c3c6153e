"""A small Transformer that writes stories, beside ones with even weights, one layer, one head, or no MLP."""

from bookkit.lessons.storyteller import StoryTask, Storyteller
from bookkit.studies.runs import rounded, trained

SEEDS = range(8100, 8105)
TRIAL = 8000     # the seed of the stories, and of the training with each rate
RATES = (5e-3, 1e-2, 2e-2)
TELLERS = {     # what the table calls it, with the options of the model and how many seeds it gets
    "full": ({}, 5), "uniform attention": ({"attention": "uniform"}, 3), "one layer": ({"num_layers": 1}, 3),
    "one head": ({"num_heads": 1}, 3), "no MLP": ({"mlp": False}, 3),
}


def train(lessons, stage, name, seed, lr):
    """One model trained to write stories, and what is to be written down of it."""
    model, run = trained(lessons.train, seed, lr=lr, **TELLERS[name][0])
    return model, {"stage": stage, "model": name, "seed": seed, "lr": lr, **run,
                   "loss": round(lessons.loss(model), 4), "right": rounded(lessons.evaluate(model))}


def trial(*job):
    """One rate judged by stories that nothing else is asked."""
    return train(StoryTask(seed=TRIAL), "tuning", *job)[1]


def final(*job):
    """One model examined on stories that are not those of the chapter: what it says next, and what it writes."""
    lessons = StoryTask(seed=SEEDS[0])
    model, run = train(lessons, "final", *job)
    for temperature in (1, 0.7):
        share, mistakes = lessons.evaluate_writing(model, temperature=temperature)
        run[f"consistent at {temperature}"], run[f"mistakes at {temperature}"] = share, mistakes
    if run["model"] == "full":
        run["right in eight bits"] = round(lessons.evaluate(Storyteller.unpacked(model.packed()))["all"], 4)
    return run


def trials(_):
    """The full model with each rate."""
    return [(trial, "full", TRIAL, lr) for lr in RATES]


def finals(tried):
    """Each model with the rate of the trial with the smallest loss."""
    lr = min(tried, key=lambda run: run["loss"])["lr"]
    return [(final, name, seed, lr) for name, (_, seeds) in TELLERS.items() for seed in SEEDS[:seeds]]


STAGES = [trials, finals]
