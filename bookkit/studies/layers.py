"""How far stacks of layers look, and what parts they can do without."""

from bookkit.lessons.layers import ChainModel, ChainTask
from bookkit.lessons.training import new_model
from bookkit.studies.runs import trained

SEEDS = range(8010, 8020)      # rates, steps and heads were chosen with others: 0 to 41, 8000 to 8006, 8200 to 8203
PARTS = {     # what the table calls it, with the options of the layers
    "everything": {}, "norm after": {"norm": "post"}, "no residual": {"residual": False}, "no norm": {"norm": None},
    "neither": {"residual": False, "norm": None}, "no residual, small start": {"residual": False, "start": 0.2},
    "no norm, small start": {"norm": None, "start": 0.2}, "four heads": {"num_heads": 4}, "an MLP": {"mlp": True},
    "an MLP, no norm": {"mlp": True, "norm": None},
}


def stack(experiment, layers, question, parts, seed, steps, lr):
    """A stack trained to say who stands some places further on, or what hands tell; how alike its items are before."""
    lessons, options = ChainTask(seed=SEEDS[0]), PARTS[parts]
    distances = lessons.distances(new_model(seed, ChainModel, layers, question, **options))
    model, run = trained(lessons.train, seed, layers, question, steps=steps, lr=lr, **options)
    return {"experiment": experiment, "layers": layers, "question": question, "parts": parts,
            "seed": seed, "steps": steps, "lr": lr, **run, "accuracy": round(lessons.evaluate(model), 4),
            "untrained distances": [float(f"{distance:.3g}") for distance in distances]}


def finals(_):
    """How far stacks of layers look, and what parts they can do without."""
    kinds = [("depth", depth, k, "four heads", 800, 1e-2)
             for depth, far in ((1, (2, 3, 4)), (2, (2, 3, 4, 5)), (3, (3, 4, 5))) for k in far]
    kinds += [("parts", 6, 3, parts, 400, 3e-3) for parts in list(PARTS)[:5]]
    kinds += [("parts", depth, 3, "no residual", 400, 3e-3) for depth in (2, 3, 4)]
    kinds += [("mlp", 1, "hands", parts, 800, 1e-2) for parts in ("everything", "an MLP", "no norm", "an MLP, no norm")]
    jobs = [(stack, *kind[:4], seed, *kind[4:]) for kind in kinds for seed in SEEDS]
    return jobs + [(stack, "parts", 6, 3, parts, seed, 400, 3e-3) for parts in list(PARTS)[5:7] for seed in SEEDS[:3]]


STAGES = [finals]
