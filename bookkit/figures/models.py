"""What a figure asks of a trained model: so little that no figure needs to know how the model is made.

A model is written once in Python, with its results by name, and once in JavaScript (`model.js`), which the tests hold
against it.  A figure sends the packed model to the page, and in Python asks the copy that is unpacked from it: both
then compute with the same numbers.
"""

from typing import Protocol


class LanguageModel(Protocol):
    """Reads the words of a text and scores the next one; `bookkit.lessons.storyteller.Storyteller` is one.

    ``words`` is the vocabulary, ``context`` how many words it reads at most; it has ``num_layers`` layers of
    ``num_heads`` heads.
    """

    words: list
    context: int
    num_layers: int
    num_heads: int

    def trace(self, numbers):
        """Read the numbers of n words: every result on the way by name, as arrays.

        ``embedding`` (n, d); for each layer, with ``layers.0.`` and so on in front, ``query``, ``key``, ``value``,
        ``scores``, ``weights`` and ``heads`` (h, n, ...), ``after_attention`` and ``after_mlp`` (n, d), ``hidden``
        (n, hidden units); ``norm`` (n, d) and ``scores`` (n, words).
        """

    def packed(self):
        """The model as a dict for JSON, as `bookkit.lessons.packing.pack` makes it."""

    def unpacked(self, packed):
        """A class method: the model of such a dict."""


class OpenModel(LanguageModel, Protocol):
    """A language model that lets itself be looked into."""

    def so_far(self, stream):
        """The scores of the next word (..., words) if the model stopped at a stage of its stream (..., d)."""

    def contributions(self, results, word, other):
        """What each part adds to the score of one word less that of another at the last place, by part, as numbers."""


class SwitchedModel(LanguageModel, Protocol):
    """A language model of which parts can be taken out."""

    def without(self, part):
        """The model without one of the parts that `model.js` names in TAKEN_OUT."""


class SentenceModel(Protocol):
    """Reads a text; `bookkit.lessons.minilm.MiniLM` is one.

    It has ``num_layers`` layers of ``num_heads`` heads.
    """

    num_layers: int
    num_heads: int

    def pieces(self, text, most):
        """The pieces of a text, and what it puts around them, `most` in all."""

    def numbers(self, text, most):
        """The numbers of these pieces."""

    def trace(self, numbers):
        """Read the numbers of n pieces: every result on the way by name, as arrays.

        For each layer, with ``layers.0.`` and so on in front, ``weights`` (h, n, n).
        """


class ChattingModel(Protocol):
    """Cuts texts in pieces, reads them and goes on; `bookkit.lessons.chat_model.ChatModel` is one.

    ``words`` has the text of each piece by its number.
    """

    words: list

    def numbers(self, text, *, marks=False):
        """The numbers of a text's pieces; marks are such only if they are asked for."""

    def chat(self, messages):
        """The numbers of what it goes on with in a chat, for a question."""

    def read(self, numbers, *, without=()):
        """Read n pieces: the scores (n, pieces) of what follows, for each layer the weights (h, n, n)."""

    def write(self, numbers, most):
        """The numbers of the likeliest pieces that follow, at most so many."""


class TranslationModel(Protocol):
    """Translates a sentence word by word; `bookkit.lessons.translation.WordTranslator` is one."""

    source_words: list
    target_words: list

    def trace(self, numbers, *, max_length, put=None):
        """Translate the numbers of m words in t steps: every result on the way by name, as arrays.

        A dict `put` has the numbers of words that stand at some steps, counted from 0, whatever it would write.

        ``annotations`` and ``key`` (m, d); ``query``, ``blend`` and ``state`` (t, d), ``attention.scores`` and
        ``weights`` (t, m), ``scores`` and ``chances`` (t, target words), ``words`` (t,).
        """

    def packed(self):
        """The model as a dict for JSON, as `bookkit.lessons.packing.pack` makes it."""

    def unpacked(self, packed):
        """A class method: the model of such a dict."""


def travelled(model):
    """A model as a page has it: its packed form, and the model that is unpacked from that."""
    packed = model.packed()
    return packed, type(model).unpacked(packed)
