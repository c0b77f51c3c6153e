"""Each variant of the translator is what it says, and the task encodes, trains, translates and evaluates as by hand."""

import json

import numpy as np
import pytest
import torch
from torch import nn

from bookkit.lessons.corpora import Pair, english_french
from bookkit.lessons.training import new_model
from bookkit.lessons.translation import (
    BITS,
    BahdanauTranslator,
    FixedVectorTranslator,
    ForwardTranslator,
    StateBasedTranslator,
    StatesOnlyTranslator,
    TranslationTask,
    Translator,
    WordTranslator,
)
from lessons.by_hand import close, scatter

VARIANTS = [Translator, StatesOnlyTranslator, BahdanauTranslator, ForwardTranslator, FixedVectorTranslator, StateBasedTranslator]
SOURCE, TARGET = torch.tensor([[3, 4, 5, 6, 7], [8, 9, 3, 0, 0]]), torch.tensor([[1, 5, 6, 4], [1, 7, 8, 9]])


def spread(variant, seed=0):
    """A small model with random numbers in every parameter, biases too."""
    torch.manual_seed(seed)
    model = variant(11, 13, width=12).double().eval()
    scatter(model)
    return model


@pytest.mark.parametrize("variant", VARIANTS)
def test_padding_changes_nothing_and_decoding_agrees_with_teacher_forcing(variant):
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
    words, looked = model.translate(SOURCE, start=1, end=12, max_length=5, mask=mask)
    for i, sentence in enumerate(words):
        assert len(sentence) == len(looked[i]) and 12 not in sentence
        again, its = model(SOURCE[i:i + 1], torch.tensor([[1, *sentence]]), mask[i:i + 1])
        assert again[0].argmax(-1).tolist()[:5] == (sentence + [12])[:5] and close(its[0, :len(sentence)], looked[i])


def test_annotations_depend_on_the_words_that_the_encoder_reads():
    """Of the words after it, before it, and itself."""
    after, before = SOURCE[:1].clone(), SOURCE[:1].clone()
    after[0, 3:], before[0, :2] = 9, 9
    for variant, knows_after in ((Translator, True), (StatesOnlyTranslator, True), (ForwardTranslator, False)):
        model = spread(variant)
        [plain, later, earlier] = [model.encode(words)[0][0, 2] for words in (SOURCE[:1], after, before)]
        assert torch.equal(plain, later) != knows_after and not torch.equal(plain, earlier)
        states = model.encoder(model.source_embedding(SOURCE[0])[:, None])[0][:, 0]
        assert close(states, model.encode(SOURCE[:1])[0][0, :, :states.shape[1]])
        assert (states.shape[1] == 12) == (variant is not Translator), "wide, and nothing but states"
        assert model.encoder.bidirectional == knows_after


def test_bahdanau_translator_begins_with_what_was_read_backwards():
    """The first state comes from the backward state at the first word, which has read the whole sentence."""
    model = spread(BahdanauTranslator)
    annotations, state = model.encode(SOURCE, SOURCE > 0)
    assert close(state, torch.tanh(model.to_initial_state(annotations[:, 0, 6:]))) and not close(state[0], state[1])
    plain = spread(Translator)
    assert close(*plain.encode(SOURCE, SOURCE > 0)[1]), "otherwise the same for all"


def test_fixed_vector_is_the_last_states():
    """Every annotation is the encoder's last states, forwards and backwards: the same whatever the weights."""
    model = spread(FixedVectorTranslator)
    annotations, state = model.encode(SOURCE, SOURCE > 0)
    for i, length in enumerate((5, 3)):
        states = model.encoder(model.source_embedding(SOURCE[i, :length])[:, None])[0][:, 0]
        vector = torch.cat([states[-1, :6], states[0, 6:]])
        assert close(annotations[i], vector.expand(5, 12)) and close(state[i], torch.tanh(model.to_initial_state(vector)))


def test_what_the_weights_depend_on():
    """StateBasedTranslator's weights come from the state, Translator's also from the words."""
    states, (one, two) = torch.randn(2, 1, 12).double(), torch.randn(2, 1, 5, 12).double()
    for variant, of_words in ((Translator, True), (StateBasedTranslator, False)):
        model = spread(variant)
        plain, other_words, other_state = (model.attend(state, model.keys(words), words)[1]
                                           for state, words in ((states[0], one), (states[0], two), (states[1], one)))
        assert close(plain, other_words) != of_words and not close(plain, other_state)


@pytest.fixture(scope="module")
def task():
    return TranslationTask(*english_french(300, held_out=60))


