"""Train the matrix of the scores x M xᵀ, step by step: its loss, its numbers and the weights that come of them."""

import numpy as np
import traitlets

from attnkit import softmax
from attnkit.sampling import Xorshift
from bookkit.figures.base import Figure, Index, OneOf, few, index, number_array, one_each, still_cell, still_table
from bookkit.pictures.formats import fixed

ASKS = 1                         # the place of the word that asks
MOST = 300                       # steps that can be trained in all
SHOWN = 4                        # held-out sentences that are drawn
RATES = (0.1, 1.0, 10.0, 1000.0)
SPREADS = (0.5, 30.0)            # from small weights that all differ a little, to hard ones of almost 0 and 1


def starting_matrix(seed, size, spread):
    """Make a matrix (size, size) of numbers between -spread and spread that look random (Marsaglia, 2003, Xorshift).

    The same seed, from 0 to 9999, makes the same matrix, on any machine.

    >>> starting_matrix(0, 2, 0.5).round(2).tolist()
    [[-0.18, 0.25], [0.37, 0.06]]
    """
    random = Xorshift(seed)
    return np.array([[spread * (2 * random.number() - 1)
                      for _ in range(size)] for _ in range(size)])


class MatrixTrainer(Figure):
    """Train the matrix M of the scores x M xᵀ with which one word of a sentence asks for another.

    Each step moves M against the slopes of the loss over all training sentences: M becomes M - rate · slopes.

    `vectors` (number of words, d), within ±9, stand for the `words` of the vocabulary, and `features`, at most six,
    name their numbers. `sentences` are lists of two to eight word numbers, and `answers` the place of the word that is
    meant in each; `held_out` and `held_out_answers` are sentences that are measured only, of which four are drawn, from
    `shown` on. The word that asks, the same in every sentence, is the second. `seed`, from 0 to 9999, and `spread`, 0.5
    or 30, choose the first numbers of M, those of `starting_matrix`; `rate` is 0.1, 1, 10 or 1000, and `steps`, at most
    300, have been made at it. All else follows from these. Where long steps jump about, a difference in the last bit
    grows: there two machines, or this class and its script, may part after some dozen steps.

    >>> trainer = MatrixTrainer(["that", "girl", "runs"], [[0, 1], [1, 0], [-1, 0]], ["thing", "points"],
    ...                         [[1, 0, 2]], [0], [[2, 0, 1]], [2], steps=20)
    >>> trainer.trained["losses"][[0, 10, 20]].round(3).tolist(), trainer.trained["weights"][0].round(2).tolist()
    ([0.696, 0.013, 0.007], [0.94, 0.05, 0.01])
    """

    kind = "matrix_trainer"
    words = traitlets.List(traitlets.Unicode()).tag(sync=True)
    vectors = traitlets.List().tag(sync=True)
    features = traitlets.List(traitlets.Unicode()).tag(sync=True)
    sentences = traitlets.List().tag(sync=True)
    answers = traitlets.List().tag(sync=True)
    held_out = traitlets.List().tag(sync=True)
    held_out_answers = traitlets.List().tag(sync=True)
    shown = Index("held_out", "held-out sentences").tag(sync=True)
    seed = Index(10_000, "seeds").tag(sync=True, reset=True)
    spread = OneOf(*SPREADS).tag(sync=True, reset=True)
    rate = OneOf(*RATES).tag(sync=True, reset=True)
    steps = Index(MOST + 1, "steps").tag(sync=True, reset=True)

    def __init__(self, words, vectors, features, sentences, answers, held_out, held_out_answers, seed=0, rate=1.0,
                 spread=0.5, steps=0, shown=0, caption=""):
        words, features = list(words), few(list(features), "features", 1, 6)
        vectors = number_array(vectors, "vectors", -9, 9, (len(words), len(features)))
        sets = {"sentences": sentences, "held_out": held_out}
        sets = {name: numbered(given, name, len(words)) for name, given in sets.items()}
        every = [sentence for of_one in sets.values() for sentence in of_one]
        if len({sentence[ASKS] for sentence in every}) > 1:
            raise ValueError("the word that asks, the second, must be the same in every sentence")
        super().__init__(words=words, vectors=vectors, features=features, **sets,
                         answers=places(answers, "answers", sets["sentences"]),
                         held_out_answers=places(held_out_answers, "held_out_answers", sets["held_out"]), shown=shown,
                         seed=seed, spread=spread, rate=rate, steps=steps, caption=caption)

    @property
    def matrix(self):
        """The present M: shape (d, d)."""
        return self.trained["matrix"]

    @property
    def trained(self):
        """What has come of the steps, by name.

        `losses` and `held_out_losses` before the first step and after each; the present `matrix`; `slopes`, how the
        present loss changes with each of its numbers; and for each sentence the `weights` of the asking word, or the
        `held_out_weights`.
        """
        matrix = starting_matrix(self.seed, len(self.features), self.spread)
        vectors = np.array(self.vectors)
        return train(matrix, batch(vectors, self.sentences, self.answers),
                     batch(vectors, self.held_out, self.held_out_answers), self.rate, self.steps)

    def still(self):
        """Tables: the loss after some of the steps, M, and the weights over the held-out sentences that are drawn."""
        now = self.trained
        losses, held_out = now["losses"], now["held_out_losses"]
        some = sorted({int(k) for k in np.linspace(0, len(losses) - 1, 5)})
        lost = still_table(["step", "loss", "loss, held out"],
                           [[str(k), fixed(losses[k], 3), fixed(held_out[k], 3)] for k in some])
        largest = max(1, np.abs(now["matrix"]).max())
        rows = [[name, *(still_cell(v, fixed(v), largest) for v in row)]
                for name, row in zip(self.features, now["matrix"])]
        return lost + still_table(["M", *self.features], rows) + self._still_weights(now["held_out_weights"])

    def _still_weights(self, weights):
        rows = []
        for k in range(self.shown, min(self.shown + SHOWN, len(self.held_out))):
            sentence = [self.words[w] for w in self.held_out[k]]
            cells = [still_cell(w, f"{word} {fixed(w)}", 1, kind="weight") for word, w in zip(sentence, weights[k])]
            rows.append([sentence[self.held_out_answers[k]], *cells])
        asking = self.words[self.held_out[0][ASKS]]
        longest = max(map(len, self.held_out))
        table = still_table(["meant", f"weights of “{asking}”", *[""] * (longest - 1)], rows)
        return f'<div style="overflow-x:auto">{table}</div>'      # on a phone the rows are longer than the page is wide


