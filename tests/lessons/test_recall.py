"""Who ordered what: tables, models as by hand, and what a mean cannot hold."""

import numpy as np
import pytest
import torch

from bookkit.lessons.recall import GUESTS, MENU, RecallTask, recall_tables
from lessons.by_hand import close, relu, scatter


@pytest.fixture(scope="module")
def recall():
    return RecallTask()


def test_recall_tables():
    """Names are different, the asked one is there, the answer is its drink; all names, drinks and places occur alike."""
    assert len(set(GUESTS)) == 12 and len(set(MENU)) == 6
    for guests in (1, 3, 6, 12):
        names, drinks, asked, answers = recall_tables(3000, guests=guests, seed=1)
        assert names.shape == drinks.shape == (3000, guests) and asked.shape == answers.shape == (3000,)
        assert all(len(set(row)) == guests for row in names.tolist())
        place = (names == asked[:, None]).int()
        assert (place.sum(1) == 1).all() and torch.equal((place * drinks).sum(1), answers)
        for numbers, size in ((names.flatten(), 12), (drinks.flatten(), 6), (asked, 12), (answers, 6), (place.argmax(1), guests)):
            shares = torch.bincount(numbers, minlength=size) / len(numbers)
            assert len(shares) == size and (shares - 1 / size).abs().max() < 0.04
    assert all(map(torch.equal, recall_tables(5, seed=2), recall_tables(5, seed=2)))
    rng = np.random.default_rng(2)
    first, second = recall_tables(5, seed=rng), recall_tables(5, seed=rng)
    assert torch.equal(first.names, recall_tables(5, seed=2).names) and not torch.equal(first.names, second.names)
    with pytest.raises(ValueError, match="guests must be at most 12, .* got 13"):
        recall_tables(5, guests=13)


def recalled_by_hand(kind, p, names, drinks, asked):
    """Scores for one table, with numpy, from a model's parameters `p`; attention's weights too."""
    items = np.array([p["name_vectors.weight"][i] + p["drink_vectors.weight"][j] for i, j in zip(names, drinks)])
    question, weights = p["name_vectors.weight"][asked], None

    def layer(x, name):
        return x @ p[f"{name}.weight"].T + p[f"{name}.bias"]

    if kind in ("attention", "without softmax"):
        query = question @ p["w_query"]
        weights = np.array([query @ (item @ p["w_key"]) for item in items]) / np.sqrt(len(query))
        if kind == "attention":
            weights = np.exp(weights) / np.exp(weights).sum()
        return layer(sum(w * (item @ p["w_value"]) for w, item in zip(weights, items)), "readout"), weights
    if kind in ("mean", "concatenation"):
        read = items.mean(0) if kind == "mean" else np.concatenate(items)
        return layer(relu(layer(np.concatenate([read, question]), "readout.0")), "readout.2"), None
    inputs = items if kind == "per-item network" else [np.concatenate([item, question]) for item in items]
    mean = np.mean([relu(layer(relu(layer(x, "features.0")), "features.2")) for x in inputs], axis=0)
    return layer(mean * layer(question, "gate") if kind == "per-item network" else mean, "readout"), None


@pytest.mark.parametrize("kind", RecallTask.MODELS)
def test_recall_models_are_what_they_say(recall, kind):
    torch.manual_seed(0)
    model = recall.MODELS[kind]().double()
    scatter(model)
    parameters = {name: p.detach().numpy() for name, p in model.named_parameters()}
    for guests in (3, 6, 12):
        *table, answers = tables = recall_tables(20, guests=guests)
        if kind == "concatenation" and guests != 6:
            with pytest.raises(ValueError, match=f"made for 6 guests, got {guests}$"):
                model(*table)
            continue
        scores = model(*table)
        by_hand = [recalled_by_hand(kind, parameters, *(part[i].tolist() for part in table)) for i in range(20)]
        assert scores.shape == (20, 6) and close(scores, torch.tensor(np.array([score for score, _ in by_hand])))
        assert recall.evaluate(model, tables=tables) == (scores.argmax(1) == answers).sum() / 20
        if kind in ("attention", "without softmax"):
            weights = model.attend(*model.embed(*table))[1]
            assert close(weights, torch.tensor(np.array([w for _, w in by_hand])))
        # The order of the guests counts only where they are laid end to end.
        again = model(table[0].flip(1), table[1].flip(1), table[2])
        assert close(again, scores) == (kind != "concatenation")


def test_the_mean_does_not_hold_who_ordered_what(recall):
    """Two guests who swap their orders give the same mean, so the same answer, whatever the weights; others can tell."""
    before, after = (recall.encode({"Ada": one, "Ben": other, "Lou": "milk"}, "Ben") for one, other in (("tea", "cocoa"), ("cocoa", "tea")))
    for kind in ("attention", "without softmax", "mean", "per-item network", "relation network"):
        torch.manual_seed(0)
        model = recall.MODELS[kind]().double()
        assert close(model(*before[:3]), model(*after[:3])) == (kind == "mean"), kind
    # Of three guests all order different drinks in 20 of 36 cases, two the same in 15, all the same in one.
    assert abs(recall.evaluate_guess(3) - (20 * 1 + 15 * 2 + 1 * 3) / 36 / 3) < 0.01 and recall.evaluate_guess(3) > recall.evaluate_guess(6) > recall.evaluate_guess(12)
