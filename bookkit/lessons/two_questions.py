"""Two words that ask: sentences in which "that" needs the noun, and the verb needs the word that says where."""

import numpy as np
import torch
from torch.nn.functional import cross_entropy

from bookkit.lessons.pointing import FRENCH, QUALITIES, THAT

ADVERBS = "suddenly finally gladly proudly quietly bravely".split()
VERBS = "run walk jump crawl hop dance".split()
DIRECTIONS = {way: [way, *its] for way, its in {"up": ["upstairs", "uphill"], "down": ["downstairs", "downhill"],
                                               "out": ["outside", "outdoors"]}.items()}
NOUNS = [noun for nouns in FRENCH.values() for noun in nouns]
PLACES = [place for places in DIRECTIONS.values() for place in places]
WORDS = ["see", "that", *QUALITIES, *ADVERBS, *VERBS, *NOUNS, *PLACES]
ANSWERS = [*FRENCH, *DIRECTIONS]                  # six, for both words that ask
VERB, PLACE = 4, 5                                # where they stand in every sentence
ASKERS = [THAT, VERB]


def two_questions(count, *, seed=1):
    """Different sentences of six words in which two words ask: "that" for the noun, and the verb for the place.

    Gives `count` sentences, at most 5000, their answers, pairs of what "that" is in French and which way the verb goes,
    of `ANSWERS`, all six equally likely, and pairs of places, where the two words stand that decide it: the noun, 2 or
    3, and the word of place, 5.

    >>> sentences, answers, places = two_questions(2)
    >>> " ".join(sentences[0]), answers[0], places[0]
    ('see that cow suddenly hop downhill', ('cette', 'down'), (2, 5))
    """
    if count > 5000:
        raise ValueError(f"count must be at most 5000, got {count}")
    rng = np.random.default_rng(seed)

    def one_of(group):
        return str(rng.choice(group))

    found = {}
    while len(found) < count:
        form, direction = one_of(list(FRENCH)), one_of(list(DIRECTIONS))
        noun, place = one_of(FRENCH[form]), one_of(DIRECTIONS[direction])
        at = int(rng.integers(2, 4))
        named = [noun, one_of(ADVERBS)] if at == 2 else [one_of(QUALITIES), noun]
        found["see", "that", *named, one_of(VERBS), place] = (form, direction), (at, PLACE)
    answers, places = zip(*found.values())
    return [list(sentence) for sentence in found], list(answers), list(places)


def encoded(sentences, answers):
    """Sentences, words of `WORDS`, as numbers (sentences, 6), and their answers, of `ANSWERS`, as numbers
    (sentences, 2).
    """
    number = {word: i for i, word in enumerate(WORDS)}
    missing = sorted({word for sentence in sentences for word in sentence} - set(number))
    if missing:
        raise ValueError(f"not in the vocabulary: {', '.join(map(repr, missing))}")
    wrong = sorted({answer for pair in answers for answer in pair} - set(ANSWERS))
    if wrong:
        raise ValueError(f"answers must be of {', '.join(ANSWERS)}; got {', '.join(wrong)}")
    return (np.array([[number[word] for word in sentence] for sentence in sentences]),
            np.array([[ANSWERS.index(answer) for answer in pair] for pair in answers]))


def new_head(seed, width=4):
    """Random numbers for a head to learn: an embedding, three matrices, and what makes scores of `ANSWERS`."""
    torch.manual_seed(seed)
    sizes = [(len(WORDS), 16), *[(16, width)] * 3, (width, len(ANSWERS))]
    head = [torch.randn(size).double() for size in sizes]
    head[0] *= 0.01                               # the embedding is near zero at first
    return [part.requires_grad_() for part in head]


def train(ask, head, ids, answers):
    """The head after 150 steps of Adam with all sentences; `ask(head, ids)` gives scores (sentences, 2, 6) first."""
    adam = torch.optim.Adam(head, lr=0.05, weight_decay=0.0003)
    for _ in range(150):
        scores, _ = ask(head, ids)
        loss = cross_entropy(scores.transpose(1, 2), answers)
        adam.zero_grad()
        loss.backward()
        adam.step()
    return head


def opened(name, head, ids):
    """A head, opened for `bookkit.figures.WordVotes`, where the verb asks and chooses among `DIRECTIONS`."""
    vectors, to_query, to_key, to_value, readout = (part.detach().numpy() for part in head)
    x = vectors[ids]
    votes = (x @ to_value @ readout)[..., -len(DIRECTIONS):]
    return {"name": name, "queries": (x[:, VERB] @ to_query).round(4), "keys": (x @ to_key).round(4),
            "votes": votes.round(4)}
