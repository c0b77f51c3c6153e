"""Training and measuring, against numbers worked out by hand."""

import gzip
import json
import math

import nbformat
import numpy as np
import pytest
import torch
from conftest import PATIENCE
from nbclient import NotebookClient
from torch import nn

from attnkit.figures.matrix_trainer import starting_matrix
from attnkit.lessons import storyteller
from attnkit.lessons.corpora import vocabulary
from attnkit.lessons.packing import unpack
from attnkit.lessons.stories import KINDS, WOMEN, WORDS, determined
from attnkit.lessons.storyteller import (
    KeyValueCache,
    StoryTask,
    Storyteller,
    write,
)
from attnkit.lessons.training import alignment_error_rate, encode, fit, new_model, next_word_loss
from attnkit.sampling import Xorshift, chances, choose


def test_the_steps_of_fit():
    """Adam's step along a gradient that stays the same is the rate, whatever the gradient: the rates can be seen."""
    model = nn.Linear(1, 1, bias=False).double()
    start, seen = model.weight.item(), []
    losses = fit(model, lambda _: 7 * model.weight.sum(), 3, steps=8, lr=0.1,
                 callback=lambda step: seen.append((step, model.weight.item())))
    rates = -np.diff([weight for _, weight in seen])
    expected = [0.05 * (1 + math.cos(math.pi * step / 8)) for step in range(8)]
    assert np.abs(rates - expected).max() < 2**-17 + 1e-8, "up to the rounding"
    assert [step for step, _ in seen] == list(range(9)) and abs(seen[0][1] - start) <= 2**-18
    assert losses == [7 * weight for _, weight in seen[:-1]], "each loss is that before its step"


def test_rounding_makes_training_the_same_on_every_processor():
    """Two beginnings that differ in the last digits come to the very same model; without rounding they would not."""
    x, y = torch.arange(12.0).reshape(3, 4).double() / 12, torch.tensor([0, 1, 0])
    weights = []
    for shift in (0.0, 1e-13):
        model = new_model(3, nn.Linear, 4, 2)
        with torch.no_grad():
            model.weight += shift
        fit(model, lambda i, model=model: nn.functional.cross_entropy(model(x[i]), y[i]), 3, steps=30, lr=0.1)
        weights.append(model.weight.detach().clone())
    assert torch.equal(*weights) and torch.equal(weights[0] * 2**17, (weights[0] * 2**17).round()) and weights[0].abs().max() > 0.1


def test_new_model_is_seeded_and_float64():
    one, same, other = (new_model(seed, nn.Linear, 4, 2) for seed in (3, 3, 4))
    assert torch.equal(one.weight, same.weight) and not torch.equal(one.weight, other.weight)
    assert one.weight.dtype == torch.float64 and torch.get_default_dtype() == torch.float32
    with pytest.raises(TypeError):
        new_model(0, nn.Linear)
    assert torch.get_default_dtype() == torch.float32, "put back, whatever happens"


def test_fit_draws_batches_from_all_examples():
    model, asked = nn.Linear(1, 1), []

    def loss(chosen):
        assert model.training and chosen.shape == (5,) and chosen.dtype == torch.long
        asked.extend(chosen.tolist())
        return model(torch.ones(1)).sum()

    fit(model, loss, 3, steps=20, batch_size=5)
    assert set(asked) == {0, 1, 2} and len(asked) == 100 and not model.training
    fit(model, lambda chosen: asked.append(len(chosen)) or loss(chosen[:5]), 3, steps=1)
    assert 64 in asked, "the batch if none is given"


def trained(seed, callback=None):
    torch.manual_seed(seed)
    model = nn.Sequential(nn.Linear(2, 3), nn.Dropout(0.5), nn.Linear(3, 1))
    x = torch.arange(20.0).reshape(10, 2) / 20
    losses = fit(model, lambda i: (model(x[i]) - x[i, :1]).square().mean(), 10, steps=12, batch_size=4,
                 callback=callback and (lambda step: callback(step, model)))
    return losses, model[0].weight.tolist()


