"""The story model taught to answer by additions of a low rank alone; in `answering` all its numbers learn."""

from bookkit.lessons import storyteller
from bookkit.lessons.answering import beginnings_with_coins, dialogues, shares, tune
from bookkit.lessons.put_in import learns, low_rank
from bookkit.lessons.storyteller import StoryTask

SEEDS, RANKS, LR = (8400, 8401, 8402), (1, 4), 1e-2      # seeds and examples are those of `answering`


def taught(rank, seed):
    """One tuning: how many numbers learn, shares, and the loss of going on with stories."""
    task = StoryTask()
    cases, without = dialogues(task.held_out, 200, seed=1), beginnings_with_coins(task.held_out, 100)
    model = low_rank(storyteller.trained(), rank, seed)
    tune(task, model, dialogues(task.training[seed - SEEDS[0]::150], 100, seed=seed), seed=seed, lr=LR)
    return {"rank": rank, "seed": seed, "learn": learns(model), **shares(model, cases, without),
            "loss": round(task.loss(model), 3)}


STAGES = [lambda _: [(taught, rank, seed) for seed in SEEDS for rank in RANKS]]
