"""Each variant of the translator is what it says, and tasks encode, train, translate and examine as by hand."""

import numpy as np
import pytest
import torch
from torch import nn

from attnkit.lessons.coreference import CoreferenceModel, CoreferenceTask
from attnkit.lessons.corpora import DRINKS, Pair, english_french
from attnkit.lessons.drinks import ConcatenationClassifier, DrinkTask, PoolingClassifier
from attnkit.lessons.gifts import GiftModel, GiftTask
from attnkit.lessons.recall import GUESTS, MENU, RecallTask, recall_tables
from attnkit.lessons.training import encode
from attnkit.lessons.translation import (
    FixedVectorTranslator,
    ForwardTranslator,
    LuongTranslator,
    MeanStateTranslator,
    PositionBasedTranslator,
    StateBasedTranslator,
    StatesOnlyTranslator,
    TranslationTask,
    Translator,
)

VARIANTS = [Translator, MeanStateTranslator, StatesOnlyTranslator, ForwardTranslator, LuongTranslator, FixedVectorTranslator, StateBasedTranslator, PositionBasedTranslator]
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
        shown = model.from_states if variant is Translator else states.shape[1]
        assert close(states[:, :shown], model.encode(SOURCE[:1])[0][0, :, :shown])
        assert (states.shape[1] == 12) == (variant is not Translator), "wide, and nothing but states"
        assert model.encoder.bidirectional == knows_after


def test_luong_translator_attends_after_the_new_state():
    """First the state from the word alone, then the weights with it, which know the word; Translator's do not."""
    model = spread(LuongTranslator)
    annotations, state = model.encode(SOURCE)
    scored, new, weights = model.step(TARGET[:, 1], state, annotations)
    word = model.target_embedding(TARGET[:, 1])
    assert close(new, model.decoder(word, state))
    context, expected = model.attend(new, annotations)
    assert close(weights, expected) and close(scored, model.readout(torch.cat([new, context, word], dim=1)))
    other = TARGET.flip(1)
    for variant in (Translator, LuongTranslator):
        model = spread(variant)
        assert torch.equal(model(SOURCE, TARGET)[1][:, 0], model(SOURCE, other)[1][:, 0]) == (variant is Translator)


def test_fixed_vector_is_the_last_states():
    """Every annotation is the encoder's last states, forwards and backwards: the same whatever the weights."""
    model = spread(FixedVectorTranslator)
    annotations, state = model.encode(SOURCE, SOURCE > 0)
    for i, length in enumerate((5, 3)):
        states = model.encoder(model.source_embedding(SOURCE[i, :length])[:, None])[0][:, 0]
        vector = torch.cat([states[-1, :6], states[0, 6:]])
        assert close(annotations[i], vector.expand(5, 12)) and close(state[i], torch.tanh(model.to_initial_state(vector)))


def test_what_the_weights_depend_on():
    """StateBasedTranslator's weights come from the state, PositionBasedTranslator's from the place, Translator's also from the words."""
    states, (one, two) = torch.randn(2, 1, 12).double(), torch.randn(2, 1, 5, 12).double()
    cases = (Translator, True, True), (StateBasedTranslator, False, True), (PositionBasedTranslator, False, False)
    for variant, of_words, of_state in cases:
        model = spread(variant)

        def weights_of(state, annotations, place=0, model=model):
            model.place = torch.tensor(place)
            return model.attend(state, annotations)[1]

        plain = weights_of(states[0], one)
        assert close(plain, weights_of(states[0], two)) != of_words and close(plain, weights_of(states[1], one)) != of_state
        assert close(plain, weights_of(states[0], one, 1)) == (variant is not PositionBasedTranslator)
    model = spread(PositionBasedTranslator)
    for _ in range(2):                                       # each sentence begins at the first place again
        _, weights = model(SOURCE, TARGET, SOURCE > 0)
        table = model.position_scores.weight.T[:4] + model.position_scores.bias
        assert close(weights[0], torch.softmax(table[:, :5], dim=1))
        assert close(weights[1, :, :3], torch.softmax(table[:, :3], dim=1)), "of a shorter one the same, what is left"


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


