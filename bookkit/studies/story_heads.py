"""What each head of the model that writes stories is for, and whether it follows when a story is changed."""

import copy

import numpy as np
import torch

from bookkit.lessons.stories import PLACES, other_movers, other_receivers
from bookkit.lessons.storyteller import CHAPTER_SEED, StoryTask
from bookkit.studies.runs import rounded


def teller(seed):
    """A storyteller of the chapter's stories: what it loses with each head, whether it follows when a story changes."""
    lessons = StoryTask()
    model = lessons.train(seed)

    def without(layer, head):
        found = copy.deepcopy(model)
        with torch.no_grad():
            found.blocks[layer].w_output[head * 8:head * 8 + 8] = 0
        return rounded(lessons.evaluate(found))

    @torch.no_grad()
    def says(words):
        return lessons.vocabulary[model(lessons.encode([words])[:, :-1])[0][0, -1].argmax()]

    def follow(changes, gap):
        """Of stories that are changed so that another word is right: is it said, and was the old one said before?"""
        pairs = [(words, *pair) for words in things for pair in changes(words)]
        now = np.array([says(changed) == answer for _, changed, answer in pairs])
        before = np.array([says(words[:gap]) == words[gap] for words, *_ in pairs])
        return {"number": len(pairs), "before": share(before), "after": share(now), "both": share(now & before)}

    def share(found):
        return round(float(np.mean(found)), 4)

    things = [words for words in lessons.held_out if "coins" not in words]
    places = {}
    for words in things:
        named = [word for word in words[:-2] if word in PLACES]
        kind = ("only place" if len(set(named)) == 1 else f"{'' if words[-2] == named[0] else 'not '}where they met, "
                f"{'' if words[-2] == named[-1] else 'not '}last named")
        places.setdefault(kind, []).append(says(words[:-2]) == words[-2])
    return {"seed": seed, "right": rounded(lessons.evaluate(model)),
            "without": [[without(layer, head) for head in range(4)] for layer in range(2)],
            "another receiver": follow(other_receivers, -5), "another mover": follow(other_movers, -2),
            "places": {kind: {"number": len(found), "right": share(found)} for kind, found in places.items()}}


def finals(_):
    """The chapter's model and two neighbours."""
    return [(teller, seed) for seed in (CHAPTER_SEED - 1, CHAPTER_SEED, CHAPTER_SEED + 1)]


STAGES = [finals]
