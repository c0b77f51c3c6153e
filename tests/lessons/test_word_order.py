"""Questions about order: sentences, schemes as by hand, and which of them can tell."""

import numpy as np
import pytest
import torch
from table import each

from bookkit.lessons.recall import MENU
from bookkit.lessons.word_order import QUESTIONS, SCHEMES, SETTINGS, WORDS, OrderModel, OrderTask, order_sentences
from lessons.by_hand import close, scatter


@pytest.fixture(scope="module")
def order():
    return OrderTask()


@each("question", QUESTIONS)
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
    with pytest.raises(ValueError, match="scheme must be one of 'none', .*; got 'absolute'$"):
        order.train(0, "absolute")
    for scheme in ("none", "causal mask only"):
        with pytest.raises(ValueError, match=f"'{scheme}' has no setting, got 2"):
            OrderModel(scheme, setting=2)
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
    scatter(model, std=0.4)
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


@each("scheme, setting", [*zip(SCHEMES, SETTINGS.values()), ("sinusoidal", 0.3), ("ALiBi", 0.125), ("rotary", 50.0)])
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


@each("scheme", SCHEMES)
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
