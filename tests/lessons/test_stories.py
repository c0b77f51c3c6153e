"""Stories are consistent to two readers, and what is determined in them is."""

import random
import re

import pytest
from table import each

from bookkit.lessons.stories import WORDS, determined, errors, next_words, other_movers, other_receivers, stories


class Replay:
    """A second reading of a story, sentence by sentence with regular expressions; `wrong` if it contradicts itself."""

    PEOPLE = dict.fromkeys("Ann Eva Mia Zoe".split(), ("she", "her")) | dict.fromkeys("Ben Max Sam Tom".split(), ("he", "him"))
    DOGS, COUNT = "Bruno Rex Toby".split(), dict(zip("one two three four five six seven eight nine".split(), range(1, 10)))
    PLACES, THINGS = "castle forest garden kitchen market park school tower".split(), "ball bell boat book hat key kite ring".split()
    SENTENCES = {
        "meets": r"(\w+) and (\w+) met (\w+) in the (\w+)", "finds": r"(\w+) found a (\w+)", "gives": r"(\w+) gave the (\w+) (back )?to (\w+)",
        "thanks": r"(\w+) thanked (\w+)", "moves": r"(\w+) (?:ran|walked|went) to the (\w+)", "walks": r"(\w+) and (\w+) (?:ran|walked|went) to the (\w+)",
        "sees": r"(\w+) saw a (\w+)", "dreams": r"(\w+) dreamed of the (\w+)", "holds": r"so the (\w+) was with (\w+)", "stands": r"so (\w+) was in the (\w+)",
        "ends": r"now the (\w+) is with (\w+) in the (\w+)", "has": r"(\w+) had (\w+) coins", "pays": r"(\w+) gave (\w+) (coins?) to (\w+)",
        "keeps": r"so (\w+) had (\w+) (coins?) left", "counts": r"now (\w+) has (\w+) (coins?) and (\w+) has (\w+)",
    }

    def __init__(self, words):
        self.at, self.thing, self.holder, self.source, self.owner, self.coins, self.paid = {}, None, None, None, None, 0, {}
        self.actor = self.gift = self.last_gift = None
        self.done, self.wrong = False, words[-1] != "."
        for sentence in " ".join(words[:-1]).split(" . "):
            self.wrong |= not self.says(sentence)
        self.wrong |= not self.done

    def says(self, sentence):
        bare = sentence.removeprefix("then ")
        found = [(name, match.groups()) for name, pattern in self.SENTENCES.items() if (match := re.fullmatch(pattern, bare))]
        if len(found) != 1 or self.done or bool(self.at) == (found[0][0] == "meets"):
            return False
        [(name, groups)] = found
        if bare != sentence:
            if name not in ("finds", "gives", "moves", "sees", "dreams", "pays") or groups[0] != self.PEOPLE.get(self.actor, [self.actor])[0]:
                return False
            groups = self.actor, *groups[1:]
        self.last_gift, self.gift = self.gift, None
        fits = getattr(self, name)(*groups)
        self.actor = None if name in ("meets", "walks", "holds", "stands", "keeps") else groups[0]
        return fits

    def person(self, word):
        """Who *him*, *her* or a dog's name is."""
        return next((name for name in self.at if word == self.PEOPLE.get(name, (None, name))[1]), None)

    def together(self, one, other):
        return one in self.at and other in self.at and one != other and self.at[one] == self.at[other]

    def meets(self, one, other, dog, place):
        self.at = dict.fromkeys((one, other, dog), place)
        return {self.PEOPLE.get(one), self.PEOPLE.get(other)} == set(self.PEOPLE.values()) and dog in self.DOGS and place in self.PLACES

    def finds(self, who, thing):
        free = not (self.thing or self.owner)
        self.thing, self.holder = thing, who
        return free and who in self.at and thing in self.THINGS

    def gives(self, who, thing, back, to):
        fits = thing == self.thing and who == self.holder and self.together(who, self.person(to)) and bool(back) == (self.person(to) == self.source)
        self.source, self.holder = who, self.person(to)
        self.gift = self.holder, who
        return fits

    def thanks(self, one, other):
        return (one, other) == self.last_gift

    def moves(self, who, place):
        before, self.at[who] = self.at.get(who), place
        return before not in (None, place) and place in self.PLACES

    def walks(self, one, other, place):
        return self.together(one, other) and self.moves(one, place) and self.moves(other, place)

    def sees(self, who, thing):
        return who in self.at and thing in self.THINGS and thing != self.thing

    def dreams(self, who, place):
        return who in self.at and place in self.PLACES and place != self.at[who]

    def holds(self, thing, who):
        return self.thing is not None and (thing, who) == (self.thing, self.holder)

    def stands(self, who, place):
        return self.at.get(who) == place

    def ends(self, thing, who, place):
        self.done = True
        return self.holds(thing, who) and self.stands(who, place)

    def has(self, who, number):
        free = not (self.thing or self.owner)
        self.owner, self.coins = who, self.COUNT.get(number, 0)
        return free and who in self.at and who in self.PEOPLE and self.coins >= 5

    def amount(self, number, coins):
        return self.COUNT.get(number, 0) if (number == "one") == (coins == "coin") else 0

    def pays(self, who, number, coins, to):
        amount, to = self.amount(number, coins), self.person(to)
        self.coins -= amount
        self.paid[to] = self.paid.get(to, 0) + amount
        self.gift = to, who
        return who == self.owner and amount > 0 and self.coins > 0 and self.together(who, to)

    def keeps(self, who, number, coins):
        return who == self.owner and bool(self.paid) and self.amount(number, coins) == self.coins

    def counts(self, who, number, coins, other, got):
        self.done = True
        return self.keeps(who, number, coins) and other in self.paid and self.paid[other] == self.COUNT.get(got)


