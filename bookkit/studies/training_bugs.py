"""The story model with each of sixteen bugs in turn: does its curve show that something is wrong, or which check?"""

from bookkit.lessons.training_bugs import NAMES, PlantedRun

SEEDS = (8300, 8301, 8302)


def examine(bug, seed):
    """One training and all checks, in numbers."""
    run = PlantedRun(bug, seed).train()
    return {"bug": bug, "seed": seed} | run.examined()


STAGES = [lambda _: [(examine, bug, seed) for seed in SEEDS for bug in NAMES]]
