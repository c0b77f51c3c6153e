"""The small data that the book makes for itself: the same for the same seed, on every machine.

A sentence is a tuple of words.  `english_french` is a made-up corner of English
with its French translation and a gold alignment: which English word each French
word stands for.
"""

import random
from functools import cache
from itertools import combinations
from typing import NamedTuple


class Pair(NamedTuple):
    """An English sentence, its French translation, and the English words that each French word stands for.

    `alignment` has an entry for each French word: positions in the English
    sentence, the first one certain, any others acceptable: the noun for its article
    and adjective, whose form it decides, and "do" and "not" for each other and "do" for the verb.
    """

    english: tuple
    french: tuple
    alignment: tuple


# Object form; as a French subject and object; the French person, an index into a verb's forms.
_PRONOUNS = {"I": ("me", "je", "me", 0), "you": ("you", "tu", "te", 1), "he": ("him", "il", "le", 2),
             "she": ("her", "elle", "la", 2), "we": ("us", "nous", "nous", 3), "they": ("them", "ils", "les", 4)}
_VERBS = {      # the English third person; je, tu, il, nous, ils
    "love": ("loves", "aime aimes aime aimons aiment"),
    "see": ("sees", "vois vois voit voyons voient"),
    "hear": ("hears", "entends entends entend entendons entendent"),
    "help": ("helps", "aide aides aide aidons aident"),
    "call": ("calls", "appelle appelles appelle appelons appellent"),
    "find": ("finds", "trouve trouves trouve trouvons trouvent"),
    "invite": ("invites", "invite invites invite invitons invitent"),
    "meet": ("meets", "rencontre rencontres rencontre rencontrons rencontrent"),
    "admire": ("admires", "admire admires admire admirons admirent"),
}
_ONLY_DEFINITE = {"love"}      # their object: one loves the cat, or cats, hardly a cat
_NOUNS = {      # the English plural; French singular, plural, gender; whether it is an animal
    "cat": ("cats", "chat", "chats", "m", True), "dog": ("dogs", "chien", "chiens", "m", True),
    "horse": ("horses", "cheval", "chevaux", "m", True), "bird": ("birds", "oiseau", "oiseaux", "m", True),
    "mouse": ("mice", "souris", "souris", "f", True), "girl": ("girls", "fille", "filles", "f", False),
    "boy": ("boys", "garçon", "garçons", "m", False), "man": ("men", "homme", "hommes", "m", False),
    "child": ("children", "enfant", "enfants", "m", False), "queen": ("queens", "reine", "reines", "f", False),
    "actress": ("actresses", "actrice", "actrices", "f", False), "hero": ("heroes", "héros", "héros", "m", False),
}
_ADJECTIVES = {     # masculine, feminine, their plurals; whether it stands before the noun
    "small": ("petit petite petits petites", True), "young": ("jeune jeune jeunes jeunes", True),
    "big": ("grand grande grands grandes", True), "old": ("vieux vieille vieux vieilles", True),
    "happy": ("heureux heureuse heureux heureuses", False), "tired": ("fatigué fatiguée fatigués fatiguées", False),
    "white": ("blanc blanche blancs blanches", False),
}
# Said of these it would mean something else: un grand homme is great, une vieille fille unmarried.
_NOT_SAID = {"big": {noun for noun, (*_, animal) in _NOUNS.items() if not animal}, "old": {"girl", "boy", "child"},
             "white": {noun for noun, (*_, animal) in _NOUNS.items() if not animal}}
# These subjects and objects would be reflexive, or ask for "nous nous": left out. He may see him, who is another.
_NOT_TOGETHER = {("I", "I"), ("I", "we"), ("we", "I"), ("we", "we"), ("you", "you"), *zip(_NOUNS, _NOUNS)}
_ADVERBS = {"not": "pas", "never": "jamais", "often": "souvent", "always": "toujours"}
_NEGATIONS = "not", "never"      # these put "ne" before the verb, too
_ELIDED = {"je": "j'", "ne": "n'", "me": "m'", "te": "t'", "le": "l'", "la": "l'", "de": "d'"}