@pytest.mark.parametrize("heads", [1, 2])
def test_without_positions_both_orders_give_the_same_output(heads):
    """Without positions the output at "gave" is the same for both orders, with any weights; with them it is not."""
    task = GiftTask()
    sentences = encode(task.held_out[:2], task.vocabulary)
    for positions in (False, True):
        torch.manual_seed(heads)
        model = GiftModel(len(task.vocabulary), heads, positions).double()
        for p in model.parameters():
            nn.init.normal_(p, std=0.5)
        scores, weights, output = model(sentences)
        assert scores.shape == (2, 2, len(task.vocabulary)) and weights.shape == (2, heads, 5) and output.shape == (2, 32)
        assert (abs(output[0] - output[1]).max() < 1e-12) == (not positions)


def test_giver_and_receiver_are_learned_with_positions_only():
    task = GiftTask()
    assert task.accuracy(task.train(0, num_heads=2, positions=True, steps=200)) > 0.9
    assert task.accuracy(task.train(0, num_heads=2, positions=False, steps=200)) < 0.3


def test_one_layer_keeps_the_ratio_of_two_weights():
    """The weights of "it" keep the ratio of the two nouns whatever the ending; a first layer changes it."""
    task = CoreferenceTask()
    pair = [sentence for sentence in task.held_out if sentence.words[:7] == task.held_out[0].words[:7]]
    sentences, answers, right, other = task.encode(pair)
    assert [task.vocabulary[k] for k in answers] == ["animal"] * 5 + ["road"] * 5
    for layers in (1, 2):
        torch.manual_seed(layers)
        model = CoreferenceModel(len(task.vocabulary), layers).double()
        for p in model.parameters():
            nn.init.normal_(p, std=0.5)
        scores, weights, first = model(sentences)
        ratio = weights[:, 1] / weights[:, 6]
        assert scores.shape == (10, len(task.vocabulary)) and weights.shape == (10, 12)
        assert (ratio.std() < 1e-12) == (layers == 1) == (first is None)
    accuracy, on_it, on_other = task.evaluate(model)
    rows = torch.arange(240)
    sentences, answers, right, other = task.encode(task.held_out)
    scores, weights, first = model(sentences)
    assert first.shape == (240, 12, 12) and torch.allclose(first.sum(-1), torch.ones(240, 12, dtype=torch.double))
    assert accuracy == (scores.argmax(1) == answers).double().mean()
    assert abs(on_it - weights[rows, right].mean().item()) < 1e-12 and abs(on_other - weights[rows, other].mean().item()) < 1e-12


def test_drink_task_encodes():
    task = DrinkTask()
    sentences, named = task.encode(task.late)
    assert sentences.shape == (1000, 12) and task.encode(task.longer)[0].shape == (1000, 24)
    for words, numbers, drink in zip(task.late, sentences, named):
        assert [task.vocabulary[k] for k in numbers] == list(words) and DRINKS[drink] in words[6:]
    assert set(task.vocabulary[3:]) == {word for words in task.training for word in words}


def test_drink_models_are_what_they_say():
    """Each kind as by hand; a mean and attention take any length and any order, dense layers and places do not."""
    task = DrinkTask()
    sentences, _ = task.encode(task.late[:7])
    longer, _ = task.encode(task.longer[:7])
    for kind, (model_class, options) in task.MODELS.items():
        torch.manual_seed(0)
        model = model_class(num_words=len(task.vocabulary), num_answers=4, **options).double()
        for p in model.parameters():
            nn.init.normal_(p, std=0.5)
        assert 490 < sum(p.numel() for p in model.parameters()) < 550, kind
        scores, x = model(sentences), model.embedding(sentences)
        assert scores.shape == (7, 4)
        if isinstance(model, ConcatenationClassifier):
            layers = [layer for layer in model.readout if isinstance(layer, nn.Linear)]
            hidden = x.flatten(1)
            for layer in layers[:-1]:
                hidden = (hidden @ layer.weight.T + layer.bias).clamp(min=0)
            assert close(scores, hidden @ layers[-1].weight.T + layers[-1].bias), kind
        else:
            x = x if model.positions is None else x + model.positions
            weights = torch.full((7, 12), 1 / 12, dtype=torch.double) if model.pool is None else model.pool(x)[1]
            assert close(scores, (weights[..., None] * x).sum(1) @ model.readout.weight.T + model.readout.bias), kind
        free = kind in ("attention", "mean")
        assert close(model(sentences.flip(1)), scores) == free, kind
        if free:
            assert model(longer).shape == (7, 4)
        else:
            with pytest.raises(RuntimeError):
                model(longer)


