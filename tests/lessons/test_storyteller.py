"""The storyteller: its cache, how it travels, how it writes and is trained."""

import gzip
import json
import math

import numpy as np
import pytest
import torch
from torch import nn

from bookkit.lessons.corpora import vocabulary
from bookkit.lessons.packing import unpack
from bookkit.lessons.stories import KINDS, WOMEN, WORDS, determined
from bookkit.lessons.storyteller import TAKEN_OUT, KeyValueCache, StoryTask, Storyteller, write
from bookkit.lessons.training import new_model


@pytest.fixture(scope="module")
def teller():
    """One with weights at random, biases and gains too, so that nothing is one or nought."""
    model = new_model(5, Storyteller, vocabulary([WORDS]), width=12, num_heads=3, hidden=10, reach=4)
    with torch.no_grad():
        for weight in model.parameters():
            weight.add_(0.3 * torch.randn_like(weight))
    return model.eval()


NUMBERS_OF_WORDS = torch.randint(3, 71, (2, 9), generator=torch.Generator().manual_seed(1))


@pytest.mark.parametrize("parts", [[1] * 9, [4, 1, 3, 1], [9]])
def test_a_cache_equals_recomputing(teller, parts):
    whole, weights = teller(NUMBERS_OF_WORDS)
    cache, read = KeyValueCache(), 0
    assert len(cache) == 0
    for part in parts:
        scores, now = teller(NUMBERS_OF_WORDS[:, read:read + part], cache)
        read += part
        assert len(cache) == read and (scores - whole[:, read - part:read]).abs().max() < 1e-12
        for layer, row in zip(weights, now):
            assert row.shape == (2, 3, part, read) and (row - layer[:, :, read - part:read, :read]).abs().max() < 1e-12


def test_a_storyteller_does_not_look_ahead(teller):
    changed = NUMBERS_OF_WORDS.clone()
    changed[:, 5] = (changed[:, 5] + 7) % 68 + 3
    before, after = teller(NUMBERS_OF_WORDS)[0], teller(changed)[0]
    assert torch.equal(before[:, :5], after[:, :5]) and ((before - after).abs().amax(-1) > 1e-6)[:, 5:].all()


def read_by_the_format(travelled, numbers):
    """The scores of every next word, from the dict alone: numpy and loops over places, as a page would do it."""
    heads, tensors = travelled["num_heads"], unpack(travelled)

    def norm(x, name):
        return (x - x.mean()) / np.sqrt(x.var() + travelled["epsilon"]) * tensors[name + ".gain"] + tensors[name + ".bias"]

    x = [tensors["embedding"][number] for number in numbers]
    for layer in range(travelled["num_layers"]):
        t = {name.removeprefix(f"layers.{layer}."): tensor for name, tensor in tensors.items()}
        query, key, value = ([norm(row, f"layers.{layer}.norm1") @ t[w] for row in x] for w in ("w_query", "w_key", "w_value"))
        size, r = travelled["width"] // heads, t["bias"].shape[1] - 1
        for i in range(len(x)):
            blend = []
            for h in range(heads):
                mine = slice(h * size, (h + 1) * size)
                scores = [query[i][mine] @ key[j][mine] / math.sqrt(size) + t["bias"][h][r - min(r, i - j)] for j in range(i + 1)]
                shares = np.exp(scores) / np.exp(scores).sum()
                blend += list(sum(share * value[j][mine] for j, share in enumerate(shares)))
            x[i] = x[i] + np.array(blend) @ t["w_output"]
        x = [row + np.maximum(norm(row, f"layers.{layer}.norm2") @ t["w1"] + t["b1"], 0) @ t["w2"] + t["b2"] for row in x]
    return [travelled["output_scale"] * tensors["embedding"] @ norm(row, "norm") for row in x]


