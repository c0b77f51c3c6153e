"""Reviews pooled by a mean, a maximum or attention, each tuned alike; and whether weights explain what is said."""

from bookkit.lessons.review_weights import by_what_settles, compare, examine, train_apart
from bookkit.lessons.reviews import POOLINGS, ReviewTask
from bookkit.studies.runs import best_setting, grouped, rounded, trained

SEEDS = range(9000, 9020, 2)     # of a training; the next number is that of its reviews
TRIALS = range(9100, 9106, 2)     # of every setting: a large rate may fail with some seeds only
SETTINGS = [(lr, std) for lr in (3e-3, 1e-2, 3e-2) for std in (0.03, 0.1)]
STRENGTHS = (0.1, 0.3, 1.0)     # how strongly weights are pushed apart
KINDS = {"both": (300, 1000, 3000), "decisive": (300, 1000), "majority": (300,), "not": (1000,)}


def train(stage, setting, kind, number, pooling, seed, steps, lr, std):
    """One model trained to tell good reviews from bad, and what is to be written down of it."""
    lessons = ReviewTask(number, kind, seed=seed + 1)
    model, run = trained(lessons.train, seed, pooling, steps=steps, lr=lr, std=std)
    about = {"stage": stage, "setting": setting, "kind": kind, "reviews": number, "model": pooling, "seed": seed,
             "steps": steps, "lr": lr, "std": std}
    return lessons, model, about | run


def trial(*job):
    """One setting judged by held-out reviews that nothing else is asked."""
    lessons, model, run = train("tuning", *job)
    return run | {"validation": round(lessons.evaluate(model), 4), "validation loss": round(lessons.loss(model), 5)}


def final(*job):
    """One model examined, beside simple rules; and what attention gives to decisive words."""
    lessons, model, run = train("final", *job)
    run |= {"accuracy": round(lessons.evaluate(model), 4), "rules": rounded(lessons.evaluate_rules()),
            "in training": round(lessons.evaluate(model, lessons.training), 4)}
    if run["model"] == "attention" and run["kind"] != "majority":
        run["on decisive"] = rounded(lessons.evaluate_on_decisive(model)._asdict())
    return run


def explained(*job):
    """Do its weights explain a model? They are changed, and it is compared with other models that say the same."""
    lessons, model, run = train("explained", *job)
    seed = run["seed"]
    others = {"another seed": lessons.train(seed + 1000),
              "another seed, longer": lessons.train(seed + 1000, steps=1800),
              "equal weights": lessons.train(seed, "mean")}
    others |= {f"apart, {strength}": train_apart(lessons, model, seed + 1000, strength=strength)
               for strength in STRENGTHS}

    def about(found):
        return {"accuracy": round(lessons.evaluate(found), 4),
                "on decisive": rounded(lessons.evaluate_on_decisive(found)._asdict())}

    changed = {name: {what: rounded(value._asdict()) for what, value in examine(model, reviews).items()}
               for name, reviews in by_what_settles(lessons.held_out).items()}
    return run | about(model) | {"changed": changed, "others": {
        name: about(other) | rounded(compare(model, other, lessons.held_out)._asdict())
        | {"in training": rounded(compare(model, other, lessons.training)._asdict())}
        for name, other in others.items()}}


def trials(_):
    """The same rates and first word vectors for every pooling and kind of reviews, three seeds each."""
    return [(trial, "tuned", kind, numbers[0], pooling, seed, 600, lr, std)
            for kind, numbers in KINDS.items() for pooling in POOLINGS
            for lr, std in SETTINGS for seed in TRIALS]


def finals(tried):
    """Each pooling with its best setting for that kind, also for five times as long, and as the chapter trains it."""
    jobs, contests = [], grouped(tried, "kind", "model")
    for kind, numbers in KINDS.items():
        for number in numbers:
            for pooling in POOLINGS:
                best = best_setting(contests[kind, pooling], "lr", "std")
                settings = [("tuned", 600, *best)]
                if (kind, number) == ("both", 300):
                    settings += [("tuned, longer", 3000, *best), ("the chapter's", 600, 1e-2, 0.03)]
                jobs += [(final, setting, kind, number, pooling, seed, *options)
                         for setting, *options in settings for seed in SEEDS]
    return jobs


def explanations(_):
    """The chapter's model."""
    return [(explained, "the chapter's", "both", 300, "attention", seed, 600, 1e-2, 0.03) for seed in SEEDS]


STAGES = [trials, finals, explanations]
