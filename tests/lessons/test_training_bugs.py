"""The planted bugs: the model without one is the story model, each bug does what it says, and what was measured tells of it."""

import math

import pytest
import torch

from bookkit.lessons import training_bugs
from bookkit.lessons.measured import results
from bookkit.lessons.storyteller import StoryTask, Storyteller
from bookkit.lessons.training import new_model
from bookkit.lessons.training_bugs import BUGS, CHECKS, NAMES, SOUND, PlantedModel, PlantedRun, finds

LEAKS = {"the mask is missing", "the mask is the wrong way round", "heads are merged in the wrong order"}
IN_LISTS = {"the second block is kept in a list": 10_884, "both blocks are kept in a list": 2_336}


@pytest.fixture(scope="module")
def task():
    return StoryTask(300, 40)


@pytest.fixture(scope="module")
def sound(task):
    return PlantedRun(SOUND, 1, task)


def measured(name):
    return [run for run in results("training_bugs")["runs"] if run["bug"] == name]


def test_without_a_bug_it_is_the_story_model(task, monkeypatch):
    """Number for number: untrained, and after six steps."""
    words = task.vocabulary
    numbers = task.encode(task.held_out[:5])
    ours, theirs = new_model(3, PlantedModel, words), new_model(3, Storyteller, words)
    assert [(name, p.shape) for name, p in ours.named_parameters()] == [(name, p.shape) for name, p in theirs.named_parameters()]
    with torch.no_grad():
        assert torch.allclose(ours(numbers)[0], theirs(numbers)[0], rtol=0, atol=1e-12)
        assert all(torch.allclose(a, b, rtol=0, atol=1e-12) for a, b in zip(ours(numbers)[1], theirs(numbers)[1], strict=True))
    monkeypatch.setattr(training_bugs, "STEPS", 6)
    run = PlantedRun(SOUND, 3, task).train(6)
    trained = task.train(3, steps=6)
    assert len(run.losses) == 6 and all(torch.equal(a, b) for a, b in zip(run.model.parameters(), trained.parameters(), strict=True))


@pytest.mark.parametrize("name", NAMES)
def test_what_a_bug_changes_before_any_training(name, task, sound):
    """Who sees later words, who is not given to the optimiser, what counts in the loss, how sharp and how large it begins."""
    run = PlantedRun(name, 1, task)
    assert (run.moved_by_later(3) > 0) == (name in LEAKS)
    assert run.parameters() == IN_LISTS.get(name, 19_432) and len(list(run.model.tensors())) == 29
    pairs = run.pairs()
    assert (pairs["padding"] > 0) == (name == "padding counts in the loss")
    assert all(a == b for a, b in pairs["first"]) == (name == "targets are not shifted")
    first, again = run.gradient()
    assert again == pytest.approx(2 * first if name == "gradients are never set to zero" else first)
    sharp = run.sharpest(False, 5) / sound.sharpest(False, 5)
    assert (sharp > 1.5) == (name in {"the root of d_k is missing", "the mask is the wrong way round"})
    assert len(run.numbers) == (100 if name == "it trains on a hundred stories" else 300)
    loss = run.loss(run.model, task.encode(task.held_out[:3])).item()
    assert (loss > 20) == (name == "word vectors begin ten times too large")
    if name == "softmax is taken twice":
        assert loss == pytest.approx(math.log(71), abs=0.1)


def test_positions_that_are_forgotten_and_blocks_in_lists_do_not_move(task):
    for name in ("positions are forgotten", *IN_LISTS, SOUND):
        run = PlantedRun(name, 2, task).train(3)
        left = run.unmoved()
        assert left == {"positions are forgotten": ["blocks.0.bias", "blocks.1.bias"], SOUND: []}.get(
            name, [n for n, _ in run.model.tensors() if n.startswith("blocks.1" if "second" in name else "blocks.")])


def test_what_is_overfitted_begins_anew(task, monkeypatch):
    """And leaves the trained model alone."""
    monkeypatch.setattr(training_bugs, "OVERFIT_STEPS", 5)
    run = PlantedRun("the mask is missing", 2, task)
    before = [p.clone() for p in run.model.parameters()]
    assert run.overfit() < math.log(71) and run.losses == [] and all(map(torch.equal, before, run.model.parameters()))


def test_bad_names():
    with pytest.raises(ValueError, match="bug must be a name of NAMES, got 'none'"):
        PlantedModel(["a"], "none")


@pytest.mark.parametrize("bug", BUGS)
def test_what_gives_a_bug_away_did_so_in_every_training(bug):
    sound = measured(SOUND)
    floors = {run["seed"]: 10 * math.log(10) / run["pairs"]["count"] for run in sound}
    runs = measured(bug.name)
    assert len(runs) == len(sound) == 3
    for run in runs:
        found = finds(run, sound, floors[run["seed"]])
        assert bug.tells and {*bug.tells} <= found <= {"the curve", *CHECKS}
    assert not any(finds(run, sound, floors[run["seed"]]) for run in sound), "a sound run is suspected"
