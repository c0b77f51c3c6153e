"""Is an answer right and, if not, what is off? Said in a sentence, whatever the answer is; nothing here raises.

Each kind of exercise also has a `form`: what a page without a kernel needs to ask for the answer and to say the same of
it (``bookkit.figures.Practice``).  What there is to choose from was judged here, when the form was made.
"""

import hashlib
import itertools
from copy import deepcopy
from functools import cached_property

import numpy as np

import attnkit
from bookkit.pictures.formats import plain

UNANSWERED = "Not answered yet: put your answer in place of the dots, then run this cell again."
RIGHT = "Right."


GAP = "___"                          # in the code of a function, where a line is to be chosen


class Asked:
    """What is asked in a page: it has a name, which ``all_exercises`` and ``all_guesses`` give it, and a form."""

    name = None


class Value(Asked):
    """An exercise whose answer is one number or array."""

    def __init__(self, right, mistakes=(), within=1e-6, labels=()):
        self.right = right
        self.mistakes = mistakes     # pairs (wrong answer, what is off)
        self.within = within         # how far off a right answer may be
        self.labels = labels         # what each number is called on the page, if the question does not say it in order

    @cached_property
    def form(self):
        """A field for each number, with what `compare` needs."""
        right = np.asarray(self.right)
        mistakes = [[digits(mistake), words] for mistake, words in self.mistakes]
        return {**fields(right.shape, self.labels), "truths": right.dtype.kind == "b", "right": digits(right),
                "within": self.within, "mistakes": mistakes}

    def verdict(self, answer):
        """RIGHT, UNANSWERED or what is off."""
        if is_open(answer):
            return UNANSWERED
        return compare(answer, self.right, self.mistakes, within=self.within, names=self.form["names"]) or RIGHT


class Function(Asked):
    """An exercise whose answer is a function, compared with ours on a few inputs.

    The page shows its `code` with a gap, ``___``, or several, and for each a list of `choices`; or else the `lines`
    that stand in the one gap, in their right order.
    """

    def __init__(self, right, cases, mistakes=(), *, code=None, choices=(), lines=()):
        self.right = right
        self.cases = cases
        self.mistakes = mistakes     # pairs (wrong function, what is off)
        self.code = code and code.strip("\n")
        self.choices = choices
        self.lines = lines

    @cached_property
    def form(self):
        """The code with its gaps, what could stand in them, and what is said of each way to fill them."""
        form = {"kind": "order" if self.lines else "lines", "code": self.code}
        if self.lines:
            shuffled = sorted(self.lines)
            orders = list(itertools.permutations(range(len(shuffled))))
            found = [self.said(["\n".join(shuffled[k] for k in order)]) for order in orders]
        else:
            found = self.told(list(itertools.product(*self.choices)))
        said = list(dict.fromkeys(found))
        places = [said.index(words) for words in found]
        if self.lines:
            names = ("".join(map(str, order)) for order in orders)
            return form | {"lines": shuffled, "said": said, "orders": dict(zip(names, places))}
        return form | {"choices": [list(offered) for offered in self.choices], "said": said, "verdicts": places}

    def told(self, ways):
        """What a check prints of each way to fill the gaps.

        Where several gaps are wrong, and no mistake is foreseen, it is what it prints of the first of them alone.
        """
        found = {way: self.said(way) for way in ways}
        foreseen = {sentence(words) for _, words in self.mistakes}
        right = next(way for way in ways if found[way] == RIGHT)
        for way in ways:
            wrong = [gap for gap, (line, best) in enumerate(zip(way, right)) if line != best]
            if len(wrong) > 1 and found[way] not in foreseen:
                first = found[tuple(way[gap] if gap == wrong[0] else best for gap, best in enumerate(right))]
                found[way] = f"Not yet: gap {wrong[0] + 1}: {first.removeprefix('Not yet: ')}"
        return [found[way] for way in ways]

    def said(self, way):
        """What a check prints of the code with its gaps filled."""
        return sentence(self.verdict(self.filled(way)))

    def filled(self, way):
        """The function that the code defines with its gaps filled, each with some lines."""
        code = self.code
        for lines in way:
            before, after = code.split(GAP, 1)
            indent = before[len(before.rstrip(" ")):] if before.endswith((" ", "\n")) else ""
            code = before + lines.replace("\n", f"\n{indent}") + after
        scope = {"np": np, **vars(attnkit)}
        try:
            exec(code, scope)      # noqa: S102 (the book's own choices)
        except SyntaxError as error:
            raise ValueError(f"{self.name}: the lines {way} do not fit into the code: {error}") from None
        return scope[code.split("def ", 1)[1].split("(")[0]]

    def verdict(self, answer):
        """RIGHT, UNANSWERED or what is off."""
        if answer is ...:
            return UNANSWERED
        if not callable(answer):
            return f"a function is asked for, this is {kind_of(answer)}."
        with np.errstate(all="ignore"):          # a nan has a sentence of its own
            return self.graded(answer)

    def graded(self, answer):
        """The same for a function."""
        results = []
        for case in self.cases:
            inputs = deepcopy(case)      # a number stays a number, and a list a list
            try:
                results.append(answer(*inputs))
            except Exception as error:   # whatever a learner's code does, the check answers with a sentence
                return f"your function stops with {type(error).__name__}: {error} (for {listed(case)})."
            if any(not np.array_equal(a, b) for a, b in zip(inputs, case)):
                return "your function changes the arrays it is given; make a new array instead."
        if all(result is ... for result in results):
            return UNANSWERED
        if all(result is None for result in results):
            return "your function gives nothing back: is a return missing?"
        wrong = [k for k, case in enumerate(self.cases) if compare(results[k], self.right(*case))]
        if not wrong:
            return RIGHT
        for mistake, words in self.mistakes:
            if all(alike(r, mistake(*case)) for r, case in zip(results, self.cases)):
                return words
        k = wrong[0]
        return f"{compare(results[k], self.right(*self.cases[k]))[:-1]} (for {listed(self.cases[k])})."


