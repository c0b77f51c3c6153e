"""The made-up English and French as a French teacher would mark them: the words and translations are the tests' own."""

import json
import random
import re
from collections import Counter

import pytest

from bookkit.lessons.corpora import (
    DRINKS,
    copies,
    drink_orders,
    elides,
    english_french,
    english_grammar,
    gifts,
    longer_english_french,
    translation_of,
)

# English, French, and for each French word the digits of its English positions, the certain one first.
SENTENCES = """
I love you = je t' aime = 0 2 1; I do not love you = je ne t' aime pas = 0 21 4 31 21;
you love me = tu m' aimes = 0 2 1; she never loves me = elle ne m' aime jamais = 0 1 3 2 1;
we love you = nous t' aimons = 0 2 1; they love us = ils nous aiment = 0 2 1; I see you = je te vois = 0 2 1;
she sees us = elle nous voit = 0 2 1; we see them = nous les voyons = 0 2 1;
they never see us = ils ne nous voient jamais = 0 1 3 2 1; he meets us = il nous rencontre = 0 2 1;
you meet them = tu les rencontres = 0 2 1; we do not meet them = nous ne les rencontrons pas = 0 21 4 31 21;
they meet me = ils me rencontrent = 0 2 1; you hear them = tu les entends = 0 2 1;
we hear you = nous t' entendons = 0 2 1; they do not hear me = ils ne m' entendent pas = 0 21 4 31 21;
I always help them = je les aide toujours = 0 3 2 1; you do not help us = tu ne nous aides pas = 0 21 4 31 21;
we call you = nous t' appelons = 0 2 1; they call you = ils t' appellent = 0 2 1;
I never call you = je ne t' appelle jamais = 0 1 3 2 1; we often find them = nous les trouvons souvent = 0 3 2 1;
she does not find me = elle ne me trouve pas = 0 21 4 31 21;
you do not invite me = tu ne m' invites pas = 0 21 4 31 21; we meet him = nous le rencontrons = 0 2 1;
you meet her = tu la rencontres = 0 2 1; they admire you = ils t' admirent = 0 2 1"""
CONJUGATED = """
aime aimes aime aimons aiment | vois vois voit voyons voient
entends entends entend entendons entendent | aide aides aide aidons aident
appelle appelles appelle appelons appellent | trouve trouves trouve trouvons trouvent
invite invites invite invitons invitent | rencontre rencontres rencontre rencontrons rencontrent
admire admires admire admirons admirent"""
VERBS = dict(zip("love see hear help call find invite meet admire".split(),
                 (forms.split() for forms in CONJUGATED.replace("\n", "|").strip("|").split("|"))))
NOUNS = dict(pair.split(":") for pair in """cat:chat cats:chats dog:chien dogs:chiens horse:cheval horses:chevaux
    bird:oiseau birds:oiseaux mouse:souris mice:souris girl:fille girls:filles boy:garçon boys:garçons man:homme
    men:hommes child:enfant children:enfants queen:reine queens:reines actress:actrice actresses:actrices hero:héros
    heroes:héros""".split())
FEMININE = set("souris fille filles reine reines actrice actrices".split())
MANY = set("cats dogs horses birds mice girls boys men children queens actresses heroes".split())
BEFORE = {"small": "petit petits petite petites", "big": "grand grands grande grandes",
          "young": "jeune jeunes jeune jeunes", "old": "vieux vieux vieille vieilles"}
AFTER = {"happy": "heureux heureux heureuse heureuses", "tired": "fatigué fatigués fatiguée fatiguées",
         "white": "blanc blancs blanche blanches"}
PERSONS = {"I": 0, "you": 1, "he": 2, "she": 2, "we": 3, "they": 4}
FORMS = {form for forms in VERBS.values() for form in forms}
OWN = {"the": "le la l' les", "a": "un une de d'", "an": "un une de d'", "I": "je j'", "you": "tu te t'", "he": "il",
       "she": "elle", "we": "nous", "they": "ils", "me": "me m'", "him": "le l'", "her": "la l'", "us": "nous",
       "them": "les", "not": "ne n' pas", "never": "ne n' jamais", "often": "souvent", "always": "toujours",
       **NOUNS, **AFTER, **BEFORE}
OWN = {e: set(f.split()) for e, f in OWN.items()} | {e + s: set(f) for e, f in VERBS.items() for s in ("", "s")}