def english_french(num_pairs=8000, *, held_out=400, seed=0):
    """Distinct pairs of an English sentence and its French translation: those to train on, those held out.

    The grammar, in present tense:

    - a subject, a verb, an object; both may be a pronoun or a noun with its article and perhaps an adjective.
    - a French verb has the form of its person and number (j'aime, nous aimons, les chats aiment).
    - an object pronoun stands before the French verb (je te vois), an object noun after it.
    - je, ne, me, te, le, la and de lose their vowel before a vowel or a mute h (je t'aime, l'homme), not before
      the h of héros; what they lose it before is the next word, whatever it is (je ne t'aime pas, j'aime, je n'aime).
    - an article agrees with its noun in gender and number (le chat, la fille, les enfants, une souris).
    - an adjective does too, and has its place: small, big, young and old before the noun, the others after it
      (la petite souris, la souris blanche); vieux becomes vieil before a singular that elides (un vieil homme).
    - "do not" is ne ... pas around the verb and its pronoun, "never" is ne ... jamais; after either a direct
      object with un or une takes de (je ne vois pas de chat).
    - souvent and toujours follow the verb.

    An object that would be the subject again is left out, so nothing is reflexive; so is what would be
    grammatical but strange, such as a great man for a big one (un grand homme).

    Gives two lists of `Pair` in random order, `num_pairs` in all, to train on and held out; no sentence of either
    language stands twice in them. Of the held-out ones "I love you" is the first; there is at least one, and fewer than
    `num_pairs`. Certain and acceptable links are those of Och and Ney (2003).

    >>> training, held_out = english_french(100, held_out=10)
    >>> held_out[0]
    Pair(english=('I', 'love', 'you'), french=('je', "t'", 'aime'), alignment=((0,), (2,), (1,)))
    """
    if not 1 <= held_out < num_pairs:
        raise ValueError(f"held_out must be at least 1 and less than num_pairs, got {held_out} of {num_pairs}")
    if num_pairs > 20_000:
        raise ValueError(f"num_pairs must be at most 20000, to leave pairs that differ, got {num_pairs}")
    rng = random.Random(seed)
    first = Pair(("I", "love", "you"), ("je", "t'", "aime"), ((0,), (2,), (1,)))
    pairs, french = {first.english: first}, {first.french}
    while len(pairs) < num_pairs:
        pair = _sentence(rng)
        if pair.english not in pairs and pair.french not in french:
            pairs[pair.english] = pair
            french.add(pair.french)
    pairs = list(pairs.values())
    return pairs[held_out:], pairs[:held_out]


def longer_english_french(num_pairs=8000, *, held_out=400, seed=0):
    """The language of `english_french`, with longer sentences: two lists of `Pair`, to train on and held out.

    Half of the pairs are two sentences joined by "and", *et*. What is white may be happy or tired as well, and then the
    words after the article stand the other way round in French: "the tired white horse", *le cheval blanc fatigué*. Of
    the held-out pairs a sentence of fourteen words with this horse is the first.

    >>> print(*longer_english_french(100, held_out=10)[1][0].english)
    the young queen loves the tired white horse and she does not see us
    """
    rng = random.Random(seed)
    horse = _noun_phrase("horse", "white", definite=True, many=False, outer="tired")
    first = _joined(_pair(_phrases(_SUBJECT)["the", "young", "queen"], "", "love", horse),
                    translation_of("she does not see us".split()))
    pairs = {first.english: first}
    while len(pairs) < num_pairs:
        pair = _sentence(rng, doubled=True)
        if rng.random() < 0.5:
            pair = _joined(pair, _sentence(rng, doubled=True))
        pairs.setdefault(pair.english, pair)
    pairs = list(pairs.values())
    return pairs[held_out:], pairs[:held_out]


def _joined(one, other):
    """Two pairs as one, with "and" between them."""
    first = len(one.english)
    moved = tuple(tuple(first + 1 + i for i in places) for places in other.alignment)
    return Pair((*one.english, "and", *other.english), (*one.french, "et", *other.french),
                (*one.alignment, (first,), *moved))


