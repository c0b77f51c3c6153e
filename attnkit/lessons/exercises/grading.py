"""Is an answer right and, if not, what is off? Said in a sentence, whatever the answer is; nothing here raises."""

import numpy as np

from attnkit.pictures.formats import plain

UNANSWERED = "Not answered yet: put your answer in place of the dots, then run this cell again."
RIGHT = "Right."


class Value:
    """An exercise whose answer is one number or array."""

    def __init__(self, right, mistakes=(), within=1e-6):
        self.right = right
        self.mistakes = mistakes     # pairs (wrong answer, what is off)
        self.within = within         # how far off a right answer may be

    def verdict(self, answer):
        """RIGHT, UNANSWERED or what is off."""
        if is_open(answer):
            return UNANSWERED
        return compare(answer, self.right, self.mistakes, within=self.within) or RIGHT


class Function:
    """An exercise whose answer is a function, compared with ours on a few inputs."""

    def __init__(self, right, cases, mistakes=()):
        self.right = right
        self.cases = cases
        self.mistakes = mistakes     # pairs (wrong function, what is off)

    def verdict(self, answer):
        """RIGHT, UNANSWERED or what is off."""
        if answer is ...:
            return UNANSWERED
        if not callable(answer):
            return f"a function is asked for, this is {kind_of(answer)}."
        results = []
        for case in self.cases:
            inputs = [np.array(x) for x in case]
            try:
                results.append(answer(*inputs))
            except Exception as error:   # whatever a learner's code does, the check answers with a sentence
                return f"your function stops with {type(error).__name__}: {error} (for {listed(case)})."
            if any(not np.array_equal(a, b) for a, b in zip(inputs, case)):
                return "your function changes the arrays it is given; make a new array instead."
        if all(result is ... or result is None for result in results):
            return UNANSWERED
        wrong = [k for k, case in enumerate(self.cases) if compare(results[k], self.right(*case))]
        if not wrong:
            return RIGHT
        for mistake, words in self.mistakes:
            if all(compare(r, mistake(*case)) is None for r, case in zip(results, self.cases)):
                return words
        k = wrong[0]
        return f"{compare(results[k], self.right(*self.cases[k]))[:-1]} (for {listed(self.cases[k])})."


class Judged:
    """An exercise with many right answers: a function says what is off, or None."""

    def __init__(self, judge, shape):
        self.judge = judge
        self.shape = shape

    def verdict(self, answer):
        """RIGHT, UNANSWERED or what is off."""
        if is_open(answer):
            return UNANSWERED
        off = compare(answer, np.zeros(self.shape), only_form=True)
        if off:
            return off
        return self.judge(as_array(answer).astype(float)) or RIGHT


def compare(answer, right, mistakes=(), only_form=False, within=1e-6):
    """What is off with an answer, as a sentence; None if nothing is."""
    try:
        numbers = as_array(answer)
    except Exception:      # rows of different lengths, a tensor of a kind numpy does not know, a class, ...
        return f"this is no array of numbers, but {kind_of(answer)}."
    right = np.asarray(right)
    if right.dtype.kind == "b":        # a mask, which may be given as ones and zeros, too
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
    if numbers.ndim == 0:
        return f"{plain(numbers, 4)} is too {'large' if numbers > right else 'small'}."
    where = tuple(int(k) for k in np.argwhere(~close)[0])
    share = f"{int((~close).sum())} of {close.size} numbers are off, the first at index {list(where)}"
    return f"{share}, which is too {'large' if numbers[where] > right[where] else 'small'}."


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
