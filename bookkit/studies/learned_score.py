"""What score a translator has learned: for each French word, what a key would score wherever it stood."""

import numpy as np
import torch

from bookkit.lessons.corpora import english_french
from bookkit.lessons.translation import TranslationTask

SEEDS = range(4000, 4003)     # the first of those in the study of translation
SIDE = 25                     # places along each side of a map


def learned_score(seed):
    """One translator trained with the additive score, and its maps of the first held-out sentence, "I love you"."""
    lessons = TranslationTask(*english_french())
    model = lessons.train(seed)
    return {"seed": seed, "exact": round(lessons.evaluate(model).exact, 4)} | maps(model, lessons, lessons.held_out[0])


@torch.no_grad()
def maps(model, lessons, pair):
    """The scores in the plane through the keys of a sentence of three words: one map for each word that is written.

    In the plane the first key lies to the right of the second, level with it, and the third above them. A map holds the
    scores at `SIDE` times `SIDE` places, row by row from the bottom; it reaches `reach` to each side of the middle.
    """
    [source], [words] = (part for part in lessons.encode([pair])[:2])
    keys, state = model.encode(source[None])
    states = []
    for word in words[:len(pair.french)]:
        states.append(state)
        _, state, _ = model.step(word[None], state, keys)
    keys, queries = keys[0], torch.cat(states)
    middle, right = keys.mean(0), keys[0] - keys[1]
    right = right / right.norm()
    up = keys[2] - middle
    up = up - (up @ right) * right
    plane = torch.stack([right, up / up.norm()])                                  # (2, d)
    places = (keys - middle) @ plane.T                                            # (3, 2)
    reach = 1.5 * places.abs().max()
    line = torch.linspace(-1, 1, SIDE, dtype=keys.dtype) * reach
    grid = torch.stack(torch.meshgrid(line, line, indexing="xy"), dim=-1).reshape(-1, 2)
    field = model.score(queries, middle + grid @ plane)                           # (words, places)
    return {"english": list(pair.english), "french": list(pair.french), "reach": round(reach.item(), 4),
            "places": np.round(places.numpy(), 3).tolist(),
            "scores": np.round(model.score(queries, keys).numpy(), 3).tolist(),
            "maps": np.round(field.numpy(), 2).tolist()}


STAGES = [lambda _: [(learned_score, seed) for seed in SEEDS]]
