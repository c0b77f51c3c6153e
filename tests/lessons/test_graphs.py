"""Messages on a graph: attention under a mask, scores as by hand, and a town that asks."""

import numpy as np
import pytest
import torch
from table import each
from torch import nn

from attnkit import attention, window_mask
from bookkit.lessons.graphs import (
    OPINIONS,
    TOPICS,
    GraphModel,
    TownTask,
    graph_attention_score,
    graph_attention_score_v2,
    leaky_relu,
    message_passing,
)
from bookkit.lessons.training import new_model
from lessons.by_hand import close, items


def test_messages_are_attention_under_a_mask():
    rng = np.random.default_rng(0)
    query, key = rng.normal(size=(7, 3)), rng.normal(size=(5, 3))
    value, mask = rng.normal(size=(5, 2)), rng.random((7, 5)) < 0.4
    mask[3], mask[4, 1] = False, True
    edges = np.argwhere(mask)
    output = message_passing(query, key, value, rng.permutation(edges))
    assert np.abs(output - attention(query, key, value, mask=mask)[0]).max() < 1e-14
    assert (output[3] == 0).all() and output[4].any() and (message_passing(query, key, value, []) == 0).all()


@each("radius", [1, 3])
def test_rounds_of_messages_reach_further(radius):
    edges, x = np.argwhere(window_mask(12, radius)), np.random.default_rng(1).normal(size=(12, 3))
    changed = x + (np.arange(12) == 0)[:, None]
    for rounds in range(1, 5):
        x, changed = (message_passing(y, y, y, edges) for y in (x, changed))
        assert np.array_equal((x != changed).any(1), np.arange(12) <= rounds * radius)


def test_scores_of_graph_attention():
    rng = np.random.default_rng(2)
    query, key, a = rng.normal(size=(4, 3)), rng.normal(size=(5, 3)), rng.normal(size=6)
    scores, second = graph_attention_score(query, key, a[:3], a[3:]), graph_attention_score_v2(query, key, a[:3])
    for i, j in np.ndindex(4, 5):
        before = float(a @ np.concatenate([query[i], key[j]]))
        assert abs(scores[i, j] - max(before, 0.2 * before)) < 1e-12
        assert abs(second[i, j] - sum(v * max(s, 0.2 * s) for v, s in zip(a, query[i] + key[j]))) < 1e-12
    assert (np.argsort(scores) == np.argsort(scores[0])).all() and (np.argsort(second) != np.argsort(second[0])).any()
    tensors = [torch.from_numpy(x) for x in (query, key, a[:3], a[3:])]
    assert close(graph_attention_score(*tensors), torch.from_numpy(scores)) and close(graph_attention_score_v2(*tensors[:3]), torch.from_numpy(second))
    x = items(3, 50)
    assert close(leaky_relu(x, 0.3), nn.functional.leaky_relu(x, 0.3))


@each("wants", ["the same", "their own"])
def test_a_town_asks_what_can_be_answered(wants):
    task = TownTask(wants, num_people=15, seed=4)
    friends = task.friends
    assert friends.shape == (15, 15) and torch.equal(friends, friends.T) and friends.diagonal().all()
    asked = 0
    for knows, wanted, says, answers in zip(*task.held_out):
        assert knows.max() < TOPICS and says.max() < OPINIONS
        for i in range(15):
            right = [j for j in range(15) if friends[i, j] and knows[j] == wanted[i]]
            assert answers[i] == (says[right[0]] if len(right) == 1 and right[0] != i else -1)
        asked += (answers >= 0).sum().item()
        could = [t for t in range(TOPICS) if (knows[friends[0]] == t).sum() == 1 and knows[0] != t]
        assert wanted[0] in could if wants == "their own" and could else True
    assert task.held_out.wants.unique().tolist() == ([0] if wants == "the same" else list(range(TOPICS))) and asked > 300


@each("kind", [kind for kind in GraphModel.KINDS if "heads" not in kind])
def test_graph_models_are_what_they_say(kind):
    task, model = TownTask(num_people=9), new_model(1, GraphModel, kind, 6)
    questions = type(task.held_out)(*(part[:2] for part in task.held_out))
    scores, weights = model(questions, task.friends)
    x = model.knows.weight[questions.knows] + model.wants.weight[questions.wants] + model.says.weight[questions.says]
    query, key, value = (x @ w for w in (model.w_query, model.w_key, model.w_value))
    a, b = model.vectors
    raw = {"mean": torch.zeros(2, 9, 9).double(), "dot product": query @ key.mT / 6**0.5,
           "graph attention": nn.functional.leaky_relu((query @ a)[:, :, None] + (key @ b)[:, None], 0.2),
           "graph attention v2": nn.functional.leaky_relu(query[:, :, None] + key[:, None], 0.2) @ a}[kind]
    expected = raw.masked_fill(~task.friends, -torch.inf).softmax(-1)
    assert close(weights, expected) and scores.shape == (2, 9, OPINIONS)
    assert close(scores, model.readout(torch.cat([expected @ value, x], dim=-1)))


def test_heads_of_graph_attention_stand_side_by_side():
    task, model = TownTask(num_people=9), new_model(1, GraphModel, "graph attention, 8 heads", 6)
    questions = type(task.held_out)(*(part[:2] for part in task.held_out))
    scores, weights = model(questions, task.friends)
    x = model.knows.weight[questions.knows] + model.wants.weight[questions.wants] + model.says.weight[questions.says]
    outputs = []
    for head, (w, (a, b)) in enumerate(zip(model.heads.matrices, model.heads.vectors, strict=True)):
        h = x @ w
        raw = nn.functional.leaky_relu((h @ a)[:, :, None] + (h @ b)[:, None], 0.2)
        expected = raw.masked_fill(~task.friends, -torch.inf).softmax(-1)
        assert close(weights[:, head], expected)
        outputs.append(expected @ h)
    assert weights.shape == (2, 8, 9, 9) and close(scores, model.readout(torch.cat([*outputs, x], dim=-1)))


def test_a_static_score_finds_only_what_all_want():
    def right(wants, kind, lr=1e-2):
        task = TownTask(wants)
        return task.evaluate(task.train(0, kind, steps=150, lr=lr))

    assert right("the same", "graph attention") > 0.95 and right("the same", "mean") < 0.7
    assert right("their own", "graph attention") < 0.7 and right("their own", "dot product") > 0.9
    assert right("their own", "graph attention, 8 heads", lr=3e-2) > 0.9


@each("call, words", [
    (lambda: message_passing(*np.ones((3, 2, 2)), [(0, 2)]), r"a number below 2 and one below 2, got up to \[0, 2\]"),
    (lambda: message_passing(*np.ones((3, 2, 2)), [(-1, 0)]), r"down to \[-1, 0\]"),
    (lambda: GraphModel("magic"), "kind must be one of mean, .*, got 'magic'"),
    (lambda: TownTask("magic"), "wants must be 'the same' or 'their own', got 'magic'"),
])
def test_what_graphs_refuse(call, words):
    with pytest.raises(ValueError, match=words):
        call()
