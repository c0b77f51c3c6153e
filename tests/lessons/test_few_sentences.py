"""A pretrained model taught with a few sentences: the sentences, the matrix, the bag of words, the model in torch's layers."""

import numpy as np
import pytest
import torch

from bookkit.lessons import minilm
from bookkit.lessons.few_sentences import (
    HELD_OUT,
    MOODS,
    OPINIONS,
    REQUESTS,
    LowRank,
    SentenceModel,
    add_low_rank,
    bags,
    draw,
    opinions,
    right,
    taught,
    tune,
)


@pytest.fixture(scope="module")
def model():
    return minilm.loaded()


def test_nothing_is_learned_from_that_is_a_test():
    for examples in (1, 2, 32):
        (learn, kinds), (test, answers) = draw(["food", "pets", "money"], examples, seed=3)
        assert not set(learn) & set(test) and len(set(learn)) == 3 * examples and len(set(test)) == 3 * HELD_OUT
        assert all(text in REQUESTS[["food", "pets", "money"][kind]] for text, kind in zip(learn + test, kinds + answers, strict=True))
    assert draw(["food", "pets"], 2, 1) == draw(["food", "pets"], 2, 1) != draw(["food", "pets"], 2, 2)


def test_opinions_to_learn_from_to_choose_by_and_to_be_asked():
    """No sentence stands in two parts or in both moods; all are in the size that is told."""
    texts = [text for part in OPINIONS.values() for given in part.values() for text in given]
    assert {part: [len(given[mood]) for mood in MOODS] for part, given in OPINIONS.items()} == {"learn": [128] * 2, "validation": [58] * 2, "test": [150] * 2}
    assert len(set(texts)) == len(texts) == 672 and all(5 <= len(text.split()) <= 18 and text.isascii() for text in texts)
    drawn, moods = opinions("learn", 4, seed=1)
    assert moods == [0] * 4 + [1] * 4 and all(text in OPINIONS["learn"][MOODS[mood]] for text, mood in zip(drawn, moods, strict=True))
    assert opinions("learn", 4, 1) == (drawn, moods) != opinions("learn", 4, 2) and len(opinions("test")[0]) == 300


@pytest.mark.parametrize("examples", [0, 33])
def test_a_draw_of_more_than_there_are_is_refused(examples):
    with pytest.raises(ValueError, match=f"examples must be 1 to 32, got {examples}"):
        draw(["food"], examples, 0)


def test_one_step_is_down_the_slope_of_cross_entropy():
    rng = np.random.default_rng(0)
    vectors, kinds = rng.normal(size=(7, 5)), rng.integers(0, 3, 7)
    found = taught(vectors, kinds, 3, steps=1, rate=2.0)
    M = torch.zeros(5, 3, dtype=torch.float64, requires_grad=True)
    torch.nn.functional.cross_entropy(torch.tensor(vectors) @ M, torch.tensor(kinds)).backward()
    assert np.allclose(found, -2 * M.grad.numpy(), atol=1e-12)
    long = taught(vectors, kinds, 3, steps=400, rate=1.0)
    assert ((vectors @ long).argmax(axis=1) == kinds).all(), "seven vectors of five numbers can be told apart"


def test_a_bag_counts_rare_words_for_more():
    known = ["the cat sat", "the cat ran", "a dog ran"]
    words = bags(known, known)                                  # cat, dog, ran, sat
    assert words.shape == (3, 4) and np.allclose(np.linalg.norm(words, axis=1), 1)
    cat, dog, ran, sat = words.T
    assert sat[0] > cat[0] > 0 == dog[0] and dog[2] > ran[2] and cat[1] == ran[1]
    assert not bags(["nothing known here"], known).any()


def test_the_model_in_layers_of_torch_makes_the_same_vectors(model):
    """Sentences of other lengths beside it, which are padded, change nothing."""
    texts = ["I like tea.", "Is there a night train to the coast, or must we wait until morning?", "Unhappy giraffes!"]
    with torch.no_grad():
        found = SentenceModel(model, 2).vectors(texts).numpy()
    assert np.allclose(found, [model.vector(text) for text in texts], atol=2e-6)


def test_what_tunes_and_what_stays(model):
    (texts, kinds), _ = draw(["food", "pets"], 4, seed=0)
    for part, moved in (("last", {"5"}), ("all", set("012345"))):
        tuned, before = SentenceModel(model, 2), SentenceModel(model, 2)
        tune(tuned, texts, kinds, part=part, steps=1, rate=1e-4)
        changed = {name for (name, now), old in zip(tuned.named_parameters(), before.parameters()) if not torch.equal(now, old)}
        assert {name.split(".")[2] for name in changed if name.startswith("layers.")} == moved
        assert ("table.weight" in changed) == (part == "all") and "kinds.weight" in changed


def test_low_rank_begins_as_nothing_and_only_its_own_numbers_learn(model):
    W = torch.arange(6.0).reshape(2, 3)
    low = LowRank(W, 1)
    assert low.A.shape == (3, 1) and low.B.shape == (1, 2) and torch.equal(low(W), W)
    with torch.no_grad():
        low.B.copy_(torch.tensor([[1.0, 2.0]]))
        x = torch.tensor([[1.0, -1.0, 2.0]])     # torch keeps the matrix turned
        assert torch.allclose(x @ low(W).T, x @ W.T + x @ low.A @ low.B)
    (texts, kinds), _ = draw(["food", "pets"], 2, seed=0)
    plain, tuned = SentenceModel(model, 2), SentenceModel(model, 2)
    learns = add_low_rank(tuned, 4)
    with torch.no_grad():
        assert torch.allclose(tuned.vectors(texts), plain.vectors(texts), atol=1e-6)
    assert sum(one.numel() for one in learns) == 147_456 and {id(p) for p in tuned.parameters() if p.requires_grad} == {id(p) for p in [*learns, tuned.kinds.weight]}
    again = SentenceModel(model, 2)
    losses = tune(again, texts, kinds, part="low rank", steps=2, rate=1e-2)
    layer = again.layers.layers[0].linear1
    assert len(losses) == 2 and torch.equal(layer.parametrizations.weight.original, plain.layers.layers[0].linear1.weight)
    assert not torch.equal(layer.weight, plain.layers.layers[0].linear1.weight)


def test_tuning_learns_its_examples_and_is_the_same_twice(model):
    (texts, kinds), _ = draw(["food", "pets", "money"], 2, seed=0)
    losses = []
    for steps in (1, 40):
        torch.manual_seed(0)
        small = SentenceModel(model, 3, fresh=True)
        losses.append(tune(small, texts, kinds, steps=steps, rate=3e-3, seed=1))
    assert right(small, texts, kinds) == 1 and losses[0][0] == losses[1][0] > losses[1][-1]
    assert sum(p.numel() for p in small.layers.parameters()) < 200_000
