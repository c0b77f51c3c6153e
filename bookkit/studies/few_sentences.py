"""A few sentences for each of ten kinds: counted words, vectors, tuning, beginning anew; and what is forgotten."""

import numpy as np
import torch

from bookkit.lessons import minilm
from bookkit.lessons.few_sentences import REQUESTS, SentenceModel, bags, draw, right, taught, tune
from bookkit.lessons.passages import passages
from bookkit.lessons.sentences import TRIPLES

KINDS = tuple(REQUESTS)
EXAMPLES = (1, 2, 4, 8, 32)
SEEDS = range(8600, 8610)
STEPS = {1: 30, 2: 30, 4: 40, 8: 60, 32: 120}          # of tuning; the same for what is tuned and what begins anew
TUNED = {"last layer": {"part": "last", "rate": 1e-3}, "all": {"rate": 1e-4}}
TRIED, TRIALS = (1e-4, 3e-4, 1e-3, 3e-3), (8690, 8691)      # rates of the last layer alone, and draws to try them on
PAGES = (1, 2, 4, 8)


@torch.no_grad()
def looked(model, texts):
    """The vectors of some texts, an array."""
    return model.vectors(texts).double().numpy()


def share(matrix, vectors, kinds):
    """The share of right answers."""
    return round(float(((vectors @ matrix).argmax(axis=1) == kinds).mean()), 4)


def without_tuning(seed):
    """A bag of words and the vectors of the model, under one matrix, with each number of examples."""
    model = SentenceModel(minilm.loaded(), len(KINDS))
    found = []
    for examples in EXAMPLES:
        (texts, kinds), (others, answers) = draw(KINDS, examples, [seed, examples])
        known, new = looked(model, texts), looked(model, others)
        words, asked = bags(texts, texts), bags(others, texts)
        for learner, pair in (("bag of words", (words, asked)), ("vectors", (known, new))):
            found.append({"learner": learner, "examples": examples, "seed": seed,
                          "right": share(taught(pair[0], kinds, len(KINDS)), pair[1], answers)})
    return {"kind": "untuned", "seed": seed, "found": found}


def tuned(seed, examples):
    """The last layer tuned, all of it, and a small model from nothing; how far other sentences have moved."""
    found, (learn, test) = [], draw(KINDS, examples, [seed, examples])
    others = [text for triple in TRIPLES for text in triple[:3]]
    for learner, options in {**TUNED, "anew": {"rate": 3e-3}}.items():
        torch.manual_seed(seed)
        model = SentenceModel(minilm.loaded(), len(KINDS), fresh=learner == "anew")
        before = looked(model, others)
        tune(model, *learn, steps=STEPS[examples], seed=seed, **options)
        after = looked(model, others)
        pairs = np.triu_indices(len(others), 1)
        old, new = ((vectors @ vectors.T)[pairs] for vectors in (before, after))
        found.append({"learner": learner, "examples": examples, "seed": seed, "right": round(right(model, *test), 4),
                      "learns": sum(p.numel() for p in model.layers.layers[-1].parameters()) if "part" in options
                      else sum(p.numel() for name, p in model.named_parameters() if "kinds" not in name),
                      "same order": round(float(np.corrcoef(old, new)[0, 1]), 4),
                      "cosines before": round(float(old.mean()), 4), "after": round(float(new.mean()), 4)})
    return {"kind": "tuned", "seed": seed, "examples": examples, "found": found}


def trial(rate, seed):
    """The last layer tuned at a rate, with eight examples of each kind."""
    learn, test = draw(KINDS, 8, [seed, 8])
    torch.manual_seed(seed)
    model = SentenceModel(minilm.loaded(), len(KINDS))
    losses = tune(model, *learn, part="last", steps=STEPS[8], rate=rate, seed=seed)
    return {"kind": "trial", "rate": rate, "seed": seed, "right": round(right(model, *test), 4),
            "loss": round(float(np.mean(losses[-8:])), 4), "found": []}


def pages_of_the_book(seed):
    """Which chapter is a paragraph of this book from? A bag of words against vectors, where words give it away."""
    cut = {}
    for passage in passages("."):
        if passage.page.startswith("chapters/"):
            cut.setdefault(passage.page, []).append(passage.text)
    enough = [page for page, texts in cut.items() if len(texts) >= 12]
    rng, model, found = np.random.default_rng(seed), SentenceModel(minilm.loaded(), 2), []
    shuffled = {page: rng.permutation(cut[page]).tolist() for page in enough}
    vectors = {page: looked(model, texts) for page, texts in shuffled.items()}
    for examples in PAGES:
        kinds = np.repeat(range(len(enough)), examples)
        test = [text for page in enough for text in shuffled[page][8:]]
        answers = np.concatenate([[k] * (len(shuffled[page]) - 8) for k, page in enumerate(enough)])
        texts = [text for page in enough for text in shuffled[page][:examples]]
        pairs = {"bag of words": (bags(texts, texts), bags(test, texts)),
                 "vectors": (np.concatenate([vectors[page][:examples] for page in enough]),
                             np.concatenate([vectors[page][8:] for page in enough]))}
        found += [{"learner": learner, "examples": examples, "seed": seed, "pages": len(enough),
                   "paragraphs": len(test), "right": share(taught(known, kinds, len(enough), steps=400), new, answers)}
                  for learner, (known, new) in pairs.items()]
    return {"kind": "pages", "seed": seed, "found": found}


STAGES = [lambda _: [*((without_tuning, seed) for seed in SEEDS),
                     *((pages_of_the_book, seed) for seed in SEEDS[:5]),
                     *((tuned, seed, examples) for examples in EXAMPLES[1:]
                       for seed in SEEDS[:10 if examples < 8 else 5]),
                     *((trial, rate, seed) for rate in TRIED for seed in TRIALS)]]
