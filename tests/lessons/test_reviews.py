"""Reviews of films: what decides them, and readers that pool in three ways."""

import json

import numpy as np
import pytest
import torch

from bookkit.lessons.reviews import (
    BAD,
    DECISIVE_BAD,
    DECISIVE_GOOD,
    FILLERS,
    GOOD,
    KINDS_OF_REVIEWS,
    POOLINGS,
    REVIEW_WORDS,
    ReviewModel,
    ReviewTask,
    film_reviews,
    travelling,
)
from lessons.by_hand import close, random_reader, read_by_hand, relu


@pytest.fixture(scope="module")
def review_task():
    return ReviewTask()


OPINIONS = [set(BAD), set(GOOD)]
SETTLES = [set(DECISIVE_BAD), set(DECISIVE_GOOD)]


@pytest.mark.parametrize("kind", KINDS_OF_REVIEWS)
def test_film_reviews(kind):
    """What a reader would say of each, by its words; labels and what turns a review are balanced."""
    reviews = film_reviews(400, kind, seed=1)
    assert reviews.documents.shape == (400, 100) and reviews.labels.double().mean() == 0.5
    turned = 0
    for numbers, label, decisive in zip(*map(torch.Tensor.tolist, reviews)):
        words = [REVIEW_WORDS[k] for k in numbers]
        bad, good = (sum(word in kind for word in words) for kind in OPINIONS)
        places = [i for i, word in enumerate(words) if word in SETTLES[0] | SETTLES[1]]
        assert places == ([] if decisive < 0 else [decisive])
        assert words.count("not") == (3 if kind == "not" else 0) and len(set(words) - set(FILLERS) - {"not"}) <= 17
        if kind in ("majority", "both"):
            assert 12 <= bad + good <= 28 and max(bad, good) >= 0.6 * (bad + good)
        else:
            assert bad == good == 0
        says = good > bad if decisive < 0 else words[decisive] in SETTLES[1]
        if kind == "both" and decisive >= 0:
            turned += (good > bad) != says
        if kind == "not" and words[decisive - 1] == "not":
            turned, says = turned + 1, not says
        assert says == label
    assert (reviews.decisive >= 0).sum() == {"majority": 0, "both": 200}.get(kind, 400)
    assert turned == (200 if kind in ("both", "not") else 0)
    again, other = film_reviews(400, kind, seed=1), film_reviews(400, kind, seed=2)
    assert all(map(torch.equal, reviews, again)) and not torch.equal(reviews.documents, other.documents)


@pytest.mark.parametrize("pooling", POOLINGS)
def test_review_models_are_what_they_say(review_task, pooling):
    """As by hand, in any order of the words; and what travels says the same, to the digits it has."""
    model, documents = random_reader(pooling), review_task.held_out.documents[:20]
    p = {name: tensor.detach().numpy() for name, tensor in model.named_parameters()}
    logits, weights = model(documents)
    by_hand = [read_by_hand(p, pooling, row) for row in documents.numpy()]
    assert close(logits, torch.tensor([logit for logit, _ in by_hand])) and close(model(documents.flip(1))[0], logits)
    assert weights is None if pooling == "max" else close(weights, torch.tensor(np.array([w for _, w in by_hand])))
    right = sum((logit > 0) == bool(label) for (logit, _), label in zip(by_hand, review_task.held_out.labels))
    assert review_task.evaluate(model, [part[:20] for part in review_task.held_out]) == right / 20
    sent = json.loads(json.dumps(travelling(model)))
    assert sent["words"] == REVIEW_WORDS and sent["pooling"] == pooling and any(sent["scores"]) == (pooling == "attention")
    vectors, scores, w1, b1, w2, b2 = (np.array(sent[name]) for name in ("vectors", "scores", "w1", "b1", "w2", "b2"))
    assert all((part == part.round(4)).all() for part in (vectors, scores, w1, b1, w2, b2))
    x, unnormalised = vectors[documents], np.exp(scores[documents])[..., None]
    pooled = x.max(axis=1) if pooling == "max" else (unnormalised * x).sum(1) / unnormalised.sum(1)
    assert abs(relu(pooled @ w1 + b1) @ w2 + b2 - logits.detach().numpy()).max() < 2e-3


@pytest.mark.parametrize("call, words", [(lambda: ReviewModel(10, "sum"), "pooling must be one of mean, max, attention, got 'sum'"),
                                         (lambda: film_reviews(3, "odd"), "kind must be one of majority, decisive, both, not, got 'odd'")])
def test_reviews_refuse(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_review_task(review_task):
    assert review_task.training.documents.shape == (1000, 100) and len(ReviewTask(30).training.labels) == 30
    few = ReviewTask(30, "majority", seed=4)
    assert torch.equal(few.held_out.documents, ReviewTask(60, "majority", seed=4).held_out.documents)
    assert not torch.equal(few.held_out.documents[:30], few.training.documents)
    [words] = review_task.documents(review_task.encode("a masterpiece not dull"))
    assert words == ["a", "masterpiece", "not", "dull"] and torch.equal(review_task.encode(words), review_task.encode("a masterpiece not dull"))
    one, same, other = (few.train(seed, steps=3, width=4, key_width=2, hidden=5) for seed in (1, 1, 2))
    assert torch.equal(one.w_key, same.w_key) and not torch.equal(one.w_key, other.w_key) and one.w_key.shape == (4, 2)
    logits = review_task.held_out.labels.double() * 2 - 1

    def certain(documents):
        return 50 * logits, None

    assert review_task.loss(certain) < 1e-12 and review_task.evaluate(certain) == 1
    assert review_task.loss(lambda documents: (0 * logits, None)) == pytest.approx(np.log(2))


@pytest.mark.parametrize("kind, right", [("majority", (0.5, 1, 0.5, 1)), ("decisive", (0.5, 0.5, 1, 1)),
                                         ("both", (0.5, 0.5, 0.75, 1)), ("not", (0.5, 0.5, 0.5, 0.5))])
def test_rules_for_reviews(kind, right):
    rules = ReviewTask(10, kind).evaluate_rules()
    assert rules == dict(zip(("guess", "count opinion words", "look for a decisive word", "decisive word, else count"), right))
