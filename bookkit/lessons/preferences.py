"""Preferences: the story model learns from pairs of sentences which of the two somebody would rather read.

After a gift a story may go on in many ways, and none of them is wrong. Somebody who likes politeness prefers the one in
which the receiver says thank you. Direct preference optimisation (Rafailov et al. 2023) needs nothing but such pairs:
the log-chance of each sentence, under the model and under the model as it was.  And where a program can tell what is
right, the model learns from its own stories.
"""

from typing import NamedTuple

import torch
from torch.nn.functional import cross_entropy, logsigmoid

from bookkit.lessons.stories import errors
from bookkit.lessons.storyteller import write
from bookkit.lessons.training import encode


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


def log_chances(model, begun, *sentences):
    """The log of the chance (sentences,) that a storyteller goes on with each sentence: a sum over its words."""
    logs, start = [], ("<start>", *begun)
    for said in sentences:
        words = encode([(*start, *said)], model.words)[0]     # (n,)
        scores = model(words[None])[0][0]                     # (n, all)
        scores, words = scores[len(begun):-1], words[len(start):]
        logs.append(-cross_entropy(scores, words, reduction="sum"))
    return torch.stack(logs)


def preference_loss(gained, beta=0.1):
    """The loss of pairs from what their log-chances have gained (pairs, 2): small where the better one gained more."""
    margin = beta * (gained[:, 0] - gained[:, 1])    # (pairs,)
    return -logsigmoid(margin).mean()


def prefer(model, pairs, *, steps, seed):
    """Train a storyteller on pairs; what has been gained counts from the start."""
    with torch.no_grad():
        before = [log_chances(model, *pair) for pair in pairs]
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-4)
    torch.manual_seed(seed)
    for _ in range(steps):
        ten = torch.randint(len(pairs), (10,)).tolist()
        gained = [log_chances(model, *pairs[k]) - before[k] for k in ten]
        loss = preference_loss(torch.stack(gained))
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()


def reward(model, *, steps, seed=0):
    """Let a storyteller write, and make what has no mistake likelier and all else less likely.

    The oldest rule of its kind (Williams 1992), with the mean reward of a batch as the measure of what is good.
    """
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-3)
    for step in range(steps):
        first = seed + 32 * step
        told = write(model, seed=range(first, first + 32))
        rewards = torch.tensor([float(not errors(one)) for one in told])
        better = rewards - rewards.mean()           # than the others
        loss = -(better * log_chances(model, (), *told)).mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()


@torch.no_grad()
def says_thanks(model, texts):
    """The chance, in the mean, that a model says thank you after a gift, where the story does."""
    return torch.cat([log_chances(model, begun, thanks) for begun, thanks in gifts(texts)]).exp().mean().item()
