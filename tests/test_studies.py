"""Each variant of the translator is what it says, and lessons number, train, translate and examine as by hand."""

import pytest
import torch
from torch import nn

from attnkit.corpora import DRINKS, Pair, english_french
from attnkit.modules import Translator
from attnkit.studies import (
    Blend,
    Crossings,
    EndToEnd,
    FixedVector,
    Gifts,
    KnowsBefore,
    Lessons,
    LooksLater,
    NamesBoth,
    OneDirection,
    Orders,
    PositionAlone,
    Refers,
    StateAlone,
    StatesOnly,
)
from attnkit.training import numbered

VARIANTS = [Translator, KnowsBefore, StatesOnly, OneDirection, LooksLater, FixedVector, StateAlone, PositionAlone]
SOURCE, TARGET = torch.tensor([[3, 4, 5, 6, 7], [8, 9, 3, 0, 0]]), torch.tensor([[1, 5, 6, 4], [1, 7, 8, 9]])


def close(a, b):
    return a.shape == b.shape and torch.allclose(a, b, rtol=0, atol=1e-12)


def spread(variant, seed=0):
    """A small model with random numbers in every parameter, biases too."""
    torch.manual_seed(seed)
    model = variant(11, 13, width=12).double().eval()
    for p in model.parameters():
        nn.init.normal_(p, std=0.5)
    return model


@pytest.mark.parametrize("variant", VARIANTS)
def test_padding_and_translating(variant):
    """Padding changes nothing, a later word nothing before it, and translating is being told one's own words."""
    model, mask = spread(variant), SOURCE > 0
    scored, weights = model(SOURCE, TARGET, mask)
    assert (weights[1, :, 3:] == 0).all() and close(weights.sum(-1), torch.ones(2, 4).double())
    alone, its = model(SOURCE[1:, :3], TARGET[1:])
    assert close(alone[0], scored[1]) and close(its[0], weights[1, :, :3])
    later = torch.cat([TARGET[:, :3], TARGET[:, :1]], dim=1)
    again, its = model(SOURCE, later, mask)
    assert torch.equal(again[:, :3], scored[:, :3]) and not torch.equal(again[:, 3], scored[:, 3])
    assert torch.equal(its[:, :3], weights[:, :3])
    words, looked = model.translate(SOURCE, start=1, end=12, longest=5, mask=mask)
    for i, sentence in enumerate(words):
        assert len(sentence) == len(looked[i]) and 12 not in sentence
        again, its = model(SOURCE[i:i + 1], torch.tensor([[1, *sentence]]), mask[i:i + 1])
        assert again[0].argmax(-1).tolist()[:5] == (sentence + [12])[:5] and close(its[0, :len(sentence)], looked[i])


def test_what_an_annotation_knows():
    """Of the words after it, before it, and itself."""
    after, before = SOURCE[:1].clone(), SOURCE[:1].clone()
    after[0, 3:], before[0, :2] = 9, 9
    for variant, knows_after in ((Translator, True), (StatesOnly, True), (OneDirection, False)):
        model = spread(variant)
        [plain, later, earlier] = [model.encode(words)[0][0, 2] for words in (SOURCE[:1], after, before)]
        assert torch.equal(plain, later) != knows_after and not torch.equal(plain, earlier)
        states = model.encoder(model.source_words(SOURCE[0])[:, None])[0][:, 0]
        shown = model.from_states if variant is Translator else states.shape[1]
        assert close(states[:, :shown], model.encode(SOURCE[:1])[0][0, :, :shown])
        assert (states.shape[1] == 12) == (variant is not Translator), "wide, and nothing but states"
        assert model.encoder.bidirectional == knows_after


def test_looking_later():
    """First the state from the word alone, then the weights with it, which know the word; Translator's do not."""
    model = spread(LooksLater)
    annotations, state = model.encode(SOURCE)
    scored, new, weights = model.step(TARGET[:, 1], state, annotations)
    word = model.target_words(TARGET[:, 1])
    assert close(new, model.decoder(word, state))
    context, expected = model.look(new, annotations)
    assert close(weights, expected) and close(scored, model.read(torch.cat([new, context, word], dim=1)))
    other = TARGET.flip(1)
    for variant in (Translator, LooksLater):
        model = spread(variant)
        assert torch.equal(model(SOURCE, TARGET)[1][:, 0], model(SOURCE, other)[1][:, 0]) == (variant is Translator)


def test_a_fixed_vector():
    """Every annotation is the encoder's last states, forwards and backwards: the same whatever the weights."""
    model = spread(FixedVector)
    annotations, state = model.encode(SOURCE, SOURCE > 0)
    for i, length in enumerate((5, 3)):
        states = model.encoder(model.source_words(SOURCE[i, :length])[:, None])[0][:, 0]
        vector = torch.cat([states[-1, :6], states[0, 6:]])
        assert close(annotations[i], vector.expand(5, 12)) and close(state[i], torch.tanh(model.before(vector)))


