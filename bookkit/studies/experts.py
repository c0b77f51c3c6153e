"""The story model with a mixture of experts in the place of each MLP: its loss, and which expert reads which word."""

from collections import Counter

import torch

from bookkit.lessons import storyteller
from bookkit.lessons.put_in import Experts, experts
from bookkit.lessons.storyteller import StoryTask
from bookkit.lessons.training import encode
from bookkit.studies.runs import trained

SEEDS, STEPS = (9200, 9201, 9202), 2000
WAYS = {"one MLP": None, "four experts": experts}


def told(way, seed):
    """One training: its loss on stories that it has not seen, and for each block and expert its words, with counts."""
    task = StoryTask()
    model, run = trained(task.train, seed, steps=STEPS, change=WAYS[way])
    run = {"way": way, "seed": seed, **run, "loss": round(task.loss(model), 3)}
    if WAYS[way] is None:
        return run
    counts = [[Counter() for _ in range(Experts.COUNT)] for _ in model.blocks]
    with torch.no_grad():
        for story in task.held_out[:300]:
            words = [storyteller.START, *story]
            x = model.embedding(encode([words], task.vocabulary))
            for block, counted in zip(model.blocks, counts):
                found = block(x)
                best = block.mlp[2].router(found["norm2"]).argmax(dim=-1)[0]
                for word, expert in zip(words, best.tolist()):
                    counted[expert][word] += 1
                x = found["after_mlp"]
    return run | {"words": [[expert.most_common() for expert in block] for block in counts]}


STAGES = [lambda _: [(told, way, seed) for way in WAYS for seed in SEEDS]]