OWN["old"].add("vieil")


FITS = {"un": {(0, 0)}, "une": {(1, 0)}, "le": {(0, 0)}, "la": {(1, 0)}, "les": {(0, 1), (1, 1)}, "vieil": {(0, 0)},
        **{word: {(0, 0), (1, 0)} for word in ("l'", "de", "d'")}}             # each word's (feminine, many)


for noun, word in NOUNS.items():
    FITS.setdefault(word, set()).add((word in FEMININE, noun in MANY))


for fits, *words in zip(((0, 0), (0, 1), (1, 0), (1, 1)), *map(str.split, (BEFORE | AFTER).values())):
    for word in words:
        FITS.setdefault(word, set()).add(fits)


def one_of(*tables):
    return "|".join(sorted({word for table in tables for words in table for word in words.split()}))


PHRASE = (rf"(?:une?|le|la|l'|les|de|d') (?:(?:{one_of(BEFORE.values())}|vieil) )?(?:{one_of(NOUNS.values())})"
          rf"(?: (?:{one_of(AFTER.values())}))?")
FRENCH = re.compile(rf"(?P<subject>je|j'|tu|il|elle|nous|ils|{PHRASE}) (?:(?P<ne>ne|n') )?"
                    rf"(?:(?P<clitic>me|m'|te|t'|le|la|l'|nous|les) )?(?P<verb>{one_of(FORMS)})"
                    rf"(?: (?P<how>pas|jamais|souvent|toujours))?(?: (?P<object>{PHRASE}))?")
PHRASE = rf"(?:the|an?) (?:(?:{one_of(BEFORE, AFTER)}) )?(?:{one_of(NOUNS)})"
ENGLISH = re.compile(rf"(?P<subject>I|you|he|she|we|they|{PHRASE}) (?:(?P<do>do|does) )?"
                     rf"(?:(?P<how>not|never|often|always) )?(?P<verb>(?:{one_of(VERBS)})s?) "
                     rf"(?P<object>me|you|him|her|us|them|{PHRASE})")


@pytest.fixture(scope="module")
def corpus():
    """As many pairs as there may be: whatever is simple to say is there."""
    training, held_out = english_french(20_000)
    return training + held_out


def entries(table):
    return [[part.strip() for part in entry.split("=")] for entry in table.split(";")]


def digits(alignment):
    return " ".join("".join(map(str, positions)) for positions in alignment)


def test_translated_by_hand(corpus):
    english, french = ([" ".join(words) for words in sentences] for sentences in list(zip(*corpus))[:2])
    found = {e: (f, digits(pair.alignment)) for e, f, pair in zip(english, french, corpus)}
    expected = {e: (f, alignment) for e, f, alignment in entries(SENTENCES)}
    assert {e: found.get(e) for e in expected} == expected
    assert set(e for e, f in zip(english, french) if f == "je l' aime") <= {"I love him", "I love her"}


@pytest.fixture(scope="module")
def parsed(corpus):
    """Some of the pairs, with their parts."""
    found = [(pair, ENGLISH.fullmatch(" ".join(pair.english)), FRENCH.fullmatch(" ".join(pair.french)))
             for pair in corpus[::3]]
    assert not [pair for pair, english, french in found if not english or not french]
    return found


def person(subject):
    return PERSONS.get(subject, 4 if subject.split()[-1] in MANY else 2)


def test_english(parsed):
    for pair, english, _ in parsed:
        third = person(english["subject"]) == 2
        assert (english["do"] is not None) == (english["how"] == "not"), pair
        assert english["do"] in (None, "does" if third else "do"), pair
        assert english["verb"].endswith("s") == (third and not english["do"]), pair
        for article, word in zip(pair.english, pair.english[1:]):
            assert article not in ("a", "an") or article == ("an" if word[0] in "aeiou" else "a"), pair


def test_the_french_verb_and_what_stands_around_it(parsed):
    for pair, english, french in parsed:
        assert french["verb"] == VERBS[english["verb"].removesuffix("s")][person(english["subject"])], pair
        assert (french["ne"] is not None) == (french["how"] in ("pas", "jamais")), pair
        assert (french["clitic"] is None) == (french["object"] is not None), pair
        assert (french["clitic"] is None) == (english["object"].split()[0] in ("the", "a", "an")), pair
        indefinite = english["object"].split()[0] in ("a", "an")
        first = (french["object"] or " ").split(" ")[0]
        assert (first in ("de", "d'")) == (indefinite and bool(french["ne"])), pair
        assert french["subject"].split(" ")[0] not in ("de", "d'"), pair


