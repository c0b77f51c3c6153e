"""The Transformer of 2017 in small, trained to translate from several random starts."""

from bookkit.lessons.corpora import english_french
from bookkit.lessons.encoder_decoder import EncoderDecoder
from bookkit.lessons.translation import TranslationTask
from bookkit.studies.runs import trained

SEEDS = range(8300, 8305)
STEPS = 800


def encoder_decoder(seed):
    """How many held-out sentences are right, and how often the last block looks at a wrong word."""
    lessons = TranslationTask(*english_french())
    model, run = trained(lessons.train, seed, EncoderDecoder, steps=STEPS, dropout=0.0)
    found = lessons.evaluate(model)
    return {"seed": seed, **run, "exact": found.exact, "aer": round(found.aer, 4)}


STAGES = [lambda _: [(encoder_decoder, seed) for seed in SEEDS]]
