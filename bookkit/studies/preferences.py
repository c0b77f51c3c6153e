"""The story model made to prefer thanks, with five draws of fifty pairs: how often it thanks, and what breaks."""

import torch

from bookkit.lessons import preferences, storyteller
from bookkit.lessons.preferences import pairs, prefer, says_thanks
from bookkit.lessons.stories import errors
from bookkit.lessons.storyteller import StoryTask, write

SEEDS = (8700, 8701, 8702, 8703, 8704)
LOOKS = (0, 30, 60, 120, 240)
WRITTEN = 100                        # stories, at temperature 0.7


def stories_of(model):
    """What a model writes: the share of stories without a mistake, and of those with wrong thanks."""
    found = [{kind for kind, _ in errors(words)} for words in write(model, temperature=0.7, seed=range(WRITTEN))]
    return {"without mistakes": sum(not kinds for kinds in found) / WRITTEN,
            "thanked for nothing": sum("thanked" in kinds for kinds in found) / WRITTEN}


def preferred(seed):
    """One tuning, looked at on its way; the pairs are of other stories for each seed."""
    task, looks = StoryTask(), []
    model = storyteller.trained()
    some = pairs(model, task.training[seed - SEEDS[0]::7], 50)
    apart = pairs(model, task.held_out, 100)
    with torch.no_grad():
        before = preferences.both(task, model, apart)

    def look(step):
        if step in LOOKS:
            with torch.no_grad():
                now = preferences.both(task, model, apart)
            better, worse = (now - before).mean(dim=0).tolist()
            looks.append({"step": step, "thanks": round(says_thanks(task, model, task.held_out), 4),
                          "better": round(better, 3), "worse": round(worse, 3),
                          "pair loss": round(preferences.preference_loss(now, before).item(), 4),
                          "loss": round(task.loss(model), 4), **stories_of(model)})

    prefer(task, model, some, steps=LOOKS[-1], seed=seed, callback=look)
    return {"seed": seed, "pairs": len(some), "held out": len(apart), "looks": looks}


STAGES = [lambda _: [(preferred, seed) for seed in SEEDS]]