def english_grammar():
    """The English of `english_french` as a finite automaton: which words can follow those said so far.

    From the start, a word leads to the next state; where a state is final, a sentence is complete. Every sentence that
    `english_french` may draw is composed in this way, and no other. States with the same way on are one, so there are
    as few as can be.

    Gives a dict. Under "next" a list with a dict for each state: the words that can follow, each with the number of the
    state after it, in an order to choose from (pronouns before articles, nouns before adjectives, a verb before "do"
    and "never"). State 0 is the start. Under "final" the numbers of the states where a sentence may end.

    >>> list(english_grammar()["next"][0])
    ['I', 'you', 'he', 'she', 'we', 'they', 'the', 'a', 'an']
    """
    states = _states()
    return {"next": [dict(words) for words in states], "final": [i for i, words in enumerate(states) if not words]}


def translation_of(english):
    """The `Pair` of a sentence that `english_grammar` composes, its French and the gold alignment.

    What is no such sentence is a ValueError that says which words could have followed.

    >>> print(*translation_of("the old man never meets us".split()).french)
    le vieil homme ne nous rencontre jamais
    """
    english = tuple(english)
    state = 0
    for place, word in enumerate((*english, "the end")):
        following = _states()[state] or {"the end": 0}
        if word not in following:
            raise ValueError(f"english must be a sentence of english_grammar: word {place} is {word!r}, "
                             f"expected {', '.join(following)}")
        state = following[word]
    subjects, objects = _phrases(_SUBJECT), _phrases(_OBJECT)
    subject, = (english[:n] for n in (1, 2, 3) if english[:n] in subjects)
    object_, = (english[-n:] for n in (1, 2, 3) if english[-n:] in objects)
    how = next((word for word in _ADVERBS if word in english), "")
    verb = next(verb for verb, (third, _) in _VERBS.items() if english[-len(object_) - 1] in (verb, third))
    return _pair(subjects[subject], how, verb, objects[object_])


_COPIED = "ash bay cup day elm fox gem hat ink jar key log map net oak pen rug sea tea urn".split()


def copies(num_pairs, lengths, *, seed=0):
    """Words at random that are their own translation, a list of `Pair`: nothing can be guessed.

    All has to be passed on. Twenty short nouns, each with a first letter of its own. `lengths` are the numbers of words
    that a sentence may have, each as often; the words are drawn at random and may come again.

    >>> for english, french, alignment in copies(2, lengths=[2, 3]):
    ...     print(*english, "=", *french, alignment)
    pen ink fox = pen ink fox ((0,), (1,), (2,))
    ink pen gem = ink pen gem ((0,), (1,), (2,))
    """
    rng = random.Random(seed)
    pairs = []
    for _ in range(num_pairs):
        words = tuple(rng.choices(_COPIED, k=rng.choice(lengths)))
        pairs.append(Pair(words, words, tuple((i,) for i in range(len(words)))))
    return pairs


_NAMES = ("Susan Mary Tom Anna Paul Lucy Ben Rosa Hugo Emma Noah Ida Leo Vera Max Nora Karl Ella Finn Zoe").split()


def gifts(*, held_out=50, seed=0):
    """"Susan gave roses to Mary" for every two of twenty names, in both orders.

    Gives two lists of sentences, tuples of five words, to train on and held out. Of the 190 pairs of people `held_out`
    are kept apart, both orders of each, Susan and Mary first; at least that one, and so few that some are left.
    """
    first, *others = combinations(_NAMES, 2)          # Susan and Mary come first
    if not 1 <= held_out <= len(others):
        raise ValueError(f"held_out must be from 1 to {len(others)}, got {held_out}")
    random.Random(seed).shuffle(others)

    def sentences(pairs):
        return [(giver, "gave", "roses", "to", receiver) for pair in pairs for giver, receiver in (pair, pair[::-1])]
    return sentences(others[held_out - 1:]), sentences([first, *others[:held_out - 1]])


