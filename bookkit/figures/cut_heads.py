"""Heads of a chat model taken out: what each piece of a text costs then, and how likely two names are."""

from html import escape

import numpy as np
import traitlets

from bookkit.figures.base import Index, few, still_table
from bookkit.figures.chat import Kernel
from bookkit.pictures.formats import fixed

MOST = 120                   # pieces of a text that comes with the figure


def measure(model, name, text, without, names=(), parts=None):
    """A text with its losses, as data for JSON: with all heads, and without each list of heads in `without`.

    `model` is a `bookkit.lessons.chat_model.ChatModel`; `name` is what the text is called. With two `names`, each a
    piece of its own, their chances to come next are measured, too. `parts` are names of parts of the text with the
    places where they begin and end; the first piece has no loss.
    """
    numbers, asked = model.numbers(text), [model.numbers(one) for one in names]
    if any(len(one) != 1 for one in asked):
        raise ValueError(f"names must be one piece each, got {list(names)!r}")
    runs = []
    for heads in ([], *without):
        scores, _ = model.read(numbers, without=heads)
        logs = scores - scores.max(axis=-1, keepdims=True)
        logs -= np.log(np.exp(logs).sum(axis=-1, keepdims=True))
        runs.append({"losses": [round(float(-logs[k, number]), 3) for k, number in enumerate(numbers[1:])],
                     "chances": [round(float(np.exp(logs[-1, one])), 4) for one, in asked]})
    parts = parts or {"all of it": (1, len(numbers))}
    return {"name": name, "numbers": numbers, "words": [model.words[number] for number in numbers], "runs": runs,
            "names": [[one, model.words[one]] for one, in asked],
            "parts": [{"name": part, "start": start, "end": end} for part, (start, end) in parts.items()]}


class CutHeads(Kernel):
    """Take heads out of a chat model, and see which pieces of a text it then finds harder.

    `texts` are made by `measure`, of which each has been measured without the heads of each of the `cuts`: lists of
    heads by name, each a pair of a layer and a head from 0. `kinds` shade the grid of heads, see
    `bookkit.figures.Chat`. With a `model` a notebook can take out any heads and read any line; a page loads it.

    A head is named by its number through all layers in the trait `without`, which holds those that are out.
    """

    kind = "cut_heads"
    needs = ("loading", "chat_model")
    texts = traitlets.List().tag(sync=True)
    cuts = traitlets.List().tag(sync=True)
    text = Index("texts", "texts").tag(sync=True, reset=True)
    without = traitlets.List(traitlets.Int()).tag(sync=True, reset=True)
    shade = Index("kinds", "kinds").tag(sync=True, reset=True)

    def __init__(self, texts, kinds, cuts, model=None, *, shade=0, caption=""):
        *_, heads = np.shape(next(iter(kinds.values()), 0)) or (1,)
        told = [{"name": name, "heads": sorted(layer * heads + head for layer, head in pairs)}
                for name, pairs in cuts.items()]
        for one in few(texts, "texts", 1, 6):
            few(one["numbers"], f"the pieces of {one['name']!r}", 2, MOST)
            if len(one["runs"]) != 1 + len(told):
                raise ValueError(f"{one['name']!r} must be measured whole and without each of {len(told)} cuts, "
                                 f"got {len(one['runs'])} runs")
        super().__init__(kinds, model, texts=list(texts), cuts=told, shade=shade, caption=caption)

    @traitlets.validate("without")
    def _check_without(self, proposal):
        heads = sorted(set(proposal["value"]))
        if heads and not 0 <= heads[0] <= heads[-1] < self.layers * self.heads:
            raise ValueError(f"without must hold heads from 0 to {self.layers * self.heads - 1}, got {heads}")
        return heads

    @property
    def run(self):
        """What was measured without these heads, None if it was not."""
        known = [[], *(cut["heads"] for cut in self.cuts)]
        return self.texts[self.text]["runs"][known.index(self.without)] if self.without in known else None

    @property
    def means(self):
        """Of each part of the text its mean loss with all heads, and without those that are out if it was measured."""
        told, run = self.texts[self.text], self.run
        runs = [told["runs"][0], *([run] if run else [])]
        return [[float(np.mean(one["losses"][part["start"] - 1:part["end"] - 1])) for one in runs]
                for part in told["parts"]]

    def still(self):
        """The text, the mean loss of its parts and the chances of names, whole and without each cut."""
        told = self.texts[self.text]
        head = ["mean loss, chances", "all heads", *(f"without {cut['name']}" for cut in self.cuts)]
        rows = [[part["name"], *(fixed(np.mean(run["losses"][part["start"] - 1:part["end"] - 1]))
                                 for run in told["runs"])] for part in told["parts"]]
        rows += [[f"chance of {word!r}", *(fixed(run["chances"][k], 3) for run in told["runs"])]
                 for k, (_, word) in enumerate(told["names"])]
        text, table = escape("".join(told["words"])), still_table(head, rows)
        return f'<div><p>{text}</p><div style="overflow-x:auto">{table}</div></div>'