def test_fit_is_repeatable_and_calls_back_in_evaluation_mode():
    modes = []

    def watch(step, model):
        modes.append(model.training)
        assert torch.equal(model(torch.ones(2)), model(torch.ones(2))), "no dropout"

    assert trained(1) == trained(1, watch) != trained(2)
    assert modes == [False] * 13 and len(trained(1)[0]) == 12


@pytest.mark.parametrize("environment, watched", [({}, True), ({"ATTNKIT_PROGRESS": "off"}, False), ({"PYTEST_VERSION": "9"}, False)])
def test_progress_bar_shows_for_a_person_only(environment, watched, monkeypatch):
    """In a kernel that a person has started a bar is shown and taken away; under nbval and make nothing is ever written."""
    for name in ("PYTEST_VERSION", "PYTEST_CURRENT_TEST", "ATTNKIT_PROGRESS"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    cell = nbformat.v4.new_code_cell("import attnkit.lessons.progress, time\n" "attnkit.lessons.progress.EVERY = 0\n" "for _ in attnkit.lessons.progress.progress_bar(3): time.sleep(.01)")
    seen = []
    client = NotebookClient(nbformat.v4.new_notebook(cells=[cell]), kernel_name="python3", startup_timeout=PATIENCE,
                            extra_arguments=["--IPKernelApp.log_level=ERROR"])
    send = client.process_message
    monkeypatch.setattr(client, "process_message", lambda message, *rest: (seen.append(str(message["content"])), send(message, *rest))[1])
    client.execute()
    assert any("step 3 of 3" in message for message in seen) == watched
    assert [output.get("data", {}).get("text/html") for output in cell.outputs] == ([""] if watched else [])


@pytest.mark.parametrize("name", ["num_examples", "steps", "batch_size"])
@pytest.mark.parametrize("wrong, error", [(0, ValueError), (-1, ValueError), (2.0, TypeError), (None, TypeError)])
def test_fit_refuses(name, wrong, error):
    kwargs = dict(num_examples=3, steps=2, batch_size=2) | {name: wrong}
    with pytest.raises(error, match=name):
        fit(nn.Linear(1, 1), lambda _: pytest.fail("nothing may be asked"), **kwargs)


def test_encode_pads_and_refuses_unknown_words():
    words = ["<pad>", "c", "a", "b"]
    encoded = encode([("a", "b", "c"), ["c"], ("b", "b")], words)
    assert encoded.tolist() == [[2, 3, 1], [1, 0, 0], [3, 3, 0]] and encoded.dtype == torch.long
    for wrong in ([], [("a",), ()]):
        with pytest.raises(ValueError, match="at least one"):
            encode(wrong, words)
    with pytest.raises(ValueError, match="^not in the vocabulary: 'd', 'e'$"):
        encode([("a", "e"), ("e", "d")], words)


def test_next_word_loss():
    """Probabilities 1/2, 1/4, 1/8 and 1/8 are 1, 2, 3 and 3 times log 2; each word counts the same, padding nothing."""
    eighths = torch.tensor([[[1, 4, 2, 1], [1, 4, 2, 1], [2, 1, 1, 4]], [[1, 1, 2, 4], [1, 5, 1, 1], [3, 3, 1, 1]]])
    words = torch.tensor([[1, 2, 1], [1, 0, 0]])
    scores = (eighths.log() + 5).requires_grad_()
    loss = next_word_loss(scores, words)
    assert loss.shape == () and abs(loss.item() - (1 + 2 + 3 + 3) / 4 * math.log(2)) < 1e-6
    loss.backward()
    assert (scores.grad[1, 1:] == 0).all() and (scores.grad[0, 2] != 0).all()


def test_alignment_error_rate():
    looks = np.eye(4)[[0, 2, 1, 3]]                         # at one word each
    for alignment, rate in (([(0,), (2,), (1,), (3,)], 0), ([(1, 2), (0,), (3,), (2,)], 1),
                            ([(0, 1), (2,), (3, 1), (2,)], 3 / 8),       # 2 certain, 1 acceptable, 1 wrong
                            ([(1, 0), (0, 2), (0, 1), (0, 3)], 1 / 2),   # all acceptable, none certain
                            ([(0,), (3,)], 1 / 2)):                      # rows left over are not asked
        for rows in (looks, torch.tensor(looks)):
            assert alignment_error_rate([rows], [alignment]) == rate
    assert alignment_error_rate([looks, looks[:, :3]], [[(0,)] * 3, [(2,)]]) == 3 / 4, "each word counts the same"
    assert alignment_error_rate([np.array([[0.4, 0.6]])], [[(1,)]]) == 0
    for weights, alignments, message in (([looks], [], "1 and 0"), ([], [], "one word"), ([looks], [()], "one word"),
                                         ([looks[:1]], [[(0,), (1,)]], "weights for 1")):
        with pytest.raises(ValueError, match=message):
            alignment_error_rate(weights, alignments)


def test_the_steps_of_fit_with_a_warm_up():
    """Up in equal steps, then down along a cosine; Adam's step along a gradient that stays the same is the rate."""
    model, seen = nn.Linear(1, 1, bias=False).double(), []
    fit(model, lambda _: 7 * model.weight.sum(), 3, steps=8, lr=0.1, warmup=3, callback=lambda step: seen.append(model.weight.item()))
    expected = [0.1 / 3, 0.2 / 3, 0.1, *(0.05 * (1 + math.cos(math.pi * step / 5)) for step in range(5))]
    assert np.abs(-np.diff(seen) - expected).max() < 2**-17 + 1e-8


def test_fit_clips_and_takes_the_betas():
    """Three steps of Adam worked out by hand, with gradients 7, 0.5 and -2 cut to length 1, and without."""
    for clip, gradients in ((1.0, [1, 0.5, -1]), (None, [7, 0.5, -2])):
        model, seen, given = nn.Linear(1, 1, bias=False).double(), [], iter([7, 0.5, -2])
        fit(model, lambda _, model=model, given=given: next(given) * model.weight.sum(), 3, steps=3, lr=0.1, betas=(0.5, 0.8), clip=clip,
            callback=lambda step, model=model, seen=seen: seen.append(model.weight.item()))
        mean = square = 0
        for step, gradient in enumerate(gradients):
            mean, square = 0.5 * mean + 0.5 * gradient, 0.8 * square + 0.2 * gradient**2
            move = mean / (1 - 0.5 ** (step + 1)) / math.sqrt(square / (1 - 0.8 ** (step + 1)))
            assert abs(seen[step] - seen[step + 1] - 0.05 * (1 + math.cos(math.pi * step / 3)) * move) < 2**-17 + 1e-6


@pytest.mark.parametrize("warmup, error", [(-1, ValueError), (2, ValueError), (0.5, TypeError)])
def test_fit_refuses_a_warm_up(warmup, error):
    with pytest.raises(error, match="warmup"):
        fit(nn.Linear(1, 1), lambda _: pytest.fail("nothing may be asked"), 3, steps=2, warmup=warmup)


# ---- the storyteller

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


def test_the_model_of_the_chapter_is_there():
    """Its chapter compares it with what is trained there."""
    model = storyteller.trained()
    assert model.packed() == json.loads(storyteller.TRAINED.read_text()) and model.words == ["<pad>", "<start>", "<end>", *WORDS]
    assert sum(p.numel() for p in model.parameters()) == 19432


def test_small_rows_travel_too(teller):
    """A row of nothing but noughts, and numbers smaller than a step can be, come back as nought."""
    model = Storyteller.unpacked(teller.packed())
    with torch.no_grad():
        model.embedding.weight[0], model.embedding.weight[1] = 0, 2**-23
        again = Storyteller.unpacked(model.packed())
    assert (again.embedding.weight[:2] == 0).all() and torch.equal(again.embedding.weight[2:], model.embedding.weight[2:])


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


@pytest.mark.parametrize("options, message", [({"attention": "hard"}, "'softmax' or 'uniform', got 'hard'"), ({"num_heads": 5}, "num_heads must divide width, got 5 and 32")])
def test_a_storyteller_refuses(options, message):
    with pytest.raises(ValueError, match=message):
        Storyteller(["a"], **options)


def test_xorshift_is_that_of_the_matrix_trainer():
    random = Xorshift(17)
    assert [0.5 * (2 * random.number() - 1) for _ in range(9)] == starting_matrix(17, 3, 0.5).flatten().tolist()
    for wrong in (-1, 10_000):
        with pytest.raises(ValueError, match="seed"):
            Xorshift(wrong)


def test_chances():
    scores = [1.0, 3.0, -math.inf, 2.0, 3.0]
    powers = np.exp([1, 3, -math.inf, 2, 3])
    assert np.allclose(chances(scores), powers / powers.sum())
    assert np.allclose(chances(scores, temperature=0.5), powers**2 / (powers**2).sum())
    assert np.allclose(chances(scores, top_k=3), [0, powers[1] / powers[[1, 3, 4]].sum(), 0, powers[3] / powers[[1, 3, 4]].sum(), powers[4] / powers[[1, 3, 4]].sum()])
    assert chances(scores, top_k=1).tolist() == chances(scores, temperature=0, top_k=4).tolist() == [0, 1, 0, 0, 0], "of equals the first"
    assert np.allclose(chances(scores, top_k=100), chances(scores)) and np.isfinite(chances([900.0, 0.0], temperature=0.01)).all()
    for wrong, error in (({"temperature": -1}, ValueError), ({"temperature": math.inf}, ValueError), ({"temperature": "1"}, TypeError), ({"top_k": 0}, ValueError), ({"top_k": 1.5}, TypeError)):
        with pytest.raises(error, match=next(iter(wrong))):
            chances(scores, **wrong)


def test_choose():
    scores, random = [1.0, 3.0, -math.inf, 2.0, 3.0], Xorshift(4)
    drawn = np.bincount([choose(scores, random, top_k=3, temperature=2) for _ in range(4000)], minlength=5) / 4000
    assert np.abs(drawn - chances(scores, top_k=3, temperature=2)).max() < 0.03 and drawn[0] == drawn[2] == 0
    random, fresh = Xorshift(4), Xorshift(4)
    assert choose(scores, random, temperature=0) == 1 and random.state == fresh.state, "greedy draws nothing"
    choose(scores, random)
    assert fresh.number() and random.state == fresh.state, "else one number"

    class Fixed:
        def __init__(self, share):
            self.number = lambda: share

    even = [0.0, 0.0, -math.inf, 0.0]
    assert [choose(even, Fixed(share)) for share in (0, 0.33, 0.34, 0.66, 0.67, 1 - 2**-32)] == [0, 0, 1, 1, 3, 3]


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


def test_training_a_storyteller(story_task):
    first, again = (story_task.train(7, steps=40, width=16, num_layers=1) for _ in range(2))
    for ours, theirs in zip(first.parameters(), again.parameters()):
        assert torch.equal(ours, theirs) and torch.equal(ours * 2**17, (ours * 2**17).round())
    before = new_model(7, Storyteller, story_task.vocabulary, width=16, num_layers=1)
    assert story_task.loss(first) < story_task.loss(before) - 1 and not first.training
    words = story_task.held_out[0]
    assert story_task.weights(first, words).shape == (1, 4, len(words) + 1, len(words) + 1)
    assert story_task.weights(first, " ".join(words)).sum(-1).allclose(torch.ones(1, dtype=torch.float64))


def test_training_a_storyteller_begins_with_short_stories(monkeypatch):
    """The batches of the first steps are of the shortest quarter, those after them of all."""
    task, lengths = StoryTask(400, 5), []
    encode_loss = storyteller.next_word_loss
    monkeypatch.setattr(storyteller, "next_word_loss", lambda scores, words: lengths.append((words > 0).sum(1).max().item()) or encode_loss(scores, words))
    task.train(0, steps=80, width=8, num_layers=1, num_heads=1)
    quarter = len(task.training[99]) + 1
    assert max(lengths[:12]) <= quarter < max(lengths[12:]) and len(lengths) == 80
