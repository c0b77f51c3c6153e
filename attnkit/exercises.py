"""The chapters' exercises: tell a learner whether an answer is right and, if not, what is off.

A chapter's cell ends with ``check("chapter/exercise", answer)``.  Nothing here
raises: an exercise that is not done yet, a wrong kind of answer and a function
that fails each get a sentence.
"""

import numpy as np

from attnkit import draw, softmax
from attnkit.numbers import plain

UNANSWERED = "Not answered yet: put your answer in place of the dots, then run this cell again."
RIGHT = "Right."


def check(name, answer):
    """Print whether an answer is right and, if not, what is off.

    Parameters
    ----------
    name : str
        The exercise, as ``"chapter/exercise"``.
    answer : anything
        A number, an array, a function: what the exercise asks for; ``...`` if not done yet.

    Raises
    ------
    ValueError
        There is no exercise of that name.

    Examples
    --------
    >>> check("notation/count", ...)
    Not answered yet: put your answer in place of the dots, then run this cell again.
    >>> check("notation/count", (6, 4, 24))
    Not yet: rows are items, so the number of items comes first.
    >>> check("notation/count", (4, 6, 24))
    Right.
    """
    if name not in EXERCISES:
        raise ValueError(f"no exercise is called {name!r}; there are {', '.join(EXERCISES)}")
    verdict = EXERCISES[name].verdict(answer)
    print(verdict if verdict in (RIGHT, UNANSWERED) else f"Not yet: {verdict}")


class Value:
    """An exercise whose answer is one number or array."""

    def __init__(self, right, mistakes=(), within=1e-6):
        self.right = right
        self.mistakes = mistakes     # pairs (wrong answer, what is off)
        self.within = within         # how far off a right answer may be

    def verdict(self, answer):
        """RIGHT, UNANSWERED or what is off."""
        if _open(answer):
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
            return f"a function is asked for, this is {_kind(answer)}."
        results = []
        for case in self.cases:
            given = [np.array(x) for x in case]
            try:
                results.append(answer(*given))
            except Exception as error:   # whatever a learner's code does, the check answers with a sentence
                return f"your function stops with {type(error).__name__}: {error} (for {_inputs(case)})."
            if any(not np.array_equal(a, b) for a, b in zip(given, case)):
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
        return f"{compare(results[k], self.right(*self.cases[k]))[:-1]} (for {_inputs(self.cases[k])})."


class Judged:
    """An exercise with many right answers: a function says what is off, or None."""

    def __init__(self, judge, shape):
        self.judge = judge
        self.shape = shape

    def verdict(self, answer):
        """RIGHT, UNANSWERED or what is off."""
        if _open(answer):
            return UNANSWERED
        off = compare(answer, np.zeros(self.shape), only_form=True)
        if off:
            return off
        return self.judge(_array(answer).astype(float)) or RIGHT


def compare(answer, right, mistakes=(), only_form=False, within=1e-6):
    """What is off with an answer, as a sentence; None if nothing is."""
    try:
        given = _array(answer)
    except Exception:      # rows of different lengths, a tensor of a kind numpy does not know, a class, ...
        return f"this is no array of numbers, but {_kind(answer)}."
    right = np.asarray(right)
    if given.dtype.kind not in "fiu":
        return f"numbers are asked for, this is {_kind(answer)}."
    if given.shape != right.shape:
        turned = given.ndim == 2 and given.T.shape == right.shape
        return (f"the shape is {given.shape}, it should be {right.shape}"
                + (": this is the transpose." if turned else "."))
    if not np.isfinite(given).all():
        return "there is an infinity or a nan in it."
    if only_form:
        return None
    close = np.isclose(given, right, rtol=0, atol=within)
    if close.all():
        return None
    for mistake, words in mistakes:
        if np.shape(mistake) == given.shape and np.allclose(given, mistake, rtol=0, atol=within):
            return words
    if np.allclose(given, -right, rtol=0, atol=within):
        return "the size is right, the sign is not."
    if given.ndim == 0:
        return f"{plain(given, 4)} is too {'large' if given > right else 'small'}."
    where = tuple(int(k) for k in np.argwhere(~close)[0])
    share = f"{int((~close).sum())} of {close.size} numbers are off, the first at index {list(where)}"
    return f"{share}, which is too {'large' if given[where] > right[where] else 'small'}."


