"""Names of newer models, put into the story model and trained: does its loss move by more than from seed to seed?"""

from bookkit.lessons.put_in import CHANGES
from bookkit.lessons.storyteller import StoryTask
from bookkit.studies.runs import trained

SEEDS, STEPS = (8500, 8501, 8502), 1000


def put_in(name, seed):
    """One model with one change after a quarter of the steps of the chapter, and what it gets right."""
    task = StoryTask()
    model, run = trained(task.train, seed, steps=STEPS, change=CHANGES[name])
    return {"name": name, "seed": seed, **run, "loss": round(task.loss(model), 4),
            "right": round(task.evaluate(model)["all"], 4)}


STAGES = [lambda _: [(put_in, name, seed) for seed in SEEDS for name in CHANGES]]
