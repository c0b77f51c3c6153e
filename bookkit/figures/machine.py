"""One text through the whole of a Transformer: every number of a word's column, its origin, and what it adds."""

import numpy as np
import traitlets

from attnkit import softmax
from bookkit.figures.base import Figure, Index, few, still_table
from bookkit.figures.models import travelled
from bookkit.figures.story_writer import START, check_model, encode
from bookkit.pictures.formats import fixed

# What an address begins with, by the rows of results that it looks up.
NAMES = ("table", "embedding", "norm1", "query", "key", "value", "scores", "weights", "heads", "attention",
         "after_attention", "norm2", "hidden", "mlp", "after_mlp", "norm", "chance")


class Machine(Figure):
    """Follow one word of a text through a trained Transformer, from the table of word vectors to the chances.

    The column of a word is drawn from below to above: the stream, what attention and the MLPs add, the heads. Every
    number is a square; pressed, it says where it comes from, and its terms are squares to be pressed. Beside each stage
    of the stream stand the words that the machine would say if it stopped there, beside each part what it adds to the
    score of one word of `pair` less that of the other.

    `model` has the limits of `StoryWriter`'s; the figure keeps it as it travels. `views` are states to
    go to by a button, by the words on it; the figure opens in the first. A state is a dict of ``place``, which word is
    in hand, that of ``<start>`` being 0 (the last if not given); ``unfolded``, a list of ``"heads0"`` for the heads of
    the first layer, ``"mlp0"`` for the units of its MLP, and so on; and ``trail``, a list of what is asked for. There
    an address is a name, a layer (or -1), a place, a number, and a head or word (or -1).

    >>> from bookkit.lessons.storyteller import trained
    >>> figure = Machine(trained(), "Zoe and Max met", pair=("Rex", "Toby"))
    >>> figure.so_far["embedding"][0][0], [word for word, _ in figure.so_far["layers.1.after_mlp"]]
    ('met', ['Toby', 'Rex', 'Bruno'])
    """

    kind = "machine"
    needs = ("model",)
    packed = traitlets.Dict().tag(sync=True)
    story = traitlets.List(traitlets.Unicode()).tag(sync=True)
    place = Index("story", "words").tag(sync=True, reset=True)
    trail = traitlets.List().tag(sync=True, reset=True)
    pair = traitlets.List().tag(sync=True, reset=True)
    unfolded = traitlets.List(traitlets.Unicode()).tag(sync=True, reset=True)
    views = traitlets.List().tag(sync=True)
    scale = traitlets.Float(1).tag(sync=True)      # of the longest bar: the most that a part adds at any word

    def __init__(self, model, text, pair, views=None, caption=""):
        packed, self.model = travelled(model)
        check_model(self.model)
        numbers = encode(self.model, text, "text")
        story = [START, *(self.model.words[number] for number in numbers)]
        pair = [encode(self.model, word, "pair")[0] for word in few(pair, "pair", 2, 2)]
        self.results = self.model.trace([self.model.words.index(word) for word in story])
        found = [view(name, state, len(story) - 1) for name, state in (views or {"": {}}).items()]
        first = {name: found[0][name] for name in ("place", "unfolded", "trail")}
        super().__init__(packed=packed, story=story, pair=pair, views=found if views else [], caption=caption, **first)
        most = max(abs(adds) for place in range(len(story)) for adds in self.added(place).values())
        self.scale = round(most, 4) or 1.0

    @traitlets.validate("trail")
    def _check_trail(self, proposal):
        for address in proposal["value"]:
            if len(address) != 5 or address[0] not in NAMES:
                raise ValueError(f"trail must hold addresses, [name, layer, place, number, head], got {address!r}")
        return proposal["value"]

    @property
    def so_far(self):
        """For each stage of the stream the three likeliest next words, if it ended there, with their chances."""
        found = {}
        for name in stages(self.model):
            chances = softmax(self.model.so_far(self.results[name][self.place]))
            best = np.argsort(-chances, kind="stable")[:3]
            found[name] = [(self.model.words[k], float(chances[k])) for k in best]
        return found

    @property
    def contributions(self):
        """What each part adds to the score of the first word of the pair less that of the second."""
        return self.added(self.place)

    def added(self, place):
        """The same, at any word."""
        first, second = (self.model.words[number] for number in self.pair)
        last = {name: rows[..., :place + 1, :] for name, rows in self.results.items()}
        return self.model.contributions(last, first, second)

    def still(self):
        """The stages with what the machine would say, and what each part adds."""
        stages = [[stage_words(name), *(f"{word} {fixed(chance)}" for word, chance in best)]
                  for name, best in reversed(self.so_far.items())]
        parts = [[part_words(part), fixed(adds, plus=True)] for part, adds in self.contributions.items()]
        first, second = (self.model.words[number] for number in self.pair)
        story = " ".join(self.story)
        return (f"<div><p>{story.replace('<', '&lt;')}</p>{still_table(['if it stopped', 'likeliest', '', ''], stages)}"
                f"{still_table(['part', f'adds to {first} minus {second}'], parts)}</div>")


def view(name, state, last):
    """A state by its name; `last` is the place of the last word."""
    if unknown := sorted(set(state) - {"place", "unfolded", "trail"}):
        raise ValueError(f"a view has place, unfolded and trail, {name!r} has {', '.join(unknown)}")
    return {"name": name, "place": state.get("place", last), "unfolded": list(state.get("unfolded", [])),
            "trail": [list(one) for one in state.get("trail", [])]}


def stages(model):
    """The names of the stages of a model's stream, from the word vector on."""
    return ["embedding", *(f"layers.{layer}.{name}" for layer in range(model.num_layers)
                           for name in ("after_attention", "after_mlp"))]


def stage_words(name):
    """A stage of the stream, in words."""
    if name == "embedding":
        return "word vector"
    _, layer, stage = name.split(".")
    return f"after {'MLP' if stage == 'after_mlp' else 'attention'} {int(layer) + 1}"


def part_words(part):
    """A part that adds to the stream, in words."""
    if isinstance(part, str):
        return {"embedding": "word vector", "bias": "last norm, for any text"}[part]
    layer, which = part
    return f"MLP {layer + 1}" if which == "mlp" else f"layer {layer + 1}, head {which + 1}"