DRINKS = "tea coffee juice water".split()
_CHATTER = "so well um please I would maybe have some then today the".split()


def drink_orders(num_orders, *, positions, length=12, seed=0):
    """Guests who talk, and name one of four drinks on the way: tuples of `length` words.

    `positions` says where the drink may be named, counted from 0; the other words are chatter at random.

    >>> [" ".join(words) for words in drink_orders(2, positions=range(3), length=5)]
    ['today water would please maybe', 'coffee I today um well']
    """
    if not set(positions) <= set(range(length)) or not positions:
        raise ValueError(f"positions must be one or more, below {length}, got {list(positions)}")
    rng = random.Random(seed)
    sentences = []
    for _ in range(num_orders):
        words = rng.choices(_CHATTER, k=length)
        words[rng.choice(positions)] = rng.choice(DRINKS)
        sentences.append(tuple(words))
    return sentences


def elides(word):
    """Whether a French word makes the little word before it lose its vowel: it begins with a vowel or a mute h."""
    return word[0] in "aeéèêiouh" and word != "héros"


def vocabulary(sentences):
    """The words of some sentences in the order of the alphabet, after padding, start and end: numbers 0, 1 and 2."""
    return ["<pad>", "<start>", "<end>", *sorted({word for sentence in sentences for word in sentence})]


class _Phrase(NamedTuple):
    """A subject or an object."""

    english: tuple
    french: tuple       # each word with the positions of the English ones that it stands for
    person: int
    head: str           # its noun, in the singular, or its pronoun, as a subject


_SUBJECT, _OBJECT = 0, 1


def _noun_phrase(noun, adjective, definite, many, outer=None):
    """"the old man" or "an actress"; the adjective may be None.

    An `outer` one stands before it in English, and after it in French: "the tired white horse".
    """
    plural_english, singular, plural, gender, _ = _NOUNS[noun]
    english = [*filter(None, (outer, adjective)), plural_english if many else noun]
    english.insert(0, "the" if definite else "an" if english[0][0] in "aeiou" else "a")

    at = len(english) - 1                                   # the noun, which decides the forms of the others
    french = [(plural if many else singular, (at,))]
    for place, described in ((at - 1, adjective), (at - 2, outer)):
        if described:
            forms, before = _ADJECTIVES[described]
            form = forms.split()[2 * many + (gender == "f")]
            if form == "vieux" and not many and elides(french[0][0]):
                form = "vieil"
            french.insert(0 if before else len(french), (form, (place, at)))
    if definite:
        article = "les" if many else "le" if gender == "m" else "la"
    else:
        article = "un" if gender == "m" else "une"
    return _Phrase(tuple(english), ((article, (0, at)), *french), 4 if many else 2, noun)


def _fits(adjective, noun):
    """Whether an adjective is said of a noun; None always is."""
    return noun not in _NOT_SAID.get(adjective, ())


def _pronoun(pronoun, role):
    """"I", or "me" if its role is the object's."""
    as_object, *french, person = _PRONOUNS[pronoun]
    return _Phrase(((pronoun, as_object)[role],), ((french[role], (0,)),), person, pronoun)


@cache
def _phrases(role):
    """Every subject, or every object, by its English words."""
    pronouns = [_pronoun(pronoun, role) for pronoun in _PRONOUNS]
    nouns = [_noun_phrase(noun, adjective, definite, many) for definite in (True, False)
             for adjective in (None, *_ADJECTIVES) for noun in _NOUNS if _fits(adjective, noun)
             for many in ((False, True) if definite else (False,))]
    return {phrase.english: phrase for phrase in pronouns + nouns}


def _predicate(verb, how, person):
    """The verb with what stands before it: "does not see", "never sees"."""
    if how == "not":
        return "does" if person == 2 else "do", "not", verb
    form = _VERBS[verb][0] if person == 2 else verb
    return (how, form) if how else (form,)


def _objects(head, verb):
    """Those that a verb may have after a subject, of which the noun or pronoun is given."""
    return [phrase for phrase in _phrases(_OBJECT).values() if (head, phrase.head) not in _NOT_TOGETHER
            and not (verb in _ONLY_DEFINITE and phrase.english[0] in ("a", "an"))]


