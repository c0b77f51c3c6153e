"""Two texts through one machine, side by side, and what becomes of an answer if a part of one is put into the other."""

from html import escape

import numpy as np
import traitlets

from attnkit import softmax
from bookkit.figures.base import Figure, Index, still_table
from bookkit.figures.machine import part_words, stage_words, stages
from bookkit.figures.models import travelled
from bookkit.figures.story_writer import START, check_model, encode
from bookkit.pictures.formats import fixed


class PartMover(Figure):
    """Put a part of one run into another, or take it out, at the last word; the machine goes on from there.

    A part is a head, of which the numbers that it has blended are put in, or an MLP, of which what it adds is.

    `model` has the limits of `StoryWriter`'s; the figure keeps it as it travels. `pairs` are a text
    and the other text, by the words of the button that leads to them, words that the model knows with blanks between;
    the figure opens with the first. `other_words` gives for the words of a text what may stand in the place of each:
    `bookkit.lessons.stories.other_words`. The trait `moves` is a list of [layer, head, from]: -1 for the MLP in place
    of a head; 1 to put in what the other run has, 0 to take the part out.

    >>> from bookkit.lessons.storyteller import trained
    >>> text = "Max and Eva met Toby in the forest . Eva found a key . now the key is with"
    >>> figure = PartMover(trained(), {"who found it": (text, text.replace("Eva found", "Max found"))})
    >>> figure.moves = [[1, 1, 1]]
    >>> figure.answers()
    {'this': 'Eva', 'other': 'Max', 'changed': 'Max'}
    """

    kind = "part_mover"
    needs = ("model",)
    packed = traitlets.Dict().tag(sync=True)
    pairs = traitlets.List().tag(sync=True)
    pair = Index("pairs", "pairs").tag(sync=True, reset=True)
    other = traitlets.List(traitlets.Unicode()).tag(sync=True, reset=True)
    moves = traitlets.List().tag(sync=True, reset=True)
    asked = traitlets.Int(-1).tag(sync=True, reset=True)

    def __init__(self, model, pairs, other_words=None, caption=""):
        packed, self.model = travelled(model)
        check_model(self.model)
        told = [self._told(name, texts, other_words) for name, texts in pairs.items()]
        super().__init__(packed=packed, pairs=told, other=told[0]["other"], caption=caption)

    def _told(self, name, texts, other_words):
        """A pair of texts as it travels."""
        if isinstance(texts, str) or len(texts) != 2:
            raise TypeError(f"the pair {name!r} must be two texts, got {texts!r}")
        story, other = (words_of(self.model, text, f"the pair {name!r}") for text in texts)
        choices = [[], *map(_as_lists, other_words(story[1:]))] if other_words else [[] for _ in story]
        return {"name": name, "story": story, "other": other, "choices": choices}

    @property
    def story(self):
        """The words of this text, the start before them."""
        return self.pairs[self.pair]["story"]

    @traitlets.validate("other")
    def _check_other(self, proposal):
        return words_of(self.model, " ".join(proposal["value"][1:]), "other")

    @traitlets.validate("moves")
    def _check_moves(self, proposal):
        layers, heads = self.model.num_layers, self.model.num_heads
        for move in proposal["value"]:
            if len(move) != 3 or not (move[0] in range(layers) and move[1] in range(-1, heads) and move[2] in (0, 1)):
                raise ValueError(f"moves must hold [layer, head or -1, 0 or 1], got {move!r}")
        return proposal["value"]

    def runs(self):
        """The results of this text, of the other one, and of this one with what was moved, by name."""
        numbers = [[self.model.words.index(word) for word in story] for story in (self.story, self.other)]
        this, other = map(self.model.trace, numbers)
        moved = {}
        for layer, head, put_in in self.moves:
            rows = other[f"layers.{layer}.mlp"][-1] if head < 0 else other[f"layers.{layer}.heads"][head, -1]
            moved[layer, "mlp" if head < 0 else head] = rows * put_in
        return {"this": this, "other": other, "changed": self.model.trace(numbers[0], moved) if moved else this}

    def answers(self):
        """The likeliest next word of each run."""
        return {name: self.model.words[results["scores"][-1].argmax()] for name, results in self.runs().items()}

    def still(self):
        """Both texts; what each would say at each stage, and what each part adds to one answer less the other."""
        runs, words = self.runs(), self.model.words
        pair = [words[runs[name]["scores"][-1].argmax()] for name in ("this", "other")]
        if pair[0] == pair[1]:
            pair[1] = words[np.argsort(-runs["this"]["scores"][-1], kind="stable")[1]]

        def says(results, stage):
            chances = softmax(self.model.so_far(results[stage][-1]))
            return f"{words[chances.argmax()]} {fixed(chances.max())}"

        adds = {name: self.model.contributions(runs[name], *pair) for name in ("this", "other")}
        rows = [[stage_words(stage), *(says(runs[name], stage) for name in adds)] for stage in stages(self.model)]
        told = f"to {pair[0]} minus {pair[1]}"
        rows += [[f"{part_words(part)}, {told}", *(fixed(of[part], plus=True) for of in adds.values())]
                 for part in adds["this"]]
        texts = "".join(f"<p>{escape(' '.join(story[1:]))}</p>" for story in (self.story, self.other))
        return f"<div>{texts}{still_table(['', 'this text', 'the other text'], rows)}</div>"


def _as_lists(pairs):
    return [list(pair) for pair in pairs]


def words_of(model, text, name):
    """The words of a text that the model knows, with the start before them."""
    return [START, *(model.words[number] for number in encode(model, text, name))]
