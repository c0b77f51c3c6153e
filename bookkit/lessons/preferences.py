"""Preferences: the story model learns from pairs of sentences which of the two somebody would rather read.

After a gift a story may go on in many ways, and none of them is wrong. Somebody who likes politeness prefers the one in
which the receiver says thank you. Direct preference optimisation (Rafailov et al. 2023) needs nothing but such pairs:
the log-chance of each sentence, under the model and under the model as it was.  And where a program can tell what is
right, the model learns from its own stories.
"""

from typing import NamedTuple

import torch
from torch import nn

from bookkit.lessons.stories import errors
from bookkit.lessons.storyteller import write
from bookkit.lessons.training import round_off

BETA, STEPS, LR = 0.1, 60, 1e-4


class Pair(NamedTuple):
    """A beginning, and two sentences after it: the one that is preferred, and the other."""

    begun: tuple
    better: tuple
    worse: tuple


def sentence(words):
    """The first sentence of some words, with its full stop; None if there is none."""
    return tuple(words[:list(words).index(".") + 1]) if "." in words else None


def gifts(texts):
    """Beginnings up to a gift, where the story says thank you next, and the sentence in which it does."""
    found = []
    for words in texts:
        for k, word in enumerate(words):
            if word == "thanked" and words[k - 2] == ".":
                begun, after = tuple(words[:k - 1]), tuple(words[k - 1:])
                found.append((begun, sentence(after)))
    return found


def pairs(model, texts, number):
    """So many pairs: a story says thank you after a gift, and the model, left to itself, said something else there.

    What it says is drawn from its chances, the first of some draws that is another sentence and no mistake.
    """
    found = []
    for begun, thanks in gifts(texts):
        if len(found) == number:
            break
        for seed in range(4):
            said = sentence(write(model, begun, seed=seed, max_length=len(begun) + 12)[len(begun):])
            if said and said != thanks and not [kind for kind, _ in errors(begun + said) if kind != "unfinished"]:
                found.append(Pair(begun, thanks, said))
                break
    return found


def log_chances(task, model, begun, after):
    """The log of the chance (pairs,) that a model goes on so: the sum over the words of what comes after."""
    numbers = task.encode([one + other for one, other in zip(begun, after)])
    scores, targets = model(numbers[:, :-1])[0], numbers[:, 1:]
    logs = -nn.functional.cross_entropy(scores.mT, targets, reduction="none")            # (pairs, n)
    counts = torch.tensor([[len(one) <= k < len(one) + len(other) for k in range(targets.shape[1])]
                           for one, other in zip(begun, after)])
    return (logs * counts).sum(dim=1)


def both(task, model, some):
    """Log-chances (pairs, 2) of the better sentence and of the other."""
    begun, better, worse = zip(*some)
    return torch.stack([log_chances(task, model, begun, after) for after in (better, worse)], dim=1)


def preference_loss(now, before, beta=BETA):
    """The loss of pairs from log-chances (pairs, 2): small where the better sentence has gained more than the other."""
    gained = now - before                                # (pairs, 2)
    margin = beta * (gained[:, 0] - gained[:, 1])        # (pairs,)
    return -nn.functional.logsigmoid(margin).mean()


def prefer(task, model, some, *, beta=BETA, steps=STEPS, lr=LR, seed=0, callback=None):
    """Train a storyteller on pairs, and give it back; what it said before counts as it was at the start.

    `callback` is called with the number of the step, 0 to `steps`, before each step and after the last.
    """
    with torch.no_grad():
        before = both(task, model, some)
    torch.manual_seed(seed)
    optimiser = torch.optim.Adam(model.train().parameters(), lr=lr)
    for step in range(steps):
        if callback:
            callback(step)
        chosen = torch.randint(len(some), (10,)).tolist()
        loss = preference_loss(both(task, model, [some[k] for k in chosen]), before[chosen], beta)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        round_off(model.parameters())
    if callback:
        callback(steps)
    return model.eval()


def rewarded(task, model, *, steps, seed=0, callback=None):
    """Let a storyteller write, and make what has no mistake likelier and all else less likely.

    The oldest rule of its kind (Williams 1992), with the mean reward of a batch as the measure of what is good.
    `callback` is called with the number of the step, 0 to `steps`, before each step and after the last.
    """
    optimiser = torch.optim.Adam(model.train().parameters(), lr=1e-3)
    for step in range(steps):
        if callback:
            callback(step)
        first = seed + 32 * step
        told = write(model, seed=range(first, first + 32))
        reward = torch.tensor([float(not errors(one)) for one in told])
        better = reward - reward.mean()            # than the others
        logs = log_chances(task, model, [()] * 32, told)       # (32,)
        loss = -(better * logs).mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        round_off(model.parameters())
    if callback:
        callback(steps)
    model.eval()


@torch.no_grad()
def says_thanks(task, model, texts):
    """The chance, in the mean, that a model says thank you after a gift, where the story does."""
    return log_chances(task, model, *zip(*gifts(texts))).exp().mean().item()
