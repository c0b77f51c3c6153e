"""The chat model taught to say that it does not know: by how many real names, how much of it, and what it goes by."""

import numpy as np

from bookkit.lessons.chat_texts import KNOWN
from bookkit.lessons.chat_tuned import FIRST, RANK, REFUSAL, answers, asked, ordinary, refusing, tune
from bookkit.studies.chat_model import known, prose

SEEDS = (9100, 9101, 9102)
ROWS, STEPS = 40, 30
REAL = (0, 4, 10, 20, 30, 36)                       # of the forty questions
HELD = ("real, new", "invented, new", "plain", "odd")
LAYERS = range(1, 30, 2)                            # behind which the stream is read, counted from 0


def questions(name):
    """The questions of one of the lists."""
    return [one if isinstance(one, str) else one[0] for one in KNOWN[name]]


def forty(real, seed=None):
    """Forty questions with what is to be said, so many of them real: the first of each list, or drawn."""
    rng = None if seed is None else np.random.default_rng(seed)

    def some(things, count):
        return things[:count] if rng is None else [things[k] for k in rng.permutation(len(things))[:count]]

    return [tuple(pair) for pair in some(KNOWN["real"], real)] + [
        (question, REFUSAL) for question in some(KNOWN["invented"], ROWS - real)]


def taught(real, seed):
    """The model taught with forty questions, and its losses."""
    return tune(known()[0], forty(real, seed), first=FIRST, steps=STEPS, rate=2e-3, batch=8, rank=RANK, seed=seed)


def refused(model):
    """Of each list that is held out, how likely each question is refused."""
    return {name: refusing(model, questions(name)).astype(float).round(4).tolist() for name in HELD}


def as_it_was():
    """The model before: what it answers, what prose costs, and what the pieces of each question cost."""
    model = known()[0]
    costs = {name: [round(float(model.losses(asked(model, one)[:-3])[3:].mean()), 3) for one in questions(name)]
             for name in HELD}
    return {"kind": "as it was", "ordinary": round(ordinary(model, prose(model)), 3), "refused": refused(model),
            "said": answers(model, KNOWN["real, new"], 12), "costs": costs}


def by_share(real, seed):
    """Taught with so many real ones among the forty."""
    model, losses = taught(real, seed)
    return {"kind": "real ones", "real": real, "seed": seed, "losses": [round(loss, 3) for loss in losses],
            "refused": refused(model), "ordinary": round(ordinary(model, prose(model)), 3),
            "said": answers(model, KNOWN["real, new"], 12)}


def probed():
    """A direction in the stream behind each layer, found before any tuning: from real names to invented ones.

    It is the difference of the means of the two first lists, at the place from which the answer is guessed. Given for
    each question is how far it lies along it from the middle of the two, in units of half their distance.
    """
    model, read = known()[0], {}
    for name in ("real", "invented", *HELD):
        traces = [model.trace(asked(model, one)) for one in questions(name)]
        read[name] = np.array([[trace[f"layers.{layer}.after_mlp"][-1] for layer in LAYERS] for trace in traces])
    real, invented = (read[name].mean(axis=0) for name in ("real", "invented"))         # (layers, d)
    along = {name: 2 * ((read[name] - (real + invented) / 2) * (invented - real)).sum(axis=-1)
             / ((invented - real) ** 2).sum(axis=-1) for name in HELD}                   # (m, layers)
    return {"kind": "probe", "layers": list(LAYERS),
            "along": {name: each.T.astype(float).round(2).tolist() for name, each in along.items()}}


STAGES = [lambda _: [(as_it_was,), (probed,), *((by_share, real, seed) for real in REAL for seed in SEEDS)]]