# ---- the training

def batch(vectors, sentences, answers):
    """Sentences of different lengths as one array: vectors of zeros fill up the shorter ones.

    Returns (items, real, asking, targets) of shapes (n, longest, d), (n, longest), (n, d) and (n, d).
    """
    real = np.arange(max(map(len, sentences))) < np.array([[len(sentence)] for sentence in sentences])
    items = np.zeros((*real.shape, vectors.shape[1]))
    items[real] = vectors[[word for sentence in sentences for word in sentence]]
    return items, real, items[:, ASKS], items[np.arange(len(sentences)), answers]


def measure(matrix, items, real, asking, targets):
    """The loss of a batch, its slopes by the numbers of the matrix, and the weights, which are zero at a filling."""
    scores = np.where(real, np.einsum("nd,de,nle->nl", asking, matrix, items), -np.inf)
    weights = softmax(scores)
    gaps = np.einsum("nl,nld->nd", weights, items) - targets
    by_weight = np.einsum("nld,nd->nl", items, 2 * gaps / len(items))
    by_score = weights * (by_weight - (weights * by_weight).sum(axis=1, keepdims=True))
    return (gaps**2).sum(axis=1).mean(), np.einsum("nd,nl,nle->de", asking, by_score, items), weights


def train(matrix, training, held_out, rate, steps):
    """Gradient descent: what there is to see at its end, by name."""
    losses, held_out_losses = [], []
    for step in range(steps + 1):
        loss, slopes, weights = measure(matrix, *training)
        held_out_loss, _, held_out_weights = measure(matrix, *held_out)
        losses.append(loss)
        held_out_losses.append(held_out_loss)
        if step < steps:      # the last only measures
            matrix = matrix - rate * slopes
    real = [[row[:n] for row, n in zip(of_one, data[1].sum(axis=1))]
            for of_one, data in ((weights, training), (held_out_weights, held_out))]
    return {"matrix": matrix, "losses": np.array(losses), "held_out_losses": np.array(held_out_losses),
            "slopes": slopes, "weights": real[0], "held_out_weights": real[1]}


# ---- checks and parts

def numbered(sentences, name, count):
    """Check sentences of word numbers and return them as plain lists."""
    for sentence in sentences:
        few(sentence, f"the words of one of {name}", 2, 8)
    return [[index(word, f"a word of {name}", count, "words") for word in sentence] for sentence in sentences]


def places(answers, name, sentences):
    """Check that there is a place in each sentence and return them as a list."""
    return [index(place, name, len(sentence), "words of its sentence")
            for place, sentence in zip(one_each(answers, name, sentences, "sentences"), sentences)]