def _open(answer):
    """Whether dots are left in an answer, at any depth."""
    return answer is ... or (isinstance(answer, tuple | list) and any(map(_open, answer)))


def _array(answer):
    return np.asarray(answer.detach().cpu() if hasattr(answer, "detach") else answer)


def _kind(answer):
    return "nothing (None)" if answer is None else f"a {type(answer).__name__}"


def _inputs(case):
    return ", ".join(str(np.asarray(x).tolist()) for x in case)


EXERCISES = {}


# ---- weights

_REVIEW = np.array([[-0.9, -0.6], [0.0, -0.4], [-0.2, 0.0], [0.9, 0.5], [0.2, 0.9]])


def _outside(weights):
    if abs(weights.sum() - 1) > 1e-6:
        return f"the weights must sum to one, these sum to {plain(weights.sum())}."
    praise = weights @ _REVIEW[:, 0]
    return None if praise > 1 else f"the praise of the average is {plain(praise)}, not above 1."


EXERCISES |= {
    "weights/half": Value([0.0, -0.05], [([0.0, -0.1], "these are sums; half of the attention halves each number.")]),
    "weights/budget": Function(
        lambda points, X: points / points.sum() @ X,
        [(np.array([3.0, 0.0, 1.0]), _REVIEW[:3]), (np.array([2.0, 2.0, 0.5, 1.0, 4.0]), _REVIEW)],
        [(lambda points, X: points @ X, "the points do not sum to one; divide by their sum."),
         (lambda points, X: points @ X / len(points), "divide by the sum of the points, not by their count."),
         (lambda points, X: np.exp(points) / np.exp(points).sum() @ X,
          "this is a softmax; the points are shares already, so only divide by their sum.")]),
    "weights/chatter": Value(149, [(148, "close: 148 words get a little less than e⁵ = 148.4 does."),
                                   (5, "shares count, not scores: the relevant word has the share e⁵.")]),
    "weights/outside": Judged(_outside, (5,)),
}


# ---- notation

def _same_picture(y):
    x = np.array([2.0, -1.0, 0.5])
    if np.allclose(y, x):
        return "these are the numbers of x itself; other numbers are asked for."
    if (np.sign(y) != np.sign(x)).any():
        return "a sign differs, so a hue and a mark do too."
    depths = [[draw.opacity(v, max(1.0, np.abs(z).max())) for v in z] for z in (x, y)]
    if depths[0] != depths[1]:
        return "the depths differ: every number must keep its share of the largest one (and that one stay above 1)."
    return None


EXERCISES |= {
    "notation/count": Value((4, 6, 24), [((6, 4, 24), "rows are items, so the number of items comes first.")]),
    "notation/average": Function(
        lambda X: X.mean(axis=0), [(np.array([[1.0, 2.0, 6.0], [3.0, 0.0, 2.0]]),), (np.array([[0.5, -1.0]]),)],
        [(lambda X: X.mean(axis=1), "this averages the numbers within each item; average over the items instead."),
         (lambda X: X.mean(), "this is one number for the whole matrix; keep one for each feature."),
         (lambda X: X.sum(axis=0), "this is the sum of the items; divide by their count.")]),
    "notation/convert": Function(
        lambda X, W: X @ W.T,
        [(np.array([[1.0, 2.0], [0.0, 1.0], [3.0, -1.0]]), np.array([[1.0, 0.5], [2.0, -1.0]])),
         (np.array([[1.0, 2.0, 0.0]]), np.array([[1.0, 0.0, 2.0], [0.0, 1.0, 1.0]]))],
        [(lambda X, W: W @ X.T, "the numbers are right, but items stand in columns; transpose the result.")]),
    "notation/same_picture": Judged(_same_picture, (3,)),
}


# ---- dot_product

_FILMS = np.array([[0.9, -0.6, -0.2], [-0.8, 0.9, 0.1], [0.1, 0.4, 0.9], [-0.9, -0.8, -0.3]])
_VIEWERS = np.array([[0.8, -0.5, 0.3], [-0.2, 0.9, 0.4]])


def _cosines(a, b, power=0.5):
    return a @ b.T / np.outer((a**2).sum(axis=1), (b**2).sum(axis=1)) ** power


