"""Stories contradict themselves nowhere, mistakes are found and named, and what is determined is."""

import pytest

from bookkit.lessons.stories import WORDS, determined, errors, next_words, other_movers, other_receivers, stories


@pytest.fixture(scope="module")
def told():
    return stories(200, seed=5)


def test_stories_are_without_a_mistake(told):
    assert len(set(told)) == 200 and told == stories(200, seed=5) != stories(200)
    for words in told:
        assert not errors(words) and 32 <= len(words) <= 60, " ".join(words)
    assert {word for words in told for word in words} == set(WORDS) and len(WORDS) == 68
    assert 0.15 < sum("coins" in words for words in told) / 200 < 0.25
    assert {sum(words[i:i + 2] == ("gave", "the") for i in range(len(words))) for words in told if "coins" not in words} == {2, 3}


def test_determined_words_are(told):
    """Each other word in the place of a determined one is a mistake there and then; elsewhere `next_words` are none."""
    seen = set()
    for words in [told[0], next(words for words in told if "coins" in words)]:
        kinds = determined(words)
        for place in [place for place, kind in enumerate(kinds) if kind or place % 4 == 0]:
            fit = [word for word in WORDS if errors((*words[:place], word))[0] == ("unfinished", place + 1)]
            assert fit == next_words(words[:place]) and words[place] in fit and not (kinds[place] and len(fit) > 1), (words, place)
            seen.add(kinds[place])
    assert len(seen) > 7 and None in seen


BEGINNING = "Zoe and Max met Rex in the tower . Max found a ball . "


@pytest.mark.parametrize("text, mistakes", [
    (BEGINNING + "then he gave the ball to her . Zoe thanked Max . now the ball is with Zoe in the tower .", []),
    (BEGINNING + "now the ball is with Zoe in the park .", [("holder at the end", 19), ("place, last named", 22)]),
    (BEGINNING + "then she saw a key .", [("he or she", 15), ("unfinished", 20)]),
    (BEGINNING + "Zoe gave the ball to him .", [("giver", 15), ("unfinished", 21)]),
    (BEGINNING + "Max gave the ball back to her .", [("back", 18), ("unfinished", 22)]),
    (BEGINNING + "Max gave the ball to her . Zoe gave the ball to him .", [("receiver", 26), ("unfinished", 28)]),
    (BEGINNING + "Zoe thanked Max .", [("thanked", 15), ("unfinished", 18)]),
    (BEGINNING + "Ann saw a key .", [("stranger", 14), ("unfinished", 19)]),
    (BEGINNING + "Zoe the the ball . Zoe saw a key", [("grammar", 15), ("unfinished", 23)]),
    (BEGINNING + "Zoe saw", [("unfinished", 16)]),
    ("", [("unfinished", 0)]),
    ("Zoe saw a ball .", [("order", 1), ("unfinished", 5)]),
])
def test_what_is_wrong_is_named_with_its_place(text, mistakes):
    assert errors(text.split()) == mistakes
    if any(kind != "unfinished" for kind, _ in mistakes):
        for reader in (determined, next_words):
            with pytest.raises(ValueError, match=f"word {mistakes[0][1]}, '{text.split()[mistakes[0][1]]}', is one"):
                reader(text.split())


def test_coins_are_counted():
    text = "Ben and Zoe met Toby in the garden . Ben had eight coins . then he gave two coins to Toby . so Ben had six coins left . Ben gave one coin to {} . now Ben has five coins and Toby has {} ."
    for to, got, kind in (("Toby", "three", "coins of two gifts"), ("her", "two", "coins of one gift")):
        words = text.format(to, got).split()
        kinds = determined(words)
        assert not errors(words) and kinds[-2] == kind and kinds[-7] == kinds[25] == "coins left" and words[25] == "six"
        assert errors(text.format(to, "four").split()) == [(kind, len(words) - 2)]
        assert ("paid" in kinds) == (to == "Toby"), "one who was paid, or two"
    assert errors(text.format("Toby", "three").replace("six coins", "one coin").split()) == [("coins left", 25)]
    assert errors(text.format("Toby", "three").replace("gave one coin to", "gave one coins to").split()) == [("grammar", 32)]
    assert errors(text.format("Toby", "three").replace("gave two", "gave nine").split())[0] == ("amount", 17)


@pytest.mark.parametrize("changes, gap, kept", [(other_receivers, -5, 30), (other_movers, -2, 10)])
def test_changed_stories_have_another_answer(changes, gap, kept):
    """One sentence is another one, nothing contradicts it, and what is right in the gap is another word than before."""
    found = [(words, *pair) for words in stories(100, seed=5) for pair in changes(words)]
    assert len(found) > kept and not any(changes(words) for words in stories(100, seed=5) if "coins" in words)
    for words, changed, answer in found:
        old, new = (" ".join(told).split(" . ") for told in (words[:gap], changed))
        assert len(old) == len(new) and sum(a != b for a, b in zip(old, new)) == 1
        assert next_words(changed) == [answer] and words[gap] != answer
    assert changes("Zoe and Max met Rex in the tower .".split()) == []
