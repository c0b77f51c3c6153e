"""The model that writes stories at five widths, trained with five amounts of stories: what size and data buy."""

from bookkit.lessons.storyteller import StoryTask
from bookkit.studies.runs import trained

WIDTHS = (8, 16, 24, 32, 48)
STORIES = (100, 400, 1600, 6400, 20_000)
SEED = 8200


def sizes(width, num_stories):
    """One model and its loss, on held-out stories and on some that it has seen; settings are those of the chapter."""
    lessons = StoryTask()
    some = StoryTask(num_stories, num_held_out=1)
    model, run = trained(some.train, SEED, width=width, hidden=2 * width)
    return {"width": width, "stories": num_stories, "seed": SEED, **run, "loss": round(lessons.loss(model), 4),
            "loss on seen": round(lessons.loss(model, some.training[:1000]), 4),
            "right": round(lessons.evaluate(model)["all"], 4)}


STAGES = [lambda _: [(sizes, width, number) for number in STORIES for width in WIDTHS]]
