"""Who gave and who received, with and without positions and heads."""

import copy

import torch

from bookkit.lessons.semantic_roles import GiftTask
from bookkit.studies.runs import rounded, trained

SEEDS = range(7020, 7030)      # the rate was chosen with 7000 to 7009 and twelve others


def giver_and_receiver(heads, positions, reader, seed):
    """One attention layer trained to name both, and examined: as it is, and with each head taken out."""
    lessons = GiftTask()
    model, run = trained(lessons.train, seed, num_heads=heads, positions=positions, reader=reader)
    weights = lessons.weights(model, lessons.held_out)[:, :, [0, 4]]
    rows = model.attention.w_output.shape[0] // heads           # those of W^O that belong to a head
    without = []
    for head in range(heads if heads > 1 else 0):
        cut = copy.deepcopy(model)
        with torch.no_grad():
            cut.attention.w_output[head * rows:(head + 1) * rows] = 0
        without.append([round(share, 4) for share in lessons.evaluate(cut)])
    return {"task": "who gave", "heads": heads, "positions": positions, "reader": reader, "seed": seed,
            **run, **rounded(lessons.evaluate(model)._asdict()),
            "in training": round(lessons.evaluate(model, lessons.training).both, 4),
            "weights on the names": weights.mean(0).numpy().round(3).tolist(),
            "their spread": weights.std(0).numpy().round(3).tolist(), "without a head": without}


def finals(_):
    """Who gave, with and without positions and heads."""
    kinds = [(True, "linear"), (False, "linear"), (True, "mlp")]
    return [(giver_and_receiver, heads, positions, reader, seed)
            for positions, reader in kinds for heads in (1, 2, 4) for seed in SEEDS]


STAGES = [finals]
