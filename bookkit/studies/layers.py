"""How far stacks of layers look, and what parts they can do without; and what "it" is, with more of them."""

from bookkit.lessons.layers import ChainModel, ChainTask
from bookkit.lessons.training import new_model
from bookkit.studies.multi_head import FRESH, what_it_is
from bookkit.studies.runs import trained

SEEDS = range(8010, 8020)      # rates, steps and heads were chosen with others: 0 to 41, 8000 to 8006, 8200 to 8203
PARTS = {     # what the table calls it, with the options of the layers
    "everything": {}, "norm after": {"norm": "post"}, "no residual": {"residual": False}, "no norm": {"norm": None},
    "neither": {"residual": False, "norm": None}, "four heads": {"num_heads": 4}, "an MLP": {"mlp": True},
    "an MLP, no norm": {"mlp": True, "norm": None},
}


def stack(experiment, layers, question, parts, seed, steps, lr):
    """A stack trained to say who stands some places further on, or what hands tell, and examined before and after."""
    lessons, options = ChainTask(seed=SEEDS[0]), PARTS[parts]
    untrained = lessons.anatomy(new_model(seed, ChainModel, layers, question, **options))
    model, run = trained(lessons.train, seed, layers, question, steps=steps, lr=lr, **options)
    looks = {further: [round(weight, 3) for weight in lessons.evaluate_weights(model, further)]
             for further in range(-2, 4)}
    anatomies = {when: {name: [float(f"{number:.3g}") for number in numbers]
                        for name, numbers in anatomy._asdict().items()}
                 for when, anatomy in (("untrained", untrained), ("trained", lessons.anatomy(model)))}
    return {"task": "chain", "experiment": experiment, "layers": layers, "question": question, "parts": parts,
            "seed": seed, "steps": steps, "lr": lr, **run,
            "accuracy": round(lessons.evaluate(model), 4), "looks": looks, **anatomies}


def finals(_):
    """How far stacks of layers look, what parts they can do without; and what "it" is, with more layers or heads."""
    kinds = [("depth", depth, k, "four heads", 800, 1e-2)
             for depth, far in ((1, (2, 3, 4)), (2, (2, 3, 4, 5)), (3, (3, 4, 5))) for k in far]
    kinds += [("one head", depth, k, "everything", 800, 1e-2) for depth, k in ((1, 2), (2, 3))]
    kinds += [("bare", depth, k, "no residual", 800, 3e-3) for depth, k in ((1, 2), (1, 3), (2, 3), (3, 4))]
    kinds += [("parts", 6, 3, parts, 400, 3e-3) for parts in list(PARTS)[:5]]
    kinds += [("parts", depth, k, "no residual", 400, 3e-3) for depth, k in ((2, 3), (3, 3), (4, 3), (6, 1))]
    kinds += [("mlp", 1, "hands", parts, 800, 1e-2) for parts in ("everything", "an MLP", "no norm", "an MLP, no norm")]
    jobs = [(stack, experiment, depth, question, parts, seed, steps, lr)
            for experiment, depth, question, parts, steps, lr in kinds for seed in SEEDS]
    kinds = (1, 1), (1, 4), (2, 1)
    return jobs + [(what_it_is, depth, seed, 5e-3, heads) for depth, heads in kinds for seed in FRESH]


STAGES = [finals]
