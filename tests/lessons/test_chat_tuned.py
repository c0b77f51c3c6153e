"""The chat model tuned to answer in a word: what is asked, the model in torch, what learns, the changes added in."""

import numpy as np
import pytest
import torch

from bookkit.lessons import chat_model, chat_tuned
from bookkit.lessons.chat_texts import ASK, LEARN
from bookkit.lessons.chat_tuned import asked, judged, learns, ordinary, tune


@pytest.fixture(scope="module")
def model():
    return chat_model.loaded()


def test_no_question_is_learned_from_and_asked():
    learn, ask = LEARN, ASK
    assert (len(learn), len(ask)) == (60, 24) and len({question for question, _ in learn + ask}) == 84
    assert all(question.endswith("?") and " " not in answer for question, answer in learn + ask)


def test_the_model_in_torch_reads_the_same(model):
    numbers = asked(model, "What do hens lay?")
    x = torch.tensor(model.embedding)[torch.tensor([numbers])]
    with torch.no_grad():
        for block in model.blocks():
            x = chat_tuned.through({name: [torch.tensor(w)] if w.ndim > 1 else torch.tensor(w) for name, w in block.items()}, x)
    assert np.abs(model.so_far(x[0].numpy()) - model.so_far(model.end(numbers))).max() < 1e-2


def test_a_change_is_added_where_it_was_learned(model):
    pairs = LEARN[:3]
    tuned, losses = tune(model, pairs, first=29, steps=2, batch=2, rate=1e-2, seed=1)
    old, new = list(model.blocks()), list(tuned.blocks())
    assert len(losses) == 2 and all(old[28][name] is new[28][name] for name in old[28])
    for name, w in old[29].items():
        change = new[29][name] - w
        assert not change.any() if w.ndim == 1 else 0 < np.linalg.matrix_rank(change, tol=1e-4 * np.abs(change).max()) <= 8, name
    assert learns(29) == sum(4 * sum(w.shape) for w in old[29].values() if w.ndim == 2)


def test_answers_are_judged(model):
    assert judged([("Where?", "Here"), ("When?", "Now")], ["Here.", "It is now"]) == {"one word": 1, "right": 2}
    texts = np.array([model.numbers("The cat sat on the mat and looked at the old dog.")[:12]])
    assert ordinary(model, texts) == pytest.approx(float(model.losses(texts)[0, 8:].mean()))
