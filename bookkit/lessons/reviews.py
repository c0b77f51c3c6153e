"""Is a review good or bad? A hundred words are pooled into one vector, by a mean, a maximum or attention, and read."""

from typing import NamedTuple

import numpy as np
import torch
from torch import nn

from attnkit import attention, scaled_dot
from attnkit.modules import xavier
from bookkit.lessons.training import encode, fit, new_model

# Two hundred words that say nothing for or against a film.
FILLERS = """
a about actor after again all also an and another any around as at audience away back be because been before between
book both but by camera can cast cinema city come could credits cut day dialogue did director do door down during each
early editing end ending evening ever every face family few film first five for four from front genre go ground had
half hall hand has have he head her here him his hour house how i if in into is it its just kind know last later left
let light line long look made main make many may men middle minute month more morning most mother much music my name
near never next night nine now of off office often on one only open or other our out over own part people period place
plot producer put question quite rather reel road role room row said same saw say scene score screen script second
seen sequel series set seven she shot should show side since sit six so some soon sound start still stood story street
such take talk ten than that the their them then there these they this those three through time title to""".split()
BAD = "dull clumsy boring stale flat cold messy tiresome".split()
GOOD = "funny moving clever fresh bright warm lovely gripping".split()
DECISIVE_BAD = "unwatchable disaster fiasco".split()           # one of these settles a review
DECISIVE_GOOD = "masterpiece triumph unforgettable".split()
REVIEW_WORDS = [*FILLERS, "not", *BAD, *GOOD, *DECISIVE_BAD, *DECISIVE_GOOD]
LENGTH = 100
POOLINGS = ("mean", "max", "attention")
KINDS_OF_REVIEWS = ("majority", "decisive", "both", "not")


def _numbers(words):
    return np.array([REVIEW_WORDS.index(word) for word in words])


_FILLERS, _NOT = _numbers(FILLERS), REVIEW_WORDS.index("not")
_OPINIONS = _numbers(BAD), _numbers(GOOD)                      # by what they say: 0 is bad, 1 is good
_DECISIVE = _numbers(DECISIVE_BAD), _numbers(DECISIVE_GOOD)


class Reviews(NamedTuple):
    """Examples as tensors of numbers.

    Places in `REVIEW_WORDS` (b, 100); 1 for good, 0 for bad (b,); where the decisive word stands, -1 without one (b,).
    """

    documents: object             # torch tensors; Sphinx finds no page to link torch's types to
    labels: object
    decisive: object


