"""Little stories about a woman, a man and a dog: a grammar that writes them, and that finds every mistake in one.

"Zoe and Max met Rex in the tower . Max found a ball . then he gave the ball to her . Rex walked to the market . now the
ball is with Zoe in the tower ." A story is a tuple of words, and a full stop is a word. Much in it is free, and some
words are not: where the ball is at the end was decided by what came before.
"""

import numpy as np

WOMEN, MEN, DOGS = "Ann Eva Mia Zoe".split(), "Ben Max Sam Tom".split(), "Bruno Rex Toby".split()
PLACES = "castle forest garden kitchen market park school tower".split()
THINGS = "ball bell boat book hat key kite ring".split()
NUMBERS = "one two three four five six seven eight nine".split()
LENGTHS = range(32, 61)      # of a story, in words
MOST = 4                     # coins given at once

# Every sentence there is. Words in capitals are slots; an ACTOR is a name, or "then" and the one who acted last.
_SENTENCES = {
    "meeting": "ONE and OTHER met DOG in the PLACE .",
    "finding": "ACTOR found a THING .",
    "gift": "ACTOR gave the THING to RECEIVER .",
    "return": "ACTOR gave the THING back to RECEIVER .",
    "thanks": "NAME thanked GIVER .",
    "move": "ACTOR MOVED to the PLACE .",
    "walk": "NAME and COMPANY MOVED to the PLACE .",
    "sight": "ACTOR saw a SEEN .",
    "dream": "ACTOR dreamed of the PLACE .",
    "holding": "so the THING was with HOLDER .",
    "standing": "so NAME was in the PLACE .",
    "ending": "now the THING is with HOLDER in the PLACE .",
    "purse": "KEEPER had NUMBER coins .",
    "payment": "ACTOR gave NUMBER COIN to RECEIVER .",
    "rest": "so KEEPER had LEFT COIN left .",
    "count": "now KEEPER has LEFT COIN and PAID has GOT .",
}
_NAMES = [*WOMEN, *MEN, *DOGS]
_SLOTS = dict.fromkeys(("ACTOR", "NAME", "COMPANY", "GIVER", "HOLDER", "PAID"), _NAMES)
_SLOTS |= dict.fromkeys(("ONE", "OTHER", "KEEPER"), [*WOMEN, *MEN]) | dict.fromkeys(("THING", "SEEN"), THINGS)
_SLOTS |= dict.fromkeys(("NUMBER", "LEFT", "GOT"), NUMBERS) | {"PLACE": PLACES, "COIN": ["coin", "coins"], "DOG": DOGS}
_SLOTS |= {"MOVED": ["ran", "walked", "went"], "SAME": ["he", "she", *DOGS], "RECEIVER": ["him", "her", *DOGS]}
_SAID = {form: sentence.split() for form, sentence in _SENTENCES.items()}
_PATTERNS = [(form, pattern.split()) for form, sentence in _SENTENCES.items()
             for pattern in dict.fromkeys((sentence, sentence.replace("ACTOR", "then SAME")))]
WORDS = sorted({word for _, pattern in _PATTERNS for slot in pattern for word in _SLOTS.get(slot, [slot])})
# What a word tells, if what was said leaves one choice for it. Places and coins have two kinds each, see `_kind`.
_KINDS = {"SAME": "he or she", "THING": "thing", "RECEIVER": "receiver", "GIVER": "thanked", "COMPANY": "company",
          "KEEPER": "keeper", "PAID": "paid", "LEFT": "coins left"}
KINDS = (*_KINDS.values(), "back", "holder so far", "holder at the end", "place, last named", "place, not last named",
         "coins of one gift", "coins of two gifts")


_CHOOSES = {slot: f"_{slot.lower()}" for slot in _SLOTS}