@cache
def _states():
    """For each state of `english_grammar` the words that can follow, and where they lead."""
    numbers = {}                        # of states, by what can follow: equal ones are one

    def state(paths):
        """The number of a state: from there some words, one after the other, lead to a state with the number given."""
        further = {}
        for (word, *rest), after in paths:
            further.setdefault(word, []).append((rest, after))
        following = {word: state(on) if on[0][0] else on[0][1] for word, on in further.items()}
        return numbers.setdefault(tuple(following.items()), len(numbers))

    end = state([])
    after_verb = {(head, verb): state([(phrase.english, end) for phrase in _objects(head, verb)])
                  for head in (*_PRONOUNS, *_NOUNS) for verb in _VERBS}
    after_subject = {subject: state([(_predicate(verb, how, subject.person), after_verb[subject.head, verb])
                                     for how in ("", *_ADVERBS) for verb in _VERBS])
                     for subject in _phrases(_SUBJECT).values()}
    start = state([(subject.english, after) for subject, after in after_subject.items()])
    # The start was made last; now it comes first.
    return [{word: start - after for word, after in following} for following in reversed(numbers)]


def _pair(subject, how, verb, object_):
    """The pair that these parts make."""
    predicate = _predicate(verb, how, subject.person)
    first = len(subject.english)
    last = first + len(predicate) - 1                       # the position of the verb
    helper = (first,) if how == "not" else ()               # that of "do" or "does"
    at_how = (last - 1, *helper)
    of_object = [(word, tuple(last + 1 + i for i in positions)) for word, positions in object_.french]
    if how in _NEGATIONS and of_object[0][0] in ("un", "une"):
        of_object[0] = ("de", of_object[0][1])

    french = list(subject.french)
    if how in _NEGATIONS:
        french.append(("ne", at_how))
    if object_.head in _PRONOUNS:
        french += of_object
    french.append((_VERBS[verb][1].split()[subject.person], (last, *helper)))
    if how:
        french.append((_ADVERBS[how], at_how))
    if object_.head in _NOUNS:
        french += of_object

    following = [word for word, _ in french[1:]] + [" "]
    written = [_ELIDED[word] if word in _ELIDED and elides(after) else word
               for (word, _), after in zip(french, following)]
    return Pair(subject.english + predicate + object_.english, tuple(written),
                tuple(positions for _, positions in french))


def _random_noun_phrase(rng, definite, subject=None, doubled=False):
    """A noun phrase at random; as an object, one that its subject, a noun or pronoun, may have.

    If it may be `doubled`, what is white is happy or tired as well, two times of three.
    """
    noun = rng.choice([noun for noun in _NOUNS if (subject, noun) not in _NOT_TOGETHER])
    many = definite and rng.random() < 0.3
    adjective = None
    if rng.random() < 0.4:
        adjective = rng.choice([word for word in _ADJECTIVES if _fits(word, noun)])
    outer = rng.choice([None, "happy", "tired"]) if doubled and adjective == "white" else None
    return _noun_phrase(noun, adjective, definite, many, outer)


def _sentence(rng, doubled=False):
    """One pair at random."""
    verb = rng.choice(list(_VERBS))
    if rng.random() < 0.65:
        subject = _pronoun(rng.choice(list(_PRONOUNS)), _SUBJECT)
    else:
        subject = _random_noun_phrase(rng, rng.random() < 0.7, doubled=doubled)
    object_ = None
    if rng.random() < 0.45:
        others = [pronoun for pronoun in _PRONOUNS if (subject.head, pronoun) not in _NOT_TOGETHER]
        object_ = _pronoun(rng.choice(others), _OBJECT)
    how = rng.choice(["", "", "", "not", "not", "never", "often", "always"])
    if not object_:
        object_ = _random_noun_phrase(rng, verb in _ONLY_DEFINITE or rng.random() < 0.5, subject.head, doubled)
    return _pair(subject, how, verb, object_)
