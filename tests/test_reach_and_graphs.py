"""Layers that look back, messages on a graph and states that fade: each is what it says, by hand, by torch and by others."""

import numpy as np
import pytest
import torch
from torch import nn

from attnkit import attention, causal_mask, window_mask
from attnkit.lessons.graphs import (
    OPINIONS,
    TOPICS,
    GraphAttention,
    GraphModel,
    TownTask,
    graph_attention_score,
    graph_attention_score_v2,
    leaky_relu,
    message_passing,
)
from attnkit.lessons.reach import (
    FILLERS,
    LAYERS,
    NAMES,
    CausalAttention,
    CausalConvolution,
    DilatedConvolution,
    FirstWordModel,
    FirstWordTask,
    GatedRecurrence,
    PlainRecurrence,
    gradient_reach,
    shortest_path,
)
from attnkit.lessons.state_space import state_space_attention, state_space_convolution, state_space_scan
from attnkit.lessons.training import new_model


def close(a, b):
    return torch.allclose(a, b, rtol=0, atol=1e-12)


# ---- what the last output knows of the first item

def items(seed, *shape):
    return torch.from_numpy(np.random.default_rng(seed).normal(size=shape))


def test_a_plain_recurrence_is_that_of_torch():
    plain, theirs = new_model(0, PlainRecurrence, 5), new_model(1, nn.RNN, 5, 5, batch_first=True)
    with torch.no_grad():
        plain.bias.copy_(items(2, 5))
        theirs.weight_ih_l0.copy_(plain.w_input.T)
        theirs.weight_hh_l0.copy_(plain.w_state.T)
        theirs.bias_ih_l0.copy_(plain.bias)
        theirs.bias_hh_l0.zero_()
    x = items(3, 4, 7, 5)
    assert close(plain(x), theirs(x)[0])
    turned = new_model(0, PlainRecurrence, 5, orthogonal=True).w_state
    assert close(turned @ turned.T, torch.eye(5).double()) and not close(plain.w_state @ plain.w_state.T, torch.eye(5).double())


@pytest.mark.parametrize("kernel, dilation", [(1, 1), (2, 1), (3, 1), (2, 4), (3, 2)])
def test_a_causal_convolution_by_hand(kernel, dilation):
    layer, x = new_model(0, CausalConvolution, 4, kernel, dilation), items(1, 2, 9, 4)
    expected = torch.zeros(2, 9, 4).double()
    for t in range(9):
        expected[:, t] = layer.convolution.bias
        for back in range(kernel):
            if t - back * dilation >= 0:
                expected[:, t] += x[:, t - back * dilation] @ layer.convolution.weight[:, :, kernel - 1 - back].T
    assert close(layer(x), expected.clamp(min=0))


@pytest.mark.parametrize("radius", [None, 0, 2])
def test_causal_attention_is_attention_under_a_mask(radius):
    layer, x = new_model(0, CausalAttention, 4, radius), items(1, 2, 7, 4)
    p = layer.attend
    mask = causal_mask(7, like=x) if radius is None else causal_mask(7, like=x) & window_mask(7, radius, like=x)
    output, _ = attention(x @ p.w_query, x @ p.w_key, x @ p.w_value, mask=mask)
    assert close(layer(x), output @ p.w_output), "biases are zero at the start"


@pytest.mark.parametrize("kind", LAYERS)
def test_no_layer_sees_the_future_and_each_sees_all_of_the_past(kind):
    layer, x = new_model(0, LAYERS[kind], 8, 11), items(1, 1, 11, 8)
    for place in range(11):
        changed = x.clone()
        changed[:, place] += 1
        differs = (layer(x) != layer(changed)).any(-1)[0]
        assert not differs[:place].any() and differs[place], place
    assert (gradient_reach(layer, 11, 8) > 0).all()


@pytest.mark.parametrize("length, layers", [(2, 1), (3, 2), (4, 2), (5, 3), (32, 5), (33, 6)])
def test_a_dilated_convolution_reaches_as_far_as_it_must(length, layers):
    stack = new_model(0, DilatedConvolution, 16, length)
    assert len(stack) == layers
    assert (gradient_reach(stack, 70, 16) > 0).sum() == 2**layers >= length > 2 ** (layers - 1)


@pytest.mark.parametrize("scale", [1.0, 0.2])
def test_gradient_reach_is_the_size_of_a_derivative(scale):
    layer = new_model(0, GatedRecurrence, 3)
    x, step = torch.from_numpy(scale * np.random.default_rng(5).normal(size=(4, 3))), 1e-6
    for place, size in enumerate(gradient_reach(layer, 4, 3, seed=5, scale=scale)):
        squares = 0
        for column in range(3):
            up, down = x.clone(), x.clone()
            up[place, column] += step
            down[place, column] -= step
            squares += ((layer(up[None]) - layer(down[None]))[0, -1] / (2 * step)).square().sum().item()
        assert abs(squares**0.5 - size) < 1e-7
    assert not close(*(torch.from_numpy(gradient_reach(layer, 4, 3, seed=seed)) for seed in (1, 2)))