class _Scene:
    """What is known after some sentences: who is where, who holds what, and who acted last."""

    def __init__(self):
        self.cast, self.place = (), {}
        self.thing = self.holder = self.source = None          # the source gave it to the holder
        self.keeper, self.left, self.paid = None, 0, {}        # the amounts that each was paid
        self.subject = self.gift = None                        # of the last sentence
        self.named, self.ended = None, False                   # the last place named

    def beside(self, name):
        """Who is where somebody is."""
        here = self.place.get(name)
        return [other for other in self.cast if other != name and self.place[other] == here]

    def actors(self, form):
        """Who may do what this sentence says."""
        if not self.cast or self.ended:
            return []
        if form in ("gift", "return"):
            may = [name for name in self.beside(self.holder) if (name == self.source) == (form == "return")]
            return [self.holder] if self.holder and may else []
        if form == "payment":
            return [self.keeper] if self.left > 1 and self.beside(self.keeper) else []
        if form == "finding":
            return [] if self.thing or self.keeper else self.cast
        return self.cast

    def choices(self, form, slot, bound):
        """The words that fit into a slot without contradicting what was said, or what is `bound` in slots before it."""
        if slot == "ACTOR":
            return self.actors(form)
        if slot == "SAME":
            return [_pronoun(self.subject, "he she")] if self.subject in self.actors(form) else []
        return getattr(self, _CHOOSES[slot])(form, bound)

    def _one(self, form, bound):
        return [] if self.cast else [*WOMEN, *MEN]

    def _other(self, form, bound):
        return MEN if bound["ONE"] in WOMEN else WOMEN

    def _dog(self, form, bound):
        return DOGS

    def _moved(self, form, bound):
        return _SLOTS["MOVED"]

    def _name(self, form, bound):
        if not self.cast or self.ended:
            return []
        if form == "thanks":
            return [self.gift[1]] if self.gift else []
        return [name for name in self.cast if form != "walk" or self.beside(name)]

    def _company(self, form, bound):
        return self.beside(bound["NAME"])

    def _giver(self, form, bound):
        return [self.gift[0]] if self.gift else []

    def _place(self, form, bound):
        if form == "meeting":
            return PLACES
        where = self.place.get(self.actor(bound) or bound.get("NAME") or bound.get("HOLDER"))
        if form in ("standing", "ending"):
            return [where] if where else []
        return [place for place in PLACES if place != where]

    def _thing(self, form, bound):
        if form == "finding":
            return THINGS
        return [self.thing] if self.thing and not self.ended else []

    def _seen(self, form, bound):
        return [thing for thing in THINGS if thing != self.thing]

    def _holder(self, form, bound):
        return [self.holder]

    def _receiver(self, form, bound):
        names = self.beside(self.actor(bound))
        if form != "payment":
            names = [name for name in names if (name == self.source) == (form == "return")]
        return [_pronoun(name, "him her") for name in names]

    def _keeper(self, form, bound):
        if form == "purse":
            return [] if self.thing or self.keeper or self.ended else self.cast[:2]
        return [self.keeper] if self.paid and not self.ended else []

    def _number(self, form, bound):
        return NUMBERS[4:] if form == "purse" else NUMBERS[:min(max(self.left - 1, 0), MOST)]

    def _coin(self, form, bound):
        return ["coin" if "one" in (bound.get("NUMBER"), bound.get("LEFT")) else "coins"]

    def _left(self, form, bound):
        return [NUMBERS[self.left - 1]] if self.left > 0 else []

    def _paid(self, form, bound):
        return list(self.paid)

    def _got(self, form, bound):
        return [_sum(self.paid.get(bound["PAID"], []))]

    def actor(self, bound):
        """The name of who acts in a sentence, of which the pronoun may be said."""
        return self.who(bound["SAME"]) if "SAME" in bound else bound.get("ACTOR")

    def who(self, word):
        """The name that a pronoun or a name stands for."""
        if word in ("he", "him", "she", "her"):
            return next((name for name in self.cast if name in (WOMEN if word in ("she", "her") else MEN)), None)
        return word

    def say(self, form, bound):
        """Let a whole sentence have been said."""
        actor, receiver = self.actor(bound), self.who(bound.get("RECEIVER"))
        self.subject, self.gift = actor or (bound["NAME"] if form == "thanks" else bound.get("KEEPER")), None
        self.named = bound.get("PLACE", self.named)
        if form == "meeting":
            self.cast = bound["ONE"], bound["OTHER"], bound["DOG"]
            self.place = dict.fromkeys(self.cast, bound["PLACE"])
        elif form == "finding":
            self.thing, self.holder = bound["THING"], actor
        elif form in ("gift", "return"):
            self.holder, self.source, self.gift = receiver, actor, (actor, receiver)
        elif form in ("move", "walk"):
            self.place |= dict.fromkeys([actor] if form == "move" else [bound["NAME"], bound["COMPANY"]],
                                        bound["PLACE"])
        elif form == "purse":
            self.keeper, self.left = bound["KEEPER"], NUMBERS.index(bound["NUMBER"]) + 1
        elif form == "payment":
            number = NUMBERS.index(bound["NUMBER"]) + 1
            self.left -= number
            self.paid.setdefault(receiver, []).append(number)
            self.gift = actor, receiver
        if form in ("holding", "standing", "rest", "walk"):
            self.subject = None
        self.ended = form in ("ending", "count")


