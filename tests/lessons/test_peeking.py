"""Two readers of a story, one of which sees all of it: who hides sees nothing that comes later, and a story may end early."""

import torch

from bookkit.lessons import peeking
from bookkit.lessons.storyteller import StoryTask
from bookkit.lessons.training import new_model


def test_only_who_does_not_hide_sees_what_comes_later():
    numbers, changed = torch.tensor([[3, 4, 5, 6]]), torch.tensor([[3, 4, 5, 7]])
    for hides in (True, False):
        reader = new_model(0, peeking.Reader, 9, hides)
        assert torch.equal(reader(numbers)[:, :3], reader(changed)[:, :3]) == hides


def test_a_story_may_end_early():
    task = StoryTask(40, 5)
    reader = peeking.Reader(len(task.vocabulary), hides=True)
    with torch.no_grad():
        reader.out.bias.fill_(-100.0)
        reader.out.bias[task.vocabulary.index("<end>")] = 100.0
    assert peeking.write(task, reader) == ""
    with torch.no_grad():
        reader.out.bias[task.vocabulary.index("met")] = 300.0
    assert peeking.write(task, reader, most=3) == "met met met"
