"""One story by a trained Transformer, and the same story with one of its parts taken out."""

from html import escape

import numpy as np
import traitlets

from attnkit import sampling
from bookkit.figures.base import Between, Figure, Index, still_table
from bookkit.figures.models import travelled
from bookkit.figures.story_writer import END, NEVER, START, check_model, encode, fits
from bookkit.pictures.formats import fixed

# What can be taken out, by the model's own names, and the words on the switches.
PARTS = (("", "nothing"), ("positions", "positions"), ("heads", "all heads but one"), ("layers", "layer 2"),
         ("mlps", "the MLPs"), ("attention", "attention"), ("scores", "which word matters"), ("mask", "the mask"))

BEGINNING = 6       # words of each story where no script runs


class SwitchedStory(Figure):
    """Take a part out of a trained model, and see what becomes of its story.

    Above stands the story of the whole model, below it the story without a part, with the same beginning, seed and
    temperature. Words that differ from the word of the whole model at their place are marked. Nothing is trained anew:
    a part is set to zero in both layers, or the second layer is.

    `model` has two layers, and otherwise the limits of `StoryWriter`'s; `part` is the place in
    `PARTS` of what is taken out; `seed`, `temperature` and `prompt` are those of `StoryWriter`. A story ends with
    ``<end>``, or when the context is full.

    >>> from bookkit.lessons.storyteller import trained
    >>> figure = SwitchedStory(trained(), part=1, seed=2)
    >>> [" ".join(story[:8]) for story in figure.stories]
    ['Zoe and Max met Bruno in the tower', 'Zoe and Zoe met Bruno Bruno Bruno Bruno']
    >>> figure.same
    2
    """

    kind = "switched_story"
    needs = ("model",)
    packed = traitlets.Dict().tag(sync=True)
    parts = traitlets.List(list(map(list, PARTS))).tag(sync=True)
    prompt = traitlets.Unicode().tag(sync=True)
    temperature = Between(0, 2, 0.7).tag(sync=True)
    opening = traitlets.List().tag(sync=True)      # the stories of the first state, which a page need not write
    part = Index("parts", "parts").tag(sync=True, reset=True)
    seed = Index(10_000, "seeds").tag(sync=True, reset=True)

    def __init__(self, model, part=1, seed=0, prompt="", temperature=0.7, caption=""):
        packed, self.model = travelled(model)
        check_model(self.model)
        if self.model.num_layers != 2:
            raise ValueError(f"model must have 2 layers, got {self.model.num_layers}")
        fits(self.model, len(encode(self.model, prompt, "prompt")) + 1, "prompt and a word")
        self._written = {}
        super().__init__(packed=packed, part=part, seed=seed, prompt=" ".join(prompt.split()), temperature=temperature,
                         caption=caption)
        self.opening = [self.numbers(0), self.numbers(self.part)]

    def numbers(self, part):
        """The numbers of a story's words, that of ``<start>`` first, without a part; each story is written once."""
        if (part, self.seed) not in self._written:
            model = self.model.without(PARTS[part][0]) if part else self.model
            numbers = [model.words.index(START), *encode(model, self.prompt, "prompt")]
            random, never = sampling.Xorshift(self.seed), [model.words.index(word) for word in NEVER]
            while len(numbers) < model.context and model.words[numbers[-1]] != END:
                scores = model.trace(numbers)["scores"][-1].copy()
                scores[never] = -np.inf
                numbers.append(sampling.choose(scores, random, temperature=self.temperature))
            self._written[part, self.seed] = numbers
        return self._written[part, self.seed]

    @property
    def stories(self):
        """The words of both stories, the whole model's first; ``<end>`` is one of them, ``<start>`` is not."""
        return [[self.model.words[number] for number in self.numbers(part)[1:]] for part in (0, self.part)]

    @property
    def same(self):
        """How many words the two stories have in common before the first difference."""
        whole, changed = ([word for word in story if word != END] for story in self.stories)
        differs = (k for k, word in enumerate(whole) if changed[k:k + 1] != [word])
        return next(differs, len(whole))

    def still(self):
        """Both stories, what differs underlined, and how every other part is missed in this story."""
        whole, changed = self.stories
        marked = [escape(word) if word == other else f"<u>{escape(word)}</u>"
                  for word, other in zip(changed, [*whole, *[None] * len(changed)]) if word != END or len(changed) == 1]
        told = [("Nothing taken out", [escape(word) for word in whole if word != END])]
        if self.part:
            told.append((f"Taken out: {PARTS[self.part][1]}", marked))
        texts = "".join(f"<p><strong>{title}.</strong> {' '.join(words)}</p>" for title, words in told)
        table = still_table(["taken out", "the story begins", "words"], map(self._row, range(len(PARTS))))
        return f"<div>{texts}{table}<p>Seed {self.seed}, temperature {fixed(self.temperature)}.</p></div>"

    def _row(self, part):
        """What is taken out, the beginning of the story without it, and how many words that has."""
        words = [self.model.words[number] for number in self.numbers(part)[1:]]
        if words[-1] == END:
            words.pop()
        return [PARTS[part][1], " ".join(words[:BEGINNING]) or "(not a word)", str(len(words))]
