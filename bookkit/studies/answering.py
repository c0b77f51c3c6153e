"""The trained story model taught to answer by a hundred examples, five times: is it right, and what does it invent?"""

from bookkit.lessons import storyteller
from bookkit.lessons.answering import beginnings_with_coins, dialogues, shares, tune
from bookkit.lessons.storyteller import StoryTask

SEEDS = (8400, 8401, 8402, 8403, 8404)


def taught(seed):
    """One tuning, beside the model before it: shares, and the loss of going on with stories."""
    task = StoryTask()
    cases = dialogues(task.held_out, 200, seed=1)
    without = beginnings_with_coins(task.held_out, 100)
    model = storyteller.trained()
    before = shares(model, cases, without) | {"loss": round(task.loss(model), 3)}
    tune(task, model, dialogues(task.training[seed - SEEDS[0]::150], 100, seed=seed), seed=seed)
    after = shares(model, cases, without) | {"loss": round(task.loss(model), 3)}
    return {"seed": seed, "cases": len(cases), "without": len(without), "before": before, "after": after}


STAGES = [lambda _: [(taught, seed) for seed in SEEDS]]
