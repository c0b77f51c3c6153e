"""The translator with longer sentences: a matrix of fourteen words by fourteen."""

from bookkit.lessons.corpora import longer_english_french
from bookkit.lessons.translation import TranslationTask
from bookkit.studies.runs import rounded

SEEDS = range(4000, 4003)


def translator(seed):
    """One model trained and examined, and where it looks in the first held-out sentence."""
    task = TranslationTask(*longer_english_french())
    model = task.train(seed, steps=800)
    result, first = task.evaluate(model), task.held_out[0]
    said, weights = task.translate(model, first.english)
    return {"seed": seed, **rounded(result._asdict()),
            "english": first.english, "says": said, "matrix": [[round(float(w), 3) for w in row] for row in weights]}


def finals(_):
    """The same model from three seeds."""
    return [(translator, seed) for seed in SEEDS]


STAGES = [finals]
