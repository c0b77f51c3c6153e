"""Guests who ask each other: the tables, and what a head loses with one matrix less."""

import numpy as np
import pytest
import torch

from bookkit.lessons import three_jobs
from bookkit.lessons.recall import GUESTS, MENU


def test_everybody_asks_about_somebody_else():
    tables = three_jobs.asking_tables(400, guests=5)
    names, asks, drinks, answers = map(np.asarray, tables)
    assert all(len(set(row)) == 5 for row in names) and (asks != np.arange(5)).all() and set(asks.flat) == set(range(5))
    assert np.array_equal(answers, np.take_along_axis(drinks, asks, axis=1)) and set(drinks.flat) == set(range(len(MENU)))
    assert all(torch.equal(a, b) for a, b in zip(tables, three_jobs.asking_tables(400, guests=5)))
    assert not torch.equal(tables.names, three_jobs.asking_tables(400, guests=5, seed=1).names)
    for wrong in (1, 13):
        with pytest.raises(ValueError, match=f"guests must be from 2 to 12, as many as there are names, got {wrong}"):
            three_jobs.asking_tables(2, guests=wrong)


def test_a_table_of_ones_own():
    table = three_jobs.table({"Ada": "Eva", "Ben": "Ada", "Eva": "Ada"}, ["tea", "milk", "tea"])
    assert [GUESTS[k] for k in table.names[0]] == ["Ada", "Ben", "Eva"] and table.asks.tolist() == [[2, 0, 0]]
    assert [MENU[k] for k in table.answers[0]] == ["tea"] * 3
    assert three_jobs.most_ordered(table) == pytest.approx(2 / 3)


def test_heads_side_by_side_learn_what_each_learns_alone():
    both, alone = (three_jobs.trained("three matrices", seeds=seeds, steps=5) for seeds in ([3, 4], [4]))
    assert all(torch.allclose(a[1:], b) for a, b in zip(both, alone))
