"""A model that may see the next word learns to copy it, and cannot write."""

import torch

from bookkit.lessons import peeking
from bookkit.lessons.storyteller import StoryTask


def test_who_may_look_ahead_copies():
    task = StoryTask()
    held = task.encode(task.held_out[:50])
    for hides in (True, False):
        reader = peeking.trained(task, hides, seed=7, steps=200)
        with torch.no_grad():
            assert (reader.loss(held) < 0.2) != hides
        assert (" met " in peeking.write(task, reader)) == hides


def test_a_story_may_end_early():
    task = StoryTask()
    reader = peeking.Reader(len(task.vocabulary), hides=True)
    with torch.no_grad():
        reader.out.bias.fill_(-100.0)
        reader.out.bias[task.vocabulary.index("<end>")] = 100.0
    assert peeking.write(task, reader) == ""
    with torch.no_grad():
        reader.out.bias[task.vocabulary.index("met")] = 300.0
    assert peeking.write(task, reader, most=3) == "met met met"
