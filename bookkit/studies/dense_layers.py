"""Which drink a guest names: dense layers, attention pooling and a mean, on guests who name it in other places."""

import torch

from bookkit.lessons.dense_layers import DrinkTask
from bookkit.studies.runs import trained

SEEDS = range(6000, 6005)


def reader(kind, seed):
    """One model trained with drinks among the first six words, and asked about others there and among the last six."""
    lessons = DrinkTask()
    model, run = trained(lessons.train, seed, kind)
    with torch.no_grad():
        sure = model(lessons.encode(lessons.late)[0]).softmax(1).max(1).values.mean().item()
    return {"model": kind, "seed": seed, **run, "early": round(lessons.evaluate(model, lessons.early), 4),
            "late": round(lessons.evaluate(model, lessons.late), 4), "sure of late": round(sure, 4)}


def finals(_):
    """Every kind with every seed."""
    return [(reader, kind, seed) for kind in DrinkTask.MODELS for seed in SEEDS]


STAGES = [finals]