def test_contributions_add_up_to_the_scores():
    torch.manual_seed(0)
    dense, blend = ConcatenationClassifier(9, 5, 3, width=4).double(), PoolingClassifier(9, 3, width=4, hidden=2).double()
    sentences = torch.randint(9, (20, 5))
    assert close(dense(sentences), dense.contributions()[torch.arange(5), sentences].sum(1) + dense.readout[0].bias)
    scores, readings = blend.contributions()
    weights = scores[sentences].softmax(1)
    assert close(blend(sentences), (weights[..., None] * readings[sentences]).sum(1) + blend.readout.bias)
    for model, words in ((ConcatenationClassifier(9, 5, 3, width=4, hidden=2), "no sum over words"), (PoolingClassifier(9, 3, width=4), "with attention"),
                         (PoolingClassifier(9, 3, width=4, hidden=2, length=5), "without places")):
        with pytest.raises(ValueError, match=words):
            model.contributions()


def test_only_attention_finds_the_drink_at_new_positions():
    task = DrinkTask()
    for kind, new in (("attention", True), ("dense", False)):
        model = task.train(0, kind)
        assert task.evaluate(model, task.early) > 0.95 and (task.evaluate(model, task.late) > 0.9) == new


@pytest.fixture(scope="module")
def recall():
    return RecallTask()


def test_recall_tables():
    """Names are different, the asked one is there, the answer is its drink; all names, drinks and places occur alike."""
    assert len(set(GUESTS)) == 12 and len(set(MENU)) == 6
    for guests in (1, 3, 6, 12):
        names, drinks, asked, answers = recall_tables(3000, guests=guests, seed=1)
        assert names.shape == drinks.shape == (3000, guests) and asked.shape == answers.shape == (3000,)
        assert all(len(set(row)) == guests for row in names.tolist())
        place = (names == asked[:, None]).int()
        assert (place.sum(1) == 1).all() and torch.equal((place * drinks).sum(1), answers)
        for numbers, size in ((names.flatten(), 12), (drinks.flatten(), 6), (asked, 12), (answers, 6), (place.argmax(1), guests)):
            shares = torch.bincount(numbers, minlength=size) / len(numbers)
            assert len(shares) == size and (shares - 1 / size).abs().max() < 0.04
    assert all(map(torch.equal, recall_tables(5, seed=2), recall_tables(5, seed=2)))
    rng = np.random.default_rng(2)
    first, second = recall_tables(5, seed=rng), recall_tables(5, seed=rng)
    assert torch.equal(first.names, recall_tables(5, seed=2).names) and not torch.equal(first.names, second.names)
    for wrong, error, message in ((13, ValueError, "at most 12"), (0, ValueError, "guests"), (2.0, TypeError, "guests")):
        with pytest.raises(error, match=message):
            recall_tables(5, guests=wrong)


def relu(x):
    return np.maximum(x, 0)


def recalled_by_hand(kind, p, names, drinks, asked):
    """Scores for one table, with numpy, from a model's parameters `p`; attention's weights too."""
    items = np.array([p["name_vectors.weight"][i] + p["drink_vectors.weight"][j] for i, j in zip(names, drinks)])
    question, weights = p["name_vectors.weight"][asked], None

    def layer(x, name):
        return x @ p[f"{name}.weight"].T + p[f"{name}.bias"]

    if kind in ("attention", "without softmax"):
        query = question @ p["w_query"]
        weights = np.array([query @ (item @ p["w_key"]) for item in items]) / np.sqrt(len(query))
        if kind == "attention":
            weights = np.exp(weights) / np.exp(weights).sum()
        return layer(sum(w * (item @ p["w_value"]) for w, item in zip(weights, items)), "readout"), weights
    if kind in ("mean", "concatenation"):
        read = items.mean(0) if kind == "mean" else np.concatenate(items)
        return layer(relu(layer(np.concatenate([read, question]), "readout.0")), "readout.2"), None
    inputs = items if kind == "per-item network" else [np.concatenate([item, question]) for item in items]
    mean = np.mean([relu(layer(relu(layer(x, "features.0")), "features.2")) for x in inputs], axis=0)
    return layer(mean * layer(question, "gate") if kind == "per-item network" else mean, "readout"), None


