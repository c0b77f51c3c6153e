"""Attention and one vector, trained to copy words at random."""

from bookkit.lessons import translation as translators
from bookkit.lessons.corpora import copies
from bookkit.studies.runs import trained

SEEDS = range(9000, 9005)
COPIERS = {"attention": "Translator", "one vector": "FixedVectorTranslator"}


def lesson(name, steps, seed):
    """One model trained to copy words at random: the task, held-out sentences by their length, the model, its run."""
    held_out = {n: copies(400, [n], seed=100 * seed + n) for n in (2, 4, 6, 8, 10, 12)}
    task = translators.TranslationTask(copies(8000, range(2, 13), seed=seed), sum(held_out.values(), []))
    return task, held_out, *trained(task.train, seed, getattr(translators, COPIERS[name]), steps=steps)


def copier(name, steps, seed):
    """One model examined with sentences of each length."""
    lessons, held_out, model, run = lesson(name, steps, seed)
    return {"model": name, "steps": steps, "seed": seed, **run,
            "by length": {n: round(lessons.evaluate(model, pairs).exact, 4) for n, pairs in held_out.items()}}


def finals(_):
    """Attention and one vector with the same training, and one vector with four times as much."""
    return ([(copier, name, 600, seed) for name in COPIERS for seed in SEEDS]
            + [(copier, "one vector", 2400, seed) for seed in SEEDS[:3]])


def aloud(name):
    """What the first model of a kind makes of the first held-out sentence of each length."""
    task, held_out, model, _ = lesson(name, 600, SEEDS[0])
    return {"copies aloud": name,
            "said": [[pairs[0].english, task.translate(model, pairs[0].english)[0]] for pairs in held_out.values()]}


def said(_):
    """A model with attention and one with one vector, a sentence of each length."""
    return [(aloud, name) for name in COPIERS]


STAGES = [finals, said]
