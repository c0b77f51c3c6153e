"""Where each word looks: two rows of words and the weights between them."""

from html import escape

import numpy as np
import traitlets

from attnkit import softmax
from bookkit.figures.base import Between, Figure, Index, number_array, still_cell
from bookkit.pictures.formats import fixed


class Alignment(Figure):
    """Choose a word and see which words it looks at.

    Row i of `weights` (n, m), nonnegative, holds the weights of query word i over the key words, and is divided by its
    sum; `queries` and `keys` are these words, and their languages ("fr", "en") are for a screen reader. `selected` is
    the query word chosen first. Where it `tempers`, there is a slider for the temperature, from 0.1 to 10, which
    sharpens or levels the weights.

    >>> figure = Alignment([[0.8, 0.2]], ["je"], ["I", "you"])
    >>> figure.temperature = 0.5
    >>> figure.tempered.round(2).tolist()
    [[0.94, 0.06]]
    """

    kind = "alignment"
    weights = traitlets.List().tag(sync=True)
    query_words = traitlets.List(traitlets.Unicode()).tag(sync=True)
    key_words = traitlets.List(traitlets.Unicode()).tag(sync=True)
    query_lang = traitlets.Unicode("en").tag(sync=True)
    key_lang = traitlets.Unicode("en").tag(sync=True)
    selected = Index("query_words", "query words").tag(sync=True, reset=True)
    tempers = traitlets.Bool(False).tag(sync=True)
    temperature = Between(0.1, 10, 1).tag(sync=True, reset=True)

    def __init__(self, weights, queries, keys, query_lang="en", key_lang="en", selected=0, tempers=False,
                 caption=""):
        weights = np.array(number_array(weights, "weights", 0, np.inf, (len(queries), len(keys))))
        if (weights.sum(axis=1) == 0).any():
            raise ValueError("each row of weights needs a weight above zero")
        weights /= weights.sum(axis=1, keepdims=True)
        super().__init__(weights=weights.tolist(), query_words=list(queries), key_words=list(keys),
                         query_lang=query_lang, key_lang=key_lang, selected=selected, tempers=tempers,
                         caption=caption)

    @property
    def tempered(self):
        """The weights at the present temperature: softmax(log w / T), shape (n, m)."""
        with np.errstate(divide="ignore"):     # log 0 = -inf: a weight of zero stays zero
            return softmax(np.log(np.array(self.weights)), temperature=self.temperature)

    def still(self):
        """The table of weights."""
        head = "".join(f'<th scope="col" lang="{self.key_lang}">{escape(k)}</th>' for k in self.key_words)
        rows = "".join(f'<tr><th scope="row" lang="{self.query_lang}">{escape(q)}</th>'
                       + "".join(still_cell(w, fixed(w), 1, kind="weight") for w in row) + "</tr>"
                       for q, row in zip(self.query_words, self.tempered))
        return (f'<table><thead><tr><td></td>{head}</tr></thead>'
                f"<tbody>{rows}</tbody></table>")
