"""Attention and one vector, trained to copy words at random."""

from bookkit.lessons import translation as translators
from bookkit.lessons.corpora import copies
from bookkit.studies.runs import trained

SEEDS = range(9000, 9005)
COPIERS = {"attention": "Translator", "one vector": "FixedVectorTranslator"}


def copier(name, steps, seed):
    """One model trained to copy words at random, and examined with sentences of each length."""
    held_out = {n: copies(400, [n], seed=100 * seed + n) for n in (2, 4, 6, 8, 10, 12)}
    task = translators.TranslationTask(copies(8000, range(2, 13), seed=seed), sum(held_out.values(), []))
    model, run = trained(task.train, seed, getattr(translators, COPIERS[name]), steps=steps)
    return {"model": name, "steps": steps, "seed": seed, **run,
            "by length": {n: round(task.evaluate(model, pairs).exact, 4) for n, pairs in held_out.items()}}


def finals(_):
    """Attention and one vector with the same training, and one vector with four times as much."""
    return ([(copier, name, 600, seed) for name in COPIERS for seed in SEEDS]
            + [(copier, "one vector", 2400, seed) for seed in SEEDS[:3]])


STAGES = [finals]
