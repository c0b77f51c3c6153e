"""A line of people and stacks of layers: the data, the parts left out, and what depth is for."""

import numpy as np
import pytest
import torch

from attnkit.modules import TransformerBlock
from bookkit.lessons.layers import OUTCOMES, PEOPLE, VECTORS, ChainModel, ChainTask, chain_lines
from lessons.by_hand import close, scatter


def test_a_line_told_in_pairs():
    for question in (1, 2, 5, 9):
        lines = chain_lines(200, question, seed=question)
        assert lines.items.shape == (200, 9, 2) and lines.places.shape == lines.answers.shape == (200, 9)
        for items, places, answers in zip(*lines):
            assert sorted(places.tolist()) == list(range(9))
            first, second = items[places.argsort()].T.tolist()
            assert [VECTORS[i] for i in second[:-1]] == [VECTORS[i].replace("first", "second") for i in first[1:]]
            line = [PEOPLE.index(VECTORS[i].split()[0]) for i in (*first, second[-1])]
            assert sorted(line) == list(range(10))
            assert answers.tolist() == [line[p + question] if p + question < 10 else -1 for p in places]
        assert (lines.answers >= 0).sum() == 200 * (10 - question)
    lines = chain_lines(5000, 2)
    assert all(0.08 < (lines.places[:, 0] == p).double().mean() < 0.14 for p in range(9)), "where an item stands tells nothing"
    assert all(0.08 < (lines.items[:, 0, 0] == p).double().mean() < 0.12 for p in range(10))


def test_hands_that_win_and_lose():
    beats = {("rock", "scissors"), ("scissors", "paper"), ("paper", "rock")}
    lines = chain_lines(300, "hands", seed=[1, 2])
    assert lines.items.shape == (300, 9, 4)
    for items, places, answers in zip(*lines):
        shown = {int(p): [VECTORS[i].split()[1] for i in item[2:]] for p, item in zip(places, items)}
        assert all([VECTORS[i].split()[0] for i in item[2:]] == ["left", "right"] for item in items)
        for p, answer in zip(places.tolist(), answers.tolist()):
            if p == 8:
                assert answer == -1
                continue
            left, right = shown[p + 1]
            assert OUTCOMES[answer] == ("draw" if left == right else "win" if (left, right) in beats else "loss")
    assert all(abs((lines.answers == k).sum() / (8 * 300) - 1 / 3) < 0.04 for k in range(3)), "no answer is the likely one"


def test_lines_are_the_same_for_the_same_seed():
    one, same, other = (chain_lines(20, 3, seed=seed) for seed in (1, 1, 2))
    assert all(map(torch.equal, one, same)) and not torch.equal(one.items, other.items)
    task = ChainTask(seed=3)
    assert all(map(torch.equal, task.held_out(4), task.held_out(4))) and task.held_out("hands", 7).items.shape == (7, 9, 4)
    assert not torch.equal(task.held_out(4).items, ChainTask(seed=4).held_out(4).items)


@pytest.mark.parametrize("call, words", [
    *((lambda q=q: chain_lines(3, q), f"question must be 'hands' or a number from 1 to 9, got {q!r}$") for q in (10, 0, "hand", None)),
    (lambda: ChainModel(1, "2"), "question must be 'hands' or a number from 1 to 9, got '2'$"),
    (lambda: ChainTask().train(0, 1, 10), "question must be 'hands' or a number from 1 to 9, got 10$"),
    (lambda: ChainModel(2, norm="before"), "norm must be 'pre', 'post' or None, got 'before'"),
    (lambda: ChainModel(2, num_heads=3), "num_heads must divide width")])
def test_what_cannot_be_asked_of_a_line(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def random_stack(num_layers, question=2, **options):
    """One with random numbers in every parameter."""
    torch.manual_seed(6)
    model = ChainModel(num_layers, question, width=8, **options).double()
    scatter(model, std=0.4)
    return model


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_a_layer_with_all_its_parts_is_a_block(norm):
    [layer] = random_stack(1, norm=norm, mlp=True, num_heads=2).layers
    block = TransformerBlock(8, 2, norm=norm).double()
    names = {"attention": "self_attention", "attention_norm": "self_attention_norm"}
    block.load_state_dict({f"{names.get(part, part)}.{rest}": p for name, p in layer.state_dict().items()
                           for part, _, rest in [name.partition(".")]})
    x = torch.randn(3, 5, 8, dtype=torch.double)
    output, weights = layer(x)
    same, by_head = block(x)
    assert close(output, same) and close(weights, by_head.mean(1))


@pytest.mark.parametrize("mlp", [False, True])
@pytest.mark.parametrize("residual", [False, True])
@pytest.mark.parametrize("norm", ["pre", "post", None])
def test_parts_left_out(norm, residual, mlp):
    model = random_stack(2, "hands", norm=norm, residual=residual, mlp=mlp)
    items = ChainTask().held_out("hands", 3).items
    streams, weights = model.streams(items)
    assert len(streams) == 3 and weights.shape == (3, 2, 9, 9) and torch.allclose(weights.sum(-1), torch.ones((), dtype=torch.double))
    assert close(streams[0], sum(model.embedding.weight[items[..., i]] for i in range(4)))
    for before, after, layer in zip(streams, streams[1:], model.layers):
        parts = [(lambda x, layer=layer: layer.attention(x)[0], layer.attention_norm), (layer.mlp, layer.mlp_norm)][:1 + mlp]
        assert (layer.mlp is None) != mlp and all((normal is None) == (norm is None) for _, normal in parts)
        x = before
        for part, normal in parts:
            y = part(normal(x) if norm == "pre" else x)
            y = x + y if residual else y
            x = normal(y) if norm == "post" else y
        assert close(after, x)
    last = torch.nn.functional.layer_norm(streams[-1], [8], model.norm.weight, model.norm.bias) if norm == "pre" else streams[-1]
    scores, same = model(items)
    assert close(scores, last @ model.readout.weight.T + model.readout.bias) and close(same, weights) and scores.shape == (3, 9, 3)
    # Items in another order, the answers in that order: no places are seen.
    assert close(model(items.flip(1))[0].flip(1), scores)


def test_chain_task_measures_what_it_says():
    task, model = ChainTask(), random_stack(2, 3, num_heads=2)
    lines = task.held_out(3)
    scores, weights = model(lines.items)
    asked = lines.answers >= 0
    assert scores.shape == (1000, 9, 10) and asked.sum() == 7000
    assert task.evaluate(model) == (scores.argmax(-1)[asked] == lines.answers[asked]).double().mean()


def test_how_far_apart_the_items_of_a_stack_are():
    task, model = ChainTask(), random_stack(3, 2, norm=None)
    lines = chain_lines(5, 2)
    streams = [x.detach().numpy() for x in model.streams(lines.items)[0]]
    apart = [np.mean([np.linalg.norm(line[i] - line[j]) for line in x for i in range(9) for j in range(i)]) for x in streams]
    assert np.allclose(task.distances(model, lines), np.array(apart[1:]) / apart[0])
    same = model.layers[1].attention
    with torch.no_grad():
        same.w_query.zero_(), same.b_query.zero_()
        model.layers[1].residual = False
    assert task.distances(model, lines)[1] < 1e-14, "one mean for all"