def _pronoun(name, pair):
    """The pronoun for a name, the first of a pair for men; dogs have none."""
    return pair.split()[name in WOMEN] if name in WOMEN or name in MEN else name


def _sum(amounts):
    return NUMBERS[min(sum(amounts), len(NUMBERS)) - 1] if amounts else None


# What is wrong about a word of no kind; "order" if it is not here.
_MISTAKES = {"gave": "giver", "thanked": "thanked", "COIN": "grammar", "NUMBER": "amount", "PLACE": "already there"}


def _kind(scene, form, slot, word, bound):
    """What the word in a slot tells."""
    if slot == "PLACE" and form in ("standing", "ending"):
        return "place, last named" if word == scene.named else "place, not last named"
    if slot == "HOLDER":
        return "holder at the end" if form == "ending" else "holder so far"
    if slot == "GOT":
        return "coins of two gifts" if len(scene.paid.get(bound["PAID"], [])) > 1 else "coins of one gift"
    return "back" if slot == "back" or (slot == "to" and "THING" in bound) else _KINDS.get(slot)


# ---- writing

def stories(num_stories, *, seed=0):
    """Write stories: tuples of 32 to 60 words, all in `WORDS`.

    Four in five are about a thing that is found and given on, two or three times. In the others somebody has coins and
    gives some away, one to four at a time. People move, see and dream, and now and then the story says how things
    stand. `seed` may also be a list of ints or a numpy.random.Generator, of which thousands of numbers are drawn.

    >>> story, = stories(1)
    >>> " ".join(story[:22])
    'Mia and Ben met Bruno in the school . Ben found a key . then he gave the key to her .'
    >>> errors(story)
    []
    """
    random = _drawn(np.random.default_rng(seed)).__next__
    return [_story(random) for _ in range(num_stories)]


def _drawn(rng):
    """Numbers between 0 and 1, one after another; drawn a thousand at a time, which is faster."""
    while True:
        yield from rng.random(1000).tolist()


def _one_of(items, random):
    return items[int(random() * len(items))]


class _Writer:
    """One story as it is written; `random` gives numbers between 0 and 1."""

    def __init__(self, random):
        self.scene, self.words, self.random = _Scene(), [], random

    def add(self, form, **wanted):
        """Write a sentence, free slots at random; whether it could be said."""
        said, bound = [], {}
        for slot in _SAID[form]:
            if slot not in _SLOTS:
                said.append(slot)
                continue
            fit = self.scene.choices(form, slot, bound)
            if slot in wanted:
                fit = [word for word in fit if word == wanted[slot]]
            if not fit:
                return False
            bound[slot] = _one_of(fit, self.random)
            if slot == "ACTOR" and bound[slot] == self.scene.subject and self.random() < 0.75:
                said += ["then", _pronoun(bound[slot], "he she")]
            else:
                said.append(bound[slot])
        self.words += said
        self.scene.say(form, bound)
        return True

    def some(self, forms):
        """Write a sentence of one of these forms, with those who fit."""
        wanted = {"ACTOR": self.scene.subject} if self.scene.subject and self.random() < 0.4 else {}
        form = _one_of(forms, self.random)
        return self.add(form, **wanted) or self.add(form)

    def give(self, owner, forms):
        """Let the owner of something give it, having brought somebody to the place if nobody is there."""
        if not any(self.scene.actors(form) for form in forms):
            other = _one_of([name for name in self.scene.cast if name != owner], self.random)
            who, to = (owner, other) if self.random() < 0.4 else (other, owner)
            if self.scene.place[who] == self.scene.place[to] or not self.add("move", ACTOR=who,
                                                                            PLACE=self.scene.place[to]):
                return
        self.some([form for form in forms if self.scene.actors(form)] or forms)
        if self.scene.gift and self.random() < 0.3:
            self.add("thanks")


_ASIDES = ["move", "move", "move", "walk", "sight", "dream"]


def _story(random):
    go_on = _coins if random() < 0.2 else _gifts
    while True:
        writer = _Writer(random)
        writer.add("meeting")
        go_on(writer, random)
        if len(writer.words) in LENGTHS:
            return tuple(writer.words)


