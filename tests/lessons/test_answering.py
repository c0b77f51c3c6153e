"""The story model taught to answer: what it is asked, and what counts as an answer."""

import pytest
import torch

from bookkit.lessons import storyteller
from bookkit.lessons.answering import answer, beginnings_with_coins, dialogues, goes_on, shares, tune
from bookkit.lessons.stories import errors
from bookkit.lessons.storyteller import StoryTask


@pytest.fixture(scope="module")
def task():
    return StoryTask(200, 60)


def test_what_is_asked_is_answered_without_a_mistake(task):
    """A beginning of a story, cut after a sentence behind which it goes on, and the answer makes a whole story of it."""
    found = dialogues(task.held_out, 20, seed=3)
    assert len(found) == 20 and found == dialogues(task.held_out, 20, seed=3) != dialogues(task.held_out, 20, seed=4)
    for asked, answered in found:
        assert asked[-1] == "." and "found" in asked and answered[0] == "now" and errors(asked + answered) == []
        assert any(story[:len(asked)] == asked and story[len(asked):] for story in task.held_out)
    assert answer("Zoe and Max met Rex in the tower .".split()) is None


def test_beginnings_without_an_answer(task):
    """Coins are there, and none has been given: what an answer would say, nobody knows."""
    for words in beginnings_with_coins(task.held_out, 5):
        assert words.count(".") == 2 and "coins" in words and "gave" not in words and answer(words) is None
    assert len(beginnings_with_coins(task.held_out, 5)) == 5


def test_tuning_is_the_same_twice_and_shares_are_counted(task):
    examples = dialogues(task.training, 20)
    first, again = (tune(task, storyteller.trained(), examples, steps=3) for _ in range(2))
    assert not first.training and all(map(torch.equal, first.parameters(), again.parameters()))
    assert not any(map(torch.equal, storyteller.trained().parameters(), first.parameters()))
    before = shares(storyteller.trained(), dialogues(task.held_out, 5, seed=1), beginnings_with_coins(task.held_out, 2))
    assert set(before) == {"answered", "right", "invented"} and before["right"] <= before["answered"] < 0.6


def test_going_on_ends_where_the_context_does():
    model = storyteller.trained()
    assert len(goes_on(model, "Zoe and Max met".split(), 3)) == 3
    assert len(goes_on(model, ("Rex", "saw", "a", "ball", ".") * 12, 10)) <= 3
