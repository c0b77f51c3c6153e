"""Score functions as landscapes: what a key would score, wherever it stood in the plane."""

import numpy as np
import traitlets

from attnkit import scores, softmax
from bookkit.figures.base import Figure, NumberArray, OneOf, few, number_array, still_plane, still_table
from bookkit.pictures.formats import fixed


class ScoreField(Figure):
    """Move a query in the plane and choose a score function; the field shows what a key at each place would score.

    Its lines of equal score stand at the even numbers up to ±40, under every score function: where two fields look
    alike, the numbers on their lines differ.

    `keys` (m, 2), at most 6, and `query` (2,) lie in [-3, 3]; `words` names the keys. `weight` (2, 2) is that of the
    general score, `w_query` and `w_key` (2, hidden), at most 16 hidden numbers, `bias` and `v` (hidden,) are those of
    the additive score, all within ±20. `score` is "dot", "scaled dot", "distance", "cosine", "general" or "additive".

    >>> eye = [[1, 0], [0, 1]]
    >>> figure = ScoreField([[2, 0], [1, 1]], [1, 2], eye, eye, eye, [0, 0], [1, 1], ["a", "b"])
    >>> figure.scores.tolist(), figure.weights.round(2).tolist()
    ([2.0, 3.0], [0.27, 0.73])
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
    score = OneOf(*SCORES).tag(sync=True, reset=True)

    def __init__(self, keys, query, weight, w_query, w_key, bias, v, words, score="dot", caption=""):
        few(words, "words", 1, self.MOST)
        keys = number_array(keys, "keys", -self.LIMIT, self.LIMIT, (len(words), 2))
        w_query = number_array(w_query, "w_query", -20, 20, (2, None))
        hidden = len(w_query[0])
        if hidden > self.HIDDEN:
            raise ValueError(f"w_query must have at most {self.HIDDEN} columns, got {hidden}")
        super().__init__(key_rows=keys, query=query, weight=weight, w_query=w_query,
                         w_key=number_array(w_key, "w_key", -20, 20, (2, hidden)),
                         bias=number_array(bias, "bias", -20, 20, (hidden,)),
                         v=number_array(v, "v", -20, 20, (hidden,)), words=list(words), score=score, caption=caption)

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