def test_a_model_that_has_travelled(teller):
    """It holds what the dict says, to the last bit, gives the scores that a page works out, and is near the first."""
    travelled = json.loads(json.dumps(teller.packed()))
    model = Storyteller.unpacked(travelled)
    assert model.packed() == travelled == teller.packed() and not model.training and model.embedding.weight.dtype == torch.float64
    numbers = NUMBERS_OF_WORDS[0].tolist()
    assert np.abs(model(NUMBERS_OF_WORDS[:1])[0][0].detach().numpy() - read_by_the_format(travelled, numbers)).max() < 1e-12
    for ours, theirs in zip(teller.parameters(), model.parameters()):
        assert 0 < (ours - theirs).abs().max() <= max(ours.abs().max() / 127, 2**-12) / 2 + 2**-20
    steps = np.array(travelled["tensors"]["embedding"]["steps"])
    assert steps.shape == (71,) and steps.dtype.kind == "i" and steps.min() >= 1
    assert list(travelled["tensors"])[:3] == ["embedding", "layers.0.norm1.gain", "layers.0.norm1.bias"] and len(travelled["tensors"]) == 3 + 2 * 13


def test_the_whole_model_is_small_enough_for_a_page():
    model = new_model(0, Storyteller, vocabulary([WORDS]))
    assert sum(weight.numel() for weight in model.parameters()) == 19_432
    assert len(gzip.compress(json.dumps(model.packed()).encode())) < 60_000


def test_uniform_attention_is_a_mean_of_what_came_before():
    model = new_model(0, Storyteller, vocabulary([WORDS]), width=8, num_heads=2, attention="uniform", num_layers=1)
    scores, [weights] = model(NUMBERS_OF_WORDS)
    assert torch.allclose(weights[0, 1], torch.tril(torch.ones(9, 9, dtype=torch.float64)) / torch.arange(1, 10)[:, None])
    scores.sum().backward()
    assert model.blocks[0].w_query.grad is None and model.blocks[0].w_value.grad is not None
    assert Storyteller.unpacked(model.packed()).blocks[0].uniform


def test_a_model_that_never_had_its_mlps():
    model = new_model(0, Storyteller, vocabulary([WORDS]), width=8, num_heads=2, mlp=False)
    found = model.trace([1, 5, 7])
    assert all(np.array_equal(found[f"layers.{k}.after_mlp"], found[f"layers.{k}.after_attention"]) for k in (0, 1))
    learn = {name for name, weight in model.named_parameters() if weight.requires_grad}
    assert learn and not any("mlp" in name for name in learn)


@pytest.mark.parametrize("options, message", [({"attention": "hard"}, "'softmax' or 'uniform', got 'hard'"), ({"num_heads": 5}, "num_heads must divide width, got 5 and 32")])
def test_a_storyteller_refuses(options, message):
    with pytest.raises(ValueError, match=message):
        Storyteller(["a"], **options)


def test_write(teller):
    prompt = "Zoe and Max met Rex in the tower ."
    several = write(teller, prompt, seed=range(5), max_length=40)
    assert several == [write(teller, prompt, seed=seed, max_length=40) for seed in range(5)] and len(set(several)) == 5
    assert several == write(teller, prompt.split(), seed=range(5), max_length=40, cached=False), "kept or computed again"
    for words in several:
        assert " ".join(words).startswith(prompt) and len(words) <= 40 and set(words) <= set(WORDS)
    assert write(teller, prompt, temperature=0, seed=1) == write(teller, prompt, temperature=0, seed=2) == write(teller, prompt, top_k=1)
    assert write(teller, prompt, seed=1) != write(teller, prompt, seed=1, temperature=0.3)
    assert write(teller, prompt, max_length=9) == tuple(prompt.split()) and max(map(len, write(teller, seed=range(20)))) <= 63
    for wrong, message in (("Zoe and Bob", "'Bob'"), (prompt * 2, "'.Zoe'"), ("Zoe " * 64, "at most 63 words, got 64")):
        with pytest.raises(ValueError, match=message):
            write(teller, wrong)


class Scripted(nn.Module):
    """Says what it is told to: the scores of the next word by a function of the numbers so far."""

    masked = True

    def __init__(self, words, says):
        super().__init__()
        self.words, self.says = words, says

    def forward(self, numbers, cache=None):
        scores = torch.zeros(*numbers.shape, len(self.words), dtype=torch.float64)
        return scores.scatter(-1, self.says(numbers)[..., None], 50.0), []