def test_weights_without_the_words():
    """StateAlone's weights come from the state, PositionAlone's from the place, Translator's also from the words."""
    states, (one, two) = torch.randn(2, 1, 12).double(), torch.randn(2, 1, 5, 12).double()
    cases = (Translator, True, True), (StateAlone, False, True), (PositionAlone, False, False)
    for variant, of_words, of_state in cases:
        model = spread(variant)

        def look(state, annotations, place=0, model=model):
            model.place = torch.tensor(place)
            return model.look(state, annotations)[1]

        plain = look(states[0], one)
        assert close(plain, look(states[0], two)) != of_words and close(plain, look(states[1], one)) != of_state
        assert close(plain, look(states[0], one, 1)) == (variant is not PositionAlone)
    model = spread(PositionAlone)
    for _ in range(2):                                       # each sentence begins at the first place again
        _, weights = model(SOURCE, TARGET, SOURCE > 0)
        table = model.places.weight.T[:4] + model.places.bias
        assert close(weights[0], torch.softmax(table[:, :5], dim=1))
        assert close(weights[1, :, :3], torch.softmax(table[:, :3], dim=1)), "of a shorter one the same, what is left"


@pytest.fixture(scope="module")
def lessons():
    return Lessons(*english_french(300, held_out=60))


def test_lessons(lessons):
    pairs = lessons.held_out[:2] + lessons.training[:5]
    for numbers, words, sentences in zip(lessons.numbers(pairs), (lessons.source_words, lessons.target_words),
                                         ([pair.english for pair in pairs],
                                          [("<start>", *pair.french, "<end>") for pair in pairs])):
        assert words[:3] == ["<pad>", "<start>", "<end>"]
        assert [tuple(words[n] for n in row if n) for row in numbers] == sentences
    seen, options = [], dict(steps=3, width=12)
    model = lessons.train(1, StatesOnly, watch=lambda step, model: seen.append((step, model.training)), **options)
    assert seen == [(step, False) for step in range(4)] and type(model) is StatesOnly and model.read.in_features == 36
    assert model.dropout.share == 0.15 and lessons.train(1, steps=1, width=30).decoder.hidden_size == 30
    same, other = (lessons.train(seed, StatesOnly, **options).read.weight for seed in (1, 2))
    assert torch.equal(model.read.weight, same) and not torch.equal(same, other) and same.dtype == torch.float64
    for rows, pair in zip(lessons.weights(model, pairs), pairs):       # batched and alone, and summing to one
        assert rows.shape == (len(pair.french), len(pair.english)) and close(rows, lessons.weights(model, [pair])[0])
        assert close(rows.sum(1), torch.ones(len(rows)).double())
        said, looked = lessons.translate(model, pair.english)
        assert close(lessons.weights(model, [Pair(pair.english, said, ())])[0], looked)
    model.read.bias.data[2] = -99
    assert len(lessons.translate(model, pair.english)[0]) == 15, "where it stops if it never says <end>"
    with pytest.raises(ValueError, match="not in the vocabulary: 'unicorns'"):
        lessons.translate(model, ("I", "love", "unicorns"))


class Parrot:
    """Says the same to everything, and looks at the first word only."""

    def __init__(self, words):
        self.words = words

    def translate(self, source, **kwargs):
        return [self.words] * len(source), None

    def __call__(self, source, target, mask):
        return None, nn.functional.one_hot(torch.zeros_like(target), source.shape[1])


def test_examining(lessons):
    """One in three is je t' aime; looking at the first word is right for je, la and tu, and acceptable for fille."""
    pairs = [Pair(("I", "love", "you"), ("je", "t'", "aime"), ((0,), (2,), (1,))),
             Pair(("the", "girl", "loves", "me"), ("la", "fille", "m'", "aime"), ((0, 1), (1, 0), (3,), (2,))),
             Pair(("you", "love", "me"), ("tu", "m'", "aimes"), ((0,), (2,), (1,)))]
    parrot = Parrot([lessons.target_words.index(word) for word in pairs[0].french])
    exact, aer, strict = lessons.examine(parrot, pairs)
    assert (exact, aer, strict) == (1 / 3, pytest.approx(1 - (3 + 4) / 20), pytest.approx(1 - 3 / 10))
    assert lessons.examine(parrot).exact == 1 / 60, "the held-out ones if none are given"


@pytest.mark.parametrize("heads", [1, 2])
def test_names_both(heads):
    """Without positions the output at "gave" is the same for both orders, with any weights; with them it is not."""
    lessons = Gifts()
    sentences = numbered(lessons.held_out[:2], lessons.words)
    for positions in (False, True):
        torch.manual_seed(heads)
        model = NamesBoth(len(lessons.words), heads, positions).double()
        for p in model.parameters():
            nn.init.normal_(p, std=0.5)
        scores, weights, output = model(sentences)
        assert scores.shape == (2, 2, len(lessons.words)) and weights.shape == (2, heads, 5) and output.shape == (2, 32)
        assert (abs(output[0] - output[1]).max() < 1e-12) == (not positions)


