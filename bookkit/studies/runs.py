"""What studies share: how a training is written down, and which of the settings that were tried is the best."""

import time

import numpy as np


def trained(train, *args, **options):
    """What a lesson's `train` gives, and a dict: the parameters that learn and the seconds of processor time."""
    start = time.process_time()                    # of this process alone: other work on the machine does not count
    model = train(*args, **options)
    seconds = time.process_time() - start
    return model, {"parameters": sum(p.numel() for p in model.parameters() if p.requires_grad),
                   "seconds": round(seconds, 1)}


def rounded(shares):
    """A dict of shares with four decimals.

    >>> rounded({"all": 2 / 3})
    {'all': 0.6667}
    """
    return {name: round(share, 4) for name, share in shares.items()}


def grouped(runs, *keys):
    """Runs by what they have under some keys, a dict in the order in which they come.

    >>> grouped([{"model": "mean", "lr": 1}, {"model": "max", "lr": 1}, {"model": "mean", "lr": 2}], "model")
    {('mean',): [{'model': 'mean', 'lr': 1}, {'model': 'mean', 'lr': 2}], ('max',): [{'model': 'max', 'lr': 1}]}
    """
    found = {}
    for run in runs:
        found.setdefault(tuple(run[key] for key in keys), []).append(run)
    return found


def best_trial(trials):
    """The most accurate of some trials; of several, the one with the smallest loss."""
    return min(trials, key=lambda run: (-run["validation"], run["validation loss"]))


def best_setting(trials, *keys, accuracy="validation", loss="validation loss"):
    """What trials have under some keys where they are the most accurate in their mean; of several, the smallest loss.

    >>> tried = [{"lr": lr, "validation": right, "validation loss": 1} for lr, right in ((1, 0.9), (1, 0.1), (2, 0.6))]
    >>> best_setting(tried, "lr")
    (2,)
    """
    found = grouped(trials, *keys)
    scores = {setting: [(-run[accuracy], run[loss]) for run in runs] for setting, runs in found.items()}
    return min(scores, key=lambda setting: tuple(np.mean(scores[setting], axis=0)))