def _shared_dislike(film):
    viewer = _VIEWERS[0]
    if (np.abs(film) > 1).any():
        return "the numbers must lie between −1 and 1."
    if film[1] >= 0:
        return "Mia's dislike is romance; the film must have little of it, too (a negative number in second place)."
    score = viewer @ film
    if score >= 0:
        return f"the shared dislike is there, but the total is {plain(score)}, not below zero."
    return None


EXERCISES |= {
    "dot_product/by_hand": Value(0.15, [(0.55, "a sign is lost: −0.5 × 0.4 is negative."),
                                        (1.9, "these are sums of tastes and features; multiply them pair by pair.")]),
    "dot_product/rank": Function(
        lambda user, films: np.argsort(-(films @ user), kind="stable"), [(v, _FILMS) for v in _VIEWERS],
        [(lambda user, films: np.argsort(films @ user, kind="stable"), "this is the ranking from worst to best."),
         (lambda user, films: -np.sort(-(films @ user)), "these are sorted scores; the films' numbers are asked for."),
         (lambda user, films: films @ user, "these are the scores; the films' numbers, best first, are asked for.")]),
    "dot_product/shared_dislike": Judged(_shared_dislike, (3,)),
    "dot_product/cosines": Function(
        _cosines, [(_VIEWERS, _FILMS), (_FILMS[:1], _VIEWERS)],
        [(lambda a, b: a @ b.T, "these are the dot products; divide by both lengths."),
         (lambda a, b: a @ b.T / np.sqrt((a**2).sum(axis=1))[:, None], "only the viewers' lengths are taken out."),
         (lambda a, b: a @ b.T / np.sqrt((b**2).sum(axis=1)), "only the films' lengths are taken out."),
         (lambda a, b: _cosines(a, b, 1), "lengths are square roots: this divides by their squares.")]),
}


# ---- softmax

def _lost(scores):
    with np.errstate(over="ignore", invalid="ignore"):
        shares = np.exp(scores)
        weights = shares / shares.sum()
    if not np.isfinite(weights).all():
        return "this overflows: the result is nan."
    return None if weights[1] == 0 else f"the second weight is {weights[1]:.3g}, which is small but not 0."


EXERCISES |= {
    "softmax/by_hand": Value([0.25, 0.75], [
        ([0.75, 0.25], "the second score is the higher one."),
        ([0.0, 1.0], "these are shares of the scores; raise e to each score first.")]),
    "softmax/rows": Function(
        softmax, [(np.array([[1.0, 2.0, 4.0], [0.0, 0.0, -1.0]]),),
                  (np.array([[1000.0, 999.0], [5.0, -1000.0]]),)],
        [(lambda S: softmax(S, axis=0), "each column sums to one; each row should."),
         (lambda S: np.exp(S - S.max(axis=1, keepdims=True)),
          "these are the shares; divide each row by its sum.")]),
    "softmax/scale": Value(1 / 32, [
        (1 / 8, "the variance of the entries counts, too: 4 for each factor."),
        (1 / 16, "a standard deviation of 2 is a variance of 4, and there are two factors."),
        (1 / 1024, "that divides by the variance; divide by the standard deviation."),
        (32.0, "that is the standard deviation; multiply by one over it.")]),
    "softmax/break": Judged(_lost, (2,)),
}


# ---- basic_attention

_WORDS = np.array([[-0.3, 0.8, -0.5], [-0.8, -0.7, 1.0], [0.9, -0.4, -0.2], [0.1, 0.9, -0.6]])


def _attend(X):
    return softmax(X @ X.T) @ X


def _rounds(distance):
    X, count = _WORDS, 0
    while np.linalg.norm(X[:, None] - X[None], axis=-1).max() > distance:
        X, count = _attend(X), count + 1
    return count


def _none_at_home(items):
    lengths = np.linalg.norm(items, axis=1)
    if len(np.unique(items, axis=0)) < len(items):
        return "two of the items are the same."
    if lengths.max() > 5:
        return "an item is longer than 5."
    scores = items @ items.T
    longest = lengths.argmax()
    for i in range(len(items)):
        others = np.delete(scores[i], i).max()
        if i != longest and scores[i, i] >= others:
            return f"item {i + 1} gives its largest weight to itself."
    return None


