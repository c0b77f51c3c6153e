"""A trained Transformer that writes a story word by word: what may come next, and where the newest word looks."""

from html import escape

import numpy as np
import traitlets

from attnkit import sampling
from bookkit.figures.base import Between, Figure, Index, few, index, still_table
from bookkit.figures.models import travelled
from bookkit.pictures.formats import fixed

PAD, START, END = "<pad>", "<start>", "<end>"
NEVER = (PAD, START)             # words that are never chosen
SHOWN = 5                        # words that the still picture shows with their chances
MOST = {"num_layers": 6, "num_heads": 8, "context": 64}


class StoryWriter(Figure):
    """Let a trained model write on, word by word; see the chances of each next word, and where each head looks.

    `model`, as `bookkit.figures.models` says, is a decoder-only Transformer of at most 6 layers of 8 heads and
    a context of 64 words; it reads ``<start>``, the prompt and what has been written since, and writes until ``<end>``
    or until its context is full. The figure keeps it as it travels, rounded to a few bits a number.

    The t-th word that is written is drawn with the t-th random number of `seed`: the same `prompt` (words that the
    model knows; a full stop is one), seed and `temperature` make the same story. `beginnings` are prompts to choose
    from. `head`, a layer and a head, is whose weights are shown in the story; `write` is how many words are written
    when the figure opens. The trait `written` has their numbers, whether the model drew them or the reader took them.

    >>> from bookkit.lessons.storyteller import trained
    >>> StoryWriter(trained(), prompt="Zoe and Max met", seed=4).write(4)
    'Zoe and Max met Toby in the castle'
    """

    kind = "story_writer"
    needs = ("model", "weights")
    packed = traitlets.Dict().tag(sync=True)
    beginnings = traitlets.List(traitlets.Unicode()).tag(sync=True)
    prompt = traitlets.Unicode().tag(sync=True, reset=True)
    written = traitlets.List().tag(sync=True, reset=True)
    seed = Index(10_000, "seeds").tag(sync=True, reset=True)
    temperature = Between(0, 2, 0.7).tag(sync=True, reset=True)
    head = traitlets.Any().tag(sync=True, reset=True)

    def __init__(self, model, prompt="", seed=0, temperature=0.7, beginnings=(), head=(0, 0), write=0, caption=""):
        packed, self.model = travelled(model)
        check_model(self.model)
        self._known = None
        beginnings = few(list(beginnings), "beginnings", 0, 6)
        for beginning in beginnings:
            encode(self.model, beginning, "a prompt of beginnings")
        super().__init__(packed=packed, prompt=prompt, seed=seed, temperature=temperature,
                         beginnings=beginnings, head=head, caption=caption)
        if write:
            self.write(write)
            self.defaults = {**self.defaults, "written": self.written}       # where "Reset" leads back to

    @traitlets.validate("prompt")
    def _check_prompt(self, proposal):
        numbers = encode(self.model, proposal["value"], "prompt")
        fits(self.model, len(numbers) + len(self.written), "prompt and written together")
        return " ".join(self.model.words[number] for number in numbers)

    @traitlets.validate("written")
    def _check_written(self, proposal):
        words = self.model.words
        numbers = [index(number, "a number of written", len(words), "words") for number in proposal["value"]]
        if any(words[number] in NEVER for number in numbers) or words.index(END) in numbers[:-1]:
            raise ValueError(f"written must hold no {PAD} and no {START}, and {END} only as its last word")
        fits(self.model, len(self.prompt.split()) + len(numbers), "prompt and written together")
        return numbers

    @traitlets.validate("head")
    def _check_head(self, proposal):
        layer, head = proposal["value"]
        return [index(layer, "head's layer", self.model.num_layers, "layers"),
                index(head, "head's number", self.model.num_heads, "heads of a layer")]

    # ---- what follows from the state

    @property
    def numbers(self):
        """The numbers of the words so far, that of ``<start>`` first."""
        words = self.model.words
        return [words.index(START), *encode(self.model, self.prompt, "prompt"), *self.written]

    @property
    def story(self):
        """The words so far, without ``<start>``."""
        return [self.model.words[number] for number in self.numbers[1:]]

    @property
    def ended(self):
        """Why no word can follow: "end" after ``<end>``, "full" where the context is full; otherwise None."""
        if self.numbers[-1] == self.model.words.index(END):
            return "end"
        return "full" if len(self.numbers) == self.model.context else None

    @property
    def trace(self):
        """All that the model computes of these words, by name; it is kept until the words are others."""
        if self._known != self.numbers:
            self._known, self._results = self.numbers, self.model.trace(self.numbers)
        return self._results

    @property
    def scores(self):
        """The score of each word of the vocabulary at the newest place: shape (number of words,)."""
        return self.trace["scores"][-1]

    @property
    def weights(self):
        """The weights of every head: shape (layers, heads, n, n) for n words with ``<start>``."""
        return np.stack([self.trace[f"layers.{layer}.weights"] for layer in range(self.model.num_layers)])

    @property
    def chances(self):
        """The chance of each word of the vocabulary to be the next one: shape (number of words,)."""
        return sampling.chances(self._open, temperature=self.temperature)

    @property
    def next_word(self):
        """The word that the model takes next with this seed; None where no word can follow."""
        if self.ended:
            return None
        random = sampling.Xorshift(self.seed)
        for _ in self.written:
            random.number()
        return self.model.words[sampling.choose(self._open, random, temperature=self.temperature)]

    @property
    def _open(self):
        """The scores, minus infinity for the words that are never chosen."""
        scores = self.scores.copy()
        scores[[self.model.words.index(word) for word in NEVER]] = -np.inf
        return scores

    def write(self, most=None):
        """Let the model write some words more, or until the story ends; return the whole story."""
        most = self.model.context if most is None else most
        while most and (word := self.next_word):
            self.written = [*self.written, self.model.words.index(word)]
            most -= 1
        return " ".join(self.story)

    def still(self):
        """The words so far, the likeliest next ones with their chances, and where the newest one looks."""
        story = f"<p>{escape(' '.join([START, *self.story]))}</p>"
        if self.ended:
            return f"<div>{story}<p>{ENDED[self.ended].format(self.packed['context'])}</p>{self._still_heads()}</div>"
        best = [word for word in np.argsort(-self._open, kind="stable") if self.model.words[word] not in NEVER][:SHOWN]
        rows = [[self.model.words[word], fixed(self.chances[word], 3)] for word in best]
        table = still_table(["next word", f"chance at temperature {fixed(self.temperature)}"], rows)
        return f"<div>{story}{table}{self._still_heads()}</div>"

    def _still_heads(self):
        """A row for each head: the word that has most of its weight."""
        words, newest = [START, *self.story], self.weights[:, :, -1]
        rows = [[f"layer {layer + 1}, head {head + 1}", words[row.round(9).argmax()], fixed(row.max())]
                for layer, heads in enumerate(newest) for head, row in enumerate(heads)]
        return still_table(["head", f"the newest word, “{words[-1]}”, looks most at", "weight"], rows)


ENDED = {"end": "The story has ended.", "full": "The context is full: the model reads at most {} words."}


# ---- what is checked

def check_model(model):
    """Check the sizes of a model."""
    for name, most in MOST.items():
        if getattr(model, name) > most:
            raise ValueError(f"{name} of model must be at most {most}, got {getattr(model, name)}")


def encode(model, text, name):
    """The numbers of the words of a text; words are divided by blanks."""
    known = {word: number for number, word in enumerate(model.words) if word not in (*NEVER, END)}
    if unknown := [word for word in text.split() if word not in known]:
        raise ValueError(f"{name} must hold words that the model knows, not {unknown[0]!r}; a full stop is a word")
    fits(model, len(text.split()), name)
    return [known[word] for word in text.split()]


def fits(model, count, name):
    """Check that the context holds so many words after ``<start>``."""
    if count > (most := model.context - 1):
        raise ValueError(f"{name} must hold at most {most} words, as the context has room for no more, got {count}")