def _gifts(writer, random):
    if random() < 0.3:
        writer.some(_ASIDES)
    writer.add("finding")
    asides = [*_ASIDES, "holding", "standing"]
    for _ in range(2 + (random() < 0.4)):
        if random() < 0.25:
            writer.some(asides)
        writer.give(writer.scene.holder, ["gift", "return"])
    for _ in range(int(random() * 4)):
        writer.some(asides)
    writer.add("ending")


def _coins(writer, random):
    writer.add("purse")
    for _ in range(2):
        if random() < 0.4:
            writer.some(["sight", "dream"])
        writer.give(writer.scene.keeper, ["payment"])
        if random() < 0.5:
            writer.add("rest")
    writer.add("count")


# ---- reading

def determined(words):
    """Which words of a story were decided by what was said before them, and what each of them tells.

    A word counts if the grammar knows several words for its place and all but one contradict the story so far. Words
    that only grammar decides, as "the" after "in", do not count. Gives for each word one of `KINDS`, or None if it was
    free. The beginning of a story will do; one that contradicts itself is a ValueError.

    >>> words = "Zoe and Max met Rex in the tower . Max found a ball . then he gave the ball to her .".split()
    >>> [(word, kind) for word, kind in zip(words, determined(words)) if kind]
    [('he', 'he or she'), ('ball', 'thing'), ('to', 'back')]
    """
    wrong, kinds = _read(words)
    if wrong:
        kind, place = wrong[0]
        raise ValueError(f"words must be a story without mistakes; word {place}, {words[place]!r}, is one ({kind})")
    return kinds


def errors(words):
    """The mistakes in a story, what contradicts itself, and what is no sentence: pairs of kind and place, in order.

    A kind is "grammar" for what is no sentence of such stories; "order" for one that cannot come here; "stranger" for a
    name that nobody has; "giver" for one who gives and has nothing, or nobody to give it to; "amount" for too many
    coins; "already there" for who goes where he is; "unfinished" for a story without an ending, at the place after its
    last word; the others are of `KINDS`.

    >>> words = "Zoe and Max met Rex in the tower . Max found a ball . now the ball is with Zoe in the park .".split()
    >>> errors(words)
    [('holder at the end', 19), ('place, last named', 22)]
    """
    return _read(words, whole=True)[0]


def next_words(words):
    """The words that may follow the beginning of a story without contradicting it, in alphabetical order.

    There is none after an ending.

    >>> next_words("Zoe and Max met".split())
    ['Bruno', 'Rex', 'Toby']
    """
    determined(words)
    reader = _Reader()
    for word in words:
        reader.read(word)
    return sorted(reader.fitting())


def other_words(words):
    """For each word of a story what could stand in its place without contradicting what is said before and after.

    Where a word alone cannot be another one, as the thing that is found and then given, it is changed wherever it
    stands from there on. Gives for each place a list of pairs: another word, and True if it is changed from there on,
    False if there alone.

    >>> found = other_words("Zoe and Max met Rex in the tower . Max found a ball . Max gave the ball to her .".split())
    >>> found[4], found[9], found[12][0]
    ([('Bruno', False), ('Toby', False)], [('Rex', True)], ('bell', True))
    """
    def fits(changed):
        return all(kind == "unfinished" for kind, _ in errors(changed))

    found = []
    for k, word in enumerate(words):
        here = []
        for other in next_words(words[:k]):
            after = [other if one == word else one for one in words[k + 1:]]
            if other != word and fits([*words[:k], other, *words[k + 1:]]):
                here.append((other, False))
            elif other != word and fits([*words[:k], other, *after]):
                here.append((other, True))
        found.append(here)
    return found


def other_receivers(words):
    """The story up to its last owner, with the last gift to somebody else, so that the last owner is another one.

    Gives pairs, the words up to "with" and the new owner; only what does not contradict itself.

    >>> words = ("Zoe and Max met Rex in the tower . Max found a ball . then he gave the ball to her . "
    ...          "now the ball is with Zoe").split()
    >>> [(" ".join(changed[-13:-5]), owner) for changed, owner in other_receivers(words)]
    [('then he gave the ball to Rex .', 'Rex')]
    """
    ends = _ending(words)
    gave = max((k for k, word in enumerate(words[:ends]) if word == "gave"), default=None)
    if gave is None or ends == len(words):
        return []
    before, after = list(words[:gave + 3]), list(words[words.index(".", gave):ends])
    new = [before + gift + after for name in ("him", "her", *DOGS) for gift in (["to", name], ["back", "to", name])]
    return _answered(new, words[ends])