def test_gradients_of_a_recurrence_fade_and_those_of_attention_do_not():
    reach = {kind: np.mean([gradient_reach(new_model(seed, LAYERS[kind], 8, 32), 32, 8, seed=seed) for seed in range(3)], axis=0)
             for kind in LAYERS}
    for kind, sizes in reach.items():
        near, far = sizes[20:30].mean(), sizes[:10].mean()
        assert far < near / 100 if "recurrence" in kind else near / 3 < far < 3 * near, kind


def test_small_items_reach_further_through_tanh_but_not_through_gates():
    def faded(kind, scale):
        sizes = np.mean([gradient_reach(new_model(seed, LAYERS[kind], 8, 32), 32, 8, seed=seed, scale=scale) for seed in range(3)], axis=0)
        return sizes[0] / sizes[30]

    for kind in ("recurrence", "orthogonal recurrence"):
        assert faded(kind, 0.1) > 100 * faded(kind, 1.0), kind
    assert faded("gated recurrence", 0.1) < 1e-4


@pytest.mark.parametrize("n", [2, 3, 8, 9, 10, 27, 28])
def test_shortest_paths(n):
    assert shortest_path("recurrence", n) == (1, n) and shortest_path("attention", n) == (1, 4)
    for kernel in (2, 3):
        layers = -(-(n - 1) // (kernel - 1))
        assert shortest_path("convolution", n, kernel=kernel) == (layers, layers)
        layers = next(layers for layers in range(9) if kernel**layers >= n)
        assert shortest_path("dilated convolution", n, kernel=kernel) == (layers, layers)
    for radius in (1, 4):
        layers = -(-(n - 1) // radius)
        assert shortest_path("window attention", n, radius=radius) == (layers, 4 * layers)


@pytest.mark.parametrize("call, error, words", [
    (lambda: shortest_path("magic", 4), ValueError, "kind must be one of recurrence, convolution, .*, got 'magic'"),
    (lambda: shortest_path("recurrence", 1), ValueError, "n must be at least 2, got 1"),
    (lambda: shortest_path("convolution", 4, kernel=1), ValueError, "kernel must be at least 2, got 1"),
    (lambda: shortest_path("window attention", 4, radius=0), ValueError, "radius must be at least 1, got 0"),
    (lambda: CausalConvolution(4, 0), ValueError, "kernel must be at least 1, got 0"),
    (lambda: CausalConvolution(4, 2, 0), ValueError, "dilation must be at least 1, got 0"),
    (lambda: DilatedConvolution(4, 2.0), TypeError, "max_length must be an integer, got float"),
    (lambda: gradient_reach(CausalConvolution(4), 0, 4), ValueError, "n must be at least 1, got 0"),
    (lambda: gradient_reach(CausalConvolution(4), 2, 4, scale=0.0), ValueError, "scale must be positive, got 0.0"),
    (lambda: FirstWordTask(5).train(0, "attention", scale=-1), ValueError, "scale must be positive, got -1"),
    (lambda: GraphAttention(4, num_heads=0), ValueError, "num_heads must be at least 1, got 0"),
    (lambda: FirstWordTask(1), ValueError, "length must be at least 2, got 1"),
    (lambda: FirstWordTask(5).train(0, "magic"), ValueError, "kind must be one of recurrence, .*, got 'magic'"),
    (lambda: message_passing(*np.ones((3, 2, 2)), [(0, 2)]), ValueError, r"a number below 2 and one below 2, got up to \[0, 2\]"),
    (lambda: message_passing(*np.ones((3, 2, 2)), [(-1, 0)]), ValueError, r"down to \[-1, 0\]"),
    (lambda: GraphModel("magic"), ValueError, "kind must be one of mean, .*, got 'magic'"),
    (lambda: TownTask("magic"), ValueError, "wants must be 'the same' or 'their own', got 'magic'"),
    (lambda: state_space_scan(np.ones((4, 1)), np.ones((2, 2)), np.ones(2), np.ones(2)), ValueError, r"decay must have one axis.*\(2, 2\)"),
    (lambda: state_space_scan(np.ones((4, 1)), np.ones(2), np.ones(3), np.ones(2)), ValueError, r"write must have shape \(2,\) or \(4, 2\)"),
    (lambda: state_space_attention(np.ones((4, 1)), np.ones(2), np.ones(2), np.ones((3, 2))), ValueError, "read must have shape"),
    (lambda: state_space_convolution(np.ones((4, 1)), np.ones(2), np.ones((4, 2)), np.ones(2)), ValueError, "write and read must have one axis"),
    (lambda: state_space_scan(np.ones(4), np.ones(2), np.ones(2), np.ones(2)), ValueError, "x must have at least two axes"),
])
def test_what_layers_and_graphs_refuse(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_the_first_word_is_a_name():
    task = FirstWordTask(6, seed=3)
    words = task.held_out
    assert words.shape == (1000, 6) and set(words[:, 0].tolist()) == set(range(NAMES))
    assert set(words[:, 1:].flatten().tolist()) == set(range(NAMES, NAMES + FILLERS))
    assert torch.equal(words, FirstWordTask(6, seed=3).held_out) and not torch.equal(words, FirstWordTask(6, seed=4).held_out)

    class Oracle(nn.Module):
        def forward(self, words):
            return nn.functional.one_hot(torch.where(words[:, 0] < 4, words[:, 0], 0), NAMES).double()

    assert task.evaluate(Oracle()) == (words[:, 0] < 4).double().mean() and 0.45 < task.evaluate(Oracle()) < 0.55
    wrong = (words[:, 0] >= 4).double().mean().item()
    assert abs(task.loss(Oracle()) - np.log(np.e + 7) + (1 - wrong)) < 1e-12, "the right score is 1 more in the share that is right"


def test_who_remembers_the_first_word():
    short, long = FirstWordTask(5), FirstWordTask(20)
    assert short.evaluate(short.train(0, "recurrence", steps=150, lr=3e-2)) > 0.95
    assert long.evaluate(long.train(0, "recurrence", steps=150, lr=3e-2)) < 0.3
    for kind in ("gated recurrence", "dilated convolution", "attention"):
        assert long.evaluate(long.train(0, kind, lr=3e-2 if kind == "gated recurrence" else 1e-2)) > 0.95, kind
    one, same, other = (short.train(seed, "attention", steps=3, width=8) for seed in (1, 1, 2))
    assert all(map(torch.equal, one.parameters(), same.parameters())) and one.embedding.weight.shape == (NAMES + FILLERS, 8)
    assert not torch.equal(one.readout.weight, other.readout.weight) and one.readout.weight.dtype == torch.float64


def test_with_small_word_vectors_a_rotation_remembers():
    usual, small = (new_model(3, FirstWordModel, "recurrence", 5, scale=scale) for scale in (1.0, 0.25))
    for name, weight in usual.named_parameters():
        assert torch.equal(small.get_parameter(name), weight * (0.25 if name == "embedding.weight" else 1)), name
    task = FirstWordTask(20)
    right = [task.evaluate(task.train(0, "orthogonal recurrence", lr=3e-3, scale=scale)) for scale in (1.0, 0.1)]
    assert right[0] < 0.5 and right[1] > 0.9


# ---- messages on a graph, and a state that fades

def test_messages_are_attention_under_a_mask():
    rng = np.random.default_rng(0)
    query, key = rng.normal(size=(7, 3)), rng.normal(size=(5, 3))
    value, mask = rng.normal(size=(5, 2)), rng.random((7, 5)) < 0.4
    mask[3], mask[4, 1] = False, True
    edges = np.argwhere(mask)
    output = message_passing(query, key, value, rng.permutation(edges))
    assert np.abs(output - attention(query, key, value, mask=mask)[0]).max() < 1e-14
    assert (output[3] == 0).all() and output[4].any() and (message_passing(query, key, value, []) == 0).all()


@pytest.mark.parametrize("radius", [1, 3])
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


@pytest.mark.parametrize("wants", ["the same", "their own"])
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


@pytest.mark.parametrize("kind", [kind for kind in GraphModel.KINDS if "heads" not in kind])
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


@pytest.mark.parametrize("own", [False, True])
def test_a_state_that_fades_in_three_ways(own):
    rng = np.random.default_rng(6)
    x, decay = rng.normal(size=(9, 2)), rng.uniform(-1, 1, size=4)
    write, read = rng.normal(size=(2, 9, 4)) if own else rng.normal(size=(2, 4))
    every_write, every_read = (np.broadcast_to(array, (9, 4)) for array in (write, read))
    expected = [sum((every_read[t] * decay**(t - s) * every_write[s]).sum() * x[s] for s in range(t + 1)) for t in range(9)]
    output, weights = state_space_attention(x, decay, write, read)
    assert np.abs(state_space_scan(x, decay, write, read) - expected).max() < 1e-12
    assert np.abs(output - expected).max() < 1e-12 and np.abs(weights @ x - output).max() < 1e-12 and (np.triu(weights, 1) == 0).all()
    if not own:
        assert np.abs(state_space_convolution(x, decay, write, read) - expected).max() < 1e-12