class Judged(Asked):
    """An exercise with many right answers: a function says what is off, or None.

    The page has a judge of its own, in ``figures/practice.js``; or else some answers, `offered`, to choose from.
    """

    def __init__(self, judge, shape, *, labels=(), offered=()):
        self.judge = judge
        self.shape = shape
        self.labels = labels
        self.offered = offered       # arrays

    @cached_property
    def form(self):
        """Fields, and the name of the page's judge; or a choice."""
        if not len(self.offered):
            return {**fields(self.shape, self.labels), "truths": False, "judge": self.name}
        words = [f"`{table(answer)}`" for answer in self.offered]
        said = [sentence(self.verdict(answer)) for answer in self.offered]
        return {"kind": "choice", "choices": [words], "said": said}

    def verdict(self, answer):
        """RIGHT, UNANSWERED or what is off."""
        if is_open(answer):
            return UNANSWERED
        off = compare(answer, np.zeros(self.shape), only_form=True)
        if off:
            return off
        return self.judge(as_array(answer).astype(float)) or RIGHT


class Choice(Asked):
    """A question with some answers to choose from, of which one is right; an answer is its letter."""

    LETTERS = "abcdef"

    def __init__(self, right, *wrong):
        self.right = right           # the words of the right answer
        self.wrong = wrong           # pairs (words of a wrong answer, what is off)

    @property
    def words(self):
        """What there is to choose from, in an order that gives nothing away."""
        words = [self.right, *(words for words, _ in self.wrong)]
        return sorted(words, key=lambda one: hashlib.sha256(f"{self.name} {one}".encode()).digest())

    @property
    def letter(self):
        """The right one."""
        return self.LETTERS[self.words.index(self.right)]

    @cached_property
    def form(self):
        """The choices, and what is said of each."""
        said = [sentence(self.verdict(letter)) for letter, _ in zip(self.LETTERS, self.words)]
        return {"kind": "choice", "choices": [self.words], "said": said}

    def verdict(self, answer):
        """RIGHT, UNANSWERED or what is off."""
        if answer is ...:
            return UNANSWERED
        letters = self.LETTERS[:len(self.words)]
        if not isinstance(answer, str) or len(answer.strip()) != 1 or answer.strip().lower() not in letters:
            return f"a letter is asked for, one of {', '.join(letters)}; this is {kind_of(answer)}."
        chosen = self.words[letters.index(answer.strip().lower())]
        return RIGHT if chosen == self.right else dict(self.wrong)[chosen]


class Guess(Asked):
    """What a reader may expect before a figure is touched: one of some choices, or a number from `low` to `high`.

    `right` is the place of the right choice, counted from 0, or the number; a guess may be `within` of it.
    """

    def __init__(self, choices=(), *, right, low=0, high=1, step=0.01, digits=2, unit="", within=0.05):
        self.choices, self.right, self.within = list(choices), right, within
        self.low, self.high, self.step, self.digits, self.unit = low, high, step, digits, unit

    @cached_property
    def form(self):
        """What there is to choose from."""
        form = {"kind": "guess", "choices": [self.choices] if self.choices else [], "right": [self.right]}
        scale = {name: getattr(self, name) for name in ("low", "high", "step", "digits", "unit", "within")}
        return form if self.choices else form | scale


def sentence(verdict):
    """A verdict as a check prints it."""
    return verdict if verdict in (RIGHT, UNANSWERED) else f"Not yet: {verdict}"


