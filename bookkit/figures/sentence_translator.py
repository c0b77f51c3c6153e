"""A trained translator, word by word: a sentence that the reader composes, and where the model looks for each word."""

from html import escape

import numpy as np
import traitlets

from bookkit.figures.base import Figure, Index, few, index, still_cell
from bookkit.figures.models import travelled
from bookkit.pictures.formats import fixed

PAD, START, END = "<pad>", "<start>", "<end>"
MOST = 15                        # words that the model writes


class SentenceTranslator(Figure):
    """Compose an English sentence; a trained model translates it word by word, and shows where it looks for each.

    `model`, a `bookkit.lessons.translation.WordTranslator`, takes the likeliest word at each step, until that is
    ``<end>`` or 15 words are written. The figure keeps it as it travels, rounded to a few bits a number.

    `grammar`, as ``english_grammar`` of the corpora makes it, says what can be composed: ``next``, for each state the
    words that can follow, each with the number of the state after it, and ``final``, the states where a sentence may
    end. It begins in state 0. The figure opens with `sentence`, of which `step` words are translated, all if that is
    not given. The trait `row` is the French word, from 0, whose lines and chances are shown; None for the newest.

    The reader can put another word in the place of one that is written, one of the likeliest there or of those that
    `instead` names, at most four; then the model goes on from it. The trait `put` has these, pairs of a row and a word.

    >>> from bookkit.lessons.training import new_model
    >>> from bookkit.lessons.translation import Translator, WordTranslator
    >>> marks = ["<pad>", "<start>", "<end>"]
    >>> model = WordTranslator(new_model(3, Translator, 6, 6, width=10),
    ...                        [*marks, "I", "love", "you"], [*marks, "je", "t'", "aime"])
    >>> grammar = {"next": [{"I": 1}, {"love": 2}, {"you": 3}, {}], "final": [3]}
    >>> figure = SentenceTranslator(model, grammar, "I love you", step=1, put=[(0, "aime")])
    >>> figure.weights.shape, figure.translation
    ((1, 3), ['aime'])
    """

    kind = "sentence_translator"
    needs = ("model", "weights")
    packed = traitlets.Dict().tag(sync=True)
    grammar = traitlets.Dict().tag(sync=True)
    instead = traitlets.List(traitlets.Unicode()).tag(sync=True)
    sentence = traitlets.Unicode().tag(sync=True, reset=True)
    step = Index(MOST + 1, "counts of words").tag(sync=True, reset=True)
    row = traitlets.Any(None).tag(sync=True, reset=True)
    put = traitlets.List().tag(sync=True, reset=True)

    def __init__(self, model, grammar, sentence, step=None, row=None, put=(), instead=(), caption=""):
        packed, self.model = travelled(model)
        self._known = {}
        check_grammar(grammar, self.model)
        self._grammar = grammar
        walk(grammar, sentence, "sentence")
        instead = [self._word(word, "instead") for word in few(list(instead), "instead", 0, 4)]
        # As pairs, because a page keeps the order of those, not of what is in a dict.
        pairs = [[list(pair) for pair in words.items()] for words in grammar["next"]]
        super().__init__(packed=packed, grammar={"next": pairs, "final": list(grammar["final"])}, sentence=sentence,
                         step=MOST if step is None else step, row=row, put=list(put), caption=caption, instead=instead)
        self.step = len(self.translation)
        self.defaults = {**self.defaults, "step": self.step}               # where "Reset" leads back to

    @traitlets.validate("sentence")
    def _check_sentence(self, proposal):
        walk(self._grammar, proposal["value"], "sentence")
        return " ".join(proposal["value"].split())

    @traitlets.validate("row")
    def _check_row(self, proposal):
        return None if proposal["value"] is None else index(proposal["value"], "row", MOST, "words written")

    @traitlets.validate("put")
    def _check_put(self, proposal):
        put = [[index(row, "put's row", MOST, "words written"), self._word(word, "put")]
               for row, word in proposal["value"]]
        if [row for row, _ in put] != sorted({row for row, _ in put}):
            raise ValueError(f"put must have each row once, in order, got {proposal['value']}")
        return put

    def _word(self, word, name):
        """A word that the model can write."""
        if word not in self.model.target_words or word in (PAD, START, END):
            raise ValueError(f"{name} must hold words that the model writes, not {word!r}")
        return word

    # ---- what follows from the state

    @property
    def following(self):
        """The words that can follow the sentence so far."""
        return list(self._grammar["next"][walk(self._grammar, self.sentence, "sentence")])

    @property
    def complete(self):
        """Whether the sentence may end here, and be translated."""
        return walk(self._grammar, self.sentence, "sentence") in self._grammar["final"]

    @property
    def trace(self):
        """All that the model computes of the whole sentence, by name; None while it is not complete."""
        if not self.complete:
            return None
        if self._known.get("of") != (self.sentence, self.put):
            numbers = [self.model.source_words.index(word) for word in self.sentence.split()]
            put = {row: self.model.target_words.index(word) for row, word in self.put}
            results = self.model.trace(numbers, max_length=MOST, put=put)
            self._known = {"of": (self.sentence, list(self.put)), "results": results}
        return self._known["results"]

    @property
    def translation(self):
        """The words that are written."""
        words = [self.model.target_words[word] for word in self.trace["words"][:self.step]] if self.complete else []
        return words[:-1] if words[-1:] == [END] else words

    @property
    def weights(self):
        """The weights of each word that is written over the words of the sentence: shape (n, m)."""
        return self._rows("weights", len(self.sentence.split()))

    @property
    def chances(self):
        """The chance of each French word, at each step that is written: shape (n, number of words)."""
        return self._rows("chances", len(self.model.target_words))

    @property
    def chosen(self):
        """The chance that each word had which is written: shape (n,)."""
        words = [self.model.target_words.index(word) for word in self.translation]
        return self.chances[np.arange(len(words)), words]

    def _rows(self, name, columns):
        return self.trace[name][:len(self.translation)] if self.complete else np.zeros((0, columns))

    @property
    def ended(self):
        """Why no word can follow: "end" where the model says so, "full" after 15 words; otherwise None."""
        if not self.complete:
            return None
        words = self.trace["words"]
        says_so = self.model.target_words[words[-1]] == END
        if len(self.translation) < len(words) - says_so:
            return None
        return "end" if says_so else "full"

    def still(self):
        """The sentence, its translation, and the table of weights."""
        said = f'<p><span lang="en">{escape(self.sentence)}</span>'
        if not self.translation:
            return f"<div>{said}</p></div>"
        columns = "".join(f'<th scope="col" lang="en">{escape(word)}</th>' for word in self.sentence.split())
        rows = "".join(f'<tr><th scope="row" lang="fr">{escape(word)}</th><td>{fixed(chance)}</td>'
                       + "".join(still_cell(w, fixed(w), 1, kind="weight") for w in weights) + "</tr>"
                       for word, weights, chance in zip(self.translation, self.weights, self.chosen))
        # Twelve columns of numbers are wider than a phone: the table scrolls by itself.
        return (f'<div>{said} → <span lang="fr">{escape(" ".join(self.translation))}</span></p>'
                '<div style="overflow-x:auto" tabindex="0"><table><thead><tr><td></td><th scope="col">chance</th>'
                f"{columns}</tr></thead><tbody>{rows}</tbody></table></div></div>")


# ---- the grammar

def check_grammar(grammar, model):
    """Check that the model knows the words of a grammar."""
    known = set(model.source_words) - {PAD, START, END}
    if unknown := [word for words in grammar["next"] for word in words if word not in known]:
        raise ValueError(f"grammar must hold words that the model knows, not {unknown[0]!r}")


def walk(grammar, sentence, name):
    """The state that a sentence, or the beginning of one, leads to."""
    state = 0
    for word in sentence.split():
        if word not in (ways := grammar["next"][state]):
            can = ", ".join(ways) or "nothing"
            raise ValueError(f"{name} must follow the grammar: {word!r} cannot stand there in {sentence!r}, but {can}")
        state = ways[word]
    return state