def test_a_story_ends_where_the_model_says():
    words = vocabulary([WORDS])
    after = {"<start>": "Zoe", "Zoe": "saw", "saw": "<end>", "<end>": "Rex"}
    model = Scripted(words, lambda numbers: torch.tensor([[words.index(after.get(words[i], "saw")) for i in row] for row in numbers.tolist()]))
    assert write(model, cached=False) == write(model, cached=False, temperature=0) == ("Zoe", "saw")
    assert write(model, "Zoe saw Rex", cached=False) == ("Zoe", "saw", "Rex", "saw")


@pytest.fixture(scope="module")
def story_task():
    return StoryTask(1500, 60, seed=2)


def test_story_task(story_task):
    assert len(story_task.training) == 1500 and 50 < len(story_task.held_out) <= 60 and not set(story_task.training) & set(story_task.held_out)
    assert [len(words) for words in story_task.training] == sorted(len(words) for words in story_task.training)
    assert story_task.vocabulary == ["<pad>", "<start>", "<end>", *WORDS]
    [row] = story_task.encode([["Zoe", "saw"]]).tolist()
    assert [story_task.vocabulary[i] for i in row] == ["<start>", "Zoe", "saw", "<end>"]
    assert StoryTask(5, 5, seed=3).held_out != StoryTask(5, 5, seed=4).held_out


def test_counting_takes_what_most_often_followed_two_words():
    """In four stories by hand; after two words that no story has, nothing is right."""
    task = StoryTask(4, 1, seed=0)
    told = "Zoe and Max met Rex in the tower . Max found a {} . then he gave the {} to Rex . now the {} is with Rex in the tower ."
    task.training = [tuple(told.format(*[thing] * 3).split()) for thing in ("ball", "ball", "key")]
    task.held_out = [tuple(told.format(*[thing] * 3).split()) for thing in ("ball", "key", "hat")]
    found = task.evaluate_counting()
    decided = [kind for kind in determined(task.held_out[0])[1:] if kind]
    assert found["thing"] == pytest.approx(1 / 3) and set(found) == {"all", *decided} and found["he or she"] == 1
    assert found["all"] == pytest.approx(np.average([found[kind] for kind in found if kind != "all"], weights=[decided.count(kind) for kind in found if kind != "all"]))


def test_a_batch_is_as_long_as_its_longest_story():
    task, chosen = StoryTask(40, 5), torch.tensor([3, 39, 12])
    for short, places in ((False, [3, 39, 12]), (True, [0, 9, 3])):
        told = [task.training[place] for place in places]
        assert task.batch(chosen, short=short).tolist() == task.encode(told).tolist()


def test_evaluate_a_storyteller(story_task):
    """One that knows the stories is right throughout; one that says the same word always, in the share that word has."""
    numbers = story_task.encode(story_task.held_out)
    knows = Scripted(story_task.vocabulary, lambda some: numbers[:, 1:])
    shares = story_task.evaluate(knows)
    assert set(shares.values()) == {1} and list(shares)[0] == "all" and set(shares) <= {"all", *KINDS} and len(shares) > 10
    dot, to = (Scripted(story_task.vocabulary, lambda some, word=word: torch.full_like(some, story_task.vocabulary.index(word))) for word in (".", "to"))
    assert set(story_task.evaluate(dot).values()) == {0}
    kinds = [(kind, word) for words in story_task.held_out for kind, word in zip(determined(words), words) if kind]
    backs = [word == "to" for kind, word in kinds if kind == "back"]
    found = story_task.evaluate(to)
    assert found["back"] == sum(backs) / len(backs) > 0.3 and abs(found["all"] - sum(backs) / len(kinds)) < 1e-12
    assert story_task.loss(knows) < 1e-9 < 40 < story_task.loss(dot)