EXERCISES |= {
    "basic_attention/two": Value(
        np.round(softmax(np.array([1.0, 0.0])), 3), within=0.002,
        mistakes=[([1.0, 0.0], "these are the scores; softmax makes weights of them."),
                  ([0.269, 0.731], "the first item scores higher with itself.")]),
    "basic_attention/attend": Function(
        _attend, [(_WORDS,), (30 * _WORDS[1:],)],
        [(lambda X: softmax(X @ X.T), "these are the weights; multiply them with X."),
         (lambda X: softmax(X @ X.T, axis=0) @ X, "the softmax goes down the columns; each row should sum to one."),
         (lambda X: softmax(X @ X.T / np.sqrt(X.shape[1])) @ X,
          "this divides the scores by a square root; basic attention does not."),
         (lambda X: X @ X.T @ X, "the softmax is missing.")]),
    "basic_attention/repeat": Value(_rounds(0.01), [(_rounds(0.01) - 1, "not quite: one round more.")]),
    "basic_attention/break": Judged(_none_at_home, (3, 2)),
}


# ---- queries_keys_values

_W_QUERY = np.array([[0.0, 1.0], [2.0, 0.0], [2.5, 0.0]])
_W_KEY = np.array([[1.5, 0.0], [0.0, 1.5], [0.0, 0.0]])
_W_VALUE = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])


def _head(X, w_query, w_key, w_value):
    return softmax((X @ w_query) @ (X @ w_key).T / np.sqrt(w_query.shape[1])) @ (X @ w_value)


def _away(product):
    weights = softmax(product)
    for i in range(2):
        if weights[i, 1 - i] <= 0.9:
            return f"item {i + 1} gives the other {plain(weights[i, 1 - i], 3)}."
    return None


def _that_looks_at_run(change):
    row, column, new = change
    if row not in range(4) or column not in range(3):
        return "there are rows 0 to 3 and columns 0 to 2."
    if abs(new) > 1:
        return "the new number must lie between −1 and 1."
    X = _WORDS.copy()
    X[int(row), int(column)] = new
    weights = softmax((X @ _W_QUERY)[1] @ (X @ _W_KEY).T / np.sqrt(2))
    best = ["see", "that", "girl", "run"][int(weights.argmax())]
    return None if best == "run" else f"now “that” looks most at “{best}” ({plain(weights.max())})."


EXERCISES |= {
    "queries_keys_values/query": Value([-1.3, 0.9], [
        ([0.9, -1.3], "the two numbers have changed places: the first column of the matrix is about nouns."),
        ([1.35, -0.6], "this is the key of girl; multiply with the matrix of queries.")]),
    "queries_keys_values/head": Function(
        _head, [(_WORDS, _W_QUERY, _W_KEY, _W_VALUE), (_WORDS[:2], _W_KEY, _W_QUERY, np.ones((3, 1)))],
        [(lambda X, q, k, v: softmax((X @ q) @ (X @ k).T) @ (X @ v), "the scale is missing."),
         (lambda X, q, k, v: _head(X, k, q, v), "queries and keys have changed places."),
         (lambda X, q, k, v: softmax((X @ q) @ (X @ k).T / np.sqrt(X.shape[1])) @ (X @ v),
          "the scale has the width of the items in it; it needs the width of the queries.")]),
    "queries_keys_values/away": Judged(_away, (2, 2)),
    "queries_keys_values/break": Judged(_that_looks_at_run, (3,)),
}


# ---- soft_dictionary

def _soft_get(query, keys, values, sharpness):
    return softmax(float(sharpness) * keys @ query) @ values


def _steal(key):
    length = np.linalg.norm(key)
    if length == 0 or np.degrees(np.arccos(np.clip(key[0] / length, -1, 1))) < 60 - 1e-9:
        return "the second key must be at least 60 degrees away from (1, 0)."
    weight = softmax(np.array([1.0, key[0]]))[1]
    return None if weight > 0.9 else f"it gets {plain(weight, 3)} of the weight."


