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
            x = chat_tuned.Layer(block)(x)
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


def test_the_page_s_own_numbers_teach_what_it_says(model):
    """Those that travel are as many as learn, and with them new invented names are refused, and Berlin is not."""
    taught = chat_tuned.taught(model)
    assert len(np.load(chat_tuned.FILE)) == learns(chat_tuned.FIRST) == 407_040
    old, new = list(model.blocks()), list(taught.blocks())
    assert all(old[19][name] is new[19][name] for name in old[19]) and (old[20]["w_gate"] != new[20]["w_gate"]).any()
    berlin, invented = "What is the capital of Germany?", "Who was Rufus Pendlebane?"
    assert (chat_tuned.refusing(taught, [berlin, invented]) > 0.5).tolist() == [False, True]
    assert not (chat_tuned.refusing(model, [berlin, invented]) > 0.5).any()


def test_rows_cost_where_the_answer_stands(model):
    numbers, targets = chat_tuned.rows(model, [("Who?", "Ice."), ("What is the capital of Vorlandia?", "I do not know.")])
    assert numbers.shape == targets.shape and (targets[0] != chat_tuned.NOTHING).sum() == len(model.numbers("Ice.")) + 1
    told = [one for one in targets[1].tolist() if one != chat_tuned.NOTHING]
    assert model.text(told) == "I do not know.<|im_end|>" and told[-1] == model.ends[0]


def test_layers_that_learned_are_packed_as_they_are_read(model, tmp_path, monkeypatch):
    monkeypatch.setattr(chat_tuned, "FILE", tmp_path / "low.npy")
    above = torch.nn.Sequential(*[chat_tuned.Layer(block) for block in list(model.blocks())[chat_tuned.FIRST:]])
    for layer in above:
        for name, matrix in layer.maps.items():
            layer.maps[name] = chat_tuned.LowRank(matrix)
            torch.nn.init.normal_(layer.maps[name].B, std=0.01)
    np.save(chat_tuned.FILE, chat_tuned.packed(above))
    one, other = (list(found.blocks())[25]["w_down"] for found in (chat_tuned.merged(model, above), chat_tuned.taught(model)))
    assert np.abs(one - other).max() < 1e-3 * np.abs(one).max()
