"""Preferences: pairs of sentences after a gift, the loss of their log-chances, and what a few steps do."""

import math

import pytest
import torch

from bookkit.lessons import storyteller
from bookkit.lessons.preferences import gifts, log_chances, pairs, preference_loss, sentence
from bookkit.lessons.stories import errors
from bookkit.lessons.storyteller import StoryTask


@pytest.fixture(scope="module")
def task():
    return StoryTask(400, 60)


def test_pairs_are_two_right_ways_to_go_on_after_a_gift(task):
    model = storyteller.trained()
    found = pairs(model, task.training, 4)
    assert len(found) == 4 and found == pairs(model, task.training, 4)
    for begun, better, worse in found:
        assert better[1] == "thanked" and better != worse and begun[-1] == better[-1] == worse[-1] == "."
        assert "gave" in begun[-8:]
        for after in (better, worse):
            assert {kind for kind, _ in errors(begun + after)} <= {"unfinished"}
    assert all(begun + thanks in [story[:len(begun + thanks)] for story in task.training] for begun, thanks in gifts(task.training)[:5])
    assert sentence("Rex ran . Max".split()) == ("Rex", "ran", ".") and sentence(["Rex"]) is None


def test_a_log_chance_is_the_sum_of_those_of_its_words(task):
    """Word by word, whatever is asked beside it."""
    model = storyteller.trained()
    begun, better, worse = pairs(model, task.held_out, 1)[0]
    told, by_hand = list(begun), 0.0
    with torch.no_grad():
        for word in better:
            by_hand += model(task.encode([told])[:, :-1])[0][0, -1].log_softmax(-1)[task.vocabulary.index(word)].item()
            told.append(word)
        logs = log_chances(model, begun, better, worse)
    assert logs[0].item() == pytest.approx(by_hand) and logs[1] == log_chances(model, begun, worse)


def test_the_loss_of_a_pair_by_hand():
    gained = torch.tensor([[1.0, -2.0]])                  # a margin of 0.3
    assert preference_loss(0 * gained).item() == pytest.approx(math.log(2))
    assert preference_loss(gained).item() == pytest.approx(math.log(1 + math.exp(-0.3)))
    assert preference_loss(gained, beta=1.0).item() == pytest.approx(math.log(1 + math.exp(-3)))
    assert preference_loss(gained + 5).item() == pytest.approx(preference_loss(gained).item())      # only the gap counts