EXERCISES |= {
    "soft_dictionary/between": Value([5.0, 5.0], [
        ([5.0, 3.0], "a tie is a tie at any sharpness."), ([5.0, 7.0], "a tie is a tie at any sharpness.")]),
    "soft_dictionary/look_up": Function(
        _soft_get, [(np.array([0.6, 0.8]), np.eye(2), np.array([3.0, 7.0]), 2.0),
                    (np.array([1.0, 0.0]), np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]]),
                     np.array([4.0, 1.0, 9.0]), 1e4)],
        [(lambda q, k, v, b: softmax(b * k @ q), "these are the weights; blend the values with them."),
         (lambda q, k, v, b: v[(k @ q).argmax()], "this is a hard lookup: it returns the value of the best key alone."),
         (lambda q, k, v, b: _soft_get(q, k, v, 1.0), "the sharpness is not used."),
         (lambda q, k, v, b: _soft_get(q, k, v, 1 / b),
          "multiply the scores by the sharpness; dividing is for a temperature.")]),
    "soft_dictionary/sharp": Value(round(float(np.log(99)), 2), within=0.006, mistakes=[
        (round(float(np.log(100)), 2), "close: the other key's share is 1, so the odds are 99 to 1, not 100 to 1."),
        (99.0, "these are the odds; take their logarithm.")]),
    "soft_dictionary/steal": Judged(_steal, (2,)),
}


# ---- matrix_form

def _scaled(Q, K, V):
    return softmax(Q @ K.T / np.sqrt(Q.shape[1])) @ V


def _silent(X):
    if np.array_equal(X[0], X[1]):
        return "the two items must differ."
    W = softmax(X @ X.T)
    return None if np.allclose(W @ X.T, W @ X) else "the two results differ: the slip would be noticed."


EXERCISES |= {
    "matrix_form/shapes": Value([7, 5, 7, 6], [
        ([5, 7, 7, 6], "a row for each query, a column for each key."),
        ([7, 5, 7, 4], "an output is as wide as a value, not as a key."),
        ([7, 5, 5, 6], "there is one output for each query.")]),
    "matrix_form/attend": Function(
        _scaled, [(_WORDS[:2], _WORDS, np.eye(4)[:, :3]), (500 * _WORDS, _WORDS[:3], _REVIEW[:3])],
        [(lambda Q, K, V: softmax(Q @ K.T) @ V, "the scale is missing."),
         (lambda Q, K, V: softmax(Q @ K.T / np.sqrt(len(Q))) @ V,
          "the scale takes the width of a query, not the number of queries."),
         (lambda Q, K, V: softmax(Q @ K.T / np.sqrt(Q.shape[1]), axis=0) @ V,
          "the softmax goes down the columns; a query's budget is a row."),
         (lambda Q, K, V: Q @ K.T / np.sqrt(Q.shape[1]) @ V, "the softmax is missing.")]),
    "matrix_form/columns": Function(
        lambda Q, K, V: _scaled(Q.T, K.T, V.T).T,
        [(_WORDS[:2].T, _WORDS.T, np.eye(4)[:3]), (_WORDS.T, _WORDS[:3].T, _REVIEW[:3].T)],
        [(lambda Q, K, V: _scaled(Q.T, K.T, V.T),
          "the numbers are right, but items stand in rows; they should stand in columns."),
         (lambda Q, K, V: V @ softmax(K.T @ Q / np.sqrt(Q.shape[1]), axis=0),
          "the scale takes the width, which is the number of rows here."),
         (lambda Q, K, V: V @ softmax(K.T @ Q / np.sqrt(Q.shape[0]), axis=1),
          "the softmax goes along the rows; here a query's budget is a column.")]),
    "matrix_form/slip": Judged(_silent, (2, 2)),
}


# ---- translation

_ANNOTATIONS = np.array([[1.0, 0.1], [-0.2, 1.2], [0.7, -0.9]])


def _to_you(state):
    if np.abs(state).max() > 3:
        return "both numbers must lie between −3 and 3."
    weight = softmax(_ANNOTATIONS @ state)[2]
    return None if weight > 0.9 else f"“you” gets {plain(weight, 3)} of the weight."


def _aligned(weights, right):
    return (weights.argmax(axis=1) == np.asarray(right)).mean()


