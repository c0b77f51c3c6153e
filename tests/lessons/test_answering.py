"""The story model taught to answer: what it is asked, and what counts as an answer."""

import pytest
import torch

from bookkit.lessons import storyteller
from bookkit.lessons.answering import answer, beginnings_with_coins, dialogues, goes_on, shares, tune
from bookkit.lessons.stories import errors
from bookkit.lessons.storyteller import StoryTask


@pytest.fixture(scope="module")
def task():
    return StoryTask(2000, 60)


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


def test_tuning_counts_answers_only(task):
    """What was asked leaves no gradient: other words there that give the same vectors would teach the same."""
    model = storyteller.trained()
    examples = dialogues(task.training[::20], 40)
    before = [p.clone() for p in model.parameters()]
    loss = task.loss(model)
    assert tune(task, model, examples, steps=60, lr=3e-3) is model and not model.training
    again = tune(task, storyteller.trained(), examples, steps=60, lr=3e-3)
    assert all(map(torch.equal, model.parameters(), again.parameters())) and not any(map(torch.equal, before, model.parameters()))
    cases, coins = dialogues(task.held_out, 20, seed=1), beginnings_with_coins(task.held_out, 5)
    was, now = (shares(one, cases, coins) for one in (storyteller.trained(), model))
    assert now["answered"] > 0.9 > 0.6 > was["answered"] and now["right"] > was["right"] and now["invented"] > 0.5 > was["invented"]
    assert task.loss(model) > loss + 0.1, "it has not forgotten how to go on"


def test_going_on_ends_where_the_context_does():
    model = storyteller.trained()
    assert len(goes_on(model, "Zoe and Max met".split(), 3)) == 3
    assert len(goes_on(model, ("Rex", "saw", "a", "ball", ".") * 12, 10)) <= 3
