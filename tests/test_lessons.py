"""Each variant of the translator is what it says, and tasks encode, train, translate and examine as by hand."""

import json

import numpy as np
import pytest
import torch
from torch import nn

from attnkit.lessons.coreference import CoreferenceModel, CoreferenceTask
from attnkit.lessons.corpora import DRINKS, Pair, english_french
from attnkit.lessons.dense_layers import ConcatenationClassifier, DrinkTask, PoolingClassifier
from attnkit.lessons.layers import OUTCOMES, PEOPLE, VECTORS, ChainModel, ChainTask, chain_lines
from attnkit.lessons.recall import GUESTS, MENU, RecallTask, recall_tables
from attnkit.lessons.review_weights import (
    by_what_settles,
    compare,
    examine,
    exchanged,
    kendall_tau,
    left_out,
    shuffled,
    train_apart,
)
from attnkit.lessons.reviews import (
    BAD,
    DECISIVE_BAD,
    DECISIVE_GOOD,
    FILLERS,
    GOOD,
    KINDS_OF_REVIEWS,
    POOLINGS,
    REVIEW_WORDS,
    ReviewModel,
    Reviews,
    ReviewTask,
    film_reviews,
    travelling,
)
from attnkit.lessons.semantic_roles import GiftModel, GiftTask
from attnkit.lessons.training import encode, new_model
from attnkit.lessons.translation import (
    BITS,
    BahdanauTranslator,
    FixedVectorTranslator,
    ForwardTranslator,
    PositionBasedTranslator,
    StateBasedTranslator,
    StatesOnlyTranslator,
    TranslationTask,
    Translator,
    WordTranslator,
)
from attnkit.lessons.visual_attention import (
    GATES,
    KINDS_OF_PICTURES,
    SHAPES,
    GatedPictures,
    PatchReader,
    PictureTask,
    lamp_pictures,
    patches,
    windows,
)
from attnkit.lessons.visual_attention import travelling as travelling_pictures
from attnkit.lessons.word_order import QUESTIONS, SCHEMES, SETTINGS, WORDS, OrderModel, OrderTask, order_sentences
from attnkit.modules import TransformerBlock

VARIANTS = [Translator, StatesOnlyTranslator, BahdanauTranslator, ForwardTranslator, FixedVectorTranslator, StateBasedTranslator, PositionBasedTranslator]
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
    assert task.evaluate(task.train(0, num_heads=2, positions=True, steps=200)).both > 0.9
    assert task.evaluate(task.train(0, num_heads=2, positions=False, steps=200)).both < 0.3


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


@pytest.fixture(scope="module")
def order():
    return OrderTask()


@pytest.mark.parametrize("question", QUESTIONS)
def test_order_sentences_answer_what_they_ask(question):
    for length in (4, 7, 12):
        sentences = order_sentences(2000, length, question, seed=[3, 1])
        words, answers, places = (part.tolist() for part in sentences)
        marker = question == "place"
        assert sentences.words.shape == sentences.answers.shape == sentences.places.shape == (2000, length + marker)
        for said, answer, place in zip(words, answers, places):
            if marker:
                assert said.pop(0) == 12 and answer.pop(0) == place.pop(0) == -1
            assert set(said) <= set(range(12))
            if question == "previous":
                assert answer == [-1, *said[:-1]] and place == list(range(-1, length - 1))
            elif question.startswith("place"):
                assert answer == list(range(length)) and place == [0 if marker else -1] * length
            else:
                at = [i for i, word in enumerate(said) if WORDS[word] in MENU]
                if question == "last drink":
                    assert len(at) == 3 == len({said[i] for i in at}) and length - 1 not in at
                where = 2 if question == "third" else at[-1]
                assert place == [-1] * (length - 1) + [where] and answer == [-1] * (length - 1) + [said[where]]
        # Every word occurs, and wherever it may.
        seen = [set(column) - {12} for column in zip(*words)]
        assert all(len(column) >= (6 if question == "last drink" else 12) for column in seen), "chance leaves none out"
    if question == "last drink":
        assert {place[-1] for place in places} == set(range(2, 11)) and {answer[-1] for answer in answers} == set(range(6, 12))


def test_order_sentences_are_seeded():
    one, same, other = (order_sentences(20, 6, seed=seed) for seed in (1, 1, [1]))
    assert torch.equal(one.words, same.words) and not torch.equal(one.words, order_sentences(20, 6, seed=2).words)
    rng = np.random.default_rng(1)
    first, second = order_sentences(20, 6, seed=rng), order_sentences(20, 6, seed=rng)
    assert torch.equal(first.words, one.words) and not torch.equal(first.words, second.words) and other.words.shape == (20, 6)
    lessons = OrderTask(seed=5)
    assert torch.equal(lessons.held_out().words, lessons.held_out().words), "the same every time"
    assert not torch.equal(lessons.held_out().words, OrderTask(seed=6).held_out().words)
    assert lessons.held_out("third", 30, 7).words.shape == (7, 30)


def test_what_cannot_be_asked_about_order(order):
    for question, least in QUESTIONS.items():
        with pytest.raises(ValueError, match=f"at least {least} for the question '{question}', got {least - 1}$" if least > 1 else "length"):
            order_sentences(3, least - 1, question)
        assert order_sentences(3, least, question).answers.max() >= 0
        if question.startswith("place"):
            with pytest.raises(ValueError, match=f"at most 12 for the question '{question}', got 13$"):
                order_sentences(3, 13, question)
    for wrong in (lambda: order_sentences(3, 5, "next"), lambda: OrderModel("rotary", "next")):
        with pytest.raises(ValueError, match="question must be one of 'previous', .*; got 'next'$"):
            wrong()
    with pytest.raises(TypeError, match="length"):
        order_sentences(3, 5.0)
    with pytest.raises(ValueError, match="scheme must be one of 'none', .*; got 'absolute'$"):
        order.train(0, "absolute")
    for scheme in ("none", "causal mask only"):
        with pytest.raises(ValueError, match=f"'{scheme}' has no setting, got 2"):
            OrderModel(scheme, setting=2)
    with pytest.raises(ValueError, match="setting"):
        OrderModel("ALiBi", setting=float("nan"))
    assert len(order.encode(["hen"] * 48)[0]) == 48 and OrderModel("learned")(order.encode(["hen"] * 48))[0].shape == (1, 48, 12)
    with pytest.raises(ValueError, match="48 rows, too few for 49 items$"):
        OrderModel("learned")(order.encode(["hen"] * 49))
    for wrong, got in (("hen fish tea", "fish"), ("", "none"), ([], "none"), ("<start> hen", "<start>")):
        with pytest.raises(ValueError, match=f"words must be some of hen, .*; got {got}$"):
            order.encode(wrong)
    with pytest.raises(ValueError, match="no item tells the answer to the question 'place without a start'"):
        order.evaluate_weights(OrderModel("none", "place without a start").double())