def test_french_agreement(parsed):
    for _, english, french in parsed:
        for name in ("subject", "object"):
            words, theirs = (french[name] or "").split(), english[name].split()
            if len(words) > 1:
                gender_number = NOUNS[theirs[-1]] in FEMININE, theirs[-1] in MANY
                assert len(words) == len(theirs), (english, french)
                assert all(gender_number in FITS[word] for word in words), (english, french)


def test_elision(parsed):
    """The small words lose their vowel before a vowel and before every h but that of héros, and only there."""
    with_h = {word for pair, *_ in parsed for word in pair.french if word[0] == "h"}
    assert with_h == {"homme", "hommes", "héros", "heureux", "heureuse", "heureuses"}
    assert all(map(elides, ["homme", "enfant", "oiseau", "actrice", "admire", "invite"]))
    assert not any(map(elides, ["héros", "vois", "reine", "jeune"]))
    for pair, *_ in parsed:
        assert not pair.french[-1].endswith("'"), pair
        for word, after in zip(pair.french, pair.french[1:]):
            vowel = bool(re.match("[aeéiou]|h(?!éros)", after))
            assert vowel or not word.endswith("'"), pair
            assert not vowel or word not in ("je", "ne", "me", "te", "le", "la", "de"), pair
            if word in ("vieux", "vieil"):
                assert (word == "vieil") == (after in ("homme", "enfant", "oiseau")), pair


def test_alignment(parsed):
    """Each French word's first link is to a word it translates; each English word but do and does has such a link."""
    for pair, *_ in parsed:
        assert len(pair.alignment) == len(pair.french) and all(pair.alignment), pair
        assert {i for links in pair.alignment for i in links} <= set(range(len(pair.english))), pair
        assert all(len(set(links)) == len(links) for links in pair.alignment), pair
        assert all(f in OWN[pair.english[links[0]]] for f, links in zip(pair.french, pair.alignment)), pair
        assert {links[0] for links in pair.alignment} == {i for i, word in enumerate(pair.english) if word[:2] != "do"
                                                          or word in NOUNS}, pair


def test_no_noun_is_reflexive(parsed):
    """"The object that would be the subject again is left out", also a noun: not *the girl sees the girl*."""
    same = [pair for pair, english, _ in parsed
            if english["subject"] == english["object"] and english["subject"].startswith("the ")]
    assert not same, f"{len(same)}, such as {same[0]}"


def test_the_split():
    training, held_out = english_french()
    assert (len(training), len(held_out)) == (7600, 400)
    assert held_out[0] == (("I", "love", "you"), ("je", "t'", "aime"), ((0,), (2,), (1,)))
    for sentences in list(zip(*training + held_out))[:2]:
        assert len(set(sentences)) == 8000, "no sentence twice"
        known = {word for sentence in sentences[:7600] for word in sentence}
        assert {word for sentence in sentences[7600:] for word in sentence} <= known
    assert english_french(50, held_out=5, seed=3) == english_french(50, held_out=5, seed=3)
    others = english_french(50, held_out=5, seed=4)
    assert others != english_french(50, held_out=5, seed=3) and others[1][0] == held_out[0]
    assert [len(part) for part in english_french(2, held_out=1)] == [1, 1]


@pytest.mark.parametrize("call, message", [
    (lambda: english_french(10, held_out=0), "held_out must be at least 1"), (lambda: english_french(10, held_out=10), "less than num_pairs, got 10 of 10"),
    (lambda: english_french(20_001), "num_pairs must be at most 20000"),
    (lambda: gifts(held_out=0), "held_out must be from 1 to 189"), (lambda: gifts(held_out=190), "held_out must be from 1 to 189, got 190"),
    (lambda: drink_orders(1, positions=[]), "positions must be one or more"), (lambda: drink_orders(1, positions=[-1]), "below 12"),
    (lambda: drink_orders(1, positions=[0, 12]), r"positions must be one or more, below 12, got \[0, 12\]")])
def test_sizes_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