EXERCISES |= {
    "translation/step": Value([0.23, 0.69, 0.08], within=0.006, mistakes=[
        ([1.11, 3.32, 0.41], "these are the powers; divide each by their sum."),
        ([0.1, 1.2, -0.9], "these are the scores; the softmax is still to come.")]),
    "translation/state": Judged(_to_you, (2,)),
    "translation/aligned": Function(
        _aligned, [(np.array([[0.9, 0.1, 0.0], [0.2, 0.3, 0.5]]), [0, 1]),
                   (np.array([[0.94, 0.02, 0.04], [0.11, 0.01, 0.88], [0.03, 0.95, 0.02]]), [0, 2, 1])],
        [(lambda weights, right: (weights.argmax(axis=1) == np.asarray(right)).sum(),
          "this counts the rows; the share is the count over the number of rows."),
         (lambda weights, right: weights[np.arange(len(weights)), right].mean(),
          "this is the mean weight in the right places, not the share of rows that are right.")]),
    "translation/beam": Value([0.2, 0.36], mistakes=[
        ([0.2, 0.2], "the beam still has B after the first step."),
        ([0.36, 0.36], "greedy decoding takes A and never learns what B leads to.")]),
}


# ---- score_functions

def _additive(query, key, w_query, w_key, v):
    return np.tanh((query @ w_query)[:, None, :] + (key @ w_key)[None, :, :]) @ v


def _middle(parameters):
    if np.abs(parameters).max() > 10:
        return "every number must lie between −10 and 10."
    w_query, w_key, v = parameters
    weight = softmax(_additive(np.ones((1, 1)), np.array([[-1.0], [0.0], [1.0]]), w_query[None], w_key[None], v))[0, 1]
    return None if weight > 0.5 else f"the middle key gets {plain(weight, 3)} of the weight."


_PAIRS = (np.array([[2.0, 1.0], [-1.0, 0.5], [0.0, -2.0]]), np.array([[1.0], [-0.5]]),
          np.array([[0.4, -1.0], [1.0, 0.3]]), np.array([[0.8, -0.6]]), np.array([1.0, -2.0]))
_CONCAT = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0], [-1.0, -2.0, -3.0]])

EXERCISES |= {
    "score_functions/by_hand": Value([3.0, 0.6, -4.0], mistakes=[
        ([3.0, 3.0, -4.0], "the cosine is the dot product over both lengths; their product is 5."),
        ([3.0, 0.6, 4.0], "the query is turned to the left, to (−1, 2), and the key stays as it is.")]),
    "score_functions/additive": Function(
        _additive, [_PAIRS, (_WORDS, _WORDS[:2], _W_QUERY, _W_KEY, np.array([0.5, 1.0]))],
        [(lambda q, k, a, b, v: _additive(q, k, a, b, np.ones_like(v)), "v is not used; this adds the hidden numbers."),
         (lambda q, k, a, b, v: _additive(q, k, a, b, v).T, "this has a row for each key; each query should have one."),
         (lambda q, k, a, b, v: (q @ a @ v)[:, None] + k @ b @ v, "the tanh is missing.")]),
    "score_functions/middle": Judged(_middle, (3, 2)),
    "score_functions/concat": Function(
        lambda W, width: np.stack([W[:int(width)], W[int(width):]]), [(_CONCAT, 2), (_CONCAT[:2], 1)],
        [(lambda W, width: np.stack([W[int(width):], W[:int(width)]]), "the query comes first in the concatenation.")]),
}


# ---- multi_head

def _heads(X, h):
    return X.reshape(len(X), int(h), -1).transpose(1, 0, 2)


def _piece(heads, w_output, i):
    d = heads.shape[2]
    return heads[int(i)] @ w_output[int(i) * d:(int(i) + 1) * d]


def _both_names(weights):
    if weights.min() < 0 or not np.allclose(weights.sum(axis=1), 1):
        return "the weights of a head are not negative and sum to one."
    read = (weights @ np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 1.0]])).reshape(-1)        # Susan gave Mary
    if np.allclose(read, [1, 0, 0, 1]):
        return None
    return f"for “Susan gave Mary” this reads ({', '.join(plain(v) for v in read)}), not (1, 0, 0, 1)."


_NUMBERED = np.arange(12.0).reshape(3, 4)