def other_movers(words):
    """The story up to its last place, with somebody else going somewhere, so that the last place is another one.

    Gives pairs, the words up to the last "the" and the new place; only what does not contradict itself.
    """
    place = _ending(words) + 3
    if place >= len(words):
        return []
    new = [[*words[:k], name, *words[k + 1:place]] for k in range(place) for name in (words[0], words[2], words[4])
           if words[k] in _NAMES and words[k + 1] in _SLOTS["MOVED"] and words[k - 1] == "." and name != words[k]]
    return _answered(new, words[place])


def _ending(words):
    """The place of the last owner; behind the last word if there is no ending about a thing."""
    found = [k + 2 for k in range(len(words) - 2) if tuple(words[k:k + 2]) == ("is", "with")]
    return found[0] if found else len(words)


def _answered(stories_, old):
    """Beginnings that contradict nothing and leave one word, another than the old, each with this word."""
    answered = []
    for words in stories_:
        if not _read(words)[0] and len(fit := next_words(words)) == 1 and fit != [old]:
            answered.append((words, fit[0]))
    return answered


def _read(words, whole=False):
    """The mistakes of a story, and the kind of each word."""
    reader = _Reader()
    kinds = [reader.read(word) for word in words]
    if whole and not (reader.scene.ended and reader.place == 0):
        reader.errors.append(("unfinished", len(words)))
    return reader.errors, kinds


class _Reader:
    """Goes through a story word by word, with all sentences that the words so far may become."""

    def __init__(self):
        self.scene, self.errors, self.count = _Scene(), [], 0
        self.begin()

    def begin(self):
        """Expect a sentence: the patterns that go on, what their slots hold, whether they contradict nothing."""
        self.place, self.right = 0, True
        self.alive = [(form, pattern, {}, True) for form, pattern in _PATTERNS]

    def fit(self, form, pattern, bound, place=None):
        """The words that may come next in a pattern by all that was said; none if its next slot has no choice."""
        place = self.place if place is None else place
        slot = pattern[place]
        if slot in _SLOTS:
            return self.scene.choices(form, slot, bound)
        return [slot] if slot == "." or self.fit(form, pattern, bound, place + 1) else []

    def fitting(self):
        """The words that may come next."""
        return {word for form, pattern, bound, fits in self.alive if fits for word in self.fit(form, pattern, bound)}

    def read(self, word):
        """Take the next word in; give its kind if it was determined."""
        right, known, kinds, alive = self.fitting(), set(), [], []
        for form, pattern, bound, fits in self.alive:
            slot = pattern[self.place]
            known |= (may := set(_SLOTS.get(slot, [slot])))
            if word in may:
                fit = self.fit(form, pattern, bound) if fits else []
                kinds.append((word not in fit, _kind(self.scene, form, slot, *(fit[:1] or [word]), bound), slot))
                alive.append((form, pattern, bound | {slot: word} if slot in _SLOTS else bound, word in fit))
        if word not in right and (right or self.right):
            self.mistake(word, kinds)
        if not any(fits for *_, fits in alive):
            alive = [(form, pattern, bound, True) for form, pattern, bound, _ in alive]
        self.go_on(word, alive)
        return min(kinds, key=lambda kind: kind[0])[1] if right == {word} and len(known) > 1 else None

    def mistake(self, word, kinds):
        """Write down what is wrong about a word."""
        self.right = False
        _, kind, slot = kinds[0] if kinds else (None, "grammar", None)
        if slot in _SLOTS and set(_SLOTS[slot]) <= set(_NAMES) and word not in self.scene.cast:
            kind = "stranger"
        self.errors.append((kind or _MISTAKES.get(slot, "order"), self.count))

    def go_on(self, word, alive):
        """To the next word, or past a full stop to the next sentence."""
        self.count, self.place, self.alive = self.count + 1, self.place + 1, alive
        if word == ".":
            for form, _, bound, _ in sorted(alive, key=lambda one: not one[3])[:1]:
                names = {self.scene.who(bound[slot]) for slot in bound if set(_SLOTS[slot]) & set(_NAMES)}
                if form == "meeting" or names <= set(self.scene.cast):
                    self.scene.say(form, bound)
            self.begin()
