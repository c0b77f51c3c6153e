"""Models with random numbers in them, of all kinds of sizes, as they come back from a page: for tests of what runs them."""

import functools

import numpy as np
import torch

from bookkit.lessons.storyteller import Storyteller
from bookkit.lessons.training import new_model
from bookkit.lessons.translation import Translator, WordTranslator

MARKS = ["<pad>", "<start>", "<end>"]
LEXICON = ("Zoe", "Max", "Rex", "met", "saw", "the", "tower", "kite", "he", "she", "him", "her", "thanked", "and", ".")


def shaken(module, seed, spread):
    """The module with every number drawn anew, the gains of norms and all biases, too."""
    rng = np.random.default_rng(seed)
    with torch.no_grad():
        for weight in module.parameters():
            weight.copy_(torch.from_numpy(spread * rng.normal(size=tuple(weight.shape))))
    return module.eval()


def random_storyteller(seed, *, words=("Zoe", "met", "Rex", "the", "."), width=8, num_heads=2, num_layers=2, hidden=12, reach=4, attention="softmax", spread=1.0):
    model = new_model(seed, Storyteller, [*MARKS, *words], width=width, num_heads=num_heads, num_layers=num_layers, hidden=hidden, reach=reach, attention=attention)
    return Storyteller.unpacked(shaken(model, seed, spread).packed())


def random_translator(seed, *, source_words, target_words, width=10, states=2, spread=0.6):
    model = new_model(seed, Translator, len(source_words) + 3, len(target_words) + 3, width, states=states)
    return WordTranslator.unpacked(WordTranslator(shaken(model, seed, spread), [*MARKS, *source_words], [*MARKS, *target_words]).packed())


@functools.cache
def storytellers():
    """Twenty-five, the last as large as the chapter's."""
    rng, models = np.random.default_rng(41), []
    for seed in range(24):
        heads = int(rng.integers(1, 5))
        models.append(random_storyteller(seed, words=LEXICON[:rng.integers(2, 16)], width=heads * int(rng.integers(1, 6)), num_heads=heads,
                                         num_layers=int(rng.integers(1, 4)), hidden=int(rng.integers(1, 14)), reach=int(rng.integers(1, 9)),
                                         attention="uniform" if seed % 6 == 0 else "softmax", spread=float(rng.uniform(0.3, 2))))
    return [*models, random_storyteller(99, words=[f"w{k}" for k in range(68)], width=32, num_heads=4, hidden=64, reach=32, spread=0.5)]


@functools.cache
def translators():
    """Twenty-five, the last as large as the chapter's, each with a grammar of random ways."""
    rng, models = np.random.default_rng(51), []
    for seed in range(25):
        words = [f"e{k}" for k in range(90 if seed == 24 else rng.integers(2, 12))]
        width, states = (54, 11) if seed == 24 else (int(w := rng.integers(3, 20)), int(rng.integers(1, (w + 1) // 2)))
        model = random_translator(seed, source_words=words, target_words=[f"f{k}" for k in range(rng.integers(1, 30))], width=width,
                                  states=states, spread=float(rng.uniform(0.2, 0.8)))
        places = int(rng.integers(2, 13))
        ways = [{str(word): k + 1 for word in rng.choice(words, rng.integers(1, min(len(words), 20) + 1), replace=False)} for k in range(places)]
        models.append((model, {"next": [*ways, {}], "final": sorted({places, *rng.integers(1, places + 1, 3).tolist()})}))
    return models
