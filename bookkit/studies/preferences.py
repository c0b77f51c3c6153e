"""The story model made to prefer thanks, with five draws of fifty pairs: how often it thanks, and what breaks."""

import torch

from bookkit.lessons import storyteller
from bookkit.lessons.preferences import log_chances, pairs, prefer, preference_loss, says_thanks
from bookkit.lessons.stories import errors
from bookkit.lessons.storyteller import StoryTask, write
from bookkit.lessons.training import reproducible

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
    reproducible()
    task, looks = StoryTask(), []
    some = pairs(storyteller.trained(), task.training[seed - SEEDS[0]::7], 50)
    apart = pairs(storyteller.trained(), task.held_out, 100)

    def logs(model):
        with torch.no_grad():
            return torch.stack([log_chances(model, *pair) for pair in apart])

    for step in LOOKS:
        model = storyteller.trained()
        prefer(model, some, steps=step, seed=seed)
        gained = logs(model) - logs(storyteller.trained())
        better, worse = gained.mean(dim=0).tolist()
        looks.append({"step": step, "thanks": round(says_thanks(model, task.held_out), 4),
                      "better": round(better, 3), "worse": round(worse, 3),
                      "pair loss": round(preference_loss(gained).item(), 4),
                      "loss": round(task.loss(model), 4), **stories_of(model)})
    return {"seed": seed, "pairs": len(some), "held out": len(apart), "looks": looks}


STAGES = [lambda _: [(preferred, seed) for seed in SEEDS]]