EXERCISES |= {
    "multi_head/by_hand": Value([0.2, 0.4, 0.4], within=0.006, mistakes=[
        ([0.16, 0.42, 0.42], "divide the scores by the root of the width of a head, which is 2."),
        ([1.0, 2.03, 2.03], "these are the powers; divide each by their sum.")]),
    "multi_head/split": Function(
        _heads, [(_NUMBERED, 2), (_WORDS[:, :2], 2), (_NUMBERED, 1)],
        [(lambda X, h: X.reshape(int(h), len(X), -1), "the words are mixed; keep each row together, as (n, h, d)."),
         (lambda X, h: X.reshape(len(X), int(h), -1), "the cut is right; heads come first, so exchange two axes.")]),
    "multi_head/piece": Function(
        _piece, [(_heads(_WORDS[:3, :2], 2), _NUMBERED[:2], 1), (_heads(_NUMBERED, 2), _CONCAT, 0)],
        [(lambda heads, w, i: sum(_piece(heads, w, k) for k in range(len(heads))), "this is the sum of all heads.")]),
    "multi_head/read": Judged(_both_names, (2, 3)),
}


# ---- fully_connected

EXERCISES |= {
    "fully_connected/by_hand": Value([1, 6], [
        ([7, 0], "this adds both up; each head's piece is asked for."),
        ([2, 14], "the blocks are (2, −1) and (0, 3): the first two numbers meet item 1.")]),
    "fully_connected/blocks": Function(
        lambda W, n: W.T.reshape(n, -1, len(W)),
        [(np.arange(12.0).reshape(2, 6), 3), (np.arange(30.0).reshape(3, 10) ** 2, 2)],
        [(lambda W, n: W.reshape(n, -1, len(W)),
          "the shape is right, the numbers are not: transpose W before you reshape it."),
         (lambda W, n: W.T.reshape(-1, n, len(W)).swapaxes(0, 1),
          "the rows of one item lie next to each other; here they are dealt out in turn.")]),
    "fully_connected/one_head": Value([0.1, 0.1, 0.3, 0.5, 20], [
        ([2, 2, 6, 10, 1], "this gives the layer, but weights must sum to one."),
        ([0.1, 0.1, 0.3, 0.5, 1], "the weights are right; the factor must make up for their sum."),
        ([0.25, 0.25, 0.25, 0.25, 20], "equal weights give each item the same share; the layer does not.")]),
    "fully_connected/sharp": Value(np.log(19 * 999), [
        (np.log(999), "this is for one other item; there are nineteen."),
        (np.log(20 * 999), "close: nineteen others, not twenty.")], within=0.006),
}


# ---- convolution

_KERNEL = np.array([3.0, -1.0, -2.0, 1.0, -1.0])


def _two_heads(rows):
    weights, numbers = rows[:, :5], rows[:, 5]
    if (weights < 0).any():
        return "a weight is negative; only the number in W^O may be."
    if not np.allclose(weights.sum(axis=1), 1, rtol=0, atol=1e-6):
        sums = ", ".join(plain(s, 4) for s in weights.sum(axis=1))
        return f"the weights of a head must sum to one, these sum to {sums}."
    return compare(numbers @ weights, _KERNEL)


EXERCISES |= {
    "convolution/index": Value([38, 39, 48, 49, 58, 59], [
        ([39, 40, 49, 50, 59, 60], "49 ends its row: 40, 50 and 60 begin the next ones."),
        ([46, 47, 48, 49, 50, 51], "these are neighbours in one long line; a picture has rows.")]),
    "convolution/heads": Function(
        lambda n, k: np.stack([np.eye(n, k=a - k // 2) for a in range(k)]), [(5, 3), (6, 5)],
        [(lambda n, k: np.stack([np.eye(n, k=k // 2 - a) for a in range(k)]),
          "left and right are exchanged: the ones of the first head lie to the left of the diagonal."),
         (lambda n, k: np.stack([np.roll(np.eye(n), a - k // 2, axis=1) for a in range(k)]),
          "at the border your heads look at the other end; there they should see nothing.")]),
    "convolution/two_heads": Judged(_two_heads, (2, 6)),
    "convolution/query": Function(
        lambda p, offset, alpha: alpha * np.append(2 * (p + offset), -1),
        [(np.array([3.0, 5.0]), np.array([1.0, -1.0]), 2.0), (np.array([0.0, 7.0]), np.array([0.0, 2.0]), 0.5)],
        [(lambda p, offset, alpha: np.append(2 * (p + offset), -1), "α is missing."),
         (lambda p, offset, alpha: alpha * np.append(p + offset, -1),
          "these scores are largest at half of p + offset."),
         (lambda p, offset, alpha: np.append(2 * alpha * (p + offset), -1), "α belongs to the last number, too.")]),
}
