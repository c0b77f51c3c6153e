"""Two words that ask: the sentences, and a head in which each asker finds its own word."""

from collections import Counter

import numpy as np
import pytest
import torch

from attnkit import attention
from bookkit.figures import WordVotes
from bookkit.lessons.pointing import FRENCH, QUALITIES, THAT
from bookkit.lessons.two_questions import (
    ADVERBS,
    ANSWERS,
    ASKERS,
    DIRECTIONS,
    NOUNS,
    PLACE,
    PLACES,
    VERB,
    VERBS,
    WORDS,
    encoded,
    new_head,
    opened,
    two_questions,
)


def test_the_words_are_different_and_each_answer_has_as_many():
    assert len(set(WORDS)) == len(WORDS) == 59 and len(set(ANSWERS)) == 6 and ASKERS == [THAT, VERB] == [1, 4]
    assert {len(words) for words in FRENCH.values()} == {10} and {len(words) for words in DIRECTIONS.values()} == {3}


def test_two_questions_are_answered_by_two_words():
    sentences, answers, places = two_questions(1500)
    assert len(sentences) == len(answers) == len(places) == 1500 == len(set(map(tuple, sentences)))
    for sentence, (form, direction), (noun, place) in zip(sentences, answers, places):
        assert len(sentence) == 6 and sentence[:2] == ["see", "that"] and sentence[VERB] in VERBS and place == PLACE
        assert sentence[noun] in FRENCH[form] and sentence[place] in DIRECTIONS[direction]
        assert [i for i, word in enumerate(sentence) if word in NOUNS] == [noun], "the only noun"
        assert [i for i, word in enumerate(sentence) if word in PLACES] == [place], "the only word of place"
        assert sentence[3] in ADVERBS if noun == 2 else noun == 3 and sentence[2] in QUALITIES
    assert {word for sentence in sentences for word in sentence} == set(WORDS)
    for pairs in (answers, [(form, noun) for (form, _), (noun, _) in zip(answers, places)]):
        counts = Counter(pairs)          # the two answers, and the form and where its noun stands, have nothing to do with each other
        assert max(abs(n / 1500 - 1 / len(counts)) for n in counts.values()) < 0.03


def test_two_questions_are_seeded():
    assert two_questions(20) == two_questions(20, seed=1) == two_questions(20, seed=np.random.default_rng(1))
    assert two_questions(20) != two_questions(20, seed=2) and two_questions(30)[0][:20] == two_questions(20)[0]
    with pytest.raises(ValueError, match="count must be at most 5000, got 5001"):
        two_questions(5001)
    assert len(two_questions(5000)[0]) == 5000


def test_encoded_are_numbers_of_words_and_answers():
    sentences, answers, _ = two_questions(40)
    words, numbers = encoded(sentences, answers)
    assert words.shape == (40, 6) and numbers.shape == (40, 2)
    assert [[WORDS[i] for i in row] for row in words] == sentences and [tuple(ANSWERS[i] for i in row) for row in numbers] == answers
    assert (numbers[:, 0] < 3).all() and (numbers[:, 1] >= 3).all()
    with pytest.raises(ValueError, match="not in the vocabulary: 'swim'$"):
        encoded(["see that clever girl swim out".split()], [("cette", "out")])
    with pytest.raises(ValueError, match="answers must be of ce, .*; got cela$"):
        encoded(["see that clever girl run out".split()], [("cela", "out")])


def ask(head, ids, one_query=False, exchanged=False):
    vectors, to_query, to_key, to_value, readout = head
    x = vectors[ids]
    queries = x[:, ASKERS] @ to_query
    if one_query:
        queries = queries.mean(1, keepdim=True).expand_as(queries)
    if exchanged:
        queries = queries.flip(1)
    output, weights = attention(queries, x @ to_key, x @ to_value)
    return output @ readout, weights


def test_an_opened_head_says_what_the_head_says():
    sentences, said, _ = two_questions(6)
    ids = torch.tensor(encoded(sentences, said)[0])
    head = new_head(0, width=3)
    shown = opened("random", head, ids)
    assert shown["name"] == "random" and shown["keys"].shape == (6, 6, 3) and shown["votes"].shape == (6, 6, 3)
    scores, weights = ask(head, ids)
    for k in range(6):
        figure = WordVotes([shown], sentences, list(DIRECTIONS), [0] * 6, sentence=k)
        assert np.allclose(figure.weights, weights[k, 1].detach(), atol=1e-3)
        assert np.allclose(figure.totals, scores[k, 1, 3:].detach(), atol=1e-2)