SINGULAR = dict(zip(list(NOUNS)[1::2], list(NOUNS)[::2]))
REFLEXIVE = {("I", "me"), ("I", "us"), ("we", "me"), ("we", "us"), ("you", "you")}
PEOPLE = set("girl boy man child queen actress hero".split())
STRANGE = {"big": PEOPLE, "white": PEOPLE, "old": {"girl", "boy", "child"}}


def right_phrase(phrase):
    """Whether a noun phrase has its article, and an adjective that is said of its noun."""
    article, *adjectives, noun = phrase.split()
    indefinite = None if noun in MANY else "an" if (adjectives + [noun])[0][0] in "aeiou" else "a"
    return article in ("the", indefinite) and not any(SINGULAR.get(noun, noun) in STRANGE.get(word, ()) for word in adjectives)


def go_together(subject, verb, object_):
    one, other = (SINGULAR.get(word, word) for word in (subject.split()[-1], object_.split()[-1]))
    return one != other and (subject, object_) not in REFLEXIVE and not (verb == "love" and object_.split()[0] in ("a", "an"))


def is_english(words):
    """A second reader of the language: whether the words are a sentence by the rules above."""
    found = ENGLISH.fullmatch(" ".join(words))
    if not found or not all(right_phrase(found[part]) for part in ("subject", "object") if " " in found[part]):
        return False
    third = person(found["subject"]) == 2
    return (found["do"] == (("does" if third else "do") if found["how"] == "not" else None)
            and found["verb"].endswith("s") == (third and not found["do"])
            and go_together(found["subject"], found["verb"].removesuffix("s"), found["object"]))


def composed(grammar, words):
    """Whether the words lead from the start to a final state."""
    state = 0
    for word in words:
        state = grammar["next"][state].get(word)
        if state is None:
            return False
    return state in grammar["final"]


def refused(words):
    try:
        return translation_of(words).english != tuple(words)
    except ValueError:
        return True


def test_random_walks_are_sentences_of_the_language():
    grammar, rng = english_grammar(), random.Random(0)
    for _ in range(500):
        words, state = [], 0
        while state not in grammar["final"]:
            words.append(rng.choice(list(grammar["next"][state])))
            state = grammar["next"][state][words[-1]]
        pair = translation_of(words)
        assert pair.english == tuple(words) and is_english(words), pair
        assert FRENCH.fullmatch(" ".join(pair.french)) and len(pair.alignment) == len(pair.french), pair


def test_two_readers_agree_on_sentences_with_changes(corpus):
    """One word is another one, is gone or is added: a sentence to the automaton if and only if it is one to the other reader."""
    grammar, rng, outcomes = english_grammar(), random.Random(1), []
    words = sorted({word for pair in corpus for word in pair.english})
    for pair in corpus[:8000]:
        at = rng.randrange(len(pair.english))
        kept = rng.choices((at + 1, at), weights=(4, 1))[0]
        changed = (*pair.english[:at], *rng.choice(([rng.choice(words)], [rng.choice(words)], [])), *pair.english[kept:])
        outcomes.append(is_english(changed))
        assert composed(grammar, changed) == outcomes[-1] != refused(changed), changed
    assert 0.05 < sum(outcomes) / len(outcomes) < 0.5, "some changes are right, most are wrong"


def test_the_automaton_is_small_and_can_travel():
    grammar = english_grammar()
    following = grammar["next"]
    assert json.loads(json.dumps(grammar)) == grammar
    assert len({(frozenset(words.items()), i in grammar["final"]) for i, words in enumerate(following)}) == len(following)
    assert {state for words in following for state in words.values()} == set(range(1, len(following))), "no state in vain"
    following[0].clear()
    assert english_grammar()["next"][0], "what is done to one is not done to the next"


@pytest.mark.parametrize("english, message", [
    ("I love me", "word 2 is 'me', expected you, him, her, them, the"), ("he loves a cat", "word 2 is 'a', expected me, you"),
    ("she love me", "word 1 is 'love', expected loves"), ("I do not", "word 3 is 'the end', expected love"),
    ("I love you too", "word 3 is 'too', expected the end"), ("I love Mary", "word 2 is 'Mary'")])
def test_what_is_no_sentence_is_refused(english, message):
    with pytest.raises(ValueError, match=f"english must be a sentence of english_grammar: {message}"):
        translation_of(english.split())