def compare(answer, right, mistakes=(), only_form=False, within=1e-6, names=None):
    """What is off with an answer, as a sentence; None if nothing is. A number is called by its name, or its index."""
    try:
        numbers = as_array(answer)
    except Exception:      # rows of different lengths, a tensor of a kind numpy does not know, a class, ...
        return f"this is no array of numbers, but {kind_of(answer)}."
    right = np.asarray(right)
    truths = right.dtype.kind == "b"
    if truths:        # a mask, which may be given as ones and zeros, too
        right, numbers = right.astype(int), numbers.astype(int) if numbers.dtype.kind == "b" else numbers
    if numbers.dtype.kind not in "fiu":
        return f"numbers are asked for, this is {kind_of(answer)}."
    if numbers.shape != right.shape:
        turned = numbers.ndim == 2 and numbers.T.shape == right.shape
        return (f"the shape is {numbers.shape}, it should be {right.shape}"
                + (": this is the transpose." if turned else "."))
    if not np.isfinite(numbers).all():
        return "there is an infinity or a nan in it."
    if only_form:
        return None
    close = np.isclose(numbers, right, rtol=0, atol=within)
    if close.all():
        return None
    for mistake, words in mistakes:
        if np.shape(mistake) == numbers.shape and np.allclose(numbers, mistake, rtol=0, atol=within):
            return words
    if np.allclose(numbers, -right, rtol=0, atol=within):
        return "the size is right, the sign is not."
    where = tuple(int(k) for k in np.argwhere(~close)[0])
    too = f"too {'large' if numbers[where] > right[where] else 'small'}."
    if names is None:
        share = f"{int((~close).sum())} of {close.size} numbers are off, the first at index {list(where)}"
        return f"{share}, which is {too}" if close.shape else f"this is {too}"
    return off_by(*(np.reshape(part, -1).astype(float) for part in (numbers, right)), within, names, truths)


def alike(result, wrong):
    """Whether a result is that of a foreseen mistake, be it a nan."""
    if compare(result, wrong) is None:
        return True
    try:
        return bool(np.isnan(as_array(result)).any()) and np.allclose(as_array(result), wrong, equal_nan=True)
    except (TypeError, ValueError):
        return False


def off_by(numbers, right, within, names, truths):
    """What is off with numbers that have names: a sign, the order, a few digits, or which is too large or small."""
    off = np.flatnonzero(np.abs(numbers - right) > within)
    first, several = names[off[0]], len(names) > 1
    if truths:
        return f"{len(off)} of {len(names)} are not right, the first is {first}."
    if (np.abs(np.abs(numbers) - np.abs(right)) <= within).all():
        return f"the sign of {first} is not right."
    if several and (np.abs(np.sort(numbers) - np.sort(right)) <= within).all():
        return "these are the right numbers, in another order."
    if (np.abs(numbers - right) <= 0.04 * np.abs(right))[off].all() and (right[off] % 1 != 0).all():
        return "this is nearly right: give more digits."
    told = first if several else plain(numbers[0], 4) if abs(numbers[0]) < 1e15 else "this"
    share = f"{len(off)} of {len(names)} numbers are off: " if len(off) > 1 else ""
    return f"{share}{told} is too {'large' if numbers[off[0]] > right[off[0]] else 'small'}."


def is_open(answer):
    """Whether dots are left in an answer, at any depth."""
    return answer is ... or (isinstance(answer, tuple | list) and any(map(is_open, answer)))


def as_array(answer):
    """An answer as a numpy array."""
    return np.asarray(answer.detach().cpu() if hasattr(answer, "detach") else answer)


def kind_of(answer):
    """What kind of thing an answer is, in words."""
    return "nothing (None)" if answer is None else f"a {type(answer).__name__}"


def listed(case):
    """The inputs of a case, in words."""
    return ", ".join(str(np.asarray(x).tolist()) for x in case)


def fields(shape, labels):
    """The part of a form that says which fields there are, what each is called, and whether that is shown."""
    places = [f"row {i + 1}, column {j + 1}" for i, j in np.ndindex(*shape)] if len(shape) == 2 else [
        f"number {k + 1}" for k in range(int(np.prod(shape)))]
    return {"kind": "numbers", "columns": shape[1] if len(shape) == 2 else 0, "names": list(labels) or places,
            "labelled": bool(labels)}


def table(numbers):
    """An array as people write it, its columns under each other."""
    texts = [[plain(v) for v in row] for row in np.atleast_2d(numbers)]
    wide = max(len(text) for row in texts for text in row)
    return "\n".join("  ".join(text.rjust(wide) for text in row) for row in texts)


def digits(numbers):
    """Numbers one after another, to nine decimals: what a page says must not hang on the last bits of a processor."""
    return (np.round(np.asarray(numbers, dtype=float).reshape(-1), 9) + 0.0).tolist()
