"""The Transformer of 2017 in small, trained to translate from several random starts."""

from attnkit.lessons.corpora import english_french
from attnkit.lessons.encoder_decoder import EncoderDecoder
from attnkit.lessons.studies.runs import trained
from attnkit.lessons.translation import TranslationTask

SEEDS = range(8300, 8305)
STEPS = 800


def encoder_decoder(seed):
    """How many held-out sentences are right, and how often the last block looks at a wrong word."""
    lessons = TranslationTask(*english_french())
    model, run = trained(lessons.train, seed, EncoderDecoder, steps=STEPS, dropout=0.0)
    found = lessons.evaluate(model)
    return {"seed": seed, **run, "exact": found.exact, "aer": round(found.aer, 4)}


STAGES = [lambda _: [(encoder_decoder, seed) for seed in SEEDS]]
