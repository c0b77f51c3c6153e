"""One query through attention, step by step."""

from html import escape

from attnkit import attention
from bookkit.figures.base import Between, number_array, still_table
from bookkit.figures.steps import Steps, block, names, step
from bookkit.pictures.formats import fixed


class AttentionSteps(Steps):
    """Choose the word that asks and follow it: query and keys, scores, weights, weighted values, their sum.

    `queries` and `keys` (n, d_k) and `values` (n, d_v) lie within ±20; `selected` is the word that asks first; `step`
    is 0 query and keys, 1 scores, 2 weights, 3 weighted values, 4 their sum; `scale`, from 0.1 to 10, is what the dot
    products are multiplied by, 1 / sqrt(d_k) if not given.

    >>> figure = AttentionSteps([[1, 0], [0, 1]], [[4, 0], [0, 4]], [[1.0], [2.0]], ["a", "b"], scale=1)
    >>> figure.weights.round(2).tolist(), figure.output.round(2).tolist()
    ([0.98, 0.02], [1.02])
    """

    kind = "attention_steps"
    needs = ("steps",)
    FORMULAS = [["q", ["row", "Q", "selected"]],
                ["scores", ["times", ["product", "q", ["turned", "K"]], "scale"]],
                ["weights", ["softmax", "scores"]],
                ["weighted", ["weighed", "V", "weights"]],
                ["output", ["product", "weights", "V"]],
                ["best", ["largest", "weights"]],
                ["most", ["row", "weighted", "best"]]]
    MOST = "“<word>” looks most at “<other best>”, weight <number weights best>. "
    STEPS = [step("query, keys", "The query of “<word>” is <row q 1>.",
                  "“<word>” asks with its query; every word holds out its key.", "q = Q[<fixed selected 0>]"),
             step("scores", "Scores: <each scores>.",
                  "Each key meets the query: multiply, add up, times <fixed scale>. One score a word.",
                  "scores = scale * K @ q"),
             step("weights", MOST + "Weights: <each weights>.",
                  "Softmax turns the scores into weights: none negative, sum 1.00.", "weights = softmax(scores)"),
             step("weigh values", MOST + "Its weighted value: <row most 1>.",
                  "Each value is multiplied by its weight.", "weighted = weights[:, None] * V"),
             step("add up", MOST + "Output: <row output>.",
                  "Added up, they are the output of “<word>”: a blend of the values.", "output = weighted.sum(axis=0)")]

    scale = Between(0.1, 10, 1).tag(sync=True, reset=True)

    def __init__(self, queries, keys, values, words, selected=0, step=0, scale=None, caption=""):
        queries = number_array(queries, "queries", -20, 20, (len(words), None))
        keys = number_array(keys, "keys", -20, 20, (len(words), len(queries[0])))
        values = number_array(values, "values", -20, 20, (len(words), None))
        vectors, blends = {"digits": 1, "like": ["Q", "K", 1]}, {"digits": 1, "like": ["V", 1]}
        early, late = {"aside": [3, 4]}, {"aside": [0, 1, 2]}      # a phone has room for one half of the way
        drawing = [
            [None, names(words, label="asks")],
            [block("q", "query", title="query of “<word>”", line="start", **vectors),
             block("K", "key", title="key", **vectors, **early)],
            [None, block(["turned", "scores"], "quiet", title="score", like=["scores", 1], since=1, **early)],
            [None, block(["turned", "weights"], "weight", title="weight", bars=True, since=2)],
            [None, block("V", "value", title="value", since=3, **blends, **late)],
            [None, block("weighted", "value", title="weight × value", since=3, **blends, **late),
             block("output", "output", title="added up: the output", since=4, line="end", **blends)]]
        super().__init__({"Q": queries, "K": keys, "V": values}, words, formulas=self.FORMULAS, drawings=[drawing],
                         steps=self.STEPS, selected=selected, step=step, caption=caption,
                         scale=len(queries[0]) ** -0.5 if scale is None else scale)
        self.queries, self.key_rows, self.values = self.arrays("Q", "K", "V")

    def attend(self):
        """All outputs and all weights."""
        return attention(self.queries, self.key_rows, self.values, scale=self.scale)

    @property
    def weights(self):
        """The weights of the word that asks: shape (n,)."""
        return self.attend()[1][self.selected]

    @property
    def output(self):
        """Its output: shape (d_v,)."""
        return self.attend()[0][self.selected]

    def still(self):
        """The table of all steps for the word that asks."""
        def row(numbers, digits=1):
            return f"({', '.join(fixed(v, digits) for v in numbers)})"
        query = self.queries[self.selected]
        rows = [[word, row(key), fixed(score), fixed(w), row(value), row(w * value)] for word, key, score, w, value
                in zip(self.words, self.key_rows, self.scale * self.key_rows @ query, self.weights, self.values)]
        return (f"<p>“{escape(self.words[self.selected])}” asks with the query {row(query)}.</p>"
                + still_table(["word", "key", "score", "weight", "value", "weighted"], rows)
                + f"<p>Output: {row(self.output, 2)}.</p>")
