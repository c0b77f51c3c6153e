"""What the page on a real model asks its 72 heads: where they look, what they find of *it*, what is lost without them.

What stands for attention in a trial, as `attend` of `bookkit.lessons.minilm.MiniLM.trace`, gets the number of the
layer, queries, keys and values (h, n, d_k), and gives the blends and the weights.
"""


import numpy as np

from attnkit import attention
from bookkit.lessons.minilm import HEADS, LAYERS
from bookkit.lessons.sentences import DECIDED_LAST, SENSES

# Sentences in which a head is seen at its work, and with two more the list that its habits are counted on.
SHOWN = ["Tennis is played by two or four players", "The wolf followed the sheep, and the shepherd followed the wolf",
         "The animal did not cross the road because it was too tired", "He sat on the bank of the river and fished",
         "The unhappy giraffe was named by ChatGPT", "I do not like green tea",
         "The wolf followed the sheep, and the shepherd followed the dog"]
PLAIN = [*SHOWN, "My car started this morning", "The film was good"]
PLACES = ["[CLS]", "[SEP]", "the piece before", "the same piece", "the piece after"]


# ---- where they look

def maps(model, text):
    """The weights of all heads on a text (layers, heads, n, n), to six decimals."""
    found = model.trace(model.numbers(text))
    return np.stack([found[f"layers.{layer}.weights"] for layer in range(LAYERS)]).round(6)


def habits(model, texts):
    """What a head's words give on average to each of `PLACES` (layers, heads, 5)."""
    return np.mean([_habits(maps(model, text)[:, :, 1:-1]) for text in texts], axis=0)


def _habits(w):
    """The same of one text, by the weights of its words (layers, heads, words, n)."""
    i = np.arange(w.shape[2])
    return np.stack([w[:, :, i, to].mean(axis=-1) for to in (0 * i, 0 * i - 1, i, i + 1, i + 2)], axis=-1)


# ---- what stands for attention

def emptied(layer, query, key, value, piece=0):
    """Attention in which a piece, the first if no other is named, has nothing to give."""
    value = value.copy()
    value[:, piece] = 0
    return attention(query, key, value)


def even(layer, query, key, value):
    """All weights the same."""
    return attention(np.zeros_like(query), key, value)


def nothing(layer, query, key, value):
    """No word knows of another."""
    return np.zeros_like(query), np.zeros(query.shape[:2] + key.shape[1:2])


def without_head(layer, head):
    """Attention in which one head gives nothing; both are counted from 0."""
    def attend(number, query, key, value):
        blends, weights = attention(query, key, value)
        if number == layer:
            blends[head] = 0
        return blends, weights
    return attend


# ---- the sense of a word

def senses_told(model, attend=None):
    """How often the sense of a word of `SENSES` is told from its vector, as it comes in and after each layer (7,).

    It is told if the vector is nearer to the mean of the other sentences of its sense than to the mean of the other
    sense; half, if both are as near.
    """
    right = []
    for word, senses in SENSES.items():
        rows = [model.trace(model.numbers(f"The {word} {rest}"), attend=attend) for sense in senses for rest in sense]
        sense = np.repeat([0, 1], [len(one) for one in senses])
        for name in ("embedding", *(f"layers.{layer}.after_mlp" for layer in range(LAYERS))):
            right += _nearer(np.array([row[name][2] for row in rows]), sense)
    return np.reshape(right, (len(SENSES), LAYERS + 1, -1)).mean(axis=(0, 2))


def _nearer(x, sense):
    """Of each vector (n, d) whether it is nearer to the mean of its own sense, itself left out."""
    right = []
    for i in range(len(x)):
        far = [np.linalg.norm(x[i] - x[(sense == one) & (np.arange(len(x)) != i)].mean(axis=0)) for one in (0, 1)]
        right.append(0.5 if abs(far[0] - far[1]) < 1e-9 else float(np.argmin(far) == sense[i]))
    return right


# ---- what *it* is

def leanings(model, words):
    """How much more weight each of some words gives to the second noun than to the first, as a logarithm (20, 2, 72).

    Of each pair in `DECIDED_LAST`, with either ending, and each head.
    """
    found = {word: [] for word in words}
    for first, verb, second, *ends in DECIDED_LAST:
        for last in ends:
            text = f"The {first} did not {verb} the {second} because it was too {last}"
            pieces, seen = model.pieces(text), maps(model, text)
            for word, of_pairs in found.items():
                row = seen[:, :, pieces.index(word)].reshape(LAYERS * HEADS, -1) + 1e-9
                of_pairs.append(np.log(row[:, pieces.index(second)] / row[:, pieces.index(first)]))
    return {word: np.reshape(of_pairs, (len(DECIDED_LAST), 2, -1)) for word, of_pairs in found.items()}


def chosen_on_half(hits, draws=1000, seed=0):
    """How many hits the head with most of them on one half of the pairs has on the other half: of each draw (draws,).

    `hits` (pairs, heads) are True where a head is right.

    >>> chosen_on_half(np.array([[True, False], [True, True]]), draws=3).tolist()
    [1, 1, 1]
    """
    rng, half, found = np.random.default_rng(seed), len(hits) // 2, []
    for _ in range(draws):
        order = rng.permutation(len(hits))
        best = hits[order[:half]].sum(axis=0).argmax()
        found.append(hits[order[half:], best].sum())
    return np.array(found)


def best_by_luck(hits, draws=1000, seed=0):
    """The most hits of any head if a coin had said of each pair which way is right: of each draw (draws,).

    >>> sorted(set(best_by_luck(np.array([[True, True], [True, True]]), draws=50).tolist()))
    [0, 1, 2]
    """
    rng = np.random.default_rng(seed)
    return np.array([np.where(rng.random(len(hits))[:, None] < 0.5, ~hits, hits).sum(axis=0).max()
                     for _ in range(draws)])
