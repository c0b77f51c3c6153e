"""Multi-head attention as a calculation with matrices, step by step."""

import math

import traitlets

from attnkit import multi_head_attention, split_heads
from bookkit.figures.base import Between, few, index, number_array, still_table
from bookkit.figures.steps import Steps, block, names, step
from bookkit.pictures.formats import fixed


class HeadStepper(Steps):
    """Project, split, score, weigh, blend, concatenate, mix: every matrix of multi-head attention with its shape.

    `x` (n, d) has at most 6 items of 8 numbers, for the n `words`; `w_query` and `w_key` (d, h * d_k) and `w_value` (d,
    h * d_v) have at most 8 columns, `w_output` is (h * d_v, d), and `num_heads`, h, is at most 4; all numbers within
    ±20. `step` is 0 project, 1 split, 2 score, 3 weigh, 4 blend, 5 concatenate, 6 mix; `head` and `selected`, the word
    that is followed first, are counted from 0, though the figure counts its heads from 1.

    >>> import numpy as np
    >>> eye = np.eye(2)
    >>> figure = HeadStepper([[1, 0], [0, 1], [1, 1]], eye, eye, eye, eye, 2, ["a", "b", "c"])
    >>> figure.weights.shape, figure.output.round(2).tolist()
    ((2, 3, 3), [[0.84, 0.67], [0.67, 0.84], [0.84, 0.84]])
    """

    kind = "head_stepper"
    needs = ("steps",)
    ITEMS, COLUMNS, HEADS = 6, 8, 4
    head = traitlets.Any(0).tag(sync=True, reset=True)
    temperature = Between(0.1, 10, 1).tag(sync=True, reset=True)

    def __init__(self, x, w_query, w_key, w_value, w_output, num_heads, words, step=0, head=0, selected=0,
                 caption=""):
        def matrix(value, name, rows, columns=None):
            numbers = number_array(value, name, -20, 20, (rows, columns))
            if len(numbers[0]) > self.COLUMNS:
                raise ValueError(f"{name} must have at most {self.COLUMNS} columns, got {len(numbers[0])}")
            return numbers
        few(words, "words", 1, self.ITEMS)
        x = matrix(x, "x", len(words))
        d = len(x[0])
        w_query, w_value = matrix(w_query, "w_query", d), matrix(w_value, "w_value", d)
        w_key = matrix(w_key, "w_key", d, len(w_query[0]))
        if num_heads > self.HEADS or len(w_query[0]) % num_heads or len(w_value[0]) % num_heads:
            raise ValueError(f"num_heads must be at most {self.HEADS} and divide the columns of w_query "
                             f"({len(w_query[0])}) and w_value ({len(w_value[0])}), got {num_heads}")
        w_output = matrix(w_output, "w_output", len(w_value[0]), d)
        sizes = num_heads, len(w_query[0]) // num_heads, len(w_value[0]) // num_heads
        super().__init__({"X": x, "W^Q": w_query, "W^K": w_key, "W^V": w_value, "W^O": w_output}, words,
                         heads=num_heads, formulas=formulas(*sizes), drawings=drawings(words, d, *sizes),
                         steps=steps(*sizes), step=step, head=head, selected=selected, caption=caption)

    @traitlets.validate("head")
    def _check_head(self, proposal):
        return index(proposal["value"], "head", self.heads, "heads")

    @property
    def weights(self):
        """One matrix of weights for each head: shape (h, n, n)."""
        return self._attend()[1]

    @property
    def output(self):
        """What the heads say, mixed: shape (n, d)."""
        return self._attend()[0]

    def _attend(self):
        x, *parameters = self.arrays("X", "W^Q", "W^K", "W^V", "W^O")
        scale = 1 / (math.sqrt(parameters[0].shape[1] // self.heads) * self.temperature)
        return multi_head_attention(x, x, x, *parameters, num_heads=self.heads, scale=scale)

    def still(self):
        """A table for each head: queries, keys, values, weights and outputs; and one of what they are mixed into."""
        def row(values):
            return f"({', '.join(fixed(v) for v in values)})"
        x, *projections = self.arrays("X", "W^Q", "W^K", "W^V")
        q, k, v = (split_heads(x @ w, self.heads) for w in projections)
        head = ["query", "key", "value", *(f"weight of {w}" for w in self.words), "output"]
        tables = [still_table([f"head {i + 1}", *head],
                              [[word, row(q[i, j]), row(k[i, j]), row(v[i, j]), *map(fixed, a[j]), row(a[j] @ v[i])]
                               for j, word in enumerate(self.words)]) for i, a in enumerate(self.weights)]
        return "".join(tables) + still_table(["mixed", *(f"column {c + 1}" for c in range(x.shape[1]))],
                                             [[word, *map(fixed, y)] for word, y in zip(self.words, self.output)])


# ---- the data of the steps, for h heads of d_k and d_v columns

def each(name, h, between=", "):
    """One name for each head, with its number for the i."""
    return between.join(name.replace("i", str(k + 1)) for k in range(h))


def formulas(h, dk, dv):
    """Every matrix, found from X and the parameters: those of the heads are called Q_1, Q_2 and so on."""
    found = [[name, ["product", "X", f"W^{name}"]] for name in "QKV"]
    for k in range(h):
        i = k + 1
        found += [[f"{name}_{i}", ["columns", name, k, h]] for name in "QKV"]
        found += [[f"S_{i}", ["divided", ["product", f"Q_{i}", ["turned", f"K_{i}"]], math.sqrt(dk)]],
                  [f"A_{i}", ["softmax", ["divided", f"S_{i}", "temperature"]]],
                  [f"H_{i}", ["product", f"A_{i}", f"V_{i}"]],
                  [f"Z_{i}", ["product", f"H_{i}", ["rows", "W^O", k, h]]]]      # what a head adds to Y
    return [*found, ["H", ["beside", *(f"H_{k + 1}" for k in range(h))]], ["Y", ["product", "H", "W^O"]]]


def drawings(words, d, h, dk, dv):
    """The matrices of each step; an i stands for the number of the head that is followed."""
    n = len(words)
    cut, signs = {"across": h}, {"digits": None}
    own = {} if max(n, dk, dv) <= 6 else signs       # one head alone leaves room for numbers, and so may all outputs
    outputs = {} if h * dv <= 6 else signs
    top = {} if own else {"tops": list(words)}       # nothing stands above that could say what the columns are
    # Those that share a scale of colours; what is called Z is what a head adds to Y.
    alike = {"X": ["X"], "W": ["W^Q", "W^K", "W^V", "W^O"], **dict.fromkeys("QKV", ["Q", "K", "V"]),
             "S": [f"S_{k + 1}" for k in range(h)], "A": [1], "H": ["H"],
             **dict.fromkeys("YZ", ["Y", *(f"Z_{k + 1}" for k in range(h))])}
    roles = {"Q": "query", "K": "key", "V": "value", "A": "weight", "H": "output", "Y": "output"}

    def upper(name, rows, columns, shows=None, **more):
        role = roles.get(name.removeprefix("W^")[0], "quiet")
        return block(shows or name, role, shape=f"{rows} × {columns}", like=alike[name[0]], **more)

    def lower(name, columns, **more):
        return upper(name, n, columns, marks="row", **more)      # its rows are the words
    widths = {"Q": dk, "K": dk, "V": dv}
    steps = [
        [[None, lower("X", d, **signs)],
         *([upper(f"W^{m}", d, h * w, **cut, **signs), lower(m, h * w, **cut, **signs)] for m, w in widths.items())],
        [[lower(m, h * w, **cut, **signs), lower(m, w, apart=True, **cut, **signs)] for m, w in widths.items()],
        [[None, lower("Q_i", dk, **own)],
         [upper("K_i", dk, n, shows=["turned", "K_i"], title="K_i^T", **own, **top),
          lower("S_i", n, title=f"S_i = Q_i K_i^T / √{dk}", **own)]],
        [[lower("S_i", n, **own, **top), lower("A_i", n, title="A_i = softmax(S_i)", **own)]],
        [[None, lower("A_i", n, **own, **top)],
         [upper("V_i", n, dv, **own), lower("H_i", dv, title="H_i = A_i V_i", **own)]],
        [[lower("H", dv, apart=True, **cut, **outputs), lower("H", h * dv, **cut, **outputs)]],
        [[None, lower("H", h * dv, **cut, **signs)],
         [upper("W^O", h * dv, d, down=h, **signs), lower("Y", d, **signs)],
         *([None, what] for k in range(h) for what in (
             "+" if k else "=", lower(f"Z_{k + 1}", d, title=f"H_{k + 1} W_{k + 1}^O", of=k, **signs)))]]
    return [[[None, names(words, label="row")], *columns] for columns in steps]


def steps(h, dk, dv):
    """What is said at each step."""
    i = "<count head>"
    groups = "groups" if h > 1 else "group"
    return [
        step("project", "“<word>”: query <row Q>, key <row K>, value <row V>.",
             "Three matrices turn the rows of X into queries, keys and values: one wide matrix each, for all heads.",
             "Q, K, V = X @ W_Q, X @ W_K, X @ W_V"),
        step("split", f"“<word>” in head {i}: query <row Q_i>, key <row K_i>, value <row V_i>.",
             f"The columns are cut into {h} {groups}: each head gets {dk} of Q and K, {dv} of V.",
             f"{each('Q_i', h)} = np.hsplit(Q, {h})    # K and V alike"),
        step("score", f"Scores of “<word>” in head {i}: <each S_i>.",
             f"Head {i} alone: each query meets each key; the dot products are divided by √{dk}.",
             f"S_{i} = Q_{i} @ K_{i}.mT / sqrt({dk})"),
        step("weigh", f"Weights of “<word>” in head {i}: <each A_i>.",
             f"Softmax along each row makes the weights of head {i}: none negative, each row sums to 1.00.",
             f"A_{i} = softmax(S_{i}<heated>)"),
        step("blend", f"Head {i} answers “<word>” with <row H_i>.",
             f"Head {i} blends its values: one row of weights, one blend.", f"H_{i} = A_{i} @ V_{i}"),
        step("concatenate", f"“<word>”: {', '.join(f'head {k + 1} <row H_{k + 1}>' for k in range(h))}.",
             f"The outputs of the heads side by side: {h} × {dv} = {h * dv} columns.",
             f"H = np.hstack([{each('H_i', h)}])"),
        step("mix", f"Y of “<word>”: <row Y>; head by head, {' + '.join(f'<row Z_{k + 1}>' for k in range(h))}.",
             "The output matrix mixes the heads: each head's columns meet rows of its own, and all is added up.",
             f"Y = H @ W_O    # = {each('H_i @ W_O_i', h, ' + ')}")]
