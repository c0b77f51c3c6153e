"""Pointing words: sentences in which "that" points at a noun, and the nouns by the form that it takes in French."""

import numpy as np

FEATURES = ["thing", "action", "pointing", "quality"]
NOUNS = "girl boy dog bird horse child woman man".split()
QUALITIES = "clever tired calm angry quiet happy".split()
ACTIONS = "run sing sleep laugh jump wait".split()
PLACES = "home outside there upstairs".split()
WORDS = ["see", "that", *NOUNS, *QUALITIES, *ACTIONS, *PLACES]
# The form that "that" takes in French, and some nouns that take it.
FRENCH = {
    "ce": "boy dog cat horse king teacher brother farmer singer baby".split(),
    "cette": "girl woman sister queen aunt nurse mouse cow goat actress".split(),
    "cet": "child man friend student bird bear uncle donkey actor elephant".split()}


def word_vectors():
    """The vectors (26, 4) of `WORDS` by their features: what a word is of, and a little noise, to one decimal."""
    thing, action, pointing, quality = np.eye(4)
    pure = [action, pointing, *[thing] * len(NOUNS), *[quality] * len(QUALITIES), *[action] * len(ACTIONS),
            *[thing + pointing] * len(PLACES)]                    # "home" is somewhere, and points there
    noise = np.random.default_rng(1).uniform(-0.3, 0.3, (len(WORDS), len(FEATURES)))
    return (np.array(pure) + noise).round(1) + 0.0                # no -0.0


def pointing_sentences(count, *, seed=1, nouns=NOUNS):
    """Different sentences of five words, at most 500, whose second word, "that", points at the only noun.

    Gives the sentences, and the place of the noun in each: 2, 3 or 4.

    >>> sentences, places = pointing_sentences(2)
    >>> " ".join(sentences[0]), places[0]
    ('see that calm angry man', 4)
    """
    if count > 500:
        raise ValueError(f"count must be at most 500, got {count}")
    rng = np.random.default_rng(seed)
    found = {}
    while len(found) < count:
        first, second = rng.choice(QUALITIES, 2, replace=False)
        noun, action, place = (rng.choice(group) for group in (nouns, ACTIONS, PLACES))
        at = int(rng.integers(2, 5))
        rest = {2: [noun, action, place], 3: [first, noun, action], 4: [first, second, noun]}[at]
        found["see", "that", *map(str, rest)] = at
    return [list(sentence) for sentence in found], list(found.values())
