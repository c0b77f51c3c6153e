"""Queries that learn with each of three divisors: the shortcut by scores is plain gradient descent, and what the pages say of it."""

import numpy as np
import pytest
import torch

from bookkit.lessons.scaled_queries import DIVISORS, learned, problems, within


def by_torch(width, scale, rate, steps):
    """The same queries, trained by torch itself."""
    keys, queries, values = map(torch.tensor, problems(width, number=20))
    q = queries.clone().requires_grad_()
    step = torch.optim.SGD([q], lr=rate)
    def weights():
        return (scale * (keys @ q[..., None])[..., 0]).softmax(-1)
    for _ in range(steps):
        step.zero_grad()
        (((weights() * values).sum(-1) - values[:, 0]) ** 2).sum().backward()
        step.step()
    return within(weights().detach().numpy(), values.numpy())


@pytest.mark.parametrize("name", DIVISORS)
def test_queries_learn_as_torch_lets_them(name, monkeypatch):
    monkeypatch.setattr("bookkit.lessons.scaled_queries.problems", lambda width: problems(width, number=20))
    for width in (4, 64):
        scale = DIVISORS[name](width)
        assert learned(width, scale, [0.3], steps=30)[0] == pytest.approx(by_torch(width, scale, 0.3, 30), abs=0.051)


def test_problems_are_the_same_for_everybody():
    assert all(np.array_equal(a, b) for a, b in zip(problems(8), problems(8), strict=True))
