"""Who ordered what, at a full table: attention with softmax and without, by the width of a key."""

from bookkit.lessons.memory_capacity import FullTableTask
from bookkit.lessons.recall import recall_tables
from bookkit.studies.runs import best_setting, grouped, trained

SEEDS = range(6300, 6305)
TRIALS = range(6400, 6402)     # of every rate
VALIDATION = [6400, 12]
RATES, WIDTHS = (3e-3, 1e-2, 3e-2), (4, 8, 12, 16)     # the widths of a key


def full_table(stage, name, key_width, seed, lr):
    """One model trained with twelve guests to say who ordered what, examined with 3, 6 and 12 if it is a final one."""
    lessons = FullTableTask(seed=SEEDS[0])
    model, made = trained(lessons.train, seed, name, steps=2000, lr=lr, width=32, key_width=key_width)
    run = {"stage": stage, "model": name, "key_width": key_width, "seed": seed, "steps": 2000, "lr": lr, "width": 32}
    run |= made
    if stage == "final":
        return run | {"accuracy": {n: round(lessons.evaluate(model, n), 4) for n in lessons.held_out}}
    accuracy, loss = lessons.validate(model, recall_tables(2000, guests=12, seed=VALIDATION))
    return run | {"validation": round(accuracy, 4), "validation loss": round(loss, 5)}


def trials(_):
    """The same rates for every kind of attention and every width of its keys, two seeds each."""
    return [(full_table, "tuning", name, key_width, seed, lr)
            for name in FullTableTask.MODELS for key_width in WIDTHS for lr in RATES for seed in TRIALS]


def finals(tried):
    """Each kind and width with its best rate."""
    jobs, contests = [], grouped(tried, "model", "key_width")
    for name in FullTableTask.MODELS:
        for key_width in WIDTHS:
            [lr] = best_setting(contests[name, key_width], "lr")
            jobs += [(full_table, "final", name, key_width, seed, lr) for seed in SEEDS]
    return jobs


STAGES = [trials, finals]