@pytest.mark.parametrize("kind", RecallTask.MODELS)
def test_recall_models_are_what_they_say(recall, kind):
    torch.manual_seed(0)
    model = recall.MODELS[kind]().double()
    for p in model.parameters():
        nn.init.normal_(p, std=0.5)
    parameters = {name: p.detach().numpy() for name, p in model.named_parameters()}
    for guests in (3, 6, 12):
        *table, answers = tables = recall_tables(20, guests=guests)
        if kind == "concatenation" and guests != 6:
            with pytest.raises(ValueError, match=f"made for 6 guests, got {guests}$"):
                model(*table)
            continue
        scores = model(*table)
        by_hand = [recalled_by_hand(kind, parameters, *(part[i].tolist() for part in table)) for i in range(20)]
        assert scores.shape == (20, 6) and close(scores, torch.tensor(np.array([score for score, _ in by_hand])))
        assert recall.evaluate(model, tables=tables) == (scores.argmax(1) == answers).sum() / 20
        if kind in ("attention", "without softmax"):
            weights = model.attend(*model.embed(*table))[1]
            assert close(weights, torch.tensor(np.array([w for _, w in by_hand])))
        # The order of the guests counts only where they are laid end to end.
        again = model(table[0].flip(1), table[1].flip(1), table[2])
        assert close(again, scores) == (kind != "concatenation")


def test_the_mean_does_not_hold_who_ordered_what(recall):
    """Two guests who swap their orders give the same mean, so the same answer, whatever the weights; others can tell."""
    before, after = (recall.encode({"Ada": one, "Ben": other, "Lou": "milk"}, "Ben") for one, other in (("tea", "cocoa"), ("cocoa", "tea")))
    for kind in ("attention", "without softmax", "mean", "per-item network", "relation network"):
        torch.manual_seed(0)
        model = recall.MODELS[kind]().double()
        assert close(model(*before[:3]), model(*after[:3])) == (kind == "mean"), kind
    # Of three guests all order different drinks in 20 of 36 cases, two the same in 15, all the same in one.
    assert abs(recall.evaluate_guess(3) - (20 * 1 + 15 * 2 + 1 * 3) / 36 / 3) < 0.01 and recall.evaluate_guess(3) > recall.evaluate_guess(6) > recall.evaluate_guess(12)


def test_attention_recalls_where_a_mean_can_only_guess(recall):
    """Briefly trained, attention is right with lengths it never saw; the two simple rivals guess. Twice is the same."""
    model = recall.train(0, "attention", steps=300)
    assert recall.evaluate(model) > 0.99 and recall.evaluate(model, 3) > 0.99 and recall.evaluate(model, 12) > 0.95
    for guests in (3, 6, 12):
        assert 0.6 < recall.evaluate_weights(model, guests) < 1
    orders = dict(zip(GUESTS[2:9], MENU + ["tea"]))
    for asked, drink in orders.items():
        weights = recall.weights(model, orders, asked)
        assert recall.answer(model, orders, asked) == drink and weights.argmax() == list(orders).index(asked)
        assert weights.shape == (7,) and abs(weights.sum() - 1) < 1e-12
    for kind in ("mean", "concatenation"):
        assert 1 / 6 + 0.1 < recall.evaluate(recall.train(0, kind, steps=150)) < recall.evaluate_guess() + 0.02
    one, same, other = (recall.train(seed, "attention", steps=3, width=8, key_width=4) for seed in (1, 1, 2))
    assert all(map(torch.equal, one.parameters(), same.parameters())) and one.w_query.shape == (8, 4)
    assert not torch.equal(one.w_query, other.w_query) and one.w_query.dtype == torch.float64