def film_reviews(num_reviews, kind="both", *, seed=0):
    """Made-up reviews of films, a hundred words each, one after the other good and bad.

    Opinion words are 12 to 28, and at least three of five say the same; all others are fillers. With the kind
    "majority" what most opinion words say, that is the review. "decisive": one decisive word settles it, there are no
    opinion words. "both": two of four reviews are settled by their opinion words, the other two by one decisive word
    that says the opposite of their opinion words. "not": as "decisive", but with *not* directly before it, in two of
    four reviews, it says the opposite; *not* stands at three places of every review.

    >>> reviews = film_reviews(1000, "decisive")
    >>> REVIEW_WORDS[reviews.documents[0, reviews.decisive[0]]], reviews.labels[0].item()
    ('unforgettable', 1)
    """
    if kind not in KINDS_OF_REVIEWS:
        raise ValueError(f"kind must be one of {', '.join(KINDS_OF_REVIEWS)}, got {kind!r}")
    rng = np.random.default_rng(seed)
    labels = 1 - np.arange(num_reviews) % 2
    documents, decisive = zip(*(_review(label, kind, i // 2 % 2, rng) for i, label in enumerate(labels)))
    return Reviews(*map(torch.tensor, (np.array(documents), labels, np.array(decisive))))


def _review(label, kind, turned, rng):
    """A review and the place of its decisive word; `turned`, 0 or 1: does something turn round what the others say?"""
    document, place = rng.choice(_FILLERS, LENGTH), rng.integers(1, LENGTH)
    free = rng.permutation(np.setdiff1d(np.arange(LENGTH), (place - 1, place)))
    if kind == "not":
        document[place] = rng.choice(_DECISIVE[label ^ turned])
        document[[*free[:2], place - 1 if turned else free[2]]] = _NOT
        return document, place
    if kind != "decisive":
        most = label ^ turned if kind == "both" else label
        number = rng.integers(12, 29)
        against = rng.integers(2 * number // 5 + 1)
        document[free[:number]] = rng.choice(_OPINIONS[most], number)
        document[free[:against]] = rng.choice(_OPINIONS[1 - most], against)
    if kind == "majority" or kind == "both" and not turned:
        return document, -1
    document[place] = rng.choice(_DECISIVE[label])
    return document, place


class ReviewModel(nn.Module):
    """Embed, pool, read: a vector for each word, one vector for all of them, and two layers that make a logit of it.

    Attention gives each word a key, which a learned query is compared with: a word's score depends on the word alone,
    wherever it stands and whatever the others are. So do Yang et al. (2016), section 2.2, whose keys
    are the tanh of these, and a bias.

    With "max" `pooling` takes the largest number of all words in each column. `std` is the spread of the random numbers
    that word vectors begin with; from larger ones a mean and a maximum learn more slowly than attention.

    >>> model = ReviewModel(10, "mean")
    >>> logits, weights = model(torch.tensor([[3, 4, 4, 5]]))
    >>> logits.shape, weights.tolist()
    (torch.Size([1]), [[0.25, 0.25, 0.25, 0.25]])
    """

    def __init__(self, vocabulary_size, pooling="attention", width=16, key_width=8, hidden=16, std=0.03):
        super().__init__()
        if pooling not in POOLINGS:
            raise ValueError(f"pooling must be one of {', '.join(POOLINGS)}, got {pooling!r}")
        self.pooling = pooling
        self.embedding = nn.Embedding(vocabulary_size, width)
        nn.init.normal_(self.embedding.weight, std=std)
        if pooling == "attention":
            self.query, self.w_key = xavier(1, key_width), xavier(width, key_width)
        self.readout = nn.Sequential(nn.Linear(width, hidden), nn.ReLU(), nn.Linear(hidden, 1))

    def forward(self, documents):
        """Word numbers (b, n): logits (b,), above 0 for good, and the words' weights (b, n), None for a maximum."""
        x = self.embedding(documents)                     # (b, n, d)
        pooled, weights = self.pool(x)                    # (b, d)
        return self.readout(pooled)[:, 0], weights

    def pool(self, x):
        """Word vectors (b, n, d): one vector (b, d) and weights (b, n)."""
        if self.pooling == "max":
            return x.max(1).values, None
        if self.pooling == "mean":
            return x.mean(1), _equal(x)
        keys = x @ self.w_key                             # (b, n, d_k)
        output, weights = attention(self.query, keys, x)  # (b, 1, d)
        return output[:, 0], weights[:, 0]


def _equal(x):
    """Equal weights (b, n) for word vectors (b, n, d)."""
    return x.new_full(x.shape[:2], 1 / x.shape[1])


def _loss(model, reviews):
    return nn.functional.binary_cross_entropy_with_logits(model(reviews.documents)[0], reviews.labels.double())


class OnDecisive(NamedTuple):
    """What the decisive word gets: its mean weight, and the share of reviews in which no word gets as much."""

    weight: float
    largest: float


class ReviewTask:
    """Reviews to train with, a thousand others, and models that learn to tell good from bad."""

    vocabulary = REVIEW_WORDS

    def __init__(self, num_reviews=1000, kind="both", seed=0):
        # Lists as seeds: no training, whose seed is one number, draws the same.
        self.training = film_reviews(num_reviews, kind, seed=[seed, 0])
        self.held_out = film_reviews(1000, kind, seed=[seed, 1])

    def train(self, seed, pooling="attention", *, steps=600, lr=1e-2, **sizes):
        """A model trained from scratch; `sizes` are the options of `ReviewModel`."""
        model = new_model(seed, ReviewModel, len(self.vocabulary), pooling, **sizes)
        parts = self.training
        fit(model, lambda chosen: _loss(model, Reviews(*(part[chosen] for part in parts))), len(parts.labels),
            steps=steps, lr=lr)
        return model

    @torch.no_grad()
    def evaluate(self, model, reviews=None):
        """The share of the held-out reviews, or of others, for which a model is right."""
        documents, labels, _ = self.held_out if reviews is None else reviews
        return ((model(documents)[0] > 0) == labels).double().mean().item()

    @torch.no_grad()
    def loss(self, model):
        """The mean over the held-out reviews of -log of the probability given to what is right, in nats."""
        return _loss(model, self.held_out).item()

    @torch.no_grad()
    def evaluate_on_decisive(self, model):
        """What a model's weights give to the decisive word, over the held-out reviews that have one: `OnDecisive`."""
        documents, _, decisive = self.held_out
        weights = model(documents)[1]
        if weights is None or (decisive < 0).all():
            raise ValueError("a decisive word and weights are needed: "
                             f"{'a maximum has no weights' if weights is None else 'these reviews have no such word'}")
        weights, decisive = weights[decisive >= 0], decisive[decisive >= 0, None]
        own = weights.gather(1, decisive)
        return OnDecisive(own.mean().item(), ((weights >= own).sum(1) == 1).double().mean().item())

    def evaluate_rules(self):
        """The share of the held-out reviews for which simple rules are right, by name; half where they guess."""
        documents, labels, _ = (part.numpy() for part in self.held_out)
        opinions, decisive = (np.isin(documents, good).sum(1) - np.isin(documents, bad).sum(1)
                              for bad, good in (_OPINIONS, _DECISIVE))
        rules = {"guess": 0 * opinions, "count opinion words": opinions, "look for a decisive word": decisive,
                 "decisive word, else count": np.where(decisive, decisive, opinions)}
        return {name: float(np.mean((np.sign(says) * (2 * labels - 1) + 1) / 2)) for name, says in rules.items()}

    def documents(self, numbers):
        """Reviews given as numbers (b, n), as lists of words."""
        return [[self.vocabulary[number] for number in row] for row in numbers.tolist()]

    def encode(self, words):
        """A review, a string with blanks between its words, or a list of them, as numbers (1, n)."""
        return encode([words.split() if isinstance(words, str) else words], self.vocabulary)


@torch.no_grad()
def travelling(model):
    """A model with the words of `REVIEW_WORDS` as a dict for JSON, its numbers rounded to four decimals.

    It has 13 kB if compressed. A word's score is its key's scaled dot product with the query, 0 without attention. With
    the documents' words as rows: weights = softmax(scores), pooled = weights @ vectors, or the largest number in each
    column for a maximum, logit = relu(pooled @ w1 + b1) @ w2 + b2. There are ``words``, ``pooling``, ``scores``
    (words), ``vectors`` (words, d), ``w1`` (d, hidden), ``b1``, ``w2`` (hidden), ``b2``: lists and numbers.
    """
    vectors, (first, _, second) = model.embedding.weight, model.readout
    scores = torch.zeros(len(vectors))
    if model.pooling == "attention":
        scores = scaled_dot(model.query, vectors @ model.w_key)[0]
    numbers = {"scores": scores, "vectors": vectors, "w1": first.weight.T, "b1": first.bias, "w2": second.weight[0],
               "b2": second.bias[0]}
    # Of which 0.0 is added, so that no zero is a negative one.
    return {"words": REVIEW_WORDS, "pooling": model.pooling} | {
        name: (np.round(tensor.double().numpy(), 4) + 0.0).tolist() for name, tensor in numbers.items()}
