"""The story model rewarded three times for stories without a mistake: what it gains, and how it makes it easy."""

from statistics import mean

from bookkit.lessons import storyteller
from bookkit.lessons.preferences import reward
from bookkit.lessons.stories import errors
from bookkit.lessons.storyteller import StoryTask, write
from bookkit.lessons.training import reproducible

SEEDS = (0, 3000, 6000)              # of the first story in training; those that are looked at begin at 9,000
LOOKS = (0, 10, 20, 40, 80)
WRITTEN = 100


def checked(seed):
    """One training, looked at on its way."""
    reproducible()
    task, looks = StoryTask(), []
    for step in LOOKS:
        model = storyteller.trained()
        reward(model, steps=step, seed=seed)
        told = write(model, seed=range(9000, 9000 + WRITTEN))
        looks.append({"step": step, "without mistakes": mean(not errors(story) for story in told),
                      "words": round(mean(map(len, told)), 1), "gifts": mean(story.count("gave") for story in told),
                      "loss": round(task.loss(model), 4), "story": " ".join(write(model, seed=3))})
    return {"seed": seed, "looks": looks}


STAGES = [lambda _: [(checked, seed) for seed in SEEDS]]