def test_gifts_are_learned():
    lessons = Gifts()
    assert lessons.both_right(lessons.train(0, heads=2, positions=True, steps=200)) > 0.9
    assert lessons.both_right(lessons.train(0, heads=2, positions=False, steps=200)) < 0.3


def test_it_cannot_know_the_ending_with_one_layer():
    """The weights of "it" keep the ratio of the two nouns whatever the ending; a first layer changes it."""
    lessons = Crossings()
    pair = [sentence for sentence in lessons.held_out if sentence.words[:7] == lessons.held_out[0].words[:7]]
    sentences, answers, right, other = lessons.numbers(pair)
    assert [lessons.words[k] for k in answers] == ["animal"] * 5 + ["road"] * 5
    for layers in (1, 2):
        torch.manual_seed(layers)
        model = Refers(len(lessons.words), layers).double()
        for p in model.parameters():
            nn.init.normal_(p, std=0.5)
        scores, weights, first = model(sentences)
        ratio = weights[:, 1] / weights[:, 6]
        assert scores.shape == (10, len(lessons.words)) and weights.shape == (10, 12)
        assert (ratio.std() < 1e-12) == (layers == 1) == (first is None)
    accuracy, on_it, on_other = lessons.examine(model)
    rows = torch.arange(240)
    sentences, answers, right, other = lessons.numbers(lessons.held_out)
    scores, weights, first = model(sentences)
    assert first.shape == (240, 12, 12) and torch.allclose(first.sum(-1), torch.ones(240, 12, dtype=torch.double))
    assert accuracy == (scores.argmax(1) == answers).double().mean()
    assert abs(on_it - weights[rows, right].mean().item()) < 1e-12 and abs(on_other - weights[rows, other].mean().item()) < 1e-12


def test_orders_are_numbered():
    lessons = Orders()
    sentences, named = lessons.numbers(lessons.late)
    assert sentences.shape == (1000, 12) and lessons.numbers(lessons.longer)[0].shape == (1000, 24)
    for words, numbers, drink in zip(lessons.late, sentences, named):
        assert [lessons.words[k] for k in numbers] == list(words) and DRINKS[drink] in words[6:]
    assert set(lessons.words[3:]) == {word for words in lessons.training for word in words}


def test_models_of_orders():
    """Each kind as by hand; a mean and attention take any length and any order, dense layers and places do not."""
    lessons = Orders()
    sentences, _ = lessons.numbers(lessons.late[:7])
    longer, _ = lessons.numbers(lessons.longer[:7])
    for kind, (make, options) in lessons.KINDS.items():
        torch.manual_seed(0)
        model = make(num_words=len(lessons.words), num_answers=4, **options).double()
        for p in model.parameters():
            nn.init.normal_(p, std=0.5)
        assert 490 < sum(p.numel() for p in model.parameters()) < 550, kind
        scores, x = model(sentences), model.words(sentences)
        assert scores.shape == (7, 4)
        if isinstance(model, EndToEnd):
            layers = [layer for layer in model.read if isinstance(layer, nn.Linear)]
            hidden = x.flatten(1)
            for layer in layers[:-1]:
                hidden = (hidden @ layer.weight.T + layer.bias).clamp(min=0)
            assert close(scores, hidden @ layers[-1].weight.T + layers[-1].bias), kind
        else:
            x = x if model.places is None else x + model.places
            weights = torch.full((7, 12), 1 / 12, dtype=torch.double) if model.pool is None else model.pool(x)[1]
            assert close(scores, (weights[..., None] * x).sum(1) @ model.read.weight.T + model.read.bias), kind
        free = kind in ("attention", "mean")
        assert close(model(sentences.flip(1)), scores) == free, kind
        if free:
            assert model(longer).shape == (7, 4)
        else:
            with pytest.raises(RuntimeError):
                model(longer)


def test_pieces_add_up():
    torch.manual_seed(0)
    dense, blend = EndToEnd(9, 5, 3, width=4).double(), Blend(9, 3, width=4, hidden=2).double()
    sentences = torch.randint(9, (20, 5))
    assert close(dense(sentences), dense.pieces()[torch.arange(5), sentences].sum(1) + dense.read[0].bias)
    scores, readings = blend.pieces()
    weights = scores[sentences].softmax(1)
    assert close(blend(sentences), (weights[..., None] * readings[sentences]).sum(1) + blend.read.bias)
    for model, words in ((EndToEnd(9, 5, 3, width=4, hidden=2), "no sum of pieces"), (Blend(9, 3, width=4), "with attention"),
                         (Blend(9, 3, width=4, hidden=2, length=5), "without places")):
        with pytest.raises(ValueError, match=words):
            model.pieces()


def test_orders_are_learned():
    lessons = Orders()
    for kind, new in (("attention", True), ("dense", False)):
        model = lessons.train(0, kind)
        assert lessons.examine(model, lessons.early) > 0.95 and (lessons.examine(model, lessons.late) > 0.9) == new