def test_translation_task(task):
    pairs = task.held_out[:2] + task.training[:5]
    for numbers, words, sentences in zip(task.encode(pairs), (task.source_vocabulary, task.target_vocabulary),
                                         ([pair.english for pair in pairs],
                                          [("<start>", *pair.french, "<end>") for pair in pairs])):
        assert words[:3] == ["<pad>", "<start>", "<end>"]
        assert [tuple(words[n] for n in row if n) for row in numbers] == sentences
    seen, options = [], dict(steps=3, width=12)
    model = task.train(1, StatesOnlyTranslator, callback=lambda step, model: seen.append((step, model.training)), **options)
    assert seen == [(step, False) for step in range(4)] and type(model) is StatesOnlyTranslator and model.readout.in_features == 36
    assert model.dropout.share == 0.15 and task.train(1, steps=1, width=30).decoder.hidden_size == 30
    same, other = (task.train(seed, StatesOnlyTranslator, **options).readout.weight for seed in (1, 2))
    assert torch.equal(model.readout.weight, same) and not torch.equal(same, other) and same.dtype == torch.float64
    for rows, pair in zip(task.weights(model, pairs), pairs):       # batched and alone, and summing to one
        assert rows.shape == (len(pair.french), len(pair.english)) and close(rows, task.weights(model, [pair])[0])
        assert close(rows.sum(1), torch.ones(len(rows)).double())
        said, looked = task.translate(model, pair.english)
        assert close(task.weights(model, [Pair(pair.english, said, ())])[0], looked)
    model.readout.bias.data[2] = -99
    assert len(task.translate(model, pair.english)[0]) == 15, "where it stops if it never says <end>"
    with pytest.raises(ValueError, match="not in the vocabulary: 'unicorns'"):
        task.translate(model, ("I", "love", "unicorns"))


class ConstantTranslator:
    """Says the same to everything, and looks at the first word only."""

    def __init__(self, words):
        self.words = words

    def translate(self, source, **kwargs):
        return [self.words] * len(source), None

    def __call__(self, source, target, mask):
        return None, nn.functional.one_hot(torch.zeros_like(target), source.shape[1])


def test_evaluation_counts_matches_and_links(task):
    """One in three is je t' aime; looking at the first word is right for je, la and tu, and acceptable for fille."""
    pairs = [Pair(("I", "love", "you"), ("je", "t'", "aime"), ((0,), (2,), (1,))),
             Pair(("the", "girl", "loves", "me"), ("la", "fille", "m'", "aime"), ((0, 1), (1, 0), (3,), (2,))),
             Pair(("you", "love", "me"), ("tu", "m'", "aimes"), ((0,), (2,), (1,)))]
    constant = ConstantTranslator([task.target_vocabulary.index(word) for word in pairs[0].french])
    exact, aer, strict = task.evaluate(constant, pairs)
    assert (exact, aer, strict) == (1 / 3, pytest.approx(1 - (3 + 4) / 20), pytest.approx(1 - 3 / 10))
    assert task.evaluate(constant).exact == 1 / 60, "the held-out ones if none are given"


# ---- as it travels to a page

def test_a_translator_that_has_travelled():
    """It comes back the same a second time, near the first: its score with the scale in it, its states as wide."""
    names = [[f"{side}{k}" for k in range(count)] for side, count in (("e", 11), ("f", 13))]
    model = new_model(0, Translator, 11, 13, width=12, states=3, scale=0.5)
    travelled = json.loads(json.dumps(WordTranslator(model, *names).packed()))
    words = WordTranslator.unpacked(travelled)
    again = words.model
    assert words.packed() == travelled and not again.training and again.encoder.hidden_size == 3 and again.scale == 1
    assert sum(np.prod(t["shape"]) for t in travelled["tensors"].values()) == sum(p.numel() for p in model.parameters())
    ours, theirs, most = dict(model.named_parameters()), dict(again.named_parameters()), 2**(BITS - 1) - 1
    assert all((theirs[name] - (0.5 if name == "v" else 1) * ours[name]).abs().max() <= ours[name].abs().max() / most / 2 + 2**-14 for name in ours)
    (_, mine), (_, its) = model(SOURCE, TARGET, SOURCE > 0), again(SOURCE, TARGET, SOURCE > 0)
    assert 0 < (mine - its).abs().max() < 0.05
    with pytest.raises(ValueError, match="the packed model must be a translator, got 'storyteller'"):
        WordTranslator.unpacked(travelled | {"model": "storyteller"})
    with pytest.raises(ValueError, match=r"the tensor decoder.w_state must have shape \(36, 12\), got \(36, 11\)"):
        WordTranslator.unpacked(travelled | {"tensors": travelled["tensors"] | {"decoder.w_state": travelled["tensors"]["decoder.w_state"] | {"shape": [36, 11]}}})


@pytest.mark.parametrize("make, words", [
    (lambda: WordTranslator(StatesOnlyTranslator(3, 4, width=8), "abc", "abcd"), "model must be a Translator, none of its variants, with the additive score; got a StatesOnlyTranslator"),
    (lambda: WordTranslator(Translator(3, 4, width=8, score="dot"), "abc", "abcd"), "with the additive score; got a Translator with 'dot'"),
    (lambda: WordTranslator(Translator(3, 4, width=8), "ab", "abcd"), "source_words must be 3, as the model has, got 2"),
    (lambda: WordTranslator(Translator(3, 4, width=8), "abc", "abc"), "target_words must be 4, as the model has, got 3")])
def test_what_does_not_travel(make, words):
    with pytest.raises(ValueError, match=words):
        make()
