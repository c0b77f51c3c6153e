"""From English to French: translators of every kind, each trained from the same seeds."""

import numpy as np
import torch

from bookkit.lessons import translation as translators
from bookkit.lessons.corpora import english_french

SEEDS = range(4000, 4010)
TRANSLATORS = {     # what the table calls it: the class and its options
    "additive": ("Translator", {}),
    "scaled dot": ("Translator", {"score": "scaled_dot"}),
    "dot": ("Translator", {"score": "dot"}),
    "general": ("Translator", {"score": "general"}),
    "general, scaled": ("Translator", {"score": "general", "scale": 54**-0.5}),
    "distance": ("Translator", {"score": "distance"}),
    "distance, scaled": ("Translator", {"score": "distance", "scale": 54**-0.5}),
    "cosine": ("Translator", {"score": "cosine"}),
    "cosine times 10": ("Translator", {"score": "cosine", "scale": 10.0}),
    "dot, longer": ("Translator", {"score": "dot", "steps": 1800}),
    "general, longer": ("Translator", {"score": "general", "steps": 1800}),
    "cosine, longer": ("Translator", {"score": "cosine", "steps": 1800}),
    "states only": ("StatesOnlyTranslator", {}),
    "Bahdanau": ("BahdanauTranslator", {}),
    "one direction": ("ForwardTranslator", {}),
    "state alone": ("StateBasedTranslator", {}),
}


def translator(name, seed):
    """One model trained and examined."""
    torch.set_num_threads(1)
    lessons = translators.TranslationTask(*english_french())
    model_class, options = TRANSLATORS[name]
    early = {}

    def watch(step, model):
        if step == 25:
            early.update(sharpness(lessons, model))

    model = lessons.train(seed, getattr(translators, model_class), callback=watch, **options)
    result, first = lessons.evaluate(model), lessons.held_out[0]
    [weights] = lessons.weights(model, [first])
    lengths = {}
    for pair in lessons.held_out:
        lengths.setdefault(len(pair.english), []).append(pair)
    return {"model": name, "seed": seed, "exact": round(result.exact, 4),
            "aer": round(result.aer, 4), "strict": round(result.strict, 4),
            "says": " ".join(lessons.translate(model, first.english)[0]),
            "matrix": [[round(float(w), 3) for w in row] for row in weights],
            "by length": {n: round(lessons.evaluate(model, pairs).exact, 3) for n, pairs in sorted(lengths.items())},
            "de": unseen_cause(lessons, model), "after 25 steps": early, "in the end": sharpness(lessons, model)}


def sharpness(lessons, model):
    """The mean largest weight of a French word, in a hundred sentences, and the alignment error rate there."""
    pairs = lessons.held_out[:100]
    weights = lessons.weights(model, pairs)
    largest = np.mean([row.max().item() for rows in weights for row in rows])
    wrong = translators.alignment_error_rate(weights, [pair.alignment for pair in pairs])
    return {"largest weight": round(float(largest), 4), "aer": round(wrong, 4)}


@torch.no_grad()
def unseen_cause(lessons, model):
    """In held-out sentences "un" and "une" become "de" after a negation: is it said, and does the model look there?"""
    pairs = [pair for pair in lessons.held_out if {"de", "d'"} & set(pair.french)]
    source, target = lessons.encode(pairs)
    scores, weights = model(source, target[:, :-1], source > 0)
    right, looks = [], []
    for i, (english, french, _) in enumerate(pairs):
        place = next(t for t, word in enumerate(french) if word in ("de", "d'"))
        right.append(bool(scores[i, place].argmax() == target[i, place + 1]))
        cause = [j for j, word in enumerate(english) if word in ("do", "does", "not", "never")]
        looks.append(weights[i, place, cause].sum().item())
    return {"number": len(pairs), "right": round(float(np.mean(right)), 4), "weight": round(float(np.mean(looks)), 4)}


def finals(_):
    """Every kind of translator with every seed."""
    return [(translator, name, seed) for name in TRANSLATORS for seed in SEEDS]


STAGES = [finals]