DOUBLED = """
the happy white cat = le chat blanc heureux; a tired white mouse = une souris blanche fatiguée;
the tired white horses = les chevaux blancs fatigués; a happy white bird = un oiseau blanc heureux;
the tired white mice = les souris blanches fatiguées"""


def test_longer_sentences():
    """Two of the language joined, or one; what is white may be tired or happy, and both words then follow the noun, the nearer one first."""
    training, held_out = longer_english_french(6000, held_out=50)
    pairs = [*held_out, *training]
    assert len(held_out) == 50 and len({pair.english for pair in pairs}) == len(pairs) == 6000 and longer_english_french(6000, held_out=50) == (training, held_out)
    first = held_out[0]
    assert " ".join(first.english) == "the young queen loves the tired white horse and she does not see us"
    assert " ".join(first.french) == "la jeune reine aime le cheval blanc fatigué et elle ne nous voit pas" and [places[0] for places in first.alignment[4:9]] == [4, 7, 6, 5, 8]
    assert 2500 < sum("and" in pair.english for pair in pairs) < 3500
    phrases = dict(row.split(" = ") for row in re.split(r";\s*", DOUBLED.strip()))
    seen = set()
    for pair in pairs:
        assert len(pair.alignment) == len(pair.french) and ("and" in pair.english) == ("et" in pair.french) and pair.english.count("and") < 2
        if "and" in pair.english:
            at, there = pair.english.index("and"), pair.french.index("et")
            assert pair.alignment[there] == (at,) and all((i < there) == (max(places) < at) for i, places in enumerate(pair.alignment) if i != there)
        text, said = f"{' '.join(pair.english)} ", f"{' '.join(pair.french)} "
        if not re.search(r"(tired|happy) white", text):
            clauses = [clause.split() for clause in text.split(" and ")]
            assert [" ".join(translation_of(clause).french) for clause in clauses] == said.strip().split(" et ")
        for english, french in phrases.items():
            if f"{english} " in text and "not" not in text and "never" not in text:
                assert f"{french} " in said, (text, said)
                seen.add(english)
    assert len(seen) >= 4, seen


def test_copies():
    pairs = copies(3000, [4, 9], seed=2)
    assert len(pairs) == 3000 and pairs == copies(3000, [4, 9], seed=2) != copies(3000, [4, 9])
    for english, french, alignment in pairs:
        assert english == french and alignment == tuple((i,) for i in range(len(english)))
    lengths = Counter(len(pair.english) for pair in pairs)
    assert set(lengths) == {4, 9} and 1350 < lengths[4] < 1650, "as often"
    for place in (0, 3, 8):
        counted = Counter(pair.english[place] for pair in pairs if len(pair.english) > place)
        assert len(counted) == 20 and max(counted.values()) < 2 * min(counted.values()), "any word, anywhere"
    assert any(len(set(pair.english)) < len(pair.english) for pair in pairs), "words may come again"
    assert {len(pair.english) for pair in copies(100, range(1, 4))} == {1, 2, 3}


def test_gifts():
    training, held_out = gifts()
    assert len(training) == 280 and len(held_out) == 100 and len(set(training + held_out)) == 380
    assert [" ".join(words) for words in held_out[:2]] == ["Susan gave roses to Mary", "Mary gave roses to Susan"]
    names = {words[0] for words in training}
    assert len(names) == 20 == len({words[4] for words in training}), "everyone gives and everyone receives in training"
    assert all(words[1:4] == ("gave", "roses", "to") and words[0] != words[4] for words in training + held_out)
    assert gifts(seed=1)[0] != training and gifts()[0] == training
    pairs = [{frozenset((words[0], words[4])) for words in some} for some in (training, held_out)]
    assert [len(some) for some in pairs] == [140, 50] and not pairs[0] & pairs[1]
    assert len(gifts(held_out=189)[0]) == 2


def test_drink_orders():
    orders = drink_orders(500, positions=range(2, 4), length=7, seed=3)
    assert len(orders) == 500 and orders == drink_orders(500, positions=range(2, 4), length=7, seed=3) != drink_orders(500, positions=range(2, 4), length=7)
    for words in orders:
        where = [place for place, word in enumerate(words) if word in DRINKS]
        assert len(words) == 7 and len(where) == 1 and where[0] in (2, 3)
    assert {word for words in orders for word in words} > set(DRINKS)
    assert {words[2] in DRINKS for words in orders} == {True, False}