@pytest.fixture(scope="module")
def told():
    return stories(400, seed=5)


def test_stories_are_consistent_to_two_readers(told):
    assert len(set(told)) == 400 and told == stories(400, seed=5) != stories(400)
    for words in told:
        assert not errors(words) and not Replay(words).wrong, " ".join(words)
        assert 32 <= len(words) <= 60 and set(words) <= set(WORDS)
    assert {word for words in told for word in words} == set(WORDS) and len(WORDS) == 68
    assert 0.15 < sum("coins" in words for words in told) / 400 < 0.25
    gifts_in = [sum(words[i:i + 2] == ("gave", "the") for i in range(len(words))) for words in told if "coins" not in words]
    assert set(gifts_in) == {2, 3}


def test_two_readers_agree_on_stories_with_one_word_changed(told):
    """What is planted is found by `errors` if and only if the other reader finds it."""
    rng = random.Random(3)
    outcomes = []
    for words in told * 3:
        place = rng.randrange(len(words))
        like = [some for some in ([*Replay.PEOPLE, *Replay.DOGS], Replay.PLACES, Replay.THINGS, list(Replay.COUNT), ["to", "back"], ["he", "she"], ["him", "her"]) if words[place] in some]
        changed = (*words[:place], rng.choice(like[0] if like and rng.random() < 0.8 else WORDS), *words[place + 1:])
        outcomes.append(bool(errors(changed)))
        assert outcomes[-1] == Replay(changed).wrong, (" ".join(changed), errors(changed))
    assert 0.4 < sum(outcomes) / len(outcomes) < 0.95, "some changes are none"


def test_determined_words_are(told):
    """Each other word in the place of a determined one is a mistake there and then; elsewhere `next_words` are none."""
    seen = set()
    for words in [*told[:2], next(words for words in told if "coins" in words)]:
        kinds = determined(words)
        for place in [place for place, kind in enumerate(kinds) if kind or place % 4 == 0]:
            fit = [word for word in WORDS if errors((*words[:place], word))[0] == ("unfinished", place + 1)]
            assert fit == next_words(words[:place]) and words[place] in fit and not (kinds[place] and len(fit) > 1), (words, place)
            seen.add(kinds[place])
    assert len(seen) > 7 and None in seen


BEGINNING = "Zoe and Max met Rex in the tower . Max found a ball . "


@each("text, mistakes", [
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


@each("changes, gap, kept", [(other_receivers, -5, 30), (other_movers, -2, 10)])
def test_changed_stories_have_another_answer(changes, gap, kept):
    """One sentence is another one, nothing contradicts it, and what is right in the gap is another word than before."""
    found = [(words, *pair) for words in stories(100, seed=5) for pair in changes(words)]
    assert len(found) > kept and not any(changes(words) for words in stories(100, seed=5) if "coins" in words)
    for words, changed, answer in found:
        old, new = (" ".join(told).split(" . ") for told in (words[:gap], changed))
        assert len(old) == len(new) and sum(a != b for a, b in zip(old, new)) == 1
        assert next_words(changed) == [answer] and words[gap] != answer
    assert changes("Zoe and Max met Rex in the tower .".split()) == []