def test_evaluate_writing(story_task):
    """One that tells a held-out story, one that says three full stops and ends, and one that contradicts itself in each."""
    words, story = story_task.vocabulary, next(words for words in story_task.held_out if "now the" in " ".join(words))

    def tells(text):
        numbers = story_task.encode([text])[0]
        return Scripted(words, lambda some: nn.functional.pad(numbers, (0, 99))[1:some.shape[1] + 1].expand(len(some), -1))

    assert story_task.evaluate_writing(tells(story), 3) == (1, {})
    assert story_task.evaluate_writing(tells((".", ".", ".")), 4) == (0, {"grammar": 3, "unfinished": 1})
    stranger = next(name for name in WOMEN if name not in story)
    assert story_task.evaluate_writing(tells((*story[:-5], stranger, *story[-4:])), 4) == (0, {"stranger": 1, "unfinished": 1})


def test_a_part_is_taken_out(teller):
    """By what it does to the results, place by place; the model itself stays as it was."""
    numbers = [1, *NUMBERS_OF_WORDS[0].tolist()]
    whole, found = teller.trace(numbers), {part: teller.without(part).trace(numbers) for part in TAKEN_OUT}
    assert all(np.array_equal(whole[name], teller.trace(numbers)[name]) for name in whole)
    assert not any(np.allclose(whole["scores"], results["scores"]) for results in found.values())
    for layer in ("layers.0.", "layers.1."):
        scaled = found["positions"][layer + "query"] @ found["positions"][layer + "key"].mT / 2
        past = np.tri(len(numbers), dtype=bool)
        assert np.allclose(found["positions"][layer + "scores"][:, past], scaled[:, past])
        assert np.allclose(found["scores"][layer + "weights"], past / past.sum(1, keepdims=True))
        assert not found["attention"][layer + "attention"].any() and not found["mlps"][layer + "mlp"].any()
        assert found["attention"][layer + "mlp"].any() and found["mlps"][layer + "attention"].any()
        first = found["heads"][layer + "heads"][0] @ dict(teller._tensors())[layer + "w_output"][:4].detach().numpy()
        assert np.allclose(found["heads"][layer + "attention"], first)
        assert (found["mask"][layer + "weights"] > 0).all() and np.isfinite(found["mask"][layer + "scores"]).all()
    assert np.array_equal(found["layers"]["layers.1.after_mlp"], whole["layers.0.after_mlp"])
    later = NUMBERS_OF_WORDS[1].tolist()
    assert np.allclose(found["mask"]["layers.0.scores"][:, :1, 1:], found["mask"]["layers.0.query"][:, :1] @ found["mask"]["layers.0.key"][:, 1:].mT / 2)
    assert not np.allclose(teller.without("mask").trace([1, 5, *later])["layers.1.key"][:, :2], teller.without("mask").trace([1, 5])["layers.1.key"])
    with pytest.raises(ValueError, match="part must be one of positions, heads, .*, mask, got 'nothing'"):
        teller.without("nothing")


def test_without_a_mask_nothing_is_kept(teller):
    told = write(teller.without("mask"), "Zoe", seed=[1, 2], max_length=12)
    assert told == write(teller.without("mask"), "Zoe", seed=[1, 2], max_length=12, cached=False)
    assert told != write(teller, "Zoe", seed=[1, 2], max_length=12)
    with pytest.raises(ValueError, match="a model without its mask does not travel"):
        teller.without("mask").packed()


def test_training_a_storyteller(story_task):
    first, again = (story_task.train(7, steps=40, width=16, num_layers=1) for _ in range(2))
    for ours, theirs in zip(first.parameters(), again.parameters()):
        assert torch.equal(ours, theirs) and torch.equal(ours * 2**17, (ours * 2**17).round())
    before = new_model(7, Storyteller, story_task.vocabulary, width=16, num_layers=1)
    assert story_task.loss(first) < story_task.loss(before) - 1 and not first.training
    words = story_task.held_out[0]
    assert story_task.weights(first, words).shape == (1, 4, len(words) + 1, len(words) + 1)
    assert story_task.weights(first, " ".join(words)).sum(-1).allclose(torch.ones(1, dtype=torch.float64))