def random_order_model(scheme, **options):
    """One with random numbers in every parameter, biases and the table too."""
    torch.manual_seed(4)
    model = OrderModel(scheme, **options).double()
    for p in model.parameters():
        nn.init.normal_(p, std=0.4)
    return model


def ordered_by_hand(model, words):
    """Scores and weights for one sentence, with numpy loops; positions from their definitions."""
    p = {name: parameter.detach().numpy() for name, parameter in model.named_parameters()}
    x = p["embedding.weight"][words]
    n, d = x.shape
    clocks = [model.setting ** -(2 * i / d) if model.scheme == "rotary" else 10_000.0 ** -(2 * i / d) for i in range(d // 2)]
    if model.scheme == "sinusoidal":
        x = x + model.setting * np.array([[f(i * c) for c in clocks for f in (np.sin, np.cos)] for i in range(n)])
    if model.scheme == "learned":
        x = x + p["positions"][:n]
    query, key, value = (x @ p[f"attention.w_{name}"] + p[f"attention.b_{name}"] for name in ("query", "key", "value"))
    scores = np.full((n, n), -np.inf)
    for i in range(n):
        for j in range(n):
            if j > i and model.scheme in ("causal mask only", "ALiBi"):
                continue
            if model.scheme == "rotary":        # pairs of columns as complex numbers, turned
                a, b = (v[0::2] + 1j * v[1::2] for v in (query[i], key[j]))
                scores[i, j] = sum((a * np.exp(1j * i * np.array(clocks)) * np.conj(b * np.exp(1j * j * np.array(clocks)))).real) / np.sqrt(d)
            else:
                scores[i, j] = query[i] @ key[j] / np.sqrt(d)
            if model.scheme == "relative bias":
                scores[i, j] += p["table"][0, 8 + max(-8, min(8, j - i))]
            if model.scheme == "ALiBi":
                scores[i, j] -= model.setting * (i - j)
    weights = np.exp(scores) / np.exp(scores).sum(1, keepdims=True)
    output = weights @ value @ p["attention.w_output"] + p["attention.b_output"]
    return torch.tensor(output @ p["readout.weight"].T + p["readout.bias"]), torch.tensor(weights)


@pytest.mark.parametrize("scheme, setting", [*zip(SCHEMES, SETTINGS.values()), ("sinusoidal", 0.3), ("ALiBi", 0.125), ("rotary", 50.0)])
def test_order_models_are_what_they_say(order, scheme, setting):
    model = random_order_model(scheme, setting=setting, width=6)
    sentences = order.held_out("previous", 20, 3)
    scores, weights = model(sentences.words)
    assert scores.shape == (3, 20, 12) and weights.shape == (3, 20, 20)
    for i, words in enumerate(sentences.words):
        by_hand = ordered_by_hand(model, words.numpy())
        assert close(scores[i], by_hand[0]) and close(weights[i], by_hand[1])
    assert order.evaluate(model, sentences=sentences) == (scores.argmax(-1)[:, 1:] == sentences.words[:, :-1]).double().mean()
    assert abs(order.evaluate_weights(model, sentences=sentences) - weights.diagonal(-1, 1, 2).mean().item()) < 1e-12
    said = "cat tea dog dog cow"
    assert close(order.weights(model, said), model(order.encode(said))[1][0]) and order.encode(said).tolist() == [[1, 7, 2, 2, 3]]
    assert order.answer(model, said.split()) == [WORDS[i] for i in model(order.encode(said))[0][0].argmax(-1)]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_which_scores_know_the_place_and_which_only_how_far(order, scheme):
    """A sentence of one word: scores along a diagonal are the same if a scheme is relative, and all the same without."""
    model = random_order_model(scheme)
    x = model.embed(order.encode(["hen"] * 20))
    query, key = (x @ getattr(model.attention, f"w_{name}") + getattr(model.attention, f"b_{name}") for name in ("query", "key"))
    scores = model.score(query, key)[0]
    by_distance = [scores.diagonal(k) for k in range(-19, 20)]
    relative = all(close(diagonal, diagonal[:1].expand_as(diagonal)) for diagonal in by_distance)
    assert relative == (scheme not in ("sinusoidal", "learned"))
    assert close(scores, scores[:1, :1].expand_as(scores)) == (scheme in ("none", "causal mask only"))
    if scheme == "relative bias":
        assert len({round(diagonal[0].item(), 9) for diagonal in by_distance}) == 17, "beyond eight places all the same"
    # Without positions and mask the order of the words changes nothing at any of them.
    words = order.held_out(length=9, num_examples=5).words
    assert close(model(words.flip(1))[0].flip(1), model(words)[0]) == (scheme == "none")


def test_the_order_is_learned_where_the_scheme_can_tell_it(order):
    """Briefly trained: the word before with rotary, the third with sines and not with rotary, the last drink with ALiBi."""
    rotary = order.train(0, "rotary", steps=200)
    assert order.evaluate(rotary) > 0.98 and order.evaluate(rotary, 24) > 0.9 and order.evaluate_weights(rotary) > 0.4
    for scheme, least, most in (("none", 0.2, 0.3), ("causal mask only", 0.3, 0.45)):
        assert least < order.evaluate(order.train(0, scheme, steps=200)) < most
    assert order.answer(rotary, "cat tea dog dog cow")[1:] == ["cat", "tea", "dog", "dog"]
    weights = order.weights(rotary, "cat tea dog hen cow")
    assert weights.shape == (5, 5) and weights[1:].argmax(1).tolist() == [0, 1, 2, 3]
    assert order.evaluate(order.train(0, "sinusoidal", question="third", steps=200)) > 0.98
    assert order.evaluate(order.train(0, "rotary", question="third", steps=200)) < 0.6
    far = [order.evaluate(order.train(0, "ALiBi", question="last drink", steps=300, setting=slope), 48) for slope in (0.125, 1.0)]
    assert far[0] > 0.9 and far[1] < 0.8
    one, same, other = (order.train(seed, "learned", steps=3, width=8) for seed in (1, 1, 2))
    assert all(map(torch.equal, one.parameters(), same.parameters())) and one.positions.shape == (48, 8)
    assert not torch.equal(one.readout.weight, other.readout.weight) and one.readout.weight.dtype == torch.float64
    fresh = new_model(1, OrderModel, "learned", width=8)
    moved = (one.positions - fresh.positions).abs().max(1).values > 1e-4
    assert moved[:5].all() and not moved[12:].any(), "rows that no training sentence reaches stay as they began"


def test_a_causal_mask_alone_brings_order_in(order):
    """With a start marker a head that looks back can count the words, by the marker's share; one that sees all cannot."""
    causal, every = (order.train(0, scheme, question="place", steps=500) for scheme in ("causal mask only", "none"))
    assert order.evaluate(causal, 5) > 0.98 and order.evaluate(causal, 12) > 0.7
    assert abs(order.evaluate(every, 12) - 1 / 12) < 0.02 and abs(order.evaluate(every, 5) - 1 / 5) < 0.03
    assert order.answer(causal, "hen hen tea cow")[1:] == [0, 1, 2, 3]
    share = order.weights(causal, "hen hen tea cow dog")[:, 0]
    assert share.shape == (6,) and (share.diff() < 0).all() and share[0] == 1
    assert 0 < order.evaluate_weights(causal, 5) < 1 and abs(order.evaluate_weights(causal, 5) - share[1:].mean()) < 0.05


# ---- a line of people and stacks of layers

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


def test_what_cannot_be_asked_of_a_line():
    task = ChainTask()
    for wrong in (10, "hand", "2"):
        for refuse in (lambda q: chain_lines(3, q), lambda q: ChainModel(1, q), lambda q: task.train(0, 1, q)):
            with pytest.raises(ValueError, match=rf"question must be 'hands' or a number from 1 to 9, got {wrong!r}$"):
                refuse(wrong)
    for wrong, kind in ((0, ValueError), (2.0, TypeError), (None, TypeError)):
        with pytest.raises(kind, match="question"):
            chain_lines(3, wrong)
    with pytest.raises(ValueError, match="num_layers"):
        ChainModel(0)
    with pytest.raises(ValueError, match="norm must be 'pre', 'post' or None, got 'before'"):
        ChainModel(2, norm="before")
    with pytest.raises(ValueError, match="num_heads must divide width"):
        ChainModel(2, num_heads=3)
    for wrong in ("Ada", "Ada Ben Ada", "Ada Bert", []):
        with pytest.raises(ValueError, match="line must be at least two of Ada, .*, all different"):
            task.encode(wrong)
    pair = ("rock", "paper")
    for wrong in ([pair], [pair, pair, pair], [pair, ("rock",)], [pair, ("rock", "stone")]):
        with pytest.raises(ValueError, match="hands must be a pair of rock, paper, scissors for each of 2 people"):
            task.encode("Ada Ben", wrong)
    for model, hands, got in ((ChainModel(1, 2), [pair, pair], "some and the question 2"),
                              (ChainModel(1, "hands"), None, "none and the question 'hands'")):
        for ask in (task.answer, task.weights):
            with pytest.raises(ValueError, match=f"hands go with the question 'hands', got {got}$"):
                ask(model, "Ada Ben", hands)
    with pytest.raises(ValueError, match="no item stands 9 places further on"):
        task.evaluate_weights(ChainModel(1).double(), 9)


def random_stack(num_layers, question=2, **options):
    """One with random numbers in every parameter."""
    torch.manual_seed(6)
    model = ChainModel(num_layers, question, width=8, **options).double()
    for p in model.parameters():
        nn.init.normal_(p, std=0.4)
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
    few = chain_lines(4, 3)
    for further in (-2, 0, 1, 8):
        by_hand = [[weights[layer, i, j].item() for weights, places in zip(model(few.items)[1], few.places)
                    for i in range(9) for j in range(9) if places[j] - places[i] == further] for layer in range(2)]
        assert np.allclose(task.evaluate_weights(model, further, few), [np.mean(w) for w in by_hand], rtol=0, atol=1e-12)
    line = "Jon Ada Ben Cleo"
    assert [[VECTORS[i] for i in item] for item in task.encode(line).items[0]] == [
        ["Jon first", "Ada second"], ["Ada first", "Ben second"], ["Ben first", "Cleo second"]]
    assert close(task.weights(model, line), model(task.encode(line).items)[1][0])
    said = [PEOPLE[k] for k in model(task.encode(line).items)[0][0].argmax(-1)]
    assert task.answer(model, line.split()) == said[:1] and task.answer(model, "Jon Ada") == []
    hands = [("rock", "paper"), ("paper", "paper"), ("scissors", "paper")]
    encoded, wise = task.encode("Ada Ben Cleo", hands), random_stack(1, "hands")
    assert [VECTORS[i] for i in encoded.items[0, 1]] == ["Ben first", "Cleo second", "left paper", "right paper"]
    assert encoded.answers.tolist() == [[0, -1]], "Ben's hands draw; nobody says what Cleo shows"
    assert task.answer(wise, "Ada Ben Cleo", hands) == [OUTCOMES[wise(encoded.items)[0][0, 0].argmax()]]
    assert task.weights(wise, "Ada Ben Cleo", hands).shape == (1, 2, 2)


def test_the_anatomy_of_a_stack():
    task, model = ChainTask(), random_stack(3, 2, norm=None)
    lines = chain_lines(5, 2)
    sizes, distances, gradients = task.anatomy(model, lines)
    streams = [x.detach().numpy() for x in model.streams(lines.items)[0]]
    assert np.allclose(sizes, [np.sqrt((x ** 2).mean()) for x in streams]) and len(gradients) == 3
    apart = [np.mean([np.linalg.norm(line[i] - line[j]) for line in x for i in range(9) for j in range(i)]) for x in streams]
    assert np.allclose(distances, np.array(apart) / apart[0]) and distances[0] == 1
    assert all(p.grad is None or not p.grad.any() for p in model.parameters()), "nothing left for a training to trip over"
    for layer, size in zip(model.layers, gradients):
        slopes = torch.autograd.grad(task.loss(model, lines), list(layer.attention.parameters()))
        assert abs(torch.cat([slope.flatten() for slope in slopes]).square().mean().sqrt().item() - size) < 1e-12
    same = model.layers[1].attention
    with torch.no_grad():
        same.w_query.zero_(), same.b_query.zero_()
        model.layers[1].residual = False
    assert task.anatomy(model, lines).distances[2] < 1e-14, "one mean for all"


def test_six_layers_without_residuals_make_items_alike():
    task = ChainTask()
    lines = task.held_out(3, 20)
    apart = {residual: task.anatomy(new_model(0, ChainModel, 6, 3, residual=residual), lines).distances for residual in (True, False)}
    assert apart[False][6] < 1e-9 and apart[False][3] < 0.1 < apart[False][1] < 0.6 and apart[True][6] > 0.9


def test_two_layers_reach_further_than_one():
    task = ChainTask()
    one, two = (task.train(0, layers, 3, residual=False, lr=3e-3, steps=300) for layers in (1, 2))
    assert task.evaluate(one) < 0.3 and task.evaluate(two) > 0.97
    assert min(task.evaluate_weights(two, 1)) > 0.7 and max(task.evaluate_weights(two, 2)) < 0.1, "each looks at the next"
    assert task.answer(two, PEOPLE) == PEOPLE[3:]
    same, other = (task.train(seed, 1, steps=3, width=8) for seed in (1, 2))
    assert all(map(torch.equal, same.parameters(), task.train(1, 1, steps=3, width=8).parameters()))
    assert not torch.equal(same.readout.weight, other.readout.weight) and same.readout.weight.dtype == torch.float64


def test_an_mlp_tells_what_a_sum_does_not():
    task = ChainTask()
    with_mlp, without = (task.train(0, 1, "hands", norm=None, mlp=mlp, steps=steps) for mlp, steps in ((True, 400), (False, 200)))
    assert task.evaluate(with_mlp) > 0.95 and task.evaluate(without) < 0.8
    hands = [("rock", "rock"), ("rock", "scissors"), ("paper", "scissors"), ("scissors", "scissors"), ("paper", "rock")]
    assert task.answer(with_mlp, "Ada Ben Cleo Dan Eva", hands) == ["win", "loss", "draw"]


def test_heads_of_one_layer_on_it():
    """Within a head the ending changes nothing between two nouns; in the mean of several it does."""
    task = CoreferenceTask()
    sentences, answers, right, other = task.encode(task.held_out[:10])
    for heads in (1, 4):
        torch.manual_seed(heads)
        model = CoreferenceModel(len(task.vocabulary), 1, heads).double()
        for p in model.parameters():
            nn.init.normal_(p, std=0.5)
        each, (scores, mean, _) = model.head_weights(sentences), model(sentences)
        assert each.shape == (10, heads, 12) and close(each.mean(1), mean) and scores.shape == (10, len(task.vocabulary))
        pair = [k for k in range(10) if task.held_out[k].words[:11] == task.held_out[0].words[:11]]
        ratio, mixed = each[pair, :, 1] / each[pair, :, 6], mean[pair, 1] / mean[pair, 6]
        assert len(pair) > 1 and ratio.std(0).max() < 1e-9 and (mixed.std() > 1e-3) == (heads == 4)
        query, key, value, _ = model.roles(sentences)
        d = 32 // heads
        by_hand = [torch.softmax((query[..., k * d:][..., :d] @ key[..., k * d:][..., :d].mT)[:, 0] / d ** 0.5, -1) for k in range(heads)]
        assert close(torch.stack(by_hand, 1), each)
        read = torch.cat([(w[:, None] @ value[..., k * d:][..., :d])[:, 0] for k, w in enumerate(by_hand)], -1)
        assert close(scores, model.readout(model.norm["read"](read)))
    two = CoreferenceModel(len(task.vocabulary), 2, 4).double()
    assert two(sentences)[2].shape == (10, 12, 12) and two.first_layer.num_heads == 4
    for layers, heads, complaint in ((3, 1, "num_layers must be 1 or 2, got 3"), (1, 5, "num_heads must divide width")):
        with pytest.raises(ValueError, match=complaint):
            CoreferenceModel(9, layers, heads)
    assert task.train(1, num_layers=1, num_heads=2, steps=2).num_heads == 2


@pytest.fixture(scope="module")
def review_task():
    return ReviewTask()


OPINIONS = [set(BAD), set(GOOD)]
SETTLES = [set(DECISIVE_BAD), set(DECISIVE_GOOD)]


@pytest.mark.parametrize("kind", KINDS_OF_REVIEWS)
def test_film_reviews(kind):
    """What a reader would say of each, by its words; labels and what turns a review are balanced."""
    reviews = film_reviews(400, kind, seed=1)
    assert reviews.documents.shape == (400, 100) and reviews.labels.double().mean() == 0.5
    turned = 0
    for numbers, label, decisive in zip(*map(torch.Tensor.tolist, reviews)):
        words = [REVIEW_WORDS[k] for k in numbers]
        bad, good = (sum(word in kind for word in words) for kind in OPINIONS)
        places = [i for i, word in enumerate(words) if word in SETTLES[0] | SETTLES[1]]
        assert places == ([] if decisive < 0 else [decisive])
        assert words.count("not") == (3 if kind == "not" else 0) and len(set(words) - set(FILLERS) - {"not"}) <= 17
        if kind in ("majority", "both"):
            assert 12 <= bad + good <= 28 and max(bad, good) >= 0.6 * (bad + good)
        else:
            assert bad == good == 0
        says = good > bad if decisive < 0 else words[decisive] in SETTLES[1]
        if kind == "both" and decisive >= 0:
            turned += (good > bad) != says
        if kind == "not" and words[decisive - 1] == "not":
            turned, says = turned + 1, not says
        assert says == label
    assert (reviews.decisive >= 0).sum() == {"majority": 0, "both": 200}.get(kind, 400)
    assert turned == (200 if kind in ("both", "not") else 0)
    again, other = film_reviews(400, kind, seed=1), film_reviews(400, kind, seed=2)
    assert all(map(torch.equal, reviews, again)) and not torch.equal(reviews.documents, other.documents)


def test_words_of_reviews():
    assert len(set(REVIEW_WORDS)) == len(REVIEW_WORDS) == 223 and len(FILLERS) == 200 and "not" not in FILLERS
    shares = torch.bincount(film_reviews(1000, "decisive").documents.flatten(), minlength=223) / 1e5
    assert (shares[:200] - 0.99 / 200).abs().max() < 0.001 and (shares[-6:] - 0.01 / 6).abs().max() < 0.0005
    places = film_reviews(2000, "decisive", seed=3).decisive
    assert places.min() == 1 and places.max() == 99 and abs(places.double().mean() - 50) < 2
    with pytest.raises(ValueError, match="kind must be one of majority, decisive, both, not, got 'odd'"):
        film_reviews(3, "odd")
    with pytest.raises(ValueError, match="num_reviews"):
        film_reviews(0)


def random_reader(pooling, **sizes):
    torch.manual_seed(0)
    model = ReviewModel(len(REVIEW_WORDS), pooling, **sizes).double()
    for p in model.parameters():
        nn.init.normal_(p, std=0.5)
    return model


def read_by_hand(p, pooling, row, weights=None):
    """A review's logit and weights, with numpy, from a model's parameters `p`; or with other weights."""
    x = p["embedding.weight"][row]
    if weights is None:
        scores = x @ p["w_key"] @ p["query"][0] / np.sqrt(8) if pooling == "attention" else np.zeros(len(row))
        weights = np.exp(scores) / np.exp(scores).sum()
    pooled = x.max(axis=0) if pooling == "max" else weights @ x
    hidden = relu(p["readout.0.weight"] @ pooled + p["readout.0.bias"])
    return p["readout.2.weight"][0] @ hidden + p["readout.2.bias"][0], weights


@pytest.mark.parametrize("pooling", POOLINGS)
def test_review_models_are_what_they_say(review_task, pooling):
    """As by hand, in any order of the words; and what travels says the same, to the digits it has."""
    model, documents = random_reader(pooling), review_task.held_out.documents[:20]
    p = {name: tensor.detach().numpy() for name, tensor in model.named_parameters()}
    logits, weights = model(documents)
    by_hand = [read_by_hand(p, pooling, row) for row in documents.numpy()]
    assert close(logits, torch.tensor([logit for logit, _ in by_hand])) and close(model(documents.flip(1))[0], logits)
    assert weights is None if pooling == "max" else close(weights, torch.tensor(np.array([w for _, w in by_hand])))
    right = sum((logit > 0) == bool(label) for (logit, _), label in zip(by_hand, review_task.held_out.labels))
    assert review_task.evaluate(model, [part[:20] for part in review_task.held_out]) == right / 20
    sent = json.loads(json.dumps(travelling(model)))
    assert sent["words"] == REVIEW_WORDS and sent["pooling"] == pooling and any(sent["scores"]) == (pooling == "attention")
    vectors, scores, w1, b1, w2, b2 = (np.array(sent[name]) for name in ("vectors", "scores", "w1", "b1", "w2", "b2"))
    assert all((part == part.round(4)).all() for part in (vectors, scores, w1, b1, w2, b2))
    x, unnormalised = vectors[documents], np.exp(scores[documents])[..., None]
    pooled = x.max(axis=1) if pooling == "max" else (unnormalised * x).sum(1) / unnormalised.sum(1)
    assert abs(relu(pooled @ w1 + b1) @ w2 + b2 - logits.detach().numpy()).max() < 2e-3


def test_review_model_refuses_other_poolings():
    with pytest.raises(ValueError, match="pooling must be one of mean, max, attention, got 'sum'"):
        ReviewModel(10, "sum")


def test_review_task(review_task):
    assert review_task.training.documents.shape == (1000, 100) and len(ReviewTask(30).training.labels) == 30
    few = ReviewTask(30, "majority", seed=4)
    assert torch.equal(few.held_out.documents, ReviewTask(60, "majority", seed=4).held_out.documents)
    assert not torch.equal(few.held_out.documents[:30], few.training.documents)
    [words] = review_task.documents(review_task.encode("a masterpiece not dull"))
    assert words == ["a", "masterpiece", "not", "dull"] and torch.equal(review_task.encode(words), review_task.encode("a masterpiece not dull"))
    one, same, other = (few.train(seed, steps=3, width=4, key_width=2, hidden=5) for seed in (1, 1, 2))
    assert torch.equal(one.w_key, same.w_key) and not torch.equal(one.w_key, other.w_key) and one.w_key.shape == (4, 2)
    logits = review_task.held_out.labels.double() * 2 - 1

    def certain(documents):
        return 50 * logits, None

    assert review_task.loss(certain) < 1e-12 and review_task.evaluate(certain) == 1
    assert review_task.loss(lambda documents: (0 * logits, None)) == pytest.approx(np.log(2))


@pytest.mark.parametrize("kind, right", [("majority", (0.5, 1, 0.5, 1)), ("decisive", (0.5, 0.5, 1, 1)),
                                         ("both", (0.5, 0.5, 0.75, 1)), ("not", (0.5, 0.5, 0.5, 0.5))])
def test_rules_for_reviews(kind, right):
    rules = ReviewTask(10, kind).evaluate_rules()
    assert rules == dict(zip(("guess", "count opinion words", "look for a decisive word", "decisive word, else count"), right))


def test_attention_finds_the_decisive_word():
    """And is right where a mean and a maximum are not; reversed by a word before it, no pooling can tell."""
    review_task = ReviewTask(300)
    attention, mean, largest = (review_task.train(0, pooling) for pooling in ("attention", "mean", "max"))
    assert review_task.evaluate(attention) > 0.94 > max(map(review_task.evaluate, (mean, largest))) + 0.1
    weight, share = review_task.evaluate_on_decisive(attention)
    assert 0.4 < weight < 0.9 and share > 0.95
    assert review_task.evaluate_on_decisive(mean) == (pytest.approx(0.01), 0), "no word gets more than another"
    for model, task in ((largest, review_task), (attention, ReviewTask(10, "majority"))):
        with pytest.raises(ValueError, match="a maximum has no weights" if model is largest else "no such word"):
            task.evaluate_on_decisive(model)
    negated = ReviewTask(kind="not")
    assert abs(negated.evaluate(negated.train(0, steps=150)) - 0.5) < 0.06


def test_weights_of_reviews_changed_as_by_hand(review_task):
    """Shuffled, exchanged and left out: the logits of a reader that is handed the changed weights."""
    model, documents = random_reader("attention"), review_task.held_out.documents[:3]
    p = {name: tensor.detach().numpy() for name, tensor in model.named_parameters()}
    swaps, leaves = exchanged(model, documents), left_out(model, documents)
    for i, row in enumerate(documents.numpy()):
        logit, weights = read_by_hand(p, "attention", row)
        top = weights.argmax()
        for j in (0, 5, 99, top):
            swapped = weights.copy()
            swapped[[top, j]] = weights[[j, top]]
            assert abs(read_by_hand(p, "attention", row, swapped)[0] - swaps[i, j]) < 1e-9
            assert abs(read_by_hand(p, "attention", np.delete(row, j))[0] - leaves[i, j]) < 1e-9
        assert abs(swaps[i, top] - logit) < 1e-9
    anew = shuffled(model, documents, times=4, seed=1)
    assert anew.shape == (3, 4) and torch.equal(anew, shuffled(model, documents, times=4, seed=1))
    assert len(set(anew[0].tolist())) == 4 and not torch.equal(anew, shuffled(model, documents, times=4, seed=2))
    same = documents[:, :1].expand(-1, 100)
    assert close(shuffled(model, same, times=2), model(same)[0][:, None].expand(-1, 2)), "of one word, all orders are alike"
    with pytest.raises(ValueError, match="a maximum, which has no weights"):
        left_out(random_reader("max"), documents)


class Pointer(nn.Module):
    """Reads one number of each word, with weights of its own choice: the logit is their weighted mean."""

    def __init__(self, numbers, scores):
        super().__init__()
        self.embedding = lambda documents: torch.tensor(numbers).double()[documents][..., None]
        self.pool = lambda x: ((self.weigh(x)[:, None] @ x)[:, 0], self.weigh(x))
        self.readout, self.scores = nn.Identity(), scores

    def weigh(self, x):
        return torch.tensor(self.scores).double().expand(len(x), -1)

    def forward(self, documents):
        pooled, weights = self.pool(self.embedding(documents))
        return pooled[:, 0], weights


def test_examine_weights():
    """Three words of 8, -1 and -1 with weights of 0.5, 0.3 and 0.2: without the first, or with another in its place, the answer turns."""
    reviews = Reviews(torch.tensor([[0, 1, 2]]), torch.tensor([1]), torch.tensor([0]))
    found = examine(Pointer([8, -1, -1], [0.5, 0.3, 0.2]), reviews, times=3000)
    before, after = torch.tensor([3.5, -1, 8 * 5 / 7 - 3 / 7 * 1 - 1 / 7 * 0, 0]).sigmoid(), torch.tensor([1.7, 0.8]).sigmoid()
    assert found["without the top word"] == (pytest.approx((before[0] - before[1]).item()), 1)
    assert found["exchanged"] == (pytest.approx((before[0] - after.mean()).item()), 0)
    assert found["shuffled"].change == pytest.approx(((before[0] - after).sum() / 3).item(), abs=0.01) and found["shuffled"].flips == 0
    # Without the second word 8 * 5/7 - 2/7, without the third 8 * 5/8 - 3/8: the first counts most, then the second.
    left = torch.tensor([38 / 7, 37 / 8]).sigmoid()
    assert found["without another word"] == (pytest.approx((left - before[0]).mean().item()), 0)
    assert found["tau"] == 1 and found["top word counts most"] == 1
    blind = examine(Pointer([1, 1, -90], [0.5, 0.3, 0.2]), reviews)
    assert blind["top word counts most"] == 0 and blind["without another word"].flips == 0.5 and blind["tau"] == pytest.approx(-1 / 3)


def tau_by_hand(a, b):
    pairs = [(np.sign(a[i] - a[j]), np.sign(b[i] - b[j])) for i in range(len(a)) for j in range(i)]
    return sum(s * t for s, t in pairs) / np.sqrt(sum(s != 0 for s, _ in pairs) * sum(t != 0 for _, t in pairs))


def test_kendall_tau():
    rng = np.random.default_rng(0)
    a, b = rng.integers(6, size=(2, 5, 12))
    assert np.allclose(kendall_tau(a, b), [tau_by_hand(*pair) for pair in zip(a, b)], atol=1e-12)
    assert kendall_tau([1, 2, 3], [5, 6, 9]) == 1 == -kendall_tau([1, 2, 3], [9, 6, 5])


def test_compare_readers_of_reviews():
    reviews = Reviews(torch.tensor([[0, 1], [1, 0]]), torch.tensor([1, 0]), torch.tensor([0, -1]))
    one, other = Pointer([4, -4], [0.75, 0.25]), Pointer([4, -4], [0.25, 0.75])
    assert compare(one, one, reviews) == (1, 0, 0)
    assert compare(one, other, reviews) == (0, pytest.approx(np.tanh(1)), 0.5)
    parts = by_what_settles(reviews)
    assert [part.labels.tolist() for part in parts.values()] == [[1], [0]] and list(parts) == ["decisive", "majority"]


def test_train_apart(review_task):
    """The same answers with other weights: further away than those of another seed."""
    model, another = (review_task.train(seed, key_width=4) for seed in (0, 1))
    apart = train_apart(review_task, model, 1, steps=400)
    far, other = (compare(model, found, review_task.held_out) for found in (apart, another))
    assert far.distance > other.distance + 0.2 and far.agreement > 0.93 and apart.w_key.shape == (16, 4)
    assert train_apart(review_task, model, 1, strength=0, steps=1).query.allclose(another.query, atol=0.02), "it starts as another seed's"


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


@pytest.mark.parametrize("make, error, words", [
    (lambda: WordTranslator(StatesOnlyTranslator(3, 4, width=8), "abc", "abcd"), TypeError, "model must be a Translator and none of its variants, got StatesOnlyTranslator"),
    (lambda: WordTranslator(Translator(3, 4, width=8, score="dot"), "abc", "abcd"), ValueError, "model must have the additive score, got 'dot'"),
    (lambda: WordTranslator(Translator(3, 4, width=8), "ab", "abcd"), ValueError, "source_words must be 3, as the model has, got 2"),
    (lambda: WordTranslator(Translator(3, 4, width=8), "abc", "abc"), ValueError, "target_words must be 4, as the model has, got 3")])
def test_what_does_not_travel(make, error, words):
    with pytest.raises(error, match=words):
        make()


# ---- pictures under lamps

QUARTERS = [(slice(8 * i, 8 * i + 8), slice(8 * j, 8 * j + 8)) for i in (0, 1) for j in (0, 1)]
MARKS = np.array([[[mark == "#" for mark in row] for row in rows] for rows in SHAPES.values()])


def seen_by_eye(picture):
    """What a reader sees in (16, 16, 3): (shape, quarter, colour) of all, which quarters are lit, the colour of the frame."""
    steps = picture[0] - picture[1], picture[-1] - picture[-2], picture[:, 0] - picture[:, 1], picture[:, -1] - picture[:, -2]
    frame = np.flatnonzero(np.min([step.mean(0) for step in steps], axis=0) > 0.15)
    lit = np.array([np.median(picture[quarter][..., 2]) > 0.3 for quarter in QUARTERS])
    found = []
    for quarter, part in enumerate(QUARTERS):
        for colour in range(3):
            bright = picture[part][1:-1, 1:-1, colour] > (0.9 if lit[quarter] and colour == 2 else 0.55)
            if bright.any():
                row, column = np.argwhere(bright).min(0)
                box = bright[row:row + 3, column:column + 3]
                [shape] = [k for k, mark in enumerate(MARKS) if np.array_equal(mark, box) and bright.sum() == 5]
                found.append((shape, quarter, colour))
    return found, lit, frame.tolist()


@pytest.mark.parametrize("kind", KINDS_OF_PICTURES)
def test_lamp_pictures(kind):
    """The answer is what a reader would say who sees nothing but the pixels."""
    pictures = lamp_pictures(200, kind, seed=1)
    assert pictures.pixels.shape == (200, 256, 3) and 0 <= pictures.pixels.min() and pictures.pixels.max() <= 1
    for pixels, label, lit, frame in zip(*(part.numpy() for part in pictures)):
        found, seen_lit, seen_frame = seen_by_eye(pixels.reshape(16, 16, 3))
        assert np.array_equal(seen_lit, lit) and seen_frame == ([] if frame < 0 else [frame])
        shapes, _, colours = zip(*found)
        assert len(set(shapes)) == len(shapes) == (3 if kind == "channel" else 4)
        shown = {shape for shape, quarter, _ in found if lit[quarter]}
        if kind == "several":
            assert shown == set(np.flatnonzero(label))
        elif kind == "channel":
            assert not lit.any() and sorted(colours) == [0, 1, 2] and (label, frame) in zip(shapes, colours)
        elif kind == "place":
            assert lit.sum() == 1 and shown == {label} and set(colours) <= {0, 1}
        else:
            assert sorted(colours) == [0, 0, 1, 1] and len(shown) == 2
            assert [(shape, colour) for shape, quarter, colour in found if lit[quarter] and colour == frame] == [(label, frame)]
    if kind != "several":
        assert (torch.bincount(pictures.labels, minlength=4) > 30).all()
    again, other = lamp_pictures(200, kind, seed=1), lamp_pictures(200, kind, seed=2)
    assert all(map(torch.equal, pictures, again)) and not torch.equal(pictures.pixels, other.pixels)


def test_lamp_pictures_refuse():
    with pytest.raises(ValueError, match="kind must be one of place, channel, both, several, got 'odd'"):
        lamp_pictures(3, "odd")
    with pytest.raises(ValueError, match="num_pictures"):
        lamp_pictures(0)
    for options, complaint in (({"gate": "odd"}, "gate must be one of none, channel, spatial, both, got 'odd'"),
                               ({"normalise": "odd"}, "normalise must be one of sigmoid, softmax, softmax times n")):
        with pytest.raises(ValueError, match=complaint):
            GatedPictures(**options)
    with pytest.raises(ValueError, match="size must divide 16, got 3"):
        patches(torch.ones(1, 256, 3), 3)


def random_gates(gate="both", seed=0, **options):
    """A small model with random numbers in every parameter, biases too."""
    model = new_model(seed, GatedPictures, gate, filters=2, hidden=5, **options)
    for p in model.parameters():
        nn.init.normal_(p, std=0.5)
    return model


PIXELS = lamp_pictures(3, "both", seed=5).pixels


def pictures_by_hand(p, gate, pixels, normalise=lambda raw, axis: 1 / (1 + np.exp(-raw))):
    """Logits and gates of pixels (256, 3), by numpy, from the names and numbers of what travels."""
    f, image = len(p["filters"][0]), np.pad(pixels.reshape(16, 16, 3), ((1, 1), (1, 1), (0, 0)))
    x = np.array([[relu(sum(image[i + k // 3, j + k % 3, colour] * p["filters"][k][m] for k in range(9)) + p["b_filters"][m])
                   for colour in range(3) for m in range(f)] for i in range(16) for j in range(16)])
    gates = {}
    if gate in ("channel", "both"):
        hidden = relu(x.mean(0, keepdims=True) @ p["w_squeeze"] + p["b_squeeze"])
        gates["channel"] = normalise(hidden @ p["w_excite"] + p["b_excite"], 1)
        x = x * gates["channel"]
    if gate in ("spatial", "both"):
        gates["spatial"] = normalise(x @ p["weight"] + p["bias"], 0)
        x = x * gates["spatial"]
    pooled = sum(x.max(0)[colour * f:(colour + 1) * f] for colour in range(3))
    return pooled @ p["readout"] + p["b_readout"], gates


@pytest.mark.parametrize("gate", GATES)
def test_gated_pictures_are_what_they_say(gate):
    """As by hand, and what travels says the same, to the digits it has."""
    model = random_gates(gate)
    logits, gates = model(PIXELS)
    exact = {name: p.detach().numpy() for name, p in model.named_parameters()}
    exact |= {"readout": exact["readout.weight"].T, "b_readout": exact["readout.bias"]}
    sent = json.loads(json.dumps(travelling_pictures(model)))
    assert sent.pop("gate") == gate and sent.pop("shapes") == list(SHAPES)
    assert all((np.round(part, 4) == part).all() for part in sent.values())
    sent = {name: np.array(part) for name, part in sent.items()}
    for i, pixels in enumerate(PIXELS.numpy()):
        by_hand, its = pictures_by_hand(exact, gate, pixels)
        assert close(logits[i], torch.tensor(by_hand)) and gates.keys() == its.keys()
        assert all(close(gates[axis][i], torch.tensor(its[axis])) for axis in its)
        assert abs(pictures_by_hand(sent, gate, pixels)[0] - by_hand).max() < 5e-3


@pytest.mark.parametrize("times", [False, True])
def test_softmax_gates(times):
    """The same raw numbers, so that gates sum to one, or to their number."""
    model = random_gates(normalise="softmax times n" if times else "softmax")
    exact = {name: p.detach().numpy() for name, p in model.named_parameters()}
    exact |= {"readout": exact["readout.weight"].T, "b_readout": exact["readout.bias"]}
    logits, gates = model(PIXELS)
    by_hand, its = pictures_by_hand(exact, "both", PIXELS[0].numpy(), lambda raw, axis: (
        np.exp(raw) / np.exp(raw).sum(axis, keepdims=True) * (raw.shape[axis] if times else 1)))
    assert close(logits[0], torch.tensor(by_hand)) and all(close(gates[axis][0], torch.tensor(its[axis])) for axis in its)
    sums = {axis: found.sum((1, 2)) for axis, found in gates.items()}
    for axis, number in (("channel", 6), ("spatial", 256)):
        assert close(sums[axis], torch.full((3,), number if times else 1).double())
    for kind in (model, random_gates(mlp=4), random_gates(mixing=4)):
        with pytest.raises(ValueError, match="only a model with sigmoid gates, without mixing and mlp, can travel"):
            travelling_pictures(kind)


def test_without_gates_colours_and_quarters_are_all_one():
    """Colours that change places, or quarters that do, change nothing without gates, and something with the right ones."""
    turned = PIXELS[..., [1, 2, 0]]
    moved = PIXELS.view(3, 2, 8, 2, 8, 3).flip(1, 3).reshape(3, 256, 3)
    inner = torch.zeros(16, 16, dtype=torch.bool)
    inner[2:6, 2:6] = inner[2:6, 10:14] = inner[10:14, 2:6] = inner[10:14, 10:14] = True
    kept = [image * inner.view(256, 1) for image in (PIXELS, moved)]             # no window sees two quarters
    for gate in GATES:
        model = random_gates(gate)
        assert close(model(PIXELS)[0], model(turned)[0]) == (gate == "none")
        assert close(*(model(image)[0] for image in kept)), "no gate knows by itself where a place is"


def test_larger_pictures_models():
    """The convolution is torch's, a second one sees all channels; with an MLP all pooled channels are read."""
    model = random_gates("none", mixing=5)
    assert model.channels(PIXELS).shape == (3, 256, 5) and model(PIXELS)[0].shape == (3, 4)
    plain = random_gates("none")
    with torch.no_grad():
        plain.filters.copy_(model.filters)
        plain.b_filters.copy_(model.b_filters)
        first = nn.functional.conv2d(PIXELS.mT.reshape(9, 1, 16, 16), model.filters.T.reshape(2, 1, 3, 3), model.b_filters, padding=1)
        assert close(torch.relu(first).view(3, 6, 256).mT, plain.channels(PIXELS))
        seen = windows(plain.channels(PIXELS)).flatten(2)
        assert close(torch.relu(seen @ model.mixing.weight.view(5, 54).T + model.mixing.bias), model.channels(PIXELS))
    model = random_gates("none", mlp=7)
    assert close(model(PIXELS)[0], model.readout(model.channels(PIXELS).amax(1))) and model.readout[0].in_features == 6
    assert sum(p.numel() for p in random_gates("spatial").parameters()) == 9 * 2 + 2 + 6 + 1 + 2 * 4 + 4


def test_patch_reader():
    """Patches hold their pixels; without positions their order does not matter, with positions it does."""
    numbered = torch.arange(256.0)[None, :, None] + torch.tensor([0, 1000, 2000])
    cut = patches(numbered, 4)
    assert cut.shape == (1, 16, 48) and cut[0, 6, :6].tolist() == [72, 1072, 2072, 73, 1073, 2073]
    assert sorted(cut.flatten().tolist()) == sorted(numbered.flatten().tolist())
    model = new_model(0, PatchReader, size=8, width=8, num_heads=2, num_layers=1)
    logits, weights = model(PIXELS)
    assert [layer.shape for layer in weights] == [(3, 2, 4, 4)] and model.positions.shape == (4, 8)
    moved = PIXELS.view(3, 2, 128, 3).flip(1).reshape(3, 256, 3)
    assert not close(model(moved)[0], logits)
    with torch.no_grad():
        model.positions.zero_()
        assert close(model(moved)[0], model(PIXELS)[0])


def test_picture_task():
    task = PictureTask("place", 40, seed=3)
    assert len(task.training.labels) == 40 and len(task.held_out.labels) == 1000
    assert torch.equal(task.held_out.pixels, PictureTask("place", 20, seed=3).held_out.pixels)
    one, same, other = (task.train(seed, steps=3, gate="spatial", filters=2) for seed in (1, 1, 2))
    assert torch.equal(one.filters, same.filters) and not torch.equal(one.filters, other.filters)
    right = nn.functional.one_hot(task.held_out.labels).double()
    gates = task.held_out.lit.view(-1, 2, 1, 2, 1).expand(-1, 2, 8, 2, 8).reshape(1000, 256, 1).double() * 0.5 + 0.25

    def certain(pixels):
        return 50 * right, {"spatial": gates}

    assert task.evaluate(certain) == 1 and task.loss(certain).item() < 1e-12 and task.evaluate_places(certain) == (0.75, 0.25)
    some = type(task.held_out)(*(part[:10] for part in task.held_out))
    assert task.evaluate(lambda pixels: (-right[:10], {}), some) == 0
    assert task.loss(lambda pixels: (0 * right[:10], {}), some).item() == pytest.approx(np.log(4))
    several = PictureTask("several", 10)
    answers = several.held_out.labels * 2 - 1
    assert several.evaluate(lambda pixels: (answers, {})) == 1
    answers[:500, 0] *= -1
    assert several.evaluate(lambda pixels: (answers, {})) == 0.5, "all four must be right"
    framed = PictureTask("channel", 10)
    frames = framed.held_out.frames

    def by_frame(pixels):
        return None, {"channel": (frames[:, None] + torch.arange(6)).double()[:, None]}

    assert framed.evaluate_channels(by_frame).tolist() == [[[i + 2 * j, i + 2 * j + 1] for j in range(3)] for i in range(3)]
    for ask, model, complaint in ((task.evaluate_channels, one, "a model with channel gates is needed, this one has spatial"),
                                  (task.evaluate_places, random_gates("none"), "this one has none"),
                                  (framed.evaluate_places, random_gates(), "a lamp is needed"),
                                  (task.evaluate_channels, random_gates(), "a frame is needed")):
        with pytest.raises(ValueError, match=complaint):
            ask(model)


def test_the_right_gate_finds_the_shape():
    """And the wrong one does not; the gates are open where they should be."""
    place, channel = PictureTask("place"), PictureTask("channel")
    spatial, wrong = place.train(0, gate="spatial"), place.train(0, gate="channel", steps=150)
    assert place.evaluate(spatial) > 0.97 and abs(place.evaluate(wrong) - 0.25) < 0.08
    lit, elsewhere = place.evaluate_places(spatial)
    assert lit > 2 * elsewhere
    gated = channel.train(0, gate="channel")
    means = channel.evaluate_channels(gated).mean(2)
    assert channel.evaluate(gated) > 0.97 and (means.argmax(1) == torch.arange(3)).all()
