"""The story model taught to answer: beginnings of stories, each with the one sentence that says how things stand.

A model that has learned to continue stories goes on telling them. Trained a little further on a hundred such examples,
in which the loss counts the answer alone, it answers.
"""

import numpy as np
import torch

from bookkit.lessons.stories import next_words
from bookkit.lessons.storyteller import CONTEXT, write
from bookkit.lessons.training import next_word_loss, round_off

STEPS, LR = 300, 3e-3


def answer(words):
    """The sentence that says who has what, and where, after the beginning of a story; None if nothing was found.

    >>> " ".join(answer("Zoe and Max met Rex in the tower . Max found a ball .".split()))
    'now the ball is with Max in the tower .'
    """
    if "found" not in words:
        return None
    said = ["now"]
    while said[-1] != ".":
        said.append(*next_words((*words, *said)))        # everything in it is decided
    return tuple(said)


def dialogues(texts, number, seed=0):
    """The first `number` stories in which something is found, cut after a sentence.

    Gives pairs of what is asked and what is answered. The seed is for the places of the cuts.
    """
    rng, found = np.random.default_rng(seed), []
    for words in texts:
        ends = [k + 1 for k, word in enumerate(words) if word == "." and "found" in words[:k]][:-1]
        if ends and len(found) < number:
            asked = tuple(words[:ends[rng.integers(len(ends))]])
            found.append((asked, answer(asked)))
    return found


def tune(task, model, examples, *, seed=0, steps=STEPS, lr=LR):
    """Train a storyteller further on dialogues, and give it back; the loss counts answers, and nothing else."""
    numbers = task.encode([asked + said for asked, said in examples])
    targets = numbers.clone()
    for row, (asked, _) in zip(targets, examples):
        row[:len(asked) + 1] = 0                 # what is asked
    torch.manual_seed(seed)
    optimiser = torch.optim.Adam(model.train().parameters(), lr=lr)
    for _ in range(steps):
        chosen = torch.randint(len(examples), (10,))
        scores, _ = model(numbers[chosen, :-1])  # (10, n - 1, words)
        loss = next_word_loss(scores, targets[chosen, 1:])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        round_off(model.parameters())
    return model.eval()


def goes_on(model, words, length=10):
    """How a model goes on with the beginning of a story, the likeliest word each time, for at most so many words."""
    return write(model, words, temperature=0, max_length=min(len(words) + length, CONTEXT - 1))[len(words):]


def shares(model, cases, without):
    """How often a model has ``"answered"`` at once, how often ``"right"``, and ``"invented"`` an answer where there is
    none.

    `cases` are what `dialogues` gives; after the stories' beginnings in `without` nobody can say how things stand: what
    `beginnings_with_coins` gives.
    """
    said = [goes_on(model, asked) for asked, _ in cases]
    invented = [goes_on(model, words)[:1] == ("now",) for words in without]
    return {"answered": float(np.mean([words[:1] == ("now",) for words in said])),
            "right": float(np.mean([words == right for words, (_, right) in zip(said, cases)])),
            "invented": float(np.mean(invented))}


def beginnings_with_coins(texts, number):
    """The first two sentences of stories about coins, where nobody has given any away yet."""
    found = [tuple(words[:[k for k, word in enumerate(words) if word == "."][1] + 1]) for words in texts
             if "found" not in words]
    return [words for words in found if "coins" in words][:number]
