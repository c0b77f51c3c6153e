"""Score functions as landscapes: what a key would score, wherever it stood in the plane."""

import numpy as np
import traitlets

from attnkit import scores, softmax
from bookkit.figures.base import Figure, NumberArray, number_array, still_plane, still_table
from bookkit.pictures.formats import fixed


class ScoreField(Figure):
    """Move a query in the plane and choose a score function; the field shows what a key at each place would score.

    Its lines of equal score stand at the even numbers up to ±40, under every score function: where two fields look
    alike, the numbers on their lines differ.

    Parameters
    ----------
    keys : array, shape (m, 2), in [-3, 3]
        At most 6.
    query : array, shape (2,), in [-3, 3]
    weight : array, shape (2, 2)
        Of the general score, within ±20 like the rest.
    w_query, w_key : arrays, shape (2, hidden)
        Of the additive score; at most 16 hidden numbers.
    bias, v : arrays, shape (hidden,)
        Of the additive score.
    words : list of m str
        The keys' names.
    score : str
        The score shown first: "dot", "scaled dot", "distance", "cosine", "general" or "additive".
    caption : str

    Raises
    ------
    TypeError, ValueError
        Numbers of another shape or size, names that do not match, a score that does not exist; also when set later.

    Examples
    --------
    >>> eye = [[1, 0], [0, 1]]
    >>> figure = ScoreField([[2, 0], [1, 1]], [1, 2], eye, eye, eye, [0, 0], [1, 1], ["a", "b"])
    >>> figure.scores.tolist(), figure.weights.round(2).tolist()
    ([2.0, 3.0], [0.27, 0.73])
    >>> figure.score = "cosine"
    >>> figure.scores.round(2).tolist()
    [0.45, 0.95]
    """

    kind = "score_field"
    LIMIT = 3.0
    SCORES = ("dot", "scaled dot", "distance", "cosine", "general", "additive")
    MOST, HIDDEN = 6, 16
    limit = traitlets.Float(LIMIT, read_only=True).tag(sync=True)
    key_rows = traitlets.List().tag(sync=True)
    weight = NumberArray(-20, 20, (2, 2)).tag(sync=True)
    w_query = traitlets.List().tag(sync=True)
    w_key = traitlets.List().tag(sync=True)
    bias = traitlets.List().tag(sync=True)
    v = traitlets.List().tag(sync=True)
    words = traitlets.List(traitlets.Unicode()).tag(sync=True)
    query = NumberArray(-LIMIT, LIMIT, (2,)).tag(sync=True, reset=True)
    score = traitlets.Any("dot").tag(sync=True, reset=True)

    def __init__(self, keys, query, weight, w_query, w_key, bias, v, words, score="dot", caption=""):
        if len(words) > self.MOST:
            raise ValueError(f"words must be at most {self.MOST}, got {len(words)}")
        keys = number_array(keys, "keys", -self.LIMIT, self.LIMIT, (len(words), 2))
        w_query = number_array(w_query, "w_query", -20, 20, (2, None))
        hidden = len(w_query[0])
        if hidden > self.HIDDEN:
            raise ValueError(f"w_query must have at most {self.HIDDEN} columns, got {hidden}")
        super().__init__(key_rows=keys, query=query, weight=weight, w_query=w_query,
                         w_key=number_array(w_key, "w_key", -20, 20, (2, hidden)),
                         bias=number_array(bias, "bias", -20, 20, (hidden,)),
                         v=number_array(v, "v", -20, 20, (hidden,)), words=list(words), score=score, caption=caption)

    @traitlets.validate("score")
    def _check_score(self, proposal):
        score = proposal["value"]
        if not isinstance(score, str) or score not in self.SCORES:
            raise ValueError(f"score must be one of {', '.join(self.SCORES)}, got {score!r}")
        return score

    @property
    def scores(self):
        """What each key scores, under the score chosen: shape (m,)."""
        return self._under(self.score)

    @property
    def weights(self):
        """Their softmax: shape (m,)."""
        return softmax(self.scores)

    def _under(self, score):
        parameters = {"general": ["weight"], "additive": ["w_query", "w_key", "v", "bias"]}.get(score, [])
        function = getattr(scores, score.replace(" ", "_"))
        return function(np.array([self.query]), np.array(self.key_rows),
                        *(np.array(getattr(self, name)) for name in parameters))[0]

    def still(self):
        """Query and keys in the plane, and a table of the scores and weights under each score function."""
        marks = [(word, key, "key", w) for word, key, w in zip(self.words, self.key_rows, self.weights)]
        picture = still_plane([*marks, ("query", self.query, "query", None)], self.limit, ("first", "second"))
        rows = [[name, *(f"{fixed(s)} (weight {fixed(w)})" for s, w in zip(values, softmax(values)))]
                for name, values in ((name, self._under(name)) for name in self.SCORES)]
        return picture + still_table(["score", *self.words], rows)
