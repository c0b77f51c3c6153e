"""Which word came first: recurrence, convolutions and attention, each tuned alike, and gradients before training."""

from bookkit.lessons.reach import LAYERS, FirstWordModel, FirstWordTask, gradient_reach
from bookkit.lessons.training import new_model
from bookkit.studies.runs import best_setting, grouped, trained

SEEDS = range(9300, 9310)      # of a training, the first five of them; all ten of layers that are not trained
TRIALS = range(9400, 9402)     # of every rate; lengths, steps and width were chosen with seed 0
RATES = (3e-3, 1e-2, 3e-2, 1e-1)
SENTENCE = "keys that hang beside the door of the old house".split()
LENGTHS = (5, 10, 20, 40, 80, 160)
SCALES = (1.0, 0.3, 0.1)     # of the items that layers are given before any training
RECURRENCES = [     # settings for recurrences alone: what a table calls it, lengths, steps, scale of word vectors
    ("tuned, longer", (20,), 1500, 1.0), ("tuned, small vectors", (20, 40), 300, 0.1),
]


def train(stage, setting, kind, length, seed, steps, scale, lr):
    """One model trained to say which name came first, and what is to be written down of it."""
    lessons = FirstWordTask(length, seed=seed)
    model, run = trained(lessons.train, seed, kind, steps=steps, scale=scale, lr=lr)
    return model, {"task": "first word", "stage": stage, "setting": setting, "model": kind, "length": length,
                   "seed": seed, "steps": steps, "scale": scale, "lr": lr, **run,
                   "accuracy": round(lessons.evaluate(model), 4), "loss": round(lessons.loss(model), 5)}


def trial(*job):
    """One setting judged by held-out words that nothing else is asked."""
    return train("tuning", *job)[1]


def final(*job):
    """One model; where the page's sentence is as long, how strongly its end depends on each word, before and after."""
    model, run = train("final", *job)
    if run["length"] != len(SENTENCE):
        return run
    fresh = new_model(run["seed"], FirstWordModel, run["model"], run["length"], scale=run["scale"])
    before = round(FirstWordTask(run["length"], seed=run["seed"]).evaluate(fresh), 4)
    return run | {"untrained accuracy": before, "untrained gradients": short(fresh.gradients(SENTENCE)),
                  "gradients": short(model.gradients(SENTENCE))}


def short(numbers):
    """With three digits each."""
    return [float(f"{number:.3g}") for number in numbers]


def untrained(kind, scale, seed):
    """How strongly the last of 64 outputs depends on each item before any training, the farthest first."""
    gradients = gradient_reach(new_model(seed, LAYERS[kind], 16, 64), 64, 16, seed=seed, scale=scale)
    return {"task": "gradients", "model": kind, "scale": scale, "seed": seed,
            "norms": short(gradients)}


def trials(_):
    """The same rates for every layer at every length, two seeds each; recurrences also in other settings."""
    contests = [("tuned", kind, length, 300, 1.0) for length in LENGTHS for kind in LAYERS]
    contests += [(setting, kind, length, steps, scale) for setting, lengths, steps, scale in RECURRENCES
                 for length in lengths for kind in LAYERS if kind.endswith("recurrence")]
    return [(trial, setting, kind, length, seed, steps, scale, lr)
            for setting, kind, length, steps, scale in contests for lr in RATES for seed in TRIALS]


def finals(tried):
    """Each layer with its best rate for that setting and length; and none trained at all."""
    jobs, contests = [], grouped(tried, "setting", "model", "length", "steps", "scale")
    for (setting, kind, length, steps, scale), contest in contests.items():
        [lr] = best_setting(contest, "lr", accuracy="accuracy", loss="loss")
        number = 3 if length == LENGTHS[-1] else 5
        jobs += [(final, setting, kind, length, seed, steps, scale, lr) for seed in SEEDS[:number]]
    return jobs + [(untrained, kind, scale, seed) for scale in SCALES for kind in LAYERS for seed in SEEDS]


STAGES = [trials, finals]
